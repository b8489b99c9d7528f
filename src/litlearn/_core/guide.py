"""For those who look around: plain docstrings, and where a name is that is not here.

Each public namespace ends with ``__getattr__ = guide(__name__)``.
"""

import importlib
import inspect
import re
import sys
from opcode import opmap
from types import FunctionType

# What scikit-learn has beside the names of ours, by namespace.
ELSEWHERE = {
    "cluster": """
        AffinityPropagation AgglomerativeClustering Birch BisectingKMeans DBSCAN
        FeatureAgglomeration HDBSCAN MeanShift OPTICS SpectralBiclustering SpectralClustering
        SpectralCoclustering affinity_propagation cluster_optics_dbscan cluster_optics_xi
        compute_optics_graph dbscan estimate_bandwidth get_bin_seeds linkage_tree mean_shift
        spectral_clustering ward_tree""",
    "datasets": """
        clear_data_home dump_svmlight_file fetch_20newsgroups fetch_20newsgroups_vectorized
        fetch_california_housing fetch_covtype fetch_file fetch_kddcup99 fetch_lfw_pairs
        fetch_lfw_people fetch_olivetti_faces fetch_openml fetch_rcv1 fetch_species_distributions
        get_data_home load_breast_cancer load_diabetes load_digits load_files load_iris
        load_linnerud load_sample_image load_sample_images load_svmlight_file load_svmlight_files
        load_wine make_biclusters make_blobs make_checkerboard make_circles make_classification
        make_friedman1 make_friedman2 make_friedman3 make_gaussian_quantiles make_hastie_10_2
        make_low_rank_matrix make_moons make_multilabel_classification make_regression make_s_curve
        make_sparse_coded_signal make_sparse_spd_matrix make_sparse_uncorrelated make_spd_matrix
        make_swiss_roll""",
    "decomposition": """
        DictionaryLearning FactorAnalysis FastICA LatentDirichletAllocation
        MiniBatchDictionaryLearning MiniBatchNMF MiniBatchSparsePCA NMF SparseCoder SparsePCA
        dict_learning dict_learning_online fastica non_negative_factorization randomized_svd
        sparse_encode""",
    "ensemble": """
        AdaBoostClassifier AdaBoostRegressor BaggingClassifier BaggingRegressor BaseEnsemble
        GradientBoostingClassifier GradientBoostingRegressor HistGradientBoostingClassifier
        HistGradientBoostingRegressor IsolationForest RandomTreesEmbedding StackingClassifier
        StackingRegressor VotingClassifier VotingRegressor""",
    "exceptions": """
        DataDimensionalityWarning EfficiencyWarning EstimatorCheckFailedWarning FitFailedWarning
        PositiveSpectrumWarning SkipTestWarning UnsetMetadataPassedError""",
    "kernel_approximation": "AdditiveChi2Sampler PolynomialCountSketch SkewedChi2Sampler",
    "linear_model": """
        ARDRegression BayesianRidge GammaRegressor HuberRegressor Lars LarsCV LassoLars LassoLarsCV
        LassoLarsIC MultiTaskElasticNetCV MultiTaskLassoCV OrthogonalMatchingPursuit
        OrthogonalMatchingPursuitCV PassiveAggressiveClassifier PassiveAggressiveRegressor
        Perceptron PoissonRegressor QuantileRegressor RANSACRegressor SGDOneClassSVM
        TheilSenRegressor TweedieRegressor lars_path lars_path_gram orthogonal_mp
        orthogonal_mp_gram ridge_regression""",
    "mixture": "BayesianGaussianMixture",
    "naive_bayes": "BernoulliNB CategoricalNB ComplementNB MultinomialNB",
    "neighbors": "LocalOutlierFactor NeighborhoodComponentsAnalysis",
    "svm": "OneClassSVM l1_min_c",
    "tree": "BaseDecisionTree plot_tree",
}
# Namespaces of scikit-learn's that are not among ours.
NAMESPACES = """
    calibration callback compose covariance cross_decomposition dummy experimental
    feature_extraction feature_selection frozen gaussian_process impute inspection isotonic manifold
    metrics model_selection multioutput neural_network pipeline preprocessing random_projection
    semi_supervised utils"""

ROLE = re.compile(r":([a-z]+(?::[a-z]+)*):`(?:~[\w.]*\.)?([^`]+)`")


