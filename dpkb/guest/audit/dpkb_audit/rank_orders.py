"""What the ranks of a distributed training did in which order, and where their orders part."""

from __future__ import annotations

from collections import Counter

MYPY = False
if MYPY:
    from collections.abc import Iterator
    from typing import Any

    Line = tuple[str, int]

    from dpkb_audit.facts import Fact

# A trace has a byte for each event. Some codes are the same in each trace. The rank has entered model.join().
JOINED = 1
# The program has ended, without an error or with one.
FINISHED, FAILED = 2, 3
# The audit has ended: at the steps that were asked for, or because there were too many codes.
STEPS_REACHED, CUT = 4, 5
# Codes from here on are given out as they are needed, each by a fact.
FIRST = 16
BACKWARD, FORWARD, DESTROY = "backward()", "DDP forward", "destroy_process_group"
VALIDATION = "DDP forward without gradients"


class Operation:
    """Something that every rank has to do in the same order: a collective, or DDP's backward()."""

    def __init__(self, name: str, where: Line | None, joined: bool) -> None:
        self.name, self.where, self.joined = name, where, joined
        # The epoch to which it belongs and the batch of this epoch that came last.
        self.epoch: Epoch | None = None
        self.batch = 0

    def __str__(self) -> str:
        return f"{self.name} at line {self.where[1]}" if self.where else self.name


class Epoch:
    """One iteration of a loader on one rank."""

    def __init__(self, loader: Any, iterable: bool, number: int) -> None:
        # The line that made the loader and a number among those that it has made, and which epoch it is.
        self.loader, self.where, self.iterable, self.number = loader, loader[0], iterable, number
        self.batches = self.backwards = 0
        self.ended = False


class Difference:
    """A place where the ranks of a group part, and the entry whose failure it is."""

    def __init__(self, entry: str, certainty: str, message: str, where: Line | None,
                 **evidence: Any) -> None:
        self.entry, self.certainty, self.message = entry, certainty, message
        self.where, self.evidence = where, evidence


class TraceEvent:
    """What a code in a trace stands for: an operation, or what a loader did."""

    def __init__(self, fact: Fact) -> None:
        self.kind, self.name, self.iterable = fact["kind"], fact["name"], fact["iterable"]
        self.where: Line | None = tuple(fact["where"]) if fact["where"] else None
        # The same on each rank: the line that made a loader, and a number among those that it has made.
        self.loader = self.where, fact["slot"]


class Rank:
    """The life of one rank, from init_process_group on."""

    def __init__(self, rank: int, world_size: int, started_at: float) -> None:
        self.rank, self.world_size, self.started_at = rank, world_size, started_at
        self.operations: list[Operation] = []
        self.epochs: list[Epoch] = []
        self.joined = self.finished = False

    def read(self, trace: str, events: dict[int, TraceEvent]) -> None:
        """Follow a trace."""
        open_epochs: dict[Any, Epoch] = {}
        counts: Counter[Any] = Counter()
        current: Epoch | None = None
        for code in map(ord, trace):
            if code == JOINED:
                self.joined = True
            elif code == FINISHED:
                self.finished = True
            event = events.get(code)
            if event is None:
                continue
            kind, loader = event.kind, event.loader
            if kind == "operation":
                operation = Operation(event.name, event.where, self.joined)
                operation.epoch, operation.batch = current, current.batches if current else 0
                if operation.name == BACKWARD and current:
                    current.backwards += 1
                self.operations.append(operation)
            elif kind == "epoch":
                current = open_epochs[loader] = Epoch(loader, event.iterable, counts[loader])
                counts[loader] += 1
                self.epochs.append(current)
            elif kind == "batch" and loader in open_epochs:
                current = open_epochs[loader]
                current.batches += 1
            elif kind == "end" and loader in open_epochs:
                epoch = open_epochs.pop(loader)
                epoch.ended = True
                if epoch is current:
                    current = next(reversed(list(open_epochs.values())), None)

    def synchronised(self) -> list[Operation]:
        """The operations that need all ranks."""
        return [operation for operation in self.operations
                if not (operation.joined and operation.name in (BACKWARD, FORWARD, VALIDATION))]

    def same_epoch(self, epoch: Epoch) -> Epoch | None:
        """What an epoch of another rank is on this one."""
        return next((own for own in self.epochs
                     if (own.loader, own.number) == (epoch.loader, epoch.number)), None)


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
        group = next((group for group in groups if group[0].world_size == rank.world_size
                      and all(other.rank != rank.rank for other in group)), None)
        if group is None:
            groups.append([rank])
        else:
            group.append(rank)
    return [sorted(group, key=lambda rank: rank.rank) for group in groups if len(group) > 1]


def differences(facts: list[Fact]) -> Iterator[Difference]:
    """The first difference that does harm, of each group of ranks that ran together."""
    for group in read_ranks(facts):
        difference = _skipped_batches(group) or _first_difference(group)
        if difference:
            yield difference


def _skipped_batches(group: list[Rank]) -> Difference | None:
    """D22: a whole epoch in which the ranks had as many batches, but not as many backward passes."""
    for first in group:
        for epoch in first.epochs:
            for other in group:
                twin = other.same_epoch(epoch)
                if (twin and epoch.ended and twin.ended and epoch.batches == twin.batches
                        and epoch.backwards < twin.backwards and not first.joined):
                    return Difference(
                        "D22", "certain",
                        f"in epoch {epoch.number + 1} each rank had {epoch.batches} batches, but rank "
                        f"{first.rank} called backward() {_times(epoch.backwards)} and rank {other.rank} "
                        f"{_times(twin.backwards)}: a skipped batch leaves the ranks out of step",
                        epoch.where,
                        batches=epoch.batches, backwards=[epoch.backwards, twin.backwards],
                        ranks=[first.rank, other.rank])
    return None


