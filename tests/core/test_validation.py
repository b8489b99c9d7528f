"""Checks of input: what is accepted, in which form it leaves, and what a refusal says."""

import importlib
import inspect
import subprocess
import sys
import types
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
import sklearn.base  # noqa: F401 - tags are its objects

import litlearn
from litlearn._core import validation as v
from litlearn._core.base import BaseEstimator
from litlearn.cluster import KMeans
from litlearn.ensemble import RandomForestClassifier
from litlearn.exceptions import DataConversionWarning, InvalidParameterError, NotFittedError
from litlearn.linear_model import LogisticRegression, Ridge, RidgeClassifier, SGDClassifier
from litlearn.mixture import GaussianMixture
from litlearn.multiclass import OneVsOneClassifier, OneVsRestClassifier, OutputCodeClassifier
from litlearn.neighbors import (
    KNeighborsClassifier,
    NearestNeighbors,
    RadiusNeighborsRegressor,
    sort_graph_by_row_values,
)
from litlearn.svm import SVC, LinearSVC

GOOD = [[1.0, 2.0], [3.0, 4.0]]

# Arrays that are accepted


@pytest.mark.parametrize(
    "X",
    [
        GOOD,
        np.array(GOOD),
        np.asfortranarray(GOOD),
        np.array(GOOD)[::-1, ::-1],
        np.array(GOOD, dtype=np.int8),
        np.array(GOOD, dtype=np.uint64),
        np.array(GOOD, dtype=bool),
        np.array(GOOD, dtype=object),
        np.array(GOOD, dtype=np.longdouble),
        np.array(GOOD, dtype=">f8"),
        pd.DataFrame(GOOD),
        pd.DataFrame(GOOD, dtype="Float64"),
        pd.DataFrame(GOOD).astype("Int64"),
        pd.DataFrame({"a": [1, 3], "b": [True, False], "c": [0.5, 1.5]}),
    ],
    ids=lambda X: f"{type(X).__name__}-{getattr(X, 'dtype', '')}",
)
def test_arrays_leave_contiguous_read_only_and_float64(X):
    array = v.check_array("Model", X)
    assert type(array) is np.ndarray and array.dtype == np.float64
    assert array.flags.c_contiguous and not array.flags.writeable
    np.testing.assert_array_equal(array, np.asarray(X, dtype=np.float64))


@pytest.mark.parametrize("dtype", [np.float16, np.float32, ">f4"])
def test_single_precision_stays(dtype):
    array = v.check_array("Model", np.array(GOOD, dtype=dtype))
    assert array.dtype == np.float32 and array.dtype.isnative


def test_no_copy_without_need_and_the_callers_array_stays_writable():
    X = np.ones((3, 2))
    array = v.check_array("Model", X)
    assert np.shares_memory(array, X) and X.flags.writeable and not array.flags.writeable


def test_large_finite_numbers_are_finite():
    X = np.full((3, 2), 1.7e308)  # their sum overflows
    np.testing.assert_array_equal(v.check_array("Model", X), X)
    v.check_array("Model", np.full((3, 2), 3e38, dtype=np.float32))


# Arrays that are refused


@pytest.mark.parametrize(
    ("X", "error", "message"),
    [
        ([1.0, 2.0], ValueError, "Model: Expected 2D array, got 1D array.*Reshape your data"),
        (3.0, ValueError, "Expected 2D array, got scalar array"),
        (None, (ValueError, TypeError), "Model"),
        (np.zeros((2, 2, 2)), ValueError, "Found array with dim 3.*required by Model"),
        (np.zeros((0, 2)), ValueError, r"0 sample\(s\).*Model"),
        (np.zeros((2, 0)), ValueError, r"0 feature\(s\) \(shape=\(2, 0\)\) while a minimum of 1"),
        ([[1.0, np.nan]], ValueError, "Input X contains NaN.\nModel does not accept missing"),
        ([[1.0, None]], ValueError, "Input X contains NaN"),
        ([[1.0, np.inf]], ValueError, "Input X contains infinity"),
        ([[1.0, -np.inf]], ValueError, "Input X contains infinity"),
        (np.array([[np.longdouble(2) ** 1100]]), ValueError, "contains infinity"),
        ([[10**400]], ValueError, "Model: X could not be converted to floats"),
        ([[1.0, 2j]], ValueError, "Complex data not supported: Model"),
        (np.array([[1.0, 2j]], dtype=object), ValueError, "Complex data not supported: Model"),
        ([["a", "b"]], ValueError, "Model: X is of type <U1; dtype='numeric' is not compatible"),
        (np.array([["a", 1.0]], dtype=object), ValueError, "Model: X could not be converted"),
        (np.array([[{}, 1.0]], dtype=object), TypeError, "argument must be .* string.* number"),
        ([[1.0, 2.0], [3.0]], ValueError, "Model: X could not be converted"),
        (np.array([["2020-01-01"]], dtype="M8[D]"), TypeError, "datetime64.*expected real numbers"),
        (np.zeros(2, dtype=[("a", float)]), TypeError, "expected real numbers"),
        (np.ma.masked_array(GOOD, mask=[[0, 1], [0, 0]]), ValueError, "Input X contains NaN"),
        (pd.DataFrame({"a": [1, None]}, dtype="Int64"), ValueError, "Input X contains NaN"),
        (pd.DataFrame({"a": ["x", "y"]}), ValueError, "Model: X could not be converted"),
    ],
    ids=str,
)
def test_refused_arrays(X, error, message):
    with pytest.raises(error, match=f"(?s){message}"):
        v.check_array("Model", X)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_one_bad_entry_in_a_large_array_is_found(order, value):
    large = np.ones((2**11 + 1, 2**10), dtype=np.float32, order=order)
    v.check_array("Owner", large)
    large[-1, -1] = value
    with pytest.raises(ValueError, match="Input X contains"):
        v.check_array("Owner", large)


