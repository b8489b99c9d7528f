"""Settings shared by all tests."""

import shutil

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

# -- the browser of the machine -------------------------------------------------------------------

CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
SWITCHES = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="session")
def chromium():
    """The Chromium of the machine, driven by Playwright; one for each process of the tests."""
    if CHROMIUM is None:
        pytest.skip("there is no Chromium on this machine: no page is opened")
    sync_api = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=SWITCHES)
        yield browser
        browser.close()
