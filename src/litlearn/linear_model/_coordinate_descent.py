"""Lasso and elastic net by coordinate descent on working sets, with a duality gap.

Everything here minimises, for the weighted and centred data that a *design* stands for,

    ||y - X w||^2 / 2 + alpha ||w||_1 + beta ||w||^2 / 2.

``alpha`` and ``beta`` are the estimator's penalties times the number of samples. The file goes from
the smallest piece to the largest: one coordinate, the extrapolation, the duality gap, sweeps over
a working set (from the Gram matrix, dense, sparse), the designs, and :func:`solve`, which
chooses working sets until the gap is closed.

Sources: Friedman, Hastie and Tibshirani (2010) for the updates, Fercoq, Gramfort and Salmon (2015)
for the gap and the screening, Massias, Gramfort and Salmon (2018) for the working sets, Bertrand
and Massias (2021) for the extrapolation.
"""

import copy
import operator
from typing import NamedTuple

import numpy as np

from litlearn._jit import njit
from litlearn._parallel import cut, fold_blocks
from litlearn._random import make_state, random_below

# Sweeps between two extrapolations, and the number of differences that one combines.
MEMORY = 5
# Size of the first working set, and by what the support is multiplied for the next ones at most.
FIRST_SIZE = 100
GROWTH = 2
# Entries of the first working set's columns: fewer columns where each is long.
FIRST_ENTRIES = 1 << 18
# Columns whose products with all others cost as much as one sweep that reads the columns.
PER_SWEEP = 16
# Room in the next one for each column that violates its constraint, and for some more.
PER_VIOLATION = 1.2
SPARE = 10
# A working set is solved to this share of the gap that remains, but not beyond the share of `tol`.
INNER_SHARE = 0.01
FINAL_SHARE = 0.3
# The largest working set for which a Gram matrix is held: 0.5 GB.
LARGEST_GRAM = 8192
# Columns whose mean is so many times their spread are centred in a copy, not on the fly.
LARGEST_OFFSET = {"d": 1e4, "f": 30.0}
# Rounding of a product of a column with a residual, as a share of their norms: no column whose
# constraint is nearer than that is screened.
ROUNDING = {"d": 1e-14, "f": 2e-6}
# Entries of X in one block of a product: about a millisecond.
BLOCK_ENTRIES = 1 << 21
# Steps of coordinate descent between two returns to Python: about a tenth of a second.
STEPS_PER_CALL = 1 << 27


# ---------------------------------------------------------------------------------------------
# One coordinate


@njit(inline=True)
def soft_threshold(z, alpha, positive):
    """Shrink `z` towards zero by `alpha`: :eq:`eq-soft-threshold`; `positive` cuts below zero."""
    if z > alpha:
        return z - alpha
    if z < -alpha and not positive:
        return z + alpha
    return 0.0 * z


@njit(inline=True)
def coordinate_step(w_j, correlation, square, alpha, beta, positive):
    """Change of one coefficient that minimises the objective along it: :eq:`eq-coordinate-update`.

    `correlation` is the product of the column with the residual, `square` the column's squared
    norm. A column of zeros gets the coefficient zero.
    """
    curvature = square + beta
    if curvature <= 0.0:
        return -w_j
    return soft_threshold(correlation + square * w_j, alpha, positive) / curvature - w_j


@njit(inline=True)
def coordinate_gain(w_j, correlation, square, positive):
    """What the best step along one coordinate takes off the sum of squares, without penalties."""
    if square <= 0.0:
        return 0.0
    step = correlation / square
    if positive:
        step = max(step, -w_j)
    return step * (correlation - 0.5 * square * step)


# ---------------------------------------------------------------------------------------------
# Extrapolation


@njit
def extrapolate(past, direction):
    """Extrapolate from the last coefficients: :eq:`eq-anderson`.

    `past` (MEMORY + 1, k) holds the coefficients after consecutive sweeps. `direction` (k,)
    receives the extrapolated coefficients minus the last ones. Returns False if the equations are
    singular.
    """
    m = past.shape[0] - 1
    k = past.shape[1]
    # <differences>: Products of the differences between consecutive sweeps.
    gram = np.zeros((m, m))
    for a in range(m):
        for b in range(a + 1):
            total = 0.0
            for j in range(k):
                total += (past[a + 1, j] - past[a, j]) * (past[b + 1, j] - past[b, j])
            gram[a, b] = total
    trace = 0.0
    for a in range(m):
        trace += gram[a, a]
    if not trace > 0.0:
        return False
    # <solve>: Weights that make the combined difference small, by Cholesky with a tiny ridge.
    c = np.ones(m)
    for a in range(m):
        gram[a, a] += 1e-8 * trace
        for b in range(a + 1):
            total = gram[a, b]
            for i in range(b):
                total -= gram[a, i] * gram[b, i]
            if a == b:
                if total <= 0.0:
                    return False
                gram[a, a] = np.sqrt(total)
            else:
                gram[a, b] = total / gram[b, b]
    for a in range(m):
        for i in range(a):
            c[a] -= gram[a, i] * c[i]
        c[a] /= gram[a, a]
    for a in range(m - 1, -1, -1):
        for i in range(a + 1, m):
            c[a] -= gram[i, a] * c[i]
        c[a] /= gram[a, a]
    # <combine>: The weights sum to one. Rounded to a few digits, they do as well, and what they
    # make of the last bits of the data does not grow from one extrapolation to the next.
    total = 0.0
    for a in range(m):
        total += c[a]
    if not (np.abs(total) > 0.0 and np.isfinite(total)):
        return False
    rest = 1.0
    for a in range(m):
        c[a] = np.rint(c[a] / total * 4096.0) / 4096.0
        rest -= c[a]
    c[m - 1] += rest
    for j in range(k):
        total = 0.0
        for a in range(m):
            total += c[a] * past[a + 1, j]
        direction[j] = total - past[m, j]
    return True


# ---------------------------------------------------------------------------------------------
# The duality gap


