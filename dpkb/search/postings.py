"""The terms of a question, and the entries that the search index has for each of them."""

from __future__ import annotations

import sqlite3
from bisect import bisect_left
from dataclasses import dataclass

# The weight of a synonym of a term in the question; the term itself has 1.
SYNONYM = 0.05
# The weight of the nearest spelling of a term that no entry has.
MISSPELT = 0.7

# The columns of a term: its postings as bytes.
_TermRow = tuple[bytes, bytes, bytes, bytes | None]


@dataclass(frozen=True)
class Postings:
    """The entries that have a term of the question, with what it adds to the score of each."""

    asked: str
    # The same, or its nearest spelling.
    term: str
    docs: memoryview
    impacts: memoryview
    # The fields of each entry that have the term, as bits.
    fields: memoryview
    # The entries in which it counts most, where very many have it.
    best: memoryview | None
    worth: float

    def index_of(self, doc: int) -> int | None:
        """Where an entry stands in the lists; None if it does not have the term."""
        i = bisect_left(self.docs, doc)
        return i if i < len(self.docs) and self.docs[i] == doc else None

    def worth_in(self, doc: int) -> float:
        """What the term adds to the score of an entry."""
        index = self.index_of(doc)
        return 0.0 if index is None else float(self.impacts[index] * self.worth)


def grams(term: str) -> set[str]:
    """Every three consecutive letters of a term, with its ends marked."""
    padded = f"^{term}$"
    return {padded[i : i + 3] for i in range(len(padded) - 2)}


def may_be_misspelt(term: str) -> bool:
    """Whether a near spelling is looked up for this term."""
    return 4 <= len(term) <= 24 and term.isascii() and " " not in term and not term.isdigit()


def known_terms(connection: sqlite3.Connection, wanted: list[str]) -> list[Postings]:
    """The postings of each term; a term that no entry has stands for its nearest spelling."""
    known = []
    for term, value in _with_synonyms(connection, wanted).items():
        spelling, row, worth = term, _term_row(connection, term), value
        if row is None and may_be_misspelt(term) and (near := _nearest(connection, term)):
            spelling, row, worth = near, _term_row(connection, near), MISSPELT
        # A synonym that very many entries have costs more time than it is worth.
        if row is not None and (value == 1.0 or row[3] is None):
            docs, impacts, fields, best = row
            known.append(Postings(
                term, spelling, memoryview(docs).cast("I"), memoryview(impacts).cast("I"),
                memoryview(fields).cast("H"), memoryview(best).cast("I") if best else None, worth,
            ))
    return known


def _with_synonyms(connection: sqlite3.Connection, wanted: list[str]) -> dict[str, float]:
    """The terms of a question and what each counts, with the other words for them."""
    worth = dict.fromkeys(wanted, 1.0)
    for term in wanted:
        row = connection.execute("SELECT others FROM synonym WHERE term=?", (term,)).fetchone()
        for other in row[0].split() if row else ():
            worth.setdefault(other, SYNONYM)
    return worth


def _term_row(connection: sqlite3.Connection, term: str) -> _TermRow | None:
    row: _TermRow | None = connection.execute(
        "SELECT docs, impacts, fields, best FROM term WHERE term=?", (term,)
    ).fetchone()
    return row


def _nearest(connection: sqlite3.Connection, term: str) -> str | None:
    wanted = sorted(grams(term))
    marks = ",".join("?" * len(wanted))
    rows = connection.execute(
        f"SELECT g.term, COUNT(*) c, t.n FROM gram g JOIN term t ON t.term = g.term"
        f" WHERE g.gram IN ({marks}) GROUP BY g.term ORDER BY c DESC, t.n DESC, g.term LIMIT 40", wanted,
    )
    most = 1 if len(term) < 7 else 2
    near = [(count_edits(term, other, most), -n, other) for other, _, n in rows]
    near = [item for item in near if item[0] <= most]
    return min(near)[2] if near else None


def count_edits(a: str, b: str, most: int) -> int:
    """Letters to change, add, drop or swap to get from a to b; above `most` if the lengths differ so."""
    if abs(len(a) - len(b)) > most:
        return most + 1
    before: list[int] = []
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        older, before, row = before, row, [i]
        for j, y in enumerate(b, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                cost = min(cost, older[j - 2] + 1)
            row.append(cost)
    return row[-1]
