"""The notebooks for reading, opened in JupyterLab as Binder shows them, and run there to the end.

One of them for each change, all of them once a week.
"""

import importlib.util
import json
import os
import re
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest
import reading

for package in ("jupyterlab", "jupyterlab_myst"):  # to import them takes seconds
    if not importlib.util.find_spec(package):
        pytest.skip(f"{package} is not installed", allow_module_level=True)

pytestmark = [pytest.mark.browser, pytest.mark.thread_unsafe]

ROOT = Path(__file__).resolve().parent.parent
NAMES = sorted(path.stem for path in (ROOT / "book").glob("*.ipynb"))
SECONDS = 600


def setting(folder, plugin, **values):
    """Write a setting of the user's for a plugin of JupyterLab."""
    extension, name = plugin.split(":")
    path = folder / extension / f"{name}.jupyterlab-settings"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(values))


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """The address of a JupyterLab in a folder with the notebooks for reading.

    As in a clone, the measured times that *Performance* shows are beside them.
    """
    work = tmp_path_factory.mktemp("lab")
    (work / "benchmarks").symlink_to(ROOT / "benchmarks")
    subprocess.run([sys.executable, ROOT / ".ci" / "reading.py", work / "book"], check=True)
    own = {
        f"{name}_DIR": str(work / name.lower())
        for name in ("JUPYTER_CONFIG", "JUPYTER_DATA", "JUPYTER_RUNTIME", "JUPYTERLAB_SETTINGS",
                     "JUPYTERLAB_WORKSPACES", "IPYTHON")
    }  # fmt: skip
    own["IPYTHONDIR"] = own.pop("IPYTHON_DIR")
    settings = work / "jupyterlab_settings"
    # All cells are rendered, not those alone that are in view.
    setting(settings, "@jupyterlab/notebook-extension:tracker", windowingMode="none")
    setting(settings, "@jupyterlab/apputils-extension:notification", fetchNews="false",
            checkForUpdates=False)  # fmt: skip
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    address = f"http://127.0.0.1:{port}"
    command = [sys.executable, "-m", "jupyter", "lab", "--no-browser", f"--ServerApp.port={port}",
               "--ServerApp.port_retries=0", "--ServerApp.ip=127.0.0.1", "--allow-root",
               "--IdentityProvider.token=", f"--ServerApp.root_dir={work}",
               "--LabApp.expose_app_in_browser=True"]  # fmt: skip
    with open(work / "log", "w") as log:
        server = subprocess.Popen(
            command, cwd=work, stdout=log, stderr=log, env={**os.environ, **own}
        )
    until = time.monotonic() + 120
    while True:
        try:
            urllib.request.urlopen(f"{address}/api/status").close()
            break
        except (urllib.error.URLError, ConnectionError):
            running = server.poll() is None and time.monotonic() < until
            assert running, (work / "log").read_text()[-2000:]
            time.sleep(0.2)
    yield address
    server.terminate()
    server.wait(60)


# What the extension renders: cells of text, and sentences that a cell of code printed.
RENDERED = ".jp-Notebook .myst"

READY = """() => {
  const texts = [...document.querySelectorAll(".jp-MarkdownCell")];
  return texts.length && texts.every(cell => cell.querySelector(".myst")?.innerText)
    && !document.querySelector(".jp-mod-loading");
}"""

PROBLEMS = r"""rendered => {
  const markup = /\{[a-z:-]+\}`|^\s*:::|```|\$|\[\]|\]\(|\\[a-z]+|\?\?|^\([\w-]+\)=|^\s*:[a-z-]+:/m;
  const out = [];
  const images = [...document.querySelectorAll(".jp-Notebook img")];
  images.filter(i => !i.complete || !i.naturalWidth).forEach(i => out.push("no picture: " + i.alt));
  document.querySelectorAll(rendered).forEach(place => {
    const walk = document.createTreeWalker(place, NodeFilter.SHOW_TEXT);
    while (walk.nextNode()) {
      const {textContent: text, parentElement: parent} = walk.currentNode;
      if (parent.closest("pre, code, script, style, .katex, svg")) continue;
      if (markup.test(text))
        out.push("markup: " + text.trim().slice(0, 90));
    }
    place.querySelectorAll("[title$='Not Found'], .katex-error, [class*=error]").forEach(e =>
      out.push((e.title || e.className) + ": " + e.textContent.slice(0, 90)));
    place.querySelectorAll("a").forEach(a => {
      const href = a.getAttribute("href");
      if (!a.textContent.trim() && !a.querySelector("img, svg")) out.push("empty link to " + href);
    });
  });
  return out;
}"""

