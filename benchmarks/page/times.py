"""What was measured where, losses, aims, and the tables of seconds."""

import ast
import inspect
import re
from collections import Counter

from benchmarks.page.cases import (
    BENCHMARKS,
    compared,
    done,
    is_right,
    label,
    own,
    peers,
    seconds,
    table,
    where,
)

SEARCHES = ("k-d tree", "Ball tree", "Brute force")


# ---------------------------------------------------------------------------------------------
# The machine


def machine(results):
    """The machine, the versions, and how often was measured, of all families."""
    first, facts = results[0], results[0]["machine"]
    loads = [one["machine"]["load_before"] for one in results]
    memory = f"{facts['memory'] / 2**30:.0f} GiB" if facts["memory"] else "unknown"
    rows = [
        ("Processor", most_and_few(by_value(results, "processor"))),
        ("Cores", most_and_few(by_value(results, "cores"))),
        ("Threads of each implementation", f"{first['threads']}"),
        ("Memory", memory),
        (
            "Load in the minute before a family, in processes",
            f"{min(loads):.1f} to {max(loads):.1f}",
        ),
        ("System", f"{facts['system']}, {facts['architecture']}"),
        ("Python", facts["python"]),
        ("Rounds of litlearn", rounds(results)),
        *versions(results),
    ]
    return "\n".join(table(" | ", rows))


def versions(results):
    """The versions of each library, with the families of all but the most frequent one."""
    found = {}
    for one in results:
        for name, version in one["machine"]["versions"].items():
            of_library = found.setdefault(name, {})
            of_library.setdefault(version.replace("+", " "), []).append(one["family"])
    for name, of_library in found.items():
        yield name, most_and_few(of_library)


def by_value(results, key):
    """What the machines are, with the families that were measured there."""
    found = {}
    for one in results:
        found.setdefault(str(one["machine"][key]), []).append(one["family"])
    return found


def most_and_few(found):
    """The values of something, each with its families, but for the most frequent one."""
    *few, (most, _) = sorted(found.items(), key=lambda pair: len(pair[1]))
    others = [f"{value} ({', '.join(families)})" for value, families in few]
    return "; ".join([*others, f"{most} (all others)" if few else most])


def rounds(results):
    """How many rounds litlearn has, in how many cases."""
    records = [one for result in results for case in result["cases"] for one in case["results"]]
    counts = Counter(len(one["rounds"]) for one in records if one["ours"] and not one["error"])
    told = [f"{rounds} in {cases} case{'s' * (cases > 1)}" for rounds, cases in counts.items()]
    return ", ".join(sorted(told))


# ---------------------------------------------------------------------------------------------
# Losses and aims


def losses(results):
    """The cases in which a peer is faster, and those in which it is in a part of the work."""
    cases = compared(results)
    slower = [case for case in cases if case["ratio"] > 1]
    others = [case for case in cases if case["ratio"] <= 1]
    parts = list(slower_parts(others))
    lines = [f"Slower than the fastest peer in {len(slower)} of {len(cases)} cases.", ""]
    for case in slower:
        fastest = done(case)[case["fastest"]]["label"]
        lines.append(f"- {where(case)}: {case['ratio']:.2f} times the time of {fastest}")
    count = len({at.rpartition(", ")[0] for at, *_ in parts})
    told = (
        f"In {count} of the other {len(others)} cases litlearn is slower in a part alone, the fit "
        "or the predictions. We count this where each of the two takes at least a hundredth of "
        "litlearn's time, and compare each with the peer that needs least for it in the round that "
        "counts."
    )
    lines += ["", told, ""]
    for at, mine, least, part in parts:
        lines.append(f"- {at}: {mine / least[part]:.2f} times the time of {least['label']}")
    return "\n".join(lines)


def slower_parts(cases):
    """Parts of cases, a fit or its predictions, that take longer than with some peer."""
    for case in cases:
        mine = own(case)
        matters = min(mine["build"], mine["query"]) >= 0.01 * mine["seconds"]
        if not matters or case["group"] == "Lasso":  # there the first part only makes the matrix
            continue
        words = ("the fit", "the predictions")
        if case["group"] in SEARCHES:
            words = ("building", "the queries")
        for part, name in zip(("build", "query"), words, strict=True):
            least = min(peers(case), key=lambda one: one[part])
            if mine[part] > least[part]:
                yield f"{where(case)}, {name} alone", mine[part], least, part


