"""Linear models by stochastic gradient descent: a step for each sample, as the samples come.

A step on sample i with the step size eta, :eq:`eq-stochastic-gradient`, shrinks the coefficients by
the l2 penalty and adds a multiple of the sample,

    w <- (1 - eta alpha_2) w - eta s_i loss'(y_i, x_i'w + b) x_i.

Two devices make a step cost as much as the entries of its sample. The coefficients are held as a
number times a vector, so that shrinking them is one product. And an l1 penalty is taken off a
coefficient only when a sample uses it, with all that it has missed.

The file goes from losses and rows to one pass over the samples, then to the passes of one binary
classifier or regression, then to the estimators.

Sources: Bottou (2012) for the step sizes, the scaled vector and the average, Tsuruoka, Tsujii and
Ananiadou (2009) for the l1 penalty, Crammer et al. (2006) for the passive-aggressive steps, Xu
(2011) for averaging.
"""

from typing import NamedTuple

import numpy as np

from litlearn import _targets, _validation
from litlearn._jit import njit
from litlearn._linear import LinearClassifier, LinearRegressor, SparseCoefficients
from litlearn._parallel import check_interrupt, map_blocks
from litlearn._progress import progress
from litlearn.exceptions import ConvergenceWarning

LOSSES = (
    "hinge", "perceptron", "squared_hinge", "modified_huber", "log_loss",
    "squared_error", "huber", "epsilon_insensitive", "squared_epsilon_insensitive",
)  # fmt: skip
REGRESSION_LOSSES = LOSSES[5:]
SCHEDULES = ("constant", "optimal", "invscaling", "adaptive", "pa1", "pa2")
CONSTANT, OPTIMAL, INVSCALING, ADAPTIVE, PA1, PA2 = range(6)
# What `Fit.numbers` holds.
SCALE, SQUARE, LENGTH, INTERCEPT, STEP, TIME, CUT, A, B, MEAN_INTERCEPT = range(10)
# Steps of the intercept are so much smaller for sparse samples, which touch it every time.
SPARSE_DECAY = 0.01
LARGEST_SLOPE = 1e12
SMALLEST_SCALE = 1e-9
# What an averaging estimator keeps for the next batch.
AVERAGED = ("_standard_coef", "_standard_intercept", "_average_coef", "_average_intercept")


class Rows(NamedTuple):
    """Samples, dense or in CSR form; the other form is empty."""

    X: np.ndarray  # (n, p), or (0, p)
    data: np.ndarray
    indices: np.ndarray
    indptr: np.ndarray  # (n + 1,), or (0,)


class Rule(NamedTuple):
    """What a step depends on besides its sample."""

    loss: int
    epsilon: float
    schedule: int
    eta0: float
    power: float
    alpha: float
    alpha_l1: float
    alpha_l2: float
    start: float  # the "optimal" steps begin as if so many had been made
    decay: float  # factor of the steps of the intercept; 0 without one
    average: float  # the step from which coefficients are averaged; 0: they are not


class Fit(NamedTuple):
    """Coefficients in the making: ``numbers[SCALE] * v``."""

    v: np.ndarray  # (p,)
    mean: np.ndarray  # (p,), or (0,) without averaging
    missed: np.ndarray  # (p,), or (0,) without an l1 penalty: what it has taken off so far
    numbers: np.ndarray  # (10,)


# ---------------------------------------------------------------------------------------------
# Losses


@njit(helper=True)
def loss_value(code, epsilon, y, z):
    """The loss of a score z; classes y are -1 and +1."""
    if code <= 1:  # hinge and perceptron: epsilon is the margin that is asked for
        return max(epsilon - y * z, 0.0)
    if code == 2:
        return max(1.0 - y * z, 0.0) ** 2
    if code == 3:
        return -4.0 * y * z if y * z < -1.0 else max(1.0 - y * z, 0.0) ** 2
    if code == 4:
        return max(-y * z, 0.0) + np.log1p(np.exp(-np.abs(z)))
    error = np.abs(y - z)
    if code == 5:
        return 0.5 * error * error
    if code == 6:
        return 0.5 * error * error if error <= epsilon else epsilon * (error - 0.5 * epsilon)
    beyond = max(error - epsilon, 0.0)
    return beyond if code == 7 else beyond * beyond


@njit(helper=True)
def loss_slope(code, epsilon, y, z):
    """The derivative of the loss with respect to the score z."""
    if code <= 1:
        return -y if y * z <= epsilon else 0.0
    if code == 2:
        return -2.0 * y * max(1.0 - y * z, 0.0)
    if code == 3:
        return -4.0 * y if y * z < -1.0 else -2.0 * y * max(1.0 - y * z, 0.0)
    if code == 4:
        return -y / (1.0 + np.exp(y * z))
    error = z - y
    if code == 5:
        return error
    if code == 6:
        return min(max(error, -epsilon), epsilon)
    beyond = max(np.abs(error) - epsilon, 0.0)
    if code == 7:
        return np.sign(error) if beyond > 0.0 else 0.0
    return 2.0 * np.sign(error) * beyond


# ---------------------------------------------------------------------------------------------
# Rows


@njit(helper=True, reassociate=True)
def row_dot(rows, i, v):
    """Product of sample i with v (p,)."""
    total = 0.0
    if rows.indptr.size:
        for t in range(rows.indptr[i], rows.indptr[i + 1]):
            total += rows.data[t] * v[rows.indices[t]]
    else:
        for j in range(v.size):
            total += rows.X[i, j] * v[j]
    return total


@njit(helper=True)
def row_add(rows, i, factor, v):
    """Add a multiple of sample i to v (p,)."""
    c = v.dtype.type(factor)
    if rows.indptr.size:
        for t in range(rows.indptr[i], rows.indptr[i + 1]):
            v[rows.indices[t]] += c * rows.data[t]
    else:
        for j in range(v.size):
            v[j] += c * rows.X[i, j]


