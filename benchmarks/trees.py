"""Trees and forests.

The time is that of one fit; in the cases of predictions that of one prediction, by a model that was
fitted in the first round, whose memory therefore includes the fit. The data are Gaussian clusters
in some of the features, rounded measurements with many ties, and Friedman's regression function;
none are sparse. Peers are called as a user would call them. scikit-learn-intelex has forests only,
and puts values into 256 bins; so does Snap ML, whose trees stand beside the project's with bins.
scikit-learn tries every threshold, and so does the project, but where `max_bins` is given.

Trees differ in the random choices that they make, so no answer is the right one. What is judged is
the score on samples that were held out, and the mean score of ten small models with other seeds,
which should be the peers' within its standard error.
"""

import importlib

import numpy as np

from benchmarks import floors
from benchmarks.case import Adapter, Case

SEEDS = 10
FEW = 2000  # samples of the small models
HELD_OUT = 10_000

# ---------------------------------------------------------------- data


def clusters(rng, n, p):
    """Thirty Gaussian clusters in half of the features, one of three classes each."""
    informative = max(2, min(p // 2, 12))
    centres = 2.0 * rng.standard_normal((30, informative))
    label = rng.integers(0, 30, n)
    X = rng.standard_normal((n, p))
    X[:, :informative] += centres[label]
    return X, label % 3


def rounded(rng, n, p):
    """Measurements read off coarse scales: from two to a thousand different values a feature."""
    steps = np.geomspace(0.005, 1.0, p)
    X = np.round(rng.standard_normal((n, p)) / steps) * steps
    score = X[:, ::3].sum(axis=1) + X[:, 0] * X[:, -1] + rng.standard_normal(n)
    return X, (score > 0.5).astype(np.int64)


def friedman(rng, n, p):
    """Friedman's function of five features, the others without effect, and noise."""
    X = rng.random((n, p))
    y = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2
    return X, y + 10 * X[:, 3] + 5 * X[:, 4] + rng.standard_normal(n)


KINDS = {"clusters": clusters, "rounded": rounded, "friedman": friedman}


def draw(kind, n, p, dtype, seed, held_out=HELD_OUT):
    """Samples X (n, p) with targets y (n,), and held-out samples T with targets t."""
    X, y = KINDS[kind](np.random.default_rng(seed), n + held_out, p)
    X = np.ascontiguousarray(X, dtype=dtype)
    return {"X": X[:n].copy(), "y": y[:n].copy(), "T": X[n:].copy(), "t": y[n:].copy()}


# ---------------------------------------------------------------- implementations


def estimator(module):
    """Build function: an estimator with scikit-learn's interface, not fitted yet."""

    def build(data, options, threads):
        kind = getattr(importlib.import_module(module(options)), options["estimator"])
        given = dict(options["given"])
        if kind.__module__.startswith("litlearn"):
            given |= options.get("ours", {})
        return kind(random_state=0, **given, **_threads(kind, threads))

    return build


def _threads(kind, threads):
    return {"n_jobs": threads} if "n_jobs" in kind().get_params() else {}


def fit(model, data, options, threads):
    """The fitted model."""
    return model.fit(data["X"], data["y"])


FITTED = {}


def fitted(build):
    """Build function: a model that is fitted in the first round and kept for the others."""

    def keep(data, options, threads):
        rows = len(data["X"])
        if rows not in FITTED:
            FITTED[rows] = build(data, options, threads).fit(data["X"], data["y"])
        return FITTED[rows]

    return keep


def predict(model, data, options, threads):
    """Predicted targets of the held-out samples."""
    return model.predict(data["T"])


def adapters(folder, names, query, wrap=lambda build: build):
    """Implementations of which `names` are compared: the project, and peers with its interface."""
    labels = {
        "litlearn": "litlearn",
        "sklearn": "scikit-learn",
        "sklearnex": "scikit-learn-intelex, bins",
    }
    return tuple(
        Adapter(
            name, labels[name], name, (f"{name}.{folder}",),
            wrap(estimator(lambda options, name=name: f"{name}.{folder}")), query,
            ours=name == "litlearn", compiles=name == "litlearn",
        )
        for name in names
    )  # fmt: skip


def snapml_tree(data, options, threads):
    """Snap ML's tree, with as many bins as it has."""
    kind = getattr(importlib.import_module("snapml"), options["estimator"])
    return kind(random_state=0, n_jobs=threads, use_histograms=True, hist_nbins=256)


EVERYBODY = ("litlearn", "sklearn", "sklearnex")
SNAPML = Adapter(
    "snapml", "Snap ML, bins", "snapml", ("snapml",), snapml_tree, fit, dtypes=("float32",)
)
ADAPTERS = {
    "tree": adapters("tree", EVERYBODY[:2], fit),
    "bins": (*adapters("tree", EVERYBODY[:2], fit), SNAPML),
    "forest": adapters("ensemble", EVERYBODY, fit),
    "predict": adapters("ensemble", EVERYBODY, predict, fitted),
}

# ---------------------------------------------------------------- quality


def score(predicted, t):
    """Accuracy for classes, R2 for numbers."""
    if t.dtype.kind == "i":
        return float(np.mean(predicted == t))
    return float(1 - np.mean((t - predicted) ** 2) / np.var(t))


def reference(data, options):
    """The score of the best constant prediction: what a model has to beat."""
    y, t = data["y"], data["t"]
    constant = np.bincount(y).argmax() if y.dtype.kind == "i" else y.mean()
    return {"constant": np.array([score(np.full(len(t), constant), t)])}


def judge(model, data, reference, options):
    """``right``: score on the held-out samples. ``constant``: that of a constant prediction.
    ``mean``, ``error``: mean score of ten small models with other seeds, and its standard error."""
    kind, given = type(model), model.get_params()
    few = data["X"][:FEW], data["y"][:FEW]
    scores = [
        score(kind(**(given | {"random_state": seed})).fit(*few).predict(data["T"]), data["t"])
        for seed in range(1, SEEDS + 1)
    ]
    return {
        "right": score(model.predict(data["T"]), data["t"]),
        "constant": reference["constant"][0],
        "mean": np.mean(scores),
        "error": np.std(scores, ddof=1) / np.sqrt(SEEDS),
    }


def judge_predictions(predicted, data, reference, options):
    """``right``: score of the predictions. ``constant``: that of a constant prediction."""
    return {"right": score(predicted, data["t"]), "constant": reference["constant"][0]}


# ---------------------------------------------------------------- floors

DISTINCT = 1 - np.exp(-1)  # share of the samples that a bootstrap draws at least once


def tried(options, p):
    """Features that a forest tries at each node: all of them for numbers, some for classes."""
    return p if options["estimator"].endswith("Regressor") else int(np.sqrt(p))


def floor(data, reference, options):
    """The samples once for a tree; of a forest, for each tree the features that its root tries."""
    volume, label = floors.size(data), "reading the samples once"
    if "n_estimators" in options["given"]:
        share = DISTINCT if options["estimator"].startswith("Random") else 1.0
        share *= tried(options, data["X"].shape[1]) / data["X"].shape[1]
        volume *= share * options["given"]["n_estimators"]
        label = "reading what each root tries once"
    return floors.Floor(volume, 0, label)


def asked(data, reference, options):
    """Of predictions, the new samples once."""
    return floors.Floor(floors.size(data, "T"), 0, "reading the new samples once")


# ---------------------------------------------------------------- cases

SMALLER = 20
FOREST = {"n_estimators": 50}
# (work, estimator, kind of data, samples, features, dtype, parameters, ours, aim, its peer)
SHAPES = (
    ("tree", "DecisionTreeClassifier", "clusters", 100_000, 20, "float64", {}, {}, 0.35, None),
    ("tree", "DecisionTreeClassifier", "rounded", 100_000, 20, "float32", {}, {}, 0.35, None),
    ("tree", "DecisionTreeRegressor", "friedman", 100_000, 20, "float64", {}, {}, 0.35, None),
    ("tree", "DecisionTreeRegressor", "friedman", 20_000, 10, "float32",
     {"criterion": "absolute_error"}, {}, 0.3, None),
    ("bins", "DecisionTreeClassifier", "clusters", 100_000, 20, "float32", {}, {"max_bins": 255},
     0.8, "snapml"),
    ("bins", "DecisionTreeClassifier", "rounded", 100_000, 20, "float32", {}, {"max_bins": 255},
     0.8, "snapml"),
    ("forest", "RandomForestClassifier", "clusters", 100_000, 20, "float64", FOREST, {},
     0.25, "sklearn"),
    ("forest", "RandomForestClassifier", "rounded", 100_000, 20, "float32", FOREST, {},
     1.2, "sklearnex"),
    ("forest", "RandomForestClassifier", "clusters", 20_000, 200, "float32", FOREST, {},
     1.2, "sklearnex"),
    ("forest", "RandomForestClassifier", "clusters", 100_000, 20, "float32", FOREST,
     {"max_bins": 255}, 0.8, "sklearnex"),
    ("forest", "RandomForestClassifier", "rounded", 100_000, 20, "float32", FOREST,
     {"max_bins": 255}, 0.8, "sklearnex"),
    ("forest", "RandomForestRegressor", "friedman", 20_000, 20, "float64", FOREST, {},
     0.25, "sklearn"),
    ("forest", "ExtraTreesClassifier", "clusters", 100_000, 20, "float32", FOREST, {},
     0.5, "sklearn"),
    ("forest", "ExtraTreesClassifier", "clusters", 20_000, 200, "float64", FOREST, {},
     0.7, "sklearnex"),
    ("forest", "ExtraTreesRegressor", "friedman", 20_000, 20, "float32", FOREST, {},
     0.5, "sklearn"),
    ("predict", "RandomForestClassifier", "clusters", 20_000, 20, "float32", FOREST, {},
     0.5, "sklearn"),
    ("predict", "RandomForestRegressor", "friedman", 10_000, 20, "float64", FOREST, {},
     0.5, "sklearn"),
)  # fmt: skip
GROUPS = {
    "tree": "Decision trees",
    "bins": "Decision trees",
    "forest": "Forests",
    "predict": "Predictions of forests",
}
QUERIES = 100_000


def cases(size):
    """The cases of this family.

    Parameters
    ----------
    size : {"small", "full"}
        "small" keeps the first shape of each estimator and work, and a twentieth of its rows: to
        try the harness; with fewer trees.

    Returns
    -------
    list of Case
    """
    chosen, seen = [], set()
    for seed, shape in enumerate(SHAPES):
        work, kind, kind_of_data, n, p, dtype, given, ours, aim, aim_peer = shape
        held_out = QUERIES if work == "predict" else HELD_OUT
        if size == "small":
            if (work, kind) in seen:
                continue
            n, held_out = n // SMALLER, held_out // SMALLER
            given = given | {"n_estimators": 10} if work not in ("tree", "bins") else given
        seen.add((work, kind))
        setting = "".join(f"-{value}" for value in given.values() if isinstance(value, str))
        setting += "".join(f"-{name}" for name in ours)
        name = f"{'predict-' if work == 'predict' else ''}{kind}{setting}-{kind_of_data}"
        name = f"{name}-{n}x{p}-{dtype}"
        facts = {"data": kind_of_data, "n": n, "m": held_out, "p": p, "dtype": dtype}

        def make(kind=kind_of_data, n=n, p=p, dtype=dtype, seed=seed, held_out=held_out):
            return draw(kind, n, p, dtype, seed, held_out)

        chosen.append(
            Case(
                name=name, group=GROUPS[work], work="predict" if work == "predict" else "fit",
                make=make, adapters=ADAPTERS[work],
                judge=judge_predictions if work == "predict" else judge, reference=reference,
                floor=asked if work == "predict" else floor, aim=aim, aim_peer=aim_peer,
                options={"estimator": kind, "given": given, "ours": ours}, facts=facts,
            )
        )  # fmt: skip
    return chosen
