"""The search data of the site: everything that assets/search.js needs of the catalogue, in one file.

The file is a script, because a page that is opened from a folder may load scripts but no JSON. It is
compressed, because not every server does it, and the bytes are text of seven bits a character, which is a
tenth shorter than base64. Lists of numbers are packed into texts, which compress better. It contains every number, word list and heading that search.js
shares with dpkb, so that none has to be kept equal by hand.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Collection, Iterable
from itertools import pairwise
from pathlib import Path
from typing import Any

from dpkb.catalogue import owners
from dpkb.catalogue.load import Catalogue
from dpkb.diagnosis import frames, log, match
from dpkb.ids import TRIAGE_FAMILY
from dpkb.model import LinePattern
from dpkb.output.search import LAST_LINE, UNCLEAR_CASES, UNCLEAR_HEADING, WEAK_HEADING
from dpkb.patterns.javascript import IGNORE_CASE
from dpkb.patterns.wording import find_fixed_texts
from dpkb.search import DEFAULT_HITS, build, index, off_topic, postings, quotations, rank, tokens, weakness

# Besides letters and digits, JavaScript accepts an escape of these characters only.
_ESCAPABLE = frozenset("^$\\.*+?()[]{}|/")
# Limits for a pasted log, so that no paste makes the page hang.
_MAX_LINES, _MAX_LINE_CHARACTERS, _MAX_MILLISECONDS = 200, 2000, 1000
# A packed number has two digits to this base. The digit 0 is the first character that JSON never escapes.
_BASE, _ZERO = 91, ord("#")
# What a character of seven bits may not be in a string of JavaScript.
_STRING_ESCAPES = str.maketrans({"\n": "\\n", "\r": "\\r", '"': '\\"', "\\": "\\\\"})


def write(catalogue: Catalogue, path: Path) -> None:
    """Write the search data of a catalogue to a file; the same catalogue gives the same bytes."""
    text = json.dumps(collect(catalogue), ensure_ascii=False, separators=(",", ":"))
    path.parent.mkdir(parents=True, exist_ok=True)
    packed = encode(zlib.compress(text.encode(), 9)).translate(_STRING_ESCAPES)
    path.write_text(f'window.DPKB_SEARCH = "{packed}";\n', encoding="utf-8", newline="\n")


def encode(data: bytes) -> str:
    """Bytes as text: seven bits in each character, from U+0001 on."""
    characters, bits, count = [], 0, 0
    for byte in data:
        bits, count = bits << 8 | byte, count + 8
        while count >= 7:
            count -= 7
            characters.append(chr(1 + (bits >> count & 127)))
        bits &= 127
    return "".join([*characters, chr(1 + (bits << 7 - count & 127))])


def pack(numbers: Iterable[int]) -> str:
    """Numbers as text, two characters each."""
    return "".join(chr(_ZERO + digit) for number in numbers for digit in divmod(number, _BASE))


def collect(catalogue: Catalogue) -> dict[str, Any]:
    """The content of the file, before it is compressed."""
    inverted = build.invert(catalogue)
    return {
        "packing": {"base": _BASE, "zero": _ZERO},
        "entries": _collect_entries(catalogue),
        **_collect_postings(inverted),
        "words": {
            "stopWords": sorted(tokens.STOP_WORDS),
            "particles": "".join(sorted(tokens.PARTICLES)),
            "endings": tokens.ENDINGS,
            "maxTerms": tokens.MAX_TERMS,
            "minPart": tokens.MIN_PART,
            "maxCharacters": tokens.MAX_CHARACTERS,
        },
        "ranking": {
            "scale": index.SCALE,
            "synonymWeight": postings.SYNONYM_WEIGHT,
            "misspeltWeight": postings.MISSPELT_WEIGHT,
            "comparedSpellings": postings.COMPARED_SPELLINGS,
            "minCompared": rank.MIN_COMPARED,
            "minScoreShare": rank.MIN_SCORE_SHARE,
            "weakHits": rank.WEAK_HITS,
            "triageFamily": TRIAGE_FAMILY,
            "defaultHits": DEFAULT_HITS,
            "maxTermScore": weakness.MAX_TERM_SCORE,
            "minExplained": weakness.MIN_EXPLAINED,
            "extraWord": weakness.EXTRA_WORD,
            "offTopicTerms": sorted(off_topic.list_off_topic_terms()),
            "requestStarts": off_topic.REQUEST_STARTS,
            "generalTerms": list(map(sorted, off_topic.list_general_terms())),
            "generalChinese": off_topic.GENERAL_CHINESE.split(),
            "keptFrames": quotations.KEPT_FRAMES,
            "quoteCharacters": quotations.QUOTE_CHARACTERS,
            "quotes": quotations.QUOTES,
            "brackets": quotations.BRACKETS,
            "exceptionMarks": quotations.EXCEPTION_MARKS,
            "pythonMessages": quotations.PYTHON_MESSAGES,
            "placeShare": quotations.PLACE_SHARE,
            "explainedFactor": rank.EXPLAINED_FACTOR,
            "minMessageFit": weakness.MIN_MESSAGE_FIT,
        },
        "diagnosis": _collect_diagnosis(catalogue),
        "weakHeading": WEAK_HEADING,
        "unclear": {
            "heading": UNCLEAR_HEADING,
            "lastLine": LAST_LINE,
            "cases": _collect_unclear_cases(catalogue),
        },
    }


def _collect_unclear_cases(catalogue: Catalogue) -> list[tuple[str, list[int]]]:
    """What may have failed, and the places of the entries that lead on; a team's catalogue may lack them."""
    places = {entry_id: doc for doc, entry_id in enumerate(catalogue.entries)}
    return [(case, [places[i] for i in ids if i in places]) for case, ids in UNCLEAR_CASES]