SET = """() => [".katex-display", "img"].map(kind =>
  document.querySelectorAll(`.jp-MarkdownCell .myst ${kind}`).length)"""

# The number beside each equation with a label that is not folded.
NUMBERS = r"""() => [...document.querySelectorAll(".jp-MarkdownCell .myst [id^=eq-]")]
  .map(place => [place.id, place.innerText.trim().match(/\(\d+\)$/)?.[0]])
  .filter(one => one[1])"""

# Of each cell of code, also of those that are folded: its number, and what it complains of.
RUN = """() => jupyterapp.shell.currentWidget.content.widgets
  .filter(cell => cell.model.type === "code" && cell.model.sharedModel.getSource().trim())
  .map(cell => [cell.model.executionCount, cell.model.outputs.toJSON()
    .filter(one => one.output_type === "error" || one.name === "stderr")
    .map(one => one.evalue || one.text)])"""


@pytest.fixture
def tab(chromium):
    with chromium.new_context(viewport={"width": 1280, "height": 900}) as context:
        context.set_default_timeout(1000 * SECONDS)
        yield context.new_page()


def problems(tab):
    """What is wrong with what is rendered; cells are resolved anew while others are being read."""
    tab.wait_for_function(READY)
    for _ in range(60):
        if not (found := tab.evaluate(PROBLEMS, RENDERED)):
            break
        tab.wait_for_timeout(500)
    return found


def chosen(tab, menu, command):
    """Choose a command in a menu."""
    tab.get_by_role("menuitem", name=menu, exact=True).click()
    tab.locator(f".lm-Menu-item[data-command='{command}']").click()


@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=() if n == "logistic_inference" else pytest.mark.weekly) for n in NAMES],
)
def test_a_notebook_reads_and_runs_in_lab(tab, lab, name):
    """Everything is resolved and set, and all cells run, without a warning."""
    tab.goto(f"{lab}/lab/tree/book/{name}.ipynb?reset")
    tab.locator(".jp-Notebook .jp-Cell").first.wait_for()
    assert problems(tab) == []
    sources = json.loads(
        urllib.request.urlopen(f"{lab}/api/contents/book/{name}.ipynb?content=1").read()
    )["content"]["cells"]
    prose = "\n".join(one["source"] for one in sources if one["cell_type"] == "markdown")
    formulas, pictures = tab.evaluate(SET)
    assert formulas >= prose.count("$$") // 2 and pictures == len(re.findall(r"!\[", prose))
    # Sentences that cells print name them by these numbers.
    path = ROOT / "book" / f"{name}.ipynb"
    reader = reading.Reader(reading.Labels(path.parent), name, pages=False)
    reader.notebook(json.loads(path.read_text(encoding="utf-8")))
    shown = dict(tab.evaluate(NUMBERS))
    assert shown == {label: reader.number[label] for label in shown}
    chosen(tab, "Edit", "editmenu:clear-all")
    tab.wait_for_function(f"() => ({RUN})().every(cell => !cell[0])")
    chosen(tab, "Run", "runmenu:run-all")
    tab.wait_for_function(
        f"() => ({RUN})().every(cell => cell[0]) || ({RUN})().some(c => c[1].length)"
    )
    ran = tab.evaluate(RUN)
    assert [said for _, said in ran if said] == []
    assert len(ran) == sum(one["cell_type"] == "code" and one["source"] != "" for one in sources)
    assert problems(tab) == []
