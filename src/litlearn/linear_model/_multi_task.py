"""Lasso and elastic net for several targets at once, which choose the same features.

The objective is, for the weighted and centred data that a *design* stands for,

    ||Y - X W||^2 / 2 + alpha sum_j ||w_j|| + beta ||W||^2 / 2,

where w_j, a row of W, holds the coefficients of feature j for all targets. Its length is penalised,
not its square and not its entries: a feature is in use for all targets, or for none.

Descent goes over the rows: a row's step is a soft threshold of its length. All else is in
``_coordinate_descent.py`` and ``_penalty.py``, where the gap, screening and working sets take
lengths for absolute values. Arrays hold a target in each row: W is stored as (k, p), Y and the
residual as (k, n).

Sources: Yuan and Lin (2006) for blocks of coefficients, Obozinski, Taskar and Jordan (2010) for
several targets, Massias, Vaiter, Gramfort and Salmon (2020) for the gap and the working sets.
"""

import numpy as np

from litlearn import _validation
from litlearn._base import MultiOutputMixin
from litlearn._jit import njit
from litlearn._linear import LinearRegressor
from litlearn._parallel import single_threaded_blas
from litlearn._random import random_below
from litlearn.linear_model import _design, _lasso, _path
from litlearn.linear_model._coordinate_descent import (
    FIRST_SIZE,
    GROWTH,
    MEMORY,
    Look,
    dot,
    extrapolate,
    state_of,
)
from litlearn.linear_model._penalty import bounds_of, decrease, sums_of_rows

# Entries of the columns of one block of a working set: they are held in float64.
BLOCK = 1 << 22
# Fewest columns in a block.
FEWEST = 64


# ---------------------------------------------------------------------------------------------
# Kernels


@njit(helper=True)
def row_step(W, g, j, square, penalty, d):
    """Change of the coefficients of one feature that minimises the objective along them.

    W and g (k, m): coefficients, and products with the residuals; `d` (k,) receives the change.
    The length of the product shrinks by alpha: :eq:`eq-soft-threshold` of a length.
    """
    alpha, beta = penalty.alpha, penalty.beta
    length = 0.0
    for t in range(d.size):
        d[t] = g[t, j] + square * W[t, j]
        length += d[t] * d[t]
    length = np.sqrt(length)
    shrunk = (1.0 - alpha / length) / (square + beta) if length > alpha else 0.0
    largest = 0.0
    for t in range(d.size):
        d[t] = shrunk * d[t] - W[t, j]
        largest = max(largest, np.abs(d[t]))
    return largest


@njit(reassociate=True)
def row_move(G, g, W, change):
    """Add `change` (k, m) to the coefficients and keep the products with the residuals."""
    for t in range(W.shape[0]):
        for j in range(W.shape[1]):
            d = change[t, j]
            if d != 0.0:
                W[t, j] += d
                for i in range(W.shape[1]):
                    g[t, i] -= d * G[j, i]


@njit(reassociate=True)
def row_objective(q, g, W, penalty):
    """The objective less ``||Y||^2 / 2``, from ``X'Y`` and ``X'R``, both (k, m)."""
    total = 0.0
    for j in range(W.shape[1]):
        length = 0.0
        for t in range(W.shape[0]):
            w = W[t, j]
            length += w * w
            total -= 0.5 * w * (q[t, j] + g[t, j])
        total += penalty.alpha * np.sqrt(length) + 0.5 * penalty.beta * length
    return total


@njit
def row_gap(q, g, W, squares, target_square, penalty):
    """Duality gap, from products with the residuals."""
    target, inner, steepest = target_square, 0.0, 0.0
    if penalty.alpha == 0.0 and penalty.beta == 0.0:
        for t in range(W.shape[0]):
            steepest += decrease(g[t], W[t], squares, False)
        return steepest
    for t in range(W.shape[0]):
        target -= dot(W[t], q[t])
        inner += dot(W[t], g[t])
    square = max(target - inner, 0.0)
    bounds = bounds_of(square, target, sums_of_rows(g, W, penalty), penalty)
    return bounds.primal - max(bounds.scaled, bounds.free)


