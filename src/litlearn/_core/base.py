"""What all estimators share: parameters, representation, pickling, scores, and tags.

scikit-learn's tools (pipelines, searches, cross-validation) ask an estimator for more than
``fit`` and ``predict``: for its tags, its metadata requests, its output container. Those answers
are objects of scikit-learn's own classes. They are made here only when someone asks, and someone
who asks has scikit-learn loaded. Nothing in this file imports it.

Some libraries ask whether an estimator is an instance of scikit-learn's ``BaseEstimator`` or
``ClassifierMixin``. Those classes take no virtual subclasses, so ours become real ones: once
scikit-learn is loaded, its classes take the place of :class:`Root` beneath the bases of this file.
"""

import contextlib
import copy
import functools
import inspect
import sys
from collections import defaultdict

import numpy as np

from litlearn import __version__
from litlearn._core import containers, html, pickles, to_sklearn, validation
from litlearn._core.chunked import in_memory, is_chunked
from litlearn._core.chunked_methods import with_containers
from litlearn._core.constraints import Option
from litlearn.exceptions import NotFittedError, UndefinedMetricWarning

__all__ = [
    "BaseEstimator",
    "ClassifierMixin",
    "ClusterMixin",
    "DensityMixin",
    "MultiOutputMixin",
    "NotFittedError",
    "NumberedColumnsMixin",
    "RegressorMixin",
    "TransformerMixin",
]

CONTAINER = Option("default", "pandas", "polars", "pyarrow")
# The methods to which scikit-learn can route metadata such as sample weights.
_ROUTED_METHODS = (
    "fit",
    "partial_fit",
    "predict",
    "predict_proba",
    "predict_log_proba",
    "decision_function",
    "score",
    "transform",
    "inverse_transform",
)


def _loaded(module, purpose):
    """Return a module of scikit-learn that the user has loaded."""
    if module not in sys.modules:
        raise RuntimeError(f"{purpose} needs scikit-learn, and it is not loaded.")
    return sys.modules[module]


def clone(estimator):
    """Return an unfitted estimator with the same parameters, of this package or another one."""
    if "sklearn.base" in sys.modules:
        return sys.modules["sklearn.base"].clone(estimator)
    if not hasattr(estimator, "get_params") or isinstance(estimator, type):
        return copy.deepcopy(estimator)
    params = estimator.get_params(deep=False)
    return type(estimator)(**{name: clone(value) for name, value in params.items()})


class Root:
    """What stands where scikit-learn's base classes come, until they are loaded."""


def _join_scikit_learn():
    """Make the bases of this file subclasses of scikit-learn's, once those are loaded.

    Their methods stand behind ours in the order of look-up: only what ours lack comes from them.
    """
    theirs = sys.modules.get("sklearn.base")
    if Root not in BaseEstimator.__bases__ or not hasattr(theirs, BaseEstimator.__name__):
        return
    own = (ClassifierMixin, ClusterMixin, DensityMixin, MultiOutputMixin, RegressorMixin)
    for base in (*own, TransformerMixin, BaseEstimator):
        # A TypeError: somebody's class inherits from both, theirs first. It has its bases already.
        with contextlib.suppress(TypeError, AttributeError):
            base.__bases__ = (getattr(theirs, base.__name__),)
    containers.tell_scikit_learn()


class _Signature:
    """The signature of a class: that of ``__init__``, which ``__new__`` would hide."""

    def __get__(self, instance, owner):
        if instance is not None:
            raise AttributeError("__signature__")
        if owner.__init__ is object.__init__:
            return inspect.Signature()
        signature = inspect.signature(owner.__init__)
        return signature.replace(parameters=list(signature.parameters.values())[1:])


@functools.cache
def _parameters_of(init, name):
    """Return the names of the parameters of ``__init__``, sorted; `name` of its class."""
    parameters = list(inspect.signature(init).parameters.values())[1:]
    if any(p.kind is p.VAR_POSITIONAL for p in parameters):
        raise RuntimeError(f"{name}.__init__ must name each of its parameters.")
    return sorted(p.name for p in parameters if p.kind is not p.VAR_KEYWORD)


