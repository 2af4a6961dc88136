"""The problems of a catalogue as text or JSON."""

from __future__ import annotations

import sys
from dataclasses import dataclass

from dpkb.model import Problem
from dpkb.text import count_of, one_line


@dataclass(frozen=True)
class CheckReport:
    """How many entries were read, and each problem with its path as the user would write it."""

    entries: int
    problems: tuple[tuple[str, Problem], ...]


def check_fields(report: CheckReport) -> dict[str, object]:
    """The JSON fields of `dpkb check`."""
    return {"entries": report.entries, "problems": [
        {"path": path, "line": problem.line, "key": problem.key, "message": problem.message}
        for path, problem in report.problems
    ]}


def print_check(report: CheckReport) -> None:
    """Print each problem on one line, then how many there are."""
    for path, problem in report.problems:
        print(one_line(problem.located(path)))
    read = count_of(report.entries, "entry", "entries")
    count = f"{read} read, {count_of(len(report.problems), 'problem')}"
    # With problems, standard output has only these, one on each line.
    print(count, file=sys.stderr if report.problems else sys.stdout)
