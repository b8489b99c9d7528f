"""How cost grows: exponents of samples, features, k and queries, for every estimator of both.

Run as ``python -m benchmarks.growth [--json benchmarks/growth.json] [--only Ridge SVC]``. Each
estimator of litlearn and its namesake of scikit-learn are fitted to, and asked about, data of three
sizes of one kind, while the others stay at the middle one:

- ``n`` samples, ``p`` features and ``q`` rows that are asked about;
- ``k``: neighbours, clusters, components, trees or classes, where the method has one of them.

A time that grows like a power of a size is a straight line if both have logarithmic axes, and the
exponent is its slope, here by least squares. Beside it stands the exponent that is derived from the
method's cost in the book: a number, or (lowest, highest), where None means that there is none.
A logarithm counts as no power, although it adds a little to a slope.

All this is measured with one thread in a process of its own, ours and theirs in turns, and the best
counts. More processes then repeat the largest number of samples with 2, 4, ... threads, up to the
number of processors. What can be fixed is fixed: epochs, rounds, starts, the algorithm of a search.
Other solvers stop by a tolerance, and their iterations are part of what grows.
"""

import argparse
import datetime
import importlib
import inspect
import json
import os
import subprocess
import sys
import time
import warnings
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks import runner, small_fits

SCHEMA = 1
ROUNDS, LEAST = 5, 2  # of an estimator, and how many are made in any case
BUDGET = 1.0  # seconds of an estimator after which no more rounds begin
TURN = 0.004  # seconds of a call's turn, in which it is made at least once
# Two slopes differ when the difference exceeds this: a fifth more time at one end of three sizes,
# the last four times the first, makes a slope 0.13 larger, and there are two of them.
MARGIN = 0.25
SHARE = 1 / 40  # of the samples that a ball holds on average
JSON = Path(__file__).parent / "growth.json"

# ---------------------------------------------------------------- what is derived


class Case(NamedTuple):
    """Middle sizes, (parameter, middle) of k, derived exponents, and options that fix the work."""

    n: int
    p: int
    q: int
    k: tuple | None
    fit: dict
    answer: dict
    options: dict = {}  # noqa: RUF012


ONE, SQUARE = {"n": 1, "p": 1}, {"n": 1, "p": 2}
ROOT = {"n": 1, "p": (0.5, 1)}  # trees that try the root of the number of features at a node
PASSES = {"n": 1, "p": (1, 2)}  # over the samples, or over products of pairs of features
KERNEL = {"n": (2, 3), "p": (0, 1)}
MACHINE = {"n": (2, None), "p": (0, 1)}  # so many steps as support vectors, or more
DEALT = {"n": 1, "p": (0, 1)}  # to the two sides of a tree's nodes, by one feature at a time
CHECKED = {"n": (0, 1), "p": (0, 1)}  # all rows are checked, and few or none are needed
Q = {"q": 1}
WITHIN = {"n": 0, "p": (1, None), "k": (0, 1), "q": 1}  # a k-d tree, in few dimensions
BALL = {"n": 1, "p": (0, None), "q": 1}  # which holds a share of the samples
MAPPED = {"p": (0, 1), "k": (1, 2), "q": 1}
CLASSES, KD = ("classes", 6), {"algorithm": "kd_tree"}
EPOCHS = {"max_iter": 10, "tol": None}
STEPS = {"max_iter": 10, "tol": 0.0, "n_init": 1}

