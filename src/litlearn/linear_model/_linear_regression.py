"""Linear regression: least squares without a penalty."""

import numpy as np

from litlearn._core import validation
from litlearn._core.base import MultiOutputMixin
from litlearn._core.constraints import BOOLEAN, Table
from litlearn._core.linear import SPARSE_FORMATS, LinearRegressor, store_linear_function
from litlearn._core.moments import Samples
from litlearn.linear_model import _least_squares


class LinearRegression(MultiOutputMixin, LinearRegressor):
    """Least squares: the linear function with the smallest sum of squared errors.

    Minimises :eq:`eq-least-squares`. Where several coefficient vectors reach the minimum, because
    columns are linearly dependent or there are more features than samples, the shortest one is
    returned, :eq:`eq-minimum-norm`.

    Parameters
    ----------
    fit_intercept : bool, default=True
        Whether the function has an intercept :math:`w_0`. Without one it passes through the origin.
    copy_X : bool, default=True
        Has no effect: `X` is never written to.
    tol : float, default=1e-6
        Singular values of the centred samples below this share of the largest count as zero.
    n_jobs : int, default=None
        Number of threads. None and -1: every CPU that is available. The result does not depend on
        it.
    positive : bool, default=False
        Whether no coefficient may be negative, :eq:`eq-nonnegative-least-squares`.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,) or (n_targets, n_features)
        Coefficients; float32 if `X` is, otherwise float64.
    intercept_ : float or ndarray of shape (n_targets,)
        Intercept, 0.0 without one.
    rank_ : int
        Number of singular values above the threshold. For dense `X` without `positive`.
    singular_ : ndarray of shape (min(n_samples, n_features),)
        Singular values of the centred samples, largest first, computed when they are first asked
        for. For dense `X` without `positive`. Of float32 samples, the smallest may have an error of
        one in a thousand.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if `X` was a data frame with string names.

    Notes
    -----
    Cost: O(n p min(n, p)), one pass over the samples, and memory for a matrix of the smaller
    dimension. `X` may be a ``numpy.memmap`` of float32 or float64 numbers that is larger than
    memory. A condition number decides between the normal equations :eq:`eq-normal-equations` and an
    orthogonal factorisation :eq:`eq-qr-solution`, which takes four times as long. Sums are kept in
    float64. Products of many float32 numbers are taken in float32 where the features are far from
    collinear, or where the solution is then refined :eq:`eq-refinement`, and in float64 otherwise.

    Examples
    --------
    >>> from litlearn.linear_model import LinearRegression
    >>> model = LinearRegression().fit([[0], [1], [2]], [1, 3, 5])
    >>> print(model.coef_.round(6), round(float(model.intercept_), 6))
    [2.] 1.0
    """

    _constraints = Table(positive=BOOLEAN)
    sparse_formats = SPARSE_FORMATS
    _fits_chunks = True

    def __init__(self, *, fit_intercept=True, copy_X=True, tol=1e-6, n_jobs=None, positive=False):
        self._set_as_given(locals())

    def fit(self, X, y, sample_weight=None):
        """Find the coefficients.

        Parameters
        ----------
        X : array-like or sparse array of shape (n_samples, n_features)
            Samples. Sparse ones are used as CSR or CSC.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Targets, real numbers.
        sample_weight : array-like of shape (n_samples,), default=None
            Factors of the squared errors, :eq:`eq-weighted-least-squares`. A weight of 2 counts as
            a sample that is there twice.

        Returns
        -------
        self : estimator

        Raises
        ------
        TypeError
            If `X` or `y` holds objects that are not numbers.
        ValueError
            If a parameter is out of range, or `X`, `y` or `sample_weight` is missing, empty, of the
            wrong shape, or holds NaN or infinity.
        """
        given = validation.check_parameters(self)
        names = validation.feature_names(X)
        X = validation.check_array(self, X, order="any", sparse=self.sparse_formats, finite=False)
        y = validation.check_real_targets(self, y, X.shape[0])
        weight = validation.check_sample_weight(self, sample_weight, X.shape[0])
        known = not isinstance(X, np.ndarray)  # to be finite; of an array the sums will tell
        samples = Samples(X, y.reshape(len(y), -1), weight, given.fit_intercept, finite=known)
        solution = _least_squares.solve_least_squares(
            self, samples, alpha=np.zeros(samples.Y.shape[1]),
            cutoff=min(given.tol, 1e9),  # beyond 1 nothing is left, and squares are to stay finite
            n_jobs=given.n_jobs, way="positive" if given.positive else "auto",
        )  # fmt: skip
        validation.store_features(self, X.shape[1], names)
        store_linear_function(self, solution, X.dtype, y.ndim == 1, y.ndim)
        for name in ("rank_", "_spectrum"):
            vars(self).pop(name, None)
        if not given.positive and not validation.is_sparse(X):
            self.rank_, self._spectrum = solution.rank, solution.spectrum
        return self

    @property
    def singular_(self):
        """Singular values of the centred samples, largest first."""
        validation.check_is_fitted(self)
        if not hasattr(self, "_spectrum"):
            name = type(self).__name__
            raise AttributeError(
                f"{name}: no singular values of sparse data or with positive=True."
            )
        if isinstance(self._spectrum, tuple):  # as the solver left it
            found, scale = self._spectrum
            if found.ndim == 2:
                found = np.sqrt(np.maximum(np.linalg.eigvalsh(found)[::-1], 0.0))
            self._spectrum = found / scale
        return self._spectrum

    def __getstate__(self):
        if hasattr(self, "_spectrum"):
            _ = self.singular_  # a few numbers, where a matrix would be pickled otherwise
        return super().__getstate__()
