"""Forests: many trees, each grown on other samples or with other random choices, and averaged."""

import numbers
from typing import NamedTuple

import numpy as np

from litlearn._core import parallel, targets, validation
from litlearn._core.base import clone
from litlearn._core.chunked import is_chunked, is_chunked_frame
from litlearn._core.constraints import BOOLEAN, CALLABLE, REPEATS, Float, Option, Table
from litlearn._core.tasks import map_tasks
from litlearn.datasets import Bunch
from litlearn.ensemble._draws import draw_counts, draw_rows
from litlearn.ensemble._importances import permutation_importances
from litlearn.ensemble._jackknife import jackknife_variances
from litlearn.ensemble._quantiles import forest_quantiles
from litlearn.tree import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreeClassifier,
    ExtraTreeRegressor,
)
from litlearn.tree._base import (
    CLASS_WEIGHTS,
    ClassShares,
    LeafMeans,
    Training,
    TreeModel,
    renamed,
    with_table,
)
from litlearn.tree._growth import grow_tree
from litlearn.tree._prune import prune
from litlearn.tree._sparse import dense_rows
from litlearn.tree._splitter import Rules, TreeProblem
from litlearn.tree._structure import BLOCK_ROWS, blocks_by_work, has_missing


class Plan(NamedTuple):
    """What all trees of a forest are grown from: each sees it, and its own number."""

    training: Training
    problem: TreeProblem
    rules: Rules
    seeds: list  # of each tree
    n_draws: int
    draws: np.ndarray | None  # weights by which samples are drawn
    per_tree: bool  # whether the classes are balanced among the samples of each tree


# Parameters that a forest has for itself, though trees have them, too.
NOT_OF_TREES = ("class_weight", "random_state")