class BaseEstimator(Root):
    """Base of every estimator.

    A subclass lists its parameters in the signature of ``__init__``, and stores each one unchanged
    with ``self._set_as_given(locals())``. ``fit`` checks them and stores what it learns in
    attributes whose names end with an underscore.
    """

    __signature__ = _Signature()
    _sparse_formats = ()  # of samples, besides dense arrays; others are converted to the first
    _takes_missing = False  # whether samples may hold NaN
    _fits_chunks = False  # whether `fit` is a sum over samples, that may be in chunks
    _keeps_chunks = False  # whether such samples stay part of the fitted estimator
    _fits_tasks = False  # whether `fit` is made of tasks, that workers may carry out

    def __new__(cls, *args, **kwargs):
        if "sklearn.base" in sys.modules:
            _join_scikit_learn()
        return super().__new__(cls)

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        with_containers(cls)
        for method in _ROUTED_METHODS:
            name, keys = f"set_{method}_request", _metadata_of(cls, method)
            if keys and not hasattr(cls, name):
                setattr(cls, name, _RequestMethod(method, keys))

    # Parameters

    def _set_as_given(self, given):
        """Store the ``locals()`` of a constructor under the names of its signature."""
        for name, value in given.items():
            if name != "self":
                setattr(self, name, value)

    @classmethod
    def _get_param_names(cls):
        """Return the names of the parameters, sorted."""
        if cls.__init__ is object.__init__:
            return []
        return _parameters_of(cls.__init__, cls.__name__).copy()

    @classmethod
    def _get_defaults(cls):
        """Return the parameters' defaults by name."""
        known = inspect.signature(cls.__init__).parameters
        return {name: known[name].default for name in cls._get_param_names()}

    def get_params(self, deep=True):
        """Return the parameters of this estimator.

        Parameters
        ----------
        deep : bool, default=True
            Also return the parameters of estimators that are parameters of this one, under names
            of the form ``<component>__<parameter>``.

        Returns
        -------
        dict
            Parameter names and their values.
        """
        params = {}
        for name in self._get_param_names():
            value = getattr(self, name)
            params[name] = value
            if deep and hasattr(value, "get_params") and not isinstance(value, type):
                params.update((f"{name}__{k}", v) for k, v in value.get_params().items())
        return params

    def set_params(self, **params):
        """Set parameters of this estimator, or of estimators inside it.

        Parameters
        ----------
        **params : dict
            Names and values. ``<component>__<parameter>`` reaches into a nested estimator.

        Returns
        -------
        self : estimator

        Raises
        ------
        ValueError
            If a name is not a parameter of this estimator.
        """
        valid = self.get_params(deep=True)
        nested = defaultdict(dict)
        for key, value in params.items():
            name, separator, rest = key.partition("__")
            if name not in valid:
                raise ValueError(
                    f"Invalid parameter {name!r} for estimator {self}. "
                    f"Valid parameters are: {self._get_param_names()!r}."
                )
            if separator:
                nested[name][rest] = value
            else:
                setattr(self, name, value)
                valid[name] = value
        for name, rest in nested.items():
            valid[name].set_params(**rest)
        return self

    def __repr__(self):
        """Show the parameters that differ from their defaults."""
        defaults = self._get_defaults()
        changed = []
        for name, value in self.get_params(deep=False).items():
            shown = html.short_repr(value)
            if shown != html.short_repr(defaults[name]):
                changed.append(f"{name}={shown}")
        return f"{type(self).__name__}({', '.join(changed)})"

    def _repr_html_(self):
        """Show the estimator in a notebook: by scikit-learn where it is loaded."""
        if "sklearn.utils" not in sys.modules:
            return html.estimator_html(self)
        _join_scikit_learn()
        if sys.modules["sklearn"].get_config()["display"] != "diagram":
            return None
        return sys.modules["sklearn.utils"].estimator_html_repr(self)

    def to_sklearn(self):
        """Return scikit-learn's own estimator of the same name, fitted as this one is.

        For tools that ask for scikit-learn's own class, such as converters. scikit-learn must be
        installed.

        Returns
        -------
        estimator of scikit-learn
            With the parameters that scikit-learn knows and copies of the fitted attributes;
            estimators inside are converted, too. scikit-learn's trees round samples to float32
            first, so that a value between a threshold and the nearest such number may change
            sides; those of a forest with ``voting="hard"`` hold votes in their leaves. Cost: that
            of the copies. Neighbours build scikit-learn's index of the samples, and kernel PCA
            the Gram matrix.

        Raises
        ------
        ImportError
            If scikit-learn is not installed.
        NotFittedError
            Before ``fit``.
        """
        return to_sklearn.convert(self)

    # State

    def __reduce_ex__(self, protocol):
        return pickles.reduced(self, super().__reduce_ex__(protocol))

    def __getstate__(self):
        return {**self.__dict__, pickles.VERSION: __version__}

    def __setstate__(self, state):
        pickles.restore(self, state)

    def __sklearn_is_fitted__(self):
        """Tell whether ``fit`` has stored an attribute, that is, one that ends with ``_``."""
        return any(name.endswith("_") and not name.startswith("_") for name in vars(self))

    def _for_chunks(self, X, options):
        """Return the estimator that answers chunks of X, and an array of what goes with each.

        `options` are the arguments of the method. What is fitted later is another estimator.
        """
        return copy.copy(self), None

    # Answers to scikit-learn

    def __sklearn_tags__(self):
        """Return scikit-learn's description of what this estimator accepts."""
        utils = _loaded("sklearn.utils", "A description by tags")
        _join_scikit_learn()
        # Of a matrix of similarities or distances, cross-validation takes rows and columns.
        told = (getattr(self, name, None) for name in ("kernel", "metric"))
        return utils.Tags(
            estimator_type=None,
            target_tags=utils.TargetTags(required=False),
            transformer_tags=None,
            classifier_tags=None,
            regressor_tags=None,
            input_tags=utils.InputTags(
                sparse=bool(self._sparse_formats),
                allow_nan=self._takes_missing,
                pairwise=any(validation.is_option(one, "precomputed") for one in told),
            ),
        )

    @classmethod
    def _get_class_level_metadata_request_values(cls, method_name, *args, **kwargs):
        requester = _loaded("sklearn.utils._metadata_requests", "Metadata routing")
        inherited = requester._MetadataRequester._get_class_level_metadata_request_values
        return inherited.__func__(cls, method_name, *args, **kwargs)

    def _get_metadata_request(self):
        requester = _loaded("sklearn.utils._metadata_requests", "Metadata routing")
        return requester._MetadataRequester._get_metadata_request(self)

    def get_metadata_routing(self):
        """Return the metadata that the methods request, as scikit-learn's ``MetadataRequest``."""
        return self._get_metadata_request()


