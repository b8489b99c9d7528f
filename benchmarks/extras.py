"""Intervals, tables and weights.

What scikit-learn lacks is compared with the package that has it: conformal intervals and sets with
MAPIE, on the same splits and with the same scores; quantiles of forests with quantile-forest;
tables of coefficients with statsmodels. Intervals, sets and tables are right where they are those
of the definition, computed here; their coverage of new samples stands beside. Of forests, whose
random numbers differ, nine tenths of new targets are to lie between the outer quantiles, up to
three points. A Gaussian mixture with weights is compared with scikit-learn's fit to samples that
are repeated as often, and one that is fitted batch by batch with its fit to all of them at once,
whose likelihood it has to reach up to a hundredth. Forests that split categorical columns are
compared with those of YDF, whose settings are as near to ours as it has them, with scikit-learn's,
that take the codes of levels for numbers, and with its gradient boosting on histograms, another
model with as many trees; their scores on new samples, shares of right classes or R2, stand beside
the times. All of the work is timed: fits, what is calibrated, and the answers for new samples where
there are some.
"""

import importlib
import warnings

import numpy as np

from benchmarks import floors, mixture, trees
from benchmarks.case import Adapter, Case

LEVEL = 0.9
FOLDS = 5
TREES, LEAF = 50, 10
BATCHES = 10
CLOSE = 1e-6  # relative
AWAY = 0.03  # of the coverage of quantiles, that vary from forest to forest
BEHIND = 0.01  # of a mean log-likelihood


def adapter(name, label, module, build, query, ours=False):
    """The project, or the package that has the method; None stands for a part of the work."""
    package = module.partition(".")[0]
    return Adapter(
        name, label, package, (module,), build or nothing, query, ours=ours, compiles=ours
    )


def nothing(data, options, threads):
    """All of the work is in the query."""


# ---------------------------------------------------------------- conformal prediction


def draw_numbers(n, p, seed):
    """Samples X, and as many to calibrate (X_rest) and new ones (Q), with their targets."""
    rng = np.random.default_rng(seed)
    slope, data = rng.standard_normal(p), {}
    for name, targets in (("X", "y"), ("X_rest", "y_rest"), ("Q", "y_new")):
        data[name] = rng.standard_normal((n, p))
        data[targets] = data[name] @ slope + rng.standard_t(4, n)
    return data | {"fold": rng.integers(0, FOLDS, n)}


def draw_classes(n, p, seed):
    """As `draw_numbers`, of four normal classes that overlap."""
    rng = np.random.default_rng(seed)
    means, data = 0.5 * rng.standard_normal((4, p)), {}
    for name, targets in (("X", "y"), ("X_rest", "y_rest"), ("Q", "y_new")):
        data[targets] = rng.integers(0, 4, n)
        data[name] = means[data[targets]] + rng.standard_normal((n, p))
    return data


def inside(package, options):
    """The model inside, that both packages are given: scikit-learn's, or ours of its name."""
    module, name = options["inside"]
    return getattr(importlib.import_module(f"{package}.{module}"), name)()


def fit_ours(data, options, threads):
    return inside("litlearn", options).fit(data["X"], data["y"])


def fit_theirs(data, options, threads):
    return inside("sklearn", options).fit(data["X"], data["y"])


def conformalized(module, model, data, options):
    """Ends of intervals or sets, as the package gives them."""
    kind = getattr(importlib.import_module(module), options["method"])
    made = kind(model, confidence_level=LEVEL, prefit=True)
    made.conformalize(data["X_rest"], data["y_rest"])
    regressor = options["method"] == "SplitConformalRegressor"
    return (made.predict_interval if regressor else made.predict_set)(data["Q"])


def split_ours(model, data, options, threads):
    """Ends of intervals (m, 2), or sets (m, q)."""
    return conformalized("litlearn.conformal", model, data, options)


def split_theirs(model, data, options, threads):
    return conformalized(options["theirs"], model, data, options)[1][:, :, 0]


def cross_ours(model, data, options, threads):
    """Ends of intervals (m, 2) of CV+."""
    kind = importlib.import_module("litlearn.conformal").CrossConformalRegressor
    folds = [(None, data["fold"] == k) for k in range(FOLDS)]
    made = kind(inside("litlearn", options), confidence_level=LEVEL, cv=folds)
    return made.fit(data["X"], data["y"]).predict_interval(data["Q"])


