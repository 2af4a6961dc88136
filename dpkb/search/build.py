"""Entries -> the search index: a file of postings with the weight of each term in each entry.

A weight is what a term adds to the score of an entry (BM25 and naive Bayes): a search only adds weights.
"""

from __future__ import annotations

import contextlib
import sqlite3
from array import array
from collections.abc import Container, Iterable
from dataclasses import dataclass
from math import exp, log, log1p
from pathlib import Path
from typing import TYPE_CHECKING

from dpkb import files
from dpkb.search.index import FIELD_NAMES, FIELDS, LAYOUT, SCALE, open_index
from dpkb.search.off_topic import off_topic_terms
from dpkb.search.postings import grams, may_be_misspelt
from dpkb.search.synonyms import synonyms
from dpkb.search.tokens import terms

if TYPE_CHECKING:
    from dpkb.model import Entry

# Fields whose lines are short enough to be shown as the reason for a hit.
SHORT = ("title", "asked as", "keyword", "message")
_FIELD_OF_HEADING = {"In short": "cause", "Symptom": "symptom", "Fix": "fix",
                     "How to check your own code": "check", "Why it happens": "cause"}
# Measured with bench.finding: a word in many lines of an entry says more than a word in a single line,
# up to about this weight.
_K1, _B = 30.0, 0.8
# Added to BM25: a term's share of all words of an entry, against its usual share (naive Bayes). Questions
# are short, and so are the lines that weigh most here. Measured with bench.finding on 204 reports for which
# it was not tuned: the right entry comes first for 151 of them (145 without it), and among the first three
# for 180 (179 without it).
_BAYES = 8.0
_LINE_WORTH = {"asked as": 1.0, "title": 1.0, "summary": 1.0, "message": 0.5, "keyword": 0.3}
# A word of a longer text, as one of a sentence of 15.
_WORD_WORTH = 0.02
# A term that more than four times as many entries have brings in only this many, the best ones.
BEST_DOCS = 512


def build(entries: Iterable[Entry], notes: dict[str, str], path: Path | None) -> sqlite3.Connection:
    """Write the index to `path` in one step (None: keep it in memory) and open it.

    notes: texts to keep beside the entries; `unreadable` is the number of entries that are not in it.
    """
    inverted = invert(entries)
    if path is None:
        connection = sqlite3.connect(":memory:")
        _write(connection, inverted, notes)
        return connection
    with files.replace_file(path) as temporary, contextlib.closing(sqlite3.connect(temporary)) as connection:
        _write(connection, inverted, notes)
    return open_index(path)[0]


# The numbers of the entries, the impacts, and the fields as bits, before they are written.
_Arrays = tuple["array[int]", "array[int]", "array[int]"]


@dataclass(frozen=True)
class InvertedIndex:
    """An inverted index: for each term the entries that have it, and what it adds to their scores.

    rows: number, id, title, kind, family, summary; lines: number, field, text, its terms;
    postings: term -> numbers of entries, impacts, and the fields as bits in the order of FIELDS;
    answers: id, and the section In short; signatures: number, match, near, weak.
    """

    rows: list[tuple[int, str, str, str, str, str]]
    lines: list[tuple[int, str, str, str]]
    postings: dict[str, _Arrays]
    answers: list[tuple[str, str]]
    signatures: list[tuple[int, str, str, bool]]


def invert(entries: Iterable[Entry]) -> InvertedIndex:
    """Everything that a search needs to know of these entries, before it is written to a file."""
    inverted = InvertedIndex([], [], {}, [], [])
    lengths: list[int] = []
    shares: dict[str, list[float]] = {}
    for number, entry in enumerate(entries):
        lines = [(field, text, terms(text)) for field, text in entry_lines(entry)]
        inverted.rows.append(
            (number, entry.id, entry.title, entry.kind.value, entry.family, entry.summary)
        )
        inverted.answers.append((entry.id, entry.section("In short")))
        inverted.signatures.extend((number, s.match, s.near, s.weak) for s in entry.signatures)
        inverted.lines.extend(
            (number, field, text, " ".join(words)) for field, text, words in lines if field in SHORT
        )
        weights, masks = _weigh(lines)
        for term, share in _shares(lines).items():
            shares.setdefault(term, []).append(share)
        lengths.append(sum(len(words) for _, _, words in lines))
        for term, weight in weights.items():
            if term not in inverted.postings:
                inverted.postings[term] = (array("I"), array("I"), array("H"))
            docs, impacts, fields = inverted.postings[term]
            docs.append(number)
            impacts.append(round(weight * SCALE))
            fields.append(masks[term])
    _to_impacts(inverted.postings, lengths, shares)
    return inverted


def entry_lines(entry: Entry) -> list[tuple[str, str]]:
    """The searchable text of an entry, line by line, with the field that each belongs to."""
    lines = [("id", entry.id), ("title", entry.title), ("summary", entry.summary)]
    lines += [("asked as", text) for text in entry.asked_as]
    lines += [("keyword", text) for text in entry.keywords]
    lines += [("message", p.words) for p in entry.signatures]
    lines += [(_FIELD_OF_HEADING.get(s.heading, "more"), s.text) for s in entry.sections]
    return lines