NEIGHBORS = Case(16_000, 4, 2_000, ("n_neighbors", 8), DEALT, WITHIN, KD)
RADIUS = Case(4_000, 4, 500, None, DEALT, BALL, KD)
BRUTE = Case(8_000, 32, 1_000, ("n_neighbors", 8), CHECKED, WITHIN | {"n": 1, "p": (0, 1)})
DENSITY = Case(1_000, 4, 200, None, DEALT, {"n": 1, "p": (0, 1), "q": 1})
RIDGE = Case(4_000, 256, 8_000, None, SQUARE, Q)
RIDGE_CV = Case(2_000, 128, 16_000, None, SQUARE, Q)
LASSO = Case(4_000, 256, 8_000, None, PASSES, Q)
PATHS = Case(4_000, 128, 16_000, None, {"n": (0, 1), "p": (1, 2)}, Q)
LOGISTIC = Case(16_000, 64, 32_000, None, PASSES, Q)
SEVERAL = Case(8_000, 32, 64_000, CLASSES, PASSES | {"k": 1}, Q)
VECTORS = Case(1_000, 16, 1_000, None, MACHINE, Q)
VECTORS_OF_CLASSES = VECTORS._replace(k=CLASSES, fit=MACHINE | {"k": (0, 1)})
TREE = Case(4_000, 16, 64_000, None, ONE, Q)
FOREST = Case(1_000, 16, 32_000, ("n_estimators", 8), ONE | {"k": 1}, Q)
FOREST_OF_CLASSES = FOREST._replace(n=2_000, fit=ROOT | {"k": 1})
LANDMARKS = Case(8_000, 16, 4_000, ("n_components", 128), CHECKED | {"k": (2, 3)}, MAPPED)

CASES = {
    "KNeighborsClassifier": NEIGHBORS,
    "KNeighborsRegressor": NEIGHBORS,
    "KNeighborsTransformer": NEIGHBORS,
    "RadiusNeighborsClassifier": RADIUS._replace(options={**KD, "outlier_label": 0}),
    "RadiusNeighborsRegressor": RADIUS,
    "RadiusNeighborsTransformer": RADIUS,
    "NearestNeighbors": NEIGHBORS,
    "NearestNeighbors, algorithm=brute": BRUTE,
    "NearestCentroid": Case(16_000, 64, 16_000, CLASSES, ONE | {"k": 0}, Q),
    "KernelDensity": DENSITY,
    "LinearRegression": RIDGE._replace(n=2_000),
    "Ridge": RIDGE,
    "RidgeCV": RIDGE_CV,
    "RidgeClassifier": RIDGE._replace(k=CLASSES, fit=SQUARE | {"k": (0, 1)}),
    "RidgeClassifierCV": RIDGE_CV._replace(k=CLASSES, fit=SQUARE | {"k": (0, 1)}),
    "Lasso": LASSO,
    "LassoCV": PATHS,
    "ElasticNet": LASSO,
    "ElasticNetCV": PATHS,
    "MultiTaskLasso": LASSO,
    "MultiTaskElasticNet": LASSO,
    "LogisticRegression": LOGISTIC,
    "LogisticRegression, 3 classes": SEVERAL._replace(fit=PASSES | {"k": (1, 2)}),
    "LogisticRegressionCV": LOGISTIC._replace(n=8_000, p=32, q=64_000, options={"Cs": 4, "cv": 3}),
    "SGDClassifier": Case(4_000, 128, 16_000, CLASSES, ONE | {"k": 1}, Q, EPOCHS),
    "SGDRegressor": Case(4_000, 128, 16_000, None, ONE, Q, EPOCHS),
    "LinearDiscriminantAnalysis": Case(4_000, 128, 8_000, CLASSES, SQUARE | {"k": 0}, Q),
    "QuadraticDiscriminantAnalysis": Case(8_000, 128, 2_000, CLASSES, SQUARE | {"k": (0, 1)}, Q),
    "GaussianNB": Case(16_000, 64, 8_000, CLASSES, ONE | {"k": 0}, Q),
    "SVC": VECTORS_OF_CLASSES,
    "SVR": VECTORS,
    "NuSVC": VECTORS_OF_CLASSES._replace(options={"nu": 0.2}),
    "NuSVR": VECTORS,
    "LinearSVC": SEVERAL._replace(n=4_000, p=16),
    "LinearSVR": LOGISTIC._replace(n=2_000, p=16, q=128_000),
    "DecisionTreeClassifier": TREE._replace(k=CLASSES, fit=ONE | {"k": (0, 1)}),
    "DecisionTreeRegressor": TREE,
    "ExtraTreeClassifier": TREE._replace(n=16_000, k=CLASSES, fit=ROOT | {"k": (0, 1)}),
    "ExtraTreeRegressor": TREE,
    "RandomForestClassifier": FOREST_OF_CLASSES,
    "RandomForestRegressor": FOREST,
    "ExtraTreesClassifier": FOREST_OF_CLASSES,
    "ExtraTreesRegressor": FOREST,
    "KMeans": Case(8_000, 64, 16_000, ("n_clusters", 32), ONE | {"k": 1}, Q, STEPS),
    "MiniBatchKMeans": Case(
        8_000,
        64,
        16_000,
        ("n_clusters", 32),
        ONE | {"k": 1},
        Q,
        STEPS | {"max_no_improvement": None},
    ),
    "GaussianMixture": Case(
        4_000,
        32,
        4_000,
        ("n_components", 4),
        PASSES | {"k": 1},
        Q,
        STEPS | {"init_params": "random"},
    ),
    "PCA": Case(8_000, 128, 8_000, ("n_components", 8), SQUARE | {"k": 0}, Q),
    "KernelPCA": Case(1_000, 16, 1_000, ("n_components", 4), KERNEL | {"k": (0, 1)}, Q),
    "IncrementalPCA": Case(4_000, 128, 8_000, ("n_components", 8), SQUARE | {"k": (0, 1)}, Q),
    "TruncatedSVD": Case(4_000, 128, 8_000, ("n_components", 8), ONE | {"k": (0, 1)}, Q),
    "KernelRidge": Case(1_000, 16, 1_000, None, KERNEL, Q),
    "Nystroem": LANDMARKS,
    "RBFSampler": LANDMARKS._replace(fit=CHECKED | {"k": (0, 1)}, answer=MAPPED | {"k": 1}),
    "OneVsRestClassifier": SEVERAL,
    "OneVsOneClassifier": SEVERAL._replace(q=8_000, fit=PASSES | {"k": (1, 2)}),
    "OutputCodeClassifier": SEVERAL._replace(q=16_000),
}
ESTIMATORS = (
    *small_fits.ESTIMATORS,
    ("neighbors", "NearestNeighbors", {"algorithm": "brute"}, None),
)


