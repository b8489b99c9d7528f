"""What users write, for type checkers: never run. A checker must find nothing wrong here."""

from collections.abc import Callable
from typing import Any, assert_type

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.compose import ColumnTransformer
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

import litlearn
from litlearn import kernels
from litlearn.cluster import KMeans, MiniBatchKMeans, k_means, kmeans_plusplus
from litlearn.datasets import make_memory_clinic
from litlearn.decomposition import PCA, IncrementalPCA, KernelPCA, TruncatedSVD
from litlearn.discriminant_analysis import (
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
)
from litlearn.ensemble import (
    ExtraTreesClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)
from litlearn.exceptions import ConvergenceWarning, NotFittedError
from litlearn.kernel_approximation import Nystroem, RBFSampler
from litlearn.kernel_ridge import KernelRidge
from litlearn.linear_model import (
    ElasticNet,
    Lasso,
    LassoCV,
    LinearRegression,
    LogisticRegression,
    LogisticRegressionCV,
    Ridge,
    RidgeCV,
    SGDClassifier,
    lasso_path,
)
from litlearn.mixture import GaussianMixture
from litlearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
from litlearn.naive_bayes import GaussianNB
from litlearn.neighbors import (
    KDTree,
    KernelDensity,
    KNeighborsClassifier,
    KNeighborsRegressor,
    NearestNeighbors,
    kneighbors_graph,
)
from litlearn.svm import SVC, SVR, LinearSVC
from litlearn.tree import DecisionTreeClassifier, DecisionTreeRegressor, export_text

rng = np.random.default_rng(0)
X: NDArray[np.float64] = rng.normal(size=(60, 4))
X32 = X.astype(np.float32)
y = rng.integers(0, 3, 60)
labels = ["well", "ill"] * 30
target = X @ np.arange(4.0)


def by_rank(distances: NDArray[Any]) -> NDArray[np.floating[Any]]:
    return 1.0 / (1.0 + distances.argsort(axis=1))


# Every form of data, and chains

LinearRegression().fit([[0.0], [1.0]], [0, 1]).predict([[2.0]])
LinearRegression().fit(((0.0,), (1.0,)), (0, 1))
Ridge().fit(pd.DataFrame({"age": [61.0, 80.0]}), pd.Series([0.0, 1.0]))
Ridge().fit(csr_array(X), target).score(csr_array(X), target)
LogisticRegression().fit(csr_array(X), y).decision_function(csr_array(X))
RandomForestClassifier().fit(csr_array(X), labels)
assert_type(KNeighborsClassifier(3).fit(X, y), KNeighborsClassifier)
accuracy: float = KNeighborsClassifier().fit(X32, labels).score(X32, labels)
first: Any = SVC().fit(X, y).predict(X)[0]
shares = GaussianNB().fit(X, y).predict_proba(X)[:, 1].mean()
axes = PCA(2).set_output(transform="default").fit(X)
scores = axes.transform(X)[:, 0] + PCA(2).fit_transform(X)[:, 0]

# Parameters of several kinds

