"""Notebooks for reading: references resolved, figures with captions, solutions folded."""

import ast
import json
import re

import pytest
import reading

BOOK = reading.BOOK
LABELS = reading.Labels(BOOK)
SITE, REPOSITORY = "https://example.org/latest", "https://example.org/repository"
NOTEBOOKS = sorted(BOOK.glob("*.ipynb"))


@pytest.fixture(autouse=True)
def published(monkeypatch):
    """Whatever address.toml says: of a book that is published."""
    monkeypatch.setattr(reading, "SITE", SITE)
    monkeypatch.setattr(reading, "REPOSITORY", REPOSITORY)


def validate(notebook):
    import nbformat  # takes two seconds

    nbformat.validate(nbformat.from_dict(notebook))


def prose(notebook):
    return [reading.text_of(c) for c in notebook["cells"] if c["cell_type"] == "markdown"]


def printed(cell):
    """The sentences and tables that a cell has computed."""
    return ["".join(one.get("data", {}).get("text/markdown", "")) for one in cell["outputs"]]


@pytest.mark.parametrize("pages", [False, True], ids=["local", "pages"])
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_nothing_is_left_that_only_the_pages_resolve(path, pages):
    text = reading.reading(path, LABELS, pages)
    notebook = json.loads(text)
    validate(notebook)
    for one in prose(notebook):
        assert (
            re.findall(r"\{(?:cite:[pt]|numref|ref|doc|term|claim)\}`|solution-(?:start|end)", one)
            == []
        )
        assert re.findall(r"\{(?:figure|play|predict)\}", one) == []
        for target in re.findall(r"!\[[^\]]*\]\((figures/[^)]*)\)", one):
            assert not pages and (BOOK / target).is_file(), target
        for kind, label in re.findall(r"\{(eq|prf:ref)\}`([^`]*)`", one):
            assert LABELS.place[label] == path.stem, (kind, label)
        for target in re.findall(r"\]\(([\w./-]+\.ipynb)", one):
            assert not pages and (BOOK / target).is_file(), target
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            # What is printed, also after the next run, refers to nothing that an output cannot see.
            for one in (reading.text_of(cell), *printed(cell)):
                assert re.findall(rf"\{{(?:{reading.ROLES})\}}+`|\]\(#[\w-]+\)", one) == []
            ast.parse(re.sub(r"^[%!].*", "", reading.text_of(cell), flags=re.MULTILINE))
        stored = [o.get("metadata", {}).get("image/png", {}) for o in cell.get("outputs", ())]
        assert all(one.keys() <= {"width", "height"} for one in stored)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_plain_notebook_needs_no_extension(path):
    notebook = json.loads(reading.reading(path, LABELS, plain=True))
    validate(notebook)
    install, *cells = notebook["cells"]
    assert "google.colab" in install["source"] and f"@{reading.BRANCH}" in install["source"]
    text = "\n".join(prose({"cells": cells}))
    plain = re.sub(r"\$\$.*?\$\$|\$[^$\n]*\$|`[^`\n]*`", "", text, flags=re.DOTALL)
    roles = r"\{(?:eq|numref|ref|doc|term|prf:ref|cite:[pt]|claim)\}"
    left = rf"^.{{0,9}}[`:]{{3}}.*|{roles}|^\([\w-]+\)=|\]\(#.*"
    assert re.findall(left, plain, re.MULTILINE) == []
    numbers = [int(n) for n in re.findall(r"\\tag\{(\d+)\}", text)]
    assert numbers == list(range(1, len(numbers) + 1))
    labels = len(reading.EQUATION.findall("\n".join(prose(json.loads(path.read_text("utf-8"))))))
    assert len(numbers) == labels
    assert text.count("<details>") == text.count("</details>")


@pytest.mark.parametrize("how", [{}, {"pages": True}, {"plain": True}], ids=str)
def test_before_publication_no_notebook_names_an_address(monkeypatch, how):
    for name in ("SITE", "REPOSITORY"):
        monkeypatch.setattr(reading, name, "")
    found = []
    for path in NOTEBOOKS:
        notebook = json.loads(reading.reading(path, LABELS, **how))
        validate(notebook)
        cells = prose(notebook)
        assert not any("Play with it on the page" in one for one in cells), path
        assert notebook["cells"][0]["cell_type"] == "markdown", "there is nothing to install from"
        targets = re.findall(r"(?<!`)\]\(([^)\s]*)\)", "\n".join(cells))
        found += [(path.stem, one) for one in targets if re.match(r"$|/|.*\.html(#|$)", one)
                  and "://" not in one]  # fmt: skip
    assert found == []


