"""``litlearn.on``: fits to samples in memory on the workers of a client of Dask."""

import asyncio
import os
import subprocess
import sys
import textwrap
import threading

import numpy as np
import pytest
from scipy.sparse import csr_array

import litlearn
from litlearn._core import chunked, parallel
from litlearn._core.base import clone
from litlearn._core.client import client_now
from litlearn.cluster import KMeans
from litlearn.decomposition import PCA
from litlearn.linear_model import Lasso, LogisticRegression, Ridge
from litlearn.naive_bayes import GaussianNB
from litlearn.neighbors import KNeighborsClassifier
from litlearn.svm import SVC

da = pytest.importorskip("dask.array", reason="dask is not installed")

START = [[-1.0] * 4, [0.0] * 4, [1.0] * 4]
SUMS = [
    (Ridge(), "y"),
    (Lasso(alpha=0.1), "y"),
    (LogisticRegression(), "classes"),
    (GaussianNB(), "classes"),
    (PCA(2), None),
    (KMeans(3, init=START), None),
    (KMeans(3, random_state=0), None),
]


def draw(n=300):
    """Samples, and targets by name."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 4))
    y = X @ np.arange(1.0, 5.0) + rng.normal(size=n)
    return X, {"y": y, "classes": np.where(y > 0.0, "ill", "well"), None: None}


@pytest.fixture
def small_chunks(monkeypatch):
    """Chunks of 100 rows of those samples."""
    monkeypatch.setattr(chunked, "CHUNK_BYTES", 100 * 4 * 8)


def numbers(model):
    """Arrays of numbers that a model learned, by name."""
    found = {k: np.asarray(v) for k, v in vars(model).items() if k.endswith("_")}
    return {k: v for k, v in found.items() if v.dtype.kind in "fiU"}


def check_same(model, other):
    a, b = numbers(model), numbers(other)
    assert a.keys() == b.keys()
    for name in a:
        np.testing.assert_array_equal(a[name], b[name], err_msg=name)


# -- fits -----------------------------------------------------------------------------------------


@pytest.mark.weekly
def test_a_fit_has_the_bits_of_that_to_an_array_of_dask(
    client, small_chunks, check_nothing_is_left
):
    X, targets = draw()
    lengths = (100, 100, 100)
    for model, kind in SUMS:
        y = targets[kind]
        given = () if y is None else (da.from_array(y, chunks=(lengths,)),)
        expected = clone(model).fit(da.from_array(X, chunks=(lengths, 4)), *given)
        with litlearn.on(client):
            found = clone(model).fit(X, y)
        check_same(expected, found)
        assert not any(chunked.is_chunked(one) for one in vars(found).values())
    check_nothing_is_left(client)


def test_what_comes_back_is_in_memory(client, small_chunks):
    X, targets = draw()
    with litlearn.on(client):
        labels = KMeans(3, init=START).fit_predict(X)
        scores = PCA(2).fit_transform(X)
        assert isinstance(Ridge().fit(X, targets["y"]).predict(X), np.ndarray)
    assert labels.tolist() == KMeans(3, init=START).fit_predict(X).tolist()
    np.testing.assert_allclose(scores, PCA(2).fit_transform(X), rtol=0, atol=1e-12)


def test_weights_and_names_go_with_the_samples(client, small_chunks):
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    X, targets = draw()
    weight = np.arange(300.0)
    frame = pandas.DataFrame(X, columns=list("abcd"))
    expected = Ridge().fit(frame, targets["y"], sample_weight=weight)
    with litlearn.on(client):
        found = Ridge().fit(frame, targets["y"], sample_weight=weight)
        assert found.feature_names_in_.tolist() == list("abcd")
        np.testing.assert_allclose(found.coef_, expected.coef_, rtol=1e-10)
        assert not hasattr(found.fit(X, targets["y"]), "feature_names_in_")
        with pytest.raises(ValueError, match="inconsistent numbers of samples: X has 300, y has"):
            Ridge().fit(X, targets["y"][1:])
        X[-1, 0] = np.nan
        with pytest.raises(ValueError, match=r"(?s)Input X contains NaN.*Ridge"):
            Ridge().fit(X, targets["y"])


def test_a_lost_worker_changes_no_bit(client, small_chunks, check_nothing_is_left):
    """The chunks that it held are sent again: nobody else has them."""
    X = draw()[0]
    calls = []

    class Dies(PCA):
        def fit(self, X, y=None):
            calls.append(sorted(client.scheduler_info()["workers"]))
            if len(calls) == 1:  # the chunks are sent, and nothing is computed
                client.run(os._exit, 1, workers=calls[0][:1], on_error="ignore")
            return super().fit(X, y)

    with litlearn.on(client):
        expected = PCA(2).fit(X)
        found = Dies(2).fit(X)
    assert len(calls) == 2
    check_same(expected, found)
    client.wait_for_workers(2, timeout=60)
    check_nothing_is_left(client)


# -- fits that are no sums ------------------------------------------------------------------------


def test_other_fits_run_here_and_say_so(client):
    X, targets = draw()
    y, classes = targets["y"], targets["classes"]
    with litlearn.on(client):
        with pytest.warns(UserWarning, match=r"SVC: fit runs in this process.*pairs of samples"):
            found = SVC().fit(X, classes)
        with pytest.warns(UserWarning, match=r"KNeighborsClassifier: fit runs .* keeps all"):
            KNeighborsClassifier().fit(X, classes)
        with pytest.warns(UserWarning, match=r"Ridge: fit runs in this process.*no dense table"):
            Ridge().fit(csr_array(X), y)
        with pytest.warns(UserWarning, match=r"GaussianNB: partial_fit runs .* it takes one batch"):
            GaussianNB().partial_fit(X, classes, np.unique(classes))
        with (
            pytest.warns(UserWarning, match="this process"),
            pytest.raises(ValueError, match="Expected 2D array"),
        ):
            Ridge().fit(y, y)
    np.testing.assert_array_equal(found.dual_coef_, SVC().fit(X, classes).dual_coef_)


# -- which client counts --------------------------------------------------------------------------


def test_the_innermost_client_counts_in_its_own_thread(client, cluster):
    from distributed import Client

    assert client_now() is None
    seen = []
    with Client(cluster, set_as_default=False) as other, litlearn.on(client) as given:
        assert given is client and client_now() is client
        thread = threading.Thread(target=lambda: seen.append(client_now()))
        thread.start()
        thread.join()
        with litlearn.on(other):
            assert client_now() is other
            # What is a block of some call is not handed out again.
            blocks = parallel.map_blocks(lambda _: client_now(), 2)
        assert client_now() is client
    assert client_now() is None and seen == [None] and blocks == [None, None]
    with pytest.raises(RuntimeError, match="mine"), litlearn.on(client):
        raise RuntimeError("mine")
    assert client_now() is None


def test_a_client_that_is_not_the_default_does_the_work(cluster, small_chunks):
    """Whatever scheduler Dask is told to use: this one says where its tasks ran."""
    import dask
    from distributed import Client

    X, targets = draw()
    asked = []

    class Telling(Client):
        def get(self, *args, **kwargs):
            asked.append(True)
            return super().get(*args, **kwargs)

    with (
        Telling(cluster, set_as_default=False) as other,
        dask.config.set(scheduler="sync"),
        litlearn.on(other),
    ):
        Ridge().fit(X, targets["y"])
    assert asked


def test_what_is_no_open_client_is_refused(cluster):
    from distributed import Client

    X, targets = draw()
    for bad in (None, "tcp://127.0.0.1:8786", cluster):
        with pytest.raises(TypeError, match=r"litlearn.on: client must be a distributed.Client"):
            litlearn.on(bad).__enter__()
    one = Client(cluster, set_as_default=False)
    with litlearn.on(one):
        one.close()
        with pytest.raises(ValueError, match=r"client is closed, expected one that is running"):
            Ridge().fit(X, targets["y"])
    with pytest.raises(ValueError, match="client is closed"), litlearn.on(one):
        pass

    async def within():
        async with Client(cluster.scheduler_address, asynchronous=True) as later:
            with litlearn.on(later):
                pass

    with pytest.raises(TypeError, match="must not be asynchronous"):
        asyncio.run(within())


def test_nobody_imports_dask_before_there_is_a_client():
    code = """
        import sys, litlearn
        from litlearn.ensemble import RandomForestRegressor
        try:
            with litlearn.on("a client"):
                pass
        except TypeError as error:
            print(error)
        RandomForestRegressor(2).fit([[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0])
        assert not any(name.split(".")[0] in ("dask", "distributed") for name in sys.modules)
    """
    command = [sys.executable, "-c", textwrap.dedent(code)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert done.stdout.startswith("litlearn.on: client must be a distributed.Client")
