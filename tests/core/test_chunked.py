"""Arrays of Dask: the same fits from chunks as in memory, on every scheduler, and what goes wrong.

Chunks are cut as no block in memory is, so that fits agree to rounding; where they are cut alike,
to the last bit. Of one array, every scheduler gives the same bits.
"""

import os
import subprocess
import sys
import textwrap
import threading
import time
import warnings

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV

import litlearn
from litlearn._core.base import clone
from litlearn._core.chunked import fold_rows, in_memory, is_chunked, task_of_rows
from litlearn.cluster import KMeans
from litlearn.decomposition import PCA, KernelPCA, TruncatedSVD
from litlearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from litlearn.ensemble import RandomForestClassifier
from litlearn.exceptions import ConvergenceWarning, NotFittedError
from litlearn.kernel_approximation import Nystroem, RBFSampler
from litlearn.linear_model import (
    ElasticNet,
    Lasso,
    LinearRegression,
    LogisticRegression,
    Ridge,
    RidgeClassifier,
)
from litlearn.mixture import GaussianMixture
from litlearn.naive_bayes import GaussianNB
from litlearn.neighbors import (
    KNeighborsClassifier,
    KNeighborsRegressor,
    NearestCentroid,
    NearestNeighbors,
    RadiusNeighborsClassifier,
)
from litlearn.svm import SVC, SVR
from litlearn.tree import DecisionTreeRegressor

dask = pytest.importorskip("dask", reason="dask is not installed")
da = pytest.importorskip("dask.array", reason="dask is not installed")

LENGTHS = (101, 0, 150, 49)
CLASSES = np.array(["ill", "so so", "well"])


def draw(dtype=np.float64, n=300, p=5):
    """Samples, real targets, classes in order (so that chunks lack some), and weights."""
    rng = np.random.default_rng(0)
    X = (rng.normal(size=(n, p)) + 3.0).astype(dtype)
    y = X @ np.arange(1.0, p + 1.0) + rng.normal(size=n)
    codes = np.digitize(X[:, 0] + 0.3 * rng.normal(size=n), [2.6, 3.4])
    order = np.argsort(codes, kind="stable")
    weight = rng.integers(0, 3, n).astype(float)
    return X[order], y[order], CLASSES[codes[order]], weight


def chunked(array, lengths=LENGTHS):
    """An array in chunks of such lengths, one of them without rows."""
    array = np.asarray(array)
    return da.from_array(array, chunks=(lengths, *((width,) for width in array.shape[1:])))


MEANS = [[2.0] * 5, [4.0] * 5]
START = {"init_params": "random_from_data", "random_state": 0}
# Estimator, targets ("y", "classes" or none), and whether it takes weights.
FITTED = [
    (LinearRegression(), "y", True),
    (LinearRegression(positive=True), "y", False),
    (Ridge(), "y", True),
    (Ridge(solver="svd"), "y", False),
    (RidgeClassifier(class_weight="balanced"), "classes", True),
    (Lasso(alpha=0.1), "y", True),
    (ElasticNet(alpha=0.1, l1_ratio=0.3, fit_intercept=False), "y", False),
    (LogisticRegression(), "classes", True),
    (LogisticRegression(C=10.0, fit_intercept=False, class_weight="balanced"), "classes", True),
    (LogisticRegression(l1_ratio=0.5, tol=1e-9), "classes", True),
    (GaussianNB(), "classes", True),
    (LinearDiscriminantAnalysis(), "classes", False),
    (LinearDiscriminantAnalysis(solver="eigen", shrinkage=0.1), "classes", False),
    (QuadraticDiscriminantAnalysis(), "classes", False),
    (NearestCentroid(shrink_threshold=0.2, priors="empirical"), "classes", False),
    (KMeans(3, init=[[2.0] * 5, [3.0] * 5, [4.0] * 5]), None, False),
    (KMeans(4, init="random", n_init=2, random_state=0), None, False),
    (GaussianMixture(2, **START), None, True),
    *(
        (
            GaussianMixture(2, covariance_type=kind, means_init=MEANS, **START),
            None,
            True,
        )
        for kind in ("full", "tied", "diag", "spherical")
    ),
    (PCA(3), None, False),
    (PCA(), None, False),
    (TruncatedSVD(2, algorithm="arpack"), None, False),
    (Nystroem(n_components=20, random_state=0), None, False),
    (RBFSampler(n_components=20, gamma="scale", random_state=0), None, False),
    (PCA(svd_solver="full"), None, False),
]
NAMES = [f"{type(one).__name__}-{i}" for i, (one, *_) in enumerate(FITTED)]
ANSWERS = ("predict", "predict_proba", "decision_function", "transform")


def fit(model, target, arrays, weighted, wrap=chunked):
    """Fit a clone to samples, targets and weights that are wrapped."""
    X, y, classes, weight = arrays
    y = {"y": y, "classes": classes, None: None}[target]
    given = [wrap(X)] if y is None else [wrap(X), wrap(y)]
    weights = {"sample_weight": wrap(weight)} if weighted else {}
    return clone(model).fit(*given, **weights)


def learned(model):
    """Everything that the model learned, arrays of floats by name."""
    found = {k: v for k, v in vars(model).items() if k.endswith("_") and not k.startswith("_")}
    return {k: np.asarray(v) for k, v in found.items() if np.asarray(v).dtype.kind in "fiU"}


