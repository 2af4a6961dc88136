"""The contents of a checkpoint. They are recognised by the values, not by the names of the keys."""

from __future__ import annotations

from dpkb_audit.tensors import is_readable, is_tensor

MYPY = False
if MYPY:
    from collections.abc import Iterator
    from typing import Any


def is_optimizer_state(value: Any) -> bool:
    """Whether this is what Optimizer.state_dict() returns."""
    return (
        isinstance(value, dict)
        and isinstance(value.get("param_groups"), (list, tuple))
        and isinstance(value.get("state"), dict)
    )


def is_model_state(value: Any) -> bool:
    """Whether this is a dict of tensors by name."""
    from torch import Tensor

    if not isinstance(value, dict) or not value or is_optimizer_state(value):
        return False
    tensors = sum(isinstance(item, Tensor) for item in list(value.values())[:20])
    return tensors >= min(len(value), 20) / 2 and all(isinstance(key, str) for key in list(value)[:20])


def values_in(obj: Any, depth: int = 0) -> Iterator[Any]:
    """All values in a checkpoint, without those in the state of a model or an optimizer."""
    yield obj
    if is_model_state(obj) or is_optimizer_state(obj) or depth > 3:
        return
    if isinstance(obj, dict):
        values = list(obj.values())
    elif isinstance(obj, (list, tuple)):
        values = list(obj)
    else:
        values = list(vars(obj).values()) if hasattr(obj, "__dict__") and not isinstance(obj, type) else []
    for value in values[:100]:
        yield from values_in(value, depth + 1)


def whole_numbers_in(obj: Any) -> set[int]:
    """The whole numbers in a checkpoint outside of model and optimizer: epoch, step, position."""
    numbers = set()
    for value in values_in(obj):
        if isinstance(value, int) and not isinstance(value, bool):
            numbers.add(value)
        elif is_tensor(value) and value.numel() == 1 and is_readable(value) and not value.is_floating_point():
            numbers.add(int(value))
    return numbers


def top_level_keys(obj: Any) -> Any:
    """The keys of a checkpoint, which all checkpoints of a program share; None for other objects."""
    return tuple(sorted(map(str, obj))) if isinstance(obj, dict) and not is_model_state(obj) else None
