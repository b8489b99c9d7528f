"""What the methods that model samples by normal distributions share.

Each of them computes, for a sample and a class, the logarithm of the prior probability times the
density, up to a constant of the sample. The class with the largest one is predicted, and a softmax
over all classes turns them into posterior probabilities, :eq:`eq-normal-posterior`.
"""

import numpy as np

from litlearn._core import targets, validation
from litlearn._core.base import BaseEstimator, ClassifierMixin
from litlearn._core.jit import njit
from litlearn._core.parallel import cut, fold_blocks

BLOCK = 2**18  # numbers in a block of samples whose densities are computed at once


@njit(reassociate=True)
def scaled_squares(X, means, scales, constants, out):
    """Log-densities of samples, up to what is in `constants`; :eq:`eq-naive-bayes`.

    X (n, p); means, scales (q, p): scales are the roots of half the inverse variances; constants
    (q,); out (n, q): output, ``constants - sum(((x - mean) * scale)^2)``.
    """
    for i in range(X.shape[0]):
        for c in range(means.shape[0]):
            total = 0.0
            for j in range(X.shape[1]):
                z = (np.float64(X[i, j]) - means[c, j]) * scales[c, j]
                total += z * z
            out[i, c] = constants[c] - total


class NormalClassifier(ClassifierMixin, BaseEstimator):
    """Predicts the class of the largest log-posterior, from ``_log_joint`` of blocks of samples."""

    def _joint(self, X, settled=True):
        """Return the logarithms of prior times density, (n_samples, n_classes), block by block.

        With `settled`, up to a constant of the sample where all would be minus infinity.
        """
        X = validation.check_queries(self, X)
        out = np.empty((len(X), len(self.classes_)), dtype=self._dtype_of_scores(X))

        means = self._means_of_classes().astype(X.dtype, copy=False)
        means = validation.read_only(means)

        def part(rows):
            with np.errstate(over="ignore", invalid="ignore"):
                out[rows] = self._log_joint(X[rows])
                if settled:
                    self._settle(X[rows], means, out[rows])

        fold_blocks(part, None, cut(len(X), BLOCK // X.shape[1]), work=X.size * out.shape[1])
        return out

    def _settle(self, X, means, out):
        """Let squares decide in proportion where those of all classes are beyond range; in place.

        So far away, or with variances so small, nothing else matters but between equally near
        classes, which keep what they have at their means (q, p).
        """
        far = np.flatnonzero(~np.isfinite(out.max(axis=1)))
        for power in (510, 1020):
            if not len(far):
                return
            heights = np.diagonal(self._log_joint(means))
            squares = self._far_squares(X[far].astype(np.float64), 2.0**-power)
            squares[:, np.isneginf(heights)] = np.inf  # a prior probability of zero
            least = squares.min(axis=1, keepdims=True)
            settled = np.isfinite(least[:, 0]) & (least[:, 0] > 0.0)
            out[far[settled]] = np.where(squares == least, heights, -np.inf)[settled]
            far = far[~settled]

    def _dtype_of_scores(self, X):
        return X.dtype

    def predict(self, X):
        """Predict the class with the largest posterior probability.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples,)
            Members of ``classes_``; the first of equally probable ones.
        """
        scores = self._joint(X)
        return targets.label(self.classes_, scores)

    def predict_log_proba(self, X):
        """Return logarithms of the posterior probabilities, :eq:`eq-normal-posterior`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Columns in the order of ``classes_``. No probability is so small that its logarithm
            would be lost.
        """
        return targets.log_probabilities(self._joint(X))

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
        return targets.probabilities(self._joint(X))


def given_priors(owner, priors, n_classes):
    """Check prior probabilities that were given, (n_classes,); their sum is not looked at."""
    expected = f"an array-like of {n_classes} probabilities or None"
    array = validation.check_numbers(owner, "priors", priors, expected)
    who = validation.owner_name(owner)
    if array.shape != (n_classes,):
        raise ValueError(
            f"{who}: Number of priors must match number of classes: priors has shape "
            f"{array.shape}, expected ({n_classes},)."
        )
    if not np.isfinite(array).all():
        raise ValueError(f"{who}: priors holds NaN or infinity, expected probabilities.")
    return array
