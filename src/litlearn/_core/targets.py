"""What all classifiers do with classes: encode them, weigh them, and turn scores back into them.

Inside, a class is its number in the sorted list of classes. A target has one output or several;
each output has classes of its own.
"""

from typing import NamedTuple

import numpy as np

from litlearn._core import validation
from litlearn._core.chunked import each_chunk, fold_rows, in_memory, is_chunked, look_up


class ClassTargets(NamedTuple):
    """Classes as numbers, in the form in which kernels take them."""

    classes: list  # the sorted classes of each output
    codes: np.ndarray  # (n_outputs, n_samples), intp, read-only: y is classes[t][codes[t]];
    # of targets in chunks, a list of one array in chunks
    flat: bool  # whether y had one dimension

    def public_classes(self):
        """Return what ``classes_`` is: an array, or a list with one for each output."""
        return self.classes[0] if self.flat else self.classes


def numbered(column):
    """Return the sorted classes of targets (n,), and the number of each target's class, (n,).

    As ``np.unique`` with the inverse; whole numbers that lie close together are counted, not
    sorted.
    """
    if column.dtype.kind in "iu" and column.size:
        low, high = column.min(), column.max()
        if int(high) - int(low) < 2 * column.size:
            # The difference may be beyond the type; without its sign it is right.
            places = (column - low).view(f"u{column.itemsize}").astype(np.intp)
            present = np.bincount(places) > 0
            classes = np.flatnonzero(present).astype(column.dtype) + low
            return classes, (np.cumsum(present) - 1)[places]
    return np.unique(column, return_inverse=True)


def encode(owner, y, n_samples):
    """Check `y`, (n_samples,) or (n_samples, n_outputs), and return its :class:`ClassTargets`."""
    if is_chunked(y):
        return encode_chunks(owner, y, n_samples)
    y = validation.check_class_targets(owner, y, n_samples)
    columns = [y] if y.ndim == 1 else list(y.T)
    pairs = [numbered(column) for column in columns]
    codes = np.array([codes for _, codes in pairs], dtype=np.intp)
    return ClassTargets([c for c, _ in pairs], validation.read_only(codes), y.ndim == 1)


def encode_chunks(owner, y, n_samples):
    """As :func:`encode`, of one output in chunks: a pass for the classes; codes as they are asked.

    A chunk may lack classes.
    """
    who = validation.owner_name(owner)
    validation.check_consistent_length(owner, n_samples, y)
    y = validation.flat_if_column(y)
    if y.ndim != 1:
        raise ValueError(
            f"{who}: y should be a 1d array where it is in chunks, got an array of shape "
            f"{y.shape} instead."
        )

    def classes_of(arrays, rows):
        own = arrays[0][rows]
        return np.unique(validation.check_class_targets(who, own, len(own)))

    classes = fold_rows(classes_of, np.union1d, (y,), max(1, n_samples))

    def codes_of(chunk):
        return np.searchsorted(classes, chunk).astype(np.intp)

    codes = each_chunk(y, codes_of, np.empty(0, dtype=np.intp))
    return ClassTargets([classes], [codes], True)


def encode_one(owner, y, n_samples, *, fewest=1):
    """As :func:`encode`, for `y` (n_samples,) with at least so many classes."""
    targets, who = encode(owner, y, n_samples), validation.owner_name(owner)
    if not targets.flat:
        raise ValueError(
            f"{who}: y should be a 1d array, got an array of shape "
            f"{(n_samples, len(targets.classes))} instead."
        )
    if not n_samples:
        raise ValueError(
            f"Found array with 0 sample(s) while a minimum of 1 is required by {who} for y."
        )
    if len(targets.classes[0]) < fewest:
        raise ValueError(
            f"{who}: The number of classes has to be greater than one; got "
            f"{len(targets.classes[0])} class: {targets.classes[0][0]!r}"
        )
    return targets


def batch_classes(owner, classes):
    """Return all classes that batches may have, sorted, and whether this batch is the first.

    The first call to ``partial_fit`` gives `classes`; a later one may repeat them, or give None.
    """
    who, known = validation.owner_name(owner), getattr(owner, "classes_", None)
    if known is None and classes is None:
        raise ValueError(f"{who}: classes must be passed on the first call to partial_fit.")
    given = known if classes is None else np.unique(np.asarray(classes))
    if known is not None and not np.array_equal(given, known):
        raise ValueError(
            f"{who}: `classes={classes!r}` is not the same as on last call to partial_fit, "
            f"was: {known!r}"
        )
    return given, known is None


def batch_places(owner, found, classes, complaint):
    """Return where the classes of a batch stand among all, or refuse one that does not.

    Parameters
    ----------
    owner : estimator
    found : ndarray of shape (n_found,)
        Classes of the batch, each once.
    classes : ndarray of shape (n_classes,)
        All classes, sorted.
    complaint : str
        What the error says: a format of `found`, `missing` and `classes`.

    Returns
    -------
    ndarray of shape (n_found,)
    """
    missing = np.setdiff1d(found, classes)
    if len(missing):
        said = complaint.format(found=found, missing=missing, classes=classes)
        raise ValueError(f"{validation.owner_name(owner)}: {said}")
    return np.searchsorted(classes, found)


