"""The finding of a rule: one failure of the catalogue, at one place."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from dpkb.model import Certainty as Certainty


@dataclass(frozen=True)
class Edit:
    """A text that replaces a range of the source. Lines count from 1, columns from 0 in bytes, as in `ast`.

    utf16_columns: the columns of start and end in UTF-16 units, as SARIF counts them. The finding sets them.
    """

    start: tuple[int, int]
    end: tuple[int, int]
    text: str
    utf16_columns: tuple[int, int] = field(default=(0, 0), compare=False)


@dataclass(frozen=True)
class Rewrite:
    """The edits that correct a finding. unsafe: they are right in most programs only, so read them first.

    digest: that of the bytes of the file that they are for.
    """

    edits: tuple[Edit, ...]
    unsafe: bool = False
    digest: bytes = b""


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
    rewrite: Rewrite | None = None
    # Where its code ends in this line.
    end_column: int = field(default=0, compare=False)


# What a rule yields.
Findings: TypeAlias = Iterator[Finding]
