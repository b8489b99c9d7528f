"""Run scikit-learn's gallery of examples under ``python -m litlearn``, and compare what comes out.

    python .ci/gallery.py FOLDER [--only WORD] [--workers N] [--json FILE]

FOLDER holds the examples, as ``examples`` of a checkout of scikit-learn does. Each script that
imports from a namespace that litlearn stands in for is run twice, as it is, once with the classes
of scikit-learn and once with ours. Compared are the numbers that the script leaves: its global
variables, what it prints, and the lines, points and images of its figures. Scripts that fail with
scikit-learn's own classes on this machine, for want of a network or of another version, are left
out.
"""

import argparse
import contextlib
import io
import json
import os
import pickle
import re
import subprocess
import sys
import tempfile
import warnings
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from litlearn._core import stand_in

IMPORT = re.compile(rf"sklearn(?:\.| import .*)\b({'|'.join(stand_in.NAMESPACES)})\b")
NUMBER = re.compile(r"-?\d+\.\d+(?:e[+-]?\d+)?|-?\d+")
# Names of variables, and lines, that tell how long something took.
TIMED = re.compile(r"time|duration|elapsed|speed|throughput|\bsec|\d *s\b", re.I)
SECONDS = 300
CLOSE = 1e-3  # relative: what both stop at is no more exact, and figures show no more


# ---------------------------------------------------------------------------------------------
# One script, in a process of its own


def leave(script, name, out):
    """Run a script, with our classes if `name` is "ours", and write the numbers that it leaves."""
    import matplotlib
    import matplotlib.pyplot as plt

    matplotlib.use("Agg")
    warnings.simplefilter("ignore")
    plt.show = lambda *args, **kwargs: None
    record = stand_in.install() if name == "ours" else None
    os.chdir(Path(script).parent)
    sys.path.insert(0, str(Path(script).parent))
    sys.argv = [script]
    printed = io.StringIO()
    space = {"__name__": "__main__", "__file__": script}
    with contextlib.redirect_stdout(printed):
        exec(compile(Path(script).read_text("utf-8"), script, "exec"), space)
    found = {f"variable {name}": numbers(value) for name, value in space.items()}
    untimed = "\n".join(one for one in printed.getvalue().splitlines() if not TIMED.search(one))
    found["printed"] = np.array(NUMBER.findall(untimed), dtype=float)
    for i in plt.get_fignums():
        for k, axes in enumerate(plt.figure(i).axes):
            for j, line in enumerate(axes.lines):
                found[f"figure {i} axes {k} line {j}"] = numbers(line.get_ydata())
            for j, image in enumerate(axes.images):
                found[f"figure {i} axes {k} image {j}"] = numbers(np.asarray(image.get_array()))
            for j, points in enumerate(axes.collections):
                found[f"figure {i} axes {k} points {j}"] = numbers(np.asarray(points.get_offsets()))
    found = {k: v for k, v in found.items() if v is not None}
    used = sorted(map(list, record.replaced)) if record else []
    Path(out).write_bytes(pickle.dumps((found, used)))


def numbers(value):
    """Return what is made of numbers as an array, or None."""
    if isinstance(value, bool | int | float | np.generic) or hasattr(value, "__array__"):
        with contextlib.suppress(TypeError, ValueError):
            array = np.asarray(value)
            return array.astype(float) if array.dtype.kind in "biuf" else None
    if isinstance(value, list | tuple) and value:
        parts = [numbers(one) for one in value]
        if all(part is not None for part in parts):
            return np.concatenate([np.ravel(part) for part in parts])
    return None


# ---------------------------------------------------------------------------------------------
# All of them


def run(script, name):
    """Return (numbers, names) that a script leaves, or the last line of its error."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "left.pickle"
        command = [sys.executable, __file__, "--leave", str(script), name, str(out)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
        except subprocess.TimeoutExpired:
            return f"more than {SECONDS} s"
        if done.returncode or not out.exists():
            return (done.stderr.strip().splitlines() or ["no word"])[-1][:300]
        return pickle.loads(out.read_bytes())


def distance(a, b):
    """Return the largest difference of two arrays, by the size of their entries.

    Of whole numbers, such as labels, the share that differ.
    """
    if a.shape != b.shape:
        return np.inf
    if not a.size:
        return 0.0
    if np.array_equal(a, np.round(a), equal_nan=True):
        return float(np.mean((a != b) & ~(np.isnan(a) & np.isnan(b))))
    both = np.isnan(a) & np.isnan(b)
    scale = max(np.abs(b[np.isfinite(b)]).max(initial=0.0), 1e-300)
    with np.errstate(invalid="ignore"):
        apart = np.where(both | (a == b), 0.0, np.abs(a - b) / scale)
    return float(np.nan_to_num(apart, nan=np.inf).max())


def judge(script):
    """Run a script both ways; return a dictionary that says what came out."""
    theirs = run(script, "theirs")
    if isinstance(theirs, str):
        return {"outcome": "left out", "why": theirs}
    ours = run(script, "ours")
    if isinstance(ours, str):
        return {"outcome": "fails", "why": ours}
    (ours, used), (theirs, _) = ours, theirs
    if not used:
        return {"outcome": "left out", "why": "it uses nothing that is replaced"}
    apart = {k: distance(ours[k], theirs[k]) for k in theirs.keys() & ours.keys()}
    far = {k: v for k, v in apart.items() if v > CLOSE and not TIMED.search(k)}
    lack = sorted(theirs.keys() - ours.keys())
    outcome = "differs" if far or lack else "same"
    far = dict(sorted(far.items(), key=lambda item: -item[1])[:6])
    used = [".".join(one) for one in used]
    return {"outcome": outcome, "compared": len(apart), "far": far, "lack": lack, "used": used}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="", help="part of a script's path")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--json", type=Path, help="where to write what came out")
    arguments = parser.parse_args()
    folder = arguments.folder.resolve()
    scripts = [
        one
        for one in sorted(folder.rglob("*.py"))
        if arguments.only in str(one.relative_to(folder)) and IMPORT.search(one.read_text("utf-8"))
    ]
    found = {}
    with ThreadPoolExecutor(arguments.workers) as pool:
        for script, result in zip(scripts, pool.map(judge, scripts), strict=True):
            name = str(script.relative_to(folder))
            found[name] = result
            what = result.get("why") or result.get("far") or ""
            print(f"{result['outcome']:9} {name} {what}", flush=True)
            if arguments.json:
                arguments.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    print(*(f"{n} {what}" for what, n in Counter(r["outcome"] for r in found.values()).items()))
    return any(result["outcome"] == "fails" for result in found.values())


if __name__ == "__main__":
    if sys.argv[1:2] == ["--leave"]:
        leave(*sys.argv[2:])
    else:
        sys.exit(main())
