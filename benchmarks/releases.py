"""How fast each release was: the course of every family over the versions.

    python -m benchmarks.releases          # keep the committed results as those of this version

A file of ``releases/`` holds what ``results/`` said when a version was tagged, cut down to the
times of litlearn and of its fastest peer. The page *Performance* compares the versions by the share
of the fastest peer's time, which depends less on the machine than seconds do, in the cases that
both versions have.
"""

import argparse
import json
import math
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results"
KEPT = ROOT / "benchmarks" / "releases"
CHANGED = 1.1  # times as long: two measurements of one program differ by less, mostly
SHOWN = 5  # versions side by side on the page


def best(case, chosen):
    """The label and the seconds of the fastest implementation that `chosen` takes, or None."""
    done = [one for one in case["results"] if one["error"] is None and chosen(one)]
    one = min(done, key=lambda one: one["seconds"], default=None)
    return None if one is None else [one["label"], float(f"{one['seconds']:.4g}")]


def summary(results, version):
    """What is kept of the results of all families."""
    families = {}
    for result in results:
        cases = {}
        for case in result["cases"]:
            ours, peer = (
                best(case, lambda one: one["ours"]),
                best(case, lambda one: not one["ours"]),
            )
            if ours and peer:
                about = {"group": case["group"], "seconds": ours[1], "peer": peer}
                cases[case["name"]] = about
        machine = {key: result["machine"][key] for key in ("processor", "cores", "python")}
        about = {"date": result["date"], "threads": result["threads"], "machine": machine}
        families[result["family"]] = about | {"cases": cases}
    return {"version": version, "families": families}


def committed(folder=RESULTS):
    """The results of all families, complete runs only."""
    files = [file for file in sorted(folder.glob("*.json")) if not file.stem.endswith("-partial")]
    return [json.loads(file.read_text("utf-8")) for file in files]


def number(version):
    """A version as something to sort by."""
    return [int(part) for part in re.findall(r"\d+", version)]


def kept(folder=KEPT):
    """What was kept of each version, the earliest first."""
    found = [json.loads(file.read_text("utf-8")) for file in folder.glob("*.json")]
    return sorted(found, key=lambda one: number(one["version"]))


def cases_of(release):
    """(family, name) -> case, of one version."""
    families = release["families"].items()
    return {(family, name): case for family, one in families for name, case in one["cases"].items()}


def share(case):
    """litlearn's time as a share of the fastest peer's."""
    return case["seconds"] / case["peer"][1]


def mean(shares):
    """The geometric mean: of 2 and 1/2 it is 1."""
    return math.exp(sum(map(math.log, shares)) / len(shares))


def course(releases):
    """The table: a group of cases a row, a version a column.

    A cell has the mean share of the fastest peer's time, and how many cases are lost. Behind each
    but the first version stands the factor by which the share changed in the cases that it has in
    common with the one before.
    """
    shown = releases[-SHOWN:]  # the earlier ones stand in their files
    tables = [cases_of(one) for one in shown]
    # The order of the groups is that of the last version; those that it no longer has come last.
    groups = dict.fromkeys(
        (key[0], case["group"]) for table in reversed(tables) for key, case in table.items()
    )
    lines = ["| Cases | " + " | ".join(one["version"] for one in shown) + " |"]
    lines.append("|:-|" + "-:|" * len(shown))
    for family, group in groups:
        cells, before = [], {}
        for table in tables:
            now = {
                key: share(case)
                for key, case in table.items()
                if (key[0], case["group"]) == (family, group)
            }
            cells.append(cell(now, before))
            before = now
        lines.append(f"| {group} | {' | '.join(cells)} |")
    return lines


def cell(now, before):
    """What the table says of a group of cases in one version, given the one before."""
    if not now:
        return "·"
    lost, common = sum(one > 1 for one in now.values()), now.keys() & before.keys()
    text = f"{mean(now.values()):.2f}"
    if common:
        text += f" (× {mean([now[key] / before[key] for key in sorted(common)]):.2f})"
    return text + (f", {lost} of {len(now)} lost" if lost else "")


def turned(releases):
    """The lines on single cases: what changed from the last version but one to the last."""
    if len(releases) < 2:
        return []
    before, now = (cases_of(one) for one in releases[-2:])
    names = [one["version"] for one in releases[-2:]]
    shares = {key: (share(before[key]), share(now[key])) for key in now if key in before}
    factors = {key: new / old for key, (old, new) in shares.items()}
    up = sum(factor > CHANGED for factor in factors.values())
    down = sum(factor < 1 / CHANGED for factor in factors.values())
    lines = [
        f"{names[0]} and {names[1]} have {len(factors)} cases in common. The ratio rose by more "
        f"than a tenth in {up} of them, and fell by as much in {down}."
    ]
    worse = [key for key, (old, new) in shares.items() if factors[key] > CHANGED or old <= 1 < new]
    if worse:
        lines += ["", f"Cases whose ratio rose by a tenth, or beyond 1, since {names[0]}:", ""]
    for key in sorted(worse, key=factors.get, reverse=True):
        old, new = before[key], now[key]
        lines.append(
            f"- {new['group']}, `{key[1]}`: from {shares[key][0]:.2f} of {old['peer'][0]} to "
            f"{shares[key][1]:.2f} of {new['peer'][0]}; from {old['seconds']:.3g} s to "
            f"{new['seconds']:.3g} s"
        )
    lost = sorted(f"`{key[1]}`" for key in before if key not in now)
    if lost:
        lines += ["", f"No longer measured: {', '.join(lost)}."]
    settings = {
        json.dumps([one["machine"], one["threads"]], sort_keys=True)
        for release in releases[-2:]
        for one in release["families"].values()
    }
    if len(settings) > 1:
        lines += ["", "Machine, Python or number of threads were not the same in all of them."]
    return lines


def told(releases):
    """What the page shows, as Markdown."""
    if not releases:
        return "No version has been released."
    if len(releases) == 1:
        first = (
            f"So far there is one version, {releases[0]['version']}. Later ones will stand beside "
            "it, each with the factor by which the ratio changed, and with a list of the cases "
            "in which it rose."
        )
    else:
        first = (
            "In brackets stands the factor by which the ratio changed since the version before, "
            "over the cases that both have. Below 1, litlearn gained on the fastest peer."
        )
    return "\n".join([first, "", *course(releases), "", *turned(releases)])


def main(arguments=None):
    sys.path.insert(0, str(ROOT / "src"))
    import litlearn

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--folder", type=Path, default=KEPT)
    options = parser.parse_args(arguments)
    version = litlearn.__version__
    if not re.fullmatch(r"\d+\.\d+\.\d+", version):
        parser.error(f"{version} is no release: set __version__ first")
    options.folder.mkdir(exist_ok=True)
    file = options.folder / f"{version}.json"
    found = summary(committed(options.results), version)
    file.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    print(f"{file.name} has {len(cases_of(found))} cases of {len(found['families'])} families")
    return 0


if __name__ == "__main__":
    sys.exit(main())
