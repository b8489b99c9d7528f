"""Decision trees: the estimators."""

from typing import ClassVar

import numpy as np

from litlearn._core import validation
from litlearn._core.constraints import SEED, Option, Table
from litlearn.tree._base import ClassShares, LeafMeans, TreeModel, renamed, with_table
from litlearn.tree._growth import grow_tree
from litlearn.tree._prune import find_weakest_links, prune


class DecisionTree(TreeModel):
    """What the four trees share."""

    _constraints = Table(splitter=Option("best", "random"), random_state=SEED)

    def _draws_thresholds(self):
        return self.splitter == "random"

    # For scikit-learn's routing of metadata: not something to be passed around.
    __metadata_request__fit: ClassVar = {"check_input": "$UNUSED$"}
    __metadata_request__predict: ClassVar = {"check_input": "$UNUSED$"}
    __metadata_request__predict_proba: ClassVar = {"check_input": "$UNUSED$"}

    def fit(self, X, y, sample_weight=None, check_input=True):
        """Grow the tree.

        Parameters
        ----------
        X : array-like or sparse array of shape (n_samples, n_features)
            Training samples; NaN stands for a missing value. Sparse data, CSC or converted to it,
            stay sparse, grow the same tree as dense ones, and hold no NaN.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Targets: classes or real numbers.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights, not negative. A sample of weight zero takes no part.
        check_input : bool, default=True
            For scikit-learn's signature; the input is always checked.

        Returns
        -------
        self : estimator

        Raises
        ------
        TypeError
            If `y` is sparse, or `X` or `y` holds objects that are not numbers.
        ValueError
            If a parameter is out of range, or `X` or `y` is missing, empty, of the wrong shape, or
            holds infinity.
        """
        tree, training = self._grow_tree(X, y, sample_weight)
        self._store(training)
        self.tree_ = tree if self.ccp_alpha == 0.0 else prune(tree, float(self.ccp_alpha))
        return self

    def _grow_tree(self, X, y, sample_weight):
        random_state = validation.check_parameters(self).random_state
        training = self._training(X, y, sample_weight, getattr(self, "class_weight", None))
        seed = validation.random_integer(random_state)
        tree = grow_tree(
            training.X,
            training.codes,
            with_table(training.problem, self.criteria[self.criterion], training.weight),
            self._rules(training),
            training.targets,
            training.weight,
            seed,
            self.max_leaf_nodes,
        )
        return tree, training

    def cost_complexity_pruning_path(self, X, y, sample_weight=None):
        """Return the prices at which branches are pruned, and the impurity that is left.

        Implements :eq:`eq-weakest-link`. The estimator itself stays as it is.

        Parameters
        ----------
        X, y, sample_weight : array-like
            As for ``fit``.

        Returns
        -------
        PruningPath
            Has the attributes, and dictionary entries, ``ccp_alphas`` and ``impurities``, each of
            shape (n_subtrees,): values of ``ccp_alpha`` from 0 up, and the weighted impurity of the
            leaves of the tree pruned with it.
        """
        tree, _ = self._grow_tree(X, y, sample_weight)
        _, alphas, impurities = find_weakest_links(tree, np.inf)
        return PruningPath(ccp_alphas=alphas, impurities=impurities)

    def get_depth(self):
        """Return the number of splits on the longest way from the root to a leaf."""
        validation.check_is_fitted(self)
        return self.tree_.max_depth

    def get_n_leaves(self):
        """Return the number of leaves."""
        validation.check_is_fitted(self)
        return self.tree_.n_leaves

    def apply(self, X, check_input=True):
        """Return the number of the leaf that each sample falls into.

        Parameters
        ----------
        X : array-like or sparse array of shape (n_samples, n_features)
            Samples. Sparse ones, CSR or converted to it, are laid out a few rows at a time.
        check_input : bool, default=True
            For scikit-learn's signature; the input is always checked.

        Returns
        -------
        ndarray of shape (n_samples,), int64
        """
        X = self._queries(X)
        return self.tree_.apply(X)

    def decision_path(self, X, check_input=True):
        """Return which nodes each sample passes.

        Parameters
        ----------
        X : array-like or sparse array of shape (n_samples, n_features)
            Samples. Sparse ones, CSR or converted to it, are laid out a few rows at a time.
        check_input : bool, default=True
            For scikit-learn's signature; the input is always checked.

        Returns
        -------
        CSR matrix of shape (n_samples, n_nodes)
            Ones where a sample passes a node.
        """
        X = self._queries(X)
        return self.tree_.decision_path(X)

    @property
    def feature_importances_(self):
        """Share of each feature in the decrease of impurity: :eq:`eq-importance`."""
        validation.check_is_fitted(self)
        return self.tree_.compute_feature_importances()

    def _values(self, X):
        """Return the values of the leaves of the samples: (n_samples, n_outputs, n_classes)."""
        X = self._queries(X)
        return self.tree_.predict(X)


