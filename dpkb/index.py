"""The search index, asked: a question -> the entries that answer it, each with why it matched.

A term's weight in an entry is computed when the index is built (index_build.py), so a question only
adds numbers up. A term that very many entries share proposes only its best ones, so the time of a
question does not grow with the catalogue.
"""

from __future__ import annotations

import sqlite3
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from dpkb.terms import neighbours, query_terms

# Raised with every change of what index_build.py writes: an older file is then built anew.
LAYOUT = 5
# Measured with bench.finding: each of the entries' own questions, asked of an index without it.
FIELDS = {
    "id": 4.0, "title": 3.0, "asked as": 2.0, "keyword": 6.0, "message": 2.5, "symptom": 3.0,
    "summary": 2.0, "cause": 2.0, "fix": 2.0, "check": 1.5, "more": 1.0,
}
FIELD_NAMES = tuple(FIELDS)
SCALE = 1000
# What another word for a term of the question counts, beside the term itself.
SYNONYM = 0.05
# What the nearest spelling counts for a term that no entry has.
MISSPELT = 0.7
# So many of the best are looked at once more, for words that stand side by side as they were asked.
LOOKED_AT = 8
# A hit with less than this share of the best one's score is noise beside it.
WORTH_SHOWING = 0.2


@dataclass(frozen=True)
class Hit:
    """An entry that answers a question, and what of it matched."""

    id: str
    title: str
    kind: str
    family: str
    summary: str
    score: float
    matched: tuple[str, ...]
    line: str


@dataclass(frozen=True)
class Found:
    """What a search found, and how many entries of the catalogue could not be read."""

    hits: tuple[Hit, ...]
    unreadable: int


class StaleIndex(Exception):
    """The index file is missing, damaged, or older than the catalogue: build it again."""


def grams(term: str) -> set[str]:
    """Each three letters of a term that stand side by side, its ends marked."""
    padded = f"^{term}$"
    return {padded[i : i + 3] for i in range(len(padded) - 2)}


def may_be_misspelt(term: str) -> bool:
    """Whether a term is a word for which a near spelling is looked up."""
    return 4 <= len(term) <= 24 and term.isascii() and " " not in term and not term.isdigit()


def open_index(path: Path) -> tuple[sqlite3.Connection, dict[str, str]]:
    """An index and its notes. Raises StaleIndex where there is none that can be read."""
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


def search(connection: sqlite3.Connection, question: str, most: int, kind: str | None = None,
           family: str | None = None) -> Found:
    """The entries that answer a question best, at most `most`. Raises StaleIndex where damaged."""
    try:
        return _search(connection, question, most, kind, family)
    except (sqlite3.DatabaseError, ValueError, TypeError):
        raise StaleIndex from None


def _search(connection: sqlite3.Connection, question: str, most: int, kind: str | None,
            family: str | None) -> Found:
    asked = query_terms(question)
    wanted = _known_terms(connection, asked)
    scores = _scores(wanted)
    ranked = sorted(scores, key=lambda doc: (-scores[doc], doc))
    pairs = set(neighbours(asked))
    best: list[Hit] = []
    for doc in ranked:
        if len(best) >= max(most, LOOKED_AT):
            break
        row = connection.execute("SELECT * FROM entry WHERE n=?", (doc,)).fetchone()
        if (kind and row[3] != kind) or (family and row[4] != family):
            continue
        best.append(_hit(connection, row, scores[doc], wanted, pairs))
    best.sort(key=lambda hit: -hit.score)
    hits = [hit for hit in best[:most] if hit.score >= WORTH_SHOWING * best[0].score]
    unreadable = connection.execute("SELECT value FROM note WHERE key='unreadable'").fetchone()
    return Found(tuple(hits), int(unreadable[0]))


@dataclass(frozen=True)
class _Postings:
    asked: str
    docs: memoryview
    impacts: memoryview
    fields: memoryview
    best: memoryview | None
    worth: float

    def place(self, doc: int) -> int | None:
        i = bisect_left(self.docs, doc)
        return i if i < len(self.docs) and self.docs[i] == doc else None


def _known_terms(connection: sqlite3.Connection, wanted: list[str]) -> list[_Postings]:
    """The postings of each term; a term that no entry has stands for its nearest spelling."""
    found = []
    for term, value in _with_synonyms(connection, wanted).items():
        row, worth = _term_row(connection, term), value
        if row is None and may_be_misspelt(term):
            near = _nearest(connection, term)
            row, worth = (_term_row(connection, near), MISSPELT) if near else (None, 0.0)
        # Another word that very many entries have would cost more than it tells.
        if row is not None and (value == 1.0 or row[3] is None):
            docs, impacts, fields, best = row
            found.append(_Postings(
                term, memoryview(docs).cast("I"), memoryview(impacts).cast("I"),
                memoryview(fields).cast("H"), memoryview(best).cast("I") if best else None, worth,
            ))
    return found