def row_squares(rows):
    """Squared norms of the samples, (n,)."""
    if not rows.indptr.size:
        return np.einsum("ij,ij->i", rows.X, rows.X, dtype=np.float64)
    n = rows.indptr.size - 1
    owners = np.repeat(np.arange(n), np.diff(rows.indptr))
    return np.bincount(owners, rows.data.astype(np.float64) ** 2, n)


@njit(helper=True)
def cut(fit, j):
    """Take off coefficient j what the l1 penalty has come to, but not beyond zero."""
    at, v = fit.numbers, fit.v
    old, owed = v[j], fit.missed[j]
    if old > 0.0:
        v[j] = max(0.0, old - (at[CUT] + owed) / at[SCALE])
    elif old < 0.0:
        v[j] = min(0.0, old + (at[CUT] - owed) / at[SCALE])
    fit.missed[j] += at[SCALE] * (v[j] - old)
    if fit.mean.size:
        fit.mean[j] -= at[A] * (v[j] - old)


@njit(helper=True)
def row_cut(rows, i, fit):
    """`cut` the coefficients of the features that sample i has."""
    if rows.indptr.size:
        for t in range(rows.indptr[i], rows.indptr[i + 1]):
            cut(fit, rows.indices[t])
    else:
        for j in range(fit.v.size):
            cut(fit, j)


@njit(helper=True)
def row_sizes(rows, i, v):
    """Sums of the sizes and of the squares of the coefficients of the features of sample i."""
    length = square = 0.0
    if rows.indptr.size:
        for t in range(rows.indptr[i], rows.indptr[i + 1]):
            w = np.float64(v[rows.indices[t]])
            length += np.abs(w)
            square += w * w
    else:
        for j in range(v.size):
            w = np.float64(v[j])
            length += np.abs(w)
            square += w * w
    return length, square


# ---------------------------------------------------------------------------------------------
# One pass


@njit
def settle(fit):
    """Bring the scale back to 1, the average up to date, and the norms to their exact values."""
    at, v, mean = fit.numbers, fit.v, fit.mean
    length = square = 0.0
    for j in range(v.size):
        if mean.size:
            mean[j] = (mean[j] + at[A] * v[j]) / at[B]
        v[j] *= at[SCALE]
        length += np.abs(np.float64(v[j]))
        square += np.float64(v[j]) ** 2
    at[SCALE], at[A], at[B], at[LENGTH], at[SQUARE] = 1.0, 0.0, 1.0, length, square


@njit(helper=True)
def shrink(fit, factor):
    """Multiply the coefficients by a factor, at the cost of one product."""
    at = fit.numbers
    at[SCALE] *= factor
    at[SQUARE] *= factor * factor
    at[LENGTH] *= factor
    if at[SCALE] < SMALLEST_SCALE:
        settle(fit)


@njit(helper=True)
def step_size(rule, at):
    """Size of the next step, by the schedule."""
    if rule.schedule == OPTIMAL:
        return 1.0 / (rule.alpha * (rule.start + at[TIME] - 1.0))
    if rule.schedule == INVSCALING:
        return rule.eta0 / at[TIME] ** rule.power
    return at[STEP]


@njit(helper=True)
def change_of(rule, eta, y, z, square):
    """By what multiple of the sample the coefficients change, but for its weight."""
    if rule.schedule >= PA1:
        # <passive-aggressive>: No farther than the loss asks for.
        loss = loss_value(rule.loss, rule.epsilon, y, z)
        size = loss / (square + 0.5 / rule.eta0)
        if rule.schedule == PA1:
            size = min(rule.eta0, loss / square)
        sign = y if rule.loss <= 1 else np.sign(y - z)
        return sign * size
    slope = loss_slope(rule.loss, rule.epsilon, y, z)
    return -eta * min(max(slope, -LARGEST_SLOPE), LARGEST_SLOPE)


@njit(helper=True)
def add_to_average(rows, i, rule, fit, change):
    """Count the new coefficients in the average, in as many steps as the sample has entries.

    With w = scale v, the average is (mean + A v) / B: adding to v what a step adds changes A v by
    something that is taken off the mean, and all else is in two numbers.
    """
    at = fit.numbers
    count = at[TIME] - rule.average + 1.0
    row_add(rows, i, -at[A] * change / at[SCALE], fit.mean)
    if count > 1.0:
        at[B] /= 1.0 - 1.0 / count
    at[A] += at[B] * at[SCALE] / count
    at[MEAN_INTERCEPT] += (at[INTERCEPT] - at[MEAN_INTERCEPT]) / count


@njit
def one_pass(rows, y, weight, squares, order, rule, fit):
    """Take one step for each sample of `order`; return the mean objective on the way.

    y, weight and squares (n,): targets, weights, and squared norms of the samples.
    """
    at, total = fit.numbers, 0.0
    for k in range(order.size):
        i = order[k]
        product = at[SCALE] * row_dot(rows, i, fit.v)
        score = product + at[INTERCEPT]
        eta = step_size(rule, at)
        at[STEP] = eta
        total += loss_value(rule.loss, rule.epsilon, y[i], score)
        if rule.schedule < PA1:
            total += rule.alpha_l1 * at[LENGTH] + 0.5 * rule.alpha_l2 * at[SQUARE]
        elif squares[i] == 0.0 and rule.schedule == PA1:
            continue
        change = weight[i] * change_of(rule, eta, y[i], score, squares[i])
        # <step>: Shrink by the l2 penalty, then add a multiple of the sample.
        factor = max(0.0, 1.0 - rule.alpha_l2 * eta)
        shrink(fit, factor)
        length, square = row_sizes(rows, i, fit.v) if rule.alpha_l1 > 0.0 else (0.0, 0.0)
        if change != 0.0:
            row_add(rows, i, change / at[SCALE], fit.v)
            if rule.alpha_l1 == 0.0:
                at[SQUARE] += change * (2.0 * factor * product + change * squares[i])
            at[INTERCEPT] += rule.decay * change
        if 0.0 < rule.average <= at[TIME]:
            add_to_average(rows, i, rule, fit, change)
        if rule.alpha_l1 > 0.0:
            # <cut>: What the l1 penalty has come to, off the features of this sample.
            at[CUT] += rule.alpha_l1 * eta
            row_cut(rows, i, fit)
            new_length, new_square = row_sizes(rows, i, fit.v)
            at[LENGTH] += at[SCALE] * (new_length - length)
            at[SQUARE] += at[SCALE] ** 2 * (new_square - square)
        at[TIME] += 1.0
    settle(fit)
    return total / order.size


