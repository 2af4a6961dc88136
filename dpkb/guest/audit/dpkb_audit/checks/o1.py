"""O1: no weight is trained: the steps find no gradients, or there is no step."""

from __future__ import annotations

import weakref

from dpkb_audit.check import CERTAIN, LIKELY, Check
from dpkb_audit.checks._optimizers import parameters_of, parameters_of_all
from dpkb_audit.tensors import is_readable
from dpkb_audit.user_code import user_line

MYPY = False
if MYPY:
    from typing import Any

    from dpkb_audit.audit import Audit

# At least this many steps or backward passes must go wrong.
_WRONG_STEPS = 3
# At least this many first steps must find no gradient.
_EMPTY_STEPS = 5
# A program with fewer backward passes, or steps at a rate of 0, may be a test.
_MIN_PASSES = 10


class O1(Check):
    description = "whether backward passes reach the weights, and steps find the gradients"
    fix = "call zero_grad() before backward() or after step(), never between them"

    def __init__(self, audit: Audit) -> None:
        super().__init__(audit)
        # Optimizer -> whether its gradients were cleared since the last backward pass, where, and how often
        # it stepped then.
        self._cleared: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()
        self._is_any_cleared = False
        self._wasted: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()
        self._backward_passes = 0
        # Backward passes that began at a tensor without a graph; steps before any found a gradient, or None.
        self._leaves = 0
        self._empty: int | None = 0
        # One weight with a gradient, its version after the first backward pass, and the line of that pass;
        # whether it has changed since. At the end the weight and its optimizer may be gone.
        self._first: Any = None
        self._moved = False
        # Steps whose rate was 0, unless one was not, and the line of the last.
        self._rateless = 0
        self._rateless_line: Any = None
        self._rated = False
        # Whether a GradScaler had steps to take: where it takes none, it is P2.
        self._scaled = False

    def on_optimizer_created(self, optimizer: Any) -> None:
        self._cleared[optimizer] = None

    def on_backward_started(self, tensors: Any) -> None:
        loss = tensors[0] if len(tensors) == 1 else None
        if loss is None or not loss.is_leaf or not loss.requires_grad or loss.grad is not None:
            return
        if not any(loss is p for p in parameters_of_all(self.training.optimizers)):
            self._leaves += 1
            if self._leaves == _WRONG_STEPS:
                self.report(CERTAIN, f"backward() began {self._leaves} times at a tensor that was made from "
                                     "a number: nothing connects it to the weights",
                            fix="compute the loss from the model's output, without .item(), .numpy() or "
                                "torch.tensor()")

    def on_backward_ended(self, tensors: Any) -> None:
        self._backward_passes += 1
        if self._first is None:
            weights = parameters_of_all(self.training.optimizers)
            weight = next((p for p in weights if p.grad is not None), None)
            if weight is not None:
                self._first = weakref.ref(weight), weight._version, user_line()
        self._look_at_first()
        if self._is_any_cleared:
            for optimizer in self._cleared:
                self._cleared[optimizer] = None
            self._is_any_cleared = False

    def on_gradients_zeroed(self, owner: Any) -> None:
        if not self._backward_passes:
            return
        line = user_line()
        self._is_any_cleared = True
        if owner in self._cleared:
            self._cleared[owner] = line
        elif hasattr(owner, "parameters"):
            parameters = {id(parameter) for parameter in owner.parameters()}
            for optimizer in self._cleared:
                if all(id(p) in parameters for p in parameters_of(optimizer)):
                    self._cleared[optimizer] = line

    def _look_at_first(self) -> None:
        weight = self._first[0]() if self._first else None
        self._moved = self._moved or (weight is not None and weight._version != self._first[1])

    def on_end(self) -> None:
        self._look_at_first()
        passes, steps = self.training.counts.get("backward passes", 0), self.training.step
        if self._first is None or passes < _MIN_PASSES or self.audit.exit_code not in (None, 0):
            return
        if not steps and not self._moved and not self._scaled:
            self.report(LIKELY, f"there were {passes} backward passes, and no optimizer step: no weight "
                                "has changed", where=self._first[2], passes=passes,
                        fix="call optimizer.step() after backward(); with accumulation, after fewer "
                            "micro-batches than an epoch has")
        elif self._rateless >= _MIN_PASSES and not self._rated:
            self.report(LIKELY, f"the learning rate was 0 in each of {self._rateless} optimizer steps: no "
                                "weight has changed", where=self._rateless_line, steps=self._rateless,
                        fix="set a learning rate above 0 in each group of the optimizer")

    def on_scaler_called(self, name: str, scaler: Any, arguments: Any) -> None:
        self._scaled = self._scaled or name == "step"

    def on_scheduler_stepped(self, scheduler: Any, epoch: Any) -> None:
        self._rated = True  # a rate that a schedule keeps at 0 is O31

    def _follow_empty(self, optimizer: Any) -> None:
        """Count the steps until the first one that finds a gradient."""
        if any(p.grad is not None for p in parameters_of_all(self.training.optimizers)):
            self._empty = None
        elif self._empty is not None and self._backward_passes and any(
                p.requires_grad for p in parameters_of(optimizer)):
            self._empty += 1
            models = [record.module for record in self.training.models.values() if record.module is not None]
            # If weights outside of the optimizers have gradients, that is O2.
            if self._empty == _EMPTY_STEPS and self._leaves < _WRONG_STEPS and not any(
                    p.grad is not None for model in models for p in model.parameters()):
                self.report(CERTAIN, f"none of the first {self._empty} optimizer steps found a gradient: the "
                                     "backward passes reach no weight", steps=self._empty,
                            fix="compute the loss from the model's output, without .item(), .detach() or "
                                "torch.tensor()")

    def on_step_started(self, optimizer: Any) -> None:
        if not self._rated:
            rates = [group.get("lr") for group in optimizer.param_groups]
            self._rated = any(not isinstance(rate, (int, float)) or rate for rate in rates)
            self._rateless += 1
            self._rateless_line = user_line()
        if self._empty is not None and self._cleared.get(optimizer) is None:
            self._follow_empty(optimizer)
        line = self._cleared.get(optimizer)
        if line is None or not self._backward_passes:
            self._backward_passes = 0
            return
        # zero_grad() at the start of a step with a closure is not looked at: the backward pass follows it.
        self._backward_passes = 0
        grads = [p.grad for p in parameters_of(optimizer)[:200] if p.grad is not None]
        if any(not is_readable(grad) or bool((grad != 0).any()) for grad in grads):
            return
        self._wasted[optimizer] = wasted = self._wasted.get(optimizer, 0) + 1
        if wasted == _WRONG_STEPS:
            self.report(CERTAIN, f"{wasted} of {self.training.step + 1} optimizer steps found no gradients: "
                        "zero_grad() had cleared them after the backward pass", where=line, steps=wasted)

    def on_step_ended(self, optimizer: Any) -> None:
        self._backward_passes = 0  # those of a closure have been used
