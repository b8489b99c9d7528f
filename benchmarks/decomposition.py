"""Principal components: a few axes of many samples, a few of many features, all of a long table.

Equal work means equal variance. The axes that a library returns are made orthonormal here, and the
variance of the samples along all of them together is compared with that of the best axes, from
LAPACK's eigenvalues of the smaller Gram matrix of the centred samples; so is each variance that the
library states. Within a relative 1e-8 counts as right. Each peer is called once for each of its
solvers that suits the shape, as a user would who knows which one is the fastest.
"""

import importlib

import numpy as np

from benchmarks import floors
from benchmarks.case import Adapter, Case

GOOD_ENOUGH = 1e-8  # relative distance of the variance along all axes together, and along each
ROWS = 10_000  # of a block, wherever the whole would need too much memory


# ---------------------------------------------------------------- data


def draw(n, p, seed):
    """Samples X (n, p) of about thirty causes of falling size, noise, and means of their own."""
    rng = np.random.default_rng(seed)
    r = min(30, p)
    causes = rng.standard_normal((r, p)) * np.arange(1, r + 1)[:, None] ** -0.7
    X = rng.standard_normal((n, p))
    X *= 0.3
    for start in range(0, n, ROWS):
        rows = slice(start, start + ROWS)
        X[rows] += rng.standard_normal((len(X[rows]), r)) @ causes
    X += rng.uniform(-3, 3, p)
    return {"X": X}


# ---------------------------------------------------------------- implementations


def estimator(package, solver):
    """Build function: PCA with one of the solvers, not fitted yet."""

    def build(data, options, threads):
        kind = importlib.import_module(f"{package}.decomposition").PCA
        return kind(options["k"], svd_solver=solver, random_state=0)

    return build


def fit(model, data, options, threads):
    """Axes (k, p) and, in a last column, the variances along them."""
    model.fit(data["X"])
    return np.column_stack([model.components_, model.explained_variance_])


def adapters(solvers):
    """The project, with its own choice, and its peers with each solver that suits the shape."""
    ours = Adapter(
        "litlearn", "litlearn", "litlearn", ("litlearn.decomposition",),
        estimator("litlearn", "auto"), fit, ours=True,
    )  # fmt: skip
    theirs = [
        Adapter(
            f"sklearn-{solver}", f"scikit-learn, {solver}", "sklearn",
            ("sklearn.decomposition",), estimator("sklearn", solver), fit,
        )
        for solver in solvers
    ]  # fmt: skip
    intelex = [
        Adapter(
            f"sklearnex-{solver}", f"scikit-learn-intelex, {solver}", "sklearnex",
            ("sklearnex.decomposition",), estimator("sklearnex", solver), fit,
        )
        for solver in solvers if solver in ("full", "covariance_eigh")
    ]  # fmt: skip
    return (ours, *theirs, *intelex)


# ---------------------------------------------------------------- quality


def scatter(X):
    """Sums of products of the deviations from the means, (p, p) or for fewer samples (n, n)."""
    n, p = X.shape
    mean = X.mean(axis=0)
    if n < p:
        Z = X - mean
        return Z @ Z.T
    total = np.zeros((p, p))
    for start in range(0, n, ROWS):
        Z = X[start : start + ROWS] - mean
        total += Z.T @ Z
    return total


def reference(data, options):
    """The largest variances, (k,), and the means, from LAPACK's eigenvalues."""
    X, k = data["X"], options["k"]
    values = np.linalg.eigvalsh(scatter(X))[::-1][:k]
    return {"variances": values / (len(X) - 1), "mean": X.mean(axis=0)}


def judge(output, data, reference, options):
    """``right``: 1 if variances and axes are; ``excess``: how far the axes are, relatively."""
    X, expected = data["X"], reference["variances"]
    axes, stated = output[:, :-1], output[:, -1]
    Q = np.linalg.qr(axes.T)[0]
    squares = sum(
        np.sum(((X[start : start + ROWS] - reference["mean"]) @ Q) ** 2)
        for start in range(0, len(X), ROWS)
    )
    excess = 1.0 - squares / (len(X) - 1) / expected.sum()
    told = np.abs(stated / expected - 1.0).max()
    turned = np.abs(axes @ axes.T - np.eye(len(axes))).max()
    right = max(abs(excess), told) <= GOOD_ENOUGH and turned <= 1e-6
    return {"right": float(right), "excess": float(excess), "stated": float(told)}


# ---------------------------------------------------------------- floors

PASSES, MORE = 16, 10  # products with all samples of the usual randomised method, and further axes


def floor(data, reference, options):
    """The products of all pairs of features or samples, or those of the randomised method."""
    few, many = sorted(data["X"].shape)
    exact, random = many * floors.pairs(few), PASSES * data["X"].size * (options["k"] + MORE)
    label = (
        "products of all pairs of features"
        if exact < random
        else f"{PASSES} products of a randomised method"
    )
    return floors.Floor(floors.size(data), min(exact, random), label)


# ---------------------------------------------------------------- cases

# (samples, features, axes, solvers of the peers, aim)
SHAPES = (
    (100_000, 200, 10, ("covariance_eigh", "randomized", "arpack", "full"), 1.0),
    (2_000, 5_000, 20, ("randomized", "arpack", "full"), 0.9),
    (1_000_000, 50, 50, ("covariance_eigh", "full"), 0.7),
)
SMALLER = 20


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
    for seed, (n, p, k, solvers, aim) in enumerate(SHAPES):
        n = n // SMALLER if size == "small" else n

        def make(n=n, p=p, seed=seed):
            return draw(n, p, seed)

        chosen.append(
            Case(
                name=f"pca-{n}x{p}-{k}", group="Principal components", work="fit", make=make,
                adapters=adapters(solvers), judge=judge, reference=reference, floor=floor,
                aim=aim, options={"k": k},
                facts={"data": "factors", "n": n, "p": p, "axes": k, "dtype": "float64"},
            )
        )  # fmt: skip
    return chosen