@njit
def shuffle(order, seed):
    """Put whole numbers into another order, in place: the one that scikit-learn has for a seed.

    The generator is Marsaglia's (2003) of 32 bits. It begins anew each time, so that the same
    places change hands each time.
    """
    ones, bits = np.uint64(0xFFFFFFFF), np.uint64(seed if seed > 0 else 1)
    for i in range(order.size - 1):
        bits ^= (bits << np.uint64(13)) & ones
        bits ^= bits >> np.uint64(17)
        bits ^= (bits << np.uint64(5)) & ones
        j = i + np.int64((bits & np.uint64(0x7FFFFFFF)) % np.uint64(order.size - i))
        order[i], order[j] = order[j], order[i]


# ---------------------------------------------------------------------------------------------
# All passes


class Patience(NamedTuple):
    """When passes end: after `longest`, or `patience` ones in a row without a gain of `tol`."""

    longest: int
    tol: float  # minus infinity: only then
    patience: int
    adaptive: bool  # the step size is divided by five first


def descend(rows, y, weight, learned, rule, fit, patience, seed, validate, report):
    """Take passes until the objective, or a score on other samples, ceases to improve.

    Parameters
    ----------
    rows : Rows
    y, weight : ndarray of shape (n,)
    learned : ndarray of shape (n,), bool
        Samples to learn from.
    rule : Rule
    fit : Fit
        Changed.
    patience : Patience
    seed : int or None
        Of the order of each pass, which is made from the last one; None keeps the order.
    validate : callable or None
        Returns a score, given coefficients and intercept.
    report : callable or None

    Returns
    -------
    int
        The number of passes.
    """
    squares, best, idle = row_squares(rows), np.inf, 0
    places, all_learned = np.arange(len(y)), learned.all()
    for done in range(1, patience.longest + 1):
        if seed is not None:
            shuffle(places, seed)
        order = places if all_learned else places[learned[places]]
        value = one_pass(rows, y, weight, squares, order, rule, fit)
        if not (np.isfinite(fit.numbers[INTERCEPT]) and np.isfinite(fit.v).all()):
            raise ValueError(
                f"Floating-point under-/overflow occurred at epoch #{done}. Scaling input data "
                "with StandardScaler or MinMaxScaler might help."
            )
        if validate is not None:
            value = -validate(fit.v, fit.numbers[INTERCEPT])
        if report is not None:
            report(done, value)
        check_interrupt()
        # <patience>: Passes in a row that gain less than `tol`.
        idle = idle + 1 if value > best - patience.tol else 0
        best = min(best, value)
        if idle >= patience.patience:
            if not patience.adaptive or fit.numbers[STEP] <= 1e-6:
                break
            fit.numbers[STEP] /= 5.0
            idle = 0
    return done


def held_out(owner, random, n, codes, positive):
    """Return the samples to validate with, in which the classes have their shares.

    They are those of scikit-learn's ``ShuffleSplit``, or with `codes` ``StratifiedShuffleSplit``.
    """
    n_held = int(np.ceil(owner.validation_fraction * n))
    if n_held >= n:
        raise ValueError(
            f"{_validation.owner_name(owner)}: Splitting {n} samples into a train set and a "
            f"validation set with validation_fraction={owner.validation_fraction!r} led to an "
            f"empty set ({n - n_held} and {n_held} samples). Please either change "
            "validation_fraction, increase number of samples, or disable early_stopping."
        )
    mask = np.zeros(n, dtype=bool)
    if codes is None:
        mask[random.permutation(n)[:n_held]] = True
    else:
        counts = np.bincount(codes)
        learned = shares(random, counts, n - n_held)
        held = shares(random, counts - learned, n_held)
        members = np.split(np.argsort(codes, kind="stable"), np.cumsum(counts)[:-1])
        for mine, first, count in zip(members, learned, held, strict=True):
            mask[mine[random.permutation(len(mine))[first : first + count]]] = True
        for count in (n - n_held, n_held):  # there both parts are put into random order
            random.permutation(count)
    if not positive[mask].any():
        raise ValueError(
            f"{_validation.owner_name(owner)}: The sample weights for validation set are all zero, "
            "consider using a different random state."
        )
    return np.flatnonzero(mask)


def shares(random, counts, n):
    """Return how many of n samples come from each class, (n_classes,), as nearly as they divide.

    What the whole numbers leave over goes to the largest remainders, of equal ones by lot.
    """
    exact = counts / counts.sum() * n
    found = np.floor(exact).astype(np.intp)
    rest, missing = exact - found, int(n - found.sum())
    for size in np.unique(rest)[::-1]:
        if missing <= 0:
            break
        these = np.flatnonzero(rest == size)
        these = random.choice(these, size=min(len(these), missing), replace=False)
        found[these] += 1
        missing -= len(these)
    return found


# ---------------------------------------------------------------------------------------------
# What both estimators share


