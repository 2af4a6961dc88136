"""The codes that make text in a terminal bold or dim, for output without rich."""

from __future__ import annotations

from typing import NamedTuple


class Ansi(NamedTuple):
    """The codes around bold and dim text. All are empty where there is no colour."""

    bold: str = ""
    dim: str = ""
    end: str = ""


def ansi_codes(colour: bool) -> Ansi:
    """The codes of a terminal, or empty ones."""
    return Ansi("\x1b[1m", "\x1b[2m", "\x1b[0m") if colour else Ansi()
