"""Which files and functions are tests."""

import pytest
from support.lint_file import file_of

from dpkb.lint.program_tests import is_test_file, is_test_function


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("test_train.py", True),
        ("src/conftest.py", True),
        ("src/train_test.py", True),
        ("tests/run.py", True),
        ("a/tests/b/run.py", True),
        ("tests/a/b/run.py", False),
        ("latest/run.py", False),
        ("train.py", False),
    ],
)
def test_a_file_that_is_a_test(name, expected):
    assert is_test_file(file_of("", name=name)) is expected


@pytest.mark.parametrize(
    ("code", "name", "expected"),
    [
        ("def test_shapes(): pass", "train.py", True),
        ("def test_model(model, loader): pass", "train.py", False),
        ("def test_model(model, loader): pass", "test_train.py", True),
        ("def check(): pass", "test_train.py", False),
    ],
)
def test_a_function_that_is_a_test(code, name, expected):
    file = file_of(code, name=name)
    assert is_test_function(file, file.tree.functions[0]) is expected
