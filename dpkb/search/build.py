"""Entries -> the search index: a file that has, for each term, the entries with it and its impact on each.

An impact is the number that a term adds to the score of an entry (BM25 and naive Bayes). All impacts are
computed here, so that a search only adds them.
"""

from __future__ import annotations

import contextlib
import sqlite3
from array import array
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import exp, log, log1p
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from dpkb import files
from dpkb.catalogue.owners import group_owner_ids, score_of
from dpkb.patterns.wording import find_fixed_texts
from dpkb.search.index import FIELD_NAMES, FIELD_WEIGHTS, LAYOUT, SCALE, open_index
from dpkb.search.off_topic import list_off_topic_terms
from dpkb.search.postings import find_trigrams, may_be_misspelt
from dpkb.search.synonyms import list_synonyms
from dpkb.search.tokens import is_unspaced, split_into_terms

if TYPE_CHECKING:
    from dpkb.model import Entry, Signpost

# A field of an entry, a text in it, and the terms of the text.
_Line = tuple[str, str, list[str]]

# Counts for Chinese terms only, so that an English question finds what it would find without it.
_CHINESE = "in Chinese"
# Fields whose lines are short enough to be shown as the reason for a hit.
SHORT_FIELDS = ("title", "asked as", "keyword", "message", _CHINESE)
_FIELD_OF_HEADING = {
    "In short": "cause",
    "Symptom": "symptom",
    "Fix": "fix",
    "How to check your own code": "check",
    "Why it happens": "cause",
}
# The two constants of BM25, measured with bench.finding. k1 is far above the usual 1.2: a word in many lines
# of an entry says more than a word in a single line, up to about this weight.
_BM25_K1, _BM25_B = 30.0, 0.8
# Added to BM25: a term's share of all words of an entry, against its usual share (naive Bayes). Questions
# are short, and so are the lines that weigh most here. Measured with bench.finding on 204 reports for which
# it was not tuned: the right entry comes first for 151 of them (145 without it), and among the first three
# for 180 (179 without it).
_BAYES_WEIGHT = 8.0
# The weight that the words of one line share. A word of a longer text has a separate weight, which is that
# of a word in a line of 15 keywords.
_LINE_WEIGHTS = {
    "asked as": 1.0,
    "title": 1.0,
    "summary": 1.0,
    _CHINESE: 1.0,
    "message": 0.5,
    "keyword": 0.3,
}
_TEXT_WORD_WEIGHT = 0.02


def build(
    entries: Iterable[Entry], notes: dict[str, str], path: Path | None, signposts: Sequence[Signpost] = ()
) -> sqlite3.Connection:
    """Write the index to `path` in one step (None: keep it in memory) and open it.

    notes: texts to keep beside the entries; `unreadable` is the number of entries that are not in it.
    """
    inverted = invert(entries)
    if path is None:
        connection = sqlite3.connect(":memory:")
        _write(connection, inverted, notes, signposts)
        return connection
    with files.replace_file(path) as temporary, contextlib.closing(sqlite3.connect(temporary)) as connection:
        _write(connection, inverted, notes, signposts)
    return open_index(path)[0]


class TermPostings(NamedTuple):
    """The entries with a term, its impact on each, and the fields that have it (bits, as in FIELD_NAMES)."""

    docs: array[int]
    impacts: array[int]
    fields: array[int]


@dataclass(frozen=True)
class InvertedIndex:
    """The index before it is written to a file.

    entries: doc, id, title, kind, family, summary, whether it is withdrawn;
    lines: doc, field, text, its terms; answers: id, the section In short;
    cases: doc, what is seen, its terms, the cause and what to do;
    signatures: what is in each line that it matches, match, near, score, the docs of its owners; postings: by term.
    """

    entries: list[tuple[int, str, str, str, str, str, bool]]
    lines: list[tuple[int, str, str, str]]
    answers: list[tuple[str, str]]
    cases: list[tuple[int, str, str, str]]
    signatures: list[tuple[str, str, str, float, str]]
    postings: dict[str, TermPostings]


