"""Conformal prediction: intervals and sets of classes that hold the truth as often as promised.

Around any regressor or classifier with scikit-learn's contract: what it has got wrong on samples
that it was not fitted to says how wide an interval, or how large a set, has to be. The promise
needs no model of the noise, and no model that is right. It needs samples, old and new, that are
exchangeable: their order says nothing. Where new samples come from another population, weights say
how much more often than before.

The names are those of MAPIE 1, which has far more methods. The code is litlearn's own because it is
short enough to be read beside its theorems, because nothing here may import scikit-learn, and
because MAPIE's classes are no estimators of scikit-learn's kind (no ``get_params``, no ``clone``).
"""

import itertools
import math
import numbers
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from litlearn._core import targets, validation
from litlearn._core.base import BaseEstimator, ClassifierMixin, RegressorMixin, _loaded, clone
from litlearn._core.chunked import is_chunked, is_chunked_frame
from litlearn._core.constraints import ANYTHING, BOOLEAN, Has, Option, Real, Table, refuse
from litlearn._core.guide import guide
from litlearn.exceptions import NotFittedError

__all__ = ["CrossConformalRegressor", "SplitConformalClassifier", "SplitConformalRegressor"]

BLOCK = 2**20  # numbers in a block of candidates for ends of intervals
ROUNDING = 1e-12  # relative, of sums of weights: what is short of a level by less has reached it


# --- quantiles and scores --------------------------------------------------------------------


def decimal(confidence_level):
    """Return a level as the decimal that is meant: as floats, 0.55 * 20 > 11, and 1 - 0.7 > 0.3."""
    return Fraction(float(confidence_level)).limit_denominator(10**6)


def rank_of(n, confidence_level):
    """Return k: the k-th smallest of n scores is the quantile; there is none if k > n.

    A new score is exchangeable with the n, so each of n + 1 ranks is as likely as another one.
    """
    return max(1, math.ceil(decimal(confidence_level) * (n + 1)))


def quantile_of(scores, confidence_level):
    """Return the conformal quantile of scores (n,): infinite where they are too few."""
    k = rank_of(len(scores), confidence_level)
    return float(np.sort(scores)[k - 1]) if k <= len(scores) else np.inf


class WeightedScores(NamedTuple):
    """Sorted scores whose samples count with weights, and where their quantiles are.

    A new sample is, of the n + 1, the one with each score with a probability in proportion to its
    weight. Its own weight has a part in the quantile, as its rank has in :func:`rank_of`.
    """

    scores: np.ndarray  # (n + 1,), sorted; the last one, infinite, is that of a new sample
    sums: np.ndarray  # (n,), of the weights up to each; the largest weight is 1
    unit: float  # the largest weight as it came
    level: float

    @property
    def mean(self):
        """The mean weight."""
        return np.float64(self.unit * (self.sums[-1] / len(self.sums)) if len(self.sums) else 0.0)

    @classmethod
    def of(cls, scores, weight, confidence_level):
        """Sort scores (n,) with weights (n,); those without weight are left out."""
        scores, weight = scores[weight > 0.0], weight[weight > 0.0]
        order, unit = np.argsort(scores, kind="stable"), float(weight.max(initial=0.0)) or 1.0
        sums = np.cumsum(weight[order] / unit)
        level = float(decimal(confidence_level))
        return cls(np.append(scores[order], np.inf), sums, unit, level)

    def quantiles(self, weight):
        """Return the quantile for new samples of weights (m,): infinite where the rest is light."""
        total = self.sums[-1] if len(self.sums) else 0.0
        with np.errstate(over="ignore"):
            share = self.level * (total + weight / self.unit)
        return self.scores[np.searchsorted(self.sums, share * (1.0 - ROUNDING))]


def lac_scores(P, u=None):
    """Return one minus the probability, (n, q), for each class of each sample."""
    return 1.0 - P


def aps_scores(P, u=None):
    """Return the probability of all classes up to each one, (n, q), the likeliest class first.

    With u (n,), between 0 and 1, a class counts with the share 1 - u of its own probability.
    """
    order = np.argsort(-P, axis=1, kind="stable")  # of equal ones, the first class first
    scores = np.empty_like(P)
    sums = np.cumsum(np.take_along_axis(P, order, axis=1), axis=1)
    np.put_along_axis(scores, order, sums, axis=1)
    return scores if u is None else scores - u[:, np.newaxis] * P


SCORES = {"lac": lac_scores, "aps": aps_scores, "aps_randomized": aps_scores}


