"""Text that rich lays out and colours for the window."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from typing import Literal

from rich.console import Console, RenderableType
from rich.table import Table

from dpkb.output.terminal import count_columns

# In a narrower window, tables would lose words.
_MIN_WIDTH = 20


def create_console(stderr: bool = False) -> Console:
    """A console as wide as the window, from 20 to 100 columns."""
    # With NO_COLOR, rich would still print bold and dim.
    colours: Literal["auto"] | None = None if os.environ.get("NO_COLOR") else "auto"
    # rich assumes 80 columns for a dumb terminal, and prints nothing with COLUMNS=0.
    return Console(
        stderr=stderr,
        highlight=False,
        markup=False,
        soft_wrap=False,
        height=shutil.get_terminal_size().lines,
        width=max(_MIN_WIDTH, count_columns()),
        color_system=colours,
    )


def create_text_console() -> Console:
    """A console that keeps everything that is printed on it, for text_of()."""
    out = create_console()
    out.begin_capture()
    return out


def text_of(out: Console) -> str:
    """The text that was printed on a console of create_text_console(), without its final newline."""
    return out.end_capture().removesuffix("\n")


def split_table(out: Console, column_count: int, table_of: Callable[[slice], Table]) -> list[Table]:
    """Split a table by its columns into as few tables as fit the window, so that nothing is cut off.

    table_of: builds the table with these columns.
    """
    tables: list[Table] = []
    for size in range(max(column_count, 1), 0, -1):
        tables = [table_of(slice(first, first + size)) for first in range(0, max(column_count, 1), size)]
        if all(fits(out, table) for table in tables):
            break
    return tables


def fits(out: Console, table: RenderableType) -> bool:
    """Whether a table has its natural width in this window."""
    unbounded = out.options.update(max_width=10_000)
    return out.measure(table, options=unbounded).maximum <= out.width
