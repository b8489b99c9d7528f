"""Lasso and elastic net: estimators, regularisation paths, and the choice of the penalty.

The algorithm for one penalty is in ``_descent.py``. This file checks input and parameters, applies
it to one penalty after the other, and stores what comes back.

Several targets at once choose the same features. For the weighted and centred data that a *design*
stands for, the objective is

    ||Y - X W||^2 / 2 + alpha sum_j ||w_j|| + beta ||W||^2 / 2,

where w_j, a row of W, holds the coefficients of feature j for all targets. Its length is penalised,
not its square and not its entries: a feature is in use for all targets, or for none. In the
algorithm lengths take the place of absolute values.

Sources: Yuan and Lin (2006) for blocks of coefficients, Obozinski, Taskar and Jordan (2010) for
several targets, Massias, Vaiter, Gramfort and Salmon (2020) for the gap and the working sets.
"""

from types import SimpleNamespace

import numpy as np

from litlearn._core import moments, validation
from litlearn._core.base import MultiOutputMixin
from litlearn._core.chunked import in_memory, is_chunked
from litlearn._core.constraints import (
    ARRAY,
    BOOLEAN,
    COMMON,
    COUNT,
    NOT_NEGATIVE,
    POSITIVE,
    RANDOM_STATE,
    REPEATS,
    SEED,
    SHARE,
    Option,
    Real,
    Table,
)
from litlearn._core.linear import LinearRegressor
from litlearn._core.parallel import blas_for
from litlearn.exceptions import ConvergenceWarning, InvalidParameterError
from litlearn.linear_model import _design, _least_squares
from litlearn.linear_model._choice import (
    check_folds,
    check_no_params,
    check_weights,
    refine,
    solve_paths,
    take_rows,
    training_moments,
)
from litlearn.linear_model._descent import coordinate_descent
from litlearn.linear_model._penalty import Penalty

# Sparse samples of at most so many entries, zeros counted, are made dense: 1 MB.
FEW_ENTRIES = 2**17
# Relative gap below which products from a Gram matrix are too inexact to judge by.
GRAM_PRECISION = {"d": 1e-11, "f": 1e-5}
# Shares from which a grid of penalties is made: 0 is at infinity, and much less as good as 0.
SMALLEST_SHARE = 1e-100
PRECOMPUTE, SELECTION = BOOLEAN | ARRAY, Option("cyclic", "random")
# Relative gap below which float32 data are solved for in float64.
SINGLE_PRECISION = 1e-6
SMALLEST_ALPHA = np.finfo(np.float64).resolution


# ---------------------------------------------------------------------------------------------
# Input


def check_columns(owner, X):
    """Return checked samples; sparse ones in CSC, or dense where they are few.

    The bits of a few are then those of dense samples, and their columns are as soon read.
    """
    X = validation.check_array(owner, X, sparse=("csc",), order="any")
    if validation.is_sparse(X) and X.shape[0] * X.shape[1] <= FEW_ENTRIES:
        return validation.read_only(X.toarray(order="F"), "F")
    return X


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
    if X.dtype == np.float32 and not products_in_range(design):
        design = kind(X.astype(np.float64), first, weights, centred, n_jobs)
    design = design if y.ndim == 1 else design.retarget(y)
    check_squares(owner, design)
    return design


def designs_of_chunks(owner, X, Y, weights, centred):
    """Yield the design of each target of samples in chunks, from the one pass that sums them up.

    All that the solver asks for is then in memory: the products of the columns, (p, p).
    """
    samples, n = moments.Samples(X, Y, weights, centred), len(X)
    with np.errstate(over="ignore", invalid="ignore"):
        total = moments.moments(samples)
    scale = 1.0 if weights is None else n / in_memory(weights.sum())
    G, rounding = scale * total.xx, _design.ROUNDING["d"]
    for t, square in enumerate(scale * total.yy):
        products = np.ascontiguousarray(scale * total.xy[:, t])
        design = _design.GramDesign(G, np.diagonal(G).copy(), products, float(square), n, rounding)
        design.X_means, design.y_mean = total.x_mean, total.y_mean[t]
        check_squares(owner, design)
        yield design


def check_squares(owner, design):
    """Refuse samples or targets whose squares overflow."""
    for name, squares in (("X", design.squares), ("y", design.target_square)):
        if not np.isfinite(squares).all():
            raise ValueError(
                f"{validation.owner_name(owner)}: the squares of {name} are not finite. "
                "The data hold values too large for them; scale them first."
            )


def products_in_range(design):
    """Tell whether products of columns with each other and the target are within float32."""
    squares = np.append(design.squares, design.target_square)
    positive = squares[squares != 0.0]
    return bool(np.all((positive > 1e-30) & (positive < 1e34)))  # NaN is not


