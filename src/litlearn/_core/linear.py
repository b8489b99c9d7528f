"""What linear functions of the features share: a prediction is a product with the coefficients."""

import numpy as np

from litlearn._core import targets, validation
from litlearn._core.base import BaseEstimator, ClassifierMixin, RegressorMixin
from litlearn._core.parallel import multiply_rows

SPARSE_FORMATS = ("csr", "csc")


class LinearModel(BaseEstimator):
    """An estimator with fitted ``coef_`` and ``intercept_``."""

    sparse_formats = ()  # what `fit` and the predictions accept besides dense arrays

    @property
    def _sparse_formats(self):
        return self.sparse_formats

    def _linear_function(self, X):
        """Return ``X @ coef_.T + intercept_``: of shape (n_samples,) if ``coef_`` is flat."""
        X = validation.check_queries(self, X)
        # The product is taken in the type of X, so that float32 data need no copy in float64.
        coef = self.coef_.T.astype(X.dtype, copy=False)
        result = multiply_rows(X, coef, getattr(self, "n_jobs", None))
        if validation.is_sparse(result):  # so it is if `sparsify` made the coefficients sparse
            result = result.toarray()
        result += np.asarray(self.intercept_, dtype=X.dtype)
        return result


class LinearRegressor(RegressorMixin, LinearModel):
    """Predicts the linear function itself."""

    def predict(self, X):
        """Predict the targets: the linear function of the features, :eq:`eq-linear-model`.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_targets)
            Predicted targets, float32 for samples of that type, float64 otherwise.
        """
        return self._linear_function(X)


class LinearClassifier(ClassifierMixin, LinearModel):
    """Predicts the class by the sign, or the largest, of the linear functions."""

    def decision_function(self, X):
        """Return the linear function of each sample, positive on the side of the second class.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            One number a sample with two classes, one for each class with more. Divided by the norm
            of the coefficients it is the signed distance to the hyperplane.
        """
        scores = self._linear_function(X)
        return scores.ravel() if scores.ndim == 2 and scores.shape[1] == 1 else scores

    def predict(self, X):
        """Predict the class with the largest linear function.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples,)
            Members of ``classes_``. A decision function of exactly 0 goes to the first class.
        """
        scores = self.decision_function(X)
        return targets.label(self.classes_, scores)


class SparseCoefficients:
    """Keeps ``coef_`` as a sparse matrix, if asked to."""

    def sparsify(self):
        """Turn ``coef_`` into a CSR matrix, which an l1 penalty makes worth while.

        Returns
        -------
        self : estimator
        """
        validation.check_is_fitted(self)
        from scipy.sparse import csr_matrix

        self.coef_ = csr_matrix(self.coef_)
        return self

    def densify(self):
        """Turn ``coef_`` back into an array.

        Returns
        -------
        self : estimator
        """
        validation.check_is_fitted(self)
        if validation.is_sparse(self.coef_):
            self.coef_ = self.coef_.toarray()
        return self


def store_linear_function(model, solution, dtype, flat, y_ndim):
    """Store ``coef_`` and ``intercept_`` in the type of the samples.

    `flat`: the coefficients are a vector of shape (n_features,), not a matrix with a row a target.
    The intercept is a number if the targets were a vector.
    """
    coef, intercept = solution.coef.T.astype(dtype), solution.intercept().astype(dtype)
    model.coef_ = coef.ravel() if flat else np.ascontiguousarray(coef)
    if not model.fit_intercept:
        model.intercept_ = 0.0
    else:
        model.intercept_ = intercept if y_ndim == 2 else intercept[0]
