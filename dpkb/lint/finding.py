"""The finding of a rule: one failure of the catalogue, at one place."""

from __future__ import annotations

from dataclasses import dataclass

from dpkb.model import Certainty as Certainty  # for the rules


@dataclass(frozen=True)
class Edit:
    """A piece of text in place of another. Lines count from 1, columns from 0 in bytes, as in `ast`."""

    start: tuple[int, int]
    end: tuple[int, int]
    text: str


@dataclass(frozen=True)
class Rewrite:
    """The edits that correct a finding. unsafe: they are right in most programs only, so read them first."""

    edits: tuple[Edit, ...]
    unsafe: bool = False


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
