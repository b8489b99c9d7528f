"""The first fit on a machine, and long fits with kernels that were compiled elsewhere."""

from operator import itemgetter

import numpy as np

from benchmarks.page.cases import read, table

HEAD = "Estimator | Compiling, s | With kernels, s | Again, ms"
KEYS = itemgetter("name", "compiling", "first", "warm")


def first_uses():
    """The first use of each estimator, with and without kernels."""
    first = read("first_calls.json")
    uses = first["rows"]
    rows = [
        [f"`{name}`", f"{compiling:.2f}", f"{with_kernels:.2f}", f"{1000 * warm:.1f}"]
        for name, compiling, with_kernels, warm in map(KEYS, uses)
    ]
    slowest = max(use["first"] for use in uses)
    imports = [use["import"] for use in uses]
    packed, unpacked = (first["wheel"][size] / 1e6 for size in ("packed", "unpacked"))
    told = (
        f"The import comes on top and takes {min(imports):.2f} to {max(imports):.2f} s. The "
        f"slowest first use with kernels takes {slowest:.2f} s, and the example of the README, "
        f"with its imports, {first['example']['seconds']:.1f} s instead of "
        f"{first['example']['compiling']:.0f} s. The wheel has {packed:.0f} MB, unpacked "
        f"{unpacked:.0f} MB. Measured on {first['date']} with the kernels of {first['level']} "
        f"({first['processor']})."
    )
    return "\n".join([*table(HEAD, rows, "lrrr"), "", told])


def long_fits():
    """Long fits with the kernels of each level, as multiples of those compiled here."""
    first = read("first_calls.json")
    fits = first["fits"]
    levels = [key for key in fits[0] if key not in ("name", "native")]
    ratios = np.array([[fit[level] / fit["native"] for level in levels] for fit in fits])
    rows = [
        [fit["name"], f"{1000 * fit['native']:.0f}", *(f"{ratio:.2f}" for ratio in row)]
        for fit, row in zip(fits, ratios, strict=True)
    ]
    means = np.exp(np.log(ratios).mean(axis=0))
    rows.append(["geometric mean", "", *(f"{mean:.2f}" for mean in means)])
    names = ["compiled again" if level == "again" else level for level in levels]
    head = " | ".join(["Fit", "Compiled here, ms", *(f"{name}, times" for name in names)])
    told = (
        "Kernels are compiled for a level of processors, not for yours. This can cost time "
        "where your processor can do more than its level. The table shows longer fits, on up to "
        "200 000 samples of 20 features (the k-d tree: 5). Those of the neighbours include "
        "predictions, and neighbours and the forest use one thread. Shown is the time with "
        "kernels as a multiple of the time with functions that were compiled for this very "
        "processor. The last column compares these functions with themselves, in other "
        "processes of the same run: by so much two measurements of the same thing differ. "
        f"Measured on {first['fits_date']}."
    )
    lines = table(head, rows, "l" + "r" * (1 + len(levels)))
    return "\n".join([told, "", *lines, "", doubt(fits, ratios)])


def doubt(fits, ratios):
    """What is said of fits whose ratios all exceed 1.1, or nothing."""
    odd = ratios.min(axis=1) > 1.1
    if not odd.any():
        return ""
    names = " and ".join(fit["name"] for fit, one in zip(fits, odd, strict=True) if one)
    rest = np.exp(np.log(ratios[~odd]).mean(axis=0))
    told = f"All ratios of {names} exceed 1.1, the last one too: there the time of the functions "
    told += "that were compiled here is the outlier. Without it the geometric means are "
    return told + ", ".join(f"{mean:.2f}" for mean in rest) + "."