def check_gram(owner, precompute, design, centred):
    """Return the Gram matrix that the user gave, or None if it cannot be used."""
    p = design.squares.size
    gram = validation.check_array(owner, precompute, name="precompute")
    if gram.shape != (p, p):
        raise ValueError(
            f"{validation.owner_name(owner)}: the Gram matrix given as precompute has shape "
            f"{gram.shape}, expected ({p}, {p})."
        )
    if isinstance(design, _design.SparseDesign):
        return None
    # Means up to rounding are the sign that the matrix belongs to centred columns.
    spread = np.sqrt(design.squares / design.n_samples)
    if centred and np.any(np.abs(design.X_means) > 1e-5 * spread + 1e-8):
        message = (
            "Gram matrix was provided but X was centered to fit intercept: recomputing Gram matrix."
        )
        validation.warn(UserWarning(message))
        return None
    scale = design.squares.max(initial=0.0)
    if not np.allclose(np.diag(gram), design.squares, rtol=1e-3, atol=1e-6 * scale):
        raise ValueError(
            f"{validation.owner_name(owner)}: the Gram matrix given as precompute did not pass "
            "validation: its diagonal is not the squared norms of the columns of X."
        )
    return gram.astype(np.float64, copy=False)


def with_gram(owner, design, precompute, centred, tol, *, single):
    """Return the design, or one that knows its Gram matrix if that is wanted or pays."""
    gram = None
    if not isinstance(precompute, (bool, str)):
        gram, precompute = check_gram(owner, precompute, design, centred), "auto"
    if isinstance(design, _design.SparseDesign) or precompute is False:
        return design
    if gram is None:
        n, p = design.X.shape
        dear = p > min(max(n, _design.SMALL_GRAM), _design.LARGEST_GRAM)
        if precompute == "auto" and (single or dear):
            return design
        gram = _design.gram_matrix(design)
    if single or tol < GRAM_PRECISION[design.X.dtype.char]:
        design.gram = gram
        return design
    return _design.GramDesign(
        gram, design.squares, design.products, design.target_square, design.n_samples,
        design.rounding,
    )  # fmt: skip


def solver_settings(given):
    """Return the settings of :func:`solve_path` from checked parameters.

    A seed of zero stands for cyclic order.
    """
    seed = 0
    if given.selection == "random":
        random = RANDOM_STATE.read(given.random_state)
        draw = getattr(random, "integers", None) or random.randint
        seed = int(draw(1, 2**31 - 1))
    max_iter, positive = given.max_iter or 1000, vars(given).get("positive", False)
    return {"seed": seed, "tol": given.tol, "max_iter": max_iter, "positive": positive}


# ---------------------------------------------------------------------------------------------
# Paths


def check_alphas(owner, alphas):
    """Return a number of penalties, or an array of them in falling order."""
    if isinstance(alphas, int):
        return alphas
    checked = validation.check_listed_penalties(owner, alphas, allow_zero=True)
    if not checked.size:
        validation.refuse(owner, "alphas", alphas, "an array with at least one number")
    return np.sort(checked)[::-1]


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
        gaps[i], count = coordinate_descent(
            design, penalty, w, seed=seed, tol=tol, max_iter=max_iter
        )
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


def lasso_path(
    X,
    y,
    *,
    eps=1e-3,
    n_alphas="deprecated",
    alphas="warn",
    precompute="auto",
    Xy=None,
    copy_X=True,
    coef_init=None,
    verbose=False,
    return_n_iter=False,
    positive=False,
    **params,
):
    """Compute the Lasso for a falling sequence of penalties: :eq:`eq-lasso`.

    The same as :func:`enet_path` with ``l1_ratio=1``, whose documentation says the rest.

    Returns
    -------
    alphas : ndarray of shape (n_alphas,)
        Penalties, from the largest to the smallest.
    coefs : ndarray of shape (n_features, n_alphas) or (n_targets, n_features, n_alphas)
        Coefficients.
    dual_gaps : ndarray of shape (n_alphas,)
        Duality gaps, in units of the objective.
    n_iters : list of int
        Sweeps of coordinate descent, with ``return_n_iter=True`` only.

    Examples
    --------
    >>> import numpy as np
    >>> from litlearn.linear_model import lasso_path
    >>> X = np.array([[-1.0, 1.0], [0.0, -2.0], [1.0, 1.0]])
    >>> alphas, coefs, gaps = lasso_path(X, 3 * X[:, 0], alphas=[1.0, 0.5])
    >>> print(alphas, coefs.round(2).tolist())
    [1.  0.5] [[1.5, 2.25], [0.0, 0.0]]
    """
    given = {**locals(), "l1_ratio": 1.0}
    params = given.pop("params")
    return enet_path(**given, **params)


