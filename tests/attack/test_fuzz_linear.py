"""Linear models against scikit-learn's: objectives in extended precision, and predictions."""

import copy
import itertools

import numpy as np
import pytest
import scipy.sparse

import hostile
from hostile import LONG, Case, choose, near, no_higher, same_labels


def centre(problem, y):
    """The mean that an intercept alone predicts."""
    s = problem.weights
    return (s @ y.astype(LONG)) / s.sum()


def residuals(problem, model, y):
    """Targets minus predictions of the training samples, one column a target."""
    X, W = problem.table.astype(LONG), np.atleast_2d(model.coef_).astype(LONG)
    b = np.atleast_1d(model.intercept_).astype(LONG)
    return y.reshape(len(y), -1).astype(LONG) - (X @ W.T + b)


def squares(case, model):
    """What least squares, ridge, lasso and the elastic net minimise, and its value at zero."""
    p, params = case.problem, case.params
    s, W = p.weights[:, None], np.atleast_2d(model.coef_).astype(LONG)
    y = p.y.reshape(len(p.y), -1).astype(LONG)
    zero = y - (centre(p, y) if params["fit_intercept"] else 0)
    loss, most = ((s * part**2).sum() for part in (residuals(p, model, p.y), zero))
    alpha = LONG(getattr(model, "alpha_", params.get("alpha", 0.0)))
    if case.name in ("LinearRegression", "Ridge"):
        return loss + alpha * (W**2).sum(), most
    share = params.get("l1_ratio", 1.0)
    half = 2 * s.sum()
    penalty = share * np.abs(W).sum() + (1 - share) / 2 * (W**2).sum()
    return loss / half + alpha * penalty, most / half


def rounding(problem, model):
    """What the stored digits of the coefficients and of the targets leave of the squares."""
    W, b = np.atleast_2d(model.coef_).astype(LONG), np.atleast_1d(model.intercept_).astype(LONG)
    y = problem.y.reshape(len(problem.y), -1).astype(LONG)
    terms = np.abs(problem.table).astype(LONG) @ np.abs(W).T + np.abs(b) + np.abs(y)
    return (problem.weights[:, None] * (8 * problem.eps * terms) ** 2).sum()


def nearly_singular(problem):
    """Whether a direction of the samples is of the size of rounding: it may count or not."""
    s = np.sqrt(problem.weights.astype(float))[:, None]
    X = problem.table / problem.scale
    values = np.linalg.svd(s * (X - np.average(X, axis=0, weights=s[:, 0] ** 2)), compute_uv=False)
    shares = np.r_[values, np.linalg.svd(s * X, compute_uv=False)] / max(values.max(), 1e-300)
    return bool(np.any((shares > 0) & (shares < 1e4 * problem.eps)))


def judge_squares(case, ours, theirs):
    """No higher objective than theirs, but for rounding and the goal that both solvers have.

    `tol` allows lasso and elastic net a gap of 1e-4 of the objective at zero; both end far below. A
    thousandth of that is allowed. Least squares has no goal, and 1e-9 is rounding.
    """
    problem, exact = case.problem, case.name in ("LinearRegression", "Ridge")
    found, most = squares(case, ours)
    expected, _ = squares(case, theirs)
    share = (1e-9 if exact else 1e-7) if problem.eps < 1e-10 else 1e-4
    lost = rounding(problem, ours) / (1 if exact else 2 * problem.weights.sum())
    wrong = list(no_higher(found, expected, share * most + 1e-6 * share * abs(expected) + lost))
    if wrong and exact and nearly_singular(problem):
        yield "note", "a direction of the size of rounding counts, or not"
        return
    yield from wrong
    # The penalty makes the minimum unique, so that equal objectives are equal predictions.
    if exact and problem.mild and not wrong and case.params.get("alpha", 0.0) > 1e-3:
        if abs(found - expected) < 1e-12 * most:
            size = 1e-4 * np.abs(problem.y).max()
            yield from near(ours.answers["predict"], theirs.answers["predict"], size, "predict")


