"""DP1: generators of a dataset or collate_fn that start equal in several workers, or again in each epoch."""

from __future__ import annotations

from collections.abc import Iterator
from types import FunctionType, MethodType
from typing import Any

from dpkb_audit.check import CERTAIN, Check
from dpkb_audit.checks._datasets import is_stream
from dpkb_audit.checks._generators import list_global_generators, own_generators_of, state_of
from dpkb_audit.checks._texts import list_names
from dpkb_audit.facts import Fact, group_facts
from dpkb_audit.object_contents import is_a


class _GeneratorStart:
    """A generator, its first state, and the name of the class or function that uses it."""

    def __init__(self, owner: Any, name: str, generator: Any) -> None:
        self.owner = (owner if is_a(owner, (FunctionType, type)) else type(owner)).__name__
        self.name, self.generator, self.state = name, generator, state_of(generator)


class DP1(Check):
    description = (
        "the random generators that a dataset and its collate_fn use, at the start of each worker and epoch"
    )
    fix = "in worker_init_fn, or when it is first used, seed each generator from torch.initial_seed()"

    def prepare(self) -> None:
        # The generators from which this worker has not drawn yet.
        self._starts: list[_GeneratorStart] = []
        self._owners: list[Any] = []
        self._batches = 0

    def on_worker_started(self, dataset: Any, collate: Any) -> None:
        self._batches = 0
        self._owners = [dataset, collate.__self__ if is_a(collate, MethodType) else collate]
        self._starts = [_GeneratorStart(dataset, *named) for named in list_global_generators()]
        for owner in self._owners:
            # Workers may shuffle a stream in the same way before they divide it. Only the numbers that they
            # draw afterwards must differ.
            if not is_stream(owner):
                self._add_own(owner)

    def _add_own(self, owner: Any) -> None:
        followed = {id(start.generator) for start in self._starts}
        self._starts += [
            _GeneratorStart(owner, name, generator)
            for name, generator in own_generators_of(owner)
            if id(generator) not in followed
        ]

    def on_samples(self, dataset: Any, samples: Any, batch: Any) -> None:
        if self.audit.worker is None:
            return
        self._batches += 1
        if self._batches > 8 and self._batches & (self._batches - 1):
            return
        # Only a generator from which numbers were drawn can repeat numbers.
        drawn = [start for start in self._starts if state_of(start.generator) != start.state]
        if self._batches == 1:
            # Some generators were created for the first sample.
            for owner in self._owners:
                self._add_own(owner)
        for start in drawn:
            self._starts.remove(start)
            self.note(generator=start.name, state=start.state, dataset=start.owner)

    def on_worker_ended(self, dataset: Any) -> None:
        self._starts, self._owners = [], []

    @classmethod
    def compare(cls, facts: list[Fact]) -> Iterator[dict[str, Any]]:
        # A validation repeats its random numbers on purpose.
        judged = [
            fact for fact in facts if fact.loader is None or fact.loader.trained or not fact.loader.evaluated
        ]
        groups = group_facts(judged, lambda fact: (fact["dataset"], fact["generator"], fact["state"]))
        for same in sorted(groups, key=len, reverse=True):
            if len(same) < 2:
                break
            dataset, generator = same[0]["dataset"], same[0]["generator"]
            starts = sum(fact["dataset"] == dataset and fact["generator"] == generator for fact in facts)
            workers = sorted({(fact.rank or 0, fact.worker) for fact in same})
            yield cls.finding(
                CERTAIN,
                f"{len(same)} of {starts} worker starts began with the same state of {generator} in "
                f"{dataset}, and drew from it ({_describe(workers, len(same))}): they repeat the same "
                "random numbers",
                where=same[0].loader_line,
                generator=generator,
                dataset=dataset,
                same_starts=len(same),
                starts=starts,
            )


def _describe(workers: list[tuple[int, Any]], starts: int) -> str:
    ranks = {rank for rank, _ in workers}
    names = [("rank {} worker {}" if len(ranks) > 1 else "worker {1}").format(*pair) for pair in workers]
    epochs = ", in several epochs" if starts > len(workers) else ""
    return list_names(names, 6) + epochs