def enet_path(
    X,
    y,
    *,
    l1_ratio=0.5,
    eps=1e-3,
    n_alphas="deprecated",
    alphas="warn",
    precompute="auto",
    Xy=None,
    copy_X=True,
    coef_init=None,
    verbose=False,
    return_n_iter=False,
    positive=False,
    check_input=True,
    **params,
):
    """Compute the elastic net for a falling sequence of penalties: :eq:`eq-elastic-net`.

    There is no intercept: centre the data if you want one, or use an estimator.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Samples. Dense in either order of memory, or sparse; none is copied as a whole.
    y : array-like of shape (n_samples,) or (n_samples, n_targets)
        Targets. Several choose the same features: see :class:`MultiTaskElasticNet`.
    l1_ratio : float, default=0.5
        Share of the l1 penalty, from 0 to 1.
    eps : float, default=1e-3
        Smallest penalty of an automatic grid divided by the largest.
    n_alphas : int, default="deprecated"
        Length of the automatic grid. It warns, as scikit-learn will drop it: `alphas` takes a
        number, too.
    alphas : int or array-like, default=100
        Length of an automatic grid, or the penalties themselves. They are used in falling order.
    precompute : "auto", bool or array-like of shape (n_features, n_features), default="auto"
        Whether to compute ``X.T @ X`` first; "auto" does if there are more samples than features.
    Xy : array-like, default=None
        Accepted, and not needed.
    copy_X : bool, default=True
        Accepted; `X` is never changed.
    coef_init : array-like of shape (n_features,) or (n_targets, n_features), default=None
        Where to begin.
    verbose : bool or int, default=False
        Accepted.
    return_n_iter : bool, default=False
        Return the numbers of sweeps too.
    positive : bool, default=False
        Bound the coefficients by zero from below.
    check_input : bool, default=True
        Accepted; input is always checked.
    **params : dict
        Parameters of the solver: ``tol`` (1e-4), ``max_iter`` (1000), ``selection`` ("cyclic"),
        ``random_state`` (None), ``sample_weight`` (None).

    Returns
    -------
    alphas : ndarray of shape (n_alphas,)
        Penalties, from the largest to the smallest.
    coefs : ndarray of shape (n_features, n_alphas) or (n_targets, n_features, n_alphas)
        Coefficients.
    dual_gaps : ndarray of shape (n_alphas,)
        Duality gaps, in units of the objective.
    n_iters : list of int
        Sweeps of coordinate descent, with ``return_n_iter=True`` only.

    Examples
    --------
    >>> import numpy as np
    >>> from litlearn.linear_model import enet_path
    >>> X = np.array([[-1.0, 1.0], [0.0, -2.0], [1.0, 1.0]])
    >>> alphas, coefs, gaps = enet_path(X, 3 * X[:, 0], l1_ratio=0.5, alphas=[1.0, 0.5])
    >>> print(alphas, coefs.round(2).tolist())
    [1.  0.5] [[1.29, 1.91], [0.0, 0.0]]
    """
    who = "enet_path" if l1_ratio != 1.0 else "lasso_path"
    given = check_path_parameters(who, locals())
    alphas = check_alphas(who, named_alphas(who, given))
    X = check_columns(who, X)
    y = validation.check_real_targets(who, y, X.shape[0])
    weights = validation.check_sample_weight(who, given.sample_weight, X.shape[0])
    w = np.zeros((*y.shape[1:], X.shape[1]))
    if coef_init is not None:
        w[:] = check_start(who, "coef_init", coef_init, w.shape)
    if y.ndim == 2 and given.positive:
        raise ValueError(f"{who}: positive=True is not allowed for multi-output (y.ndim != 1).")
    with blas_for(X):
        design = make_design(who, X, y, weights, False, given.tol)
        design = with_gram(who, design, given.precompute, False, given.tol, single=False)
        if isinstance(alphas, int):
            products = sizes(design, given.positive)
            alphas = alpha_grid(len(y), products, given.l1_ratio, given.eps, alphas)
        settings = solver_settings(given)
        coefs, gaps, sweeps = solve_path(design, given.l1_ratio, alphas, w, **settings)
    worst = int(np.argmax(gaps))
    warn_unless_converged(gaps[worst], given.tol, design, sweeps[worst])
    result = alphas, coefs.astype(X.dtype, copy=False), gaps / len(y)
    return (*result, sweeps) if given.return_n_iter else result


PATH = COMMON | Table(
    l1_ratio=SHARE,
    eps=POSITIVE,
    n_alphas=REPEATS | Option("deprecated"),
    alphas=REPEATS | ARRAY | Option("warn") | None,
    precompute=Option("auto") | PRECOMPUTE,
    return_n_iter=BOOLEAN,
    positive=BOOLEAN,
    check_input=BOOLEAN,
    max_iter=COUNT,
    selection=SELECTION,
)


def check_path_parameters(owner, arguments):
    """Return the parameters of a path, checked; `params` holds those of the solver."""
    params = {
        "sample_weight": None,
        "tol": 1e-4,
        "max_iter": 1000,
        "random_state": None,
        "selection": "cyclic",
    }
    unknown = sorted(set(arguments["params"]) - set(params) - {"do_screening"})
    if unknown:
        raise InvalidParameterError(
            f"{owner} got unexpected arguments. Unexpected parameters in params: "
            f"{', '.join(unknown)}."
        )
    given = arguments | params | arguments["params"]
    read = {
        name: one.check(owner, name, given[name]) for name, one in PATH.items() if name in given
    }
    return SimpleNamespace(**given | read)


def named_alphas(owner, given):
    """Return what was given as `alphas`, or, as in older code, as `n_alphas` or None."""
    if not isinstance(given.n_alphas, str):
        message = "'n_alphas' was deprecated in 1.9 and will be removed in 1.11: use alphas=number."
        validation.warn(FutureWarning(f"{owner}: {message}"))
        return given.n_alphas
    if given.alphas is None:
        message = "'alphas=None' is deprecated and will be removed in 1.11: leave it out."
        validation.warn(FutureWarning(f"{owner}: {message}"))
    return 100 if given.alphas is None or isinstance(given.alphas, str) else given.alphas


