"""Quotations from a log in a question: the frames of a traceback, and messages that signatures match."""

from __future__ import annotations

import sqlite3

# The last functions of a traceback say where the program failed; the others are on every stack.
KEPT_FRAMES = 2
# A message raises the score of an entry that has a signature for it by this share, and by less if the
# signature is weak. Measured with bench.finding: all values from 0.5 to 2 do about the same.
STRONG_BONUS, WEAK_BONUS = 1.0, 0.2
# Characters around a message that is quoted or written in Markdown.
QUOTE_CHARACTERS = " \t\r>`*\"'"


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


def find_signature_bonuses(connection: sqlite3.Connection, question: str) -> dict[int, float]:
    """Entry -> bonus, for the entries with a signature that matches a line of the question.

    The entries that share a signature share its bonus.
    """
    # Compiling the patterns takes as long as a search, and words without punctuation quote no message.
    if ":" not in question and "\n" not in question:
        return {}
    from dpkb.patterns import matching

    docs_by_signature: dict[tuple[str, str, int], list[int]] = {}
    for doc, *signature in connection.execute("SELECT doc, match, near, weak FROM signature"):
        docs_by_signature.setdefault(tuple(signature), []).append(doc)
    match_texts = list(dict.fromkeys(match for match, _, _ in docs_by_signature))
    lines = [line.strip(QUOTE_CHARACTERS) for line in question.split("\n")]
    pattern_set = matching.PatternSet(match_texts)
    matched = {match_texts[index] for line in lines for index in pattern_set.matches(line)}
    bonuses: dict[int, float] = {}
    for (match, near, weak), docs in docs_by_signature.items():
        # Lines that are near each other in a log may be anywhere in a question, which is short.
        if match in matched and (not near or any(matching.has_match(near, line) for line in lines)):
            bonus = (WEAK_BONUS if weak else STRONG_BONUS) / len(docs)
            for doc in docs:
                bonuses[doc] = max(bonuses.get(doc, 0.0), bonus)
    return bonuses
