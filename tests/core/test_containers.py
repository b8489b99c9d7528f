"""Frames and arrays of other libraries, for every estimator: in, and out again.

Tests of PyTorch and JAX run where those are installed.
"""

import importlib
import inspect
import sys
import types
import warnings

import narwhals
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import scipy.sparse
import sklearn
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import FeatureUnion, make_pipeline, make_union
from sklearn.preprocessing import StandardScaler

import litlearn
from litlearn import svm
from litlearn._core import containers, validation
from litlearn._core.base import BaseEstimator, RegressorMixin, TransformerMixin
from litlearn.decomposition import PCA
from litlearn.ensemble import RandomForestClassifier
from litlearn.kernels import rbf_kernel
from litlearn.linear_model import LinearRegression, LogisticRegression, Ridge, lasso_path
from litlearn.naive_bayes import GaussianNB
from litlearn.neighbors import KNeighborsClassifier, KNeighborsTransformer, NearestNeighbors
from litlearn.tree import DecisionTreeClassifier

NAMES = ["age", "score", "volume"]
ANSWERS = (
    "predict",
    "predict_proba",
    "predict_log_proba",
    "predict_joint_log_proba",
    "decision_function",
    "score_samples",
    "apply",
    "decision_path",
    "kneighbors",
    "kneighbors_graph",
    "radius_neighbors",
    "radius_neighbors_graph",
    "transform",
    "predict_standard_error",
    "predict_interval",
    "predict_set",
    "score",
    "aic",
    "bic",
)

pytestmark = pytest.mark.filterwarnings(
    "ignore:.*did not converge", "ignore::FutureWarning", "ignore:.*trees are too few"
)


def every_class():
    found = {}
    for space in litlearn._NAMESPACES:
        module = importlib.import_module(f"litlearn.{space}")
        for name in getattr(module, "__all__", ()):
            cls = getattr(module, name)
            if inspect.isclass(cls) and issubclass(cls, BaseEstimator):
                found[name] = cls
    return found


CLASSES = every_class()
SETTINGS = {
    "KMeans": {"n_clusters": 2},
    "MiniBatchKMeans": {"n_clusters": 2},
    "Nystroem": {"n_components": 9},
    "OutputCodeClassifier": {"code_size": 4},
    "KernelPCA": {"n_components": 3, "kernel": "rbf", "fit_inverse_transform": True},
}
TRANSFORMERS = [
    name
    for name, cls in CLASSES.items()
    if issubclass(cls, TransformerMixin) and not name.endswith("NeighborsTransformer")
]


def make(name):
    cls = CLASSES[name]
    first = list(inspect.signature(cls).parameters)[:1]
    inside = GaussianNB() if "Classifier" in name else LinearRegression()
    model = cls(inside) if first == ["estimator"] else cls()
    params = model.get_params(deep=False)
    small = {"random_state": 0, "n_estimators": 3, "bootstrap": True}
    given = {key: value for key, value in small.items() if key in params}
    return model.set_params(**given, **SETTINGS.get(name, {}))


def draw(name, dtype=np.float64):
    """Samples, targets, and arguments of a fit."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3)).astype(np.float32).astype(dtype)
    y = (X[:, 0] + 0.3 * rng.normal(size=60) > 0).astype(np.int64)
    if issubclass(CLASSES[name], RegressorMixin):
        y = (2.0 * X[:, 0] + y).astype(np.float64)
    if name.startswith("MultiTask"):
        y = np.stack([y, 2.0 * y], axis=1)
    fit = inspect.signature(CLASSES[name].fit).parameters
    return X, y, {"sample_weight": rng.random(60)} if "sample_weight" in fit else {}


def use(model, X, y):
    """What the methods of a fitted model answer, by name."""
    found = {}
    for method in ANSWERS:
        if hasattr(model, method):
            given = (X, y) if method == "score" else (X,)
            found[method] = getattr(model, method)(*given)
    if hasattr(model, "inverse_transform"):
        found["inverse_transform"] = model.inverse_transform(found["transform"])
    return found


def is_nested(answer):
    if isinstance(answer, (list, tuple)):
        return True
    return isinstance(answer, np.ndarray) and answer.dtype.kind == "O"


def parts(answer):
    """The arrays of an answer, flat, as NumPy's."""
    if scipy.sparse.issparse(answer):
        return [answer.toarray()]
    if is_nested(answer):
        return [part for one in answer for part in parts(one)]
    return [as_numpy(answer)]


