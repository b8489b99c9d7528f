"""Run cases: one process per implementation, rounds interleaved, the best of several rounds kept.

For each case the arrays and the exact answer are made once and written to a temporary folder.
Every implementation is started in a fresh process with the same number of threads; all of them stay
alive, one works at a time, and the rounds go A B C A B C, so that a machine that slows down slows
all of them.
"""

import contextlib
import datetime
import importlib
import importlib.metadata
import importlib.util
import json
import os
import pickle
import platform
import queue
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks import floors

ROOT = Path(__file__).resolve().parents[1]
SCHEMA = 2
THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMBA_NUM_THREADS",
)
# An implementation this many times slower than the fastest stops after its first round, or after
# its second one. A first round took up to four times as long as later ones, so that one eight times
# as long is not that of the fastest.
HOPELESS = (8.0, 3.0)
PACKAGES = (
    "litlearn",
    "numpy",
    "scipy",
    "numba",
    "scikit-learn",
    "scikit-learn-intelex",
    "mapie",
    "quantile-forest",
    "statsmodels",
    "ydf",
    "snapml",
    "pykdtree",
    "faiss-cpu",
    "celer",
    "skglm",
)


def environment(threads):
    """The environment of a child: as many threads for every library, and this repository."""
    found = dict(os.environ, **dict.fromkeys(THREAD_VARIABLES, str(threads)))
    paths = [str(ROOT), found.get("PYTHONPATH", "")]
    return found | {"PYTHONPATH": os.pathsep.join(path for path in paths if path)}


def rates(threads):
    """This machine's rates, see ``floors.py``, measured in a child with so many threads."""
    command = [sys.executable, "-m", "benchmarks.floors", str(threads)]
    return json.loads(subprocess.check_output(command, env=environment(threads), text=True))