def test_directives_become_plain_markdown():
    nested = (
        "````{admonition} Checkpoint\n:class: important\nAsk.\n\n"
        "```{dropdown} Answer\nTwo.\n```\n````\n(mark)=\nGo on."
    )
    plain = reading.without_directives(nested)
    assert "> **Checkpoint**\n>\n> Ask." in plain
    assert "> <details><summary>Answer</summary>\n>\n> Two." in plain
    assert plain.endswith("Go on.") and "mark" not in plain


def markdown(text):
    return {"cell_type": "markdown", "id": str(hash(text)), "metadata": {}, "source": text}


def turned_of(tmp_path, cells, **how):
    """Return the text of a notebook "nearest" with these cells, turned."""
    path = tmp_path / "nearest.ipynb"
    path.write_text(json.dumps({"cells": [markdown("# Near\n"), *map(markdown, cells)]}))
    (tmp_path / "references.bib").write_text("")
    return prose(json.loads(reading.reading(path, reading.Labels(tmp_path), **how)))[1:]


@pytest.mark.parametrize("how", [{}, {"pages": True}, {"plain": True}], ids=str)
def test_figures_to_play_with_become_pictures_with_a_link(tmp_path, how):
    """Number, caption and alternative text; in each place the picture of its state."""
    text = (
        "See {numref}`fig-b`.\n\n"
        "```{play} nearest_neighbors\n:name: fig-a\n:ask: one\n:alt: Six.\n\n"
        "They *vote*, {ref}`fig-b`.\n```\n\n"
        "```{play} nearest_neighbors\n:state: units\n:name: fig-b\n"
        ":controls: units, new patient\n:alt: Flat.\n\nIn tenths.\n```\n\nGo on."
    )
    folder = f"{SITE}/_images" if how else "figures"
    page = f"{SITE}/book/nearest.html"
    (turned,) = turned_of(tmp_path, [text], **how)
    first, second = (
        "[Play with it on the page.]({0}#fig-a)",
        "[Play with it on the page.]({0}#fig-b)",
    )
    assert turned == (
        f"See Fig. 2.\n\n![Six.]({folder}/nearest_neighbors.svg)\n\n"
        + f"**Fig. 1.** They *vote*, {'Fig. 2' if 'plain' in how else '[Fig. 2](#fig-b)'}. "
        + f"{first.format(page)}\n\n![Flat.]({folder}/nearest_neighbors-units.svg)\n\n"
        + f"**Fig. 2.** In tenths. {second.format(page)}\n\nGo on."
    )
    still = "```{figure} figures/curve.svg\n:name: fig-c\n:alt: A line.\n\nIt falls.\n```"
    assert turned_of(tmp_path, [still], **how) == [
        f"![A line.]({folder}/curve.svg)\n\n**Fig. 1.** It falls."
    ]


def test_predictions_become_a_list_and_a_folded_answer(tmp_path):
    asked = (
        "It moves.{claim}`near-moves`\n\n```{predict} near-who\nWho is {term}`near`?\n\n"
        "- Nobody, as\n  it seems.\n- * Patient 1.\n- All.\n\n"
        "She is at 1.\n\nThe others are not.\n```\n\nGo on."
    )
    (lab,) = turned_of(tmp_path, [asked], pages=True)
    assert lab.startswith("It moves.\n\n**Your prediction.** Who is [near](")
    assert "\n- A. Nobody, as it seems.\n- B. Patient 1.\n- C. All.\n\n" in lab
    folded = (
        "`````{dropdown} Which answer holds?\n**B.** She is at 1.\n\nThe others are not.\n`````"
    )
    assert lab.endswith(f"{folded}\n\nGo on.") and "near-who" not in lab
    (plain,) = turned_of(tmp_path, [asked], plain=True)
    opened = "<details><summary>Which answer holds?</summary>\n\n**B.** She is at 1.\n\nThe others"
    assert opened in plain and plain.count("</details>") == 1 and "- B. Patient 1." in plain


