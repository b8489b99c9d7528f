"""Draw the picture of README.md with the module itself: python .ci/picture.py"""

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

from litlearn.datasets import make_memory_clinic
from litlearn.neighbors import KNeighborsClassifier
from litlearn.plotting import decision_regions, set_style

TARGET = Path(__file__).resolve().parent.parent / "book" / "_static" / "readme.png"


def main():
    set_style()
    clinic = make_memory_clinic(300, random_state=0)
    columns = [clinic.feature_names.index(f) for f in ("memory_score", "hippocampal_volume")]
    X = clinic.data[:, columns]
    centre, spread = X.mean(axis=0), X.std(axis=0)
    Z = (X - centre) / spread
    figure, axes = plt.subplots(1, 3, figsize=(10, 3.6), sharey=True, layout="constrained")
    labels = ["control", "ill"]
    for ax, k in zip(axes, (1, 25, 250), strict=True):
        model = KNeighborsClassifier(n_neighbors=k).fit(Z, clinic.target_binary)
        decision_regions(ax, model, Z, clinic.target_binary, labels=labels, size=14, legend=k == 1)
        ax.set(title=f"k = {k}", xlabel="memory score (standardised)")
    axes[0].set_ylabel("hippocampal volume (standardised)")
    figure.savefig(TARGET, dpi=110, metadata={"Software": None})
    print(f"{TARGET.name}: {TARGET.stat().st_size // 1024} kB")


if __name__ == "__main__":
    main()
