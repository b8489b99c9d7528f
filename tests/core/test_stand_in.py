"""``python -m litlearn``: a script of scikit-learn's runs as it is, with our classes."""

import importlib
import json
import subprocess
import sys

import pytest

from litlearn._core import stand_in

SCRIPT = """
import json, pickle, sys
import sklearn.neighbors
from sklearn import linear_model
from sklearn.datasets import load_iris
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import *
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, OneClassSVM

X, y = load_iris(return_X_y=True)
search = GridSearchCV(make_pipeline(StandardScaler(), SVC()), {"svc__C": [1.0, 10.0]}).fit(X, y)
boosting = GradientBoostingClassifier(n_estimators=3).fit(X, y)
kinds = {
    "from": SVC, "attribute": linear_model.Ridge, "module": sklearn.neighbors.KDTree,
    "star": GaussianNB, "absent": OneClassSVM, "best": type(search.best_estimator_[-1]),
    "inside": type(boosting.estimators_[0, 0]), "star, absent": BernoulliNB,
    "pickled": type(pickle.loads(pickle.dumps(RandomForestClassifier(2).fit(X, y)))),
}
homes = {what: kind.__module__.partition(".")[0] for what, kind in kinds.items()}
print(json.dumps([homes, sys.argv, __name__]))
"""


@pytest.fixture(scope="module")
def script(tmp_path_factory):
    """A script that uses scikit-learn in every way of importing."""
    path = tmp_path_factory.mktemp("scripts") / "script.py"
    path.write_text(SCRIPT, encoding="utf-8")
    return path


def run(*arguments, **options):
    """Run ``python -m litlearn`` with some arguments."""
    command = [sys.executable, "-m", "litlearn", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, **options)


@pytest.fixture(scope="module")
def done(script):
    """The script has run, with arguments of its own."""
    return run(script, "--keep", "one")


def test_a_script_gets_our_classes_and_scikit_learn_keeps_its_own(script, done):
    assert done.returncode == 0, done.stderr
    homes, argv, name = json.loads(done.stdout)
    theirs = {"absent", "inside", "star, absent"}
    assert homes == {what: "sklearn" if what in theirs else "litlearn" for what in homes}
    # What follows the script is the script's.
    assert argv == [str(script), "--keep", "one"] and name == "__main__"


def test_the_list_at_the_end_says_what_was_replaced_and_what_not(done):
    replaced, absent = done.stderr.splitlines()
    assert replaced.startswith("litlearn: replaced: ")
    for name in (
        "svm: SVC",
        "linear_model: Ridge",
        "ensemble: RandomForestClassifier",
        "GaussianNB",
    ):
        assert name in replaced
    assert absent.startswith("litlearn: not here, so scikit-learn's: ")
    assert "OneClassSVM" in absent and "GradientBoostingClassifier" in absent
    assert "StandardScaler" not in replaced + absent


def test_names_can_be_kept(script):
    done = run("--keep", "SVC", "--keep", "linear_model.Ridge", script)
    homes = json.loads(done.stdout)[0]
    assert homes["from"] == homes["attribute"] == homes["best"] == "sklearn"
    assert homes["pickled"] == "litlearn"
    assert (
        done.stderr.splitlines()[-1] == "litlearn: kept on request: linear_model: Ridge; svm: SVC"
    )


def test_a_module_runs_as_python_runs_it(script):
    done = run("--quiet", "-m", "script", "x", cwd=script.parent)
    homes, argv, name = json.loads(done.stdout)
    assert homes["from"] == "litlearn" and argv[1:] == ["x"] and name == "__main__"
    assert done.stderr == ""  # as --quiet asks


def test_an_error_of_the_script_is_the_scripts_own(tmp_path):
    path = tmp_path / "raises.py"
    path.write_text("from sklearn.svm import SVC\nSVC(C=-1).fit([[0.0], [1.0]], [0, 1])\n")
    done = run(path)
    assert done.returncode == 1 and "raises.py" in done.stderr
    assert "The 'C' parameter of SVC must be" in done.stderr.splitlines()[-1]
    assert "litlearn: replaced: svm: SVC\n" in done.stderr
    path.write_text("import sys\nsys.exit(7)\n")
    assert run(path).returncode == 7


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["absent.py"], "there is no file 'absent.py'"),
        (["--keep", "StandardScaler", __file__], "'StandardScaler' is no name that"),
        ([], "usage: python -m litlearn"),
    ],
)
def test_a_wrong_command_says_what_is_wrong(arguments, words):
    done = run(*arguments)
    assert done.returncode == 2 and words in done.stderr and "Traceback" not in done.stderr


def test_every_name_that_is_replaced_is_one_of_theirs():
    for space in stand_in.NAMESPACES:
        theirs, names = importlib.import_module(f"sklearn.{space}"), stand_in.shared(space)
        assert names and all(hasattr(theirs, name) for name in names)


def test_scikit_learn_draws_our_trees(tmp_path):
    script = tmp_path / "draw.py"
    script.write_text(
        "import matplotlib\n"
        "matplotlib.use('Agg')\n"
        "from sklearn.datasets import load_iris\n"
        "from sklearn.tree import DecisionTreeClassifier, plot_tree\n"
        "tree = DecisionTreeClassifier(max_depth=1).fit(*load_iris(return_X_y=True))\n"
        "print(type(tree).__module__, [one.get_text() for one in plot_tree(tree, label='none')])\n",
        encoding="utf-8",
    )
    done = run(script)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("litlearn.tree") and "[50, 50, 50]" in done.stdout
