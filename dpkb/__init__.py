"""dpkb: an executable error index for PyTorch training."""

from importlib import import_module
from typing import Any

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """Import dpkb.audit when it is used, so that `import dpkb` is enough."""
    if name == "audit":
        return import_module("dpkb.audit")
    raise AttributeError(f"module 'dpkb' has no attribute {name!r}")
