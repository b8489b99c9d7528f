"""Problems that no user should have, made from a seed, and two packages compared on them.

A family draws a :class:`Case` from a seed: an estimator, its parameters, and a problem.
:func:`compare` fits our class and scikit-learn's, and says what is wrong with ours. Objectives are
computed for both by the tests, in extended precision.
"""

import copy
import importlib
import os
import warnings
import zlib
from dataclasses import dataclass, field

import numpy as np
import pytest
import scipy.sparse

# Parameters that choose a path through the code. Each estimator takes those that it has.
CHOICES = {
    "algorithm": ("auto", "brute", "kd_tree", "ball_tree"),
    "alpha": (1e-9, 0.1, 1.0, 1e6),
    "bootstrap": (True, False),
    "C": (1e-6, 1.0, 1e6),
    "class_weight": (None, "balanced"),
    "fit_intercept": (True, False),
    "l1_ratio": (0.0, 0.5, 1.0),
    "leaf_size": (1, 2, 30),
    "max_bins": (None, 2, 5),
    "max_depth": (None, 1, 3),
    "max_features": (None, 1, "sqrt"),
    "max_iter": (30, 200),
    "max_leaf_nodes": (None, 2, 5),
    "metric": ("euclidean", "manhattan", "chebyshev"),
    "min_samples_leaf": (1, 2, 0.3),
    "min_weight_fraction_leaf": (0.0, 0.2),
    "n_components": (1,),
    "n_estimators": (2,),
    "n_neighbors": (1, 2),
    "positive": (False, True),
    "random_state": (0, 1),
    "splitter": ("best", "random"),
    "svd_solver": ("auto", "full", "covariance_eigh", "randomized"),
    "weights": ("uniform", "distance"),
    "whiten": (False, True),
}
LONG = np.longdouble
EXTENDED = pytest.mark.skipif(
    np.finfo(LONG).maxexp < 2000, reason="objectives need a float of extended range"
)

# --- problems ------------------------------------------------------------------------------------


@dataclass
class Problem:
    """Samples, targets and weights as they are handed over, and `table`, what the samples say."""

    X: object
    y: np.ndarray
    weight: np.ndarray | None
    queries: object
    table: np.ndarray
    asked: np.ndarray
    scale: float
    target_scale: float = 1.0
    words: list = field(default_factory=list)

    @property
    def weights(self):
        """One number a sample, in extended precision."""
        return np.ones(len(self.y), LONG) if self.weight is None else self.weight.astype(LONG)

    @property
    def eps(self):
        """The rounding of the type in which the samples are given."""
        return 2.0**-23 if self.X.dtype == np.float32 else 2.0**-52

    @property
    def mild(self):
        """Whether all numbers are of ordinary size, so that two exact programs agree."""
        scales = np.array([self.scale, self.target_scale])
        return bool(
            np.all((scales > 1e-4) & (scales < 1e4))
            and {"uneven", "shifted by 1e+06"}.isdisjoint(self.words)
        )


def choose(rng, *values, odds=None):
    """One of the values, which keeps its type."""
    return values[rng.choice(len(values), p=odds)]


def scale_of(rng):
    """A scale of everyday size, or of any."""
    far = choose(rng, 0.0, 3.0, 30.0, 160.0, odds=(0.5, 0.2, 0.15, 0.15))
    return float(10.0 ** rng.uniform(-far, far))


