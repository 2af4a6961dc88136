"""Forms in which failures stand in real programs: <id>_wrong.py has them, <id>_right.py does not."""

from pathlib import Path

import pytest
from support.lint_file import lint_file

from dpkb.lint.project import Project
from dpkb.lint.rules import all_rules
from dpkb.lint.run import Selection

FOLDER = Path(__file__).parent / "examples"
WRONG, RIGHT = sorted(FOLDER.glob("*_wrong.py")), sorted(FOLDER.glob("*_right.py"))


def findings(path, hints, select=frozenset()):
    return lint_file(Project([path]).parse(path), Selection(select, hints=hints))[0]


@pytest.mark.parametrize("path", WRONG, ids=lambda p: p.stem)
def test_exactly_the_marked_lines_are_reported(path):
    rule = path.stem.partition("_")[0].upper()
    marked = [number for number, line in enumerate(path.read_text().split("\n"), 1) if "# BUG" in line]
    seen = findings(path, hints=True)
    assert marked and [found.line for found in seen if found.id == rule] == marked
    assert {found.id for found in findings(path, hints=False)} <= {rule}


@pytest.mark.parametrize("path", RIGHT, ids=lambda p: p.stem)
def test_right_examples_have_no_findings(path):
    assert findings(path, hints=False) == []


@pytest.mark.parametrize("path", [*WRONG, *RIGHT], ids=lambda p: p.stem)
def test_each_rule_alone_finds_what_it_finds_beside_the_others(path):
    alone = [found for rule in all_rules() for found in findings(path, hints=True, select={rule})]
    together = findings(path, hints=True)
    assert sorted(alone, key=repr) == sorted(together, key=repr)
