"""Support vector machines: classification and regression, with kernels.

The names, parameters, attributes and defaults are scikit-learn's.
"""

from litlearn._core.guide import guide
from litlearn.svm._classification import SVC, NuSVC
from litlearn.svm._linear_machines import LinearSVC, LinearSVR
from litlearn.svm._regression import SVR, NuSVR

__all__ = ["SVC", "SVR", "LinearSVC", "LinearSVR", "NuSVC", "NuSVR"]

__getattr__ = guide(__name__)
