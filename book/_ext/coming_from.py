"""What changes with the import: scikit-learn's signatures, methods and attributes beside ours.

What can be computed is computed from the two programs: which names and defaults differ, which
strings are taken, which fitted attributes and methods are on one side only. What cannot is written
here, once, and ``tests/test_coming_from.py`` holds all of it against the programs: every name
exists on both sides, what has no effect changes no number of a fit, what is refused raises an
error, and every public name of scikit-learn's that is absent has its row.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import re
import warnings
from dataclasses import dataclass

import numpy as np
from sklearn.utils._param_validation import StrOptions, make_constraint

from litlearn._core.constraints import TEXT, Option
from litlearn._core.validation import constraints_of

NO_EFFECT, DIFFERS = "no effect", "differs"


@dataclass(frozen=True)
class Note:
    """What a parameter of some estimators does that scikit-learn's does not."""

    kind: str
    parameters: str
    estimators: str
    text: str

    def places(self):
        """Return the pairs of estimator and parameter."""
        return [(e, p) for e in self.estimators.split() for p in self.parameters.split()]


FOREST_CLASSIFIERS = "RandomForestClassifier ExtraTreesClassifier"
FORESTS = f"{FOREST_CLASSIFIERS} RandomForestRegressor ExtraTreesRegressor"
TREE_CLASSIFIERS = "DecisionTreeClassifier ExtraTreeClassifier"
TREES = f"{TREE_CLASSIFIERS} DecisionTreeRegressor ExtraTreeRegressor"
RIDGES = "Ridge RidgeClassifier"
LOGISTIC = "LogisticRegression LogisticRegressionCV"
LASSOS = "Lasso ElasticNet LassoCV ElasticNetCV"
TASKS = "MultiTaskLasso MultiTaskElasticNet"
PATHS = "lasso_path enet_path"
MACHINES = "SVC NuSVC SVR NuSVR"
LINEAR_MACHINES = "LinearSVC LinearSVR"
NEIGHBORS = (
    "KNeighborsClassifier KNeighborsRegressor KNeighborsTransformer NearestNeighbors "
    "RadiusNeighborsClassifier RadiusNeighborsRegressor RadiusNeighborsTransformer"
)
GRAPHS = "kneighbors_graph radius_neighbors_graph"
STRATEGIES = "OneVsOneClassifier OneVsRestClassifier OutputCodeClassifier"

