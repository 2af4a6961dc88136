"""What has changed since an earlier audit."""

import json

from dpkb.audit.compare import Comparison, compare, read_ids
from dpkb.audit.result import AuditFinding, AuditResult
from dpkb.model import Certainty


def test_a_failure_may_move_to_another_line():
    findings = [AuditFinding(name, Certainty.LIKELY, "m", "f", "train.py", 9) for name in ("DP1", "DP3")]
    result = AuditResult(findings, 0, [], [], {}, [], [])
    assert compare(frozenset({"DP1", "DP2"}), result) == Comparison(("DP2",), ("DP1",), ("DP3",))


def test_the_ids_of_an_earlier_report(tmp_path):
    report = tmp_path / "report.json"
    report.write_text(
        json.dumps(
            {
                "findings": [
                    {"id": "DP1", "certainty": "certain"},
                    {"id": "DP1", "certainty": "likely"},
                    {"id": "T4", "certainty": "hint"},
                ]
            }
        )
    )
    assert read_ids(report, hints=False) == {"DP1"}
    assert read_ids(report, hints=True) == {"DP1", "T4"}
