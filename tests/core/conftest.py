"""A cluster of two processes on this machine, for the tests of fits that run on one."""

import os
import time

import pytest


@pytest.fixture(scope="module")
def cluster():
    """Two worker processes, with one thread each."""
    distributed = pytest.importorskip("distributed", reason="distributed is not installed")
    before = dict(os.environ)
    one = distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0", host="127.0.0.1"
    )
    yield one
    one.close()
    os.environ.clear()  # Dask sets the numbers of threads for its workers here, too
    os.environ.update(before)


@pytest.fixture
def client(cluster):
    """A client, with two workers alive."""
    from distributed import Client

    with Client(cluster) as one:
        one.wait_for_workers(2, timeout=60)
        yield one


@pytest.fixture
def check_nothing_is_left():
    """A function that waits until no worker holds anything: they are told soon after the fit."""

    def check(client):
        for _ in range(100):
            held = client.run(lambda dask_worker: len(dask_worker.data))
            if not any(held.values()):
                return
            time.sleep(0.1)
        raise AssertionError(f"workers hold {held}")

    return check