def guide(module, homes=None):
    """Make the docstrings of a namespace plain; return its ``__getattr__`` (PEP 562).

    With `homes`, the file of each name, names are imported from there on first use.
    """
    for name in sys.modules[module].__all__ if homes is None else ():
        prepare(getattr(sys.modules[module], name))

    def __getattr__(name):
        if homes and name in homes:
            value = getattr(importlib.import_module(f"{module}.{homes[name]}"), name)
            setattr(sys.modules[module], name, prepare(value))  # Python does not ask again
            return value
        raise absent(module, name, sys._getframe(1))

    return __getattr__


def absent(module, name, frame):
    """Return the error of a name that a module has not; it says whether scikit-learn has it.

    `frame` is that of who asks: Python takes an AttributeError at ``from module import name`` for
    its own "cannot import name", without our words. Any other question (``hasattr``, a pickle, a
    copy) must get that error.
    """
    message = f"module {module!r} has no attribute {name!r}"
    space = module.partition(".")[2]
    if name not in (ELSEWHERE.get(space, "") if space else NAMESPACES).split():
        return AttributeError(message)
    command = f"from sklearn.{space} import {name}" if space else f"import sklearn.{name}"
    message += (
        f". scikit-learn has it ({command}), and its estimators work together with litlearn's, "
        "also in one pipeline."
    )
    if frame.f_lasti >= 0 and frame.f_code.co_code[frame.f_lasti] == opmap["IMPORT_FROM"]:
        return ImportError(f"cannot import name {name!r}: {message}")
    return AttributeError(message)


# ---------------------------------------------------------------------------------------------
# Plain docstrings


def prepare(value):
    """Let ``help`` show words where docstrings of ours have roles of Sphinx; return `value`.

    The source keeps the roles, and so does a process that has loaded Sphinx: the pages of the book
    make links of them.
    """
    if "sphinx" in sys.modules or not getattr(value, "__module__", "").startswith("litlearn."):
        return value
    if inspect.isclass(value):
        _own_methods(value)
    for one in [value, *_members(value)]:
        if one.__doc__ and ":`" in one.__doc__:
            one.__doc__ = plain(one.__doc__)
    return value


def _own_methods(cls):
    """Give a class copies of inherited methods: of a wrong argument, Python names their class.

    Without them, ``KNeighborsClassifier().fit(X, y, sample_weight=w)`` speaks of a private class.
    What every estimator has stays where it is: the classes of ``base.py`` are known by name.
    """
    for name in dir(cls):
        method = inspect.getattr_static(cls, name)
        if not inspect.isfunction(method):
            continue
        rewrap = getattr(method, "rewrap", None)  # of `chunked_methods`
        method = method.__wrapped__ if rewrap else method
        everywhere = method.__module__ == "litlearn._core.base" or hasattr(method, "__wrapped__")
        if name.startswith("_") or name in vars(cls) or everywhere:
            continue
        own = FunctionType(
            method.__code__, method.__globals__, name, method.__defaults__, method.__closure__
        )
        own.__kwdefaults__, own.__doc__ = method.__kwdefaults__, method.__doc__
        own.__module__, own.__qualname__ = method.__module__, f"{cls.__qualname__}.{name}"
        own.__dict__.update(vars(method))
        setattr(cls, name, rewrap(own) if rewrap else own)


def _members(value):
    """Return what a class of ours and those beneath it define: methods and properties."""
    for cls in value.__mro__ if inspect.isclass(value) else ():
        if cls.__module__.startswith("litlearn."):
            for member in vars(cls).values():
                member = getattr(member, "__func__", member)  # of a class method
                if inspect.isfunction(member) or isinstance(member, property):
                    yield member


def plain(text):
    """Return a docstring with words in the place of roles."""
    return ROLE.sub(_words, text)


def _words(match):
    role, target = match[1], match[2]
    if role in ("eq", "prf:ref"):
        return f"({target})"  # the label that the book has it under
    if role.startswith("cite"):
        first, *_, year = target.split("_")  # as keys of the bibliography are made
        first = first.capitalize()
        return f"{first} ({year})" if role.endswith("t") else f"({first} {year})"
    # The names of functions and classes keep their backquotes; a formula needs none.
    return target if role == "math" else f"`{target}`"
