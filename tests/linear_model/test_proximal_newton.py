"""Logistic regression with an l1 or elastic-net penalty: certificates, equality, hard inputs."""

import types

import numpy as np
import pytest
from scipy import sparse

import reference
from litlearn.linear_model import _proximal_newton as pn
from litlearn.linear_model._penalty import Penalty

rng_of = np.random.default_rng


@pytest.fixture(autouse=True)
def few_as_many(monkeypatch):
    """Let few sparse samples be fitted as many are."""
    monkeypatch.setattr(pn, "SMALL", 0)


def problem(n, p, seed=0, informative=3):
    """Samples, classes +1 and -1, and weights."""
    rng = rng_of(seed)
    X = rng.standard_normal((n, p))
    w = np.zeros(p)
    w[:informative] = rng.uniform(0.5, 2, min(informative, p))
    y = np.where(rng.random(n) < 1 / (1 + np.exp(-X @ w)), 1.0, -1.0)
    y[:2] = 1, -1
    return X, y, rng.uniform(0.5, 2, n)


def classes_problem(n, p, q, seed=0):
    """Samples, codes of classes, and weights."""
    rng = rng_of(seed)
    X = rng.standard_normal((n, p))
    W = rng.standard_normal((q, p)) * (rng.random((q, p)) < 0.4)
    codes = (X @ W.T + rng.gumbel(size=(n, q))).argmax(axis=1)
    codes[:q] = np.arange(q)
    return X, codes, rng.uniform(0.5, 2, n)


def losses(X, y, W, b):
    """Losses of the samples: y holds +1 and -1 for flat W (p,), codes for W (q, p)."""
    if W.ndim == 1:
        return np.logaddexp(0, -y * (X @ W + b))
    Z = X @ W.T + b
    return np.logaddexp.reduce(Z, axis=1) - Z[np.arange(len(y)), y]


def objective(X, y, s, w, b, alpha_l1, alpha_l2):
    """eq-logistic-penalized for the mean loss, in plain NumPy."""
    loss = s @ losses(X, y, w, b) / s.sum()
    return loss + alpha_l1 * np.abs(w).sum() + alpha_l2 / 2 * (w * w).sum()


def residuals(X, y, s, w, b):
    """Derivatives of the mean loss in the scores: (n,) or (n, q)."""
    if w.ndim == 1:
        return -s / s.sum() * y / (1 + np.exp(y * (X @ w + b)))
    Z = X @ w.T + b
    P = np.exp(Z - np.logaddexp.reduce(Z, axis=1)[:, None])
    P[np.arange(len(y)), y] -= 1
    return P * (s / s.sum())[:, None]


def smallest_subgradient(X, y, s, w, b, alpha_l1, alpha_l2):
    """eq-logistic-optimality, coordinate by coordinate: zero at the solution."""
    smooth = (X.T @ residuals(X, y, s, w, b)).T + alpha_l2 * w
    inside = np.maximum(np.abs(smooth) - alpha_l1, 0)
    return np.where(w == 0, inside, np.abs(smooth + alpha_l1 * np.sign(w)))


def check_optimal(X, y, s, w, b, alphas, fit_intercept, tol=1e-8):
    assert smallest_subgradient(X, y, s, w, b, *alphas).max() < tol
    if fit_intercept:
        assert np.abs(residuals(X, y, s, w, b).sum(axis=0)).max() < 1e-10
    else:
        assert not np.any(b)


def fit_multinomial(
    X, codes, q, s, alpha, beta, fit_intercept, tol, max_iter, start=None, n_jobs=None
):
    """A single fit, with q rows of coefficients."""
    penalties = [Penalty(alpha, beta)]
    (fitted,) = pn.fit_path(X, codes, q, s, penalties, fit_intercept, tol, max_iter, start, n_jobs)
    return fitted


