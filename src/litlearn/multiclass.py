"""Multiclass strategies: several classes by several classifiers of two.

One against the rest, one against one, and output codes, around any estimator with scikit-learn's
contract. The names, parameters, attributes and defaults are scikit-learn's.
"""

import itertools
import sys

import numpy as np

from litlearn._core import targets, validation
from litlearn._core.base import (
    BaseEstimator,
    ClassifierMixin,
    MultiOutputMixin,
    RegressorMixin,
    _loaded,
    clone,
)
from litlearn._core.constraints import ARRAY, Has, Real, Table
from litlearn._core.guide import guide
from litlearn._core.linear import LinearClassifier
from litlearn._core.parallel import cut, fold_blocks
from litlearn._core.tasks import map_tasks

__all__ = ["OneVsOneClassifier", "OneVsRestClassifier", "OutputCodeClassifier"]

ANY_SAMPLES = {"sparse": ("csr", "csc"), "missing": True}  # the estimator inside has the last word
BLOCK = 2**20  # numbers in a block of distances to code words


# --- two classes -----------------------------------------------------------------------------


class ConstantClassifier(BaseEstimator):
    """Stands for a problem of two classes of which one has no samples."""

    def fit(self, X, y):
        """Remember the only value, -1, 0 or 1."""
        self.y_ = y
        return self

    def predict(self, X):
        """Return the only value for each sample, (n_samples,)."""
        return np.repeat(self.y_, count_rows(X))

    def decision_function(self, X):
        """Return the only value for each sample, (n_samples,)."""
        return self.predict(X)

    def predict_proba(self, X):
        """Return probabilities 0 and 1, (n_samples, 2)."""
        positive = np.repeat(np.maximum(self.y_, 0), count_rows(X)).astype(np.float64)
        return np.column_stack([1.0 - positive, positive])


def count_rows(X):
    """Return the number of samples, of anything that has one."""
    if hasattr(X, "shape") and len(X.shape):
        return X.shape[0]
    return len(X) if hasattr(X, "__len__") else len(np.asarray(X))


def fit_pair(estimator, X, y, fit_params, names=None):
    """Fit a clone to targets of two values; to a single one, a constant."""
    values = np.unique(y)
    if len(values) > 1:
        return clone(estimator).fit(X, y, **fit_params)
    if names is not None:
        present = names[max(int(values[0]), 0)]
        validation.warn(UserWarning(f"Label {present} is present in all training examples."))
    return ConstantClassifier().fit(X, values)


def scores_of(estimator, X):
    """Return one number a sample, larger for the second class: scores, or else probabilities."""
    if is_regressor(estimator):
        return np.ravel(estimator.predict(X))
    try:
        return np.ravel(estimator.decision_function(X))
    except (AttributeError, NotImplementedError):
        return estimator.predict_proba(X)[:, 1]


def winners(estimator, X, scores):
    """Return 0 or 1 for each sample, what a classifier of a pair predicts; scores: of `scores_of`.

    A linear function's sign is its prediction: it need not be computed a second time.
    """
    if getattr(type(estimator), "predict", None) is LinearClassifier.predict:
        return scores > 0.0
    return estimator.predict(X)


def threshold_of(estimator):
    """Return the number from which on scores stand for the second class."""
    return 0.5 if is_regressor(estimator) or not hasattr(estimator, "decision_function") else 0.0


def is_regressor(estimator):
    """Tell whether an estimator of this or another package predicts numbers."""
    if "sklearn.base" in sys.modules:
        return sys.modules["sklearn.base"].is_regressor(estimator)
    return isinstance(estimator, RegressorMixin)


def is_pairwise(estimator):
    """Tell whether the samples are rows of a matrix of similarities to the training samples."""
    if "sklearn.utils" in sys.modules and hasattr(estimator, "__sklearn_tags__"):
        return sys.modules["sklearn.utils"].get_tags(estimator).input_tags.pairwise
    return "precomputed" in (getattr(estimator, "kernel", ""), getattr(estimator, "metric", ""))


def offers(*methods):
    """Make a method exist only where the estimator inside has one of the methods."""

    def decorate(function):
        return _Offered(function, methods)

    return decorate


