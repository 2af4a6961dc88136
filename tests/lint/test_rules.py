"""What each rule says of itself."""

import ast
from pathlib import Path

import pytest
from support.lint_file import file_of, last

from dpkb.lint import rules
from dpkb.lint.nodes import last_name
from dpkb.lint.rules import all_rules
from dpkb.lint.rules.d21_collective_on_one_rank import is_rank_test


@pytest.mark.parametrize("rule_id", all_rules())
def test_a_rule_says_in_one_line_which_failure_it_finds_and_which_code_it_looks_for(rule_id):
    rule = all_rules()[rule_id]
    assert rule.summary.startswith(f"{rule_id}: ")
    for text in (rule.summary, rule.looks_for):
        assert text.endswith(".") and "\n" not in text and "  " not in text


def test_a_rule_reports_only_its_own_entry():
    reported = set()
    folder = Path(rules.__file__).parent
    for file in folder.rglob("*.py"):
        module_id = file.relative_to(folder).parts[0].partition("_")[0].upper()
        for call in ast.walk(ast.parse(file.read_text())):
            if isinstance(call, ast.Call) and last_name(call.func) in ("finding", "find_outdated_names"):
                reported.add((module_id, next(a.value for a in call.args if isinstance(a, ast.Constant))))
    assert reported == {(rule_id, rule_id) for rule_id in all_rules()}


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
