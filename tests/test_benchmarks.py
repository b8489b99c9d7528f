"""The benchmark harness itself: what it reports must be true. No time is judged."""

import contextlib
import importlib
import importlib.util
import inspect
import io
import json
import os
import platform
import sys
import time
import warnings
from pathlib import Path
from unittest import mock

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks import __main__ as command_line  # noqa: E402
from benchmarks import (  # noqa: E402
    bar,
    cluster,
    decomposition,
    exactness,
    extras,
    floors,
    kernel_methods,
    knn,
    lasso,
    least_squares,
    logistic,
    mixture,
    multiclass,
    normal,
    releases,
    runner,
    small_fits,
    svm,
    table,
    trees,
)

FAMILY = '''
"""A family with one case, whose implementations are good, bad, broken or absent."""

import functools
import os

import numpy as np

from benchmarks import floors, knn
from benchmarks.case import Adapter, Case


def build(name, data, options, threads):
    with open(os.environ["BENCHMARKS_LOG"], "a") as file:
        file.write(f"{name}:{len(data['X'])} ")
    return data["X"]


def search(X, data, options, threads):
    d = np.array([knn.distances_to(X, q) for q in data["Q"]])
    index = np.argsort(d, axis=1)[:, : options["k"]]
    return np.take_along_axis(d, index, axis=1), index


def wrong(X, data, options, threads):
    d, index = search(X, data, options, threads)
    return d, (index + 1) % len(X)


def talkative(X, data, options, threads):
    print("something that is not JSON", flush=True)
    os.system("echo something from a child process")
    return search(X, data, options, threads)


def greedy(X, data, options, threads):
    np.ones(10_000_000)  # 80 MB, given back at once
    return search(X, data, options, threads)


def failing(X, data, options, threads):
    raise RuntimeError("out of order")


def late(X, data, options, threads):
    if len(X) > 1000:
        raise MemoryError("too much")
    return search(X, data, options, threads)


def dying(X, data, options, threads):
    os._exit(3)


def judge(output, data, reference, options):
    quality = knn.judge_neighbors(output, data, reference, options)
    quality["threads"] = int(os.environ["OMP_NUM_THREADS"])
    if hasattr(os, "sched_getaffinity"):
        quality["cores"] = len(os.sched_getaffinity(0))
    return quality


def floor(data, reference, options):
    return floors.Floor(floors.size(data), 1e6, "a million products")


def make():
    rng = np.random.default_rng(0)
    return {"X": rng.random((2000, 3)), "Q": rng.random((50, 3))}


def peer(name, query, module="numpy", **settings):
    build_it = functools.partial(build, name)
    return Adapter(name, name.title(), name, (module,), build_it, query, **settings)


ADAPTERS = (
    peer("own", search, ours=True, compiles=True),
    peer("wrong", wrong),
    peer("talkative", talkative),
    peer("greedy", greedy),
    peer("failing", failing),
    peer("late", late),
    peer("dying", dying),
    peer("absent", search, module="a_package_that_nobody_has.neighbors"),
    peer("single", search, dtypes=("float32",)),
)


def cases(size):
    return [
        Case(
            name="tiny", group="Test", work="search", make=make, adapters=ADAPTERS, judge=judge,
            reference=knn.reference, floor=floor, aim=1e9,
            options={"k": 5}, facts={"dtype": "float64", "n": 2000, "m": 50, "p": 3},
        )
    ]
'''


# Bytes, and products, in a second.
RATES = {"bandwidth": 1e9, "float64": 1e9, "float32": 2e9}


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    """The family above, measured: the JSON and the order in which the work was done."""
    folder = tmp_path_factory.mktemp("family")
    (folder / "family_of_tests.py").write_text(FAMILY)
    log = folder / "log.txt"
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder))
        patch.setenv("PYTHONPATH", str(folder))
        patch.setenv("BENCHMARKS_LOG", str(log))
        patch.setattr(runner, "rates", lambda threads: RATES)
        patch.setattr(runner, "HOPELESS", (np.inf, np.inf))
        result = runner.run_family("family_of_tests", threads=1, rounds=2, timeout=60)
    return result, log.read_text().split()


def records(result):
    """Records of the first case by the name of the implementation."""
    return {record["adapter"]: record for record in result["cases"][0]["results"]}


def test_missing_peer_is_named_and_skipped(tiny):
    result, _ = tiny
    assert "absent" not in records(result)
    skipped = {"absent": "not installed", "single": "takes no float64"}
    assert result["cases"][0]["skipped"] == skipped
    assert "absent skipped: not installed" in table.rows(result["cases"][0])


def test_wrong_peer_is_caught(tiny):
    quality = {name: record.get("quality") for name, record in records(tiny[0]).items()}
    assert quality["own"]["right"] == 1 and quality["own"]["distances"] == 1
    assert quality["wrong"]["right"] == 0
    assert quality["wrong"]["distances"] == 1  # it returns the right numbers for the wrong points


def test_failures_are_reported_and_end_nothing(tiny):
    by_name = records(tiny[0])
    assert by_name["failing"]["error"] == "RuntimeError: out of order"
    assert by_name["late"]["error"] == "MemoryError: too much"
    assert "code 3" in by_name["dying"]["error"]
    working = {name for name, record in by_name.items() if record["error"] is None}
    assert working == {"own", "wrong", "talkative", "greedy"}
    assert "Failing failed: RuntimeError: out of order" in table.rows(tiny[0]["cases"][0])


def test_slow_worker_is_ended(tmp_path):
    (tmp_path / "data.npz").write_bytes(b"")
    child = runner.Child("time", "small", "case", "adapter", 1, tmp_path)
    try:
        assert child.receive(1e-6)["error"].startswith("no answer within")
    finally:
        child.close()


def test_work_is_interleaved(tiny):
    # First calls, on 1000 rows, of all that are installed. Then rounds on all rows, without the two
    # that failed, and in the second round without the one that failed in the first.
    first = ["own", "wrong", "talkative", "greedy", "failing", "late", "dying"]
    rounds = ["own", "wrong", "talkative", "greedy", "late", "own", "wrong", "talkative", "greedy"]
    expected = [f"{name}:1000" for name in first] + [f"{name}:2000" for name in rounds]
    cache_filled = ["own:1000", "own:2000"]  # by a process that is not measured
    assert tiny[1] == cache_filled + expected


def test_threads_are_limited(tiny):
    for record in records(tiny[0]).values():
        if record["error"] is None:
            assert record["quality"]["threads"] == 1
            assert record["quality"].get("cores", 1) == 1


@pytest.mark.skipif(platform.system() != "Linux", reason="the peak is only exact on Linux")
def test_memory_is_the_peak_beyond_import_and_data(tiny):
    by_name = records(tiny[0])
    extra = by_name["greedy"]["memory"] - by_name["own"]["memory"]
    assert 70e6 < extra < 90e6
    assert by_name["own"]["memory"] < 20e6
    # 80 MB in each call, given back: what the first call leaves behind is not counted again.
    assert by_name["greedy"]["first_call_memory"] > 70e6
    assert 70e6 < by_name["greedy"]["working_memory"] <= by_name["greedy"]["memory"]


