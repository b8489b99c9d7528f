"""What the figures to play with show: one function a figure, named like its file in book/figures.

The numbers come from the module, or from the chapter that the figure opens. None is typed here.
``NAME_states`` gives the states in which pages set a figure again: what differs from its data. They
move its points; where a state needs other people, they are drawn at random.
"""

from __future__ import annotations

import ast
import json
from pathlib import Path

import numpy as np
from scipy.stats import chi2
from scipy.stats import t as student

from litlearn.plotting import COLORS

BOOK = Path(__file__).resolve().parents[1]


def of_chapter(page, *names):
    """Return arrays that a chapter's code assigns from numbers alone, as lists."""
    cells = json.loads((BOOK / f"{page}.ipynb").read_text(encoding="utf-8"))["cells"]
    found = {}
    for cell in cells:
        if cell["cell_type"] != "code":
            continue
        for statement in ast.parse("".join(cell["source"])).body:
            if not isinstance(statement, ast.Assign):
                continue
            name = getattr(statement.targets[0], "id", None)
            if name in names and name not in found:
                value = eval(ast.unparse(statement.value), {"np": np})
                found[name] = np.asarray(value).tolist()
    missing = [name for name in names if name not in found]
    if missing:
        raise LookupError(f"{page}: no cell assigns {', '.join(missing)}")
    return [found[name] for name in names]


def classes(*names):
    """Return classes in sorted order, with the colour and marker that plots give them."""
    return [
        {"name": name, "color": color, "marker": marker}
        for marker, (name, color) in enumerate(zip(names, COLORS, strict=False))
    ]


def moved(points, **changes):
    """Return a copy of a list of points or numbers in which patient_3=... has another place."""
    moved = [*points]
    for patient, place in changes.items():
        moved[int(patient.removeprefix("patient_")) - 1] = place
    return moved


# -- nearest neighbours ---------------------------------------------------------------------------


def nearest_neighbors():
    """The six patients of the chapter. Words are counted, so a patient moves by whole words."""
    X, y, query = of_chapter("nearest_neighbors", "X_six", "y_six", "x_new")
    words = {"unit": "words of 16", "domain": [-0.8, 16.8], "limits": [0, 16]}
    return {
        "features": [
            {"label": "immediate recall", "step": 1, "leap": 4, **words},
            {"label": "delayed recall", "step": 1, "leap": 4, **words},
        ],
        "classes": classes("well", "ill"),
        "X": X,
        "y": [sorted(set(y)).index(label) for label in y],
        "query": query,
        "k": 3,
    }


def nearest_neighbors_states():
    """Recall in tenths of a word, a star on patient 1, all six votes, a star in a corner."""
    return {
        "units": {"tenths": True},
        "loudness": {"query": [8, 3], "k": 3, "weights": "distance"},
        "many": {"k": 6},
        "beyond": {"query": [2, 14], "k": 3},
    }


# -- linear regression ----------------------------------------------------------------------------


def linear_regression():
    """The five patients of the chapter: years since the first complaint, and the memory score."""
    x, y = of_chapter("linear_regression", "x_five", "y_five")
    return {
        "axes": {
            "x": {
                "label": "years since the first complaint",
                "domain": [-0.4, 6.4],
                "limits": [0, 6],
                "step": 0.5,
                "leap": 2,
            },
            "y": {
                "label": "memory score",
                "unit": "points",
                "domain": [0, 44],
                "below": [-12, 44],
                "step": 1,
                "leap": 5,
            },
        },
        "x": x,
        "y": y,
        "through": [[0.5, 25], [5.5, 15]],  # a line that is not the best
        "until": 6,
        "query": None,
        "colors": {"line": COLORS[0], "residual": COLORS[1], "own": COLORS[2]},
    }


def linear_regression_states():
    """A line of the reader's own; patient 5 far out; a wrong score in the middle; year 9."""
    x, y = of_chapter("linear_regression", "x_five", "y_five")
    return {
        "line": {"own": True},
        "pull": {"x": moved(x, patient_5=6), "y": moved(y, patient_5=6)},
        "outlier": {"y": moved(y, patient_3=40)},
        "beyond": {"until": 10, "query": 9},
    }