class _Offered:
    """A method that is there if the estimator inside, fitted or not, has what it needs."""

    def __init__(self, function, methods):
        self.function, self.methods = function, methods
        self.__doc__, self.__name__ = function.__doc__, function.__name__
        self.__wrapped__ = function

    def __get__(self, instance, owner):
        if instance is None:
            return self.function
        inside = getattr(instance, "estimators_", [instance.estimator])[0]
        for method in self.methods:
            if not hasattr(inside, method):
                try:
                    getattr(inside, method)
                except AttributeError as cause:
                    raise AttributeError(
                        f"This {owner.__name__!r} has no attribute {self.__name__!r}"
                    ) from cause
        return self.function.__get__(instance, owner)


# --- what the strategies share ---------------------------------------------------------------


class MulticlassStrategy(ClassifierMixin, BaseEstimator):
    """An estimator around another one, of which it fits several clones."""

    _constraints = Table(estimator=Has("fit"))
    _routed_callers = ("fit", "partial_fit")
    _fits_tasks = True

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        get_tags = _loaded("sklearn.utils", "A description by tags").get_tags
        inside = get_tags(self.estimator).input_tags
        tags.input_tags.pairwise, tags.input_tags.sparse = inside.pairwise, inside.sparse
        return tags

    def get_metadata_routing(self):
        """Return how metadata reach the estimator inside, as scikit-learn's ``MetadataRouter``."""
        routing = _loaded("sklearn.utils.metadata_routing", "Metadata routing")
        mapping = routing.MethodMapping()
        for caller in self._routed_callers:
            mapping = mapping.add(caller=caller, callee=caller)
        router = routing.MetadataRouter(owner=self)
        if self._accepts_metadata:
            router = router.add_self_request(self)
        return router.add(estimator=self.estimator, method_mapping=mapping)

    _accepts_metadata = True

    def _routed(self, caller, given):
        """Return the arguments, such as weights, that the estimator inside asked for."""
        routing = sys.modules.get("sklearn.utils.metadata_routing")
        if routing is None or not routing._routing_enabled():
            if given:
                raise ValueError(
                    f"{type(self).__name__}.{caller}: [{', '.join(sorted(given))}] are passed but "
                    "cannot be passed on: metadata routing is only available when enabled with "
                    "sklearn.set_config(enable_metadata_routing=True)."
                )
            return {}
        return getattr(routing.process_routing(self, caller, **given).estimator, caller)

    def _undamaged(self, X):
        """Return `X` once it can be read: a constant in an estimator's place does not look."""
        return validation.check_sparse(self, X, "X") if validation.is_sparse(X) else X

    def _fit_all(self, work, data, count):
        """Return the results of ``work(data, k)``, fits that divide the budget of threads.

        With :func:`litlearn.on` they are tasks of its workers.
        """
        return map_tasks(work, data, count, self.n_jobs)

    def _store_features(self):
        for name in ("n_features_in_", "feature_names_in_"):
            self.__dict__.pop(name, None)
            known = [one for one in self.estimators_ if hasattr(one, name)]
            if known:  # a constant does not know it
                setattr(self, name, getattr(known[0], name))

    @property
    def n_classes_(self):
        """Number of classes."""
        return len(self.classes_)


# --- one against the rest --------------------------------------------------------------------


class Indicator:
    """Which sample has which class or label: targets of the classifiers against the rest."""

    def __init__(self, owner, X, y):
        if count_rows(X) == 0:
            raise ValueError(
                f"Found array with 0 sample(s) while a minimum of 1 is required by "
                f"{type(owner).__name__} for X."
            )
        self.sparse = validation.is_sparse(y)
        if self.sparse:
            y = validation.check_sparse(owner, y, "y")
        elif y is not None:
            y = np.asarray(y)
        self.multilabel = self.sparse or (y is not None and y.ndim == 2 and y.shape[1] > 1)
        if not self.multilabel:
            y = validation.check_class_targets(owner, y, count_rows(X))
            self.classes, self.codes = targets.numbered(y)
            return
        self.matrix = y.tocsc() if self.sparse else y
        values = np.unique(self.matrix.data if self.sparse else self.matrix)
        if self.matrix.dtype.kind not in "biuf" or not np.isin(values, (0, 1)).all():
            raise ValueError(
                f"{type(owner).__name__}: Multioutput target data is not supported with label "
                "binarization: y of two dimensions must be a matrix of zeros and ones."
            )
        self.classes = np.arange(self.matrix.shape[1])

    def count(self):
        """Return the number of classifiers: one for two classes."""
        return 1 if len(self.classes) <= 2 and not self.multilabel else len(self.classes)

    def column(self, k):
        """Return zeros and ones, (n_samples,), for classifier k."""
        if self.multilabel:
            column = self.matrix[:, [k]]
            column = column.toarray() if self.sparse else column
            return np.ravel(column).astype(np.intp)
        positive = 1 if len(self.classes) <= 2 else k
        return (self.codes == positive).astype(np.intp)


