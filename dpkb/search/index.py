"""The file of a search index: what build.py writes into it, and how it is opened."""

from __future__ import annotations

import sqlite3
from pathlib import Path

# Raised with every change of the file that build.py writes: an older file is then built again.
LAYOUT = 11
# The fields of an entry, and what a word in each of them weighs.
# Measured with bench.finding: each of the entries' own questions, asked of an index without it.
FIELDS = {
    "id": 4.0, "title": 3.0, "asked as": 2.0, "keyword": 6.0, "message": 2.5, "symptom": 3.0,
    "summary": 2.0, "cause": 2.0, "fix": 2.0, "check": 1.5, "more": 1.0,
}
FIELD_NAMES = tuple(FIELDS)
# Scores are kept as whole numbers: a score of 1 is this many.
SCALE = 1000


class StaleIndex(Exception):
    """The index file is missing, damaged, or not of the catalogue as it is now."""


def open_index(path: Path) -> tuple[sqlite3.Connection, dict[str, str]]:
    """An index and its notes. Raises StaleIndex if it is missing or cannot be read."""
    if not path.is_file():
        raise StaleIndex
    connection = sqlite3.connect(f"file:{_quoted(path)}?mode=ro", uri=True)
    try:
        notes = dict(connection.execute("SELECT key, value FROM note"))
    except sqlite3.DatabaseError:
        connection.close()
        raise StaleIndex from None
    if notes.get("layout") != str(LAYOUT):
        connection.close()
        raise StaleIndex
    return connection, notes


def _quoted(path: Path) -> str:
    return str(path).replace("%", "%25").replace("?", "%3f").replace("#", "%23")
