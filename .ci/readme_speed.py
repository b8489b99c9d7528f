"""Write the table of README.md from the committed results of the benchmarks.

``make bench`` runs this when it is done; by hand: ``python .ci/readme_speed.py``.
"""

import json
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
README = ROOT / "README.md"
RESULTS = ROOT / "benchmarks" / "results" / "knn.json"
START = "<!-- The lines from here to the end mark are written by .ci/readme_speed.py -->\n"
END = "<!-- end -->\n"


def finished(case):
    """Records of a case by peer, litlearn's own under its name."""
    return {one["adapter"]: one for one in case["results"] if one["error"] is None}


def span(values):
    return f"{min(values):.2f} to {max(values):.2f}"


def table(results):
    """The lines between the marks, as one string."""
    groups, slower, behind, total = {}, [], 0, 0
    for case in results["cases"]:
        records = finished(case)
        ours = records.pop("litlearn")
        if not records:
            continue
        fastest = min(records.values(), key=lambda one: one["seconds"])
        row = groups.setdefault(case["group"], {"sklearn": [], "fastest": [], "memory": []})
        row["fastest"].append(ours["seconds"] / fastest["seconds"])
        total += 1
        behind += row["fastest"][-1] > 1
        if "sklearn" in records:
            row["sklearn"].append(ours["seconds"] / records["sklearn"]["seconds"])
            row["memory"].append(ours["memory"] / records["sklearn"]["memory"])
            if row["sklearn"][-1] > 1:
                slower.append(f"`{case['name']}`")
    lines = ["| litlearn's share of | scikit-learn's time | the fastest peer's time |", "|-|-|-|"]
    lines += [
        f"| {name} | {span(row['sklearn'])} | {span(row['fastest'])} |"
        for name, row in groups.items()
    ]
    machine = results["machine"]
    names = ", ".join(slower) if slower else "none of them"
    memory = [share for row in groups.values() for share in row["memory"]]
    lines += [
        "",
        f"Smallest to largest ratio over {total} cases, build and query together.",
        f"Below 1, litlearn is faster. Measured on {results['date']} with {results['threads']}",
        f"threads on {machine['cores']} processors ({machine['processor']}).",
        "",
        "Where litlearn loses:",
        "",
        f"- **The fastest peer** is faster in {behind} of the {total} cases.",
        f"- **scikit-learn** is faster in {names}.",
        f"- **Memory** beyond the data is {span(memory)} times scikit-learn's.",
    ]
    return "\n".join(lines) + "\n"


def main():
    text = README.read_text(encoding="utf-8")
    before, rest = text.split(START)
    after = rest.split(END)[1]
    results = json.loads(RESULTS.read_text(encoding="utf-8"))
    README.write_text(before + START + table(results) + END + after, encoding="utf-8")
    print("README.md has the table of", RESULTS.relative_to(ROOT).as_posix())


if __name__ == "__main__":
    main()
