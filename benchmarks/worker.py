"""One implementation of one case, in a process of its own, driven by lines of JSON.

Started by ``runner.py`` as ``python -m benchmarks.worker <module> <size> <case> <adapter>
<threads> <folder>``. It imports the library, loads the arrays and answers each line of standard
input with one line:

- ``first``: the first call in this process, on the first rows of the data;
- ``warm``: build and query on all of the data;
- ``run``: the same, timed; the output of the first one is judged.
"""

import gc
import importlib
import json
import os
import pickle
import sys
import time
from pathlib import Path

import numpy as np


def memory(reset=False):
    """Resident memory and its peak in bytes, as (now, peak); the peak starts anew if `reset`.

    Without Linux's ``/proc`` the peak is the one of the whole process and cannot be reset, and
    `now` is that same number: differences are then lower bounds. None where neither exists.
    """
    try:
        if reset:
            Path("/proc/self/clear_refs").write_text("5")
        lines = Path("/proc/self/status").read_text().splitlines()
    except OSError:
        try:
            import resource
        except ImportError:  # Windows
            return None
        unit = 1 if sys.platform == "darwin" else 1024
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
        return peak, peak
    fields = dict(line.split(":", 1) for line in lines)
    return tuple(1024 * int(fields[name].split()[0]) for name in ("VmRSS", "VmHWM"))


def load(folder):
    """The case's arrays, from the runner's temporary folder."""
    with np.load(folder / "data.npz") as file:
        return {name: file[name] for name in file.files}


def timed(adapter, data, options, threads):
    """Build and query once; the two times in seconds, the processor time, and the output."""
    gc.collect()
    cpu = time.process_time()
    start = time.perf_counter()
    model = adapter.build(data, options, threads)
    built = time.perf_counter()
    output = adapter.query(model, data, options, threads)
    end = time.perf_counter()
    return {"build": built - start, "query": end - built, "cpu": time.process_time() - cpu}, output


def serve(case, adapter, threads, folder, answer):
    """Answer the runner's commands until its end of the pipe closes."""
    for module in adapter.modules:
        importlib.import_module(module)
    data = load(folder)
    gc.collect()
    base = memory(reset=True)
    answer({"ready": True})
    highest, judged = 0, False
    for line in sys.stdin:
        command = line.strip()
        before = memory(reset=True)
        if command == "first":
            rows = {name: array[: case.first_rows] for name, array in data.items()}
            result, output = timed(adapter, rows, case.options, threads)
        else:
            result, output = timed(adapter, data, case.options, threads)
        # Read before the output is judged: judging takes memory too.
        after = memory()
        if base is not None:
            highest = max(highest, after[1])
            result["memory"] = max(0, highest - base[0])
            result["working_memory"] = max(0, after[1] - before[0])
        if command == "run" and not judged:
            reference = pickle.loads((folder / "reference.pickle").read_bytes())
            quality = case.judge(output, data, reference, case.options)
            result["quality"] = {name: float(value) for name, value in quality.items()}
            judged = True
        del output
        answer(result)


def main(module, size, case_name, adapter_name, threads, folder):
    """Find the case and the implementation by their names, and serve."""
    threads = int(threads)
    # Libraries may print to standard output: the runner's pipe is moved out of their way.
    pipe = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)

    def answer(result):
        pipe.write(json.dumps(result) + "\n")
        pipe.flush()

    if hasattr(os, "sched_setaffinity"):
        # Equal numbers of threads, even for a library that ignores what it is told.
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:threads])
    try:
        case = {case.name: case for case in importlib.import_module(module).cases(size)}[case_name]
        adapter = {adapter.name: adapter for adapter in case.adapters}[adapter_name]
        serve(case, adapter, threads, Path(folder), answer)
    except Exception as error:
        answer({"error": f"{type(error).__name__}: {error}"})


if __name__ == "__main__":
    main(*sys.argv[1:])