SPARSE = ("csr", "csc")


@pytest.mark.parametrize("make", [scipy.sparse.csr_array, scipy.sparse.csc_matrix])
def test_sparse_in_an_allowed_format_shares_its_memory(make):
    given = make(np.array([[0.0, 2.0], [3.0, 0.0]], dtype=np.float32))
    got = v.check_array("Owner", given, sparse=SPARSE)
    assert got.format == given.format and got.dtype == np.float32
    assert np.shares_memory(got.data, given.data)
    assert got.indices.dtype == np.int32 and not got.data.flags.writeable
    assert given.data.flags.writeable
    np.testing.assert_array_equal(got.toarray(), given.toarray())


@pytest.mark.parametrize("kind", ["coo", "lil", "dok", "bsr", "dia"])
def test_other_sparse_formats_are_converted_to_the_first_allowed(kind):
    given = scipy.sparse.coo_array(np.array([[0, 2], [3, 0], [0, 4]])).asformat(kind)
    got = v.check_array("Owner", given, sparse=SPARSE)
    assert got.format == "csr" and got.dtype == np.float64
    np.testing.assert_array_equal(got.toarray(), given.toarray())


def test_duplicate_sparse_entries_are_summed_in_a_copy():
    parts = np.array([1.0, 2.0, 4.0]), np.array([1, 1, 0]), np.array([0, 3])
    given = scipy.sparse.csr_array(parts, shape=(1, 2))
    got = v.check_array("Owner", given, sparse=SPARSE)
    np.testing.assert_array_equal(got.indices, [0, 1])
    np.testing.assert_array_equal(got.data, [4.0, 3.0])
    assert given.nnz == 3


def test_order_that_a_sparse_array_only_believes_to_have():
    """Entries that were moved after SciPy had looked at their order."""
    given = scipy.sparse.csr_array(np.array([[1.0, 2.0, 4.0]]))
    assert given.has_canonical_format
    given.indices[:] = [1, 1, 0]
    got = v.check_array("Owner", given, sparse=SPARSE)
    np.testing.assert_array_equal(got.indices, [0, 1])
    np.testing.assert_array_equal(got.data, [4.0, 3.0])
    np.testing.assert_array_equal(given.indices, [1, 1, 0])


def test_sparse_room_that_is_not_used_is_left():
    parts = np.array([1.0, np.nan]), np.array([1, 7]), np.array([0, 1])
    given = scipy.sparse.csr_array((1, 2))
    given.data, given.indices, given.indptr = parts
    got = v.check_array("Owner", given, sparse=SPARSE)
    assert len(got.data) == len(got.indices) == 1


def damaged(kind, part, value, shape=(6, 3)):
    """A sparse array of a format, one part of which is then another."""
    given = scipy.sparse.coo_array(1.0 + np.arange(np.prod(shape)).reshape(shape)).asformat(kind)
    if kind == "bsr":
        given = scipy.sparse.csr_array(given).tobsr((2, 1))
    if kind == "lil":
        getattr(given, part)[0] = value
        return given
    old = given.coords if part == "coords" else getattr(given, part).copy()
    if part == "coords":
        given.coords = value(old)
    else:
        setattr(given, part, value(old))
    return given


def with_entry(place, number):
    def changed(array):
        array[place] = number
        return array

    return changed


def cut(array):
    return array[:-1]


