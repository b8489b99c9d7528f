"""Run a script with our estimators in the place of scikit-learn's: ``python -m litlearn``."""

import argparse
import runpy
import sys
from pathlib import Path

from litlearn._core import stand_in

DESCRIPTION = """\
Run a Python script as it is, with litlearn's classes and functions where it imports those of the
same names from scikit-learn. Of the rest, nothing changes. At the end, a list on standard error
says what was replaced, and what was not and why.
"""


def parsed(arguments):
    """Return the arguments of the command; what follows the script is the script's."""
    parser = argparse.ArgumentParser(
        prog="python -m litlearn",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--keep",
        action="append",
        default=[],
        metavar="NAME",
        help="leave a name with scikit-learn, such as SVC or linear_model.Ridge; may be repeated",
    )
    parser.add_argument("--quiet", action="store_true", help="no list at the end")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("-m", dest="module", metavar="MODULE", help="run a module, as python -m does")
    what.add_argument("script", nargs="?", help="a file of Python")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="those of the script")
    # What follows the name of a script or a module is not ours to read.
    ours, rest = _split(arguments)
    found = parser.parse_args(ours)
    found.arguments = rest
    return parser, found


def _split(arguments):
    """Split the arguments after the name of the script or the module."""
    at = 0
    while at < len(arguments):
        one = arguments[at]
        if one == "-m" or not one.startswith("-"):
            at += 2 if one == "-m" else 1
            break
        at += 2 if one == "--keep" else 1
    return arguments[:at], arguments[at:]


def main(arguments=None):
    """Run what the command names."""
    parser, found = parsed(sys.argv[1:] if arguments is None else arguments)
    if found.script is not None and not Path(found.script).exists():
        parser.error(f"there is no file {found.script!r}")
    try:
        replaced = stand_in.install(found.keep)
    except ValueError as error:
        parser.error(str(error))
    sys.argv = [found.module or found.script, *found.arguments]
    try:
        if found.module:
            sys.path.insert(0, "")
            runpy.run_module(found.module, run_name="__main__", alter_sys=True)
        else:
            sys.path.insert(0, str(Path(found.script).resolve().parent))
            runpy.run_path(found.script, run_name="__main__")
    finally:
        if not found.quiet:
            print(replaced.told(), file=sys.stderr)


if __name__ == "__main__":
    main()
