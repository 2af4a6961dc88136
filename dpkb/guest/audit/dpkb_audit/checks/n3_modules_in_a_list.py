"""N3: layers in a list or dict, which the model uses but has not registered."""

from __future__ import annotations

import sys
import weakref
from typing import Any

from dpkb_audit.check import CERTAIN, LIKELY, Check
from dpkb_audit.checks import _checkpoints as checkpoints
from dpkb_audit.checks import _module_contents as module_contents
from dpkb_audit.checks._optimizers import parameter_ids
from dpkb_audit.checks._texts import list_names
from dpkb_audit.identity import IdentityMap
from dpkb_audit.modules import has_parameters, parameters_in
from dpkb_audit.object_contents import is_a

# In at least this many steps layers must have gradients and stay unchanged.
_MIN_STEPS = 2


class _HiddenModule:
    """A module that is in a list or dict of another module."""

    def __init__(self, path: str, holder: Any, root: Any) -> None:
        self.path, self.holder_type, self.root = path, type(holder), weakref.ref(root)
        self.used = self.saved = False
        self.steps = 0
        self.version = -1


class N3(Check):
    description = "layers that take part in a forward pass, but are in a list or dict of the model"
    fix = "keep them in nn.ModuleList or nn.ModuleDict, and create the optimizer afterwards"

    def prepare(self) -> None:
        # Module -> its _HiddenModule; and root -> how often it was searched.
        self._hidden, self._looks = IdentityMap(), IdentityMap()
        # The hidden modules of models without parameters.
        self._empty: list[tuple[list[str], str, Any]] = []

    def on_parameters_passed(self, module: Any) -> None:
        self._search(module, 2)
        if not has_parameters(module):
            modules = module_contents.find_hidden_modules(module)
            if modules and len(self._empty) < 10:
                first, _, holder = next(iter(modules.values()))
                self._empty.append(
                    (
                        [path for path, _, _ in modules.values()],
                        type(module).__name__,
                        module_contents.find_attribute_line(type(holder), first),
                    )
                )

    def on_forward_started(self, module: Any, inputs: Any) -> None:
        self._search(module, 3)

    def _search(self, root: Any, times: int) -> None:
        looks = self._looks.get(root, 0)
        if looks >= times:
            return
        self._looks[root] = looks + 1
        for path, module, holder in module_contents.find_hidden_modules(root).values():
            self._hidden.setdefault(module, _HiddenModule(path, holder, root))

    def on_module_started(self, module: Any, inputs: Any) -> None:
        if self._hidden:
            hidden = self._hidden.get(module)
            if hidden is not None and not hidden.used:
                import torch

                hidden.used = torch.is_grad_enabled() and any(p.requires_grad for p in parameters_in(module))

    def on_step_ended(self, optimizer: Any) -> None:
        if self.training.step > 40:
            self.pause("step_ended")
        elif self._hidden:
            self._look_for_untrained()

    def _look_for_untrained(self) -> None:
        optimized = parameter_ids(self.training.optimizers)
        untrained = []
        for module, hidden in self._hidden.items():
            if not hidden.used:
                continue
            parameters = [p for p in parameters_in(module) if p.requires_grad and p.grad is not None]
            version = sum(p._version for p in parameters)
            if parameters and not any(id(p) in optimized for p in parameters):
                # If a layer changes, something else updates it.
                hidden.steps = hidden.steps + 1 if version == hidden.version else 1
                hidden.version = version
                if hidden.steps > _MIN_STEPS:
                    untrained.append(hidden)
        if untrained:
            self._report(
                CERTAIN,
                untrained,
                f"got gradients in {_MIN_STEPS + 1} steps, but no optimizer has "
                "their parameters and they have not changed",
            )

    def on_saved(self, obj: Any, target: Any) -> None:
        # A module's state dict has _metadata.
        if self.training.step and is_a(obj, dict) and hasattr(obj, "_metadata") and not obj:
            self.report(
                LIKELY,
                "the state dict that is saved has no entries: the module has registered none "
                "of the layers that were trained",
            )
        if self._hidden:
            self._look_at_states(checkpoints.model_states_in(obj))

    def on_state_loading(self, module: Any, state: Any) -> None:
        if self._hidden:
            self._look_at_states([state])

    def _look_at_states(self, states: list[dict[str, Any]]) -> None:
        optimized = parameter_ids(self.training.optimizers)
        unsaved = []
        for module, hidden in self._hidden.items():
            root = hidden.root()
            if (
                root is not None
                and hidden.used
                and any(id(p) in optimized for p in parameters_in(module))
                and any(checkpoints.belongs_to(state, root) for state in states)
            ):
                unsaved.append(hidden)
        if unsaved:
            self._report(
                CERTAIN, unsaved, "are trained by the optimizer, but are not in the state dict that is saved"
            )

    def on_end(self) -> None:
        error = getattr(sys, "last_value", None)
        if isinstance(error, ValueError) and "empty parameter list" in str(error):
            for paths, kind, where in self._empty:
                self.report(
                    CERTAIN,
                    f"{_count(len(paths))} ({list_names(paths)}) are the only ones of {kind}, "
                    "which has not registered them: it has no parameters",
                    where=where,
                )
        elif isinstance(error, RuntimeError) and "device" in str(error):
            self._look_at_error()
        optimized = parameter_ids(self.training.optimizers)
        unused = [
            hidden
            for module, hidden in self._hidden.items()
            if hidden.used and not any(id(p) in optimized for p in parameters_in(module))
        ]
        roots = [hidden.root() for hidden in unused]
        # If an optimizer has other weights of the model, the program does not update weights itself.
        if any(root is not None and any(id(p) in optimized for p in parameters_in(root)) for root in roots):
            self._report(
                LIKELY,
                unused,
                "take part in the forward pass with gradients, but no optimizer has their parameters",
            )

    def _look_at_error(self) -> None:
        """After an error about devices, look for layers that are not on the device of their model."""
        for module in module_contents.find_modules_in_traceback():
            own = next(parameters_in(module), None)
            for path, hidden, holder in module_contents.find_hidden_modules(module).values():
                other = next(parameters_in(hidden), None)
                if own is not None and other is not None and own.device != other.device:
                    self.report(
                        CERTAIN,
                        f"{type(module).__name__} is on {own.device} and {path}, which "
                        f"is not registered, on {other.device}",
                        where=module_contents.find_attribute_line(type(holder), path),
                    )
                    return

    def _report(self, certainty: str, modules: list[_HiddenModule], clause: str) -> None:
        by_line: dict[Any, list[_HiddenModule]] = {}
        for hidden in modules:
            where = module_contents.find_attribute_line(hidden.holder_type, hidden.path)
            by_line.setdefault(where, []).append(hidden)
        for where, group in by_line.items():
            paths = [hidden.path for hidden in group]
            kind = group[0].holder_type.__name__
            self.report(
                certainty,
                f"{_count(len(paths))} of {kind} ({list_names(paths)}) {clause}",
                where=where,
                paths=paths[:20],
            )


def _count(number: int) -> str:
    return f"{number} unregistered layer{'s' if number > 1 else ''}"
