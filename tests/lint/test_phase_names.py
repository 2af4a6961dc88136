"""Names that mean training or evaluation."""

import pytest

from dpkb.lint.phase_names import is_training_name


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