class _SGD(SparseCoefficients):
    """Parameters, and the passes for one row of coefficients after the other."""

    sparse_formats = ("csr",)

    def _check_parameters(self, batch):
        """Check every parameter; `batch` is for ``partial_fit``."""
        who = type(self).__name__
        _validation.check_option(self, "loss", self.loss, self.loss_functions)
        options = ("l2", "l1", "elasticnet")
        if self.penalty is not None:
            _validation.check_option(self, "penalty", self.penalty, options, or_else=" or None")
        alpha = _validation.check_real(self, "alpha", self.alpha, low=0.0)
        _validation.check_real(self, "l1_ratio", self.l1_ratio, low=0.0, high=1.0, allow_none=True)
        for name in ("fit_intercept", "shuffle", "early_stopping", "warm_start"):
            _validation.check_boolean(self, name, getattr(self, name))
        _validation.check_integer(self, "max_iter", self.max_iter, low=1)
        _validation.check_integer(self, "n_iter_no_change", self.n_iter_no_change, low=1)
        _validation.check_real(self, "tol", self.tol, low=0.0, allow_none=True)
        _validation.check_real(self, "epsilon", self.epsilon, low=0.0)
        _validation.check_option(self, "learning_rate", self.learning_rate, SCHEDULES)
        _validation.check_real(self, "eta0", self.eta0, low=0.0, allow_low=False)
        if _validation.check_real(self, "power_t", self.power_t, low=-np.inf) < 0.0:
            message = (
                f"{who}: Negative values for `power_t` are deprecated in scikit-learn 1.8 and will "
                "raise an error in 1.10. Use values in the range [0.0, inf) instead."
            )
            _validation.warn(FutureWarning(message))
        _validation.check_verbose(self)
        if not isinstance(self.average, (bool, np.bool_)):
            _validation.check_integer(self, "average", self.average, low=1)
        fraction = self.validation_fraction
        _validation.check_real(self, "validation_fraction", fraction, low=0.0, allow_low=False)
        if fraction >= 1.0:
            expected = "a float in the range (0.0, 1.0)"
            _validation._refuse(self, "validation_fraction", fraction, expected)
        if self.penalty == "elasticnet" and self.l1_ratio is None:
            raise ValueError(f"{who}: l1_ratio must be set when penalty is 'elasticnet'")
        if self.learning_rate == "optimal" and alpha == 0.0:
            raise ValueError(
                f"{who}: alpha must be > 0 since learning_rate is 'optimal'. alpha is used to "
                "compute the optimal learning rate."
            )
        if self.learning_rate in ("pa1", "pa2") and self.loss != self.passive_aggressive:
            raise ValueError(
                f"{who}: Learning rate '{self.learning_rate}' only works with loss "
                f"'{self.passive_aggressive}'."
            )
        if batch and self.early_stopping:
            raise ValueError(f"{who}: early_stopping should be False with partial_fit")

    def _rule(self, sparse):
        """Return the parameters in the form in which kernels take them."""
        shares = {None: (0.0, 0.0), "l2": (0.0, 1.0), "l1": (1.0, 0.0)}
        l1, l2 = shares.get(self.penalty) or (self.l1_ratio, 1.0 - self.l1_ratio)
        start = 0.0
        if self.learning_rate == "optimal":
            start = 1.0 / (np.sqrt(1.0 / np.sqrt(self.alpha)) * self.alpha)
        decay = float(self.fit_intercept) * (SPARSE_DECAY if sparse else 1.0)
        epsilon = {"hinge": 1.0, "perceptron": 0.0}.get(self.loss, float(self.epsilon))
        return Rule(
            LOSSES.index(self.loss), epsilon, SCHEDULES.index(self.learning_rate),
            float(self.eta0), float(self.power_t), float(self.alpha), float(self.alpha * l1),
            float(self.alpha * l2), float(start), decay, float(self.average),
        )  # fmt: skip

    def _fit(self, X, y, coef_init, intercept_init, sample_weight):
        """Learn from all samples, in as many passes as it takes."""
        names = _validation.feature_names(X)
        X = _validation.check_array(self, X, sparse=self.sparse_formats)
        problem = self._problem(X, y, sample_weight)
        q, p = len(problem.y), X.shape[1]
        start = self._start(q, p, X.dtype, coef_init, intercept_init)
        self._learn(X, names, problem, start, 1.0, self.max_iter)
        if self.tol is not None and self.n_iter_ == self.max_iter:
            message = (
                "Maximum number of iteration reached before convergence. Consider increasing "
                "max_iter to improve the fit."
            )
            _validation.warn(ConvergenceWarning(message), 3)
        return self

    def _fit_batch(self, X, y, sample_weight, first, known=None):
        """Learn from a batch, in one pass that goes on where the last one ended."""
        names = _validation.feature_names(X)
        check = _validation.check_array if first else _validation.check_queries
        X = check(self, X, sparse=self.sparse_formats)
        problem = self._problem(X, y, sample_weight, known)
        q, p = len(problem.y), X.shape[1]
        start = self._start(q, p, X.dtype, None, None) if first else self._go_on(X.dtype)
        self._learn(X, names, problem, start, 1.0 if first else self.t_, 1)
        return self

    def _learn(self, X, names, problem, start, time, longest):
        """Take the passes, and store what they found."""
        found = self._passes(X, *problem[:2], start, time, longest, problem.codes)
        if time == 1.0:
            _validation.store_features(self, X.shape[1], names)
        if problem.classes is not None:
            self.classes_ = problem.classes
        self._store(found, time, X.shape[0], X.dtype, flat=problem.classes is None)

    def _passes(self, X, y, weight, start, time, longest, codes):
        """Take the passes for every row of coefficients.

        Parameters
        ----------
        X : ndarray or CSR array of shape (n, p)
        y, weight : ndarray of shape (q, n)
            Targets and weights for each row.
        start : Found
            Where to begin; not changed.
        time : float
            The number of the first step.
        longest : int
            Most passes.
        codes : ndarray of shape (n,) or None
            Classes, of which a validation set holds equal shares.

        Returns
        -------
        Found
        """
        held, seeds = self._draw(codes, weight)
        learned = np.ones(X.shape[0], dtype=bool)
        learned[held] = False
        rows, rule = as_rows(X), self._rule(_validation.is_sparse(X))
        tol = -np.inf if self.tol is None or longest == 1 else float(self.tol)
        patience = Patience(longest, tol, self.n_iter_no_change, self.learning_rate == "adaptive")
        shown = progress(self, "objective {:.4g}".format, unit="pass", total=longest)
        with shown as report:

            def job(k):
                fit, validate = begin(rule, start, k, time), None
                if self.early_stopping:
                    part = X[held], y[k, held], weight[k, held]

                    def validate(v, intercept):
                        return self._validation_score(part[0] @ v + intercept, *part[1:])

                seed = seeds[k] if self.shuffle else None
                count = descend(rows, y[k], weight[k], learned, rule, fit, patience, seed,
                                validate, report if len(y) == 1 else None)  # fmt: skip
                return fit, count

            found = map_blocks(job, len(y), getattr(self, "n_jobs", None))
        fits = [fit for fit, _ in found]
        at = np.stack([fit.numbers for fit in fits])
        return Found(
            np.stack([fit.v for fit in fits]), at[:, INTERCEPT],
            np.stack([fit.mean for fit in fits]), at[:, MEAN_INTERCEPT],
            max(count for _, count in found),
        )  # fmt: skip

    def _draw(self, codes, weight):
        """Return the samples that are held out, and a seed for the orders of each row.

        They are scikit-learn's, which draws a number more than it needs before, or after, the seed.
        """
        random, splits = (_validation.check_random_state(self, self.random_state) for _ in "ab")
        integer, held = _validation.random_integer, np.empty(0, dtype=np.intp)
        if codes is not None and len(weight) == 1:
            integer(random)
        if self.early_stopping:
            positive = weight.max(axis=0) > 0.0
            held = held_out(self, splits, len(positive), codes, positive)
        seeds = [integer(random) for _ in weight]
        if codes is None:
            integer(random)
        elif len(seeds) > 1:
            # <members>: Each has a generator of its own.
            own = [np.random.RandomState(seed) for seed in seeds]
            seeds = [[integer(random) for _ in "ab"][1] for random in own]
        return held, seeds

    def _start(self, q, p, dtype, coef_init, intercept_init):
        """Return where to begin: what was given, what was learned with warm_start, or zeros."""
        if self.warm_start and getattr(self, "coef_", None) is not None:
            coef_init = dense(self.coef_) if coef_init is None else coef_init
            intercept_init = self.intercept_ if intercept_init is None else intercept_init
        found = []
        for name, given, shape in (
            ("coef_init", coef_init, (q, p)),
            ("intercept_init", intercept_init, (q,)),
        ):
            array = np.zeros(shape) if given is None else np.array(given, dtype=np.float64)
            if array.size != np.prod(shape) or (q > 1 and array.shape != shape):
                raise ValueError(
                    f"{type(self).__name__}: Provided {name} does not match dataset. It has shape "
                    f"{array.shape}, expected {shape}."
                )
            _validation.check_finite(type(self).__name__, array, name)
            found.append(array.reshape(shape).astype(dtype))
        return Found(*found, np.zeros((q, p), dtype), np.zeros(q), 0)

    def _go_on(self, dtype):
        """Return where the last call left off."""
        coef, intercept = np.atleast_2d(dense(self.coef_)), np.atleast_1d(self.intercept_)
        mean, mean_intercept = np.zeros_like(coef), np.zeros(len(coef))
        if self.average and hasattr(self, "_standard_coef"):
            coef, intercept, mean, mean_intercept = (getattr(self, name) for name in AVERAGED)
        return Found(coef.astype(dtype), intercept, mean.astype(dtype), mean_intercept, 0)

    def _store(self, found, time, n_samples, dtype, flat):
        """Store the coefficients, or their average once it has begun."""
        self.t_ = time + float(found.n_iter * n_samples)
        self.n_iter_ = found.n_iter
        coef, intercept = found.coef, found.intercept
        for name in AVERAGED:
            vars(self).pop(name, None)
        if self.average:
            self._standard_coef, self._standard_intercept = coef, intercept
            self._average_coef, self._average_intercept = found.mean, found.mean_intercept
            if self.average <= self.t_ - 1.0:
                coef, intercept = found.mean, found.mean_intercept
        self.coef_ = coef[0].copy() if flat else coef.copy()
        self.intercept_ = intercept.astype(dtype)


