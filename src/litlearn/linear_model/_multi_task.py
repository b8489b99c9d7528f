"""Lasso and elastic net for several targets at once, which choose the same features.

The objective is, for the weighted and centred data that a *design* stands for,

    ||Y - X W||^2 / 2 + alpha sum_j ||w_j|| + beta ||W||^2 / 2,

where w_j, a row of W, holds the coefficients of feature j for all targets. Its length is penalised,
not its square and not its entries: a feature is in use for all targets, or for none.

Descent goes over the rows, and all else is as in ``_coordinate_descent.py``: a row's step is a
soft threshold of its length, the gap takes lengths for absolute values, and working sets hold the
features in use and those whose constraints are nearest. Arrays hold a target in each row: W is
stored as (k, p), Y and the residual as (k, n).

Sources: Yuan and Lin (2006) for blocks of coefficients, Obozinski, Taskar and Jordan (2010) for
several targets, Massias, Vaiter, Gramfort and Salmon (2020) for the gap and the working sets.
"""

import numpy as np

from litlearn import _validation
from litlearn._base import MultiOutputMixin
from litlearn._jit import njit
from litlearn._linear import LinearRegressor
from litlearn._parallel import cut, single_threaded_blas
from litlearn._random import make_state, random_below
from litlearn.linear_model import _coordinate_descent as descent
from litlearn.linear_model import _lasso
from litlearn.linear_model._coordinate_descent import MEMORY, extrapolate, gap_of

# Entries of the columns of one block of a working set: they are held in float64.
BLOCK = 1 << 22
# Fewest columns in a block.
FEWEST = 64


# ---------------------------------------------------------------------------------------------
# Kernels


@njit(helper=True)
def row_step(W, g, j, square, alpha, beta, d):
    """Change of the coefficients of one feature that minimises the objective along them.

    W and g (k, m): coefficients, and products with the residuals; `d` (k,) receives the change.
    The length of the product shrinks by `alpha`: :eq:`eq-soft-threshold` of a length.
    """
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


@njit
def row_terms(C, W, squares, alpha, beta):
    """What the duality gap needs, from the products C (k, p) of columns and residuals.

    Returns the sum of the lengths of the rows, that of their squares, the largest length that the
    dual bounds, the excess of the second dual, and the decreases that single rows can bring.
    """
    lengths = l2 = largest = excess = steepest = 0.0
    for j in range(C.shape[1]):
        length = bounded = product = 0.0
        for t in range(C.shape[0]):
            w, c = W[t, j], C[t, j]
            length += w * w
            bounded += (c - beta * w) * (c - beta * w)
            product += c * c
        lengths += np.sqrt(length)
        l2 += length
        largest = max(largest, np.sqrt(bounded))
        excess += max(np.sqrt(product) - alpha, 0.0) ** 2
        if squares[j] > 0.0:
            steepest += 0.5 * product / squares[j]
    return lengths, l2, largest, excess, steepest


@njit(reassociate=True)
def move(G, g, W, change):
    """Add `change` (k, m) to the coefficients and keep the products with the residuals."""
    for t in range(W.shape[0]):
        for j in range(W.shape[1]):
            d = change[t, j]
            if d != 0.0:
                W[t, j] += d
                for i in range(W.shape[1]):
                    g[t, i] -= d * G[j, i]


@njit(reassociate=True)
def objective(q, g, W, alpha, beta):
    """The objective less ``||Y||^2 / 2``, from ``X'Y`` and ``X'R``, both (k, m)."""
    total = 0.0
    for j in range(W.shape[1]):
        length = 0.0
        for t in range(W.shape[0]):
            w = W[t, j]
            length += w * w
            total -= 0.5 * w * (q[t, j] + g[t, j])
        total += alpha * np.sqrt(length) + 0.5 * beta * length
    return total


