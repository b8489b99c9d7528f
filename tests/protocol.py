"""What every estimator keeps to among scikit-learn's tools, and under hostile conditions.

Each check takes an unfitted estimator and leaves it as it was. The tests of each folder are a
subclass of :class:`Suite` with their own estimators and settings, and call what else they need.
"""

import copy
import functools
import inspect
import itertools
import numbers
import pickle
import threading
import warnings

import joblib
import numpy as np
import pandas as pd
import pytest
import scipy.sparse
import sklearn
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils._param_validation import (
    Interval,
    InvalidParameterError,
    validate_parameter_constraints,
)
from sklearn.utils.estimator_checks import check_estimator

from litlearn.exceptions import NotFittedError

SKLEARN = tuple(int(part) for part in sklearn.__version__.split(".")[:2])
# Version 1.9 changed parameters: their names, defaults and ranges.
SINCE_1_9 = pytest.mark.skipif(
    SKLEARN < (1, 9), reason="scikit-learn's parameters were others before 1.9"
)

# What an estimator may offer. Those in METHODS take samples, and their answers are compared.
METHODS = (
    "predict",
    "predict_proba",
    "decision_function",
    "apply",
    "decision_path",
    "kneighbors",
    "radius_neighbors",
    "transform",
    "score_samples",
)
OTHER_METHODS = (
    "predict_log_proba",
    "kneighbors_graph",
    "radius_neighbors_graph",
    "inverse_transform",  # takes what transform returns
)
METHODS_WITHOUT_SAMPLES = ("get_depth", "get_n_leaves")
LEARNED_PROPERTIES = ("feature_importances_", "estimators_samples_")


def offered(estimator, methods=METHODS):
    return [method for method in methods if hasattr(estimator, method)]


# Data and comparisons


