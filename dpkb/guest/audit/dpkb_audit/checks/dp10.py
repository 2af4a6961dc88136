"""DP10: pixels in 0..1 that were normalised with the mean and std of 0..255."""

from __future__ import annotations

from dpkb_audit.check import LIKELY
from dpkb_audit.checks._pixels import LEVELS, LOOKS, PixelCheck
from dpkb_audit.digest import elements

MYPY = False
if MYPY:
    from typing import Any

# The width of 0..1 after the division by the std of pixels in 0..255, and where it lies then.
_WIDTH, _CENTRE = 1 / 30, -0.3


class DP10(PixelCheck):
    watches = "the range of the pixels of each channel that reach a model's first layer"
    fix = "divide mean and std by 255, or normalise the pixels before they are scaled to 0..1"

    def look(self, module: Any, channels: list[Any], colour: bool, found: list[Any]) -> Any:
        numbers = [elements(channel) for channel in channels]
        narrow = all(len(set(some)) >= LEVELS and max(some) - min(some) <= _WIDTH and max(some) < _CENTRE
                     for some in numbers)
        if narrow and all(found) and len(found) == LOOKS - 1:
            ranges = ", ".join(f"{min(some):.3f} to {max(some):.3f}" for some in numbers)
            self.report(LIKELY, f"the channels that reach {type(module).__name__} span only {ranges}: pixels "
                                "in 0..1 were normalised with the mean and std of 0..255", ranges=ranges)
        return narrow
