"""The terms of art of the book: where the glossary defines them, and where the pages use them.

``tests/test_book_glossary.py`` asks that the first use of a term in a chapter is a link to the
glossary, and the page *Index* lists the sections that use it. It needs nothing but the standard
library.
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

# Forms of a word other than the term, its synonyms, and these with a final s.
FORMS = {
    "bootstrap": ["bootstrapped"],
    "calibration": ["calibrated"],
    "collinearity": ["collinear"],
    "confounder": ["confounding", "confounded"],
    "convex": ["convexity"],
    "cross-validation": ["cross-validated"],
    "density": ["densities"],
    "entropy": ["entropies"],
    "extremely randomised trees": ["extremely randomised tree"],
    "impurity": ["impurities"],
    "k-means": ["$k$-means", "*k*-means"],
    "k-means++": ["$k$-means++", "*k*-means++"],
    "kernel": ["sigmoid kernel", "sigmoid kernels"],
    "kernel ridge regression": ["kernel ridge"],
    "likelihood": ["log-likelihood", "log-likelihoods"],
    "out-of-bag": ["out of bag"],
    "overfitting": ["overfit", "overfits"],
    "penalty": ["penalties", "penalised"],
    "pruning": ["prune", "pruned"],
    "regularisation": ["regularised"],
    "responsibility": ["responsibilities"],
    "singular value": ["singular value decomposition"],
    "standardise": ["standardised", "standardising", "standardisation"],
    "underfitting": ["underfit", "underfits"],
    "variance": ["sample variance"],
    "whitening": ["whiten", "whitened"],
}

# What the index has and the glossary has not: the data.
OTHER = {
    "breast cancer data": "breast cancers?|aspirates?",
    "diabetes data": "diabetes|diabetics?",
    "digits data": "handwritten|digits",
    "wine data": "wines?",
}

FOLDED = {"dropdown", "exercise", "exercise-start", "solution", "solution-start"}
UNREAD = {
    *("figure", "play", "predict", "image", "code", "code-block", "math", "button-ref", "glossary")
}
FENCE = re.compile(r"^\s*(`{3,}|:{3,})(?:\{([\w:-]+)\})?(.*)$")
END = re.compile(r"^#+ *(Exercises|Going further)", re.MULTILINE)
ROLE = re.compile(r"\{([\w:-]+)\}`([^`]*)`")
# What is no prose although it stands in a paragraph: comments, formulas, roles, links, code.
LEFT_OUT = re.compile(
    r"<!--.*?-->|\{(?P<role>[\w:-]+)\}`[^`]*`|\$\$.*?\$\$(?: \([\w-]+\))?"
    r"|\\begin\{(?P<env>align\*?|equation)\}.*?\\end\{(?P=env)\}"
    r"|\$k\$-means|\$[^$]*\$|!?\[[^\]]*\]\([^)]*\)|`[^`\n]+`|\[\^[\w-]+\]:?|https?://\S+",
    re.DOTALL,
)


class Entry(NamedTuple):
    """One entry of the glossary."""

    term: str
    synonyms: tuple[str, ...]
    definition: str


class Use(NamedTuple):
    """One place of a text that uses a term."""

    start: int
    end: int
    term: str
    linked: bool


@cache
def entries(path: Path) -> list[Entry]:
    """Return the entries of the glossary, in the order of the page."""
    text = path.read_text(encoding="utf-8")
    body = re.search(r"^(`{3,})\{glossary\}\n(.*?)^\1$", text, re.M | re.S)[2]
    blocks = re.findall(r"((?:^\S.*\n)+)((?:^  .*\n)+)", body, re.M)
    return [
        Entry(names[0], tuple(names[1:]), " ".join(definition.split()))
        for names, definition in ((b[0].splitlines(), b[1]) for b in blocks)
    ]


def forms(entry: Entry) -> list[str]:
    """Return the forms in which the words of an entry occur in a text."""
    names = [entry.term, *entry.synonyms]
    plurals = [f"{name}es" if name.endswith("ss") else f"{name}s" for name in names]
    return [*names, *plurals, *FORMS.get(entry.term, [])]


@cache
def _patterns(path: Path) -> tuple[re.Pattern, dict[str, str]]:
    term_of = {form.lower(): entry.term for entry in entries(path) for form in forms(entry)}
    longest_first = sorted(term_of, key=len, reverse=True)
    words = "|".join(re.escape(form).replace(r"\ ", r"\s+") for form in longest_first)
    return re.compile(rf"(?<![\w-])(?:{words})(?![\w-])", re.I), term_of


def _blank(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)


def prose(text: str, folded: bool = True) -> str:
    """Return a text of the same length in which all but prose and links to terms is blank.

    Headings, titles of boxes, labels, options, figures, formulas, code and links are no prose. With
    ``folded=False`` neither is what the page folds: dropdowns, exercises, solutions.
    """
    text = LEFT_OUT.sub(
        lambda m: m[0] if m[0] == "$k$-means" or m["role"] == "term" else _blank(m[0]), text
    )
    out, open_fences = [], []  # fences: [its characters, whether what it holds is left out]
    for line in text.split("\n"):
        fence, kept = FENCE.match(line), False
        if fence and (fence[2] or fence[3].strip()):
            kind = fence[2] or "code"
            left_out = kind in UNREAD or kind.startswith("litlearn-")
            open_fences.append([fence[1], left_out or (kind in FOLDED and not folded)])
        elif fence and open_fences and fence[1] == open_fences[-1][0]:
            open_fences.pop()
        elif open_fences and re.match(r"\s*:class:.*\bdropdown\b", line) and not folded:
            open_fences[-1][1] = True
        else:
            aside = re.match(r"#+ |\([\w-]+\)=$|\s*:[\w-]+:(?: |$)", line)
            kept = not aside and not any(left_out for _, left_out in open_fences)
        out.append(line if kept else _blank(line))
    return "\n".join(out)


def uses(text: str, glossary: Path, folded: bool = True) -> list[Use]:
    """Return the uses of the glossary's terms in a text, in their order."""
    pattern, term_of = _patterns(glossary)
    readable, found = prose(text, folded), []
    for role in ROLE.finditer(readable):
        named = re.fullmatch(r".*?\s*<([^>]+)>", role[2], re.S)
        name = " ".join((named[1] if named else role[2]).lower().split())
        found.append(Use(role.start(), role.end(), term_of.get(name, name), True))
    rest = ROLE.sub(lambda m: _blank(m[0]), readable)
    for word in pattern.finditer(rest):
        term = term_of[" ".join(word[0].lower().split())]
        found.append(Use(word.start(), word.end(), term, False))
    return sorted(found)


