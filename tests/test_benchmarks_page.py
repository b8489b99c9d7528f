"""What the page *Performance* says of results, on records whose answers are known."""

import pytest

from benchmarks.page import accuracy, cases, costs, sizes, times


def record(name, build, query, **others):
    """A record of an implementation that finished, with one round."""
    seconds = build + query
    about = {"adapter": name, "label": name.title(), "package": name, "ours": name == "litlearn"}
    told = {"error": None, "quality": {"right": 1.0}, "rounds": [seconds], "first_call": 1.0}
    told |= {"memory": 2_000_000, "working_memory": 1_000_000, "first_call_memory": 10**6}
    return about | told | {"seconds": seconds, "build": build, "query": query} | others


def case(*records, **others):
    """A case of brute force with these records, in which litlearn is compared with the fastest."""
    fastest = min(records[1:], key=lambda one: one["seconds"])
    ratio = records[0]["seconds"] / fastest["seconds"]
    facts = {"n": 20_000, "p": 3, "data": "uniform", "dtype": "float32", "self": False}
    told = {"name": "brute-uniform", "group": "Brute force", "work": "brute", "facts": facts}
    told |= {"ratio": ratio, "fastest": fastest["adapter"], "results": list(records)}
    told |= {"skipped": {}, "aim": 0.9, "aim_peer": None, "aim_ratio": ratio}
    return told | {"aim_met": ratio <= 0.9, "floor_ratio": 2.0} | others


@pytest.fixture
def faster():
    return case(record("litlearn", 0.2, 0.3), record("scipy", 0.1, 0.9))


@pytest.fixture
def slower():
    return case(record("litlearn", 0.2, 0.9), record("scipy", 0.1, 0.9))


def test_families_are_in_the_order_of_the_book():
    names = list(cases.families())
    assert names[: len(cases.FIRST)] == cases.FIRST and set(cases.LATER) <= set(names)


def test_label_says_what_was_measured(faster):
    assert cases.label(faster) == "uniform, 20\N{NARROW NO-BREAK SPACE}000 × 3, float32"
    faster["facts"]["self"] = True
    assert cases.label(faster).startswith("uniform on itself, ")


def test_losses_are_named_with_their_ratios(faster, slower):
    told = times.losses([{"cases": [faster, slower]}])
    assert "Slower than the fastest peer in 1 of 2 cases." in told
    assert "float32: 1.10 times the time of Scipy" in told
    assert "In 1 of the other 1 cases" in told
    assert "building alone: 2.00 times the time of Scipy" in told


def test_a_part_that_hardly_matters_is_not_counted():
    quick = case(record("litlearn", 0.002, 0.3), record("scipy", 0.001, 0.9))
    assert list(times.slower_parts([quick])) == []


def test_cases_turn_if_rounds_contradict_each_other(faster):
    assert list(times.turned([faster])) == []
    faster["results"][0]["rounds"] = [0.5, 1.2]
    faster["results"][1]["rounds"] = [1.0, 1.0]
    assert list(times.turned([faster])) == [faster]


def test_missed_aims_are_named(faster, slower):
    told = times.aims([{"cases": [faster, slower]}])
    assert "missed in 1 of 2 cases" in told and "ratio 1.10, aim 0.9" in told


def test_times_mark_the_fastest_and_what_is_not_right(slower):
    slower["results"][0]["quality"]["right"] = 0.9
    told = times.times({"cases": [slower]}, "Brute force")
    assert "| 1.1† | 1\\* |" in told


def test_what_was_left_out_is_counted(faster, slower):
    slower["skipped"] = {"faiss": "takes no float64"}
    told = times.left_out([{"cases": [faster, slower]}])
    assert told == "- faiss (takes no float64): 1 of 2 cases"


def test_wrong_answers_are_listed(faster):
    assert accuracy.wrong([{"cases": [faster]}]) == "None."
    faster["results"][1]["quality"]["right"] = 0.5
    assert "Scipy: Brute force" in accuracy.wrong([{"cases": [faster]}])


def test_memory_is_compared_with_the_most_frugal_peer(faster, slower):
    slower["results"][0]["working_memory"] = 4_000_000
    left_out = {"family": "multiclass", "cases": [slower]}  # other processes are not counted
    told = costs.memory([{"family": "knn", "cases": [faster, slower]}, left_out])
    assert "With the first call: 0 of 2." in told
    assert "Without the first call: 1 of 2, by up to 3 MB" in told


def test_late_first_calls_are_named(faster, slower):
    slower["results"][0]["first_call"] = 20.0
    calls = [faster, faster, slower]
    assert [call for call, _, _ in costs.late(calls)] == [20.0]


def test_all_exponents_have_a_row_for_each_call():
    row = {"name": "Ridge", "settings": "", "call": "fit", "derived": 1, "exponents": [-0.5, 1.0]}
    told = sizes.every_exponent([row | {"over": "n"}, row | {"over": "p", "derived": (1, 2)}])
    assert told[-1] == "| Ridge | fit | 1: −0.50, 1.00 | 1 to 2: −0.50, 1.00 |  |  |"
