"""Settings shared by all tests."""

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