class Forest(TreeModel):
    """What the four forests share."""

    _constraints = Table(
        n_estimators=REPEATS,
        bootstrap=BOOLEAN,
        oob_score=BOOLEAN | CALLABLE,
        max_samples=REPEATS | Float("(0.0, inf)") | None,
    )
    member = None  # the class of the trees
    positive = "strictly positive"
    _fits_tasks = True

    def _check_parameters(self):
        given, who = validation.check_parameters(self), type(self).__name__
        if self.max_samples is not None and not self.bootstrap:
            raise ValueError(
                f"{who}: `max_sample` cannot be set if `bootstrap=False`. Either switch to "
                "`bootstrap=True` or set `max_sample=None`."
            )
        if self.oob_score and not self.bootstrap:
            raise ValueError(
                f"{who}: Out of bag estimation only available if bootstrap=True. Got "
                f"oob_score={self.oob_score!r}."
            )
        return given

    def fit(self, X, y, sample_weight=None):
        """Grow the trees.

        Parameters
        ----------
        X : array-like or sparse array of shape (n_samples, n_features)
            Training samples; NaN stands for a missing value. Sparse data, CSC or converted to it,
            stay sparse, grow the same trees as dense ones, and hold no NaN.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Targets: classes or real numbers.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights, not negative. With ``bootstrap`` they are the chances of being drawn, otherwise
            the weights of the samples in every tree.

        Returns
        -------
        self : estimator

        Raises
        ------
        TypeError
            If `X` or `y` holds objects that are not numbers.
        ValueError
            If a parameter is out of range, `y` is sparse, or `X` or `y` is missing, empty, of the
            wrong shape, or holds infinity.
        """
        random_state = self._check_parameters().random_state
        if validation.is_sparse(y):
            raise ValueError(
                f"{type(self).__name__}: sparse multilabel-indicator for y is not supported."
            )
        class_weight, per_tree = getattr(self, "class_weight", None), False
        if validation.is_option(class_weight, "balanced_subsample"):
            per_tree = self.bootstrap
            class_weight = None if per_tree else "balanced"
        training = self._training(X, y, sample_weight, class_weight)
        weighted = sample_weight is not None or class_weight is not None
        grown = list(getattr(self, "estimators_", [])) if self.warm_start else []
        n_new = self.n_estimators - len(grown)
        if n_new < 0:
            raise ValueError(
                f"{type(self).__name__}: n_estimators={self.n_estimators} must be larger or equal "
                f"to len(estimators_)={len(grown)} when warm_start==True"
            )
        if grown and n_new:
            self._check_same_kind(training)
        if n_new == 0:
            message = "Warm-start fitting without increasing n_estimators does not fit new trees."
            validation.warn(UserWarning(f"{type(self).__name__}: {message}"))
            if not self.oob_score or hasattr(self, "oob_score_"):
                return self
            self._check_same_kind(training)
        seeds = [validation.random_integer(random_state) for _ in range(self.n_estimators)]
        n_draws = self._n_draws(training, weighted)
        draws = training.weight if weighted else None
        trees = self._grow_trees(training, seeds[len(grown) :], n_draws, draws, per_tree)
        self._store(training)
        members = zip(trees, seeds[len(grown) :], strict=True)
        self.estimators_ = grown + [self._as_estimator(tree, seed) for tree, seed in members]
        self._n_samples, self._n_samples_bootstrap = training.X.shape[0], n_draws
        self._sample_weight = draws
        if self.oob_score and (n_new or not hasattr(self, "oob_score_")):
            self._set_oob(training, n_draws, draws)
        return self

    def _check_same_kind(self, training):
        """Refuse to add trees to a forest that was grown on other features, outputs or classes."""
        shape = len(training.targets.Y), training.X.shape[1]
        before = self.n_outputs_, self.n_features_in_
        if shape != before:
            raise ValueError(
                f"{type(self).__name__}: with warm_start=True, the trees that are there have "
                f"(n_outputs, n_features)={before}, and the new ones would have {shape}."
            )
        mine, new = sorted(getattr(self, "levels_", ())), sorted(training.levels or ())
        if mine != new:
            raise ValueError(
                f"{type(self).__name__}: with warm_start=True, the trees that are there have the "
                f"categorical features {mine}, and the new ones would have {new}."
            )
        if training.classes is None:
            return
        for old, new in zip(self._classes_of_outputs(), training.classes, strict=True):
            if not np.array_equal(old, new):
                raise ValueError(
                    f"{type(self).__name__}: with warm_start=True, y must have the classes of the "
                    f"trees that are there. Got {new!r}, expected {old!r}."
                )

    def _n_draws(self, training, weighted):
        """Return how many samples a tree draws."""
        n_samples = training.X.shape[0]
        if self.max_samples is None:
            return n_samples
        if isinstance(self.max_samples, numbers.Integral):
            return int(self.max_samples)
        of = training.weight.sum() if weighted else n_samples
        if self.max_samples * of > validation.LARGEST:
            expected = f"a share of at most {validation.LARGEST:,} samples"
            validation.refuse(self, "max_samples", self.max_samples, expected)
        n_draws = max(1, int(self.max_samples * of))
        if n_draws < max(10, n_samples ** (1 / 3)):
            what = "total sum of sample weights" if weighted else "number of samples"
            message = (
                f"{type(self).__name__}: Using the fractional value max_samples="
                f"{self.max_samples!r} when the {what} is {of:g} results in a low number "
                f"({n_draws}) of bootstrap samples. We recommend passing `max_samples` as an "
                "integer instead."
            )
            validation.warn(UserWarning(message))
        return n_draws

    def _grow_trees(self, training, seeds, n_draws, draws, per_tree):
        """Grow one tree for each seed, in threads here or on workers of Dask."""
        criterion = self.criteria[self.criterion]
        # One table serves all trees, unless each has weights of its own.
        total = np.full(1, float(n_draws)) if self.bootstrap else training.weight
        shared = training.problem if per_tree else with_table(training.problem, criterion, total)
        plan = Plan(training, shared, self._rules(training), seeds, n_draws, draws, per_tree)
        bare = clone(self)  # without what an earlier fit has left, it travels with each tree
        with self._progress_bar(len(seeds)) as bar:
            return map_tasks(bare._grow_one, plan, len(seeds), self.n_jobs, bar.update)

    def _grow_one(self, plan, b):
        """Grow tree b."""
        training, weight = plan.training, plan.training.weight
        if self.bootstrap:
            n_samples = training.X.shape[0]
            counts = draw_counts(plan.seeds[b], n_samples, plan.n_draws, plan.draws)
            weight = counts.astype(np.float64)
            if plan.per_tree:
                weight = weight * self._balanced_factors(training, weight)
        tree = grow_tree(
            training.X,
            training.codes,
            plan.problem,
            plan.rules,
            training.targets,
            weight,
            # As a tree with this random_state would begin.
            validation.random_integer(plan.seeds[b]),
            self.max_leaf_nodes,
        )
        return prune(tree, float(self.ccp_alpha)) if self.ccp_alpha > 0.0 else tree

    def _balanced_factors(self, training, counts):
        """Return weights that balance the classes among the samples that a tree has drawn."""
        factors = np.ones(len(counts))
        for codes, classes in zip(training.classes_of_samples(), training.classes, strict=True):
            weights = validation.check_class_weight(self, "balanced", classes, codes, counts)
            factors *= weights[codes]
        return factors

    def _progress_bar(self, total):
        from tqdm import tqdm

        return tqdm(total=total, unit="tree", disable=not self.verbose)

    def _as_estimator(self, tree, seed):
        """Return the tree as an estimator of its own; its classes are numbers 0, 1, ..."""
        shared = set(self.member._get_param_names()).difference(NOT_OF_TREES)
        params = {name: value for name, value in self.get_params().items() if name in shared}
        estimator = self.member(random_state=seed, **params)
        estimator.n_features_in_ = self.n_features_in_
        estimator._store_levels(getattr(self, "levels_", None))
        estimator.n_outputs_, estimator.max_features_ = self.n_outputs_, self.max_features_
        if hasattr(self, "n_classes_"):
            counts = np.atleast_1d(self.n_classes_)
            estimator.n_classes_ = self.n_classes_
            estimator.classes_ = self._public([np.arange(float(n)) for n in counts])
        estimator.tree_ = tree
        return estimator

    def _means(self, X):
        """Average the values of the leaves over the trees: (n_samples, n_outputs, n_classes)."""
        X, hard = self._queries(X), self._votes_hard()
        trees = [estimator.tree_ for estimator in self.estimators_]
        totals = np.zeros((X.shape[0], *trees[0].value.shape[1:]))

        def part(block):
            for rows, some in dense_rows(X, block):
                missing = has_missing(some)
                for tree in trees:
                    tree.add_values(some, missing, hard, totals[rows])
                    parallel.check_interrupt()

        blocks, work = blocks_by_work(X.shape[0], trees)
        parallel.fold_blocks(part, None, blocks, self.n_jobs, work=work)
        return totals / len(trees)

    def _left_out_means(self, training, n_draws, draws):
        """Average, for each sample, the trees that did not see it.

        Where all trees saw it the sum is empty, zero, and a warning says so. A tree's part is
        added as soon as it is known: memory does not grow with the number of trees.
        """
        X, n_samples = training.X, training.X.shape[0]
        X = X if isinstance(X, np.ndarray) else X.tocsr()
        totals = np.zeros((n_samples, *self.estimators_[0].tree_.value.shape[1:]))
        counts = np.zeros(n_samples, dtype=np.int64)

        def part(estimator):
            drawn = draw_counts(estimator.random_state, n_samples, n_draws, draws)
            rows = np.flatnonzero(drawn == 0)
            values = np.zeros((len(rows), *totals.shape[1:]))
            tree, hard = estimator.tree_, self._votes_hard()
            for block in parallel.cut(len(rows), BLOCK_ROWS):
                taken = X[rows[block]]
                for part, some in dense_rows(taken, slice(0, taken.shape[0])):
                    some = validation.read_only(some)
                    place = slice(block.start + part.start, block.start + part.stop)
                    missing = has_missing(some)
                    tree.add_values(some, missing, hard, values[place])
                    parallel.check_interrupt()
            return rows, values

        def merge(_, found):
            rows, values = found
            totals[rows] += values
            counts[rows] += 1
            return totals

        parallel.fold_blocks(part, merge, self.estimators_, self.n_jobs, initial=totals)
        if not np.all(counts):
            message = (
                f"{type(self).__name__}: Some inputs do not have OOB scores. This probably means "
                "too few trees were used to compute any reliable OOB estimates."
            )
            validation.warn(UserWarning(message))
        return totals / np.maximum(counts, 1)[:, np.newaxis, np.newaxis]

    def _votes_hard(self):
        return False

    def _counts_of(self, b):
        """Return how often tree b has drawn each sample: (n_samples,)."""
        sizes = self._n_samples, self._n_samples_bootstrap, self._sample_weight
        return draw_counts(self.estimators_[b].random_state, *sizes)

    def _weight_of(self, b):
        """Return the weight of each training sample in tree b: (n_samples,)."""
        if self.bootstrap:
            return self._counts_of(b).astype(np.float64)
        return np.ones(self._n_samples) if self._sample_weight is None else self._sample_weight

    def _check_bootstrap(self, what):
        """Refuse to ask for what only trees can answer that have drawn their samples."""
        if not self.bootstrap:
            raise ValueError(
                f"{type(self).__name__}.{what} needs trees that have drawn their samples: fit with "
                f"bootstrap=True. Got bootstrap={self.bootstrap!r}."
            )

    def _check_in_memory(self, what, **arrays):
        """Refuse arrays of Dask: each sample meets all others here."""
        for name, array in arrays.items():
            if is_chunked(array) or is_chunked_frame(array):
                raise TypeError(
                    f"{type(self).__name__}.{what} got an array of Dask for {name}, and needs one "
                    f"in memory: give {name}.compute() if it fits."
                )

    def _check_training(self, X, name="X"):
        """Return the samples of the fit, in the form of queries, if they may be those."""
        X = self._queries(X)
        if X.shape[0] != self._n_samples:
            raise ValueError(
                f"{type(self).__name__}: {name} must hold the {self._n_samples} samples that the "
                f"forest was fitted to. Got {X.shape[0]}."
            )
        return X

    def _check_n_outputs(self, y):
        """Refuse targets of another number of outputs than those of the fit."""
        n_outputs = 1 if y.ndim == 1 else y.shape[1]
        if n_outputs != self.n_outputs_:
            raise ValueError(
                f"{type(self).__name__}: y must have the {self.n_outputs_} output(s) of the fit. "
                f"Got {n_outputs}."
            )

    def out_of_bag_importances(self, X, y, *, n_repeats=5, random_state=None, sample_weight=None):
        r"""Return what each feature is worth: the loss when it is permuted among unseen samples.

        Breiman's permutation importance. Each tree b predicts the samples :math:`O_b` that it has
        not drawn. Then the values of feature j are permuted among these samples, which cuts the
        feature's tie to the targets and to the other features, and the tree predicts them again.
        Its importance is the rise of the mean loss :math:`\ell`, and that of the forest the mean
        over the B trees:

        .. math::
            I_j = \frac{1}{B} \sum_{b=1}^B \frac{1}{|O_b|} \sum_{i \in O_b}
            \ell\bigl(y_i, t_b(x_i^{(j)})\bigr) - \ell\bigl(y_i, t_b(x_i)\bigr).

        Parameters
        ----------
        X : array-like or sparse array of shape (n_samples, n_features)
            The samples that the forest was fitted to, in their order.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Their targets.
        n_repeats : int, default=5
            Permutations of each tree, over which its importance is averaged.
        random_state : int, RandomState, Generator or None, default=None
            Seed of the permutations. The same seed gives the same bits for any ``n_jobs``.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples in the mean loss of a tree; samples without weight do not count.
            None: all weigh the same, whatever the weights of the fit, which decide here what is
            drawn and left out.

        Returns
        -------
        Bunch
            With the names of ``sklearn.inspection.permutation_importance``: ``importances``, of
            shape (n_features, n_estimators), has a column for each tree, NaN if the tree has left
            no sample out; ``importances_mean`` and ``importances_std``, of shape (n_features,), are
            mean and standard deviation over the trees. Beside these ``standard_error``,
            (n_features,), is that of the mean: it tells how far more trees could move it, not how
            far other samples could. With one tree it is NaN.

        Raises
        ------
        TypeError
            If `X` or `y` holds objects that are not numbers, or is an array of Dask.
        ValueError
            If the forest was fitted with ``bootstrap=False``, `n_repeats` is not a positive whole
            number, `X` or `y` has another shape than in the fit, `X` holds other samples (they end
            in other leaves), `y` a class that the fit has not seen, or no tree has left any
            (weighted) sample out.
        NotFittedError
            If the forest is not fitted.

        Notes
        -----
        A classifier's loss is 1 for a wrong class, so that the importance is a loss of accuracy;
        with several outputs all classes must be right. A tree votes for the class with the largest
        share in the leaf. The loss of a regressor is the squared error in units of the variance
        of all (weighted) training targets, averaged over the outputs, so that the importance is a
        loss of :math:`R^2` with one denominator for all trees: it has no unit, may be compared
        between data sets and with ``permutation_importance``, and ranks features as the rise of the
        squared error does. A tree's own :math:`R^2` would weigh trees by the luck of what they
        left out. A constant target has no variance and no importances: 0.

        Why tree by tree, and not the mean of the trees that have not seen a sample, as in
        ``oob_score_``: such a mean may use few or no trees for a sample, other trees make up for
        a feature that some have lost, and it gives one number where the trees give B, with a
        standard error. The price is that importances here are those of single trees, about those
        that the mean of many would have, or larger.

        Features that say the same share their importance, and permuting one makes samples that
        cannot occur; see Strobl and others (2008).

        The draws are made again from the ``random_state`` of each tree, as for ``oob_score_``.
        Cost: for each tree ``n_repeats`` predictions of the samples left out, about n / e, for each
        feature that it uses. Memory: for each thread ``n_repeats`` permutations of these, and for
        the result p times B numbers.

        References
        ----------
        Breiman, Random forests, Machine Learning 45, 2001, section 10.

        Strobl, Boulesteix, Kneib, Augustin and Zeileis, Conditional variable importance for random
        forests, BMC Bioinformatics 9, 2008.

        Examples
        --------
        >>> import numpy as np
        >>> from litlearn.ensemble import RandomForestRegressor
        >>> X = np.random.default_rng(0).normal(size=(200, 3))
        >>> model = RandomForestRegressor(random_state=0).fit(X, X[:, 1])
        >>> found = model.out_of_bag_importances(X, X[:, 1], random_state=0)
        >>> print(found.importances_mean.argmax(), found.importances.shape)
        1 (3, 100)
        """
        validation.check_is_fitted(self)
        who, what = type(self).__name__, "out_of_bag_importances"
        self._check_bootstrap(what)
        self._check_in_memory(what, X=X, y=y, sample_weight=sample_weight)
        n_repeats = validation.check_integer(
            self, "n_repeats", n_repeats, low=1, high=validation.LARGEST
        )
        random_state = validation.check_random_state(self, random_state)
        X = self._check_training(X)
        weight = validation.check_sample_weight(self, sample_weight, self._n_samples)
        weight = np.ones(self._n_samples) if weight is None else weight / weight.max()
        losses_of = self._losses_of(y, weight)
        seeds = [validation.random_integer(random_state) for _ in self.estimators_]
        trees = [one.tree_ for one in self.estimators_]
        importances = permutation_importances(
            who, X, trees, self._counts_of, losses_of, weight, seeds, n_repeats, self.n_jobs
        )
        counted = importances[:, ~np.isnan(importances[0])]
        if not counted.shape[1]:
            raise ValueError(
                f"{who}.{what}: each tree has drawn all samples (of positive sample_weight), "
                "expected trees that have left some out."
            )
        std, n = counted.std(axis=1), counted.shape[1]
        return Bunch(
            importances_mean=counted.mean(axis=1),
            importances_std=std,
            importances=importances,
            # The root of n - 1: `std` divides by n.
            standard_error=std / np.sqrt(n - 1) if n > 1 else np.full(len(std), np.nan),
        )

    def predict_standard_error(self, X):
        r"""Return standard errors of the mean over the trees, over other training samples.

        Of a classifier it is the error of ``predict_proba``, of a regressor that of ``predict``.

        The infinitesimal jackknife: a training sample i that the trees would draw a little more
        often moves the mean :math:`\bar t(x)` of the B trees by the covariance of its count
        :math:`N_{bi}` with what the trees answer, :math:`t_b(x)`: a number, shares of classes, or
        votes. The noise of a limited number of trees makes these covariances too large, and is
        subtracted:

        .. math::
            \hat V(x) = \sum_{i=1}^n \left(\frac{1}{B} \sum_{b=1}^B (N_{bi} - 1)
            (t_b(x) - \bar t(x))\right)^2
            - \frac{n - 1}{B^2} \sum_{b=1}^B (t_b(x) - \bar t(x))^2.

        Parameters
        ----------
        X : array-like or sparse array of shape (n_samples, n_features)
            Samples; NaN stands for a missing value.

        Returns
        -------
        ndarray of shape (n_samples, n_classes), or a list of them, one for each output
            Square roots of :math:`\hat V`, in the unit of the answers; of regressors of shape
            (n_samples,) or (n_samples, n_outputs). NaN, with a ``UserWarning``, where
            :math:`\hat V` is negative: there the trees are too few to tell.

        Raises
        ------
        TypeError
            If `X` holds objects that are not numbers, or is an array of Dask.
        ValueError
            If the forest was fitted with ``bootstrap=False`` or has one tree, `X` has the wrong
            shape or holds infinity, or a warm start has added trees of another number of samples.
        NotFittedError
            If the forest is not fitted.

        Notes
        -----
        It estimates the standard deviation of the prediction of a forest with very many trees over
        training sets that could have been drawn instead. It is no interval for a new target, which
        has noise of its own, or for a new class, and says nothing of bias. The estimate itself
        needs more trees than the prediction: about as many as there are training samples.

        The answers are taken as linear in the counts, so that errors come out too small on average:
        about a tenth below the standard deviation in forests refitted to 60 new samples again and
        again, with leaves of five samples, and more with leaves of one.

        With ``max_samples``, s draws instead of n, the counts have the mean s / n, and the second
        term has the factor s (1 - 1 / n) instead of n - 1, which the publication rounds to n. With
        `sample_weight` in `fit`, samples are drawn with chances :math:`p_i`, and it has the factor
        :math:`s (1 - \sum_i p_i^2)`: weights stay as they are, samples vary.

        Cost: a prediction, the draws of all trees, 4 n B bytes, and n B multiplications for each
        sample and output, or class.

        References
        ----------
        Wager, Hastie and Efron, Confidence intervals for random forests: the jackknife and the
        infinitesimal jackknife, Journal of Machine Learning Research 15, 2014.

        Efron, Estimation and accuracy after model selection, Journal of the American Statistical
        Association 109, 2014.

        Examples
        --------
        >>> import numpy as np
        >>> from litlearn.ensemble import RandomForestRegressor
        >>> X = np.linspace(0.0, 1.0, 50)[:, np.newaxis]
        >>> y = np.random.default_rng(0).normal(size=50)
        >>> model = RandomForestRegressor(500, min_samples_leaf=10, random_state=0).fit(X, y)
        >>> print(0.1 < model.predict_standard_error([[0.5]])[0] < 0.5)
        True
        """
        return self._answers(self._standard_errors(X))

    def _standard_errors(self, X):
        """Return standard errors of the trees' mean: (n_samples, n_outputs, n_classes)."""
        validation.check_is_fitted(self)
        who, what = type(self).__name__, "predict_standard_error"
        self._check_bootstrap(what)
        self._check_in_memory(what, X=X)
        n_trees, n_train = len(self.estimators_), self._n_samples
        if n_trees == 1:
            raise ValueError(f"{who}.{what} compares trees, and needs two or more. Got one.")
        X = self._queries(X)
        counts = np.empty((n_trees, n_train), dtype=np.int32)

        def part(b):
            counts[b] = self._counts_of(b)
            drawn = self.estimators_[b].tree_.n_node_samples[0]
            if np.count_nonzero(counts[b]) != drawn:  # after a warm start with fewer, say
                raise ValueError(
                    f"{who}.{what} needs trees that have all drawn from the {n_train} samples of "
                    f"the last fit. Got a tree, number {b}, that was grown on others."
                )

        parallel.fold_blocks(part, None, range(n_trees), self.n_jobs)
        weight = np.ones(n_train) if self._sample_weight is None else self._sample_weight
        trees, hard = [one.tree_ for one in self.estimators_], self._votes_hard()
        n_draws, chances = self._n_samples_bootstrap, weight / weight.sum()
        variances = jackknife_variances(X, trees, counts, n_draws, chances, hard, self.n_jobs)
        unknown = variances < 0.0
        if unknown.any():
            message = (
                f"{who}.{what}: {n_trees} trees are too few for {unknown.sum()} of "
                f"{unknown.size} standard errors, which are NaN. About as many trees as training "
                f"samples, {n_train}, may do."
            )
            validation.warn(UserWarning(message))
        return np.sqrt(np.where(unknown, np.nan, variances))

    def apply(self, X):
        """Return the number of the leaf of each sample in each tree.

        Parameters
        ----------
        X : array-like or sparse array of shape (n_samples, n_features)
            Samples. Sparse ones, CSR or converted to it, are laid out a few rows at a time.

        Returns
        -------
        ndarray of shape (n_samples, n_estimators), int64
        """
        X = self._queries(X)
        return np.stack([one.tree_.apply(X, self.n_jobs) for one in self.estimators_], axis=1)

    def decision_path(self, X):
        """Return which nodes of all trees each sample passes.

        Parameters
        ----------
        X : array-like or sparse array of shape (n_samples, n_features)
            Samples. Sparse ones, CSR or converted to it, are laid out a few rows at a time.

        Returns
        -------
        indicator : CSR matrix of shape (n_samples, n_nodes)
            Ones where a sample passes a node; the trees stand side by side.
        n_nodes_ptr : ndarray of shape (n_estimators + 1,)
            Columns ``n_nodes_ptr[i]`` to ``n_nodes_ptr[i + 1] - 1`` belong to tree i.
        """
        from scipy.sparse import hstack

        X = self._queries(X)
        paths = [estimator.tree_.decision_path(X) for estimator in self.estimators_]
        pointers = np.concatenate([[0], np.cumsum([path.shape[1] for path in paths])])
        return hstack(paths).tocsr(), pointers

    @property
    def feature_importances_(self):
        """Mean share of each feature in the decrease of impurity: :eq:`eq-importance`."""
        validation.check_is_fitted(self)
        trees = [one.tree_ for one in self.estimators_ if one.tree_.node_count > 1]
        if not trees:
            return np.zeros(self.n_features_in_)
        mean = np.mean([tree.compute_feature_importances() for tree in trees], axis=0)
        return mean / mean.sum() if mean.sum() > 0.0 else mean

    @property
    def estimators_samples_(self):
        """The rows that each tree has drawn, with repetition: a list of int32 arrays."""
        validation.check_is_fitted(self)
        if not self.bootstrap:
            return [np.arange(self._n_samples, dtype=np.int32) for _ in self.estimators_]
        sizes = self._n_samples, self._n_samples_bootstrap, self._sample_weight
        drawn = (draw_rows(estimator.random_state, *sizes) for estimator in self.estimators_)
        return [rows.astype(np.int32) for rows in drawn]

    @property
    def estimator(self):
        """A tree with default parameters, of the class of the trees."""
        return self.member()

    @property
    def estimator_(self):
        """The same as ``estimator``, once the forest is fitted."""
        validation.check_is_fitted(self)
        return self.member()

    def __len__(self):
        return len(self.estimators_)

    def __getitem__(self, index):
        return self.estimators_[index]

    def __iter__(self):
        return iter(self.estimators_)


