"""Ridge regression: least squares with a penalty on the squared length of the coefficients."""

from typing import NamedTuple

import numpy as np

from litlearn._core import targets, validation
from litlearn._core.base import MultiOutputMixin
from litlearn._core.linear import SPARSE_FORMATS, LinearClassifier, LinearRegressor
from litlearn._core.moments import Samples
from litlearn.linear_model import _least_squares
from litlearn.linear_model._linear_regression import store_linear_function

SOLVERS = ("auto", "svd", "cholesky", "lsqr", "sparse_cg", "sag", "saga", "lbfgs")
WAYS = {"svd": "svd", "lsqr": "lsqr", "sparse_cg": "lsqr"}


class Targets(NamedTuple):
    """What ridge regression is fitted to, and what its estimators have to know of it."""

    Y: np.ndarray  # (n, k)
    weight: np.ndarray | None  # (n,)
    y: np.ndarray  # as a scorer gets it
    ndim: int  # 1: the intercept is a number
    codes: np.ndarray | None  # (n,): classes, of which folds hold equal shares
    attributes: dict  # of the fitted estimator, besides the linear function


class RealTargets(MultiOutputMixin, LinearRegressor):
    """What regressors share: targets as they are."""

    def _targets(self, y, sample_weight, n_samples):
        """Return the checked :class:`Targets`."""
        y = validation.check_real_targets(self, y, n_samples)
        weight = validation.check_sample_weight(self, sample_weight, n_samples)
        return Targets(y.reshape(len(y), -1), weight, y, y.ndim, None, {})


class SignClassifier(LinearClassifier):
    """What classifiers share that are regressions on targets of -1 and +1, one target a class."""

    _multi_label = True

    def _targets(self, y, sample_weight, n_samples):
        """Return the checked :class:`Targets`."""
        coded = targets.encode(self, y, n_samples)
        outputs = [one[codes] for one, codes in zip(coded.classes, coded.codes, strict=True)]
        y = targets.join_outputs(outputs, coded.flat)
        if coded.flat:
            classes, codes = coded.classes[0], coded.codes[0]
            # Two classes need one target: the second against the first.
            positive = codes[:, None] == (np.arange(len(classes)) if len(classes) > 2 else [1])
        else:
            classes, codes = np.arange(y.shape[1]), None
            check_labels(self, y)
            positive = y > 0
        weight = targets.combined_weight(self, sample_weight, self.class_weight, coded)
        attributes = {"classes_": classes, "_multilabel": not coded.flat}
        return Targets(np.where(positive, 1.0, -1.0), weight, y, 2, codes, attributes)

    def predict(self, X):
        """Predict the class with the largest linear function.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_labels)
            Members of ``classes_``. With multilabel targets, 1 for the labels whose function is
            positive, and 0 for the others.
        """
        validation.check_is_fitted(self)
        if self._multilabel:
            scores = self.decision_function(X)
            return (scores.reshape(len(scores), -1) > 0).astype(np.int64)
        if len(self.classes_) == 1:
            return self.classes_[np.zeros(len(self.decision_function(X)), dtype=np.intp)]
        return super().predict(X)


def check_labels(model, y):
    """Refuse a matrix that does not say which sample has which labels."""
    numbers = y.dtype.kind in "biuf"
    both = (-1, 1) if numbers and np.any(y == -1) else (0, 1)
    if not (numbers and np.isin(y, both).all()):
        raise ValueError(
            f"{type(model).__name__}: Multioutput target data is not supported with several "
            "classes an output; a y of two dimensions must be a matrix of zeros and ones, or of "
            "-1 and 1, one column a label."
        )