def start_of(owner, X, Y, weights, centred, smooth):
    """Return where an estimator begins: (n_targets, p).

    At its last coefficients, if it is to start warm; at the solution with an l2 penalty `smooth`
    alone, unless that is None; or at zero.
    """
    shape = (Y.shape[1], X.shape[1])
    if owner.warm_start and hasattr(owner, "coef_"):
        return check_start(owner, "coef_", np.atleast_2d(owner.coef_), shape)
    if smooth is None:
        return np.zeros(shape)
    samples = moments.Samples(X, Y, weights, centred)
    total = X.shape[0] if weights is None else in_memory(weights.sum())
    penalty = np.full(Y.shape[1], min(smooth * total, 1e300))
    start = _least_squares.solve_least_squares(owner, samples, penalty).coef.T
    return np.nan_to_num(np.ascontiguousarray(start), posinf=0.0, neginf=0.0)


def check_result(owner, *arrays):
    """Refuse data whose coefficients are beyond the range of their type."""
    if not all(np.isfinite(one).all() for one in arrays):
        raise ValueError(
            f"{validation.owner_name(owner)}: the coefficients are not finite. The data hold "
            "values too large for their type; scale them first."
        )


def check_start(owner, name, coef, shape):
    """Return coefficients to begin with, as finite numbers of the right shape."""
    coef = np.array(coef, dtype=np.float64)
    if coef.shape != shape:
        raise ValueError(
            f"{validation.owner_name(owner)}: {name} has shape {coef.shape}, expected {shape}."
        )
    validation.check_finite(validation.owner_name(owner), coef, name)
    return coef


# ---------------------------------------------------------------------------------------------
# Estimators


class ElasticNet(MultiOutputMixin, LinearRegressor):
    r"""Linear regression with an l1 and an l2 penalty: :eq:`eq-elastic-net`.

    The coefficients minimise

    .. math:: \frac{1}{2 n} \Vert y - X w \Vert^2 + \alpha \rho \, \Vert w \Vert_1
              + \frac{\alpha (1 - \rho)}{2} \Vert w \Vert_2^2,

    where :math:`n` is the number of samples, :math:`\alpha` is `alpha` and :math:`\rho` is
    `l1_ratio`. The intercept is not penalised.

    Parameters
    ----------
    alpha : float, default=1.0
        Strength of the penalty, not negative. 0 is least squares, for which
        :class:`LinearRegression` is the better tool.
    l1_ratio : float, default=0.5
        Share of the l1 penalty, from 0 (ridge) to 1 (lasso).
    fit_intercept : bool, default=True
        Whether to fit an intercept. Without one the data should be centred.
    precompute : bool or array-like of shape (n_features, n_features), default=False
        Whether to begin with all products of two columns, or these products themselves, of centred
        columns if there is an intercept. Not used for sparse data.
    max_iter : int or None, default=1000
        Largest number of sweeps of coordinate descent, over all working sets together; None: 1000.
    copy_X : bool, default=True
        Accepted; `X` is never changed.
    tol : float, default=1e-4
        The solver stops when the duality gap is at most `tol` times ``||y||^2 / n_samples``, of
        centred `y` if there is an intercept, and no coefficient would change by more than a tenth
        of `tol` of the largest. Most solutions are exact then: near the end, the equations of the
        coefficients that are not zero are solved.
    warm_start : bool, default=False
        Begin from the coefficients of the last call of ``fit``.
    positive : bool, default=False
        Bound the coefficients by zero from below.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the random order with ``selection="random"``.
    selection : {"cyclic", "random"}, default="cyclic"
        Order of the coordinates in a sweep.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,) or (n_targets, n_features)
        Coefficients.
    intercept_ : float or ndarray of shape (n_targets,)
        Intercept.
    sparse_coef_ : sparse array of shape (1, n_features) or (n_targets, n_features)
        The coefficients in CSR form.
    dual_gap_ : float or ndarray of shape (n_targets,)
        Duality gap at the result, in units of the objective: the objective is at most so far
        above its minimum. With ``alpha=0``: half the decrease that all coordinates promise.
    n_iter_ : int or list of int
        Sweeps of coordinate descent.
    n_features_in_ : int
        Number of features in ``fit``.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if all are strings.

    Notes
    -----
    Working sets, gap-safe screening and extrapolation make the solver visit few columns often. A
    look at all columns costs :math:`O(n p)`, a sweep over a working set of k columns
    :math:`O(k^2)` for dense data and, for sparse data, time linear in its entries. Duplicated or
    dependent columns have many solutions for ``l1_ratio=1``; which one comes out is not specified.
    See :cite:t:`friedman_regularization_2010` and :cite:t:`massias_celer_2018`.

    Examples
    --------
    >>> from litlearn.linear_model import ElasticNet
    >>> model = ElasticNet(alpha=0.1).fit([[0, 0], [1, 1], [2, 2]], [0, 1, 2])
    >>> bool(model.dual_gap_ < 1e-4)
    True
    """

    _constraints = Table(
        alpha=NOT_NEGATIVE,
        l1_ratio=SHARE,
        precompute=PRECOMPUTE,
        max_iter=COUNT | None,
        positive=BOOLEAN,
        random_state=SEED,
        selection=SELECTION,
    )
    sparse_formats = ("csc", "csr")
    path = staticmethod(enet_path)
    _joint = False  # whether several targets choose the same features
    _fits_chunks = True

    def __init__(
        self,
        alpha=1.0,
        *,
        l1_ratio=0.5,
        fit_intercept=True,
        precompute=False,
        max_iter=1000,
        copy_X=True,
        tol=1e-4,
        warm_start=False,
        positive=False,
        random_state=None,
        selection="cyclic",
    ):
        self._set_as_given(locals())

    @property
    def sparse_coef_(self):
        """The coefficients in CSR form, of shape (1, n_features) or (n_targets, n_features)."""
        from scipy import sparse

        validation.check_is_fitted(self)
        return sparse.csr_array(np.atleast_2d(self.coef_))

    def fit(self, X, y, sample_weight=None, check_input=True):
        """Fit the coefficients.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples: dense in either order of memory, or sparse (CSC needs no conversion).
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Targets; several targets are fitted one by one.
        sample_weight : float or array-like of shape (n_samples,), default=None
            Weights of the samples, not negative. Only their ratios matter.
        check_input : bool, default=True
            Accepted; input is always checked.

        Returns
        -------
        self : estimator

        Raises
        ------
        TypeError
            If `X` holds objects that are not numbers.
        ValueError
            If a parameter is out of range, or the data are missing, empty, of the wrong shape, or
            hold NaN or infinity.
        """
        validation.check_boolean(self, "check_input", check_input)
        return self._fit(X, y, sample_weight)

    def _fit(self, X, y, sample_weight):
        """As `fit`; the targets one by one, or jointly."""
        given, joint = validation.check_parameters(self), self._joint
        settings, tol = solver_settings(given), given.tol
        alpha, l1_ratio, centred = given.alpha, float(self.l1_ratio), given.fit_intercept
        names = validation.feature_names(X)
        X = check_columns(self, X)
        y = self._check_targets(y, X.shape[0])
        weights = validation.check_sample_weight(self, sample_weight, X.shape[0])
        if alpha == 0.0 and not joint:
            message = (
                "With alpha=0, this algorithm does not converge well. You are advised to use the "
                "LinearRegression estimator"
            )
            validation.warn(UserWarning(message))
        Y = y[:, None] if y.ndim == 1 else y
        smooth = alpha * l1_ratio == 0.0 and not settings["positive"]
        with blas_for(X):
            W, found = start_of(self, X, Y, weights, centred, alpha if smooth else None), []
            starts, of_targets = [W] if joint else list(W), self._designs(X, Y, weights, given)
            for design, w in zip(of_targets, starts, strict=True):
                found.append(solve_one(design, l1_ratio, alpha, w, settings))
        intercepts, gaps, sweeps = zip(*found, strict=True)
        coefs, intercepts = W.astype(X.dtype), np.array(intercepts, X.dtype).reshape(-1)
        check_result(self, coefs, intercepts)
        validation.store_features(self, X.shape[1], names)
        self.coef_ = coefs if joint or len(coefs) > 1 else coefs[0]
        self.intercept_ = intercepts[0] if y.ndim == 1 else intercepts
        if not centred:
            self.intercept_ = 0.0
        single = len(starts) == 1
        self.dual_gap_ = gaps[0] if single else np.array(gaps)
        self.n_iter_ = sweeps[0] if single else list(sweeps)
        if joint:
            self.eps_ = tol * design.target_square / X.shape[0]
        return self

    def _designs(self, X, Y, weights, given):
        """Yield the design of each target in turn, or of all together."""
        centred, tol = given.fit_intercept, given.tol
        if is_chunked(X):
            yield from designs_of_chunks(self, X, Y, weights, centred)
            return
        design = make_design(self, X, Y if self._joint else Y[:, 0], weights, centred, tol)
        if not self._joint:
            with_gram(self, design, given.precompute, centred, tol, single=True)
        yield design
        for target in () if self._joint else Y.T[1:]:
            design = design.retarget(target)  # the columns that are in use stay loaded
            check_squares(self, design)
            yield design

    def _check_targets(self, y, n_samples):
        return validation.check_real_targets(self, y, n_samples)