NOTES = (
    # What has no effect, and why.
    Note(NO_EFFECT, "copy_x", "KMeans k_means", "samples are never written to"),
    Note(NO_EFFECT, "copy", "PCA IncrementalPCA", "samples are never written to"),
    Note(
        NO_EFFECT,
        "copy_X",
        f"LinearRegression {RIDGES} {LASSOS} {TASKS} {PATHS}",
        "samples are never written to",
    ),
    Note(NO_EFFECT, "copy_X", "KernelPCA", "samples are never written to, and a copy is kept"),
    Note(NO_EFFECT, "tol", RIDGES, "the solution is exact up to rounding"),
    Note(NO_EFFECT, "random_state", f"{RIDGES} {LOGISTIC}", "nothing is drawn"),
    Note(
        NO_EFFECT,
        "dual",
        f"{LOGISTIC} {LINEAR_MACHINES}",
        "the way is chosen by loss and shape, the minimum is the same; refused where it is there",
    ),
    Note(NO_EFFECT, "intercept_scaling", LOGISTIC, "the intercept is not penalised"),
    Note(NO_EFFECT, "gcv_mode", "RidgeCV", "the decomposition is chosen by shape and conditioning"),
    Note(NO_EFFECT, "verbose_interval", "GaussianMixture", "a bar shows every iteration"),
    Note(NO_EFFECT, "verbose", f"OneVsRestClassifier {PATHS}", "nothing is shown"),
    Note(NO_EFFECT, "shrinking", MACHINES, "the working set does what shrinking is for"),
    Note(NO_EFFECT, "class_weight", "NuSVC", "as there: LIBSVM leaves them out for this machine"),
    Note(NO_EFFECT, "atol rtol", "KernelDensity", "the sums are computed in full"),
    Note(NO_EFFECT, "breadth_first", "KernelDensity", "the sums are computed in full"),
    Note(NO_EFFECT, "Xy", PATHS, "these products are computed where they are needed"),
    Note(NO_EFFECT, "check_input", "enet_path", "input is always checked"),
    Note(
        NO_EFFECT,
        "warn_when_not_sorted",
        "sort_graph_by_row_values",
        "nothing here is slower for a graph in another order",
    ),
    # What differs.
    Note(
        DIFFERS,
        "n_jobs",
        f"KernelPCA Nystroem LinearRegression {NEIGHBORS} {FORESTS} LassoCV ElasticNetCV "
        f"{LOGISTIC} SGDClassifier {STRATEGIES} {GRAPHS}",
        "None means every CPU; no number of threads changes a result",
    ),
    Note(
        DIFFERS,
        "verbose",
        f"KMeans MiniBatchKMeans k_means GaussianMixture {FORESTS} LassoCV ElasticNetCV "
        f"{LOGISTIC} SGDRegressor {MACHINES} {LINEAR_MACHINES}",
        "a progress bar in place of lines",
    ),
    Note(DIFFERS, "verbose", "SGDClassifier", "a progress bar where there are two classes"),
    Note(DIFFERS, "algorithm", "KMeans", '`"elkan"` with sparse samples is `"lloyd"`'),
    Note(
        DIFFERS,
        "algorithm",
        "k_means",
        '`"hamerly"` too; `"elkan"` with sparse samples is `"lloyd"`',
    ),
    Note(
        DIFFERS,
        "svd_solver",
        "PCA",
        '`"auto"` chooses by the digits that are needed, not by shape alone',
    ),
    Note(
        DIFFERS,
        "eigen_solver",
        "KernelPCA",
        '`"auto"` is a block Krylov space with a certificate where there it is ARPACK',
    ),
    Note(
        DIFFERS,
        "kernel",
        "KernelPCA KernelRidge",
        "a function takes dense samples only",
    ),
    Note(
        DIFFERS,
        "solver",
        "LinearDiscriminantAnalysis",
        '`"svd"` decomposes the covariance where `tol` allows it, else the samples',
    ),
    Note(
        DIFFERS,
        "covariance_estimator",
        "LinearDiscriminantAnalysis QuadraticDiscriminantAnalysis",
        "a clone of it is fitted",
    ),
    Note(
        DIFFERS,
        "reg_param",
        "QuadraticDiscriminantAnalysis",
        "serves classes with fewer samples than features, too",
    ),
    Note(DIFFERS, "criterion", f"{TREES} {FORESTS}", "an object is refused"),
    Note(DIFFERS, "random_state", TREES, "other numbers are drawn: another tree of the same kind"),
    Note(
        DIFFERS,
        "random_state",
        FORESTS,
        "each tree draws the same samples as there, and other features or thresholds",
    ),
    Note(
        DIFFERS,
        "warm_start",
        FORESTS,
        "without new trees, the forest stays as it is, whatever the targets",
    ),
    Note(
        DIFFERS,
        "solver",
        RIDGES,
        '`"svd"`, `"lsqr"` and `"sparse_cg"` are taken as asked, `"sag"` and `"saga"` replaced; '
        "the solution is the same, and `solver_` says how it was found",
    ),
    Note(DIFFERS, "max_iter", RIDGES, 'bounds each of two runs of `"lsqr"` or `"sparse_cg"`'),
    Note(
        DIFFERS,
        "solver",
        LOGISTIC,
        '`"newton-cholesky"` and `"newton-cg"` are taken as asked, the others are replaced by '
        '`"auto"`; each refuses what it refuses there, and the minimum is the same',
    ),
    Note(
        DIFFERS,
        "tol",
        LOGISTIC,
        "bounds the gradient for standardised features, or the duality gap",
    ),
    Note(
        DIFFERS,
        "scoring l1_ratios use_legacy_attributes",
        "LogisticRegressionCV",
        "the default gives no `FutureWarning`",
    ),
    Note(
        DIFFERS,
        "max_iter",
        f"{LASSOS} {TASKS}",
        "counts sweeps over the features in use, not over all",
    ),
    Note(
        DIFFERS,
        "early_stopping",
        "SGDClassifier SGDRegressor",
        "watches the score of the coefficients as they are; there they lack what the penalty has "
        "shrunk in the pass, and another pass may be the last",
    ),
    Note(
        DIFFERS,
        "average",
        "SGDClassifier SGDRegressor",
        "with an l1 penalty, of the coefficients at each step",
    ),
    Note(DIFFERS, "cache_size", MACHINES, "bounds all Gram matrices, not only cached rows"),
    Note(
        DIFFERS,
        "max_iter",
        MACHINES,
        "-1 ends after 10 million steps, or 100 for each variable if that is more",
    ),
    Note(
        DIFFERS,
        "kernel",
        MACHINES,
        "a function must return one row for each sample, in `fit` too",
    ),
    Note(
        DIFFERS,
        "probability",
        "SVC NuSVC",
        "other folds, and pairs are coupled exactly",
    ),
    Note(
        DIFFERS,
        "tol",
        LINEAR_MACHINES,
        "the largest violation of the optimality conditions",
    ),
    Note(
        DIFFERS,
        "max_iter random_state",
        LINEAR_MACHINES,
        "of Newton's method or coordinate descent, whichever is chosen",
    ),
    Note(
        DIFFERS,
        "algorithm",
        NEIGHBORS,
        '`"ball_tree"` is replaced by brute force, with a warning, for metrics that no tree is '
        "sure of",
    ),
    Note(
        DIFFERS,
        "weights",
        "KNeighborsClassifier KNeighborsRegressor RadiusNeighborsClassifier "
        "RadiusNeighborsRegressor",
        "a function that returns negative weights is refused",
    ),
)