def test_what_a_cell_prints_is_turned(tmp_path):
    """In its output and in the code that prints it again, also within formatted strings."""
    stored = (
        "By {eq}`sum-a` and {prf:ref}`thm-a`, {cite:p}`cover_nearest_1967`, [it](#here) is\n"
        "as {ref}`there <there>`."
    )
    code = (
        'Markdown(\n    f"By {{eq}}`sum-a` and {{prf:ref}}`thm-a`, "\n'
        "    '{cite:p}`cover_nearest_1967`, '\n"
        "    '[\"it\" '\n    '\"is\"](#here) as {ref}`there <there>`.'\n)"
    )
    first = [
        markdown("(here)=\n# One\n\n$$\nb\n$$\n\n$$\na\n$$ (sum-a)\n"),
        markdown("```{prf:theorem} Don't\n:label: thm-a\n\nStop.\n```"),
        {"cell_type": "code", "id": "c", "execution_count": 1, "metadata": {}, "source": code,
         "outputs": [{"output_type": "execute_result", "execution_count": 1, "metadata": {},
                      "data": {"text/markdown": stored}}]},
    ]  # fmt: skip
    for name, cells in (("first", first), ("second", [markdown("(there)=\n# Two\n")])):
        (tmp_path / f"{name}.ipynb").write_text(json.dumps({"cells": cells}))
    (tmp_path / "references.bib").write_text((BOOK / "references.bib").read_text("utf-8"))
    labels = reading.Labels(tmp_path)
    cell = json.loads(reading.reading(tmp_path / "first.ipynb", labels))["cells"][-1]
    there = f"[there]({SITE}/book/second.html#there)"
    assert printed(cell) == [
        "By (2) and theorem “Don't”, (Cover and Hart, 1967), it is\n" + f"as {there}."
    ]
    assert eval(cell["source"], {"Markdown": str}) == (
        f'By (2) and theorem “Don’t”, (Cover and Hart, 1967), "it" "is" as {there}.'
    )
    plain = json.loads(reading.reading(tmp_path / "first.ipynb", labels, plain=True))
    assert printed(plain["cells"][-1])[0].startswith("By (1) and")


def test_a_notebook_is_turned(tmp_path):
    first = [
        markdown(
            "(one)=\n# One\n\n{eq}`sum-a` and {cite:t}`fix_discriminatory_1951`. See {ref}`two`. "
            "Each {term}`sample` has {term}`features <feature>`."
        ),
        markdown("$$\na\n$$ (sum-a)\n\n{cite:p}`cover_nearest_1967`; {eq}`sum-b`; {numref}`fig-c`"),
        {
            "cell_type": "code",
            "id": "c",
            "execution_count": 1,
            "metadata": {"mystnb": {"figure": {"name": "fig-c", "caption": "As in {ref}`two`."}}},
            "outputs": [],
            "source": "1",
        },
        markdown("Ask.\n\n```{solution-start} ex\n:class: dropdown\n```\n\nThink."),
        {
            "cell_type": "code",
            "id": "d",
            "execution_count": 2,
            "metadata": {},
            "outputs": [],
            "source": "2",
        },
        markdown("```{solution-end}\n```\n\nGo on."),
    ]
    second = [markdown("(two)=\n# Two\n\n$$\nb\n$$ (sum-b)")]
    for name, cells in (("first", first), ("second", second)):
        (tmp_path / f"{name}.ipynb").write_text(json.dumps({"cells": cells}))
    (tmp_path / "references.bib").write_text((BOOK / "references.bib").read_text("utf-8"))
    labels = reading.Labels(tmp_path)
    turned = json.loads(reading.reading(tmp_path / "first.ipynb", labels, pages=True))
    text = prose(turned)
    assert "{eq}`sum-a` and Fix and Hodges (1951). See [Two](" in text[0]
    glossary = f"{SITE}/book/glossary.html#term-"
    assert f"[sample]({glossary}sample) has [features]({glossary}feature)." in text[0]
    assert "(Cover and Hart, 1967); ([*Two*](" in text[1] and text[1].endswith("; Fig. 1")
    assert text[2].startswith("**Fig. 1.** As in [Two](")
    assert text[3].startswith("Ask.\n\n") and text[3].endswith("{dropdown} Solution\nThink.\n`````")
    assert text[4] == "Go on."
    codes = [cell for cell in turned["cells"] if cell["cell_type"] == "code"]
    assert "jupyter" not in codes[0]["metadata"]
    assert codes[1]["metadata"]["jupyter"] == {"source_hidden": True, "outputs_hidden": True}
