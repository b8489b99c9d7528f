"""nbval compares each cell's committed outputs with those of a run that .ci/notebooks.py keeps.

The book is set from the same run, so that no notebook is executed twice. What nbval does not look
at is compared here: figures, within a tolerance, and warnings in cells that measure time.
"""

from pathlib import Path

import notebooks
from nbval.plugin import IPyNbCell, IPyNbFile, coalesce_streams


def setup(self):
    """Execute the notebook, or take the run that is kept. A failure is that of its cell."""
    self.failure = None
    self.setup_sanitize_files()
    try:
        self.cells = notebooks.code_cells(notebooks.executed(Path(self.path)))
    except notebooks.CellError as error:
        self.failure = error


def runtest(self):
    """Compare one cell."""
    failure = self.parent.failure
    if failure:
        message = f"the notebook ends at cell {failure.number}, which failed"
        if self.cell_num == failure.number:
            message = failure.message
        self.raise_cell_error(message)
    fresh, committed = self.parent.cells[self.cell_num].outputs, self.cell.outputs
    if any(output.get("name") == "stderr" for output in fresh):
        self.raise_cell_error("The cell writes to stderr", f"{fresh}")
    if not self.options["check"]:
        return
    if not self.compare_outputs(coalesce_streams(fresh), coalesce_streams(committed)):
        self.raise_cell_error("Cell outputs differ", "\n".join(self.comparison_traceback))
    if difference := notebooks.figures_differ(committed, fresh):
        self.raise_cell_error(f"Figures differ: {difference}")


IPyNbFile.setup, IPyNbCell.runtest = setup, runtest
