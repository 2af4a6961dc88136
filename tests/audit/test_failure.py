"""The entry that explains why an audited command failed."""

from dataclasses import replace

import pytest
from support.corpus import CORPUS

from dpkb.audit.failure import explain_failure
from dpkb.audit.result import AuditFinding, AuditResult
from dpkb.model import Certainty
from dpkb.run_records import CommandEnd

SHUFFLE = b"ValueError: sampler option is mutually exclusive with shuffle"
FAILED = CommandEnd(1, [b"Epoch 1", b"Traceback (most recent call last):", SHUFFLE], stalled=False)
SEEN = AuditFinding("O1", Certainty.CERTAIN, "gradients are cleared", "clear them before backward()")
RESULT = AuditResult([SEEN], 0, [], [], {}, [], [])


def ids_of(result):
    return [finding.id for finding in result.findings]


def explained(end, result=RESULT, ignore=()):
    return ids_of(explain_failure(end, result, CORPUS.catalogue, ignore))


def test_the_entry_that_explains_the_failure_comes_first():
    first, second = explain_failure(FAILED, RESULT, CORPUS.catalogue).findings
    assert (first.id, first.certainty, second) == ("DP14", "certain", SEEN)
    assert first.message == f"the program ended with: {SHUFFLE.decode()}" and "dpkb show DP14" in first.fix
    assert RESULT.findings == [SEEN], "the result itself stays as it was"


@pytest.mark.parametrize(
    "output", [[SHUFFLE], [SHUFFLE, b"Traceback (most recent call last):", b"FileNotFoundError: out.csv"]]
)
def test_a_line_before_the_traceback_is_likely_only(output):
    first, _ = explain_failure(replace(FAILED, output=output), RESULT, CORPUS.catalogue).findings
    assert (first.id, first.certainty) == ("DP14", "likely")
    assert first.message == f"the program failed after it wrote: {SHUFFLE.decode()}"


@pytest.mark.parametrize(
    "warning",
    [
        b"/train.py:206: UserWarning: The epoch parameter in `scheduler.step()` was not necessary and is being "
        b"deprecated where possible.",
        b"/checkpoint.py:25: UserWarning: None of the inputs have requires_grad=True. Gradients will be None\n"
        b'  warnings.warn("None of the inputs have requires_grad=True. Gradients will be None")',
    ],
)
def test_a_warning_explains_only_a_failure_without_another_reason(warning):
    end = replace(FAILED, output=[warning, b"Traceback (most recent call last):", b"OSError: full"])
    assert explained(end) == ["O1"]
    for known in (replace(end, code=-15, output=[warning]), replace(end, stalled=True, output=[warning])):
        assert explained(known) == ["O1"]
    first, _ = explain_failure(replace(end, output=[warning]), RESULT, CORPUS.catalogue).findings
    assert first.certainty == "likely" and first.message.startswith("the program failed after it wrote: ")


@pytest.mark.parametrize(
    ("end", "ids"),
    [
        (FAILED, ["DP14", "O1"]),
        (replace(FAILED, code=-9), ["DP14", "O1"]),
        (replace(FAILED, code=0, stalled=True), ["DP14", "O1"]),
        (replace(FAILED, code=0), ["O1"]),
        (replace(FAILED, on_request=True), ["O1"]),
        (replace(FAILED, output=[b"Epoch 1"]), ["O1"]),
        (replace(FAILED, output=[]), ["O1"]),
    ],
)
def test_only_a_failure_is_explained(end, ids):
    assert explained(end) == ids


def test_an_entry_that_the_audit_reported_or_that_is_ignored_is_not_added():
    assert explained(FAILED, ignore=["DP14"]) == ["O1"]
    assert explained(FAILED, replace(RESULT, findings=[replace(SEEN, id="DP14")])) == ["DP14"]


def test_a_weak_signature_adds_no_entry():
    weak = next(
        signature
        for entry in CORPUS.catalogue
        for signature in entry.signatures
        if signature.weak and not signature.near
    )
    assert explained(replace(FAILED, output=[weak.example.encode()])) == ["O1"]