FAR = 2**31 - 1
DAMAGES = [
    *((kind, "indices", with_entry(4, FAR), "indices has 2147483647") for kind in ("csr", "bsr")),
    *((kind, "indices", with_entry(-1, -1), "indices has -1") for kind in ("csr", "csc", "bsr")),
    ("csr", "indices", with_entry(0, 3), "indices has 3, which is not between 0 and 2"),
    ("csc", "indices", with_entry(0, 6), "indices has 6, which is not between 0 and 5"),
    ("bsr", "indices", with_entry(0, 3), "indices has 3, which is not between 0 and 2"),
    ("csr", "indices", lambda array: array.astype(np.uint8) + np.uint8(250), "between 0 and 2"),
    ("csr", "indices", lambda array: array + 0.5, "type float64"),
    ("csr", "indices", lambda array: array[:, np.newaxis], "1, 2, 1 dimensions"),
    ("csr", "indices", cut, "indptr ends with 18, for 17 indices and 18 data"),
    ("csr", "data", cut, "indptr ends with 18, for 18 indices and 17 data"),
    ("bsr", "data", cut, "for 9 indices and 8 data"),
    ("bsr", "data", lambda array: array.reshape(-1, 1, 2), "blocks are of shape (1, 2)"),
    ("bsr", "data", lambda array: np.ones((9, 1, 1)), "indptr has 4 entries"),
    ("bsr", "data", lambda array: np.ones((9, 4, 1)), "blocks are of shape"),
    ("csc", "indptr", cut, "indptr has 3 entries"),
    ("csr", "indptr", with_entry(0, 1), "indptr does not rise from 0"),
    ("csr", "indptr", with_entry(0, -FAR), "indptr does not rise from 0"),
    ("csr", "indptr", with_entry(2, FAR), "indptr does not rise from 0"),
    ("csr", "indptr", with_entry(-1, FAR), "indptr ends with 2147483647"),
    ("csr", "indptr", lambda array: array.astype(float), "of type float64"),
    ("coo", "coords", lambda old: (old[0] + 1, old[1]), "row has 6, which is not between 0 and 5"),
    ("coo", "coords", lambda old: (old[0], old[1] - 1), "col has -1"),
    ("coo", "coords", lambda old: (old[0], old[1][:-1]), "col is of shape"),
    ("coo", "data", cut, "row is of shape"),
    ("dia", "offsets", cut, "offsets of shape"),
    ("dia", "data", lambda array: array[0], "offsets of shape"),
    ("lil", "rows", [0, 1, FAR], "indices has 2147483647"),
    ("lil", "rows", [0], "rows and its data differ in length"),
    ("lil", "data", [0.0] * 100, "rows and its data differ in length"),
]


@pytest.mark.parametrize("sparse", [("csr",), ("csc", "csr")], ids=lambda formats: formats[0])
@pytest.mark.parametrize(("kind", "part", "value", "said"), DAMAGES)
def test_damaged_sparse_arrays_are_refused(kind, part, value, said, sparse):
    """SciPy converts some of them by a segmentation fault."""
    given = damaged(kind, part, value)
    with pytest.raises(ValueError, match=r"Owner: the sparse array X of shape .* is damaged") as e:
        v.check_array("Owner", given, sparse=sparse)
    assert said in str(e.value)


def sparse_estimators():
    for space in litlearn._NAMESPACES:
        module = importlib.import_module(f"litlearn.{space}")
        for name in getattr(module, "__all__", ()):
            kind = getattr(module, name)
            if inspect.isclass(kind) and issubclass(kind, BaseEstimator):
                inside = LogisticRegression() if name.endswith("Classifier") else Ridge()
                model = kind(inside) if space in ("conformal", "multiclass") else kind()
                if model.__sklearn_tags__().input_tags.sparse:
                    yield pytest.param(model, id=name)


@pytest.mark.parametrize("model", list(sparse_estimators()))
def test_no_estimator_fits_a_damaged_sparse_array(model):
    """Every one looks before it, or SciPy, takes rows, columns or products."""
    for kind, number in (("csr", FAR), ("csc", -1)):
        X = damaged(kind, "indices", with_entry(-1, number), shape=(60, 3))
        y = np.arange(60) % 3
        y = np.c_[y, y] if type(model).__name__.startswith("MultiTask") else y
        with pytest.raises(ValueError, match="the sparse array X of shape .* is damaged"):
            model.fit(X, y)


@pytest.mark.parametrize(
    ("model", "y"),
    [
        (OneVsRestClassifier(LogisticRegression()), np.ones(6)),
        (OutputCodeClassifier(LogisticRegression(), code_book=[[0, 1], [0, 1]]), [0, 1] * 3),
    ],
    ids=["rest", "code"],
)
def test_damaged_sparse_arrays_where_every_target_is_constant(model, y):
    """No estimator inside looks at the samples then: none is fitted."""
    X = damaged("csr", "indices", with_entry(-1, FAR))
    with pytest.raises(ValueError, match=f"{type(model).__name__}: the sparse array X of shape"):
        model.fit(X, y)


