"""Everything about the package is in pyproject.toml; here is what cannot be said there.

pip keeps an installed package when the new one has the same version, also with ``pip install -U``
from git. Between two releases the version therefore ends in the commit: 0.2.0.dev0+g1a2b3c4.
"""

import re
import subprocess
from pathlib import Path

from setuptools import setup

ROOT = Path(__file__).resolve().parent


def version():
    text = (ROOT / "src" / "litlearn" / "__init__.py").read_text(encoding="utf-8")
    public = re.search(r'^__version__ = "(.+)"$', text, re.MULTILINE)[1]
    if ".dev" not in public or not (ROOT / ".git").exists():
        return public
    command = ["git", "rev-parse", "--short=12", "HEAD"]
    try:
        commit = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return public
    return f"{public}+g{commit.stdout.strip()}"


setup(version=version())