class PruningPath(dict):
    """A dictionary whose entries are attributes too."""

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


class TreeClassifier(ClassShares, DecisionTree):
    """What the two classifiers share."""

    def predict(self, X, check_input=True):
        """Predict the class of each sample: the one with the largest share in its leaf.

        Parameters
        ----------
        X : array-like or sparse array of shape (n_samples, n_features)
            Samples. Sparse ones, CSR or converted to it, are laid out a few rows at a time.
        check_input : bool, default=True
            For scikit-learn's signature; the input is always checked.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_outputs)
            Members of ``classes_``; of equal shares, the first.
        """
        return self._labels(self._values(X))

    def predict_proba(self, X, check_input=True):
        """Return the shares of the classes in the leaf of each sample.

        Parameters
        ----------
        X : array-like or sparse array of shape (n_samples, n_features)
            Samples. Sparse ones, CSR or converted to it, are laid out a few rows at a time.
        check_input : bool, default=True
            For scikit-learn's signature; the input is always checked.

        Returns
        -------
        ndarray of shape (n_samples, n_classes), or a list of them, one for each output
            Shares in the order of ``classes_``.
        """
        return self._public(self._shares(self._values(X)))


class TreeRegressor(LeafMeans, DecisionTree):
    """What the two regressors share."""

    def predict(self, X, check_input=True):
        """Predict the target of each sample: the mean, or the median, of its leaf.

        Parameters
        ----------
        X : array-like or sparse array of shape (n_samples, n_features)
            Samples. Sparse ones, CSR or converted to it, are laid out a few rows at a time.
        check_input : bool, default=True
            For scikit-learn's signature; the input is always checked.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_outputs), float64
        """
        return self._flat(self._values(X)[:, :, 0])


