"""Name the misspelled words of what people read: pages, docstrings, comments, README, changes.

    python .ci/spelling.py [--write]

Two programs look at the same text. ``typos`` knows tens of thousands of misspellings, and British
from American forms, but only a third of the slips of a finger. So each word has also to be in the
list of English words of ``pyspellchecker``, in the bibliography, or in ``.ci/words.txt``, the words
that the project uses besides. With ``--write`` that file gains the words that are in none of them,
to be read before they are committed, and loses those that no text has.

Left out are formulas, code, names of Python, and the errata by section, which quote misspellings.
"""

import argparse
import ast
import io
import json
import re
import shutil
import subprocess
import sys
import tempfile
import tokenize
from pathlib import Path

from myst_parser.config.main import MdParserConfig
from myst_parser.mdit_to_docutils.base import DocutilsRenderer
from myst_parser.parsers.mdit import create_md_parser

ROOT = Path(__file__).resolve().parent.parent
WORDS = ROOT / ".ci" / "words.txt"
QUOTING = "errata_by_section.ipynb"
# Arrays are "writeable" in NumPy, and trees "extremely randomized" in the paper that proposed them.
SETTINGS = """
[default]
locale = "en-gb"
[default.extend-words]
randomized = "randomized"
writeable = "writeable"
"""

MARKDOWN = create_md_parser(
    MdParserConfig(enable_extensions={"amsmath", "attrs_block", "attrs_inline", "colon_fence",
                                      "deflist", "dollarmath", "tasklist"}),
    DocutilsRenderer,
)  # fmt: skip
# Directives whose content is not English, and roles whose content is a word of the sentence.
NO_TEXT = re.compile(
    r"\{(?:code.*|math|toctree|tableofcontents|bibliography|eval-rst|auto.*|literalinclude)\}"
)
SPOKEN = ("term", "ref", "doc", "numref", "prf:ref")
WORD = re.compile(r"[^\W\d_](?:[^\W\d_]|['’](?=[^\W\d_]))*[^\W\d_]")
# Names of files and of Python, addresses, products such as X'X, powers and commits.
NAMES = re.compile(
    r"\bhttps?:\S+|[\w-]*\w[./]\w[\w./-]*|\S*_\S*|\"\w+\"|\b\w'\w+(?:'\w+)*\b|[²³₀-₉]"
    r"|\b\w*[a-z]\w*[A-Z]\w*\b|\b[A-Z][A-Z\d]+\w*\b|\b(?=\w*\d)[\da-f]{7,}\b"
)


def inside(tokens):
    """Yield the pieces of text in a paragraph."""
    for one in tokens or ():
        if one.type == "text":
            yield one.content
        elif one.type == "image":
            yield from inside(one.children)
        elif one.type == "myst_role" and one.meta["name"] in SPOKEN:
            words, named, _ = one.content.partition("<")
            if named or one.meta["name"] == "term":
                yield words
        elif one.type in ("softbreak", "hardbreak"):
            yield " "


def english(text):
    """Yield (line, text) of what is English in a text of MyST."""
    for token in MARKDOWN.parse(text):
        line = token.map[0] if token.map else 0
        if token.type == "inline":
            yield line, "".join(inside(token.children))
        elif token.type in ("fence", "colon_fence") and token.info.startswith("{"):
            name, _, title = token.info.partition("}")
            if NO_TEXT.fullmatch(name + "}"):
                continue
            if not re.fullmatch(r"\s*[\w./-]*", title):
                yield from ((line, one) for _, one in english(title))
            options = re.match(r"(?:[ \t]*:[\w-]+:.*\n|\n)*", token.content)[0]
            for said in re.findall(r":(?:alt|caption|title): *(.*)", options):
                yield from ((line, one) for _, one in english(said))
            body = token.content[len(options) :]
            below = line + 1 + options.count("\n")
            yield from ((below + further, one) for further, one in english(body))


