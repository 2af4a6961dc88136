"""P2: numbers that float16 cannot hold, and updates that bfloat16 weights lose."""

from __future__ import annotations

import math

from dpkb_audit.check import CERTAIN, LIKELY
from dpkb_audit.checks._causes import CauseCheck
from dpkb_audit.digest import is_readable

MYPY = False
if MYPY:
    from typing import Any

_MOST_ELEMENTS = 1 << 18
# Of the elements with a gradient, so many have to stay as they are, in so many steps.
_STILL, _STEPS = 0.98, 4
# A GradScaler leaves out a few steps in the beginning; so many in a row are not that.
_SKIPPED = 12


class P2(CauseCheck):
    watches = "outputs and weights in float16 that become inf or nan, and updates that bfloat16 rounds away"
    fix = "keep the weights in float32 and use bfloat16 autocast"

    cause = "float16"

    _before: Any = None
    _skipped = 0
    _still = _looks = 0

    def on_module_ended(self, module: Any, inputs: Any, output: Any) -> None:
        import torch

        if module._modules or not isinstance(output, torch.Tensor) or output.dtype != torch.float16 or (
                not is_readable(output) or output.numel() > _MOST_ELEMENTS
                or not self.session.can_look()):
            return
        given = inputs[0] if isinstance(inputs, tuple) and inputs else None
        if not isinstance(given, torch.Tensor) or not given.is_floating_point() or not _is_finite(given):
            return
        if next(module.parameters(), None) is None or not all(map(_is_finite, module.parameters())):
            return
        if not _is_finite(output):
            self.report(CERTAIN, f"a {type(module).__name__} with finite inputs and weights returned inf "
                                 "in float16, "
                        "whose largest number is 65504", fix="use bfloat16, or run this part in float32")

    def report_cause(self, seen: str) -> None:
        self.report(CERTAIN, f"the loss is not finite: {seen}",
                    fix="use bfloat16, or run this part in float32")

    def on_scaler_called(self, name: str, scaler: Any, arguments: Any) -> None:
        if name != "step" or self.session.loss is None or not math.isfinite(self.session.loss):
            return
        self._skipped += 1
        if self._skipped == _SKIPPED + 1:
            self.report(CERTAIN, f"GradScaler has left out {_SKIPPED} steps in a row, although the loss was "
                                 "finite: the gradients overflow in float16 at every scale")

    def on_step_started(self, optimizer: Any) -> None:
        import torch

        self._before, self._skipped = None, 0
        if self._looks > 24 or not self.session.can_look():
            return
        kept: list[Any] = []
        for group in optimizer.param_groups:
            if not group.get("lr"):
                continue
            for p in group["params"]:
                if (len(kept) < 4 and p.dtype in (torch.float16, torch.bfloat16) and p.grad is not None
                        and p.numel() <= _MOST_ELEMENTS and is_readable(p) and is_readable(p.grad)):
                    kept.append((p, p.detach().clone(), _is_finite(p)))
        self._before = kept or None
        self._looks += bool(kept)

    def on_step_ended(self, optimizer: Any) -> None:
        import torch

        super().on_step_ended(optimizer)

        kept, self._before = self._before, None
        if kept is None:
            return
        with torch.no_grad():
            bad = [p for p, _, finite in kept if finite and p.dtype == torch.float16 and not _is_finite(p)]
            if bad:
                self.report(CERTAIN, f"step {self.session.step} of {type(optimizer).__name__} made "
                                     "weights of shape "
                            f"{tuple(bad[0].shape)} inf or nan in float16, which were finite before")
                return
            moving = still = 0
            for p, before, _ in kept:
                if p.dtype == torch.bfloat16 and p.grad is not None:
                    graded = p.grad != 0
                    moving += int(graded.sum())
                    still += int((graded & (p == before)).sum())
        if moving:
            self._still = self._still + 1 if still >= _STILL * moving else -1000
            if self._still >= _STEPS:
                self.report(LIKELY, f"{still} of {moving} bfloat16 weights with a gradient did not change "
                                    "in this step, "
                            f"nor in the {_STEPS - 1} before: the updates are too small for bfloat16 to add")


def _is_finite(tensor: Any) -> bool:
    import torch

    if not is_readable(tensor) or tensor.numel() > _MOST_ELEMENTS:
        return True
    with torch.no_grad():
        return bool(torch.isfinite(tensor.detach()).all())
