"""Values of a weight that a program tries to freeze by setting their gradient to zero; used by O17."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dpkb_audit.identity import IdentityMap
from dpkb_audit.tensors import is_readable, is_tensor

# At most this many values of a weight are followed.
_MAX_VALUES = 512
# At most this many weights are followed.
_MAX_WEIGHTS = 40
# A weight is followed in at most this many steps.
_MAX_LOOKS = 12
# A weight is reported when this many steps have changed its masked values.
MOVED_STEPS = 3


class _Weight:
    """A weight; the program has set a part of its gradient to zero."""

    def __init__(self, masked: set[int]) -> None:
        self.masked, self.looks, self.moved = masked, 1, 0
        # Some of its values at the last step.
        self.values: list[float] | None = None


class MaskedGradients:
    """The values whose gradient the program sets to zero in each step, and whether they still change."""

    def __init__(self) -> None:
        # Weight -> its _Weight.
        self._weights = IdentityMap()
        # id of a weight -> some values of its gradient before a hook, or at the end of the backward pass.
        self._gradients: dict[int, list[float]] = {}

    def keep(self, weight: Any, gradient: Any) -> None:
        """Keep a gradient before the program may change it."""
        record = self._weights.get(weight)
        if (
            not is_tensor(weight)
            or weight.dim() < 2
            or (record and record.looks >= _MAX_LOOKS)
            or (len(self._gradients) >= _MAX_WEIGHTS)
        ):
            return
        if is_readable(gradient):
            self._gradients[id(weight)] = _spread_values(gradient)

    def compare(self, weight: Any, gradient: Any) -> None:
        """Compare a gradient with the values that `keep` has stored."""
        before = self._gradients.pop(id(weight), None)
        is_hooked = is_tensor(weight) and bool(weight._backward_hooks) and weight.dim() > 1
        if (before is None and not is_hooked) or not is_readable(gradient):
            return
        after = _spread_values(gradient)
        zeros = {i for i, value in enumerate(after) if value == 0}
        if before is None or is_hooked:
            before = [1.0] * len(after)  # a hook of the program has seen the gradient before
        if len(zeros) == len(after) or len(before) != len(after):
            return  # zero_grad(), or a different gradient
        masked = {i for i in zeros if before[i] != 0}
        record = self._weights.get(weight)
        if record is None:
            if masked:
                self._weights[weight] = _Weight(masked)
            return
        record.looks += 1
        record.masked &= zeros

    def forget_gradients(self) -> None:
        """Forget the stored gradients: they belong to a step that has ended."""
        self._gradients = {}

    def find_moved_weights(self, weights: list[Any]) -> Iterator[tuple[Any, int, int]]:
        """Those weights whose masked values several steps have changed.

        Yields the weight, the number of masked values, and the number of values that were followed.
        """
        if not self._weights:
            return
        for weight in weights:
            record = self._weights.get(weight)
            if not record or record.moved >= MOVED_STEPS:
                continue
            before, record.values = record.values, _spread_values(weight)
            if before is not None and any(record.values[i] != before[i] for i in record.masked):
                record.moved += 1
                if record.moved == MOVED_STEPS:
                    yield weight, len(record.masked), len(record.values)


def _spread_values(tensor: Any) -> list[float]:
    """Some values of a tensor, evenly spread."""
    flat = tensor.detach().reshape(-1)
    # An odd distance avoids reading the same columns again and again.
    values: list[float] = flat[:: -(-flat.numel() // _MAX_VALUES) | 1].tolist()
    return values
