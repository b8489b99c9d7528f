"""Memory, first calls, and the distance from the floor."""

from statistics import median

from benchmarks import floors
from benchmarks.page.cases import compared, done, megabytes, own, peers, seconds, table, where

HEAD = "Case | Memory, MB | without first call, MB | First call, s | Time / floor"


def costs(results):
    """Table of memory, first calls and multiples of the floor, and what has to be said of them."""
    cases = compared(results)
    rows = []
    for case in cases:
        mine, fastest = own(case), done(case)[case["fastest"]]
        cells = [where(case)]
        for kind in ("memory", "working_memory"):
            known = [one[kind] for one in peers(case) if one[kind] is not None]
            cells.append(f"{megabytes(mine[kind])} ({megabytes(min(known, default=None))})")
        cells.append(f"{seconds(mine['first_call'])} ({seconds(fastest['first_call'])})")
        cells.append(f"{case['floor_ratio']:.1f}")
        rows.append(cells)
    told = [
        f"{where(case)}: the first call took {call:.1f} s, where the median of its group is "
        f"{usual:.1f} s. Its code may have been compiled there."
        for call, usual, case in late(cases)
    ]
    return "\n".join([*table(HEAD, rows), "", *told, "", rates(results), "", *beyond(cases)])


def late(cases):
    """Cases whose first call took five times as long as is usual in their group."""
    groups = {}
    for case in cases:
        if case["group"] != "Lasso":  # some of its data are fitted whole in the first call
            groups.setdefault(case["group"], []).append((own(case)["first_call"], case))
    for calls in groups.values():
        usual = median(call for call, _ in calls)
        yield from ((call, usual, case) for call, case in calls if call > 5 * usual)


def rates(results):
    """What the machine reads and computes in a second: the median of all families."""
    names = ("bandwidth", "float64", "float32")
    found = [median(one["rates"][name] for one in results) / 1e9 for name in names]
    return (
        f"The machine reads {found[0]:.0f} GB a second from memory, and computes {found[1]:.0f} "
        f"billion products of two numbers a second in float64 and {found[2]:.0f} billion in "
        f"float32, in the median of the {len(results)} families."
    )


def beyond(cases):
    """Why cases are beyond five times their floor, with their groups and the largest ratios."""
    far = {}
    for case in cases:
        if case["floor_ratio"] > floors.FAR:
            groups = far.setdefault(floors.explained(case), {})
            groups[case["group"]] = max(groups.get(case["group"], 0), case["floor_ratio"])
    for why, groups in far.items():
        names = ", ".join(f"*{name}* (up to {most:.0f} times)" for name, most in groups.items())
        yield f"- {names}: {why}"


def memory(results):
    """In how many cases some peer needs less memory, with the first call and without it."""
    cases = compared(one for one in results if one["family"] != "multiclass")
    more = [larger(case, "memory") for case in cases]
    later = [case for case in cases if case["facts"]["n"] > 1000]
    after = [larger(case, "working_memory") for case in later]
    load = [own(case)["first_call_memory"] for case in later if own(case)["first_call_memory"]]
    span = "unknown"
    if load:
        span = f"{megabytes(min(load))} to {megabytes(max(load))} MB, in the median "
        span += f"{megabytes(median(load))} MB"
    most = max(after)
    return (
        f"- With the first call: {sum(one > 0 for one in more)} of {len(cases)}.\n"
        f"- Without the first call: {sum(one > 0 for one in after)} of {len(later)}, by up to "
        f"{megabytes(most)} MB ({where(later[after.index(most)])}). In the {len(later)} cases, the "
        f"first call of litlearn takes {span}."
    )


def larger(case, kind):
    """How many bytes more litlearn takes than the most frugal peer; 0 if none is known."""
    least = min((one[kind] for one in peers(case) if one[kind] is not None), default=None)
    return 0 if least is None else own(case)[kind] - least
