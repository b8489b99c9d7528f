"""What a type checker must refuse: never run. A line that it takes is reported as unused ignore."""

from litlearn.cluster import KMeans
from litlearn.linear_model import Ridge
from litlearn.neighbors import KNeighborsClassifier
from litlearn.svm import SVC
from litlearn.tree import DecisionTreeClassifier

KNeighborsClassifier(n_neighbors="five")  # type: ignore[arg-type]
KNeighborsClassifier(weights="uniformly")  # type: ignore[arg-type]
KNeighborsClassifier(k=5)  # type: ignore[call-arg]
KNeighborsClassifier(5, "distance")  # type: ignore[call-arg]
Ridge(alpha="strong")  # type: ignore[arg-type]
SVC(kernel="radial")  # type: ignore[arg-type]
KMeans(3, algorithm="fast")  # type: ignore[arg-type]
DecisionTreeClassifier().fit([[0.0]])  # type: ignore[call-arg]
DecisionTreeClassifier().fit([[0.0]], [1]).forecast([[0.0]])  # type: ignore[attr-defined]
depth = DecisionTreeClassifier().max_deph  # type: ignore[attr-defined]