class Lasso(ElasticNet):
    r"""Linear regression with an l1 penalty, which sets coefficients to zero: :eq:`eq-lasso`.

    The coefficients minimise

    .. math:: \frac{1}{2 n} \Vert y - X w \Vert^2 + \alpha \, \Vert w \Vert_1,

    where :math:`n` is the number of samples and :math:`\alpha` is `alpha`. The intercept is not
    penalised.

    Parameters
    ----------
    alpha : float, default=1.0
        Strength of the penalty, not negative. 0 is least squares, for which
        :class:`LinearRegression` is the better tool.
    fit_intercept : bool, default=True
        Whether to fit an intercept. Without one the data should be centred.
    precompute : bool or array-like of shape (n_features, n_features), default=False
        Whether to begin with all products of two columns, or these products themselves, of centred
        columns if there is an intercept. Not used for sparse data.
    copy_X : bool, default=True
        Accepted; `X` is never changed.
    max_iter : int or None, default=1000
        Largest number of sweeps of coordinate descent, over all working sets together; None: 1000.
    tol : float, default=1e-4
        The solver stops when the duality gap is at most `tol` times ``||y||^2 / n_samples``, of
        centred `y` if there is an intercept, and no coefficient would change by more than a tenth
        of `tol` of the largest. Most solutions are exact then: near the end, the equations of the
        coefficients that are not zero are solved.
    warm_start : bool, default=False
        Begin from the coefficients of the last call of ``fit``.
    positive : bool, default=False
        Bound the coefficients by zero from below.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the random order with ``selection="random"``.
    selection : {"cyclic", "random"}, default="cyclic"
        Order of the coordinates in a sweep.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,) or (n_targets, n_features)
        Coefficients.
    intercept_ : float or ndarray of shape (n_targets,)
        Intercept.
    sparse_coef_ : sparse array of shape (1, n_features) or (n_targets, n_features)
        The coefficients in CSR form.
    dual_gap_ : float or ndarray of shape (n_targets,)
        Duality gap at the result, in units of the objective.
    n_iter_ : int or list of int
        Sweeps of coordinate descent.
    n_features_in_ : int
        Number of features in ``fit``.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if all are strings.

    Notes
    -----
    See :class:`ElasticNet` for the solver and its cost.

    Examples
    --------
    >>> from litlearn.linear_model import Lasso
    >>> model = Lasso(alpha=0.1).fit([[0, 1], [1, 0], [2, 1]], [0, 1, 2])
    >>> model.coef_.round(2).tolist()
    [0.85, 0.0]
    """

    def __init__(
        self,
        alpha=1.0,
        *,
        fit_intercept=True,
        precompute=False,
        copy_X=True,
        max_iter=1000,
        tol=1e-4,
        warm_start=False,
        positive=False,
        random_state=None,
        selection="cyclic",
    ):
        self._set_as_given(locals())
        self.l1_ratio = 1.0


