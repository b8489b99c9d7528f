"""Logistic regression: l2, l1 and elastic-net penalties, two classes and many, dense and sparse.

Equal work means an equal objective: each library gets a tolerance at which its objective, computed
here in float64, is within a relative 1e-6 of the smallest one known, and iterations enough for it.
The smallest one comes from methods that share no code with the project: Newton's method, L-BFGS,
liblinear and accelerated proximal gradients, each run for far longer than any user would.

The l1, elastic-net and sparse cases fit no intercept, because liblinear would penalise it. Left out
are solvers that need more than about ten times the time of the others to reach that objective:
scikit-learn's "saga" where the penalty is l1 or the data are wide or sparse, its "sag" and "saga"
for many classes, and "newton-cholesky" where its Hessian would not fit (sparse, 1e5 features).
"""

import importlib
import warnings

import numpy as np

from benchmarks import floors
from benchmarks.case import Adapter, Case

GOOD_ENOUGH = 1e-6  # relative excess of the objective

# ---------------------------------------------------------------- data


def correlated(rng, n, p, rho=0.5):
    """Gaussian features, each correlated with the one before."""
    X = rng.standard_normal((n, p))
    for j in range(1, p):
        X[:, j] = rho * X[:, j - 1] + np.sqrt(1 - rho * rho) * X[:, j]
    return X


