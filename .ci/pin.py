"""Which fits changed, to the bit, between a commit and the tree: ``make pin BASE=commit``.

Every estimator is fitted to data of every form, at both states of ``src`` on this machine. All that
it learned, answers and warns of is hashed. No hash is stored: other processors round otherwise.
"""

import argparse
import hashlib
import importlib
import inspect
import io
import itertools
import json
import os
import shutil
import subprocess
import sys
import tarfile
import warnings
from collections import defaultdict
from pathlib import Path

import numpy as np
import scipy.sparse

ROOT = Path(__file__).resolve().parent.parent
METHODS = (
    "predict",
    "predict_proba",
    "predict_log_proba",
    "decision_function",
    "transform",
    "score_samples",
    "apply",
    "kneighbors",
    "radius_neighbors",
)
FORMS = {
    "C": np.ascontiguousarray,
    "F": np.asfortranarray,
    "CSR": scipy.sparse.csr_array,
    "CSC": scipy.sparse.csc_array,
}
DTYPES = {"float64": np.float64, "float32": np.float32}
LARGE = 3000  # samples: more than one block of most kernels


# -- one state ------------------------------------------------------------------------------------


def samples(n, outputs):
    """Samples (n, 6), a third of them zeros; classes, as many as `outputs`, and one target less."""
    rng = np.random.default_rng(n)
    X = rng.normal(size=(n, 6)).round(2)
    X[rng.random(X.shape) < 1 / 3] = 0.0
    score = X[:, :3] + rng.gumbel(size=(n, 3))
    classes = score[:, :outputs].argmax(axis=1)
    targets = np.abs(score[:, : outputs - 1] if outputs > 2 else score[:, 0])
    return X, classes, targets, rng.integers(1, 4, n).astype(float)


def variants():
    """Form, dtype, weights, number of classes, n_jobs, warm start, number of samples."""
    yield from itertools.product(FORMS, DTYPES, (False, True), (2, 3), (1,), (False,), (90,))
    yield from itertools.product(("C", "CSR"), DTYPES, (False,), (2,), (2,), (False,), (90, LARGE))
    yield from itertools.product(("C",), DTYPES, (False,), (2, 3), (1,), (True,), (90,))
    yield from itertools.product(("C",), DTYPES, (False,), (2, 3), (1,), (False,), (LARGE,))


