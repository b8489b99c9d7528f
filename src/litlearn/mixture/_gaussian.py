"""Gaussian mixtures: the estimator."""

import numpy as np

from litlearn._core import factors, validation
from litlearn._core.base import BaseEstimator, DensityMixin
from litlearn._core.chunked import each_chunk, in_memory, is_chunked
from litlearn._core.constraints import ARRAY, COUNT, NOT_NEGATIVE, REPEATS, Integer, Option, Table
from litlearn._core.parallel import cut, fold_blocks
from litlearn._core.progress import progress
from litlearn.exceptions import ConvergenceWarning
from litlearn.mixture import _em
from litlearn.mixture._em import KINDS, Estimate, Parameters

KAPPA = 0.7  # power of a batch's share, in :meth:`partial_fit`: sums converge above 0.5, up to 1


class GaussianMixture(DensityMixin, BaseEstimator):
    r"""A density that is a sum of normal ones, fitted by expectation and maximisation.

    Maximises the likelihood :eq:`eq-gmm-likelihood` of the density :eq:`eq-gmm-density`
    :cite:p:`dempster_maximum_1977`, and finds a local maximum. Every round climbs on the bound
    :eq:`eq-gmm-bound`, so that the likelihood never falls.

    Parameters
    ----------
    n_components : int, default=1
        k, the number of normal distributions.
    covariance_type : {"full", "tied", "diag", "spherical"}, default="full"
        Each component has a covariance matrix of its own; all share one; each has variances of the
        features; or one variance.
    tol : float, default=1e-3
        Stops when an iteration raises the mean log-likelihood by less.
    reg_covar : float, default=1e-6
        Added to every variance, in squared units of the features: no component can collapse.
    max_iter : int, default=100
        Most iterations from a start.
    n_init : int, default=1
        Number of starts, of which the best ends.
    init_params : {"kmeans", "k-means++", "random", "random_from_data"}, default="kmeans"
        Where to start: with the clusters of k-means, its seeds, random responsibilities, or random
        samples.
    weights_init : array-like of shape (n_components,), default=None
        Weights to start with.
    means_init : array-like of shape (n_components, n_features), default=None
        Means to start with.
    precisions_init : array-like, default=None
        Inverse covariances to start with, in the shape of ``precisions_``.
    random_state : int, RandomState, Generator or None, default=None
        Draws the starts, and the samples of :meth:`sample`.
    warm_start : bool, default=False
        Whether ``fit`` goes on from where it ended before.
    verbose : bool or int, default=0
        Whether a progress bar shows the mean log-likelihood.
    verbose_interval : int, default=10
        Has no effect.

    Attributes
    ----------
    weights_ : ndarray of shape (n_components,)
        Weights of the components, of sum 1.
    means_ : ndarray of shape (n_components, n_features)
        Means.
    covariances_ : ndarray
        Covariances: (n_components, n_features, n_features), (n_features, n_features),
        (n_components, n_features) or (n_components,), in the order of `covariance_type`.
    precisions_ : ndarray
        Their inverses, of the same shape.
    precisions_cholesky_ : ndarray
        Upper triangular factors U of the inverses ``U U'``, or roots of inverse variances.
    converged_ : bool
        Whether the best start ended by `tol`.
    n_iter_ : int
        Its iterations.
    lower_bound_ : float
        Mean log-likelihood, weighted, before its last step.
    lower_bounds_ : list of float
        Those of all its steps: they never fall, up to rounding and `reg_covar`. After another
        batch of :meth:`partial_fit`, that of the batch before its one step.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if `X` was a data frame with string names.

    Notes
    -----
    Cost: n k p^2 an iteration (n k p for ``"diag"`` and ``"spherical"``), in blocks of rows: `X`
    may be a ``numpy.memmap`` larger than memory. An interrupted fit (Ctrl-C) raises
    ``KeyboardInterrupt`` and leaves the parameters after the last whole iteration of the best start
    so far, with ``converged_`` false.

    Weights enter :eq:`eq-gmm-m-step` as copies would: responsibilities are multiplied by them.

    Examples
    --------
    >>> from litlearn.mixture import GaussianMixture
    >>> model = GaussianMixture(2, random_state=0).fit([[0.0], [1.0], [10.0], [11.0]])
    >>> print(sorted(model.means_.ravel().round(3).tolist()))
    [0.5, 10.5]
    """

    _constraints = Table(
        n_components=COUNT,
        covariance_type=Option(*KINDS),
        reg_covar=NOT_NEGATIVE,
        max_iter=Integer("[0, inf)"),
        n_init=REPEATS,
        init_params=Option("kmeans", "k-means++", "random", "random_from_data"),
        weights_init=ARRAY | None,
        means_init=ARRAY | None,
        precisions_init=ARRAY | None,
        verbose_interval=COUNT,
    )
    _fits_chunks = True

    def __init__(
        self,
        n_components=1,
        *,
        covariance_type="full",
        tol=1e-3,
        reg_covar=1e-6,
        max_iter=100,
        n_init=1,
        init_params="kmeans",
        weights_init=None,
        means_init=None,
        precisions_init=None,
        random_state=None,
        warm_start=False,
        verbose=0,
        verbose_interval=10,
    ):
        self._set_as_given(locals())

    # Fitting

    def fit(self, X, y=None, sample_weight=None):
        """Find the parameters.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples: at least two, and no fewer than components.
        y : None
            Not used.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples: each counts as so many copies of itself, up to a common factor.
            At least `n_components` of them are positive. None: all count once.

        Returns
        -------
        self : estimator

        Raises
        ------
        TypeError
            If `X` holds objects that are not numbers, or is sparse.
        ValueError
            If a parameter is out of range, there are fewer samples than components, a component
            has collapsed, a weight is negative, or `X` or `sample_weight` is missing, empty, of
            the wrong shape, or holds NaN or infinity.
        KeyboardInterrupt
            On Ctrl-C, once the parameters after the last whole iteration are stored.

        Warns
        -----
        ConvergenceWarning
            If the best start did not converge.
        """
        self._fit(X, sample_weight)
        return self

    def fit_predict(self, X, y=None, sample_weight=None):
        """Fit, and return the component of each sample.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        y : None
            Not used.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples in the fit.

        Returns
        -------
        ndarray of shape (n_samples,)
            The component of the largest responsibility.
        """
        checked = self._fit(X, sample_weight)
        return self.predict(X) if is_chunked(X) else self._log_joint(checked).argmax(axis=1)

    def partial_fit(self, X, y=None, sample_weight=None):
        r"""Go on with a batch of samples, by one step of EM averaged with those before.

        The first batch is fitted as by :meth:`fit`, and after :meth:`fit` the next one goes on from
        there. Of what came before, the model itself is all that is kept.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The batch: the first one as for :meth:`fit`, later ones of any size.
        y : None
            Not used.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples, in one unit for all batches.

        Returns
        -------
        self : estimator

        Raises
        ------
        TypeError
            If `X` holds objects that are not numbers, or is sparse.
        ValueError
            As in :meth:`fit`; or if `n_components` or `covariance_type` has changed since the first
            batch.

        Warns
        -----
        ConvergenceWarning
            If the fit to the first batch did not converge.

        Notes
        -----
        Stepwise EM :cite:p:`cappe_on-line_2009,liang_online_2009`. With the statistics
        :math:`\hat{s}` of a batch, that is the means over its samples of the responsibilities
        :eq:`eq-gmm-responsibility` and of their products with samples and squares, those so far
        become

        .. math:: s \leftarrow (1-\eta)\,s + \eta\,\hat{s}, \qquad
                  \eta = \Big(\frac{b}{n+b}\Big)^{0.7},

        for a batch of b samples after n others, and the new parameters are those that
        :eq:`eq-gmm-m-step` makes of `s`. Among batches of equal size the next after t others has
        :math:`\eta=(t+1)^{-0.7}`: all count, and the early ones, whose responsibilities were poor,
        less and less. A step may lower the likelihood; the parameters approach a stationary point
        as batches go on. Cost of a batch: that of an iteration, b k p^2.
        """
        if not hasattr(self, "_seen"):
            return self.fit(X, sample_weight=sample_weight)
        validation.check_parameters(self)
        X = validation.check_queries(self, X)
        weight, _, total = self._check_weight(sample_weight, len(X))
        kind, seen, exact = self._seen
        if (kind, len(self.means_)) != (self.covariance_type, self.n_components):
            raise ValueError(
                f"{type(self).__name__}.partial_fit: n_components={self.n_components} and "
                f"covariance_type={self.covariance_type!r} were {len(self.means_)} and {kind!r} "
                "for the batches before. Call fit to begin anew."
            )
        share = (total / (seen + total)) ** KAPPA
        parameters, bound = _em.batch_step(
            kind, X, exact or self._parameters(), share, self.reg_covar, weight
        )
        self._store(Estimate(parameters, [bound], False), X.dtype, seen + total)
        return self

    def _fit(self, X, sample_weight):
        random_state = validation.check_parameters(self).random_state
        X, names = validation.check_samples(self, X, fewest=2)
        weight, count, total = self._check_weight(sample_weight, len(X))
        who = type(self).__name__
        if count < self.n_components:
            raise ValueError(
                f"{who}: Expected n_samples >= n_components but got n_components = "
                f"{self.n_components}, n_samples = {count}"
                f"{'' if weight is None else ' with a positive sample_weight'}"
            )
        given = self._check_start(X.shape[1])
        going_on = self.warm_start and hasattr(self, "converged_")
        best = None
        n_starts, max_iter = 1 if going_on else int(self.n_init), int(self.max_iter)
        with progress(self, show_likelihood, total=n_starts * max_iter) as report:
            for _ in range(n_starts):
                try:
                    if going_on:
                        start = self._parameters()
                    else:
                        start = self._start(X, weight, given, random_state)
                    before = self.lower_bound_ if going_on else -np.inf
                    found = _em.expectation_maximisation(
                        self.covariance_type,
                        X,
                        start,
                        max_iter=max_iter,
                        tol=self.tol,
                        reg_covar=self.reg_covar,
                        before=before,
                        report=report,
                        weight=weight,
                    )
                except KeyboardInterrupt as interrupt:
                    best = better(best, getattr(interrupt, "fit", None))
                    if best is not None and best.lower_bounds:
                        self._store(best._replace(converged=False), X.dtype, total)
                        validation.store_features(self, X.shape[1], names)
                    raise
                best = better(best, found)
        self._store(best, X.dtype, total)
        validation.store_features(self, X.shape[1], names)
        if not best.converged and self.max_iter > 0:
            message = (
                f"{who}: Best performing initialization did not converge. Try different init "
                "parameters, or increase max_iter, tol, or check for degenerate data."
            )
            validation.warn(ConvergenceWarning(message))
        return X

    def _check_weight(self, sample_weight, n):
        """Return weights of mean 1 (n,), or None; how many are positive, and the sum as given.

        Of mean 1, as sums leave out what is negligible, whatever the unit of the weights.
        """
        weight = validation.check_sample_weight(self, sample_weight, n)
        if weight is None:
            return None, n, float(n)
        total, count = in_memory(weight.sum()), int(in_memory((weight > 0.0).sum()))
        scale = n / total
        if is_chunked(weight):
            weight = each_chunk(weight, lambda chunk: chunk * scale, np.empty(0))
        else:
            weight = weight * scale
        return weight, count, float(total)

    def _check_start(self, p):
        """Return the weights, means and precisions that were given, float64 or None."""
        k, kind = self.n_components, self.covariance_type
        shapes = {"full": (k, p, p), "tied": (p, p), "diag": (k, p), "spherical": (k,)}
        weights = self._check_given("weights", (k,))
        means = self._check_given("means", (k, p))
        precisions = self._check_given("precisions", shapes[kind])
        who = type(self).__name__
        if weights is not None and ((weights < 0.0).any() or (weights > 1.0).any()):
            raise ValueError(
                f"{who}, weights_init: The parameter 'weights' should be in the range [0, 1], but "
                f"got max value {weights.min():.5f}, min value {weights.max():.5f}"
            )
        if weights is not None and abs(weights.sum() - 1.0) > 1e-6:
            raise ValueError(
                f"{who}, weights_init: The parameter 'weights' should be normalized, but got "
                f"sum(weights) = {weights.sum():.5f}"
            )
        if precisions is None:
            return weights, means, None
        if kind in ("diag", "spherical") and (precisions <= 0.0).any():
            raise ValueError(f"{who}, precisions_init: '{kind} precision' should be positive")
        for one in precisions.reshape(-1, p, p) if kind in ("full", "tied") else ():
            if not np.allclose(one, one.T) or not (np.linalg.eigvalsh(one) > 0.0).all():
                raise ValueError(
                    f"{who}, precisions_init: '{kind} precision' should be symmetric, "
                    "positive-definite"
                )
        return weights, means, precisions

    def _check_given(self, what, shape):
        """Return the parameter that begins as `what`, in this shape, or None."""
        name = f"{what}_init"
        values = getattr(self, name)
        if values is None:
            return None
        expected = f"an array-like of finite numbers, of shape {shape}, or None"
        array = validation.check_numbers(self, name, values, expected)
        if array.shape != shape:
            kind = f"{self.covariance_type} precision" if what == "precisions" else what
            raise ValueError(
                f"{type(self).__name__}, {name}: The parameter '{kind}' should have the shape of "
                f"{shape}, but got {array.shape}"
            )
        return array

    def _start(self, X, weight, given, random_state):
        """Return the parameters of a start; those that were given take the place of others."""
        weights, means, precisions = given
        if any(one is None for one in given):
            start = self._first_responsibilities(X, weight, random_state)
            found = _em.from_responsibilities(
                self.covariance_type, X, *start, self.n_components, self.reg_covar, weight
            )
            weights = found.weights if weights is None else weights
            means = found.means if means is None else means
            if precisions is None:
                rest = found.covariances, found.factors, found.log_determinants
                return Parameters(weights, means, *rest)
        covariances = inverses(precisions, self.covariance_type in ("full", "tied"))
        return _em.with_factors(self.covariance_type, weights, means, covariances)

    def _first_responsibilities(self, X, weight, random_state):
        """Return what is known of each sample (n, ...), and a function of a tile of it.

        The function comes first; it returns responsibilities (m, k).
        """
        from litlearn.cluster import KMeans, kmeans_plusplus

        n, k = len(X), self.n_components
        if is_chunked(X) and self.init_params in ("k-means++", "random"):
            raise ValueError(
                f"{type(self).__name__}: init_params={self.init_params!r} draws for all samples at "
                "once. Of an array of Dask, use 'kmeans', which starts from k-means||, or "
                "'random_from_data'."
            )
        if self.init_params == "random":
            R = random_state.uniform(size=(n, k))
            R /= R.sum(axis=1, keepdims=True)
            return np.asarray, R
        if self.init_params == "kmeans":
            clusters = KMeans(k, n_init=1, random_state=random_state)
            if weight is not None:
                # It stops by a share of the variance in which each sample counts once.
                clusters.tol *= _em.ratio_of_spreads(X, weight)
            labels = clusters.fit(X, sample_weight=weight).labels_
            return lambda own: (own[:, None] == np.arange(k)).astype(np.float64), labels
        if self.init_params == "random_from_data":
            shares = None if weight is None else in_memory(weight) / n
            chosen = random_state.choice(n, size=k, replace=False, p=shares)
        else:
            _, chosen = kmeans_plusplus(X, k, sample_weight=weight, random_state=random_state)
        # The weight of a sample makes it likely to be drawn; once it is, it counts as one copy.
        own_weight = 1.0 if weight is None else in_memory(weight[chosen])
        once = 1.0 / np.maximum(own_weight, np.finfo(np.float64).tiny)

        def weigh(own):
            return (np.arange(own.start, own.stop)[:, None] == chosen) * once

        return weigh, range(n)  # numbers of rows, of which a chunk is told its own

    def _store(self, best, dtype, seen):
        """Keep a fit to samples of the weight `seen`."""
        found = best.parameters
        # The next batch goes on without what rounding to float32 takes away.
        exact = None if dtype == np.float64 else found
        self._seen = self.covariance_type, seen, exact
        self.weights_, self.means_ = found.weights.astype(dtype), found.means.astype(dtype)
        self.covariances_ = found.covariances.astype(dtype)
        self.precisions_cholesky_ = found.factors.astype(dtype)
        matrices = self.covariance_type in ("full", "tied")
        U = found.factors
        self.precisions_ = (U @ np.swapaxes(U, -1, -2) if matrices else U**2).astype(dtype)
        self.converged_, self.n_iter_ = best.converged, len(best.lower_bounds)
        self.lower_bounds_ = best.lower_bounds
        self.lower_bound_ = best.lower_bounds[-1] if best.lower_bounds else -np.inf

    def _parameters(self):
        """Return the fitted parameters, in float64."""
        weights, means, U = (
            one.astype(np.float64)
            for one in (self.weights_, self.means_, self.precisions_cholesky_)
        )
        k, p = means.shape
        if self.covariance_type in ("full", "tied"):
            logs = -2.0 * np.log(np.abs(np.diagonal(U, axis1=-2, axis2=-1))).sum(axis=-1)
        else:
            logs = -2.0 * np.log(U).sum(axis=1) if U.ndim == 2 else -2.0 * p * np.log(U)
        covariances = self.covariances_.astype(np.float64)
        return Parameters(weights, means, covariances, U, np.broadcast_to(logs, k))

    # Answers

    def _log_joint(self, X):
        """Return the logarithms of weight times density, (n_samples, k), block by block."""
        density = _em.density_of(self.covariance_type, self._parameters())
        out = np.empty((len(X), len(density.places)))

        def part(rows):
            out[rows] = _em.log_joint(density, X[rows])

        size = _em.samples_of_tile(self.covariance_type, out.shape[1], X.shape[1])
        fold_blocks(part, None, cut(len(X), size), work=out.size * X.shape[1])
        return out

    def _scores(self, X):
        return self._log_joint(validation.check_queries(self, X))

    def _settled_scores(self, X):
        """As `_scores`, for responsibilities: samples whose densities are all zero come nearer.

        So far away that squares overflow, they have settled on a component long before.
        """
        X = validation.check_queries(self, X)
        scores = self._log_joint(X)
        far = np.flatnonzero(~np.isfinite(scores.max(axis=1)))
        nearer = X[far]
        while len(far):
            nearer = nearer * X.dtype.type(2.0**-32)
            found = self._log_joint(validation.read_only(nearer))
            settled = np.isfinite(found.max(axis=1))
            scores[far[settled]] = found[settled]
            far, nearer = far[~settled], nearer[~settled]
        return scores

    def score_samples(self, X):
        """Return the logarithm of the density at each sample.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        logs = _em.responsibilities(self._scores(X))
        logs[np.isnan(logs)] = -np.inf  # all components are beyond the range of numbers
        return logs

    def score(self, X, y=None, sample_weight=None):
        """Return the mean log-likelihood of samples.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        y : None
            Not used.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples in the mean.

        Returns
        -------
        float
        """
        logs = self.score_samples(X)
        weight = validation.check_sample_weight(self, in_memory(sample_weight), len(logs))
        if weight is None:
            return float(logs.mean())
        logs, counts = in_memory(logs), weight > 0.0  # of the others, it may be minus infinity
        return float(np.average(logs[counts], weights=weight[counts]))

    def predict(self, X):
        """Return the component of the largest responsibility.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return self._settled_scores(X).argmax(axis=1)

    def predict_proba(self, X):
        """Return the responsibilities.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            Each row sums to 1: :eq:`eq-gmm-responsibility`.
        """
        R = self._settled_scores(X)
        _em.responsibilities(R)
        return R

    def sample(self, n_samples=1):
        """Draw samples from the mixture, with `random_state`.

        Parameters
        ----------
        n_samples : int, default=1
            How many.

        Returns
        -------
        X : ndarray of shape (n_samples, n_features)
            Samples, component by component.
        y : ndarray of shape (n_samples,)
            Their components.

        Raises
        ------
        ValueError
            If `n_samples` is below one.
        """
        validation.check_is_fitted(self)
        if n_samples < 1:
            raise ValueError(
                f"{type(self).__name__}: Invalid value for 'n_samples': {n_samples} . The sampling "
                "requires at least one sample."
            )
        random_state = validation.check_random_state(self, self.random_state)
        weights, means, covariances, *_ = self._parameters()
        k, p = means.shape
        counts = random_state.multinomial(n_samples, weights / weights.sum())
        parts = []
        for c, count in enumerate(counts):
            own = covariances if self.covariance_type == "tied" else covariances[c]
            if self.covariance_type in ("full", "tied"):
                parts.append(random_state.multivariate_normal(means[c], own, int(count)))
            else:
                draws = random_state.standard_normal(size=(count, p))
                parts.append(means[c] + draws * np.sqrt(own))
        return np.vstack(parts), np.repeat(np.arange(k), counts)

    def bic(self, X):
        """Return the Bayesian information criterion of samples: lower is better.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        float
            Minus twice the log-likelihood, plus the number of parameters times ``log(n_samples)``:
            :eq:`eq-gmm-bic` :cite:p:`schwarz_estimating_1978`.
        """
        scores = self.score_samples(X)
        return float(-2.0 * scores.sum() + self._n_parameters() * np.log(len(scores)))

    def aic(self, X):
        """Return Akaike's information criterion of samples: lower is better.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        float
            Minus twice the log-likelihood, plus twice the number of parameters.
        """
        return float(-2.0 * self.score_samples(X).sum() + 2.0 * self._n_parameters())

    def _n_parameters(self):
        k, p = self.means_.shape
        matrix = p * (p + 1) // 2
        own = {"full": k * matrix, "tied": matrix, "diag": k * p, "spherical": k}
        return own[self.covariance_type] + k * p + k - 1


def show_likelihood(lower_bound):
    """Say how good the parameters are, after a progress bar."""
    return f"log-likelihood {lower_bound:.6g}"


def better(best, found):
    """Return the fit of two with the higher likelihood; None is none, and the first wins a tie."""
    if best is None or (found is not None and found.lower_bounds[-1:] > best.lower_bounds[-1:]):
        return found
    return best


def inverses(precisions, matrices):
    """Return the covariances of precisions: inverse matrices, or reciprocals."""
    if not matrices:
        return 1.0 / precisions
    p = precisions.shape[-1]
    each = [
        factors.solve_factored(factors.cholesky(one), np.eye(p))
        for one in precisions.reshape(-1, p, p)
    ]
    return np.array(each).reshape(precisions.shape)
