"""Where fits run: in this process, or on the workers of a client of Dask.

``with litlearn.on(client)`` is remembered for the thread, or the coroutine, that says it, and for
nobody else. Who wants to know asks :func:`client_now`. Inside a block of parallel work the answer
is always None: what is one part of a larger task is not handed out again.

Nothing here imports Dask before a client is there, which can come from nobody else.
"""

import contextlib
import contextvars
import sys

from litlearn._core import parallel

_client = contextvars.ContextVar("litlearn_client", default=None)


@contextlib.contextmanager
def on(client):
    """Run the fits of a block of code on the workers of a client of Dask.

    ``with litlearn.on(client): model.fit(X, y)`` with samples in memory: where the fit is a sum
    over samples, `X` is cut into chunks that are sent to the workers, and fitted as an array of
    Dask is. Forests, and the classifiers of ``litlearn.multiclass``, send the samples once to each
    worker, which then grows trees, or fits classifiers; what is learned has the bits of a fit in
    memory. Other estimators are fitted here, with a warning that says so. After a fit the workers
    hold nothing of it.

    Predictions of samples in memory are made here; those of an array of Dask where Dask makes them.

    Parameters
    ----------
    client : distributed.Client
        Open, and not asynchronous. It need not be Dask's default.

    Returns
    -------
    context manager
        For a ``with`` statement, of which the innermost counts. It holds for the thread that
        enters it: a thread that is started inside says it anew.

    Raises
    ------
    TypeError
        If `client` is no client of Dask, or an asynchronous one.
    ValueError
        If it is closed, when the block begins or when a fit does.

    Examples
    --------
    >>> import litlearn
    >>> with litlearn.on(None):
    ...     pass
    Traceback (most recent call last):
    TypeError: litlearn.on: client must be a distributed.Client, such as Client(). Got None.
    """
    _check_client(client)
    import dask.array  # noqa: F401  # of which chunks are made: is_chunked asks whether it is there

    token = _client.set(client)
    try:
        yield client
    finally:
        _client.reset(token)


def _check_client(client):
    """Refuse what no fit can be handed to."""
    kind = getattr(sys.modules.get("distributed"), "Client", None)
    if kind is None or not isinstance(client, kind):
        raise TypeError(
            f"litlearn.on: client must be a distributed.Client, such as Client(). Got {client!r}."
        )
    if client.asynchronous:
        raise TypeError(
            "litlearn.on: client must not be asynchronous: a fit waits for its end. Got "
            f"{client!r}, expected Client(asynchronous=False)."
        )
    if client.status != "running":
        raise ValueError(
            f"litlearn.on: client is {client.status}, expected one that is running. Make it anew."
        )


def client_now():
    """Return the client that a fit in this thread is to use, or None."""
    client = None if parallel.inside_block() else _client.get()
    if client is not None:
        _check_client(client)
    return client


@contextlib.contextmanager
def in_this_process():
    """Let fits inside run here, whatever client there is."""
    token = _client.set(None)
    try:
        yield
    finally:
        _client.reset(token)
