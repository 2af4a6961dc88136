"""The operations and epochs of the ranks of a distributed program, read from their traces."""

from __future__ import annotations

from collections import Counter
from typing import Any

from dpkb_audit.facts import Fact

# A trace has one byte for each event. The codes below 16 mean the same in every trace.
# The rank has entered model.join().
JOINED = 1
# The program has ended without an error.
FINISHED = 2
# Higher codes are assigned when they are needed. A fact explains each of them.
FIRST_FREE_CODE = 16
BACKWARD, FORWARD, DESTROY = "backward()", "DDP forward", "destroy_process_group"
VALIDATION = "DDP forward without gradients"


class Epoch:
    """One iteration of a loader on one rank."""

    def __init__(self, loader: Any, iterable: bool, number: int) -> None:
        # loader: the line that created it, and a number among the loaders of that line. number: of the epoch.
        self.loader, self.where, self.iterable, self.number = loader, loader[0], iterable, number
        self.batches = self.backwards = 0
        self.ended = False


class TraceEvent:
    """The meaning of a code in a trace: an event of a loader, or an operation.

    An operation is a call that every rank has to make in the same order: a collective, or a pass under DDP.
    """

    def __init__(self, fact: Fact) -> None:
        self.kind, self.name, self.iterable = fact["kind"], fact["name"], fact["iterable"]
        self.where: tuple[str, int] | None = tuple(fact["where"]) if fact["where"] else None
        # The line that created a loader, and a number among the loaders of that line. Equal on each rank.
        self.loader = self.where, fact["slot"]

    def __str__(self) -> str:
        return f"{self.name} at line {self.where[1]}" if self.where else self.name


class Rank:
    """One rank, since it called init_process_group."""

    def __init__(self, rank: int, world_size: int, started_at: float) -> None:
        self.rank, self.world_size, self.started_at = rank, world_size, started_at
        # The operations that need all ranks.
        self.operations: list[TraceEvent] = []
        self.epochs: list[Epoch] = []
        self.joined = self.finished = False
        # While a trace is read: the epochs that have not ended, by loader, and the epoch of the last batch.
        self._open_epochs: dict[Any, Epoch] = {}
        self._current: Epoch | None = None
        self._epoch_counts: Counter[Any] = Counter()

    def read(self, trace: str, events: dict[int, TraceEvent]) -> None:
        """Follow a trace. events: code -> its meaning."""
        for code in map(ord, trace):
            if code == JOINED:
                self.joined = True
            elif code == FINISHED:
                self.finished = True
            elif code in events:
                event = events[code]
                if event.kind == "operation":
                    self._add_operation(event)
                else:
                    self._follow_loader(event)

    def _add_operation(self, operation: TraceEvent) -> None:
        if operation.name == BACKWARD and self._current:
            self._current.backwards += 1
        if not (self.joined and operation.name in (BACKWARD, FORWARD, VALIDATION)):
            self.operations.append(operation)

    def _follow_loader(self, event: TraceEvent) -> None:
        loader, open_epochs = event.loader, self._open_epochs
        if event.kind == "epoch":
            self._current = open_epochs[loader] = Epoch(loader, event.iterable, self._epoch_counts[loader])
            self._epoch_counts[loader] += 1
            self.epochs.append(self._current)
        elif event.kind == "batch" and loader in open_epochs:
            self._current = open_epochs[loader]
            self._current.batches += 1
        elif event.kind == "end" and loader in open_epochs:
            epoch = open_epochs.pop(loader)
            epoch.ended = True
            if epoch is self._current:
                self._current = next(reversed(list(open_epochs.values())), None)

    def same_epoch(self, epoch: Epoch) -> Epoch | None:
        """The epoch of this rank that corresponds to an epoch of another rank."""
        return next(
            (own for own in self.epochs if (own.loader, own.number) == (epoch.loader, epoch.number)), None
        )


def read_ranks(facts: list[Fact]) -> list[list[Rank]]:
    """The ranks that ran together, from the facts of all processes."""
    events: dict[int, dict[int, TraceEvent]] = {}
    starts: dict[int, Fact] = {}
    traces: dict[int, str] = {}
    for fact in facts:
        if "trace" in fact:
            traces[fact.pid] = fact["trace"]
        elif "code" in fact:
            events.setdefault(fact.pid, {})[fact["code"]] = TraceEvent(fact)
        elif "world_size" in fact:
            starts[fact.pid] = fact
    ranks = []
    for pid, start in starts.items():
        rank = Rank(start["of_rank"], start["world_size"], start["at"])
        rank.read(traces.get(pid, ""), events.get(pid, {}))
        ranks.append(rank)
    groups: list[list[Rank]] = []
    for rank in sorted(ranks, key=lambda rank: rank.started_at):
        # A program may start its ranks several times.
        group = next(
            (
                group
                for group in groups
                if group[0].world_size == rank.world_size and all(other.rank != rank.rank for other in group)
            ),
            None,
        )
        if group is None:
            groups.append([rank])
        else:
            group.append(rank)
    return [sorted(group, key=lambda rank: rank.rank) for group in groups if len(group) > 1]
