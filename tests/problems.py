"""Samples whose clusters, classes or axes are known."""

import numpy as np

LEARNED = (  # what principal components leave behind
    "components_",
    "explained_variance_",
    "explained_variance_ratio_",
    "singular_values_",
    "mean_",
    "noise_variance_",
    "n_components_",
)


def clustered(n=80, p=3, k=4, seed=0, spread=1.0):
    """Samples in k clusters, and weights."""
    rng = np.random.default_rng(seed)
    X = 4.0 * rng.normal(size=(k, p))[np.arange(n) % k] + spread * rng.normal(size=(n, p))
    return X, rng.uniform(0.1, 2.0, size=n)


def labelled(n=60, p=4, n_classes=2, seed=0, noise=0.7):
    """Samples of classes that linear functions nearly separate."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) + 0.3
    scores = X[:, :n_classes] + noise * rng.normal(size=(n, n_classes))
    return X, scores.argmax(axis=1)


def correlated(n, p, seed=0):
    """Samples whose features have common causes and different means."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, p)) @ rng.normal(size=(p, p)) + rng.normal(size=p)


def assert_same_axes(one, other, names=LEARNED, **tolerance):
    for name in names:
        a, b = getattr(one, name), getattr(other, name)
        scale = max(np.abs(b).max(initial=0.0), 1e-300)
        np.testing.assert_allclose(a / scale, b / scale, err_msg=name, **tolerance)
