"""The contents of a checkpoint. They are recognised by the values, not by the names of the keys."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dpkb_audit.modules import named_parameters_in
from dpkb_audit.object_contents import has_attributes, is_a, own_attributes, plain
from dpkb_audit.tensors import is_readable, is_tensor


def is_optimizer_state(value: Any) -> bool:
    """Whether this is what Optimizer.state_dict() returns."""
    return (
        is_a(value, dict)
        and is_a(value.get("param_groups"), (list, tuple))
        and is_a(value.get("state"), dict)
    )


def is_model_state(value: Any) -> bool:
    """Whether this is a dict of tensors by name."""
    from torch import Tensor

    if not is_a(value, dict) or not value or is_optimizer_state(value):
        return False
    tensors = sum(is_a(item, Tensor) for item in list(value.values())[:20])
    return tensors >= min(len(value), 20) / 2 and all(is_a(key, str) for key in list(value)[:20])


def values_in(obj: Any, depth: int = 0) -> Iterator[Any]:
    """All values in a checkpoint, without those in the state of a model or an optimizer."""
    obj = plain(obj)
    yield obj
    if is_model_state(obj) or is_optimizer_state(obj) or depth > 3:
        return
    if is_a(obj, dict):
        values = list(obj.values())
    elif is_a(obj, (list, tuple)):
        values = list(obj)
    else:
        values = list(own_attributes(obj).values()) if has_attributes(obj) else []
    for value in values[:100]:
        yield from values_in(value, depth + 1)


def model_states_in(obj: Any) -> list[dict[str, Any]]:
    """The states of models in a checkpoint."""
    return list(filter(is_model_state, values_in(obj)))


def belongs_to(state: dict[str, Any], root: Any) -> bool:
    """Whether a state has the parameters of a model, with or without the prefix of a wrapper."""
    names = [name for name, _ in named_parameters_in(root)]
    if names and names[0] not in state and all(name.startswith("module.") for name in names):
        names = [name.partition(".")[2] for name in names]
    return bool(names) and all(name in state for name in names)


def whole_numbers_in(obj: Any) -> set[int]:
    """The whole numbers in a checkpoint outside of model and optimizer: epoch, step, position."""
    numbers = set()
    for value in values_in(obj):
        if is_a(value, int) and not is_a(value, bool):
            numbers.add(value)
        elif is_tensor(value) and value.numel() == 1 and is_readable(value) and not value.is_floating_point():
            numbers.add(int(value))
    return numbers


def top_level_keys(obj: Any) -> Any:
    """The keys of a checkpoint, which all checkpoints of a program share; None for other objects."""
    return tuple(sorted(map(str, obj))) if is_a(obj, dict) and not is_model_state(obj) else None
