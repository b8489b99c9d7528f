"""Write the table of README.md from the committed results of the benchmarks.

``make bench`` runs this when it is done; by hand: ``python .ci/readme_speed.py``.
"""

import json
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
README = ROOT / "README.md"
RESULTS = ROOT / "benchmarks" / "results"
CHUNKS = ROOT / "benchmarks" / "chunks.json"
START = "<!-- The lines from here to the end mark are written by .ci/readme_speed.py -->\n"
END = "<!-- end -->\n"


def finished(case):
    """Records of a case by implementation."""
    return {one["adapter"]: one for one in case["results"] if one["error"] is None}


def span(values):
    return f"{min(values):.2f} to {max(values):.2f}"


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
    when = " to ".join(dict.fromkeys([dates[0], dates[-1]]))
    names = ", ".join(slower) if slower else "none of them"
    memory = [share for row in groups.values() for share in row["memory"]]
    lines += [
        "",
        f"Smallest to largest ratio over {total} cases. Below 1, litlearn is faster.",
        "The page says what each case times: a fit, predictions, or both. In one case of the",
        "forests litlearn uses bins, as scikit-learn-intelex always does and scikit-learn never.",
        f"Measured from {when} with {threads} threads on",
        f"{machine['cores']} processors ({machine['processor']}).",
        "",
        "Where litlearn loses:",
        "",
        f"- **The fastest peer** is faster in {behind} of the {total} cases.",
        *predictions_alone(families),
        f"- **scikit-learn** is faster in {names}.",
        f"- **Memory** beyond the data is {span(memory)} times scikit-learn's. Several classes",
        "  are left out, because scikit-learn's own processes were not measured there.",
        *in_chunks(),
    ]
    return "\n".join(lines) + "\n"


def predictions_alone(families):
    """A line for each case in which predictions that are timed with the fit are slower alone."""
    lines = []
    for case in [case for one in families for case in one["cases"]]:
        records = finished(case)
        ours = records.pop(next(name for name, one in records.items() if one["ours"]))
        if case["group"] == "Fit and predictions of machines" and records:
            least = min(records.values(), key=lambda one: one["query"])
            ratio = ours["query"] / least["query"]
            if ratio > 1:
                lines += [
                    f"- **Predictions** of `{case['name']}`, without the fit, take",
                    f"  {ratio:.2f} times as long as with {least['label']}.",
                ]
    return lines


def in_chunks():
    """The line on arrays of Dask, if they were measured."""
    if not CHUNKS.exists():
        return []
    measured = json.loads(CHUNKS.read_text(encoding="utf-8"))
    fits = measured["fits"]
    most = max(fit["rows"] for fit in fits)
    fits = [fit for fit in fits if fit["rows"] == most]
    step, memory = (
        [fit[kind] / fit[f"{kind}_steps"] for fit in fits] for kind in ("held", "memory")
    )
    steps = [a / b for a, b in zip(step, memory, strict=True)]
    reading = [fit["seconds"] / fit["steps"] / fit["reading"] for fit in fits if fit["steps"] == 1]
    return [
        f"- **Arrays of Dask** on two processes: a step with {fits[0]['held_rows']:,} rows takes",
        f"  {span(steps)} times as long as in one memory, and a fit of one pass",
        f"  {span(reading)} times as long as Dask takes to read the same files, which are in the",
        f"  system's memory, and to add up their columns (measured on {measured['date']}).",
    ]


def main():
    text = README.read_text(encoding="utf-8")
    before, rest = text.split(START)
    after = rest.split(END)[1]
    README.write_text(before + START + table(committed()) + END + after, encoding="utf-8")
    print("README.md has the table of", RESULTS.relative_to(ROOT).as_posix())


if __name__ == "__main__":
    main()
