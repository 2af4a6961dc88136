"""Keeps an answer small: one page of its longest list or mapping at a time, and shortened texts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from dpkb.output.documents import add_version

# The most characters of one answer: about ten thousand tokens.
MAX_CHARACTERS = 40_000
# A longer text is shortened to this many characters, or, in an answer that is still too long, to the minimum.
_MAX_TEXT, _MIN_TEXT = 8_000, 200
# The most items of every list and mapping that has no pages.
_MAX_ITEMS = 100


def render_whole(fields: Mapping[str, object]) -> str:
    """A JSON document without pages."""
    return json.dumps(add_version(_shorten(fields, _MAX_TEXT)), ensure_ascii=True)


def render_page(
    fields: Mapping[str, object], key: str, offset: int, limit: int, has_next: bool = True
) -> str:
    """A JSON document with one page of fields[key]: at most `limit` items from `offset` on, as many as fit.

    Its key "page" gives the number of all items, and the offset of the next page, if there is one.
    has_next: whether a next page can be asked for; otherwise texts are shortened before items are left out.
    """
    long: Any = fields[key]
    items = list(long.items() if isinstance(long, Mapping) else long)
    count, longest = min(limit, max(0, len(items) - offset)), _MAX_TEXT
    while True:
        shown: Any = [_shorten(item, longest) for item in items[offset : offset + count]]
        shown = dict(shown) if isinstance(long, Mapping) else shown
        next_offset = offset + count if has_next and offset + count < len(items) else None
        text = json.dumps(
            add_version(
                {
                    **{
                        name: shown if name == key else _shorten(value, longest)
                        for name, value in fields.items()
                    },
                    "page": {"of": key, "offset": offset, "total": len(items), "next_offset": next_offset},
                }
            ),
            ensure_ascii=True,
        )
        if len(text) <= MAX_CHARACTERS or (count <= 1 and longest == _MIN_TEXT):
            return text
        if longest == _MAX_TEXT and (count <= 1 or not has_next):
            longest = _MIN_TEXT
            continue
        count = max(min(count, 1), min(count - 1, count * MAX_CHARACTERS // len(text)))


def _shorten(value: Any, longest: int) -> Any:
    """The value with long texts, lists and mappings shortened; each says how much was left out."""
    if isinstance(value, str):
        left = len(value) - longest
        return f"{value[:longest]}… [{left} more characters]" if left > 0 else value
    if isinstance(value, Mapping):
        few = {key: _shorten(value[key], longest) for key in list(value)[:_MAX_ITEMS]}
        return {**few, "…": f"{len(value) - len(few)} more"} if len(value) > len(few) else few
    if isinstance(value, (list, tuple)):
        items = [_shorten(item, longest) for item in value[:_MAX_ITEMS]]
        return [*items, f"… {len(value) - len(items)} more"] if len(value) > len(items) else items
    return value
