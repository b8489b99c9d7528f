"""The tool that changes the source makes the changes that it says, where others see them."""

import ast
import importlib.util
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parent.parent
SPEC = importlib.util.spec_from_file_location("mutants", ROOT / ".ci" / "mutants.py")
mutants = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(mutants)

SOURCE = '''"""Text 1."""
LIMIT, TABLE = 3, {"a": 7, "f": lambda: 9}
def f(x, flag=True, *, more=0.5):
    """Text 2."""
    if not flag or x < -LIMIT:
        raise ValueError("x is below " + str(0))
    return x + 2.5
class Kind:
    def method(self): return 1
    @property
    def name(self): return 2 * 3
    size = 4
'''


def lines():
    count = len(mutants.places(ast.parse(SOURCE)))
    return [mutants.changed(SOURCE, number)[1] for number in range(count)]


def test_each_change_is_one_and_different():
    found = lines()
    assert "2: 3  ->  4" in found and "3: True  ->  False" in found
    assert "5: not flag  ->  not not flag" in found
    assert "5: x < -LIMIT  ->  x <= -LIMIT" in found and "5: -LIMIT  ->  +LIMIT" in found
    assert "5: not flag or x < -LIMIT  ->  not flag and x < -LIMIT" in found
    assert "7: x + 2.5  ->  x - 2.5" in found and "7: 2.5  ->  5.0" in found
    assert not [line for line in found if "below" in line or "Text" in line]
    trees = {ast.unparse(mutants.changed(SOURCE, number)[0]) for number in range(len(found))}
    assert len(trees) == len(found) and ast.unparse(ast.parse(SOURCE)) not in trees


def test_what_only_takes_time_is_not_changed():
    tree = ast.parse("fold(part, 2, work=n * 3, strict=True)")
    assert [ast.unparse(node) for node in mutants.places(tree)] == ["2"]


def test_a_change_belongs_to_the_innermost_function():
    tree = ast.parse(SOURCE)
    owners = {node.lineno: mutants.owner(tree, node) for node in mutants.places(tree)}
    # As compiled code says: a function begins with its first decorator.
    assert owners == {2: 0, 3: 3, 5: 3, 7: 3, 9: 9, 11: 10, 12: 0}


@pytest.mark.parametrize(("line", "count"), [(5, 4), (2, 3), (4, 0)])
def test_changes_of_one_line(line, count, tmp_path):
    path = tmp_path / "sample.py"
    path.write_text(SOURCE)
    assert len(mutants.chosen(path, line, 0, 0)) == count
    assert len(mutants.chosen(path, None, 3, 0)) == 3


@pytest.mark.parametrize(
    ("line", "expression", "before", "after"),
    [
        ("7: x + 2.5  ->  x - 2.5", "held(1.0)", 3.5, -1.5),
        ("2: 3  ->  4", "limit()", 3, 4),
        ("3: 0.5  ->  1.0", "held.__kwdefaults__['more']", 0.5, 1.0),
        ("2: 7  ->  8", "table['a']", 7, 8),
        ("2: 9  ->  10", "table['f']()", 9, 10),
        ("9: 1  ->  2", "instance.method()", 1, 2),
        ("11: 2 * 3  ->  2 / 3", "instance.name", 6, 2 / 3),
        ("12: 4  ->  5", "instance.size", 4, 5),
    ],
)
def test_a_change_reaches_those_who_hold_the_function(line, expression, before, after, tmp_path):
    path = tmp_path / "sample_of_mutants.py"
    path.write_text(SOURCE)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    known = {"held": module.f, "instance": module.Kind(), "limit": lambda: module.LIMIT}
    known["table"] = module.TABLE
    assert eval(expression, known) == before
    number = lines().index(line)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(mutants.sys.modules, module.__name__, module)
        mutants.install(module, mutants.changed(SOURCE, number)[0])
    assert np.isclose(eval(expression, known), after)


def test_files_are_judged_by_their_own_tests():
    def tests(path):
        found = mutants.tests_of(mutants.PACKAGE / path)
        return [test.relative_to(ROOT / "tests").as_posix() for test in found]

    assert tests("_core/targets.py") == ["core/test_targets.py"]
    assert tests("linear_model/_lasso.py") == [
        "linear_model/test_lasso.py",
        "linear_model/test_multi_task.py",
        "linear_model/test_protocol.py",
    ]
    # By its name, by what the tests import, or all of the folder.
    assert tests("tree/_prune.py") == ["tree/test_prune.py"]
    assert tests("mixture/_em.py") == ["mixture/test_gaussian.py", "mixture/test_protocol.py"]
    assert tests("multiclass.py") == ["test_multiclass.py"]
    assert len(tests("neighbors/_unsupervised.py")) > 5


def test_compiled_functions_and_their_constants_are_told_from_the_rest():
    source = "SIZE = 1\n@njit(lean=True)\ndef f(): return 2\ndef g(): return 3\n"
    assert [mutants.is_compiled(source, n) for n in range(3)] == [True, True, False]
    assert not mutants.is_compiled("SIZE = 1\n", 0)
