"""DP1: random generators of a dataset that start alike in several workers, or again in each epoch."""

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


class DP1(Check):
    watches = "the random generators that a dataset uses, at the start of each worker and epoch"
    fix = "in worker_init_fn, or when it is first used, seed each generator from torch.initial_seed()"

    def __init__(self, session: Any) -> None:
        super().__init__(session)
        # The generators that this worker has not drawn from: name, object and state.
        self._starts: list[tuple[str, Any, str]] = []
        self._batches = 0

    def on_worker_started(self, dataset: Any) -> None:
        from torch.utils.data import IterableDataset

        self._batches = 0
        # Readers of a stream may shuffle it alike, and divide it then: what they draw later must differ.
        generators = [] if isinstance(dataset, IterableDataset) else own_generators_of(dataset)
        self._starts = [(name, generator, state_of(generator))
                        for name, generator in global_generators() + generators]

    def on_samples(self, dataset: Any, samples: Any, batch: Any) -> None:
        if self.session.worker is None:
            return
        self._batches += 1
        if self._batches > 8 and self._batches & (self._batches - 1):
            return
        known = {id(generator) for _, generator, _ in self._starts}
        # Only a generator that has been drawn from can repeat anything.
        for item in list(self._starts):
            name, generator, state = item
            if state_of(generator) != state:
                self._starts.remove(item)
                self.note(generator=name, state=state, dataset=type(dataset).__name__)
        if self._batches == 1:
            # Those that were created for the first sample.
            self._starts += [(name, generator, state_of(generator))
                             for name, generator in own_generators_of(dataset) if id(generator) not in known]

    def on_worker_ended(self, dataset: Any) -> None:
        self._starts = []

    @classmethod
    def compare(cls, facts: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        groups: dict[tuple[str, str, str], list[dict[str, Any]]] = {}
        for fact in facts:
            loader = fact["loader"] or {}
            # A validation that repeats itself is meant to.
            if loader.get("trained") or not loader.get("evaluated"):
                groups.setdefault((fact["dataset"], fact["generator"], fact["state"]), []).append(fact)
        reported = set()
        for (dataset, generator, _), same in sorted(groups.items(), key=lambda item: -len(item[1])):
            if len(same) < 2 or (dataset, generator) in reported:
                continue
            reported.add((dataset, generator))
            starts = sum(fact["dataset"] == dataset and fact["generator"] == generator for fact in facts)
            workers = sorted({(fact["rank"] or 0, fact["worker"]) for fact in same})
            yield cls.finding(
                CERTAIN,
                f"{len(same)} of {starts} worker starts began with the same state of {generator} in "
                f"{dataset}, and drew from it ({_describe(workers, len(same))}): they repeat the same "
                "random numbers",
                where=(same[0]["loader"] or {}).get("where"), generator=generator, dataset=dataset,
                same_starts=len(same), starts=starts)


def _describe(workers: list[tuple[int, int]], starts: int) -> str:
    ranks = {rank for rank, _ in workers}
    names = [("rank {} worker {}" if len(ranks) > 1 else "worker {1}").format(*pair) for pair in workers]
    again = ", in several epochs" if starts > len(workers) else ""
    return ", ".join(names[:6]) + (", ..." if len(names) > 6 else "") + again


def generators_of(dataset: Any) -> list[tuple[str, Any]]:
    """Name and object of each random generator that a dataset may use."""
    return global_generators() + own_generators_of(dataset)


def global_generators() -> list[tuple[str, Any]]:
    """Those of Python, numpy and torch that every process has."""
    found: list[tuple[str, Any]] = [("random", random)]
    if "numpy" in sys.modules:
        found.append(("numpy.random", sys.modules["numpy"].random))
    if "torch" in sys.modules:
        found.append(("torch's global generator", sys.modules["torch"]))
    return found


def own_generators_of(dataset: Any) -> list[tuple[str, Any]]:
    """Those that a dataset and its transforms hold, and those in the modules that define them."""
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
