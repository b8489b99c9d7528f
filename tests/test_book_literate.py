"""What the text promises: what it names exists, what it shows ran, figures are described.

Each check is a function that returns a list of problems. It is run on every page, and on a small
broken page, to show that it can fail.
"""

import ast
import json
import re
import sys
from functools import cache
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "book" / "_ext"))

import equation_index  # noqa: E402  (it lives beside the book)

TOC = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
PAGES = equation_index.pages(ROOT)
NOTEBOOKS = [path for path in PAGES if path.suffix == ".ipynb"]


def _name(path):
    return path.relative_to(ROOT).as_posix()


# Forests are made of trees: their pages share the beginning and the inside page of that chapter.
CONTINUED = {
    "book/random_forests": "book/decision_trees",
    "book/extra_trees": "book/decision_trees",
}


def _method_chapters():
    """Return, for each chapter of the part "Methods", its page and the pages beneath it."""
    chapters = {}
    for part in TOC["parts"]:
        if part["caption"] == "Methods":
            for chapter in part["chapters"]:
                files = [chapter["file"], *(s["file"] for s in chapter.get("sections", []))]
                paths = [next(p for p in PAGES if p.with_suffix("") == ROOT / f) for f in files]
                chapters.setdefault(CONTINUED.get(files[0], files[0]), []).extend(paths)
    return chapters


METHODS = _method_chapters()

every_page = pytest.mark.parametrize("path", PAGES, ids=_name)
every_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=_name)
every_method = pytest.mark.parametrize("chapter", METHODS)


def read_notebook(path):
    return json.loads(path.read_text(encoding="utf-8"))


def code_cells(notebook):
    """Return the code cells with a source: (number, source, cell)."""
    return [
        (number, "".join(cell["source"]), cell)
        for number, cell in enumerate(notebook["cells"])
        if cell["cell_type"] == "code" and "".join(cell["source"]).strip()
    ]


def prose(text):
    """Return Markdown without its code: fenced Python, inline code, HTML comments."""
    text = re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)
    text = re.sub(r"^(`{3,}|~{3,})(?!\{)[^\n]*\n.*?^\1\s*$", "", text, flags=re.DOTALL | re.M)
    # A role ({eq}`eq-name`) is no code, but its content is no prose either.
    return re.sub(r"(`+)(?!\{).+?\1", "", text)


# -- the table of contents ------------------------------------------------------------------------


def test_every_page_is_in_the_table_of_contents():
    listed = {_name(path) for path in PAGES}
    written = {
        _name(path)
        for pattern in ("*.md", "*.ipynb")
        for path in (ROOT / "book").rglob(pattern)
        if not {"vendor", "_ext", "_static", ".ipynb_checkpoints"} & set(path.parts)
    }
    assert written - listed == set(), "pages without a place in _toc.yml"
    named = re.findall(r"(?:file|root):\s*(\S+)", (ROOT / "_toc.yml").read_text(encoding="utf-8"))
    assert len(named) == len(PAGES), "_toc.yml names a page that does not exist"


# -- equations ------------------------------------------------------------------------------------


def test_equation_labels_are_unique():
    twice = {k: v for k, v in equation_index.defined(ROOT).items() if len(v) > 1}
    assert twice == {}


def test_equations_named_in_the_source_exist():
    defined = equation_index.defined(ROOT)
    lost = [p for p in equation_index.mentions(ROOT) if p.label not in defined]
    assert [f"{p.path}:{p.line}: {p.label}" for p in lost] == []


def test_equations_named_in_tests_exist():
    defined = equation_index.defined(ROOT)
    lost = [p for p in equation_index.tests(ROOT) if p.label not in defined]
    assert [f"{p.path}:{p.line}: {p.label}" for p in lost] == []


