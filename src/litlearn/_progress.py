"""A bar on the standard error that shows how far a long fit is, and how good."""

import contextlib


@contextlib.contextmanager
def progress(owner, describe, unit="iteration", total=None):
    """Give a function that moves a bar; nothing at all unless the estimator is verbose.

    Parameters
    ----------
    owner : estimator
        Its ``verbose`` says whether there is a bar, and its class what is written before it.
    describe : callable
        ``describe(*state)`` returns the text after the bar.
    unit : str, default="iteration"
        What is counted.
    total : int or None, default=None
        How many there will be at most, if that is known.

    Yields
    ------
    callable or None
        ``report(n_done, *state)``; a number below the one before it belongs to a new start. None:
        no report is wanted.
    """
    if not owner.verbose:
        yield None
        return
    from tqdm.auto import tqdm

    before = 0
    with tqdm(desc=type(owner).__name__, unit=unit, total=total) as bar:

        def report(n_done, *state):
            nonlocal before
            bar.set_postfix_str(describe(*state), refresh=False)
            bar.update(n_done - before if n_done >= before else n_done)
            before = n_done

        yield report