def _weigh(lines: list[tuple[str, str, list[str]]]) -> tuple[dict[str, float], dict[str, int]]:
    weights: dict[str, float] = {}
    masks: dict[str, int] = {}
    for field, _, words in lines:
        bit = 1 << FIELD_NAMES.index(field)
        for term in words:
            weights[term] = weights.get(term, 0.0) + FIELDS[field]
            masks[term] = masks.get(term, 0) | bit
    return weights, masks


def _shares(lines: list[tuple[str, str, list[str]]]) -> dict[str, float]:
    """Each term's share of all that an entry says. A line is worth the same, long or short."""
    shares: dict[str, float] = {}
    for field, _, words in lines:
        distinct = list(dict.fromkeys(words)) if field in _LINE_WORTH else words
        worth = _LINE_WORTH[field] / len(distinct) if field in _LINE_WORTH and distinct else _WORD_WORTH
        for term in distinct:
            shares[term] = shares.get(term, 0.0) + worth
    whole = sum(shares.values()) or 1.0
    return {term: share / whole for term, share in shares.items()}


def _to_impacts(counts: dict[str, _Arrays], lengths: list[int], shares: dict[str, list[float]]) -> None:
    """Turn weighted counts into what a term adds to the score of an entry, in place."""
    total = len(lengths)
    mean = sum(lengths) / total if total else 1.0
    norms = [_K1 * (1 - _B + _B * length / mean) for length in lengths]
    for term, (docs, impacts, _) in counts.items():
        usual = sum(shares[term]) / total
        weights = [impact / SCALE for impact in impacts]
        saturated = [weight / (weight + norms[doc]) for weight, doc in zip(weights, docs, strict=True)]
        spread = _spread(saturated)
        rarity = log(1 + (total - spread + 0.5) / (spread + 0.5))
        for i, (weight, share) in enumerate(zip(saturated, shares[term], strict=True)):
            impacts[i] = round(SCALE * (rarity * weight * (_K1 + 1) + _BAYES * log1p(share / usual)))


def _spread(weights: list[float]) -> float:
    """The number of entries that a term is spread over: all that have it, if it weighs the same in each.

    "loss" is somewhere in nearly every entry, and still marks the few that are about it.
    """
    total = sum(weights)
    return exp(-sum(weight / total * log(weight / total) for weight in weights if weight))


def synonyms_in(postings: Container[str]) -> dict[str, list[str]]:
    """The synonyms of each term that some entry has."""
    return {term: [o for o in others if o in postings] for term, others in synonyms().items()}


def _write(connection: sqlite3.Connection, inverted: InvertedIndex, notes: dict[str, str]) -> None:
    connection.executescript(
        "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;"
        "CREATE TABLE entry (n INTEGER PRIMARY KEY, id TEXT, title TEXT, kind TEXT, family TEXT,"
        " summary TEXT);"
        "CREATE TABLE answer (id TEXT PRIMARY KEY, text TEXT) WITHOUT ROWID;"
        "CREATE TABLE line (n INTEGER, field TEXT, text TEXT, terms TEXT);"
        "CREATE TABLE term (term TEXT PRIMARY KEY, n INTEGER, docs BLOB, impacts BLOB, fields BLOB,"
        " best BLOB) WITHOUT ROWID;"
        "CREATE TABLE gram (gram TEXT, term TEXT, PRIMARY KEY (gram, term)) WITHOUT ROWID;"
        "CREATE TABLE synonym (term TEXT PRIMARY KEY, others TEXT) WITHOUT ROWID;"
        "CREATE TABLE signature (n INTEGER, match TEXT, near TEXT, weak INTEGER);"
        "CREATE TABLE note (key TEXT PRIMARY KEY, value TEXT);"
    )
    postings = inverted.postings
    connection.executemany("INSERT INTO entry VALUES (?,?,?,?,?,?)", inverted.rows)
    connection.executemany("INSERT INTO answer VALUES (?,?)", inverted.answers)
    connection.executemany("INSERT INTO line VALUES (?,?,?,?)", inverted.lines)
    connection.executemany("INSERT INTO signature VALUES (?,?,?,?)", inverted.signatures)
    connection.executemany(
        "INSERT INTO term VALUES (?,?,?,?,?,?)",
        ((term, len(docs), docs.tobytes(), impacts.tobytes(), fields.tobytes(), _best(docs, impacts))
         for term, (docs, impacts, fields) in sorted(postings.items())),
    )
    connection.executemany(
        "INSERT INTO gram VALUES (?,?)",
        sorted((gram, term) for term in postings if may_be_misspelt(term) for gram in grams(term)),
    )
    connection.executemany(
        "INSERT INTO synonym VALUES (?,?)",
        ((term, " ".join(others)) for term, others in synonyms_in(postings).items()),
    )
    kept = {**notes, "layout": str(LAYOUT), "elsewhere": " ".join(sorted(off_topic_terms()))}
    connection.executemany("INSERT INTO note VALUES (?,?)", kept.items())
    connection.execute("CREATE INDEX line_of ON line (n)")
    connection.commit()


def _best(docs: array[int], impacts: array[int]) -> bytes | None:
    if len(docs) <= 4 * BEST_DOCS:
        return None
    order = sorted(range(len(docs)), key=lambda i: (-impacts[i], docs[i]))[:BEST_DOCS]
    return array("I", (docs[i] for i in order)).tobytes()