class DecisionTreeClassifier(TreeClassifier):
    """Predict a class by a sequence of questions about single features.

    Each question compares one feature with a threshold, the one that leaves the two groups of
    training samples least mixed: :eq:`eq-split`. Thresholds are exact, and of the type float64.

    Parameters
    ----------
    criterion : {"gini", "entropy", "log_loss", "misclassification"}, default="gini"
        Impurity: :eq:`eq-gini`, :eq:`eq-entropy` (``"log_loss"`` is another name for it) or
        :eq:`eq-misclassification`, which scikit-learn does not have.
    splitter : {"best", "random"}, default="best"
        ``"best"``: the best threshold of each feature that is tried. ``"random"``: one
        threshold for each, drawn uniformly between its least and its largest value in the
        node.
    max_depth : int, default=None
        Number of splits on the longest way from the root to a leaf. None: no limit.
    min_samples_split : int or float, default=2
        A node with fewer samples is a leaf. A float is a share of the training samples,
        rounded up.
    min_samples_leaf : int or float, default=1
        Least number of samples, or share of them, on either side of a split.
    min_weight_fraction_leaf : float, default=0.0
        Least share of the total weight on either side of a split, at most 0.5.
    max_features : int, float, {"sqrt", "log2"} or None, default=None
        Number of features, or share of them, that a node tries; more if all of these are
        constant there. None: all.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the order in which features are tried and of random thresholds. Of features
        that split equally well, the first one tried wins.
    max_leaf_nodes : int, default=None
        Grow best first, always splitting the leaf whose split decreases the impurity most,
        until there are so many leaves. None: no limit, depth first.
    min_impurity_decrease : float, default=0.0
        A node is split only if that decreases the impurity, weighted by the node's share of
        the samples, by at least this much: :eq:`eq-impurity-decrease`.
    class_weight : dict, list of dict or "balanced", default=None
        Weights of the classes, a list of them for several outputs. ``"balanced"``: inverse
        to the class counts.
    ccp_alpha : float, default=0.0
        Price of a leaf in minimal cost-complexity pruning: :eq:`eq-cost-complexity`. 0: no
        pruning.
    monotonic_cst : array-like of shape (n_features,), default=None
        Monotonic constraints, for two classes and one output: 1 if the probability of the second
        class must never fall as a feature grows, -1 if it must never rise, otherwise 0. A split of
        such a feature must put the children's shares in order. The middle between them bounds all
        shares below, which are clipped to it (Potharst and Feelders, 2002; scikit-learn's User
        Guide). Nothing is asked of missing values. None: no constraints.
    categorical_features : array-like or "from_dtype", default=None
        Which features are categories, as a mask, by their numbers or by their names; or, with
        ``"from_dtype"``, the columns of a data frame whose type is categorical or an enumeration.
        Their levels are finite numbers, or what the data frame holds, and a split sends a set of
        them to the left, whatever their order: a random one, or the best of all, which
        :eq:`eq-category-order` finds for two classes and for means of one output. With several
        classes or outputs, and for medians, all sets are tried of up to 8 levels in a node; of
        more, the set is the best that comes first in the order of one class, output or median.
        Missing values are one more level, and levels that a node has not seen go with them. `X`
        must be dense and in memory. None: all features are numbers.
    max_bins : int, default=None
        Approximate splits: the values of a feature are put into at most so many bins of
        about equally many samples, whatever their weights, and only thresholds between bins
        are tried. None: all thresholds, exactly. Random thresholds are not affected.

    Attributes
    ----------
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if `X` was a data frame with string names.
    is_categorical_ : ndarray of shape (n_features_in_,), bool
        Which features are categories; only with ``categorical_features``.
    levels_ : dict
        For the number of each of these, its levels in an array.
    n_outputs_ : int
        Number of targets.
    max_features_ : int
        Number of features that a node tries.
    feature_importances_ : ndarray of shape (n_features_in_,)
        Share of each feature in the decrease of impurity: :eq:`eq-importance`.
    classes_ : ndarray of shape (n_classes,), or list of them
        The classes in order, one array for each output.
    n_classes_ : int or list of int
        Their number.
    tree_ : Tree
        The fitted tree as plain arrays; see :class:`litlearn.tree._structure.Tree`.

    Notes
    -----
    Cost: n p log n for each level of the tree, n = samples, p = features that are tried. A
    prediction takes one comparison a level.

    References
    ----------
    Breiman, Friedman, Olshen and Stone, Classification and Regression Trees, 1984.

    Examples
    --------
    >>> from litlearn.tree import DecisionTreeClassifier, export_text
    >>> model = DecisionTreeClassifier(random_state=0).fit([[0], [1], [2], [3]], [0, 0, 1, 1])
    >>> print(model.predict([[1.1], [2.2]]))
    [0 1]
    >>> print(export_text(model, feature_names=["age"]))
    |--- age <= 1.50
    |   |--- class: 0
    |--- age >  1.50
    |   |--- class: 1
    <BLANKLINE>
    """

    def __init__(
        self,
        *,
        criterion="gini",
        splitter="best",
        max_depth=None,
        min_samples_split=2,
        min_samples_leaf=1,
        min_weight_fraction_leaf=0.0,
        max_features=None,
        random_state=None,
        max_leaf_nodes=None,
        min_impurity_decrease=0.0,
        class_weight=None,
        ccp_alpha=0.0,
        monotonic_cst=None,
        categorical_features=None,
        max_bins=None,
    ):
        self._set_as_given(locals())


