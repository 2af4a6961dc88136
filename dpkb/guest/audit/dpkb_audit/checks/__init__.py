"""The checks, one file for each entry."""

from __future__ import annotations

import functools
import importlib
import os

MYPY = False
if MYPY:
    from dpkb_audit.check import Check


@functools.lru_cache(maxsize=None)
def all_checks() -> dict[str, type[Check]]:
    """Entry id -> the class of its check."""
    names = sorted(name[:-3] for name in os.listdir(os.path.dirname(__file__))
                   if name.endswith(".py") and not name.startswith("_"))
    return {name.upper(): getattr(importlib.import_module("dpkb_audit.checks." + name), name.upper())
            for name in names}