def least_squares(rng):
    name = choose(rng, "LinearRegression", "Ridge", "Ridge")
    problem = hostile.regression(rng, sparse=True, targets=choose(rng, 1, 1, 3))
    params = {"fit_intercept": choose(rng, True, True, False), "positive": rng.random() < 0.15}
    if name == "Ridge":
        unit = choose(rng, 1.0, problem.scale**2 if problem.scale < 1e100 else 1.0)
        params["alpha"] = max(choose(rng, 1e-9, 1e-3, 1.0, 1e3) * unit, 1e-300)
    if params["positive"] and problem.y.ndim > 1:
        problem.y = problem.y[:, 0]
    return Case("linear_model", name, params, problem, judge_squares, ("predict",))


def penalised(rng):
    name = choose(rng, "Lasso", "ElasticNet")
    problem = hostile.regression(rng, sparse=True)
    s, X = problem.weights, problem.table.astype(LONG)
    y = problem.y.astype(LONG) - centre(problem, problem.y)
    # Beyond the largest correlation all coefficients are zero.
    most = float(np.abs((s * y) @ (X - (s @ X) / s.sum()) / s.sum()).max())
    share = choose(rng, 1.0, 0.1, 1e-3)
    params = {
        "alpha": share * most if 1e-300 < share * most < 1e300 else 1.0,
        "fit_intercept": choose(rng, True, True, False),
        "positive": rng.random() < 0.2,
        "max_iter": 100_000,
    }
    if name == "ElasticNet":
        params["l1_ratio"] = choose(rng, 0.05, 0.5, 0.95)
    return Case("linear_model", name, params, problem, judge_squares, ("predict",))


def logistic_objective(case, model):
    """C times the losses plus the penalty, and its value at zero coefficients."""
    p, params = case.problem, case.params
    codes, W = hostile.codes_of(p.y), model.coef_.astype(LONG)
    s = p.weights
    if params["class_weight"] == "balanced":
        counts = np.bincount(codes, weights=s.astype(float))  # samples count by their weights
        s = s * (s.sum() / (len(counts) * np.maximum(counts, 1e-300)))[codes]
    scores = p.table.astype(LONG) @ W.T + model.intercept_.astype(LONG)
    if len(model.classes_) == 2:
        scores = np.hstack([np.zeros_like(scores), scores])
    top = scores.max(axis=1, keepdims=True)
    totals = np.log(np.exp(scores - top).sum(axis=1)) + top[:, 0]
    loss = s @ (totals - scores[np.arange(len(codes)), codes])
    share, C = params["l1_ratio"], LONG(params["C"])
    penalty = share * np.abs(W).sum() + (1 - share) / 2 * (W**2).sum()
    if np.isinf(C):
        return loss, s.sum() * np.log(LONG(len(model.classes_)))
    return C * loss + penalty, C * s.sum() * np.log(LONG(len(model.classes_)))


def judge_logistic(case, ours, theirs):
    """No higher objective than theirs; the goal of 1e-4 leaves less than 1e-6 of that at zero."""
    found, most = logistic_objective(case, ours)
    expected, _ = logistic_objective(case, theirs)
    share = 1e-6 if case.problem.eps < 1e-10 else 1e-5
    weights = np.bincount(
        hostile.codes_of(case.problem.y), weights=case.problem.weights.astype(float)
    )
    unbounded = np.isinf(case.params["C"])
    if unbounded or (case.params["fit_intercept"] and weights.min() == 0.0):
        # The minimum may lie at infinity. The way ends where slopes, one a class, meet the goal.
        unbounded, share = True, 1e-4 * len(weights)
    wrong = list(no_higher(found, expected, share * most))
    if wrong and unbounded and found < 1e-3 * most:
        yield "note", "the minimum is at infinity, and both end on the way"
    elif wrong and np.isinf(case.params["C"]) and nearly_singular(case.problem):
        yield "note", "a direction of the size of rounding counts, or not"
    else:
        yield from wrong
    one, other = ours.answers["predict_proba"], theirs.answers["predict_proba"]
    if not np.allclose(one.sum(axis=1), 1.0, atol=1e-5):
        yield "probabilities do not sum to 1"
    if np.abs(np.exp(ours.answers["predict_log_proba"]) - one).max() > 1e-5:
        yield "predict_log_proba is not the logarithm of predict_proba"
    # The penalty makes the minimum unique, so that equal objectives are equal coefficients.
    if case.problem.mild and not wrong and case.params["C"] <= 1.0 and case.params["l1_ratio"] == 0:
        if abs(found - expected) < 1e-7 * most:
            yield from near(one, other, 0.02, "predict_proba")
    yield from same_labels(
        ours.answers["predict"], ours.classes_[one.argmax(axis=1)], hostile.clear_rows(one, 1e-6)
    )


