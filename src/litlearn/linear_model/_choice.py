"""The choice of a penalty: training and test samples, what is known of them, and scores."""

import itertools
import numbers
import sys

import numpy as np

from litlearn._core import moments, validation
from litlearn._core.constraints import CALLABLE, TEXT
from litlearn._core.parallel import map_blocks
from litlearn._core.progress import progress

SCORING = TEXT | CALLABLE | None  # what a parameter of the name may be
# Relative gap to which the folds are solved at most before penalties are compared.
SHARPEST = 1e-10


def check_folds(owner, cv, X, y, codes=None):
    """Return the list of pairs of indices, of training and of test samples.

    Parameters
    ----------
    owner : estimator
        Named in messages.
    cv : int, splitter, iterable or None
        A number of folds (None: 5), an object with a method ``split``, or the pairs themselves, as
        indices or masks.
    X, y : arrays of n_samples
        What ``split`` is given.
    codes : ndarray of shape (n_samples,), default=None
        Numbers of the samples' classes. A number of folds is then of :func:`stratified_folds`,
        without them of :func:`contiguous_folds`.

    Returns
    -------
    list of pairs of ndarray
    """
    if cv is None or isinstance(cv, numbers.Integral):
        n_folds = 5 if cv is None else validation.check_integer(owner, "cv", cv, low=2)
        if codes is not None:
            return stratified_folds(owner, codes, n_folds)
        return contiguous_folds(owner, X.shape[0], n_folds)
    expected = "an int, an object with a method 'split', or pairs of index arrays"
    if isinstance(cv, (str, bytes)) or not (hasattr(cv, "split") or hasattr(cv, "__iter__")):
        validation.refuse(owner, "cv", cv, expected)
    rows = np.arange(X.shape[0])
    try:
        pairs = [tuple(pair) for pair in (cv.split(X, y) if hasattr(cv, "split") else cv)]
    except TypeError:
        validation.refuse(owner, "cv", cv, expected)
    try:
        folds = [tuple(rows[np.asarray(p)] if len(p) else rows[:0] for p in pair) for pair in pairs]
    except (TypeError, IndexError, ValueError):  # not indices of samples
        validation.refuse(owner, "cv", cv, expected)
    if not folds or any(len(pair) != 2 for pair in folds):
        validation.refuse(owner, "cv", cv, expected)
    if any(train.size == 0 or test.size == 0 for train, test in folds):
        validation.refuse(owner, "cv", cv, "folds with at least one sample in each part")
    return folds


def check_no_params(owner, params):
    """Refuse what a caller wants to be handed on to a splitter or a scorer."""
    if params:
        raise ValueError(
            f"{validation.owner_name(owner)}: {', '.join(params)} cannot be handed on. In "
            "scikit-learn that is only supported if enable_metadata_routing=True; here, give "
            "pairs of indices as cv."
        )


def contiguous_folds(owner, n_samples, n_folds):
    """Return (train, test) indices of `n_folds` parts of consecutive samples."""
    if n_folds > n_samples:
        raise ValueError(
            f"{validation.owner_name(owner)}: cv: cannot have number of splits n_splits={n_folds} "
            f"greater than the number of samples: n_samples={n_samples}."
        )
    samples = np.arange(n_samples)
    tests = np.array_split(samples, n_folds)
    return [(np.setdiff1d(samples, test, assume_unique=True), test) for test in tests]


def stratified_folds(owner, codes, n_folds):
    """Return (train, test) indices of `n_folds` parts with the classes in equal shares.

    The folds are those of scikit-learn's ``StratifiedKFold``. Laid out by class, in the order in
    which the classes first appear, the samples are dealt out like cards: that says how many of a
    class each fold gets. The first fold takes the first ones.
    """
    counts = np.bincount(codes)
    if n_folds > counts.max():
        raise ValueError(
            f"{validation.owner_name(owner)}: cv: n_splits={n_folds} cannot be greater than the "
            f"number of members in each class, at most {counts.max()}."
        )
    present = np.flatnonzero(counts)
    if n_folds > counts[present].min():
        message = (
            f"The least populated class in y has only {counts[present].min()} members, which is "
            f"less than n_splits={n_folds}."
        )
        validation.warn(UserWarning(message))
    _, first = np.unique(codes, return_index=True)
    order = present[np.argsort(first)]
    dealt = np.repeat(order, counts[order])
    fold = np.empty(len(codes), dtype=np.intp)
    for code in order:
        share = [np.count_nonzero(dealt[f::n_folds] == code) for f in range(n_folds)]
        fold[codes == code] = np.repeat(np.arange(n_folds), share)
    return [(np.flatnonzero(fold != f), np.flatnonzero(fold == f)) for f in range(n_folds)]


# ---------------------------------------------------------------------------------------------
# Training samples, and what is known of them


def are_folds(n, splits):
    """Tell whether every row is in one test set, and in all training sets but one."""
    divisions = [[test for _, test in splits], *splits]
    return all(np.array_equal(np.sort(np.concatenate(one)), np.arange(n)) for one in divisions)


