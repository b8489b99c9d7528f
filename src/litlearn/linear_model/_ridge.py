"""Ridge regression, and its classifier: with a given penalty, and with one that is chosen."""

from typing import NamedTuple

import numpy as np

from litlearn._core import targets, validation
from litlearn._core.base import MultiOutputMixin
from litlearn._core.chunked import look_up
from litlearn._core.constraints import ANY_REAL, ARRAY, BOOLEAN, COUNT, Option, Table
from litlearn._core.linear import (
    SPARSE_FORMATS,
    LinearClassifier,
    LinearModel,
    LinearRegressor,
    store_linear_function,
)
from litlearn._core.moments import Samples
from litlearn.linear_model import _least_squares
from litlearn.linear_model._choice import (
    SCORING,
    are_folds,
    check_folds,
    score,
    scorer_of,
    take_rows,
    training_moments,
)
from litlearn.linear_model._leave_one_out import leave_one_out
from litlearn.linear_model._normal_equations import LeastSquares, by_penalty, unscaled_solution

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
        outputs = [look_up(*pair) for pair in zip(coded.classes, coded.codes, strict=True)]
        y = targets.join_outputs(outputs, coded.flat)
        if coded.flat:
            classes, codes = coded.classes[0], coded.codes[0]
            # Two classes need one target: the second against the first.
            positive = codes[:, None] == (np.arange(len(classes)) if len(classes) > 2 else [1])
        else:
            classes, codes = np.arange(y.shape[1]), None
            check_label_matrix(self, y)
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


def check_label_matrix(model, y):
    """Refuse a matrix that does not say which sample has which labels."""
    numbers = y.dtype.kind in "biuf"
    both = (-1, 1) if numbers and np.any(y == -1) else (0, 1)
    if not (numbers and np.isin(y, both).all()):
        raise ValueError(
            f"{type(model).__name__}: Multioutput target data is not supported with several "
            "classes an output; a y of two dimensions must be a matrix of zeros and ones, or of "
            "-1 and 1, one column a label."
        )


class RidgeModel(LinearModel):
    """What ridge regression and its classifier share: parameters, and the fit."""

    _constraints = Table(
        max_iter=COUNT | None,
        solver=Option("auto", "svd", "cholesky", "lsqr", "sparse_cg", "sag", "saga", "lbfgs"),
        positive=BOOLEAN,
    )
    sparse_formats = SPARSE_FORMATS
    _fits_chunks = True

    def _fit(self, X, y, sample_weight):
        """Check what is given, solve, and store what was found."""
        given = validation.check_parameters(self)
        self._check_solver(given)
        names = validation.feature_names(X)
        X = validation.check_array(self, X, order="any", sparse=self.sparse_formats, finite=False)
        prepared = self._targets(y, sample_weight, X.shape[0])
        if validation.is_sparse(X):
            self._refuse_sparse(given)
        known = not isinstance(X, np.ndarray)  # to be finite; of an array the sums will tell
        samples = Samples(X, prepared.Y, prepared.weight, given.fit_intercept, finite=known)
        k = samples.Y.shape[1]
        alpha = validation.check_penalties(self, self.alpha, k)
        way = "positive" if given.positive else WAYS.get(given.solver, "auto")
        solution = _least_squares.solve_least_squares(
            self, samples, alpha, max_iter=given.max_iter, way=way
        )
        store_linear_function(self, solution, X.dtype, k == 1, prepared.ndim)
        vars(self).update(prepared.attributes)
        self.n_iter_ = solution.n_iter
        self.solver_ = "sparse_cg" if given.solver == "sparse_cg" else solution.solver
        validation.store_features(self, X.shape[1], names)
        return self

    def _check_solver(self, given):
        """Refuse a solver that does not fit the bound of the coefficients, or does without one."""
        who = type(self).__name__
        if given.positive and given.solver not in ("auto", "lbfgs"):
            raise ValueError(
                f"{who}: solver={given.solver!r} does not support positive fitting. Set the "
                "'solver' parameter to 'auto' or 'lbfgs', or set positive=False."
            )
        if given.solver == "lbfgs" and not given.positive:
            raise ValueError(f"{who}: 'lbfgs' solver can be used only when positive=True.")

    def _refuse_sparse(self, given):
        """Refuse sparse samples where scikit-learn's solver of that name takes none."""
        who, solver = type(self).__name__, given.solver
        if given.fit_intercept and solver in ("svd", "cholesky", "saga"):
            raise ValueError(
                f"{who}: solver={solver!r} does not support fitting the intercept on sparse data. "
                "Please set the solver to 'auto', 'lsqr' or 'sparse_cg', or set "
                "fit_intercept=False."
            )
        if solver == "svd":
            raise TypeError(f"{who}: SVD solver does not support sparse inputs currently.")


