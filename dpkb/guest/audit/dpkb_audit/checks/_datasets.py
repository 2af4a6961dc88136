"""The kind and the length of datasets."""

from __future__ import annotations

MYPY = False
if MYPY:
    from typing import Any


def is_stream(dataset: Any) -> bool:
    """Whether this is an IterableDataset."""
    from torch.utils.data import IterableDataset

    return isinstance(dataset, IterableDataset)


def length_of(value: Any) -> int | None:
    """The length of a dataset or loader; None if it has no length, or len() raises."""
    try:
        return len(value)
    except Exception:
        return None
