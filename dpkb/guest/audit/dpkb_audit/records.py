"""Records of the DataLoaders, optimizers, batches and models of an audited process."""

from __future__ import annotations

import weakref
from types import SimpleNamespace
from typing import Any

from dpkb_audit.cpu_times import measure_cpu_times
from dpkb_audit.journal import Journal
from dpkb_audit.lengths import read_length
from dpkb_audit.object_contents import own_attributes, tensors_in
from dpkb_audit.system import os, time
from dpkb_audit.user_code import find_user_line

_PLAIN_SETTINGS = (
    "batch_size",
    "drop_last",
    "num_workers",
    "persistent_workers",
    "pin_memory",
    "prefetch_factor",
    "timeout",
    "_IterableDataset_len_called",
)


class LoaderRecord:
    """The record of a DataLoader. It does not keep the loader alive."""

    def __init__(self, loader: Any, number: int) -> None:
        self._ref = _weak_reference(loader)
        self._iterator: Any = _no_object
        self.number = number
        # Copies of the settings, because the loader may be deleted before its last batch comes.
        attributes = own_attributes(loader)
        self.settings = {name: attributes.get(name) for name in _PLAIN_SETTINGS}
        self.num_workers = int(attributes.get("num_workers", 0))
        self.persistent_workers = bool(attributes.get("persistent_workers", False))
        self.prefetch = attributes.get("prefetch_factor") or 2
        # The size of the largest measured batch. The first batches of some epochs are measured.
        self.batch_bytes = self.batch_tensors = 0
        # The line in the user's code that created it.
        self.where = find_user_line()
        # The number of epochs, the batches of the current epoch, and the batches of all epochs.
        self.epochs = self.batch = self.batches = 0
        # Whether an epoch has started and not yet ended.
        self.in_epoch = False
        # The batches that an epoch should have; 0 if that is not known.
        self.length = 0
        # The last epoch of which a batch was followed by a backward pass; 0 if there is none.
        self.trained_epoch = 0
        # Whether a model was called after a batch without gradients.
        self.evaluated = False
        # For each batch of this epoch, the seconds that the program waited for it, and the seconds that it
        # worked before the next one.
        self.wait_seconds: list[float] = []
        self.work_seconds: list[float] = []
        self.delivered_at = 0.0
        # The process ids of this epoch's workers.
        self.workers: list[int] = []
        # Measured every 8 batches of this epoch: the number of the batch, the time, the cpu_times of the
        # loading processes (the workers, or this process if there are none), and those of this process.
        self.cpu_times: list[tuple[int, float, tuple[float, float], tuple[float, float]]] = []
        # The cpu_times of this process after the start of this epoch's workers.
        self.start_cpu_times: tuple[float, float] | None = None
        # All processes that have been its workers. With them, the facts of a worker are assigned to it.
        self.worker_pids: list[int] = []
        self._written: object = None
        # The check that has reported its waits: only one check reports the waits of a loader.
        self.waits_reported_by: str | None = None
        # Id of a check -> the value that the check keeps with this loader (Check.keep).
        self.kept: dict[str, Any] = {}

    @property
    def trained(self) -> bool:
        """Whether a backward pass followed a batch of it."""
        return self.trained_epoch > 0

    @property
    def loader(self) -> Any:
        """The attributes of the DataLoader, or None if it was deleted. A class of the program is not asked for them.

        In `for batch in DataLoader(...)` only the iterator is left, which has the settings of the loader.
        """
        loader, iterator = self._ref(), self._iterator()
        if loader is not None:
            return SimpleNamespace(**own_attributes(loader))
        if iterator is None:
            return None
        sampler, batched = iterator._index_sampler, iterator._auto_collation
        return SimpleNamespace(
            **self.settings,
            dataset=iterator._dataset,
            collate_fn=iterator._collate_fn,
            batch_sampler=sampler if batched else None,
            sampler=own_attributes(sampler).get("sampler") if batched else sampler,
        )

    def follow_iterator(self, iterator: Any) -> None:
        """The loader has a new iterator."""
        self._iterator = weakref.ref(iterator)

    def read_cpu_times(self) -> None:
        """Record how long the loading processes have computed, and waited for a core."""
        own = measure_cpu_times((os.getpid(),))
        loading = measure_cpu_times(self.workers) if self.workers else own
        if loading and own:
            self.cpu_times.append((self.batch, time.perf_counter(), loading, own))

    def measure(self, batch: Any) -> None:
        """Record the size of a batch."""
        tensors = tensors_in(batch)
        self.batch_tensors = max(self.batch_tensors, len(tensors))
        self.batch_bytes = max(self.batch_bytes, sum(t.numel() * t.element_size() for t in tensors))

    def write(self, journal: Journal, rank: int | None) -> None:
        """Write the workers and the usage of this loader to the journal, if they have changed."""
        now = (len(self.worker_pids), self.epochs, self.trained, self.evaluated, self.batch_bytes)
        if now != self._written:
            self._written = now
            journal.write(
                "loader",
                number=self.number,
                where=self.where,
                worker_pids=self.worker_pids[-500:],
                epochs=self.epochs,
                trained=self.trained,
                evaluated=self.evaluated,
                workers=self.num_workers,
                prefetch=self.prefetch,
                batch_bytes=self.batch_bytes,
                batch_tensors=self.batch_tensors,
                pid=os.getpid(),
                rank=rank,
            )


class OptimizerRecord:
    """The record of an optimizer that has stepped. It does not keep the optimizer alive."""

    def __init__(self, optimizer: Any) -> None:
        self._ref = _weak_reference(optimizer)
        # The number of steps that it has begun.
        self.steps = 0

    @property
    def optimizer(self) -> Any:
        """The optimizer, or None if it was deleted."""
        return self._ref()


class BatchRecord:
    """The record of a batch of a loader. It keeps no tensor alive."""

    def __init__(self, number: int, batch: Any) -> None:
        self.number = number
        # A reference to each tensor, and the number of its elements.
        self.tensors = [(weakref.ref(tensor), tensor.numel()) for tensor in tensors_in(batch)[:20]]


def batches_of(loader: Any) -> int:
    """The number of batches of an epoch; 0 if that is not known."""
    from torch.utils import data

    batches = own_attributes(loader).get("batch_sampler")
    return (read_length(batches) or 0) if type(batches) is data.BatchSampler else 0


def _no_object() -> None:
    return None


def _weak_reference(value: Any) -> Any:
    try:
        return weakref.ref(value)
    except TypeError:  # a class with __slots__
        return _no_object