def test_damaged_sparse_arrays_that_are_no_samples():
    """A matrix of labels, a graph, a kernel's answer."""
    X, labels = np.zeros((6, 2)), damaged("csr", "indices", with_entry(-1, FAR))
    with pytest.raises(ValueError, match="OneVsRestClassifier: the sparse array y of shape"):
        OneVsRestClassifier(LogisticRegression()).fit(X, labels)
    graph = damaged("csc", "indices", with_entry(-1, FAR), shape=(6, 6))
    with pytest.raises(ValueError, match="sort_graph_by_row_values: the sparse array graph"):
        sort_graph_by_row_values(graph, copy=True)
    for metric in (NearestNeighbors(metric="precomputed"), SVC(kernel=lambda X, Y: graph)):
        with pytest.raises(ValueError, match=r"the sparse array (X|kernel\(X, Y\)) of shape"):
            metric.fit(graph if isinstance(metric, NearestNeighbors) else X, np.arange(6) % 2)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_sparse_entries_must_be_finite(value):
    with pytest.raises(ValueError, match="Input X contains"):
        v.check_array("Owner", scipy.sparse.csr_array([[value, 1.0]]), sparse=SPARSE)


@pytest.mark.parametrize("order", ["C", "F"])
def test_order_of_a_dense_array(order):
    given = np.arange(6.0).reshape(2, 3)
    got = v.check_array("Owner", given, order=order)
    assert got.flags[f"{order}_CONTIGUOUS"] and not got.flags.writeable
    np.testing.assert_array_equal(got, given)
    assert np.shares_memory(got, given) == (order == "C")


def test_one_number_is_a_weight_for_every_sample():
    np.testing.assert_array_equal(v.check_sample_weight("Owner", 2, 3), [2.0] * 3)


@pytest.mark.parametrize("value", [-0.1, 1.5, np.nan, "x", True])
def test_a_share_is_between_zero_and_one(value):
    with pytest.raises(InvalidParameterError, match=r"range \[0, 1\]. Got"):
        v.check_real("Owner", "share", value, low=0, high=1)
    assert v.check_real("Owner", "share", 1, low=0, high=1) == 1.0


def test_a_switch_is_a_boolean():
    assert v.check_boolean("Owner", "switch", np.True_) is True
    with pytest.raises(InvalidParameterError, match="'switch' parameter of Owner must be a bool"):
        v.check_boolean("Owner", "switch", 1)


@pytest.mark.parametrize("make", [scipy.sparse.csr_matrix, scipy.sparse.csc_array])
def test_sparse_is_refused(make):
    with pytest.raises(TypeError, match="Sparse data was passed for X, but Model requires dense"):
        v.check_array("Model", make(np.eye(3)))


def test_matrix_is_refused():
    matrix = scipy.sparse.csr_matrix(np.eye(2)).todense()
    with pytest.raises(TypeError, match=r"np.matrix is not supported for X"):
        v.check_array("Model", matrix)


def test_a_nan_is_found_in_any_block():
    X = np.zeros((3000, 700))
    X[2999, 699] = np.nan
    with pytest.raises(ValueError, match="contains NaN"):
        v.check_array("Model", X)
    X[0, 0] = np.inf
    with pytest.raises(ValueError, match="contains NaN"):
        v.check_array("Model", X)


# Names of features


class Model(BaseEstimator):
    pass


def fitted_with(names):
    model = Model()
    v.store_features(model, 2, None if names is None else np.array(names, dtype=object))
    return model


def test_feature_names_come_from_any_frame():
    assert list(v.feature_names(pd.DataFrame(GOOD, columns=["a", "b"]))) == ["a", "b"]
    assert list(v.feature_names(types.SimpleNamespace(columns=["a", "b"]))) == ["a", "b"]
    assert list(v.feature_names(types.SimpleNamespace(column_names=["a"], columns=[1]))) == ["a"]
    assert v.feature_names(pd.DataFrame(GOOD)) is None
    assert v.feature_names(np.eye(2)) is None
    with pytest.raises(TypeError, match=r"only supported if all input features have string names"):
        v.feature_names(pd.DataFrame(GOOD, columns=["a", 1]))


