"""Events of DataLoaders, their samplers, fetchers and workers."""

from __future__ import annotations

import collections
import inspect
import itertools
import os
import time
import weakref
from functools import partial

from dpkb_audit.attachment import emit_around
from dpkb_audit.cpu_times import measure_cpu_times
from dpkb_audit.records import LoaderRecord

MYPY = False
if MYPY:
    from collections.abc import Callable
    from typing import Any

    from dpkb_audit.attachment import Attachment
    from dpkb_audit.audit import Audit


def watch_loaders(attachment: Attachment) -> None:
    """Watch loaders, their epochs, and the indices of their batches."""
    from torch.utils.data import DataLoader, dataloader, distributed

    audit, iterator_class = attachment.audit, dataloader._BaseDataLoaderIter
    watcher = _LoaderWatcher(audit, iterator_class)
    attachment.replace(DataLoader, "__init__", watcher.wrap_init)
    attachment.replace(DataLoader, "__iter__", watcher.wrap_iter)
    if audit.has_watchers("indices"):
        attachment.replace(iterator_class, "_next_index", watcher.wrap_next_index)
    attachment.replace(
        distributed.DistributedSampler,
        "__iter__",
        emit_around(audit, "sampler_started", None, lambda sampler: (sampler,)),
    )


class _LoaderWatcher:
    """Watches the methods of DataLoader, and has a record of each loader."""

    def __init__(self, audit: Audit, iterator_class: Any) -> None:
        self._audit, self._iterator_class = audit, iterator_class
        # The records are not attributes of the loaders, because a loader may be pickled or copied.
        self._records: weakref.WeakKeyDictionary[Any, LoaderRecord] = weakref.WeakKeyDictionary()
        # The loaders whose iterator is being created. The workers already get indices at that time.
        self._opening: list[LoaderRecord] = []
        self._numbers = itertools.count()
        # The line that created a loader -> the epochs of all loaders that it created.
        self._epochs: collections.Counter[Any] = collections.Counter()

    def _record_of(self, loader: Any) -> LoaderRecord:
        record = self._records.get(loader)
        if record is None:
            record = self._records[loader] = LoaderRecord(loader, next(self._numbers))
            self._audit.emit("loader_created", record)
        return record

    def wrap_init(self, real: Callable[..., Any]) -> Callable[..., Any]:
        """Wrap DataLoader.__init__."""
        record_of = self._record_of

        def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
            real(self, *args, **kwargs)
            record_of(self)

        return __init__

    def wrap_iter(self, real: Callable[..., Any]) -> Callable[..., Any]:
        """Wrap DataLoader.__iter__."""
        audit, opening, record_of = self._audit, self._opening, self._record_of
        iterator_class, epochs = self._iterator_class, self._epochs

        def __iter__(self: Any) -> Any:
            record = record_of(self)
            if record.in_epoch:
                audit.emit("epoch_abandoned", record)
            audit.emit("epoch_started", record)
            opening.append(record)
            # The workers of two epochs are compared with each other.
            epochs[record.where] += 1
            audit.budget.repeats_children = epochs[record.where] > 2
            try:
                iterator = real(self)
            finally:
                audit.budget.repeats_children = False
                opening.pop()
            if isinstance(iterator, iterator_class):
                iterator._dpkb_record = record
                if not record.persistent_workers:
                    # In `for batch in DataLoader(...)` nothing else keeps it, and checks ask it for settings.
                    # A loader with persistent workers keeps its iterator, which would be a cycle.
                    iterator._dpkb_loader = self
                pids = [worker.pid for worker in getattr(iterator, "_workers", ())]
                record.workers = pids
                record.worker_pids += [pid for pid in pids if pid not in record.worker_pids]
                record.start_cpu_times = measure_cpu_times((os.getpid(),)) if pids else None
            return iterator

        return __iter__

    def wrap_next_index(self, real: Callable[..., Any]) -> Callable[..., Any]:
        """Wrap the method of iterators that gets indices from the sampler."""
        audit, opening = self._audit, self._opening

        def _next_index(self: Any) -> Any:
            indices = real(self)
            record = self.__dict__.get("_dpkb_record") or (opening[-1] if opening else None)
            if record is not None:
                audit.emit("indices", record, indices)
            return indices

        return _next_index


def watch_batches(attachment: Attachment) -> None:
    """Watch batches that arrive or are late, in iterators that watch_loaders has marked with their loader."""
    from torch.utils.data import dataloader

    audit = attachment.audit
    attachment.replace(dataloader._BaseDataLoaderIter, "__next__", partial(_wrap_next, audit))
    attachment.replace(
        dataloader._MultiProcessingDataLoaderIter, "_try_get_data", partial(_wrap_try_get_data, audit)
    )


def _wrap_next(audit: Audit, real: Callable[..., Any]) -> Callable[..., Any]:
    def __next__(self: Any) -> Any:
        record = self.__dict__.get("_dpkb_record")
        start, event_seconds = time.perf_counter(), audit.budget.event_seconds
        try:
            batch = real(self)
        except StopIteration:
            if record is not None:
                audit.emit("epoch_ended", record)
            raise
        if record is not None:
            waited = time.perf_counter() - start - (audit.budget.event_seconds - event_seconds)
            audit.emit("batch", record, batch, max(waited, 0.0))
        return batch

    return __next__