@njit(reassociate=True)
def row_sweep(G, g, W, penalty, state):
    """A row in turn; a change costs a row of G for each target, no change nothing."""
    k, m = W.shape
    d = np.empty(k)
    for step in range(m):
        j = random_below(state, m) if state.size > 0 else step
        if row_step(W, g, j, G[j, j], penalty, d) > 0.0:
            for t in range(k):
                W[t, j] += d[t]
                for i in range(m):
                    g[t, i] -= d[t] * G[j, i]


@njit
def row_descent(G, q, g, W, target_square, penalty, stop):
    """Descend over rows, with products read from the Gram matrix.

    G (m, m) is ``X'X``, q (k, m) ``X'Y``, g (k, m) ``X'R`` and W (k, m) the coefficients, both kept
    up to date. Returns the number of sweeps.
    """
    k, m = W.shape
    past, direction = np.zeros((MEMORY + 1, k * m)), np.zeros(k * m)
    squares, state = np.diag(G), state_of(stop.seed)
    sweeps = known = 0
    while sweeps < stop.n_sweeps:
        row_sweep(G, g, W, penalty, state)
        sweeps += 1
        if row_gap(q, g, W, squares, target_square, penalty) <= stop.gap:
            break
        past[known] = W.ravel()
        known += 1
        if known <= MEMORY:
            continue
        # <extrapolate>: Kept only if the objective falls.
        known = 0
        if extrapolate(past, direction):
            before = row_objective(q, g, W, penalty)
            row_move(G, g, W, direction.reshape(k, m))
            if not row_objective(q, g, W, penalty) < before:
                row_move(G, g, W, -direction.reshape(k, m))
                W[:] = past[MEMORY].copy().reshape(k, m)
    return sweeps


# ---------------------------------------------------------------------------------------------
# The design with several targets


