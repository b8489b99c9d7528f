"""Neighbours, clusters, mixtures, components and discriminants against scikit-learn's."""

from dataclasses import replace

import numpy as np
import pytest

import hostile
from hostile import LONG, Case, choose, distances, near, no_higher, same_labels


def judge_neighbors(case, ours, theirs):
    """The nearest, by distances in extended precision; the same answers where none are equal."""
    problem, params = case.problem, case.params
    k, far = params["n_neighbors"], distances(problem.asked, problem.table, params["metric"])
    expected = np.sort(far, axis=1)[:, :k].astype(float)
    errors = []
    for model, queries in ((ours, problem.queries), (theirs, hostile.tame(problem).queries)):
        found, index = model.kneighbors(queries)
        real = np.take_along_axis(far, index, axis=1)
        errors.append(max(np.abs(part - expected).max() for part in (found, real)))
    # Sparse distances are expanded, and round as the samples do, not as their differences.
    size = np.abs(problem.table).max() if "sparse" in problem.words else expected.max()
    rounded = 64 * problem.eps * size + 1e-307
    if not errors[0] <= max(rounded, 1.5 * errors[1]):
        yield f"distances {errors[0] / size:.1e} off, theirs {errors[1] / size:.1e}"
    if errors[1] > 1e-3 * size:
        yield "note", "scikit-learn's neighbours are not the nearest"
        return
    order = np.sort(far, axis=1)
    gaps = np.diff(order[:, : k + 1], axis=1) > 1e-6 * order[:, 1 : k + 1]
    clear = gaps.all(axis=1) & (order[:, 0] > 0) & (order[:, -1] < 1e150) & (order[:, 0] > 1e-140)
    if case.name == "KNeighborsClassifier":
        shares = ours.answers["predict_proba"]
        yield from near(shares[clear], theirs.answers["predict_proba"][clear], 1e-5, "shares")
        clear &= hostile.clear_rows(shares, 1e-5)
        yield from same_labels(ours.answers["predict"], theirs.answers["predict"], clear)
    elif case.name == "KNeighborsRegressor":
        one, other = (model.answers["predict"][clear] for model in (ours, theirs))
        yield from near(one, other, 1e-5 * np.abs(problem.y).max(), "predict")


def neighbors(rng):
    name = choose(rng, "KNeighborsClassifier", "KNeighborsRegressor")
    if name == "KNeighborsClassifier":
        problem = hostile.classification(rng, sparse=True, weights=False)
        methods = "predict", "predict_proba"
    else:
        problem, methods = hostile.regression(rng, sparse=True, weights=False), ("predict",)
    params = {
        "n_neighbors": min(choose(rng, 1, 2, 5), len(problem.y)),
        "weights": choose(rng, "uniform", "distance"),
        "metric": choose(rng, "euclidean", "euclidean", "manhattan", "chebyshev"),
        "algorithm": choose(rng, "auto", "brute", "kd_tree", "ball_tree"),
        "leaf_size": choose(rng, 1, 5, 30),
    }
    if "sparse" in problem.words:
        params |= {"algorithm": "brute", "metric": choose(rng, "euclidean", "manhattan")}
    return Case("neighbors", name, params, problem, judge_neighbors, methods)


def inertia(problem, model):
    far = distances(problem.table, model.cluster_centers_, "euclidean")
    return (problem.weights * far.min(axis=1) ** 2).sum(), far


def judge_k_means(case, ours, theirs):
    """From the same centres: no higher sum of squares, which is the one that is told."""
    problem = case.problem
    (found, far), (expected, _) = inertia(problem, ours), inertia(problem, theirs)
    X, s = problem.table.astype(LONG), problem.weights
    most = (s[:, None] * (X - (s @ X) / s.sum()) ** 2).sum()
    rounded = (s[:, None] * (8 * problem.eps * np.abs(X)) ** 2).sum()
    allowed = 1e-6 * expected + 1e3 * problem.eps * most + rounded
    yield from near(ours.inertia_, float(found), float(10 * allowed), "inertia_")
    chosen = np.take_along_axis(far, ours.labels_[:, None], axis=1)[:, 0]
    beyond = chosen - far.min(axis=1)
    if np.any(s * beyond * (chosen + far.min(axis=1)) > 10 * allowed):
        yield "a label is not that of the nearest centre"
    if not found <= expected + allowed:
        order = np.sort(distances(problem.table, case.params["init"], "euclidean"), axis=1)
        ties = order.shape[1] > 1 and np.any(order[:, 1] - order[:, 0] <= 1e-9 * order[:, 1])
        empty = len(np.unique(ours.labels_)) < len(order[0]) or ties or problem.table.shape[0] < 12
        kind = "another local minimum after a tie or an empty cluster"
        if ties or empty or (case.params["tol"] > 0 and found <= expected * (1 + 1e-2)):
            yield "note", kind
        else:
            yield from no_higher(found, expected, allowed, "inertia")


