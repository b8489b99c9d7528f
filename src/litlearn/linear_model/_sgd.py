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

from litlearn._core import targets, validation
from litlearn._core.constraints import (
    ANY_REAL,
    BOOLEAN,
    COUNT,
    NOT_NEGATIVE,
    POSITIVE,
    SEED,
    SHARE,
    Option,
    Real,
    Table,
)
from litlearn._core.jit import njit
from litlearn._core.linear import LinearClassifier, LinearRegressor, SparseCoefficients
from litlearn._core.parallel import check_interrupt, map_blocks
from litlearn._core.progress import progress
from litlearn.exceptions import ConvergenceWarning

LOSSES = (
    "hinge", "perceptron", "squared_hinge", "modified_huber", "log_loss",
    "squared_error", "huber", "epsilon_insensitive", "squared_epsilon_insensitive",
)  # fmt: skip
(
    HINGE, PERCEPTRON, SQUARED_HINGE, MODIFIED_HUBER, LOG,
    SQUARED_ERROR, HUBER, EPSILON_INSENSITIVE, SQUARED_EPSILON_INSENSITIVE,
) = range(9)  # fmt: skip
SCHEDULES = ("constant", "optimal", "invscaling", "adaptive", "pa1", "pa2")
CONSTANT, OPTIMAL, INVSCALING, ADAPTIVE, PA1, PA2 = range(6)
# What `Fit.numbers` holds.
SCALE, SQUARE, LENGTH, INTERCEPT, STEP, TIME, CUT, A, B, MEAN_INTERCEPT = range(10)
# Steps of the intercept are so much smaller for sparse samples, which touch it every time.
SPARSE_DECAY = 0.01
LARGEST_SLOPE = 1e12
SMALLEST_SCALE = 1e-9
# What an averaging estimator keeps for the next batch; scikit-learn's names.
AVERAGED = ("_standard_coef", "_standard_intercept", "_average_coef", "_average_intercept")


class SparseRows(NamedTuple):
    """Samples in CSR form; dense ones are full rows, and need no indices."""

    data: np.ndarray
    indices: np.ndarray  # empty for dense samples
    indptr: np.ndarray  # (n + 1,)
    squares: np.ndarray  # (n,), squared norms of the samples


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
def loss_and_slope(code, epsilon, y, z):
    """The loss of a score z, and its derivative; classes y are -1 and +1."""
    if code <= LOG:
        margin = y * z
        short = max(1.0 - margin, 0.0)
        if code <= PERCEPTRON:  # or hinge: epsilon is the margin that is asked for
            return max(epsilon - margin, 0.0), -y if margin <= epsilon else 0.0
        if code == LOG:
            small = np.exp(-np.abs(margin))
            share = (small if margin > 0.0 else 1.0) / (1.0 + small)
            return max(-margin, 0.0) + np.log1p(small), -y * share
        if code == MODIFIED_HUBER and margin < -1.0:
            return -4.0 * margin, -4.0 * y
        return short * short, -2.0 * y * short
    error = z - y
    size, sign = np.abs(error), np.sign(error)
    if code == SQUARED_ERROR or (code == HUBER and size <= epsilon):
        return 0.5 * error * error, error
    if code == HUBER:
        return epsilon * (size - 0.5 * epsilon), epsilon * sign
    beyond = max(size - epsilon, 0.0)
    if code == EPSILON_INSENSITIVE:
        return beyond, sign if beyond > 0.0 else 0.0
    return beyond * beyond, 2.0 * sign * beyond


# ---------------------------------------------------------------------------------------------
# Rows


def as_rows(X):
    """Return samples in the form in which kernels take them."""
    (n, p), none = X.shape, np.empty(0, dtype=np.int32)
    if not validation.is_sparse(X):
        squares = np.einsum("ij,ij->i", X, X, dtype=np.float64)
        return SparseRows(X.ravel(), validation.read_only(none), p * np.arange(n + 1), squares)
    with np.errstate(over="ignore"):  # which scores and steps tell
        squares = X.astype(np.float64).power(2) @ np.ones(p)
    return SparseRows(X.data, X.indices, X.indptr.astype(np.int64), squares)


