"""Draw the figure of the front page with the module itself: python book/_ext/front_picture.py"""

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

from litlearn.datasets import make_memory_clinic
from litlearn.listing import source
from litlearn.neighbors import KNeighborsClassifier
from litlearn.plotting import decision_regions, set_style

TARGET = Path(__file__).resolve().parents[1] / "_static" / "front.png"

EQUATION = (
    r"$\hat{y} = \mathrm{arg\,max}_{c}\ "
    r"\sum_{i \in N(\mathbf{x})}\, w_i^{(\mathbf{x})}\ \mathbf{1}_{y^{(i)} = \mathcal{C}_c}$"
)


def main():
    set_style()
    figure, (derive, compute, see) = plt.subplots(
        3, 1, figsize=(6.4, 6.4), height_ratios=[0.75, 0.95, 3.6]
    )
    for ax, word in ((derive, "derive"), (compute, "compute"), (see, "see")):
        ax.annotate(
            word,
            (-0.16, 0.5),
            xycoords="axes fraction",
            rotation=90,
            ha="center",
            va="center",
            fontsize=13,
            weight="bold",
        )
    for ax in (derive, compute):
        ax.set(xticks=[], yticks=[])
        ax.spines[:].set(visible=True, color="#888888")
    derive.text(0.5, 0.45, EQUATION, ha="center", va="center", fontsize=15)
    lines = source("litlearn.neighbors._classification:count_votes", "vote").splitlines()
    code = "\n".join(line for line in lines if not line.lstrip().startswith("#"))
    compute.text(0.03, 0.5, code, va="center", fontsize=8, family="monospace")

    clinic = make_memory_clinic(300, random_state=0)
    columns = [clinic.feature_names.index(f) for f in ("memory_score", "hippocampal_volume")]
    X = clinic.data[:, columns]
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    model = KNeighborsClassifier(n_neighbors=15).fit(Z, clinic.target)
    decision_regions(see, model, Z, clinic.target, labels=clinic.target_names, size=16)
    see.set(
        xlabel="memory score (in standard deviations from the mean)", ylabel="hippocampal volume"
    )
    figure.savefig(TARGET, dpi=110, metadata={"Software": None})
    print(f"{TARGET.name}: {TARGET.stat().st_size // 1024} kB")


if __name__ == "__main__":
    main()
