"""What modules contain, read from their own tables: a program may override or replace their methods."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dpkb_audit.object_contents import own_attributes
from dpkb_audit.tensors import is_tensor


def named_modules_in(root: Any) -> Iterator[tuple[str, Any]]:
    """Path and module of a module ("") and of all that it contains, each once."""
    seen: set[int] = set()
    waiting = [("", root)]
    while waiting:
        path, module = waiting.pop()
        if module is None or id(module) in seen:
            continue
        seen.add(id(module))
        yield path, module
        children = own_attributes(module).get("_modules") or {}
        waiting += [(join_path(path, name), child) for name, child in reversed(list(children.items()))]


def _named_tensors_in(root: Any, table: str) -> Iterator[tuple[str, Any]]:
    seen: set[int] = set()
    for path, module in named_modules_in(root):
        for name, tensor in list((own_attributes(module).get(table) or {}).items()):
            if is_tensor(tensor) and id(tensor) not in seen:
                seen.add(id(tensor))
                yield join_path(path, name), tensor


def named_parameters_in(root: Any) -> Iterator[tuple[str, Any]]:
    """Path and parameter, each parameter once, as named_parameters() returns them."""
    return _named_tensors_in(root, "_parameters")


def parameters_in(root: Any) -> Iterator[Any]:
    """Each parameter once, as parameters() returns them."""
    return (parameter for _, parameter in named_parameters_in(root))


def has_parameters(root: Any) -> bool:
    """Whether a module or one that it contains has a parameter."""
    return next(named_parameters_in(root), None) is not None


def buffers_in(root: Any) -> Iterator[Any]:
    """Each buffer once, as buffers() returns them."""
    return (buffer for _, buffer in _named_tensors_in(root, "_buffers"))


def state_in(root: Any) -> dict[str, Any]:
    """Parameters and persistent buffers by path: what a state dict holds if no class changes that."""
    state = {}
    for path, module in named_modules_in(root):
        own = own_attributes(module)
        for table in (own.get("_parameters"), own.get("_buffers")):
            for name, tensor in (table or {}).items():
                if is_tensor(tensor) and name not in own.get("_non_persistent_buffers_set", ()):
                    state[join_path(path, name)] = tensor
    return state


def join_path(prefix: str, name: str) -> str:
    """The path of an attribute below a module: "encoder.weight", or "weight" for the root, which is ""."""
    return f"{prefix}.{name}" if prefix else name
