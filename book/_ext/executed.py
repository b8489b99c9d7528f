"""Set the pages from the runs that .ci/notebooks.py keeps: Jupyter Book itself executes nothing.

`make book` executes what has no run before it sets the pages. When Jupyter Book is called by hand,
a page without a run shows the committed outputs.

Wide figures come with a variant for phones (``litlearn.plotting``), kept beside the picture.
"""

import base64
import hashlib
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
            committed = notebooks.merged(committed, notebooks.read(run))
            source[0] = notebooks.normal(committed)
        for cell in notebooks.code_cells(committed):
            for output in cell.outputs:
                keep_phone_variant(Path(app.outdir, "_images"), output)


def keep_phone_variant(folder, output):
    """Write the phone variant of a picture under the name of the picture, which is its digest."""
    stored = output.get("metadata", {}).get("image/png", {})
    for layout in {"narrow", "stacked"} & stored.keys():
        digest = hashlib.sha256(base64.b64decode(output["data"]["image/png"])).hexdigest()
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{digest}-{layout}.png").write_bytes(base64.b64decode(stored[layout]))


def setup(app):
    app.connect("source-read", outputs_of_the_run)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
