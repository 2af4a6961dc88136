"""Short texts for messages."""

from __future__ import annotations

from collections.abc import Sequence


def list_names(names: Sequence[str], limit: int = 3) -> str:
    """The first names, followed by ", ..." if there are more."""
    return ", ".join(names[:limit]) + (", ..." if len(names) > limit else "")


def format_shape(shape: Sequence[int]) -> str:
    """A shape as "2x3"; "a number" if it has no dimension."""
    return "x".join(map(str, shape)) or "a number"
