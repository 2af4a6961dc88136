"""The problems of a catalogue, one on each line."""

from pathlib import Path

import pytest

from dpkb.model import Problem
from dpkb.output.check import check_fields, render_check_summary, render_problems

PROBLEM = Problem(Path("/x/kb/zz1.md"), "must be\n\x1btext", 3, "title")


@pytest.mark.parametrize(
    ("problems", "lines", "summary"),
    [
        ((), "", "2 entries read, 0 problems"),
        ((("kb/zz1.md", PROBLEM),), "kb/zz1.md:3: title: must be \\x1btext", "2 entries read, 1 problem"),
    ],
)
def test_each_problem_is_one_safe_line_and_the_summary_counts_them(problems, lines, summary):
    assert (render_problems(problems), render_check_summary(2, problems)) == (lines, summary)


def test_json_has_the_place_of_each_problem():
    assert check_fields(2, (("kb/zz1.md", PROBLEM),)) == {
        "entries": 2,
        "problems": [{"path": "kb/zz1.md", "line": 3, "key": "title", "message": PROBLEM.message}],
    }
