"""Logistic regression whose penalty is chosen by cross-validation, along paths of penalties."""

import inspect
import numbers
import sys

import numpy as np

from litlearn._core import targets, validation
from litlearn._core.parallel import map_blocks
from litlearn._core.progress import progress
from litlearn.exceptions import ConvergenceWarning
from litlearn.linear_model._folds import (
    check_folds,
    check_no_params,
    check_score,
    named_scorer,
)
from litlearn.linear_model._logistic import (
    Fitted,
    LogisticRegression,
    rows_of,
    scaled_penalty,
    within_range,
)
from litlearn.linear_model._logistic_path import smooth_path

GRID = (-4.0, 4.0)  # decimal exponents of the first and the last C of an automatic grid
SMALL = 2**18  # entries of X below which one thread takes all paths
PENALTIES = ("l1", "l2", "elasticnet", "deprecated")


class LogisticRegressionCV(LogisticRegression):
    """Logistic regression that chooses `C`, and the share of the l1 penalty, by cross-validation.

    For each fold and each share there is a path: the strongest penalty first, and each next one
    from the solution before. The pair with the best mean score over the folds is fitted to all
    samples. See :class:`LogisticRegression` for the model and its objective,
    :eq:`eq-logistic-penalized`.

    Parameters
    ----------
    Cs : int or array-like of shape (n_cs,), default=10
        Weights of the losses against the penalty to choose from, above 0; or how many, in equal
        steps of the logarithm from 1e-4 to 1e4.
    l1_ratios : array-like of shape (n_l1_ratios,) or None, default="warn"
        Shares of the l1 penalty to choose from, from 0 to 1. None, and the default: 0, and the
        arrays below have no dimension for it.
    fit_intercept : bool, default=True
        Add a constant to the linear functions.
    cv : int, splitter, iterable or None, default=None
        Number of folds that hold the classes in equal shares (None: 5), an object with a method
        ``split``, or pairs of indices of training and test samples.
    dual : bool, default=False
        Accepted for compatibility; without effect, since the minimum is the same.
    penalty : {"l1", "l2", "elasticnet"}, default="deprecated"
        Older way to choose the penalty: ``"l2"`` is ``l1_ratios=(0,)``, ``"l1"`` is
        ``l1_ratios=(1,)``, ``"elasticnet"`` uses `l1_ratios`. Each warns, as scikit-learn will drop
        the parameter.
    scoring : str, callable or None, default="warn"
        What to maximise: a name of scikit-learn's, or a callable ``scorer(estimator, X, y)``;
        either needs scikit-learn loaded. None, and the default: the accuracy.
    solver : str, default="auto"
        As in :class:`LogisticRegression`.
    tol : float, default=1e-4
        As in :class:`LogisticRegression`, for each fit.
    max_iter : int, default=100
        Most iterations of the solver, for each fit.
    class_weight : dict or "balanced", default=None
        Weights of the classes; ``"balanced"`` gives all classes the same total weight among all
        samples.
    n_jobs : int or None, default=None
        Threads, one path each; None is all CPUs. The result does not depend on it.
    verbose : int, default=0
        Show a progress bar if above 0.
    refit : bool, default=True
        Whether to fit the best penalty to all samples. Otherwise the coefficients, `C` and the
        share that are best on each fold are averaged.
    intercept_scaling : float, default=1.0
        Accepted for compatibility; without effect, since the intercept is not penalised.
    random_state : int, RandomState or None, default=None
        Accepted for compatibility; nothing here is random.
    use_legacy_attributes : bool, default="warn"
        Shapes of the attributes: as scikit-learn has had them (True, and the default), or as they
        will be there (False).

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted.
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Coefficients; one row for two classes; float32 if `X` is, otherwise float64.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Intercepts; zeros without `fit_intercept`.
    Cs_ : ndarray of shape (n_cs,)
        The values of `C`.
    l1_ratios_ : ndarray of shape (n_l1_ratios,)
        The shares; None stands for 0 if none was given.
    coefs_paths_ : dict or ndarray of shape (n_folds, n_l1_ratios, n_cs, n_rows, n_dof)
        Coefficients, and the intercept at the end if there is one, for each fit to a fold; `n_rows`
        is 1 for two classes. With legacy attributes a dict with an array of shape (n_folds, n_cs,
        n_dof), or (n_folds, n_cs, n_l1_ratios, n_dof), for each class, or for the second of two.
    scores_ : dict or ndarray of shape (n_folds, n_l1_ratios, n_cs)
        Score on the test samples of each fold. With legacy attributes a dict with an array of shape
        (n_folds, n_cs), or (n_folds, n_cs, n_l1_ratios), the same for each class.
    C_ : float or ndarray of shape (1,) or (n_classes,)
        The value chosen, repeated with legacy attributes. Of equally good ones, the smallest index.
    l1_ratio_ : float or ndarray of shape (1,) or (n_classes,)
        The share chosen, likewise.
    n_iter_ : ndarray of shape (n_folds, n_l1_ratios, n_cs)
        Iterations; with legacy attributes, of shape (1, n_folds, n_cs) or (1, n_folds, n_cs,
        n_l1_ratios).
    converged_ : bool
        Whether every fit has met its certificate.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if `X` had names that are strings.

    Notes
    -----
    Cost: some passes over the training samples for each fold, share and value of `C`. A fit begins
    at the last minimum, or where the last two lead if that is better. With an l2 penalty alone, the
    model of the curvature, too, is that of the last minimum, corrected by what the steps tell
    (L-BFGS). Such a fit stops at a gap of `tol` / 1000 of the loss of coefficients that are zero,
    or less, and with an l1 penalty at `tol` / 100 of it; the last one, to all samples, as
    :class:`LogisticRegression` does.
    Memory: the training samples of a fold for each thread.

    Examples
    --------
    >>> import numpy as np
    >>> from litlearn.linear_model import LogisticRegressionCV
    >>> X = np.arange(20.0)[:, None]
    >>> model = LogisticRegressionCV(Cs=[1e-6, 1.0], cv=4).fit(X, X[:, 0] > 6)
    >>> print(model.C_, model.scores_[True].shape)
    [1.] (4, 2)
    """

    _calls_back = False

    def __init__(
        self,
        *,
        Cs=10,
        l1_ratios="warn",
        fit_intercept=True,
        cv=None,
        dual=False,
        penalty="deprecated",
        scoring="warn",
        solver="auto",
        tol=1e-4,
        max_iter=100,
        class_weight=None,
        n_jobs=None,
        verbose=0,
        refit=True,
        intercept_scaling=1.0,
        random_state=None,
        use_legacy_attributes="warn",
    ):
        self._set_as_given(locals())

    def fit(self, X, y, sample_weight=None, **params):
        """Choose the penalty, and fit the coefficients.

        Parameters
        ----------
        X : array-like or sparse array of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,)
            Classes: integers, booleans or strings.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples, in the fits and in the scores; ones if None.
        **params : dict
            Refused: nothing is handed on to `cv` or `scoring`.

        Returns
        -------
        self : LogisticRegressionCV

        Raises
        ------
        TypeError
            If `X` or `y` is of a type that cannot be used.
        ValueError
            If a parameter is out of range, `y` has one class only, or an array has the wrong shape
            or holds NaN or infinity.

        Warns
        -----
        ConvergenceWarning
            If a fit stops without its certificate.
        """
        check_no_params(self, params)
        Cs, ratios, limits = self._check_parameters()
        names = validation.feature_names(X)
        X = validation.check_array(self, X, sparse=self.sparse_formats)
        if validation.is_sparse(X) and X.format != "csr":
            X = validation.check_array(self, X.tocsr(), sparse=("csr",))
        coded = targets.encode_one(self, y, X.shape[0])
        classes, codes, s = self._samples(coded, sample_weight)
        weight = validation.check_sample_weight(self, sample_weight, X.shape[0])
        data = X, codes, classes, s, weight
        coefs, scores, n_iter, missed = self._search(data, Cs, ratios, limits)
        fitted, chosen = self._choose(data, coefs, scores, Cs, ratios, limits)
        missed += fitted.message is not None
        if missed:
            message = (
                f"LogisticRegressionCV did not converge in {missed} of {scores.size + self.refit} "
                "fits. Increase max_iter or tol, scale the features, or penalise more (smaller Cs)."
            )
            validation.warn(ConvergenceWarning(message))
        self._store(X, names, classes, fitted)
        del self.optimality_  # of the last fit alone
        self.Cs_, self.converged_ = Cs, missed == 0
        self._store_search(coefs, scores, n_iter, ratios, *chosen)
        return self

    def _choose(self, data, coefs, scores, Cs, ratios, limits):
        """Return what is :class:`Fitted`, and the C and the share of l1 that it stands for."""
        X, codes, classes, s, _ = data
        # <choose>: The best mean score; of equal ones, the first.
        if self.refit:
            mean = scores.mean(axis=0)
            c, r = np.unravel_index(np.argmax(mean.T), mean.T.shape)
            given = Cs[c], ratios[r]
            # The mean of the folds is near, but without l1 little is saved by it. From zero the
            # answer is LogisticRegression's with this C, to the last bit.
            start = self._split(coefs[:, r, c].mean(axis=0) * (ratios[r] > 0.0))
            single = self._single()
            return single._solve_scaled(X, codes, len(classes), s, *given, limits, start), given
        flat = scores.transpose(0, 2, 1).reshape(len(scores), -1).argmax(axis=1)
        c, r = np.unravel_index(flat, (len(Cs), len(ratios)))
        mean = self._split(coefs[np.arange(len(scores)), r, c].mean(axis=0))
        return Fitted(*mean, 0, np.nan, None), (np.mean(Cs[c]), np.mean(ratios[r]))

    def _check_parameters(self):
        """Return the values of C, the shares of l1, and tol and max_iter."""
        limits = self._check_solver_parameters()
        validation.check_boolean(self, "refit", self.refit)
        validation.check_option(self, "penalty", self.penalty, PENALTIES)
        self._warn_of_penalty()
        if not validation.is_option(self.use_legacy_attributes, "warn"):
            validation.check_boolean(self, "use_legacy_attributes", self.use_legacy_attributes)
        if self.scoring is not None and not callable(self.scoring):
            if not isinstance(self.scoring, str):
                expected = "a str that names a scorer of scikit-learn's, a callable or None"
                validation._refuse(self, "scoring", self.scoring, expected)
        if isinstance(self.Cs, numbers.Integral) and not isinstance(self.Cs, (bool, np.bool_)):
            count = validation.check_integer(self, "Cs", self.Cs, low=1, high=validation.LARGEST)
            Cs = np.logspace(*GRID, count)
        else:
            Cs = self._check_numbers("Cs", self.Cs, low=0.0, allow_low=False, allow_inf=True)
        ratios = self._check_ratios()
        for ratio in ratios:
            self._check_solver(ratio)
        return Cs, ratios, limits

    def _check_numbers(self, name, given, **limits):
        """Return an array of checked numbers from an array-like parameter."""
        if not validation.is_listed(given) or np.ndim(given) != 1 or np.size(given) == 0:
            validation._refuse(self, name, given, "an int or an array-like of numbers")
        checked = [
            validation.check_real(self, f"{name}[{i}]", value, **limits)
            for i, value in enumerate(given)
        ]
        return np.array(checked)

    def _check_ratios(self):
        """Return the shares of the l1 penalty."""
        none = self.l1_ratios is None or self._has_default_ratios()
        if self.penalty in ("l1", "l2"):
            if not none:
                message = (
                    "l1_ratios parameter is only used when penalty is 'elasticnet'. Got "
                    f"(penalty={self.penalty})"
                )
                validation.warn(UserWarning(message))
            return np.array([float(self.penalty == "l1")])
        if none and self.penalty == "elasticnet":
            validation._refuse(self, "l1_ratios", None, "an array-like of numbers from 0 to 1")
        if none:
            return np.zeros(1)
        return self._check_numbers("l1_ratios", self.l1_ratios, low=0.0, high=1.0)

    def _has_default_ratios(self):
        return isinstance(self.l1_ratios, str) and self.l1_ratios == "warn"

    def _single(self):
        """Return the estimator that solves for one penalty."""
        return LogisticRegression(
            solver=self.solver, fit_intercept=self.fit_intercept, n_jobs=self.n_jobs
        )

    def _split(self, coefs):
        """Return coefficients and intercepts from arrays that hold both, (q, n_dof)."""
        if self.fit_intercept:
            return np.ascontiguousarray(coefs[:, :-1]), coefs[:, -1].copy()
        return coefs, np.zeros(len(coefs))

    def _search(self, data, Cs, ratios, limits):
        """Fit and score all paths.

        Returns
        -------
        coefs : ndarray of shape (n_folds, n_l1_ratios, n_cs, q, n_dof)
        scores, n_iter : ndarray of shape (n_folds, n_l1_ratios, n_cs)
        missed : int
            How many fits have missed their certificate.
        """
        X, codes, classes, _, weight = data
        folds = check_folds(self, self.cv, X, classes[codes], codes)
        n_paths, scorer = len(folds) * len(ratios), self._scorer(classes)
        q, p = rows_of(len(classes)), X.shape[1]
        coefs = np.empty((len(folds), len(ratios), len(Cs), q, p + bool(self.fit_intercept)))
        scores, done = np.empty(coefs.shape[:3]), []
        n_iter = np.zeros(scores.shape, dtype=np.int32)
        with progress(self, lambda: "", unit="path", total=n_paths) as report:

            def job(number):
                f, r = divmod(number, len(ratios))
                train, test = folds[f]
                missed = self._path(data, train, Cs, ratios[r], limits, coefs[f, r], n_iter[f, r])
                given = (X[test], classes[codes[test]])
                weighted = {} if weight is None else {"sample_weight": weight[test]}
                for c in range(len(Cs)):
                    model = self._single()
                    model.classes_, model.n_features_in_ = classes, p
                    model.coef_, model.intercept_ = self._split(coefs[f, r, c])
                    scores[f, r, c] = check_score(self, scorer(model, *given, **weighted))
                done.append(number)
                if report is not None:
                    report(len(done))
                return missed

            # Short passes would spend their time on handing over the interpreter.
            n_jobs = 1 if np.prod(X.shape) < SMALL else self.n_jobs
            missed = sum(map_blocks(job, n_paths, n_jobs))
        return coefs, scores, n_iter, missed

    def _path(self, data, train, Cs, ratio, limits, coefs, n_iter):
        """Fit some samples for all `Cs`, each from the last; fill `coefs` and `n_iter`.

        Returns how many fits have missed their certificate.
        """
        X, codes, classes, s, _ = data
        X, codes, s = X[train], codes[train], s[train]
        if not s.any():
            raise ValueError(
                "LogisticRegressionCV: sample_weight is all zero outside a fold of cv."
            )
        X = validation.check_array(self, X, sparse=self.sparse_formats)
        missed, order = 0, np.argsort(Cs, kind="stable")
        # <path>: From the strongest penalty to the weakest.
        with within_range(X):
            fits = self._fits(X, codes, len(classes), s, Cs[order], ratio, limits)
        for c, fitted in zip(order, fits, strict=True):
            coefs[c, :, : X.shape[1]] = fitted.coef
            if self.fit_intercept:
                coefs[c, :, -1] = fitted.intercept
            n_iter[c] = fitted.n_iter
            missed += fitted.message is not None
        return missed

    def _fits(self, X, codes, n_classes, s, Cs, ratio, limits):
        """Return a list of what is :class:`Fitted`, for each of rising `Cs`."""
        single, shape = self._single(), (rows_of(n_classes), X.shape[1])
        start, fits = (np.zeros(shape), np.zeros(shape[0])), []
        scaled, alphas = scaled_penalty(s, Cs)
        if (alphas * ratio > 0.0).all():
            return single._solve_l1(X, codes, n_classes, scaled, alphas, ratio, limits, start)
        # Without a finite minimum, the solver of one penalty knows what to say.
        if ratio == 0.0 and np.isfinite(Cs).all() and np.bincount(codes, s, n_classes).min() > 0.0:
            loss = single._loss(X, codes, n_classes, scaled, alphas[-1])
            for v, n_iter, converged in smooth_path(loss, loss.start(*start), alphas, limits):
                missed = None if converged else "missed"
                fits.append(Fitted(*loss.finish(v), n_iter, np.nan, missed))
            return fits
        for C in Cs:
            fits.append(single._solve_scaled(X, codes, n_classes, s, C, ratio, limits, start))
            start = fits[-1].coef, fits[-1].intercept
        return fits

    def _scorer(self, classes=None):
        """Return the callable that scores; with `classes`, one that expects all of these."""
        if self.scoring is None or (isinstance(self.scoring, str) and self.scoring == "warn"):
            return _accuracy
        scorer = self.scoring if callable(self.scoring) else named_scorer(self)
        function = getattr(scorer, "_score_func", None)
        known = inspect.signature(function).parameters if function else ()
        if classes is None or "labels" not in known:
            return scorer
        # A fold may lack a class, which the score must know nevertheless.
        others = {"pos_label": classes[-1]} if len(classes) == 2 and "pos_label" in known else {}
        return sys.modules["sklearn.metrics"].make_scorer(
            function, greater_is_better=scorer._sign == 1, response_method=scorer._response_method,
            **{**others, "labels": classes, **scorer._kwargs},
        )  # fmt: skip

    def _store_search(self, coefs, scores, n_iter, ratios, C, ratio):
        """Store what the search found, in the shapes that were asked for."""
        given = not (self.l1_ratios is None or self._has_default_ratios())
        self.l1_ratios_ = ratios if given else np.array([None])
        if isinstance(self.use_legacy_attributes, str) or self.use_legacy_attributes:
            keys = self.classes_[1:] if len(self.classes_) == 2 else self.classes_
            shares = slice(None) if given else 0
            # From (folds, shares, Cs, ...) to (folds, Cs, shares, ...).
            paths = coefs.transpose(3, 0, 2, 1, 4)[:, :, :, shares]
            scores = scores.transpose(0, 2, 1)[:, :, shares]
            self.coefs_paths_ = {key: paths[i].copy() for i, key in enumerate(keys.tolist())}
            self.scores_ = {key: scores.copy() for key in keys.tolist()}
            self.n_iter_ = n_iter.transpose(0, 2, 1)[None, :, :, shares].copy()
            self.C_ = np.full(len(keys), C)
            self.l1_ratio_ = np.full(len(keys), ratio if given or not self.refit else None)
        else:
            self.coefs_paths_, self.scores_, self.n_iter_ = coefs, scores, n_iter
            self.C_, self.l1_ratio_ = float(C), float(ratio)

    def score(self, X, y, sample_weight=None, **params):
        """Return the score that `scoring` stands for: the accuracy by default.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,)
            Their true classes.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample.
        **params : dict
            Refused: nothing is handed on to `scoring`.

        Returns
        -------
        float
        """
        check_no_params(self, params)
        weighted = {} if sample_weight is None else {"sample_weight": sample_weight}
        return self._scorer()(self, X, y, **weighted)


def _accuracy(model, X, y, sample_weight=None):
    return LogisticRegression.score(model, X, y, sample_weight)
