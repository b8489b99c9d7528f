"""Everything about the package is in pyproject.toml; here is what cannot be said there.

pip keeps an installed package when the new one has the same version, also with ``pip install -U``
from git. Between two releases the version therefore ends in the commit: 0.2.0.dev0+g1a2b3c4. In a
source distribution, which has no repository, the file PKG-INFO says which commit it was.

README.md links to files beside it. Package indexes show it without them, so that the description
of the package has the addresses of those files instead, or no links where address.toml names no
repository.
"""

import re
import subprocess
import sys
from pathlib import Path

from setuptools import setup

ROOT = Path(__file__).resolve().parent
sys.path.insert(0, str(ROOT / ".ci"))

import address  # noqa: E402

AT = address.read(ROOT)


def text(name):
    return (ROOT / name).read_text(encoding="utf-8")


def version():
    public = re.search(r'^__version__ = "(.+)"$', text("src/litlearn/__init__.py"), re.MULTILINE)[1]
    if ".dev" not in public:
        return public
    if (ROOT / ".git").exists():
        command = ["git", "rev-parse", "--short=12", "HEAD"]
        try:
            commit = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
        except (OSError, subprocess.CalledProcessError):
            return public
        return f"{public}+g{commit.stdout.strip()}"
    packed = ROOT / "PKG-INFO"
    found = re.search(r"^Version: (.+)$", text(packed), re.MULTILINE) if packed.exists() else None
    return found[1] if found and found[1].startswith(f"{public}+g") else public


def description():
    """Return README.md with addresses in the place of relative links."""
    state = "main" if ".dev" in VERSION else f"v{VERSION}"

    def absolute(link):
        if not AT.home:
            return "" if link[1][0] == "!" else link[1][1:-1]
        return f"{link[1]}({AT.home}/{'raw' if link[1][0] == '!' else 'blob'}/{state}/{link[2]})"

    described = re.sub(r"<!-- (address: \w+|end of the address) -->\n", "", text("README.md"))
    return re.sub(r"(!?\[[^\]]*\])\((?!\w+:|#)([^)\s]+)\)", absolute, described)


def links():
    """Return what an index shows beside the description."""
    if not AT.home:
        return {}
    return {
        "Homepage": AT.home,
        **({"Documentation": f"{AT.readable}/"} if AT.readable else {}),
        "Changelog": f"{AT.home}/blob/main/CHANGELOG.md",
        "Issues": f"{AT.home}/issues",
    }


VERSION = version()
setup(
    version=VERSION,
    project_urls=links(),
    long_description=description(),
    long_description_content_type="text/markdown",
)
