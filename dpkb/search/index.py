"""The file of a search index: its layout, and how it is opened.

In the index each entry has a number, `doc`: its place in the catalogue, from 0.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

# Raised with every change of the file that build.py writes: an older file is then built again.
LAYOUT = 12
# The fields of an entry, and how much a word in each of them weighs.
# Measured with bench.finding: each of the entries' own questions, asked of an index without it.
FIELD_WEIGHTS = {
    "id": 4.0, "title": 3.0, "asked as": 2.0, "keyword": 6.0, "message": 2.5, "symptom": 3.0,
    "summary": 2.0, "cause": 2.0, "fix": 2.0, "check": 1.5, "more": 1.0,
}
FIELD_NAMES = tuple(FIELD_WEIGHTS)
# The index keeps scores as whole numbers: a score of 1 is this many.
SCALE = 1000


class StaleIndex(Exception):
    """The index file is missing, damaged, or older than the catalogue."""


def open_index(path: Path) -> tuple[sqlite3.Connection, dict[str, str]]:
    """Open an index and read its notes. Raises StaleIndex if it is missing or cannot be read."""
    if not path.is_file():
        raise StaleIndex
    connection = sqlite3.connect(f"file:{_quote_path(path)}?mode=ro", uri=True)
    try:
        notes = dict(connection.execute("SELECT key, value FROM note"))
    except sqlite3.DatabaseError:
        connection.close()
        raise StaleIndex from None
    if notes.get("layout") != str(LAYOUT):
        connection.close()
        raise StaleIndex
    return connection, notes


def _quote_path(path: Path) -> str:
    return str(path).replace("%", "%25").replace("?", "%3f").replace("#", "%23")