class DecisionTreeRegressor(TreeRegressor):
    """Predict a number by a sequence of questions about single features.

    Each question compares one feature with a threshold, the one that leaves the two groups of
    training samples least mixed: :eq:`eq-split`. Thresholds are exact, and of the type float64.

    Parameters
    ----------
    criterion : {"squared_error", "absolute_error", "poisson"}, default="squared_error"
        Impurity: :eq:`eq-squared-error`, :eq:`eq-absolute-error`, whose leaves predict
        medians, or :eq:`eq-poisson-deviance`, for counts. ``"friedman_mse"`` is an old name of
        ``"squared_error"``, with a ``FutureWarning``.
    splitter : {"best", "random"}, default="best"
        ``"best"``: the best threshold of each feature that is tried. ``"random"``: one
        threshold for each, drawn uniformly between its least and its largest value in the
        node.
    max_depth : int, default=None
        Number of splits on the longest way from the root to a leaf. None: no limit.
    min_samples_split : int or float, default=2
        A node with fewer samples is a leaf. A float is a share of the training samples,
        rounded up.
    min_samples_leaf : int or float, default=1
        Least number of samples, or share of them, on either side of a split.
    min_weight_fraction_leaf : float, default=0.0
        Least share of the total weight on either side of a split, at most 0.5.
    max_features : int, float, {"sqrt", "log2"} or None, default=None
        Number of features, or share of them, that a node tries; more if all of these are
        constant there. None: all.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the order in which features are tried and of random thresholds. Of features
        that split equally well, the first one tried wins.
    max_leaf_nodes : int, default=None
        Grow best first, always splitting the leaf whose split decreases the impurity most,
        until there are so many leaves. None: no limit, depth first.
    min_impurity_decrease : float, default=0.0
        A node is split only if that decreases the impurity, weighted by the node's share of
        the samples, by at least this much: :eq:`eq-impurity-decrease`.
    ccp_alpha : float, default=0.0
        Price of a leaf in minimal cost-complexity pruning: :eq:`eq-cost-complexity`. 0: no
        pruning.
    monotonic_cst : array-like of shape (n_features,), default=None
        Monotonic constraints, for one target: 1 if the prediction must never fall as a feature
        grows, -1 if it must never rise, otherwise 0. A split of such a feature must put the
        children's means (or medians) in order. The middle between them bounds all values below,
        which are clipped to it (Potharst and Feelders, 2002; scikit-learn's User Guide). Nothing is
        asked of missing values. None: no constraints.
    categorical_features : array-like or "from_dtype", default=None
        Which features are categories, as a mask, by their numbers or by their names; or, with
        ``"from_dtype"``, the columns of a data frame whose type is categorical or an enumeration.
        Their levels are finite numbers, or what the data frame holds, and a split sends a set of
        them to the left, whatever their order: a random one, or the best of all, which
        :eq:`eq-category-order` finds for two classes and for means of one output. With several
        classes or outputs, and for medians, all sets are tried of up to 8 levels in a node; of
        more, the set is the best that comes first in the order of one class, output or median.
        Missing values are one more level, and levels that a node has not seen go with them. `X`
        must be dense and in memory. None: all features are numbers.
    max_bins : int, default=None
        Approximate splits: the values of a feature are put into at most so many bins of
        about equally many samples, whatever their weights, and only thresholds between bins
        are tried. None: all thresholds, exactly. Random thresholds are not affected.

    Attributes
    ----------
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if `X` was a data frame with string names.
    is_categorical_ : ndarray of shape (n_features_in_,), bool
        Which features are categories; only with ``categorical_features``.
    levels_ : dict
        For the number of each of these, its levels in an array.
    n_outputs_ : int
        Number of targets.
    max_features_ : int
        Number of features that a node tries.
    feature_importances_ : ndarray of shape (n_features_in_,)
        Share of each feature in the decrease of impurity: :eq:`eq-importance`.
    tree_ : Tree
        The fitted tree as plain arrays; see :class:`litlearn.tree._structure.Tree`.

    Notes
    -----
    Cost: n p log n for each level of the tree, n = samples, p = features that are tried. A
    prediction takes one comparison a level.

    References
    ----------
    Breiman, Friedman, Olshen and Stone, Classification and Regression Trees, 1984.

    Examples
    --------
    >>> from litlearn.tree import DecisionTreeRegressor
    >>> model = DecisionTreeRegressor(max_depth=1, random_state=0)
    >>> print(model.fit([[0], [1], [2], [3]], [1.0, 2.0, 7.0, 8.0]).predict([[0.4], [2.6]]))
    [1.5 7.5]
    """

    def __init__(
        self,
        *,
        criterion="squared_error",
        splitter="best",
        max_depth=None,
        min_samples_split=2,
        min_samples_leaf=1,
        min_weight_fraction_leaf=0.0,
        max_features=None,
        random_state=None,
        max_leaf_nodes=None,
        min_impurity_decrease=0.0,
        ccp_alpha=0.0,
        monotonic_cst=None,
        categorical_features=None,
        max_bins=None,
    ):
        criterion = renamed(criterion)
        self._set_as_given(locals())