def fit_binary(X, y, *given, coef=None, intercept=0.0, n_jobs=None):
    """A single fit of two classes, +1 and -1; coefficients are flat."""
    start = None if coef is None else (coef[None], np.array([intercept]))
    codes = (y > 0).astype(np.intp)
    w, b, *rest = fit_multinomial(X, codes, 1, *given, start=start, n_jobs=n_jobs)
    return w[0], b[0], *rest


PENALTIES = [(0.02, 0.0), (0.02, 0.05), (0.001, 0.1), (0.0005, 0.0)]
FORMS = {
    "C": np.ascontiguousarray,
    "F": np.asfortranarray,
    "csr": sparse.csr_array,
    "csc": sparse.csc_array,
}


# ---------------------------------------------------------------- two classes


@pytest.mark.nojit
@pytest.mark.parametrize("alphas", PENALTIES)
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("form", FORMS)
def test_two_classes_are_optimal(form, fit_intercept, alphas):
    X, y, s = problem(60, 12)
    X += 0.3
    w, b, n_iter, gap, converged = fit_binary(
        FORMS[form](X), y, s, *alphas, fit_intercept, 1e-8, 100
    )
    assert converged and 0 < n_iter < 20
    check_optimal(X, y, s, w, b, alphas, fit_intercept)
    assert -1e-13 < gap <= 1e-10 * objective(X, y, s, w, b, *alphas)


@pytest.mark.nojit
def test_equal_to_the_twin():
    X, y, s = problem(40, 6)
    alphas = 0.03, 0.02
    w, b, *_ = fit_binary(X, y, s, *alphas, True, 1e-9, 100)
    twin_w, twin_b = reference.penalized_logistic(X, y, s, *alphas)
    np.testing.assert_allclose(w, twin_w, atol=1e-7)
    assert b == pytest.approx(twin_b, abs=1e-7)
    np.testing.assert_array_equal(w == 0, np.abs(twin_w) < 1e-7)


@pytest.mark.nojit
def test_gap_bounds_the_excess_at_every_step():
    X, y, s = problem(80, 30, informative=8)
    for alphas in PENALTIES:
        w, b, *_ = fit_binary(X, y, s, *alphas, True, 1e-10, 100)
        best = objective(X, y, s, w, b, *alphas)
        previous = np.inf
        for steps in range(6):
            w, b, n_iter, gap, converged = fit_binary(X, y, s, *alphas, True, 1e-10, steps)
            value = objective(X, y, s, w, b, *alphas)
            assert value - best <= gap + 1e-14
            assert value <= previous + 1e-15
            previous = value
            assert converged == (gap <= 1e-12 * value) or not converged
        assert n_iter <= 5


@pytest.mark.nojit
def test_smallest_penalty_without_coefficients():
    # eq-alpha-max: the largest slope at the best intercept alone.
    X, y, s = problem(50, 8)
    share = s[y > 0].sum() / s.sum()
    residual = s / s.sum() * (share - (y > 0))
    largest = np.abs(X.T @ residual).max()
    w, b, n_iter, _, converged = fit_binary(X, y, s, 1.0001 * largest, 0.0, True, 1e-6, 50)
    assert converged and n_iter == 0 and not w.any()
    assert b == pytest.approx(np.log(share / (1 - share)), abs=1e-9)
    w = fit_binary(X, y, s, 0.999 * largest, 0.0, True, 1e-6, 50)[0]
    assert np.count_nonzero(w) == 1


@pytest.mark.nojit
@pytest.mark.parametrize("q", [1, 3])
def test_a_path_is_its_fits(q):
    # The first penalties allow no coefficient; two are equal; the last ones separate the classes.
    X, codes, s = classes_problem(60, 8, max(2, q))
    alphas = [1.0, 0.5, 0.05, 0.01, 0.01, 1e-3, 1e-4, 1e-5, 1e-6]
    penalties = [Penalty(alpha, 0.1 * alpha) for alpha in alphas]
    path = pn.fit_path(X, codes, q, s, penalties, True, 1e-4, 100)
    y, total = codes if q > 1 else 2.0 * codes - 1.0, 0
    for penalty, (w, b, n_iter, gap, converged) in zip(penalties, path, strict=True):
        exact, exact_b, alone, *_ = fit_multinomial(X, codes, q, s, *penalty[:2], True, 1e-9, 100)
        values = [
            objective(X, y, s, w if q > 1 else w[0], b, *penalty[:2])
            for w, b in ((w, b), (exact, exact_b))
        ]
        assert converged and values[0] - values[1] <= gap + 1e-15 and gap <= 1e-6 * np.log(3)
        total += alone - n_iter
    assert total >= 10  # steps that the path has spared


