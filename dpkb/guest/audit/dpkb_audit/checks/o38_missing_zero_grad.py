"""O38: gradients that are not cleared between two steps."""

from __future__ import annotations

import weakref
from typing import Any

from dpkb_audit.check import CERTAIN, LIKELY, Check
from dpkb_audit.checks._module_contents import checksum
from dpkb_audit.checks._optimizers import parameters_of
from dpkb_audit.identity import IdentityMap
from dpkb_audit.user_code import find_user_line

# At least this many steps in a row must use old gradients.
_MIN_STEPS = 3
# At most this many steps of an optimizer are looked at.
_MAX_LOOKS = 40
# A gradient is read if it has at most this many elements.
_MAX_ELEMENTS = 10_000


class _Gradient:
    """The gradient of a parameter, from one step to the next."""

    def __init__(self, parameter: Any) -> None:
        self._parameter: Any = weakref.ref(parameter)
        # Address, version and checksum of the gradient. Up to torch 1.8 the object itself is not permanent.
        self._state: Any = self._read_state()
        self.has_values = self._state[2] is not None
        # Whether only backward passes have changed it, and whether at least one has.
        self.is_old, self.grew = True, False

    def _read_state(self) -> Any:
        grad: Any = getattr(self._parameter(), "grad", None)
        return None if grad is None else (grad.data_ptr(), grad._version, checksum(grad))

    def before_backward(self) -> None:
        if self.is_old and (self._read_state() != self._state or self._state[2] == 0):
            self.is_old = False

    def after_backward(self) -> None:
        before, self._state = self._state, self._read_state()
        self.is_old = self.is_old and self._state is not None and self._state[0] == before[0]
        self.grew = self.grew or self._state != before


class O38(Check):
    description = "gradients that a step has used, until the next step"
    fix = "call optimizer.zero_grad() before each backward(), or after each step()"

    def prepare(self) -> None:
        self._gradients = IdentityMap()
        # Optimizer -> the number of its steps in a row that used old gradients.
        self._steps = IdentityMap()
        self._follows = True

    def _follow(self, should_follow: bool) -> None:
        """Follow the gradients, if there are any to follow."""
        if should_follow != self._follows:
            self._follows = should_follow
            for event in ("backward_started", "backward_ended", "step_started"):
                (self.resume if should_follow else self.pause)(event)

    def on_backward_started(self, tensors: Any) -> None:
        if self._gradients:  # iteration over a weak dictionary takes time even if it is empty
            for gradient in self._gradients.values():
                gradient.before_backward()

    def on_backward_ended(self, tensors: Any) -> None:
        if self._gradients:
            for gradient in self._gradients.values():
                gradient.after_backward()

    def on_step_started(self, optimizer: Any) -> None:
        gradient = self._gradients.pop(optimizer, None)
        if gradient is None or not gradient.is_old or not gradient.grew:
            self._steps.pop(optimizer, None)
            return
        self._steps[optimizer] = steps = self._steps.get(optimizer, 0) + 1
        if steps == _MIN_STEPS:
            self.report(
                CERTAIN if gradient.has_values else LIKELY,
                f"the last {_MIN_STEPS} steps used the gradients of earlier steps too: nothing "
                "cleared them before backward() added to them",
                where=find_user_line(),
                steps=_MIN_STEPS,
            )

    def on_step_ended(self, optimizer: Any) -> None:
        if self.training.optimizer_steps >= _MAX_LOOKS:
            self._follow(bool(self._gradients))
            return
        small = [
            p
            for p in parameters_of(optimizer)
            if p.grad is not None and not p.grad.is_sparse and p.numel() <= _MAX_ELEMENTS
        ]
        if small:
            self._gradients[optimizer] = _Gradient(min(small, key=lambda p: p.numel()))
            self._follow(True)
