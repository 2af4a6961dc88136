"""A pattern (RE2 syntax) as text: in words, or as a line that it matches."""

from __future__ import annotations

import re
from collections.abc import Callable

# Quoted text, an escape, a class, the start of a group, a quantifier; everything else character by character.
_TOKEN = re.compile(
    r"\\Q(?P<quoted>.*?)(?:\\E|\Z)"
    r"|\\(?:[pPx]\{.*?\}|[pP].|x..|.)"
    r"|\[\^?\]?(?:\[:\^?\w+:\]|\\.|[^\]\\])*\]"
    r"|\((?:\?(?:P?<\w+>|[a-zA-Z-]*[:)]))?"
    r"|(?P<quantifier>(?:[*+?]|\{(?P<least>\d+)(?:,\d*)?\})\??)"
    r"|.",
    re.S,
)
_ANCHORS = ("^", "$", r"\b", r"\B", r"\A", r"\z")
_SPACES = (r"\s", r"\t", r"\n", r"\v", r"\f", r"\r")
# Stands for what a line may have or not.
_GAP = "\0"
# The first character of a class that names it; a range, or an escape that stands for several characters.
_FIRST_OF_CLASS = re.compile(r"\[(?!\^|\\\w|\[:)\\?(.)", re.S)
_RANGE = re.compile(r"\w-\w|\\\w")


def put_in_words(pattern: str) -> str:
    """The pattern as readable text, with … for its wildcards and "(A or B)" for its alternatives."""

    def describe(token: str) -> str:
        # One of a few characters stands for all of them, as in [Cc]annot and ["'].
        first = _FIRST_OF_CLASS.match(token)
        return first[1] if first and not _RANGE.search(token) else "…"

    def join(texts: list[str]) -> str:
        return f"({' or '.join(texts)})" if len(texts) > 1 else texts[0]

    words = " or ".join(_write_alternatives(pattern, describe, join))
    return re.sub("…+", "…", " ".join(words.split()))


def write_example(pattern: str) -> str:
    """A line that the pattern probably matches."""

    def choose(token: str) -> str:
        first = _FIRST_OF_CLASS.match(token)
        return first[1] if first else " " if token == "." else "1"

    def take_first(texts: list[str]) -> str:
        return texts[0]

    return take_first(_write_alternatives(pattern, choose, take_first))


def find_fixed_texts(pattern: str) -> list[str]:
    """For each alternative of a pattern, the longest text that is in every line it matches, in lower case."""

    def join(texts: list[str]) -> str:
        return texts[0] if len(texts) == 1 else _GAP

    alternatives = _write_alternatives(pattern, lambda _: _GAP, join, _GAP)
    return [max(text.split(_GAP), key=len).lower() for text in alternatives]


def _write_alternatives(
    pattern: str, fill: Callable[[str], str], join: Callable[[list[str]], str], gap: str = ""
) -> list[str]:
    """Each alternative of a pattern as text. fill: for a wildcard; join: for a group; gap: for what may be missing."""
    # For each open group its alternatives, piece by piece. Not recursive: RE2 allows more groups within
    # groups than Python allows calls.
    groups: list[list[list[str]]] = [[[]]]
    for token in _TOKEN.finditer(pattern):
        text, pieces = token[0], groups[-1][-1]
        if text == "|":
            groups[-1].append([])
        elif text == ")":
            group = groups.pop()
            groups[-1][-1].append(join(_join_pieces(group, gap)))
        elif text.startswith("("):
            if not text.endswith(")"):  # "(?i)" is not a group
                groups.append([[]])
        elif token["quantifier"]:
            # What is optional is kept in words: it may have those that somebody searches for.
            least = int(token["least"] or text.startswith("+"))
            pieces[-1:] = [*pieces[-1:] * (least if gap else max(1, least)), gap]
        else:
            pieces.append(
                gap if text in _ANCHORS else gap or " " if text in _SPACES else _write_token(token, fill)
            )
    return _join_pieces(groups[0], gap)


def _join_pieces(alternatives: list[list[str]], gap: str) -> list[str]:
    """The texts of alternatives without empty ones; [""] if all are empty."""
    return [text for pieces in alternatives if (text := "".join(pieces) or gap)] or [""]


def _write_token(token: re.Match[str], fill: Callable[[str], str]) -> str:
    text = token[0]
    if token["quoted"] is not None:
        return token["quoted"]
    if text == "." or text.startswith("[") or (text.startswith("\\") and text[1].isalnum()):
        return fill(text)
    return text.removeprefix("\\")
