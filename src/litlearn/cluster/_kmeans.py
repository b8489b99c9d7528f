"""k-means: the estimator."""

import numpy as np

from litlearn._core import moments, validation
from litlearn._core.base import BaseEstimator, ClusterMixin, NumberedColumnsMixin
from litlearn._core.chunked import in_memory, is_chunked
from litlearn._core.constraints import ARRAY, BOOLEAN, CALLABLE, COUNT, REPEATS, Option, Table
from litlearn._core.progress import progress
from litlearn.cluster import _chunks, _lloyd
from litlearn.cluster._bounds import Bounds
from litlearn.cluster._lloyd import CentredSamples
from litlearn.cluster._margins import Margins
from litlearn.cluster._seeding import check_enough, plus_plus, squared_norms, weights_or_ones
from litlearn.exceptions import ConvergenceWarning

# Products of a coordinate and a centre up to which a plain pass takes less time than it takes to
# know which samples need none.
SMALL = 2**16


class CentreModel(NumberedColumnsMixin, ClusterMixin, BaseEstimator):
    """What the two k-means estimators share: parameters, starts, and answers about new samples."""

    _constraints = Table(
        n_clusters=COUNT,
        init=Option("k-means++", "random") | CALLABLE | ARRAY,
        n_init=Option("auto") | REPEATS,
        max_iter=COUNT,
    )
    _sparse_formats = ("csr",)

    # Starts

    def _check_data(self, X, sample_weight):
        X, names = validation.check_samples(self, X)
        weight = checked_weight(self, sample_weight, X)
        check_enough(self, X, self.n_clusters)
        return X, weight, names

    def _seeds(self):
        """Whether k-means++ draws the first centres."""
        return isinstance(self.init, str) and self.init == "k-means++"

    def _count_starts(self, several):
        """Return how many starts there are; `several` for random ones."""
        given = not isinstance(self.init, str) and not callable(self.init)
        if validation.is_option(self.n_init, "auto"):
            return 1 if given or self._seeds() else several
        if given and self.n_init != 1:
            message = (
                "Explicit initial center position passed: performing only one init in "
                f"{type(self).__name__} instead of n_init={self.n_init}."
            )
            validation.warn(RuntimeWarning(message))
            return 1
        return int(self.n_init)

    def _check_init(self, X):
        """Return the centres that were given, (k, p) float64, or None."""
        if isinstance(self.init, str) or callable(self.init):
            return None
        return self._check_centres(self.init, X)

    def _check_centres(self, centres, X):
        centres = validation.check_array(self, centres, "init")
        if centres.shape[0] != self.n_clusters:
            raise ValueError(
                f"{type(self).__name__}, init: The shape of the initial centers {centres.shape} "
                f"does not match the number of clusters {self.n_clusters}."
            )
        if centres.shape[1] != X.shape[1]:
            raise ValueError(
                f"{type(self).__name__}, init: The shape of the initial centers {centres.shape} "
                f"does not match the number of features of the data {X.shape[1]}."
            )
        return centres.astype(np.float64)

    def _start(self, samples, norms, given, random_state):
        """Return first centres (k, p), float64, less ``samples.centre``."""
        if given is not None:
            return given - samples.centre
        n = samples.X.shape[0]
        if callable(self.init):
            found = self.init(samples.X, self.n_clusters, random_state=random_state)
            return self._check_centres(found, samples.X) - samples.centre
        if self._seeds() and is_chunked(samples.X):
            return _chunks.scalable_start(samples, self.n_clusters, random_state)
        if self._seeds():
            chosen = plus_plus(samples, self.n_clusters, random_state, norms)
        else:
            weight = np.ones(n) if samples.weight is None else samples.weight
            p = weight / weight.sum()
            chosen = random_state.choice(n, size=self.n_clusters, replace=False, p=p)
        rows = in_memory(samples.X[chosen])
        rows = rows.toarray() if validation.is_sparse(rows) else rows
        return rows.astype(np.float64) - samples.centre

    # Answers

    @property
    def _n_features_out(self):
        return len(self.cluster_centers_)

    def fit_predict(self, X, y=None, sample_weight=None):
        """Fit, and return the cluster of each sample, ``labels_``.

        Parameters
        ----------
        X : array-like or CSR array of shape (n_samples, n_features)
            Samples.
        y : None
            Not used.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return self.fit(X, sample_weight=sample_weight).labels_

    def predict(self, X):
        """Return the cluster of the nearest centre.

        Parameters
        ----------
        X : array-like or CSR array of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples,)
            int32, the first of equally near ones.
        """
        samples, centres = self._queries(X)
        labels = np.empty(samples.X.shape[0], dtype=np.int32)
        _lloyd.assign(samples, centres, labels, update=False)
        return labels

    def transform(self, X):
        """Return the distances of samples from all centres.

        Parameters
        ----------
        X : array-like or CSR array of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples, n_clusters)
        """
        X = validation.check_queries(self, X)
        return _lloyd.all_distances(X, self.cluster_centers_)

    def score(self, X, y=None, sample_weight=None):
        """Return minus the inertia of samples: larger is better.

        Parameters
        ----------
        X : array-like or CSR array of shape (n_samples, n_features)
            Samples.
        y : None
            Not used.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples.

        Returns
        -------
        float
        """
        samples, centres = self._queries(X)
        samples = samples._replace(weight=checked_weight(self, sample_weight, samples.X))
        if is_chunked(X):
            return -_chunks.inertia_of_chunks(samples, centres)
        labels = np.empty(len(samples.X), dtype=np.int32)
        _lloyd.assign(samples, centres, labels, update=False)
        return -_lloyd.inertia_of(samples, centres, labels)

    def _queries(self, X):
        X = validation.check_queries(self, X)
        centres = self.cluster_centers_.astype(np.float64)
        # Scores keep their digits if the origin is amid the centres.
        sparse = validation.is_sparse(X)
        origin = np.zeros(X.shape[1]) if sparse else _lloyd.representable(centres.mean(axis=0), X)
        return CentredSamples(X, checked_weight(self, None, X), origin), centres - origin


def checked_weight(owner, sample_weight, X):
    """Return the weights of samples (n,), float64; None for samples in chunks that have none."""
    if is_chunked(X) and sample_weight is None:
        return None
    return weights_or_ones(owner, in_memory(sample_weight), X.shape[0])


def centred_samples(X, weight):
    """Return :class:`Samples`, dense ones less their mean, and the mean of their variances."""
    n, p = X.shape
    if validation.is_sparse(X):
        mean = np.asarray(X.mean(axis=0, dtype=np.float64)).ravel()
        squares = np.asarray(X.multiply(X).mean(axis=0, dtype=np.float64)).ravel()
        return CentredSamples(X, weight, np.zeros(p)), float(np.mean(squares - mean**2))
    found = moments.moments(moments.Samples(X, np.empty((n, 0)), None, True), full=False)
    # Where means are no larger than spreads, a shift would gain no digit, and cost a copy.
    far = np.any((found.x_mean**2 * n > found.xx) | ~np.isfinite(found.xx))
    return CentredSamples(X, weight, _lloyd.representable(found.x_mean * far, X)), float(
        np.mean(found.xx) / n
    )


class KMeans(CentreModel):
    """Clusters of samples around centres, each the mean of its samples.

    Lowers the inertia :eq:`eq-inertia`, the sum of squared distances from the nearest centre, by
    Lloyd's method, :prf:ref:`alg-kmeans`, from one start or several: not always to the minimum.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters, k.
    init : {"k-means++", "random"}, callable or array-like of shape (n_clusters, n_features), \
