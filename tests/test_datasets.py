"""The memory clinic: what is drawn agrees with the truth that is stated."""

import pickle

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import integrate, stats
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from litlearn.datasets import Bunch, make_memory_clinic

RING = ["metabolite_u", "metabolite_v"]


@pytest.fixture(scope="module")
def small():
    return make_memory_clinic(random_state=0)


@pytest.fixture(scope="module")
def large():
    return make_memory_clinic(200_000, random_state=1)


@pytest.fixture(scope="module")
def component(large):
    """Number of the component from which each person came: 0 control, 1 and 2 A, 3 B."""
    return np.select([large.subtype > 0, large.target == 2], [large.subtype, 3], 0)


def test_shapes_and_types(small):
    assert small.data.shape == (600, 10)
    assert small.data.dtype == np.float64 and small.data.flags.c_contiguous
    assert len(small.feature_names) == len(small.units) == 10
    for name in ("target", "target_binary", "next_score", "subtype"):
        assert small[name].shape == (600,)
    assert set(small.target) == {0, 1, 2}
    assert_array_equal(small.target_binary, np.where(small.target == 0, -1, 1))
    assert_array_equal(small.subtype > 0, small.target == 1)
    assert set(small.subtype) == {0, 1, 2}
    assert small.target_names == ["control", "disease A", "disease B"]


def test_same_seed_same_bits():
    a, b, c = (make_memory_clinic(300, random_state=s) for s in (7, 7, 8))
    for name in ("data", "target", "next_score", "subtype"):
        assert a[name].tobytes() == b[name].tobytes()
        assert a[name].tobytes() != c[name].tobytes()


def test_random_state_objects():
    from_int = make_memory_clinic(50, random_state=3).data
    assert_array_equal(make_memory_clinic(50, random_state=np.random.RandomState(3)).data, from_int)
    rng = np.random.default_rng(3)
    first, second = (make_memory_clinic(50, random_state=rng).data for _ in range(2))
    assert not np.array_equal(first, second)
    assert not np.array_equal(make_memory_clinic(50).data, make_memory_clinic(50).data)


@pytest.mark.parametrize("n_samples", [0, -1])
def test_n_samples_must_be_positive(n_samples):
    with pytest.raises(ValueError, match="'n_samples' parameter of make_memory_clinic"):
        make_memory_clinic(n_samples)


@pytest.mark.parametrize("n_samples", [2.5, "600", True, None])
def test_n_samples_must_be_int(n_samples):
    with pytest.raises(TypeError, match="make_memory_clinic must be an int in the range"):
        make_memory_clinic(n_samples)


@pytest.mark.parametrize("random_state", [-1, 2**32, 1.5, "0", True])
def test_bad_random_state(random_state):
    with pytest.raises(ValueError, match="'random_state' parameter of make_memory_clinic"):
        make_memory_clinic(10, random_state=random_state)


def test_one_sample():
    clinic = make_memory_clinic(1, random_state=0)
    assert clinic.data.shape == (1, 10)
    assert_allclose(clinic.posterior(clinic.data).sum(), 1.0)


def test_proportions(large):
    """eq-clinic-mixture: shares of the classes and of the subtypes, to four standard errors."""
    share = np.bincount(large.target) / len(large.target)
    prior = np.array([0.5, 0.3, 0.2])
    assert_array_equal(large.truth.class_prior, prior)
    assert np.all(np.abs(share - prior) < 4 * np.sqrt(prior * (1 - prior) / 200_000))
    truth = large.truth
    assert_allclose(np.bincount(truth.component_class, truth.component_prior), prior)
    assert abs(np.mean(large.subtype[large.target == 1] == 1) - 0.18 / 0.30) < 0.01


