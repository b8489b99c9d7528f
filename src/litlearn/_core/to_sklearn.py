"""scikit-learn's own fitted estimators, made from ours.

Some tools ask for more than the methods of an estimator: for scikit-learn's own class, or for the
memory of its compiled tree. For these, ``to_sklearn`` makes such an object, with everything that
``fit`` has learned. Only who calls it needs scikit-learn, and only then it is imported.
"""

import copy
import importlib

import numpy as np

from litlearn._core import validation


def convert(model):
    """Return scikit-learn's estimator of the same name, with the same fitted attributes."""
    validation.check_is_fitted(model)
    theirs = _with_parameters(_counterpart(model), model)
    _copy_fitted(model, theirs)
    if hasattr(model, "singular_"):  # of LinearRegression: computed when it is asked for
        theirs.singular_ = np.array(model.singular_)
    if hasattr(theirs, "scalings_"):  # of LinearDiscriminantAnalysis: how many of them count
        theirs._max_components = model._n_features_out
    if type(theirs).__name__ in ("RidgeClassifier", "RidgeClassifierCV"):
        theirs._label_binarizer = _label_binarizer(model)
    return theirs


def convert_tree(model, hard=False):
    """Return scikit-learn's tree of the same name. With `hard`, leaves hold votes."""
    validation.check_is_fitted(model)
    theirs = _with_parameters(_counterpart(model), model)
    _copy_fitted(model, theirs, but=("tree_",))
    theirs.tree_ = their_tree(model.tree_, hard)
    return theirs


def convert_forest(model):
    """Return scikit-learn's forest of the same name, with scikit-learn's trees."""
    validation.check_is_fitted(model)
    theirs = _with_parameters(_counterpart(model), model)
    _copy_fitted(model, theirs, but=("estimators_",))
    hard = getattr(model, "voting", "soft") == "hard"
    theirs.estimators_ = [convert_tree(one, hard) for one in model.estimators_]
    theirs.estimator_ = theirs.estimator
    theirs._n_samples, theirs._sample_weight = model._n_samples, model._sample_weight
    theirs._n_samples_bootstrap = model._n_samples_bootstrap if model.bootstrap else None
    return theirs


def their_tree(tree, hard=False):
    """Return a tree as scikit-learn's compiled ``Tree``; its nodes keep their numbers.

    With `hard`, the value of a node is one vote for its largest class, of equal ones the first.
    """
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
            return getattr(_import(f"sklearn.{rest.split('.')[0]}"), cls.__name__)
    raise TypeError(f"to_sklearn: {type(model).__name__} is not one of litlearn's estimators.")


def _with_parameters(cls, model):
    """Return an unfitted estimator of a class of scikit-learn, with the parameters it knows."""
    known = cls._get_param_names()
    ours = model.get_params(deep=False)
    return cls(**{name: value for name, value in ours.items() if name in known})


def _copy_fitted(model, theirs, but=()):
    """Copy the fitted attributes that are stored, those whose names end with ``_``."""
    for name, value in vars(model).items():
        if name.endswith("_") and not name.startswith("_") and name not in but:
            setattr(theirs, name, copy.deepcopy(value))


def _label_binarizer(model):
    """Return what scikit-learn's RidgeClassifier remembers of the classes."""
    binarizer = _import("sklearn.preprocessing").LabelBinarizer(pos_label=1, neg_label=-1)
    if getattr(model, "_multilabel", False):
        return binarizer.fit(np.array([[0], [1]]) * np.ones(len(model.classes_), dtype=np.int64))
    return binarizer.fit(model.classes_)
