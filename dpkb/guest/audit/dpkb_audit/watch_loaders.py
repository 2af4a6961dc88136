"""Follows DataLoaders, their samplers, fetchers and workers."""

from __future__ import annotations

import collections
import itertools
import sys

from dpkb_audit.cpu_times import measure_cpu_times
from dpkb_audit.identity import IdentityMap
from dpkb_audit.object_contents import is_a, own_attributes
from dpkb_audit.records import LoaderRecord
from dpkb_audit.system import os, time

MYPY = False
if MYPY:
    from typing import Any

    from dpkb_audit.audit import Audit


class LoaderWatcher:
    """Follows the methods of loaders, their iterators and fetchers. Nothing of it is kept in these objects."""

    def __init__(self, audit: Audit) -> None:
        self._audit = audit
        # The record of each loader, and of the loader of each iterator.
        self._records, self._iterators = IdentityMap(), IdentityMap()
        # The loaders whose iterator is being created. The workers already get indices at that time.
        self._opening: list[LoaderRecord] = []
        self._numbers = itertools.count()
        # The line that created a loader -> the epochs of all loaders that it created.
        self._epochs: collections.Counter[Any] = collections.Counter()
        # For each running call of an iterator: the iterator's id, when it began, and the cost of the audit.
        self._waits: list[tuple[int, float, float]] = []
        # Fetcher -> the samples that its stream gave, None if it has ended; and the running fetches.
        self._given = IdentityMap()
        self._fetches: list[_Fetch] = []

    def find_record(self, loader: Any) -> LoaderRecord:
        """The record of a loader, which may be new."""
        record: LoaderRecord | None = self._records.get(loader)
        if record is None:
            record = self._records[loader] = LoaderRecord(loader, next(self._numbers))
            self._audit.emit("loader_created", record)
        return record

    def start_epoch(self, loader: Any) -> None:
        """iter(loader) is called."""
        record = self.find_record(loader)
        if record.in_epoch:
            self._audit.emit("epoch_abandoned", record)
        self._audit.emit("epoch_started", record)
        self._opening.append(record)
        # The workers of two epochs are compared with each other.
        self._epochs[record.where] += 1
        self._audit.budget.repeats_children = self._epochs[record.where] > 2

    def stop_opening(self, *_: Any) -> None:
        """The iterator was created, or that failed."""
        self._audit.budget.repeats_children = False
        if self._opening:
            self._opening.pop()

    def follow_iterator(self, iterator: Any, loader: Any) -> None:
        """iter(loader) has returned an iterator, which may be one of the program's own classes."""
        from torch.utils.data.dataloader import _BaseDataLoaderIter

        self.stop_opening()
        record = self.find_record(loader)
        if is_a(iterator, _BaseDataLoaderIter):
            self._iterators[iterator] = record
            record.follow_iterator(iterator)
            pids = [worker.pid for worker in own_attributes(iterator).get("_workers", ())]
            record.workers = pids
            record.worker_pids += [pid for pid in pids if pid not in record.worker_pids]
            record.start_cpu_times = measure_cpu_times((os.getpid(),)) if pids else None

    def follow_indices(self, indices: Any, iterator: Any) -> None:
        """An iterator got the indices of a batch from the sampler."""
        record = self._iterators.get(iterator) or (self._opening[-1] if self._opening else None)
        if record is not None:
            self._audit.emit("indices", record, indices)

    def start_waiting(self, iterator: Any, *_: Any, **__: Any) -> None:
        """The program begins to wait for a batch."""
        self._waits.append((id(iterator), time.perf_counter(), self._audit.budget.event_seconds))

    def stop_waiting(self, result: Any, iterator: Any, *_: Any, **__: Any) -> float:
        """The seconds that the program has waited, without those of the audit."""
        while self._waits:
            number, start, event_seconds = self._waits.pop()
            if number == id(iterator):
                seen = self._audit.budget.event_seconds - event_seconds
                return max(time.perf_counter() - start - seen, 0.0)
        return 0.0

    def follow_batch(self, batch: Any, iterator: Any) -> None:
        """The program got a batch."""
        waited = self.stop_waiting(batch, iterator)
        record = self._iterators.get(iterator)
        if record is None:
            return
        if self._audit.rest.sees_plain_batch(record):
            self._audit.emit("batch_passed", record, batch, waited)
        else:
            self._audit.emit("batch", record, batch, waited)

    def follow_end(self, error: BaseException, iterator: Any) -> None:
        """The program got no batch."""
        self.stop_waiting(error, iterator)
        record = self._iterators.get(iterator)
        if record is not None and isinstance(error, StopIteration):
            self._audit.emit("epoch_ended", record)

    def follow_waiting(self, result: Any, iterator: Any, *_: Any, **__: Any) -> None:
        """The main process has waited for workers, and result says whether data came."""
        seconds = self.stop_waiting(result, iterator)
        record = self._iterators.get(iterator)
        late_workers = iterator._task_info.get(iterator._rcvd_idx, ())[:1]
        if not result[0] and record is not None and late_workers:
            self._audit.emit("batch_late", record, iterator._workers, late_workers[0], seconds)

    def start_fetching(self, fetcher: Any, indices: Any) -> None:
        """A fetcher begins to load samples, in a worker or in the main process."""
        if fetcher not in self._given:
            self._given[fetcher] = 0
            self._follow_worker(fetcher)
        self._fetches.append(_Fetch(self._audit, fetcher, indices))

    def _follow_worker(self, fetcher: Any) -> None:
        from torch.utils.data import get_worker_info

        info, audit = get_worker_info(), self._audit
        if info is not None:
            if audit.worker is None:
                audit.become_worker(info.id, fetcher.dataset)
            audit.emit("worker_started", fetcher.dataset, fetcher.collate_fn)

    def end_fetching(self, batch: Any, fetcher: Any, indices: Any) -> None:
        """A fetcher has loaded a batch."""
        if not self._fetches:
            return
        fetch = self._fetches.pop()
        samples = fetch.end()
        self._given[fetcher] = (self._given.get(fetcher) or 0) + fetch.given
        if samples is not None:
            self._audit.emit("samples", fetcher.dataset, samples, batch)
        fetch.forget()

    def fail_fetching(self, error: BaseException, fetcher: Any, indices: Any) -> None:
        """A fetcher has no samples, or loading them failed."""
        if not self._fetches:
            return
        fetch = self._fetches.pop()
        fetch.end()
        fetch.forget()
        if self._audit.worker is not None and not isinstance(error, StopIteration):
            self._audit.note_failure(error)
        if isinstance(error, (IndexError, KeyError)):
            self._audit.emit("fetch_failed", fetcher.dataset, indices, error)
        elif isinstance(error, StopIteration) and self._given.get(fetcher) is not None:
            given = self._given[fetcher] + fetch.given
            self._given[fetcher] = None  # a stream ends once
            self._audit.emit("stream_ended", fetcher.dataset, given, fetch.given)


