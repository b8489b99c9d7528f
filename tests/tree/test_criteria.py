"""Descriptions of nodes, and sweeps over all cuts, against their definitions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from litlearn.tree import _criteria as criteria
from litlearn.tree._sort import (
    place_of,
)
from litlearn.tree._splitter import (
    TreeSamples,
)
from reference import best_cuts, impurity
from tree_nodes import BY_CRITERION, CLASSES, EXTREME, NUMBERS, Node, make_keys, mean_impurity

# Sixty-four random bits wrap around on purpose; only uncompiled code remarks on it.
pytestmark = [pytest.mark.nojit, pytest.mark.filterwarnings("ignore:overflow encountered")]


@BY_CRITERION
@pytest.mark.parametrize("weights", ["ones", "whole", "fractions"])
@pytest.mark.parametrize("n_outputs", [1, 3])
def test_description_of_a_node(criterion, weights, n_outputs):
    """eq-gini, eq-entropy, eq-misclassification, eq-squared-error, eq-absolute-error and
    eq-poisson-deviance."""
    node = Node(criterion, 1, n_outputs=n_outputs, weights=weights)
    found, weight, _, pure = node.describe()
    np.testing.assert_allclose(found, mean_impurity(node), rtol=1e-12)
    np.testing.assert_allclose(weight, node.own_w.sum())
    assert not pure
    if criterion in CLASSES:
        for y, total in zip(node.own_y, node.total, strict=True):
            expected = [node.own_w[y == c].sum() for c in range(3)]
            np.testing.assert_allclose(total, expected)
    elif criterion != "absolute_error":
        np.testing.assert_allclose(node.centre, node.own_y @ node.own_w / node.own_w.sum())


@pytest.mark.parametrize("criterion", CLASSES)
@pytest.mark.parametrize("n_classes", [2, 3, 4])
def test_few_kinds_of_samples(criterion, n_classes):
    """eq-gini, eq-entropy, eq-misclassification of a node whose samples are only counted."""
    rng = np.random.default_rng(n_classes)
    classes = rng.integers(0, n_classes, size=40)
    w = np.arange(1.0, n_classes + 1)
    records = classes.astype(np.uint64) << np.uint64(32)
    total, left = np.zeros((1, n_classes)), np.zeros((1, n_classes))
    kinds = np.arange(float(n_classes))[np.newaxis], w
    samples = TreeSamples(records, *kinds, np.zeros((0, 0), dtype=np.uint32))
    found = criteria.describe_classes(
        NUMBERS[criterion], samples, 3, 35, np.array([n_classes]), np.empty(0), total
    )
    own = classes[3:35]
    np.testing.assert_allclose(total[0], np.bincount(own, w[own], n_classes))
    np.testing.assert_allclose(found[0], impurity(criterion, own, w[own]))
    assert found[1] == w[own].sum()
    values = rng.normal(size=32)
    below = values <= 0.1
    n_left, weight = criteria.weigh_left_of_classes(values, 32, 0.1, records, *kinds[::-1], 3, left)
    np.testing.assert_allclose(left[0], np.bincount(own[below], w[own[below]], n_classes))
    assert n_left == below.sum() and weight == w[own[below]].sum()


@BY_CRITERION
def test_description_of_a_pure_node(criterion):
    node = Node(criterion, 2, weights="fractions")
    node.Y[:] = 2.0
    found, _, _, pure = node.describe()
    assert pure and abs(found) < 1e-15


def test_medians_of_a_node():
    """eq-absolute-error: the middle of the two values where half of the weight is met exactly."""
    node = Node("absolute_error", 0, n=4, weights="ones")
    node.Y[0, 3:7] = 5.0, 1.0, 2.0, 4.0
    assert node.describe()[0] == 1.5 and node.centre[0] == 3.0
    node.w[3] = 1.5
    node.describe()
    assert node.centre[0] == 4.0
    node.w[3] = 4.0
    node.describe()
    assert node.centre[0] == 5.0
    np.testing.assert_array_equal(node.order[0], [4, 5, 6, 3])


@BY_CRITERION
@pytest.mark.parametrize("weights", ["ones", "whole", "fractions"])
@pytest.mark.parametrize("n_outputs", [1, 2])
@pytest.mark.parametrize("bounds", [(1, 0.0), (4, 0.0), (1, 5.5), (8, 2.0)])
def test_sweeps_against_all_cuts(criterion, weights, n_outputs, bounds):
    """eq-gini-score, eq-entropy-score, eq-squared-error-score, eq-poisson-score: the largest score
    is the cut of eq-split, and its gain the decrease of eq-impurity-decrease."""
    for seed in range(6):
        node = Node(criterion, seed, n_outputs=n_outputs, weights=weights)
        _, weight, before, _ = node.describe()
        score, where = node.sweep(weight, *bounds)
        perfect = criteria.perfect_score(
            NUMBERS[criterion], node.describe()[0], weight, before, n_outputs
        )
        assert score <= perfect + 1e-12 * weight
        places = [int(place_of(key)) - node.start for key in node.keys]
        codes = node.codes[places]
        Y, w = node.own_y[:, places], node.own_w[places]
        expected, cuts = best_cuts(criterion, codes, Y, w, *bounds)
        if len(cuts) == 0:
            assert score == -np.inf and where == -1
            continue
        assert where in cuts
        decrease = node.decrease(before, score)
        np.testing.assert_allclose(decrease, expected, rtol=1e-9, atol=1e-12)


@BY_CRITERION
def test_sweep_without_a_cut(criterion):
    node = Node(criterion, 0, n=6)
    _, weight, _, _ = node.describe()
    assert node.sweep(weight, 4) == (-np.inf, -1)  # two times four samples are more than six
    node.keys[:] = node.keys & np.uint64(0xFFFFFFFF)  # one value only
    assert node.sweep(weight) == (-np.inf, -1)


@given(
    st.lists(
        st.tuples(
            st.integers(0, 6),
            st.integers(0, 5),
            st.one_of(st.integers(1, 4), st.sampled_from(EXTREME)),
        ),
        min_size=2,
        max_size=30,
    ),
    st.booleans(),
)
def test_medians_of_first_and_last_parts(rows, equal_weights):
    """eq-absolute-error of every first part and every last part of the sorted samples.

    To its own last digits, however heavy the samples are that stand in the other part.
    """
    n = len(rows)
    node = Node("absolute_error", 0, n=n)
    node.Y[0, 3 : 3 + n] = [target for target, _, _ in rows]
    node.w[3 : 3 + n] = 1.0 if equal_weights else [weight for _, _, weight in rows]
    keys = make_keys([code for _, code, _ in rows]) + np.uint64(3)
    node.keys = np.sort(keys)
    node.describe()
    criteria.chain_targets(n, 3, node.Y[0], node.w, node.order[0], node.chain, node.links)
    for side in (0, 1):
        node.costs[:] = 0.0
        scratch = node.chain, node.links, node.sides
        criteria.add_costs(side, node.keys, n, 3, *scratch, node.costs[side])
        places = [int(place_of(key)) for key in node.keys]
        y, w = node.Y[0, places], node.w[places]
        for i in range(n - 1):
            part = slice(0, i + 1) if side == 0 else slice(i + 1, n)
            deviations = w[part] * np.abs(y[part] - y[part][:, np.newaxis])
            expected = deviations.sum(axis=1).min()  # some target is a median
            at = i if side == 0 else i + 1
            np.testing.assert_allclose(node.costs[side, at], expected, rtol=1e-12)
