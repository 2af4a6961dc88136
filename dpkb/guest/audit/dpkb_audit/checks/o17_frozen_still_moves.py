"""O17: weights that should be frozen are changed by the optimizer."""

from __future__ import annotations

from typing import Any

from dpkb_audit.check import CERTAIN, LIKELY, Check
from dpkb_audit.checks._masked_gradients import MOVED_STEPS, MaskedGradients
from dpkb_audit.checks._optimizers import groups_of, parameters_of
from dpkb_audit.modules import named_modules_in, parameters_in
from dpkb_audit.tensors import is_readable
from dpkb_audit.user_code import find_user_line

# At least this many steps in a row must apply an old gradient again.
_STALE_STEPS = 3


class O17(Check):
    description = "frozen parameters that a step changes, and gradients that are applied twice"
    fix = "after requires_grad_(False) set p.grad = None, or leave frozen parameters out of the optimizer"

    def prepare(self) -> None:
        self._frozen: list[tuple[Any, Any]] = []
        self._looked_for_attribute = False
        # id of a parameter -> version and values of its gradient at the last step of this optimizer.
        self._gradients: dict[int, Any] = {}
        self._optimizer = 0
        # The number of steps in a row with unchanged gradients.
        self._stale = 0
        self._backward_passes = 0
        self._masked = MaskedGradients()

    def on_backward_ended(self, tensors: Any) -> None:
        self._backward_passes += 1
        self._masked.forget_gradients()
        if self.training.step % 64 < 8 and self.audit.can_look():
            for optimizer in self.training.optimizers:
                for group in groups_of(optimizer):
                    for parameter in group["params"][:100]:
                        if parameter.grad is not None:
                            self._masked.keep(parameter, parameter.grad)

    def on_gradients_zeroed(self, owner: Any) -> None:
        if id(owner) == self._optimizer:
            self._gradients = {}  # the gradients of the next step are new

    def on_step_started(self, optimizer: Any) -> None:
        self._frozen = []
        step = self.training.step
        looks = self.audit.can_look()
        if not looks and step % 16:
            return
        parameters = parameters_of(optimizer)
        self._frozen = [(p, _state(p)) for p in parameters if not p.requires_grad and p.grad is not None]
        for parameter in parameters[:100]:
            if parameter.grad is not None:
                self._masked.compare(parameter, parameter.grad)
        for weight, masked, followed in self._masked.find_moved_weights(parameters):
            self.report(
                LIKELY,
                f"the gradient of {masked / followed:.0%} of a weight of shape "
                f"{tuple(weight.shape)} was set to 0, but {MOVED_STEPS} steps have moved that part",
                fix="restore these values after each step, or keep them in a separate tensor",
                masked=masked,
            )
        if looks:
            self._look_for_stale(optimizer, parameters)

    def on_step_ended(self, optimizer: Any) -> None:
        if not self._frozen:
            return
        moved = sum(_state(p) != before for p, before in self._frozen)
        frozen, self._frozen = len(self._frozen), []
        if moved:
            self.report(
                CERTAIN,
                f"the step changed {moved} of {frozen} parameters that are frozen: they "
                "still have a gradient from before",
                moved=moved,
            )

    def _look_for_stale(self, optimizer: Any, parameters: list[Any]) -> None:
        before = self._gradients if self._optimizer == id(optimizer) else {}
        # A new gradient may have the same address, so gradients on the CPU are compared by their values.
        now = {
            id(p): (p.grad._version, p.grad.detach().reshape(-1)[:256].tolist())
            for p in parameters[:500]
            if p.grad is not None and p.requires_grad and is_readable(p.grad)
        }
        now = {number: grad for number, grad in now.items() if any(grad[1])}
        self._gradients, self._optimizer = now, id(optimizer)
        passes, self._backward_passes = self._backward_passes, 0
        stale = sum(before.get(number) == grad for number, grad in now.items())
        if not passes or not stale or stale == len(now):
            self._stale = 0
            return
        self._stale += 1
        if self._stale == _STALE_STEPS:
            self.report(
                LIKELY,
                f"{_STALE_STEPS} steps in a row applied the same gradient again to {stale} "
                f"of {len(now)} parameters: nothing has computed or cleared it since",
                fix="clear the gradients of all parameters of the optimizer: optimizer.zero_grad()",
                stale=stale,
            )

    def on_forward_started(self, module: Any, inputs: Any) -> None:
        if self._looked_for_attribute and self.training.step % 64:
            return
        self._looked_for_attribute = True
        for name, child in named_modules_in(module):
            if child.__dict__.get("requires_grad") is False:
                parameters = list(parameters_in(child))
                trained = sum(p.requires_grad for p in parameters)
                if trained:
                    self.report(
                        CERTAIN,
                        f"requires_grad = False was set on the module {name or 'itself'} "
                        f"({type(child).__name__}), which only adds an attribute: {trained} of its "
                        f"{len(parameters)} parameters still require gradients",
                        where=find_user_line(),
                        fix="module.requires_grad_(False)",
                        module=name,
                    )


def _state(parameter: Any) -> tuple[int, list[float]]:
    """The version and some values of a parameter: a fused step does not change the version."""
    values = parameter.detach().reshape(-1)[:16].tolist() if is_readable(parameter) else []
    return parameter._version, values
