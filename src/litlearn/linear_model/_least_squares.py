"""Least squares, with or without a squared penalty: which factorisation, and the solution.

The question is always the same: the coefficients W (p, k) that minimise, for each target t,

    sum_i s_i (y_it - w_0t - x_i w_t)^2 + alpha_t ||w_t||^2,

and, where several do, the shortest. With alpha = 0 it is :eq:`eq-least-squares`, otherwise
:eq:`eq-ridge`. Which route leads there depends on the shape and on the conditioning:

===================  ==================================  ===================================
shape                well conditioned                    nearly or exactly collinear
===================  ==================================  ===================================
tall, p <= n         Cholesky of the scatter matrix      QR of blocks, SVD of the small R
wide, p > n          Cholesky of the products of rows    QR of the other side, SVD, refined
sparse, p small      Cholesky of the scatter matrix      QR of blocks, SVD of the small R
sparse, p large      LSQR                                LSQR
===================  ==================================  ===================================

LSQR :cite:p:`paige_lsqr_1982` is iterative: each step takes one product with X and one with X'.
Of sparse samples, no more than a block of rows is ever dense.
"""

import functools

import numpy as np

from litlearn._core import moments, validation
from litlearn._core.chunked import in_memory, is_chunked
from litlearn._core.factors import threads_for
from litlearn._core.parallel import blas_for
from litlearn.exceptions import ConvergenceWarning
from litlearn.linear_model import _descent, _design, _nonnegative
from litlearn.linear_model import _normal_equations as equations
from litlearn.linear_model._penalty import Penalty

EPSILON = np.finfo(np.float64).eps
# Sparse samples with at most so many features are solved through their scatter matrix.
FEW_FEATURES = 4096
# Wide dense samples with at most so many features, too, if no coefficient may be negative.
FEW_UNKNOWNS = 512
# Sweeps of coordinate descent for those with more, and the largest support that is then polished.
MOST_SWEEPS, MOST_POLISHED = 20_000, 512


def solve_least_squares(owner, samples, alpha, cutoff=0.0, n_jobs=None, max_iter=None, way="auto"):
    """Solve by whichever route suits, or by the one that is asked for.

    Parameters
    ----------
    owner : estimator
        Named in warnings.
    samples : Samples
        Data, (n, p) and (n, k). Where they are not known to be finite, it is found out.
    alpha : ndarray of shape (k,)
        Penalties of the targets, not negative.
    cutoff : float, default=0.0
        Singular values below this share of the largest count as zero. At least the rounding of
        float64 times the larger dimension is used.
    n_jobs : int or None, default=None
        Number of threads.
    max_iter : int or None, default=None
        Most iterations of LSQR; None: ten for each dimension.
    way : {"auto", "svd", "lsqr", "positive"}, default="auto"
        The route. ``"svd"`` is for dense samples alone; ``"positive"`` leads to coefficients none
        of which is negative.

    Returns
    -------
    Solution

    Warns
    -----
    ConvergenceWarning
        If the conditions of a minimum do not hold at the end, up to rounding.
    """
    n, p = samples.X.shape
    dense = isinstance(samples.X, np.ndarray) or is_chunked(samples.X)
    cutoff = max(cutoff, EPSILON * max(n, p))
    if is_chunked(samples.X):
        check_way(owner, (n, p), way)
    if way not in ("auto", "svd") or p > n:
        samples = equations.known_to_be_finite(samples, owner)
    samples, alpha, root = with_ordinary_weights(samples, alpha)
    silent = np.errstate(over="ignore", invalid="ignore", under="ignore")
    with silent, threads_for(min(n, p)):
        if way == "lsqr" or (way == "auto" and not dense and p > min(n, FEW_FEATURES)):
            return solve_iteratively(owner, samples, alpha, max_iter)
        samples = samples if dense else samples._replace(X=samples.X.tocsr())
        if way == "positive":
            return solve_nonnegative(owner, samples, alpha, n_jobs)
        one_side = solve_wide if p > n else functools.partial(solve_tall, owner=owner)
        found = one_side(samples, alpha, cutoff, n_jobs, cholesky=way != "svd")
    matrix, x_scale = found.spectrum
    return found._replace(spectrum=(matrix, x_scale * root))


