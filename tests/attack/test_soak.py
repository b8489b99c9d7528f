"""Fit and predict for half an hour, in threads, forks and with any n_jobs: nothing may pile up.

What is watched: the bits of the results, resident memory, open files, threads, limits of BLAS.
"""

import gc
import hashlib
import importlib
import json
import os
import subprocess
import sys
import threading
import time
import warnings

import numpy as np
import pytest

from litlearn._core import parallel

MODELS = [
    ("cluster", "KMeans", {"n_clusters": 3, "random_state": 0}),
    ("decomposition", "PCA", {"n_components": 3}),
    ("discriminant_analysis", "LinearDiscriminantAnalysis", {}),
    ("ensemble", "RandomForestClassifier", {"n_estimators": 5, "random_state": 0}),
    ("kernel_ridge", "KernelRidge", {"kernel": "rbf"}),
    ("linear_model", "ElasticNet", {"alpha": 0.01}),
    ("linear_model", "LogisticRegression", {}),
    ("linear_model", "Ridge", {}),
    ("linear_model", "SGDClassifier", {"random_state": 0}),
    ("mixture", "GaussianMixture", {"n_components": 2, "random_state": 0}),
    ("naive_bayes", "GaussianNB", {}),
    ("neighbors", "KNeighborsClassifier", {"algorithm": "kd_tree"}),
    ("svm", "LinearSVC", {}),
    ("svm", "SVC", {}),
    ("tree", "DecisionTreeRegressor", {"random_state": 0}),
]
WARM = 5  # rounds until pools and allocators have their size
ROOM = 16 * 2**20  # bytes by which memory may grow from then on: the allocator's, not ours


def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 6))
    return X, (X @ rng.normal(size=6) > 0).astype(int), rng.normal(size=(50, 6))


def digest(model, n_jobs):
    """Fit and predict; the bits of the answer."""
    module, name, params = model
    kind = getattr(importlib.import_module(f"litlearn.{module}"), name)
    if "n_jobs" in kind().get_params():
        params = {**params, "n_jobs": n_jobs}
    X, y, queries = data()
    fitted = kind(**params).fit(X, y)
    answer = fitted.transform(queries) if name == "PCA" else fitted.predict(queries)
    return hashlib.sha256(np.ascontiguousarray(answer).tobytes()).hexdigest()


def everything(order, n_jobs):
    return {k: digest(MODELS[k], n_jobs) for k in order}


def in_threads(order):
    """Two threads at once, one forwards, one backwards."""
    found = [None, None]

    def work(side):
        found[side] = everything(order[:: 1 - 2 * side], 1 + side)

    threads = [threading.Thread(target=work, args=(side,)) for side in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


def in_a_fork(order, expected):
    """Whether a forked child finds the same; it ends without running what the tests registered."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # there are threads: that is the point
        child = os.fork()
    if child == 0:
        try:
            same = everything(order, 2) == {k: expected[k] for k in order}
        except BaseException:
            same = False
        os._exit(0 if same else 1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def resident():
    """Bytes of memory in use now."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def blas_threads():
    return [library["num_threads"] for library in parallel._blas_controller().info()]


def soak(seconds):
    """Do it for so long; return what was tried and held, what broke, and a summary."""
    end = time.monotonic() + seconds
    rng, expected = np.random.default_rng(0), everything(range(len(MODELS)), 1)
    # After a fit: SciPy brings a BLAS of its own.
    checks, broke, n_rounds, begun, limits = [], [], 0, None, blas_threads()

    def check(kind, held, said):
        checks.append((kind, bool(held)))
        if not held:
            broke.append(f"round {n_rounds}, {kind}: {said}")

    while time.monotonic() < end or n_rounds <= WARM:
        order = [int(k) for k in rng.permutation(len(MODELS))]
        check("n_jobs=2", everything(order, 2) == expected, "other bits")
        check("two threads", all(one == expected for one in in_threads(order)), "other bits")
        check("a forked child", in_a_fork(order[:5], expected), "other bits, or no end")
        check("limits of BLAS", blas_threads() == limits, f"{blas_threads()}, not {limits}")
        n_rounds += 1
        if n_rounds < WARM:
            continue
        gc.collect()
        now = resident(), len(os.listdir("/proc/self/fd")), threading.active_count()
        begun = begun or now
        grown = (now[0] - begun[0]) / 2**20
        check("memory", now[0] <= begun[0] + ROOM, f"{grown:.0f} MB more than after {WARM} rounds")
        check("open files", now[1] <= begun[1], f"{now[1]}, not {begun[1]}")
        check("threads", now[2] <= begun[2], f"{now[2]}, not {begun[2]}")
    return checks, broke, f"{n_rounds} rounds, memory {grown:+.1f} MB after the first {WARM}"


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs Linux: reads /proc")
def test_nothing_piles_up(attempts, tally):
    """In a process of its own, whose memory holds nothing of the tests before."""
    command = [sys.executable, __file__, str(attempts(5.0, 1800.0))]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    checks, broke, summary = json.loads(run.stdout)
    for kind, held in checks:
        tally(f"soak: {kind}", held=held)
    tally.note("soak", summary)
    assert not broke, "\n".join(broke[:20])


if __name__ == "__main__":
    json.dump(soak(float(sys.argv[1])), sys.stdout)
