"""Support vector machines.

Equal work means an equal objective. For the machines with kernels it is the dual one, computed in
float64 from the coefficients alone, and each library stops at the same tolerance; for the linear
ones it is the primal one. Within a relative 1e-6 of that of LIBSVM or liblinear, through
scikit-learn at a tenth of its default tolerance or less, counts as right. With losses that are not
squared, liblinear does not come so close on dense samples in any reasonable time. There both have
their default settings, and the yardstick is a fit of ours whose duality gap is smaller than what
counts as right; liblinear ends with a larger objective, which the results state. Predictions are
right where they have the sign of LIBSVM's decision function, or where that is closer to zero than
ten tolerances. In the case of predictions the time is that of the fit and of the predictions of
100,000 samples.

The data are *clouds*, two classes of several normal clouds each; *waves*, a smooth function with
noise; *line*, a linear function with noise; *plane*, the two sides of a hyperplane with noise; and
*text*, sparse documents of 60 words. The kernel is the Gaussian one.
"""

import importlib
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from benchmarks import floors
from benchmarks.case import Adapter, Case

GOOD_ENOUGH = 1e-6  # relative distance of the objective
BLOCK = 2000
TOL = 1e-3
QUERIES = 100_000

# ---------------------------------------------------------------- data


def clouds(rng, n, p):
    """Two classes, each of several Gaussian clouds that overlap with those of the other."""
    centres = 1.3 * rng.standard_normal((8, p)) / np.sqrt(p) * np.sqrt(20)
    label = rng.integers(0, 8, n)
    X = 0.5 * centres[label] + rng.standard_normal((n, p))
    y = label % 2
    return X, np.where(rng.random(n) < 0.05, 1 - y, y)


def waves(rng, n, p):
    """A smooth function of three features, the others without effect, and noise."""
    X = rng.standard_normal((n, p))
    return X, np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.3 * rng.standard_normal(n)


def line(rng, n, p):
    """A linear function of all features, and noise."""
    X = rng.standard_normal((n, p))
    return X, X @ rng.standard_normal(p) + rng.standard_normal(n)


def plane(rng, n, p):
    """Two classes on the sides of a hyperplane, with noise."""
    X = rng.standard_normal((n, p))
    scores = X @ rng.standard_normal(p) / np.sqrt(p)
    return X, (scores + 0.5 * rng.standard_normal(n) > 0).astype(np.int64)


def text(rng, n, p):
    """Documents of 60 words, some words much more frequent than others: rows of a CSR matrix."""
    columns = np.minimum((20 * rng.pareto(1.0, size=(n, 60))).astype(np.int32), p - 1)
    columns.sort(axis=1)
    X = rng.random((n, 60)) + 0.1
    X /= np.sqrt((X * X).sum(axis=1, keepdims=True))
    weights = rng.standard_normal(p)
    scores = (X * weights[columns]).sum(axis=1)
    return X, (scores + 0.3 * scores.std() * rng.standard_normal(n) > 0).astype(np.int64), columns


KINDS = {"clouds": clouds, "waves": waves, "line": line, "plane": plane}


def draw(kind, n, p, seed, queries=0):
    """Samples X (n, p) with targets y (n,); queries Q; for text, values and ``columns``."""
    rng = np.random.default_rng(seed)
    if kind == "text":
        X, y, columns = text(rng, n, p)
        return {"X": X, "y": y, "columns": columns, "width": np.full(n, p)}
    X, y = {"clouds": clouds, "waves": waves, "line": line, "plane": plane}[kind](
        rng, n + queries, p
    )
    data = {"X": X[:n].copy(), "y": y[:n].copy()}
    return data | {"Q": X[n:].copy()} if queries else data


def samples(data):
    """The samples, dense or as a CSR matrix."""
    if "columns" not in data:
        return data["X"]
    from scipy.sparse import csr_matrix

    (n, k), p = data["X"].shape, int(data["width"][0])
    ends = np.arange(n + 1, dtype=np.int32) * k
    parts = data["X"].ravel(), data["columns"].ravel(), ends
    matrix = csr_matrix(parts, shape=(n, p), copy=True)
    matrix.sum_duplicates()  # in place
    return matrix


# ---------------------------------------------------------------- implementations


def scikit_like(package, **more):
    """Build function of a machine in a package with scikit-learn's interface."""

    def build(data, options, threads):
        kind = getattr(importlib.import_module(package), options["estimator"])
        return kind(**options["given"], **more).fit(samples(data), data["y"])

    return build


def fitted(model, data, options, threads):
    """What a fit has found: beta (n,), or coefficients and intercept."""
    if options["estimator"].startswith("Linear"):
        return np.append(np.ravel(model.coef_), model.intercept_)
    beta = np.zeros(len(data["y"]))
    beta[model.support_] = np.asarray(model.dual_coef_)[0]
    return beta


