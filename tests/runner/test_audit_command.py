"""A command under the audit, and the entry that explains its failure."""

import json
import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from support.corpus import CORPUS

from dpkb.audit.result import AuditFinding, AuditResult
from dpkb.model import Certainty
from dpkb.runner.audit_command import audit_command, explain_failure
from dpkb.runner.relay import CannotStart, CommandEnd

SHUFFLE = b"ValueError: sampler option is mutually exclusive with shuffle"
FAILED = CommandEnd(1, [b"Epoch 1", b"Traceback (most recent call last):", SHUFFLE], stalled=False)
SEEN = AuditFinding("O1", Certainty.CERTAIN, "gradients are cleared", "clear them before backward()")
RESULT = AuditResult([SEEN], 0, [], [], {}, [], [])


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


def explained(end, result=RESULT, ignore=()):
    return ids_of(explain_failure(end, result, CORPUS.catalogue, ignore))


def test_the_entry_that_explains_the_failure_comes_first():
    first, second = explain_failure(FAILED, RESULT, CORPUS.catalogue).findings
    assert (first.id, first.certainty, second) == ("DP14", "certain", SEEN)
    assert first.message == f"the program ended with: {SHUFFLE.decode()}" and "dpkb show DP14" in first.fix
    assert RESULT.findings == [SEEN], "the result itself stays as it was"


@pytest.mark.parametrize("output", [
    [SHUFFLE], [SHUFFLE, b"Traceback (most recent call last):", b"FileNotFoundError: out.csv"]])
def test_a_line_before_the_traceback_is_likely_only(output):
    first, _ = explain_failure(replace(FAILED, output=output), RESULT, CORPUS.catalogue).findings
    assert (first.id, first.certainty) == ("DP14", "likely")
    assert first.message == f"the program failed after it wrote: {SHUFFLE.decode()}"


@pytest.mark.parametrize("warning", [
    b"/train.py:206: UserWarning: The epoch parameter in `scheduler.step()` was not necessary and is being "
    b"deprecated where possible.",
    b"/checkpoint.py:25: UserWarning: None of the inputs have requires_grad=True. Gradients will be None\n"
    b'  warnings.warn("None of the inputs have requires_grad=True. Gradients will be None")'])
def test_a_warning_explains_only_a_failure_without_another_reason(warning):
    end = replace(FAILED, output=[warning, b"Traceback (most recent call last):", b"OSError: full"])
    assert explained(end) == ["O1"]
    for known in (replace(end, code=-15, output=[warning]), replace(end, stalled=True, output=[warning])):
        assert explained(known) == ["O1"]
    first, _ = explain_failure(replace(end, output=[warning]), RESULT, CORPUS.catalogue).findings
    assert first.certainty == "likely" and first.message.startswith("the program failed after it wrote: ")


@pytest.mark.parametrize(("end", "ids"), [
    (FAILED, ["DP14", "O1"]), (replace(FAILED, code=-9), ["DP14", "O1"]),
    (replace(FAILED, code=0, stalled=True), ["DP14", "O1"]), (replace(FAILED, code=0), ["O1"]),
    (replace(FAILED, on_request=True), ["O1"]), (replace(FAILED, output=[b"Epoch 1"]), ["O1"]),
    (replace(FAILED, output=[]), ["O1"]),
])
def test_only_a_failure_is_explained(end, ids):
    assert explained(end) == ids


def test_an_entry_that_the_audit_reported_or_that_is_ignored_is_not_added():
    assert explained(FAILED, ignore=["DP14"]) == ["O1"]
    assert explained(FAILED, replace(RESULT, findings=[replace(SEEN, id="DP14")])) == ["DP14"]


def test_a_weak_signature_adds_no_entry():
    weak = next(signature for entry in CORPUS.catalogue for signature in entry.signatures
                if signature.weak and not signature.near)
    assert explained(replace(FAILED, output=[weak.example.encode()])) == ["O1"]
