"""For those who look around: names that are not here, and the text of ``help``."""

import copy
import importlib
import inspect
import pickle
import re
import subprocess
import sys

import pytest

import litlearn
from litlearn._core import guide


def run(code):
    command = [sys.executable, "-c", code]
    result = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert result.returncode == 0, result.stderr
    return result.stdout


@pytest.mark.parametrize("space", litlearn._NAMESPACES)
def test_each_namespace_has_the_guide(space):
    module = importlib.import_module(f"litlearn.{space}")
    # The exceptions ask it only when a name is not there: the core imports them.
    home = "litlearn.exceptions" if space == "exceptions" else "litlearn._core.guide"
    assert module.__getattr__.__module__ == home
    with pytest.raises(AttributeError, match=f"^module 'litlearn.{space}' has no attribute 'x_y'$"):
        module.x_y  # noqa: B018


@pytest.mark.parametrize("space", guide.ELSEWHERE)
def test_a_name_of_scikit_learns_is_found_there(space):
    module = importlib.import_module(f"litlearn.{space}")
    for name in guide.ELSEWHERE[space].split():
        assert not hasattr(module, name) and getattr(module, name, None) is None
        told = f"litlearn.{space}.* has no attribute '{name}'. scikit-learn has it .from sklearn."
        with pytest.raises(AttributeError, match=f"{told}{space} import {name}.,.* in one pipe"):
            getattr(module, name)
        with pytest.raises(ImportError, match=f"cannot import name '{name}'.*{told}"):
            exec(f"from litlearn.{space} import {name}")
    with pytest.raises(ImportError, match=f"cannot import name 'x_y' from 'litlearn.{space}'"):
        exec(f"from litlearn.{space} import x_y")


def test_no_name_of_scikit_learns_is_forgotten_or_made_up():
    for space in litlearn._NAMESPACES:
        try:
            theirs = importlib.import_module(f"sklearn.{space}")
        except ImportError:
            assert space not in guide.ELSEWHERE
            continue
        ours = importlib.import_module(f"litlearn.{space}")
        known = set(guide.ELSEWHERE.get(space, "").split())
        assert not known & set(ours.__all__)
        made_up = [name for name in known if not hasattr(theirs, name)]
        assert not made_up, "not in this version of scikit-learn"
        if hasattr(theirs, "__all__"):
            assert set(theirs.__all__) - set(ours.__all__) <= known
        else:  # a file: what it defines
            own = {name for name, value in vars(theirs).items() if isinstance(value, type)}
            own = {name for name in own if getattr(theirs, name).__module__ == theirs.__name__}
            assert own - set(ours.__all__) <= known


def test_namespaces_of_scikit_learns_are_found_there():
    theirs = set(importlib.import_module("sklearn").__all__) | {"utils"}
    for name in guide.NAMESPACES.split():
        assert name in theirs and not hasattr(litlearn, name)
        with pytest.raises(AttributeError, match=f"scikit-learn has it .import sklearn.{name}."):
            getattr(litlearn, name)
        with pytest.raises(ImportError, match=f"cannot import name '{name}'.*import sklearn"):
            exec(f"from litlearn import {name}")
    lacking = {name for name in theirs - set(litlearn.__all__) if name.islower()}
    functions = {"clone", "get_config", "set_config", "config_context", "show_versions"}
    assert lacking - functions - set(guide.NAMESPACES.split()) <= {"externals"}


def test_asking_for_a_name_imports_no_scikit_learn_and_disturbs_no_protocol():
    code = """
import copy, pickle, sys
import litlearn.ensemble as ensemble
assert not hasattr(ensemble, "IsolationForest") and not hasattr(ensemble, "__wrapped__")
assert getattr(ensemble, "IsolationForest", 5) == 5 and "IsolationForest" not in dir(ensemble)
try:
    pickle.dumps(ensemble)
except TypeError as error:
    print(error)
assert "sklearn" not in sys.modules
"""
    assert run(code) == "cannot pickle 'module' object\n"
    assert copy.copy(litlearn.svm.SVC()).C == pickle.loads(pickle.dumps(litlearn.svm.SVC())).C


