"""Linear-time patterns over one line of text (RE2 syntax). The only importer of re2."""

from __future__ import annotations

from functools import lru_cache

import re2


class BadPattern(ValueError):
    """A pattern that RE2 refuses; the message says why."""


@lru_cache(maxsize=4096)
def compiled(pattern: str) -> re2._Regexp:
    """The compiled pattern. Raises BadPattern."""
    options = re2.Options()
    options.log_errors = False
    options.max_mem = 1 << 20
    try:
        return re2.compile(pattern, options=options)
    except re2.error as error:
        raise BadPattern(_text(error)) from None


def found_in(pattern: str, line: str) -> bool:
    """Whether the pattern matches somewhere in this line."""
    return compiled(pattern).search(line) is not None


def _text(error: Exception) -> str:
    reason = error.args[0] if error.args else error
    return reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)