def as_numpy(array):
    """An array of the array API as one of NumPy; numbers and frames, too."""
    return np.asarray(array) if containers.namespace_of(array) is None else np.from_dlpack(array)


def assert_same(found, expected):
    assert found.keys() == expected.keys() and expected
    for method, answer in expected.items():
        for one, other in zip(parts(found[method]), parts(answer), strict=True):
            assert (one.dtype, one.shape) == (other.dtype, other.shape), method
            assert one.tobytes() == other.tobytes(), method


EVERY = pytest.mark.parametrize("name", CLASSES)


# ---------------------------------------------------------------------------------------------
# Frames


def polars():
    return pytest.importorskip("polars")


def columns(X, names=NAMES):
    return dict(zip(names, X.T, strict=True))


# A frame of some columns, and a column, of each library.
FRAMES = {
    "pandas": (lambda X, names=NAMES: pd.DataFrame(X, columns=names), pd.Series),
    "polars": (lambda X, *names: polars().DataFrame(columns(X, *names)), lambda y: series(y)),
    "arrow table": (
        lambda X, *names: pa.table(columns(X, *names)),
        lambda y: pa.chunked_array([y[:7], y[7:]]),
    ),
    "arrow batch": (lambda X, *names: pa.RecordBatch.from_pydict(columns(X, *names)), pa.array),
    "narwhals of pandas": (
        lambda X, names=NAMES: narwhals.from_native(pd.DataFrame(X, columns=names)),
        lambda y: narwhals.from_native(pd.Series(y), series_only=True),
    ),
    "narwhals of polars": (
        lambda X, *names: narwhals.from_native(polars().DataFrame(columns(X, *names))),
        lambda y: narwhals.from_native(series(y), series_only=True),
    ),
    "narwhals of arrow": (
        lambda X, *names: narwhals.from_native(pa.table(columns(X, *names))),
        lambda y: narwhals.from_native(pa.chunked_array([y]), series_only=True),
    ),
}
FRAME = pytest.mark.parametrize("kind", FRAMES)


def series(y):
    return polars().Series("y", y)


@FRAME
@EVERY
def test_a_frame_gives_the_bits_of_an_array(name, kind):
    frame, column = FRAMES[kind]
    X, y, options = draw(name)
    A = np.asarray(frame(X)) if "pandas" in kind else X  # by columns, where others are by rows
    expected = use(make(name).fit(A, y, **options), A, y)
    given = frame(y, ["first", "second"]) if y.ndim == 2 else column(y)
    weights = {key: column(value) for key, value in options.items()}
    model = make(name).fit(frame(X), given, **weights)
    assert list(model.feature_names_in_) == NAMES
    assert type(model.feature_names_in_) is np.ndarray
    answers = use(model, frame(X), given)
    if "pandas" in kind and name.endswith("ConformalRegressor"):
        expected = use(make(name).fit(X, y, **options), X, y)
        for method, answer in expected.items():  # takes of the frame rows, which then lie otherwise
            np.testing.assert_allclose(answers[method], answer, rtol=1e-12, err_msg=method)
    else:
        assert_same(answers, expected)
    method = next(one for one in ANSWERS if hasattr(model, one))
    with pytest.raises(ValueError, match="Feature names unseen at fit time:\n- years"):
        getattr(model, method)(frame(X, ["years", "score", "volume"]))
    with pytest.raises(ValueError, match="must be in the same order"):
        getattr(model, method)(frame(X, NAMES[::-1]))
    with pytest.warns(UserWarning, match="X does not have valid feature names"):
        getattr(model, method)(X)


