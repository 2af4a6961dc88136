"""Recorded numbers as inline SVG, in colours that suit light and dark pages."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import Any

from dpkb.judge.observed import MAX_COLUMNS, MAX_ROWS, Grid, describe_key, format_cell, read_grid
from dpkb.text import join_lines

# A key with one of these words has amounts, which are shaded by size. In all other grids, equal cells have
# the same colour.
_AMOUNT_WORDS = frozenset(
    "MB grad loss wait norm accuracy recall range largest time steps hits trips pixel mean var copies calls "
    "weight grown copied answer len".split()
)
# A key with one of these words has names and not amounts, which are not drawn as bars.
_NAME_WORDS = frozenset("crop order index id batch epoch seed dtype".split())
_COLOUR_COUNT = 7
_PLAIN_CELL = 'class="cell"'
# The same in every picture, so that two pictures can be compared.
_YES_AND_NO = {"yes": 'class="cell same0"', "no": 'class="cell same1"'}
# Sizes in pixels. A letter has the width that it has in the widest fonts, at the size of the style sheet.
_LETTER_WIDTH = 9
_CELL_WIDTH, _CELL_HEIGHT, _LABEL_WIDTH, _NUMBER_WIDTH, _TOP = 84, 34, 88, 56, 26
_BAR_WIDTH, _BAR_DISTANCE = 180, 26
# The colour of a row of three channels is shown beside the row.
_SWATCH_WIDTH = 48
# Bars whose lengths differ by less than this share look alike.
_MIN_VISIBLE_SHARE = 0.05
# A picture up to this wide shrinks to fit a phone and stays readable; a wider one scrolls.
_MAX_SHRINKING_WIDTH = 430


def draw_lists(observed: dict[str, Any], caption: str, max_amounts: dict[str, float] | None = None) -> str:
    """The lists of an OBSERVED line as SVGs, in a <div> of one line; empty if there is no list to draw.

    max_amounts: the largest amount of each key in all pictures that are to be compared.
    """
    max_amounts = max_amounts or find_largest_amounts([observed])
    return _draw_picture(
        caption,
        [
            _draw_grid(grid, value, caption, max_amounts.get(key, 0.0))
            for key, value in observed.items()
            if (grid := read_grid(key, value, observed))
        ],
    )


def draw_comparison(runs: dict[str, dict[str, Any]]) -> str:
    """The numbers in which the OBSERVED lines of some runs differ, as SVGs with a bar for each run."""
    first, *others = runs.values()
    drawings = []
    for key in first:
        values = [run.get(key) for run in (first, *others)]
        amounts = _read_amounts(values)
        if amounts and max(amounts) - min(amounts) > _MIN_VISIBLE_SHARE * max(amounts):
            grid = Grid(describe_key(key), ("",), tuple(runs), (tuple(map(format_cell, values)),))
            drawings.append(_render_svg(grid, "", *_draw_bars(grid, amounts, max(amounts))))
    return _draw_picture(" and ".join(runs), drawings, has_caption=False)


def _draw_picture(caption: str, drawings: list[str], has_caption: bool = True) -> str:
    """Some SVGs in a <div> of one line; empty if there are none."""
    if not drawings:
        return ""
    title = html.escape(join_lines(caption), quote=True)
    paragraph = f"<p>{title}</p>" if has_caption else ""
    return f'<div class="dpkb-picture" role="group" aria-label="{title}">{paragraph}{"".join(drawings)}</div>'


def find_largest_amounts(observed: list[dict[str, Any]]) -> dict[str, float]:
    """Key -> the largest of its values in these OBSERVED lines, if all of them are amounts."""
    largest: dict[str, float] = {}
    for line in observed:
        for key, value in line.items():
            if isinstance(value, list) and (amounts := _read_amounts(_flatten(value))):
                largest[key] = max(largest.get(key, 0.0), *amounts)
    return largest


def _draw_grid(grid: Grid, value: Any, caption: str, max_amount: float) -> str:
    has_bars = grid.rows == ("",) and not _NAME_WORDS & set(grid.quantity.split())
    amounts = _read_amounts(value[:MAX_COLUMNS]) if has_bars else None
    shapes = _draw_bars(grid, amounts, max_amount) if amounts else _draw_cells(grid, value, max_amount)
    return _render_svg(grid, f"{caption}: ", *shapes)


def _render_svg(grid: Grid, caption: str, width: float, height: float, shapes: str) -> str:
    label = html.escape(f"{caption}{describe_grid(grid)}", quote=True)
    fits = ' class="fits"' if width <= _MAX_SHRINKING_WIDTH else ""
    return (
        f'<svg{fits} role="img" aria-label="{label}" viewBox="0 0 {width:g} {height}" width="{width:g}" '
        f'height="{height}">{shapes}</svg>'
    )


def describe_grid(grid: Grid) -> str:
    """A grid as one line of text."""
    if grid.rows == ("",):
        rows = [
            ", ".join(
                f"{name} {cell}".strip() for name, cell in zip(grid.columns, grid.cells[0], strict=True)
            )
        ]
    else:
        rows = [f"{name} {', '.join(row)}" for name, row in zip(grid.rows, grid.cells, strict=True)]
    return join_lines(f"{grid.quantity}: {'; '.join(rows)}")


def _read_amounts(values: list[Any]) -> list[float] | None:
    """The values as lengths of bars; None if one is not a number, or below zero."""
    if any(isinstance(v, bool) or not isinstance(v, (int, float)) or not 0 <= v < 1e30 for v in values):
        return None
    return [float(v) for v in values]


def _draw_bars(grid: Grid, amounts: list[float], max_amount: float) -> tuple[int, int, str]:
    """A bar for each amount, between its name and its number. Returns width, height and shapes."""
    left = max(_LABEL_WIDTH, _LETTER_WIDTH * max(map(len, grid.columns)) + 8)
    shapes = [_render_text(0, 16, grid.quantity, "what")]
    for row, (name, cell, amount) in enumerate(zip(grid.columns, grid.cells[0], amounts, strict=True)):
        top, length = _TOP + row * _BAR_DISTANCE, round(_BAR_WIDTH * amount / (max_amount or 1.0), 1)
        shapes += [
            _render_text(left - 8, top + 15, name, "name", "end"),
            f'<rect class="bar" x="{left}" y="{top}" width="{max(length, 1)}" height="20" rx="2"/>',
            _render_text(round(left + max(length, 1) + 6), top + 15, cell, "number"),
        ]
    return left + _BAR_WIDTH + _NUMBER_WIDTH, _TOP + _BAR_DISTANCE * len(amounts) + 4, "".join(shapes)


def _draw_cells(grid: Grid, value: list[Any], max_amount: float) -> tuple[int, int, str]:
    """A grid of coloured cells. Returns width, height and shapes."""
    left = _LETTER_WIDTH * max(map(len, grid.rows)) + 8 if grid.rows != ("",) else 0
    cell_width = max(_CELL_WIDTH, 8 * max(len(text) for text in (*grid.columns, *_flatten(grid.cells))) + 14)
    colours = _choose_cell_colours(grid, value, max_amount)
    shapes = [_render_text(0, 16, grid.quantity, "what")]
    shapes += [
        _render_text(left + column * cell_width + cell_width / 2, _TOP + 16, name, "name", "middle")
        for column, name in enumerate(grid.columns)
    ]
    for row, (name, cells) in enumerate(zip(grid.rows, grid.cells, strict=True)):
        top = _TOP + 24 + row * _CELL_HEIGHT
        shapes.append(_render_text(left - 8, top + 21, name, "name", "end") if name else "")
        for column, cell in enumerate(cells):
            x = left + column * cell_width
            shapes += [
                f'<rect {colours.get(cell, _PLAIN_CELL)} x="{x + 1}" y="{top + 1}" '
                f'width="{cell_width - 2}" height="{_CELL_HEIGHT - 2}" rx="3"/>',
                _render_text(x + cell_width / 2, top + 21, cell, "number", "middle"),
            ]
    right = left + cell_width * len(grid.columns)
    if swatches := _find_swatches(grid, value, right):
        shapes += swatches
        right += _SWATCH_WIDTH
    return right, _TOP + 26 + _CELL_HEIGHT * len(grid.rows), "".join(shapes)


def _find_swatches(grid: Grid, value: list[Any], right: int) -> list[str]:
    """The colour of each row of three channels; empty if the rows are no colours."""
    colours = [_format_rgb(row) for row in value] if grid.columns == ("red", "green", "blue") else []
    if not all(colours):
        return []
    return [
        f'<rect class="colour" fill="{colour}" x="{right + 8}" y="{_TOP + 25 + row * _CELL_HEIGHT}" '
        f'width="{_SWATCH_WIDTH - 8}" height="{_CELL_HEIGHT - 2}" rx="3"/>'
        for row, colour in enumerate(colours[:MAX_ROWS])
    ]


def _format_rgb(channels: Any) -> str:
    """Red, green and blue, each from 0 to 1, in the notation of SVG; empty if these are no such numbers."""
    numbers = _read_amounts(channels) if isinstance(channels, list) else None
    if not numbers or len(numbers) != 3 or max(numbers) > 1:
        return ""
    return "#" + "".join(f"{round(255 * number):02x}" for number in numbers)


def _choose_cell_colours(grid: Grid, value: list[Any], max_amount: float) -> dict[str, str]:
    """The text of a cell -> the attributes for its colour; a cell that is not in it has none."""
    values = _flatten(value)
    if all(isinstance(item, bool) for item in values):
        return _YES_AND_NO
    has_amounts = bool(_AMOUNT_WORDS & set(grid.quantity.split())) and _read_amounts(values) is not None
    return (_choose_shades(values, max_amount) if has_amounts else {}) or _choose_equal_colours(grid)


def _choose_shades(amounts: list[float], max_amount: float) -> dict[str, str]:
    """The larger the amount, the deeper the shade."""
    opacities = {format_cell(amount): 0.08 + 0.62 * amount / (max_amount or 1.0) for amount in amounts}
    return {cell: f'class="cell shade" fill-opacity="{opacity:.2f}"' for cell, opacity in opacities.items()}


def _choose_equal_colours(grid: Grid) -> dict[str, str]:
    """A colour for each text that several cells have."""
    repeated = dict.fromkeys(cell for cell in _flatten(grid.cells) if cell in grid.repeated_cells and cell)
    return {cell: f'class="cell same{number % _COLOUR_COUNT}"' for number, cell in enumerate(repeated)}


def _flatten(rows: Sequence[Any]) -> list[Any]:
    return [item for row in rows for item in (row if isinstance(row, (list, tuple)) else [row])]


def _render_text(x: float, y: float, text: str, kind: str, anchor: str = "start") -> str:
    return (
        f'<text class="{kind}" x="{x:g}" y="{y:g}" text-anchor="{anchor}">'
        f"{html.escape(join_lines(text, 40))}</text>"
    )
