"""Paths of lasso and elastic net: the design of a problem, penalties, folds, and their comparison.

The algorithm for one penalty is in ``_coordinate_descent.py``; the estimators and their parameters
are in ``_lasso.py``.
"""

import numpy as np

from litlearn._core import moments, validation
from litlearn.exceptions import ConvergenceWarning
from litlearn.linear_model import _design
from litlearn.linear_model._coordinate_descent import solve
from litlearn.linear_model._penalty import Penalty
from litlearn.linear_model._ridge_cv import all_but_one, are_folds, take

# Relative gap below which float32 data are solved for in float64.
SINGLE_PRECISION = 1e-6
# Relative gap to which the folds are solved at most before penalties are compared.
SHARPEST = 1e-10
SMALLEST_ALPHA = np.finfo(np.float64).resolution


# ---------------------------------------------------------------------------------------------
# Designs


def memory_order(X):
    """Return "F" for dense data whose columns are contiguous and whose rows are not, else "C"."""
    flags = getattr(X, "flags", None)
    if hasattr(X, "dtypes") and hasattr(X, "__array__"):  # a frame: often stored by columns
        flags = np.asarray(X).flags
    columns = getattr(flags, "f_contiguous", False) and not getattr(flags, "c_contiguous", True)
    return "F" if columns else "C"


def make_design(owner, X, y, weights, centred, tol, n_jobs=None):
    """Return the design of checked data; the weights are brought to the sum n_samples.

    Single precision does for no gap below `SINGLE_PRECISION`, and for no products out of its range:
    then there is a copy in float64.
    """
    if tol < SINGLE_PRECISION:
        X = X.astype(np.float64, copy=False)
    if weights is not None:
        weights = weights * (X.shape[0] / weights.sum())
    kind = _design.SparseDesign if validation.is_sparse(X) else _design.DenseDesign
    first = y if y.ndim == 1 else y[:, 0]
    with np.errstate(over="ignore", invalid="ignore"):
        design = kind(X, first, weights, centred, n_jobs)
    if X.dtype == np.float32 and not in_range(design):
        design = kind(X.astype(np.float64), first, weights, centred, n_jobs)
    design = design if y.ndim == 1 else design.retarget(y)
    check_squares(owner, design)
    return design


def check_squares(owner, design):
    """Refuse samples or targets whose squares overflow."""
    for name, squares in (("X", design.squares), ("y", design.target_square)):
        if not np.isfinite(squares).all():
            raise ValueError(
                f"{validation.owner_name(owner)}: the squares of {name} are not finite. "
                "The data hold values too large for them; scale them first."
            )


def in_range(design):
    """Tell whether products of columns with each other and the target are within float32."""
    squares = np.append(design.squares, design.target_square)
    positive = squares[squares != 0.0]
    return bool(np.all((positive > 1e-30) & (positive < 1e34)))  # NaN is not


# ---------------------------------------------------------------------------------------------
# Paths


def alpha_grid(n_samples, products, l1_ratio, eps, n_alphas):
    """Return penalties from the smallest without a coefficient down to `eps` times it.

    The largest is :eq:`eq-alpha-max`, from the sizes of the products of columns and target; the
    steps are equal on the logarithmic scale.
    """
    if l1_ratio == 0.0:
        raise ValueError(
            "Automatic alpha grid generation is not supported for l1_ratio=0. Please supply a grid "
            "by providing your estimator with the appropriate `alphas=` argument."
        )
    alpha_max = max(products.max(), 0.0) / (n_samples * l1_ratio)
    if alpha_max <= SMALLEST_ALPHA:
        return np.full(n_alphas, SMALLEST_ALPHA)
    return np.geomspace(alpha_max, alpha_max * eps, num=n_alphas)


def sizes(design, positive):
    """Return the products of columns and target that a first coefficient depends on."""
    if design.products.ndim == 2:
        return np.hypot.reduce(np.abs(design.products), axis=0)
    return design.products if positive else np.abs(design.products)


def solve_path(design, l1_ratio, alphas, w, *, seed, tol, max_iter, positive=False):
    """Solve for falling penalties, each from the solution of the last.

    Returns
    -------
    coefs : ndarray of shape (n_features, n_alphas) or (n_targets, n_features, n_alphas)
    gaps : ndarray of shape (n_alphas,)
        Duality gaps, not divided by the number of samples.
    sweeps : list of int
    """
    n = design.n_samples
    coefs, gaps, sweeps = np.empty((len(alphas), *w.shape)), np.empty(len(alphas)), []
    for i, alpha in enumerate(alphas):
        penalty = Penalty(n * alpha * l1_ratio, n * alpha * (1.0 - l1_ratio), positive)
        gaps[i], count = solve(design, penalty, w, seed=seed, tol=tol, max_iter=max_iter)
        coefs[i] = w
        sweeps.append(count)
    return np.moveaxis(coefs, 0, -1), gaps, sweeps


