"""k-means by small batches: each centre is the mean of all batch samples it was ever given."""

from typing import NamedTuple

import numpy as np

from litlearn._core import validation
from litlearn._core.constraints import BOOLEAN, COUNT, NOT_NEGATIVE, Integer, Table
from litlearn._core.factors import alone
from litlearn._core.parallel import single_threaded_blas
from litlearn._core.progress import progress
from litlearn.cluster import _lloyd
from litlearn.cluster._kmeans import CentreModel, centred_samples, show_inertia
from litlearn.cluster._lloyd import CentredSamples
from litlearn.cluster._seeding import weights_or_ones

LONGEST = 10  # batches' worth of samples for each centre, after which idle centres are moved


class Centres(NamedTuple):
    """Centres and how much each has been given; replaced, not changed."""

    places: np.ndarray  # (k, p), float64, less what is taken off the samples
    weights: np.ndarray  # (k,): sums of the weights of the samples given to each


def taken(samples, rows):
    """Return some of the samples, in an array of their own."""
    return CentredSamples(samples.tile(rows), samples.weight[rows], None)


def assigned_batch(samples, places):
    """Return what the nearest centres are given, the labels, and the inertia."""
    n = samples.X.shape[0]
    labels, squares = np.empty(n, dtype=np.int32), np.empty(n)
    found = _lloyd.assign(samples, places, labels, squares=squares)
    with single_threaded_blas():
        return found, labels, float(samples.weight @ squares)


def minibatch_step(batch, centres, random_state=None, ratio=0.0):
    """Give a batch to its nearest centres, :eq:`eq-kmeans-minibatch`.

    Parameters
    ----------
    batch : CentredSamples
        (m, p), of an array of their own.
    centres : Centres
    random_state : RandomState, Generator or None
        Moves centres that have less than `ratio` of the largest weight to samples of the batch;
        None moves none.
    ratio : float, default=0.0

    Returns
    -------
    centres : Centres
    inertia : float
        Of the batch, for the centres before.
    """
    found, _, inertia = assigned_batch(batch, centres.places)
    total = centres.weights + found.weights
    given = found.weights > 0.0
    # <mean>: of all samples so far, old and new.
    places = centres.places.copy()
    old = centres.places[given] * centres.weights[given, None]
    places[given] = (old + found.sums[given]) / total[given, None]
    if random_state is not None and ratio > 0.0:
        places, total = reassigned(batch.X, places, total, random_state, ratio)
    return Centres(places, total), inertia


def reassigned(X, places, weights, random_state, ratio):
    """Move centres with little weight to samples of the batch; return places and weights."""
    idle = weights < ratio * weights.max()
    most = int(0.5 * X.shape[0])
    if idle.sum() > most:  # only the lightest: half a batch may become centres
        idle[np.argsort(weights)[most:]] = False
    if idle.any():
        choice = random_state.choice(X.shape[0], replace=False, size=int(idle.sum()))
        rows = X[choice]
        places[idle] = rows.toarray() if validation.is_sparse(rows) else rows
        weights[idle] = weights[~idle].min()
    return places, weights


class Progress:
    """Decides when batches bring no more: by a running mean of their inertia."""

    def __init__(self, batch_size, n_samples, tol, patience):
        self.batch_size = batch_size
        self.share = min(batch_size * 2.0 / (n_samples + 1), 1.0)
        self.tol, self.patience = tol, patience
        self.mean = self.least = None
        self.n_steps = self.idle = 0

    def ended(self, inertia, moved):
        """Tell whether to stop, after a batch of this mean inertia."""
        self.n_steps += 1
        if self.n_steps == 1:  # the first batch sees the first centres
            return False
        self.mean = inertia if self.mean is None else self.mean
        self.mean += self.share * (inertia - self.mean)
        if self.tol > 0.0 and moved <= self.tol:
            self.reason = "small centers change"
            return True
        if self.least is None or self.mean < self.least:
            self.idle, self.least = 0, self.mean
        else:
            self.idle += 1
        self.reason = "lack of improvement in inertia"
        return self.patience is not None and self.idle >= self.patience