@njit(reassociate=True)
def row_descent(G, q, g, W, target_square, penalty, seed, stop):
    """Descend over rows, with products read from the Gram matrix.

    G (m, m) is ``X'X``, q (k, m) ``X'Y``, g (k, m) ``X'R`` and W (k, m) the coefficients, both kept
    up to date; `penalty` is alpha and beta, `stop` the gap and the number of sweeps at which to
    stop; `seed` is zero for cyclic order. Returns the number of sweeps.
    """
    alpha, beta = penalty
    k, m = W.shape
    past, direction = np.zeros((MEMORY + 1, k * m)), np.zeros(k * m)
    squares, d, state = np.diag(G), np.empty(k), make_state(seed)
    sweeps = known = 0
    while sweeps < stop[1]:
        # <sweep>: A row in turn; a change costs a row of G for each target, no change nothing.
        for step in range(m):
            j = random_below(state, m) if seed != 0 else step
            if row_step(W, g, j, squares[j], alpha, beta, d) > 0.0:
                for t in range(k):
                    W[t, j] += d[t]
                    for i in range(m):
                        g[t, i] -= d[t] * G[j, i]
        sweeps += 1
        # <stop>: Residuals' squares follow from products with the coefficients.
        fit = inner = 0.0
        for t in range(k):
            for j in range(m):
                fit += W[t, j] * q[t, j]
                inner += W[t, j] * g[t, j]
        target = target_square - fit
        lengths, l2, largest, excess, steepest = row_terms(g, W, squares, alpha, beta)
        gap = gap_of(alpha, beta, max(target - inner, 0.0), target, lengths, l2, largest, excess)
        if (gap if alpha + beta > 0.0 else steepest) <= stop[0]:
            break
        # <extrapolate>: Kept only if the objective falls.
        past[known] = W.ravel()
        known += 1
        if known > MEMORY:
            known = 0
            if extrapolate(past, direction):
                before = objective(q, g, W, alpha, beta)
                move(G, g, W, direction.reshape(k, m))
                if not objective(q, g, W, alpha, beta) < before:
                    move(G, g, W, -direction.reshape(k, m))
                    W[:] = past[MEMORY].copy().reshape(k, m)
    return sweeps


# ---------------------------------------------------------------------------------------------
# The design with several targets


