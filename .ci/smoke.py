"""Fit every public estimator of an installed litlearn, on few data: python .ci/smoke.py README.md

Runs in an environment that holds litlearn and what it needs, and nothing else (``.ci/dist.py``).
Each is fitted, asked for what it offers, pickled, and asked again: the answers must be finite and
the same.
"""

import contextlib
import importlib
import importlib.metadata
import inspect
import io
import json
import pickle
import sys
import sysconfig
import time
import warnings
from pathlib import Path

import numpy as np
from numba.core import event

import litlearn
from litlearn import _warm_up

PACKAGES = ("litlearn", "numba", "numpy", "scipy", "threadpoolctl", "tqdm")
ASKED = ("predict", "predict_proba", "decision_function", "transform", "score_samples")


class Compilations(event.Listener):
    count = 0

    def on_start(self, event):
        Compilations.count += 1

    def on_end(self, event):
        pass


def estimators():
    """(namespace, class, setting) of the public classes that have a fit method."""
    settings = {}
    for namespace, name, setting in _warm_up.CASES:
        settings.setdefault((namespace, name), setting)
    for namespace in litlearn.__all__:
        if namespace in ("plotting", "claims", "listing") or namespace.startswith("_"):
            continue
        try:
            module = importlib.import_module(f"litlearn.{namespace}")
        except ModuleNotFoundError:  # a function of litlearn itself
            continue
        for name in getattr(module, "__all__", ()):
            kind = getattr(module, name)
            if inspect.isclass(kind) and hasattr(kind, "fit"):
                yield namespace, kind, settings.get((namespace, name), {})


def answers(model, X):
    """What a fitted estimator says of samples, by the name of the method."""
    out = {}
    for name in ASKED:
        if hasattr(model, name):
            said = getattr(model, name)(X)
            out[name] = said.toarray() if hasattr(said, "toarray") else np.asarray(said)
    return out


def used(namespace, kind, setting):
    """Fit one estimator and compare its answers before and after a pickle."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(160, 6))
    y, target = (X[:, 0] > 0).astype(int), X[:, 0] + 0.1 * rng.normal(size=160)
    linear = litlearn.linear_model
    name = kind.__name__
    if namespace == "multiclass":
        model = kind(linear.LogisticRegression()).fit(X, np.digitize(X[:, 0], [-0.5, 0.5]))
    elif namespace == "conformal":
        inner = linear.LogisticRegression() if "Classifier" in name else linear.Ridge()
        labels = y if "Classifier" in name else target
        model = kind(inner).fit(X, labels)
    elif name.startswith("MultiTask"):
        model = kind(0.01).fit(X, X[:, :2])
    else:
        model = kind(**setting).fit(X, y)
    before, after = answers(model, X[:20]), answers(pickle.loads(pickle.dumps(model)), X[:20])
    if not before and not hasattr(model, "kneighbors") and not hasattr(model, "labels_"):
        raise AssertionError(f"{name} offers none of {', '.join(ASKED)}")
    for method, said in before.items():
        if not np.array_equal(said, after[method]):
            raise AssertionError(f"{name}.{method} says something else after a pickle")
        if said.dtype.kind == "f" and not np.isfinite(said).all():
            raise AssertionError(f"{name}.{method} is not finite")


def main(readme):
    begun, count = time.perf_counter(), 0
    place = sysconfig.get_paths()["purelib"]
    if not litlearn.__file__.startswith(place):
        raise AssertionError(f"{litlearn.__file__} was imported, expected one in {place}")
    event.register("numba:compile", Compilations())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for namespace, kind, setting in estimators():
            used(namespace, kind, setting)
            count += 1
    source = Path(readme).read_text("utf-8").split("```python\n")[1].split("```")[0]
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown):
        exec(compile(source, "README.md", "exec"), {"__name__": "readme"})
    if "of the people it has not seen" not in shown.getvalue():
        raise AssertionError(f"README's example printed {shown.getvalue()!r}")
    if {"sklearn", "pandas", "matplotlib"} & set(sys.modules):
        raise AssertionError("litlearn imported what it does not need")
    versions = {name: importlib.metadata.version(name) for name in PACKAGES}
    print(json.dumps({
        "estimators": count, "versions": versions, "compiled": Compilations.count,
        "seconds": time.perf_counter() - begun,
    }))  # fmt: skip


if __name__ == "__main__":
    main(sys.argv[1])
