"""The styles of a page: of twelve files, the rules that something on the page can match.

So the first thing is painted when the first part of the page has come.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import NamedTuple

import tinycss2

_NAMED = re.compile(r"[.#](-?[_a-zA-Z][\w-]*)")


class Rule(NamedTuple):
    """One rule of a style sheet, or a group of rules that hold under a condition."""

    text: str  # the rule, or the condition
    needs: list[frozenset[str]] | None  # names that each selector asks for; None: always kept
    rules: list  # of a group


def _needs(selector):
    """Return the names without which a selector matches nothing; what stands in () is left open."""
    plain = re.sub(r"\([^()]*\)", "", selector)
    while plain != selector:
        selector, plain = plain, re.sub(r"\([^()]*\)", "", plain)
    return frozenset() if "\\" in plain else frozenset(_NAMED.findall(plain))


def parse_styles(sheet, path, static):
    """Return the rules of a style sheet; what it imports is put in place."""
    out = []
    for rule in tinycss2.parse_rule_list(sheet, skip_comments=True, skip_whitespace=True):
        if rule.type == "qualified-rule":
            content = tinycss2.serialize(rule.content).strip()
            asked = tinycss2.serialize(rule.prelude).strip()
            text = _moved(f"{asked}{{{content}}}", path, static)
            out.append(Rule(text, [_needs(one) for one in _alternatives(rule.prelude)], []))
        elif rule.type == "at-rule":
            prelude = tinycss2.serialize(rule.prelude)
            if rule.at_keyword == "import":
                out += read_styles(path.parent / re.search(r"[\w./-]+\.css", prelude)[0], static)
            elif rule.at_keyword in ("media", "supports"):
                inner = parse_styles(rule.content, path, static)
                out.append(Rule(f"@{rule.at_keyword}{prelude}", None, inner))
            elif "Font Awesome" not in (text := rule.serialize()):
                out.append(Rule(_moved(text, path, static), None, []))
    return out


def read_styles(path, static):
    text = path.read_text(encoding="utf-8").lstrip("\N{ZERO WIDTH NO-BREAK SPACE}")
    return parse_styles(re.sub(r'@charset "[^"]*";', "", text), path, static)


def _alternatives(prelude):
    """Return the selectors between the commas of a rule."""
    out = [[]]
    for token in prelude:
        if token.type == "literal" and token.value == ",":
            out.append([])
        else:
            out[-1].append(token)
    return [tinycss2.serialize(tokens) for tokens in out]


def _moved(text, path, static):
    """Let the addresses in a rule begin at the folder _static, which is written STATIC/."""

    def moved(match):
        inside = match[1].strip("\"'")
        if re.match(r"data:|#|/|\w+:", inside):
            return match[0]
        where = os.path.relpath((path.parent / inside).resolve(), static.resolve())
        return f'url("STATIC/{Path(where).as_posix()}")'

    return re.sub(r"""url\(((?!["']?data:)[^)]*)\)""", moved, text)


def write_styles(rules, names):
    """Return the text of the rules that can match something named so."""
    out = []
    for rule in rules:
        if rule.rules:
            if inner := write_styles(rule.rules, names):
                out.append(f"{rule.text}{{{inner}}}")
        elif rule.needs is None or any(needs <= names for needs in rule.needs):
            out.append(rule.text)
    return "".join(out)


def used_variables(styles, elsewhere):
    """Return styles without the custom properties that neither they nor anything else reads."""
    used = set(re.findall(r"var\(\s*(--[\w-]+)", styles)) | elsewhere
    return re.sub(
        r"(--[\w-]+)\s*:[^;{}\"']*(?:;|(?=\}))", lambda m: m[0] if m[1] in used else "", styles
    )


# Classes that Bootstrap gives to what is on the pages. Most others that its script names belong to
# parts that the pages do not have.
_STATES = (
    "active bs-tooltip-auto bs-tooltip-bottom bs-tooltip-top collapse collapsed collapsing "
    "disabled dropdown dropdown-menu fade hide hiding show showing "
    "tooltip tooltip-arrow tooltip-inner"
)


def given_names(scripts):
    """Return the words in the texts of scripts: classes that a page may get while it is read."""
    names = set(_STATES.split())
    for path in scripts:
        if path.name != "bootstrap.js":
            script = path.read_text(encoding="utf-8")
            for texts in re.findall(r"""\"([^"\n]*)\"|'([^'\n]*)'|`([^`]*)`""", script):
                names.update(re.findall(r"[\w-]+", " ".join(texts)))
    return names


_COLOR = re.compile(r'html\[data-theme="(\w+)"\] \.highlight(?: \.(\w+))? *\{([^}]*)\}')


def plain_tokens(styles):
    """Return the classes of code whose colour is that of the code around them, in both schemes."""
    base, others = {}, {}
    for scheme, name, rule in _COLOR.findall(styles):
        rule = dict(re.findall(r"([\w-]+): *([^;]+?) *(?:;|$)", rule))
        if not name:
            base[scheme] = rule.get("color")
        else:
            others.setdefault(name, []).append(rule == {"color": base.get(scheme)})
    plain = {name for name, both in others.items() if both == [True, True]}
    # Operators need no colour: there are more of them than of all the rest. The prompt and the
    # output of an example are marked, since they are not copied.
    return plain - {"gp", "go"} | {"o"}


class Sheets:
    """The style sheets of a build, each read once."""

    def __init__(self, static):
        self.static, self.read = static, {}

    def of_page(self, links, names, used, depth):
        """Return the styles of a page, from its links to sheets; `depth` folders lie above it."""
        rules = []
        for link in links:
            name = re.search(r'_static/([^"?]+\.css)', link["href"])[1]
            if name not in self.read:
                self.read[name] = read_styles(self.static / name, self.static)
            rules += self.read[name]
        styles = used_variables(write_styles(rules, names), used)
        return styles.replace("STATIC/", f"{'../' * depth}_static/")