def all_but_one(parts, centred):
    """Return the merged moments of all parts but the first, all but the second, and so on."""

    def together(a, b):
        if a is None or b is None:
            return b if a is None else a
        copied = a._replace(xx=a.xx.copy(), xy=a.xy.copy(), yy=a.yy.copy())
        return moments.merge_moments(copied, b, centred)

    before = [None, *itertools.accumulate(parts[:-1], together)]
    after = [None, *itertools.accumulate(parts[:0:-1], together)]
    return [together(a, b) for a, b in zip(before, after[::-1], strict=True)]


def take_rows(owner, samples, rows):
    """Return some of the samples; consecutive rows are not copied."""
    if len(rows) and rows[-1] - rows[0] == len(rows) - 1 and (np.diff(rows) == 1).all():
        rows = slice(rows[0], rows[-1] + 1)
    weight = None if samples.weight is None else samples.weight[rows]
    if weight is not None and not weight.any():
        raise ValueError(
            f"{validation.owner_name(owner)}: sample_weight is all zero in a part of the 'cv' "
            "splits."
        )
    return samples._replace(X=samples.X[rows], Y=samples.Y[rows], weight=weight)


def check_weights(owner, weights, folds):
    """Refuse folds where all samples weigh nothing."""
    for train, test in folds if weights is not None else ():
        for place, part in (("in", test), ("outside", train)):
            if not weights[part].any():
                who = validation.owner_name(owner)
                raise ValueError(f"{who}: sample_weight is all zero {place} a fold of cv.")


def training_moments(owner, samples, folds, n_jobs=None):
    """Return the moments of the training samples of each fold, :eq:`eq-gram-merge`."""
    if not are_folds(len(samples.Y), folds):
        return [moments.moments(take_rows(owner, samples, train), n_jobs) for train, _ in folds]
    # The statistics of each test part once: a training part is all others, merged.
    parts = [moments.moments(take_rows(owner, samples, test), n_jobs) for _, test in folds]
    totals = all_but_one(parts, samples.centred)
    return [moments.without_rounding(one) if samples.centred else one for one in totals]


# ---------------------------------------------------------------------------------------------
# Paths, and scores


def solve_paths(owner, solve, shape, small=False):
    """Return what ``solve(i, j)`` returns, for i and j of some shape, in lists of lists.

    `owner` shows how many are done, and says how many threads solve them; for `small` problems one
    does, as threads would spend their time on handing over the interpreter.
    """
    (n_rows, n_columns), done = shape, []

    def job(number):
        found = solve(*divmod(number, n_columns))
        done.append(number)
        if report is not None:
            report(len(done))
        return found

    n_paths = n_rows * n_columns
    with progress(owner, lambda: "", unit="path", total=n_paths) as report:
        found = map_blocks(job, n_paths, 1 if small else owner.n_jobs)
    return [found[start : start + n_columns] for start in range(0, n_paths, n_columns)]


def scorer_of(owner):
    """Return the callable that scores a model as `scoring` says: by its own score if None."""
    scoring, metrics = owner.scoring, sys.modules.get("sklearn.metrics")
    if scoring is None:
        return lambda model, *data, **weighted: model.score(*data, **weighted)
    if callable(scoring):
        return scoring
    expected = "a callable, or a str that names a scorer of scikit-learn's"
    if metrics is None:
        expected += ", which has to be loaded then (import sklearn.metrics)"
    elif scoring not in metrics.get_scorer_names():
        expected += " (sklearn.metrics.get_scorer_names() lists them)"
    else:
        return metrics.get_scorer(scoring)
    validation.refuse(owner, "scoring", scoring, expected)


def score(owner, scorer, model, X, y, weight):
    """Return what a scorer gives a model, if it is a number."""
    found = scorer(model, X, y, **({} if weight is None else {"sample_weight": weight}))
    if not isinstance(found, numbers.Real):
        raise ValueError(
            f"{validation.owner_name(owner)}: scoring must return a number, got "
            f"{validation.shown(found)} instead."
        )
    return found


def refine(errors, ratios, grids, errors_of, tol, variance):
    """Solve the folds again, more exactly, for the penalties that may yet be the best; in place.

    A path that is solved to a relative gap of `tol`, the largest of all, predicts with errors of at
    most d = sqrt(2 tol variance) in the root mean square of the training samples. So a mean squared
    error m is known up to about 2 sqrt(m) d + d^2. Penalties whose intervals meet that of the
    least error are solved again a thousand times more exactly, until one is left. Most paths are
    solved so far at once that nothing is left to do.
    """
    while tol > SHARPEST:
        means = [one.mean(axis=1) for one in errors]
        d = np.sqrt(2.0 * tol * variance)
        width = [2.0 * np.sqrt(mean) * d + d * d for mean in means]
        limit = min(np.min(mean + w) for mean, w in zip(means, width, strict=True))
        open_ = [mean - w <= limit for mean, w in zip(means, width, strict=True)]
        if sum(map(np.count_nonzero, open_)) <= 1:
            return
        tol = max(1e-3 * tol, SHARPEST)
        some = [a for a, mask in enumerate(open_) if mask.any()]
        found, _ = errors_of([(ratios[a], grids[a][open_[a]]) for a in some], tol)
        for a, better in zip(some, found, strict=True):
            errors[a][open_[a]] = better
