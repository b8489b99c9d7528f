"""Notebooks for reading: references resolved, figures with captions, solutions folded."""

import json
import re

import pytest
import reading

BOOK = reading.BOOK
LABELS = reading.Labels(BOOK)
NOTEBOOKS = sorted(BOOK.glob("*.ipynb"))


def validate(notebook):
    import nbformat  # takes two seconds

    nbformat.validate(nbformat.from_dict(notebook))


def prose(notebook):
    return [reading.text_of(c) for c in notebook["cells"] if c["cell_type"] == "markdown"]


@pytest.mark.parametrize("pages", [False, True], ids=["local", "pages"])
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_nothing_is_left_that_only_the_pages_resolve(path, pages):
    text = reading.reading(path, LABELS, pages)
    notebook = json.loads(text)
    validate(notebook)
    for one in prose(notebook):
        assert (
            re.findall(r"\{(?:cite:[pt]|numref|ref|doc|term)\}`|solution-(?:start|end)", one) == []
        )
        for kind, label in re.findall(r"\{(eq|prf:ref)\}`([^`]*)`", one):
            assert LABELS.place[label] == path.stem, (kind, label)
        for target in re.findall(r"\]\(([\w./-]+\.ipynb)", one):
            assert not pages and (BOOK / target).is_file(), target
    for cell in notebook["cells"]:
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
    left = r"^.{0,9}[`:]{3}.*|\{(?:eq|numref|ref|doc|term|prf:ref|cite:[pt])\}|^\([\w-]+\)=|\]\(#.*"
    assert re.findall(left, plain, re.MULTILINE) == []
    numbers = [int(n) for n in re.findall(r"\\tag\{(\d+)\}", text)]
    assert numbers == list(range(1, len(numbers) + 1))
    labels = len(reading.EQUATION.findall("\n".join(prose(json.loads(path.read_text("utf-8"))))))
    assert len(numbers) == labels
    assert text.count("<details>") == text.count("</details>")


def test_directives_become_plain_markdown():
    nested = (
        "````{admonition} Checkpoint\n:class: important\nAsk.\n\n"
        "```{dropdown} Answer\nTwo.\n```\n````\n"
        "(mark)=\n```{figure} figures/a.svg\n:name: fig-a\n:alt: A line.\n\nIt falls.\n```\nGo on."
    )
    plain = reading.without_directives(nested, {"fig-a": "Fig. 7"}.get)
    assert "> **Checkpoint**\n>\n> Ask." in plain
    assert "> <details><summary>Answer</summary>\n>\n> Two." in plain
    assert "![A line.](" in plain and "/_images/a.svg)\n\n**Fig. 7.** It falls." in plain
    assert plain.endswith("Go on.") and "mark" not in plain


def test_a_notebook_is_turned(tmp_path):
    def markdown(text):
        return {"cell_type": "markdown", "id": str(hash(text)), "metadata": {}, "source": text}

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
    glossary = f"{reading.ADDRESS}/glossary.html#term-"
    assert f"[sample]({glossary}sample) has [features]({glossary}feature)." in text[0]
    assert "(Cover and Hart, 1967); ([*Two*](" in text[1] and text[1].endswith("; Fig. 1")
    assert text[2].startswith("**Fig. 1.** As in [Two](")
    assert text[3].startswith("Ask.\n\n") and text[3].endswith("{dropdown} Solution\nThink.\n`````")
    assert text[4] == "Go on."
    codes = [cell for cell in turned["cells"] if cell["cell_type"] == "code"]
    assert "jupyter" not in codes[0]["metadata"]
    assert codes[1]["metadata"]["jupyter"] == {"source_hidden": True, "outputs_hidden": True}