@njit(lean=True)
def dual_scale(alpha, residual_square, residual_target, largest):
    """Factor that turns the residual into the best feasible dual point: :eq:`eq-lasso-dual`.

    `residual_square` is the squared norm of the (extended) residual, `residual_target` its product
    with the target, `largest` the largest correlation that the constraint bounds by `alpha`.
    """
    scale = residual_target / residual_square if residual_square > 0.0 else 0.0
    if largest * scale > alpha:
        scale = alpha / largest
    return max(scale, 0.0)


@njit(inline=True)
def gap_of(alpha, beta, square, target, l1, l2, largest, excess):
    """Primal minus dual objective: :eq:`eq-duality-gap`.

    Parameters: the penalties; ``||r||^2``; ``r'y``; ``||w||_1``; ``||w||^2``; the largest
    correlation of a column with the residual less ``beta w``; and ``excess``, the sum of squares of
    the part of ``X'r`` beyond `alpha`, which the second dual of the elastic net needs.
    """
    primal = 0.5 * (square + beta * l2) + alpha * l1
    dual = -np.inf
    if alpha > 0.0:
        extended = square + beta * l2
        scale = dual_scale(alpha, extended, target, largest)
        dual = scale * target - 0.5 * scale * scale * extended
    if beta > 0.0:
        dual = max(dual, target - 0.5 * square - 0.5 * excess / beta)
    return primal - dual


# ---------------------------------------------------------------------------------------------
# Sweeps over a working set


@njit(reassociate=True)
def gram_gap(G, q, g, w, target_square, alpha, beta, positive):
    """Duality gap of the problem given by its Gram matrix, and a bound on its decrease.

    `g` (k,) is ``X'r``, `q` (k,) is ``X'y``. Without penalties there is no dual point: then the
    result is the largest decrease that one coordinate can bring, times the number of coordinates.
    """
    l1 = l2 = fit = inner = largest = excess = steepest = 0.0
    for j in range(w.size):
        w_j = w[j]
        l1 += np.abs(w_j)
        l2 += w_j * w_j
        fit += w_j * q[j]
        inner += w_j * g[j]
        c = g[j] - beta * w_j
        c = max(c, 0.0) if positive else np.abs(c)
        largest = max(largest, c)
        beyond = max((g[j] if positive else np.abs(g[j])) - alpha, 0.0)
        excess += beyond * beyond
        steepest += coordinate_gain(w_j, g[j], G[j, j], positive)
    if alpha == 0.0 and beta == 0.0:
        return steepest
    # <residual>: r'y = y'y - w'X'y, and r'r = r'y - w'X'r.
    target = target_square - fit
    square = max(target - inner, 0.0)
    return gap_of(alpha, beta, square, target, l1, l2, largest, excess)


@njit(reassociate=True)
def gram_objective(q, g, w, alpha, beta):
    """The objective less ``||y||^2 / 2``, from ``X'y`` and ``X'r``."""
    total = 0.0
    for j in range(w.size):
        w_j = w[j]
        total += w_j * (-0.5 * (q[j] + g[j]) + 0.5 * beta * w_j) + alpha * np.abs(w_j)
    return total


@njit(reassociate=True)
def gram_move(G, g, w, direction):
    """Add `direction` to the coefficients and keep ``g = X'r``."""
    for j in range(w.size):
        d = direction[j]
        if d != 0.0:
            w[j] += d
            for i in range(w.size):
                g[i] -= d * G[j, i]


@njit(reassociate=True)
def gram_descent(G, q, g, w, target_square, alpha, beta, positive, seed, tol, max_sweeps):
    """Coordinate descent where products are read from the Gram matrix.

    Parameters: `G` (at least (k, k)) is ``X'X``, `q` (k,) ``X'y``, `g` (k,) ``X'r`` and `w` (k,)
    the coefficients, both kept up to date; `seed` is zero for cyclic order.

    Returns the number of sweeps and the duality gap of this working set.
    """
    k = w.size
    past = np.zeros((MEMORY + 1, k))
    direction = np.zeros(k)
    state = make_state(seed)
    known, sweeps = 0, 0
    gap = np.inf
    while sweeps < max_sweeps:
        # <sweep>: Every coordinate in turn; a change costs one row of G, no change costs nothing.
        for step in range(k):
            j = step
            if seed != 0:
                j = random_below(state, k)
            d = coordinate_step(w[j], g[j], G[j, j], alpha, beta, positive)
            if d != 0.0:
                w[j] += d
                for i in range(k):
                    g[i] -= d * G[j, i]
        sweeps += 1
        # <stop>: The gap costs no more than a few coordinates.
        gap = gram_gap(G, q, g, w, target_square, alpha, beta, positive)
        if gap <= tol:
            break
        # <extrapolate>: Kept only if the objective falls.
        for j in range(k):
            past[known, j] = w[j]
        known += 1
        if known == MEMORY + 1:
            known = 0
            if extrapolate(past, direction):
                if positive:
                    for j in range(k):
                        direction[j] = max(direction[j], -w[j])
                before = gram_objective(q, g, w, alpha, beta)
                gram_move(G, g, w, direction)
                if not gram_objective(q, g, w, alpha, beta) < before:
                    for j in range(k):
                        direction[j] = -direction[j]
                    gram_move(G, g, w, direction)
                    for j in range(k):
                        w[j] = past[MEMORY, j]
    return sweeps, gap


@njit(reassociate=True)
def dot_row(B, j, r):
    """Product of row `j` of `B` with `r`."""
    total = 0.0
    for i in range(r.size):
        total += B[j, i] * r[i]
    return total


@njit(reassociate=True)
def add_row(B, j, factor, r):
    """Add `factor` times row `j` of `B` to `r`."""
    for i in range(r.size):
        r[i] += factor * B[j, i]


@njit(reassociate=True)
def dense_objective(r, w, alpha, beta):
    """The objective from the residual."""
    total = 0.0
    for i in range(r.size):
        total += 0.5 * r[i] * r[i]
    for j in range(w.size):
        total += alpha * np.abs(w[j]) + 0.5 * beta * w[j] * w[j]
    return total