def test_summary_of_a_case(tiny):
    case = tiny[0]["cases"][0]
    done = [record for record in records(tiny[0]).values() if record["error"] is None]
    seconds = {record["adapter"]: record["seconds"] for record in done}
    own = seconds.pop("own")
    assert case["fastest"] == min(seconds, key=seconds.get)
    assert case["ratio"] == pytest.approx(own / min(seconds.values()))
    assert case["aim_met"] is True
    counts = {"bytes": 2000 * 3 * 8, "products": 1e6}
    assert case["floor"] == counts | {"seconds": 1e-3, "label": "a million products"}
    assert case["floor_ratio"] == pytest.approx(own / 1e-3)
    assert tiny[0]["rates"] == RATES and case["took"] > 0
    for record in done:
        assert record["seconds"] == min(record["rounds"])
        assert record["ratio"] == pytest.approx(own / record["seconds"])


def test_aim_may_refer_to_one_peer():
    case = knn.cases("small")[0]._replace(aim=1.2, aim_peer="faiss")
    common = {"error": None, "memory": 1.0}
    records = [
        common | {"adapter": "litlearn", "ours": True, "seconds": 2.2},
        common | {"adapter": "faiss", "ours": False, "seconds": 2.0},
        common | {"adapter": "sklearn", "ours": False, "seconds": 1.0},
    ]
    floor = {"seconds": 0.5}
    summary = runner.compare(case, records, floor)
    assert summary["floor_ratio"] == pytest.approx(4.4)
    assert summary["fastest"] == "sklearn" and summary["ratio"] == pytest.approx(2.2)
    assert summary["aim_ratio"] == pytest.approx(1.1) and summary["aim_met"] is True
    without = runner.compare(case, [records[0], records[2]], floor)
    assert without["aim_met"] is None
    assert runner.compare(case._replace(aim_peer=None), records, floor)["aim_met"] is False


class Answers:
    """A worker that needs some seconds each time."""

    def __init__(self, seconds):
        self.seconds = seconds

    def ask(self, command, timeout):
        assert command == "run"
        return {"build": 0.0, "query": self.seconds.pop(0)}


def test_rounds_of_what_is_hopeless_end_early():
    children = {
        "fast": Answers([2.0] + [1.0] * 4),
        "near": Answers([2.9] * 5),
        "slow": Answers([15.9, 3.1]),  # its first round alone could have loaded something
        "hopeless": Answers([16.1]),
    }
    answers = runner.measure(children, rounds=5, budget=60.0, timeout=1.0)
    assert {name: len(found) for name, found in answers.items()} == {
        "fast": 5, "near": 5, "slow": 2, "hopeless": 1,
    }  # fmt: skip
    children = {"fast": Answers([1.0] * 5), "near": Answers([1.1] * 5)}
    answers = runner.measure(children, rounds=5, budget=0.0, timeout=1.0)
    assert [len(found) for found in answers.values()] == [2, 2]


def slower(case):
    """A copy of a case in which the peer is faster."""
    return dict(case, ratio=2.0, fastest="wrong", aim=0.9, aim_met=False)


def test_table_says_a_loss_plainly(tiny):
    case = tiny[0]["cases"][0]
    text = table.rows(slower(case))
    assert "floor: a million products" in text
    assert "SLOWER" in text and "MISSED" in text
    assert "SLOWER" not in table.rows(dict(case, ratio=0.5))
    assert "0 of 1 cases" in table.closing(dict(tiny[0], cases=[slower(case)]))


def test_table_says_that_other_work_disturbed_a_family(tiny):
    assert tiny[0]["rates_after"] == RATES and "again" not in table.closing(tiny[0])
    for factor in (0.7, 1.4):
        after = RATES | {"bandwidth": factor * RATES["bandwidth"]}
        told = table.closing(dict(tiny[0], rates_after=after)).splitlines()
        assert len(told) == 2 and told[1].startswith("Measure again") and "float" not in told[1]


# ---------------------------------------------------------------- the committed results


def check_floors(result):
    """The floor of each case is what was counted, at the rates of the run."""
    assert min(result["rates"][name] for name in ("bandwidth", "float64", "float32")) > 1e6
    for case in result["cases"]:
        dtype = case["facts"].get("dtype", "float64")
        counted = floors.Floor(*(case["floor"][name] for name in floors.Floor._fields))
        least = floors.seconds(counted, result["rates"], dtype)
        assert case["floor"]["seconds"] == pytest.approx(least) and least > 0
        ours = next(record for record in case["results"] if record["ours"])
        assert case["floor_ratio"] == pytest.approx(ours["seconds"] / least)


def check_schema(result):
    """Everything that the performance page reads is there, and nothing that names the machine."""
    assert result["schema"] == runner.SCHEMA
    assert {"family", "size", "date", "threads", "machine", "cases", "seconds"} <= set(result)
    check_floors(result)
    assert {"processor", "cores", "python", "versions", "memory"} <= set(result["machine"])
    for case in result["cases"]:
        expected = {"name", "group", "work", "aim", "facts", "skipped", "results"}
        assert expected | {"ratio", "fastest", "aim_ratio", "aim_peer"} <= set(case)
        assert sum(record["ours"] for record in case["results"]) == 1
        for record in case["results"]:
            if record["error"] is None:
                keys = {"seconds", "build", "query", "rounds", "first_call", "memory", "quality"}
                assert keys <= set(record)
                assert 0 <= record["quality"]["right"] <= 1
    text = json.dumps(result)
    for private in (platform.node(), str(ROOT), str(Path.home()), sys.prefix):
        assert len(private) < 4 or private not in text


def test_command_line_writes_json(tmp_path, capsys):
    arguments = ["--only", "knn", "--against", "scipy", "--shapes", "small"]
    arguments += ["--cases", "kd_tree-*", "--rounds", "2", "--threads", "1"]
    assert command_line.main([*arguments, "--json", str(tmp_path)]) == 0
    result = json.loads((tmp_path / "knn-partial.json").read_text())
    check_schema(result)
    by_name = records(result)
    assert set(by_name) == {"litlearn", "scipy", "scipy-unbalanced"}
    for record in by_name.values():
        assert record["error"] is None
        assert record["quality"]["right"] == 1
    assert result["cases"][0]["ratio"] > 0
    printed = capsys.readouterr().out
    assert "SciPy cKDTree" in printed and "knn-partial.json" in printed


def test_command_line_refuses_what_it_does_not_know(capsys):
    wrong = ["--only=unknown", "--against=scipi", "--rounds=1", "--threads=0"]
    for argument in wrong:
        with pytest.raises(SystemExit):
            command_line.parse([argument])
    printed = capsys.readouterr().err
    assert "unknown family unknown; known: knn, " in printed
    assert (
        "unknown peer scipi; known: celer, faiss, mapie, pykdtree, quantile_forest, scipy, skglm, "
        "sklearn, sklearnex, snapml, statsmodels" in printed
    )


def test_only_the_whole_run_replaces_the_committed_results():
    whole, partial = Path("knn.json"), Path("knn-partial.json")
    assert command_line.target(Path(), "knn", command_line.parse([])) == whole
    for arguments in (["--shapes", "small"], ["--cases", "brute*"], ["--against", "scipy"]):
        assert command_line.target(Path(), "knn", command_line.parse(arguments)) == partial


def committed():
    """Names of the families whose results are committed."""
    names = [file.stem for file in command_line.RESULTS.glob("*.json")]
    return sorted(name for name in names if not name.endswith("-partial"))