def check_close(model, other, rtol):
    a, b = learned(model), learned(other)
    assert a.keys() == b.keys()
    for name in a.keys() - {"dual_gap_", "n_iter_", "solver_"}:
        assert not is_chunked(vars(other)[name])
        if a[name].dtype.kind == "f":
            atol = rtol * np.abs(a[name]).max(initial=0.0)
            if name == "optimality_":  # a difference of objectives, which are about one
                atol += 1e-14
            np.testing.assert_allclose(b[name], a[name], rtol=0, atol=atol, err_msg=name)
            assert a[name].dtype == b[name].dtype
        else:
            np.testing.assert_array_equal(a[name], b[name])


def check_same(model, other):
    a, b = learned(model), learned(other)
    assert a.keys() == b.keys()
    for name in a:
        np.testing.assert_array_equal(a[name], b[name], err_msg=name)


# -- fits and answers -----------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(("model", "target", "weights"), FITTED, ids=NAMES)
def test_a_fit_to_chunks_is_that_in_memory(model, target, weights, dtype):
    """One chunk has no rows, and some lack classes; with weights where they are taken."""
    arrays, rtol = draw(dtype), 1e-9 if dtype == np.float64 else 1e-5
    for weighted in (False, True)[: 1 + weights]:
        inside = fit(model, target, arrays, weighted, np.asarray)
        check_close(inside, fit(model, target, arrays, weighted), rtol)


@pytest.mark.parametrize(("model", "target", "weights"), FITTED, ids=NAMES)
def test_blocks_that_are_cut_alike_give_the_same_bits(model, target, weights):
    """One chunk is one block, as there is one in memory; any number of threads does the same."""
    arrays = draw()
    whole = fit(model, target, arrays, weights, lambda one: chunked(one, (len(one),)))
    if isinstance(model, (LinearRegression, Ridge, GaussianNB, QuadraticDiscriminantAnalysis)):
        check_same(fit(model, target, arrays, weights, np.asarray), whole)
    with dask.config.set(scheduler="sync"):
        one = fit(model, target, arrays, weights)
    for n_workers in (1, 2):
        with dask.config.set(scheduler="threads", num_workers=n_workers):
            check_same(one, fit(model, target, arrays, weights))


@pytest.mark.parametrize(("model", "target", "weights"), FITTED, ids=NAMES)
def test_answers_are_lazy_and_those_in_memory(model, target, weights):
    arrays = draw(np.float32)
    X, fitted = arrays[0], fit(model, target, arrays, False, np.asarray)
    for name in ANSWERS:
        if not hasattr(fitted, name):
            continue
        expected, found = getattr(fitted, name)(X), getattr(fitted, name)(chunked(X))
        assert is_chunked(found) and found.chunks[0] == LENGTHS
        assert found.shape == expected.shape and found.dtype == expected.dtype
        computed = found.compute()
        assert computed.dtype == expected.dtype
        if expected.dtype.kind == "f":
            np.testing.assert_allclose(computed, expected, rtol=1e-5, atol=1e-5)
        else:
            np.testing.assert_array_equal(computed, expected)


def test_scores_of_chunks_are_those_in_memory():
    X, y, classes, weight = draw()
    model = Ridge().fit(X, y)
    found = model.score(chunked(X), chunked(y), chunked(weight))
    assert found == pytest.approx(model.score(X, y, weight), rel=1e-12)
    model = GaussianNB().fit(X, classes)
    assert model.score(chunked(X), chunked(classes)) == model.score(X, classes)


def test_any_estimator_answers_chunks():
    """Of a forest, of neighbours, and after a look-up in the class that offers the method."""
    X, _, classes, _ = draw()
    for model in (RandomForestClassifier(5, random_state=0), KNeighborsClassifier()):
        found = model.fit(X, classes).predict_proba(chunked(X))
        np.testing.assert_array_equal(found.compute(), model.predict_proba(X))
        assert model.predict(X=chunked(X)).compute().tolist() == model.predict(X).tolist()


def test_an_answer_is_of_the_model_that_was_asked():
    X, y, *_ = draw()
    model = Ridge().fit(X, y)
    expected, asked = model.predict(X), model.predict(chunked(X))
    model.fit(X, -y)
    np.testing.assert_allclose(asked.compute(), expected)


def test_a_transform_of_chunks_is_no_frame():
    X = draw()[0]
    model = PCA(2).set_output(transform="pandas").fit(X)
    found = model.transform(chunked(X))
    assert is_chunked(found) and isinstance(found.compute(), np.ndarray)
    assert is_chunked(PCA(2).fit_transform(chunked(X)))
    back = model.inverse_transform(found)
    assert back.shape == X.shape and is_chunked(back)


def test_targets_in_memory_go_with_samples_in_chunks():
    X, y, _, weight = draw()
    model = Ridge().fit(chunked(X), y, sample_weight=weight)
    check_same(model, Ridge().fit(chunked(X), chunked(y, (300,)), chunked(weight, (7, 293))))
    check_close(model, Ridge().fit(X, chunked(y), weight), 1e-12)  # and the other way round


def test_several_targets():
    X, y, *_ = draw()
    Y = np.column_stack([y, -2.0 * y])
    for model in (LinearRegression(), Lasso(alpha=0.1)):
        check_close(clone(model).fit(X, Y), clone(model).fit(chunked(X), chunked(Y)), 1e-9)


