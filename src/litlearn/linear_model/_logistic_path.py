r"""Logistic regression under one l2 penalty after the other, from the strongest to the weakest.

What is known of one minimum is used for the next. It is the start, or where the last two lead, and
its Hessian is the model of the next one: only the penalty's part changes, which is a diagonal and
known. L-BFGS corrects that model as it goes, so a step costs one pass over the samples. A Hessian
is formed anew when the steps since the last one have cost as much. Where a factor is dear next to a
pass, its diagonal does.
"""

import numpy as np

from litlearn.linear_model._newton import (
    PASS,
    Goal,
    extrapolation,
    factor_hessian,
    minimise,
    quasi_newton,
    remember,
)

FACTORED = 300  # parameters up to which the model of the Hessian is factored for each penalty
# The gap asked for, over tol and the loss of coefficients that are zero. With a factor, a step more
# or two bring what Newton's method would.
SHARE = {True: 1e-8, False: 1e-3}
MOST = 100  # steps for one penalty; what is not reached then is left to the solver of one penalty


def smooth_path(loss, v, alphas, limits):
    """Minimise a loss under each penalty, :eq:`eq-logistic-penalized`.

    Parameters
    ----------
    loss : Loss
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
    state, model, before, found = loss.evaluate(v), Model(loss, v.size), None, None
    plain = np.log(max(2, loss.q))  # the loss of coefficients that are zero
    share = SHARE[model.factored] * tol
    goal = Goal(share, tol, min(MOST, max_iter), True, floor=plain)
    for k, alpha in enumerate(alphas):
        state, past = model.repenalise(state, alpha * loss.scale**2), state.v
        if k > 1:
            state = extrapolate_path(loss, state, before, alphas[k - 2 : k + 1])
        before = past
        found = quasi_newton(loss, state, model, goal, model.follow, model.pairs, found)
        v, n_iter, state = found.v, found.n_iter, found.state
        if not found.converged and n_iter < max_iter:
            found = minimise(loss, v, Goal(1e-3 * tol, tol, max_iter - n_iter, True))
            v, n_iter, state = found.v, n_iter + found.n_iter, loss.evaluate(found.v)
        yield v, n_iter, found.converged


def extrapolate_path(loss, state, before, alphas):
    """Begin where parameters lead that go on in the logarithm of the penalty, if that is better."""
    trial = loss.evaluate(state.v + extrapolation(alphas) * (state.v - before))
    return trial if trial.value < state.value else state


class Model:
    """What is known of the Hessian of a loss: a factor or a diagonal, and pairs that correct it."""

    def __init__(self, loss, size):
        self.loss, self.solve, self.pairs = loss, None, []
        self.factored = not loss.sparse and size <= FACTORED
        self.hessian = None  # the Hessian without its penalty, if it is formed
        # In steps: since it was formed, and how many cost as much.
        self.age, self.lifetime = 0, max(1, int(loss.hessian_cost(size) / (PASS * loss.n * size)))

    def repenalise(self, state, ridge):
        """Change the penalty; return the state under the new one, which needs no pass."""
        loss, change = self.loss, np.append(ridge - self.loss.ridge, 0.0)
        loss.ridge, loss.certifies = ridge, bool(ridge.min() > 1e-14)
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
            self.solve = self.loss.diagonal(state)
            return
        ridge = np.diag(np.tile(np.append(self.loss.ridge, 0.0), self.loss.q))
        if self.hessian is None or self.age >= self.lifetime:
            self.hessian, self.age = self.loss.hessian(state) - ridge, 0
            self.pairs.clear()
        self.solve = factor_hessian(self.hessian + ridge)

    def __call__(self, g):
        return self.solve(g)

    def follow(self, n_iter, state):
        """Note a step; form the Hessian anew if it is time."""
        self.age += 1
        if self.factored and self.age >= self.lifetime:
            self.renew(state)
