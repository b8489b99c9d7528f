"""The sentences of a chapter that say a tendency, and the claims that stand behind them.

A sentence such as "scaling helps in each of 30 clinics" ends with ``{claim}`name` ``, and a cell
calls ``claim("name", ...)`` (``litlearn.claims``). Cells that follow each other, without text
between them, are one experiment: what one of them writes is backed by the claims of all. Sentences
that sound like a tendency and are none stand in ``book/claims/PAGE.toml``, under the reason:
definition, mathematics, citation, number (of this data set, and checked by ``number``), repeated
(claimed elsewhere) or task (what a reader is asked to do, answers to choose from).
``book/claims/PAGE.json`` is the record of ``make claims``: how often each claim held when all seeds
were moved.
"""

from __future__ import annotations

import ast
import hashlib
import json
import re
import tomllib
from pathlib import Path
from typing import NamedTuple

import book_prose

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "book" / "claims"
REASONS = ("definition", "mathematics", "citation", "number", "repeated", "task")
SHIFTS = 20  # runs with other seeds
ENOUGH = 19  # in which a claim has to hold

TENDENCY = re.compile(
    r"""\b(?:most|mostly|hardly|rarely|seldom|often|usually|always|never|each|every|none|nearly
    |almost|barely|tends?|typically|in\ general|on\ average|wins?|won|gains?|gained|loses?|better
    |worse|best|worst|more|less|fewer|fewest|least|larger|largest|smaller|smallest|higher|highest
    |lower|lowest|wider|widest|narrower|narrowest|nearer|nearest|faster|fastest|slower|sooner
    |grows?|rises?|rose|falls?|fell|shrinks?|widens?|increases?|decreases?|outperforms?|beats?
    |helps?|hurts?|harms?|matters?|\d+\ of\ (?:the\ |my\ |her\ |his\ )?\d+)\b
    |\b\w+er\b[^.]{0,40}\bthan\b""",
    re.IGNORECASE | re.VERBOSE,
)
# What stands in these is mathematics, a task, or an answer that need not hold.
APART = {"exercise", "exercise-start", "bibliography"}
PROOFS = re.compile(r"prf:(?!example|remark)")


class Call(NamedTuple):
    """One assertion of a cell."""

    cell: int
    kind: str  # fact, claim, number or assert
    name: str


def finished():
    """Return the notebooks whose sentences have been gone through."""
    return [ROOT / "book" / f"{path.stem}.ipynb" for path in sorted(FOLDER.glob("*.toml"))]


def exceptions(page):
    """Return reason -> beginnings of sentences that need no claim."""
    path = FOLDER / f"{page}.toml"
    found = tomllib.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    unknown = set(found) - set(REASONS)
    if unknown:
        raise ValueError(f"{path.name}: no such reason: {sorted(unknown)}")
    return found


def calls(cells):
    """Return the assertions of a page's cells, in their order."""
    found = []
    for i, cell in enumerate(cells):
        if cell["cell_type"] != "code":
            continue
        for node in ast.walk(ast.parse(_python(cell["source"]))):
            if isinstance(node, ast.Assert):
                found.append(Call(i, "assert", ""))
            kind = getattr(node.func, "id", "") if isinstance(node, ast.Call) else ""
            if kind in ("fact", "claim", "number"):
                first = node.args[0] if kind == "claim" and node.args else None
                constant = isinstance(first, ast.Constant) and isinstance(first.value, str)
                found.append(Call(i, kind, first.value if constant else ""))
    return found


def experiments(cells):
    """Return cell -> number of its experiment; neighbouring cells of code are one."""
    number, out = 0, {}
    for i, cell in enumerate(cells):
        number += i > 0 and cells[i - 1]["cell_type"] != "code"
        if cell["cell_type"] == "code":
            out[i] = number
    return out


def _python(source):
    """Return the source of a cell without the magics of IPython."""
    return "\n".join("" if re.match(r"\s*[%!]", line) else line for line in source.splitlines())


def says_a_tendency(sentence):
    """Whether a sentence asserts something about data that a cell could refute."""
    if sentence.text.endswith("?") or APART & set(sentence.within):
        return False
    if any(PROOFS.match(name) for name in sentence.within):
        return False
    return bool(TENDENCY.search(sentence.text))


def open_sentences(cells, page):
    """Return the sentences that say a tendency and have neither claim nor reason."""
    part = experiments(cells)
    backed = {part[call.cell] for call in calls(cells) if call.kind in ("claim", "fact")}
    excused = [start for starts in exceptions(page).values() for start in starts]
    goes_on = next(
        (i for i, c in enumerate(cells) if re.search(r"^## Going further", c["source"], re.M)),
        len(cells),
    )
    out = []
    for one in book_prose.sentences(cells):
        if not says_a_tendency(one) or one.anchors or one.cell >= goes_on:
            continue
        if part.get(one.cell) in backed:
            continue
        if any(one.text.startswith(start) for start in excused):
            continue
        out.append(one)
    return out


def problems(path):
    """Return what is missing of a finished page, a line each."""
    cells, page = book_prose.read(path), Path(path).stem
    said, named = list(book_prose.sentences(cells)), calls(cells)
    names = [call.name for call in named if call.kind == "claim"]
    anchors = [name for one in said for name in one.anchors if name != "cite"]
    out = [f"[{one.cell}] has no claim: {one.text}" for one in open_sentences(cells, page)]
    out += [f"[{c.cell}] assert: is it fact, claim or number?" for c in named if c.kind == "assert"]
    out += [f"[{c.cell}] a claim without a name" for c in named if c.kind == "claim" and not c.name]
    out += [f"[{c.cell}] {c.name} stands in a cell that readers cannot see" for c in named
            if c.kind == "claim" and "remove-input" in book_prose.tags(cells[c.cell])]  # fmt: skip
    out += [f"two claims are called {n}" for n in sorted(set(names)) if names.count(n) > 1]
    out += [f"a sentence leads to {name}, which no cell claims" for name in anchors
            if name not in names]  # fmt: skip
    part = experiments(cells)
    writing = {part[one.cell] for one in said if one.computed}
    led = {c.name for c in named if c.name in anchors or part[c.cell] in writing}
    out += [f"[{c.cell}] no sentence leads to {c.name}" for c in named
            if c.kind == "claim" and c.name not in led]  # fmt: skip
    texts = [one.text for one in said]
    for reason, starts in exceptions(page).items():
        out += [f"{reason}: no sentence begins: {start}" for start in starts
                if not any(text.startswith(start) for text in texts)]  # fmt: skip
    return out


# -- the record -----------------------------------------------------------------------------------


class _Code(ast.NodeTransformer):
    """Take out the words that a cell writes, and which code it shows: they change no result."""

    def visit_Call(self, node):
        self.generic_visit(node)
        if getattr(node.func, "id", "") in ("Markdown", "show"):
            node.args = []
        return node


def state(cells):
    """Return a hash of a page's code; comments, spaces, sentences and cells do not count."""
    code = [_python(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    statements = [one for source in code for one in _Code().visit(ast.parse(source)).body]
    return hashlib.sha256("\n".join(map(ast.dump, statements)).encode()).hexdigest()[:16]


def record(page):
    """Return what `make claims` has found, or None."""
    path = FOLDER / f"{page}.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else None


def too_rare(page):
    """Return the claims that hold in too few of the runs, and facts that failed in any."""
    found = record(page)
    rare = {name: held for name, held in found["claims"].items() if held < ENOUGH}
    return rare | ({"facts": found["facts"]} if found["facts"] < found["shifts"] else {})
