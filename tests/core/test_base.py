"""What every estimator shares: parameters, pickles, scores, answers to scikit-learn."""

import importlib
import importlib.metadata
import inspect
import pickle
import sys
import types

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn import metrics
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.utils import get_tags

import litlearn
from doubler import Constant, run
from litlearn import exceptions
from litlearn._core.base import (
    BaseEstimator,
    ClassifierMixin,
    MultiOutputMixin,
    TransformerMixin,
)
from litlearn._core.to_sklearn import OURS_ALONE


class Echo(ClassifierMixin, BaseEstimator):
    """Predicts the classes in its first column."""

    def fit(self, X, y):
        self.fitted_ = True
        return self

    def predict(self, X):
        return np.asarray(X)


class Doubler(TransformerMixin, BaseEstimator):
    def fit(self, X, y=None):
        self.n_features_in_ = np.shape(X)[1]
        return self

    def transform(self, X):
        return 2 * np.asarray(X)

    def get_feature_names_out(self, input_features=None):
        return np.array([f"twice{j}" for j in range(self.n_features_in_)], dtype=object)


def test_parameters_are_listed_read_and_set():
    model = Constant(3.0, inner=Constant(1.0))
    assert Constant._get_param_names() == ["inner", "table", "value"]
    assert model.get_params(deep=False).keys() == {"inner", "table", "value"}
    assert model.get_params()["inner__value"] == 1.0
    assert model.set_params(value=2.0, inner__value=5.0) is model
    assert (model.value, model.inner.value) == (2.0, 5.0)
    model.set_params(inner=Constant(), inner__value=7.0)
    assert model.inner.value == 7.0
    with pytest.raises(ValueError, match=r"Invalid parameter 'valeu' for estimator Constant\("):
        model.set_params(valeu=1)


def test_varargs_are_refused():
    class Bad(BaseEstimator):
        def __init__(self, *values):
            self.values = values

    with pytest.raises(RuntimeError, match="must name each of its parameters"):
        Bad().get_params()


def test_the_signature_is_that_of_init():
    signature = inspect.signature(Constant)
    assert list(signature.parameters) == ["value", "inner", "table"]
    assert list(inspect.signature(Echo).parameters) == []


def test_scikit_learn_clones():
    model = Constant(3.0, inner=Constant(1.0)).fit(np.zeros((2, 1)), [0, 1])
    copy = clone(model)
    assert repr(copy) == repr(model) and copy.inner is not model.inner
    assert not hasattr(copy, "seen_")


def test_pickle_keeps_state_and_warns_of_another_version():
    model = Constant(2.0).fit(np.zeros((3, 1)), [0, 1, 2])
    copy = pickle.loads(pickle.dumps(model))
    assert copy.__dict__ == model.__dict__
    state = model.__getstate__()
    assert state["_litlearn_version"] == litlearn.__version__
    with pytest.warns(exceptions.InconsistentVersionWarning, match="litlearn 0.0.0"):
        Constant().__setstate__({**state, "_litlearn_version": "0.0.0"})


MIXINS = (
    *(sklearn.base.ClassifierMixin, sklearn.base.RegressorMixin, sklearn.base.ClusterMixin),
    *(sklearn.base.DensityMixin, sklearn.base.TransformerMixin),
)


def public_estimators():
    for namespace in sorted(set(litlearn._NAMESPACES) - set(OURS_ALONE)):
        module = importlib.import_module(f"litlearn.{namespace}")
        for name in module.__all__:
            kind = getattr(module, name)
            if inspect.isclass(kind) and issubclass(kind, BaseEstimator):
                yield pytest.param(namespace, name, id=name)


@pytest.mark.parametrize(("namespace", "name"), list(public_estimators()))
def test_estimators_are_instances_of_scikit_learns_bases(namespace, name):
    mine = getattr(importlib.import_module(f"litlearn.{namespace}"), name)
    theirs = getattr(importlib.import_module(f"sklearn.{namespace}"), name)
    model = mine() if namespace != "multiclass" else mine(Echo())
    assert isinstance(model, sklearn.base.BaseEstimator)
    for mixin in MIXINS:
        assert isinstance(model, mixin) == issubclass(theirs, mixin), mixin
    # What is ours comes first: only what we lack is scikit-learn's.
    order = [one.__module__.partition(".")[0] for one in mine.__mro__]
    for method in ("get_params", "set_params", "__repr__", "__setstate__", "score"):
        if hasattr(theirs, method) and hasattr(mine, method):
            owner = next(i for i, one in enumerate(mine.__mro__) if method in vars(one))
            assert order[owner] == "litlearn", method