def draw(kind, n, p, dtype, seed, classes=2):
    """Samples X (n, p) and classes y (n,) that overlap: no linear function separates them."""
    rng = np.random.default_rng(seed)
    if kind == "text":
        return draw_text(rng, n, p, dtype)
    X = correlated(rng, n, p)
    # A tenth of the features matter, at least ten.
    matter = rng.choice(p, size=min(p, max(10, p // 10)), replace=False)
    W = np.zeros((p, 1 if classes == 2 else classes))
    W[matter] = rng.standard_normal((matter.size, W.shape[1])) * 2 / np.sqrt(matter.size)
    scores = X @ W
    if classes == 2:
        y = (rng.random(n) < 1 / (1 + np.exp(-scores[:, 0]))).astype(np.int64)
    else:
        y = (scores + rng.gumbel(size=scores.shape)).argmax(axis=1)
    return {"X": np.ascontiguousarray(X, dtype=dtype), "y": y}


def draw_text(rng, n, p, dtype):
    """Documents of equally many different words, some words much more frequent than others.

    Every row has p / 1000 entries, at least 5, so that rows can be cut off: X (n, k) holds the
    values and ``columns`` (n, k) the features.
    """
    k = max(5, p // 1000)
    frequency = 1 / (np.arange(p) + 10.0) ** 0.9
    cumulative = np.cumsum(frequency / frequency.sum())
    columns = np.empty((n, k), dtype=np.int32)
    for i in range(n):
        words = np.empty(0, dtype=np.int64)
        while words.size < k:
            more = np.minimum(np.searchsorted(cumulative, rng.random(2 * k)), p - 1)
            words = np.unique(np.concatenate([words, more]))
        columns[i] = np.sort(rng.permutation(words)[:k])
    rarity = 1 + np.log(n / (1 + np.bincount(columns.ravel(), minlength=p)))
    X = rarity[columns] * (1 + np.log(1 + rng.poisson(0.5, size=(n, k))))
    X /= np.sqrt((X * X).sum(axis=1))[:, None]
    weights = np.where(rng.random(p) < 0.05, 20 * rng.standard_normal(p), 0.0)
    scores = (X * weights[columns]).sum(axis=1)
    y = (rng.random(n) < 1 / (1 + np.exp(-scores))).astype(np.int64)
    return {"X": X.astype(dtype), "columns": columns, "y": y, "width": np.full(n, p)}


def samples(data):
    """The samples, dense or as a CSR matrix (made of the arrays at hand, without a copy)."""
    if "columns" not in data:
        return data["X"]
    from scipy.sparse import csr_matrix

    (n, k), p = data["X"].shape, int(data["width"][0])
    ends = np.arange(n + 1, dtype=np.int32) * k
    return csr_matrix((data["X"].ravel(), data["columns"].ravel(), ends), shape=(n, p))


# ---------------------------------------------------------------- implementations


def penalty_of(options, n):
    """Weights of ||w||_1 and of ||w||^2 / 2 in the mean loss."""
    total = 1 / (options["C"] * n)
    return total * options["l1_ratio"], total * (1 - options["l1_ratio"])


def coefficients(model, data, options, threads):
    """Coefficients (q, p) and intercepts (q,) of a fitted model; one row for two classes."""
    return np.atleast_2d(model.coef_), np.atleast_1d(model.intercept_)


def scikit_like(module, **settings):
    """Build function of LogisticRegression in a package with scikit-learn's interface."""

    def build(data, options, threads):
        kind = importlib.import_module(module).LogisticRegression
        given = dict(settings, C=options["C"], fit_intercept=options["fit_intercept"])
        if options["l1_ratio"] > 0:
            given["l1_ratio"] = options["l1_ratio"]
        return kind(**given).fit(samples(data), data["y"])

    return build


def celer_build(tol):
    """Build function of celer, whose objective is the sum of losses over C."""

    def build(data, options, threads):
        from celer import LogisticRegression

        model = LogisticRegression(
            C=options["C"], fit_intercept=False, tol=tol, max_iter=200, max_epochs=100_000
        )
        return model.fit(samples(data), 2.0 * data["y"] - 1)

    return build


def skglm_build(tol):
    """Build function of skglm: its logistic loss, with l1 or with elastic net, by proximal Newton.

    Its compiled code reads columns, so it gets the samples by columns; the copy is part of the
    work, as it would be inside the library.
    """

    def build(data, options, threads):
        from skglm import GeneralizedLinearEstimator
        from skglm.datafits import Logistic
        from skglm.penalties import L1, L1_plus_L2
        from skglm.solvers import ProxNewton

        X = samples(data)
        X = X.tocsc() if "columns" in data else np.asfortranarray(X)
        total = 1 / (options["C"] * X.shape[0])
        ratio = options["l1_ratio"]
        penalty = L1(total) if ratio == 1 else L1_plus_L2(total, ratio)
        solver = ProxNewton(tol=tol, fit_intercept=False, max_iter=100)
        model = GeneralizedLinearEstimator(Logistic(), penalty, solver)
        model.fit(X, np.where(data["y"] == 1, 1.0, -1.0))
        return model

    return build


OURS = Adapter(
    "litlearn", "litlearn", "litlearn", ("litlearn.linear_model",),
    scikit_like("litlearn.linear_model"), coefficients, ours=True, compiles=True,
)  # fmt: skip


def sklearn(solver, tol, max_iter=10_000):
    """An adapter of one of scikit-learn's solvers."""
    return Adapter(
        f"sklearn-{solver}", f"scikit-learn {solver}", "sklearn", ("sklearn.linear_model",),
        scikit_like("sklearn.linear_model", solver=solver, tol=tol, max_iter=max_iter),
        coefficients,
    )  # fmt: skip


def sklearnex(tol):
    """An adapter of scikit-learn-intelex's L-BFGS."""
    return Adapter(
        "sklearnex", "scikit-learn-intelex", "sklearnex", ("sklearnex.linear_model",),
        scikit_like("sklearnex.linear_model", solver="lbfgs", tol=tol, max_iter=10_000),
        coefficients,
    )  # fmt: skip


def celer(tol):
    """An adapter of celer, which takes double precision only."""
    return Adapter(
        "celer", "celer", "celer", ("celer",), celer_build(tol), coefficients, dtypes=("float64",)
    )  # fmt: skip


def skglm(tol):
    """An adapter of skglm; its first call compiles, and is not measured."""
    return Adapter(
        "skglm", "skglm", "skglm", ("skglm",), skglm_build(tol), coefficients
    )  # fmt: skip


# ---------------------------------------------------------------- quality


def objective(coef, intercept, data, options):
    """Mean loss plus penalty in float64, :eq:`eq-logistic-penalized` divided by C n."""
    X, y = samples(data), data["y"]
    l1, l2 = penalty_of(options, len(y))
    coef = np.asarray(coef, dtype=np.float64)
    scores = product(X, coef.T) + intercept
    if scores.shape[1] == 1:
        losses = np.logaddexp(0, np.where(y == 1, -1, 1) * scores[:, 0])
    else:
        losses = np.logaddexp.reduce(scores, axis=1) - scores[np.arange(len(y)), y]
    return losses.mean() + l1 * np.abs(coef).sum() + l2 / 2 * (coef * coef).sum()


def product(X, W):
    """X @ W in float64 whatever the type of X."""
    if not isinstance(X, np.ndarray):
        return X.astype(np.float64) @ W
    step = max(1, 2**22 // X.shape[1])
    blocks = [X[i : i + step].astype(np.float64) @ W for i in range(0, len(X), step)]
    return np.concatenate(blocks)


def judge(output, data, reference, options):
    """``right``: 1 if the objective is within 1e-6 of the best one; ``excess``: how far it is."""
    excess = objective(*output, data, options) / reference["objective"] - 1
    return {"right": float(excess <= GOOD_ENOUGH), "excess": excess}


def reference(data, options):
    """The smallest objective known, by a slow method that shares no code with the project."""
    if options["l1_ratio"] == 0:
        coef, intercept = smooth_optimum(data, options)
    elif options["l1_ratio"] == 1:
        coef, intercept = l1_optimum(data, options)
    else:
        coef, intercept = proximal_gradient(data, options)
    return {"objective": objective(coef, intercept, data, options)}


def smooth_optimum(data, options):
    """L-BFGS from SciPy, restarted until it gains nothing."""
    from scipy.optimize import minimize

    X, y = samples(data), data["y"]
    X = X.astype(np.float64)
    n, p = X.shape
    l2 = penalty_of(options, n)[1]
    q = int(y.max()) + 1
    rows = 1 if q == 2 else q
    onehot = np.eye(q)[y]
    free = float(options["fit_intercept"])

    def function(v):
        V = v.reshape(rows, p + 1)
        W, b = V[:, :p], V[:, p] * free
        Z = X @ W.T + b
        if rows == 1:
            sign = np.where(y == 1, 1.0, -1.0)
            loss = np.logaddexp(0, -sign * Z[:, 0]).mean()
            R = (-sign * np.exp(-np.logaddexp(0, sign * Z[:, 0])))[:, None] / n
        else:
            top = np.logaddexp.reduce(Z, axis=1)
            loss = (top - Z[np.arange(n), y]).mean()
            R = (np.exp(Z - top[:, None]) - onehot) / n
        G = np.column_stack([(X.T @ R).T + l2 * W, R.sum(axis=0) * free])
        return loss + l2 / 2 * (W * W).sum(), G.ravel()

    v = np.zeros(rows * (p + 1))
    settings = {"maxiter": 2000, "maxfun": 3000, "ftol": 0, "gtol": 1e-9, "maxcor": 30}
    for _ in range(2):
        v = minimize(function, v, jac=True, method="L-BFGS-B", options=settings).x
    V = v.reshape(rows, p + 1)
    return V[:, :p], V[:, p] * free


def l1_optimum(data, options):
    """liblinear at a tolerance far below its default."""
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(
        C=options["C"], l1_ratio=1, solver="liblinear", fit_intercept=False, tol=1e-7,
        max_iter=2000,
    )  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(samples(data).astype(np.float64), data["y"])
    return model.coef_, model.intercept_


def proximal_gradient(data, options):
    """FISTA, restarted when it goes uphill, on the elastic net without an intercept."""
    X, y = samples(data).astype(np.float64), np.where(data["y"] == 1, 1.0, -1.0)
    n, p = X.shape
    l1, l2 = penalty_of(options, n)
    bound = np.linalg.norm(X.T @ X, 2) / (4 * n) + l2
    w, v, t = np.zeros(p), np.zeros(p), 1.0
    for _ in range(5000):
        gradient = -X.T @ (y * np.exp(-np.logaddexp(0, y * (X @ v)))) / n + l2 * v
        new = v - gradient / bound
        new = np.sign(new) * np.maximum(np.abs(new) - l1 / bound, 0)
        if (v - new) @ (new - w) > 0:
            t = 1.0
        faster = (1 + np.sqrt(1 + 4 * t * t)) / 2
        v = new + (t - 1) / faster * (new - w)
        done = np.abs(new - w).max() <= 1e-9 * np.abs(new).max(initial=1e-9)
        w, t = new, faster
        if done:
            break
    return w[None], np.zeros(1)


# ---------------------------------------------------------------- floors


def floor(data, reference, options):
    """The scores and the gradient once: less cannot show that a fit is good."""
    q = int(data["y"].max()) + 1
    names = ("X", "columns") if "columns" in data else ("X",)
    products = 2 * data["X"].size * (1 if q == 2 else q)
    return floors.Floor(floors.size(data, *names), products, "scores and gradient once")


# ---------------------------------------------------------------- cases


class Shape:
    """One line of the table of cases: the work, the data, and the peers with their settings."""

    def __init__(self, work, kind, n, p, peers, aims, **options):
        self.work, self.kind, self.n, self.p = work, kind, n, p
        self.peers, self.aims = peers, aims
        self.classes = options.pop("classes", 2)
        self.options = {"C": 1.0, "l1_ratio": 0.0, "fit_intercept": False} | options


# C is per sample: the penalty on the mean loss is 1 / (C n).
SHAPES = (
    Shape(
        "l2", "tall", 100_000, 100,
        (
            sklearn("lbfgs", 1e-4), sklearn("newton-cg", 1e-3), sklearn("newton-cholesky", 1e-3),
            sklearn("sag", 3e-4), sklearn("saga", 3e-4), sklearnex(1e-3),
        ),
        {"float64": 0.9, "float32": 0.9}, fit_intercept=True,
    ),
    Shape(
        "l2", "narrow", 1_000_000, 10,
        (
            sklearn("lbfgs", 1e-4), sklearn("newton-cg", 1e-3), sklearn("newton-cholesky", 1e-4),
            sklearnex(1e-3),
        ),
        {"float64": 0.9}, fit_intercept=True,
    ),
    Shape(
        "l2", "wide", 5_000, 1_000,
        (
            sklearn("lbfgs", 1e-5), sklearn("newton-cg", 1e-5), sklearn("newton-cholesky", 1e-4),
            sklearnex(1e-3),
        ),
        {"float64": 0.9}, fit_intercept=True,
    ),
    Shape(
        "multinomial", "tall", 50_000, 100,
        (
            sklearn("lbfgs", 3e-5), sklearn("newton-cg", 1e-4), sklearn("newton-cholesky", 1e-3),
            sklearnex(1e-3),
        ),
        {"float64": 0.3}, fit_intercept=True, classes=10,
    ),
    Shape(
        "l1", "wide", 5_000, 5_000,
        (sklearn("liblinear", 1e-3), celer(3e-3), skglm(1e-3)),
        {"float64": 0.8, "float32": 0.8}, l1_ratio=1.0, C=0.02,
    ),
    Shape(
        "l1", "tall", 100_000, 100,
        (sklearn("liblinear", 1e-3), celer(1e-1), skglm(1e-3)),
        {"float64": 0.8}, l1_ratio=1.0, C=0.001,
    ),
    Shape(
        "elastic-net", "tall", 20_000, 500,
        (sklearn("saga", 3e-4), skglm(3e-4)),
        {"float64": 0.8}, l1_ratio=0.5, C=0.01,
    ),
    Shape(
        "l2", "text", 20_000, 100_000,
        (sklearn("lbfgs", 1e-5), sklearn("newton-cg", 1e-6), sklearn("liblinear", 1e-3)),
        {"float64": 0.7},
    ),
    Shape(
        "l1", "text", 20_000, 100_000,
        (sklearn("liblinear", 1e-2), celer(1e-2), skglm(1e-6)),
        {"float64": 0.7}, l1_ratio=1.0,
    ),
    # Half as many coefficients as samples: the least sparse of the l1 cases.
    Shape(
        "l1", "text", 20_000, 100_000,
        (sklearn("liblinear", 1e-4), celer(1e-2), skglm(3e-7)),
        {"float64": 0.7}, l1_ratio=1.0, C=10.0,
    ),
)  # fmt: skip
LABELS = {
    "l2": "l2 penalty",
    "multinomial": "ten classes, l2 penalty",
    "l1": "l1 penalty",
    "elastic-net": "elastic-net penalty",
}
SMALLER = 20


def cases(size):
    """The cases of this family.

    Parameters
    ----------
    size : {"small", "full"}
        "small" keeps a twentieth of the rows, and of the features where there are many, and one
        dtype of each: to try the harness.

    Returns
    -------
    list of Case
    """
    chosen = []
    for seed, shape in enumerate(SHAPES):
        n, p, aims, options = shape.n, shape.p, shape.aims, dict(shape.options)
        if size == "small":
            n, p = n // SMALLER, p if p <= 100 else p // SMALLER
            aims = {"float64": aims["float64"]}
            options["C"] *= SMALLER  # the same penalty on the mean loss
        for dtype, aim in aims.items():

            def make(shape=shape, n=n, p=p, dtype=dtype, seed=seed):
                return draw(shape.kind, n, p, dtype, seed, shape.classes)

            facts = {"data": shape.kind, "n": n, "p": p, "m": n, "classes": shape.classes}
            facts |= {"C": options["C"], "dtype": dtype}
            chosen.append(
                Case(
                    name=f"{shape.work}-{shape.kind}-{n}x{p}-C{options['C']:g}-{dtype}",
                    group="Logistic regression", work=LABELS[shape.work], make=make,
                    adapters=(OURS, *shape.peers), judge=judge, reference=reference,
                    floor=floor, aim=aim, options=options, facts=facts,
                )
            )  # fmt: skip
    return chosen
