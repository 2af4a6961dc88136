"""The tensors and layers at the place where an exception was raised."""

from __future__ import annotations

import builtins
import contextlib
import linecache
import re
from itertools import islice
from operator import itemgetter
from types import MemberDescriptorType

from dpkb_audit.object_contents import has_method, is_a, items_of, own_attributes, plain
from dpkb_audit.system import os
from dpkb_audit.tensors import is_readable, is_tensor
from dpkb_audit.user_code import is_library

MYPY = False
if MYPY:
    from collections.abc import Iterator
    from typing import Any

# At most this many lines are shown, with the first one and one for each frame, and at most this many frames.
_MAX_LINES, _MAX_FRAMES = 12, 3
# A recursion has thousands of callers.
_MAX_CALLERS = 50
# At most this many items of a list or dict are shown.
_MAX_ITEMS = 4
# Larger tensors are not searched for their extremes.
_MAX_ELEMENTS = 10_000_000
# Modules with exceptions that tell how another process ended.
_OTHER_PROCESSES = (
    "concurrent.futures.process",
    "multiprocessing.pool",
    "subprocess",
    "torch.multiprocessing.spawn",
    "torch.distributed.elastic.multiprocessing.errors",
)
# What the line gives a value, if that is a name; and the rest.
_ASSIGNED = re.compile(r"(?:for (.+?) in\b|([\w\s.,*]+?)=(?!=))(.*)")
_NAME = re.compile(r"(?<![\w.\"'])[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")


