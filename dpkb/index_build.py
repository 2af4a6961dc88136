"""The search index, built: entries -> a file of postings, with each term's weight in each entry.

A weight is the term's part of a BM25 score over weighted fields, and of a naive Bayes score over lines,
so that index.py only adds them up.
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
from dpkb.index import FIELD_NAMES, FIELDS, LAYOUT, SCALE, grams, may_be_misspelt, open_index
from dpkb.synonyms import synonyms
from dpkb.terms import terms

if TYPE_CHECKING:
    from dpkb.entry import Entry

# Lines short enough to be shown as the reason of a hit.
SHORT = ("title", "asked as", "keyword", "message")
# Measured with bench.finding: a word that stands in many lines of
# an entry says more than one that stands in a single line, up to about this weight.
_K1, _B = 30.0, 0.8
# Measured likewise: what counts beside that is which share of all that an entry says a word is, against
# its share in the others (naive Bayes): a question is short, and so are the lines that are worth most here.
_BAYES = 8.0
_LINE = {"asked as": 1.0, "title": 1.0, "summary": 1.0, "message": 0.5, "keyword": 0.3}
# A word of the longer texts, as one of a sentence of 15.
_WORD = 0.02
# A term that more than four times as many entries have proposes only its best ones.
_BEST = 512


def build(entries: Iterable[Entry], notes: dict[str, str], path: Path | None) -> sqlite3.Connection:
    """Write the index to `path` in one step (None: keep it in memory) and open it.

    notes: what to keep beside the entries; `unreadable` counts the entries that are not in it.
    """
    inverted = invert(entries)
    if path is None:
        connection = sqlite3.connect(":memory:")
        _write(connection, inverted, notes)
        return connection
    with files.replaced(path) as temporary, contextlib.closing(sqlite3.connect(temporary)) as connection:
        _write(connection, inverted, notes)
    return open_index(path)[0]


@dataclass(frozen=True)
class Inverted:
    """The entries turned inside out: of each term the entries that have it, and what it adds to each.

    rows: number, id, title, kind, family, summary; lines: number, field, text, its terms;
    postings: term -> numbers of entries, impacts, and the fields as bits in the order of FIELDS.
    """

    rows: list[tuple]
    lines: list[tuple[int, str, str, str]]
    postings: dict[str, tuple[array, array, array]]


def invert(entries: Iterable[Entry]) -> Inverted:
    """All that a search needs of these entries, before it is written to a file of any kind."""
    inverted = Inverted([], [], {})
    lengths: list[int] = []
    shares: dict[str, array] = {}
    for number, entry in enumerate(entries):
        lines = [(field, text, terms(text)) for field, text in entry_lines(entry)]
        inverted.rows.append(
            (number, entry.id, entry.title, entry.kind.value, entry.family, entry.summary)
        )
        inverted.lines.extend(
            (number, field, text, " ".join(words)) for field, text, words in lines if field in SHORT
        )
        weights, masks = _weigh(lines)
        for term, share in _shares(lines).items():
            shares.setdefault(term, array("d")).append(share)
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
    named = {"Symptom": "symptom", "Root cause": "cause", "Fix": "fix",
             "How to check your own code": "check"}
    lines += [(named.get(s.heading, "more"), s.text) for s in entry.sections]
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
    """Which part of all that an entry says each of its terms is; a line is worth the same, long or short."""
    shares: dict[str, float] = {}
    for field, _, words in lines:
        distinct = dict.fromkeys(words) if field in _LINE else words
        worth = _LINE[field] / len(distinct) if field in _LINE and distinct else _WORD
        for term in distinct:
            shares[term] = shares.get(term, 0.0) + worth
    whole = sum(shares.values()) or 1.0
    return {term: share / whole for term, share in shares.items()}


def _to_impacts(counts: dict[str, tuple[array, array, array]], lengths: list[int],
                shares: dict[str, array]) -> None:
    """Turn weighted counts into what a term adds to an entry's score, in place."""
    total = len(lengths)
    mean = sum(lengths) / total if total else 1.0
    norms = [_K1 * (1 - _B + _B * length / mean) for length in lengths]
    for term, (docs, impacts, _) in counts.items():
        weights = [impact / SCALE for impact in impacts]
        parts = [weight / (weight + norms[doc]) for weight, doc in zip(weights, docs, strict=True)]
        spread = _spread(parts)
        rarity = log(1 + (total - spread + 0.5) / (spread + 0.5))
        usual = sum(shares[term]) / total
        for i, (part, share) in enumerate(zip(parts, shares[term], strict=True)):
            impacts[i] = round(SCALE * (rarity * part * (_K1 + 1) + _BAYES * log1p(share / usual)))


def _spread(parts: list[float]) -> float:
    """Over how many entries a term is spread: all that have it, if it means as much to each of them.

    "loss" stands somewhere in nearly every entry, and still tells the few that speak of it all the time.
    """
    whole = sum(parts)
    return exp(-sum(part / whole * log(part / whole) for part in parts if part))


def synonyms_in(postings: Container[str]) -> dict[str, list[str]]:
    """Of each term the other words for it that some entry has."""
    return {term: [o for o in others if o in postings] for term, others in synonyms().items()}


def _write(connection: sqlite3.Connection, inverted: Inverted, notes: dict[str, str]) -> None:
    connection.executescript(
        "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;"
        "CREATE TABLE entry (n INTEGER PRIMARY KEY, id TEXT, title TEXT, kind TEXT, family TEXT,"
        " summary TEXT);"
        "CREATE TABLE line (n INTEGER, field TEXT, text TEXT, terms TEXT);"
        "CREATE TABLE term (term TEXT PRIMARY KEY, n INTEGER, docs BLOB, impacts BLOB, fields BLOB,"
        " best BLOB) WITHOUT ROWID;"
        "CREATE TABLE gram (gram TEXT, term TEXT, PRIMARY KEY (gram, term)) WITHOUT ROWID;"
        "CREATE TABLE synonym (term TEXT PRIMARY KEY, others TEXT) WITHOUT ROWID;"
        "CREATE TABLE note (key TEXT PRIMARY KEY, value TEXT);"
    )
    postings = inverted.postings
    connection.executemany("INSERT INTO entry VALUES (?,?,?,?,?,?)", inverted.rows)
    connection.executemany("INSERT INTO line VALUES (?,?,?,?)", inverted.lines)
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
    kept = {**notes, "layout": str(LAYOUT)}
    connection.executemany("INSERT INTO note VALUES (?,?)", kept.items())
    connection.execute("CREATE INDEX line_of ON line (n)")
    connection.commit()


def _best(docs: array, impacts: array) -> bytes | None:
    if len(docs) <= 4 * _BEST:
        return None
    order = sorted(range(len(docs)), key=lambda i: (-impacts[i], docs[i]))[:_BEST]
    return array("I", (docs[i] for i in order)).tobytes()
