r"""Smooth losses: Newton's method, what replaces it at large sizes, and the certificate.

At a point v with gradient g and Hessian H, the loss looks like F(v) + g.d + d.H d / 2 for a step d.
The step that minimises this is d = -H^-1 g, :eq:`eq-newton-step`. It lowers the model by half of
delta^2 = g.H^-1 g, the squared *Newton decrement*. That number tells how far the loss is above its
minimum, whatever the units of the features. It is what the solvers stop on.

There are four ways to a step, and :func:`minimise` chooses:

- Few parameters: form the Hessian and factor it (:class:`Factored`).
- Many more samples than parameters: minimise over a part of the samples first. Its minimum is a
  good start, and its Hessian a good model of the whole one. Steps with that fixed model, corrected
  by what the gradients along the way say about the curvature (L-BFGS), need one pass over the
  data each (:class:`QuasiNewton`). With only some thousands of samples of two classes, Newton's own
  steps do the rest.
- Hundreds of parameters or more, two classes, and sparse or not so many samples: a Hessian costs as
  much as dozens of gradients. Let L-BFGS go most of the way, and conjugate gradients finish and
  certify. If the features are too nearly collinear for that, go on with factored Hessians, unless
  the samples are sparse (:class:`Mixed`).
- Otherwise: solve for the step by conjugate gradients, which only need products with the Hessian
  (:class:`Truncated`).

Under one l2 penalty after the other, from the strongest to the weakest (:func:`smooth_path`), what
is known of one minimum is used for the next. It is the start, or where the last two lead, and its
Hessian is the model of the next one: only the penalty's part changes, which is a diagonal and
known. L-BFGS corrects that model as it goes, so a step costs one pass over the samples. A Hessian
is formed anew when the steps since the last one have cost as much. Where a factor is dear next to a
pass, its diagonal does.
"""

import contextlib
import math
from typing import NamedTuple

import numpy as np

from litlearn._core import factors
from litlearn._core.parallel import single_threaded_blas

SUFFICIENT = 1e-4  # the share of the promised decrease that a step must bring
MAX_HALVINGS = 40
FARTHEST = 2.0**30  # a shortened step moves no score by more: halvings reach all lengths below
MAX_SCORE_STEP = 0.1  # at the end, the next step would move no sample's score by more than this
FAR = 15.0  # without a penalty, curvature is told from none while no score is larger
FARTHEST_START = 100.0  # with a penalty, a part's minimum is a start while no score is larger
EXACT = 1e-24  # a relative gap that no further step can improve in float64
MEMORY = 10  # pairs of steps and changes of the gradient that L-BFGS keeps
PATIENCE = 15  # steps of L-BFGS after which its model must have been wrong
FACTORED = 4000  # parameters up to which a Hessian is formed and factored
MAX_COPY = 2**30  # bytes of features up to which a copy in float32 is made
PART = 8  # a part of the samples is one eighth of them
MANY = 300  # parameters from which gradients are tried before the first Hessian of two classes
ROUGH = 1e-5  # the relative gap at which conjugate gradients take over from L-BFGS
NEARLY = 1e-6  # a relative gap that one more step with the same factor closes
FLAT = 1e-13  # curvature beside the preconditioner's that is rounding
REFINED = 1e-3  # to which they solve where a factor is only one of nearly the same matrix
RESIDUAL = 0.3  # to which they then solve for a step
CHEAP_HESSIAN = 2**18  # samples times parameters; three or four Hessians cost what the rest does
CHEAP = 2**16  # samples times parameters from which a product more or less is felt
NEAR = 30  # times the goal, from where one step that is solved for well should reach it
MOST_PRODUCTS = 2000  # with a Hessian, for one step
PASS = 4  # a budget of passes is worth about three Hessians: these run at ten times the speed
ROWS_PER_FEATURE = 8  # fewer samples than this a feature make a poor model
FACTORED_ON_PATH = 300  # parameters up to which the Hessian is factored anew for each penalty
# The gap asked for, over tol and the loss of coefficients that are zero. With a factor, a step more
# or two bring what Newton's method would.
SHARE = {True: 1e-8, False: 1e-3}
MOST = 100  # steps for one penalty; what is not reached then is left to the solver of one penalty