class ExtraTreeClassifier(DecisionTreeClassifier):
    """Predict a class by questions with random thresholds.

    A single tree of an extremely randomized forest; on its own it is a weak model.

    Parameters
    ----------
    criterion : {"gini", "entropy", "log_loss", "misclassification"}, default="gini"
        Impurity: :eq:`eq-gini`, :eq:`eq-entropy` (``"log_loss"`` is another name for it) or
        :eq:`eq-misclassification`, which scikit-learn does not have.
    splitter : {"best", "random"}, default="random"
        ``"best"``: the best threshold of each feature that is tried. ``"random"``: one
        threshold for each, drawn uniformly between its least and its largest value in the
        node.
    max_depth : int, default=None
        Number of splits on the longest way from the root to a leaf. None: no limit.
    min_samples_split : int or float, default=2
        A node with fewer samples is a leaf. A float is a share of the training samples,
        rounded up.
    min_samples_leaf : int or float, default=1
        Least number of samples, or share of them, on either side of a split. A random threshold
        that leaves fewer is no candidate.
    min_weight_fraction_leaf : float, default=0.0
        Least share of the total weight on either side of a split, at most 0.5.
    max_features : int, float, {"sqrt", "log2"} or None, default="sqrt"
        Number of features, or share of them, that a node tries; more if all of these are
        constant there. None: all.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the order in which features are tried and of random thresholds. Of features
        that split equally well, the first one tried wins.
    max_leaf_nodes : int, default=None
        Grow best first, always splitting the leaf whose split decreases the impurity most,
        until there are so many leaves. None: no limit, depth first.
    min_impurity_decrease : float, default=0.0
        A node is split only if that decreases the impurity, weighted by the node's share of
        the samples, by at least this much: :eq:`eq-impurity-decrease`.
    class_weight : dict, list of dict or "balanced", default=None
        Weights of the classes, a list of them for several outputs. ``"balanced"``: inverse
        to the class counts.
    ccp_alpha : float, default=0.0
        Price of a leaf in minimal cost-complexity pruning: :eq:`eq-cost-complexity`. 0: no
        pruning.
    monotonic_cst : array-like of shape (n_features,), default=None
        Monotonic constraints, for two classes and one output: 1 if the probability of the second
        class must never fall as a feature grows, -1 if it must never rise, otherwise 0. A split of
        such a feature must put the children's shares in order. The middle between them bounds all
        shares below, which are clipped to it (Potharst and Feelders, 2002; scikit-learn's User
        Guide). Nothing is asked of missing values. None: no constraints.
    categorical_features : array-like or "from_dtype", default=None
        Which features are categories, as a mask, by their numbers or by their names; or, with
        ``"from_dtype"``, the columns of a data frame whose type is categorical or an enumeration.
        Their levels are finite numbers, or what the data frame holds, and a split sends a set of
        them to the left, whatever their order: a random one, or the best of all, which
        :eq:`eq-category-order` finds for two classes and for means of one output. With several
        classes or outputs, and for medians, all sets are tried of up to 8 levels in a node; of
        more, the set is the best that comes first in the order of one class, output or median.
        Missing values are one more level, and levels that a node has not seen go with them. `X`
        must be dense and in memory. None: all features are numbers.
    max_bins : int, default=None
        Approximate splits: the values of a feature are put into at most so many bins of
        about equally many samples, whatever their weights, and only thresholds between bins
        are tried. None: all thresholds, exactly. Random thresholds are not affected.

    Attributes
    ----------
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if `X` was a data frame with string names.
    is_categorical_ : ndarray of shape (n_features_in_,), bool
        Which features are categories; only with ``categorical_features``.
    levels_ : dict
        For the number of each of these, its levels in an array.
    n_outputs_ : int
        Number of targets.
    max_features_ : int
        Number of features that a node tries.
    feature_importances_ : ndarray of shape (n_features_in_,)
        Share of each feature in the decrease of impurity: :eq:`eq-importance`.
    classes_ : ndarray of shape (n_classes,), or list of them
        The classes in order, one array for each output.
    n_classes_ : int or list of int
        Their number.
    tree_ : Tree
        The fitted tree as plain arrays; see :class:`litlearn.tree._structure.Tree`.

    Notes
    -----
    Cost: n p for each level of the tree, n = samples, p = features that are tried. A prediction
    takes one comparison a level.

    References
    ----------
    Geurts, Ernst and Wehenkel, Extremely randomized trees, Machine Learning 63, 2006.

    Examples
    --------
    >>> from litlearn.tree import ExtraTreeClassifier
    >>> model = ExtraTreeClassifier(random_state=0).fit([[0], [1], [8], [9]], [0, 0, 1, 1])
    >>> print(model.predict([[0], [9]]))
    [0 1]
    """

    def __init__(
        self,
        *,
        criterion="gini",
        splitter="random",
        max_depth=None,
        min_samples_split=2,
        min_samples_leaf=1,
        min_weight_fraction_leaf=0.0,
        max_features="sqrt",
        random_state=None,
        max_leaf_nodes=None,
        min_impurity_decrease=0.0,
        class_weight=None,
        ccp_alpha=0.0,
        monotonic_cst=None,
        categorical_features=None,
        max_bins=None,
    ):
        self._set_as_given(locals())


