"""Lasso and its path: wide, tall, correlated, sparse, in both precisions.

Implementations stop on different rules. Each is called with the loosest tolerance of a list at
which its answer's relative duality gap, computed anew in float64, is at most the case's. They stand
in ``lasso_tolerances.json``, with the versions of the libraries that they were found for::

    python -m benchmarks.lasso    # look for them again

The search takes a few minutes, and each run judges the gap of what it has timed.
"""

import importlib
import importlib.metadata
import json
from pathlib import Path

import numpy as np

from benchmarks import floors
from benchmarks.case import Adapter, Case

TOLERANCES = (1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-10, 1e-12)
FOUND = Path(__file__).with_name("lasso_tolerances.json")
PATH_LENGTH, PATH_END = 100, 0.05
FIRST = 1000  # columns that the reference begins with
CHECKED_ON_PATH = 10


# ---------------------------------------------------------------- data


def dense(rng, n, p, correlation):
    """Gaussian columns, each correlated with the one before it."""
    X = rng.standard_normal((n, p))
    for j in range(1, p):
        X[:, j] = correlation * X[:, j - 1] + np.sqrt(1 - correlation**2) * X[:, j]
    return X


def text(rng, n, p, density):
    """CSC arrays of word counts on a logarithmic scale; frequent words come first."""
    share = 1.0 / np.arange(10, p + 10)
    entries = int(n * p * density)
    columns = rng.choice(p, entries, p=share / share.sum())
    rows = rng.integers(0, n, entries)
    cells = np.unique(columns.astype(np.int64) * n + rows)
    indptr = np.searchsorted(cells, np.arange(p + 1) * n).astype(np.int32)
    values = 1.0 + np.log1p(rng.exponential(1.0, cells.size))
    return values, (cells % n).astype(np.int32), indptr


def draw(kind, n, p, dtype, correlation, seed):
    """Data with 50 columns that matter, and a target with as much signal as noise."""
    rng = np.random.default_rng(seed)
    w = np.zeros(p)
    if kind == "sparse":
        values, indices, indptr = text(rng, n, p, 0.001)
        w[rng.choice(min(p, 2000), 50, replace=False)] = rng.standard_normal(50)
        signal = np.zeros(n)
        np.add.at(signal, indices, values * np.repeat(w, np.diff(indptr)))
        # The harness cuts every array to its first rows for the first call: `X` says how many.
        data = {"X": np.arange(n, dtype=dtype)[:, None], "values": values.astype(dtype)}
        data |= {"indices": indices, "indptr": indptr}
    else:
        X = dense(rng, n, p, correlation)
        w[rng.choice(p, min(50, p), replace=False)] = rng.standard_normal(min(50, p))
        signal = X @ w
        data = {"X": X.astype(dtype)}
    y = signal + signal.std() * rng.standard_normal(n) + 1.0
    return data | {"y": y.astype(dtype)}


def make_data(options, dtype, correlation, seed):
    """The arrays of a case; those of a path are centred, for the path functions do not do it."""
    data = draw(options["kind"], options["n"], options["p"], dtype, correlation, seed)
    if options["path"]:
        data["X"] -= data["X"].mean(axis=0, dtype=np.float64).astype(dtype)
        data["y"] -= data["y"].mean(dtype=np.float64).astype(dtype)
    return data | {"alphas": penalties(data, options)}


def matrix(data, options):
    """The matrix of a case: dense, or CSC of the rows that `X` counts."""
    if options["kind"] != "sparse":
        return data["X"]
    from scipy.sparse import csc_matrix

    n, p = options["n"], options["p"]
    values, indices, indptr = data["values"], data["indices"], data["indptr"]
    if indptr.size == p + 1 and values.size == indptr[-1]:
        return csc_matrix((values, indices, indptr), shape=(n, p))
    # The first call: a small matrix of the same kind.
    values, indices, indptr = text(np.random.default_rng(0), len(data["y"]), 1000, 0.01)
    return csc_matrix((values.astype(data["y"].dtype), indices, indptr), (len(data["y"]), 1000))


# ---------------------------------------------------------------- quality


