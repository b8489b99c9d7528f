"""What a parameter may be, as data, and the error that says so.

An estimator declares a table, with a constraint for each of its parameters::

    _constraints = Table(
        n_clusters=COUNT,
        init=Option("k-means++", "random") | CALLABLE | ARRAY,
        tol=Real("[0.0, inf)"),
        max_no_improvement=Integer("[0, inf)") | None,
    )

A class has the tables of its bases, too, and `COMMON`, which holds the parameters that mean the
same everywhere. :func:`~litlearn._core.validation.check_parameters` reads the parameters of an
estimator by its table. The types of the stubs are made from it, and what the page *Coming from
scikit-learn* says of values that only one of the two takes.
"""

import numbers

import numpy as np

from litlearn.exceptions import InvalidParameterError

LARGEST = 2**31 - 1  # no fit counts further; small multiples of it stay within 64 bits
REFUSED = object()  # what `read` returns for a value that is not allowed


# ---------------------------------------------------------------------------------------------
# Messages


def owner_name(owner):
    """Return the name of an estimator, or `owner` itself if it is a string."""
    return owner if isinstance(owner, str) else type(owner).__name__


def shown(value):
    """Return what came as a text of at most 200 characters."""
    try:
        text = repr(value)
    except Exception:  # whatever the object of somebody else raises: an int of 5000 digits, too
        text = f"an object of type {type(value).__name__}"
    return text if len(text) <= 200 else f"{text[:197]}..."


def refuse(owner, name, value, expected):
    """Raise ``InvalidParameterError``: what the parameter must be, and what came."""
    text = shown(value)
    raise InvalidParameterError(
        f"The {name!r} parameter of {owner_name(owner)} must be {expected}. Got {text} instead."
    )


# ---------------------------------------------------------------------------------------------
# Constraints


class Table(dict):
    """Constraints by the names of the parameters."""


class Constraint:
    """What a parameter may be.

    Its ``words`` stand in messages, its ``kinds`` in stubs, and ``read`` returns a value in the
    form in which it is computed with, or `REFUSED`. ``one | other`` allows what either of them
    allows, and ``one | None`` None besides.
    """

    def __or__(self, other):
        return Either(self, NONE if other is None else other)

    def check(self, owner, name, value):
        """Return what `read` does; raise ``InvalidParameterError`` if the value is refused."""
        found = self.read(value)
        if found is REFUSED:
            refuse(owner, name, value, self.words)
        return found


class Either(Constraint):
    """What one of several constraints allows; the first that does so reads it."""

    def __init__(self, *members):
        self.members = [part for one in members for part in getattr(one, "members", [one])]
        *first, last = [one.words for one in self.members]
        self.words = f"{', '.join(first)} or {last}"
        self.kinds = [kind for one in self.members for kind in one.kinds]

    def read(self, value):
        found = (one.read(value) for one in self.members)
        return next((one for one in found if one is not REFUSED), REFUSED)


class Option(Constraint):
    """One of some strings."""

    def __init__(self, *options):
        self.options = options
        self.words = f"a str among {{{', '.join(map(repr, options))}}}"
        self.kinds = [f'Literal["{one}"]' for one in options]

    def read(self, value):
        return value if isinstance(value, str) and value in self.options else REFUSED


class Number(Constraint):
    """A number in an interval, which is given in mathematical notation: ``"(0.0, inf)"``."""

    def __init__(self, interval):
        self.interval = interval
        self.words = f"{self.noun} in the range {interval}"
        self.low, self.high = map(float, interval[1:-1].split(","))
        self.has_low, self.has_high = interval[0] == "[", interval[-1] == "]"

    def includes(self, number):
        """Tell whether a number is in the interval; what is not a number is not."""
        above = number > self.low or (self.has_low and number == self.low)
        return above and (number < self.high or (self.has_high and number == self.high))


class Integer(Number):
    """An integer; a bool is none.

    A limit such as a depth may be any number, also one that compiled code has no room for, and is
    read as `LARGEST` then. A number of things that are made or repeated ends there: `REPEATS`.
    """

    noun, kinds = "an int", ("Int",)

    def read(self, value):
        is_integer = isinstance(value, numbers.Integral) and not isinstance(value, bool)
        if not is_integer or not self.includes(value):
            return REFUSED
        return max(-LARGEST, min(int(value), LARGEST))


