"""Execute notebooks, and write every notebook in one form.

*The form* is the one that JupyterLab saves, without what changes from run to run or from machine to
machine: no time stamps, no version of Python, neighbouring prints joined, sorted keys, one line
of the file for each line of a source. So an edited word is a change of one line.

*A run* is kept in ``_build/executed`` under a digest of all that it depends on: the code of the
notebook's cells, the module, the results of the benchmarks, the installed versions, the settings of
the processor. The tests compare it with the committed outputs (``book/conftest.py``), and the book
is set from it (``book/_ext/executed.py``). So each state of a notebook is executed once.

``python .ci/notebooks.py run book/a.ipynb ...`` executes in place, one after the other: cells that
measure time want the machine for themselves. What was executed in this state already is left alone;
``--again`` runs it all the same.
``python .ci/notebooks.py format book/a.ipynb ...`` writes the form and leaves the outputs alone.
"""

import argparse
import base64
import contextlib
import hashlib
import io
import os
import platform
import re
import subprocess
import sys
import time
import tomllib
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import cache
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
STORE = ROOT / "_build" / "executed"
SANITIZE = ROOT / "tests" / "nbval_sanitize.cfg"
BENEATH = ["benchmarks", "src"]
SETTINGS = ["NUMBA_CPU_NAME", "OMP_NUM_THREADS", "OPENBLAS_CORETYPE", "OPENBLAS_NUM_THREADS"]
PASSING_FOLDERS = {"__pycache__", ".ipynb_checkpoints"}
KEPT_RUNS = 4  # of one notebook: going back to an earlier state executes nothing

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
UNCOMPARED = "nbval-ignore-output"  # the tag of cells that measure time

# Two pictures are the same when they have one size and few pixels differ by more than a shade.
# Another processor moves the edge of a line by less than a pixel; a curve that goes elsewhere
# changes more pixels than this.
SHADE, SHARE = 32, 0.002


# --- the form ------------------------------------------------------------------------------------


def parsed(text):
    import nbformat  # takes a second, and a book that is up to date does without

    return nbformat.reads(text, as_version=4)


def read(path):
    return parsed(path.read_text(encoding="utf-8"))


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
    import nbformat

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
    if path.exists() and path.read_text(encoding="utf-8") == text:
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    part.write_text(text, encoding="utf-8", newline="\n")
    os.replace(part, path)  # no other process ever reads half a file
    return True


# --- what a run depends on -----------------------------------------------------------------------


def files(parts, root):
    """The files that are, or lie under, the given parts of the project, in a fixed order."""
    for name in parts:
        path = root / name
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            folders = set(file.relative_to(root).parts)
            stale = folders & PASSING_FOLDERS or any(f.endswith(".egg-info") for f in folders)
            if file.is_file() and not stale:
                yield file