# -- inference ------------------------------------------------------------------------------------

TRUE_LINE, NOISE, VISITS = [28, -3], {"equal": 3, "fan": 0.6, "own": 3, "visit": 2}, 5


def _scores(kind, x, rng):
    """Scores of other people at the same years: the true line plus errors."""
    errors = {
        "equal": lambda: NOISE["equal"] * rng.normal(size=len(x)),
        "fan": lambda: NOISE["fan"] * x * rng.normal(size=len(x)),
        "visits": lambda: (
            np.repeat(NOISE["own"] * rng.normal(size=len(x) // VISITS), VISITS)
            + NOISE["visit"] * rng.normal(size=len(x))
        ),
    }
    return np.round(TRUE_LINE[0] + TRUE_LINE[1] * x + errors[kind](), 1)


def _slope(x, y):
    """The slope, its standard error by the formula and by HC3, and the degrees of freedom."""
    dx = x - x.mean()
    slope = dx @ y / (dx @ dx)
    e = y - y.mean() - slope * dx
    leverage = 1 / len(x) + dx**2 / (dx @ dx)
    robust = np.sqrt(((e / (1 - leverage) * dx) ** 2).sum()) / (dx @ dx)
    return slope, np.sqrt(e @ e / (len(x) - 2) / (dx @ dx)), robust, len(x) - 2


def _studies(kind, x, times, seed):
    """Slopes of some studies, with half of the usual and half of the other 95 % interval."""
    x, rng, found = np.array(x), np.random.default_rng(seed), []
    for _ in range(times):
        y = _scores(kind, x, rng)
        slope, usual, other, df = _slope(x, y)
        halves = [student.ppf(0.975, df) * usual, student.ppf(0.975, df) * other]
        if kind == "visits":
            means = _slope(*(v.reshape(-1, VISITS).mean(axis=1) for v in (x, y)))
            halves[1] = student.ppf(0.975, means[3]) * means[1]
        found.append(np.round([slope, *halves], 2).tolist())
    return found, _scores(kind, x, rng).tolist()


def inference():
    """The five patients of the chapter, ninety-five more, and studies that came before."""
    x, y = of_chapter("inference", "x_five", "y_five")
    more = 19 * x
    return {
        "axes": {
            **linear_regression()["axes"],
            "below": {"domain": [-26, 46]},
            "study": {"label": "study", "domain": [0, 61]},
            "slope": {"label": "slope", "unit": "points a year"},
        },
        "slopes": {"equal": [-12, 6], "fan": [-5, -1], "visits": [-6, 0]},
        "x": x + more,
        "y": y + _scores("equal", np.array(more), np.random.default_rng(0)).tolist(),
        "count": len(x),
        "until": 6,
        "past": _studies("equal", x, 19, 3)[0],
        "truth": TRUE_LINE,
        "noise": NOISE,
        "visits": VISITS,
        "student": [0, *student.ppf(0.975, np.arange(1, 99)).round(5).tolist()],
        "colors": {"line": COLORS[0], "missed": COLORS[1]},
    }


def inference_states():
    """Sixty studies; bands for a mean and for one patient; noise that grows; five visits each."""
    x, fan, visits = of_chapter("inference", "x_five", "x_fan", "x_visits")
    states = {
        "studies": {"past": _studies("equal", x, 59, 4)[0]},
        "bands": {"query": 2, "until": 8, "past": []},
    }
    for kind, years in (("fan", fan), ("visits", visits)):
        past, last = _studies(kind, years, 19, 5)
        states[kind] = {"kind": kind, "x": years, "y": last, "count": len(years), "past": past}
    return states


# -- logistic regression --------------------------------------------------------------------------


def logistic_regression():
    """The six patients of the chapter: words forgotten, and the course."""
    x, y = of_chapter("logistic_regression", "forgotten", "y_six")
    return {
        "axes": {
            "x": {
                "label": "words forgotten",
                "unit": "of 5",
                "domain": [-0.4, 5.9],
                "limits": [0, 5],
                "step": 1,
                "leap": 2,
            },
            "y": {
                "label": "probability of decline",
                "domain": [-0.12, 1.12],
                "limits": [0, 1],
                "step": 1,
                "leap": 1,
            },
        },
        "classes": classes("stable", "decline"),
        "x": x,
        "y": [sorted(set(y)).index(label) for label in y],
        "factor": 1.5,
        "factors": [
            *np.arange(1, 5, 0.1).round(1).tolist(),
            *[5, 6, 8, 10, 15, 20, 30, 50, 100, 1000, 10000],
        ],
        "threshold": None,
        "query": None,
        "color": COLORS[2],
    }


def logistic_regression_states():
    """A factor to be chosen; a new patient; patient 4 who declines; a threshold."""
    return {
        "factor": {"own": True, "factor": 1},
        "coefficient": {"query": 2},
        "separable": {"y": moved(logistic_regression()["y"], patient_4=1), "factor": 2},
        "threshold": {"threshold": 0.5},
    }


def logistic_inference():
    """The six patients of logistic regression, and how far a deviance may be above the lowest."""
    six = logistic_regression()
    return {
        "axes": {
            "x": {"label": "coefficient of a word", "domain": [-1, 4.2]},
            "y": {"label": "deviance above the lowest", "domain": [-0.5, 10]},
        },
        "x": six["x"],
        "y": six["y"],
        "changed": 3,  # patient 4, with whom the words separate the courses
        "limit": float(chi2.ppf(0.95, 1)),
        "copies": 1,
        "most": 10,
        "declines": False,
        "factor": 1,
        "factors": [0.5, 0.7, *six["factors"][:41], 6, 8, 10, 12, 15, 20, 30, 50],
        "color": {"curve": COLORS[0], "inside": COLORS[2]},
    }


def logistic_inference_states():
    """Four patients like each of the six; patient 4 who declines."""
    return {
        "many": {"copies": 4, "factor": 2},
        "separable": {"declines": True, "factor": 2},
    }


# -- kernel methods -------------------------------------------------------------------------------


def kernel_methods():
    """The four patients of the chapter: tablets a day, and words gained."""
    x, y, query = of_chapter("kernel_methods", "x_four", "y_four", "x_new")
    dose = {"label": "tablets", "unit": "a day", "domain": [-0.3, 8.3], "limits": [0, 8]}
    gain = {"label": "words gained", "domain": [-6, 9], "limits": [-5, 8]}
    return {
        "axes": {"x": {**dose, "step": 0.5, "leap": 2}, "y": {**gain, "step": 1, "leap": 4}},
        "x": x,
        "y": y,
        "numbers": [1, 2, 3, 4],
        "query": query,
        "kernel": "hat",
        "width": 2,
        "price": 0.5,
        "powers": {"width": [-0.7, 1], "price": [-3, 2]},
        "until": 8,
        "colors": {"curve": "#222222", "residual": COLORS[1], "shares": [*COLORS[2:5], COLORS[0]]},
    }


def kernel_methods_states():
    """One patient alone; hardly a price, for widths; a new patient far from all."""
    x, y = of_chapter("kernel_methods", "x_four", "y_four")
    return {
        "one": {"x": x[1:2], "y": y[1:2], "numbers": [2]},
        "width": {"price": 0.01},
        "beyond": {"until": 20, "query": 20, "kernel": "rbf"},
    }


# -- penalised models -----------------------------------------------------------------------------


def penalized_models():
    """The four people of the chapter: training, coffee, and the change of a score."""
    X, y = (np.array(values) for values in of_chapter("penalized_models", "X_four", "y_four"))
    free = np.linalg.solve(X.T @ X, X.T @ y)
    names = ["trained daily", "coffee"]
    moves = {"step": 0.1, "leap": 0.5}
    return {
        "axes": {
            "first": {
                "label": f"coefficient of “{names[0]}”",
                "domain": [-1.8, 3.2],
                "limits": [-1.2, 3],
                **moves,
            },
            "second": {
                "label": f"coefficient of “{names[1]}”",
                "domain": [-1.8, 2.4],
                "limits": [-1.2, 2.2],
                **moves,
            },
            "price": {
                "label": "price λ",
                "domain": [-0.6, 20.6],
                "limits": [0, 20],
                "step": 0.5,
                "leap": 4,
            },
            "size": {"label": "coefficient", "domain": [-1.4, 3.4], **moves},
        },
        "names": names,
        "n": len(y),
        "rest": float(((y - X @ free) ** 2).sum()),
        "free": free.tolist(),
        "price": 4,
        "kind": "lasso",
        "correlation": 0,
        "cup": 0.25,  # litres
        "colors": {"ball": COLORS[2], "features": COLORS[:2]},
    }


def penalized_models_states():
    """No price at all; features that nearly always go together; coffee in litres."""
    return {
        "first": {"price": 0},
        "never": {"price": 0, "kind": "ridge"},
        "twins": {"price": 10, "correlation": 0.9, "free": [1.4, 0.6]},
        "units": {"litres": True, "price": 0},
    }


# -- overfitting ----------------------------------------------------------------------------------


def overfitting():
    """Twelve visits of the chapter's patient, with days drawn at random, and the true course."""
    course, sigma, weeks, grid = of_chapter("overfitting", "course", "sigma", "weeks", "at")
    degrees = {"label": "degree of the polynomial", "domain": [-0.5, len(weeks) - 0.5]}
    times = {"unit": "in 30 s", "domain": [0, 26], "step": 0.5, "leap": 4}
    return {
        "axes": {
            "x": {
                "label": "week",
                "domain": [-0.5, 11.5],
                "limits": [0, 11],
                "step": 0.5,
                "leap": 2,
            },
            "few": {"domain": [-0.2, 4.2], "limits": [0, 4]},
            "y": {"label": "times stood up", **times},
        },
        "errors": {
            "x": degrees,
            "y": {"label": "error", "unit": "times", "domain": [0, 8]},
        },
        "course": course,
        "grid": np.round(grid, 3).tolist(),
        "x": weeks,
        "z": np.random.default_rng(4).normal(size=len(weeks)).round(3).tolist(),
        "degree": 8,
        "sigma": sigma,
        "noise": [0.5, 3],
        "colors": {"curve": COLORS[0], "fresh": COLORS[1], "training": COLORS[2]},
    }


def overfitting_states():
    """Four visits and an envelope; other days; three folds; up to sixty visits."""
    weeks, counts, course, sigma = of_chapter(
        "overfitting", "weeks_four", "counts_four", "course", "sigma"
    )
    true = course[0] - course[1] * np.exp(-np.array(weeks) / course[2])
    rng = np.random.default_rng(2)
    sixty = np.concatenate([np.arange(12.0), 0.5 * rng.integers(0, 23, 48)])
    days = rng.normal(size=60).round(2)
    return {
        "envelope": {
            "x": weeks,
            "z": ((np.array(counts) - true) / sigma).round(6).tolist(),
            "visits": 4,
            "degree": 1,
            "envelope": [2, 7],
        },
        "redraw": {"degree": 1, "ghosts": True},
        "folds": {"degree": 2, "folds": 3, "fold": 1},
        "more": {"x": sixty.tolist(), "z": days.tolist(), "visits": 12, "degree": 5},
    }


# -- support vector machines ----------------------------------------------------------------------


def support_vector_machines():
    """The six patients of the chapter. What is counted moves by halves, so that bands have room."""
    X, y, query = of_chapter("support_vector_machines", "X_six", "y_six", "x_new")
    counted = {"unit": "of 10", "domain": [-0.6, 10.6], "limits": [0, 10], "step": 0.5, "leap": 2}
    return {
        "features": [
            {"label": "words forgotten", **counted},
            {"label": "orientation errors", **counted},
        ],
        "classes": classes("well", "ill"),
        "X": X,
        "y": [sorted(set(y)).index(label) for label in y],
        "query": query,
        "kernel": "linear",
        "C": 1,
        "gamma": 0.1,
        "powers": {"C": [-3, 2], "gamma": [-3, 0.5]},
    }


def support_vector_machines_states():
    """Patient 3 among the ill, without and with the forces; a ring; words counted in tenths."""
    moved, cheap = of_chapter("support_vector_machines", "X_moved", "cheap")
    ring = [[5, 5], [4, 4], [6, 4], [4, 6], [1, 5], [3, 9], [8, 8], [9, 4], [6, 1], [2, 1]]
    return {
        "soft": {"X": moved, "C": cheap},
        "forces": {"X": moved, "C": cheap, "forces": True},
        "ring": {"X": ring, "y": [0] * 4 + [1] * 6, "kernel": "rbf", "C": 10, "gamma": 0.1},
        "units": {"tenths": True},
    }


# -- normal distributions -------------------------------------------------------------------------


def normal_distributions():
    """The six patients of the chapter: words forgotten and p-tau, as two ellipses.

    The rims are where two vectors from the centre end, columns of twice a Cholesky factor.
    """
    X, y, query = of_chapter("normal_distributions", "X_six", "y_six", "x_new")
    groups = [np.array(X)[np.array(y) == label] for label in sorted(set(y))]
    factors = [2.0 * np.linalg.cholesky(np.cov(group.T, bias=True)) for group in groups]
    people = [
        2.0 * np.linalg.solve(factor, (group - group.mean(axis=0)).T).T
        for factor, group in zip(factors, groups, strict=True)
    ]
    moves = {"step": 0.5, "leap": 2}
    x_axis = {"label": "words forgotten", "unit": "of 16", "domain": [-0.5, 15.5]}
    y_axis = {"label": "p-tau", "unit": "10 pg/mL", "domain": [-0.5, 12.9]}
    return {
        "axes": {
            "x": {**x_axis, "limits": [0, 15], **moves},
            "y": {**y_axis, "limits": [0, 12.5], **moves},
        },
        "classes": classes("well", "ill"),
        "means": [group.mean(axis=0).tolist() for group in groups],
        "rims": [factor.T.round(12).tolist() for factor in factors],
        "people": [some.round(12).tolist() for some in people],
        "query": query,
        "own": 1,
        "prior": 0.5,
        "correlated": True,
        "least": 1,  # area of the smallest ellipse, over pi
    }


def normal_distributions_states():
    """Shared covariances; tilted ellipses; six people a class; one person in ten is ill."""
    rng = np.random.default_rng(3)
    return {
        "shared": {"own": 0},
        "naive": {"rims": [[[2.5, 2], [0, 1]], [[3, 2.4], [0, 1.2]]], "means": [[4, 4], [9.5, 7]]},
        "few": {"people": rng.normal(size=(2, 6, 2)).round(2).tolist()},
        "rare": {"prior": 0.1},
    }


# -- gaussian mixtures ----------------------------------------------------------------------------


def gaussian_mixtures():
    """Forty patients with disease A of a small clinic, and two components in the wrong place.

    The rims are where two vectors from a centre end, on the ellipse of one standard deviation.
    """
    from litlearn.datasets import make_memory_clinic
    from litlearn.mixture import GaussianMixture

    clinic = make_memory_clinic(150, random_state=1)
    X = clinic.data[clinic.target == 1][:40, [0, 2]] / [1, 1000]
    X = X.round(2)
    low, high = np.quantile(X, [0.15, 0.85], axis=0)
    middle, sd = np.median(X, axis=0).round(1), X.std(axis=0).round(1)
    floor, ceiling = X.min(axis=0) - sd, X.max(axis=0) + sd
    names = (
        {"label": "age", "unit": "years", "step": 0.5, "leap": 4},
        {"label": "hippocampal volume", "unit": "cm\u00b3", "step": 0.05, "leap": 0.4},
    )
    axes = [
        {**name, "domain": [round(float(a), 1), round(float(b), 1)]}
        for name, a, b in zip(names, floor, ceiling, strict=True)
    ]
    best = GaussianMixture(2, n_init=3, random_state=0).fit(X).lower_bound_
    return {
        "X": X.tolist(),
        "axes": {"x": axes[0], "y": axes[1]},
        "climb": {
            "x": {"label": "steps, E and M in turn", "domain": [-0.7, 25.7]},
            "y": {
                "label": "log-likelihood per patient",
                "domain": [round(best - 1.6, 1), round(best + 0.2, 1)],
            },
        },
        "classes": classes("first component", "second component"),
        "means": [[middle[0], low[1].round(1)], [middle[0], high[1].round(1)]],
        "rims": [[[sd[0], 0.0], [0.0, sd[1]]], [[sd[0], 0.0], [0.0, sd[1]]]],
        "weight": 0.5,
        "reg_covar": GaussianMixture().reg_covar,
        "least": round(float(sd.prod()) / 30, 3),  # area of the smallest ellipse, over pi
    }


def gaussian_mixtures_states():
    """One common spread; six patients, one of whom has a component of his own."""
    whole = gaussian_mixtures()
    six = whole["X"][::7]
    wide, high = whole["rims"][0]
    narrow = [[wide[0] / 8, 0.0], [0.0, high[1] / 8]]
    return {
        "limit": {"common": 1},
        "collapse": {
            "X": six,
            "means": [whole["means"][0], six[0]],
            "rims": [[wide, high], narrow],
        },
    }


# -- several classes ------------------------------------------------------------------------------


def multiclass():
    """The six patients of the chapter: two of each class, which move together, and a new one."""
    X, y, query = of_chapter("multiclass", "X_six", "y_six", "x_new")
    centres = [np.mean([x for x, c in zip(X, y, strict=True) if c == k], axis=0) for k in range(3)]
    # Within these limits no patient leaves the picture.
    test = {"unit": "of 10", "step": 0.5, "leap": 2, "domain": [-0.6, 10.6]}
    return {
        "axes": {
            "x": {"label": "words kept", "limits": [2, 8], **test},
            "y": {"label": "pictures named", "limits": [1, 9], **test},
        },
        "classes": classes("control", "disease A", "disease B"),
        "centres": np.array(centres).tolist(),
        "offsets": [(np.array(x) - centres[c]).tolist() for x, c in zip(X, y, strict=True)],
        "y": y,
        "query": query,
        "strategy": "rest",
    }


def multiclass_states():
    """Scores against the rest; pairs, one at a time; disease A in the middle; all strategies."""
    return {
        "rest": {"strategy": "rest", "single": 0},
        "pairs": {"strategy": "pair", "single": 0},
        "middle": {"centres": [[7, 8], [5, 5], [3, 2]], "query": [6, 6]},
        "compare": {
            "strategy": "softmax",
            "centres": [[5, 7], [7.5, 8], [2.5, 5]],
            "query": [5, 5],
        },
    }


# -- k-means --------------------------------------------------------------------------------------


def k_means():
    """The six people of the chapter, with the two first centres and who is nearest to each."""
    X, centres = of_chapter("k_means", "X_six", "start_six")
    test = {"unit": "of 10", "step": 0.5, "leap": 2, "domain": [-0.6, 10.6], "limits": [0, 10]}
    squares = np.sum((np.array(X)[:, None] - np.array(centres)) ** 2, axis=2)
    return {
        "axes": {
            "x": {"label": "words forgotten", **test},
            "y": {"label": "pictures misnamed", **test},
        },
        "classes": classes("group 1", "group 2", "group 3"),
        "spare": [9, 1],  # where a third centre begins
        "X": X,
        "centres": centres,
        "labels": squares.argmin(axis=1).tolist(),
        "next": 1,
    }


def k_means_states():
    """The step after the first; a bad end; long clouds; three centres."""
    X = np.array(k_means()["X"])

    def resting(X, labels):
        X, labels = np.array(X), np.array(labels)
        centres = [X[labels == c].mean(axis=0).tolist() for c in range(labels.max() + 1)]
        return {"X": X.tolist(), "centres": centres, "labels": labels.tolist(), "next": 0}

    bad = [[1, 5], [0, 3], [1, 3], [10, 3], [9, 6], [10, 4]]
    rng = np.random.default_rng(1)
    long = np.column_stack([np.tile([0.5, 2.5, 4, 6, 7.5, 9.5], 2), np.repeat([3.5, 6.5], 6)])
    long[:, 1] += 0.1 * rng.integers(-5, 6, 12)
    start = np.array([[2, 5], [8, 5]])
    sides = np.sum((long[:, None] - start) ** 2, axis=2).argmin(axis=1)
    return {
        "next": {**resting(X, [0, 1, 1, 1, 1, 1])},
        "bad": resting(bad, [0, 1, 1, 1, 0, 1]),
        "long": {
            "X": long.round(1).tolist(),
            "centres": start.tolist(),
            "labels": sides.tolist(),
        },
        "three": resting(X, [0, 0, 0, 1, 1, 1]),
    }


# -- decision trees -------------------------------------------------------------------------------


def decision_trees():
    """The six patients of the chapter, one question asked, and a cross for the reader's own."""
    X, y = of_chapter("decision_trees", "X_six", "y_six")
    return {
        "features": [
            {"label": "words", "domain": [-0.5, 10.5], "limits": [0, 10], "step": 1, "leap": 3},
            {"label": "age", "domain": [56, 92], "limits": [58, 90], "step": 1, "leap": 5},
        ],
        "classes": classes("not ill", "ill"),
        "X": X,
        "y": [sorted(set(y)).index(label) for label in y],
        "cross": [8, 66],
        "asked": 1,
        "lowered": COLORS[2],
        "left": "#6b6b6b",
    }


def decision_trees_states():
    """No question asked; twelve patients that can be turned."""
    # Two columns, which one question tells apart.
    columns = np.column_stack([np.tile([4.2, 5.8], 6), np.repeat(np.arange(62, 87, 4.8), 2)])
    return {
        "first": {"asked": 0},
        "turned": {"X": columns.round(1).tolist(), "y": [1, 0] * 6},
    }


# -- one comparison -------------------------------------------------------------------------------


def comparison():
    """Errors of each method on each test part, and the repeats in which each woman was missed."""
    cells = json.loads((BOOK / "comparison.ipynb").read_text(encoding="utf-8"))["cells"]
    printed = ["".join(o["text"]) for c in cells for o in c.get("outputs", []) if "text" in o]
    sizes, *lines = next(text for text in printed if text.startswith("women;")).splitlines()
    methods = [line.split("; ") for line in lines]
    n_parts, n_methods = len(sizes.split()) - 1, len(methods)
    some = np.arange(2, n_parts + 1)
    factors = {  # of half an interval, by how many tests are counted, and by the number of parts
        tests: [0, 0, *(student.ppf(1 - 0.025 / tests, some - 1) * np.sqrt(1 / some + 1 / 4))]
        for tests in (1, n_methods - 1)
    }
    times = {"domain": [-0.5, 4.5]}
    return {
        "names": [name for name, _, _ in methods],
        "sizes": [int(size) for size in sizes.split()[1:]],
        "errors": [[int(count) for count in counts.split()] for _, counts, _ in methods],
        "wrong": [repeats for _, _, repeats in methods],
        "factors": factors,
        "first": [name for name, _, _ in methods].index("tree"),
        "second": [name for name, _, _ in methods].index("logistic"),
        "axes": {
            "points": {"label": "difference of the errors", "domain": [-13, 13]},
            "parts": {"label": "test part", "domain": [-1.5, 23]},
            "first": {"label": "how often the first was wrong", **times},
            "second": {"label": "how often the second was wrong", **times},
        },
        "colors": {"part": COLORS[0], "mean": COLORS[1]},
    }


def comparison_states():
    """Two methods, with all tests counted; two that are close; five of the test parts."""
    methods = comparison()
    names = methods["names"]
    return {
        "guess": {"first": names.index("LDA"), "tests": len(names) - 1},
        "close": {"first": names.index("SVM, linear")},
        "few": {"parts": 5},
    }


# -- dimensionality reduction ---------------------------------------------------------------------


def dimensionality_reduction():
    """The six patients of the chapter, and an axis that is not the best one."""
    (X,) = of_chapter("dimensionality_reduction", "X_six")
    moves = {"step": 1, "leap": 3}
    return {
        "axes": {
            "x": {
                "label": "words recalled",
                "unit": "of 20",
                "domain": [3.5, 20.5],
                "limits": [4, 20],
                **moves,
            },
            "y": {
                "label": "details recalled",
                "unit": "of 20",
                "domain": [1.5, 16.5],
                "limits": [2, 16],
                **moves,
            },
        },
        "X": X,
        "angle": 20,
        "classes": classes("well", "ill"),
        "colors": {"axis": COLORS[2], "lost": COLORS[1]},
    }


def dimensionality_reduction_states():
    """Words in tenths; the two groups of the chapter; patient 6 far down."""
    X, groups = of_chapter("dimensionality_reduction", "X_six", "X_two")
    return {
        "units": {"tenths": True},
        "separate": {"X": groups, "y": [0, 0, 0, 1, 1, 1]},
        "outlier": {"X": moved(X, patient_6=[16, 2]), "best": True},
    }


# -- forests --------------------------------------------------------------------------------------


def _six_of_the_forest(page):
    """The six patients of the chapters on forests, and a new one."""
    X, y = of_chapter(page, "X_six", "y_six")
    units = {"domain": [-0.2, 7.2], "limits": [0, 7], "step": 0.5, "leap": 2}
    return {
        "features": [{"label": "words forgotten", **units}, {"label": "years", **units}],
        "classes": classes("stable", "decline"),
        "X": X,
        "y": [sorted(set(y)).index(label) for label in y],
        "query": [3, 3],
    }


def random_forests():
    """The six patients and the rolls of the chapter; the figure throws dice for more trees."""
    (rolls,) = of_chapter("random_forests", "rolls")
    return {
        **_six_of_the_forest("random_forests"),
        "bags": [[roll - 1 for roll in bag] for bag in rolls],
        "seed": 1,
        "trees": 3,
        "most": 60,
    }


def random_forests_states():
    """One tree alone; many; deep trees; sixty people, who are judged out of bag."""
    rng = np.random.default_rng(5)
    y = np.repeat([0, 1], 30)
    X = np.clip(rng.normal(2.6 + 1.8 * y[:, None], 1.2, (60, 2)), 0, 7).round(1)
    return {
        "ballot": {"alone": True},
        "more": {"trees": 1},
        "alike": {"kind": "deep", "trees": 20},
        "bag": {"X": X.tolist(), "y": y.tolist(), "kind": "deep", "trees": 20, "query": None},
    }


def extra_trees():
    """The same six patients. The figure throws its own dice."""
    return {
        **_six_of_the_forest("extra_trees"),
        "trees": 1,
        "dice": 1,
        "most": 100,
        "shift": 0.5,  # years, added before the logarithm
    }


def extra_trees_states():
    """A hundred trees; the same on a logarithmic scale."""
    return {"blur": {"trees": 100}, "logarithm": {"trees": 100, "logarithm": True}}


# -- data in several places -----------------------------------------------------------------------


def data_that_do_not_fit():
    """The six patients of the chapter, where they live, and the two hospitals."""
    x, y, home = of_chapter("data_that_do_not_fit", "x_six", "y_six", "home_six")
    axes = linear_regression()["axes"]
    return {
        "axes": {
            "x": axes["x"],
            "y": {**axes["y"], "domain": [8, 36]},
            "road": {
                "label": "kilometres from hospital A",
                "domain": [-0.5, 10.5],
                "limits": [0, 10],
                "step": 0.5,
                "leap": 2,
            },
            "order": {"label": "patient", "domain": [0.4, 7.2], "step": 1, "leap": 1},
        },
        "x": x,
        "y": y,
        "home": home,
        "border": 5,
        "statistic": "line",
        "hospitals": [{"name": name, "color": COLORS[i]} for i, name in enumerate("AB")],
        "ink": "#222222",
    }


def data_that_do_not_fit_states():
    """Patient 3 in the other hospital; medians; one patient left in hospital B."""
    (home,) = of_chapter("data_that_do_not_fit", "home_six")
    return {
        "homes": {"home": moved(home, patient_3=6.5)},
        "median": {"statistic": "median"},
        "alone": {"home": moved(home, patient_4=3, patient_5=4.5)},
    }


# -- all of them ----------------------------------------------------------------------------------


def states(name):
    """Return the states in which pages set a figure again: name -> what differs from its data.

    They are defined by the function ``NAME_states``.
    """
    return globals().get(f"{name}_states", dict)()


def data(name):
    """Return the data of a figure as JSON that can stand inside a script element."""
    return json.dumps(globals()[name]()).replace("<", "\\u003c")