class OneVsRestClassifier(MultiOutputMixin, MulticlassStrategy):
    """One classifier a class, against all other classes, :eq:`eq-one-vs-rest`.

    A matrix of zeros and ones as `y` says which sample has which labels: each label then has a
    classifier, and a sample gets every label whose classifier is positive.

    Parameters
    ----------
    estimator : estimator
        With ``fit`` and ``decision_function`` or ``predict_proba``; or a regressor. It is cloned.
    n_jobs : int, default=None
        Threads that fit the classifiers, and divide among them those that each may use. None: one
        for each CPU. No number changes a bit of the result.
    verbose : bool or int, default=0
        Has no effect.

    Attributes
    ----------
    estimators_ : list of estimators
        One for each class; one in all for two classes.
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted; of labels, their numbers.
    n_classes_ : int
        Number of classes.
    multilabel_ : bool
        Whether `y` was a matrix of labels.
    n_features_in_ : int
        Number of features, if the classifiers know it.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if the classifiers know them.

    Notes
    -----
    Cost: q fits on all n samples. See :cite:t:`rifkin_defense_2004`.

    Examples
    --------
    >>> from litlearn.linear_model import LogisticRegression
    >>> from litlearn.multiclass import OneVsRestClassifier
    >>> X, y = [[0.0], [1.0], [5.0], [6.0], [11.0], [12.0]], ["a", "a", "b", "b", "c", "c"]
    >>> model = OneVsRestClassifier(LogisticRegression()).fit(X, y)
    >>> print(len(model.estimators_), model.predict([[0.5], [11.5]]))
    3 ['a' 'c']
    """

    def __init__(self, estimator, *, n_jobs=None, verbose=0):
        self._set_as_given(locals())

    def fit(self, X, y, **fit_params):
        """Fit a classifier for each class.

        Parameters
        ----------
        X : array-like or sparse array of shape (n_samples, n_features)
            Samples, in any form that the estimator takes.
        y : array-like of shape (n_samples,), or array or sparse array of shape \
(n_samples, n_labels)
            Classes, or zeros and ones for labels.
        **fit_params : dict
            Passed to each ``fit``, with scikit-learn's metadata routing.

        Returns
        -------
        self : estimator

        Raises
        ------
        TypeError, ValueError
            If a parameter or `y` cannot be used, or as the estimator says.
        """
        validation.check_parameters(self)
        routed = self._routed("fit", fit_params)
        X = self._undamaged(X)
        indicator = Indicator(self, X, y)
        names = [(f"not {name}", name) for name in indicator.classes]
        if indicator.count() == 1:
            names = [names[-1]]

        estimator = self.estimator  # what an earlier fit has left does not travel

        def work(data, k):
            X, indicator, params = data
            return fit_pair(estimator, X, indicator.column(k), params, names[k])

        self.estimators_ = self._fit_all(work, (X, indicator, routed), indicator.count())
        self._store(indicator)
        return self

    def _store(self, indicator):
        self.classes_ = indicator.classes
        self._multilabel, self._sparse_labels = indicator.multilabel, indicator.sparse
        self._store_features()

    @offers("partial_fit")
    def partial_fit(self, X, y, classes=None, **partial_fit_params):
        """Add a batch of samples to those seen so far.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples of the batch.
        y : array-like of shape (n_samples,) or (n_samples, n_labels)
            Their classes.
        classes : array-like of shape (n_classes,), default=None
            All classes that any batch may have; needed in the first call.
        **partial_fit_params : dict
            Passed to each ``partial_fit``, with scikit-learn's metadata routing.

        Returns
        -------
        self : estimator

        Raises
        ------
        ValueError
            If `classes` is missing in the first call, or `y` has a class that is not among them.
        """
        validation.check_parameters(self)
        routed = self._routed("partial_fit", partial_fit_params)
        classes, first = targets.batch_classes(self, classes)
        indicator = Indicator(self, X, y)
        if not indicator.multilabel:
            places = targets.batch_places(
                self,
                indicator.classes,
                classes,
                "Mini-batch contains {found} while classes must be subset of {classes}",
            )
            indicator.codes = places[indicator.codes]
            indicator.classes = classes
        if first:
            self.estimators_ = [clone(self.estimator) for _ in range(indicator.count())]

        def work(estimators, k):
            known = np.array((0, 1))
            return estimators[k].partial_fit(X, indicator.column(k), classes=known, **routed)

        self.estimators_ = self._fit_all(work, self.estimators_, indicator.count())
        self._store(indicator)
        return self

    @property
    def multilabel_(self):
        """Whether `y` was a matrix of labels."""
        return self._multilabel

    def predict(self, X):
        """Predict the class of the largest score, or every label of a positive one.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_labels)
            Classes, the first of equal scores; or zeros and ones, sparse if `y` was.
        """
        validation.check_is_fitted(self)
        scores = np.column_stack([scores_of(one, X) for one in self.estimators_])
        threshold = threshold_of(self.estimators_[0])
        if self._multilabel:
            found = (scores > threshold).astype(np.int64)
            if not self._sparse_labels:
                return found
            import scipy.sparse

            return scipy.sparse.csr_matrix(found)
        if len(self.estimators_) == 1:
            second = (scores[:, 0] > threshold).astype(np.intp)
            return self.classes_[np.minimum(second, len(self.classes_) - 1)]
        return self.classes_[scores.argmax(axis=1)]

    @offers("predict_proba")
    def predict_proba(self, X):
        """Return the classifiers' probabilities, which are made to sum to 1 for classes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Columns in the order of ``classes_``. Of labels, each column stands for itself.
        """
        validation.check_is_fitted(self)
        Y = np.column_stack([one.predict_proba(X)[:, 1] for one in self.estimators_])
        if len(self.estimators_) == 1:
            Y = np.column_stack([1.0 - Y, Y])
        if not self._multilabel:
            sums = Y.sum(axis=1, keepdims=True)
            np.divide(Y, sums, out=Y, where=sums != 0.0)
        return Y

    @offers("decision_function")
    def decision_function(self, X):
        """Return the score of each class against the rest.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            One number a sample for two classes.
        """
        validation.check_is_fitted(self)
        if len(self.estimators_) == 1:
            return self.estimators_[0].decision_function(X)
        return np.column_stack([np.ravel(one.decision_function(X)) for one in self.estimators_])


