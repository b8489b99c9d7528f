"""The files around the module agree with each other and with what is there."""

import contextlib
import doctest
import importlib
import importlib.util
import inspect
import io
import json
import os
import pkgutil
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import types
import zipfile
from pathlib import Path

import address
import pytest
import yaml

import litlearn
from litlearn import _warm_up

ROOT = Path(__file__).resolve().parent.parent
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = PYPROJECT["project"]
MODULES = ["litlearn", *(m.name for m in pkgutil.walk_packages(litlearn.__path__, "litlearn."))]


def text(name):
    return (ROOT / name).read_text(encoding="utf-8")


ELSEWHERE = address.Address("somebody", "other", "", True)
NOWHERE = address.Address("", "other", "", False)


def parsed(name):
    return yaml.safe_load(text(name))


# --- one version -----------------------------------------------------------------------------


def test_version_is_said_in_one_place():
    assert re.fullmatch(r"\d+\.\d+\.\d+(\.dev\d+|rc\d+)?", litlearn.__version__)
    assert PROJECT["dynamic"] == ["version", "readme", "urls"] and "version" not in PROJECT
    assert "dynamic" not in PYPROJECT["tool"]["setuptools"], "setup.py reads it"
    says_it = [
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "src").rglob("*.py")
        if "__version__ =" in path.read_text(encoding="utf-8")
    ]
    assert says_it == ["src/litlearn/__init__.py"]


def numbers(version):
    return [int(part) for part in re.findall(r"\d+", version)]


def version_problems(version, changelog, citation):
    """What is wrong with the version, given the list of changes and the citation."""
    releases = re.findall(r"^## \[(\d[\w.]*)\] - (\d{4}-\d{2}-\d{2})$", changelog, re.MULTILINE)
    latest, date = releases[0]
    unreleased = re.search(r"^## \[Unreleased\]\n(.*?)^## \[", changelog, re.DOTALL | re.MULTILINE)
    changed = "\n- " in unreleased[1]
    public = version.split(".dev")[0]
    problems = []
    if changed and public == version:
        problems.append("unreleased changes in CHANGELOG.md: the version must be a .dev0")
    if public != version and numbers(public) <= numbers(latest):
        problems.append(f"{version} is not later than {latest}")
    if public == version and version != latest:
        problems.append(f"CHANGELOG.md has no entry for {version}")
    if (str(citation["version"]), str(citation["date-released"])) != (latest, date):
        problems.append(f"CITATION.cff does not name the last release, {latest} of {date}")
    return problems


def test_version_changelog_and_citation_agree():
    citation = parsed("CITATION.cff")
    assert version_problems(litlearn.__version__, text("CHANGELOG.md"), citation) == []
    head = "# Changelog\n\n## [Unreleased]\n"
    tail = "\n## [0.1.0] - 2026-11-20\n\n- All.\n"
    cited = {"version": "0.1.0", "date-released": "2026-11-20"}
    news = "\n### Added\n\n- Trees.\n"
    assert version_problems("0.1.0", head + tail, cited) == []
    assert version_problems("0.2.0.dev0", head + news + tail, cited) == []
    assert version_problems("0.1.0", head + news + tail, cited)
    assert version_problems("0.1.0.dev0", head + news + tail, cited)
    assert version_problems("0.2.0", head + tail, cited)
    assert version_problems("0.2.0.dev0", head + tail, cited | {"version": "0.0.9"})


def test_licences_are_the_declared_ones():
    assert PROJECT["license"] == "BSD-3-Clause AND OFL-1.1"
    assert "SIL OPEN FONT LICENSE Version 1.1" in text("src/litlearn/fonts/LICENSE")
    # What is installed besides code carries a licence of its own, and the metadata name it.
    carried = {path.relative_to(ROOT).as_posix() for path in (ROOT / "src").rglob("LICENSE*")}
    assert carried == {"src/litlearn/fonts/LICENSE"} <= set(PROJECT["license-files"])
    assert text("LICENSE").startswith("BSD 3-Clause License")
    assert "https://creativecommons.org/licenses/by/4.0/legalcode" in text("LICENSE-text")
    assert all((ROOT / name).is_file() for name in PROJECT["license-files"])
    assert parsed("CITATION.cff")["license"] == ["BSD-3-Clause", "CC-BY-4.0"]


# --- requirements ----------------------------------------------------------------------------


def test_the_module_needs_five_packages():
    names = {re.match(r"[\w-]+", requirement)[0] for requirement in PROJECT["dependencies"]}
    assert names == {"numba", "numpy", "scipy", "threadpoolctl", "tqdm"}
    assert set(PROJECT["optional-dependencies"]) == {
        *("plot", "kernels", "dask", "notebooks", "book", "test", "bench")
    }


def test_book_versions_are_pinned_within_the_lower_bounds():
    pinned = dict(r.split("==") for r in PROJECT["optional-dependencies"]["notebooks"])
    assert "litlearn[notebooks]" in PROJECT["optional-dependencies"]["book"]
    bounds = [*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["plot"]]
    for requirement in bounds:
        name, lowest = requirement.split(">=")
        if name in pinned:
            assert numbers(pinned[name]) >= numbers(lowest), name


# --- the source distribution -----------------------------------------------------------------


