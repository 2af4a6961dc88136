"""Reads the values of tensors for the checks, without waiting for a GPU."""

from __future__ import annotations

import os
from collections import deque

from dpkb_audit.dispatch import came_from_program
from dpkb_audit.tensors import is_readable, is_readable_as_copy
from dpkb_audit.user_code import find_user_line

MYPY = False
if MYPY:
    from collections.abc import Callable
    from typing import Any

    from dpkb_audit.audit import Audit
    from dpkb_audit.check import Check

# At most this many reads wait for a GPU at a time.
_MAX_WAITING = 32


class _Read:
    """Copies of tensors that a GPU is making, and what a check does with them."""

    def __init__(self, check: Check, then: Callable[..., None], origin: tuple[Any, int]) -> None:
        self.check, self.then, self.origin = check, then, origin
        self.copies: list[Any] = []
        # An event for each copy on a GPU, which the GPU reaches when it has made the copy.
        self.events: list[Any] = []

    def is_ready(self) -> bool:
        """Whether the GPU has made all copies. It does not wait."""
        return all(event.query() for event in self.events)


class TensorReader:
    """Passes tensors to a check when their values can be read: at once on the CPU.

    With DPKB_AUDIT_READ_GPU=1 it also has a GPU copy tensors, after the work that the program has queued, and
    passes them on in a later step. This is not the default, because it has run on one kind of GPU only.
    """

    def __init__(self, audit: Audit) -> None:
        self._audit = audit
        self._reads_gpu = os.environ.get("DPKB_AUDIT_READ_GPU") == "1"
        self._waiting: deque[_Read] = deque()
        self._has_looked_at_device = False
        # While a check gets copies: the line and the step for which it asked for them.
        self.origin: tuple[Any, int] | None = None

    def can_read(self, tensor: Any) -> bool:
        """Whether `read` passes on this tensor. If so, it has views; a sparse tensor has none."""
        return is_readable(tensor) or (self._reads_gpu and is_readable_as_copy(tensor))

    def read(self, check: Check, tensors: list[Any], then: Callable[..., None]) -> None:
        """Call then(*tensors), now or later; never if some tensors cannot be read.

        A check bounds the size of the tensors, and asks `can_look` before.
        """
        if all(is_readable(tensor) for tensor in tensors):
            then(*tensors)
        elif len(self._waiting) < _MAX_WAITING and all(map(self.can_read, tensors)):
            read = _Read(check, then, (find_user_line(), self._audit.training.step))
            try:
                for tensor in tensors:
                    _copy(tensor.detach(), read)
            except RuntimeError:  # the program's own work on the GPU has failed
                return
            self._waiting.append(read)

    def on_step_started(self, optimizer: Any) -> None:
        if not self._has_looked_at_device:
            self._has_looked_at_device = True
            self._report_device(optimizer)
        if self._waiting:
            self._pass_on()

    def on_end(self) -> None:
        self._pass_on()

    def forget(self) -> None:
        """Forget the reads that wait. A fork comes: the child must not have objects of CUDA to free."""
        self._waiting = deque()
        self.origin = None

    def _pass_on(self) -> None:
        """Pass copies that are ready to their checks, in the order in which they were asked for."""
        waiting = self._waiting
        while waiting:
            try:
                if not waiting[0].is_ready():
                    return
                read = waiting.popleft()
                values = [_to_cpu(copy) for copy in read.copies]
            except RuntimeError:  # the program's own work on the GPU has failed
                self.forget()
                return
            self.origin = read.origin
            try:
                read.then(*values)
            except Exception as error:
                if came_from_program(error):
                    raise
                self._audit.dispatcher.remove_failed_check(read.check)
            finally:
                self.origin = None

    def _report_device(self, optimizer: Any) -> None:
        """Name the checks that see less, if the program trains on another device than the CPU."""
        from dpkb_audit.checks import all_checks

        parameter = next((p for group in optimizer.param_groups for p in group["params"]), None)
        device = parameter.device.type if parameter is not None else "cpu"
        if device != "cpu":
            copies = self._reads_gpu and device == "cuda"
            ids = sorted(
                id
                for id, check in all_checks().items()
                if check.cpu_only or (check.reads_tensors and not copies)
            )
            self._audit.journal.write(
                "left_out",
                area=(
                    f"what {', '.join(ids)} read of the values of tensors, which are on {device}: reading them "
                    "would wait for it; for these, audit some steps on the CPU"
                ),
            )


def _copy(tensor: Any, read: _Read) -> None:
    """Ask for a copy of a tensor on its own device."""
    import torch

    copy = tensor.clone()
    if tensor.is_cuda:
        with torch.cuda.device(tensor.device):
            event = torch.cuda.Event()  # type: ignore[no-untyped-call]
            event.record()
        read.events.append(event)
    read.copies.append(copy)


def _to_cpu(copy: Any) -> Any:
    """A copy that the GPU has made, on the CPU. On a separate stream, it waits for no other work."""
    if not copy.is_cuda:
        return copy
    import torch

    own_stream = torch.cuda.Stream(copy.device)  # type: ignore[no-untyped-call]
    with torch.cuda.stream(own_stream):
        return copy.cpu()
