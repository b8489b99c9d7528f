"""Checks of metrics, their parameters and radii: what estimators and trees refuse, and how.

A metric is a name, a Python function of two rows, or an object of scikit-learn's class
``DistanceMetric``.
"""

import numpy as np

from litlearn._core import validation
from litlearn._core.constraints import CALLABLE, TEXT, Kind, Real
from litlearn.exceptions import DataConversionWarning
from litlearn.neighbors import _search, _tiles

# Parameters of metrics, apart from w, which several of SciPy take.
PARAMETERS = {"minkowski": ("p", "w"), "seuclidean": ("V",), "mahalanobis": ("V", "VI")}
METRIC = TEXT | CALLABLE | Kind("a DistanceMetric", "Any", _tiles.is_distance_metric)
# What scikit-learn puts into a ball tree, and what is searched by brute force here.
NO_TREE = ("braycurtis", "canberra", "hamming", *(set(_tiles.BOOLEAN) - {"yule"}))


# ---------------------------------------------------------------------------------------------
# Metrics and their parameters


def effective_metric(owner, metric, p, metric_params):
    """Return the name (or callable, or object) and the parameters of the metric that is meant.

    ``"minkowski"`` with p = 1, 2 or infinity and no weights is known by the name of its own.

    Raises
    ------
    ValueError
        If a parameter of the metric is unknown, missing or out of range.
    """
    params = dict(metric_params or {})
    if callable(metric):
        return metric, params
    if _tiles.is_distance_metric(metric):
        _refuse_unknown(owner, metric, params, ())
        return metric, {}
    METRIC.check(owner, "metric", metric)
    metric = "minkowski" if metric == "p" else metric
    known = PARAMETERS.get(metric, ("w",) if metric in _tiles.WEIGHTED else ())
    if metric == "minkowski":
        return _effective_minkowski(owner, p, params, known)
    _refuse_unknown(owner, metric, params, known)
    if params.get("w") is not None:
        return metric, {"w": _check_metric_weights(owner, params["w"])}
    if metric == "seuclidean":
        return metric, {"V": _check_variances(owner, params.get("V"))}
    if metric == "mahalanobis":
        return metric, {"VI": _check_inverse(owner, params)}
    return metric, {}


def _refuse_unknown(owner, metric, params, known):
    unknown = sorted(set(params) - set(known))
    if unknown:
        raise ValueError(
            f"{validation.owner_name(owner)}: metric {metric!r} has no parameter {unknown}, got "
            f"metric_params={params!r}."
        )


def _effective_minkowski(owner, p, params, known):
    who, is_tree = validation.owner_name(owner), not hasattr(owner, "metric_params")
    if "p" in params:
        if p is not None and p != params["p"]:
            message = (
                f"{who}: Parameter p is found in metric_params. The corresponding parameter from "
                "__init__ is ignored."
            )
            validation.warn(SyntaxWarning(message))
        p = params["p"]
    _refuse_unknown(owner, "minkowski", params, known)
    given = "metric_params['p']" if "p" in params and not is_tree else "p"
    p = 2 if p is None else p
    p = Real("(0.0, inf]").check(owner, given, p)
    if params.get("w") is not None:
        return "minkowski", {"p": p, "w": _check_metric_weights(owner, params["w"])}
    special = {1.0: "manhattan", 2.0: "euclidean", np.inf: "chebyshev"}.get(p)
    return (special, {}) if special else ("minkowski", {"p": p, "w": None})


def _numbers(owner, name, value, n_axes):
    """Return a parameter of a metric as a finite float64 array with so many axes."""
    who, array = validation.owner_name(owner), np.asarray(value)
    if array.ndim != n_axes or array.dtype.kind not in "biuf":
        size = "one number for each feature" if n_axes == 1 else "a square matrix of numbers"
        raise ValueError(
            f"{who}: {name} in metric_params must hold {size}, got an array of shape "
            f"{array.shape} and type {array.dtype}."
        )
    array = array.astype(np.float64)
    if not np.all(np.isfinite(array)):
        raise ValueError(f"{who}: {name} in metric_params must be finite, got {array}.")
    return array


