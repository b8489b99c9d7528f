"""Turn the notebooks of the book into notebooks for reading and running outside of the book.

    python .ci/reading.py FOLDER [--pages] [--plain | --students]

The pages of the book resolve references between chapters, cite by author and year, number their
figures and fold solutions. JupyterLab, with its extension for MyST, does not. So here references to
other notebooks become links, keys of the bibliography become authors and years, figures get their
numbers and captions, and solutions are folded. A figure to play with becomes its still picture with
a link to the page where it moves, and a question to be answered first becomes a list above a folded
answer. With ``--pages`` a link to another notebook leads to its page. Before address.toml says that
the book is published, links to pages are their words alone.

With ``--plain`` they need no extension at all: boxes become quotations, folded parts ``<details>``,
and equations get numbers; a first cell installs litlearn where it is missing. Colab opens these,
from the branch ``colab`` (``.ci/publish_notebooks``).

With ``--students`` the plain notebooks have no solutions. Behind each exercise stands a cell
``answer = ...`` to be filled in, and where the answer is a number or a few
(``book/answers.toml``), a cell that checks it. That cell holds digests of the rounded numbers,
salted with the name of the exercise and the place in the answer, so that nobody reads the answer
by accident. It hides nothing from somebody who tries, since a rounded number is soon guessed, and
the solutions are in the book anyhow. In return, students can check their answers anywhere, without
installing anything besides the module. The hidden tests of nbgrader would hide more, but they run
on the teacher's machine only. The cells have nbgrader's metadata all the same, with as many points
as the exercise has stars, so that a teacher who uses it can hand the notebooks out, collect and
grade them as they are.

`make lab` writes them into ``reading``, `make students` into ``students``, Binder into ``book``
(``postBuild``), and the download button of a page gives the one of that page
(``book/_ext/finish_pages.py``). What is committed, and
edited, stays as it is.
"""

import argparse
import hashlib
import json
import re
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BOOK = ROOT / "book"
sys.path += [str(BOOK / "_ext"), str(ROOT / ".ci")]

import address  # noqa: E402
import exercises  # noqa: E402
from book_predictions import LETTERS, parsed  # noqa: E402

VERSION = re.search(
    r'^__version__ = "(.*)"', (ROOT / "src" / "litlearn" / "__init__.py").read_text("utf-8"), re.M
)[1]
# What the notebooks belong to: main, or the tag of a release, whose pages have their own folder.
BRANCH = "main" if ".dev" in VERSION else f"v{VERSION}"
AT = address.read()
# The pages and the repository, or "" where none is to be named (address.toml).
SITE = AT.readable and f"{AT.readable}/{'latest' if BRANCH == 'main' else BRANCH}"
REPOSITORY = AT.home

# A label, at a heading, in an option, after an equation, or of a figure of a cell.
HEADING = re.compile(r"^\(([\w-]+)\)=\s*\n+(?:#+ (.*)|)", re.M)
OPTION = re.compile(r"^:(?:label|name): *([\w-]+)", re.M)
EQUATION = re.compile(r"\$\$[ \t]*\(([\w-]+)\)")
DISPLAYED = re.compile(r"\$\$.*?\$\$(?:[ \t]*\(([\w-]+)\))?", re.S)
BOX = re.compile(r"^[`:]{3,}\{(?:prf:)?([\w-]+)\} *(.*)\n:label: *([\w-]+)", re.M)
ROLES = "cite:[pt]|numref|prf:ref|eq|ref|doc|term"
ROLE = re.compile(rf"\{{({ROLES})\}}`([^`]*)`")
LINK = re.compile(r"\[([^\]]*)\]\((#[\w-]+|[\w./-]+\.(?:ipynb|md)(?:#[\w-]+)?)\)")
LOCAL = re.compile(r"\[([^\]]*)\]\(#[\w-]+\)")
NAMED = re.compile(r"(.*?)\s*<([^>]+)>", re.S)
# In a string of code. Formatted strings double its braces, and marks could end the string.
QUOTED = re.compile(rf"\{{+(?:{ROLES})\}}+`[^`\n]*`|{LINK.pattern}")
MARKS = str.maketrans({"'": "’", '"': "”"})
CLAIM = re.compile(r"\{claim\}`[^`]*`")
BLOCK = re.compile(r"^([`:]{3,})\{(figure|play|predict)\} *(.*)\n((?:.*\n)*?)\1[ \t]*$", re.M)
GATE = re.compile(r"^([`:]{3,})\{solution-(start|end)\}.*?\n(?:.*\n)*?\1[ \t]*(?:\n|\Z)", re.M)


