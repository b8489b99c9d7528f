r"""Newton's method for smooth losses, with a line search and a certificate.

At a point v with gradient g and Hessian H, the loss looks like F(v) + g.d + d.H d / 2 for a step d.
The step that minimises this is d = -H^-1 g, :eq:`eq-newton-step`. It lowers the model by half of
lambda^2 = g.H^-1 g, the squared *Newton decrement*. That number tells how far the loss is above its
minimum, whatever the units of the features. It is what the solver stops on.

The step comes from a Cholesky factorisation of H, or, where H is too large, from conjugate
gradients, which only need products with H.
"""

from typing import NamedTuple

import numpy as np

SUFFICIENT = 1e-4  # the share of the promised decrease that a step must bring
MAX_HALVINGS = 40
MAX_SCORE_STEP = 0.5  # without a penalty, no sample's score may still move by more than this


class Result(NamedTuple):
    """Where a solver ended, and what it knows about it."""

    v: np.ndarray
    value: float
    n_iter: int
    gap: float  # half the squared Newton decrement, relative to the loss
    gradient_norm: float
    converged: bool
    separated: bool


def cholesky_direction(H, g):
    """Return -H^-1 g, for a Hessian that may be singular to rounding.

    The rows and columns are scaled to a unit diagonal first. If the factorisation fails, or nearly
    so, a small multiple of the identity is added: the step is then a bit shorter where the loss is
    flat, and the line search and the certificate do not depend on it.
    """
    from scipy.linalg import cho_solve
    from scipy.linalg.lapack import dpotrf

    diagonal = np.diag(H).copy()
    largest = diagonal.max()
    root = np.sqrt(np.where(diagonal > 1e-30 * largest, diagonal, max(largest, 1e-300)))
    scaled = H / root / root[:, np.newaxis]
    ridge = 0.0
    while True:
        matrix = scaled.copy()
        matrix[np.diag_indices_from(matrix)] += ridge
        factor, info = dpotrf(matrix, lower=1, overwrite_a=1, clean=0)
        pivots = np.diag(factor)
        if info == 0 and pivots.min() ** 2 > 1e-13 * len(g):
            return -cho_solve((factor, True), g / root, check_finite=False) / root
        ridge = max(1e-11 * len(g), ridge * 10.0)


def conjugate_gradients(product, precondition, g, rtol, max_iter):
    """Return d with H d close to -g, by preconditioned conjugate gradients.

    Stops when the preconditioned residual is below `rtol` times the one at the start.
    """
    d = np.zeros_like(g)
    r = -g
    z = precondition(r)
    direction = z
    rz = float(np.vdot(r, z))
    target = rtol * rtol * rz
    n = 0
    while n < max_iter and rz > target and rz > 0.0:
        Hd = product(direction)
        bend = float(np.vdot(direction, Hd))
        if bend <= 1e-300:
            break
        step = rz / bend
        d = d + step * direction
        r = r - step * Hd
        z = precondition(r)
        rz, before = float(np.vdot(r, z)), rz
        direction = z + (rz / before) * direction
        n += 1
    return (d if n else z), n


def line_search(loss, state, step, d, slope):
    """Halve t until v + t d brings a fair share of the promised decrease, :eq:`eq-line-search`.

    Costs O(n) a trial: the scores are linear in t.
    """
    t = 0.5
    for _ in range(MAX_HALVINGS):
        value = loss.value_along(state, step, d, t)
        if value <= state.value + SUFFICIENT * t * slope:
            return t
        t *= 0.5
    return 0.0


def minimise(loss, v, *, tol, max_iter, use_hessian, penalised, report=None):
    """Minimise a loss from v on, by Newton steps.

    Parameters
    ----------
    loss : BinaryLoss or MultinomialLoss
        What to minimise.
    v : ndarray
        Standardised parameters at the start.
    tol : float
        Tolerance of the largest entry of the gradient; the decrement must fall below 1e-4 times
        `tol`, relative to the loss.
    max_iter : int
        Most steps.
    use_hessian : bool
        Form and factor the Hessian; otherwise conjugate gradients.
    penalised : bool
        Whether a finite minimum is known to exist.
    report : callable or None
        Called after each step with the number of the step and the state.

    Returns
    -------
    Result
    """
    extra = {"hessian": True} if use_hessian else {}
    state = loss.evaluate(v, **extra)
    moved = np.inf
    stuck = False
    n_iter = 0
    while True:
        # <direction>: the Newton step, by factorisation or by conjugate gradients.
        g = state.gradient
        norm = float(np.abs(g).max())
        if state.hessian is not None:
            d = cholesky_direction(state.hessian, g)
        else:
            rtol = min(0.1, np.sqrt(norm))
            d, _ = conjugate_gradients(
                lambda x, state=state: loss.product(state, x),
                loss.preconditioner(state),
                g,
                rtol,
                200,
            )
        slope = float(np.vdot(g, d))
        if not slope < 0.0:
            d, slope = -g, -float(np.vdot(g, g))
        # <certificate>: half the squared decrement is what another step could gain.
        gap = -0.5 * slope / max(state.value, 1e-300)
        small = gap <= 1e-4 * tol and norm <= tol
        if small and (penalised or moved <= MAX_SCORE_STEP):
            # The step that proves it is taken too: it costs nothing, and squares the error.
            return Result(state.v + d, state.value, n_iter, gap, norm, True, False)
        if n_iter >= max_iter or stuck:
            separated = not penalised and moved > MAX_SCORE_STEP
            return Result(state.v, state.value, n_iter, gap, norm, False, separated)
        # <step>: try the whole step; it is nearly always right. If not, halve it.
        new = loss.evaluate(state.v + d, **extra)
        n_iter += 1
        step = new.scores - state.scores
        moved = float(np.abs(step).max())
        slack = 1e-14 * abs(state.value)
        if not new.value <= state.value + SUFFICIENT * slope + slack:
            t = line_search(loss, state, step, d, slope)
            stuck = t == 0.0
            if not stuck:
                new = loss.evaluate(state.v + t * d, **extra)
            else:
                new = state
        state = new
        if report is not None:
            report(n_iter, state)
        if not penalised and loss.separates(state, step):
            if norm <= tol or n_iter >= max_iter:
                g = float(np.abs(state.gradient).max())
                return Result(state.v, state.value, n_iter, gap, g, False, True)
