"""Linear and quadratic discriminant analysis: classes as normal distributions with covariances.

The names, parameters, attributes and defaults are scikit-learn's. Both need the samples only
through counts, means and scatter matrices of the classes (`litlearn._core.moments`): one pass over
blocks of rows, whatever the size of the data.
"""

import copy
from typing import NamedTuple

import numpy as np

from litlearn._core import moments, targets, validation
from litlearn._core.base import NumberedColumnsMixin, clone
from litlearn._core.chunked import count_codes, is_chunked
from litlearn._core.constraints import ARRAY, BOOLEAN, COUNT, SHARE, Has, Option, Table
from litlearn._core.factors import precision_factors, semidefinite_eigen
from litlearn._core.guide import guide
from litlearn._core.linear import LinearClassifier
from litlearn._core.moments import Samples
from litlearn._core.normal import NormalClassifier, given_priors
from litlearn._core.parallel import multiply

__all__ = ["LinearDiscriminantAnalysis", "QuadraticDiscriminantAnalysis"]

# Below this share of the largest, singular values are lost when their squares are computed.
FINEST = 1e-6
COVARIANCE = Table(
    shrinkage=Option("auto") | SHARE | None,
    priors=ARRAY | None,
    store_covariance=BOOLEAN,
    covariance_estimator=Has("fit") | None,
)


# --- statistics of the classes ---------------------------------------------------------------


class ClassStatistics(NamedTuple):
    """What the classes are to both methods, from one pass over the samples."""

    counts: np.ndarray  # (q,)
    means: np.ndarray  # (q, p)
    scatters: list  # q matrices (p, p): sums of products of deviations from the class's mean

    def covariances(self):
        """Return those of maximum likelihood, :eq:`eq-normal-ml`."""
        return [S / count for S, count in zip(self.scatters, self.counts, strict=True)]


def class_statistics(X, codes, n_classes):
    """Return the :class:`ClassStatistics` of samples (n, p) with codes (n,)."""
    samples = Samples(X, np.empty((len(X), 0)), None, True)
    parts = moments.moments_by_class(samples, codes, n_classes)
    means = np.array([part.x_mean for part in parts])
    counts = np.array([part.weight for part in parts]).astype(np.intp)
    return ClassStatistics(counts, means, [part.xx for part in parts])


# --- covariance matrices ---------------------------------------------------------------------


def shrunk(covariance, share):
    """Move a covariance matrix (p, p) towards a multiple of the identity, :eq:`eq-shrinkage`."""
    p = len(covariance)
    result = (1.0 - share) * covariance
    result.flat[:: p + 1] += share * np.trace(covariance) / p
    return result


def ledoit_wolf_share(Z, covariance):
    """Return the share of shrinkage that Ledoit and Wolf estimate, :eq:`eq-ledoit-wolf`.

    Parameters
    ----------
    Z : ndarray of shape (n, p)
        Samples less their mean.
    covariance : ndarray of shape (p, p)
        Of maximum likelihood.

    Returns
    -------
    float
        Between 0 and 1 :cite:p:`ledoit_well_2004`.
    """
    n, p = Z.shape
    mean = np.trace(covariance) / p
    spread = np.sum(covariance**2) - p * mean**2  # squared distance from the multiple of I
    fourth = np.sum(np.einsum("ij,ij->i", Z, Z) ** 2) / n
    noise = (fourth - np.sum(covariance**2)) / n  # expected squared error of the covariance
    return 0.0 if spread <= 0.0 else float(min(max(noise, 0.0) / spread, 1.0))


def ledoit_wolf(X, covariance):
    """Shrink the covariance of samples by Ledoit and Wolf's share, after standardising them."""
    scale = np.sqrt(np.diagonal(covariance))
    scale = np.where(scale > 0.0, scale, 1.0)
    Z = (X - X.mean(axis=0, dtype=np.float64)) / scale
    correlation = covariance / scale / scale[:, None]
    return shrunk(correlation, ledoit_wolf_share(Z, correlation)) * scale * scale[:, None]