def fit(kind, setting, variant):
    """Fit one estimator; return hashes by name, or None where the variant does not apply."""
    form, dtype, weighted, outputs, n_jobs, warm, n = variant
    known = inspect.signature(kind).parameters
    if (n_jobs > 1 and "n_jobs" not in known) or (warm and "warm_start" not in known):
        return None
    takes_weights = "sample_weight" in inspect.signature(kind.fit).parameters
    if weighted and not takes_weights:
        return None
    own = {"n_jobs": n_jobs, "warm_start": warm, "random_state": 0}
    if "estimator" in known:
        own["estimator"] = importlib.import_module("litlearn.linear_model").LogisticRegression()
    model = kind(**{name: value for name, value in own.items() if name in known} | setting)
    X, classes, targets, weights = samples(n, outputs)
    X = FORMS[form](X.astype(DTYPES[dtype]))
    is_regressor = any(base.__name__ == "RegressorMixin" for base in kind.__mro__)
    y = targets if is_regressor else classes
    if kind.__name__.startswith("MultiTask") and y.ndim == 1:
        return None
    found = {}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            if warm:
                model.fit(X[: n // 2], y[: n // 2])
            model.fit(X, y, **({"sample_weight": weights} if weighted else {}))
            found = {
                name: digest(value)
                for name, value in public(model)
                if name.endswith("_") and not name.startswith("_")
            }
            for method in METHODS:
                if hasattr(model, method):
                    found[method] = digest(getattr(model, method)(X[:40]))
        except Exception as error:
            found["error"] = f"{type(error).__name__}: {error}"
    found["warnings"] = digest([(one.category.__name__, str(one.message)) for one in caught])
    return found


def public(thing):
    """Names and values of what an object shows."""
    for name in dir(thing):
        if not name.startswith("_"):
            try:
                value = getattr(thing, name)
            except Exception:
                continue
            if not callable(value):
                yield name, value


def digest(value):
    """Hash of the bytes of a value, whatever it is made of."""
    total = hashlib.sha256()
    for piece in pieces(value, ()):
        total.update(piece)
    return total.hexdigest()[:16]


def pieces(value, above):
    """The bytes of a value, piece by piece; `above` holds what it is a part of."""
    if any(value is one for one in above) or len(above) > 8:
        return
    inside = (*above, value)
    if scipy.sparse.issparse(value):
        value = value.tocoo()
        yield from pieces([value.shape, value.coords, value.data], inside)
    elif isinstance(value, np.ndarray) and value.dtype != object:
        yield f"{value.dtype}{value.shape}".encode() + np.ascontiguousarray(value).tobytes()
    elif isinstance(value, dict):
        yield from pieces(list(value.items()), inside)
    elif isinstance(value, (list, tuple, np.ndarray)):
        yield f"({len(value)}".encode()
        for one in value:
            yield from pieces(one, inside)
    elif value is None or isinstance(value, (str, bytes, bool, int, float, complex, np.generic)):
        yield f"{type(value).__name__}{value!r}".encode()
    else:
        yield type(value).__name__.encode()
        for name, one in public(value):
            yield from pieces((name, one), inside)


def hashes(cases):
    """Print a line of JSON for each fit."""
    for namespace, name, setting in cases:
        kind = getattr(importlib.import_module(f"litlearn.{namespace}"), name, None)
        for variant in variants() if kind else ():
            found = fit(kind, setting, variant)
            if found is not None:
                print(json.dumps([f"{namespace}.{name}", str(setting or ""), variant, found]))


# -- two states -----------------------------------------------------------------------------------


def all_cases():
    """The cases of the warm-up, which reach every kernel, and the classes that it leaves out."""
    from litlearn._warm_up import CASES

    cases = [list(case) for case in CASES]
    seen = {(namespace, name) for namespace, name, _ in cases}
    for namespace in sorted({namespace for namespace, _ in seen} | {"multiclass"}):
        module = importlib.import_module(f"litlearn.{namespace}")
        for name in module.__all__:
            if (namespace, name) not in seen and hasattr(getattr(module, name), "get_params"):
                cases.append([namespace, name, {}])
    return cases


def run(src, cases):
    """Return the hashes of one state of ``src``, by fit."""
    environment = {**os.environ, "PYTHONPATH": str(src)}
    command = [sys.executable, __file__, "hashes"]
    done = subprocess.run(
        command, input=json.dumps(cases), env=environment, stdout=subprocess.PIPE, text=True
    )
    if done.returncode:
        sys.exit(f"The fits of {src} ended with {done.returncode}.")
    lines = map(json.loads, done.stdout.splitlines())
    return {(name, setting, tuple(variant)): found for name, setting, variant, found in lines}


def source_of(commit):
    """Return the folder ``src`` of a commit, unpacked."""
    command = ["git", "rev-parse", "--verify", f"{commit}^{{commit}}"]
    full = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    folder = ROOT / ".cache" / "pin" / full.strip()[:12]
    if not folder.exists():
        partial = folder.with_suffix(".partial")
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir(parents=True)
        command = ["git", "archive", "--format=tar", full.strip(), "src"]
        archive = subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout
        with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
            tar.extractall(partial, filter="data")
        partial.rename(folder)
    return folder / "src"


def compare(before, after):
    """Return lines that name what differs; none if nothing does."""
    changed, lines = defaultdict(lambda: defaultdict(list)), []
    for key in sorted(before.keys() | after.keys(), key=str):
        one, other = before.get(key), after.get(key)
        if one is None or other is None:
            lines.append(f"{key[0]} {key[1]}: only {'after' if one is None else 'before'}")
            continue
        for name in sorted(one.keys() | other.keys()):
            if one.get(name) != other.get(name):
                changed[key[:2]][name].append(key[2])
    for (name, setting), parts in changed.items():
        lines.append(f"{name} {setting}")
        for part, where in parts.items():
            form, dtype, weighted, outputs, n_jobs, warm, n = where[0]
            first = f"{form} {dtype}, {outputs} classes, n = {n}, n_jobs = {n_jobs}"
            first += ", weights" * weighted + ", warm start" * warm
            lines.append(f"    {part}: {len(where)} fits, first {first}")
    return list(dict.fromkeys(lines))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("hashes", help="of the litlearn that is imported, for cases given as JSON")
    commands.add_parser("compare", help="a commit and the tree").add_argument("base")
    given = parser.parse_args()
    if given.command == "hashes":
        hashes(json.load(sys.stdin))
        return
    sys.path.insert(0, str(ROOT / "src"))
    cases = all_cases()
    print(f"Fitting {len(cases)} cases twice; new states of src are compiled first: minutes.")
    before, after = run(source_of(given.base), cases), run(ROOT / "src", cases)
    lines = compare(before, after)
    print("\n".join(lines))
    print(f"{len(after)} fits; {len({line for line in lines if line[0] != ' '})} kinds differ.")
    sys.exit(bool(lines))


if __name__ == "__main__":
    main()
