"""scikit-learn's own estimators, made from ours; and scikit-learn's habits."""

import importlib
import inspect
import itertools
import pickle
import subprocess
import sys

import matplotlib.pyplot as plt
import numpy as np
import pytest
import scipy.sparse
import sklearn.base
import sklearn.linear_model
import sklearn.tree as theirs
from sklearn.inspection import partial_dependence, permutation_importance

from litlearn import ensemble, linear_model, multiclass, neighbors, svm, tree
from litlearn._core import stand_in
from litlearn._core.base import BaseEstimator
from litlearn.discriminant_analysis import LinearDiscriminantAnalysis
from litlearn.exceptions import NotFittedError
from protocol import SKLEARN

RNG = np.random.default_rng(0)
X = RNG.normal(size=(200, 4)).astype(np.float32)
X[RNG.random(X.shape) < 0.1] = np.nan
QUERIES = RNG.normal(size=(300, 4)).astype(np.float32)
QUERIES[RNG.random(QUERIES.shape) < 0.2] = np.nan
TARGETS = {
    "classes": np.array(list("abcde"))[RNG.integers(0, 5, 200)],
    "two classes": np.c_[RNG.integers(0, 3, 200), RNG.integers(0, 2, 200)],
    "number": RNG.gamma(2.0, size=200),
    "two numbers": RNG.gamma(2.0, size=(200, 2)),
}
EVERY = [
    (tree.DecisionTreeClassifier(max_leaf_nodes=30), "classes"),
    (tree.DecisionTreeClassifier(criterion="misclassification"), "two classes"),
    (tree.ExtraTreeClassifier(class_weight="balanced"), "two classes"),
    (tree.DecisionTreeRegressor(max_bins=20), "number"),
    (tree.DecisionTreeRegressor(criterion="absolute_error", max_depth=5), "two numbers"),
    (tree.ExtraTreeRegressor(ccp_alpha=0.01), "number"),
    (ensemble.RandomForestClassifier(30, oob_score=True), "classes"),
    (ensemble.RandomForestClassifier(7, voting="hard", max_depth=3), "two classes"),
    (ensemble.ExtraTreesClassifier(7), "classes"),
    (ensemble.RandomForestRegressor(7, max_samples=1.5), "two numbers"),
    (ensemble.ExtraTreesRegressor(7), "number"),
]


@pytest.mark.parametrize(("model", "kind"), EVERY, ids=str)
def test_trees(model, kind):
    """All predictions are the same, with missing values and of several outputs."""
    samples, queries = X, QUERIES
    if SKLEARN < (1, 9) and model.criterion in ("misclassification", "absolute_error"):
        # Before 1.9, scikit-learn's trees took missing values for some criteria only.
        samples, queries = np.nan_to_num(X), np.nan_to_num(QUERIES)
    model.set_params(random_state=0).fit(samples, TARGETS[kind])
    other = model.to_sklearn()
    assert type(other).__module__.startswith("sklearn.")
    assert type(other).__name__ == type(model).__name__
    for some in (samples, queries):
        np.testing.assert_array_equal(model.predict(some), other.predict(some))
        np.testing.assert_array_equal(model.apply(some), other.apply(some))
        if hasattr(model, "predict_proba"):
            mine, hers = model.predict_proba(some), other.predict_proba(some)
            np.testing.assert_allclose(np.hstack(mine), np.hstack(hers), rtol=1e-12)
    np.testing.assert_allclose(model.feature_importances_, other.feature_importances_, rtol=1e-9)
    again = pickle.loads(pickle.dumps(other))
    np.testing.assert_array_equal(again.predict(queries), model.predict(queries))
    if hasattr(model, "estimators_"):
        pairs = zip(model.estimators_samples_, other.estimators_samples_, strict=True)
        assert all(np.array_equal(one, two) and one.dtype == two.dtype for one, two in pairs)
    if getattr(model, "oob_score", False):
        assert other.oob_score_ == model.oob_score_


