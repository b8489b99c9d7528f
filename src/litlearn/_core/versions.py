"""What a report of a defect should begin with."""

import importlib.metadata
import os
import platform
import sys

PACKAGES = (
    "litlearn",
    "numba",
    "llvmlite",
    "numpy",
    "scipy",
    "threadpoolctl",
    "tqdm",
    "scikit-learn",
    "joblib",
    "pandas",
    "matplotlib",
)
SETTINGS = (
    "NUMBA_CACHE_DIR",
    "NUMBA_CPU_NAME",
    "NUMBA_DISABLE_JIT",
    "NUMBA_NUM_THREADS",
    "OMP_NUM_THREADS",
    "OPENBLAS_CORETYPE",
    "OPENBLAS_NUM_THREADS",
)


def show_versions():
    """Print the versions of Python, litlearn and what it stands on, and how it computes here.

    A report of a defect should begin with it.

    Notes
    -----
    Versions are those of the installed packages, and "not installed" where one is missing.
    scikit-learn, joblib, pandas and matplotlib are not imported for that. Besides them come the
    processors that may be used, the libraries of matrix products with their threads, and the
    variables of the environment that change how litlearn computes.

    Examples
    --------
    >>> import litlearn
    >>> litlearn.show_versions()  # doctest: +ELLIPSIS
    System
      python: 3...
    """
    print("\n\n".join(_sections()))


def _sections():
    import scipy.linalg  # noqa: F401  brings its own library of matrix products
    import threadpoolctl

    from litlearn import __version__
    from litlearn._core import parallel

    system = {
        "python": " ".join(sys.version.split()),
        "executable": sys.executable,
        "machine": platform.platform(),
        "processors": f"{parallel.cpu_count()} usable of {os.cpu_count()}",
    }
    yield _section("System", system)
    packages = {name: _version(name) for name in PACKAGES} | {"litlearn": __version__}
    yield _section("Packages", packages)
    libraries = {
        f"{one.get('internal_api')} {one.get('version')}": (
            f"{one.get('num_threads')} threads, {one.get('architecture', 'any processor')}"
        )
        for one in threadpoolctl.threadpool_info()
    }
    yield _section("Threaded libraries", libraries)
    settings = {name: os.environ[name] for name in SETTINGS if name in os.environ}
    yield _section("Environment", settings or {"variables": "none that matter"})


def _section(title, values):
    return "\n".join([title, *(f"  {name}: {value}" for name, value in values.items())])


def _version(package):
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"
