"""Write the table of README.md from the committed results of the benchmarks.

``make bench`` runs this when it is done; by hand: ``python .ci/readme_speed.py``.
"""

import json
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
README = ROOT / "README.md"
RESULTS = ROOT / "benchmarks" / "results"
CHUNKS = ROOT / "benchmarks" / "chunks.json"
FIRST_CALLS = ROOT / "benchmarks" / "first_calls.json"
START = "<!-- The lines from here to the end mark are written by .ci/readme_speed.py -->\n"
END = "<!-- end -->\n"


def finished(case):
    """Records of a case by implementation."""
    return {one["adapter"]: one for one in case["results"] if one["error"] is None}


def span(values):
    return f"{min(values):.2f} to {max(values):.2f}"


def item(text):
    """An item of the list, as lines of README.md."""
    return textwrap.wrap(f"- {text}", 100, subsequent_indent="  ", break_on_hyphens=False)


def committed():
    """The results of every family, by name of its file."""
    files = sorted(RESULTS.glob("*.json"))
    chosen = [file for file in files if not file.stem.endswith("-partial")]
    return [json.loads(file.read_text(encoding="utf-8")) for file in chosen]


def table(families):
    """The lines between the marks, as one string."""
    groups, slower, behind, total = {}, [], 0, 0
    for case in [case for one in families for case in one["cases"]]:
        records = finished(case)
        ours = records.pop(next(name for name, one in records.items() if one["ours"]))
        if not records:
            continue
        fastest = min(records.values(), key=lambda one: one["seconds"])
        row = groups.setdefault(case["group"], {"sklearn": [], "fastest": [], "memory": []})
        row["fastest"].append(ours["seconds"] / fastest["seconds"])
        total += 1
        behind += row["fastest"][-1] > 1
        theirs = [one for one in records.values() if one["package"] == "sklearn"]
        if theirs:  # the fastest of its solvers
            best = min(theirs, key=lambda one: one["seconds"])
            row["sklearn"].append(ours["seconds"] / best["seconds"])
            if case["group"] != "Several classes":  # its processes are not counted
                row["memory"].append(ours["memory"] / best["memory"])
            if row["sklearn"][-1] > 1:
                slower.append(f"`{case['name']}`")
    lines = ["| litlearn's share of | scikit-learn's time | the fastest peer's time |", "|-|-|-|"]
    lines += [
        f"| {name} | {span(row['sklearn']) if row['sklearn'] else '·'} | {span(row['fastest'])} |"
        for name, row in groups.items()
    ]
    machine, threads = families[0]["machine"], families[0]["threads"]
    dates = sorted({one["date"] for one in families})
    first, last = dates[0], dates[-1]
    when = f"on {first}" if first == last else f"from {first} to {last}"
    names = ", ".join(slower) if slower else "none of them"
    memory = [share for row in groups.values() for share in row["memory"]]
    lines += [
        "",
        f"Smallest to largest ratio over {total} cases. Below 1, litlearn is faster.",
        "The page says what each case times: a fit, predictions, or both. In two cases",
        "each of trees and forests litlearn uses bins, as Snap ML and scikit-learn-intelex do",
        "in all, and scikit-learn never.",
        f"Measured {when} with {threads} threads on",
        f"{machine['cores']} processors ({machine['processor']}). Which cases are lost depends on",
        "the processor. The page compares the same cases on another one.",
        "",
        "Where litlearn loses:",
        "",
        f"- **The fastest peer** is faster in {behind} of the {total} cases.",
        *item(
            "**A part alone**, the fit or the predictions, can be slower where both together are "
            "not. The page lists these cases, too."
        ),
        f"- **scikit-learn** is faster in {names}.",
        *item(
            f"**Memory** beyond the data, with what the first call loads, is {span(memory)} times "
            "that of scikit-learn's fastest solver. Several classes are left out, because "
            "scikit-learn's own processes were not measured there."
        ),
        *in_chunks(),
        *first_calls(),
    ]
    return "\n".join(lines) + "\n"


def in_chunks():
    """The line on arrays of Dask, if they were measured."""
    if not CHUNKS.exists():
        return []
    measured = json.loads(CHUNKS.read_text(encoding="utf-8"))
    sizes, steps, reading = sorted({fit["rows"] for fit in measured["fits"]}), [], []
    for rows in (sizes[0], sizes[-1]):
        fits = [fit for fit in measured["fits"] if fit["rows"] == rows]
        ratios = [
            fit["held"] / fit["held_steps"] / (fit["memory"] / fit["memory_steps"]) for fit in fits
        ]
        steps.append(f"{span(ratios)} times as long with {fits[0]['held_rows']:,} rows")
        ratios = [fit["seconds"] / fit["reading"] for fit in fits if fit["steps"] == 1]
        reading.append(f"{span(ratios)} times as long with {rows:,} rows")
    return item(
        "**Arrays of Dask** on two processes: compared with one memory, a step takes "
        f"{steps[0]} and {steps[1]}. Compared with Dask's reading of the same files, which are in "
        "the system's memory, and adding up of their columns and targets, a fit of one pass takes "
        f"{reading[0]} and {reading[1]} (measured on {measured['date']})."
    )


def first_calls():
    """The line on the first call of an estimator on a machine."""
    rows = json.loads(FIRST_CALLS.read_text(encoding="utf-8"))["rows"]
    seconds = [row["compiling"] for row in rows]
    return item(
        "**The first call on a machine** compiles, unless `litlearn-kernels` is installed. That "
        f"took {min(seconds):.2f} to {max(seconds):.1f} seconds for an estimator here, once for "
        "each kind of data; later processes load the result from disk. `litlearn.warm_up()` does "
        "it ahead of time."
    )


def main():
    text = README.read_text(encoding="utf-8")
    before, rest = text.split(START)
    after = rest.split(END)[1]
    README.write_text(before + START + table(committed()) + END + after, encoding="utf-8")
    print("README.md has the table of", RESULTS.relative_to(ROOT).as_posix())


if __name__ == "__main__":
    main()
