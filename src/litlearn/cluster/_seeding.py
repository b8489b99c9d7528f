"""k-means++: the first centres, drawn far from each other."""

import numpy as np

from litlearn._core import validation
from litlearn._core.constraints import COUNT, RANDOM_STATE
from litlearn._core.jit import njit
from litlearn._core.parallel import cut, fold_blocks
from litlearn.cluster._lloyd import BLOCK, FEWEST, CentredSamples


@njit(reassociate=True)
def closer_of_tile(products, half_norms, norms, nearest, weight, out, potentials):
    """Squared distances of samples from the nearest centre, with each candidate as another centre.

    products (t, m): candidates times samples; half_norms (t,); norms (m,) squared; nearest (m,):
    squared distances from the nearest centre so far; weight (m,); out (t, m): output; potentials
    (t,): their weighted sums, added to.
    """
    for c in range(products.shape[0]):
        half, total = half_norms[c], 0.0
        for i in range(np.uintp(nearest.size)):
            distance = max(norms[i] + 2.0 * (half - products[c, i]), 0.0)
            out[c, i] = min(distance, nearest[i])
            total += weight[i] * out[c, i]
        potentials[c] += total


def squared_norms(samples):
    """Return the squared norms of all samples, (n,) float64."""
    X = samples.X
    if validation.is_sparse(X):
        return np.asarray(X.multiply(X).sum(axis=1), dtype=np.float64).ravel()
    out = np.empty(len(X))

    def part(rows):
        T = samples.tile(rows).astype(np.float64, copy=False)
        out[rows] = np.einsum("ij,ij->i", T, T)

    fold_blocks(part, None, samples.blocks(1), work=X.size)
    return out


