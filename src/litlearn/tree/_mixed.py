"""The compiled functions that split nodes where some features are categorical.

The same as those of ``_splitter.py``, and apart from them: who has only numbers waits for none.
"""

from litlearn._core.jit import njit
from litlearn.tree._criteria import CLASSES, MEDIANS, NUMBERS
from litlearn.tree._monotone import BOUNDED, FREE
from litlearn.tree._splitter import BEST, MIXED, RANDOM, split_nodes


@njit(lean=True)
def split_levels_by_classes(work, queue, budget):
    """Split by classes, at the best thresholds and sets."""
    split_nodes(CLASSES, BEST, MIXED, FREE, work, queue, budget)


@njit(lean=True)
def split_levels_by_classes_in_order(work, queue, budget):
    """Split by classes, at the best thresholds and sets, in order."""
    split_nodes(CLASSES, BEST, MIXED, BOUNDED, work, queue, budget)


@njit(lean=True)
def split_levels_by_classes_at_random(work, queue, budget):
    """Split by classes, at random thresholds and sets."""
    split_nodes(CLASSES, RANDOM, MIXED, FREE, work, queue, budget)


@njit(lean=True)
def split_levels_by_classes_at_random_in_order(work, queue, budget):
    """Split by classes, at random thresholds and sets, in order."""
    split_nodes(CLASSES, RANDOM, MIXED, BOUNDED, work, queue, budget)


@njit(lean=True)
def split_levels_by_numbers(work, queue, budget):
    """Split by means, at the best thresholds and sets."""
    split_nodes(NUMBERS, BEST, MIXED, FREE, work, queue, budget)


@njit(lean=True)
def split_levels_by_numbers_in_order(work, queue, budget):
    """Split by means, at the best thresholds and sets, in order."""
    split_nodes(NUMBERS, BEST, MIXED, BOUNDED, work, queue, budget)


@njit(lean=True)
def split_levels_by_numbers_at_random(work, queue, budget):
    """Split by means, at random thresholds and sets."""
    split_nodes(NUMBERS, RANDOM, MIXED, FREE, work, queue, budget)


@njit(lean=True)
def split_levels_by_numbers_at_random_in_order(work, queue, budget):
    """Split by means, at random thresholds and sets, in order."""
    split_nodes(NUMBERS, RANDOM, MIXED, BOUNDED, work, queue, budget)


@njit(lean=True)
def split_levels_by_medians(work, queue, budget):
    """Split by medians, at the best thresholds and sets."""
    split_nodes(MEDIANS, BEST, MIXED, FREE, work, queue, budget)


@njit(lean=True)
def split_levels_by_medians_in_order(work, queue, budget):
    """Split by medians, at the best thresholds and sets, in order."""
    split_nodes(MEDIANS, BEST, MIXED, BOUNDED, work, queue, budget)


@njit(lean=True)
def split_levels_by_medians_at_random(work, queue, budget):
    """Split by medians, at random thresholds and sets."""
    split_nodes(MEDIANS, RANDOM, MIXED, FREE, work, queue, budget)


@njit(lean=True)
def split_levels_by_medians_at_random_in_order(work, queue, budget):
    """Split by medians, at random thresholds and sets, in order."""
    split_nodes(MEDIANS, RANDOM, MIXED, BOUNDED, work, queue, budget)