def case_of(name, settings=""):
    """The case of an estimator with these settings, or else with any."""
    return CASES.get(f"{name}, {settings}", CASES[name])


def settings(one):
    """What sets a row apart, without the settings that the case replaces."""
    _, name, options, kind = one
    case = case_of(name, small_fits.settings(options, kind))
    replaced = ("radius", case.k[0] if case.k else None)
    kept = {key: value for key, value in options.items() if key not in replaced}
    listed = small_fits.settings(kept, kind)
    return listed.replace("3 classes", "several classes")


def bounds(derived):
    """The lowest and the highest derived exponent."""
    low, high = derived if isinstance(derived, tuple | list) else (derived, derived)
    return low, np.inf if high is None else high


# ---------------------------------------------------------------- data of any size

RNG = np.random.default_rng(0)
NUMBERS = RNG.standard_normal(2**23)
SCORES = RNG.standard_normal((512, 16))  # of the features, for as many classes


def samples(n, p):
    """Samples of a normal distribution."""
    return NUMBERS[: n * p].reshape(n, p)


def queries(q, p):
    """Rows that are not among the samples."""
    return NUMBERS[-q * p :].reshape(q, p)


def targets(kind, X, classes):
    """Targets as ``small_fits.ESTIMATORS`` names them, as many numbers or classes as X has rows."""
    if kind is None:
        return None
    n, p = X.shape
    noise = NUMBERS[-16 * n :].reshape(n, 16)
    scores = X @ SCORES[:p] / np.sqrt(p) + 0.5 * noise
    if kind == "numbers":
        return scores[:, 0].copy()
    return scores[:, :2].copy() if kind == "2 targets" else scores[:, :classes].argmax(axis=1)


def ball(X):
    """The radius of a ball that holds SHARE of the samples on average."""
    few = X[:500]
    squares = np.sum((few[:, None] - few) ** 2, axis=2)
    return float(np.sqrt(np.quantile(squares[np.triu_indices(len(few), 1)], SHARE)))