def copy_of_the_tree(folder):
    """Copy what git knows, or would know, of the project; return the names of the files."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        pytest.skip("needs git and a clone")
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    names = [name for name in listed.stdout.splitlines() if (ROOT / name).is_file()]
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    return set(names)


def run_backend(call, folder):
    pytest.importorskip("setuptools", minversion="77")
    code = f"import setuptools.build_meta as backend; print(backend.{call})"
    run = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr[-2000:]
    return run.stdout.splitlines()[-1]


def test_source_distribution_is_the_whole_project(tmp_path):
    names = copy_of_the_tree(tmp_path)
    archive = run_backend("build_sdist('out')", tmp_path)
    with tarfile.open(tmp_path / "out" / archive) as content:
        found = {member.name.split("/", 1)[1] for member in content if member.isfile()}
    assert names - found == set(), "not named in MANIFEST.in"
    generated = {name for name in found - names if ".egg-info/" in name}
    assert found - names - generated == {"PKG-INFO", "setup.cfg"}
    wheel = run_backend("build_wheel('out')", tmp_path)
    with zipfile.ZipFile(tmp_path / "out" / wheel) as content:
        installed = {f"src/{name}" for name in content.namelist()}
    for_checkers = {name for name in names if name.endswith((".pyi", "py.typed"))}
    assert for_checkers and for_checkers <= installed


def test_what_is_published_holds_what_belongs_there():
    """The wheel: the package, stubs and licences, no tests and no book; the source, everything."""
    dist = loaded("dist")
    names = {path.relative_to(ROOT).as_posix() for path in (ROOT / "src").rglob("*.py*")}
    names = {name for name in names if "__pycache__" not in name and ".egg-info" not in name}
    names |= {"src/litlearn/py.typed", "README.md", *PROJECT["license-files"]}
    about = "litlearn-1.0.dist-info"
    wheel = {name.removeprefix("src/") for name in names if name.startswith("src/")}
    wheel |= {f"{about}/METADATA", *(f"{about}/licenses/{n}" for n in PROJECT["license-files"])}
    sdist = names | {"PKG-INFO", "setup.cfg", "src/litlearn.egg-info/SOURCES.txt"}
    assert dist.problems(sdist, wheel, names) == []
    for missing in ("litlearn/py.typed", "litlearn/__init__.pyi", "litlearn/fonts/LICENSE"):
        assert dist.problems(sdist, wheel - {missing}, names) == [f"wheel: no {missing}"]
    licence = f"{about}/licenses/LICENSE"
    assert dist.problems(sdist, wheel - {licence}, names) == ["wheel: no licence LICENSE"]
    for more in ("tests/test_a.py", "book/a.ipynb", "litlearn/left.pyc"):
        assert dist.problems(sdist, wheel | {more}, names) == [
            f"wheel: {more} does not belong there"
        ]
    assert dist.problems(sdist - {"README.md"}, wheel, names) == ["source: no README.md"]
    assert dist.problems(sdist | {"secret"}, wheel, names) == [
        "source: secret does not belong there"
    ]


def test_kernels_hold_compiled_functions_of_one_version():
    dist, about = loaded("dist"), "litlearn_kernels-1.0.0.dist-info"
    names = ["litlearn_kernels/__init__.py", "litlearn_kernels/a/b.nbc", f"{about}/METADATA"]
    names += [f"{about}/licenses/LICENSE"]
    needs = "Name: litlearn-kernels\nRequires-Dist: litlearn==1.0.0\nRequires-Dist: numba==0.68.1\n"
    assert dist.problems_of_kernels(names, needs, "1.0.0") == []
    assert dist.problems_of_kernels(names, needs, "1.0") == ["kernels: not those of litlearn 1.0"]
    assert dist.problems_of_kernels(names[:-1], needs, "1.0.0") == ["kernels: no licence LICENSE"]
    without = [names[0], *names[2:]]
    assert dist.problems_of_kernels(without, needs, "1.0.0") == ["kernels: no compiled functions"]
    more = "litlearn_kernels/secret.py"
    assert dist.problems_of_kernels([*names, more], needs, "1.0.0") == [
        f"kernels: {more} does not belong there"
    ]


def test_between_releases_each_commit_is_a_version_of_its_own(tmp_path):
    """Otherwise pip takes a newer commit for what is installed already, and keeps that."""
    fonts = "src/litlearn/fonts/LICENSE"
    package = tmp_path / "src" / "litlearn"
    (tmp_path / fonts).parent.mkdir(parents=True)
    (tmp_path / ".ci").mkdir()
    address_of = (".ci/address.py", "address.toml")
    (tmp_path / "MANIFEST.in").write_text(f"include {' '.join(address_of)}\n")
    metadata_of = ("pyproject.toml", "setup.py", "README.md", "LICENSE", "LICENSE-text", fonts)
    for name in (*address_of, *metadata_of):
        shutil.copy(ROOT / name, tmp_path / name)

    def git(*arguments):
        command = ["git", "-c", "user.name=t", "-c", "user.email=t@example.org", *arguments]
        run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
        return run.stdout.strip()

    def metadata(folder):
        shutil.rmtree(tmp_path / "out", ignore_errors=True)
        (tmp_path / "out").mkdir()
        name = run_backend(f"prepare_metadata_for_build_wheel({str(tmp_path / 'out')!r})", folder)
        return (tmp_path / "out" / name / "METADATA").read_text(encoding="utf-8")

    def built(version, commit):
        (package / "__init__.py").write_text(f'__version__ = "{version}"\n')
        if commit:
            git("add", ".")
            git("commit", "-q", "--allow-empty", "-m", "a change")
        return re.search(r"^Version: (.*)$", metadata(tmp_path), re.MULTILINE)[1]

    assert built("0.2.0.dev0", commit=False) == "0.2.0.dev0"
    git("init", "-q", ".")
    first = built("0.2.0.dev0", commit=True)
    second = built("0.2.0.dev0", commit=True)
    assert first != second and second == f"0.2.0.dev0+g{git('rev-parse', '--short=12', 'HEAD')}"
    # Nor does the commit get lost on the way through a source distribution.
    archive = run_backend("build_sdist('out')", tmp_path)
    with tarfile.open(tmp_path / "out" / archive) as content:
        content.extractall(tmp_path / "unpacked", filter="data")
    (unpacked,) = (tmp_path / "unpacked").iterdir()
    assert f"\nVersion: {second}\n" in metadata(unpacked)
    (unpacked / "src/litlearn/__init__.py").write_text('__version__ = "0.3.0.dev0"\n')
    assert "\nVersion: 0.3.0.dev0\n" in metadata(unpacked), "of another version"
    assert built("0.2.0", commit=True) == "0.2.0"


@pytest.mark.parametrize("owner", ["", "somebody"])
def test_links_of_the_description_lead_somewhere_from_everywhere(tmp_path, owner):
    """A package index shows README.md without the files beside it."""
    copy_of_the_tree(tmp_path)
    addressed(tmp_path, owner=owner)
    (tmp_path / "out").mkdir()
    folder = run_backend("prepare_metadata_for_build_wheel('out')", tmp_path)
    metadata = (tmp_path / "out" / folder / "METADATA").read_text(encoding="utf-8")
    assert "\nLicense-Expression: BSD-3-Clause AND OFL-1.1\n" in metadata
    for name in PROJECT["license-files"]:
        assert f"\nLicense-File: {name}\n" in metadata
        assert (tmp_path / "out" / folder / "licenses" / name).is_file()
    described = metadata.split("\n\n", 1)[1]
    links = re.findall(r"(!?)\[[^\]]*\]\(([^)\s]+)\)", described)
    assert links and all(link.startswith("https://") for _, link in links)
    assert "<!-- address" not in described and "end of the address" not in described
    home = "https://github.com/somebody/other"
    assert (f"\nProject-URL: Homepage, {home}\n" in metadata) == bool(owner)
    assert ("\nProject-URL" in metadata) == bool(owner)
    if not owner:
        assert home not in described and "[changelog]" not in described
        return
    of_files = [
        (picture, link.removeprefix(f"{home}/").split("/", 2))
        for picture, link in links
        if link.startswith(f"{home}/")
    ]
    at = "main" if ".dev" in litlearn.__version__ else f"v{litlearn.__version__}"
    assert ("!", ["raw", at, "book/_static/readme.png"]) in of_files
    for picture, (view, state, name) in of_files:
        assert (view, state) == ("raw" if picture else "blob", at)
        assert (ROOT / name.split("#")[0]).is_file(), name
    relative = [
        link for link in re.findall(r"\]\(([^)\s]+)\)", text("README.md")) if ":" not in link
    ]
    assert len(of_files) == len(relative)


# --- Binder ----------------------------------------------------------------------------------


def test_binder_installs_what_pyproject_says():
    environment = parsed("environment.yml")
    assert environment["channels"][0] == "conda-forge"
    packages = [d for d in environment["dependencies"] if isinstance(d, str)]
    python, pip = packages
    assert pip == "pip"
    minor = python.removeprefix("python=")
    assert f"Programming Language :: Python :: {minor}" in PROJECT["classifiers"]
    installed = [d["pip"] for d in environment["dependencies"] if isinstance(d, dict)]
    assert installed == [["-e .[notebooks]"]]


def test_post_build_runs_files_that_exist():
    script = text("postBuild")
    assert script.startswith("#!") and "set -e" in script
    assert os.name == "nt" or os.access(ROOT / "postBuild", os.X_OK)
    files = re.findall(r"^python (\S+)", script, re.MULTILINE)
    assert files and all((ROOT / name).is_file() for name in files)


def test_binder_computes_with_what_it_compiled_while_building():
    setting = "export NUMBA_CPU_NAME=generic\n"
    assert setting in text("postBuild") and setting in text("start")
    assert text("start").endswith('exec "$@"\n')
    assert os.name == "nt" or os.access(ROOT / "start", os.X_OK)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="repo2docker runs on Linux")
def test_repo2docker_reads_the_environment(tmp_path):
    command = shutil.which("jupyter-repo2docker", path=Path(sys.executable).parent)
    if command is None:
        pytest.skip("jupyter-repo2docker is not installed")
    for name in ("environment.yml", "postBuild", "pyproject.toml", "start"):
        shutil.copy(ROOT / name, tmp_path)
    run = subprocess.run(
        [command, "--no-build", "--debug", "."],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert run.returncode == 0, run.stderr[-2000:]
    dockerfile = run.stdout + run.stderr
    assert '--file "environment.yml"' in dockerfile
    assert "RUN ./postBuild" in dockerfile
    assert 'ENV R2D_ENTRYPOINT="${REPO_DIR}/start"' in dockerfile
    # The repository is there before the environment is made: "-e .[notebooks]" needs it.
    assert dockerfile.index("COPY --chown=0:0 src/") < dockerfile.index('--file "environment.yml"')


def test_launch_links_lead_to_what_was_built(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "book" / "_ext")
    launch = importlib.import_module("launch")
    assert launch.branch("0.2.0.dev0") == "main"
    config = types.SimpleNamespace(html_theme_options={}, html_baseurl="before")
    monkeypatch.setattr(launch.litlearn, "__version__", "0.2.0")
    monkeypatch.setattr(launch, "AT", ELSEWHERE)
    launch.set_addresses(None, config)
    buttons = {"use_edit_page_button": False, "use_issues_button": True}
    assert config.html_theme_options == buttons | {
        "repository_url": "https://github.com/somebody/other",
        "repository_branch": "v0.2.0",
        "launch_buttons": launch.LAUNCH,
        "switcher": {"json_url": "../versions.json", "version_match": "0.2.0"},
        "use_repository_button": True,
    }
    assert {"binderhub_url", "colab_url"} <= set(launch.LAUNCH)
    assert config.html_baseurl == "https://somebody.github.io/other/latest/"
    monkeypatch.setattr(launch, "AT", NOWHERE)
    launch.set_addresses(None, config)
    assert config.html_theme_options == dict.fromkeys(launch.BUTTONS, False) | {
        "repository_url": "",
        "repository_branch": "v0.2.0",
        "launch_buttons": {},
        "switcher": {"json_url": "../versions.json", "version_match": "0.2.0"},
    }
    assert config.html_baseurl == ""
    # What the book's settings say beside it would be another address.
    assert not {"repository", "launch_buttons"} & set(parsed("_config.yml"))


# --- soak ----------------------------------------------------------------------------------------


def test_soak_says_what_piles_up():
    soak, flat = loaded("soak"), (1000, 5, 3)
    assert soak.judged([flat] * 50, 10) == ([], 0.0)
    assert soak.judged([flat] * 10 + [(1049, 5, 3)] * 40, 10)[0] == []
    assert soak.judged([flat] * 10 + [(1060, 5, 3)] * 40, 10)[0] == ["memory grew by 6.0%"]
    assert soak.judged([*[flat] * 49, (9000, 5, 3)], 10)[0] == [], "one fit decides nothing"
    assert soak.judged([*[flat] * 49, (1000, 6, 3)], 10)[0] == ["6 files, 5 after the first part"]
    assert soak.judged([*[flat] * 49, (1000, 5, 4)], 10)[0] == ["4 threads, 3 after the first part"]
    # Other bits than before are told, and an error in a thread.
    work, known = (("naive_bayes", "GaussianNB", {}), (0, 40, 3, False), 1), {}
    assert soak.done(work, known) is None and soak.in_threads([work, work], known) == []
    (key,) = known
    known[key] = "other"
    assert "other answers than before" in soak.done(work, known)
    bad = (("naive_bayes", "GaussianNB", {"var_smoothing": -1.0}), (0, 40, 3, False), 1)
    assert "GaussianNB: InvalidParameterError" in soak.in_threads([bad], {})[0]


# --- Docker, conda, and the pages for who takes part --------------------------------------------


def test_docker_builds_the_environment_of_binder():
    lines = text("Dockerfile").splitlines()
    runs = [line.removeprefix("RUN ") for line in lines if line.startswith("RUN ")]
    assert "--file environment.yml" in runs[0] and runs[1] == "./postBuild"
    assert "EXPOSE 8888" in lines and '"./start"]' in text("Dockerfile")
    assert '"--port=8888"' in lines[-1] and "docker run -p 8888:8888" in text("Dockerfile")
    copied = next(n for n, line in enumerate(lines) if line.startswith("COPY"))
    assert copied < lines.index(f"RUN {runs[0]}"), "the environment installs the repository"
    # What the image must not hold, or must hold.
    ignored = text(".dockerignore").split()
    assert {".git", ".venv"} <= set(ignored)
    assert not {"src", "book", ".ci", "tests"} & set(ignored)


def test_conda_asks_for_what_pyproject_asks_for():
    recipe = parsed("conda.recipe/recipe.yaml")
    needs = {re.sub(r"\s", "", one) for one in recipe["requirements"]["run"]}
    python = f"python{PROJECT['requires-python']}"
    assert needs == {python, *PROJECT["dependencies"]}
    host = {re.sub(r"\s", "", one) for one in recipe["requirements"]["host"]}
    assert host == {python, "pip", *PYPROJECT["build-system"]["requires"]}
    assert recipe["context"]["version"] == str(parsed("CITATION.cff")["version"])
    about = recipe["about"]
    assert about["license"] == PROJECT["license"]
    assert about["license_file"] == PROJECT["license-files"]
    assert about["summary"] == PROJECT["description"]
    for name in recipe["tests"][0]["python"]["imports"]:
        importlib.import_module(name)


def test_issue_forms_are_forms():
    folder = ROOT / ".github" / "ISSUE_TEMPLATE"
    forms = sorted(path.name for path in folder.glob("*.yml") if path.name != "config.yml")
    assert forms == ["book.yml", "defect.yml", "wish.yml"]
    for name in forms:
        form = parsed(f".github/ISSUE_TEMPLATE/{name}")
        assert {"name", "description", "body"} <= set(form)
        assert {one["type"] for one in form["body"]} <= {"markdown", "input", "textarea"}
        asked = [one["id"] for one in form["body"] if one["type"] != "markdown"]
        assert len(asked) == len(set(asked)) and asked
    assert hasattr(litlearn, "show_versions")  # what the form of defects asks for


# --- commands and workflows ------------------------------------------------------------------


def make_targets():
    return set(re.findall(r"^([a-z-]+):", text("Makefile"), re.MULTILINE))


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", "index.md", ".ci/run"])
def test_commands_that_the_pages_name_exist(page):
    named = set(re.findall(r"(?:^|`|; |&& )make ([a-z-]+)", text(page), re.MULTILINE))
    assert named or page == "index.md", f"{page} names no command"
    assert named <= make_targets()


def recipe(target):
    """What the Makefile does for a target."""
    return text("Makefile").split(f"\n{target}:")[1].split("\n\n")[0]


def test_the_project_has_the_promised_commands():
    assert {"book", "test", "lab", "bench", "clean"} <= make_targets()
    assert {"make test", "make book"} <= set(text(".ci/run").splitlines())
    assert '"-W"' in text(".ci/build_book.py"), "warnings of the book are errors"


def test_every_notebook_is_computed_as_on_other_processors():
    again = recipe("test-cpus")
    assert "PRESCOTT" in again and "SkylakeX" in again
    assert "ls book/*.ipynb" in again
    assert "$(BOOK) $(PYTEST) $(NOTEBOOKS)" in recipe("test")
    assert "test-nojit" in recipe("test")
    assert "$(PRESCOTT) NUMBA_DISABLE_JIT=1" in recipe("test-nojit")
    assert "$(HASWELL) NUMBA_CPU_NAME=generic NUMBA_BOUNDSCHECK=1" in recipe("test-weekly")


def test_what_a_change_leaves_out_is_tried_once_a_week_and_before_a_release():
    weekly, pages = recipe("test-weekly"), recipe("pages-test")
    assert text("Makefile").count("--quick") == 4 and "--quick" not in weekly + pages
    assert "-m 'weekly and not browser'" in weekly
    assert "test-nojit book test-figures" in recipe("test") and "$(ON_PAGES)" in recipe("test")
    assert "tests/test_book_*.py" in pages
    _, jobs = workflow("tests.yml")
    assert "schedule" in jobs["weekly"]["if"] and "make test-weekly" in commands(jobs["weekly"])
    assert "schedule" in jobs["pages"]["if"] and "make pages-test" in commands(jobs["pages"])
    assert "make test-weekly pages-test" in commands(workflow("publish.yml")[1]["book"])


def test_of_the_cases_of_a_long_test_as_many_as_it_keeps_run_for_a_change(pytestconfig):
    def case(name, *keeps):
        marks = [types.SimpleNamespace(kwargs=kwargs) for kwargs in keeps]
        return types.SimpleNamespace(nodeid=name, iter_markers=lambda _: marks)

    plugins = pytestconfig.pluginmanager
    weekly = plugins.get_plugin(str(Path(__file__).with_name("conftest.py"))).weekly
    keep_3 = {"keep": 3}
    few = [case(f"a.py::few[{i}]", keep_3) for i in range(10)]
    # A test that waits, and single cases of one of which others run.
    none = [case("a.py::none", {}), *(case(f"a.py::few[late{i}]", keep_3, {}) for i in range(2))]
    others = [case(f"b.py::test[{i}]") for i in range(4)]
    left_out = weekly([*few, *none, *others])
    assert len(left_out) == 10 and all(one in left_out for one in none)
    # The order in which they are found does not matter, and one more displaces at most one.
    again = weekly([*others, *none, *reversed(few)])
    assert {one.nodeid for one in again} == {one.nodeid for one in left_out}
    more = weekly([*few, case("a.py::few[new]", keep_3)])
    kept = {one.nodeid for one in few} - {one.nodeid for one in left_out}
    assert len(kept & {one.nodeid for one in more}) <= 1


def test_tests_of_the_module_have_the_options_of_all_but_nbval():
    options = PYPROJECT["tool"]["pytest"]["ini_options"]["addopts"]
    assert f"-o addopts='{re.sub('--nbval(-sanitize-with [^ ]*)? ', '', options)}'" in text(
        "Makefile"
    )


def promised_pythons():
    return {
        match[1]
        for line in PROJECT["classifiers"]
        if (match := re.fullmatch(r"Programming Language :: Python :: (3\.\d+)", line))
    }


def workflow(name):
    content = parsed(f".github/workflows/{name}")
    # YAML 1.1 reads the key "on" as true.
    return content[True], content["jobs"]


def commands(job):
    return "\n".join(step.get("run", "") for step in job["steps"])


def test_workflow_tests_every_python_on_every_system():
    events, jobs = workflow("tests.yml")
    assert "pull_request" in events
    linux, others = jobs["linux"], jobs["others"]
    promised = promised_pythons()
    assert promised == {"3.11", "3.12", "3.13", "3.14"}
    assert set(linux["strategy"]["matrix"]["python"]) == promised
    assert set(others["strategy"]["matrix"]["python"]) == promised
    systems = {system.split("-")[0] for system in others["strategy"]["matrix"]["os"]}
    assert systems == {"macos", "windows"}
    assert ".ci/run" in commands(linux) and "make test-cpus" in commands(linux)
    # Elsewhere pytest runs without make, and without the nbval of pyproject's options.
    assert "make " not in commands(others)
    assert "pytest -o addopts=" in commands(others) and "nbval" not in commands(others)


def test_workflow_publishes_a_tag_and_keeps_what_was_there():
    events, jobs = workflow("publish.yml")
    assert events == {"push": {"tags": ["v*"]}}
    book = commands(jobs["book"])
    # Nothing is published before all tests have passed.
    assert re.findall(r"\.ci/run|make pdf|\.ci/publish", book) == [
        ".ci/run", "make pdf", ".ci/publish"
    ]  # fmt: skip
    assert jobs["book"]["needs"] == jobs["kernels"]["needs"] == "files"
    assert set(jobs["release"]["needs"]) == set(jobs) - {"release"}


def test_workflow_builds_the_files_of_a_release():
    """Source distribution, wheel, kernels of every system and Python, printed book."""
    _, jobs = workflow("publish.yml")
    assert "python .ci/dist.py" in commands(jobs["files"])
    called = jobs["kernels"]["uses"].removeprefix("./.github/workflows/")
    events, of_kernels = workflow(called)
    assert "workflow_call" in events and "push" not in events, "once for a tag"
    matrix = of_kernels["wheel"]["strategy"]["matrix"]
    assert set(matrix["python"]) == promised_pythons()
    assert ".ci/kernels.py build" in commands(of_kernels["wheel"])
    kept = [
        step["with"]["path"]
        for job in (*jobs.values(), *of_kernels.values())
        for step in job.get("steps", ())
        if "upload-artifact" in step.get("uses", "")
    ]
    assert kept == ["dist/*", "_build/litlearn.pdf", "dist/litlearn_kernels-*.whl"]
    assert 'gh release create "$GITHUB_REF_NAME" files/*' in commands(jobs["release"])


def test_steps_of_a_release_name_what_there_is():
    section = text("CONTRIBUTING.md").split("\n## Releasing\n")[1].split("\n## ")[0]
    file = r"`(?:\.venv/bin/python )?((?:[\w.]+/)*\w+\.(?:py|json|md|cff|yaml|yml|ipynb))"
    named = re.findall(file, section)
    assert len(named) > 5
    for name in named:
        found = [ROOT / name, *ROOT.glob(f".github/workflows/{name}")]
        assert any(path.is_file() for path in found), name
    tag = section.index("git tag v")
    for before in ("__version__", "CITATION.cff", "recipe.yaml", "CHANGELOG.md", "make bench",
                   "make keep-speed", "keep_pickles.py", "make test", "make dist"):  # fmt: skip
        assert section.index(before) < tag, before
    assert "publish.yml" in section[tag:]


def test_workflow_publishes_plain_notebooks():
    events, jobs = workflow("notebooks.yml")
    assert events == {"push": {"branches": ["main"], "tags": ["v*"]}}
    (job,) = jobs.values()
    assert ".ci/publish_notebooks" in commands(job)


def test_publishing_keeps_earlier_versions(tmp_path):
    """Run .ci/publish and .ci/publish_notebooks twice, in a repository of their own."""
    if os.name == "nt" or shutil.which("git") is None:
        pytest.skip("needs git and a POSIX shell")

    def git(*arguments, folder):
        command = ["git", "-c", "user.name=t", "-c", "user.email=t@example.org", *arguments]
        run = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60)
        assert run.returncode == 0, run.stderr
        return run.stdout

    clone, remote, book = tmp_path / "clone", tmp_path / "remote.git", tmp_path / "html"
    (clone / ".ci").mkdir(parents=True)
    for script in ("publish", "publish_notebooks", "versions.py"):
        shutil.copy(ROOT / ".ci" / script, clone / ".ci")
    # Stands for the one that writes the notebooks, which has tests of its own.
    (clone / ".ci" / "reading.py").write_text(
        "import pathlib, sys\n"
        "folder = pathlib.Path(sys.argv[1])\n"
        "folder.mkdir(parents=True)\n"
        "(folder / 'one.ipynb').write_text(folder.name)\n"
    )
    git("init", "-q", "-b", "main", ".", folder=clone)
    git("add", ".", folder=clone)
    git("commit", "-q", "-m", "start", folder=clone)
    git("init", "-q", "--bare", str(remote), folder=tmp_path)
    git("remote", "add", "origin", str(remote), folder=clone)
    book.mkdir()
    for version in ("v0.9.0", "v0.10.0"):
        (book / "index.html").write_text(f"VERSION: '{version[1:]}'")
        command = [".ci/publish", version, str(book)]
        run = subprocess.run(command, cwd=clone, capture_output=True, text=True, timeout=60)
        assert run.returncode == 0, run.stderr
    for version in ("v0.9.0", "v0.10.0"):
        page = git("show", f"gh-pages:{version}/index.html", folder=remote)
        assert page == f"VERSION: '{version[1:]}'"
        assert f"./{version}/" in git("show", "gh-pages:versions.html", folder=remote)
    assert "'0.10.0'" in git("show", "gh-pages:latest/index.html", folder=remote)
    assert "url=./latest/" in git("show", "gh-pages:index.html", folder=remote)
    listed = json.loads(git("show", "gh-pages:versions.json", folder=remote))
    assert [one["version"] for one in listed] == ["0.10.0", "0.9.0"]
    for name in ("main", "v0.9.0", "main"):
        command = [".ci/publish_notebooks", name]
        run = subprocess.run(command, cwd=clone, capture_output=True, text=True, timeout=60)
        assert run.returncode == 0, run.stderr
    for name in ("main", "v0.9.0"):
        assert git("show", f"colab:{name}/one.ipynb", folder=remote) == name
    assert git("branch", "--list", folder=clone).split() == ["*", "main"]


# --- nothing stale ---------------------------------------------------------------------------


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make on this machine")
def test_functions_are_compiled_again_after_an_edit(tmp_path):
    shutil.copy(ROOT / "Makefile", tmp_path)
    source = tmp_path / "src" / "deeper" / "helper.py"
    mark = tmp_path / ".cache" / "numba" / ".filled"
    for path in (source, mark, tmp_path / ".venv" / "bin" / "python", tmp_path / ".venv" / ".book"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")

    def would_compile(source_age, mark_age):
        for path, age in ((source, source_age), (mark, mark_age)):
            os.utime(path, (1e9 - age, 1e9 - age))
        for path in (tmp_path / "pyproject.toml", *(tmp_path / ".venv").rglob("*")):
            path.touch()
            os.utime(path, (1e8, 1e8))
        command = ["make", "--dry-run", f"{mark}"]
        run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        assert run.returncode == 0, run.stderr
        return "tests/fill_cache.py" in run.stdout

    assert would_compile(source_age=0, mark_age=10)
    assert not would_compile(source_age=10, mark_age=0)


def loaded(script):
    """A script of .ci as a module."""
    spec = importlib.util.spec_from_file_location(script, ROOT / ".ci" / f"{script}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_book_is_never_built_from_stale_parts(tmp_path, monkeypatch):
    build_book = loaded("build_book")
    notebooks = build_book.notebooks
    assert all((ROOT / part).exists() for part in build_book.PARTS)
    monkeypatch.setattr(build_book, "ROOT", tmp_path)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    monkeypatch.setattr(notebooks, "STORE", tmp_path / notebooks.STORE.relative_to(ROOT))
    for name in ("BUILD", "PAGE", "STAMP"):
        path = tmp_path / getattr(build_book, name).relative_to(ROOT)
        monkeypatch.setattr(build_book, name, path)
    runs, failures = [], []

    def execute_missing(paths):
        """Stands for the runs of the notebooks: notes whether the earlier ones are there."""
        run = notebooks.STORE / "run"
        runs.append(run.exists())
        run.parent.mkdir(parents=True, exist_ok=True)
        run.touch()
        return failures

    def jupyter_book(command, cwd):
        assert "-W" in command and cwd == tmp_path
        assert not build_book.PAGE.exists(), "all pages are set anew"
        build_book.PAGE.parent.mkdir(parents=True)
        build_book.PAGE.touch()
        return subprocess.CompletedProcess(command, 0)

    monkeypatch.setattr(notebooks, "execute_missing", execute_missing)
    monkeypatch.setattr(build_book.subprocess, "run", jupyter_book)

    def builds_after(name, content):
        """Write a file, ask for the book, and say whether it was built."""
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content)
        before = len(runs)
        assert build_book.main() == 0
        return len(runs) > before

    for name in build_book.PARTS:
        folder = "." not in name.removeprefix(".ci/")
        (tmp_path / name).mkdir(parents=True) if folder else builds_after(name, "1")
    assert builds_after("src/a.py", "1")
    assert not builds_after("src/a.py", "1")
    assert builds_after("src/a.py", "2")
    assert not builds_after("src/__pycache__/a.pyc", "2")
    for name in ("benchmarks/results/knn.json", "book/a.ipynb", "_toc.yml", "tests/test_a.py"):
        assert builds_after(name, "2")
    assert not builds_after("_toc.yml", "2")
    assert runs[0] is False and all(runs[1:]), "what was executed is kept"
    monkeypatch.setattr(notebooks.metadata, "version", lambda name: "1.0")
    assert builds_after("_toc.yml", "2")
    failures.append("a cell")
    (tmp_path / "_toc.yml").write_text("3")
    assert build_book.main() == 1 and not build_book.PAGE.exists()


# --- README ----------------------------------------------------------------------------------


def test_readme_examples_run_and_are_short():
    """The second one, of arrays of Dask, goes on from the first."""
    pytest.importorskip("dask.array", reason="dask is not installed")
    first, second = re.findall(r"```python\n(.*?)```", text("README.md"), re.DOTALL)
    assert len(first.strip().splitlines()) <= 12 and len(second.strip().splitlines()) <= 6
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        exec(compile(first + second, "README.md", "exec"), {"__name__": "readme"})
    share = int(re.search(r"correct in (\d+)%", output.getvalue())[1])
    assert share > 60, "better than calling everyone the same"


@pytest.mark.parametrize(
    "page", ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "CODE_OF_CONDUCT.md"]
)
def test_links_to_files_lead_somewhere(page):
    links = re.findall(r"\]\(([^)\s]+)\)", text(page))
    broken = [
        link for link in links if "://" not in link and not (ROOT / link.split("#")[0]).exists()
    ]
    assert not broken


def test_readme_speed_is_that_of_the_results():
    speed = loaded("readme_speed")
    shown = text("README.md").split(speed.START)[1].split(speed.END)[0]
    assert shown == speed.table(speed.committed()), "run: python .ci/readme_speed.py"


def test_readme_shows_the_tree_as_it_is():
    layout = text("README.md").split("## How the tree is laid out")[1].split("\n## ")[0]
    names = re.findall(r"`([\w./-]+)`", "\n".join(re.findall(r"^\|([^|]*)\|", layout, re.M)))
    assert len(names) > 8
    assert not [name for name in names if not (ROOT / name).exists()]


# --- the address -----------------------------------------------------------------------------

ADDRESS = re.compile(
    r"github\.com[/:][\w.-]+/litlearn\b|/gh/[\w.-]+/litlearn\b|\blitlearn\.github\.io|github\.io/litlearn"
)


def strays(names):
    """(file, address) of the mentions that "make address" would not change."""
    at, found = address.read(), []
    wanted = [re.escape(one) for one in (at.home, at.pages) if one]
    patterns = [ADDRESS, *map(re.compile, wanted)]
    for name in names:
        try:
            content = text(name)
        except UnicodeDecodeError:
            continue
        for place, _ in address.PLACES.get(name, ()):
            content = re.sub(place, "", content, flags=re.DOTALL)
        found += [(name, match[0]) for one in patterns for match in one.finditer(content)]
    return found


def test_repository_and_site_are_named_in_one_file(tmp_path, monkeypatch):
    names = copy_of_the_tree(tmp_path) - {"address.toml"}
    assert strays(names) == [], "read address.toml there, or add the place to .ci/address.py"
    assert address.problems(address.read()) == []
    # A mention in any other place is found.
    monkeypatch.setitem(globals(), "ROOT", tmp_path)
    own = "https://github.com/" + "anybody/litlearn"
    (tmp_path / "index.md").write_text(f"See {own}.\n{text('index.md')}", encoding="utf-8")
    (tmp_path / "new.md").write_text("On litlearn" + ".github.io.", encoding="utf-8")
    assert {name for name, _ in strays({*names, "new.md"})} == {"index.md", "new.md"}


def addressed(folder, **changes):
    """Write an address into a copy of the project; what the command said."""
    changes = {"repository": "other"} | changes
    options = [part for key, value in changes.items() for part in (f"--{key}", value)]
    command = [sys.executable, str(folder / ".ci" / "address.py"), "write", *options]
    return subprocess.run(command, capture_output=True, text=True)


def test_an_address_is_changed_everywhere_and_back(tmp_path):
    names = copy_of_the_tree(tmp_path)

    def state():
        return {name: (tmp_path / name).read_bytes() for name in names}

    at, before = address.read(), state()
    assert addressed(tmp_path, owner="somebody", published="no").returncode == 0
    set_ = state()
    addressed(tmp_path, owner="somebody")
    assert state() == set_, "the second time changes nothing"
    home, site = "https://github.com/somebody/other", "https://somebody.github.io/other"
    readme = set_["README.md"].decode()
    assert (
        f"git clone {home} litlearn" in readme
        and f"Once published, the book is to be read at <{site}/>" in readme
    )
    assert "](book/introduction.ipynb)" in readme and f"{site}/latest" not in readme
    assert yaml.safe_load(set_["CITATION.cff"])["repository-code"] == home
    assert f"[0.1.0]: {home}/releases/tag/v0.1.0\n" in set_["CHANGELOG.md"].decode()
    assert addressed(tmp_path, owner="somebody", published="yes").returncode == 0
    readme = state()["README.md"].decode()
    assert f"[introduction]({site}/latest/book/introduction.html)" in readme
    assert f"{site}/latest/book/api/index.html#arrays-of-dask" in readme
    assert "Once published" not in readme and "<address>" not in readme
    back = {"owner": at.owner, "repository": at.repository, "site": at.site}
    addressed(tmp_path, **back, published="yes" if at.published else "no")
    assert [name for name, content in state().items() if content != before[name]] == []
    for bad, message in (
        ({"owner": "two words"}, "owner is 'two words'"),
        ({"owner": "", "published": "yes"}, "expected an owner"),
        ({"site": "example.org/"}, "site is 'example.org/'"),
    ):
        run = addressed(tmp_path, **bad)
        assert run.returncode == 2 and message in run.stderr
    assert [name for name, content in state().items() if content != before[name]] == []


def test_a_release_of_another_address_is_refused():
    assert address.problems(ELSEWHERE._replace(owner=address.read().owner), "a/b")
    assert address.problems(NOWHERE, "somebody/other", published=True)[-2:] == [
        "address.toml is of no repository, this one is somebody/other",
        "address.toml does not say that the book is published",
    ]
    publishing = commands(next(iter(workflow("publish.yml")[1].values())))
    assert 'address.py check --github "$GITHUB_REPOSITORY" --published yes' in publishing


# --- the module as a whole ---------------------------------------------------------------------


def public_names():
    """(module, name, value) of the public classes and functions."""
    for module in MODULES:
        if any(part.startswith("_") for part in module.split(".")[1:]):
            continue
        namespace = importlib.import_module(module)
        for name in getattr(namespace, "__all__", ()):
            value = getattr(namespace, name)
            if inspect.isclass(value) or inspect.isfunction(value):
                yield module, name, value


def public_estimators():
    """(module, name) of the public classes that have a fit method."""
    for module, name, value in public_names():
        if inspect.isclass(value) and hasattr(value, "fit"):
            yield module, name


def test_every_estimator_is_compiled_before_the_tests():
    compiled = {(f"litlearn.{module}", name) for module, name, _ in _warm_up.CASES}
    # What stands around other estimators has no compiled code of its own.
    around = ("litlearn.conformal", "litlearn.multiclass")
    estimators = {one for one in public_estimators() if one[0] not in around}
    # Those of several targets are fitted by `use_logistic`: the table's data have one.
    several = {("litlearn.linear_model", f"MultiTask{kind}") for kind in ("Lasso", "ElasticNet")}
    assert estimators - several <= compiled


def test_every_public_docstring_has_examples():
    """Those of a class are its own: an inherited docstring shows another class."""
    without = [
        f"{module}.{name}"
        for module, name, value in public_names()
        if "\nExamples\n--------\n>>> "
        not in inspect.cleandoc(vars(value).get("__doc__") or value.__doc__ or "")
    ]
    assert without == []


@pytest.mark.parametrize("module", MODULES)
def test_examples_in_docstrings(module):
    failed, _ = doctest.testmod(
        importlib.import_module(module), optionflags=doctest.NORMALIZE_WHITESPACE
    )
    assert failed == 0
