"""Newton's method for the dual: minima, what a round is, and where it takes over from passes."""

import numpy as np
import pytest
import scipy.sparse
from sklearn.datasets import make_regression

from litlearn.svm import LinearSVC, LinearSVR, _dual_descent, _rounds
from litlearn.svm._dual_descent import DualProblem, make_rows
from litlearn.svm._primal_newton import solve_primal
from litlearn.svm._rounds import RoundedLoss, nearly_lowest, passes_worth, solve_rounds
from problems import labelled


def problem_of(kind, X, y, C):
    """The dual problem of a kind of machine for labels y of 0 and 1, and prices C (n,)."""
    sign, n = 2.0 * y - 1.0, len(y)
    if kind == "tube":
        return DualProblem(X[:, 0] ** 2, np.zeros(n), -C, C, 0.2)
    if kind == "median":
        return DualProblem(X[:, 0] ** 2, np.zeros(n), -C, C, 0.0)
    top = np.full(n, np.inf) if kind == "squared" else C
    used = C > 0.0
    lower, upper = np.where((sign < 0) & used, -top, 0.0), np.where((sign > 0) & used, top, 0.0)
    diagonal = 0.5 / np.where(used, C, 1.0) if kind == "squared" else np.zeros(n)
    return DualProblem(sign, diagonal, lower, upper, 0.0)


def violation_in(A, problem):
    """The largest violation of coefficients, by the definition of a directional derivative."""

    def violation(beta):
        slope = A @ (A.T @ beta) + problem.diagonal * beta - problem.y
        rise = slope + np.where(beta >= 0.0, problem.epsilon, -problem.epsilon)
        fall = slope + np.where(beta > 0.0, problem.epsilon, -problem.epsilon)
        up = np.where(beta < problem.upper, -rise, -np.inf)
        down = np.where(beta > problem.lower, fall, -np.inf)
        return float(np.max(np.maximum(up, down), initial=0.0))

    return violation


@pytest.mark.nojit
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("kind", ["hinge", "squared", "tube", "median"])
@pytest.mark.parametrize("shape", [(40, 3), (12, 20)])
def test_rounds_find_the_minimum(sparse, kind, shape):
    """From zero, to a violation that no pass had any part in; samples without a price stay out."""
    X, y = labelled(*shape)
    C = np.random.default_rng(0).uniform(0.2, 5.0, shape[0]) * (np.arange(shape[0]) % 5 > 0)
    problem = problem_of(kind, X, y, C)
    A = np.column_stack([X, np.full(len(X), 0.5)])
    rows, violation = make_rows(scipy.sparse.csr_array(X) if sparse else X, 0.5), None
    violation = violation_in(A, problem)
    start = np.zeros(len(X))
    found = solve_rounds(rows, problem, shape[1], start, 1e-8, violation)
    assert violation(start) > 0.1 and violation(found) <= 1e-8
    assert (start == 0.0).all() and (found[C == 0.0] == 0.0).all()
    assert (found >= problem.lower).all() and (found <= problem.upper).all()


@pytest.mark.nojit
def test_a_round_holds_the_coefficients_near_the_last():
    """eq-svm-round: the minimum of the dual with the square of the way, by its own conditions."""
    X, y = labelled(30, 3)
    C, last = np.full(30, 2.0), np.random.default_rng(1).uniform(-1.0, 1.0, 30)
    plain = problem_of("tube", X, y, C)
    loss = RoundedLoss(X, 0.5, plain, last, 0.7)
    w, beta, bound, _, converged = solve_primal(loss, 1e-10, 100)
    assert converged and bound < 1e-10
    held = plain._replace(y=plain.y + 0.7 * last, diagonal=plain.diagonal + 0.7)
    A = np.column_stack([X, np.full(30, 0.5)])
    np.testing.assert_allclose(w, A.T @ beta, atol=1e-9)
    assert violation_in(A, held)(beta) < 1e-9
    assert violation_in(A, plain)(beta) > 0.01  # it is not that of the dual itself
    # The price is that of the primal: no w has a lower objective.
    value = 0.5 * w @ w + loss.answer(loss.outputs(w)).price
    for way in np.random.default_rng(2).normal(size=(20, 4)):
        other = w + 0.1 * way
        assert 0.5 * other @ other + loss.answer(loss.outputs(other)).price > value


@pytest.mark.nojit
@pytest.mark.parametrize("length", [1e-9, 1e-3, 1.0, 1e3])
def test_a_step_ends_where_the_objective_still_falls(length):
    """However long the step is: at a slope that has the sign of the first one, and is smaller."""
    X, y = labelled(60, 3)
    rng = np.random.default_rng(3)
    loss = RoundedLoss(X, 1.0, problem_of("tube", X, y, np.full(60, 3.0)), np.zeros(60), 1e-3)
    best = solve_primal(loss, 1e-9, 100)[0]
    for _ in range(5):
        w = best + rng.normal(size=4)
        step = (best - w) / length
        f, rates = loss.outputs(w), loss.outputs(step)

        def slope(t, w=w, step=step, f=f, rates=rates):
            return (w + t * step) @ step - loss.answer(f + t * rates).beta @ rates

        t = loss.line_minimum(w, step, f, rates)
        assert slope(0.0) < 0.0 < t
        assert 0.31 * slope(0.0) < slope(t) <= 1e-3 * abs(slope(0.0))