def test_scikit_learn_may_be_loaded_before_or_after():
    code = """
from litlearn._core.base import BaseEstimator, ClassifierMixin, Root, TransformerMixin
class Model(ClassifierMixin, BaseEstimator):
    pass
early = Model()
assert BaseEstimator.__mro__[-2] is Root
import sklearn.base
assert not isinstance(early, sklearn.base.BaseEstimator)
late = Model()
for model in (early, late):
    assert isinstance(model, sklearn.base.BaseEstimator)
    assert isinstance(model, sklearn.base.ClassifierMixin)
    assert not isinstance(model, sklearn.base.RegressorMixin)
assert Root not in Model.__mro__
class Shift(TransformerMixin, BaseEstimator):
    def fit(self, X, y=None):
        self.shift_ = 1
        return self
    def transform(self, X):
        return X + self.shift_
    def get_feature_names_out(self):
        return ["a"]
import numpy
print(Shift().fit_transform(numpy.zeros((1, 1))))
print(Shift().set_output(transform="pandas").fit_transform(numpy.zeros((1, 1))).columns[0])
"""
    assert run(code) == "[[1.]]\na\n"


def test_a_class_of_both_packages_stays_usable():
    """Theirs before ours: no order of look-up would hold theirs behind ours as well."""
    code = """
from litlearn._core.base import BaseEstimator, ClassifierMixin
import sklearn.base
class Own(ClassifierMixin, BaseEstimator):
    pass
class Both(sklearn.base.ClassifierMixin, Own):
    pass
for model in (Own(), Both(), Own()):
    print(isinstance(model, sklearn.base.BaseEstimator))
print(isinstance(Both(), sklearn.base.ClassifierMixin), repr(Both()))
"""
    assert run(code) == "True\nTrue\nTrue\nTrue Both()\n"


def test_tags():
    tags = get_tags(Constant())
    assert tags.estimator_type == "regressor" and tags.target_tags.required
    assert is_regressor(Constant()) and is_classifier(Echo()) and not is_classifier(Constant())

    class Several(MultiOutputMixin, Constant):
        pass

    assert get_tags(Several()).target_tags.multi_output
    assert get_tags(Doubler()).transformer_tags is not None


def test_without_scikit_learn_there_are_no_tags_and_no_requests():
    code = """
from litlearn._core.base import BaseEstimator, ClassifierMixin
class Model(ClassifierMixin, BaseEstimator):
    def fit(self, X, y, sample_weight=None):
        return self
for call in (Model().__sklearn_tags__, Model().get_metadata_routing,
             lambda: Model().set_fit_request(sample_weight=True)):
    try:
        call()
    except RuntimeError as error:
        print("scikit-learn" in str(error) or "sklearn" in str(error))
import sys
print("sklearn" in sys.modules)
"""
    assert run(code) == "True\nTrue\nTrue\nFalse\n"


def test_metadata_requests_route_sample_weights():
    from sklearn.model_selection import cross_validate

    with pytest.raises(RuntimeError, match="metadata routing is enabled"):
        Constant().set_fit_request(sample_weight=True)
    assert not hasattr(Echo, "set_fit_request") and hasattr(Echo, "set_score_request")
    with sklearn.config_context(enable_metadata_routing=True):
        model = Constant().set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        assert clone(model).get_metadata_routing().fit.requests == {"sample_weight": True}
        with pytest.raises(TypeError, match="Unexpected args"):
            Constant().set_fit_request(foo=True)
        y, weight = np.arange(12.0), np.arange(1.0, 13)
        done = cross_validate(
            model,
            np.zeros((12, 1)),
            y,
            params={"sample_weight": weight},
            return_estimator=True,
            cv=3,
        )
        np.testing.assert_array_equal(done["estimator"][0].weights_, weight[4:])
        expected = metrics.r2_score(y[:4], np.zeros(4), sample_weight=weight[:4])
        assert done["test_score"][0] == pytest.approx(expected)


def test_set_output_chooses_the_container():
    X = pd.DataFrame({"a": [1.0, 2.0], "b": [3.0, 4.0]}, index=["x", "y"])
    plain = Doubler().fit_transform(X)
    assert isinstance(plain, np.ndarray)
    frame = Doubler().set_output(transform="pandas").fit(X).transform(X)
    assert list(frame.columns) == ["twice0", "twice1"] and list(frame.index) == ["x", "y"]
    np.testing.assert_array_equal(frame, plain)
    with sklearn.config_context(transform_output="pandas"):
        assert isinstance(Doubler().fit_transform(X), pd.DataFrame)
        assert isinstance(Doubler().set_output(transform="default").fit_transform(X), np.ndarray)
    kept = clone(Doubler().set_output(transform="pandas"))
    assert isinstance(kept.fit_transform(X), pd.DataFrame)
    with pytest.raises(ValueError, match="'transform' parameter of Doubler"):
        Doubler().set_output(transform="arrow")


