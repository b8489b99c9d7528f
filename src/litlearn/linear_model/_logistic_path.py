r"""Logistic regression under one l2 penalty after the other, from the strongest to the weakest.

What is known of one minimum is used for the next. It is the start, or where the last two lead, and
its Hessian is the model of the next one: only the penalty's part changes, which is a diagonal and
known. L-BFGS corrects that model as it goes, so a step costs one pass over the samples. A Hessian
is formed anew when the steps since the last one have cost as much. Where a factor is dear next to a
pass, its diagonal does.
"""

import numpy as np

from litlearn._jit import njit
from litlearn.linear_model._newton import (
    MEMORY,
    PASS,
    Goal,
    advance,
    factor_hessian,
    minimise,
)

FACTORED = 300  # parameters up to which the model of the Hessian is factored for each penalty
# The gap asked for, over tol and the loss of coefficients that are zero. With a factor, a step more
# or two bring what Newton's method would.
SHARE = {"factor": 1e-8, "diagonal": 1e-3}
MOVED = 1.0  # a gap is believed if the next step moves no sample's score by more than this
MOST = 100  # steps for one penalty; what is not reached then is left to the solver of one penalty


@njit(reassociate=True)
def before_model(S, Y, growth, d, weights):
    """First loop of Nocedal (1980), in place of d (m,): pairs S, Y (k, m), weights (k,) output."""
    for i in range(len(S) - 1, -1, -1):
        total = 0.0
        for j in range(d.size):
            total += S[i, j] * d[j]
        weights[i] = total / growth[i]
        for j in range(d.size):
            d[j] -= weights[i] * Y[i, j]


@njit(reassociate=True)
def after_model(S, Y, growth, d, weights):
    """Second loop, after the model has been applied to d."""
    for i in range(len(S)):
        total = 0.0
        for j in range(d.size):
            total += Y[i, j] * d[j]
        for j in range(d.size):
            d[j] += (weights[i] - total / growth[i]) * S[i, j]


def smooth_path(loss, v, alphas, limits):
    """Minimise a loss under each penalty, :eq:`eq-logistic-penalized`.

    Parameters
    ----------
    loss : BinaryLoss or MultinomialLoss
        Made with the smallest of the penalties. Its penalty is changed.
    v : ndarray
        Standardised parameters to start from.
    alphas : ndarray
        Penalties, positive and falling.
    limits : float and int
        `tol` and `max_iter` of :class:`LogisticRegression`.

    Yields
    ------
    v : ndarray
        Standardised parameters.
    n_iter : int
    converged : bool
    """
    tol, max_iter = limits
    n_classes = 2 if v.ndim == 1 else len(v)
    state, model = loss.evaluate(v), Model(loss, v.size)
    goal = Goal(SHARE[model.kind] * tol, tol, max_iter, True)
    if not (np.isfinite(state.value) and np.isfinite(state.gradient).all()):
        raise FloatingPointError("the loss is beyond the range of float64")
    before = None
    for k, alpha in enumerate(alphas):
        state, past = model.repenalise(state, alpha * loss.scale**2), state.v
        if k > 1:
            state = leap(loss, state, before, alphas[k - 2 : k + 1])
        before = past
        state, d, n_iter, reached = descend(loss, state, model, goal, goal.gap * np.log(n_classes))
        v = state.v + d
        if not reached and n_iter < max_iter:
            found = minimise(loss, state.v, Goal(1e-3 * tol, tol, max_iter - n_iter, True))
            v, n_iter, reached = found.v, n_iter + found.n_iter, found.converged
            state = loss.evaluate(v)
        yield v, n_iter, reached


def leap(loss, state, before, alphas):
    """Begin where parameters lead that go on in the logarithm of the penalty, if that is better."""
    last, share = state.v, log_ratio(alphas[1:]) / (log_ratio(alphas[:2]) or np.inf)
    trial = loss.evaluate(last + share * (last - before))
    return trial if trial.value < state.value else state


def log_ratio(pair):
    return float(np.log(pair[1] / pair[0]))


