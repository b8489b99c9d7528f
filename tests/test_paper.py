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

# The bibliography of the paper, by the keys that it uses; one has its right year here, and the
# program that drew the figures is named with the references.
REFERENCES = """
aggarwal_surprising_2001 aizerman_theoretical_1964 aly_survey_2005 arthur_k-means_2007
bentley_multidimensional_1975 bishop_pattern_2006 boser_training_1992
breiman_classification_1984 breiman_random_2001 cortes_support-vector_1995 dempster_maximum_1977
elkan_using_2003 geurts_extremely_2006 goodfellow2016deep harris2020array hastie_elements_2009
hunter2007matplotlib james_error_1998 jolliffe_principal_2002 lloyd_least_1982
murphy_machine_2012 omohundro_five_1989 pedregosa2011scikit scholkopf_generalized_2001
scholkopf_kernel_1999 tibshirani_regression_1996 tikhonov_solutions_1977 vapnik_pattern_1963
zou_regularization_2005
""".split()  # noqa: SIM905


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
def test_what_the_paper_cites_is_cited(key):
    pages = [path.stem for path in BOOK.glob("*") if path.suffix in (".ipynb", ".md")]
    citing = [page for page in pages if re.search(rf"cite:\w+\}}`[^`]*\b{key}\b", written(page))]
    named = set() if key == "hunter2007matplotlib" else {"references"}
    assert set(citing) - {"errata"} - named, f"no page cites {key}"
