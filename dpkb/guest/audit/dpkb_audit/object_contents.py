"""The contents of objects of the program: the attributes of a dataset, the tensors of a batch."""

from __future__ import annotations

import functools
from collections import UserDict
from types import FunctionType, MethodType, ModuleType

from dpkb_audit.tensors import is_tensor

MYPY = False
if MYPY:
    from collections.abc import Iterator
    from typing import Any

# Attributes of attributes (the transforms of a dataset) are followed to at most this depth.
_MAX_DEPTH = 5
# At most this many objects are searched in total.
_MAX_OBJECTS = 300
# At most this many values of a batch are searched.
_MAX_VALUES = 20_000


def contents_of(dataset: Any) -> Iterator[tuple[str, Any, bool]]:
    """Path ("self.transforms[0].p") and value of each object in a dataset, and whether it is an attribute.

    Inner datasets, transforms, short lists and dicts, partial functions and closures are searched too.
    """
    seen: set[int] = set()
    waiting = [("self", dataset, 0)]
    while waiting and len(seen) < _MAX_OBJECTS:
        name, owner, depth = waiting.pop(0)
        if id(owner) in seen:
            continue
        seen.add(id(owner))
        for path, item, is_attribute in _items_of(owner):
            yield name + path, item, is_attribute
            if depth < _MAX_DEPTH and _is_searched(item):
                waiting.append((name + path, item, depth + 1))


def attributes_of(dataset: Any) -> list[tuple[str, Any]]:
    """Path ("self.cache") and value of each attribute, and of the attributes of these values."""
    return [(name, value) for name, value, is_attribute in contents_of(dataset) if is_attribute]


def _items_of(owner: Any) -> list[tuple[str, Any, bool]]:
    if isinstance(owner, (list, tuple)):
        return [(f"[{i}]", item, False) for i, item in enumerate(owner)]
    if isinstance(owner, dict):
        return [(f"[{key!r}]", item, False) for key, item in owner.items()]
    if isinstance(owner, functools.partial):
        return [("()", (owner.func, *owner.args, *owner.keywords.values()), False)]
    if isinstance(owner, FunctionType):
        return [("()", cell.cell_contents, False) for cell in owner.__closure__ or () if _is_filled(cell)]
    if isinstance(owner, type):  # collate_fn=list
        return []
    return [(f".{key}", item, True) for key, item in list(own_attributes(owner).items())[:100]]


def own_attributes(value: Any) -> dict[str, Any]:
    """The attributes of an object itself. A class may define how attributes are found: none of that is called."""
    try:
        attributes = object.__getattribute__(value, "__dict__")
    except (AttributeError, TypeError):
        return {}
    return attributes if type(attributes) is dict else {}


def _is_filled(cell: Any) -> bool:
    """Whether a variable of a closure has a value yet."""
    try:
        return cell.cell_contents is not cell
    except ValueError:
        return False


def _is_searched(value: Any) -> bool:
    """Whether the contents of a value are searched."""
    if isinstance(value, (list, tuple, dict)):
        return 0 < len(value) <= 20
    return isinstance(value, FunctionType) or _has_attributes(value)


def _has_attributes(value: Any) -> bool:
    return (
        type(value).__dictoffset__ != 0
        and not isinstance(value, (type, FunctionType, MethodType, ModuleType))
        and not is_file(value)
        and not is_tensor(value)
    )


def is_file(value: Any) -> bool:
    """Whether this is a file or a connection."""
    return hasattr(type(value), "read") and hasattr(type(value), "close")


def tensors_in(batch: Any) -> list[Any]:
    """The tensors of a batch, including those in objects of the user's classes.

    The methods of dict and list read their contents, not those of a class of the program, which may load them.
    """
    tensors: list[Any] = []
    seen: set[int] = set()
    waiting = [batch]
    while waiting and len(seen) < _MAX_VALUES:
        value = waiting.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        if is_tensor(value):
            tensors.append(value)
        elif isinstance(value, dict):
            waiting += dict.values(value)
        elif isinstance(value, UserDict):
            waiting.append(own_attributes(value).get("data"))
        elif isinstance(value, list):
            waiting += list.__getitem__(value, slice(_MAX_VALUES))
        elif isinstance(value, tuple):
            waiting += tuple.__getitem__(value, slice(_MAX_VALUES))
        elif _has_attributes(value):
            waiting += own_attributes(value).values()
    return tensors