@pytest.mark.nojit
def test_weight_is_repetition_and_zero_is_absence():
    X, y, _ = problem(30, 5)
    s = rng_of(3).integers(0, 4, 30).astype(float)
    weighted = fit_binary(X, y, s, 0.01, 0.01, True, 1e-9, 50)
    rows = np.repeat(np.arange(30), s.astype(int))
    repeated = fit_binary(X[rows], y[rows], np.ones(rows.size), 0.01, 0.01, True, 1e-9, 50)
    np.testing.assert_allclose(weighted[0], repeated[0], atol=1e-9)
    assert weighted[1] == pytest.approx(repeated[1], abs=1e-9)


@pytest.mark.parametrize("form", FORMS)
def test_single_precision_reaches_the_certificate(form):
    X, y, s = problem(3000, 40, informative=10)
    X = (X + 0.5).astype(np.float32)
    w, b, _, _, converged = fit_binary(FORMS[form](X), y, s, 0.002, 0.0, True, 1e-4, 100)
    assert converged
    X = X.astype(np.float64)
    best = fit_binary(X, y, s, 0.002, 0.0, True, 1e-8, 100)
    value = objective(X, y, s, w, b, 0.002, 0.0)
    assert value <= (1 + 1e-6) * objective(X, y, s, best[0], best[1], 0.002, 0.0)


@pytest.mark.parametrize("form", ["C", "F"])
def test_what_decides_is_summed_in_double_precision(form):
    """Products of whole columns in float32 are wrong by 1e-7 of their size: too much to certify."""
    X, y, s = problem(3000, 40, informative=10)
    X = (X + 0.5).astype(np.float32)
    w, b, _, _, converged = fit_binary(FORMS[form](X), y, s, 0.002, 0.0, True, 1e-9, 100)
    assert converged
    check_optimal(X.astype(np.float64), y, s, w, b, (0.002, 0.0), True, tol=2e-9)


@pytest.mark.parametrize("form", FORMS)
def test_threads_do_not_change_a_bit(form):
    X, y, s = problem(20_000, 150, informative=20)
    if form in ("csr", "csc"):
        X *= rng_of(1).random(X.shape) < 0.3
    X = FORMS[form](X)
    one = fit_binary(X, y, s, 0.001, 0.0, True, 1e-5, 100, n_jobs=1)
    two = fit_binary(X, y, s, 0.001, 0.0, True, 1e-5, 100, n_jobs=2)
    assert one[0].tobytes() == two[0].tobytes() and one[1:] == two[1:]


def test_start_at_the_solution_takes_no_step():
    X, y, s = problem(200, 20)
    X += 5
    w, b, n_iter, *_ = fit_binary(X, y, s, 0.01, 0.0, True, 1e-6, 100)
    again = fit_binary(X, y, s, 0.01, 0.0, True, 1e-6, 100, coef=w, intercept=b)
    assert n_iter > 0 and again[2] == 0 and again[4]
    np.testing.assert_allclose(again[0], w, rtol=0)
    other = fit_binary(X, y, s, 0.02, 0.0, True, 1e-8, 100, coef=10 * w, intercept=b - 3)
    check_optimal(X, y, s, other[0], other[1], (0.02, 0.0), True)


def test_wide_data_through_working_sets():
    X, y, s = problem(80, 3000, informative=10)
    for form in FORMS.values():
        for alphas in ((0.02, 0.0), (0.002, 0.0), (0.0005, 0.003)):
            w, b, _, _, converged = fit_binary(form(X), y, s, *alphas, True, 1e-7, 100)
            assert converged
            check_optimal(X, y, s, w, b, alphas, True, 1e-7)