def test_feature_names_are_compared():
    frame = pd.DataFrame(GOOD, columns=["a", "b"])
    v.check_feature_names(fitted_with(["a", "b"]), frame)
    with pytest.warns(UserWarning, match="X has feature names, but Model was fitted without"):
        v.check_feature_names(fitted_with(None), frame)
    with pytest.warns(UserWarning, match="X does not have valid feature names, but Model"):
        v.check_feature_names(fitted_with(["a", "b"]), np.eye(2))
    with pytest.raises(ValueError, match="must be in the same order"):
        v.check_feature_names(fitted_with(["b", "a"]), frame)
    expected = "unseen at fit time:\n- b\nFeature names seen at fit time, yet now missing:\n- c\n"
    with pytest.raises(ValueError, match=expected):
        v.check_feature_names(fitted_with(["a", "c"]), frame)


def test_queries_must_have_the_width_of_the_training_samples():
    with pytest.raises(ValueError, match="X has 3 features, but Model is expecting 2 features"):
        v.check_queries(fitted_with(None), np.eye(3))


# Parameters


def refused(call, message):
    with pytest.raises(InvalidParameterError, match=message) as caught:
        call()
    assert isinstance(caught.value, ValueError) and isinstance(caught.value, TypeError)


def test_integers():
    assert v.check_integer("Model", "k", np.int32(3), low=1) == 3
    assert v.check_integer("Model", "k", None, allow_none=True) is None
    for value in (0, -1, 2.0, "2", None, True, [1]):
        message = r"The 'k' parameter of Model must be an int in the range \[1, inf\)\. Got"
        refused(lambda value=value: v.check_integer("Model", "k", value, low=1), message)


def test_reals():
    assert v.check_real("Model", "r", 1, low=0) == 1.0
    assert v.check_real("Model", "r", np.inf, low=0, allow_inf=True) == np.inf
    for value in (-1.0, np.nan, np.inf, "1", None, False, 1j):
        message = r"The 'r' parameter of Model must be a float in the range \[0, inf\)\. Got"
        refused(lambda value=value: v.check_real("Model", "r", value, low=0), message)
    refused(lambda: v.check_real("Model", "r", 0, low=0, allow_low=False), r"range \(0, inf\)")


def test_penalties():
    assert v.check_penalties("Model", 0.5, 2).tolist() == [0.5, 0.5]
    assert v.check_penalties("Model", 0, 1).tolist() == [0.0]
    assert v.check_penalties("Model", [0.5, 0.0], 2).tolist() == [0.5, 0.0]
    for value in (-0.1, [1.0, -1.0], [np.inf], "1", None):
        refused(lambda value=value: v.check_penalties("Model", value, 2), "'alpha' parameter of")
    with pytest.raises(ValueError, match="Model: Number of targets and number of penalties"):
        v.check_penalties("Model", [1.0, 2.0, 3.0], 2)


def test_options():
    assert v.check_option("Model", "kind", "a", ("a", "b")) == "a"
    for value in ("c", 1, None, ["a"]):
        message = r"'kind' parameter of Model must be a str among \{'a', 'b'\}"
        refused(lambda value=value: v.check_option("Model", "kind", value, ("a", "b")), message)


def test_n_jobs():
    assert [v.check_n_jobs("Model", n) for n in (None, 1, -1, 4)] == [None, 1, -1, 4]
    for value in (0, 1.5, "2", True):
        refused(lambda value=value: v.check_n_jobs("Model", value), "'n_jobs' parameter of Model")


def test_random_state():
    assert v.check_random_state("Model", None) is np.random.mtrand._rand
    generator = np.random.default_rng(0)
    assert v.check_random_state("Model", generator) is generator
    first, second = (v.check_random_state("Model", 5).random() for _ in range(2))
    assert v.check_random_state("Model", np.int64(5), seed=True) == 5
    for seed in (0, 5, 0, 2**32 - 1):  # whatever was drawn before
        assert v.random_integer(seed) == v.random_integer(np.random.RandomState(seed))
    assert first == second == np.random.RandomState(5).random()
    for value in (-1, 2**32, 1.0, "0", True):
        refused(lambda value=value: v.check_random_state("Model", value), "'random_state'")


def test_what_draws_nothing_makes_no_random_state(monkeypatch):
    """It would take longer than some of these fits."""
    from litlearn.decomposition import PCA
    from litlearn.linear_model import Lasso, LogisticRegression, MultiTaskLasso
    from litlearn.svm import SVC, LinearSVC

    class Unwanted(np.random.RandomState):
        def __init__(self, *seed):
            raise AssertionError("a RandomState was made")

    X, y = np.random.default_rng(0).normal(size=(30, 3)), np.arange(30) % 2
    monkeypatch.setattr(np.random, "RandomState", Unwanted)
    for kind in (PCA, Lasso, LogisticRegression, SVC):
        kind(random_state=0).fit(X, y)
    MultiTaskLasso(random_state=0).fit(X, X[:, :2])
    for seed in (-1, 1.5, "0"):
        with pytest.raises(InvalidParameterError, match="'random_state' parameter of PCA"):
            PCA(random_state=seed).fit(X)
    monkeypatch.undo()
    first, second = (LinearSVC(random_state=0, loss="hinge").fit(X, y).coef_ for _ in range(2))
    np.testing.assert_array_equal(first, second)


