"""The two trees as objects of their own, as scikit-learn offers them."""

import numpy as np

from litlearn._core import pickles, validation
from litlearn._core.base import __version__
from litlearn._core.constraints import COUNT
from litlearn.neighbors import _search
from litlearn.neighbors._base import TreeBase, build_index, split_rows, unpickled_index
from litlearn.neighbors._checks import (
    check_metric,
    check_n_features,
    check_radius,
    effective_metric,
)
from litlearn.neighbors._kernel_density import KernelDensityMixin

NODE = np.dtype([("idx_start", "i8"), ("idx_end", "i8"), ("is_leaf", "i8"), ("radius", "f8")])


class BinaryTree(KernelDensityMixin, TreeBase):
    """What the two trees share: every method. They differ in the bound that a node keeps."""

    algorithm = None
    valid_metrics = ()

    def __init__(self, X, leaf_size=40, metric="minkowski", sample_weight=None, **kwargs):
        leaf_size = COUNT.check(self, "leaf_size", leaf_size)
        self.effective_metric_, self.effective_metric_params_ = effective_metric(
            self, metric, None, kwargs
        )
        metric, params = self.effective_metric_, self.effective_metric_params_
        check_metric(self, self.algorithm, metric, params)
        self._fit_X = validation.check_array(self, X)
        n_samples, n_features = self._fit_X.shape
        check_n_features(self, self.algorithm, metric, params, n_features)
        self.sample_weight = validation.check_sample_weight(self, sample_weight, n_samples)
        self._index = build_index(self, self._fit_X, self.algorithm, metric, params, leaf_size)

    def __getstate__(self):
        return {**self.__dict__, pickles.VERSION: __version__}

    def __setstate__(self, state):
        pickles.restore(self, state)
        self._fit_X.flags.writeable = False  # in place: the index holds the same array
        leaf_size = self._index.tree[1]  # that of 0.1.0 is nothing but its fields
        self._index = unpickled_index(self, self._index, leaf_size)

    @property
    def data(self):
        """The points, of shape (n_samples, n_features), read-only."""
        return self._fit_X

    @property
    def sum_weight(self):
        """The sum of the sample weights; the number of samples if there are none."""
        return float(len(self._fit_X) if self.sample_weight is None else self.sample_weight.sum())

    def _queries(self, X):
        array = validation.check_array(self, X)
        if array.shape[1] != self._fit_X.shape[1]:
            raise ValueError(
                f"{type(self).__name__}: query data dimension must match training data dimension: "
                f"X has {array.shape[1]} features, expected {self._fit_X.shape[1]}."
            )
        return array

    def query(
        self,
        X,
        k=1,
        return_distance=True,
        dualtree=False,
        breadth_first=False,
        sort_results=True,
    ):
        """Find the k nearest points of each query: :eq:`eq-k-neighborhood`.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features)
            Query points.
        k : int, default=1
            Number of neighbours.
        return_distance : bool, default=True
            Whether to return the distances too.
        dualtree, breadth_first, sort_results : bool
            Accepted because scikit-learn has them. The result is the same, and sorted, in any case.

        Returns
        -------
        d : ndarray of shape (n_queries, k), float64
            Distances, increasing. Only if `return_distance` is True.
        i : ndarray of shape (n_queries, k)
            Row numbers. Of points at the same distance, those with the lower numbers come first.

        Raises
        ------
        ValueError
            If `k` is less than 1 or greater than the number of points.
        """
        queries = self._queries(X)
        k = COUNT.check(self, "k", k)
        if k > len(self._fit_X):
            raise ValueError(
                f"{type(self).__name__}: k must be less than or equal to the number of training "
                f"points; got k = {k} for {len(self._fit_X)} points."
            )
        dist, ind = _search.query_knn(self._index, queries, k)
        return (dist, ind) if return_distance else ind

    def query_radius(self, X, r, return_distance=False, count_only=False, sort_results=False):
        """Find all points within a radius of each query: :eq:`eq-radius-neighborhood`.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features)
            Query points.
        r : float, or array-like of shape (n_queries,)
            One radius for all, or one for each query. A point at exactly this distance is included.
        return_distance : bool, default=False
            Whether to return the distances too.
        count_only : bool, default=False
            Return only how many there are.
        sort_results : bool, default=False
            Order the points of a query by distance. Needs ``return_distance=True``.

        Returns
        -------
        ndarray of shape (n_queries,)
            The counts if `count_only`, otherwise an array of arrays of row numbers; with
            `return_distance`, a pair of that and an array of arrays of distances.

        Raises
        ------
        ValueError
            If a radius is negative or NaN, or if the options contradict each other.
        """
        who = type(self).__name__
        if count_only and return_distance:
            raise ValueError(f"{who}: count_only and return_distance cannot both be true.")
        if sort_results and not return_distance:
            raise ValueError(f"{who}: return_distance must be True if sort_results is True.")
        queries = self._queries(X)
        r = check_radius(self, r, len(queries), name="r")
        if count_only:
            return _search.count_radius(self._index, queries, r)
        indptr, ind, dist = _search.query_radius(self._index, queries, r, sort=bool(sort_results))
        if return_distance:
            return split_rows(ind, indptr), split_rows(dist, indptr)
        return split_rows(ind, indptr)

    def two_point_correlation(self, X, r, dualtree=False):
        """Count the pairs of a query and a point that are no further apart than each radius.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features)
            Query points.
        r : float or array-like of shape (n_radii,)
            Radii.
        dualtree : bool, default=False
            Accepted because scikit-learn has it.

        Returns
        -------
        ndarray of shape (n_radii,)
            Numbers of pairs.

        Notes
        -----
        Costs one search, without its list of points, for each query and radius.
        """
        queries = self._queries(X)
        radii = np.atleast_1d(np.asarray(r))
        if radii.ndim != 1:
            raise ValueError(
                f"{type(self).__name__}: r must be a 1d array, got shape {radii.shape}."
            )
        radii = check_radius(self, radii, len(radii), name="r")
        totals = [_search.count_radius(self._index, queries, float(one)).sum() for one in radii]
        return np.array(totals, dtype=np.intp)

    def get_arrays(self):
        """Return the points and the nodes of the tree.

        Returns
        -------
        data : ndarray of shape (n_samples, n_features)
            The points, in the order in which they came.
        idx_array : ndarray of shape (n_samples,)
            The row numbers of the points, leaf after leaf.
        node_data : structured array of shape (n_nodes,)
            The range ``idx_start`` to ``idx_end`` of `idx_array` that a node holds, whether it
            ``is_leaf``, and its ``radius``. Nodes are numbered depth first.
        node_bounds : ndarray of shape (2, n_nodes, n_features) or (1, n_nodes, n_features)
            The lower and upper corners of the boxes of a k-d tree; the centres of a ball tree.
        """
        tree, scale = self._index.tree, self._index.scale
        nodes = np.empty(len(tree.start), dtype=NODE)
        nodes["idx_start"], nodes["idx_end"] = tree.start, tree.stop
        nodes["is_leaf"] = tree.right == 0
        if self.algorithm == "ball_tree":
            nodes["radius"] = tree.high[:, 0] / scale
            return self._fit_X, tree.rows, nodes, tree.low[np.newaxis] / scale
        nodes["radius"] = self._norms((tree.high - tree.low) / 2) / scale
        return self._fit_X, tree.rows, nodes, np.stack([tree.low, tree.high]) / scale

    def _norms(self, vectors):
        """Return the length of each row in the metric of the tree."""
        p, w = self._index.metric.p, self._index.metric.w
        if np.isinf(p):
            return (vectors * (w > 0)).max(axis=1)
        return (w * np.abs(vectors) ** p).sum(axis=1) ** (1 / p)

    def get_tree_stats(self):
        """Return the size of the tree.

        Returns
        -------
        n_trims : int
            0: how many nodes a search skips is not counted, because counting would slow it down.
        n_leaves : int
            Number of leaves.
        n_splits : int
            Number of nodes that are not leaves.
        """
        n_leaves = int(np.count_nonzero(self._index.tree.right == 0))
        return 0, n_leaves, len(self._index.tree.right) - n_leaves