def text_of(cell):
    return "".join(cell["source"])


def figure_of(cell):
    """Return the name and the caption of the figure that a cell draws, or None."""
    figure = cell["metadata"].get("mystnb", {}).get("figure")
    return figure and (figure.get("name"), figure.get("caption", ""))


def authors(bibliography):
    """Return key -> (names, year), as the pages cite them."""
    out = {}
    for key, entry in re.findall(r"^@\w+\{([^,]+),(.*?)^\}", bibliography, re.M | re.S):
        names = re.search(r"(?:author|editor)\s*=\s*\{((?:[^{}]|\{[^{}]*\})*)\}", entry)
        year = re.search(r"year\s*=\s*\{([^}]*)\}", entry)
        people = names[1].split(" and ") if names else [key]
        last = [re.sub(r"[{}]", "", person).split(",")[0].strip() for person in people]
        several = f"{last[0]} et al." if len(last) > 2 else " and ".join(last)
        out[key] = several, year[1] if year else ""
    return out


class Labels:
    """Where every label of the book is, and what to call it."""

    def __init__(self, book):
        self.cited = authors((book / "references.bib").read_text(encoding="utf-8"))
        self.place, self.name, self.title = {}, {}, {}
        for path in sorted([*book.glob("*.ipynb"), *book.glob("*.md"), *book.glob("api/*.md")]):
            self.add(path, path.relative_to(book).with_suffix("").as_posix())

    def add(self, path, stem):
        text = path.read_text(encoding="utf-8")
        cells = json.loads(text)["cells"] if path.suffix == ".ipynb" else [{"source": text}]
        prose = [text_of(c) for c in cells if c.get("cell_type", "markdown") == "markdown"]
        self.title[stem] = re.search(r"^# (.*)$", "\n".join(prose), re.M)[1]
        for one in prose:
            for label, heading in HEADING.findall(one):
                self.place[label], self.name[label] = stem, heading
            for label in [*OPTION.findall(one), *EQUATION.findall(one)]:
                self.place[label] = stem
            for kind, title, label in BOX.findall(one):
                self.name[label] = kind if not title else f"{kind} “{title}”"
        numbers = 0
        for cell in cells:
            if cell.get("cell_type") == "markdown":
                found = re.findall(r"^[`:]{3,}\{(?:figure|play)\}.*\n(?::.*\n)*?:name: *([\w-]+)",
                                   text_of(cell), re.M)  # fmt: skip
            else:
                found = [figure_of(cell)[0]] if cell.get("metadata") and figure_of(cell) else []
            for label in found:
                numbers += 1
                self.place[label], self.name[label] = stem, f"Fig. {numbers}"


def options_of(body):
    """Return the options of a directive, and what follows them."""
    lines, options = body.splitlines(), {}
    while lines and (option := re.match(r"\s*:([\w-]+): *(.*)$", lines[0])):
        options[option[1]] = option[2]
        lines.pop(0)
    return options, "\n".join(lines).strip("\n")


DIRECTIVE = re.compile(r"^\s*([`:]{3,})\{([\w:-]+)\} *(.*)$")
INSTALL = """\
# Colab has no litlearn yet. Elsewhere this cell does nothing.
import sys

if "google.colab" in sys.modules:
    %pip install -q "litlearn[plot] @ git+{REPOSITORY}@{BRANCH}"
"""


