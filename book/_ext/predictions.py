"""Sphinx extension: ``{predict} NAME``, a question that the reader answers before reading on.

The content is the question, a list of two to four answers, the right one marked by a star
(``- * Nothing changes.``), and what is to be said about them::

    ```{predict} svm-outside
    What would change?

    - The band becomes narrower.
    - * Nothing changes.

    His cost is zero before and after the move.
    ```

With scripts the answers are buttons, and the explanation appears once one is chosen (``page.js``);
a figure with ``:ask: NAME`` then shows its verdict. Without scripts the explanation is folded.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

LETTERS = "ABCD"
_ANSWER = re.compile(r"^[-*] +(\* +)?(.*)$")


class Prediction(NamedTuple):
    question: str
    answers: list[str]
    right: int
    explanation: str


def parsed(text):
    """Return the parts of a prediction, or raise ValueError with what is wrong."""
    lines, question, answers, right, rest = text.splitlines(), [], [], [], []
    for line in lines:
        answer = _ANSWER.match(line)
        if answer and not rest:
            right += [len(answers)] if answer[1] else []
            answers.append([answer[2]])
        elif answers and not rest and line.startswith("  "):
            answers[-1].append(line.strip())
        elif answers:
            rest += [line] if line.strip() or rest else []
        else:
            question.append(line)
    explanation = "\n".join(rest).strip()
    if not 2 <= len(answers) <= 4:
        raise ValueError(f"{len(answers)} answers, expected two to four")
    if len(right) != 1:
        raise ValueError(f"{len(right)} answers are marked by a star, expected one")
    if not explanation:
        raise ValueError("no explanation follows the answers")
    joined = [" ".join(answer) for answer in answers]
    return Prediction("\n".join(question).strip(), joined, right[0], explanation)


class Predict(SphinxDirective):
    required_arguments = 1
    has_content = True

    def run(self):
        try:
            found = parsed("\n".join(self.content))
        except ValueError as error:
            raise self.error(f"predict {self.arguments[0]}: {error}") from error
        name, letter = self.arguments[0], LETTERS[found.right]
        opening = (
            f'<div class="litlearn-predict" id="predict-{name}" data-name="{name}" '
            f'data-right="{found.right}" role="group" aria-label="A question to answer first">'
        )
        parts = [self.raw(opening), *self.set(f"**Your prediction.** {found.question}")]
        parts.append(self.raw('<ol class="litlearn-answers">'))
        for answer in found.answers:
            parts += [self.raw("<li>"), *self.set(answer), self.raw("</li>")]
        parts.append(self.raw("</ol><details><summary>Which answer holds?</summary>"))
        parts += self.set(f"**{letter}.** {found.explanation}")
        return [*parts, self.raw("</details></div>")]

    def raw(self, text):
        return nodes.raw("", text, format="html")

    def set(self, text):
        node = nodes.Element()
        lines = StringList(text.splitlines(), self.get_source_info()[0])
        self.state.nested_parse(lines, self.content_offset, node)
        return node.children


def setup(app: Sphinx):
    app.add_directive("predict", Predict)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