def _collect_entries(catalogue: Catalogue) -> list[list[Any]]:
    """Id, title, kind, summary and address of each entry, and its title and summary in Chinese."""
    return [
        [
            entry.id,
            entry.title,
            entry.kind.value + (", withdrawn" if entry.withdrawn else ""),
            entry.summary,
            f"entries/{entry.id.lower()}.html",
            entry.title_zh or entry.title,
            entry.summary_zh or entry.summary,
        ]
        for entry in catalogue
    ]


def _collect_postings(inverted: build.InvertedIndex) -> dict[str, Any]:
    """The terms, their postings, their synonyms, and the short lines of each entry. Numbers are packed.

    distances: for each term, the distances of an entry with it from the entry before. impacts: those of all
    terms in turn, in one text. lines: the terms of an entry's short lines, each as its place from 1, with 0
    after each line.
    """
    terms = sorted(inverted.postings)
    index_of = {term: i for i, term in enumerate(terms)}
    postings = [inverted.postings[term] for term in terms]
    lines: list[list[int]] = [[] for _ in inverted.entries]
    for doc, _, _, words in inverted.lines:
        lines[doc] += [*(1 + index_of[word] for word in words.split()), 0]
    synonyms = [
        [term, *(index_of[other] for other in others)]
        for term, others in build.find_synonyms_in(index_of).items()
        if others
    ]
    return {
        "terms": terms,
        "distances": [pack(doc - before for before, doc in pairwise([0, *docs])) for docs, _, _ in postings],
        "impacts": pack(impact for _, impacts, _ in postings for impact in impacts),
        "lines": [pack(numbers) for numbers in lines],
        "synonyms": synonyms,
    }


def _collect_diagnosis(catalogue: Catalogue) -> dict[str, Any]:
    """The signatures, the scores of their matches, and the limits, as in `diagnose`."""
    entries = [entry for entry in catalogue if not entry.withdrawn]
    owner_ids = owners.group_owner_ids(entries)
    texts = list_patterns(owner_ids)
    index_of = {text: i for i, text in enumerate(texts)}
    doc_of = {entry_id: doc for doc, entry_id in enumerate(catalogue.entries)}
    return {
        "patterns": [translate_pattern(text) for text in texts],
        "signatures": [
            [
                index_of[s.match],
                index_of[s.near] if s.near else -1,
                owners.score_of(s),
                [doc_of[i] for i in ids],
                min(map(len, find_fixed_texts(s.match))) >= quotations.MIN_QUOTED,
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


def list_patterns(signatures: Collection[LinePattern]) -> list[str]:
    """The patterns of these signatures: first those for the line itself, then those for lines nearby."""
    return list(dict.fromkeys([s.match for s in signatures] + [s.near for s in signatures if s.near]))


def translate_pattern(pattern: str) -> list[str]:
    """A pattern for JavaScript's `new RegExp`: source and flags.

    JavaScript may refuse it if `find_unknown_syntax` finds something; otherwise it has the same meaning.
    """
    # u: match characters, not units of UTF-16; s: a dot matches every character of a line, as in RE2.
    flags = "us"
    if pattern.startswith(IGNORE_CASE):
        pattern, flags = pattern.removeprefix(IGNORE_CASE), "ius"
    return [re.sub(r"\\(.)", _escape_for_javascript, pattern), flags]


def _escape_for_javascript(escape: re.Match[str]) -> str:
    """The same escape as JavaScript accepts it: it refuses escapes of characters that need none."""
    character = escape[1]
    is_accepted = character in _ESCAPABLE or (character.isascii() and character.isalnum())
    return escape[0] if is_accepted else f"\\u{ord(character):04x}"
