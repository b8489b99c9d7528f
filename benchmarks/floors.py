"""The floor of a case: the least time that its work can take on the machine that measured it.

Whatever the program, the processor has to read the samples from memory, and it has to compute some
products of two numbers. Both have a highest rate, and the floor is the longer of the two times: the
bytes that have to be read over the bytes that this machine reads in a second, or the products that
have to be computed over those that its matrix product computes in a second in the case's precision.
What is counted belongs to the method as it is usually defined, and not to one program. It leaves
out all that is neither of the two: sorting, comparing, exponentials, rounds that a fit needs.
"""

import json
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

NUMBERS = 2**25  # in float64 256 MB, more than a cache holds
SIDE = 1500  # of the matrices
TURNS = 5
FAR = 5.0  # times the floor: what is beyond is explained
STEADY = 1.25  # quotient of rates before and after: beyond it, other work disturbed what was timed


class Floor(NamedTuple):
    """What a case cannot do without.

    Attributes
    ----------
    bytes : float
        Bytes that have to be read at least.
    products : float
        Products of two numbers, each added to a sum, that have to be computed at least.
    label : str
        What is counted, in a few words.
    """

    bytes: float
    products: float
    label: str


# Why the time of a case is beyond five times its floor: by its group, or by its name.
PATHS = (
    "The floor reads only the leaves at the end of the search, whereas a query also compares "
    "numbers at each node on its way, keeps the nearest points in order, and mostly has to wait "
    "for one node before it knows the next. The time of the build, which sorts parts of the points "
    "at each level, comes on top."
)
CERTIFIED = (
    "The floor looks at the samples once, which is what it takes to show that a fit is good. How "
    "often a fit has to look at them before is not known beforehand."
)
LEVELS = (
    "The floor reads for the root alone, whereas each level of a tree sorts or counts the samples "
    "again, and no split can be sought before the one above it is found."
)
EXPONENTIALS = (
    "The floor counts products alone, whereas each sample and component also needs an exponential, "
    "which takes as long as many products, and the products are of matrices too small for the "
    "highest rate."
)
SMALL_MATRICES = (
    "The floor counts products at the rate of large square matrices, which narrow ones do not "
    "reach, and it leaves out that means are subtracted and that the scores of all classes are "
    "compared."
)
FEW_FEATURES = (
    "With few features each number that is read takes part in few products. Copying it into its "
    "column, subtracting a mean, and the passes over the targets take longer than the products do."
)
BEYOND = {
    "Linear regression": FEW_FEATURES,
    "Ridge regression": FEW_FEATURES,
    "ridge-factors-500x5000-float32": (
        "Samples in float32 that are fewer than their features are multiplied in float64, which "
        "has a lower rate, and converted and centred before, a block of columns at a time."
    ),
    "Brute force": (
        "The floor counts products of large square matrices. Over 20 coordinates they do not reach "
        "that rate, and each of their results is compared with the farthest neighbour so far, "
        "which takes its time beside so few products."
    ),
    "k-d tree": PATHS,
    "Ball tree": PATHS,
    "radius-uniform-200000x3-float64": PATHS,
    "Lasso": CERTIFIED,
    "Logistic regression": CERTIFIED,
    "Linear machines": CERTIFIED,
    "Machines with kernels": (
        "The floor computes the kernel of the support vectors once, but which samples are support "
        "vectors is known only at the end. The steps before compute the kernel of other samples "
        "too, and each value takes an exponential besides its products."
    ),
    "Fit and predictions of machines": (
        "Each value of the kernel takes an exponential, which the floor does not count, and the "
        "fit needs many steps before it knows its support vectors."
    ),
    "Several classes": (
        "The floor computes what shows that all classifiers are good, whereas each of them needs "
        "many steps to become so, and how many is not known beforehand."
    ),
    "Decision trees": LEVELS,
    "Forests": LEVELS,
    "Quantiles of forests": LEVELS,
    "Forests with categories": LEVELS,
    "Predictions of forests": (
        "The floor reads the new samples once, whereas each of them walks down every tree, from a "
        "node to the next one, which is not known before the comparison at this node."
    ),
    "Naive Bayes": (
        "The floor reads the samples twice, whereas the sums of two passes and the scores of all "
        "classes are computed from them, with a few operations for each number and class."
    ),
    "Linear discriminant analysis": SMALL_MATRICES,
    "Quadratic discriminant analysis": SMALL_MATRICES,
    "k-means": (
        "The floor of separated clusters reads the samples once, and that of a fit to the end "
        "counts one iteration a start. How many iterations a fit needs, and how many distances "
        "their bounds save, is not known beforehand."
    ),
    "Gaussian mixtures": EXPONENTIALS,
    "Gaussian mixtures, further": EXPONENTIALS,
    "Principal components": (
        "The floor counts products of large matrices, whereas the samples are also read to "
        "subtract the means, and eigenvalues are found in many short steps that depend on one "
        "another."
    ),
    "Kernel methods": (
        "The floor counts products, whereas each value of the kernel takes an exponential as well, "
        "and a factorisation or the search for eigenvalues does not reach the rate of one product."
    ),
    "Conformal prediction": (
        "The floor reads the samples or adds pairs of numbers, whereas the residuals or scores are "
        "also put in order, and sorting takes many comparisons that depend on one another."
    ),
    "Tables of coefficients": (
        "The floor counts the products of the covariance, whereas the fit before it looks at all "
        "samples several times, and the samples are weighted anew for each look."
    ),
}


def explained(case):
    """Why a case of the results takes longer than its floor; None where nothing is said."""
    return BEYOND.get(case["name"], BEYOND.get(case["group"]))


def size(data, *names):
    """Bytes of some of the arrays of a case; of the samples if none is named."""
    return float(sum(data[name].nbytes for name in names or ("X",)))


def pairs(n):
    """Pairs of n things, each with itself too: a symmetric matrix has so many numbers."""
    return n * (n + 1) / 2


def seconds(floor, rates, dtype):
    """The floor's time: of its bytes, or of its products, whichever is longer."""
    return max(floor.bytes / rates["bandwidth"], floor.products / rates[dtype])


def fastest(work):
    """The shortest time of a piece of work in a few turns."""
    found = []
    for _ in range(TURNS):
        start = time.perf_counter()
        work()
        found.append(time.perf_counter() - start)
    return min(found)


def bandwidth(threads):
    """Bytes that threads read from memory in a second: each looks for the largest of its numbers.

    Where one thread alone reads faster than all together, its rate counts.
    """
    numbers, found = np.ones(NUMBERS), []
    for count in {1, threads}:
        parts = np.array_split(numbers, count)
        with ThreadPoolExecutor(count) as pool:
            found.append(fastest(lambda pool=pool, parts=parts: list(pool.map(np.max, parts))))
    return numbers.nbytes / min(found)


def products(dtype):
    """Products of two numbers in a second, each added to a sum, in NumPy's matrix product."""
    A = np.random.default_rng(0).random((SIDE, SIDE)).astype(dtype)
    return SIDE**3 / fastest(lambda: A @ A)


def disturbed(before, after):
    """Names of the rates that differ too much between the beginning and the end of a family."""
    return [name for name, rate in before.items()
            if not 1 / STEADY <= rate / after[name] <= STEADY]  # fmt: skip


def main(threads):
    """Print this machine's rates."""
    if hasattr(os, "sched_setaffinity"):  # as for every implementation
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: int(threads)])
    rates = {"bandwidth": bandwidth(int(threads))}
    print(json.dumps(rates | {dtype: products(dtype) for dtype in ("float64", "float32")}))


if __name__ == "__main__":
    main(sys.argv[1])