def distances_to_nearest(samples, norms, candidates, nearest):
    """Return for each candidate the squared distances of all samples from the nearest centre.

    Parameters
    ----------
    samples : Samples
        (n, p).
    norms : ndarray of shape (n,)
        Squared norms of the samples.
    candidates : ndarray of shape (t,)
        Samples that could be the next centre.
    nearest : ndarray of shape (n,)
        Squared distances from the nearest of the centres so far.

    Returns
    -------
    distances : ndarray of shape (t, n)
        As they would be with that candidate.
    potentials : ndarray of shape (t,)
        Their weighted sums.
    """
    rows = samples.X[candidates]
    if validation.is_sparse(rows):
        C = rows.toarray()
    else:
        C = rows - samples.centre.astype(samples.X.dtype)
    half_norms = 0.5 * norms[candidates]
    out = np.empty((len(candidates), len(norms)))

    def part(block):
        T, found = samples.tile(block), np.zeros(len(candidates))
        products = (T @ C.T).T if validation.is_sparse(T) else C @ T.T
        rest = norms[block], nearest[block], samples.weight[block], out[:, block], found
        closer_of_tile(np.ascontiguousarray(products), half_norms, *rest)
        return found

    size = max(FEWEST, BLOCK // (samples.X.shape[1] * len(candidates)))
    blocks = cut(len(norms), size)
    potentials = fold_blocks(part, np.add, blocks, work=samples.X.shape[0] * C.size)
    # A sample is at distance zero from itself, whatever rounding says.
    own = np.arange(len(candidates)), candidates
    potentials -= samples.weight[candidates] * out[own]
    out[own] = 0.0
    return out, potentials


def plus_plus(samples, n_clusters, random_state, norms=None, n_trials=None):
    """Draw the first centres among the samples.

    Each is drawn with the probability :eq:`eq-kmeans-plus-plus`, in proportion to its squared
    distance from the nearest centre so far; of a few such draws, the one that lowers the sum of
    these distances most is taken. See :prf:ref:`alg-kmeans-plus-plus`.

    Parameters
    ----------
    samples : Samples
        (n, p).
    n_clusters : int
        k, at most n.
    random_state : RandomState or Generator
    norms : ndarray of shape (n,) or None, default=None
        Squared norms of the samples.
    n_trials : int or None, default=None
        Draws for each centre; None: ``2 + int(log(k))``.

    Returns
    -------
    ndarray of shape (k,)
        Indices of samples.
    """
    norms = squared_norms(samples) if norms is None else norms
    n, weight = len(norms), samples.weight
    n_trials = 2 + int(np.log(n_clusters)) if n_trials is None else n_trials
    chosen = np.empty(n_clusters, dtype=np.intp)
    chosen[0] = random_state.choice(n, p=weight / weight.sum())
    distances, potentials = distances_to_nearest(samples, norms, chosen[:1], np.full(n, np.inf))
    nearest, potential = distances[0], potentials[0]
    for c in range(1, n_clusters):
        # <draw>: a point on the line of all weighted squared distances, end to end.
        draws = random_state.uniform(size=n_trials) * potential
        candidates = np.searchsorted(np.cumsum(weight * nearest), draws)
        candidates = np.minimum(candidates, n - 1)
        # <greedy>: of the draws, the one that leaves the least.
        distances, potentials = distances_to_nearest(samples, norms, candidates, nearest)
        best = int(np.argmin(potentials))
        chosen[c], nearest, potential = candidates[best], distances[best], potentials[best]
    return chosen


def kmeans_plusplus(
    X,
    n_clusters,
    *,
    sample_weight=None,
    x_squared_norms=None,
    random_state=None,
    n_local_trials=None,
):
    """Draw first centres for k-means among the samples, by k-means++.

    Parameters
    ----------
    X : array-like or CSR array of shape (n_samples, n_features)
        Samples.
    n_clusters : int
        Number of centres.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the samples.
    x_squared_norms : array-like of shape (n_samples,), default=None
        Squared norms of the samples; computed if None.
    random_state : int, RandomState, Generator or None, default=None
        Draws the centres: those of scikit-learn for the same seed, up to ties within rounding.
    n_local_trials : int, default=None
        Draws for each centre, of which the best is taken. None: ``2 + int(log(n_clusters))``.

    Returns
    -------
    centers : ndarray of shape (n_clusters, n_features)
    indices : ndarray of shape (n_clusters,)
        Which samples they are.

    Raises
    ------
    TypeError, ValueError
        If an argument cannot be used.

    Notes
    -----
    Cost: one pass over the samples for each centre, and a matrix product with its draws. The
    probabilities are :eq:`eq-kmeans-plus-plus`. With one draw each, the expected inertia is at most
    ``8 (log k + 2)`` times the best possible :cite:p:`arthur_k-means_2007`,
    :prf:ref:`thm-kmeans-plus-plus`.

    Examples
    --------
    >>> from litlearn.cluster import kmeans_plusplus
    >>> centers, indices = kmeans_plusplus([[0.0], [0.1], [9.0]], 2, random_state=0)
    >>> print(sorted(centers.ravel().round()))
    [np.float64(0.0), np.float64(9.0)]
    """
    who = "kmeans_plusplus"
    n_clusters = COUNT.check(who, "n_clusters", n_clusters)
    n_trials = (COUNT | None).check(who, "n_local_trials", n_local_trials)
    random_state = RANDOM_STATE.check(who, "random_state", random_state)
    X = validation.check_array(who, X, sparse=("csr",))
    weight = weights_or_ones(who, sample_weight, X.shape[0])
    check_enough(who, X, n_clusters)
    norms = None
    if x_squared_norms is not None:
        norms = np.asarray(x_squared_norms, dtype=np.float64)
        if norms.shape != (X.shape[0],):
            raise ValueError(
                f"{who}: The length of x_squared_norms {len(np.atleast_1d(norms))} should be equal "
                f"to the length of n_samples {X.shape[0]}."
            )
    samples = CentredSamples(X, weight, np.zeros(X.shape[1]))
    chosen = plus_plus(samples, n_clusters, random_state, norms, n_trials)
    centers = X[chosen]
    return (centers.toarray() if validation.is_sparse(X) else centers.copy()), chosen


def check_enough(owner, X, n_clusters):
    """Refuse fewer samples than there are to be clusters."""
    if X.shape[0] < n_clusters:
        raise ValueError(
            f"{validation.owner_name(owner)}: n_samples={X.shape[0]} should be >= "
            f"n_clusters={n_clusters}."
        )


def weights_or_ones(owner, sample_weight, n_samples):
    """Return checked weights, ones if there are none, (n_samples,) float64."""
    weight = validation.check_sample_weight(owner, sample_weight, n_samples)
    return np.ones(n_samples) if weight is None else weight
