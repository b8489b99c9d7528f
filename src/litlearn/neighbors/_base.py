"""What the nearest-neighbour estimators share: their parameters, their search, their weights.

The estimators check their input, call the search in ``_search.py``, and store
or combine what it returns. Neighbours travel in one form, for a fixed number of neighbours as for a
radius: `ind` and `dist` hold the neighbours of all queries one after the other, and those of query
`q` stand at the positions ``indptr[q]`` to ``indptr[q + 1] - 1``.
"""

import copy
import functools
import numbers
import sys
from typing import NamedTuple

import numpy as np

from litlearn._core import pickles, validation
from litlearn._core.base import BaseEstimator, MultiOutputMixin
from litlearn._core.chunked import is_chunked
from litlearn._core.chunked_methods import with_containers
from litlearn._core.constraints import CALLABLE, COUNT, DICT, Option, Real, Table
from litlearn._core.jit import njit
from litlearn.neighbors import _chunks, _precomputed, _search, _tree
from litlearn.neighbors._checks import (
    METRIC,
    algorithm_for,
    check_distances,
    check_n_features,
    check_radius,
    effective_metric,
    takes_sparse,
    warn_of_conversion,
)

# ---------------------------------------------------------------------------------------------
# Weights


@njit
def inverse_distance_weights(dist, indptr):
    """Weigh each neighbour by one over its distance, up to a factor common to its query.

    Implements :eq:`eq-weights-distance`. `dist` has shape (n_pairs,), `indptr` (n_queries + 1,).
    """
    weights = np.empty(dist.size)
    for q in range(indptr.size - 1):
        # <nearest>: The smallest distance of this query; dividing by 1 / nearest loses nothing.
        nearest = np.inf
        for s in range(indptr[q], indptr[q + 1]):
            nearest = min(nearest, dist[s])
        # <inverse>: Neighbours at the smallest distance get 1, and if that distance is 0, the
        # others get 0 / d = 0. Since nearest / d never exceeds 1, nothing can overflow.
        for s in range(indptr[q], indptr[q + 1]):
            weights[s] = 1.0 if dist[s] == nearest else nearest / dist[s]
    return weights


def make_weights(owner, weights, dist, indptr):
    """Return the weights of all neighbours, of shape (n_pairs,), or (1,) if they are equal.

    Implements :eq:`eq-weights-uniform` (the factor 1 / number of neighbours is left to the caller,
    who divides by the sum of the weights) and :eq:`eq-weights-distance`.
    """
    if weights in (None, "uniform"):
        return np.ones(1)
    if weights == "distance":
        return inverse_distance_weights(dist, indptr)
    return _callable_weights(owner, weights, dist, indptr)


def _callable_weights(owner, weights, dist, indptr):
    """Call the user's function with distances in the form that scikit-learn uses, and check."""
    counts = np.diff(indptr)
    if isinstance(owner, KNeighborsMixin):
        table = dist.reshape(len(counts), -1)
        result = weights(table)
        if np.shape(result) != table.shape:
            _refuse_weights(owner, f"has shape {np.shape(result)}, expected {table.shape}")
        flat = np.ravel(result)
    else:
        rows = split_rows(dist, indptr)
        try:
            result = weights(rows)
        except TypeError:  # NumPy's functions do not reach into an array of arrays
            result = [weights(row) for row in rows]
        if not np.iterable(result) or [np.shape(r) for r in result] != [r.shape for r in rows]:
            _refuse_weights(owner, "does not hold one weight for each distance")
        flat = np.concatenate([np.asarray(row) for row in result]) if len(result) else dist
    try:
        flat = np.array(flat, dtype=np.float64)
    except (TypeError, ValueError):
        _refuse_weights(owner, "holds objects that are not numbers")
    if np.any(np.isnan(flat)):
        _refuse_weights(owner, "holds NaN")
    if np.any(flat < 0):
        _refuse_weights(owner, "holds negative weights")
    # As with one over a distance of zero: where weights are infinite, they share all of it.
    has_infinite = np.repeat(sum_rows(np.isinf(flat) * 1.0, indptr) > 0, counts)
    flat[has_infinite] = np.isinf(flat[has_infinite])
    all_zero = (counts > 0) & (sum_rows(flat, indptr) == 0)
    if np.any(all_zero):
        raise ValueError(
            f"{validation.owner_name(owner)}: All neighbors of some sample is getting zero "
            "weights. Please modify 'weights' to avoid this case if you are using a user-defined "
            f"function. The first of them is sample {np.flatnonzero(all_zero)[0]}."
        )
    return flat