def cross_theirs(model, data, options, threads):
    kind = importlib.import_module("mapie.regression").CrossConformalRegressor
    folds = importlib.import_module("sklearn.model_selection").PredefinedSplit(data["fold"])
    made = kind(inside("sklearn", options), confidence_level=LEVEL, cv=folds, n_jobs=threads)
    made.fit_conformalize(data["X"], data["y"])
    return made.predict_interval(data["Q"])[1][:, :, 0]


def with_ones(X):
    return np.column_stack([np.ones(len(X)), X])


def least_squares(X, y):
    """A function that predicts by least squares with an intercept."""
    w = np.linalg.lstsq(with_ones(X), y, rcond=None)[0]
    return lambda Z: with_ones(Z) @ w


def probabilities(data, Z):
    """Probabilities (m, 4) by naive Bayes, as scikit-learn defines it."""
    X, y = data["X"], data["y"]
    scores = []
    for c in range(4):
        own = X[y == c]
        variance = own.var(axis=0) + 1e-9 * X.var(axis=0).max()
        terms = np.log(2 * np.pi * variance) + (Z - own.mean(axis=0)) ** 2 / variance
        scores.append(np.log(len(own) / len(X)) - terms.sum(axis=1) / 2)
    scores = np.exp(np.transpose(scores) - np.max(scores, axis=0)[:, None])
    return scores / scores.sum(axis=1, keepdims=True)


def conformal_reference(data, options):
    """Intervals or sets by definition."""
    n, rest = len(data["X_rest"]), data["y_rest"]
    if options["method"] == "SplitConformalRegressor":
        predict = least_squares(data["X"], data["y"])
        half = np.sort(np.abs(rest - predict(data["X_rest"])))[int(np.ceil(LEVEL * (n + 1))) - 1]
        middle = predict(data["Q"])
        return {"answer": np.column_stack([middle - half, middle + half])}
    if options["method"] == "SplitConformalClassifier":
        scores = 1.0 - probabilities(data, data["X_rest"])[np.arange(n), rest]
        bound = np.sort(scores)[int(np.ceil(LEVEL * (n + 1))) - 1]
        return {"answer": 1.0 - probabilities(data, data["Q"]) <= bound}
    X, y, fold = data["X"], data["y"], data["fold"]
    fits = [least_squares(X[fold != k], y[fold != k]) for k in range(FOLDS)]
    left_out = np.transpose([one(data["Q"]) for one in fits])
    residual = np.abs(y - np.transpose([one(X) for one in fits])[np.arange(len(X)), fold])
    k, ends = int(np.ceil(LEVEL * (len(X) + 1))), np.empty((len(data["Q"]), 2))
    for i, own in enumerate(left_out):
        ends[i, 0] = np.sort(own[fold] - residual)[len(X) - k]
        ends[i, 1] = np.sort(own[fold] + residual)[k - 1]
    return {"answer": ends}


def judge_conformal(output, data, reference, options):
    """``right``: the share of new samples whose interval or set is that of the definition;
    ``coverage``: the share whose target it holds; ``size``: its mean width, or number of classes.
    """
    expected, y = reference["answer"], data["y_new"]
    if options["method"] == "SplitConformalClassifier":
        held, size = output[np.arange(len(y)), y], np.sum(output, axis=1)
        right = (output == expected).all(axis=1)
    else:
        held, size = (output[:, 0] <= y) & (y <= output[:, 1]), output[:, 1] - output[:, 0]
        right = np.isclose(output, expected, rtol=CLOSE, atol=CLOSE).all(axis=1)
    return {"right": right.mean(), "coverage": held.mean(), "size": size.mean()}


# ---------------------------------------------------------------- quantiles of forests


def draw_waves(n, p, seed):
    """Targets that wave with the first feature, and scatter more the larger the second one is."""
    rng, data = np.random.default_rng(seed), {}
    for name, targets in (("X", "y"), ("Q", "y_new")):
        X = data[name] = rng.random((n, p))
        data[targets] = np.sin(6 * X[:, 0]) + (0.2 + X[:, 1]) * rng.standard_normal(n)
    return data


def grow(module, name, **settings):
    """Build function: a forest with leaves of at least ten samples."""

    def build(data, options, threads):
        kind = getattr(importlib.import_module(module), name)
        forest = kind(TREES, min_samples_leaf=LEAF, n_jobs=threads, random_state=0, **settings)
        return forest.fit(data["X"], data["y"])

    return build


