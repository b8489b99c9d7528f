"""Sphinx extension: the mark behind a claim leads to the cell that asserts it.

``{claim}`name` `` after a sentence becomes a small mark. Its title says how often the claim held
when all seeds were moved, and it leads to the cell that calls ``claim("name", ...)``. What a cell
writes gets the marks of its experiment. ``{litlearn-claims}`` is the table of all records.
"""

from __future__ import annotations

import book_claims
import book_prose
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective, SphinxRole

MARK = "✓"


def mark(page, name):
    """Return the link behind a sentence."""
    found = book_claims.record(page)
    held = found and found["claims"].get(name)
    title = "Asserted by a cell of this page"
    if held is not None:
        title += f"; held in {held} of {found['shifts']} runs with other seeds"
    link = nodes.reference("", MARK, internal=True, refid=f"claim-{name}", reftitle=title)
    link["classes"].append("litlearn-claim")
    return link


class ClaimRole(SphinxRole):
    def run(self):
        page = self.env.docname.rpartition("/")[2]
        return [mark(page, self.text)], []


def _cells(doctree):
    """Yield the code cells of a page, as myst-nb has made them."""
    for node in doctree.findall(nodes.container):
        if node.get("nb_element") == "cell_code":
            yield node


def _said_last(cell):
    """Return the last paragraph that a cell has written, or None."""
    for output in cell.findall(nodes.container):
        if output.get("nb_element") == "cell_code_output":
            paragraphs = [p for p in output.findall(nodes.paragraph) if p.astext().strip()]
            inside = (nodes.entry, nodes.caption)
            paragraphs = [p for p in paragraphs if not isinstance(p.parent, inside)]
            return paragraphs[-1] if paragraphs else None
    return None


def anchor_cells(app: Sphinx, doctree):
    """Give each cell the names of its claims, and what it writes their marks."""
    docname = app.env.docname
    path = book_claims.ROOT / f"{docname}.ipynb"
    if not path.is_file() or app.builder.format != "html":
        return
    page, cells = path.stem, book_prose.read(path)
    led = {name for one in book_prose.sentences(cells) for name in one.anchors}
    part, unled = book_claims.experiments(cells), {}
    shown = {node["cell_index"]: node for node in _cells(doctree)}
    for call in book_claims.calls(cells):
        if call.kind == "claim" and call.cell in shown:
            shown[call.cell]["ids"].append(f"claim-{call.name}")
            if call.name not in led:
                unled.setdefault(part[call.cell], []).append(call.name)
    for number, names in unled.items():
        said = [_said_last(node) for index, node in shown.items() if part[index] == number]
        said = [paragraph for paragraph in said if paragraph is not None]
        if said:
            said[-1] += [mark(page, name) for name in names]


class Records(SphinxDirective):
    """How many claims each page has, and how often they held."""

    def run(self):
        lines = ["| Page | Facts and claims | Claims | Runs | Held in all | In 19 | In fewer |"]
        lines += ["|:-|-:|-:|-:|-:|-:|-:|"]
        for path in book_claims.finished():
            page = path.stem
            self.env.note_dependency(str(book_claims.FOLDER / f"{page}.json"))
            found = book_claims.record(page)
            if not found:
                continue
            held, runs = list(found["claims"].values()), found["shifts"]
            kinds = [call.kind for call in book_claims.calls(book_prose.read(path))]
            counts = [
                sum(kind in ("fact", "claim") for kind in kinds),
                len(held),
                runs,
                held.count(runs),
                held.count(runs - 1),
                sum(n < runs - 1 for n in held),
            ]
            numbers = " | ".join(map(str, counts))
            lines.append(f"| {{doc}}`/book/{page}` | {numbers} |")
        return self.parse_text_to_nodes("\n".join(lines))


def setup(app: Sphinx):
    app.add_role("claim", ClaimRole())
    app.add_directive("litlearn-claims", Records)
    app.connect("doctree-read", anchor_cells)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