def check_way(owner, shape, way):
    """Refuse samples in chunks where the solution is no function of their sums."""
    who, (n, p) = type(owner).__name__, shape
    if way == "lsqr":
        raise ValueError(
            f"{who}: solver={owner.solver!r} goes over the samples at each step. Of an array of "
            "Dask, use solver='auto', 'cholesky' or 'svd', which sum them up in one pass."
        )
    if p > n or (way == "positive" and p > FEW_FEATURES):
        raise ValueError(
            f"{who}: an array of Dask has {n} samples of {p} features, expected at most as many "
            f"features as samples{f' and as {FEW_FEATURES}' if way == 'positive' else ''}. If it "
            "fits in memory, give X.compute()."
        )


def with_ordinary_weights(samples, alpha):
    """Return samples whose weights neither overflow nor vanish in sums, and penalties to match.

    Also the root of what the weights were multiplied by, a power of two.
    """
    if samples.weight is None:
        return samples, alpha, 1.0
    root = equations.inverse(np.sqrt(in_memory(samples.weight.max())), 1e45)
    # The whole factor may itself be out of range, and so may the penalties.
    weight, alpha = samples.weight * root * root, np.minimum(alpha * root, 1e300) * root
    return samples._replace(weight=weight), np.minimum(alpha, 1e300), root


def solve_tall(samples, alpha, cutoff, n_jobs=None, cholesky=True, owner=None):
    """At least as many samples as features: the scatter matrix, or the triangular factor."""
    one_penalty = bool((alpha == alpha[:1]).all())
    samples = samples._replace(refined=cholesky and one_penalty)
    samples, total = equations.scale_into_range(samples, moments.moments, n_jobs, owner)
    penalty = alpha * samples.x_scale * samples.x_scale
    if total.single:
        coef = equations.refined_solution(samples, total, penalty[0], cutoff, n_jobs)
        if coef is None:
            return solve_tall(samples._replace(single=False), alpha, cutoff, n_jobs, owner=owner)
        return equations.unscaled_solution(samples, total, coef, "cholesky", len(coef), total.xx)
    # <cholesky>: (X'X + alpha I) w = X'y, once for each alpha, if its digits suffice.
    coef = equations.by_penalty(total.xx, total.xy, penalty, cutoff) if cholesky else None
    if coef is not None:
        return equations.unscaled_solution(samples, total, coef, "cholesky", len(coef), total.xx)
    # <svd>: Otherwise X itself is factored, whose condition number is the root of that of X'X.
    R, C = equations.triangular_factor(samples, total, n_jobs)
    U, singular, Vt = equations.svd(R)
    kept = singular > cutoff * singular.max(initial=0.0)
    coef = Vt.T @ (equations.shrinkage_factors(singular, kept, penalty) * (U.T @ C))
    return equations.unscaled_solution(samples, total, coef, "svd", int(kept.sum()), singular)


def solve_wide(samples, alpha, cutoff, n_jobs=None, cholesky=True):
    """More features than samples: a combination of the rows, :eq:`eq-ridge-dual`."""
    samples, rows = equations.scale_into_range(samples, equations.row_products, n_jobs)
    penalty = alpha * samples.x_scale * samples.x_scale
    # <cholesky>: Centred rows sum to zero; a term in that direction makes K regular, and costs
    # nothing, because the centred targets have no part in it.
    K, n = rows.xx, len(rows.xx)
    regular = K
    if samples.centred:
        ones = rows.root / np.linalg.norm(rows.root)
        regular = K + np.multiply.outer(ones * (np.trace(K) / n), ones)
    A = equations.by_penalty(regular, rows.xy, penalty, cutoff) if cholesky else None
    if A is not None:
        coef = equations.combine_rows(samples, rows, A, n_jobs)
        return equations.unscaled_solution(samples, rows, coef, "cholesky", n - samples.centred, K)
    # <svd>: Otherwise from Z' = Q R and the singular values of R; Q is never formed.
    _, singular, Vt = equations.svd(equations.row_factor(samples, rows, n_jobs))  # Z = V S (U'Q')
    kept = singular > cutoff * singular.max(initial=0.0)
    inverse = equations.shrinkage_factors(singular, kept, penalty)
    inverse /= np.where(kept, singular, 1.0)[:, None]
    # Rows are combined with weights of size 1 / s^2, which squares the condition number. A step for
    # what is left of the equations, twice, brings the digits back.
    A, coef = np.zeros_like(rows.xy), np.zeros((samples.X.shape[1], len(penalty)))
    for _ in range(3):
        left = rows.xy - equations.apply_columns(samples, rows, coef, n_jobs) - penalty * A
        step = Vt.T @ (inverse * (Vt @ left))
        A, coef = A + step, coef + equations.combine_rows(samples, rows, step, n_jobs)
    return equations.unscaled_solution(samples, rows, coef, "svd", int(kept.sum()), singular)


