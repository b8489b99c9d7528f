"""How exact the answers of a case are: whether its ratio compares like with like.

Who stops early, or computes in fewer digits, has less to do. So each case has a measure of how far
an answer is from a reference that was found with more care, and its ratio counts as one of equal
exactness if ours is at most a tenth farther from it than that of the fastest peer. Below `ROUNDING`
there is nothing to compare. Trees and forests differ by chance: there the scores of small models
are compared, and three standard errors of their difference are allowed.
"""

from math import hypot

MARGIN = 1.1  # times the distance of the fastest peer
ROUNDING = 1e-12
ERRORS = 3.0  # standard errors
MEASURES = {  # by the name that the quality of an answer has
    "excess": "objective above the least",
    "off": "largest deviation",
    "error": "largest error",
}

# Cases of which the ratio is not one of equal exactness, and why.
SOLVED = "by less than 1e-8, and ours stops where its certificate says so"
BOOSTING = "the fastest peer is another method, boosting, with better scores"
ROUNDED = "by less than 1e-11, in sums over 200 000 samples"
SINGLE = "by less than 1e-9, where float32 has seven digits"
UNEQUAL = {
    "gmm-batches-50000x16-k10": "one pass over batches against all iterations",
    "levels-Classifier-200-100000x10": BOOSTING,
    "levels-Regressor-50-50000x10": BOOSTING,
    "table-linear-200000x20": ROUNDED,
    "l2-tall-100000x100-C1-float64": SOLVED,
    "l2-narrow-1000000x10-C1-float64": SOLVED,
    "l2-wide-5000x1000-C1-float64": SOLVED,
    "multinomial-tall-50000x100-C1-float64": SOLVED,
    "gmm-diag-200000x16-k20-float32": SINGLE,
    "gmm-tied-100000x16-k10-float32": SINGLE,
    "gmm-spherical-200000x16-k20-float32": SINGLE,
}


def distance(quality):
    """The name of the measure that an answer has, and its value: smaller is more exact."""
    if "mean" in quality:
        return "mean score below 1", 1.0 - quality["mean"]
    for name, told in MEASURES.items():
        if name in quality:
            return told, quality[name]
    return "share that is not right", 1.0 - quality["right"]


def compared(case):
    """The measure, ours, that of the fastest peer, and whether that is like with like; or None."""
    done = {one["adapter"]: one for one in case["results"] if one["error"] is None}
    ours = next((one["quality"] for one in done.values() if one["ours"]), None)
    if ours is None or case["fastest"] is None:
        return None
    peer = done[case["fastest"]]["quality"]
    (told, mine), (_, theirs) = distance(ours), distance(peer)
    most = MARGIN * max(theirs, 0.0)
    if "mean" in ours:
        most = theirs + ERRORS * hypot(ours["error"], peer["error"])
    return told, mine, theirs, mine <= max(most, ROUNDING)
