"""Gaussian mixtures: thirty rounds of expectation and maximisation from the same start.

Every implementation begins with the same weights, means and precisions and makes exactly as many
rounds, so that equal work means an equal likelihood. The likelihood is computed here, in float64,
from the parameters alone. Within a relative 1e-7, in float32 1e-4, of the likelihood after the same
rounds in plain NumPy counts as right. The data are as many normal groups as there are components,
each with a covariance of its own.
"""

import importlib
import warnings

import numpy as np

from benchmarks import floors
from benchmarks.case import Adapter, Case

ROUNDS = 30
REG_COVAR = 1e-6
ROWS = 5_000  # of a block
ALLOWED = {"float64": 1e-7, "float32": 1e-4}  # relative distance of the likelihood

# ---------------------------------------------------------------- data


def draw(n, p, k, dtype, seed):
    """Samples X (n, p) of k groups with covariances of their own; first means M (k, p)."""
    rng = np.random.default_rng(seed)
    label = rng.integers(0, k, n)
    centres = 1.5 * rng.standard_normal((k, p))
    mixing = np.eye(p) + 0.5 * rng.standard_normal((k, p, p)) / np.sqrt(p)
    X = rng.standard_normal((n, p))
    for c in range(k):
        X[label == c] = X[label == c] @ mixing[c] + centres[c]
    start = centres + rng.standard_normal((k, p))
    return {"X": np.ascontiguousarray(X, dtype=dtype), "M": start}


def start_of(data, kind):
    """The first parameters: equal weights, the means, and the variance of all samples' features."""
    k, p = data["M"].shape
    precision = 1.0 / data["X"][:1000].astype(np.float64).var(axis=0).mean()
    shapes = {
        "full": precision * np.repeat(np.eye(p)[None], k, axis=0),
        "tied": precision * np.eye(p),
        "diag": np.full((k, p), precision),
        "spherical": np.full(k, precision),
    }
    return np.full(k, 1.0 / k), data["M"], shapes[kind]


# ---------------------------------------------------------------- implementations


def fitted(package):
    """Build function: the estimator after its rounds."""

    def build(data, options, threads):
        kind = options["kind"]
        weights, means, precisions = start_of(data, kind)
        model = importlib.import_module(f"{package}.mixture").GaussianMixture(
            len(means), covariance_type=kind, tol=0.0, max_iter=ROUNDS, reg_covar=REG_COVAR,
            weights_init=weights, means_init=means, precisions_init=precisions,
        )  # fmt: skip
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it has not converged: so it was asked
            return model.fit(data["X"])

    return build


def parameters(model, data, options, threads):
    """Weights (k,), means (k, p), covariances in the shape of their kind, and the rounds made."""
    return model.weights_, model.means_, model.covariances_, model.n_iter_


def adapters():
    """The project and scikit-learn; scikit-learn-intelex and faiss have no mixtures."""
    return tuple(
        Adapter(
            name, label, name, (f"{name}.mixture",), fitted(name), parameters,
            ours=name == "litlearn", compiles=name == "litlearn",
        )
        for name, label in (("litlearn", "litlearn"), ("sklearn", "scikit-learn"))
    )  # fmt: skip


# ---------------------------------------------------------------- quality


def matrices(kind, covariances, k, p):
    """Covariances of any kind as matrices (k, p, p)."""
    if kind == "full":
        return np.asarray(covariances, dtype=np.float64)
    if kind == "tied":
        return np.repeat(np.asarray(covariances, dtype=np.float64)[None], k, axis=0)
    variances = np.asarray(covariances, dtype=np.float64).reshape(k, -1)
    return np.eye(p) * np.broadcast_to(variances, (k, p))[:, None]


def expectation(X, weights, means, covariances):
    """Responsibilities (m, k) of a block of samples and the sum of their log-densities."""
    inverse = np.linalg.inv(np.linalg.cholesky(covariances))
    scales = np.diagonal(inverse, axis1=1, axis2=2)
    constants = np.log(weights) + np.log(scales).sum(axis=1)
    if np.count_nonzero(inverse) == scales.size:  # diagonal matrices
        origin, squares = means.mean(axis=0), scales**2
        Z, M = X - origin, means - origin
        distances = Z**2 @ squares.T - 2 * Z @ (squares * M).T + (squares * M**2).sum(axis=1)
    else:
        parts = [(X - mean) @ one.T for mean, one in zip(means, inverse, strict=True)]
        distances = np.transpose([np.einsum("ij,ij->i", Z, Z) for Z in parts])
    scores = constants - X.shape[1] / 2 * np.log(2 * np.pi) - distances / 2
    top = scores.max(axis=1, keepdims=True)
    R = np.exp(scores - top)
    sums = R.sum(axis=1, keepdims=True)
    return R / sums, float((top + np.log(sums)).sum())


def blocks(X):
    """Blocks of samples in float64."""
    return (X[i : i + ROWS].astype(np.float64) for i in range(0, len(X), ROWS))


