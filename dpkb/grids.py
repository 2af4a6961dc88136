"""The lists of an OBSERVED line as small grids: `steps_by_rank`, `crop_by_worker_and_epoch`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

_KEY = re.compile(r"(?P<what>.+?)_by_(?P<rows>.+?)(?:_and_(?P<columns>.+))?")
# Axes along which there are more and more of something: `copies_by_workers_and_sample`.
_COUNTED = frozenset({"workers", "ranks", "samples", "epochs"})
_SPELLED = {"mb": "MB", "mib": "MiB", "cpu": "CPU", "gpu": "GPU"}
# What a model takes the three channels of a picture for, whatever they were.
_CHANNELS = ("red", "green", "blue")
MAX_ROWS = 8
MAX_COLUMNS = 8


@dataclass(frozen=True)
class Grid:
    """A list of an OBSERVED line, with the names of its rows and columns, and its cells as text."""

    what: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: tuple[tuple[str, ...], ...]

    @property
    def of_colours(self) -> bool:
        """Whether each row is one colour: red, green and blue."""
        return self.columns == _CHANNELS

    @property
    def repeated(self) -> set[str]:
        """The cells that stand more than once: what a silent repetition looks like."""
        flat = [cell for row in self.cells for cell in row]
        return {cell for cell in flat if flat.count(cell) > 1}


def grid(key: str, value: Any, observed: dict[str, Any] | None = None) -> Grid | None:
    """The grid that a key of OBSERVED names, or None where it is no list over named axes.

    observed: the whole line, in which a list may name the places of an axis: `loaders` those of `loader`.
    """
    found = _KEY.fullmatch(key)
    if not found or not isinstance(value, list) or not value:
        return None
    what = words(found["what"])
    if found["columns"] is None:
        columns = _names(what, found["rows"], len(value), observed)
        cells = (tuple(cell_text(cell) for cell in value),)
        return Grid(what, ("",), columns[:MAX_COLUMNS], (cells[0][:MAX_COLUMNS],))
    if not all(isinstance(row, list) for row in value):
        return None
    longest = max(len(row) for row in value)
    width = min(longest, MAX_COLUMNS)
    rows = _names(what, found["rows"], len(value), observed)[:MAX_ROWS]
    columns = _names(what, found["columns"], longest, observed)[:width]
    cells = tuple(
        tuple(cell_text(cell) for cell in [*row, *[""] * width][:width]) for row in value[:MAX_ROWS]
    )
    return Grid(what, rows, columns, cells)


def _names(what: str, key: str, count: int, observed: dict[str, Any] | None) -> tuple[str, ...]:
    """The places on an axis: as OBSERVED names them, as the axis is called, or `rank 0`, `rank 1`."""
    axis = key.replace("_", " ")
    for plural in (key, f"{key}s", f"{key}es"):
        told = (observed or {}).get(plural)
        if isinstance(told, list) and len(told) == count and all(isinstance(n, str | int) for n in told):
            return tuple(name if isinstance(name, str) else f"{axis} {name}" for name in told)
    words = tuple(axis.split())
    if len(words) == count >= 3:
        return words
    if axis == "channel" and count == len(_CHANNELS) and "pixel" in what.split():
        return _CHANNELS
    if axis in _COUNTED:
        return tuple(f"{i} {axis[:-1] if i == 1 else axis}" for i in range(count))
    return tuple(f"{axis} {i}" for i in range(count))


def words(key: str) -> str:
    """A key of OBSERVED as words, its units and short names in the letters that they are known by."""
    return " ".join(_SPELLED.get(word, word) for word in key.split("_"))


def cell_text(value: Any) -> str:
    """One observed value in few characters."""
    if isinstance(value, list):
        return " ".join(cell_text(item) for item in value)
    if isinstance(value, float):
        return f"{value:.4g}"
    return {True: "yes", False: "no"}.get(value, str(value)) if isinstance(value, bool) else str(value)
