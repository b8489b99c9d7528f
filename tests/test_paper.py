"""Every section, figure, box, algorithm and equation of the paper has a place in the book.

The left column is the paper's label. The right one names the page, and the label on it: ``fig-...``
is a figure, ``eq-...`` an equation, ``alg-...`` an algorithm; a plain label is a section or a box.
"""

import json
import re
from pathlib import Path

import pytest

BOOK = Path(__file__).resolve().parent.parent / "book"

PLACES = {
    # sections
    "Introduction": ("introduction", "introduction"),
    "sec:notations": ("notation", "notation"),
    "sec:nearest": ("nearest_neighbors", "nearest-neighbors"),
    "sec:linear": ("linear_regression", "linear-regression"),
    "sec:logistic": ("logistic_regression", "logistic-regression"),
    "sec:overfitting": ("overfitting", "overfitting"),
    "sec:penalized": ("penalized_models", "penalized-models"),
    "sec:support_vector_machine": ("support_vector_machines", "support-vector-machines"),
    "sec:multiclass": ("multiclass", "multiclass"),
    "sec:decision_functions_normal_distributions": (
        "normal_distributions",
        "normal-distributions",
    ),
    "sec:tree": ("decision_trees", "decision-trees"),
    "Random forest": ("random_forests", "random-forests"),
    "Extremely randomized trees": ("extra_trees", "extra-trees"),
    "sec:clustering": ("k_means", "k-means"),
    "Gaussian mixture model": ("gaussian_mixtures", "gaussian-mixtures"),
    "sec:dimensionality_reduction": ("dimensionality_reduction", "dimensionality-reduction"),
    "sec:kernel_methods": ("kernel_methods", "kernel-methods"),
    "Conclusion": ("conclusion", "conclusion"),
    # parts of sections, which have no label there
    "Metrics": ("nearest_neighbors", "knn-distance"),
    "Neighborhood": ("nearest_neighbors", "eq-k-neighborhood"),
    "Weights": ("nearest_neighbors", "eq-weights-distance"),
    "Neighbor search": ("nearest_neighbors", "knn-search"),
    "Penalties": ("penalized_models", "def-penalties"),
    "l2 penalty": ("penalized_models", "pen-ridge"),
    "l1 penalty": ("penalized_models", "pen-lasso"),
    "Elastic-net penalty": ("penalized_models", "eq-elastic-net"),
    "New optimization problem": ("penalized_models", "pen-constrained"),
    "Original formulation": ("support_vector_machines", "svm-margin"),
    "General formulation with kernels": ("support_vector_machines", "svm-kernels"),
    "Multinomial logistic regression": ("multiclass", "multiclass-softmax"),
    "One-vs-rest": ("multiclass", "multiclass-rest"),
    "One-vs-one": ("multiclass", "multiclass-one"),
    "Error correcting output code": ("multiclass", "multiclass-codes"),
    "Naive Bayes": ("normal_distributions", "eq-naive-bayes"),
    "Linear discriminant analysis": ("normal_distributions", "eq-lda"),
    "Quadratic discriminant analysis": ("normal_distributions", "eq-qda"),
    "Decision tree": ("decision_trees", "tree-split"),
    "k-means": ("k_means", "kmeans-inertia"),
    "Full decomposition": ("dimensionality_reduction", "eq-pca-eigen"),
    "Truncated decomposition": ("dimensionality_reduction", "reduction-count"),
    "Linear discriminant analysis for reduction": ("dimensionality_reduction", "reduction-lda"),
    "Kernel ridge regression": ("kernel_methods", "km-dual"),
    "Kernel principal component analysis": ("kernel_methods", "km-kpca"),
    # footnotes
    "the confidences in a tie": ("multiclass", "eq-one-vs-one"),
    "code words of 0 and 1": ("multiclass", "eq-ecoc"),
    # boxes
    "box:algorithms": ("conclusion", "conclusion-map"),
    "box:linear_regression": ("linear_regression", "lin-summary"),
    "box:logistic_regression": ("logistic_regression", "logistic-summary"),
    "box:support_vector_machine": ("support_vector_machines", "svm-summary"),
    "box:random_forest": ("random_forests", "forest-summary"),
    # algorithms
    "alg:kmeans": ("k_means", "alg-kmeans"),
    "alg:gaussian_mixture_model": ("gaussian_mixtures", "alg-gmm"),
    # equations
    "eq:log_probability": ("normal_distributions", "eq-normal-score"),
    "eq:minimization_constraint": ("penalized_models", "eq-constrained"),
    "eq:minimization_penalty": ("penalized_models", "eq-penalized"),
    "eq:svm_kernel": ("support_vector_machines", "eq-svm-decision"),
    # figures
    "fig:unit_balls": ("nearest_neighbors_more_inside", "fig-unit-balls"),
    "fig:neighborhood_types": ("nearest_neighbors", "fig-neighborhood-types"),
    "fig:nearest_neighbor_classification_weights": (
        "nearest_neighbors",
        "fig-nearest-neighbor-classification-weights",
    ),
    "fig:linear_regression": ("linear_regression", "fig-linear-regression"),
    "fig:logistic_regression": ("logistic_regression", "fig-logistic-regression"),
    "fig:underfitting_overfitting_bias_variance": ("overfitting", "fig-underfitting-overfitting"),
    "fig:regularization_constraint": ("penalized_models", "fig-regularization-constraint"),
    "fig:regularization_kernel_ridge_regression": (
        "penalized_models",
        "fig-regularization-kernel-ridge",
    ),
    "fig:classification_svm_linearly_separable": (
        "support_vector_machines",
        "fig-classification-svm-linearly-separable",
    ),
    "fig:svm_classification_not_linearly_separable": (
        "support_vector_machines",
        "fig-svm-classification-not-linearly-separable",
    ),
    "fig:classification_losses": ("support_vector_machines", "fig-classification-losses"),
    "fig:classification_svm_kernels": ("support_vector_machines", "fig-classification-svm-kernels"),
    "fig:regression_losses": ("support_vector_machines", "fig-regression-losses"),
    "fig:multiclass_strategies": ("multiclass", "fig-multiclass-strategies"),
    "fig:multiclass_logistic_regression": ("multiclass", "fig-multiclass-logistic-regression"),
    "fig:decision_functions_normal_distributions": ("normal_distributions", "fig-normal-borders"),
    "fig:decision_tree_everyday_life": ("decision_trees", "fig-tree-card"),
    "fig:classification_decision_tree": ("decision_trees", "fig-classification-decision-tree"),
    "fig:decision_tree_impurity_criteria": ("decision_trees", "fig-impurity-criteria"),
    "fig:kmeans": ("k_means", "fig-kmeans"),
    "fig:kmeans_global_local_minima": ("k_means", "fig-kmeans-global-local-minima"),
    "fig:gaussian_mixture_model": ("gaussian_mixtures", "fig-gmm-shares"),
    "fig:principal_component_analysis": (
        "dimensionality_reduction",
        "fig-reduction-turn",
    ),
    "fig:dimensionalty_reduction_pca": ("dimensionality_reduction", "fig-reduction-iris"),
    "fig:dimensionalty_reduction_lda": ("dimensionality_reduction", "fig-reduction-iris"),
    "fig:kernel_principal_component_analysis": (
        "kernel_methods",
        "fig-km-kpca",
    ),
}

