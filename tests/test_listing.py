"""Source shown by inclusion: whole functions, named fragments, and errors that help."""

import importlib
import json
import re
import sys
import textwrap
from pathlib import Path

import pytest

from litlearn import listing
from litlearn.listing import fragments, piece, show, source

EXAMPLE = '''
import functools

from litlearn._core.jit import njit


def plain(x):
    """Return x."""
    # Note: this is an ordinary comment, not a mark
    # and this other comment: too many words before the colon
    # x: no
    return x


@njit
def compiled(a, b):
    """Two steps."""
    # first step: add them.
    total = a + b
    for _ in range(2):
        # <inner>: double in the loop.
        total += total

        # last-part: done.
    return total


def decorator(function):
    @functools.wraps(function)
    def wrapper(*args):
        return function(*args)

    return wrapper


@functools.cache
def cached(n):
    return 5 * n


class Thing:
    @decorator
    def method(self):
        # body: one line.
        return 1

    @property
    def number(self):
        return 2

    @classmethod
    def make(cls):
        return cls()

    @staticmethod
    def free():
        return 3

    class Inner:
        def deep(self):
            return 4


def twice():
    # step: once.
    n = 0
    # step: again.
    return n


def only():
    """A body that is a docstring keeps it: without, it would be no function."""


def several(x):
    """The first
    of several lines.
    """

    # as in :eq:`eq-importance`
    return x


VALUE = 3
'''


@pytest.fixture(scope="module", autouse=True)
def example(tmp_path_factory):
    folder = tmp_path_factory.mktemp("listing")
    (folder / "listing_example.py").write_text(EXAMPLE, encoding="utf-8")
    sys.path.insert(0, str(folder))
    importlib.invalidate_caches()
    yield
    sys.path.remove(str(folder))
    sys.modules.pop("listing_example", None)


def block(text):
    return textwrap.dedent(text).strip("\n")


def test_whole_function():
    assert source("listing_example:plain") == block(EXAMPLE.split("\n\n\n")[1])


def test_compiled_function_gives_python_source():
    text = source("listing_example:compiled")
    assert text.startswith("@njit\ndef compiled(a, b):") and text.endswith("return total")
    from listing_example import compiled

    # The function is compiled, or plain Python when the compiler is switched off.
    assert compiled(1, 2) == 12


def test_fragments_run_to_the_next_mark():
    assert fragments("listing_example:compiled") == ["first step", "inner", "last-part"]
    assert source("listing_example:compiled", "first step") == block("""
        # first step: add them.
        total = a + b
        for _ in range(2):
    """)
    assert source("listing_example:compiled", "inner") == block("""
        # <inner>: double in the loop.
        total += total
    """)


def test_last_fragment_runs_to_the_end():
    assert source("listing_example:compiled", "last-part") == "    # last-part: done.\nreturn total"


def test_fragments_cover_the_function():
    pieces = [source("listing_example:compiled", name) for name in ("first step", "inner")]
    whole = source("listing_example:compiled")
    for line in "\n".join(pieces).split("\n"):
        assert line.strip() in whole


@pytest.mark.parametrize(
    ("target", "line"),
    [
        ("cached", "return 5 * n"),
        ("Thing.method", "return 1"),
        ("Thing.number", "return 2"),
        ("Thing.make", "return cls()"),
        ("Thing.free", "return 3"),
        ("Thing.Inner.deep", "return 4"),
    ],
)
def test_methods_of_all_kinds(target, line):
    text = source(f"listing_example:{target}")
    assert text.endswith(f"    {line}")
    assert text[0] in "@d"
    assert "wrapper" not in text


def test_class():
    assert source("listing_example:Thing").startswith("class Thing:")


def test_ordinary_comments_are_not_marks():
    assert fragments("listing_example:plain") == []  # nor are words within a comment
    assert fragments("listing_example:Thing.number") == []