def _check_metric_weights(owner, w):
    w = _numbers(owner, "w", w, 1)
    if np.any(w < 0) or not np.any(w > 0):
        who = validation.owner_name(owner)
        raise ValueError(
            f"{who}: w in metric_params must be not negative and not all zero, got {w}."
        )
    return validation.read_only(w)


def _check_variances(owner, V):
    who = validation.owner_name(owner)
    if V is None:
        raise ValueError(
            f"{who}: The 'V' parameter is required for the seuclidean metric: metric_params={{'V': "
            "variances of the features}}."
        )
    V = _numbers(owner, "V", V, 1)
    if np.any(V <= 0):
        raise ValueError(f"{who}: V in metric_params must be positive, got {V}.")
    return validation.read_only(V)


def _check_inverse(owner, params):
    """Return the inverse of the covariance matrix, symmetric, from either of the two."""
    who, name = validation.owner_name(owner), "V" if params.get("VI") is None else "VI"
    if params.get(name) is None:
        raise ValueError(
            f"{who}: The 'VI' parameter is required for the mahalanobis metric: "
            "metric_params={'VI': inverse of the covariance matrix}, or {'V': covariance matrix}."
        )
    matrix = _numbers(owner, name, params[name], 2)
    if matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"{who}: {name} in metric_params must be square, not {matrix.shape}.")
    matrix = (matrix + matrix.T) / 2  # a quadratic form has no other part
    values = np.linalg.eigvalsh(matrix)
    if values[0] < -1e-10 * values[-1] or (name == "V" and values[0] <= 1e-15 * values[-1]):
        raise ValueError(
            f"{who}: {name} in metric_params must be positive "
            f"{'definite' if name == 'V' else 'semi-definite'}; its smallest eigenvalue is "
            f"{values[0]:.3g}."
        )
    return validation.read_only(np.linalg.inv(matrix) if name == "V" else matrix)


# ---------------------------------------------------------------------------------------------
# Metrics and algorithms


def algorithm_for(owner, algorithm, metric, params, is_sparse):
    """Return the algorithm to search with, perhaps brute force in place of the one that is named.

    Raises
    ------
    ValueError
        If the algorithm cannot search with the metric.

    Warns
    -----
    UserWarning
        Where scikit-learn builds a tree, or warns, and brute force is used; and for Minkowski with
        p < 1, which is not a distance.
    """
    who = validation.owner_name(owner)
    in_tree = algorithm in ("kd_tree", "ball_tree")
    if is_sparse:
        check_sparse_metric(who, metric)
        if in_tree:
            validation.warn(UserWarning("cannot use tree with sparse input: using brute force"))
        return "brute"
    if algorithm == "ball_tree" and (callable(metric) or _is_among(metric, NO_TREE)):
        validation.warn(
            UserWarning(f"{who}: a ball_tree cannot use metric {metric!r}: using brute force")
        )
        return "brute"
    if in_tree and _tiles.is_distance_metric(metric):
        validation.warn(
            UserWarning(f"{who}: a tree cannot use an object as its metric: using brute force")
        )
        return "brute"
    check_metric(who, algorithm, metric, params)
    if params.get("p", 1.0) < 1 and metric == "minkowski":
        message = (
            "Mind that for 0 < p < 1, Minkowski metrics are not distance metrics. Continuing the "
            "execution with `algorithm='brute'`."
        )
        validation.warn(UserWarning(message))
        return "brute"
    return algorithm


def _is_among(metric, names):
    return isinstance(metric, str) and metric in names