class MiniBatchKMeans(CentreModel):
    """k-means by small random batches: nearly as good, and far cheaper on many samples.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters, k.
    init : {"k-means++", "random"}, callable or array-like of shape (n_clusters, n_features), \
default="k-means++"
        Where to start, as for :class:`KMeans`; on `init_size` random samples.
    max_iter : int, default=100
        Most passes over as many samples as there are.
    batch_size : int, default=1024
        Samples of a batch.
    verbose : bool or int, default=0
        Whether a progress bar shows the inertia of the batches.
    compute_labels : bool, default=True
        Whether ``fit`` assigns all samples at the end.
    random_state : int, RandomState, Generator or None, default=None
        Draws the starts and the batches.
    tol : float, default=0.0
        Stops when the squared moves of the centres are at most this share of the mean variance of
        the features. 0: that is not looked at.
    max_no_improvement : int or None, default=10
        Stops after so many batches that did not lower the running mean of the inertia; None: never.
    init_size : int, default=None
        Samples among which the start is drawn. None: three batches, or three times `n_clusters` if
        that is more.
    n_init : "auto" or int, default="auto"
        Number of starts, of which the best on a sample is used. ``"auto"``: 3 for random ones and
        callables, and else 1.
    reassignment_ratio : float, default=0.01
        Centres with less than this share of the largest weight are moved, now and then, to random
        samples.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        Centres.
    labels_ : ndarray of shape (n_samples,)
        Cluster of each training sample, if asked for.
    inertia_ : float
        Weighted sum of squared distances from the centres; without labels, estimated.
    n_iter_ : int
        Passes over as many samples as there are.
    n_steps_ : int
        Batches.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if `X` was a data frame with string names.

    Notes
    -----
    Cost: k p for each sample of a batch. Each centre is the mean of all samples that it was ever
    given, :eq:`eq-kmeans-minibatch` :cite:p:`sculley_web-scale_2010`.

    Examples
    --------
    >>> from litlearn.cluster import MiniBatchKMeans
    >>> model = MiniBatchKMeans(2, random_state=0).fit([[0.0], [1.0], [10.0], [11.0]])
    >>> print(model.predict([[0.2]]) == model.predict([[0.9]]))
    [ True]
    """

    _constraints = Table(
        batch_size=COUNT,
        compute_labels=BOOLEAN,
        max_no_improvement=Integer("[0, inf)") | None,
        init_size=COUNT | None,
        reassignment_ratio=NOT_NEGATIVE,
    )

    def __init__(
        self,
        n_clusters=8,
        *,
        init="k-means++",
        max_iter=100,
        batch_size=1024,
        verbose=0,
        compute_labels=True,
        random_state=None,
        tol=0.0,
        max_no_improvement=10,
        init_size=None,
        n_init="auto",
        reassignment_ratio=0.01,
    ):
        self._set_as_given(locals())

    def _check_parameters(self):
        """Check the parameters; return a RandomState: a Generator draws its seed."""
        random_state = validation.check_parameters(self).random_state
        if isinstance(random_state, np.random.Generator):
            return np.random.RandomState(validation.random_integer(random_state))
        return random_state

    def _sizes(self, n_samples):
        """Return the sizes of a batch and of the sample for the start."""
        batch_size, init_size = min(int(self.batch_size), n_samples), self.init_size
        if init_size is None:
            init_size = 3 * batch_size
            if init_size < self.n_clusters:
                init_size = 3 * self.n_clusters
        elif init_size < self.n_clusters:
            message = (
                f"init_size={init_size} should be larger than n_clusters={self.n_clusters}. "
                "Setting it to min(3*n_clusters, n_samples)"
            )
            validation.warn(RuntimeWarning(message))
            init_size = 3 * self.n_clusters
        return batch_size, min(init_size, n_samples)

    def _start_on_some(self, samples, init_size, given, random_state):
        """Return first centres (k, p), less ``samples.centre``, found on some of the samples."""
        n = samples.X.shape[0]
        if init_size < n:
            few = random_state.randint(0, n, init_size)
            samples = samples._replace(X=samples.X[few], weight=samples.weight[few])
        return self._start(samples, None, given, random_state)

    def fit(self, X, y=None, sample_weight=None):
        """Find the centres.

        Parameters
        ----------
        X : array-like or CSR array of shape (n_samples, n_features)
            Samples.
        y : None
            Not used.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples: they are drawn with probabilities in proportion.

        Returns
        -------
        self : estimator

        Raises
        ------
        TypeError
            If `X` holds objects that are not numbers.
        ValueError
            If a parameter is out of range, there are fewer samples than clusters, or `X` or
            `sample_weight` is missing, empty, of the wrong shape, or holds NaN or infinity.
        """
        random_state = self._check_parameters()
        X, weight, names = self._check_data(X, sample_weight)
        n = X.shape[0]
        given, self._n_init = self._check_init(X), self._count_starts(several=3)
        # scikit-learn's tests read _n_init and _init_size.
        batch_size, self._init_size = self._sizes(n)
        samples, variance = centred_samples(X, weight)
        few = random_state.randint(0, n, self._init_size)
        best, best_inertia = None, np.inf
        for _ in range(self._n_init):
            start = self._start_on_some(samples, self._init_size, given, random_state)
            inertia = assigned_batch(taken(samples, few), start)[2]
            if best is None or inertia < best_inertia:
                best, best_inertia = start, inertia
        patience = Progress(batch_size, n, self.tol * variance, self.max_no_improvement)
        centres, inertia, n_steps = self._learn(samples, best, patience, random_state)
        # An interrupt leaves the estimator as it was: all is computed before anything is stored.
        labels = None
        if self.compute_labels:
            _, labels, inertia = assigned_batch(samples, centres.places)
        else:
            mean = inertia / batch_size if patience.mean is None else patience.mean
            inertia = mean * weight.sum()
        self._store(centres, samples.centre, X.dtype, labels, inertia)
        self.n_steps_, self.n_iter_ = n_steps, int(np.ceil(n_steps * batch_size / n))
        self._random_state = random_state
        validation.store_features(self, X.shape[1], names)
        return self

    @alone
    def _learn(self, samples, start, patience, random_state):
        """Give batches to centres (k, p), until `patience` ends; return them, the inertia of the
        last batch, and the number of batches."""
        n, batch_size = samples.X.shape[0], patience.batch_size
        centres, self._n_since_reassignment = Centres(start, np.zeros(self.n_clusters)), 0
        shares, ones = samples.weight / samples.weight.sum(), np.ones(batch_size)
        n_steps = max(1, (int(self.max_iter) * n) // batch_size)
        with progress(self, show_inertia, total=n_steps) as report:
            for i in range(n_steps):
                batch = random_state.choice(n, batch_size, p=shares, replace=True)
                before = centres.places
                mover = random_state if self._is_time(centres, batch_size) else None
                batch = CentredSamples(samples.tile(batch), ones, None)
                centres, inertia = minibatch_step(batch, centres, mover, self._ratio())
                if report is not None:
                    report(i + 1, inertia)
                moved = np.sum((centres.places - before) ** 2) if self.tol > 0.0 else 0.0
                if patience.ended(inertia / batch_size, moved):
                    if self.verbose:
                        print(f"Converged ({patience.reason}) at step {i + 1}/{n_steps}")
                    break
        return centres, inertia, i + 1

    def partial_fit(self, X, y=None, sample_weight=None):
        """Give one batch to the centres.

        Parameters
        ----------
        X : array-like or CSR array of shape (n_samples, n_features)
            The batch; the first one must have `n_clusters` samples.
        y : None
            Not used.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples.

        Returns
        -------
        self : estimator

        Raises
        ------
        TypeError, ValueError
            As in :meth:`fit`.
        """
        first = not hasattr(self, "cluster_centers_")
        random_state = self._check_parameters()
        if first:
            X, weight, names = self._check_data(X, sample_weight)
            self._random_state, self._n_since_reassignment = random_state, 0
            given = self._check_init(X)
            samples, _ = centred_samples(X, weight)
            size = self._sizes(X.shape[0])[1]
            start = self._start_on_some(samples, size, given, self._random_state)
            centres = Centres(start + samples.centre, np.zeros(self.n_clusters))
        else:
            X = validation.check_queries(self, X)
            weight = weights_or_ones(self, sample_weight, X.shape[0])
            centres = self._centres
        mover = self._random_state if self._is_time(centres, X.shape[0]) else None
        # Scores keep their digits if the origin is amid the centres.
        sparse = validation.is_sparse(X)
        middle = centres.places.mean(axis=0)
        origin = np.zeros(X.shape[1]) if sparse else _lloyd.representable(middle, X)
        batch = CentredSamples(X if sparse else X - origin.astype(X.dtype), weight, None)
        moved = centres._replace(places=centres.places - origin)
        moved, _ = minibatch_step(batch, moved, mover, self._ratio())
        found = assigned_batch(batch, moved.places)[1:] if self.compute_labels else (None, None)
        self._store(moved, origin, X.dtype, *found)
        self.n_steps_ = getattr(self, "n_steps_", 0) + 1
        if first:
            validation.store_features(self, X.shape[1], names)
        return self

    def _ratio(self):
        """Return `reassignment_ratio`, at most 1: the heaviest centre stays where it is."""
        return min(self.reassignment_ratio, 1.0)

    def _is_time(self, centres, batch_size):
        """Tell whether idle centres are to be moved now."""
        self._n_since_reassignment += min(batch_size, self.batch_size)
        limit = LONGEST * self.n_clusters
        if (centres.weights == 0.0).any() or self._n_since_reassignment >= limit:
            self._n_since_reassignment = 0
            return True
        return False

    def _store(self, moved, origin, dtype, labels, inertia):
        centres = moved._replace(places=moved.places + origin)
        self._centres = centres
        self.cluster_centers_ = centres.places.astype(dtype)
        self.__dict__.pop("labels_", None)
        if labels is not None:
            self.labels_ = labels
        if inertia is not None:
            self.inertia_ = inertia
