"""How far the penalised linear models stop from the minimum, compared with scikit-learn.

At the default settings of both, and at a loose tolerance, neither the coefficients nor the
objective may be further from the minimum than scikit-learn's. The minimum is found by scikit-learn
with a tiny tolerance, then solved exactly on its support, and its optimality is checked.
"""

import functools
import itertools
import warnings
from typing import NamedTuple

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn import datasets
from sklearn import linear_model as theirs

from litlearn import linear_model as ours

# What rounding leaves of an exact solution: so many units in the last place of the data, times the
# condition of the equations on the support. One for each of the about n products of a sum, at most.
UNITS = 100.0


class Problem(NamedTuple):
    """Data, and a penalty: that of scikit-learn's `alpha` as a share of the largest."""

    X: object
    y: np.ndarray
    share: float = 0.1
    l1_ratio: float = 1.0
    positive: bool = False
    weights: np.ndarray | None = None
    fit_intercept: bool = True


# ---------------------------------------------------------------------------------------------
# The table of problems


def draw(n, p, *, correlation=0.0, support=5, targets=None, seed=0):
    """Gaussian columns, each correlated with the one before it; a target, or several."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    for j in range(1, p):
        X[:, j] = correlation * X[:, j - 1] + np.sqrt(1 - correlation**2) * X[:, j]
    W = np.zeros((p, targets or 1))
    W[:support] = rng.normal(size=(min(support, p), targets or 1)) * 2
    Y = X @ W + rng.normal(size=(n, targets or 1)) + 3.0
    return X, Y if targets else Y[:, 0]


def diabetes(standardised=True):
    X, y = datasets.load_diabetes(return_X_y=True)
    return (X * np.sqrt(len(y)) if standardised else X), y


def counts(n, p, seed=0):
    """Sparse word counts."""
    rng = np.random.default_rng(seed)
    X = sp.random_array((n, p), density=0.05, rng=rng, format="csc") * 3
    return X, X[:, :20] @ rng.normal(size=20) + 0.3 * rng.normal(size=n)


def orthogonal(n, p, seed=0):
    X, y = draw(n, p, support=p, seed=seed)
    return np.linalg.qr(X - X.mean(axis=0))[0] * np.geomspace(0.1, 10, p), y


def powers(n, degree):
    """Powers of one feature, standardised: nearly dependent."""
    rng = np.random.default_rng(0)
    t = np.linspace(0, 1, n)
    X = t[:, None] ** np.arange(1, degree + 1)
    return (X - X.mean(0)) / X.std(0), np.sin(5 * t) + 0.1 * rng.normal(size=n)


def single(X, y):
    return X.astype(np.float32), y.astype(np.float32)


def weights_of(n, decades=1):
    return 10.0 ** np.random.default_rng(5).uniform(0, decades, n)


PROBLEMS = {
    "diabetes lasso": Problem(*diabetes(), 0.05),
    "diabetes raw, lasso": Problem(*diabetes(False), 0.05),
    "diabetes lasso, weak": Problem(*diabetes(), 1e-3),
    "diabetes elastic net 0.8": Problem(*diabetes(), 0.02, 0.8),
    "diabetes elastic net 0.5": Problem(*diabetes(), 0.02, 0.5),
    "diabetes elastic net 0.01": Problem(*diabetes(), 0.001, 0.01),
    "diabetes raw, elastic net, strong": Problem(*diabetes(False), 0.5, 0.5),
    "diabetes positive": Problem(*diabetes(), 0.02, 0.9, positive=True),
    "diabetes weighted": Problem(*diabetes(), 0.02, 0.8, weights=weights_of(442)),
    "diabetes weights over six decades": Problem(*diabetes(), 0.1, 0.8, weights=weights_of(442, 6)),
    "diabetes without intercept": Problem(*diabetes(), 0.02, 0.8, fit_intercept=False),
    "tall": Problem(*draw(2000, 30), 0.05),
    "tall, many coefficients": Problem(*draw(1000, 100, support=100), 0.01, 0.9),
    "tall, correlated 0.9": Problem(*draw(500, 60, correlation=0.9), 0.01),
    "tall, correlated 0.99": Problem(*draw(500, 40, correlation=0.99, support=20), 0.01, 0.95),
    "square": Problem(*draw(100, 100), 0.05),
    "wide": Problem(*draw(60, 400), 0.2),
    "wide, weak": Problem(*draw(60, 400), 0.02),
    "wide, elastic net 0.5": Problem(*draw(60, 400), 0.05, 0.5),
    "wide, elastic net 0.01": Problem(*draw(60, 200), 0.01, 0.01),
    "wide, correlated 0.9": Problem(*draw(80, 300, correlation=0.9), 0.05, 0.9),
    "wide, positive": Problem(*draw(60, 400), 0.05, positive=True),
    "wide, weighted": Problem(*draw(60, 300), 0.1, 0.7, weights=weights_of(60)),
    "strong": Problem(*draw(200, 50), 0.9),
    "orthogonal": Problem(*orthogonal(100, 20), 0.05),
    "orthogonal, elastic net": Problem(*orthogonal(100, 20), 0.05, 0.5),
    "powers": Problem(*powers(200, 6), 0.01, 0.9),
    "one feature": Problem(*draw(50, 1), 0.3, 0.5),
    "sparse": Problem(*counts(300, 500), 0.05),
    "sparse, elastic net": Problem(*counts(300, 500), 0.05, 0.5),
    "sparse, positive": Problem(*counts(300, 500), 0.05, 0.9, positive=True),
    "sparse, weighted": Problem(*counts(300, 500), 0.05, 0.9, weights=weights_of(300)),
    "sparse, tall, without intercept": Problem(*counts(3000, 100), 0.02, fit_intercept=False),
    "float32, tall": Problem(*single(*draw(500, 30)), 0.02, 0.9),
    "float32, wide": Problem(*single(*draw(60, 300)), 0.1),
    "float32, correlated": Problem(*single(*draw(300, 40, correlation=0.9)), 0.02, 0.9),
    "tasks, tall": Problem(*draw(300, 20, targets=3), 0.05),
    "tasks, elastic net 0.5": Problem(*draw(300, 20, targets=3), 0.05, 0.5),
    "tasks, wide": Problem(*draw(50, 100, targets=2), 0.2),
    "tasks, weak": Problem(*draw(80, 40, correlation=0.5, targets=3), 0.01, 0.9),
    "tasks, correlated 0.9": Problem(*draw(200, 30, correlation=0.9, targets=2), 0.05, 0.7),
    "tasks, float32": Problem(*single(*draw(200, 20, targets=2)), 0.05),
}


# ---------------------------------------------------------------------------------------------
# The minimum


class Minimum(NamedTuple):
    """Where ``||y - X w||^2 / 2 + alpha sum_j ||w_j|| + beta ||w||^2 / 2`` is least.

    X (n, p) and y (n, k) are centred and weighted, and w has a row for each feature.
    """

    w: np.ndarray  # (p, k)
    X: np.ndarray
    gradient: np.ndarray  # (p, k): of the squares and of beta, with the sign turned
    alpha: float
    beta: float
    condition: float  # of the equations on the support

    def distance(self, w):
        return np.linalg.norm(self.w - np.asarray(w, float).T.reshape(self.w.shape))

    def excess(self, w):
        """Objective minus its minimum, without their cancellation."""
        w = np.asarray(w, float).T.reshape(self.w.shape)
        d = w - self.w
        lengths = np.linalg.norm(w, axis=1) - np.linalg.norm(self.w, axis=1)
        linear = self.alpha * lengths - np.einsum("jk,jk->j", self.gradient, d)
        return 0.5 * (np.sum((self.X @ d) ** 2) + self.beta * np.sum(d**2)) + linear.sum()


def prepared(X, y, weights, centred):
    """Centred and weighted samples and targets (n, k), of weights with the sum n."""
    X = np.asarray(X.toarray() if sp.issparse(X) else X, float)
    Y = np.asarray(y, float).reshape(len(X), -1)
    v = np.ones(len(X)) if weights is None else weights * (len(X) / weights.sum())
    if centred:
        X, Y = X - np.average(X, axis=0, weights=v), Y - np.average(Y, axis=0, weights=v)
    return X * np.sqrt(v)[:, None], Y * np.sqrt(v)[:, None]


def newton(X, Y, w, alpha, beta):
    """Solve the equations of rows that are not zero, from near; return them and their condition."""
    (p, k), eye = w.shape, np.eye(w.shape[1])
    G, C = X.T @ X, X.T @ Y
    for _ in range(30 if k > 1 else 2):
        u = w / np.linalg.norm(w, axis=1, keepdims=True)
        curvature = np.kron(G, eye) + beta * np.eye(p * k)
        for j in range(p):
            block = slice(j * k, (j + 1) * k)
            curvature[block, block] += alpha / np.linalg.norm(w[j]) * (eye - np.outer(u[j], u[j]))
        step = np.linalg.solve(curvature, (C - G @ w - beta * w - alpha * u).ravel())
        w = w + step.reshape(p, k)
        if np.linalg.norm(step) <= 1e-15 * np.linalg.norm(w):
            break
    return w, np.linalg.cond(curvature)


def minimum(X, Y, alpha, beta, w, positive=False):
    """Find the minimum from coefficients near it: what is zero there is changed until all fits."""
    for _ in range(100):
        used, condition = np.linalg.norm(w, axis=1) > 0.0, 1.0
        if used.any():
            new = w.copy()
            new[used], condition = newton(X[:, used], Y, w[used], alpha, beta)
            turned = used & (np.einsum("jk,jk->j", w, new) <= 0.0)
            if turned.any():
                w[turned] = 0.0
                continue
            w = new
        gradient = X.T @ (Y - X @ w) - beta * w
        sizes = gradient[:, 0] if positive else np.linalg.norm(gradient, axis=1)
        beyond = np.where(used, -np.inf, sizes - alpha * (1 + 1e-12))
        if beyond.max(initial=-np.inf) <= 0.0:
            break
        worst = np.argmax(beyond)
        w[worst] = 1e-6 * gradient[worst] / np.sum(X[:, worst] ** 2)
    else:
        raise AssertionError("no support was found")
    u = w[used] / np.linalg.norm(w[used], axis=1, keepdims=True)
    assert np.abs(gradient[used] - alpha * u).max(initial=0.0) <= 1e-10 * np.linalg.norm(X.T @ Y)
    gradient[used] = alpha * u
    return Minimum(w, X, gradient, alpha, beta, condition)


def minimum_of(problem, alpha, start):
    """The minimum for a penalty in the estimators' units."""
    X, Y = prepared(problem.X, problem.y, problem.weights, problem.fit_intercept)
    n, l1 = len(X), problem.l1_ratio
    w = np.array(start, float).T.reshape(X.shape[1], Y.shape[1])
    return minimum(X, Y, n * alpha * l1, n * alpha * (1 - l1), w, problem.positive)


