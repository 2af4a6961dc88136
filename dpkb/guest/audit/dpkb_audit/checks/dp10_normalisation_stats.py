"""DP10: pixels in 0..1 that were normalised with the mean and std of 0..255, or normalised twice."""

from __future__ import annotations

from typing import Any

from dpkb_audit.check import LIKELY
from dpkb_audit.checks._pixel_check import LEVELS, LOOKS, PixelCheck
from dpkb_audit.checks._transforms import is_normalize
from dpkb_audit.identity import IdentityMap
from dpkb_audit.sample_digests import leaves_of
from dpkb_audit.tensors import is_readable, is_tensor, read_elements

# If pixels in 0..1 are divided by the std for 0..255, their range is at most this wide.
_MAX_WIDTH = 1 / 30
# All values of their channels are then below this.
_MAX_VALUE = -0.3
# The usual mean and std of three channels.
_USUAL = (([0.485, 0.456, 0.406], [0.229, 0.224, 0.225]), ([0.5] * 3, [0.5] * 3))
# An 8-bit pixel, times 255, is at most this far from a whole number.
_WHOLE_DISTANCE = 0.02
# At least this share of the pixels must be 8-bit pixels. Padding does not consist of such pixels.
_WHOLE_MIN_SHARE = 0.8
# At least this share of normalised pixels is below 0. In an image with added noise it is less.
_NEGATIVE_MIN_SHARE = 0.2
# The smallest normalised pixel is below this.
_SMALLEST_BELOW = -0.5


class DP10(PixelCheck):
    description = "the range of the pixels that reach Normalize and a model's first layer"
    fix = "divide mean and std by 255, or normalise the pixels before they are scaled to 0..1"

    def prepare(self) -> None:
        super().prepare()
        # Normalize -> how many images it got, and how many of them were normalised before.
        self._given = IdentityMap()

    def on_module_started(self, module: Any, inputs: Any) -> None:
        if is_normalize(module):
            self._look_at_normalize(module, inputs)
        super().on_module_started(module, inputs)

    def _look_at_normalize(self, module: Any, inputs: Any) -> None:
        images = [leaf for _, leaf in leaves_of(inputs) if is_tensor(leaf) and leaf.dim() >= 3]
        counts = self._given.setdefault(module, [0, 0])
        if counts[0] >= LOOKS or not images or not is_readable(images[0]) or not self.audit.can_look():
            return
        channels = images[0].unbind(-3)
        numbers = [read_elements(channel) for channel in channels]
        mean, std = (_for_each(values, len(channels)) for values in (module.mean, module.std))
        before = all(
            0 < m < 1
            and 0 < s < 1
            and len(set(some)) >= LEVELS
            and min(some) < _SMALLEST_BELOW
            and sum(x < 0 for x in some) > _NEGATIVE_MIN_SHARE * len(some)
            and all(-0.01 < x * s + m < 1.01 for x in some)
            for some, m, s in zip(numbers, mean, std)
        )
        counts[0], counts[1] = counts[0] + 1, counts[1] + before
        if counts == [LOOKS, LOOKS]:
            least, most = min(map(min, numbers)), max(map(max, numbers))
            self.report(
                LIKELY,
                f"Normalize got pixels between {least:.2f} and {most:.2f}, with a mean and "
                "std for 0..1: they were normalised before",
                fix="normalise the pixels once",
                least=least,
                most=most,
            )

    def look_at_pixels(self, module: Any, channels: list[list[float]], earlier: list[Any]) -> Any:
        narrow = all(
            len(set(some)) >= LEVELS and max(some) - min(some) <= _MAX_WIDTH and max(some) < _MAX_VALUE
            for some in channels
        )
        is_last_look = len(earlier) == LOOKS - 1
        if narrow and is_last_look and all(seen == "narrow" for seen in earlier):
            ranges = ", ".join(f"{min(some):.3f} to {max(some):.3f}" for some in channels)
            self.report(
                LIKELY,
                f"the channels that reach {type(module).__name__} span only {ranges}: pixels "
                "in 0..1 were normalised with the mean and std of 0..255",
                ranges=ranges,
            )
        twice = not narrow and self._are_twice(channels)
        if twice and is_last_look and all(seen == "twice" for seen in earlier):
            least, most = min(map(min, channels)), max(map(max, channels))
            self.report(
                LIKELY,
                f"the pixels that reach {type(module).__name__} are between {least:.2f} and "
                f"{most:.2f}: they were normalised twice with the same mean and std",
                fix="normalise the pixels once",
                least=least,
                most=most,
            )
        return "narrow" if narrow else "twice" if twice else ""

    def _are_twice(self, numbers: list[list[float]]) -> bool:
        """Whether nearly all become 8-bit pixels if a mean and std are undone twice, but not if once."""
        number = len(numbers)
        pairs = [(_for_each(module.mean, number), _for_each(module.std, number)) for module in self._given]
        for means, stds in [*_USUAL, *pairs]:
            if len(means) >= number == len(stds[:number]) and all(s > 0 for s in stds):
                once = [[x * s + m for x in some] for some, m, s in zip(numbers, means, stds)]
                levels = [(x * s + m) * 255 for some, m, s in zip(once, means, stds) for x in some]
                whole = sum(
                    abs(level - round(level)) < _WHOLE_DISTANCE and -1 < level < 256 for level in levels
                )
                if (
                    min(map(min, once)) < _SMALLEST_BELOW
                    and whole > _WHOLE_MIN_SHARE * len(levels)
                    and len({round(level) for level in levels}) >= LEVELS
                ):
                    return True
        return False


def _for_each(values: Any, channels: int) -> list[float]:
    """The mean or std of each channel. A single number counts for all channels."""
    is_list = getattr(values, "ndim", hasattr(values, "__len__"))
    numbers = [float(value) for value in values] if is_list else [float(values)]
    return numbers * channels if len(numbers) == 1 else numbers
