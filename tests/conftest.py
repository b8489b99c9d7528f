"""Settings shared by all tests."""

import re
import shutil
import zlib

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

# -- what may be skipped --------------------------------------------------------------------------

# What a machine has or has not. A test whose parameters do not fit together is none of this: it is
# not to be made (`with_parameters` and `Settings.applies` in protocol.py).
OF_THE_MACHINE = re.compile(
    r"POSIX|Linux|[Tt]his (machine|system)|(is|are) not installed|could not import|"
    r"extra `\w+`|make book|needs git|only root|NUMBA_\w+=1|ATTACK=full|"
    r"(scikit-learn|SciPy|NumPy|Numba)\b.* (before|since) \d"
)


def forbid(report):
    """Let a report fail that was skipped for another reason."""
    if report.skipped and not hasattr(report, "wasxfail"):
        reason = report.longrepr[-1]
        if not OF_THE_MACHINE.search(reason):
            report.outcome = "failed"
            report.longrepr = f"{reason!r} is not about the machine: do not make this test"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport():
    return forbid((yield))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report():
    return forbid((yield))


# -- what runs for each change, and what once a week -----------------------------------------------


def pytest_addoption(parser):
    parser.addoption(
        "--quick",
        action="store_true",
        help='leave out what is marked "weekly", and all but n cases of what is "weekly(keep=n)"',
    )


def weekly(items):
    """What `make test` leaves for the weekly run.

    Tests and single cases marked "weekly", and of a test marked "weekly(keep=n)" all but n cases.
    Names choose these, so that a commit is always asked the same, and most keep their place when
    others come or go.
    """
    cases, left_out = {}, []
    for item in items:
        keeps = [mark.kwargs.get("keep", 0) for mark in item.iter_markers("weekly")]
        if 0 in keeps:
            left_out.append(item)
        elif keeps:
            cases.setdefault((item.nodeid.partition("[")[0], min(keeps)), []).append(item)
    for (_, keep), alike in cases.items():
        alike.sort(key=lambda item: zlib.crc32(item.nodeid.encode()))
        left_out += alike[keep:]
    return left_out


def pytest_collection_modifyitems(config, items):
    if config.getoption("--quick"):
        later = set(weekly(items))
        config.hook.pytest_deselected(items=[item for item in items if item in later])
        items[:] = [item for item in items if item not in later]


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
