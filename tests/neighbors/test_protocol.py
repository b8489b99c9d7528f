"""The estimators among scikit-learn's tools, and under hostile conditions."""

import copy
import os
import pickle
import shutil
import subprocess
import sys
import threading
import warnings

import joblib
import numpy as np
import pandas as pd
import pytest
import scipy.sparse
import sklearn
from sklearn.base import clone
from sklearn.ensemble import BaggingClassifier, VotingClassifier
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.multioutput import MultiOutputClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

import litlearn
from litlearn.exceptions import InvalidParameterError, NotFittedError
from litlearn.neighbors import (
    KNeighborsClassifier,
    KNeighborsRegressor,
    NearestNeighbors,
    RadiusNeighborsClassifier,
    RadiusNeighborsRegressor,
)

ALL = (
    NearestNeighbors(),
    KNeighborsClassifier(),
    KNeighborsRegressor(),
    RadiusNeighborsClassifier(outlier_label="most_frequent"),
    RadiusNeighborsRegressor(radius=2.0),
)
BY_NAME = pytest.mark.parametrize("estimator", ALL, ids=lambda one: type(one).__name__)


def data(seed=0, n=90, p=3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    return X, (X[:, 0] + 0.3 * rng.normal(size=n) > 0).astype(int)


def use(model, X):
    """Call everything that the estimator offers; return flat results."""
    results = []
    for method in ("predict", "predict_proba", "kneighbors", "radius_neighbors"):
        if hasattr(model, method):
            found = getattr(model, method)(X)
            results += list(found) if isinstance(found, tuple) else [found]
    return [np.concatenate(list(r)) if r.dtype == object else r for r in results]


def assert_same(results, expected):
    for one, other in zip(results, expected, strict=True):
        np.testing.assert_array_equal(one, other)


def run(code, *args, **environment):
    """Run Python code in a new process; return what it prints."""
    done = subprocess.run(
        [sys.executable, "-c", code, *args],
        capture_output=True,
        text=True,
        timeout=240,
        env={**os.environ, **environment},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


# scikit-learn's own checks


@pytest.mark.parametrize(
    "estimator",
    [
        NearestNeighbors(),
        KNeighborsClassifier(),
        KNeighborsClassifier(weights="distance", algorithm="brute"),
        KNeighborsRegressor(),
        KNeighborsRegressor(weights="distance", algorithm="ball_tree"),
        RadiusNeighborsClassifier(),
        RadiusNeighborsRegressor(),
        KNeighborsClassifier(metric="precomputed"),
        KNeighborsRegressor(metric="precomputed"),
    ],
    ids=repr,
)
def test_check_estimator(estimator):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = check_estimator(estimator, on_skip=None, on_fail=None)
    failed = [(r["check_name"], r["exception"]) for r in results if r["status"] == "failed"]
    assert not failed
    skipped = {r["check_name"] for r in results if r["status"] == "skipped"}
    assert skipped <= {
        "check_array_api_input",  # needs SCIPY_ARRAY_API=1, set before anything is imported
        "check_classifiers_multilabel_output_format_decision_function",  # there is none
    }
    assert sum(r["status"] == "passed" for r in results) >= 40


# scikit-learn's tools


@BY_NAME
def test_clone_and_copies(estimator):
    X, y = data()
    model = clone(estimator).fit(X, y)
    expected = use(model, X[:20])
    assert not clone(model).__sklearn_is_fitted__()
    for again in (copy.copy(model), copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert_same(use(again, X[:20]), expected)
        assert repr(again) == repr(model)


@BY_NAME
def test_joblib_with_memory_maps(estimator, tmp_path):
    X, y = data()
    model = clone(estimator).fit(X, y)
    joblib.dump(model, tmp_path / "model.joblib")
    mapped = joblib.load(tmp_path / "model.joblib", mmap_mode="r")
    assert_same(use(mapped, X[:20]), use(model, X[:20]))


def test_an_unpickled_estimator_needs_no_new_compilation():
    code = """
import pickle
import numpy as np
from litlearn.neighbors import KNeighborsClassifier, RadiusNeighborsRegressor
from numba.core.dispatcher import Dispatcher
import sys
X = np.random.default_rng(0).normal(size=(100, 2))
def signatures():
    modules = [m for name, m in sorted(sys.modules.items()) if name.startswith("litlearn")]
    functions = {id(v): v for m in modules for v in vars(m).values() if isinstance(v, Dispatcher)}
    return {f.__name__: len(f.signatures) for f in functions.values()}
for algorithm in ("brute", "kd_tree", "ball_tree"):
    for model in (KNeighborsClassifier(algorithm=algorithm), RadiusNeighborsRegressor(9.0)):
        model.fit(X, X[:, 0] > 0).predict(X)
        before = signatures()
        again = pickle.loads(pickle.dumps(model))
        again.predict(np.asfortranarray(X))
        read_only = X[:50]
        read_only.flags.writeable = False
        again.predict(read_only)
        assert signatures() == before, (algorithm, before, signatures())
print("same")
"""
    assert run(code) == "same\n"


def test_pipelines_searches_and_ensembles():
    X, y = data()
    labels = np.array(["healthy", "ill"])[y]
    pipeline = make_pipeline(StandardScaler(), KNeighborsClassifier())
    search = GridSearchCV(
        pipeline,
        {
            "kneighborsclassifier__n_neighbors": [1, 5, 15],
            "kneighborsclassifier__weights": ["uniform", "distance"],
        },
        cv=3,
    ).fit(X, labels)
    theirs = GridSearchCV(
        make_pipeline(StandardScaler(), sklearn.neighbors.KNeighborsClassifier()),
        search.param_grid,
        cv=3,
    ).fit(X, labels)
    np.testing.assert_array_equal(
        search.cv_results_["mean_test_score"], theirs.cv_results_["mean_test_score"]
    )
    assert search.best_params_ == theirs.best_params_
    assert "KNeighborsClassifier" in repr(pipeline) and "KNeighbors" in pipeline._repr_html_()
    for model in (
        VotingClassifier([("a", KNeighborsClassifier(3)), ("b", KNeighborsClassifier(9))]),
        BaggingClassifier(KNeighborsClassifier(3), n_estimators=5, random_state=0),
    ):
        assert model.fit(X, labels).score(X, labels) > 0.8
    several = MultiOutputClassifier(KNeighborsClassifier(3)).fit(X, np.column_stack([y, 1 - y]))
    assert several.predict(X).shape == (90, 2)


def test_cross_validation_in_processes():
    X, y = data()
    model = KNeighborsClassifier(5)
    serial = cross_val_score(model, X, y, cv=4)
    np.testing.assert_array_equal(cross_val_score(model, X, y, cv=4, n_jobs=2), serial)
    shares = cross_val_predict(model, X, y, method="predict_proba", cv=4)
    assert shares.shape == (90, 2)


def test_scorers_and_leave_one_out():
    from sklearn.metrics import get_scorer
    from sklearn.model_selection import LeaveOneOut

    X, y = data()
    model = KNeighborsClassifier(5).fit(X, y)
    assert get_scorer("roc_auc")(model, X, y) > 0.9
    by_folds = cross_val_score(KNeighborsClassifier(5), X, y, cv=LeaveOneOut()).mean()
    assert model.score(None, y) == by_folds


def test_data_frames():
    X, y = data()
    frame = pd.DataFrame(X, columns=["age", "score", "volume"])
    model = KNeighborsClassifier().fit(frame, pd.Series(y, name="diagnosis"))
    assert list(model.feature_names_in_) == ["age", "score", "volume"]
    expected = KNeighborsClassifier().fit(X, y).predict(X)
    np.testing.assert_array_equal(model.predict(frame), expected)
    with pytest.raises(ValueError, match="must be in the same order"):
        model.predict(frame[["score", "age", "volume"]])
    with pytest.raises(ValueError, match="Feature names unseen at fit time:\n- years"):
        model.predict(frame.rename(columns={"age": "years"}))
    with pytest.warns(UserWarning, match="X does not have valid feature names"):
        np.testing.assert_array_equal(model.predict(X), expected)
    model.fit(X, y)
    assert not hasattr(model, "feature_names_in_")
    with pytest.warns(UserWarning, match="was fitted without feature names"):
        model.predict(frame)


def test_sets_of_options_that_scikit_learn_offers():
    X, y = data()
    with sklearn.config_context(assume_finite=True, skip_parameter_validation=True):
        assert KNeighborsClassifier().fit(X, y).score(X, y) > 0.8
    with sklearn.config_context(enable_metadata_routing=True):
        search = GridSearchCV(
            KNeighborsClassifier().set_score_request(sample_weight=True),
            {"n_neighbors": [1, 5]},
            cv=3,
        )
        search.fit(X, y, sample_weight=np.ones(90))


# Bad input: refused with a message, and the estimator is usable afterwards

BAD_PARAMETERS = [
    *[("n_neighbors", value) for value in (0, -1, 2.5, "5", True, np.nan, [3])],
    *[("radius", value) for value in (-1.0, np.nan, "1", True, [1.0])],
    *[("algorithm", value) for value in ("kdtree", None, 1, ["brute"])],
    *[("leaf_size", value) for value in (0, -5, 1.5, None, "30", True)],
    *[("p", value) for value in (0, 0.5, -1, np.nan, "2", True)],
    *[("metric", value) for value in ("euclid", None, 3, ["euclidean"])],
    *[("metric_params", value) for value in ("w", [1], {"w": [1.0]}, {"w": "a"}, {"V": 1})],
    *[
        ("metric_params", {"w": value})
        for value in ([1, np.nan, 1], [1, -1, 1], [0, 0, 0], [[1, 1, 1]])
    ],
    *[("metric_params", {"p": value}) for value in (0.5, "a", np.nan)],
    *[("n_jobs", value) for value in (0, 1.5, "all", True)],
    *[("weights", value) for value in ("inverse", 3, ["uniform"])],
    *[("outlier_label", value) for value in ("a", [0, 1], [[0]], {})],
]


@pytest.mark.filterwarnings("ignore:.*Parameter p is found in metric_params")
@BY_NAME
@pytest.mark.parametrize(("name", "value"), BAD_PARAMETERS, ids=str)
def test_bad_parameters(estimator, name, value):
    if name not in estimator.get_params():
        return
    X, y = data()
    model = clone(estimator).fit(X, y)
    expected = use(model, X)
    model.set_params(**{name: value})
    with pytest.raises((ValueError, TypeError), match=name.split("_")[0]) as caught:
        model.fit(X, y)
    assert type(estimator).__name__ in str(caught.value)
    model.set_params(**{name: getattr(estimator, name)})
    assert_same(use(model, X), expected)  # the failed fit left the earlier one as it was
    assert_same(use(model.fit(X, y), X), expected)


BAD_SAMPLES = [
    np.full((90, 3), np.nan),
    np.full((90, 3), np.inf),
    np.zeros((90, 3)) + 1j,
    np.zeros(90),
    np.zeros((90, 3, 1)),
    np.zeros((0, 3)),
    np.zeros((90, 0)),
    np.full((90, 3), "a"),
    np.full((90, 3), {}),
    scipy.sparse.csr_matrix(np.eye(90, 3)),
    scipy.sparse.csc_array(np.eye(90, 3)),
    None,
    "samples",
    {"a": 1},
]
KINDS = lambda X: f"{type(X).__name__}{np.shape(X)}"  # noqa: E731


@BY_NAME
@pytest.mark.parametrize("bad", BAD_SAMPLES, ids=KINDS)
def test_bad_samples(estimator, bad):
    X, y = data()
    model = clone(estimator).fit(X, y)
    expected = use(model, X)
    with pytest.raises((ValueError, TypeError)) as caught:
        model.fit(bad, y)
    message = str(caught.value)
    assert type(estimator).__name__ in message and len(message) < 2000
    assert_same(use(model, X), expected)
    if bad is not None:  # as a query, None stands for the training samples
        for method in ("predict", "kneighbors", "radius_neighbors"):
            if hasattr(model, method):
                with pytest.raises((ValueError, TypeError), match=type(estimator).__name__):
                    getattr(model, method)(bad)
    assert_same(use(model, X), expected)


@pytest.mark.parametrize(
    "bad",
    [
        None,
        [0, 1],
        np.zeros((90, 2, 2), dtype=int),
        np.full(90, np.nan),
        np.full(90, np.inf),
        np.zeros(90) + 1j,
        np.full(90, {}),
        scipy.sparse.csr_matrix(np.eye(90, 2)),
    ],
    ids=KINDS,
)
@pytest.mark.parametrize("estimator", ALL[1:], ids=lambda one: type(one).__name__)
def test_bad_targets(estimator, bad):
    X, y = data()
    model = clone(estimator).fit(X, y)
    expected = use(model, X)
    with pytest.raises((ValueError, TypeError), match=type(estimator).__name__):
        model.fit(X, bad)
    assert_same(use(model, X), expected)


def test_continuous_targets_are_not_classes():
    X, y = data()
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        KNeighborsClassifier().fit(X, y + 0.5)


def test_bad_arguments_of_queries():
    X, y = data()
    model = NearestNeighbors().fit(X)
    with pytest.raises(ValueError, match="n_neighbors <= n_samples_fit, but n_neighbors = 91"):
        model.kneighbors(X, 91)
    with pytest.raises(ValueError, match="n_neighbors < n_samples_fit, but n_neighbors = 90"):
        model.kneighbors(n_neighbors=90)
    with pytest.raises(ValueError, match="Expected n_neighbors > 0. Got 0"):
        model.kneighbors(X, 0)
    for value in (2.0, "3", True):
        with pytest.raises(TypeError, match="enter integer value"):
            model.kneighbors(X, value)
    with pytest.raises(InvalidParameterError, match="'radius' parameter of NearestNeighbors"):
        model.radius_neighbors(X, -1.0)
    with pytest.raises(ValueError, match="one radius for each query"):
        model.radius_neighbors(X, [1.0, 2.0])
    with pytest.raises(ValueError, match="negative values or NaN"):
        model.radius_neighbors(X[:2], [1.0, np.nan])
    with pytest.raises(ValueError, match="return_distance must be True"):
        model.radius_neighbors(X, return_distance=False, sort_results=True)
    with pytest.raises(ValueError, match="X has 2 features, but NearestNeighbors is expecting 3"):
        model.kneighbors(X[:, :2])
    with pytest.raises(ValueError, match="kd_tree does not support callable metric"):
        NearestNeighbors(metric=max, algorithm="kd_tree").fit(X)
    with pytest.raises(ValueError, match="Metric 'cosine' not valid for algorithm='kd_tree'"):
        NearestNeighbors(metric="cosine", algorithm="kd_tree").fit(X)
    with pytest.warns(SyntaxWarning, match="Parameter p is found in metric_params"):
        NearestNeighbors(metric_params={"p": 3}).fit(X)
    none = KNeighborsClassifier(n_neighbors=None).fit(X, y)
    with pytest.raises(TypeError, match="n_neighbors does not take"):
        none.predict(X)
    assert none.kneighbors(X, 2, return_distance=False).shape == (90, 2)


@BY_NAME
def test_before_fit(estimator):
    X, _ = data()
    for method in (
        "predict",
        "predict_proba",
        "kneighbors",
        "radius_neighbors",
        "kneighbors_graph",
    ):
        if hasattr(estimator, method):
            with pytest.raises(NotFittedError, match="is not fitted yet"):
                getattr(clone(estimator), method)(X)
    with pytest.raises(NotFittedError):
        KNeighborsClassifier().fit(NearestNeighbors(), [0])


@BY_NAME
def test_the_callers_data_stay_as_they_are(estimator):
    X, y = data()
    kept_X, kept_y = X.copy(), y.copy()
    use(clone(estimator).fit(X, y), X)
    np.testing.assert_array_equal(X, kept_X)
    np.testing.assert_array_equal(y, kept_y)
    assert X.flags.writeable and y.flags.writeable
    X.flags.writeable = y.flags.writeable = False
    use(clone(estimator).fit(X, y), X)


# Threads, processes, folders


@pytest.mark.parametrize("algorithm", ["brute", "kd_tree", "ball_tree"])
@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "chebyshev", "minkowski"])
def test_the_number_of_threads_does_not_change_a_bit(algorithm, metric):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(2000, 3))
    X[1000:] = X[:1000]
    results = []
    for n_jobs in (1, 2, -1, None):
        model = NearestNeighbors(
            algorithm=algorithm, metric=metric, p=3, radius=0.2, n_jobs=n_jobs
        ).fit(X)
        dist, ind = model.radius_neighbors()
        results.append([*model.kneighbors(), np.concatenate(dist), np.concatenate(ind)])
    for other in results[1:]:
        assert_same(other, results[0])