def regularised(owner, covariance, rows):
    """Return the covariance that the parameters of `owner` ask for.

    Parameters
    ----------
    owner : estimator
        With ``shrinkage`` and ``covariance_estimator``.
    covariance : ndarray of shape (p, p)
        That of maximum likelihood.
    rows : callable
        Returns the samples (n, p), for the ways that need more than the covariance.
    """
    if owner.covariance_estimator is not None:
        given = owner.covariance_estimator
        fitted = clone(given) if hasattr(given, "get_params") else copy.deepcopy(given)
        fitted.fit(rows())
        if not hasattr(fitted, "covariance_"):
            raise ValueError(
                f"{type(owner).__name__}: {type(fitted).__name__} does not have a covariance_ "
                "attribute"
            )
        return np.atleast_2d(fitted.covariance_)
    if owner.shrinkage == "auto":
        return ledoit_wolf(rows(), covariance)
    return covariance if owner.shrinkage is None else shrunk(covariance, owner.shrinkage)


def check_covariance_parameters(owner):
    """Check the parameters; the solver "svd" takes no covariance but that of the samples."""
    validation.check_parameters(owner)
    who, estimator = type(owner).__name__, owner.covariance_estimator
    if owner.solver == "svd" and owner.shrinkage is not None:
        raise NotImplementedError(f"{who}: shrinkage not supported with 'svd' solver.")
    if owner.solver == "svd" and estimator is not None:
        raise ValueError(
            f"{who}: covariance estimator is not supported with svd solver (covariance_estimator "
            "is not supported with solver='svd'). Try another solver."
        )
    if estimator is not None and owner.shrinkage not in (None, 0):
        raise ValueError(
            f"{who}: covariance_estimator and shrinkage parameters are not None. Only one of the "
            "two can be set."
        )


def check_chunks(owner, X):
    """Refuse samples in chunks where more than their sums are asked for."""
    if not is_chunked(X):
        return
    who = type(owner).__name__
    if owner.covariance_estimator is not None or owner.shrinkage == "auto":
        raise ValueError(
            f"{who}: shrinkage='auto' and covariance_estimator need the samples themselves. Of an "
            "array of Dask, give shrinkage as a number."
        )
    decomposed = isinstance(owner, LinearDiscriminantAnalysis) and owner.solver == "svd"
    if decomposed and (len(X) < X.shape[1] or owner.tol < FINEST):
        raise ValueError(
            f"{who}: solver='svd' decomposes the samples themselves where there are fewer than "
            f"features, or tol is below {FINEST}. Of an array of Dask, use solver='lsqr'."
        )


# --- solvers of linear discriminant analysis -------------------------------------------------


class Directions(NamedTuple):
    """What a solver of linear discriminant analysis finds."""

    coef: np.ndarray  # (q, p)
    intercept: np.ndarray  # (q,)
    scalings: np.ndarray | None  # (p, r), columns that whiten the classes, the most telling first
    ratios: np.ndarray | None  # (r,) shares of the variance of the means


def linear_terms(means, coef, priors):
    """Return the intercepts that belong to coefficients Sigma^-1 mu, :eq:`eq-lda`."""
    return -0.5 * np.einsum("cj,cj->c", means, coef) + targets.logarithms(priors)


def by_least_squares(means, covariance, priors):
    """Solve for the linear functions alone: Sigma w = mu, of smallest norm if there are many."""
    from scipy import linalg

    coef = linalg.lstsq(covariance, means.T)[0].T
    return Directions(coef, linear_terms(means, coef, priors), None, None)


def by_eigenvalues(means, within, total, priors):
    """Solve the generalised eigenproblem of between and within, :eq:`eq-fisher-eigen`."""
    from scipy import linalg

    values, vectors = linalg.eigh(total - within, within)
    order = np.argsort(values)[::-1]
    V, values = vectors[:, order], values[order]
    coef = means @ V @ V.T
    return Directions(coef, linear_terms(means, coef, priors), V, values / values.sum())