class Ridge(RealTargets):
    """Least squares with a penalty on the squared length of the coefficients.

    Minimises :eq:`eq-ridge`, the sum of squared errors plus `alpha` times the sum of squared
    coefficients. The intercept is not penalised.

    Parameters
    ----------
    alpha : float or array-like of shape (n_targets,), default=1.0
        Strength of the penalty, not negative; an array has one for each target. 0 is least squares.
    fit_intercept : bool, default=True
        Whether the function has an intercept. Without one it passes through the origin.
    copy_X : bool, default=True
        Has no effect: `X` is never written to.
    max_iter : int, default=None
        Most iterations of LSQR. None: ten for each dimension.
    tol : float, default=1e-4
        Has no effect: the solution is exact up to rounding.
    solver : {"auto", "svd", "cholesky", "lsqr", "sparse_cg", "sag", "saga", "lbfgs"}, \
default="auto"
        The way to the solution, which is the same for all. ``"svd"``, ``"lsqr"`` and
        ``"sparse_cg"`` are taken as asked; the last are both conjugate gradients in the form of
        LSQR. ``"cholesky"`` gives way to the singular values where it would lose digits, and, as
        ``"auto"``, to LSQR for sparse `X` of many features. ``"sag"`` and ``"saga"`` are replaced
        by ``"auto"``, and ``"lbfgs"`` by active sets: their solutions are the limits of the
        former. ``solver_`` says which way was taken. As in scikit-learn, ``"svd"`` takes no sparse
        `X`, and ``"cholesky"`` and ``"saga"`` none with an intercept.
    positive : bool, default=False
        Whether no coefficient may be negative.
    random_state : int, RandomState instance or None, default=None
        Has no effect: nothing is drawn.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,) or (n_targets, n_features)
        Coefficients; float32 if `X` is, otherwise float64.
    intercept_ : float or ndarray of shape (n_targets,)
        Intercept, 0.0 without one.
    n_iter_ : ndarray of shape (n_targets,)
        Iterations of the solver. A factorisation counts as one.
    solver_ : {"cholesky", "svd", "lsqr", "sparse_cg", "active_set"}
        The way that was taken, which `solver` need not name.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if `X` was a data frame with string names.

    Notes
    -----
    Cost: O(n p min(n, p)), one pass over the samples, and memory for a matrix of the smaller
    dimension: :eq:`eq-ridge-solution` for p <= n, :eq:`eq-ridge-dual` otherwise. See
    :cite:t:`hoerl_ridge_1970`.

    Examples
    --------
    >>> from litlearn.linear_model import Ridge
    >>> model = Ridge(alpha=2.0).fit([[0], [1], [2]], [1, 3, 5])
    >>> print(model.coef_.round(6), round(float(model.intercept_), 6))
    [1.] 2.0
    """

    sparse_formats = SPARSE_FORMATS

    def __init__(
        self,
        alpha=1.0,
        *,
        fit_intercept=True,
        copy_X=True,
        max_iter=None,
        tol=1e-4,
        solver="auto",
        positive=False,
        random_state=None,
    ):
        self._set_as_given(locals())

    def fit(self, X, y, sample_weight=None):
        """Find the coefficients.

        Parameters
        ----------
        X : array-like or sparse array of shape (n_samples, n_features)
            Samples. Sparse ones are used as CSR or CSC.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Targets, real numbers.
        sample_weight : float or array-like of shape (n_samples,), default=None
            Factors of the squared errors.

        Returns
        -------
        self : estimator

        Raises
        ------
        TypeError
            If `X` or `y` holds objects that are not numbers.
        ValueError
            If a parameter is out of range, or `X`, `y` or `sample_weight` is missing, empty, of the
            wrong shape, or holds NaN or infinity.
        """
        return fit_ridge(self, X, y, sample_weight)


def check_ridge_parameters(model):
    """Check what Ridge and RidgeClassifier have in common."""
    for name in ("fit_intercept", "copy_X", "positive"):
        validation.check_boolean(model, name, getattr(model, name))
    validation.check_integer(model, "max_iter", model.max_iter, low=1, allow_none=True)
    validation.check_real(model, "tol", model.tol, low=0.0)
    validation.check_option(model, "solver", model.solver, SOLVERS)
    validation.check_random_state(model, model.random_state)
    who = type(model).__name__
    if model.positive and model.solver not in ("auto", "lbfgs"):
        raise ValueError(
            f"{who}: solver={model.solver!r} does not support positive fitting. Set the 'solver' "
            "parameter to 'auto' or 'lbfgs', or set positive=False."
        )
    if model.solver == "lbfgs" and not model.positive:
        raise ValueError(f"{who}: 'lbfgs' solver can be used only when positive=True.")


def refuse_sparse(model):
    """Refuse sparse samples where scikit-learn's solver of that name takes none."""
    who, solver = type(model).__name__, model.solver
    if model.fit_intercept and solver in ("svd", "cholesky", "saga"):
        raise ValueError(
            f"{who}: solver={solver!r} does not support fitting the intercept on sparse data. "
            "Please set the solver to 'auto', 'lsqr' or 'sparse_cg', or set fit_intercept=False."
        )
    if solver == "svd":
        raise TypeError(f"{who}: SVD solver does not support sparse inputs currently.")


