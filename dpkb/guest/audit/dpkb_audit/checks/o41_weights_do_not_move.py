"""O41: weights with gradients that do not move: updates too small for bfloat16, or a learning rate of 0."""

from __future__ import annotations

import weakref
from typing import Any

from dpkb_audit.check import LIKELY, Check
from dpkb_audit.checks._optimizers import find_weights, groups_of
from dpkb_audit.object_contents import is_a
from dpkb_audit.tensors import is_readable
from dpkb_audit.user_code import find_user_line

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
# A program with fewer steps at a rate of 0 may be a test.
_MIN_STEPS = 10


class O41(Check):
    cpu_only = True
    description = "the weights before and after eight steps, and the learning rate of each step"
    fix = "keep the weights in float32 and use bfloat16 autocast"

    def prepare(self) -> None:
        # The optimizer that is followed (a reference), its last step to follow, and the earlier weights.
        self._window: Any = None
        # Line of the step -> the least share of unchanged elements, its limit, and the number of elements.
        self._stayed: dict[Any, tuple[float, float, int]] = {}
        # The number of steps with a learning rate of 0, in a program that has never used another rate, the line
        # of the last one, and whether a scheduler set the rate.
        self._zero_rate_steps, self._has_used_a_rate, self._is_scheduled = 0, False, False
        self._step_line: Any = None

    def on_scheduler_stepped(self, scheduler: Any, epoch: Any) -> None:
        self._is_scheduled = True
        self.pause("scheduler_stepped")

    def on_step_started(self, optimizer: Any) -> None:
        if not self._has_used_a_rate:
            rates = [group.get("lr") for group in groups_of(optimizer)]
            self._has_used_a_rate = any(not is_a(rate, (int, float)) or rate for rate in rates)
            self._zero_rate_steps += 1
            self._step_line = find_user_line()
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

        weights = sorted(find_weights(optimizer, torch.bfloat16), key=lambda p: -p.numel())[:4]
        if weights:
            before = [(weakref.ref(p), _first_elements(p).clone()) for p in weights]
            self._window = weakref.ref(optimizer), steps + _STILL_STEPS, before

    def on_step_ended(self, optimizer: Any) -> None:
        window = self._window
        if window is None or window[0]() is not optimizer or self.training.optimizer_steps < window[1]:
            return
        self._window = None
        self._compare(optimizer, window[2])

    def _compare(self, optimizer: Any, kept: list[tuple[Any, Any]]) -> None:
        import torch

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
        if (
            self._zero_rate_steps >= _MIN_STEPS
            and not self._has_used_a_rate
            and self.audit.exit_code in (None, 0)
        ):
            self.report(
                LIKELY,
                f"the learning rate was 0 in each of {self._zero_rate_steps} optimizer steps: no weight has "
                "changed",
                where=self._step_line,
                steps=self._zero_rate_steps,
                fix="use / for // in the function of the schedule, and count its steps from 1"
                if self._is_scheduled
                else "set a learning rate above 0 in each group of the optimizer",
            )


def _first_elements(tensor: Any) -> Any:
    return tensor.detach().reshape(-1)[:_FOLLOWED_ELEMENTS]