def whitening(X, codes, statistics, tol):
    """Return a matrix (p, r) after which the classes have unit covariance within, and rank r.

    Directions whose spread is below `tol`, in standardised units, are dropped.
    """
    n, p = X.shape
    pooled = sum(statistics.scatters) / n
    std = np.sqrt(np.diagonal(pooled))
    std = np.where(std > 0.0, std, 1.0)
    if n >= p and tol >= FINEST:
        # Roots of eigenvalues are singular values, to half the digits: enough for this tolerance.
        values, vectors = semidefinite_eigen(pooled / std / std[:, None])
        spread, rows = np.sqrt(values[::-1]), vectors.T[::-1]
    else:
        Z = (X - statistics.means[codes]) / (std * np.sqrt(n))
        _, spread, rows = np.linalg.svd(Z, full_matrices=False)
    rank = int((spread > tol).sum())
    return (rows[:rank] / std).T / spread[:rank]


def by_whitening(X, codes, statistics, priors, tol):
    """Whiten the classes, then find the axes of their means, :eq:`eq-lda-whitening`.

    Works for any rank: directions in which no class varies are left out.
    """
    q = len(priors)
    W = whitening(X, codes, statistics, tol)
    centre = priors @ statistics.means
    deviations = statistics.means - centre
    spread = (np.sqrt(len(X) * priors / max(q - 1, 1)) * deviations.T).T @ W
    _, values, rows = np.linalg.svd(spread, full_matrices=False)
    ratios = values**2 / np.sum(values**2) if values.size and values[0] > 0.0 else values
    rank = int((values > tol * values.max(initial=0.0)).sum())
    scalings = W @ rows[:rank].T
    shift = deviations @ scalings
    coef = shift @ scalings.T
    intercept = -0.5 * np.sum(shift**2, axis=1) + targets.logarithms(priors) - coef @ centre
    return Directions(coef, intercept, scalings, ratios)


# --- estimators ------------------------------------------------------------------------------


