"""Slow twins: each method in plain NumPy, as the chapter's equations say it.

Nothing here is compiled, shared with the package, or clever. Tests compare the package with it.
"""

import numpy as np

# ---------------------------------------------------------------------------------------------
# Distances


def reduced_distance(a, b, metric="euclidean", p=2, w=None):
    """The distance of two points before its final root, summed in the order of the features.

    Equations eq-euclidean, eq-minkowski, eq-chebyshev, eq-cosine-distance, eq-hamming.
    """
    if callable(metric):
        return metric(a, b)
    difference = np.abs(a - b)
    w = np.ones(len(a)) if w is None else np.asarray(w, dtype=np.float64)
    if metric in ("chebyshev", "infinity") or (metric == "minkowski" and np.isinf(p)):
        return max(difference * (w > 0))
    if metric == "hamming":
        return float(np.sum(a != b))
    if metric == "cosine":
        return 1 - a @ b / (np.linalg.norm(a) * np.linalg.norm(b))
    order = exponent(metric, p)
    return float(sum(w * difference**order))  # Python's sum adds from left to right


def exponent(metric, p=2):
    """The order of the Minkowski distance that a metric is."""
    orders = {"euclidean": 2, "l2": 2, "sqeuclidean": 2, "manhattan": 1, "l1": 1, "cityblock": 1}
    return p if metric == "minkowski" else orders[metric]


def distances(reduced, n_features, metric="euclidean", p=2):
    """Distances from reduced distances: the final root, if the metric has one."""
    if metric == "hamming":
        return reduced / n_features
    if callable(metric) or metric in ("chebyshev", "infinity", "cosine", "sqeuclidean"):
        return reduced
    order = exponent(metric, p)
    return (
        reduced if np.isinf(order) else np.sqrt(reduced) if order == 2 else reduced ** (1 / order)
    )


def reduced_distances(A, B, metric="euclidean", p=2, w=None):
    """All reduced distances between rows of `A` and rows of `B`, in float64, a pair at a time."""
    A, B = np.asarray(A, dtype=np.float64), np.asarray(B, dtype=np.float64)
    R = [[reduced_distance(a, b, metric, p, w) for b in B] for a in A]
    return np.array(R, dtype=np.float64).reshape(len(A), len(B))


# ---------------------------------------------------------------------------------------------
# Neighbourhoods


def k_neighbors(X, Q, k, exclude_self=False, metric="euclidean", p=2, w=None):
    """eq-k-neighborhood: distances and indices, sorted by (reduced distance, index)."""
    R = reduced_distances(Q, X, metric, p, w)
    if exclude_self:
        np.fill_diagonal(R, np.inf)
    columns = np.arange(R.shape[1])
    ind = np.array([np.lexsort((columns, row))[:k] for row in R], dtype=np.intp).reshape(-1, k)
    return distances(np.take_along_axis(R, ind, axis=1), np.shape(X)[1], metric, p), ind


def radius_neighbors(X, Q, r, exclude_self=False, sort=False, metric="euclidean", p=2, w=None):
    """eq-radius-neighborhood: lists of distances and of indices."""
    D = distances(reduced_distances(Q, X, metric, p, w), np.shape(X)[1], metric, p)
    radii = np.broadcast_to(r, len(D))
    dist, ind = [], []
    for i, row in enumerate(D):
        near = [j for j in range(len(row)) if row[j] <= radii[i] and not (exclude_self and i == j)]
        if sort:
            near.sort(key=lambda j, row=row: (row[j], j))
        ind.append(np.array(near, dtype=np.intp))
        dist.append(row[ind[-1]])
    return dist, ind


# ---------------------------------------------------------------------------------------------
# Weights, means, votes


def neighbor_weights(dist, weights="uniform"):
    """Weights of the neighbours of one query, with sum one: eq-weights-uniform,
    eq-weights-distance."""
    dist = np.asarray(dist, dtype=np.float64)
    if weights in (None, "uniform"):
        w = np.ones(len(dist))
    elif weights == "distance":
        w = (dist == 0).astype(float) if np.any(dist == 0) else 1 / dist
    else:
        w = np.asarray(weights(dist[np.newaxis]))[0]
    return w / np.sum(w)


