"""Recorded numbers as inline SVG that suits light and dark, and as a table beside it."""

from __future__ import annotations

import html
from typing import Any

from dpkb.grids import MAX_COLUMNS, Grid, grid
from dpkb.plain import one_line

# Words of a key that name an amount: its size is shaded. Of anything else, equal cells are shown alike.
_AMOUNTS = frozenset("mb grad loss wait norm accuracy recall range largest time steps hits trips pixel mean "
                     "var copies calls weight grown copied answer len".split())
_COLOURS = 7
_PLAIN = 'class="cell"'
_CELL_WIDTH, _CELL_HEIGHT, _LABEL_WIDTH, _BAR_WIDTH, _TOP = 84, 34, 96, 240, 26


def picture(key: str, value: Any, caption: str) -> str:
    """One list of an OBSERVED line as SVG in a <div> of one line; empty where it is none."""
    made = grid(key, value)
    if made is None:
        return ""
    bars = _numbers(value) if made.rows == ("",) else None
    drawn = _bars(made, bars) if bars else _cells(made, value)
    label = html.escape(f"{caption}: {in_words(made)}", quote=True)
    width, height, inner = drawn
    return (f'<div class="dpkb-picture"><p>{html.escape(one_line(caption))}</p>'
            f'<svg role="img" aria-label="{label}" viewBox="0 0 {width} {height}" width="{width}" '
            f'height="{height}">{inner}</svg></div>')


def in_words(made: Grid) -> str:
    """A grid as one line of text."""
    rows = (f"{name} {', '.join(row)}".strip() for name, row in zip(made.rows, made.cells, strict=True))
    return one_line(f"{made.what}: {'; '.join(rows)}")


def _numbers(value: list[Any]) -> list[float] | None:
    """The values as lengths of bars; None where one is no number, or below nought."""
    if any(isinstance(v, bool) or not isinstance(v, (int, float)) or not 0 <= v < 1e30 for v in value):
        return None
    return [float(v) for v in value[:MAX_COLUMNS]]


def _bars(made: Grid, values: list[float]) -> tuple[int, int, str]:
    """One bar a value, its name before it and its number after it."""
    most = max(values) or 1.0
    left = max(_LABEL_WIDTH, 8 * max(map(len, made.columns)) + 8)
    parts = [_text(0, 16, made.what, "what")]
    for row, (name, cell, number) in enumerate(zip(made.columns, made.cells[0], values, strict=True)):
        top, length = _TOP + row * 26, round(_BAR_WIDTH * number / most, 1)
        parts += [_text(left - 8, top + 15, name, "name", "end"),
                  f'<rect class="bar" x="{left}" y="{top}" width="{max(length, 1)}" height="20" rx="2"/>',
                  _text(round(left + max(length, 1) + 6), top + 15, cell, "number")]
    return left + _BAR_WIDTH + 72, _TOP + 26 * len(values) + 4, "".join(parts)


def _cells(made: Grid, value: list[Any]) -> tuple[int, int, str]:
    """A grid of coloured cells."""
    left = 8 * max(map(len, made.rows)) + 8 if made.rows != ("",) else 0
    wide = max(_CELL_WIDTH, 8 * max(len(text) for text in (*made.columns, *_flat(made))) + 8)
    paint = _shades(value) if _AMOUNTS & set(made.what.split()) else None
    paint = paint or _alike(made)
    parts = [_text(0, 16, made.what, "what")]
    parts += [_text(left + column * wide + wide / 2, _TOP + 16, name, "name", "middle")
              for column, name in enumerate(made.columns)]
    for row, (name, cells) in enumerate(zip(made.rows, made.cells, strict=True)):
        top = _TOP + 24 + row * _CELL_HEIGHT
        parts.append(_text(left - 8, top + 21, name, "name", "end") if name else "")
        for column, cell in enumerate(cells):
            x = left + column * wide
            parts += [f'<rect {paint.get(cell, _PLAIN)} x="{x + 1}" y="{top + 1}" '
                      f'width="{wide - 2}" height="{_CELL_HEIGHT - 2}" rx="3"/>',
                      _text(x + wide / 2, top + 21, cell, "number", "middle")]
    return left + wide * len(made.columns), _TOP + 26 + _CELL_HEIGHT * len(made.rows), "".join(parts)


def _alike(made: Grid) -> dict[str, str]:
    """Cells that stand more than once -> their colour; the others have none."""
    order = dict.fromkeys(cell for cell in _flat(made) if cell in made.repeated and cell)
    return {cell: f'class="cell same{number % _COLOURS}"' for number, cell in enumerate(order)}


def _shades(value: list[Any]) -> dict[str, str] | None:
    """Cells -> a shade as deep as the amount; None where a cell is no amount."""
    from dpkb.grids import cell_text

    flat = [item for row in value for item in (row if isinstance(row, list) else [row])]
    if _numbers(flat) is None:
        return None
    most = max(map(float, flat), default=0.0) or 1.0
    return {cell_text(v): f'class="cell shade" fill-opacity="{0.08 + 0.62 * v / most:.2f}"' for v in flat}


def _flat(made: Grid) -> list[str]:
    return [cell for row in made.cells for cell in row]


def _text(x: float, y: float, text: str, kind: str, anchor: str = "start") -> str:
    return (f'<text class="{kind}" x="{x:g}" y="{y:g}" text-anchor="{anchor}">'
            f"{html.escape(one_line(text, 40))}</text>")