def aims(results):
    """The cases whose order differs between rounds, and those that miss the project's aim."""
    cases = compared(results)
    missed = [case for case in cases if case["aim_met"] is False]
    aimed = [case for case in cases if case["aim_met"] is not None]
    back = [case["ratio"] for case in turned(cases)]
    span = f"; their ratios are {min(back):.2f} to {max(back):.2f}" if back else ""
    told = (
        f"In {len(back)} of the {len(cases)} cases litlearn is before the fastest peer in one "
        f"round and behind it in another{span}. First rounds that include the fit are left out."
    )
    lines = [told, "", f"The project's own aim is missed in {len(missed)} of {len(aimed)} cases."]
    lines.append("")
    for case in missed:
        ratio = f"ratio {case['aim_ratio']:.2f}, aim {case['aim']:g}"
        ratio += f" of {done(case)[case['aim_peer']]['label']}" if case["aim_peer"] else ""
        lines.append(f"- {where(case)}: {ratio}")
    return "\n".join(lines)


def turned(cases):
    """The cases in which the order of litlearn and the fastest peer differs between rounds."""
    for case in cases:
        both = own(case), done(case)[case["fastest"]]
        pairs = zip(*(rounds_of(case, one) for one in both), strict=False)
        if len({mine < other for mine, other in pairs}) > 1:
            yield case


def rounds_of(case, one):
    """The rounds, without a first one that includes the fit."""
    return one["rounds"][1:] if case["group"] == "Predictions of forests" else one["rounds"]


# ---------------------------------------------------------------------------------------------
# Seconds


def times(result, group):
    """Table of the times: one row per case, one column per implementation."""
    cases = [case for case in result["cases"] if case["group"] == group]
    names = {one["adapter"]: one["label"] for case in cases for one in case["results"]}
    rows = []
    for case in cases:
        records = done(case)
        best = min(one["seconds"] for one in records.values())
        cells = [label(case)]
        for name in names:
            one = records.get(name)
            mark = "\\*" if one and one["seconds"] == best else ""
            cells.append(with_marks(case, one, mark) if one else "·")
        rows.append(cells)
    return "\n".join(table(" | ".join(["Case", *names.values()]), rows))


def shares(result, group):
    """Table of the times where there are many peers: ours, the fastest, scikit-learn's best."""
    rows = []
    for case in compared([result]):
        if case["group"] != group:
            continue
        mine, fastest = own(case), done(case)[case["fastest"]]
        theirs = [one for one in done(case).values() if one["package"] == "sklearn"]
        best = min(theirs, key=lambda one: one["seconds"], default=None)
        cells = [label(case), with_marks(case, mine)]
        for one in (fastest, best):
            if one is None:
                cells += ["·", "·"]
                continue
            cells.append(f"{with_marks(case, one)} ({one['label']})")
            cells.append(f"{mine['seconds'] / one['seconds']:.2f}")
        rows.append(cells)
    head = "Case | litlearn, s | fastest peer, s | ratio | scikit-learn, s | ratio"
    return "\n".join(table(head, rows))


def with_marks(case, one, mark=""):
    """A time; with a dagger if the answer is not right, and with the score of a tree."""
    score = f", score {one['quality']['right']:.3f}" if "constant" in one["quality"] else ""
    return f"{seconds(one['seconds'])}{mark}{'' if is_right(case, one) else '†'}{score}"


def section(result):
    """What a family of methods compares, and its tables."""
    lines = ["**{}** {}".format(*about(result["family"]))]
    for group in dict.fromkeys(case["group"] for case in result["cases"]):
        tell = times if result["family"] == "extras" else shares  # there the peers are few
        lines += [f"*{group}.*", tell(result, group)]
    slower = [
        f"{seconds(one['seconds'])} s ({label(case)})"
        for case in result["cases"]
        for one in done(case).values()
        if one["adapter"] == "sklearn-elkan" and one["adapter"] != case["fastest"]
    ]
    if slower:
        lines.append('scikit-learn\'s "elkan" takes ' + " and ".join(slower) + ".")
    return "\n\n".join(lines)


def about(family):
    """The heading of a family and its text, as its benchmark has them."""
    tree = ast.parse((BENCHMARKS / f"{family}.py").read_text())
    heading, _, text = inspect.cleandoc(ast.get_docstring(tree)).partition("\n\n")
    # Of several classes the benchmark does not say how close "so close" is.
    vague = r"Where two classes are so close there.*?any\s+is\s+right\."
    exact = "Where decision functions decide there by less than 0.01, ten times the default "
    exact += "tolerance of SVC, any class is right."
    return heading, re.sub(vague, exact, text, flags=re.DOTALL)


def left_out(results):
    """Implementations that were not installed, do not take the precision of a case, or failed."""
    reasons = {}
    cases = [case for one in results for case in one["cases"]]
    for case in cases:
        failed = {one["label"]: one["error"] for one in case["results"] if one["error"] is not None}
        for who, why in (case["skipped"] | failed).items():
            reasons[who, why] = reasons.get((who, why), 0) + 1
    lines = [
        f"- {who} ({why}): {times} of {len(cases)} cases" for (who, why), times in reasons.items()
    ]
    return "\n".join(lines or ["Nothing."])
