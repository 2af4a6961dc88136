"""DP14: a shuffling sampler that gives the same order in every epoch."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from dpkb_audit.check import CERTAIN, HINT, Check
from dpkb_audit.checks._datasets import find_innermost_sampler
from dpkb_audit.facts import Fact, group_facts
from dpkb_audit.object_contents import is_a, own_attributes
from dpkb_audit.records import LoaderRecord, OptimizerRecord

# At most this many indices of an epoch are compared.
_COMPARED_INDICES = 64
# Orders are compared only if at least this many different ones are possible: fewer may be equal by chance.
_MIN_ORDERS = 10000


class _Epoch:
    """An epoch of a loader, and the first indices that its sampler gave."""

    trained = False

    def __init__(self, record: LoaderRecord, loader: Any) -> None:
        sampler = find_innermost_sampler(loader)
        self.record, self.number, self.dataset = record, record.epochs, id(loader.dataset)
        self.indices: list[str] = []
        # The optimizer that made the last step before the epoch ended.
        self.optimizer: OptimizerRecord | None = None
        self.sampler, self.kind = type(sampler).__name__, _kind(sampler)
        attributes = own_attributes(sampler)
        self.sampler_epoch, self.sampler_rank = attributes.get("epoch"), attributes.get("rank")
        self.replicas = attributes.get("num_replicas")


class DP14(Check):
    description = "the order of the indices that each sampler gives in each epoch"
    fix = "call sampler.set_epoch(epoch) before each epoch, and seed a generator once, not in every epoch"

    def prepare(self) -> None:
        # The line that created a loader, its dataset, and whether it trained a model -> its epochs so far.
        self._histories: dict[Any, list[_Epoch]] = {}
        # The present epoch of each loader, by the loader's number.
        self._epochs: dict[int, _Epoch] = {}
        # Findings that are reported only if this process never trains. If it trains later, the program may
        # only have looked at the data in these epochs.
        self._doubtful: list[tuple[str, str, Any, str]] = []

    def on_epoch_started(self, record: LoaderRecord) -> None:
        loader = record.loader
        if loader is None or self.audit.worker is not None or record.epochs > 50:
            return
        self._end_epoch(record)
        self._epochs[record.number] = _Epoch(record, loader)

    def on_indices(self, record: LoaderRecord, indices: Any) -> None:
        epoch = self._epochs.get(record.number)
        if epoch is None or len(epoch.indices) >= _COMPARED_INDICES:
            return
        loader = record.loader
        if not epoch.indices and loader is not None:
            # A set_epoch() may come after iter(loader), but before the sampler begins.
            epoch.sampler_epoch = own_attributes(find_innermost_sampler(loader)).get("epoch")
        batch_indices = indices if is_a(indices, (list, tuple)) else [indices]
        epoch.indices += [repr(index) for index in batch_indices[: _COMPARED_INDICES - len(epoch.indices)]]

    def on_epoch_ended(self, record: LoaderRecord) -> None:
        self._end_epoch(record)

    def on_end(self) -> None:
        for epoch in list(self._epochs.values()):
            self._end_epoch(epoch.record)
        for certainty, message, where, fix in () if self._trains() else self._doubtful:
            self.report(certainty, message, where=where, fix=fix)

    def _trains(self) -> bool:
        return self.training.counts.get("backward passes", 0) > 0

    def _end_epoch(self, record: LoaderRecord) -> None:
        """Keep the epoch that has ended, and compare it with those before it."""
        epoch = self._epochs.pop(record.number, None)
        if epoch is None or len(epoch.indices) < 2:
            return
        epoch.trained = record.trained_epoch == epoch.number
        if self._trains() and not epoch.trained:
            return  # a look at a batch, or an evaluation
        epoch.optimizer = self.training.optimizer
        history = self._histories.setdefault((record.where, epoch.dataset, epoch.trained), [])
        history.append(epoch)
        if epoch.kind == "distributed" and epoch.sampler_rank is not None and len(history) <= 20:
            nth = sum(other.record is record for other in history)
            self.note(
                where=record.where,
                nth=nth,
                sampler_epoch=epoch.sampler_epoch,
                sampler_rank=epoch.sampler_rank,
                replicas=epoch.replicas,
            )
        # Only a loader that is used for training needs new orders. If the process never trains, the use of
        # the loader is not known.
        if epoch.kind != "fixed" and (epoch.trained or not record.evaluated):
            self._compare_with_earlier(epoch, history[:-1])

    def _compare_with_earlier(self, epoch: _Epoch, earlier: list[_Epoch]) -> None:
        same = [epoch]
        for other in reversed(earlier):
            # A second training run, with a new optimizer, may begin with the same order on purpose.
            if other.indices != epoch.indices or other.optimizer not in (epoch.optimizer, None):
                break
            same.append(other)
        if len(same) < 2 or not _is_shuffled(epoch.indices):
            return
        has_same_epoch = epoch.kind == "distributed" and all(
            other.sampler_epoch == epoch.sampler_epoch for other in same
        )
        orders = math.factorial(min(len(set(epoch.indices)), 20)) ** (len(same) - 1)
        if not has_same_epoch and orders < _MIN_ORDERS:
            return
        number = (
            f" (set_epoch was not called between them: the sampler is still in epoch {epoch.sampler_epoch})"
            if has_same_epoch
            else ""
        )
        fix = "call sampler.set_epoch(epoch) before each epoch" if has_same_epoch else self.fix
        certainty = HINT if epoch.kind == "own" and epoch.sampler_epoch is None else CERTAIN
        first = [index for index in epoch.indices[:5] if index.isdecimal()]  # another index may be data
        message = f"{len(same)} epochs in a row had the same shuffled order of {epoch.sampler}{number}" + (
            f": it began with {', '.join(first)}" if first else ""
        )
        where = epoch.record.where
        if epoch.trained:
            self.report(certainty, message, where=where, fix=fix)
        else:
            self._doubtful = [*self._doubtful[-19:], (certainty, message, where, fix)]

    @classmethod
    def compare(cls, facts: list[Fact]) -> Iterator[dict[str, Any]]:
        for same in group_facts(facts, lambda fact: (fact["where"], fact["nth"], fact["replicas"])):
            by_rank = {fact["sampler_rank"]: fact["sampler_epoch"] for fact in same}
            if len(set(by_rank.values())) < 2:
                continue
            numbers = ", ".join(f"rank {rank} {epoch}" for rank, epoch in sorted(by_rank.items())[:6])
            yield cls.finding(
                CERTAIN,
                f"in epoch {same[0]['nth']} of the loader, set_epoch had different numbers: {numbers}. The "
                f"{same[0]['replicas']} ranks divide different permutations: some samples come twice, and others never",
                where=same[0]["where"],
                fix="call set_epoch with the same number on every rank",
                epoch_by_rank=by_rank,
            )


def _kind(sampler: Any) -> str:
    """The kind of orders that a sampler gives: "distributed", "random", "fixed", or unknown ("own")."""
    from torch.utils import data
    from torch.utils.data.distributed import DistributedSampler

    if is_a(sampler, DistributedSampler):
        return "distributed" if sampler.shuffle else "fixed"
    if is_a(sampler, (data.RandomSampler, data.SubsetRandomSampler, data.WeightedRandomSampler)):
        return "random"
    if is_a(sampler, data.SequentialSampler):
        return "fixed"
    return "own"


def _is_shuffled(indices: list[str]) -> bool:
    """Whether the indices neither only rise nor only fall."""
    try:
        numbers = [int(index) for index in indices]
    except ValueError:
        return len(set(indices)) > 1
    steps = {b > a for a, b in zip(numbers, numbers[1:])}
    return len(steps) > 1
