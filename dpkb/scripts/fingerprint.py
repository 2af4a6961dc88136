"""The fingerprint of a script's code: recorded runs are valid as long as it is the same."""

from __future__ import annotations

import hashlib
import re
from functools import lru_cache

# Strings and comments, read by a pattern rather than by `tokenize`: f-strings tokenize differently from
# Python 3.12 on, and a fingerprint must be the same on every Python. Scripts keep to Python 3.8 syntax,
# where a string of any kind ends at the first unescaped quote like the one that opened it.
STRING_OR_COMMENT = re.compile(
    r'''(?P<comment>\#[^\n]*)
      | (?P<string>"""(?:[^"\\]|\\.|"(?!""))*"""
                 | \'\'\'(?:[^'\\]|\\.|'(?!\'\'))*\'\'\'
                 | "(?:[^"\\\n]|\\.)*"
                 | '(?:[^'\\\n]|\\.)*')
      | (?P<unclosed>["'\0])''',
    re.VERBOSE | re.DOTALL,
)
_NEEDS = re.compile(r"^[ \t]*Needs:(.*)$", re.MULTILINE)
# The prefixes that the string of a docstring may have.
_DOCSTRING_PREFIXES = frozenset(["", "r", "R", "u", "U"])
_DIGITS = 16


@lru_cache(maxsize=1024)
def compute_fingerprint(source: str) -> str:
    """The first 16 hex digits of the SHA-256 of a script's code and its `Needs:` line.

    Comments, the rest of the module docstring, blank lines and trailing blanks do not count. If a quote is
    never closed, the text is not Python, and everything counts.
    """
    text = source.replace("\r\n", "\n").replace("\r", "\n")
    return hashlib.sha256(_extract_code(text).encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]


def _extract_code(text: str) -> str:
    """The code of a script without comments and blank lines, and its `Needs:` line."""
    pieces: list[str] = []
    needs: list[str] = []
    end = 0
    for token in STRING_OR_COMMENT.finditer(text):
        if token["unclosed"]:
            return text
        pieces.append(text[end : token.start()])
        end = token.end()
        if token["string"] is None:
            continue
        if "".join(pieces).strip() in _DOCSTRING_PREFIXES and _ends_line(text, end):
            needs = [" ".join(line.split()) for line in _NEEDS.findall(token[0])]
            pieces.clear()
        else:
            # A newline inside a string is part of its value: it must survive the removal of blank lines.
            pieces.append(token[0].replace("\n", "\0"))
    pieces.append(text[end:])
    lines = [line.rstrip() for line in "".join(pieces).split("\n")]
    return "\n".join([*filter(None, lines), *needs])


def _ends_line(text: str, position: int) -> bool:
    """Whether only a comment, or nothing, follows on the same line."""
    rest = text[position:].partition("\n")[0].strip()
    return not rest or rest.startswith("#")
