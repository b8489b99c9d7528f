"""Probabilities from decision functions: a sigmoid for each pair of classes, and their coupling."""

import numpy as np

LEAST = 1e-7  # probability of a class within a pair
HALVINGS = 40


def sigmoid(scores, slope, shift):
    """Return 1 / (1 + exp(slope score + shift)), without overflow."""
    return 0.5 * (1.0 - np.tanh(0.5 * (slope * scores + shift)))


def fit_sigmoid(scores, positive, tol=1e-5, max_iter=100):
    """Fit a sigmoid of decision values to two classes by Newton's method (Lin, Lin, Weng 2007).

    Parameters
    ----------
    scores : ndarray of shape (n,)
    positive : ndarray of shape (n,), bool

    Returns
    -------
    slope, shift : float
        The probability of the positive class is ``sigmoid(score, slope, shift)``. Instead of 0 and
        1 the targets are those of Platt, which count one more sample of each class.
    """
    n_positive, n_negative = np.sum(positive), np.sum(~positive)
    high, low = (n_positive + 1.0) / (n_positive + 2.0), 1.0 / (n_negative + 2.0)
    target = np.where(positive, high, low)
    v = np.array([0.0, np.log((n_negative + 1.0) / (n_positive + 1.0))])

    def loss(v):
        z = v[0] * scores + v[1]
        return np.sum(target * z + np.logaddexp(0.0, -z))

    value = loss(v)
    for _ in range(max_iter):
        p = sigmoid(scores, *v)
        error, curvature = target - p, p * (1.0 - p)
        gradient = np.array([np.sum(scores * error), np.sum(error)])
        if np.max(np.abs(gradient)) < tol:
            break
        mixed = np.sum(scores * curvature)
        H = np.array([[np.sum(scores**2 * curvature), mixed], [mixed, np.sum(curvature)]])
        step = -np.linalg.solve(H + 1e-12 * np.eye(2), gradient)
        for halving in range(HALVINGS):
            trial = v + 0.5**halving * step
            new = loss(trial)
            if new < value + 1e-4 * 0.5**halving * (gradient @ step):
                break
        else:
            break
        v, value = trial, new
    return float(v[0]), float(v[1])


def couple(P, pairs, n_classes):
    """Return probabilities of all classes from those of pairs (Wu, Lin and Weng 2004).

    P (n, n_pairs): probability of the first class of each pair. The result (n, n_classes) minimises
    the sum over pairs of (r_ji p_i - r_ij p_j)^2 with sum 1, which is one linear system a sample.
    """
    P = np.clip(P, LEAST, 1.0 - LEAST)
    n, k = len(P), n_classes
    A, right = np.zeros((n, k + 1, k + 1)), np.zeros((n, k + 1, 1))
    for (i, j), r in zip(pairs, P.T, strict=True):
        A[:, i, i] += (1.0 - r) ** 2
        A[:, j, j] += r**2
        A[:, i, j] = A[:, j, i] = -r * (1.0 - r)
    A[:, k, :k] = A[:, :k, k] = right[:, k] = 1.0
    found = np.maximum(np.linalg.solve(A, right)[:, :k, 0], 0.0)
    return found / found.sum(axis=1, keepdims=True)
