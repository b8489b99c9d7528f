"""The machines among scikit-learn's tools, and under hostile conditions."""

import numpy as np
import pytest
import sklearn.svm
from sklearn.base import clone
from sklearn.utils._test_common.instance_generator import PER_ESTIMATOR_XFAIL_CHECKS

import litlearn.svm
import protocol
from litlearn.svm import SVC, SVR, LinearSVC, LinearSVR, NuSVC, NuSVR
from protocol import data

# Every estimator, in the settings that take another way through the code.
ALL = (
    SVC(),
    SVC(kernel="poly", coef0=1.0, cache_size=0.01, tol=1e-6),
    NuSVC(nu=0.4),
    SVR(),
    NuSVR(C=2.0),
    LinearSVC(),
    LinearSVC(loss="hinge", tol=0.01, random_state=0),
    LinearSVC(penalty="l1", tol=0.01, random_state=0),
    LinearSVC(multi_class="crammer_singer", tol=0.01, random_state=0),
    LinearSVR(tol=0.01, C=0.1, random_state=0),
    LinearSVR(loss="squared_epsilon_insensitive"),
)
EVERY = pytest.mark.parametrize("estimator", ALL, ids=repr)


def test_all_are_listed():
    protocol.check_all_are_listed(litlearn.svm, ALL)


class TestProtocol(protocol.Suite):
    estimators = ALL
    close = {"rtol": 1e-6, "atol": 1e-9}
    bad_parameters = [
        *[("C", value) for value in (0.0, -1.0, np.nan, "1", None, True)],
        *[("penalty", value) for value in ("L2", None, 1)],
        *[("loss", value) for value in ("log", None, 1)],
        *[("dual", value) for value in ("yes", None, 1)],
        *[("multi_class", value) for value in ("ovo", None, 1)],
        *[("fit_intercept", value) for value in (1, None, "yes")],
        *[("intercept_scaling", value) for value in (-1.0, np.nan, "1", None)],
        *[("nu", value) for value in (0.0, 1.1, -0.5, np.nan, "1", None)],
        *[("epsilon", value) for value in (-0.1, np.nan, np.inf, "0", None)],
        *[("kernel", value) for value in ("cosine", "RBF", None, 3)],
        *[("degree", value) for value in (-1, 1.5, "3", None, True)],
        *[("gamma", value) for value in (-0.1, np.nan, np.inf, "large", None, True)],
        *[("coef0", value) for value in (np.nan, np.inf, "0", None)],
        *[("tol", value) for value in (0.0, -1.0, np.nan, "1", None)],
        *[("shrinking", value) for value in (1, None, "yes")],
        *[("probability", value) for value in (1, None, "yes")],
        *[("cache_size", value) for value in (0, -1.0, np.nan, "1", None)],
        *[("class_weight", value) for value in ("even", [1.0, 2.0], 3, {0: -1.0}, {7: 1.0})],
        *[("verbose", value) for value in (-1, 0.5, "yes", None)],
        *[("max_iter", value) for value in (-2, 1.5, "1", None, True)],
        *[("decision_function_shape", value) for value in ("OVR", None, 1)],
        *[("break_ties", value) for value in (1, None, "yes")],
        *[("random_state", value) for value in (-1, "a", 1.5)],
    ]

    def may_fail(self, estimator):
        # Only what scikit-learn declares for its own class of this name.
        own = getattr(sklearn.svm, type(estimator).__name__)
        return PER_ESTIMATOR_XFAIL_CHECKS.get(own, {})

    def test_forms_of_the_same_data(self, estimator):
        # Linear functions of float32 samples are returned as such; those have a test of their own.
        dtypes = [np.int8] if "Linear" in type(estimator).__name__ else [np.int8, np.float32]
        protocol.check_forms_of_the_same_data(estimator, dtypes, **self.close)

    def test_before_fit(self, estimator):
        super().test_before_fit(estimator)
        for name in ("n_support_", "support_", "dual_coef_", "coef_"):
            assert not hasattr(clone(estimator), name)


@protocol.SINCE_1_9
@EVERY
def test_signature(estimator):
    protocol.check_signature(estimator, sklearn.svm, ())


@EVERY
def test_single_precision(estimator):
    X, y = data()
    single = X.astype(np.float32)
    one, other = clone(estimator).fit(single, y), clone(estimator).fit(single.astype(float), y)
    # The fit is in float64; a linear function of float32 samples is returned as such.
    close = {"rtol": 1e-5, "atol": 1e-5} if "Linear" in type(estimator).__name__ else {}
    protocol.assert_same(
        protocol.use(one, single), protocol.use(other, single.astype(float)), **close
    )


def test_searches_and_pipelines():
    protocol.check_pipeline_and_search(SVC(), {"C": [0.1, 1.0], "kernel": ["rbf", "linear"]})


@pytest.mark.parametrize("name", ["SVC", "NuSVC", "SVR", "NuSVR"])
def test_routed_weights(name):
    X, y = data()
    weight = np.random.default_rng(0).random(90)
    with sklearn.config_context(enable_metadata_routing=True):
        model = getattr(litlearn.svm, name)(tol=1e-6).set_fit_request(sample_weight=True)
        assert model.get_metadata_routing().fit.requests["sample_weight"] is True
    twice = clone(model).fit(np.vstack([X, X]), np.hstack([y, y]), np.hstack([weight, weight]))
    once = clone(model).fit(X, y, 2 * weight)
    if name != "NuSVC":  # its weights are bounds by themselves, and their scale cancels
        protocol.assert_same(protocol.use(twice, X), protocol.use(once, X), atol=1e-4)
