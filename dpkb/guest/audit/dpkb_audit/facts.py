"""The facts that the checks have written in each process. They are compared after the program's end."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any


class LoaderSummary:
    """The last description of a DataLoader that its process has written."""

    def __init__(
        self,
        number: int,
        where: Any,
        pid: int,
        rank: int | None = None,
        trained: bool = False,
        evaluated: bool = False,
        worker_pids: tuple[int, ...] = (),
    ) -> None:
        self.number, self.where, self.pid, self.rank = number, where, pid, rank
        # Whether it was used for training, and for evaluation.
        self.trained, self.evaluated = trained, evaluated
        # All its workers, in the order in which they were started.
        self.worker_pids = worker_pids


class Fact:
    """Values that a check has written, by name (fact["samples"]), and the process that wrote them."""

    def __init__(
        self,
        values: dict[str, Any],
        pid: int = 0,
        rank: int | None = None,
        worker: int | None = None,
        loader: LoaderSummary | None = None,
    ) -> None:
        self.values, self.pid, self.rank, self.worker = values, pid, rank, worker
        # The loader of a worker; None in other processes.
        self.loader = loader

    def __getitem__(self, name: str) -> Any:
        return self.values[name]

    def __contains__(self, name: str) -> bool:
        return name in self.values

    @property
    def loader_key(self) -> tuple[int, int] | None:
        """Process and number of the loader of a worker."""
        return (self.loader.pid, self.loader.number) if self.loader else None

    @property
    def loader_line(self) -> Any:
        """The line that created the loader of a worker."""
        return self.loader.where if self.loader else None

    def worker_start(self, workers: int) -> int:
        """How often the loader had started its workers before this one; 0 outside of a worker."""
        return self.loader.worker_pids.index(self.pid) // max(workers, 1) if self.loader else 0


def group_facts(facts: Iterable[Fact], key: Callable[[Fact], Any]) -> list[list[Fact]]:
    """The facts in groups with an equal key, which need not be hashable, in their order."""
    groups: dict[str, list[Fact]] = {}
    for fact in facts:
        groups.setdefault(repr(key(fact)), []).append(fact)
    return list(groups.values())