def k_means(rng):
    problem = hostile.tables(rng, sparse=True)
    hostile.add_weights(rng, problem)
    problem.y = np.zeros(len(problem.table))
    k = min(choose(rng, 1, 2, 3, 6), len(problem.table))
    params = {
        "n_clusters": k,
        "init": problem.table[rng.choice(len(problem.table), k, replace=False)],
        "n_init": 1,
        "tol": 0.0,
        "algorithm": choose(rng, "lloyd", "elkan"),
        "max_iter": 300,
    }
    return Case("cluster", "KMeans", params, problem, judge_k_means, ("predict",))


def likelihood(problem, model):
    """Mean log-likelihood, from the Cholesky factors of the precisions."""
    X, kind = problem.table.astype(LONG), model.covariance_type
    logs = []
    for k, mean in enumerate(model.means_.astype(LONG)):
        factors = model.precisions_cholesky_
        factor = factors if kind == "tied" else factors[k]
        apart = X - mean
        if kind in ("full", "tied"):
            z, logdet = apart @ factor.astype(LONG), np.log(np.diag(factor).astype(LONG)).sum()
        else:
            z = apart * factor
            logdet = np.log(np.broadcast_to(factor, mean.shape).astype(LONG)).sum()
        log = logdet - (z**2).sum(axis=1) / 2 - len(mean) * np.log(2 * LONG(np.pi)) / 2
        logs.append(log + np.log(LONG(model.weights_[k])))
    logs = np.array(logs)
    top = logs.max(axis=0)
    return (top + np.log(np.exp(logs - top).sum(axis=0))).mean()


def judge_mixture(case, ours, theirs):
    """The same steps from the same start: a likelihood that is no lower."""
    if case.problem.eps > 1e-10:
        # In float32, their variance of a lone sample is rounding, and may be below reg_covar.
        double = replace(case.problem, X=case.problem.table, queries=case.problem.asked)
        theirs = hostile.fitted(type(theirs), case.params, double, case.methods)
    found, expected = (-likelihood(case.problem, model) for model in (ours, theirs))
    p = case.problem.table.shape[1]
    allowed = 2e-3 * case.params["n_components"] + 1e-6 * abs(expected)
    if not case.problem.mild or any(word.startswith("shifted") for word in case.problem.words):
        allowed += 1e-2 * p
    wrong = list(no_higher(found, expected, allowed, "minus the log-likelihood"))
    if wrong and ours.n_iter_ != theirs.n_iter_:
        yield "note", "another number of steps"
        return
    yield from wrong
    if not np.allclose(ours.answers["predict_proba"].sum(axis=1), 1.0, atol=1e-6):
        yield "responsibilities do not sum to 1"


def mixture(rng):
    problem = hostile.tables(rng)
    problem.y = None
    n, _p = problem.table.shape
    k = min(choose(rng, 1, 2, 3), n)
    variance = float(problem.table.var()) if problem.scale < 1e100 else 0.0
    params = {
        "n_components": k,
        "covariance_type": choose(rng, "full", "tied", "diag", "spherical"),
        "means_init": problem.table[rng.choice(n, k, replace=False)],
        "weights_init": np.full(k, 1.0 / k),
        "reg_covar": choose(rng, 1e-6, 1e-3 * variance, 1e-6 * variance) or 1e-6,
        "random_state": 0,
    }
    return Case(
        "mixture", "GaussianMixture", params, problem, judge_mixture, ("predict_proba", "predict")
    )