def test_more_coefficients_than_one_model_may_have(monkeypatch):
    # Dense data take them in parts.
    monkeypatch.setattr(pn.FormedModel, "largest", 20)
    X, y, s = problem(150, 60, informative=40)
    X += 0.2
    alphas = 0.001, 0.01
    w, b, _, _, converged = fit_binary(X, y, s, *alphas, True, 1e-6, 2000)
    assert converged and np.count_nonzero(w) > 25
    check_optimal(X, y, s, w, b, alphas, True, 1e-6)


# ---------------------------------------------------------------- the quadratic model


def two_models(q, fit_intercept):
    """One model with its Hessian, one without, of the same chosen coefficients; q and both."""
    X, codes, s = classes_problem(60, 12, max(q, 2))
    s = s / s.sum()
    loss = pn.loss_of(codes, q, s, 1)
    point = loss.evaluate(rng_of(1).standard_normal((60, q)))
    chosen = np.arange(q * 12)[1::2]  # not all, and others in each class
    slopes = point.residual.sum(axis=0) if fit_intercept else None
    zero, one = np.zeros(12), np.ones(12)
    for matrix in (pn.Dense(X, zero, one, 1), pn.Sparse(sparse.csc_array(X), one, 1)):
        gradient = matrix.transpose_times(point.residual).ravel()[chosen]
        problem = pn.MeanLoss(matrix, loss, fit_intercept)
        model = pn.kind_of(problem).of(problem, chosen, point, gradient, slopes)
        yield matrix, model, chosen, loss, point


@pytest.mark.nojit
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("q", [1, 3])
def test_a_model_without_its_hessian_is_the_same(q, fit_intercept, monkeypatch):
    (dense, formed, chosen, loss, point), (_, implicit, *_) = two_models(q, fit_intercept)
    m, beta = chosen.size, 1e-3
    np.testing.assert_allclose(implicit.gradient(), formed.gradient(), atol=1e-14)
    # A change of the coefficients: its curvature, what it does, and the intercepts that follow.
    change = rng_of(2).standard_normal(m)
    (effect, bend), (pull, own) = implicit.effect(change), formed.effect(change)
    assert bend == pytest.approx(own, rel=1e-12)
    implicit.move(effect)
    formed.move(pull)
    np.testing.assert_allclose(implicit.gradient(), formed.gradient(), atol=1e-14)
    scores = dense.scores(chosen, change, q)
    follow = formed.intercepts(change, scores)
    np.testing.assert_allclose(implicit.intercepts(change, scores), follow, atol=1e-12)
    assert fit_intercept == bool(np.any(follow))
    # The curvature is that of the loss where the intercepts follow.
    moved = 1e-3 * (scores + follow - formed.intercepts(0.0 * change, 0.0 * scores))
    rest = loss.along(point.scores, moved, 1.0) - point.loss - np.vdot(point.residual, moved)
    assert rest == pytest.approx(0.5e-6 * bend, rel=1e-2)
    # A Newton step on some of them: a factor, or conjugate gradients that have the time.
    monkeypatch.setattr(pn, "ROUGHLY", 1e-12)
    support = np.arange(m)[::2]
    given = support, formed.gradient()[support], beta
    np.testing.assert_allclose(implicit.newton_step(*given), formed.newton_step(*given), rtol=1e-9)


@pytest.mark.nojit
@pytest.mark.parametrize("q", [1, 3])
def test_models_are_solved_to_the_tolerance(q):
    for _, model, chosen, _, _ in two_models(q, True):
        penalty, start = Penalty(0.05, 1e-3), np.zeros(chosen.size)
        w = pn.solve_model(model, start, penalty, 1e-10)
        assert pn.violations(model.gradient(), w, penalty).max() <= 2e-10
        assert 0 < np.count_nonzero(w) < w.size and not start.any()


