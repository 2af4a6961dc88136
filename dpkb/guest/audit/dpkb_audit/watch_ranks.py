"""Events of process groups, collectives and DistributedDataParallel."""

from __future__ import annotations

import inspect
from functools import partial

from dpkb_audit.attachment import emit_around

MYPY = False
if MYPY:
    from collections.abc import Callable
    from typing import Any

    from dpkb_audit.attachment import Attachment
    from dpkb_audit.audit import Audit

_COLLECTIVES = (
    "all_reduce",
    "all_gather",
    "all_gather_object",
    "all_to_all",
    "barrier",
    "broadcast",
    "broadcast_object_list",
    "gather",
    "reduce",
    "reduce_scatter",
    "scatter",
    "send",
    "recv",
    "all_gather_into_tensor",
    "reduce_scatter_tensor",
    "monitored_barrier",
)


def watch_ranks(attachment: Attachment) -> None:
    """Watch process groups, collectives and DistributedDataParallel."""
    import torch.distributed as dist
    from torch.nn.parallel import DistributedDataParallel

    audit = attachment.audit
    attachment.replace(
        DistributedDataParallel,
        "__init__",
        emit_around(audit, None, "ddp_created", lambda ddp, *_, **__: (ddp,)),
    )
    attachment.replace(
        DistributedDataParallel,
        "forward",
        emit_around(audit, "ddp_forward", None, lambda ddp, *_, **__: (ddp,)),
        traced=True,
    )
    if not dist.is_available():
        return
    if audit.has_watchers("join_created"):
        attachment.replace(
            DistributedDataParallel, "join", emit_around(audit, "join_created", None, _no_arguments)
        )
        try:
            from torch.distributed.algorithms.join import Join
        except ImportError:  # before torch 1.10
            pass
        else:
            attachment.replace(Join, "__init__", emit_around(audit, "join_created", None, _no_arguments))
    attachment.replace(
        dist,
        "init_process_group",
        emit_around(
            audit, None, "process_group_started", lambda *_, **__: (dist.get_rank(), dist.get_world_size())
        ),
    )
    for name in _COLLECTIVES:
        if hasattr(dist, name):
            attachment.replace(dist, name, partial(_wrap_collective, audit, name))
    attachment.replace(
        dist, "destroy_process_group", partial(_wrap_collective, audit, "destroy_process_group")
    )


def _wrap_collective(audit: Audit, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
    try:
        parameters = list(inspect.signature(real).parameters)
    except (TypeError, ValueError):
        parameters = []

    def collective(*args: Any, **kwargs: Any) -> Any:
        group = dict(zip(parameters, args), **kwargs).get("group")
        if name != "destroy_process_group":
            audit.emit("collective", name)
        audit.emit("collective_started", name, group)
        return real(*args, **kwargs)

    return collective


def _no_arguments(*_: Any, **__: Any) -> tuple[Any, ...]:
    return ()
