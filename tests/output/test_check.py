"""The problems of a catalogue, one on each line."""

from pathlib import Path

import pytest

from dpkb.model import Problem
from dpkb.output.check import CheckReport, check_fields, print_check

PROBLEM = Problem(Path("/x/kb/zz1.md"), "must be\n\x1btext", 3, "title")


@pytest.mark.parametrize(("problems", "out", "err"), [
    ((), "2 entries read, 0 problems\n", ""),
    ((("kb/zz1.md", PROBLEM),), "kb/zz1.md:3: title: must be \\x1btext\n", "2 entries read, 1 problem\n"),
])
def test_standard_output_has_only_the_problems(capsys, problems, out, err):
    print_check(CheckReport(2, problems))
    assert tuple(capsys.readouterr()) == (out, err)


def test_json_has_the_place_of_each():
    assert check_fields(CheckReport(2, (("kb/zz1.md", PROBLEM),))) == {"entries": 2, "problems": [
        {"path": "kb/zz1.md", "line": 3, "key": "title", "message": PROBLEM.message}]}