# ---------------------------------------------------------------- hard inputs


def hard_inputs():
    """Name -> samples (n, p) and classes."""
    rng = rng_of(7)
    X, y, _ = problem(100, 6)
    yield "duplicated columns", np.column_stack([X, X[:, :3]]), y
    yield "constant column", np.column_stack([X, np.full(100, 3.0)]), y
    yield "column of zeros", np.column_stack([X, np.zeros(100)]), y
    yield "nearly collinear", np.column_stack([X, X[:, 0] + 1e-7 * rng.standard_normal(100)]), y
    yield "scales from 1e-3 to 1e6", X * 10.0 ** np.array([-3, -1, 0, 2, 4, 6]), y
    yield "offset of 1e6 spreads", X + 1e6, y
    yield "separable", X, np.where(X[:, 0] > 0, 1.0, -1.0)
    yield "one of a class", X, np.where(np.arange(100) == 5, 1.0, -1.0)
    yield "two samples", X[:2], np.array([1.0, -1.0])
    yield "one feature", X[:, :1], y
    yield "outlier", np.vstack([X, 1e4 * X[:1]]), np.append(y, -y[0])


HARD = list(hard_inputs())


@pytest.mark.parametrize("name, X, y", HARD, ids=[case[0] for case in HARD])
@pytest.mark.parametrize("alphas", [(0.05, 0.0), (1e-4, 0.0), (1e-4, 1e-4)])
@pytest.mark.parametrize("form", ["C", "F", "csr"])
def test_hard_inputs(name, X, y, alphas, form):
    s = np.ones(len(y))
    w, b, _, gap, converged = fit_binary(FORMS[form](X), y, s, *alphas, True, 1e-4, 200)
    value = objective(X, y, s, w, b, *alphas)
    assert np.isfinite(w).all() and np.isfinite(b)
    assert converged
    assert gap <= 1e-6 * value


@pytest.mark.parametrize("alpha", [1e-6, 1e-9])
def test_hardly_any_penalty(alpha):
    X, y, s = problem(200, 10)
    w, b, _, _, converged = fit_binary(X, y, s, alpha, 0.0, True, 1e-4, 100)
    assert converged
    check_optimal(X, y, s, w, b, (alpha, 0.0), True, 1e-4)
    separable = np.where(X[:, 0] > 0, 1.0, -1.0)
    w, b, _, gap, converged = fit_binary(X, separable, s, alpha, 0.0, True, 1e-4, 200)
    assert converged and gap <= 1e-6 * objective(X, separable, s, w, b, alpha, 0.0)


def test_stopped_early_says_so():
    X, y, s = problem(200, 30)
    *_, n_iter, gap, converged = fit_binary(X, y, s, 1e-3, 0.0, True, 1e-8, 1)
    assert n_iter == 1 and not converged and gap > 0


# ---------------------------------------------------------------- many classes


@pytest.mark.nojit
@pytest.mark.parametrize("alphas", PENALTIES)
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("form", FORMS)
def test_many_classes_are_optimal(form, fit_intercept, alphas):
    X, codes, s = classes_problem(60, 7, 4)
    X += 0.3
    W, b, n_iter, gap, converged = fit_multinomial(
        FORMS[form](X), codes, 4, s, *alphas, fit_intercept, 1e-8, 100
    )
    assert converged and 0 < n_iter < 25
    assert W.shape == (4, 7) and b.shape == (4,)
    check_optimal(X, codes, s, W, b, alphas, fit_intercept)
    assert abs(b.sum()) < 1e-12
    assert gap <= 1e-10 * objective(X, codes, s, W, b, *alphas)


@pytest.mark.nojit
def test_two_of_many_classes_are_the_logistic_loss_halved():
    # For two classes the softmax optimum is W = (-w/2, w/2), with the l2 penalty halved.
    X, y, s = problem(60, 5)
    codes = (y > 0).astype(np.intp)
    W, b, *_ = fit_multinomial(X, codes, 2, s, 0.01, 0.02, True, 1e-9, 100)
    w, b_two, *_ = fit_binary(X, y, s, 0.01, 0.01, True, 1e-9, 100)
    np.testing.assert_allclose(W[1] - W[0], w, atol=1e-7)
    assert b[1] - b[0] == pytest.approx(b_two, abs=1e-7)


