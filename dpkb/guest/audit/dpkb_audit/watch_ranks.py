"""Follows process groups, collectives and DistributedDataParallel."""

from __future__ import annotations

from dpkb_audit.calls import parameters_of

MYPY = False
if MYPY:
    from typing import Any

    from dpkb_audit.audit import Audit

COLLECTIVES = (
    "all_gather",
    "all_gather_into_tensor",
    "all_gather_object",
    "all_reduce",
    "all_to_all",
    "all_to_all_single",
    "barrier",
    "broadcast",
    "broadcast_object_list",
    "gather",
    "gather_object",
    "monitored_barrier",
    "recv",
    "reduce",
    "reduce_scatter",
    "reduce_scatter_tensor",
    "scatter",
    "scatter_object_list",
    "send",
)


class RankWatcher:
    """Follows what this rank does together with others."""

    def __init__(self, audit: Audit) -> None:
        self._audit = audit
        # The collectives that are running: some call others.
        self._running: list[str] = []

    def follow_start(self, *_: Any, **__: Any) -> None:
        """The process group was created."""
        import torch.distributed as dist

        self._audit.emit("process_group_started", dist.get_rank(), dist.get_world_size())

    def start_collective(self, name: str, *args: Any, **kwargs: Any) -> None:
        """A collective is called, or a process group is destroyed."""
        self._running.append(name)
        if len(self._running) == 1:
            group = dict(zip(parameters_of("torch.distributed", name), args), **kwargs).get("group")
            self._audit.emit("collective", name, group)

    def end_collective(self, *_: Any, **__: Any) -> None:
        """A collective has returned or raised."""
        if self._running:
            self._running.pop()
