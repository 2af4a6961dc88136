"""The lists of an OBSERVED line as small grids: `steps_by_rank`, `crop_by_worker_and_epoch`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

_KEY = re.compile(r"(?P<what>.+?)_by_(?P<rows>.+?)(?:_and_(?P<columns>.+))?")
# Axes along which there are more and more of something: `copies_by_workers_and_sample`.
_COUNTED = frozenset({"workers", "ranks", "samples", "epochs"})
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
    def repeated(self) -> set[str]:
        """The cells that stand more than once: what a silent repetition looks like."""
        flat = [cell for row in self.cells for cell in row]
        return {cell for cell in flat if flat.count(cell) > 1}


def grid(key: str, value: Any) -> Grid | None:
    """The grid that a key of OBSERVED names, or None where it is no list over named axes."""
    found = _KEY.fullmatch(key)
    if not found or not isinstance(value, list) or not value:
        return None
    what = found["what"].replace("_", " ")
    row_axis = found["rows"].replace("_", " ")
    if found["columns"] is None:
        columns = _names(row_axis, len(value))
        cells = (tuple(cell_text(cell) for cell in value),)
        return Grid(what, ("",), columns[:MAX_COLUMNS], (cells[0][:MAX_COLUMNS],))
    if not all(isinstance(row, list) for row in value):
        return None
    column_axis = found["columns"].replace("_", " ")
    width = min(max(len(row) for row in value), MAX_COLUMNS)
    rows = _names(row_axis, min(len(value), MAX_ROWS))
    columns = _names(column_axis, width)
    cells = tuple(
        tuple(cell_text(cell) for cell in [*row, *[""] * width][:width]) for row in value[:MAX_ROWS]
    )
    return Grid(what, rows, columns, cells)


def _names(axis: str, count: int) -> tuple[str, ...]:
    """The places on an axis: `rank 0`, `rank 1`; `1 worker`, where it is how many; or the axis's words."""
    words = tuple(axis.split())
    if len(words) == count >= 3:
        return words
    if axis in _COUNTED:
        return tuple(f"{i} {axis[:-1] if i == 1 else axis}" for i in range(count))
    return tuple(f"{axis} {i}" for i in range(count))


def cell_text(value: Any) -> str:
    """One observed value in few characters."""
    if isinstance(value, list):
        return " ".join(cell_text(item) for item in value)
    if isinstance(value, float):
        return f"{value:.4g}"
    return {True: "yes", False: "no"}.get(value, str(value)) if isinstance(value, bool) else str(value)
