"""O2: parameters with gradients that no optimizer has, and a tensor that an optimizer has twice."""

from __future__ import annotations

import weakref
from typing import Any

from dpkb_audit.check import CERTAIN, LIKELY, Check
from dpkb_audit.checks._optimizers import groups_of, parameters_of_all
from dpkb_audit.checks._texts import list_names
from dpkb_audit.identity import IdentityMap
from dpkb_audit.modules import named_modules_in, named_parameters_in, parameters_in
from dpkb_audit.object_contents import own_attributes, plain
from dpkb_audit.user_code import find_user_line

# At least this many steps are needed for a report: a second optimizer may come later.
_MIN_STEPS = 4
# At least this many layers that one line has called must be gone after their pass.
_MIN_GONE = 3


class O2(Check):
    description = "parameters that get gradients, against those that an optimizer has"
    fix = "build the optimizer from all parameters, after the last change of the model; freeze the others"

    def prepare(self) -> None:
        # Model -> the number of steps in which no optimizer had some of its parameters, and the
        # versions of these parameters in the first such step.
        self._unowned = IdentityMap()
        # The ids of the modules in the model that is being called.
        self._contained: set[int] = set()
        # Called within a model, but not of it: a reference to each layer, its line, and a text; and line -> how many
        # of its layers did not outlive their pass.
        self._foreign: list[tuple[Any, Any, str]] = []
        self._gone: dict[Any, int] = {}

    def on_forward_started(self, module: Any, inputs: Any) -> None:
        self._contained = {id(part) for _, part in named_modules_in(module)}

    def on_module_started(self, module: Any, inputs: Any) -> None:
        import torch

        if id(module) in self._contained or len(self._foreign) >= _MIN_GONE or not torch.is_grad_enabled():
            return
        if any(p is not None and p.requires_grad for p in own_attributes(module)["_parameters"].values()):
            self._foreign.append((weakref.ref(module), find_user_line(), type(module).__name__))

    def on_backward_ended(self, tensors: Any) -> None:
        for reference, line, layer in self._foreign:
            if reference() is None:
                self._gone[line] = self._gone.get(line, 0) + 1
                if self._gone[line] == _MIN_GONE:
                    self.report(
                        CERTAIN,
                        f"each forward pass makes a new {layer}: its weights are random in each step, and "
                        "never trained",
                        where=line,
                        fix="make the layer in __init__, as an attribute of the model",
                    )
        self._foreign.clear()
        self.pause_until_module_calls("backward_ended")

    def on_optimizer_created(self, optimizer: Any) -> None:
        for group in groups_of(optimizer):
            numbers = [id(p) for p in plain(group["params"])]
            repeated = len(numbers) - len(set(numbers))
            if repeated:
                self.report(
                    CERTAIN,
                    f"{repeated} of {len(numbers)} tensors are twice in one parameter "
                    "group: each step changes them twice",
                    twice=repeated,
                    fix="list each tensor once: a tied weight belongs to one module only",
                )

    def on_step_ended(self, optimizer: Any) -> None:
        step = self.training.step
        few = step <= 2 * _MIN_STEPS or step & (step - 1) == 0
        if not (few or self.audit.module_calls.looking) or not self.audit.can_look():
            return
        parameters = list(parameters_of_all(self.training.optimizers))
        optimized = set(map(id, parameters))
        models = self.training.models
        # FSDP, DeepSpeed and apex give the optimizer tensors with gradients that are not the model's.
        if not any(id(p) in optimized for model in models for p in parameters_in(model)) and any(
            p.grad is not None for p in parameters
        ):
            return
        for model, passes in models.items():
            self._look_at(model, passes, optimized)

    def _look_at(self, model: Any, passes: int, optimized: set[int]) -> None:
        parameters = list(named_parameters_in(model))
        missed = [
            (name, p)
            for name, p in parameters
            if p.requires_grad and p.grad is not None and id(p) not in optimized
        ]
        times, versions, before = self._unowned.get(model, (0, {}, None))
        if not missed:
            self._unowned.pop(model, None)
            return
        # Gradients may come from an earlier training run that has ended.
        now = passes, [p.grad._version for _, p in missed]
        if now == before:
            return
        if not times:
            versions = {name: p._version for name, p in missed}
        self._unowned[model] = times + 1, versions, now
        # If a parameter changes, something other than an optimizer updates it.
        same = [(name, p) for name, p in missed if versions.get(name) == p._version]
        if times + 1 < _MIN_STEPS or not same:
            return
        all_of_it = len(same) == len(parameters)
        # A model that only passes gradients on (a fixed feature extractor) is usually in eval mode.
        if all_of_it and not model.training:
            return
        names = [name for name, _ in same]
        self.report(
            LIKELY if all_of_it else CERTAIN,
            f"{len(same)} of {len(parameters)} parameters of {type(model).__name__} get gradients, but no "
            f"optimizer has them, and they have not changed in {times + 1} steps: {list_names(names)}",
            parameters=names[:20],
        )
