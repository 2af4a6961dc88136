"""Tensors and arrays: how to recognise them, and which of their values may be read."""

from __future__ import annotations

import functools
import sys
from typing import Any

# At most this many elements of a tensor or array are read.
_MAX_ELEMENTS = 256


def read_elements(value: Any, cpu_only: bool = True) -> list[Any]:
    """At most 256 elements of a tensor or an array, spread over all of it. Empty for tensors that are not read.

    cpu_only: not those of a GPU, for which reading would wait.
    """
    if is_tensor(value):
        if not is_readable(value, cpu_only):
            return []
        value = value.detach()
    number = value.numel() if is_tensor(value) else value.size
    if not number:
        return []
    # An odd stride has no common factor with widths such as 64.
    stride = max(number // _MAX_ELEMENTS, 1) | 1
    flat = value.reshape(-1)[::stride]
    return list(flat[:_MAX_ELEMENTS].tolist())


def is_tensor(value: Any) -> bool:
    """Whether this is a torch tensor. One of a class that is told of every look is none: it is left alone."""
    torch = sys.modules.get("torch")  # an import statement takes longer
    kind = type(value)
    if torch is None or kind is torch.Tensor:
        return torch is not None
    return issubclass(kind, torch.Tensor) and kind.__getattribute__ is torch.Tensor.__getattribute__


def is_array(value: Any) -> bool:
    """Whether this is an array of numpy. numpy itself is not imported."""
    return type(value).__module__ == "numpy" and hasattr(value, "dtype") and hasattr(value, "tolist")


def is_readable(tensor: Any, cpu_only: bool = True) -> bool:
    """Whether the values of a tensor may be read: it is a plain tensor in the memory of the CPU."""
    if not is_tensor(tensor):
        return False
    on_cpu = tensor.device.type == "cpu" if _torch_parts()[2] is None else tensor.is_cpu
    return (on_cpu or (not cpu_only and tensor.device.type != "meta")) and _is_plain(tensor)


def _is_plain(tensor: Any) -> bool:
    """Whether operations on a tensor are those of torch itself, and it has values.

    An operation on a tensor with its own dispatch can be a collective (DTensor) or fail (FakeTensor). Within
    vmap, a tensor has no values. Sparse, nested and quantized tensors lack many operations.
    """
    plain, dense, is_wrapped = _torch_parts()
    kind = type(tensor)
    if kind is not plain and getattr(kind, "__torch_dispatch__", None) is not getattr(
        plain, "__torch_dispatch__", None
    ):
        return False
    if tensor.layout is not dense or tensor.is_quantized:
        return False
    if getattr(tensor, "is_nested", False) or (is_wrapped and is_wrapped(tensor)):
        return False
    return _has_memory(tensor)


def _has_memory(tensor: Any) -> bool:
    """Whether the elements are there. FSDP frees the memory of weights, and reading them would end the process."""
    storage = tensor.untyped_storage() if hasattr(tensor, "untyped_storage") else tensor.storage()
    return bool(storage.size()) or tensor.numel() == 0


@functools.lru_cache(maxsize=None)
def _torch_parts() -> tuple[Any, Any, Any]:
    """The class of tensors, the dense layout, and the function that recognises a tensor within vmap.

    The last is None before torch 2.0. They are cached, because a lookup at each call takes longer.
    """
    import torch

    functorch = getattr(torch._C, "_functorch", None)
    return torch.Tensor, torch.strided, getattr(functorch, "is_functorch_wrapped_tensor", None)