class ForestClassifier(ClassShares, Forest):
    """What the two classifiers share: votes."""

    _constraints = Table(
        class_weight=CLASS_WEIGHTS | Option("balanced", "balanced_subsample") | None,
        voting=Option("soft", "hard"),
    )

    def _votes_hard(self):
        return self.voting == "hard"

    def predict(self, X):
        """Predict the class with the largest mean share, or with most votes: :eq:`eq-forest-vote`.

        Parameters
        ----------
        X : array-like or sparse array of shape (n_samples, n_features)
            Samples. Sparse ones, CSR or converted to it, are laid out a few rows at a time.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_outputs)
            Members of ``classes_``; of equal shares, the first.
        """
        return self._labels(self._means(X))

    def predict_proba(self, X):
        """Return the mean over the trees of the classes' shares, or the share of their votes.

        Parameters
        ----------
        X : array-like or sparse array of shape (n_samples, n_features)
            Samples. Sparse ones, CSR or converted to it, are laid out a few rows at a time.

        Returns
        -------
        ndarray of shape (n_samples, n_classes), or a list of them, one for each output
            In the order of ``classes_``.
        """
        return self._answers(self._means(X))

    def _answers(self, means):
        """Return means over the trees, (n_samples, n_outputs, n_classes), as ``predict_proba``."""
        return self._public(self._shares(means))

    def _losses_of(self, y, weight):
        """Return a function of a tree's number: that of :func:`permutation_importances`."""
        coded = targets.encode(self, y, self._n_samples)
        self._check_n_outputs(np.empty((0, len(coded.codes))))
        complaint = "y has classes that the fit has not seen: {missing}. Expected among {classes}."
        pairs = zip(coded.classes, self._classes_of_outputs(), coded.codes, strict=True)
        truth = np.column_stack(
            [
                targets.batch_places(self, found, classes, complaint)[codes]
                for found, classes, codes in pairs
            ]
        )

        def losses_of(b):
            guesses = self.estimators_[b].tree_.value.argmax(axis=2)
            return lambda leaves, rows: np.any(guesses[leaves] != truth[rows], axis=1) * 1.0

        return losses_of

    def _set_oob(self, training, n_draws, draws):
        means = self._left_out_means(training, n_draws, draws)
        codes = training.classes_of_samples().T
        guesses = np.argmax(means, axis=2)
        several = self.n_outputs_ > 1
        self.oob_decision_function_ = np.swapaxes(means, 1, 2) if several else means[:, 0]
        if callable(self.oob_score):
            self.oob_score_ = self.oob_score(self._flat(codes), self._flat(guesses))
        else:
            self.oob_score_ = float(np.mean(np.all(codes == guesses, axis=1)))


