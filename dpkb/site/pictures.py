"""Recorded numbers as inline SVG that suits light and dark, and as a table beside it."""

from __future__ import annotations

import html
from typing import Any

from dpkb.judge.observed import MAX_COLUMNS, MAX_ROWS, Grid, cell_text, words
from dpkb.judge.observed import grid as as_grid
from dpkb.text import one_line

# Words of a key that name an amount: its size is shaded. Of anything else, equal cells are shown alike.
_AMOUNTS = frozenset("MB grad loss wait norm accuracy recall range largest time steps hits trips pixel mean "
                     "var copies calls weight grown copied answer len".split())
# Words of a key that name which one, not how much: no bars for these.
_NAMES = frozenset("crop order index id batch epoch seed dtype".split())
_COLOURS = 7
_PLAIN = 'class="cell"'
# The same in every picture, so that two of them can be compared.
_YES_AND_NO = {"yes": 'class="cell same0"', "no": 'class="cell same1"'}
# Beside a row of three channels (from 0 to 1) stands their colour.
_SWATCH_WIDTH = 48
# The width of a letter in the widest fonts that a system may have, at the sheet's size.
_LETTER = 9
_CELL_WIDTH, _CELL_HEIGHT, _LABEL_WIDTH, _BAR_WIDTH, _NUMBER_WIDTH, _TOP = 84, 34, 88, 180, 56, 26
# Lengths that differ by less than this share look alike.
_SEEN = 0.05
# A picture up to this wide shrinks to fit a phone and stays readable; a wider one scrolls.
_SHRINKS = 430


def pictures(observed: dict[str, Any], caption: str, most: dict[str, float] | None = None) -> str:
    """The lists of an OBSERVED line as SVGs, in a <div> of one line; empty where none is a grid.

    most: the largest amount of each key in all pictures that are to be compared.
    """
    most = most or largest([observed])
    drawn = [_svg(grid, value, caption, most.get(key, 0.0))
             for key, value in observed.items() if (grid := as_grid(key, value, observed))]
    title = html.escape(one_line(caption), quote=True)
    return (f'<div class="dpkb-picture" role="group" aria-label="{title}"><p>{title}</p>'
            f"{''.join(drawn)}</div>" if drawn else "")


def comparison(runs: dict[str, dict[str, Any]]) -> str:
    """What differs between the OBSERVED numbers of some runs, a bar a run, as SVGs in a <div> of one line."""
    first, *others = runs.values()
    drawn = []
    for key in first:
        values = [run.get(key) for run in (first, *others)]
        numbers = _numbers(values)
        if numbers and max(numbers) - min(numbers) > _SEEN * max(numbers):
            grid = Grid(words(key), ("",), tuple(runs), (tuple(map(cell_text, values)),))
            drawn.append(_framed(grid, "", *_bars(grid, numbers, max(numbers))))
    title = html.escape(one_line(" and ".join(runs)), quote=True)
    return (f'<div class="dpkb-picture" role="group" aria-label="{title}">{"".join(drawn)}</div>'
            if drawn else "")


def largest(observed: list[dict[str, Any]]) -> dict[str, float]:
    """The largest amount of each key, where all of its values are amounts."""
    most: dict[str, float] = {}
    for lists in observed:
        for key, value in lists.items():
            if isinstance(value, list) and (numbers := _numbers(_flat(value))):
                most[key] = max(most.get(key, 0.0), *numbers)
    return most


def _svg(grid: Grid, value: Any, caption: str, most: float) -> str:
    in_one_row = grid.rows == ("",) and not _NAMES & set(grid.quantity.split())
    bars = _numbers(value[:MAX_COLUMNS]) if in_one_row else None
    return _framed(grid, f"{caption}: ", *(_bars(grid, bars, most) if bars else _cells(grid, value, most)))


def _framed(grid: Grid, caption: str, width: float, height: float, inner: str) -> str:
    label = html.escape(f"{caption}{in_words(grid)}", quote=True)
    fits = ' class="fits"' if width <= _SHRINKS else ""
    return (f'<svg{fits} role="img" aria-label="{label}" viewBox="0 0 {width:g} {height}" width="{width:g}" '
            f'height="{height}">{inner}</svg>')


def in_words(grid: Grid) -> str:
    """A grid as one line of text."""
    if grid.rows == ("",):
        rows = [", ".join(f"{name} {cell}".strip() for name, cell in zip(grid.columns, grid.cells[0],
                                                                         strict=True))]
    else:
        rows = [f"{name} {', '.join(row)}" for name, row in zip(grid.rows, grid.cells, strict=True)]
    return one_line(f"{grid.quantity}: {'; '.join(rows)}")


