"""Linear-time patterns over one line of text (RE2 syntax). The only importer of re2."""

from __future__ import annotations

from functools import lru_cache

import re2


class BadPattern(ValueError):
    """A pattern that RE2 refuses; the message says why."""


@lru_cache(maxsize=4096)
def compiled(pattern: str) -> re2._Regexp:
    """The compiled pattern. Raises BadPattern."""
    options = _options(1 << 20)
    try:
        return re2.compile(pattern, options=options)
    except re2.error as error:
        raise BadPattern(_text(error)) from None


def found_in(pattern: str, line: str) -> bool:
    """Whether the pattern matches somewhere in this line."""
    return compiled(pattern).search(line) is not None


class Several:
    """Many patterns, all tried at once on one line."""

    def __init__(self, wanted: list[str]) -> None:
        options = _options(64 << 20)
        self._set = re2.Set.SearchSet(options)
        for pattern in wanted:
            self._set.Add(pattern)
        self._set.Compile()
        self._empty = not wanted

    def matches(self, line: str) -> list[int]:
        """Which of the patterns match somewhere in this line, by their places in the list."""
        return [] if self._empty else sorted(self._set.Match(line) or ())


class Anywhere:
    """Finds the next place in many lines at once where any of these patterns may match.

    Looser than the patterns: a pattern for the start of a line is looked for anywhere in it, since
    launchers and loggers write before it. What it passes over, no pattern matches.
    """

    def __init__(self, wanted: list[str]) -> None:
        options = _options(64 << 20)
        # Bytes as they are: a log may hold anything.
        options.encoding = re2.Options.Encoding.LATIN1
        options.never_nl = True
        self._wanted = bool(wanted)
        loose = "|".join(f"(?:{_unanchored(pattern)})" for pattern in wanted)
        self._pattern = re2.compile(b"(?m)" + loose.encode(), options=options)

    def find(self, text: bytes, start: int) -> int | None:
        """Where the next match begins, from `start` on; None where there is none."""
        found = self._pattern.search(text, start) if self._wanted else None
        return found.start() if found else None


def _options(max_mem: int) -> re2.Options:
    options = re2.Options()
    options.log_errors = False
    options.max_mem = max_mem
    return options


def _unanchored(pattern: str) -> str:
    return pattern.removeprefix("^").removesuffix("$")


def _text(error: Exception) -> str:
    reason = error.args[0] if error.args else error
    return reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)