def test_missing_fragment_lists_the_others():
    with pytest.raises(ValueError, match=r"no fragment 'prune'; .*'first step', 'inner', 'last-p"):
        source("listing_example:compiled", "prune")
    with pytest.raises(ValueError, match="no fragment 'prune'; fragments there: none"):
        show("listing_example:Thing.number", "prune")


def test_fragment_that_stands_twice():
    with pytest.raises(ValueError, match="2 times the fragment 'step'"):
        source("listing_example:twice", "step")


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("listing_example.plain", "expected 'module:object'"),
        (3, "expected 'module:object'"),
        ("litlearn.nowhere:f", "no module 'litlearn.nowhere'"),
        ("listing_example:nothing", "no 'nothing'"),
        ("listing_example:Thing.nothing", "'nothing' is missing"),
        ("listing_example:VALUE", "has no source"),
        ("builtins:len", "has no source"),
    ],
)
def test_errors_name_what_is_missing(target, message):
    with pytest.raises(ValueError, match=message):
        source(target)


def test_piece_is_found_by_the_beginnings_of_lines():
    shown = piece("listing_example:compiled", "for", "# Done")
    assert shown.text == "for _ in range(2):\n    # Double in the loop.\n    total += total"
    assert shown.caption.endswith("· compiled")
    with pytest.raises(ValueError, match="no line that begins with 'while' after line 0"):
        piece("listing_example:compiled", "while", "return")
    with pytest.raises(ValueError, match="no line that begins with 'def' after line 5"):
        piece("listing_example:compiled", "for", "def")


LONGEST = 12  # lines of a piece that a page shows
SHOWN = re.compile(r"show\(\s*\"(litlearn[^\"]+)\"(?:,\s*\"([^\"]+)\")?\s*,?\s*\)")


def shown_pieces():
    """The pieces of source that the pages show: (target, fragment or None)."""
    for path in sorted((Path(__file__).parent.parent / "book").glob("*.ipynb")):
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            if cell["cell_type"] == "code":
                for match in SHOWN.finditer("".join(cell["source"])):
                    yield match[1], match[2]


def n_lines(target, fragment):
    """Number of lines that are not blank."""
    return sum(bool(line.strip()) for line in show(target, fragment).text.split("\n"))


def test_shown_pieces_are_short():
    pieces = set(shown_pieces())
    assert len(pieces) > 50
    assert [piece for piece in pieces if n_lines(*piece) > LONGEST] == []


MOST = 4  # pieces of source in one section of an inside page
MOST_ON_A_PAGE = 20
# Pages not yet brought to it: the greatest count of a section, and that of the page.
LONG = {}
BOOK = Path(__file__).parent.parent / "book"
INSIDE = {path.stem: path for path in sorted(BOOK.glob("*_inside.ipynb"))}


def printed_pieces(path):
    """The pieces of shipped source that each section (`##`) of a page prints, loops and all."""
    here = "before the first section"
    pieces = {here: []}
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] == "markdown":
            text = "".join(cell["source"])
            text = re.sub(r"^(`{3,}|~{3,}).*?^\1\s*$", "", text, flags=re.M | re.S)
            for here in re.findall(r"^## +(.*)$", text, re.M):
                pieces.setdefault(here, [])
            continue
        for output in cell["outputs"]:
            page = "".join(output.get("data", {}).get("text/markdown", ""))
            if page.startswith("`src/litlearn/"):
                pieces[here].append(page)
    return pieces


def numbers_of_pieces(path):
    return {section: len(pieces) for section, pieces in printed_pieces(path).items()}


@pytest.mark.parametrize("page", INSIDE)
def test_inside_pages_print_a_few_pieces_a_section(page):
    numbers = numbers_of_pieces(INSIDE[page])
    most, most_on_page = LONG.get(page, (MOST, MOST_ON_A_PAGE))
    assert {section: n for section, n in numbers.items() if n > most} == {}
    assert sum(numbers.values()) <= most_on_page