class Child:
    """A worker process and its pipe.

    Parameters
    ----------
    module, size, case, adapter : str
        Where the worker finds its work; see ``worker.py``.
    threads : int
        Threads of every library in the child.
    folder : path
        Folder with the arrays.
    """

    def __init__(self, module, size, case, adapter, threads, folder):
        command = [sys.executable, "-m", "benchmarks.worker", module, size, case, adapter]
        command += [str(threads), str(folder)]
        self._errors = tempfile.TemporaryFile(mode="w+")  # noqa: SIM115
        self._process = subprocess.Popen(
            command,
            env=environment(threads),
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
        )
        self._lines = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self._process.stdout:
            self._lines.put(line)
        self._lines.put("")

    def receive(self, timeout):
        """The worker's next answer, a dict; with the key "error" if it failed, died or took too
        long."""
        try:
            line = self._lines.get(timeout=timeout)
        except queue.Empty:
            return {"error": f"no answer within {timeout:.0f} s"}
        if line:
            return json.loads(line)
        code = self._process.wait()
        self._errors.seek(0)
        last = self._errors.read().strip().splitlines()[-1:]
        return {"error": " ".join([f"the process ended with code {code}.", *last])}

    def ask(self, command, timeout):
        """Send a command and wait for its answer."""
        try:
            self._process.stdin.write(command + "\n")
            self._process.stdin.flush()
        except OSError:  # the worker has died: its last words are in the pipe
            pass
        return self.receive(timeout)

    def close(self):
        """End the process."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout, self._errors):
            with contextlib.suppress(OSError):
                pipe.close()


def installed(adapter):
    """Whether the library of an adapter is on this machine."""
    return importlib.util.find_spec(adapter.modules[0].partition(".")[0]) is not None


def choose(case, against):
    """The adapters of a case to run, and the reason for each one that is left out.

    Parameters
    ----------
    case : Case
    against : sequence of str or None
        Packages to compare with; None for all.

    Returns
    -------
    adapters : list of Adapter
    skipped : dict of str
        Name of the adapter -> reason.
    """
    adapters, skipped = [], {}
    dtype = case.facts.get("dtype", "float64")
    for adapter in case.adapters:
        if not adapter.ours and against is not None and adapter.package not in against:
            continue
        if not installed(adapter):
            skipped[adapter.name] = "not installed"
        elif dtype not in adapter.dtypes:
            skipped[adapter.name] = f"takes no {dtype}"
        else:
            adapters.append(adapter)
    return adapters, skipped


def whole(answer):
    """The time of build and query together."""
    return answer["build"] + answer["query"]


def measure(children, rounds, budget, timeout):
    """Rounds of one answer from each child in turn.

    Parameters
    ----------
    children : dict of Child
        By name. A child that fails is not asked again.
    rounds : int
        Largest number of rounds.
    budget : float
        After two rounds, no further round begins when this many seconds have passed.
    timeout : float
        Seconds that one answer may take.

    Returns
    -------
    answers : dict of list of dict
    """
    answers = {name: [] for name in children}
    active = list(children)
    start = time.perf_counter()
    for turn in range(rounds):
        if turn >= 2 and time.perf_counter() - start > budget:
            break
        for name in list(active):
            time.sleep(0.05)  # worker threads of the one before stop spinning
            answers[name].append(children[name].ask("run", timeout))
            if "error" in answers[name][-1]:
                active.remove(name)
        best = {name: min(map(whole, answers[name])) for name in active}
        most = HOPELESS[min(turn, 1)] * min(best.values(), default=0.0)
        active = [name for name in active if best[name] <= most]
    return answers


def summarise(adapter, first, answers):
    """The record of one implementation in one case."""
    record = {"adapter": adapter.name, "label": adapter.label, "package": adapter.package}
    record["ours"] = adapter.ours
    errors = [answer["error"] for answer in [first, *answers] if "error" in answer]
    if errors:
        return record | {"error": errors[0]}
    best = min(answers, key=whole)
    total = whole(best)
    return record | {
        "error": None,
        "seconds": total,
        "build": best["build"],
        "query": best["query"],
        "processors": best["cpu"] / total,
        "rounds": [whole(answer) for answer in answers],
        "first_call": whole(first),
        "first_call_memory": first.get("memory"),
        "memory": answers[0].get("memory"),
        "working_memory": answers[0].get("working_memory"),
        "quality": answers[0]["quality"],
    }


def compare(case, records, floor):
    """Ratios of the project to its peers: what a reader looks for first. None where there is
    nothing to compare."""
    done = [record for record in records if record["error"] is None]
    peers = [record for record in done if not record["ours"]]
    own = next((record for record in done if record["ours"]), None)
    keys = ("ratio", "fastest", "memory_ratio", "floor_ratio", "aim_ratio", "aim_met")
    summary = dict.fromkeys(keys)
    for record in done:
        record["ratio"] = own["seconds"] / record["seconds"] if own else None
    if peers:
        summary["fastest"] = min(peers, key=lambda record: record["seconds"])["adapter"]
    if own and peers:
        summary["ratio"] = own["seconds"] / min(record["seconds"] for record in peers)
        named = [record["ratio"] for record in peers if record["adapter"] == case.aim_peer]
        if case.aim is not None and (named or case.aim_peer is None):
            summary["aim_ratio"] = named[0] if named else summary["ratio"]
            summary["aim_met"] = bool(summary["aim_ratio"] <= case.aim)
        if own["memory"] is not None:
            least = min(record["memory"] for record in peers)
            summary["memory_ratio"] = own["memory"] / least if least else None
    if own:
        summary["floor_ratio"] = own["seconds"] / floor["seconds"]
    return summary


def go_first(place, calls, timeout):
    """Some calls of an implementation in a process that is not measured: it fills the cache of
    compiled code."""
    child = Child(*place)
    try:
        if "error" not in child.receive(timeout):
            for call in calls:
                child.ask(call, timeout)
    finally:
        child.close()


def launch(children, name, place):
    """Start the process of an implementation that is measured later."""
    children[name] = Child(*place)


def floor_of(case, data, reference, rates):
    """The floor of a case as it stands in the JSON."""
    found = case.floor(data, reference, case.options)
    time_of = floors.seconds(found, rates, case.facts.get("dtype", "float64"))
    counts = {"bytes": float(found.bytes), "products": float(found.products)}
    return counts | {"seconds": float(time_of), "label": found.label}


def run_case(
    module, size, case, *, rates, against=None, threads, rounds=5, budget=6.0, timeout=300.0
):
    """Measure one case.

    Parameters
    ----------
    module : str
        Full name of the module of the family, which the children import.
    size : {"small", "full"}
    case : Case
        One of that module's ``cases(size)``.
    rates : dict of float
        What this machine reads and computes in a second.
    against : sequence of str or None
        Packages to compare with; None for all that the case names.
    threads : int
        Threads of every implementation.
    rounds : int, default=5
        Largest number of rounds; at least two are run, but of what is hopeless after one.
    budget : float, default=6
        Seconds of the case after which no further round begins.
    timeout : float, default=300
        Seconds that one call may take.

    Returns
    -------
    dict
        The record of the case as it stands in the JSON.
    """
    start = time.perf_counter()
    adapters, skipped = choose(case, against)
    by_name = {adapter.name: adapter for adapter in adapters}
    data = case.make()
    children, waiting = {}, []
    with tempfile.TemporaryDirectory(prefix="benchmarks-") as folder:
        folder = Path(folder)
        np.savez(folder / "data.npz", **data)
        place = (module, size, case.name)
        try:
            # What is not measured is done while the reference is computed.
            with ThreadPoolExecutor(1) as pool, threadpool_limits(1):
                calls = ["first"] + ["warm"] * (len(data["X"]) > case.first_rows)
                for one in adapters:
                    where = (*place, one.name, threads, folder)
                    if one.compiles:
                        waiting.append(pool.submit(go_first, where, calls, timeout))
                    waiting.append(pool.submit(launch, children, one.name, where))
                reference = case.reference(data, case.options)
                floor = floor_of(case, data, reference, rates)
                with open(folder / "reference.pickle", "wb") as file:
                    pickle.dump(reference, file)
                del data, reference
            for one in waiting:
                one.result()  # an error of the harness itself
            first = {name: children[name].receive(timeout) for name in by_name}
            for name in by_name:
                if "error" not in first[name]:
                    first[name] = children[name].ask("first", timeout)
            alive = {name: children[name] for name in by_name if "error" not in first[name]}
            answers = measure(alive, rounds, budget, timeout)
        finally:
            for child in children.values():
                child.close()
    records = [summarise(by_name[name], first[name], answers.get(name, [])) for name in by_name]
    record = {"name": case.name, "group": case.group, "work": case.work, "aim": case.aim}
    record |= {"aim_peer": case.aim_peer, "facts": dict(case.facts), "floor": floor}
    record |= {"skipped": skipped, "took": time.perf_counter() - start, "results": records}
    return record | compare(case, records, floor)


def processor():
    """The processor's name as the system gives it."""
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def commit():
    """The last commit of ``src``, with a plus sign if files there differ; None without git."""
    try:
        log = ["git", "log", "-1", "--format=%h", "--", "src"]
        found = subprocess.run(log, cwd=ROOT, capture_output=True, text=True).stdout.strip()
        diff = ["git", "diff", "--quiet", "HEAD", "--", "src"]
        changed = subprocess.run(diff, cwd=ROOT).returncode
    except OSError:
        return None
    return f"{found}{'+' if changed else ''}" if found else None