@pytest.mark.parametrize("m", range(4))
def test_means_and_covariances(large, component, m):
    """eq-clinic-mixture: the moments of each component are the stated ones."""
    X = large.data[component == m]
    truth = large.truth
    sd = np.sqrt(np.diag(truth.covariances[m]))
    assert_allclose((X[:, :5].mean(axis=0) - truth.means[m]) / sd, 0, atol=4 / np.sqrt(len(X)))
    found = np.cov(X[:, :5].T) / np.outer(sd, sd)
    assert_allclose(found, truth.covariances[m] / np.outer(sd, sd), atol=0.03)
    assert_allclose(X[:, 7:].mean(axis=0), truth.noise_mean, rtol=0.005)
    assert_allclose(X[:, 7:].std(axis=0), truth.noise_sd, rtol=0.02)
    # The groups of features are independent of each other within a component.
    correlation = np.corrcoef(X.T)
    groups = np.repeat([0, 1, 2, 3, 4], [5, 2, 1, 1, 1])
    apart = groups[:, None] != groups
    assert np.abs(correlation[apart]).max() < 5 / np.sqrt(len(X))


def test_covariances_are_unequal_and_biomarkers_correlated(small):
    covariances = small.truth.covariances
    for a in range(4):
        assert np.linalg.eigvalsh(covariances[a]).min() > 0
        for b in range(a):
            ratio = np.diag(covariances[a]) / np.diag(covariances[b])
            assert np.abs(np.log(ratio)).max() > 0.1
        tau = covariances[a][3:, 3:]
        assert tau[0, 1] / np.sqrt(tau[0, 0] * tau[1, 1]) >= 0.7


def test_values_are_possible(small, large):
    """Nothing measured is negative; the memory score is standardised and may be."""
    measured = [j for j, unit in enumerate(large.units) if unit != "points"]
    assert len(measured) == 9 and large.data[:, measured].min() > 0
    truth = small.truth
    sd = np.sqrt(np.diagonal(truth.covariances, axis1=1, axis2=2))
    below_zero = stats.norm.cdf(-truth.means / sd)
    assert below_zero[:, measured[:4]].max() < 3e-6
    assert below_zero[:, 1].max() < 1e-4


@pytest.mark.parametrize("m", range(4))
def test_ring_radius(large, component, m):
    """eq-clinic-ring: distances from the centre follow the law of Rice, angles are uniform."""
    truth = large.truth
    z = (large.data[component == m][:, 5:7] - truth.ring_center) / truth.ring_scale
    rice = stats.rice(truth.ring_radius[m] / truth.ring_spread[m], scale=truth.ring_spread[m])
    assert stats.kstest(np.hypot(*z.T), rice.cdf).pvalue > 1e-3
    angle = np.arctan2(z[:, 1], z[:, 0])
    assert stats.kstest(angle, stats.uniform(-np.pi, 2 * np.pi).cdf).pvalue > 1e-3


def test_posterior_is_bayes_rule_written_out(small):
    """eq-clinic-posterior: the same numbers from the densities of SciPy, one person at a time."""
    truth = small.truth
    for x, found in zip(small.data[:40], small.posterior(small.data[:40]), strict=True):
        u, v = (x[5:7] - truth.ring_center) / truth.ring_scale
        joint = np.zeros(4)
        for m in range(4):
            radius, spread = truth.ring_radius[m], truth.ring_spread[m]
            angle = 2 * np.pi * np.arange(400) / 400
            # The integral over the angle by the trapezium rule, exact for periodic functions.
            density_u = stats.norm.pdf(u, radius * np.cos(angle), spread)
            density_v = stats.norm.pdf(v, radius * np.sin(angle), spread)
            normal = stats.multivariate_normal(truth.means[m], truth.covariances[m])
            joint[m] = truth.component_prior[m] * normal.pdf(x[:5]) * np.mean(density_u * density_v)
        joint /= joint.sum()
        assert_allclose(found, [joint[0], joint[1] + joint[2], joint[3]], rtol=1e-9, atol=1e-14)


def test_posterior_sums_to_one(large):
    """eq-clinic-posterior: probabilities, also far away from every person."""
    far = np.vstack([large.data[:1000], np.full((1, 10), 1e6), np.full((1, 10), -1e6)])
    for n_classes in (2, 3):
        probability = large.posterior(far, n_classes=n_classes)
        assert probability.shape == (1002, n_classes)
        assert np.isfinite(probability).all() and probability.min() >= 0
        assert_allclose(probability.sum(axis=1), 1.0, rtol=1e-12)
    three, two = (large.posterior(far, n_classes=n) for n in (3, 2))
    assert_allclose(two[:, 1], three[:, 1] + three[:, 2])


