"""The OBSERVED line of a script: its JSON, and its lists as tables (`crop_by_worker_and_epoch`)."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

_KEY = re.compile(r"(?P<quantity>.+?)_by_(?P<rows>.+?)(?:_and_(?P<columns>.+))?")
# Axes of numbers: the places on `workers` are "0 workers", "1 worker", "2 workers".
_COUNTED = frozenset({"workers", "ranks", "samples", "epochs"})
_UNITS_AND_SHORT_NAMES = {"mb": "MB", "mib": "MiB", "cpu": "CPU", "gpu": "GPU"}
# The names of the three channels of an image, in the order that models expect.
_CHANNELS = ("red", "green", "blue")
MAX_ROWS = 8
MAX_COLUMNS = 8
# Much deeper than any grid, and much less than a JSON reader can take.
MAX_DEPTH = 8


def parse_observed(text: bytes) -> dict[str, Any]:
    """The JSON object of an OBSERVED line. Raises ValueError, which says what is wrong with it.

    Anything that JSON readers do not all read in the same way is an error: NaN, Infinity, duplicate keys,
    deep nesting, lone surrogates.
    """
    try:
        values = json.loads(text.decode(), object_pairs_hook=_refuse_duplicates)
        json.dumps(values, allow_nan=False, ensure_ascii=False).encode()
    except RecursionError:
        raise ValueError(f"OBSERVED is nested deeper than {MAX_DEPTH} levels") from None
    except ValueError as error:
        raise ValueError(f"OBSERVED is not valid JSON: {error}") from None
    if not isinstance(values, dict) or not isinstance(values.get("healthy"), bool):
        raise ValueError("OBSERVED is not a JSON object with a true or false `healthy`")
    if _measure_depth(values) > MAX_DEPTH:
        raise ValueError(f"OBSERVED is nested deeper than {MAX_DEPTH} levels")
    return values


def _refuse_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        raise ValueError("a key occurs twice")
    return values


def _measure_depth(value: object) -> int:
    """How deep a value is nested, at most MAX_DEPTH + 1."""
    level, depth = [value], 0
    while level and depth <= MAX_DEPTH:
        depth += 1
        level = [
            inner
            for outer in level
            if isinstance(outer, (list, dict))
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
    return depth


@dataclass(frozen=True)
class Grid:
    """A list of an OBSERVED line as a table: the names of its rows and columns, and its cells as text."""

    quantity: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: tuple[tuple[str, ...], ...]

    @property
    def repeated_cells(self) -> set[str]:
        """The cells that occur more than once. In many entries the repetition is the failure."""
        flat = [cell for row in self.cells for cell in row]
        return {cell for cell in flat if flat.count(cell) > 1}


def read_grid(key: str, value: Any, observed: dict[str, Any] | None = None) -> Grid | None:
    """The grid of a key and its list, such as `steps_by_rank: [5, 7]`; None for other keys and values.

    observed: the whole line. Another list in it may name the places on an axis: `loaders` for `loader`.
    """
    match = _KEY.fullmatch(key)
    if not match or not isinstance(value, list) or not value:
        return None
    quantity = describe_key(match["quantity"])
    if match["columns"] is None:
        columns = _name_places(quantity, match["rows"], len(value), observed)[:MAX_COLUMNS]
        return Grid(quantity, ("",), columns, (tuple(map(format_cell, value[:MAX_COLUMNS])),))
    if not all(isinstance(row, list) for row in value):
        return None
    longest = max(len(row) for row in value)
    width = min(longest, MAX_COLUMNS)
    rows = _name_places(quantity, match["rows"], len(value), observed)[:MAX_ROWS]
    columns = _name_places(quantity, match["columns"], longest, observed)[:width]
    cells = tuple(tuple(map(format_cell, [*row, *[""] * width][:width])) for row in value[:MAX_ROWS])
    return Grid(quantity, rows, columns, cells)


def _name_places(quantity: str, key: str, count: int, observed: dict[str, Any] | None) -> tuple[str, ...]:
    """The names of the places on an axis.

    They come from another list of OBSERVED, from the words of the key (`first_second_third`), or are numbers:
    `rank 0`, `rank 1`.
    """
    axis = key.replace("_", " ")
    for plural in (key, f"{key}s", f"{key}es"):
        names = (observed or {}).get(plural)
        if isinstance(names, list) and len(names) == count and all(isinstance(n, str | int) for n in names):
            return tuple(name if isinstance(name, str) else f"{axis} {name}" for name in names)
    listed = tuple(axis.split())
    if len(listed) == count >= 3:
        return listed
    if axis == "channel" and count == len(_CHANNELS) and "pixel" in quantity.split():
        return _CHANNELS
    if axis in _COUNTED:
        return tuple(f"{i} {axis[:-1] if i == 1 else axis}" for i in range(count))
    return tuple(f"{axis} {i}" for i in range(count))


def describe_key(key: str) -> str:
    """A key of OBSERVED as words, with units and acronyms in their usual form: "peak GPU MB"."""
    return " ".join(_UNITS_AND_SHORT_NAMES.get(word, word) for word in key.split("_"))


def format_cell(value: Any) -> str:
    """One observed value as short text."""
    if isinstance(value, list):
        return " ".join(map(format_cell, value))
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.4g}" if isinstance(value, float) else str(value)
