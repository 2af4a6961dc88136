"""Linear-time patterns over one line of text (RE2 syntax). The only importer of re2."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import TypeVar

import re2

# How much memory RE2 may use for one pattern, and for many combined into one.
_PATTERN_BYTES = 1 << 20
_GROUP_BYTES = 64 << 20


class BadPattern(ValueError):
    """A pattern that RE2 does not accept; the message says why."""


@lru_cache(maxsize=4096)
def compile_pattern(pattern: str) -> re2._Regexp:
    """The compiled pattern. Raises BadPattern, also if the pattern cannot be combined with others."""
    options = _create_options(_PATTERN_BYTES)
    try:
        re2.compile(_put_in_group(pattern), options=options)
        return re2.compile(pattern, options=options)
    except re2.error as error:
        raise BadPattern(_find_reason(error)) from None


def has_match(pattern: str, line: str) -> bool:
    """Whether the pattern matches somewhere in this line."""
    return compile_pattern(pattern).search(line) is not None


class PatternSet:
    """Many patterns, all tried at once on one line."""

    def __init__(self, patterns: list[str]) -> None:
        self._groups = _combine_patterns(patterns, _compile_set) if patterns else []

    def matches(self, line: str) -> list[int]:
        """The indices of the patterns that match somewhere in this line."""
        indices: list[int] = []
        first = 0
        for group, group_set in self._groups:
            indices += [first + index for index in sorted(group_set.Match(line) or ())]
            first += len(group)
        return indices


class PatternFilter:
    """Finds places in a long UTF-8 text where any of these patterns may match, faster than line by line.

    It ignores anchors, since launchers and loggers write prefixes before a line. So it may find a place where
    no pattern matches, but it never skips a match.
    """

    def __init__(self, patterns: list[str]) -> None:
        self._groups = _combine_patterns(patterns, _compile_alternatives) if patterns else []

    def find(self, text: bytes, start: int) -> int | None:
        """The start of the next match, from `start` on; None if there is none."""
        matches = (regex.search(text, start) for _, regex in self._groups)
        return min((match.start() for match in matches if match), default=None)


T = TypeVar("T")


def _combine_patterns(patterns: list[str], combine: Callable[[list[str]], T]) -> list[tuple[list[str], T]]:
    """All patterns combined into one; in several groups if they are too large for RE2. Raises BadPattern."""
    try:
        return [(patterns, combine(patterns))]
    except re2.error as error:
        if len(patterns) == 1:
            raise BadPattern(f"{patterns[0]}: {_find_reason(error)}") from None
        half = len(patterns) // 2
        return _combine_patterns(patterns[:half], combine) + _combine_patterns(patterns[half:], combine)


def _compile_set(patterns: list[str]) -> re2.Set:
    pattern_set = re2.Set.SearchSet(_create_options(_GROUP_BYTES))
    for pattern in patterns:
        pattern_set.Add(pattern)
    pattern_set.Compile()
    return pattern_set


def _compile_alternatives(patterns: list[str]) -> re2._Regexp:
    options = _create_options(_GROUP_BYTES)
    options.never_nl = True
    # re2 caches every compiled pattern and each uses more memory over time; only the newest is needed.
    re2.purge()
    return re2.compile("|".join(map(_put_in_group, patterns)).encode(), options=options)


def _create_options(max_bytes: int) -> re2.Options:
    options = re2.Options()
    options.log_errors = False
    options.max_mem = max_bytes
    return options


def _put_in_group(pattern: str) -> str:
    """The pattern as a group of a larger pattern, without its anchors."""
    return f"(?:{_PARTS.sub(_replace_anchor, pattern)})"


# Quoted text, an escaped character, a character class, an anchor. Everything else stays as it is.
_PARTS = re.compile(r"\\Q.*?(?:\\E|\Z)|\\.|\[\^?\]?(?:\\.|\[:\^?\w+:\]|[^\]\\])*\]|[$^]", re.S)
_ANCHORS = ("^", "$", r"\A", r"\z")


def _replace_anchor(anchor: re.Match[str]) -> str:
    return "(?:)" if anchor.group() in _ANCHORS else anchor.group()


def _find_reason(error: Exception) -> str:
    reason = error.args[0] if error.args else error
    return reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)
