"""What pages say of the repository and of the site, as address.toml has them, and of their version.

Links to the repository point to what the book was built from: a release's tag, or main. Where no
address is set, there is none of them. The list of versions lies above the folder of a version
(``.ci/versions.py``); ``page.js`` looks for it only from within such a folder.
"""

import sys
from pathlib import Path

import litlearn

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / ".ci"))

import address

AT = address.read()
BUTTONS = ("use_edit_page_button", "use_issues_button", "use_repository_button")
LAUNCH = {
    "binderhub_url": "https://mybinder.org",
    "colab_url": "https://colab.research.google.com",
    "notebook_interface": "jupyterlab",
}


def branch(version):
    """The branch or tag that holds the pages of a version."""
    return "main" if ".dev" in version else f"v{version}"


def set_addresses(app, config):
    options = config.html_theme_options
    options["repository_url"] = AT.home
    options["repository_branch"] = branch(litlearn.__version__)
    options["launch_buttons"] = dict(LAUNCH) if AT.home else {}
    options |= dict.fromkeys(BUTTONS, bool(AT.home))
    if options["repository_branch"] != "main":
        options["use_edit_page_button"] = False  # GitHub edits branches, not tags
    config.version = config.release = litlearn.__version__
    options["switcher"] = {"json_url": "../versions.json", "version_match": litlearn.__version__}
    config.html_baseurl = AT.readable and f"{AT.readable}/latest/"


def setup(app):
    app.connect("config-inited", set_addresses, priority=1)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
