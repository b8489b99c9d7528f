"""What the theme writes, made light, legible to machines, and accessible, after the pages are set.

- Styles: each page carries the rules that it can use, instead of asking for twelve files. So the
  first thing is painted when the first part of the page has come.
- Scripts: none holds up the first paint. Font Awesome's (1.5 MB) is replaced by ``icons.css``, and
  the index of the search is loaded by the page that searches.
- Heads: a title, a description, and what a link to the page shows elsewhere (Open Graph).
- Names for what a screen reader meets without one.
- Downloads: the notebook for reading (``.ci/reading.py``).
"""

from __future__ import annotations

import html
import os
import re
import shutil
import sys
from functools import partial
from pathlib import Path
from typing import NamedTuple

import tinycss2
from docutils import nodes
from PIL import Image
from sphinx.application import Sphinx

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / ".ci"))

import reading

FRONT_TITLE = "litlearn: classic machine learning, derived, computed and tested"

# -- styles -------------------------------------------------------------------------------------

_LINKED = re.compile(r'[ \t]*<link\b[^>]*\brel="stylesheet"[^>]*>\n?')
_NAMED = re.compile(r"[.#](-?[_a-zA-Z][\w-]*)")


class Rule(NamedTuple):
    """One rule of a style sheet, or a group of rules that hold under a condition."""

    text: str  # the rule, or the condition
    needs: list[frozenset[str]] | None  # names that each selector asks for; None: always kept
    rules: list  # of a group


def names_in(text):
    """Return the names of classes and elements that a page has."""
    return {n for v in re.findall(r'\b(?:class|id)="([^"]*)"', text) for n in v.split()}


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


# -- heads --------------------------------------------------------------------------------------


def description(doctree, least=60, most=200):
    """Return the first sentences of a page that need no formula."""
    out = ""
    for paragraph in doctree.findall(nodes.paragraph) if doctree is not None else ():
        if isinstance(paragraph.parent, nodes.section) and not any(paragraph.findall(nodes.math)):
            text = " ".join(paragraph.astext().split())
            for sentence in re.split(r"(?<=[.?!])\s+", text):
                if len(out) + len(sentence) > most:
                    return out or f"{sentence[:most].rsplit(' ', 1)[0]} …"
                out = f"{out} {sentence}".strip()
            if len(out) >= least:
                break
    return out


def describe(app: Sphinx, pagename, templatename, context, doctree):
    """Say in the head of a page what it is about, to search engines and to who is sent its link."""
    title = re.sub(r"<[^>]*>", "", context.get("title") or "") or "litlearn"
    title = FRONT_TITLE if pagename == app.config.root_doc else f"{html.unescape(title)} — litlearn"
    about = description(doctree) or "Classic machine learning, derived, computed and tested."
    base = app.config.html_baseurl.rstrip("/")
    tags = [
        ("name", "description", about),
        ("property", "og:title", title),
        ("property", "og:description", about),
        ("property", "og:type", "website" if pagename == app.config.root_doc else "article"),
        ("property", "og:site_name", "litlearn"),
        ("property", "og:url", f"{base}/{pagename}.html"),
        ("property", "og:image", f"{base}/_static/front.png"),
    ]
    context["metatags"] = context.get("metatags", "") + "".join(
        f'\n<meta {kind}="{name}" content="{html.escape(content)}" />'
        for kind, name, content in tags
    )


# -- pages --------------------------------------------------------------------------------------

_BRANCH = re.compile(
    r'(<a class="[^"]*reference internal[^"]*" href="[^"]*">\s*([^<]*?)\s*</a>'
    r"<details[^>]*>)<summary>"
)
_CODE = re.compile(
    r'(<div class="(?:doctest )?highlight-(?!none|text|myst-ansi|ansi)[^"]*">'
    r'<div class="highlight"><pre[^>]*>)'
    r"(.*?)(</pre>)",
    re.DOTALL,
)
_SEARCHING = re.compile(
    r'\s*<script[^>]*/?(?:searchtools|language_data|searchindex)\.js"></script>'
)

# Colab opens plain notebooks (.ci/publish_notebooks).
_COLAB = re.compile(
    rf"(colab\.research\.google\.com/github/litlearn/litlearn)/blob/{reading.BRANCH}/book/"
)