def test_what_asks_for_scikit_learns_own():
    """Its drawing, its text, and partial dependence by recursion."""
    y = TARGETS["number"]
    model = tree.DecisionTreeRegressor(max_depth=3, random_state=0).fit(X, y)
    figure, axes = plt.subplots()
    assert len(theirs.plot_tree(model.to_sklearn(), ax=axes)) > model.tree_.node_count
    plt.close(figure)
    assert theirs.export_text(model.to_sklearn()) == tree.export_text(model)
    forest = ensemble.RandomForestRegressor(5, random_state=0).fit(np.nan_to_num(X), y)
    found = partial_dependence(forest.to_sklearn(), QUERIES[:50], [0], method="recursion")
    at = found["grid_values"][0]
    # By definition: at each node that asks another question, both ways, by the samples that went.
    expected = [recursion(one.tree_, 0, value) for value in at for one in forest.estimators_]
    expected = np.reshape(expected, (len(at), 5)).mean(axis=1)
    np.testing.assert_allclose(found["average"][0], expected, rtol=1e-9)


def recursion(grown, node, value):
    left, right = grown.children_left[node], grown.children_right[node]
    if left == -1:
        return grown.value[node, 0, 0]
    if grown.feature[node] == 0:
        return recursion(grown, left if value <= grown.threshold[node] else right, value)
    share = grown.weighted_n_node_samples[left] / grown.weighted_n_node_samples[node]
    both = recursion(grown, left, value), recursion(grown, right, value)
    return share * both[0] + (1.0 - share) * both[1]


LINEAR = [
    *(getattr(linear_model, name)() for name in ("LinearRegression", "Ridge", "Lasso")),
    *(getattr(linear_model, name)() for name in ("ElasticNet", "RidgeCV", "LassoCV")),
    *(getattr(linear_model, name)() for name in ("ElasticNetCV", "RidgeClassifier")),
    linear_model.RidgeClassifierCV(),
    linear_model.LogisticRegressionCV(Cs=2, cv=2, use_legacy_attributes=False),
    linear_model.SGDClassifier(random_state=0),
    linear_model.SGDRegressor(random_state=0),
    linear_model.LogisticRegression(C=2.0),
    svm.LinearSVC(),
    svm.LinearSVR(),
    LinearDiscriminantAnalysis(),
]


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("model", LINEAR, ids=repr)
def test_linear(model, n_classes):
    Z = np.random.default_rng(1).normal(size=(90, 3))
    classes = np.array(["no", "yes", "well"])[(Z[:, 0] > 0) + (n_classes - 2) * (Z[:, 1] > 0.5)]
    model.fit(Z, classes if hasattr(model, "decision_function") else Z @ [1.0, 2.0, 0.0])
    other = model.to_sklearn()
    assert type(other).__module__.startswith("sklearn.")
    assert other.get_params().items() <= model.get_params().items() | other.get_params().items()
    np.testing.assert_array_equal(model.predict(Z), other.predict(Z))
    for method in ("decision_function", "predict_proba", "transform"):
        if hasattr(model, method) and hasattr(other, method):
            np.testing.assert_allclose(
                getattr(model, method)(Z), getattr(other, method)(Z), rtol=1e-9, atol=1e-12
            )
    assert other.coef_ is not model.coef_


def test_a_class_of_the_users_own_becomes_that_of_its_nearest_ancestor():
    class Ridge(linear_model.Lasso):
        pass

    model = Ridge(alpha=0.1).fit(np.eye(5), np.arange(5.0))
    assert type(model.to_sklearn()) is sklearn.linear_model.Lasso


def test_several_labels():
    Z = np.random.default_rng(1).normal(size=(90, 3))
    model = linear_model.RidgeClassifier().fit(Z, (Z[:, :2] > 0).astype(int))
    np.testing.assert_array_equal(model.predict(Z), model.to_sklearn().predict(Z))


