"""Fits of samples in chunks, on a cluster of two processes, and what more machines would bring.

Run as ``python -m benchmarks.chunks [--json benchmarks/chunks.json]``; other than the families it
needs no exact answer, since the fit in memory is one. It measures

- ``fits``: each method to samples on the disk, in chunks: seconds, bytes that were moved between
  the processes, the peak memory of a worker, beside a reading of the same chunks; to a part of
  them, a quarter, that the workers hold; and to this part in memory, with as many threads. Each is
  the better of two fits, as are those of dask-ml, where it is installed and has the method, and of
  scikit-learn's ``partial_fit`` to the files, one after the other;
- ``traffic``: bytes that a fit moves if as many chunks have more rows;
- ``costs``: seconds of a task, of a merge and of a broadcast of parameters, by the scheduler;
- ``simulated``: seconds of a step on 1 to 1,000 machines, computed from these costs.
"""

import argparse
import contextlib
import datetime
import importlib
import importlib.metadata
import importlib.util
import json
import tempfile
import time
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks import runner, worker
from litlearn._core.chunked import TOGETHER

FEATURES, CHUNK = 20, 100_000
SMALLER = (1_000, 10_000, CHUNK)  # rows of a chunk
MACHINES = (1, 2, 10, 100, 1000)
LARGEST = 10_000_000  # rows of a chunk, of 20 features, on more machines: 1.6 GB
FAN_INS = (4, TOGETHER, 64)  # sums that a task merges
BANDWIDTH = 1.25e9  # bytes a second of a network of 10 Gbit/s, which is not measured here
ROUNDS = 2
TASKS = 500  # of which the costs of the scheduler are measured
PART = 4  # of the samples on the disk, one in so many fits into memory

# ---------------------------------------------------------------- data


def write(folder, n):
    """Write `n` samples of two overlapping classes, a file for each chunk."""
    rng = np.random.default_rng(0)
    direction = rng.standard_normal(FEATURES)
    for start in range(0, n, CHUNK):
        X = rng.standard_normal((min(CHUNK, n - start), FEATURES))
        y = X @ direction + 2.0 * rng.logistic(size=len(X)) > 0
        X += np.where(y, 1.0, -1.0)[:, None] * (np.arange(FEATURES) % 3 == 0)
        np.save(folder / f"X{start:010d}.npy", X)
        np.save(folder / f"y{start:010d}.npy", y.astype(np.int64))


def in_chunks(folder, n):
    """The first `n` samples and targets, as arrays of Dask that read their file when needed."""
    import dask.array as da

    starts = range(0, n, CHUNK)
    lengths = [min(CHUNK, n - start) for start in starts]
    X = [
        da.from_delayed(reading(folder / f"X{start:010d}.npy"), (length, FEATURES), float)
        for start, length in zip(starts, lengths, strict=True)
    ]
    y = [
        da.from_delayed(reading(folder / f"y{start:010d}.npy"), (length,), np.int64)
        for start, length in zip(starts, lengths, strict=True)
    ]
    return da.concatenate(X), da.concatenate(y)


def reading(path):
    """A task that reads a file."""
    import dask

    return dask.delayed(np.load, pure=True)(str(path))


def held(client, folder, n, length=CHUNK):
    """As :func:`in_chunks`, of chunks that the workers have read and hold, in turns.

    Of each chunk the first `length` rows. Dask gives a task of reading to whoever is free, so that
    at times one worker would hold two thirds of the chunks, and take as many steps in a row.
    """
    from distributed import wait

    addresses = sorted(client.scheduler_info()["workers"])
    arrays = in_chunks(folder, n)
    numbers = [f"{start:010d}" for start in range(0, n, CHUNK)]
    kept = []
    for array, letter in zip(arrays, "Xy", strict=True):
        name = f"held-{letter}-{time.time_ns()}"
        graph = {}
        for i, number in enumerate(numbers):
            place = addresses[i % len(addresses)]
            path = str(folder / f"{letter}{number}.npy")
            key = (name, i, *(0,) * (array.ndim - 1))
            graph[key] = client.submit(first_rows, path, length, workers=place, pure=False)
        wait(list(graph.values()))
        chunks = (tuple(min(length, rows) for rows in array.chunks[0]), *array.chunks[1:])
        kept.append(type(array)(graph, name, chunks, dtype=array.dtype, meta=array._meta))
    return kept


