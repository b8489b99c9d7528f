"""What methods of estimators do with arrays that are not NumPy's, and with frames.

Those of the array API, and frames, are read and answered by :mod:`litlearn._core.containers`. The
rest of this file is about arrays in chunks, and data frames of Dask.

A prediction of a chunk needs no other chunk: the methods of :data:`BY_CHUNK` return an array in
chunks at once, and predict a chunk when it is asked for. A fit needs them all: where it is a sum
over rows, it says so by ``_fits_chunks``, and gets arrays whose chunks go together; elsewhere they
are refused, rather than brought into one memory behind the user's back.

With :func:`litlearn.on`, such a fit gets chunks of samples in memory, too. One that hands out tasks
says so by ``_fits_tasks``, and the others go on here, with a warning.
"""

import contextlib
import functools
import inspect
import itertools
import sys
import warnings

import numpy as np

from litlearn._core import containers, pickles, validation
from litlearn._core.chunked import (
    LostChunksError,
    Scattered,
    beside,
    in_memory,
    is_chunked,
    is_chunked_frame,
)
from litlearn._core.client import client_now, in_this_process
from litlearn._core.parallel import map_blocks
from litlearn._core.tasks import ATTEMPTS, Parcel

FITS = ("fit", "partial_fit", "fit_predict", "fit_transform")
BY_CHUNK = (
    "kneighbors",
    "predict",
    "predict_proba",
    "predict_log_proba",
    "predict_joint_log_proba",
    "decision_function",
    "score_samples",
    "transform",
    "inverse_transform",
    "apply",
)
PLAIN = frozenset({np.ndarray, type(None)})  # types of arguments that need no look
# Why a fit is no sum over rows, and what may do instead, by the family.
REASONS = {
    "cluster": "it draws its batches from all samples. Use KMeans, or partial_fit(chunk.compute()) "
    "for each chunk",
    "conformal": "it divides the samples at random, or leaves some out of each of its fits",
    "decomposition": "it compares pairs of samples, or takes them batch by batch. Use PCA, after "
    "kernel_approximation.Nystroem in place of a kernel, or partial_fit(chunk.compute()) for each "
    "chunk where there is one",
    "ensemble": "a tree sorts all samples for each of its splits. With litlearn.on(client), those "
    "in memory go once to each worker, and the trees are grown there",
    "kernel_ridge": "its kernel matrix compares all pairs of samples. Use Ridge after "
    "kernel_approximation.RBFSampler or Nystroem",
    "linear_model": "its solver, or its choice of a penalty, goes over the samples in an order of "
    "its own. Use Ridge, Lasso, ElasticNet or LogisticRegression with a penalty that is given, or "
    "SGDClassifier and SGDRegressor with partial_fit(chunk.compute()) for each chunk",
    "multiclass": "it fits its classifiers to samples that it selects. With litlearn.on(client), "
    "those in memory go once to each worker, which fits classifiers",
    "neighbors": "it keeps all samples, and looks up among them. Of an array of Dask, "
    "KNeighborsClassifier, KNeighborsRegressor and NearestNeighbors look up chunk by chunk",
    "svm": "its solver compares pairs of samples, or goes over them in an order of its own. Use "
    "LogisticRegression for classes, Ridge for numbers, both after kernel_approximation.Nystroem "
    "in place of a kernel, or SGDClassifier and SGDRegressor with partial_fit(chunk.compute()) for "
    "each chunk",
    "tree": "a tree sorts all samples for each of its splits. GaussianNB, LogisticRegression and "
    "Ridge sum up chunks",
}


def with_containers(cls):
    """Let the public methods of a class that take samples take them in chunks, frames, tensors."""
    for name, method in list(vars(cls).items()):
        if name.startswith("_"):
            continue
        handle = _fit if name in FITS else _predict if name in BY_CHUNK else None
        if _takes_samples(method):
            setattr(cls, name, _wrapped(handle, method))
            continue
        for inside in ("method", "function"):  # of what is there for some parameters alone
            if _takes_samples(getattr(method, inside, None)):
                setattr(method, inside, _wrapped(handle, getattr(method, inside)))
    return cls


def _takes_samples(method):
    """Tell whether a method is a function of `X` that is not wrapped yet."""
    if not inspect.isfunction(method) or hasattr(method, "rewrap"):
        return False
    return inspect.unwrap(method).__code__.co_varnames[1:2] == ("X",)


def _chunked(X):
    return is_chunked(X) or is_chunked_frame(X)