def docstrings(source):
    """Yield (line, text) of the docstrings and comments of a file of Python."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(
            node
        ):
            text = ast.get_docstring(node)
            text = re.sub(r"^\s*>>>.*(?:\n.*\S)*", "", text, flags=re.MULTILINE)
            text = re.sub(r"^[\w*, ]+ : .*$|:[\w:]+:(?=`)", "", text, flags=re.MULTILINE)
            text = re.sub(r"^( *)\.\. math::.*\n(?:\1 +.*\n|\s*\n)*", "", text, flags=re.MULTILINE)
            text = re.sub(r"\.\. [\w-]+::.*|\[[A-Z][^\]]*\]_", "", text)
            yield from ((node.body[0].lineno, one) for _, one in english(
                "\n".join(line.strip() for line in text.splitlines())))  # fmt: skip
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT and not re.match(r"# (fmt|noqa)", token.string):
            yield from ((token.start[0], one) for _, one in english(token.string.lstrip("#! ")))


def cells(notebook):
    """Yield (number of the cell, text) of what a notebook says; computed sentences, too."""
    for number, cell in enumerate(notebook["cells"], 1):
        figure = cell["metadata"].get("mystnb", {})
        said = ["".join(cell["source"])] if cell["cell_type"] == "markdown" else []
        said += [figure.get(kind, {}).get(key, "")
                 for kind, key in (("figure", "caption"), ("image", "alt"))]  # fmt: skip
        said += ["".join(one.get("data", {}).get("text/markdown", ""))
                 for one in cell.get("outputs", ())]  # fmt: skip
        yield from ((number, text) for one in said for _, text in english(one))


def texts():
    """Yield (place, text) of everything that is read."""
    for path in sorted([*ROOT.glob("*.md"), *ROOT.glob("book/**/*.md")]):
        if "vendor" not in path.parts:
            for line, text in english(path.read_text(encoding="utf-8")):
                yield f"{path.relative_to(ROOT)}:{line + 1}", text
    for path in sorted(ROOT.glob("book/*.ipynb")):
        if path.name != QUOTING:
            for number, text in cells(json.loads(path.read_text(encoding="utf-8"))):
                yield f"{path.relative_to(ROOT)}, cell {number}", text
    for path in sorted(
        [*ROOT.glob("src/**/*.py"), *ROOT.glob(".ci/*.py"), *ROOT.glob("book/_ext/*.py")]
    ):
        for line, text in docstrings(path.read_text(encoding="utf-8")):
            yield f"{path.relative_to(ROOT)}:{line}", text


def words_of(text):
    return WORD.findall(NAMES.sub(" ", text.replace("’", "'")))


def listed(path=WORDS):
    return path.read_text(encoding="utf-8").split() if path.exists() else []


def bibliography():
    """Return the words of the bibliography: names, and what is in the titles of others."""
    return WORD.findall((ROOT / "book" / "references.bib").read_text(encoding="utf-8"))


def unknown(found):
    """Return word -> places of the words that no list has, given (place, text)."""
    from spellchecker import SpellChecker

    english_words = SpellChecker(language="en", distance=1)
    known = {word.lower() for word in [*listed(), *bibliography()]}
    out = {}
    for place, text in found:
        for word in words_of(text):
            plain = word.lower().removesuffix("'s")
            if plain not in known and not english_words.known([plain]):
                out.setdefault(plain, []).append(place)
    return out


def slips(found):
    """Return (place, word, what it should be) of the misspellings that ``typos`` knows.

    Raises
    ------
    OSError
        If the program is not installed.
    """
    program = shutil.which("typos", path=str(Path(sys.executable).parent)) or shutil.which("typos")
    if program is None:
        raise OSError("typos is not installed")
    lines = [(place, " ".join(NAMES.sub(" ", text).split())) for place, text in found]
    with tempfile.TemporaryDirectory() as folder:
        settings = Path(folder) / "typos.toml"
        settings.write_text(SETTINGS, encoding="utf-8")
        run = subprocess.run(
            [program, "--config", settings, "--format", "json", "-"], text=True, encoding="utf-8",
            input="\n".join(text for _, text in lines), capture_output=True)  # fmt: skip
    if run.stderr:
        raise OSError(run.stderr)
    said = [json.loads(line) for line in run.stdout.splitlines()]
    return [(lines[one["line_num"] - 1][0], one["typo"], one["corrections"])
            for one in said if one["type"] == "typo"]  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="bring the list of words up to date")
    options = parser.parse_args()
    found = list(texts())
    if options.write:
        used = {word.lower() for _, text in found
                for word in words_of(text)}  # fmt: skip
        kept = {word for word in listed() if used & {word, f"{word}'s"}}
        WORDS.write_text("\n".join(sorted({*kept, *unknown(found)})) + "\n", encoding="utf-8")
    wrong = [f"{place}: {word}, for {' or '.join(right)}" for place, word, right in slips(found)]
    wrong += [f"{places[0]}: {word} is in no list" for word, places in unknown(found).items()]
    print("\n".join(wrong) or "Every word is known.")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