class Result(NamedTuple):
    """Where a solver ended, and what it knows about it."""

    v: np.ndarray
    state: NamedTuple  # the last one
    n_iter: int
    gap: float  # half the squared Newton decrement, relative to the loss
    slope: float  # along the next step
    moved: float  # the largest change of a score in the next step, about
    converged: bool
    separated: bool


class Goal(NamedTuple):
    """When to stop."""

    gap: float  # largest half squared decrement, relative to the loss
    gradient: float  # largest entry of the gradient
    max_iter: int
    penalised: bool  # a finite minimum is known to exist
    floor: float = 1e-300  # a gap is relative to the loss, or to this if that is more
    cautious: bool = False  # no step moves a score by much more than scores there are

    def reached(self, gap, norm, moved):
        """Tell whether to stop, given what the next step would move the scores by, about.

        The decrement speaks for the loss as far as the quadratic model holds. It holds where the
        curvature of each sample is about constant, that is, while no score moves far.
        """
        small = gap <= self.gap and norm <= self.gradient
        return (small or gap <= EXACT) and moved <= MAX_SCORE_STEP


def factor_hessian(H, refined=False):
    """Return the map g -> H^-1 g by Cholesky, for a Hessian that may be singular to rounding.

    g has as many entries as H has rows, in any shape, or as many rows.

    Rows and columns are scaled to a unit diagonal first. If the factorisation fails, or nearly so,
    a small multiple of the identity is added: steps are then shorter where the loss is flat. The
    line search and the certificate do not depend on it. If the steps are to be `refined`, conjugate
    gradients go on from there with H itself; then the map is not quite linear.
    """
    diagonal = np.diag(H)
    largest = diagonal.max()
    root = np.sqrt(np.where(diagonal > 1e-30 * largest, diagonal, max(largest, 1e-300)))
    scaled = H / root / root[:, np.newaxis]
    size = len(root)
    ridge = 0.0
    while True:
        factor = factors.cholesky(scaled, ridge)
        if factor is not None and np.diag(factor.L).min() ** 2 > 1e-13 * size:
            break
        if not ridge < 1e3 * size:
            raise FloatingPointError("the Hessian is beyond the range of float64")
        ridge = max(1e-11 * size, ridge * 10.0)

    def solve_scaled(columns):
        return factors.solve_factored(factor, columns)

    def solve(g):
        columns = g.reshape(size, -1) / root[:, np.newaxis]
        if refined and ridge > 0.0:
            found = conjugate_gradients(scaled.dot, solve_scaled, -columns, REFINED, 100).d
        else:
            found = solve_scaled(columns)
        return (found / root[:, np.newaxis]).reshape(g.shape)

    return solve


class Step(NamedTuple):
    """A step d that nearly solves H d = -g, and how nearly."""

    d: np.ndarray
    residual: np.ndarray  # -g - H d
    reached: bool  # whether the solver met its tolerance, and its caller was content
    n_products: int  # with H


def conjugate_gradients(product, precondition, g, rtol, max_iter=200, accept=None):
    """Solve H d = -g by preconditioned conjugate gradients; return a :class:`Step`.

    Stops when the preconditioned residual is below `rtol` times the one at the start, and
    ``accept(d, residual)`` is 1 or more. If it is less, that is the share to which the squared
    residual should still come down, though not below a hundredth at a time.
    """
    d = np.zeros_like(g)
    r = -g
    z = precondition(r)
    direction = z
    rz = length = float(np.vdot(r, z))
    target, n_products = rtol * rtol * rz, 0
    for _ in range(max_iter):
        if not rz > target:
            share = 1.0 if rz <= 0.0 or accept is None else accept(d, r)
            if share >= 1.0:
                break
            target = rz * max(share, 0.01)
            continue
        Hd = product(direction)
        n_products += 1
        curvature = float(np.vdot(direction, Hd))
        if not curvature > FLAT * length:
            break
        step = rz / curvature
        d = d + step * direction
        r = r - step * Hd
        z = precondition(r)
        rz, before = float(np.vdot(r, z)), rz
        direction = z + (rz / before) * direction
        length = rz + (rz / before) ** 2 * length  # direction.M direction, as they are orthogonal
    return Step(d, r, not rz > target, n_products)