def _numbers(value: list[Any]) -> list[float] | None:
    """The values as lengths of bars; None if one is not a number, or below zero."""
    if any(isinstance(v, bool) or not isinstance(v, (int, float)) or not 0 <= v < 1e30 for v in value):
        return None
    return [float(v) for v in value]


def _bars(grid: Grid, values: list[float], most: float) -> tuple[int, int, str]:
    """One bar a value, its name before it and its number after it."""
    left = max(_LABEL_WIDTH, _LETTER * max(map(len, grid.columns)) + 8)
    shapes = [_text(0, 16, grid.quantity, "what")]
    for row, (name, cell, number) in enumerate(zip(grid.columns, grid.cells[0], values, strict=True)):
        top, length = _TOP + row * 26, round(_BAR_WIDTH * number / (most or 1.0), 1)
        shapes += [_text(left - 8, top + 15, name, "name", "end"),
                   f'<rect class="bar" x="{left}" y="{top}" width="{max(length, 1)}" height="20" rx="2"/>',
                   _text(round(left + max(length, 1) + 6), top + 15, cell, "number")]
    return left + _BAR_WIDTH + _NUMBER_WIDTH, _TOP + 26 * len(values) + 4, "".join(shapes)


def _cells(grid: Grid, value: list[Any], most: float) -> tuple[int, int, str]:
    """A grid of coloured cells."""
    left = _LETTER * max(map(len, grid.rows)) + 8 if grid.rows != ("",) else 0
    wide = max(_CELL_WIDTH, 8 * max(len(text) for text in (*grid.columns, *_texts(grid))) + 14)
    paint = _shades(value, most) if _AMOUNTS & set(grid.quantity.split()) else None
    if all(isinstance(item, bool) for item in _flat(value)):
        paint = _YES_AND_NO
    paint = paint or _alike(grid)
    shapes = [_text(0, 16, grid.quantity, "what")]
    shapes += [_text(left + column * wide + wide / 2, _TOP + 16, name, "name", "middle")
               for column, name in enumerate(grid.columns)]
    for row, (name, cells) in enumerate(zip(grid.rows, grid.cells, strict=True)):
        top = _TOP + 24 + row * _CELL_HEIGHT
        shapes.append(_text(left - 8, top + 21, name, "name", "end") if name else "")
        for column, cell in enumerate(cells):
            x = left + column * wide
            shapes += [f'<rect {paint.get(cell, _PLAIN)} x="{x + 1}" y="{top + 1}" '
                       f'width="{wide - 2}" height="{_CELL_HEIGHT - 2}" rx="3"/>',
                       _text(x + wide / 2, top + 21, cell, "number", "middle")]
    right = left + wide * len(grid.columns)
    if grid.of_colours and (colours := [_colour(row) for row in value]) and all(colours):
        shapes += [f'<rect class="colour" fill="{colour}" x="{right + 8}" '
                   f'y="{_TOP + 25 + row * _CELL_HEIGHT}" width="{_SWATCH_WIDTH - 8}" '
                   f'height="{_CELL_HEIGHT - 2}" rx="3"/>' for row, colour in enumerate(colours[:MAX_ROWS])]
        right += _SWATCH_WIDTH
    return right, _TOP + 26 + _CELL_HEIGHT * len(grid.rows), "".join(shapes)


def _colour(channels: Any) -> str:
    """Red, green and blue, each from 0 to 1, as SVG says it; empty where these are no such numbers."""
    numbers = _numbers(channels) if isinstance(channels, list) else None
    if not numbers or len(numbers) != 3 or max(numbers) > 1:
        return ""
    return "#" + "".join(f"{round(255 * number):02x}" for number in numbers)


def _alike(grid: Grid) -> dict[str, str]:
    """Cells that stand more than once -> their colour; the others have none."""
    order = dict.fromkeys(cell for cell in _texts(grid) if cell in grid.repeated and cell)
    return {cell: f'class="cell same{number % _COLOURS}"' for number, cell in enumerate(order)}


def _shades(value: list[Any], most: float) -> dict[str, str] | None:
    """Cells -> a shade as deep as the amount; None where a cell is no amount."""
    flat = _flat(value)
    if _numbers(flat) is None:
        return None
    return {cell_text(v): f'class="cell shade" fill-opacity="{0.08 + 0.62 * v / (most or 1.0):.2f}"'
            for v in flat}


def _flat(value: list[Any]) -> list[Any]:
    return [item for row in value for item in (row if isinstance(row, list) else [row])]


def _texts(grid: Grid) -> list[str]:
    return [cell for row in grid.cells for cell in row]


def _text(x: float, y: float, text: str, kind: str, anchor: str = "start") -> str:
    return (f'<text class="{kind}" x="{x:g}" y="{y:g}" text-anchor="{anchor}">'
            f"{html.escape(one_line(text, 40))}</text>")