class ForestRegressor(LeafMeans, Forest):
    """What the two regressors share: means."""

    def predict(self, X):
        """Predict the mean of the trees' predictions: :eq:`eq-forest-mean`.

        Parameters
        ----------
        X : array-like or sparse array of shape (n_samples, n_features)
            Samples. Sparse ones, CSR or converted to it, are laid out a few rows at a time.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_outputs), float64
        """
        return self._answers(self._means(X))

    def _answers(self, means):
        """Return means over the trees, (n_samples, n_outputs, 1), as ``predict``."""
        return self._flat(means[:, :, 0])

    def predict_quantiles(self, X, quantiles=(0.05, 0.5, 0.95), *, X_train, y_train):
        r"""Return quantiles of the target, from the training targets that share leaves with `X`.

        A quantile regression forest. In each tree b the training samples of the leaf
        :math:`L_b(x)` share a weight of one, as they weighed when the tree was grown: by the number
        :math:`N_{bi}` of times that they were drawn, or without ``bootstrap`` by their
        `sample_weight`. The forest's weights are the mean over the B trees, and the quantile is
        the smallest target at which their sum has reached :math:`\tau`:

        .. math::
            w_i(x) = \frac{1}{B} \sum_{b=1}^B \frac{N_{bi} [x_i \in L_b(x)]}
            {\sum_k N_{bk} [x_k \in L_b(x)]}, \qquad
            \hat q_\tau(x) = \min\Bigl\{y : \sum_{i: y_i \le y} w_i(x) \ge \tau\Bigr\}.

        Parameters
        ----------
        X : array-like or sparse array of shape (n_samples, n_features)
            Samples; NaN stands for a missing value.
        quantiles : float or array-like of shape (n_quantiles,), default=(0.05, 0.5, 0.95)
            Shares :math:`\tau` of the targets that lie at or below the answer, from 0 to 1, in any
            order.
        X_train : array-like or sparse array of shape (n_train, n_features)
            The samples that the forest was fitted to, in their order.
        y_train : array-like of shape (n_train,)
            Their targets.

        Returns
        -------
        ndarray of shape (n_samples, n_quantiles) or (n_samples,), float64
            Targets of training samples; of a single number `quantiles`, flat.

        Raises
        ------
        TypeError
            If `X`, `X_train` or `y_train` holds objects that are not numbers, or is an array of
            Dask.
        ValueError
            If `quantiles` are not numbers from 0 to 1, the forest was fitted to several outputs,
            an array has the wrong shape or holds infinity, or `X_train` and `y_train` are not those
            of the fit: samples end in other leaves, or have other targets than their leaf (which
            monotonic constraints leave unknown).
        NotFittedError
            If the forest is not fitted.

        Notes
        -----
        Leaves of one sample, the default, leave few targets for each answer: outer quantiles need a
        ``min_samples_leaf`` of 5 to 20. With squared errors, the mean of the targets with these
        weights is the prediction. The publication weights all training samples of a leaf alike,
        drawn or not; here the weights are those of which the forest's prediction is made.

        A fitted forest holds no training samples, so that it stays small, and its pickles too: they
        come with the question. Cost: the training samples walk through all trees at each call,
        n B steps from node to node times the depth; then for each of `X` as many additions as its
        leaves have members in all trees. Memory during the call: 12 bytes for each training sample
        and tree that has drawn it, about 8 n B. Ask for many samples at once.

        References
        ----------
        Meinshausen, Quantile regression forests, Journal of Machine Learning Research 7, 2006.

        Examples
        --------
        >>> import numpy as np
        >>> from litlearn.ensemble import RandomForestRegressor
        >>> rng = np.random.default_rng(0)
        >>> X = rng.uniform(size=(1000, 1))
        >>> y = X[:, 0] * rng.normal(size=1000)
        >>> model = RandomForestRegressor(min_samples_leaf=20, random_state=0).fit(X, y)
        >>> low, high = model.predict_quantiles([[0.1], [0.9]], X_train=X, y_train=y)[:, [0, 2]].T
        >>> print(high - low < 1.0)
        [ True False]
        """
        validation.check_is_fitted(self)
        who, what = type(self).__name__, "predict_quantiles"
        self._check_in_memory(what, X=X, X_train=X_train, y_train=y_train)
        expected = "a number or a flat array of numbers in the range [0.0, 1.0]"
        asked = validation.check_numbers(self, "quantiles", quantiles, expected, kinds="iuf")
        if asked.ndim > 1 or not asked.size or asked.min() < 0.0 or asked.max() > 1.0:
            validation.refuse(self, "quantiles", quantiles, expected)
        if self.n_outputs_ > 1:
            raise ValueError(
                f"{who}.{what} needs a forest of one output: several targets have no order. Got "
                f"one that was fitted to {self.n_outputs_}."
            )
        X, X_train = self._queries(X), self._check_training(X_train, "X_train")
        y = self._true(y_train)[:, 0]
        trees, asked_flat = [one.tree_ for one in self.estimators_], np.atleast_1d(asked)
        clipped = any(one.monotonic_cst is not None for one in self.estimators_)
        found = forest_quantiles(
            who, X, trees, self._weight_of, X_train, y, asked_flat, clipped, self.n_jobs
        )
        return found if asked.ndim else found[:, 0]

    def _true(self, y):
        """Return the targets of the fit, checked: (n_samples, n_outputs)."""
        y = validation.flat_if_column(validation.check_real_targets(self, y, self._n_samples))
        self._check_n_outputs(y)
        return y.reshape(self._n_samples, self.n_outputs_)

    def _losses_of(self, y, weight):
        """Return a function of a tree's number: that of :func:`permutation_importances`."""
        Y = self._true(y)
        deviations = Y - np.average(Y, axis=0, weights=weight)
        size = np.abs(deviations).max(axis=0)  # its square may be beyond what a float holds
        constant = np.ptp(Y[weight > 0], axis=0) == 0.0
        size[constant] = 1.0
        unit = size * np.sqrt(np.average((deviations / size) ** 2, axis=0, weights=weight))
        unit[constant] = np.inf  # no variance to share: no loss

        def losses_of(b):
            guesses = self.estimators_[b].tree_.value[:, :, 0]
            return lambda leaves, rows: np.mean(((guesses[leaves] - Y[rows]) / unit) ** 2, axis=1)

        return losses_of

    def _set_oob(self, training, n_draws, draws):
        means = self._left_out_means(training, n_draws, draws)[:, :, 0]
        Y = training.targets.Y.T
        self.oob_prediction_ = self._flat(means)
        if callable(self.oob_score):
            self.oob_score_ = self.oob_score(self._flat(Y), self._flat(means))
        else:
            errors, spread = ((Y - means) ** 2).sum(axis=0), ((Y - Y.mean(axis=0)) ** 2).sum(axis=0)
            with np.errstate(divide="ignore", invalid="ignore"):
                self.oob_score_ = float(np.mean(1.0 - errors / spread))


