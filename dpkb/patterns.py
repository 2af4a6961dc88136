"""Linear-time patterns over one line of text (RE2 syntax). The only importer of re2."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import TypeVar

import re2


class BadPattern(ValueError):
    """A pattern that RE2 refuses; the message says why."""


@lru_cache(maxsize=4096)
def compiled(pattern: str) -> re2._Regexp:
    """The compiled pattern. Raises BadPattern, also if it cannot be combined with others into one."""
    options = _options(1 << 20)
    try:
        re2.compile(_group(pattern), options=options)
        return re2.compile(pattern, options=options)
    except re2.error as error:
        raise BadPattern(_text(error)) from None


def found_in(pattern: str, line: str) -> bool:
    """Whether the pattern matches somewhere in this line."""
    return compiled(pattern).search(line) is not None


class PatternSet:
    """Many patterns, all tried at once on one line."""

    def __init__(self, patterns: list[str]) -> None:
        self.sets = _combined(patterns, _set) if patterns else []

    def matches(self, line: str) -> list[int]:
        """The indices of the patterns that match somewhere in this line."""
        indices: list[int] = []
        first = 0
        for group, group_set in self.sets:
            indices += [first + index for index in sorted(group_set.Match(line) or ())]
            first += len(group)
        return indices


class PatternFilter:
    """Finds the next place in many lines at once, in UTF-8, where any of these patterns may match.

    It is looser than the patterns: a pattern for the start of a line is looked for anywhere in it, since
    launchers and loggers write before it. No pattern matches in a place that it skips.
    """

    def __init__(self, patterns: list[str]) -> None:
        self.groups = _combined(patterns, _any_of) if patterns else []

    def find(self, text: bytes, start: int) -> int | None:
        """The start of the next match, from `start` on; None if there is none."""
        matches = (regex.search(text, start) for _, regex in self.groups)
        return min((match.start() for match in matches if match), default=None)


T = TypeVar("T")


def _combined(patterns: list[str], combine: Callable[[list[str]], T]) -> list[tuple[list[str], T]]:
    """All patterns combined into one; if RE2 refuses that, into as few groups as possible."""
    try:
        return [(patterns, combine(patterns))]
    except re2.error:
        if len(patterns) == 1:
            raise
        half = len(patterns) // 2
        return _combined(patterns[:half], combine) + _combined(patterns[half:], combine)


def _set(patterns: list[str]) -> re2.Set:
    pattern_set = re2.Set.SearchSet(_options(64 << 20))
    for pattern in patterns:
        pattern_set.Add(pattern)
    pattern_set.Compile()
    return pattern_set


def _any_of(patterns: list[str]) -> re2._Regexp:
    options = _options(64 << 20)
    options.never_nl = True
    # re2 keeps every compiled pattern, each with a cache that grows; only the last of these is used.
    re2.purge()
    return re2.compile("|".join(map(_group, patterns)).encode(), options=options)


def _options(max_mem: int) -> re2.Options:
    options = re2.Options()
    options.log_errors = False
    options.max_mem = max_mem
    return options


def _group(pattern: str) -> str:
    """The pattern as part of a larger one, without its anchors."""
    return f"(?:{_PARTS.sub(_without_anchor, pattern)})"


# Quoted text, an escaped character, a character class, an anchor. Everything else stays as it is.
_PARTS = re.compile(r"\\Q.*?(?:\\E|\Z)|\\.|\[\^?\]?(?:\\.|\[:\^?\w+:\]|[^\]\\])*\]|[$^]", re.S)
_ANCHORS = ("^", "$", r"\A", r"\z")


def _without_anchor(anchor: re.Match[str]) -> str:
    return "(?:)" if anchor.group() in _ANCHORS else anchor.group()


def _text(error: Exception) -> str:
    reason = error.args[0] if error.args else error
    return reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)