def _refuse_weights(owner, what):
    name = validation.owner_name(owner)
    raise ValueError(f"{name}: the array that the callable 'weights' returned {what}.")


def sum_rows(values, indptr):
    """Sum `values` over the neighbours of each query; 0 for a query without neighbours."""
    totals = np.zeros(len(indptr) - 1)
    rows = np.flatnonzero(np.diff(indptr))
    if len(rows):
        totals[rows] = np.add.reduceat(values, indptr[rows])
    return totals


def split_rows(values, indptr):
    """Return an array of arrays: the values of each query."""
    rows = np.empty(len(indptr) - 1, dtype=object)
    rows[:] = np.split(values, indptr[1:-1])
    return rows


# ---------------------------------------------------------------------------------------------
# Estimators


class Prepared(NamedTuple):
    """What ``fit`` has checked, and stores when nothing can fail any more."""

    X: object  # array or CSR array
    names: object
    metric: object
    params: dict
    algorithm: str
    index: object  # None if it is to be built


class NeighborsBase(MultiOutputMixin, BaseEstimator):
    """Base of the nearest-neighbour estimators: checks of parameters, and the index."""

    # Which metrics there are depends on the algorithm and the data: see `effective_metric`.
    _constraints = Table(
        n_neighbors=COUNT | None,
        radius=Real("[0.0, inf]") | None,
        weights=Option("uniform", "distance") | CALLABLE | None,
        algorithm=Option("auto", "ball_tree", "kd_tree", "brute"),
        leaf_size=COUNT,
        metric=METRIC,
        p=Real("(0.0, inf]") | None,
        metric_params=DICT | None,
    )
    n_neighbors = None
    radius = None

    def __sklearn_is_fitted__(self):
        return hasattr(self, "_fit_method")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = tags.input_tags.pairwise
        tags.input_tags.sparse = takes_sparse(self.metric)
        tags.input_tags.allow_nan = self.metric == "nan_euclidean"
        return tags

    def __setstate__(self, state):
        super().__setstate__(state)
        if "_fit_method" in self.__dict__ and not self._searches_chunks():
            if isinstance(self._fit_X, np.ndarray):
                self._fit_X.flags.writeable = False  # in place: the index holds the same array
            self._index = unpickled_index(self, self._index, self.leaf_size)

    def _prepare(self, X):
        """Check all but the targets; return what :meth:`_store` needs, and store nothing yet."""
        validation.check_parameters(self)
        metric, params = effective_metric(self, self.metric, self.p, self.metric_params)
        if isinstance(X, (NeighborsBase, TreeBase)):
            if isinstance(X, NeighborsBase):
                validation.check_is_fitted(X)
            names, index = getattr(X, "feature_names_in_", None), X._index
            metric, params = X.effective_metric_, X.effective_metric_params_
            return Prepared(X._fit_X, names, metric, params, index.algorithm, index)
        names = validation.feature_names(X)
        array = self._check_samples(X, metric)
        if metric == "precomputed":
            validation.check_square(self, array)
        is_sparse = validation.is_sparse(array)
        algorithm = algorithm_for(self, self.algorithm, metric, params, is_sparse)
        check_n_features(self, algorithm, metric, params, array.shape[1])
        if is_chunked(array):
            leaf_size = int(self.leaf_size)
            index = _chunks.make_chunk_index(self, array, algorithm, metric, params, leaf_size)
            return Prepared(array, names, metric, params, algorithm, index)
        warn_of_conversion(self, metric, array)
        return Prepared(array, names, metric, params, algorithm, None)

    def _check_samples(self, X, metric, check=validation.check_array):
        """Return samples or queries as an array, or as a CSR array where they are sparse."""
        if metric == "precomputed":
            _precomputed.check_format(X)
        array = check(self, X, sparse=("csr",), missing=metric == "nan_euclidean")
        if metric == "precomputed":
            check_distances(self, array)
        return array

    def _store(self, prepared):
        """Build the index, unless one was taken over, and store it. Nothing fails after this."""
        X, names, metric, params, algorithm, index = prepared
        if index is None:
            index = build_index(self, X, algorithm, metric, params, self.leaf_size)
        validation.store_features(self, X.shape[1], names)
        self._index, self._fit_X = index, X
        self._fit_method = index.algorithm
        self.effective_metric_, self.effective_metric_params_ = metric, dict(params)
        self.n_samples_fit_ = X.shape[0]

    def _query_array(self, X):
        """Return the queries as an array, and whether they are the training samples."""
        validation.check_is_fitted(self)
        metric = self.effective_metric_
        if X is None:
            if self._searches_chunks():
                raise ValueError(
                    f"{type(self).__name__}: X=None asks about the training samples, which are an "
                    "array of Dask; expected X. Of samples that are given, each finds itself."
                )
            array, is_training = self._fit_X, True
        else:
            array, is_training = self._check_samples(X, metric, validation.check_queries), False
        check_n_features(self, self._fit_method, metric, {}, array.shape[1], of_queries=True)
        if metric != "precomputed":
            array = self._as_fitted(array)
        return array, is_training

    def _searches_chunks(self):
        return isinstance(self._index, _chunks.ChunkIndex)

    def _for_chunks(self, Q, options):
        """As of the base; where the training samples are in chunks, an answer comes with each."""
        model, _ = super()._for_chunks(Q, options)
        if not self._searches_chunks():
            return model, None
        k = self._checked_k(options.get("n_neighbors"), Q, False)
        model._fit_X = None
        return model._with(_chunks.unknown(1, k)), _chunks.find_for_chunks(self._index, Q, k)

    def _knowing(self, box):
        """Return a copy that knows the neighbours of the chunk that it is asked about."""
        return self._with(_chunks.unboxed(box))

    def _with(self, found):
        model = copy.copy(self)
        model._index = self._index._replace(X=None, found=found)
        return model

    def _is_graph(self, queries):
        return self.effective_metric_ == "precomputed" and not isinstance(queries, np.ndarray)

    def _as_fitted(self, queries):
        """Return queries as sparse or dense as the training samples are."""
        is_dense = isinstance(queries, np.ndarray)
        if is_dense == (not validation.is_sparse(self._fit_X)):
            return queries
        if is_dense:
            return type(self._fit_X)(queries)
        if self._fit_method != "brute":
            raise ValueError(
                f"{type(self).__name__}: {self._fit_method} does not support sparse input. Densify "
                "the data, or set algorithm='brute'"
            )
        return validation.read_only(queries.toarray())


