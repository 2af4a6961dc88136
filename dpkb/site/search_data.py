"""The catalogue as one script that search.js of the site reads: postings, short lines, signatures.

A script and not JSON, because a page opened from a folder may load only the former; compressed, because not
every server compresses. Every number and word list that search.js needs is in it, so none is written twice.
"""

from __future__ import annotations

import base64
import json
import re
import zlib
from itertools import chain, pairwise
from pathlib import Path
from typing import Any

from dpkb.catalogue.load import Catalogue
from dpkb.diagnosis import frames, log, match
from dpkb.ids import TRIAGE_FAMILY
from dpkb.search import build, index, off_topic, postings, quotations, rank, tokens, weakness

# How many hits `dpkb search` shows by default.
_SHOWN = 5
# Limits for a pasted log, so that no paste makes the page hang.
_MOST_LINES, _LONGEST_LINE, _MILLISECONDS = 200, 2000, 1000
# The characters other than letters that JavaScript lets a pattern escape.
_SYNTAX = frozenset("^$\\.*+?()[]{}|/")


def write(catalogue: Catalogue, path: Path) -> None:
    """Write the search data of a catalogue; the same catalogue gives the same bytes."""
    text = json.dumps(data(catalogue), ensure_ascii=False, separators=(",", ":"))
    path.parent.mkdir(parents=True, exist_ok=True)
    packed = base64.b64encode(zlib.compress(text.encode(), 9)).decode()
    path.write_text(f'window.DPKB_SEARCH = "{packed}";\n', encoding="ascii", newline="\n")


def data(catalogue: Catalogue) -> dict[str, Any]:
    """Everything that the page's search needs."""
    inverted = build.invert(catalogue)
    return {
        "entries": _entries(inverted),
        **_postings(inverted),
        "words": {"stop": sorted(tokens.STOP), "endings": tokens.ENDINGS, "mostTerms": tokens.MAX_TERMS,
                  "longest": tokens.MAX_LENGTH},
        "ranking": {"synonym": postings.SYNONYM, "misspelt": postings.MISSPELT,
                    "triage": rank.TRIAGE, "triageFamily": TRIAGE_FAMILY, "lookedAt": rank.LOOKED_AT,
                    "worthShowing": rank.WORTH_SHOWING, "shown": _SHOWN, "scale": index.SCALE,
                    "explained": weakness.MAX_WORD_WORTH, "foreign": weakness.OFF_TOPIC_PENALTY,
                    "weak": weakness.MIN_EXPLAINED,
                    "elsewhere": sorted(off_topic.off_topic_terms()),
                    "requests": off_topic.REQUESTS, "lastFrames": quotations.LAST_FRAMES,
                    "quotes": quotations.QUOTES,
                    "bonus": {f"{match.STRONG_SCORE:g}": quotations.BONUS,
                              f"{match.WEAK_SCORE:g}": quotations.WEAK_BONUS}},
        "diagnosis": _diagnosis(catalogue),
    }


def _entries(inverted: build.InvertedIndex) -> list[list[Any]]:
    """Id, title, kind, summary, address and short lines by field of each entry."""
    short: list[dict[str, list[str]]] = [{} for _ in inverted.rows]
    for number, field, text, _ in inverted.lines:
        if field != "title":
            short[number].setdefault(field, []).append(" ".join(text.split()))
    return [[entry_id, title, kind, summary, f"entries/{entry_id.lower()}.html",
             [[field, "\n".join(texts)] for field, texts in short[number].items()]]
            for number, entry_id, title, kind, _, summary in inverted.rows]


def _postings(inverted: build.InvertedIndex) -> dict[str, Any]:
    """The terms, for each how far its next entry is from the one before and the impact, and the synonyms."""
    terms = sorted(inverted.postings)
    place = {term: i for i, term in enumerate(terms)}
    rows = []
    for term in terms:
        numbers, impacts = inverted.postings[term][:2]
        distances = (number - before for before, number in pairwise([0, *numbers]))
        rows.append(list(chain.from_iterable(zip(distances, impacts, strict=True))))
    synonyms = [[term, *(place[other] for other in others)]
                for term, others in build.synonyms_in(place).items() if others]
    return {"terms": terms, "postings": rows, "synonyms": synonyms}


def _diagnosis(catalogue: Catalogue) -> dict[str, Any]:
    """The signatures and the scores of their matches, as in `diagnose`."""
    owner_ids = match.owner_ids_by_signature(entry for entry in catalogue if not entry.withdrawn)
    texts = match.pattern_texts(owner_ids)
    place = {text: i for i, text in enumerate(texts)}
    number = {entry_id: i for i, entry_id in enumerate(catalogue.entries)}
    return {
        "patterns": [javascript(text) for text in texts],
        "signatures": [
            [place[s.match], place[s.near] if s.near else -1,
             match.WEAK_SCORE if s.weak else match.STRONG_SCORE, [number[i] for i in ids]]
            for s, ids in owner_ids.items()
        ],
        "near": match.NEAR, "linesEach": match.LINES_PER_SIGNATURE,
        "worthShowing": match.WORTH_SHOWING, "mostLines": _MOST_LINES, "longestLine": _LONGEST_LINE,
        "milliseconds": _MILLISECONDS,
        "prefix": javascript(log.PREFIX.pattern)[0], "prefixes": log.PREFIXES,
        "escapes": javascript(log.ESCAPES.pattern.decode("ascii"))[0],
        "lastLine": javascript(frames.LAST_LINE.pattern)[0], "frame": javascript(frames.FRAME.pattern)[0],
        "otherLast": javascript(frames.OTHER.pattern)[0],
        "raise": frames.RAISE,
        "rules": [[javascript(rule.pattern)[0], rule.inside, [number[i] for i in rule.ids if i in number],
                   [match.FRAME_SCORE - match.FRAME_SCORE_STEP * place
                    for place, i in enumerate(rule.ids) if i in number]]
                  for rule in frames.RULES],
    }


def javascript(pattern: str) -> list[str]:
    """A pattern with the same meaning for JavaScript's `new RegExp`: source and flags."""
    # s: a dot matches any character within a line, as in RE2.
    flags = "us"
    if pattern.startswith("(?i)"):
        pattern, flags = pattern[4:], "ius"
    return [re.sub(r"\\(.)", _escape, pattern), flags]


def _escape(escape: re.Match[str]) -> str:
    """An escape that JavaScript accepts: it refuses those of characters that need none."""
    character = escape[1]
    known = character in _SYNTAX or (character.isascii() and character.isalnum())
    return escape[0] if known else f"\\u{ord(character):04x}"