# Absent names, by namespace: (names, what to use instead).
ABSENT = {
    "cluster": (
        (
            "DBSCAN HDBSCAN OPTICS dbscan cluster_optics_dbscan cluster_optics_xi "
            "compute_optics_graph",
            'scikit-learn\'s. `DBSCAN` and `OPTICS` take `metric="precomputed"` and the graph '
            "of {py:class}`~litlearn.neighbors.RadiusNeighborsTransformer`",
        ),
        (
            "SpectralClustering SpectralBiclustering SpectralCoclustering spectral_clustering",
            "scikit-learn's. `SpectralClustering` takes "
            '`affinity="precomputed_nearest_neighbors"` '
            "and the graph of {py:class}`~litlearn.neighbors.KNeighborsTransformer`",
        ),
        (
            "AgglomerativeClustering FeatureAgglomeration ward_tree linkage_tree",
            "scikit-learn's. They take {py:func}`~litlearn.neighbors.kneighbors_graph` as "
            "`connectivity`",
        ),
        (
            "BisectingKMeans Birch",
            "{py:class}`~litlearn.cluster.KMeans`, or for samples that come in parts "
            "{py:class}`~litlearn.cluster.MiniBatchKMeans`",
        ),
        (
            "AffinityPropagation MeanShift affinity_propagation mean_shift estimate_bandwidth "
            "get_bin_seeds",
            "scikit-learn's, or a {py:class}`~litlearn.mixture.GaussianMixture` with the number of "
            "components that has the smallest `bic`",
        ),
    ),
    "decomposition": (
        (
            "FactorAnalysis FastICA fastica",
            "scikit-learn's; {py:class}`~litlearn.decomposition.PCA` where the noise of all "
            "features is alike",
        ),
        (
            "NMF MiniBatchNMF LatentDirichletAllocation non_negative_factorization",
            "scikit-learn's; {py:class}`~litlearn.decomposition.TruncatedSVD` where parts may be "
            "negative",
        ),
        (
            "DictionaryLearning MiniBatchDictionaryLearning SparsePCA MiniBatchSparsePCA "
            "SparseCoder dict_learning dict_learning_online sparse_encode",
            "scikit-learn's",
        ),
        (
            "randomized_svd",
            '{py:class}`TruncatedSVD(algorithm="randomized") '
            "<litlearn.decomposition.TruncatedSVD>`",
        ),
    ),
    "ensemble": (
        (
            "HistGradientBoostingClassifier HistGradientBoostingRegressor "
            "GradientBoostingClassifier GradientBoostingRegressor",
            "scikit-learn's, XGBoost or LightGBM: boosting is no subject of this book. "
            "{py:class}`~litlearn.ensemble.RandomForestClassifier` is the nearest relative here",
        ),
        (
            "AdaBoostClassifier AdaBoostRegressor BaggingClassifier BaggingRegressor "
            "VotingClassifier VotingRegressor StackingClassifier StackingRegressor BaseEnsemble",
            "scikit-learn's, around estimators of litlearn ({ref}`a recipe <recipe-stacking>`)",
        ),
        (
            "IsolationForest",
            "scikit-learn's, or the distance to the k-th neighbour by "
            "{py:class}`~litlearn.neighbors.NearestNeighbors`, or the log-density of "
            "{py:class}`~litlearn.neighbors.KernelDensity`",
        ),
        (
            "RandomTreesEmbedding",
            "`apply` of a forest, and scikit-learn's `OneHotEncoder`; or "
            "{py:class}`~litlearn.kernel_approximation.RBFSampler`",
        ),
    ),
    "kernel_approximation": (
        (
            "AdditiveChi2Sampler SkewedChi2Sampler",
            '{py:class}`Nystroem(kernel="chi2") <litlearn.kernel_approximation.Nystroem>`',
        ),
        (
            "PolynomialCountSketch",
            '{py:class}`Nystroem(kernel="poly") <litlearn.kernel_approximation.Nystroem>`',
        ),
    ),
    "linear_model": (
        (
            "Lars LarsCV LassoLars LassoLarsCV LassoLarsIC OrthogonalMatchingPursuit "
            "OrthogonalMatchingPursuitCV lars_path lars_path_gram orthogonal_mp orthogonal_mp_gram",
            "{py:class}`~litlearn.linear_model.Lasso`, {py:class}`~litlearn.linear_model.LassoCV` "
            "and {py:func}`~litlearn.linear_model.lasso_path`, of the same objective as "
            "`LassoLars`",
        ),
        (
            "MultiTaskLassoCV MultiTaskElasticNetCV",
            "`GridSearchCV` around {py:class}`~litlearn.linear_model.MultiTaskLasso` or "
            "{py:class}`~litlearn.linear_model.MultiTaskElasticNet`",
        ),
        (
            "Perceptron",
            '{py:class}`SGDClassifier(loss="perceptron", penalty=None, learning_rate="constant", '
            "eta0=1) <litlearn.linear_model.SGDClassifier>`",
        ),
        (
            "PassiveAggressiveClassifier PassiveAggressiveRegressor",
            '{py:class}`SGDClassifier(penalty=None, learning_rate="pa1", eta0=C) '
            "<litlearn.linear_model.SGDClassifier>`, and `SGDRegressor` likewise",
        ),
        (
            "BayesianRidge ARDRegression",
            "{py:class}`~litlearn.linear_model.RidgeCV` for the prediction; scikit-learn's for "
            "its posterior",
        ),
        (
            "HuberRegressor RANSACRegressor TheilSenRegressor",
            "scikit-learn's, `RANSACRegressor` (with `min_samples`) around "
            "{py:class}`~litlearn.linear_model.LinearRegression`; "
            '{py:class}`SGDRegressor(loss="huber") <litlearn.linear_model.SGDRegressor>`',
        ),
        (
            "QuantileRegressor",
            "scikit-learn's; for medians "
            '{py:class}`RandomForestRegressor(criterion="absolute_error") '
            "<litlearn.ensemble.RandomForestRegressor>`",
        ),
        (
            "PoissonRegressor GammaRegressor TweedieRegressor",
            'scikit-learn\'s; for counts {py:class}`RandomForestRegressor(criterion="poisson") '
            "<litlearn.ensemble.RandomForestRegressor>`",
        ),
        ("SGDOneClassSVM", "scikit-learn's"),
        (
            "ridge_regression",
            "{py:class}`Ridge(fit_intercept=False) <litlearn.linear_model.Ridge>` and its `coef_`",
        ),
    ),
    "mixture": (
        (
            "BayesianGaussianMixture",
            "{py:class}`~litlearn.mixture.GaussianMixture` with the number of components that has "
            "the smallest `bic`",
        ),
    ),
    "naive_bayes": (
        (
            "MultinomialNB ComplementNB BernoulliNB CategoricalNB",
            "scikit-learn's; of counts, {py:class}`~litlearn.linear_model.LogisticRegression`",
        ),
    ),
    "neighbors": (
        (
            "LocalOutlierFactor",
            "the distance to the k-th neighbour by "
            "{py:class}`~litlearn.neighbors.NearestNeighbors`;"
            ' or scikit-learn\'s with `metric="precomputed"` and the graph of '
            "{py:class}`~litlearn.neighbors.KNeighborsTransformer`",
        ),
        (
            "NeighborhoodComponentsAnalysis",
            "scikit-learn's in a pipeline before "
            "{py:class}`~litlearn.neighbors.KNeighborsClassifier`; or the axes of "
            "{py:class}`~litlearn.discriminant_analysis.LinearDiscriminantAnalysis`",
        ),
    ),
    "svm": (
        (
            "OneClassSVM",
            "scikit-learn's, or the log-density of {py:class}`~litlearn.neighbors.KernelDensity`",
        ),
        ("l1_min_c", "scikit-learn's"),
    ),
    "tree": (
        (
            "plot_tree",
            "{py:func}`litlearn.plotting.plot_tree`, or scikit-learn's of `to_sklearn()`",
        ),
        ("BaseDecisionTree", "nothing: the four classes are the whole"),
    ),
}


