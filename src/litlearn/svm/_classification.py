"""Support vector classification: C-SVC and nu-SVC, two classes or many."""

import functools
from typing import NamedTuple

import numpy as np

from litlearn._core import targets, validation
from litlearn._core.base import ClassifierMixin
from litlearn._core.constraints import BOOLEAN, SEED, Option, Real, Table
from litlearn._core.parallel import effective_n_jobs, fold_blocks
from litlearn._core.progress import progress
from litlearn.exceptions import NotFittedError
from litlearn.svm import _platt
from litlearn.svm._base import KernelMachine, show_violation
from litlearn.svm._programmes import c_classification, nu_classification
from litlearn.svm._working_set import solve_programme

IN_FLIGHT = 8  # pairs of classes that may be solved at once, each with its share of the memory


class KernelClassifier(ClassifierMixin, KernelMachine):
    """One machine for each pair of classes; they vote."""

    _constraints = Table(
        decision_function_shape=Option("ovr", "ovo"),
        break_ties=BOOLEAN,
        probability=Option("deprecated") | BOOLEAN,
        random_state=SEED,
    )

    def _check_classifier(self):
        given, wanted = validation.check_parameters(self), False
        if given.probability != "deprecated":
            wanted = given.probability
            who = type(self).__name__
            message = (
                f"The `probability` parameter of {who} was deprecated in scikit-learn 1.9. Use "
                f"`CalibratedClassifierCV({who}(), ensemble=False)` instead."
            )
            validation.warn(FutureWarning(message))
        return wanted, given.random_state

    def fit(self, X, y, sample_weight=None):
        """Fit the support vectors and their coefficients.

        Parameters
        ----------
        X : array-like or sparse array of shape (n_samples, n_features)
            Training samples, used in float64; for ``kernel="precomputed"`` the Gram matrix,
            (n_samples, n_samples). A function as a kernel gets what is passed here.
        y : array-like of shape (n_samples,)
            Classes: integers, booleans or strings.
        sample_weight : array-like of shape (n_samples,), default=None
            Factors of `C` for the samples; ones if None. A sample without a positive weight is
            left out.

        Returns
        -------
        self : estimator

        Raises
        ------
        TypeError
            If `X` or `y` is of a type that cannot be used.
        ValueError
            If a parameter is out of range, `y` has one class only, `nu` is infeasible, or an array
            has the wrong shape or holds NaN or infinity.

        Warns
        -----
        ConvergenceWarning
            If the solver stops without its certificate.
        """
        wanted, rng = self._check_classifier()
        names = None if callable(self.kernel) else validation.feature_names(X)
        X, n = self._check_samples(X)
        coded = targets.encode_one(self, y, n, fewest=2)
        classes, codes = coded.classes[0], coded.codes[0]
        factors = validation.check_class_weight(self, self.class_weight, classes, codes)
        weight = self._check_weight(sample_weight, n)
        pairs = list_pairs(len(classes))
        bounds = self._bounds(weight, factors[codes], codes, pairs)
        gram, kernel, memory = self._gram(X, n)
        seed = validation.random_integer(rng)
        memory = memory / IN_FLIGHT if len(pairs) > 1 else memory
        limits = {"tol": self.tol, "max_iter": self.max_iter, "memory": memory}

        def fit_pair(pair):
            i, j = pair
            rows = np.concatenate([np.flatnonzero(codes == i), np.flatnonzero(codes == j)])
            # With two classes the second one is the positive one, with more the first of a pair.
            sign = np.where((codes[rows] == i) == (len(pairs) > 1), 1.0, -1.0)
            part = gram if len(pairs) == 1 else gram.take(rows)
            if len(pairs) == 1:
                rows, sign = np.arange(n), np.where(codes == j, 1.0, -1.0)
            problem = Pair(part, sign, bounds[rows], self._formulation(), limits)
            solution, beta, b = problem.solve(report if len(pairs) == 1 else None)
            sigmoid = problem.calibrate(np.random.default_rng([seed, i, j])) if wanted else None
            return FittedPair(rows, solution, beta, b, sigmoid)

        unit, total = ("step", None) if len(pairs) == 1 else ("pair", len(pairs))
        with progress(self, show_violation, unit, total) as report:

            def merge(fits, one):
                fits.append(one)
                if report is not None and len(pairs) > 1:
                    report(len(fits), one.solution.violation, one.solution.gap)
                return fits

            n_jobs = min(IN_FLIGHT, effective_n_jobs())
            fits = fold_blocks(fit_pair, merge, pairs, n_jobs, initial=[])
        if not all(np.isfinite(one.b) and np.isfinite(one.beta).all() for one in fits):
            self._refuse_infinite()
        self._store(X, n, codes, classes, fits)
        if not callable(self.kernel):
            validation.store_features(self, X.shape[1], names)
        self.class_weight_, self._gamma = factors, kernel.gamma if kernel else 0.0
        self._warn_of([one.solution for one in fits])
        return self

    def _store(self, X, n, codes, classes, fits):
        """Gather what the pairs found, in the form of LIBSVM.

        Support vectors are sorted by class. Each has a coefficient for each other class: row
        ``j - 1`` of those of class i belongs to the pair (i, j), row i of those of class j too.
        """
        used = np.zeros(n, dtype=bool)
        for one in fits:
            used[one.rows[one.beta != 0.0]] = True
        order = np.argsort(codes, kind="stable")
        support = order[used[order]]
        position = np.zeros(n, dtype=np.intp)
        position[support] = np.arange(len(support))
        dual = np.zeros((len(classes) - 1, len(support)))
        for (i, j), one in zip(list_pairs(len(classes)), fits, strict=True):
            kept = one.rows[one.beta != 0.0]
            line = np.where(codes[kept] == i, j - 1, i)
            dual[line, position[kept]] = one.beta[one.beta != 0.0]
        n_support = np.bincount(codes[support], minlength=len(classes))
        self._store_support(X, n, support, dual, n_support)
        self.classes_ = classes
        self.intercept_ = np.array([one.b for one in fits])
        self.n_iter_ = np.array([one.solution.n_steps for one in fits], dtype=np.int32)
        self.dual_gap_ = np.array([one.solution.gap for one in fits])
        self.fit_status_ = int(not all(one.solution.converged for one in fits))
        sigmoids = np.array([one.sigmoid for one in fits if one.sigmoid is not None])
        sigmoids = sigmoids.reshape(-1, 2)
        self._sigmoid_slopes, self._sigmoid_shifts = sigmoids.T.copy()

    def _parts(self):
        """Return the slices of the support vectors of each class."""
        ends = np.cumsum(self._n_support)
        return [slice(end - count, end) for end, count in zip(ends, self._n_support, strict=True)]

    def _pair_scores(self, X):
        """Return the decision function of each pair (n, n_pairs)."""
        if len(self.classes_) == 2:
            sums = self._sums(X, [slice(0, len(self.support_))])
            return sums[:, 0] + self.intercept_
        sums = self._sums(X, self._parts())
        scores = [sums[:, i, j - 1] + sums[:, j, i] for i, j in list_pairs(len(self.classes_))]
        return np.stack(scores, axis=1) + self.intercept_

    def _get_coef(self):
        if len(self.classes_) == 2:
            return super()._get_coef()
        parts, dual, vectors = self._parts(), self.dual_coef_, self.support_vectors_
        coef = [
            dual[[j - 1]][:, parts[i]] @ vectors[parts[i]]
            + dual[[i]][:, parts[j]] @ vectors[parts[j]]
            for i, j in list_pairs(len(self.classes_))
        ]
        if not self._sparse:
            return np.concatenate(coef)
        from scipy.sparse import vstack

        return vstack(coef).tocsr()

    def decision_function(self, X):
        """Return how far each sample is on the side of each class, or of each pair of classes.

        For two classes it is :eq:`eq-svm-decision`.

        Parameters
        ----------
        X : array-like or sparse array of shape (n_samples, n_features)
            Samples; for ``kernel="precomputed"`` their kernels with the training samples,
            (n_samples, n_samples_train).

        Returns
        -------
        ndarray of shape (n_samples,), (n_samples, n_classes) or (n_samples, n_pairs)
            Two classes: positive on the side of the second. More: with ``"ovr"`` the votes for each
            class, with a share below one half that breaks ties by the sums of the decision
            functions; with ``"ovo"`` the decision function of each pair, positive on the side of
            its first class.
        """
        scores = self._pair_scores(self._check_queries(X))
        if len(self.classes_) == 2:
            return scores[:, 0]
        if self.decision_function_shape == "ovo":
            return scores
        votes, sums = count_pair_votes(scores, len(self.classes_), zero_is_first=True)
        return votes + sums / (3.0 * (np.abs(sums) + 1.0))

    def predict(self, X):
        """Predict the class of samples: that with the most votes of the pairs.

        Parameters
        ----------
        X : array-like or sparse array of shape (n_samples, n_features)
            Samples; for ``kernel="precomputed"`` their kernels with the training samples.

        Returns
        -------
        ndarray of shape (n_samples,)
            Members of ``classes_``. Of classes with equally many votes the first is chosen, or,
            with ``break_ties=True``, that with the largest decision function.
        """
        validation.check_is_fitted(self)
        if self.break_ties and self.decision_function_shape == "ovo":
            raise ValueError(
                f"{type(self).__name__}: break_ties must be False when decision_function_shape is "
                "'ovo'"
            )
        if len(self.classes_) == 2 or self.break_ties:
            return targets.label(self.classes_, self.decision_function(X))
        scores = self._pair_scores(self._check_queries(X))
        return targets.label(self.classes_, count_pair_votes(scores, len(self.classes_))[0])

    # ------------------------------------------------------------------ probabilities

    def _check_proba(self):
        unused = validation.is_option(self.probability, "deprecated")
        if unused or not self.probability:
            raise AttributeError("predict_proba is not available when probability=False")

    @property
    def predict_proba(self):
        """Return probabilities of the classes; only with ``probability=True``.

        ``predict_proba(X)`` is of shape (n_samples, n_classes). A sigmoid of the decision function
        of each pair was fitted to five-fold cross-validated values (Platt 2000; Lin, Lin and Weng
        2007); the pairs are coupled by least squares (Wu, Lin and Weng 2004).
        ``CalibratedClassifierCV`` of scikit-learn is the better way.
        """
        self._check_proba()
        return self._predict_proba

    @property
    def predict_log_proba(self):
        """Return logarithms of the probabilities; only with ``probability=True``."""
        self._check_proba()
        return self._predict_log_proba

    def _predict_proba(self, X):
        X = self._check_queries(X)
        if not len(self._sigmoid_slopes):
            raise NotFittedError(
                "predict_proba is not available when fitted with probability=False"
            )
        scores = self._pair_scores(X)
        P = _platt.sigmoid(scores, self._sigmoid_slopes, self._sigmoid_shifts)
        if len(self.classes_) == 2:
            return np.column_stack([1.0 - P[:, 0], P[:, 0]])
        return _platt.couple(P, list_pairs(len(self.classes_)), len(self.classes_))

    def _predict_log_proba(self, X):
        return targets.logarithms(self._predict_proba(X))

    @property
    def probA_(self):
        """Slopes of the sigmoids; deprecated with ``probability``."""
        return self._deprecated("probA_", self._sigmoid_slopes)

    @property
    def probB_(self):
        """Shifts of the sigmoids; deprecated with ``probability``."""
        return self._deprecated("probB_", self._sign * self._sigmoid_shifts)

    def _deprecated(self, name, value):
        message = f"Attribute `{name}` was deprecated in scikit-learn 1.9, with `probability`."
        validation.warn(FutureWarning(message))
        return value


