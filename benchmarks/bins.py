"""What bins cost: accuracy of forests with 255 bins beside that of exact ones, on ten data sets.

Run as ``python -m benchmarks.bins [--json benchmarks/bins.json]``. Each data set is cut into five
folds, the small ones several times. For each fold a forest of 50 trees with every threshold and one
with ``max_bins=255`` are fitted to the other four, with the same ``random_state``. Four of the data
sets come with scikit-learn, the others are drawn. It writes the mean accuracy of both, and the
standard error of the mean difference, whose folds are taken as independent.
"""

import argparse
import datetime
import json
from pathlib import Path

import numpy as np

from benchmarks import runner, trees

SCHEMA = 1
BINS = 255
TREES = 50
FOLDS = 5
FEWEST = 4000  # rows that all repetitions of a data set predict, at least
MOST_REPEATS = 10
LIMIT = 0.002  # of accuracy, that bins may cost on average
JSON = Path(__file__).parent / "bins.json"


def of_trees(kind, n, p):
    """Data that the times of trees are measured on."""
    return lambda: trees.KINDS[kind](np.random.default_rng(0), n, p)


def loaded(name):
    """A data set that comes with scikit-learn."""

    def load():
        from sklearn import datasets

        return getattr(datasets, f"load_{name}")(return_X_y=True)

    return load


def made(name, *sizes, **settings):
    """A data set that a function of scikit-learn makes."""

    def make():
        from sklearn import datasets

        return getattr(datasets, f"make_{name}")(*sizes, random_state=0, **settings)

    return make


DATA = {
    "iris": loaded("iris"),
    "wine": loaded("wine"),
    "breast cancer": loaded("breast_cancer"),
    "digits": loaded("digits"),
    "clusters": of_trees("clusters", 10_000, 20),
    "rounded": of_trees("rounded", 10_000, 20),
    "hastie": made("hastie_10_2", 8000),
    "shells": made("gaussian_quantiles", n_samples=8000, n_features=10, n_classes=3),
    "moons": made("moons", 8000, noise=0.25),
    "classification": made("classification", 8000, 40, n_informative=10, n_redundant=10),
}


def folds(n, seed):
    """The numbers of the rows of each fold."""
    return np.array_split(np.random.default_rng(seed).permutation(n), FOLDS)


def accuracies(X, y, seed):
    """Accuracy in each fold, exact and with bins: (folds, 2)."""
    from litlearn.ensemble import RandomForestClassifier

    found = []
    for rows in folds(len(y), seed):
        train = np.setdiff1d(np.arange(len(y)), rows)
        forests = [
            RandomForestClassifier(TREES, max_bins=bins, random_state=seed) for bins in (None, BINS)
        ]
        found.append([one.fit(X[train], y[train]).score(X[rows], y[rows]) for one in forests])
    return np.array(found)


def record(name):
    """The record of a data set."""
    X, y = DATA[name]()
    repeats = int(np.clip(-(-FEWEST // len(y)), 1, MOST_REPEATS))
    found = np.concatenate([accuracies(X, y, seed) for seed in range(repeats)])
    difference = found[:, 1] - found[:, 0]
    error = difference.std(ddof=1) / np.sqrt(len(difference))
    exact, binned = found.mean(axis=0)
    return {
        "name": name, "rows": len(y), "features": X.shape[1], "repeats": repeats,
        "exact": float(exact), "bins": float(binned), "error": float(error),
    }  # fmt: skip


def cost(rows):
    """By how much bins lower the accuracy, in the mean of the data sets."""
    return float(np.mean([row["exact"] - row["bins"] for row in rows]))


def main(arguments=None):
    """Measure, print and store."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path, default=JSON)
    chosen = parser.parse_args(arguments)
    result = {"schema": SCHEMA, "date": datetime.date.today().isoformat()}
    result |= {"machine": runner.machine(), "bins": BINS, "trees": TREES, "rows": []}
    for name in DATA:
        row = record(name)
        result["rows"].append(row)
        print(
            f"{name:24} exact {row['exact']:.4f}, {BINS} bins {row['bins']:.4f}, standard error "
            f"of the difference {row['error']:.4f}",
            flush=True,
        )
    chosen.json.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