# -- the two sides --------------------------------------------------------------------------------


def pair(package, name):
    """Return what a namespace calls `name`: (litlearn's, scikit-learn's)."""
    ours = getattr(importlib.import_module(f"litlearn.{package}"), name)
    return ours, getattr(importlib.import_module(f"sklearn.{package}"), name)


def names(package):
    """Return the public names of a namespace of scikit-learn."""
    module = importlib.import_module(f"sklearn.{package}")
    own = [
        name
        for name, value in vars(module).items()
        if not name.startswith("_") and getattr(value, "__module__", "") == module.__name__
    ]
    return sorted(getattr(module, "__all__", own))


def shared(package):
    """Return the names of classes and functions of a namespace that both have, classes first."""
    ours = importlib.import_module(f"litlearn.{package}")
    both = [n for n in set(ours.__all__) & set(names(package)) if callable(getattr(ours, n))]
    return sorted(both, key=lambda name: (not inspect.isclass(getattr(ours, name)), name))


def absent(package):
    """Return the public classes and functions of scikit-learn's namespace that are not here."""
    ours = importlib.import_module(f"litlearn.{package}")
    return [name for name in names(package) if name not in ours.__all__]


# Compiled classes do not tell their signatures; these are tried in the tests.
ARGUMENTS = ("X", "leaf_size", "metric", "sample_weight", "kwargs")
COMPILED = dict.fromkeys(("BallTree", "KDTree"), ARGUMENTS)


