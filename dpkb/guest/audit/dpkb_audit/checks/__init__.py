"""The checks: one file each, named like the file of the entry that it watches for."""

from __future__ import annotations

import functools
import importlib

from dpkb_audit.check import Check
from dpkb_audit.system import os


@functools.lru_cache(maxsize=None)
def all_checks() -> dict[str, type[Check]]:
    """Entry id -> the class of its check."""
    stems = {
        name.partition("_")[0].upper(): name[:-3]
        for name in os.listdir(os.path.dirname(__file__))
        if name.endswith(".py") and not name.startswith("_")
    }
    return {
        id: getattr(importlib.import_module("dpkb_audit.checks." + stem), id)
        for id, stem in sorted(stems.items())
    }