# ---------------------------------------------------------------------------------------------
# The penalty by cross-validation


def training_design(owner, samples, train, total, rounding, tol):
    """Return the design of training samples, from their moments if known, and the means there."""
    if total is None:
        rows = take_rows(owner, samples, train)
        X = validation.check_array(owner, rows.X, sparse=("csc",), order="any", finite=False)
        design = make_design(owner, X, rows.Y[:, 0], rows.weight, samples.centred, tol)
        return design, design.X_means, design.y_mean
    scale = 1.0
    if samples.weight is not None:
        scale = train.size / samples.weight[train].sum()
    design = _design.GramDesign(
        scale * total.xx, scale * np.diagonal(total.xx), scale * total.xy[:, 0],
        scale * total.yy[0], train.size, rounding,
    )  # fmt: skip
    return design, total.x_mean, total.y_mean[0]


class PathChoice(LinearRegressor):
    """What LassoCV and ElasticNetCV share."""

    _constraints = Table(
        l1_ratio=SHARE | ARRAY,
        eps=Real(f"[{SMALLEST_SHARE}, inf)"),
        alphas=REPEATS | ARRAY,
        precompute=Option("auto") | PRECOMPUTE,
        max_iter=COUNT,
        positive=BOOLEAN,
        random_state=SEED,
        selection=SELECTION,
    )
    sparse_formats = ("csc", "csr")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = False
        return tags

    def fit(self, X, y, sample_weight=None, **params):
        """Choose the penalty by cross-validation, and fit all samples with it.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,)
            Targets.
        sample_weight : float or array-like of shape (n_samples,), default=None
            Weights of the samples, in the fits and in the errors of each fold.
        **params : dict
            Refused: nothing is handed on to `cv`, whose ``split`` gets `X` and `y`.

        Returns
        -------
        self : estimator

        Raises
        ------
        TypeError
            If `X` holds objects that are not numbers.
        ValueError
            If a parameter is out of range, there are `params`, or the data are missing, empty, of
            the wrong shape, or hold NaN or infinity.
        """
        check_no_params(self, params)
        given = validation.check_parameters(self)
        settings, centred, tol = solver_settings(given), given.fit_intercept, given.tol
        ratios = self._check_ratios(vars(given).get("l1_ratio", 1.0))
        names = validation.feature_names(X)
        X = check_columns(self, X)
        y = self._check_target(y, X.shape[0])
        weights = validation.check_sample_weight(self, sample_weight, X.shape[0])
        folds = check_folds(self, self.cv, X, y)
        check_weights(self, weights, folds)
        alphas = check_alphas(self, given.alphas)
        with blas_for(X):
            design = make_design(self, X, y, weights, centred, tol, given.n_jobs)
            grids = self._grids(design, alphas, ratios, given)
            solver = with_gram(self, design, given.precompute, centred, tol, single=False)
            by_products = isinstance(solver, _design.GramDesign)
            samples = moments.Samples(X, y[:, None], weights, centred)
            errors = self._search(samples, design, by_products, folds, (ratios, grids), settings)
            # <choose>: The least mean error over the folds; the strongest penalty wins a tie.
            means = np.array([one.mean(axis=1) for one in errors])
            best_ratio, best_alpha = np.unravel_index(np.argmin(means), means.shape)
            l1_ratio, alpha = ratios[best_ratio], grids[best_ratio][best_alpha]
            # <refit>: All samples, the chosen penalty.
            if by_products:
                design.gram = solver.G
            w = np.zeros(X.shape[1])
            found = solve_one(design, l1_ratio, alpha, w, settings)
        intercept, self.dual_gap_, self.n_iter_ = found
        validation.store_features(self, X.shape[1], names)
        self.coef_ = w.astype(X.dtype)
        self.intercept_ = X.dtype.type(intercept) if centred else 0.0
        self.alpha_ = alpha
        self.alphas_ = grids[0] if len(ratios) == 1 or grids[0] is alphas else np.array(grids)
        self.mse_path_ = np.squeeze(np.array(errors))
        if hasattr(self, "l1_ratio"):
            self.l1_ratio_ = l1_ratio
        return self

    def _check_ratios(self, l1_ratio):
        """Return a list of the shares of the l1 penalty."""
        if np.ndim(l1_ratio) and not len(l1_ratio):
            validation.refuse(self, "l1_ratio", l1_ratio, "a list with at least one number")
        ratios = l1_ratio if np.ndim(l1_ratio) else [l1_ratio]
        return [SHARE.check(self, "l1_ratio", one) for one in ratios]

    def _grids(self, design, alphas, ratios, given):
        """Return the penalties for each share of the l1 penalty."""
        if not isinstance(alphas, int):
            return [alphas] * len(ratios)
        if min(ratios) < SMALLEST_SHARE:
            raise ValueError(
                f"{type(self).__name__}: Automatic alpha grid generation is not supported for "
                f"l1_ratio={min(ratios):g}. Please supply a grid by providing your estimator with "
                "the appropriate `alphas=` argument."
            )
        products = sizes(design, given.positive)
        return [alpha_grid(design.n_samples, products, l1, given.eps, alphas) for l1 in ratios]

    def _search(self, samples, design, by_products, folds, candidates, settings):
        """Return the mean squared errors (n_alphas, n_folds) for each share of the l1 penalty.

        `by_products`: those of the columns of the training samples take their place.
        """
        X, y, weights = samples.X, samples.Y[:, 0], samples.weight
        rows = X.tocsr() if validation.is_sparse(X) else X
        totals = [None] * len(folds)
        if by_products:
            totals = training_moments(self, samples, folds, self.n_jobs)

        def path_errors(f, l1_ratio, alphas, tol):
            train, test = folds[f]
            solver, X_means, y_mean = training_design(
                self, samples, train, totals[f], design.rounding, tol
            )
            path = {**settings, "tol": tol}
            coefs, gaps, _ = solve_path(solver, l1_ratio, alphas, np.zeros(X.shape[1]), **path)
            predicted = rows[test] @ coefs.astype(X.dtype) - X_means @ coefs + y_mean
            part = None if weights is None else weights[test]
            error = np.average((predicted - y[test, None]) ** 2, axis=0, weights=part)
            return error, np.max(gaps / max(solver.target_square, 1e-300)) - tol

        def errors_of(problems, tol):
            found = solve_paths(
                self, lambda a, f: path_errors(f, *problems[a], tol), (len(problems), len(folds))
            )
            errors = [np.stack([error for error, _ in one], axis=1) for one in found]
            return errors, np.array([shortfall for one in found for _, shortfall in one])

        (ratios, grids), tol = candidates, settings["tol"]
        errors, shortfalls = errors_of(list(zip(ratios, grids, strict=True)), tol)
        if shortfalls.max() > 0.0:
            message = (
                f"Objective did not converge in {np.count_nonzero(shortfalls > 0.0)} of "
                f"{shortfalls.size} paths. Duality gap: {shortfalls.max() + tol:.3e} of the "
                f"target's squared norm, tolerance: {tol:.3e}. You might want to increase the "
                "number of iterations."
            )
            validation.warn(ConvergenceWarning(message))
        reached = shortfalls.max() + tol
        refine(errors, ratios, grids, errors_of, reached, design.target_square / X.shape[0])
        return errors

    def _check_target(self, y, n_samples):
        y = validation.flat_if_column(validation.check_real_targets(self, y, n_samples))
        if y.ndim == 2:
            raise ValueError(
                f"{validation.owner_name(self)}: y has shape {y.shape}, expected one target. "
                "Fit the targets one by one."
            )
        return y


