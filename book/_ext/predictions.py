"""Sphinx extension: ``{predict} NAME``, a question that the reader answers before reading on.

With scripts the answers are buttons, and the explanation appears once one is chosen (``page.js``);
a figure with ``:ask: NAME`` then shows its verdict. Without scripts the explanation is folded.
``book_predictions`` says how such a question is written.
"""

from __future__ import annotations

from book_predictions import parsed
from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective


class Predict(SphinxDirective):
    required_arguments = 1
    has_content = True

    def run(self):
        try:
            found = parsed("\n".join(self.content))
        except ValueError as error:
            raise self.error(f"predict {self.arguments[0]}: {error}") from error
        name = self.arguments[0]
        opening = (
            f'<div class="litlearn-predict" id="predict-{name}" data-name="{name}" '
            f'data-right="{found.right}" role="group" aria-label="A question to answer first">'
        )
        parts = [self.raw(opening), *self.set(f"**Your prediction.** {found.question}")]
        parts.append(self.raw('<ol class="litlearn-answers">'))
        for answer in found.answers:
            parts += [self.raw("<li>"), *self.set(answer), self.raw("</li>")]
        parts.append(self.raw("</ol><details><summary>Which answer holds?</summary>"))
        parts += self.set(f"**{found.letter}.** {found.explanation}")
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
