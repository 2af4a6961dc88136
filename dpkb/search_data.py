"""The catalogue as one script that search.js of the site reads: postings, short lines, signatures.

A script and not JSON: a page opened from a folder may load the one but not the other; compressed, as not
every server does that. Everything that search.js ranks by is in it, so no number and no word list stands
in two places.
"""

from __future__ import annotations

import base64
import json
import re
import zlib
from pathlib import Path
from typing import Any

from dpkb import diagnose, index, index_build, logs, terms
from dpkb.catalogue import Catalogue

DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_"
# What `dpkb search` shows where it is not told how many.
_SHOWN = 5
# A pasted log is looked at no further than this, so that no paste can make a page hang.
_MOST_LINES, _LONGEST_LINE, _MILLISECONDS = 200, 2000, 1000
# The characters that JavaScript lets a pattern escape outside its letters.
_SYNTAX = frozenset("^$\\.*+?()[]{}|/")


def write(catalogue: Catalogue, path: Path) -> None:
    """Write the search data of a catalogue; the same catalogue gives the same bytes."""
    text = json.dumps(data(catalogue), ensure_ascii=False, separators=(",", ":"))
    path.parent.mkdir(parents=True, exist_ok=True)
    packed = base64.b64encode(zlib.compress(text.encode(), 9)).decode()
    path.write_text(f'window.DPKB_SEARCH = "{packed}";\n', encoding="ascii", newline="\n")


def data(catalogue: Catalogue) -> dict[str, Any]:
    """Everything that the page's search needs."""
    inverted = index_build.invert(catalogue)
    return {
        "entries": _entries(inverted),
        **_postings(inverted),
        "words": {"stop": sorted(terms.STOP), "endings": terms.ENDINGS, "mostTerms": terms.MAX_TERMS,
                  "longest": terms.MAX_LENGTH},
        "ranking": {"scale": index.SCALE, "synonym": index.SYNONYM, "misspelt": index.MISSPELT,
                    "lookedAt": index.LOOKED_AT, "worthShowing": index.WORTH_SHOWING, "shown": _SHOWN,
                    "fields": index.FIELD_NAMES},
        "diagnosis": _diagnosis(catalogue),
    }


def _entries(inverted: index_build.Inverted) -> list[list]:
    """Of each entry id, title, kind, summary, address, and its short lines by field, one below the other."""
    short: list[dict[str, list[str]]] = [{} for _ in inverted.rows]
    for number, field, text, _ in inverted.lines:
        if field != "title":
            short[number].setdefault(field, []).append(" ".join(text.split()))
    return [[entry_id, title, kind, summary, f"entries/{entry_id.lower()}.html",
             [[field, "\n".join(texts)] for field, texts in short[number].items()]]
            for number, entry_id, title, kind, _, summary in inverted.rows]


def _postings(inverted: index_build.Inverted) -> dict[str, Any]:
    """The terms, and of each its postings: number of the entry, impact, set of fields, in DIGITS.

    Only the long fields, which say why an entry was found where no short line does: a page shows no more.
    """
    kept = sum(1 << i for i, name in enumerate(index.FIELD_NAMES) if name not in ("id", *index_build.SHORT))
    masks = sorted({mask & kept for _, _, fields in inverted.postings.values() for mask in fields})
    place = {mask: i for i, mask in enumerate(masks)}
    highest = max((max(impacts) for _, impacts, _ in inverted.postings.values()), default=0)
    widths = [_width(len(inverted.rows)), _width(highest + 1), _width(len(masks))]
    ordered = sorted(inverted.postings.items())
    rows = ["".join(_digits(doc, widths[0]) + _digits(impact, widths[1])
                    + _digits(place[mask & kept], widths[2])
                    for doc, impact, mask in zip(docs, impacts, fields, strict=True))
            for _, (docs, impacts, fields) in ordered]
    names = [term for term, _ in ordered]
    return {"digits": DIGITS, "widths": widths, "masks": masks, "terms": _shortened(names),
            "postings": " ".join(rows), "synonyms": _synonyms(names)}


def _shortened(names: list[str]) -> str:
    """Sorted terms, each as one digit, how many letters it shares with the one before, and the rest."""
    rows, before = [], ""
    for name in names:
        shared = 0
        while shared < min(len(name), len(before), len(DIGITS) - 1) and name[shared] == before[shared]:
            shared += 1
        rows.append(DIGITS[shared] + name[shared:])
        before = name
    return " ".join(rows)


def _synonyms(names: list[str]) -> list[list]:
    """Each term that has other words, and the places of these among the terms."""
    place = {name: i for i, name in enumerate(names)}
    return [[term, *(place[other] for other in others)]
            for term, others in index_build.synonyms_in(place).items() if others]


def _width(count: int) -> int:
    """How many digits tell `count` numbers apart."""
    width = 1
    while len(DIGITS) ** width < count:
        width += 1
    return width


def _digits(number: int, width: int) -> str:
    text = ""
    for _ in range(width):
        number, last = divmod(number, len(DIGITS))
        text = DIGITS[last] + text
    return text


def _diagnosis(catalogue: Catalogue) -> dict[str, Any]:
    """The signatures and what a match of each is worth, as diagnose has them."""
    owners = diagnose.owners(catalogue)
    texts = diagnose.texts_of(owners)
    place = {text: i for i, text in enumerate(texts)}
    number = {entry_id: i for i, entry_id in enumerate(catalogue.entries)}
    return {
        "patterns": [javascript(text) for text in texts],
        "signatures": [
            [place[s.match], place[s.near] if s.near else -1,
             diagnose.WEAK if s.weak else diagnose.STRONG, [number[i] for i in ids]]
            for s, ids in owners.items()
        ],
        "near": diagnose.NEAR, "linesEach": diagnose.LINES_A_SIGNATURE,
        "worthShowing": diagnose.WORTH_SHOWING, "mostLines": _MOST_LINES, "longestLine": _LONGEST_LINE,
        "milliseconds": _MILLISECONDS,
        "prefix": javascript(logs.PREFIX.pattern)[0], "prefixes": logs.PREFIXES,
        "escapes": javascript(logs.ESCAPES.pattern.decode("ascii"))[0],
    }


def javascript(pattern: str) -> list[str]:
    """A pattern as JavaScript's `new RegExp` takes it, source and flags, to the same meaning."""
    # s: within one line a dot is any character, as it is here.
    flags = "us"
    if pattern.startswith("(?i)"):
        pattern, flags = pattern[4:], "ius"
    return [re.sub(r"\\(.)", _escape, pattern), flags]


def _escape(found: re.Match[str]) -> str:
    """An escape that JavaScript knows: it refuses those of characters that need none."""
    character = found[1]
    known = character in _SYNTAX or (character.isascii() and character.isalnum())
    return found[0] if known else f"\\u{ord(character):04x}"