def test_many_classes_of_sparse_samples():
    X, codes, s = classes_problem(100, 12, 3)
    W, b, _, _, converged = fit_multinomial(
        sparse.csr_array(X), codes, 3, s, 0.003, 0.0, True, 1e-6, 200
    )
    assert converged
    check_optimal(X, codes, s, W, b, (0.003, 0.0), True, 1e-6)


@pytest.mark.parametrize("form", ["C", "csr"])
def test_hardly_any_penalty_on_many_classes(form):
    # What all classes share moves no score: next to nothing holds it, and signs change often.
    X, codes, _ = classes_problem(400, 30, 3)
    codes = np.digitize(X[:, 0] + rng_of(1).logistic(size=400), [-1, 1])
    for C in (1e2, 1e4):
        total = 1 / (C * 400)
        for ratio in (1.0, 0.5, 0.01):
            alphas = ratio * total, (1 - ratio) * total
            W, b, _, gap, converged = fit_multinomial(
                FORMS[form](X), codes, 3, np.ones(400), *alphas, True, 1e-4, 30
            )
            assert converged and gap <= 1e-6 * objective(X, codes, np.ones(400), W, b, *alphas)


def test_an_empty_class_gets_no_coefficients_of_its_own():
    X, codes, s = classes_problem(80, 5, 3)
    s = np.where(codes == 1, 0.0, s)
    W, b, *_ = fit_multinomial(X, codes, 3, s, 0.01, 0.0, True, 1e-4, 200)
    assert np.isfinite(W).all() and np.isfinite(b).all()


# ---------------------------------------------------------------- parity


def sklearn_model(solver, alphas, n, **settings):
    linear_model = pytest.importorskip("sklearn.linear_model")
    total = sum(alphas)
    return linear_model.LogisticRegression(
        solver=solver, C=1 / (total * n), l1_ratio=alphas[0] / total, **settings
    )


def test_parity_with_liblinear():
    X, y, _ = problem(300, 20, informative=6)
    s = np.ones(300)
    alphas = 0.01, 0.0
    w, *_ = fit_binary(X, y, s, *alphas, False, 1e-8, 100)
    model = sklearn_model("liblinear", alphas, 300, fit_intercept=False, tol=1e-9, max_iter=10_000)
    np.testing.assert_allclose(w, model.fit(X, y).coef_[0], atol=1e-5)


@pytest.mark.parametrize("alphas", [(0.01, 0.0), (0.01, 0.03)])
def test_parity_with_saga(alphas):
    X, codes, _ = classes_problem(200, 8, 3)
    s = np.ones(200)
    W, b, *_ = fit_multinomial(X, codes, 3, s, *alphas, True, 1e-8, 100)
    model = sklearn_model("saga", alphas, 200, tol=1e-9, max_iter=20_000, random_state=0)
    model.fit(X, codes)
    theirs = objective(X, codes, s, model.coef_, model.intercept_, *alphas)
    assert objective(X, codes, s, W, b, *alphas) <= theirs * (1 + 1e-12)
    np.testing.assert_allclose(W, model.coef_, atol=1e-4)


