"""What a dataset holds: its attributes, and those of its transforms and inner datasets."""

from __future__ import annotations

from collections.abc import Mapping

from dpkb_audit.digest import is_array, is_tensor

MYPY = False
if MYPY:
    from typing import Any

_DEPTH, _MOST = 4, 200
# Of a larger batch only so many values are looked at.
_VALUES = 20_000


def attributes_of(dataset: Any) -> list[tuple[str, Any]]:
    """Name ("self.cache") and value of each attribute, also of objects in attributes."""
    found: list[tuple[str, Any]] = []
    seen: set[int] = set()
    waiting = [("self", dataset, 0)]
    while waiting and len(seen) < _MOST:
        name, owner, depth = waiting.pop(0)
        if id(owner) in seen:
            continue
        seen.add(id(owner))
        if isinstance(owner, (list, tuple)):
            items = [(f"{name}[{i}]", item) for i, item in enumerate(owner[:20])]
        else:
            attributes = getattr(owner, "__dict__", {})
            items = [(f"{name}.{key}", item) for key, item in list(attributes.items())[:100]]
            found += items
        for path, item in items:
            if depth < _DEPTH and _has_attributes(item):
                waiting.append((path, item, depth + 1))
    return found


def _has_attributes(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return 0 < len(value) <= 20 and hasattr(value[0], "__dict__")
    return (hasattr(value, "__dict__") and not isinstance(value, type)
            and not callable(getattr(value, "read", None)) and not is_tensor(value)
            and type(value).__name__ not in ("module", "function", "method"))


def bytes_of(value: Any) -> int:
    """The bytes that the elements of a tensor, an array, a text or a container of these take. An estimate."""
    if is_tensor(value):
        return int(value.numel() * value.element_size())
    if is_array(value):
        return int(value.nbytes)
    if isinstance(value, (str, bytes, bytearray)):
        return len(value)
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)) and value:
        some = value[::max(len(value) // 5, 1)][:5]
        return int(sum(map(bytes_of, some)) * len(value) / len(some))
    return 0


def tensors_in(batch: Any) -> list[Any]:
    """The tensors of a batch, also in objects of the user's own."""
    found: list[Any] = []
    seen: set[int] = set()
    waiting = [batch]
    while waiting and len(seen) < _VALUES:
        value = waiting.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        if is_tensor(value):
            found.append(value)
        elif isinstance(value, Mapping):
            waiting += value.values()
        elif isinstance(value, (list, tuple)):
            waiting += value[:_VALUES]
        elif _has_attributes(value):
            waiting += vars(value).values()
    return found


def private_bytes() -> int:
    """Memory that this process shares with no other; 0 if the kernel does not say."""
    try:
        with open("/proc/self/smaps_rollup", "rb") as file:
            return sum(int(line.split()[1]) << 10 for line in file if line.startswith(b"Private_"))
    except OSError:
        return 0


def is_private(value: Any) -> bool:
    """Whether a tensor or array lies in this process's own memory, not in a shared or mapped one."""
    if is_tensor(value):
        return value.device.type == "cpu" and not value.is_shared()
    while is_array(value) or type(value).__name__ == "memmap":
        if type(value).__name__ == "memmap":
            return False
        value = value.base
    return type(value).__name__ != "mmap"


def was_forked() -> bool:
    """Whether this process is a fork of its parent, so that it began with its memory."""
    from multiprocessing import current_process

    return type(current_process()).__name__ == "ForkProcess"