def alpha_of(problem):
    X, Y = prepared(problem.X, problem.y, problem.weights, problem.fit_intercept)
    products = X.T @ Y
    sizes = products[:, 0] if problem.positive else np.linalg.norm(products, axis=1)
    return problem.share * sizes.max() / (len(X) * problem.l1_ratio)


def fitted(module, problem, **given):
    """A fitted estimator."""
    name = "ElasticNet" if problem.y.ndim == 1 else "MultiTaskElasticNet"
    given |= {"l1_ratio": problem.l1_ratio, "fit_intercept": problem.fit_intercept}
    if problem.positive:
        given["positive"] = True
    kind = getattr(module, name)
    with warnings.catch_warnings():
        if module is theirs:
            warnings.simplefilter("ignore")  # it may give up before it is at its goal
        weights = () if problem.weights is None else (problem.weights,)
        return kind(**given).fit(problem.X, problem.y, *weights)


@functools.cache
def exact_start(name, alpha):
    """Coefficients near the minimum."""
    return fitted(theirs, PROBLEMS[name], alpha=alpha, tol=1e-10, max_iter=20_000).coef_


def rounding(best, dtype):
    """What rounding leaves of the distance and of the excess, for coefficients of a type."""
    left = UNITS * np.finfo(dtype).eps * best.condition * np.linalg.norm(best.w)
    return left, 0.5 * left**2 * np.linalg.norm(best.X, 2) ** 2