def certified_step(F, state, precondition, rtol, goal, most=None):
    """Solve for a Newton step, and near the goal so well that the decrement is a bound.

    `most` products with the Hessian may be taken; None: as suits the size of the loss.

    Returns
    -------
    step : Step
    deficit : callable
        Without arguments. At most so much is -g.d below g.H^-1 g, the squared decrement,
        :eq:`eq-newton-step`. It costs a product with the Hessian, if there is an intercept.
    """
    most_gain = goal.gap * 2.0 * max(state.value, 1e-300)
    small = np.abs(state.gradient).max() <= goal.gradient

    def accept(d, r):
        # At the goal the bound has to be below it, too. One step before, the next one should be.
        gain = -float(np.vdot(state.gradient, d))
        if gain > NEAR * most_gain:
            return 1.0
        if gain > most_gain or not small:
            return most_gain / max(F.bound(r), 1e-300)
        return (most_gain - gain) / max(F.deficit(state, d, r), 1e-300)

    if most is None:
        most = min(max(200, 2 * min(F.n, state.v.size)), MOST_PRODUCTS)
    proved = small and 0.0 < F.bound(state.gradient) <= most_gain
    if proved and F.n * state.v.size > CHEAP:
        rtol = 0.99  # the step before was solved for so well that a product or two will do
    step = conjugate_gradients(
        lambda x: F.product(state, x), precondition, state.gradient, rtol, most, accept
    )
    if not step.reached and not F.certifies:
        return step, lambda: np.inf
    return step, lambda: F.deficit(state, step.d, step.residual)


def line_search(suffices, t):
    """Halve the length t of a step until ``suffices(t)``, :eq:`eq-line-search`; 0 if it never does.

    A trial costs O(n), no pass over the features: the scores are linear in t.
    """
    for _ in range(MAX_HALVINGS):
        if suffices(t):
            return t
        t *= 0.5
    return 0.0


def extrapolation(prices):
    """Return how far to go on after three prices, as a multiple of the way between the first two.

    The way is taken in the logarithm. Weak penalties leave the direction of the coefficients alone,
    and stretch them by as much each time.
    """
    first, second, third = prices
    return math.log(third / second) / (math.log(second / first) or math.inf)


def advance(F, state, d, slope, most=np.inf):
    """Take the step d, or the part of it that the line search allows, and that moves no score far.

    Returns the new state, or None if nothing brings a decrease, and the change of the scores by
    the whole step. No score moves by more than `most`.
    """
    new = F.evaluate(state.v + d)
    step = new.scores - state.scores
    length = float(np.abs(step).max())
    rounding = (1e-14 if new.scores.dtype == np.float64 else 1e-7) * abs(state.value)
    if length > most or not new.value <= state.value + SUFFICIENT * slope + rounding:

        def suffices(t):
            value = F.value_along(state, step, d, t)
            return value <= state.value + SUFFICIENT * t * slope

        # Where samples have a slope and no curvature left, a step may be of any length.
        longest = most if length > most else 0.5 * min(length, FARTHEST)
        t = line_search(suffices, longest / max(length, 1e-300))
        new = F.evaluate(state.v + t * d) if t > 0.0 else None
    return new, step


def reach(F, state, d):
    """Return the largest change of a score by the step d, at the cost of a pass.

    A few samples that could be moved for ever hardly count among the gains, from which the change
    is estimated otherwise.
    """
    return float(np.abs(F.evaluate(state.v + d).scores - state.scores).max())