DecisionTreeClassifier(max_depth=np.int64(3), max_features=5, min_samples_leaf=0.1)
DecisionTreeClassifier(max_features="sqrt", class_weight={"well": 1.0, "ill": 2.0})
DecisionTreeRegressor(max_features=0.5, criterion="absolute_error", random_state=rng.integers(9))
RandomForestRegressor(50, max_features=None, max_samples=0.5, n_jobs=-1, random_state=0)
ExtraTreesClassifier(class_weight="balanced_subsample", random_state=np.random.RandomState(0))
Ridge(alpha=[1, 2])
Ridge(alpha=1)
Ridge(alpha=np.array([1.0, 2.0]), solver="svd")
RidgeCV(alphas=np.logspace(-2, 2, 5))
RidgeCV(alphas=[0.1, 1.0], cv=5)
Lasso(0.1, positive=True)
LassoCV(alphas=20, cv=3)
ElasticNet(alpha=0.5, l1_ratio=0.2, selection="random")
LogisticRegression(C=np.inf, class_weight="balanced", max_iter=1000)
LogisticRegression(l1_ratio=0.5, solver="saga")
LogisticRegressionCV(Cs=[0.1, 1.0])
SGDClassifier(loss="log_loss", penalty="elasticnet")
KNeighborsClassifier(weights=by_rank, metric="manhattan")
KNeighborsClassifier(weights=lambda distances: 1.0 / (distances + 1.0))
KNeighborsRegressor(weights="distance", metric=lambda a, b: float(abs(a - b).max()))
NearestNeighbors(radius=2.0, algorithm="kd_tree", metric_params={"p": 3})
SVC(kernel=kernels.rbf_kernel)
SVC(kernel="poly", degree=2, gamma=0.1, coef0=1)
SVR(C=10, gamma="scale")
LinearSVC(penalty="l1", C=np.float32(0.5))
KMeans(3, init=X[:3])
KMeans(3, init="k-means++", n_init=5)
MiniBatchKMeans(n_clusters=3, batch_size=16).partial_fit(X)
GaussianMixture(2, covariance_type="tied", means_init=X[:2])
KernelRidge(alpha=[1.0, 2.0], kernel=kernels.laplacian_kernel)
PCA(n_components=0.9, svd_solver="full")
PCA("mle")
KernelPCA(2, kernel="rbf", gamma=0.1)
GaussianNB(priors=[0.5, 0.5])
LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto")
LinearDiscriminantAnalysis(shrinkage=0.1)
QuadraticDiscriminantAnalysis(reg_param=0.1)
OneVsRestClassifier(LinearSVC(), n_jobs=2)
OneVsOneClassifier(KNeighborsClassifier())

# Parameters and attributes are read, and set

forest = RandomForestClassifier(10).fit(X, y)
assert_type(forest.feature_importances_, NDArray[Any])
assert_type(forest.n_features_in_, int)
how_many: int = forest.set_params(n_estimators=20).get_params()["n_estimators"]
depth: int = DecisionTreeClassifier().fit(X, y).get_depth()
slope = LinearRegression().fit(X, target).coef_[0] + Ridge().fit(X, target).coef_.sum()
centre = KMeans(2).fit(X).cluster_centers_[0, 0]
words: str = export_text(DecisionTreeClassifier().fit(X, y), feature_names=["a", "b", "c", "d"])
theirs = forest.to_sklearn()

# Functions

gram: NDArray[Any] = kernels.rbf_kernel(X, Y=X[:3], gamma=0.5)
kernels.pairwise_kernels(X, metric="polynomial", degree=2)
centres, indices = kmeans_plusplus(X, 3, random_state=0)
k_means(X, 3)
lasso_path(X, target, alphas=[1.0, 0.1])
graph = kneighbors_graph(X, 3, mode="distance").tocsr()
near = KDTree(X, leaf_size=20).query(X[:2], k=3)
density = KernelDensity(bandwidth="scott").fit(X).score_samples(X).sum()
clinic = make_memory_clinic(100, random_state=0)
size = clinic.data.shape
litlearn.warm_up("neighbors", verbose=True)
litlearn.show_versions()
version: str = litlearn.__version__

# Among scikit-learn's tools

steps = Pipeline([("scale", StandardScaler()), ("vote", KNeighborsClassifier())])
steps.fit(X, y).predict(X)
columns = ColumnTransformer([("all", TruncatedSVD(2), ["age", "score"])])
search = GridSearchCV(make_pipeline(Nystroem(), LinearSVC()), {"linearsvc__C": [0.1, 1.0]})
search.fit(X, y)
cross_val_score(Ridge(), X, target, cv=3)
RBFSampler(gamma="scale").fit(X).transform(X)
IncrementalPCA(2).fit(X).get_feature_names_out()
weighted = LogisticRegression().set_fit_request(sample_weight=True)
make: Callable[..., Any] = RandomForestClassifier

try:
    SVC().predict(X)
except (NotFittedError, ConvergenceWarning) as error:
    print(error.args)
