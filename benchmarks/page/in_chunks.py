"""Data in chunks, and what more machines would bring."""

from benchmarks.page.cases import count, read, table
from litlearn._core.chunked import TOGETHER

READ = "Method | Rows | GB | Reading, s | Fit, s | Passes | A pass / reading | Peak, MB | "
READ += "`partial_fit` / ours"
HELD = "Method | Rows | In memory, a step, ms | In chunks / in memory | Moved, MB | dask-ml / ours"
MACHINES = "Machines | Rows of a chunk | A step, s | Work of each, s | Scheduler, s | Network, s"


def files():
    """Fits to samples in files, against reading them."""
    chunked = read("chunks.json")
    rows = []
    for fit in chunked["fits"]:
        size = 8e-9 * chunked["features"] * fit["rows"]
        ratio = fit["seconds"] / fit["steps"] / fit["reading"]
        cells = [fit["name"], count(fit["rows"]), f"{size:.2f}", f"{fit['reading']:.2f}"]
        cells += [f"{fit['seconds']:.2f}", f"{fit['steps']}", f"{ratio:.2f}"]
        cells += [f"{fit['worker_peak'] / 1e6:.0f}"]
        cells += [f"{fit['partial'] / fit['seconds']:.1f}" if "partial" in fit else "·"]
        rows.append(cells)
    most = max(fit["rows"] for fit in chunked["fits"])
    times = [fit["reading"] for fit in chunked["fits"] if fit["rows"] == most]
    told = (
        f"The same reading of {count(most)} rows took {min(times):.2f} to {max(times):.2f} s for "
        "the different methods. Their ratios can differ by as much without a difference between "
        "the fits."
    )
    return "\n".join([*table(READ, rows, "l" + 8 * "r"), "", told])


def held():
    """A step in chunks that stay in memory, against the same step in one memory."""
    chunked = read("chunks.json")
    rows = []
    for fit in chunked["fits"]:
        memory = fit["memory"] / fit["memory_steps"]
        ratio = fit["held"] / fit["held_steps"] / memory
        cells = [fit["name"], count(fit["held_rows"]), f"{1000 * memory:.0f}", f"{ratio:.2f}"]
        cells += [f"{fit['held_moved'] / 1e6:.2f}"]
        cells += [f"{fit['peer'] / fit['held']:.1f}" if "peer" in fit else "·"]
        rows.append(cells)
    lines = table(HELD, rows, "lrrrrr")
    failed = {fit["name"]: fit["peer_error"] for fit in chunked["fits"] if "peer_error" in fit}
    scored = {fit["name"] for fit in chunked["fits"] if fit.get("peer_quality") is not None}
    if scored:
        told = f"The answers of dask-ml were scored for {' and '.join(sorted(scored))} only."
        lines += ["", told]
    lines += ["", *(f"dask-ml's {name} failed: {error}." for name, error in failed.items())]
    same = next(one for one in chunked["traffic"] if one["name"] == "LogisticRegression")
    sizes = [count(one["rows"]) for one in same["fits"]]
    sent = [f"{one['moved'] / 1e6:.2f}" for one in same["fits"]]
    told = f"With {same['chunks']} chunks, a fit of LogisticRegression to {', '.join(sizes[:-1])} "
    told += f"and {sizes[-1]} rows moved {', '.join(sent[:-1])} and {sent[-1]} MB."
    return "\n".join([*lines, "", told])


def more_machines():
    """The seconds of a step of logistic regression on many machines: arithmetic."""
    chunked = read("chunks.json")
    costs, simulated = chunked["costs"], chunked["simulated"]["LogisticRegression"]
    rows = []
    for one in simulated:
        cells = [count(one["machines"]), count(one["rows_of_chunk"]), f"{one['seconds']:.3g}"]
        cells += [f"{one['work']:.3g}", f"{one['scheduler']:.3g}", f"{one['network']:.2g}"]
        rows.append(cells)
    fits = [fit for fit in chunked["fits"] if fit["name"] == "LogisticRegression"]
    fit = max(fits, key=lambda fit: fit["held_rows"])
    told = (
        f"Measured: {1000 * costs['task']:.1f} ms for a task, {1000 * costs['merge']:.1f} ms for a "
        f"merge, {1000 * costs['broadcast']:.1f} ms to send the parameters. Assumed: two processes "
        f"a machine, a network of {8e-9 * costs['bandwidth']:.0f} Gbit/s, a task for each chunk, a "
        f"merge for every {TOGETHER} tasks, and for the parameters the measured time, once more "
        f"whenever the number of machines doubles. {limit(simulated)}For "
        f"{count(fit['held_rows'])} rows, and the two processes of this machine, which make two "
        f"tasks each, the same arithmetic gives {1000 * expected(fit, costs):.0f} ms a step. "
        f"Measured were {1000 * fit['held'] / fit['held_steps']:.0f} ms."
    )
    return "\n".join([*table(MACHINES, rows, 6 * "r"), "", told])


def expected(fit, costs):
    """The seconds of a step on this machine by the same arithmetic."""
    tasks = 2 * 2  # two for each of the two processes
    work = fit["memory"] / fit["memory_steps"]
    scheduler = tasks * (costs["task"] + costs["merge"] / TOGETHER)
    return max(work, scheduler) + costs["merge"] + costs["broadcast"]


def limit(simulated):
    """Where the scheduler begins to take longer than the work, and the chunks a process."""
    below = [one["machines"] for one in simulated if one["work"] >= one["scheduler"]]
    above = [one["machines"] for one in simulated if one["work"] < one["scheduler"]]
    chunks = {10**9 // (2 * one["machines"] * one["rows_of_chunk"]) for one in simulated}
    told = f"The best number of chunks a process is {' or '.join(map(str, sorted(chunks)))}. "
    many = simulated[-1]
    fan_ins = many["scheduler_by_fan_in"]
    told += f"With {many['machines']} machines, and {' or '.join(fan_ins)} sums in a merge, the "
    told += f"scheduler takes {' or '.join(f'{s:.1f}' for s in fan_ins.values())} s. "
    if below and above:
        told += f"With {max(below)} machines the work takes longer than the scheduler, with "
        told += f"{min(above)} the scheduler takes longer. "
    return told
