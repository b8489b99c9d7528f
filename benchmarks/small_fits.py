"""Fits of few samples: what a call costs, for every estimator that scikit-learn has too.

Run as ``python -m benchmarks.small_fits [--json benchmarks/small_fits.json]``. Each estimator of
litlearn and its namesake of scikit-learn are fitted to the same 200 samples of 5 features, with
``random_state=0`` where they have it, and then asked about one row: by ``predict``, or else by
``transform``, ``kneighbors`` or ``score_samples``. Both run in this process, with as many threads
as they take by default. In each of several rounds through all estimators ours has a turn, then
theirs; each turn repeats the call until its time is up, and of all repetitions in all rounds the
shortest counts. What comes before the first round, compilation for one, is not measured. Nothing
else may run meanwhile: threads that wait for one another wait for its processor, too. It writes

- ``fit``: microseconds of constructor and fit, ours and theirs;
- ``answer``: microseconds of the answer about one row, by ``method``;
- ``excess``: for estimators that minimise a function, by how much its value at each of the two
  fits exceeds the lower one, as a share of that. Who stops early has less to do.
"""

import argparse
import datetime
import importlib
import inspect
import json
import time
import warnings
from pathlib import Path

import numpy as np

from benchmarks import runner

SCHEMA = 1
SAMPLES, FEATURES = 200, 5
LIBRARIES = ("litlearn", "sklearn")
ROUNDS = 5
BUDGETS = {"fit": 0.1, "answer": 0.025}  # seconds of a turn
LEAST = 2  # repetitions in a turn
LIMIT = 1.2  # times as long as scikit-learn's: what takes longer is named in SLOWER
JSON = Path(__file__).parent / "small_fits.json"

# Fits that take longer than LIMIT times those of scikit-learn, and why.
SLOWER = {
    "LinearSVR": "it goes on to where a bound says how near the minimum is",
}

# ---------------------------------------------------------------- estimators

# Module, estimator, options, and the targets: None, numbers, 2 or 3 classes, or 2 columns.
ESTIMATORS = (
    ("neighbors", "KNeighborsClassifier", {}, "2 classes"),
    ("neighbors", "KNeighborsRegressor", {}, "numbers"),
    ("neighbors", "KNeighborsTransformer", {}, None),
    ("neighbors", "RadiusNeighborsClassifier", {"radius": 3.0}, "2 classes"),
    ("neighbors", "RadiusNeighborsRegressor", {"radius": 3.0}, "numbers"),
    ("neighbors", "RadiusNeighborsTransformer", {"radius": 3.0}, None),
    ("neighbors", "NearestNeighbors", {}, None),
    ("neighbors", "NearestCentroid", {}, "2 classes"),
    ("neighbors", "KernelDensity", {}, None),
    ("linear_model", "LinearRegression", {}, "numbers"),
    ("linear_model", "Ridge", {}, "numbers"),
    ("linear_model", "RidgeCV", {}, "numbers"),
    ("linear_model", "RidgeClassifier", {}, "2 classes"),
    ("linear_model", "RidgeClassifierCV", {}, "2 classes"),
    ("linear_model", "Lasso", {"alpha": 0.1}, "numbers"),
    ("linear_model", "LassoCV", {}, "numbers"),
    ("linear_model", "ElasticNet", {"alpha": 0.1}, "numbers"),
    ("linear_model", "ElasticNetCV", {}, "numbers"),
    ("linear_model", "MultiTaskLasso", {"alpha": 0.1}, "2 targets"),
    ("linear_model", "MultiTaskElasticNet", {"alpha": 0.1}, "2 targets"),
    ("linear_model", "LogisticRegression", {}, "2 classes"),
    ("linear_model", "LogisticRegression", {}, "3 classes"),
    ("linear_model", "LogisticRegressionCV", {}, "2 classes"),
    ("linear_model", "SGDClassifier", {}, "2 classes"),
    ("linear_model", "SGDRegressor", {}, "numbers"),
    ("discriminant_analysis", "LinearDiscriminantAnalysis", {}, "2 classes"),
    ("discriminant_analysis", "QuadraticDiscriminantAnalysis", {}, "2 classes"),
    ("naive_bayes", "GaussianNB", {}, "2 classes"),
    ("svm", "SVC", {}, "2 classes"),
    ("svm", "SVR", {}, "numbers"),
    ("svm", "NuSVC", {}, "2 classes"),
    ("svm", "NuSVR", {}, "numbers"),
    ("svm", "LinearSVC", {}, "2 classes"),
    ("svm", "LinearSVR", {}, "numbers"),
    ("tree", "DecisionTreeClassifier", {}, "2 classes"),
    ("tree", "DecisionTreeRegressor", {}, "numbers"),
    ("tree", "ExtraTreeClassifier", {}, "2 classes"),
    ("tree", "ExtraTreeRegressor", {}, "numbers"),
    ("ensemble", "RandomForestClassifier", {}, "2 classes"),
    ("ensemble", "RandomForestRegressor", {}, "numbers"),
    ("ensemble", "ExtraTreesClassifier", {}, "2 classes"),
    ("ensemble", "ExtraTreesRegressor", {}, "numbers"),
    ("cluster", "KMeans", {"n_clusters": 3}, None),
    ("cluster", "MiniBatchKMeans", {"n_clusters": 3}, None),
    ("mixture", "GaussianMixture", {"n_components": 2}, None),
    ("decomposition", "PCA", {}, None),
    ("decomposition", "KernelPCA", {"n_components": 2, "kernel": "rbf"}, None),
    ("decomposition", "IncrementalPCA", {}, None),
    ("decomposition", "TruncatedSVD", {}, None),
    ("kernel_ridge", "KernelRidge", {"kernel": "rbf"}, "numbers"),
    ("kernel_approximation", "Nystroem", {}, None),
    ("kernel_approximation", "RBFSampler", {}, None),
    # Around the logistic regression of the same library.
    ("multiclass", "OneVsRestClassifier", {"estimator": "LogisticRegression"}, "3 classes"),
    ("multiclass", "OneVsOneClassifier", {"estimator": "LogisticRegression"}, "3 classes"),
    ("multiclass", "OutputCodeClassifier", {"estimator": "LogisticRegression"}, "3 classes"),
)
METHODS = ("predict", "transform", "kneighbors", "score_samples")