def test_collinear_features_are_factored_in_chunks():
    """The scatter matrix loses their digits: the triangular factor takes another pass."""
    X, y, *_ = draw()
    X = np.column_stack([X, X[:, 0] + 1e-9 * X[:, 1]])
    a, b = LinearRegression().fit(X, y), LinearRegression().fit(chunked(X), chunked(y))
    assert a.rank_ == b.rank_
    np.testing.assert_allclose(a.predict(X), b.predict(X), rtol=1e-7)
    assert PCA().fit(chunked(X)).solver_ == "full"  # 1e-9 of the largest spread is kept


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_logistic_regression_of_two_classes(fit_intercept):
    """Far from zero and of other units, and from a start that overshoots; with a certificate."""
    X, _, classes, _ = draw()
    X, y = 1000.0 * X + 5000.0 * fit_intercept, classes == "ill"
    model = LogisticRegression(C=1e-3, tol=1e-9, fit_intercept=fit_intercept)
    found = clone(model).fit(chunked(X), chunked(y))
    np.testing.assert_allclose(found.coef_, model.fit(X, y).coef_, rtol=1e-7)
    assert found.converged_ and found.optimality_ < 1e-9
    again = clone(found).set_params(warm_start=True, max_iter=50)
    again.coef_, again.intercept_ = 100.0 * found.coef_, found.intercept_
    np.testing.assert_allclose(again.fit(chunked(X), y).coef_, model.coef_, rtol=1e-6)


def objective(model, X, y, weight):
    """The penalised loss that the model minimises, divided by C and the sum of the weights."""
    rows = np.searchsorted(model.classes_, y)
    loss = -model.predict_log_proba(X)[np.arange(len(X)), rows] @ weight / weight.sum()
    w, share = model.coef_.astype(float), model.l1_ratio
    price = share * np.abs(w).sum() + 0.5 * (1.0 - share) * (w**2).sum()
    return loss + price / model.C / weight.sum()


@pytest.mark.parametrize("l1_ratio", [1.0, 0.4])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_logistic_regression_with_an_l1_penalty(l1_ratio, n_classes, fit_intercept, dtype):
    """As in memory: to what the duality gap leaves, the same objective, and the same zeros."""
    X, _, classes, weight = draw(dtype)
    y = classes if n_classes == 3 else classes == "ill"
    for C in (0.05, 2.0):
        model = LogisticRegression(C=C, l1_ratio=l1_ratio, tol=1e-7, fit_intercept=fit_intercept)
        model.fit(X, y, weight)
        found = clone(model).fit(chunked(X), chunked(y), chunked(weight))
        assert found.converged_ and found.coef_.dtype == dtype
        assert 0.0 <= found.optimality_ < 1e-8
        values = [objective(one, X.astype(float), y, weight) for one in (model, found)]
        gap = found.optimality_ + model.optimality_ + (1e-14 if dtype == np.float64 else 1e-8)
        assert abs(values[0] - values[1]) <= 2.0 * gap
        rtol = 1e-4 if dtype == np.float64 else 2e-3
        np.testing.assert_allclose(
            found.coef_, model.coef_, rtol=0, atol=rtol * np.abs(found.coef_).max()
        )
        np.testing.assert_array_equal(found.coef_ == 0.0, model.coef_ == 0.0)
    again = clone(found).set_params(warm_start=True)
    again.coef_, again.intercept_, again.classes_ = found.coef_, found.intercept_, found.classes_
    assert again.fit(chunked(X), chunked(y), chunked(weight)).n_iter_[0] <= 1


def test_an_l1_penalty_of_separated_classes_and_far_features():
    """The certificate holds where nothing but the penalty holds the coefficients."""
    X = draw()[0]
    X[:, 1] += 1e4
    y = X[:, 0] > 3.0
    for C in (1.0, 1e3):
        model = LogisticRegression(C=C, l1_ratio=1.0, tol=1e-6).fit(X, y)
        found = LogisticRegression(C=C, l1_ratio=1.0, tol=1e-6).fit(chunked(X), chunked(y))
        assert found.converged_ and model.converged_
        np.testing.assert_allclose(found.predict_proba(X), model.predict_proba(X), atol=1e-4)
    with pytest.warns(
        ConvergenceWarning, match="did not converge in 1 iterations: the duality gap"
    ):
        LogisticRegression(C=1e3, l1_ratio=1.0, max_iter=1).fit(chunked(X), y)


def test_scalable_starts_are_as_good():
    """k-means|| draws others than k-means++, and finds the clusters that are there."""
    rng = np.random.default_rng(0)
    places = 6.0 * rng.normal(size=(6, 4))
    X = places[rng.integers(0, 6, 1200)] + rng.normal(size=(1200, 4))
    weight = rng.integers(0, 3, 1200).astype(float)
    lengths = (500, 0, 300, 400)
    for weights in (None, weight):
        model = KMeans(6, random_state=0).fit(X, sample_weight=weights)
        given = None if weights is None else chunked(weights, lengths)
        found = KMeans(6, random_state=0).fit(chunked(X, lengths), sample_weight=given)
        assert found.inertia_ == pytest.approx(model.inertia_, rel=1e-6)
        assert isinstance(found.labels_, np.ndarray) and found.labels_.dtype == np.int32
        assert found.predict(X).tolist() == found.labels_.tolist()
        assert found.score(chunked(X, lengths)) == pytest.approx(found.score(X), rel=1e-12)