def solve_iteratively(owner, samples, alpha, max_iter=None):
    """Solve by LSQR with products of X alone; its mean is subtracted after each product."""
    from scipy.sparse.linalg import LinearOperator, lsqr

    X, Y = samples.X.astype(np.float64), samples.Y
    n, p = X.shape
    root = np.ones(n) if samples.weight is None else np.sqrt(samples.weight)
    weight = root @ root
    x_mean, y_mean = np.zeros(p), np.zeros(Y.shape[1])
    if samples.centred:
        x_mean, y_mean = X.T @ root**2 / weight, root**2 @ Y / weight
    T = (Y - y_mean) * root[:, None]
    squared = X * X if isinstance(X, np.ndarray) else X.multiply(X)
    squares = squared.T @ root**2 - weight * x_mean**2
    size = np.sqrt(max(squares.sum(), 0.0))
    most = 10 * (n + p) if max_iter is None else max_iter
    coef, n_iter = np.empty((p, Y.shape[1])), np.empty(Y.shape[1], dtype=np.int32)
    for t in range(Y.shape[1]):
        # <scale>: With a penalty there is one solution, whatever the units of its coefficients:
        # columns of equal length need fewer iterations. Without one, or with one that is lost in
        # rounding, units decide what is short.
        penalty = np.sqrt(alpha[t])
        felt = alpha[t] > 1e-10 * size**2
        d = np.sqrt(np.maximum(squares, 0.0) + alpha[t]) if felt else np.ones(p)

        def forward(v, d=d, penalty=penalty):
            w = v.ravel() / d
            return np.concatenate((root * (X @ w - x_mean @ w), penalty * w))

        def backward(u, d=d, penalty=penalty):
            top = root * u.ravel()[:n]
            return (X.T @ top - x_mean * top.sum() + penalty * u.ravel()[n:]) / d

        operator = LinearOperator((n + p, p), forward, backward, dtype=np.float64)
        target = np.concatenate((T[:, t], np.zeros(p)))
        # <iterate>: A second run solves for what rounding left of the equations.
        v, used = np.zeros(p), 0
        for _ in range(2):
            left = target - forward(v)
            found = lsqr(operator, left, atol=1e-14, btol=1e-14, conlim=0.0, iter_lim=most - used)
            v, used = v + found[0], used + found[2]
        coef[:, t], n_iter[t] = v / d, max(used, 1)
        # <certify>: The gradient says whether it is the minimum.
        gradient = np.linalg.norm(backward(target - forward(v)))
        scale = np.linalg.norm(T[:, t]) * (np.sqrt(p) if penalty > 0.0 else size)
        if gradient > 1e-9 * scale:
            message = (
                f"{type(owner).__name__}: LSQR stopped after {used} iterations with a gradient of "
                f"{gradient / scale:.1e} of its size at the start. Increase max_iter."
            )
            validation.warn(ConvergenceWarning(message))
    return equations.LeastSquares(coef, x_mean, y_mean, "lsqr", n_iter)