def machine():
    """Facts about the machine that explain the numbers, and none that identify it."""
    versions = {}
    for package in PACKAGES:
        try:
            versions[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    if commit():  # the version is that of the last installation, which may be older
        versions["litlearn"] = f"{versions.get('litlearn', '')}, src at {commit()}"
    facts = {"processor": processor(), "cores": os.cpu_count(), "system": platform.system()}
    facts |= {"architecture": platform.machine(), "python": platform.python_version()}
    try:
        facts["memory"] = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        facts["load_before"] = round(os.getloadavg()[0], 2)
    except (AttributeError, OSError, ValueError):
        facts |= {"memory": None, "load_before": None}
    return facts | {"versions": versions}


def run_family(module, *, size="full", only=None, progress=None, **settings):
    """Measure all cases of a family.

    Parameters
    ----------
    module : str
        Full name of the module, for example "benchmarks.knn".
    size : {"small", "full"}, default="full"
    only : callable or None
        ``only(name) -> bool`` selects cases by name.
    progress : callable or None
        Called with the record of each case as it is done.
    **settings
        Passed on to `run_case`.

    Returns
    -------
    dict
        What is written as JSON.
    """
    start = time.perf_counter()
    result = {"schema": SCHEMA, "family": module.rpartition(".")[2], "size": size}
    result |= {"date": datetime.date.today().isoformat(), "threads": settings["threads"]}
    result |= {name: settings[name] for name in ("rounds", "budget") if name in settings}
    result["machine"], result["rates"] = machine(), rates(settings["threads"])
    result["cases"] = []
    for case in importlib.import_module(module).cases(size):
        if only is None or only(case.name):
            result["cases"].append(run_case(module, size, case, rates=result["rates"], **settings))
            if progress is not None:
                progress(result["cases"][-1])
    result["rates_after"] = rates(settings["threads"])
    result["seconds"] = time.perf_counter() - start
    return result
