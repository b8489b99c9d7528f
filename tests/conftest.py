"""Settings shared by all tests."""

import pytest
from hypothesis import HealthCheck, settings

# So that an assertion that fails there shows its values, as in the files of tests.
pytest.register_assert_rewrite("protocol")

# No deadline: a first call compiles. Derandomised: the same commit gives the same result.
settings.register_profile(
    "litlearn",
    deadline=None,
    derandomize=True,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("litlearn")
