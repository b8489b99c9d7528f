"""Pickles that other versions wrote: read with a warning and the same answers, or refused.

``pickles.json`` holds, for each version that wrote them, small fitted estimators, and what they
said of the first five of `samples` then. A release adds its own; none is ever made again.
"""

import base64
import json
import pickle
import warnings
from pathlib import Path

import numpy as np
import pytest

import litlearn
from litlearn.exceptions import InconsistentVersionWarning

STORED = json.loads((Path(__file__).parent / "pickles.json").read_text("utf-8"))
# Those that hold something that is no longer there.
REFUSED = {
    ("0.1.0", "neighbors.KNeighborsClassifier"),
    ("0.1.0", "neighbors.KNeighborsRegressor"),
}
CASES = [(version, name) for version, kept in STORED.items() for name in kept]


def samples():
    return np.random.default_rng(0).normal(size=(24, 3)).round(3)


def read(packed):
    """An estimator from a pickle, and the warnings that came with it."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        return pickle.loads(packed), caught


@pytest.mark.parametrize(("version", "name"), CASES)
def test_a_pickle_of_another_version_answers_as_it_did_or_is_refused(version, name):
    stored = STORED[version][name]
    packed = base64.b64decode(stored["pickle"])
    if (version, name) in REFUSED:
        with pytest.raises(AttributeError, match="Can't get attribute"):
            pickle.loads(packed)
        return
    model, caught = read(packed)
    own = [one for one in caught if one.category is InconsistentVersionWarning]
    assert len(own) == len(caught), "and no other warning"
    assert bool(own) == (version != litlearn.__version__)
    for one in own:
        said = str(one.message)
        assert f"litlearn {version}" in said and f"litlearn {litlearn.__version__}" in said
    ask = model.predict if hasattr(model, "predict") else model.transform
    np.testing.assert_allclose(ask(samples()[:5]), stored["answers"], rtol=1e-9, atol=1e-12)


def test_a_pickle_names_the_version_that_wrote_it():
    """Without that, no later version could tell."""
    for version, kept in STORED.items():
        for name, stored in kept.items():
            assert version.encode() in base64.b64decode(stored["pickle"]), name


def test_there_is_a_pickle_of_another_version_that_is_read():
    others = {case for case in CASES if case[0] != litlearn.__version__}
    assert others - REFUSED