class KDTree(BinaryTree):
    """A tree of boxes, for fast search in few dimensions.

    A node keeps the smallest box around its points; the distance from a query to the box bounds the
    distances to all of them :eq:`eq-box-bound`. See :cite:t:`bentley_multidimensional_1975` and
    :cite:t:`friedman_algorithm_1977`.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Points.
    leaf_size : int, default=40
        Points in a leaf, rounded up to a multiple of 8. Changes time and memory, not the result.
    metric : str, default="minkowski"
        One of ``valid_metrics``. ``"minkowski"`` without more is the Euclidean distance.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the points in ``kernel_density``.
    **kwargs
        ``p`` and ``w`` of the Minkowski metric :eq:`eq-minkowski`.

    Attributes
    ----------
    data : ndarray of shape (n_samples, n_features)
        The points.
    valid_metrics : list of str
        Names of the metrics that the tree can use.

    Notes
    -----
    Building costs O(n p log n) for n points with p features, and O(n p) of memory.

    Examples
    --------
    >>> from litlearn.neighbors import KDTree
    >>> tree = KDTree([[0.0], [1.0], [10.0]])
    >>> distance, row = tree.query([[0.8]], k=2)
    >>> print(distance.round(2), row)
    [[0.2 0.8]] [[1 0]]
    """

    algorithm = "kd_tree"
    valid_metrics = sorted(_search.METRICS["kd_tree"])


class BallTree(BinaryTree):
    """A tree of balls, for fast search in few dimensions.

    A node keeps a centre and a radius within which all its points lie; with the triangle inequality
    :eq:`eq-triangle-bound` they bound the distances to all of them :eq:`eq-ball-bound`. See
    :cite:t:`omohundro_five_1989`.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Points.
    leaf_size : int, default=40
        Points in a leaf, rounded up to a multiple of 8. Changes time and memory, not the result.
    metric : str, default="minkowski"
        One of ``valid_metrics``. ``"minkowski"`` without more is the Euclidean distance.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the points in ``kernel_density``.
    **kwargs
        ``p`` and ``w`` of the Minkowski metric :eq:`eq-minkowski`.

    Attributes
    ----------
    data : ndarray of shape (n_samples, n_features)
        The points.
    valid_metrics : list of str
        Names of the metrics that the tree can use.

    Notes
    -----
    Building costs O(n p log n) for n points with p features, and O(n p) of memory.

    Examples
    --------
    >>> from litlearn.neighbors import BallTree
    >>> tree = BallTree([[0.0], [1.0], [10.0]])
    >>> distance, row = tree.query([[0.8]], k=2)
    >>> print(distance.round(2), row)
    [[0.2 0.8]] [[1 0]]
    """

    algorithm = "ball_tree"
    valid_metrics = sorted(_search.METRICS["ball_tree"])