def test_long_values_are_cut_in_messages():
    with pytest.raises(InvalidParameterError) as caught:
        v.check_integer("Model", "k", "x" * 5000)
    assert len(str(caught.value)) < 400


def test_not_fitted():
    class Unfitted:
        def __sklearn_is_fitted__(self):
            return False

    with pytest.raises(NotFittedError, match="This Unfitted instance is not fitted yet"):
        v.check_is_fitted(Unfitted())


# Targets and weights


@pytest.mark.parametrize(
    "y",
    [
        [0, 1, 1],
        [0.0, 2.0, 1.0],
        ["a", "b", "a"],
        np.array(["a", "b", "a"], dtype=object),
        [True, False, True],
        pd.Series(["a", "b", "a"]),
        pd.Series(["a", "b", "a"], dtype="category"),
        pd.Series([1, 2, 1], dtype="Int64"),
        [[0, 1], [1, 0], [1, 1]],
    ],
    ids=str,
)
def test_class_targets(y):
    array = v.check_class_targets("Model", y, 3)
    assert array.tolist() == np.asarray(y).tolist()


def test_a_column_is_made_flat_with_a_warning():
    with pytest.warns(DataConversionWarning, match="A column-vector y was passed"):
        assert v.check_class_targets("Model", [[1], [0]], 2).shape == (2,)
    assert v.check_real_targets("Model", [[1.0], [0.0]], 2).shape == (2, 1)


def warns_here(model, method, *given):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        getattr(model, method)(*given)
    assert caught
    return {one.filename for one in caught} == {__file__}


def test_warnings_name_the_first_line_outside_of_the_package():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)), np.arange(60) % 3
    column = y[:, None]
    assert warns_here(KNeighborsClassifier(), "fit", X, column)
    assert warns_here(NearestNeighbors(p=1, metric_params={"p": 3}), "fit", X)
    assert warns_here(RadiusNeighborsRegressor(1e-9).fit(X, y), "predict", X + 1.0)
    assert warns_here(RidgeClassifier(), "fit", X, column)
    assert warns_here(SGDClassifier(), "fit", X, column)
    assert warns_here(LogisticRegression(max_iter=1, tol=1e-12), "fit", X, y)
    assert warns_here(OneVsRestClassifier(LinearSVC(max_iter=1, C=1e6)), "fit", X, y)
    assert warns_here(OneVsOneClassifier(LogisticRegression(max_iter=1), n_jobs=2), "fit", X, y)
    assert warns_here(SVC(max_iter=1), "fit", X, y)
    assert warns_here(KMeans(3, n_init=1), "fit", np.ones((9, 2)))
    assert warns_here(GaussianMixture(3, max_iter=1, tol=1e-9), "fit", X)
    assert warns_here(RandomForestClassifier(1, oob_score=True), "fit", X, y)


@pytest.mark.parametrize(
    ("y", "error", "message"),
    [
        (None, ValueError, "Model requires y to be passed, but the target y is None"),
        ([0, 1], ValueError, "inconsistent numbers of samples: X has 3, y has 2"),
        ([0.5, 1.0, 2.0], ValueError, "Unknown label type: continuous.*Model"),
        ([0.0, 1.0, np.nan], ValueError, "Input y contains NaN"),
        ([0.0, 1.0, np.inf], ValueError, "Input y contains infinity"),
        ([0, 1, 2j], ValueError, "Complex data not supported: Model"),
        (np.array([0, 1, 1], dtype=object), ValueError, "Unknown label type: unknown. Model.*int"),
        (np.array(["a", None, "b"], dtype=object), ValueError, "Unknown label type.*NoneType"),
        (np.array(["2020"] * 3, dtype="M8[Y]"), ValueError, "Unknown label type: datetime64"),
        (np.zeros((3, 1, 1), dtype=int), ValueError, "Model: y should be a 1d array"),
        (np.zeros((3, 0), dtype=int), ValueError, "Model: y should be a 1d array"),
        (1, ValueError, "Model: y should be a 1d array"),
        ([[1], [1, 2], [3]], ValueError, "Model: y could not be converted"),
        (scipy.sparse.csr_matrix(np.eye(3)), TypeError, "Sparse data was passed for y"),
    ],
    ids=str,
)
def test_refused_class_targets(y, error, message):
    with pytest.raises(error, match=message):
        v.check_class_targets("Model", y, 3)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (["a", "b", "c"], "Model: y is of type <U1, expected real numbers"),
        (np.array([{}, 1, 2], dtype=object), "Model: y could not be converted to floats"),
        ([1.0, np.nan, 2.0], "Input y contains NaN"),
        ([1.0, 2.0], "inconsistent numbers of samples"),
        ([1j, 2, 3], "Complex data not supported"),
    ],
    ids=str,
)
def test_refused_real_targets(y, message):
    with pytest.raises(ValueError, match=message):
        v.check_real_targets("Model", y, 3)