def iterate(F, state, direction, goal, report=None, past=None):
    """Step until the goal is reached: what the solvers share.

    `direction` is a :class:`Direction`; `past` is the result of a run before that ended at the
    state, if there was one.
    """
    n_iter, separated = 0, False
    moved, last_slope = (past.moved, past.slope) if past else (np.inf, None)
    if not (np.isfinite(state.value) and np.isfinite(state.gradient).all()):
        raise FloatingPointError("the loss is beyond the range of float64")
    while True:
        d, deficit = direction(state)
        slope = float(np.vdot(state.gradient, d))
        if not slope < 0.0:
            d, slope = -state.gradient, -float(np.vdot(state.gradient, state.gradient))
        if last_slope is not None:  # the next step is to the last one as the roots of their gains
            moved *= np.sqrt(slope / last_slope) if last_slope < 0.0 else 1.0
        # <certificate>: half the squared decrement is what another step could gain.
        scale, norm = 0.5 / max(state.value, goal.floor), float(np.abs(state.gradient).max())
        gap, last = -scale * slope, n_iter >= goal.max_iter
        if deficit is not None and (last or goal.reached(gap, norm, moved)):
            gap += scale * deficit()
        if not goal.penalised and goal.reached(gap, norm, 0.0):
            moved = reach(F, state, d)
        if goal.reached(gap, norm, moved):
            # The step that proves it is taken too: it costs nothing, and squares the error.
            return Result(state.v + d, state, n_iter, gap, slope, moved, True, False)
        if last or (separated and norm <= goal.gradient):
            return Result(state.v, state, n_iter, gap, slope, moved, False, separated)
        # <step>: the whole step is nearly always right. If not, it is halved.
        most = FAR + float(np.abs(state.scores).max()) if goal.cautious else np.inf
        new, step = advance(F, state, d, slope, most)
        if new is None:
            return Result(state.v, state, n_iter, gap, slope, moved, False, separated)
        direction.observe(state, new)
        if not goal.penalised:
            separated = F.separates(new, step)
        n_iter, state, last_slope = n_iter + 1, new, slope
        moved = float(np.abs(step).max())
        if report is not None:
            report(n_iter, state)


class Direction:
    """A way to the next step, from the state where the solver is.

    A call with the state returns the step, and a function that says how much of the true decrement
    is missing in that of the step, or None if nothing is.
    """

    def observe(self, old, new):
        """See a step that was taken."""


class Factored(Direction):
    """Newton's method: the step solves H d = -g by a factor of the Hessian."""

    def __init__(self, F):
        self.F, self.solve, self.near = F, None, False

    def __call__(self, state):
        # A factor serves once more near the end, and the next Hessian is not formed. If that was
        # not the end, the curvature changed.
        if not self.near:
            self.solve = factor_hessian(self.F.hessian(state), refined=True)
        d = -self.solve(state.gradient)
        self.near = not self.near and -np.vdot(state.gradient, d) <= NEARLY * 2.0 * state.value
        return d, None


class Truncated(Direction):
    """Newton's method: the step solves H d = -g by conjugate gradients, about."""

    def __init__(self, F, goal):
        self.F, self.goal = F, goal

    def __call__(self, state):
        # The nearer the minimum, the more exactly the step is worth solving for.
        rtol = min(0.1, np.sqrt(np.abs(state.gradient).max()))
        model = self.F.diagonal(state)
        step, deficit = certified_step(self.F, state, model, rtol, self.goal)
        return step.d, deficit


class QuasiNewton(Direction):
    """L-BFGS: a model of the Hessian, `precondition` maps g to H^-1 g, about, corrected by pairs.

    These are the last steps and changes of the gradient, by the two loops of Nocedal (1980).
    """

    def __init__(self, precondition):
        self.precondition, self.pairs = precondition, []

    def __call__(self, state):
        return self.inverse(-state.gradient), None

    def inverse(self, g):
        """Return H^-1 g, about."""
        return two_loops(g, self.pairs, self.precondition)

    def observe(self, old, new):
        remember(self.pairs, new.v - old.v, new.gradient - old.gradient)