def predict(model, data, options, threads):
    """Classes of the queries."""
    return model.predict(data["Q"])


def adapters(query, linear, sparse):
    """The implementations; scikit-learn-intelex has machines with kernels only.

    For squared losses, liblinear has a solver of the primal problem, which scikit-learn chooses for
    more samples than features, and one of the dual problem. Both are run on sparse data. On dense
    ones with a thousand samples for each feature the dual one takes minutes where the primal one
    takes a second.
    """
    ours = Adapter(
        "litlearn", "litlearn", "litlearn", ("litlearn.svm",), scikit_like("litlearn.svm"), query,
        ours=True, compiles=True,
    )  # fmt: skip
    sklearn = Adapter(
        "sklearn", "scikit-learn", "sklearn", ("sklearn.svm",), scikit_like("sklearn.svm"), query
    )
    intelex = Adapter(
        "sklearnex", "scikit-learn-intelex", "sklearnex", ("sklearnex.svm",),
        scikit_like("sklearnex.svm"), query,
    )  # fmt: skip
    if not linear:
        return ours, sklearn, intelex
    if not sparse:
        return ours, sklearn
    dual = sklearn._replace(
        name="sklearn-dual", label="scikit-learn, dual", build=scikit_like("sklearn.svm", dual=True)
    )
    return ours, sklearn, dual


# ---------------------------------------------------------------- quality


def product(data, beta, gamma):
    """The Gram matrix of the RBF kernel times beta, a block of rows at a time."""
    X = data["X"]
    used = np.flatnonzero(beta)
    S, norms = X[used], (X * X).sum(axis=1)
    total = np.empty(len(X))
    for start in range(0, len(X), BLOCK):
        rows = slice(start, start + BLOCK)
        squares = norms[rows, None] + norms[used] - 2 * X[rows] @ S.T
        total[rows] = np.exp(-gamma * np.maximum(squares, 0)) @ beta[used]
    return total


def objective(output, data, options):
    """Dual objective of a machine with a kernel, negated, or primal one of a linear machine."""
    if options["estimator"].startswith("Linear"):
        scores = samples(data) @ output[:-1] + output[-1]
        if options["estimator"] == "LinearSVR":
            miss = np.abs(data["y"] - scores)
        else:
            miss = np.maximum(0.0, 1 - (2.0 * data["y"] - 1) * scores)
        power = 1 if has_corners(options) else 2
        return 0.5 * output @ output + options["given"].get("C", 1.0) * np.sum(miss**power)
    is_regression = options["estimator"] == "SVR"
    target = data["y"] if is_regression else 2.0 * data["y"] - 1
    value = 0.5 * output @ product(data, output, options["given"]["gamma"]) - target @ output
    return value + 0.1 * np.abs(output).sum() if is_regression else value


def has_corners(options):
    """Whether the loss of a linear machine is not squared."""
    return options["estimator"] == "LinearSVR" or options["given"].get("loss") == "hinge"


def judge(output, data, reference, options):
    """``right``: 1 if the objective is close enough; ``excess``: how far it is, relatively."""
    best = float(reference["objective"])
    excess = (objective(output, data, options) - best) / abs(best)
    allowed = True
    if not options["estimator"].startswith("Linear"):  # beta has bounds, and sums to 0
        C = options["given"]["C"]
        allowed = np.abs(output).max() <= C * (1 + 1e-9) and abs(output.sum()) <= 1e-6 * C
    return {"right": float(allowed and excess <= GOOD_ENOUGH), "excess": excess}


def reference(data, options):
    """The objective of LIBSVM or liblinear, at a tenth of the default tolerance; or of ours."""
    if has_corners(options) and "columns" not in data:
        kind = getattr(importlib.import_module("litlearn.svm"), options["estimator"])
        model = kind(**options["given"] | {"tol": 1e-8}).fit(data["X"], data["y"])
        found = objective(fitted(model, data, options, 1), data, options)
        if np.max(model.dual_gap_) > 0.1 * GOOD_ENOUGH * found:
            raise RuntimeError(f"The yardstick has a gap of {model.dual_gap_} at {found}.")
        return {"objective": found}
    changed = {"tol": 0.1 * min(1e-4, options["given"]["tol"])}
    if not options["estimator"].startswith("Linear"):
        changed["cache_size"] = 2000  # MB
    model = peer(data, options, changed)
    output = fitted(model, data, options, 1)
    return {"objective": objective(output, data, options), "support": np.count_nonzero(output)}