def without_directives(text):
    """Return a text in plain Markdown."""
    lines, out = text.splitlines(), []
    while lines:
        line = lines.pop(0)
        opened = DIRECTIVE.match(line)
        if not opened:
            if not re.fullmatch(r"\([\w-]+\)=\s*", line):
                out.append(line)
            continue
        fence, kind, title = opened.groups()
        body = []
        while lines and lines[0].strip() != fence:
            body.append(lines.pop(0))
        del lines[:1]
        out += plain_box(kind, title, *options_of("\n".join(body)))
    return "\n".join(out)


def plain_box(kind, title, options, body):
    """Return the lines of one directive in plain Markdown."""
    body = without_directives(body)
    if kind == "dropdown" or options.get("class") == "dropdown":
        return [
            f"<details><summary>{title or 'Solution'}</summary>",
            "",
            body,
            "",
            "</details>",
            "",
        ]
    kind = kind.removeprefix("prf:")
    if kind in ("admonition", "note", "tip", "warning", "important"):
        heading = title or kind.capitalize()
    else:
        heading = f"{kind.capitalize()} ({title})" if title else kind.capitalize()
    return [
        "\n".join(f"> {one}".rstrip() for one in [f"**{heading}**", "", *body.splitlines()]),
        "",
    ]


class Reader:
    """Turns one notebook."""

    def __init__(self, labels, stem, pages, plain=False):
        self.labels, self.stem, self.pages, self.is_plain = labels, stem, pages, plain
        self.solving = False

    def target(self, stem, label=""):
        if (BOOK / f"{stem}.ipynb").is_file() and not self.pages:
            return f"{stem}.ipynb"
        return SITE and f"{SITE}/book/{stem}.html" + (f"#{label}" if label else "")

    def linked(self, words, stem, label=""):
        """Return a link, or its words alone where the pages have no address."""
        target = self.target(stem, label)
        return f"[{words}]({target})" if target else words

    def role(self, match):
        kind, content = match.groups()
        if kind.startswith("cite"):
            cited = [self.labels.cited[key.strip()] for key in content.split(",")]
            if kind == "cite:t":
                return ", ".join(f"{names} ({year})" for names, year in cited)
            return "(" + "; ".join(f"{names}, {year}" for names, year in cited) + ")"
        named = NAMED.fullmatch(content)
        words, label = named.groups() if named else ("", content)
        if kind == "term":
            anchor = re.sub(r"[^a-zA-Z0-9]+", "-", f"term-{label}").strip("-")
            return self.linked(words or content, "glossary", anchor)
        if kind == "doc":
            stem = Path(label).name
            return self.linked(words or self.labels.title[stem], stem)
        stem, name = self.labels.place.get(label), self.labels.name.get(label, "")
        if stem is None:
            return words or label
        if stem == self.stem:
            if kind in ("eq", "prf:ref"):
                return match[0]  # the extension of JupyterLab finds these
            return f"[{words or name}](#{label})" if kind == "ref" else words or name
        if kind == "eq":
            return f"({self.linked(f'*{self.labels.title[stem]}*', stem, label)})"
        if kind in ("prf:ref", "numref"):
            words = words or f"{name} in *{self.labels.title[stem]}*"
        return self.linked(words or name, stem, label)

    def link(self, match):
        words, address = match.groups()
        if address.startswith("#"):
            stem, label = self.labels.place[address[1:]], address[1:]
            return match[0] if stem == self.stem else self.linked(words, stem, label)
        path, _, label = address.partition("#")
        name = Path(path).with_suffix("").as_posix()
        if name.startswith("..") or (not self.pages and path.endswith(".ipynb")):
            return match[0]
        return self.linked(words, name, label)

    def block(self, match):
        """A picture with its number and caption, or a question to be answered before reading on."""
        _, kind, argument, body = match.groups()
        if kind == "predict":
            asked = parsed(body)
            answers = zip(LETTERS, asked.answers, strict=False)
            return "\n".join([
                f"**Your prediction.** {asked.question}\n",
                *(f"- {letter}. {answer}" for letter, answer in answers),
                "\n`````{dropdown} Which answer holds?",
                f"**{asked.letter}.** {asked.explanation}\n`````",
            ])  # fmt: skip
        options, caption = options_of(body)
        name = options.get("name", "")
        file = Path(argument).name
        if kind == "play":
            state = options.get("state", "")
            file = f"{argument}-{state}.svg" if state else f"{argument}.svg"
        moves = kind == "play" or (BOOK / "figures" / f"{Path(file).stem}.js").is_file()
        if moves and SITE:
            caption += f" [Play with it on the page.]({SITE}/book/{self.stem}.html#{name})"
        folder = f"{SITE}/_images" if self.pages else "figures"
        number = self.labels.name.get(name, "Figure")
        # Without an address a page cannot be asked for its picture: the words stand for it.
        alone = self.pages and not SITE
        alt = options.get("alt", "")
        picture = f"*{alt}*" if alone else f"![{alt}]({folder}/{file})"
        return f"{picture}\n\n**{number}.** {caption}"

    def prose(self, text):
        text = BLOCK.sub(self.block, CLAIM.sub("", text))
        return LINK.sub(self.link, ROLE.sub(self.role, text))

    def alone(self, text):
        """Return the text that a cell prints; other cells have words there instead of links."""

        def role(match):
            words, label = (
                named.groups() if (named := NAMED.fullmatch(match[2])) else ("", match[2])
            )
            if (out := self.role(match)) != match[0]:
                return out
            return words or self.number.get(label) or self.labels.name[label]

        return LOCAL.sub(r"\1", LINK.sub(self.link, ROLE.sub(role, text)))

    def code(self, source):
        """Return the source of a cell that prints the same text when it is run."""

        def reference(match):
            if match[0].startswith("["):  # its words may go on in the next string
                return self.alone(match[0])
            once = match[0].replace("{{", "{").replace("}}", "}")
            return self.alone(once).translate(MARKS)

        return QUOTED.sub(reference, source)

    def folded(self, text):
        """Return the parts of a text, those of a solution behind a word that opens them."""
        out, start = [], 0
        for gate in [*GATE.finditer(text), None]:
            part = text[start : gate.start() if gate else len(text)].strip("\n")
            if part.strip():
                fence = "`" * (2 + max([3, *map(len, re.findall(r"^[`:]{3,}", part, re.M))]))
                out.append(
                    f"{fence}{{dropdown}} Solution\n{part}\n{fence}" if self.solving else part
                )
            if gate:
                self.solving, start = gate[2] == "start", gate.end()
        return "\n\n".join(out)

    def notebook(self, notebook):
        cells = []
        prose = [text_of(one) for one in notebook["cells"] if one["cell_type"] == "markdown"]
        # The extension of JupyterLab numbers every displayed equation, we only those with a label.
        labels = DISPLAYED.findall("\n".join(prose))
        labels = [one for one in labels if one] if self.is_plain else labels
        self.number = {label: f"({i})" for i, label in enumerate(labels, 1) if label}
        for cell in notebook["cells"]:
            if cell["cell_type"] == "markdown":
                source = self.folded(self.prose(text_of(cell)))
                if source:
                    cells.append(dict(cell, source=source))
                continue
            cell = dict(cell, source=self.code(text_of(cell)))
            if self.solving:
                hidden = {"source_hidden": True, "outputs_hidden": True}
                cell = dict(cell, metadata={**cell["metadata"], "jupyter": hidden})
            for output in cell["outputs"]:  # phones read the pages
                for layout in ("narrow", "stacked"):
                    output.get("metadata", {}).get("image/png", {}).pop(layout, None)
                if printed := output.get("data", {}).get("text/markdown"):
                    output["data"]["text/markdown"] = self.alone("".join(printed))
            cells.append(cell)
            figure = figure_of(cell)
            if figure:
                name = self.labels.name.get(figure[0], "Figure")
                caption = self.prose(f"**{name}.** {figure[1]}")
                digest = hashlib.sha256(caption.encode()).hexdigest()[:8]
                cells.append({"cell_type": "markdown", "id": digest, "metadata": {},
                              "source": caption})  # fmt: skip
        return dict(notebook, cells=cells)

    def plain(self, notebook):
        """Return a turned notebook without anything that an extension would have to resolve."""
        prose = [cell for cell in notebook["cells"] if cell["cell_type"] == "markdown"]

        def role(match):
            words, label = match.groups()
            return self.number.get(label) or words or self.labels.name[label]

        def tag(match):
            return f"\\tag{{{self.number[match[1]][1:-1]}}}"

        for cell in prose:
            text = re.sub(r"\$\$[ \t]*\(([\w-]+)\)", r"\\tag{\1}\n$$", text_of(cell))
            text = re.sub(r"\\tag\{(eq-[\w-]+)\}", tag, text)
            text = re.sub(r"\{(?:eq|prf:ref)\}`(?:([^`<]*?)\s*<)?([\w-]+)>?`", role, text)
            text = LOCAL.sub(r"\1", text)
            cell["source"] = without_directives(text)
        if not REPOSITORY:
            return notebook
        source = INSTALL.format(REPOSITORY=REPOSITORY, BRANCH=BRANCH)
        install = {"cell_type": "code", "id": "install", "metadata": {}, "outputs": [],
                   "execution_count": None, "source": source}  # fmt: skip
        return dict(notebook, cells=[install, *notebook["cells"]])


