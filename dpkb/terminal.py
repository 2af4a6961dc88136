"""Where text goes: a console that suits reading, and one JSON document."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from typing import Any

from rich.console import Console, RenderableType

# Longer lines are hard to read; with fewer columns, tables would lose their words.
_MOST, _LEAST = 100, 20


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """The reader is gone (| head): not an error, so not the exit code that rich would give."""
        raise BrokenPipeError


def console(stderr: bool = False) -> Console:
    """A console as wide as the window, from 20 to 100 columns."""
    # Left to rich, a dumb terminal has 80 columns whatever its window, and COLUMNS=0 prints nothing.
    columns, lines = shutil.get_terminal_size()
    # Left to rich, NO_COLOR takes away colours alone; bold and dim are no text either.
    plainly = {"color_system": None} if os.environ.get("NO_COLOR") else {}
    return _Console(stderr=stderr, highlight=False, markup=False, soft_wrap=False, height=lines,
                    width=max(_LEAST, min(columns, _MOST)), **plainly)


def in_parts(out: Console, columns: int, made: Callable[[slice], RenderableType]) -> list[RenderableType]:
    """A table of so many columns as few tables that the window has room for, none of it cut off."""
    parts: list[RenderableType] = []
    for size in range(max(columns, 1), 0, -1):
        parts = [made(slice(first, first + size)) for first in range(0, max(columns, 1), size)]
        if all(fits(out, part) for part in parts):
            break
    return parts


def fits(out: Console, table: RenderableType) -> bool:
    """Whether a table has its natural width in this window."""
    roomy = out.options.update(max_width=10_000)
    return out.measure(table, options=roomy).maximum <= out.width


def emit_json(value: Any) -> None:
    """One JSON document on standard output."""
    print(json.dumps(value, indent=2, ensure_ascii=True))
