"""Figures and tables of the book: colours that everyone can tell apart, a slider without a kernel.

Every figure is drawn on white without a title, in the typeface of the pages, with twice the pixels
of a common screen; a wide one has a variant for phones. Classes differ in marker (or hatch) as well
as in colour. matplotlib is imported when a function is called, so that importing this module is
cheap.
"""

from litlearn._core.guide import guide
from litlearn.plotting._figures import (
    coefficient_paths,
    covariance_ellipse,
    decision_regions,
    scatter_classes,
    set_style,
)
from litlearn.plotting._pages import Slider, slider, table
from litlearn.plotting._style import COLORS, HATCHES, MARKERS, tidy_legends
from litlearn.plotting._trees import plot_tree

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

__getattr__ = guide(__name__)
