"""The outcome as plain text."""

from benchmarks import floors

COLUMNS = (
    ("case", "<28"),
    ("implementation", "<26"),
    ("seconds", ">8"),
    ("build", ">8"),
    ("ratio", ">6"),
    ("memory MB", ">9"),
    ("first s", ">8"),
    ("right", ">6"),
    ("of floor", ">8"),
)


EXPLANATION = """\
seconds   build plus query, the best of the rounds
ratio     time of litlearn over the time of this implementation: below 1, litlearn is faster
memory    peak beyond what the import and the data take
first s   the first call in a new process, on small data
right     quality of the answer, 1 is perfect: what is judged, the family's module says
of floor  time over the floor: the least that this machine needs to read or compute what it must"""


def line(cells):
    """One row, every cell padded to its column's width."""
    return "  ".join(
        f"{cell:{width}}" for cell, (_, width) in zip(cells, COLUMNS, strict=True)
    ).rstrip()


def header():
    """The two lines above the rows, and what the columns say."""
    names = line([name for name, _ in COLUMNS])
    return "\n".join([EXPLANATION, "", names, "-" * len(names)])


def mark(case):
    """A verdict on a case in words."""
    if case["ratio"] is None:
        return "no comparison"
    verdict = f"{case['ratio']:.2f} of {case['fastest']}"
    verdict += ", SLOWER than the fastest peer" if case["ratio"] > 1 else ""
    if case["aim_met"] is not None:
        of = f" of {case['aim_peer']} ({case['aim_ratio']:.2f})" if case["aim_peer"] else ""
        verdict += f", aim {case['aim']:g}{of} {'met' if case['aim_met'] else 'MISSED'}"
    return verdict


def rows(case):
    """The rows of one case: its implementations from fast to slow, the floor, and the verdict."""
    lines = []
    done = [record for record in case["results"] if record["error"] is None]
    for record in sorted(done, key=lambda record: record["seconds"]):
        memory = record["memory"]
        ratio = record["ratio"]
        cells = ["", ("* " if record["ours"] else "  ") + record["label"]]
        cells += [f"{record['seconds']:.3f}", f"{record['build']:.3f}"]
        cells += ["-" if ratio is None else f"{ratio:.2f}"]
        cells += ["-" if memory is None else f"{memory / 1e6:.0f}", f"{record['first_call']:.3f}"]
        cells += [f"{record['quality']['right']:.3f}"]
        cells += [f"{record['seconds'] / case['floor']['seconds']:.1f}"]
        lines.append(line(cells))
    floor = f"  floor: {case['floor']['label']}"
    lines.append(line(["", floor, f"{case['floor']['seconds']:.3g}"] + [""] * 6))
    for record in case["results"]:
        if record["error"] is not None:
            lines.append(f"  {record['label']} failed: {record['error']}")
    for name, reason in case["skipped"].items():
        lines.append(f"  {name} skipped: {reason}")
    return "\n".join([f"{case['name']}: {mark(case)}", *lines])


def closing(result):
    """Cases that were won, and aims met; a second line where other work disturbed the times."""
    ratios = [case["ratio"] for case in result["cases"] if case["ratio"] is not None]
    aims = [case["aim_met"] for case in result["cases"] if case["aim_met"] is not None]
    faster = sum(ratio <= 1 for ratio in ratios)
    told = (
        f"{result['family']}: at least as fast as the fastest peer in {faster} of {len(ratios)} "
        f"cases, aim met in {sum(aims)} of {len(aims)}; {result['seconds']:.0f} s in all."
    )
    before, after = result["rates"], result["rates_after"]
    if changed := floors.disturbed(before, after):
        rates = ", ".join(f"{n} {before[n] / 1e9:.0f} and {after[n] / 1e9:.0f}" for n in changed)
        told += (
            f"\nMeasure again: this machine's rates changed, before and after in 10^9/s: {rates}."
        )
    return told
