"""Turns the JSON of `dpkb verify` into a JUnit report.

dpkb verify --json > verify.json; python -m tools.junit_report verify.json junit.xml
"""

from __future__ import annotations

import argparse
import json
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from dpkb.text import escape_controls

_TAGS = {"refuted": "failure", "inconclusive": "error", "skipped": "skipped"}


def render_report(document: dict[str, Any]) -> str:
    """A report with one test case for each run. document: of one environment, or of several."""
    runs = document.get("runs", [document])
    results = [result for run in runs for result in run["results"]]
    count = {tag: sum(_TAGS.get(r["verdict"]) == tag for r in results) for tag in _TAGS.values()}
    suite = ET.Element(
        "testsuite",
        name="dpkb verify",
        tests=str(len(results)),
        time=f"{sum(run['seconds'] for run in runs):.2f}",
        failures=str(count["failure"]),
        errors=str(count["error"]),
        skipped=str(count["skipped"]),
    )
    for result in results:
        seconds = f"{result['seconds']:.2f}"
        case = ET.SubElement(suite, "testcase", classname=result["id"], name=result["script"], time=seconds)
        if tag := _TAGS.get(result["verdict"]):
            reason = ET.SubElement(case, tag, message=escape_controls(result["seen"]))
            lines = (f"claim: {result['claim']}", f"expected: {result['expected']}", result["stderr"])
            reason.text = escape_controls("\n".join(lines))
    ET.indent(suite)
    return "<?xml version='1.0' encoding='utf-8'?>\n" + ET.tostring(suite, encoding="unicode")


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the document and write the report."""
    parser = argparse.ArgumentParser(prog="python -m tools.junit_report", description=__doc__.splitlines()[0])
    parser.add_argument("document", type=Path, metavar="VERIFY.JSON")
    parser.add_argument("report", type=Path, metavar="JUNIT.XML")
    options = parser.parse_args(arguments)
    options.report.write_text(render_report(json.loads(options.document.read_text())), encoding="utf-8")


if __name__ == "__main__":
    main()
