"""O18: the BatchNorm statistics of frozen layers change, because the layers are in training mode."""

from __future__ import annotations

from typing import Any

from dpkb_audit.check import LIKELY, Check
from dpkb_audit.checks._optimizers import parameter_ids
from dpkb_audit.identity import IdentityMap
from dpkb_audit.modules import named_modules_in
from dpkb_audit.object_contents import is_a
from dpkb_audit.tensors import is_readable
from dpkb_audit.user_code import find_user_line

# At least this many steps in a row must have such a layer.
_MIN_STEPS = 4


class O18(Check):
    description = "BatchNorm layers whose parameters are frozen, in training mode"
    fix = "after each model.train() call backbone.eval() for the frozen part"

    def prepare(self) -> None:
        # Model -> version and sum of its frozen weights. If a moving average changes them, the layers are not
        # frozen.
        self._states = IdentityMap()
        # Model -> steps in a row with a frozen BatchNorm in training mode. And for the present step: the name
        # of the first such layer, the number of layers, and the line.
        self._steps, self._pending = IdentityMap(), IdentityMap()

    def on_forward_ended(self, module: Any, inputs: Any, output: Any) -> None:
        import torch

        if not module.training and not any(child.training for _, child in named_modules_in(module)):
            return
        frozen, version, layers = [], 0, []
        for name, child in named_modules_in(module):
            is_norm = is_a(child, torch.nn.modules.batchnorm._BatchNorm) and child.weight is not None
            if is_norm and child.training and not child.weight.requires_grad:
                frozen.append(name)
                layers.append(child)
                version += int(child.weight._version)
        state = version, _total(layers[0]) if layers else 0.0
        same = self._states.get(module, state) == state
        self._states[module] = state
        if frozen and same and (torch.is_grad_enabled() or not self._trains(layers)):
            self._pending[module] = frozen[0], len(frozen), find_user_line()
        else:  # a GAN freezes its discriminator in every second step
            self._steps.pop(module, None)

    def _trains(self, layers: list[Any]) -> bool:
        """Whether an optimizer has one of these layers, as in a GAN that freezes them only sometimes."""
        weights = {id(layer.weight) for layer in layers}
        return not weights.isdisjoint(parameter_ids(self.training.optimizers))

    def on_step_ended(self, optimizer: Any) -> None:
        for module, (name, count, line) in self._pending.items():
            self._steps[module] = self._steps.get(module, 0) + 1
            if self._steps[module] == _MIN_STEPS:
                owner = type(module).__name__
                subject = (
                    f"the frozen BatchNorm layer {name} of {owner} was"
                    if count == 1
                    else f"{count} frozen BatchNorm layers of {owner} ({name}, ...) were"
                )
                self.report(
                    LIKELY,
                    f"{subject} in training mode for {_MIN_STEPS} steps: each batch was "
                    "normalised by itself, and the running statistics moved",
                    where=line,
                    layers=count,
                )
        self._pending = IdentityMap()
        self.pause_until_module_calls("step_ended")


def _total(layer: Any) -> float:
    """The sum of the weights of a layer. If a moving average writes to .data, the version stays the same."""
    import torch

    with torch.no_grad():
        return sum(float(p.detach().double().sum()) for p in (layer.weight, layer.bias) if is_readable(p))
