"""Where the project is: read from address.toml, and written into the pages that cannot read it.

    python .ci/address.py write [--owner NAME] [--repository NAME] [--site URL] [--published yes|no]
    python .ci/address.py check [--github NAME/NAME] [--published yes]

``write``, which ``make address`` calls, changes address.toml and then every place in ``PLACES``.
``check`` names the files that say otherwise, and fails where the address is not that of the
repository at hand (``--github``, as a workflow knows it) or the book not said to be published.
``setup.py``, ``.ci/reading.py``, ``.ci/kernels.py`` and the extensions of the book call ``read``.
"""

import argparse
import re
import sys
import tomllib
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
NAME, URL = r"[A-Za-z0-9][A-Za-z0-9._-]*", r"https://[^\s\"<>]*[^\s\"<>/]"


class Address(NamedTuple):
    """What address.toml says."""

    owner: str
    repository: str
    site: str
    published: bool

    @property
    def home(self):
        """The page of the repository, or "" where no owner is set."""
        return f"https://github.com/{self.owner}/{self.repository}" if self.owner else ""

    @property
    def clone(self):
        """What stands behind ``git clone``."""
        return self.home or "<address>"

    @property
    def pages(self):
        """The site of the book, or "" where none is set."""
        default = f"https://{self.owner}.github.io/{self.repository}" if self.owner else ""
        return self.site or default

    @property
    def readable(self):
        """The site of the book once there is one, else ""."""
        return self.pages if self.published else ""


def read(root=ROOT):
    """Return the address.

    Raises
    ------
    ValueError
        If a name or the site is none, or a book is published without a repository.
    """
    said = Address(**tomllib.loads((root / "address.toml").read_text("utf-8")))
    if said.owner and not re.fullmatch(NAME, said.owner):
        raise ValueError(f"owner is {said.owner!r}, expected a name on GitHub, or none")
    if not re.fullmatch(NAME, said.repository):
        raise ValueError(f"repository is {said.repository!r}, expected a name on GitHub")
    if said.site and not re.fullmatch(URL, said.site):
        raise ValueError(f"site is {said.site!r}, expected https://... without a slash at its end")
    if said.published and not said.owner:
        raise ValueError("published is true, expected an owner with it")
    return said


# -- what is written -----------------------------------------------------------------------------


def clone(at):
    return f"git clone {at.clone} litlearn"


def published(at):
    if at.readable:
        return f"The published book is at\n<{at.pages}/>."
    where = f" at <{at.pages}/>" if at.pages else " on the web"
    return f"Once published, the book is to be read{where};\nuntil then `make book` sets its pages."


def launch(at):
    begins = "Each" if at.readable else "Once published, each"
    return (
        f"{begins} page of the book with code also opens on Binder or in Colab, from the rocket\n"
        "at its top. Colab gets a plain form of the notebook from the branch `colab`, whose first\n"
        "cell installs litlearn there."
    )


def install(at):
    if at.readable:
        return (
            f"```sh\npip install git+{at.home}       # -U later, to have the newest state\n"
            'pip install "litlearn[kernels]"       # a release with compiled functions: the first '
            "fit compiles nothing\n```"
        )
    return (
        "```sh\npip install .       # in a clone\n```\n\n"
        f"Once published, `pip install git+{at.clone}` needs no clone, and\n"
        '`pip install "litlearn[kernels]"` brings a release with compiled functions, so that the\n'
        "first fit compiles nothing."
    )


def link(at):
    """Return what turns a link to a page of the book."""

    def turned(match):
        page, fragment = match["page"] or match["source"], match["fragment"] or ""
        files = [f"{page}{end}" for end in (".ipynb", ".md")]
        source = next(name for name in files if (ROOT / name).exists())
        target = f"{at.readable}/latest/{page}.html" if at.readable else source
        return f"]({target}{fragment})"

    return turned


def cited(at):
    lines = f'repository-code: "{at.home}"\nurl: "{at.readable or at.home}"\n' if at.home else ""
    return f"  - CC-BY-4.0\n{lines}keywords:"


def credit(at):
    where = f" {at.home},\n " if at.home else ""
    return f'"litlearn" by The litlearn developers,{where} licensed under CC BY 4.0.'


def source(at):
    where = f"is on [GitHub]({at.home})" if at.home else "comes with the book"
    return f"The source of both {where}."


def notebook(at):
    binder = "the chapter on Binder (the rocket at its top), or its notebook (the arrow beside it)"
    alone = "the notebook of the chapter (the arrow at its top)"
    return f"run it again | {binder if at.home else alone} |"


