"""Results of another processor stand beside those of this one, gains and losses alike."""

import json
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks import processors, releases  # noqa: E402


def measured(processor, **cases):
    """What was kept of a processor: of each case its group, our time and that of the fastest."""
    told = {
        name: {"group": group, "seconds": ours, "peer": ["fast", theirs]}
        for name, (group, ours, theirs) in cases.items()
    }
    machine = {"processor": processor, "cores": 2, "python": "3.14.0"}
    family = {"date": "2030-01-01", "threads": 2, "machine": machine, "cases": told}
    return {"version": "1.2.3", "families": {"all": family}}


HERE = measured(
    "Here(R) 1", a=("Trees", 0.5, 1.0), b=("Trees", 2.0, 1.0), c=("Lines", 3.0, 4.0),
    new=("Lines", 9.0, 1.0), alone=("Dots", 1.0, 2.0),
)  # fmt: skip
THERE = measured(
    "There 2", a=("Trees", 0.1, 1.0), b=("Trees", 0.4, 1.0), c=("Lines", 5.0, 4.0),
    old=("Lines", 9.0, 1.0),
)  # fmt: skip


def test_cases_of_both_are_compared():
    told = processors.told(HERE, [THERE])
    assert "| Cases | Here 1 | There 2 |" in told
    assert "| Trees | 1.00, 1 of 2 lost | 0.20 |" in told
    assert "| Lines | 0.75 | 1.25, 1 of 1 lost |" in told
    assert "Dots" not in told and "`new`" not in told and "`old`" not in told
    assert "Both have 3 cases. The second was measured on 2030-01-01" in told


def test_cases_that_change_sides_are_named_with_both_ratios():
    told = processors.told(HERE, [THERE])
    assert "a peer is faster in 2 cases" in told
    assert "- Trees, `b`: 2.00 of fast on the first, 0.40 of fast on the second" in told
    assert "- Lines, `c`: 0.75 of fast on the first, 1.25 of fast on the second" in told
    assert "`a`" not in told


def test_without_another_processor_the_page_says_so():
    assert processors.told(HERE, []) == "The cases were measured on no other processor."


def test_results_are_kept_under_a_name(tmp_path, capsys):
    assert processors.main(["some-one", "--folder", str(tmp_path)]) == 0
    (one,) = processors.kept(tmp_path)
    assert releases.cases_of(one) == releases.cases_of(releases.summary(releases.committed(), ""))
    assert re.search(r"src at [0-9a-f]{7}", one["version"])
    assert f"{len(releases.cases_of(one))} cases" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        processors.main(["../elsewhere", "--folder", str(tmp_path)])


def test_what_is_kept_names_its_machine():
    here = processors.name(releases.summary(releases.committed(), ""))
    for one in processors.kept():
        assert processors.name(one) != here  # else it says nothing
        json.dumps(one, allow_nan=False)
