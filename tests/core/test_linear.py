"""What linear functions of the features share: predictions, and sparse coefficients."""

import numpy as np
import pytest
import scipy.sparse

from litlearn._core.linear import LinearClassifier, LinearRegressor, SparseCoefficients

nojit = pytest.mark.nojit


class Regressor(SparseCoefficients, LinearRegressor):
    sparse_formats = ("csr",)


class Classifier(LinearClassifier):
    pass


def fitted(kind, coef, intercept, **attributes):
    model = kind()
    model.coef_, model.intercept_ = np.array(coef), np.array(intercept)
    model.n_features_in_ = model.coef_.shape[-1]
    for name, value in attributes.items():
        setattr(model, name, value)
    return model


X = np.array([[1.0, 2.0], [-3.0, 0.5], [0.0, 0.0]])


@nojit
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("form", [np.array, scipy.sparse.csr_array])
def test_regression_is_the_linear_function(form, dtype):
    model = fitted(Regressor, [2.0, -1.0], 0.5)
    found = model.predict(form(X.astype(dtype)))
    assert found.dtype == dtype and found.tolist() == [0.5, -6.0, 0.5]
    several = fitted(Regressor, [[2.0, -1.0], [0.0, 1.0]], [0.5, 1.0]).predict(form(X))
    assert several.tolist() == [[0.5, 3.0], [-6.0, 1.5], [0.5, 1.0]]


@nojit
def test_classes_by_the_sign_or_the_largest():
    two = fitted(Classifier, [[2.0, -1.0]], [0.0], classes_=np.array(["no", "yes"]))
    assert two.decision_function(X).tolist() == [0.0, -6.5, 0.0]
    assert two.predict([[1, 1], [0, 1], [0, 0]]).tolist() == ["yes", "no", "no"]
    three = fitted(Classifier, np.eye(3, 2), [0.0, 0.0, 0.5], classes_=np.array([4, 5, 6]))
    assert three.predict([[1, 0], [0, 1], [0, 0]]).tolist() == [4, 5, 6]


@nojit
def test_sparse_coefficients_predict_the_same():
    model = fitted(Regressor, [[2.0, 0.0]], [0.5])
    dense = model.predict(X)
    for form in (np.array, scipy.sparse.csr_array):
        assert scipy.sparse.issparse(model.sparsify().coef_)
        np.testing.assert_array_equal(model.predict(form(X)), dense)
    assert model.densify().densify().coef_.tolist() == [[2.0, 0.0]]


def test_samples_must_fit():
    model = fitted(Classifier, [[2.0, -1.0]], [0.0], classes_=np.array([0, 1]))
    with pytest.raises(ValueError, match="X has 3 features, but Classifier is expecting 2"):
        model.predict(np.ones((1, 3)))
    with pytest.raises(TypeError, match="Sparse data was passed for X, but Classifier requires"):
        model.predict(scipy.sparse.csr_array(X))
    with pytest.raises(ValueError, match="not fitted"):
        Regressor().sparsify()
