"""The terminal: its width, whether it wants colour, and the codes for bold and dim text without rich."""

from __future__ import annotations

import os
import shutil
from typing import NamedTuple, TextIO

# Longer lines are hard to read.
_MAX_WIDTH = 100


class Ansi(NamedTuple):
    """The codes around bold and dim text. All are empty where there is no colour."""

    bold: str = ""
    dim: str = ""
    end: str = ""


def choose_ansi_codes(colour: bool) -> Ansi:
    """The codes for a terminal with colour; empty codes otherwise."""
    return Ansi("\x1b[1m", "\x1b[2m", "\x1b[0m") if colour else Ansi()


def wants_colour(stream: TextIO) -> bool:
    """Whether this stream is a terminal that wants colour."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def count_columns() -> int:
    """The width of the terminal, at most 100 columns."""
    return min(shutil.get_terminal_size().columns, _MAX_WIDTH)
