"""Values of a weight that a program means to keep by setting their gradient to zero; used by O17."""

from __future__ import annotations

import weakref

from dpkb_audit.digest import is_readable

MYPY = False
if MYPY:
    from collections.abc import Iterator
    from typing import Any

# So many values of a weight are followed, of so many weights, and in so many of its steps.
_VALUES, _WEIGHTS, _LOOKS = 512, 40, 12
_MOVED = 3


class MaskedGradients:
    """Which values have a gradient that the program sets to zero each time, and whether they move."""

    def __init__(self) -> None:
        # id of a weight -> reference, the places of which the gradient was set to zero, looks, the values at
        # the last step, and the steps that have moved one of these places.
        self._weights: dict[int, dict[str, Any]] = {}
        # id of a weight -> its gradient before a hook, or at the end of the backward pass.
        self._gradients: dict[int, list[float]] = {}

    def keep(self, weight: Any, gradient: Any) -> None:
        """Keep what a gradient is before the program may change it."""
        known = self._weights.get(id(weight))
        if weight.dim() < 2 or (known and known["looks"] >= _LOOKS) or len(self._gradients) >= _WEIGHTS:
            return
        if is_readable(gradient):
            self._gradients[id(weight)] = _some(gradient)

    def compare(self, weight: Any, gradient: Any) -> None:
        """Compare the gradient with what was kept."""
        before = self._gradients.pop(id(weight), None)
        if before is None or not is_readable(gradient):
            return
        after = _some(gradient)
        zeros = {place for place, value in enumerate(after) if value == 0}
        if len(zeros) == len(after) or len(before) != len(after):
            return  # zero_grad(), or another gradient
        masked = {place for place in zeros if before[place] != 0}
        known = self._weights.get(id(weight))
        if known is None or known["weight"]() is not weight:
            if masked:
                self._weights[id(weight)] = {"weight": weakref.ref(weight), "places": masked, "looks": 1,
                                             "values": None, "moved": 0}
            return
        known["looks"] += 1
        known["places"] &= zeros

    def forget_gradients(self) -> None:
        """What was kept belongs to a step that is over."""
        self._gradients = {}

    def moved(self, weights: list[Any]) -> Iterator[tuple[Any, int, int]]:
        """Weights of a step that begins of which several steps have moved such values: the weight, the number
        of these values, and of those that were followed.
        """
        if not self._weights:
            return
        for weight in weights:
            known = self._weights.get(id(weight))
            if not known or known["weight"]() is not weight or known["moved"] >= _MOVED:
                continue
            values, before = _some(weight), known["values"]
            known["values"] = values
            if before is not None and any(values[place] != before[place] for place in known["places"]):
                known["moved"] += 1
                if known["moved"] == _MOVED:
                    yield weight, len(known["places"]), len(values)


def _some(tensor: Any) -> list[float]:
    """Some values of a tensor, evenly spread."""
    flat = tensor.detach().reshape(-1)
    # An odd distance does not fall on the same columns again and again.
    values: list[float] = flat[::-(-flat.numel() // _VALUES) | 1].tolist()
    return values
