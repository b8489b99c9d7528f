"""Callbacks of scikit-learn: what they are told of a logistic regression, and when."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_classification

from litlearn.linear_model import LogisticRegression, LogisticRegressionCV

pytest.importorskip("sklearn.callback", reason="scikit-learn has callbacks since 1.9")


class Record:
    """A callback that keeps what it is told."""

    def __init__(self, fail=False):
        self.told, self.fail = [], fail

    def setup(self, estimator, context):
        self.told.append(("setup", context.task_name, None))

    def teardown(self, estimator, context):
        self.told.append(("teardown", context.task_name, None))

    def on_fit_task_begin(self, estimator, context, *, fitted_estimator=None):
        self.told.append(("begin", context.task_name, fitted_estimator))
        if self.fail and context.parent is not None:
            raise RuntimeError("no more")

    def on_fit_task_end(self, estimator, context, *, fitted_estimator=None):
        self.told.append(("end", context.task_name, fitted_estimator))


@pytest.mark.filterwarnings("ignore:LogisticRegression did not converge")
@pytest.mark.parametrize("n_classes", [2, 3])
def test_each_step_is_told_with_what_it_found(n_classes):
    X, y = make_classification(
        80, 4, n_informative=4, n_redundant=0, n_classes=n_classes, random_state=0
    )
    record = Record()
    model = LogisticRegression().set_callbacks(record).fit(X, y)
    names = [(what, task) for what, task, _ in record.told]
    assert names[:2] == [("setup", "fit"), ("begin", "fit")]
    assert names[-2:] == [("end", "fit"), ("teardown", "fit")]
    ends = [one for what, task, one in record.told if (what, task) == ("end", "lbfgs-iter")]
    assert len(ends) == model.n_iter_[0] + 1 and ends[-1] is None
    begins = [one for what, task, one in record.told if (what, task) == ("begin", "lbfgs-iter")]
    assert [one.n_iter_[0] for one in begins] == list(range(len(ends)))
    for k, one in enumerate(ends[:-1], 1):
        short = LogisticRegression(max_iter=k).fit(X, y)
        np.testing.assert_allclose(one.coef_, short.coef_)
        np.testing.assert_array_equal(one.predict(X), short.predict(X))
        assert one.n_iter_[0] == k and not one.converged_
    np.testing.assert_array_equal(ends[-2].coef_, model.coef_)
    plain = LogisticRegression().fit(X, y)
    np.testing.assert_array_equal(plain.coef_, model.coef_)
    assert set(vars(model)) == {*vars(plain), "_skl_callbacks"}
    assert clone(model)._skl_callbacks == [record]
    assert not hasattr(model.set_callbacks(), "_skl_callbacks")


class Weights(Record):
    """A callback that keeps the weights it is told."""

    def on_fit_task_end(self, estimator, context, *, metadata=None):
        self.told.append(metadata)


def test_weights_are_told_if_there_are_some():
    X, y = make_classification(random_state=0)
    record, weight = Weights(), np.linspace(1.0, 2.0, len(y))
    model = LogisticRegression().set_callbacks(record)
    for given, expected in ((None, None), (weight, {"sample_weight": weight})):
        model.fit(X, y, given)
        assert record.told[-2] == expected


def test_an_error_of_a_callback_ends_the_fit():
    X, y = make_classification(random_state=0)
    record = Record(fail=True)
    model = LogisticRegression().set_callbacks(record)
    with pytest.raises(RuntimeError, match="no more"):
        model.fit(X, y)
    assert record.told[-1][0] == "teardown" and not hasattr(model, "_steps")


def test_solvers_without_steps():
    X, y = make_classification(random_state=0)
    for model in (LogisticRegression(solver="newton-cholesky"), LogisticRegressionCV()):
        record = Record()
        with pytest.warns(UserWarning, match="only supported in LogisticRegression for solver"):
            model.set_callbacks(record)
        model.fit(X, y)
        assert {task for _, task, _ in record.told} <= {"fit"}
    with pytest.raises(TypeError, match="callbacks must be instances"):
        LogisticRegression().set_callbacks("a bar")