class RandomForestClassifier(ForestClassifier):
    """Predict a class by the vote of trees grown on resampled data.

    Each tree is grown on samples drawn with replacement, and tries only some features at each
    node. Splits are exact; columns are coded once, for all trees.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of trees.
    criterion : {"gini", "entropy", "log_loss", "misclassification"}, default="gini"
        Impurity: :eq:`eq-gini`, :eq:`eq-entropy` (``"log_loss"`` is another name for it) or
        :eq:`eq-misclassification`, which scikit-learn does not have.
    max_depth : int, default=None
        Number of splits on the longest way from the root to a leaf. None: no limit.
    min_samples_split : int or float, default=2
        A node with fewer samples is a leaf. A float is a share of the training samples,
        rounded up.
    min_samples_leaf : int or float, default=1
        Least number of samples, or share of them, on either side of a split.
    min_weight_fraction_leaf : float, default=0.0
        Least share of the total weight on either side of a split, at most 0.5.
    max_features : int, float, {"sqrt", "log2"} or None, default="sqrt"
        Number of features, or share of them, that a node tries; more if all of these are
        constant there. None: all.
    max_leaf_nodes : int, default=None
        Grow best first, always splitting the leaf whose split decreases the impurity most,
        until there are so many leaves. None: no limit, depth first.
    min_impurity_decrease : float, default=0.0
        A node is split only if that decreases the impurity, weighted by the node's share of
        the samples, by at least this much: :eq:`eq-impurity-decrease`.
    bootstrap : bool, default=True
        Whether each tree is grown on samples drawn with replacement. Otherwise on all.
    oob_score : bool or callable, default=False
        Whether to estimate the score from the samples that each tree has not seen. A
        callable ``metric(y_true, y_predicted)`` replaces the accuracy.
    n_jobs : int, default=None
        Number of threads. None and -1: every CPU that is available.
    random_state : int, RandomState, Generator or None, default=None
        Seed of all that is drawn. The same seed gives the same forest for any number of
        threads.
    verbose : bool or int, default=0
        Whether to show a progress bar.
    warm_start : bool, default=False
        Whether ``fit`` keeps the trees of the last call and adds those that are missing.
    class_weight : dict, list of dict, "balanced" or "balanced_subsample", default=None
        Weights of the classes, a list of them for several outputs. ``"balanced"``: inverse
        to the class counts; ``"balanced_subsample"``: to those among the samples of each
        tree.
    ccp_alpha : float, default=0.0
        Price of a leaf in minimal cost-complexity pruning: :eq:`eq-cost-complexity`. 0: no
        pruning.
    max_samples : int or float, default=None
        Number of samples that each tree draws, or share of the samples (of their total
        weight, if they have weights); more than there are, too. None: as many as there are.
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
        them to the left, whatever their order: the best of all, which
        :eq:`eq-category-order` finds for two classes and for means of one output. With several
        classes or outputs, and for medians, all sets are tried of up to 8 levels in a node; of
        more, the set is the best that comes first in the order of one class, output or median.
        Missing values are one more level, and levels that a node has not seen go with them. `X`
        must be dense and in memory. None: all features are numbers.
    max_bins : int, default=None
        Approximate splits: the values of a feature are put into at most so many bins of
        about equally many samples, whatever their weights, and only thresholds between bins
        are tried. None: all thresholds, exactly.
    voting : {"soft", "hard"}, default="soft"
        ``"soft"``: the shares of the classes in the leaves are averaged, as in
        scikit-learn. ``"hard"``: each tree has one vote, for the class with the largest
        share.

    Attributes
    ----------
    estimators_ : list of DecisionTreeClassifier
        The trees. Their classes are numbers.
    oob_score_ : float
        With ``oob_score``: the accuracy on the samples that the trees have not seen.
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
    oob_decision_function_ : ndarray of shape (n_samples, n_classes)
        With ``oob_score``: mean shares over the trees that have not seen the sample,
        :eq:`eq-oob`; with several outputs (n_samples, n_classes, n_outputs).

    Notes
    -----
    Cost: that of a tree, times the number of trees, divided by the number of threads.

    References
    ----------
    Breiman, Random forests, Machine Learning 45, 2001.

    Examples
    --------
    >>> from litlearn.ensemble import RandomForestClassifier
    >>> X, y = [[0], [1], [2], [7], [8], [9]], [0, 0, 0, 1, 1, 1]
    >>> model = RandomForestClassifier(n_estimators=25, random_state=0).fit(X, y)
    >>> print(model.predict([[1], [8]]))
    [0 1]
    """

    member = DecisionTreeClassifier

    def __init__(
        self,
        n_estimators=100,
        *,
        criterion="gini",
        max_depth=None,
        min_samples_split=2,
        min_samples_leaf=1,
        min_weight_fraction_leaf=0.0,
        max_features="sqrt",
        max_leaf_nodes=None,
        min_impurity_decrease=0.0,
        bootstrap=True,
        oob_score=False,
        n_jobs=None,
        random_state=None,
        verbose=0,
        warm_start=False,
        class_weight=None,
        ccp_alpha=0.0,
        max_samples=None,
        monotonic_cst=None,
        categorical_features=None,
        max_bins=None,
        voting="soft",
    ):
        self._set_as_given(locals())