def weighted_mean(dist, ind, y, weights="uniform"):
    """eq-knn-regression for one query; NaN without neighbours."""
    y = np.asarray(y, dtype=np.float64)
    if len(ind) == 0:
        return np.full(y.shape[1:], np.nan)
    return np.tensordot(neighbor_weights(dist, weights), y[ind], axes=1)


def vote_shares(dist, ind, y, classes, weights="uniform"):
    """The sums in eq-knn-classification for one query, one for each class."""
    w = neighbor_weights(dist, weights)
    return np.array([np.sum(w[np.asarray(y)[ind] == c]) for c in classes])


# ---------------------------------------------------------------------------------------------
# Penalised least squares


def elastic_net(X, y, alpha, l1_ratio, positive=False, sweeps=5000):
    """Coefficients of the elastic net by plain cyclic coordinate descent.

    Equations eq-lasso, eq-elastic-net, eq-coordinate-update, eq-soft-threshold.
    """
    n, p = X.shape
    X, y = X - X.mean(axis=0), y - y.mean()
    w, r = np.zeros(p), y.copy()
    for _ in range(sweeps):
        for j in range(p):
            z = X[:, j] @ r / n + (X[:, j] @ X[:, j] / n) * w[j]
            size = max(abs(z) - alpha * l1_ratio, 0.0)
            sign = max(np.sign(z), 0.0) if positive else np.sign(z)
            new = sign * size / (X[:, j] @ X[:, j] / n + alpha * (1 - l1_ratio))
            r -= (new - w[j]) * X[:, j]
            w[j] = new
    return w


# ---------------------------------------------------------------------------------------------
# Least squares


def centred(X, y, weight=None, fit_intercept=True):
    """Samples and targets minus their weighted means, times the roots of the weights."""
    X, y = np.asarray(X, dtype=np.longdouble), np.asarray(y, dtype=np.longdouble)
    s = np.ones(len(X)) if weight is None else np.asarray(weight)
    x_mean, y_mean = np.zeros(X.shape[1]), np.zeros(y.shape[1:])
    if fit_intercept:
        x_mean, y_mean = s @ X / s.sum(), s @ y / s.sum()
    root = np.sqrt(s)
    return (
        np.asarray((X - x_mean) * root[:, None], dtype=np.float64),
        np.asarray(((y - y_mean).T * root).T, dtype=np.float64),
        x_mean,
        y_mean,
    )


def least_squares(X, y, weight=None, alpha=0.0, fit_intercept=True, cutoff=1e-6):
    """eq-least-squares, eq-ridge, eq-minimum-norm: coefficients and intercept of one target, from
    the singular value decomposition of all centred samples."""
    Z, t, x_mean, y_mean = centred(X, y, weight, fit_intercept)
    U, s, Vt = np.linalg.svd(Z, full_matrices=False)
    kept = s > cutoff * s.max()
    factors = np.array([s_j / (s_j**2 + alpha) if k else 0.0 for s_j, k in zip(s, kept)])  # noqa: B905
    w = Vt.T @ (factors * (U.T @ t))
    return w, float(y_mean - x_mean @ w)


def left_out_errors(X, y, alpha, weight=None, fit_intercept=True):
    """eq-ridge-loo by its definition: n fits, each without one sample."""
    s = np.ones(len(X)) if weight is None else weight
    errors = []
    for i in range(len(X)):
        others = np.arange(len(X)) != i
        w, w0 = least_squares(X[others], y[others], s[others], alpha, fit_intercept, cutoff=0.0)
        errors.append(y[i] - w0 - X[i] @ w)
    return np.array(errors)


