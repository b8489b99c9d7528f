"""The search of the built book: what a student types, and what stands first on the page.

Most questions are asked of the files, without a server, as a reader of a downloaded book does.
"""

import re
import sys
import threading
from functools import partial
from http.server import ThreadingHTTPServer
from pathlib import Path

import pytest

from screens import PHONE, WIDE
from test_book_browser import HTML, Opened, Served, _sideways, legibility

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "book" / "_ext"), str(ROOT / ".ci")]

pytest.importorskip("sphinx", reason="the pages are made with the extra `book`")

import book_terms  # noqa: E402
import equation_index  # noqa: E402
import search_words  # noqa: E402

ENTRIES = book_terms.entries(search_words.GLOSSARY)
WORDS = search_words.words()
GIVEN = (WORDS.terms, {label: given for label, (_, given) in WORDS.sections.items()})


# -- the file of words ----------------------------------------------------------------------------


def test_every_word_leads_to_an_entry_or_a_section():
    assert set(WORDS.terms) <= {entry.term for entry in ENTRIES}
    text = "\n".join(equation_index.page_text(path) for path in equation_index.pages(ROOT))
    headed = set(re.findall(r"^\(([\w-]+)\)=\s*\n+(?:\([\w-]+\)=\s*\n+)*#", text, re.MULTILINE))
    assert set(WORDS.sections) <= headed


def test_a_word_is_given_once_and_only_where_it_is_needed():
    """Not what the glossary has, nor what differs from it, or from another, by its ending alone."""
    language, leads, stems = search_words.SearchBook({}), {}, {}
    names = [(entry.term, name) for entry in ENTRIES for name in book_terms.forms(entry)]
    for many in GIVEN:
        names += [(target, name) for target, given in many.items() for name in given]
    for number, (target, name) in enumerate(names):
        words = re.findall(r"\w+(?:\+\+)?", name)
        written = " ".join(map(search_words.british, words))
        stemmed = " ".join(map(language.stem, words))
        if number >= len(names) - sum(len(given) for many in GIVEN for given in many.values()):
            assert written not in leads, f"{name} leads to {leads[written]}, too"
            assert stems.get(stemmed) != target, f"{name} is found by its stem"
        leads.setdefault(written, target)
        stems.setdefault(stemmed, target)
    assert not set(leads) & set(WORDS.question)


@pytest.mark.parametrize(
    ("american", "british"),
    [
        ("regularization", "regularisation"),
        ("Normalizing", "normalising"),
        ("behavior", "behaviour"),
        ("neighbors", "neighbours"),
        ("colored", "coloured"),
        ("analyze", "analyse"),
        ("centers", "centres"),
        ("centered", "centred"),
        ("size", "size"),
        ("orthogonal", "orthogonal"),
    ],
)
def test_both_spellings_are_one_word(american, british):
    language = search_words.SearchBook({})
    assert language.stem(american) == language.stem(british)
    assert search_words.british(british) in (british, british.replace("re", "r"))


def test_a_definition_is_shown_without_marks():
    assert search_words.plain(r"Its *k* is $\gamma$.") == "Its k is γ."
    for entry in ENTRIES:
        text = search_words.plain(search_words.HOME.sub("", entry.definition))
        assert text.endswith(".") and not re.search(r"[$*\\{}`]", text), entry.term
    for label, (says, _) in WORDS.sections.items():
        assert re.fullmatch(r"[A-Z].{30,250}\.|coefficient_table .*\.", says), label


# -- the search page ------------------------------------------------------------------------------

