"""The rules: one module each, named like the entry whose failure it finds."""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module

from dpkb.lint.finding import Finding
from dpkb.lint.module import Module

Rule = Callable[[Module], Iterator[Finding]]


@cache
def all_rules() -> dict[str, Rule]:
    """Entry id -> the function that finds its failure in a file."""
    stems = sorted(info.name for info in pkgutil.iter_modules(__path__))
    return {stem.upper(): import_module(f"{__name__}.{stem}").check for stem in stems}