class RandomForestRegressor(ForestRegressor):
    """Predict a number by the mean of trees grown on resampled data.

    Each tree is grown on samples drawn with replacement, and tries only some features at each
    node. Splits are exact; columns are coded once, for all trees.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of trees.
    criterion : {"squared_error", "absolute_error", "poisson"}, default="squared_error"
        Impurity: :eq:`eq-squared-error`, :eq:`eq-absolute-error`, whose leaves predict
        medians, or :eq:`eq-poisson-deviance`, for counts. ``"friedman_mse"`` is an old name of
        ``"squared_error"``, with a ``FutureWarning``.
    max_depth : int, default=None
        Number of splits on the longest way from the root to a leaf. None: no limit.
    min_samples_split : int or float, default=2
        A node with fewer samples is a leaf. A float is a share of the training samples,
        rounded up.
    min_samples_leaf : int or float, default=1
        Least number of samples, or share of them, on either side of a split.
    min_weight_fraction_leaf : float, default=0.0
        Least share of the total weight on either side of a split, at most 0.5.
    max_features : int, float, {"sqrt", "log2"} or None, default=1.0
        Number of features, or share of them, that a node tries; more if all of these are
        constant there. None: all.
    max_leaf_nodes : int, default=None
        Grow best first, always splitting the leaf whose split decreases the impurity most,
        until there are so many leaves. None: no limit, depth first.
    min_impurity_decrease : float, default=0.0
        A node is split only if that decreases the impurity, weighted by the node's share of
        the samples, by at least this much: :eq:`eq-impurity-decrease`.
    bootstrap : bool, default=True
        Whether each tree is grown on samples drawn with replacement. Otherwise on all.
    oob_score : bool or callable, default=False
        Whether to estimate the score from the samples that each tree has not seen. A
        callable ``metric(y_true, y_predicted)`` replaces :math:`R^2`.
    n_jobs : int, default=None
        Number of threads. None and -1: every CPU that is available.
    random_state : int, RandomState, Generator or None, default=None
        Seed of all that is drawn. The same seed gives the same forest for any number of
        threads.
    verbose : bool or int, default=0
        Whether to show a progress bar.
    warm_start : bool, default=False
        Whether ``fit`` keeps the trees of the last call and adds those that are missing.
    ccp_alpha : float, default=0.0
        Price of a leaf in minimal cost-complexity pruning: :eq:`eq-cost-complexity`. 0: no
        pruning.
    max_samples : int or float, default=None
        Number of samples that each tree draws, or share of the samples (of their total
        weight, if they have weights); more than there are, too. None: as many as there are.
    monotonic_cst : array-like of shape (n_features,), default=None
        Monotonic constraints, for one target: 1 if the prediction must never fall as a feature
        grows, -1 if it must never rise, otherwise 0. A split of such a feature must put the
        children's means (or medians) in order. The middle between them bounds all values below,
        which are clipped to it (Potharst and Feelders, 2002; scikit-learn's User Guide). Nothing is
        asked of missing values, or of ``predict_quantiles``. None: no constraints.
    categorical_features : array-like or "from_dtype", default=None
        Which features are categories, as a mask, by their numbers or by their names; or, with
        ``"from_dtype"``, the columns of a data frame whose type is categorical or an enumeration.
        Their levels are finite numbers, or what the data frame holds, and a split sends a set of
        them to the left, whatever their order: the best of all, which
        :eq:`eq-category-order` finds for two classes and for means of one output. With several
        classes or outputs, and for medians, all sets are tried of up to 8 levels in a node; of
        more, the set is the best that comes first in the order of one class, output or median.
        Missing values are one more level, and levels that a node has not seen go with them. `X`
        must be dense and in memory. None: all features are numbers.
    max_bins : int, default=None
        Approximate splits: the values of a feature are put into at most so many bins of
        about equally many samples, whatever their weights, and only thresholds between bins
        are tried. None: all thresholds, exactly.

    Attributes
    ----------
    estimators_ : list of DecisionTreeRegressor
        The trees. Their classes are numbers.
    oob_score_ : float
        With ``oob_score``: :math:`R^2` on the samples that the trees have not seen.
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
    oob_prediction_ : ndarray of shape (n_samples,) or (n_samples, n_outputs)
        With ``oob_score``: mean prediction of the trees that have not seen the sample:
        :eq:`eq-oob`.

    Notes
    -----
    Cost: that of a tree, times the number of trees, divided by the number of threads.

    References
    ----------
    Breiman, Random forests, Machine Learning 45, 2001.

    Examples
    --------
    >>> from litlearn.ensemble import RandomForestRegressor
    >>> X, y = [[0], [1], [2], [7], [8], [9]], [1.0, 1.0, 1.0, 5.0, 5.0, 5.0]
    >>> model = RandomForestRegressor(n_estimators=25, random_state=0).fit(X, y)
    >>> low, high = model.predict([[1], [8]])
    >>> print(low < 3 < high)
    True
    """

    member = DecisionTreeRegressor

    def __init__(
        self,
        n_estimators=100,
        *,
        criterion="squared_error",
        max_depth=None,
        min_samples_split=2,
        min_samples_leaf=1,
        min_weight_fraction_leaf=0.0,
        max_features=1.0,
        max_leaf_nodes=None,
        min_impurity_decrease=0.0,
        bootstrap=True,
        oob_score=False,
        n_jobs=None,
        random_state=None,
        verbose=0,
        warm_start=False,
        ccp_alpha=0.0,
        max_samples=None,
        monotonic_cst=None,
        categorical_features=None,
        max_bins=None,
    ):
        criterion = renamed(criterion)
        self._set_as_given(locals())