def lost(problem, model, centred=True):
    """Sum of squares that the components leave, and that of the centred samples."""
    X = problem.table.astype(LONG)
    X = X - X.mean(axis=0) if centred else X
    V = model.components_.astype(LONG)
    return ((X - X @ V.T @ V) ** 2).sum(), (X**2).sum(), X


def judge_components(case, ours, theirs):
    """Orthonormal directions that lose no more than theirs, with their variances."""
    problem, centred = case.problem, case.name == "PCA"
    (found, most, X), (expected, *_) = (lost(problem, model, centred) for model in (ours, theirs))
    # Centring leaves rounding of the size of the mean.
    rounded = (problem.eps * np.abs(problem.table).astype(LONG)) ** 2
    allowed = 1e-6 * expected + (64 * problem.eps) ** 2 * most + 1e3 * rounded.sum()
    if case.params.get("svd_solver") == "randomized" or case.params.get("algorithm"):
        allowed += 0.02 * most  # both draw directions
    if case.params.get("svd_solver") == "covariance_eigh":
        allowed += 64 * problem.eps * most * len(ours.components_)
    if most > 0 and np.isfinite(float(most)):
        yield from no_higher(found / most, expected / most, allowed / most, "share that is lost")
    V = ours.components_.astype(float)
    yield from near(V @ V.T, np.eye(len(V)), 1e3 * problem.eps, "product of components")
    if case.params.get("whiten") or case.name != "PCA":
        return
    scores = X @ ours.components_.astype(LONG).T
    sizes = np.sqrt((scores**2).sum(axis=0))
    allowed = 1e3 * problem.eps * sizes.max(initial=0) + np.sqrt(1e3 * rounded.sum())
    if case.params["svd_solver"] != "covariance_eigh" and float(most) < 1e300:
        yield from near(ours.singular_values_, sizes, float(allowed), "singular values")


def components(rng):
    name = choose(rng, "PCA", "PCA", "TruncatedSVD", "KernelPCA")
    problem = hostile.tables(rng, sparse=name == "TruncatedSVD")
    problem.y = None
    most = min(problem.table.shape)
    if name == "KernelPCA":
        unit = problem.scale**-2 if 1e-100 < problem.scale < 1e100 else 1.0
        params = {
            "n_components": min(choose(rng, 1, 3), len(problem.table)),
            "kernel": choose(rng, "linear", "rbf", "poly"),
            "gamma": choose(rng, None, unit),
            "eigen_solver": choose(rng, "auto", "dense"),
        }
        return Case("decomposition", name, params, problem, judge_kernel_pca, ("transform",))
    params = {"n_components": max(1, min(choose(rng, 1, 2, 5), most)), "random_state": 0}
    if name == "PCA":
        params["svd_solver"] = choose(rng, "auto", "full", "covariance_eigh", "randomized")
        params["whiten"] = choose(rng, False, False, True)
    else:
        params["algorithm"] = "randomized"
    return Case("decomposition", name, params, problem, judge_components, ("transform",))


def judge_kernel_pca(case, ours, theirs):
    """Eigenvalues, to rounding of the largest entry; scores are those of theirs up to a sign."""
    one, other = ours.eigenvalues_, theirs.eigenvalues_
    size = max(np.abs(other).max(initial=0.0), np.abs(one).max(initial=0.0))
    X, gamma = case.problem.table.astype(LONG), case.params["gamma"]
    products = np.abs(X @ X.T).max() * (gamma or 1 / LONG(X.shape[1]))
    kernel = case.params["kernel"]
    largest = {"rbf": 1, "linear": np.abs(X @ X.T).max(), "poly": (products + 1) ** 3}[kernel]
    if kernel == "rbf":  # theirs expands squares, and loses what is below the rounding of products
        largest = 1 + products
    allowed = 64 * case.problem.eps * len(X) * float(largest) + 1e-9 * size
    yield from near(one, other[: len(one)], allowed, "eigenvalues")


