"""Keeps an answer small: some items of its longest list or mapping at a time, and no endless text."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from dpkb.output.documents import document

# The characters of one answer: some ten thousand tokens.
MOST_CHARACTERS = 40_000
# Of a text, and of the items of every other list and mapping.
_LONGEST_TEXT, _SHORTEST_TEXT, _MOST_ITEMS = 8_000, 200, 100


def whole(fields: Mapping[str, object]) -> str:
    """The JSON document of an answer that has no long list."""
    return json.dumps(document(_shortened(fields, _LONGEST_TEXT)), ensure_ascii=True)


def page(fields: Mapping[str, object], key: str, offset: int, limit: int) -> str:
    """The JSON document with the items of fields[key] from offset on: at most `limit`, and as many as fit.

    Its key "page" says how many items there are, and at which offset the next ones start, if any.
    """
    long: Any = fields[key]
    items = list(long.items() if isinstance(long, Mapping) else long)
    count, longest = min(limit, max(0, len(items) - offset)), _LONGEST_TEXT
    while True:
        shown: Any = [_shortened(item, longest) for item in items[offset : offset + count]]
        shown = dict(shown) if isinstance(long, Mapping) else shown
        next_offset = offset + count if offset + count < len(items) else None
        text = json.dumps(document({
            **{name: shown if name == key else _shortened(value, longest) for name, value in fields.items()},
            "page": {"of": key, "offset": offset, "total": len(items), "next_offset": next_offset},
        }), ensure_ascii=True)
        if len(text) <= MOST_CHARACTERS or (count <= 1 and longest == _SHORTEST_TEXT):
            return text
        if count <= 1:
            longest = _SHORTEST_TEXT
        count = max(min(count, 1), min(count - 1, count * MOST_CHARACTERS // len(text)))


def _shortened(value: Any, longest: int) -> Any:
    """The same with the rest of long texts, lists and mappings left out, and how much that is."""
    if isinstance(value, str):
        left = len(value) - longest
        return f"{value[:longest]}… [{left} more characters]" if left > 0 else value
    if isinstance(value, Mapping):
        few = {key: _shortened(value[key], longest) for key in list(value)[:_MOST_ITEMS]}
        return {**few, "…": f"{len(value) - len(few)} more"} if len(value) > len(few) else few
    if isinstance(value, (list, tuple)):
        items = [_shortened(item, longest) for item in value[:_MOST_ITEMS]]
        return [*items, f"… {len(value) - len(items)} more"] if len(value) > len(items) else items
    return value
