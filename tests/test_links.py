"""Addresses and DOIs: what a weekly job asks for, and what can be said without a network."""

import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

pytest.importorskip("pybtex", reason="the extra `book` is not installed")

import links
import yaml

ENTRIES = links.bibliography()


def test_dois_have_their_form_and_are_named_once():
    numbers = [entry.fields["doi"] for entry in ENTRIES.values() if "doi" in entry.fields]
    assert len(numbers) > 150 and len({one.lower() for one in numbers}) == len(numbers)
    assert [one for one in numbers if not re.fullmatch(r"10\.\d{4,9}/[!-~]+[!-,/-~]", one)] == []
    years = [entry.fields["year"] for entry in ENTRIES.values()]
    assert [one for one in years if not re.fullmatch(r"(1[6-9]|20)\d\d[a-z]?", one)] == []


def test_external_links_are_found_where_they_stand(tmp_path):
    found = links.external()
    assert (
        "book/references.bib: rasmussen_gaussian_2006" in found["https://gaussianprocess.org/gpml/"]
    )
    assert any("CHANGELOG.md" in files for files in found.values())
    assert [url for url in found if not url.startswith("https://")] == []
    (tmp_path / "book").mkdir()
    (tmp_path / "book" / "references.bib").write_text(
        "@book{one, title = {T}, url = {https://a.example/b}}"
    )
    (tmp_path / "page.md").write_text("See [it](https://c.example/d_(e)), <https://f.example/g>.")
    assert links.external(tmp_path) == {
        "https://a.example/b": ["book/references.bib: one"],
        "https://c.example/d_": ["page.md"],
        "https://f.example/g": ["page.md"],
    }


class Answers(BaseHTTPRequestHandler):
    """Answers with the number that the path names, or is busy once."""

    asked = 0

    def do_GET(self):
        type(self).asked += 1
        busy = self.path == "/busy" and self.asked == 1
        self.send_response(503 if busy else int(re.search(r"\d+|$", self.path)[0] or 200))
        self.end_headers()

    def log_message(self, *arguments):
        pass


@pytest.fixture
def served(monkeypatch):
    monkeypatch.setattr(links.time, "sleep", lambda seconds: None)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_dead_links_are_named(served, monkeypatch):
    assert links.dead(f"{served}/200") == ""
    assert links.dead(f"{served}/404") == "answers 404"
    assert links.dead(f"{served}/403") == "answers 403"
    assert links.dead("http://127.0.0.1:1/").startswith("does not answer (")
    monkeypatch.setattr(links, "REFUSES", {"127.0.0.1"})
    assert links.dead(f"{served}/403") == ""
    assert links.dead(f"{served}/404") == "answers 404", "also where programs are turned away"


def test_who_is_busy_is_asked_again(served):
    Answers.asked = 0
    assert links.dead(f"{served}/busy") == "" and Answers.asked == 2


# As CrossRef answers for 10.1109/TIT.1967.1053964.
COVER = {
    "title": ["Nearest neighbor pattern classification"],
    "author": [{"given": "T.", "family": "Cover"}, {"given": "P.", "family": "Hart"}],
    "published-print": {"date-parts": [[1967, 1]]},
    "issued": {"date-parts": [[1967, 1]]},
}


def test_an_entry_is_compared_with_what_crossref_has():
    entry = ENTRIES["cover_nearest_1967"]
    assert links.differences(entry, COVER) == []
    again = COVER | {"title": ["Nearest Neighbor <i>Pattern</i>"], "subtitle": ["Classification"]}
    assert links.differences(entry, again) == []
    others = {"title": ["Another"], "published-print": {"date-parts": [[1968]]},
              "author": [{"family": "Fix"}], "issued": {"date-parts": [[1968]]}}  # fmt: skip
    assert [one.split(" ")[0] for one in links.differences(entry, others)] == [
        "title",
        "year",
        "first",
    ]


def test_a_workflow_asks_once_a_week():
    root = Path(__file__).resolve().parent.parent
    jobs = yaml.safe_load((root / ".github" / "workflows" / "tests.yml").read_text("utf-8"))["jobs"]
    job = jobs["links"]
    assert "schedule" in job["if"]
    assert any("python .ci/links.py" in step.get("run", "") for step in job["steps"])