@njit(reassociate=True)
def dense_gap(B, squares, y, r, w, alpha, beta, positive):
    """Duality gap of the working set whose columns are the rows of `B`."""
    l1 = l2 = square = target = largest = excess = steepest = 0.0
    for i in range(r.size):
        square += r[i] * r[i]
        target += r[i] * y[i]
    for j in range(w.size):
        correlation = dot_row(B, j, r)
        l1 += np.abs(w[j])
        l2 += w[j] * w[j]
        c = correlation - beta * w[j]
        c = max(c, 0.0) if positive else np.abs(c)
        largest = max(largest, c)
        beyond = max((correlation if positive else np.abs(correlation)) - alpha, 0.0)
        excess += beyond * beyond
        steepest += coordinate_gain(w[j], correlation, squares[j], positive)
    if alpha == 0.0 and beta == 0.0:
        return steepest
    return gap_of(alpha, beta, square, target, l1, l2, largest, excess)


@njit
def dense_move(B, r, w, direction):
    """Add `direction` to the coefficients and keep the residual."""
    for j in range(w.size):
        if direction[j] != 0.0:
            w[j] += direction[j]
            add_row(B, j, -direction[j], r)


@njit
def dense_descent(B, squares, y, r, w, alpha, beta, positive, seed, tol, max_sweeps):
    """Coordinate descent that maintains the residual: the textbook's form.

    Parameters: the columns of the working set are the rows of `B` (at least (k, n)), with squared
    norms `squares` (k,); `y` (n,) is the target, `r` (n,) the residual and `w` (k,) the
    coefficients, both kept up to date; `seed` is zero for cyclic order.

    Returns the number of sweeps and the duality gap of this working set.
    """
    k = w.size
    past = np.zeros((MEMORY + 1, k))
    direction = np.zeros(k)
    state = make_state(seed)
    known, sweeps = 0, 0
    gap, hopeful = np.inf, True
    while sweeps < max_sweeps:
        # <sweep>: Every coordinate in turn: one product, and one more if the coefficient changes.
        fall = 0.0
        for step in range(k):
            j = step
            if seed != 0:
                j = random_below(state, k)
            d = coordinate_step(w[j], dot_row(B, j, r), squares[j], alpha, beta, positive)
            if d != 0.0:
                w[j] += d
                fall += 0.5 * (squares[j] + beta) * d * d
                add_row(B, j, -d, r)
        sweeps += 1
        for j in range(k):
            past[known, j] = w[j]
        known += 1
        # <stop>: The gap costs as much as a sweep. It is worth a look before an extrapolation, and
        # once earlier, when the objective has nearly ceased to fall.
        early = hopeful and fall <= 0.1 * tol
        if not early and known <= MEMORY and sweeps < max_sweeps:
            continue
        gap = dense_gap(B, squares, y, r, w, alpha, beta, positive)
        if gap <= tol or sweeps == max_sweeps:
            break
        hopeful = known > MEMORY
        if known <= MEMORY:
            continue
        known = 0
        # <extrapolate>: Kept only if the objective falls.
        if extrapolate(past, direction):
            if positive:
                for j in range(k):
                    direction[j] = max(direction[j], -w[j])
            before = dense_objective(r, w, alpha, beta)
            dense_move(B, r, w, direction)
            if not dense_objective(r, w, alpha, beta) < before:
                for j in range(k):
                    direction[j] = -direction[j]
                dense_move(B, r, w, direction)
                for j in range(k):
                    w[j] = past[MEMORY, j]
    return sweeps, gap


# Sparse columns are centred on the fly. With means m, weights s^2 of sum n, and S = diag(s), the
# column is S (x_j - m_j 1), of which only S x_j is stored. The kernels hold the residual up to a
# multiple of s: it cancels from every product with a centred column, x_j'S r - m_j (s'r).


@njit(inline=True)
def dot_sparse(data, indices, start, end, r):
    """Product of a stored column with `r`."""
    total = 0.0
    for t in range(start, end):
        total += data[t] * r[indices[t]]
    return total


@njit(reassociate=True)
def sparse_moments(r, root, y):
    """Squared norm of `r` with its multiple of `root` removed, and the product with `y`.

    `root` (n,) has the squared norm n, or is empty: then there is nothing to remove.
    """
    square = target = shift = 0.0
    for i in range(r.size):
        square += r[i] * r[i]
        target += r[i] * y[i]
    for i in range(root.size):
        shift += r[i] * root[i]
    return square - shift * shift / r.size, target


@njit
def sparse_gap(data, indices, indptr, columns, means, squares, y, root, r, total, w,
               alpha, beta, positive):  # fmt: skip
    """Duality gap of a working set of sparse columns; and the objective."""
    l1 = l2 = largest = excess = steepest = 0.0
    square, target = sparse_moments(r, root, y)
    for t in range(w.size):
        j = columns[t]
        correlation = dot_sparse(data, indices, indptr[j], indptr[j + 1], r) - means[j] * total
        l1 += np.abs(w[t])
        l2 += w[t] * w[t]
        c = correlation - beta * w[t]
        c = max(c, 0.0) if positive else np.abs(c)
        largest = max(largest, c)
        beyond = max((correlation if positive else np.abs(correlation)) - alpha, 0.0)
        excess += beyond * beyond
        steepest += coordinate_gain(w[t], correlation, squares[j], positive)
    objective = 0.5 * (square + beta * l2) + alpha * l1
    if alpha == 0.0 and beta == 0.0:
        return steepest, objective
    return gap_of(alpha, beta, square, target, l1, l2, largest, excess), objective


@njit
def sparse_move(data, indices, indptr, columns, means, r, total, w, direction):
    """Add `direction` to the coefficients and keep the residual; return ``s'r``."""
    n = r.size
    for t in range(w.size):
        d = direction[t]
        if d != 0.0:
            j = columns[t]
            w[t] += d
            for u in range(indptr[j], indptr[j + 1]):
                r[indices[u]] -= d * data[u]
            total -= d * n * means[j]
    return total