# --- samples ---------------------------------------------------------------------------------


def samples_of(owner, X):
    """Return samples in a form of which rows can be taken; a data frame stays one."""
    if validation.is_sparse(X):
        X = validation.check_sparse(owner, X, "X")
        return X if X.format in ("csr", "csc") else X.tocsr()
    if is_chunked(X) or is_chunked_frame(X):
        raise TypeError(
            f"{type(owner).__name__}: X is an array of Dask, expected samples in memory: call this "
            "with chunk.compute() for each chunk of X.blocks."
        )
    if hasattr(X, "columns") or hasattr(X, "column_names"):
        return X
    array = np.asarray(X)
    if array.ndim == 0:
        raise ValueError(
            f"{type(owner).__name__}: Expected 2D array, got scalar array instead: X is of type "
            f"{type(X).__name__}."
        )
    return array


def take(X, rows):
    """Return some of the samples."""
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    return X.take(rows) if hasattr(X, "column_names") else X[rows]


def check_labels(owner, name, labels, n_samples):
    """Return `groups` or `partition`, (n_samples,), as an array, or None."""
    if labels is None:
        return None
    array, who = np.asarray(labels), type(owner).__name__
    if array.shape != (n_samples,):
        raise ValueError(
            f"{who}: {name} has shape {array.shape}, expected ({n_samples},): one label for each "
            "sample."
        )
    if array.dtype.kind == "O":  # of a frame; NumPy would make a word of a missing one
        kinds = sorted({type(one).__name__ for one in array.tolist()})
        if len(kinds) > 1:
            raise TypeError(
                f"{who}: {name} has labels of several types: {', '.join(kinds)}; expected numbers "
                "or strings."
            )
        array = np.asarray(array.tolist())
    if array.dtype.kind not in "biufUS":
        raise TypeError(f"{who}: {name} is of type {array.dtype}, expected numbers or strings.")
    if array.dtype.kind == "f":
        validation.check_finite(who, array, name)
    return array


def category(part, one):
    """Return the name of a category: of a partition, of a class, of both, or of all samples."""
    named = [label for label in (part, one) if label is not None]
    return tuple(named) if len(named) == 2 else (named or [None])[0]


def units_of(owner, groups, n_samples, fewest, reason):
    """Return the number of the unit of each sample, and how many there are: groups or samples."""
    if groups is None:
        found, units, what = n_samples, np.arange(n_samples), "sample"
    else:
        distinct, units = np.unique(groups, return_inverse=True)
        found, what = len(distinct), "group"
    if found < fewest:
        raise ValueError(
            f"Found array with {found} {what}(s) while a minimum of {fewest} is required by "
            f"{type(owner).__name__}: {reason}."
        )
    return units, found


def fold_numbers(owner, cv, X, y, groups, random):
    """Return the number of the fold that leaves out each sample, (n_samples,)."""
    n = X.shape[0]
    if validation.is_option(cv, "loo"):
        return units_of(owner, groups, n, 2, "one is left out")[0]
    if isinstance(cv, numbers.Integral):
        count = validation.check_integer(owner, "cv", cv, low=2)
        units, found = units_of(owner, groups, n, count, f"cv={count} folds have one each")
        return random.permutation(np.arange(found) % count)[units]
    expected = (
        'an int in the range [2, inf), "loo", an object with a method split, or pairs of index '
        "arrays; of these, the second ones have each sample once"
    )
    try:
        pairs = list(cv.split(X, y, groups) if hasattr(cv, "split") else cv)
    except TypeError:  # a str has a method split, too, and an array of no dimension is an iterable
        refuse(owner, "cv", cv, expected)
    try:
        left_out = [np.arange(n)[np.asarray(rows)] for _, rows in pairs]
        once = np.array_equal(np.sort(np.concatenate(left_out)), np.arange(n))
    except (TypeError, ValueError, IndexError):  # no pairs, or not indices of samples
        once = False
    if not once or len(left_out) < 2:
        refuse(owner, "cv", cv, expected)
    folds = np.empty(n, dtype=np.intp)
    for fold, rows in enumerate(left_out):
        folds[rows] = fold
    return folds


# --- what all share --------------------------------------------------------------------------


