"""O1: no weight is trained: the steps find no gradients, or there is no step."""

from __future__ import annotations

import weakref

from dpkb_audit.check import CERTAIN, LIKELY, Check
from dpkb_audit.checks._optimizers import groups_of, parameters_of, parameters_of_all
from dpkb_audit.identity import IdentityMap
from dpkb_audit.modules import parameters_in
from dpkb_audit.object_contents import has_method, is_a
from dpkb_audit.tensors import is_readable, read_elements
from dpkb_audit.user_code import find_user_line

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


class _ClearedGradients:
    """Gradients that the program clears between a backward pass and the step."""

    def __init__(self, check: Check) -> None:
        self._check = check
        # Optimizer -> the line that cleared its gradients since the last backward pass, or None.
        self._lines = IdentityMap()
        self.has_lines = False
        # Optimizer -> the number of its steps with cleared gradients.
        self._wasted_steps = IdentityMap()

    def add(self, optimizer: Any) -> None:
        """Follow a new optimizer."""
        self._lines[optimizer] = None

    def line_of(self, optimizer: Any) -> Any:
        """The line that cleared the gradients of an optimizer since the last backward pass, or None."""
        return self._lines.get(optimizer)

    def follow_clearing(self, owner: Any) -> None:
        """An optimizer or a module has cleared its gradients after a backward pass."""
        line = find_user_line()
        self.has_lines = True
        if owner in self._lines:
            self._lines[owner] = line
        elif has_method(owner, "parameters"):
            parameters = {id(parameter) for parameter in parameters_in(owner)}
            for optimizer in self._lines:
                if all(id(p) in parameters for p in parameters_of(optimizer)):
                    self._lines[optimizer] = line

    def forget_lines(self) -> None:
        """A backward pass has computed new gradients."""
        for optimizer in self._lines:
            self._lines[optimizer] = None
        self.has_lines = False

    def follow_step(self, optimizer: Any, line: Any) -> None:
        """An optimizer steps after a line has cleared its gradients."""
        grads = [p.grad for p in parameters_of(optimizer)[:200] if p.grad is not None]
        if any(not is_readable(grad) or bool((grad != 0).any()) for grad in grads):
            return
        self._wasted_steps[optimizer] = wasted = self._wasted_steps.get(optimizer, 0) + 1
        if wasted == _WRONG_STEPS:
            self._check.report(
                CERTAIN,
                f"{wasted} of {self._check.training.step + 1} optimizer steps found no gradients: "
                "zero_grad() had cleared them after the backward pass",
                where=line,
                steps=wasted,
            )


class _UnconnectedLosses:
    """Backward passes that begin at a tensor without a graph."""

    def __init__(self, check: Check) -> None:
        self._check = check
        self.count = 0

    def follow(self, leaf: Any) -> None:
        """A backward pass begins at a leaf."""
        if any(leaf is p for p in parameters_of_all(self._check.training.optimizers)):
            return
        self.count += 1
        if self.count == _WRONG_STEPS:
            self._check.report(
                CERTAIN,
                f"backward() began {self.count} times at a tensor that was made from a number: "
                "nothing connects it to the weights",
                fix="compute the loss from the model's output, without .item(), .numpy() or torch.tensor()",
            )


class _StepsWithoutGradient:
    """The steps of the program before the first one that finds a gradient."""

    def __init__(self, check: Check) -> None:
        self._check = check
        self._steps = 0
        # Whether no step has found a gradient yet.
        self.is_active = True

    def follow(self, optimizer: Any, passes: int, unconnected: int) -> None:
        """An optimizer steps after some backward passes. unconnected: the count of unconnected losses."""
        training = self._check.training
        if any(p.grad is not None for p in parameters_of_all(training.optimizers)):
            self.is_active = False
        elif passes and any(p.requires_grad for p in parameters_of(optimizer)):
            self._steps += 1
            models = [record.module for record in training.models.values() if record.module is not None]
            # If weights outside of the optimizers have gradients, that is O2.
            if (
                self._steps == _EMPTY_STEPS
                and unconnected < _WRONG_STEPS
                and not any(p.grad is not None for model in models for p in parameters_in(model))
            ):
                self._check.report(
                    CERTAIN,
                    f"none of the first {self._steps} optimizer steps found a gradient: the "
                    "backward passes reach no weight",
                    steps=self._steps,
                    fix="compute the loss from the model's output, without .item(), .detach() or "
                    "torch.tensor()",
                )


