"""The search data of the site: everything that assets/search.js needs of the catalogue, in one file.

The file is a script, because a page that is opened from a folder may load scripts but no JSON. It is
compressed, because not every server does it. It contains every number, word list and heading that search.js
shares with dpkb, so that none has to be kept equal by hand.
"""

from __future__ import annotations

import base64
import json
import zlib
from itertools import chain, pairwise
from pathlib import Path
from typing import Any

from dpkb.catalogue.load import Catalogue
from dpkb.diagnosis import frames, log, match
from dpkb.ids import TRIAGE_FAMILY
from dpkb.output.search import WEAK_HEADING
from dpkb.patterns.javascript import translate_pattern
from dpkb.search import DEFAULT_HITS, build, index, off_topic, postings, quotations, rank, tokens, weakness

# Limits for a pasted log, so that no paste makes the page hang.
_MAX_LINES, _MAX_LINE_CHARACTERS, _MAX_MILLISECONDS = 200, 2000, 1000


def write(catalogue: Catalogue, path: Path) -> None:
    """Write the search data of a catalogue to a file; the same catalogue gives the same bytes."""
    text = json.dumps(collect(catalogue), ensure_ascii=False, separators=(",", ":"))
    path.parent.mkdir(parents=True, exist_ok=True)
    packed = base64.b64encode(zlib.compress(text.encode(), 9)).decode()
    path.write_text(f'window.DPKB_SEARCH = "{packed}";\n', encoding="ascii", newline="\n")


def collect(catalogue: Catalogue) -> dict[str, Any]:
    """The content of the file, before it is compressed."""
    inverted = build.invert(catalogue)
    return {
        "entries": _collect_entries(inverted),
        **_collect_postings(inverted),
        "words": {
            "stopWords": sorted(tokens.STOP_WORDS),
            "endings": tokens.ENDINGS,
            "maxTerms": tokens.MAX_TERMS,
            "maxCharacters": tokens.MAX_CHARACTERS,
        },
        "ranking": {
            "scale": index.SCALE,
            "synonymWeight": postings.SYNONYM_WEIGHT,
            "misspeltWeight": postings.MISSPELT_WEIGHT,
            "comparedSpellings": postings.COMPARED_SPELLINGS,
            "minCompared": rank.MIN_COMPARED,
            "minScoreShare": rank.MIN_SCORE_SHARE,
            "triageFactor": rank.TRIAGE_FACTOR,
            "triageFamily": TRIAGE_FAMILY,
            "defaultHits": DEFAULT_HITS,
            "maxTermScore": weakness.MAX_TERM_SCORE,
            "minExplained": weakness.MIN_EXPLAINED,
            "offTopicPenalty": weakness.OFF_TOPIC_PENALTY,
            "offTopicTerms": sorted(off_topic.list_off_topic_terms()),
            "requestStarts": off_topic.REQUEST_STARTS,
            "keptFrames": quotations.KEPT_FRAMES,
            "quoteCharacters": quotations.QUOTE_CHARACTERS,
            "bonusByScore": {
                f"{match.STRONG_SCORE:g}": quotations.STRONG_BONUS,
                f"{match.WEAK_SCORE:g}": quotations.WEAK_BONUS,
            },
        },
        "diagnosis": _collect_diagnosis(catalogue),
        "weakHeading": WEAK_HEADING,
    }


def _collect_entries(inverted: build.InvertedIndex) -> list[list[Any]]:
    """Id, title, kind, summary, address and short lines by field of each entry."""
    short: list[dict[str, list[str]]] = [{} for _ in inverted.entries]
    for doc, field, text, _ in inverted.lines:
        if field != "title":
            short[doc].setdefault(field, []).append(" ".join(text.split()))
    return [
        [
            entry_id,
            title,
            kind + (", withdrawn" if is_withdrawn else ""),
            summary,
            f"entries/{entry_id.lower()}.html",
            [[field, "\n".join(texts)] for field, texts in short[doc].items()],
        ]
        for doc, entry_id, title, kind, _, summary, is_withdrawn in inverted.entries
    ]


def _collect_postings(inverted: build.InvertedIndex) -> dict[str, Any]:
    """The terms, their postings, and their synonyms.

    The postings of a term are, in turn, the distance of an entry from the entry before, and its impact.
    """
    terms = sorted(inverted.postings)
    index_of = {term: i for i, term in enumerate(terms)}
    rows = []
    for term in terms:
        docs, impacts, _ = inverted.postings[term]
        distances = (doc - before for before, doc in pairwise([0, *docs]))
        rows.append(list(chain.from_iterable(zip(distances, impacts, strict=True))))
    synonyms = [
        [term, *(index_of[other] for other in others)]
        for term, others in build.find_synonyms_in(index_of).items()
        if others
    ]
    return {"terms": terms, "postings": rows, "synonyms": synonyms}


def _collect_diagnosis(catalogue: Catalogue) -> dict[str, Any]:
    """The signatures, the scores of their matches, and the limits, as in `diagnose`."""
    entries = [entry for entry in catalogue if not entry.withdrawn]
    owner_ids = match.group_owner_ids(entries)
    texts = match.list_patterns(owner_ids)
    index_of = {text: i for i, text in enumerate(texts)}
    doc_of = {entry_id: doc for doc, entry_id in enumerate(catalogue.entries)}
    return {
        "patterns": [translate_pattern(text) for text in texts],
        "signatures": [
            [
                index_of[s.match],
                index_of[s.near] if s.near else -1,
                match.WEAK_SCORE if s.weak else match.STRONG_SCORE,
                [doc_of[i] for i in ids],
            ]
            for s, ids in owner_ids.items()
        ],
        "nearLines": match.NEAR_LINES,
        "linesPerSignature": match.LINES_PER_SIGNATURE,
        "shownCharacters": match.SHOWN_CHARACTERS,
        "minScoreShare": match.MIN_SCORE_SHARE,
        "maxLines": _MAX_LINES,
        "maxLineCharacters": _MAX_LINE_CHARACTERS,
        "maxMilliseconds": _MAX_MILLISECONDS,
        "prefix": translate_pattern(log.PREFIX.pattern)[0],
        "maxPrefixes": log.MAX_PREFIXES,
        "escapes": translate_pattern(log.ESCAPES.pattern.decode("ascii"))[0],
        "frame": translate_pattern(frames.FRAME.pattern)[0],
        "lastLine": translate_pattern(frames.LAST_LINE.pattern)[0],
        "lastLineAfterFrame": translate_pattern(frames.LAST_LINE_AFTER_FRAME.pattern)[0],
        "raise": frames.RAISE,
        "frameRules": [_convert_frame_rule(rule, doc_of) for rule in frames.build_rules(entries)],
    }


def _convert_frame_rule(rule: frames.FrameRule, doc_of: dict[str, int]) -> list[Any]:
    """Pattern, max_inner, the entries and their scores."""
    scores = {
        doc_of[entry_id]: match.FRAME_SCORE - match.FRAME_SCORE_STEP * rank
        for rank, entry_id in enumerate(rule.ids)
    }
    return [translate_pattern(rule.pattern)[0], rule.max_inner, list(scores), list(scores.values())]