# The bibliography of the paper: its key, and the pages of the sections that cite it there. One has
# its right year here, and the program that drew the figures is named with the references.
REFERENCES = {
    "aggarwal_surprising_2001": ["k_means"],
    "aizerman_theoretical_1964": ["support_vector_machines"],
    "aly_survey_2005": ["multiclass"],
    "arthur_k-means_2007": ["k_means", "gaussian_mixtures"],
    "bentley_multidimensional_1975": ["nearest_neighbors"],
    "bishop_pattern_2006": ["linear_regression", "multiclass", "conclusion"],
    "boser_training_1992": ["support_vector_machines"],
    "breiman_classification_1984": ["decision_trees"],
    "breiman_random_2001": ["random_forests"],
    "cortes_support-vector_1995": ["support_vector_machines"],
    "dempster_maximum_1977": ["gaussian_mixtures"],
    "elkan_using_2003": ["k_means"],
    "geurts_extremely_2006": ["extra_trees"],
    "goodfellow2016deep": ["introduction"],
    "harris2020array": ["references"],
    "hastie_elements_2009": ["logistic_regression", "conclusion"],
    "hunter2007matplotlib": ["references"],
    "james_error_1998": ["multiclass"],
    "jolliffe_principal_2002": ["dimensionality_reduction"],
    "lloyd_least_1982": ["k_means"],
    "murphy_machine_2012": ["nearest_neighbors", "kernel_methods"],
    "omohundro_five_1989": ["nearest_neighbors"],
    "pedregosa2011scikit": ["conclusion", "references"],
    "scholkopf_generalized_2001": ["support_vector_machines"],
    "scholkopf_kernel_1999": ["kernel_methods"],
    "tibshirani_regression_1996": ["penalized_models"],
    "tikhonov_solutions_1977": ["penalized_models"],
    "vapnik_pattern_1963": ["support_vector_machines"],
    "zou_regularization_2005": ["penalized_models"],
}