def class_factors(owner, class_weight, targets, counted=None):
    """Return the weight that each sample has by its classes: a product over the outputs.

    Parameters
    ----------
    owner : estimator
    class_weight : dict, "balanced", list of them (one for each output), or None
    targets : ClassTargets
    counted : ndarray of shape (n_samples,), default=None
        Weights with which ``"balanced"`` counts the samples.

    Returns
    -------
    ndarray of shape (n_samples,)
    """
    n_outputs = len(targets.classes)
    many = n_outputs > 1 and isinstance(class_weight, (list, tuple))
    if many and len(class_weight) != n_outputs:
        raise ValueError(
            f"{validation.owner_name(owner)}: For multi-output, number of elements in "
            f"class_weight should match number of outputs: got {len(class_weight)} for {n_outputs}."
        )
    per_output = class_weight if many else [class_weight] * n_outputs
    factors = None
    for one, classes, codes in zip(per_output, targets.classes, targets.codes, strict=True):
        weights = validation.check_class_weight(owner, one, classes, codes, counted)
        factor = look_up(weights, codes)
        factors = factor if factors is None else factors * factor
    return factors


def combined_weight(owner, sample_weight, class_weight, targets, *, counted=False):
    """Return the product of sample weights and class weights, (n_samples,), or None for equal ones.

    With `counted`, ``"balanced"`` counts each sample by its weight, and else as one.
    """
    n_samples = len(targets.codes[0])
    weight = validation.check_sample_weight(owner, sample_weight, n_samples)
    if class_weight is None:
        return weight
    factors = class_factors(owner, class_weight, targets, weight if counted else None)
    product = factors if weight is None else factors * weight
    if not in_memory(product.any()):
        raise ValueError(
            f"{validation.owner_name(owner)}: the product of sample_weight and class_weight is "
            "zero for every sample, expected a positive one."
        )
    return product if is_chunked(product) else validation.read_only(product)


def label(classes, scores):
    """Return the class of the largest score, the first of equal ones.

    `scores` is (n, n_classes); or (n,) for two classes, where the second needs more than zero.
    """
    chosen = (scores > 0).astype(np.intp) if scores.ndim == 1 else scores.argmax(axis=1)
    return classes[chosen]


def join_outputs(parts, flat):
    """Return the labels of the only output, or those of several as columns."""
    return parts[0] if flat else np.stack(parts, axis=1)


def logarithms(shares):
    """Return logarithms of shares, minus infinity for zero; of an array or of a list of them."""
    with np.errstate(divide="ignore"):
        return [np.log(one) for one in shares] if isinstance(shares, list) else np.log(shares)


def log_probabilities(scores):
    """Return logarithms of the :func:`probabilities`; of one that is rounded to zero, what it is.

    Parameters
    ----------
    scores : ndarray of shape (n,) or (n, n_classes)
        Log-odds of the second of two classes; or logarithms of the probabilities up to a constant
        of each row, as joint log-likelihoods are.

    Returns
    -------
    ndarray of shape (n, 2) or (n, n_classes)
        Of the type of the scores.
    """
    shares = probabilities(scores)
    small = shares < np.finfo(shares.dtype).tiny
    logs = np.log(shares, out=np.empty_like(shares), where=~small)
    if small.any():
        rows = small.any(axis=1)
        few = log_odds(scores[rows]) if scores.ndim == 1 else below_the_largest(scores[rows])
        if scores.ndim == 2:
            few = few - np.log(np.exp(few).sum(axis=1, keepdims=True))
        logs[rows] = np.where(small[rows], few, logs[rows])
    return logs


def probabilities(scores):
    """Return the probabilities that belong to scores, as in :func:`log_probabilities`.

    In each row they sum to 1.
    """
    if scores.ndim == 1:
        return np.exp(log_odds(scores))
    result = np.exp(below_the_largest(scores))
    result /= result.sum(axis=1, keepdims=True)
    return result


def log_odds(scores):
    """Return logarithms of the probabilities of two classes, (n, 2), from log-odds (n,)."""
    result = np.empty((len(scores), 2), dtype=scores.dtype)
    np.logaddexp(0.0, scores, out=result[:, 0])
    np.logaddexp(0.0, -scores, out=result[:, 1])
    return np.negative(result, out=result)


def below_the_largest(scores):
    """Return scores (n, n_classes) less the largest of each row; infinite ones share the row."""
    largest = scores.max(axis=1, keepdims=True)
    with np.errstate(invalid="ignore"):
        below = scores - largest
    if not np.isfinite(largest).all():
        below[np.isinf(largest) & (scores == largest)] = 0.0
    return below