FEATURE_SETS = [
    None,
    RING,
    ["total_tau", "memory_score"],
    ["age"],
    ["sodium"],
    ["metabolite_v", "height", "hippocampal_volume", "metabolite_u"],
]


@pytest.mark.parametrize("features", FEATURE_SETS)
def test_posterior_is_calibrated(large, features):
    """eq-clinic-posterior: of people with a stated probability, that share has the diagnosis."""
    names = large.feature_names if features is None else features
    X = large.data[:, [large.feature_names.index(name) for name in names]]
    probability = large.posterior(X, features=features)
    for c in range(3):
        p, has = probability[:, c], large.target == c
        for part in np.array_split(np.argsort(p, kind="stable"), 20):
            standard_error = np.sqrt(np.mean(p[part] * (1 - p[part])) / len(part))
            assert abs(p[part].mean() - has[part].mean()) < 4 * standard_error + 1e-9


def test_noise_says_nothing(large):
    prior = np.tile([0.5, 0.3, 0.2], (100, 1))
    assert_allclose(large.posterior(large.data[:100, 7:8], features=["sodium"]), prior)


def test_posterior_errors(small):
    X = small.data
    with pytest.raises(ValueError, match=r"posterior: X has shape \(600, 9\), expected"):
        small.posterior(X[:, :9])
    with pytest.raises(ValueError, match="posterior: n_classes is 4, expected 2 or 3"):
        small.posterior(X, n_classes=4)
    with pytest.raises(ValueError, match="both or neither"):
        small.posterior(X[:, 5:6], features=["metabolite_u"])
    for wrong in (["agee"], "age", ["age", "age"]):
        with pytest.raises(ValueError, match="posterior: features is"):
            small.posterior(X[:, : len(wrong)], features=wrong)
    with pytest.raises(ValueError, match="posterior: X contains NaN"):
        small.posterior(np.full((1, 10), np.nan))
    with pytest.raises(ValueError, match="expected_next_score: X has shape"):
        small.expected_next_score(X[:, :3])


def test_bayes_error_against_an_integral(small):
    """eq-clinic-bayes-error: one feature, where the integral can be computed on a line."""
    truth = small.truth
    x = np.linspace(-100, 1200, 200_001)
    joint = np.zeros((3, len(x)))
    for m, c in enumerate(truth.component_class):
        density = stats.norm.pdf(x, truth.means[m, 3], np.sqrt(truth.covariances[m, 3, 3]))
        joint[c] += truth.component_prior[m] * density
    exact = 1 - integrate.trapezoid(joint.max(axis=0), x)
    error, standard_error = small.bayes_error(features=["total_tau"])
    assert 0 < standard_error < 0.002
    assert abs(error - exact) < 4 * standard_error


@pytest.mark.parametrize("n_classes", [2, 3])
def test_bayes_error_is_the_error_of_the_best_classifier(large, n_classes):
    """eq-clinic-bayes-error: what the most probable class gets wrong on other draws."""
    error, standard_error = large.bayes_error(n_classes=n_classes)
    assert large.bayes_error(n_classes=n_classes) == (error, standard_error)
    named = large.posterior(large.data, n_classes=n_classes).argmax(axis=1)
    observed = np.mean(named != (large.target if n_classes == 3 else large.target > 0))
    assert abs(observed - error) < 4 * np.sqrt(error * (1 - error) / len(named) + standard_error**2)
    other, _ = large.bayes_error(n_classes=n_classes, random_state=5)
    assert other != error and abs(other - error) < 6 * standard_error
    few = large.bayes_error(n_classes=n_classes, n_draws=2_000)
    assert few.standard_error > 5 * standard_error


def test_bayes_error_arguments(small):
    with pytest.raises(ValueError, match=r"an int in the range \[2, inf\). Got 1 instead"):
        small.bayes_error(n_draws=1)
    with pytest.raises(TypeError, match=r"'n_draws' parameter of bayes_error.*Got 1000\.0"):
        small.bayes_error(n_draws=1e3)