_TABS = re.compile(r'\s*<script[^>]*/?design-tabs\.js[^"]*"></script>')

# (pattern, replacement) of what is wrong on every page.
_REPAIRS = [
    # Font Awesome's script: icons.css stands for it.
    (r"\s*<!-- So that users[^>]*-->\s*<script[^>]*fontawesome[^>]*></script>", ""),
    # A script that is loaded early holds up the styles; one without "defer" the page.
    (r'\s*<!-- Pre-loaded scripts[^>]*-->|\s*<link rel="preload" as="script"[^>]*>', ""),
    (r"<script (?![^>]*\bdefer\b)(?=[^>]*\bsrc=)", "<script defer "),
    # The name of a control is what it shows, without the keys that call it.
    (r'(<button class="btn search-button-field[^>]*?) aria-label="Search"', r"\1"),
    (r'(<span class="search-button__kbd-shortcut")>', r'\1 aria-hidden="true">'),
    (r'(<summary) aria-label="Toggle hidden content"', r"\1"),
    (r'(<i class="theme-switch [^>]*?)\s+title="[^"]*"', r"\1"),
    ("Color mode", "Colour scheme"),
    # The side bar is a part of the page, and not outside of everything.
    (r'(<div id="pst-primary-sidebar") (?!role)', r'\1 role="complementary" aria-label="Book" '),
    # A comma, a bracket, or the rest of the word, stays with its formula.
    (
        r'(?<!keep">)(?<!keep">[(“])([(“]?<span class="math[^>]*>[^<]*</span>)'
        r"((?:-[a-z]+|[.,;:?!)’”])+)|"
        r'(?<!keep">)([(“]<span class="math[^>]*>[^<]*</span>)',
        r'<span class="litlearn-keep">\1\2\3</span>',
    ),
    # What the formatter and the linter are told is nothing to read.
    (r' *<span class="c1"># (?:fmt: skip|noqa: \w+)</span>', ""),
    # A number stays with its spread.
    (r"(?<=\d) (?=±)|(?<=±) (?=\d)", "\N{NO-BREAK SPACE}"),
    # A number below zero has a minus sign and no hyphen.
    (r'(?<=<td class="text-right"><p>)-(?=[\d.])', "\N{MINUS SIGN}"),
    # Where a title breaks, and where it does not.
    (
        r'(<h1>(?:<span class="section-number">[^<]*</span>)?[^<]*)\bk-means',
        r'\1<span class="litlearn-keep">k-means</span>',
    ),
    (r"(?<=<h1>litlearn\.)(?=\w)", "<wbr>"),
    (r"(<h1>litlearn\.<wbr>[a-z]+_)(?=[a-z])", r"\1<wbr>"),
    (r'(?<=<span class="doc">litlearn\.)(?=[a-z])', "<wbr>"),
    (r'(<span class="doc">litlearn\.<wbr>[a-z]+_)(?=[a-z])', r"\1<wbr>"),
    # A picture is fetched when the reader comes near it.
    (r"<img (?![^>]*\bloading=)(?![^>]*\bsrc=\"data:)", '<img loading="lazy" '),
    # Roles that the elements of a bibliography, and links, may not have.
    (r'\s+role="(?:doc-biblioentry|doc-biblioref)"', ""),
    (r'<div role="list" class="citation-list">', '<div class="citation-list">'),
    # The number of an equation has brackets of its own.
    (r'\((<a class="reference internal" href="[^"]*">)\((\d+\.\d+)\)</a>\)', r"\1(\2)</a>"),
    # What Python says of a field of a named tuple tells a reader nothing.
    (r"<p>Alias for field number \d+</p>", ""),
    # In the lists, a box on a page without a number has none either.
    (r'(?<=">)(Algorithm|Theorem|Proposition|Lemma|Definition) </a> (?=[A-Z])', r"\1</a>: "),
    # A table's empty corner is no heading.
    (r"<th\b([^>]*)>\s*(?:<p>\s*</p>)?\s*</th>", r"<td\1></td>"),
]
_REPAIRS = [(re.compile(pattern), replacement) for pattern, replacement in _REPAIRS]


_NAME = re.compile(r'(?<=<span class="pre">)[^<]{9,}(?=</span>)')