def _first_difference(group: list[Rank]) -> Difference | None:
    """The first operation that not all ranks do, and why."""
    orders = {rank.rank: rank.synchronised() for rank in group}
    for index in range(max(map(len, orders.values()))):
        active = [rank for rank in group if index < len(orders[rank.rank])]
        ended = [rank for rank in group if index >= len(orders[rank.rank])]
        names = {orders[rank.rank][index].name for rank in active}
        if len(names) > 1:
            pairs = [(rank, other) for rank in active for other in active
                     if orders[rank.rank][index].name != orders[other.rank][index].name]
            return _explain(orders, index, pairs)
        if ended:
            finished = [rank for rank in ended if rank.finished or rank.joined]
            if not finished or names == {DESTROY}:
                return None  # ended by something else, or still on its way
            return _explain(orders, index, [(rank, other) for rank in active for other in finished])
        shifted = _shifted_collective(orders, index, active)
        if shifted:
            return shifted
    return None


def _explain(
    orders: dict[int, list[Operation]], index: int, pairs: list[tuple[Rank, Rank]]
) -> Difference | None:
    """Each pair: a rank that does the operation, and one that does another one or has ended."""
    # One that only some ranks ever call comes before the loop that the others have left.
    return (_uneven_loader(pairs) or _called_by_some(orders, index, pairs)
            or _called_more_often(orders, index, pairs))


def _uneven_loader(pairs: list[tuple[Rank, Rank]]) -> Difference | None:
    """DP3, D9: a loader had more batches on one rank, which called backward() for them."""
    for rank, other in pairs:
        for epoch in rank.epochs:
            twin = other.same_epoch(epoch)
            if twin and twin.ended and epoch.batches > twin.batches and epoch.backwards > twin.backwards:
                return Difference(
                    "DP3" if epoch.iterable else "D9", "certain",
                    f"in epoch {epoch.number + 1} rank {rank.rank} had "
                    f"{epoch.batches if epoch.ended else f'at least {epoch.batches}'} batches of this loader "
                    f"and rank {other.rank} had {twin.batches}: rank {rank.rank} called backward() "
                    f"{_times(epoch.backwards)}, rank {other.rank} {_times(twin.backwards)}",
                    epoch.where, batches=[epoch.batches, twin.batches], ranks=[rank.rank, other.rank])
    return None


def _called_by_some(
    orders: dict[int, list[Operation]], index: int, pairs: list[tuple[Rank, Rank]]
) -> Difference | None:
    """D21: a collective on a line that the other rank never reaches."""
    for rank, other in pairs:
        mine, theirs = orders[rank.rank][:index + 1], orders[other.rank][:index + 1]
        for operation in reversed(mine):
            calls = [sum(op.name == operation.name for op in several) for several in (mine, theirs)]
            counts = [sum((op.name, op.where) == (operation.name, operation.where)
                          for op in orders[each.rank]) for each in (rank, other)]
            if operation.name not in (BACKWARD, DESTROY) and not counts[1] and calls[0] > calls[1]:
                return Difference(
                    "D21", "certain",
                    f"rank {rank.rank} called {operation.name} here {_times(counts[0])}, rank {other.rank} "
                    f"never: it {f'was in {theirs[index]}' if index < len(theirs) else 'had ended'}",
                    operation.where, calls=counts, ranks=[rank.rank, other.rank])
    return None


def _called_more_often(
    orders: dict[int, list[Operation]], index: int, pairs: list[tuple[Rank, Rank]]
) -> Difference | None:
    """D9, D21: an operation that one rank did more often than the other."""
    for rank, other in pairs:
        operation = orders[rank.rank][index]
        counts = [sum(op.name == operation.name for op in orders[each.rank]) for each in (rank, other)]
        if counts[0] > counts[1] or index >= len(orders[other.rank]):
            uneven = operation.name == BACKWARD and not rank.epochs and not other.epochs
            last = orders[other.rank][index] if index < len(orders[other.rank]) else None
            return Difference(
                "D9" if uneven else "D21", "likely",
                f"rank {rank.rank} called {operation.name} {_times(counts[0])} and rank {other.rank} "
                f"{_times(counts[1])}, which then {f'called {last}' if last else 'ended'}",
                operation.where, calls=counts, ranks=[rank.rank, other.rank])
    return None


def _shifted_collective(
    orders: dict[int, list[Operation]], index: int, active: list[Rank]
) -> Difference | None:
    """A collective on one line that is paired with the same one on another line, which comes next here."""
    for rank in active:
        mine = orders[rank.rank]
        if index + 1 >= len(mine) or mine[index].name in (BACKWARD, FORWARD, VALIDATION):
            continue
        for other in active:
            theirs = orders[other.rank]
            if (mine[index].where != theirs[index].where and mine[index + 1].where == theirs[index].where
                    and mine[index + 1].name == mine[index].name
                    and all(op.where != mine[index].where for op in theirs)):
                return Difference(
                    "D21", "likely",
                    f"rank {rank.rank} called {mine[index].name} here and rank {other.rank} never: it was "
                    f"paired with {theirs[index]} of rank {other.rank}, which rank {rank.rank} calls next",
                    mine[index].where, ranks=[rank.rank, other.rank])
    return None


def _times(number: int) -> str:
    return {0: "never", 1: "once"}.get(number, f"{number} times")
