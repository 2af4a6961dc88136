"""DP12: pixels that reach the first layer in the wrong scale."""

from __future__ import annotations

import functools
import math
from typing import Any

from dpkb_audit.check import LIKELY
from dpkb_audit.checks._pixel_check import LEVELS, LOOKS, PixelCheck


class DP12(PixelCheck):
    description = "the range of the pixels that reach a model's first layer"
    fix = "divide once, by the true maximum (255, or 65535 for 16 bits), whatever the dtype"

    def look_at_pixels(self, module: Any, channels: list[list[float]], earlier: list[Any]) -> Any:
        numbers = [number for channel in channels for number in channel]
        mistake, must_repeat = _scale(numbers, colour=len(channels) == 3)
        # Fractions may not be pixels at all, so several batches in a row must agree.
        if mistake and (not must_repeat or (len(earlier) == LOOKS - 1 and all(earlier))):
            self.report(
                LIKELY,
                f"the pixels that reach {type(module).__name__} are between "
                f"{min(numbers):.4g} and {max(numbers):.4g}: {mistake}",
                smallest=min(numbers),
                largest=max(numbers),
            )
        return mistake


def _scale(numbers: list[float], colour: bool) -> tuple[str, bool]:
    """The mistake in the scale of some pixels, or "", and whether further batches must confirm it."""
    if len(set(numbers)) < LEVELS:
        return "", False
    smallest, largest = min(numbers), max(numbers)
    whole = all(number == int(number) for number in numbers if abs(number) < 1e9)
    if smallest >= 0 and (32 if whole else 100 if colour else 150) < largest <= 255:
        return "they were not divided by 255", not whole
    if whole and (largest > 255 or smallest < -255):
        step = functools.reduce(math.gcd, [int(number - smallest) for number in numbers])
        # If 8-bit pixels are divided by a std below 1, neighbouring values are more than 1 apart.
        if 1 < step < 128 and largest - smallest <= 255 * step:
            return "they were normalised without having been divided by 255", False
        return "16-bit pixels were not divided by 65535", False
    if smallest >= 0 and largest <= 1 / 255 + 1e-6:
        levels = [number * 255 * 255 for number in numbers]
        if all(abs(level - round(level)) < 0.01 for level in levels):
            return "they were divided by 255 twice", False
    if colour and largest > 400 and smallest > -20:
        return "they were normalised without having been divided by 255", False
    return "", False