def test_mixtures_of_chunks_start_from_clusters():
    X, *_, weight = draw()
    X[:150] += 8.0
    for wrap in (chunked, np.asarray):  # weights beside chunks of samples may be in memory
        model = GaussianMixture(2, random_state=0).fit(X, sample_weight=weight)
        found = GaussianMixture(2, random_state=0).fit(chunked(X), sample_weight=wrap(weight))
        check_close(model, found, 1e-9)
        score = found.score(chunked(X), sample_weight=wrap(weight))
        assert score == pytest.approx(model.score(X, sample_weight=weight), rel=1e-9)
    model = GaussianMixture(2, random_state=0).fit(X)
    found = GaussianMixture(2, random_state=0).fit(chunked(X))
    assert found.lower_bound_ == pytest.approx(model.lower_bound_, rel=1e-9)
    assert found.score(chunked(X)) == pytest.approx(model.score(X), rel=1e-9)
    assert found.bic(chunked(X)) == pytest.approx(model.bic(X), rel=1e-9)
    labels = GaussianMixture(2, random_state=0).fit_predict(chunked(X))
    assert is_chunked(labels) and len(set(labels.compute()[:150].tolist())) == 1


def test_weights_that_are_alike_do_not_travel(monkeypatch):
    from litlearn.cluster import _chunks

    sent, fold = [], _chunks.fold_rows

    def watched(part, merge, arrays, size):
        sent.append(arrays[1])
        return fold(part, merge, arrays, size)

    monkeypatch.setattr(_chunks, "fold_rows", watched)
    X = draw()[0]
    model = KMeans(3, random_state=0)
    bare = model.fit(chunked(X)).cluster_centers_
    assert sent and all(weight is None for weight in sent)
    np.testing.assert_array_equal(
        model.fit(chunked(X), None, np.ones(len(X))).cluster_centers_, bare
    )
    assert all(weight is None for weight in sent)
    model.fit(chunked(X), None, 1.0 + np.arange(len(X)) % 2)
    assert sent[-1] is not None


def test_clusters_without_samples_get_the_farthest():
    X = draw()[0]
    start = np.vstack([X[:3], X[:2] + 1000.0])
    model = KMeans(5, init=start).fit(X)
    check_close(model, KMeans(5, init=start).fit(chunked(X)), 1e-9)
    with pytest.warns(UserWarning, match="Number of distinct clusters"):
        KMeans(3, random_state=0).fit(chunked(np.zeros((300, 2))))


def test_squares_beyond_the_range_of_numbers():
    """Samples and targets are scaled as they are in memory, and weights, too."""
    X, y, _, weight = draw()
    X, y, weight = 1e200 * X, 1e180 * y, 1e-300 * weight
    for model in (LinearRegression(), Ridge(alpha=0.0)):
        found = clone(model).fit(chunked(X), chunked(y), chunked(weight))
        check_close(clone(model).fit(X, y, weight), found, 1e-9)


# -- shapes of chunks, and notes ------------------------------------------------------------------


def test_columns_in_several_chunks_are_brought_together_with_a_note():
    X, y, *_ = draw()
    split = da.from_array(X, chunks=(100, 2))
    with pytest.warns(UserWarning, match="Ridge: the columns of X are in 3 chunks"):
        model = Ridge().fit(split, y)
    check_close(Ridge().fit(X, y), model, 1e-12)
    with pytest.warns(UserWarning, match="columns of X"):
        assert model.predict(split).chunks == ((100, 100, 100),)


def test_unknown_lengths_are_counted_once_with_a_note():
    X, y, *_ = draw()
    whole = da.from_array(X, chunks=(100, 5))
    some = whole[whole[:, 0] > 2.5]  # of unknown lengths
    with pytest.warns(UserWarning, match="the lengths of the chunks of X are not known"):
        model = Ridge().fit(some, y[X[:, 0] > 2.5])
    assert np.isnan(some.shape[0])  # the caller's own is as it was
    check_close(Ridge().fit(X[X[:, 0] > 2.5], y[X[:, 0] > 2.5]), model, 1e-12)
    assert len(model.predict(some).compute()) == (X[:, 0] > 2.5).sum()


@pytest.mark.filterwarnings("ignore:Ridge. the lengths")
def test_frames_of_dask_have_names():
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    frames = pytest.importorskip("dask.dataframe", reason="dask.dataframe is not installed")
    X, y, *_ = draw()
    table = pandas.DataFrame(X, columns=list("abcde")).assign(y=y)
    frame = frames.from_pandas(table, npartitions=3)
    model = Ridge().fit(frame[list("abcde")], frame["y"])
    check_close(Ridge().fit(table[list("abcde")], table["y"]), model, 1e-12)
    assert model.feature_names_in_.tolist() == list("abcde")
    found = model.predict(frame[list("abcde")]).compute()
    np.testing.assert_allclose(found, model.predict(table[list("abcde")]))
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(frame[list("edcba")])