def logistic(rng):
    problem = hostile.classification(rng, sparse=True)
    kind = choose(rng, "l2", "l2", "l1", "elasticnet", "none")
    unit = choose(rng, 1.0, problem.scale**-2 if 1e-100 < problem.scale < 1e100 else 1.0)
    params = {
        "C": np.inf if kind == "none" else choose(rng, 1e-6, 1e-2, 1.0, 1e2, 1e6) * unit,
        "l1_ratio": {"l1": 1.0, "elasticnet": choose(rng, 0.1, 0.9)}.get(kind, 0.0),
        "class_weight": choose(rng, None, None, "balanced"),
        "fit_intercept": choose(rng, True, True, False),
    }
    if kind in ("l2", "none"):
        params["solver"] = choose(rng, "lbfgs", "newton-cg", "newton-cholesky")
    else:
        params["solver"] = "saga"
    methods = "predict", "decision_function", "predict_proba", "predict_log_proba"
    return Case("linear_model", "LogisticRegression", params, problem, judge_logistic, methods)


def judge_sgd(case, ours, theirs):
    """The same seed is the same sequence of steps, up to rounding that the steps may amplify."""
    if ours.n_iter_ != theirs.n_iter_:
        yield "note", "another epoch is the last"
        return
    if case.params["average"] and case.params["penalty"] in ("l1", "elasticnet"):
        yield "note", "scikit-learn's average counts an l1 penalty in earlier steps, too"
        return
    size = max(np.abs(theirs.coef_).max(), np.abs(theirs.intercept_).max())
    far = 1e-6 if case.problem.eps < 1e-10 else 1e-2
    apart = np.abs(ours.coef_ - theirs.coef_).max()
    if apart > far * size:
        # Samples that are rounded otherwise show what the steps make of it.
        p, moved = copy.copy(case.problem), 0.0
        for way, model in itertools.product(range(1, 5), (ours, theirs)):
            p.X = p.table * (1 + 8 * p.eps * np.sin(way * p.table / p.scale + way))
            # Sparse samples have other steps of the intercept; without one, only other rounding.
            if scipy.sparse.issparse(case.problem.X) and case.params["fit_intercept"]:
                p.X = scipy.sparse.csr_array(p.X)
            again = hostile.fitted(type(model), case.params, p, ())
            other = np.inf if isinstance(again, Exception) else again.coef_
            moved = max(moved, np.abs(model.coef_ - other).max())
        if moved > apart / 10:
            yield "note", "the steps amplify rounding"
        else:
            yield f"coefficients {apart / size:.1e} of the largest apart"


def sgd(rng):
    name = choose(rng, "SGDClassifier", "SGDRegressor")
    if name == "SGDClassifier":
        problem = hostile.classification(rng, sparse=True)
        losses = "hinge", "log_loss", "modified_huber", "squared_hinge", "perceptron"
    else:
        problem = hostile.regression(rng, sparse=True)
        losses = "squared_error", "huber", "epsilon_insensitive", "squared_epsilon_insensitive"
    params = {
        "loss": choose(rng, *losses),
        "penalty": choose(rng, "l2", "l1", "elasticnet", None),
        "alpha": choose(rng, 1e-6, 1e-4, 1e-2),
        "fit_intercept": choose(rng, True, False),
        "learning_rate": choose(rng, "optimal", "invscaling", "constant", "adaptive"),
        "average": choose(rng, False, False, True),
        "shuffle": choose(rng, True, False),
        "max_iter": 30,
        "random_state": int(rng.integers(0, 100)),
    }
    return Case("linear_model", name, params, problem, judge_sgd, ("predict",))


pytestmark = hostile.EXTENDED

FAMILIES = {
    "least squares and ridge": least_squares,
    "lasso and elastic net": penalised,
    "logistic regression": logistic,
    "SGD": sgd,
}


@pytest.mark.parametrize("family", FAMILIES)
def test_linear_models_are_no_worse(family, attempts, tally):
    hostile.run(family, FAMILIES[family], attempts, tally)