default="k-means++"
        Where to start: samples drawn far from each other, any samples, what
        ``init(X, n_clusters, random_state=...)`` returns, or these centres.
    n_init : "auto" or int, default="auto"
        Number of starts, of which the best ends. ``"auto"``: 10 for random ones and callables, and
        else 1.
    max_iter : int, default=300
        Most iterations from a start.
    tol : float, default=1e-4
        Stops when the sum of the squared moves of the centres is at most this share of the mean
        variance of the features.
    verbose : bool or int, default=0
        Whether a progress bar shows the inertia.
    random_state : int, RandomState, Generator or None, default=None
        Draws the starts.
    copy_x : bool, default=True
        Has no effect: `X` is never written to.
    algorithm : {"lloyd", "elkan", "hamerly"}, default="lloyd"
        How samples are assigned: ``"lloyd"`` by matrix products, ``"elkan"`` and ``"hamerly"``
        (absent in scikit-learn) by single distances, those that bounds leave in question,
        :eq:`eq-kmeans-bounds`. These two are there to compare with: ``"lloyd"`` has a bound of its
        own, and is faster as a rule. From the same start, all have the same labels, up to samples
        between two centres within rounding. Sparse samples: always ``"lloyd"``.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        Centres.
    labels_ : ndarray of shape (n_samples,)
        Cluster of each training sample, int32.
    inertia_ : float
        Weighted sum of squared distances from the centres.
    n_iter_ : int
        Iterations from the best start.
    converged_ : bool
        Whether the labels or the centres had come to rest.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if `X` was a data frame with string names.

    Notes
    -----
    Cost: at most n k p an iteration, by matrix products, in blocks of rows: `X` may be a
    ``numpy.memmap`` larger than memory. ``"lloyd"`` leaves out samples that are nearer to their
    centre by a margin :eq:`eq-kmeans-margin` that no move of the centres has used up, and holds n
    margins; its products are in float32, where a bound on their error proves the result, and the
    rest is measured in float64. ``"elkan"`` holds n k bounds, ``"hamerly"`` 2 n. The two steps are
    :eq:`eq-kmeans-assign` and :eq:`eq-kmeans-update` :cite:p:`lloyd_least_1982`, the bounds those
    of :cite:t:`elkan_using_2003` and :cite:t:`hamerly_making_2010`.

    Examples
    --------
    >>> from litlearn.cluster import KMeans
    >>> model = KMeans(2, random_state=0).fit([[0.0], [1.0], [10.0], [11.0]])
    >>> print(sorted(model.cluster_centers_.ravel().tolist()), model.inertia_)
    [0.5, 10.5] 1.0
    """

    _constraints = Table(copy_x=BOOLEAN, algorithm=Option("lloyd", "elkan", "hamerly"))
    _fits_chunks = True

    def __init__(
        self,
        n_clusters=8,
        *,
        init="k-means++",
        n_init="auto",
        max_iter=300,
        tol=1e-4,
        verbose=0,
        random_state=None,
        copy_x=True,
        algorithm="lloyd",
    ):
        self._set_as_given(locals())

    def fit(self, X, y=None, sample_weight=None):
        """Find the centres.

        Parameters
        ----------
        X : array-like or CSR array of shape (n_samples, n_features)
            Samples.
        y : None
            Not used.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples in the means and the inertia.

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

        Warns
        -----
        ConvergenceWarning
            If there are fewer distinct samples than clusters.
        """
        random_state = validation.check_parameters(self).random_state
        X, weight, names = self._check_data(X, sample_weight)
        # scikit-learn's tests read _n_init, the number of starts.
        given, self._n_init = self._check_init(X), self._count_starts(several=10)
        samples, variance = centred_samples(X, weight)
        chunked = is_chunked(X)
        norms = squared_norms(samples) if self._seeds() and not chunked else None
        algorithm, max_iter = self._choose_algorithm(X), int(self.max_iter)
        # Where the variance overflows, only labels that rest end the iteration.
        tol = self.tol * variance if np.isfinite(variance) else 0.0
        best = None
        with progress(self, show_inertia, total=self._n_init * max_iter) as report:
            for _ in range(self._n_init):
                start = self._start(samples, norms, given, random_state)
                if chunked:
                    found = _chunks.lloyd_of_chunks(samples, start, max_iter, tol, report)
                else:
                    step = self._step(samples, algorithm)
                    found = _lloyd.lloyd(samples, start, max_iter, tol, report=report, step=step)
                if best is None or found.inertia < best.inertia:
                    best = found
        self._store(best, samples, names)
        return self

    def _choose_algorithm(self, X):
        if self.n_clusters == 1 and self.algorithm == "elkan":
            message = (
                "algorithm='elkan' doesn't make sense for a single cluster. Using 'lloyd' instead."
            )
            validation.warn(RuntimeWarning(message))
        if self.n_clusters == 1 or validation.is_sparse(X):
            return "lloyd"
        return self.algorithm

    def _step(self, samples, algorithm):
        """Return what assigns the samples, anew for each start, or None: plain passes."""
        if self.n_clusters == 1 or validation.is_sparse(samples.X):
            return None
        if algorithm == "lloyd" and samples.X.size * int(self.n_clusters) <= SMALL:
            exact = samples._replace(X=samples.X.astype(np.float64, copy=False))
            return lambda centres, labels: _lloyd.assign(exact, centres, labels)
        if algorithm == "lloyd":
            return Margins(samples, self.n_clusters)
        return Bounds(samples, self.n_clusters, None, algorithm == "elkan")

    def _store(self, best, samples, names):
        used = np.zeros(self.n_clusters, dtype=bool)
        for begin in range(0, len(best.labels), 1 << 16):  # without a copy of all labels
            used[best.labels[begin : begin + (1 << 16)]] = True
        n_distinct = np.count_nonzero(used)
        if n_distinct < self.n_clusters:
            message = (
                f"{type(self).__name__}: Number of distinct clusters ({n_distinct}) found smaller "
                f"than n_clusters ({self.n_clusters}). Possibly due to duplicate points in X."
            )
            validation.warn(ConvergenceWarning(message))
        dtype = samples.X.dtype
        self.cluster_centers_ = (best.centres + samples.centre).astype(dtype)
        self.labels_, self.inertia_ = best.labels, best.inertia
        self.n_iter_, self.converged_ = best.n_iter, best.converged
        validation.store_features(self, samples.X.shape[1], names)


def show_inertia(inertia):
    """Say how good the centres are, after a progress bar."""
    return f"inertia {inertia:.6g}"


def k_means(
    X,
    n_clusters,
    *,
    sample_weight=None,
    init="k-means++",
    n_init="auto",
    max_iter=300,
    verbose=False,
    tol=1e-4,
    random_state=None,
    copy_x=True,
    algorithm="lloyd",
    return_n_iter=False,
):
    """Cluster samples as :class:`KMeans` does, and return the results.

    Parameters
    ----------
    X : array-like or CSR array of shape (n_samples, n_features)
        Samples.
    n_clusters : int
        Number of clusters, k.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the samples.
    init, n_init, max_iter, verbose, tol, random_state, copy_x, algorithm
        As in :class:`KMeans`.
    return_n_iter : bool, default=False
        Whether the number of iterations is returned, too.

    Returns
    -------
    centroid : ndarray of shape (n_clusters, n_features)
    label : ndarray of shape (n_samples,)
    inertia : float
    best_n_iter : int
        With `return_n_iter`.

    Examples
    --------
    >>> from litlearn.cluster import k_means
    >>> centers, labels, inertia = k_means([[0.0], [1.0], [10.0], [11.0]], 2, random_state=0)
    >>> print(sorted(centers.ravel().tolist()), inertia)
    [0.5, 10.5] 1.0
    """
    model = KMeans(
        n_clusters,
        init=init,
        n_init=n_init,
        max_iter=max_iter,
        verbose=verbose,
        tol=tol,
        random_state=random_state,
        copy_x=copy_x,
        algorithm=algorithm,
    ).fit(X, sample_weight=sample_weight)
    found = model.cluster_centers_, model.labels_, model.inertia_
    return (*found, model.n_iter_) if return_n_iter else found
