"""Small programs: <id>_wrong.py has the failure of that entry, <id>_right.py and healthy_*.py have none."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from support import ROOT

from dpkb.catalogue.load import load

ENTRIES = load([ROOT]).entries
FOLDER = Path(__file__).parent / "programs"
WRONG = sorted(FOLDER.glob("*_wrong.py"))
SOUND = sorted([*FOLDER.glob("*_right.py"), *FOLDER.glob("healthy_*.py")])
pytestmark = [
    pytest.mark.reproducers,
    pytest.mark.skipif(sys.platform != "linux", reason="forks one process for each program"),
]


@pytest.fixture(scope="module")
def reports():
    done = subprocess.run(
        [sys.executable, "-m", "tests.support.audit_programs", *map(str, WRONG + SOUND)],
        cwd=ROOT,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    return {Path(row["program"]).name: row for row in map(json.loads, done.stdout.splitlines())}


@pytest.mark.parametrize("path", WRONG, ids=lambda path: path.stem)
def test_only_the_expected_failure_is_reported(reports, path):
    report = reports[path.name]
    assert report["failures"] == []
    entry = path.stem.partition("_")[0].upper()
    # Q2 says that the loss is nan, other entries why.
    assert {*report["ids"]} - {"Q2"} == {entry} - {"Q2"}, json.dumps(report, indent=1)
    assert entry in report["ids"]


@pytest.mark.parametrize("path", WRONG, ids=lambda path: path.stem)
def test_no_report_is_surer_than_its_entry_says(reports, path):
    levels = ["hint", "likely", "certain"]
    for message in reports[path.name]["messages"]:
        entry, level, *_ = message.split()
        assert levels.index(level) <= levels.index(dict(ENTRIES[entry].found_by)["audit"]), message


def test_a_message_about_a_change_names_no_two_equal_values(reports):
    [message] = reports["dp18_order_wrong.py"]["messages"]
    assert "changed in the main process, and still as before in its workers (2)" in message


def test_a_message_about_one_layer_is_in_the_singular(reports):
    [message] = reports["o18_wrong.py"]["messages"]
    assert "the frozen BatchNorm layer backbone.1 of Finetuned was in training mode" in message


@pytest.mark.parametrize("path", SOUND, ids=lambda path: path.stem)
def test_a_right_program_has_no_findings(reports, path):
    report = reports[path.name]
    assert (report["ids"], report["failures"], report["code"]) == ([], [], 0), json.dumps(report, indent=1)
