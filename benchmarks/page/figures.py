"""The figures of the page: the ratio of every case to the fastest peer."""

import matplotlib.pyplot as plt

from benchmarks.page.cases import compared, label, peers
from litlearn.plotting import COLORS

TICKS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20)


def draw_ratios(*families):
    """Draw the ratio of every case of some families, and those of the other peers."""
    cases = compared(families)[::-1]
    groups = [case["group"] for case in cases]
    heights = [i + 1.3 * len(set(groups[: i + 1])) for i in range(len(cases))]
    _, ax = plt.subplots(figsize=(7.5, 1.2 + 0.26 * max(heights)))
    ax.axvline(1, color="#bbbbbb", linewidth=1, zorder=0)
    for case, y in zip(cases, heights, strict=True):
        draw_case(ax, case, y)
    for group in dict.fromkeys(groups):
        top = max(y for y, name in zip(heights, groups, strict=True) if name == group)
        place = {"transform": ax.get_yaxis_transform(), "weight": "bold", "fontsize": 10}
        ax.text(0.01, top + 0.95, group, **place)
    finish(ax, cases, heights)
    plt.show()


def draw_case(ax, case, y):
    """Draw a case on its height: ours against the fastest peer, the other peers, and the aim."""
    others = [one["ratio"] for one in peers(case) if one["adapter"] != case["fastest"]]
    ax.plot(others, [y] * len(others), ".", color="#999999", markersize=5)
    if case["aim_met"] is not None and case["aim_peer"] is None:
        ax.plot([case["aim"]] * 2, [y - 0.25, y + 0.25], color="#333333", linewidth=2)
    lost = case["ratio"] > 1
    style = {"color": COLORS[1], "markerfacecolor": "white"} if lost else {"color": COLORS[0]}
    ax.plot(case["ratio"], y, "D" if lost else "o", markersize=7, markeredgewidth=1.8, **style)


def finish(ax, cases, heights):
    """Set the axes of the figure."""
    ax.set(xscale="log", xlabel="← faster    time of litlearn / time of the peer    slower →")
    low, high = ax.get_xlim()
    ticks = [t for t in TICKS if low <= t <= high]
    ax.set_xticks(ticks, [f"{t:g}" for t in ticks])
    ax.set_xticks([], minor=True)
    # Beside the marks. On a phone names stand on the height of their ticks: above their marks.
    names = [label(case) for case in cases]
    ax.set_yticks([y + 0.36 for y in heights], names, fontsize=10, va="top")
    ax.tick_params(axis="y", length=0)
    ax.set_ylim(heights[0] - 0.8, heights[-1] + 1.5)