class Ridge(RidgeModel, RealTargets):
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
    max_iter : int or None, default=None
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
    random_state : int, RandomState, Generator or None, default=None
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
        return self._fit(X, y, sample_weight)


class RidgeClassifier(RidgeModel, SignClassifier):
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
    max_iter : int or None, default=None
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
    random_state : int, RandomState, Generator or None, default=None
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
        return self._fit(X, y, sample_weight)


# ---------------------------------------------------------------------------------------------
# The penalty by cross-validation


def fold_solutions(owner, samples, alphas, folds):
    """Return :class:`LeastSquares` for the training rows of each fold.

    Its targets are the k targets under the first of the penalties (a,), then under the second, and
    so on.
    """
    (n, p), k, a = samples.X.shape, samples.Y.shape[1], len(alphas)
    penalties, totals = np.repeat(alphas, k), [None] * len(folds)
    if p <= n // 2 and are_folds(n, folds):
        totals = training_moments(owner, samples, folds)

    def solve(total, train):
        if total is not None:
            total = total._replace(xy=np.tile(total.xy, a), y_mean=np.tile(total.y_mean, a))
            coef = by_penalty(total.xx, total.xy, penalties)
            if coef is not None:
                return unscaled_solution(samples, total, coef, "cholesky")
        rows = take_rows(owner, samples, train)
        rows = rows._replace(Y=np.ascontiguousarray(np.tile(rows.Y, a)))
        return _least_squares.solve_least_squares(owner, rows, penalties)

    return [solve(total, train) for total, (train, _) in zip(totals, folds, strict=True)]