class Conformal(BaseEstimator):
    """An estimator around another one, whose errors on samples left out it measures."""

    _constraints = Table(estimator=Has("fit"), confidence_level=Real("(0.0, 1.0)"))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        inside = _loaded("sklearn.utils", "A description by tags").get_tags(self.estimator)
        tags.input_tags.sparse = inside.input_tags.sparse
        tags.input_tags.allow_nan = inside.input_tags.allow_nan
        return tags

    def _fitted(self, X, y, weight, rows):
        """Return a clone of the estimator, fitted to some of the samples."""
        options = {} if weight is None else {"sample_weight": weight[rows]}
        return clone(self.estimator).fit(take(X, rows), y[rows], **options)

    def _check_answers(self, answers, shape, method):
        """Return what the estimator inside has answered as a finite float64 array of a shape."""
        answers, who = np.asarray(answers, dtype=np.float64), type(self).__name__
        if answers.size == np.prod(shape):
            answers = answers.reshape(shape)  # of some, a column for a single target
        if answers.shape != shape:
            raise ValueError(
                f"{who}: {method} of the estimator inside returned an array of shape "
                f"{answers.shape}, expected {shape}."
            )
        validation.check_finite(who, answers, f"what {method} of the estimator inside returned")
        return answers

    def _predictions(self, model, X):
        return self._check_answers(model.predict(X), (X.shape[0],), "predict")

    def _store_features(self, model):
        for name in ("n_features_in_", "feature_names_in_"):
            self.__dict__.pop(name, None)
            if hasattr(model, name):
                setattr(self, name, getattr(model, name))


