"""The rules that a script keeps, each broken in one small way: its line and its message."""

from dataclasses import replace
from pathlib import Path

import pytest
from support import SCRIPT, write_catalogue

from dpkb.catalogue.load import load
from dpkb.model import Outcome, Script
from dpkb.scripts.rules import MAX_COLUMNS, MAX_LINES, find_entry_problems, find_script_problems

BROKEN = SCRIPT.format(id="ZZ1", places="cpu", seconds=1, body="value = 1", healthy=False, mark="BUG")
SCRIPT_OF = Script("ZZ1", "broken", Path("broken.py"), "it fails", Outcome.WRONG_RESULT)


def line_of(text, source=BROKEN):
    return source[: source.index(text)].count("\n") + 1


def test_a_good_script_has_no_problem():
    assert find_script_problems(SCRIPT_OF, BROKEN) == ()


@pytest.mark.parametrize(
    ("old", "new", "at", "says"),
    [
        ("value = 1", "match 1:\n    case 1: pass", None, "not Python 3.8"),
        ("value = 1", "value = (", None, "not Python 3.8"),
        ("value = 1", "value = '" + "x" * MAX_COLUMNS + "'", "value", "columns, at most 100"),
        ("# BUG", "# Bug", None, "no `# BUG:` comment"),
        ("# BUG", "# FIX", None, "no `# BUG:` comment"),
        ("value = 1", "from dpkb.runner import verify", "value", "imports 'dpkb.runner'"),
        ("value = 1", "import os, fixed", "value", "imports 'fixed'"),
        ("value = 1", "import broken.other", "value", "imports 'broken.other'"),
        ("value = 1", "from . import other", "value", "imports '.'"),
        ("ZZ1: a failure", "ZZ2: a failure", '"""', "does not start with `ZZ1: `"),
        ("Symptom: none\n", "", '"""', "no `Symptom:` line"),
        ("torch; cpu; about 1 s", "torch; cpu; soon", '"""', "about"),
        ("    healthy = exp", "    good = exp", "    healthy = exp", "third statement from the end"),
        (
            "    healthy = exp",
            "    healthy = good = exp",
            "    healthy = exp",
            "third statement from the end",
        ),
        ('{"healthy": healthy}', '{"healthy": True}', "    print", "the last but one statement"),
        ('{"healthy": healthy}', '{"n": 1, "healthy": healthy}', "    print", "the last but one statement"),
        ('print("OBSERVED", json', 'print("OBSERVED:", json', "    print", "the last but one statement"),
        ("json.dumps({", "str({", "    print", "the last but one statement"),
        ("sys.exit(0 if healthy else 1)", "sys.exit(not healthy)", "    sys.exit", "the last statement"),
    ],
)
def test_each_rule_has_its_line_and_its_message(old, new, at, says):
    assert old in BROKEN
    found = find_script_problems(SCRIPT_OF, BROKEN.replace(old, new, -1 if old == "# BUG" else 1))
    lines = [line for line, message in found if says in message]
    assert len(lines) == 1, found
    assert at is None or lines == [line_of(at)]


def test_a_script_is_short():
    just = BROKEN + "\n" * (MAX_LINES - BROKEN.count("\n"))
    assert find_script_problems(SCRIPT_OF, just) == ()
    ((line, message),) = find_script_problems(SCRIPT_OF, just + "\n")
    assert (line, message) == (MAX_LINES, f"{MAX_LINES + 1} lines, at most {MAX_LINES}: shorten the script")


def test_a_script_that_ends_early():
    source = BROKEN.partition("    healthy = exp")[0] + "    experiment()\n"
    message = "the script must end with `healthy = …`, the OBSERVED line and `sys.exit(…)`"
    assert (None, message) in find_script_problems(SCRIPT_OF, source)


@pytest.mark.parametrize(("caught", "fine"), [("ImportError", True), ("ValueError", False), ("", False)])
def test_a_bug_that_raises_is_not_caught(caught, fine):
    guarded = f"try:\n    import os\nexcept {caught}:\n    os = None".replace("except :", "except:")
    source = BROKEN.replace("value = 1", guarded)
    raising = replace(SCRIPT_OF, shows=Outcome.RAISED)
    found = [
        message for _, message in find_script_problems(raising, source) if "remove this except" in message
    ]
    assert bool(found) is not fine
    assert not any("remove this except" in message for _, message in find_script_problems(SCRIPT_OF, source))


def test_code_that_is_nested_too_deeply_has_one_problem():
    (problem,) = find_script_problems(SCRIPT_OF, "x = " + "-" * 15_000 + "1")
    assert "nested too deeply" in problem[1]


def test_an_entry_has_the_problems_of_its_scripts_and_of_its_pair(tmp_path):
    entry = load([write_catalogue(tmp_path)]).find_entry("ZZ1")
    sources = {script.name: script.path.read_text() for script in entry.scripts}
    assert find_entry_problems(entry, sources) == []
    assert find_entry_problems(entry, {}) == []
    sources["fixed"] = sources["fixed"].replace("# FIX", "# Fix").replace("value = 2", "value = 2\n" * 13)
    found = find_entry_problems(entry, sources)
    assert {problem.path.name for problem in found} == {"fixed.py"}
    for says in ("no `# FIX:`", "changes "):
        assert any(says in problem.message for problem in found)
