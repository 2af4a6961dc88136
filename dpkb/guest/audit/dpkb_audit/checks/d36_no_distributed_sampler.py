"""D36: ranks that each train on the whole dataset, because no sampler divides it."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha1
from typing import Any

from dpkb_audit.check import CERTAIN, LIKELY, Check
from dpkb_audit.checks._datasets import find_innermost_sampler, is_stream
from dpkb_audit.checks._process_groups import is_global
from dpkb_audit.facts import Fact, group_facts
from dpkb_audit.lengths import read_length
from dpkb_audit.memory import was_forked
from dpkb_audit.object_contents import contents_of, has_attributes, is_a, own_attributes
from dpkb_audit.records import LoaderRecord
from dpkb_audit.sample_digests import digest, leaf_text, leaves_of
from dpkb_audit.tensors import is_array, is_tensor

# At most this many epochs of a loader are followed.
_MAX_EPOCHS = 2
# Repeated indices are looked for in at most this many.
_MAX_INDICES = 20000
# The order of at most this many first indices of an epoch is compared.
_ORDERED_INDICES = 64
# About this many samples of a dataset, spread over it, are compared.
_COMPARED_SAMPLES = 32
# At least this many samples must be equal.
_MIN_EQUAL = 8


class _Epoch:
    """An epoch of a loader on this rank, and its indices so far."""

    def __init__(self, record: LoaderRecord, loader: Any, length: int, contents: str) -> None:
        self.record, self.nth = record, record.epochs
        self.dataset, self.length, self.contents = id(loader.dataset), length, contents
        self.sampler, self.promised = type(find_innermost_sampler(loader)).__name__, _count_promised(loader)
        self.batch_size = loader.batch_size or own_attributes(loader.batch_sampler).get("batch_size") or 1
        self.samples = self.batches = 0
        self.indices: set[int] = set()
        self.first_indices: list[int] = []

    def add(self, indices: list[int]) -> bool:
        """Add the indices of a batch. Return whether they are all new.

        A dataset from which samples are drawn with replacement need not be divided.
        """
        self.samples += len(indices)
        self.batches += 1
        self.first_indices += indices[: _ORDERED_INDICES - len(self.first_indices)]
        if len(self.indices) >= _MAX_INDICES:
            return True
        before = len(self.indices)
        self.indices.update(indices)
        return len(self.indices) == before + len(indices)

    def gives_all(self) -> bool:
        """Whether the epoch gave all samples, or is going to."""
        return self.length - self.batch_size < self.samples <= self.length or self.promised >= self.length


class D36(Check):
    description = "the indices that each rank's loader gives in an epoch of training under DDP"
    fix = "use DistributedSampler(dataset) in place of this sampler or shuffle=True, and call set_epoch"

    def prepare(self) -> None:
        # The present epoch of each loader, by the loader's number.
        self._epochs: dict[int, _Epoch] = {}
        # Whether all ranks train a model together.
        self._is_distributed = False
        # The dataset of the last samples, the distance between the indices that are compared, and digests of
        # the leaves of the samples with these indices.
        self._dataset, self._step = 0, 1
        self._samples: dict[int, list[str]] = {}

    def on_epoch_started(self, record: LoaderRecord) -> None:
        loader, audit = record.loader, self.audit
        self._note_epoch(record.number)
        if audit.world_size < 2 or audit.worker is not None or loader is None or record.epochs > _MAX_EPOCHS:
            return
        length = _length(loader.dataset)
        if length >= _MIN_EQUAL:
            contents = _contents(loader.dataset, length) if audit.can_look() else ""
            self._epochs[record.number] = _Epoch(record, loader, length, contents)

    def on_indices(self, record: LoaderRecord, indices: Any) -> None:
        epoch = self._epochs.get(record.number)
        if epoch is None:
            return
        batch_indices = list(indices) if is_a(indices, (list, tuple)) else [indices]
        if not batch_indices or type(batch_indices[0]) is not int or not epoch.add(batch_indices):
            del self._epochs[record.number]

    def on_ddp_forward(self, ddp: Any) -> None:
        import torch

        group = getattr(ddp, "process_group", None)
        if torch.is_grad_enabled() and is_global(group, self.audit.world_size):
            self._is_distributed = True
            self.pause("ddp_forward")

    def on_samples(self, dataset: Any, samples: Any, batch: Any) -> None:
        audit = self.audit
        if audit.world_size < 2 and (audit.worker is None or was_forked()):
            return
        indices = audit.indices
        if not is_a(indices, (list, tuple)):
            return
        columns: list[Any] = []
        if not is_a(samples, (list, tuple)) or len(indices) != len(samples):
            # A __getitems__ that returns whole batches: the rows of their leaves are the samples.
            columns = [leaf for _, leaf in leaves_of(batch)]
            if not columns or any(_size(leaf) != len(indices) for leaf in columns):
                return
        if id(dataset) != self._dataset:
            self._note_samples()
            self._dataset, self._step = id(dataset), max(_length(dataset) // _COMPARED_SAMPLES, 1)
        for row, index in enumerate(indices):
            if (
                type(index) is int
                and index % self._step == 0
                and index not in self._samples
                and (len(self._samples) < 2 * _COMPARED_SAMPLES and audit.can_look())
            ):
                leaves = [leaf[row] for leaf in columns] or [leaf for _, leaf in leaves_of(samples[row])]
                self._samples[index] = list(map(digest, leaves))

    def on_worker_ended(self, dataset: Any) -> None:
        self._note_samples()

    def on_epoch_ended(self, record: LoaderRecord) -> None:
        self._note_epoch(record.number)

    def on_end(self) -> None:
        for number in list(self._epochs):
            self._note_epoch(number)

    def _note_samples(self) -> None:
        """Note the samples of a worker. The main process notes its samples with the epoch."""
        if self._samples and self.audit.worker is not None:
            self.note(samples=self._samples)
        self._samples = {}

    def _note_epoch(self, number: int) -> None:
        """Note an epoch of training that has ended or been abandoned, if it gives all samples."""
        epoch = self._epochs.pop(number, None)
        if epoch is None or not self._is_distributed or epoch.record.trained_epoch != epoch.nth:
            return
        if epoch.batches >= 2 and epoch.gives_all():
            self.note(
                where=epoch.record.where,
                number=number,
                nth=epoch.nth,
                length=epoch.length,
                sampler=epoch.sampler,
                order=_hash(repr(epoch.first_indices)),
                contents=epoch.contents,
                samples=self._samples if self._dataset == epoch.dataset else {},
            )

    @classmethod
    def compare(cls, facts: list[Fact]) -> Iterator[dict[str, Any]]:
        # Process and number of a loader -> leaves by index.
        samples: dict[Any, dict[str, list[str]]] = {}
        for fact in facts:
            key = (fact.pid, fact["number"]) if "number" in fact else fact.loader_key
            samples.setdefault(key, {}).update(fact["samples"])
        epochs = [fact for fact in facts if "number" in fact]
        for group in group_facts(epochs, lambda fact: (fact["where"], fact["nth"], fact["length"])):
            by_rank: dict[Any, Fact] = {fact.rank: fact for fact in group}
            if len(by_rank) < 2:
                continue
            first, second = [by_rank[rank] for rank in sorted(by_rank)[:2]]
            equal, alike = _compare_samples(*(samples[each.pid, each["number"]] for each in (first, second)))
            same_contents = first["contents"] and first["contents"] == second["contents"]
            if not equal and not (alike and same_contents):
                continue
            ordered = first["order"] == second["order"]
            yield cls.finding(
                CERTAIN if equal and ordered else LIKELY,
                f"{len(by_rank)} ranks each train on all {first['length']} samples in an epoch, in "
                f"{'the same order' if ordered else 'different orders'}: {first['sampler']} does not divide "
                "them",
                where=first["where"],
                length=first["length"],
                same_order=ordered,
                ranks=sorted(by_rank),
            )


def _length(dataset: Any) -> int:
    """The length of a dataset with indices, otherwise 0."""
    return 0 if is_stream(dataset) else read_length(dataset) or 0


def _count_promised(loader: Any) -> int:
    """How many different samples an epoch is going to give; 0 if that is not known."""
    from torch.utils import data

    # If the program passes a batch_sampler, loader.sampler is not used.
    sampler = own_attributes(loader.batch_sampler).get("sampler")
    if type(loader.batch_sampler) is not data.BatchSampler or own_attributes(sampler).get("replacement"):
        return 0
    known = type(sampler) in (data.RandomSampler, data.SequentialSampler)
    return (read_length(sampler) or 0) if known else 0


def _contents(dataset: Any, length: int) -> str:
    """A text for the contents of a dataset that has its samples in memory, otherwise an empty text."""
    if not has_attributes(dataset):
        return ""
    texts, holds = [], False
    for name, value, _ in contents_of(dataset):
        size = _size(value)
        holds = holds or size >= length
        if is_a(value, (list, tuple, range)):
            value = [leaf_text(item) for item in value[:: max(size // _COMPARED_SAMPLES, 1)]]
            texts.append((name, size, repr(value)))
        else:
            texts.append((name, size, leaf_text(value)))
    return _hash(repr(texts)) if holds else ""


def _hash(text: str) -> str:
    return sha1(text.encode("utf-8", "backslashreplace")).hexdigest()[:8]


def _size(value: Any) -> int:
    """How many rows a list, tensor or array has."""
    if is_tensor(value) or is_array(value):
        return int(value.shape[0]) if len(value.shape) else 0
    return len(value) if is_a(value, (list, tuple, range)) else 0


def _compare_samples(one: dict[str, list[str]], other: dict[str, list[str]]) -> tuple[bool, bool]:
    """Whether two ranks got equal samples for the same indices, and whether at least one leaf was equal."""
    common = sorted(set(one) & set(other))
    if len(common) < _MIN_EQUAL:
        return False, False
    mine, theirs = [[side[index] for index in common] for side in (one, other)]
    leaves = min(map(len, mine + theirs))
    columns = [
        [leaf[i] for leaf in mine] for i in range(leaves) if all(a[i] == b[i] for a, b in zip(mine, theirs))
    ]
    equal = mine == theirs and len(set(map(repr, mine))) >= _MIN_EQUAL // 2
    return equal, any(len(set(column)) > 1 for column in columns)
