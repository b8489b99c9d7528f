"""What bins cost in accuracy: the benchmark, and what is committed of it."""

import json

import numpy as np
import pytest

from benchmarks import bins


def test_bins_cost_little_on_the_whole():
    found = json.loads(bins.JSON.read_text(encoding="utf-8"))
    assert found["schema"] == bins.SCHEMA and found["bins"] == bins.BINS
    assert [row["name"] for row in found["rows"]] == list(bins.DATA) and len(bins.DATA) == 10
    assert bins.cost(found["rows"]) <= bins.LIMIT
    for row in found["rows"]:
        assert 0.5 < row["bins"] <= 1.0 and 0.5 < row["exact"] <= 1.0 and row["error"] < 0.01


def test_folds_are_all_rows():
    parts = bins.folds(103, 0)
    assert len(parts) == bins.FOLDS and {len(part) for part in parts} == {20, 21}
    np.testing.assert_array_equal(np.sort(np.concatenate(parts)), np.arange(103))


def test_few_values_lose_nothing():
    """With fewer values than bins, the thresholds are the same."""
    row = bins.record("iris")
    assert row["repeats"] == bins.MOST_REPEATS and row["exact"] == row["bins"] > 0.9
    assert row["error"] == 0.0
    assert bins.cost([row, row | {"bins": row["exact"] - 0.1}]) == pytest.approx(0.05)


def test_what_is_written(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(bins, "DATA", {"wine": bins.DATA["wine"]})
    monkeypatch.setattr(bins, "MOST_REPEATS", 1)
    path = tmp_path / "bins.json"
    bins.main(["--json", str(path)])
    (row,) = json.loads(path.read_text(encoding="utf-8"))["rows"]
    assert (row["rows"], row["features"], row["repeats"]) == (178, 13, 1)
    assert "wine" in capsys.readouterr().out
