"""Fits that are no sums, by tasks on workers: the bits of a fit in memory, whatever workers do."""

import os
import threading
import time
import warnings

import numpy as np
import pytest
from scipy.sparse import csc_array, csr_array

import litlearn
from litlearn._core import parallel, tasks, validation
from litlearn._core.base import clone
from litlearn.discriminant_analysis import LinearDiscriminantAnalysis
from litlearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from litlearn.exceptions import ConvergenceWarning
from litlearn.linear_model import LogisticRegression
from litlearn.multiclass import OneVsOneClassifier, OneVsRestClassifier, OutputCodeClassifier
from litlearn.naive_bayes import GaussianNB
from litlearn.neighbors import KNeighborsClassifier
from litlearn.svm import SVC

da = pytest.importorskip("dask.array", reason="dask is not installed")

FEW = {"n_estimators": 7, "random_state": 0}


def draw(n=300, p=5):
    """Samples, real targets, and classes."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, p))
    y = X[:, 0] + X[:, 1] * X[:, 2] + 0.1 * rng.normal(size=n)
    return X, y, np.array(["ill", "so so", "well"])[np.digitize(y, [-0.5, 0.5])]


def check_same_trees(forest, other):
    assert len(forest.estimators_) == len(other.estimators_)
    for one, two in zip(forest.estimators_, other.estimators_, strict=True):
        assert one.random_state == two.random_state
        a, b = one.tree_.arrays(), two.tree_.arrays()
        assert a.keys() == b.keys()
        for name in a:
            assert a[name].dtype == b[name].dtype
            assert a[name].tobytes() == b[name].tobytes(), name
            assert b[name].flags.aligned and b[name].flags.writeable == a[name].flags.writeable


# -- forests --------------------------------------------------------------------------------------


@pytest.mark.weekly(keep=3)
@pytest.mark.parametrize(
    ("model", "kind"),
    [
        (RandomForestClassifier(30, random_state=0, oob_score=True), "classes"),
        (RandomForestClassifier(**FEW, class_weight="balanced_subsample"), "classes"),
        (RandomForestClassifier(**FEW, criterion="entropy", max_leaf_nodes=9), "classes"),
        (RandomForestRegressor(**FEW, max_samples=0.5, ccp_alpha=0.001), "y"),
        (RandomForestRegressor(**FEW, criterion="absolute_error", max_bins=20), "y"),
        (ExtraTreesClassifier(**FEW), "classes"),
        (ExtraTreesRegressor(**FEW, bootstrap=True), "y"),
    ],
    ids=lambda one: type(one).__name__ if hasattr(one, "fit") else "",
)
def test_the_trees_are_those_in_memory(client, check_nothing_is_left, model, kind):
    """Of dense samples and sparse ones, float32, with weights, and with values that are missing."""
    X, y, classes = draw()
    target, weight = {"y": y, "classes": classes}[kind], np.arange(300) % 3 + 0.5
    missing, zeros = X.copy(), np.where(X > 0.5, X, 0.0)
    missing[::7, 1] = np.nan
    for given in (X, X.astype(np.float32), missing, csc_array(zeros)):
        expected = clone(model).fit(given, target, sample_weight=weight)
        with litlearn.on(client):
            found = clone(model).fit(given, target, sample_weight=weight)
        check_same_trees(expected, found)
        np.testing.assert_array_equal(found.predict(X), expected.predict(X))
        if expected.oob_score:
            assert found.oob_score_ == expected.oob_score_
    check_nothing_is_left(client)


def test_trees_are_added_on_the_workers(client):
    X, y, _ = draw()
    expected = RandomForestRegressor(9, random_state=0).fit(X, y)
    model = RandomForestRegressor(4, random_state=0, warm_start=True).fit(X, y)
    with litlearn.on(client):
        check_same_trees(expected, model.set_params(n_estimators=9).fit(X, y))


def test_samples_in_chunks_are_brought_to_no_worker_unasked(client):
    """Each worker would need all of them: who can afford that says so by ``compute()``."""
    X, y, _ = draw()
    chunked = da.from_array(X, chunks=(100, 5))
    model = RandomForestRegressor(**FEW)
    for context in (litlearn.on(client), warnings.catch_warnings()):
        with context, pytest.raises(TypeError, match=r"With litlearn.on\(client\), those in mem"):
            model.fit(chunked, y)
    with litlearn.on(client):
        check_same_trees(clone(model).fit(X, y), model.fit(chunked.compute(), y))


def test_a_worker_that_is_killed_changes_no_tree(client, check_nothing_is_left):
    """In the middle of a fit: trees are done, and others are not."""
    X, y, _ = draw(n=3000)
    model = RandomForestRegressor(60, random_state=0)
    expected, killed = clone(model).fit(X, y), []
    victim = sorted(client.scheduler_info()["workers"])[0]
    pid = client.run(os.getpid, workers=[victim])[victim]

    def kill():
        known = client.cluster.scheduler.tasks
        for _ in range(5000):
            states = [one.state for key, one in list(known.items()) if "_carry_out" in str(key)]
            if states.count("memory") > 2:
                break
            time.sleep(0.002)
        killed.append([one != "memory" for one in states])
        os.kill(pid, 9)

    thread = threading.Thread(target=kill)
    with litlearn.on(client):
        thread.start()
        found = model.fit(X, y)
    thread.join()
    assert sum(killed[0]) > 10  # so many trees were still to be grown
    assert pid not in client.run(os.getpid).values()
    check_same_trees(expected, found)
    client.wait_for_workers(2, timeout=60)
    check_nothing_is_left(client)


# -- classifiers of two classes -------------------------------------------------------------------


@pytest.mark.parametrize(
    "model",
    [
        OneVsRestClassifier(LogisticRegression()),
        OneVsRestClassifier(SVC()),
        OneVsRestClassifier(KNeighborsClassifier()),
        OneVsOneClassifier(LinearDiscriminantAnalysis()),
        OneVsOneClassifier(RandomForestClassifier(3, random_state=0)),
        OutputCodeClassifier(LogisticRegression(), random_state=0),
    ],
    ids=lambda one: f"{type(one).__name__}-{type(one.estimator).__name__}",
)
def test_classifiers_are_those_in_memory(client, check_nothing_is_left, model):
    X, _, classes = draw()
    for given in (X, X.astype(np.float32)):
        expected = clone(model).fit(given, classes)
        with litlearn.on(client):
            found = clone(model).fit(given, classes)
        for name in ("decision_function", "predict_proba", "predict"):
            if hasattr(expected, name):
                answers = getattr(found, name)(given), getattr(expected, name)(given)
                np.testing.assert_array_equal(*answers)
        for one, two in zip(expected.estimators_, found.estimators_, strict=True):
            if hasattr(one, "coef_") and not isinstance(one, SVC):
                np.testing.assert_array_equal(one.coef_, two.coef_)
        assert expected.classes_.tolist() == found.classes_.tolist()
    check_nothing_is_left(client)


def test_classifiers_of_frames_labels_and_sparse_samples(client):
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    X, y, _ = draw()
    frame = pandas.DataFrame(X, columns=list("abcde"))
    labels = csr_array(np.column_stack([y > 0.0, y > 1.0]).astype(int))
    for given in (frame, csr_array(np.where(X > 0.0, X, 0.0))):
        expected = OneVsRestClassifier(LogisticRegression()).fit(given, labels)
        with litlearn.on(client):
            found = OneVsRestClassifier(LogisticRegression()).fit(given, labels)
        assert (found.predict(given) != expected.predict(given)).nnz == 0
    with litlearn.on(client):
        found = OneVsRestClassifier(LogisticRegression()).fit(frame, y > 0.0)
    assert found.feature_names_in_.tolist() == list("abcde")


def test_what_a_classifier_warns_of_is_heard_here(client):
    X, _, classes = draw()
    with litlearn.on(client), pytest.warns(ConvergenceWarning, match="did not converge in 1 iter"):
        OneVsRestClassifier(LogisticRegression(max_iter=1)).fit(X, classes)
    with (
        litlearn.on(client),
        pytest.warns(UserWarning, match="partial_fit runs in this process"),
    ):
        OneVsRestClassifier(GaussianNB()).partial_fit(X, classes, np.unique(classes))


# -- the mechanism --------------------------------------------------------------------------------


def test_results_come_in_order_from_here_and_from_workers(client, check_nothing_is_left):
    def work(data, k):
        if k == 2:
            validation.warn(UserWarning("the third"))
        return data["of"] + k

    told = []
    for context in (warnings.catch_warnings(), litlearn.on(client)):
        with context, pytest.warns(UserWarning, match="the third"):
            found = tasks.map_tasks(work, {"of": 10}, 5, report=lambda: told.append(1))
        assert found == [10, 11, 12, 13, 14] and len(told) == 5
        told.clear()
    check_nothing_is_left(client)


def test_the_first_error_is_that_of_a_fit(client, check_nothing_is_left):
    def work(data, k):
        if k >= 3:
            raise ArithmeticError(f"task {k}")

    with litlearn.on(client), pytest.raises(ArithmeticError, match="task 3"):
        tasks.map_tasks(work, None, 6)
    check_nothing_is_left(client)


def test_data_go_once_to_each_worker_and_arrive_as_they_were(client):
    """Read-only where they were, aligned, and one copy for all tasks of a process."""
    fixed = validation.read_only(np.arange(1001.0))
    data = fixed, np.arange(7, dtype=np.uint16), fixed

    def work(data, k):
        fixed, own, again = data
        flags = fixed.flags.writeable, own.flags.writeable, fixed is again
        return flags, fixed.ctypes.data % 16, os.getpid(), id(data), parallel.inside_block()

    with litlearn.on(client):
        found = tasks.map_tasks(work, data, 20)
    assert {one[:2] for one in found} == {((False, True, True), 0)}
    processes = {one[2] for one in found}
    assert len({one[2:4] for one in found}) == len(processes) and os.getpid() not in processes
    assert all(one[4] for one in found)  # so that nothing inside starts threads


@pytest.mark.weekly
def test_data_are_sent_again_where_all_who_held_them_are_lost(tmp_path):
    """Of the only worker; and after a few times it is an error that says so."""
    from distributed import Client, LocalCluster

    before, flag = dict(os.environ), tmp_path / "was here"

    def work(data, k):
        if k == 2 and (data or not flag.exists()):
            flag.touch()
            os._exit(1)
        return k

    where = {"dashboard_address": ":0", "host": "127.0.0.1"}
    with (
        LocalCluster(n_workers=1, threads_per_worker=1, **where) as one,
        Client(one, set_as_default=False) as client,
        litlearn.on(client),
    ):
        assert tasks.map_tasks(work, False, 4) == [0, 1, 2, 3]
        with pytest.raises(RuntimeError, match="lost with the data of a fit, 3 times"):
            tasks.map_tasks(work, True, 4)
    os.environ.clear()
    os.environ.update(before)
