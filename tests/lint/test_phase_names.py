"""Names that mean training, evaluation or a test."""

import pytest
from support.lint_file import file_of

from dpkb.lint.phase_names import is_test_file, is_test_function, is_training_name


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("train_loader", True),
        ("trainset", True),
        ("TrainDataset", True),
        ("training_step", True),
        ("val_loader", False),
        ("valset", False),
        ("val2", False),
        ("testloader", False),
        ("TestDataset", False),
        ("evaluate_model", False),
        ("run_inference", False),
        ("train_or_val", False),
        ("dev_dl", False),
        ("device", None),
        ("value", None),
        ("valley", None),
        ("constraint", None),
        ("latest", None),
        ("loader", None),
    ],
)
def test_names_that_mean_training_or_evaluation(name, expected):
    assert is_training_name(name) is expected


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
