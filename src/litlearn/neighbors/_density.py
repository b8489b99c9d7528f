"""Density estimation: a kernel around each training point."""

import numpy as np

from litlearn._core import validation
from litlearn._core.base import BaseEstimator
from litlearn._core.constraints import (
    BOOLEAN,
    COUNT,
    DICT,
    NOT_NEGATIVE,
    RANDOM_STATE,
    Option,
    Real,
    Table,
)
from litlearn.neighbors._checks import check_n_features, effective_metric
from litlearn.neighbors._kernel_density import LOG_KERNELS
from litlearn.neighbors._tree_classes import BallTree, KDTree

TREES = {"kd_tree": KDTree, "ball_tree": BallTree}


class KernelDensity(BaseEstimator):
    r"""Estimate a probability density as a mean of kernels around the training samples.

    .. math:: \hat{f}(x) = \frac{1}{n} \sum_i K_h(d(x, x^{(i)})),

    where the kernel :math:`K_h` of bandwidth h integrates to 1 over space. A small bandwidth gives
    a peak around each sample, a large one a single hill.

    Parameters
    ----------
    bandwidth : float or {"scott", "silverman"}, default=1.0
        Width of the kernel, positive, in the unit of the metric. ``"scott"``:
        ``n ** (-1 / (p + 4))``; ``"silverman"``: ``(n * (p + 2) / 4) ** (-1 / (p + 4))``, for n
        samples with p features; both are for features of variance 1.
    algorithm : {"auto", "kd_tree", "ball_tree"}, default="auto"
        The tree that finds the samples within reach of a kernel. It changes the time only.
        ``"auto"``: a k-d tree where the metric allows it.
    kernel : {"gaussian", "tophat", "epanechnikov", "exponential", "linear", "cosine"}
        Shape of the kernel; gaussian by default.
    metric : str, default="euclidean"
        One of ``BallTree.valid_metrics``. The densities integrate to 1 with the Euclidean metric.
    atol, rtol : float, default=0
        Accepted because scikit-learn has them. The sums are computed in full, so any tolerance is
        met.
    breadth_first : bool, default=True
        Accepted because scikit-learn has it.
    leaf_size : int, default=40
        Samples in a leaf of the tree. Changes time and memory only.
    metric_params : dict, default=None
        Further parameters of the metric.

    Attributes
    ----------
    bandwidth_ : float
        The bandwidth in use.
    tree_ : KDTree or BallTree
        The tree of the samples.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if `X` was a data frame with string names.

    Notes
    -----
    Fitting costs O(n p log n). A gaussian or exponential kernel reaches every sample, so that a
    density costs O(n p); the others cost a search within the bandwidth. See
    :cite:t:`hastie_elements_2009`, section 6.6.

    Examples
    --------
    >>> import numpy as np
    >>> from litlearn.neighbors import KernelDensity
    >>> model = KernelDensity(kernel="tophat", bandwidth=1.0).fit([[0.0], [0.5], [3.0]])
    >>> print(np.exp(model.score_samples([[0.2], [3.0], [9.0]])).round(3))
    [0.333 0.167 0.   ]
    """

    _constraints = Table(
        bandwidth=Option("scott", "silverman") | Real("[1e-290, inf)"),
        algorithm=Option("auto", *TREES),
        kernel=Option(*LOG_KERNELS),
        metric=Option(*BallTree.valid_metrics),
        atol=NOT_NEGATIVE,
        rtol=NOT_NEGATIVE,
        breadth_first=BOOLEAN,
        leaf_size=COUNT,
        metric_params=DICT | None,
    )

    def __init__(
        self,
        *,
        bandwidth=1.0,
        algorithm="auto",
        kernel="gaussian",
        metric="euclidean",
        atol=0,
        rtol=0,
        breadth_first=True,
        leaf_size=40,
        metric_params=None,
    ):
        self._set_as_given(locals())

    def fit(self, X, y=None, sample_weight=None):
        """Build the tree of the samples.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training samples.
        y : ignored
            Present because scikit-learn's tools pass it.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of the kernel around each sample.

        Returns
        -------
        self : KernelDensity

        Raises
        ------
        ValueError
            If a parameter is out of range, or `X` is missing, empty, of the wrong shape, or holds
            NaN or infinity.
        """
        validation.check_parameters(self)
        algorithm = self._choose_algorithm()
        metric, params = effective_metric(self, self.metric, None, self.metric_params)
        X, names = validation.check_samples(self, X)
        check_n_features(self, algorithm, metric, params, X.shape[1])
        weight = validation.check_sample_weight(self, sample_weight, X.shape[0])
        tree = TREES[algorithm](
            X,
            metric=self.metric,
            leaf_size=self.leaf_size,
            sample_weight=weight,
            **(self.metric_params or {}),
        )
        validation.store_features(self, X.shape[1], names)
        self.bandwidth_, self.tree_ = self._choose_bandwidth(*X.shape), tree
        return self

    def _choose_algorithm(self):
        if self.algorithm == "auto":
            return "kd_tree" if self.metric in KDTree.valid_metrics else "ball_tree"
        if self.metric not in TREES[self.algorithm].valid_metrics:
            raise ValueError(
                f"{type(self).__name__}: invalid metric for {self.algorithm}: {self.metric!r}. "
                f"Valid metrics are {TREES[self.algorithm].valid_metrics}."
            )
        return self.algorithm

    def _choose_bandwidth(self, n, p):
        if validation.is_option(self.bandwidth, "scott"):
            return n ** (-1 / (p + 4))
        if validation.is_option(self.bandwidth, "silverman"):
            return (n * (p + 2) / 4) ** (-1 / (p + 4))
        return self.bandwidth

    def score_samples(self, X):
        """Return the logarithm of the density at each query.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features)
            Queries.

        Returns
        -------
        ndarray of shape (n_queries,)
            Natural logarithms; minus infinity beyond the reach of every kernel.
        """
        X = validation.check_queries(self, X)
        logs = self.tree_.kernel_density(X, self.bandwidth_, kernel=self.kernel, return_log=True)
        return logs - np.log(self.tree_.sum_weight)

    def score(self, X, y=None):
        """Return the log-likelihood of samples: the sum of ``score_samples``.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        y : ignored
            Present because scikit-learn's tools pass it.

        Returns
        -------
        float
            The larger, the better the density describes the samples.
        """
        return float(np.sum(self.score_samples(X)))

    def sample(self, n_samples=1, random_state=None):
        """Draw from the density: a training sample at random, then a point of its kernel.

        Parameters
        ----------
        n_samples : int, default=1
            Number of draws.
        random_state : int, RandomState, Generator or None, default=None
            Source of the draws. The same int gives the same draws, those of scikit-learn.

        Returns
        -------
        ndarray of shape (n_samples, n_features)

        Raises
        ------
        NotImplementedError
            For a kernel other than ``"gaussian"`` and ``"tophat"``.
        """
        validation.check_is_fitted(self)
        if self.kernel not in ("gaussian", "tophat"):
            raise NotImplementedError(
                f"{type(self).__name__}: sample needs the kernel 'gaussian' or 'tophat', not "
                f"{self.kernel!r}."
            )
        n_samples = COUNT.check(self, "n_samples", n_samples)
        rng = RANDOM_STATE.check(self, "random_state", random_state)
        data, weight = self.tree_.data, self.tree_.sample_weight
        share = rng.uniform(0, 1, size=n_samples)
        if weight is None:
            chosen = (share * len(data)).astype(np.intp)
        else:
            bounds = np.cumsum(weight)
            chosen = np.searchsorted(bounds, share * bounds[-1])
        if self.kernel == "gaussian":
            return rng.normal(data[chosen], self.bandwidth_)
        return data[chosen] + self.bandwidth_ * _in_unit_ball(rng, n_samples, data.shape[1])


def _in_unit_ball(rng, n, p):
    """Draw points (n, p) that fill the unit ball evenly.

    The squared length of normal numbers has the distribution function ``gammainc``: its value is
    even between 0 and 1, and its p-th root is the length that fills the ball.
    """
    from scipy.special import gammainc

    Z = rng.normal(size=(n, p))
    squares = np.einsum("ij,ij->i", Z, Z)
    lengths = gammainc(0.5 * p, 0.5 * squares) ** (1 / p)
    return Z * (lengths / np.sqrt(squares))[:, np.newaxis]