def first_rows(path, length):
    """The first rows of a file, without the others behind them."""
    return np.load(path)[:length].copy()


# ---------------------------------------------------------------- methods


def made(package, module, name, **options):
    """An estimator of a package."""
    return getattr(importlib.import_module(f"{package}.{module}"), name)(**options)


STARTS = np.random.default_rng(1).standard_normal((8, FEATURES))
# Name, module, estimator, options, whether it has targets, steps (None: one pass).
METHODS = (
    ("LinearRegression", "linear_model", "LinearRegression", {}, True, None),
    ("GaussianNB", "naive_bayes", "GaussianNB", {}, True, None),
    ("PCA", "decomposition", "PCA", {"n_components": 5}, False, None),
    ("LogisticRegression", "linear_model", "LogisticRegression",
     {"tol": 1e-8, "solver": "newton-cholesky"}, True, "n_iter_"),
    ("KMeans", "cluster", "KMeans",
     {"n_clusters": 8, "init": STARTS, "n_init": 1, "max_iter": 10, "tol": 0.0}, False, "n_iter_"),
    ("GaussianMixture", "mixture", "GaussianMixture",
     {"n_components": 4, "means_init": STARTS[:4], "init_params": "random_from_data",
      "max_iter": 5, "tol": 0.0, "random_state": 0}, False, "n_iter_"),
)  # fmt: skip
# What dask-ml has of them, with options that ask for the same: its linear regression has a penalty
# of its own, and its tolerances are wider by default.
PEER = {
    "LinearRegression": {"solver": "lbfgs", "C": 1e10, "tol": 1e-8},
    "GaussianNB": {},
    "PCA": {"n_components": 5, "svd_solver": "full"},
    "LogisticRegression": {"solver": "lbfgs", "tol": 1e-8},
    "KMeans": {"n_clusters": 8, "init": STARTS, "max_iter": 10, "tol": 0.0, "random_state": 0},
}

# What scikit-learn fits chunk by chunk, in one process, and what its first chunk needs besides.
PARTIAL = {
    "GaussianNB": ("naive_bayes", "GaussianNB", {}, {"classes": [0, 1]}),
    "PCA": ("decomposition", "IncrementalPCA", {"n_components": 5}, {}),
}

# ---------------------------------------------------------------- measures


def moved():
    """Bytes that processes of this machine have sent to one another."""
    import psutil

    return psutil.net_io_counters(pernic=True)["lo"].bytes_sent


def peak():
    """Most bytes that this process has held."""
    return worker.memory()[1]


def steps(model, attribute):
    """How many passes an estimator says that it took; one if it does not say."""
    return int(np.max(getattr(model, attribute, 1))) if attribute else 1


def quality(model, X, y):
    """How good a fit is, on samples in memory: the score of the estimator that was fitted."""
    with contextlib.suppress(Exception):
        return float(model.score(X) if y is None else model.score(X, y))
    return None


def timed(fit):
    """The least seconds of several fits, the least bytes that one moved, and the last model."""
    seconds, sent = [], []
    for _ in range(ROUNDS):
        before, start = moved(), time.perf_counter()
        model = fit()
        seconds.append(time.perf_counter() - start)
        sent.append(moved() - before)
    return min(seconds), min(sent), model


def fitted(package, method, X, y, options=None):
    """A function that fits an estimator of a package."""
    import dask

    _, module, name, own, targets, _ = method

    def fit():
        model = made(package, module, name, **(own if options is None else options))
        model.fit(X, y) if targets else model.fit(X)
        if package == "dask_ml":  # some of what it learns is left to be computed
            dask.compute(*vars(model).values())
        return model

    return fit