def check_names_in_errors():
    checked = set()
    for space in litlearn._NAMESPACES:
        module = importlib.import_module(f"litlearn.{space}")
        for name in module.__all__:
            kind = getattr(module, name)
            if not (isinstance(kind, type) and hasattr(kind, "fit")):
                continue
            kinds = {p.kind for p in inspect.signature(kind.fit).parameters.values()}
            if inspect.Parameter.VAR_KEYWORD not in kinds:
                with pytest.raises(TypeError, match=rf"^{name}.fit\(\) got an unexp.*'weights_'"):
                    kind.fit(None, [[1.0]], [1], weights_=None)
                checked.add(name)
            for method in ("predict", "predict_proba", "kneighbors", "decision_function"):
                if inspect.isfunction(getattr(kind, method, None)):
                    told = rf"^{name}.{method}\(\) got an unexpected keyword argument 'w_'"
                    with pytest.raises(TypeError, match=told):
                        getattr(kind, method)(None, [[1.0]], w_=None)
    weighted = "KNeighborsClassifier.fit() got an unexpected keyword argument 'sample_weight'"
    with pytest.raises(TypeError, match=re.escape(weighted)):
        litlearn.neighbors.KNeighborsClassifier().fit([[1.0]], [1], sample_weight=[1.0])
    print(len(checked))


def test_a_wrong_argument_is_told_with_the_name_of_the_class():
    # In a process of its own: this one may have loaded Sphinx, which shows classes as they are.
    imports = "import importlib, inspect, re, litlearn, litlearn.neighbors, pytest\n"
    check = inspect.getsource(check_names_in_errors) + "\ncheck_names_in_errors()"
    assert int(run(imports + check)) > 40


# --- help ------------------------------------------------------------------------------------


def test_help_shows_no_roles():
    code = """
import importlib, inspect, pydoc, re
import litlearn
seen = 0
for space in litlearn._NAMESPACES:
    module = importlib.import_module(f"litlearn.{space}")
    for name in module.__all__:
        if callable(getattr(module, name)):
            shown = pydoc.plain(pydoc.render_doc(getattr(module, name)))
            assert not re.search(r":[a-z]+(:[a-z]+)*:`", shown), (space, name)
            seen += 1
assert seen > 80, seen
print(inspect.getdoc(litlearn.neighbors.KNeighborsClassifier).splitlines()[2])
"""
    expected = "Implements (eq-knn-classification) with the neighbourhood (eq-k-neighborhood).\n"
    assert run(code) == expected


def test_pages_of_the_book_keep_the_roles():
    code = """
import sphinx
from litlearn.neighbors import KNeighborsClassifier
print(KNeighborsClassifier.__doc__.splitlines()[2].strip())
"""
    assert ":eq:`eq-knn-classification`" in run(code)


def test_roles_become_words():
    text = "By :eq:`eq-minkowski`, :prf:ref:`alg-kmeans`: :func:`f` of :class:`~litlearn.svm.SVC`"
    assert guide.plain(text) == "By (eq-minkowski), (alg-kmeans): `f` of `SVC`"
    assert guide.plain("the share :math:`R^2`, see :mod:`x`") == "the share R^2, see `x`"
    cited = "As :cite:t:`ross_incremental_2008`; twice :cite:p:`golub_block_1981`; ``:eq:``"
    assert guide.plain(cited) == "As Ross (2008); twice (Golub 1981); ``:eq:``"


def test_a_name_is_looked_for_once(monkeypatch):
    """What a namespace loads when it is first asked for stands in it from then on."""
    from litlearn import decomposition
    from litlearn._core import guide

    first = decomposition.PCA
    monkeypatch.setattr(guide, "prepare", None)  # nobody prepares it again
    assert decomposition.PCA is first is vars(decomposition)["PCA"]
