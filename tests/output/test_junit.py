"""The report of `dpkb verify` as other tools read it."""

import os
import threading
import xml.etree.ElementTree as ET

import pytest
from support.results import result

from dpkb.output.junit import write
from dpkb.run_records import Verdict


def suite_of(path, *results):
    write(list(results), path, 3.14159)
    return ET.parse(path).getroot()


def test_every_verdict_has_its_tag(tmp_path):
    suite = suite_of(tmp_path / "j.xml", *(result(verdict.value, verdict) for verdict in Verdict))
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


@pytest.mark.parametrize(
    "text", ["<b>&amp;\x1b[31m", "]]>", "\0", "a\ud800b", "no character: \ufffe \uffff", "\U0001f525 größe"]
)
def test_the_output_of_a_script_cannot_break_the_report(tmp_path, text):
    (case,) = suite_of(tmp_path / "j.xml", result(verdict=Verdict.REFUTED, seen=text, log=text))
    assert case[0].get("message") and "claim: it fails\nexpected: a wrong result\n" in case[0].text


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "link").symlink_to("target.xml")
    suite_of(tmp_path / "link", result())
    assert (tmp_path / "link").is_symlink() and (tmp_path / "target.xml").is_file()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs a named pipe")
def test_a_pipe_is_written_to_and_not_replaced(tmp_path):
    pipe, read = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()
    write([result()], pipe, 1.0)
    reader.join(10)
    assert ET.fromstring(read[0]).get("tests") == "1" and pipe.is_fifo()
