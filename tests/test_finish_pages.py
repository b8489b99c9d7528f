"""The last repairs of the built pages: what they change, and that they change it once."""

import sys
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

sys.path[:0] = [str(Path(__file__).parents[1] / part) for part in ("book/_ext", ".ci")]

import finish_pages  # noqa: E402
import page_styles  # noqa: E402


def plain(text):
    """HTML as the parser writes it."""
    return str(BeautifulSoup(text, "html.parser"))


def repaired(text, name="book/page.html"):
    page = BeautifulSoup(text, "html.parser")
    finish_pages.repair(name, page, OPTIONS)
    return str(page)


OPTIONS = "const DOCUMENTATION_OPTIONS = {};"
MATH = '<span class="math notranslate nohighlight">\\(x\\)</span>'
CODE = (
    '<div class="{}highlight-default notranslate"><div class="highlight"><pre>{}</pre></div></div>'
)
TABLE = (
    '<table class="table"><thead><tr class="row-odd"><th class="head text-right">'
    '<p>Subject</p></th><th class="head"><p>Here</p></th></tr></thead><tbody><tr class="row-even">'
    '<td class="text-right"><p>few words</p></td>'
    "<td><p>a sentence that would stand a word on each line</p></td></tr></tbody></table>"
)

# Each piece of a page, and what it becomes.
PIECES = {
    "a script that waits": (
        '<script src="a.js"></script>',
        '<script defer="defer" src="a.js"></script>',
    ),
    "the side bar": (
        '<div id="pst-primary-sidebar" class="bd">',
        '<div id="pst-primary-sidebar" role="complementary" aria-label="Book" class="bd">',
    ),
    "a comma after a formula": (
        f"of {MATH}, and",
        f'of <span class="one-line">{MATH},</span> and',
    ),
    "brackets around a formula": (
        f"the value ({MATH}).",
        f'the value <span class="one-line">({MATH}).</span>',
    ),
    "a title": (
        "<h1>litlearn.kernel_ridge<a>#</a></h1>",
        "<h1>litlearn.<wbr>kernel_<wbr>ridge<a>#</a></h1>",
    ),
    "a title with a hyphen": (
        '<h1><span class="section-number">12.11. </span>Inside k-means</h1>',
        '<h1><span class="section-number">12.11. </span>Inside '
        '<span class="one-line">k-means</span></h1>',
    ),
    "a link to a page of the reference": (
        '<span class="doc">litlearn.kernel_ridge</span>',
        '<span class="doc">litlearn.<wbr>kernel_<wbr>ridge</span>',
    ),
    "a picture": ('<img src="a.png">', '<img loading="lazy" src="a.png">'),
    "an empty corner": ('<th class="head"></th>', '<td class="head"></td>'),
    "a name": (
        '<span class="pre">criterion=&quot;log_loss&quot;</span>',
        '<span class="pre">criterion=<wbr>&quot;log_<wbr>loss&quot;</span>',
    ),
    "the name of an entry": (
        '<span class="sig-name descname"><span class="pre">QuadraticDiscriminantAnalysis'
        "</span></span>",
        '<span class="sig-name descname"><span class="pre">Quadratic<wbr>Discriminant<wbr>Analysis'
        "</span></span>",
    ),
    "a short line of code": (CODE.format("", "x = 1\n"), CODE.format("", "x = 1\n")),
    "a long line of code": (
        CODE.format("", "    total = first + second + third + fourth\n"),
        CODE.format(
            "",
            '<span class="code-line" style="--in:4">'
            "    total = first + second + third + fourth\n</span>",
        ),
    ),
    "the indent before a keyword": (
        CODE.format("", '    <span class="k">return</span> first + second + third + fourth\n'),
        CODE.format(
            "",
            '<span class="code-line" style="--in:4">'
            '    <span class="k">return</span> first + second + third + fourth\n</span>',
        ),
    ),
    "a run without a blank": (
        CODE.format(
            "doctest ",
            '<span class="gp">&gt;&gt;&gt; </span>print(model.cluster_centers_[0.5].x())\n',
        ),
        CODE.format(
            "doctest ",
            '<span class="code-line"><span class="gp">&gt;&gt;&gt; </span>'
            "print(<wbr>model<wbr>.cluster_centers_[<wbr>0.5]<wbr>.x())\n</span>",
        ),
    ),
    "a comment behind code": (
        CODE.format("", 'bound = low - query  <span class="c1"># of each box</span>\n'),
        CODE.format(
            "",
            '<span class="code-line">bound = low - query  '
            '<span class="c1 litlearn-aside"># of each box</span>\n</span>',
        ),
    ),
    "a number below zero": (
        '<td class="text-right"><p>-0.1</p></td>',
        '<td class="text-right"><p>\N{MINUS SIGN}0.1</p></td>',
    ),
    "a comment of two lines": (
        CODE.format(
            "",
            f'<span class="c1"># {"a word " * 8}and</span>\n<span class="c1"># its end</span>\n',
        ),
        CODE.format(
            "",
            f'<span class="code-line"><span class="c1"># {"a word " * 8}and its end</span>\n'
            "</span>",
        ),
    ),
    "columns of words": (
        TABLE,
        TABLE.replace("text-right", "text-left").replace(
            '"head"><p>Here', '"litlearn-words head"><p>Here'
        ),
    ),
}


ROWS = '<tbody><tr class="row-even"><td class="text-right">1</td></tr></tbody></table>'
PIECES["a heading of several words"] = tuple(
    f'<table class="table"><thead><tr class="row-odd"><th class="{names} text-right">'
    f"memory score in a year</th></tr></thead>{ROWS}"
    for names in ("head", "litlearn-words head")
)
PIECES["a value at the start of a string"] = (
    CODE.format(
        "",
        '<span class="sa">f</span><span class="s2">"</span><span class="si">{</span>'
        'average_of_all_thirty_clinics<span class="si">}</span>\n',
    ),
    CODE.format(
        "",
        '<span class="code-line"><span class="one-line"><span class="sa">f</span>'
        '<span class="s2">"</span><span class="si">{</span></span>'
        'average_of_all_thirty_clinics<span class="si">}</span>\n</span>',
    ),
)


def test_index_of_names_breaks_between_parts():
    entry = '<a href="#litlearn.svm.SVC.fit">(litlearn.svm.LinearSVC method)</a>'
    once = repaired(entry, "genindex.html")
    assert once == plain(
        '<a href="#litlearn.svm.SVC.fit">(litlearn.<wbr>svm.<wbr>Linear<wbr>SVC method)</a>'
    )
    assert repaired(once, "genindex.html") == once


@pytest.mark.parametrize("name", PIECES)
def test_piece_is_repaired_once(name):
    before, after = PIECES[name]
    assert repaired(before) == plain(after)
    assert repaired(after) == plain(after)


def test_prompts_and_outputs_stay_marked():
    """What is not copied with an example is known by its mark, whatever its colour."""
    styles = "".join(
        f'html[data-theme="{scheme}"] .highlight{name} {{color: black}}'
        for scheme in ("light", "dark")
        for name in ("", " .gp", " .go", " .n")
    )
    assert page_styles.plain_tokens(styles) == {"n", "o"}
