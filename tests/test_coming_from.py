"""The page "Coming from scikit-learn" is generated; what is written by hand in it is tried here."""

import importlib
import inspect
import re
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
import sklearn
from scipy import sparse

from litlearn._core import stand_in

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "book" / "_ext"))

import coming_from  # noqa: E402  (it lives beside the book)

PAGE = (ROOT / "book" / "coming_from_scikit_learn.md").read_text(encoding="utf-8")
SHARED = [(p, name) for p in stand_in.NAMESPACES for name in coming_from.shared(p)]
HOME = {name: package for package, name in SHARED}

every_shared = pytest.mark.parametrize("package, name", SHARED)
every_package = pytest.mark.parametrize("package", stand_in.NAMESPACES)

# The page is made with the newest version; older ones have other parameters.
pytestmark = pytest.mark.skipif(
    tuple(int(part) for part in sklearn.__version__.split(".")[:2]) < (1, 9),
    reason="scikit-learn's parameters were others before 1.9",
)


def test_page_is_made_from_the_program():
    assert "```{litlearn-from} parameters" in PAGE
    assert "```{litlearn-from} missing" in PAGE


def test_no_namespace_is_left_out():
    import litlearn

    here = [n for n in litlearn._NAMESPACES if importlib.util.find_spec(f"sklearn.{n}")]
    others = {"datasets", "exceptions"}  # not for estimators
    assert sorted(set(here) - others) == sorted(stand_in.NAMESPACES)


@every_shared
def test_every_parameter_of_both_stands_once(package, name):
    ours, theirs = (coming_from.signature(side) for side in coming_from.pair(package, name))
    groups = coming_from.parameters(package, name)
    listed = [key for keys in groups.values() for key in keys]
    assert sorted(listed) == sorted({*ours, *theirs})
    assert "absent" not in groups  # change one import: nothing that is given may be unknown
    lines = "\n".join(coming_from.entry(package, name))
    assert all(f"`{key}`" in lines for key in listed)
    assert "only here: |" not in lines and "only here |" not in lines  # each is described


@every_package
def test_every_absent_name_has_an_alternative(package):
    absent = coming_from.absent(package)
    named = [name for group, _ in coming_from.ABSENT.get(package, ()) for name in group.split()]
    assert sorted(named) == sorted(absent)


def test_alternatives_exist():
    text = repr(coming_from.ABSENT)
    roles = re.findall(r"\{py:(?:class|func)\}`(?:~|[^`<]*<)?(litlearn[\w.]+)>?`", text)
    assert len(roles) > 20
    for role in roles:
        module, name = role.rsplit(".", 1)
        assert callable(getattr(importlib.import_module(module), name)), role
    for label in re.findall(r"\{ref\}`[^<`]*<([^>]*)>`", text):
        assert f"({label})=" in (ROOT / "book" / "recipes.ipynb").read_text(encoding="utf-8")


def test_notes_are_on_parameters_of_both():
    places = [place for note in coming_from.NOTES for place in note.places()]
    assert len(places) == len(set(places)), "two notes on one parameter"
    for name, key in places:
        ours, theirs = (coming_from.signature(side) for side in coming_from.pair(HOME[name], name))
        assert key in ours and key in theirs, f"{name} has no {key}"


@pytest.mark.parametrize("name", coming_from.COMPILED)
def test_compiled_classes_take_what_is_listed(name):
    X, _ = coming_from.data(name)
    for cls in coming_from.pair("neighbors", name):
        cls(X, leaf_size=9, metric="minkowski", sample_weight=np.ones(len(X)), p=1)
        for key in coming_from.COMPILED[name][1:-1]:
            assert key in str(cls.__init__.__doc__) + str(cls.__doc__) or key == "sample_weight"


# -- what has no effect, and what is refused ------------------------------------------------------

OTHER = {  # another value than the default of a parameter that has no effect
    **dict.fromkeys(("copy", "copy_x", "copy_X", "shrinking", "breadth_first"), False),
    **dict.fromkeys(("check_input", "warn_when_not_sorted"), False),
    **dict.fromkeys(("atol", "rtol"), 10.0),
    "Xy": np.ones(3),
    "class_weight": {0: 1.0, 1: 9.0},
    "dual": True,
    "gcv_mode": "svd",
    "intercept_scaling": 7.0,
    "random_state": 5,
    "tol": 10.0,
    "verbose": 3,
    "verbose_interval": 3,
}
RANDOM = ("LinearSVC", "LinearSVR", "PCA")
WITHOUT_EFFECT = [
    p for n in coming_from.NOTES if n.kind == coming_from.NO_EFFECT for p in n.places()
]


