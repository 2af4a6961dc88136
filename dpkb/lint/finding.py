"""What a check reports: one failure of the catalogue, at one place."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Certainty(Enum):
    """How sure a finding is, surest first."""

    # No reading of the code is right.
    CERTAIN = "certain"
    # Wrong in most programs.
    LIKELY = "likely"
    # Worth a look. Shown only when asked for.
    HINT = "hint"


@dataclass(frozen=True)
class Finding:
    """One entry's failure in one line of one file. Lines and columns count from 1; cell only in notebooks."""

    id: str
    certainty: Certainty
    message: str
    fix: str
    file: str
    line: int
    column: int
    source_line: str = ""
    cell: int | None = None
