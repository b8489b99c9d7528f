"""A bar on the standard error that shows how far a long fit is, and how good."""

import contextlib

from litlearn._core import validation


@contextlib.contextmanager
def progress(owner, describe, unit="iteration", total=None, name=None):
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
    name : str or None, default=None
        Written before the bar in the place of the name of the class.

    Yields
    ------
    callable or None
        ``report(n_done, *state)``; a number below the one before it belongs to a new start. None:
        no report is wanted.
    """
    validation.check_verbose(owner)
    if not owner.verbose:
        yield None
        return
    from tqdm.auto import tqdm

    before = 0
    with tqdm(desc=name or type(owner).__name__, unit=unit, total=total) as bar:

        def report(n_done, *state):
            nonlocal before
            bar.set_postfix_str(describe(*state), refresh=False)
            bar.update(n_done - before if n_done >= before else n_done)
            before = n_done

        yield report