OUTER = (0.05, 0.95)


def quantiles_ours(model, data, options, threads):
    """Outer quantiles (m, 2)."""
    return model.predict_quantiles(data["Q"], OUTER, X_train=data["X"], y_train=data["y"])


def quantiles_theirs(model, data, options, threads):
    return model.predict(data["Q"], quantiles=list(OUTER))


def judge_quantiles(output, data, reference, options):
    """``right``: 1 if the coverage is nine tenths up to `AWAY`; ``loss``: the mean pinball loss."""
    y = data["y_new"]
    coverage = np.mean((output[:, 0] <= y) & (y <= output[:, 1]))
    miss = y[:, None] - output
    loss = np.maximum(np.array(OUTER) * miss, (np.array(OUTER) - 1.0) * miss).mean()
    return {"right": float(abs(coverage - LEVEL) <= AWAY), "coverage": coverage, "loss": loss}


# ---------------------------------------------------------------- tables of coefficients


def draw_table(n, p, seed, outcome):
    """Samples whose noise grows with the first feature; or yes and no."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p))
    f = X @ rng.standard_normal(p) / np.sqrt(p)
    y = f + (1.0 + np.abs(X[:, 0])) * rng.standard_normal(n)
    if outcome:
        y = (rng.random(n) < 1.0 / (1.0 + np.exp(-f))).astype(np.float64)
    return {"X": X, "y": y}


def table_ours(model, data, options, threads):
    """Estimates, standard errors and ends of intervals, (4, k)."""
    linear_model = importlib.import_module("litlearn.linear_model")
    if options["kind"] == "HC3":
        fitted = linear_model.LinearRegression().fit(data["X"], data["y"])
    else:
        fitted = linear_model.LogisticRegression(C=np.inf).fit(data["X"], data["y"])
    make = importlib.import_module("litlearn.inference").coefficient_table
    table = make(fitted, data["X"], data["y"], covariance=options["kind"])
    return np.array([table.estimate, table.standard_error, table.lower, table.upper])


def table_theirs(model, data, options, threads):
    sm = importlib.import_module("statsmodels.api")
    A = sm.add_constant(data["X"])
    if options["kind"] == "HC3":
        found = sm.OLS(data["y"], A).fit(cov_type="HC3", use_t=True)
    else:
        found = sm.Logit(data["y"], A).fit(disp=0)
    return np.array([found.params, found.bse, *found.conf_int().T])


def table_reference(data, options):
    """The table by definition, with inverses."""
    from scipy import stats

    A, y = with_ones(data["X"]), data["y"]
    if options["kind"] == "HC3":
        inverse = np.linalg.inv(A.T @ A)
        w = inverse @ (A.T @ y)
        deleted = (y - A @ w) / (1.0 - np.einsum("ij,jk,ik->i", A, inverse, A))
        covariance = inverse @ (A.T @ (A * deleted[:, None] ** 2)) @ inverse
        reach = stats.t.ppf(0.975, len(y) - A.shape[1])
    else:
        w = np.zeros(A.shape[1])
        for _ in range(30):
            P = 1.0 / (1.0 + np.exp(-A @ w))
            covariance = np.linalg.inv(A.T @ (A * (P * (1.0 - P))[:, None]))
            w = w + covariance @ (A.T @ (y - P))
        reach = stats.norm.ppf(0.975)
    error = np.sqrt(np.diagonal(covariance))
    return {"answer": np.array([w, error, w - reach * error, w + reach * error])}


def judge_table(output, data, reference, options):
    """``right``: the share of numbers within a millionth of a standard error of the definition;
    ``error``: the largest distance in standard errors."""
    expected = reference["answer"]
    away = np.abs(output - expected) / expected[1]
    return {"right": np.mean(away <= CLOSE), "error": away.max()}


# ---------------------------------------------------------------- mixtures with weights, by batch


def draw_mixture(n, p, k, seed):
    """As the family `mixture`, with whole weights."""
    weight = np.random.default_rng(seed + 100).integers(1, 4, n)
    return mixture.draw(n, p, k, "float64", seed) | {"weight": weight}


def mixture_model(package, data, **options):
    weights, means, precisions = mixture.start_of(data, "full")
    return importlib.import_module(f"{package}.mixture").GaussianMixture(
        len(means), tol=0.0, max_iter=mixture.ROUNDS, reg_covar=mixture.REG_COVAR,
        weights_init=weights, means_init=means, precisions_init=precisions, **options,
    )  # fmt: skip


def mixture_ours(model, data, options, threads):
    """Weights (k,), means (k, p) and covariances (k, p, p)."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it has not converged: so it was asked
        made, X = mixture_model("litlearn", data), data["X"]
        if options["kind"] == "weighted":
            made.fit(X, sample_weight=data["weight"])
        else:
            for batch in np.array_split(X, BATCHES):
                made.partial_fit(batch)
    return made.weights_, made.means_, made.covariances_


