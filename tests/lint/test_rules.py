"""What each rule says of itself."""

import ast
from pathlib import Path

import pytest

from dpkb.lint import rules
from dpkb.lint.nodes import last_name
from dpkb.lint.rules import all_rules


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
            if isinstance(call, ast.Call) and last_name(call.func) == "finding":
                reported.add((module_id, call.args[0].value))
    assert reported == {(rule_id, rule_id) for rule_id in all_rules()}
