"""Made from the docstrings by .ci/stubs.py: do not edit."""

from collections.abc import Callable, Sequence
from typing import Any, Literal

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from litlearn._core.types import Array, Bool, Float, Int

__all__ = [
    "COLORS",
    "HATCHES",
    "MARKERS",
    "Slider",
    "coefficient_paths",
    "covariance_ellipse",
    "decision_regions",
    "plot_tree",
    "scatter_classes",
    "set_style",
    "slider",
    "table",
    "tidy_legends",
]

COLORS: tuple[Any, ...]
HATCHES: tuple[Any, ...]
MARKERS: tuple[Any, ...]

class Slider:
    size: Any
    label: str
    texts: list[str]
    alts: list[str]
    frames: list[bytes]
    phones: list[bytes]
    start: int
    @property
    def id(self) -> Any: ...

def coefficient_paths(
    ax: Axes,
    alphas: Array,
    coefs: Array,
    *,
    names: Sequence[str] | None = None,
    n_labels: Int = 6,
    mark: Float | None = None,
    xlabel: str | None = None,
) -> list[Any]: ...
def covariance_ellipse(
    ax: Axes,
    mean: Array,
    cov: Array,
    *,
    n_std: Float = 2.0,
    color: Any = "#0072B2",
    fill: Float = 0.15,
    **kwargs: Any,
) -> Any: ...
def decision_regions(
    ax: Axes,
    model: Any,
    X: Array,
    y: Array | None = None,
    *,
    proba: Bool = False,
    classes: Array | None = None,
    labels: Sequence[str] | None = None,
    resolution: Int = 200,
    margin: Float = 0.05,
    limits: tuple[Float, Float, Float, Float] | None = None,
    hatch: Bool = True,
    size: Float = 30,
    legend: Bool = True,
) -> NDArray[Any]: ...
def plot_tree(
    decision_tree: Any,
    *,
    max_depth: Int | None = None,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[str] | Bool | None = None,
    label: Literal["all", "root", "none"] = "all",
    filled: Bool = False,
    impurity: Bool = True,
    node_ids: Bool = False,
    proportion: Bool = False,
    rounded: Bool = False,
    precision: Int = 3,
    ax: Axes | None = None,
    fontsize: Float | None = None,
) -> list[Any]: ...
def scatter_classes(
    ax: Axes,
    X: Array,
    y: Array,
    *,
    classes: Array | None = None,
    labels: Sequence[str] | None = None,
    size: Float = 30,
    legend: Bool = True,
    **kwargs: Any,
) -> list[Any]: ...
def set_style() -> None: ...
def slider(
    draw: Callable[..., Any],
    values: Sequence[Any],
    *,
    label: str,
    alt: str | Callable[..., Any],
    figsize: tuple[Float, Float] = (6.0, 4.0),
    start: Any = None,
    format: str | Callable[..., Any] = "{}",
    panels: Bool = False,
) -> Slider: ...
def table(head: Sequence[str], rows: Sequence[Sequence[Any]]) -> Any: ...
def tidy_legends(fig: Figure, lift: Bool = False) -> None: ...