def versions(root):
    """Installed versions of what the module and the book are declared to need."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    for requirement in [*project["dependencies"], *extras["notebooks"], *extras["book"]]:
        name = re.match(r"[\w.-]+", requirement)[0]
        if name != project["name"]:
            with contextlib.suppress(metadata.PackageNotFoundError):
                yield f"{name} {metadata.version(name)}"


def fingerprint(parts, root):
    """A digest of names and contents of the files, and of the versions of what is installed."""
    digest = hashlib.sha256("\n".join([platform.python_version(), *versions(root)]).encode())
    for file in files(parts, root):
        digest.update(f"\n{file.relative_to(root).as_posix()}\n".encode())
        digest.update(file.read_bytes())
    return digest.hexdigest()


@cache
def beneath():
    """A digest of what lies beneath all notebooks."""
    settings = [f"{name}={os.environ.get(name, '')}" for name in SETTINGS]
    return "\n".join([fingerprint(BENEATH, ROOT), *settings])


def stored(path, notebook):
    """The file that keeps the run of a notebook in its present state."""
    code = [[cell.source, cell.metadata.get("tags")] for cell in code_cells(notebook)]
    digest = hashlib.sha256(f"{beneath()}\n{code!r}".encode()).hexdigest()
    return STORE / f"{path.stem}.{digest[:16]}.ipynb"


# --- a run ---------------------------------------------------------------------------------------


def code_cells(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


class CellError(Exception):
    """A cell raised. Its number counts code cells from 0, as nbval does."""

    def __init__(self, path, number, source, traceback):
        message = f"{path.name}, code cell {number} failed:\n\n{source}\n\n{traceback}"
        super().__init__(path, number, source, traceback)
        self.number, self.message = number, message

    def __str__(self):
        return self.message


def run(path, notebook):
    """Execute a notebook from top to bottom; the outputs go into it."""
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError

    client = NotebookClient(
        notebook,
        timeout=TIMEOUT,
        kernel_name=KERNEL["name"],
        record_timing=False,
        coalesce_streams=True,
        # The kernel warns that its messages are not encrypted. They stay on this machine.
        extra_arguments=["--IPKernelApp.log_level=ERROR"],
        resources={"metadata": {"path": str(path.parent)}},
    )
    try:
        client.execute()
    except CellExecutionError as error:
        cells = code_cells(notebook)
        outputs = [[o.output_type for o in cell.outputs] for cell in cells]
        number = next(i for i, types in enumerate(outputs) if "error" in types)
        raise CellError(path, number, cells[number].source, error.traceback) from None


def executed(path):
    """A notebook with the outputs of its present code: the run that is kept, or a new one."""
    notebook = read(path)
    target = stored(path, notebook)
    if target.exists():
        return read(target)
    started = time.perf_counter()
    run(path, notebook)
    took = time.perf_counter() - started
    write(target, notebook)
    target.with_suffix(".seconds").write_text(f"{took:.1f}")
    kept = sorted(STORE.glob(f"{path.stem}.*.ipynb"), key=lambda file: -file.stat().st_mtime)
    for old in kept[KEPT_RUNS:]:
        old.unlink(missing_ok=True)
        old.with_suffix(".seconds").unlink(missing_ok=True)
    return notebook


def seconds(path):
    """How long the run that is kept of a notebook took, or None."""
    target = stored(path, read(path)).with_suffix(".seconds")
    return target.read_text() if target.exists() else None


def _timed(path):
    started = time.perf_counter()
    executed(path)
    return time.perf_counter() - started


def execute_missing(paths):
    """Execute the notebooks whose run is not kept, on all processors; return the failures."""
    notebooks = {path: read(path) for path in paths}
    missing = [path for path in paths if not stored(path, notebooks[path]).exists()]
    # A stand-in for the time that each takes: the long ones first, so that none is left at the end.
    missing.sort(key=lambda path: -sum(len(cell.source) for cell in code_cells(notebooks[path])))
    failures = []
    with ProcessPoolExecutor(max_workers=os.cpu_count()) as pool:
        futures = {pool.submit(_timed, path): path for path in missing}
        for future in as_completed(futures):
            name = futures[future].relative_to(ROOT)
            try:
                print(f"  {name}: executed in {future.result():.0f} s", flush=True)
            except Exception as error:  # of the cell, or of the kernel that runs it
                failures.append(error)
                print(f"  {name}: {error}", file=sys.stderr, flush=True)
    return failures


# --- comparison ----------------------------------------------------------------------------------


def figures(outputs):
    """The pictures in a cell's outputs, variants and those inside of HTML too, as bytes."""
    found = []
    for output in outputs:
        data, stored = output.get("data", {}), output.get("metadata", {}).get("image/png", {})
        if "image/png" in data:
            found.append(data["image/png"])
            found += [stored[layout] for layout in ("narrow", "stacked") if layout in stored]
        html = data.get("text/html", "")
        found += re.findall(r"data:image/\w+;base64,([A-Za-z0-9+/=\\\s]+)", html)
    return [base64.b64decode(re.sub(r"\\n|\s|\\", "", one)) for one in found]


