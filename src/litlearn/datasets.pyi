"""Made from the docstrings by .ci/stubs.py: do not edit."""

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from litlearn._core.types import Array, Bool, Int

__all__ = [
    "BayesError",
    "Bunch",
    "MemoryClinic",
    "make_memory_clinic",
]

class BayesError(NamedTuple):
    error: float
    standard_error: float

class Bunch(dict[str, Any]):
    def __getattr__(self, name: str) -> Any: ...

class MemoryClinic(Bunch):
    def bayes_error(
        self,
        *,
        n_classes: Int = 3,
        features: Sequence[str] | None = None,
        n_draws: Int = 200000,
        random_state: Int | np.random.RandomState | np.random.Generator | None = 0,
    ) -> BayesError: ...
    def expected_next_score(self, X: Array) -> NDArray[Any]: ...
    def posterior(
        self, X: Array, *, n_classes: Literal[2, 3] = 3, features: Sequence[str] | None = None
    ) -> NDArray[Any]: ...

def make_memory_clinic(
    n_samples: Int = 600,
    *,
    random_state: Int | np.random.RandomState | np.random.Generator | None = None,
    as_frame: Bool = False,
) -> MemoryClinic: ...
