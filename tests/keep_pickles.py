"""Add the pickles of this version to pickles.json, before a release: python tests/keep_pickles.py

One small estimator of each public class, and what it says of the first five samples. What other
versions wrote stays as it is.
"""

import base64
import json
import pickle
import sys
import warnings
from pathlib import Path

import numpy as np

import litlearn
from litlearn import linear_model

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / ".ci"))

import smoke

STORED = Path(__file__).parent / "pickles.json"


def samples():
    return np.random.default_rng(0).normal(size=(24, 3)).round(3)


def answers(model):
    """What an estimator says of the first five samples."""
    X = samples()[:5]
    for name in ("predict", "transform", "score_samples", "kneighbors", "query"):
        if hasattr(model, name):
            said = getattr(model, name)(X)
            said = said[0] if isinstance(said, tuple) else said
            return np.asarray(said.toarray() if hasattr(said, "toarray") else said).tolist()
    raise TypeError(f"{type(model).__name__} offers nothing to compare")


def fitted():
    """The name of each public estimator, and a small one."""
    X = samples()
    y, several = (X[:, 0] > 0).astype(int), np.digitize(X[:, 0], [-0.5, 0.5])
    for space, kind, setting in smoke.estimators():
        name, known = kind.__name__, kind._get_defaults()
        small = {"n_estimators": 3, "random_state": 0}
        if space in ("decomposition", "kernel_approximation", "mixture"):
            small["n_components"] = 2
        setting = {**setting, **{key: value for key, value in small.items() if key in known}}
        if space == "multiclass":
            model = kind(linear_model.LogisticRegression()).fit(X, several)
        elif space == "conformal":
            classes = "Classifier" in name
            inner = linear_model.LogisticRegression() if classes else linear_model.Ridge()
            model = kind(inner).fit(X, y if classes else X[:, 1])
        elif name.startswith("MultiTask"):
            model = kind(0.01).fit(X, X[:, :2])
        else:
            model = kind(**setting).fit(X, y)
        yield f"{space}.{name}", model


def main():
    kept = json.loads(STORED.read_text("utf-8"))
    kept[litlearn.__version__] = {
        name: {
            "answers": answers(model),
            "pickle": base64.b64encode(pickle.dumps(model)).decode(),
        }
        for name, model in fitted()
    }
    STORED.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    print(f"{STORED.name} has {len(kept[litlearn.__version__])} of litlearn {litlearn.__version__}")


if __name__ == "__main__":
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        main()
