"""Versions of the book beside each other, and the addresses of pages that were renamed."""

import json
import re
import shutil
import subprocess
import sys
import urllib.request

import pytest
import versions

from screens import PHONE, WIDE
from test_book_browser import AXE, HTML, ROOT, SETTLED, Opened, _sideways, _violations

sys.path.insert(0, str(ROOT / "book" / "_ext"))

import redirects

# Of three depths, and one that came with the second version.
PAGES = ["index", "book/k_means", "book/api/index", "book/extra_trees"]
OLD, NEW = "v0.9.0", "v0.10.0"


def book_of(folder, version, pages):
    """Copy some pages of the built book, as if they were of a version."""
    for name in pages:
        text = (HTML / f"{name}.html").read_text(encoding="utf-8")
        text, stamped = re.subn(r"VERSION: '[^']*'", f"VERSION: '{version[1:]}'", text, count=1)
        ours = r"(theme_switcher_version_match = )'[^']*'"
        text, matched = re.subn(ours, rf"\1'{version[1:]}'", text)
        assert stamped == matched == 1
        path = folder / f"{name}.html"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    for name in ("_static", "mathjax", "inter", "_images", "d3"):
        (folder / name).symlink_to(HTML / name)
    return folder


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The address of a site with two versions, below another one, on a server of this machine."""
    if not (HTML / "index.html").is_file():
        pytest.skip(f"there is no built book in {HTML}: run make book")
    work = tmp_path_factory.mktemp("site")
    folder = work / "served" / "somewhere"
    folder.mkdir(parents=True)
    redirects.write(book_of(work / "new", NEW, PAGES), {"book/kmeans": "book/k_means"})
    book_of(work / "old", OLD, PAGES[:-1])
    # The newer one first: the order in which they are added says nothing.
    for version, book in ((NEW, "new"), (OLD, "old")):
        command = [sys.executable, ROOT / ".ci" / "versions.py", folder, version, work / book]
        run = subprocess.run(command, capture_output=True, text=True)
        assert run.returncode == 0, run.stderr
    command = [sys.executable, "-u", "-m", "http.server", "0", "--bind", "127.0.0.1"]
    log = work / "log"
    with open(log, "w") as quiet:
        server = subprocess.Popen(command, cwd=work / "served", stdout=quiet, stderr=quiet)
    while not (port := re.search(r"port (\d+)", log.read_text())):
        assert server.poll() is None
    yield f"http://127.0.0.1:{port[1]}/somewhere"
    server.terminate()
    server.wait()


@pytest.fixture
def tab(chromium):
    with chromium.new_context(viewport=WIDE, color_scheme="light") as context:
        context.set_default_timeout(60_000)
        yield context.new_page()


def listed(page):
    """Return name -> address of the versions that a page lists, and the name of its own."""
    page.tab.locator(".version-switcher__button").wait_for()
    out = "links => links.map(a => [a.innerText.trim(), a.href])"
    page.tab.locator(".version-switcher__button").click()
    links = dict(page.tab.locator(".version-switcher__menu a").evaluate_all(out))
    active = page.tab.locator(".version-switcher__menu a.active").inner_text().strip()
    assert page.tab.locator(".version-switcher__button").inner_text().strip() == active
    return links, active


BANNER = "#bd-header-version-warning"


@pytest.mark.weekly(keep=4)
@pytest.mark.browser
@pytest.mark.parametrize("name", PAGES[:-1])
@pytest.mark.parametrize("folder", [OLD, NEW, "latest"])
def test_a_page_lists_the_versions(tab, site, folder, name):
    with Opened(tab, f"{site}/{folder}/{name}.html") as page:
        links, active = listed(page)
        new, old = "Version 0.10.0 (latest)", "Version 0.9.0"
        assert links == {new: f"{site}/latest/{name}.html", old: f"{site}/{OLD}/{name}.html"}
        assert active == (old if folder == OLD else new)
        banner = page.tab.locator(BANNER)
        if folder == OLD:
            banner.wait_for()
            assert "an old version (0.9.0)" in banner.inner_text()
            assert banner.locator("a[href]").evaluate("a => a.href") == links[new]
        else:
            assert not banner.is_visible()
        assert page.problems == []


@pytest.mark.browser
def test_the_switcher_leads_to_the_same_page_or_to_the_front(tab, site):
    with Opened(tab, f"{site}/{NEW}/book/k_means.html") as page:
        listed(page)
        page.tab.locator(".version-switcher__menu a", has_text="0.9.0").click()
        page.tab.wait_for_url(f"{site}/{OLD}/book/k_means.html")
        page.tab.locator(f"{BANNER} a[href]").click()
        page.tab.wait_for_url(f"{site}/latest/book/k_means.html")
        page.tab.goto(f"{site}/latest/book/extra_trees.html")
        listed(page)
        page.tab.locator(".version-switcher__menu a", has_text="0.9.0").click()
        page.tab.wait_for_url(f"{site}/{OLD}/")


@pytest.mark.browser
def test_the_banner_is_closed_by_keys(tab, site):
    with Opened(tab, f"{site}/{OLD}/book/k_means.html") as page:
        page.tab.locator(BANNER).wait_for()
        page.tab.get_by_role("button", name="Close").press("Enter")
        page.tab.locator(BANNER).wait_for(state="detached")


@pytest.mark.weekly(keep=1)
@pytest.mark.browser
@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])
def test_versions_can_be_read_by_everyone(tab, site, size):
    with Opened(tab, f"{site}/{OLD}/book/api/index.html") as page:
        page.tab.locator(BANNER).wait_for()
        page.tab.set_viewport_size(size)
        page.tab.evaluate(SETTLED)
        assert _sideways(page) == ""
        page.tab.evaluate(AXE)
        for theme in ("dark", "light"):
            page.theme(theme)
            if size == WIDE:
                page.tab.locator(".version-switcher__button").click()
            assert _violations(page, contrast=True) == []
            assert _violations(page, contrast=False) == []


@pytest.mark.browser
def test_a_book_elsewhere_has_no_other_versions(tab, site):
    """Neither from a file, nor in a folder with another name."""

    def elsewhere(route):
        there = route.request.url.replace("/other/", f"/{OLD}/")
        route.fulfill(response=route.fetch(url=there))

    tab.route("**/other/**", elsewhere)
    for address in ((HTML / "book" / "k_means.html").as_uri(), f"{site}/other/book/k_means.html"):
        with Opened(tab, address) as page:
            assert page.tab.locator(".version-switcher__container").count() == 1
            assert not page.tab.locator(".version-switcher__container").is_visible()
            assert not page.tab.locator(BANNER).is_visible()
            assert not [one for one in page.asked if one.endswith("versions.json")]
            assert page.problems == []


@pytest.mark.browser
def test_a_renamed_page_is_found_at_its_old_address(tab, site):
    tab.goto(f"{site}/latest/book/kmeans.html#the-algorithm")
    tab.wait_for_url(f"{site}/latest/book/k_means.html#the-algorithm")
    tab.goto(f"{site}/")
    tab.wait_for_url(f"{site}/latest/")


def test_the_site_says_where_nothing_is(site):
    """Its files name no host, so that it may lie anywhere."""
    for name in ("versions.json", "versions.html", "index.html"):
        with urllib.request.urlopen(f"{site}/{name}") as answer:
            assert "//" not in answer.read().decode()


# -- without a browser ----------------------------------------------------------------------------


def little_book(folder, version):
    folder.mkdir()
    (folder / "index.html").write_text(f"<script>{{ VERSION: '{version}' }}</script>")
    return folder


def test_the_newest_release_is_preferred(tmp_path):
    names = ["1.0.0rc1", "0.10.0", "1.0.0", "0.9.0", "1.1.0a2", "1.0.0rc2"]
    for name in names:
        versions.add(tmp_path, f"v{name}", little_book(tmp_path / name, name))
    entries = json.loads((tmp_path / "versions.json").read_text())
    ordered = ["1.1.0a2", "1.0.0", "1.0.0rc2", "1.0.0rc1", "0.10.0", "0.9.0"]
    assert [one["version"] for one in entries] == ordered
    assert [one["url"] for one in entries if one.get("preferred")] == ["latest/"]
    assert "'1.0.0'" in (tmp_path / "latest" / "index.html").read_text()
    lines = re.findall(r'href="\./v([^/]*)/"', (tmp_path / "versions.html").read_text())
    assert lines == ordered
    shutil.rmtree(tmp_path / "v1.0.0")  # before the first release there are candidates alone
    assert versions.list_versions(tmp_path) == "v0.10.0"


def test_a_book_of_another_version_is_refused(tmp_path):
    book = little_book(tmp_path / "book", "1.0.0")
    for version, message in (
        ("v1.0.1", "the book of 1.0.0, not of v1.0.1"),
        ("1.0", "not the tag"),
    ):
        with pytest.raises(ValueError, match=message):
            versions.add(tmp_path, version, book)
    assert [one.name for one in tmp_path.iterdir()] == ["book"]


def test_redirects_lead_to_pages():
    moved = redirects.read()
    pages = {
        path.relative_to(ROOT).with_suffix("").as_posix()
        for end in ("ipynb", "md")
        for path in [*ROOT.glob(f"*.{end}"), *(ROOT / "book").rglob(f"*.{end}")]
    }
    assert redirects.problems(moved, pages) == []
    wrong = {"book/k_means": "book/introduction", "book/gone": "book/never"}
    assert redirects.problems(wrong, pages) == [
        "book/k_means is a page",
        "book/gone leads to book/never, which is no page",
    ]
