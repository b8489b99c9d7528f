"""The attack: what a hostile environment, impatient users and unusual data do to the package.

Each file is one attack. A run within the tests is short, ``make attack`` is long (``ATTACK=full``),
and at its end stands a table: what was tried, what held, what broke.
"""

import faulthandler
import os
from collections import defaultdict

import pytest

FULL = os.environ.get("ATTACK") == "full"


@pytest.fixture(autouse=FULL)
def patience():
    """An attack at length, and above all the soak, may take longer than a test."""
    faulthandler.cancel_dump_traceback_later()


@pytest.fixture
def attempts():
    """How often to try: ``attempts(short, full)``."""
    return lambda short, full: full if FULL else short


@pytest.fixture
def tally(request):
    """Count for the table: ``tally(kind, held)`` for each try, ``tally.note(kind, difference)``.

    A difference is what is known and meant, such as an answer better than scikit-learn's.
    """
    counts, notes = defaultdict(lambda: [0, 0]), defaultdict(int)

    def count(kind, held=True):
        counts[kind][0] += 1
        counts[kind][1] += bool(held)

    def note(kind, difference):
        notes[kind, difference] += 1

    count.note = note
    yield count
    # Properties of a test reach the process that writes the table, whichever process ran the test.
    for kind, (tried, held) in counts.items():
        request.node.user_properties.append(("tried", (kind, tried, held)))
    for (kind, difference), times in notes.items():
        request.node.user_properties.append(("difference", (kind, difference, times)))


def pytest_terminal_summary(terminalreporter):
    """Print the table."""
    counts, notes = defaultdict(lambda: [0, 0]), defaultdict(int)
    for reports in terminalreporter.stats.values():
        for report in reports:
            if getattr(report, "when", "") != "teardown":
                continue
            for name, value in report.user_properties:
                if name == "tried":
                    kind, tried, held = value
                    counts[kind][0] += tried
                    counts[kind][1] += held
                elif name == "difference":
                    kind, difference, times = value
                    notes[kind, difference] += times
    if counts:
        terminalreporter.section("attack")
        terminalreporter.write_line(f"{'':52}{'tried':>8}{'held':>8}{'broke':>8}")
        for kind, (tried, held) in sorted(counts.items()):
            terminalreporter.write_line(f"{kind:52}{tried:8d}{held:8d}{tried - held:8d}")
    for (kind, difference), times in sorted(notes.items()):
        terminalreporter.write_line(f"  {kind}: {difference} ({times})")