def fit_ridge(model, X, y, sample_weight):
    """Check what is given, solve, and store what was found: of either estimator."""
    check_ridge_parameters(model)
    names = validation.feature_names(X)
    X = validation.check_array(model, X, order="any", sparse=model.sparse_formats)
    prepared = model._targets(y, sample_weight, X.shape[0])
    if not isinstance(X, np.ndarray):
        refuse_sparse(model)
    samples, k = Samples(X, prepared.Y, prepared.weight, model.fit_intercept), prepared.Y.shape[1]
    alpha = validation.check_penalties(model, model.alpha, k)
    way = "positive" if model.positive else WAYS.get(model.solver, "auto")
    solution = _least_squares.solve(model, samples, alpha, max_iter=model.max_iter, way=way)
    store_linear_function(model, solution, X.dtype, k == 1, prepared.ndim)
    vars(model).update(prepared.attributes)
    model.n_iter_ = solution.n_iter
    model.solver_ = "sparse_cg" if model.solver == "sparse_cg" else solution.solver
    validation.store_features(model, X.shape[1], names)
    return model


class RidgeClassifier(SignClassifier):
    """Ridge regression on targets of -1 and +1, one target a class.

    With two classes the target is +1 for the second and -1 for the first. With more there is one
    target for each class, +1 for its members, and the largest prediction wins. See
    :class:`Ridge` for the objective, :eq:`eq-ridge`.

    Parameters
    ----------
    alpha : float, default=1.0
        Strength of the penalty, not negative. An array has one for each target.
    fit_intercept : bool, default=True
        Whether the function has an intercept.
    copy_X : bool, default=True
        Has no effect: `X` is never written to.
    max_iter : int, default=None
        Most iterations of LSQR. None: ten for each dimension.
    tol : float, default=1e-4
        Has no effect: the solution is exact up to rounding.
    class_weight : dict or "balanced", default=None
        Weights of the classes, by which those of their samples are multiplied. ``"balanced"``: each
        class weighs the same in total.
    solver : {"auto", "svd", "cholesky", "lsqr", "sparse_cg", "sag", "saga", "lbfgs"}, \
default="auto"
        As in :class:`Ridge`: a way to the same solution.
    positive : bool, default=False
        Whether no coefficient may be negative.
    random_state : int, RandomState instance or None, default=None
        Has no effect: nothing is drawn.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,) or (n_classes, n_features)
        Coefficients, a vector for two classes; float32 if `X` is, otherwise float64.
    intercept_ : float or ndarray of shape (1,) or (n_classes,)
        Intercept, 0.0 without one.
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted; for multilabel targets, the numbers of the labels.
    n_iter_ : ndarray of shape (n_targets,)
        Iterations of the solver. A factorisation counts as one.
    solver_ : {"cholesky", "svd", "lsqr", "sparse_cg", "active_set"}
        The way that was taken, which `solver` need not name.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if `X` was a data frame with string names.

    Notes
    -----
    Cost: as :class:`Ridge`, whatever the number of classes: they share the factorisation.

    Examples
    --------
    >>> from litlearn.linear_model import RidgeClassifier
    >>> model = RidgeClassifier().fit([[0], [1], [2], [3]], ["well", "well", "ill", "ill"])
    >>> print(model.predict([[0.5], [2.5]]))
    ['well' 'ill']
    """

    sparse_formats = SPARSE_FORMATS

    def __init__(
        self,
        alpha=1.0,
        *,
        fit_intercept=True,
        copy_X=True,
        max_iter=None,
        tol=1e-4,
        class_weight=None,
        solver="auto",
        positive=False,
        random_state=None,
    ):
        self._set_as_given(locals())

    def fit(self, X, y, sample_weight=None):
        """Find the coefficients.

        Parameters
        ----------
        X : array-like or sparse array of shape (n_samples, n_features)
            Samples. Sparse ones are used as CSR or CSC.
        y : array-like of shape (n_samples,) or (n_samples, n_labels)
            Classes. A matrix of zeros and ones says of each label whether the sample has it.
        sample_weight : float or array-like of shape (n_samples,), default=None
            Factors of the squared errors.

        Returns
        -------
        self : estimator

        Raises
        ------
        TypeError
            If `X` or `y` holds objects that cannot be used.
        ValueError
            If a parameter is out of range, or `X`, `y` or `sample_weight` is missing, empty, of the
            wrong shape, or holds NaN or infinity.
        """
        return fit_ridge(self, X, y, sample_weight)
