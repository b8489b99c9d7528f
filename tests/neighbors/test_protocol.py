"""The estimators among scikit-learn's tools, and under hostile conditions."""

import os
import re
import shutil
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
import sklearn
from sklearn.ensemble import BaggingClassifier, VotingClassifier
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.multioutput import MultiOutputClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import litlearn
import litlearn.neighbors
import protocol
from litlearn._core import parallel
from litlearn.exceptions import InvalidParameterError, NotFittedError
from litlearn.neighbors import (
    KernelDensity,
    KNeighborsClassifier,
    KNeighborsRegressor,
    KNeighborsTransformer,
    NearestCentroid,
    NearestNeighbors,
    RadiusNeighborsClassifier,
    RadiusNeighborsRegressor,
    RadiusNeighborsTransformer,
    _brute,
)
from protocol import data

ALL = (
    NearestNeighbors(),
    KNeighborsClassifier(),
    KNeighborsRegressor(),
    RadiusNeighborsClassifier(outlier_label="most_frequent"),
    RadiusNeighborsRegressor(radius=2.0),
    KNeighborsTransformer(),
    RadiusNeighborsTransformer(radius=2.0),
    NearestCentroid(),
    KernelDensity(),
)
SUPERVISED = [one for one in ALL if hasattr(one, "predict")]
BY_NAME = pytest.mark.parametrize("estimator", ALL, ids=lambda one: type(one).__name__)


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


def test_all_are_listed():
    protocol.check_all_are_listed(litlearn.neighbors, ALL, others=("BallTree", "KDTree"))


@BY_NAME
def test_signature(estimator):
    protocol.check_signature(estimator, sklearn.neighbors)


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
        KNeighborsClassifier(metric="canberra"),
        KNeighborsTransformer(),
        RadiusNeighborsTransformer(),
        NearestCentroid(),
        KernelDensity(),
    ],
    ids=repr,
)
def test_check_estimator(estimator):
    protocol.check_scikit_learns_checks(estimator)


# scikit-learn's tools


@BY_NAME
def test_clone_and_copies(estimator):
    protocol.check_clone_and_copies(estimator)


@BY_NAME
def test_joblib_with_memory_maps(estimator, tmp_path):
    protocol.check_joblib_with_memory_maps(estimator, tmp_path)


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
    grid = {"n_neighbors": [1, 5, 15], "weights": ["uniform", "distance"]}
    search = protocol.check_pipeline_and_search(KNeighborsClassifier(), grid)
    theirs = GridSearchCV(
        make_pipeline(StandardScaler(), sklearn.neighbors.KNeighborsClassifier()),
        search.param_grid,
        cv=3,
    ).fit(X, labels)
    np.testing.assert_array_equal(
        search.cv_results_["mean_test_score"], theirs.cv_results_["mean_test_score"]
    )
    assert search.best_params_ == theirs.best_params_
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


@BY_NAME
def test_data_frames(estimator):
    protocol.check_data_frames(estimator)


@BY_NAME
def test_forms_of_the_same_data(estimator):
    protocol.check_forms_of_the_same_data(estimator)


@BY_NAME
def test_the_callers_data_stay_as_they_are(estimator):
    protocol.check_the_callers_data_stay_as_they_are(estimator)


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
    *[("p", value) for value in (0, -1, np.nan, "2", True)],
    *[("metric", value) for value in ("euclid", None, 3, ["euclidean"])],
    *[("metric_params", value) for value in ("w", [1], {"w": [1.0]}, {"w": "a"}, {"V": 1})],
    *[
        ("metric_params", {"w": value})
        for value in ([1, np.nan, 1], [1, -1, 1], [0, 0, 0], [[1, 1, 1]])
    ],
    *[("metric_params", {"p": value}) for value in (0, "a", np.nan)],
    *[("n_jobs", value) for value in (0, 1.5, "all", True)],
    *[("weights", value) for value in ("inverse", 3, ["uniform"])],
    *[("outlier_label", value) for value in ("a", [0, 1], [[0]], {})],
]


@pytest.mark.filterwarnings("ignore:.*Parameter p is found in metric_params")
@protocol.every_bad_parameter(ALL, BAD_PARAMETERS)
def test_bad_parameters(estimator, name, value):
    protocol.check_bad_parameters(estimator, name, value)