@njit
def sparse_objective(root, y, r, w, alpha, beta):
    """The objective from the residual."""
    square, _ = sparse_moments(r, root, y)
    value = 0.5 * square
    for t in range(w.size):
        value += alpha * np.abs(w[t]) + 0.5 * beta * w[t] * w[t]
    return value


@njit
def sparse_descent(data, indices, indptr, columns, means, squares, y, root, r, w,
                   alpha, beta, positive, seed, tol, max_sweeps):  # fmt: skip
    """Coordinate descent on sparse columns, centred without being filled.

    Parameters: `data`, `indices`, `indptr` are the matrix in CSC form, its rows weighted; `columns`
    (k,) is the working set; `means` and `squares` (p,) belong to the centred columns; `y` (n,) is
    the target; `root` (n,) holds the square roots of the weights, or is empty without centring;
    `r` (n,) is the residual and `w` (k,) the coefficients, both kept up to date.

    Returns the number of sweeps and the duality gap of this working set.
    """
    k = w.size
    past = np.zeros((MEMORY + 1, k))
    direction = np.zeros(k)
    state = make_state(seed)
    n = r.size
    known, sweeps = 0, 0
    gap = np.inf
    total = 0.0
    for i in range(root.size):
        total += root[i] * r[i]
    while sweeps < max_sweeps:
        # <sweep>: A coordinate costs as many steps as its column has entries.
        for step in range(k):
            t = step
            if seed != 0:
                t = random_below(state, k)
            j = columns[t]
            start, end = indptr[j], indptr[j + 1]
            correlation = dot_sparse(data, indices, start, end, r) - means[j] * total
            d = coordinate_step(w[t], correlation, squares[j], alpha, beta, positive)
            if d != 0.0:
                w[t] += d
                for u in range(start, end):
                    r[indices[u]] -= d * data[u]
                total -= d * n * means[j]
        sweeps += 1
        for t in range(k):
            past[known, t] = w[t]
        known += 1
        if known <= MEMORY and sweeps < max_sweeps:
            continue
        known = 0
        # <stop>: The gap costs as much as a sweep.
        gap, before = sparse_gap(data, indices, indptr, columns, means, squares, y, root, r, total,
                                 w, alpha, beta, positive)  # fmt: skip
        if gap <= tol or sweeps == max_sweeps:
            break
        # <extrapolate>: Kept only if the objective falls.
        if extrapolate(past, direction):
            if positive:
                for t in range(k):
                    direction[t] = max(direction[t], -w[t])
            total = sparse_move(data, indices, indptr, columns, means, r, total, w, direction)
            if not sparse_objective(root, y, r, w, alpha, beta) < before:
                for t in range(k):
                    direction[t] = -direction[t]
                total = sparse_move(data, indices, indptr, columns, means, r, total, w, direction)
                for t in range(k):
                    w[t] = past[MEMORY, t]
    return sweeps, gap


# ---------------------------------------------------------------------------------------------
# Statistics of columns


@njit(reassociate=True)
def row_statistics(X, first, weights, target, begin, end, sums, squares, products):
    """Add sums over the rows of X, C-ordered, from `begin` to `end`.

    The sums are of ``x - x0``, its square and its product with `target`, each weighted, where x0 is
    row `first`: a shift that keeps large offsets from swallowing the digits. Strips of columns
    keep the sums in the nearest cache; four rows at once save three quarters of their traffic.
    """
    p = X.shape[1]
    for left in range(0, p, 512):
        right = min(left + 512, p)
        i = begin
        while i + 4 <= end:
            a0, a1, a2, a3 = weights[i], weights[i + 1], weights[i + 2], weights[i + 3]
            b0, b1, b2, b3 = target[i], target[i + 1], target[i + 2], target[i + 3]
            for j in range(left, right):
                shift = np.float64(X[first, j])
                x0 = X[i, j] - shift
                x1 = X[i + 1, j] - shift
                x2 = X[i + 2, j] - shift
                x3 = X[i + 3, j] - shift
                w0, w1, w2, w3 = a0 * x0, a1 * x1, a2 * x2, a3 * x3
                sums[j] += w0 + w1 + w2 + w3
                squares[j] += w0 * x0 + w1 * x1 + w2 * x2 + w3 * x3
                products[j] += w0 * b0 + w1 * b1 + w2 * b2 + w3 * b3
            i += 4
        while i < end:
            for j in range(left, right):
                x = X[i, j] - np.float64(X[first, j])
                w = weights[i] * x
                sums[j] += w
                squares[j] += w * x
                products[j] += w * target[i]
            i += 1


@njit(reassociate=True)
def column_statistics(X, first, weights, target, start, end, sums, squares, products):
    """Compute the same sums as :func:`row_statistics` for columns of X in F order."""
    for j in range(start, end):
        shift = np.float64(X[first, j])
        total = square = product = 0.0
        for i in range(X.shape[0]):
            x = X[i, j] - shift
            w = weights[i] * x
            total += w
            square += w * x
            product += w * target[i]
        sums[j] = total
        squares[j] = square
        products[j] = product


@njit(reassociate=True)
def sparse_statistics(data, indices, indptr, root, target, means, squares, products):
    """Sums over the weighted entries of the columns: with `root`, squared, with `target`."""
    for j in range(means.size):
        total = square = product = 0.0
        for t in range(indptr[j], indptr[j + 1]):
            i = indices[t]
            x = np.float64(data[t])
            total += x * root[i]
            square += x * x
            product += x * target[i]
        means[j] = total
        squares[j] = square
        products[j] = product


@njit(reassociate=True)
def sparse_deviations(data, indices, start, end, root, mean):
    """Sums of the deviations of a weighted column from a mean, weighted, and of their squares.

    `root` (n,) holds the roots of the weights; entries that are not stored are zero.
    """
    total = square = 0.0
    missing = np.ones(root.size if end - start < root.size else 0)
    for t in range(start, end):
        i = indices[t]
        z = data[t] - mean * root[i]
        total += z * root[i]
        square += z * z
        if missing.size > 0:
            missing[i] = 0.0
    for i in range(missing.size):
        z = mean * root[i] * missing[i]
        total -= z * root[i]
        square += z * z
    return total, square