@EVERY
def test_missing_entries_are_nan(name):
    """In each library; refused as NaN is where the estimator takes none."""
    X, y, _ = draw(name)
    X[3, 1] = np.nan
    table = pa.table({key: pa.array(value, from_pandas=True) for key, value in columns(X).items()})
    assert table["score"].null_count == 1
    frames = [table, table.to_pandas(types_mapper=pd.ArrowDtype), narwhals.from_native(table)]
    if "polars" in sys.modules or importlib.util.find_spec("polars"):
        frames.append(polars().from_arrow(table))
    model = make(name)
    if model._takes_missing:
        expected = use(clone(model).fit(X, y), X, y)
        for frame in frames:
            assert_same(use(clone(model).fit(frame, y), frame, y), expected)
        return
    for frame in frames:
        with pytest.raises(ValueError, match=r"X contains NaN|has missing|NaN"):
            model.fit(frame, y)


@EVERY
def test_a_column_of_words_is_named(name):
    X, y, _ = draw(name)
    X = X[:, :2]
    words = ["well", "ill"] * 30
    given = {**columns(X, ["age", "score"]), "site": words, "drug": words}
    frames = [pd.DataFrame(given), pa.table(given), narwhals.from_native(pa.table(given))]
    if importlib.util.find_spec("polars"):
        frames.append(polars().DataFrame(given))
    for frame in frames:
        with pytest.raises((ValueError, TypeError)) as caught:
            make(name).fit(frame, y)
        assert "'site'" in str(caught.value) and "'drug'" in str(caught.value)


@EVERY
def test_a_lazy_frame_is_refused(name):
    pl = polars()
    X, y, _ = draw(name)
    lazy = pl.DataFrame(columns(X)).lazy()
    model = make(name).fit(X, y)
    method = next(one for one in ANSWERS if hasattr(model, one))
    for frame in (lazy, narwhals.from_native(lazy)):
        for ask in (make(name).fit, getattr(model, method)):
            with pytest.raises(
                TypeError, match=rf"{name}: X is of type \w+\.LazyFrame.*X\.collect\(\)"
            ):
                ask(frame, y) if ask.__name__ == "fit" else ask(frame)
        with pytest.raises(TypeError, match=r"rbf_kernel: X is of type \w+\.LazyFrame"):
            rbf_kernel(frame)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_types_of_columns(dtype):
    """Floats of one size keep it; whole numbers, truth values and decimals are floats."""
    X = np.arange(6, dtype=dtype).reshape(3, 2)
    for frame in (pa.table(columns(X, "ab")), pa.RecordBatch.from_pydict(columns(X, "ab"))):
        found = validation.check_array("me", frame)
        assert found.dtype == dtype and found.flags.c_contiguous
        np.testing.assert_array_equal(found, X)
    mixed = pa.table(
        {
            "float": pa.array([1, 2, None], pa.float32()),
            "int": pa.array([1, None, 3], pa.int8()),
            "bool": pa.array([True, None, False]),
            "decimal": pa.array([1, None, 3], pa.decimal128(5, 2)),
            "null": pa.nulls(3),
            "code": pa.array([7.0, None, 5.0]).dictionary_encode(),
        }
    )
    found = validation.check_array("me", mixed, missing=True)
    nan = np.nan
    expected = [[1, 1, 1, 1, nan, 7], [2, nan, nan, nan, nan, nan], [nan, 3, 0, 3, nan, 5]]
    assert found.dtype == np.float64
    np.testing.assert_array_equal(found, expected)
    assert validation.check_array("me", mixed.select(["float"]), missing=True).dtype == np.float32
    if importlib.util.find_spec("polars"):
        same = polars().from_arrow(mixed.drop_columns("code"))
        found = validation.check_array("me", same, missing=True)
        np.testing.assert_array_equal(found, np.array(expected)[:, :5])
    with pytest.raises(ValueError, match="0 feature"):
        validation.check_array("me", pa.table({"a": [1.0]}).select([]))


def test_targets_that_are_words():
    """Categories too; a missing one is no other category."""
    X, y, _ = draw("GaussianNB")
    words = np.array(["well", "ill"])[y]
    forms = [pa.array(words), pa.array(words).dictionary_encode(), pd.Series(words)]
    forms += [pa.chunked_array([one]) for one in forms[:2]] + [pd.Series(words, dtype="category")]
    if importlib.util.find_spec("polars"):
        pl = polars()
        forms += [pl.Series(words), pl.Series(words, dtype=pl.Categorical)]
        forms.append(pl.Series(words, dtype=pl.Enum(["ill", "well"])))
    for form in forms:
        model = GaussianNB().fit(X, form)
        assert model.classes_.dtype.kind == "U" and model.classes_.tolist() == ["ill", "well"]
        assert model.score(X, form) == GaussianNB().fit(X, words).score(X, words)
    missing = pa.chunked_array([pa.array([None, *words[1:]]).dictionary_encode()])
    with pytest.raises(ValueError, match="NoneType"):
        GaussianNB().fit(X, missing)