def _wrap_try_get_data(audit: Audit, real: Callable[..., Any]) -> Callable[..., Any]:
    def _try_get_data(self: Any, *args: Any, **kwargs: Any) -> Any:
        start = time.perf_counter()
        result = real(self, *args, **kwargs)
        record = self.__dict__.get("_dpkb_record")
        late_workers = self._task_info.get(self._rcvd_idx, ())[:1]
        if not result[0] and record is not None and late_workers:
            audit.emit("batch_late", record, self._workers, late_workers[0], time.perf_counter() - start)
        return result

    return _try_get_data


class _WatchedCollate:
    """A collate_fn that also emits the samples. It belongs to a fetcher, so it is never pickled."""

    def __init__(self, audit: Audit, dataset: Any, real: Callable[[Any], Any], batched: bool) -> None:
        self._audit, self._dataset, self._real, self._batched = audit, dataset, real, batched

    def __call__(self, samples: Any) -> Any:
        # Copy the list, because a collate_fn may sort it.
        seen = samples[:] if isinstance(samples, list) else samples
        batch = self._real(samples)
        self._audit.emit("samples", self._dataset, seen if self._batched else [seen], batch)
        return batch

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)


class _CountedStream:
    """The iterator of an IterableDataset, with the number of its samples so far."""

    def __init__(self, real: Any) -> None:
        self._real, self.given, self.ended = real, 0, False

    def __iter__(self) -> _CountedStream:
        return self

    def __next__(self) -> Any:
        sample = next(self._real)
        self.given += 1
        return sample

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)


def watch_workers(attachment: Attachment) -> None:
    """Watch the start and the end of workers."""
    from torch.utils.data._utils import worker

    audit = attachment.audit
    parameters = list(inspect.signature(worker._worker_loop).parameters)

    def wrap_loop(real: Callable[..., Any]) -> Callable[..., Any]:
        def _worker_loop(*args: Any, **kwargs: Any) -> Any:
            values = dict(zip(parameters, args), **kwargs)
            audit.become_worker(values.get("worker_id", 0))
            try:
                return real(*args, **kwargs)
            finally:
                audit.emit("worker_ended", values.get("dataset"))
                audit.end()

        return _worker_loop

    attachment.replace(worker, "_worker_loop", wrap_loop)


def watch_fetchers(attachment: Attachment) -> None:
    """Watch the fetchers, which get samples from a dataset, in a worker or in the main process."""
    from torch.utils.data._utils import fetch

    audit = attachment.audit
    attachment.replace(fetch._BaseDatasetFetcher, "__init__", partial(_wrap_fetcher_init, audit))
    attachment.replace(fetch._MapDatasetFetcher, "fetch", partial(_wrap_map_fetch, audit))
    if audit.has_watchers("stream_ended"):
        attachment.replace(fetch._IterableDatasetFetcher, "__init__", _wrap_stream_init)
        attachment.replace(fetch._IterableDatasetFetcher, "fetch", partial(_wrap_stream_fetch, audit))


def _wrap_fetcher_init(audit: Audit, real: Callable[..., Any]) -> Callable[..., Any]:
    def __init__(
        self: Any, dataset: Any, auto_collation: Any, collate_fn: Any, *args: Any, **kwargs: Any
    ) -> None:
        if audit.worker is not None:
            audit.emit("worker_started", dataset, collate_fn)
        real(self, dataset, auto_collation, collate_fn, *args, **kwargs)
        if audit.has_watchers("samples") and not isinstance(self.collate_fn, _WatchedCollate):
            self.collate_fn = _WatchedCollate(
                audit, dataset, self.collate_fn, getattr(self, "auto_collation", True)
            )

    return __init__


def _wrap_map_fetch(audit: Audit, real: Callable[..., Any]) -> Callable[..., Any]:
    def fetch(self: Any, indices: Any) -> Any:
        before, audit.indices = audit.indices, indices
        try:
            return real(self, indices)
        except (IndexError, KeyError) as error:
            audit.emit("fetch_failed", self.dataset, indices, error)
            raise
        finally:
            audit.indices = before

    return fetch


def _wrap_stream_init(real: Callable[..., Any]) -> Callable[..., Any]:
    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        real(self, *args, **kwargs)
        self.dataset_iter = _CountedStream(self.dataset_iter)

    return __init__


def _wrap_stream_fetch(audit: Audit, real: Callable[..., Any]) -> Callable[..., Any]:
    def fetch(self: Any, indices: Any) -> Any:
        stream = self.dataset_iter
        given = stream.given
        try:
            return real(self, indices)
        except StopIteration:
            if not stream.ended:
                stream.ended = True
                audit.emit("stream_ended", self.dataset, stream.given, stream.given - given)
            raise

    return fetch
