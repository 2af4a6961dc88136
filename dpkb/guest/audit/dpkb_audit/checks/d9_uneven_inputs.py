"""D9: ranks that have different numbers of batches. The facts are also used by DP3, D21 and D22."""

from __future__ import annotations

import functools
import sys
import weakref
from typing import Any

from dpkb_audit import rank_traces
from dpkb_audit.checks._datasets import is_stream
from dpkb_audit.checks._process_groups import is_global
from dpkb_audit.checks._rank_order_check import OrderCheck
from dpkb_audit.modules import buffers_in
from dpkb_audit.records import LoaderRecord
from dpkb_audit.system import os, time
from dpkb_audit.user_code import find_caller_file, find_user_line

# A trace has at most this many bytes.
_MAX_BYTES = 2 << 20


class D9(OrderCheck):
    description = "the batches and backward passes of each rank"
    fix = "give all ranks the same number of batches (DistributedSampler), or train inside model.join()"

    def prepare(self) -> None:
        # Whether this process has joined a process group; nothing is traced before.
        self._active = False
        # Whether DDP synchronises the next backward pass.
        self._pending = self._has_joined = False
        # The length of the trace, and its codes: kind or name, line and slot -> code.
        self._bytes = 0
        self._codes: dict[Any, int] = {}
        # The end of the trace that is not written yet.
        self._unwritten = b""
        # The DDP model that was called last, and whether all ranks belong to its group.
        self._last_ddp: Any = None
        self._is_global = False
        # A line that created loaders -> the loader of each slot.
        self._slots: dict[Any, list[LoaderRecord]] = {}
        self.pause("backward_passed")

    def on_process_group_started(self, rank: int, world_size: int) -> None:
        if world_size > 1 and not self._active:
            self._active = True
            self.resume("backward_passed")
            self.note(of_rank=rank, world_size=world_size, at=time.time())

    def on_collective(self, name: str, group: Any) -> None:
        # Collectives that torch calls itself (in DDP or join) are left out: the DDP pass or join is traced.
        if (
            self._active
            and name not in ("send", "recv")
            and is_global(group, self.audit.world_size)
            and not _is_in_torch(find_caller_file())
        ):
            self._trace_operation(name)

    def on_ddp_forward(self, ddp: Any) -> None:
        import torch

        # model.join(): ranks may take different numbers of steps. Before torch 1.10 it has another name.
        joining = getattr(ddp, "_join_config", None) or getattr(ddp, "ddp_uneven_inputs_config", None)
        is_joining = getattr(joining, "enable", False) or getattr(joining, "ddp_join_enabled", False)
        if is_joining and self._active and not self._has_joined:
            self._has_joined = True
            self._write(rank_traces.JOINED)
        if self._last_ddp is None or self._last_ddp() is not ddp:
            self._last_ddp = weakref.ref(ddp)
            self._is_global = is_global(getattr(ddp, "process_group", None), self.audit.world_size)
        if not self._active or not self._is_global:
            return
        # DDP broadcasts the buffers, also in validation. In the second step it also agrees with the other
        # ranks on the order of the gradients.
        if torch.is_grad_enabled() and getattr(ddp, "require_backward_grad_sync", True):
            self._pending = True
            # Without buffers to broadcast, a later pass cannot wait for the other ranks. At rest, opening the file
            # once for this and for the backward pass makes the step cheaper.
            is_waiting = not self.audit.rest.resting or getattr(ddp, "modules_buffers", True)
            self._trace_operation(rank_traces.FORWARD, now=bool(is_waiting))
        elif (
            getattr(ddp, "broadcast_buffers", True)
            and getattr(ddp, "require_forward_param_sync", True)
            and next(buffers_in(ddp), None) is not None
        ):
            self._trace_operation(rank_traces.VALIDATION)

    def on_backward_passed(self) -> None:
        if self._active and self._pending:
            self._pending = False
            self._trace_operation(rank_traces.BACKWARD)

    def on_epoch_started(self, record: LoaderRecord) -> None:
        self._trace_loader("epoch", record)

    def on_batch(self, record: LoaderRecord, batch: Any, waited: float) -> None:
        self._trace_loader("batch", record)

    def on_epoch_ended(self, record: LoaderRecord) -> None:
        self._trace_loader("end", record)

    def on_end(self) -> None:
        # Without this mark, the rank counts as one that was ended from outside.
        audit = self.audit
        failed = audit.exit_code or (audit.exit_code is None and getattr(sys, "last_value", None) is not None)
        if self._active and not failed and not audit.steps_reached:
            self._write(rank_traces.FINISHED)
        elif self._unwritten:
            self.trace(self._unwritten)

    def _trace_loader(self, kind: str, record: LoaderRecord) -> None:
        if self._active and self.audit.worker is None:
            slot = self._slot(record)
            code = self._codes.get((kind, record.where, slot))
            if code is None:
                dataset = getattr(record.loader, "dataset", None)
                code = self._add_code(kind, record.where, slot, is_stream(dataset))
            self._write(code)

    def _slot(self, record: LoaderRecord) -> int:
        """A number among the loaders that one line creates, at the same time or one after the other.

        It is the same on each rank.
        """
        records = self._slots.setdefault(record.where, [])
        for slot, other in enumerate(records):
            if other is record:
                return slot
        for slot, other in enumerate(records):
            if other.loader is None:
                records[slot] = record
                return slot
        records.append(record)
        return len(records) - 1

    def _trace_operation(self, name: str, now: bool = True) -> None:
        where = find_user_line()
        self._write(self._codes.get((name, where, 0)) or self._add_code("operation", where, name=name), now)

    def _add_code(self, kind: str, where: Any, slot: int = 0, iterable: bool = False, name: str = "") -> int:
        code = len(self._codes) + rank_traces.FIRST_FREE_CODE
        if code > 255:
            self._bytes = _MAX_BYTES  # nothing more is written
            return 0
        self._codes[name or kind, where, slot] = code
        self.note(code=code, kind=kind, name=name, where=where, slot=slot, iterable=iterable)
        return code

    def _write(self, code: int, now: bool = True) -> None:
        """Add a code to the trace. now: at once, since the rank may be killed before the next one."""
        if self._bytes < _MAX_BYTES:
            self._bytes += 1
            self._unwritten += bytes((code,))
            if now:
                self.trace(self._unwritten)
                self._unwritten = b""


@functools.lru_cache(maxsize=1024)
def _is_in_torch(filename: str) -> bool:
    import torch

    return filename.startswith(os.path.dirname(str(torch.__file__)) + os.sep)