def nonnegative_least_squares(X, y, alpha=0.0, fit_intercept=True):
    """eq-nonnegative-least-squares by trying every set of positive coefficients."""
    Z, t, x_mean, y_mean = centred(X, y, None, fit_intercept)
    best, p = None, Z.shape[1]
    for subset in range(2**p):
        members = [j for j in range(p) if subset >> j & 1]
        w = np.zeros(p)
        if members:
            A = Z[:, members].T @ Z[:, members] + alpha * np.eye(len(members))
            w[members] = np.linalg.lstsq(A, Z[:, members].T @ t, rcond=None)[0]
        value = np.sum((t - Z @ w) ** 2) + alpha * np.sum(w**2)
        if np.all(w >= 0.0) and (best is None or value < best[0]):
            best = value, w, float(y_mean - x_mean @ w)
    return best


def moments(X, Y, weight=None):
    """eq-gram-merge, its result: sum of weights, means, sums of products about the means."""
    X, Y = np.asarray(X, dtype=np.longdouble), np.asarray(Y, dtype=np.longdouble)
    s = np.ones(len(X)) if weight is None else np.asarray(weight)
    x_mean, y_mean = s @ X / s.sum(), s @ Y / s.sum()
    Z, T = X - x_mean, Y - y_mean
    return s.sum(), x_mean, y_mean, (Z.T * s) @ Z, (Z.T * s) @ T, s @ T**2


# ---------------------------------------------------------------------------------------------
# Trees


def impurity(criterion, y, w):
    """Impurity of a node: eq-gini, eq-entropy, eq-misclassification, eq-squared-error,
    eq-absolute-error, eq-poisson-deviance.
    """
    y, share = np.asarray(y), np.asarray(w) / np.sum(w)
    if criterion in ("gini", "entropy", "misclassification"):
        p = np.array([share[y == c].sum() for c in np.unique(y)])
        p = p[p > 0]
        if criterion == "gini":
            return 1.0 - np.sum(p**2)
        return -np.sum(p * np.log2(p)) if criterion == "entropy" else 1.0 - p.max()
    mean = np.sum(share * y)
    if criterion == "squared_error":
        return np.sum(share * (y - mean) ** 2)
    if criterion == "absolute_error":
        return min(np.sum(share * np.abs(y - middle)) for middle in y)
    return np.sum(share * np.where(y > 0, y * np.log(np.where(y > 0, y, 1) / mean), 0.0))


def best_cuts(criterion, codes, Y, w, min_samples=1, min_weight=0.0):
    """eq-split on one feature: the largest decrease of the weighted impurity, over all cuts of the
    sorted samples (columns of `Y`) between different codes, and the places before the best cuts.

    With the Poisson deviance, both sides of a cut need a positive sum.
    """
    whole = w.sum() * np.mean([impurity(criterion, y, w) for y in Y])
    decreases = {}
    for i in range(len(codes) - 1):
        sides = slice(0, i + 1), slice(i + 1, None)
        if codes[i] == codes[i + 1] or min(i + 1, len(codes) - i - 1) < min_samples:
            continue
        if min(w[side].sum() for side in sides) < min_weight:
            continue
        if criterion == "poisson" and any((Y[:, side].sum(axis=1) == 0).any() for side in sides):
            continue
        parts = [w[s].sum() * np.mean([impurity(criterion, y[s], w[s]) for y in Y]) for s in sides]
        decreases[i] = whole - sum(parts)
    best = max(decreases.values(), default=-np.inf)
    return best, [i for i, decrease in decreases.items() if decrease > best - 1e-9]


def smallest_best_subtree(cost, left, right, alpha):
    """eq-cost-complexity: the leaves of the subtree with the least cost + alpha times leaves.

    All subtrees are listed; of equal ones, that with the fewest leaves counts.
    """

    def subtrees(node):
        yield [node]
        if left[node] != -1:
            for one in subtrees(left[node]):
                for other in subtrees(right[node]):
                    yield one + other

    def price(leaves):
        return cost[leaves].sum() + alpha * len(leaves)

    found = list(subtrees(0))
    least = min(price(leaves) for leaves in found)
    return min((leaves for leaves in found if price(leaves) < least + 1e-12), key=len)


