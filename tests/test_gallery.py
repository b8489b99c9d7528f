"""`make gallery`: what is said of a script that leaves the same numbers, others, or an error."""

import gallery
import numpy as np
import pytest

SAME = """
from sklearn.datasets import load_iris
from sklearn.svm import SVC
X, y = load_iris(return_X_y=True)
wrong = (SVC().fit(X, y).predict(X) != y).sum()
print("wrong:", wrong)
"""
OTHER = SAME + "\nprint('ours' if 'litlearn' in SVC.__module__ else 1.5)\n"
FAILS = SAME + "\nassert 'litlearn' not in SVC.__module__\n"


@pytest.mark.weekly(keep=1)
@pytest.mark.parametrize(
    ("script", "outcome"),
    [(SAME, "same"), (OTHER, "differs"), (FAILS, "fails"), ("import sklearn.nothing", "left out")],
)
def test_a_script_is_judged(tmp_path, script, outcome):
    path = tmp_path / "example.py"
    path.write_text(script, encoding="utf-8")
    found = gallery.judge(path)
    assert found["outcome"] == outcome
    if outcome == "same":
        assert found["used"] == ["svm.SVC"] and found["compared"] >= 3
    if outcome == "differs":
        assert list(found["far"]) == ["printed"]


def test_labels_are_compared_by_their_share_and_numbers_by_their_size():
    labels, other = np.arange(10.0), np.arange(10.0)
    other[0] = 7.0
    assert gallery.distance(labels, other) == 0.1
    assert gallery.distance(np.array([1.5, 200.5]), np.array([1.5, 200.0])) == pytest.approx(0.0025)
    assert gallery.distance(np.array([np.nan, 1.5]), np.array([np.nan, 1.5])) == 0.0
    assert gallery.distance(np.zeros(2), np.zeros(3)) == np.inf
