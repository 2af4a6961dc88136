"""Quotations from a log in a question: the frames of a traceback, and messages that signatures match."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dpkb.model import Signpost

# The last functions of a traceback say where the program failed; the others are on every stack.
KEPT_FRAMES = 2
# Between the name of an exception and its message.
EXCEPTION_MARKS = ("Error: ", "Exception: ")
# So many characters of a message are a quotation without a colon, too.
MIN_QUOTED = 16
# How much less an entry explains than the likelier one before it that shares its signature. Measured with bench.finding.
PLACE_SHARE = 0.25
# What an error of Python says, also without the name of the exception.
PYTHON_MESSAGES = (
    "has no attribute",
    "No module named",
    "cannot import name",
    "unexpected keyword argument",
    "positional argument",
    "is not defined",
    "referenced before assignment",
)
BRACKETS = ".,:;!?()[]{}<>"
# Characters around a message that is quoted or written in Markdown.
QUOTE_CHARACTERS = " \t\r>`*\"'"
QUOTES = "'\"`‘’“”"


def remove_frames(question: str) -> str:
    """A question without the files and source lines of a traceback: they name much that did not fail."""
    if 'File "' not in question:
        return question
    kept: list[str] = []
    functions: list[str] = []
    column = -1
    for line in question.split("\n"):
        at, _, function = line.rpartition(", in ")
        if 'File "' in at:
            column = at.index('File "')
            functions.append(function)
        elif column < 0 or line[column : column + 2] != "  ":
            column = -1
            kept.append(line)
    return "\n".join(kept + functions[-KEPT_FRAMES:])


def find_explained(connection: sqlite3.Connection, question: str) -> tuple[dict[int, float], Signpost | None]:
    """What `diagnose` says of a question as a log: the score of each entry, or else what a message belongs to."""
    text, is_log = question.lower(), ":" in question or "\n" in question

    def may_match(row: tuple[Any, ...]) -> bool:
        parts = row[0].split("\n")
        return any(part in text for part in parts) and (is_log or min(map(len, parts)) >= MIN_QUOTED)

    signatures, signposts = (
        list(filter(may_match, connection.execute(f"SELECT * FROM {table}")))
        for table in ("signature", "signpost")
    )
    if not signatures and not signposts:
        return {}, None
    # Loaded only here, as this takes as long as a search.
    from dpkb.model import CitedSource, Signpost
    from dpkb.patterns import matching

    lines = question.split("\n")
    lines += [line.strip(QUOTE_CHARACTERS) for line in lines]
    lines = list(dict.fromkeys([*lines, *(line[max(0, find_exception(line)) :] for line in lines)]))
    match_texts = list(dict.fromkeys(match for _, match, *_ in signatures))
    pattern_set = matching.PatternSet(match_texts)
    matched = {match_texts[index] for line in lines for index in pattern_set.matches(line)}
    scores: dict[int, float] = defaultdict(float)
    for _, match, near, score, docs in signatures:
        # Lines that are near each other in a log may be anywhere in a question, which is short.
        if match in matched and (not near or any(matching.has_match(near, line) for line in lines)):
            owners = [int(doc) for doc in docs.split()]
            for place, doc in enumerate(owners):
                scores[doc] += score / len(owners) / (1 + PLACE_SHARE * place)
    if not scores:
        for _, match, kind, look, title, url in signposts:
            if matching.has_match(match, question):
                return scores, Signpost(match, kind, look, CitedSource(title, url))
    return scores, None


def find_exception(line: str) -> int:
    """Where the name of an exception starts that a line quotes with its message; -1 if it quotes none."""
    ends = [at for mark in EXCEPTION_MARKS if (at := line.find(mark)) >= 0]
    return line.rfind(" ", 0, min(ends)) + 1 if ends else -1


def find_message(question: str) -> str:
    """The last message that a question quotes, without the name of the exception; empty if it quotes none."""
    for line in reversed(question.split("\n")):
        if (start := find_exception(line)) >= 0:
            return line[start:].partition(": ")[2]
        if any(words in line for words in PYTHON_MESSAGES):
            return line
    return ""


def list_quoted_names(text: str) -> list[str]:
    """The names in quotes: 'weight' in "'GCNConv' object has no attribute 'weight'"."""
    words = (word.strip(BRACKETS) for word in text.split())
    return [word for word in words if word and word[0] in QUOTES and word[-1] in QUOTES]
