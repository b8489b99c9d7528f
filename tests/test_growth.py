"""Exponents of cost: what is measured, what is derived, and where scikit-learn's are smaller."""

import json

import numpy as np
import pytest

from benchmarks import growth, small_fits

EVERY = [pytest.param(one, id=f"{one[1]}, {growth.settings(one)}") for one in growth.ESTIMATORS]


@pytest.fixture(scope="module")
def committed():
    return json.loads(growth.JSON.read_text(encoding="utf-8"))


@pytest.mark.parametrize("exponent", [0, 0.5, 1, 2, 3])
def test_slope_of_a_power_is_its_exponent(exponent):
    sizes = np.array([500, 2000, 8000])
    assert growth.slope(sizes, 3e-7 * sizes**exponent) == pytest.approx(exponent, abs=1e-12)


def test_slope_is_that_of_least_squares():
    sizes = [1, 2, 4]
    assert growth.slope(sizes, [1, 1, 4]) == pytest.approx(1)  # the middle one has no say
    assert growth.slope(sizes, [1, 4, 4]) == pytest.approx(1)


def test_every_estimator_of_small_fits_is_measured():
    assert growth.ESTIMATORS[: len(small_fits.ESTIMATORS)] == small_fits.ESTIMATORS
    names = {name for _, name, _, _ in growth.ESTIMATORS}
    assert {key.split(",")[0] for key in growth.CASES} == names


@pytest.mark.parametrize("one", EVERY)
def test_sizes_grow_and_have_derived_exponents(one):
    _, name, options, kind = one
    case = growth.case_of(name, small_fits.settings(options, kind))
    planned = list(growth.plan(case))
    fits = [over for call, over, _, _ in planned if call == "fit"]
    answers = [over for call, over, _, _ in planned if call == "answer"]
    assert {"n", "p"} <= set(fits) and "q" in answers
    assert ("k" in fits + answers) == (case.k is not None)
    for _, over, sizes, derived in planned:
        small, middle, large = sizes
        assert 1 <= small < middle < large and large / middle == middle / small in (2, 4)
        assert middle == growth.middle_of(case)[over]
        low, high = growth.bounds(derived)
        assert 0 <= low <= high
    largest = {
        over: max([0, *(sizes[-1] for _, o, sizes, _ in planned if o == over)]) for over in "npq"
    }
    assert max(largest["n"], largest["q"]) * case.p <= growth.NUMBERS.size
    assert case.n * largest["p"] <= growth.NUMBERS.size and largest["p"] <= len(growth.SCORES)


def test_derived_exponents_in_words():
    assert growth.bounds(2) == (2, 2) and growth.bounds([1, None]) == (1, np.inf)
    assert [growth.told(one) for one in (0.5, (1, 2), [2, None])] == ["0.5", "1 to 2", "≥ 2"]
    assert growth.agrees(1.2, 1) and growth.agrees(9.0, [2, None])
    assert not growth.agrees(1.3, 1) and not growth.agrees(0.7, (1, 2))


def test_targets_are_of_the_kind_that_is_asked_for():
    X = growth.samples(300, 5)
    assert growth.targets(None, X, 2) is None
    assert growth.targets("numbers", X, 2).shape == (300,)
    assert growth.targets("2 targets", X, 2).shape == (300, 2)
    for classes in (2, 3, 12):
        assert set(growth.targets("3 classes", X, classes)) == set(range(classes))


def test_a_ball_holds_its_share_of_the_samples():
    X = growth.samples(1000, 4)
    near = np.linalg.norm(X[:, None] - X, axis=2) < growth.ball(X)
    share = (near.sum() - len(X)) / (len(X) * (len(X) - 1))
    assert share == pytest.approx(growth.SHARE, rel=0.3)


def made_up(name, over, ours, theirs, times=(1.0, 2.0)):
    return {
        "name": name,
        "settings": "",
        "call": "fit",
        "over": over,
        "exponents": [ours, theirs],
        "seconds": [list(times)] * 3,
    }