def likelihood(X, weights, means, covariances):
    """Mean log-likelihood of samples, in float64, a block of rows at a time."""
    weights, means = np.float64(weights), np.float64(means)
    return sum(expectation(B, weights, means, covariances)[1] for B in blocks(X)) / len(X)


def moments(B, R, kind):
    """Sums of the products of all pairs of features over a block, (k, p, p): those of its own
    samples for each component; for one covariance, the same of all; else those of squares alone."""
    if kind == "full":
        return np.array([(r[:, None] * B).T @ B for r in R.T])
    if kind == "tied":
        return np.broadcast_to(B.T @ B, (R.shape[1], *2 * B.shape[1:]))
    return (R.T @ (B * B))[:, None] * np.eye(B.shape[1])


def step(X, kind, weights, means, covariances):
    """One round by definition: the new weights, means and covariances (k, p, p)."""
    k, p = means.shape
    origin = means.mean(axis=0)
    N, sums, products = np.zeros(k), np.zeros((k, p)), np.zeros((k, p, p))
    for B in blocks(X):
        R, _ = expectation(B, weights, means, covariances)
        Z = B - origin
        N += R.sum(axis=0)
        sums += R.T @ Z
        products += moments(Z, R, kind)
    shift = sums / N[:, None]
    around = shift[:, :, None] * shift[:, None, :]
    if kind == "tied":
        S = (products - np.einsum("c,cij->ij", N, around)) / len(X)
    else:
        S = products / N[:, None, None] - around
    if kind in ("diag", "spherical"):
        S *= np.eye(p)
    if kind == "spherical":
        S = np.trace(S, axis1=1, axis2=2)[:, None, None] / p * np.eye(p)
    return N / len(X), origin + shift, S + REG_COVAR * np.eye(p)


def reference(data, options):
    """The likelihood after all rounds, made in float64 by definition."""
    kind = options["kind"]
    weights, means, precisions = start_of(data, kind)
    k, p = means.shape
    inverse = np.linalg.inv if kind in ("full", "tied") else np.reciprocal
    covariances = matrices(kind, inverse(precisions), k, p)
    for _ in range(ROUNDS):
        weights, means, covariances = step(data["X"], kind, weights, means, covariances)
    return {"likelihood": likelihood(data["X"], weights, means, covariances)}


def judge(output, data, reference, options):
    """``right``: 1 if all rounds were made and the likelihood is that of the reference; ``bound``
    is the likelihood, ``excess`` how far it is away, relatively."""
    weights, means, covariances, rounds = output
    full = matrices(options["kind"], covariances, *np.shape(means))
    value, best = likelihood(data["X"], weights, means, full), float(reference["likelihood"])
    excess = abs(value - best) / abs(best)
    right = rounds == ROUNDS and excess <= ALLOWED[str(data["X"].dtype)]
    return {"right": float(right), "bound": value, "excess": excess}


# ---------------------------------------------------------------- floors


def products(kind, n, p, k):
    """Products of one round: those of the densities, and those of the moments."""
    each = {  # of a sample and a component
        "full": 2 * floors.pairs(p) + p,  # a triangle and a mean; pairs of features
        "tied": 2 * p,
        "diag": 4 * p,  # a feature and its square, for densities and for moments
        "spherical": 2 * p,
    }
    return n * k * each[kind]


def floor(data, reference, options):
    """The products of all rounds; one covariance for all takes those of the features once more."""
    (n, p), k = data["X"].shape, len(data["M"])
    total = ROUNDS * products(options["kind"], n, p, k)
    total += n * floors.pairs(p) if options["kind"] == "tied" else 0
    return floors.Floor(ROUNDS * floors.size(data), total, f"products of {ROUNDS} rounds")


# ---------------------------------------------------------------- cases

SMALLER = 100
AIM = 0.25
# (covariances, samples, features, components)
SHAPES = (
    ("full", 100_000, 16, 10),
    ("diag", 200_000, 16, 20),
    ("tied", 100_000, 16, 10),
    ("spherical", 200_000, 16, 20),
)


def cases(size):
    """The cases of this family.

    Parameters
    ----------
    size : {"small", "full"}
        "small" keeps a hundredth of the rows: to try the harness.

    Returns
    -------
    list of Case
    """
    chosen = []
    for seed, (kind, n, p, k) in enumerate(SHAPES):
        n = n // SMALLER if size == "small" else n
        for dtype in ("float64", "float32"):

            def make(n=n, p=p, k=k, dtype=dtype, seed=seed):
                return draw(n, p, k, dtype, seed)

            chosen.append(
                Case(
                    name=f"gmm-{kind}-{n}x{p}-k{k}-{dtype}", group="Gaussian mixtures",
                    work=f"{ROUNDS} rounds, {kind}", make=make, adapters=adapters(), judge=judge,
                    reference=reference, floor=floor,
                    aim=AIM if kind in ("full", "diag") else None,
                    options={"kind": kind},
                    facts={"data": kind, "n": n, "p": p, "k": k, "dtype": dtype},
                )
            )  # fmt: skip
    return chosen