def written(page):
    """Return the text of a page, with the names of the figures that its cells draw."""
    path = BOOK / f"{page}.ipynb"
    if not path.is_file():
        return (BOOK / f"{page}.md").read_text(encoding="utf-8")
    parts = []
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        figure = cell["metadata"].get("mystnb", {}).get("figure", {})
        text = "".join(cell["source"]) if cell["cell_type"] == "markdown" else ""
        parts += [text, f":name: {figure['name']}" if "name" in figure else ""]
    return "\n".join(parts)


@pytest.mark.parametrize(("page", "label"), PLACES.values(), ids=list(PLACES))
def test_what_the_paper_has_stands_in_the_book(page, label):
    target = rf"^\({label}\)=$|\({label}\)$|:(?:name|label): *{label}\b"
    assert re.search(target, written(page), re.MULTILINE), f"{page} has no {label}"


@pytest.mark.parametrize("key", REFERENCES)
def test_what_the_paper_cites_is_cited_in_the_same_place(key):
    cited = re.compile(rf"cite:\w+\}}`[^`]*\b{key}\b")
    missing = [page for page in REFERENCES[key] if not cited.search(written(page))]
    assert missing == [], f"{key} is not cited where the paper cites it"


# -- the errata -----------------------------------------------------------------------------------


ERRATUM = re.compile(r"^\((errata-[\w-]+)\)=\n### .*\n\n(.*)$", re.MULTILINE)
ROW = re.compile(r"^\|.*\| \{ref\}`(errata-[\w-]+)` \|$", re.MULTILINE)


def wrong():
    """Return what the paper has wrong, in its order: label -> text."""
    return dict(ERRATUM.findall(written("errata_by_section")))


def test_errata_say_what_is_wrong_and_what_is_right():
    assert len(wrong()) > 30
    for label, text in wrong().items():
        assert text.startswith("**Wrong.**") and len(text.split()) > 25, label


def test_what_is_wrong_is_listed_in_its_order():
    assert ROW.findall(written("errata")) == list(wrong())


def test_what_is_wrong_is_shown_by_a_cell():
    """A comment of the cell that shows it names the label."""
    cells = json.loads((BOOK / "errata_by_section.ipynb").read_text(encoding="utf-8"))["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    comments = [line for cell in code for line in cell.splitlines() if line.startswith("# ")]
    shown = set(re.findall(r"errata-[\w-]+", " ".join(comments)))
    assert set(wrong()) - shown == set()


def test_conditions_lead_to_the_entries():
    entries = re.findall(r"^\((errata-[\w-]+)\)=$", written("errata_by_section"), re.MULTILINE)
    assert len(entries) == len(set(entries))
    assert set(re.findall(r"\(#(errata-[\w-]+)\)", written("errata"))) - set(entries) == set()