def test_a_frame_reaches_a_fit_as_it_is():
    """With the types of its columns; that of narwhals, as the one inside."""
    seen = []

    class Looks(BaseEstimator):
        def fit(self, X, y=None):
            seen.append(X)
            return self

    frame = pa.table({"a": pa.array(["x", "y"]).dictionary_encode()})
    for one in (frame, narwhals.from_native(frame)):
        Looks().fit(one)
    assert seen[0] is frame and seen[1] is frame


# ---------------------------------------------------------------------------------------------
# Containers of what transformers return


@pytest.mark.parametrize("name", TRANSFORMERS)
@pytest.mark.parametrize("container", ["pandas", "polars", "pyarrow"])
def test_set_output(name, container):
    library = pytest.importorskip(container)
    kind = library.Table if container == "pyarrow" else library.DataFrame
    X, y, _ = draw(name)
    plain = make(name).fit(X, y).transform(X)
    for given in (X, X.tolist(), pd.DataFrame(X, index=np.arange(60) + 5), pa.table(columns(X))):
        model = make(name).set_output(transform=container)
        for frame in (model.fit_transform(given, y), model.transform(given)):
            assert type(frame) is kind
            names = frame.column_names if container == "pyarrow" else list(frame.columns)
            assert names == list(model.get_feature_names_out()) and len(set(names)) == len(names)
            np.testing.assert_allclose(np.asarray(frame), plain, atol=1e-9)
            if container == "pandas":
                expected = given.index if isinstance(given, pd.DataFrame) else np.arange(60)
                assert list(frame.index) == list(expected)
    back = model.set_output(transform="default").transform(given)
    assert type(back) is np.ndarray


@pytest.mark.parametrize("name", ["KNeighborsTransformer", "RadiusNeighborsTransformer"])
def test_a_graph_is_no_frame(name):
    X, y, _ = draw(name)
    model = make(name).set_output(transform="pyarrow").fit(X, y)
    with pytest.raises(ValueError, match=f"{name}: The transformer outputs a scipy sparse matrix"):
        model.transform(X)
    assert scipy.sparse.issparse(model.set_output(transform="default").transform(X))


def test_a_container_that_is_unknown():
    with pytest.raises(ValueError, match="'transform' parameter of PCA must be .*'pyarrow'"):
        PCA().set_output(transform="arrow")
    refused = pytest.raises(ValueError, match="'transform_output' parameter of PCA")
    with sklearn.config_context(transform_output="arrow"), refused:
        PCA().fit_transform(np.eye(3))


def test_tables_of_arrow_through_scikit_learns_tools():
    """Its own transformers return them, too: in pipelines, in unions, and of chosen columns."""
    X = pa.table(columns(draw("PCA")[0]))
    scaled = StandardScaler().fit_transform(X)
    pipeline = make_pipeline(StandardScaler(), PCA(2)).set_output(transform="pyarrow")
    found = pipeline.fit_transform(X)
    assert isinstance(found, pa.Table) and found.column_names == ["pca0", "pca1"]
    np.testing.assert_allclose(np.asarray(found), PCA(2).fit_transform(scaled), atol=1e-12)
    assert list(pipeline[-1].feature_names_in_) == NAMES
    with sklearn.config_context(transform_output="pyarrow"):
        assert (
            make_pipeline(PCA(2), StandardScaler()).fit_transform(X).column_names
            == found.column_names
        )
        both = make_union(PCA(2), StandardScaler()).fit_transform(X)
        assert both.column_names == [
            *("pca__pca0", "pca__pca1"),
            *(f"standardscaler__{name}" for name in NAMES),
        ]
        np.testing.assert_array_equal(np.asarray(both)[:, 2:], scaled)
    one = FeatureUnion([("a", PCA(1)), ("b", PCA(2))], verbose_feature_names_out=False)
    with pytest.raises(ValueError, match="Output feature names.*are not unique"):
        one.set_output(transform="pyarrow").fit_transform(X)
    frame = X.to_pandas()
    chosen = ColumnTransformer(
        [("p", PCA(1), ["age", "score"]), ("s", StandardScaler(), ["volume"])]
    )
    found = chosen.set_output(transform="pyarrow").fit_transform(frame)
    assert isinstance(found, pa.Table) and found.column_names == ["p__pca0", "s__volume"]


