"""Pruning, against all subtrees."""

import numpy as np
import pytest

from litlearn.tree import (
    DecisionTreeRegressor,
)
from litlearn.tree._prune import find_weakest_links, prune
from reference import smallest_best_subtree

# Sixty-four random bits wrap around on purpose; only uncompiled code remarks on it.
pytestmark = [pytest.mark.nojit, pytest.mark.filterwarnings("ignore:overflow encountered")]


@pytest.mark.parametrize("seed", range(6))
def test_pruning_against_all_subtrees(seed):
    """eq-cost-complexity, eq-weakest-link."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(14, 2)), rng.normal(size=14)
    if seed % 2:
        y = np.round(y)  # several branches with the same price
    tree = DecisionTreeRegressor(max_leaf_nodes=7, random_state=seed).fit(X, y).tree_
    cost = tree.weighted_n_node_samples / 14 * tree.impurity
    _, alphas, costs = find_weakest_links(tree, np.inf)
    assert alphas[0] == 0.0 and np.all(np.diff(alphas) >= -1e-12)
    np.testing.assert_allclose(costs[[0, -1]], [cost[tree.is_leaf].sum(), cost[0]])
    between = (alphas[1:] + alphas[:-1]) / 2
    for alpha in [*between[np.diff(alphas) > 1e-9], 2 * alphas[-1] + 1]:
        leaves = smallest_best_subtree(cost, tree.children_left, tree.children_right, alpha)
        pruned = prune(tree, alpha)
        kept = sorted(zip(tree.impurity[leaves], tree.n_node_samples[leaves], strict=True))
        found = zip(
            pruned.impurity[pruned.is_leaf], pruned.n_node_samples[pruned.is_leaf], strict=True
        )
        assert sorted(found) == kept
        assert np.array_equal(prune(pruned, alpha).impurity, pruned.impurity)
    assert prune(tree, 1e9).node_count == 1


def test_weakest_link_by_hand():
    """eq-weakest-link: a root that saves 4 for two leaves more, and a branch that saves 1 for one.

    Targets 0, 2, 5 and weights of one: splits between 2 and 5, then between 0 and 2.
    """
    X, y = np.array([[0.0], [1.0], [2.0]]), np.array([0.0, 2.0, 5.0])
    tree = DecisionTreeRegressor().fit(X, y).tree_
    path = DecisionTreeRegressor().cost_complexity_pruning_path(X, y)
    # Sums of squares: root 38/3, branch {0, 2} has 2. Divided by three samples.
    np.testing.assert_allclose(path.ccp_alphas, [0, 2 / 3, (38 / 3 - 2) / 3])
    np.testing.assert_allclose(path.impurities, [0, 2 / 3, 38 / 9])
    assert [prune(tree, alpha).n_leaves for alpha in (0.6, 0.7, 3.5, 3.6)] == [3, 2, 2, 1]
