"""How a notebook shows an estimator where scikit-learn is not loaded: its name and parameters."""

import html

STYLE = "border: 1px solid; border-radius: 4px; padding: 0.2em 0.6em; width: fit-content"


def estimator_html(estimator):
    """Return an estimator as HTML: its repr, and when it is opened a table of its parameters.

    Those that differ from their defaults are bold. Colours are those of the page, light or dark.
    """
    return f'<div style="{STYLE}">{_folded(estimator)}</div>'


def _folded(estimator):
    state = "fitted" if estimator.__sklearn_is_fitted__() else "not fitted"
    given = estimator.get_params(deep=False)
    defaults = type(estimator)._get_defaults()
    rows = "".join(_row(name, value, defaults[name]) for name, value in given.items())
    table = f"<table>{rows}</table>" if rows else ""
    name = html.escape(repr(estimator))
    return f"<details><summary><code>{name}</code> {state}</summary>{table}</details>"


def _row(name, value, default):
    inner = hasattr(value, "__sklearn_is_fitted__") and hasattr(type(value), "_get_defaults")
    cell = _folded(value) if inner else f"<code>{html.escape(short_repr(value))}</code>"
    changed = short_repr(value) != short_repr(default)
    weight = "bold" if changed else "normal"
    style = f'style="font-weight: {weight}; text-align: left"'
    return f"<tr><td {style}>{html.escape(name)}</td><td {style}>{cell}</td></tr>"


def short_repr(value, max_length=200):
    """Return the repr of a value in one line, shortened in the middle."""
    text = " ".join(repr(value).split())
    return text if len(text) <= max_length else f"{text[: max_length - 40]}...{text[-37:]}"