def peer(data, options, changed):
    """A machine of scikit-learn, with some parameters changed."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        kind = getattr(importlib.import_module("sklearn.svm"), options["estimator"])
        return kind(**options["given"] | changed).fit(samples(data), data["y"])


def judge_predictions(predicted, data, reference, options):
    """``right``: the share of samples with the sign of the reference, or too close to tell."""
    score = reference["score"]
    close = np.abs(score) <= 10 * TOL
    return {"right": float(np.mean(close | (predicted == (score > 0))))}


def reference_scores(data, options):
    """LIBSVM's decision function."""
    model = peer(data, options, {})
    with ThreadPoolExecutor() as pool:
        scores = list(pool.map(model.decision_function, np.array_split(data["Q"], 8)))
    return {"score": np.concatenate(scores), "support": len(model.support_)}


# ---------------------------------------------------------------- floors


def floor(data, reference, options):
    """The kernel of the support vectors and all samples; of a linear machine, the scores and the
    gradient once. Less cannot show that a fit is good."""
    (n, p), q = data["X"].shape, len(data.get("Q", ()))
    if options["estimator"].startswith("Linear"):
        names = ("X", "columns") if "columns" in data else ("X",)
        return floors.Floor(floors.size(data, *names), 2 * n * p, "scores and gradient once")
    k = reference["support"]
    products = p * (k * (n - k) + floors.pairs(k) + k * q)
    return floors.Floor(floors.size(data), products, "kernel of samples and support vectors")


# ---------------------------------------------------------------- cases

# (work, estimator, kind of data, samples, features, parameters, aim)
SHAPES = (
    ("fit", "SVC", "clouds", 10_000, 20, {"C": 1.0}, 0.9),
    ("fit", "SVC", "clouds", 10_000, 20, {"C": 100.0}, 0.9),
    ("fit", "SVC", "clouds", 15_000, 50, {"C": 1.0}, 0.9),
    ("fit", "SVR", "waves", 8_000, 10, {"C": 1.0}, 0.9),
    ("predict", "SVC", "clouds", 10_000, 20, {"C": 1.0}, 0.5),
    ("fit", "LinearSVC", "plane", 100_000, 100, {}, 0.9),
    ("fit", "LinearSVC", "plane", 20_000, 20, {"loss": "hinge"}, None),
    ("fit", "LinearSVR", "line", 20_000, 20, {}, None),
    ("fit", "LinearSVR", "line", 2_000, 30, {"C": 100.0}, None),
    ("fit", "LinearSVC", "text", 20_000, 100_000, {}, 0.9),
    ("fit", "LinearSVC", "text", 20_000, 100_000, {"loss": "hinge"}, 0.9),
    ("fit", "LinearSVC", "text", 50_000, 20_000, {}, 0.9),
    ("fit", "LinearSVC", "text", 5_000, 1_000_000, {}, 0.9),
)
SMALLER = 20
LINEAR = {  # tolerances at which the objectives are right, and far more passes than are needed
    "hinge": {"tol": 1e-6, "max_iter": 1_000_000},
    "squared_hinge": {"tol": 1e-4, "max_iter": 10_000},
}


def written(name, value):
    """A parameter in the name of a case."""
    return f"-{value}" if isinstance(value, str) else f"-{name}{value:g}"


def cases(size):
    """The cases of this family.

    Parameters
    ----------
    size : {"small", "full"}
        "small" keeps a twentieth of the rows: to try the harness.

    Returns
    -------
    list of Case
    """
    chosen = []
    for seed, (work, estimator, kind, n, p, given, aim) in enumerate(SHAPES):
        asks, linear = work == "predict", estimator.startswith("Linear")
        group = "Linear machines" if linear else "Machines with kernels"
        queries = QUERIES if asks else 0
        if size == "small":
            n, queries = n // SMALLER, queries // SMALLER
        options = {"kernel": "rbf", "gamma": 1 / p, "tol": TOL}
        if linear:
            options = {"random_state": 0}
            if kind == "text" or (estimator == "LinearSVC" and "loss" not in given):
                options |= LINEAR[given.get("loss", "squared_hinge")]

        def make(kind=kind, n=n, p=p, seed=seed, queries=queries):
            return draw(kind, n, p, seed, queries)

        setting = "".join(written(name, value) for name, value in given.items())
        facts = {"data": kind, "n": n, "p": p, "m": queries or n, "dtype": "float64"} | given
        chosen.append(
            Case(
                name=f"{'predict-' if asks else ''}{estimator}-{kind}-{n}x{p}{setting}",
                group="Fit and predictions of machines" if asks else group, work=estimator,
                make=make, adapters=adapters(predict if asks else fitted, linear, kind == "text"),
                judge=judge_predictions if asks else judge,
                reference=reference_scores if asks else reference, floor=floor,
                aim=aim, aim_peer="sklearn" if asks else None,
                options={"estimator": estimator, "given": options | given}, facts=facts,
            )
        )  # fmt: skip
    return chosen
