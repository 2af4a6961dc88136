"""DP1: random generators of a dataset that start alike in several workers, or again in each epoch."""

from __future__ import annotations

import hashlib
import random
import sys

from dpkb_audit.check import CERTAIN, Check

MYPY = False
if MYPY:
    from collections.abc import Iterator
    from typing import Any

# How deep attributes of attributes (the transforms of a dataset) are followed, and how many objects in all.
_DEPTH, _MOST = 5, 300


class DP1(Check):
    watches = "the random generators that a dataset uses, at the start of each worker and epoch"
    fix = "in worker_init_fn, or when it is first used, seed each generator from torch.initial_seed()"

    def on_worker_started(self, dataset: Any) -> None:
        self._starts = {name: (state_of(generator), id(generator))
                        for name, generator in generators_of(dataset)}

    def on_samples(self, dataset: Any, samples: Any, batch: Any) -> None:
        starts = self.__dict__.get("_starts")
        if not starts or self.session.worker is None:
            return
        # Only a generator that has been drawn from can repeat anything.
        for name, generator in generators_of(dataset):
            if name in starts and state_of(generator) != starts[name][0]:
                state, identity = starts.pop(name)
                # One that was replaced when it was first used did not draw from the state of the start.
                if identity == id(generator):
                    self.note(generator=name, state=state, dataset=type(dataset).__name__)

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
    """Name and object of each random generator that a dataset has, and of the global ones."""
    found = [("random", random)]
    if "numpy" in sys.modules:
        found.append(("numpy.random", sys.modules["numpy"].random))
    if "torch" in sys.modules:
        found.append(("torch's global generator", sys.modules["torch"]))
    seen: set[int] = set()
    waiting = [("self", dataset, 0)]
    while waiting and len(seen) < _MOST:
        name, value, depth = waiting.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        if is_generator(value):
            found.append((name, value))
        elif isinstance(value, (list, tuple)):
            waiting += [(f"{name}[{i}]", item, depth + 1) for i, item in enumerate(value[:20])]
        elif isinstance(value, dict) and len(value) < 50:
            waiting += [(f"{name}[{key!r}]", item, depth + 1) for key, item in value.items()]
        elif depth < _DEPTH and hasattr(value, "__dict__") and not isinstance(value, type):
            waiting += [(f"{name}.{key}", item, depth + 1) for key, item in vars(value).items()]
    return found


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
