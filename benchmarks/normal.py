"""Normal distributions.

The time is that of one fit and one prediction of the same samples, so that both passes over the
data count. The classes overlap and have covariances of their own, in different units. Peers are
called as a user would call them, with their default solvers. A prediction is right if its class has
the largest logarithm of prior times density by definition, computed in float64; of classes that
differ there by less than 1e-6, or 0.01 in float32, any is right.
"""

import importlib

import numpy as np

from benchmarks import floors
from benchmarks.case import Adapter, Case

CLASSES = 5
ROWS = 10_000  # of a block, wherever the whole would need too much memory


# ---------------------------------------------------------------- data


def draw(n, p, dtype, seed):
    """Samples X (n, p) of five classes, each normal with a mean and a covariance of its own."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, CLASSES, n)
    means = 1.5 * rng.standard_normal((CLASSES, p)) / np.sqrt(p)
    mixing = np.eye(p) + 0.5 * rng.standard_normal((CLASSES, p, p)) / np.sqrt(p)
    X = rng.standard_normal((n, p))
    for c in range(CLASSES):
        X[y == c] = X[y == c] @ mixing[c] + means[c]
    X = X * rng.uniform(0.5, 20, p) + rng.uniform(-100, 100, p)
    return {"X": np.ascontiguousarray(X, dtype=dtype), "y": y}


# ---------------------------------------------------------------- implementations


def estimator(package):
    """Build function: an estimator with scikit-learn's interface, not fitted yet."""

    def build(data, options, threads):
        module = importlib.import_module(f"{package}.{options['module']}")
        return getattr(module, options["estimator"])()

    return build


def fit_and_predict(model, data, options, threads):
    """Predicted classes of the training samples."""
    return model.fit(data["X"], data["y"]).predict(data["X"])


MODULES = ("naive_bayes", "discriminant_analysis")


def adapters():
    """The project and scikit-learn; scikit-learn-intelex has none of the three estimators."""
    return tuple(
        Adapter(
            name, label, name, tuple(f"{name}.{module}" for module in MODULES),
            estimator(name), fit_and_predict, ours=name == "litlearn", compiles=name == "litlearn",
        )
        for name, label in (("litlearn", "litlearn"), ("sklearn", "scikit-learn"))
    )  # fmt: skip


# ---------------------------------------------------------------- quality


def reference(data, options):
    """Logarithms of prior times density of every sample and class, in float64, by definition.

    Returns
    -------
    dict
        ``scores`` (n, q).
    """
    X, y = data["X"], data["y"]
    n, p = X.shape
    groups = [X[y == c].astype(np.float64) for c in range(CLASSES)]
    covariances = np.array([np.cov(group.T, bias=True).reshape(p, p) for group in groups])
    shares = np.array([len(group) / n for group in groups])
    if options["estimator"] == "LinearDiscriminantAnalysis":
        covariances[:] = np.einsum("c,cij->ij", shares, covariances)
    if options["estimator"] == "GaussianNB":
        covariances *= np.eye(p)
    scores = np.empty((n, CLASSES))
    for c, group in enumerate(groups):
        factor = np.linalg.cholesky(covariances[c])
        constant = np.log(shares[c]) - np.log(np.diagonal(factor)).sum()
        for start in range(0, n, ROWS):
            Z = X[start : start + ROWS].astype(np.float64) - group.mean(axis=0)
            squares = (np.linalg.solve(factor, Z.T) ** 2).sum(axis=0)
            scores[start : start + ROWS, c] = constant - squares / 2
    return {"scores": scores}


def judge(output, data, reference, options):
    """``right``: share of samples whose predicted class has the largest score by definition, up to
    1e-6 of it, or 0.01 in float32."""
    scores = reference["scores"]
    best, found = scores.max(axis=1), scores[np.arange(len(scores)), np.asarray(output).astype(int)]
    open_gap = 1e-6 if data["X"].dtype == np.float64 else 1e-2
    return {"right": float(np.mean(best - found <= open_gap))}


# ---------------------------------------------------------------- floors


def floor(data, reference, options):
    """The samples twice, to fit and to predict; with covariances the products of all pairs of
    features, and those of the scores."""
    (n, p), kind = data["X"].shape, options["estimator"]
    each = {  # products of a sample
        "GaussianNB": CLASSES * 2 * p,
        "LinearDiscriminantAnalysis": floors.pairs(p) + CLASSES * p,
        "QuadraticDiscriminantAnalysis": (1 + CLASSES) * floors.pairs(p),
    }
    label = (
        "reading the samples twice"
        if kind == "GaussianNB"
        else "products of covariances and scores"
    )
    return floors.Floor(2 * floors.size(data), n * each[kind], label)


# ---------------------------------------------------------------- cases

SMALLER = 100
KINDS = {
    "GaussianNB": ("naive_bayes", "nb", "Naive Bayes"),
    "LinearDiscriminantAnalysis": ("discriminant_analysis", "lda", "Linear discriminant analysis"),
    "QuadraticDiscriminantAnalysis": (
        "discriminant_analysis", "qda", "Quadratic discriminant analysis",
    ),
}  # fmt: skip
SHAPES = ((200_000, 50), (1_000_000, 20))


def cases(size):
    """The cases of this family.

    Parameters
    ----------
    size : {"small", "full"}
        "small" keeps the first shape in float32, and a hundredth of its rows: to try the harness.

    Returns
    -------
    list of Case
    """
    chosen = []
    for kind, (module, short, group) in KINDS.items():
        for seed, (n, p) in enumerate(SHAPES[:1] if size == "small" else SHAPES):
            n = n // SMALLER if size == "small" else n
            for dtype in ("float32",) if size == "small" else ("float64", "float32"):

                def make(n=n, p=p, dtype=dtype, seed=seed):
                    return draw(n, p, dtype, seed)

                chosen.append(
                    Case(
                        name=f"{short}-{n}x{p}-{dtype}", group=group, work="fit and predict",
                        make=make, adapters=adapters(), judge=judge, reference=reference,
                        floor=floor, aim=0.5, options={"estimator": kind, "module": module},
                        facts={"data": "normal", "n": n, "p": p, "classes": CLASSES,
                               "dtype": dtype},
                    )
                )  # fmt: skip
    return chosen