def test_real_targets_become_float64():
    y = v.check_real_targets("Model", np.array([1, 2, 3], dtype=np.int8), 3)
    assert y.dtype == np.float64
    assert v.check_real_targets("Model", np.array([1, 2, 3], dtype=object), 3).dtype == np.float64


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        ([1.0, 2.0], "^Model: sample_weight has shape"),
        ([[1.0], [2.0], [3.0]], "^Model: Sample weights must be 1D.*: sample_weight has shape"),
        ([1.0, np.nan, 1.0], "sample_weight contains NaN"),
        ([1.0, -1.0, 1.0], "negative weights"),
        ([0.0, 0.0, 0.0], "all zero"),
        (["a", "b", "c"], "expected real numbers"),
    ],
    ids=str,
)
def test_refused_sample_weights(weight, message):
    with pytest.raises(ValueError, match=message):
        v.check_sample_weight("Model", weight, 3)


def test_sample_weights():
    assert v.check_sample_weight("Model", None, 3) is None
    assert v.check_sample_weight("Model", pd.Series([1, 0, 2]), 3).tolist() == [1.0, 0.0, 2.0]


@pytest.mark.parametrize(
    "values", [[1, 2, 3], np.arange(3, dtype=np.float32), np.arange(6.0)[::2], np.arange(3.0)]
)
def test_targets_and_weights_reach_kernels_in_one_form(values):
    """Each other form would be compiled for again; and nothing writes to it."""
    for check in (v.check_real_targets, v.check_sample_weight):
        array = check("Model", values, 3)
        assert array.dtype == np.float64 and array.flags.c_contiguous and not array.flags.writeable
        assert not np.shares_memory(array, values)  # the caller may write to the original
    table = v.check_real_targets("Model", np.asfortranarray(np.ones((3, 2))), 3)
    assert table.flags.c_contiguous and not table.flags.writeable


def test_class_weights():
    """Absent classes weigh nothing; samples count by their weights."""
    classes, codes = np.array(["a", "b", "c"]), np.array([0, 0, 0, 1])
    weights = v.check_class_weight("Model", "balanced", classes, codes)
    np.testing.assert_allclose(weights, [4 / 9, 4 / 3, 0.0])
    weights = v.check_class_weight("Model", "balanced", classes, codes, np.array([1.0, 1, 2, 4]))
    np.testing.assert_allclose(weights, [8 / 12, 8 / 12, 0.0])
    assert v.check_class_weight("Model", {"b": 3}, classes, codes).tolist() == [1.0, 3.0, 1.0]
    assert v.check_class_weight("Model", None, classes, codes).tolist() == [1.0] * 3
    for bad in ("even", ["balanced"], 3):
        with pytest.raises(ValueError, match="'class_weight' parameter of Model.*Got"):
            v.check_class_weight("Model", bad, classes, codes)
    with pytest.raises(ValueError, match="Model: the classes, \\['d'\\], are in class_weight but"):
        v.check_class_weight("Model", {"d": 1.0}, classes, codes)


def test_targets_of_a_score_are_of_the_kind_of_the_predictions():
    numbers, names = np.array([1, 2]), np.array(["a", "b"])
    for same in (numbers, names):
        np.testing.assert_array_equal(v.check_true_targets("Model", same, same), same)
    for y, predicted in ((numbers, names), (names, numbers)):
        with pytest.raises(ValueError, match="Model.score: y is of type"):
            v.check_true_targets("Model", y, predicted)


def test_any_order_stays_and_strides_become_rows():
    X = np.arange(12.0).reshape(4, 3)
    assert v.check_array("Model", X, order="any").flags.c_contiguous
    assert v.check_array("Model", np.asfortranarray(X), order="any").flags.f_contiguous
    assert v.check_array("Model", X[::2, ::2], order="any").flags.c_contiguous
    column = v.check_array("Model", X[:, :1].copy(), order="any")  # in both orders at once
    assert column.flags.c_contiguous and column.flags.f_contiguous


