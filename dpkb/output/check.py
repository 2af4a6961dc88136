"""The problems of a catalogue as text or JSON."""

from __future__ import annotations

from dpkb.text import count_of, join_lines
from dpkb.views import CheckReport


def check_fields(report: CheckReport) -> dict[str, object]:
    """The JSON fields of `dpkb check`."""
    return {
        "entries": report.entries,
        "problems": [
            {"path": path, "line": problem.line, "key": problem.key, "message": problem.message}
            for path, problem in report.problems
        ],
    }


def render_problems(report: CheckReport) -> str:
    """Each problem on one line, with its path."""
    return "\n".join(join_lines(problem.render(path)) for path, problem in report.problems)


def render_check_summary(report: CheckReport) -> str:
    """How many entries were read, and how many problems they have."""
    read = count_of(report.entries, "entry", "entries")
    return f"{read} read, {count_of(len(report.problems), 'problem')}"