KNN, SVM, JUDGING = "Nearest neighbours", "Support vector machines", "Judging a model"
FURTHER, REDUCTION = "Judging a model, continued", "Dimensionality reduction"
# What a student types: the answers, in this order, and the first page that is found.
QUESTIONS = {
    "what is overfitting": ("overfitting", "Overfitting and regularisation"),
    "how do I avoid overfitting?": ("What can be done?", "Overfitting and regularisation"),
    "bias variance tradeoff": ("What is an error made of?", "Overfitting and regularisation"),
    "how many neighbors k": ("How many neighbours?", KNN),
    "choose k": ("How many neighbours?", KNN),
    "knn": ("nearest neighbours", KNN),
    "curse of dimensionality": ("curse of dimensionality", KNN),
    "svm": ("support vector machine", SVM),
    "kernel trick": ("kernel trick", SVM),
    "decision boundary": ("border", SVM),
    "AUC": ("ROC curve", FURTHER),
    "what does the area under the curve mean": ("ROC curve", FURTHER),
    "k-fold": ("cross-validation", FURTHER),
    "data leakage": ("leakage", FURTHER),
    "recall": ("sensitivity", JUDGING),
    "false positive rate": ("specificity", JUDGING),
    "precision": ("predictive value", JUDGING),
    "how many patients do I need": ("Intervals", JUDGING),
    "confusion matrix": ("Sensitivity, specificity, predictive values", "Several classes"),
    "p value": ("Where are the standard errors and p values?", "Recipes"),
    "p value logistic": ("How certain is a coefficient?", "Inference for logistic regression"),
    "logit": ("log-odds", "Logistic regression"),
    "odds ratio": ("odds ratio", "Logistic regression"),
    "difference lasso ridge": ("lasso, ridge regression", "Penalised models"),
    "L2": ("ridge regression", "Penalised models"),
    "behavior of the lasso": ("lasso", "Penalised models"),
    "regularization": ("regularisation", "Penalised models"),
    "explained variance": ("explained variance", REDUCTION),
    "R squared": ("explained variance", REDUCTION),
    "PCA": ("principal component analysis", REDUCTION),
    "covariates": ("feature", "Notation"),
    "dependent variable": ("target", "Notation"),
    "normalize": ("standardise", KNN),
    "z-score": ("standardise", KNN),
    "random forest feature importance": (
        "random forest, permutation importance",
        "Random forests",
    ),
    "how many trees": ("How much does averaging help?", "Random forests"),
    "how many clusters": ("How many clusters?", "k-means"),
    "GMM": ("Gaussian mixture", "Gaussian mixtures"),
    "missing data": ("Some columns are names, and values are missing. What now?", "Recipes"),
    "correlation vs causation": (
        "A coefficient is not an effect, nor a course",
        "Linear regression",
    ),
    "neural network": ("What is not in the book", "Introduction"),
}

FOUND = """() => ({
  answers: [...document.querySelectorAll(".litlearn-answered dt")].map(one => one.innerText),
  texts: [...document.querySelectorAll(".litlearn-answered dd")].map(one => one.innerText),
  pages: [...document.querySelectorAll("#search-results li > a:first-child")]
    .map(one => one.innerText.replace(/^[\\d.]+ /, "")),
  links: [...document.querySelectorAll(".litlearn-answered a, #search-results li > a:first-child")]
    .map(one => one.getAttribute("href")),
})"""
BEGUN = """() => document.querySelector("#search-results li, .search-summary:not(:empty)")"""
FINISHED = """() => document.querySelector(".search-summary")?.innerText"""


@pytest.fixture(scope="module")
def tab(chromium):
    if not (HTML / "search.html").is_file():
        pytest.skip("there is no built book: run make book")
    context = chromium.new_context(offline=True, viewport=WIDE)
    context.set_default_timeout(120_000)
    yield context.new_page()
    context.close()


def ask(tab, question, until=FINISHED):
    """Type a question into the field of the search page; return what the page answers."""
    field = tab.locator(".bd-search-container input[name=q]")
    field.fill(question)
    with tab.expect_navigation():
        field.press("Enter")
    tab.wait_for_function(until)
    return tab.evaluate(FOUND)


