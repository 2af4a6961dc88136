"""What each rule says of itself."""

import pytest

from dpkb.lint.rules import all_rules


@pytest.mark.parametrize("rule_id", all_rules())
def test_a_rule_says_in_one_line_which_failure_it_finds_and_which_code_it_looks_for(rule_id):
    rule = all_rules()[rule_id]
    assert rule.summary.startswith(f"{rule_id}: ")
    for text in (rule.summary, rule.looks_for):
        assert text.endswith(".") and "\n" not in text and "  " not in text