def build_index(owner, X, algorithm, metric, params, leaf_size):
    """Build the index of the search layer for an array that was checked."""
    if callable(metric):
        metric, params = (functools.partial(metric, **params) if params else metric), {}
    index = _search.make_index(
        X,
        algorithm=algorithm,
        metric=metric,
        params={name: value for name, value in params.items() if value is not None},
        leaf_size=min(int(leaf_size), X.shape[0]),
        n_jobs=getattr(owner, "n_jobs", None),
    )
    return read_only_index(index)


def read_only_index(index):
    """Return the index with read-only arrays, the one form that compiled functions are made for."""
    if isinstance(index, np.ndarray):
        return validation.read_only(index)
    if isinstance(index, tuple) and hasattr(index, "_fields"):
        return type(index)(*(read_only_index(field) for field in index))
    return index


def unpickled_index(owner, index, leaf_size):
    """Return an index with read-only arrays; refuse one whose search would leave its arrays.

    One that another version built is built again.
    """
    if pickles.WRITER in vars(owner):
        metric, params = owner.effective_metric_, owner.effective_metric_params_
        return build_index(owner, owner._fit_X, index.algorithm, metric, params, leaf_size)
    n, p = owner._fit_X.shape[0], index.X.shape[1]
    whole = index.X.shape[0] == n and (index.metric is None or len(index.metric.w) == p)
    if not whole or (index.tree is not None and not _tree.is_whole(index.tree, n, p)):
        raise ValueError(
            f"{type(owner).__name__}: the state is damaged: its index does not fit its samples."
        )
    return read_only_index(index)


class TreeBase:
    """Base of ``KDTree`` and ``BallTree``; it stands here so that estimators can recognise them."""