class Problem(NamedTuple):
    """What each row of coefficients learns."""

    y: np.ndarray  # (q, n): targets
    weight: np.ndarray  # (q, n)
    codes: np.ndarray | None  # (n,): classes, if there are any
    classes: np.ndarray | None


class Found(NamedTuple):
    """Coefficients (q, p) and intercepts (q,), their averages, and the number of passes."""

    coef: np.ndarray
    intercept: np.ndarray
    mean: np.ndarray
    mean_intercept: np.ndarray
    n_iter: int


def dense(coef):
    """Return coefficients that may have been made sparse as an array."""
    return coef.toarray() if _validation.is_sparse(coef) else np.asarray(coef)


def as_rows(X):
    """Return samples in the form in which kernels take them."""
    none = _validation.read_only(np.empty(0, dtype=X.dtype))
    if not _validation.is_sparse(X):
        places = _validation.read_only(np.empty(0, dtype=np.int32))
        return Rows(X, none, places, places)
    return Rows(_validation.read_only(none.reshape(0, 1)), X.data, X.indices, X.indptr)


def begin(rule, start, k, time):
    """Return the `Fit` of row k at the step number `time`."""
    p, dtype = start.coef.shape[1], start.coef.dtype
    numbers = np.zeros(10)
    numbers[[SCALE, B, STEP, TIME]] = 1.0, 1.0, rule.eta0, time
    numbers[INTERCEPT], numbers[MEAN_INTERCEPT] = start.intercept[k], start.mean_intercept[k]
    v = start.coef[k].copy()
    numbers[SQUARE] = float(np.vdot(v, v))
    numbers[LENGTH] = float(np.abs(v).sum())
    mean = start.mean[k].copy() if rule.average > 0.0 else np.empty(0, dtype)
    return Fit(v, mean, np.zeros(p if rule.alpha_l1 > 0.0 else 0), numbers)


# ---------------------------------------------------------------------------------------------
# Estimators


