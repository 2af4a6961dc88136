"""The contents of modules: submodules, and objects that are neither parameters nor buffers."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import islice
from typing import Any

from dpkb_audit.modules import has_parameters, join_path, named_modules_in
from dpkb_audit.object_contents import has_attributes, is_a, own_attributes
from dpkb_audit.sample_digests import leaves_of
from dpkb_audit.tensors import is_readable
from dpkb_audit.user_code import is_library

# A tensor is read if it has at most this many elements.
MAX_ELEMENTS = 1 << 16
# A module is searched if it has at most this many submodules.
_MAX_MODULES = 3000
# At most this many items of a list or dict, and attributes of an object in it, are read.
_MAX_ITEMS = 64


def find_submodules(root: Any) -> list[tuple[str, Any]]:
    """Name and module of all registered modules, the root included; nothing if there are too many."""
    modules = list(islice(named_modules_in(root), _MAX_MODULES))
    return modules if len(modules) < _MAX_MODULES else []


def is_of_user(kind: type) -> bool:
    """Whether a class is defined in the program itself, not in torch or an installed package."""
    file = getattr(sys.modules.get(kind.__module__), "__file__", None)
    return file is None or not is_library(file)


def find_attribute_line(kind: type, path: str) -> Any:
    """File and line where a class of the program sets an attribute, which is the line that lint names.

    path: ends with the attribute, or with an item in it: "encoder.layers[0]". If no line in the class sets
    it, the line of __init__; None for other classes.
    """
    if not is_of_user(kind):
        return None
    attribute = path.partition("[")[0].rpartition(".")[2]
    found = []
    for base in kind.__mro__:
        for name, function in list(vars(base).items()):
            code = getattr(function, "__code__", None)
            if code is not None and not is_library(code.co_filename):
                found += [
                    ((rank, name != "__init__"), code.co_filename, line)
                    for rank, line in _lines_that_set(code, attribute)
                ]
    if found:
        return min(found, key=lambda item: item[0])[1:]
    code = getattr(getattr(kind, "__init__", None), "__code__", None)
    return (code.co_filename, code.co_firstlineno) if code is not None else None


def _lines_that_set(code: Any, attribute: str) -> Iterator[tuple[int, int]]:
    """Each line of a method that registers or assigns an attribute, with its rank: the lowest is the best."""
    import dis

    lines = dict(dis.findlinestarts(code))
    line = code.co_firstlineno
    # The line of a call of register_buffer whose first constant, the name, has not come yet.
    register_line = None
    instructions = list(dis.get_instructions(code))
    for i, instruction in enumerate(instructions):
        line = lines.get(instruction.offset) or line
        if instruction.opname == "STORE_ATTR" and instruction.argval == attribute:
            value = instructions[i - 2] if i > 1 else instruction
            yield (2 if value.opname == "LOAD_CONST" and value.argval is None else 1), line
        elif instruction.opname == "LOAD_CONST":
            if register_line is not None and instruction.argval == attribute:
                yield 0, register_line
            register_line = None
        elif instruction.argval == "register_buffer":
            register_line = line


def find_hidden_modules(root: Any) -> dict[int, tuple[str, Any, Any]]:
    """Modules with parameters that are in a list, tuple or dict, or in an object there that is not a module.

    The result maps the id of such a module to its path, the module, and the module that contains the list.
    """
    from torch.nn import Module

    pairs = find_submodules(root)
    registered = {id(module) for _, module in pairs}
    modules = {}
    for name, holder in pairs:
        for key, value in list(own_attributes(holder).items()):
            if key.startswith("_") or not is_a(value, (list, tuple, dict)):
                continue
            items = list(leaves_of(value, join_path(name, key), _MAX_ITEMS))
            items += [
                (f"{path}.{attribute}", inner)
                for path, item in items
                if has_attributes(item) and not is_a(item, Module) and is_of_user(type(item))
                for attribute, inner in list(own_attributes(item).items())[:_MAX_ITEMS]
            ]
            for path, item in items:
                if is_a(item, Module) and id(item) not in registered and has_parameters(item):
                    modules[id(item)] = path, item, holder
    return modules


def find_plain_tensors(root: Any) -> Iterator[tuple[str, Any, Any]]:
    """Path, tensor and holder of each tensor that a module of the program holds but has not registered."""
    from torch import Tensor

    pairs = find_submodules(root)
    registered = {
        id(tensor)
        for _, module in pairs
        for tensors in (module._parameters, module._buffers)
        for tensor in tensors.values()
    }
    for name, holder in pairs:
        if not is_of_user(type(holder)):
            continue
        for key, value in list(own_attributes(holder).items()):
            if is_a(value, Tensor) or (is_a(value, (list, tuple, dict)) and not key.startswith("_")):
                for path, item in leaves_of(value, join_path(name, key), _MAX_ITEMS):
                    if is_a(item, Tensor) and id(item) not in registered:
                        yield path, item, holder


def find_modules_in_traceback() -> Iterator[Any]:
    """The modules whose methods an uncaught error has passed through, the outermost first."""
    from torch.nn import Module

    trace = getattr(sys, "last_traceback", None)
    while trace is not None:
        module = trace.tb_frame.f_locals.get("self")
        if is_a(module, Module):
            yield module
        trace = trace.tb_next


def checksum(tensor: Any) -> float | None:
    """A number that changes with the values of a tensor; None if it may not be read."""
    import torch

    if not is_readable(tensor) or tensor.numel() > MAX_ELEMENTS:
        return None
    with torch.no_grad():
        flat = tensor.detach().reshape(-1).double()
        return float(flat.dot(torch.arange(1, len(flat) + 1, dtype=torch.float64)))
