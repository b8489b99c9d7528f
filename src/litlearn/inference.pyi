"""Made from the docstrings by .ci/stubs.py: do not edit."""

from typing import Any, Literal

from numpy.typing import NDArray

from litlearn._core.types import Array, Float

__all__ = [
    "CoefficientTable",
    "coefficient_table",
]

class CoefficientTable:
    names: NDArray[Any]
    estimate: NDArray[Any]
    standard_error: NDArray[Any]
    statistic: NDArray[Any]
    p_value: NDArray[Any]
    lower: NDArray[Any]
    upper: NDArray[Any]
    degrees_of_freedom: float
    covariance: NDArray[Any]
    level: float
    title: str
    def to_frame(self) -> Any: ...

def coefficient_table(
    model: Any,
    X: Array,
    y: Array,
    *,
    sample_weight: Array | None = None,
    covariance: Literal["auto", "nonrobust", "HC0", "HC1", "HC2", "HC3"] = "auto",
    level: Float = 0.95,
    method: Literal["wald", "profile"] = "wald",
) -> CoefficientTable: ...
