"""The file of a search index: its layout, and how it is opened.

In the index each entry has a number, `doc`: its place in the catalogue, from 0.
"""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path
from typing import Any

# Raised with every change of the file that build.py writes: an older file is then built again.
LAYOUT = 17
# The fields of an entry, and how much a word in each of them weighs.
# Measured with bench.finding: each of the entries' own questions, asked of an index without it.
FIELD_WEIGHTS = {
    "id": 4.0,
    "title": 3.0,
    "asked as": 2.0,
    "keyword": 6.0,
    "message": 2.5,
    "symptom": 3.0,
    "summary": 2.0,
    "cause": 2.0,
    "fix": 2.0,
    "check": 1.5,
    "more": 1.0,
    "in Chinese": 2.0,
}
FIELD_NAMES = tuple(FIELD_WEIGHTS)
# Where SQLite counts the transactions that have changed a file. An index is written in a single one.
_CHANGES, _ONE_CHANGE = slice(24, 28), b"\0\0\0\1"
# The index keeps scores as whole numbers: a score of 1 is this many.
SCALE = 100


class StaleIndex(Exception):
    """The index file is missing, damaged, changed by another program, or older than the catalogue."""


def open_index(path: Path) -> tuple[sqlite3.Connection, dict[str, str]]:
    """Open an index and read its notes. Raises StaleIndex if it is missing, changed, or cannot be read."""
    if not path.is_file():
        raise StaleIndex
    with contextlib.ExitStack() as close_on_error:
        try:
            with path.open("rb") as file:
                if file.read(_CHANGES.stop)[_CHANGES] != _ONE_CHANGE:
                    raise StaleIndex
            connection = sqlite3.connect(f"file:{_quote_path(path)}?mode=ro", uri=True)
            close_on_error.callback(connection.close)
            notes = dict(connection.execute("SELECT key, value FROM note"))
        except (OSError, sqlite3.DatabaseError):
            raise StaleIndex from None
        if notes.get("layout") != str(LAYOUT):
            raise StaleIndex
        close_on_error.pop_all()
    return connection, notes


def read_row(connection: sqlite3.Connection, query: str, *values: object) -> tuple[Any, ...]:
    """The row of the index that a query selects. Raises StaleIndex if the index does not have it."""
    row: tuple[Any, ...] | None = connection.execute(query, values).fetchone()
    if row is None:
        raise StaleIndex
    return row


def read_number(text: str) -> int:
    """A number in the notes of an index. Raises StaleIndex if it is none."""
    try:
        return int(text)
    except (TypeError, ValueError):
        raise StaleIndex from None


def _quote_path(path: Path) -> str:
    return str(path).replace("%", "%25").replace("?", "%3f").replace("#", "%23")