class SGDClassifier(_SGD, LinearClassifier):
    r"""Linear classifier that learns by stochastic gradient descent.

    It lowers :math:`\frac{1}{n} \sum_i s_i \ell(y_i, w^T x_i + b) + \alpha R(w)` by a step for each
    sample, :eq:`eq-stochastic-gradient`. More than two classes have a function each, which tells
    it from all others, :eq:`eq-one-vs-rest`. The features should be of about the same scale.

    The minimum is approached and not reached, and there is no certificate. Where the data fit in
    memory, :class:`LogisticRegression` and ``litlearn.svm.LinearSVC`` reach it.

    Parameters
    ----------
    loss : str, default="hinge"
        ``"hinge"`` (support vector machine, :eq:`eq-svm-hinge`), ``"log_loss"`` (logistic
        regression, :eq:`eq-logistic-loss`), ``"modified_huber"`` (quadratic near the margin, then
        linear), ``"squared_hinge"``, ``"perceptron"`` (hinge without a margin), or a loss of
        :class:`SGDRegressor` on targets of -1 and +1.
    penalty : {"l2", "l1", "elasticnet"} or None, default="l2"
        Half the sum of squares of the coefficients, the sum of their sizes, a mix, or none.
    alpha : float, default=0.0001
        Strength of the penalty, not negative.
    l1_ratio : float, default=0.15
        Share of the l1 penalty with ``penalty="elasticnet"``, from 0 to 1.
    fit_intercept : bool, default=True
        Add a constant. It is not penalised.
    max_iter : int, default=1000
        Most passes over the samples, in ``fit``.
    tol : float or None, default=1e-3
        ``fit`` stops when the mean objective during a pass, or the score with `early_stopping`, has
        not gained `tol` in `n_iter_no_change` passes in a row. None: after `max_iter` passes.
    shuffle : bool, default=True
        Whether each pass takes the samples in a new order: in scikit-learn's for the same seed.
    verbose : int, default=0
        Show a progress bar if above 0 and there are two classes.
    epsilon : float, default=0.1
        Where ``"huber"`` turns linear, and errors that the epsilon-insensitive losses ignore.
    n_jobs : int or None, default=None
        Threads, one class each; None is all CPUs. The result does not depend on it.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the orders and of the validation set. An int gives the same result each time.
    learning_rate : str, default="optimal"
        Size of step t: ``"constant"``, `eta0`; ``"optimal"``, 1 / (alpha (t + t0)) with the t0 of
        Bottou; ``"invscaling"``, eta0 / t^power_t; ``"adaptive"``, `eta0`, divided by 5 where
        `fit` would stop; ``"pa1"`` and ``"pa2"``, passive-aggressive, with the hinge loss.
    eta0 : float, default=0.01
        Size of the first step, above 0; the aggressiveness with ``"pa1"`` and ``"pa2"``.
    power_t : float, default=0.5
        Exponent of ``"invscaling"``.
    early_stopping : bool, default=False
        Whether ``fit`` holds out samples, in equal shares of the classes, and watches the accuracy
        on them.
    validation_fraction : float, default=0.1
        Share of the samples that is held out, between 0 and 1.
    n_iter_no_change : int, default=5
        Passes without a gain after which ``fit`` stops.
    class_weight : dict or "balanced", default=None
        Weights of the classes, by which the steps of their samples are multiplied: with more than
        two classes, only in their own function.
    warm_start : bool, default=False
        Begin at the coefficients of the last fit.
    average : bool or int, default=False
        Whether ``coef_`` is the average of the coefficients over all steps, or over those from
        this number on.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted.
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Coefficients; one row for two classes; float32 if `X` is, otherwise float64.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Intercepts.
    n_iter_ : int
        Passes; the most of all classes.
    t_ : float
        Steps so far, and one.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if `X` had names that are strings.

    Notes
    -----
    Cost of a pass: O(n p) for each class, or the stored entries of sparse samples. Steps of the
    intercept are a hundred times smaller for sparse samples. See
    :cite:t:`bottou_optimization_2018`.

    Examples
    --------
    >>> from litlearn.linear_model import SGDClassifier
    >>> X, y = [[-2], [-1], [1], [2]], ["low", "low", "up", "up"]
    >>> model = SGDClassifier(random_state=0).fit(X, y)
    >>> print(model.predict([[-3], [3]]))
    ['low' 'up']
    """

    loss_functions, passive_aggressive = LOSSES, "hinge"

    def __init__(
        self,
        loss="hinge",
        *,
        penalty="l2",
        alpha=0.0001,
        l1_ratio=0.15,
        fit_intercept=True,
        max_iter=1000,
        tol=1e-3,
        shuffle=True,
        verbose=0,
        epsilon=0.1,
        n_jobs=None,
        random_state=None,
        learning_rate="optimal",
        eta0=0.01,
        power_t=0.5,
        early_stopping=False,
        validation_fraction=0.1,
        n_iter_no_change=5,
        class_weight=None,
        warm_start=False,
        average=False,
    ):
        self.loss = loss
        self.penalty = penalty
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.shuffle = shuffle
        self.verbose = verbose
        self.epsilon = epsilon
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.learning_rate = learning_rate
        self.eta0 = eta0
        self.power_t = power_t
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.average = average

    def fit(self, X, y, coef_init=None, intercept_init=None, sample_weight=None):
        """Learn from the samples, in as many passes as it takes.

        Parameters
        ----------
        X : array-like or sparse array of shape (n_samples, n_features)
            Samples. C-ordered float32 or float64, or CSR, are used without a copy.
        y : array-like of shape (n_samples,)
            Classes: integers, booleans or strings.
        coef_init : array-like of shape (n_features,) or (n_classes, n_features), default=None
            Where to begin; zeros if None, or the last fit with `warm_start`.
        intercept_init : array-like of shape (1,) or (n_classes,), default=None
            Likewise.
        sample_weight : array-like of shape (n_samples,), default=None
            Factors of the steps; ones if None.

        Returns
        -------
        self : SGDClassifier

        Raises
        ------
        TypeError
            If `X` or `y` is of a type that cannot be used.
        ValueError
            If a parameter is out of range, `y` has one class only, an array has the wrong shape
            or holds NaN or infinity, or the steps lead beyond the range of numbers.

        Warns
        -----
        ConvergenceWarning
            If `max_iter` ends the fit.
        """
        self._check_parameters(batch=False)
        _validation.check_n_jobs(self, self.n_jobs)
        return self._fit(X, y, coef_init, intercept_init, sample_weight)

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """Learn from a batch, in one pass that goes on where the last one ended.

        Parameters
        ----------
        X : array-like or sparse array of shape (n_samples, n_features)
            Samples of the batch.
        y : array-like of shape (n_samples,)
            Their classes.
        classes : array-like of shape (n_classes,), default=None
            All classes that any batch has; needed in the first call.
        sample_weight : array-like of shape (n_samples,), default=None
            Factors of the steps; ones if None.

        Returns
        -------
        self : SGDClassifier

        Raises
        ------
        TypeError
            If `X` or `y` is of a type that cannot be used.
        ValueError
            As in ``fit``; if `classes` is missing in the first call, or `y` holds others.
        """
        self._check_parameters(batch=True)
        if isinstance(self.class_weight, str):
            raise ValueError(
                f"SGDClassifier: class_weight '{self.class_weight}' is not supported for "
                "partial_fit. In order to use 'balanced' weights, use "
                "compute_class_weight('balanced', classes=classes, y=y). In place of y you can use "
                "a large enough sample of the full training set target to properly estimate the "
                "class frequency distributions. Pass the resulting weights as the class_weight "
                "parameter."
            )
        known, first = _targets.batch_classes(self, classes)
        return self._fit_batch(X, y, sample_weight, first, known)

    def _problem(self, X, y, sample_weight, known=None):
        """Return one problem for each class, or one for two; `known` are the classes of batches."""
        fewest = {"fewest": 2} if known is None else {}
        targets = _targets.encode_one(self, y, X.shape[0], **fewest)
        classes, codes = targets.classes[0], targets.codes[0]
        if known is not None:
            if len(known) < 2:
                raise ValueError("SGDClassifier: The number of classes has to be greater than one.")
            complaint = "y holds classes {missing} that are not among {classes}."
            places = _targets.batch_places(self, classes, known, complaint)
            classes, codes = known, places[codes]
        weight = _validation.check_sample_weight(self, sample_weight, X.shape[0])
        weight = np.ones(X.shape[0]) if weight is None else weight
        factors = _validation.check_class_weight(self, self.class_weight, classes, codes)
        if len(classes) == 2:
            y, weights = np.where(codes == 1, 1.0, -1.0)[None], (weight * factors[codes])[None]
        else:
            mine = codes == np.arange(len(classes))[:, None]
            y = np.where(mine, 1.0, -1.0)
            weights = weight * np.where(mine, factors[:, None], 1.0)
        return Problem(y, weights, codes, classes)

    @staticmethod
    def _validation_score(scores, y, weight):
        """Return the accuracy."""
        return np.average(np.where(scores > 0.0, 1.0, -1.0) == y, weights=weight)

    @property
    def predict_proba(self):
        """Return the probability of each class; only for log_loss and modified_huber.

        A method of samples `X` (n_samples, n_features), which returns (n_samples, n_classes). With
        more than two classes, those of the functions are divided by their sum.
        """
        self._check_probabilities("predict_proba")
        return self._predict_proba

    @property
    def predict_log_proba(self):
        """Return the logarithms of what ``predict_proba`` returns."""
        self._check_probabilities("predict_log_proba")
        return self._predict_log_proba

    def _check_probabilities(self, name):
        if self.loss not in ("log_loss", "modified_huber"):
            said = f"probability estimates are not available for loss={self.loss!r}"
            reason = AttributeError(f"{type(self).__name__}: {said}")
            raise AttributeError(
                f"This {type(self).__name__!r} has no attribute {name!r}: {said}"
            ) from reason

    def _predict_log_proba(self, X):
        return _targets.logarithms(self._predict_proba(X))

    def _predict_proba(self, X):
        scores = self.decision_function(X)
        if self.loss == "log_loss":
            shares = np.exp(-np.logaddexp(0.0, -scores))
        else:
            shares = (np.clip(scores, -1.0, 1.0) + 1.0) / 2.0
        if shares.ndim == 1:
            return np.column_stack([1.0 - shares, shares])
        nothing = shares.sum(axis=1) == 0.0
        shares[nothing] = 1.0  # nobody claims the sample: all classes are alike
        return shares / shares.sum(axis=1, keepdims=True)