# ---------------------------------------------------------------------------------------------
# Logistic regression with an l1 part in its penalty


def penalized_logistic(X, y, s, alpha_l1, alpha_l2, steps=20_000):
    """eq-logistic-penalized by proximal gradient steps; y is +1 or -1; returns w and w_0."""
    s = s / s.sum()
    A = np.column_stack([X, np.ones(len(X))])
    step = 1 / (np.linalg.norm(np.sqrt(s)[:, None] * A, 2) ** 2 / 4 + alpha_l2)
    v = np.zeros(A.shape[1])
    for _ in range(steps):
        gradient = -A.T @ (s * y / (1 + np.exp(y * (A @ v))))
        gradient[:-1] += alpha_l2 * v[:-1]
        v = v - step * gradient
        v[:-1] = np.sign(v[:-1]) * np.maximum(np.abs(v[:-1]) - step * alpha_l1, 0)
    return v[:-1], v[-1]


# Logistic regression


def logistic_objective(w, b, X, y, s, alpha):
    """eq-logistic-loss, eq-logistic-gradient, eq-logistic-hessian: of the penalised mean loss.

    y holds +1 and -1. Gradient and Hessian are those in (w, b). Returns all three.
    """
    A = np.column_stack([X, np.ones(len(X))])
    theta, ridge = np.append(w, b), np.append(np.full(len(w), alpha), 0.0)
    margins = y * (A @ theta)
    wrong = 1.0 / (1.0 + np.exp(margins))
    value = np.sum(s * np.log(1.0 + np.exp(-margins))) / s.sum() + 0.5 * ridge @ theta**2
    gradient = A.T @ (-s * y * wrong) / s.sum() + ridge * theta
    D = np.diag(s * wrong * (1.0 - wrong))
    return value, gradient, A.T @ D @ A / s.sum() + np.diag(ridge)


def softmax(Z):
    """eq-softmax: a row of probabilities for each row of scores."""
    E = np.exp(Z - Z.max(axis=1, keepdims=True))
    return E / E.sum(axis=1, keepdims=True)


def multinomial_objective(W, b, X, codes, s, alpha):
    """eq-multinomial-loss, eq-multinomial-gradient, eq-multinomial-hessian: of the mean loss.

    W (q, p), b (q,). The gradient is (q, p + 1), the Hessian (q (p + 1), q (p + 1)).
    """
    A = np.column_stack([X, np.ones(len(X))])
    T = np.column_stack([W, b])
    P, Y = softmax(A @ T.T), np.eye(len(W))[codes]
    value = -np.sum(s * np.log(P[np.arange(len(X)), codes])) / s.sum() + 0.5 * alpha * np.sum(W**2)
    ridge = np.append(np.full(X.shape[1], alpha), 0.0)
    gradient = (s[:, np.newaxis] * (P - Y)).T @ A / s.sum() + ridge * T
    H = np.kron(np.eye(len(W)), np.diag(ridge))
    for a, p, weight in zip(A, P, s / s.sum(), strict=True):
        H = H + weight * np.kron(np.diag(p) - np.outer(p, p), np.outer(a, a))
    return value, gradient, H


def logistic_newton(X, y, s, alpha, n_steps=30):
    """eq-newton-step with eq-line-search, from zero: coefficients and intercept."""
    theta = np.zeros(X.shape[1] + 1)
    for _ in range(n_steps):
        value, gradient, H = logistic_objective(theta[:-1], theta[-1], X, y, s, alpha)
        step, t = -np.linalg.solve(H, gradient), 1.0
        while t > 1e-12:
            trial = theta + t * step
            new = logistic_objective(trial[:-1], trial[-1], X, y, s, alpha)[0]
            if new <= value + 1e-4 * t * gradient @ step:
                break
            t /= 2
        theta = theta + t * step
    return theta[:-1], theta[-1]