@pytest.mark.parametrize("name", ["OMP_NUM_THREADS", "NUMBA_NUM_THREADS"])
def test_environment_variables_cap_threads(name, monkeypatch):
    X, y = data(n=600)
    expected = KNeighborsClassifier(n_jobs=2).fit(X, y).predict_proba(X)
    monkeypatch.setenv(name, "1")
    np.testing.assert_array_equal(KNeighborsClassifier().fit(X, y).predict_proba(X), expected)


def test_four_threads_fit_and_predict_at_once():
    X, y = data(n=1500)
    jobs = [
        (algorithm, weights)
        for algorithm in ("brute", "kd_tree", "ball_tree", "auto")
        for weights in ("uniform", "distance")
    ]

    def work(algorithm, weights):
        model = KNeighborsClassifier(7, algorithm=algorithm, weights=weights).fit(X, y)
        return model.predict_proba(X)

    expected = [work(*job) for job in jobs]
    got, errors = {}, []
    barrier = threading.Barrier(4)

    def thread(number):
        try:
            barrier.wait(timeout=60)
            for job in range(number, 4 * len(jobs), 4):
                got[job] = work(*jobs[job % len(jobs)])
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=thread, args=(number,), daemon=True) for number in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join(timeout=240)
        assert not one.is_alive()
    assert not errors
    assert len(got) == 4 * len(jobs)
    for job, result in got.items():
        np.testing.assert_array_equal(result, expected[job % len(jobs)])


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_fork_after_use():
    code = """
import os, sys
import numpy as np
from litlearn.neighbors import KNeighborsClassifier
X = np.random.default_rng(0).normal(size=(3000, 3))
y = X[:, 0] > 0
models = [KNeighborsClassifier(algorithm=a, n_jobs=2).fit(X, y) for a in ("brute", "kd_tree")]
expected = [model.predict_proba(X) for model in models]
child = os.fork()
same = all(np.array_equal(m.predict_proba(X), e) for m, e in zip(models, expected))
same &= np.array_equal(models[1].fit(X, y).predict_proba(X), expected[1])
if child == 0:
    os._exit(0 if same else 1)
_, status = os.waitpid(child, 0)
print(same, status)
"""
    assert run(code, PYTHONWARNINGS="ignore") == "True 0\n"