class ExtraTreesClassifier(ForestClassifier):
    """Predict a class by the vote of extremely randomized trees.

    Each tree is grown on all samples, and draws its thresholds at random.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of trees.
    criterion : {"gini", "entropy", "log_loss", "misclassification"}, default="gini"
        Impurity: :eq:`eq-gini`, :eq:`eq-entropy` (``"log_loss"`` is another name for it) or
        :eq:`eq-misclassification`, which scikit-learn does not have.
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
    max_leaf_nodes : int, default=None
        Grow best first, always splitting the leaf whose split decreases the impurity most,
        until there are so many leaves. None: no limit, depth first.
    min_impurity_decrease : float, default=0.0
        A node is split only if that decreases the impurity, weighted by the node's share of
        the samples, by at least this much: :eq:`eq-impurity-decrease`.
    bootstrap : bool, default=False
        Whether each tree is grown on samples drawn with replacement. Otherwise on all.
    oob_score : bool or callable, default=False
        Whether to estimate the score from the samples that each tree has not seen. A
        callable ``metric(y_true, y_predicted)`` replaces the accuracy.
    n_jobs : int, default=None
        Number of threads. None and -1: every CPU that is available.
    random_state : int, RandomState, Generator or None, default=None
        Seed of all that is drawn. The same seed gives the same forest for any number of
        threads.
    verbose : bool or int, default=0
        Whether to show a progress bar.
    warm_start : bool, default=False
        Whether ``fit`` keeps the trees of the last call and adds those that are missing.
    class_weight : dict, list of dict, "balanced" or "balanced_subsample", default=None
        Weights of the classes, a list of them for several outputs. ``"balanced"``: inverse
        to the class counts; ``"balanced_subsample"``: to those among the samples of each
        tree.
    ccp_alpha : float, default=0.0
        Price of a leaf in minimal cost-complexity pruning: :eq:`eq-cost-complexity`. 0: no
        pruning.
    max_samples : int or float, default=None
        Number of samples that each tree draws, or share of the samples (of their total
        weight, if they have weights); more than there are, too. None: as many as there are.
    monotonic_cst : array-like of shape (n_features,), default=None
        Monotonic constraints, for two classes and one output: 1 if the probability of the second
        class must never fall as a feature grows, -1 if it must never rise, otherwise 0. A split of
        such a feature must put the children's shares in order. The middle between them bounds all
        shares below, which are clipped to it (Potharst and Feelders, 2002; scikit-learn's User
        Guide). Nothing is asked of missing values. None: no constraints.
    categorical_features : array-like or "from_dtype", default=None
        Which features are categories, as a mask, by their numbers or by their names; or, with
        ``"from_dtype"``, the columns of a data frame whose type is categorical or an enumeration.
        Their levels are finite numbers, or what the data frame holds, and a split sends a random
        set of those in the node to the left, each set with the same chance. Missing values are one
        more level, and levels that a node has not seen go with them. `X` must be dense and in
        memory. None: all features are numbers.
    voting : {"soft", "hard"}, default="soft"
        ``"soft"``: the shares of the classes in the leaves are averaged, as in
        scikit-learn. ``"hard"``: each tree has one vote, for the class with the largest
        share.

    Attributes
    ----------
    estimators_ : list of ExtraTreeClassifier
        The trees. Their classes are numbers.
    oob_score_ : float
        With ``oob_score``: the accuracy on the samples that the trees have not seen.
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
    oob_decision_function_ : ndarray of shape (n_samples, n_classes)
        With ``oob_score``: mean shares over the trees that have not seen the sample,
        :eq:`eq-oob`; with several outputs (n_samples, n_classes, n_outputs).

    Notes
    -----
    Cost: that of a tree, times the number of trees, divided by the number of threads.

    References
    ----------
    Geurts, Ernst and Wehenkel, Extremely randomized trees, Machine Learning 63, 2006.

    Examples
    --------
    >>> from litlearn.ensemble import ExtraTreesClassifier
    >>> X, y = [[0], [1], [2], [7], [8], [9]], [0, 0, 0, 1, 1, 1]
    >>> model = ExtraTreesClassifier(n_estimators=25, random_state=0).fit(X, y)
    >>> print(model.predict([[1], [8]]))
    [0 1]
    """

    member = ExtraTreeClassifier
    random_thresholds = True
    max_bins = None  # no parameter: thresholds are drawn, not searched

    def __init__(
        self,
        n_estimators=100,
        *,
        criterion="gini",
        max_depth=None,
        min_samples_split=2,
        min_samples_leaf=1,
        min_weight_fraction_leaf=0.0,
        max_features="sqrt",
        max_leaf_nodes=None,
        min_impurity_decrease=0.0,
        bootstrap=False,
        oob_score=False,
        n_jobs=None,
        random_state=None,
        verbose=0,
        warm_start=False,
        class_weight=None,
        ccp_alpha=0.0,
        max_samples=None,
        monotonic_cst=None,
        categorical_features=None,
        voting="soft",
    ):
        self._set_as_given(locals())