@pytest.mark.browser
def test_questions_are_answered_from_the_files(tab):
    """Offline: the definition, the section that explains it, and then the pages, the best first."""
    tab.goto((HTML / "search.html").as_uri())
    wrong, anchors, pages = {}, {}, {}
    definitions = {entry.term: entry.definition for entry in ENTRIES}
    assert len(QUESTIONS) >= 40
    for question, (answers, page) in QUESTIONS.items():
        found = ask(tab, question, BEGUN)
        if (", ".join(found["answers"]), found["pages"][:1]) != (answers, [page]):
            wrong[question] = (found["answers"], found["pages"][:3])
        for name, text in zip(found["answers"], found["texts"], strict=True):
            if name in definitions:
                first = search_words.plain(definitions[name]).split(". See")[0]
                assert text.startswith(first) and "Explained in: " in text
            else:
                assert len(text) > 40
        for link in found["links"]:
            name, _, anchor = link.partition("#")
            anchors.setdefault(name, set()).add(anchor)
    assert wrong == {}
    for name, wanted in anchors.items():
        pages[name] = (HTML / name).read_text(encoding="utf-8")
        for anchor in wanted - {""}:
            assert f'id="{anchor}"' in pages[name], f"{name} has no {anchor}"


@pytest.mark.browser
def test_names_of_the_module_and_words_of_nobody(tab):
    tab.goto((HTML / "search.html").as_uri())
    found = ask(tab, "KNeighborsClassifier")
    assert found["pages"][0] == "litlearn.neighbors.KNeighborsClassifier" and not found["answers"]
    found = ask(tab, "qwxyz")
    assert found["answers"] == [] and found["pages"] == []
    assert ask(tab, "qwxyz of the lasso")["pages"] == ask(tab, "lasso")["pages"]
    found = ask(tab, "<b>overfitting</b>")
    assert found["answers"] == ["overfitting"]
    assert tab.locator(".search-summary[role=status]").count() == 1


@pytest.mark.browser
def test_no_answer_stands_twice(tab):
    """What is defined above is not listed below, and each page is listed once."""
    tab.goto((HTML / "search.html").as_uri())
    for question in ("overfitting", "how many clusters"):
        links = ask(tab, question)["links"]
        assert len(links) > 3 and links.count(links[0]) == 1


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_answer_is_legible_and_fits_a_phone(tab, scheme):
    tab.emulate_media(color_scheme=scheme)
    tab.set_viewport_size(PHONE)
    with Opened(tab, f"{(HTML / 'search.html').as_uri()}?q=difference+lasso+ridge") as page:
        tab.set_viewport_size(PHONE)
        box = tab.locator(".litlearn-answered")
        box.wait_for()
        background, contrast = legibility(box.screenshot())
        assert (background < 0.2) == (scheme == "dark") and contrast > 4.5
        assert _sideways(page) == ""


@pytest.mark.browser
def test_from_a_chapter_of_the_published_book(chromium, tab):
    """Ctrl+K on a page, a question, Enter: the answer, and quotes of the pages that were found."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Served, directory=HTML))
    server.handle_error = lambda *arguments: None
    threading.Thread(target=server.serve_forever, daemon=True).start()
    home = f"http://127.0.0.1:{server.server_port}"
    with (
        chromium.new_context(viewport=WIDE) as context,
        Opened(context.new_page(), f"{home}/book/k_means.html") as page,
    ):
        page.tab.keyboard.press("Control+k")
        page.tab.keyboard.type("what is the silhouette")
        with page.tab.expect_navigation():
            page.tab.keyboard.press("Enter")
        page.tab.wait_for_function(FINISHED)
        page.tab.locator("#search-results p.context").first.wait_for()
        assert page.tab.evaluate(FOUND)["answers"] == ["silhouette"]
        with page.tab.expect_navigation():
            page.tab.locator(".litlearn-answered dd a").first.click()
        assert re.search(r"book/k_means\.html#kmeans-choose$", page.tab.url)
        assert page.problems == []
    server.shutdown()
    server.server_close()
