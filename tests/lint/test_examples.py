"""Forms in which failures stand in real programs: <id>_wrong.py has them, <id>_right.py does not."""

from pathlib import Path

import pytest

from dpkb.lint.project import Project
from dpkb.lint.run import Selection, lint_module

EXAMPLES = sorted((Path(__file__).parent / "examples").glob("*.py"))


def findings(path, hints):
    return lint_module(Project([path]).module(path), Selection(hints=hints))[0]


@pytest.mark.parametrize("path", [path for path in EXAMPLES if path.stem.endswith("_wrong")], ids=lambda p: p.stem)
def test_the_marked_lines_are_found_and_no_other(path):
    rule = path.stem.partition("_")[0].upper()
    marked = [number for number, line in enumerate(path.read_text().split("\n"), 1) if "# BUG" in line]
    assert marked and [(found.id, found.line) for found in findings(path, hints=True) if found.id == rule] == [
        (rule, line) for line in marked]
    assert {found.id for found in findings(path, hints=False)} <= {rule}


@pytest.mark.parametrize("path", [path for path in EXAMPLES if path.stem.endswith("_right")], ids=lambda p: p.stem)
def test_nothing_is_found(path):
    assert findings(path, hints=False) == []