def test_set_output_knows_polars(monkeypatch):
    frames = types.SimpleNamespace(DataFrame=lambda values, **options: (values.tolist(), options))
    monkeypatch.setitem(sys.modules, "polars", frames)
    values, options = Doubler().set_output(transform="polars").fit_transform(np.ones((1, 2)))
    assert values == [[2.0, 2.0]]
    assert options == {"schema": ["twice0", "twice1"], "orient": "row"}


@pytest.mark.parametrize("n_outputs", [None, 1, 3])
@pytest.mark.parametrize("weighted", [False, True])
def test_regression_score_is_scikit_learns(n_outputs, weighted):
    rng = np.random.default_rng(0)
    shape = (30,) if n_outputs is None else (30, n_outputs)
    y, value = rng.normal(size=shape), rng.normal(size=shape)
    weight = rng.random(30) if weighted else None
    score = Constant(value).score(np.zeros((30, 1)), y, sample_weight=weight)
    assert score == pytest.approx(metrics.r2_score(y, value, sample_weight=weight), abs=1e-12)


def test_regression_score_of_constant_or_single_targets():
    X = np.zeros((4, 1))
    assert Constant(np.ones(4)).score(X, np.ones(4)) == 1.0
    assert Constant(np.zeros(4)).score(X, np.ones(4)) == 0.0
    with pytest.warns(sklearn.exceptions.UndefinedMetricWarning, match="fewer than two samples"):
        assert np.isnan(Constant(np.ones(1)).score(X[:1], [1.0]))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kind", ["int", "str", "bool", "indicator"])
def test_classification_score_is_scikit_learns(kind, weighted):
    rng = np.random.default_rng(1)
    shape = (40, 3) if kind == "indicator" else (40,)
    y, predicted = rng.integers(0, 2, size=(2, *shape))
    if kind in ("str", "bool"):
        y, predicted = (a.astype(bool) if kind == "bool" else a.astype(str) for a in (y, predicted))
    weight = rng.random(40) if weighted else None
    score = Echo().score(predicted, y, sample_weight=weight)
    expected = metrics.accuracy_score(y, predicted, sample_weight=weight)
    assert score == pytest.approx(expected, abs=1e-12)


def test_scores_refuse_what_does_not_fit():
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        Echo().score(np.zeros(4), np.zeros(5))
    with pytest.raises(ValueError, match="predictions are of type"):
        Echo().score(np.zeros(4), ["a"] * 4)
    with pytest.raises(ValueError, match="sample_weight has shape"):
        Echo().score(np.zeros(4), np.zeros(4), sample_weight=np.ones(3))
    with pytest.raises(ValueError, match="y has shape"):
        Constant(np.zeros((4, 2))).score(np.zeros((4, 1)), np.zeros((4, 3)))
    with pytest.raises(ValueError, match="y contains NaN"):
        Constant(np.zeros(2)).score(np.zeros((2, 1)), [1.0, np.nan])


def test_importing_the_package_loads_nothing_heavy():
    code = """
import sys
import litlearn
heavy = {"numba", "numpy", "scipy", "sklearn", "matplotlib"} & set(sys.modules)
assert not heavy, heavy
assert "neighbors" in dir(litlearn)
litlearn.neighbors.KNeighborsClassifier
assert "sklearn" not in sys.modules and "matplotlib" not in sys.modules
assert "scipy.sparse" not in sys.modules and "scipy.spatial" not in sys.modules
try:
    litlearn.nothing
except AttributeError as error:
    print(error)
"""
    assert run(code) == "module 'litlearn' has no attribute 'nothing'\n"


def test_importing_the_neighbours_compiles_nothing():
    code = """
import sys
from numba.core.dispatcher import Dispatcher
import litlearn.neighbors
functions = [
    value
    for name, module in sorted(sys.modules.items())
    if name.startswith("litlearn")
    for value in vars(module).values()
    if isinstance(value, Dispatcher)
]
assert functions
print(sum(len(function.signatures) for function in functions))
"""
    assert run(code) == "0\n"


def test_namespaces_load_on_first_use():
    for name in litlearn.__all__:
        assert getattr(litlearn, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'svm_lite'"):
        _ = litlearn.svm_lite
