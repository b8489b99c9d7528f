"""What the machines with kernels share: parameters, samples, support vectors, predictions."""

import numpy as np

from litlearn._core import validation
from litlearn._core.base import BaseEstimator
from litlearn._core.constraints import (
    ANY_REAL,
    BOOLEAN,
    CALLABLE,
    NOT_NEGATIVE,
    POSITIVE,
    Integer,
    Option,
    Real,
    Table,
)
from litlearn._core.parallel import cut, fold_blocks
from litlearn.exceptions import ConvergenceWarning
from litlearn.kernels import _functions as kernels
from litlearn.svm._gram import ComputedGram, StoredGram, rows_of_tile
from litlearn.svm._working_set import most_steps

MEGABYTE = 1e6
SMALL = 2**21  # products of a Gram matrix that take no longer than those of stored entries alone


class KernelMachine(BaseEstimator):
    """A linear combination of kernels with some of the training samples, and an intercept."""

    _constraints = Table(
        C=Real("(0.0, inf]"),
        kernel=Option("linear", "poly", "rbf", "sigmoid", "precomputed") | CALLABLE,
        degree=Integer("[0, inf)"),
        gamma=Option("scale", "auto") | NOT_NEGATIVE,
        coef0=ANY_REAL,
        tol=POSITIVE,
        shrinking=BOOLEAN,
        cache_size=POSITIVE,
        max_iter=Integer("[-1, inf)"),
    )

    @property
    def _sparse_formats(self):
        """Formats of sparse samples that go with the kernel."""
        return () if self.kernel == "precomputed" else ("csr",)

    # ------------------------------------------------------------------ before the solver

    def _check_samples(self, X):
        """Return X in float64, dense or CSR, or as it is for a kernel that is a function."""
        if callable(self.kernel):
            return X, X.shape[0] if hasattr(X, "shape") else len(X)
        if self.kernel == "precomputed":
            if validation.is_sparse(X):
                raise TypeError(
                    f"{type(self).__name__}: Sparse precomputed kernels are not supported."
                )
            X = as_double(validation.check_array(self, X))
            validation.check_square(self, X)
            return X, len(X)
        X = as_double(validation.check_array(self, X, sparse=("csr",)))
        return X, X.shape[0]

    def _gram(self, X, n):
        """Return the Gram matrix, stored or not, the kernel, and the bytes left for the solver."""
        budget = self.cache_size * MEGABYTE
        if callable(self.kernel):
            return StoredGram(self._call_kernel(X, X, (n, n))), None, budget
        if self.kernel == "precomputed":
            return StoredGram(X), None, budget
        if validation.is_sparse(X) and n * n * X.shape[1] <= SMALL:
            X = X.toarray()  # rounded alike, so that the machine is the same to the last digit
        kernel = kernels.make_kernel(
            self.kernel, X, gamma=self._find_gamma(X), degree=self._degree(), coef0=self.coef0
        )
        with np.errstate(over="ignore", invalid="ignore"):
            if not np.isfinite(kernels.kernel_diagonal(kernel, X)).all():
                self._refuse_infinite()
        if 8.0 * n * n <= 0.5 * budget:
            return StoredGram(kernels.gram(kernel, X)), kernel, budget - 8.0 * n * n
        return ComputedGram(kernel, X), kernel, 0.5 * budget

    def _find_gamma(self, X):
        if validation.is_option(self.gamma, "auto"):
            return 1.0 / X.shape[1]
        if not validation.is_option(self.gamma, "scale"):
            return float(self.gamma)
        gamma = kernels.scaled_gamma(X)
        if np.isnan(gamma):
            self._refuse_infinite()
        return gamma

    def _degree(self):
        return min(self.degree, validation.LARGEST)

    def _refuse_infinite(self):
        """Raise the error of numbers out of range; kernels and bounds are made of these."""
        names = ("C", "nu", "kernel", "gamma", "degree", "coef0")
        given = {name: getattr(self, name) for name in names if hasattr(self, name)}
        raise ValueError(
            f"{type(self).__name__}: The dual coefficients or intercepts are not finite. The input "
            "data may contain large values and need to be preprocessed, or one of the parameters "
            f"is too large or too small: {given}."
        )

    def _call_kernel(self, X, others, shape):
        """Return the matrix that a kernel function gives."""
        K = self.kernel(X, others)
        if validation.is_sparse(K):
            K = validation.check_sparse(self, K, "kernel(X, Y)").toarray()
        K = as_double(validation.check_array(self, K, "kernel(X, Y)"))
        if K.shape != shape:
            raise ValueError(
                f"{type(self).__name__}: the kernel returned an array of shape {K.shape}, expected "
                f"{shape}: one row for each sample, one column for each training sample."
            )
        return K

    def _check_weight(self, sample_weight, n):
        """Return weights, ones if there are none; a negative weight leaves the sample out."""
        given = np.asarray(sample_weight)
        if sample_weight is not None and given.dtype.kind in "iuf":
            with np.errstate(invalid="ignore"):
                sample_weight = np.where(given < 0, 0.0, given)
            if given.ndim == 1 and len(given) == n and not np.any(sample_weight):
                raise ValueError(
                    f"{type(self).__name__}: Invalid input - all samples have zero or negative "
                    "weights. sample_weight needs a positive one."
                )
        weight = validation.check_sample_weight(self, sample_weight, n)
        return np.ones(n) if weight is None else weight

    # ------------------------------------------------------------------ after the solver

    def _warn_of(self, solutions):
        """Warn if a solver stopped without its certificate."""
        open_ones = [one for one in solutions if not one.converged]
        if not open_ones:
            return
        worst = max(one.violation for one in open_ones)
        steps = max(one.n_steps for one in open_ones)
        if any(one.n_steps == self.max_iter for one in open_ones):
            message = (
                f"Solver terminated early (max_iter={self.max_iter}).  Consider pre-processing "
                "your data with StandardScaler or MinMaxScaler."
            )
        elif self.max_iter < 0 and any(
            one.n_steps >= most_steps(len(one.beta)) for one in open_ones
        ):
            message = (
                f"{type(self).__name__}: the solver stopped after {steps} steps, at a "
                f"violation of {worst:.1e}, which is not below tol={self.tol:.1e}. Scale the "
                "features, or use a smaller C, a larger tol or a larger max_iter."
            )
        else:
            message = (
                f"{type(self).__name__}: the solver stopped at a violation of {worst:.1e}, which "
                f"rounding does not let it lower to tol={self.tol:.1e}. Scale the features, or use "
                "a smaller C or a larger tol."
            )
        validation.warn(ConvergenceWarning(message))

    def _store_support(self, X, n, support, dual_coef, n_support):
        """Store the support vectors (n_sv,), their coefficients (rows, n_sv) and their counts."""
        self._sparse = validation.is_sparse(X) and not callable(self.kernel)
        self._X_fit = X if callable(self.kernel) else None
        self.support_ = support.astype(np.int32)
        self._n_support = np.asarray(n_support, dtype=np.int32)
        self.shape_fit_ = X.shape if hasattr(X, "shape") else (n,)
        by_samples = callable(self.kernel) or self.kernel == "precomputed"
        self.support_vectors_ = np.empty((0, 0)) if by_samples else X[support]
        self.dual_coef_ = dual_coef
        if self._sparse:
            from scipy.sparse import csr_matrix

            self.support_vectors_ = csr_matrix(self.support_vectors_)
            self.dual_coef_ = csr_matrix(dual_coef)

    @property
    def n_support_(self):
        """Number of support vectors: of each class, or one number for a regression."""
        if not self.__sklearn_is_fitted__():
            raise AttributeError("n_support_ is there after fit only.")
        return self._n_support

    @property
    def coef_(self):
        """Coefficients of the features, for the linear kernel: a row for each pair of classes.

        Two over the length of a row is the width of the margin, :eq:`eq-svm-margin`.
        """
        if self.kernel != "linear":
            raise AttributeError("coef_ is only available when using a linear kernel")
        coef = self._get_coef()
        (coef.data if self._sparse else coef).flags.writeable = False
        return coef

    @property
    def _sign(self):
        """Which class LIBSVM calls positive: the first of two, where scikit-learn turns it."""
        return -1.0 if len(getattr(self, "classes_", ())) == 2 else 1.0

    # Converters to other formats read, and some programs write, these names of scikit-learn.

    @property
    def _dual_coef_(self):
        return self._sign * self.dual_coef_

    @_dual_coef_.setter
    def _dual_coef_(self, value):
        self.dual_coef_ = self._sign * value

    @property
    def _intercept_(self):
        return self._sign * self.intercept_

    @_intercept_.setter
    def _intercept_(self, value):
        self.intercept_ = self._sign * value

    def _get_coef(self):
        coef = self.dual_coef_ @ self.support_vectors_
        return coef.tocsr() if self._sparse else coef

    def _check_queries(self, X):
        """Return samples in the form of the training samples."""
        validation.check_is_fitted(self)
        if callable(self.kernel):
            return X
        if validation.is_sparse(X) and not self._sparse:
            raise ValueError(
                f"{type(self).__name__}: cannot use sparse input in {type(self).__name__!r} "
                "trained on dense data"
            )
        X = as_double(validation.check_queries(self, X, sparse=("csr",) if self._sparse else ()))
        if self._sparse and not validation.is_sparse(X):
            from scipy.sparse import csr_array

            X = csr_array(X)
        if self.support_vectors_.shape[0] not in (0, self._n_support.sum()):
            raise ValueError(f"The internal representation of {type(self).__name__} was altered")
        return X

    def _sums(self, X, parts):
        """Return sums of kernels with support vectors, each with its dual coefficient.

        Parameters
        ----------
        X : checked queries
        parts : list of slice
            Support vectors that are summed by themselves: those of each class.

        Returns
        -------
        ndarray of shape (n_queries, n_parts, n_rows)
            n_rows is that of the dual coefficients.
        """
        dual = self.dual_coef_.toarray() if self._sparse else self.dual_coef_
        if callable(self.kernel) or self.kernel == "precomputed":
            if callable(self.kernel):
                n = X.shape[0] if hasattr(X, "shape") else len(X)
                X = self._call_kernel(X, self._X_fit, (n, self.shape_fit_[0]))
            tile = lambda rows: X[rows][:, self.support_]  # noqa: E731
        else:
            kernel = kernels.make_kernel(
                self.kernel,
                self.support_vectors_ if len(self.support_) else X,
                gamma=self._gamma,
                degree=self._degree(),
                coef0=self.coef0,
            )
            tile = lambda rows: self._tile(kernel, X[rows])  # noqa: E731
        total = np.zeros((X.shape[0], len(parts), dual.shape[0]))
        if not len(self.support_):
            return total

        def fill(rows):
            values = tile(rows)
            for number, part in enumerate(parts):
                total[rows, number] = values[:, part] @ dual[:, part].T

        size = rows_of_tile(len(self.support_), np.float64)
        work = 50.0 * X.shape[0] * len(self.support_)
        fold_blocks(fill, None, cut(X.shape[0], size), work=work)
        return total

    def _tile(self, kernel, Q):
        out = np.empty((Q.shape[0], len(self.support_)))
        kernels.gram_tile(kernel, as_double(self.support_vectors_), Q, out)
        return out


def as_double(X):
    """Samples in float64, as compiled functions receive them."""
    return kernels.as_input(X, np.float64)


def show_violation(violation, gap=None):
    """Say how far the solver is from the optimum, after a progress bar."""
    text = f"violation {violation:.1e}"
    return text if gap is None else f"{text}, gap {gap:.2e}"
