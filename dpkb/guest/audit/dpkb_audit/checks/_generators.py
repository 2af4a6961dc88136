"""The random generators that a dataset may use, and their states; used by DP1 and DP2."""

from __future__ import annotations

import random
import sys
from hashlib import sha1
from types import FunctionType
from typing import Any

from dpkb_audit.object_contents import contents_of, is_a
from dpkb_audit.user_code import is_library


def generators_of(dataset: Any) -> list[tuple[str, Any]]:
    """Name and object of each random generator that a dataset may use."""
    return list_global_generators() + own_generators_of(dataset)


def list_global_generators() -> list[tuple[str, Any]]:
    """Name and object of the random generators of Python, numpy and torch that every process has."""
    generators: list[tuple[str, Any]] = [("random", random)]
    if "numpy" in sys.modules:
        generators.append(("numpy.random", sys.modules["numpy"].random))
    if "torch" in sys.modules:
        generators.append(("torch's global generator", sys.modules["torch"]))
    return generators


def own_generators_of(dataset: Any) -> list[tuple[str, Any]]:
    """The generators in a dataset, in its transforms, and in the modules that define these."""
    generators: dict[int, tuple[str, Any]] = {}
    spaces: dict[int, dict[str, Any]] = {}
    for name, value in [("self", dataset), *((path, item) for path, item, _ in contents_of(dataset))]:
        if is_generator(value):
            generators.setdefault(id(value), (name, value))
        space = _globals_of(value)
        spaces[id(space)] = space
    for space in spaces.values():
        for name, value in list(space.items()):
            if is_generator(value):
                generators.setdefault(id(value), (f"the global variable {name}", value))
    return list(generators.values())


def _globals_of(value: Any) -> dict[str, Any]:
    """The global variables of the user's code that defines a function, or the class of an object."""
    functions = [value] if is_a(value, FunctionType) else vars(type(value)).values()
    for function in functions:
        if is_a(function, FunctionType):
            library = is_library(function.__code__.co_filename)
            return {} if library else function.__globals__
    return {}


def is_generator(value: Any) -> bool:
    """Whether this is a random.Random, a generator of numpy, or a torch.Generator."""
    if is_a(value, random.Random):
        return True
    kind = type(value)
    return kind.__module__.startswith(("numpy.random", "torch")) and kind.__name__ in (
        "Generator",
        "RandomState",
    )


def state_of(generator: Any) -> str:
    """A short text that is equal for equal states. It draws no number."""
    if hasattr(generator, "getstate"):
        state: Any = generator.getstate()
    elif hasattr(generator, "get_rng_state"):
        state = generator.get_rng_state().numpy().tobytes()
    elif hasattr(generator, "get_state"):
        state = generator.get_state()
        state = state.numpy().tobytes() if hasattr(state, "numpy") else state
    else:  # numpy's Generator
        state = generator.bit_generator.state
    if is_a(state, tuple) and len(state) > 1 and hasattr(state[1], "tobytes"):
        state = (state[0], state[1].tobytes(), *state[2:])
    return sha1(repr(state).encode()).hexdigest()[:16]
