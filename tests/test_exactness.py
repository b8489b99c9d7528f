"""Exactness: at default settings, nothing here is farther from the minimum than scikit-learn's.

A table of problems over the families of solvers: sizes, conditions, penalties, scales. For each,
both packages fit with their defaults. Two numbers judge them: the excess of the objective over the
least one known, and the distance of the coefficients from those that belong to it. The table of the
lasso and its relatives is with their tests.
"""

import warnings
from typing import NamedTuple

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.cluster
import sklearn.linear_model
import sklearn.metrics
import sklearn.mixture
import sklearn.svm
from scipy.special import logsumexp

import litlearn.cluster
import litlearn.linear_model
import litlearn.mixture
import litlearn.svm

# What rounding may do, relatively: an objective is a sum of hundreds of terms, each with the
# rounding of a matrix product and of a support that was found in float32; and where an objective is
# flat to 1e-16, its minimum is only known to the root of that.
OBJECTIVE, PLACE = 1e-11, 1e-8


class Fit(NamedTuple):
    """What a fit, or each of m fits, found, as far as it is judged."""

    objective: np.ndarray  # (m,)
    place: np.ndarray  # (m, d): coefficients, or what distances are to be taken of


def fit_of(objective, *places):
    return Fit(np.array([objective]), np.concatenate([np.ravel(one) for one in places])[None])