# -- what is refused ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        (
            SVC(),
            "compares pairs of samples, or goes over them in an order of its own. Use Logistic",
        ),
        (SVR(), "Ridge for numbers, both after kernel_approximation.Nystroem"),
        (RandomForestClassifier(), "sorts all samples"),
        (DecisionTreeRegressor(), "GaussianNB, LogisticRegression and Ridge sum up chunks"),
        (KernelPCA(), "Use PCA, after kernel_approximation.Nystroem in place of a kernel"),
        (RadiusNeighborsClassifier(), "keeps all samples"),
    ],
)
def test_a_fit_that_is_no_sum_is_refused(model, reason):
    X, _, classes, _ = draw()
    with pytest.raises(TypeError, match=f"{type(model).__name__}.fit got an array of Dask.*") as e:
        model.fit(chunked(X), chunked(classes))
    assert reason in str(e.value)
    with pytest.raises(TypeError, match=r"partial_fit takes one batch in memory"):
        GaussianNB().partial_fit(chunked(X), classes, CLASSES)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (Ridge(solver="lsqr"), "solver='lsqr' goes over the samples at each step"),
        (LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto"), "need the samples"),
        (LinearDiscriminantAnalysis(tol=1e-9), "decomposes the samples themselves"),
        (NearestCentroid(metric="manhattan"), "takes medians"),
        (LogisticRegression(C=np.inf), "expected a finite C"),
        (Nystroem(kernel="precomputed"), "must be a square matrix"),
        (PCA(svd_solver="randomized"), "svd_solver='randomized'"),
        (GaussianMixture(init_params="k-means++"), "init_params='k-means[+][+]' draws for all"),
    ],
)
def test_a_way_that_is_no_sum_is_refused(model, message):
    X, _, classes, _ = draw()
    codes = np.searchsorted(CLASSES, classes)
    with pytest.raises(ValueError, match=message):
        model.fit(chunked(X), chunked(codes))


def test_wide_samples_are_refused():
    X, y, *_ = draw(n=300, p=5)
    with pytest.raises(ValueError, match="expected at most as many features as samples"):
        Ridge().fit(chunked(X.T, (5,)), np.arange(5.0))
    with pytest.raises(ValueError, match="inconsistent numbers of samples: X has 300, y has 299"):
        Ridge().fit(chunked(X), chunked(y[1:], (299,)))
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        Ridge().fit(chunked(X), y[1:])


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("model", [Ridge(), GaussianNB(), PCA(), Lasso()])
def test_what_is_wrong_in_a_far_chunk_is_named_as_in_memory(model, bad):
    X, y, classes, _ = draw()
    X[-1, 2] = bad
    y = classes if isinstance(model, GaussianNB) else y
    messages = []
    for wrap in (np.asarray, chunked):
        with pytest.raises(
            ValueError, match=f"(?s)Input X contains .*{type(model).__name__}|PCA"
        ) as e:
            clone(model).fit(wrap(X), wrap(y))
        messages.append(str(e.value))
    assert messages[0] == messages[1]


def test_targets_and_weights_in_chunks_are_checked():
    X, y, classes, weight = draw()
    y[-1] = np.nan
    with pytest.raises(ValueError, match="Input y contains NaN"):
        Ridge().fit(chunked(X), chunked(y))
    weight[-1] = -1.0
    with pytest.raises(ValueError, match="GaussianNB: sample_weight holds negative weights"):
        GaussianNB().fit(chunked(X), classes, chunked(weight))
    with pytest.raises(ValueError, match="sample_weight is all zero"):
        GaussianNB().fit(chunked(X), classes, chunked(np.zeros(300)))
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        GaussianNB().fit(chunked(X), chunked(X[:, 0]))
    with pytest.raises(ValueError, match="y should be a 1d array"):
        GaussianNB().fit(chunked(X), chunked(X))
    with pytest.raises(ValueError, match="Complex data not supported"):
        Ridge().fit(chunked(X.astype(complex)), y)
    with pytest.raises(ValueError, match="Expected 2D array"):
        Ridge().fit(chunked(X[:, 0]), y)
    with pytest.raises(ValueError, match="0 sample"):
        Ridge().fit(chunked(X[:0], (0,)), y[:0])


def test_answers_are_refused_as_in_memory():
    X, y, *_ = draw()
    with pytest.raises(NotFittedError):
        Ridge().predict(chunked(X))
    with pytest.raises(ValueError, match="X has 4 features, but Ridge is expecting 5"):
        Ridge().fit(X, y).predict(chunked(X[:, 1:]))
    X[-1, 0] = np.nan
    asked = Ridge().fit(X[:-1], y[:-1]).predict(chunked(X))
    with pytest.raises(ValueError, match="Input X contains NaN"):
        asked.compute()


def test_a_chunk_that_raises_says_so():
    X, y, *_ = draw()

    def spoil(chunk, block_info=None):
        if block_info and block_info[0]["chunk-location"][0] == 3:
            raise OSError("the disk is gone")
        return chunk

    with pytest.raises(OSError, match="the disk is gone"):
        Ridge().fit(chunked(X).map_blocks(spoil, dtype=X.dtype, meta=X[:0]), chunked(y))


def test_what_samples_and_targets_share_is_computed_once():
    X, y, *_ = draw()
    asked = []

    def read(chunk):
        asked.append(len(chunk))
        return chunk

    table = chunked(np.column_stack([X, y])).map_blocks(read, dtype=X.dtype, meta=X[:0])
    model = Ridge().fit(table[:, :5], table[:, 5])
    assert sorted(asked) == [49, 101, 150]
    check_close(Ridge().fit(X, y), model, 1e-12)


# -- several processes ----------------------------------------------------------------------------


@pytest.mark.weekly
def test_processes_give_the_same_bits_and_nothing_stays(client, check_nothing_is_left):
    arrays = draw()
    # What differs in options of a part only is compared between threads, which is faster.
    alike = {"LogisticRegression-8", *(f"GaussianMixture-{i}" for i in (18, 19, 20))}
    assert alike < set(NAMES)
    for (model, target, weights), name in zip(FITTED, NAMES, strict=True):
        if name in alike:
            continue
        with dask.config.set(scheduler="sync"):
            expected = fit(model, target, arrays, weights)
        check_same(expected, fit(model, target, arrays, weights))
    expected = expected.transform(arrays[0])
    np.testing.assert_allclose(expected, PCA(svd_solver="full").fit(arrays[0]).transform(arrays[0]))
    check_nothing_is_left(client)