class SplitConformal(Conformal):
    """Split conformal prediction: fitted to some of the samples, calibrated by the others."""

    _constraints = Table(prefit=BOOLEAN, calibration_size=Real("(0.0, 1.0)"))

    def fit(self, X, y, sample_weight=None, *, groups=None, partition=None):
        """Fit the estimator to some of the samples, and calibrate by the others.

        Parameters
        ----------
        X : array-like or sparse array of shape (n_samples, n_features)
            Samples, in any form that the estimator takes.
        y : array-like of shape (n_samples,)
            Their targets or classes.
        sample_weight : float or array-like of shape (n_samples,), default=None
            Passed to the estimator if it is not None. In this calibration each sample counts once;
            ``conformalize`` takes weights for the calibration.
        groups : array-like of shape (n_samples,), default=None
            Samples of one group, such as the visits of a patient, are not divided. For samples of
            a new group the promise then holds nearly: the more groups calibrate, the better. With
            few it falls short, and no interval is infinite that tells of it.
        partition : array-like of shape (n_samples,), default=None
            Categories, numbers or strings, each with a quantile, and with the promise, of its own
            ("Mondrian").

        Returns
        -------
        self : estimator

        Raises
        ------
        TypeError, ValueError
            If a parameter or an array cannot be used, a class has no sample among those for the
            fit, or as the estimator says.
        """
        random = validation.check_parameters(self).random_state
        X = samples_of(self, X)
        y = self._check_targets(y, X.shape[0])
        groups = check_labels(self, "groups", groups, X.shape[0])
        partition = check_labels(self, "partition", partition, X.shape[0])
        weight = validation.check_sample_weight(self, sample_weight, X.shape[0])
        if self.prefit:
            self._calibrate(self.estimator, X, y, partition, random)
            return self
        reason = "some are for the fit, the others for the calibration"
        units, count = units_of(self, groups, X.shape[0], 2, reason)
        # Drawn without a look at the classes: to stratify would break exchangeability.
        size = min(max(round(self.calibration_size * count), 1), count - 1)
        left_out = np.isin(units, random.permutation(count)[:size])
        train, rest = np.flatnonzero(~left_out), np.flatnonzero(left_out)
        self._check_training(y, train)
        model = self._fitted(X, y, weight, train)
        partition = None if partition is None else partition[rest]
        self._calibrate(model, take(X, rest), y[rest], partition, random)
        return self

    def conformalize(self, X, y, sample_weight=None, *, partition=None):
        """Calibrate again, by other samples than those of the fit; nothing is fitted.

        Parameters
        ----------
        X : array-like or sparse array of shape (n_samples, n_features)
            Samples that the estimator has not seen, such as those of another hospital.
        y : array-like of shape (n_samples,)
            Their targets or classes.
        sample_weight : float or array-like of shape (n_samples,), default=None
            How much more often, up to a factor, samples with such features are met where
            predictions are made than here: the ratio of the two densities at `X` ("covariate
            shift"). Predictions then ask for that of the new samples, too. All samples are as
            likely if None.
        partition : array-like of shape (n_samples,), default=None
            As in ``fit``.

        Returns
        -------
        self : estimator

        Raises
        ------
        NotFittedError
            Before ``fit``, unless `prefit`.
        TypeError, ValueError
            As ``fit`` does.
        """
        random = validation.check_parameters(self).random_state
        if not self.prefit:
            validation.check_is_fitted(self)
        X = samples_of(self, X)
        y = self._check_targets(y, X.shape[0])
        partition = check_labels(self, "partition", partition, X.shape[0])
        weight = validation.check_sample_weight(self, sample_weight, X.shape[0])
        model = self.estimator if self.prefit else self.estimator_
        self._calibrate(model, X, y, partition, random, weight)
        return self

    def predict(self, X):
        """Predict as the estimator inside does.

        Parameters
        ----------
        X : array-like or sparse array of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples,)
            The middles of the intervals; or classes, whether they are in the sets or not.
        """
        validation.check_is_fitted(self)
        return self.estimator_.predict(X)

    def _check_training(self, y, rows):
        """Raise if the estimator cannot be fitted to these samples."""

    def _classes_apart(self):
        """Return the classes that have a quantile each, or None alone."""
        return [None]

    def _calibrate(self, model, X, y, partition, random, weight=None):
        """Take the quantiles of the scores of samples that the model has not seen."""
        units_of(self, None, X.shape[0], 1, "a calibration needs samples")
        try:
            scores = self._scores(model, X, y, random)
        except (ValueError, AttributeError) as error:  # the classes of others', too
            if type(error).__name__ != "NotFittedError":
                raise
            who = type(self).__name__
            raise NotFittedError(
                f"{who}: prefit=True, but the estimator is not fitted yet: {error}"
            ) from error
        classes, parts = self._classes_apart(), [None]
        if partition is not None:
            parts = np.unique(partition).tolist()
        self._apart, self._parted = classes, partition is not None
        self.quantiles_, self.calibration_sizes_, self._weighted = {}, {}, {}
        for part, one in itertools.product(parts, classes):
            own = np.ones(len(scores), dtype=bool)
            for labels, label in ((partition, part), (y, one)):
                own &= True if label is None else labels == label
            key = category(part, one)
            if weight is None:
                self.quantiles_[key] = quantile_of(scores[own], self.confidence_level)
            else:
                own &= weight > 0.0
                found = WeightedScores.of(scores[own], weight[own], self.confidence_level)
                self.quantiles_[key] = float(found.quantiles(found.mean))
                self._weighted[key] = found
            self.calibration_sizes_[key] = int(own.sum())
        self.conformity_scores_ = scores
        self.estimator_ = model
        self._store_features(model)

    def _as_calibrated(self, name, given, was_given):
        """Raise unless an argument is given exactly if the calibration had one."""
        if was_given != (given is not None):
            came, fit = ("None", "with one") if was_given else ("an array", "without one")
            raise ValueError(
                f"{type(self).__name__}: {name} is {came}, but the calibration was {fit}."
            )

    def _thresholds(self, n_samples, weight, partition):
        """Return the quantiles for each sample, (n_samples, 1), or (n_samples, n_classes).

        They are infinite for a category without samples in the calibration. Where neither weights
        nor categories tell samples apart, one row stands for all.
        """
        partition = check_labels(self, "partition", partition, n_samples)
        weight = validation.check_sample_weight(self, weight, n_samples, all_zero=True)
        self._as_calibrated("partition", partition, self._parted)
        self._as_calibrated("sample_weight", weight, bool(self._weighted))
        if weight is None and partition is None:
            return np.array([[self.quantiles_[one] for one in self._apart]])
        found = np.full((n_samples, len(self._apart)), np.inf)
        parts = [None] if partition is None else np.unique(partition).tolist()
        for part, (place, one) in itertools.product(parts, enumerate(self._apart)):
            rows = slice(None) if part is None else partition == part
            key = category(part, one)
            if key in self._weighted:
                found[rows, place] = self._weighted[key].quantiles(weight[rows])
            elif key in self.quantiles_:
                found[rows, place] = self.quantiles_[key]
        return found


# --- regression ------------------------------------------------------------------------------


