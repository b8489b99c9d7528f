"""A page at each address that a page had in an earlier release, which leads to the one it has now.

``book/redirects.toml`` names them. The place within the page, behind ``#``, is kept.
"""

import html
import os
import tomllib
from pathlib import Path

TABLE = Path(__file__).resolve().parent.parent / "redirects.toml"
PAGE = """\
<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="color-scheme" content="light dark">
<title>This page has moved</title>
<link rel="canonical" href="{target}">
<script>location.replace("{target}" + location.search + location.hash)</script>
<noscript><meta http-equiv="refresh" content="0; url={target}"></noscript>
<p>This page has moved: <a href="{target}">to its new address</a>.</p>
</html>
"""


def read(table=TABLE):
    """Return old address -> new address, both without their endings."""
    return tomllib.loads(table.read_text("utf-8"))


def problems(moved, pages):
    """Return what is wrong with a table, given the names of the pages that there are."""
    return [
        *(f"{old} is a page" for old in moved if old in pages),
        *(f"{old} leads to {new}, which is no page" for old, new in moved.items()
          if new not in pages),
    ]  # fmt: skip


def write(out, moved):
    """Write the pages that lead to others below the folder of a book."""
    for old, new in moved.items():
        page = out / f"{old}.html"
        page.parent.mkdir(parents=True, exist_ok=True)
        target = Path(os.path.relpath(out / f"{new}.html", page.parent)).as_posix()
        page.write_text(PAGE.format(target=html.escape(target)), encoding="utf-8")


def finish(app, exception):
    if exception is None and app.builder.format == "html":
        moved = read()
        if wrong := problems(moved, app.env.found_docs):
            raise ValueError(f"{TABLE.name}: {'; '.join(wrong)}")
        write(Path(app.outdir), moved)


def setup(app):
    app.connect("build-finished", finish, priority=950)  # not to be finished as pages are
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
