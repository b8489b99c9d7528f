"""Links to the repository point to what the book was built from: a release's tag, or main."""

import litlearn


def branch(version):
    """The branch or tag that holds the pages of a version."""
    return "main" if ".dev" in version else f"v{version}"


def set_branch(app, config):
    options = config.html_theme_options
    options["repository_branch"] = branch(litlearn.__version__)
    if options["repository_branch"] != "main":
        options["use_edit_page_button"] = False  # GitHub edits branches, not tags


def setup(app):
    app.connect("config-inited", set_branch, priority=1)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
