"""Made from the docstrings by .ci/stubs.py: do not edit."""

from typing import Any

__all__ = [
    "Listing",
    "fragments",
    "show",
    "source",
]

class Listing:
    text: Any
    caption: Any

def fragments(target: str) -> list[str]: ...
def show(target: str, fragment: str | None = None) -> Listing: ...
def source(target: str, fragment: str | None = None) -> str: ...