@with_containers
class KNeighborsMixin:
    """Queries for a fixed number of neighbours."""

    def kneighbors(self, X=None, n_neighbors=None, return_distance=True):
        """Find the nearest neighbours of points: :eq:`eq-k-neighborhood`.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_queries, n_features), default=None
            The query points. None: the training samples, each without itself as a neighbour.
        n_neighbors : int, default=None
            Number of neighbours of each point. None: the parameter of the estimator.
        return_distance : bool, default=True
            Whether to return the distances too.

        Returns
        -------
        neigh_dist : ndarray of shape (n_queries, n_neighbors)
            Distances, float64, in increasing order. Only if `return_distance` is True.
        neigh_ind : ndarray of shape (n_queries, n_neighbors)
            Row numbers of the neighbours in the training data. Of neighbours at the same distance,
            those with the lower row numbers are taken, and come first.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        ValueError
            If `n_neighbors` is not positive, or greater than the number of training samples.

        Notes
        -----
        Brute force costs O(n p) for each query, for n training samples and p features. A tree costs
        O(p log n) in few dimensions, and up to O(n p) in many.
        """
        neigh_dist, neigh_ind = self._kneighbors(*self._query_array(X), n_neighbors)
        return (neigh_dist, neigh_ind) if return_distance else neigh_ind

    def _kneighbors(self, queries, exclude_self, n_neighbors=None):
        n_neighbors = self._checked_k(n_neighbors, queries, exclude_self)
        if self._searches_chunks():
            return _chunks.query_knn(self._index, queries, n_neighbors)
        if self._is_graph(queries):
            return _precomputed.query_knn(self, queries, n_neighbors, exclude_self=exclude_self)
        return _search.query_knn(
            self._index, queries, n_neighbors, exclude_self=exclude_self, n_jobs=self.n_jobs
        )

    def _checked_k(self, n_neighbors, queries, exclude_self):
        """Return the number of neighbours, if there are as many."""
        n_neighbors = self._check_n_neighbors(n_neighbors)
        most = self.n_samples_fit_ - exclude_self
        if n_neighbors > most:
            sign = "<" if exclude_self else "<="
            raise ValueError(
                f"{validation.owner_name(self)}: Expected n_neighbors {sign} n_samples_fit, but "
                f"n_neighbors = {n_neighbors}, n_samples_fit = {self.n_samples_fit_}, n_samples = "
                f"{queries.shape[0]}."
            )
        return n_neighbors

    def _check_n_neighbors(self, n_neighbors):
        if n_neighbors is None:
            n_neighbors = self.n_neighbors
        if isinstance(n_neighbors, bool) or not isinstance(n_neighbors, numbers.Integral):
            raise TypeError(
                f"{validation.owner_name(self)}: n_neighbors does not take {type(n_neighbors)} "
                "value, enter integer value."
            )
        if n_neighbors <= 0:
            raise ValueError(
                f"{validation.owner_name(self)}: Expected n_neighbors > 0. Got {n_neighbors}."
            )
        return int(n_neighbors)

    def kneighbors_graph(self, X=None, n_neighbors=None, mode="connectivity"):
        """Return the graph of nearest neighbours as a sparse matrix.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_queries, n_features), default=None
            The query points. None: the training samples, each without itself as a neighbour.
        n_neighbors : int, default=None
            Number of neighbours of each point. None: the parameter of the estimator.
        mode : {"connectivity", "distance"}, default="connectivity"
            Whether an edge weighs 1 or the distance between its ends.

        Returns
        -------
        scipy.sparse matrix in CSR format, of shape (n_queries, n_samples_fit)
            Entry (i, j) is the weight of the edge from query i to training sample j. Edges of zero
            length are stored explicitly. In each row the nearest neighbour comes first.
        """
        _check_mode(self, mode)
        dist, ind = self._kneighbors(*self._query_array(X), n_neighbors)
        indptr = np.arange(0, ind.size + 1, ind.shape[1])
        data = np.ravel(dist) if mode == "distance" else np.ones(ind.size)
        return csr_graph(data, np.ravel(ind), indptr, self.n_samples_fit_)

    def _neighborhoods(self, queries, exclude_self):
        """Yield ``(rows, dist, ind, indptr)``, once, for all queries: their size is known."""
        dist, ind = self._kneighbors(queries, exclude_self)
        indptr = np.arange(0, ind.size + 1, ind.shape[1])
        yield slice(0, len(ind)), np.ravel(dist), np.ravel(ind), indptr