def breakable(match):
    """Return a name that may break after a low line, a dot, a slash, a bracket or a sign."""
    name = re.sub(r"(?<=\w)([_./(])(?=\w)", r"\1<wbr>", match[0])
    return re.sub(r"(?<=\w)=(?=&quot;)", "=<wbr>", name)


# A comment that goes on in the next line.
_CONTINUED = re.compile(
    r'^((?:<span></span>)?( *)<span class="c1"># [^\n<]{45,}[^.:?!\n<])</span>\n'
    r'\2<span class="c1"># (?=[^\n<]*</span>$)',
    re.M,
)


# A comment behind code, which goes to the next line as a whole.
_ASIDE = re.compile(r'(?<=\S  )<span class="c1">(?=#[^<]*</span>\n?$)')

# Where a string begins with the bracket of a value; there is no break between the two.
_VALUE = re.compile(
    r'(?<!keep">)(<span class="sa">\w</span><span class="s[12]">["\'](?=</span>)</span>'
    r'<span class="si">\{</span>)'
)

# What is too long for one line of a phone, and where it may end: after a bracket, before a method.
_RUN = re.compile(r"\S{20,}")
_END = re.compile(r"(?<=[(\[,/])(?![)\]\s])|(?:(?<=[)\]_])|(?<=\w{5}))(?=\.[^\W\d])")


def with_ends(line, plain):
    """Return a line of code whose long runs without a blank may break between their parts."""
    ends = {
        run.start() + end.start() for run in _RUN.finditer(plain) for end in _END.finditer(run[0])
    }
    if not ends or "<wbr>" in line:
        return line
    out, position = [], 0
    for piece in re.split(r"(<[^>]*>|&#?\w+;)", line):
        if piece.startswith("<"):
            out.append(piece)
            continue
        for sign in [piece] if piece.startswith("&") else piece:
            out.append(f"<wbr>{sign}" if position in ends else sign)
            position += 1
    return "".join(out)


def broken_code(match):
    """Return a box of code whose longer lines are blocks, so that they break with an indent."""
    if "litlearn-line" in match[2]:
        return match[0]
    lines, code = [], match[2]
    while "viewcode" not in code and code != (code := _CONTINUED.sub(r"\1 ", code)):
        pass  # a whole file keeps its lines
    for line in code.splitlines(keepends=True):
        plain = html.unescape(re.sub(r"<[^>]*>", "", line))
        if len(plain) > 30:
            indent = len(plain) - len(plain.lstrip())
            style = f' style="--in:{indent}"' if indent else ""
            line = _VALUE.sub(r'<span class="litlearn-keep">\1</span>', line)
            line = _ASIDE.sub('<span class="c1 litlearn-aside">', with_ends(line, plain))
            # No break between the two, unless the indentation alone fills a phone's line.
            if 0 < indent <= 25 and indent + len(plain.split()[0]) > 30:
                line = re.sub(r"^( +)", r'<span class="litlearn-in">\1</span>', line)
            line = f'<span class="litlearn-line"{style}>{line}</span>'
        lines.append(line)
    return match[1] + "".join(lines) + match[3]


_COLOR = re.compile(r'html\[data-theme="(\w+)"\] \.highlight(?: \.(\w+))? *\{([^}]*)\}')
_EMPTY = re.compile(r"<span></span>")


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


def without_plain_tokens(text, names):
    """Take off the marks that say nothing: a third of a long page."""
    if not names:
        return text
    mark = re.compile(rf'<span class="(?:{"|".join(sorted(names))})">([^<]*)</span>')
    return _CODE.sub(lambda m: m[1] + mark.sub(r"\1", _EMPTY.sub("", m[2])) + m[3], text)


_TABLE = re.compile(r'<table class="table">.*?</table>', re.DOTALL)
_CELL = re.compile(r'(<t[hd] class="(?:head )?text-)right(">)(.*?)(?=</t[hd]>)', re.DOTALL)


_CLASS = re.compile(r'(?<=<span class="pre">)[A-Za-z]{18,}(?=</span>)')


# The name of an entry.
_ENTRY = re.compile(r'<span class="sig-name descname">.*?</span></span>')


