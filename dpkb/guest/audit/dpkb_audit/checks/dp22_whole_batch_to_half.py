"""DP22: token ids or labels that were cast to half precision."""

from __future__ import annotations

from typing import Any

from dpkb_audit.check import CERTAIN, Check
from dpkb_audit.object_contents import is_a
from dpkb_audit.tensors import is_tensor, read_elements

# At least this many ids must be exact in a half precision: fewer may be so by chance.
_MIN_IDS = 24


class DP22(Check):
    cpu_only = True
    description = "the dtype and the values of the inputs of embeddings, and of labels that a loss refuses"
    fix = "cast only floating-point tensors: value.to(dtype) if value.is_floating_point() else value"

    def prepare(self) -> None:
        self._ids: set[int] = set()

    def on_module_started(self, module: Any, inputs: Any) -> None:
        from torch import nn

        if not is_a(module, (nn.Embedding, nn.EmbeddingBag)) or not inputs or not is_tensor(inputs[0]):
            return
        value = inputs[0]
        if value.is_floating_point():
            if value.element_size() == 2:
                self.report(
                    CERTAIN, f"an embedding got ids of {str(value.dtype)[6:]}: the whole batch was cast"
                )
            return
        # Ids below 257 are exact in both half precisions.
        if module.num_embeddings <= 512 or not self.audit.can_look():
            return
        ids = {int(number) for number in read_elements(value) if number > 256}
        if ids - self._ids and all(number % _step(number) == 0 for number in self._ids | ids):
            self._ids |= ids
            if len(self._ids) >= _MIN_IDS:
                self.report(
                    CERTAIN,
                    f"all {len(self._ids)} token ids above 256 that were seen are numbers "
                    "that bfloat16 can hold: the ids were cast to it and back, and many now name "
                    "different tokens",
                )
        elif ids - self._ids:
            self._ids = {1 << 60 | 1}  # no half precision has this id: the ids were not cast

    def on_loss_failed(self, name: str, arguments: dict[str, Any], error: Any) -> None:
        scores: Any = arguments.get("input")
        target: Any = arguments.get("target")
        if name not in ("cross_entropy", "nll_loss") or not is_tensor(scores) or not is_tensor(target):
            return
        # Probabilities as targets have the shape of the scores.
        if target.is_floating_point() and target.element_size() == 2 and target.dim() < scores.dim():
            self.report(CERTAIN, f"{name} got labels of {str(target.dtype)[6:]}: the whole batch was cast")


def _step(number: int) -> int:
    """The distance of neighbours in bfloat16, which has 8 significant bits."""
    return 1 << max(number.bit_length() - 8, 0)
