"""Work of all kinds, at random, in one process: nothing may pile up.

    python .ci/soak.py [--minutes 30] [--seed 0]

Fits estimators of every family on data of random size and kind, asks and pickles them, in several
threads at once, and with interrupts in the middle of a fit. The answers must be those of the same
fit before, to the bit. After a first part, the fifth of the time in which pools and allocators
get their size, memory may grow by 5 % at most, and no file or thread may be left. Linux only.
"""

import argparse
import ctypes
import gc
import hashlib
import importlib
import os
import pickle
import signal
import sys
import threading
import time
import warnings

import numpy as np

from litlearn import _warm_up

GROWTH = 0.05  # the share by which memory may grow
LATER = 20  # measurements of which the median is compared, so that no single fit decides
COLUMNS = {"monotonic_cst", "categorical_features"}  # settings that name six columns
M_ARENA_MAX = -8  # of malloc.h
ASKED = ("predict", "predict_proba", "decision_function", "transform", "score_samples")


def data(seed, rows, columns, single):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, columns)).astype(np.float32 if single else np.float64)
    return X, (X[:, 0] + 0.3 * rng.normal(size=rows) > 0).astype(int)


def fitted(case, X, y, n_jobs):
    namespace, name, setting = case
    kind = getattr(importlib.import_module(f"litlearn.{namespace}"), name)
    known = kind().get_params()
    more = {"n_jobs": n_jobs} if "n_jobs" in known else {}
    if "random_state" in known:
        more["random_state"] = 0
    return kind(**{**setting, **more}).fit(X, y)


def digest(model, X):
    """The bits of all answers."""
    out = hashlib.sha256()
    for name in ASKED:
        if hasattr(model, name):
            said = getattr(model, name)(X)
            out.update(np.ascontiguousarray(getattr(said, "data", said)).tobytes())
    return out.hexdigest()


def least_columns(case, columns):
    """Return so many columns, or the six that the setting of a case names."""
    return 6 if COLUMNS & set(case[2]) else columns


def task(rng, cases):
    """One task: a case, and the data and the number of threads that it gets."""
    case = cases[int(rng.integers(len(cases)))]
    sizes = int(rng.choice([40, 150, 400])), least_columns(case, int(rng.choice([3, 6])))
    shape = (int(rng.integers(3)), *sizes, bool(rng.integers(2)))
    return case, shape, int(rng.integers(1, 3))


def done(work, known):
    """Do a task; return what is wrong with its answers, or None."""
    case, shape, n_jobs = work
    X, y = data(*shape)
    model = fitted(case, X, y, n_jobs)
    found = digest(model, X[:30])
    if digest(pickle.loads(pickle.dumps(model)), X[:30]) != found:
        return f"{case[1]}: other answers after a pickle"
    if known.setdefault((case[0], case[1], str(case[2]), shape), found) != found:
        return f"{case[1]}: other answers than before, with n_jobs={n_jobs}"
    return None


def in_threads(tasks, known):
    """Do tasks in threads, all at once; return what is wrong."""
    wrong = []

    def work(one):
        try:
            wrong.append(done(one, known))
        except Exception as error:
            wrong.append(f"{one[0][1]}: {error!r}")

    threads = [threading.Thread(target=work, args=(one,)) for one in tasks]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [one for one in wrong if one]


def interrupted(work, seconds):
    """Fit, and interrupt it; return whether the interrupt came in time to stop it."""
    case, shape, n_jobs = work
    X, y = data(shape[0], 3000, 6, shape[3])
    # To this process alone, in the middle of whatever it does then.
    signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        fitted(case, X, y, n_jobs)
        return False
    except KeyboardInterrupt:
        return True
    finally:
        try:
            signal.setitimer(signal.ITIMER_REAL, 0)
        finally:
            signal.signal(signal.SIGALRM, signal.SIG_IGN)


def used():
    """Resident bytes, open files and threads of this process, once what is free is given back."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    with open("/proc/self/statm") as file:
        resident = int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return resident, len(os.listdir("/proc/self/fd")), threading.active_count()


def judged(measured, warm):
    """What grew from the warm part's last measurements to the last of all.

    Parameters
    ----------
    measured : list of (bytes, files, threads)
    warm : int
        How many of them belong to the first part.
    """
    first, last = measured[max(0, warm - LATER) : warm], measured[-LATER:]
    memory = [float(np.median([one[0] for one in part])) for part in (first, last)]
    wrong = []
    if memory[1] > memory[0] * (1 + GROWTH):
        wrong.append(f"memory grew by {memory[1] / memory[0] - 1:.1%}")
    for place, name in ((1, "files"), (2, "threads")):
        before, after = max(one[place] for one in measured[:warm]), measured[-1][place]
        if after > before:
            wrong.append(f"{after} {name}, {before} after the first part")
    return wrong, memory[1] / memory[0] - 1


def soak(seconds, seed):
    """Work for so long; return what is wrong, and a summary."""
    rng, cases, known, wrong, measured = np.random.default_rng(seed), _warm_up.CASES, {}, [], []
    counts = dict.fromkeys(("alone", "in threads", "interrupted", "interrupts too late"), 0)
    warm = 0
    # Machine code stays in memory: all of it is compiled or loaded before the clock starts.
    for case in cases:
        for single in (False, True):
            for sizes in ((40, least_columns(case, 3)), (400, 6)):
                problem = done((case, (0, *sizes, single), 2), known)
                wrong += [problem] if problem else []
            fitted(case, *data(0, 3000, 6, single), 2)
    begun = time.monotonic()
    while time.monotonic() < begun + seconds:
        kind = int(rng.integers(4))
        if kind == 0:
            wrong += in_threads([task(rng, cases) for _ in range(3)], known)
            counts["in threads"] += 3
        elif kind == 1:
            stopped = interrupted(task(rng, cases), float(rng.uniform(0.001, 0.05)))
            counts["interrupted" if stopped else "interrupts too late"] += 1
        else:
            problem = done(task(rng, cases), known)
            wrong += [problem] if problem else []
            counts["alone"] += 1
        measured.append(used())
        if time.monotonic() < begun + seconds / 5:
            warm = len(measured)
    grown, share = judged(measured, max(warm, 1))
    told = ", ".join(f"{count} {name}" for name, count in counts.items())
    return wrong + grown, f"{told}; memory {share:+.1%} ({measured[-1][0] / 2**20:.0f} MB)"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    # One heap for all threads: of several, each keeps what was free when its thread ended.
    ctypes.CDLL(None).mallopt(M_ARENA_MAX, 1)
    wrong, summary = soak(60 * options.minutes, options.seed)
    print(summary)
    print("\n".join(sorted(set(wrong))[:20]) or "Nothing piled up, and every answer was the same.")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
