"""Settings shared by all tests."""

import re

from hypothesis import HealthCheck, settings

# No deadline: a first call compiles. Derandomised: the same commit gives the same result.
settings.register_profile(
    "litlearn",
    deadline=None,
    derandomize=True,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("litlearn")


def pytest_itemcollected(item):
    """Take addresses out of the names of tests.

    A parameter that is a function is named ``<function f at 0x7f...>``, which differs from worker
    to worker, and pytest-xdist then refuses to share the tests out.
    """
    item._nodeid = re.sub(r" at 0x[0-9a-fA-F]+", "", item.nodeid)