# ---------------------------------------------------------------------------------------------
# Support vector machines


def minimise_pairs(K, linear, lower, upper, start, group, tol=1e-3, max_steps=100_000):
    """Minimise b'Kb / 2 + l'b in a box, the sum of each group fixed: two variables at a time.

    Returns b, its gradient, and the number of steps.
    """
    beta = np.array(start, dtype=np.float64)
    for step in range(max_steps + 1):
        f = K @ beta + linear
        pairs = []
        for g in np.unique(group):
            up = np.flatnonzero((group == g) & (beta < upper))
            down = np.flatnonzero((group == g) & (beta > lower))
            if len(up) and len(down):
                i = up[np.argmin(f[up])]
                pairs.append((max(f[down]) - f[i], i, down))
        violation, i, down = max(pairs, key=lambda pair: pair[0])
        if violation < tol or step == max_steps:
            return beta, f, step
        above = down[f[down] > f[i]]
        curvature = np.maximum(K[i, i] + np.diag(K)[above] - 2 * K[i, above], 1e-12)
        best = np.argmax((f[above] - f[i]) ** 2 / curvature)
        j = above[best]
        delta = min((f[j] - f[i]) / curvature[best], upper[i] - beta[i], beta[j] - lower[j])
        beta[i], beta[j] = min(beta[i] + delta, upper[i]), max(beta[j] - delta, lower[j])


def kernel_ridge(K, y, lam, weight=None):
    """eq-krr-dual: coefficients where the gradient of the weighted objective is zero."""
    weight = np.ones(len(K)) if weight is None else np.asarray(weight, dtype=float)
    return np.linalg.solve(weight[:, None] * K + lam * np.eye(len(K)), weight * y)


def kernel_pca(K, k):
    """eq-kpca-centre, eq-kpca-eigen: eigenvalues (k,), falling, and projections (n, k)."""
    n = len(K)
    H = np.eye(n) - np.ones((n, n)) / n
    values, vectors = np.linalg.eigh(H @ K @ H)
    values, vectors = values[::-1][:k], vectors[:, ::-1][:, :k]
    return values, vectors * np.sqrt(np.maximum(values, 0.0))


def svm_objectives(K, y, beta, b, C):
    """Primal and dual objective of C-SVC at coefficients beta and intercept b."""
    f, norm = K @ beta + b, 0.5 * beta @ K @ beta
    return norm + np.sum(C * np.maximum(0.0, 1.0 - y * f)), y @ beta - norm


def svr_objectives(K, y, beta, b, C, epsilon):
    """Primal and dual objective of epsilon-SVR."""
    f, norm = K @ beta + b, 0.5 * beta @ K @ beta
    primal = norm + np.sum(C * np.maximum(0.0, np.abs(y - f) - epsilon))
    return primal, y @ beta - epsilon * np.sum(np.abs(beta)) - norm


# Normal distributions


def normal_estimates(X, y, s):
    """eq-normal-ml: shares, means and covariances of the classes, in their order."""
    shares, means, covariances = [], [], []
    for c in np.unique(y):
        Z, w = X[y == c], s[y == c]
        shares.append(w.sum() / s.sum())
        means.append(w @ Z / w.sum())
        deviations = Z - means[-1]
        covariances.append((w[:, np.newaxis] * deviations).T @ deviations / w.sum())
    return np.array(shares), np.array(means), np.array(covariances)


def log_joint(X, shares, means, covariances):
    """eq-normal-density and the logarithm of eq-normal-posterior's numerator, (n, q)."""
    columns = []
    for share, mean, covariance in zip(shares, means, covariances, strict=True):
        Z = X - mean
        squares = np.sum(Z * np.linalg.solve(covariance, Z.T).T, axis=1)
        spread = np.linalg.slogdet(2 * np.pi * covariance)[1]
        columns.append(np.log(share) - (squares + spread) / 2)
    return np.column_stack(columns)