class ElasticNetCV(PathChoice):
    """Elastic net :eq:`eq-elastic-net` with its penalty chosen by cross-validation.

    Parameters
    ----------
    l1_ratio : float or array-like, default=0.5
        Share of the l1 penalty, from 0 to 1. From a list the best is chosen.
    eps : float, default=1e-3
        Smallest penalty of an automatic grid divided by the largest.
    alphas : int or array-like, default=100
        Number of penalties in an automatic grid, or the penalties.
    fit_intercept : bool, default=True
        Whether to fit an intercept.
    precompute : "auto", bool or array-like of shape (n_features, n_features), default="auto"
        Whether to begin with all products of two columns; "auto" does if there are more samples
        than features. Those of the training samples are then merged from those of the folds.
    max_iter : int, default=1000
        Largest number of sweeps of coordinate descent for one penalty.
    tol : float, default=1e-4
        See :class:`ElasticNet`.
    cv : int, splitter, iterable or None, default=None
        Number of folds of consecutive samples (None: 5), an object with a method ``split``, or
        pairs of indices of training and test samples.
    copy_X : bool, default=True
        Accepted; `X` is never changed.
    verbose : bool or int, default=0
        Show a progress bar.
    n_jobs : int or None, default=None
        Threads, one fold and `l1_ratio` each. None: all CPUs.
    positive : bool, default=False
        Bound the coefficients by zero from below.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the random order with ``selection="random"``.
    selection : {"cyclic", "random"}, default="cyclic"
        Order of the coordinates in a sweep.

    Attributes
    ----------
    alpha_ : float
        The chosen penalty.
    l1_ratio_ : float
        The chosen share.
    coef_ : ndarray of shape (n_features,)
        Coefficients with them, on all samples.
    intercept_ : float
        Intercept.
    mse_path_ : ndarray of shape (n_alphas, n_folds) or (n_l1_ratio, n_alphas, n_folds)
        Mean squared error on each fold.
    alphas_ : ndarray of shape (n_alphas,) or (n_l1_ratio, n_alphas)
        The penalties, falling.
    dual_gap_ : float
        Duality gap of the final fit.
    n_iter_ : int
        Sweeps of the final fit.
    n_features_in_ : int
        Number of features in ``fit``.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if all are strings.

    Notes
    -----
    Cost: a path for each fold and each `l1_ratio`.

    Examples
    --------
    >>> import numpy as np
    >>> from litlearn.linear_model import ElasticNetCV
    >>> X = np.c_[np.arange(30.0), np.arange(30.0) % 2]
    >>> model = ElasticNetCV(alphas=[0.01, 100.0], cv=3).fit(X, 2 * X[:, 0] + 1)
    >>> print(model.alpha_, model.coef_.round(2).tolist())
    0.01 [2.0, 0.0]
    """

    path = staticmethod(enet_path)

    def __init__(
        self,
        *,
        l1_ratio=0.5,
        eps=1e-3,
        alphas=100,
        fit_intercept=True,
        precompute="auto",
        max_iter=1000,
        tol=1e-4,
        cv=None,
        copy_X=True,
        verbose=0,
        n_jobs=None,
        positive=False,
        random_state=None,
        selection="cyclic",
    ):
        self._set_as_given(locals())