def test_smaller_exponents_of_sklearn_are_named():
    slow, equal, fast = (made_up("Ridge", "n", 1.0, theirs) for theirs in (0.5, 0.9, 1.5))
    assert growth.named([equal, slow, fast]) == [slow]
    assert growth.reason(slow) == growth.FASTER
    assert growth.reason(slow | {"seconds": [[2.0, 1.0]] * 3}) is None
    assert growth.reason(made_up("SVR", "n", 2.0, 1.5)) == growth.REASONS["SVR", "fit", "n"]
    assert growth.reason(made_up("Ridge", "q", 1.5, 1.0, (2, 1))) == growth.REASONS["q"]


def test_threads_are_powers_of_two_and_all_cores():
    assert growth.counts(1) == []
    assert growth.counts(2) == [2]
    assert growth.counts(12) == [2, 4, 8, 12]


def check(found, estimators):
    """Rows of these estimators, in their order, with all that the page reads."""
    assert list(found) == ["schema", "date", "machine", "rows", "threads"]
    assert found["schema"] == growth.SCHEMA and "processor" in found["machine"]
    planned = []
    for one in estimators:
        module, name, options, kind = one
        case = growth.case_of(name, small_fits.settings(options, kind))
        for call, over, sizes, derived in growth.plan(case):
            derived = list(derived) if isinstance(derived, tuple) else derived
            planned.append([module, name, growth.settings(one), call, over, sizes, derived])
    keys = ("module", "name", "settings", "call", "over", "sizes", "derived")
    rows = [[row[key] for key in keys] for row in found["rows"]]
    assert rows == planned, "run: python -m benchmarks.growth"
    for row in found["rows"]:
        assert len(row["seconds"]) == 3
        for own, exponent in zip(growth.columns(row["seconds"]), row["exponents"], strict=True):
            assert 0 < min(own) <= max(own) < 60
            assert exponent == pytest.approx(growth.slope(row["sizes"], own), abs=6e-4)
    listed = [(one[1], growth.settings(one)) for one in estimators]
    for count in growth.counts(found["machine"]["cores"]):
        more = [row for row in found["threads"] if row["threads"] == count]
        assert [(row["name"], row["settings"]) for row in more] == listed
        assert all(min(growth.speed_up(row)) > 0 for row in more)


def test_committed_exponents(committed):
    check(committed, growth.ESTIMATORS)


def test_smaller_exponents_of_sklearn_have_a_reason(committed):
    unknown = [
        growth.line(row) for row in growth.named(committed["rows"]) if not growth.reason(row)
    ]
    assert unknown == []


def test_exponents_are_measured_in_both_libraries(tmp_path, monkeypatch, capsys):
    tiny = {
        "Ridge": growth.Case(40, 4, 40, None, growth.SQUARE, growth.Q),
        "NearestNeighbors": growth.Case(
            160, 2, 40, ("n_neighbors", 4), growth.DEALT, growth.WITHIN, growth.KD
        ),
    }
    few = [one for one in small_fits.ESTIMATORS if one[1] in tiny]
    monkeypatch.setattr(growth, "CASES", tiny)
    monkeypatch.setattr(growth, "ESTIMATORS", few)
    monkeypatch.setattr(growth, "BUDGET", 0.0)
    monkeypatch.setattr(growth, "rows_of", in_this_process)
    path = tmp_path / "growth.json"
    growth.main(["--json", str(path)])
    found = json.loads(path.read_text(encoding="utf-8"))
    check(found, few)
    told = capsys.readouterr().out
    assert "Ridge" in told and "NearestNeighbors" in told
    if growth.counts(found["machine"]["cores"]):
        assert "threads" in told


def in_this_process(threads, only):
    return (json.loads(json.dumps(row)) for row in growth.records(threads, only))


def test_a_process_of_its_own_has_its_threads():
    (row,) = growth.rows_of(2, ["RBFSampler"])
    assert (row["name"], row["threads"], row["call"]) == ("RBFSampler", 2, "fit")
    with pytest.raises(RuntimeError, match="ended with code"):
        list(growth.rows_of(2, ["--unknown"]))