def test_implemented_equations_have_a_function_and_a_test():
    implemented = equation_index.implemented(ROOT)
    defined = equation_index.defined(ROOT)
    functions = equation_index.by_label(equation_index.functions(ROOT))
    tests = equation_index.by_label(equation_index.tests(ROOT))
    problems = [f"{label}: not on {p}" for label, p in implemented.items() if label not in defined]
    problems += [
        f"{label}: no function names it" for label in implemented if label not in functions
    ]
    problems += [f"{label}: no test names it" for label in implemented if label not in tests]
    assert problems == []


def test_equations_that_functions_compute_are_marked_as_implemented():
    implemented = equation_index.implemented(ROOT)
    lost = [p for p in equation_index.functions(ROOT) if p.label not in implemented]
    assert [f"{p.name}: {p.label}" for p in lost] == []


def test_implemented_equations_are_listed_where_they_stand():
    defined = equation_index.defined(ROOT)
    chapters = {}
    for chapter, paths in METHODS.items():
        for path in paths:
            chapters[path.relative_to(ROOT).with_suffix("").as_posix()] = chapter
    problems = []
    for label, page in equation_index.implemented(ROOT).items():
        home = defined.get(label, [None])[0]
        if chapters.get(home, home) != chapters.get(page, page):
            problems.append(f"{label} is listed on {page} and stands on {home}")
    assert problems == []


