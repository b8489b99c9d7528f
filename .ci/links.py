"""Ask whether the addresses that the project names are still there, and whose the DOIs are.

    python .ci/links.py [--list]

Every external link of pages, notebooks, docstrings, README and settings is asked for, as a browser
would ask. A DOI is looked up where DOIs are resolved, so that no publisher has to be asked, and its
title, year and first author, as CrossRef has them, are compared with ``book/references.bib``. A
workflow does so once a week. ``--list`` prints the addresses and asks for nothing.
"""

import argparse
import json
import re
import sys
import time
import unicodedata
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import quote, urlsplit

from pybtex.database import parse_file

ROOT = Path(__file__).resolve().parent.parent
BIBLIOGRAPHY = ROOT / "book" / "references.bib"
FILES = ("*.md", "*.cff", "*.toml", "book/**/*.md", "book/*.ipynb", "src/**/*.py", "book/_ext/*.py")
URL = re.compile(r"https?://[^\s\"'`<>{}\[\]()\\,]+[^\s\"'`<>{}\[\]()\\,.;:?!]")
# Names of things, which no page has, and what stands for an address (address.py).
NO_PAGE = re.compile(r"https?://(www\.w3\.org/2000/|127\.0\.0\.1|localhost|(\w+\.)*example\.org)")
# Where programs are turned away, or shown a page that asks whether they are one. What they answer
# to is only that the host is there.
REFUSES = {"academic.oup.com", "dl.acm.org", "ieeexplore.ieee.org", "onlinelibrary.wiley.com",
           "www.jstor.org", "www.sciencedirect.com", "www.tandfonline.com"}  # fmt: skip
TURNED_AWAY = (401, 403, 405, 418, 429, 503)
HEADERS = {"User-Agent": "Mozilla/5.0 (compatible; litlearn link check)", "Accept": "*/*"}


def bibliography(path=BIBLIOGRAPHY):
    return parse_file(str(path), bib_format="bibtex").entries


def external(root=ROOT):
    """Return address -> sorted files that name it."""
    out = {}
    for pattern in FILES:
        for path in root.glob(pattern):
            if "vendor" not in path.parts and ".venv" not in path.parts:
                text = path.read_text(encoding="utf-8")
                if path.suffix == ".ipynb":
                    cells = json.loads(text)["cells"]
                    text = "\n".join("".join(cell["source"]) for cell in cells)
                for url in URL.findall(text):
                    if not NO_PAGE.match(url):
                        out.setdefault(url, set()).add(path.relative_to(root).as_posix())
    for key, entry in bibliography(root / "book" / "references.bib").items():
        if url := entry.fields.get("url"):
            out.setdefault(url, set()).add(f"book/references.bib: {key}")
    return {url: sorted(out[url]) for url in sorted(out)}


def dois(entries):
    """Return DOI -> key of the bibliography."""
    return {entry.fields["doi"]: key for key, entry in entries.items() if "doi" in entry.fields}


def ask(url, seconds=30, times=3):
    """Return the status and the body that an address answers with; 0 where nobody does."""
    for attempt in range(times):
        try:
            request = urllib.request.Request(url, headers=HEADERS)
            with urllib.request.urlopen(request, timeout=seconds) as answer:
                return answer.status, answer.read(2_000_000)
        except urllib.error.HTTPError as error:
            if error.code < 500 and error.code != 429:
                return error.code, b""
            code, said = error.code, b""
        except (OSError, ValueError) as error:
            code, said = 0, str(error).encode()
        time.sleep(2**attempt if attempt + 1 < times else 0)
    return code, said


def dead(url):
    """Return what is wrong with an address, or ""."""
    code, said = ask(url)
    if 200 <= code < 400 or (urlsplit(url).hostname in REFUSES and code in TURNED_AWAY):
        return ""
    return f"answers {code}" if code else f"does not answer ({said.decode(errors='replace')})"


def plain(text):
    """Return the letters and digits of a text, without accents, braces and tags."""
    text = re.sub(r"<[^>]*>|\\[a-zA-Z]+(?![a-zA-Z])|&\w+;", " ", text)
    text = unicodedata.normalize("NFKD", text.lower().replace("ø", "o").replace("ß", "ss"))
    return " ".join(re.findall(r"[a-z0-9]+", re.sub(r"[{}\u0300-\u036f'’]", "", text)))


def differences(entry, said):
    """Return what an entry has otherwise than CrossRef; subtitles may be missing in either."""
    out = []
    ours = plain(entry.fields["title"])
    titles = [plain(one) for one in said.get("title", ())]
    subtitles = [plain(one) for one in said.get("subtitle", ())]
    whole = [" ".join([title, *subtitles]) for title in titles]
    if not any(ours.startswith(one) or one.startswith(ours) for one in [*titles, *whole] if one):
        out.append(f"title {entry.fields['title']!r}, CrossRef {said.get('title')}")
    dates = ("published-print", "published-online", "published", "issued")
    years = {said[kind]["date-parts"][0][0] for kind in dates if kind in said}
    if int(entry.fields["year"][:4]) not in years:
        out.append(f"year {entry.fields['year']}, CrossRef {sorted(years, key=str)}")
    people = entry.persons.get("author") or entry.persons.get("editor") or []
    family = plain(" ".join([*people[0].prelast_names, *people[0].last_names])) if people else ""
    theirs = [plain(one.get("family") or one.get("name", "")) for one in
              [*said.get("author", ()), *said.get("editor", ())]]  # fmt: skip
    if theirs and family and not (family in theirs[0] or theirs[0] in family):
        out.append(f"first author {family!r}, CrossRef {theirs[0]!r}")
    return out


def wrong_reference(doi, key, entry):
    """Return what is wrong with a DOI and the entry that has it, as a list."""
    code, body = ask(f"https://doi.org/api/handles/{quote(doi)}")
    if code != 200 or json.loads(body).get("responseCode") != 1:
        return [f"{key}: there is no DOI {doi} ({code})"]
    code, body = ask(f"https://api.crossref.org/works/{quote(doi, safe='')}")
    if code == 404:
        return []  # of another agency, such as DataCite
    if code != 200:
        return [f"{key}: CrossRef answers {code}"]
    return [f"{key}: {one}" for one in differences(entry, json.loads(body)["message"])]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--list", action="store_true", help="print the addresses, and ask nobody")
    options = parser.parse_args()
    links, entries = external(), bibliography()
    numbers = dois(entries)
    if options.list:
        print("\n".join([*links, *(f"https://doi.org/{doi}" for doi in sorted(numbers))]))
        return 0
    with ThreadPoolExecutor(8) as pool:
        answers = zip(links.items(), pool.map(dead, links), strict=True)
        found = [f"{url} {wrong}: {', '.join(at)}" for (url, at), wrong in answers if wrong]
    with ThreadPoolExecutor(3) as pool:  # CrossRef asks for patience
        parts = pool.map(lambda one: wrong_reference(*one, entries[one[1]]), numbers.items())
        found += [line for part in parts for line in part]
    print("\n".join(found) or f"{len(links)} addresses and {len(numbers)} DOIs are in order.")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