class LinearDiscriminantAnalysis(NumberedColumnsMixin, LinearClassifier):
    r"""Classes as normal distributions with one covariance matrix: the borders are linear.

    Bayes' rule with equal covariances gives a linear function for each class, :eq:`eq-lda`. The
    same directions, ordered by how far they separate the means, reduce the dimension.

    Parameters
    ----------
    solver : {"svd", "lsqr", "eigen"}, default="svd"
        ``"svd"`` whitens the classes and copes with any rank. ``"lsqr"`` solves for the linear
        functions only. ``"eigen"`` solves the generalised eigenproblem of the scatter between and
        within the classes. The last two take a shrunk or other covariance.
    shrinkage : "auto" or float, default=None
        Share of a multiple of the identity in each covariance, between 0 and 1,
        :eq:`eq-shrinkage`; ``"auto"`` estimates it by Ledoit and Wolf's formula.
    priors : array-like of shape (n_classes,), default=None
        Prior probabilities of the classes. None: their shares in the data.
    n_components : int, default=None
        Dimensions that ``transform`` keeps, at most ``min(n_classes - 1, n_features)``, which is
        also the default.
    store_covariance : bool, default=False
        Whether the solver ``"svd"`` also stores ``covariance_``.
    tol : float, default=1e-4
        Directions with a smaller spread within the classes, in standardised units, are dropped by
        the solver ``"svd"``.
    covariance_estimator : estimator, default=None
        An object with ``fit`` and ``covariance_`` that estimates the covariance of each class.

    Attributes
    ----------
    coef_ : ndarray of shape (n_classes, n_features), or (1, n_features) for two classes
        Coefficients of the linear functions; for two classes, of their difference.
    intercept_ : ndarray of shape (n_classes,) or (1,)
        Their intercepts.
    covariance_ : ndarray of shape (n_features, n_features)
        Covariance within the classes, averaged with the priors as weights.
    explained_variance_ratio_ : ndarray of shape (n_components,)
        Share of the whitened variance between the means along each component.
    means_ : ndarray of shape (n_classes, n_features)
        Means of the classes.
    priors_ : ndarray of shape (n_classes,)
        Prior probabilities, of sum 1.
    scalings_ : ndarray of shape (n_features, rank)
        Directions; ``transform`` projects on the first ``n_components`` of them.
    xbar_ : ndarray of shape (n_features,)
        Mean of all classes, weighted with the priors; only of the solver ``"svd"``.
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if `X` was a data frame with string names.

    Notes
    -----
    Cost: one pass of n p^2 operations in blocks of rows, then p^3; prediction n p q. If there are
    more features than samples, or `tol` is below a millionth, the solver ``"svd"`` decomposes the
    samples themselves. See :cite:t:`fisher_use_1936`.

    Examples
    --------
    >>> from litlearn.discriminant_analysis import LinearDiscriminantAnalysis
    >>> X = [[-1, -1], [-2, -1], [-3, -2], [1, 1], [2, 1], [3, 2]]
    >>> model = LinearDiscriminantAnalysis().fit(X, [0, 0, 0, 1, 1, 1])
    >>> print(model.predict([[-0.8, -1]]), model.transform(X).shape)
    [0] (6, 1)
    """

    _constraints = Table(
        COVARIANCE, solver=Option("svd", "lsqr", "eigen"), n_components=COUNT | None
    )
    _fits_chunks = True

    def __init__(
        self,
        solver="svd",
        shrinkage=None,
        priors=None,
        n_components=None,
        store_covariance=False,
        tol=1e-4,
        covariance_estimator=None,
    ):
        self._set_as_given(locals())

    def fit(self, X, y):
        """Estimate the means, the covariance and the linear functions.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples; more than there are classes.
        y : array-like of shape (n_samples,)
            Their classes.

        Returns
        -------
        self : estimator

        Raises
        ------
        TypeError
            If `X` or `y` holds objects that cannot be used, or `X` is sparse.
        ValueError
            If a parameter is out of range, or `X` or `y` is missing, empty, of the wrong shape, or
            holds NaN or infinity, or there are as many classes as samples.
        numpy.linalg.LinAlgError
            If the solver ``"eigen"`` meets a covariance that is not positive definite.
        """
        check_covariance_parameters(self)
        X, names = validation.check_samples(self, X, fewest=2)
        check_chunks(self, X)
        coded = targets.encode_one(self, y, len(X))
        classes, codes = coded.classes[0], coded.codes[0]
        if len(X) == len(classes):
            raise ValueError(
                f"{type(self).__name__}: The number of samples must be more than the number of "
                f"classes: got {len(X)} samples, each of another class."
            )
        n_components = self._check_n_components(len(classes), X.shape[1])
        statistics = class_statistics(X, codes, len(classes))
        priors = self._check_priors(statistics.counts)
        found = self._solve(X, codes, statistics, priors)
        self._store(found, n_components, X.dtype)
        self.classes_ = classes
        self.means_ = statistics.means.astype(X.dtype)
        self.priors_ = priors.astype(X.dtype)
        validation.store_features(self, X.shape[1], names)
        return self

    def _check_n_components(self, n_classes, n_features):
        most = min(n_classes - 1, n_features)
        if self.n_components is not None and self.n_components > most:
            raise ValueError(
                f"{type(self).__name__}: n_components cannot be larger than min(n_features, "
                f"n_classes - 1). Got {self.n_components}, and there can be {most}."
            )
        return most if self.n_components is None else int(self.n_components)

    def _check_priors(self, counts):
        if self.priors is None:
            return counts / counts.sum()
        priors = given_priors(self, self.priors, len(counts))
        if (priors < 0.0).any():
            raise ValueError(f"{type(self).__name__}: priors must be non-negative. Got {priors}.")
        if abs(priors.sum() - 1.0) > 1e-5:
            message = (
                f"{type(self).__name__}: The priors do not sum to 1. Renormalizing: their sum was "
                f"{priors.sum()}."
            )
            validation.warn(UserWarning(message))
            priors = priors / priors.sum()
        return priors

    def _solve(self, X, codes, statistics, priors):
        for name in ("covariance_", "xbar_"):
            self.__dict__.pop(name, None)
        needed = self.solver != "svd" or self.store_covariance
        if needed:
            within = sum(
                prior * regularised(self, one, lambda c=c: X[codes == c].astype(np.float64))
                for c, (prior, one) in enumerate(zip(priors, statistics.covariances(), strict=True))
            )
            self.covariance_ = within
        if self.solver == "svd":
            self.xbar_ = (priors @ statistics.means).astype(X.dtype)
            return by_whitening(X, codes, statistics, priors, self.tol)
        if self.solver == "lsqr":
            return by_least_squares(statistics.means, within, priors)
        total = regularised(self, total_covariance(statistics), lambda: X.astype(np.float64))
        try:
            return by_eigenvalues(statistics.means, within, total, priors)
        except np.linalg.LinAlgError as error:
            raise np.linalg.LinAlgError(
                f"{type(self).__name__}: The covariance matrix within the classes is not positive "
                'definite, as solver="eigen" needs. Use solver="svd", or set shrinkage.'
            ) from error

    def _store(self, found, n_components, dtype):
        coef, intercept = found.coef, found.intercept
        if len(coef) == 2:  # the difference of the two functions says all
            coef, intercept = coef[1:] - coef[:1], intercept[1:] - intercept[:1]
        elif len(coef) == 1:  # nothing to compare with: the only class is certain everywhere
            coef, intercept = np.zeros_like(coef), np.zeros_like(intercept)
        self.coef_, self.intercept_ = coef.astype(dtype), intercept.astype(dtype)
        for name in ("scalings_", "explained_variance_ratio_"):
            self.__dict__.pop(name, None)
        if found.scalings is not None:
            self.scalings_ = found.scalings.astype(dtype)
            self.explained_variance_ratio_ = found.ratios[:n_components].astype(dtype)
        self._n_components = n_components

    def transform(self, X):
        """Project samples on the directions that separate the means.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            Coordinates along ``scalings_``, in which each class has unit covariance on average.

        Raises
        ------
        NotImplementedError
            With the solver ``"lsqr"``, which finds no directions.
        """
        validation.check_is_fitted(self)
        if self.solver == "lsqr":
            raise NotImplementedError(
                f"{type(self).__name__}: transform not implemented for 'lsqr' solver (use 'svd' or "
                "'eigen')."
            )
        X = validation.check_queries(self, X)
        directions = self.scalings_[:, : self._n_components].astype(X.dtype, copy=False)
        if self.solver == "svd":
            X = X - self.xbar_.astype(X.dtype, copy=False)
        return multiply(X, directions)

    @property
    def _n_features_out(self):
        return min(self._n_components, self.scalings_.shape[1])

    def predict_proba(self, X):
        """Return the posterior probabilities of the classes, :eq:`eq-normal-posterior`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Columns in the order of ``classes_``; each row sums to 1.
        """
        return targets.probabilities(self.decision_function(X).astype(np.float64))

    def predict_log_proba(self, X):
        """Return logarithms of the posterior probabilities, :eq:`eq-normal-posterior`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Columns in the order of ``classes_``.
        """
        return targets.log_probabilities(self.decision_function(X).astype(np.float64))