def descend(loss, state, model, goal, gap):
    """Step until half the squared decrement is at most `gap`, and the gradient as small as asked.

    Returns the last state, the step that proves it (zero if nothing does), the number of steps
    before it, and whether the goal is reached.
    """
    most = min(MOST, goal.max_iter)
    for n_iter in range(most + 1):
        d, state = model.step(state)
        slope, new = float(np.vdot(state.gradient, d)), None
        norm = float(np.abs(state.gradient).max())
        if -0.5 * slope <= gap and norm <= goal.gradient and model.moves(slope) <= MOVED:
            return state, d, n_iter, True
        if n_iter < most and slope < 0.0:
            new, change = advance(loss, state, d, slope)
        if new is None:
            return state, np.zeros_like(d), n_iter, False
        model.learn(state, new, slope, change)
        state = new


class Model:
    """What is known of the Hessian of a loss: a factor or a diagonal, and pairs that correct it."""

    def __init__(self, loss, size):
        self.loss, self.solve = loss, None
        self.kind = "diagonal" if loss.sparse or size > FACTORED else "factor"
        # Steps, changes of the gradient, newest last, and the products of the two.
        self.S = self.Y = np.empty((0, size))
        self.growth = np.empty(0)
        self.bend = None  # the Hessian without its penalty, if it is formed
        self.last = None  # slope of the last step, and by how much it moved the scores
        self.age = self.lifetime = 0  # in steps

    def repenalise(self, state, ridge):
        """Change the penalty; return the state under the new one, which needs no pass."""
        loss, coef = self.loss, state.v[..., :-1]
        change, loss.ridge = ridge - loss.ridge, ridge
        loss.certifies, self.solve = bool(ridge.min() > 1e-14), None
        # <repenalise>: Of value, gradient and pairs, the penalty's part is known.
        gradient = state.gradient.copy()
        gradient[..., :-1] += change * coef
        value = state.value + 0.5 * float(np.sum(change * coef**2))
        Y = self.Y + self.S * self._flat(state.v, change)
        growth = np.einsum("ij,ij->i", self.S, Y)
        good = growth > 1e-16 * np.sqrt((self.S**2).sum(axis=1) * (Y**2).sum(axis=1))
        self.S, self.Y, self.growth = self.S[good], Y[good], growth[good]
        return state._replace(value=value, gradient=gradient)

    @staticmethod
    def _flat(v, ridge):
        """The diagonal that a penalty adds to the Hessian in parameters like v."""
        return np.broadcast_to(np.append(ridge, 0.0), v.shape).ravel()

    def step(self, state):
        """Return the step to the minimum of the model, and the state."""
        if self.solve is None or self.age >= self.lifetime:
            state = self._renew(state)
        d, weights = -state.gradient.ravel(), np.empty(len(self.S))
        before_model(self.S, self.Y, self.growth, d, weights)
        d = self.solve(d.reshape(state.v.shape)).ravel()
        after_model(self.S, self.Y, self.growth, d, weights)
        return d.reshape(state.v.shape), state

    def _renew(self, state):
        """Make the part of the model that the pairs correct; return the state."""
        loss, size = self.loss, state.v.size
        if self.kind == "diagonal":
            # Of several classes, the diagonal of dense samples is a factor for each class.
            self.solve, self.age, self.lifetime = loss.diagonal(state), 0, MOST
            return state
        self.lifetime = max(1, int(loss.hessian_cost(size) / (PASS * loss.n * size)))
        ridge = np.diag(self._flat(state.v, loss.ridge))
        if self.bend is None or self.age >= self.lifetime:
            state = loss.evaluate(state.v, hessian=True)
            self.bend, self.age = state.hessian - ridge, 0
            self.S, self.Y, self.growth = self.S[:0], self.Y[:0], self.growth[:0]
        self.solve = factor_hessian(self.bend + ridge)
        return state

    def moves(self, slope):
        """Return by how much the next step would move the scores, about: as its gain's root."""
        return self.last[1] * np.sqrt(slope / self.last[0]) if self.last else np.inf

    def learn(self, old, new, slope, change):
        """Keep what a step has told."""
        self.last, self.age = (slope, float(np.abs(change).max())), self.age + 1
        s, y = (new.v - old.v).ravel(), (new.gradient - old.gradient).ravel()
        growth = float(s @ y)
        if growth > 1e-16 * float(s @ s) ** 0.5 * float(y @ y) ** 0.5:
            first = max(0, len(self.S) + 1 - MEMORY)
            self.S = np.concatenate((self.S[first:], s[None]))
            self.Y = np.concatenate((self.Y[first:], y[None]))
            self.growth = np.concatenate((self.growth[first:], (growth,)))