def naive_covariances(covariances, shares, kind):
    """eq-naive-bayes-ml: diagonal covariances, of which classes or features may share variances."""
    variances = np.array([np.diag(one) for one in covariances])
    if kind in ("feature", "one"):
        variances[:] = shares @ variances
    if kind in ("class", "one"):
        variances[:] = variances.mean(axis=1, keepdims=True)
    return np.array([np.diag(one) for one in variances])


def ledoit_wolf(X):
    """eq-ledoit-wolf: the share of shrinkage, sample by sample."""
    Z = X - X.mean(axis=0)
    n, p = Z.shape
    S = Z.T @ Z / n
    target = np.trace(S) / p * np.eye(p)
    distance = np.sum((S - target) ** 2)
    noise = sum(np.sum((np.outer(z, z) - S) ** 2) for z in Z) / n**2
    return min(noise / distance, 1.0)


# Multiclass strategies


def votes(scores, n_classes):
    """eq-one-vs-one: votes of the pairs (0, 1), (0, 2), ..., and confidences below half a vote."""
    result, sums, k = np.zeros((len(scores), n_classes)), np.zeros((len(scores), n_classes)), 0
    for i in range(n_classes):
        for j in range(i + 1, n_classes):
            for row, score in enumerate(scores[:, k]):
                result[row, j if score > 0 else i] += 1
                sums[row, j] += score
                sums[row, i] -= score
            k += 1
    return result + sums / (3 * (np.abs(sums) + 1))


def nearest_word(scores, code_book):
    """eq-ecoc: the class whose word is nearest to the scores."""
    return np.array(
        [np.argmin([np.sum((row - word) ** 2) for word in code_book]) for row in scores]
    )


# Clustering


def squared_distance_table(X, centres):
    return np.array([[np.sum((x - c) ** 2) for c in centres] for x in X])


def kmeans_step(X, s, centres):
    """eq-kmeans-assign, eq-kmeans-update, eq-inertia: labels, new centres, inertia before."""
    table = squared_distance_table(X, centres)
    labels = np.argmin(table, axis=1)
    new = [
        np.average(X[labels == c], axis=0, weights=s[labels == c]) if s[labels == c].sum() else mean
        for c, mean in enumerate(centres)
    ]
    return labels, np.array(new), float(s @ table.min(axis=1))


def plus_plus(X, s, k, random_state, n_trials):
    """eq-kmeans-plus-plus: the indices of the first centres."""
    chosen = [random_state.choice(len(X), p=s / s.sum())]
    for _ in range(1, k):
        nearest = squared_distance_table(X, X[chosen]).min(axis=1)
        draws = random_state.uniform(size=n_trials) * (s @ nearest)
        candidates = np.searchsorted(np.cumsum(s * nearest), draws)
        rest = [s @ squared_distance_table(X, X[[*chosen, i]]).min(axis=1) for i in candidates]
        chosen.append(candidates[int(np.argmin(rest))])
    return chosen


def em_step(X, weights, means, covariances, reg_covar=0.0):
    """gmm density, gmm responsibility, gmm m step with covariances (k, p, p).

    Returns responsibilities, the mean log-likelihood before, and the new parameters.
    """
    scores = log_joint(X, weights, means, covariances)
    R = softmax(scores)
    top = scores.max(axis=1)
    likelihood = np.mean(top + np.log(np.exp(scores - top[:, np.newaxis]).sum(axis=1)))
    N = R.sum(axis=0)
    means = [r @ X / total for r, total in zip(R.T, N, strict=True)]
    covariances = [
        (r[:, np.newaxis] * (X - mean)).T @ (X - mean) / total + reg_covar * np.eye(X.shape[1])
        for r, total, mean in zip(R.T, N, means, strict=True)
    ]
    return R, likelihood, N / len(X), np.array(means), np.array(covariances)


