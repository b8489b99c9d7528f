"""Search in a sparse graph of distances: what is stored is a neighbour, what is not is too far.

A dense matrix of distances is searched as any other tile, in ``_tiles.py``.
"""

import numpy as np

from litlearn._core import validation

FORMATS = ("csr", "csc", "coo", "lil")  # in the others a stored zero does not last


def check_format(X):
    """Raise ``TypeError`` for a sparse format that cannot say "a neighbour at distance zero"."""
    if validation.is_sparse(X) and X.format not in FORMATS:
        raise TypeError(
            f"Sparse matrix in {X.format!r} format is not supported due to its handling of "
            "explicit zeros"
        )


def stored_pairs(graph, exclude_self):
    """Return ``row, column, distance`` of what a CSR graph stores, by (row, distance, column)."""
    row = np.repeat(np.arange(graph.shape[0]), np.diff(graph.indptr))
    column, dist = graph.indices.astype(np.intp), graph.data.astype(np.float64)
    order = np.lexsort((column, dist, row))
    if exclude_self:
        order = order[row[order] != column[order]]
    return row[order], column[order], dist[order]


def query_knn(owner, graph, k, *, exclude_self=False):
    """Find the k smallest stored distances of each row, in the order of (distance, column).

    Implements :eq:`eq-k-neighborhood`. `graph` is CSR of shape (n_queries, n_samples); with
    `exclude_self` entry (i, i) is left out. Returns float64 distances and columns, both of shape
    (n_queries, k). O(s log s) for s stored distances.
    """
    fewest, needed = np.diff(graph.indptr).min(), k + exclude_self
    if fewest < needed:
        raise ValueError(
            f"{validation.owner_name(owner)}: {needed} neighbors per samples are required, but "
            f"some samples have only {fewest} neighbors in precomputed graph matrix. Decrease "
            "number of neighbors used or recompute the graph with more neighbors."
        )
    row, column, dist = stored_pairs(graph, exclude_self)
    first = np.searchsorted(row, np.arange(graph.shape[0]))
    nearest = first[:, np.newaxis] + np.arange(k)
    return dist[nearest], column[nearest]


def query_radius(graph, r, *, exclude_self=False, sort=False):
    """Find the stored distances of each row that do not exceed `r`, a number or one for each row.

    Implements :eq:`eq-radius-neighborhood`. Returns ``indptr, ind, dist`` as the search layer does.
    """
    row, column, dist = stored_pairs(graph, exclude_self)
    near = dist <= np.broadcast_to(r, graph.shape[:1])[row]
    row, column, dist = row[near], column[near], dist[near]
    if not sort:
        order = np.lexsort((column, row))
        row, column, dist = row[order], column[order], dist[order]
    return np.searchsorted(row, np.arange(graph.shape[0] + 1)), column, dist


def sort_graph_by_row_values(graph, copy=False, warn_when_not_sorted=True):
    """Order what each row of a sparse graph stores by its values.

    Parameters
    ----------
    graph : sparse matrix of shape (n_queries, n_samples)
        In CSR, CSC, COO or LIL format.
    copy : bool, default=False
        Whether the result must share nothing with a `graph` of CSR format. Otherwise such a graph
        is changed in its place. Needed for the other formats.
    warn_when_not_sorted : bool, default=True
        Accepted because scikit-learn has it. Nothing here is slower for a graph in another order,
        so there is nothing to warn of.

    Returns
    -------
    sparse matrix of shape (n_queries, n_samples) in CSR format
        Equal values are ordered by their columns.

    Raises
    ------
    TypeError
        If `graph` is not sparse, or of another format, which would lose stored zeros.
    ValueError
        If `graph` is not CSR and `copy` is False.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> from litlearn.neighbors import sort_graph_by_row_values
    >>> graph = sort_graph_by_row_values(csr_array([[0.0, 3.0, 1.0], [3.0, 0.0, 2.0]]))
    >>> print(graph.data, graph.indices)
    [1. 3. 2. 3.] [2 1 2 0]
    """
    who = "sort_graph_by_row_values"
    if not validation.is_sparse(graph):
        raise TypeError(f"{who}: graph must be a sparse matrix, got {type(graph).__name__}.")
    check_format(graph)
    validation.check_sparse(who, graph, "graph")
    if graph.format != "csr":
        if not copy:
            raise ValueError(
                f"{who}: The input graph is not in CSR format. Use copy=True to allow the "
                "conversion to CSR format."
            )
        graph = graph.tocsr()
    elif copy:
        graph = graph.copy()
    row = np.repeat(np.arange(graph.shape[0]), np.diff(graph.indptr))
    order = np.lexsort((graph.indices, graph.data, row))
    graph.data[:], graph.indices[:] = graph.data[order], graph.indices[order]
    return graph
