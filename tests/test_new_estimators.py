"""No public estimator has skipped a step of "Adding an estimator" in CONTRIBUTING.md."""

import ast
import importlib
import inspect
import re
import textwrap
from pathlib import Path

import pytest
import sklearn

import litlearn
from litlearn import _warm_up
from litlearn._core.base import BaseEstimator
from litlearn._core.to_sklearn import OURS_ALONE
from litlearn._core.validation import constraints_of
from protocol import SKLEARN

ROOT = Path(__file__).resolve().parent.parent
SECTIONS = ("Parameters", "Attributes", "Notes", "Examples")
# Around other estimators: no compiled code of their own.
AROUND = ("conformal", "multiclass")
# Of several targets: fitted by `_warm_up.use_logistic`, as the table's data have one.
SEVERAL_TARGETS = ("MultiTaskElasticNet", "MultiTaskLasso")


# Without a benchmark of its own: whose solver it shares, or None where nothing measures it yet.
MEASURED_BY = {
    "ElasticNet": "Lasso",
    "ElasticNetCV": "Lasso",
    "ExtraTreeClassifier": "DecisionTreeClassifier",
    "ExtraTreeRegressor": "DecisionTreeRegressor",
    "IncrementalPCA": None,
    "KNeighborsRegressor": "NearestNeighbors",
    "KNeighborsTransformer": "NearestNeighbors",
    "KernelDensity": None,
    "LassoCV": "Lasso",
    "LogisticRegressionCV": "LogisticRegression",
    "MiniBatchKMeans": None,
    "MultiTaskElasticNet": None,
    "MultiTaskLasso": None,
    "NearestCentroid": None,
    "NuSVC": "SVC",
    "NuSVR": "SVR",
    "OutputCodeClassifier": "OneVsRestClassifier",
    "RBFSampler": None,
    "RadiusNeighborsClassifier": "NearestNeighbors",
    "RadiusNeighborsRegressor": "NearestNeighbors",
    "RadiusNeighborsTransformer": "NearestNeighbors",
    "RidgeCV": None,
    "RidgeClassifier": "Ridge",
    "RidgeClassifierCV": None,
    "SGDClassifier": None,
    "SGDRegressor": None,
    "TruncatedSVD": None,
}


def text(*patterns):
    """The text of all files of some patterns."""
    paths = [path for pattern in patterns for path in sorted(ROOT.glob(pattern))]
    return "\n".join(path.read_text(encoding="utf-8") for path in paths)


def names(name, content):
    return re.search(rf"\b{name}\b", content) is not None


def suites():
    """The text of the test files that call the shared checks, or inherit their suite."""
    paths = [path for path in ROOT.glob("tests/**/test_*.py") if path.name != Path(__file__).name]
    files = [path.read_text(encoding="utf-8") for path in paths]
    return "\n".join(
        one for one in files if re.search(r"Suite\):|check_scikit_learns_checks\(", one)
    )


def page(space):
    """The page of a namespace, or nothing."""
    path = ROOT / "book" / "api" / f"{space}.md"
    return path.read_text(encoding="utf-8") if path.exists() else ""


# What each step leaves behind, by the words in which CONTRIBUTING.md says it: a function of the
# namespace, the name and the class.


def is_public(space, name, cls):
    return (
        space in litlearn._NAMESPACES
        and name in importlib.import_module(f"litlearn.{space}").__all__
    )


def has_sections(space, name, cls):
    doc = inspect.cleandoc(vars(cls).get("__doc__") or "")
    listed = doc.split("\nParameters\n")[-1].split("\nAttributes\n")[0]
    parameters = list(inspect.signature(cls).parameters)
    return all(f"\n{one}\n{'-' * len(one)}\n" in doc for one in SECTIONS) and all(
        re.search(rf"^([\w, ]+, )?{one}(,[\w, ]+)?( : |$)", listed, re.M) for one in parameters
    )


def names_its_source(space, name, cls):
    # As it is in the source: the roles of ``cls.__doc__`` are words (litlearn._core.guide).
    definition = ast.parse(textwrap.dedent(inspect.getsource(cls))).body[0]
    doc = ast.get_docstring(definition) or ""
    return re.search(r":eq:`eq-|:cite:|:prf:ref:", doc) is not None