def test_answers_of_processes(client):
    X, _, classes, _ = draw()
    model = GaussianNB().fit(X, classes)
    assert model.predict(chunked(X)).compute().tolist() == model.predict(X).tolist()


def test_a_fitted_model_travels_once_to_each_worker(client):
    """However many chunks it answers: an index of neighbours may be large."""

    def count():  # those that arrived since the last call
        from litlearn._core import tasks

        unpack = getattr(tasks._unpack, "unpack", tasks._unpack)

        def counting(packed):
            counting.n += 1
            return unpack(packed)

        found, counting.n, counting.unpack = getattr(tasks._unpack, "n", 0), 0, unpack
        counting.__module__, counting.__qualname__ = tasks.__name__, "_unpack"
        tasks._unpack = counting
        return found

    X, _, classes, _ = draw()
    model = KNeighborsClassifier().fit(X, classes)
    client.run(count)
    found = model.predict(chunked(X, (10,) * 30)).compute()
    arrived = list(client.run(count).values())
    assert found.tolist() == model.predict(X).tolist()
    assert max(arrived) == 1 and sum(arrived) >= 1


def test_neighbours_in_chunks_are_those_in_memory(client, check_nothing_is_left):
    X, y, classes, _ = draw()
    X = np.round(X)  # so that many are at equal distances
    for model, target in ((KNeighborsClassifier(), classes), (KNeighborsRegressor(), y)):
        expected = clone(model).fit(X, target).predict(X)
        found = clone(model).fit(chunked(X), chunked(target))
        np.testing.assert_array_equal(found.predict(X), expected)
        np.testing.assert_array_equal(found.predict(chunked(X)).compute(), expected)
    expected, found = (NearestNeighbors().fit(one).kneighbors(X) for one in (X, chunked(X)))
    for one, other in zip(expected, found, strict=True):
        np.testing.assert_array_equal(one, other)
    check_nothing_is_left(client)