def test_multiprocessing_pools():
    code = """
import multiprocessing
import numpy as np
from litlearn.neighbors import KNeighborsRegressor
X = np.random.default_rng(0).normal(size=(2000, 3))
model = KNeighborsRegressor(n_jobs=2).fit(X, X[:, 0])
def work(seed):
    return model.predict(X[seed:seed + 500])
if __name__ == "__main__":
    expected = [work(seed) for seed in range(4)]
    with multiprocessing.get_context("fork").Pool(2) as pool:
        got = pool.map_async(work, range(4)).get(timeout=120)
    print(all(np.array_equal(a, b) for a, b in zip(got, expected)))
"""
    assert run(code, PYTHONWARNINGS="ignore") == "True\n"


def test_a_read_only_package_folder(tmp_path):
    """Neither the package nor the home folder can be written; results are the same."""
    source = os.path.dirname(litlearn.__file__)
    target = tmp_path / "site" / "litlearn"
    shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
    blocked = tmp_path / "blocked"
    blocked.write_text("a file, where a folder would be needed")
    code = """
import sys
import numpy as np
import litlearn
assert litlearn.__file__.startswith(sys.argv[1]), litlearn.__file__
from litlearn.neighbors import KNeighborsClassifier
X = np.arange(40.0).reshape(20, 2)
print(KNeighborsClassifier(3, algorithm="brute").fit(X, np.arange(20) // 10).predict(X[[0, 19]]))
"""
    # Permissions do not bind root. A file in the place of a folder stops everyone.
    caches = [folder / "__pycache__" for folder in (target, target / "neighbors")]
    for cache in caches:
        cache.write_text("")
    out = run(
        code,
        str(tmp_path / "site"),
        PYTHONPATH=str(tmp_path / "site"),
        PYTHONDONTWRITEBYTECODE="1",
        NUMBA_CACHE_DIR=str(blocked / "cache"),
        HOME=str(blocked),
        XDG_CACHE_HOME=str(blocked),
    )
    assert out == "[0 1]\n"
    assert all(cache.is_file() for cache in caches)


def test_scikit_learn_is_never_imported():
    code = """
import pickle, sys
import numpy as np
from litlearn.neighbors import *
X = np.random.default_rng(0).normal(size=(50, 2))
y = (X[:, 0] > 0).astype(int)
for model in (NearestNeighbors(), KNeighborsClassifier(), KNeighborsRegressor(weights="distance"),
              RadiusNeighborsClassifier(9.0), RadiusNeighborsRegressor(9.0)):
    model.fit(X, y)
    repr(model), model.get_params(), pickle.loads(pickle.dumps(model))
    if hasattr(model, "score"):
        model.predict(X), model.score(X, y)
    if hasattr(model, "kneighbors_graph"):
        model.kneighbors_graph()
for tree in (KDTree, BallTree):
    tree(X).query(X), tree(X).kernel_density(X, 1.0)
kneighbors_graph(X, 2), radius_neighbors_graph(X, 1.0)
try:
    KNeighborsClassifier().predict(X)
except AttributeError as error:
    print(type(error).__name__)
assert "sklearn" not in sys.modules and "matplotlib" not in sys.modules
"""
    assert run(code) == "NotFittedError\n"
