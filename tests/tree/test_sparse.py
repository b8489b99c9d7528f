"""Sparse data: the same trees as those of the same data, dense."""

import pickle
import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

from litlearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from litlearn.tree import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreeClassifier,
    ExtraTreeRegressor,
    _sparse,
)
from litlearn.tree._ranks import FEW, code_columns

TREES = [
    DecisionTreeClassifier(),
    DecisionTreeClassifier(criterion="entropy", max_leaf_nodes=9, ccp_alpha=0.001),
    DecisionTreeClassifier(max_bins=5, max_features=2),
    ExtraTreeClassifier(),
    DecisionTreeRegressor(max_depth=6),
    DecisionTreeRegressor(criterion="absolute_error", max_depth=5, max_bins=7),
    ExtraTreeRegressor(criterion="poisson", max_leaf_nodes=20),
]
FORESTS = [
    RandomForestClassifier(30, oob_score=True, voting="hard"),
    ExtraTreesClassifier(30, bootstrap=True, oob_score=True),
    RandomForestRegressor(30, oob_score=True),
    ExtraTreesRegressor(6),
]


def sparse_data(seed, n=400, kind=np.float64):
    """Columns of every sort: few values, many, only zeros, without zeros, negative ones alone."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 7)) * (rng.random((n, 7)) < 0.3)
    X[:, 0], X[:, 1], X[:, 2] = rng.integers(-2, 3, n), rng.normal(size=n), 0.0
    X[:, 3] = -np.abs(X[:, 3])
    X = X.astype(kind)
    y = (X[:, 1] + 2.0 * X[:, 3] + rng.normal(size=n) > -0.3).astype(int)
    return X, y, np.abs(X[:, 1]) + rng.gamma(2.0, size=n)


def targets(model, y, real):
    return y if hasattr(model, "class_weight") else real


def assert_same_tree(mine, other):
    for name, array in mine.arrays().items():
        assert array.tobytes() == getattr(other, name).tobytes(), name


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("model", TREES, ids=repr)
def test_same_tree(model, kind):
    """Node by node, to the last bit; with weights, of which some are zero."""
    for seed in range(3):
        X, y, real = sparse_data(seed, kind=kind)
        weight = np.random.default_rng(seed).random(len(X)).round(1)
        model = clone(model).set_params(random_state=seed)
        dense = pickle.loads(pickle.dumps(model.fit(X, targets(model, y, real), weight)))
        for made in (sp.csc_matrix, sp.csr_array, sp.coo_array):
            model.fit(made(X), targets(model, y, real), weight)
            assert_same_tree(dense.tree_, model.tree_)
        assert dense.tree_.node_count > 5
        for made in (sp.csr_matrix, sp.csc_array):
            np.testing.assert_array_equal(model.predict(made(X)), dense.predict(X))
            np.testing.assert_array_equal(model.apply(made(X)), dense.apply(X))
            assert (model.decision_path(made(X)) != dense.decision_path(X)).nnz == 0


@pytest.mark.parametrize("model", FORESTS, ids=repr)
def test_same_forest(model):
    X, y, real = sparse_data(0)
    model = clone(model).set_params(random_state=0)
    dense = pickle.loads(pickle.dumps(model.fit(X, targets(model, y, real))))
    for n_jobs in (1, 2):
        model.set_params(n_jobs=n_jobs).fit(sp.csc_array(X), targets(model, y, real))
        for one, other in zip(dense, model, strict=True):
            assert_same_tree(one.tree_, other.tree_)
        np.testing.assert_array_equal(model.predict(sp.csr_array(X)), dense.predict(X))
        np.testing.assert_array_equal(model.apply(sp.csr_array(X)), dense.apply(X))
    if model.oob_score:
        assert model.oob_score_ == dense.oob_score_


def test_stored_zeros_and_others():
    """Zeros that are stored, entries in any order and entries given twice are no others."""
    X, y, _ = sparse_data(3)
    X[::7, 4] = 0.0
    rows, columns = np.nonzero(np.ones_like(X))
    half = X[rows, columns] / 2
    twice = (np.r_[half, half], (np.r_[rows, rows[::-1]], np.r_[columns, columns[::-1]]))
    twice[0][len(half) :] = half[::-1]
    odd = sp.csc_array(sp.coo_array(twice, shape=X.shape))
    assert odd.nnz == X.size
    one, other = (DecisionTreeClassifier(random_state=0).fit(some, y) for some in (X, odd))
    assert_same_tree(one.tree_, other.tree_)
    nothing = DecisionTreeClassifier().fit(sp.csc_array((90, 3)), np.arange(90) % 2)
    assert nothing.tree_.node_count == 1
    nothing = ExtraTreeRegressor().fit(sp.csc_array((90, 3)), np.arange(90.0))
    assert nothing.tree_.node_count == 1


@pytest.mark.parametrize("max_bins", [None, 2, 5, 300])
def test_codes(max_bins):
    """The codes of the stored entries are those of the dense columns."""
    X, _, _ = sparse_data(4)
    codes, stored = _sparse.code_stored(sp.csc_array(X), max_bins)
    expected = code_columns(X, max_bins)
    np.testing.assert_array_equal(stored.n_codes, expected.n_codes)
    if max_bins is not None:
        np.testing.assert_array_equal(codes.edges, expected.edges)
    for j in range(X.shape[1]):
        part = slice(stored.pointers[j], stored.pointers[j + 1])
        np.testing.assert_array_equal(
            stored.codes[part], expected.codes[j, stored.rows[part]], f"column {j}"
        )
        if (X[:, j] == 0).any():
            assert stored.zeros[j] == expected.codes[j, np.flatnonzero(X[:, j] == 0)[0]]
    assert codes.codes.dtype == np.uint16
    many = sp.csc_array(np.arange(FEW + 5.0)[:, np.newaxis])
    assert _sparse.code_stored(many)[0].codes.dtype == np.uint32


@pytest.mark.parametrize("n_node", [3, 40, 300])
def test_lay_out(n_node):
    """By binary search, for a small node, and by writing every entry."""
    rng = np.random.default_rng(n_node)
    X = rng.integers(0, 5, size=(300, 1)) * 1.0
    stored = _sparse.keep_values(sp.csc_array(X))
    for _ in range(20):
        records = rng.permutation(300)[:n_node].astype(np.uint64)
        column = np.full(300, np.nan)
        _sparse.lay_out(column, 0.0, stored.values, stored, 0, records)
        rows = records.astype(np.intp)
        np.testing.assert_array_equal(column[rows], X[rows, 0])


def test_rows_in_parts(monkeypatch):
    """Rows are dense a few at a time, in one array that is clean for the next ones."""
    X, y, _ = sparse_data(5)
    model = RandomForestClassifier(5, random_state=0).fit(X, y)
    monkeypatch.setattr(_sparse, "BLOCK_VALUES", 50)
    some = sp.csr_array(X)
    parts = [(rows, part.copy()) for rows, part in _sparse.dense_rows(some, slice(20, 99))]
    assert len(parts) == 12 and all(part.size <= 50 for _, part in parts)
    for rows, part in parts:
        np.testing.assert_array_equal(part, X[rows])
    np.testing.assert_array_equal(model.predict_proba(some), model.predict_proba(X))


@pytest.mark.thread_unsafe(reason="the memory of the process")
@pytest.mark.parametrize("model", [RandomForestClassifier, ExtraTreesClassifier])
def test_memory(model):
    """Fitting takes memory for the stored entries, not for all: here a hundredth of them."""
    X = sp.random_array((2000, 5000), density=0.001, format="csc", random_state=0)
    y = np.random.default_rng(0).integers(0, 2, 2000)
    model(1, n_jobs=1, random_state=0).fit(X[:, :50], y)  # compiles
    model = model(1, n_jobs=1, max_depth=4, random_state=0)
    tracemalloc.start()
    try:
        model.fit(X, y).predict(X)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 0.1 * 8 * 2000 * 5000


def test_refuses():
    X, y, _ = sparse_data(6)
    missing = sp.csc_array(np.where(X > 1.0, np.nan, X))
    model = DecisionTreeClassifier()
    with pytest.raises(ValueError, match="Input X contains NaN"):
        model.fit(missing, y)
    model.fit(X, y)
    with pytest.raises(ValueError, match="Input X contains NaN"):
        model.predict(missing)
    with pytest.raises(ValueError, match="X has 3 features"):
        model.predict(sp.csr_array(X[:, :3]))
    with pytest.raises(ValueError, match="sparse multilabel-indicator"):
        RandomForestClassifier().fit(X, sp.csr_array(y[:, np.newaxis]))
