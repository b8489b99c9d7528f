"""Small fits, and how cost grows with the sizes of the data."""

from statistics import median

from benchmarks import growth, small_fits
from benchmarks.page.cases import count, folded, read, signed, table

SMALL = "Fit, ours, µs | scikit-learn, µs | Ratio | One row, ours, µs | scikit-learn, µs | Ratio"
COUNTS = "Exponents | As derived, ours | scikit-learn's | Ours smaller | scikit-learn's smaller"


def small():
    """Fits to 200 samples of five features, and answers about one row."""
    told_of = read("small_fits.json")
    rows = []
    for row in told_of["rows"]:
        words = filter(None, [row["name"], *row["settings"].split(", ")])
        cells = [", ".join(word if " " in word else f"`{word}`" for word in words)]
        for times in (row["fit"], row["answer"]):
            cells += [count(round(one)) for one in times]
            cells.append(f"{small_fits.ratio(times):.2f}")
        rows.append(cells)
    told = [
        slow_ones(told_of["rows"], key, what)
        for key, what in (("fit", "fits"), ("answer", "answers about one row"))
    ]
    ends = [row["excess"] for row in told_of["rows"] if row["excess"]]
    ours, theirs = (f"{max(one):.1g}" for one in zip(*ends, strict=True))
    told.append(f"In {len(ends)} rows we computed what is minimised at both fits. It exceeds the")
    told.append(f"lower of the two values by a share of at most {ours} at ours, {theirs} at")
    told.append(f"scikit-learn's. Measured on {told_of['date']}.")
    return "\n".join([*table(f"Estimator | {SMALL}", rows, "lrrrrrr"), "", *told])


def slow_ones(rows, key, what):
    """How many calls take longer than scikit-learn's by more than the limit, and which."""
    why = small_fits.SLOWER if key == "fit" else {}
    slow = [row["name"] for row in small_fits.slower(rows, key)]
    names = [f"`{name}` ({why[name]})" if name in why else f"`{name}`" for name in slow]
    middle = median(small_fits.ratio(row[key]) for row in rows)
    return (
        f"Of {len(rows)} {what}, {len(slow)} took more than {small_fits.LIMIT} times as long as "
        f"scikit-learn's{': ' * bool(slow)}{', '.join(names)}. The median of the ratios is "
        f"{middle:.2f}."
    )


def exponents():
    """How many exponents are as derived, and how many are smaller than the other's."""
    grown = read("growth.json")
    lines = []
    for over in "npkq":
        rows = [row for row in grown["rows"] if row["over"] == over]
        counts = [len(rows)]
        for side in (0, 1):
            agreed = (growth.agrees(row["exponents"][side], row["derived"]) for row in rows)
            counts.append(sum(agreed))
        gaps = [row["exponents"][0] - row["exponents"][1] for row in rows]
        counts += [sum(gap < -growth.MARGIN for gap in gaps), len(growth.named(rows))]
        lines.append([f"${over}$", *map(str, counts)])
    told = (
        "An exponent counts *as derived* if it differs from the derived one, or from the nearest "
        f"end of the range, by at most {growth.MARGIN}, and as *smaller* if it is smaller by more "
        "than that. When times vary by some percent, slopes through three of them vary by up to a "
        "tenth, and more on a machine that has other work to do. Measured on "
        f"{grown['date']}."
    )
    return "\n".join([*table(f"Over | {COUNTS}", lines, "lrrrrr"), "", told])


def smaller_exponents():
    """The exponents that are smaller for scikit-learn, with reasons; and all of them, folded."""
    rows = read("growth.json")["rows"]
    named, groups = growth.named(rows), {}
    for row in named:
        ours, theirs = (signed(f"{one:.2f}") for one in row["exponents"])
        told = called(row, f", {theirs} and {ours}")
        groups.setdefault(growth.reason(row) or "we know no reason", []).append(told)
    slow = [row for row in named if growth.small_fits.ratio(row["seconds"][-1]) > 1.0]
    names = ", ".join(map(called, slow))
    told = (
        f"Of {len(rows)} exponents, scikit-learn's is smaller than ours by more than "
        f"{growth.MARGIN} in {len(named)} cases. At the largest size ours takes longer than "
        f"scikit-learn's in {len(slow)} of them{': ' * bool(slow)}{names}. The reasons in the list "
        "are read off from the programs, and were not measured one by one. The exponent of "
        "scikit-learn stands first, then ours."
    )
    lines = [f"- {why[0].upper()}{why[1:]}: {'; '.join(found)}." for why, found in groups.items()]
    return "\n".join([told, "", *lines, *folded("All exponents", every_exponent(rows))])


def called(row, more=""):
    """Estimator, call and size of an exponent, and more."""
    return f"{growth.title(row)} ({row['call']} over ${row['over']}${more})"


def every_exponent(rows):
    """A table with a row for each call, and a column for each size."""
    found = {}
    for row in rows:
        ours, theirs = (signed(f"{one:.2f}") for one in row["exponents"])
        cells = found.setdefault((growth.title(row), row["call"]), {})
        cells[row["over"]] = f"{growth.told(row['derived'])}: {ours}, {theirs}"
    lines = [[*key, *(cells.get(over, "") for over in "npkq")] for key, cells in found.items()]
    told = "Each cell has the derived exponent, then the measured ones, ours and scikit-learn's."
    return [told, "", *table("Estimator | Call | $n$ | $p$ | $k$ | $q$", lines, "llrrrr")]


def speed_ups():
    """What more threads bring to both."""
    grown = read("growth.json")
    many = sorted({row["threads"] for row in grown["threads"]})
    if not many:
        return "It was measured with a single processor, so that there is nothing to compare."
    speeds = {}
    for row in grown["threads"]:
        where = growth.title(row), row["call"], count(row["n"])
        speeds.setdefault(where, []).extend(growth.speed_up(row))
    rows = [[*where, *(f"{one:.2f}" for one in found)] for where, found in speeds.items()]
    ours, theirs = zip(*(found[-2:] for found in speeds.values()), strict=True)
    larger = sum(mine > other for mine, other in zip(ours, theirs, strict=True))
    told = (
        f"With {many[-1]} threads the median of the speed-ups is {median(ours):.2f} for ours and "
        f"{median(theirs):.2f} for scikit-learn's. Ours is the larger one in {larger} of "
        f"{len(ours)} rows."
    )
    heads = [f"Ours, {threads} | scikit-learn's, {threads}" for threads in many]
    head = " | ".join(["Estimator", "Call", "$n$", *heads])
    lines = table(head, rows, "llr" + 2 * len(many) * "r")
    return "\n".join([told, "", *folded("All speed-ups, by the number of threads", lines)])