def mixture_theirs(model, data, options, threads):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = mixture_model("sklearn", data).fit(copies(data, options))
    return made.weights_, made.means_, made.covariances_


def copies(data, options):
    """The samples, each as often as its weight says."""
    weighted = options["kind"] == "weighted"
    return np.repeat(data["X"], data["weight"], axis=0) if weighted else data["X"]


def mixture_reference(data, options):
    """The likelihood after all rounds, made by definition."""
    weights, means, precisions = mixture.start_of(data, "full")
    X, covariances = copies(data, options), np.linalg.inv(precisions)
    for _ in range(mixture.ROUNDS):
        weights, means, covariances = mixture.step(X, "full", weights, means, covariances)
    return {"likelihood": mixture.likelihood(X, weights, means, covariances)}


def judge_mixture(output, data, reference, options):
    """``right``: 1 if the likelihood is that of the reference; by batches, at most `BEHIND` less.
    ``bound`` is the likelihood, ``excess`` how far it is below the reference."""
    value = mixture.likelihood(copies(data, options), *output)
    excess = float(reference["likelihood"]) - value
    if options["kind"] == "weighted":
        right = abs(excess) <= mixture.ALLOWED["float64"] * abs(value)
    else:
        right = excess <= BEHIND
    return {"right": float(right), "bound": value, "excess": excess}


# ---------------------------------------------------------------- forests with categories