def test_scikit_learns_own_choice_of_tables_stays():
    """Somebody else's adapter is not replaced; and where the registry is gone, nothing happens."""
    manager = sys.modules["sklearn.utils._set_output"].ADAPTERS_MANAGER
    before = manager.adapters["pyarrow"]
    containers.tell_scikit_learn()
    assert manager.adapters["pyarrow"] is before
    adapter = containers.ArrowAdapter()
    table = pa.table({"a": [1.0]})
    assert adapter.create_container(table, None, None) is table
    assert adapter.create_container(table, None, lambda: ["b"]).column_names == ["b"]
    assert adapter.create_container(np.eye(2), None, None).column_names == ["0", "1"]
    frame = pd.DataFrame({"x": [1.0]})
    assert adapter.create_container(frame, frame, None).column_names == ["x"]
    assert not adapter.is_supported_container(frame)


# ---------------------------------------------------------------------------------------------
# Arrays of the array API


def strict():
    if np.lib.NumpyVersion(np.__version__) < "2.1.0":
        pytest.skip("NumPy 2.0 makes an array that came by DLPack read-only, and gives none such")
    return pytest.importorskip("array_api_strict")


def torch():
    return pytest.importorskip("torch")


def jax():
    module = pytest.importorskip("jax")
    module.config.update("jax_enable_x64", True)
    return module.numpy


LIBRARIES = {"array_api_strict": strict, "torch": torch, "jax": jax}
LIBRARY = pytest.mark.parametrize("library", LIBRARIES)


def kinds(answer, xp):
    """The types of the arrays of numbers in an answer."""
    if is_nested(answer):
        return {kind for one in answer for kind in kinds(one, xp)}
    return set() if scipy.sparse.issparse(answer) or isinstance(answer, float) else {type(answer)}


def address(array):
    return np.from_dlpack(array).ctypes.data


@LIBRARY
@EVERY
def test_an_array_goes_in_and_comes_out(name, library):
    """With the bits of NumPy's, and what is learned is NumPy's."""
    xp = LIBRARIES[library]()
    for dtype in (np.float64, np.float32):
        X, y, options = draw(name, dtype)
        fitted = make(name).fit(X, y, **options)
        expected = use(fitted, X, y)
        given = {key: xp.asarray(value) for key, value in options.items()}
        model = make(name).fit(xp.asarray(X), xp.asarray(y), **given)
        found = use(model, xp.asarray(X), xp.asarray(y))
        assert_same(found, expected)
        array = type(xp.asarray(X))
        for method, answer in found.items():
            assert kinds(answer, xp) <= {array}, method
        for key, value in vars(model).items():
            assert type(value) is not array, key
        for method in ("fit_predict", "fit_transform"):
            if hasattr(model, method):
                answer = getattr(make(name), method)(xp.asarray(X), xp.asarray(y))
                assert scipy.sparse.issparse(answer) or type(answer) is array
        # By name, and of samples of NumPy.
        method = next(one for one in ANSWERS if hasattr(model, one))
        assert kinds(getattr(model, method)(X=xp.asarray(X)), xp) <= {array}
        assert array not in kinds(getattr(model, method)(X), xp)