def restricted(kind, weights, covariances):
    """The covariances (k, p, p) of each kind, from those of full ones."""
    if kind == "tied":
        return np.repeat(np.tensordot(weights, covariances, 1)[np.newaxis], len(weights), axis=0)
    diagonals = np.array([np.diag(one) for one in covariances])
    if kind == "spherical":
        diagonals = np.repeat(diagonals.mean(axis=1, keepdims=True), diagonals.shape[1], axis=1)
    return covariances if kind == "full" else np.array([np.diag(one) for one in diagonals])


def principal_axes(X, k):
    """pca variance, pca eigen: the mean, the k largest variances (k,) and their axes (k, p)."""
    mean = X.mean(axis=0)
    Z = X - mean
    values, vectors = np.linalg.eigh(Z.T @ Z / (len(X) - 1))
    axes = vectors[:, ::-1][:, :k].T
    return (
        mean,
        values[::-1][:k],
        axes * np.sign(axes[range(k), np.abs(axes).argmax(axis=1)])[:, None],
    )


def axes_after_batches(batches, k):
    """pca update: singular values and axes, of which only k are kept from batch to batch."""
    values, axes, mean, n = np.empty(0), None, None, 0
    for X in batches:
        m, rows = len(X), [X - X.mean(axis=0)]
        if n:
            gap = np.sqrt(n * m / (n + m)) * (mean - X.mean(axis=0))
            rows = [values[:, None] * axes, *rows, gap[None]]
            mean = (n * mean + m * X.mean(axis=0)) / (n + m)
        else:
            mean = X.mean(axis=0)
        _, values, axes = np.linalg.svd(np.vstack(rows), full_matrices=False)
        values, axes, n = values[:k], axes[:k], n + m
    return mean, values, axes


def conformal_quantile(scores, level):
    """The smallest score with at least the share `level` of n + 1 ranks at or below it."""
    n = len(scores)
    reached = [s for s in scores if sum(t <= s for t in scores) >= level * (n + 1) - 1e-9]
    return min(reached, default=np.inf)


def weighted_quantile(scores, weight, own, level):
    """The smallest score up to which there is the share `level` of the weights, `own` added."""
    total = sum(weight) + own
    reached = [
        s
        for s in scores
        if sum(w for t, w in zip(scores, weight, strict=True) if t <= s)
        >= level * total * (1 - 1e-9)
    ]
    return min(reached, default=np.inf)


def jackknife_plus(left_out, residuals, level):
    """Interval of CV+ from each sample's fit without it: its prediction (n,), its residual (n,)."""
    upper = conformal_quantile([m + r for m, r in zip(left_out, residuals, strict=True)], level)
    lower = conformal_quantile([r - m for m, r in zip(left_out, residuals, strict=True)], level)
    return -lower, upper


def aps_scores(P, u):
    """Probability of the likelier classes and a share 1 - u of its own, for each class."""
    n, q = P.shape
    scores = np.empty((n, q))
    for i in range(n):
        for c in range(q):
            likelier = [P[i, d] for d in range(q) if (-P[i, d], d) < (-P[i, c], c)]
            scores[i, c] = sum(likelier) + (1.0 - u[i]) * P[i, c]
    return scores


# Data that rounding turns round


def near_ties(p, unit):
    """Samples (n, p) that are nearer to the first of two points (2, p), and not by a product.

    A product that adds p terms one after the other, each with a relative error up to `unit`, loses
    all of its last p - 2 terms: each is a little below half a digit of the sum before. So it claims
    the second point, by up to nearly half of what the bounds on such errors allow for.
    """
    step = np.sqrt(unit) if np.log2(unit) % 2 == 0 else np.sqrt(unit / 2)
    X = np.full((p // 2 - 2, p), unit / step)
    X[:, 0] = np.arange(1, p // 2 - 1) * unit / step
    X[:, 1] = 1 + 2.0**-10  # the largest term, against which the others are small
    nearer = np.full(p, step * (1 - 2.0**-10))
    nearer[:2] = -2 * step, 1.0
    farther = -nearer
    farther[1] = 1.0
    return X, np.vstack([nearer, farther])
