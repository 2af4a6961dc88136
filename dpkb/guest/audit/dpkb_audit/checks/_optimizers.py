"""The parameters of optimizers."""

from __future__ import annotations

MYPY = False
if MYPY:
    from collections.abc import Iterable, Iterator
    from typing import Any


def parameters_of(optimizer: Any) -> list[Any]:
    """The parameters in all groups of an optimizer."""
    return [p for group in optimizer.param_groups for p in group["params"]]


def parameters_of_all(optimizers: Iterable[Any]) -> Iterator[Any]:
    """The parameters in all groups of some optimizers."""
    for optimizer in optimizers:
        yield from parameters_of(optimizer)


def parameter_ids(optimizers: Iterable[Any]) -> set[int]:
    """The ids of the parameters that some optimizers have."""
    return set(map(id, parameters_of_all(optimizers)))