def samples(rng, n, p):
    """Samples with ties, equal rows and columns, constants and outliers, of size 1."""
    kind = rng.integers(0, 5)
    X = rng.normal(size=(n, p))
    if kind == 0:
        X = rng.integers(-2, 3, (n, p)).astype(float)
    elif kind == 1:
        X = np.exp(2 * X)
    elif kind == 2:
        X += 3 * rng.normal(size=(3, p))[rng.integers(0, 3, n)]
    elif kind == 3:
        X *= rng.random((n, p)) < 0.4
    if rng.random() < 0.2:
        X[:, rng.integers(0, p)] = choose(rng, 0.0, 1.0, -3.0)
    if rng.random() < 0.2:
        X[:, rng.integers(0, p)] = X[:, 0]
    if rng.random() < 0.3:
        X[rng.integers(0, n, n // 2)] = X[rng.integers(0, n, n // 2)]
    return X


def shape(rng):
    n, p = int(rng.integers(8, 41)), int(rng.integers(2, 8))
    kind = choose(rng, "usual", "wide", "one", "few", "single", odds=(0.6, 0.15, 0.1, 0.1, 0.05))
    if kind == "wide":
        n, p = int(rng.integers(4, 10)), int(rng.integers(10, 25))
    elif kind == "one":
        p = 1
    elif kind == "few":
        n = int(rng.integers(2, 5))
    elif kind == "single":
        n = 1
    return n, p


def sparse_form(rng, X):
    """The same table, stored in one of the forms in which users have it."""
    index = choose(rng, np.int32, np.int64, odds=(0.9, 0.1))  # LIBSVM takes the first only
    rows, columns = (places.astype(index) for places in np.nonzero(X))
    values = X[rows, columns]
    kind = choose(rng, "csr", "csc", "coo", "unsorted", "duplicates", "zeros")
    if kind == "duplicates" and len(values):
        # Halves add up without rounding, except where they are subnormal.
        half = rng.random(len(values)) < 0.3
        half &= np.abs(values) > 1e-300 if X.dtype == np.float64 else np.abs(values) > 1e-30
        rows, columns = np.r_[rows, rows[half]], np.r_[columns, columns[half]]
        values = np.r_[np.where(half, values / 2, values), values[half] / 2]
    if kind == "zeros":
        rows = np.r_[rows, rng.integers(0, X.shape[0], 3).astype(index)]
        columns = np.r_[columns, np.zeros(3, index)]
        values = np.r_[values, np.zeros(3, X.dtype)]
    if kind in ("csr", "csc", "coo"):
        form = {"csr": scipy.sparse.csr_array, "csc": scipy.sparse.csc_array}
        return form.get(kind, scipy.sparse.coo_array)((values, (rows, columns)), shape=X.shape)
    order = rng.permutation(len(values))
    order = order[np.argsort(rows[order], kind="stable")]
    starts = np.r_[0, np.cumsum(np.bincount(rows, minlength=X.shape[0]))].astype(index)
    parts = values[order], columns[order], starts
    made = scipy.sparse.csr_array(parts, shape=X.shape)
    return made.tocsc() if kind == "zeros" and rng.random() < 0.5 else made


def handed_over(rng, X, form):
    """The table in one of the forms of arrays."""
    if form == "sparse":
        return sparse_form(rng, X)
    if form == "fortran":
        return np.asfortranarray(X)
    if form == "strided":
        wide = np.zeros((2 * X.shape[0], 3 * X.shape[1]), X.dtype)
        wide[::2, ::3] = X
        return wide[::2, ::3]
    if form == "reversed":
        return X[::-1, ::-1].copy()[::-1, ::-1]
    if form == "read-only":
        X = X.copy()
        X.flags.writeable = False
    return X


def tables(rng, sparse=False, nonnegative=False):
    """Samples and queries, without targets."""
    n, p = shape(rng)
    X, asked, words = samples(rng, n, p), samples(rng, 9, p), []
    asked[: min(4, n)] = X[: min(4, n)]
    scale = scale_of(rng)
    if rng.random() < 0.15:
        words.append("uneven")
        factors = 10.0 ** rng.uniform(-8, 8, p)
        X, asked = X * factors, asked * factors
    if rng.random() < 0.15:
        shift = choose(rng, 10.0, 1e6)
        words.append(f"shifted by {shift:g}")
        X, asked = X + shift, asked + shift
    if nonnegative:
        X, asked = np.abs(X), np.abs(asked)
    X, asked = X * scale, asked * scale
    dtype = choose(rng, "float64", "float32", "int64", odds=(0.75, 0.15, 0.1))
    if (dtype == "float32" and 1e-25 < scale < 1e8) or (dtype == "int64" and 1e-3 < scale < 1e5):
        X, asked = (table.astype(dtype) for table in (X, asked))
        words.append(dtype)
    form = choose(rng, "plain", "fortran", "strided", "reversed", "read-only", "sparse")
    if form == "sparse" and not (sparse and X.dtype.kind == "f"):
        form = "plain"
    words.append(form)
    given = [handed_over(rng, table, form) for table in (X, asked)]
    full = [table.astype(np.float64) for table in (X, asked)]
    return Problem(given[0], None, None, given[1], *full, scale, words=words)


def add_weights(rng, problem, zeros=True):
    kind = choose(rng, "none", "plain", "decades", "zeros", odds=(0.5, 0.2, 0.15, 0.15))
    n = len(problem.table)
    if kind == "none" or (kind == "zeros" and not zeros):
        return
    problem.weight = rng.uniform(0.5, 2.0, n)
    if kind == "decades":
        problem.weight = 10.0 ** rng.uniform(-12, 12, n)
    elif kind == "zeros":
        problem.weight *= rng.random(n) < 0.6
    problem.words.append(f"weights: {kind}")


def direction(rng, problem):
    """A linear function of the samples of size 1."""
    centred = problem.table / problem.scale
    size = np.abs(centred).max(axis=0)
    centred = centred / np.where(size > 0, size, 1.0)
    return centred @ rng.normal(size=problem.table.shape[1])


def classification(rng, sparse=False, weights=True, classes=(1, 2, 2, 2, 3, 5, 12)):
    problem = tables(rng, sparse)
    value = direction(rng, problem) + choose(rng, 0.0, 0.3, 2.0) * rng.normal(
        size=len(problem.table)
    )
    n_classes = choose(rng, *classes)
    limits = np.quantile(value, np.linspace(0, 1, n_classes + 1)[1:-1])
    codes = np.searchsorted(limits, value, side="right")
    if rng.random() < 0.3:
        codes = rng.integers(0, n_classes, len(codes))
    names = (
        np.arange(n_classes),
        2.0 * np.arange(n_classes) - 5,
        np.array([f"class {c:02}" for c in range(n_classes)]),
    )
    problem.y = choose(rng, *names)[codes]
    problem.words.append(f"{len(np.unique(codes))} classes")
    if weights:
        add_weights(rng, problem)
    return problem


def regression(rng, sparse=False, weights=True, targets=1):
    problem = tables(rng, sparse)
    n = len(problem.table)
    y = direction(rng, problem) + choose(rng, 0.0, 0.3, 3.0) * rng.normal(size=n)
    kind = choose(rng, "plain", "ties", "constant", odds=(0.75, 0.15, 0.1))
    if kind == "ties":
        y = np.round(y)
    elif kind == "constant":
        y = np.full(n, 3.0)
    # Coefficients are of the type of the samples, and need room there.
    problem.target_scale = 1.0 if problem.X.dtype != np.float64 else scale_of(rng)
    problem.y = y * problem.target_scale
    if targets > 1:
        problem.y = problem.y[:, None] * rng.normal(size=targets)
    problem.words.append(f"y: {kind} {problem.target_scale:.1e}")
    if weights:
        add_weights(rng, problem)
    return problem


# --- two packages --------------------------------------------------------------------------------


@dataclass
class Case:
    """An estimator of both packages and what it is given; `judge` yields what is wrong.

    `judge(case, ours, theirs)` gets the fitted models, with what they answered in ``answers``, and
    yields a complaint, or ``("note", kind)`` for a difference that is known.
    """

    module: str
    name: str
    params: dict
    problem: Problem
    judge: object
    methods: tuple = ()
    theirs: dict = field(default_factory=dict)  # parameters that are called otherwise there

    def __str__(self):
        p = self.problem
        params = ", ".join(f"{key}={value!r}" for key, value in self.params.items())
        return f"{self.name}({params}) on {p.table.shape} of {p.scale:.1e}, {', '.join(p.words)}"


def estimator(package, module, name):
    return getattr(importlib.import_module(f"{package}.{module}"), name)


def fitted(kind, params, problem, methods):
    """The fitted model, with its answers; or the error."""
    options = {} if problem.weight is None else {"sample_weight": problem.weight}
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            model = kind(**params).fit(problem.X, problem.y, **options)
            found = {method: getattr(model, method)(problem.queries) for method in methods}
        except Exception as error:
            return error
    model.answers = found
    return model


def dense(found):
    return found.toarray() if scipy.sparse.issparse(found) else found


def is_finite(found):
    parts = found if isinstance(found, (tuple, list)) else [found]
    parts = [np.asarray(dense(part)) for part in parts]
    return all(np.all(np.isfinite(part)) for part in parts if part.dtype.kind == "f")


# What ours refuses in the open and theirs answers, by what the message says.
REFUSALS = {
    "under-/overflow occurred": "steps overflow, which they do in scikit-learn on other samples",
    "sum up to infinity": "samples whose squares leave the range are refused",
    "The data hold values too large": "samples whose squares leave the range are refused",
    "dual coefficients or intercepts are not finite": "a kernel that overflows is refused",
    "is not full rank": "a covariance that is singular but for rounding is refused",
}


def tame(problem):
    """The same problem, its samples in order: indices in disorder crash scikit-learn's trees."""
    problem = copy.deepcopy(problem)
    if scipy.sparse.issparse(problem.X):
        for name in ("X", "queries"):
            sparse = scipy.sparse.csr_array(dense(getattr(problem, name)))
            sparse.indices, sparse.indptr = (
                places.astype(np.int32) for places in (sparse.indices, sparse.indptr)
            )
            setattr(problem, name, sparse)
    return problem


def complaints(case):
    """What is wrong with ours; notes among it as pairs."""
    ours = fitted(
        estimator("litlearn", case.module, case.name), case.params, case.problem, case.methods
    )
    if not np.array_equal(dense(case.problem.X), case.problem.table):
        yield "X was written to"
    kind, params = estimator("sklearn", case.module, case.name), {**case.params, **case.theirs}
    theirs = fitted(kind, params, tame(case.problem), case.methods)
    if isinstance(ours, Exception):
        clear = isinstance(ours, (ValueError, TypeError)) and (
            case.name in str(ours) or not isinstance(ours, np.linalg.LinAlgError)
        )
        if not clear:
            yield f"raised {ours!r}"
        elif not isinstance(theirs, Exception):
            kind = next((kind for words, kind in REFUSALS.items() if words in str(ours)), None)
            if kind is not None:
                yield "note", kind
            elif not all(map(is_finite, theirs.answers.values())):
                yield "note", "refused where scikit-learn's answer is not finite"
            else:
                yield f"refused where scikit-learn answers: {ours!r}"
        return
    if isinstance(theirs, Exception):
        yield "note", "answered where scikit-learn raises an error"
        if not all(map(is_finite, ours.answers.values())):
            yield "not finite, where scikit-learn refuses"
        return
    for method in case.methods:
        if is_finite(theirs.answers[method]) and not is_finite(ours.answers[method]):
            yield f"{method} is not finite"
            return
    if not all(map(is_finite, theirs.answers.values())):
        yield "note", "finite where scikit-learn's answer is not"
        return
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield from case.judge(case, ours, theirs)


def compare(family, draw, seed):
    """Complaints and notes of one problem of a family, and the case in words."""
    case = draw(np.random.default_rng([zlib.crc32(family.encode()), seed]))
    wrong, notes = [], []
    for found in complaints(case):
        if isinstance(found, tuple):
            notes.append(found[1])
        else:
            wrong.append(found)
    return wrong, notes, case


def run(family, draw, attempts, tally, short=8, full=600):
    """Compare on many problems, as a test; ``FUZZ`` says how many, ``FUZZ_SEED`` which one."""
    number = int(os.environ.get("FUZZ") or attempts(short, full))
    only = os.environ.get("FUZZ_SEED")
    broke = []
    for seed in range(number) if only is None else [int(only)]:
        wrong, notes, case = compare(family, draw, seed)
        tally(f"fuzz: {family}", held=not wrong)
        for note in notes:
            tally.note(f"fuzz: {family}", note)
        broke += [f"FUZZ_SEED={seed} ({family}) {case}: {'; '.join(wrong)}"] if wrong else []
    assert not broke, "\n".join([f"{len(broke)} of {number}", *broke])


# --- judgements ----------------------------------------------------------------------------------


def no_higher(ours, theirs, allowance, what="objective"):
    """Complain if ours is higher than theirs by more than the allowance."""
    if not np.isfinite(theirs):
        return
    if not ours <= theirs + allowance:
        yield f"{what} {ours:.12g} against {theirs:.12g}, allowed {allowance:.1e}"


def near(ours, theirs, allowance, what):
    """Complain if the two differ by more than the allowance, an array or a number."""
    ours, theirs = (np.asarray(dense(one), dtype=float) for one in (ours, theirs))
    if ours.shape != theirs.shape:
        yield f"{what}: shape {ours.shape} against {theirs.shape}"
        return
    far = ~(np.abs(ours - theirs) <= allowance) & ~(np.isnan(ours) & np.isnan(theirs))
    far &= ours != theirs
    if far.any():
        place = np.unravel_index(np.argmax(np.where(far, np.abs(ours - theirs), -1.0)), far.shape)
        yield f"{what} {ours[place]:.10g} against {theirs[place]:.10g} ({far.sum()} differ)"


def same_labels(ours, theirs, clear, what="predict"):
    """Complain if labels differ where the choice is `clear`."""
    wrong = (np.asarray(ours) != np.asarray(theirs)) & clear
    if wrong.any():
        yield f"{what}: {np.sum(wrong)} labels differ"


def distances(A, B, metric="euclidean"):
    """All distances, by differences, in extended precision."""
    apart = np.abs(A.astype(LONG)[:, None] - B.astype(LONG)[None])
    if metric == "manhattan":
        return apart.sum(axis=2)
    if metric == "chebyshev":
        return apart.max(axis=2)
    return np.sqrt((apart**2).sum(axis=2))


def codes_of(y):
    return np.unique(y, return_inverse=True)[1]


def clear_rows(scores, share):
    """Rows whose best score is ahead of the second by a share of the largest."""
    scores = np.asarray(scores, dtype=float)
    if scores.ndim == 2 and scores.shape[1] == 1:
        return np.ones(len(scores), bool)
    if scores.ndim == 1:
        return np.abs(scores) > share * np.abs(scores).max(initial=0.0)
    best = np.sort(scores, axis=1)
    return best[:, -1] - best[:, -2] > share * np.abs(scores).max(initial=0.0)
