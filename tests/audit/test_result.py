"""The records of an audit, and the reports that earlier audits wrote."""

import json

import pytest

from dpkb.audit.result import AuditFinding, read_report
from dpkb.errors import UsageError
from dpkb.model import Certainty


def test_a_finding_names_its_line_if_there_is_one():
    finding = AuditFinding("DP1", Certainty.CERTAIN, "a message", "a fix")
    assert finding.line_in_parentheses() == ""
    finding = AuditFinding("DP1", Certainty.CERTAIN, "a message", "a fix", "/train.py", 7)
    assert finding.line_in_parentheses() == " (/train.py:7)"


def test_read_report_returns_what_the_given_function_takes(tmp_path):
    path = tmp_path / "report.json"
    path.write_text(json.dumps({"findings": [{"id": "DP1"}, {"id": "O1"}]}))
    assert read_report(path, lambda document: [one["id"] for one in document["findings"]]) == ["DP1", "O1"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "7",
        "null",
        '{"findings": null}',
        '{"other": []}',
        "\xff",
        '{"findings": [{"name": "DP1"}]}',
        "[" * 100_000,
    ],
)
def test_a_file_that_is_not_a_report_is_refused(text, tmp_path):
    path = tmp_path / "report.json"
    path.write_text(text, "latin-1")
    with pytest.raises(UsageError, match=r"report\.json: not a report of this dpkb's `dpkb audit"):
        read_report(path, lambda document: [one["id"] for one in document["findings"]])


def test_a_file_that_cannot_be_read_is_refused(tmp_path):
    for path, why in ((tmp_path / "missing.json", "No such file"), (tmp_path, "Is a directory")):
        with pytest.raises(UsageError, match=f"{path}: cannot be read: {why}.*; name a file that `dpkb"):
            read_report(path, lambda document: document)