class Targets(_design.Design):
    """A design with several targets, in blocks of columns.

    Parameters
    ----------
    design : DenseDesign or SparseDesign
        Made with the first target.
    Y : ndarray of shape (n_samples, n_targets)
    """

    def __init__(self, design, Y):
        self.design, self.n_samples = design, design.n_samples
        self.sparse = isinstance(design, _design.SparseDesign)
        self.root = design.weight_roots
        weights = self.root**2 if self.root.size else None
        self.y_means = np.average(Y, axis=0, weights=weights) if design.centred else 0.0 * Y[0]
        self.Y = np.ascontiguousarray((Y - self.y_means).T)
        if self.root.size:
            self.Y *= self.root
        self.squares, self.means = design.squares, design.means
        self.rounding = design.rounding
        self.target_square = float(np.vdot(self.Y, self.Y))
        self.centring = self.root if self.root.size else np.ones(self.n_samples)
        self.width = max(FEWEST, BLOCK // self.n_samples)

    def products(self, R):
        """Products of all columns with the residuals R (k, n): (k, p)."""
        if self.sparse:
            entries = self.design.data, self.design.indices, self.design.indptr
            out = _design.sparse_products_of(entries, R, self.design.n_jobs)
        else:
            U = R * self.root if self.root.size else R
            out = _design.products_of(self.design.X, U, self.design.n_jobs)
        if self.design.centred:
            out -= np.multiply.outer(R @ self.centring, self.means)
        return out

    def columns(self, chosen):
        """Return some columns, weighted and centred, as rows (m, n) of float64."""
        if self.sparse:
            from scipy.sparse import csc_array

            entries = self.design.data, self.design.indices, self.design.indptr
            X = csc_array(entries, shape=self.design.shape)
            B = X[:, chosen].toarray().T.astype(np.float64)
            return B - np.multiply.outer(self.means[chosen], self.centring)
        self.design.load(chosen)
        return self.design.B[self.design.slot[chosen]].astype(np.float64, copy=False)

    def residual(self, W):
        """Return ``Y - X W``, (k, n)."""
        R, support = self.Y.copy(), np.flatnonzero(W.any(axis=0))
        for some in self.parts(support):
            R -= W[:, some] @ self.columns(some)
        return R

    def parts(self, chosen):
        """Cut a list of features into parts whose columns are held at once."""
        return [chosen[i : i + self.width] for i in range(0, len(chosen), self.width)]

    def look(self, W, active):
        """Residuals, and their products with every column."""
        R = self.residual(W)
        square, target = float(np.vdot(R, R)), float(np.vdot(R, self.Y))
        return Look(R, square, target, self.products(R))

    def descend(self, chosen, W, look, penalty, stop):
        """Minimise over the chosen features; W and the residuals are changed. Returns sweeps."""
        sweeps, R = 0, look.r
        if not self.sparse and len(chosen) <= _design.LARGEST_GRAM:
            return self._descend_loaded(chosen, W, look, penalty, stop)
        for some in self.parts(chosen):
            B, V = self.columns(some), np.ascontiguousarray(W[:, some])
            # <part>: What the other features leave over is the target of these.
            G, g, old = B @ B.T, R @ B.T, V.copy()
            q = g + V @ G
            square = float(np.vdot(R, R) + np.vdot(V, g) + np.vdot(V, q))
            sweeps = max(sweeps, row_descent(G, q, g, V, square, penalty, stop))
            W[:, some] = V
            R -= (V - old) @ B
        return sweeps

    def _descend_loaded(self, chosen, W, look, penalty, stop):
        """As `descend`, with the columns and products that the design of dense samples keeps."""
        design = self.design
        if design.columns.size > min(GROWTH * len(chosen) + FIRST_SIZE, _design.LARGEST_GRAM):
            design.keep(chosen)
        design.load(chosen)
        design.load_gram()
        slots = design.slot[chosen]
        V, g = (np.ascontiguousarray(of[:, chosen]) for of in (W, look.c))
        G = design.G[np.ix_(slots, slots)]
        sweeps = row_descent(G, g + V @ G, g, V, self.target_square, penalty, stop)
        W[:, chosen] = V
        return sweeps

    def step_cost(self, k):
        """Steps of one sweep over k features, roughly."""
        return len(self.Y) * k * min(k, self.width)


def enet_path(owner, design, Y, alphas, W, l1_ratio, eps, settings):
    """Return what ``lasso_path`` and ``enet_path`` do for several targets, and the sweeps."""
    several = Targets(design, Y)
    if isinstance(alphas, int):
        products = several.products(several.Y)
        lengths = np.sqrt((products * products).sum(axis=0))
        alphas = _path.alpha_grid(several.n_samples, lengths, l1_ratio, eps, alphas)
    if settings.pop("positive"):
        raise ValueError(f"{owner}: positive=True is not allowed for multi-output (y.ndim != 1).")
    with single_threaded_blas():
        coefs, gaps, sweeps = _path.solve_path(several, l1_ratio, alphas, W, **settings)
    worst = int(np.argmax(gaps))
    level = 5 - (l1_ratio != 1.0)  # as `lasso_path` calls `enet_path`
    _path.warn_unless_converged(gaps[worst], settings["tol"], several, sweeps[worst], level)
    return alphas, coefs, gaps, sweeps


# ---------------------------------------------------------------------------------------------
# Estimators


class MultiTaskElasticNet(MultiOutputMixin, LinearRegressor):
    r"""Linear regressions on several targets that choose the same features.

    The objective is

    .. math:: \frac{1}{2 n} \Vert Y - X W \Vert^2 + \alpha \rho \sum_j \Vert w_j \Vert_2
              + \frac{\alpha (1 - \rho)}{2} \Vert W \Vert^2,

    where :math:`w_j` holds the coefficients of feature j for all targets, and :math:`\rho` is
    ``l1_ratio``. With one target it is :eq:`eq-elastic-net`. The intercepts are not penalised.

    Parameters
    ----------
    alpha : float, default=1.0
        Strength of the penalty, not negative.
    l1_ratio : float, default=0.5
        Share of the penalty on lengths, from 0 (ridge) to 1 (:class:`MultiTaskLasso`).
    fit_intercept : bool, default=True
        Whether to fit intercepts. Without them the data should be centred.
    copy_X : bool, default=True
        Accepted; `X` is never changed.
    max_iter : int, default=1000
        Largest number of sweeps over the features of a working set, over all working sets.
    tol : float, default=1e-4
        The solver stops when the duality gap is at most `tol` times ``||Y||^2 / n_samples``, of
        centred `Y` if there is an intercept.
    warm_start : bool, default=False
        Begin from the coefficients of the last call of ``fit``.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the random order with ``selection="random"``.
    selection : {"cyclic", "random"}, default="cyclic"
        Order of the features in a sweep.

    Attributes
    ----------
    coef_ : ndarray of shape (n_targets, n_features)
        Coefficients; a column of zeros for each feature that is not in use.
    intercept_ : ndarray of shape (n_targets,)
        Intercepts.
    sparse_coef_ : sparse array of shape (n_targets, n_features)
        The coefficients in CSR form.
    dual_gap_ : float
        Duality gap at the result, in units of the objective: the objective is at most so far
        above its minimum.
    eps_ : float
        The gap at which the solver stops, in the same units.
    n_iter_ : int
        Sweeps.
    n_features_in_ : int
        Number of features in ``fit``.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if all are strings.

    Notes
    -----
    With k targets, a look at all features costs O(n p k), the Gram matrix of a working set of m
    features O(n m^2), and a sweep over it O(m^2 k). See :cite:t:`yuan_group_2006`.

    Examples
    --------
    >>> from litlearn.linear_model import MultiTaskElasticNet
    >>> Y = [[0, 0], [1, 2], [2, 4]]
    >>> model = MultiTaskElasticNet(alpha=0.1).fit([[0, 1], [1, 0], [2, 1]], Y)
    >>> model.coef_.shape, bool(model.dual_gap_ < 1e-2)
    ((2, 2), True)
    """

    sparse_formats = ("csc", "csr")

    def __init__(
        self,
        alpha=1.0,
        *,
        l1_ratio=0.5,
        fit_intercept=True,
        copy_X=True,
        max_iter=1000,
        tol=1e-4,
        warm_start=False,
        random_state=None,
        selection="cyclic",
    ):
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.copy_X = copy_X
        self.max_iter = max_iter
        self.tol = tol
        self.warm_start = warm_start
        self.random_state = random_state
        self.selection = selection

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.single_output = False
        return tags

    @property
    def sparse_coef_(self):
        """The coefficients in CSR form, of shape (n_targets, n_features)."""
        from scipy import sparse

        _validation.check_is_fitted(self)
        return sparse.csr_array(self.coef_)

    def fit(self, X, y, sample_weight=None):
        """Fit the coefficients.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples: dense in either order of memory, or sparse (CSC needs no conversion).
        y : array-like of shape (n_samples, n_targets)
            Targets.
        sample_weight : float or array-like of shape (n_samples,), default=None
            Weights of the samples, not negative. Only their ratios matter.

        Returns
        -------
        self : estimator

        Raises
        ------
        TypeError
            If `X` holds objects that are not numbers.
        ValueError
            If a parameter is out of range, `y` is one-dimensional, or the data are missing, empty,
            of the wrong shape, or hold NaN or infinity.
        """
        alpha = _validation.check_real(self, "alpha", self.alpha, low=0.0)
        l1_ratio = _validation.check_real(self, "l1_ratio", self.l1_ratio, low=0.0, high=1.0)
        for name in ("fit_intercept", "warm_start"):
            _validation.check_boolean(self, name, getattr(self, name))
        settings = _lasso.check_settings(self, self)
        names = _validation.feature_names(X)
        X = _lasso.check_samples(self, X)
        Y = _validation.check_real_targets(self, y, X.shape[0])
        if Y.ndim == 1:
            who = type(self).__name__
            raise ValueError(
                f"{who}: For mono-task outputs, use {who[9:]}; expected y with a column a target."
            )
        weights = _validation.check_sample_weight(self, sample_weight, X.shape[0])
        smooth = alpha if alpha * l1_ratio == 0.0 else None
        W = _lasso.start_of(self, X, Y, weights, self.fit_intercept, smooth)
        first, tol = np.ascontiguousarray(Y[:, 0]), settings["tol"]
        design = _path.make_design(X, first, weights, self.fit_intercept, tol)
        design = Targets(design, Y)
        with single_threaded_blas():
            _, gap, sweeps = _path.solve_path(design, l1_ratio, [alpha], W, **settings)
        _lasso.check_result(self, W)
        _path.warn_unless_converged(gap[0], tol, design, sweeps[0], stacklevel=3)
        _validation.store_features(self, X.shape[1], names)
        intercept = design.y_means - W @ design.design.X_means
        self.coef_ = W.astype(X.dtype)
        self.intercept_ = intercept.astype(X.dtype) if self.fit_intercept else 0.0
        self.dual_gap_, self.n_iter_ = gap[0] / X.shape[0], sweeps[0]
        self.eps_ = tol * design.target_square / X.shape[0]
        return self


class MultiTaskLasso(MultiTaskElasticNet):
    r"""Linear regressions on several targets that choose the same features: no l2 penalty.

    The objective is that of :class:`MultiTaskElasticNet` with ``l1_ratio=1``,

    .. math:: \frac{1}{2 n} \Vert Y - X W \Vert^2 + \alpha \sum_j \Vert w_j \Vert_2.

    With one target it is :eq:`eq-lasso`. The intercepts are not penalised.

    Parameters
    ----------
    alpha : float, default=1.0
        Strength of the penalty, not negative.
    fit_intercept : bool, default=True
        Whether to fit intercepts. Without them the data should be centred.
    copy_X : bool, default=True
        Accepted; `X` is never changed.
    max_iter : int, default=1000
        Largest number of sweeps over the features of a working set, over all working sets.
    tol : float, default=1e-4
        As in :class:`MultiTaskElasticNet`.
    warm_start : bool, default=False
        Begin from the coefficients of the last call of ``fit``.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the random order with ``selection="random"``.
    selection : {"cyclic", "random"}, default="cyclic"
        Order of the features in a sweep.

    Attributes
    ----------
    coef_ : ndarray of shape (n_targets, n_features)
        Coefficients; a column of zeros for each feature that is not in use.
    intercept_ : ndarray of shape (n_targets,)
        Intercepts.
    sparse_coef_ : sparse array of shape (n_targets, n_features)
        The coefficients in CSR form.
    dual_gap_ : float
        Duality gap at the result, in units of the objective.
    eps_ : float
        The gap at which the solver stops, in the same units.
    n_iter_ : int
        Sweeps.
    n_features_in_ : int
        Number of features in ``fit``.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if all are strings.

    Notes
    -----
    Cost: as :class:`MultiTaskElasticNet`. See :cite:t:`yuan_group_2006`.

    Examples
    --------
    >>> from litlearn.linear_model import MultiTaskLasso
    >>> Y = [[0, 0], [1, 2], [2, 4]]
    >>> model = MultiTaskLasso(alpha=0.1).fit([[0, 1], [1, 0], [2, 1]], Y)
    >>> model.coef_[:, 1].tolist()
    [0.0, 0.0]
    """

    def __init__(
        self,
        alpha=1.0,
        *,
        fit_intercept=True,
        copy_X=True,
        max_iter=1000,
        tol=1e-4,
        warm_start=False,
        random_state=None,
        selection="cyclic",
    ):
        super().__init__(
            alpha=alpha,
            l1_ratio=1.0,
            fit_intercept=fit_intercept,
            copy_X=copy_X,
            max_iter=max_iter,
            tol=tol,
            warm_start=warm_start,
            random_state=random_state,
            selection=selection,
        )