@pytest.mark.weekly
def test_steps_move_no_samples():
    """Targets lie anywhere at first; then only sums move between workers, in however many steps."""
    from distributed import Client, LocalCluster

    def moved(client):
        sent = client.run(lambda dask_worker: dask_worker.transfer_outgoing_bytes_total)
        return sum(sent.values())

    def fits(client, n):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(n, 5))
        y = (X[:, 0] + rng.logistic(size=n) > 0).astype(int)
        samples = da.from_array(X, chunks=(n // 4, 5)).persist()
        lying = da.from_array(y, chunks=n // 4).persist()
        # What is one number, or one row, is held in chunks, too.
        scaled = (samples - samples.mean(axis=0).persist()) / samples.std().persist()
        found, options = [], {"tol": 1e-13, "max_iter": 6}
        for model, given in (
            (LogisticRegression(**options), (samples, y)),
            (LogisticRegression(**options), (scaled, lying)),
            (LogisticRegression(l1_ratio=0.5, **options), (samples, lying)),
            (KMeans(2, random_state=0, tol=0.0, max_iter=6), (samples,)),
        ):
            before = moved(client)
            model.fit(*given)
            found.append(moved(client) - before)
        return found

    before, options = dict(os.environ), {"n_workers": 2, "threads_per_worker": 1}
    options |= {"processes": True, "dashboard_address": ":0", "host": "127.0.0.1"}
    # An idle worker would take a chunk from one that is behind, on purpose.
    with (
        dask.config.set({"distributed.scheduler.work-stealing": False}),
        warnings.catch_warnings(),
        LocalCluster(**options) as cluster,
        Client(cluster) as client,
    ):
        warnings.simplefilter("ignore", ConvergenceWarning)
        # The scheduler may move a chunk once away from a worker that is slow for other reasons.
        few, many = fits(client, 400), np.min([fits(client, 100_000) for _ in range(2)], axis=0)
    os.environ.clear()
    os.environ.update(before)
    # Targets go once to the samples, labels come here: of 40 bytes, one sample takes at most 10.
    assert max(b - a for a, b in zip(few, many, strict=True)) < 10 * 100_000


def test_a_chunk_is_read_within_the_task_that_folds_it(tmp_path):
    """Else a pass over the disk is mostly the scheduler's work, and targets cross the network."""
    from dask.callbacks import Callback

    values = np.random.default_rng(0).normal(size=(60, 3))
    for i in range(6):
        np.save(tmp_path / f"{i}.npy", values[10 * i : 10 * i + 10])

    def read(i):
        chunk = dask.delayed(np.load)(tmp_path / f"{i}.npy")
        return da.from_delayed(chunk, (10, 3), float)

    def part(arrays, rows):
        X, y = arrays
        return X[rows].T @ y[rows]

    def tasks_and_sum(X, y):
        run = []
        with Callback(pretask=lambda key, *_: run.append(key)):
            found = task_of_rows(part, np.add, (X, y), 100).compute(scheduler="sync")
        return len(run), found

    X = da.concatenate([read(i) for i in range(6)])
    tasks, found = tasks_and_sum(X, 2.0 * X[:, 0])
    assert tasks == 6 + 1  # and a merge
    np.testing.assert_allclose(found, 2.0 * values.T @ values[:, 0], rtol=1e-12)
    # The mean is of all chunks, and is computed once; a chunk in memory is nobody's task.
    centred = values - values.mean(axis=0)
    for Z in (X - X.mean(axis=0), da.from_array(values, chunks=(10, 3)) - values.mean(axis=0)):
        found = tasks_and_sum(Z, da.from_array(values[:, 1], chunks=10))[1]
        np.testing.assert_allclose(found, centred.T @ values[:, 1], rtol=1e-12)


def test_what_is_wrong_in_a_chunk_of_a_process_is_named(client):
    X, y, *_ = draw()
    X[-1, 0] = np.nan
    with pytest.raises(ValueError, match="Input X contains NaN"):
        Ridge().fit(chunked(X), chunked(y))


def test_a_worker_folds_the_chunks_that_it_holds_in_few_tasks(client):
    """In which tasks, and on which workers, changes no bit."""
    from distributed import wait

    values, n_chunks = np.random.default_rng(0).normal(size=(2000, 3)), 40
    addresses = sorted(client.scheduler_info()["workers"])

    def part(arrays, rows):
        return arrays[0][rows].sum(axis=0)

    def held(places):
        name, graph = f"held-{places}", {}
        for i, rows in enumerate(np.split(values, n_chunks)):
            graph[name, i, 0] = client.scatter(rows, workers=[addresses[places[i]]], hash=False)
        wait(list(graph.values()))
        sizes = ((2000 // n_chunks,) * n_chunks, (3,))
        return da.Array(graph, name, sizes, dtype=float, meta=values[:0])

    def own_tasks(X):
        task = task_of_rows(part, np.add, (X,), 10)
        return [key for key in task.dask.to_dict() if str(key).startswith("litlearn-sum")]

    lazy = fold_rows(part, np.add, (chunked(values, 50),), 10)
    threads = sum(client.nthreads().values())
    for places in ([0, 1] * 20, [0] * 20 + [1] * 20, [1] * 40, [0] * 39 + [1]):
        X = held(tuple(places))
        assert len(own_tasks(X)) <= 2 * threads + 1 + n_chunks // 16
        assert fold_rows(part, np.add, (X,), 10).tobytes() == lazy.tobytes()
    # What is made of held chunks with each pass is not needed at once.
    assert len(own_tasks(X + 0.0)) >= n_chunks


@pytest.mark.weekly(keep=1)
@pytest.mark.parametrize(
    ("model", "turn"), [(Ridge(), 0), (LogisticRegression(), 4), (KMeans(3, random_state=0), 8)]
)
def test_the_loss_of_a_worker_changes_no_bit(client, tmp_path, model, turn):
    """A chunk ends the process that computes it, at one of its turns: another one does it again."""
    X, _, classes, _ = draw()
    codes = np.searchsorted(CLASSES, classes)

    def die(chunk, block_info=None):
        if block_info and block_info[0]["chunk-location"][0] == 2:
            turns = len(list(tmp_path.iterdir()))
            (tmp_path / str(turns)).touch()
            if turns == turn:
                os._exit(1)
        return chunk

    expected = clone(model).fit(chunked(X), chunked(codes))
    fatal = chunked(X).map_blocks(die, dtype=X.dtype, meta=X[:0])
    check_same(expected, clone(model).fit(fatal, chunked(codes)))
    assert len(list(tmp_path.iterdir())) > turn + 1


def test_a_chunk_that_ends_its_worker_each_time_is_an_error():
    """The scheduler gives up, says which chunk it was, and the model can be fitted to others."""
    from distributed import Client, KilledWorker, LocalCluster

    X, y, *_ = draw()

    def die(chunk, block_info=None):
        if block_info and block_info[0]["chunk-location"][0] == 2:
            os._exit(1)
        return chunk

    model, before = Ridge(), dict(os.environ)
    where = {"dashboard_address": ":0", "host": "127.0.0.1"}
    fatal = chunked(X).map_blocks(die, dtype=X.dtype, meta=X[:0])
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 0}),
        LocalCluster(n_workers=1, threads_per_worker=1, **where) as one,
        Client(one),
        pytest.raises(KilledWorker, match="die"),
    ):
        model.fit(fatal, chunked(y))
    os.environ.clear()
    os.environ.update(before)
    assert not hasattr(model, "coef_")
    check_close(Ridge().fit(X, y), model.fit(chunked(X), chunked(y)), 1e-12)


def test_a_search_on_the_workers_finds_what_one_here_does(client, check_nothing_is_left):
    """Fits that are many, of samples that are few: joblib hands them to the workers."""
    joblib = pytest.importorskip("joblib", reason="joblib is not installed")
    X, _, classes, weights = draw()
    search = GridSearchCV(LogisticRegression(), {"C": [0.01, 1.0, 100.0]}, cv=4)
    expected = clone(search).fit(X, classes, sample_weight=weights)
    with joblib.parallel_config(backend="dask"):
        found = clone(search).fit(X, classes, sample_weight=weights)
    scores = "mean_test_score"
    np.testing.assert_array_equal(found.cv_results_[scores], expected.cv_results_[scores])
    check_same(expected.best_estimator_, found.best_estimator_)
    check_nothing_is_left(client)


def test_samples_of_a_client_that_is_closed(cluster):
    """Those that it held are gone; others are computed here."""
    from distributed import Client

    X, y, *_ = draw()
    with Client(cluster, set_as_default=False) as other:
        held = other.persist(chunked(X))
    with pytest.raises(RuntimeError, match="held by a client that was closed"):
        Ridge().fit(held, y)
    check_close(Ridge().fit(X, y), Ridge().fit(chunked(X), y), 1e-12)


def test_a_client_that_is_closed_during_a_pass_says_so(cluster, tmp_path):
    from distributed import Client

    X, *_ = draw()
    begun, client = tmp_path / "begun", Client(cluster)

    def slow(chunk, block_info=None):
        if block_info:
            begun.touch()
            time.sleep(2.0)
        return chunk

    def close():
        while not begun.exists():
            time.sleep(0.01)
        client.close()

    later = threading.Thread(target=close)
    later.start()
    with pytest.raises(RuntimeError, match="was closed before its workers had answered"):
        Ridge().fit(chunked(X).map_blocks(slow, dtype=X.dtype, meta=X[:0]), X[:, 0])
    later.join()
    check_close(Ridge().fit(X, X[:, 0]), Ridge().fit(chunked(X), chunked(X[:, 0])), 1e-9)


def test_a_client_of_a_block_that_is_closed_during_a_fit_says_so(cluster):
    from distributed import Client

    X, *_ = draw()
    client = Client(cluster, set_as_default=False)
    endless = GaussianMixture(2, tol=0.0, max_iter=10**6, means_init=MEANS)
    later = threading.Timer(1.0, client.close)
    with pytest.raises(ValueError, match="client is closed"), litlearn.on(client):
        later.start()
        endless.fit(X)
    later.join()


# -- memory ---------------------------------------------------------------------------------------


@pytest.mark.weekly(keep=1)
@pytest.mark.skipif(sys.platform != "linux", reason="the limit of memory is that of Linux")
@pytest.mark.parametrize(
    ("maker", "options", "learned", "expected"),
    [
        (
            "naive_bayes import GaussianNB",
            "",
            "model.class_count_.tolist(), model.theta_.sum(axis=1)",
            "[3000000.0, 3000000.0] [0. 1.]",
        ),
        (
            "linear_model import LogisticRegression",
            "",
            "model.predict(np.eye(8)[:2]), np.abs(model.coef_[0, 1:]).max()",
            "[1 0] 0.0",
        ),
        ("decomposition import PCA", "", "model.mean_.tolist()", "[0.5" + 7 * ", 0.0" + "]"),
        (
            "cluster import KMeans",
            "2, random_state=0",
            "sorted(model.cluster_centers_[:, 0].tolist()), model.labels_.sum()",
            "[0.0, 1.0] 3000000",
        ),
        (
            "mixture import GaussianMixture",
            "2, random_state=0, reg_covar=1e-3",
            "sorted(model.means_[:, 0].round(6).tolist()), model.weights_.round(6).tolist()",
            "[0.0, 1.0] [0.5, 0.5]",
        ),
    ],
    ids=["naive Bayes", "logistic regression", "principal components", "k-means", "mixture"],
)
def test_samples_of_four_times_the_memory(tmp_path, maker, options, learned, expected):
    """RLIMIT_DATA leaves 96 MB beyond what the modules take; the file has 384 MB."""
    code = f"""
        import resource, sys
        import numpy as np, dask, dask.array as da
        from litlearn.{maker} as Model

        def read(chunk, block_info=None):
            where = 8 * 8 * block_info[0]["array-location"][0][0] if block_info else 0
            found = np.fromfile(sys.argv[1], count=8 * len(chunk), offset=where).reshape(-1, 8)
            found[1::2, 0] = 1.0  # as the targets are
            return found

        X = da.empty((6_000_000, 8), chunks=(100_000, 8)).map_blocks(read, dtype=np.float64)
        y = da.arange(len(X), chunks=100_000) % 2
        dask.config.set(scheduler="threads", num_workers=2)
        # What is imported and compiled is there, and what BLAS keeps for two threads.
        Model({options}).fit(X[:200_000], y[:200_000])
        used = [line for line in open("/proc/self/status") if line.startswith("VmData")]
        limit = int(used[0].split()[1]) * 1024 + 96 * 2**20
        resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
        try:
            np.ones(200 * 2**20 // 8)
        except MemoryError:
            print("limited")
        model = Model({options}).fit(X, y)
        print({learned})
    """
    path = tmp_path / "samples"
    with path.open("wb") as file:
        file.truncate(6_000_000 * 8 * 8)  # zeros, of which the disk holds nothing
    command = [sys.executable, "-c", textwrap.dedent(code), str(path)]
    # A BLAS that gets no memory for a thread of its own ends the process.
    where = os.environ | {"OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, env=where)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split("\n")[:2] == ["limited", expected]


# -- the mechanism --------------------------------------------------------------------------------


def test_parts_are_merged_in_the_order_of_the_rows():
    arrays = (chunked(np.arange(300)), None, np.arange(300))

    def part(arrays, rows):
        one, none, other = arrays
        assert none is None and one[rows].tolist() == other[rows].tolist()
        return [one[rows][0]]

    def merge(a, b):
        a += b
        return a

    found = fold_rows(part, merge, arrays, 50)
    assert found == [0, 33, 67, 101, 151, 201, 251]
    inside = (in_memory(arrays[0]), None, arrays[2])
    assert fold_rows(part, merge, inside, 50) == list(range(0, 300, 50))


def test_dask_is_imported_by_nobody_else():
    code = """
        import sys
        from litlearn.linear_model import Ridge
        Ridge().fit([[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0]).predict([[1.0]])
        assert not any(name.split(".")[0] == "dask" for name in sys.modules)
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(code)], check=True)
