"""Whether even the best entry explains too little of a question: "Nothing here fits well".

A word of the question counts what it adds to the entry's score, at most MAX_WORD_WORTH. It counts more if
more of the entry's short lines have it: an entry that mentions a word once is not about it. A word of a
topic that no entry is about, and a request (off_topic.py), count against the entry. What must be explained
grows from MIN_EXPLAINED with the square root of the number of words.
"""

from __future__ import annotations

import sqlite3
from math import log1p, sqrt

from dpkb.search.index import SCALE
from dpkb.search.postings import Postings
from dpkb.search.tokens import is_unspaced

# In units of log(1 + number of entries), as the scores grow with the catalogue. Calibrated with
# bench.finding: at most one in twenty of the questions that the catalogue answers is called weak.
MAX_WORD_WORTH = 9.0
OFF_TOPIC_PENALTY = 13.5
MIN_EXPLAINED = 4.3


def is_weak(connection: sqlite3.Connection, asked: list[str], wanted: list[Postings], hit: str,
            request: bool) -> bool:
    """Whether a hit explains too little of a question. wanted: the postings of its terms, `asked`."""
    (number,) = connection.execute("SELECT n FROM entry WHERE id=?", (hit,)).fetchone()
    (last,) = connection.execute("SELECT MAX(n) FROM entry").fetchone()
    (words,) = connection.execute("SELECT value FROM note WHERE key='elsewhere'").fetchone()
    texts = connection.execute("SELECT terms FROM line WHERE n=?", (number,))
    lines = [frozenset(text.split()) for (text,) in texts]
    known = {postings.asked: postings for postings in wanted}
    foreign = frozenset(words.split())
    unit = SCALE * log1p(last + 1)
    explained, count = -MAX_WORD_WORTH * unit if request else 0.0, 0
    for term in asked:
        postings = known.get(term)
        worth = postings.worth_in(number) if postings else 0.0
        share = _share(sum(postings.term in line for line in lines)) if postings else 0.0
        if term in foreign and worth * share < MAX_WORD_WORTH * unit:
            explained -= OFF_TOPIC_PENALTY * unit
        else:
            explained += min(worth, MAX_WORD_WORTH * unit) * share
        # Most pairs of Chinese characters are no words.
        count += postings is not None or not is_unspaced(term[0])
    return explained < MIN_EXPLAINED * unit * sqrt(count)


def _share(lines: int) -> float:
    """How much of a word counts that this many short lines of the entry have."""
    return (lines + 0.5) / (lines + 2)
