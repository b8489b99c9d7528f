"""Compiled functions that arrive with an installation: the distribution ``litlearn-kernels``.

It holds nothing but entries of the cache (``cache.py``), made by ``make kernels``: a folder for
each state of litlearn, version of Numba and of Python, and level of the processor. They are used
where the user's own cache has nothing, so that the first fit on a machine compiles nothing.

A level is a set of instructions that processors of several makers have in common: x86-64-v2 those
of about 2009, v3 of about 2015 (AVX2), v4 the servers with AVX-512. LLVM names the features of the
processor at hand that its operating system lets programs use, and the best level of which all are
there is taken. ``LITLEARN_KERNELS`` names another one, or ``none``. The results are those of a
compilation for that level, to the bit.

Entries are code, and are trusted as the package beside them is: whoever could write them could
write ``litlearn`` itself, which their owners and modes must confirm. Their digests are compared,
too, since a download can be cut short.
"""

import functools
import importlib.util
import os
import platform
import sys

import numba
from llvmlite import binding

PACKAGE = "litlearn_kernels"
# What each level has beyond the one before, in LLVM's words.
X86 = {
    "x86-64-v2": "cx16 sahf popcnt sse3 ssse3 sse4.1 sse4.2",
    "x86-64-v3": "avx avx2 bmi bmi2 f16c fma lzcnt movbe xsave",
    "x86-64-v4": "avx512f avx512bw avx512cd avx512dq avx512vl",
}
OTHERS = {"generic": ""}  # what every processor of an architecture has


def levels():
    """The levels of this architecture, the lowest first, with the features of each."""
    return X86 if platform.machine().lower() in ("x86_64", "amd64") else OTHERS


def has(features):
    """Whether the processor has all of the features, a dict of LLVM's, that a level adds."""
    return lambda level: all(features.get(name, False) for name in levels()[level].split())


def usable():
    """The levels whose code may be used here, the best first.

    Raises
    ------
    ValueError
        If ``LITLEARN_KERNELS`` names none of the levels.
    """
    known, said = list(levels()), os.environ.get("LITLEARN_KERNELS", "")
    if said == "none":
        return []
    if said:
        if said not in known:
            raise ValueError(
                f"LITLEARN_KERNELS is {said!r}, expected one of {', '.join(known)}, or none"
            )
        return [said]
    if numba.config.CPU_NAME or numba.config.CPU_FEATURES:  # compiled for what the user says
        told = not numba.config.CPU_FEATURES and numba.config.CPU_NAME in known
        return [numba.config.CPU_NAME] if told else []
    fits = has(binding.get_host_cpu_features())
    while known and not all(map(fits, known)):
        known.pop()
    return known[::-1]


def combination(stamp, level):
    """The name of the folder for a state of litlearn and a level."""
    python = f"py{sys.version_info[0]}{sys.version_info[1]}"
    return f"{stamp}-numba{numba.__version__}-{python}-{level}"


def place(file):
    """The folder, within that of a combination, for a file of the package; None for others."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    inside = os.path.relpath(os.path.dirname(os.path.abspath(file)), package)
    return None if inside.startswith("..") else inside


@functools.cache
def found(stamp):
    """The folder of entries that can be used, and its level; or None, and the reason.

    Parameters
    ----------
    stamp : str
        The state of litlearn (``jit.source_stamp``).

    Returns
    -------
    folder : str or None
    level : str
        Or why there is no folder.
    """
    try:
        spec = importlib.util.find_spec(PACKAGE)
    except (ImportError, ValueError):
        spec = None
    if spec is None or not spec.submodule_search_locations:
        return None, "pip install litlearn[kernels] brings what is compiled here"
    if not usable():
        return None, "the compiled functions of litlearn-kernels are not used, as is set"
    for root in spec.submodule_search_locations:
        for level in usable():
            folder = os.path.join(root, combination(stamp, level))
            if os.path.isdir(folder):
                return folder, level
    best = combination(stamp, usable()[0])
    return None, f"litlearn-kernels has nothing for this environment ({best})"
