"""k-means: Lloyd's algorithm, bounds, and the drawing of first centres.

Equal work means the same first centres and the same number of iterations. What comes out is judged
by its inertia, computed here from the centres alone in float64: within a relative 1e-6 of the
reference one (1e-4 in float32) counts as right. scikit-learn draws the same first centres from the
same seed, so that the case with five starts is equal work, too.

The data are *clouds*: samples around random places, with equal spread. On separated clusters in few
dimensions this project's default, whose margins are a bound of each sample, is compared with both
algorithms of scikit-learn, ``"lloyd"`` and ``"elkan"``. The table shows the faster one.
"""

import importlib

import numpy as np

from benchmarks import floors
from benchmarks.case import Adapter, Case

BLOCK = 4000
ROUNDS = 20  # iterations of Lloyd's algorithm, for all

# ---------------------------------------------------------------- data


def draw(n, p, k, spread, dtype, seed):
    """Samples around k places, ``X`` (n, p), and first centres among them, ``start`` (k, p)."""
    rng = np.random.default_rng(seed)
    places = rng.uniform(-1.0, 1.0, size=(k, p)) * k ** (1.0 / min(p, 8))
    X = places[rng.integers(0, k, n)]
    X += spread * rng.standard_normal((n, p))
    X = X.astype(dtype)
    return {"X": X, "start": X[rng.choice(n, k, replace=False)]}


# ---------------------------------------------------------------- implementations


def scikit_like(package, algorithm):
    """Build function of k-means in a package with scikit-learn's interface."""

    def build(data, options, threads):
        kind = importlib.import_module(package).KMeans
        given = {"algorithm": algorithm, **options["given"]}
        if options["work"] != "starts":
            given["init"] = data["start"]
        return kind(options["k"], random_state=0, **given).fit(data["X"])

    return build


def faiss(data, options, threads):
    """k-means of faiss, on all samples."""
    library = importlib.import_module("faiss")
    library.omp_set_num_threads(threads)
    model = library.Kmeans(
        data["X"].shape[1], options["k"], niter=options["given"]["max_iter"], nredo=1,
        min_points_per_centroid=1, max_points_per_centroid=len(data["X"]),
    )  # fmt: skip
    model.train(data["X"], init_centroids=data["start"])
    return model


def centres(model, data, options, threads):
    """What a fit has found, (k, p)."""
    return model.centroids if hasattr(model, "centroids") else model.cluster_centers_


def adapter(package, label, algorithm, ours=False):
    """One algorithm of a package with scikit-learn's interface."""
    module = f"{package}.cluster"
    name = package if algorithm == "lloyd" else f"{package}-{algorithm}"
    label = label if algorithm == "lloyd" else f"{label}, {algorithm}"
    build = scikit_like(module, algorithm)
    return Adapter(name, label, package, (module,), build, centres, ours=ours, compiles=ours)


def adapters(work):
    """The implementations of a kind of work."""
    if work == "bounds":
        return (
            adapter("litlearn", "litlearn", "lloyd", ours=True),
            adapter("sklearn", "scikit-learn", "elkan"),
            adapter("sklearn", "scikit-learn", "lloyd"),
        )
    found = (
        adapter("litlearn", "litlearn", "lloyd", ours=True),
        adapter("sklearn", "scikit-learn", "lloyd"),
        adapter("sklearnex", "scikit-learn-intelex", "lloyd"),
    )
    if work == "lloyd":
        kind = {"dtypes": ("float32",)}
        found += (Adapter("faiss", "faiss", "faiss", ("faiss",), faiss, centres, **kind),)
    return found


# ---------------------------------------------------------------- quality


def inertia(data, places):
    """Sum of the squared distances from the nearest centre, in float64, by difference."""
    total = 0.0
    for start in range(0, len(data["X"]), BLOCK):
        T = data["X"][start : start + BLOCK].astype(np.float64)
        nearest = np.full(len(T), np.inf)
        for place in places.astype(np.float64):
            difference = T - place
            np.minimum(nearest, np.einsum("ij,ij->i", difference, difference), out=nearest)
        total += nearest.sum()
    return total


def reference(data, options):
    """The inertia that scikit-learn's Lloyd's algorithm reaches by the same iterations."""
    model = scikit_like("sklearn.cluster", "lloyd")(data, options, 1)
    return {"inertia": inertia(data, model.cluster_centers_)}


def judge(output, data, reference, options):
    """``right``: 1 if the inertia is close enough; ``excess``: how far it is, relatively."""
    best = float(reference["inertia"])
    excess = (inertia(data, output) - best) / best
    allowed = 1e-6 if data["X"].dtype == np.float64 else 1e-4
    return {"right": float(abs(excess) <= allowed), "excess": excess}


# ---------------------------------------------------------------- floors


def floor(data, reference, options):
    """The products of all samples and centres, in every iteration; once for each start that goes to
    its end; and none where clusters lie so far apart that bounds save them."""
    times = {"lloyd": ROUNDS, "starts": STARTS["n_init"], "bounds": 0}[options["work"]]
    label = (
        f"{times} times the products of samples and centres"
        if times
        else "reading the samples once"
    )
    return floors.Floor(floors.size(data), times * data["X"].size * options["k"], label)


# ---------------------------------------------------------------- cases

LLOYD, STARTS = {"n_init": 1, "max_iter": ROUNDS, "tol": 0}, {"n_init": 5}
# (work, samples, features, k, spread, dtypes, aim, the peer that it names)
SHAPES = (
    ("lloyd", 200_000, 32, 64, 1.0, ("float64", "float32"), None),
    ("lloyd", 1_000_000, 8, 100, 1.0, ("float64", "float32"), None),
    ("lloyd", 50_000, 256, 20, 1.0, ("float64", "float32"), None),
    ("bounds", 200_000, 2, 100, 0.1, ("float64",), "sklearn-elkan"),
    ("bounds", 100_000, 8, 50, 0.1, ("float64",), "sklearn-elkan"),
    ("starts", 100_000, 16, 50, 1.0, ("float64",), None),
)
WORDS = {
    "lloyd": f"{ROUNDS} iterations of Lloyd's algorithm",
    "bounds": f"{ROUNDS} iterations, separated clusters",
    "starts": "k-means++, 5 starts, to the end",
}
AIMS = {"lloyd": 0.9, "bounds": 0.6, "starts": 0.6}
SMALLER = 100


def cases(size):
    """The cases of this family.

    Parameters
    ----------
    size : {"small", "full"}
        "small" keeps a hundredth of the rows: to try the harness.

    Returns
    -------
    list of Case
    """
    chosen = []
    for seed, (work, n, p, k, spread, dtypes, peer) in enumerate(SHAPES):
        n = n // SMALLER if size == "small" else n
        for dtype in dtypes:

            def make(n=n, p=p, k=k, spread=spread, dtype=dtype, seed=seed):
                return draw(n, p, k, spread, dtype, seed)

            # In single precision the yardstick is faiss, which computes in it.
            single = dtype == "float32"
            options = {"k": k, "work": work, "given": STARTS if work == "starts" else LLOYD}
            facts = {"data": "clouds", "n": n, "p": p, "m": n, "k": k, "dtype": dtype}
            chosen.append(
                Case(
                    name=f"{work}-{n}x{p}-k{k}-{dtype}", group="k-means", work=WORDS[work],
                    make=make, adapters=adapters(work), judge=judge, reference=reference,
                    floor=floor, aim=1.0 if single else AIMS[work],
                    aim_peer="faiss" if single else peer, options=options, facts=facts,
                )
            )  # fmt: skip
    return chosen
