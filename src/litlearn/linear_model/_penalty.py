"""The penalty alpha ||w||_1 + beta ||w||^2 / 2: steps, optimality, duality gap, screening.

One place for what every solver with an l1 penalty needs: lasso and elastic net, their versions for
several targets, and the quadratic model of a logistic loss. `alpha` and `beta` are in the units of
the solver's objective.

Sources: Friedman, Hastie and Tibshirani (2010) for the step, Fercoq, Gramfort and Salmon (2015) for
the gap and the screening.

Arrays of products and coefficients have a row for each of k targets, and one for a single target.
Several targets share their features: lengths stand where one has absolute values.
"""

from typing import NamedTuple

import numpy as np

from litlearn._core.jit import njit


class Penalty(NamedTuple):
    """Prices of coefficients, not negative: :eq:`eq-elastic-net`."""

    alpha: float  # of their absolute values; for several targets, of the lengths of rows
    beta: float  # of half their squares
    positive: bool = False  # coefficients are bounded by zero from below


class Sums(NamedTuple):
    """What the duality gap needs of coefficients and of products of columns with a residual."""

    l1: float  # ||w||_1; for several targets, the sum of the lengths of rows
    l2: float  # beta ||w||^2: the product, as either factor alone may be out of range
    largest: float  # largest product of an extended column, which the dual bounds
    excess: float  # squares of products beyond alpha, by beta, which the second dual charges for


class Certificate(NamedTuple):
    """The objective, and two lower bounds of its minimum; -inf where there is none."""

    primal: float
    scaled: float  # at the residual, extended and scaled
    free: float  # at the residual itself
    scale: float


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
def coordinate_step(w_j, correlation, square, penalty):
    """Change of one coefficient that minimises the objective along it: :eq:`eq-coordinate-update`.

    `correlation` is the product of the column with the residual, `square` the column's squared
    norm. A column of zeros gets the coefficient zero.
    """
    curvature = square + penalty.beta
    if curvature <= 0.0:
        return -w_j
    z = correlation + square * w_j
    return soft_threshold(z, penalty.alpha, penalty.positive) / curvature - w_j


@njit(helper=True)
def feature_step(W, d, j, square, penalty):
    """Turn the products of a feature with k residuals, d (k,), into changes of its coefficients.

    Of several targets their length shrinks by alpha: :eq:`eq-soft-threshold` of a length. Returns
    the largest change.
    """
    if d.size == 1:
        d[0] = coordinate_step(W[0, j], d[0], square, penalty)
        return np.abs(d[0])
    largest = total = shrunk = 0.0
    for t in range(d.size):
        d[t] += square * W[t, j]
        largest = max(largest, np.abs(d[t]))
    for t in range(d.size if largest > 0.0 else 0):
        total += (d[t] / largest) ** 2
    length, largest = largest * np.sqrt(total), 0.0
    if length > penalty.alpha:
        shrunk = (1.0 - penalty.alpha / length) / (square + penalty.beta)
    for t in range(d.size):
        d[t] = shrunk * d[t] - W[t, j]
        largest = max(largest, np.abs(d[t]))
    return largest


@njit
def largest_step(C, W, squares, penalty, rounding):
    """The largest step that remains, as a share of the largest coefficient.

    Both in the units of the target: times the length of the extended column. No step counts that is
    not larger than `rounding`. C (k, p): products of the columns with the residuals.
    """
    k, p = W.shape
    d, largest, size = np.empty(k), 0.0, 0.0
    for j in range(p):
        norm = np.sqrt(squares[j] + penalty.beta)
        if norm > 0.0:
            for t in range(k):
                d[t] = C[t, j]
                size = max(size, norm * np.abs(W[t, j]))
            largest = max(largest, norm * feature_step(W, d, j, squares[j], penalty))
    return largest / size if largest > rounding else 0.0


@njit(lean=True)
def decrease(C, W, squares, positive):
    """Sum of what the best step along each coordinate takes off the squares, without penalties.

    C (k, p): products of the columns with the residuals of k targets; W (k, p): coefficients;
    squares (p,): squared norms of the columns.
    """
    total = 0.0
    for j in range(W.shape[1]):
        for t in range(W.shape[0] if squares[j] > 0.0 else 0):
            step = C[t, j] / squares[j]
            if positive:
                step = max(step, -W[t, j])
            total += step * (C[t, j] - 0.5 * squares[j] * step)
    return total


