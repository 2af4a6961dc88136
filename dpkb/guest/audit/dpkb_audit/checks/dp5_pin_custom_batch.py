"""DP5: a batch whose tensors the DataLoader does not pin."""

from __future__ import annotations

from dpkb_audit.check import LIKELY, Check, torch_release
from dpkb_audit.tensors import is_readable

MYPY = False
if MYPY:
    from typing import Any

    from dpkb_audit.records import LoaderRecord


class DP5(Check):
    description = "the objects in the batches of loaders with pin_memory=True"
    fix = "give the batch class a pin_memory() that pins its tensors and returns self"

    def on_batch(self, record: LoaderRecord, batch: Any, waited: float) -> None:
        loader = record.loader
        if record.batches > 2 or loader is None or not loader.pin_memory:
            return
        unpinned = _find_unpinned(batch, 0)
        if unpinned is not None:
            kind, names = unpinned
            self.report(
                LIKELY,
                f"pin_memory=True does not reach {', '.join(names[:4])} of {kind}: the "
                "pin step knows tensors, dicts and lists, and calls pin_memory() of other objects",
                where=record.where,
                kind=kind,
                tensors=names,
            )


def _find_unpinned(value: Any, depth: int) -> tuple[str, list[str]] | None:
    """The first object with tensors that are not pinned: its class, and the names of its tensors."""
    from collections.abc import Mapping, Sequence

    import torch

    if depth > 4 or isinstance(value, (torch.Tensor, str, bytes)) or value is None:
        return None
    own = hasattr(value, "pin_memory")
    if own and (torch_release() >= (2, 11) or not isinstance(value, (Mapping, Sequence))):
        return None
    names = [
        name
        for name, item in getattr(value, "__dict__", {}).items()
        if isinstance(item, torch.Tensor) and is_readable(item)
    ]
    if isinstance(value, (Mapping, Sequence)):
        if own and names:
            return type(value).__name__, names
        items = list(value.values()) if isinstance(value, Mapping) else list(value[:20])
        for item in items[:20]:
            object_with_tensors = _find_unpinned(item, depth + 1)
            if object_with_tensors:
                return object_with_tensors
        return None
    if isinstance(value, (set, frozenset)):
        tensors = sum(isinstance(item, torch.Tensor) for item in value)
        return ("a set", [f"{tensors} tensors"]) if tensors else None
    return (type(value).__name__, names) if names else None