# --- one against one -------------------------------------------------------------------------


def votes_and_confidences(predictions, confidences, n_classes):
    """Return votes, and within half a vote the confidences, :eq:`eq-one-vs-one`.

    Parameters
    ----------
    predictions : ndarray of shape (n, q (q - 1) / 2)
        0 where the first class of a pair won, 1 where the second did.
    confidences : ndarray of the same shape
        Scores of the pairs, larger for the second class.
    n_classes : int
        Number of classes, q.

    Returns
    -------
    ndarray of shape (n, n_classes)
        The confidence is squeezed between -1/3 and 1/3: it decides between equal votes only.
    """
    votes = np.zeros((len(predictions), n_classes))
    sums = np.zeros_like(votes)
    for k, (i, j) in enumerate(itertools.combinations(range(n_classes), 2)):
        votes[:, i] += predictions[:, k] == 0
        votes[:, j] += predictions[:, k] == 1
        sums[:, i] -= confidences[:, k]
        sums[:, j] += confidences[:, k]
    return votes + sums / (3.0 * (np.abs(sums) + 1.0))


class OneVsOneClassifier(MulticlassStrategy):
    """One classifier for each pair of classes; the class with the most votes wins.

    Implements :eq:`eq-one-vs-one`.

    Parameters
    ----------
    estimator : estimator
        With ``fit`` and ``decision_function`` or ``predict_proba``; or a regressor. It is cloned.
    n_jobs : int, default=None
        Threads that fit the classifiers, and divide among them those that each may use. None: one
        for each CPU. No number changes a bit of the result.

    Attributes
    ----------
    estimators_ : tuple or list of q (q - 1) / 2 estimators
        In the order of the pairs (0, 1), (0, 2), ..., (1, 2), ...
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted.
    n_classes_ : int
        Number of classes, q.
    pairwise_indices_ : tuple of ndarray, or None
        Samples of each pair, where the samples are rows of a precomputed matrix.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if `X` was a data frame with string names.

    Notes
    -----
    Cost: q (q - 1) / 2 fits, on 2 n / q samples each if the classes are of one size.

    Examples
    --------
    >>> from litlearn.linear_model import LogisticRegression
    >>> from litlearn.multiclass import OneVsOneClassifier
    >>> X, y = [[0.0], [1.0], [5.0], [6.0], [11.0], [12.0]], ["a", "a", "b", "b", "c", "c"]
    >>> model = OneVsOneClassifier(LogisticRegression()).fit(X, y)
    >>> print(len(model.estimators_), model.predict([[0.5], [5.5], [11.5]]))
    3 ['a' 'b' 'c']
    """

    def __init__(self, estimator, *, n_jobs=None):
        self._set_as_given(locals())

    def fit(self, X, y, **fit_params):
        """Fit a classifier for each pair of classes.

        Parameters
        ----------
        X : array-like or sparse array of shape (n_samples, n_features)
            Samples. NaN is allowed if the estimator allows it.
        y : array-like of shape (n_samples,)
            Their classes: at least two.
        **fit_params : dict
            Passed to each ``fit``, with scikit-learn's metadata routing; what has one entry a
            sample is cut to the samples of the pair.

        Returns
        -------
        self : estimator

        Raises
        ------
        TypeError, ValueError
            If a parameter, `X` or `y` cannot be used, or there is one class.
        """
        validation.check_parameters(self)
        routed = self._routed("fit", fit_params)
        X, names = validation.check_samples(self, X, **ANY_SAMPLES)
        classes, codes = encode_classes(self, y, X.shape[0])
        if len(classes) == 1:
            raise ValueError(
                f"{type(self).__name__} can not be fit when only one class is present: "
                f"{classes[0]!r}."
            )
        pairs = list(itertools.combinations(range(len(classes)), 2))
        estimator, pairwise = self.estimator, is_pairwise(self.estimator)

        def work(data, k):
            X, codes, params = data
            rows, target = of_pair(codes, *pairs[k])
            own = X[rows][:, rows] if pairwise else X[rows]
            return fit_pair(estimator, own, target, cut_params(params, rows, len(codes))), rows

        fitted = self._fit_all(work, (X, codes, routed), len(pairs))
        self.classes_ = classes
        self.estimators_ = tuple(one for one, _ in fitted)
        self.pairwise_indices_ = tuple(rows for _, rows in fitted) if pairwise else None
        validation.store_features(self, X.shape[1], names)
        return self

    @offers("partial_fit")
    def partial_fit(self, X, y, classes=None, **partial_fit_params):
        """Add a batch of samples to those seen so far.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples of the batch.
        y : array-like of shape (n_samples,)
            Their classes.
        classes : array-like of shape (n_classes,), default=None
            All classes that any batch may have; needed in the first call.
        **partial_fit_params : dict
            Passed to each ``partial_fit``, with scikit-learn's metadata routing.

        Returns
        -------
        self : estimator

        Raises
        ------
        ValueError
            If `classes` is missing in the first call, or `y` has a class that is not among them.
        """
        validation.check_parameters(self)
        routed = self._routed("partial_fit", partial_fit_params)
        classes, first = targets.batch_classes(self, classes)
        if first:
            X, names = validation.check_samples(self, X, **ANY_SAMPLES)
        else:
            X = validation.check_queries(self, X, **ANY_SAMPLES)
        found, codes = encode_classes(self, y, X.shape[0])
        complaint = "Mini-batch contains {found} while it must be subset of {classes}"
        codes = targets.batch_places(self, found, classes, complaint)[codes]
        pairs = list(itertools.combinations(range(len(classes)), 2))
        if first:
            self.estimators_ = [clone(self.estimator) for _ in pairs]

        def work(estimators, k):
            rows, target = of_pair(codes, *pairs[k])
            if len(rows) == 0:
                return estimators[k]
            params = cut_params(routed, rows, len(codes))
            known = np.array((0, 1))
            return estimators[k].partial_fit(X[rows], target, classes=known, **params)

        self.estimators_ = self._fit_all(work, self.estimators_, len(pairs))
        self.classes_, self.pairwise_indices_ = classes, None
        if first:
            validation.store_features(self, X.shape[1], names)
        return self

    def predict(self, X):
        """Predict the class with the most votes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples,)
            Members of ``classes_``.
        """
        Y = self.decision_function(X)
        if Y.ndim == 1:
            return self.classes_[(threshold_of(self.estimators_[0]) < Y).astype(np.intp)]
        return self.classes_[Y.argmax(axis=1)]

    def decision_function(self, X):
        """Return votes with confidences that decide between equal ones, :eq:`eq-one-vs-one`.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            For two classes, those of the second: positive where it wins.
        """
        X = validation.check_queries(self, X, **ANY_SAMPLES)
        if self.pairwise_indices_ is None:
            views = [X] * len(self.estimators_)
        else:
            views = [X[:, rows] for rows in self.pairwise_indices_]
        pairs = list(zip(self.estimators_, views, strict=True))
        # Numbers of one pair lie side by side, as they are made and counted.
        confidences = np.array([scores_of(one, own) for one, own in pairs])
        predictions = np.array(
            [
                winners(one, own, own_scores)
                for (one, own), own_scores in zip(pairs, confidences, strict=True)
            ]
        )
        scores = votes_and_confidences(predictions.T, confidences.T, self.n_classes_)
        return scores[:, 1] if self.n_classes_ == 2 else scores