@LIBRARY
def test_no_copy_is_made(library):
    xp = LIBRARIES[library]()
    for dtype in (np.float64, np.float32):
        X = xp.asarray(draw("PCA", dtype)[0])
        checked = validation.check_array("me", X)
        assert checked.ctypes.data == address(X) and not checked.flags.writeable
        model = NearestNeighbors(algorithm="brute").fit(X)
        assert model._fit_X.ctypes.data == address(X)
    seen = []

    class Keeps(BaseEstimator):
        def fit(self, X, y=None):
            seen.extend([X, y])
            return self

        def predict(self, X):
            self.answer = 2.0 * X[:, 0]
            return self.answer

    y = xp.asarray(np.arange(60))
    model = Keeps().fit(X, y)
    assert [one.ctypes.data for one in seen] == [address(X), address(y)]
    Keeps().fit(y=y, X=X)
    assert [one.ctypes.data for one in seen[2:]] == [address(X), address(y)]
    found = model.predict(X)
    if library != "jax":  # which wants memory aligned to 64 bytes, and copies other memory
        assert address(found) == model.answer.ctypes.data
    np.testing.assert_array_equal(np.from_dlpack(found), model.answer)


@LIBRARY
def test_words_and_gaps_and_several_outputs(library):
    xp = LIBRARIES[library]()
    X, y, _ = draw("GaussianNB")
    A = xp.asarray(X)
    words = np.array(["well", "ill"])[y]
    model = GaussianNB().fit(A, words)
    assert model.predict(A).tolist() == GaussianNB().fit(X, words).predict(X).tolist()
    assert type(model.predict_proba(A)) is type(A)
    both = np.stack([y, 1 - y], axis=1)
    model = DecisionTreeClassifier(max_depth=2).fit(A, xp.asarray(both))
    shares = model.predict_proba(A)
    assert type(shares) is list and all(type(one) is type(A) for one in shares)
    assert model.predict(A).shape == (60, 2)
    # What is read-only, has gaps, or another order of bytes.
    table = np.arange(12.0).reshape(3, 4)
    table.flags.writeable = False
    for one in (table, np.ones((3, 4))[:, ::2], np.arange(3, dtype=">i8"), np.zeros((0, 2))):
        found = containers.as_given(one, xp)
        assert type(found) is type(A)
        np.testing.assert_array_equal(np.from_dlpack(found), one)
        assert not one.size or address(found) != one.ctypes.data
    queries = xp.asarray(X[:, ::2])
    np.testing.assert_array_equal(
        np.from_dlpack(PCA(1).fit_transform(queries)), PCA(1).fit_transform(X[:, ::2])
    )


@LIBRARY
def test_a_chosen_frame_comes_of_arrays_too(library):
    X = LIBRARIES[library]().asarray(draw("PCA")[0])
    assert isinstance(PCA(2).set_output(transform="pandas").fit_transform(X), pd.DataFrame)


@LIBRARY
def test_scikit_learns_tools_with_arrays(library):
    xp = LIBRARIES[library]()
    X, y, _ = draw("LogisticRegression")
    if library == "torch":
        search = GridSearchCV(LogisticRegression(), {"C": [0.1, 1.0]}, cv=3)
        assert search.fit(xp.asarray(X), xp.asarray(y)).best_score_ == search.fit(X, y).best_score_
        scores = cross_val_score(
            RandomForestClassifier(3, random_state=0), xp.asarray(X), xp.asarray(y)
        )
        assert scores.mean() > 0.7
    pipeline = make_pipeline(PCA(2), Ridge()).fit(xp.asarray(X), y)
    np.testing.assert_array_equal(as_numpy(pipeline.predict(xp.asarray(X))), pipeline.predict(X))


def test_a_tensor_that_requires_grad():
    tensor = torch().ones((60, 3), dtype=torch().float64).requires_grad_()
    y = np.arange(60) % 2
    with pytest.raises(
        TypeError, match=r"GaussianNB: X is of type torch.Tensor and requires grad.*X\.detach\(\)"
    ):
        GaussianNB().fit(tensor, y)
    with pytest.raises(TypeError, match=r"Ridge: sample_weight is .*sample_weight\.detach\(\)"):
        Ridge().fit(np.eye(60), y, sample_weight=tensor[:, 0])
    with pytest.raises(TypeError, match=r"Ridge: y is .*y\.detach\(\)"):
        Ridge().fit(np.eye(60), tensor[:, 0])
    GaussianNB().fit(tensor.detach(), y)
    for bad in (
        torch().ones(3, 3, device="meta"),
        torch().eye(3).to_sparse(),
        torch().eye(3).bfloat16(),
    ):
        with pytest.raises(TypeError, match="PCA: X is of type torch.Tensor"):
            PCA().fit(bad)


