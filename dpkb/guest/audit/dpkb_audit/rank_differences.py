"""Differences between the orders of operations of the ranks, each with the entry that describes it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dpkb_audit.facts import Fact
from dpkb_audit.rank_traces import BACKWARD, DESTROY, FORWARD, VALIDATION, Rank, read_ranks


class Difference:
    """A place where the orders of the ranks of a group differ, and the entry that describes this failure."""

    def __init__(
        self, entry: str, certainty: str, message: str, where: tuple[str, int] | None, **evidence: Any
    ) -> None:
        self.entry, self.certainty, self.message = entry, certainty, message
        self.where, self.evidence = where, evidence


def find_differences(facts: list[Fact]) -> Iterator[Difference]:
    """The first harmful difference of each group of ranks that ran together."""
    for group in read_ranks(facts):
        difference = _find_skipped_batches(group) or _find_first_difference(group)
        if difference:
            yield difference


def _find_skipped_batches(group: list[Rank]) -> Difference | None:
    """D22: an epoch in which the ranks had equally many batches, but not equally many backward passes."""
    for first in group:
        for epoch in first.epochs:
            for other in group:
                other_epoch = other.same_epoch(epoch)
                if (
                    other_epoch
                    and epoch.ended
                    and other_epoch.ended
                    and epoch.batches == other_epoch.batches
                    and epoch.backwards < other_epoch.backwards
                    and not first.joined
                ):
                    return Difference(
                        "D22",
                        "certain",
                        f"in epoch {epoch.number + 1} each rank had {epoch.batches} batches, but rank "
                        f"{first.rank} called backward() {_times(epoch.backwards)} and rank {other.rank} "
                        f"{_times(other_epoch.backwards)}: a skipped batch leaves the ranks out of step",
                        epoch.where,
                        batches=epoch.batches,
                        backwards=[epoch.backwards, other_epoch.backwards],
                        ranks=[first.rank, other.rank],
                    )
    return None


def _find_first_difference(group: list[Rank]) -> Difference | None:
    """The first operation that not all ranks call, and the reason."""
    for index in range(max(len(rank.operations) for rank in group)):
        active = [rank for rank in group if index < len(rank.operations)]
        ended = [rank for rank in group if index >= len(rank.operations)]
        names = {rank.operations[index].name for rank in active}
        if len(names) > 1:
            pairs = [
                (rank, other)
                for rank in active
                for other in active
                if rank.operations[index].name != other.operations[index].name
            ]
            return _explain(index, pairs)
        if ended:
            finished = [rank for rank in ended if rank.finished or rank.joined]
            if not finished or names == {DESTROY}:
                return None  # these ranks failed, or had not reached this operation yet
            return _explain(index, [(rank, other) for rank in active for other in finished])
        shifted = _find_shifted_collective(index, active)
        if shifted:
            return shifted
    return None


def _explain(index: int, pairs: list[tuple[Rank, Rank]]) -> Difference | None:
    """The reason of a difference. pairs: a rank that calls the operation, and a rank that does not."""
    # A line that some ranks never reach is a better explanation than a call that a rank makes more often.
    return _find_uneven_loader(pairs) or _called_by_some(index, pairs) or _called_more_often(index, pairs)


def _find_uneven_loader(pairs: list[tuple[Rank, Rank]]) -> Difference | None:
    """DP3, D9: a loader had more batches on one rank, and this rank called backward() for them."""
    for rank, other in pairs:
        for epoch in rank.epochs:
            other_epoch = other.same_epoch(epoch)
            if (
                other_epoch
                and other_epoch.ended
                and epoch.batches > other_epoch.batches
                and epoch.backwards > other_epoch.backwards
            ):
                return Difference(
                    "DP3" if epoch.iterable else "D9",
                    "certain",
                    f"in epoch {epoch.number + 1} rank {rank.rank} had "
                    f"{epoch.batches if epoch.ended else f'at least {epoch.batches}'} batches of this loader "
                    f"and rank {other.rank} had {other_epoch.batches}: rank {rank.rank} called backward() "
                    f"{_times(epoch.backwards)}, rank {other.rank} {_times(other_epoch.backwards)}",
                    epoch.where,
                    batches=[epoch.batches, other_epoch.batches],
                    ranks=[rank.rank, other.rank],
                )
    return None


def _called_by_some(index: int, pairs: list[tuple[Rank, Rank]]) -> Difference | None:
    """D21: a collective on a line that the other rank never reaches."""
    for rank, other in pairs:
        mine, theirs = rank.operations[: index + 1], other.operations[: index + 1]
        for operation in reversed(mine):
            calls = [sum(op.name == operation.name for op in several) for several in (mine, theirs)]
            counts = [
                sum((op.name, op.where) == (operation.name, operation.where) for op in each.operations)
                for each in (rank, other)
            ]
            if operation.name not in (BACKWARD, DESTROY) and not counts[1] and calls[0] > calls[1]:
                return Difference(
                    "D21",
                    "certain",
                    f"rank {rank.rank} called {operation.name} here {_times(counts[0])}, rank {other.rank} "
                    f"never: it {f'was in {theirs[index]}' if index < len(theirs) else 'had ended'}",
                    operation.where,
                    calls=counts,
                    ranks=[rank.rank, other.rank],
                )
    return None


def _called_more_often(index: int, pairs: list[tuple[Rank, Rank]]) -> Difference | None:
    """D9, D21: an operation that one rank called more often than another."""
    for rank, other in pairs:
        operation = rank.operations[index]
        counts = [sum(op.name == operation.name for op in each.operations) for each in (rank, other)]
        if counts[0] > counts[1] or index >= len(other.operations):
            uneven = operation.name == BACKWARD and not rank.epochs and not other.epochs
            last = other.operations[index] if index < len(other.operations) else None
            return Difference(
                "D9" if uneven else "D21",
                "likely",
                f"rank {rank.rank} called {operation.name} {_times(counts[0])} and rank {other.rank} "
                f"{_times(counts[1])}, which then {f'called {last}' if last else 'ended'}",
                operation.where,
                calls=counts,
                ranks=[rank.rank, other.rank],
            )
    return None


def _find_shifted_collective(index: int, active: list[Rank]) -> Difference | None:
    """D21: a collective that is paired with the same collective on a different line."""
    for rank in active:
        mine = rank.operations
        if index + 1 >= len(mine) or mine[index].name in (BACKWARD, FORWARD, VALIDATION):
            continue
        for other in active:
            theirs = other.operations
            if (
                mine[index].where != theirs[index].where
                and mine[index + 1].where == theirs[index].where
                and mine[index + 1].name == mine[index].name
                and all(op.where != mine[index].where for op in theirs)
            ):
                return Difference(
                    "D21",
                    "likely",
                    f"rank {rank.rank} called {mine[index].name} here and rank {other.rank} never: it was "
                    f"paired with {theirs[index]} of rank {other.rank}, which rank {rank.rank} calls next",
                    mine[index].where,
                    ranks=[rank.rank, other.rank],
                )
    return None


def _times(number: int) -> str:
    return {0: "never", 1: "once"}.get(number, f"{number} times")
