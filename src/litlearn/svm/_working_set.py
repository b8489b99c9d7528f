"""The solver of the quadratic programmes: working sets outside, pairs of variables inside.

Most variables end at a bound, and need not be looked at in every step. So the solver chooses a
*working set*, computes its Gram matrix, minimises over it two variables at a time
(`litlearn.svm._smo`), and then brings the gradients of all others up to date by one product. The
set holds the variables between their bounds and those that violate the optimality conditions most
(Joachims 1999; Fan, Chen and Lin 2005).

The first part of the way is in float32. What ends the solver is one condition in float64: no
variable that may fall has a gradient above that of a variable of its group that may rise, by `tol`
or more. The gradients are computed anew, from the coefficients, before it is believed.
"""

from typing import NamedTuple

import numpy as np

from litlearn._core.parallel import check_interrupt, single_threaded_blas
from litlearn.svm._smo import make_subproblem, minimise_pairs

WHOLE = 1024  # variables up to which all are in the working set
NEW = 2000  # violating variables that join a working set
SHARE = 0.1  # of the violation, to which a working set is solved
MOST_STEPS = 10_000_000  # where the user sets no limit, as in LIBSVM
STEPS_WORTH = 100_000_000  # elements that a call of the inner solver looks through: about 50 ms
PATIENCE = 3  # certificates that may fail without progress
FINEST = 1e-3  # the same, at least, in float32
SURE = 0.5  # share of tol to go for: half of all solutions with equal violations are the worse ones
ROUNDING = 2.0**-22  # of gradients in float32, relative to the sizes of the coefficients


class PairSolution(NamedTuple):
    """Where the solver ended."""

    beta: np.ndarray  # (m,)
    gradient: np.ndarray  # (m,)
    multipliers: np.ndarray  # (n_groups,)
    violation: float
    gap: float
    n_steps: int
    converged: bool


# Threads of BLAS, which long vectors would wake, go on spinning while the next pass needs them.
@single_threaded_blas()
def solve_programme(gram, programme, tol, max_iter, memory, report=None):
    """Minimise a programme.

    Parameters
    ----------
    gram : StoredGram or ComputedGram
        Of the n samples.
    programme : Programme
        Of m variables.
    tol : float
        The violation that ends the solver.
    max_iter : int
        Most steps, or -1.
    memory : float
        Bytes that the Gram matrix of a working set may take.
    report : callable or None, default=None
        ``report(n_steps, violation, gap)`` is called before each working set.

    Returns
    -------
    Solution
    """
    tol = max(tol, 1e-30)  # in float32 not 0, which no violation is below
    limit = most_steps(len(programme.linear)) if max_iter < 0 else max_iter
    state = DualState(gram, programme, gram.has_rough)
    failures, best, n_steps, goal = 0, np.inf, 0, SURE * tol
    while True:
        violation = state.violation()
        if report is not None:
            report(n_steps, violation, state.gap())
        # <certificate>: a small violation counts when its gradients are exact.
        if violation < max(goal, state.rounding()) and not state.exact:
            state.recompute()
            continue
        if violation < goal or n_steps >= limit or failures > PATIENCE:
            break
        # <inside>: minimise over a working set, then bring all gradients up to date.
        dtype = np.float32 if state.rough_is_enough(violation, goal, failures) else np.float64
        chosen = state.working_set(capacity(memory, dtype))
        share = 0.0 if len(chosen) == len(programme.linear) else SHARE
        if dtype == np.float32:
            share = max(share, FINEST)
        n_new, moved = state.improve(
            chosen, max(0.5 * goal, share * violation), limit - n_steps, dtype
        )
        n_steps += n_new
        if state.exact:
            failures = failures + 1 if not moved or violation > 0.9 * best else 0
            best = min(best, violation)
        elif not moved:  # as far as float32 goes
            state.recompute()
    if not state.exact:
        state.recompute()
    violation = state.violation()
    return PairSolution(
        state.beta,
        state.gradient,
        state.multipliers(),
        max(violation, 0.0),
        state.gap(),
        n_steps,
        bool(violation < tol),
    )