class _ZeroRates:
    """The steps with a learning rate of 0, in a program that has never used another rate."""

    def __init__(self) -> None:
        self.steps = 0
        # The line of the last step.
        self.line: Any = None
        self.has_used_a_rate = False

    def follow(self, optimizer: Any) -> None:
        """An optimizer steps."""
        rates = [group.get("lr") for group in groups_of(optimizer)]
        self.has_used_a_rate = any(not is_a(rate, (int, float)) or rate for rate in rates)
        self.steps += 1
        self.line = find_user_line()


class _FirstWeight:
    """The first weight that gets a gradient, to know whether anything has changed it."""

    def __init__(self, check: Check) -> None:
        self._training = check.training
        # The weight may be deleted before the program ends.
        self._reference: Any = None
        self._before: Any = None
        # The line of the backward pass after which the weight was found.
        self.line: Any = None
        self.is_known = self.has_changed = False

    def look(self) -> None:
        """Find the weight, or look whether it has changed since it was found."""
        if self.is_known:
            weight = self._reference()
            self.has_changed = weight is not None and _state(weight) != self._before
            return
        weights = parameters_of_all(self._training.optimizers)
        weight = next((p for p in weights if p.grad is not None), None)
        if weight is not None:
            self.is_known = True
            self._reference, self._before, self.line = weakref.ref(weight), _state(weight), find_user_line()


def _state(weight: Any) -> tuple[int, list[Any]]:
    """The version of a weight, and some of its values: what changes weight.data does not change the version."""
    return weight._version, read_elements(weight)


class O1(Check):
    description = "whether backward passes reach the weights, and steps find the gradients"
    fix = "call zero_grad() before backward() or after step(), never between them"

    def __init__(self, audit: Audit) -> None:
        super().__init__(audit)
        self._cleared = _ClearedGradients(self)
        self._unconnected = _UnconnectedLosses(self)
        self._empty_steps = _StepsWithoutGradient(self)
        self._zero_rates = _ZeroRates()
        self._first_weight = _FirstWeight(self)
        # The number of backward passes since the last step.
        self._passes = 0
        # Whether a GradScaler was asked for steps: if it skips all of them, that is P2.
        self._has_scaler_steps = False

    def on_optimizer_created(self, optimizer: Any) -> None:
        self._cleared.add(optimizer)

    def on_backward_started(self, tensors: Any) -> None:
        loss = tensors[0] if len(tensors) == 1 else None
        if loss is not None and loss.is_leaf and loss.requires_grad and loss.grad is None:
            self._unconnected.follow(loss)

    def on_backward_ended(self, tensors: Any) -> None:
        self._passes += 1
        if not self._first_weight.has_changed:
            self._first_weight.look()
        if self._cleared.has_lines:
            self._cleared.forget_lines()

    def on_gradients_zeroed(self, owner: Any) -> None:
        if self._passes:
            self._cleared.follow_clearing(owner)

    def on_scaler_called(self, name: str, scaler: Any, arguments: Any) -> None:
        self._has_scaler_steps = self._has_scaler_steps or name == "step"

    def on_scheduler_stepped(self, scheduler: Any, epoch: Any) -> None:
        self._zero_rates.has_used_a_rate = True  # if a schedule keeps the rate at 0, that is O31

    def on_step_started(self, optimizer: Any) -> None:
        # In a step with a closure, zero_grad() comes before the backward pass, so count the passes from here.
        passes, self._passes = self._passes, 0
        if not self._zero_rates.has_used_a_rate:
            self._zero_rates.follow(optimizer)
        line = self._cleared.line_of(optimizer)
        if line is None:
            if self._empty_steps.is_active:
                self._empty_steps.follow(optimizer, passes, self._unconnected.count)
        elif passes:
            self._cleared.follow_step(optimizer, line)

    def on_step_ended(self, optimizer: Any) -> None:
        self._passes = 0  # the step has used the backward passes of its closure

    def on_end(self) -> None:
        weight, rates = self._first_weight, self._zero_rates
        if weight.is_known and not weight.has_changed:
            weight.look()
        passes, steps = self.training.counts.get("backward passes", 0), self.training.step
        if not weight.is_known or passes < _MIN_PASSES or self.audit.exit_code not in (None, 0):
            return
        if not steps and not weight.has_changed and not self._has_scaler_steps:
            self.report(
                LIKELY,
                f"there were {passes} backward passes, and no optimizer step: no weight has changed",
                where=weight.line,
                passes=passes,
                fix="call optimizer.step() after backward(); with accumulation, after fewer "
                "micro-batches than an epoch has",
            )
        elif rates.steps >= _MIN_PASSES and not rates.has_used_a_rate:
            self.report(
                LIKELY,
                f"the learning rate was 0 in each of {rates.steps} optimizer steps: no weight has changed",
                where=rates.line,
                steps=rates.steps,
                fix="set a learning rate above 0 in each group of the optimizer",
            )
