"""Set the pages from the runs that .ci/notebooks.py keeps: Jupyter Book itself executes nothing.

`make book` executes what has no run before it sets the pages. When Jupyter Book is called by hand,
a page without a run shows the committed outputs.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / ".ci"))

import notebooks


def outputs_of_the_run(app, docname, source):
    """Replace the text of a notebook by one that has the outputs of its run."""
    path = Path(app.env.doc2path(docname))
    if path.suffix == ".ipynb":
        committed = notebooks.parsed(source[0])
        run = notebooks.stored(path, committed)
        if run.exists():
            source[0] = notebooks.normal(notebooks.merged(committed, notebooks.read(run)))


def setup(app):
    app.connect("source-read", outputs_of_the_run)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
