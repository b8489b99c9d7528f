"""What was not right, how exact the answers of both are, and what bins cost."""

import re

from benchmarks import bins, exactness
from benchmarks.page.cases import (
    compared,
    count,
    done,
    folded,
    is_right,
    read,
    signed,
    table,
    where,
)


def neighbours(result):
    """The worst case of each implementation: right neighbours, right distances, largest error."""
    worst, errors = {}, {}
    for case in result["cases"]:
        for one in done(case).values():
            who = one["label"], case["facts"]["dtype"]
            for name in {"right", "distances"} & one["quality"].keys():
                value = one["quality"][name]
                if value is not None:
                    of_all = worst.setdefault(who, {})
                    of_all[name] = min(of_all.get(name, 2.0), value)
            error = one["quality"].get("error")
            if error is not None:
                errors[who] = max(errors.get(who, 0.0), error)
    rows = []
    for who in sorted(worst, key=lambda pair: pair[1]):
        found = [worst[who].get(name) for name in ("right", "distances")]
        cells = ["·" if share is None else f"{100 * share:.3g} %" for share in found]
        rows.append([*who, *cells, f"{errors[who]:.1g}" if who in errors else "·"])
    head = "Implementation | Data | Right neighbours | Right distances | Largest error"
    return "\n".join(table(head, rows))


def wrong(results):
    """The cases in which an implementation was not right."""
    lines = []
    for case in (case for one in results for case in one["cases"]):
        for one in done(case).values():
            if not is_right(case, one):
                pairs = one["quality"].items()
                numbers = ", ".join(f"{name} {value:.6g}" for name, value in pairs)
                numbers = re.sub(r" -(?=\d)", " −", numbers)
                lines.append(f"- {one['label']}: {where(case)}: {numbers}")
    return "\n".join(lines or ["None."])


def equal(results):
    """How far the answer of litlearn and that of the fastest peer are from the reference."""
    rows, unequal = [], []
    for case in compared(results):
        measure, ours, theirs, fair = exactness.compared(case)
        if not fair:
            unequal.append(f"- {where(case)}: {exactness.UNEQUAL[case['name']]}.")
        numbers = [signed(f"{value:.1g}") for value in (ours, theirs)]
        peer = done(case)[case["fastest"]]["label"]
        told = [numbers[0], f"{numbers[1]} ({peer})", "yes" if fair else "no"]
        rows.append([where(case), measure, *told])
    fair = len(rows) - len(unequal)
    told = f"In {fair} of {len(rows)} cases ours is as exact, or within the margin."
    if unequal:
        told += " The others:"
    lines = table("Case | Measure | litlearn | Fastest peer | Equal", rows, "llrrl")
    return "\n".join([told, "", *unequal, *folded("How exact each answer is", lines)])


def bins_cost():
    """What bins change on ten data sets."""
    found, rows = read("bins.json")["rows"], []
    for row in found:
        cells = [row["name"], count(row["rows"]), f"{row['features']}"]
        cells += [f"{row['exact']:.4f}", f"{row['bins']:.4f}"]
        cells.append(signed(f"{row['bins'] - row['exact']:.4f}") + f" ± {row['error']:.4f}")
        rows.append(cells)
    worst = max(found, key=lambda row: row["exact"] - row["bins"])
    moved = [row for row in found if row["bins"] != row["exact"]]
    same = [row["name"] for row in found if row["bins"] == row["exact"]]
    told = f"Bins change nothing for {', '.join(same)}. " if same else ""
    told += f"For the other {len(moved)} data sets they cost {100 * bins.cost(moved):.2f} "
    told += f"percentage points of accuracy in the mean, for all ten {100 * bins.cost(found):.2f}, "
    told += f"and {100 * (worst['exact'] - worst['bins']):.1f} in the worst case "
    told += f"({worst['name']})."
    lines = table("Data | Samples | Features | Exact | Bins | Difference", rows, "lrrrrr")
    return "\n".join([*lines, "", told])
