"""The transforms of torchvision; used by DP10 and DP13."""

from __future__ import annotations

from typing import Any


def is_normalize(module: Any, package: str = "torchvision.transforms") -> bool:
    """Whether this is the Normalize of torchvision, or of one of its packages."""
    kind = type(module)
    return kind.__name__ == "Normalize" and kind.__module__.startswith(package)