# -- for students ---------------------------------------------------------------------------------

# What is said of solutions that are no longer there, as a sentence or the end of one.
SAID = r"(?:the |every )?solutions? (?:is|are) folded[^.\n]*"
GONE = re.compile(rf"(?i)(?:,? and {SAID}|(?<=\.) {SAID}\.)")
# Runs in a notebook of a student, so that it names nothing there but itself.
CHECK = """\
# Compares the answer with digests of the right numbers, each rounded to the decimals that count.
def check_answer(answer, exercise, right, decimals):
    import hashlib

    import numpy as np

    assert answer is not ..., "There is no answer yet."
    numbers = np.ravel(np.asarray(answer, dtype=float))
    assert len(numbers) == len(right), f"{len(right)} numbers are expected, not {len(numbers)}."
    for i, (number, places) in enumerate(zip(numbers, decimals)):
        both = {round(number * 10**places + tie) for tie in (-1e-6, 1e-6)}  # 0.125 is 0.12 or 0.13
        digests = [hashlib.sha256(f"{exercise} {i} {one}".encode()).hexdigest() for one in both]
        assert right[i] in [one[:12] for one in digests], f"Number {i + 1} is not right."
    print("Right.")
"""


def digests(label, answer):
    """Return what CHECK compares an answer with."""
    units = [round(float(n) * 10**d) for n, d in zip(answer.numbers, answer.decimals, strict=True)]
    told = (f"{label} {i} {unit}" for i, unit in enumerate(units))
    return [hashlib.sha256(one.encode()).hexdigest()[:12] for one in told]