@BY_NAME
@pytest.mark.parametrize(
    "bad",
    [*protocol.BAD_SAMPLES, *protocol.MISSING_SAMPLES, protocol.SPARSE_WITH_MISSING],
    ids=protocol.kind,
)
def test_bad_samples(estimator, bad):
    none_is_a_query = hasattr(estimator, "n_jobs")  # as those do that search for neighbours
    protocol.check_bad_samples(estimator, bad, none_is_a_query)


@pytest.mark.parametrize("bad", protocol.SPARSE_SAMPLES, ids=protocol.kind)
def test_bad_samples_of_a_density(bad):
    protocol.check_bad_samples(KernelDensity(), bad)


@BY_NAME
def test_wrong_number_of_features(estimator):
    protocol.check_wrong_number_of_features(estimator)


@pytest.mark.parametrize("bad", protocol.BAD_TARGETS, ids=protocol.kind)
@pytest.mark.parametrize("estimator", SUPERVISED, ids=lambda one: type(one).__name__)
def test_bad_targets(estimator, bad):
    protocol.check_bad_targets(estimator, bad)


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
    for name, params in (("p", {"p": -1}), ("metric_params['p']", {"metric_params": {"p": -1}})):
        with pytest.raises(ValueError, match=re.escape(f"The {name!r} parameter of NearestN")):
            NearestNeighbors(**{"p": None} | params).fit(X)
    none = KNeighborsClassifier(n_neighbors=None).fit(X, y)
    with pytest.raises(TypeError, match="n_neighbors does not take"):
        none.predict(X)
    assert none.kneighbors(X, 2, return_distance=False).shape == (90, 2)


@BY_NAME
def test_before_fit(estimator):
    protocol.check_before_fit(estimator)


def test_samples_that_are_an_estimator_before_fit():
    with pytest.raises(NotFittedError):
        KNeighborsClassifier().fit(NearestNeighbors(), [0])


# Threads, processes, folders


@pytest.mark.parametrize("algorithm", ["brute", "kd_tree", "ball_tree"])
@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "chebyshev", "minkowski"])
def test_the_number_of_threads_does_not_change_a_bit(algorithm, metric):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(2000, 3))
    X[1000:] = X[:1000]
    model = NearestNeighbors(algorithm=algorithm, metric=metric, p=3, radius=0.2)

    def answer(model):
        dist, ind = model.radius_neighbors()
        return [*model.kneighbors(), np.concatenate(dist), np.concatenate(ind)]

    protocol.check_the_number_of_threads_changes_no_bit(model, X, None, answer)


@pytest.mark.parametrize("name", ["OMP_NUM_THREADS", "NUMBA_NUM_THREADS"])
def test_environment_variables_cap_threads(name, monkeypatch):
    rng = np.random.default_rng(0)
    X, queries = rng.normal(size=(600, 6)), rng.normal(size=(2048, 6))
    threads, search = set(), _brute.k_nearest

    def recorded(*args):
        threads.add(threading.get_ident())
        time.sleep(0.02)  # long enough for every thread to take a block
        return search(*args)

    monkeypatch.setattr(_brute, "k_nearest", recorded)
    monkeypatch.setattr(parallel, "cpu_count", lambda: 4)
    for other in ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS"):
        monkeypatch.delenv(other, raising=False)
    model = NearestNeighbors(algorithm="brute").fit(X)
    expected = model.kneighbors(queries)
    assert len(threads) > 1
    monkeypatch.setenv(name, "1")
    threads.clear()
    protocol.assert_same(model.kneighbors(queries), expected)
    assert threads == {threading.get_ident()}


@BY_NAME
def test_threads_at_once(estimator):
    protocol.check_threads_at_once(estimator)


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
    turns = [4 * list(range(number, len(jobs), 4)) for number in range(4)]
    results = protocol.in_threads(lambda number: [work(*jobs[job]) for job in turns[number]], 4)
    for turn, found in zip(turns, results, strict=True):
        protocol.assert_same(found, [expected[job] for job in turn])


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
import threading
import time
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
              RadiusNeighborsClassifier(9.0), RadiusNeighborsRegressor(9.0), NearestCentroid(),
              KNeighborsTransformer(), KernelDensity(), NearestNeighbors(metric="canberra")):
    model.fit(X, y)
    repr(model), model.get_params(), pickle.loads(pickle.dumps(model))
    if hasattr(model, "predict"):
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
