"""The parameters of optimizers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from dpkb_audit.object_contents import own_attributes, plain
from dpkb_audit.tensors import is_readable, is_tensor


def groups_of(optimizer: Any) -> Any:
    """The groups of parameters. A wrapper of an optimizer has a property for them."""
    return own_attributes(optimizer).get("param_groups") or optimizer.param_groups


def parameters_of(optimizer: Any) -> list[Any]:
    """The parameters in all groups of an optimizer."""
    return [p for group in groups_of(optimizer) for p in plain(group["params"]) if is_tensor(p)]


def parameters_of_all(optimizers: Iterable[Any]) -> Iterator[Any]:
    """The parameters in all groups of some optimizers."""
    for optimizer in optimizers:
        yield from parameters_of(optimizer)


def parameter_ids(optimizers: Iterable[Any]) -> set[int]:
    """The ids of the parameters that some optimizers have."""
    return set(map(id, parameters_of_all(optimizers)))


def find_weights(optimizer: Any, dtype: Any) -> list[Any]:
    """The weights of this dtype that a step is going to change."""
    return [
        p
        for group in groups_of(optimizer)
        if group.get("lr")
        for p in plain(group["params"])
        if is_tensor(p) and p.dtype == dtype and p.grad is not None and is_readable(p)
    ]