class Elsewhere:
    """An array as a library for another processor has it."""

    requires_grad, device, dtype = False, "gpu:0", "float64"

    def __init__(self, kind, error=None):
        self.kind, self.error = kind, error

    def __array_namespace__(self, **options):
        return types.SimpleNamespace(from_dlpack=lambda array: array)

    def __dlpack_device__(self):
        if self.kind is None:
            raise ValueError("a device that DLPack does not know")
        return self.kind, 0

    def __dlpack__(self, **options):
        raise self.error


@EVERY
def test_an_array_on_another_processor(name):
    X, y, _ = draw(name)
    model = make(name).fit(X, y)
    method = next(one for one in ANSWERS if hasattr(model, one))
    for kind in (2, None):  # CUDA's
        array = Elsewhere(kind)
        for ask, given in ((make(name).fit, (array, y)), (getattr(model, method), (array,))):
            with pytest.raises(
                TypeError, match=rf"{name}: X is .* on the device gpu:0.*X\.cpu\(\)"
            ):
                ask(*given)
    with pytest.raises(
        TypeError,
        match=f"{name}: X is .*, with entries of type float64, which NumPy cannot read: no",
    ):
        make(name).fit(Elsewhere(1, BufferError("no")), y)
    with pytest.raises(TypeError, match=f"{name}: y is of type"):
        make(name).fit(X, Elsewhere(2))
    grows = Elsewhere(1)
    grows.requires_grad = True
    with pytest.raises(TypeError, match=rf"{name}: X is of type .* requires grad.*X\.detach\(\)"):
        make(name).fit(grows, y)
    with pytest.raises(TypeError, match="lasso_path: y is of type .* on the device gpu:0"):
        lasso_path(X, Elsewhere(2))


@EVERY
def test_every_method_of_samples_takes_them(name):
    """Also those that one of the bases defines, and those that are there for some parameters."""
    X, y, _ = draw(name)
    model = make(name).fit(X, y)
    for method in dir(model):
        if method.startswith("_") or not inspect.ismethod(getattr(model, method, None)):
            continue
        function = getattr(model, method).__func__
        inner = inspect.unwrap(function).__code__
        # What is inherited for all transformers calls two methods that are asked themselves.
        if inner.co_varnames[1:2] == ("X",) and inner.co_argcount > 1:
            shared = TransformerMixin.fit_transform
            assert hasattr(function, "rewrap") or function is shared, method


def test_what_numpy_reads_is_left_alone():
    X = np.eye(3)
    for one in (X, X[0, 0], [[1.0]], (1, 2), "word", None, 3, scipy.sparse.eye(3), svm.SVC()):
        assert containers.as_known("me", one, "X") is one
        assert containers.namespace_of(one) is None
    for one in (X, pd.DataFrame(X), [[1.0]], scipy.sparse.eye(3)):
        assert containers.columns_of_frame("me", one, "X") is None


def test_more_arguments_than_a_method_has():
    with pytest.raises(TypeError, match="positional argument"):
        GaussianNB().fit([[1.0]], [1], None, [1], [1], [1], [1], [1], [1], [1], [1], [1], [1])


def test_frames_through_scikit_learns_tools():
    X, y, _ = draw("GaussianNB")
    frames = [pd.DataFrame(X, columns=NAMES), pa.table(columns(X))]
    if importlib.util.find_spec("polars"):
        frames.append(polars().DataFrame(columns(X)))
    model = make_pipeline(StandardScaler(), KNeighborsClassifier(3))
    expected = cross_val_score(model, X, y, cv=3)
    for frame in frames:
        np.testing.assert_array_equal(cross_val_score(model, frame, y, cv=3), expected)
        search = GridSearchCV(KNeighborsClassifier(), {"n_neighbors": [1, 5]}, cv=3).fit(frame, y)
        assert list(search.best_estimator_.feature_names_in_) == NAMES
        graph = make_pipeline(
            KNeighborsTransformer(n_neighbors=5), KNeighborsClassifier(3, metric="precomputed")
        )
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert graph.fit(frame, y).predict(frame).shape == (60,)