class _Fetch:
    """A running fetch. Until it ends, the fetcher has objects of dpkb, which no object of the program has."""

    def __init__(self, audit: Audit, fetcher: Any, indices: Any) -> None:
        self._audit, self._fetcher = audit, fetcher
        self._indices_before, audit.indices = audit.indices, indices
        self._collate, self._stream = _Collate(fetcher.collate_fn), None
        fetcher.collate_fn = self._collate
        if getattr(fetcher, "dataset_iter", None) is not None:
            self._stream = fetcher.dataset_iter = _Stream(fetcher.dataset_iter)
        # The number of samples that the stream gave.
        self.given = 0

    def end(self) -> Any:
        """Give the fetcher its own functions back. The result is a list of samples, or None if there are none."""
        self._fetcher.collate_fn, samples = self._collate.real, self._collate.samples
        if samples is not None and not getattr(self._fetcher, "auto_collation", True):
            samples = [samples]
        if self._stream is not None:
            self._fetcher.dataset_iter = self._stream.real
            # Without samples for collate_fn, the last request ended the stream, unless it had ended before.
            self.given = len(samples) if samples is not None else max(self._stream.asked - 1, 0)
        return samples

    def forget(self) -> None:
        """The event is over in which `audit.indices` has what was asked for."""
        self._audit.indices = self._indices_before


class _Collate:
    """A collate_fn that keeps the samples.

    Python finds the function to be called by the property, and calls it without a frame of dpkb between
    torch and the program: what the program finds out about its caller is as without the audit.
    """

    def __init__(self, real: Any) -> None:
        self.real: Any = real
        self.samples: Any = None

    @property
    def __call__(self) -> Any:
        samples = sys._getframe(1).f_locals.get("data")
        # Copy the list, because a collate_fn may sort it.
        self.samples = samples[:] if type(samples) is list else samples
        return self.real


class _Stream:
    """The iterator of an IterableDataset, which counts how often it is asked. It adds no frame either."""

    def __init__(self, real: Any) -> None:
        self.real, self.asked = real, 0

    @property
    def __next__(self) -> Any:
        self.asked += 1
        return self.real.__next__