class Mixed(QuasiNewton):
    """L-BFGS most of the way, and Newton's steps by conjugate gradients for the rest.

    What L-BFGS says of the gap is only as good as its model of the Hessian, which is a diagonal and
    a few pairs here. So the certificate is left to conjugate gradients, for which that model is a
    good preconditioner. Together they may use about as many passes over the data as three Hessians
    cost. A step for which that is not enough is found by factoring, after a call of `threads`.
    """

    def __init__(self, F, state, goal, threads):
        super().__init__(F.diagonal(state))
        self.F, self.goal, self.threads = F, goal, threads
        self.limited = not F.sparse and hessian_is_affordable(F, state.v.size)
        budget = max(10, int(F.hessian_cost(state.v.size) / (PASS * F.n * F.p)))
        first = min(budget, goal.max_iter // 2)
        self.left, self.least, self.rough = budget, budget - first, first > 0

    def __call__(self, state):
        if self.rough:
            d, _ = super().__call__(state)
            gain = -float(np.vdot(state.gradient, d))
            self.left -= 1
            enough = gain <= 2.0 * max(self.goal.gap, ROUGH) * state.value
            self.rough = self.left > self.least and not enough
            return d, lambda: np.inf
        if self.left > 0 or not self.limited:
            most = self.left if self.limited else None
            step, deficit = certified_step(self.F, state, self.inverse, RESIDUAL, self.goal, most)
            self.left -= step.n_products
            if step.reached or not self.limited:
                return step.d, deficit
        self.threads()
        return -factor_hessian(self.F.hessian(state), refined=True)(state.gradient), None

    def observe(self, old, new):
        if self.rough:
            super().observe(old, new)


def two_loops(g, pairs, precondition):
    """Return H^-1 g, about, for a model of H^-1 that the pairs correct: Nocedal (1980)."""
    d, weights = g, []
    for s, y, sy in reversed(pairs):
        a = float(np.vdot(s, d)) / sy
        weights.append(a)
        d = d - a * y
    d = precondition(d)
    for (s, y, sy), a in zip(pairs, reversed(weights), strict=True):
        d = d + (a - float(np.vdot(y, d)) / sy) * s
    return d


def remember(pairs, s, y):
    """Keep a step s and the change y of the gradient, if the loss bends along the step."""
    sy = float(np.vdot(s, y))
    if sy > 1e-16 * float(np.vdot(s, s)) ** 0.5 * float(np.vdot(y, y)) ** 0.5:
        pairs.append((s, y, sy))
        del pairs[:-MEMORY]


def minimise(F, v, goal, report=None, factored=None):
    """Minimise a loss from v on, in the way that suits its size.

    Parameters
    ----------
    F : Objective
        What to minimise.
    v : ndarray
        Standardised parameters at the start.
    goal : Goal
        When to stop.
    report : callable or None
        Called after each step with its number and the state.
    factored : bool or None
        True: always factor the Hessian. False: always conjugate gradients. None: as suits.

    Returns
    -------
    Result
    """
    if not goal.penalised and np.any(v):
        goal = goal._replace(cautious=True)
        if not is_near(F.evaluate(v)):
            v = np.zeros_like(v)
    if factored is not None:
        return newton(F, v, goal, report, factored)
    # A part must have more samples than parameters, and several times more than features.
    stride = min(PART, F.n // (ROWS_PER_FEATURE * F.width), F.n // (2 * v.size))
    large, formed = F.n * F.p > 2**16, not F.sparse and F.width <= FACTORED
    if stride >= 3 and large and formed:
        return from_part(F, v, goal, report, stride)
    if F.q == 1 and v.size > MANY and large:
        return by_gradients(F, v, goal, report)
    if not F.sparse and hessian_is_affordable(F, v.size):
        return newton(F, v, goal, report)
    if F.q > 1 and formed and F.width <= 2 * F.n:
        state = F.evaluate(v)
        found = iterate(F, state, QuasiNewton(F.model(state)), brief(goal), report)
        return finish_by_newton(F, found, v, goal, report)
    return newton(F, v, goal, report, factored=False)


def newton(F, v, goal, report=None, factored=True):
    """Newton's method, by Cholesky or by conjugate gradients."""
    direction = Factored(F) if factored else Truncated(F, goal)
    return iterate(F, F.evaluate(v), direction, goal, report)


def by_gradients(F, v, goal, report=None):
    """Gradients most of the way; as long as no Hessian is factored, BLAS needs no threads."""
    with contextlib.ExitStack() as limit:
        limit.enter_context(single_threaded_blas())
        state = F.evaluate(v)
        return iterate(F, state, Mixed(F, state, goal, limit.close), goal, report)


def hessian_is_affordable(F, size):
    """Tell whether to form the Hessian in so many parameters at each step.

    For two classes that is one product of the features with themselves. For more it is one for
    each pair of classes, and conjugate gradients with a good model need far less.
    """
    cost = F.hessian_cost(size)
    if F.q > 1:
        return cost < 1e8
    return size <= FACTORED and (cost < 2e9 or (cost < 1e11 and size <= F.n))


def brief(goal):
    """The same goal for a run of L-BFGS, which either converges soon or has the wrong model."""
    return goal._replace(max_iter=min(goal.max_iter, PATIENCE))


def finish_by_newton(F, found, start, goal, report):
    """Return what was found, if that is the goal; if not, go on from there with Newton's method.

    Without a penalty the minimum may be infinitely far. The steps of a model that was fixed before
    shrink with the gradient there, as they do near a minimum, and Newton's do not. So his method
    has the last word, from `start` on if a score is so large that its curvature is lost.
    """
    if found.separated or (found.converged and goal.penalised):
        return found
    if found.n_iter >= goal.max_iter and not found.converged:
        return found
    v = found.v if goal.penalised or is_near(found.state) else start
    rest = goal._replace(max_iter=goal.max_iter - found.n_iter)
    result = newton(F, v, rest, report, hessian_is_affordable(F, v.size))
    return result._replace(n_iter=found.n_iter + result.n_iter)


def is_near(state):
    """Tell whether no score is so large that, without a penalty, curvature is lost in rounding."""
    return bool(np.abs(state.scores).max() < FAR)


def is_start(F, state, goal):
    """Tell whether a minimum over a part of the samples is worth starting from."""
    if goal.penalised:
        return bool(np.abs(state.scores).max() < FARTHEST_START)
    return is_near(F.evaluate(state.v))


def from_part(F, v, goal, report, stride):
    """Minimise over every stride-th sample first, then over all, with the part's Hessian.

    The part's minimum misses the whole's by its sampling error: in the loss, about the number of
    parameters over twice the number of samples. There is no point in finding it better than that.
    """
    part, state = F.part(stride), None
    if part is not None:
        part = part.in_single() if F.q > 1 else part
        noise = v.size / (2.0 * part.n)
        found = minimise(part, v, Goal(0.1 * noise, np.inf, goal.max_iter, True))
        state = part.evaluate(found.v) if found.converged else None
    if state is None or not is_start(F, state, goal):
        return newton(F, v, goal, report, hessian_is_affordable(F, v.size))
    # Where some samples begin on the wrong side, and it is steep, a step may lead them to where
    # their curvature is lost in rounding. With a penalty there is a way back.
    goal = goal._replace(cautious=not goal.penalised)
    if F.q == 1 and F.n * F.p <= CHEAP_HESSIAN:
        return newton(F, state.v, goal, report)
    direction, goal_now = QuasiNewton(part.model(state)), brief(goal)
    if F.q == 1 or F.matrix.X.nbytes > MAX_COPY:
        found = iterate(F, F.evaluate(state.v), direction, goal_now, report)
        return finish_by_newton(F, found, v, goal, report)
    # <single>: most of the way in float32, the last of it, and the certificate, in float64.
    nearly = goal_now._replace(gap=max(goal.gap, 1e-9), gradient=max(goal.gradient, 1e-6))
    single = F.in_single()
    found = iterate(single, single.evaluate(state.v), direction, nearly, report)
    rest = goal_now._replace(max_iter=goal_now.max_iter - found.n_iter)
    state = F.evaluate(found.v)
    result = iterate(F, state, direction, rest, report, found)
    result = result._replace(n_iter=found.n_iter + result.n_iter)
    return finish_by_newton(F, result, v, goal, report)


# ---------------------------------------------------------------------------------------------
# One penalty after the other


def smooth_path(F, v, alphas, tol, max_iter):
    """Minimise a loss under each penalty, :eq:`eq-logistic-penalized`.

    Parameters
    ----------
    F : Objective
        Made with the smallest of the penalties. Its penalty is changed.
    v : ndarray
        Standardised parameters to start from.
    alphas : ndarray
        Penalties, positive and falling.
    tol, max_iter
        As of :class:`LogisticRegression`, for each penalty.

    Yields
    ------
    v : ndarray
        Standardised parameters.
    n_iter : int
    converged : bool
    """
    state, model, before, found = F.evaluate(v), PathModel(F, v.size), None, None
    plain = np.log(max(2, F.q))  # the loss of coefficients that are zero
    share = SHARE[model.factored] * tol
    goal = Goal(share, tol, min(MOST, max_iter), True, floor=plain)
    for k, alpha in enumerate(alphas):
        state, past = model.repenalise(state, alpha * F.scale**2), state.v
        if k > 1:
            state = extrapolate_path(F, state, before, alphas[k - 2 : k + 1])
        before = past
        found = iterate(F, state, model, goal, past=found)
        v, n_iter, state = found.v, found.n_iter, found.state
        if not found.converged and n_iter < max_iter:
            found = minimise(F, v, Goal(1e-3 * tol, tol, max_iter - n_iter, True))
            v, n_iter, state = found.v, n_iter + found.n_iter, F.evaluate(found.v)
        yield v, n_iter, found.converged


def extrapolate_path(F, state, before, alphas):
    """Begin where parameters lead that go on in the logarithm of the penalty, if that is better."""
    trial = F.evaluate(state.v + extrapolation(alphas) * (state.v - before))
    return trial if trial.value < state.value else state


class PathModel(QuasiNewton):
    """What is known of the Hessian of a loss: a factor or a diagonal, and pairs that correct it."""

    def __init__(self, F, size):
        super().__init__(None)
        self.F = F
        self.factored = not F.sparse and size <= FACTORED_ON_PATH
        self.hessian = None  # the Hessian without its penalty, if it is formed
        # In steps: since it was formed, and how many cost as much.
        self.age, self.lifetime = 0, max(1, int(F.hessian_cost(size) / (PASS * F.n * size)))

    def repenalise(self, state, ridge):
        """Change the penalty; return the state under the new one, which needs no pass."""
        F, change = self.F, np.append(ridge - self.F.ridge, 0.0)
        F.ridge, F.certifies = ridge, bool(ridge.min() > 1e-14)
        # <repenalise>: Of value, gradient and pairs, the penalty's part is known.
        value = state.value + 0.5 * float(np.sum(change * state.v**2))
        gradient, known = state.gradient + change * state.v, self.pairs.copy()
        self.pairs.clear()
        for s, y, _ in known:
            remember(self.pairs, s, y + change * s)
        state = state._replace(value=value, gradient=gradient)
        self.renew(state)
        return state

    def renew(self, state):
        """Make the part of the model that the pairs correct, for the penalty of now."""
        if not self.factored:
            # Of several classes, the diagonal of dense samples is a factor for each class.
            self.precondition = self.F.diagonal(state)
            return
        ridge = np.diag(np.tile(np.append(self.F.ridge, 0.0), self.F.q))
        if self.hessian is None or self.age >= self.lifetime:
            self.hessian, self.age = self.F.hessian(state) - ridge, 0
            self.pairs.clear()
        self.precondition = factor_hessian(self.hessian + ridge)

    def observe(self, old, new):
        super().observe(old, new)
        self.age += 1
        if self.factored and self.age >= self.lifetime:
            self.renew(new)