def form(answer):
    """Say how many numbers are expected, and how many decimals count."""
    many, places = len(answer.numbers), answer.decimals
    if not any(places):
        return "a whole number" if many == 1 else f"{many} whole numbers"
    # As many as repeat: 2, 1, 2, 1 is "2, 1".
    turn = next(k for k in range(1, many + 1) if places == (places[:k] * many)[:many])
    told = ", ".join(str(d) for d in places[:turn])
    count = "a number" if many == 1 else f"{many} numbers"
    return f"{count} with {told} decimal{'s' * (told != '1')}" + " in turn" * (turn > 1)


class Student(Reader):
    """Turns one notebook, and leaves the solutions out."""

    def __init__(self, labels, stem):
        super().__init__(labels, stem, pages=False, plain=True)
        page = f"book/{stem}"
        self.exercises = {one.label: one for one in exercises.of_page(BOOK / f"{stem}.ipynb", page)}
        self.known = exercises.known(ROOT)

    def prose(self, text):
        return super().prose(GONE.sub("", text))

    def notebook(self, notebook):
        cells, asked, number = [], None, 0
        for solves, piece, name in exercises.pieces(notebook["cells"]):
            if solves:
                if solves != asked:
                    cells += self.to_answer(self.exercises[solves])
                asked = solves
            elif not isinstance(piece, str):
                cells.append(piece)
            elif piece.strip():
                number += 1
                cells.append(markdown(piece.strip("\n"), f"{name[:50]}-{number}"))
        return super().notebook(dict(notebook, cells=cells))

    def to_answer(self, exercise):
        """Return the cells in which an exercise is answered, and checked if it can be."""
        label, entry = exercise.label, self.known.get(exercise.label, {})
        checked = "answer" in entry
        words = markdown("*Your answer in words and formulas.*", f"words-{label}")
        grade(words, label, "words", exercise.stars - checked, solution=True)
        empty = code("answer = ...", f"answer-{label}")
        grade(empty, label, "answer", solution=True)
        if not checked:
            return [words, empty]
        answer = exercises.answer(exercise, entry)
        cells = [markdown(f"**Answer**: {answer.is_} ({form(answer)}).", f"asked-{label}")]
        if answer.given:
            cells.append(code(answer.given, f"given-{label}"))
        arguments = json.dumps(label), json.dumps(digests(label, answer)), str(answer.decimals)
        call = "".join(f"    {one},\n" for one in ("answer", *arguments))
        check = code(f"{CHECK}\n\ncheck_answer(\n{call})", f"check-{label}")
        check["metadata"]["tags"] = ["raises-exception"]  # "Run all" goes on behind it
        check["metadata"]["jupyter"] = {"source_hidden": True}
        derives = exercises.DERIVE.search(exercise.text)
        points = 1 if derives else exercise.stars
        return [*([words] if derives else []), *cells, empty,
                grade(check, label, "check", points, locked=True)]  # fmt: skip