class PenaltyChoice(LinearModel):
    """Chooses among penalties: leaves out one sample at a time, or folds.

    A subclass names the estimator of one penalty, `single`, and the fewest samples that the score
    of that one is defined for.
    """

    _constraints = Table(
        alphas=ANY_REAL | ARRAY,
        scoring=SCORING,
        gcv_mode=Option("auto", "svd", "eigen") | None,
        store_cv_results=BOOLEAN,
        alpha_per_target=BOOLEAN,
    )
    sparse_formats = SPARSE_FORMATS
    gcv_mode = None
    alpha_per_target = False
    fewest = 1

    def _check_parameters(self):
        """Check the parameters; return the penalties: 0 is one of them only with folds."""
        alphas = validation.check_parameters(self).alphas
        for name in ("store_cv_results", "alpha_per_target"):
            if self.cv is not None and getattr(self, name):
                who = type(self).__name__
                raise ValueError(f"{who}: cv!=None and {name}=True are incompatible.")
        if np.ndim(alphas) > 1 or np.size(alphas) == 0:
            validation.refuse(self, "alphas", alphas, "a float or an array-like of floats")
        alphas = alphas if np.ndim(alphas) else [alphas]
        return validation.check_listed_penalties(self, alphas, allow_zero=self.cv is not None)

    def _check_samples(self, X):
        """Return checked samples, sparse ones in the format that will be read."""
        X = validation.check_array(self, X, order="any", sparse=self.sparse_formats)
        if not isinstance(X, np.ndarray):
            if self.gcv_mode == "svd" and self.cv is None:
                message = (
                    f"{type(self).__name__}: The 'svd' mode is not supported for sparse X; the "
                    "products of its rows or columns are decomposed. Choose gcv_mode='eigen'."
                )
                validation.warn(FutureWarning(message))
            X = X.tocsc() if X.shape[1] >= X.shape[0] and self.cv is None else X.tocsr()
        if X.shape[0] < 2:
            raise ValueError(
                f"Found array with 1 sample(s) (shape={X.shape}) while a minimum of 2 is required "
                f"by {type(self).__name__}."
            )
        return X

    def _fit(self, X, y, sample_weight):
        """Check what is given, choose, and store the penalty and the linear function."""
        alphas = self._check_parameters()
        names = validation.feature_names(X)
        X = self._check_samples(X)
        targets = self._targets(y, sample_weight, X.shape[0])
        samples = Samples(X, targets.Y, targets.weight, self.fit_intercept)
        way = self._leave_one_out if self.cv is None else self._leave_out_folds
        scores, solve, kept = way(samples, alphas, targets)
        # <choose>: The largest score wins; of equal ones, the first.
        best = np.argmax(np.where(np.isfinite(scores), scores, -np.inf), axis=1)
        chosen, top = alphas[best], scores[np.arange(len(best)), best]
        # <refit>: All samples, the chosen penalties.
        k, together = samples.Y.shape[1], not self.alpha_per_target
        store_linear_function(
            self, solve(np.broadcast_to(chosen, k)), X.dtype, k == 1, targets.ndim
        )
        self.alpha_ = float(chosen[0]) if together or k == 1 else chosen
        self.best_score_ = float(top[0]) if together or targets.ndim == 1 else top
        vars(self).update(targets.attributes)
        vars(self).pop("cv_results_", None)
        if self.store_cv_results:
            kept = kept[:, 0] if targets.ndim == 1 else kept
            self.cv_results_ = kept.astype(X.dtype, copy=False)
        validation.store_features(self, X.shape[1], names)
        return self

    def _model(self, solution, dtype, flat, targets, **penalty):
        """Return the estimator of one penalty with a given linear function, for a scorer."""
        model = self.single(fit_intercept=self.fit_intercept, **penalty)
        vars(model).update(targets.attributes)
        validation.store_features(model, len(solution.coef), None)
        store_linear_function(model, solution, dtype, flat, targets.ndim)
        return model

    def _leave_one_out(self, samples, alphas, targets):
        """Return the scores (1 or k, a) of samples left out, how to solve, and what is kept."""
        n, k = samples.Y.shape
        keep = self.store_cv_results or self.scoring is not None
        kept = np.empty((n, k, len(alphas))) if keep else None

        def visit(start, stop, left_out, root):
            squared = left_out**2
            if self.scoring is not None:
                root = np.where(root > 0.0, root, 1.0)[:, None, None]
                kept[start:stop] = samples.Y[start:stop, :, None] - left_out / root
            elif keep:
                kept[start:stop] = squared
            return squared.sum(axis=0)

        sums, solve = leave_one_out(samples, alphas, visit)
        if self.scoring is not None:
            return self._scores_of_predictions(kept, targets), solve, kept
        scores = -sum(sums) / n  # (k, a)
        if not self.alpha_per_target:
            scores = scores.mean(axis=0, keepdims=True)
        return scores, solve, kept

    def _scores_of_predictions(self, predictions, targets):
        """Return the scores (1 or k, a) of the predictions (n, k, a) of samples left out.

        The scorer gets a model that predicts what it is given: its coefficients are an identity.
        """
        scorer, parts, scores = scorer_of(self), [(predictions, targets.y)], []
        if self.alpha_per_target:
            parts = [(predictions[:, [t]], y) for t, y in enumerate(targets.Y.T)]
        for part, y in parts:
            k = part.shape[1]
            identity = LeastSquares(np.eye(k), np.zeros(k), np.zeros(k), "none", np.zeros(k))
            model = self._model(identity, np.float64, y.ndim == 1 and k == 1, targets)
            each = np.moveaxis(part, 2, 0)
            scores.append([score(self, scorer, model, one, y, targets.weight) for one in each])
        return np.array(scores)

    def _leave_out_folds(self, samples, alphas, targets):
        """Return the mean scores (1, a) on the test rows of folds, how to solve, and None."""
        folds = check_folds(self, self.cv, samples.X, targets.y, targets.codes)
        solutions, scorer = fold_solutions(self, samples, alphas, folds), scorer_of(self)
        k, scores = samples.Y.shape[1], np.full((len(folds), len(alphas)), np.nan)
        for f, (_, test) in enumerate(folds):
            if self.scoring is None and len(test) < self.fewest:
                continue
            X, y, found = samples.X[test], targets.y[test], solutions[f]
            weight = None if samples.weight is None else samples.weight[test]
            for i, alpha in enumerate(alphas):
                own = slice(i * k, (i + 1) * k)
                one = found._replace(coef=found.coef[:, own], y_mean=found.y_mean[own])
                model = self._model(one, X.dtype, k == 1, targets, alpha=alpha)
                scores[f, i] = score(self, scorer, model, X, y, weight)
        means = scores.mean(axis=0)
        if not np.isfinite(means).all():  # such as R^2 of a fold with one sample
            message = (
                f"{type(self).__name__}: One or more of the test scores are non-finite: {means}."
            )
            validation.warn(UserWarning(message))
        return (
            means[None],
            lambda alpha: _least_squares.solve_least_squares(self, samples, alpha),
            None,
        )


