"""DP16: drop_last that drops a partial batch in each worker of an IterableDataset."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dpkb_audit.check import HINT, LIKELY, Check
from dpkb_audit.facts import Fact, group_facts
from dpkb_audit.records import LoaderRecord

# If a smaller share of the samples is dropped, the finding is only a hint.
_MIN_DROPPED_SHARE = 0.05


class DP16(Check):
    description = "the samples that drop_last drops in each worker of an IterableDataset"
    fix = "split the stream in blocks of batch_size, or drop the rest once, in the main process"

    _epochs = 0
    _size = 0

    def on_samples(self, dataset: Any, samples: Any, batch: Any) -> None:
        self._size = max(self._size, len(samples))

    def on_stream_ended(self, dataset: Any, samples: int, dropped: int) -> None:
        from torch.utils.data import get_worker_info

        info = get_worker_info()
        self._epochs += 1
        if info is not None and self._epochs <= 5:
            self.note(
                samples=samples,
                dropped=dropped,
                size=self._size,
                epoch=self._epochs,
                workers=info.num_workers,
                dataset=type(dataset).__name__,
            )

    def on_epoch_ended(self, record: LoaderRecord) -> None:
        loader = record.loader
        if loader is not None and loader.drop_last and loader.num_workers > 1 and record.epochs <= 5:
            self.note(number=record.number, batch_size=loader.batch_size)

    @classmethod
    def compare(cls, facts: list[Fact]) -> Iterator[dict[str, Any]]:
        sizes: dict[Any, int] = {
            (fact.pid, fact["number"]): fact["batch_size"] for fact in facts if "number" in fact
        }
        for group in group_facts(
            [fact for fact in facts if fact.loader and "dropped" in fact],
            lambda fact: (fact.loader_key, fact.worker_start(fact["workers"]), fact["epoch"]),
        ):
            size, workers = sizes.get(group[0].loader_key), group[0]["workers"]
            lost, samples = sum(fact["dropped"] for fact in group), sum(fact["samples"] for fact in group)
            if not size or len(group) < workers or lost < size:
                continue
            yield cls.finding(
                LIKELY if lost >= _MIN_DROPPED_SHARE * samples else HINT,
                f"{workers} workers dropped {lost} of {samples} samples at the end of an epoch, a partial "
                f"batch each: one worker would have dropped {samples % size}",
                where=group[0].loader_line,
                dropped=lost,
                samples=samples,
                batch_size=size,
            )
