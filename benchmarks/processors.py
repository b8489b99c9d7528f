"""How fast litlearn is on another processor: the same cases, measured there.

    python -m benchmarks.processors amd-epyc    # keep the committed results as those of that one

Which library is fastest depends on the processor: each is compiled for some kinds of vector
instructions, and multiplies matrices with a library that its makers have tuned for some. A file of
``processors/`` is cut down as those of ``releases/`` are. The page *Performance* compares it with
the committed results, in the cases that both have.
"""

import argparse
import json
import re
from pathlib import Path

from benchmarks import releases

KEPT = Path(__file__).with_name("processors")


def kept(folder=KEPT):
    """What was kept of each processor, in the order of their names."""
    return [json.loads(file.read_text("utf-8")) for file in sorted(folder.glob("*.json"))]


def name(summary):
    """The processors of a summary, as the system calls them."""
    found = {one["machine"]["processor"] for one in summary["families"].values()}
    return ", ".join(sorted(re.sub(r"\((R|TM)\)", "", one) for one in found))


def side_by_side(here, there):
    """The table: a group of cases a row, the two processors as columns."""
    tables = releases.cases_of(here), releases.cases_of(there)
    groups = {}
    for key in tables[0].keys() & tables[1].keys():
        groups.setdefault((key[0], tables[0][key]["group"]), []).append(key)
    order = dict.fromkeys((key[0], case["group"]) for key, case in tables[0].items())
    lines = [f"| Cases | {name(here)} | {name(there)} |", "|:-|-:|-:|"]
    for pair in (one for one in order if one in groups):
        shares = [{key: releases.share(table[key]) for key in groups[pair]} for table in tables]
        cells = [releases.cell(one, {}) for one in shares]
        lines.append(f"| {pair[1]} | {' | '.join(cells)} |")
    return lines


def changed_sides(here, there):
    """Cases that are lost on one processor and not on the other, with both ratios."""
    tables = releases.cases_of(here), releases.cases_of(there)
    for key, case in tables[0].items():
        if key not in tables[1]:
            continue
        shares = [releases.share(table[key]) for table in tables]
        if (shares[0] > 1) != (shares[1] > 1):
            peers = [table[key]["peer"][0] for table in tables]
            yield (
                f"- {case['group']}, `{key[1]}`: {shares[0]:.2f} of {peers[0]} on the first, "
                f"{shares[1]:.2f} of {peers[1]} on the second"
            )


def told(here, others):
    """What the page shows, as Markdown."""
    if not others:
        return "The cases were measured on no other processor."
    lines = []
    for there in others:
        sides = list(changed_sides(here, there))
        of_both = releases.cases_of(here).keys() & releases.cases_of(there).keys()
        dates = sorted({one["date"] for one in there["families"].values()})
        when = dates[0] if len(dates) == 1 else f"{dates[0]} to {dates[-1]}"
        lines += ["", *side_by_side(here, there), ""]
        lines.append(
            f"Both have {len(of_both)} cases. The second was measured on {when}, with litlearn at "
            f"{there['version']}. On one of the two alone a peer is faster in {len(sides)} cases:"
        )
        lines += ["", "````{dropdown} Cases that change sides", *sides, "````"]
    return "\n".join(lines)


def main(arguments=None):
    """Keep the results of a folder as those of a processor."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("name", help="of the file, for example amd-epyc")
    parser.add_argument("--results", type=Path, default=releases.RESULTS)
    parser.add_argument("--folder", type=Path, default=KEPT)
    options = parser.parse_args(arguments)
    if not re.fullmatch(r"[a-z0-9-]+", options.name):
        parser.error(f"{options.name!r} is no name: use small letters, digits and hyphens")
    results = releases.committed(options.results)
    versions = {one["machine"]["versions"]["litlearn"] for one in results}
    found = releases.summary(results, ", ".join(sorted(versions)))
    options.folder.mkdir(exist_ok=True)
    file = options.folder / f"{options.name}.json"
    file.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    print(f"{file.name} has {len(releases.cases_of(found))} cases, measured on {name(found)}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