def invert(entries: Iterable[Entry]) -> InvertedIndex:
    """Compute everything that a search needs to know about these entries."""
    inverted = InvertedIndex([], [], [], [], [], {})
    lengths: list[int] = []
    shares: dict[str, list[float]] = {}
    entries = list(entries)
    for doc, entry in enumerate(entries):
        lines = [(field, text, _split_line(field, text)) for field, text in list_entry_lines(entry)]
        _add_texts(inverted, doc, entry, lines)
        _add_weights(inverted.postings, doc, lines)
        for seen, cause, advice in list_cases(entry):
            inverted.cases.append(
                (
                    doc,
                    seen,
                    " ".join(split_into_terms(seen)),
                    f"{cause[:1].upper()}{cause[1:]}. What to do: {advice}",
                )
            )
        for term, share in _compute_term_shares(lines).items():
            shares.setdefault(term, []).append(share)
        lengths.append(sum(len(words) for field, _, words in lines if field != _CHINESE))
    _turn_weights_into_impacts(inverted.postings, lengths, shares)
    doc_of = {entry.id: str(doc) for doc, entry in enumerate(entries)}
    for signature, ids in group_owner_ids(entry for entry in entries if not entry.withdrawn).items():
        fixed, owners = "\n".join(find_fixed_texts(signature.match)), " ".join(doc_of[i] for i in ids)
        inverted.signatures.append((fixed, signature.match, signature.near, score_of(signature), owners))
    return inverted


def list_entry_lines(entry: Entry) -> list[tuple[str, str]]:
    """The searchable text of an entry, line by line, with the field that each belongs to."""
    lines = [("id", entry.id), ("title", entry.title), ("summary", entry.summary)]
    lines += [("asked as", text) for text in entry.asked_as]
    lines += [("keyword", text) for text in entry.keywords]
    lines += [("message", p.words) for p in entry.signatures]
    lines += [(_FIELD_OF_HEADING.get(s.heading, "more"), s.text) for s in entry.sections]
    lines += [(_CHINESE, text) for text in (entry.title_zh, entry.summary_zh) if text]
    return lines


def list_cases(entry: Entry) -> Iterator[tuple[str, str, str]]:
    """The rows of the tables that tell the cases of an entry apart: what is seen, the cause, and what to do."""
    for section in entry.sections:
        is_table_of_cases = False
        for line in section.text.replace("†", "").split("\n"):
            cells = [cell.strip() for cell in line.strip("|").split(" | ")]
            if not line.startswith("|"):
                is_table_of_cases = False
            elif cells[-1] == "What to do":
                is_table_of_cases = True
            elif is_table_of_cases and len(cells) > 2:
                yield cells[0], cells[-2], cells[-1]


def _split_line(field: str, text: str) -> list[str]:
    """The terms of a line; of the Chinese title and summary only the Chinese ones."""
    terms = split_into_terms(text)
    return [term for term in terms if is_unspaced(term[0])] if field == _CHINESE else terms


def _add_texts(inverted: InvertedIndex, doc: int, entry: Entry, lines: list[_Line]) -> None:
    """Add the texts of an entry that a search shows or compares."""
    inverted.entries.append(
        (doc, entry.id, entry.title, entry.kind.value, entry.family, entry.summary, bool(entry.withdrawn))
    )
    inverted.answers.append((entry.id, entry.find_section("In short")))
    inverted.lines.extend(
        (doc, field, text, " ".join(words)) for field, text, words in lines if field in SHORT_FIELDS
    )


def _add_weights(postings: dict[str, TermPostings], doc: int, lines: list[_Line]) -> None:
    """Add an entry to the postings of its terms, for now with the sum of the weights of their fields."""
    weights: dict[str, float] = {}
    masks: dict[str, int] = {}
    for field, _, words in lines:
        bit = 1 << FIELD_NAMES.index(field)
        for term in words:
            weights[term] = weights.get(term, 0.0) + FIELD_WEIGHTS[field]
            masks[term] = masks.get(term, 0) | bit
    for term, weight in weights.items():
        if term not in postings:
            postings[term] = TermPostings(array("I"), array("I"), array("H"))
        docs, impacts, fields = postings[term]
        docs.append(doc)
        impacts.append(round(weight * SCALE))
        fields.append(masks[term])


def _compute_term_shares(lines: list[_Line]) -> dict[str, float]:
    """Each term's share of all words of an entry. A line counts the same, long or short."""
    weights: dict[str, float] = {}
    total = 0.0
    for field, _, words in lines:
        if field in _LINE_WEIGHTS:
            words = list(dict.fromkeys(words))
            weight = _LINE_WEIGHTS[field] / (len(words) or 1)
        else:
            weight = _TEXT_WORD_WEIGHT
        for term in words:
            weights[term] = weights.get(term, 0.0) + weight
        if field != _CHINESE:
            total += weight * len(words)
    return {term: weight / total for term, weight in weights.items()}