def _wrapped(handle, method):
    """Let `method` take arguments in any container, and return arrays such as its samples are.

    With samples in chunks, ``handle(method, given)`` does what it does; `given` are the bound
    arguments. Targets and weights in chunks go with samples in memory, too. What is neither a fit
    nor a prediction by chunks has no `handle`, and says itself what it does.
    """

    names = inspect.unwrap(method).__code__.co_varnames[1:]

    fits_anew = method.__name__ in FITS and method.__name__ != "partial_fit"

    @functools.wraps(method)
    def wrapped(self, *args, **kwargs):
        if fits_anew:
            getattr(self, "__dict__", {}).pop(pickles.WRITER, None)
        try:
            return answered(self, *args, **kwargs)
        except AttributeError as error:
            explained = pickles.explained(self, error)
            if explained is error:
                raise
            raise explained from error

    def answered(self, *args, **kwargs):
        # Half a microsecond, which is all that arrays of NumPy pay.
        if PLAIN.issuperset(map(type, args)) and PLAIN.issuperset(map(type, kwargs.values())):
            if "dask.array" not in sys.modules:
                return method(self, *args, **kwargs)
            return called(self, *args, **kwargs)
        xp = containers.namespace_of(args[0] if args else kwargs.get("X"))
        named = itertools.zip_longest(args, names[: len(args)], fillvalue="an argument")
        args = [containers.as_known(self, one, name) for one, name in named]
        kwargs = {name: containers.as_known(self, one, name) for name, one in kwargs.items()}
        result = called(self, *args, **kwargs)
        return result if xp is None else containers.as_given(result, xp)

    def called(self, *args, **kwargs):
        if "dask.array" not in sys.modules or handle is None:
            return method(self, *args, **kwargs)
        if _chunked(args[0] if args else kwargs.get("X")):
            return handle(method, inspect.signature(method).bind(self, *args, **kwargs))
        args, kwargs = map(in_memory, args), {k: in_memory(v) for k, v in kwargs.items()}
        if handle is _fit and (client := client_now()) is not None:
            return _fit_on(client, method, inspect.signature(method).bind(self, *args, **kwargs))
        return method(self, *args, **kwargs)

    wrapped.rewrap = functools.partial(_wrapped, handle)
    return wrapped


def _fit(method, given):
    """Call ``fit`` or one of its kind with arrays whose chunks go together, or refuse."""
    owner, X = given.arguments["self"], given.arguments["X"]
    if method.__name__ == "partial_fit" or not owner._fits_chunks:
        raise TypeError(_refusal(owner, method.__name__))
    names, rows = validation.feature_names(X), _samples(owner, X)
    for name, value in given.arguments.items():
        if name == "X":
            given.arguments[name] = rows
        elif _chunked(value):
            given.arguments[name] = beside(rows, _aligned(owner, value, name, rows))
        elif name in ("y", "sample_weight"):
            given.arguments[name] = _cut_alike(value, rows)
    result = method(*given.args, **given.kwargs)
    if names is not None:
        owner.feature_names_in_ = names
    return result


def _fit_on(client, method, given):
    """Call ``fit`` or one of its kind, with samples in memory, on the workers of a client."""
    owner, batch = given.arguments["self"], method.__name__ == "partial_fit"
    if owner._fits_tasks and not batch:
        return method(*given.args, **given.kwargs)
    sums = owner._fits_chunks and not owner._keeps_chunks  # nothing may stay with the workers
    table = _table(given.arguments["X"]) if sums and not batch else None
    if table is None:
        why = _reason(owner, method.__name__)
        _note(owner, f"{method.__name__} runs in this process, not on the workers: {why}.")
        with in_this_process():
            return method(*given.args, **given.kwargs)
    for attempt in range(ATTEMPTS):
        try:
            return _fit_sent(client, method, given, table)
        except Exception as error:
            client_now()  # a client that was closed says so
            if attempt == ATTEMPTS - 1 or not isinstance(error, LostChunksError):
                raise


def _table(X):
    """Return samples as an array of numbers; None if they are no such: a fit here says what."""
    if X is None or validation.is_sparse(X) or isinstance(X, np.matrix):
        return None
    with contextlib.suppress(ValueError, TypeError):
        array = validation.as_numbers("", X, "X")
        if array.ndim == 2 and array.size:
            return array
    return None


def _fit_sent(client, method, given, table):
    """Fit to chunks of a table that are sent to workers; what comes back is in memory."""
    arguments, names = dict(given.arguments), validation.feature_names(given.arguments["X"])
    with Scattered(client, table) as sent:
        arguments["X"] = sent.send(table)
        for name in {"y", "sample_weight"} & arguments.keys():
            arguments[name] = _cut_alike(arguments[name], arguments["X"], sent.send)
        bound = inspect.BoundArguments(given.signature, arguments)
        result = in_memory(_fit(method, bound))
    if names is not None:
        arguments["self"].feature_names_in_ = names
    return result


def _predict(method, given):
    """Return what ``predict`` or one of its kind gives, in chunks."""
    options = dict(given.arguments)
    return _by_chunk(options.pop("self"), method.__name__, options.pop("X"), options)


def _refusal(owner, method):
    """Say why `method` takes no chunks, and what does."""
    who = validation.owner_name(owner)
    if method == "partial_fit":
        return (
            f"{who}.partial_fit takes one batch in memory, and got an array of Dask: call it with "
            "chunk.compute() for each chunk of X.blocks."
        )
    return (
        f"{who}.{method} got an array of Dask, and needs all samples in one memory: "
        f"{_reason(owner, method)}. If "
        "the samples fit, give X.compute(); a part of them may do as well. A fitted "
        f"{who} takes arrays of Dask."
    )


