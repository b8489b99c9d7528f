"""scikit-learn's own fitted estimators, made from ours.

Some tools ask for more than the methods of an estimator: for scikit-learn's own class, or for the
memory of its compiled tree. For these, ``to_sklearn`` makes such an object, with everything that
``fit`` has learned. Only who calls it needs scikit-learn, and only then it is imported.
"""

import copy
import importlib

import numpy as np

from litlearn._core import validation

OURS_ALONE = ("conformal",)  # namespaces that scikit-learn has not


def convert(model):
    """Return scikit-learn's estimator of the same name, with the same fitted attributes."""
    validation.check_is_fitted(model)
    theirs = _with_parameters(_counterpart(model), model)
    _copy_fitted(model, theirs, but=("tree_", "estimators_"))
    finish = FINISH.get(type(theirs).__name__)
    if finish is not None:
        finish(model, theirs)
    return theirs


def their_tree(tree, hard=False):
    """Return a tree as scikit-learn's compiled ``Tree``; its nodes keep their numbers.

    With `hard`, the value of a node is one vote for its largest class, of equal ones the first.
    """
    if tree.is_categorical.any():
        raise ValueError(
            "to_sklearn: trees of scikit-learn compare numbers with thresholds. None can hold one "
            "that splits the levels of categorical features."
        )
    module = _import("sklearn.tree._tree")
    columns = {
        "left_child": tree.children_left,
        "right_child": tree.children_right,
        "feature": tree.feature,
        "threshold": tree.threshold,
        "impurity": tree.impurity,
        "n_node_samples": tree.n_node_samples,
        "weighted_n_node_samples": tree.weighted_n_node_samples,
        "missing_go_to_left": tree.missing_go_to_left & ~tree.is_leaf,
    }
    nodes = np.zeros(tree.node_count, dtype=module.NODE_DTYPE)
    for name in nodes.dtype.names:
        if name not in columns:
            raise NotImplementedError(
                f"to_sklearn: nodes of this version of scikit-learn have a field {name!r}, which "
                "is not known here."
            )
        nodes[name] = columns[name]
    value = np.array(tree.value, dtype=np.float64, order="C")
    if hard:
        winners = value.argmax(axis=2)[:, :, np.newaxis]
        value = (np.arange(value.shape[2]) == winners).astype(np.float64)
    n_classes = np.array(tree.n_classes, dtype=np.intp)
    theirs = module.Tree(tree.n_features, n_classes, tree.n_outputs)
    state = {"max_depth": tree.max_depth, "node_count": len(nodes), "nodes": nodes, "values": value}
    theirs.__setstate__(state)
    return theirs


def _import(name):
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        raise ImportError(
            f"to_sklearn makes an object of scikit-learn, and {name} cannot be imported: {error}"
        ) from error


def _counterpart(model):
    """Return scikit-learn's class: that of the nearest public class of ours."""
    for cls in type(model).__mro__:
        package, _, rest = cls.__module__.partition(".")
        if package == "litlearn" and not cls.__name__.startswith("_"):
            if rest in OURS_ALONE:
                raise TypeError(
                    f"to_sklearn: scikit-learn has no {cls.__name__}; the estimator inside can be "
                    "converted, if it is one of litlearn's."
                )
            return getattr(_import(f"sklearn.{rest.split('.')[0]}"), cls.__name__)
    raise TypeError(f"to_sklearn: {type(model).__name__} is not one of litlearn's estimators.")


def _with_parameters(cls, model):
    """Return an unfitted estimator of a class of scikit-learn, with the parameters it knows.

    An estimator of ours among them becomes scikit-learn's, too.
    """
    known = cls._get_param_names()
    ours = model.get_params(deep=False)
    return cls(**{name: _unfitted(value) for name, value in ours.items() if name in known})


def _unfitted(value):
    """Return scikit-learn's estimator with the parameters of one of ours; others as they are."""
    is_ours = hasattr(value, "to_sklearn") and not isinstance(value, type)
    return _with_parameters(_counterpart(value), value) if is_ours else value


def _copy_fitted(model, theirs, but=()):
    """Copy the fitted attributes that are stored, those whose names end with ``_``."""
    for name, value in vars(model).items():
        if name.endswith("_") and not name.startswith("_") and name not in but:
            setattr(theirs, name, copy.deepcopy(value))


# ---------------------------------------------------------------------------------------------
# What scikit-learn's estimators remember beside their fitted attributes


def _finish_tree(model, theirs):
    theirs.tree_ = their_tree(model.tree_)


def _finish_forest(model, theirs):
    theirs.estimators_ = [convert(one) for one in model.estimators_]
    if getattr(model, "voting", "soft") == "hard":
        for one, tree in zip(theirs.estimators_, model.estimators_, strict=True):
            one.tree_ = their_tree(tree.tree_, hard=True)
    theirs.estimator_ = theirs.estimator
    theirs._n_samples, theirs._sample_weight = model._n_samples, model._sample_weight
    theirs._n_samples_bootstrap = model._n_samples_bootstrap if model.bootstrap else None


def _finish_linear_regression(model, theirs):
    if hasattr(model, "singular_"):  # computed when it is asked for
        theirs.singular_ = np.array(model.singular_)


