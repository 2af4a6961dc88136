"""The results of `dpkb verify` as a JUnit report."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

from dpkb import files
from dpkb.run_records import RunResult, Verdict
from dpkb.text import escape_controls

_TAGS = {Verdict.REFUTED: "failure", Verdict.INCONCLUSIVE: "error", Verdict.SKIPPED: "skipped"}


def write(results: list[RunResult], path: Path, wall: float) -> None:
    """Write a report with one test case for each run. Raises OSError."""
    count = {tag: sum(_TAGS.get(r.verdict) == tag for r in results) for tag in _TAGS.values()}
    suite = ET.Element(
        "testsuite",
        name="dpkb verify",
        tests=str(len(results)),
        time=f"{wall:.2f}",
        failures=str(count["failure"]),
        errors=str(count["error"]),
        skipped=str(count["skipped"]),
    )
    for result in results:
        case = ET.SubElement(
            suite, "testcase", classname=result.id, name=result.script, time=f"{result.seconds:.2f}"
        )
        tag = _TAGS.get(result.verdict)
        if tag:
            reason = ET.SubElement(case, tag, message=escape_controls(result.seen))
            reason.text = escape_controls(f"claim: {result.claim}\nexpected: {result.expected}\n{result.log}")
    ET.indent(suite)
    text = "<?xml version='1.0' encoding='utf-8'?>\n" + ET.tostring(suite, encoding="unicode")
    files.write_named_text(path, text)
