"""Kernel ridge regression, kernel PCA, and Nystroem's features.

Equal work means an equal answer. Kernel ridge counts as right where its predictions have a relative
distance of at most 1e-8 from those of a Cholesky factorisation in float64; kernel PCA where its
eigenvalues have, from those of LAPACK; Nystroem where the inner products of features of a thousand
samples have a root mean square distance of at most 0.1 from the kernel. The time of kernel ridge
includes the predictions of a thousand samples.

The data are *waves*: a smooth function of three features, the others without effect, and noise.
The kernel is the Gaussian one, with gamma = 1 / p.
"""

import importlib

import numpy as np

from benchmarks import floors
from benchmarks.case import Adapter, Case

GOOD_ENOUGH = 1e-8
ALPHA = 0.1
BLOCK = 1000

# ---------------------------------------------------------------- data


def draw(n, p, seed):
    """Samples X (n, p) and targets y (n,)."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p))
    y = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.3 * rng.standard_normal(n)
    return {"X": X, "y": y}


def gauss(Q, X):
    """The Gaussian kernel of two sets of samples, by the expanded square."""
    squares = (Q * Q).sum(axis=1)[:, None] + (X * X).sum(axis=1) - 2 * Q @ X.T
    return np.exp(np.maximum(squares, 0.0) / -X.shape[1])


# ---------------------------------------------------------------- implementations


def scikit_like(package):
    """Build function of an estimator in a package with scikit-learn's interface."""

    def build(data, options, threads):
        home = importlib.import_module(f"{package}.{options['module']}")
        model = getattr(home, options["estimator"])(**options["given"])
        if options["estimator"] == "Nystroem":
            return model, model.fit_transform(data["X"])
        return model.fit(data["X"], data["y"]), None

    return build


def answer(built, data, options, threads):
    """What is judged: predictions, eigenvalues, or features."""
    model, features = built
    if features is not None:
        return features[:BLOCK]
    if options["estimator"] == "KernelPCA":
        return model.eigenvalues_
    return model.predict(data["X"][:BLOCK])


def adapters(estimator, given):
    """The implementations; each of scikit-learn's solvers of eigenvalues is one."""
    module = {"KernelRidge": "kernel_ridge", "KernelPCA": "decomposition"}
    module = module.get(estimator, "kernel_approximation")

    def one(package, name, label, ours=False, **more):
        def build(data, options, threads):
            options = options | {"given": options["given"] | more}
            return scikit_like(package)(data, options, threads)

        imports = (f"{package}.{module}",)
        return Adapter(name, label, package, imports, build, answer, ours=ours, compiles=ours)

    found = [one("litlearn", "litlearn", "litlearn", True)]
    if estimator != "KernelPCA":
        return *found, one("sklearn", "sklearn", "scikit-learn")
    for solver in ("arpack", "randomized", "dense"):
        label = f"scikit-learn, {solver}"
        more = {"eigen_solver": solver, "random_state": 0}
        found.append(one("sklearn", f"sklearn-{solver}", label, **more))
    return tuple(found)


# ---------------------------------------------------------------- quality


def reference(data, options):
    """Predictions by Cholesky's factors, eigenvalues by LAPACK, or the best features' products."""
    from scipy import linalg

    X, y = data["X"], data["y"]
    if options["estimator"] == "Nystroem":
        return {"kernel": gauss(X[:BLOCK], X[:BLOCK])}
    K = gauss(X, X)
    if options["estimator"] == "KernelRidge":
        K.flat[:: len(K) + 1] += ALPHA
        weights = linalg.cho_solve(linalg.cho_factor(K, overwrite_a=True), y)
        return {"answer": gauss(X[:BLOCK], X) @ weights}
    K -= K.mean(axis=0)
    K -= K.mean(axis=1)[:, None]
    k = options["given"]["n_components"]
    values = linalg.eigh(K, eigvals_only=True, subset_by_index=(len(K) - k, len(K) - 1))
    return {"answer": values[::-1]}


def judge(output, data, reference, options):
    """``right``: 1 if the answer is close enough; ``off``: how far it is."""
    if options["estimator"] == "Nystroem":
        gap = output @ output.T - reference["kernel"]
        off = float(np.sqrt((gap**2).mean()))
        return {"right": float(off <= options["allowed"]), "off": off}
    best = reference["answer"]
    off = float(np.abs(output - best).max() / np.abs(best).max())
    return {"right": float(output.shape == best.shape and off <= GOOD_ENOUGH), "off": off}


# ---------------------------------------------------------------- floors


def floor(data, reference, options):
    """The products of the kernel, half by symmetry, and of what is done with it."""
    (n, p), kind = data["X"].shape, options["estimator"]
    k = options["given"].get("n_components", 0)
    kernel = floors.pairs(n) * p
    products, label = {
        "KernelRidge": (kernel + n**3 / 6 + BLOCK * n * p, "kernel and Cholesky factorisation"),
        "KernelPCA": (kernel + n * n * k, "kernel, and its product with the axes"),
        "Nystroem": (n * k * (p + k), "kernel, and its product with a matrix"),
    }[kind]
    return floors.Floor(floors.size(data), products, label)


# ---------------------------------------------------------------- cases

# (estimator, samples, features, parameters, aim)
SHAPES = (
    ("KernelRidge", 5_000, 10, {"alpha": ALPHA}, 0.75),
    ("KernelRidge", 10_000, 10, {"alpha": ALPHA}, 0.85),
    ("KernelPCA", 4_000, 10, {"n_components": 10}, 0.5),
    ("Nystroem", 100_000, 50, {"n_components": 500, "random_state": 0}, 0.5),
)
MODULES = {"KernelRidge": "kernel_ridge", "KernelPCA": "decomposition"}
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
    for seed, (estimator, n, p, given, aim) in enumerate(SHAPES):
        n = n // SMALLER if size == "small" else n

        def make(n=n, p=p, seed=seed):
            return draw(n, p, seed)

        module = MODULES.get(estimator, "kernel_approximation")
        options = {"estimator": estimator, "module": module, "allowed": 0.1}
        given = {"kernel": "rbf", "gamma": 1 / p} | given
        facts = {"data": "waves", "n": n, "p": p, "dtype": "float64"}
        if "n_components" in given:
            facts["k"] = given["n_components"]
        chosen.append(
            Case(
                name=f"{estimator}-{n}x{p}", group="Kernel methods", work=estimator, make=make,
                adapters=adapters(estimator, given), judge=judge, reference=reference, aim=aim,
                options=options | {"given": given}, facts=facts, floor=floor,
            )
        )  # fmt: skip
    return chosen
