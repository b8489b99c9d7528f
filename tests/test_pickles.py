"""Pickles that other versions wrote: read with a warning and the same answers, or refused.

``pickles.json`` holds, for each version that wrote them, small fitted estimators, and what they
said of the first five of `samples` then. A release adds its own (``keep_pickles.py``); none is ever
made again.
"""

import base64
import copy
import json
import pickle
import warnings

import numpy as np
import pytest

import litlearn
from keep_pickles import STORED as FILE
from keep_pickles import answers
from litlearn._core import pickles
from litlearn.exceptions import InconsistentVersionWarning, NotFittedError
from litlearn.linear_model import LogisticRegression, Ridge
from litlearn.naive_bayes import GaussianNB
from litlearn.neighbors import KNeighborsClassifier
from litlearn.tree import DecisionTreeClassifier

STORED = json.loads(FILE.read_text("utf-8"))
CASES = [(version, name) for version, kept in STORED.items() for name in kept]


def packed(version, name):
    return base64.b64decode(STORED[version][name]["pickle"])


def read(data):
    """What is in a pickle, and the warnings that came with it."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        return pickle.loads(data), caught


def written_by(monkeypatch, version, model):
    """The pickle that another version would have written."""
    with monkeypatch.context() as other:
        other.setattr(litlearn, "__version__", version)
        other.setattr("litlearn._core.base.__version__", version)
        return pickle.dumps(model)


@pytest.fixture
def model():
    rng = np.random.default_rng(0)
    return GaussianNB().fit(rng.normal(size=(20, 2)), np.arange(20) % 2)


@pytest.mark.parametrize(("version", "name"), CASES)
def test_a_pickle_of_another_version_answers_as_it_did(version, name):
    model, caught = read(packed(version, name))
    own = [one.message for one in caught if one.category is InconsistentVersionWarning]
    assert len(own) == len(caught), "and no other warning"
    assert bool(own) == (version != litlearn.__version__)
    for one in own:
        assert one.original_litlearn_version == version
        assert one.current_litlearn_version == litlearn.__version__
        assert f"litlearn {version}" in str(one) and f"litlearn {litlearn.__version__}" in str(one)
    if own:
        assert type(model).__name__ in {one.estimator_name for one in own}
    found = answers(model)
    np.testing.assert_allclose(found, STORED[version][name]["answers"], rtol=1e-9, atol=1e-12)
    if hasattr(model, "get_params"):  # with parameters that did not exist then
        assert set(model.get_params(deep=False)) == set(model._get_param_names())
        assert type(model).__name__ in repr(model)
    assert not read(pickle.dumps(model))[1], "what this version writes is of this version"


def test_every_public_estimator_of_a_release_is_kept():
    """So that later versions try to read each of them."""
    if ".dev" in litlearn.__version__:
        pytest.skip("between releases")
    from keep_pickles import smoke

    public = {f"{space}.{kind.__name__}" for space, kind, _ in smoke.estimators()}
    assert set(STORED[litlearn.__version__]) == public, "run: python tests/keep_pickles.py"


def test_a_pickle_names_the_version_that_wrote_it():
    """Without that, no later version could tell."""
    for version, name in CASES:
        assert version.encode() in packed(version, name), name


def test_there_is_a_pickle_of_another_version_that_is_read():
    assert {version for version, _ in CASES} - {litlearn.__version__}


def test_a_later_major_version_is_refused_by_name(monkeypatch, model):
    """Before anything of its state is made, which may need classes that are not here."""
    data = written_by(monkeypatch, "99.1.0", model)
    with pytest.raises(pickle.UnpicklingError) as caught:
        pickle.loads(data.replace(b"numpy", b"nympu"))
    assert str(caught.value) == (
        f"GaussianNB was pickled by litlearn 99.1.0, and this is litlearn {litlearn.__version__}, "
        "which cannot read it: use litlearn 99.1.0, or fit the estimator again."
    )


def test_a_state_that_cannot_be_made_is_preceded_by_the_version(monkeypatch, model):
    data = written_by(monkeypatch, "0.9.0", model).replace(b"numpy", b"nympu")
    with (
        pytest.raises(ModuleNotFoundError, match="nympu"),
        pytest.warns(InconsistentVersionWarning, match=r"GaussianNB was pickled by litlearn 0\.9"),
    ):
        pickle.loads(data)


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_every_protocol_is_read(model, protocol):
    again, caught = read(pickle.dumps(model, protocol))
    assert not caught
    assert vars(again).keys() == vars(model).keys()


def test_classes_are_named_where_they_stay():
    """So that a file of the package may be renamed."""
    assert pickles.place_of_class(KNeighborsClassifier) == ("neighbors", "KNeighborsClassifier")
    assert b"_classification" not in pickle.dumps(KNeighborsClassifier())

    class Own(KNeighborsClassifier):
        pass

    assert pickles.place_of_class(Own) == ("", Own)
    assert type(copy.deepcopy(Own(3))) is Own and copy.copy(Own(3)).n_neighbors == 3


def test_a_missing_attribute_is_explained(monkeypatch, model):
    """It has another name in the version that wrote the pickle."""
    X = np.zeros((3, 2))
    del model.theta_
    data = written_by(monkeypatch, "0.9.0", model)
    old = read(data)[0]
    told = r"GaussianNB was pickled by litlearn 0\.9\.0, .*theta_.*: fit it again, or use it with"
    for asked in (old, copy.copy(old), copy.deepcopy(old)):
        with pytest.raises(AttributeError, match=told):
            asked.predict(X)
    # Not of an estimator that was fitted here, nor of one that was never fitted.
    old.fit(np.eye(2), [0, 1])
    del old.theta_
    with pytest.raises(AttributeError, match="^'GaussianNB' object has no attribute 'theta_'$"):
        old.predict(X)
    never = read(written_by(monkeypatch, "0.9.0", GaussianNB()))[0]
    with pytest.raises(NotFittedError, match="not fitted"):
        never.predict(X)


def test_a_parameter_that_did_not_exist_has_its_default(monkeypatch):
    model = Ridge(alpha=3.0)
    del model.positive
    old = read(written_by(monkeypatch, "0.9.0", model))[0]
    assert old.alpha == 3.0 and old.positive is False
    # In this version's own pickles nothing is made up.
    assert "positive" not in vars(read(pickle.dumps(model))[0])


def test_neighbours_of_another_version_are_found_by_a_new_index(monkeypatch):
    X = np.random.default_rng(0).normal(size=(50, 2))
    model = KNeighborsClassifier(3, algorithm="kd_tree").fit(X, np.arange(50) % 2)
    expected = model.kneighbors(X)[1]
    tree = model._index.tree
    model._index = model._index._replace(tree=tree._replace(rows=tree.rows[::-1].copy()))
    old = read(written_by(monkeypatch, "0.9.0", model))[0]
    np.testing.assert_array_equal(old.kneighbors(X)[1], expected)


def test_a_tree_without_its_nodes_says_so():
    model = DecisionTreeClassifier().fit([[0.0], [1.0]], [0, 1])
    del model.tree_.steps
    with pytest.raises(ValueError, match="Tree: the state has no steps: it is damaged, or another"):
        pickle.loads(pickle.dumps(model))


def test_a_warning_can_be_made_an_error_and_sent(monkeypatch):
    """As scikit-learn's users refuse other versions; processes hand on errors as pickles."""
    data = written_by(monkeypatch, "0.9.0", LogisticRegression())
    with warnings.catch_warnings():
        warnings.simplefilter("error", InconsistentVersionWarning)
        with pytest.raises(InconsistentVersionWarning) as caught:
            pickle.loads(data)
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value) and again.estimator_name == "LogisticRegression"
