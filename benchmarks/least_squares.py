"""Least squares: linear regression and ridge regression.

The time is that of one fit. Every case draws other data: independent features, and features that
share a few factors and have means far from zero, as measurements have. Peers are called as a user
would call them, with their default solvers.
"""

import importlib

import numpy as np

from benchmarks import floors
from benchmarks.case import Adapter, Case

ALPHA = 1.0


# ---------------------------------------------------------------- data


def gaussian(rng, n, p):
    """Independent features."""
    return rng.standard_normal((n, p))


def factors(rng, n, p):
    """Features that share ten factors, in different units and with means that are not zero."""
    shared = rng.standard_normal((n, 10)) @ rng.standard_normal((10, p))
    X = shared + rng.standard_normal((n, p))
    return X * rng.uniform(0.5, 20, p) + rng.uniform(-100, 100, p)


KINDS = {"gaussian": gaussian, "factors": factors}


def draw(kind, n, p, dtype, seed):
    """Samples X (n, p), and targets y (n,) that are linear in them, with noise."""
    rng = np.random.default_rng(seed)
    X = KINDS[kind](rng, n, p)
    signal = X @ rng.standard_normal(p)
    y = signal + np.std(signal) * rng.standard_normal(n)
    return {"X": np.ascontiguousarray(X, dtype=dtype), "y": y.astype(dtype)}


# ---------------------------------------------------------------- implementations


def estimator(module):
    """Build function: an estimator with scikit-learn's interface, not fitted yet."""

    def build(data, options, threads):
        kind = getattr(importlib.import_module(module), options["estimator"])
        return kind(alpha=ALPHA) if options["estimator"] == "Ridge" else kind(n_jobs=threads)

    return build


def fit(model, data, options, threads):
    """Coefficients and intercept."""
    model.fit(data["X"], data["y"])
    return model.coef_, model.intercept_


ADAPTERS = (
    Adapter(
        "litlearn", "litlearn", "litlearn", ("litlearn.linear_model",),
        estimator("litlearn.linear_model"), fit, ours=True, compiles=True,
    ),
    Adapter(
        "sklearn", "scikit-learn", "sklearn", ("sklearn.linear_model",),
        estimator("sklearn.linear_model"), fit,
    ),
    Adapter(
        "sklearnex", "scikit-learn-intelex", "sklearnex", ("sklearnex.linear_model",),
        estimator("sklearnex.linear_model"), fit,
    ),
)  # fmt: skip


# ---------------------------------------------------------------- quality


def objective(data, coef, intercept, alpha):
    """Sum of squared errors plus the penalty, in float64, a block of rows at a time."""
    coef = np.asarray(coef, dtype=np.float64).ravel()
    total = alpha * coef @ coef
    for start in range(0, len(data["y"]), 10_000):
        X = data["X"][start : start + 10_000].astype(np.float64)
        error = data["y"][start : start + 10_000].astype(np.float64) - X @ coef - float(intercept)
        total += error @ error
    return float(total)


def reference(data, options):
    """The smallest objective, from an orthogonal factorisation in float64.

    Returns
    -------
    dict
        ``objective``, an array of one number.
    """
    alpha = ALPHA if options["estimator"] == "Ridge" else 0.0
    X, y = data["X"].astype(np.float64), data["y"].astype(np.float64)
    x_mean, y_mean = X.mean(axis=0), y.mean()
    X -= x_mean
    wide = X.shape[1] > X.shape[0]
    R = np.linalg.qr(X.T if wide else X, mode="r")
    U, s, Vt = np.linalg.svd(R.T if wide else R, full_matrices=False)
    # X = Q R for tall samples, and R' Q' for wide ones: the outer factor comes from X itself.
    if wide:
        coef = X.T @ (U @ ((U.T @ (y - y_mean)) / (s**2 + alpha)))
    else:
        coef = Vt.T @ ((Vt @ (X.T @ (y - y_mean))) / (s**2 + alpha))
    return {"objective": np.array([objective(data, coef, y_mean - x_mean @ coef, alpha)])}


def judge(output, data, reference, options):
    """``right``: the smallest objective over that of the output; ``excess``: by how much the
    output's is larger, relatively."""
    alpha = ALPHA if options["estimator"] == "Ridge" else 0.0
    best, found = float(reference["objective"][0]), objective(data, *output, alpha)
    return {"right": min(1.0, best / found), "excess": found / best - 1.0}


# ---------------------------------------------------------------- floors


def floor(data, reference, options):
    """The products of all pairs of features, or of samples if these are fewer."""
    few, many = sorted(data["X"].shape)
    label = f"products of all pairs of {'features' if many == len(data['X']) else 'samples'}"
    return floors.Floor(floors.size(data), many * floors.pairs(few), label)


# ---------------------------------------------------------------- cases

SMALLER = 20
# (estimator, kind of data, samples, features, dtypes, aim, peer that the aim refers to)
SHAPES = (
    ("LinearRegression", "gaussian", 100_000, 200, ("float64", "float32"), 1.0, None),
    ("LinearRegression", "factors", 100_000, 200, ("float64",), 0.3, "sklearn"),
    ("LinearRegression", "gaussian", 2_000_000, 10, ("float64",), 1.0, None),
    ("LinearRegression", "factors", 20_000, 1_000, ("float64", "float32"), 1.0, None),
    ("Ridge", "gaussian", 100_000, 200, ("float64", "float32"), 1.0, None),
    ("Ridge", "factors", 1_000_000, 20, ("float64",), 1.0, None),
    ("Ridge", "gaussian", 20_000, 1_000, ("float64",), 1.0, None),
    ("Ridge", "factors", 500, 5_000, ("float64", "float32"), 1.0, None),
)
NAMES = {"LinearRegression": "ols", "Ridge": "ridge"}
GROUPS = {"LinearRegression": "Linear regression", "Ridge": "Ridge regression"}


def cases(size):
    """The cases of this family.

    Parameters
    ----------
    size : {"small", "full"}
        "small" keeps the first shape of each estimator, and a twentieth of its rows: to try the
        harness.

    Returns
    -------
    list of Case
    """
    chosen, seen = [], set()
    for seed, (kind, data, n, p, dtypes, aim, aim_peer) in enumerate(SHAPES):
        if size == "small":
            if kind in seen:
                continue
            n, dtypes = n // SMALLER, dtypes[-1:]
        seen.add(kind)
        for dtype in dtypes:

            def make(data=data, n=n, p=p, dtype=dtype, seed=seed):
                return draw(data, n, p, dtype, seed)

            chosen.append(
                Case(
                    name=f"{NAMES[kind]}-{data}-{n}x{p}-{dtype}", group=GROUPS[kind], work="fit",
                    make=make, adapters=ADAPTERS, judge=judge, reference=reference,
                    floor=floor, aim=aim, aim_peer=aim_peer,
                    options={"estimator": kind},
                    facts={"data": data, "n": n, "p": p, "dtype": dtype},
                )
            )  # fmt: skip
    return chosen