@njit
def sparse_products(data, indices, indptr, start, end, means, total, r, out):
    """Products of the centred columns from `start` to `end` with `r`."""
    for j in range(start, end):
        out[j] = dot_sparse(data, indices, indptr[j], indptr[j + 1], r) - means[j] * total


@njit
def gather_rows(X, columns, means, root, start, end, B, first):
    """Copy centred and weighted columns of C-ordered X, rows `start` to `end`, into rows of B."""
    weighted = root.size > 0
    for i in range(start, end):
        a = root[i] if weighted else 1.0
        for t in range(columns.size):
            j = columns[t]
            B[first + t, i] = a * (X[i, j] - means[j])


@njit
def gather_columns(X, columns, means, root, start, end, B, first):
    """Copy centred and weighted columns of F-ordered X, rows `start` to `end`, into rows of B."""
    weighted = root.size > 0
    for t in range(columns.size):
        j = columns[t]
        m = means[j]
        for i in range(start, end):
            a = root[i] if weighted else 1.0
            B[first + t, i] = a * (X[i, j] - m)


@njit
def subtract_rows(B, w, r):
    """Subtract the combination of the rows of B with the weights `w` from `r`."""
    for j in range(w.size):
        if w[j] != 0.0:
            add_row(B, j, -w[j], r)


# ---------------------------------------------------------------------------------------------
# Designs: the weighted, centred matrix that a solver sees, and how to multiply with it


def fold(part, merge, blocks, n_jobs, initial=None):
    """As `fold_blocks`; a single block is run without ceremony, which might take longer than it."""
    if len(blocks) == 1:
        return part(blocks[0])
    return fold_blocks(part, merge, blocks, n_jobs, initial=initial)