def partial(folder, n, method):
    """A function that fits scikit-learn's estimator to the files, one after the other."""
    module, name, options, first = PARTIAL[method[0]]

    def fit():
        model, given = made("sklearn", module, name, **options), first
        for start in range(0, n, CHUNK):
            X = np.load(folder / f"X{start:010d}.npy")
            y = np.load(folder / f"y{start:010d}.npy") if method[4] else None
            model.partial_fit(X, y, **given)
            given = {}
        return model

    return fit


def measure(client, folder, n, method):
    """The record of a method: `n` samples in chunks, a part of them held by workers, or here."""
    name, _, _, _, targets, counter = method
    rows = n // PART
    X, y = in_chunks(folder, n)
    reading, sent, _ = timed(lambda: [X.sum(axis=0).compute(), y.sum().compute()])
    record = {"name": name, "rows": n, "reading": reading, "reading_moved": sent}
    seconds, sent, model = timed(fitted("litlearn", method, X, y))
    record |= {"seconds": seconds, "moved": sent, "steps": steps(model, counter)}
    record["worker_peak"] = max(client.run(peak).values())

    if name in PARTIAL:
        with threadpool_limits(2):
            record["partial"], _, by_parts = timed(partial(folder, n, method))

    # In memory: what fits there, and the same rows in chunks that the workers hold.
    part, labels = held(client, folder, rows)
    inside, target = part.compute(), labels.compute()
    seconds, sent, model = timed(fitted("litlearn", method, part, labels))
    record |= {"held_rows": rows, "held": seconds, "held_moved": sent}
    record["held_steps"] = steps(model, counter)
    with threadpool_limits(2):
        seconds, _, own = timed(fitted("litlearn", method, inside, target))
    record |= {"memory": seconds, "memory_steps": steps(own, counter)}
    sample = inside[:CHUNK], target[:CHUNK] if targets else None
    record["quality"], record["memory_quality"] = quality(model, *sample), quality(own, *sample)
    if name in PARTIAL:
        record["partial_quality"] = quality(by_parts, *sample)
    if name in PEER and importlib.util.find_spec("dask_ml"):
        try:
            seconds, sent, peer = timed(fitted("dask_ml", method, part, labels, PEER[name]))
            record |= {"peer": seconds, "peer_moved": sent, "peer_quality": quality(peer, *sample)}
        except Exception as error:
            record["peer_error"] = f"{type(error).__name__}: {error}"[:200]
    return record


def traffic(client, folder, n, method):
    """Bytes that a fit moves between the processes, for as many chunks of more and more rows."""
    found = []
    for length in SMALLER:
        arrays = held(client, folder, n, length)
        _, sent, model = timed(fitted("litlearn", method, *arrays))
        found.append({"rows": len(arrays[0]), "moved": sent, "steps": steps(model, method[-1])})
    return {"name": method[0], "chunks": arrays[0].numblocks[0], "fits": found}


def costs(client):
    """Seconds of the scheduler for a task, a merge in a chain, and a broadcast of parameters."""
    import dask

    def least(work, rounds=5):
        found = []
        for _ in range(rounds):
            start = time.perf_counter()
            work()
            found.append(time.perf_counter() - start)
        return min(found)

    many = [dask.delayed(np.zeros, pure=False)(1) for _ in range(TASKS)]
    task = least(lambda: client.gather(client.compute(many))) / TASKS
    sums = np.zeros((FEATURES + 1) ** 2)

    def chain():
        total = dask.delayed(sums)
        for _ in range(TASKS):
            total = dask.delayed(np.add, pure=False)(total, 1.0)
        return total.compute()

    merge = least(chain) / TASKS
    broadcast = least(lambda: client.scatter(sums + time.perf_counter(), broadcast=True))
    return {"task": task, "merge": merge, "broadcast": broadcast, "bandwidth": BANDWIDTH}


