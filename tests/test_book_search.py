"""The search of the built book: what a student types, and what stands first on the page.

Most questions are asked of the files, without a server, as a reader of a downloaded book does.
"""

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "book" / "_ext"), str(ROOT / ".ci")]

pytest.importorskip("sphinx", reason="the pages are made with the extra `book`")

import book_terms  # noqa: E402
import equation_index  # noqa: E402
import search_words  # noqa: E402

ENTRIES = book_terms.entries(search_words.GLOSSARY)
WORDS = search_words.words()


# -- the file of words ----------------------------------------------------------------------------


def test_every_word_leads_to_an_entry_or_a_section():
    assert set(WORDS.terms) <= {entry.term for entry in ENTRIES}
    text = "\n".join(equation_index.page_text(path) for path in equation_index.pages(ROOT))
    headed = set(re.findall(r"^\(([\w-]+)\)=\s*\n+(?:\([\w-]+\)=\s*\n+)*#", text, re.MULTILINE))
    assert set(WORDS.sections) <= headed


def test_a_word_is_given_once_and_only_where_it_is_needed():
    """Not what the glossary has, nor what differs from it, or from another, by its ending alone."""
    language, leads, stems = search_words.SearchBook({}), {}, {}
    names = [(entry.term, name) for entry in ENTRIES for name in book_terms.forms(entry)]
    for many in (WORDS.terms, WORDS.sections):
        names += [(target, name) for target, given in many.items() for name in given]
    for number, (target, name) in enumerate(names):
        words = re.findall(r"\w+(?:\+\+)?", name)
        written = " ".join(map(search_words.british, words))
        stemmed = " ".join(map(language.stem, words))
        if number >= len(names) - sum(map(len, [*WORDS.terms.values(), *WORDS.sections.values()])):
            assert written not in leads, f"{name} leads to {leads[written]}, too"
            assert stems.get(stemmed) != target, f"{name} is found by its stem"
        leads.setdefault(written, target)
        stems.setdefault(stemmed, target)
    assert not set(leads) & set(WORDS.question)


@pytest.mark.parametrize(
    ("american", "british"),
    [
        ("regularization", "regularisation"),
        ("Normalizing", "normalising"),
        ("behavior", "behaviour"),
        ("neighbors", "neighbours"),
        ("colored", "coloured"),
        ("analyze", "analyse"),
        ("centers", "centres"),
        ("centered", "centred"),
        ("size", "size"),
        ("orthogonal", "orthogonal"),
    ],
)
def test_both_spellings_are_one_word(american, british):
    language = search_words.SearchBook({})
    assert language.stem(american) == language.stem(british)
    assert search_words.british(british) in (british, british.replace("re", "r"))


def test_a_definition_is_shown_without_marks():
    assert search_words.plain(r"Its *k* is $\gamma$.") == "Its k is γ."
    for entry in ENTRIES:
        text = search_words.plain(search_words.HOME.sub("", entry.definition))
        assert text.endswith(".") and not re.search(r"[$*\\{}`]", text), entry.term
