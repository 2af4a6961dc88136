"""A command under the audit."""

import json
import os
import sys
from pathlib import Path

import pytest

from dpkb.relay.audited_command import audit_command, run_noting_failures
from dpkb.relay.command import CannotStart, EndConditions

posix = pytest.mark.skipif(os.name != "posix", reason="commands are passed through on POSIX systems only")

# Writes what an audited process would: without torch, so that it starts in a moment.
WRITES_A_JOURNAL = """
import json, os, sys
with open(os.path.join(os.environ["DPKB_AUDIT_FOLDER"], "1-1.jsonl"), "w") as journal:
    for line in ({"kind": "process", "pid": 1, "python": "3.11.7", "torch": "2.4.1"},
                 {"kind": "finding", "id": "DP1", "certainty": "likely", "message": "equal", "fix": "a fix"},
                 {"kind": "finding", "id": "DP2", "certainty": "hint", "message": "perhaps", "fix": "a fix"}):
        print(json.dumps(line), file=journal)
with open(sys.argv[1], "w") as noted:
    json.dump(dict(os.environ), noted)
"""


def ids_of(result):
    return [finding.id for finding in result.findings]


@pytest.fixture
def writing(tmp_path):
    """A command that writes a journal, and then does what is added to it."""
    program, noted = tmp_path / "program.py", tmp_path / "variables.json"

    def command(then=""):
        program.write_text(WRITES_A_JOURNAL + then)
        return [sys.executable, str(program), str(noted)]

    return command


@posix
def test_a_command_is_run_with_the_audit_and_its_journals_are_read(writing, tmp_path):
    end, result = audit_command(writing("print('hello')\nsys.exit(3)\n"))
    assert (end.code, end.stalled, end.on_request) == (3, False, False) and b"hello" in b"".join(end.output)
    assert ids_of(result) == ["DP1"] and result.hints == 1 and result.processes[0].torch == "2.4.1"
    variables = json.loads((tmp_path / "variables.json").read_text())
    assert Path(variables["PYTHONPATH"].split(os.pathsep)[0], "dpkb_audit").is_dir()
    assert "DPKB_AUDIT_STEPS" not in variables
    assert not Path(variables["DPKB_AUDIT_FOLDER"]).exists(), "its folder is removed"


@posix
def test_ignored_entries_are_silenced_and_hints_are_shown_when_asked_for(writing):
    _, result = audit_command(writing(), ignore={"DP1"}, hints=True)
    assert ids_of(result) == ["DP2"] and result.silenced == 1 and result.hints == 0


@posix
def test_the_command_is_ended_when_the_steps_are_reached(writing, tmp_path):
    waits = """
import time
open(os.path.join(os.environ["DPKB_AUDIT_FOLDER"], "1.steps-reached"), "w").close()
time.sleep(600)
"""
    end, result = audit_command(writing(waits), steps=7)
    assert end.on_request and not end.stalled and ids_of(result) == ["DP1"]
    assert json.loads((tmp_path / "variables.json").read_text())["DPKB_AUDIT_STEPS"] == "7"


@posix
def test_a_command_that_stalls_is_ended_and_its_findings_are_kept(writing):
    pids = []
    program = writing("import time\ntime.sleep(600)\n")
    # Long enough for the program to write its journal on a machine under load.
    end, result = audit_command(program, stalled_after=10.0, on_stall=pids.append)
    assert end.stalled and not end.on_request and len(pids) == 1 and ids_of(result) == ["DP1"]


@posix
def test_a_command_that_cannot_be_started_is_named():
    with pytest.raises(CannotStart, match="no_such_command: command not found") as raised:
        audit_command(["no_such_command"])
    assert raised.value.exit_code == 127


@pytest.mark.slow
@posix
def test_a_command_that_is_not_audited_notes_where_it_failed(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        "import torch\n"
        "labels = torch.tensor([0, 7])\n"
        "torch.nn.functional.cross_entropy(torch.randn(2, 3), labels)\n"
    )
    end, failed = run_noting_failures([sys.executable, str(program)], EndConditions())
    assert end.code == 1 and failed.process == ""
    assert (failed.frames[0].line, failed.frames[0].values["labels"]) == (3, "int64 (2,) on cpu, 0 to 7")