class Blocks:
    """A design of ``_coordinate_descent.py`` that multiplies with several residuals at once.

    Parameters
    ----------
    design : DenseDesign or SparseDesign
        Made with the first target.
    Y : ndarray of shape (n_samples, n_targets)
    """

    def __init__(self, design, Y):
        self.design, self.n_samples = design, design.n_samples
        self.sparse = isinstance(design, descent.SparseDesign)
        self.root = design.weight_roots if self.sparse else design.root
        weights = self.root**2 if self.root.size else None
        self.y_means = np.average(Y, axis=0, weights=weights) if design.centred else 0.0 * Y[0]
        self.Y = np.ascontiguousarray((Y - self.y_means).T)
        self.X = design.X if not self.sparse else self._weighted()
        if self.root.size:
            self.Y *= self.root
        self.squares, self.means = design.squares, design.means
        self.target_square = float(np.vdot(self.Y, self.Y))
        self.centring = self.root if self.root.size else np.ones(self.n_samples)
        self.width = max(FEWEST, BLOCK // self.n_samples)

    def _weighted(self):
        """Return the matrix whose rows are weighted, in CSC form."""
        from scipy.sparse import csc_array

        design = self.design
        return csc_array((design.data, design.indices, design.indptr), shape=design.shape)

    def products(self, R):
        """Products of all columns with the residuals R (k, n): (k, p)."""
        total = R @ self.centring if self.design.centred else np.zeros(len(R))
        if self.sparse:
            return np.ascontiguousarray((self.X.T @ R.T).T) - np.multiply.outer(total, self.means)
        U = (R * self.root if self.root.size else R).astype(self.X.dtype, copy=False)
        out = np.empty((len(R), self.X.shape[1]))

        def fill(columns):
            out[:, columns] = U @ self.X[:, columns]

        size = max(64, descent.BLOCK_ENTRIES // (self.n_samples * len(R)))
        descent.fold(fill, None, cut(out.shape[1], size), self.design.n_jobs)
        return out - np.multiply.outer(total, self.means)

    def columns(self, chosen):
        """Return some columns, weighted and centred, as rows (m, n) of float64."""
        if self.sparse:
            B = self.X[:, chosen].toarray().T.astype(np.float64)
            return B - np.multiply.outer(self.means[chosen], self.centring)
        B = self.X[:, chosen].T.astype(np.float64) - self.means[chosen, None]
        return B * self.root if self.root.size else B

    def residual(self, W):
        """Return ``Y - X W``, (k, n)."""
        R, support = self.Y.copy(), np.flatnonzero(W.any(axis=0))
        for some in self.parts(support):
            R -= W[:, some] @ self.columns(some)
        return R

    def parts(self, chosen):
        """Cut a list of features into parts whose columns are held at once."""
        return [chosen[i : i + self.width] for i in range(0, len(chosen), self.width)]


# ---------------------------------------------------------------------------------------------
# Working sets


def choose(design, C, W, alpha):
    """Return the features in use, and those whose constraints are nearest to being violated."""
    if alpha == 0.0:
        return np.flatnonzero(design.squares > 0.0)
    used = W.any(axis=0)
    length = np.sqrt((C * C).sum(axis=0))
    with np.errstate(divide="ignore", invalid="ignore"):
        distance = (alpha - length) / np.sqrt(design.squares)
    distance[used] = -np.inf
    distance[design.squares <= 0.0] = np.inf
    support, violated = np.count_nonzero(used), np.count_nonzero((length > alpha) & ~used)
    wanted = support + descent.SPARE + int(descent.PER_VIOLATION * violated)
    size = min(len(distance), max(descent.FIRST_SIZE, min(descent.GROWTH * support, wanted)))
    nearest = np.argpartition(distance, size - 1)[:size]
    return np.sort(nearest[distance[nearest] < np.inf])


def descend(design, chosen, W, R, penalty, seed, stop):
    """Minimise over the chosen features; W and the residuals R are changed. Returns sweeps."""
    sweeps = 0
    for some in design.parts(chosen):
        B, V = design.columns(some), np.ascontiguousarray(W[:, some])
        # <part>: What the other features leave over is the target of these.
        G, g, old = B @ B.T, R @ B.T, V.copy()
        q = g + V @ G
        square = float(np.vdot(R, R) + np.vdot(V, g) + np.vdot(V, q))
        sweeps = max(sweeps, row_descent(G, q, g, V, square, penalty, seed, stop))
        W[:, some] = V
        R -= (V - old) @ B
    return sweeps


def solve(design, alpha, beta, W, *, seed=0, tol=1e-4, max_iter=1000):
    """Minimise the objective at the head of this file.

    Parameters
    ----------
    design : Blocks
    alpha, beta : float
        Penalties, not negative.
    W : ndarray of shape (n_targets, n_features)
        Where to begin; overwritten by the result. float64.
    seed : int, default=0
        Zero for cyclic order, otherwise the beginning of a random one.
    tol : float, default=1e-4
        The duality gap may be `tol` times ``||Y||^2``.
    max_iter : int, default=1000
        Largest number of sweeps over working sets.

    Returns
    -------
    gap : float
        The duality gap at the result: :eq:`eq-duality-gap` with lengths of rows.
    sweeps : int
    """
    W[:, design.squares <= 0.0] = 0.0
    goal, best_dual, sweeps = tol * design.target_square, -np.inf, 0
    while True:
        # <look>: Residuals, their products with every column, and the gap, all computed anew.
        R = design.residual(W)
        C = design.products(R)
        square, target = float(np.vdot(R, R)), float(np.vdot(R, design.Y))
        lengths, l2, largest, excess, steepest = row_terms(C, W, design.squares, alpha, beta)
        primal = 0.5 * (square + beta * l2) + alpha * lengths
        gap = steepest
        if alpha > 0.0 or beta > 0.0:
            gap = gap_of(alpha, beta, square, target, lengths, l2, largest, excess)
            best_dual = max(best_dual, primal - gap)
            gap = primal - best_dual
        if gap <= goal or sweeps >= max_iter:
            return max(gap, 0.0), sweeps
        # <descend>: The small problem is solved further than the large one is solved already.
        chosen = choose(design, C, W, alpha)
        inner = max(descent.FINAL_SHARE * goal, descent.INNER_SHARE * gap)
        limit = max(1, descent.STEPS_PER_CALL // (len(W) * max(1, len(chosen)) ** 2))
        stop = (inner, float(min(limit, max_iter - sweeps)))
        sweeps += descend(design, chosen, W, R, (float(alpha), float(beta)), seed, stop)
        if seed:
            seed += sweeps


def solve_path(design, l1_ratio, alphas, W, **settings):
    """Solve for falling penalties, each from the solution of the last.

    Returns
    -------
    coefs : ndarray of shape (n_targets, n_features, n_alphas)
    gaps : ndarray of shape (n_alphas,)
        Duality gaps, not divided by the number of samples.
    sweeps : list of int
    """
    n, coefs = design.n_samples, np.empty((*W.shape, len(alphas)))
    gaps, sweeps = np.empty(len(alphas)), []
    with single_threaded_blas():
        for i, alpha in enumerate(alphas):
            penalties = n * alpha * l1_ratio, n * alpha * (1.0 - l1_ratio)
            gaps[i], count = solve(design, *penalties, W, **settings)
            coefs[:, :, i] = W
            sweeps.append(count)
    return coefs, gaps, sweeps


def enet_path(owner, design, Y, alphas, W, l1_ratio, eps, settings):
    """Return what ``lasso_path`` and ``enet_path`` do for several targets, and the sweeps."""
    blocks = Blocks(design, Y)
    if isinstance(alphas, int):
        products = blocks.products(blocks.Y)
        lengths = np.sqrt((products * products).sum(axis=0))
        alphas = _lasso.alpha_grid(blocks.n_samples, lengths, l1_ratio, eps, alphas)
    if settings.pop("positive"):
        raise ValueError(f"{owner}: positive=True is not allowed for multi-output (y.ndim != 1).")
    coefs, gaps, sweeps = solve_path(blocks, l1_ratio, alphas, W, **settings)
    worst = int(np.argmax(gaps))
    _lasso.warn_unless_converged(gaps[worst], settings["tol"], blocks, sweeps[worst], 5)
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
        alpha, l1_ratio, warm, settings = self._check_parameters()
        names = _validation.feature_names(X)
        order = "C" if _validation.is_sparse(X) else _lasso.memory_order(X)
        X = _validation.check_array(self, X, sparse=("csc",), order=order)
        Y = _validation.check_real_targets(self, y, X.shape[0])
        if Y.ndim == 1:
            who = type(self).__name__
            raise ValueError(
                f"{who}: For mono-task outputs, use {who[9:]}; expected y with a column a target."
            )
        weights = _validation.check_sample_weight(self, sample_weight, X.shape[0])
        W = np.zeros((Y.shape[1], X.shape[1]))
        if warm and hasattr(self, "coef_"):
            W[:] = _lasso.check_start(self, "coef_", self.coef_, W.shape)
        elif alpha * l1_ratio == 0.0:
            start = _lasso.smooth_solution(self, X, Y, weights, self.fit_intercept, alpha)
            W[:] = np.nan_to_num(start, posinf=0.0, neginf=0.0)
        first, tol = np.ascontiguousarray(Y[:, 0]), settings["tol"]
        design = _lasso.make_design(X, first, weights, self.fit_intercept, tol)
        design = Blocks(design, Y)
        _, gap, sweeps = solve_path(design, l1_ratio, [alpha], W, **settings)
        if not np.isfinite(W).all():
            raise ValueError(
                f"{_validation.owner_name(self)}: the coefficients are not finite. The data hold "
                "values too large for their type; scale them first."
            )
        _lasso.warn_unless_converged(gap[0], tol, design, sweeps[0], stacklevel=3)
        _validation.store_features(self, X.shape[1], names)
        intercept = design.y_means - W @ design.design.X_means
        self.coef_ = W.astype(X.dtype)
        self.intercept_ = intercept.astype(X.dtype) if self.fit_intercept else 0.0
        self.dual_gap_, self.n_iter_ = gap[0] / X.shape[0], sweeps[0]
        self.eps_ = tol * design.target_square / X.shape[0]
        return self

    def _check_parameters(self):
        """Return alpha, l1_ratio, whether to start warm, and the settings of the solver."""
        alpha = _validation.check_real(self, "alpha", self.alpha, low=0.0)
        l1_ratio = _validation.check_real(self, "l1_ratio", self.l1_ratio, low=0.0, high=1.0)
        for name in ("fit_intercept", "copy_X"):
            _validation.check_boolean(self, name, getattr(self, name))
        warm = _validation.check_boolean(self, "warm_start", self.warm_start)
        settings = {
            "seed": _lasso.draw_seed(self, self.selection, self.random_state),
            "tol": _validation.check_real(self, "tol", self.tol, low=0.0),
            "max_iter": _validation.check_integer(self, "max_iter", self.max_iter, low=1),
        }
        return alpha, l1_ratio, warm, settings


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