def _finish_discriminants(model, theirs):
    if hasattr(theirs, "scalings_"):  # how many of them count
        theirs._max_components = theirs._n_features_out = model._n_features_out


def _finish_ridge_classifier(model, theirs):
    theirs._label_binarizer = _label_binarizer(model, neg_label=-1)


def _finish_clusters(model, theirs):
    theirs._n_threads = _import("sklearn.utils._openmp_helpers")._openmp_effective_n_threads()
    theirs._n_features_out = len(model.cluster_centers_)


def _finish_kernel_pca(model, theirs):
    theirs._centerer = _import("sklearn.preprocessing").KernelCenterer()
    theirs._centerer.fit(theirs._get_kernel(theirs.X_fit_))


def _finish_columns(model, theirs):
    theirs._n_features_out = model._n_features_out


def _finish_neighbors(model, theirs):
    """Give the samples to their `fit`, which only builds an index of them."""
    found = {name: value for name, value in vars(theirs).items() if name.endswith("_")}
    y = getattr(model, "_y", None)
    if y is not None and hasattr(model, "classes_"):
        flat = not model.outputs_2d_
        classes = [model.classes_] if flat else model.classes_
        columns = np.reshape(y, (len(y), -1)).T
        y = [own[codes] for own, codes in zip(classes, columns, strict=True)]
        y = y[0] if flat else np.stack(y, axis=1)
    theirs.fit(model._fit_X, y)
    vars(theirs).update({name: found[name] for name in found if name != "n_features_in_"})


def _finish_density(model, theirs):
    theirs.fit(model.tree_.data, sample_weight=model.tree_.sample_weight)


def _finish_machine(model, theirs):
    """Set what libsvm's functions are given."""
    theirs._sparse, theirs._gamma = model._sparse, model._gamma
    theirs._effective_probability = False
    theirs._probA = theirs._probB = np.empty(0)
    of_classes = hasattr(model, "classes_")  # a regression has its number twice
    theirs._n_support = np.repeat(model.n_support_, 1 if of_classes else 2).astype(np.int32)
    theirs._num_iter = np.ravel(model.n_iter_).astype(np.int32)
    theirs._intercept_, theirs._dual_coef_ = model._intercept_, model._dual_coef_
    if model._sparse:  # its functions read the stored numbers: zeros among them
        from scipy.sparse import csr_matrix

        full = model._dual_coef_.toarray()
        columns = np.tile(np.arange(full.shape[1]), len(full))
        starts = np.arange(len(full) + 1) * full.shape[1]
        theirs._dual_coef_ = csr_matrix((full.ravel(), columns, starts), shape=full.shape)
    if callable(model.kernel):  # which asks for the samples of the fit
        theirs._BaseLibSVM__Xfit = model._X_fit


def _finish_several(model, theirs):
    """Convert the estimators inside, where they are ours."""
    theirs.estimators_ = type(model.estimators_)(map(_converted, model.estimators_))
    if type(theirs).__name__ == "OneVsRestClassifier":
        theirs.label_binarizer_ = _label_binarizer(model, neg_label=0, sparse_output=True)


def _converted(one):
    if type(one).__name__ == "ConstantClassifier":
        constant = _import("sklearn.multiclass")._ConstantPredictor()
        constant.y_ = np.ravel(one.y_)
        return constant
    return one.to_sklearn() if hasattr(one, "to_sklearn") else one


FINISH = {
    **dict.fromkeys(
        [
            "DecisionTreeClassifier",
            "DecisionTreeRegressor",
            "ExtraTreeClassifier",
            "ExtraTreeRegressor",
        ],
        _finish_tree,
    ),
    **dict.fromkeys(
        [
            "RandomForestClassifier",
            "RandomForestRegressor",
            "ExtraTreesClassifier",
            "ExtraTreesRegressor",
        ],
        _finish_forest,
    ),
    "LinearRegression": _finish_linear_regression,
    "LinearDiscriminantAnalysis": _finish_discriminants,
    "RidgeClassifier": _finish_ridge_classifier,
    "RidgeClassifierCV": _finish_ridge_classifier,
    "KernelPCA": _finish_kernel_pca,
    "KernelDensity": _finish_density,
    **dict.fromkeys(["KMeans", "MiniBatchKMeans"], _finish_clusters),
    **dict.fromkeys(["Nystroem", "RBFSampler"], _finish_columns),
    **dict.fromkeys(
        [
            "NearestNeighbors",
            "KNeighborsClassifier",
            "KNeighborsRegressor",
            "KNeighborsTransformer",
            "RadiusNeighborsClassifier",
            "RadiusNeighborsRegressor",
            "RadiusNeighborsTransformer",
        ],
        _finish_neighbors,
    ),
    **dict.fromkeys(["SVC", "NuSVC", "SVR", "NuSVR"], _finish_machine),
    **dict.fromkeys(
        ["OneVsRestClassifier", "OneVsOneClassifier", "OutputCodeClassifier"], _finish_several
    ),
}


def _label_binarizer(model, **options):
    """Return what scikit-learn's classifier remembers of the classes."""
    binarizer = _import("sklearn.preprocessing").LabelBinarizer(**options)
    if getattr(model, "_multilabel", False):
        return binarizer.fit(np.array([[0], [1]]) * np.ones(len(model.classes_), dtype=np.int64))
    return binarizer.fit(model.classes_)
