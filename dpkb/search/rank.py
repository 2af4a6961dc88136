"""A question and the search index -> the entries that answer it, each with why it matched.

The weight of a term in an entry is computed when the index is built (build.py), so a search only adds
numbers. A term that very many entries share brings in only its best ones, so the time of a search does
not grow with the catalogue.
"""

from __future__ import annotations

import sqlite3
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from math import log1p, sqrt
from pathlib import Path

from dpkb.search.elsewhere import is_request
from dpkb.search.quoted import messages, without_frames
from dpkb.search.tokens import is_unspaced, neighbours, query_terms

# Raised with every change of the file that build.py writes: an older file is then built again.
LAYOUT = 11
# Measured with bench.finding: each of the entries' own questions, asked of an index without it.
FIELDS = {
    "id": 4.0, "title": 3.0, "asked as": 2.0, "keyword": 6.0, "message": 2.5, "symptom": 3.0,
    "summary": 2.0, "cause": 2.0, "fix": 2.0, "check": 1.5, "more": 1.0,
}
FIELD_NAMES = tuple(FIELDS)
SCALE = 1000
# The weight of a synonym of a term in the question; the term itself has 1.
SYNONYM = 0.05
# The weight of the nearest spelling of a term that no entry has.
MISSPELT = 0.7
# This many of the best hits are compared again, for words that are neighbours as in the question.
LOOKED_AT = 8
# Hits with less than this share of the best score are not shown.
WORTH_SHOWING = 0.2
# A triage entry leads to others: where one of those fits as well, that one comes first.
# Measured with bench.finding.
TRIAGE = 0.96
# With this many times the score of the second hit, the first is taken for the answer.
CLEAR = 1.5
# The first hit is weak if it explains too little of the question. A word counts what it adds to the score, at
# most EXPLAINED, and the more, the more of the hit's short lines have it (_share): an entry that mentions a
# word once is not about it. A word of a topic that no entry is about, and a request (elsewhere.py), count
# against the hit. WEAK grows with the square root of the number of words. All three are in units of
# log(1 + number of entries), as the scores grow with the catalogue. Calibrated with bench.finding: at most
# one in twenty of the questions that the catalogue answers is called weak.
EXPLAINED, FOREIGN, WEAK = 9.0, 13.5, 4.3


@dataclass(frozen=True)
class Hit:
    """An entry that answers a question, and the parts of it that matched."""

    id: str
    title: str
    kind: str
    family: str
    summary: str
    score: float
    matched: tuple[str, ...]
    line: str


@dataclass(frozen=True)
class SearchResult:
    """The hits of a search, and how many entries of the catalogue could not be read."""

    hits: tuple[Hit, ...]
    unreadable: int
    # The section In short of the first hit, if that hit is clearly the best; else empty.
    answer: str = ""
    # Whether even the first hit explains so little of the question that it is probably about something else.
    weak: bool = False


class StaleIndex(Exception):
    """The index file is missing, damaged, or not of the catalogue as it is now."""


def grams(term: str) -> set[str]:
    """Every three consecutive letters of a term, with its ends marked."""
    padded = f"^{term}$"
    return {padded[i : i + 3] for i in range(len(padded) - 2)}


def may_be_misspelt(term: str) -> bool:
    """Whether a near spelling is looked up for this term."""
    return 4 <= len(term) <= 24 and term.isascii() and " " not in term and not term.isdigit()


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


def search(connection: sqlite3.Connection, question: str, most: int, kind: str | None = None,
           family: str | None = None) -> SearchResult:
    """The entries that answer a question best, at most `most`. Raises StaleIndex if the index is damaged."""
    try:
        return _search(connection, question, most, kind, family)
    except (sqlite3.DatabaseError, ValueError, TypeError):
        raise StaleIndex from None


def _search(connection: sqlite3.Connection, question: str, most: int, kind: str | None,
            family: str | None) -> SearchResult:
    asked = query_terms(without_frames(question))
    wanted = _known_terms(connection, asked)
    scores = _scores(wanted)
    bonuses = messages(connection, question)
    for doc in scores.keys() & bonuses.keys():
        scores[doc] *= 1 + bonuses[doc]
    ranked = sorted(scores, key=lambda doc: (-scores[doc], doc))
    pairs = set(neighbours(asked))
    best: list[tuple[float, Hit]] = []
    for doc in ranked:
        if len(best) >= max(most, LOOKED_AT):
            break
        row = connection.execute("SELECT * FROM entry WHERE n=?", (doc,)).fetchone()
        if (kind and row[3] != kind) or (family and row[4] != family):
            continue
        score, hit = _hit(connection, row, scores[doc], wanted, pairs)
        best.append((score * (TRIAGE if hit.family == "Q" else 1.0), hit))
    # A question that is an id alone means that entry, however many others refer to it.
    best.sort(key=lambda ranked: (asked != [ranked[1].id.lower()], -ranked[0]))
    hits = [hit for score, hit in best[:most] if score >= WORTH_SHOWING * best[0][0]]
    unreadable = connection.execute("SELECT value FROM note WHERE key='unreadable'").fetchone()
    weak = (bool(hits) and asked != [hits[0].id.lower()]
            and _is_weak(connection, asked, wanted, hits[0].id, is_request(question)))
    answer = ""
    if not weak and (len(best) == 1 or (len(best) > 1 and best[0][0] >= CLEAR * best[1][0])):
        (answer,) = connection.execute("SELECT text FROM answer WHERE id=?", (best[0][1].id,)).fetchone()
    return SearchResult(tuple(hits), int(unreadable[0]), answer, weak)


