"""O1: the gradients are cleared between the backward pass and the step, so the step changes nothing."""

from __future__ import annotations

import weakref

from dpkb_audit.check import CERTAIN, Check
from dpkb_audit.digest import is_readable
from dpkb_audit.where import user_line

MYPY = False
if MYPY:
    from typing import Any

# So many steps must have gone wrong.
_STEPS = 3


class O1(Check):
    watches = "gradients that are cleared after the backward pass and before the step"
    fix = "call zero_grad() before backward() or after step(), never between them"

    def __init__(self, session: Any) -> None:
        super().__init__(session)
        # Optimizer -> whether its gradients were cleared since the last backward pass, where, and how often
        # it stepped then.
        self._cleared: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()
        self._wasted: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()
        self._backward_passes = 0

    def on_optimizer_created(self, optimizer: Any) -> None:
        self._cleared[optimizer] = None

    def on_backward_ended(self, tensors: Any) -> None:
        self._backward_passes += 1
        for optimizer in self._cleared:
            self._cleared[optimizer] = None

    def on_gradients_zeroed(self, owner: Any) -> None:
        if not self._backward_passes:
            return
        line = user_line()
        if owner in self._cleared:
            self._cleared[owner] = line
        elif hasattr(owner, "parameters"):
            theirs = {id(parameter) for parameter in owner.parameters()}
            for optimizer in self._cleared:
                if all(id(p) in theirs for group in optimizer.param_groups for p in group["params"]):
                    self._cleared[optimizer] = line

    def on_step_started(self, optimizer: Any) -> None:
        line = self._cleared.get(optimizer)
        if line is None or not self._backward_passes:
            self._backward_passes = 0
            return
        # zero_grad() at the start of a step with a closure is not looked at: the backward pass follows it.
        self._backward_passes = 0
        parameters = [p for group in optimizer.param_groups for p in group["params"]]
        grads = [p.grad for p in parameters[:200] if p.grad is not None]
        if any(not is_readable(grad) or bool((grad != 0).any()) for grad in grads):
            return
        self._wasted[optimizer] = wasted = self._wasted.get(optimizer, 0) + 1
        if wasted == _STEPS:
            self.report(CERTAIN, f"{wasted} of {self.session.step + 1} optimizer steps found no gradients: "
                        "zero_grad() had cleared them after the backward pass", where=line, steps=wasted)
