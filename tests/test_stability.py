"""What the page *What you can rely on* says: public names, and supported versions."""

import importlib
import inspect
import re
import tomllib
from pathlib import Path

import pytest

import litlearn
from litlearn._core.base import BaseEstimator

ROOT = Path(__file__).resolve().parents[1]
PAGES = ROOT / "book" / "api"
PAGE = (PAGES / "stability.md").read_text("utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def namespaces():
    """(name, module) of the public namespaces."""
    loaded = {name: importlib.import_module(f"litlearn.{name}") for name in litlearn._NAMESPACES}
    return [pytest.param(name, module, id=name) for name, module in loaded.items()]


@pytest.mark.parametrize(("name", "module"), namespaces())
def test_all_lists_public_names(name, module):
    listed = module.__all__
    assert len(listed) == len(set(listed))
    assert not [one for one in listed if one.startswith("_") or not hasattr(module, one)]
    # A class or function of ours says where it is defined: in that namespace, under that name.
    for one in listed:
        value = getattr(module, one)
        if inspect.isclass(value) or inspect.isfunction(value):
            assert value.__module__.split(".")[:2] == ["litlearn", name], one
            assert value.__name__ == one


@pytest.mark.parametrize(("name", "module"), namespaces())
def test_no_public_name_is_missing_in_all(name, module):
    """A package brings nothing else into its namespace; in a file, no estimator is forgotten."""
    found = {one: getattr(module, one) for one in dir(module) if not one.startswith("_")}
    found = {one: value for one, value in found.items() if not inspect.ismodule(value)}
    if hasattr(module, "__path__"):
        assert found.keys() - {"guide"} == set(module.__all__)
    own = {
        one
        for one, value in found.items()
        if inspect.isclass(value)
        and issubclass(value, BaseEstimator)
        and value.__module__.startswith(f"litlearn.{name}")
        and "\nExamples\n" in (value.__doc__ or "")  # a base that others share has none
    }
    assert own <= set(module.__all__)


def test_the_package_lists_its_namespaces_and_functions():
    assert set(litlearn.__all__) == {*litlearn._NAMESPACES, *litlearn._FUNCTIONS, "__version__"}
    files = {path.stem for path in (ROOT / "src" / "litlearn").glob("*.py")}
    files |= {path.parent.name for path in (ROOT / "src" / "litlearn").glob("*/__init__.py")}
    assert {name for name in files if not name.startswith("_")} == set(litlearn._NAMESPACES)


def covered(folder):
    """What the API pages list: namespaces, and single functions of the package."""
    pages = "\n".join(path.read_text("utf-8") for path in sorted(folder.glob("*.md")))
    spaces = re.findall(r"^\.\. litlearn-namespace:: litlearn\.(\w+)$", pages, re.M)
    return spaces, re.findall(r"^\.\. autofunction:: litlearn\.(\w+)$", pages, re.M)


def test_the_api_pages_cover_every_public_name(tmp_path):
    """A namespace's directive lists its ``__all__``, in a table and with an entry for each name."""
    spaces, functions = covered(PAGES)
    assert sorted(spaces) == sorted(litlearn._NAMESPACES), "each of them once"
    assert sorted(functions) == sorted(litlearn._FUNCTIONS)
    (tmp_path / "tree.md").write_text(".. litlearn-namespace:: litlearn.tree\n")
    assert covered(tmp_path) == (["tree"], [])


def test_supported_versions_are_those_that_pip_asks_for():
    rows = re.findall(r"^\| ([\w, -]+) \| ([\d.]+) \| ", PAGE, re.M)
    told = {name: version for names, version in rows for name in names.split(", ")}
    extras = PROJECT["optional-dependencies"]
    asked = [*PROJECT["dependencies"], *extras["plot"], *extras["dask"], *extras["test"]]
    bounds = {}
    for one in asked:
        if match := re.match(r"([\w-]+)(?:\[[\w,]+\])?>=([\d.]+)$", one):
            bounds.setdefault(match[1], match[2])
    python = PROJECT["requires-python"].removeprefix(">=")
    assert told.pop("Python") == python
    needed = {re.match(r"[\w-]+", one)[0] for one in PROJECT["dependencies"]}
    assert {name.lower() for name in told} >= needed | {"scikit-learn", "matplotlib", "dask"}
    assert {name.lower(): version for name, version in told.items()} == {
        name.lower(): bounds[name.lower()] for name in told
    }
    tested = re.search(r"(3\.\d+) to (3\.\d+) are tested", PAGE)
    minors = [one[-4:] for one in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", one)]
    assert [tested[1], tested[2]] == [minors[0], minors[-1]]


def test_the_example_of_the_page_refuses_other_versions(tmp_path, monkeypatch):
    from litlearn.exceptions import InconsistentVersionWarning
    from litlearn.naive_bayes import GaussianNB

    example = re.search(r"```python\n(.*?)```", PAGE, re.S)[1]
    monkeypatch.chdir(tmp_path)
    import pickle

    model = GaussianNB().fit([[0.0], [1.0]], [0, 1])
    (tmp_path / "model.pickle").write_bytes(pickle.dumps(model))
    scope = {}
    exec(example, scope)
    assert scope["model"].predict([[1.0]]) == [1]
    with monkeypatch.context() as other:
        other.setattr(litlearn, "__version__", "0.9.0")
        (tmp_path / "model.pickle").write_bytes(pickle.dumps(model))
    with pytest.raises(InconsistentVersionWarning, match=r"0\.9\.0"):
        exec(example, {})
