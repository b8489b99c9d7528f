"""Lasso and elastic net for several targets at once, which choose the same features.

The objective is, for the weighted and centred data that a *design* stands for,

    ||Y - X W||^2 / 2 + alpha sum_j ||w_j|| + beta ||W||^2 / 2,

where w_j, a row of W, holds the coefficients of feature j for all targets. Its length is penalised,
not its square and not its entries: a feature is in use for all targets, or for none.

The algorithm is that of ``_coordinate_descent.py``, where several targets have lengths for absolute
values.

Sources: Yuan and Lin (2006) for blocks of coefficients, Obozinski, Taskar and Jordan (2010) for
several targets, Massias, Vaiter, Gramfort and Salmon (2020) for the gap and the working sets.
"""

from litlearn.linear_model._lasso import ElasticNet


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

    _joint = True

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