# ---------------------------------------------------------------- sizes and calls


def spread(middle, over, derived):
    """Three sizes around the middle one; where the cost grows fast they are closer together."""
    factor = 4 if over == "n" and derived in (0, 1, (0, 1)) else 2
    return [middle // factor, middle, middle * factor]


def middle_of(case):
    """The sizes at which the others stay while one grows; k is None where there is none."""
    return {"n": case.n, "p": case.p, "q": case.q, "k": case.k[1] if case.k else None}


def plan(case):
    """What is measured: a call, the size that grows, its three values, and the exponent derived."""
    middle = middle_of(case)
    for call in ("fit", "answer"):
        for over, derived in getattr(case, call).items():
            yield call, over, spread(middle[over], over, derived), derived


def fits(one, sizes, threads):
    """For each library a function that fits an estimator to data of these sizes."""
    module, name, options, kind = one
    case = case_of(name, small_fits.settings(options, kind))
    X, classes, options = samples(sizes["n"], sizes["p"]), 2, {**options, **case.options}
    if case.k == CLASSES:
        classes = sizes["k"]
    elif case.k:
        options[case.k[0]] = sizes["k"]
    if "radius" in options:
        options["radius"] = ball(X)
    y, calls = targets(kind, X, classes), []
    for library in small_fits.LIBRARIES:
        cls = getattr(importlib.import_module(f"{library}.{module}"), name)
        jobs = {"n_jobs": threads} if "n_jobs" in inspect.signature(cls).parameters else {}
        calls.append(small_fits.fitting(library, module, name, {**options, **jobs}, X, y))
    return calls


def answers(models, sizes):
    """For each model a function that answers about as many rows; the first method counts."""
    rows = queries(sizes["q"], sizes["p"])
    method = next(one for one in small_fits.METHODS if hasattr(models[0], one))
    asked = [getattr(model, method) for model in models]
    return [lambda ask=ask: ask(rows) for ask in asked]


# ---------------------------------------------------------------- measures


def shortest(call):
    """The least seconds of a call, which is repeated until its turn is up."""
    found = []
    while sum(found) < TURN:
        before = time.perf_counter()
        call()
        found.append(time.perf_counter() - before)
    return min(found)


def in_turns(points):
    """The least seconds of each pair of calls, by the same keys.

    A round goes through all sizes and both libraries, so that a spell in which the machine is
    slower does not meet one size alone.
    """
    found, start = {key: [] for key in points}, time.perf_counter()
    for turn in range(ROUNDS):
        if turn >= LEAST and time.perf_counter() - start > BUDGET:
            break
        for key, calls in points.items():
            found[key].append([shortest(call) for call in calls])
    return {
        key: [float(f"{min(own):.4g}") for own in zip(*times, strict=True)]
        for key, times in found.items()
    }


def prepared(one, wanted, threads):
    """The pairs of calls by (call, sizes), of which no fit occurs twice."""
    points, models = {}, {}
    for call, sizes in wanted:
        sized = key_of("fit", sizes)
        calls = fits(one, sizes, threads)
        if call == "answer":
            if sized not in models:
                models[sized] = [fit() for fit in calls]
            calls = answers(models[sized], sizes)
            for ask in calls:
                ask()  # once before it counts
        points[key_of(call, sizes)] = calls
    return points


def key_of(call, sizes):
    """What a call depends on: a fit does not depend on q."""
    return call, *(sizes[over] for over in ("npk" if call == "fit" else "npkq"))


def slope(sizes, times):
    """The exponent: the slope of the logarithms by least squares."""
    return float(np.polyfit(np.log(sizes), np.log(times), 1)[0])


def begun(one, threads):
    """The record of an estimator without times; what has to be compiled or loaded is loaded."""
    module, name, options, kind = one
    case = case_of(name, small_fits.settings(options, kind))
    small = middle_of(case) | {"n": spread(case.n, "n", case.fit["n"])[0], "q": 10}
    for ask in answers([fit() for fit in fits(one, small, threads)], small):
        ask()
    return {"name": name, "module": module, "settings": settings(one)}, case


def exponents(one):
    """The records of an estimator, one for each size that grows, with one thread."""
    about, case = begun(one, 1)
    middle, planned = middle_of(case), list(plan(case))
    wanted = [(call, middle | {over: size}) for call, over, sizes, _ in planned for size in sizes]
    seconds = in_turns(prepared(one, wanted, 1))
    for call, over, sizes, derived in planned:
        times = [seconds[key_of(call, middle | {over: size})] for size in sizes]
        row = about | {"call": call, "over": over, "k": case.k[0] if case.k else None}
        row |= {"held": {key: size for key, size in middle.items() if size and key != over}}
        row |= {"sizes": sizes, "derived": derived, "seconds": times}
        yield row | {"exponents": [round(slope(sizes, own), 3) for own in columns(times)]}


def timed_call(case):
    """Which call is repeated with more threads: the answer where it grows with the samples."""
    return "answer" if "n" in case.answer else "fit"


def largest(one, threads):
    """The record of the largest number of samples with so many threads."""
    about, case = begun(one, threads)
    call = timed_call(case)
    size = spread(case.n, "n", getattr(case, call)["n"])[-1]
    wanted = [(call, middle_of(case) | {"n": size})]
    (times,) = in_turns(prepared(one, wanted, threads)).values()
    return about | {"call": call, "n": size, "threads": threads, "seconds": times}


# ---------------------------------------------------------------- which exponents are named

NEWTON = "ours multiplies pairs of features, whereas scikit-learn's solver passes over the samples"
STEP = "the part of a step that does not grow with the samples is small in ours"
PAIRS = "the part of a pair's problem that does not shrink with its samples is large in ours"
CACHE = "ours writes down all pairs of a query and a sample, and they outgrow the cache"
COUNTS = "each node counts its classes, which takes a larger share of our time"
CHECKS = "a fit only checks and keeps the samples, beside a fixed part that is smaller in ours"
MEMORY = "both wait for the memory when the rows are many, and ours waits for little else"
UNKNOWN = "we have not looked for the reason"

# Why scikit-learn's exponent is smaller where ours is not faster at all three sizes: by estimator,
# call and size, or by size alone.
REASONS = {
    ("LogisticRegression", "fit", "p"): NEWTON,
    ("LogisticRegression", "fit", "k"): NEWTON,
    ("LogisticRegressionCV", "fit", "p"): NEWTON,
    ("OneVsRestClassifier", "fit", "p"): NEWTON,
    ("OneVsRestClassifier", "fit", "k"): NEWTON,
    ("OneVsOneClassifier", "fit", "p"): NEWTON,
    ("OutputCodeClassifier", "fit", "p"): NEWTON,
    ("OutputCodeClassifier", "fit", "k"): UNKNOWN,
    ("SVC", "fit", "k"): PAIRS,
    ("NuSVC", "fit", "k"): PAIRS,
    ("SVR", "fit", "n"): STEP,
    ("NuSVR", "fit", "n"): STEP,
    ("KernelDensity", "answer", "n"): CACHE,
    ("KernelDensity", "answer", "q"): CACHE,
    ("MultiTaskLasso", "fit", "p"): NEWTON,
    ("MultiTaskElasticNet", "fit", "p"): NEWTON,
    ("ExtraTreeClassifier", "fit", "k"): COUNTS,
    ("NearestNeighbors", "fit", "n"): CHECKS,
    ("NearestNeighbors", "fit", "p"): CHECKS,
    "q": MEMORY,
}
FASTER = "what hardly grows is a larger share of scikit-learn's time, and ours is faster throughout"


def named(rows):
    """The records in which scikit-learn's exponent is smaller by more than MARGIN."""
    return [row for row in rows if row["exponents"][0] - row["exponents"][1] > MARGIN]


def reason(row):
    """Why scikit-learn's exponent is smaller, or None where nothing is known."""
    faster = max(map(small_fits.ratio, row["seconds"])) <= 1.0
    given = REASONS.get((row["name"], row["call"], row["over"]), FASTER if faster else None)
    return given or REASONS.get(row["over"])


def agrees(exponent, derived):
    """Whether an exponent is within the derived ones, or off by at most MARGIN."""
    low, high = bounds(derived)
    return low - MARGIN <= exponent <= high + MARGIN


def title(row):
    """The estimator of a record, and its settings."""
    return ", ".join(filter(None, (row["name"], row["settings"])))


def told(derived):
    """A derived exponent in words."""
    low, high = bounds(derived)
    return f"{low:g}" if low == high else f"{low:g} to {high:g}" if high < np.inf else f"≥ {low:g}"


def speed_up(row):
    """How many times as fast ours and theirs are with these threads as with one."""
    return [one / more for one, more in zip(row["with_one"], row["seconds"], strict=True)]


# ---------------------------------------------------------------- processes


def chosen_from(only):
    """The estimators with these names, or all."""
    return [one for one in ESTIMATORS if not only or one[1] in only]


def records(threads, only):
    """The exponents with one thread, or the largest samples with more, estimator by estimator."""
    for one in chosen_from(only):
        yield from exponents(one) if threads == 1 else [largest(one, threads)]


def work(threads, only):
    """In a process of its own: print a line of JSON for each record."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of fits that stop early, on either side
        for row in records(threads, only):
            print(json.dumps(row), flush=True)


def rows_of(threads, only):
    """The records of a process with so many threads, as they come."""
    command = [sys.executable, "-m", "benchmarks.growth", "--threads", str(threads)]
    command += ["--only", *only] if only else []
    # Processes that scikit-learn starts warn by themselves.
    environment = runner.environment(threads) | {"PYTHONWARNINGS": "ignore"}
    with subprocess.Popen(command, env=environment, text=True, stdout=subprocess.PIPE) as process:
        for text in process.stdout:
            yield json.loads(text)
    if process.returncode:
        raise RuntimeError(f"{' '.join(command)} ended with code {process.returncode}.")


def counts(cores):
    """Numbers of threads: powers of two and all cores, without one."""
    return (
        sorted({2**power for power in range(1, 10) if 2**power < cores} | {cores})
        if cores > 1
        else []
    )


def columns(pairs):
    """All of ours, and all of theirs."""
    return list(zip(*pairs, strict=True))


def line(row):
    """A record as a line of text."""
    text = f"{title(row):42} {row['call']:6}"
    if "threads" in row:
        ours, theirs = (1000 * one for one in row["seconds"])
        return f"{text} {row['threads']} threads {ours:9.2f} {theirs:9.2f} ms"
    times = "  ".join(" ".join(f"{1000 * s:8.2f}" for s in own) for own in columns(row["seconds"]))
    ours, theirs = row["exponents"]
    return (
        f"{text} {row['over']} {ours:5.2f} {theirs:5.2f} derived {told(row['derived'])}; ms {times}"
    )


def with_one(rows, row):
    """The seconds of the same work with one thread."""
    same = [
        one["seconds"][-1]
        for one in rows
        if one["over"] == "n" and all(one[key] == row[key] for key in ("name", "settings", "call"))
    ]
    return same[0]


def main(arguments=None):
    """Measure, print and store."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path, default=JSON)
    parser.add_argument("--only", nargs="+", default=[], help="names of estimators")
    parser.add_argument("--threads", type=int, help=argparse.SUPPRESS)
    chosen = parser.parse_args(arguments)
    if chosen.threads:
        return work(chosen.threads, chosen.only)
    result = {"schema": SCHEMA, "date": datetime.date.today().isoformat()}
    result |= {"machine": runner.machine(), "rows": [], "threads": []}
    for row in rows_of(1, chosen.only):
        result["rows"].append(row)
        print(line(row), flush=True)
    for threads in counts(os.cpu_count()):
        for row in rows_of(threads, chosen.only):
            row["with_one"] = with_one(result["rows"], row)
            result["threads"].append(row)
            print(line(row), flush=True)
    chosen.json.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
