"""The contents of objects of the program: the attributes of a dataset, the tensors of a batch."""

from __future__ import annotations

import functools
from collections import OrderedDict, UserDict
from collections.abc import Iterator
from types import FunctionType, MethodType, ModuleType
from typing import Any

from dpkb_audit.tensors import is_tensor

# Attributes of attributes (the transforms of a dataset) are followed to at most this depth.
_MAX_DEPTH = 5
# At most this many objects are searched in total.
_MAX_OBJECTS = 300
# The keys of a larger dict are no names of its parts.
_MAX_NAMED_KEYS = 32
# At most this many values of a batch are searched.
_MAX_VALUES = 20_000


def contents_of(dataset: Any) -> Iterator[tuple[str, Any, bool]]:
    """Path ("self.transforms[0].p") and value of each object in a dataset, and whether it is an attribute.

    Inner datasets, transforms, short lists and dicts, partial functions and closures are searched too.
    """
    seen: set[int] = set()
    waiting = [("self", plain(dataset), 0)]
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
    if is_a(owner, (list, tuple)):
        return [(f"[{i}]", plain(item), False) for i, item in enumerate(owner)]
    if is_a(owner, dict):
        return [(path, plain(item), False) for path, item in items_of(owner)]
    if is_a(owner, functools.partial):
        return [("()", (owner.func, *owner.args, *owner.keywords.values()), False)]
    if is_a(owner, FunctionType):
        return [("()", cell.cell_contents, False) for cell in owner.__closure__ or () if is_filled(cell)]
    if is_a(owner, type):  # collate_fn=list
        return []
    return [(f".{key}", plain(item), True) for key, item in list(own_attributes(owner).items())[:100]]


def items_of(values: dict[Any, Any]) -> Iterator[tuple[str, Any]]:
    """Path and value of each item: "['ids']", or "[key 3]" if the key may be data, such as a file or a word."""
    are_names = len(values) <= _MAX_NAMED_KEYS
    for number, (key, item) in enumerate(list(values.items())):
        is_name = are_names and type(key) is str and key.isidentifier()
        yield f"[{key!r}]" if is_name else f"[key {number}]", item


def is_a(value: Any, kinds: Any) -> bool:
    """Whether a value has one of these classes. isinstance() would ask the value, if its class has __class__."""
    return issubclass(type(value), kinds)


def plain(value: Any) -> Any:
    """The built-in dict, list or tuple in a value whose class inherits from it; other values as they are.

    The methods of a class of the program are not called: they may load what they return.
    """
    kind = type(value)
    if issubclass(kind, UserDict):  # a batch of the tokenizers of transformers
        return plain(own_attributes(value).get("data"))
    if kind in (dict, OrderedDict, list, tuple) or not issubclass(kind, (dict, list, tuple)):
        return value
    if issubclass(kind, dict):
        return dict(dict.items(value))
    return list.copy(value) if issubclass(kind, list) else tuple.__getitem__(value, slice(None))


def has_method(value: Any, name: str) -> bool:
    """Whether the class of a value has a method of this name. A metaclass is not asked."""
    return any(name in vars(kind) for kind in type(value).__mro__)


def own_attributes(value: Any) -> dict[str, Any]:
    """The attributes of an object itself. A class may define how attributes are found: none of that is called."""
    try:
        attributes = object.__getattribute__(value, "__dict__")
    except Exception:  # there is none, or the class has a property of this name
        return {}
    return attributes if type(attributes) is dict else {}


def is_filled(cell: Any) -> bool:
    """Whether a variable of a closure has a value yet."""
    try:
        return cell.cell_contents is not cell
    except ValueError:
        return False


def _is_searched(value: Any) -> bool:
    """Whether the contents of a value are searched."""
    if is_a(value, (list, tuple, dict)):
        return 0 < len(value) <= 20
    return is_a(value, FunctionType) or has_attributes(value)


def has_attributes(value: Any) -> bool:
    return (
        type(value).__dictoffset__ != 0
        and not is_a(value, (type, FunctionType, MethodType, ModuleType))
        # A file or a connection.
        and not (has_method(value, "read") and has_method(value, "close"))
        and not is_tensor(value)
    )


def tensors_in(batch: Any) -> list[Any]:
    """The tensors of a batch, including those in objects of the user's classes."""
    tensors: list[Any] = []
    seen: set[int] = set()
    waiting = [batch]
    while waiting and len(seen) < _MAX_VALUES:
        value = plain(waiting.pop())
        if id(value) in seen:
            continue
        seen.add(id(value))
        if is_tensor(value):
            tensors.append(value)
        elif is_a(value, dict):
            waiting += value.values()
        elif is_a(value, (list, tuple)):
            waiting += value[:_MAX_VALUES]
        elif has_attributes(value):
            waiting += own_attributes(value).values()
    return tensors
