"""Put the built book of a version into the folder that a web server shows.

    python .ci/versions.py FOLDER VERSION BOOK    # site v1.0.0 _build/html

``v1.0.0/``        the pages of that version, which stay
``latest/``        those of the newest release once more, under addresses that stay
``versions.json``  what the pages list, with addresses relative to this file (``page.js``)
``versions.html``  the same list, for readers
``index.html``     leads to the newest release

No file names the place of the site, so that it may lie anywhere, also below another one.
"""

import argparse
import json
import re
import shutil
import sys
from pathlib import Path

VERSION = re.compile(r"v(\d+)\.(\d+)\.(\d+)(?:(a|b|rc)(\d+))?")
PAGE = """\
<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
{}
</html>
"""


def order(version):
    """Return what sorts versions; one before a release, such as v1.0.0rc1, comes before it."""
    *numbers, kind, number = VERSION.fullmatch(version).groups()
    return *map(int, numbers), kind is None, kind or "", int(number or 0)


def list_versions(folder):
    """Write the list of the versions in a folder, the newest as latest, and the front page."""
    versions = sorted(
        (one.name for one in folder.iterdir() if VERSION.fullmatch(one.name)), key=order
    )[::-1]
    newest = next((one for one in versions if VERSION.fullmatch(one)[4] is None), versions[0])
    shutil.rmtree(folder / "latest", ignore_errors=True)
    shutil.copytree(folder / newest, folder / "latest")
    entries = [
        {"name": f"Version {one[1:]}", "version": one[1:], "url": f"{one}/"} for one in versions
    ]
    latest = entries[versions.index(newest)]
    latest |= {"name": f"{latest['name']} (latest)", "url": "latest/", "preferred": True}
    files = {"versions.json": json.dumps(entries, indent=1) + "\n"}
    lines = "\n".join(f'<li><a href="./{one}/">{one[1:]}</a></li>' for one in versions)
    listed = "<title>litlearn: all versions</title>\n<h1>All versions of the book</h1>\n<ul>\n"
    files["versions.html"] = PAGE.format(f"{listed}{lines}\n</ul>")
    files["index.html"] = PAGE.format(
        '<title>litlearn</title>\n<meta http-equiv="refresh" content="0; url=./latest/">\n'
        f'<p><a href="./latest/">The book, version {newest[1:]}</a> · '
        '<a href="./versions.html">all versions</a></p>'
    )
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return newest


def add(folder, version, book):
    """Put a book into the folder, in the place of an earlier one of the same version.

    Raises
    ------
    ValueError
        If the version is none, or the pages say that they are of another one.
    """
    if not VERSION.fullmatch(version):
        raise ValueError(f"{version} is not the tag of a version")
    said = re.search(r"VERSION: '([^']*)'", (book / "index.html").read_text("utf-8"))
    if said is None or f"v{said[1]}" != version:
        raise ValueError(f"{book} is the book of {said and said[1]}, not of {version}")
    shutil.rmtree(folder / version, ignore_errors=True)
    shutil.copytree(book, folder / version)
    return list_versions(folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("version")
    parser.add_argument("book", type=Path)
    options = parser.parse_args()
    try:
        newest = add(options.folder, options.version, options.book)
    except (OSError, ValueError) as error:
        sys.exit(str(error))
    print(f"{options.version} is in {options.folder}; the front page leads to {newest}.")


if __name__ == "__main__":
    main()