def draw_levels(n, p, levels, seed, classes):
    """Half of the columns are codes of levels, each level with an effect of its own."""
    rng = np.random.default_rng(seed)
    effects, data = rng.standard_normal((p // 2, levels)), {}
    for name, targets, m in (("X", "y", n), ("Q", "y_new", min(n, 20_000))):
        X = data[name] = rng.standard_normal((m, p))
        X[:, : p // 2] = rng.integers(0, levels, (m, p // 2))
        f = X[:, -1] + sum(effects[j][X[:, j].astype(int)] for j in range(p // 2))
        y = f + rng.standard_normal(m)
        data[targets] = (y > 0).astype(np.int64) if classes else y
    return data


def forest_of(package, module, name, categories):
    """Query function: predictions for new samples by a model that is fitted first."""

    def query(model, data, options, threads):
        kind, p = getattr(importlib.import_module(module), name + options["kind"]), options["p"]
        given = {"categorical_features": list(range(p // 2))} if categories else {}
        if name.startswith("Hist"):
            given |= {"max_iter": TREES, "early_stopping": False}
        else:
            given |= {"n_estimators": TREES, "n_jobs": threads}
        return kind(random_state=0, **given).fit(data["X"], data["y"]).predict(data["Q"])

    label = {
        "litlearn": "litlearn", "sklearn": "scikit-learn, codes as numbers",
        "sklearn-boosting": "scikit-learn, boosting",
    }[package]  # fmt: skip
    return adapter(package, label, module, None, query, package == "litlearn")


def ydf_query(model, data, options, threads):
    """The same by YDF: all samples of a node count, however few, and trees are not cut short."""
    ydf = importlib.import_module("ydf")
    p, classes = options["p"], options["kind"] == "Classifier"
    ydf.verbose(0)
    kinds = [ydf.Semantic.CATEGORICAL] * (p // 2) + [ydf.Semantic.NUMERICAL] * (p - p // 2)
    learner = ydf.RandomForestLearner(
        label="y", task=ydf.Task.CLASSIFICATION if classes else ydf.Task.REGRESSION,
        features=[ydf.Feature(f"x{j}", kind, min_vocab_frequency=1, max_vocab_count=-1)
                  if j < p // 2 else ydf.Feature(f"x{j}", kind) for j, kind in enumerate(kinds)],
        num_trees=TREES, max_depth=-1, min_examples=1, winner_take_all=False,
        num_candidate_attributes_ratio=None if classes else 1.0,
        compute_oob_performances=False, num_threads=threads, random_seed=1,
    )  # fmt: skip

    def columns(X):
        return {
            f"x{j}": X[:, j].astype(np.int64) if j < p // 2 else X[:, j] for j in range(X.shape[1])
        }

    found = learner.train(columns(data["X"]) | {"y": data["y"]}).predict(columns(data["Q"]))
    return (found > 0.5).astype(np.int64) if classes else found


def judge_levels(output, data, reference, options):
    """``right``: the score of the predictions; ``constant``: that of a constant one."""
    y, new = data["y"], data["y_new"]
    constant = np.bincount(y).argmax() if y.dtype.kind == "i" else y.mean()
    constant = np.full(len(new), constant)
    return {"right": trees.score(output, new), "constant": trees.score(constant, new)}


# ---------------------------------------------------------------- floors


def conformal_floor(data, reference, options):
    """All samples once; for CV+ the sums of every training sample and every new one."""
    volume = floors.size(data, "X", "X_rest", "Q")
    if options["method"] == "CrossConformalRegressor":
        pairs = len(data["X"]) * len(data["Q"])
        return floors.Floor(volume, pairs, "sums of all training and new samples")
    return floors.Floor(volume, 0, "reading the samples once")


def forest_floor(data, reference, options):
    """Of each tree, the features that its root tries; and the new samples once."""
    p, kind = data["X"].shape[1], options.get("kind", "Regressor")
    features = trees.tried({"estimator": kind}, p)
    volume = TREES * trees.DISTINCT * floors.size(data) * features / p + floors.size(data, "Q")
    return floors.Floor(volume, 0, "reading what each root tries once")


def table_floor(data, reference, options):
    """The products of all pairs of features, with an intercept: for HC3, those of the coefficients,
    of the leverages and of the covariance; else those of the information, scores and gradient."""
    n, k = len(data["X"]), data["X"].shape[1] + 1
    each = 3 * floors.pairs(k) if options["kind"] == "HC3" else floors.pairs(k) + 2 * k
    return floors.Floor(floors.size(data), n * each, "products of all pairs of features")


def mixture_floor(data, reference, options):
    """The products of all rounds with weights; of one round by batches."""
    (n, p), k = data["X"].shape, len(data["M"])
    rounds = mixture.ROUNDS if options["kind"] == "weighted" else 1
    products = rounds * mixture.products("full", n, p, k)
    label = f"products of {rounds} round{'s' * (rounds > 1)}"
    return floors.Floor(rounds * floors.size(data), products, label)


# ---------------------------------------------------------------- cases

SMALLER = 50


def conformal_cases(scale):
    """Split intervals, sets, and CV+."""
    regression, bayes = ("linear_model", "LinearRegression"), ("naive_bayes", "GaussianNB")
    split, cross = (split_ours, split_theirs), (cross_ours, cross_theirs)
    for method, title, n, of, query in (
        ("SplitConformalRegressor", "split-intervals", 200_000, regression, split),
        ("SplitConformalClassifier", "split-sets", 200_000, bayes, split),
        ("CrossConformalRegressor", "cv-plus", 5_000, regression, cross),
    ):
        n, p, of_classes = n // scale, 10, method.endswith("Classifier")
        draw = draw_classes if of_classes else draw_numbers
        theirs = "mapie.classification" if of_classes else "mapie.regression"
        build = (None, None) if query is cross else (fit_ours, fit_theirs)
        yield Case(
            name=f"{title}-{n}x{p}", group="Conformal prediction", work=title.replace("-", " "),
            make=lambda draw=draw, n=n, p=p: draw(n, p, 0),
            adapters=(
                adapter("litlearn", "litlearn", "litlearn.conformal", build[0], query[0], True),
                adapter("mapie", "MAPIE", theirs, build[1], query[1]),
            ),
            judge=judge_conformal, reference=conformal_reference, floor=conformal_floor,
            options={"method": method, "inside": of, "theirs": theirs},
            facts={"data": "normal", "n": n, "m": n, "p": p, "dtype": "float64"},
        )  # fmt: skip


def forest_cases(scale):
    """Quantiles of a forest."""
    n, p = max(20_000 // scale, 4_000), 5
    # All samples of a leaf count, as ours do; by default quantile-forest draws one of them.
    theirs = grow("quantile_forest", "RandomForestQuantileRegressor", max_samples_leaf=None)
    ours = grow("litlearn.ensemble", "RandomForestRegressor")
    yield Case(
        name=f"forest-quantiles-{n}x{p}", group="Quantiles of forests",
        work=f"{TREES} trees, two quantiles",
        make=lambda: draw_waves(n, p, 0),
        adapters=(
            adapter("litlearn", "litlearn", "litlearn.ensemble", ours, quantiles_ours, True),
            adapter(
                "quantile-forest", "quantile-forest", "quantile_forest", theirs, quantiles_theirs
            ),
        ),
        judge=judge_quantiles, reference=lambda data, options: {},
        floor=forest_floor,
        facts={"data": "waves", "n": n, "m": n, "p": p, "dtype": "float64"},
    )  # fmt: skip


def table_cases(scale):
    """Tables of a linear and a logistic regression."""
    for kind, title in (("HC3", "linear"), ("nonrobust", "logistic")):
        n, p = 200_000 // scale, 20
        yield Case(
            name=f"table-{title}-{n}x{p}", group="Tables of coefficients",
            work=f"{title} regression, {kind}",
            make=lambda n=n, p=p, kind=kind: draw_table(n, p, 0, kind != "HC3"),
            adapters=(
                adapter("litlearn", "litlearn", "litlearn.inference", None, table_ours, True),
                adapter("statsmodels", "statsmodels", "statsmodels.api", None, table_theirs),
            ),
            judge=judge_table, reference=table_reference, floor=table_floor, options={"kind": kind},
            facts={"data": "normal", "n": n, "p": p, "dtype": "float64"},
        )  # fmt: skip


def mixture_cases(scale):
    """Mixtures with weights, and by batches."""
    for kind, work in (("weighted", "weights"), ("batches", f"{BATCHES} batches")):
        n, p, k = (50_000, 16, 10) if scale == 1 else (2_000, 4, 3)
        yield Case(
            name=f"gmm-{kind}-{n}x{p}-k{k}", group="Gaussian mixtures, further",
            work=f"{work}; theirs: copies, or all at once",
            make=lambda n=n, p=p, k=k: draw_mixture(n, p, k, 0),
            adapters=(
                adapter("litlearn", "litlearn", "litlearn.mixture", None, mixture_ours, True),
                adapter("sklearn", "scikit-learn", "sklearn.mixture", None, mixture_theirs),
            ),
            judge=judge_mixture, reference=mixture_reference, floor=mixture_floor,
            options={"kind": kind},
            facts={"data": "normal", "n": n, "p": p, "k": k, "dtype": "float64"},
        )  # fmt: skip


def level_cases(scale):
    """Forests with categorical columns."""
    peers = (
        forest_of("litlearn", "litlearn.ensemble", "RandomForest", True),
        forest_of("sklearn", "sklearn.ensemble", "RandomForest", False),
        forest_of("sklearn-boosting", "sklearn.ensemble", "HistGradientBoosting", True),
        adapter("ydf", "YDF", "ydf", None, ydf_query),
    )
    for kind, n, levels in (
        ("Classifier", 100_000, 20), ("Classifier", 100_000, 200), ("Regressor", 50_000, 50),
    ):  # fmt: skip
        n, p = max(n // scale, 4_000), 10
        yield Case(
            name=f"levels-{kind}-{levels}-{n}x{p}", group="Forests with categories",
            work=f"{kind.lower()}, {levels} levels, fit and predict",
            make=lambda n=n, p=p, levels=levels, kind=kind: draw_levels(
                n, p, levels, 0, kind == "Classifier"
            ),
            adapters=peers, judge=judge_levels, reference=lambda data, options: {},
            floor=forest_floor,
            options={"kind": kind, "p": p},
            facts={"data": "levels", "n": n, "m": min(n, 20_000), "p": p, "dtype": "float64"},
        )  # fmt: skip


def cases(size):
    """The cases of this family.

    Parameters
    ----------
    size : {"small", "full"}
        "small" keeps a fiftieth of the rows, 4,000 for forests, and takes smaller mixtures: to try
        the harness.

    Returns
    -------
    list of Case
    """
    scale = SMALLER if size == "small" else 1
    families = (conformal_cases, forest_cases, table_cases, mixture_cases, level_cases)
    return [case for family in families for case in family(scale)]
