"""Several classes by classifiers of two.

One-vs-rest and one-vs-one with ten normal classes. Each library's strategy has its own library's
classifier inside: ours around our SVC and our LogisticRegression, scikit-learn's around its own.
Both fit the same classifiers to the same samples with the same settings, and then predict half as
many new samples. Predictions are compared with those of scikit-learn's strategies around
classifiers at far smaller tolerances. Where two classes are so close there that a classifier at its
default tolerance cannot tell them apart, any is right. The memory of scikit-learn's own processes
is not counted.
"""

import importlib

import numpy as np

from benchmarks import floors
from benchmarks.case import Adapter, Case

N_CLASSES = 10
PAIRS = [(i, j) for i in range(N_CLASSES) for j in range(i + 1, N_CLASSES)]
CLOSE = 0.01  # ten times the tolerance of SVC, in units of its decision function
STRATEGIES = {"one-vs-rest": "OneVsRestClassifier", "one-vs-one": "OneVsOneClassifier"}
INSIDE = {"SVC": ("svm", {}), "LogisticRegression": ("linear_model", {"max_iter": 1000})}


def draw(n, p, dtype, seed):
    """Ten normal classes that overlap: training samples X (n, p), classes y, new samples T."""
    rng = np.random.default_rng(seed)
    means = 1.2 * rng.standard_normal((N_CLASSES, p))
    y = rng.integers(0, N_CLASSES, n)
    X = means[y] + rng.standard_normal((n, p))
    T = means[rng.integers(0, N_CLASSES, n // 2)] + rng.standard_normal((n // 2, p))
    return {"X": X.astype(dtype), "y": y, "T": T.astype(dtype)}


def strategy_of(package, options, threads, **tighter):
    """A strategy of a package around a classifier of the same package, not fitted."""
    strategy = getattr(
        importlib.import_module(f"{package}.multiclass"), STRATEGIES[options["strategy"]]
    )
    module, settings = INSIDE[options["inside"]]
    inside = getattr(importlib.import_module(f"{package}.{module}"), options["inside"])
    return strategy(inside(**settings, **tighter), n_jobs=threads)


def build_of(package):
    """Build function of a package with scikit-learn's interface."""

    def build(data, options, threads):
        return strategy_of(package, options, threads).fit(data["X"], data["y"])

    return build


def predictions(model, data, options, threads):
    """Classes of the new samples."""
    return model.predict(data["T"])


def modules(package):
    return (f"{package}.multiclass", f"{package}.svm", f"{package}.linear_model")


OURS = Adapter(
    "litlearn", "litlearn", "litlearn", modules("litlearn"), build_of("litlearn"), predictions,
    ours=True, compiles=True,
)  # fmt: skip
SKLEARN = Adapter(
    "sklearn", "scikit-learn", "sklearn", modules("sklearn"), build_of("sklearn"), predictions
)


def judge(output, data, reference, options):
    """``right``: share of the new samples with the class of the reference, or too close to tell."""
    return {"right": float(np.mean((output == reference["classes"]) | reference["close"]))}


def reference(data, options):
    """Predictions of scikit-learn's strategies, at tolerances far below the defaults.

    Returns
    -------
    dict
        ``classes`` (m,), and ``close`` (m,): whether a small change of the classifiers changes it;
        ``support``: how many samples are a support vector of some classifier.
    """
    tol = 1e-6 if options["inside"] == "SVC" else 1e-9
    model = strategy_of("sklearn", options, 1, tol=tol).fit(data["X"], data["y"])
    classes = model.predict(data["T"])
    support = supporting(model, data["y"], options) if options["inside"] == "SVC" else 0
    if options["strategy"] == "one-vs-rest":
        scores = np.sort(model.decision_function(data["T"]), axis=1)
        close = scores[:, -1] - scores[:, -2] < CLOSE
        return {"classes": classes, "close": close, "support": support}
    # Against a class that wins all its pairs, only these can change anything.
    close, won = np.zeros((2, len(classes)), dtype=bool), np.ones(len(classes), dtype=bool)
    for (i, j), one in zip(PAIRS, model.estimators_, strict=True):
        score = one.decision_function(data["T"])
        mine = (classes == i) | (classes == j)
        won &= ~mine | (classes == np.where(score > 0, j, i))
        close[0] |= mine & (np.abs(score) < CLOSE)
        close[1] |= np.abs(score) < CLOSE
    return {"classes": classes, "close": np.where(won, close[0], close[1]), "support": support}


def supporting(model, y, options):
    """How many samples are a support vector of some classifier."""
    found = set()
    for number, one in enumerate(model.estimators_):
        rows = np.arange(len(y))
        if options["strategy"] == "one-vs-one":
            rows = np.flatnonzero(np.isin(y, PAIRS[number]))
        found.update(rows[one.support_])
    return len(found)


def floor(data, reference, options):
    """The kernel of new samples and support vectors; or for each classifier the scores and the
    gradient of its samples, and the scores of the new ones."""
    p = data["X"].shape[1]
    if options["inside"] == "SVC":
        products = len(data["T"]) * reference["support"] * p
        label = "kernel of new samples and support vectors"
    else:
        one = options["strategy"] == "one-vs-one"
        each = N_CLASSES - 1 if one else N_CLASSES  # classifiers that a sample belongs to
        asked = len(PAIRS) if one else N_CLASSES
        products = 2 * each * data["X"].size + asked * data["T"].size
        label = "scores and gradients once"
    return floors.Floor(floors.size(data, "X", "T"), products, label)


def cases(size):
    """The cases of this family.

    Parameters
    ----------
    size : {"small", "full"}
        "small" keeps a tenth of the rows: to try the harness.

    Returns
    -------
    list of Case
    """
    rows = {"SVC": 10_000, "LogisticRegression": 50_000}
    chosen = []
    for seed, (strategy, inside) in enumerate((s, i) for i in INSIDE for s in STRATEGIES):
        n, p, dtype = rows[inside] // (10 if size == "small" else 1), 20, "float64"

        def make(n=n, p=p, dtype=dtype, seed=seed):
            return draw(n, p, dtype, seed)

        chosen.append(
            Case(
                name=f"{strategy}-{inside}-{n}x{p}-{dtype}", group="Several classes",
                work=f"{strategy}, {inside}", make=make, adapters=(OURS, SKLEARN), judge=judge,
                reference=reference, floor=floor, aim=0.7,
                options={"strategy": strategy, "inside": inside},
                facts={"data": "normal", "n": n, "p": p, "m": n // 2, "classes": N_CLASSES,
                       "dtype": dtype},
            )
        )  # fmt: skip
    return chosen
