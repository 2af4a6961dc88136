"""The catalogue as the test suite of lint: the rules must report the failures that the scripts show."""

import re
from pathlib import Path

import pytest
from support import ROOT
from support.lint_file import lint_file

from dpkb.catalogue.load import load
from dpkb.lint.project import Project
from dpkb.lint.rules import all_rules
from dpkb.lint.run import Selection
from dpkb.model import Outcome

CATALOGUE = load([ROOT])
SCRIPTS = [(entry.id, script) for entry in CATALOGUE for script in entry.scripts]
UNHEALTHY = [(entry, script) for entry, script in SCRIPTS if script.shows is not Outcome.HEALTHY]
HEALTHY = [(entry, script) for entry, script in SCRIPTS if script.shows is Outcome.HEALTHY]
OF_RULES = [(entry, script) for entry, script in UNHEALTHY if entry in all_rules()]
EXAMPLES = Path(__file__).parent / "examples"
# The scripts of these entries do not contain the code that their rule looks for; an example does.
SHOWN_BY_EXAMPLES = {"D30", "D32", "O36", "S1", "V1"}
# These rules report the line before or after the marked one, with the other half of the failure.
NEXT_TO_THE_MARK = {"DP2", "O34", "S10"}


def findings(path, hints=False, select=frozenset()):
    file = Project([path]).parse(path)
    return lint_file(file, Selection(select, hints=hints))[0] if file else []


@pytest.fixture(scope="module")
def reported_entries():
    """The entries whose rule reports them on a line marked # BUG: of their scripts."""
    entries = set()
    for entry, script in UNHEALTHY:
        text = script.path.read_text()
        marked = [number for number, line in enumerate(text.split("\n"), 1) if re.search(r"#\s*BUG:", line)]
        distance = 1 if entry in NEXT_TO_THE_MARK else 0
        for finding in findings(script.path, hints=True):
            if finding.id == entry and any(abs(finding.line - line) <= distance for line in marked):
                entries.add(entry)
    return entries


@pytest.mark.parametrize(
    ("entry", "script"), HEALTHY, ids=[f"{entry}-{script.name}" for entry, script in HEALTHY]
)
def test_nothing_is_found_in_a_healthy_script(entry, script):
    assert [(found.id, found.line, found.message) for found in findings(script.path)] == []


def test_each_rule_sees_its_entry_at_a_marked_line(reported_entries):
    assert set(all_rules()) - reported_entries == SHOWN_BY_EXAMPLES


@pytest.mark.parametrize(("entry", "script"), OF_RULES, ids=[f"{entry}-{s.name}" for entry, s in OF_RULES])
def test_a_rule_alone_finds_what_it_finds_beside_the_others(entry, script):
    together = [found for found in findings(script.path, hints=True) if found.id == entry]
    assert findings(script.path, hints=True, select={entry}) == together


@pytest.mark.parametrize("rule", sorted(SHOWN_BY_EXAMPLES))
def test_an_example_shows_what_no_script_can(rule):
    """test_examples.py tests that the rule reports the example."""
    assert (EXAMPLES / f"{rule.lower()}_wrong.py").is_file()


@pytest.mark.parametrize("entry", list(CATALOGUE), ids=lambda entry: entry.id)
def test_an_entry_says_whether_lint_sees_it(entry):
    certainty = dict(entry.found_by).get("lint")
    assert certainty in ({"certain", "likely", "hint"} if entry.id in all_rules() else {None})