def solve_one(design, l1_ratio, alpha, w, settings):
    """Solve for one penalty, into `w`; return intercept, gap in units of the objective, sweeps."""
    _, gaps, sweeps = solve_path(design, l1_ratio, [alpha], w, **settings)
    warn_unless_converged(gaps[0], settings["tol"], design, sweeps[0])
    shift = (w * design.X_means).sum(axis=-1)
    return design.y_mean - shift, gaps[0] / design.n_samples, sweeps[0]


def warn_unless_converged(gap, tol, design, sweeps):
    """Say that the certificate was missed, with the numbers that say by how much."""
    goal = tol * design.target_square
    if gap > goal:
        n = design.n_samples
        message = (
            "Objective did not converge. You might want to increase the number of iterations, "
            "check the scale of the features or consider increasing regularisation. "
            f"Duality gap: {gap / n:.3e}, tolerance: {goal / n:.3e}, after {sweeps} sweeps."
        )
        validation.warn(ConvergenceWarning(message))


# ---------------------------------------------------------------------------------------------
# Folds


def check_weights(owner, weights, folds):
    """Refuse folds where all samples weigh nothing."""
    for train, test in folds if weights is not None else ():
        for place, part in (("in", test), ("outside", train)):
            if not weights[part].any():
                who = validation.owner_name(owner)
                raise ValueError(f"{who}: sample_weight is all zero {place} a fold of cv.")


def training_moments(owner, samples, folds, n_jobs):
    """Return the moments of the training samples of each fold, :eq:`eq-gram-merge`."""
    if not are_folds(len(samples.Y), folds):
        return [moments.moments(take(owner, samples, train), n_jobs) for train, _ in folds]
    # The statistics of each test part once: a training part is all others, merged.
    parts = [moments.moments(take(owner, samples, test), n_jobs) for _, test in folds]
    totals = all_but_one(parts, samples.centred)
    return [moments.without_rounding(one) if samples.centred else one for one in totals]


def training_design(owner, samples, train, total, rounding, tol):
    """Return the design of training samples, from their moments if known, and the means there."""
    if total is None:
        own = take(owner, samples, train)
        X = own.X
        if validation.is_sparse(X):
            X = validation.check_array(owner, X, sparse=("csc",))
        else:
            X = validation.read_only(X, memory_order(X))
        design = make_design(owner, X, own.Y[:, 0], own.weight, samples.centred, tol)
        return design, design.X_means, design.y_mean
    scale = 1.0
    if samples.weight is not None:
        scale = train.size / samples.weight[train].sum()
    known = scale * total.xx, scale * np.diagonal(total.xx), scale * total.xy[:, 0]
    design = _design.GramDesign(*known, scale * total.yy[0], train.size, rounding)
    return design, total.x_mean, total.y_mean[0]


def refine(errors, ratios, grids, errors_of, tol, variance):
    """Solve the folds again, more exactly, for the penalties that may yet be the best; in place.

    A path that is solved to a relative gap of `tol`, the largest of all, predicts with errors of at
    most d = sqrt(2 tol variance) in the root mean square of the training samples. So a mean squared
    error m is known up to about 2 sqrt(m) d + d^2. Penalties whose intervals meet that of the
    least error are solved again a thousand times more exactly, until one is left. Most paths are
    solved so far at once that nothing is left to do.
    """
    while tol > SHARPEST:
        means = [one.mean(axis=1) for one in errors]
        d = np.sqrt(2.0 * tol * variance)
        width = [2.0 * np.sqrt(mean) * d + d * d for mean in means]
        limit = min(np.min(mean + w) for mean, w in zip(means, width, strict=True))
        open_ = [mean - w <= limit for mean, w in zip(means, width, strict=True)]
        if sum(map(np.count_nonzero, open_)) <= 1:
            return
        tol = max(1e-3 * tol, SHARPEST)
        some = [a for a, mask in enumerate(open_) if mask.any()]
        found, _ = errors_of([(ratios[a], grids[a][open_[a]]) for a in some], tol)
        for a, better in zip(some, found, strict=True):
            errors[a][open_[a]] = better
