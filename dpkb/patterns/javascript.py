"""What of RE2 syntax JavaScript does not know, with which the site diagnoses a log."""

from __future__ import annotations

import re

IGNORE_CASE = "(?i)"
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
    parts = _PART.finditer(pattern.removeprefix(IGNORE_CASE))
    return next((part[part.lastindex] for part in parts if part.lastindex), None)