def _turn_weights_into_impacts(
    postings: dict[str, TermPostings], lengths: list[int], shares: dict[str, list[float]]
) -> None:
    """Replace each weight in the postings by its impact.

    lengths: the number of terms of each entry; shares: by term, in the order of docs.
    """
    total = len(lengths)
    mean = sum(lengths) / total if total else 1.0
    norms = [_BM25_K1 * (1 - _BM25_B + _BM25_B * length / mean) for length in lengths]
    for term, (docs, impacts, _) in postings.items():
        usual = sum(shares[term]) / total
        weights = [impact / SCALE for impact in impacts]
        saturated = [weight / (weight + norms[doc]) for weight, doc in zip(weights, docs, strict=True)]
        spread = _compute_spread(saturated)
        rarity = log(1 + (total - spread + 0.5) / (spread + 0.5))
        for i, (weight, share) in enumerate(zip(saturated, shares[term], strict=True)):
            bm25 = rarity * weight * (_BM25_K1 + 1)
            impacts[i] = round(SCALE * (bm25 + _BAYES_WEIGHT * log1p(share / usual)))


def _compute_spread(weights: list[float]) -> float:
    """How many entries a term is spread over: all that have it, if it has the same weight in each.

    "loss" is somewhere in nearly every entry, and still marks the few that are about it.
    """
    total = sum(weights)
    return exp(-sum(weight / total * log(weight / total) for weight in weights if weight))


def find_synonyms_in(indexed: Container[str]) -> dict[str, list[str]]:
    """The synonyms of each term, without those that no entry has."""
    return {term: [other for other in others if other in indexed] for term, others in list_synonyms().items()}


def _write(
    connection: sqlite3.Connection,
    inverted: InvertedIndex,
    notes: dict[str, str],
    signposts: Sequence[Signpost],
) -> None:
    connection.executescript(
        "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; BEGIN;"  # one transaction: see open_index()
        "CREATE TABLE entry (doc INTEGER PRIMARY KEY, id TEXT, title TEXT, kind TEXT, family TEXT,"
        " summary TEXT, withdrawn INTEGER);"
        "CREATE TABLE answer (id TEXT PRIMARY KEY, text TEXT) WITHOUT ROWID;"
        "CREATE TABLE cases (doc INTEGER, seen TEXT, terms TEXT, advice TEXT);"
        "CREATE TABLE line (doc INTEGER, field TEXT, text TEXT, terms TEXT);"
        "CREATE TABLE term (term TEXT PRIMARY KEY, doc_count INTEGER, docs BLOB, impacts BLOB, fields BLOB)"
        " WITHOUT ROWID;"
        "CREATE TABLE trigram (trigram TEXT, term TEXT, PRIMARY KEY (trigram, term)) WITHOUT ROWID;"
        "CREATE TABLE synonym (term TEXT PRIMARY KEY, others TEXT) WITHOUT ROWID;"
        "CREATE TABLE signature (fixed TEXT, match TEXT, near TEXT, score REAL, docs TEXT);"
        "CREATE TABLE signpost (fixed TEXT, match TEXT, kind TEXT, look TEXT, title TEXT, url TEXT);"
        "CREATE TABLE note (key TEXT PRIMARY KEY, value TEXT);"
    )
    postings = inverted.postings
    connection.executemany("INSERT INTO entry VALUES (?,?,?,?,?,?,?)", inverted.entries)
    connection.executemany("INSERT INTO answer VALUES (?,?)", inverted.answers)
    connection.executemany("INSERT INTO cases VALUES (?,?,?,?)", inverted.cases)
    connection.executemany("INSERT INTO line VALUES (?,?,?,?)", inverted.lines)
    connection.executemany("INSERT INTO signature VALUES (?,?,?,?,?)", inverted.signatures)
    posts = (
        ("\n".join(find_fixed_texts(p.match)), p.match, p.kind, p.look, p.source.title, p.source.url)
        for p in signposts
    )
    connection.executemany("INSERT INTO signpost VALUES (?,?,?,?,?,?)", posts)
    connection.executemany(
        "INSERT INTO term VALUES (?,?,?,?,?)",
        (
            (
                term,
                len(docs),
                docs.tobytes(),
                impacts.tobytes(),
                fields.tobytes(),
            )
            for term, (docs, impacts, fields) in sorted(postings.items())
        ),
    )
    connection.executemany(
        "INSERT INTO trigram VALUES (?,?)",
        sorted(
            (trigram, term) for term in postings if may_be_misspelt(term) for trigram in find_trigrams(term)
        ),
    )
    connection.executemany(
        "INSERT INTO synonym VALUES (?,?)",
        ((term, " ".join(others)) for term, others in find_synonyms_in(postings).items()),
    )
    all_notes = {**notes, "layout": str(LAYOUT), "off_topic": " ".join(sorted(list_off_topic_terms()))}
    connection.executemany("INSERT INTO note VALUES (?,?)", all_notes.items())
    connection.execute("CREATE INDEX line_of ON line (doc)")
    connection.execute("CREATE INDEX case_of ON cases (doc)")
    connection.commit()
