"""The running example of the book: a memory clinic that does not exist.

Every number here is invented. The diseases are called A and B because they stand for no disease.
The generator is simple enough that the true probability of each diagnosis, the lowest possible
error and the true regression function are known exactly.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import i0e, logsumexp

from litlearn._core.constraints import COUNT, RANDOM_STATE, Integer
from litlearn._core.guide import guide

__all__ = ["BayesError", "Bunch", "MemoryClinic", "make_memory_clinic"]

_FEATURES = (
    ("age", "years"),
    ("memory_score", "points"),
    ("hippocampal_volume", "mm³"),
    ("total_tau", "pg/mL"),
    ("phosphorylated_tau", "pg/mL"),
    ("metabolite_u", "µmol/L"),
    ("metabolite_v", "nmol/L"),
    ("sodium", "mmol/L"),
    ("heart_rate", "beats/min"),
    ("height", "cm"),
)
_NORMAL, _RING, _NOISE = slice(0, 5), slice(5, 7), slice(7, 10)


class Bunch(dict):
    """A dict whose keys can be read as attributes, so that ``b["data"]`` is ``b.data``.

    Examples
    --------
    >>> from litlearn.datasets import Bunch
    >>> b = Bunch(units=["years"])
    >>> b.units is b["units"]
    True
    """

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"{type(self).__name__} has no entry {name!r}") from None

    def __setattr__(self, name, value):
        self[name] = value

    def __dir__(self):
        return [*super().__dir__(), *self]


class BayesError(NamedTuple):
    """An estimate by simulation of the lowest possible error, and its standard error.

    Attributes
    ----------
    error : float
        Share of people that the best classifier gets wrong.
    standard_error : float
        Standard error of that share.

    Examples
    --------
    >>> from litlearn.datasets import make_memory_clinic
    >>> clinic = make_memory_clinic(random_state=0)
    >>> best = clinic.bayes_error(random_state=0)
    >>> 0.0 < best.error < 0.2 and best.standard_error < 0.01
    True
    """

    error: float
    standard_error: float


def _covariance(sd, correlations):
    """Covariance matrix from standard deviations and the upper triangle of the correlations."""
    sd = np.array(sd, dtype=np.float64)
    correlation = np.eye(len(sd))
    correlation[np.triu_indices(len(sd), 1)] = correlations
    correlation = np.triu(correlation) + np.triu(correlation, 1).T
    return correlation * np.outer(sd, sd)


def _make_truth():
    """All parameters of the generator, as read-only arrays."""
    # Columns of means and sd: age, memory score, hippocampal volume, total tau, p-tau.
    # Correlations: (age, memory), (age, volume), (age, tau), (age, p-tau), (memory, volume),
    # (memory, tau), (memory, p-tau), (volume, tau), (volume, p-tau), (tau, p-tau).
    means = [
        [70.0, 50.0, 3500.0, 280.0, 50.0],
        [75.0, 37.0, 2800.0, 440.0, 73.0],
        [62.0, 40.0, 3300.0, 520.0, 85.0],
        [73.0, 38.0, 3050.0, 310.0, 52.0],
    ]
    covariances = [
        _covariance(
            [8.0, 9.0, 380.0, 60.0, 10.5],
            [-0.30, -0.45, 0.20, 0.20, 0.25, -0.05, -0.05, -0.10, -0.10, 0.80],
        ),
        _covariance(
            [7.0, 8.0, 400.0, 85.0, 14.5],
            [-0.10, -0.30, 0.00, 0.00, 0.50, -0.25, -0.25, -0.20, -0.20, 0.85],
        ),
        _covariance(
            [6.0, 7.5, 330.0, 95.0, 16.0],
            [-0.10, -0.20, 0.00, 0.00, 0.20, -0.40, -0.40, -0.10, -0.10, 0.90],
        ),
        _covariance(
            [7.0, 10.0, 420.0, 65.0, 11.0],
            [-0.30, -0.40, 0.10, 0.10, 0.40, -0.10, -0.10, -0.10, -0.10, 0.70],
        ),
    ]
    truth = Bunch(
        component_names=("control", "disease A, subtype 1", "disease A, subtype 2", "disease B"),
        component_class=np.array([0, 1, 1, 2]),
        component_prior=np.array([0.50, 0.18, 0.12, 0.20]),
        class_prior=np.array([0.50, 0.30, 0.20]),
        means=np.array(means),
        covariances=np.array(covariances),
        ring_center=np.array([25.0, 300.0]),
        ring_scale=np.array([4.0, 45.0]),
        ring_radius=np.array([0.0, 1.6, 1.6, 2.4]),
        ring_spread=np.array([0.9, 0.6, 0.6, 0.6]),
        noise_mean=np.array([140.0, 70.0, 168.0]),
        noise_sd=np.array([2.5, 9.0, 9.0]),
        intercept=11.0,
        coef=np.array([-0.10, 0.80, 0.003, 0.0, -0.10, 0.0, 0.0, 0.0, 0.0, 0.0]),
        curve_feature="age",
        curve_center=68.0,
        curve_coef=-0.02,
        residual_sd=4.0,
    )
    for value in truth.values():
        if isinstance(value, np.ndarray):
            value.setflags(write=False)
    return truth


def _draw(n_samples, rng, truth):
    """Draw features (n, 10) and component numbers (n,) from the model."""
    # component: every person is drawn independently, so the shares vary from draw to draw.
    share = np.cumsum(truth.component_prior)
    share[-1] = 1.0
    component = np.searchsorted(share, rng.uniform(size=n_samples), side="right")
    X = np.empty((n_samples, len(_FEATURES)))

    # normal features: mean plus Cholesky factor times independent standard normals.
    z = rng.standard_normal((n_samples, 5))
    factor = np.array([np.linalg.cholesky(S) for S in truth.covariances])[component]
    for j in range(5):
        X[:, j] = truth.means[component, j]
        for k in range(j + 1):
            # A plain sum of columns has one order; a BLAS product may change with the machine.
            X[:, j] += factor[:, j, k] * z[:, k]

    # ring: a point on a circle of the component's radius, plus noise.
    angle = 2.0 * np.pi * rng.uniform(size=n_samples)
    circle = np.column_stack([np.cos(angle), np.sin(angle)])
    z = rng.standard_normal((n_samples, 2))
    radius, spread = truth.ring_radius[component], truth.ring_spread[component]
    offset = radius[:, None] * circle + spread[:, None] * z
    X[:, _RING] = truth.ring_center + truth.ring_scale * offset

    # noise: the same distribution for everyone.
    X[:, _NOISE] = truth.noise_mean + truth.noise_sd * rng.standard_normal((n_samples, 3))
    return X, component


class MemoryClinic(Bunch):
    """People of an invented memory clinic, and the truth behind them.

    Made by :func:`make_memory_clinic`, which lists the entries.

    Examples
    --------
    >>> from litlearn.datasets import make_memory_clinic
    >>> clinic = make_memory_clinic(20, random_state=0)
    >>> clinic.posterior(clinic.data).shape
    (20, 3)
    """

    def __repr__(self):
        n_samples, n_features = self.data.shape
        return (
            f"MemoryClinic(invented data: {n_samples} people, {n_features} features; "
            f"entries: {', '.join(self)})"
        )

    def _columns(self, X, features, name):
        """Return X as float64 and the positions of its columns among all features."""
        positions = list(range(len(_FEATURES)))
        if features is not None:
            unknown = [f for f in features if f not in self.feature_names]
            if isinstance(features, str) or unknown or len(set(features)) != len(features):
                raise ValueError(
                    f"MemoryClinic.{name}: features is {features!r}, expected a list of different "
                    f"names from {self.feature_names}"
                )
            positions = [self.feature_names.index(f) for f in features]
            if (5 in positions) != (6 in positions):
                raise ValueError(
                    f"MemoryClinic.{name}: features is {features!r}, expected metabolite_u and "
                    "metabolite_v both or neither: one alone has no density in closed form"
                )
        if X is None:
            return None, positions
        X = np.asarray(X, dtype=np.float64)
        if X.ndim != 2 or X.shape[1] != len(positions):
            raise ValueError(
                f"MemoryClinic.{name}: X has shape {X.shape}, expected "
                f"(n_samples, {len(positions)})"
            )
        if not np.isfinite(X).all():
            raise ValueError(f"MemoryClinic.{name}: X contains NaN or infinity, expected numbers")
        return X, positions

    def posterior(self, X, *, n_classes=3, features=None):
        """Return the true probability of each diagnosis, given the features.

        Implements :eq:`eq-clinic-posterior`. With `features` the others are integrated out, so
        that the result is the best that can be known from these features alone.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_columns)
            Feature values in the units of the clinic: all 10 features, or those of `features`.
        n_classes : {2, 3}, default=3
            3: control, disease A, disease B. 2: control, ill.
        features : list of str, default=None
            Names of the columns of `X`. None: all features. The two metabolites come together.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Probabilities; every row sums to one.

        Raises
        ------
        ValueError
            If `X` has another number of columns, NaN or infinity, or a parameter is wrong.

        Notes
        -----
        Costs O(n) time and memory: four densities of at most 5 + 2 dimensions for each row.
        """
        if n_classes not in (2, 3):
            raise ValueError(f"MemoryClinic.posterior: n_classes is {n_classes!r}, expected 2 or 3")
        X, positions = self._columns(X, features, "posterior")
        truth = self.truth
        normal = [c for c, position in enumerate(positions) if position < 5]
        kept = [positions[c] for c in normal]
        log_joint = np.tile(np.log(truth.component_prior), (len(X), 1))

        # normal density: a part of a normal vector is normal, with the same means and covariances.
        for m in range(4 if normal else 0):
            covariance = truth.covariances[m][np.ix_(kept, kept)]
            deviation = X[:, normal] - truth.means[m, kept]
            whitened = np.linalg.solve(np.linalg.cholesky(covariance), deviation.T)
            log_joint[:, m] -= 0.5 * (whitened**2).sum(axis=0)
            log_joint[:, m] -= 0.5 * np.linalg.slogdet(covariance)[1]

        # ring density: i0e(t) is I0(t) exp(-t), which does not overflow.
        if 5 in positions:
            pair = X[:, [positions.index(5), positions.index(6)]]
            distance = np.hypot(*((pair - truth.ring_center) / truth.ring_scale).T)
            for m in range(4):
                radius, variance = truth.ring_radius[m], truth.ring_spread[m] ** 2
                log_joint[:, m] -= (distance - radius) ** 2 / (2.0 * variance) + np.log(variance)
                log_joint[:, m] += np.log(i0e(distance * radius / variance))

        # normalise: factors that all components share, such as the noise features, cancel.
        log_joint -= logsumexp(log_joint, axis=1, keepdims=True)
        component = np.exp(log_joint)
        three = component[:, [0, 1, 3]]
        three[:, 1] += component[:, 2]
        if n_classes == 3:
            return three
        return np.column_stack([three[:, 0], three[:, 1] + three[:, 2]])

    def bayes_error(self, *, n_classes=3, features=None, n_draws=200_000, random_state=0):
        """Estimate the lowest error rate that any classifier can have.

        The best classifier names the most probable diagnosis; it errs with one minus that
        probability. The mean over fresh draws is the estimate (:eq:`eq-clinic-bayes-error`).

        Parameters
        ----------
        n_classes, features
            As in :meth:`posterior`.
        n_draws : int, default=200_000
            People drawn. The standard error falls with the square root.
        random_state : int, RandomState, Generator or None, default=0
            Seed of the draws. An int gives the same result on every call.

        Returns
        -------
        BayesError
            The pair (error, standard_error).

        Raises
        ------
        ValueError, TypeError
            As in :meth:`posterior`, and if `n_draws` is not an int above 1.
        """
        n_draws = Integer("[2, inf)").check("bayes_error", "n_draws", n_draws)
        rng = RANDOM_STATE.check("bayes_error", "random_state", random_state)
        _, positions = self._columns(None, features, "bayes_error")
        total = squares = 0.0
        for first in range(0, n_draws, 50_000):
            X, _ = _draw(min(50_000, n_draws - first), rng, self.truth)
            probability = self.posterior(X[:, positions], n_classes=n_classes, features=features)
            error = 1.0 - probability.max(axis=1)
            total += error.sum()
            squares += (error**2).sum()
        mean = total / n_draws
        variance = (squares - n_draws * mean**2) / (n_draws - 1)
        return BayesError(float(mean), float(np.sqrt(variance / n_draws)))

    def expected_next_score(self, X):
        """Return the true mean of next year's memory score, given all features.

        Implements :eq:`eq-clinic-next-score` without its noise. No prediction has a smaller mean
        squared error; its mean squared error is ``truth.residual_sd ** 2``.

        Parameters
        ----------
        X : array-like of shape (n_samples, 10)
            Feature values in the units of the clinic.

        Returns
        -------
        ndarray of shape (n_samples,)
            Points of the memory score.

        Raises
        ------
        ValueError
            If `X` has another number of columns, NaN or infinity.
        """
        X, _ = self._columns(X, None, "expected_next_score")
        return _expected_next_score(X, self.truth)


def _expected_next_score(X, truth):
    """Linear part plus one curved term: features (n, 10) to scores (n,)."""
    score = np.full(len(X), truth.intercept)
    for j, weight in enumerate(truth.coef):
        score += weight * X[:, j]
    return score + truth.curve_coef * (X[:, 0] - truth.curve_center) ** 2


def make_memory_clinic(n_samples=600, *, random_state=None, as_frame=False):
    r"""Draw the people of an invented memory clinic.

    **Invented data.** No person was measured, the diseases A and B stand for no disease, and
    nothing about medicine can be learnt from them. Half of the people are controls, 30 % have
    disease A, which has two hidden subtypes, and 20 % have disease B, each drawn independently
    (:eq:`eq-clinic-mixture`). Five features are normal with another mean and covariance in each
    group, two lie on rings (:eq:`eq-clinic-ring`), three are noise.

    Parameters
    ----------
    n_samples : int, default=600
        Number of people.
    random_state : int, RandomState, Generator or None, default=None
        Seed. The same int gives the same bits on every call.
    as_frame : bool, default=False
        Return `data` as a pandas DataFrame and the targets as Series (needs pandas).

    Returns
    -------
    MemoryClinic
        A dict with attribute access. Its entries:

        data : ndarray of shape (n_samples, 10)
            ``age`` (years), ``memory_score`` (points; standardised to mean 50
            in controls, without limits),
            ``hippocampal_volume`` (mm³), ``total_tau`` and ``phosphorylated_tau`` (pg/mL;
            strongly correlated), ``metabolite_u`` (µmol/L) and ``metabolite_v`` (nmol/L; the ring
            pair), ``sodium`` (mmol/L), ``heart_rate`` (beats/min) and ``height`` (cm; all three
            noise).
        feature_names, units : list of str
            Names and units of the columns.
        target : ndarray of shape (n_samples,)
            0 control, 1 disease A, 2 disease B; named in ``target_names``.
        target_binary : ndarray of shape (n_samples,)
            -1 control, +1 ill.
        next_score : ndarray of shape (n_samples,)
            Memory score one year later, in points.
        subtype : ndarray of shape (n_samples,)
            1 or 2 for people with disease A, otherwise 0. Hidden: not for training.
        truth : Bunch
            Parameters of the generator (read-only): ``component_names``, ``component_class``,
            ``component_prior``, ``class_prior``, ``means`` (4, 5), ``covariances`` (4, 5, 5),
            ``ring_center``, ``ring_scale``, ``ring_radius``, ``ring_spread``, ``noise_mean``,
            ``noise_sd``, ``intercept``, ``coef`` (10,), ``curve_feature``, ``curve_center``,
            ``curve_coef``, ``residual_sd``.

        Its methods ``posterior``, ``bayes_error`` and ``expected_next_score`` give the best
        possible answers.

    Raises
    ------
    TypeError, ValueError
        If `n_samples` is not a positive int or `random_state` not a seed.
    ImportError
        If `as_frame` is set and pandas is not installed.

    Notes
    -----
    Costs O(n) time and memory. The page *The memory clinic* is the data sheet.

    Examples
    --------
    >>> from litlearn.datasets import make_memory_clinic
    >>> clinic = make_memory_clinic(random_state=0)
    >>> clinic.data.shape
    (600, 10)
    >>> clinic.target_names
    ['control', 'disease A', 'disease B']
    """
    n_samples = COUNT.check("make_memory_clinic", "n_samples", n_samples)
    rng = RANDOM_STATE.check("make_memory_clinic", "random_state", random_state)
    truth = _make_truth()
    X, component = _draw(n_samples, rng, truth)
    next_score = _expected_next_score(X, truth)
    next_score += truth.residual_sd * rng.standard_normal(n_samples)
    target = truth.component_class[component]
    clinic = MemoryClinic(
        data=X,
        feature_names=[name for name, _ in _FEATURES],
        units=[unit for _, unit in _FEATURES],
        target=target,
        target_binary=np.where(target == 0, -1, 1),
        target_names=["control", "disease A", "disease B"],
        next_score=next_score,
        subtype=np.array([0, 1, 2, 0])[component],
        truth=truth,
    )
    if as_frame:
        try:
            import pandas as pd
        except ImportError as error:
            raise ImportError(
                "make_memory_clinic: as_frame=True needs pandas, which is not installed: "
                "pip install pandas"
            ) from error
        clinic.data = pd.DataFrame(X, columns=clinic.feature_names)
        for name in ("target", "target_binary", "next_score", "subtype"):
            clinic[name] = pd.Series(clinic[name], name=name)
    return clinic


__getattr__ = guide(__name__)
