"""DP5: a batch whose tensors the DataLoader does not pin."""

from __future__ import annotations

from typing import Any

from dpkb_audit.check import LIKELY, Check, torch_release
from dpkb_audit.object_contents import has_method, is_a, own_attributes, plain
from dpkb_audit.records import LoaderRecord
from dpkb_audit.tensors import is_readable


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


def _find_unpinned(batch: Any, depth: int) -> tuple[str, list[str]] | None:
    """The first object with tensors that are not pinned: its class, and the names of its tensors."""
    from collections.abc import Mapping, Sequence

    import torch

    value, kind = plain(batch), type(batch)
    if depth > 4 or is_a(value, (torch.Tensor, str, bytes)) or value is None:
        return None
    own, is_container = has_method(batch, "pin_memory"), issubclass(kind, (Mapping, Sequence))
    if own and (torch_release() >= (2, 11) or not is_container):
        return None
    attributes = own_attributes(batch).items()
    names = [name for name, item in attributes if is_a(item, torch.Tensor) and is_readable(item)]
    if is_container:
        if own and names:
            return kind.__name__, names
        # The items of other containers are not read: that may load them.
        items = value.values() if is_a(value, dict) else value if is_a(value, (list, tuple)) else ()
        for item in list(items)[:20]:
            object_with_tensors = _find_unpinned(item, depth + 1)
            if object_with_tensors:
                return object_with_tensors
        return None
    if is_a(value, (set, frozenset)):
        tensors = sum(is_a(item, torch.Tensor) for item in value)
        return ("a set", [f"{tensors} tensors"]) if tensors else None
    return (kind.__name__, names) if names else None