def encode_classes(owner, y, n_samples):
    """Return the sorted classes of the samples, and for each sample the number of its class."""
    coded = targets.encode_one(owner, y, n_samples)
    return coded.classes[0], coded.codes[0]


def of_pair(codes, i, j):
    """Return the samples of two classes, and zeros and ones for them."""
    rows = np.flatnonzero((codes == i) | (codes == j))
    return rows, (codes[rows] == j).astype(np.intp)


def cut_params(params, rows, n_samples):
    """Return arguments for some of the samples: what has an entry for each sample is cut."""
    return {
        name: np.asarray(value)[rows]
        if np.ndim(value) and count_rows(value) == n_samples
        else value
        for name, value in params.items()
    }


# --- output codes ----------------------------------------------------------------------------


def nearest_words(Y, code_book):
    """Return for each row of Y (n, b) the nearest row of the code book (q, b), :eq:`eq-ecoc`."""
    chosen = np.empty(len(Y), dtype=np.intp)

    def part(rows):
        differences = Y[rows, None, :] - code_book
        chosen[rows] = np.einsum("icb,icb->ic", differences, differences).argmin(axis=1)

    fold_blocks(part, None, cut(len(Y), BLOCK // code_book.size), work=Y.size * len(code_book))
    return chosen


class OutputCodeClassifier(MulticlassStrategy):
    """Each class has a code word, each bit of it a classifier; the nearest word wins.

    Implements :eq:`eq-ecoc`.

    Parameters
    ----------
    estimator : estimator
        With ``fit`` and ``decision_function`` or ``predict_proba``. It is cloned.
    code_size : float, default=1.5
        Number of bits over the number of classes, for a random code book.
    random_state : int, RandomState, Generator or None, default=None
        Draws the code book.
    n_jobs : int, default=None
        Threads that fit the classifiers, and divide among them those that each may use. None: one
        for each CPU. No number changes a bit of the result.
    code_book : array-like of shape (n_classes, n_bits), default=None
        A code book in the place of the random one: two values, the larger one where the class is
        on the positive side.

    Attributes
    ----------
    estimators_ : list of estimators
        One for each bit.
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted.
    code_book_ : ndarray of shape (n_classes, n_bits)
        Words of 1 and -1; of 1 and 0 if the classifiers give probabilities.
    n_features_in_ : int
        Number of features, if the classifiers know it.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if the classifiers know them.

    Notes
    -----
    Cost: one fit on all samples for each bit. Random code books of a few bits a class do nearly as
    well as designed ones :cite:p:`dietterich_solving_1995`.

    Examples
    --------
    >>> from litlearn.linear_model import LogisticRegression
    >>> from litlearn.multiclass import OutputCodeClassifier
    >>> X, y = [[0.0], [1.0], [5.0], [6.0], [11.0], [12.0]], ["a", "a", "b", "b", "c", "c"]
    >>> code_book = [[1, 0, 0], [1, 1, 0], [1, 1, 1]]
    >>> model = OutputCodeClassifier(LogisticRegression(), code_book=code_book).fit(X, y)
    >>> print(model.predict([[0.5], [5.5], [11.5]]))
    ['a' 'b' 'c']
    """

    _constraints = Table(code_size=Real("(0.0, 1000000.0]"), code_book=ARRAY | None)
    _routed_callers = ("fit",)
    _accepts_metadata = False

    def __init__(self, estimator, *, code_size=1.5, random_state=None, n_jobs=None, code_book=None):
        self._set_as_given(locals())

    def fit(self, X, y, **fit_params):
        """Draw the code book, and fit a classifier for each bit.

        Parameters
        ----------
        X : array-like or sparse array of shape (n_samples, n_features)
            Samples, in any form that the estimator takes.
        y : array-like of shape (n_samples,)
            Their classes.
        **fit_params : dict
            Passed to each ``fit``, with scikit-learn's metadata routing.

        Returns
        -------
        self : estimator

        Raises
        ------
        TypeError, ValueError
            If a parameter or `y` cannot be used, or as the estimator says.
        """
        random_state = validation.check_parameters(self).random_state
        if not any(hasattr(self.estimator, m) for m in ("decision_function", "predict_proba")):
            expected = "an object that has decision_function or predict_proba"
            validation.refuse(self, "estimator", self.estimator, expected)
        routed = self._routed("fit", fit_params)
        X = self._undamaged(X)
        classes, codes = encode_classes(self, y, count_rows(X))
        low = -1.0 if hasattr(self.estimator, "decision_function") else 0.0
        code_book = self._draw(len(classes), random_state, low)
        estimator, codewords = self.estimator, code_book.astype(np.intp)

        def work(data, b):
            X, codes, params = data
            return fit_pair(estimator, X, codewords[codes, b], params)

        self.estimators_ = self._fit_all(work, (X, codes, routed), code_book.shape[1])
        self.classes_, self.code_book_ = classes, code_book
        self._store_features()
        return self

    def _draw(self, n_classes, random_state, low):
        if self.code_book is None:
            n_bits = int(n_classes * self.code_size)
            if n_bits < 1:
                raise ValueError(
                    f"{type(self).__name__}: code_size={self.code_size} gives {n_classes} classes "
                    "no bit, expected at least one."
                )
            draws = random_state.uniform(size=(n_classes, n_bits))
            return np.where(draws > 0.5, 1.0, low)
        expected = f"an array-like of shape ({n_classes}, n_bits) with two different numbers"
        book = validation.check_numbers(self, "code_book", self.code_book, expected)
        values = np.unique(book)
        if book.ndim != 2 or len(book) != n_classes or len(values) != 2:
            validation.refuse(self, "code_book", self.code_book, expected)
        return np.where(book == values[1], 1.0, low)

    def predict(self, X):
        """Predict the class whose word is nearest to the scores, :eq:`eq-ecoc`.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples,)
            Members of ``classes_``, the first of equally near ones.
        """
        validation.check_is_fitted(self)
        Y = np.column_stack([scores_of(one, X) for one in self.estimators_])
        return self.classes_[nearest_words(Y.astype(np.float64, copy=False), self.code_book_)]


__getattr__ = guide(__name__)