class DenseDesign:
    """A dense matrix, centred and weighted on the fly, and copies of the columns in use.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        In C or F order.
    y : ndarray of shape (n_samples,)
        Target, float64.
    weights : ndarray of shape (n_samples,) or None
        Of sum n_samples.
    centred : bool
        Subtract the weighted means of the columns and of the target.
    n_jobs : int or None
        Threads for products with the whole matrix.
    """

    def __init__(self, X, y, weights, centred, n_jobs=None):
        n, p = X.shape
        self.n_jobs = n_jobs
        self.n_samples = n
        self.rows = X.flags.c_contiguous
        self.centred = centred
        self.root = np.empty(0) if weights is None else np.sqrt(weights)
        self.y_mean = np.average(y, weights=weights) if centred else 0.0
        self.y = y - self.y_mean
        # Shifted sums in one pass; the heaviest row is the shift, so that it counts.
        weights = np.ones(n) if weights is None else weights
        first = int(np.argmax(weights))
        sums, squares, products = self._statistics(X, first, weights)
        shift = X[first].astype(np.float64)
        if centred:
            self.means = shift + sums / n
            squares -= sums * (sums / n)
        else:
            self.means = np.zeros(p)
            squares += shift * (2 * sums + n * shift)
            products += shift * (weights @ self.y)
        # A column that is constant up to rounding is a column of zeros.
        rounding = np.finfo(X.dtype).eps * (np.abs(self.means) + np.abs(shift))
        squares[squares <= 4 * n * rounding**2] = 0.0
        self.squares, self.products = squares, products
        if self.root.size:
            self.y = self.y * self.root
        with np.errstate(divide="ignore", invalid="ignore"):
            offset = np.nanmax(np.abs(self.means) * np.sqrt(n / squares), initial=0.0,
                               where=squares > 0)  # fmt: skip
        self.X = X
        if offset > LARGEST_OFFSET[X.dtype.char]:
            self.X = X - self.means.astype(X.dtype)  # keeps the order of X
            self.X_means, self.means, offset = self.means, np.zeros(p), 0.0
        else:
            self.X_means = self.means
        self.rounding = ROUNDING[X.dtype.char] * (1.0 + offset)
        self.offset = bool(np.any(self.means))
        self.target_square = float(self.y @ self.y)
        # Slots: column j is row slot[j] of B, and G holds the products of the rows of B.
        self.slot = np.full(p, -1)
        self.columns = np.empty(0, dtype=np.intp)
        self.B = np.empty((0, n), dtype=X.dtype)
        self.G = np.empty((0, 0))

    def _statistics(self, X, first, weights):
        """Sums of columns, their squares, their products with y: of ``x - x0``, weighted."""
        n, p = X.shape
        if self.rows:

            def collect(rows):
                part = np.zeros((3, p))
                row_statistics(X, first, weights, self.y, rows.start, rows.stop, *part)
                return part

            # Few blocks: each brings three vectors of p numbers.
            blocks = cut(n, max(64, BLOCK_ENTRIES // p))
            return fold(collect, operator.iadd, blocks, self.n_jobs)
        result = np.empty((3, p))

        def compute(columns):
            column_statistics(X, first, weights, self.y, columns.start, columns.stop, *result)

        fold(compute, None, cut(p, BLOCK_ENTRIES // n), self.n_jobs)
        return result

    def correlations(self, r):
        """Products of all columns with the residual."""
        u = r * self.root if self.root.size else r
        total = u.sum() if self.offset else 0.0
        n, p = self.X.shape
        u = u.astype(self.X.dtype, copy=False)
        out = np.zeros(p)
        if self.rows and n > p:

            def multiply(rows):
                return np.dot(u[rows], self.X[rows])

            blocks = cut(n, max(64, BLOCK_ENTRIES // p))
            out = fold(multiply, operator.iadd, blocks, self.n_jobs, out)
        else:

            def fill(columns):
                out[columns] = np.dot(u, self.X[:, columns])

            fold(fill, None, cut(p, max(64, BLOCK_ENTRIES // n)), self.n_jobs)
        out = out.astype(np.float64, copy=False)
        return out - self.means * total if self.offset else out

    def residual(self, w):
        """``y - X w``; columns with a coefficient are loaded."""
        support = np.flatnonzero(w)
        self.load(support)
        r = self.y.copy()
        subtract_rows(self.B, w[self.columns], r)
        return r

    def look(self, w, active, remaining):
        """Residual, its squared norm, its product with y, and its products with active columns."""
        if not w.any():
            return self.y.copy(), self.target_square, self.target_square, self.products
        r = self.residual(w)
        square, product = float(r @ r), float(r @ self.y)
        # Few columns remain: they are loaded and multiplied alone. Single entries of rows cost as
        # much as a line of cache each; and what is loaded takes part in the next sweeps.
        new = np.count_nonzero(active & (self.slot < 0))
        worth = self.X.shape[1] // (16 if self.rows else 2)
        if new > min(worth, FIRST_SIZE + self.columns.size // 2):
            return r, square, product, self.correlations(r)
        self.load(np.flatnonzero(active))
        c = np.zeros(w.size)
        B = self.B[: self.columns.size]
        c[self.columns] = B @ r.astype(B.dtype, copy=False)
        return r, square, product, c

    def look_at_data(self, w):
        """The same as :meth:`look`, without loading columns."""
        r = self.X @ w.astype(self.X.dtype) - self.means @ w
        r = self.y - (r * self.root if self.root.size else r)
        return r, float(r @ r), float(r @ self.y), self.correlations(r)

    def retarget(self, y):
        """Return the same design, and the columns that it has loaded, with another target."""
        other = copy.copy(self)
        weights = self.root**2 if self.root.size else None
        other.y_mean = np.average(y, weights=weights) if self.centred else 0.0
        other.y = y - other.y_mean
        if self.root.size:
            other.y = other.y * self.root
        other.target_square = float(other.y @ other.y)
        other.products = self.correlations(other.y)
        return other

    def load(self, columns):
        """Copy columns into B unless they are there, and extend the Gram matrix by them."""
        new = columns[self.slot[columns] < 0]
        if not new.size:
            return
        k, n = self.columns.size, self.X.shape[0]
        total = k + new.size
        if total > self.B.shape[0]:
            # Of few long columns, all get a place at once: a place that is not used costs nothing.
            p = self.X.shape[1]
            capacity = p if p < n else min(p, max(2 * self.B.shape[0], total, FIRST_SIZE))
            grown = np.empty((capacity, n), dtype=self.X.dtype)
            grown[:k] = self.B[:k]
            self.B = grown
        gather = gather_rows if self.rows else gather_columns
        means = self.means.astype(self.X.dtype)
        root = self.root.astype(self.X.dtype)

        def collect(rows):
            gather(self.X, new, means, root, rows.start, rows.stop, self.B, k)

        fold(collect, None, cut(n, max(64, BLOCK_ENTRIES // (2 * new.size))), self.n_jobs)
        self.slot[new] = np.arange(k, total)
        self.columns = np.concatenate([self.columns, new])

    def keep(self, columns):
        """Forget the loaded columns that are not among some."""
        slots = np.sort(self.slot[columns])
        slots = slots[slots >= 0]
        known = slots[slots < self.G_size]
        self.B = self.B[slots]
        self.G = self.G[np.ix_(known, known)]
        self.G_size = known.size
        self.columns = self.columns[slots]
        self.slot = np.full_like(self.slot, -1)
        self.slot[self.columns] = np.arange(slots.size)

    def load_gram(self):
        """Bring the Gram matrix up to date with B."""
        k, total = self.G_size, self.columns.size
        if total > self.G.shape[0]:
            grown = np.empty((self.B.shape[0],) * 2)
            grown[:k, :k] = self.G[:k, :k]
            self.G = grown
        if total > k:
            products = self.B[k:total] @ self.B[:total].T
            self.G[k:total, :total] = products
            self.G[:k, k:total] = products[:, :k].T
            self.G_size = total

    G_size = 0

    def descend(self, columns, w, r, c, penalty, seed, tol, max_sweeps):
        """Solve the problem of the loaded columns from `w`; return the sweeps that it took."""
        if self.columns.size > GROWTH * columns.size + FIRST_SIZE:
            self.keep(columns)
        self.load(columns)
        used = self.columns
        v = w[used]
        n = self.X.shape[0]
        alpha, beta, positive = penalty
        q, sweeps = self.products[used], 0
        data = self.B, self.squares[used], self.y, r, v, alpha, beta, positive, seed, tol
        if used.size > max(2 * n, FIRST_SIZE) or used.size > LARGEST_GRAM:
            sweeps, _ = dense_descent(*data, max_sweeps)
        else:
            # <rent>: A few sweeps that read the columns may do. If they have cost as much as the
            # missing products of columns do, the products are taken.
            gap, few = np.inf, min(max_sweeps, (used.size - self.G_size) // PER_SWEEP)
            if n > used.size and few > 2:
                sweeps, gap = dense_descent(*data, few)
            if gap > tol and sweeps < max_sweeps:
                self.load_gram()
                g = c[used]
                if sweeps > 0:
                    g = (self.B[: used.size] @ r.astype(self.B.dtype)).astype(np.float64)
                more, _ = gram_descent(
                    self.G, q, g, v, self.target_square, alpha, beta, positive, seed, tol,
                    max_sweeps - sweeps,
                )  # fmt: skip
                sweeps += more
        w[used] = v
        return sweeps

    def step_cost(self):
        """Steps of one sweep over the loaded columns, roughly."""
        k = self.columns.size
        return k * max(1, min(k, 2 * self.X.shape[0]))


class SparseDesign:
    """A matrix in CSC form, centred on the fly.

    Parameters are those of :class:`DenseDesign`.
    """

    def __init__(self, X, y, weights, centred, n_jobs=None):
        self.shape = n, p = X.shape
        self.n_jobs = n_jobs
        self.y_mean = np.average(y, weights=weights) if centred else 0.0
        self.y = y - self.y_mean
        data = X.data
        self.n_samples, self.centred = n, centred
        root = np.ones(n)
        if weights is not None:
            root = np.sqrt(weights)
            self.y = self.y * root
            data = (data * root[X.indices]).astype(data.dtype)
        self.data, self.indices, self.indptr = data, X.indices, X.indptr
        self.means, self.squares, self.products = np.empty((3, p))
        sparse_statistics(
            data, X.indices, X.indptr, root, self.y, self.means, self.squares, self.products
        )
        self.root = root if centred else np.empty(0)
        self.weight_roots = root
        if centred:
            self.means /= n
        else:
            self.means[:] = 0.0
        self.X_means = self.means
        self.rounding = ROUNDING["d"]  # entries are multiplied in float64, whatever their type
        if centred:
            self._centre()
        self.target_square = float(self.y @ self.y)

    def _centre(self):
        """Turn sums of squares into those about the means; a column far from zero is copied."""
        n, raw = self.shape[0], self.squares
        self.squares = raw - n * self.means**2
        # Where the subtraction costs digits, the deviations are summed up themselves.
        far = np.flatnonzero(self.squares <= 1e-4 * raw)
        limit = LARGEST_OFFSET[self.data.dtype.char] ** 2
        for j in far:
            entries = slice(self.indptr[j], self.indptr[j + 1])
            column = self.data, self.indices, entries.start, entries.stop, self.root
            rest, _ = sparse_deviations(*column, self.means[j])
            self.means[j] += rest / n
            _, self.squares[j] = sparse_deviations(*column, self.means[j])
            rounding = np.finfo(self.data.dtype).eps * self.means[j]
            if self.squares[j] <= 4 * n * rounding**2:
                self.squares[j] = 0.0
            elif (
                n * self.means[j] ** 2 > limit * self.squares[j]
                and entries.stop - entries.start == n
            ):
                self._shift(j, entries)

    def _shift(self, j, entries):
        """Store a column that has no zeros without its mean."""
        if self.X_means is self.means:
            self.X_means, self.data = self.means.copy(), self.data.copy()
        roots = self.root[self.indices[entries]]
        self.data[entries] -= self.means[j] * roots
        self.X_means[j], self.means[j] = self.means[j], 0.0
        self.products[j] = self.data[entries].astype(np.float64) @ self.y[self.indices[entries]]

    def correlations(self, r):
        """Products of all columns with the residual."""
        total = float(self.root @ r) if self.root.size else 0.0
        p = self.shape[1]
        out = np.empty(p)

        def multiply(columns):
            entries = self.data, self.indices, self.indptr
            sparse_products(*entries, columns.start, columns.stop, self.means, total, r, out)

        size = max(64, BLOCK_ENTRIES * p // (1 + 4 * self.data.size))
        fold(multiply, None, cut(p, size), self.n_jobs)
        return out

    def residual(self, w):
        """``y - X w``, with the mean removed."""
        r = self.y.copy()
        used = np.flatnonzero(w)
        sparse_move(
            self.data, self.indices, self.indptr, used, self.means, r, 0.0, np.zeros(used.size),
            w[used],
        )  # fmt: skip
        if self.root.size:
            r -= self.root * (self.root @ r / self.shape[0])
        return r

    def look(self, w, active, remaining):
        """Residual, its squared norm, its product with y, and its products with the columns."""
        r = self.residual(w)
        return r, float(r @ r), float(r @ self.y), self.correlations(r)

    def retarget(self, y):
        """Return the same design with another target."""
        other = copy.copy(self)
        root = self.weight_roots
        other.y_mean = np.average(y, weights=root**2) if self.centred else 0.0
        other.y = (y - other.y_mean) * root
        other.target_square = float(other.y @ other.y)
        other.products = self.correlations(other.y)
        return other

    def descend(self, columns, w, r, c, penalty, seed, tol, max_sweeps):
        """Solve the problem of some columns from `w`; return the sweeps that it took."""
        v = w[columns]
        sweeps, _ = sparse_descent(
            self.data, self.indices, self.indptr, columns, self.means, self.squares, self.y,
            self.root, r, v, *penalty, seed, tol, max_sweeps,
        )  # fmt: skip
        w[columns] = v
        self.size = columns.size
        return sweeps

    def step_cost(self):
        """Steps of one sweep over the last working set, roughly."""
        n, p = self.shape
        return 2 * (getattr(self, "size", p) * self.data.size // p + n)


class GramDesign:
    """Few columns, known by their products alone.

    Parameters
    ----------
    G : ndarray of shape (n_features, n_features)
        ``X'X`` of the centred and weighted columns.
    squares, products : ndarray of shape (n_features,)
        Squared norms of the columns, and their products with the target.
    target_square : float
        Squared norm of the target.
    n_samples : int
        Sum of the weights.
    rounding : float
        Rounding of a product of a column with a residual, as a share of their norms.
    design : DenseDesign or None, default=None
        Each look at the problem is taken from this design, if there is one, and not from `G`.
    """

    def __init__(self, G, squares, products, target_square, n_samples, rounding, design=None):
        self.G, self.squares, self.products = G, squares, products
        self.target_square, self.n_samples = target_square, n_samples
        self.rounding, self.design = rounding, design

    def look(self, w, active, remaining):
        """Residual or None, squared norm, product with y, and products with the columns."""
        if self.design is not None:
            return self.design.look_at_data(w)
        c = self.products - self.G @ w
        product = max(self.target_square - w @ self.products, 0.0)
        return None, max(product - w @ c, 0.0), product, c

    def descend(self, columns, w, r, c, penalty, seed, tol, max_sweeps):
        """Solve the problem from `w`; return the sweeps that it took."""
        sweeps, _ = gram_descent(
            self.G, self.products, c, w, self.target_square, *penalty, seed, tol, max_sweeps
        )
        return sweeps

    def step_cost(self):
        """Steps of one sweep, roughly."""
        return self.G.size


# ---------------------------------------------------------------------------------------------
# Working sets, screening, the solver


@njit
def penalty_terms(c, w, squares, active, alpha, beta, positive):
    """What the duality gap needs of the active columns, from ``c = X'r``.

    Returns ``||w||_1``, ``||w||^2``, the largest correlation that the dual bounds, the excess of
    the second dual, and the sum of the decreases that single coordinates can bring.
    """
    l1 = l2 = largest = excess = steepest = 0.0
    for j in range(w.size):
        w_j = w[j]
        l1 += np.abs(w_j)
        l2 += w_j * w_j
        if not active[j]:
            continue
        extended = c[j] - beta * w_j
        largest = max(largest, extended if positive else np.abs(extended))
        beyond = max((c[j] if positive else np.abs(c[j])) - alpha, 0.0)
        excess += beyond * beyond
        steepest += coordinate_gain(w_j, c[j], squares[j], positive)
    return l1, l2, largest, excess, steepest


@njit
def screen(c, w, squares, active, alpha, beta, positive, radius, rounding):
    """Drop the columns whose coefficient is zero at every optimum: :eq:`eq-gap-safe`.

    `c` (p,) holds the products of the extended columns with a dual feasible point, which lies
    within `radius` of the best one. Returns the number of columns that remain.
    """
    remaining = 0
    for j in range(c.size):
        if not active[j]:
            continue
        norm = np.sqrt(squares[j] + beta)
        highest = (c[j] if positive else np.abs(c[j])) + norm * (radius + rounding)
        if highest < alpha:
            active[j] = False
            w[j] = 0.0
        else:
            remaining += 1
    return remaining


@njit
def scores(c, scale, w, squares, active, alpha, beta, positive, out):
    """Distance of each constraint of the dual from the dual point; the support comes first.

    Returns the number of constraints that the residual itself, not yet scaled, violates.
    """
    violated = 0
    for j in range(c.size):
        if w[j] != 0.0:
            out[j] = -np.inf
        elif not active[j] or squares[j] <= 0.0:
            out[j] = np.inf
        else:
            size = c[j] if positive else np.abs(c[j])
            out[j] = (alpha - size) / np.sqrt(squares[j] + beta)
            violated += size > scale * alpha
    return violated


class Check(NamedTuple):
    """One look at the whole problem: the gap, what screening left, and the work so far."""

    gap: float
    active: int
    working_set: int
    sweeps: int


def solve(design, alpha, beta, w, *, positive=False, seed=0, tol=1e-4, max_iter=1000, history=None):
    """Minimise ``||y - X w||^2 / 2 + alpha ||w||_1 + beta ||w||^2 / 2``.

    Parameters
    ----------
    design : DenseDesign or SparseDesign
        The data.
    alpha, beta : float
        Penalties, not negative.
    w : ndarray of shape (n_features,)
        Where to begin; overwritten by the result. float64.
    positive : bool, default=False
        Bound the coefficients by zero from below.
    seed : int, default=0
        Zero for cyclic order, otherwise the beginning of a random one.
    tol : float, default=1e-4
        The duality gap may be `tol` times ``||y||^2``.
    max_iter : int, default=1000
        Largest number of sweeps, over all working sets together.
    history : list or None, default=None
        A :class:`Check` is appended for each look at the whole problem.

    Returns
    -------
    gap : float
        The duality gap at the result.
    sweeps : int
        Sweeps of coordinate descent over working sets.
    """
    squares, target = design.squares, design.target_square
    w[squares <= 0.0] = 0.0
    if positive:
        np.maximum(w, 0.0, out=w)
    penalty = (alpha, beta, positive)
    goal = tol * target
    active = squares > 0.0
    remaining = int(active.sum())
    best_dual, center_dual, center = -np.inf, -np.inf, None
    out = np.empty(w.size)
    first_size = FIRST_SIZE
    if isinstance(design, DenseDesign):
        first_size = max(SPARE, min(FIRST_SIZE, FIRST_ENTRIES // design.n_samples))
    sweeps, size = 0, first_size
    while True:
        # <look>: The residual, its product with every column, and the gap, all computed anew.
        r, square, product, c = design.look(w, active, remaining)
        l1, l2, largest, excess, steepest = penalty_terms(c, w, squares, active, *penalty)
        primal = 0.5 * (square + beta * l2) + alpha * l1
        bounded = c - beta * w
        if alpha > 0.0:
            # <dual>: The best dual point so far is kept, as its products with the columns.
            extended = square + beta * l2
            scale = dual_scale(alpha, extended, product, largest)
            bounded *= scale
            dual = scale * product - 0.5 * scale * scale * extended
            if dual > center_dual:
                center_dual, center = dual, bounded
        best_dual = max(best_dual, center_dual)
        if beta > 0.0:
            best_dual = max(best_dual, product - 0.5 * square - 0.5 * excess / beta)
        gap = primal - best_dual if alpha > 0.0 or beta > 0.0 else steepest
        if history is not None:
            history.append(Check(gap, remaining, size, sweeps))
        if gap <= goal or sweeps >= max_iter or remaining == 0:
            return max(gap, 0.0), sweeps
        # <screen>: The gap bounds how far the dual point is from the best one.
        if alpha > 0.0:
            radius = np.sqrt(2.0 * max(primal - center_dual, 0.0))
            rounding = design.rounding * np.sqrt(target)
            remaining = screen(center, w, squares, active, *penalty, radius, rounding)
        # <choose>: The support, and the columns whose constraints are nearest to the dual point.
        if alpha > 0.0:
            support = np.count_nonzero(w)
            violated = scores(bounded, scale, w, squares, active, *penalty, out)
            wanted = int(support + SPARE + PER_VIOLATION * violated)
            most = max(GROWTH * support, FIRST_SIZE)
            size = min(remaining, max(first_size, min(most, wanted)))
            chosen = np.argpartition(out, size - 1)[:size] if size < w.size else np.arange(w.size)
            chosen = np.sort(chosen[out[chosen] < np.inf])
        else:
            chosen = np.flatnonzero(active)
        # <descend>: Solve the small problem further than the large one is solved already.
        inner = max(FINAL_SHARE * goal, INNER_SHARE * gap)
        limit = max(1, STEPS_PER_CALL // max(1, design.step_cost()))
        sweeps += design.descend(
            chosen, w, r, c, penalty, seed, inner, min(limit, max_iter - sweeps)
        )
        if seed:
            seed += sweeps
