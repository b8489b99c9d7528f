"""What an estimator looks like: in a terminal, and in a notebook."""

import re

import numpy as np
import sklearn

from doubler import Constant, run


def test_repr_shows_changed_parameters_only():
    assert repr(Constant()) == "Constant()"
    assert repr(Constant(2, inner=Constant(1))) == "Constant(inner=Constant(value=1), value=2)"
    assert repr(Constant(np.nan)) == "Constant(value=nan)"
    long = repr(Constant(table=np.arange(900).reshape(30, 30)))
    assert len(long) < 300 and "..." in long


HTML = """
from litlearn._core.base import BaseEstimator
class Model(BaseEstimator):
    def __init__(self, name="<b>", inner=None):
        self.name = name
        self.inner = inner
outer = Model("a & b", Model())
outer.inner.fitted_ = 1
print(outer._repr_html_())
import sys
assert "sklearn" not in sys.modules
"""


def test_a_notebook_shows_parameters_without_scikit_learn():
    page = run(HTML)
    assert page.count("<details>") == 2 == page.count("</details>")
    assert "a &amp; b" in page and "&lt;b&gt;" in page and "<b>" not in page
    states = re.findall("</code> ((?:not )?fitted)</summary>", page)
    assert states == ["not fitted", "fitted"]
    changed = re.findall(r"font-weight: bold[^>]*>(\w+)</td>", page)
    assert changed == ["inner", "name"], "of the outer one; the inner one has its defaults"
    tags = re.findall(r"<(/?)(\w+)", page)
    opened = []
    for closing, tag in tags:
        assert not closing or opened.pop() == tag
        opened += [] if closing else [tag]
    assert not opened


def test_a_notebook_shows_what_scikit_learn_shows():
    model = Constant(3.0)
    assert "sk-estimator" in model._repr_html_() and "Constant" in model._repr_html_()
    with sklearn.config_context(display="text"):
        assert model._repr_html_() is None
        assert "text/html" not in model._repr_mimebundle_()