def with_broken_classes(match):
    """Return a piece of a page whose long names of classes may break before a capital letter."""
    broken = partial(re.sub, r"(?<=[a-z])(?=[A-Z])", "<wbr>")
    return _CLASS.sub(lambda name: broken(name[0]), match[0])


def with_word_columns(match):
    """Let columns of words begin at the left, and those of several words keep a width on phones."""
    head, *body = re.split(r"(?=<tr\b)", match[0])[1:]
    rows = [re.findall(r"<t[hd]\b[^>]*>(.*?)</t[hd]>", row, re.DOTALL) for row in body]
    columns = [
        [re.sub(r"<[^>]*>", "", cell).strip() for cell in column]
        for column in zip(*rows, strict=False)
    ]
    words = [
        any(column) and (not re.search(r"\d", " ".join(column)) or max(map(len, column)) > 30)
        for column in columns
    ]
    if len({len(row) for row in rows}) != 1:
        return match[0]

    def aligned(row):
        cells = re.split(r"(?=<t[hd]\b)", row)
        return cells[0] + "".join(
            _CELL.sub(r"\1left\2\3", cell) if word else cell
            for cell, word in zip(cells[1:], words, strict=False)
        )

    cells = re.split(r"(?=<t[hd]\b)", aligned(head))
    for i, column in enumerate(columns[: len(cells) - 1], 1):
        title = re.sub(r"<[^>]*>", "", cells[i]).strip()
        if max(map(len, [title, *column])) > 20:
            cells[i] = cells[i].replace('class="head', 'class="litlearn-words head', 1)
    return match[0][: match[0].index("<tr")] + "".join([*cells, *map(aligned, body)])


_PICTURE = re.compile(r'<img\b[^>]*\bsrc="((?:\.\./)*_images/[^"]+\.png)"[^>]*/?>')


def size(file):
    """Return width and height of a picture on the page: 100 dots per inch are shown one to one."""
    with Image.open(file) as image:
        finer = max(1, round(image.info.get("dpi", (100, 100))[0] / 100))
        return image.width // finer, image.height // finer


def sized(page, match):
    """Give a picture its size, so that nothing moves when it comes, and its phone variant."""
    tag, file = match[0], page.parent / match[1]
    tag = re.sub(r' style="width: \d+px; height: \d+px;?"', "", tag)
    if re.search(r"\b(?:width|style)=", tag) or not file.is_file():
        return tag
    width, height = size(file)
    tag = tag.replace("<img ", f'<img width="{width}" height="{height}" ', 1)
    for phone in (file.with_name(f"{file.stem}-{layout}.png") for layout in ("narrow", "stacked")):
        if phone.is_file():
            width, height = size(phone)
            source = f'<source media="(max-width: 600px)" width="{width}" height="{height}" '
            source += f'srcset="{match[1].replace(file.name, phone.name)}">'
            return f"<picture>{source}{tag}</picture>"
    return f'<div class="litlearn-panels">{tag}</div>' if width > 640 else tag


_STACKED = re.compile(
    r'srcset="[^"]*(?:-stacked\.png|frame-\w+\.(?:webp|png))".*?<figcaption>.*?</figcaption>', re.S
)
_SIDES = re.compile(
    r"\b(?:(?:on|On) the (left|right)|(Left|Right)(?=[:,])|(?<=\()(left|right)(?=\)))"
)
_BENEATH = {"left": "above", "right": "below"}


def turned(match):
    """Let a caption say "above" and "below" where the panels of its figure stand so."""
    picture, caption = match[0].rsplit("<figcaption>", 1)

    def both(side):
        word = _BENEATH[next(filter(None, side.groups())).lower()]
        word = word.capitalize() if side[0][0].isupper() else word
        beside = f'<span class="litlearn-beside">{side[0]}</span>'
        return f'{beside}<span class="litlearn-beneath">{word}</span>'

    return f"{picture}<figcaption>{_SIDES.sub(both, caption)}"


# An entry of the index of names, and where it may break: after a dot, before a capital letter.
_INDEXED = re.compile(r'(?<=">)[^<>]*\([^<>]*(?=</a>)')
_PARTS = re.compile(r"(?<=\w\.)(?=\w)|(?<=[a-z])(?=[A-Z])")