def releases(at):
    """The links behind the headings of the list of changes."""
    headings = r"^## \[(\d[\w.]*)\]"
    done = re.findall(headings, (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    if not at.home or not done:
        return "\n<!-- links -->\n"
    lines = [f"[Unreleased]: {at.home}/compare/v{done[0]}...HEAD"]
    lines += [f"[{one}]: {at.home}/releases/tag/v{one}" for one in done]
    return "\n".join(["\n<!-- links -->", *lines, ""])


def marked(name):
    """The pattern of what stands between two marks."""
    return rf"(?<=<!-- address: {name} -->\n).*?(?=\n<!-- end of the address -->)"


LINK = (
    r"\]\((?:(?P<source>book/[\w/-]+)\.(?:ipynb|md)|https://[^\s)]*?/latest/(?P<page>book/[\w/-]+)"
    r"\.html)(?P<fragment>#[\w-]+)?\)"
)
CLONE = r"git clone (?:<address>|https://\S+) litlearn"
# File -> (pattern of every form that a place can have, what makes of an address the one it has).
PLACES = {
    "README.md": [
        (CLONE, clone),
        (marked("published"), published),
        (marked("launch"), launch),
        (marked("install"), install),
        (LINK, link),
    ],
    "CONTRIBUTING.md": [(CLONE, clone)],
    "CHANGELOG.md": [(r"\n<!-- links -->\n.*\Z", releases)],
    "CITATION.cff": [(r"  - CC-BY-4\.0\n.*?keywords:", cited)],
    "LICENSE-text": [(r'"litlearn" by The.*?licensed under CC BY 4\.0\.', credit)],
    "index.md": [
        (r"The source of both [^\n]*", source),
        (r"run it again \| [^\n|]* \|", notebook),
    ],
}


def rewritten(name, text, at):
    """Return the text of a file with the address in its places.

    Raises
    ------
    ValueError
        If a place is not there.
    """
    for pattern, make in PLACES[name]:
        new = make(at)
        text, count = re.subn(pattern, new if callable(new) else lambda _, new=new: new, text,
                              flags=re.DOTALL)  # fmt: skip
        if not count:
            raise ValueError(f"{name} has no place for the address ({make.__name__})")
    return text


def differing(at):
    """Return name -> text of the files whose places say something else."""
    texts = {name: (ROOT / name).read_text("utf-8") for name in PLACES}
    new = {name: rewritten(name, text, at) for name, text in texts.items()}
    return {name: text for name, text in new.items() if text != texts[name]}


def write(changes):
    """Change the settings, and everything that is made of them; on an error, nothing."""
    path = ROOT / "address.toml"
    before = path.read_text("utf-8")
    text = before
    for key, value in changes.items():
        said = str(value).lower() if isinstance(value, bool) else f'"{value}"'
        text = re.sub(rf"^{key} = .*$", lambda _, k=key, s=said: f"{k} = {s}", text, flags=re.M)
    path.write_text(text, encoding="utf-8")
    try:
        new = differing(read())
    except BaseException:
        path.write_text(before, encoding="utf-8")
        raise
    for name, content in new.items():
        (ROOT / name).write_text(content, encoding="utf-8")
    return sorted(new)


def problems(at, github=None, published=False):
    """What is wrong with the address where it is used."""
    out = [f"{name} has another address: run make address" for name in differing(at)]
    if github is not None and at.home != f"https://github.com/{github}":
        out.append(f"address.toml is of {at.home or 'no repository'}, this one is {github}")
    if published and not at.published:
        out.append("address.toml does not say that the book is published")
    return out


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("action", choices=["write", "check"])
    for name in ("owner", "repository", "site", "github"):
        parser.add_argument(f"--{name}")
    parser.add_argument("--published", choices=["yes", "no"])
    given = parser.parse_args(arguments)
    try:
        if given.action == "check":
            wrong = problems(read(), given.github, given.published == "yes")
            print("\n".join(wrong) or f"The address is {read().home or 'not set'}.")
            return 1 if wrong else 0
        changes = {k: v for k in ("owner", "repository", "site")
                   if (v := getattr(given, k)) is not None}  # fmt: skip
        if given.published:
            changes["published"] = given.published == "yes"
        changed = write(changes)
    except ValueError as error:
        print(f"address: {error}", file=sys.stderr)
        return 2
    print(f"The address is {read().home or 'not set'}; changed: {', '.join(changed) or 'no page'}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
