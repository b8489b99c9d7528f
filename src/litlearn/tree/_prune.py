"""Minimal cost-complexity pruning: the weakest link goes first (Breiman et al. 1984, chapter 3)."""

import numpy as np

from litlearn._core.jit import njit
from litlearn.tree._structure import LEAF, Tree, parents, with_sets


@njit
def weakest_links(right, parent, cost, highest, kept, alphas, impurities):
    """Turn inner nodes into leaves, in the order of the price of their branches.

    A branch saves ``cost`` of its root minus that of its leaves. Its price :eq:`eq-weakest-link` is
    the saving for each leaf but one. The cheapest branch is cut, again and again, while its price
    is at most `highest`.

    `right` (n,) names right children, -1 at leaves (a left child follows its parent), `parent` (n,)
    parents, -1 at the root; `cost` (n,) is the weighted impurity. `kept` (n,) receives 0 for a node
    that is cut away, 1 for a leaf, 2 for an inner node; `alphas` and `impurities` receive the price
    and the total cost after each cut, from entry 1 on. Returns their length. Cost: depth times
    log n for each cut.
    """
    n = right.size
    leaves, branch = np.ones(n, dtype=np.int64), cost.copy()
    # <sums>: Children come after their parents, so one backward pass sums whole branches.
    for node in range(n - 1, -1, -1):
        kept[node] = 1
        if right[node] != LEAF:
            kept[node] = 2
            leaves[node] = leaves[node + 1] + leaves[right[node]]
            branch[node] = branch[node + 1] + branch[right[node]]
    # <tournament>: Prices stand in the second half; entry i is the lower of entries 2 i and
    # 2 i + 1, so that entry 1 is the lowest of all.
    prices = np.full(2 * n, np.inf)
    for node in range(n):
        if kept[node] == 2:
            prices[n + node] = (cost[node] - branch[node]) / (leaves[node] - 1)
    for i in range(n - 1, 0, -1):
        prices[i] = min(prices[2 * i], prices[2 * i + 1])
    alphas[0], impurities[0], length = 0.0, branch[0], 1
    while kept[0] == 2 and prices[1] <= highest:
        # <weakest>: From the top down, where the lowest price came from.
        i = 1
        while i < n:
            i = 2 * i if prices[2 * i] == prices[i] else 2 * i + 1
        weakest, alphas[length] = i - n, prices[1]
        # <cut>: All below is gone.
        stop = weakest + 1
        while stop < n and parent[stop] >= weakest:
            kept[stop] = 0
            set_price(prices, n, stop, np.inf)
            stop += 1
        kept[weakest] = 1
        set_price(prices, n, weakest, np.inf)
        # <above>: All above has fewer leaves and a higher cost.
        saved, gone = cost[weakest] - branch[weakest], leaves[weakest] - 1
        node = parent[weakest]
        branch[weakest] = cost[weakest]
        while node >= 0:
            branch[node] += saved
            leaves[node] -= gone
            set_price(prices, n, node, (cost[node] - branch[node]) / (leaves[node] - 1))
            node = parent[node]
        impurities[length] = branch[0]
        length += 1
    return length


@njit(part=True)
def set_price(prices, n, node, price):
    """Change one price, and the minima above it."""
    i = n + node
    prices[i] = price
    while i > 1:
        i //= 2
        prices[i] = min(prices[2 * i], prices[2 * i + 1])


def find_weakest_links(tree, highest):
    """Return which nodes stay (0: not, 1: as leaf, 2: as inner node), and prices and costs."""
    n = tree.node_count
    kept = np.empty(n, dtype=np.int8)
    alphas, impurities = np.empty(n + 1), np.empty(n + 1)
    cost = tree.weighted_n_node_samples / tree.weighted_n_node_samples[0] * tree.impurity
    up = parents(tree.children_right)
    length = weakest_links(tree.children_right, up, cost, highest, kept, alphas, impurities)
    return kept, alphas[:length], impurities[:length]


def prune(tree, alpha):
    """Return the smallest subtree that minimises cost + alpha times leaves.

    Implements :eq:`eq-cost-complexity`.
    """
    kept = find_weakest_links(tree, alpha)[0]
    staying = np.flatnonzero(kept)
    number = np.zeros(tree.node_count, dtype=np.int32)
    number[staying] = np.arange(len(staying), dtype=np.int32)
    leaf = kept[staying] == 1
    arrays = {name: array[staying] for name, array in tree.arrays().items()}
    steps = arrays["steps"]
    steps["right"] = np.where(leaf, np.arange(len(leaf)), number[steps["right"]])
    steps["threshold"] = np.where(leaf, np.nan, steps["threshold"])
    steps["feature"] = np.where(leaf, 0, steps["feature"])
    return Tree(tree.n_features, tree.n_classes, with_sets(arrays, tree.sets))