class ExtraTreesRegressor(ForestRegressor):
    """Predict a number by the mean of extremely randomized trees.

    Each tree is grown on all samples, and draws its thresholds at random.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of trees.
    criterion : {"squared_error", "absolute_error", "poisson"}, default="squared_error"
        Impurity: :eq:`eq-squared-error`, :eq:`eq-absolute-error`, whose leaves predict
        medians, or :eq:`eq-poisson-deviance`, for counts. ``"friedman_mse"`` is an old name of
        ``"squared_error"``, with a ``FutureWarning``.
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
    max_leaf_nodes : int, default=None
        Grow best first, always splitting the leaf whose split decreases the impurity most,
        until there are so many leaves. None: no limit, depth first.
    min_impurity_decrease : float, default=0.0
        A node is split only if that decreases the impurity, weighted by the node's share of
        the samples, by at least this much: :eq:`eq-impurity-decrease`.
    bootstrap : bool, default=False
        Whether each tree is grown on samples drawn with replacement. Otherwise on all.
    oob_score : bool or callable, default=False
        Whether to estimate the score from the samples that each tree has not seen. A
        callable ``metric(y_true, y_predicted)`` replaces :math:`R^2`.
    n_jobs : int, default=None
        Number of threads. None and -1: every CPU that is available.
    random_state : int, RandomState, Generator or None, default=None
        Seed of all that is drawn. The same seed gives the same forest for any number of
        threads.
    verbose : bool or int, default=0
        Whether to show a progress bar.
    warm_start : bool, default=False
        Whether ``fit`` keeps the trees of the last call and adds those that are missing.
    ccp_alpha : float, default=0.0
        Price of a leaf in minimal cost-complexity pruning: :eq:`eq-cost-complexity`. 0: no
        pruning.
    max_samples : int or float, default=None
        Number of samples that each tree draws, or share of the samples (of their total
        weight, if they have weights); more than there are, too. None: as many as there are.
    monotonic_cst : array-like of shape (n_features,), default=None
        Monotonic constraints, for one target: 1 if the prediction must never fall as a feature
        grows, -1 if it must never rise, otherwise 0. A split of such a feature must put the
        children's means (or medians) in order. The middle between them bounds all values below,
        which are clipped to it (Potharst and Feelders, 2002; scikit-learn's User Guide). Nothing is
        asked of missing values, or of ``predict_quantiles``. None: no constraints.
    categorical_features : array-like or "from_dtype", default=None
        Which features are categories, as a mask, by their numbers or by their names; or, with
        ``"from_dtype"``, the columns of a data frame whose type is categorical or an enumeration.
        Their levels are finite numbers, or what the data frame holds, and a split sends a random
        set of those in the node to the left, each set with the same chance. Missing values are one
        more level, and levels that a node has not seen go with them. `X` must be dense and in
        memory. None: all features are numbers.

    Attributes
    ----------
    estimators_ : list of ExtraTreeRegressor
        The trees. Their classes are numbers.
    oob_score_ : float
        With ``oob_score``: :math:`R^2` on the samples that the trees have not seen.
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
    oob_prediction_ : ndarray of shape (n_samples,) or (n_samples, n_outputs)
        With ``oob_score``: mean prediction of the trees that have not seen the sample:
        :eq:`eq-oob`.

    Notes
    -----
    Cost: that of a tree, times the number of trees, divided by the number of threads.

    References
    ----------
    Geurts, Ernst and Wehenkel, Extremely randomized trees, Machine Learning 63, 2006.

    Examples
    --------
    >>> from litlearn.ensemble import ExtraTreesRegressor
    >>> X, y = [[0], [1], [2], [7], [8], [9]], [1.0, 1.0, 1.0, 5.0, 5.0, 5.0]
    >>> model = ExtraTreesRegressor(n_estimators=25, random_state=0).fit(X, y)
    >>> print(model.predict([[1], [8]]))
    [1. 5.]
    """

    member = ExtraTreeRegressor
    random_thresholds = True
    max_bins = None  # no parameter: thresholds are drawn, not searched

    def __init__(
        self,
        n_estimators=100,
        *,
        criterion="squared_error",
        max_depth=None,
        min_samples_split=2,
        min_samples_leaf=1,
        min_weight_fraction_leaf=0.0,
        max_features=1.0,
        max_leaf_nodes=None,
        min_impurity_decrease=0.0,
        bootstrap=False,
        oob_score=False,
        n_jobs=None,
        random_state=None,
        verbose=0,
        warm_start=False,
        ccp_alpha=0.0,
        max_samples=None,
        monotonic_cst=None,
        categorical_features=None,
    ):
        criterion = renamed(criterion)
        self._set_as_given(locals())
