"""The terms of a question, and the entries that the search index has for each of them."""

from __future__ import annotations

import sqlite3
from bisect import bisect_left
from dataclasses import dataclass

from dpkb.search.index import StaleIndex

# How much a synonym of a term in the question counts; the term itself counts 1.
SYNONYM_WEIGHT = 0.05
# How much the nearest spelling of a term that no entry has counts.
MISSPELT_WEIGHT = 0.7
# This many spellings that share most trigrams with a term are compared with it letter by letter.
COMPARED_SPELLINGS = 40

# The columns of a term: docs, impacts, fields; as bytes.
_TermRow = tuple[bytes, bytes, bytes]


@dataclass(frozen=True)
class PostingList:
    """The entries that have a term of the question, and its impact on the score of each."""

    # A term of the question, or a synonym of one.
    question_term: str
    # The same, or its nearest spelling: the term in the index.
    term: str
    docs: memoryview
    impacts: memoryview
    # The fields of each entry that have the term, as bits.
    fields: memoryview
    # How much the term counts in the question.
    weight: float

    @property
    def words(self) -> str:
        """The term in the index, with that of the question if the spelling differs: "read (for bread)"."""
        return self.term if self.term == self.question_term else f"{self.term} (for {self.question_term})"

    def index_of(self, doc: int) -> int | None:
        """The place of an entry in docs, impacts and fields; None if it does not have the term."""
        i = bisect_left(self.docs, doc)
        return i if i < len(self.docs) and self.docs[i] == doc else None

    def score_in(self, doc: int) -> float:
        """How much the term adds to the score of an entry."""
        index = self.index_of(doc)
        return 0.0 if index is None else float(self.impacts[index] * self.weight)


def find_trigrams(term: str) -> set[str]:
    """Every three consecutive letters of a term, with its ends marked."""
    padded = f"^{term}$"
    return {padded[i : i + 3] for i in range(len(padded) - 2)}


def may_be_misspelt(term: str) -> bool:
    """Whether a near spelling is looked up for this term."""
    return (
        4 <= len(term) <= 24
        and term.isascii()
        and " " not in term
        and not term.isdigit()
        and not _is_like_an_id(term)
    )


def _is_like_an_id(term: str) -> bool:
    """Whether a term is a few letters and a number, such as dp99: one that is near is something else."""
    letters = term.rstrip("0123456789")
    return letters != term and len(letters) <= 4 and letters.isalpha()


def find_posting_lists(connection: sqlite3.Connection, question_terms: list[str]) -> list[PostingList]:
    """The posting lists of the terms of a question and of their synonyms, if any entry has them.

    A term that no entry has is replaced by its nearest spelling.
    """
    posting_lists = []
    for term, weight in _add_synonyms(connection, question_terms).items():
        spelling, row = term, _find_term_row(connection, term)
        if row is None and may_be_misspelt(term) and (near := _find_nearest_spelling(connection, term)):
            spelling, row, weight = near, _find_term_row(connection, near), MISSPELT_WEIGHT
        if row is not None:
            posting_lists.append(_read_posting_list(term, spelling, row, weight))
    return posting_lists


def _read_posting_list(question_term: str, term: str, row: _TermRow, weight: float) -> PostingList:
    """The posting list in a row of the index. Raises StaleIndex if its columns are damaged."""
    docs, impacts, fields = row
    try:
        posting_list = PostingList(
            question_term,
            term,
            memoryview(docs).cast("I"),
            memoryview(impacts).cast("I"),
            memoryview(fields).cast("H"),
            weight,
        )
    except TypeError:  # no bytes, or a part of a number
        raise StaleIndex from None
    if not len(posting_list.docs) == len(posting_list.impacts) == len(posting_list.fields):
        raise StaleIndex
    return posting_list


def _add_synonyms(connection: sqlite3.Connection, question_terms: list[str]) -> dict[str, float]:
    """The terms of a question and their synonyms -> how much each counts."""
    weights = dict.fromkeys(question_terms, 1.0)
    for term in question_terms:
        row = connection.execute("SELECT others FROM synonym WHERE term=?", (term,)).fetchone()
        for other in row[0].split() if row else ():
            weights.setdefault(other, SYNONYM_WEIGHT)
    return weights


def _find_term_row(connection: sqlite3.Connection, term: str) -> _TermRow | None:
    row: _TermRow | None = connection.execute(
        "SELECT docs, impacts, fields FROM term WHERE term=?", (term,)
    ).fetchone()
    return row


def _find_nearest_spelling(connection: sqlite3.Connection, term: str) -> str | None:
    own = sorted(find_trigrams(term))
    marks = ",".join("?" * len(own))
    rows = connection.execute(
        f"SELECT g.term, COUNT(*) shared, t.doc_count FROM trigram g JOIN term t ON t.term = g.term"
        f" WHERE g.trigram IN ({marks}) GROUP BY g.term ORDER BY shared DESC, t.doc_count DESC, g.term"
        f" LIMIT {COMPARED_SPELLINGS}",
        own,
    )
    limit = 1 if len(term) < 7 else 2
    near = [(count_edits(term, other, limit), -doc_count, other) for other, _, doc_count in rows]
    near = [item for item in near if item[0] <= limit]
    return min(near)[2] if near else None


def count_edits(a: str, b: str, limit: int) -> int:
    """How many letters to change, add, drop or swap to get from a to b.

    If the lengths alone differ by more than the limit, the result is limit + 1.
    """
    if abs(len(a) - len(b)) > limit:
        return limit + 1
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
