"""P2: numbers too large for float16."""

from __future__ import annotations

import math
from typing import Any

from dpkb_audit.check import CERTAIN
from dpkb_audit.checks._loss_causes import CauseCheck
from dpkb_audit.checks._optimizers import find_weights
from dpkb_audit.modules import has_parameters, parameters_in
from dpkb_audit.object_contents import is_a
from dpkb_audit.tensors import is_readable

# A tensor is read if it has at most this many elements.
_MAX_ELEMENTS = 1 << 18
# At its start a GradScaler skips at most this many steps in a row; more are a failure.
_SKIPPED_STEPS = 12


class P2(CauseCheck):
    cpu_only = True
    description = "outputs and weights in float16 that become inf or nan"
    fix = "keep the weights in float32 and use bfloat16 autocast"

    cause_kind = "float16"

    _skipped = 0
    _looks = 0

    def prepare(self) -> None:
        super().prepare()
        self.resume("step_ended")  # to compare the weights, not only for losses that are not finite
        # The finite float16 weights before the present step.
        self._before: list[Any] = []

    def on_module_ended(self, module: Any, inputs: Any, output: Any) -> None:
        import torch

        if (
            module._modules
            or not is_a(output, torch.Tensor)
            or output.dtype != torch.float16
            or (not is_readable(output) or output.numel() > _MAX_ELEMENTS or not self.audit.can_look())
        ):
            return
        value: Any = inputs[0] if is_a(inputs, tuple) and inputs else None
        if not is_a(value, torch.Tensor) or not value.is_floating_point() or not _is_finite(value):
            return
        if not has_parameters(module) or not all(map(_is_finite, parameters_in(module))):
            return
        if not _is_finite(output):
            self.report(
                CERTAIN,
                f"a {type(module).__name__} with finite inputs and weights returned inf "
                "in float16, whose largest number is 65504",
                fix="use bfloat16, or run this part in float32",
            )

    def report_cause(self, clause: str) -> None:
        self.report(
            CERTAIN, f"the loss is not finite: {clause}", fix="use bfloat16, or run this part in float32"
        )

    def on_scaler_called(self, name: str, scaler: Any, arguments: Any) -> None:
        if name != "step" or self.training.loss is None or not math.isfinite(self.training.loss):
            return
        self._skipped += 1
        if self._skipped == _SKIPPED_STEPS + 1:
            self.report(
                CERTAIN,
                f"GradScaler has left out {_SKIPPED_STEPS} steps in a row, although the "
                "loss was finite: the gradients overflow in float16 at every scale",
            )

    def on_step_started(self, optimizer: Any) -> None:
        self._before, self._skipped = [], 0
        if self._looks > 24 or not self.audit.can_look():
            return
        import torch

        weights = find_weights(optimizer, torch.float16)[:4]
        self._before = [p for p in weights if _is_finite(p)]
        self._looks += bool(weights)

    def on_step_ended(self, optimizer: Any) -> None:
        super().on_step_ended(optimizer)
        weights, self._before = self._before, []
        bad = [p for p in weights if not _is_finite(p)]
        if bad:
            self.report(
                CERTAIN,
                f"step {self.training.step} of {type(optimizer).__name__} made weights "
                f"of shape {tuple(bad[0].shape)} inf or nan in float16, which were "
                "finite before",
            )


def _is_finite(tensor: Any) -> bool:
    import torch

    if not is_readable(tensor) or tensor.numel() > _MAX_ELEMENTS:
        return True
    with torch.no_grad():
        return bool(torch.isfinite(tensor.detach()).all())
