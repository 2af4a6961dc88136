"""Whether even the best entry explains too little of a question: "Nothing here fits well".

Each term of the question counts as much as it adds to the entry's score, at most MAX_TERM_SCORE. It counts
more if more of the entry's short lines have it: an entry that mentions a word once is not about it. A word of
a topic that no entry is about, and a request (off_topic.py), count against the entry. The sum must reach
MIN_EXPLAINED times the square root of the number of terms.
"""

from __future__ import annotations

import sqlite3
from math import log, log1p, sqrt

from dpkb.search.index import SCALE, read_row
from dpkb.search.postings import PostingList
from dpkb.search.quotations import PYTHON_MESSAGES, list_quoted_names
from dpkb.search.tokens import is_unspaced, split_into_terms

# In units of log(1 + number of entries), as the scores grow with the catalogue. Calibrated with
# bench.finding: at most one in twenty of the questions that the catalogue answers is called weak.
MAX_TERM_SCORE = 9.0
OFF_TOPIC_PENALTY = 13.5
MIN_EXPLAINED = 4.3
# A line of an entry fits a message if it has this share of the message, each word by its rarity; or if it is long, and
# the message has this share of it. A line counts half without any of the names that the message quotes, and not at
# all if it quotes others.
MIN_MESSAGE_SHARE, MIN_LINE_SHARE, MIN_LONG = 0.5, 0.75, 4
# The marks of a line. A signature in words names others, as it does not match.
IS_LONG, NAMES_OTHERS = 1, 2


def is_weak(
    connection: sqlite3.Connection,
    question_terms: list[str],
    posting_lists: list[PostingList],
    entry_id: str,
    is_request: bool,
) -> bool:
    """Whether an entry explains too little of a question. posting_lists: those of its terms."""
    (doc,) = read_row(connection, "SELECT doc FROM entry WHERE id=?", entry_id)
    (last_doc,) = read_row(connection, "SELECT MAX(doc) FROM entry")
    (words,) = read_row(connection, "SELECT value FROM note WHERE key='off_topic'")
    texts = connection.execute("SELECT terms FROM line WHERE doc=?", (doc,))
    lines = [frozenset(text.split()) for (text,) in texts]
    by_term = {posting_list.question_term: posting_list for posting_list in posting_lists}
    off_topic = frozenset(words.split())
    unit = SCALE * log1p(last_doc + 1)
    explained, count = -MAX_TERM_SCORE * unit if is_request else 0.0, 0
    for question_term in question_terms:
        score, share = 0.0, 0.0
        if posting_list := by_term.get(question_term):
            score = posting_list.score_in(doc)
            share = _compute_counted_share(sum(posting_list.term in line for line in lines))
        if question_term in off_topic and score * share < MAX_TERM_SCORE * unit:
            explained -= OFF_TOPIC_PENALTY * unit
        else:
            explained += min(score, MAX_TERM_SCORE * unit) * share
        # Most pairs of Chinese characters are no words.
        count += posting_list is not None or not is_unspaced(question_term[0])
    return explained < MIN_EXPLAINED * unit * sqrt(count)


def _compute_counted_share(line_count: int) -> float:
    """The share of a term's score that counts if this many short lines of the entry have the term."""
    return (line_count + 0.5) / (line_count + 2)


def fits_message(
    connection: sqlite3.Connection, message: str, posting_lists: list[PostingList], entry_id: str
) -> bool:
    """Whether an entry has a line about this message, and not only a word of it, or a similar message."""
    (last_doc,) = read_row(connection, "SELECT MAX(doc) FROM entry")
    counts = {posting_list.term: len(posting_list.docs) for posting_list in posting_lists}
    # The parts of a compound name share the weight of a word.
    rarity = {
        term: log((last_doc + 2) / (counts.get(term, 0) + 0.5)) / len(terms)
        for terms in map(split_into_terms, message.split())
        for term in terms
        if not is_unspaced(term[0])
    }
    names = {term for name in list_quoted_names(message) for term in split_into_terms(name)}
    needed = MIN_MESSAGE_SHARE * sum(rarity.values())
    said = {term for words in PYTHON_MESSAGES if words in message for term in split_into_terms(words)}
    query = "SELECT marks, terms FROM line WHERE doc=(SELECT doc FROM entry WHERE id=?)"
    for marks, text in connection.execute(query, (entry_id,)):
        words = set(text.split())
        common = words & rarity.keys()
        is_other = bool(names) and not names & words
        if (is_other and marks & NAMES_OTHERS) or said - words:
            continue
        if sum(map(rarity.__getitem__, common)) >= needed * (1 + is_other):
            return True
        if marks & IS_LONG and len(common) >= MIN_LINE_SHARE * len(words):
            return True
    return False