@njit(helper=True, reassociate=True)
def row_dot(rows, i, v):
    """Product of sample i with v (p,)."""
    total, x = 0.0, rows.data[rows.indptr[i] : rows.indptr[i + 1]]
    if rows.indices.size:
        places = rows.indices[rows.indptr[i] : rows.indptr[i + 1]]
        for t in range(x.size):
            total += x[t] * v[places[t]]
    else:
        for j in range(x.size):
            total += x[j] * v[j]
    return total


@njit(helper=True)
def row_add(rows, i, factor, v):
    """Add a multiple of sample i to v (p,)."""
    c, x = v.dtype.type(factor), rows.data[rows.indptr[i] : rows.indptr[i + 1]]
    if rows.indices.size:
        places = rows.indices[rows.indptr[i] : rows.indptr[i + 1]]
        for t in range(x.size):
            v[places[t]] += c * x[t]
    else:
        for j in range(x.size):
            v[j] += c * x[j]


@njit(helper=True)
def row_cut(rows, i, factor, fit):
    """Add a multiple of sample i to the coefficients of its features, and `truncate` them."""
    c, x = fit.v.dtype.type(factor), rows.data[rows.indptr[i] : rows.indptr[i + 1]]
    length = square = 0.0
    if rows.indices.size:
        places = rows.indices[rows.indptr[i] : rows.indptr[i + 1]]
        for t in range(x.size):
            longer, larger = truncate(fit, places[t], c * x[t])
            length, square = length + longer, square + larger
    else:
        for j in range(x.size):
            longer, larger = truncate(fit, j, c * x[j])
            length, square = length + longer, square + larger
    fit.numbers[LENGTH] += fit.numbers[SCALE] * length
    fit.numbers[SQUARE] += fit.numbers[SCALE] ** 2 * square


@njit(helper=True)
def truncate(fit, j, step):
    """Add to coefficient j; take off what the l1 penalty has come to, but not beyond zero.

    Return the changes of its size and of its square.
    """
    at, before, owed = fit.numbers, np.float64(fit.v[j]), fit.missed[j]
    old = fit.v[j] + step
    new = np.float64(old)
    if old > 0.0:
        new = max(0.0, old - (at[CUT] + owed) / at[SCALE])
    elif old < 0.0:
        new = min(0.0, old + (at[CUT] - owed) / at[SCALE])
    fit.v[j] = new
    fit.missed[j] = owed + at[SCALE] * (fit.v[j] - old)
    if fit.mean.size:
        fit.mean[j] -= at[A] * (fit.v[j] - old)
    after = np.float64(fit.v[j])
    return np.abs(after) - np.abs(before), after * after - before * before


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
def scale_coefficients(fit, factor):
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
    """By what multiple of the sample the coefficients change, but for its weight; and the loss."""
    loss, slope = loss_and_slope(rule.loss, rule.epsilon, y, z)
    if not np.isfinite(z):  # no step to go by, which has to show in the coefficients
        return np.nan, loss
    if rule.schedule < PA1:
        return -eta * min(max(slope, -LARGEST_SLOPE), LARGEST_SLOPE), loss
    # <passive-aggressive>: No farther than the loss asks for.
    size = loss / (square + 0.5 / rule.eta0)
    if rule.schedule == PA1:
        size = min(rule.eta0, loss / square) if square > 0.0 else 0.0
    return (y if rule.loss <= 1 else np.sign(y - z)) * size, loss


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
def one_pass(rows, y, weight, order, rule, fit):
    """Take one step for each sample of `order`; return the mean objective on the way.

    y and weight (n,): targets and weights.
    """
    at, total = fit.numbers, 0.0
    for k in range(order.size):
        i = order[k]
        product = at[SCALE] * row_dot(rows, i, fit.v)
        at[STEP] = eta = step_size(rule, at)
        change, loss = change_of(rule, eta, y[i], product + at[INTERCEPT], rows.squares[i])
        total += loss
        if rule.schedule < PA1:
            total += rule.alpha_l1 * at[LENGTH] + 0.5 * rule.alpha_l2 * at[SQUARE]
        elif rows.squares[i] == 0.0 and rule.schedule == PA1:
            continue
        change *= weight[i]
        # <step>: Shrink by the l2 penalty, then add a multiple of the sample.
        factor = max(0.0, 1.0 - rule.alpha_l2 * eta)
        scale_coefficients(fit, factor)
        at[INTERCEPT] += rule.decay * change
        if 0.0 < rule.average <= at[TIME]:
            add_to_average(rows, i, rule, fit, change)
        if rule.alpha_l1 > 0.0:
            # <cut>: What the l1 penalty has come to, off the features of this sample.
            at[CUT] += rule.alpha_l1 * eta
            row_cut(rows, i, change / at[SCALE], fit)
        elif change != 0.0:
            row_add(rows, i, change / at[SCALE], fit.v)
            at[SQUARE] += change * (2.0 * factor * product + change * rows.squares[i])
        at[TIME] += 1.0
    settle(fit)
    return total / order.size


