"""A pattern (RE2 syntax) for JavaScript, with which the site diagnoses a log."""

from __future__ import annotations

import re

# Besides letters and digits, JavaScript accepts an escape of these characters only.
_ESCAPABLE = frozenset("^$\\.*+?()[]{}|/")
_IGNORE_CASE = "(?i)"
# Parts of a pattern. JavaScript does not know those in a group, and knows the same signs within the others.
_PART = re.compile(
    r"(\\(?:[AQzaC0-7]|[pP](?!\{[A-Z][a-z]?\})|x\{))"  # \A, \Qtext\E, \pN, \x{41}
    r"|\\(?:[pP]\{..?\}|.)"
    r"|(\[\^?\]|\[\^?(?:\\.|[^\]\\])*?(?:\[:\^?\w+:\]|\\[dswDSW]-[^\]]))"  # []a], [[:digit:]], [\w-.]
    r"|\[(?:\\.|[^\]\\])*\]"
    r"|\{\d+(?:,\d*)?\}"
    r"|(\(\?(?!:|<)|[]{}])",
    re.S,
)  # (?P<name>a), (?s)a, and a bracket that is not escaped


def find_unknown_syntax(pattern: str) -> str | None:
    """The first part of the pattern that JavaScript does not know; None if there is none."""
    parts = _PART.finditer(pattern.removeprefix(_IGNORE_CASE))
    return next((part[part.lastindex] for part in parts if part.lastindex), None)


def translate_pattern(pattern: str) -> list[str]:
    """A pattern for JavaScript's `new RegExp`: source and flags.

    JavaScript may refuse it if `find_unknown_syntax` finds something; otherwise it has the same meaning.
    """
    # u: match characters, not units of UTF-16; s: a dot matches every character of a line, as in RE2.
    flags = "us"
    if pattern.startswith(_IGNORE_CASE):
        pattern, flags = pattern.removeprefix(_IGNORE_CASE), "ius"
    return [re.sub(r"\\(.)", _escape, pattern), flags]


def _escape(escape: re.Match[str]) -> str:
    """The same escape as JavaScript accepts it: it refuses escapes of characters that need none."""
    character = escape[1]
    is_accepted = character in _ESCAPABLE or (character.isascii() and character.isalnum())
    return escape[0] if is_accepted else f"\\u{ord(character):04x}"