def markdown_cells(path: Path, main_path: bool = False) -> list[str]:
    """Return the Markdown of a page; its main path ends where the exercises begin."""
    text = path.read_text(encoding="utf-8")
    cells = json.loads(text)["cells"] if path.suffix == ".ipynb" else [{"source": text}]
    out = []
    for cell in cells:
        if cell.get("cell_type", "markdown") == "markdown":
            source = "".join(cell["source"])
            end = END.search(source) if main_path else None
            out.append(source[: end.start()] if end else source)
            if end:
                break
    return out


def sections(path: Path) -> list[tuple[str, str]]:
    """Return the sections of a page that have a label: (label, their text without headings)."""
    out: list[tuple[str, str]] = []
    for source in markdown_cells(path):
        # Several labels may stand above one heading; the last of them is taken.
        parts = re.split(r"^\(([\w-]+)\)=\s*\n+(?=#)", source, flags=re.M)
        if out:
            out[-1] = (out[-1][0], f"{out[-1][1]}\n\n{parts[0]}")
        out += list(zip(parts[1::2], parts[2::2], strict=True))
    return out


class Found(NamedTuple):
    """How often a page uses a term, and the section that uses it most.

    Exercises, summaries and the literature count only where nothing else on the page uses it.
    """

    page: str
    label: str
    count: int


def index(pages: list[Path], glossary: Path) -> dict[str, list[Found]]:
    """Return term -> the pages that use it, in their order."""
    found: dict[str, list[Found]] = {}
    for path in pages:
        counts: dict[str, dict[str, int]] = {}
        for label, text in sections(path):
            used = [use.term for use in uses(text, glossary)]
            readable = prose(text)
            for name, words in OTHER.items():
                used += [name] * len(re.findall(rf"\b(?:{words})\b", readable, re.I))
            for term in used:
                counts.setdefault(term, {}).setdefault(label, 0)
                counts[term][label] += 1
        for term, places in counts.items():
            aside = ("-exercises", "-further", "-summary")
            best = max(places, key=lambda label: (not label.endswith(aside), places[label]))
            found.setdefault(term, []).append(Found(path.stem, best, sum(places.values())))
    return found