def test_what_is_on_the_line_before_the_start_is_not_looked_at():
    """The sum of losses alone, without a penalty, on three samples: by hand."""
    problem = DualProblem(
        np.array([1.0, 2.0, 3.0]), np.zeros(3), np.full(3, -9.0), np.full(3, 9.0), 0.0
    )
    price, rates = np.ones(3), np.ones(3)
    # Parabolas (1 - t)^2, (2 - t)^2, (3 - t)^2, halved: lowest at t = 2, whose slope is 0.
    t = nearly_lowest(problem, price, problem.y, np.zeros(3), rates, 0.0, 0.0)
    assert 6.0 - 3.0 * t <= 0.3 * 6.0 and t <= 2.0


def objective(model, X, y):
    """What LinearSVR with its default loss minimises."""
    w = np.append(model.coef_, model.intercept_)
    error = np.abs(y - model.predict(X))
    return 0.5 * w @ w + model.C * np.sum(np.maximum(error - model.epsilon, 0.0))


@pytest.mark.filterwarnings("ignore::litlearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("C", [1.0, 100.0])
@pytest.mark.parametrize("epsilon", [0.0, 0.5])
@pytest.mark.parametrize("shape", [(300, 20), (400, 40)])
def test_few_passes_suffice(C, epsilon, shape, monkeypatch):
    """A violation of 1e-6 bounds the gap; passes alone take more of them, or do not end."""
    X, y = make_regression(*shape, n_informative=10, noise=5.0, random_state=0)
    y = y / y.std()
    model = LinearSVR(C=C, epsilon=epsilon, tol=1e-6, max_iter=1000, random_state=0).fit(X, y)
    assert model.n_iter_ < 300 and model.dual_gap_ < 1e-6 * C * len(X)
    monkeypatch.setattr(_dual_descent, "passes_worth", lambda rows, p: np.inf)
    alone = LinearSVR(C=C, epsilon=epsilon, tol=1e-6, max_iter=2000, random_state=0).fit(X, y)
    assert alone.n_iter_ > model.n_iter_
    lowest = objective(alone, X, y) - alone.dual_gap_
    assert lowest <= objective(model, X, y) <= objective(alone, X, y) + model.dual_gap_


@pytest.mark.parametrize("scale", [1e-60, 1.0, 1e60])
def test_rounds_know_no_unit(scale):
    """Samples times a number and prices by its square: the same function, after as many passes."""
    rng = np.random.default_rng(0)
    X, t = rng.normal(size=(80, 6)), rng.normal(size=80)
    plain = LinearSVR(C=50.0, fit_intercept=False, random_state=0).fit(X, t)
    model = LinearSVR(C=50.0 / scale**2, fit_intercept=False, random_state=0).fit(X * scale, t)
    np.testing.assert_allclose(model.coef_ * scale, plain.coef_, rtol=1e-6, atol=1e-9)
    assert model.n_iter_ == plain.n_iter_ < 50


def test_duplicates_and_constant_features(recwarn):
    """Samples that come twice leave their coefficients open, and not their sum."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(50, 4)), rng.normal(size=50)
    X[:, 3] = 1.0
    once = LinearSVR(C=20.0, tol=1e-6, random_state=0).fit(X, y)
    twice = LinearSVR(C=10.0, tol=1e-6, random_state=0).fit(np.vstack([X, X]), np.append(y, y))
    np.testing.assert_allclose(once.coef_, twice.coef_, atol=1e-5)
    assert not recwarn.list


def test_what_is_too_large_is_left_to_passes():
    rows = make_rows(scipy.sparse.csr_array((5, 10**6)), 1.0)
    assert passes_worth(rows, 10**6) == np.inf
    # Few passes over few samples take no time; over many, a step of Newton's method less than many.
    few, many = (make_rows(np.zeros((n, 10)), 1.0) for n in (20, 20_000))
    assert passes_worth(few, 10) > 3 * passes_worth(many, 10) > 30


@pytest.mark.parametrize(
    "count, before, now, goal, left",
    [(8, 1.0, 0.1, 0.01, 8.0), (8, 1.0, 0.1, 0.2, 0.0), (8, 1.0, 1.0, 0.1, np.inf)],
)
def test_passes_left(count, before, now, goal, left):
    assert _dual_descent.passes_left(count, before, now, goal) == pytest.approx(left)


def test_rounds_end_where_digits_end(monkeypatch):
    """A violation that rises again ends them; the best round counts."""
    found = iter([5.0, 3.0, 2.0, 1.0, 30.0, 0.5])
    rows = make_rows(np.eye(3), 0.0)
    problem = DualProblem(np.ones(3), np.zeros(3), np.zeros(3), np.ones(3), 0.0)
    kept = []

    def keep(loss, tol, most, start=None):
        kept.append(np.full(3, len(kept) + 1.0))
        return np.zeros(4), kept[-1]

    monkeypatch.setattr(_rounds, "solve_primal", keep)
    best = solve_rounds(rows, problem, 3, np.zeros(3), 1e-9, lambda beta: next(found))
    assert len(kept) == 4 and best is kept[2]


def test_hinge_with_many_samples():
    """Dense samples of few features: Newton's method ends what passes would not."""
    X, y = labelled(5000, 8)
    model = LinearSVC(loss="hinge", C=10.0, tol=1e-5, random_state=0).fit(X, y)
    w, sign = np.append(model.coef_, model.intercept_), 2.0 * y - 1.0
    price = 0.5 * w @ w + 10.0 * np.sum(np.maximum(0.0, 1.0 - sign * model.decision_function(X)))
    assert model.n_iter_ < 200 and model.dual_gap_[0] < 1e-6 * price