def _with_synonyms(connection: sqlite3.Connection, wanted: list[str]) -> dict[str, float]:
    """The terms of a question and what each counts, with the other words for them."""
    worth = dict.fromkeys(wanted, 1.0)
    for term in wanted:
        row = connection.execute("SELECT others FROM synonym WHERE term=?", (term,)).fetchone()
        for other in row[0].split() if row else ():
            worth.setdefault(other, SYNONYM)
    return worth


def _term_row(connection: sqlite3.Connection, term: str) -> tuple | None:
    return connection.execute(
        "SELECT docs, impacts, fields, best FROM term WHERE term=?", (term,)
    ).fetchone()


def _nearest(connection: sqlite3.Connection, term: str) -> str | None:
    wanted = sorted(grams(term))
    marks = ",".join("?" * len(wanted))
    rows = connection.execute(
        f"SELECT g.term, COUNT(*) c, t.n FROM gram g JOIN term t ON t.term = g.term"
        f" WHERE g.gram IN ({marks}) GROUP BY g.term ORDER BY c DESC, t.n DESC, g.term LIMIT 40", wanted,
    )
    most = 1 if len(term) < 7 else 2
    near = [(_edits(term, other, most), -n, other) for other, _, n in rows]
    near = [item for item in near if item[0] <= most]
    return min(near)[2] if near else None


def _edits(a: str, b: str, most: int) -> int:
    """Letters to change, add, drop or swap to get from a to b; most + 1 where it is more."""
    if abs(len(a) - len(b)) > most:
        return most + 1
    before, row = [], list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        older, before, row = before, row, [i]
        for j, y in enumerate(b, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                cost = min(cost, older[j - 2] + 1)
            row.append(cost)
    return row[-1]


def _scores(wanted: list[_Postings]) -> dict[int, float]:
    candidates: set[int] = set()
    for postings in wanted:
        candidates.update(postings.best if postings.best is not None else postings.docs)
    scores = dict.fromkeys(candidates, 0.0)
    for postings in wanted:
        if postings.best is None:
            for doc, impact in zip(postings.docs, postings.impacts, strict=True):
                scores[doc] += impact * postings.worth
        else:
            for doc in candidates:
                place = postings.place(doc)
                if place is not None:
                    scores[doc] += postings.impacts[place] * postings.worth
    return scores


def _hit(connection: sqlite3.Connection, row: tuple, score: float, wanted: list[_Postings],
         pairs: set[str]) -> Hit:
    number, entry_id, title, kind, family, summary = row
    by_field: dict[str, list[str]] = {}
    worth: dict[str, float] = {}
    for postings in wanted:
        place = postings.place(number)
        if place is None:
            continue
        worth[postings.asked] = postings.impacts[place] * postings.worth
        mask = postings.fields[place]
        for bit, name in enumerate(FIELD_NAMES):
            if mask >> bit & 1:
                by_field.setdefault(name, []).append(postings.asked)
    matched = tuple(f"{name}: {' '.join(by_field[name])}" for name in FIELD_NAMES if name in by_field)
    lines = connection.execute("SELECT field, text, terms FROM line WHERE n=?", (number,))
    line, side_by_side = _compare(lines, worth, pairs)
    # Two words that stand side by side as they were asked say more than the two apart.
    score += sum(max(worth.get(word, 0.0) for word in pair.split()) for pair in side_by_side) / 2
    return Hit(entry_id, title, kind, family, summary, round(score / SCALE, 2), matched, line)


def _compare(lines: Iterable[tuple[str, str, str]], worth: dict[str, float],
             pairs: set[str]) -> tuple[str, set[str]]:
    """The short line that shares most with the question, as `field: text`, and the pairs found."""
    best, best_worth, found = "", 0.0, set()
    for field, text, line_terms in lines:
        words = line_terms.split()
        common = worth.keys() & words
        if not common:
            continue
        shared = sum(worth[word] for word in common)
        here = pairs.intersection(neighbours(words)) if len(common) > 1 else set()
        found |= here
        line_worth = shared * (1 + 0.5 * len(here)) / (5 + len(words))
        if line_worth > best_worth:
            best, best_worth = f"{field}: {text}", line_worth
    return best, found
