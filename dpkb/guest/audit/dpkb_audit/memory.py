"""The memory of values and processes: how large it is, and whether processes share it."""

from __future__ import annotations

from typing import Any

from dpkb_audit.object_contents import is_a, plain
from dpkb_audit.system import open
from dpkb_audit.tensors import is_array, is_tensor


def bytes_of(value: Any) -> int:
    """An estimate of the bytes of the elements of a tensor, an array, a text or a container of these."""
    if is_tensor(value):
        return int(value.numel() * value.element_size())
    if is_array(value):
        return int(value.nbytes)
    if is_a(value, (str, bytes, bytearray)):
        return len(value)
    value = plain(value)
    if is_a(value, dict):
        value = list(value.values())
    if is_a(value, (list, tuple)) and value:
        sample = value[:: max(len(value) // 5, 1)][:5]
        return int(sum(map(bytes_of, sample)) * len(value) / len(sample))
    return 0


def read_private_bytes() -> int:
    """Bytes of memory that this process does not share; 0 if the kernel does not say."""
    try:
        with open("/proc/self/smaps_rollup", "rb") as file:
            return sum(int(line.split()[1]) << 10 for line in file if line.startswith(b"Private_"))
    except OSError:
        return 0


def is_private(value: Any) -> bool:
    """Whether a tensor or array is in the private memory of this process, not in shared or mapped memory."""
    if is_tensor(value):
        return value.device.type == "cpu" and not value.is_shared()
    while is_array(value) or type(value).__name__ == "memmap":
        if type(value).__name__ == "memmap":
            return False
        value = value.base
    return type(value).__name__ != "mmap"


def was_forked(process: Any = None) -> bool:
    """Whether a process, by default this process, was forked, so that it began with its parent's memory."""
    import multiprocessing

    kind = type(process or multiprocessing.current_process()).__name__
    # For a "Process", the default start method decides.
    return kind == "ForkProcess" or (kind == "Process" and start_method() == "fork")


def start_method() -> str:
    """The default start method of processes. The program may still choose another one."""
    import multiprocessing

    return multiprocessing.get_start_method(allow_none=True) or multiprocessing.get_all_start_methods()[0]