# Odd values


def test_large_integers_are_limits_that_are_never_reached():
    assert v.check_integer("Model", "depth", 10**25, low=1) == 2**31 - 1
    assert v.check_integer("Model", "depth", -(10**400)) == -(2**31 - 1)
    with pytest.raises(ValueError, match=r"'n_init' parameter of Model .* \[1, 9\]"):
        v.check_integer("Model", "n_init", 10, low=1, high=9)
    with pytest.raises(ValueError, match="'tol' parameter of Model"):
        v.check_real("Model", "tol", 10**400, low=0.0)
    assert v.check_real("Model", "C", 10**400, low=0.0, allow_inf=True) == np.inf
    assert v.check_real("Model", "C", 10**25, low=0.0) == 1e25


def test_what_has_no_representation_is_told_by_its_type():
    class Mute:
        def __repr__(self):
            raise RuntimeError("nothing to say")

    with pytest.raises(ValueError, match="Got an object of type Mute instead"):
        v.check_boolean("Model", "flag", Mute())
    with pytest.raises(ValueError, match="Got an object of type int instead"):
        v.check_boolean("Model", "flag", 10**5000)


def test_arrays_are_no_options():
    assert v.is_option("auto", "auto") and not v.is_option("x", "auto")
    assert not v.is_option(np.array(["auto", "auto"]), "auto")
    assert v.is_array_like([1]) and v.is_array_like(pd.Series([1]))
    for value in (1, "x", {}, object(), [[1], [1, 2]], np.array(1.0), np):
        assert not v.is_array_like(value)


@pytest.mark.parametrize(
    ("X", "where"),
    [
        (pd.DataFrame({"age": [1.0, 2.0], "city": ["Bern", "Rome"]}), "Column 1, 'city', .*'Bern'"),
        (pd.DataFrame({"group": pd.Categorical(["u", "v"])}), "Column 0, 'group', holds 'u'"),
        ([[1.0, "1"], [2.0, "x"]], "Column 1 holds 'x'"),
        (np.array([[1.0, 2.0], [3.0, "x"]], dtype=object), "Column 1 holds 'x'"),
        ([[1.0, {}]], "Column 1 holds {}"),
    ],
    ids=["frame", "category", "lists", "objects", "dicts"],
)
def test_a_column_of_strings_is_named_with_the_remedy(X, where):
    with pytest.raises((ValueError, TypeError), match=f"Model: X .*{where}.*OneHotEncoder"):
        v.check_array("Model", X)


def test_scoring_is_refused_by_name_with_and_without_scikit_learn():
    code = """
import sys
import numpy as np
from litlearn.linear_model import LogisticRegressionCV, RidgeClassifierCV, RidgeCV
X = np.random.default_rng(0).normal(size=(20, 2))
y = np.arange(20) % 2
if sys.argv[1] == "with":
    import sklearn.metrics
for kind in (LogisticRegressionCV, RidgeClassifierCV, RidgeCV):
    model = kind(scoring="accurate")
    if kind is LogisticRegressionCV:
        model.set_params(use_legacy_attributes=False, l1_ratios=(0.0,))
    try:
        model.fit(X, y)
    except ValueError as error:
        print(error)
"""
    ends = {
        "with": " (sklearn.metrics.get_scorer_names() lists them)",
        "without": ", which has to be loaded then (import sklearn.metrics)",
    }
    for mode, end in ends.items():
        command = [sys.executable, "-c", code, mode]
        shown = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300)
        assert shown.stdout.splitlines() == [
            f"The 'scoring' parameter of {name} must be a callable, or a str that names a "
            f"scorer of scikit-learn's{end}. Got 'accurate' instead."
            for name in ("LogisticRegressionCV", "RidgeClassifierCV", "RidgeCV")
        ]


COLUMNS = [["a", "d"], ["d", "a"], ["d"], ["a", "zone"], ["zone"], ["t", "a"]]


@pytest.mark.parametrize("columns", COLUMNS, ids="-".join)
def test_dates_are_no_numbers(columns):
    """Beside numbers, pandas counts their nanoseconds."""
    zone, time = pd.Timestamp("2021-01-01", tz="UTC"), pd.Timedelta(days=1)
    every = {"a": [1.0, 2.0], "d": [pd.Timestamp(0)] * 2, "zone": [zone] * 2, "t": [time] * 2}
    frame = pd.DataFrame(every)[columns]
    j = columns[0] == "a"
    told = (
        f"column {j:d} of X, '{columns[j]}', is of type (datetime|timedelta)64.*expected real num"
    )
    with pytest.raises(TypeError, match=f"^SVC: {told}"):
        v.check_array(SVC(), frame)
