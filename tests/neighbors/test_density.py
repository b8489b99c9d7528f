"""Density estimation beside scikit-learn's, by its definition, and at the ends of the numbers."""

import numpy as np
import pytest
import sklearn.neighbors
from scipy import integrate
from sklearn.datasets import load_iris

import litlearn.neighbors
from litlearn.exceptions import InvalidParameterError
from litlearn.neighbors import BallTree, KDTree, KernelDensity
from litlearn.neighbors._kernel_density import _cosine_moment

KERNELS = ("gaussian", "tophat", "epanechnikov", "exponential", "linear", "cosine")


def pair(name, **params):
    return (getattr(package, name)(**params) for package in (litlearn.neighbors, sklearn.neighbors))


def classes(n=120, p=4, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.choice(3, size=n, p=[0.2, 0.3, 0.5])
    return rng.normal(size=(n, p)) * [1.0, 2.0, 0.5, 1.0] + y[:, np.newaxis], y


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("bandwidth", [0.3, "scott", "silverman"])
@pytest.mark.parametrize("weighted", [False, True])
def test_densities_are_those_of_scikit_learn(kernel, bandwidth, weighted):
    X, _ = classes(p=4)
    X, Q = X[:, :3], X[:40, :3] + 0.1
    weight = np.arange(1.0, 121.0) if weighted else None
    ours, theirs = pair("KernelDensity", kernel=kernel, bandwidth=bandwidth)
    assert ours.get_params() == theirs.get_params()
    ours.fit(X, sample_weight=weight)
    theirs.fit(X, sample_weight=weight)
    assert ours.bandwidth_ == theirs.bandwidth_
    answer, expected = ours.score_samples(Q), theirs.score_samples(Q)
    np.testing.assert_allclose(answer, expected, rtol=1e-7, atol=1e-7)
    np.testing.assert_allclose(ours.score(X), theirs.score(X), rtol=1e-7)


@pytest.mark.nojit
@pytest.mark.parametrize("kernel", KERNELS)
def test_a_density_integrates_to_one(kernel):
    model = KernelDensity(kernel=kernel, bandwidth=0.7).fit([[0.0], [0.5], [3.0]])
    places = np.linspace(-20, 23, 4301)
    density = np.exp(model.score_samples(places[:, np.newaxis]))
    assert integrate.trapezoid(density, places) == pytest.approx(1.0, abs=1e-2)
    if kernel == "tophat":  # three boxes of height 1 / (3 * 1.4)
        np.testing.assert_allclose(density[[1950, 2025, 2300]], [1 / 4.2, 2 / 4.2, 1 / 4.2])


@pytest.mark.parametrize("kernel", ["epanechnikov", "linear", "cosine"])
def test_one_bandwidth_away_is_next_to_nothing(kernel):
    """And no warning: the logarithm of zero is not taken."""
    model = KernelDensity(kernel=kernel, bandwidth=2.0).fit([[0.0], [0.0]])
    assert model.score_samples([[2.0], [-2.0]]).max() < -30.0


@pytest.mark.parametrize("m", [0, 1, 2, 7, 8, 9, 10, 25, 60])
def test_moments_of_the_cosine(m):
    expected = integrate.quad(lambda u: u**m * np.cos(np.pi * u / 2), 0, 1, epsabs=1e-14)[0]
    assert _cosine_moment(m) == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("algorithm", ["auto", "kd_tree", "ball_tree"])
@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "chebyshev", "haversine"])
def test_density_algorithms_and_metrics(algorithm, metric):
    X = np.random.default_rng(0).uniform(-1, 1, size=(80, 2))
    ours, theirs = pair("KernelDensity", algorithm=algorithm, metric=metric, bandwidth=0.3)
    if algorithm == "kd_tree" and metric == "haversine":
        with pytest.raises(ValueError, match="invalid metric for kd_tree: 'haversine'"):
            ours.fit(X)
        return
    expected = theirs.fit(X).score_samples(X)
    np.testing.assert_allclose(ours.fit(X).score_samples(X), expected, rtol=1e-9)
    kind = BallTree if algorithm == "ball_tree" or metric == "haversine" else KDTree
    assert type(ours.tree_) is kind


@pytest.mark.parametrize("kernel", ["gaussian", "tophat"])
@pytest.mark.parametrize("weighted", [False, True])
def test_samples_are_those_of_scikit_learn(kernel, weighted):
    X = load_iris().data
    weight = np.arange(1.0, 151.0) if weighted else None
    ours, theirs = (
        model.fit(X, sample_weight=weight)
        for model in pair("KernelDensity", kernel=kernel, bandwidth=0.4)
    )
    drawn = ours.sample(50, random_state=3)
    np.testing.assert_allclose(drawn, theirs.sample(50, random_state=3), rtol=1e-12)
    if kernel == "tophat":
        distances = np.sqrt(((drawn[:, np.newaxis] - X) ** 2).sum(axis=2)).min(axis=1)
        assert distances.max() <= 0.4
    assert ours.sample(random_state=np.random.default_rng(0)).shape == (1, 4)


def test_weights_are_repetitions():
    X, _ = classes(40)
    weight = np.arange(40) % 4
    model = KernelDensity(bandwidth=0.5)
    repeated = model.fit(np.repeat(X, weight, axis=0)).score_samples(X)
    np.testing.assert_allclose(model.fit(X, sample_weight=weight).score_samples(X), repeated)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"bandwidth": 0.0}, "'bandwidth' parameter"),
        ({"bandwidth": "wide"}, "'bandwidth' parameter"),
        ({"kernel": "box"}, "'kernel' parameter"),
        ({"metric": "cosine"}, "'metric' parameter"),
        ({"algorithm": "brute"}, "'algorithm' parameter"),
        ({"atol": -1.0}, "'atol' parameter"),
        ({"rtol": -1.0}, "'rtol' parameter"),
        ({"breadth_first": "yes"}, "'breadth_first' parameter"),
        ({"leaf_size": 0}, "'leaf_size' parameter"),
        ({"metric_params": [1]}, "'metric_params' parameter"),
    ],
    ids=str,
)
def test_densities_that_are_refused(params, message):
    X, _ = classes()
    with pytest.raises(InvalidParameterError, match=f"{message} of KernelDensity"):
        KernelDensity(**params).fit(X)


def test_samples_that_cannot_be_drawn():
    X, _ = classes()
    model = KernelDensity(kernel="linear").fit(X)
    with pytest.raises(NotImplementedError, match="KernelDensity: sample needs the kernel"):
        model.sample()
    with pytest.raises(InvalidParameterError, match="'n_samples' parameter of KernelDensity"):
        KernelDensity().fit(X).sample(0)
    with pytest.raises(ValueError, match="KernelDensity: sample_weight holds negative weights"):
        KernelDensity().fit(X, sample_weight=-np.ones(120))


@pytest.mark.parametrize("scale", [2.0**-531, 2.0**531])
def test_densities_do_not_depend_on_the_scale(scale):
    X, _ = classes()
    for algorithm in ("kd_tree", "ball_tree"):
        one, other = (
            KernelDensity(bandwidth=0.7 * s, algorithm=algorithm).fit(X * s).score_samples(X * s)
            for s in (1.0, scale)
        )
        np.testing.assert_allclose(other, one - X.shape[1] * np.log(scale), rtol=1e-9)
