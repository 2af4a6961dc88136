"""O1: no weight is trained: the steps find no gradients, or there is no step."""

from __future__ import annotations

import weakref
from typing import Any

from dpkb_audit.check import CERTAIN, LIKELY, Check
from dpkb_audit.checks._optimizers import parameter_ids, parameters_of, parameters_of_all
from dpkb_audit.identity import IdentityMap
from dpkb_audit.modules import parameters_in
from dpkb_audit.tensors import is_readable, read_elements
from dpkb_audit.user_code import find_user_line

# At least this many steps or backward passes must go wrong.
_WRONG_STEPS = 3
# At least this many first steps must find no gradient.
_EMPTY_STEPS = 5
# A program with fewer backward passes may be a test.
_MIN_PASSES = 10


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

    def prepare(self) -> None:
        # The number of backward passes since the last step.
        self._passes = 0
        # Optimizer -> the line that cleared its gradients since the last backward pass; and the number of its
        # steps after that.
        self._cleared, self._wasted_steps = IdentityMap(), IdentityMap()
        # The number of backward passes that began at a tensor without a graph.
        self._unconnected = 0
        # The number of steps before the first one that finds a gradient, and whether that has come.
        self._empty_steps, self._has_gradients = 0, False
        self._first_weight = _FirstWeight(self)
        # Whether a GradScaler was asked for steps: if it skips all of them, that is P2.
        self._has_scaler_steps = False

    def on_backward_started(self, tensors: Any) -> None:
        loss = tensors[0] if len(tensors) == 1 else None
        if loss is not None and loss.is_leaf and loss.requires_grad and loss.grad is None:
            self._follow_unconnected(loss)

    def _follow_unconnected(self, leaf: Any) -> None:
        if any(leaf is p for p in parameters_of_all(self.training.optimizers)):
            return
        self._unconnected += 1
        if self._unconnected == _WRONG_STEPS:
            self.report(
                CERTAIN,
                f"backward() began {self._unconnected} times at a tensor that was made from a number: "
                "nothing connects it to the weights",
                fix="compute the loss from the model's output, without .item(), .numpy() or torch.tensor()",
            )

    def on_backward_ended(self, tensors: Any) -> None:
        self._passes += 1
        if not self._first_weight.has_changed:
            self._first_weight.look()
        if self._cleared:
            self._cleared.clear()

    def on_gradients_zeroed(self, owner: Any) -> None:
        if not self._passes:
            return
        if owner in self.training.optimizers:
            self._cleared[owner] = find_user_line()
        else:
            parameters = set(map(id, parameters_in(owner)))
            for optimizer in self.training.optimizers:
                if parameters.issuperset(parameter_ids([optimizer])):
                    self._cleared[optimizer] = find_user_line()

    def on_scaler_called(self, name: str, scaler: Any, arguments: Any) -> None:
        self._has_scaler_steps = self._has_scaler_steps or name == "step"

    def on_step_started(self, optimizer: Any) -> None:
        # In a step with a closure, zero_grad() comes before the backward pass, so count the passes from here.
        passes, self._passes = self._passes, 0
        if self._cleared and optimizer in self._cleared:
            if passes:
                self._look_for_waste(optimizer)
        elif not self._has_gradients:
            self._look_for_gradients(optimizer, passes)

    def on_step_ended(self, optimizer: Any) -> None:
        self._passes = 0  # the step has used the backward passes of its closure

    def _look_for_waste(self, optimizer: Any) -> None:
        """Look at a step after a line has cleared its gradients."""
        grads = [p.grad for p in parameters_of(optimizer)[:200] if p.grad is not None]
        if any(not is_readable(grad) or bool((grad != 0).any()) for grad in grads):
            return
        self._wasted_steps[optimizer] = wasted = self._wasted_steps.get(optimizer, 0) + 1
        if wasted == _WRONG_STEPS:
            self.report(
                CERTAIN,
                f"{wasted} of {self.training.step + 1} optimizer steps found no gradients: "
                "zero_grad() had cleared them after the backward pass",
                where=self._cleared[optimizer],
                steps=wasted,
            )

    def _look_for_gradients(self, optimizer: Any, passes: int) -> None:
        """Look at a step before the first one that finds a gradient."""
        if any(p.grad is not None for p in parameters_of_all(self.training.optimizers)):
            self._has_gradients = True
        elif passes and any(p.requires_grad for p in parameters_of(optimizer)):
            self._empty_steps += 1
            # If weights outside of the optimizers have gradients, that is O2.
            if (
                self._empty_steps == _EMPTY_STEPS
                and self._unconnected < _WRONG_STEPS
                and not any(
                    p.grad is not None for model in self.training.models for p in parameters_in(model)
                )
            ):
                self.report(
                    CERTAIN,
                    f"none of the first {_EMPTY_STEPS} optimizer steps found a gradient: the "
                    "backward passes reach no weight",
                    steps=_EMPTY_STEPS,
                    fix="compute the loss from the model's output, without .item(), .detach() or "
                    "torch.tensor()",
                )

    def on_end(self) -> None:
        weight = self._first_weight
        if weight.is_known and not weight.has_changed:
            weight.look()
        passes = self.training.counts.get("backward passes", 0)
        if not weight.is_known or passes < _MIN_PASSES or self.audit.exit_code not in (None, 0):
            return
        if not self.training.step and not weight.has_changed and not self._has_scaler_steps:
            self.report(
                LIKELY,
                f"there were {passes} backward passes, and no optimizer step: no weight has changed",
                where=weight.line,
                passes=passes,
                fix="call optimizer.step() after backward(); with accumulation, after fewer "
                "micro-batches than an epoch has",
            )