def _metadata_of(cls, method):
    """Return the names of the arguments of a method beyond the data themselves."""
    function = inspect.getattr_static(cls, method, None)
    if not inspect.isfunction(function):
        return []
    parameters = list(inspect.signature(function).parameters.values())[1:]
    fixed = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    data = ("X", "y", "check_input")
    return sorted(p.name for p in parameters if p.name not in data and p.kind not in fixed)


class _RequestMethod:
    """``set_fit_request`` and its siblings; the work is scikit-learn's."""

    def __init__(self, method, keys):
        self.method = method
        self.keys = keys

    def __get__(self, instance, owner):
        if "sklearn.utils._metadata_requests" in sys.modules:
            module = sys.modules["sklearn.utils._metadata_requests"]
            return module.RequestMethod(self.method, self.keys).__get__(instance, owner)
        return functools.partial(_refuse_request, self.method)


def _refuse_request(method, *args, **kwargs):
    raise RuntimeError(
        f"set_{method}_request is only available when metadata routing is enabled, with "
        "sklearn.set_config(enable_metadata_routing=True)."
    )


class MultiOutputMixin(Root):
    """Mark an estimator that accepts several targets at once."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags


@with_containers
class ClassifierMixin(Root):
    """What classifiers share: accuracy as their score."""

    _multi_label = False  # whether several outputs of two classes each may be predicted

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.estimator_type = "classifier"
        kind = _loaded("sklearn.utils", "A description by tags").ClassifierTags
        tags.classifier_tags = kind(multi_label=self._multi_label)
        tags.target_tags.required = True
        return tags

    def score(self, X, y, sample_weight=None):
        """Return the accuracy: the fraction of samples whose predicted class is the true one.

        With several outputs, a sample counts as right when all of its classes are right.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Their true classes.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample in the fraction.

        Returns
        -------
        float
            Between 0 and 1.
        """
        predicted = in_memory(self.predict(X))
        y = validation.check_true_targets(self, y, predicted)
        right = y == predicted
        if right.ndim == 2:
            right = right.all(axis=1)
        weight = validation.check_sample_weight(self, in_memory(sample_weight), len(right))
        return float(np.average(right, weights=weight))


class ClusterMixin(Root):
    """Mark an estimator that finds clusters."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.estimator_type = "clusterer"
        return tags