@pytest.mark.parametrize("tol", [1e-2, 1e-4])
@pytest.mark.parametrize("name", PROBLEMS)
def test_no_further_from_the_minimum_than_scikit_learn(name, tol):
    problem = PROBLEMS[name]
    alpha = alpha_of(problem)
    best = minimum_of(problem, alpha, exact_start(name, alpha))
    mine, other = (fitted(module, problem, alpha=alpha, tol=tol).coef_ for module in (ours, theirs))
    distance, excess = rounding(best, mine.dtype)
    assert best.distance(mine) <= best.distance(other) + distance
    assert best.excess(mine) <= best.excess(other) + excess


PATHS = {
    "diabetes": Problem(*diabetes()),
    "diabetes, elastic net 0.8": Problem(*diabetes(), l1_ratio=0.8),
    "diabetes, elastic net 0.1, positive": Problem(*diabetes(), l1_ratio=0.1, positive=True),
    "tall, correlated 0.9": Problem(*draw(300, 40, correlation=0.9), l1_ratio=0.9),
    "wide": Problem(*draw(60, 200)),
    "wide, elastic net 0.5": Problem(*draw(60, 200), l1_ratio=0.5),
    "sparse": Problem(*counts(300, 200), l1_ratio=0.9),
    "float32": Problem(*single(*draw(200, 30)), l1_ratio=0.8),
    "tasks": Problem(*draw(100, 30, targets=2), l1_ratio=0.8),
}