def repair(name, text, options):
    """Return one page with the repairs; a page that has them already stays as it is."""
    for pattern, replacement in _REPAIRS:
        text = pattern.sub(replacement, text)
    text = _BRANCH.sub(r'\1<summary aria-label="Pages beneath \2">', text)
    text = _TABLE.sub(with_broken_classes, _TABLE.sub(with_word_columns, text))
    text = _ENTRY.sub(with_broken_classes, text)
    text = _CODE.sub(broken_code, _NAME.sub(breakable, text))
    if name != "search.html":
        text = _SEARCHING.sub("", text)
    text = _COLAB.sub(rf"\1/blob/colab/{reading.BRANCH}/", text)
    if name.startswith("_modules/"):
        # A file with a public class names all it holds after the package; internals do not.
        module = name.removeprefix("_modules/").removesuffix(".html").replace("/", ".")
        package = re.escape(module.rpartition(".")[0])
        text = re.sub(rf'(internals\.html#){package}\.(\w+)"', rf'\1{module}.\2"', text)
    if "sd-tab" not in text:
        text = _TABS.sub("", text)
    # Small, and needed by the lines that follow it: it comes with the page.
    text = re.sub(
        r'<script defer src="[^"]*documentation_options\.js[^"]*"></script>',
        lambda _: f"<script>{options}</script>",
        text,
    )
    views = re.findall(r'<meta name="viewport"[^>]*>', text)
    for more in views[1:]:
        start = text.rindex(more)
        text = text[:start] + text[start + len(more) :]
    if name == "genindex.html":
        text = _INDEXED.sub(lambda m: re.sub(_PARTS, r"<wbr>", m[0]), text)
    if name == "index.html":
        return re.sub("<title>.*?</title>", f"<title>{FRONT_TITLE}</title>", text, count=1)
    return text


def finish(app: Sphinx, exception):
    """Repair every page of a finished build."""
    out = Path(app.outdir)
    if exception is not None or app.builder.format != "html":
        return
    names = [p for p in sorted(out.rglob("*.html")) if "_static" not in p.relative_to(out).parts]
    options = (out / "_static" / "documentation_options.js").read_text(encoding="utf-8")
    options = " ".join(options.split())
    pages = {
        p: repair(p.relative_to(out).as_posix(), p.read_text(encoding="utf-8"), options)
        for p in names
    }
    static = out / "_static"
    scripts = [p for p in static.rglob("*.js") if p.name != "fontawesome.js"]
    given = given_names(scripts)
    read = {v for p in scripts for v in re.findall(r"--[\w-]+", p.read_text(encoding="utf-8"))}
    sheets: dict[str, list[Rule]] = {}
    for path, text in pages.items():
        links = list(_LINKED.finditer(text))
        if links:  # not a page of an earlier build
            # Pictures first: the styles of a page are those of the names that are on it.
            text = _STACKED.sub(turned, _PICTURE.sub(partial(sized, path), text))
            links, rules = list(_LINKED.finditer(text)), []
            for link in links:
                name = re.search(r'_static/([^"?]+\.css)', link[0])[1]
                if name not in sheets:
                    sheets[name] = read_styles(static / name, static)
                rules += sheets[name]
            styles = write_styles(rules, given | names_in(text))
            styles = used_variables(styles, read | set(re.findall(r"var\((--[\w-]+)", text)))
            root = "../" * (len(path.relative_to(out).parts) - 1)
            styles = styles.replace("STATIC/", f"{root}_static/")
            start = links[0].start()
            text = without_plain_tokens(text, plain_tokens(styles))
            text = text[:start] + f"<style>{styles}</style>\n" + _LINKED.sub("", text[start:])
        path.write_text(text, encoding="utf-8")
    for useless in [
        "scripts/fontawesome.js",
        *(p.relative_to(static) for p in static.rglob("*.map")),
    ]:
        (static / useless).unlink(missing_ok=True)
    shutil.rmtree(static / "vendor" / "fontawesome", ignore_errors=True)
    labels = reading.Labels(reading.BOOK)
    for download in (out / "_sources" / "book").glob("*.ipynb"):
        text = reading.reading(reading.BOOK / download.name, labels, pages=True)
        download.write_text(text, encoding="utf-8")


def setup(app: Sphinx):
    app.connect("html-page-context", describe, priority=900)
    app.connect("build-finished", finish, priority=900)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
