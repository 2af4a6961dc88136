"""The lengths of datasets and samplers. No method of the program is called for them."""

from __future__ import annotations

import dis
import operator
from types import FunctionType
from typing import Any

from dpkb_audit.object_contents import own_attributes
from dpkb_audit.tensors import is_array, is_tensor

# Containers inside of containers are followed to this depth.
_MAX_DEPTH = 5
_ARITHMETIC = {"+": operator.add, "-": operator.sub, "*": operator.mul, "//": operator.floordiv}


def read_length(value: Any, depth: int = 0) -> int | None:
    """The length of a dataset, a sampler or a container; None if only a call of the program's code tells it."""
    from torch.utils import data

    kind = type(value)
    if depth > _MAX_DEPTH:
        return None
    if kind in (list, tuple, dict, str, range, set):
        return len(value)
    if is_tensor(value) or is_array(value):
        return int(value.shape[0]) if value.shape else None
    attributes = own_attributes(value)
    method = getattr(kind, "__len__", None)
    if method is data.TensorDataset.__len__:
        return int(value.tensors[0].shape[0])
    if method is data.ConcatDataset.__len__:
        return int(value.cumulative_sizes[-1])
    if method is data.RandomSampler.__len__ or method is data.SequentialSampler.__len__:
        chosen = attributes.get("_num_samples")
        return int(chosen) if chosen is not None else read_length(value.data_source, depth + 1)
    if method is data.BatchSampler.__len__:
        length, size = read_length(value.sampler, depth + 1), value.batch_size
        return None if length is None else length // size if value.drop_last else -(-length // size)
    if type(method) is FunctionType and method.__code__.co_argcount == 1:
        result = _follow(method, attributes, depth)
        return result if type(result) is int else None
    return len(value) if kind.__module__.split(".")[0] == "pandas" else None


def _follow(method: FunctionType, attributes: dict[str, Any], depth: int) -> Any:
    """What a method such as `return len(self.items) - self.start` would return; None if it does anything else."""
    stack: list[Any] = []
    for step in dis.get_instructions(method):
        name = step.opname
        sign = {
            "BINARY_SUBTRACT": "-",
            "BINARY_ADD": "+",
            "BINARY_FLOOR_DIVIDE": "//",
            "BINARY_MULTIPLY": "*",
        }.get(name, step.argrepr if name == "BINARY_OP" else "")
        if name in ("LOAD_FAST", "LOAD_FAST_BORROW") and step.arg == 0:  # self
            stack.append(attributes)
        elif name in ("LOAD_CONST", "LOAD_SMALL_INT"):
            stack.append(step.argval)
        elif name == "LOAD_ATTR" and stack and stack[-1] is attributes:
            stack[-1] = attributes.get(step.argval)
        elif name == "LOAD_GLOBAL" and step.argval == "len" and "len" not in method.__globals__:
            stack.append(len)
        elif name in ("CALL", "CALL_FUNCTION") and step.arg == 1 and stack[-2:-1] == [len]:
            stack[-2:] = [read_length(stack[-1], depth + 1)]
        elif sign in _ARITHMETIC and len(stack) > 1 and type(stack[-1]) is type(stack[-2]) is int:
            if sign == "//" and not stack[-1]:
                return None
            stack[-2:] = [_ARITHMETIC[sign](stack[-2], stack[-1])]
        elif name in ("RETURN_VALUE", "RETURN_CONST"):
            return step.argval if name == "RETURN_CONST" else stack[-1] if len(stack) == 1 else None
        elif name not in ("RESUME", "NOP", "CACHE", "PUSH_NULL", "PRECALL"):
            return None
    return None
