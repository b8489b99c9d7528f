"""Ridge regression, and its classifier, with a penalty chosen by cross-validation.

Leaving out one sample changes the solution in a way that a formula tells, :eq:`eq-ridge-loo`. So
one decomposition gives the errors of n models that are never fitted, for every penalty at once.
"""

import itertools

import numpy as np

from litlearn._core import factors, moments, validation
from litlearn._core.linear import SPARSE_FORMATS, LinearModel
from litlearn._core.moments import Samples
from litlearn._core.parallel import PIECE, cut, map_blocks
from litlearn.linear_model import _gram, _least_squares
from litlearn.linear_model._folds import check_folds, check_score, named_scorer
from litlearn.linear_model._least_squares import Solution
from litlearn.linear_model._linear_regression import store_linear_function
from litlearn.linear_model._ridge import RealTargets, Ridge, RidgeClassifier, SignClassifier

# ---------------------------------------------------------------------------------------------
# Leave one out


def leave_one_out(samples, alphas, visit):
    """Compute each sample's error under the model fitted to all others, for each penalty.

    Parameters
    ----------
    samples : Samples
        Data, (n, p) and (n, k).
    alphas : ndarray of shape (a,)
        Penalties, positive.
    visit : callable
        Gets the first and the last row of a block, its errors (rows, k, a), each times the root of
        the sample's weight, and those roots (rows,). What it returns is collected in a list.

    Returns
    -------
    visited : list
    solve : callable
        Takes penalties (k,), one for each target, and returns a :class:`Solution`.
    """
    n, p = samples.X.shape
    one_side = leave_one_out_wide if p >= n else leave_one_out_tall
    with np.errstate(over="ignore", invalid="ignore", divide="ignore", under="ignore"):
        return one_side(samples, alphas, visit)


