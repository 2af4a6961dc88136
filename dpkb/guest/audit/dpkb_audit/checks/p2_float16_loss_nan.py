"""P2: numbers too large for float16, and updates too small for bfloat16 weights."""

from __future__ import annotations

import math
import weakref
from typing import Any

from dpkb_audit.check import CERTAIN, LIKELY
from dpkb_audit.checks._loss_causes import CauseCheck
from dpkb_audit.checks._optimizers import groups_of
from dpkb_audit.modules import has_parameters, parameters_in
from dpkb_audit.object_contents import is_a, plain
from dpkb_audit.tensors import is_readable, is_tensor
from dpkb_audit.user_code import find_user_line

# A tensor is read if it has at most this many elements.
_MAX_ELEMENTS = 1 << 18
# At least this share of the elements with a gradient must not change: few elements dominate most steps.
_STILL_SHARE = 0.9
# The same for an optimizer that scales each element by its gradients, so that all changes are similar.
_STILL_SHARE_ADAPTIVE = 0.4
# Elements are compared over this many steps.
_STILL_STEPS = 8
# Elements are compared after these steps, because the rate may rise at first.
_LOOKS_AFTER = (0, 32, 128, 512, 2048)
# At most this many elements of each weight are followed.
_FOLLOWED_ELEMENTS = 1 << 15
# The modules of plain optimizers. Others may keep a copy in float32, or the rounding errors.
_PLAIN = ("torch.", "accelerate.", "transformers.")
# At its start a GradScaler skips at most this many steps in a row; more are a failure.
_SKIPPED_STEPS = 12


class P2(CauseCheck):
    cpu_only = True
    description = (
        "outputs and weights in float16 that become inf or nan, and updates that bfloat16 rounds away"
    )
    fix = "keep the weights in float32 and use bfloat16 autocast"

    cause_kind = "float16"

    _skipped = 0
    _looks = 0

    def prepare(self) -> None:
        super().prepare()
        self.resume("step_ended")  # to compare the weights, not only for losses that are not finite
        # The finite float16 weights before the present step.
        self._before: list[Any] = []
        # A reference to the optimizer that is followed, its last step to follow, and the earlier weights.
        self._window: Any = None
        # Line of the step -> the least share of unchanged elements, its limit, and the number of elements.
        self._stayed: dict[Any, tuple[float, float, int]] = {}

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
        self._begin_window(optimizer)
        if self._looks > 24 or not self.audit.can_look():
            return
        import torch

        weights = _find_weights(optimizer, torch.float16)[:4]
        self._before = [p for p in weights if _is_finite(p)]
        self._looks += bool(weights)

    def on_step_ended(self, optimizer: Any) -> None:
        super().on_step_ended(optimizer)
        if self._window is not None:
            self._end_window(optimizer)
        weights, self._before = self._before, []
        bad = [p for p in weights if not _is_finite(p)]
        if bad:
            self.report(
                CERTAIN,
                f"step {self.training.step} of {type(optimizer).__name__} made weights "
                f"of shape {tuple(bad[0].shape)} inf or nan in float16, which were "
                "finite before",
            )

    def _begin_window(self, optimizer: Any) -> None:
        if self._window is not None and self._window[0]() is None:
            self._window = None
        steps = self.training.optimizer_steps - 1
        if (
            self._window is not None
            or steps not in _LOOKS_AFTER
            or not self.audit.can_look()
            or not type(optimizer).__module__.startswith(_PLAIN)
        ):
            return
        import torch

        weights = sorted(_find_weights(optimizer, torch.bfloat16), key=lambda p: -p.numel())[:4]
        if weights:
            self._window = (
                weakref.ref(optimizer),
                steps + _STILL_STEPS,
                [(weakref.ref(p), _first_elements(p).clone()) for p in weights],
            )

    def _end_window(self, optimizer: Any) -> None:
        import torch

        if (
            self._window is None
            or self._window[0]() is not optimizer
            or self.training.optimizer_steps < self._window[1]
        ):
            return
        kept, self._window = self._window[2], None
        moving = still = 0
        adaptive = False
        with torch.no_grad():
            for reference, before in kept:
                p = reference()
                if p is None or p.grad is None or not is_readable(p.grad) or p.grad.is_sparse:
                    continue
                graded = _first_elements(p.grad) != 0
                moving += int(graded.sum())
                still += int((graded & (_first_elements(p) == before)).sum())
                adaptive = adaptive or any(
                    "exp_" in key or "square" in key or key == "sum"
                    for key in optimizer.state.get(p, ())
                    if is_a(key, str)
                )
        if moving:
            line = find_user_line()
            result = still / moving, _STILL_SHARE_ADAPTIVE if adaptive else _STILL_SHARE, moving
            self._stayed[line] = min(result, self._stayed.get(line, result))

    def on_end(self) -> None:
        for line, (share, limit, elements) in self._stayed.items():
            if share >= limit:
                self.report(
                    LIKELY,
                    f"{share:.0%} of {elements} bfloat16 weights with a gradient did not "
                    f"change in {_STILL_STEPS} steps: the updates are too small for bfloat16",
                    where=line,
                    share=round(share, 2),
                )


def _find_weights(optimizer: Any, dtype: Any) -> list[Any]:
    """The weights of this dtype that a step is going to change."""
    return [
        p
        for group in groups_of(optimizer)
        if group.get("lr")
        for p in plain(group["params"])
        if is_tensor(p) and p.dtype == dtype and p.grad is not None and is_readable(p)
    ]


def _first_elements(tensor: Any) -> Any:
    return tensor.detach().reshape(-1)[:_FOLLOWED_ELEMENTS]


def _is_finite(tensor: Any) -> bool:
    import torch

    if not is_readable(tensor) or tensor.numel() > _MAX_ELEMENTS:
        return True
    with torch.no_grad():
        return bool(torch.isfinite(tensor.detach()).all())
