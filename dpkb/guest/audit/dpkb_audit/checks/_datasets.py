"""The kind and the length of datasets, and the samplers of loaders."""

from __future__ import annotations

from typing import Any

from dpkb_audit.object_contents import has_method, is_a, own_attributes


def is_stream(dataset: Any) -> bool:
    """Whether this is an IterableDataset."""
    from torch.utils.data import IterableDataset

    return is_a(dataset, IterableDataset)


def find_innermost_sampler(loader: Any) -> Any:
    """The sampler that decides on the order: the innermost one."""
    sampler = loader.batch_sampler if loader.batch_sampler is not None else loader.sampler
    for _ in range(4):
        inner = own_attributes(sampler).get("sampler")
        if inner is None or not has_method(inner, "__iter__"):
            break
        sampler = inner
    return sampler