def data():
    """Samples, and targets of each kind."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((SAMPLES, FEATURES))
    y = X @ rng.standard_normal(FEATURES) + rng.standard_normal(SAMPLES)
    return X, {
        None: None,
        "numbers": y,
        "2 classes": (y > 0.0).astype(np.int64),
        "3 classes": np.digitize(y, [-1.0, 1.0]),
        "2 targets": np.column_stack([y, y + rng.standard_normal(SAMPLES)]),
    }


def settings(options, kind):
    """What sets a row apart from the defaults, in words."""
    told = [f"{name}={value}" for name, value in options.items()]
    return ", ".join([*told, *([kind] if kind in ("3 classes", "2 targets") else [])])


def fitting(library, module, name, options, X, y):
    """A function that makes an estimator of a library and fits it."""
    cls = getattr(importlib.import_module(f"{library}.{module}"), name)
    options = dict(options)
    if "estimator" in options:
        linear_model = importlib.import_module(f"{library}.linear_model")
        options["estimator"] = getattr(linear_model, options["estimator"])()
    if "random_state" in inspect.signature(cls).parameters:
        options["random_state"] = 0
    return (lambda: cls(**options).fit(X)) if y is None else (lambda: cls(**options).fit(X, y))


# ---------------------------------------------------------------- what is minimised


def penalised_squares(model, X, y):
    """Squares with the penalties of lasso and elastic net, for one target or several."""
    W, share = np.atleast_2d(model.coef_), getattr(model, "l1_ratio", 1.0)
    error = y - model.predict(X)
    penalty = share * np.linalg.norm(W, axis=0).sum() + 0.5 * (1.0 - share) * np.sum(W**2)
    return np.sum(error**2) / (2 * len(X)) + model.alpha * penalty


def logistic(model, X, y):
    """Log loss with half the square of the coefficients."""
    chosen = np.take_along_axis(model.predict_log_proba(X), y[:, None], axis=1)
    return 0.5 * np.sum(model.coef_**2) - model.C * np.sum(chosen)


def linear_machine(model, X, y):
    """Losses of a linear support vector machine, which penalises the intercept, too."""
    square = np.sum(model.coef_**2) + np.sum(model.intercept_**2)
    if hasattr(model, "classes_"):
        losses = np.maximum(1.0 - (2 * y - 1) * model.decision_function(X), 0.0) ** 2
    else:
        losses = np.maximum(np.abs(y - model.predict(X)) - model.epsilon, 0.0)
    return 0.5 * square + model.C * np.sum(losses)


def inertia(model, X, y):
    """Squared distances to the nearest centres."""
    return np.sum(np.min(((X[:, None] - model.cluster_centers_) ** 2).sum(axis=2), axis=1))


OBJECTIVES = {
    "Lasso": penalised_squares,
    "ElasticNet": penalised_squares,
    "MultiTaskLasso": penalised_squares,
    "MultiTaskElasticNet": penalised_squares,
    "LogisticRegression": logistic,
    "LinearSVC": linear_machine,
    "LinearSVR": linear_machine,
    "KMeans": inertia,
}


def excess(name, models, X, y):
    """By how much each objective exceeds the lower one, as a share of it; None without one."""
    if name not in OBJECTIVES:
        return None
    values = [float(OBJECTIVES[name](model, X, y)) for model in models]
    return [float(f"{value / min(values) - 1.0:.3g}") for value in values]


# ---------------------------------------------------------------- measures


def least(call, budget):
    """The least seconds of a call among as many as the budget allows."""
    found, start = [], time.perf_counter()
    while len(found) < LEAST or time.perf_counter() - start < budget:
        before = time.perf_counter()
        call()
        found.append(time.perf_counter() - before)
    return min(found)


def prepared(module, name, options, kind, X, y):
    """The record of an estimator, without times, and the two calls that are timed for each key."""
    fits = [fitting(library, module, name, options, X, y) for library in LIBRARIES]
    models = [fit() for fit in fits]
    method = next(one for one in METHODS if hasattr(models[0], one))
    asked, row = [getattr(model, method) for model in models], X[:1]
    answers = [lambda ask=ask: ask(row) for ask in asked]
    for call in answers:
        call()
    record = {"name": name, "module": module, "settings": settings(options, kind)}
    record |= {key: [float("inf")] * 2 for key in BUDGETS}
    record |= {"method": method, "excess": excess(name, models, X, y)}
    return record, {"fit": fits, "answer": answers}


def take_turns(record, calls):
    """A round: each call in its turn; the record keeps the least microseconds of all rounds."""
    for key, pair in calls.items():
        times = [round(1e6 * least(call, BUDGETS[key]), 1) for call in pair]
        record[key] = list(map(min, record[key], times))


def ratio(times):
    """Our time as a multiple of theirs."""
    return times[0] / times[1]


def slower(rows, key):
    """The records that take more than LIMIT times as long as scikit-learn's."""
    return [record for record in rows if ratio(record[key]) > LIMIT]


def line(record):
    """A record as a line of text."""
    text = f"{', '.join(filter(None, (record['name'], record['settings']))):50}"
    for key in ("fit", "answer"):
        ours, theirs = record[key]
        text += f" {key} {ours:9.1f} {theirs:9.1f} µs, ratio {ratio(record[key]):5.2f};"
    return text + (f" excess {record['excess']}" if record["excess"] else "")


def main(arguments=None):
    """Measure, print and store."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path, default=JSON)
    chosen = parser.parse_args(arguments)
    result = {"schema": SCHEMA, "date": datetime.date.today().isoformat()}
    result |= {"machine": runner.machine(), "samples": SAMPLES, "features": FEATURES}
    X, targets = data()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of fits that stop early, on either side
        rows = [prepared(*one, X, targets[one[-1]]) for one in ESTIMATORS]
        for turn in range(1, ROUNDS + 1):
            print(f"Round {turn} of {ROUNDS}", flush=True)
            for record, calls in rows:
                take_turns(record, calls)
                if turn == ROUNDS:
                    print(line(record), flush=True)
    result["rows"] = [record for record, _ in rows]
    chosen.json.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