@pytest.mark.parametrize(("noise", "length"), [(1e-14, 1.0), (1e-12, 0.0)])
def test_what_rounding_adds_does_not_refuse_a_step(noise, length):
    """The loss of four samples, 100, is known to 2e-13; the step promises less than that."""
    point = types.SimpleNamespace(scores=None, loss=100.0, residual=np.full((4, 1), -1e-15))
    loss = types.SimpleNamespace(s=np.ones(4), along=lambda scores, moved, t: 100.0 + noise)
    moved, nothing = np.ones((4, 1)), np.zeros(2)
    penalty = Penalty(0.0, 0.0)
    assert pn.step_length(loss, point, moved, nothing, nothing, penalty) == length


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize(("factor", "alpha"), [(1e-30, 2e-63), (1e100, 5e-3), (1.0, 1e-40)])
def test_prices_below_the_rounding_of_slopes(factor, alpha, form):
    """They are certified at the minimum without a price; classes that are apart end the steps."""
    rng = np.random.default_rng(3)
    X, s = rng.standard_normal((150, 6)), np.ones(150)
    score = X[:, 0] - X[:, 1]
    codes = (score + rng.standard_normal(150) > 0).astype(np.intp)
    plain = pn.fit_path(X, codes, 1, s, [Penalty(1e-9, 0.0)], True, 1e-9, 100)[0]
    fits = pn.fit_path(form(factor * X), codes, 1, s, [Penalty(alpha, 0.0)], True, 1e-4, 100)
    w, _, n_iter, gap, met = fits[0]
    assert met and n_iter < 20 and gap < 1e-6
    np.testing.assert_allclose(w * factor, plain[0], atol=1e-6)
    # Begun there, it is certified at once.
    again = pn.fit_path(
        form(factor * X), codes, 1, s, [Penalty(alpha, 0.0)], True, 1e-4, 100, fits[0][:2]
    )
    assert again[0][2] == 0 and again[0][4]
    codes = (score > 0).astype(np.intp)
    w, b, n_iter, gap, met = pn.fit_path(
        form(factor * X), codes, 1, s, [Penalty(alpha, 0.0)], True, 1e-4, 100
    )[0]
    assert not met and n_iter < 30 and 0.0 < gap < 1e-4
    assert (((factor * X) @ w[0] + b[0] > 0) == codes).all()


@pytest.mark.parametrize("q", [1, 3])
@pytest.mark.parametrize("alpha", [1e-11, 1e-13, 1e-15])
def test_a_start_at_the_solution_of_a_faint_price(q, alpha):
    """The slopes there are rounding themselves, and do not tell how much of them is."""
    rng = np.random.default_rng(0)
    X, codes = rng.normal(size=(60, 5)), rng.integers(0, max(2, q), 60)
    for beta in (0.0, alpha):
        given = X, codes, q, np.ones(60), alpha, beta, True, 1e-4, 100
        w, b, n_iter, _, met = fit_multinomial(*given)
        again = fit_multinomial(*given, start=(w, b))
        assert met and n_iter > 0 and again[2] <= 1 and again[4]
        np.testing.assert_allclose(again[0], w, rtol=1e-6)


@pytest.mark.parametrize("form", [sparse.csr_array, sparse.csc_array])
@pytest.mark.parametrize("q", [1, 3])
def test_few_sparse_samples_are_fitted_as_dense_ones(form, q, monkeypatch):
    """Bit by bit; also of a size at which conjugate gradients took a minute."""
    monkeypatch.setattr(pn, "SMALL", 2**14)
    X, codes, s = classes_problem(60, 8, max(q, 2), seed=3)
    X *= rng_of(0).random(X.shape) < 0.3
    for scale in (1.0, 1e130):
        penalties = [Penalty(0.02 * scale, 0.0)]
        both = [
            pn.fit_path(data, codes, q, s, penalties, True, 1e-6, 100)[0]
            for data in (form(scale * X), scale * X)
        ]
        for one, other in zip(*both, strict=True):
            np.testing.assert_array_equal(one, other)
    monkeypatch.setattr(pn, "SMALL", 60 * 8 - 1)
    plain = pn.fit_path(form(X), codes, q, s, [Penalty(0.02, 0.0)], True, 1e-6, 100)[0]
    dense = pn.fit_path(X, codes, q, s, [Penalty(0.02, 0.0)], True, 1e-6, 100)[0]
    assert not np.array_equal(plain[0], dense[0])  # other sums: one more makes them sparse
    np.testing.assert_allclose(plain[0], dense[0], atol=1e-4)
