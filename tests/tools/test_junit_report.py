"""The report of `dpkb verify` as other tools read it."""

import json
import xml.etree.ElementTree as ET

import pytest
from support.results import result

from dpkb.output.result import result_fields
from dpkb.run_records import Verdict
from tools.junit_report import main, render_report


def document(*results):
    return {"results": [result_fields(one) for one in results], "seconds": 3.14159}


def test_every_verdict_has_its_tag(tmp_path):
    verify, report = tmp_path / "verify.json", tmp_path / "junit.xml"
    verify.write_text(json.dumps(document(*(result(verdict.value, verdict) for verdict in Verdict))))
    main([str(verify), str(report)])
    suite = ET.parse(report).getroot()
    assert {case.get("name"): [note.tag for note in case] for case in suite} == {
        "confirmed": [],
        "refuted": ["failure"],
        "inconclusive": ["error"],
        "skipped": ["skipped"],
    }
    assert dict(suite.attrib) == {
        "name": "dpkb verify",
        "tests": "4",
        "time": "3.14",
        "failures": "1",
        "errors": "1",
        "skipped": "1",
    }
    assert {case.get("classname") for case in suite} == {"ZZ1"} and suite[0].get("time") == "1.25"


def test_several_environments_are_one_suite():
    suite = ET.fromstring(render_report({"runs": [document(result()), document(result("other"))]}))
    assert (suite.get("tests"), suite.get("time")) == ("2", "6.28")


@pytest.mark.parametrize(
    "text", ["<b>&amp;\x1b[31m", "]]>", "\0", "a\ud800b", "no character: \ufffe \uffff", "\U0001f525 größe"]
)
def test_the_output_of_a_script_cannot_break_the_report(text):
    (case,) = ET.fromstring(render_report(document(result(verdict=Verdict.REFUTED, seen=text, log=text))))
    assert case[0].get("message") and "claim: it fails\nexpected: a wrong result\n" in case[0].text