def signature(function):
    """Return the parameters of a function or class by name, without ``self``."""
    try:
        return dict(inspect.signature(function).parameters)
    except ValueError:
        return dict.fromkeys(COMPILED[function.__name__.removesuffix("64")])


@functools.cache
def notes():
    """Return the notes by (estimator, parameter)."""
    return {place: note for note in NOTES for place in note.places()}


def parameters(package, name):
    """Return the parameters of both sides in groups: {what they do here: [names]}."""
    ours, theirs = (signature(side) for side in pair(package, name))
    groups = {"the same": []}
    for key in [*theirs, *(k for k in ours if k not in theirs)]:
        note = notes().get((name, key))
        if key not in ours:
            text = "absent"
        elif key not in theirs:
            text = f"only here: {described(pair(package, name)[0], 'Parameters', key)}"
        else:
            said = [options(*pair(package, name), key)]
            if note is not None:
                said.append(note.text if note.kind == DIFFERS else f"{note.kind}: {note.text}")
            text = "; ".join(filter(None, said)) or "the same"
        default = theirs.get(key) and ours.get(key)
        if default and not alike(ours[key].default, theirs[key].default):
            default = f"default {code(ours[key].default)} instead of {code(theirs[key].default)}"
            text = default if text == "the same" else f"{text}; {default}"
        groups.setdefault(text, []).append(key)
    return {text: keys for text, keys in groups.items() if keys}