class FailedFrame:
    """A frame of the traceback. values: the text of each tensor and layer, by the name that the code has for it."""

    def __init__(self, trace: Any, seen: set[int], room: int) -> None:
        """seen: the ids of what is shown already. room: for how many values there is room."""
        code = trace.tb_frame.f_code
        self.file, self.line, self.function = code.co_filename, trace.tb_lineno, code.co_name
        self.is_layer = _is_layer(trace.tb_frame)
        last = self.line
        is_loop = linecache.getline(self.file, self.line).lstrip().startswith("for ")
        # Since Python 3.11, an expression that failed has several lines. Those of a loop are its body.
        if hasattr(code, "co_positions") and not is_loop:
            last = next(islice(code.co_positions(), trace.tb_lasti // 2, None))[1] or last
        lines = range(self.line, min(last, self.line + _MAX_LINES) + 1)
        self.code = " ".join(linecache.getline(self.file, line).strip() for line in lines)
        values = _find_values(trace.tb_frame, "" if self.is_layer else self.code)
        texts = ((name, value, _describe(value)) for name, value in values if id(value) not in seen)
        self.values = {}
        for name, value, text in islice(filter(itemgetter(2), texts), max(room, 0)):
            seen.add(id(value))
            self.values[name] = text


def find_failed_frames(error: BaseException) -> list[FailedFrame]:
    """The innermost frames of the user's code that have tensors, and before them the layer of torch that failed.

    Each tensor is shown once. Those on a device are not read: after an error of the device, any call may fail.
    """
    traces = _list_traces(error)
    users = [trace for trace in traces if not is_library(trace.tb_frame.f_code.co_filename)]
    inner = traces[traces.index(users[-1]) :] if users else []
    layers = [trace for trace in inner if _is_layer(trace.tb_frame)]
    seen: set[int] = set()
    frames: list[FailedFrame] = []
    for trace in layers[-1:] + users[:-_MAX_CALLERS:-1]:
        used = 1 + sum(1 + len(frame.values) for frame in frames)
        frame = FailedFrame(trace, seen, _MAX_LINES - used - 1 if len(frames) < _MAX_FRAMES else 0)
        frames += [frame] if frame.values else []
    return frames


def _list_traces(error: BaseException | None) -> list[Any]:
    """The traceback of an exception, then of what it was raised from. Of a group of exceptions, the first counts.

    None if it was raised in a worker, a rank or a pool: its frames are gone.
    """
    group = getattr(builtins, "BaseExceptionGroup", None)
    traces: list[Any] = []
    known: set[int] = set()
    while error is not None and id(error) not in known:
        known.add(id(error))
        while group and is_a(error, group):
            error = group.exceptions.__get__(error)[0]  # a class of the program may have its own
        trace = error.__traceback__
        while trace is not None:
            traces.append(trace)
            trace = trace.tb_next
        is_raised_again = traces and traces[-1].tb_frame.f_code.co_name == "reraise"
        if is_raised_again or type(error).__module__ in _OTHER_PROCESSES:
            return []
        error = error.__cause__
    return traces


def _is_layer(frame: Any) -> bool:
    """Whether this is the forward() of a layer of torch."""
    folder = os.path.join("torch", "nn", "modules")
    return frame.f_code.co_name == "forward" and folder in frame.f_code.co_filename


def _find_values(frame: Any, code: str) -> Iterator[tuple[str, Any]]:
    """The tensors and layers that the line names, then the tensors in other local variables of a function."""
    from torch.nn import Module

    earlier = _find_assigned(code)
    named = dict(_look_up(frame, name) for name in _NAME.findall(code))
    others = frame.f_locals if frame.f_locals is not frame.f_globals else {}
    for name, value in {**named, **others}.items():
        if name in earlier:
            continue
        if is_tensor(value) or ((name in named or not code) and is_a(value, Module)):
            yield name, value
        elif name != "self":
            yield from ((name + path, item) for path, item in _items_of(value) if is_tensor(item))


def _find_assigned(code: str) -> set[str]:
    """The names that a line would have given a value, and does not read: they have that of an earlier step."""
    assigned = _ASSIGNED.match(code)
    if assigned is None:
        return set()
    read = tuple(f"{name}." for name in _NAME.findall(assigned[3]))
    names = _NAME.findall(assigned[1] or assigned[2])
    return {name for name in names if not any(other.startswith(f"{name}.") for other in read)}


def _look_up(frame: Any, name: str) -> tuple[str, Any]:
    """Name and value of `batch`, `self.head.weight` or the `x` of `x.view`. Nothing is called for it."""
    found, *attributes = name.split(".")
    value = frame.f_locals.get(found, frame.f_globals.get(found))
    for attribute in attributes:
        own = own_attributes(value)
        tables = [own, *(own.get(table) or {} for table in ("_parameters", "_buffers", "_modules"))]
        table = next((table for table in tables if attribute in table), None)
        if table is None:
            break
        found, value = f"{found}.{attribute}", table[attribute]
    return found, value


def _items_of(value: Any) -> list[tuple[str, Any]]:
    """Path and value of the first items of a list or dict, or of the first attributes of a dataclass."""
    value = plain(value)
    if is_a(value, dict):
        return list(islice(items_of(value), _MAX_ITEMS))
    if is_a(value, (list, tuple)):
        return [(f"[{index}]", item) for index, item in enumerate(value[:_MAX_ITEMS])]
    if has_method(value, "__dataclass_fields__"):
        slots = {
            name: slot
            for kind in type(value).__mro__
            for name, slot in vars(kind).items()
            if type(slot) is MemberDescriptorType
        }
        with contextlib.suppress(AttributeError):  # a slot without a value
            attributes = own_attributes(value) or {name: slot.__get__(value) for name, slot in slots.items()}
            return [(f".{key}", item) for key, item in list(attributes.items())[:_MAX_ITEMS]]
    return []


def describe_tensor(tensor: Any) -> str:
    """Data type, shape, device, and what the values show: "int64 (32, 128) on cpu, 0 to 1203"."""
    import torch

    # A class of the program may be told of each look.
    with torch.no_grad(), torch._C.DisableTorchFunction():
        parts = [f"{str(tensor.dtype)[len('torch.') :]} {tuple(tensor.shape)} on {tensor.device}"]
        if tensor.requires_grad:
            parts.append("requires grad")
        if is_readable(tensor) and 0 < tensor.numel() <= _MAX_ELEMENTS and not tensor.is_complex():
            with contextlib.suppress(Exception):  # there may be no memory left
                if tensor.is_floating_point():
                    kinds = (("nan", torch.isnan), ("inf", torch.isinf))
                    parts += [f"has {kind}" for kind, has in kinds if bool(has(tensor).any())]
                elif tensor.dtype != torch.bool:
                    parts.append(f"{int(tensor.min())} to {int(tensor.max())}")
    return ", ".join(parts)


def _describe(value: Any) -> str:
    """A tensor, or a layer of torch with its numbers; "" for others, which may have an extra_repr() of the program."""
    kind = type(value)
    # One of another version, or of a class that the program has written, may fail in many ways.
    with contextlib.suppress(Exception):
        if is_tensor(value):
            return describe_tensor(value)
        numbers = value.extra_repr() if kind.__module__.startswith("torch.nn.modules.") else ""
        return f"{kind.__name__}({numbers})" if numbers else ""
    return ""