SPARSE = (
    f"{coming_from.RIDGES} {coming_from.LOGISTIC} {coming_from.LASSOS} SVC NuSVC LinearSVC RidgeCV"
)


def problems(name):
    """Return problems of several shapes: few features, more features than samples, sparse."""
    X, y = coming_from.data(name)
    rng = np.random.default_rng(1)
    wide = np.abs(rng.normal(size=(len(X), 60)))
    found = [(X, y), (wide, y)]
    if name in SPARSE.split():
        found.append((sparse.csr_array(wide * (wide > 1.0)), y))
    return found


def results(name, **parameters):
    """Return all numbers of fits, and the predictions or densities of the samples."""
    cls, out = coming_from.pair(HOME[name], name)[0], []
    for X, y in problems(name):
        before = X.copy()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if inspect.isclass(cls):
                model = coming_from.made(cls, **parameters).fit(X, y)
                learned = coming_from.learned(model) - {"class_weight_"}  # it is as given
                out += [getattr(model, key) for key in sorted(learned)]
                for method in ("predict", "transform", "score_samples", "decision_function"):
                    if hasattr(model, method):
                        out.append(getattr(model, method)(X))
            elif name == "sort_graph_by_row_values":
                graph = sparse.csr_array(X)
                out.append(cls(graph, copy=True, **parameters))
            elif name == "k_means":
                out += cls(X, 2, random_state=0, **parameters)
            else:
                out += cls(X, y, **parameters)
        difference = before - X
        assert (difference.nnz if sparse.issparse(difference) else np.abs(difference).max()) == 0
    return out


def same(a, b):
    if sparse.issparse(a):
        return same(a.toarray(), b.toarray())
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return list(a) == list(b) and all(same(a[key], b[key]) for key in a)
    if isinstance(a, np.ndarray | float | int | np.number):
        return np.array_equal(a, b, equal_nan=np.asarray(a).dtype.kind == "f")
    return type(a) is type(b)  # of an estimator inside: its own numbers are compared by predict


@pytest.mark.parametrize("name, key", WITHOUT_EFFECT)
def test_what_has_no_effect_changes_no_bit(name, key):
    default = coming_from.signature(coming_from.pair(HOME[name], name)[0])[key].default
    assert not coming_from.alike(default, OTHER[key])
    others = {"random_state": 0} if name in ("KMeans", "GaussianMixture", *RANDOM) else {}
    others.pop(key, None)
    before, after = results(name, **others), results(name, **others, **{key: OTHER[key]})
    assert before and all(map(same, before, after)) and len(before) == len(after)


def test_an_effect_is_noticed():
    """The comparison above can fail: these do change the numbers."""
    for name, change in (
        ("Ridge", {"alpha": 3.0}),
        ("SVC", {"C": 0.1}),
        ("lasso_path", {"eps": 0.1}),
    ):
        assert not all(map(same, results(name), results(name, **change)))


def test_strings_that_one_side_takes_are_found():
    def said(package, name, key):
        return coming_from.options(*coming_from.pair(package, name), key)

    assert said("cluster", "KMeans", "algorithm") == '`"hamerly"` too'
    assert said("cluster", "KMeans", "init") == said("cluster", "KMeans", "tol") == ""
    assert said("neighbors", "KernelDensity", "metric").endswith('`"sokalsneath"` are refused')
    assert said("tree", "DecisionTreeRegressor", "criterion") == ""  # "friedman_mse" warns there


@every_shared
def test_what_is_refused_says_so(package, name):
    cls = coming_from.pair(package, name)[0]
    for text, keys in coming_from.parameters(package, name).items():
        for key in keys if "refused" in text and hasattr(cls, "_constraints") else ():
            quoted = re.search(r'`"(\w+)"`[^;]* (?:is|are) refused', text)
            value = quoted[1] if quoted else [1, 0, 0]
            with pytest.raises(ValueError, match=key):
                coming_from.made(cls, **{key: value}).fit(*coming_from.data(name))