def options(ours, theirs, key):
    """Return what is said of the strings that one side takes for a parameter, and the other not."""
    constraint = constraints_of(ours).get(key) if hasattr(ours, "_constraints") else None
    if constraint is None or key not in theirs._parameter_constraints:
        return ""  # what is checked against the data, such as penalties or folds, is no word
    members = getattr(constraint, "members", [constraint])
    if TEXT in members:
        return ""
    here = [one for part in members if isinstance(part, Option) for one in part.options]
    allowed = [make_constraint(one) for one in theirs._parameter_constraints[key]]
    strings = [one for one in allowed if isinstance(one, StrOptions)]
    there = {option for one in strings for option in one.options}
    shown = {option for one in strings if not one.hidden for option in one.options}
    more = ", ".join(code(one) for one in here if one not in there)
    fewer = [code(one) for one in sorted(shown.difference(here))]
    refused = f"{', '.join(fewer)} {'is' if len(fewer) == 1 else 'are'} refused" if fewer else ""
    return "; ".join(filter(None, [f"{more} too" if more else "", refused]))


def alike(a, b):
    """Whether two defaults are one."""
    return a is b or (type(a) is type(b) and (a == b or (a != a and b != b)))


def code(value):
    """Return a default as Python writes it."""
    return "`" + repr(value).replace("'", '"') + "`"


def described(cls, section, name):
    """Return the first sentence that a docstring has on a parameter or an attribute."""
    doc = inspect.getdoc(cls)
    part = re.search(rf"^{section}\n-+\n(.*?)(?=\n\n[A-Z][a-z]+\n-+\n|\Z)", doc, re.S | re.M)
    found = part and re.search(
        rf"^(?:\w+, )*{name}\b[^:\n]* :.*\n((?: .*\n?)+)", part[1] + "\n", re.M
    )
    if not found:
        return ""
    text = " ".join(found[1].split()).replace("``", "`")
    text = re.sub(r":(eq|math|class|mod|func|meth):`~?([^`<]*)(?: <[^`]*>)?`", role, text)
    first = re.split(r"(?<=[.!?])\s", text)[0].rstrip(".")
    return first[0].lower() + first[1:]


def role(match):
    """Return a role of reStructuredText as one of the pages in Markdown."""
    kind = {"eq": "eq", "math": "math"}.get(match[1], f"py:{match[1]}")
    return f"{{{kind}}}`{match[2]}`"


# -- what fits leave behind -----------------------------------------------------------------------


def data(name):
    """Return a small problem for an estimator: (X, y)."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3))
    y = (X[:, 0] + 0.3 * rng.normal(size=40) > 0).astype(int)
    return np.abs(X), np.c_[y, 1.0 - y] if name.startswith("MultiTask") else y


def made(cls, **parameters):
    """Return an estimator; a strategy for several classes gets a classifier inside."""
    if "estimator" in signature(cls):
        inside = importlib.import_module(f"{cls.__module__.split('.')[0]}.linear_model")
        parameters = {"estimator": inside.LogisticRegression(), **parameters}
    return cls(**parameters)


def fitted(cls, **parameters):
    """Return an estimator that was fitted to a small problem, without its warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return made(cls, **parameters).fit(*data(cls.__name__))