class DensityMixin(Root):
    """Mark an estimator of a density."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.estimator_type = "density_estimator"
        return tags


@with_containers
class RegressorMixin(Root):
    """What regressors share: the coefficient of determination as their score."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.estimator_type = "regressor"
        tags.regressor_tags = _loaded("sklearn.utils", "A description by tags").RegressorTags()
        tags.target_tags.required = True
        return tags

    def score(self, X, y, sample_weight=None):
        r"""Return the coefficient of determination :math:`R^2`.

        It is one minus the sum of squared errors, divided by the sum of squared deviations of `y`
        from its mean. A constant prediction of that mean scores 0, a perfect one 1, and a worse one
        less than 0. With several outputs it is the mean over the outputs. If `y` is constant the
        ratio is not defined; the score is then 1 for a perfect prediction and 0 otherwise.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Their true targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample in both sums.

        Returns
        -------
        float
            At most 1; NaN, with a warning, for fewer than two samples.

        Raises
        ------
        ValueError
            If a prediction is NaN, or `y` does not fit the predictions.
        """
        predicted = in_memory(self.predict(X))
        validation.check_finite(f"{type(self).__name__}.score", predicted, "predictions")
        y = validation.check_true_targets(self, y, predicted).astype(np.float64)
        weight = validation.check_sample_weight(self, in_memory(sample_weight), len(y))
        if len(y) < 2:
            message = f"{type(self).__name__}.score: R^2 is not defined for fewer than two samples."
            validation.warn(UndefinedMetricWarning(message))
            return float("nan")
        y, predicted = y.reshape(len(y), -1), predicted.reshape(len(y), -1)
        weight = np.ones((len(y), 1)) if weight is None else weight[:, np.newaxis]
        errors = (weight * (y - predicted) ** 2).sum(axis=0)
        deviations = (weight * (y - (weight * y).sum(axis=0) / weight.sum()) ** 2).sum(axis=0)
        with np.errstate(divide="ignore", invalid="ignore"):
            scores = 1.0 - errors / deviations
        constant = deviations == 0.0
        scores[constant] = np.where(errors[constant] == 0.0, 1.0, 0.0)
        return float(scores.mean())


class TransformerMixin(Root):
    """What transformers share: ``fit_transform``, and a choice of the container of their output."""

    def __init_subclass__(cls, **kwargs):
        if any(base.__name__ == "_SetOutputMixin" for base in cls.__mro__):
            # scikit-learn's class, once it is joined, would wrap the same methods again.
            kwargs.setdefault("auto_wrap_output_keys", None)
        # First of all: what comes as a tensor goes out as a frame where that was chosen.
        for name in ("transform", "fit_transform"):
            if name in vars(cls):
                setattr(cls, name, _in_chosen_container(vars(cls)[name]))
        super().__init_subclass__(**kwargs)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.transformer_tags = _loaded("sklearn.utils", "A description by tags").TransformerTags()
        return tags

    def fit_transform(self, X, y=None, **fit_params):
        """Fit to the data, then transform them.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        y : array-like, default=None
            Targets, for a transformer that uses them.
        **fit_params : dict
            Further arguments of ``fit``.

        Returns
        -------
        ndarray or frame of shape (n_samples, n_features_out)
            The transformed samples.
        """
        fitted = self.fit(X, **fit_params) if y is None else self.fit(X, y, **fit_params)
        return fitted.transform(X)

    def set_output(self, *, transform=None):
        """Choose the container in which ``transform`` returns its result.

        Parameters
        ----------
        transform : {"default", "pandas", "polars", "pyarrow"}, default=None
            ``"default"`` is an array, of NumPy or of the library that `X` is from. A table of Arrow
            comes from ``"pyarrow"``, also from scikit-learn's transformers in one pipeline. None
            leaves the choice as it is. Without a choice,
            ``sklearn.set_config(transform_output=...)`` decides where scikit-learn is loaded.

        Returns
        -------
        self : estimator
        """
        if transform is not None:
            CONTAINER.check(self, "transform", transform)
            self._sklearn_output_config = {"transform": transform}
        return self


class NumberedColumnsMixin(TransformerMixin):
    """What transformers share whose columns are new ones: their names, and float32 kept.

    A subclass says in ``_n_features_out`` how many columns it makes.
    """

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def get_feature_names_out(self, input_features=None):
        """Return names for the columns of ``transform``, (n_features_out,).

        Each is the name of the class in small letters, and the number of the column from 0.
        """
        validation.check_is_fitted(self)
        stem = type(self).__name__.lower()
        return np.array([f"{stem}{c}" for c in range(self._n_features_out)], dtype=object)


def _in_chosen_container(method):
    """Wrap ``transform`` or ``fit_transform`` so that it honours ``set_output``."""

    @functools.wraps(method)
    def wrapped(self, X, *args, **kwargs):
        result = method(self, X, *args, **kwargs)
        container = getattr(self, "_sklearn_output_config", {}).get("transform")
        if container is None and "sklearn" in sys.modules:
            container = sys.modules["sklearn"].get_config()["transform_output"]
        if container in (None, "default") or is_chunked(result):
            return result
        CONTAINER.check(self, "transform_output", container)
        if validation.is_sparse(result):
            raise ValueError(
                f"{type(self).__name__}: The transformer outputs a scipy sparse matrix, of which "
                f"no frame of {container} is made. Call set_output(transform='default')."
            )
        if not isinstance(result, np.ndarray):
            return result  # a frame, by a method that this one calls
        return containers.as_frame(container, result, list(self.get_feature_names_out()), X)

    return wrapped