def total_covariance(statistics):
    """Return the covariance of all samples, from that of the classes and of their means."""
    n, shares = statistics.counts.sum(), statistics.counts / statistics.counts.sum()
    deviations = statistics.means - shares @ statistics.means
    return sum(statistics.scatters) / n + (shares * deviations.T) @ deviations


def whitening_of(covariances, scalings, rotations):
    """Return matrices U (q, p, p) with ``U U'`` the inverse covariances, and log-determinants (q,).

    From Cholesky factors of the scaled covariances: what features of different units do to
    eigenvalues does not touch them. Where rounding left a matrix that is not positive definite,
    from its eigenvalues.
    """
    factors, log_determinants = precision_factors(np.array(covariances))
    for c in np.flatnonzero(np.isneginf(log_determinants)):
        factors[c] = rotations[c] / np.sqrt(scalings[c])
        log_determinants[c] = np.log(scalings[c]).sum()
    return factors, log_determinants


class QuadraticDiscriminantAnalysis(NormalClassifier):
    r"""Classes as normal distributions, each with a covariance matrix of its own.

    Bayes' rule gives a quadratic function for each class, :eq:`eq-qda`, and quadratic borders.

    Parameters
    ----------
    solver : {"svd", "eigen"}, default="svd"
        Both use the eigenvectors of the covariances. ``"svd"`` takes the covariance of maximum
        likelihood and `reg_param`; ``"eigen"`` takes a shrunk or other covariance.
    shrinkage : "auto" or float, default=None
        Share of a multiple of the identity in each covariance, :eq:`eq-shrinkage`.
    priors : array-like of shape (n_classes,), default=None
        Prior probabilities of the classes. None: their shares in the data.
    reg_param : float, default=0.0
        Between 0 and 1: variances v along the principal axes become ``(1 - reg_param) v +
        reg_param``, with the solver ``"svd"``.
    store_covariance : bool, default=False
        Whether ``covariance_`` is stored.
    tol : float, default=1e-4
        A class whose variance along some axis is not above it is refused as degenerate.
    covariance_estimator : estimator, default=None
        An object with ``fit`` and ``covariance_`` that estimates the covariance of each class.

    Attributes
    ----------
    covariance_ : list of ndarray of shape (n_features, n_features)
        Covariance of each class, if stored.
    means_ : ndarray of shape (n_classes, n_features)
        Means of the classes.
    priors_ : ndarray of shape (n_classes,)
        Prior probabilities.
    rotations_ : list of ndarray of shape (n_features, n_features)
        Principal axes of each class, as columns, the longest first.
    scalings_ : list of ndarray of shape (n_features,)
        Variances along them.
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if `X` was a data frame with string names.

    Notes
    -----
    Cost: one pass of n p^2 operations in blocks of rows, then q p^3; prediction n p^2 q.

    Examples
    --------
    >>> from litlearn.discriminant_analysis import QuadraticDiscriminantAnalysis
    >>> X = [[-1, -1], [-2, -1], [-3, -2], [1, 1], [2, 1], [3, 2]]
    >>> model = QuadraticDiscriminantAnalysis().fit(X, [0, 0, 0, 1, 1, 1])
    >>> print(model.predict([[-0.8, -1]]))
    [0]
    """

    _constraints = Table(COVARIANCE, solver=Option("svd", "eigen"), reg_param=SHARE)
    _fits_chunks = True

    def __init__(
        self,
        *,
        solver="svd",
        shrinkage=None,
        priors=None,
        reg_param=0.0,
        store_covariance=False,
        tol=1.0e-4,
        covariance_estimator=None,
    ):
        self._set_as_given(locals())

    def fit(self, X, y):
        """Estimate the means and covariances of the classes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,)
            Their classes: at least two, of at least two samples each.

        Returns
        -------
        self : estimator

        Raises
        ------
        TypeError
            If `X` or `y` holds objects that cannot be used, or `X` is sparse.
        ValueError
            If a parameter is out of range, or `X` or `y` is missing, empty, of the wrong shape, or
            holds NaN or infinity, or a class has one sample.
        numpy.linalg.LinAlgError
            If a covariance is not of full rank.
        """
        check_covariance_parameters(self)
        X, names = validation.check_samples(self, X)
        check_chunks(self, X)
        coded = targets.encode_one(self, y, len(X), fewest=2)
        classes, codes = coded.classes[0], coded.codes[0]
        counts = count_codes(codes, len(classes))
        if counts.min() < 2:
            raise ValueError(
                f"{type(self).__name__}: y has only 1 sample in class "
                f"{classes[counts.argmin()]}, covariance is ill defined."
            )
        if self.priors is None:
            priors = counts / counts.sum()
        else:
            priors = given_priors(self, self.priors, len(classes))
        statistics = class_statistics(X, codes, len(classes))
        covariances, scalings, rotations = [], [], []
        for c, one in enumerate(statistics.covariances()):
            chosen = regularised(self, one, lambda c=c: X[codes == c].astype(np.float64))
            if self.solver == "svd":
                chosen = (1.0 - self.reg_param) * chosen + self.reg_param * np.eye(len(chosen))
            values, vectors = semidefinite_eigen(chosen)
            values, vectors = values[::-1], np.ascontiguousarray(vectors[:, ::-1])
            self._check_rank(values, classes[c], counts[c])
            covariances.append(chosen)
            scalings.append(values.astype(X.dtype))
            rotations.append(vectors.astype(X.dtype))
        self.__dict__.pop("covariance_", None)
        if self.store_covariance:
            self.covariance_ = covariances
        self.classes_, self.priors_ = classes, priors
        self.means_ = statistics.means.astype(X.dtype)
        self.scalings_, self.rotations_ = scalings, rotations
        self._whitening, self._log_determinants = whitening_of(covariances, scalings, rotations)
        validation.store_features(self, X.shape[1], names)
        return self

    def _check_rank(self, variances, label, count):
        if (variances > self.tol).all():
            return
        start = f"{type(self).__name__}: The covariance matrix of class {label} is not full rank. "
        p = len(variances)
        if self.solver == "svd" and count <= p:
            raise np.linalg.LinAlgError(
                f"{start}When using `solver='svd'` the number of samples in each class should be "
                f"more than the number of features, but class {label} has {count} samples and {p} "
                "features. Try using `solver='eigen'` and setting the parameter `shrinkage` for "
                "regularization."
            )
        parameter = "shrinkage" if self.solver == "eigen" else "reg_param"
        raise np.linalg.LinAlgError(
            f"{start}Increase the value of `{parameter}` to reduce the collinearity. (Variances up "
            f"to tol={self.tol} count as zero.)"
        )

    def _log_joint(self, X):
        """Implements :eq:`eq-qda` for a block of samples, up to the constant of all classes."""
        out = np.empty((len(X), len(self.classes_)), dtype=X.dtype)
        for c, (U, log_determinant) in enumerate(
            zip(self._whitening, self._log_determinants, strict=True)
        ):
            Z = (X - self.means_[c].astype(X.dtype, copy=False)) @ U.astype(X.dtype, copy=False)
            out[:, c] = -0.5 * (np.einsum("ij,ij->i", Z, Z) + log_determinant)
        return out + targets.logarithms(self.priors_).astype(X.dtype)

    def _means_of_classes(self):
        return self.means_

    def _far_squares(self, X, shrink):
        out = np.empty((len(X), len(self.classes_)))
        for c, U in enumerate(self._whitening):
            Z = (X - self.means_[c].astype(np.float64)) @ (U * shrink)
            out[:, c] = np.einsum("ij,ij->i", Z, Z)
        return out

    def decision_function(self, X):
        """Return the log-posterior of each class up to a constant, or their difference for two.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            :eq:`eq-qda`; with two classes, the second less the first: positive on the side of the
            second.
        """
        scores = self._joint(X)
        return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores


__getattr__ = guide(__name__)
