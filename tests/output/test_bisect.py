"""A bisection as text and as JSON."""

from pathlib import Path

from dpkb.model import Outcome, Script
from dpkb.output.bisect import bisect_fields, render_bisect
from dpkb.run_records import OutcomeChange

SCRIPT = Script("ZZ1", "broken", Path("broken.py"), "it fails", Outcome.RAISED)
RUNS = [("1.8", "raised"), ("2.0", "raised"), ("2.1", "healthy"), ("2.15", "healthy")]


def test_a_change_is_shown_with_every_run_and_both_sides():
    change = OutcomeChange(RUNS, "2.0", "2.1")
    lines = render_bisect(SCRIPT, change).splitlines()
    assert lines[1] == "torch 2.0: raised" and len(lines) == 5
    assert lines[-1] == "ZZ1 broken.py: raised up to torch 2.0, healthy from torch 2.1 on"
    assert bisect_fields(SCRIPT, change) == {
        "id": "ZZ1",
        "script": "broken",
        "runs": [{"torch": v, "outcome": o} for v, o in RUNS],
        "changes_after": "2.0",
        "changes_in": "2.1",
    }


def test_equal_ends_prove_nothing_between_them():
    change = OutcomeChange([RUNS[0], ("2.15", "raised")])
    assert render_bisect(SCRIPT, change).endswith("the same at both ends; nothing between them was run")
    assert bisect_fields(SCRIPT, change)["changes_in"] is None