def test_long_inside_pages_are_listed_while_they_are_long():
    """A page that was brought to the rule leaves the list, and cannot grow back."""
    for page, listed in LONG.items():
        numbers = numbers_of_pieces(INSIDE[page]).values()
        found = max(numbers), sum(numbers)
        assert found[0] > MOST or found[1] > MOST_ON_A_PAGE, f"{page} is short: take it from LONG"
        assert found == listed


def test_printed_pieces_are_short():
    """Those that a loop prints, too."""
    for path in sorted(BOOK.glob("*.ipynb")):
        for pieces in printed_pieces(path).values():
            for page in pieces:
                code = page.split("```python\n")[1].split("\n```")[0].split("\n")
                assert sum(bool(line.strip()) for line in code) <= LONGEST, (path.stem, page)


def test_pieces_of_sections_are_counted(tmp_path):
    def text(source):
        return {"cell_type": "markdown", "source": [source]}

    def code(*pages):
        return {"cell_type": "code", "outputs": [{"data": {"text/markdown": p}} for p in pages]}

    piece, table = ["`src/litlearn/a.py`\n"], ["| a |"]
    cells = [text("# Inside a page\n\n## One\n\n### A part"), code(piece, piece, piece)]
    cells += [text("```\n## no heading\n```"), code(table, piece), {**code(), "outputs": [{}]}]
    cells += [text("words\n\n## Two"), code(piece), text("## One"), code(piece)]
    path = tmp_path / "page.ipynb"
    path.write_text(json.dumps({"cells": cells}), encoding="utf-8")
    assert numbers_of_pieces(path) == {"before the first section": 0, "One": 5, "Two": 1}


def test_lines_are_counted():
    assert n_lines("listing_example:plain", None) == 5
    assert n_lines("listing_example:compiled", "inner") == 2


def test_show_as_markdown_and_text():
    shown = show("litlearn.listing:_load")
    markdown = shown._repr_markdown_()
    assert markdown.startswith("`src/litlearn/listing.py · _load`\n\n```python\ndef _load(target):")
    assert markdown.endswith("\n```\n")
    assert repr(shown).startswith("src/litlearn/listing.py · _load\n\ndef _load(target):")
    part = show("listing_example:compiled", "inner")
    assert part.caption == "listing_example.py · compiled · inner"
    assert "total = a + b" not in repr(part)


def test_show_prints_no_docstrings_markers_or_roles():
    """The page says what a docstring says; the name of a fragment is for who includes it."""
    shown = show("listing_example:compiled").text
    assert shown.startswith("@njit\ndef compiled(a, b):\n    # Add them.\n    total = a + b\n")
    assert "Two steps" not in shown and "last-part" not in shown
    assert "        # Double in the loop.\n" in shown and "    # Done.\n" in shown
    assert show("listing_example:compiled", "inner").text.startswith("# Double in the loop.\n")
    assert show("listing_example:Thing").text == source("listing_example:Thing").replace(
        "# body: one", "# One"
    )
    assert "The first" not in show("listing_example:several").text
    assert "# as in eq-importance\n" in show("listing_example:several").text
    assert show("listing_example:only").text == source("listing_example:only")


def test_shows_what_is_installed():
    """The text is the file's text, character for character."""
    with open(listing.__file__, encoding="utf-8") as file:
        assert source("litlearn.listing:fragments") in file.read()


def shown_in(text):
    """Target and fragment of every call of show in a text; one named in prose has no quotes."""
    return re.findall(r"""show\(\s*["']([^"']+)["'](?:,\s*["']([^"']+)["'])?""", text)


def test_what_the_guide_for_contributors_shows_exists():
    guide = (Path(__file__).parents[1] / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert shown_in(guide)
    for target, fragment in shown_in(guide):
        assert source(target, fragment or None)


def test_a_later_line_of_a_comment_loses_no_word():
    text = "def f(x):\n    # <cut>: the best so\n    # far: a branch.\n    return x"
    shown = "def f(x):\n    # The best so\n    # far: a branch.\n    return x"
    assert listing._printed(text) == shown
