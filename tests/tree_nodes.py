"""Nodes of trees, on which the pieces of the growth are tried."""

import math

import numpy as np
import pytest
from hypothesis import strategies as st

from litlearn.tree import _criteria as criteria
from litlearn.tree import (
    _splitter,
)
from litlearn.tree._growth import make_nodes
from litlearn.tree._ranks import NO_MISSING, code_columns
from litlearn.tree._splitter import (
    Rules,
    Scratch,
    Stretch,
    TreeProblem,
    TreeSamples,
)
from reference import impurity

NUMBERS = {
    "gini": criteria.GINI,
    "entropy": criteria.ENTROPY,
    "misclassification": criteria.MISCLASSIFICATION,
    "squared_error": criteria.SQUARED_ERROR,
    "absolute_error": criteria.ABSOLUTE_ERROR,
    "poisson": criteria.POISSON,
}


CLASSES = ("gini", "entropy", "misclassification")


BY_CRITERION = pytest.mark.parametrize("criterion", NUMBERS)


values = st.one_of(
    st.sampled_from([0.0, -0.0, 1.0, np.nan, 1e-310, -1e300, 1e300]),
    st.floats(allow_infinity=False),
)


def make_keys(codes):
    """Keys of a node: code in the upper half, place in the lower."""
    codes = np.asarray(codes, dtype=np.uint64)
    return (codes << np.uint64(32)) | np.arange(len(codes), dtype=np.uint64)


def rooms(n):
    return np.zeros(n, dtype=np.uint64), np.zeros(2 * n + 1, dtype=np.int32)


class Node:
    """One node with `n` samples in arrays of which it is a stretch, all of it made at random."""

    def __init__(self, criterion, seed, n=17, n_outputs=1, n_codes=9, weights="fractions"):
        rng = np.random.default_rng(seed)
        self.criterion, self.n, self.start = criterion, n, 3
        self.stop = self.start + n
        size = self.stop + 2
        if criterion in CLASSES:
            self.Y = rng.integers(0, 3, size=(n_outputs, size)).astype(float)
        elif criterion == "poisson":
            self.Y = rng.poisson(1.0, size=(n_outputs, size)).astype(float)
            self.Y[:, self.start] += 1.0
        else:
            self.Y = rng.integers(-4, 5, size=(n_outputs, size)) / 2
        self.w = {
            "ones": np.ones(size),
            "whole": rng.integers(1, 5, size=size).astype(float),
            "fractions": rng.uniform(0.2, 3.0, size=size),
        }[weights]
        self.codes = rng.integers(0, n_codes, size=n)
        self.codes[:2] = 0, n_codes
        keys = (self.codes.astype(np.uint64) << np.uint64(32)) | np.arange(
            self.start, self.stop, dtype=np.uint64
        )
        self.keys = np.sort(keys)
        # Each sample is of a kind of its own, in row 0.
        self.records = np.arange(size, dtype=np.uint64) << np.uint64(32)
        shape = (n_outputs, 3 if criterion in CLASSES else 1)
        self.total, left, right = (np.full(shape, np.nan) for _ in range(3))
        self.centre = np.full(n_outputs, np.nan)
        self.order = np.zeros((n_outputs, n), dtype=np.int32)
        self.links, self.costs = np.zeros((3, n + 2), dtype=np.int32), np.zeros((2, n))
        self.chain, self.sides = np.zeros((2, n + 2)), np.zeros((2, 2))
        table = np.empty(0)
        if weights != "fractions":
            x = np.arange(int(self.w.sum()) + 2.0)
            table = x * np.log(np.maximum(x, 1))
        no_ranks = np.empty((0, 0), dtype=np.uint32)
        self.samples = TreeSamples(self.records, self.Y, self.w, no_ranks)
        self.problem = TreeProblem(
            np.empty((0, 0), dtype=np.uint16),
            np.full(1, NO_MISSING),
            np.zeros(1, dtype=np.int64),
            np.empty((0, 0)),
            np.full(n_outputs, 3),
            table,
        )
        self.scratch = Scratch(
            keys=self.keys.copy(),
            buffer=np.zeros(size, dtype=np.uint64),
            starts=np.zeros(2 * size + 1, dtype=np.int32),
            features=np.arange(1),
            state=np.array([seed], dtype=np.uint64),
            total=self.total,
            left=left,
            right=right,
            centre=self.centre,
            order=self.order,
            costs=self.costs,
            medians=np.zeros((2, n)),
            chain=self.chain,
            links=self.links,
            sides=self.sides,
            histogram=np.zeros((0, 2)),
            counts=np.zeros(0, dtype=np.uint64),
            values=np.zeros(size),
            goes_right=np.zeros(size, dtype=np.bool_),
            spare=np.zeros(size),
            search=np.zeros(8),
        )

    @property
    def own_y(self):
        return self.Y[:, self.start : self.stop]

    @property
    def own_w(self):
        return self.w[self.start : self.stop]

    @property
    def family(self):
        if self.criterion in CLASSES:
            return _splitter.CLASSES
        return _splitter.MEDIANS if self.criterion == "absolute_error" else _splitter.NUMBERS

    def describe(self):
        """Impurity, weight, score, and whether the node is pure."""
        if self.criterion == "absolute_error":
            ranks = code_columns(self.Y.T).codes.astype(np.uint32)
            self.samples = self.samples._replace(codes=ranks)
        work = self.work(rules(self.criterion))
        return _splitter.describe(self.family, work, self.start, self.stop)

    def work(self, bounds):
        """All that the functions of the splitter take; nothing here writes to nodes."""
        nodes = make_nodes(1, len(self.Y), self.total.shape[1])
        return _splitter.Work(self.problem, bounds, self.samples, self.scratch, nodes)

    def sweep(self, weight, least=1, lightest=0.0):
        """Best score, and the key before the cut."""
        self.scratch.keys[:] = self.keys  # they serve the description of medians, too
        stretch = Stretch(self.start, self.stop, weight, 0.0)
        work = self.work(rules(self.criterion, least, lightest))
        return _splitter.best_cut(self.family, work, stretch)

    def decrease(self, score_before, score_after):
        """The decrease of the node's weighted impurity, from scores."""
        scale = math.log(2.0) if self.criterion == "entropy" else 1.0
        return (score_after - score_before) / scale / len(self.Y)


def mean_impurity(node):
    return np.mean([impurity(node.criterion, y, node.own_w) for y in node.own_y])


EXTREME = (1e-9, 1e-7, 1e-2, 0.1, 1.0, 1e4, 1e7)  # differ by more than sixteen digits


def rules(criterion, least=1, lightest=0.0):
    return Rules(NUMBERS[criterion], _splitter.RANDOM, 1, 99, 2, least, lightest, 0.0, 1.0)
