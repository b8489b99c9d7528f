"""Execute notebooks in place, and write every notebook in one form.

The form is the one that JupyterLab saves, without what changes from run to run or from machine to
machine: no time stamps, no version of Python, neighbouring prints joined, sorted keys, one line
of the file for each line of a source. So an edited word is a change of one line.

``python .ci/notebooks.py run book/a.ipynb ...`` executes from top to bottom and saves;
``python .ci/notebooks.py format book/a.ipynb ...`` writes the form and leaves the outputs alone.
"""

import argparse
import hashlib
import sys
import time
from pathlib import Path

import nbformat

ROOT = Path(__file__).resolve().parent.parent
KERNEL = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
LANGUAGE = {
    "codemirror_mode": {"name": "ipython", "version": 3},
    "file_extension": ".py",
    "mimetype": "text/x-python",
    "name": "python",
    "nbconvert_exporter": "python",
    "pygments_lexer": "ipython3",
}
# What runs, editors and converters leave behind in a cell's metadata.
PASSING = ("ExecuteTime", "collapsed", "execution", "lines_to_next_cell", "scrolled")
TIMEOUT = 900  # seconds for a cell


def read(path):
    return nbformat.read(path, as_version=4)


def joined(outputs):
    """Outputs with neighbouring prints to the same stream as one."""
    result = []
    for one in outputs:
        last = result[-1] if result else None
        if last and one.output_type == last.output_type == "stream" and one.name == last.name:
            last.text += one.text
        else:
            result.append(one)
    return result


def normal(notebook):
    """The text of a notebook's file in the form of this project."""
    notebook = nbformat.from_dict(notebook)
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    notebook.metadata.update(kernelspec=KERNEL, language_info=LANGUAGE)
    for number, cell in enumerate(notebook.cells):
        if "id" not in cell:
            cell.id = hashlib.sha256(f"{number} {cell.source}".encode()).hexdigest()[:8]
        for key in PASSING:
            cell.metadata.pop(key, None)
        if cell.metadata.get("tags") == []:
            del cell.metadata["tags"]
        if cell.cell_type == "code":
            cell.outputs = joined(cell.outputs)
    nbformat.validate(notebook)
    return nbformat.writes(notebook) + "\n"


def write(path, notebook):
    """Write a notebook, and say whether its file changed."""
    text = normal(notebook)
    if path.read_text(encoding="utf-8") == text:
        return False
    path.write_text(text, encoding="utf-8", newline="\n")
    return True


def run(notebook, folder):
    """Execute a notebook from top to bottom; the outputs go into it."""
    from nbclient import NotebookClient

    resources = {"metadata": {"path": str(folder)}}
    client = NotebookClient(
        notebook,
        timeout=TIMEOUT,
        kernel_name=KERNEL["name"],
        record_timing=False,
        resources=resources,
    )
    client.execute()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("task", choices=["run", "format"])
    parser.add_argument("files", nargs="+", type=Path)
    options = parser.parse_args()
    for path in options.files:
        started = time.perf_counter()
        notebook = read(path)
        if options.task == "run":
            run(notebook, path.parent)
        changed = "saved" if write(path, notebook) else "nothing changed"
        print(f"{path}: {changed} ({time.perf_counter() - started:.0f} s)", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