def judge_discriminants(case, ours, theirs):
    """The same probabilities where both programs compute with ordinary numbers."""
    one, other = ours.answers["predict_proba"], theirs.answers["predict_proba"]
    if not np.allclose(one.sum(axis=1), 1.0, atol=1e-5):
        yield "probabilities do not sum to 1"
    problem = case.problem
    shifted = any(word.startswith("shifted") for word in problem.words)
    decades = "weights: decades" in problem.words
    if problem.mild and not shifted and not decades and well_conditioned(case):
        yield from near(one, other, 1e-4 if problem.eps < 1e-10 else 5e-2, "predict_proba")


def well_conditioned(case):
    """Whether scatter within classes, all or each, is far from singular."""
    problem = case.problem
    codes, X = hostile.codes_of(problem.y), problem.table / problem.scale
    parts = [X[codes == code] - X[codes == code].mean(axis=0) for code in range(codes.max() + 1)]
    if case.name == "LinearDiscriminantAnalysis":
        parts = [np.concatenate(parts)]
    for part in parts:
        values = np.linalg.svd(part, compute_uv=False)
        if len(part) <= X.shape[1] + 1 or values[-1] < 1e-3 * values[0]:
            return False
    return True


def discriminants(rng):
    name = choose(rng, "LinearDiscriminantAnalysis", "QuadraticDiscriminantAnalysis")
    problem = hostile.classification(rng, weights=False, classes=(1, 2, 2, 3, 5))
    if name == "LinearDiscriminantAnalysis":
        params = {"solver": choose(rng, "svd", "lsqr", "eigen")}
        if params["solver"] != "svd":
            params["shrinkage"] = choose(rng, None, "auto", 0.3)
    else:
        params = {"reg_param": choose(rng, 0.0, 0.1, 0.5)}
    methods = "predict_proba", "predict"
    return Case("discriminant_analysis", name, params, problem, judge_discriminants, methods)


def posterior(case, extra):
    """Log-probabilities of naive Bayes in extended precision, and the size of their terms."""
    problem = case.problem
    X, asked = problem.table.astype(LONG), problem.asked.astype(LONG)
    s, codes = problem.weights, hostile.codes_of(problem.y)
    logs, _size = [], LONG(0)
    for code in range(codes.max() + 1):
        w, part = s[codes == code], X[codes == code]
        mean = w @ part / w.sum()
        variance = w @ (part - mean) ** 2 / w.sum() + extra
        square = (asked - mean) ** 2 / variance
        logs.append(np.log(w.sum() / s.sum()) - (np.log(2 * np.pi * variance) + square).sum(1) / 2)
    logs = np.array(logs).T
    top = logs.max(axis=1, keepdims=True)
    return logs - top - np.log(np.exp(logs - top).sum(axis=1, keepdims=True)), np.abs(logs)


def judge_bayes(case, ours, theirs):
    """No farther from the probabilities in extended precision than theirs, or rounding."""
    errors = []
    for model in (ours, theirs):  # ours smooths by weighted variances
        expected, size = posterior(case, LONG(model.epsilon_))
        if not np.all(np.isfinite(expected.astype(float))):
            return
        errors.append(np.abs(model.answers["predict_proba"] - np.exp(expected).astype(float)).max())
    shift = np.abs(case.problem.table).max() / max(float(case.problem.table.std()), 1e-300)
    rounded = 1e3 * case.problem.eps * (1 + float(size.max())) * (1 + min(shift, 1e9))
    if not errors[0] <= errors[1] * 1.5 + min(rounded, 0.5):
        yield f"probabilities {errors[0]:.1e} off, theirs {errors[1]:.1e}"


def bayes(rng):
    problem = hostile.classification(rng)
    params = {"var_smoothing": choose(rng, 1e-9, 1e-9, 1e-3)}
    methods = "predict_proba", "predict"
    return Case("naive_bayes", "GaussianNB", params, problem, judge_bayes, methods)


pytestmark = hostile.EXTENDED

FAMILIES = {
    "neighbours": neighbors,
    "k-means": k_means,
    "mixtures": mixture,
    "components": components,
    "discriminants": discriminants,
    "naive Bayes": bayes,
}


@pytest.mark.parametrize("family", FAMILIES)
def test_shapes_are_as_good(family, attempts, tally):
    hostile.run(family, FAMILIES[family], attempts, tally)
