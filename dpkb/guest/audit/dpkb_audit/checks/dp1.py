"""DP1: generators of a dataset or collate_fn that start alike in several workers, or again in each epoch."""

from __future__ import annotations

import hashlib
import random
import sys
from types import FunctionType

from dpkb_audit.check import CERTAIN, Check
from dpkb_audit.contents import contents_of
from dpkb_audit.where import is_library

MYPY = False
if MYPY:
    from collections.abc import Iterator
    from typing import Any

    from dpkb_audit.audit import Audit
    from dpkb_audit.facts import Fact


class _GeneratorStart:
    """A generator, the state that it began with, and the name of the class or function that has it."""

    def __init__(self, owner: Any, name: str, generator: Any) -> None:
        self.owner = getattr(owner, "__name__", type(owner).__name__)
        self.name, self.generator, self.state = name, generator, state_of(generator)


class DP1(Check):
    watches = ("the random generators that a dataset and its collate_fn use, at the start of each worker "
               "and epoch")
    fix = "in worker_init_fn, or when it is first used, seed each generator from torch.initial_seed()"

    def __init__(self, audit: Audit) -> None:
        super().__init__(audit)
        # The generators that this worker has not drawn from.
        self._starts: list[_GeneratorStart] = []
        self._owners: list[Any] = []
        self._batches = 0

    def on_worker_started(self, dataset: Any, collate: Any) -> None:
        from torch.utils.data import IterableDataset

        self._batches = 0
        self._owners = [dataset, getattr(collate, "__self__", collate)]
        self._starts = [_GeneratorStart(dataset, *named) for named in global_generators()]
        for owner in self._owners:
            # Readers of a stream may shuffle it alike, and divide it then: what they draw later must differ.
            if not isinstance(owner, IterableDataset):
                self._add_own(owner)

    def _add_own(self, owner: Any) -> None:
        known = {id(start.generator) for start in self._starts}
        self._starts += [_GeneratorStart(owner, name, generator)
                         for name, generator in own_generators_of(owner) if id(generator) not in known]

    def on_samples(self, dataset: Any, samples: Any, batch: Any) -> None:
        if self.audit.worker is None:
            return
        self._batches += 1
        if self._batches > 8 and self._batches & (self._batches - 1):
            return
        # Only a generator that has been drawn from can repeat anything.
        drawn = [start for start in self._starts if state_of(start.generator) != start.state]
        if self._batches == 1:
            # Those that were created for the first sample.
            for owner in self._owners:
                self._add_own(owner)
        for start in drawn:
            self._starts.remove(start)
            self.note(generator=start.name, state=start.state, dataset=start.owner)

    def on_worker_ended(self, dataset: Any) -> None:
        self._starts, self._owners = [], []

    @classmethod
    def compare(cls, facts: list[Fact]) -> Iterator[dict[str, Any]]:
        groups: dict[tuple[str, str, str], list[Fact]] = {}
        for fact in facts:
            # A validation that repeats itself is meant to.
            if fact.loader is None or fact.loader.trained or not fact.loader.evaluated:
                groups.setdefault((fact["dataset"], fact["generator"], fact["state"]), []).append(fact)
        reported = set()
        for (dataset, generator, _), same in sorted(groups.items(), key=lambda item: -len(item[1])):
            if len(same) < 2 or (dataset, generator) in reported:
                continue
            reported.add((dataset, generator))
            starts = sum(fact["dataset"] == dataset and fact["generator"] == generator for fact in facts)
            workers = sorted({(fact.rank or 0, fact.worker) for fact in same})
            yield cls.finding(
                CERTAIN,
                f"{len(same)} of {starts} worker starts began with the same state of {generator} in "
                f"{dataset}, and drew from it ({_describe(workers, len(same))}): they repeat the same "
                "random numbers",
                where=same[0].loader_line, generator=generator, dataset=dataset,
                same_starts=len(same), starts=starts)


def _describe(workers: list[tuple[int, Any]], starts: int) -> str:
    ranks = {rank for rank, _ in workers}
    names = [("rank {} worker {}" if len(ranks) > 1 else "worker {1}").format(*pair) for pair in workers]
    again = ", in several epochs" if starts > len(workers) else ""
    return ", ".join(names[:6]) + (", ..." if len(names) > 6 else "") + again


def generators_of(dataset: Any) -> list[tuple[str, Any]]:
    """Name and object of each random generator that a dataset may use."""
    return global_generators() + own_generators_of(dataset)


def global_generators() -> list[tuple[str, Any]]:
    """Name and object of the random generators of Python, numpy and torch that every process has."""
    found: list[tuple[str, Any]] = [("random", random)]
    if "numpy" in sys.modules:
        found.append(("numpy.random", sys.modules["numpy"].random))
    if "torch" in sys.modules:
        found.append(("torch's global generator", sys.modules["torch"]))
    return found


def own_generators_of(dataset: Any) -> list[tuple[str, Any]]:
    """The generators that a dataset and its transforms hold, or the modules that define them."""
    found: dict[int, tuple[str, Any]] = {}
    spaces: dict[int, dict[str, Any]] = {}
    for name, value in [("self", dataset), *((path, item) for path, item, _ in contents_of(dataset))]:
        if is_generator(value):
            found.setdefault(id(value), (name, value))
        space = _globals_of(value)
        spaces[id(space)] = space
    for space in spaces.values():
        for name, value in list(space.items()):
            if is_generator(value):
                found.setdefault(id(value), (f"the global variable {name}", value))
    return list(found.values())


def _globals_of(value: Any) -> dict[str, Any]:
    """The global variables of the user's code that defines a function, or the class of an object."""
    functions = [value] if isinstance(value, FunctionType) else vars(type(value)).values()
    for function in functions:
        if isinstance(function, FunctionType):
            library = is_library(function.__code__.co_filename)
            return {} if library else function.__globals__
    return {}


def is_generator(value: Any) -> bool:
    """Whether this is a random.Random, a generator of numpy, or a torch.Generator."""
    if isinstance(value, random.Random):
        return True
    kind = type(value)
    return (kind.__module__.startswith(("numpy.random", "torch")) and
            kind.__name__ in ("Generator", "RandomState"))


def state_of(generator: Any) -> str:
    """A short text that is equal for equal states. Draws nothing."""
    if hasattr(generator, "getstate"):
        state: Any = generator.getstate()
    elif hasattr(generator, "get_rng_state"):
        state = generator.get_rng_state().numpy().tobytes()
    elif hasattr(generator, "get_state"):
        state = generator.get_state()
        state = state.numpy().tobytes() if hasattr(state, "numpy") else state
    else:  # numpy's Generator
        state = generator.bit_generator.state
    if isinstance(state, tuple) and len(state) > 1 and hasattr(state[1], "tobytes"):
        state = (state[0], state[1].tobytes(), *state[2:])
    return hashlib.sha1(repr(state).encode()).hexdigest()[:16]