class Real(Number):
    """A real number: an integer, too."""

    noun, kinds = "a float", ("Float",)
    types = (float, int, np.floating, np.integer)  # sums with a Fraction are no numbers of NumPy's

    def read(self, value):
        if not isinstance(value, self.types) or isinstance(value, bool):
            return REFUSED
        number = float_or_infinity(value)
        return number if self.includes(number) else REFUSED


class Float(Real):
    """A real number that is no integer, beside which it stands with another meaning: a share."""

    types = (float, np.floating)


def float_or_infinity(value):
    """Return a real number as a float, infinity where it is too large for one."""
    try:
        return float(value)
    except OverflowError:
        return np.inf if value > 0 else -np.inf


class Kind(Constraint):
    """Whatever passes a test."""

    def __init__(self, words, kinds, accepts):
        self.words, self.kinds, self.accepts = words, kinds.split(" | "), accepts

    def read(self, value):
        return value if self.accepts(value) else REFUSED


class Has(Kind):
    """An object, not a class, that has a method."""

    def __init__(self, method):
        words = f"an object, not a class, that has the method {method}"
        super().__init__(words, "Any", lambda one: hasattr(one, method) and not is_class(one))


def is_class(value):
    """Tell whether a value is a class."""
    return isinstance(value, type)


def is_array_like(value):
    """Tell whether `value` is an array-like of at least one dimension, all of one length."""
    try:
        return np.ndim(value) > 0
    except (ValueError, TypeError):  # lists of several lengths, or what NumPy cannot read
        return False


# ---------------------------------------------------------------------------------------------
# What many estimators have


class RandomState(Constraint):
    """What random numbers are drawn by.

    None draws from NumPy's global state, as in scikit-learn; an int seeds a new ``RandomState``, or
    is read as it is with `seed`, for :func:`~litlearn._core.validation.random_integer`; a
    ``RandomState`` or a ``Generator`` is used as it is.
    """

    words = "an int in the range [0, 2**32), a RandomState, a Generator or None"
    kinds = ("Int", "np.random.RandomState", "np.random.Generator", "None")

    def __init__(self, seed=False):
        self.seed = seed

    def read(self, value):
        if value is None or value is np.random:
            return np.random.mtrand._rand
        if isinstance(value, (np.random.RandomState, np.random.Generator)):
            return value
        is_integer = isinstance(value, numbers.Integral) and not isinstance(value, bool)
        if not is_integer or not 0 <= value < 2**32:
            return REFUSED
        return int(value) if self.seed else np.random.RandomState(int(value))


class Boolean(Constraint):
    """True or False, of Python or of NumPy."""

    words, kinds = "a bool: True or False", ("Bool",)

    def read(self, value):
        return bool(value) if isinstance(value, (bool, np.bool_)) else REFUSED


class Jobs(Constraint):
    """A number of threads."""

    words, kinds = "a positive int, a negative int (-1: all CPUs) or None", ("Int", "None")

    def read(self, value):
        found = None if value is None else ANY_INTEGER.read(value)
        return REFUSED if found == 0 else found


CALLABLE = Kind("a callable", "Callable[..., Any]", callable)
ARRAY = Kind("an array-like", "Array", is_array_like)
DICT = Kind("a dict", "Mapping[Any, Any]", lambda one: isinstance(one, dict))
TEXT = Kind("a str", "str", lambda one: isinstance(one, str))
NONE = Kind("None", "None", lambda one: one is None)
ANYTHING = Kind("anything", "Any", lambda one: True)  # checked against the data

BOOLEAN, N_JOBS = Boolean(), Jobs()
COUNT, ANY_INTEGER = Integer("[1, inf)"), Integer("(-inf, inf)")
REPEATS, TIMES = Integer(f"[1, {LARGEST}]"), Integer(f"[0, {LARGEST}]")
POSITIVE, NOT_NEGATIVE = Real("(0.0, inf)"), Real("[0.0, inf)")
ANY_REAL = Real("(-inf, inf)")
SHARE = Real("[0.0, 1.0]")
VERBOSE = BOOLEAN | Integer("[0, inf)")
RANDOM_STATE = RandomState()
# Of estimators that may need no random numbers: a new RandomState takes 60 microseconds.
SEED = RandomState(seed=True)
COMMON = Table(
    class_weight=DICT | Option("balanced") | None,
    copy=BOOLEAN,
    copy_X=BOOLEAN,
    fit_intercept=BOOLEAN,
    n_jobs=N_JOBS,
    random_state=RANDOM_STATE,
    tol=NOT_NEGATIVE,
    verbose=VERBOSE,
    warm_start=BOOLEAN,
)