def data(seed=0, n=90, p=3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    return X, (X[:, 0] + 0.3 * rng.normal(size=n) > 0).astype(int)


def data_frame(X):
    return pd.DataFrame(X, columns=["age", "score", "volume"])


def kind(X):
    """The id of a test with bad data: type and shape, the same in every process."""
    return f"{type(X).__name__}{np.shape(X)}"


def use(model, X):
    """Call everything that the estimator offers; return the results as flat arrays."""
    results = []
    for method in offered(model):
        found = getattr(model, method)(X)
        results += found if isinstance(found, tuple) else [found]
    if hasattr(model, "inverse_transform"):
        results.append(model.inverse_transform(model.transform(X)))
    if hasattr(model, "feature_importances_"):
        results.append(model.feature_importances_)
    assert results  # else all comparisons would hold
    return [as_array(one) for one in results]


def as_array(result):
    if scipy.sparse.issparse(result):
        return result.toarray()
    return np.concatenate(list(result)) if result.dtype == object else result


def assert_same(results, expected, **tolerance):
    """Equal without a tolerance, else close."""
    for one, other in zip(results, expected, strict=True):
        if tolerance:
            np.testing.assert_allclose(one, other, **tolerance)
        else:
            np.testing.assert_array_equal(one, other)


def trees(model):
    """The fitted trees of a forest, or the tree itself."""
    return model.estimators_ if hasattr(model, "estimators_") else [model]


def assert_same_trees(one, other):
    """The same bits in every array of every tree."""
    for a, b in zip(trees(one), trees(other), strict=True):
        for name, array in a.tree_.arrays().items():
            assert array.tobytes() == b.tree_.arrays()[name].tobytes(), name


def assert_same_fit(one, other):
    """The same bits in everything that was learned, whatever its name."""
    learned, expected = (
        {name: value for name, value in vars(model).items() if name not in parameters(model)}
        for model in (one, other)
    )
    assert expected  # else all comparisons would hold
    assert_same_value(learned, expected, type(other).__name__)


def assert_same_value(one, other, path):
    """The same bits, however nested; `path` says where the values are."""
    assert type(one) is type(other), path
    if isinstance(one, np.ndarray) and one.dtype != object:
        assert (one.dtype, one.shape) == (other.dtype, other.shape), path
        assert one.tobytes() == other.tobytes(), path
    elif isinstance(one, dict):
        assert list(one) == list(other), path
        for name, value in one.items():
            assert_same_value(value, other[name], f"{path}[{name!r}]")
    elif isinstance(one, (list, tuple, np.ndarray)):
        assert len(one) == len(other), path
        for number, pair in enumerate(zip(one, other, strict=True)):
            assert_same_value(*pair, f"{path}[{number}]")
    elif isinstance(one, (float, np.floating)):
        assert np.float64(one).tobytes() == np.float64(other).tobytes(), path
    elif isinstance(one, np.random.RandomState):
        assert_same_value(one.get_state(legacy=False), other.get_state(legacy=False), path)
    elif hasattr(one, "arrays"):  # a fitted tree
        assert_same_value(one.arrays(), other.arrays(), path)
    elif hasattr(one, "get_params"):
        assert_same_fit(one, other)
    elif one is None:
        return
    elif type(one).__eq__ is object.__eq__ or scipy.sparse.issparse(one):
        # An object that is compared by what it holds.
        assert_same_value(state(one), state(other), path)
    else:
        assert one == other, path


def state(value):
    """The attributes of an object, in a dict or in slots."""
    slots = [name for kind in type(value).__mro__ for name in getattr(kind, "__slots__", ())]
    held = {name: getattr(value, name) for name in slots if hasattr(value, name)}
    held.update(getattr(value, "__dict__", {}))
    assert held or callable(value), f"nothing to compare in {value!r}"
    return held


def in_threads(work, n_threads):
    """Call `work(number)` in all threads at once; return the results, sorted by number."""
    results, errors = [None] * n_threads, []
    barrier = threading.Barrier(n_threads)

    def call(number):
        try:
            barrier.wait(timeout=60)
            results[number] = work(number)
        except BaseException as error:  # a failure in a thread would go unseen
            errors.append(error)

    threads = [threading.Thread(target=call, args=(n,), daemon=True) for n in range(n_threads)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=240)
        assert not thread.is_alive()
    assert not errors
    return results


# scikit-learn's tools


def check_all_are_listed(module, estimators, others=()):
    """Every public class of the module is among the estimators, or among the `others` by name."""
    public = {name for name in module.__all__ if isinstance(getattr(module, name), type)}
    assert {type(one).__name__ for one in estimators} == public - set(others)


def check_scikit_learns_checks(estimator, may_fail=()):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = check_estimator(estimator, on_skip=None, on_fail=None)
    failed = {r["check_name"]: r["exception"] for r in results if r["status"] == "failed"}
    assert not {name: error for name, error in failed.items() if name not in may_fail}
    skipped = {r["check_name"] for r in results if r["status"] == "skipped"}
    may_be_skipped = {
        "check_array_api_input",  # needs SCIPY_ARRAY_API=1, set before anything is imported
        *(
            f"check_classifiers_multilabel_output_format_{method}"
            for method in ("predict_proba", "decision_function")
            if not hasattr(estimator, method)
        ),
    }
    assert skipped <= may_be_skipped
    assert sum(r["status"] == "passed" for r in results) >= 40


def sibling(estimator, theirs):
    """scikit-learn's estimator of the same name, with those parameters that it knows."""
    other = getattr(theirs, type(estimator).__name__)()
    given = estimator.get_params()
    return other.set_params(**{name: given[name] for name in other.get_params()})


def check_signature(estimator, theirs, ours_only=(), **other_defaults):
    """scikit-learn's parameters with the same defaults or those given, and ours besides."""
    mine = type(estimator)().get_params()
    expected = getattr(theirs, type(estimator).__name__)().get_params() | other_defaults
    assert {name: mine[name] for name in expected} == expected
    assert set(mine) - set(expected) == set(ours_only)
    check_limits(type(estimator), getattr(theirs, type(estimator).__name__))


@functools.cache
def check_limits(ours, theirs):
    """What scikit-learn takes at the ends of the range of a number is taken; else it is refused."""
    X, y = data(n=60)
    X = np.abs(X)
    given = {"n_estimators": 2} if "n_estimators" in theirs._parameter_constraints else {}
    for name, allowed in theirs._parameter_constraints.items():
        ranges = [one for one in allowed if isinstance(one, Interval)] if name != "verbose" else []
        values = set()
        for one in ranges:
            step = 1 if one.type is numbers.Integral else 0.5
            ends = [end for end in (one.left, one.right) if end is not None and np.isfinite(end)]
            values.update(end + side for end in ends for side in (-step, 0, step))
        for value in sorted(values):
            message = ""
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    ours(**given | {name: value}).fit(X, y)
                except Exception as error:
                    message = str(error)
            try:
                validate_parameter_constraints({name: allowed}, {name: value}, "")
                # Other reasons to refuse it may be in the data.
                assert f"The {name!r} parameter of" not in message, (name, value, message)
            except InvalidParameterError:
                assert message, (name, value)


def parameters(estimator):
    """Read past `get_params`, which `clone` and `repr` rely on."""
    names = inspect.signature(type(estimator)).parameters
    return {name: getattr(estimator, name) for name in names}


def check_clone_and_copies(estimator):
    X, y = data()
    model = clone(estimator).fit(X, y)
    expected = use(model, X[:20])
    again = clone(model)
    assert not again.__sklearn_is_fitted__()
    assert parameters(again) == parameters(model) == parameters(estimator)
    for again in (copy.copy(model), copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert_same(use(again, X[:20]), expected)
        assert repr(again) == repr(model)
        assert parameters(again) == parameters(model)


def check_joblib_with_memory_maps(estimator, folder):
    X, y = data()
    model = clone(estimator).fit(X, y)
    joblib.dump(model, folder / "model.joblib")
    mapped = joblib.load(folder / "model.joblib", mmap_mode="r")
    assert_same(use(mapped, X[:20]), use(model, X[:20]))


def check_pickles_are_small(estimator, theirs):
    """For a tree or a forest: no more bytes for each node than scikit-learn's."""
    X, y = data(n=2000)
    y = y if hasattr(estimator, "predict_proba") else X[:, 0] + X[:, 1]
    sizes = []
    for model in (clone(estimator).fit(X, y), sibling(estimator, theirs).fit(X, y)):
        n_nodes = sum(one.tree_.node_count for one in trees(model))
        sizes.append(len(pickle.dumps(model)) / n_nodes)
    assert sizes[0] <= sizes[1]


def check_data_frames(estimator, **tolerance):
    X, y = data()
    frame = data_frame(X)
    model = clone(estimator).fit(frame, pd.Series(y, name="diagnosis"))
    assert list(model.feature_names_in_) == ["age", "score", "volume"]
    assert_same(use(model, frame), use(clone(estimator).fit(X, y), X), **tolerance)
    for method in offered(model):
        answer = getattr(model, method)
        with pytest.raises(ValueError, match="must be in the same order"):
            answer(frame[["score", "age", "volume"]])
        with pytest.raises(ValueError, match="Feature names unseen at fit time:\n- years"):
            answer(frame.rename(columns={"age": "years"}))
    with pytest.warns(UserWarning, match="X does not have valid feature names"):
        without_names = use(model, X)
    assert_same(without_names, use(model, frame), **tolerance)
    model.fit(X, y)
    assert not hasattr(model, "feature_names_in_")
    with pytest.warns(UserWarning, match="was fitted without feature names"):
        use(model, frame)


def check_forms_of_the_same_data(estimator, dtypes=(np.int8, np.float32), **tolerance):
    """Order, strides, lists and types change no answer, and the data stay as they are."""
    X, y = data()
    X = np.round(4 * X)  # whole numbers, which every type holds exactly
    expected = use(clone(estimator).fit(X, y), X)
    wide = np.zeros((180, 6))
    wide[::2, ::2] = X
    read_only = X.copy()
    read_only.flags.writeable = False
    forms = [np.asfortranarray(X), wide[::2, ::2], read_only, X.tolist()]
    for form in (*forms, *(X.astype(dtype) for dtype in dtypes)):
        before = copy.deepcopy(form)
        assert_same(use(clone(estimator).fit(form, y), form), expected, **tolerance)
        np.testing.assert_array_equal(form, before)


def check_the_callers_data_stay_as_they_are(estimator):
    X, y = data()
    kept_X, kept_y = X.copy(), y.copy()
    use(clone(estimator).fit(X, y), X)
    np.testing.assert_array_equal(X, kept_X)
    np.testing.assert_array_equal(y, kept_y)
    assert X.flags.writeable and y.flags.writeable
    X.flags.writeable = y.flags.writeable = False
    use(clone(estimator).fit(X, y), X)


def check_single_precision_grows_the_same_trees(estimator):
    X, y = data()
    single = X.astype(np.float32)
    double = single.astype(np.float64)
    models = [clone(estimator).fit(one, y) for one in (single, double)]
    assert_same_trees(*models)
    assert_same(use(models[0], single), use(models[1], double))


def check_the_number_of_threads_changes_no_bit(estimator, X, y, answer):
    """`answer` is what to compare: a function of the fitted model."""
    first = clone(estimator).set_params(n_jobs=1).fit(X, y)
    expected = answer(first)
    for n_jobs in (1, 2, 4, -1, None):
        model = clone(estimator).set_params(n_jobs=n_jobs).fit(X, y)
        assert_same_fit(model, first)
        assert_same(answer(model), expected)


def check_threads_of_the_environment(estimator, monkeypatch, n=20_000):
    """What has no parameter `n_jobs`: OMP_NUM_THREADS changes no bit."""
    X, y = data(n=n)
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    expected = clone(estimator).fit(X, y)
    for threads in ("2", "3"):
        monkeypatch.setenv("OMP_NUM_THREADS", threads)
        model = clone(estimator).fit(X, y)
        assert_same_fit(model, expected)
        assert_same(use(model, X), use(expected, X))


def check_threads_at_once(estimator):
    """Four threads fit and answer at once: each as one alone."""
    X, y = data(n=400)
    expected = clone(estimator).fit(X, y)

    def work(number):
        model = clone(estimator).fit(X, y)
        return model, use(model, X)

    for model, answers in in_threads(work, 4):
        assert_same_fit(model, expected)
        assert_same(answers, use(expected, X))


def check_pipeline_and_search(classifier, grid):
    """Search a pipeline with labels that are strings; return the search for a closer look."""
    X, y = data()
    labels = np.array(["healthy", "ill"])[y]
    name = type(classifier).__name__
    pipeline = make_pipeline(StandardScaler(), clone(classifier))
    named = {f"{name.lower()}__{parameter}": values for parameter, values in grid.items()}
    search = GridSearchCV(pipeline, named, cv=3).fit(X, labels)
    assert search.best_score_ > 0.7
    assert set(search.predict(X)) == {"healthy", "ill"}
    assert name in repr(pipeline) and name in pipeline._repr_html_()
    return search


def check_before_fit(estimator):
    """Each method says that fit comes first, and nothing learned is there."""
    X, _ = data()
    for method in offered(estimator, METHODS + OTHER_METHODS):
        with pytest.raises(NotFittedError, match="is not fitted yet"):
            getattr(clone(estimator), method)(X)
    for method in offered(estimator, METHODS_WITHOUT_SAMPLES):
        with pytest.raises(NotFittedError, match="is not fitted yet"):
            getattr(clone(estimator), method)()
    for name in LEARNED_PROPERTIES:
        assert not hasattr(clone(estimator), name)


# Bad input: refused with a message that names the estimator, which is usable afterwards

N, P = 90, 3  # the shape of data()
BAD_SAMPLES = [
    np.full((N, P), np.inf),
    np.full((N, P), -np.inf),
    np.zeros((N, P)) + 1j,
    np.zeros(N),
    np.zeros((N, P, 1)),
    np.zeros((0, P)),
    np.zeros((N, 0)),
    np.full((N, P), "a"),
    np.full((N, P), {}),
    None,
    "samples",
    {"a": 1},
]
# For those that take no missing values, and for those that take no sparse matrices.
MISSING_SAMPLES = [np.full((N, P), np.nan)]
SPARSE_SAMPLES = [scipy.sparse.csr_matrix(np.eye(N, P)), scipy.sparse.csc_array(np.eye(N, P))]
SPARSE_WITH_MISSING = scipy.sparse.csr_matrix(np.full((N, P), np.nan))
BAD_TARGETS = [
    None,
    [0, 1],
    np.zeros((N, 2, 2), dtype=int),
    np.full(N, np.nan),
    np.full(N, np.inf),
    np.zeros(N) + 1j,
    np.full(N, {}),
    scipy.sparse.csr_matrix(np.eye(N, 2)),
]
BAD_WEIGHTS = [
    np.ones(3),
    [0, 1],
    np.full(N, -1.0),
    np.full(N, np.nan),
    np.full(N, np.inf),
    np.zeros(N),
    np.full(N, "a"),
]
# Those of trees, which forests hand on to their trees.
BAD_TREE_PARAMETERS = [
    *[("criterion", value) for value in ("GINI", "mse", None, 3)],
    *[("splitter", value) for value in ("worst", None, 1)],
    *[("max_depth", value) for value in (0, -1, 1.5, "3", True)],
    *[("min_samples_split", value) for value in (1, 0, -2, 0.0, 1.1, np.nan, "2", None, True)],
    *[("min_samples_leaf", value) for value in (0, -2, 0.0, 1.1, np.nan, "2", None, True)],
    *[("min_weight_fraction_leaf", value) for value in (-0.1, 0.6, np.nan, "0", None)],
    *[("max_features", value) for value in (0, -1, 0.0, 1.1, np.nan, "auto", "5", True)],
    *[("max_leaf_nodes", value) for value in (0, 1, 2.5, "3", True)],
    *[("min_impurity_decrease", value) for value in (-0.1, np.nan, np.inf, "0", None)],
    *[("ccp_alpha", value) for value in (-0.1, np.nan, np.inf, "0", None)],
    *[("max_bins", value) for value in (1, 0, -1, 2.5, "8", True)],
    *[
        ("monotonic_cst", value)
        for value in (1, "a", [1, 0], [[1, 0, 0]], [2, 0, 0], [0.5, 0, 0], ["1", "0", "0"])
    ],
    *[("random_state", value) for value in (-1, "a", 1.5)],
    *[("class_weight", value) for value in ("even", [1.0, 2.0], 3, {0: -1.0}, {7: 1.0})],
]


def refuses(match):
    return pytest.raises((ValueError, TypeError), match=match)


def with_parameters(estimators, parameters):
    """Rows (estimator, name, value): each of the pairs (name, value) with those that have it."""
    names = {name for name, _ in parameters}.difference(*[one.get_params() for one in estimators])
    assert not names, f"no estimator has {names}"
    pairs = itertools.product(estimators, parameters)
    return [(one, name, value) for one, (name, value) in pairs if name in one.get_params()]


def every_bad_parameter(estimators, parameters):
    """Parametrise a test that stands in no suite by those rows."""
    rows = with_parameters(estimators, parameters)
    ids = [f"{name}-{value}-{type(one).__name__}" for one, name, value in rows]
    return pytest.mark.parametrize(("estimator", "name", "value"), rows, ids=ids)


def check_bad_parameters(estimator, name, value):
    X, y = data()
    model = clone(estimator).fit(X, y)
    expected = use(model, X)
    model.set_params(**{name: value})
    with refuses(name) as caught:
        model.fit(X, y)
    assert type(estimator).__name__ in str(caught.value)
    model.set_params(**{name: getattr(estimator, name)})
    assert_same(use(model, X), expected)  # the failed fit left the earlier one as it was
    assert_same(use(model.fit(X, y), X), expected)


def check_bad_samples(estimator, bad, none_is_a_query=False):
    """`none_is_a_query`: as a query, None stands for the training samples."""
    X, y = data()
    model = clone(estimator).fit(X, y)
    expected = use(model, X)
    with refuses(type(estimator).__name__) as caught:
        model.fit(bad, y)
    assert len(str(caught.value)) < 2000
    assert_same(use(model, X), expected)
    if bad is not None or not none_is_a_query:
        for method in offered(model):
            with refuses(type(estimator).__name__):
                getattr(model, method)(bad)
    assert_same(use(model, X), expected)


def check_bad_targets(estimator, bad):
    X, y = data()
    model = clone(estimator).fit(X, y)
    expected = use(model, X)
    with refuses(type(estimator).__name__):
        model.fit(X, bad)
    assert_same(use(model, X), expected)


def check_bad_weights(estimator, bad):
    X, y = data()
    model = clone(estimator).fit(X, y)
    expected = use(model, X)
    with refuses("sample_weight"):
        model.fit(X, y, sample_weight=bad)
    assert_same(use(model, X), expected)


def check_wrong_number_of_features(estimator):
    X, y = data()
    model = clone(estimator).fit(X, y)
    for method in offered(model):
        message = f"X has 2 features, but {type(estimator).__name__} is expecting 3"
        with pytest.raises(ValueError, match=message):
            getattr(model, method)(X[:, :2])


# The checks as tests


class Settings:
    """Tests that hold in every setting; pytest calls each one with what its arguments name.

    A subclass gives its estimators, and changes what differs.
    """

    estimators = ()
    close = {}  # other orders of memory may be other orders of sums
    dtypes = (np.int8, np.float32)  # those in which whole numbers give the same answers

    def pytest_generate_tests(self, metafunc):
        names, rows, show = ("estimator",), [(one,) for one in self.estimators], str
        if "value" in metafunc.fixturenames:
            names = ("estimator", "name", "value")
            rows = with_parameters(self.estimators, self.bad_parameters)
        for bad in ("bad_samples", "bad_targets", "bad_weights"):
            if bad in metafunc.fixturenames:
                names, show = ("estimator", bad), kind
                rows = list(itertools.product(self.estimators, getattr(self, bad)))
        if "estimator" in metafunc.fixturenames:
            rows = [row for row in rows if self.applies(metafunc.function.__name__, *row)]
            ids = ["-".join([repr(one), *map(show, given)]) for one, *given in rows]
            metafunc.parametrize(names, rows, ids=ids)

    def applies(self, test, estimator, *given):
        """Whether a test, by its name, holds for an estimator; `given`: its other parameters."""
        return True

    def may_fail(self, estimator):
        """Name those of scikit-learn's checks that fail for its own estimator, too."""
        return ()

    def test_check_estimator(self, estimator):
        check_scikit_learns_checks(estimator, self.may_fail(estimator))

    def test_clone_and_copies(self, estimator):
        check_clone_and_copies(estimator)

    def test_forms_of_the_same_data(self, estimator):
        check_forms_of_the_same_data(estimator, self.dtypes, **self.close)

    def test_the_callers_data_stay_as_they_are(self, estimator):
        check_the_callers_data_stay_as_they_are(estimator)


class Suite(Settings):
    """All tests. A subclass gives its estimators and their bad parameters.

    A test that applies to none of them is set to None; `applies` leaves out the others.
    """

    bad_parameters = ()
    bad_samples = (*BAD_SAMPLES, *MISSING_SAMPLES, SPARSE_WITH_MISSING)
    bad_targets = BAD_TARGETS
    bad_weights = BAD_WEIGHTS

    def test_joblib_with_memory_maps(self, estimator, tmp_path):
        check_joblib_with_memory_maps(estimator, tmp_path)

    def test_data_frames(self, estimator):
        check_data_frames(estimator, **self.close)

    def test_threads_at_once(self, estimator):
        check_threads_at_once(estimator)

    def test_bad_parameters(self, estimator, name, value):
        check_bad_parameters(estimator, name, value)

    def test_bad_samples(self, estimator, bad_samples):
        check_bad_samples(estimator, bad_samples)

    def test_bad_targets(self, estimator, bad_targets):
        check_bad_targets(estimator, bad_targets)

    def test_bad_weights(self, estimator, bad_weights):
        check_bad_weights(estimator, bad_weights)

    def test_wrong_number_of_features(self, estimator):
        check_wrong_number_of_features(estimator)

    def test_before_fit(self, estimator):
        check_before_fit(estimator)