def test_collecting_sees_labels_roles_and_names(tmp_path):
    """The index is built from what this finds: chapters, docstrings, comments, tests."""
    (tmp_path / "_toc.yml").write_text("root: index\nchapters:\n- file: book/a\n", encoding="utf-8")
    (tmp_path / "index.md").write_text("$$x$$ (eq-front)\n", encoding="utf-8")
    for folder in ("book", "src/pkg", "tests"):
        (tmp_path / folder).mkdir(parents=True)
    cells = [
        {"cell_type": "markdown", "source": ["$$\n", "a = b\n", "$$ (eq-a-b)\n"]},
        {"cell_type": "markdown", "source": ["```{math}\n", ":label: eq-c\n", "c\n", "```"]},
        {"cell_type": "code", "source": ["'$$ (eq-not-text)'"]},
    ]
    notebook = {"cells": cells, "metadata": {"litlearn": {"implemented": ["eq-a-b"]}}}
    (tmp_path / "book" / "a.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    module = 'class C:\n    def f(self):\n        """See :eq:`eq-a-b`."""\n        # eq-c, seq-d\n'
    (tmp_path / "src" / "pkg" / "_m.py").write_text(module, encoding="utf-8")
    checks = "# eq-c\ndef test_f():\n    '''Checks eq-a-b.'''\n"
    (tmp_path / "tests" / "test_m.py").write_text(checks, encoding="utf-8")

    assert equation_index.defined(tmp_path) == {
        "eq-front": ["index"],
        "eq-a-b": ["book/a"],
        "eq-c": ["book/a"],
    }
    assert equation_index.implemented(tmp_path) == {"eq-a-b": "book/a"}
    assert equation_index.functions(tmp_path) == [("eq-a-b", "src/pkg/_m.py", "pkg._m.C.f", 2)]
    assert [p.label for p in equation_index.mentions(tmp_path)] == ["eq-a-b", "eq-c"]
    assert equation_index.tests(tmp_path) == [
        ("eq-c", "tests/test_m.py", "", 1),
        ("eq-a-b", "tests/test_m.py", "test_f", 3),
    ]


def test_public_names():
    names = equation_index.public_names
    package = "litlearn.neighbors"
    classifier = f"{package}.KNeighborsClassifier"
    assert names(f"{package}._classification.KNeighborsClassifier") == [classifier]
    inherited = names(f"{package}._base.KNeighborsMixin.kneighbors")
    assert f"{classifier}.kneighbors" in inherited
    assert f"{package}.RadiusNeighborsClassifier.kneighbors" not in inherited
    assert names(f"{package}._classification.count_votes") == []
    assert names("litlearn.discriminant_analysis.QuadraticDiscriminantAnalysis._fit") == []
    assert names("litlearn.discriminant_analysis.linear_terms") == []
    method = "litlearn.discriminant_analysis.QuadraticDiscriminantAnalysis.predict"
    assert names(method) == [method]
    assert names("litlearn.datasets.make_memory_clinic") == ["litlearn.datasets.make_memory_clinic"]


# -- cells ----------------------------------------------------------------------------------------


def execution_problems(notebook):
    """Every cell ran, in order, without an error and without a word on stderr."""
    problems = []
    cells = code_cells(notebook)
    counts = [cell.get("execution_count") for _, _, cell in cells]
    if counts != list(range(1, len(cells) + 1)):
        problems.append(f"cells were executed as {counts}, not in order from 1")
    for number, _, cell in cells:
        for output in cell["outputs"]:
            if output["output_type"] == "error":
                problems.append(f"cell {number} ended in an error: {output['ename']}")
            if output.get("name") == "stderr":
                problems.append(f"cell {number} wrote to stderr: {''.join(output['text'])[:80]}")
    return problems


def length_problems(notebook, limit=30):
    return [
        f"cell {number} has {len(source.strip().splitlines())} lines, at most {limit} are allowed"
        for number, source, _ in code_cells(notebook)
        if len(source.strip().splitlines()) > limit
    ]


def setting_problems(notebook):
    """Outputs and sources name no folder of the machine that ran them."""
    problems = []
    if notebook["metadata"].get("kernelspec", {}).get("name") != "python3":
        problems.append("the kernel is not python3")
    for number, source, cell in code_cells(notebook):
        texts = [source]
        for output in cell["outputs"]:
            texts += ["".join(output.get("text", ""))]
            texts += ["".join(v) for k, v in output.get("data", {}).items() if k == "text/plain"]
        for text in texts:
            if found := re.search(r"(?<![\w.])/(?:work|home|root|tmp|Users)/\S+", text):
                problems.append(f"cell {number} names the path {found[0]}")
    return problems


@every_notebook
def test_cells_were_executed_in_order(path):
    assert execution_problems(read_notebook(path)) == []


@every_notebook
def test_cells_are_short(path):
    assert length_problems(read_notebook(path)) == []


@every_notebook
def test_cells_do_not_depend_on_a_machine(path):
    assert setting_problems(read_notebook(path)) == []


# -- figures --------------------------------------------------------------------------------------


def figures(notebook):
    """Return the cells that show a picture: (number, cell, has a picture, HTML of its outputs)."""
    found = []
    for number, _, cell in code_cells(notebook):
        data = [output.get("data", {}) for output in cell["outputs"]]
        picture = any(kind.startswith("image/") for d in data for kind in d)
        page = "".join("".join(d.get("text/html", "")) for d in data)
        if picture or "<img" in page or "<svg" in page:
            found.append((number, cell, picture, page))
    return found


def figure_problems(notebook, text):
    """Every figure has alt text, a caption and a name, and the text refers to it by that name."""
    problems = []
    names = []
    for number, cell, picture, page in figures(notebook):
        settings = cell["metadata"].get("mystnb", {})
        figure, image = settings.get("figure", {}), settings.get("image", {})
        name = figure.get("name", "")
        if not re.fullmatch(r"fig-[a-z0-9]+(-[a-z0-9]+)*", name):
            problems.append(f"cell {number}: the name of the figure is {name!r}, not fig-...")
        if len(figure.get("caption", "").split()) < 4:
            problems.append(f"cell {number}: the figure has no caption")
        if picture and len(image.get("alt", "").split()) < 4:
            problems.append(f"cell {number}: the figure has no alt text")
        for tag in re.findall(r"<img[^>]*>", page):
            alt = re.search(r'\balt="([^"]*)"', tag)
            if not alt or len(alt[1].split()) < 3:
                problems.append(f"cell {number}: an image of the output has no alt text")
        if name and f"{{numref}}`{name}`" not in text and f"<{name}>`" not in text:
            problems.append(f"cell {number}: the text does not refer to {name}")
        names.append(name)
    problems += [f"two figures are named {n}" for n in {n for n in names if names.count(n) > 1}]
    # Pictures in Markdown.
    for alt, target in re.findall(r"!\[([^\]]*)\]\(([^)]*)\)", text):
        if not alt.strip():
            problems.append(f"the picture {target} has no alt text")
    drawn = r"^[`:]{3,}\{(figure|image|play)\}.*?^[`:]{3,}\s*$"
    for block in re.finditer(drawn, text, re.M | re.S):
        if ":alt:" not in block[0]:
            problems.append(f"a figure has no alt text: {block[0].splitlines()[0]}")
        if block[1] == "play" and not re.search(r"^:name: fig-[\w-]*-play", block[0], re.M):
            problems.append(f"a figure has no name fig-...-play: {block[0].splitlines()[0]}")
    return problems


@every_page
def test_figures_are_described_and_referred_to(path):
    notebook = read_notebook(path) if path.suffix == ".ipynb" else {"cells": []}
    assert figure_problems(notebook, equation_index.page_text(path)) == []


def test_figure_names_are_unique_in_the_book():
    places = {}
    for path in NOTEBOOKS:
        for _, cell, _, _ in figures(read_notebook(path)):
            name = cell["metadata"].get("mystnb", {}).get("figure", {}).get("name")
            places.setdefault(name, []).append(_name(path))
    assert {name: p for name, p in places.items() if len(p) > 1} == {}


@every_notebook
def test_pictures_are_modest(path):
    """A page must load on a slow line: no picture above 200 kB (base64 is a third longer)."""
    large = []
    for number, cell, _, page in figures(read_notebook(path)):
        sizes = [len("".join(o["data"].get("image/png", ""))) for o in cell["outputs"]
                 if "data" in o]  # fmt: skip
        sizes += [len(p) for p in re.findall(r"base64,([A-Za-z0-9+/=]+)", page)]
        large += [f"cell {number}: {s * 3 // 4000} kB" for s in sizes if s * 3 // 4 > 200_000]
    assert large == []


@every_notebook
def test_style_is_left_to_the_module(path):
    """Pixels, colours and variants of figures are the same everywhere."""
    for _, source, _ in code_cells(read_notebook(path)):
        assert re.findall(r"set_style\([^)]+\)|\bdpi=\d+", source) == []


# -- the source is included, never pasted ---------------------------------------------------------


def _code_lines(text):
    """Return the lines of code that say something: no blanks, comments, imports, brackets."""
    lines = [re.sub(r"\s+#.*", "", line).strip() for line in text.splitlines()]
    return [
        line
        for line in lines
        if len(line) > 3 and not re.match(r"#|import |from \S+ import |@|\"\"\"|>>>|%", line)
    ]


def _runs(text, length=4):
    lines = _code_lines(text)
    return {tuple(lines[i : i + length]) for i in range(len(lines) - length + 1)}


def pasted(source_runs, texts):
    """Return runs of lines that stand in the module and in a page."""
    return [run for text in texts for run in sorted(_runs(text) & source_runs)]


@cache
def source_runs():
    runs = set()
    for path in (ROOT / "src").rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        lines = path.read_text(encoding="utf-8").splitlines()
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef):
                body = node.body[1:] if ast.get_docstring(node) else node.body
                if body:
                    runs |= _runs("\n".join(lines[body[0].lineno - 1 : node.end_lineno]))
    return runs


@every_page
def test_source_is_included_not_pasted(path):
    texts = re.findall(r"^`{3,}[^\n]*\n(.*?)^`{3,}", equation_index.page_text(path), re.M | re.S)
    if path.suffix == ".ipynb":
        texts += [source for _, source, _ in code_cells(read_notebook(path))]
    assert pasted(source_runs(), texts) == []


@every_method
def test_chapter_shows_the_source_that_ships(chapter):
    shown = [
        target
        for path in METHODS[chapter]
        for _, source, _ in code_cells(read_notebook(path))
        for target in re.findall(r"""show\(\s*["'](litlearn[\w.]*:[\w.]+)""", source)
    ]
    assert len(shown) >= 3, "a chapter includes its implementation from src/"


# -- the anatomy of a chapter ---------------------------------------------------------------------


def exercise_problems(text, least=5):
    """At least five exercises, graded by stars, each with a solution."""
    exercises = re.findall(r"\{exercise(?:-start)?\}[^\n]*\n(?:.*\n)*?:label: ([\w-]+)", text)
    solutions = re.findall(r"\{solution(?:-start)?\} ([\w-]+)", text)
    problems = [f"{name} has no solution" for name in exercises if name not in solutions]
    problems += [f"{name} is solved, but not asked" for name in solutions if name not in exercises]
    problems += [f"{name} is asked twice" for name in set(exercises) if exercises.count(name) > 1]
    if len(exercises) < least:
        problems.append(f"{len(exercises)} exercises, at least {least} are expected")
    return problems


def chapter_problems(text, code):
    """The parts that every chapter has, wherever the author found the best place for them."""
    parts = {
        "what the reader can do afterwards": r"After this chapter you can",
        "what the reader needs": r"You need",
        "a link to Mathematics we use": r"mathematics(\.ipynb)?[)>`#]",
        "a link to Judging a model": r"judging_a_model(\.ipynb)?[)>`#]",
        "a page or a section inside": r"_inside\.ipynb|^#+ Inside",
        "a section on failure": r"^#+ .*\bfails?\b",
        "a section on misunderstandings": r"misunderst(?:ood|anding)|false belief|believe",
        "a definition in its box": r"\{prf:definition\}",
        "an algorithm in its box": r"\{prf:algorithm\}",
        "a summary": r"^(#+|:{3,}\{admonition\}|`{3,}\{admonition\}) .*(Summary|In short)",
        "exercises": r"^#+ .*Exercises",
        "going further": r"^#+ .*Going further",
    }
    problems = [f"no {part}" for part, sign in parts.items() if not re.search(sign, text, re.M)]
    lines = ("main idea", "formulation", "estimation", "regularis", "cost", "when to use", "not")
    summary = re.split(r"^(?:#+|[:`]{3,}\{admonition\}) .*(?:Summary|In short)", text, flags=re.M)
    box = summary[-1][:4000].lower() if len(summary) > 1 else ""
    problems += [f"no {line!r} in the summary" for line in lines if line not in box]
    if len(re.findall(r"\{dropdown\}|class: dropdown", text)) < 3:
        problems.append("fewer than three folded answers")
    if len(re.findall(r"checkpoint|^`{3,}\{predict\}", text, re.I | re.M)) < 3:
        problems.append("fewer than three checkpoints and predictions")
    further = text.split("Going further")[-1]
    if not re.search(r"\{cite", further):
        problems.append("no reference in going further")
    if not re.search(r"^`{3,}\{play\}", text, re.M) and not re.search(r"\bslider\(", code):
        problems.append("no slider, and no figure that returns")
    for part, sign in {
        "assertion": r"^\s*(assert |fact\(|claim\()|assert_(allclose|array_equal|equal)",
        "memory clinic": r"make_memory_clinic",
        "comparison with scikit-learn": r"sklearn",
        "real data": r"load_(breast_cancer|diabetes|wine|digits|iris)",
    }.items():
        if not re.search(sign, code, re.M):
            problems.append(f"no {part} in the cells")
    return problems


@every_method
def test_chapter_has_all_its_parts(chapter):
    text = "\n\n".join(equation_index.page_text(path) for path in METHODS[chapter])
    code = "\n".join(s for p in METHODS[chapter] for _, s, _ in code_cells(read_notebook(p)))
    assert chapter_problems(text, code) + exercise_problems(text) == []


@every_page
def test_page_has_one_title(path):
    text = re.sub(r"^\([\w-]+\)=\s*", "", equation_index.page_text(path).lstrip())  # its label
    text = re.sub(r"^(`{3,}|:{3,}).*?^\1\s*$", "", text, flags=re.M | re.S)
    titles = re.findall(r"^# \S.*", text, re.M)
    assert len(titles) == 1
    assert text.startswith(titles[0])


# -- prose ----------------------------------------------------------------------------------------

# What only a measurement can tell, and what a machine or a version changes.
MEASURED = re.compile(
    r"\d[\d.,]*\s*(?:ms|µs|μs|ns|seconds?|milliseconds?|microseconds?)\b"
    r"|\d[\d.,]*\s*(?:kB|MB|GB|KiB|MiB|GiB)\b"
    r"|\d[\d.,]*\s*(?:times|%|per cent|×|x)\s+(?:faster|slower|as fast|as slow|quicker|less memory)"
    r"|\b(?:twice|half|two|three|four|five|six|seven|eight|nine|ten|hundred|thousand)(?: times)? as"
    r" (?:fast|slow)"
    r"|\b(?:two|three|four|five|six|seven|eight|nine|ten|hundred|thousand) times (?:faster|slower)"
)
FILLERS = re.compile(
    r"\bClearly\b|\bclearly,|\b(?:is|are) clearly\b|\b[Oo]bviously\b|\b[Tt]rivially\b"
    r"|\b[Ii]t can be shown\b|\b[Ii]t is (?:easy to see|clear|obvious)\b"
)


def prose_problems(text):
    plain = prose(text)
    found = [f"a measurement typed in prose: {m[0]!r}" for m in MEASURED.finditer(plain)]
    found += [f"says {m[0]!r} instead of a reason" for m in FILLERS.finditer(plain)]
    return found


@every_page
def test_no_measurement_is_typed_in_prose(path):
    assert prose_problems(equation_index.page_text(path)) == []


# -- mathematics ----------------------------------------------------------------------------------

MACROS = {"bm", "R", "argmin", "argmax"}

# LaTeX commands that MathJax (the pages) and KaTeX (JupyterLab) both know.
KNOWN_TEXT = """
    alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa lambda mu nu xi pi
    rho sigma tau phi varphi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Omega
    mathbb mathbf mathcal mathrm mathsf mathit mathtt text textbf textit textrm operatorname
    boldsymbol hat bar tilde vec dot ddot overline underline widehat widetilde overbrace underbrace
    overset underset stackrel substack
    frac dfrac tfrac binom sqrt sum prod int iint oint lim limsup liminf max min sup inf
    arg exp log ln sin cos tan arcsin arccos arctan sinh cosh tanh det dim ker gcd Pr mod bmod pmod
    left right middle big Big bigg Bigg bigl bigr Bigl Bigr biggl biggr Biggl Biggr bigm Bigm mid
    lvert rvert lVert rVert vert Vert langle rangle lfloor rfloor lceil rceil lbrace rbrace
    le leq ge geq ll gg ne neq equiv approx sim simeq cong propto prec succ leqslant geqslant
    in notin ni subset subseteq supset supseteq cup cap bigcup bigcap setminus emptyset varnothing
    times cdot div pm mp ast star circ bullet oplus otimes odot top bot perp parallel nmid
    to mapsto rightarrow leftarrow Rightarrow Leftarrow leftrightarrow Leftrightarrow iff implies
    longrightarrow longleftarrow Longrightarrow Longleftrightarrow uparrow downarrow gets
    forall exists neg lnot land lor wedge vee nabla partial infty ell hbar Re Im prime degree angle
    dots ldots cdots vdots ddots dotsc dotsb quad qquad hspace vspace phantom hphantom vphantom
    begin end tag notag nonumber limits nolimits displaystyle textstyle scriptstyle
    colon coloneqq triangleq square blacksquare checkmark dagger ddagger therefore because
    color colorbox boxed cancel not
    """
KNOWN = frozenset(KNOWN_TEXT.split())


def formulas(text):
    """Return the formulas of a page: displayed, in directives, and in lines."""
    text = prose_keeping_maths(text)
    display = re.findall(r"\$\$(.+?)\$\$", text, re.S)
    display += re.findall(r"^[`:]{3,}\{math\}[^\n]*\n(.*?)^[`:]{3,}", text, re.M | re.S)
    display += re.findall(
        r"^(\\begin\{(?:align|equation|gather).*?\\end\{.*?\})", text, re.M | re.S
    )
    rest = re.sub(r"\$\$.+?\$\$", "", text, flags=re.S)
    return display + re.findall(r"(?<![\\$])\$([^$]+?)(?<!\\)\$", rest)


def prose_keeping_maths(text):
    """Return Markdown without fenced code and inline code, but with the math directive."""
    text = re.sub(r"^(`{3,}|~{3,})(?!\{)[^\n]*\n.*?^\1\s*$", "", text, flags=re.DOTALL | re.M)
    return re.sub(r"(?<!`)(`+)(?![`{])[^`]+?\1(?!`)", "", text)


def macro_problems(text):
    problems = []
    if found := re.search(r"\\(newcommand|renewcommand|DeclareMathOperator|def|gdef)\b", text):
        problems.append(f"{found[0]}: macros are defined once, in _config.yml")
    for formula in formulas(text):
        for command in re.findall(r"\\([A-Za-z]+)", formula):
            if command not in KNOWN | MACROS:
                problems.append(f"\\{command} in ${formula.strip()[:60]}$")
    return problems


@every_page
def test_only_known_macros(path):
    assert macro_problems(equation_index.page_text(path)) == []


def test_macros_are_defined_once():
    config = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
    assert set(config["sphinx"]["config"]["mathjax3_config"]["tex"]["macros"]) == MACROS


# -- references -----------------------------------------------------------------------------------


def _cited():
    texts = [equation_index.page_text(path) for path in PAGES]
    texts += [path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.py")]
    keys = set()
    for text in texts:
        for group in re.findall(r"(?:\{cite[:\w]*\}|:cite[:\w]*:)`([^`]+)`", text):
            keys |= {key.strip() for key in group.split(",")}
    return keys


def test_entries_of_the_bibliography_are_closed():
    """Two additions at the same place can leave an entry without its end."""
    text = (ROOT / "book" / "references.bib").read_text(encoding="utf-8")
    entries = re.split(r"\n(?=@)", text)
    assert [e.split(",")[0] for e in entries if e.count("{") != e.count("}")] == []


def test_citations_and_bibliography_agree():
    entries = re.findall(
        r"^@\w+\{([^,\s]+),", (ROOT / "book" / "references.bib").read_text(encoding="utf-8"), re.M
    )
    assert sorted(entries) == sorted(set(entries)), "an entry stands twice"
    assert _cited() - set(entries) == set(), "cited, but not in references.bib"
    assert set(entries) - _cited() == set(), "in references.bib, but not cited"


@every_page
def test_sources_load_nothing_from_the_network(path):
    text = equation_index.page_text(path)
    if path.suffix == ".ipynb":
        outputs = [o for _, _, c in code_cells(read_notebook(path)) for o in c["outputs"]]
        text += "".join("".join(o.get("data", {}).get("text/html", "")) for o in outputs)
    loaded = re.findall(
        r"!\[[^\]]*\]\((https?:[^)]*)\)|<(?:img|script|link)[^>]*https?:[^>]*>", text
    )
    assert loaded == []


# -- the checks can fail --------------------------------------------------------------------------


def _cell(source, count=1, outputs=(), **metadata):
    return {
        "cell_type": "code",
        "source": source,
        "execution_count": count,
        "outputs": list(outputs),
        "metadata": metadata,
    }


PICTURE = {"output_type": "display_data", "data": {"image/png": "iVBOR"}}


def test_the_checks_notice_a_broken_page():
    right = {"cells": [_cell("a = 1", 1), _cell("a", 2)]}
    assert execution_problems(right) == []
    assert execution_problems({"cells": [_cell("a = 1", 1), _cell("a", 3)]})
    assert execution_problems({"cells": [_cell("a = 1", None)]})
    stderr = {"output_type": "stream", "name": "stderr", "text": "careful"}
    assert execution_problems({"cells": [_cell("a", 1, [stderr])]})
    error = {"output_type": "error", "ename": "ValueError"}
    assert execution_problems({"cells": [_cell("a", 1, [error])]})
    assert length_problems({"cells": [_cell("a\n" * 31)]})
    assert length_problems({"cells": [_cell("a\n" * 30)]}) == []
    path = {"output_type": "stream", "name": "stdout", "text": "/home/me/x"}
    kernel = {"kernelspec": {"name": "python3"}}
    assert setting_problems({"cells": [_cell("a", 1, [path])], "metadata": kernel})


def test_the_checks_notice_a_poor_figure():
    caption = "A caption of five words."
    good = {
        "figure": {"name": "fig-a", "caption": caption},
        "image": {"alt": "Four words at least"},
    }
    text = "{numref}`fig-a`"

    def problems(settings, text=text, output=PICTURE):
        return figure_problems({"cells": [_cell("plot()", 1, [output], mystnb=settings)]}, text)

    assert problems(good) == []
    assert problems(good, text="See the figure.")
    assert problems({**good, "image": {}})
    assert problems({**good, "figure": {"name": "fig-a"}})
    assert problems({**good, "figure": {"caption": caption}})
    slider = {"output_type": "execute_result", "data": {"text/html": '<img src="data:x">'}}
    assert problems(good, output=slider)
    assert figure_problems({"cells": []}, "![](picture.png)")
    named = "```{play} knn\n:name: fig-knn-play\n:alt: Six patients.\n\nThey vote.\n```\n"
    assert figure_problems({"cells": []}, named) == []
    for option in (":name: fig-knn-play\n", ":alt: Six patients.\n"):
        assert figure_problems({"cells": []}, named.replace(option, ""))


def test_the_checks_notice_pasted_source():
    function = (
        "def f(x):\n    alpha = x + 1\n    beta = alpha * 2\n    gamma = beta - x\n    return gamma"
    )
    assert pasted(_runs(function), [f"import numpy as np\n{function}"])
    assert pasted(_runs(function), ["alpha = x + 1\nprint(alpha)"]) == []


def test_the_checks_notice_poor_prose_and_exercises():
    assert prose_problems("The search takes 12 ms.")
    assert prose_problems("The tree is 150 times faster.")
    assert prose_problems("Clearly, this holds.")
    assert (
        prose_problems("The tree visits `12 ms` of n points. The page reads in 45 minutes.") == []
    )
    assert macro_problems(r"A formula $\vect{x}$.")
    assert macro_problems(r"A formula $\bm{x} \in \R^p$, and `\vect` in code.") == []
    assert macro_problems(r"$$\newcommand{\x}{y}$$")
    ask, solve = "```{{exercise}}\n:label: ex-{0}\n```\n", "```{{solution}} ex-{0}\n```\n"
    whole = "".join(ask.format(i) + solve.format(i) for i in range(5))
    assert exercise_problems(whole) == []
    assert exercise_problems(whole + ask.format(6))
    assert exercise_problems("")
    assert chapter_problems("# A title", "")
