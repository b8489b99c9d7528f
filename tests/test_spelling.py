"""The words of pages, docstrings, comments and changes are spelled right, in British."""

import shutil
import sys
from pathlib import Path

import pytest

pytest.importorskip("myst_parser", reason="the extra `book` is not installed")
pytest.importorskip("spellchecker", reason="pyspellchecker is not installed")

import spelling


@pytest.fixture(scope="module")
def texts():
    return list(spelling.texts())


def test_everything_that_is_read_is_looked_at(texts):
    files = {place.split(",")[0].split(":")[0] for place, _ in texts}
    some = {"README.md", "CHANGELOG.md", "index.md", "book/k_means.ipynb", "book/api/index.md",
            "src/litlearn/cluster/_kmeans.py", "book/glossary.md", "CONTRIBUTING.md"}  # fmt: skip
    assert some <= files
    assert sum(len(spelling.words_of(text)) for _, text in texts) > 200_000


def test_every_word_is_known(texts):
    unknown = spelling.unknown(texts)
    assert unknown == {}, "misspelled, or for .ci/words.txt"


def test_no_word_is_misspelled_or_american(texts):
    if shutil.which("typos") is None and not (Path(sys.executable).parent / "typos").exists():
        pytest.skip("typos is not installed")
    assert spelling.slips(texts) == []


def test_the_list_of_words_is_short_sorted_and_needed(texts):
    words = spelling.listed()
    assert words == sorted(set(words))
    used = {word.lower() for _, text in texts for word in spelling.words_of(text)}
    assert [one for one in words if not used & {one, f"{one}'s"}] == []
    assert len(words) < 400


PAGE = """\
(a-labbel)=
# A tittle

The clasifier's `sorce` and $\\\\frakk{x}$ in {ref}`some wrods <a-labbel>` of {eq}`nonamme`.

```python
iff = 1
```

$$
\\\\alhpa
$$ (nonamme)

:::{note} A notte
:class: dropdownn
Its bodyy.

```{figure} pictuer.svg
:alt: What nobodyy seees.

The capttion, in litlearn.neighbors and `KNeighbors`.
```
:::
"""


def test_what_is_english_is_found_on_a_page():
    found = [(f"page:{line + 1}", text) for line, text in spelling.english(PAGE)]
    wrong = {"clasifier", "wrods", "notte", "bodyy", "nobodyy", "seees", "capttion"}
    assert spelling.unknown(found).keys() == wrong
    assert spelling.unknown(found)["bodyy"] == ["page:16"]


def test_what_is_english_is_found_in_a_module():
    source = (
        '"""Of the modulle.\n\n    >>> sorces = 1\n\nParameters\n----------\n'
        'n_thigs : int of thigs\n    How manyy.\n"""\nnammes = 1  # a commment\n'
    )
    found = [(str(line), text) for line, text in spelling.docstrings(source)]
    assert spelling.unknown(found) == {"modulle": ["1"], "manyy": ["1"], "commment": ["10"]}


def test_slips_and_american_forms_are_named():
    if shutil.which("typos") is None and not (Path(sys.executable).parent / "typos").exists():
        pytest.skip("typos is not installed")
    found = [("one", "The neighbor, and"), ("two", "the neighbour of teh KNeighbors colour.")]
    assert spelling.slips(found) == [("one", "neighbor", ["neighbour"]), ("two", "teh", ["the"])]
