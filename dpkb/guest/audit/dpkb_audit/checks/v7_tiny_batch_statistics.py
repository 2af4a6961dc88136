"""V7: BatchNorm is trained on few values per channel."""

from __future__ import annotations

import weakref
from typing import Any

from dpkb_audit.check import HINT, LIKELY, Check
from dpkb_audit.identity import IdentityMap
from dpkb_audit.object_contents import is_a
from dpkb_audit.user_code import find_user_line

# A layer is looked at in at most this many training passes.
_PASSES_OF_LAYER = 6
# With at most this many values per channel, mean and variance are useless.
_FEW_VALUES = 4
# With at most this many samples, the statistics differ from batch to batch.
_FEW_SAMPLES = 2


class V7(Check):
    description = "the values per channel that BatchNorm layers get in training"
    fix = "replace BatchNorm by GroupNorm, freeze it, or use larger batches"

    def prepare(self) -> None:
        # Layer -> values per channel, and samples, of each forward pass before a backward pass.
        self._passes = IdentityMap()
        self._pending: list[tuple[Any, int, int]] = []
        # Hints for the end of the program: line, message, values and samples.
        self._hints: list[tuple[Any, str, int, int]] = []

    def on_module_started(self, module: Any, inputs: Any) -> None:
        import torch
        from torch.nn.modules.batchnorm import _BatchNorm

        if not is_a(module, _BatchNorm) or not module.training or module.momentum is None or not inputs:
            return
        value = inputs[0]
        if is_a(value, torch.Tensor) and value.dim() > 1 and torch.is_grad_enabled():
            if type(module).__name__ == "SyncBatchNorm" and self.audit.world_size > 1:
                return
            if len(self._pending) < 500:
                self._pending.append(
                    (weakref.ref(module), value.numel() // max(value.shape[1], 1), value.shape[0])
                )

    def on_backward_ended(self, tensors: Any) -> None:
        for reference, values, samples in self._pending:
            module = reference()
            if module is not None:
                passes = self._passes.setdefault(module, [])
                passes.append((values, samples))
                if len(passes) == _PASSES_OF_LAYER:
                    self._report_small_batches(module, passes)
        self._pending.clear()
        self.pause_until_module_calls("backward_ended")

    def _report_small_batches(self, module: Any, passes: list[tuple[int, int]]) -> None:
        values = sorted(value for value, _ in passes)[_PASSES_OF_LAYER // 2]
        samples = sorted(sample for _, sample in passes)[_PASSES_OF_LAYER // 2]
        batches = f"{type(module).__name__} was trained on batches of {samples}"
        if values <= _FEW_VALUES:
            self.report(
                LIKELY,
                f"{batches}, {values} values per channel: too few for a mean and a variance",
                values=values,
                samples=samples,
            )
        elif samples <= _FEW_SAMPLES:
            self._hints.append(
                (
                    find_user_line(),
                    f"{batches}: their mean and variance differ from batch to batch",
                    values,
                    samples,
                )
            )

    def on_end(self) -> None:
        for where, message, values, samples in self._hints[:1]:
            self.report(HINT, message, where=where, values=values, samples=samples)
