"""Whether even the best entry explains too little of a question: "Nothing here fits well".

Each term of the question counts as much as it adds to the entry's score, at most MAX_TERM_SCORE. It counts
more if more of the entry's short lines have it: an entry that mentions a word once is not about it. A word of
a topic that no entry is about (off_topic.py) counts against the entry. The sum for the square root of the
number of terms, times the root of how well the best line fits, must reach MIN_EXPLAINED: an entry that has
many words of the question, and no line that says what the question says, is about another failure.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from math import fsum, log, log1p, sqrt

from dpkb.search.index import SCALE, read_row
from dpkb.search.postings import PostingList
from dpkb.search.quotations import list_quoted_names
from dpkb.search.tokens import MAX_CHARACTERS, is_unspaced, split_into_terms

# In units of log(1 + number of entries), as the scores grow with the catalogue. Calibrated with 436 questions of
# others: of those whose entry comes first, one in twenty-five is called weak, and of the rest three in five.
MAX_TERM_SCORE = 9.0
MIN_EXPLAINED = 2.0
# A word of a line that the question does not have counts as this much rarity.
EXTRA_WORD = 3.0
# How well a line of an entry has to fit a message; twice as well if it has none of the names that the message quotes.
MIN_MESSAGE_FIT = 0.2

# How rare each term of a text is in the catalogue.
Rarities = dict[str, float]


def weigh_terms(text: str, posting_lists: Iterable[PostingList], entry_count: int) -> Rarities:
    """How rare each term of a text is, in its spelling of the index. The parts of a word share its weight."""
    indexed = {posting_list.question_term: posting_list for posting_list in posting_lists}
    rarities: Rarities = {}
    for terms in map(split_into_terms, text[:MAX_CHARACTERS].split()):
        for term in terms:
            count, spelling = 0, term
            if posting_list := indexed.get(term):
                count, spelling = len(posting_list.docs), posting_list.term
            weight = log((entry_count + 1) / (count + 0.5)) / len(terms)
            rarities[spelling] = max(weight, rarities.get(spelling, 0.0))
    return rarities


def compute_fit(words: frozenset[str], rarities: Rarities) -> float:
    """How much a line and a question have in common, from 0 to 1. words: the distinct terms of the line.

    The most telling word of a line counts half: alone it names a topic, and does not say what failed.
    """
    common = [rarities[word] for word in words if word in rarities]
    shared = fsum(common) - max(common, default=0.0) / 2
    return shared / (fsum(rarities.values()) + EXTRA_WORD * (len(words) - len(common)))


def is_weak(
    connection: sqlite3.Connection,
    question_terms: list[str],
    posting_lists: list[PostingList],
    entry_id: str,
    rarities: Rarities,
) -> bool:
    """Whether an entry explains too little of a question. posting_lists, rarities: those of its terms."""
    (doc,) = read_row(connection, "SELECT doc FROM entry WHERE id=?", entry_id)
    (entry_count,) = read_row(connection, "SELECT COUNT(*) FROM entry")
    (words,) = read_row(connection, "SELECT value FROM note WHERE key='off_topic'")
    texts = connection.execute("SELECT terms FROM line WHERE doc=?", (doc,))
    lines = [frozenset(text.split()) for (text,) in texts]
    best_line = max(lines, key=lambda line: compute_fit(line, rarities), default=frozenset())
    by_term = {posting_list.question_term: posting_list for posting_list in posting_lists}
    off_topic = frozenset(words.split()) - best_line
    unit = SCALE * log1p(entry_count)
    explained, count = 0.0, 0
    for question_term in question_terms:
        score, share = 0.0, 0.0
        if posting_list := by_term.get(question_term):
            score = posting_list.score_in(doc)
            line_count = sum(posting_list.term in line for line in lines)
            share = (line_count + 0.5) / (line_count + 2)
        if question_term in off_topic and score * share < MAX_TERM_SCORE * unit:
            explained -= MAX_TERM_SCORE * unit
        else:
            explained += min(score, MAX_TERM_SCORE * unit) * share
        # Most pairs of Chinese characters are no words.
        count += posting_list is not None or not is_unspaced(question_term[0])
    return explained * sqrt(compute_fit(best_line, rarities)) < MIN_EXPLAINED * unit * sqrt(count)


def fits_message(
    connection: sqlite3.Connection, message: str, posting_lists: list[PostingList], entry_id: str
) -> bool:
    """Whether an entry has a line about this message, and not only a word of it, or a similar message."""
    (entry_count,) = read_row(connection, "SELECT COUNT(*) FROM entry")
    rarities = weigh_terms(message, posting_lists, entry_count)
    # In lower case: the parts of a compound name are other names.
    names = {term for name in list_quoted_names(message) for term in split_into_terms(name.lower())}
    query = "SELECT terms FROM line WHERE doc=(SELECT doc FROM entry WHERE id=?)"
    for (text,) in connection.execute(query, (entry_id,)):
        words = frozenset(text.split())
        is_other = bool(names) and not names & words
        if compute_fit(words, rarities) >= MIN_MESSAGE_FIT * (1 + is_other):
            return True
    return False
