"""The list of differences that scikit-learn's own tests find, and the command that judges by it."""

import json
import tomllib
from pathlib import Path

import compat
import pytest

ROOT = Path(__file__).parents[1]
WANTED, KINDS, ENTRIES = compat.known()


def entry(tests, kind="solver"):
    return compat.Entry("tree", tests, kind, "because")


def test_patterns():
    assert entry("test_a.py::test_b").means("test_a.py::test_b")
    assert entry("test_a.py::test_b").means("test_a.py::test_b[1-x]")
    assert not entry("test_a.py::test_b").means("test_a.py::test_bc")
    assert not entry("test_a.py::test_b").means("other_test_a.py::test_b")
    assert entry("test_a.py::test_b[*-x]").means("test_a.py::test_b[1.5-x]")
    assert not entry("test_a.py::test_b[*-x]").means("test_a.py::test_b[1-xy]")
    assert not entry("test_a.py::test_b[1.5]").means("test_a.py::test_b[125]")


def test_what_is_wrong():
    listed = [entry("t.py::a"), entry("t.py::b[1]", "private")]
    kinds, wrong = compat.judge(listed, ["t.py::c"], {"t.py::a": "", "t.py::b[1]": ""}, whole=True)
    assert not wrong and kinds == {"solver": 1, "private": 1}
    _, wrong = compat.judge(listed, ["t.py::b[1]"], {"t.py::a": "", "t.py::d": "why"}, whole=True)
    assert wrong == ["fails: t.py::d: why", "is listed, and passes: t.py::b[1]"]
    _, wrong = compat.judge(listed, [], {"t.py::a": ""}, whole=True)
    assert wrong == ["is listed, and was not run, or fails with theirs, too: t.py::b[1]"]
    assert not compat.judge(listed, [], {"t.py::a": ""}, whole=False)[1]
    assert not compat.judge([entry("t.py::a", "rounding")], ["t.py::a"], {}, whole=True)[1]


def test_the_list():
    assert {one.kind for one in ENTRIES} == set(KINDS)
    for one in ENTRIES:
        files = {f"{name.split('.')[-1]}.py" for name in compat.FAMILIES[one.family]}
        assert one.tests.split("::")[0] in files, one
        assert one.reason.endswith("."), one
    content = tomllib.loads(compat.KNOWN.read_text(encoding="utf-8"))
    assert set(content) == {"scikit-learn", "kinds", *(one.family for one in ENTRIES)}


def test_versions_and_shares():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert f"scikit-learn=={WANTED}" in project["optional-dependencies"]["notebooks"]
    shares = json.loads(compat.SHARES.read_text(encoding="utf-8"))
    assert list(shares) == list(compat.FAMILIES)
    assert all(one["passed"] >= compat.AIM * one["count"] for one in shares.values())
    passed, count = (sum(one[key] for one in shares.values()) for key in ("passed", "count"))
    said = f"{passed} of {count}"
    assert said in (ROOT / "README.md").read_text(encoding="utf-8"), said


@pytest.mark.parametrize("namespace", compat.FAMILIES)
def test_namespaces(namespace):
    """There is something to replace, and what is replaced has the same name."""
    ours = __import__(f"litlearn.{namespace}", fromlist=["*"])
    theirs = __import__(f"sklearn.{namespace}", fromlist=["*"])
    assert any(hasattr(theirs, name) for name in ours.__all__)
