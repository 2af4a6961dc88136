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
    """The compiled pattern. Raises BadPattern, also where it cannot stand beside others in one."""
    options = _options(1 << 20)
    try:
        re2.compile(_group(pattern), options=options)
        return re2.compile(pattern, options=options)
    except re2.error as error:
        raise BadPattern(_text(error)) from None


def found_in(pattern: str, line: str) -> bool:
    """Whether the pattern matches somewhere in this line."""
    return compiled(pattern).search(line) is not None


class Several:
    """Many patterns, all tried at once on one line."""

    def __init__(self, wanted: list[str]) -> None:
        self._sets = _together(wanted, _set) if wanted else []

    def matches(self, line: str) -> list[int]:
        """Which of the patterns match somewhere in this line, by their places in the list."""
        found, first = [], 0
        for part, made in self._sets:
            found += [first + place for place in sorted(made.Match(line) or ())]
            first += len(part)
        return found


class Anywhere:
    """Finds the next place in many lines at once, in UTF-8, where any of these patterns may match.

    Looser than the patterns: a pattern for the start of a line is looked for anywhere in it, since
    launchers and loggers write before it. What it passes over, no pattern matches.
    """

    def __init__(self, wanted: list[str]) -> None:
        self._parts = _together(wanted, _any_of) if wanted else []

    def find(self, text: bytes, start: int) -> int | None:
        """Where the next match begins, from `start` on; None where there is none."""
        found = (made.search(text, start) for _, made in self._parts)
        return min((match.start() for match in found if match), default=None)


T = TypeVar("T")


def _together(wanted: list[str], make: Callable[[list[str]], T]) -> list[tuple[list[str], T]]:
    """One for all patterns where that can be; else as few as will do, each with its patterns."""
    try:
        return [(wanted, make(wanted))]
    except re2.error:
        if len(wanted) == 1:
            raise
        half = len(wanted) // 2
        return _together(wanted[:half], make) + _together(wanted[half:], make)


def _set(wanted: list[str]) -> re2.Set:
    made = re2.Set.SearchSet(_options(64 << 20))
    for pattern in wanted:
        made.Add(pattern)
    made.Compile()
    return made


def _any_of(wanted: list[str]) -> re2._Regexp:
    options = _options(64 << 20)
    options.never_nl = True
    # re2 keeps what it compiled, and each of these has a cache of its own that grows: only the last is used.
    re2.purge()
    return re2.compile("|".join(map(_group, wanted)).encode(), options=options)


def _options(max_mem: int) -> re2.Options:
    options = re2.Options()
    options.log_errors = False
    options.max_mem = max_mem
    return options


def _group(pattern: str) -> str:
    """The pattern as one part of a larger one, with nothing in its places for the start or end of a text."""
    return f"(?:{_PARTS.sub(_without_anchor, pattern)})"


# Quoted text, an escaped character, a class of characters, an anchor: what is none of these stays.
_PARTS = re.compile(r"\\Q.*?(?:\\E|\Z)|\\.|\[\^?\]?(?:\\.|\[:\^?\w+:\]|[^\]\\])*\]|[$^]", re.S)
_ANCHORS = ("^", "$", r"\A", r"\z")


def _without_anchor(found: re.Match[str]) -> str:
    return "(?:)" if found.group() in _ANCHORS else found.group()


def _text(error: Exception) -> str:
    reason = error.args[0] if error.args else error
    return reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)