class ExtraTreeRegressor(DecisionTreeRegressor):
    """Predict a number by questions with random thresholds.

    A single tree of an extremely randomized forest; on its own it is a weak model.

    Parameters
    ----------
    criterion : {"squared_error", "absolute_error", "poisson"}, default="squared_error"
        Impurity: :eq:`eq-squared-error`, :eq:`eq-absolute-error`, whose leaves predict
        medians, or :eq:`eq-poisson-deviance`, for counts. ``"friedman_mse"`` is an old name of
        ``"squared_error"``, with a ``FutureWarning``.
    splitter : {"best", "random"}, default="random"
        ``"best"``: the best threshold of each feature that is tried. ``"random"``: one
        threshold for each, drawn uniformly between its least and its largest value in the
        node.
    max_depth : int, default=None
        Number of splits on the longest way from the root to a leaf. None: no limit.
    min_samples_split : int or float, default=2
        A node with fewer samples is a leaf. A float is a share of the training samples,
        rounded up.
    min_samples_leaf : int or float, default=1
        Least number of samples, or share of them, on either side of a split. A random threshold
        that leaves fewer is no candidate.
    min_weight_fraction_leaf : float, default=0.0
        Least share of the total weight on either side of a split, at most 0.5.
    max_features : int, float, {"sqrt", "log2"} or None, default=1.0
        Number of features, or share of them, that a node tries; more if all of these are
        constant there. None: all.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the order in which features are tried and of random thresholds. Of features
        that split equally well, the first one tried wins.
    min_impurity_decrease : float, default=0.0
        A node is split only if that decreases the impurity, weighted by the node's share of
        the samples, by at least this much: :eq:`eq-impurity-decrease`.
    max_leaf_nodes : int, default=None
        Grow best first, always splitting the leaf whose split decreases the impurity most,
        until there are so many leaves. None: no limit, depth first.
    ccp_alpha : float, default=0.0
        Price of a leaf in minimal cost-complexity pruning: :eq:`eq-cost-complexity`. 0: no
        pruning.
    monotonic_cst : array-like of shape (n_features,), default=None
        Monotonic constraints, for one target: 1 if the prediction must never fall as a feature
        grows, -1 if it must never rise, otherwise 0. A split of such a feature must put the
        children's means (or medians) in order. The middle between them bounds all values below,
        which are clipped to it (Potharst and Feelders, 2002; scikit-learn's User Guide). Nothing is
        asked of missing values. None: no constraints.
    categorical_features : array-like or "from_dtype", default=None
        Which features are categories, as a mask, by their numbers or by their names; or, with
        ``"from_dtype"``, the columns of a data frame whose type is categorical or an enumeration.
        Their levels are finite numbers, or what the data frame holds, and a split sends a set of
        them to the left, whatever their order: a random one, or the best of all, which
        :eq:`eq-category-order` finds for two classes and for means of one output. With several
        classes or outputs, and for medians, all sets are tried of up to 8 levels in a node; of
        more, the set is the best that comes first in the order of one class, output or median.
        Missing values are one more level, and levels that a node has not seen go with them. `X`
        must be dense and in memory. None: all features are numbers.
    max_bins : int, default=None
        Approximate splits: the values of a feature are put into at most so many bins of
        about equally many samples, whatever their weights, and only thresholds between bins
        are tried. None: all thresholds, exactly. Random thresholds are not affected.

    Attributes
    ----------
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if `X` was a data frame with string names.
    is_categorical_ : ndarray of shape (n_features_in_,), bool
        Which features are categories; only with ``categorical_features``.
    levels_ : dict
        For the number of each of these, its levels in an array.
    n_outputs_ : int
        Number of targets.
    max_features_ : int
        Number of features that a node tries.
    feature_importances_ : ndarray of shape (n_features_in_,)
        Share of each feature in the decrease of impurity: :eq:`eq-importance`.
    tree_ : Tree
        The fitted tree as plain arrays; see :class:`litlearn.tree._structure.Tree`.

    Notes
    -----
    Cost: n p for each level of the tree, n = samples, p = features that are tried. A prediction
    takes one comparison a level.

    References
    ----------
    Geurts, Ernst and Wehenkel, Extremely randomized trees, Machine Learning 63, 2006.

    Examples
    --------
    >>> from litlearn.tree import ExtraTreeRegressor
    >>> model = ExtraTreeRegressor(random_state=0).fit([[0], [1], [8], [9]], [1.0, 2.0, 7.0, 8.0])
    >>> print(model.predict([[0], [9]]))
    [1. 8.]
    """

    def __init__(
        self,
        *,
        criterion="squared_error",
        splitter="random",
        max_depth=None,
        min_samples_split=2,
        min_samples_leaf=1,
        min_weight_fraction_leaf=0.0,
        max_features=1.0,
        random_state=None,
        min_impurity_decrease=0.0,
        max_leaf_nodes=None,
        ccp_alpha=0.0,
        monotonic_cst=None,
        categorical_features=None,
        max_bins=None,
    ):
        criterion = renamed(criterion)
        self._set_as_given(locals())
