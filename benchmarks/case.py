"""What a family of methods has to say to be benchmarked.

A family is a module with a function ``cases(size)``, where size is "small" or "full", that returns
a list of `Case`. To add one, write ``benchmarks/<family>.py`` and add its name to ``FAMILIES`` in
``__main__.py``. The module may import NumPy and the standard library at its top and nothing else:
it is loaded in the process of every implementation, and what it loads would be hidden from the
memory of that implementation.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple

NOTHING = MappingProxyType({})


class Adapter(NamedTuple):
    """One implementation of the work: a library, called in one way.

    Attributes
    ----------
    name : str
        Unique within a case, for example "scipy-unbalanced".
    label : str
        The name that tables and figures print.
    package : str
        The name that ``--against`` selects, for example "scipy". Several adapters may share one.
    modules : tuple of str
        What is imported before the memory is read for the first time. The adapter is skipped, and
        named as skipped, if the first one's top-level package is not installed.
    build : callable
        ``build(data, options, threads) -> model``. `data` is the case's dict of arrays.
    query : callable
        ``query(model, data, options, threads) -> output``, in the form that the case's `judge`
        expects.
    ours : bool
        True for this project's own implementation.
    compiles : bool
        True if the first use on a machine compiles code to a cache on disk. The cache is then
        filled by a process that is not measured.
    dtypes : tuple of str
        The dtypes of ``data["X"]`` that the library takes without converting; in other cases it is
        left out.
    """

    name: str
    label: str
    package: str
    modules: tuple
    build: Callable
    query: Callable
    ours: bool = False
    compiles: bool = False
    dtypes: tuple = ("float32", "float64")


class Case(NamedTuple):
    """One piece of work that every implementation does on the same arrays.

    Attributes
    ----------
    name : str
        Unique within the family; ``--cases`` selects by it.
    group : str
        Heading under which the case is reported, for example "k-d tree".
    work : str
        The work in a few words, for tables, without the shape.
    make : callable
        ``make() -> dict of arrays``, always the same ones. ``X`` (n, p) is the training data.
    adapters : tuple of Adapter
        Exactly one of them is `ours`.
    judge : callable
        ``judge(output, data, reference, options) -> dict of float``, the quality of an output.
        "right" is the one that the table prints: a share between 0 and 1.
    reference : callable
        ``reference(data, options) -> dict of arrays``, the exact answer, computed once, slowly and
        independently.
    floor : callable
        ``floor(data, reference, options) -> Floor``: the bytes and the products of two numbers that
        the work cannot do without, see ``floors.py``.
    aim : float or None
        The ratio to the fastest peer that the project has set itself.
    aim_peer : str or None
        Name of the adapter that the aim refers to, if it is not the fastest peer.
    options : dict
        Everything else that adapters need (k, the algorithm).
    facts : dict
        What the report says of the data: the kind of data, the numbers of queries, samples and
        features.
    first_rows : int
        The first call in a new process is timed on the first rows of every array.
    """

    name: str
    group: str
    work: str
    make: Callable
    adapters: tuple
    judge: Callable
    reference: Callable
    floor: Callable
    aim: float | None = None
    aim_peer: str | None = None
    options: Mapping = NOTHING
    facts: Mapping = NOTHING
    first_rows: int = 1000