def learned(model):
    """Return the public names of what a fit has stored or can compute."""
    cls = type(model)
    properties = {n for n in dir(cls) if isinstance(getattr(cls, n, None), property)}
    found = {n for n in {*vars(model), *properties} if n.endswith("_") and not n.startswith("_")}
    return {n for n in found if hasattr(model, n)}


def methods(cls):
    """Return the public methods of a class."""
    found = {n for n in dir(cls) if not n.startswith("_") and not n.endswith("_request")}
    return {n for n in found if inspect.isroutine(getattr(cls, n, None))}


@functools.cache
def attributes(package, name):
    """Return what is on one side only: [(what, which side)], fitted attributes and methods."""
    ours, theirs = pair(package, name)
    if not hasattr(ours, "fit"):
        return []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of attributes that will go
        here, there = learned(fitted(ours)), learned(fitted(theirs))
    told = {n: described(ours, "Attributes", n) for n in sorted(here - there)}
    rows = [(f"`{n}`", f"fitted attribute, only here: {text}") for n, text in told.items() if text]
    rows += [(f"`{n}`", "fitted attribute, absent") for n in sorted(there - here)]
    here, there = methods(ours), methods(theirs)
    if "to_sklearn" in here:
        rows.append(("`to_sklearn()`", "only here: scikit-learn's own fitted estimator"))
    rows += [(f"`{n}()`", "method, absent") for n in sorted(there - {*dir(ours)})]
    for n in sorted(here - there - {"to_sklearn"}):
        told = inspect.getdoc(getattr(ours, n)).split(".\n")[0]
        rows.append((f"`{n}()`", f"method, only here: {told[0].lower()}{told[1:]}"))
    for key, places in more_arguments(ours, theirs, sorted(here & there)).items():
        told = described(getattr(ours, places[0]), "Parameters", key)
        rows.append((f"`{key}` of {', '.join(f'`{n}()`' for n in places)}", f"only here: {told}"))
    return rows


def more_arguments(ours, theirs, shared_methods):
    """Return the arguments that methods of both take here alone: {argument: [methods]}."""
    found = {}
    for name in shared_methods:
        known = inspect.signature(getattr(theirs, name)).parameters
        for key, one in inspect.signature(getattr(ours, name)).parameters.items():
            if key not in known and one.kind is not one.VAR_KEYWORD:
                found.setdefault(key, []).append(name)
    return found


# -- the page -------------------------------------------------------------------------------------


def entry(package, name):
    """Return the fold of an estimator or a function, as lines of Markdown."""
    groups = parameters(package, name)
    count = sum(len(keys) for keys in groups.values())
    other = count - len(groups.get("the same", ()))
    summary = f"{count} parameters, {other if other else 'none'} of them with a remark"
    lines = [f"````{{dropdown}} {name}: {summary}", ""]
    lines += [f"{{py:obj}}`litlearn.{package}.{name}`", ""]
    lines += ["| Parameters | Here |", "|-|-|"]
    for text, keys in groups.items():
        lines.append(f"| {', '.join(f'`{key}`' for key in keys)} | {text} |")
    lines += [f"| {what} | {where} |" for what, where in attributes(package, name)]
    return [*lines, "````", ""]


def missing(package):
    """Return the table of what is absent from a namespace, as lines of Markdown."""
    if package not in ABSENT:
        return ["Nothing of scikit-learn's namespace is absent.", ""]
    rows = []
    for group, instead in ABSENT[package]:
        listed = ", ".join(f"`{name}`" for name in group.split())
        rows.append(f"| {listed} | {instead} |")
    return ["| Absent | Use instead |", "|-|-|", *rows, ""]
