"""What a question quotes of a log: the frames of a traceback, and messages that signatures match."""

from __future__ import annotations

import sqlite3

# The last functions in a traceback say where it failed; the others are on every stack.
LAST_FRAMES = 2
# What a message adds to the score of an entry with a signature for it, as a share of that score: less for a
# line that many causes end in. Measured with bench.finding: all from 0.5 to 2 do about the same.
BONUS, WEAK_BONUS = 1.0, 0.2
# Characters around a message that is quoted or written in Markdown.
QUOTES = " \t\r>`*\"'"


def without_frames(question: str) -> str:
    """A question without the paths and source lines of a traceback, which name what did not fail."""
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
    return "\n".join(kept + functions[-LAST_FRAMES:])


def signature_bonuses(connection: sqlite3.Connection, question: str) -> dict[int, float]:
    """Entry number -> bonus, for the entries with a signature that matches a line of the question.

    The entries that share a signature share its bonus.
    """
    # Compiling the patterns takes as long as a search. Few words without punctuation quote no message.
    if ":" not in question and "\n" not in question:
        return {}
    from dpkb import patterns

    owners: dict[tuple[str, str, int], list[int]] = {}
    for number, *signature in connection.execute("SELECT n, match, near, weak FROM signature"):
        owners.setdefault(tuple(signature), []).append(number)
    texts = list(dict.fromkeys(match for match, _, _ in owners))
    lines = [line.strip(QUOTES) for line in question.split("\n")]
    pattern_set = patterns.PatternSet(texts)
    matched = {texts[index] for line in lines for index in pattern_set.matches(line)}
    bonuses: dict[int, float] = {}
    for (match, near, weak), numbers in owners.items():
        # Lines that are near each other in a log may be anywhere in a question, which is short.
        if match in matched and (not near or any(patterns.found_in(near, line) for line in lines)):
            for number in numbers:
                bonus = (WEAK_BONUS if weak else BONUS) / len(numbers)
                bonuses[number] = max(bonuses.get(number, 0.0), bonus)
    return bonuses