def begin_fit(rule, coef, intercept=0.0, mean=None, mean_intercept=0.0, time=1.0):
    """Return the `Fit` that begins with coefficients (p,) at the step number `time`."""
    numbers, mean = np.zeros(10), np.zeros_like(coef) if mean is None else mean.copy()
    numbers[[SCALE, B, STEP, TIME]] = 1.0, 1.0, rule.eta0, time
    numbers[[INTERCEPT, MEAN_INTERCEPT]] = intercept, mean_intercept
    missed = np.zeros(len(coef) if rule.alpha_l1 > 0.0 else 0)
    fit = Fit(coef.copy(), mean[: len(coef) if rule.average > 0.0 else 0], missed, numbers)
    settle(fit)
    return fit


@njit
def shuffle_as_sklearn(order, seed):
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
# Samples to validate with


def held_out(owner, random, n, codes, positive):
    """Return the samples to validate with, in which the classes have their shares.

    They are those of scikit-learn's ``ShuffleSplit``, or with `codes` ``StratifiedShuffleSplit``.
    """
    n_held = int(np.ceil(owner.validation_fraction * n))
    if n_held >= n:
        raise ValueError(
            f"{validation.owner_name(owner)}: Splitting {n} samples into a train set and a "
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
            f"{validation.owner_name(owner)}: The sample weights for validation set are all zero, "
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

    _constraints = Table(
        penalty=Option("l2", "l1", "elasticnet") | None,
        alpha=NOT_NEGATIVE,
        l1_ratio=SHARE | None,
        max_iter=COUNT,
        tol=NOT_NEGATIVE | None,
        shuffle=BOOLEAN,
        epsilon=NOT_NEGATIVE,
        learning_rate=Option(*SCHEDULES),
        eta0=POSITIVE,
        power_t=ANY_REAL,
        random_state=SEED,
        early_stopping=BOOLEAN,
        validation_fraction=Real("(0.0, 1.0)"),
        n_iter_no_change=COUNT,
        average=BOOLEAN | COUNT,
    )
    sparse_formats = ("csr",)

    def _check_parameters(self, batch):
        """Check every parameter; `batch` is for ``partial_fit``."""
        given, who = validation.check_parameters(self), type(self).__name__
        if given.power_t < 0.0:
            message = (
                f"{who}: Negative values for `power_t` are deprecated in scikit-learn 1.8 and will "
                "raise an error in 1.10. Use values in the range [0.0, inf) instead."
            )
            validation.warn(FutureWarning(message))
        if given.penalty == "elasticnet" and given.l1_ratio is None:
            raise ValueError(f"{who}: l1_ratio must be set when penalty is 'elasticnet'")
        if given.learning_rate == "optimal" and given.alpha == 0.0:
            raise ValueError(
                f"{who}: alpha must be > 0 since learning_rate is 'optimal'. alpha is used to "
                "compute the optimal learning rate."
            )
        if given.learning_rate in ("pa1", "pa2") and given.loss != self.passive_aggressive:
            raise ValueError(
                f"{who}: Learning rate '{given.learning_rate}' only works with loss "
                f"'{self.passive_aggressive}'."
            )
        if batch and given.early_stopping:
            raise ValueError(f"{who}: early_stopping should be False with partial_fit")

    def _rule(self, sparse):
        """Return the parameters in the form in which kernels take them."""
        shares = {None: (0.0, 0.0), "l2": (0.0, 1.0), "l1": (1.0, 0.0)}
        l1, l2 = shares.get(self.penalty) or (self.l1_ratio, 1.0 - self.l1_ratio)
        start = 0.0
        if self.learning_rate == "optimal":
            alpha = float(self.alpha)
            start = 1.0 / (np.sqrt(1.0 / np.sqrt(alpha)) * alpha)
        decay = float(self.fit_intercept) * (SPARSE_DECAY if sparse else 1.0)
        epsilon = {"hinge": 1.0, "perceptron": 0.0}.get(self.loss, float(self.epsilon))
        return Rule(
            LOSSES.index(self.loss), epsilon, SCHEDULES.index(self.learning_rate),
            float(self.eta0), float(self.power_t), float(self.alpha), float(self.alpha * l1),
            float(self.alpha * l2), float(start), decay, validation.float_or_infinity(self.average),
        )  # fmt: skip

    def _learn(self, X, y, sample_weight, start=(None, None), batch=False, known=None):
        """Learn from all samples, or from a batch, which goes on where the last one ended.

        Parameters
        ----------
        X, y, sample_weight
            As they were given.
        start : pair, default=(None, None)
            Coefficients and intercepts to begin at, if they were given.
        batch : bool, default=False
            Whether to take one pass only.
        known : ndarray of shape (n_classes,), default=None
            The classes of all batches.
        """
        names, goes_on = validation.feature_names(X), batch and hasattr(self, "t_")
        check = validation.check_queries if goes_on else validation.check_array
        X = check(self, X, sparse=self.sparse_formats)
        weight = validation.check_sample_weight(self, sample_weight, X.shape[0])
        weight = np.ones(X.shape[0]) if weight is None else weight
        y, weight, codes, classes = self._problem(y, weight, known)
        start = self._start((len(y), X.shape[1]), X.dtype, start, goes_on)
        time, longest = self.t_ if goes_on else 1.0, 1 if batch else int(self.max_iter)
        fits, n_iter = self._passes(X, y, weight, codes, start, time, longest)
        if not goes_on:
            validation.store_features(self, X.shape[1], names)
        if classes is not None:
            self.classes_ = classes
        self.n_iter_, self.t_ = n_iter, time + float(n_iter * X.shape[0])
        self._store(fits, X.dtype, flat=classes is None)
        if not batch and self.tol is not None and n_iter == longest:
            message = (
                "Maximum number of iteration reached before convergence. Consider increasing "
                "max_iter to improve the fit."
            )
            validation.warn(ConvergenceWarning(message))
        return self

    def _start(self, shape, dtype, given, goes_on):
        """Return where to begin: coefficients, intercepts, and the averages of both so far."""
        q, found = shape[0], []
        mean, mean_intercept = np.zeros(shape), np.zeros(q)
        if goes_on and self.average and hasattr(self, "_average_coef"):
            *given, mean, mean_intercept = (getattr(self, name) for name in AVERAGED)
        elif goes_on or (self.warm_start and getattr(self, "coef_", None) is not None):
            coef = self.coef_.toarray() if validation.is_sparse(self.coef_) else self.coef_
            last = coef, self.intercept_
            given = [own if one is None else one for one, own in zip(given, last, strict=True)]
        for name, one, size in zip(
            ("coef_init", "intercept_init"), given, (shape, (q,)), strict=True
        ):
            array = np.zeros(size) if one is None else np.array(one, dtype=np.float64)
            if array.size != np.prod(size) or (q > 1 and array.shape != size):
                raise ValueError(
                    f"{type(self).__name__}: Provided {name} does not match dataset. It has shape "
                    f"{array.shape}, expected {size}."
                )
            validation.check_finite(type(self).__name__, array, name)
            found.append(array.reshape(size).astype(dtype))
        return *found, mean.astype(dtype), mean_intercept

    def _passes(self, X, y, weight, codes, start, time, longest):
        """Take the passes for every row of coefficients.

        Parameters
        ----------
        X : ndarray or CSR array of shape (n, p)
        y, weight : ndarray of shape (q, n)
            Targets and weights for each row.
        codes : ndarray of shape (n,) or None
            Classes, of which a validation set holds equal shares.
        start : tuple
            Where to begin, as from ``_start``; not changed.
        time : float
            The number of the first step.
        longest : int
            Most passes.

        Returns
        -------
        fits : list of Fit
        n_iter : int
            Most passes of any row.
        """
        held, seeds = self._draw(codes, weight)
        learned = np.ones(X.shape[0], dtype=bool)
        learned[held] = False
        rows, rule = as_rows(X), self._rule(validation.is_sparse(X))
        shown = progress(self, "objective {:.4g}".format, unit="pass", total=longest)
        with shown as report:
            report = report if len(y) == 1 else None

            def job(k):
                fit = begin_fit(rule, *(one[k] for one in start), time)
                held_out = X[held], y[k, held], weight[k, held]
                samples = rows, y[k], weight[k]
                return fit, self._descend(
                    samples, learned, rule, fit, longest, seeds[k], held_out, report
                )

            found = map_blocks(job, len(y), getattr(self, "n_jobs", None))
        return [fit for fit, _ in found], max(count for _, count in found)

    def _descend(self, samples, learned, rule, fit, longest, seed, held_out, report):
        """Take passes until the objective, or a score on other samples, ceases to improve.

        Parameters
        ----------
        samples : tuple
            Rows, targets and weights of all samples.
        learned : ndarray of shape (n,), bool
            Samples to learn from.
        rule : Rule
        fit : Fit
            Changed.
        longest : int
            Most passes.
        seed : int
            Of the order of each pass, which is made from the last one.
        held_out : tuple
            Samples, targets and weights to validate with.
        report : callable or None

        Returns
        -------
        int
            The number of passes.
        """
        tol, best, idle = -np.inf if self.tol is None else self.tol, np.inf, 0
        places, all_learned = np.arange(len(learned)), learned.all()
        for done in range(1, longest + 1):
            if self.shuffle:
                shuffle_as_sklearn(places, seed)
            order = places if all_learned else places[learned[places]]
            value = one_pass(*samples, order, rule, fit)
            if not (np.isfinite(fit.numbers[INTERCEPT]) and np.isfinite(fit.v).all()):
                raise ValueError(
                    f"Floating-point under-/overflow occurred at epoch #{done}. Scaling input data "
                    f"with StandardScaler or MinMaxScaler might help. {type(self).__name__} has "
                    f"alpha={self.alpha}, eta0={self.eta0}, power_t={self.power_t}."
                )
            if self.early_stopping:
                X, y, weight = held_out
                value = -self._validation_score(X @ fit.v + fit.numbers[INTERCEPT], y, weight)
            if report is not None:
                report(done, value)
            check_interrupt()
            # <patience>: Passes in a row that gain less than `tol`.
            idle = idle + 1 if value > best - tol else 0
            best = min(best, value)
            if idle >= self.n_iter_no_change:
                if self.learning_rate != "adaptive" or fit.numbers[STEP] <= 1e-6:
                    break
                fit.numbers[STEP] /= 5.0
                idle = 0
        return done

    def _store(self, fits, dtype, flat):
        """Store the coefficients, or their average once it has begun."""
        numbers = np.stack([fit.numbers for fit in fits])
        coef, intercept = np.stack([fit.v for fit in fits]), numbers[:, INTERCEPT]
        for name in AVERAGED:
            vars(self).pop(name, None)
        if self.average:
            mean, mean_intercept = np.stack([fit.mean for fit in fits]), numbers[:, MEAN_INTERCEPT]
            found = coef, intercept, mean, mean_intercept
            vars(self).update(zip(AVERAGED, found, strict=True))
            if self.average <= self.t_ - 1.0:
                coef, intercept = mean, mean_intercept
        self.coef_ = coef[0].copy() if flat else coef.copy()
        self.intercept_ = intercept.astype(dtype)

    def _draw(self, codes, weight):
        """Return the samples that are held out, and a seed for the orders of each row.

        They are scikit-learn's, which draws a number more than it needs before, or after, the seed.
        """
        random = validation.check_random_state(self, self.random_state)
        integer, held = validation.random_integer, np.empty(0, dtype=np.intp)
        if codes is not None and len(weight) == 1:
            integer(random)
        if self.early_stopping:
            positive = weight.max(axis=0) > 0.0
            splits = validation.check_random_state(self, self.random_state)
            held = held_out(self, splits, len(positive), codes, positive)
        seeds = [integer(random) for _ in weight]
        if codes is None:
            integer(random)
        elif len(seeds) > 1:
            # <members>: Each has a generator of its own.
            for k, member in enumerate(map(np.random.RandomState, seeds)):
                integer(member)
                seeds[k] = integer(member)
        return held, seeds


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
    l1_ratio : float or None, default=0.15
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
    verbose : bool or int, default=0
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

    _constraints = Table(loss=Option(*LOSSES))
    passive_aggressive = "hinge"

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
        self._set_as_given(locals())

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
        return self._learn(X, y, sample_weight, (coef_init, intercept_init))

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
        known, _ = targets.batch_classes(self, classes)
        return self._learn(X, y, sample_weight, batch=True, known=known)

    def _problem(self, y, weight, known=None):
        """Return targets and weights (q, n): a row for each class, or one for two; and classes.

        `known` are the classes of batches.
        """
        fewest = 2 if known is None else 1
        coded = targets.encode_one(self, y, len(weight), fewest=fewest)
        classes, codes = coded.classes[0], coded.codes[0]
        if known is not None:
            if len(known) < 2:
                raise ValueError("SGDClassifier: The number of classes has to be greater than one.")
            complaint = "y holds classes {missing} that are not among {classes}."
            places = targets.batch_places(self, classes, known, complaint)
            classes, codes = known, places[codes]
        factors = validation.check_class_weight(self, self.class_weight, classes, codes)
        own, others = np.arange(len(classes))[:, None], 1.0
        if len(classes) == 2:
            own, others = own[1:], factors[0]
        mine = codes == own
        weight = weight * np.where(mine, factors[own], others)
        return np.where(mine, 1.0, -1.0), weight, codes, classes

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
        return targets.logarithms(self._predict_proba(X))

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
    l1_ratio : float or None, default=0.15
        Share of the l1 penalty with ``penalty="elasticnet"``, from 0 to 1.
    fit_intercept : bool, default=True
        Add a constant. It is not penalised.
    max_iter : int, default=1000
        Most passes over the samples, in ``fit``.
    tol : float or None, default=1e-3
        As in :class:`SGDClassifier`.
    shuffle : bool, default=True
        Whether each pass takes the samples in a new order: in scikit-learn's for the same seed.
    verbose : bool or int, default=0
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

    _constraints = Table(loss=Option(*LOSSES[SQUARED_ERROR:]))
    passive_aggressive = "epsilon_insensitive"

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
        self._set_as_given(locals())

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
        return self._learn(X, y, sample_weight, (coef_init, intercept_init))

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
        return self._learn(X, y, sample_weight, batch=True)

    def _linear_function(self, X):
        """Return it flat: sparse coefficients are a row, and their product is a column."""
        return super()._linear_function(X).ravel()

    def _problem(self, y, weight, known=None):
        y = validation.check_real_targets(self, y, len(weight))
        y = validation.flat_if_column(y)
        if y.ndim == 2:
            raise ValueError(f"SGDRegressor: y should be a 1d array, got one of shape {y.shape}.")
        return y[None], weight[None], None, None

    @staticmethod
    def _validation_score(scores, y, weight):
        """Return the coefficient of determination; minus the squared error of constant targets."""
        error = np.average((y - scores) ** 2, weights=weight)
        spread = np.average((y - np.average(y, weights=weight)) ** 2, weights=weight)
        return 1.0 - error / spread if spread > 0.0 else -error