def violations(gradient, w, penalty):
    """Distance of zero from the subgradient in each coordinate, :eq:`eq-logistic-optimality`."""
    smooth = gradient + penalty.beta * w
    at_zero = np.maximum(np.abs(smooth) - penalty.alpha, 0.0)
    return np.where(w == 0.0, at_zero, np.abs(smooth + penalty.alpha * np.sign(w)))


def price(w, penalty):
    """The penalty of coefficients, :eq:`eq-elastic-net`."""
    return penalty.alpha * np.abs(w).sum() + 0.5 * penalty.beta * (w @ w)


# ---------------------------------------------------------------------------------------------
# The duality gap


@njit(inline=True)
def size_of(C, W, beta, j, positive):
    """Size of ``C - beta W``, both (k, p), for feature j: of several targets the length."""
    if C.shape[0] == 1:
        extended = C[0, j] - beta * W[0, j]
        return extended if positive else np.abs(extended)
    # Shares of the largest: its square may be out of range.
    largest = total = 0.0
    for t in range(C.shape[0]):
        largest = max(largest, np.abs(C[t, j] - beta * W[t, j]))
    if largest == 0.0:
        return 0.0
    for t in range(C.shape[0]):
        total += ((C[t, j] - beta * W[t, j]) / largest) ** 2
    return largest * np.sqrt(total)


@njit(lean=True, reassociate=True)
def sums_of(C, W, penalty):
    """What the duality gap needs; C (k, p): products of columns and residuals, W (k, p)."""
    l1 = l2 = largest = excess = 0.0
    root = np.sqrt(penalty.beta)
    for j in range(W.shape[1]):
        length = size_of(W, W, 0.0, j, False)
        l1 += length
        l2 += (root * length) ** 2
        largest = max(largest, size_of(C, W, penalty.beta, j, penalty.positive))
        if root > 0.0:
            beyond = max(size_of(C, W, 0.0, j, penalty.positive) - penalty.alpha, 0.0)
            excess += (beyond / root) ** 2
    return Sums(l1, l2, largest, excess)


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


@njit(lean=True)
def bounds_of(square, target, sums, penalty):
    """Objective, and lower bounds of its minimum: their difference is :eq:`eq-duality-gap`.

    `square` is ``||r||^2``, `target` is ``r'y``.
    """
    # <bounds>: By the scaled residual, and with a price of squares by the residual itself.
    alpha, beta = penalty.alpha, penalty.beta
    extended = square + sums.l2
    scaled, free, scale = -np.inf, -np.inf, 0.0
    if alpha > 0.0:
        scale = dual_scale(alpha, extended, target, sums.largest)
        scaled = scale * target - 0.5 * scale * scale * extended
    if beta > 0.0:
        free = target - 0.5 * square - 0.5 * sums.excess
    return Certificate(0.5 * extended + alpha * sums.l1, scaled, free, scale)


@njit(lean=True)
def measure(C, W, square, target, penalty, sizes):
    """Bounds, as :func:`bounds_of`: :eq:`eq-duality-gap`.

    C and W (k, p): products with the residuals, and coefficients; sizes (p,) receives the sizes of
    the products of the extended columns with the dual point.
    """
    bounds = bounds_of(square, target, sums_of(C, W, penalty), penalty)
    for j in range(sizes.size):
        sizes[j] = bounds.scale * size_of(C, W, penalty.beta, j, penalty.positive)
    return bounds


# ---------------------------------------------------------------------------------------------
# Screening, and the choice of working sets


@njit(lean=True)
def screen(sizes, squares, active, penalty, radius, rounding):
    """Drop the columns whose coefficient is zero at every optimum: :eq:`eq-gap-safe`.

    sizes (p,): of the products of the extended columns with a feasible dual point, which lies
    within `radius` of the best one. Returns the number of columns that remain `active` (p,).
    """
    remaining = 0
    for j in range(sizes.size):
        if active[j]:
            norm = np.sqrt(squares[j] + penalty.beta)
            active[j] = not sizes[j] + norm * (radius + rounding) < penalty.alpha
            remaining += active[j]
    return remaining


@njit(lean=True)
def distances(sizes, scale, used, active, squares, penalty, out):
    """Distance of each constraint of the dual from the dual point; what is in use comes first.

    sizes (p,): of the products with the dual point, which is the residual times `scale`. Returns
    the number of constraints that the residual itself violates.
    """
    violated = 0
    for j in range(sizes.size):
        if used[j]:
            out[j] = -np.inf
        elif not active[j]:
            out[j] = np.inf
        else:
            out[j] = (penalty.alpha - sizes[j]) / np.sqrt(squares[j] + penalty.beta)
            violated += sizes[j] > scale * penalty.alpha
    return violated