class RidgeCV(PenaltyChoice, RealTargets):
    """Ridge regression whose penalty is chosen by cross-validation.

    By default each sample is predicted by the model fitted to all others. That takes one
    decomposition in all, :eq:`eq-ridge-loo`.

    Parameters
    ----------
    alphas : float or array-like of shape (n_alphas,), default=(0.1, 1.0, 10.0)
        Penalties to choose from; positive, or, with `cv`, not negative.
    fit_intercept : bool, default=True
        Whether the function has an intercept, fitted anew for each sample left out.
    scoring : str or callable, default=None
        What to maximise: a name of scikit-learn's, or a callable
        ``scorer(estimator, X, y)``; either needs scikit-learn loaded. None: minus the mean
        squared error, and with `cv` the coefficient of determination.
    cv : int, splitter or iterable, default=None
        None leaves out one sample at a time. An int is a number of folds of consecutive
        rows; otherwise an object with a method ``split``, or pairs of arrays of training and test
        rows.
    gcv_mode : {"auto", "svd", "eigen"} or None, default=None
        Accepted, and without effect: the decomposition is chosen by shape and conditioning, and the
        penalty and the coefficients are those of each. ``"svd"`` with sparse `X` warns, as
        scikit-learn will refuse it.
    store_cv_results : bool, default=False
        Whether to keep what was computed for each sample and penalty; only without `cv`.
    alpha_per_target : bool, default=False
        Whether each target has a penalty of its own; only without `cv`.

    Attributes
    ----------
    alpha_ : float or ndarray of shape (n_targets,)
        The penalty chosen. Of equally good ones, the first.
    best_score_ : float or ndarray of shape (n_targets,)
        Its score.
    coef_ : ndarray of shape (n_features,) or (n_targets, n_features)
        Coefficients of the fit to all samples; float32 if `X` is, otherwise float64.
    intercept_ : float or ndarray of shape (n_targets,)
        Intercept, 0.0 without one.
    cv_results_ : ndarray of shape (n_samples, n_alphas) or (n_samples, n_targets, n_alphas)
        With `store_cv_results`: the squared errors of the samples left out, times their weights;
        their predictions if `scoring` is given.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if `X` was a data frame with string names.

    Notes
    -----
    Cost without `cv`: O(n p min(n, p)) for the decomposition and O(n p) for each penalty and
    target. With `cv`, each fold's statistics are computed once, and training sets are merged from
    them. See :cite:t:`golub_generalized_1979`.

    Examples
    --------
    >>> import numpy as np
    >>> from litlearn.linear_model import RidgeCV
    >>> X = np.arange(8.0)[:, None]
    >>> model = RidgeCV(alphas=[0.01, 1.0, 100.0]).fit(X, 2 * X[:, 0] + 1)
    >>> print(model.alpha_)
    0.01
    """

    single, fewest = Ridge, 2

    def __init__(
        self,
        alphas=(0.1, 1.0, 10.0),
        *,
        fit_intercept=True,
        scoring=None,
        cv=None,
        gcv_mode=None,
        store_cv_results=False,
        alpha_per_target=False,
    ):
        self._set_as_given(locals())

    def fit(self, X, y, sample_weight=None):
        """Choose the penalty, and find the coefficients with it.

        Parameters
        ----------
        X : array-like or sparse array of shape (n_samples, n_features)
            Samples. Of sparse ones, a block of rows or columns at a time is made dense.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Targets, real numbers.
        sample_weight : float or array-like of shape (n_samples,), default=None
            Factors of the squared errors, in the fits and in the scores.

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
        return self._fit(X, y, sample_weight)


class RidgeClassifierCV(PenaltyChoice, SignClassifier):
    """Ridge regression on targets of -1 and +1, whose penalty is chosen by cross-validation.

    By default each sample is predicted by the model fitted to all others, and the penalty with the
    least squared error wins. That takes one decomposition in all, :eq:`eq-ridge-loo`, whatever the
    number of classes. See :class:`RidgeClassifier` and :class:`RidgeCV`.

    Parameters
    ----------
    alphas : float or array-like of shape (n_alphas,), default=(0.1, 1.0, 10.0)
        Penalties to choose from; positive, or, with `cv`, not negative.
    fit_intercept : bool, default=True
        Whether the functions have intercepts, fitted anew for each sample left out.
    scoring : str or callable, default=None
        What to maximise: a name of scikit-learn's, or a callable
        ``scorer(estimator, X, y)``; either needs scikit-learn loaded. None: minus the mean
        squared error of the targets, and with `cv` the accuracy.
    cv : int, splitter or iterable, default=None
        None leaves out one sample at a time. An int is a number of folds that hold the classes in
        equal shares; otherwise an object with a method ``split``, or pairs of arrays of training
        and test rows.
    class_weight : dict or "balanced", default=None
        Weights of the classes, by which those of their samples are multiplied. ``"balanced"``: each
        class weighs the same in total.
    store_cv_results : bool, default=False
        Whether to keep what was computed for each sample and penalty; only without `cv`.

    Attributes
    ----------
    alpha_ : float
        The penalty chosen. Of equally good ones, the first.
    best_score_ : float
        Its score.
    coef_ : ndarray of shape (n_features,) or (n_classes, n_features)
        Coefficients of the fit to all samples, a vector for two classes; float32 if `X` is,
        otherwise float64.
    intercept_ : float or ndarray of shape (1,) or (n_classes,)
        Intercept, 0.0 without one.
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted; for multilabel targets, the numbers of the labels.
    cv_results_ : ndarray of shape (n_samples, n_targets, n_alphas)
        With `store_cv_results`: the squared errors of the samples left out, times their weights;
        their linear functions if `scoring` is given. Two classes are one target.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if `X` was a data frame with string names.

    Notes
    -----
    Cost: as :class:`RidgeCV` with one target for each class. See :cite:t:`golub_generalized_1979`.

    Examples
    --------
    >>> import numpy as np
    >>> from litlearn.linear_model import RidgeClassifierCV
    >>> X = np.arange(8.0)[:, None]
    >>> model = RidgeClassifierCV(alphas=[1.0, 1e4]).fit(X, X[:, 0] > 3)
    >>> print(model.alpha_, model.score(X, X[:, 0] > 3))
    1.0 1.0
    """

    single = RidgeClassifier

    def __init__(
        self,
        alphas=(0.1, 1.0, 10.0),
        *,
        fit_intercept=True,
        scoring=None,
        cv=None,
        class_weight=None,
        store_cv_results=False,
    ):
        self._set_as_given(locals())

    def fit(self, X, y, sample_weight=None):
        """Choose the penalty, and find the coefficients with it.

        Parameters
        ----------
        X : array-like or sparse array of shape (n_samples, n_features)
            Samples. Of sparse ones, a block of rows or columns at a time is made dense.
        y : array-like of shape (n_samples,) or (n_samples, n_labels)
            Classes. A matrix of zeros and ones says of each label whether the sample has it.
        sample_weight : float or array-like of shape (n_samples,), default=None
            Factors of the squared errors, in the fits and in the scores.

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
        return self._fit(X, y, sample_weight)
