"""Where text goes: a console that suits reading, and one JSON document."""

from __future__ import annotations

import json
from typing import Any

from rich.console import Console

_WIDTH = 100


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """The reader is gone (| head): not an error, so not the exit code that rich would give."""
        raise BrokenPipeError


def console(stderr: bool = False) -> Console:
    """A console of at most 100 columns: longer lines are hard to read."""
    made = _Console(stderr=stderr, highlight=False, markup=False, soft_wrap=False)
    if made.width > _WIDTH:
        made.width = _WIDTH
    return made


def emit_json(value: Any) -> None:
    """One JSON document on standard output."""
    print(json.dumps(value, indent=2, ensure_ascii=True))
