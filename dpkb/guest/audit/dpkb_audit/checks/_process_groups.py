"""Process groups of torch.distributed; used by D9 and D36."""

from __future__ import annotations

from typing import Any


def is_global(group: Any, world_size: int) -> bool:
    """Whether all ranks belong to a process group."""
    import torch.distributed as dist

    if group is None:
        return True
    try:
        return bool(dist.get_world_size(group) == world_size)
    except Exception:
        return False