def has_page(space, name, cls):
    return f".. litlearn-namespace:: litlearn.{space}\n" in page(space)


def has_differences(space, name, cls):
    return "## Differences from scikit-learn" in page(space)


def has_stub(space, name, cls):
    return names(f"class {name}", text(f"src/litlearn/{space}.pyi", f"src/litlearn/{space}/*.pyi"))


def is_compiled_ahead(space, name, cls):
    cases = {(case[0], case[1]) for case in _warm_up.CASES}
    return (space, name) in cases or name in SEVERAL_TARGETS or space in AROUND


def is_in_a_suite(space, name, cls):
    return names(name, suites())


def has_their_parameters(space, name, cls):
    ours, expected = set(inspect.signature(cls).parameters), set()
    if space not in OURS_ALONE:
        theirs = getattr(importlib.import_module(f"sklearn.{space}"), name)
        expected = set(inspect.signature(theirs).parameters)
    if SKLEARN < (1, 9):
        expected.discard("n_alphas")  # which is a value of alphas since
    declared = space == "linear_model" or ours == set(constraints_of(cls))
    return expected <= ours and declared


def is_measured(space, name, cls):
    every = ("small_fits", "growth")
    paths = [path for path in ROOT.glob("benchmarks/*.py") if path.stem not in every]
    measured = text(*(str(path.relative_to(ROOT)) for path in paths))  # those are measured anyway
    other = MEASURED_BY.get(name, name)
    return name in MEASURED_BY if other is None else names(other, measured)


def is_in_the_changes(space, name, cls):
    return names(name, text("CHANGELOG.md"))


STEPS = {
    "public name": is_public,
    "scikit-learn's parameters": has_their_parameters,
    "docstring": has_sections,
    "equation": names_its_source,
    "stub": has_stub,
    "warm-up": is_compiled_ahead,
    "shared suite": is_in_a_suite,
    "benchmark": is_measured,
    "API page": has_page,
    "differences": has_differences,
    "change log": is_in_the_changes,
}


def skipped(space, name, cls):
    return [step for step, done in STEPS.items() if not done(space, name, cls)]


def public_estimators():
    for space in litlearn._NAMESPACES:
        module = importlib.import_module(f"litlearn.{space}")
        for name in getattr(module, "__all__", ()):
            value = getattr(module, name)
            if inspect.isclass(value) and issubclass(value, BaseEstimator):
                yield pytest.param(space, name, value, id=name)


@pytest.mark.thread_unsafe(reason="ast.parse of Python 3.11 is none")
@pytest.mark.parametrize(("space", "name", "cls"), list(public_estimators()))
def test_no_step_was_skipped(space, name, cls):
    missing = skipped(space, name, cls)
    assert not missing, f"litlearn.{space}.{name}: see CONTRIBUTING.md on {', '.join(missing)}"


def test_every_skipped_step_is_noticed(monkeypatch):
    class Newcomer(BaseEstimator):
        """Something new."""

        def __init__(self, depth=1):
            self.depth = depth

    monkeypatch.setattr(sklearn, "novel", None, raising=False)
    monkeypatch.setitem(importlib.sys.modules, "sklearn.novel", type(sklearn)("sklearn.novel"))
    theirs = type("Newcomer", (), {"__init__": lambda self, width=1: None})
    importlib.sys.modules["sklearn.novel"].Newcomer = theirs
    assert skipped("novel", "Newcomer", Newcomer) == list(STEPS)


def test_nothing_is_excused_that_is_measured():
    families = [path.stem for path in ROOT.glob("benchmarks/results/*.json")]
    measured = text(*(f"benchmarks/{family}.py" for family in families))
    assert not [name for name in MEASURED_BY if names(name, measured)]


def test_the_steps_are_those_of_the_page():
    section = text("CONTRIBUTING.md").split("\n### Adding an estimator\n")[1].split("\n### ")[0]
    told = re.findall(r"^\d+\. \*\*(.+?)\*\*", section, re.M)
    assert [one.lower() for one in told] == [one.lower() for one in STEPS]