def test_refuses():
    for model in (tree.DecisionTreeClassifier(), ensemble.RandomForestRegressor()):
        with pytest.raises(NotFittedError):
            model.to_sklearn()
    code = (
        "import sys; sys.modules['sklearn'] = None\n"
        "from litlearn.tree import DecisionTreeClassifier\n"
        "model = DecisionTreeClassifier().fit([[0.0], [1.0]], [0, 1])\n"
        "try:\n    model.to_sklearn()\n"
        "except ImportError as error:\n    assert 'to_sklearn' in str(error)\n"
        "else:\n    raise SystemExit(1)\n"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


# Graphviz

FLAGS = "filled leaves_parallel impurity node_ids proportion rotate rounded special_characters"


@pytest.mark.parametrize(("model", "kind"), EVERY[:6], ids=str)
def test_export_graphviz(model, kind):
    """The same text as scikit-learn's, letter by letter, whatever is asked for."""
    model = sklearn.base.clone(model).set_params(random_state=0, max_depth=4, ccp_alpha=0.0)
    model.fit(X, TARGETS[kind])
    other, rng = model.to_sklearn(), np.random.default_rng(0)
    names = [None, ["a", 'b "q"', "c", "d"]]
    classes = [None, True, ["A", "B", "C", "D", 'E "e"']]
    for depth, label in itertools.product((None, 0, 2), ("all", "root", "none")):
        for _ in range(8):
            options = {name: bool(rng.integers(2)) for name in FLAGS.split()}
            options |= {"feature_names": names[rng.integers(2)], "precision": rng.integers(5)}
            options |= {"class_names": classes[rng.integers(3)], "max_depth": depth}
            options["label"] = label
            assert tree.export_graphviz(model, **options) == theirs.export_graphviz(
                other, **options
            )


def test_export_graphviz_to_a_file(tmp_path):
    model = tree.DecisionTreeRegressor().fit([[0.0], [1.0]], [3.0, 3.0])
    assert "fillcolor" in tree.export_graphviz(model, filled=True)
    assert tree.export_graphviz(model, str(tmp_path / "tree.dot")) is None
    with open(tmp_path / "open.dot", "w") as file:
        tree.export_graphviz(model, file)
    text = tree.export_graphviz(model)
    assert [(tmp_path / name).read_text() for name in ("tree.dot", "open.dot")] == [text, text]
    for bad in ({"label": "some"}, {"precision": -1}, {"max_depth": -1}, {"feature_names": "ab"}):
        with pytest.raises(ValueError, match="export_graphviz"):
            tree.export_graphviz(model, **bad)
    with pytest.raises(NotFittedError):
        tree.export_graphviz(tree.DecisionTreeClassifier())


# Habits


@pytest.mark.parametrize(
    "model",
    [
        tree.DecisionTreeRegressor,
        tree.ExtraTreeRegressor,
        ensemble.RandomForestRegressor,
        ensemble.ExtraTreesRegressor,
    ],
)
def test_friedman_mse(model):
    with pytest.warns(FutureWarning, match="friedman_mse"):
        assert model(criterion="friedman_mse").criterion == "squared_error"
    with pytest.raises(ValueError, match="criterion"):
        model().set_params(criterion="friedman_mse").fit([[0.0], [1.0]], [0.0, 1.0])


def test_other_byte_order():
    """A pickle of a machine whose numbers have their bytes the other way round."""
    Z = np.nan_to_num(X)
    model = tree.DecisionTreeClassifier(random_state=0).fit(Z, TARGETS["classes"])
    grown = model.tree_
    state = {
        name: value.byteswap().view(value.dtype.newbyteorder())
        if isinstance(value, np.ndarray)
        else value
        for name, value in vars(grown).items()
    }
    other = object.__new__(type(grown))
    other.__setstate__(state)
    assert all(array.dtype.isnative for array in other.arrays().values())
    np.testing.assert_array_equal(other.predict(Z), grown.predict(Z))
    assert grown.capacity == grown.node_count


@pytest.mark.parametrize(
    ("field", "node", "value"),
    [
        ("right", 0, 10**6),
        ("right", 0, -1),
        ("right", 2, 0),
        ("feature", 0, 4),
        ("feature", 0, -1),
        ("threshold", -1, 0.5),
        ("feature", -1, 1 << 30),
        ("value", 0, 0),
    ],
)
def test_damaged_state_is_refused(field, node, value):
    """Compiled walks believe the arrays of a tree: a pickle's are looked at first."""
    Z = np.nan_to_num(X)[:, :4]
    grown = tree.DecisionTreeClassifier(random_state=0).fit(Z, TARGETS["classes"]).tree_
    state = {k: np.copy(v) if isinstance(v, np.ndarray) else v for k, v in vars(grown).items()}
    again = object.__new__(type(grown))
    again.__setstate__(state)
    np.testing.assert_array_equal(again.apply(Z), grown.apply(Z))
    if field == "value":
        state["value"] = state["value"][:-1]
    else:
        state["steps"][field][node] = value
    with pytest.raises(ValueError, match="Tree: the state is damaged"):
        again.__setstate__(state)


def test_more_samples_than_there_are():
    y, few = TARGETS["number"], {"n_estimators": 3, "random_state": 0}
    one = ensemble.RandomForestRegressor(max_samples=1.5, **few).fit(X, y)
    two = ensemble.RandomForestRegressor(max_samples=300, **few).fit(X, y)
    np.testing.assert_array_equal(one.predict(QUERIES), two.predict(QUERIES))
    assert [len(rows) for rows in one.estimators_samples_] == [300] * 3
    with pytest.warns(UserWarning, match="low number \\(4\\) of bootstrap samples"):
        ensemble.RandomForestRegressor(max_samples=0.02, **few).fit(X, y)


def test_names_of_the_trees():
    forest = ensemble.ExtraTreesClassifier(2)
    assert isinstance(forest.estimator, tree.ExtraTreeClassifier)
    with pytest.raises(NotFittedError):
        _ = forest.estimator_
    forest.set_params(bootstrap=False).fit(X, TARGETS["classes"])
    assert isinstance(forest.estimator_, tree.ExtraTreeClassifier)
    assert {rows.dtype for rows in forest.estimators_samples_} == {np.dtype(np.int32)}


def test_nothing_new_to_grow():
    """A warning, and the forest stays as it is."""
    forest = ensemble.RandomForestClassifier(2, warm_start=True, random_state=0)
    forest.fit(X, TARGETS["classes"])
    before = forest.predict(QUERIES)
    with pytest.warns(UserWarning, match="does not fit new trees"):
        forest.fit(X, TARGETS["two classes"])
    np.testing.assert_array_equal(forest.predict(QUERIES), before)


# ---------------------------------------------------------------------------------------------
# Every estimator

METHODS = (
    "predict",
    "predict_proba",
    "decision_function",
    "transform",
    "score_samples",
    "kneighbors",
    "radius_neighbors_graph",
    "get_feature_names_out",
)


def every_estimator():
    """Each public estimator, for two classes and for three."""
    for space in stand_in.NAMESPACES:
        for name in importlib.import_module(f"litlearn.{space}").__all__:
            cls = getattr(importlib.import_module(f"litlearn.{space}"), name)
            if inspect.isclass(cls) and issubclass(cls, BaseEstimator):
                for n_classes in (2, 3):
                    yield pytest.param(space, cls, n_classes, id=f"{name}-{n_classes}")


def as_array(answer):
    """The first array of what a method returns, dense."""
    answer = answer[0] if isinstance(answer, tuple) else answer
    return answer.toarray() if hasattr(answer, "toarray") else np.asarray(answer)


def samples_of(n_classes):
    """Samples, exact in float32, and their classes."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, n_classes, 90)
    A = rng.normal(size=(90, 3)) + y[:, np.newaxis]
    return A.astype(np.float32).astype(np.float64), y


def fitted_to(cls, A, y, inside):
    """An estimator of ours or theirs, fitted; `inside` is what a strategy of classes is around."""
    around = cls.__module__.split(".")[1] == "multiclass"
    model = cls(inside) if around else cls()
    if "random_state" in model.get_params():
        model.set_params(random_state=0)
    few = {"OutputCodeClassifier": {"code_size": 4}, "Nystroem": {"n_components": 9}}
    model.set_params(**few.get(cls.__name__, {}))
    return model.fit(A, np.stack([y, 2 * y], axis=1) if cls.__name__.startswith("MultiTask") else y)


@pytest.mark.filterwarnings("ignore:.*did not converge", "ignore::FutureWarning")
@pytest.mark.parametrize(("space", "cls", "n_classes"), list(every_estimator()))
def test_every_estimator_and_back_through_a_pickle(space, cls, n_classes):
    A, y = samples_of(n_classes)
    model = fitted_to(cls, A, y, svm.SVC(gamma=0.5))
    other = pickle.loads(pickle.dumps(model.to_sklearn()))
    assert type(other).__module__.startswith(f"sklearn.{space}")
    compared = 0
    for method in METHODS:
        if not hasattr(model, method):
            continue
        assert hasattr(other, method), method
        arguments = () if method == "get_feature_names_out" else (A,)
        mine, hers = (as_array(getattr(one, method)(*arguments)) for one in (model, other))
        if mine.dtype.kind == "f":
            np.testing.assert_allclose(mine, hers, rtol=1e-7, atol=1e-8, err_msg=method)
        else:
            np.testing.assert_array_equal(mine, hers, err_msg=method)
        compared += 1
    assert compared


@pytest.mark.parametrize("container", [scipy.sparse.csr_matrix, scipy.sparse.csr_array])
def test_machines_of_sparse_samples(container):
    A = scipy.sparse.random(80, 20, 0.3, format="csr", random_state=0)
    y = np.random.default_rng(0).integers(0, 3, 80)
    model = svm.SVC(C=10.0).fit(container(A), y)
    other = model.to_sklearn()
    np.testing.assert_allclose(
        model.decision_function(container(A)), other.decision_function(container(A)), atol=1e-9
    )


def test_machines_of_a_callable_or_a_given_kernel():
    A, y = np.nan_to_num(X[:, :2]).astype(np.float64), np.arange(200) % 2
    model = svm.SVC(kernel=lambda a, b: a @ b.T + 1.0).fit(A, y)
    np.testing.assert_array_equal(model.to_sklearn().predict(A), model.predict(A))
    model = svm.SVC(kernel="precomputed").fit(A @ A.T, y)
    np.testing.assert_array_equal(model.to_sklearn().predict(A @ A.T), model.predict(A @ A.T))


def test_neighbors_of_several_targets_and_words():
    A = np.random.default_rng(0).normal(size=(60, 2))
    words = np.array(["ill", "not"])[np.arange(60) % 2]
    for y in (words, np.stack([words, words[::-1]], axis=1)):
        model = neighbors.KNeighborsClassifier(3).fit(A, y)
        np.testing.assert_array_equal(model.to_sklearn().predict(A), model.predict(A))


def test_multilabel_one_against_the_rest_with_a_label_that_nobody_has():
    A = np.random.default_rng(0).normal(size=(60, 2))
    Y = np.stack([A[:, 0] > 0, np.zeros(60), A[:, 1] > 0], axis=1).astype(int)
    model = multiclass.OneVsRestClassifier(svm.LinearSVC())
    with pytest.warns(UserWarning, match="Label not 1 is present"):
        model.fit(A, Y)
    np.testing.assert_array_equal(model.to_sklearn().predict(A), model.predict(A))


# ---------------------------------------------------------------------------------------------
# Other libraries, where they are installed. What they do not know, or do wrongly, is the same for
# an estimator that scikit-learn has fitted itself.

EACH = pytest.mark.parametrize(("space", "cls", "n_classes"), list(every_estimator()))
QUIET = pytest.mark.filterwarnings("ignore")  # what others warn of


def both(cls, n_classes):
    """One made from ours, the same class as scikit-learn fits it, and the samples."""
    A, y = samples_of(n_classes)
    made = fitted_to(cls, A, y, linear_model.LogisticRegression()).to_sklearn()
    return made, fitted_to(type(made), A, y, sklearn.linear_model.LogisticRegression()), A


def fails(check, *arguments):
    try:
        check(*arguments)
    except Exception:
        return True
    return False


# Without a converter, of no answer far from all samples, or, of two classes, with another one.
NOT_CONVERTED = {
    *("KernelDensity", "KernelRidge", "NearestCentroid", "NearestNeighbors", "Nystroem"),
    *("OutputCodeClassifier", "RBFSampler", "LinearDiscriminantAnalysis"),
    *("KNeighborsTransformer", "RadiusNeighborsClassifier", "RadiusNeighborsRegressor"),
    "RadiusNeighborsTransformer",
}


def survives_onnx(model, A):
    import onnxruntime
    import skl2onnx

    onnxruntime.set_default_logger_severity(4)
    A = A.astype(np.float32)
    by_class = sklearn.base.is_classifier(model) and hasattr(model, "predict_proba")
    options = {id(model): {"zipmap": False}} if by_class else None
    graph = skl2onnx.to_onnx(model, A[:1], options=options)
    session = onnxruntime.InferenceSession(
        graph.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    found = session.run(None, {session.get_inputs()[0].name: A})
    methods = ("predict", "predict_proba", "transform")
    if not hasattr(model, "predict"):
        methods = ("kneighbors_graph", "transform")
    expected = [getattr(model, one)(A.astype(float)) for one in methods if hasattr(model, one)]
    assert found and expected
    # Distances of k-means come second, as probabilities do; of others' scores there is no promise.
    for mine, hers in zip(expected, found, strict=False):
        hers = np.asarray(hers).reshape(as_array(mine).shape)
        np.testing.assert_allclose(hers, as_array(mine), rtol=1e-5, atol=1e-5)


@QUIET
@EACH
def test_onnx(space, cls, n_classes):
    pytest.importorskip("skl2onnx")
    pytest.importorskip("onnxruntime")
    made, theirs, A = both(cls, n_classes)
    if cls.__name__ not in NOT_CONVERTED or not fails(survives_onnx, theirs, A):
        survives_onnx(made, A)


def survives_skops(model, A):
    import skops.io

    data = skops.io.dumps(model)
    unknown = skops.io.get_untrusted_types(data=data)
    assert all(one.startswith("sklearn.") for one in unknown)
    again = skops.io.loads(data, trusted=unknown)
    assert type(again) is type(model) and list(again.get_params()) == list(model.get_params())
    for method in METHODS:
        if hasattr(model, method):
            arguments = () if method == "get_feature_names_out" else (A,)
            mine, hers = (as_array(getattr(one, method)(*arguments)) for one in (model, again))
            np.testing.assert_array_equal(mine, hers, err_msg=method)


@QUIET
@EACH
def test_skops(space, cls, n_classes):
    """Read again, trusting classes of scikit-learn, and as many of them as its own fit needs."""
    io = pytest.importorskip("skops.io")
    made, theirs, A = both(cls, n_classes)
    asked = [io.get_untrusted_types(data=io.dumps(one)) for one in (made, theirs)]
    assert set(asked[0]) <= set(asked[1])
    survives_skops(made, A)


@QUIET
@EACH
def test_inspection(space, cls, n_classes):
    """Importances by permutation and partial dependence are those of our own estimator."""
    A, y = samples_of(n_classes)
    model = fitted_to(cls, A, y, svm.SVC(gamma=0.5))
    made = model.to_sklearn()
    predicts = sklearn.base.is_classifier(made) or sklearn.base.is_regressor(made)
    if not predicts or cls.__name__.startswith("RadiusNeighbors"):
        return  # no neighbours there, no answer
    targets = np.stack([y, 2 * y], axis=1) if cls.__name__.startswith("MultiTask") else y
    mine, hers = (
        permutation_importance(one, A, targets, n_repeats=2, random_state=0).importances
        for one in (model, made)
    )
    np.testing.assert_allclose(mine, hers, rtol=1e-7, atol=1e-8)
    if cls.__name__ != "OutputCodeClassifier":  # which has no scores
        mine, hers = (
            partial_dependence(one, A, [0], grid_resolution=5, method="brute")["average"]
            for one in (model, made)
        )
        np.testing.assert_allclose(mine, hers, rtol=1e-7, atol=1e-8)


@QUIET
@pytest.mark.parametrize(("model", "kind"), [one for one in EVERY if "two" not in one[1]], ids=str)
def test_shap_of_trees(model, kind):
    """What the features add sums to what the model predicts."""
    shap = pytest.importorskip("shap")
    A, queries = np.nan_to_num(X).astype(float), np.nan_to_num(QUERIES).astype(float)
    model = sklearn.base.clone(model).set_params(random_state=0).fit(A, TARGETS[kind])
    explainer = shap.TreeExplainer(model.to_sklearn())
    added = explainer.shap_values(queries, check_additivity=True)
    found = added.sum(axis=1) + explainer.expected_value
    told = model.predict_proba if hasattr(model, "predict_proba") else model.predict
    np.testing.assert_allclose(found, told(queries), rtol=1e-6, atol=1e-6)


@QUIET
@pytest.mark.parametrize("model", LINEAR, ids=repr)
def test_shap_of_linear_models(model):
    """Each feature adds its coefficient times its distance from the mean of the background."""
    shap = pytest.importorskip("shap")
    Z = np.random.default_rng(1).normal(size=(90, 3))
    scores = hasattr(model, "decision_function")
    y = (Z[:, 0] > 0).astype(int) if scores else Z @ [1.0, 2.0, 0.0]
    made = sklearn.base.clone(model).fit(Z, y).to_sklearn()
    explainer = shap.LinearExplainer(made, Z)
    added = explainer.shap_values(Z)
    expected = np.ravel(made.coef_) * (Z - Z.mean(axis=0))
    np.testing.assert_allclose(added, expected, rtol=1e-6, atol=1e-6)
    found = added.sum(axis=1) + explainer.expected_value
    told = made.decision_function(Z) if scores else made.predict(Z)
    np.testing.assert_allclose(found, told, rtol=1e-6, atol=1e-6)