class DualState:
    """Coefficients and gradients of a programme on the way to its minimum."""

    def __init__(self, gram, programme, rough):
        self.gram, self.programme = gram, programme
        self.beta = programme.start.copy()
        self.largest = float(np.max(np.abs(gram.diagonal()), initial=0.0))
        # Gradients are exact until a product in float32 was added to them.
        self.exact, self.rough = True, rough
        self.recompute()
        self.rough = rough

    def recompute(self):
        """Compute the gradients from the coefficients, in float64; from here on they stay so."""
        per_sample = self.sum_by_sample(np.arange(len(self.beta)), self.beta)
        used = np.flatnonzero(per_sample)
        self.products = self.gram.product(used, per_sample[used], np.float64)
        self.follow()
        self.exact, self.rough = True, False

    def sum_by_sample(self, variables, values):
        """Sums of values of some variables that belong to the same sample (n,)."""
        samples = self.programme.sample[variables]
        return np.bincount(samples, weights=values, minlength=self.gram.n)

    def follow(self):
        """Gradients of the variables from the products of their samples."""
        self.gradient = self.products[self.programme.sample] + self.programme.linear

    def reaches(self):
        """For each group, the smallest gradient that may rise and the largest that may fall."""
        _, lower, upper, _, _, group, n_groups = self.programme
        found = np.empty((n_groups, 2))
        for g in range(n_groups):
            rising, falling = self.beta < upper, self.beta > lower
            if n_groups > 1:
                rising, falling = rising & (group == g), falling & (group == g)
            found[g, 0] = np.min(self.gradient, where=rising, initial=np.inf)
            found[g, 1] = np.max(self.gradient, where=falling, initial=-np.inf)
        return found

    def violation(self):
        """How far the worst group is from its optimality condition; below 0 if it has reserve.

        For classification the condition is :eq:`eq-svm-kkt`.
        """
        low, high = self.reaches().T
        return float(np.max(high - low))

    def multipliers(self):
        """Multiplier of each group: the gradient of variables between their bounds."""
        _, lower, upper, _, _, group, n_groups = self.programme
        free = (self.beta > lower) & (self.beta < upper)
        found = np.empty(n_groups)
        for g, (low, high) in enumerate(self.reaches()):
            inside = free & (group == g)
            if inside.any():
                found[g] = self.gradient[inside].mean()
            elif np.isfinite(low) and np.isfinite(high):
                found[g] = 0.5 * (low + high)
            else:
                found[g] = low if np.isfinite(low) else high if np.isfinite(high) else 0.0
        return found

    def gap(self):
        """Duality gap: how far the objective may still be above its minimum, :eq:`eq-svm-gap`."""
        slack = self.gradient - self.multipliers()[self.programme.group]
        # <gap>: what each variable could still gain if it moved to the bound that draws it.
        falls = np.where(slack > 0.0, self.beta - self.programme.lower, 0.0)
        rises = np.where(slack < 0.0, self.programme.upper - self.beta, 0.0)
        return float(np.sum(np.abs(slack) * (falls + rises)))

    def rounding(self):
        """Violation that gradients in float32 cannot tell from none; 0 for exact ones."""
        if self.exact:
            return 0.0
        return ROUNDING * self.largest * float(np.linalg.norm(self.beta))

    def rough_is_enough(self, violation, tol, failures):
        """Whether a working set may be solved in float32: it is corrected by exact gradients."""
        if not self.gram.has_rough:
            return False
        return not self.exact or self.rough or (failures == 0 and tol >= 1e-5 * violation)

    def working_set(self, capacity):
        """Return the variables that may move next, sorted by group."""
        _, lower, upper, _, _, group, n_groups = self.programme
        m = len(self.beta)
        if m <= min(WHOLE, capacity):
            return np.argsort(group, kind="stable")
        rising, falling = self.beta < upper, self.beta > lower
        free = rising & falling
        if np.count_nonzero(free) > capacity // 2:  # they compete for the places
            free = np.zeros(m, dtype=bool)
        room = (capacity - np.count_nonzero(free)) // n_groups
        parts = [np.flatnonzero(free)]
        for g, (low, high) in enumerate(self.reaches()):
            # <violators>: half from below, half from above, the farthest first.
            places = max(1, (room if not free.any() else min(NEW, room)) // 2)
            mine = ~free if n_groups == 1 else ~free & (group == g)
            below = np.flatnonzero(mine & rising & (self.gradient < high))
            above = np.flatnonzero(mine & falling & (self.gradient > low))
            parts.append(smallest(self.gradient[below], places, below))
            parts.append(smallest(-self.gradient[above], places, above))
        chosen = np.unique(np.concatenate(parts))
        return chosen[np.argsort(group[chosen], kind="stable")]

    def improve(self, chosen, tol, limit, dtype):
        """Minimise over the chosen variables; return the steps and whether they moved anything."""
        _, lower, upper, _, sample, group, n_groups = self.programme
        starts = np.searchsorted(group[chosen], np.arange(n_groups + 1))
        middle = self.gradient[chosen]
        for g in range(n_groups):  # float32 is finest near zero
            part = slice(starts[g], starts[g + 1])
            middle[part] -= np.median(middle[part]) if starts[g + 1] > starts[g] else 0.0
        before = self.beta[chosen]
        K = self.gram.square(sample[chosen], dtype)
        sub = make_subproblem(K, middle, before.copy(), lower[chosen], upper[chosen], starts)
        chunk, n_steps, left = max(32, STEPS_WORTH // (8 * len(chosen))), 0, tol
        while left >= tol and n_steps < limit:
            n_new, left, moved = minimise_pairs(sub, tol, min(chunk, limit - n_steps))
            n_steps += n_new
            check_interrupt()
            change = np.linalg.norm(sub.beta - before)
            if not moved or (dtype == np.float32 and left < ROUNDING * self.largest * change):
                break
        self.beta[chosen] = sub.beta
        self.add(chosen, sub.beta - before)
        return n_steps, n_steps > 0

    def add(self, variables, change):
        """Bring products and gradients up to date."""
        per_sample = self.sum_by_sample(variables, change)
        used = np.flatnonzero(per_sample)
        dtype = np.float32 if self.rough else np.float64
        self.products += self.gram.product(used, per_sample[used], dtype)
        self.exact = self.exact and not self.rough
        self.follow()


def smallest(values, n, labels):
    """Return the labels of the n smallest values, of all if there are fewer."""
    return labels if len(labels) <= n else labels[np.argpartition(values, n)[:n]]


def capacity(memory, dtype):
    """Number of variables whose Gram matrix takes at most `memory` bytes; at least eight."""
    return max(8, int(np.sqrt(memory / np.dtype(dtype).itemsize)))


def most_steps(n_variables):
    """Number of steps that end the solver where the user sets no limit."""
    return max(MOST_STEPS, 100 * n_variables)