def _is_weak(connection: sqlite3.Connection, asked: list[str], wanted: list[_Postings], hit: str,
             request: bool) -> bool:
    """Whether a hit explains too little of a question."""
    (number,) = connection.execute("SELECT n FROM entry WHERE id=?", (hit,)).fetchone()
    (last,) = connection.execute("SELECT MAX(n) FROM entry").fetchone()
    (words,) = connection.execute("SELECT value FROM note WHERE key='elsewhere'").fetchone()
    texts = connection.execute("SELECT terms FROM line WHERE n=?", (number,))
    lines = [frozenset(text.split()) for (text,) in texts]
    known = {postings.asked: postings for postings in wanted}
    foreign = frozenset(words.split())
    unit = SCALE * log1p(last + 1)
    explained, count = -EXPLAINED * unit if request else 0.0, 0
    for term in asked:
        postings = known.get(term)
        place = postings.place(number) if postings else None
        worth = postings.impacts[place] * postings.worth if postings and place is not None else 0.0
        share = _share(sum(postings.term in line for line in lines)) if postings else 0.0
        if term in foreign and worth * share < EXPLAINED * unit:
            explained -= FOREIGN * unit
        else:
            explained += min(worth, EXPLAINED * unit) * share
        # Most pairs of Chinese characters are no words.
        count += postings is not None or not is_unspaced(term[0])
    return explained < WEAK * unit * sqrt(count)


def _share(lines: int) -> float:
    """How much of a word counts that so many short lines of the hit have."""
    return (lines + 0.5) / (lines + 2)


# Of an entry: number, id, title, kind, family, summary; of a term: its postings as bytes.
_EntryRow = tuple[int, str, str, str, str, str]
_TermRow = tuple[bytes, bytes, bytes, bytes | None]


@dataclass(frozen=True)
class _Postings:
    """The entries that have a term of the question, with what it adds to the score of each."""

    asked: str
    # The same, or its nearest spelling.
    term: str
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
    known = []
    for term, value in _with_synonyms(connection, wanted).items():
        spelling, row, worth = term, _term_row(connection, term), value
        if row is None and may_be_misspelt(term) and (near := _nearest(connection, term)):
            spelling, row, worth = near, _term_row(connection, near), MISSPELT
        # A synonym that very many entries have costs more time than it is worth.
        if row is not None and (value == 1.0 or row[3] is None):
            docs, impacts, fields, best = row
            known.append(_Postings(
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
    near = [(_edits(term, other, most), -n, other) for other, _, n in rows]
    near = [item for item in near if item[0] <= most]
    return min(near)[2] if near else None


def _edits(a: str, b: str, most: int) -> int:
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


def _hit(connection: sqlite3.Connection, row: _EntryRow, score: float, wanted: list[_Postings],
         pairs: set[str]) -> tuple[float, Hit]:
    """One entry as a hit, with its exact score."""
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
    # Two words that are neighbours, as in the question, say more than the same words apart.
    score += sum(max(worth.get(word, 0.0) for word in pair.split()) for pair in side_by_side) / 2
    hit = Hit(entry_id, title, kind, family, summary, round(score / SCALE, 2), matched, line)
    return score, hit


def _compare(lines: Iterable[tuple[str, str, str]], worth: dict[str, float],
             pairs: set[str]) -> tuple[str, set[str]]:
    """The short line that shares most with the question, as `field: text`, and the pairs in any line."""
    best, best_worth = "", 0.0
    common_pairs: set[str] = set()
    for field, text, line_terms in lines:
        words = line_terms.split()
        common = worth.keys() & words
        if not common:
            continue
        shared = sum(worth[word] for word in common)
        here = pairs.intersection(neighbours(words)) if len(common) > 1 else set()
        common_pairs |= here
        line_worth = shared * (1 + 0.5 * len(here)) / (5 + len(words))
        if line_worth > best_worth:
            best, best_worth = f"{field}: {text}", line_worth
    return best, common_pairs
