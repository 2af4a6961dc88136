"""The problems of a catalogue as text or JSON."""

from __future__ import annotations

from collections.abc import Sequence

from dpkb.model import Problem
from dpkb.text import count_of, join_lines

# Each problem, with its path as the user would write it.
Problems = Sequence[tuple[str, Problem]]


def check_fields(entries: int, problems: Problems) -> dict[str, object]:
    """The JSON fields of `dpkb check`. entries: how many were read."""
    return {
        "entries": entries,
        "problems": [
            {"path": path, "line": problem.line, "key": problem.key, "message": problem.message}
            for path, problem in problems
        ],
    }


def render_problems(problems: Problems) -> str:
    """Each problem on one line, with its path."""
    return "\n".join(join_lines(problem.render(path)) for path, problem in problems)


def render_check_summary(entries: int, problems: Problems) -> str:
    """How many entries were read, and how many problems they have."""
    read = count_of(entries, "entry", "entries")
    return f"{read} read, {count_of(len(problems), 'problem')}"