def cloud(seed, n, p, q=2, spread=1.0, apart=1.0):
    """Correlated samples (n, p), whose scales go over `spread`, targets, and q classes."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p)) + 0.7 * rng.standard_normal((n, 1))
    X[:, : p // 2] += apart * rng.standard_normal(p // 2)
    W = rng.standard_normal((q, p)) * (rng.random(p) < 0.6) / np.sqrt(p)
    Z = X @ W.T + 0.5 * rng.gumbel(size=(n, q))
    return X * np.logspace(0.0, np.log10(spread), p), Z[:, 1] - Z[:, 0], Z.argmax(axis=1)


def thinned(X, seed):
    """The samples with four fifths of their entries zero."""
    return X * (np.random.default_rng(seed + 1).random(X.shape) < 0.2)


def clumps(seed, n, p, k, apart):
    """Samples (n, p) around k places."""
    rng = np.random.default_rng(seed)
    return (
        rng.standard_normal((n, p)) + apart * rng.standard_normal((k, p))[rng.integers(k, size=n)]
    )


# ---------------------------------------------------------------------------------------------
# Families: each fits a problem with one of the packages, by its defaults or as exactly as it can.


def logistic_objective(X, y, s, w, b, C, l1_ratio):
    Z = X @ w.T + b
    Z = np.column_stack([np.zeros(len(X)), Z]) if len(w) == 1 else Z
    loss = s @ (logsumexp(Z, axis=1) - Z[np.arange(len(X)), y])
    return C * loss + l1_ratio * np.abs(w).sum() + 0.5 * (1 - l1_ratio) * np.sum(w**2)


def logistic(package, exact, seed, *, n=200, p=8, q=2, form="dense", weights=False, factor=1.0,
             solver="lbfgs", C=1.0, l1_ratio=0.0, intercept=True, **kind):  # fmt: skip
    X, _, y = cloud(seed, n, p, q, **kind)
    X = thinned(X, seed) if form == "sparse" else factor * X
    X = X.astype(np.float32).astype(np.float64) if form == "float32" else X
    s = np.random.default_rng(seed).exponential(size=n) if weights else np.ones(n)
    settings = {"C": C, "l1_ratio": l1_ratio, "fit_intercept": intercept, "random_state": 0}
    settings |= {"solver": solver} if package is sklearn else {}
    settings |= {"tol": 1e-12, "max_iter": 2000} if exact else {}
    given = X.astype(np.float32) if form == "float32" and not exact else X
    given = sp.csr_array(X) if form == "sparse" else given
    model = package.linear_model.LogisticRegression(**settings)
    model.fit(given, y, sample_weight=s if weights else None)
    w, b = model.coef_.astype(np.float64), np.float64(model.intercept_)
    return fit_of(logistic_objective(X, y, s, w, b, C, l1_ratio), w, b)


def logistic_path(package, exact, seed, *, n=150, p=6, q=2, l1_ratio=0.0, solver="lbfgs"):
    X, _, y = cloud(seed, n, p, q)
    folds = [(np.flatnonzero(np.arange(n) % 3 != f), np.arange(f, n, 3)) for f in range(3)]
    settings = {"solver": solver} if package is sklearn else {}
    settings |= {"tol": 1e-12, "max_iter": 2000} if exact else {}
    Cs = np.logspace(-4, 4, 7)
    model = package.linear_model.LogisticRegressionCV(
        Cs=Cs, l1_ratios=(l1_ratio,), cv=folds, use_legacy_attributes=False, scoring="accuracy",
        refit=False, **settings
    ).fit(X, y)  # fmt: skip
    paths = model.coefs_paths_[:, 0]  # (folds, Cs, rows, features and 1)
    objective = [
        logistic_objective(X[i], y[i], np.ones(len(i)), w[:, :-1], w[:, -1], C, l1_ratio)
        for (i, _), path in zip(folds, paths, strict=True)
        for w, C in zip(path, Cs, strict=True)
    ]
    return Fit(np.array(objective), paths.reshape(len(objective), -1))


def linear_machine(package, exact, seed, *, name="LinearSVC", n=200, p=8, form="dense", C=1.0,
                   loss="squared_hinge", penalty="l2", epsilon=0.0, scale=1.0, **kind):  # fmt: skip
    X, score, y = cloud(seed, n, p, **kind)
    X, classes = thinned(X, seed) if form == "sparse" else X, name == "LinearSVC"
    settings = {"C": C, "loss": loss, "random_state": 0}
    settings |= {"penalty": penalty} if classes else {"epsilon": epsilon}
    settings |= {"tol": 1e-10, "max_iter": 20_000} if exact else {}
    target = y if classes else scale * score
    model = getattr(package.svm, name)(**settings)
    model.fit(sp.csr_array(X) if form == "sparse" else X, target)
    w = np.append(model.coef_, model.intercept_)
    f = X @ w[:-1] + w[-1]
    miss = np.maximum(1.0 - (2 * y - 1) * f if classes else np.abs(target - f) - epsilon, 0.0)
    price = np.abs(w).sum() if penalty == "l1" else 0.5 * w @ w
    return fit_of(price + C * np.sum(miss**2 if loss.startswith("squared") else miss), w)


def machine(package, exact, seed, *, name="SVC", n=200, p=5, factor=1.0, **settings):
    X, score, y = cloud(seed, n, p)
    X, target = factor * X, y if "SVC" in name else 3.0 * np.tanh(score)
    limits = {"tol": 1e-9, "max_iter": 300_000} if exact else {}
    model = getattr(package.svm, name)(**settings, **limits).fit(X, target)
    beta = np.zeros(n)
    beta[model.support_] = model.dual_coef_[0]
    linear = settings.get("kernel") == "linear"
    K = X @ X.T if linear else sklearn.metrics.pairwise.rbf_kernel(X, gamma=1.0 / (p * X.var()))
    function = K @ beta + model.intercept_  # the dual coefficients need not be unique: this is
    if name == "NuSVC":  # the programme is that of a multiple, which sums to nu for each sample
        beta *= settings.get("nu", 0.5) * n / np.abs(beta).sum()
    value = 0.5 * beta @ K @ beta - (beta @ target if "SVR" in name else 0.0)
    price = {"SVC": -1.0, "SVR": 0.1}.get(name, 0.0)
    return fit_of(value + price * np.abs(beta).sum(), function)


def descent(package, exact, seed, *, name="SGDClassifier", n=300, p=8, alpha=1e-4, **settings):
    X, score, y = cloud(seed, n, p)
    X, classes = (X - X.mean(axis=0)) / X.std(axis=0), name == "SGDClassifier"
    if exact and classes:
        model = package.linear_model.LogisticRegression(C=1.0 / (n * alpha), tol=1e-12)
    elif exact:
        model = package.linear_model.Ridge(alpha=n * alpha)
    else:
        model = getattr(package.linear_model, name)(random_state=0, alpha=alpha, **settings)
    model.fit(X, y if classes else score)
    w, b = model.coef_.ravel(), model.intercept_
    f = X @ w + b
    loss = np.logaddexp(0.0, -(2 * y - 1) * f) if classes else 0.5 * (score - f) ** 2
    return fit_of(loss.mean() + 0.5 * alpha * w @ w, w, b)


def ridge(package, exact, seed, *, n=300, p=40, solver="auto", **kind):
    X, score, _ = cloud(seed, n, p, **kind)
    X = thinned(X, seed)
    given = X if exact else sp.csr_array(X)
    settings = {"solver": "svd"} if exact else {"solver": solver, "random_state": 0}
    model = package.linear_model.Ridge(fit_intercept=False, **settings).fit(given, score)
    w = model.coef_
    return fit_of(np.sum((score - X @ w) ** 2) + w @ w, w)


def k_means(package, exact, seed, *, n=500, p=3, k=6, factor=1.0, form="dense", weights=False,
            **settings):  # fmt: skip
    X = factor * clumps(seed, n, p, 2 * k, 3.0)
    X = np.maximum(X, 0.0) if form == "sparse" else X
    X = X.astype(np.float32).astype(np.float64) if form == "float32" else X
    s = np.random.default_rng(seed).exponential(size=n) if weights else np.ones(n)
    settings |= {"tol": 0.0, "max_iter": 10_000} if exact else {}
    given = X.astype(np.float32) if form == "float32" and not exact else X
    model = package.cluster.KMeans(k, init=given[:k], n_init=1, random_state=0, **settings)
    model.fit(sp.csr_array(X) if form == "sparse" else given, sample_weight=s if weights else None)
    centres = model.cluster_centers_.astype(np.float64)
    squares = ((X[:, None] - centres) ** 2).sum(axis=2)
    return fit_of(s @ squares.min(axis=1), centres)


def mixture(package, exact, seed, *, n=400, p=3, k=3, apart=3.0, kind="full"):
    X = clumps(seed, n, p, k, apart)
    shapes = {"full": np.array([np.eye(p)] * k), "tied": np.eye(p), "diag": np.ones((k, p))}
    start = {"precisions_init": shapes.get(kind, np.ones(k)), "means_init": X[:k]}
    settings = {"tol": 1e-12, "max_iter": 2000} if exact else {}
    model = package.mixture.GaussianMixture(
        k, covariance_type=kind, weights_init=np.full(k, 1.0 / k), **start, **settings
    ).fit(X)
    return fit_of(-model.score(X), model.weights_, model.means_, model.covariances_)


# ---------------------------------------------------------------------------------------------
# The table

HINGE, TUBE = {"loss": "hinge"}, {"name": "LinearSVR", "loss": "epsilon_insensitive"}
SPARSE_WEIGHTS, LINEAR = {"penalty": "l1"}, {"kernel": "linear"}
SQUARED_TUBE = TUBE | {"loss": "squared_epsilon_insensitive"}
L1 = {"l1_ratio": 1.0, "solver": "liblinear", "intercept": False}  # whose intercept is penalised
SAGA, MIXED = {"l1_ratio": 1.0, "solver": "saga"}, {"l1_ratio": 0.5, "solver": "saga"}
TABLE = [
    *((logistic, given) for given in (
        {}, {"n": 40, "p": 60}, {"q": 4}, {"n": 300, "p": 20, "spread": 1e2}, {"C": 1e4},
        {"C": 1e-4}, {"form": "sparse", "p": 50}, {"form": "float32"}, {"weights": True},
        {"factor": 1e-6}, {"n": 300, "p": 320}, {"n": 300, "p": 400, "form": "sparse"},
        {"n": 3000, "p": 10, "q": 3}, {"n": 150, "p": 100, "form": "sparse", "q": 3},
        L1, {"n": 60, "p": 100, **L1}, {"form": "sparse", "p": 100, "C": 0.1, **L1},
        {"C": 1e2, **L1}, {"spread": 1e3, **L1}, SAGA, {"q": 3, **SAGA},
        {"form": "sparse", "p": 50, **SAGA}, {"n": 60, "p": 100, "apart": 0.0, **SAGA},
        MIXED, {"q": 3, **MIXED}, {"C": 0.01, "apart": 0.0, **MIXED},
        {"weights": True, "form": "float32", **MIXED},
    )),
    *((logistic_path, given) for given in ({}, {"q": 3}, {"l1_ratio": 1.0, "solver": "saga"})),
    *((linear_machine, given) for given in (
        {}, {"n": 50, "p": 80}, {"n": 60, "p": 100, **HINGE}, {"C": 1e-2, **HINGE},
        {"form": "sparse", "p": 600}, {"form": "sparse", "p": 600, **HINGE},
        SPARSE_WEIGHTS, {"n": 60, "p": 100, "C": 0.1, **SPARSE_WEIGHTS},
        {"n": 100, "p": 100, "form": "sparse", **SPARSE_WEIGHTS},
        {"n": 50, "p": 80, "C": 100.0, **SPARSE_WEIGHTS},
        {"n": 200, "p": 90, "C": 1e3, "form": "sparse", **SPARSE_WEIGHTS},
        {"n": 1000, "p": 100, **SPARSE_WEIGHTS},
        {"n": 50, "p": 80, "epsilon": 0.1, **TUBE}, {"C": 0.01, **TUBE},
        {"n": 50, "p": 80, "epsilon": 1e-5, "scale": 1e-4, **SQUARED_TUBE}, SQUARED_TUBE,
    )),
    *((machine, given) for given in (
        {}, LINEAR, {"C": 100.0}, {"n": 1200}, {"n": 500, **LINEAR}, {"C": 0.01, "factor": 10.0},
        {"name": "SVR"}, {"name": "SVR", **LINEAR}, {"name": "SVR", "n": 700},
        {"name": "NuSVC", "nu": 0.3}, {"name": "NuSVR"}, {"name": "NuSVR", "nu": 0.2, **LINEAR},
    )),
    *((descent, given) for given in (
        {"loss": "log_loss"}, {"loss": "log_loss", "average": True, "alpha": 0.01},
        {"name": "SGDRegressor"}, {"name": "SGDRegressor", "average": True, "alpha": 0.01},
    )),
    *((ridge, {"solver": solver}) for solver in ("auto", "sparse_cg", "lsqr", "sag", "saga")),
    *((k_means, given) for given in (
        {}, {"form": "float32"}, {"form": "sparse"}, {"n": 2000, "k": 20, "weights": True},
        {"n": 2000, "k": 30, "algorithm": "elkan"}, {"factor": 1e-9}, {"n": 5000, "p": 2, "k": 8},
    )),
    *((mixture, {"kind": kind, "apart": apart})
      for kind, apart in (("full", 3.0), ("tied", 3.0), ("diag", 2.0), ("spherical", 2.0))),
]  # fmt: skip


def compare(family, seed, given):
    """Excess and distance, relative, of our fit and of scikit-learn's: two arrays (2, m)."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what is not reached by default is what is compared
        fits = [family(package, False, seed, **given) for package in (litlearn, sklearn)]
        exact = [family(package, True, seed, **given) for package in (litlearn, sklearn)]
    # The better one of two very exact fits, for each objective.
    first = exact[0].objective <= exact[1].objective
    least = np.where(first, exact[0].objective, exact[1].objective)
    place = np.where(first[:, None], exact[0].place, exact[1].place)
    lengths = np.linalg.norm(place, axis=1)
    excess = np.array([(one.objective - least) / np.abs(least) for one in fits])
    distance = np.array([np.linalg.norm(one.place - place, axis=1) for one in fits])
    return excess, distance / np.where(lengths > 0.0, lengths, 1.0)


def name_of(value):
    if callable(value):
        return value.__name__
    return ",".join(f"{k}={v}" for k, v in value.items()) if isinstance(value, dict) else None


@pytest.mark.weekly(keep=16)
@pytest.mark.parametrize(("seed", "family", "given"), [(i, *row) for i, row in enumerate(TABLE)],
                         ids=name_of)  # fmt: skip
def test_no_default_is_farther_from_the_minimum(seed, family, given):
    """At the defaults: neither more above the least objective, nor farther from its place."""
    excess, distance = compare(family, seed, given)
    assert (excess >= -OBJECTIVE).all()  # nothing is below what counts as the least one
    assert (excess[0] <= excess[1] + OBJECTIVE).all(), excess
    assert (distance[0] <= distance[1] + PLACE).all(), distance