def test_families_are_modules_with_a_heading_and_a_text():
    """What the performance page shows of a family beside its numbers."""
    assert set(committed()) <= set(command_line.FAMILIES)
    for family in command_line.FAMILIES:
        doc = inspect.getdoc(importlib.import_module(f"benchmarks.{family}"))
        heading, empty, text = doc.split("\n", 2)
        assert heading.endswith(".") and empty == "" and text


@pytest.mark.parametrize("family", committed())
def test_committed_results_are_complete(family):
    result = json.loads((command_line.RESULTS / f"{family}.json").read_text())
    check_schema(result)
    assert result["size"] == "full"
    module = importlib.import_module(f"benchmarks.{family}")
    names = [case.name for case in module.cases("full")]
    assert [case["name"] for case in result["cases"]] == names


# ---------------------------------------------------------------- the bar


class Terminal(io.StringIO):
    """A terminal that keeps what is written to it."""

    def isatty(self):
        return True


def test_bar_tells_how_far_the_cases_are_and_how_long_the_rest_takes(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setattr(bar, "EVERY", 60.0)
    seconds, stream = [0.0], Terminal()
    names = ["knn, first", "knn, second", "svm, third"]
    expected = {"knn, first": 20.0, "knn, second": 60.0}  # of the third nothing is known
    with bar.Bar(names, expected, stream, now=lambda: seconds[0]) as shown:
        assert (
            shown.line() == f"[{'-' * 24}] 0 of 3 cases, 0:00 passed, about 1:30 left: knn, first"
        )
        seconds[0] = 30.0  # half as long again as expected
        shown.advance("what the first case says")
        text = f"[{'#' * 8}{'-' * 16}] 1 of 3 cases, 0:30 passed, about 1:45 left: knn, second"
        assert shown.line() == text and stream.getvalue().endswith(f"\r\x1b[K{text}")
        seconds[0] = 40.0
        assert "0:40 passed, about 1:35 left" in shown.line()
        seconds[0] = 120.0
        shown.advance("the second")
        shown.advance("the third")
        assert shown.line() == f"[{'#' * 24}] 3 of 3 cases, 2:00 passed, about 0:00 left"
    assert stream.getvalue().endswith("\r\x1b[K") and "\n" not in stream.getvalue()
    assert capsys.readouterr().out.splitlines() == [
        "what the first case says", "the second", "the third",
    ]  # fmt: skip


def test_bar_fits_the_terminal_and_moves_by_itself(monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setattr(bar, "EVERY", 0.01)
    stream = Terminal()
    with bar.Bar(["a case"], {}, stream):
        for _ in range(500):
            if stream.getvalue().count("\r") > 3:
                break
            time.sleep(0.01)
    lines = stream.getvalue().split("\r\x1b[K")
    assert len(lines) > 4 and max(map(len, lines)) == 39


def test_bar_is_silent_where_there_is_no_terminal(capsys):
    stream = io.StringIO()
    with bar.Bar(["a case"], {}, stream) as shown:
        shown.advance("its rows")
    assert stream.getvalue() == "" and capsys.readouterr().out == "its rows\n"


def test_bar_knows_all_cases_and_how_long_they_took(tmp_path):
    options = command_line.parse(["--only", "knn,svm", "--cases", "*SVC*"])
    names = list(command_line.planned(options))
    assert names and all(name.startswith("svm, ") and "SVC" in name for name in names)
    everything = list(command_line.planned(command_line.parse([])))
    assert len(everything) == len(set(everything)) > 100
    found = {"family": "svm", "cases": [{"name": "a", "took": 3.0}, {"name": "b"}]}
    (tmp_path / "svm.json").write_text(json.dumps(found))
    assert command_line.expected(tmp_path) == {"svm, a": 3.0}


# ---------------------------------------------------------------- floors


def check_floor(case, data, reference):
    """A case has a floor of some time, and says what is counted."""
    found = runner.floor_of(case, data, reference, RATES)
    assert found["label"] and 0 < found["seconds"] < 1e3
    assert found["bytes"] > 0 and found["products"] >= 0


def test_floor_is_the_longer_of_reading_and_computing():
    floor = floors.Floor(3e9, 4e9, "")
    assert floors.seconds(floor, RATES, "float64") == 4.0
    assert floors.seconds(floor, RATES, "float32") == 3.0
    assert floors.pairs(3) == 6
    data = {"X": np.zeros((5, 2)), "Q": np.zeros((3, 2), dtype=np.float32)}
    assert floors.size(data) == 80 and floors.size(data, "X", "Q") == 104


def test_rates_are_measured(monkeypatch, capsys):
    monkeypatch.setattr(floors, "NUMBERS", 10_000)
    monkeypatch.setattr(floors, "SIDE", 50)
    monkeypatch.setattr(os, "sched_setaffinity", lambda *_: None, raising=False)
    floors.main("2")
    found = json.loads(capsys.readouterr().out)
    assert found.keys() == RATES.keys() and min(found.values()) > 0


def test_floors_by_hand():
    data = {"X": np.zeros((6, 2)), "Q": np.zeros((3, 2)), "M": np.zeros((4, 2))}
    assert knn.all_pairs(data, {}, {}).products == 6 * 3 * 2
    # Two of six samples are support vectors: their own pairs, half by symmetry, and all others.
    found = svm.floor(data, {"support": 2}, {"estimator": "SVC"})
    assert found.products == 2 * (3 + 2 * 4 + 2 * 3)
    assert cluster.floor(data, {}, {"work": "lloyd", "k": 4}).products == 20 * 6 * 2 * 4
    assert mixture.products("full", 6, 2, 4) == 6 * 4 * (3 + 3 + 2)
    one = {"estimator": "RandomForestRegressor", "given": {"n_estimators": 10}}
    assert trees.floor(data, {}, one).bytes == pytest.approx(10 * 96 * (1 - 1 / np.e))
    assert trees.floor(data, {}, one | {"given": {}}).bytes == 96


def test_cases_far_beyond_their_floor_are_explained():
    """And each explanation belongs to a group, or to a case, that there is."""
    modules = [importlib.import_module(f"benchmarks.{name}") for name in command_line.FAMILIES]
    cases = [case for module in modules for case in module.cases("full")]
    known = {case.group for case in cases} | {case.name for case in cases}
    assert set(floors.BEYOND) <= known
    for why in floors.BEYOND.values():
        assert why[0].isupper() and why.endswith(".")
    for result in releases.committed():
        for case in result["cases"]:
            if case["floor_ratio"] > floors.FAR:
                assert floors.explained(case), (case["name"], case["floor_ratio"])


# ---------------------------------------------------------------- nearest neighbours


@pytest.mark.parametrize("size", ["small", "full"])
def test_cases_are_well_formed(size):
    cases = knn.cases(size)
    assert len({case.name for case in cases}) == len(cases)
    for case in cases:
        assert sum(adapter.ours for adapter in case.adapters) == 1
        names = [adapter.name for adapter in case.adapters]
        assert len(set(names)) == len(names)


@pytest.mark.parametrize("case", knn.cases("small"), ids=lambda case: case.name)
def test_data_are_what_the_case_says_and_always_the_same(case):
    data, again = case.make(), case.make()
    assert data.keys() == again.keys()
    for name in data:
        np.testing.assert_array_equal(data[name], again[name])
    assert data["X"].shape == (case.facts["n"], case.facts["p"])
    assert data["X"].dtype == case.facts["dtype"] and data["X"].flags.c_contiguous
    assert knn.queries(data).shape == (case.facts["m"], case.facts["p"])


@pytest.fixture(name="grid")
def make_grid():
    """Points on a coarse grid, with ties at almost every distance, and the exact answer."""
    rng = np.random.default_rng(1)
    points = rng.integers(0, 4, size=(300, 2)).astype(float)
    data = {"X": points, "Q": rng.integers(0, 4, size=(20, 2)) + 0.25}
    options = {"k": 4, "algorithm": "kd_tree"}
    d = np.sqrt(((data["Q"][:, None] - data["X"][None]) ** 2).sum(axis=2))
    return data, options, d


def test_reference_is_the_definition(grid):
    data, options, d = grid
    answer = knn.reference(data, options)
    np.testing.assert_array_equal(answer["rows"], np.arange(20))
    np.testing.assert_allclose(answer["distances"], np.sort(d, axis=1)[:, :4], rtol=1e-15)


def test_ties_may_be_broken_either_way(grid):
    data, options, d = grid
    answer = knn.reference(data, options)
    for order in (np.argsort(d, axis=1, kind="stable"), np.argsort(d[:, ::-1], axis=1) * -1 + 299):
        index = order[:, :4]
        output = np.take_along_axis(d, index, axis=1), index
        quality = knn.judge_neighbors(output, data, answer, options)
        assert quality["right"] == 1 and quality["distances"] == 1


def test_quality_sees_each_kind_of_error(grid):
    data, options, d = grid
    answer = knn.reference(data, options)
    index = np.argsort(d, axis=1, kind="stable")[:, :4]
    distances = np.take_along_axis(d, index, axis=1)

    def judge(distances, index):
        return knn.judge_neighbors((distances, index), data, answer, options)

    far = index.copy()
    far[3, 0] = np.argmax(d[3])
    assert judge(distances, far)["right"] == 0.95
    twice = index.copy()
    twice[:, 1] = twice[:, 0]  # the same point twice, where a tie hides it from the distances
    assert judge(distances, twice)["right"] == 0
    none = index.copy()
    none[0] = -1  # what some libraries return for "not found"
    assert judge(distances, none)["right"] == 0.95
    rounded = judge(distances * (1 + 1e-7), index)
    assert rounded["right"] == 1 and rounded["distances"] == 0
    assert rounded["error"] == pytest.approx(1e-7, rel=1e-6)


def test_quality_of_radius_and_labels(grid):
    data, options, d = grid
    options = options | {"radius": 1.3}
    data = data | {"y": (data["X"][:, 0] > 1).astype(int)}
    answer = knn.reference(data, options)
    within = [np.flatnonzero(row <= 1.3)[::-1] for row in d]
    assert knn.judge_radius(within, data, answer, options)["right"] == 1
    within[5] = within[5][1:]
    assert knn.judge_radius(within, data, answer, options)["right"] == 0.95
    labels = answer["labels"].copy()
    assert knn.judge_labels(labels, data, answer, options)["right"] == 1
    labels[7] = 1 - labels[7]
    assert knn.judge_labels(labels, data, answer, options)["right"] == 0.95


@pytest.mark.parametrize("algorithm", ["kd_tree", "ball_tree"])
def test_visited_leaves_hold_the_neighbors(algorithm):
    rng = np.random.default_rng(2)
    data = {"X": rng.random((3000, 2)), "Q": rng.random((100, 2))}
    options = {"k": 10, "algorithm": algorithm}
    answer = knn.reference(data, options)
    assert 10 <= knn.visited(data, answer, options) < 0.2 * 3000
    # Balls that hold all points reach into every leaf; those that hold one query, into few.
    assert knn.visited(data, answer, options | {"radius": 2.0}) == 3000
    assert knn.visited(data, answer, options | {"radius": 1e-9}) < 4 * knn.LEAF_SIZE


def test_reached_boxes_and_balls_by_hand():
    points = np.array([[0.0, 0.0], [2.0, 0.0]])
    Q, radii = np.array([[1.0, 1.0], [1.0, 3.0], [5.0, 0.0]]), np.array([0.5, 1.5, 3.0])
    # The ball around the points has radius 1 at (1, 0); their box is a segment.
    np.testing.assert_array_equal(knn.reached(points, Q, radii, "ball_tree"), [True, False, True])
    np.testing.assert_array_equal(knn.reached(points, Q, radii, "kd_tree"), [False, False, True])


@pytest.mark.weekly(keep=4)
@pytest.mark.parametrize("case", logistic.cases("small"), ids=lambda case: case.name)
def test_logistic_cases(case):
    """The data are what the case says, and the reference is optimal to far below the tolerance."""
    data = case.make()
    X = logistic.samples(data)
    assert X.shape == (case.facts["n"], case.facts["p"]) and X.dtype == case.facts["dtype"]
    assert set(np.unique(data["y"])) == set(range(case.facts["classes"]))
    best = case.reference(data, case.options)
    check_floor(case, data, best)
    ours = case.adapters[0]
    coef, intercept = ours.query(ours.build(data, case.options, 1), data, case.options, 1)
    quality = case.judge((coef, intercept), data, best, case.options)
    assert quality["right"] == 1 and quality["excess"] > -1e-7
    off = case.judge((1.1 * coef, intercept), data, best, case.options)
    assert off["right"] == 0 and off["excess"] > 1e-5


def test_logistic_cases_are_well_formed():
    cases = logistic.cases("full")
    assert len({case.name for case in cases}) == len(cases)
    for case in cases:
        assert [adapter.ours for adapter in case.adapters].count(True) == 1
        assert len({adapter.name for adapter in case.adapters}) == len(case.adapters)


def test_logistic_objective_by_hand():
    # One sample, one feature: log(1 + exp(-(2 * 3 - 1))), and penalties 1/2 * 3 and 1/2 * 9 / 2.
    data = {"X": np.array([[2.0]]), "y": np.array([1])}
    options = {"C": 1.0, "l1_ratio": 0.5}
    value = logistic.objective(np.array([[3.0]]), np.array([-1.0]), data, options)
    assert value == pytest.approx(np.log1p(np.exp(-5)) + 1.5 + 2.25, rel=1e-14)


# ---------------------------------------------------------------- several classes


@pytest.mark.parametrize("case", multiclass.cases("small"), ids=lambda case: case.name)
def test_multiclass_cases(case):
    """The data are what the case says; ours agrees with the reference, and others need not."""
    data = case.make()
    assert data["X"].shape == (case.facts["n"], case.facts["p"])
    assert len(data["T"]) == case.facts["m"] and data["T"].dtype == case.facts["dtype"]
    assert len(np.unique(data["y"])) == case.facts["classes"]
    answer = case.reference(data, case.options)
    check_floor(case, data, answer)
    ours = case.adapters[0]
    assert ours.ours and [adapter.ours for adapter in case.adapters].count(True) == 1
    output = ours.query(ours.build(data, case.options, 1), data, case.options, 1)
    assert case.judge(output, data, answer, case.options)["right"] > 0.99
    shifted = (output + 1) % multiclass.N_CLASSES
    assert case.judge(shifted, data, answer, case.options)["right"] < 0.2


def test_multiclass_cases_are_four():
    for size in ("small", "full"):
        assert len({case.name for case in multiclass.cases(size)}) == 4


# ---------------------------------------------------------------- lasso


def test_lasso_cases_are_well_formed():
    for size in ("small", "full"):
        cases = lasso.cases(size)
        assert len({case.name for case in cases}) == len(cases)
        for case in cases:
            assert sum(adapter.ours for adapter in case.adapters) == 1
            assert len({adapter.name for adapter in case.adapters}) == len(case.adapters)


@pytest.mark.parametrize("case", lasso.cases("small"), ids=lambda case: case.name)
def test_lasso_quality_is_the_duality_gap(case):
    data, again = case.make(), case.make()
    for name in data:
        np.testing.assert_array_equal(data[name], again[name])
    X, _, alphas = lasso.prepare(data, case.options, 1)
    assert X.shape == (case.facts["n"], case.facts["p"]) and X.dtype == case.facts["dtype"]
    answer = case.reference(data, case.options)
    check_floor(case, data, answer)
    # Without coefficients the gap is that of zero; at the largest penalty that is the optimum.
    zero = np.zeros((X.shape[1], len(alphas)))
    quality = case.judge(zero, data, answer, case.options)
    assert quality["right"] == 0 and 0 < quality["gap"] <= 1 and quality["nonzero"] == 0
    ours = next(adapter for adapter in case.adapters if adapter.ours)
    output = ours.query(ours.build(data, case.options, 1), data, case.options, 1)
    quality = case.judge(output, data, answer, case.options)
    assert quality["right"] == 1 and quality["gap"] <= case.options["gap"]
    assert quality["excess"] <= case.options["gap"]
    # One coefficient moved is seen.
    output[np.argmax(np.abs(output[:, -1])), :] *= 1.5
    assert case.judge(output, data, answer, case.options)["right"] < 1


def test_lasso_tolerances_are_the_loosest_that_suffice(monkeypatch):
    case, used = lasso.cases("small")[0], []
    data = case.make()

    def run(X, y, alphas, tol, options, threads):
        used.append(tol)
        found = lasso.scikit_like("sklearn.linear_model")
        return found(X, y, alphas, tol if tol < 1e-4 else 1.0, options, threads)

    monkeypatch.setitem(lasso.RUN, "someone", run)
    query, model = lasso.fitted("someone"), lasso.prepare(data, case.options, 1)
    query(model, data, case.options, 1)
    assert used[:2] == [1e-3, 1e-4] and used[-1] < 1e-4
    chosen = used[-1]
    used.clear()
    query(model, data, case.options, 1)  # looked for once in a process
    known = case.options | {"tolerances": {"someone": 1e-9}}
    lasso.fitted("someone")(model, data, known, 1)  # and not at all where it is known
    assert used == [chosen, 1e-9]


def test_lasso_tolerances_are_known_for_every_case():
    found = json.loads(lasso.FOUND.read_text("utf-8"))
    assert set(found["versions"]) == {"celer", "litlearn", "scikit-learn", "skglm"}
    for case in lasso.cases("full"):
        assert case.options["tolerances"] == found["tolerances"][case.name]
        assert set(case.options["tolerances"]) == {one.name for one in case.adapters}
        assert set(case.options["tolerances"].values()) <= set(lasso.TOLERANCES)


def test_no_leftover_processes(tiny):
    assert tiny[0]["cases"]  # the run is over
    if os.path.exists("/proc"):
        for status in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                text = status.read_bytes()
            except OSError:
                continue
            assert b"family_of_tests" not in text


# ---------------------------------------------------------------- least squares


@pytest.mark.parametrize("case", least_squares.cases("small"), ids=lambda case: case.name)
def test_least_squares_cases(case):
    data, again = case.make(), case.make()
    assert data.keys() == again.keys() == {"X", "y"}
    assert data["X"].shape == (case.facts["n"], case.facts["p"])
    assert data["X"].dtype == case.facts["dtype"] and data["X"].flags.c_contiguous
    np.testing.assert_array_equal(data["X"], again["X"])
    assert sum(adapter.ours for adapter in case.adapters) == 1
    assert len({one.name for one in least_squares.cases("full")}) == len(
        least_squares.cases("full")
    )


@pytest.mark.parametrize("shape", [(200, 5), (20, 50)], ids=str)
@pytest.mark.parametrize("estimator", ["LinearRegression", "Ridge"])
def test_least_squares_are_judged_by_their_objective(estimator, shape):
    data = least_squares.draw("factors", *shape, "float64", 0)
    options = {"estimator": estimator}
    if estimator == "LinearRegression" and shape[1] > shape[0]:
        return  # the objective is zero
    best = least_squares.reference(data, options)
    ours = least_squares.ADAPTERS[0]
    coef, intercept = ours.query(ours.build(data, options, 1), data, options, 1)
    quality = least_squares.judge((coef, intercept), data, best, options)
    assert abs(quality["excess"]) < 1e-9 and quality["right"] > 1 - 1e-9
    off = least_squares.judge((coef, intercept + 1.0), data, best, options)
    assert off["excess"] > 1e-9 and off["right"] < quality["right"]
    few, many = sorted(shape)
    floor = least_squares.floor(data, best, options)
    assert floor[:2] == (8 * few * many, many * few * (few + 1) / 2)


# ---------------------------------------------------------------- normal distributions


@pytest.mark.parametrize("case", normal.cases("small"), ids=lambda case: case.name)
def test_normal_cases(case):
    """Each implementation predicts the class of the largest score, and another class is wrong."""
    data, again = case.make(), case.make()
    for name in data:
        np.testing.assert_array_equal(data[name], again[name])
    assert data["X"].shape == (case.facts["n"], case.facts["p"])
    assert data["X"].dtype == case.facts["dtype"] and data["X"].flags.c_contiguous
    answer = case.reference(data, case.options)
    check_floor(case, data, answer)
    for one in case.adapters:
        model = one.build(data, case.options, 1)
        output = one.query(model, data, case.options, 1)
        assert case.judge(output, data, answer, case.options)["right"] > 0.999
        shifted = (np.asarray(output) + 1) % normal.CLASSES
        assert case.judge(shifted, data, answer, case.options)["right"] < 0.05
    names = [one.name for one in normal.cases("full")]
    assert len(set(names)) == len(names) == 12


# ---------------------------------------------------------------- trees


@pytest.mark.parametrize("case", trees.cases("small"), ids=lambda case: case.name)
def test_tree_cases(case, monkeypatch):
    """The data are what the case says, and each implementation is better than a constant."""
    data, again = case.make(), case.make()
    for name in data:
        np.testing.assert_array_equal(data[name], again[name])
    assert data["X"].shape == (case.facts["n"], case.facts["p"])
    assert data["X"].dtype == case.facts["dtype"] and data["X"].flags.c_contiguous
    assert len(data["T"]) == len(data["t"]) == case.facts["m"]
    answer = case.reference(data, case.options)
    check_floor(case, data, answer)
    monkeypatch.setattr(trees, "SEEDS", 3)
    for one in case.adapters[:2]:  # scikit-learn-intelex may not be installed
        trees.FITTED.clear()
        output = one.query(one.build(data, case.options, 1), data, case.options, 1)
        quality = case.judge(output, data, answer, case.options)
        assert 1 > quality["right"] > quality["constant"] + 0.2
        assert case.work == "predict" or 0 < quality["error"] < 0.05
    trees.FITTED.clear()


def test_tree_cases_are_well_formed():
    cases = trees.cases("full")
    assert len({case.name for case in cases}) == len(cases)
    for case in cases:
        names = [adapter.name for adapter in case.adapters]
        assert names[0] == "litlearn" and case.aim_peer in (None, *names[1:])


def test_tree_scores_by_hand():
    assert trees.score(np.array([1, 2, 2]), np.array([1, 2, 0])) == pytest.approx(2 / 3)
    t = np.array([1.0, 2.0, 3.0])
    assert trees.score(t, t) == 1.0 and trees.score(np.full(3, 2.0), t) == 0.0


# ---------------------------------------------------------------- support vector machines


@pytest.mark.parametrize("case", svm.cases("small"), ids=lambda case: case.name)
def test_svm_cases(case):
    """Ours and LIBSVM's count as right, and what is a little worse does not.

    liblinear's counts only where it is asked for as many passes as that takes.
    """
    data = case.make()
    few = svm.has_corners(case.options) and "columns" not in data
    assert svm.samples(data).shape == (case.facts["n"], case.facts["p"])
    best = case.reference(data, case.options)
    check_floor(case, data, best)
    for adapter in case.adapters[: 1 if few else 2]:
        model = adapter.build(data, case.options, 1)
        output = adapter.query(model, data, case.options, 1)
        quality = case.judge(output, data, best, case.options)
        assert quality["right"] > 0.999
        off = 1 - output if case.name.startswith("predict") else 0.9 * output
        assert case.judge(off, data, best, case.options)["right"] < 0.5


def test_svm_cases_are_well_formed():
    for size in ("small", "full"):
        cases = svm.cases(size)
        assert len({case.name for case in cases}) == len(cases)
        for case in cases:
            assert [adapter.ours for adapter in case.adapters].count(True) == 1
            # Half of scikit-learn's time for predictions; fits are held against the fastest peer.
            asks = case.name.startswith("predict")
            assert case.aim_peer == ("sklearn" if asks else None)
            few = svm.has_corners(case.options) and case.facts["data"] != "text"
            assert case.aim == (0.5 if asks else None if few else 0.9)


def test_svm_objectives_by_hand():
    # Two samples at distance 1: K has 1 and exp(-0.5); beta = (1, -1).
    data = {"X": np.array([[0.0], [1.0]]), "y": np.array([1, 0])}
    options = {"estimator": "SVC", "given": {"gamma": 0.5}}
    value = svm.objective(np.array([1.0, -1.0]), data, options)
    assert value == pytest.approx(1 - np.exp(-0.5) - 2, rel=1e-12)
    options["estimator"] = "SVR"
    value = svm.objective(np.array([1.0, -1.0]), data, options)
    assert value == pytest.approx(1 - np.exp(-0.5) - 1 + 0.2, rel=1e-12)
    # One coefficient 2 and an intercept -1: misses 2 and 2.
    options["estimator"] = "LinearSVC"
    value = svm.objective(np.array([2.0, -1.0]), data, options)
    assert value == pytest.approx(2.5 + 4 + 4, rel=1e-12)
    # With corners they count once, and as often as C says: 2 and 2, or 2 and 1 of numbers.
    options["given"] = {"loss": "hinge", "C": 3.0}
    value = svm.objective(np.array([2.0, -1.0]), data, options)
    assert value == pytest.approx(2.5 + 3 * (2 + 2), rel=1e-12)
    options["estimator"] = "LinearSVR"
    value = svm.objective(np.array([2.0, -1.0]), data, options)
    assert value == pytest.approx(2.5 + 3 * (2 + 1), rel=1e-12)


# ---------------------------------------------------------------- k-means


@pytest.mark.parametrize("case", cluster.cases("small"), ids=lambda case: case.name)
def test_cluster_cases(case):
    """Ours and scikit-learn's count as right, and centres that are a little off do not."""
    data = case.make()
    best = case.reference(data, case.options)
    check_floor(case, data, best)
    for adapter in case.adapters[:2]:
        model = adapter.build(data, case.options, 1)
        assert model.n_iter_ <= (300 if case.options["work"] == "starts" else cluster.ROUNDS)
        output = adapter.query(model, data, case.options, 1)
        assert case.judge(output, data, best, case.options)["right"] == 1.0
        assert case.judge(output + 0.05, data, best, case.options)["right"] == 0.0


def test_cluster_cases_are_well_formed():
    for size in ("small", "full"):
        cases = cluster.cases(size)
        assert len({case.name for case in cases}) == len(cases)
        for case in cases:
            names = [adapter.name for adapter in case.adapters]
            assert [adapter.ours for adapter in case.adapters].count(True) == 1
            assert len(set(names)) == len(names) and case.aim_peer in (None, *names)


def test_inertia_by_hand():
    data = {"X": np.array([[0.0, 0.0], [3.0, 4.0], [10.0, 0.0]])}
    assert cluster.inertia(data, np.array([[0.0, 0.0], [10.0, 1.0]])) == 26.0


# ---------------------------------------------------------------- Gaussian mixtures


@pytest.mark.parametrize("case", mixture.cases("small"), ids=lambda case: case.name)
def test_mixture_cases(case):
    """Ours and scikit-learn's count as right; fewer rounds, or other parameters, do not."""
    data, again = case.make(), case.make()
    np.testing.assert_array_equal(data["X"], again["X"])
    assert data["X"].shape == (case.facts["n"], case.facts["p"])
    assert data["X"].dtype == case.facts["dtype"]
    best = case.reference(data, case.options)
    check_floor(case, data, best)
    for adapter in case.adapters:
        output = adapter.query(adapter.build(data, case.options, 1), data, case.options, 1)
        quality = case.judge(output, data, best, case.options)
        assert quality["right"] == 1.0
        assert quality["bound"] == pytest.approx(float(best["likelihood"]), rel=1e-4)
    weights, means, covariances, rounds = output
    for wrong in (
        (weights, means + 0.1, covariances, rounds),
        (weights, means, 1.2 * covariances, rounds),
        (weights, means, covariances, rounds - 1),
    ):
        assert case.judge(wrong, data, best, case.options)["right"] == 0.0


def test_mixture_cases_are_well_formed():
    for size in ("small", "full"):
        cases = mixture.cases(size)
        assert len({case.name for case in cases}) == len(cases) == 8
        for case in cases:
            assert [adapter.ours for adapter in case.adapters].count(True) == 1


def test_mixture_likelihood_by_hand():
    """Two samples, two components in one dimension: exp(-1/2) and exp(-9/2) over sqrt(2 pi)."""
    X = np.array([[1.0], [3.0]])
    parts = np.array([0.5, 0.5]), np.array([[0.0], [4.0]]), np.ones((2, 1, 1))
    expected = np.log(0.5 * (np.exp(-0.5) + np.exp(-4.5)) / np.sqrt(2 * np.pi))
    assert mixture.likelihood(X, *parts) == pytest.approx(expected, rel=1e-12)
    weights, means, covariances = mixture.step(X, "full", *parts)
    share = 1 / (1 + np.exp(-4.0))
    np.testing.assert_allclose(means.ravel(), [1 * share + 3 * (1 - share), 3 * share + 1 - share])
    np.testing.assert_allclose(weights, 0.5)
    expected = 4 * share * (1 - share) + mixture.REG_COVAR
    np.testing.assert_allclose(covariances.ravel(), expected)


# ---------------------------------------------------------------- principal components


@pytest.mark.parametrize("case", decomposition.cases("small"), ids=lambda case: case.name)
def test_decomposition_cases(case):
    """The axes of eigenvalues are right; turned, shorter or worse ones are not."""
    data = case.make()
    n, p, k = (case.facts[name] for name in ("n", "p", "axes"))
    assert data["X"].shape == (n, p)
    Z = data["X"] - data["X"].mean(axis=0)
    _, values, rows = np.linalg.svd(Z, full_matrices=False)
    output = np.column_stack([rows, values**2 / (n - 1)])
    kept = case.reference(data, case.options)
    check_floor(case, data, kept)
    np.testing.assert_allclose(kept["variances"], output[:k, -1], rtol=1e-10)
    assert case.judge(output[:k], data, kept, case.options)["right"] == 1.0
    stated = output[:k].copy()
    stated[-1, -1] *= 1.0 + 1e-6
    assert case.judge(stated, data, kept, case.options)["right"] == 0.0
    short = output[:k] * 0.999
    assert case.judge(short, data, kept, case.options)["right"] == 0.0
    if k < min(n, p):
        worse = output[:k].copy()
        worse[-1, :-1] = output[k, :-1]
        assert case.judge(worse, data, kept, case.options)["right"] == 0.0


@pytest.mark.parametrize("case", kernel_methods.cases("small")[2:3], ids=lambda case: case.name)
def test_kernel_methods_cases(case):
    """Ours and scikit-learn's count as right, and what is a little worse does not."""
    data = case.make()
    best = case.reference(data, case.options)
    check_floor(case, data, best)
    for adapter in case.adapters[:2]:
        output = adapter.query(adapter.build(data, case.options, 1), data, case.options, 1)
        assert case.judge(output, data, best, case.options)["right"] == 1.0
        assert case.judge(output * (1 + 1e-6), data, best, case.options)["right"] == 0.0


def test_kernel_methods_cases_are_well_formed():
    for size in ("small", "full"):
        cases = kernel_methods.cases(size)
        assert len({case.name for case in cases}) == len(cases)
        for case in cases:
            assert [adapter.ours for adapter in case.adapters].count(True) == 1


def test_first_uses_of_every_estimator_with_kernels_take_less_than_a_second():
    """`make bench` measures them; what is compiled, `make try-kernels` says."""
    from litlearn._warm_up import CASES

    found = json.loads((ROOT / "benchmarks" / "first_calls.json").read_text())
    names = [use["name"] for use in found["rows"]]
    assert names == list(dict.fromkeys(f"{case[0]}.{case[1]}" for case in CASES))
    assert max(use["first"] for use in found["rows"]) < 1.0
    assert found["example"]["seconds"] < 2.0
    assert found["wheel"]["packed"] < 40 * 2**20


@pytest.mark.weekly
def test_fits_in_chunks_are_measured_beside_those_in_memory(tmp_path, monkeypatch):
    pytest.importorskip("distributed", reason="distributed is not installed")
    from benchmarks import chunks

    # Few and short chunks, and one cluster for all: what is measured, and how, stays the same.
    for name, value in {"CHUNK": 1000, "SMALLER": (100, 1000), "ROUNDS": 1, "TASKS": 20}.items():
        monkeypatch.setattr(chunks, name, value)
    monkeypatch.setattr(chunks, "METHODS", chunks.METHODS[::3])  # linear and logistic regression
    monkeypatch.setattr(chunks, "PEER", {})
    path = tmp_path / "chunks.json"
    with (
        mock.patch.dict(os.environ),  # Dask sets the numbers of threads for its workers here, too
        chunks.new_cluster() as client,
    ):
        monkeypatch.setattr(chunks, "new_cluster", lambda: contextlib.nullcontext(client))
        chunks.main(["--rows", "8000", "--json", str(path)])
    found = json.loads(path.read_text())
    assert [fit["name"] for fit in found["fits"]] == ["LinearRegression", "LogisticRegression"]
    for fit in found["fits"]:
        assert fit["quality"] == pytest.approx(fit["memory_quality"], abs=1e-9)
        assert min(fit["reading"], fit["seconds"], fit["held"], fit["memory"], fit["moved"]) > 0
    assert found["costs"]["task"] > 0
    assert set(found["simulated"]) == {"LinearRegression", "LogisticRegression"}
    for traffic in found["traffic"]:
        assert traffic["chunks"] == 8
        assert [fit["rows"] for fit in traffic["fits"]] == [800, 8000]


def test_more_machines_pay_until_the_scheduler_is_busy():
    from benchmarks import chunks

    costs = {"task": 1e-3, "merge": 1e-3, "broadcast": 1e-3, "bandwidth": 1e9}
    found = chunks.simulated(costs, 1e-8, 230, 10**9)
    seconds = {one["machines"]: one["seconds"] for one in found}
    assert seconds[10] < 0.2 * seconds[1]
    assert seconds[1000] > seconds[100]
    assert all(one["seconds"] >= max(one["work"], one["scheduler"]) for one in found)


def test_fits_with_kernels_of_the_best_level_take_as_long_as_with_those_compiled_here():
    fits = json.loads((ROOT / "benchmarks" / "first_calls.json").read_text())["fits"]
    best = next(level for level in fits[0] if level not in ("name", "native"))
    ratios = sorted(fit[best] / fit["native"] for fit in fits)
    assert ratios[len(ratios) // 2] < 1.03


# ---------------------------------------------------------------- exactness


def test_each_committed_case_states_how_exact_the_answers_are():
    """And which ratios are not of equal exactness: those that are named, and no others."""
    cases = [case for result in releases.committed() for case in result["cases"]]
    found = {case["name"]: exactness.compared(case) for case in cases if case["ratio"]}
    assert len(found) == sum(case["ratio"] is not None for case in cases) > 100
    for name, (told, ours, theirs, _) in found.items():
        assert told and np.isfinite([ours, theirs]).all(), name
    unequal = {name for name, (*_, fair) in found.items() if not fair}
    assert unequal == set(exactness.UNEQUAL)
    close = {exactness.SOLVED: 1e-8, exactness.SINGLE: 1e-9, exactness.ROUNDED: 1e-11}
    for name, why in exactness.UNEQUAL.items():
        assert why not in close or found[name][1] < close[why], name


def answers(ours, theirs):
    """A case with two answers of some quality."""
    pairs = {"litlearn": ours, "peer": theirs}
    results = [
        {"adapter": name, "ours": name == "litlearn", "error": None, "quality": quality}
        for name, quality in pairs.items()
    ]
    return {"results": results, "fastest": "peer"}


@pytest.mark.parametrize(
    "ours, theirs, fair",
    [
        ({"right": 1.0, "excess": 1.05e-6}, {"right": 1.0, "excess": 1e-6}, True),
        ({"right": 1.0, "excess": 1.2e-6}, {"right": 1.0, "excess": 1e-6}, False),
        ({"right": 1.0, "excess": 9e-13}, {"right": 1.0, "excess": 0.0}, True),
        ({"right": 1.0, "excess": 9e-13}, {"right": 1.0, "excess": -1e-3}, True),
        ({"right": 0.9}, {"right": 0.95}, False),
        ({"mean": 0.90, "error": 0.01}, {"mean": 0.93, "error": 0.01}, True),
        ({"mean": 0.90, "error": 0.01}, {"mean": 0.95, "error": 0.01}, False),
    ],
)
def test_equal_exactness(ours, theirs, fair):
    assert exactness.compared(answers(ours, theirs))[-1] is fair


def test_exactness_needs_a_peer():
    assert exactness.compared(answers({"right": 1.0}, {"right": 1.0}) | {"fastest": None}) is None


# ---------------------------------------------------------------- small fits


def in_both_libraries():
    """(module, name) of the public estimators that scikit-learn has under the same name."""
    import litlearn

    for space in litlearn._NAMESPACES:
        if importlib.util.find_spec(f"sklearn.{space}") is None:
            continue
        theirs = importlib.import_module(f"sklearn.{space}")
        ours = importlib.import_module(f"litlearn.{space}")
        for name in ours.__all__:
            if hasattr(getattr(ours, name), "fit") and hasattr(theirs, name):
                yield space, name


def test_small_fits_of_every_estimator_in_both_libraries_are_committed():
    found = json.loads(small_fits.JSON.read_text(encoding="utf-8"))
    assert found["schema"] == small_fits.SCHEMA and "processor" in found["machine"]
    listed = [
        (module, name, small_fits.settings(options, kind))
        for module, name, options, kind in small_fits.ESTIMATORS
    ]
    rows = [(row["module"], row["name"], row["settings"]) for row in found["rows"]]
    assert rows == listed, "run: python -m benchmarks.small_fits"
    both = set(in_both_libraries())
    assert len(both) > 50
    assert {row[:2] for row in rows} == both


def test_small_fits_that_take_longer_than_those_of_sklearn_have_a_reason():
    rows = json.loads(small_fits.JSON.read_text(encoding="utf-8"))["rows"]
    assert {row["name"] for row in small_fits.slower(rows, "fit")} == set(small_fits.SLOWER)
    assert small_fits.slower(rows, "answer") == []


def test_small_fits_are_measured_in_both_libraries(tmp_path, monkeypatch, capsys):
    few = [one for one in small_fits.ESTIMATORS if one[1] in ("Lasso", "NearestNeighbors")]
    monkeypatch.setattr(small_fits, "ESTIMATORS", few)
    monkeypatch.setattr(small_fits, "BUDGETS", {"fit": 1e-4, "answer": 1e-4})
    path = tmp_path / "small_fits.json"
    small_fits.main(["--json", str(path)])
    found = json.loads(path.read_text(encoding="utf-8"))
    assert found.keys() == {"schema", "date", "machine", "samples", "features", "rows"}
    assert (found["samples"], found["features"]) == (200, 5)
    neighbors, lasso = found["rows"]
    assert list(lasso) == ["name", "module", "settings", "fit", "answer", "method", "excess"]
    assert (lasso["name"], lasso["module"]) == ("Lasso", "linear_model")
    assert (lasso["settings"], lasso["method"]) == ("alpha=0.1", "predict")
    assert (neighbors["settings"], neighbors["method"]) == ("", "kneighbors")
    for row in (neighbors, lasso):
        for times in (row["fit"], row["answer"]):
            assert len(times) == 2 and 0 < min(times) <= max(times) < 60e6
    assert neighbors["excess"] is None
    assert min(lasso["excess"]) == 0 <= max(lasso["excess"]) < 1e-6
    assert "Lasso, alpha=0.1" in capsys.readouterr().out


def test_objectives_of_small_fits_are_least_where_the_model_was_fitted():
    """What is minimised rises with each coefficient that is moved a little, either way."""
    X, targets = small_fits.data()
    for module, name, options, kind in small_fits.ESTIMATORS:
        if name not in small_fits.OBJECTIVES:
            continue
        options = options | ({} if name == "KMeans" else {"tol": 1e-10, "max_iter": 100_000})
        model = small_fits.fitting("sklearn", module, name, options, X, targets[kind])()
        attribute = "cluster_centers_" if name == "KMeans" else "coef_"
        value = small_fits.OBJECTIVES[name](model, X, targets[kind])
        best = getattr(model, attribute).copy()
        for place in np.ndindex(best.shape):
            for step in (-1e-2, 1e-2):
                moved = best.copy()
                moved[place] += step
                setattr(model, attribute, moved)
                assert small_fits.OBJECTIVES[name](model, X, targets[kind]) > value, name


# ---------------------------------------------------------------- intervals, tables and weights


def spoiled(output):
    """An answer that is nearly right."""
    if isinstance(output, tuple):  # of a mixture
        return output[0], output[1] + 0.3, output[2]
    if output.dtype == bool:
        return ~output
    return output + 0.3 * np.abs(output).max() * (-1.0) ** np.arange(output.shape[1])


EXTRAS = extras.cases("small")
LEVELS = [case for case in EXTRAS if case.name.startswith("levels")]
OTHERS = [case for case in EXTRAS if case not in LEVELS]


@pytest.mark.parametrize("case", LEVELS, ids=lambda case: case.name)
def test_forests_with_categories(case):
    """Those that know the levels predict better than one that takes their codes for numbers."""
    data, scores = case.make(), {}
    check_floor(case, data, {})
    for adapter in filter(runner.installed, case.adapters):
        output = adapter.query(adapter.build(data, case.options, 1), data, case.options, 1)
        quality = case.judge(output, data, {}, case.options)
        assert quality["right"] > quality["constant"] + 0.05, adapter.name
        scores[adapter.name] = quality["right"]
    shuffled = np.random.default_rng(0).permutation(output)
    quality = case.judge(shuffled, data, {}, case.options)
    assert quality["right"] < quality["constant"] + 0.1
    assert {"litlearn", "sklearn", "sklearn-boosting"} <= set(scores)
    assert scores["litlearn"] > scores["sklearn"] + 0.01, scores


@pytest.mark.parametrize("case", OTHERS, ids=lambda case: case.name)
def test_extra_cases(case):
    """All that are installed count as right, and agree on the coverage; other answers do not."""
    data, again = case.make(), case.make()
    for name, array in data.items():
        np.testing.assert_array_equal(array, again[name])
    assert data["X"].shape == (case.facts["n"], case.facts["p"])
    best, coverages = case.reference(data, case.options), []
    check_floor(case, data, best)
    for adapter in filter(runner.installed, case.adapters):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # MAPIE warns of what changes in its next version
            output = adapter.query(adapter.build(data, case.options, 1), data, case.options, 1)
        quality = case.judge(output, data, best, case.options)
        assert quality["right"] == 1.0, (adapter.name, quality)
        assert case.judge(spoiled(output), data, best, case.options)["right"] < 0.5
        coverages.append(quality.get("coverage", 0.9))
    np.testing.assert_allclose(coverages, 0.9, atol=0.035)


def test_extra_cases_are_well_formed():
    for size in ("small", "full"):
        cases = extras.cases(size)
        assert len({case.name for case in cases}) == len(cases) == 11
        for case in cases:
            assert [adapter.ours for adapter in case.adapters].count(True) == 1