def simulated(costs, second_per_row, numbers, rows):
    """Seconds of a step by the number of machines, each with two processes.

    The rows are cut into `chunks` for each process, or more where a chunk would be too large. The
    scheduler spends a task on each chunk and a merge on several, one after the other, whatever the
    number of machines; the sums of `numbers` numbers cross the network, and the parameters go out
    by a tree.
    """
    found = []
    for machines in MACHINES:
        best = None
        for chunks in (1, 4, 16):
            rows_of_chunk = min(rows // (2 * machines * chunks), LARGEST)
            tasks = -(-rows // rows_of_chunk)
            work = second_per_row * rows / (2 * machines)
            serial = [tasks * (costs["task"] + costs["merge"] / fan_in) for fan_in in FAN_INS]
            scheduler = serial[FAN_INS.index(TOGETHER)]
            network = 8 * numbers * tasks / costs["bandwidth"]
            spread = costs["broadcast"] * (1 + np.log2(machines))
            total = max(work, scheduler) + costs["merge"] + network + spread
            if best is None or total < best["seconds"]:
                best = {
                    "machines": machines,
                    "rows_of_chunk": rows_of_chunk,
                    "seconds": total,
                    "work": work,
                    "scheduler": scheduler,
                    "scheduler_by_fan_in": dict(zip(map(str, FAN_INS), serial, strict=True)),
                    "network": network,
                    "broadcast": spread,
                }
        found.append(best)
    return found


def simulations(fits, costs, n_sizes):
    """Steps of each method with a billion rows, from its fit with the most rows of `n_sizes`."""
    found = {}
    for record in fits[n_sizes - 1 :: n_sizes]:
        # Two threads worked for `memory` seconds.
        second_per_row = 2 * record["memory"] / record["memory_steps"] / record["held_rows"]
        numbers = FEATURES + FEATURES * (FEATURES + 1) // 2
        found[record["name"]] = simulated(costs, second_per_row, numbers, 10**9)
    return found


@contextlib.contextmanager
def new_cluster():
    """A client of two processes with one thread each, which have loaded the package."""
    import dask
    from distributed import Client, LocalCluster

    # Else a worker that is idle takes a chunk from one that is behind, and it travels.
    with (
        dask.config.set({"distributed.scheduler.work-stealing": False}),
        LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=":0", processes=True
        ) as cluster,
        Client(cluster) as client,
    ):
        client.run(importlib.import_module, "litlearn")
        yield client


def main(arguments=None):
    """Measure, print and store."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, nargs="+", default=[800_000, 4_000_000, 16_000_000])
    parser.add_argument("--only", nargs="+", help="methods, whose records in --json are replaced")
    parser.add_argument("--json", type=Path)
    chosen = parser.parse_args(arguments)
    result = {"date": datetime.date.today().isoformat(), "features": FEATURES, "chunk": CHUNK}
    result["machine"] = runner.machine()
    for name in ("dask", "distributed", "dask-ml"):
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            result["machine"]["versions"][name] = importlib.metadata.version(name)
    result["fits"] = []
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        write(folder, max(chosen.rows))
        with new_cluster() as client:
            result["costs"] = costs(client)
        print(result["costs"])
        for method in METHODS:
            if chosen.only and method[0] not in chosen.only:
                before = json.loads(chosen.json.read_text(encoding="utf-8"))["fits"]
                result["fits"] += [record for record in before if record["name"] == method[0]]
                continue
            for n in chosen.rows:
                with new_cluster() as client:
                    record = measure(client, folder, n, method)
                print(record, flush=True)
                result["fits"].append(record)
        result["traffic"], rows = [], min(5 * chosen.rows[0], max(chosen.rows))
        for method in METHODS:
            with new_cluster() as client:
                result["traffic"].append(traffic(client, folder, rows, method))
            print(result["traffic"][-1], flush=True)
    result["simulated"] = simulations(result["fits"], result["costs"], len(chosen.rows))
    if chosen.json:
        chosen.json.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
