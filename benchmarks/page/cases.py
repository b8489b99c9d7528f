"""The results of all families, and what the page reads off a case."""

import json
from math import hypot
from pathlib import Path

BENCHMARKS = Path(__file__).resolve().parents[1]
FIRST = ["knn", "least_squares", "lasso", "logistic", "trees"]  # with sections of their own
LATER = ["svm", "multiclass", "normal", "kernel_methods", "decomposition", "cluster", "mixture"]


def read(name):
    """A committed file of results beside the programs."""
    return json.loads((BENCHMARKS / name).read_text())


def families():
    """The results of every family by its name, in the order of the book."""
    names = {file.stem for file in (BENCHMARKS / "results").glob("*.json")}
    others = sorted(name for name in names if not name.endswith("-partial"))
    order = dict.fromkeys([*FIRST, *LATER, *others])
    return {name: read(f"results/{name}.json") for name in order if name in names}


def compared(results):
    """The cases of some families in which both litlearn and a peer ran."""
    return [case for one in results for case in one["cases"] if case["ratio"] is not None]


def done(case):
    """The implementations that finished, by name."""
    return {one["adapter"]: one for one in case["results"] if one["error"] is None}


def own(case):
    """The record of litlearn."""
    return next(one for one in done(case).values() if one["ours"])


def peers(case):
    """The records of the others that finished."""
    return [one for one in done(case).values() if not one["ours"]]


def label(case):
    """A case in a few words."""
    facts = case["facts"]
    search = case["group"] in ("Brute force", "k-d tree", "Ball tree")
    plain = ("fit", "fit and predict", case["group"])
    start = "" if search or case["work"] in plain else case["work"] + ", "
    if case["group"] in ("Decision trees", "Forests", "Predictions of forests"):
        start = case["name"].split(f"-{facts['data']}")[0].replace("predict-", "")
        start = start.replace("-", ", ") + ", "
    who = " on itself" if facts.get("self") else ""
    marks = {"C": "C = {:g}", "correlation": "correlation {:g}", "loss": "{}"}
    start = start.removesuffix(facts["data"] + ", ")  # no word twice
    extra = "".join(", " + marks[k].format(facts[k]) for k in marks if facts.get(k))
    return f"{start}{facts['data']}{who}, {shape(facts)}{extra}, {facts['dtype']}"


def where(case):
    """A case and its group in a few words."""
    return f"{case['group']}, {label(case)}"


def shape(facts):
    """Samples and features of a data set."""
    return f"{count(facts['n'])} × {count(facts['p'])}"


def count(number):
    """A whole number whose thousands stand apart."""
    return f"{number:,}".replace(",", "\N{NARROW NO-BREAK SPACE}")


def signed(text):
    """A number with the sign that prose has, where a hyphen stood."""
    return text.replace("-", "\N{MINUS SIGN}")


def seconds(value):
    """A time with three significant digits."""
    return f"{value:.3g}" if value < 100 else f"{value:.0f}"


def megabytes(value):
    """Memory in MB, with two significant digits below ten."""
    return "·" if value is None else f"{value / 1e6:.2g}" if value < 1e7 else f"{value / 1e6:.0f}"


def is_right(case, one):
    """Whether an answer is right: exactly, up to rounding, or up to chance."""
    quality = one["quality"]
    if "mean" in quality:  # scores of trees, with other seeds
        best = max((other["quality"] for other in done(case).values()), key=lambda q: q["mean"])
        noise = hypot(quality["error"], best["error"])
        return quality["mean"] >= best["mean"] - 3 * noise
    if "constant" in quality:  # predictions
        return quality["right"] > quality["constant"]
    return quality["right"] > 1 - 1e-6


def table(head, rows, align=None):
    """A table in Markdown.

    Parameters
    ----------
    head : str
        Names of the columns, separated by ``|``.
    rows : iterable of lists of str
        Cells.
    align : str or None, default=None
        A letter for each column, l or r; None: as the theme has it.
    """
    width = head.count("|") + 1
    marks = {"l": ":-", "r": "-:", "n": "-"}
    rule = "|".join(marks[one] for one in align or "n" * width)
    return [f"| {head} |", f"|{rule}|", *(f"| {' | '.join(row)} |" for row in rows)]


def folded(title, lines):
    """Lines that a reader unfolds."""
    return ["", f"````{{dropdown}} {title}", *lines, "````"]