def correlations(X, r):
    """Products of all columns with r, in float64, block by block; r has mean zero, so that the
    columns need not be centred."""
    if not isinstance(X, np.ndarray):
        return X.T.astype(np.float64) @ r
    if X.dtype == np.float64:
        return r @ X
    width = max(1, 2_000_000 // X.shape[0])
    starts = range(0, X.shape[1], width)
    return np.concatenate([r @ X[:, a : a + width].astype(np.float64) for a in starts])


def gap(X, y, alpha, coef):
    """Objective and duality gap at coefficients, the gap relative to that of zero."""
    y = y.astype(np.float64)
    y = y - y.mean()
    w = np.asarray(coef, dtype=np.float64).ravel()
    used = np.flatnonzero(w)
    part = X[:, used]
    fitted = (part.astype(np.float64) @ w[used]) if used.size else np.zeros(len(y))
    r = y - (fitted - fitted.mean())
    penalty = alpha * len(y)
    primal = 0.5 * r @ r + penalty * np.abs(w).sum()
    largest = np.abs(correlations(X, r)).max()
    scale = min(r @ y / (r @ r), penalty / largest)
    dual = scale * (r @ y) - 0.5 * scale**2 * (r @ r)
    return primal / len(y), (primal - dual) / (0.5 * y @ y)


def penalties(data, options):
    """The penalties of a case, falling: one, or those of a path."""
    X, y = matrix(data, options), data["y"].astype(np.float64)
    largest = np.abs(correlations(X, y - y.mean())).max() / len(y)
    if not options["path"]:
        return np.array([largest * options["share"]])
    return largest * np.geomspace(1, PATH_END, PATH_LENGTH)


def checked(options):
    """Which penalties of a path are looked at."""
    return np.linspace(1, PATH_LENGTH - 1, CHECKED_ON_PATH).astype(int) if options["path"] else [0]


def gaps(X, y, alphas, coefs, options):
    """Objectives and relative gaps at the penalties that are looked at; `coefs` is (p, k)."""
    return np.array([gap(X, y, alphas[k], coefs[:, k]) for k in checked(options)]).T


def reference(data, options):
    """Objectives found with a gap a thousand times smaller, by scikit-learn in float64, with more
    columns until none is left out whose coefficient is not zero."""
    from sklearn.linear_model import Lasso

    X, y, alphas = matrix(data, options), data["y"].astype(np.float64), data["alphas"]
    X = X.astype(np.float64)
    model = Lasso(max_iter=100_000, tol=options["gap"] * 1e-3, precompute=True)
    found = np.abs(correlations(X, y - y.mean()))
    used = found >= np.sort(found)[-min(FIRST, len(found))]
    best = []
    for k in checked(options):
        missing, coef = True, np.zeros(len(found))
        while np.any(missing):
            part = X[:, used] if isinstance(X, np.ndarray) else X[:, used].toarray()
            coef[used] = model.set_params(alpha=alphas[k]).fit(part, y).coef_
            r = y - part @ coef[used]
            found = np.abs(correlations(X, r - r.mean()))
            missing = (found > alphas[k] * len(y)) & ~used
            used = used | missing
        best.append(gap(X, y, alphas[k], coef)[0])
    return {"objective": np.array(best), "alphas": alphas}


def judge(output, data, reference, options):
    """``right``: share of checked penalties at which the relative gap is small enough.

    ``gap`` is the largest of them; ``excess`` the largest relative distance from the best known
    objective.
    """
    objectives, found = gaps(
        matrix(data, options), data["y"], reference["alphas"], np.asarray(output), options
    )
    best = np.minimum(objectives, reference["objective"])
    return {
        "right": np.mean(found <= options["gap"]),
        "gap": found.max(),
        "excess": np.max(objectives / best - 1),
        "nonzero": np.count_nonzero(output[:, -1]),
    }


# ---------------------------------------------------------------- implementations


def search(run, model, options, threads):
    """The loosest tolerance of the list with which the answers are good enough, and they."""
    X, y, alphas = model
    for tol in TOLERANCES:
        coefs = run(X, y, alphas, tol, options, threads)
        if gaps(X, y, alphas, coefs, options)[1].max() <= options["gap"]:
            break
    return tol, coefs


def fitted(name):
    """Query function that calls with the tolerance of the case.

    Cases of a trial run, whose data are small, have none: their first call looks for it.
    """
    chosen = {}

    def query(model, data, options, threads):
        key = len(data["y"]), model[2].tobytes()
        known = options["tolerances"].get(name, chosen.get(key))
        if known is not None:
            return RUN[name](*model, known, options, threads)
        chosen[key], coefs = search(RUN[name], model, options, threads)
        return coefs

    return query


def prepare(data, options, threads):
    """The matrix, the target and the penalties."""
    return matrix(data, options), data["y"], data["alphas"]


def scikit_like(module):
    """scikit-learn's classes and functions, and the project's."""

    def run(X, y, alphas, tol, options, threads):
        linear = importlib.import_module(module)
        if options["path"]:
            return linear.lasso_path(X, y, alphas=alphas, tol=tol, max_iter=100_000)[1]
        model = linear.Lasso(alphas[0], tol=tol, max_iter=100_000)
        return model.fit(X, y).coef_[:, None]

    return run


def with_gram(X, y, alphas, tol, options, threads):
    """scikit-learn with all products of two columns computed first."""
    from sklearn.linear_model import Lasso

    model = Lasso(alphas[0], tol=tol, max_iter=100_000, precompute=True)
    return model.fit(X, y).coef_[:, None]


def celer(X, y, alphas, tol, options, threads):
    """celer's class, or its path, which wants columns in F order."""
    import celer

    if options["path"]:
        return celer.celer_path(np.asfortranarray(X), y, "lasso", alphas=alphas, tol=tol)[1]
    return celer.Lasso(alphas[0], tol=tol, max_iter=100).fit(X, y).coef_[:, None]


def skglm(X, y, alphas, tol, options, threads):
    """skglm's class, whose tolerance is a violation of the optimality condition."""
    import skglm

    model = skglm.Lasso(
        alphas[0], tol=alphas[-1] * np.sqrt(tol), max_iter=200, max_epochs=100_000,
        fit_intercept=not options["path"], warm_start=True,
    )  # fmt: skip
    coefs = []
    for alpha in alphas:
        model.alpha = alpha
        coefs.append(model.fit(X, y).coef_)
    return np.array(coefs).T


RUN = {
    "litlearn": scikit_like("litlearn.linear_model"),
    "sklearn": scikit_like("sklearn.linear_model"),
    "sklearn-gram": with_gram,
    "celer": celer,
    "skglm": skglm,
}


def adapter(name, label, package, module, **more):
    """An implementation, called with the tolerance of the case."""
    return Adapter(name, label, package, (module,), prepare, fitted(name), **more)


OURS = adapter(
    "litlearn", "litlearn", "litlearn", "litlearn.linear_model", ours=True, compiles=True
)
PEERS = (
    adapter("sklearn", "scikit-learn", "sklearn", "sklearn.linear_model"),
    adapter("celer", "celer", "celer", "celer"),
    adapter("skglm", "skglm", "skglm", "skglm"),
)
GRAM = adapter("sklearn-gram", "scikit-learn, precompute", "sklearn", "sklearn.linear_model")


# ---------------------------------------------------------------- floors


def floor(data, reference, options):
    """All numbers once: fewer cannot show that the gap is small."""
    names = ("values", "indices") if options["kind"] == "sparse" else ("X",)
    return floors.Floor(floors.size(data, *names), 0, "reading the features once")


# ---------------------------------------------------------------- cases

# (kind, samples, features, correlation, share of the largest penalty, path, dtypes, aim)
SHAPES = (
    ("wide", 1_000, 20_000, 0.5, 0.1, False, ("float64", "float32"), 0.9),
    ("wide", 1_000, 20_000, 0.9, 0.05, False, ("float64",), 0.9),
    ("tall", 50_000, 500, 0.5, 0.01, False, ("float64", "float32"), 0.9),
    ("tall", 50_000, 500, 0.9, 0.01, False, ("float64",), 0.9),
    ("wide", 1_000, 5_000, 0.5, None, True, ("float64",), 0.9),
    ("tall", 50_000, 500, 0.5, None, True, ("float64",), 0.9),
    ("sparse", 20_000, 100_000, 0.0, 0.1, False, ("float64",), 0.7),
)
SMALLER = 20


def cases(size):
    """The cases of this family.

    Parameters
    ----------
    size : {"small", "full"}
        "small" keeps the first shape of every kind of work, and a twentieth of its numbers.

    Returns
    -------
    list of Case
    """
    tolerances = json.loads(FOUND.read_text("utf-8"))["tolerances"] if FOUND.exists() else {}
    chosen, seen = [], set()
    for seed, (kind, n, p, correlation, share, path, dtypes, aim) in enumerate(SHAPES):
        if size == "small":
            if (kind, path) in seen:
                continue
            n, p, dtypes = max(n // SMALLER, 60), max(p // SMALLER, 40), dtypes[:1]
        seen.add((kind, path))
        for dtype in dtypes:
            goal = 1e-4 if dtype == "float32" else 1e-5
            options = {"kind": kind, "n": n, "p": p, "share": share, "path": path, "gap": goal}
            facts = {"data": kind, "n": n, "m": n, "p": p, "dtype": dtype}
            facts |= {"correlation": correlation, "penalty": share or PATH_END, "gap": goal}
            work = "Lasso path" if path else "Lasso"
            name = f"{'path' if path else 'lasso'}-{kind}-{n}x{p}-{correlation}-{dtype}"
            options["tolerances"] = tolerances.get(name, {})

            def make(options=options, dtype=dtype, correlation=correlation, seed=seed):
                return make_data(options, dtype, correlation, seed)

            adapters = (OURS, *PEERS)
            if kind == "tall" and not path:
                adapters = (*adapters, GRAM)
            if path:  # skglm has no path from arrays but a loop of fits, which is here too slow
                adapters = (OURS, *PEERS[:2])
            chosen.append(
                Case(
                    name=name,
                    group="Lasso", work=work, make=make, adapters=adapters, judge=judge,
                    reference=reference, floor=floor, aim=aim,
                    aim_peer="sklearn" if kind == "sparse" else None,
                    options=options, facts=facts, first_rows=200 if kind == "wide" else 1000,
                )
            )  # fmt: skip
    return chosen


def look(threads):
    """What ``FOUND`` has: the tolerances of all cases, and the versions of the libraries."""
    found, packages = {}, set()
    for case in cases("full"):
        data = case.make()
        for one in case.adapters:
            packages.add(one.package.replace("sklearn", "scikit-learn"))
            model = one.build(data, case.options, threads)
            tol, _ = search(RUN[one.name], model, case.options, threads)
            found.setdefault(case.name, {})[one.name] = tol
            print(f"{case.name}, {one.label}: {tol:g}", flush=True)
    versions = {name: importlib.metadata.version(name) for name in sorted(packages)}
    return {"versions": versions, "tolerances": found}


if __name__ == "__main__":
    FOUND.write_text(json.dumps(look(2), indent=1) + "\n", "utf-8")