def quietly(call, *args, **given):
    """What scikit-learn returns, without its warnings that it gave up."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return call(*args, **given)


@pytest.mark.parametrize("name", PATHS)
def test_paths_are_no_further_from_the_minimum_than_scikit_learns(name):
    problem = PATHS[name]
    if not sp.issparse(problem.X):
        centred = problem.X - problem.X.mean(axis=0), problem.y - problem.y.mean(axis=0)
        problem = problem._replace(X=centred[0], y=centred[1])
    problem = problem._replace(fit_intercept=False)
    setting = {"l1_ratio": problem.l1_ratio, "alphas": 8, "eps": 5e-3}
    setting |= {"positive": True} if problem.positive else {}
    data = problem.X, problem.y
    alphas, mine, _ = ours.enet_path(*data, **setting)
    setting["alphas"] = alphas
    _, other, _ = quietly(theirs.enet_path, *data, **setting)
    _, start, _ = quietly(theirs.enet_path, *data, **setting, tol=1e-12, max_iter=20_000)
    for i, alpha in enumerate(alphas):
        best = minimum_of(problem, alpha, start[..., i])
        distance, excess = rounding(best, mine.dtype)
        # The first penalty of the grid is the largest product, to the last bit or not.
        distance += UNITS * np.finfo(mine.dtype).eps * np.abs(mine).max()
        assert best.distance(mine[..., i]) <= best.distance(other[..., i]) + distance
        assert best.excess(mine[..., i]) <= best.excess(other[..., i]) + excess


CHOICES = {
    "diabetes": Problem(*diabetes()),
    "diabetes, elastic net 0.8": Problem(*diabetes(), l1_ratio=0.8),
    "diabetes, weighted": Problem(*diabetes(), l1_ratio=0.5, weights=weights_of(442)),
    "wide": Problem(*draw(60, 150), l1_ratio=0.9),
    "sparse": Problem(*counts(200, 100), l1_ratio=0.9),
    "float32": Problem(*single(*draw(200, 30)), l1_ratio=0.8),
}


@pytest.mark.parametrize("name", CHOICES)
def test_errors_of_folds_are_no_further_from_the_truth_than_scikit_learns(name):
    problem = CHOICES[name]
    X, y, weights = problem.X, problem.y, problem.weights
    setting = {"l1_ratio": problem.l1_ratio, "alphas": 8, "eps": 5e-3, "cv": 3}
    given = () if weights is None else (weights,)
    mine = ours.ElasticNetCV(**setting).fit(X, y, *given)
    setting["alphas"] = mine.alphas_
    other = quietly(theirs.ElasticNetCV(**setting).fit, X, y, *given)
    rows = X.tocsr() if sp.issparse(X) else X
    exact, n = np.empty(mine.mse_path_.shape), len(y)
    for f, test in enumerate(np.array_split(np.arange(n), 3)):
        train = np.setdiff1d(np.arange(n), test)
        v = np.ones(n) if weights is None else weights
        part = problem._replace(X=rows[train], y=y[train], weights=v[train])
        for i, alpha in enumerate(mine.alphas_):
            start = quietly(fitted, theirs, part, alpha=alpha, tol=1e-12, max_iter=20_000)
            w = minimum_of(part, alpha, start.coef_).w[:, 0]
            dense = np.asarray(rows[train].toarray() if sp.issparse(rows) else rows[train], float)
            means = np.average(np.c_[dense, y[train]], axis=0, weights=v[train])
            residual = y[test] - rows[test] @ w - (means[-1] - means[:-1] @ w)
            exact[i, f] = np.average(residual**2, weights=v[test])
    left = UNITS * np.finfo(mine.coef_.dtype).eps * 100 * exact.max()  # conditions up to 100
    assert np.abs(mine.mse_path_ - exact).max() <= np.abs(other.mse_path_ - exact).max() + left
    chosen = np.argmin(exact.mean(axis=1))
    assert mine.alpha_ == mine.alphas_[chosen]
    start = quietly(fitted, theirs, problem, alpha=mine.alpha_, tol=1e-12, max_iter=20_000)
    best = minimum_of(problem, mine.alpha_, start.coef_)
    model = quietly(fitted, theirs, problem, alpha=mine.alpha_)
    assert best.distance(mine.coef_) <= best.distance(model.coef_) + rounding(best, X.dtype)[0]


SCALES = (1e-100, 1e-30, 1e30, 1e100)
SCALED = [("diabetes elastic net 0.5", one, one) for one in SCALES]
for one in ("tall", "wide", "sparse", "tasks, tall"):
    SCALED += [(one, *two) for two in itertools.product((1.0, *SCALES), repeat=2)][1:]


@pytest.mark.parametrize(("name", "X_scale", "y_scale"), SCALED)
def test_no_scale_of_the_data_makes_it_less_exact(name, X_scale, y_scale):
    """As exact as scikit-learn at the scale 1. A penalty has the unit of a product of X and y.

    With an l2 penalty, which has the unit of a square of X, both have the same scale here.
    """
    problem = PROBLEMS[name]
    alpha = alpha_of(problem)
    best = minimum_of(problem, alpha, exact_start(name, alpha))
    other = fitted(theirs, problem, alpha=alpha).coef_
    scaled = problem._replace(X=problem.X * X_scale, y=problem.y * y_scale)
    mine = fitted(ours, scaled, alpha=alpha * X_scale * y_scale).coef_ / y_scale * X_scale
    distance, excess = rounding(best, mine.dtype)
    assert best.distance(mine) <= best.distance(other) + distance
    assert best.excess(mine) <= best.excess(other) + excess