def markdown(text, name):
    return {"cell_type": "markdown", "id": name[:64], "metadata": {}, "source": text}


def code(text, name):
    return {"cell_type": "code", "id": name[:64], "metadata": {}, "source": text,
            "outputs": [], "execution_count": None}  # fmt: skip


def grade(cell, label, part, points=None, solution=False, locked=False):
    """Give a cell the metadata of nbgrader, by version 3 of its schema."""
    told = {"schema_version": 3, "grade_id": f"{part}-{label}", "grade": points is not None,
            "solution": solution, "locked": locked, "task": False}  # fmt: skip
    cell["metadata"]["nbgrader"] = told | ({} if points is None else {"points": points})
    return cell


# -- all notebooks --------------------------------------------------------------------------------


def reading(path, labels, pages=False, plain=False, students=False):
    """Return the text of a notebook for reading."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    kind = (labels, path.stem, pages or plain, plain)
    reader = Student(labels, path.stem) if students else Reader(*kind)
    made = reader.notebook(notebook)
    if plain or students:
        made = reader.plain(made)
    return json.dumps(made, ensure_ascii=False, indent=1) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pages", action="store_true", help="links lead to the published pages")
    parser.add_argument("--plain", action="store_true", help="plain Markdown, as for Colab")
    parser.add_argument("--students", action="store_true", help="plain, and without solutions")
    options = parser.parse_args()
    labels, how = Labels(BOOK), (options.pages, options.plain, options.students)
    made = {p.name: reading(p, labels, *how) for p in sorted(BOOK.glob("*.ipynb"))}
    options.folder.mkdir(parents=True, exist_ok=True)
    for name, text in made.items():
        (options.folder / name).write_text(text, encoding="utf-8")
    if options.folder.resolve() != BOOK:
        shutil.copytree(BOOK / "figures", options.folder / "figures", dirs_exist_ok=True)
    whom = "students" if options.students else "reading"
    print(f"{len(made)} notebooks for {whom} are in {options.folder}")


if __name__ == "__main__":
    main()