def check_metric(owner, algorithm, metric, params):
    """Raise ``ValueError`` unless the algorithm can search dense data with the metric."""
    who = validation.owner_name(owner)
    if not isinstance(metric, str):
        if algorithm in ("kd_tree", "ball_tree"):
            raise ValueError(
                f"{who}: {algorithm} does not support callable metric {metric!r}. A tree needs to "
                "know that the metric is a distance; use algorithm='brute' or 'auto'."
            )
        return
    valid = _search.METRICS["brute" if algorithm == "auto" else algorithm]
    if metric not in valid:
        raise ValueError(
            f"{who}: Metric {metric!r} not valid for algorithm={algorithm!r}. Valid metrics are "
            f"{sorted(valid)}. Metric can also be a callable function with algorithm='brute', or "
            "'precomputed' for a matrix of distances."
        )
    if metric == "minkowski" and params["p"] < 1 and algorithm in ("kd_tree", "ball_tree"):
        raise ValueError(
            f'{who}: algorithm="{algorithm}" does not support 0 < p < 1 for the Minkowski metric. '
            'To resolve this problem either set p >= 1 or algorithm="brute".'
        )


def takes_sparse(metric):
    """Tell whether sparse data can be searched with a metric; with Minkowski that depends on p."""
    return not isinstance(metric, str) or metric in (*_tiles.SPARSE, "minkowski", "p")


def check_sparse_metric(who, metric):
    """Raise ``ValueError`` unless sparse data can be searched with the effective metric."""
    if metric == "minkowski" or not takes_sparse(metric):
        raise ValueError(
            f"{who}: Metric {metric!r} not valid for sparse input. Valid metrics are "
            f"{sorted(_tiles.SPARSE)}. Metric can also be a callable function."
        )


def check_n_features(owner, algorithm, metric, params, n_features, of_queries=False):
    """Raise ``ValueError`` if the metric, or one of its parameters, is for other features.

    Brute force looks at the features of the haversine distance when it is asked, as scikit-learn.
    """
    who = validation.owner_name(owner)
    is_tree = algorithm in ("kd_tree", "ball_tree")
    if metric == "haversine" and n_features != 2 and (is_tree or of_queries):
        raise ValueError(
            f"{who}: Haversine distance only valid in 2 dimensions: latitude and longitude, in "
            f"radians. X has {n_features} features."
        )
    kinds = {"w": "weights", "V": "variances", "VI": "rows"}
    for name, kind in kinds.items():
        value = params.get(name)
        if isinstance(metric, str) and isinstance(value, np.ndarray) and len(value) != n_features:
            raise ValueError(
                f"{who}: {name} in metric_params has {len(value)} {kind}, but X has {n_features} "
                "features."
            )


# ---------------------------------------------------------------------------------------------
# Data


def check_distances(owner, array):
    """Raise ``ValueError`` if a matrix of distances, or a sparse graph, holds a negative number."""
    values = array if isinstance(array, np.ndarray) else array.data
    if np.any(values < 0):
        raise ValueError(
            "Negative values in data passed to precomputed distance matrix. "
            f"{validation.owner_name(owner)} expects distances, which are not negative."
        )


def warn_of_conversion(owner, metric, array):
    """Warn that numbers other than 0 and 1 count as true for a metric of booleans."""
    if _is_among(metric, _tiles.BOOLEAN) and not np.all((array == 0) | (array == 1)):
        message = (
            f"{validation.owner_name(owner)}: Data was converted to boolean for metric {metric}"
        )
        validation.warn(DataConversionWarning(message))


def check_radius(owner, radius, n_queries, name="radius"):
    """Return one radius as a float, or one for each query as a float64 array."""
    if np.ndim(radius) == 0:
        return Real("[0.0, inf]").check(owner, name, radius)
    array = np.asarray(radius)
    who = validation.owner_name(owner)
    if array.dtype.kind not in "biuf" or array.shape != (n_queries,):
        raise ValueError(
            f"{who}: {name} must be a number or an array of shape ({n_queries},), one radius for "
            f"each query; got an array of shape {array.shape} and type {array.dtype}."
        )
    array = array.astype(np.float64)
    if not np.all(array >= 0):
        raise ValueError(f"{who}: {name} holds negative values or NaN, expected none.")
    return validation.read_only(array)