class SplitConformalRegressor(RegressorMixin, SplitConformal):
    r"""Intervals around predictions, as wide as errors on samples that were left out.

    The estimator is fitted to one part of the samples. The other n samples calibrate: of their
    absolute residuals the k-th smallest, :math:`k = \lceil (1 - \alpha) (n + 1) \rceil` with
    :math:`1 - \alpha` for `confidence_level`, is the half width of every interval. If old and new
    samples are exchangeable, an interval holds the target with a probability of at least
    :math:`1 - \alpha`; where no two residuals are equal, of at most
    :math:`1 - \alpha + 1 / (n + 1)`.

    Parameters
    ----------
    estimator : estimator
        A regressor with ``fit`` and ``predict``. It is cloned, unless `prefit`.
    confidence_level : float, default=0.9
        Probability with which an interval is to hold the target, between 0 and 1.
    prefit : bool, default=False
        The estimator is fitted already, and used as it is: all samples calibrate. A ``clone``, such
        as searches make, holds it unfitted, unless it is in scikit-learn's ``FrozenEstimator``.
    calibration_size : float, default=0.5
        Share of the samples, or of the groups, that calibrate.
    random_state : int, RandomState, Generator or None, default=None
        Draws the samples that calibrate.

    Attributes
    ----------
    estimator_ : estimator
        The fitted estimator.
    quantiles_ : dict
        Half width of the intervals of each category; under None without a partition. Infinite
        where the calibration has too few samples. With weights, that for a new sample of the mean
        weight.
    calibration_sizes_ : dict
        Number of samples that calibrated, in the same way; those with weight 0 do not.
    conformity_scores_ : ndarray of shape (n_calibration,)
        Absolute residuals of the samples of the calibration.
    n_features_in_ : int
        Number of features, if the estimator knows it.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if the estimator knows them.

    Notes
    -----
    Cost: one fit, predictions, and O(n log n) for a quantile. The promise is one over all draws of
    calibration and new samples together: not for each value of the features, and for one
    calibration it varies, as a beta distribution of k and n + 1 - k. An interval is infinite where
    n is smaller than :math:`1 / \alpha - 1`. See :cite:t:`lei_distribution_2018`, and for
    categories and the beta distribution :cite:t:`vovk_conditional_2012`.

    If the features of new samples have another distribution, and the targets given the features the
    same one, ``conformalize`` and ``predict_interval`` take the ratio of the two densities as
    `sample_weight`, :math:`w_i` and, for a new sample, :math:`w`. The half width is then the
    smallest residual up to which the weights sum to at least
    :math:`(1 - \alpha) (\sum_i w_i + w)`, and the promise is one for new samples of that
    distribution. They have no part in ``fit``, whose weights are those of the estimator. See
    :cite:t:`tibshirani_conformal_2019`.

    Examples
    --------
    >>> import numpy as np
    >>> from litlearn.conformal import SplitConformalRegressor
    >>> from litlearn.linear_model import LinearRegression
    >>> X = np.arange(40.0)[:, None]
    >>> y = X[:, 0] + np.tile([1.0, -1.0, -1.0, 1.0], 10)
    >>> model = SplitConformalRegressor(LinearRegression(), random_state=0).fit(X, y)
    >>> print(model.predict_interval([[10.0], [20.0]]).round(0))
    [[ 9. 11.]
     [19. 21.]]
    """

    def __init__(
        self,
        estimator,
        *,
        confidence_level=0.9,
        prefit=False,
        calibration_size=0.5,
        random_state=None,
    ):
        self._set_as_given(locals())

    def _check_targets(self, y, n_samples):
        return validation.check_one_real_target(self, y, n_samples)

    def _scores(self, model, X, y, random):
        return np.abs(y - self._predictions(model, X))

    def predict_interval(self, X, *, sample_weight=None, partition=None):
        """Return an interval for each sample.

        Parameters
        ----------
        X : array-like or sparse array of shape (n_samples, n_features)
            Samples.
        sample_weight : float or array-like of shape (n_samples,), default=None
            How much more often such samples are met here than in the calibration, up to the same
            factor, if ``conformalize`` had weights.
        partition : array-like of shape (n_samples,), default=None
            Their categories, if the calibration had some. The interval of a category without
            samples in the calibration is infinite.

        Returns
        -------
        ndarray of shape (n_samples, 2)
            Lower and upper ends, float64.
        """
        validation.check_is_fitted(self)
        X = samples_of(self, X)
        middle = self._predictions(self.estimator_, X)
        width = self._thresholds(len(middle), sample_weight, partition)[:, 0]
        return np.column_stack([middle - width, middle + width])