def figures_differ(committed, fresh):
    """Say how the pictures of two lists of outputs differ; an empty text if they do not."""
    import numpy as np
    from PIL import Image

    old, new = figures(committed), figures(fresh)
    if len(old) != len(new):
        return f"{len(old)} pictures expected, {len(new)} found"
    for number, pair in enumerate(zip(old, new, strict=True)):
        if pair[0] == pair[1]:
            continue
        a, b = (np.asarray(Image.open(io.BytesIO(one)).convert("RGBA"), int) for one in pair)
        if a.shape != b.shape:
            return f"picture {number}: {a.shape[1::-1]} pixels expected, {b.shape[1::-1]} found"
        share = (abs(a - b).max(axis=2) > SHADE).mean()
        if share > SHARE:
            return f"picture {number}: {share:.2%} of the pixels differ, {SHARE:.2%} may"
    return ""


@cache
def patterns():
    text = SANITIZE.read_text(encoding="utf-8")
    return re.findall(r"^regex: (.*)$\n^replace: (.*)$", text, re.MULTILINE)


def comparable(outputs):
    """Outputs without their pictures and without what may differ from run to run."""
    result = []
    for output in outputs:
        kind = output.output_type, output.get("name", "")
        data = dict(output.get("data", {}), text=output.get("text", ""))
        for pattern, replacement in patterns():
            for key, value in data.items():
                data[key] = re.sub(pattern, replacement, value) if isinstance(value, str) else value
        result.append((kind, {k: v for k, v in data.items() if k != "image/png"}))
    return result


def same(committed, fresh):
    """Whether two lists of outputs are the same to a reader."""
    text = comparable(committed) == comparable(fresh)
    return text and not figures_differ(committed, fresh)


def measures_time(cell):
    return UNCOMPARED in cell.metadata.get("tags", [])


def merged(committed, fresh):
    """A notebook with its fresh outputs, where these say something else than the committed ones.

    A cell that measures time keeps what it has: the fresh numbers were measured beside other
    processes.
    """
    for cell, new in zip(code_cells(committed), code_cells(fresh), strict=True):
        if not same(cell.outputs, new.outputs) and not (measures_time(cell) and cell.outputs):
            cell.outputs = new.outputs
        cell.execution_count = new.execution_count
    return committed


# --- commands ------------------------------------------------------------------------------------


def measured(path):
    """The code of the cells of the last commit: their outputs in the file belong to it."""
    command = ["git", "show", f"HEAD:./{path.name}"]
    try:
        show = subprocess.run(command, cwd=path.parent, capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return set()
    return {cell.source for cell in code_cells(parsed(show.stdout.decode()))}


def run_in_place(path, again):
    """Execute a notebook and save its outputs; return what to say about it.

    An output that says the same as before is left as it is, and so is that of a cell that measures
    time, if its code is that of the last commit. With ``again`` all outputs are new.
    """
    started = time.perf_counter()
    notebook, before = read(path), code_cells(read(path))
    known, target = measured(path), stored(path, notebook)

    def kept(old, new):
        if measures_time(old):  # without an output there is no known time to keep
            return bool(old.outputs) and old.source in known
        return same(old.outputs, new.outputs)

    runs = read(target) if target.exists() and not again else None
    if runs and all(kept(*pair) for pair in zip(before, code_cells(runs), strict=True)):
        return "saved" if write(path, notebook) else "up to date"
    run(path, notebook)
    write(target, notebook)
    for old, new in zip(before, code_cells(notebook), strict=True):
        if kept(old, new) and not again:
            new.outputs = old.outputs
    write(path, notebook)
    return f"executed in {time.perf_counter() - started:.0f} s"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("task", choices=["run", "format"])
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--again", action="store_true", help="renew the outputs of every cell")
    options = parser.parse_args()
    for path in [path.resolve() for path in options.files]:
        if options.task == "run":
            try:
                print(f"{path.name}: {run_in_place(path, options.again)}", flush=True)
            except CellError as error:
                sys.exit(str(error))
        elif write(path, read(path)):
            print(f"{path.name}: saved", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
