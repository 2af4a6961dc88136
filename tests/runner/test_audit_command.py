"""An audited command that failed: what its output says beside what was seen."""

from dataclasses import replace

import pytest
from support.corpus import CORPUS

from dpkb.audit.result import AuditFinding, AuditResult
from dpkb.model import Certainty
from dpkb.runner.audit_command import explain_failure
from dpkb.runner.relay import CommandEnd

SHUFFLE = b"ValueError: sampler option is mutually exclusive with shuffle"
FAILED = CommandEnd(1, [b"Epoch 1", SHUFFLE], stalled=False)
SEEN = AuditFinding("O1", Certainty.CERTAIN, "gradients are cleared", "clear them before backward()")
RESULT = AuditResult([SEEN], 0, [], [], {}, [], [])


def explained(end, result=RESULT, ignore=()):
    return [finding.id for finding in explain_failure(end, result, CORPUS.catalogue, ignore).findings]


def test_what_explains_the_failure_comes_first():
    first, second = explain_failure(FAILED, RESULT, CORPUS.catalogue).findings
    assert (first.id, first.certainty, second) == ("DP14", "certain", SEEN)
    assert first.message == f"the program ended with: {SHUFFLE.decode()}" and "dpkb show DP14" in first.fix
    assert RESULT.findings == [SEEN], "the result itself stays as it was"


@pytest.mark.parametrize(("end", "ids"), [
    (FAILED, ["DP14", "O1"]), (replace(FAILED, code=-9), ["DP14", "O1"]),
    (replace(FAILED, code=0, stalled=True), ["DP14", "O1"]), (replace(FAILED, code=0), ["O1"]),
    (replace(FAILED, enough=True), ["O1"]), (replace(FAILED, output=[b"Epoch 1"]), ["O1"]),
    (replace(FAILED, output=[]), ["O1"]),
])
def test_only_a_failure_is_explained(end, ids):
    assert explained(end) == ids


def test_what_was_seen_or_is_ignored_is_not_said_again():
    assert explained(FAILED, ignore=["DP14"]) == ["O1"]
    assert explained(FAILED, replace(RESULT, findings=[replace(SEEN, id="DP14")])) == ["DP14"]


def test_a_line_in_which_many_causes_end_explains_nothing():
    weak = next(signature for entry in CORPUS.catalogue for signature in entry.signatures
                if signature.weak and not signature.near)
    assert explained(replace(FAILED, output=[weak.example.encode()])) == ["O1"]
