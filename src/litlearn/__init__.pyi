"""Made from the docstrings by .ci/stubs.py: do not edit."""

from typing import Any

from litlearn import claims as claims
from litlearn import cluster as cluster
from litlearn import conformal as conformal
from litlearn import datasets as datasets
from litlearn import decomposition as decomposition
from litlearn import discriminant_analysis as discriminant_analysis
from litlearn import ensemble as ensemble
from litlearn import exceptions as exceptions
from litlearn import inference as inference
from litlearn import kernel_approximation as kernel_approximation
from litlearn import kernel_ridge as kernel_ridge
from litlearn import kernels as kernels
from litlearn import linear_model as linear_model
from litlearn import listing as listing
from litlearn import mixture as mixture
from litlearn import multiclass as multiclass
from litlearn import naive_bayes as naive_bayes
from litlearn import neighbors as neighbors
from litlearn import plotting as plotting
from litlearn import svm as svm
from litlearn import tree as tree
from litlearn._core.types import Bool

__version__: str

def on(client: Any) -> Any: ...
def show_versions() -> None: ...
def warm_up(
    *namespaces: Any, dtypes: Any = ("float64", "float32"), verbose: Bool = True
) -> None: ...