class FittedPair(NamedTuple):
    """What is known of two classes."""

    rows: np.ndarray  # (m,): the samples of either class
    solution: tuple  # :class:`litlearn.svm._working_set.PairSolution`
    beta: np.ndarray  # (m,): coefficients, with the signs of the classes
    b: float  # intercept
    sigmoid: tuple  # slope and shift, or None


class Pair:
    """The problem of two classes: `sign` (n,) is +1 or -1, `bounds` (n,) what limits alpha."""

    def __init__(self, gram, sign, bounds, formulation, limits):
        self.gram, self.sign, self.bounds = gram, sign, bounds
        self.formulation = formulation  # what states the programme, and what reads its solution
        self.limits = limits  # tol, max_iter, memory: of `_working_set.solve`

    def solve(self, report=None):
        """Return the Solution, the coefficients and the intercept."""
        programme, coefficients = self.formulation
        stated = programme(self.sign, self.bounds)
        solution = solve_programme(self.gram, stated, **self.limits, report=report)
        return solution, *coefficients(solution)

    def calibrate(self, rng, n_folds=5):
        """Return slope and shift of the sigmoid that fits held-out decision values."""
        n = len(self.sign)
        scores, order = np.zeros(n), rng.permutation(n)
        for fold in range(n_folds):
            held = order[fold * n // n_folds : (fold + 1) * n // n_folds]
            rest = np.setdiff1d(order, held)
            signs = np.unique(self.sign[rest][self.bounds[rest] > 0.0])
            if len(signs) < 2:
                scores[held] = signs.sum()
                continue
            gram, sign, bounds = self.gram.take(rest), self.sign[rest], self.bounds[rest]
            _, beta, b = Pair(gram, sign, bounds, self.formulation, self.limits).solve()
            used = np.flatnonzero(beta)
            scores[held] = self.gram.product(rest[used], beta[used], np.float64)[held] + b
        return _platt.fit_sigmoid(scores, self.sign > 0.0)


def plain_coefficients(solution):
    """Return the coefficients and the intercept of C-SVC."""
    return solution.beta, -float(solution.multipliers[0])


def scaled_coefficients(solution):
    """As `plain_coefficients`, of nu-SVC, whose margin is what the multipliers differ by."""
    positive, negative = solution.multipliers
    margin = 0.5 * (positive - negative)
    with np.errstate(divide="ignore", invalid="ignore"):
        return solution.beta / margin, -0.5 * (positive + negative) / margin


def list_pairs(n_classes):
    """Return the pairs of classes in LIBSVM's order: (0, 1), (0, 2), ..., (1, 2), ..."""
    return [(i, j) for i in range(n_classes) for j in range(i + 1, n_classes)]


def count_pair_votes(scores, n_classes, zero_is_first=False):
    """Return the votes for each class, and the sums of the decision functions in its favour.

    A decision function of zero is a vote for the second class of the pair, as in LIBSVM, or with
    `zero_is_first` for the first one, as in scikit-learn's decision function.
    """
    votes, sums = np.zeros((2, len(scores), n_classes))
    for (i, j), score in zip(list_pairs(n_classes), scores.T, strict=True):
        for_first = score >= 0.0 if zero_is_first else score > 0.0
        votes[:, i] += for_first
        votes[:, j] += ~for_first
        sums[:, i] += score
        sums[:, j] -= score
    return votes, sums


class SVC(KernelClassifier):
    r"""Support vector classification with a price on samples inside the margin.

    Two classes, :math:`y_i = \pm 1`: the function :math:`f(x) = \sum_i \beta_i k(x_i, x) + b`,
    linear in the space of the kernel's features, minimises

    .. math:: \tfrac{1}{2} \Vert w \Vert^2 + \sum_i C_i \max(0, 1 - y_i f(x_i)),

    where :math:`C_i` is the product of `C`, class weight and sample weight, see
    :eq:`eq-svm-primal-soft`; the losses are those of :eq:`eq-svm-hinge`. More classes: one function
    for each pair, and a vote.

    Parameters
    ----------
    C : float, default=1.0
        Price of the losses against the width of the margin, above 0. Smaller is a stronger penalty;
        ``inf`` allows no loss.
    kernel : {"linear", "poly", "rbf", "sigmoid", "precomputed"} or callable, default="rbf"
        See :mod:`litlearn.kernels`. ``"precomputed"``: `X` is the Gram matrix. A function takes two
        arrays of samples and returns the matrix of all pairs.
    degree : int, default=3
        Degree of the polynomial kernel, 0 or more.
    gamma : {"scale", "auto"} or float, default="scale"
        Scale of the kernels "poly", "rbf" and "sigmoid", in units of 1 / distance^2 for "rbf".
        ``"scale"``: 1 / (n_features * X.var()); ``"auto"``: 1 / n_features.
    coef0 : float, default=0.0
        Shift of the kernels "poly" and "sigmoid".
    shrinking : bool, default=True
        Accepted for compatibility: the working set does what shrinking is for.
    probability : bool, default="deprecated"
        Fit probabilities by five-fold cross-validation, for `predict_proba`. Deprecated in
        scikit-learn 1.9: use ``CalibratedClassifierCV(SVC(), ensemble=False)``.
    tol : float, default=1e-3
        The solver stops when the violation of the optimality conditions is below it, in float64.
    cache_size : float, default=200
        Megabytes (10^6 bytes) for Gram matrices: the whole one if it takes at most half of them,
        else those of working sets. A bound, apart from the samples and tiles of 4 MB a thread; a
        working set has at least eight variables.
    class_weight : dict or "balanced", default=None
        Factors of `C` for the classes, ``{class: factor}``; ``"balanced"``: inverse to their
        counts.
    verbose : bool or int, default=False
        Show a progress bar with the violation and the duality gap.
    max_iter : int, default=-1
        Most steps of the solver, each of two variables. -1: as many as it needs, up to the larger
        of 10^7 and 100 times the number of variables.
    decision_function_shape : {"ovr", "ovo"}, default="ovr"
        For more than two classes: one column for each class, or for each pair.
    break_ties : bool, default=False
        Decide between classes with equally many votes by the decision functions; only with "ovr".
    random_state : int, RandomState, Generator or None, default=None
        For the folds of `probability`; nothing else is random.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted.
    class_weight_ : ndarray of shape (n_classes,)
        Factor of each class.
    support_ : ndarray of shape (n_sv,)
        Indices of the support vectors, sorted by class.
    support_vectors_ : ndarray or CSR matrix of shape (n_sv, n_features)
        The samples themselves; empty for "precomputed" and for a function.
    n_support_ : ndarray of shape (n_classes,)
        Number of support vectors of each class.
    dual_coef_ : ndarray or CSR matrix of shape (n_classes - 1, n_sv)
        Coefficients beta. Two classes: one row. More: row j - 1 of the support vectors of class i
        and row i of those of class j > i belong to the pair (i, j).
    coef_ : ndarray or CSR matrix of shape (n_pairs, n_features)
        Coefficients of the features; only for the linear kernel. Read-only.
    intercept_ : ndarray of shape (n_pairs,)
        One constant for each pair, 1 for two classes.
    dual_gap_ : ndarray of shape (n_pairs,)
        Duality gap: how far the objective may still be above its minimum.
    n_iter_ : ndarray of shape (n_pairs,)
        Steps of the solver.
    fit_status_ : int
        0 if every solver ended with its certificate.
    shape_fit_ : tuple
        Shape of the training samples.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if `X` had names that are strings.

    Notes
    -----
    About O(n n_sv p) operations and O(n p) memory besides `cache_size`. The kernels of working sets
    and the products with them are computed in float32 first; the certificate that ends the solver
    is in float64. LIBSVM's working sets have two samples, and its stopping rule is the same.

    The sigmoid is no inner product: its Gram matrix may have negative eigenvalues, the problem is
    then not convex, and what is found is one of several stationary points.

    Examples
    --------
    >>> from litlearn.svm import SVC
    >>> X, y = [[0.0], [1.0], [3.0], [4.0]], ["low", "low", "high", "high"]
    >>> model = SVC(kernel="linear").fit(X, y)
    >>> print(model.predict([[1.5], [2.5]]), model.support_vectors_.ravel())
    ['low' 'high'] [3. 1.]
    """

    def __init__(
        self,
        *,
        C=1.0,
        kernel="rbf",
        degree=3,
        gamma="scale",
        coef0=0.0,
        shrinking=True,
        probability="deprecated",
        tol=1e-3,
        cache_size=200,
        class_weight=None,
        verbose=False,
        max_iter=-1,
        decision_function_shape="ovr",
        break_ties=False,
        random_state=None,
    ):
        self._set_as_given(locals())

    def _bounds(self, weight, factors, codes, pairs):
        """Return the bound of each alpha: C times the weights."""
        if len(np.unique(codes[weight > 0.0])) < 2:
            raise ValueError(
                "SVC: Invalid input - all samples with positive weights belong to the same class."
            )
        with np.errstate(invalid="ignore"):
            bounds = validation.float_or_infinity(self.C) * (weight * factors)
        return np.where(weight * factors > 0.0, bounds, 0.0)

    def _formulation(self):
        return c_classification, plain_coefficients


class NuSVC(KernelClassifier):
    r"""Support vector classification with a bound on the share of samples inside the margin.

    As :class:`SVC`, but instead of the price `C` one chooses `nu`: at most this share of the
    samples lies inside the margin or on the wrong side, and at least this share are support
    vectors. Decision functions :eq:`eq-svm-decision` are scaled so that the margin is at 1.

    Parameters
    ----------
    nu : float, default=0.5
        A share, above 0 and at most 1, and at most twice the share of the smaller class of a pair.
    kernel : {"linear", "poly", "rbf", "sigmoid", "precomputed"} or callable, default="rbf"
        See :mod:`litlearn.kernels`. ``"precomputed"``: `X` is the Gram matrix. A function takes two
        arrays of samples and returns the matrix of all pairs.
    degree : int, default=3
        Degree of the polynomial kernel, 0 or more.
    gamma : {"scale", "auto"} or float, default="scale"
        Scale of the kernels "poly", "rbf" and "sigmoid", in units of 1 / distance^2 for "rbf".
        ``"scale"``: 1 / (n_features * X.var()); ``"auto"``: 1 / n_features.
    coef0 : float, default=0.0
        Shift of the kernels "poly" and "sigmoid".
    shrinking : bool, default=True
        Accepted for compatibility: the working set does what shrinking is for.
    probability : bool, default="deprecated"
        Fit probabilities by five-fold cross-validation, for `predict_proba`. Deprecated in
        scikit-learn 1.9: use ``CalibratedClassifierCV(NuSVC(), ensemble=False)``.
    tol : float, default=1e-3
        The solver stops when the violation of the optimality conditions is below it, in float64.
    cache_size : float, default=200
        Megabytes (10^6 bytes) for Gram matrices: the whole one if it takes at most half of them,
        else those of working sets. A bound, apart from the samples and tiles of 4 MB a thread; a
        working set has at least eight variables.
    class_weight : dict or "balanced", default=None
        Checked, and otherwise without effect, as in LIBSVM.
    verbose : bool or int, default=False
        Show a progress bar with the violation and the duality gap.
    max_iter : int, default=-1
        Most steps of the solver, each of two variables. -1: as many as it needs, up to the larger
        of 10^7 and 100 times the number of variables.
    decision_function_shape : {"ovr", "ovo"}, default="ovr"
        For more than two classes: one column for each class, or for each pair.
    break_ties : bool, default=False
        Decide between classes with equally many votes by the decision functions; only with "ovr".
    random_state : int, RandomState, Generator or None, default=None
        For the folds of `probability`; nothing else is random.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted.
    class_weight_ : ndarray of shape (n_classes,)
        Factor of each class.
    support_ : ndarray of shape (n_sv,)
        Indices of the support vectors, sorted by class.
    support_vectors_ : ndarray or CSR matrix of shape (n_sv, n_features)
        The samples themselves; empty for "precomputed" and for a function.
    n_support_ : ndarray of shape (n_classes,)
        Number of support vectors of each class.
    dual_coef_ : ndarray or CSR matrix of shape (n_classes - 1, n_sv)
        Coefficients beta. Two classes: one row. More: row j - 1 of the support vectors of class i
        and row i of those of class j > i belong to the pair (i, j).
    coef_ : ndarray or CSR matrix of shape (n_pairs, n_features)
        Coefficients of the features; only for the linear kernel. Read-only.
    intercept_ : ndarray of shape (n_pairs,)
        One constant for each pair, 1 for two classes.
    dual_gap_ : ndarray of shape (n_pairs,)
        Duality gap: how far the objective may still be above its minimum.
    n_iter_ : ndarray of shape (n_pairs,)
        Steps of the solver.
    fit_status_ : int
        0 if every solver ended with its certificate.
    shape_fit_ : tuple
        Shape of the training samples.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if `X` had names that are strings.

    Notes
    -----
    As for :class:`SVC`; `tol` and `dual_gap_` are those of the problem before the margin is scaled.

    Examples
    --------
    >>> from litlearn.svm import NuSVC
    >>> X, y = [[0.0], [1.0], [3.0], [4.0]], ["low", "low", "high", "high"]
    >>> model = NuSVC(kernel="linear").fit(X, y)
    >>> print(model.predict([[1.5], [2.5]]))
    ['low' 'high']
    """

    _constraints = Table(nu=Real("(0.0, 1.0]"))

    def __init__(
        self,
        *,
        nu=0.5,
        kernel="rbf",
        degree=3,
        gamma="scale",
        coef0=0.0,
        shrinking=True,
        probability="deprecated",
        tol=1e-3,
        cache_size=200,
        class_weight=None,
        verbose=False,
        max_iter=-1,
        decision_function_shape="ovr",
        break_ties=False,
        random_state=None,
    ):
        self._set_as_given(locals())

    def _bounds(self, weight, factors, codes, pairs):
        """Return the bound of each alpha: its weight. Class weights are ignored, as in LIBSVM."""
        totals = np.bincount(codes, weights=weight)
        for i, j in pairs:
            if self.nu * (totals[i] + totals[j]) / 2.0 > min(totals[i], totals[j]):
                raise ValueError(
                    f"NuSVC: specified nu is infeasible: nu={self.nu} is above twice the smaller "
                    "share of two classes."
                )
        return weight

    def _formulation(self):
        return functools.partial(nu_classification, nu=self.nu), scaled_coefficients
