"""Nearest neighbours: brute force, k-d trees, ball trees, and the estimators on top of them.

The cases draw data of several kinds, so that no implementation is judged by one alone: uniform
points, Gaussian clusters of unequal sizes and spreads, points near a low-dimensional subspace, and
rounded measurements with many duplicates. Peers are called as a user would call them: default leaf
sizes, and the number of threads given wherever there is a parameter for it. SciPy's and pykdtree's
trees are built on one thread because they have no other way.
"""

import importlib
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from benchmarks import floors
from benchmarks.case import Adapter, Case

JUDGED_ROWS = 200
RELATIVE_TOLERANCE = 1e-9
LEAF_SIZE = 32


# ---------------------------------------------------------------- data


def uniform(rng, n, p):
    """Points spread evenly over the unit cube."""
    return rng.random((n, p))


def clusters(rng, n, p):
    """Fifty Gaussian clusters whose sizes and spreads differ."""
    centres = rng.uniform(-10, 10, (50, p))
    spreads = rng.uniform(0.1, 1.5, 50)
    label = rng.choice(50, size=n, p=rng.dirichlet(np.full(50, 2.0)))
    return centres[label] + spreads[label, None] * rng.standard_normal((n, p))


def subspace(rng, n, p):
    """Points near a linear subspace with a tenth of the dimensions, plus noise in all of them."""
    inner = max(2, p // 10)
    plane = rng.standard_normal((n, inner)) @ rng.standard_normal((inner, p))
    return plane + 0.1 * rng.standard_normal((n, p))


def rounded(rng, n, p):
    """Gaussian measurements read off a coarse scale, so that many points coincide."""
    return np.round(rng.standard_normal((n, p)), 1)


KINDS = {"uniform": uniform, "clusters": clusters, "subspace": subspace, "rounded": rounded}


def draw(kind, n, m, p, dtype, seed, with_labels=False):
    """Training data X (n, p), m new points Q, and labels y (n,) if asked for.

    With m = 0 there is no Q: the training points are the queries.
    """
    rng = np.random.default_rng(seed)
    # Drawn together, so that the queries come from the same clusters, or the same subspace.
    points = KINDS[kind](rng, n + m, p)
    order = rng.permutation(n + m)
    points = np.ascontiguousarray(points[order], dtype=dtype)
    data = {"X": points[:n].copy()}
    if m:
        data["Q"] = points[n:].copy()
    if with_labels:
        noise = rng.standard_normal(n)
        score = data["X"][:, 0] + data["X"][:, 1] + noise
        data["y"] = (score > np.median(score)).astype(np.int64)
    return data


def queries(data):
    """The query points: new ones, or the training points."""
    return data.get("Q", data["X"])


# ---------------------------------------------------------------- implementations


def estimator(module, name):
    """Build function of an estimator with scikit-learn's interface, imported when it is called."""

    def build(data, options, threads):
        kind = getattr(importlib.import_module(module), name)
        given = {key: options[key] for key in ("algorithm", "radius") if key in options}
        model = kind(n_neighbors=options["k"], n_jobs=threads, **given)
        return model.fit(data["X"], data["y"]) if "y" in data else model.fit(data["X"])

    return build


def kneighbors(model, data, options, threads):
    """Distances and indices from scikit-learn's method."""
    return model.kneighbors(queries(data))


def radius_neighbors(model, data, options, threads):
    """Indices within the radius from scikit-learn's method, which computes the distances too."""
    return model.radius_neighbors(queries(data))[1]


def predict(model, data, options, threads):
    """Predicted labels."""
    return model.predict(queries(data))


def scipy_build(**settings):
    """Build function of SciPy's k-d tree."""

    def build(data, options, threads):
        from scipy.spatial import cKDTree

        return cKDTree(data["X"], **settings)

    return build


def scipy_query(model, data, options, threads):
    """Distances and indices from SciPy's k-d tree."""
    return model.query(queries(data), k=options["k"], workers=threads)


def scipy_radius(model, data, options, threads):
    """Indices within the radius from SciPy's k-d tree, without distances."""
    return model.query_ball_point(queries(data), options["radius"], workers=threads)


def pykdtree_build(data, options, threads):
    """pykdtree, whose threads are OpenMP's."""
    from pykdtree.kdtree import KDTree

    return KDTree(data["X"])


def pykdtree_query(model, data, options, threads):
    """Distances and indices from pykdtree."""
    return model.query(queries(data), k=options["k"])


def faiss_build(data, options, threads):
    """faiss's exact index; single precision only."""
    import faiss

    faiss.omp_set_num_threads(threads)
    index = faiss.IndexFlatL2(data["X"].shape[1])
    index.add(data["X"])
    return index


def faiss_query(model, data, options, threads):
    """Distances and indices from faiss, which returns squared distances."""
    squared, index = model.search(queries(data), options["k"])
    return np.sqrt(np.maximum(squared, 0)), index


def scikit_like(kind, query):
    """The project, scikit-learn and scikit-learn-intelex, which share one interface."""
    return (
        Adapter(
            "litlearn", "litlearn", "litlearn", ("litlearn.neighbors",),
            estimator("litlearn.neighbors", kind), query, ours=True, compiles=True,
        ),
        Adapter(
            "sklearn", "scikit-learn", "sklearn", ("sklearn.neighbors",),
            estimator("sklearn.neighbors", kind), query,
        ),
        Adapter(
            "sklearnex", "scikit-learn-intelex", "sklearnex", ("sklearnex.neighbors",),
            estimator("sklearnex.neighbors", kind), query,
        ),
    )  # fmt: skip


NEIGHBORS = scikit_like("NearestNeighbors", kneighbors)
FAISS = Adapter(
    "faiss", "faiss", "faiss", ("faiss",), faiss_build, faiss_query, dtypes=("float32",)
)
TREES = (
    Adapter("scipy", "SciPy cKDTree", "scipy", ("scipy.spatial",), scipy_build(), scipy_query),
    Adapter(
        "scipy-unbalanced", "SciPy cKDTree, unbalanced", "scipy", ("scipy.spatial",),
        scipy_build(balanced_tree=False), scipy_query,
    ),
    Adapter(
        "pykdtree", "pykdtree", "pykdtree", ("pykdtree.kdtree",),
        pykdtree_build, pykdtree_query,
    ),
)  # fmt: skip
ADAPTERS = {
    "brute": (*NEIGHBORS, FAISS),
    "kd_tree": NEIGHBORS + TREES,
    # scikit-learn-intelex has no ball tree of its own.
    "ball_tree": NEIGHBORS[:2],
    "radius": (
        *scikit_like("NearestNeighbors", radius_neighbors),
        Adapter(
            "scipy", "SciPy cKDTree, no distances", "scipy", ("scipy.spatial",),
            scipy_build(), scipy_radius,
        ),
    ),
    "classifier": scikit_like("KNeighborsClassifier", predict),
}  # fmt: skip


# ---------------------------------------------------------------- quality


def distances_to(X, q):
    """Euclidean distances from q to every row of X, by difference, in float64."""
    squared = np.zeros(len(X))
    for j in range(X.shape[1]):
        squared += np.square(X[:, j] - np.float64(q[j]), dtype=np.float64)
    return np.sqrt(squared)


def reference(data, options):
    """The exact answer for some of the queries: every distance computed, nothing pruned.

    Returns
    -------
    dict
        ``rows`` (s,), the judged queries; ``distances`` (s, k), sorted; with a radius also
        ``within``, a list of s sorted index arrays; with labels also ``labels`` (s,), the majority
        among the k nearest.
    """
    X, Q = np.asfortranarray(data["X"], dtype=np.float64), queries(data)
    rng = np.random.default_rng(0)
    rows = np.sort(rng.choice(len(Q), min(JUDGED_ROWS, len(Q)), replace=False))
    k = options["k"]

    def nearest_to(row):
        d = distances_to(X, Q[row])
        nearest = np.argpartition(d, k - 1)[:k]
        return np.sort(d[nearest]), nearest, np.flatnonzero(d <= options.get("radius", -1))

    with ThreadPoolExecutor() as pool:
        distances, nearest, within = zip(*pool.map(nearest_to, rows), strict=True)
    answer = {"rows": rows, "distances": np.array(distances)}
    if "radius" in options:
        answer["within"] = within
    if "y" in data:
        answer["labels"] = np.array([np.argmax(np.bincount(data["y"][one])) for one in nearest])
    return answer


def judge_neighbors(output, data, reference, options):
    """Are these the nearest neighbours, and are the distances right?

    Returns
    -------
    dict
        ``right``: share of judged rows whose neighbours are k different points at the exact
        distances (computed anew in float64 from the indices, so that ties may be broken either
        way); ``distances``: share of judged rows whose returned distances agree with the exact
        ones; both to a relative 1e-9. ``error``: the largest relative error of a returned distance.
    """
    returned, index = (np.asarray(part)[reference["rows"]] for part in output)
    exact = reference["distances"]
    X, Q = data["X"], queries(data)[reference["rows"]]
    valid = (index >= 0) & (index < len(X))
    points = X[np.where(valid, index, 0).astype(np.intp)].astype(np.float64)
    again = np.sqrt(((points - Q[:, None, :].astype(np.float64)) ** 2).sum(axis=2))
    different = (np.diff(np.sort(index.astype(np.int64), axis=1), axis=1) > 0).all(axis=1)

    def agree(distances):
        return (np.abs(np.sort(distances, axis=1) - exact) <= RELATIVE_TOLERANCE * exact).all(
            axis=1
        )

    apart = exact > 0
    error = np.abs(np.sort(returned.astype(np.float64), axis=1) - exact)[apart] / exact[apart]
    return {
        "right": (agree(again) & different & valid.all(axis=1)).mean(),
        "distances": agree(returned.astype(np.float64)).mean(),
        "error": error.max(initial=0.0),
    }


def judge_radius(output, data, reference, options):
    """``right``: share of judged rows with exactly the points within the radius."""
    pairs = zip(reference["rows"], reference["within"], strict=True)
    return {
        "right": np.mean([np.array_equal(np.sort(output[row]), within) for row, within in pairs])
    }


def judge_labels(output, data, reference, options):
    """``right``: share of judged rows with the label of the exact vote."""
    return {"right": np.mean(np.asarray(output)[reference["rows"]] == reference["labels"])}


# ---------------------------------------------------------------- floors


def all_pairs(data, reference, options):
    """The products of every query with every point."""
    products = len(queries(data)) * data["X"].size
    return floors.Floor(floors.size(data), products, "products of all queries and points")


def reached(points, Q, radii, algorithm):
    """Which balls around queries reach into the box, or the ball, around some points."""
    if algorithm == "ball_tree":
        centre = points.mean(axis=0)
        radius = np.sqrt(((points - centre) ** 2).sum(axis=1).max())
        return np.sqrt(((Q - centre) ** 2).sum(axis=1)) - radius <= radii
    outside = np.maximum(points.min(axis=0) - Q, 0) + np.maximum(Q - points.max(axis=0), 0)
    return np.sqrt((outside**2).sum(axis=1)) <= radii


def visited(data, reference, options):
    """Mean number of points in the leaves that a query must look into: of a tree that splits at
    medians, those that the ball around the query through its k-th neighbour reaches into."""
    Q = queries(data)[reference["rows"]].astype(np.float64)
    radii = reference["distances"][:, -1]
    if "radius" in options:
        radii = np.full(len(Q), options["radius"])
    counts = np.zeros(len(Q))
    waiting = [(data["X"].astype(np.float64), np.arange(len(Q)))]
    while waiting:
        points, rows = waiting.pop()
        rows = rows[reached(points, Q[rows], radii[rows], options["algorithm"])]
        if len(points) <= LEAF_SIZE:
            counts[rows] += len(points)
        elif rows.size:
            widest = np.argmax(points.max(axis=0) - points.min(axis=0))
            middle = len(points) // 2
            order = np.argpartition(points[:, widest], middle)
            waiting += [(points[order[:middle]], rows), (points[order[middle:]], rows)]
    return counts.mean()


def tree(data, reference, options):
    """The samples once, to build, and for each query the leaves that it must look into."""
    points = visited(data, reference, options)
    volume = floors.size(data) * (1 + len(queries(data)) * points / len(data["X"]))
    return floors.Floor(volume, 0, "reading the leaves that queries reach")


# ---------------------------------------------------------------- cases

GROUPS = {
    "brute": ("Brute force", judge_neighbors, all_pairs),
    "kd_tree": ("k-d tree", judge_neighbors, tree),
    "ball_tree": ("Ball tree", judge_neighbors, tree),
    "radius": ("Estimators", judge_radius, tree),
    "classifier": ("Estimators", judge_labels, all_pairs),
}
# Number of rows by which the small shapes are divided.
SMALLER = 20
# (work, kind of data, training points, queries (0: the training points), features, dtypes, aim)
SHAPES = (
    ("brute", "uniform", 20_000, 5_000, 20, ("float64", "float32"), (0.9, 1.2)),
    ("brute", "clusters", 50_000, 5_000, 64, ("float64", "float32"), (0.9, 1.2)),
    ("brute", "subspace", 30_000, 5_000, 200, ("float64", "float32"), (0.9, 1.2)),
    ("brute", "rounded", 10_000, 5_000, 200, ("float64",), (0.9,)),
    ("kd_tree", "clusters", 1_000_000, 100_000, 2, ("float64", "float32"), (0.9, 0.9)),
    ("kd_tree", "uniform", 1_000_000, 100_000, 3, ("float64", "float32"), (0.9, 0.9)),
    ("kd_tree", "uniform", 300_000, 50_000, 5, ("float64", "float32"), (0.9, 0.9)),
    ("kd_tree", "clusters", 100_000, 30_000, 10, ("float64", "float32"), (0.9, 0.9)),
    ("kd_tree", "rounded", 200_000, 100_000, 3, ("float64",), (0.9,)),
    ("kd_tree", "clusters", 200_000, 0, 3, ("float64",), (0.9,)),
    ("ball_tree", "clusters", 1_000_000, 100_000, 2, ("float64", "float32"), (0.3, 0.3)),
    ("ball_tree", "uniform", 1_000_000, 100_000, 3, ("float64",), (0.3,)),
    ("ball_tree", "uniform", 300_000, 50_000, 5, ("float64", "float32"), (0.3, 0.3)),
    ("ball_tree", "clusters", 100_000, 30_000, 10, ("float64",), (0.3,)),
    ("classifier", "clusters", 20_000, 5_000, 20, ("float64",), (None,)),
    ("radius", "uniform", 200_000, 50_000, 3, ("float64",), (None,)),
)  # fmt: skip
RADIUS = 0.03


def cases(size):
    """The cases of this family.

    Parameters
    ----------
    size : {"small", "full"}
        "small" keeps the first shape of every kind of work, and a twentieth of its rows: to try the
        harness.

    Returns
    -------
    list of Case
    """
    chosen, seen = [], set()
    for seed, (work, kind, n, m, p, dtypes, aims) in enumerate(SHAPES):
        if size == "small":
            if work in seen:
                continue
            n, m, dtypes, aims = n // SMALLER, m // SMALLER, dtypes[-1:], aims[-1:]
        seen.add(work)
        group, judge, floor = GROUPS[work]
        options = {"k": 10, "algorithm": "auto" if group == "Estimators" else work}
        if work == "radius":
            options["radius"] = RADIUS
        for dtype, aim in zip(dtypes, aims, strict=True):
            label = {"classifier": "KNeighborsClassifier", "radius": "radius query"}.get(
                work, "k nearest"
            )
            name = f"{work}-{kind}-{n}x{p}-{dtype}{'' if m else '-self'}"
            # In single precision the yardstick of brute force is faiss, which computes in it.
            aim_peer = "faiss" if (work, dtype) == ("brute", "float32") else None
            facts = {"data": kind, "n": n, "m": m or n, "p": p, "dtype": dtype, "self": not m}

            def make(kind=kind, n=n, m=m, p=p, dtype=dtype, seed=seed, work=work):
                return draw(kind, n, m, p, dtype, seed, with_labels=work == "classifier")

            chosen.append(
                Case(
                    name=name, group=group, work=label, make=make, adapters=ADAPTERS[work],
                    judge=judge, reference=reference, floor=floor, aim=aim,
                    aim_peer=aim_peer, options=options, facts=facts,
                )
            )  # fmt: skip
    return chosen
