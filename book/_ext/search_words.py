"""Sphinx extension: the search answers with the definition first, and knows readers' own words.

Readers type "knn", "what is overfitting", "regularization". ``book/search_words.toml`` says what
the book calls it, the glossary defines it. Three of Sphinx's own hooks make use of both: a language
of the search (spelling, and the words of a question), its splitter of what was typed, and its
scorer. What they do in the browser, and what stands above the pages, is ``_static/search.js``.
"""

from __future__ import annotations

import json
import re
import tomllib
import unicodedata
from functools import cache
from pathlib import Path
from typing import NamedTuple

import book_terms
import equation_index
from sphinx.application import Sphinx
from sphinx.search.en import SearchEnglish

BOOK = Path(__file__).resolve().parents[1]
GLOSSARY = BOOK / "glossary.md"
SCORER = BOOK / "search_scorer.js"
HOME = re.compile(r" See \{ref\}`[^`<]+ <([\w-]+)>`\.$")


class Words(NamedTuple):
    """What search_words.toml says."""

    terms: dict[str, list[str]]
    sections: dict[str, tuple[str, list[str]]]  # label -> what is said, and the words
    question: list[str]
    spelling: list[list[str]]


@cache
def words() -> Words:
    """Read search_words.toml."""
    found = tomllib.loads((BOOK / "search_words.toml").read_text(encoding="utf-8"))
    asked = found["question"]["words"].split()
    sections = {label: (one["says"], one["words"]) for label, one in found["sections"].items()}
    return Words(found["terms"], sections, asked, found["spelling"]["rules"])


def british(word: str) -> str:
    """Return a word in lower case and British spelling; search.js does the same."""
    word = word.lower()
    for pattern, spelling in words().spelling:
        word = re.sub(pattern, spelling.replace("$", "\\"), word)
    return word


class SearchBook(SearchEnglish):
    """English in which "regularization" and "regularisation" are one word."""

    js_stemmer_code = SearchEnglish.js_stemmer_code + "Stemmer = litlearnSearch.stemmer(Stemmer);\n"
    js_splitter_code = "var splitQuery = litlearnSearch.split;\n"

    def stem(self, word: str) -> str:
        return super().stem(british(word))


# -- what the page that searches is told ---------------------------------------------------------


def plain(markdown: str) -> str:
    """Return a definition without marks; its formulas are single letters."""

    def letter(match):
        return unicodedata.lookup(f"GREEK SMALL LETTER {match[1]}")

    return re.sub(r"\$\\(\w+)\$", letter, markdown).replace("*", "")


def section_of(env, label):
    """Return address, title and page of the section that has a label."""
    std = env.domaindata["std"]
    page, anchor = std["anonlabels"][label]
    own = env.titles[page].astext()
    title = std["labels"][label][2] if label in std["labels"] else own  # a paragraph has none
    return {"url": f"{page}.html#{anchor}", "title": title, "page": "" if title == own else own}


def answers(env):
    """Return what the search can answer: each entry of the glossary, and the named sections."""
    used = book_terms.index(
        [path for path in equation_index.pages(BOOK.parent) if path.suffix == ".ipynb"], GLOSSARY
    )
    out = []
    for entry in book_terms.entries(GLOSSARY):
        page, anchor = env.domaindata["std"]["objects"]["term", entry.term]
        text, label = HOME.sub("", entry.definition), HOME.search(entry.definition)[1]
        out.append(
            {
                "name": entry.term,
                "names": book_terms.forms(entry),
                "also": words().terms.get(entry.term, []),
                "url": f"{page}.html#{anchor}",
                "text": plain(text),
                "home": section_of(env, label),
                "pages": {f"book/{found.page}": found.count for found in used.get(entry.term, [])},
            }
        )
    for label, (says, also) in words().sections.items():
        home = section_of(env, label)
        out.append(
            {
                "name": home["title"],
                "names": [],
                "also": also,
                "url": home["url"],
                "text": says,
                "home": home,
                "pages": {},
            }
        )
    return out


def tell(app: Sphinx, pagename, templatename, context, doctree):
    """Give the page that searches its words and its script, and no other page."""
    if pagename != "search":
        return
    told = {
        "answers": answers(app.env),
        "question": words().question,
        "spelling": words().spelling,
    }
    text = json.dumps(told, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    app.add_js_file(None, body=f"const litlearnWords = {text};")
    app.add_js_file("search.js", defer="defer")


def use_scorer(app: Sphinx, config):
    config.html_search_scorer = str(SCORER)


def setup(app: Sphinx):
    app.add_search_language(SearchBook)
    app.connect("config-inited", use_scorer)
    app.connect("html-page-context", tell)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
