"""How long a dataset or loader is."""

from __future__ import annotations

MYPY = False
if MYPY:
    from typing import Any


def length_of(value: Any) -> int | None:
    """What len() says; None if it says nothing, or raises."""
    try:
        return len(value)
    except Exception:
        return None