class CrossConformalRegressor(RegressorMixin, Conformal):
    r"""Intervals by cross-validation, where no samples can be spared: CV+ and jackknife+.

    Each fold is left out of one fit. With the absolute residual :math:`R_i` of sample i in the fit
    without it, and the prediction :math:`\hat\mu_i` of that fit for a new sample, the lower end is
    the (n + 1 - k)-th smallest of :math:`\hat\mu_i - R_i`, and the upper end the k-th smallest of
    :math:`\hat\mu_i + R_i`, with :math:`k = \lceil (1 - \alpha) (n + 1) \rceil` and
    :math:`1 - \alpha` for `confidence_level`.

    The promise is weaker than that of :class:`SplitConformalRegressor`: a probability of at least
    :math:`1 - 2 \alpha` for one sample a fold, and of :math:`1 - 2 \alpha - \sqrt{2 / n}` for folds
    of one size. It is near :math:`1 - \alpha` where a few samples more or less hardly change the
    fit.

    Parameters
    ----------
    estimator : estimator
        A regressor with ``fit`` and ``predict``, that treats all samples alike. It is cloned.
    confidence_level : float, default=0.9
        Probability, between 0 and 1, with which an interval would hold the target if the fits were
        the same with and without a sample. At 0.5 and less nothing is promised.
    cv : int, "loo", splitter or iterable, default=5
        Number of folds, drawn at random. "loo": leave out one sample, or one group, at a time. Or
        an object with a method ``split``, or pairs of indices, of which the second ones have each
        sample once; a fit takes all others.
    random_state : int, RandomState, Generator or None, default=None
        Draws the folds.

    Attributes
    ----------
    estimators_ : list of estimators
        One for each fold, fitted to the samples of the others.
    folds_ : ndarray of shape (n_samples,)
        The fold of each sample.
    conformity_scores_ : ndarray of shape (n_samples,)
        Absolute residuals of the samples in the fits without them.
    n_features_in_ : int
        Number of features, if the estimators know it.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if the estimators know them.

    Notes
    -----
    Cost: one fit a fold; predictions take one of each fit and O(n log n) a sample, in blocks.
    Intervals are infinite where n is smaller than :math:`1 / \alpha - 1`. See
    :cite:t:`barber_predictive_2021`.

    Examples
    --------
    >>> import numpy as np
    >>> from litlearn.conformal import CrossConformalRegressor
    >>> from litlearn.linear_model import LinearRegression
    >>> X = np.arange(40.0)[:, None]
    >>> y = X[:, 0] + np.tile([1.0, -1.0, -1.0, 1.0], 10)
    >>> model = CrossConformalRegressor(LinearRegression(), cv="loo").fit(X, y)
    >>> print(model.predict_interval([[10.0], [20.0]]).round(0))
    [[ 9. 11.]
     [19. 21.]]
    """

    _constraints = Table(cv=ANYTHING)

    def __init__(self, estimator, *, confidence_level=0.9, cv=5, random_state=None):
        self._set_as_given(locals())

    def fit(self, X, y, sample_weight=None, *, groups=None):
        """Fit the estimator once for each fold, without it.

        Parameters
        ----------
        X : array-like or sparse array of shape (n_samples, n_features)
            Samples, in any form that the estimator takes.
        y : array-like of shape (n_samples,)
            Their targets, real numbers.
        sample_weight : float or array-like of shape (n_samples,), default=None
            Passed to the estimator if it is not None. Of the residuals each counts once.
        groups : array-like of shape (n_samples,), default=None
            Samples of one group, such as the visits of a patient, are in one fold. For samples of
            a new group the intervals then hold nearly as often as for new samples without groups:
            the more groups, the better.

        Returns
        -------
        self : estimator

        Raises
        ------
        TypeError, ValueError
            If a parameter or an array cannot be used, there are fewer samples or groups than
            folds, or as the estimator says.
        """
        random = validation.check_parameters(self).random_state
        X = samples_of(self, X)
        y = validation.check_one_real_target(self, y, X.shape[0])
        groups = check_labels(self, "groups", groups, X.shape[0])
        weight = validation.check_sample_weight(self, sample_weight, X.shape[0])
        folds = fold_numbers(self, self.cv, X, y, groups, random)
        estimators, scores = [], np.empty(len(y))
        for fold in range(folds.max() + 1):
            estimators.append(self._fitted(X, y, weight, np.flatnonzero(folds != fold)))
            rows = np.flatnonzero(folds == fold)
            scores[rows] = np.abs(y[rows] - self._predictions(estimators[-1], take(X, rows)))
        self.estimators_, self.folds_, self.conformity_scores_ = estimators, folds, scores
        self._rank = rank_of(len(y), self.confidence_level)
        self._store_features(estimators[0])
        return self

    def predict(self, X):
        """Predict the mean of what the estimators of the folds predict.

        Parameters
        ----------
        X : array-like or sparse array of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples,)
            float64.
        """
        return self._by_fold(X).mean(axis=0)

    def _by_fold(self, X):
        """Return the predictions of each estimator, (n_folds, n_samples)."""
        validation.check_is_fitted(self)
        X = samples_of(self, X)
        return np.array([self._predictions(one, X) for one in self.estimators_])

    def predict_interval(self, X):
        """Return an interval for each sample.

        Parameters
        ----------
        X : array-like or sparse array of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples, 2)
            Lower and upper ends, float64.
        """
        predictions, scores = self._by_fold(X), self.conformity_scores_[:, np.newaxis]
        n, k, count = len(scores), self._rank, predictions.shape[1]
        intervals = np.tile([-np.inf, np.inf], (count, 1))
        step = max(1, BLOCK // n)
        for start in range(0, count if k <= n else 0, step):
            rows = slice(start, start + step)
            mu = predictions[:, rows][self.folds_]
            intervals[rows, 0] = np.sort(mu - scores, axis=0)[n - k]
            intervals[rows, 1] = np.sort(mu + scores, axis=0)[k - 1]
        return intervals


# --- classification --------------------------------------------------------------------------


class SplitConformalClassifier(ClassifierMixin, SplitConformal):
    r"""Sets of classes, as large as it takes to hold the true one as often as promised.

    The estimator is fitted to one part of the samples. The other n samples calibrate: of the scores
    of their true classes the k-th smallest, :math:`k = \lceil (1 - \alpha) (n + 1) \rceil` with
    :math:`1 - \alpha` for `confidence_level`, is the bound. A set has every class whose score is at
    most the bound. If old and new samples are exchangeable, it holds the true class with a
    probability of at least :math:`1 - \alpha`; with `class_conditional` whatever the true class.

    Parameters
    ----------
    estimator : estimator
        A classifier with ``fit`` and ``predict_proba``. It is cloned, unless `prefit`.
    confidence_level : float, default=0.9
        Probability with which a set is to hold the true class, between 0 and 1.
    conformity_score : {"lac", "aps", "aps_randomized"}, default="lac"
        The score of a class. "lac": one minus its probability, which gives the smallest sets on
        average. "aps": its probability and those of all likelier classes together, which gives
        larger sets to samples that are harder. "aps_randomized": less a random share of its own
        probability, so that the sets are no larger than they have to be.
    class_conditional : bool, default=False
        Each class has a bound of its own, of the n samples of this class. The promise is then one
        for each class, the rare ones too, and holds if the classes are more or less frequent among
        new samples than before. A class with too few samples in the calibration is in every set.
    prefit : bool, default=False
        The estimator is fitted already, and used as it is: all samples calibrate. A ``clone``, such
        as searches make, holds it unfitted, unless it is in scikit-learn's ``FrozenEstimator``.
    calibration_size : float, default=0.5
        Share of the samples, or of the groups, that calibrate.
    random_state : int, RandomState, Generator or None, default=None
        Draws the samples that calibrate, and the shares of "aps_randomized".

    Attributes
    ----------
    estimator_ : estimator
        The fitted estimator.
    classes_ : ndarray of shape (n_classes,)
        The classes, as the estimator has them.
    quantiles_ : dict
        Bound of the scores of each category; under None without a partition. With
        `class_conditional`, of each class, or of each pair of a category and a class. Infinite
        where the calibration has too few samples: the sets then have all classes. With weights,
        that for a new sample of the mean weight.
    calibration_sizes_ : dict
        Number of samples that calibrated, in the same way; those with weight 0 do not.
    conformity_scores_ : ndarray of shape (n_calibration,)
        Scores of their true classes.
    n_features_in_ : int
        Number of features, if the estimator knows it.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if the estimator knows them.

    Notes
    -----
    Cost: one fit, probabilities, and O(n log n) for a quantile; "aps" sorts the q classes of
    each sample. A set can be empty, by the definition: where no class is as likely as those of the
    calibration mostly were ("lac"), or the likeliest one alone is beyond the bound ("aps"). Such
    sets are part of the promise, and left as they are. See :cite:t:`sadinle_least_2019` for "lac",
    :cite:t:`romano_classification_2020` for the others, of whose sets without random shares these
    are a variant that adds no class beyond the bound, and :cite:t:`vovk_conditional_2012` for
    categories and `class_conditional`.

    Where only the features of new samples have another distribution, ``conformalize`` and
    ``predict_set`` take the ratio of the densities as `sample_weight`, as
    :class:`SplitConformalRegressor` does.

    Examples
    --------
    >>> import numpy as np
    >>> from litlearn.conformal import SplitConformalClassifier
    >>> from litlearn.naive_bayes import GaussianNB
    >>> X = np.random.default_rng(0).normal(size=(200, 1))
    >>> y = np.where(X[:, 0] + np.tile([0.5, -0.5], 100) > 0, "ill", "well")
    >>> model = SplitConformalClassifier(GaussianNB(), random_state=0).fit(X, y)
    >>> print(model.classes_, model.predict_set([[-2.0], [0.0], [2.0]]).tolist())
    ['ill' 'well'] [[False, True], [True, True], [True, False]]
    """

    _constraints = Table(conformity_score=Option(*SCORES), class_conditional=BOOLEAN)

    def __init__(
        self,
        estimator,
        *,
        confidence_level=0.9,
        conformity_score="lac",
        class_conditional=False,
        prefit=False,
        calibration_size=0.5,
        random_state=None,
    ):
        self._set_as_given(locals())

    def _check_targets(self, y, n_samples):
        if not hasattr(self.estimator, "predict_proba"):
            raise TypeError(
                f"The 'estimator' parameter of {type(self).__name__} must be a classifier with the "
                f"method predict_proba. Got {self.estimator!r} instead."
            )
        coded = targets.encode_one(self, y, n_samples)
        return coded.classes[0][coded.codes[0]]

    def _check_classes(self, known, y, where, instead):
        missing = np.setdiff1d(y, known)
        if len(missing):
            shown = ", ".join(repr(one) for one in missing[:5].tolist())
            raise ValueError(
                f"{type(self).__name__}: no sample {where} is of a class of y: {shown}. {instead}."
            )

    def _check_training(self, y, rows):
        self._check_classes(
            y[rows],
            y,
            "for the fit",
            "Give more samples of it, a smaller calibration_size, or an estimator that is fitted "
            "already, with prefit=True",
        )

    def _classes_apart(self):
        return np.asarray(self.classes_).tolist() if self.class_conditional else [None]

    def _all_scores(self, model, X, score, random):
        """Return the score of each class of each sample, (n_samples, n_classes)."""
        P = model.predict_proba(X)
        P = self._check_answers(P, (X.shape[0], len(model.classes_)), "predict_proba")
        u = random.uniform(size=len(P)) if score == "aps_randomized" else None
        return SCORES[score](P, u)

    def _scores(self, model, X, y, random):
        scores = self._all_scores(model, X, self.conformity_score, random)
        self._check_classes(model.classes_, y, "of the fit", "Fit with samples of all classes")
        # What predictions draw is not what the calibration drew, and the same at each call.
        self._seed, self._score = validation.random_integer(random), self.conformity_score
        self.classes_ = model.classes_
        return scores[np.arange(len(y)), np.searchsorted(model.classes_, y)]

    def predict_proba(self, X):
        """Return the probabilities of the estimator inside, which the calibration leaves alone.

        Parameters
        ----------
        X : array-like or sparse array of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            In the order of ``classes_``.
        """
        validation.check_is_fitted(self)
        return self.estimator_.predict_proba(X)

    def predict_set(self, X, *, sample_weight=None, partition=None):
        """Return a set of classes for each sample.

        Parameters
        ----------
        X : array-like or sparse array of shape (n_samples, n_features)
            Samples.
        sample_weight : float or array-like of shape (n_samples,), default=None
            How much more often such samples are met here than in the calibration, up to the same
            factor, if ``conformalize`` had weights.
        partition : array-like of shape (n_samples,), default=None
            Their categories, if the calibration had some. The set of a category without samples in
            the calibration has all classes.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            True for the classes of the set, in the order of ``classes_``; a row may be all False.
            With "aps_randomized" it depends on the place of the sample in `X`, and is the same at
            each call.
        """
        validation.check_is_fitted(self)
        X = samples_of(self, X)
        drawn = np.random.RandomState(self._seed)
        scores = self._all_scores(self.estimator_, X, self._score, drawn)
        return scores <= self._thresholds(len(scores), sample_weight, partition)


__getattr__ = guide(__name__)
