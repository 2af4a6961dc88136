"""A question and the search index -> the entries that answer it, each with why it matched.

The weight of a term in an entry is computed when the index is built (build.py), so a search only adds
numbers. A term that very many entries share brings in only its best ones, so the time of a search does
not grow with the catalogue.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass

from dpkb.ids import is_triage
from dpkb.search.index import FIELD_NAMES, SCALE, StaleIndex
from dpkb.search.off_topic import is_request
from dpkb.search.postings import Postings, known_terms
from dpkb.search.quotations import signature_bonuses, without_frames
from dpkb.search.tokens import neighbours, query_terms
from dpkb.search.weakness import is_weak

# This many of the best hits are compared again, for words that are neighbours as in the question.
LOOKED_AT = 8
# Hits with less than this share of the best score are not shown.
WORTH_SHOWING = 0.2
# The score of a triage entry is multiplied by this, so that an entry which fits as well comes first.
# Measured with bench.finding.
TRIAGE = 0.96
# With this many times the score of the second hit, the first is taken for the answer.
CLEAR = 1.5

# The columns of an entry: id, title, kind, family, summary.
_EntryRow = tuple[str, str, str, str, str]


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
    wanted = known_terms(connection, asked)
    scores = _scores(wanted)
    for doc, bonus in signature_bonuses(connection, question).items():
        if doc in scores:
            scores[doc] *= 1 + bonus
    pairs = set(neighbours(asked))
    best: list[tuple[float, Hit]] = []
    for doc in sorted(scores, key=lambda doc: (-scores[doc], doc)):
        if len(best) >= max(most, LOOKED_AT):
            break
        entry = connection.execute(
            "SELECT id, title, kind, family, summary FROM entry WHERE n=?", (doc,)).fetchone()
        if (not kind or entry[2] == kind) and (not family or entry[3] == family):
            score, hit = _hit(connection, doc, entry, scores[doc], wanted, pairs)
            best.append((score * (TRIAGE if is_triage(hit.id) else 1.0), hit))
    # A question that is an id alone means that entry, however many others refer to it.
    best.sort(key=lambda ranked: (asked != [ranked[1].id.lower()], -ranked[0]))
    hits = [hit for score, hit in best[:most] if score >= WORTH_SHOWING * best[0][0]]
    (unreadable,) = connection.execute("SELECT value FROM note WHERE key='unreadable'").fetchone()
    weak = (bool(hits) and asked != [hits[0].id.lower()]
            and is_weak(connection, asked, wanted, hits[0].id, is_request(question)))
    answer = ""
    if not weak and (len(best) == 1 or (len(best) > 1 and best[0][0] >= CLEAR * best[1][0])):
        (answer,) = connection.execute("SELECT text FROM answer WHERE id=?", (best[0][1].id,)).fetchone()
    return SearchResult(tuple(hits), int(unreadable), answer, weak)


def _scores(wanted: list[Postings]) -> dict[int, float]:
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
                index = postings.index_of(doc)
                if index is not None:
                    scores[doc] += postings.impacts[index] * postings.worth
    return scores


def _hit(connection: sqlite3.Connection, number: int, entry: _EntryRow, score: float,
         wanted: list[Postings], pairs: set[str]) -> tuple[float, Hit]:
    """One entry as a hit, with its exact score."""
    by_field: dict[str, list[str]] = {}
    worth: dict[str, float] = {}
    for postings in wanted:
        index = postings.index_of(number)
        if index is None:
            continue
        worth[postings.asked] = postings.impacts[index] * postings.worth
        mask = postings.fields[index]
        for bit, name in enumerate(FIELD_NAMES):
            if mask >> bit & 1:
                by_field.setdefault(name, []).append(postings.asked)
    matched = tuple(f"{name}: {' '.join(by_field[name])}" for name in FIELD_NAMES if name in by_field)
    lines = connection.execute("SELECT field, text, terms FROM line WHERE n=?", (number,))
    line, side_by_side = _compare(lines, worth, pairs)
    # Two words that are neighbours, as in the question, say more than the same words apart.
    score += sum(max(worth.get(word, 0.0) for word in pair.split()) for pair in side_by_side) / 2
    hit = Hit(*entry, round(score / SCALE, 2), matched, line)
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