class LassoCV(PathChoice):
    """Lasso :eq:`eq-lasso` with its penalty chosen by cross-validation.

    Parameters
    ----------
    eps : float, default=1e-3
        Smallest penalty of an automatic grid divided by the largest.
    alphas : int or array-like, default=100
        Number of penalties in an automatic grid, or the penalties.
    fit_intercept : bool, default=True
        Whether to fit an intercept.
    precompute : "auto", bool or array-like of shape (n_features, n_features), default="auto"
        Whether to begin with all products of two columns; "auto" does if there are more samples
        than features. Those of the training samples are then merged from those of the folds.
    max_iter : int, default=1000
        Largest number of sweeps of coordinate descent for one penalty.
    tol : float, default=1e-4
        See :class:`Lasso`.
    copy_X : bool, default=True
        Accepted; `X` is never changed.
    cv : int, splitter, iterable or None, default=None
        Number of folds of consecutive samples (None: 5), an object with a method ``split``, or
        pairs of indices of training and test samples.
    verbose : bool or int, default=False
        Show a progress bar.
    n_jobs : int or None, default=None
        Threads, one fold each. None: all CPUs.
    positive : bool, default=False
        Bound the coefficients by zero from below.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the random order with ``selection="random"``.
    selection : {"cyclic", "random"}, default="cyclic"
        Order of the coordinates in a sweep.

    Attributes
    ----------
    alpha_ : float
        The chosen penalty.
    coef_ : ndarray of shape (n_features,)
        Coefficients with it, on all samples.
    intercept_ : float
        Intercept.
    mse_path_ : ndarray of shape (n_alphas, n_folds)
        Mean squared error on each fold.
    alphas_ : ndarray of shape (n_alphas,)
        The penalties, falling.
    dual_gap_ : float
        Duality gap of the final fit.
    n_iter_ : int
        Sweeps of the final fit.
    n_features_in_ : int
        Number of features in ``fit``.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if all are strings.

    Notes
    -----
    Cost: a path for each fold.

    Examples
    --------
    >>> import numpy as np
    >>> from litlearn.linear_model import LassoCV
    >>> X = np.c_[np.arange(30.0), np.arange(30.0) % 2]
    >>> model = LassoCV(alphas=[0.01, 100.0], cv=3).fit(X, 2 * X[:, 0] + 1)
    >>> print(model.alpha_, model.coef_.round(2).tolist())
    0.01 [2.0, 0.0]
    """

    path = staticmethod(lasso_path)

    def __init__(
        self,
        *,
        eps=1e-3,
        alphas=100,
        fit_intercept=True,
        precompute="auto",
        max_iter=1000,
        tol=1e-4,
        copy_X=True,
        cv=None,
        verbose=False,
        n_jobs=None,
        positive=False,
        random_state=None,
        selection="cyclic",
    ):
        self._set_as_given(locals())


# ---------------------------------------------------------------------------------------------
# Several targets at once


class MultiTaskElasticNet(ElasticNet):
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
        centred `Y` if there is an intercept, and no coefficient would change by more than a tenth
        of `tol` of the largest. Most solutions are exact then: near the end, the equations of the
        coefficients that are not zero are solved.
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

    _constraints, _joint = Table(max_iter=COUNT), True
    _fits_chunks = False

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
        self._set_as_given(locals())

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.single_output = False
        return tags

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
        return self._fit(X, y, sample_weight)

    def _check_targets(self, y, n_samples):
        Y = super()._check_targets(y, n_samples)
        if Y.ndim == 1:
            who = type(self).__name__
            raise ValueError(
                f"{who}: For mono-task outputs, use {who[9:]}; expected y with a column a target."
            )
        return Y


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
        self._set_as_given(locals())
        self.l1_ratio = 1.0
