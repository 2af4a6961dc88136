"""Digests of samples at a bounded cost, and which values may be read for them."""

from __future__ import annotations

import functools
import hashlib
import sys
from collections import UserDict

MYPY = False
if MYPY:
    from collections.abc import Iterator
    from typing import Any

# The elements of a tensor or array that are read, spread over all of it.
_MAX_ELEMENTS = 256
# The items of a list or dict that are read.
_MAX_LEAVES = 40
# How deep lists within lists are followed.
_MAX_DEPTH = 4


def digest(value: Any) -> str:
    """8 hexadecimal digits that are equal for equal samples, almost surely different for others."""
    text = repr([(path, leaf_text(leaf)) for path, leaf in leaves_of(value)])
    return hashlib.sha1(text.encode("utf-8", "backslashreplace")).hexdigest()[:8]


def leaves_of(value: Any, path: str = "", depth: int = 0) -> Iterator[tuple[str, Any]]:
    """Path and value of each tensor, array, number and text in a sample, at most 40 on each level."""
    # A batch of transformers is a UserDict.
    if isinstance(value, (dict, UserDict)) and depth < _MAX_DEPTH:
        for key in list(value)[:_MAX_LEAVES]:
            yield from leaves_of(value[key], f"{path}[{key!r}]", depth + 1)
    elif isinstance(value, (list, tuple)) and depth < _MAX_DEPTH:
        for i, item in enumerate(value[:_MAX_LEAVES]):
            yield from leaves_of(item, f"{path}[{i}]", depth + 1)
    else:
        yield path, value


def leaf_text(value: Any) -> str:
    """A text for one tensor, array, number, text or small object; "" if it has no value."""
    if value is None or isinstance(value, (bool, int, float, complex)):
        return repr(value)
    if isinstance(value, (str, bytes)):
        return repr((len(value), value[:200], value[-200:]))
    if is_tensor(value) or is_array(value):
        return repr((tuple(value.shape), str(value.dtype), elements(value)))
    if hasattr(value, "tobytes") and hasattr(value, "size"):  # an image of PIL
        return repr((value.size, hashlib.sha1(value.tobytes()).hexdigest()))
    if hasattr(value, "__dict__") and not callable(value):
        return repr([(name, leaf_text(item)) for name, item in list(vars(value).items())[:20]
                     if not hasattr(item, "__dict__")])
    return ""


def elements(value: Any) -> list[Any]:
    """Up to 256 elements of a CPU tensor or an array, spread over all of it. Elsewhere none."""
    if is_tensor(value):
        if not is_readable(value):
            return []
        value = value.detach()
    number = value.numel() if is_tensor(value) else value.size
    if not number:
        return []
    # A stride that shares no factor with widths such as 64 or 3.
    stride = max(number // _MAX_ELEMENTS, 1) | 1
    flat = value.reshape(-1)[::stride]
    return list(flat[:_MAX_ELEMENTS].tolist())


def is_tensor(value: Any) -> bool:
    """Whether this is a torch tensor."""
    torch = sys.modules.get("torch")  # an import statement takes longer
    return torch is not None and isinstance(value, torch.Tensor)


def is_array(value: Any) -> bool:
    """Whether this is an array of numpy, which need not be imported."""
    return type(value).__module__ == "numpy" and hasattr(value, "dtype") and hasattr(value, "tolist")


def is_readable(tensor: Any) -> bool:
    """Whether the values of a tensor may be looked at: a plain tensor in the memory of the CPU.

    Arithmetic on a tensor with a dispatch of its own can be a collective (DTensor) or fail (FakeTensor), and
    within vmap a tensor has no values. Sparse, nested and quantized ones lack many operations.
    """
    plain, dense, is_wrapped = _torch_parts()
    kind = type(tensor)
    if kind is not plain and getattr(kind, "__torch_dispatch__", None) is not getattr(
            plain, "__torch_dispatch__", None):
        return False
    if tensor.layout is not dense or tensor.is_quantized:
        return False
    if is_wrapped is None:
        return tensor.device.type == "cpu" and not getattr(tensor, "is_nested", False)
    return tensor.is_cpu and not tensor.is_nested and not is_wrapped(tensor)


@functools.lru_cache(maxsize=None)
def _torch_parts() -> tuple[Any, Any, Any]:
    """The class of tensors, the layout of a dense one, and the function that knows a tensor within vmap: None
    before torch 2.0. To look them up at each call takes longer.
    """
    import torch

    functorch = getattr(torch._C, "_functorch", None)
    return torch.Tensor, torch.strided, getattr(functorch, "is_functorch_wrapped_tensor", None)
