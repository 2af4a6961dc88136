"""A question and the search index -> the entries that answer it, each with the reason.

The impact of each term is computed when the index is built (build.py), so a search only adds numbers.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dpkb.ids import normalize_id
from dpkb.search.index import FIELD_NAMES, SCALE, StaleIndex, read_number, read_row
from dpkb.search.off_topic import is_request, is_unclear
from dpkb.search.postings import PostingList, find_posting_lists
from dpkb.search.quotations import find_explained, find_message, remove_frames
from dpkb.search.tokens import pair_neighbours, split_question
from dpkb.search.weakness import Rarities, compute_fit, fits_message, is_weak, weigh_terms

if TYPE_CHECKING:
    from dpkb.model import Signpost

# The columns of an entry: doc, id, title, kind, family, summary, withdrawn.
_EntryRow = tuple[int, str, str, str, str, str, int]

# At least this many of the best hits are compared again, for words that are neighbours as in the question.
MIN_COMPARED = 8
# Hits with less than this share of the best score are not shown.
MIN_SCORE_SHARE = 0.2
# Entries that explain a line of the question come before the others: this many times the best score is added.
EXPLAINED_FACTOR = 2.0
# What is seen in a case of an entry is shown, with its advice, if it fits this well, and so many times as well as the
# next: of two cases that fit alike, one is often the opposite of what the question says.
MIN_CASE_FIT, CASE_LEAD = 0.13, 1.6
# The start of a line that is a case.
CASE = "case: "
# If even the first hit fits badly, no more than this many are shown.
WEAK_HITS = 2
# The first hit is clearly the best if it has this many times the score of the second.
CLEAR_RATIO = 1.5


@dataclass(frozen=True)
class Hit:
    """An entry that answers a question. matched: the terms by field; line: the short line that fits best."""

    id: str
    title: str
    kind: str
    family: str
    summary: str
    is_withdrawn: bool
    score: float
    matched: tuple[str, ...]
    line: str


@dataclass(frozen=True)
class SearchResult:
    """The hits of a search, and how many entries of the catalogue could not be read."""

    hits: tuple[Hit, ...]
    unreadable_count: int
    # The section In short of the first hit, if that hit is clearly the best; else empty.
    answer: str = ""
    # Whether even the first hit explains so little of the question that it is probably about something else.
    weak: bool = False
    # Whether the question does not say what failed, as "train.py error" does not.
    unclear: bool = False
    # What a message belongs to that no entry explains.
    signpost: Signpost | None = None


def search(
    connection: sqlite3.Connection,
    question: str,
    limit: int,
    kind: str | None = None,
    family: str | None = None,
) -> SearchResult:
    """The entries that answer a question best, at most `limit`. Raises StaleIndex if the index is damaged."""
    try:
        return _search(connection, question, limit, kind, family)
    except sqlite3.DatabaseError:
        raise StaleIndex from None


def _search(
    connection: sqlite3.Connection, question: str, limit: int, kind: str | None, family: str | None
) -> SearchResult:
    asked_id = _find_id(connection, question)
    text = remove_frames(question)
    question_terms = asked_id or split_question(text)
    posting_lists = find_posting_lists(connection, question_terms)
    pairs = set(pair_neighbours(question_terms))
    (entry_count,) = read_row(connection, "SELECT COUNT(*) FROM entry")
    rarities = weigh_terms(text, posting_lists, entry_count)
    explained, signpost = find_explained(connection, question)
    scores = _score_entries(posting_lists, explained)
    rows = _find_best_rows(connection, scores, max(limit, MIN_COMPARED), kind, family)
    message = find_message(question)
    ranked = [_compare(connection, row, scores[row[0]], posting_lists, pairs, rarities) for row in rows]
    # A question that is an id alone means that entry, however many others refer to it.
    ranked.sort(key=lambda scored: (question_terms != [scored[1].id.lower()], -scored[0]))
    hits = [hit for score, hit in ranked[:limit] if score >= MIN_SCORE_SHARE * ranked[0][0]]
    (unreadable,) = read_row(connection, "SELECT value FROM note WHERE key='unreadable'")
    is_id = bool(hits) and question_terms == [hits[0].id.lower()]
    says_little = (
        not is_id
        and not explained
        and is_unclear(question, {p.term for p in posting_lists if p.term == p.question_term})
    )
    weak = (
        bool(hits)
        and not is_id
        and not explained
        and (
            says_little
            or is_weak(connection, question_terms, posting_lists, hits[0].id, rarities)
            or (bool(message) and not fits_message(connection, message, posting_lists, hits[0].id))
        )
    )
    unclear = says_little and not is_request(question)
    if weak:
        hits = hits[:WEAK_HITS]
    answer = "" if weak else _find_clear_answer(connection, ranked)
    return SearchResult(tuple(hits), read_number(unreadable), answer, weak, unclear, signpost)


def _find_id(connection: sqlite3.Connection, question: str) -> list[str]:
    """The one term of a question that is an id alone, in any spelling: dp1 for "dp-1"; else nothing."""
    entry_id = normalize_id(question.strip())
    row = connection.execute("SELECT 1 FROM entry WHERE id=?", (entry_id,)).fetchone()
    return [entry_id.lower()] if row else []


def _score_entries(posting_lists: list[PostingList], explained: dict[int, float]) -> dict[int, float]:
    """The score of each entry that has a term of the question. explained: those that explain a line of it."""
    scores: dict[int, float] = defaultdict(float)
    for posting_list in posting_lists:
        for doc, impact in zip(posting_list.docs, posting_list.impacts, strict=True):
            scores[doc] += impact * posting_list.weight
    best, most = max(scores.values(), default=0.0), max(explained.values(), default=0.0)
    for doc, score in ((doc, explained[doc]) for doc in explained.keys() & scores.keys()):
        scores[doc] += EXPLAINED_FACTOR * best * score / most
    return scores


def _find_best_rows(
    connection: sqlite3.Connection, scores: dict[int, float], count: int, kind: str | None, family: str | None
) -> list[_EntryRow]:
    """The entries of this kind and family with the best scores."""
    rows: list[_EntryRow] = []
    for doc in sorted(scores, key=lambda doc: (-scores[doc], doc)):
        if len(rows) >= count:
            break
        row: _EntryRow = read_row(
            connection, "SELECT doc, id, title, kind, family, summary, withdrawn FROM entry WHERE doc=?", doc
        )
        if (not kind or row[3] == kind) and (not family or row[4] == family):
            rows.append(row)
    return rows


def _compare(
    connection: sqlite3.Connection,
    row: _EntryRow,
    score: float,
    posting_lists: list[PostingList],
    pairs: set[str],
    rarities: Rarities,
) -> tuple[float, Hit]:
    """An entry as a hit, with its exact score. pairs: the neighbouring terms of the question."""
    doc, entry_id, title, kind, family, summary, withdrawn = row
    by_field: dict[str, list[str]] = {}
    term_scores: dict[str, float] = {}
    for posting_list in posting_lists:
        index = posting_list.index_of(doc)
        if index is None:
            continue
        term_scores[posting_list.question_term] = posting_list.impacts[index] * posting_list.weight
        mask = posting_list.fields[index]
        for bit, name in enumerate(FIELD_NAMES):
            if mask >> bit & 1:
                by_field.setdefault(name, []).append(posting_list.words)
    matched = tuple(f"{name}: {' '.join(by_field[name])}" for name in FIELD_NAMES if name in by_field)
    lines = [
        (field, text, terms.split())
        for field, text, terms in connection.execute(
            "SELECT field, text, terms FROM line WHERE doc=?", (doc,)
        )
    ]
    fits = ((compute_fit(frozenset(words), rarities), f"{field}: {text}") for field, text, words in lines)
    fit, line = max(fits, default=(0.0, ""))
    line = line if fit else ""
    if case := _find_case(connection, doc, rarities):
        seen, summary = case
        line = CASE + seen
    # Two words that are neighbours, as in the question, say more than the same words apart.
    common_pairs = {pair for *_, words in lines for pair in pairs.intersection(pair_neighbours(words))}
    score += sum(max(term_scores.get(word, 0.0) for word in pair.split()) for pair in common_pairs) / 2
    hit = Hit(entry_id, title, kind, family, summary, bool(withdrawn), round(score / SCALE, 2), matched, line)
    return score, hit


def _find_case(connection: sqlite3.Connection, doc: int, rarities: Rarities) -> tuple[str, str] | None:
    """What is seen in the case of an entry that a question is about, and its advice; None if no case is clearly best."""
    rows = connection.execute("SELECT seen, advice, terms FROM cases WHERE doc=?", (doc,))
    fits = sorted(
        (compute_fit(frozenset(terms.split()), rarities), seen, advice) for seen, advice, terms in rows
    )
    if not fits:
        return None
    fit, seen, advice = fits[-1]
    next_fit = fits[-2][0] if len(fits) > 1 else 0.0
    return (seen, advice) if fit >= max(MIN_CASE_FIT, CASE_LEAD * next_fit) else None


def _find_clear_answer(connection: sqlite3.Connection, ranked: list[tuple[float, Hit]]) -> str:
    """The section In short of the first hit; empty if that hit is not clearly the best, or shows another case."""
    if (
        not ranked
        or (len(ranked) > 1 and ranked[0][0] < CLEAR_RATIO * ranked[1][0])
        or ranked[0][1].line.startswith(CASE)
    ):
        return ""
    return str(read_row(connection, "SELECT text FROM answer WHERE id=?", ranked[0][1].id)[0])
