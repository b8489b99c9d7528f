"""Made from the docstrings by .ci/stubs.py: do not edit."""

from typing import Any

__all__ = [
    "Listing",
    "fragments",
    "piece",
    "show",
    "source",
]

class Listing:
    text: Any
    caption: Any

def fragments(target: str) -> list[str]: ...
def piece(target: str, first: str, before: str) -> Listing: ...
def show(target: str, fragment: str | None = None) -> Listing: ...
def source(target: str, fragment: str | None = None) -> str: ...