def solve_nonnegative(owner, samples, alpha, n_jobs=None):
    """Solve with the constraint that no coefficient is negative, one target at a time."""
    n, p = samples.X.shape
    most = FEW_UNKNOWNS if isinstance(samples.X, np.ndarray) else 0
    if p > FEW_FEATURES or p > max(n, most):
        with blas_for(samples.X):
            return descend_nonnegative(owner, samples, alpha, n_jobs)
    samples, total = equations.scale_into_range(samples, moments.moments, n_jobs)
    penalty = alpha * samples.x_scale * samples.x_scale
    coef, n_iter, R = np.zeros_like(total.xy), np.zeros(len(alpha), dtype=np.int32), None
    for t in range(len(alpha)):
        # <exchange>: With a matrix that Cholesky can be trusted with, all at once.
        A = total.xx + np.diag(np.full(p, penalty[t]))
        w = None
        if equations.cholesky_solve(A, total.xy[:, t : t + 1]) is not None:
            d = np.sqrt(np.diagonal(A))
            w, n_iter[t] = _nonnegative.exchange_all(A / d / d[:, None], total.xy[:, t] / d)
        # <admit>: Otherwise on the triangular factor, one by one.
        if w is None:
            if R is None:
                R, C = equations.triangular_factor(samples, total, n_jobs)
            d = np.sqrt(np.einsum("ij,ij->j", R, R) + penalty[t])
            d[d == 0.0] = 1.0
            Z = np.vstack((R, np.sqrt(penalty[t]) * np.eye(p)))
            target = np.append(C[:, t], np.zeros(p))
            w, n_iter[t], violation = _nonnegative.admit_one(Z / d, target)
            if violation > 1e-8:
                message = (
                    f"{type(owner).__name__}: no set of positive coefficients was found whose "
                    f"gradient is zero; the largest violation is {violation:.1e}."
                )
                validation.warn(ConvergenceWarning(message))
        coef[:, t] = w / d
    return equations.unscaled_solution(samples, total, coef, "active_set")._replace(n_iter=n_iter)


def descend_nonnegative(owner, samples, alpha, n_jobs=None):
    """As :func:`solve_nonnegative`, by coordinate descent, for too many features to multiply all.

    Nothing of p x p is formed, but for a small support, and sparse samples stay sparse.
    """
    X, Y, weight = samples.X, samples.Y, samples.weight
    (n, p), k, factor = X.shape, Y.shape[1], 1.0
    if weight is not None:
        factor = n / weight.sum()
        weight = weight * factor
    dense = isinstance(X, np.ndarray)
    X = X.astype(np.float64, copy=False) if dense else X.tocsc().astype(np.float64)
    kind = _design.DenseDesign if dense else _design.SparseDesign
    design = kind(X, Y[:, 0].copy(), weight, samples.centred, n_jobs)
    coef, n_iter, y_mean = np.zeros((p, k)), np.zeros(k, dtype=np.int32), np.zeros(k)
    for t in range(k):
        if t:
            design = design.retarget(Y[:, t].copy())
        w, y_mean[t], penalty = coef[:, t].copy(), design.y_mean, float(alpha[t]) * factor
        prices = Penalty(0.0, penalty, positive=True)
        _, n_iter[t] = _descent.coordinate_descent(
            design, prices, w, tol=1e-20, max_iter=MOST_SWEEPS
        )
        # <polish>: Few members of the support solve the problem without a constraint, exactly.
        members = np.flatnonzero(w)
        if 0 < members.size <= MOST_POLISHED:
            part = samples._replace(X=samples.X[:, members], Y=Y[:, t : t + 1])
            exact = solve_least_squares(owner, part, alpha[t : t + 1], n_jobs=n_jobs).coef[:, 0]
            w[members] = exact if np.all(exact > 0.0) else w[members]
        coef[:, t] = w
        # <certify>: As for the other ways, a gradient of zero or, at the bound, not negative.
        gradient = design.correlations(design.residual(w)) - penalty * w
        size = np.sqrt((design.squares + penalty) * design.target_square)
        worst = np.where(w > 0.0, np.abs(gradient), gradient) / np.where(size > 0.0, size, 1.0)
        if worst.max() > 1e-8:
            message = (
                f"{type(owner).__name__}: coordinate descent stopped after {n_iter[t]} sweeps with "
                f"a largest violation of the optimality conditions of {worst.max():.1e}."
            )
            validation.warn(ConvergenceWarning(message))
    means = design.X_means if samples.centred else np.zeros(p)
    return equations.LeastSquares(coef, means, y_mean, "active_set", np.maximum(n_iter, 1))
