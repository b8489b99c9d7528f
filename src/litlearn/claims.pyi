"""Made from the docstrings by .ci/stubs.py: do not edit."""

from typing import Any

from litlearn._core.types import Float

__all__ = [
    "claim",
    "fact",
    "number",
    "recorded",
]

def claim(name: str, *holds: Any) -> None: ...
def fact(*holds: Any) -> None: ...
def number(text: str, value: Float) -> None: ...
def recorded() -> None: ...
