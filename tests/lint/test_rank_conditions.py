"""Conditions that ask for the rank."""

import pytest
from support.lint_file import file_of, last

from dpkb.lint.rank_conditions import is_rank_test


@pytest.mark.parametrize(
    ("test", "expected"),
    [
        ("rank == 0", True),
        ("0 == dist.get_rank()", True),
        ("args.local_rank != 0", True),
        ("gpu > 0", True),
        ("rank == 1", False),
        ("epoch == 0", False),
        ("rank in [-1, 0]", True),
        ("rank in [1]", False),
        ("is_main_process()", True),
        ("not trainer.is_global_zero", True),
        ("save and rank == 0", True),
        ("rank == 0 or force", False),
        ("rank", False),
        ("rank < 0", False),
    ],
)
def test_a_condition_that_is_true_on_some_ranks_only(test, expected):
    file = file_of(test)
    assert is_rank_test(last(file)) is expected
