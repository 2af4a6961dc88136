"""DP12: pixels that reach the first layer in the wrong scale."""

from __future__ import annotations

import weakref

from dpkb_audit.check import LIKELY, Check
from dpkb_audit.digest import elements, is_tensor, leaves_of

MYPY = False
if MYPY:
    from typing import Any

_LOOKS, _LEVELS = 3, 8


class DP12(Check):
    watches = "the range of the pixels that reach a model's first layer"
    fix = "divide once, by the true maximum (255, or 65535 for 16 bits), whatever the dtype"

    def __init__(self, session: Any) -> None:
        super().__init__(session)
        self._looks: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()
        # Values of an image of the last batch, for models that flatten it.
        self._pixels = 0

    def on_batch(self, record: Any, batch: Any, waited: float) -> None:
        if record.batch <= _LOOKS:
            images = [leaf for _, leaf in leaves_of(batch) if is_tensor(leaf) and _is_image(leaf)]
            self._pixels = images[0][0].numel() if images and len(images[0]) else 0

    def on_module_started(self, module: Any, inputs: Any) -> None:
        from torch import nn

        if not isinstance(module, (nn.Conv2d, nn.Linear)) or not inputs or not is_tensor(inputs[0]):
            return
        value = inputs[0]
        if isinstance(module, nn.Linear):
            if value.dim() != 2 or value.shape[1] != self._pixels:
                return
        elif not _is_image(value):
            return
        looks = self._looks.get(module, 0)
        if looks >= _LOOKS or not value.is_floating_point() or not self.session.can_look():
            return
        self._looks[module] = looks + 1
        numbers = elements(value)
        what = _scale(numbers, value.dim() == 4 and value.shape[1] == 3)
        if what:
            self.report(LIKELY, f"the pixels that reach {type(module).__name__} are between "
                                f"{min(numbers):.4g} and "
                        f"{max(numbers):.4g}: {what}", smallest=min(numbers), largest=max(numbers))


def _is_image(value: Any) -> bool:
    return value.dim() == 4 and value.shape[1] in (1, 3, 4) and min(value.shape[2:]) >= 8


def _scale(numbers: list[float], colour: bool) -> str:
    """What is wrong with the scale of some pixels, if anything."""
    if len(set(numbers)) < _LEVELS:
        return ""
    smallest, largest = min(numbers), max(numbers)
    whole = all(number == int(number) for number in numbers if abs(number) < 1e9)
    if whole and smallest >= 0 and 32 < largest <= 255:
        return "they were not divided by 255"
    if whole and (largest > 255 or smallest < -255):
        return "16-bit pixels were not divided by 65535"
    if smallest >= 0 and largest <= 1 / 255 + 1e-6:
        places = [number * 255 * 255 for number in numbers]
        if all(abs(place - round(place)) < 0.01 for place in places):
            return "they were divided by 255 twice"
    if colour and largest > 400 and smallest > -20:
        return "they were normalised without having been divided by 255"
    return ""