class SGDRegressor(_SGD, LinearRegressor):
    r"""Linear regression that learns by stochastic gradient descent.

    It lowers :math:`\frac{1}{n} \sum_i s_i \ell(y_i, w^T x_i + b) + \alpha R(w)` by a step for each
    sample, :eq:`eq-stochastic-gradient`. The features should be of about the same scale.

    The minimum is approached and not reached, and there is no certificate. Where the data fit in
    memory, :class:`Ridge` and :class:`ElasticNet` reach it for squared errors.

    Parameters
    ----------
    loss : str, default="squared_error"
        ``"squared_error"`` (half the squared error), ``"huber"`` (linear beyond `epsilon`),
        ``"epsilon_insensitive"`` (the size of the error beyond `epsilon`, :eq:`eq-svr-loss`), or
        ``"squared_epsilon_insensitive"``.
    penalty : {"l2", "l1", "elasticnet"} or None, default="l2"
        Half the sum of squares of the coefficients, the sum of their sizes, a mix, or none.
    alpha : float, default=0.0001
        Strength of the penalty, not negative.
    l1_ratio : float, default=0.15
        Share of the l1 penalty with ``penalty="elasticnet"``, from 0 to 1.
    fit_intercept : bool, default=True
        Add a constant. It is not penalised.
    max_iter : int, default=1000
        Most passes over the samples, in ``fit``.
    tol : float or None, default=1e-3
        As in :class:`SGDClassifier`.
    shuffle : bool, default=True
        Whether each pass takes the samples in a new order: in scikit-learn's for the same seed.
    verbose : int, default=0
        Show a progress bar if above 0.
    epsilon : float, default=0.1
        Where ``"huber"`` turns linear, and errors that the epsilon-insensitive losses ignore.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the orders and of the validation set. An int gives the same result each time.
    learning_rate : str, default="invscaling"
        As in :class:`SGDClassifier`; ``"pa1"`` and ``"pa2"`` with the epsilon-insensitive loss.
    eta0 : float, default=0.01
        Size of the first step, above 0; the aggressiveness with ``"pa1"`` and ``"pa2"``.
    power_t : float, default=0.25
        Exponent of ``"invscaling"``.
    early_stopping : bool, default=False
        Whether ``fit`` holds out samples, and watches the coefficient of determination on them.
    validation_fraction : float, default=0.1
        Share of the samples that is held out, between 0 and 1.
    n_iter_no_change : int, default=5
        Passes without a gain after which ``fit`` stops.
    warm_start : bool, default=False
        Begin at the coefficients of the last fit.
    average : bool or int, default=False
        Whether ``coef_`` is the average of the coefficients over all steps, or over those from
        this number on.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        Coefficients; float32 if `X` is, otherwise float64.
    intercept_ : ndarray of shape (1,)
        The intercept.
    n_iter_ : int
        Passes.
    t_ : float
        Steps so far, and one.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if `X` had names that are strings.

    Notes
    -----
    Cost of a pass: O(n p), or the stored entries of sparse samples. Steps of the intercept are a
    hundred times smaller for sparse samples. See :cite:t:`bottou_optimization_2018`.

    Examples
    --------
    >>> import numpy as np
    >>> from litlearn.linear_model import SGDRegressor
    >>> X = np.linspace(-1, 1, 200)[:, None]
    >>> model = SGDRegressor(random_state=0).fit(X, 3 * X[:, 0])
    >>> bool(model.score(X, 3 * X[:, 0]) > 0.9)
    True
    """

    loss_functions, passive_aggressive = REGRESSION_LOSSES, "epsilon_insensitive"

    def __init__(
        self,
        loss="squared_error",
        *,
        penalty="l2",
        alpha=0.0001,
        l1_ratio=0.15,
        fit_intercept=True,
        max_iter=1000,
        tol=1e-3,
        shuffle=True,
        verbose=0,
        epsilon=0.1,
        random_state=None,
        learning_rate="invscaling",
        eta0=0.01,
        power_t=0.25,
        early_stopping=False,
        validation_fraction=0.1,
        n_iter_no_change=5,
        warm_start=False,
        average=False,
    ):
        self.loss = loss
        self.penalty = penalty
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.shuffle = shuffle
        self.verbose = verbose
        self.epsilon = epsilon
        self.random_state = random_state
        self.learning_rate = learning_rate
        self.eta0 = eta0
        self.power_t = power_t
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.warm_start = warm_start
        self.average = average

    def fit(self, X, y, coef_init=None, intercept_init=None, sample_weight=None):
        """Learn from the samples, in as many passes as it takes.

        Parameters
        ----------
        X : array-like or sparse array of shape (n_samples, n_features)
            Samples. C-ordered float32 or float64, or CSR, are used without a copy.
        y : array-like of shape (n_samples,)
            Targets, real numbers.
        coef_init : array-like of shape (n_features,), default=None
            Where to begin; zeros if None, or the last fit with `warm_start`.
        intercept_init : array-like of shape (1,), default=None
            Likewise.
        sample_weight : array-like of shape (n_samples,), default=None
            Factors of the steps; ones if None.

        Returns
        -------
        self : SGDRegressor

        Raises
        ------
        TypeError
            If `X` or `y` is of a type that cannot be used.
        ValueError
            If a parameter is out of range, an array has the wrong shape or holds NaN or infinity,
            or the steps lead beyond the range of numbers.

        Warns
        -----
        ConvergenceWarning
            If `max_iter` ends the fit.
        """
        self._check_parameters(batch=False)
        return self._fit(X, y, coef_init, intercept_init, sample_weight)

    def partial_fit(self, X, y, sample_weight=None):
        """Learn from a batch, in one pass that goes on where the last one ended.

        Parameters
        ----------
        X : array-like or sparse array of shape (n_samples, n_features)
            Samples of the batch.
        y : array-like of shape (n_samples,)
            Their targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Factors of the steps; ones if None.

        Returns
        -------
        self : SGDRegressor

        Raises
        ------
        TypeError
            If `X` or `y` is of a type that cannot be used.
        ValueError
            As in ``fit``.
        """
        self._check_parameters(batch=True)
        return self._fit_batch(X, y, sample_weight, not hasattr(self, "coef_"))

    def _linear_function(self, X):
        """Return it flat: sparse coefficients are a row, and their product is a column."""
        return super()._linear_function(X).ravel()

    def _problem(self, X, y, sample_weight, known=None):
        y = _validation.check_real_targets(self, y, X.shape[0])
        y = _validation.flat_if_column(y)
        if y.ndim == 2:
            raise ValueError(f"SGDRegressor: y should be a 1d array, got one of shape {y.shape}.")
        weight = _validation.check_sample_weight(self, sample_weight, X.shape[0])
        weight = np.ones(X.shape[0]) if weight is None else weight
        return Problem(y[None], weight[None], None, None)

    @staticmethod
    def _validation_score(scores, y, weight):
        """Return the coefficient of determination; minus the squared error of constant targets."""
        error = np.average((y - scores) ** 2, weights=weight)
        spread = np.average((y - np.average(y, weights=weight)) ** 2, weights=weight)
        return 1.0 - error / spread if spread > 0.0 else -error
