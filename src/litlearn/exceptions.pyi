"""Made from the docstrings by .ci/stubs.py: do not edit."""

__all__ = [
    "ConvergenceWarning",
    "DataConversionWarning",
    "InconsistentVersionWarning",
    "InvalidParameterError",
    "NotFittedError",
    "UndefinedMetricWarning",
]

class ConvergenceWarning(UserWarning): ...
class DataConversionWarning(UserWarning): ...

class InconsistentVersionWarning(UserWarning):
    estimator_name: str
    original_litlearn_version: str
    current_litlearn_version: str

class InvalidParameterError(ValueError, TypeError): ...
class NotFittedError(ValueError, AttributeError): ...
class UndefinedMetricWarning(UserWarning): ...