def leave_one_out_tall(samples, alphas, visit):
    """More samples than features: the errors over one minus the leverages."""
    n, p = samples.X.shape
    total = moments.moments(samples)
    # <decompose>: Singular values and right singular vectors of the samples. From the scatter
    # matrix, if the penalties hide the digits that squaring costs.
    s2, V = factors.semidefinite_eigen(total.xx)
    if alphas.min() > 1e-10 * s2[-1]:
        projected = V.T @ total.xy  # S U'y
    else:
        R, C = _gram.triangular_factor(samples, total)
        U, singular, Vt = _least_squares.svd(R)
        s2, V = singular**2, Vt.T
        projected = singular[:, None] * (U.T @ C)
    # <shrink>: In these coordinates, ridge divides by s^2 + alpha.
    shrunk = 1.0 / (s2[:, None] + alphas)  # (p, a)
    W = (projected[:, :, None] * shrunk[:, None, :]).reshape(p, -1)  # (p, k * a)
    centres = (total.x_mean, total.y_mean) if samples.centred else (None, None)
    blocks = cut(n, min(moments.rows_per_block(n, p), PIECE // p**2))

    def errors(b):
        Z, T, root = moments.weighted_deviations(samples, blocks[b], *centres)
        # <leverage>: The diagonal of the hat matrix, without forming it.
        M = Z @ V
        leverage = (M * M) @ shrunk
        if samples.centred:
            leverage += (root**2 / total.weight)[:, None]
        residual = T[:, :, None] - (M @ W).reshape(len(T), T.shape[1], -1)
        # <leave one out>: Each residual grows by what the sample itself had pulled in.
        left_out = residual / (1.0 - leverage)[:, None, :]
        return visit(blocks[b].start, blocks[b].stop, left_out, root)

    def solve(alpha):
        coef = V @ (projected / (s2[:, None] + alpha))
        return _least_squares.finish(samples, total, coef, "cholesky")

    return map_blocks(errors, len(blocks)), solve


def leave_one_out_wide(samples, alphas, visit):
    """No more samples than features: the same from the products of all pairs of rows."""
    rows = _gram.row_products(samples)
    K, T, root, n = rows.xx, rows.xy, rows.root, len(rows.xx)
    # <deflate>: Centred rows sum to zero: one direction of K is known, and has no part.
    ones = root / np.linalg.norm(root)
    level = max(np.trace(K) / n, np.finfo(np.float64).tiny)
    if samples.centred:
        K += np.multiply.outer(level * ones, ones)
    e, Q = factors.semidefinite_eigen(K)
    projected = Q.T @ T
    # <dual>: The error of a sample left out is its dual coefficient over its entry on the diagonal
    # of the inverse; nothing is subtracted that could cancel.
    inverse = (Q * Q) @ (1.0 / (e[:, None] + alphas))  # (n, a)
    if samples.centred:
        inverse -= np.multiply.outer(ones**2, 1.0 / (level + alphas))
    k, a = T.shape[1], len(alphas)
    scaled = projected[:, :, None] / (e[:, None, None] + alphas)
    dual = (Q @ scaled.reshape(n, k * a)).reshape(n, k, a)
    left_out = dual / inverse[:, None, :]

    def solve(alpha):
        A = Q @ (projected / (e[:, None] + alpha))
        coef = _gram.combine_rows(samples, rows, A)
        return _least_squares.finish(samples, rows, coef, "cholesky")

    return [visit(0, n, left_out, root)], solve


# ---------------------------------------------------------------------------------------------
# Folds


def fold_solutions(owner, samples, alphas, splits):
    """Fit each penalty on the training rows of each split.

    Parameters
    ----------
    owner : estimator
        Named in warnings.
    samples : Samples
    alphas : ndarray of shape (a,)
    splits : list of pairs of index arrays
        Training rows and test rows.

    Returns
    -------
    list of Solution
        One for each split; its targets are the k targets under the first penalty, then under the
        second, and so on.
    """
    n, p = samples.X.shape
    k, a = samples.Y.shape[1], len(alphas)
    penalties = np.repeat(alphas, k)
    solutions = [None] * len(splits)
    if p <= n // 2 and are_folds(n, splits):
        # <merge>: The statistics of each fold once; a training set is the union of the others, so
        # what lies before the fold and what lies after it are merged.
        parts = [moments.moments(take(owner, samples, test)) for _, test in splits]
        for f, total in enumerate(all_but_one(parts, samples.centred)):
            total = total._replace(xy=np.tile(total.xy, a), y_mean=np.tile(total.y_mean, a))
            coef = _least_squares.by_penalty(total.xx, total.xy, penalties)
            if coef is not None:
                solutions[f] = _least_squares.finish(samples, total, coef, "cholesky")
    for f, (train, _) in enumerate(splits):
        if solutions[f] is None:
            own = take(owner, samples, train)
            own = own._replace(Y=np.ascontiguousarray(np.tile(own.Y, a)))
            solutions[f] = _least_squares.solve(owner, own, penalties)
    return solutions


def are_folds(n, splits):
    """Tell whether every row is in one test set, and in all training sets but one."""
    divisions = [[test for _, test in splits], *splits]
    return all(np.array_equal(np.sort(np.concatenate(one)), np.arange(n)) for one in divisions)


def all_but_one(parts, centred):
    """Return the merged moments of all parts but the first, all but the second, and so on."""

    def together(a, b):
        if a is None or b is None:
            return b if a is None else a
        copied = a._replace(xx=a.xx.copy(), xy=a.xy.copy(), yy=a.yy.copy())
        return moments.merge(copied, b, centred)

    before = [None, *itertools.accumulate(parts[:-1], together)]
    after = [None, *itertools.accumulate(parts[:0:-1], together)]
    return [together(a, b) for a, b in zip(before, after[::-1], strict=True)]


def take(owner, samples, rows):
    """Return some of the samples; consecutive rows are not copied."""
    if len(rows) and rows[-1] - rows[0] == len(rows) - 1 and (np.diff(rows) == 1).all():
        rows = slice(rows[0], rows[-1] + 1)
    weight = None if samples.weight is None else samples.weight[rows]
    if weight is not None and not weight.any():
        raise ValueError(
            f"{validation.owner_name(owner)}: sample_weight is all zero in a part of the 'cv' "
            "splits."
        )
    return samples._replace(X=samples.X[rows], Y=samples.Y[rows], weight=weight)


# ---------------------------------------------------------------------------------------------
# What both estimators share


class _PenaltyChoice(LinearModel):
    """Chooses among penalties: leaves out one sample at a time, or folds.

    A subclass names the estimator of one penalty, `single`, and the fewest samples that the score
    of that one is defined for.
    """

    sparse_formats = SPARSE_FORMATS
    gcv_mode = None
    alpha_per_target = False
    fewest = 1

    def _check_parameters(self):
        """Check the parameters; return the penalties: 0 is one of them only with folds."""
        for name in ("fit_intercept", "store_cv_results", "alpha_per_target"):
            validation.check_boolean(self, name, getattr(self, name))
        if self.gcv_mode is not None:
            options = ("auto", "svd", "eigen")
            validation.check_option(self, "gcv_mode", self.gcv_mode, options, or_else=" or None")
        if not (self.scoring is None or callable(self.scoring) or isinstance(self.scoring, str)):
            expected = "a str that names a scorer of scikit-learn's, a callable or None"
            validation._refuse(self, "scoring", self.scoring, expected)
        for name in ("store_cv_results", "alpha_per_target"):
            if self.cv is not None and getattr(self, name):
                who = type(self).__name__
                raise ValueError(f"{who}: cv!=None and {name}=True are incompatible.")
        alphas = self.alphas
        if isinstance(alphas, (int, float, np.number)):
            alphas = [alphas]
        elif not validation.is_listed(alphas) or np.ndim(alphas) > 1 or np.size(alphas) == 0:
            validation._refuse(self, "alphas", alphas, "a float or an array-like of floats")
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
        if self.cv is None:
            found = self._leave_one_out(samples, alphas, targets)
        else:
            splits = check_folds(self, self.cv, X, targets.y, targets.codes)
            found = self._folds(samples, alphas, targets, splits)
        self.alpha_, self.best_score_, solution, kept = found
        store_linear_function(self, solution, X.dtype, targets.Y.shape[1] == 1, targets.ndim)
        vars(self).update(targets.attributes)
        vars(self).pop("cv_results_", None)
        if self.store_cv_results:
            kept = kept[:, 0] if targets.ndim == 1 else kept
            self.cv_results_ = kept.astype(X.dtype, copy=False)
        validation.store_features(self, X.shape[1], names)
        return self

    def _scorer(self):
        """Return the callable that scores a model."""
        if self.scoring is None:
            return lambda model, X, y, sample_weight=None: model.score(X, y, sample_weight)
        if callable(self.scoring):
            return self.scoring
        return named_scorer(self)

    def _model(self, solution, dtype, flat, targets, **penalty):
        """Return the estimator of one penalty with a given linear function, for a scorer."""
        model = self.single(fit_intercept=self.fit_intercept, **penalty)
        vars(model).update(targets.attributes)
        validation.store_features(model, len(solution.coef), None)
        store_linear_function(model, solution, dtype, flat, targets.ndim)
        return model

    def _leave_one_out(self, samples, alphas, targets):
        """Return penalty, score, solution and what is kept, by leaving out one sample at a time."""
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
        # <choose>: The largest score wins; of equal ones, the first.
        if self.scoring is None:
            scores = -sum(sums) / n  # (k, a)
            scores = scores if self.alpha_per_target else scores.mean(axis=0, keepdims=True)
        else:
            scores = self._scores_of_predictions(kept, targets)
        best = np.argmax(scores, axis=1)
        chosen, top = alphas[best], scores[np.arange(len(best)), best]
        solution = solve(np.broadcast_to(chosen, k))
        if not self.alpha_per_target or k == 1:
            chosen = float(chosen[0])
        if not self.alpha_per_target or targets.ndim == 1:
            top = float(top[0])
        return chosen, top, solution, kept

    def _scores_of_predictions(self, predictions, targets):
        """Return the scores (1 or k, a) of the predictions (n, k, a) of samples left out.

        The scorer gets a model that predicts what it is given: its coefficients are an identity.
        """
        scorer, parts, scores = self._scorer(), [(predictions, targets.y)], []
        weighted = {} if targets.weight is None else {"sample_weight": targets.weight}
        if self.alpha_per_target:
            parts = [(predictions[:, [t]], y) for t, y in enumerate(targets.Y.T)]
        for part, y in parts:
            k = part.shape[1]
            identity = Solution(np.eye(k), np.zeros(k), np.zeros(k), "none", np.zeros(k))
            model = self._model(identity, np.float64, y.ndim == 1 and k == 1, targets)
            every = [scorer(model, one, y, **weighted) for one in np.moveaxis(part, 2, 0)]
            scores.append([check_score(self, score) for score in every])
        return np.array(scores)

    def _folds(self, samples, alphas, targets, splits):
        """Return penalty, score, solution and None, by fitting to the training rows of splits."""
        k, y = samples.Y.shape[1], targets.y
        solutions, scorer = fold_solutions(self, samples, alphas, splits), self._scorer()
        scores = np.full((len(splits), len(alphas)), np.nan)
        for f, (_, test) in enumerate(splits):
            if self.scoring is None and len(test) < self.fewest:
                continue
            X_test, found = samples.X[test], solutions[f]
            weighted = {} if samples.weight is None else {"sample_weight": samples.weight[test]}
            for i, alpha in enumerate(alphas):
                own = slice(i * k, (i + 1) * k)
                one = found._replace(coef=found.coef[:, own], y_mean=found.y_mean[own])
                model = self._model(one, X_test.dtype, k == 1, targets, alpha=alpha)
                scores[f, i] = check_score(self, scorer(model, X_test, y[test], **weighted))
        means = scores.mean(axis=0)
        if not np.isfinite(means).all():  # such as R^2 of a fold with one sample
            message = (
                f"{type(self).__name__}: One or more of the test scores are non-finite: {means}."
            )
            validation.warn(UserWarning(message))
        best = int(np.argmax(np.where(np.isfinite(means), means, -np.inf)))
        solution = _least_squares.solve(self, samples, np.full(k, alphas[best]))
        return float(alphas[best]), float(means[best]), solution, None


# ---------------------------------------------------------------------------------------------
# The estimators


class RidgeCV(_PenaltyChoice, RealTargets):
    """Ridge regression whose penalty is chosen by cross-validation.

    By default each sample is predicted by the model fitted to all others. That takes one
    decomposition in all, :eq:`eq-ridge-loo`.

    Parameters
    ----------
    alphas : array-like of shape (n_alphas,), default=(0.1, 1.0, 10.0)
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
    gcv_mode : {None, "auto", "svd", "eigen"}, default=None
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


class RidgeClassifierCV(_PenaltyChoice, SignClassifier):
    """Ridge regression on targets of -1 and +1, whose penalty is chosen by cross-validation.

    By default each sample is predicted by the model fitted to all others, and the penalty with the
    least squared error wins. That takes one decomposition in all, :eq:`eq-ridge-loo`, whatever the
    number of classes. See :class:`RidgeClassifier` and :class:`RidgeCV`.

    Parameters
    ----------
    alphas : array-like of shape (n_alphas,), default=(0.1, 1.0, 10.0)
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