def test_less_information_is_not_better(small):
    everything = small.bayes_error().error
    five = small.bayes_error(features=small.feature_names[:5]).error
    ring = small.bayes_error(features=RING).error
    nothing = small.bayes_error(features=["height"]).error
    assert everything < five < nothing and everything < ring < nothing
    assert nothing == pytest.approx(0.5)


def test_next_score_is_linear_plus_a_curve(large):
    """eq-clinic-next-score: least squares finds the stated coefficients, and noise of that size."""
    truth = large.truth
    bend = (large.data[:, 0] - truth.curve_center) ** 2
    design = np.column_stack([np.ones(len(bend)), large.data, bend])
    found, *_ = np.linalg.lstsq(design, large.next_score, rcond=None)
    covariance = np.linalg.inv(design.T @ design) * truth.residual_sd**2
    stated = np.concatenate([[truth.intercept], truth.coef, [truth.curve_coef]])
    assert np.abs((found - stated) / np.sqrt(np.diag(covariance))).max() < 4
    assert_allclose(large.expected_next_score(large.data), design @ stated, rtol=1e-10)
    residual = large.next_score - large.expected_next_score(large.data)
    assert_allclose(residual.std(), truth.residual_sd, rtol=0.01)
    assert abs(residual.mean()) < 4 * truth.residual_sd / np.sqrt(len(residual))


def test_curve_matters(large):
    """Without the curved term the prediction is worse by more than chance."""
    design = np.column_stack([np.ones(len(large.data)), large.data])
    found, *_ = np.linalg.lstsq(design, large.next_score, rcond=None)
    straight = np.mean((large.next_score - design @ found) ** 2)
    assert straight > 1.05 * large.truth.residual_sd**2


def test_ring_useless_for_linear_and_useful_otherwise(large):
    """No linear rule beats the share of controls by a point; neighbours gain twenty."""
    X, y = large.data[:, 5:7], large.target_binary
    X = StandardScaler().fit_transform(X)
    train, test = slice(0, 5000), slice(5000, 15000)
    linear = LogisticRegression().fit(X[train], y[train])
    # A line through the middle cuts the ring in half: at best a little above one half.
    assert linear.score(X[test], y[test]) < 0.58
    near = KNeighborsClassifier(25).fit(X[train], y[train])
    assert near.score(X[test], y[test]) > 0.70


def test_realistic_difficulty(large):
    """Trained on 600 people, linear rules reach about 80 %, curved ones about 85 %."""
    X = StandardScaler().fit_transform(large.data)
    train, test = slice(0, 600), slice(600, 20600)
    y = large.target
    linear = LinearDiscriminantAnalysis().fit(X[train], y[train]).score(X[test], y[test])
    curved = SVC().fit(X[train], y[train]).score(X[test], y[test])
    best = 1 - large.bayes_error().error
    assert 0.75 < linear < curved < 0.88
    assert curved < best < 0.90


def test_frame(small):
    clinic = make_memory_clinic(random_state=0, as_frame=True)
    assert isinstance(clinic.data, pd.DataFrame)
    assert list(clinic.data.columns) == small.feature_names
    assert_array_equal(clinic.data.to_numpy(), small.data)
    assert clinic.target.name == "target"
    assert_array_equal(clinic.posterior(clinic.data), small.posterior(small.data))
    assert_array_equal(
        clinic.expected_next_score(clinic.data), small.expected_next_score(small.data)
    )


def test_frame_without_pandas(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pandas", None)
    with pytest.raises(ImportError, match="pip install pandas"):
        make_memory_clinic(10, as_frame=True)


def test_pickle_and_repr(small):
    copy = pickle.loads(pickle.dumps(small))
    assert type(copy) is type(small)
    assert_array_equal(copy.data, small.data)
    assert_array_equal(copy.posterior(copy.data), small.posterior(small.data))
    assert "invented" in repr(small) and len(repr(small)) < 300


def test_bunch():
    bunch = Bunch(a=1)
    bunch.b = 2
    assert bunch["b"] == bunch.b == 2 and {"a", "b"} <= set(dir(bunch))
    with pytest.raises(AttributeError, match="Bunch has no entry 'c'"):
        _ = bunch.c


def test_truth_cannot_be_changed_by_accident(small):
    with pytest.raises(ValueError, match="read-only"):
        small.truth.means[0, 0] = 0.0