def _reason(owner, method):
    """Say why a fit is no sum over samples, or is none of these."""
    if method == "partial_fit":
        return "it takes one batch"
    if owner._fits_chunks and not owner._keeps_chunks:
        return "X is no dense table of numbers"
    family = type(owner).__module__.split(".")
    return REASONS.get(family[1] if family[0] == "litlearn" else "", "it is no sum over samples")


def _note(owner, text):
    validation.warn(UserWarning(f"{validation.owner_name(owner)}: {text}"))


def _samples(owner, X):
    """Return samples as an array in chunks of rows whose lengths are known."""
    array = _columns_together(owner, X.to_dask_array() if is_chunked_frame(X) else X)
    return _with_lengths(owner, array, "X")


def _columns_together(owner, array):
    """Return an array whose chunks have all columns."""
    if array.ndim == 2 and array.numblocks[1] > 1:
        _note(
            owner,
            f"the columns of X are in {array.numblocks[1]} chunks, and are brought together for "
            "each chunk of rows. X.rechunk({1: -1}) does so beforehand.",
        )
        return array.rechunk({1: -1})
    return array


def _with_lengths(owner, array, name):
    """Return an array whose chunks have a length that is known."""
    if not np.isnan(array.shape[0]):
        return array
    _note(
        owner,
        f"the lengths of the chunks of {name} are not known, and {name} is computed once to count "
        f"its rows. {name}.compute_chunk_sizes() does so beforehand.",
    )
    return array.copy().compute_chunk_sizes()  # which changes the array, and that is the caller's


def _aligned(owner, value, name, X):
    """Return targets or weights in chunks that go with those of `X`."""
    array = value.to_dask_array() if is_chunked_frame(value) else value
    array = _with_lengths(owner, array, name)
    if array.ndim < 1 or array.shape[0] != X.shape[0]:
        validation.check_consistent_length(owner, X.shape[0], array, name)
    return array.rechunk((X.chunks[0], *((-1,) * (array.ndim - 1))))


def _cut_alike(value, X, send=None):
    """Return targets or weights in memory in chunks that go with those of `X`.

    Each task that reads them holds them, unless they are sent. What is no array with a row for each
    sample stays: who checks it says so.
    """
    import dask.array as da

    if _chunked(value):
        return value
    with contextlib.suppress(ValueError, TypeError):
        array = np.asarray(value)
        if array.ndim and array.shape[0] == X.shape[0]:
            if send is not None:
                return beside(X, send(array))
            chunks = X.chunks[0], *((-1,) * (array.ndim - 1))
            return beside(X, da.from_array(array, chunks=chunks))
    return value


def _by_chunk(owner, method, X, options):
    """Return what a method gives for each chunk, as an array in chunks that nobody has computed.

    One sample tells of which type and width the result is, and whether the method takes such.
    """
    import dask
    import dask.array as da

    validation.check_is_fitted(owner)
    names = getattr(owner, "feature_names_in_", None)
    if method != "inverse_transform":
        validation.check_feature_names(owner, X)
    array = _columns_together(owner, X.to_dask_array() if is_chunked_frame(X) else X)
    model, others = owner._for_chunks(array, options)
    if names is not None:
        del model.feature_names_in_  # chunks have none, and theirs are checked
    model._sklearn_output_config = {"transform": "default"}  # of frames, chunks are not made
    one = np.zeros((1, *array.shape[1:]), dtype=array.dtype)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # nobody asked about that sample
        like = getattr(model, method)(one, **options)
    task = dask.delayed(Parcel(model), pure=False, traverse=False)  # once to each worker
    several = isinstance(like, (list, tuple))
    empty = [one[:0] for one in like] if several else like[:0]
    given = [array] if others is None else [array, others]
    how = {"parcel": task, "method": method, "options": options, "empty": empty}

    def shaped(like, function, *arrays, **known):
        return da.map_blocks(
            function,
            *arrays,
            **known,
            dtype=like.dtype,
            meta=like[:0],
            drop_axis=1 if like.ndim == 1 else None,
            chunks=(array.chunks[0], *((width,) for width in like.shape[1:])),
        )

    if not several:
        return shaped(like, _of_chunk, *given, **how)
    # Blocks that hold all outputs, and of these each.
    whole = da.map_blocks(_of_chunk, *given, **how, dtype=object, meta=one[:0])
    return type(like)(shaped(one, _output, whole, which=i) for i, one in enumerate(like))


def _of_chunk(chunk, found=None, *, parcel, method, options, empty):
    """Return what the method of a model gives for a chunk: an array, or a list of outputs."""
    if not len(chunk):
        return empty
    model = parcel.content if found is None else parcel.content._knowing(found)
    # In the thread that Dask has for it.
    return map_blocks(lambda _: getattr(model, method)(chunk, **options), 1, n_jobs=1)[0]


def _output(outputs, *, which):
    """Return one of several outputs of a chunk."""
    return outputs[which]
