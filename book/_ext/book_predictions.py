"""The text of a question that the reader answers before reading on: ``{predict} NAME``.

The content is the question, a list of two to four answers, the right one marked by a star
(``- * Nothing changes.``), and what is to be said about them::

    ```{predict} svm-outside
    What would change?

    - The band becomes narrower.
    - * Nothing changes.

    His cost is zero before and after the move.
    ```

``predictions`` sets it on the pages, ``.ci/reading.py`` in notebooks for reading. It needs nothing
but the standard library.
"""

from __future__ import annotations

import re
from typing import NamedTuple

LETTERS = "ABCD"
_ANSWER = re.compile(r"^[-*] +(\* +)?(.*)$")


class Prediction(NamedTuple):
    """A question, its answers, and what is to be said once one was chosen."""

    question: str
    answers: list[str]
    right: int
    explanation: str

    @property
    def letter(self):
        """The letter of the right answer."""
        return LETTERS[self.right]


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