@with_containers
class RadiusNeighborsMixin:
    """Queries for all neighbours within a radius."""

    def radius_neighbors(self, X=None, radius=None, return_distance=True, sort_results=False):
        """Find all neighbours within a radius of points: :eq:`eq-radius-neighborhood`.

        A training sample at exactly the distance `radius` is a neighbour.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_queries, n_features), default=None
            The query points. None: the training samples, each without itself as a neighbour.
        radius : float, or array-like of shape (n_queries,), default=None
            One radius for all, or one for each query, in the unit of the metric. None: the
            parameter of the estimator.
        return_distance : bool, default=True
            Whether to return the distances too.
        sort_results : bool, default=False
            Whether to order the neighbours of a query by distance (and row number) instead of by
            row number alone. Needs ``return_distance=True``.

        Returns
        -------
        neigh_dist : ndarray of shape (n_queries,), of arrays of float64
            Distances to the neighbours of each query. Only if `return_distance` is True.
        neigh_ind : ndarray of shape (n_queries,), of arrays of int
            Row numbers of the neighbours in the training data.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        ValueError
            If `radius` is negative or NaN, or if `sort_results` comes without `return_distance`.

        Notes
        -----
        Brute force costs O(n p) for each query, for n training samples and p features; a tree costs
        less the smaller the radius. The result itself can be as large as O(n) for each query.
        """
        if sort_results and not return_distance:
            raise ValueError(
                f"{validation.owner_name(self)}: return_distance must be True if sort_results is "
                "True."
            )
        indptr, ind, dist = self._radius_neighbors(*self._query_array(X), radius, sort_results)
        if return_distance:
            return split_rows(dist, indptr), split_rows(ind, indptr)
        return split_rows(ind, indptr)

    def _radius_neighbors(self, queries, exclude_self, radius=None, sort_results=False):
        if self._searches_chunks():
            raise TypeError(
                f"{type(self).__name__}: the training samples are an array of Dask, among which "
                "the k nearest are found, by kneighbors, and not those within a radius."
            )
        radius = self.radius if radius is None else radius
        radius = check_radius(self, radius, queries.shape[0])
        if self._is_graph(queries):
            return _precomputed.query_radius(
                queries, radius, exclude_self=exclude_self, sort=bool(sort_results)
            )
        return _search.query_radius(
            self._index,
            queries,
            radius,
            exclude_self=exclude_self,
            sort=bool(sort_results),
            n_jobs=self.n_jobs,
        )

    def radius_neighbors_graph(self, X=None, radius=None, mode="connectivity", sort_results=False):
        """Return the graph of neighbours within a radius as a sparse matrix.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_queries, n_features), default=None
            The query points. None: the training samples, each without itself as a neighbour.
        radius : float, or array-like of shape (n_queries,), default=None
            None: the parameter of the estimator.
        mode : {"connectivity", "distance"}, default="connectivity"
            Whether an edge weighs 1 or the distance between its ends.
        sort_results : bool, default=False
            Whether to order the entries of each row by distance. Used with ``mode="distance"``.

        Returns
        -------
        scipy.sparse matrix in CSR format, of shape (n_queries, n_samples_fit)
            Entry (i, j) is the weight of the edge from query i to training sample j. Edges of zero
            length are stored explicitly.
        """
        _check_mode(self, mode)
        sort = sort_results and mode == "distance"
        indptr, ind, dist = self._radius_neighbors(*self._query_array(X), radius, sort)
        data = dist if mode == "distance" else np.ones(len(ind))
        return csr_graph(data, ind, indptr, self.n_samples_fit_)

    def _neighborhoods(self, queries, exclude_self):
        """Yield ``(rows, dist, ind, indptr)`` for blocks of queries.

        How many neighbours a query has is known only afterwards. The blocks grow or shrink so that
        each holds about four million pairs: 64 MB.
        """
        if exclude_self:
            indptr, ind, dist = self._radius_neighbors(queries, exclude_self)
            yield slice(0, queries.shape[0]), dist, ind, indptr
            return
        start, size = 0, 256
        while start < queries.shape[0]:
            rows = slice(start, min(start + size, queries.shape[0]))
            indptr, ind, dist = self._radius_neighbors(queries[rows], exclude_self)
            yield rows, dist, ind, indptr
            wanted = 2**22 * (rows.stop - start) // max(1, len(ind))
            start, size = rows.stop, min(max(wanted, size // 8, 1), 8 * size)


def _check_mode(owner, mode):
    if mode not in ("connectivity", "distance"):
        raise ValueError(
            f'{validation.owner_name(owner)}: Unsupported mode, must be one of "connectivity", or '
            f'"distance" but got "{mode}" instead.'
        )


def csr_graph(data, ind, indptr, n_columns):
    """Return a CSR matrix, or a CSR array if scikit-learn is configured to prefer those."""
    import scipy.sparse

    container = scipy.sparse.csr_matrix
    if "sklearn" in sys.modules:
        config = sys.modules["sklearn"].get_config()
        if config.get("sparse_interface", "spmatrix") == "sparray":
            container = scipy.sparse.csr_array
    return container((data, ind, indptr), shape=(len(indptr) - 1, n_columns))