def test_names_of_solvers_are_taken_as_asked_or_replaced():
    from litlearn.linear_model import LogisticRegression, Ridge

    X, y = coming_from.data("Ridge")
    plain = Ridge().fit(X, y)
    for asked in ("svd", "lsqr", "sparse_cg", "sag", "saga"):
        model = Ridge(solver=asked).fit(X, y)
        assert (model.solver_ == asked) == (asked not in ("sag", "saga"))
        np.testing.assert_allclose(model.coef_, plain.coef_, rtol=1e-8)
    minima = [
        LogisticRegression(solver=asked, tol=1e-10).fit(X, y).coef_
        for asked in ("auto", "newton-cg", "newton-cholesky", "lbfgs", "liblinear", "sag", "saga")
    ]
    for coef in minima:
        np.testing.assert_allclose(coef, minima[0], rtol=1e-6)
    with pytest.raises(ValueError, match="dual"):
        LogisticRegression(solver="lbfgs", dual=True).fit(X, y)


# -- what is said of attributes, and of alternatives ----------------------------------------------


def test_attributes_on_one_side_are_found():
    assert ("`label_binarizer_`", "fitted attribute, absent") in coming_from.attributes(
        "multiclass", "OneVsRestClassifier"
    )
    found = dict(coming_from.attributes("svm", "SVC"))
    assert "only here" in found["`dual_gap_`"]
    assert "`to_sklearn()`" in dict(coming_from.attributes("tree", "DecisionTreeClassifier"))
    found = dict(coming_from.attributes("mixture", "GaussianMixture"))
    assert found["`partial_fit()`"].startswith("method, only here: go on with a batch")
    arguments = found["`sample_weight` of `fit()`, `fit_predict()`, `score()`"]
    assert arguments.startswith("only here: weights of the samples")
    for name in ("LogisticRegressionCV", "KMeans"):  # whose further arguments have no name
        found = dict(coming_from.attributes(HOME[name], name))
        assert not [what for what in found if " of " in what]


def test_alternatives_work():
    """Estimators of scikit-learn take ours, or the graphs that ours make."""
    from sklearn.cluster import DBSCAN, OPTICS, SpectralClustering
    from sklearn.ensemble import AdaBoostClassifier, BaggingClassifier
    from sklearn.linear_model import Perceptron, RANSACRegressor
    from sklearn.neighbors import LocalOutlierFactor

    from litlearn.linear_model import LinearRegression, SGDClassifier
    from litlearn.neighbors import KNeighborsTransformer, RadiusNeighborsTransformer
    from litlearn.tree import DecisionTreeClassifier

    X, y = coming_from.data("")
    near = RadiusNeighborsTransformer(radius=0.7).fit_transform(X)
    direct = DBSCAN(eps=0.5).fit_predict(X)
    assert np.array_equal(DBSCAN(eps=0.5, metric="precomputed").fit_predict(near), direct)
    few = KNeighborsTransformer(n_neighbors=10).fit_transform(X)
    OPTICS(min_samples=3, metric="precomputed").fit(
        RadiusNeighborsTransformer(radius=9.0).fit_transform(X)
    )
    groups = SpectralClustering(2, affinity="precomputed_nearest_neighbors", n_neighbors=5)
    assert len(np.unique(groups.fit_predict(few))) == 2
    outliers = LocalOutlierFactor(n_neighbors=10, metric="precomputed").fit(few)
    expected = LocalOutlierFactor(n_neighbors=10).fit(X).negative_outlier_factor_
    np.testing.assert_allclose(outliers.negative_outlier_factor_, expected, rtol=1e-10)
    stump = DecisionTreeClassifier(max_depth=1, random_state=0)
    for ensemble in (AdaBoostClassifier, BaggingClassifier):
        assert ensemble(stump, n_estimators=5, random_state=0).fit(X, y).score(X, y) > 0.6
    RANSACRegressor(LinearRegression(), min_samples=4, random_state=0).fit(X, X[:, 0])
    steps = {"shuffle": False, "max_iter": 5, "tol": None}
    ours = SGDClassifier(
        loss="perceptron", penalty=None, learning_rate="constant", eta0=1.0, **steps
    ).fit(X, y)
    np.testing.assert_allclose(ours.coef_, Perceptron(**steps).fit(X, y).coef_, rtol=1e-10)
