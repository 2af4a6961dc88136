"""A5: a reentrant checkpoint without an input that requires a gradient cuts its block from the graph."""

from __future__ import annotations

import functools
import weakref
from types import FunctionType, MethodType
from typing import Any

from dpkb_audit.check import CERTAIN, LIKELY, Check
from dpkb_audit.modules import parameters_in
from dpkb_audit.object_contents import is_a, is_filled
from dpkb_audit.tensors import is_tensor
from dpkb_audit.user_code import find_user_line

# A checkpoint is reported when it was cut off in this many backward passes in a row.
_MIN_PASSES = 3


class A5(Check):
    description = "the inputs of reentrant checkpoints, and the gradients of the parameters behind them"
    fix = "checkpoint(..., use_reentrant=False), or let the inputs of the block require a gradient"

    def prepare(self) -> None:
        # Line -> the modules that ran without a graph since the last backward pass, each with whether the
        # checkpoint called the module itself.
        self._cut: dict[Any, list[tuple[Any, bool]]] = {}
        self._passes: dict[Any, int] = {}
        self._pause()

    def _pause(self) -> None:
        """Get no backward passes while no checkpoint is cut off: they would show nothing."""
        self.pause("backward_started")
        self.pause("backward_ended")

    def on_checkpoint_started(self, function: Any, inputs: Any) -> None:
        import torch

        if (
            self.training.in_backward
            or not torch.is_grad_enabled()
            or any(is_tensor(value) and value.requires_grad for value in inputs)
        ):
            return
        self.resume("backward_started")
        self.resume("backward_ended")
        line = find_user_line()
        cut = self._cut.setdefault(line, [])
        if len(cut) < 200:
            cut += [(weakref.ref(module), module is function) for module in _modules_of(function)]

    def on_backward_started(self, tensors: Any) -> None:
        # This backward() is going to raise, because nothing else leads from the loss to a parameter.
        if self._cut and not any(tensor.requires_grad for tensor in tensors):
            self._look(1)

    def on_backward_ended(self, tensors: Any) -> None:
        cut = self._cut
        if cut:
            self._look(_MIN_PASSES)
        elif not self._passes:
            self._pause()
        self._cut = {}
        self._passes = {line: count for line, count in self._passes.items() if line in cut}

    def _look(self, passes: int) -> None:
        for line, modules in self._cut.items():
            parameters: set[int] = set()
            missing: set[int] = set()
            certain = False
            for reference, is_function in modules:
                module = reference()
                if module is None:
                    continue
                own_parameters = [p for p in parameters_in(module) if p.requires_grad]
                parameters.update(map(id, own_parameters))
                without = {id(p) for p in own_parameters if p.grad is None}
                missing |= without
                certain = certain or bool(is_function and without)
            self._passes[line] = self._passes.get(line, 0) + 1 if missing else 0
            if missing and self._passes[line] == passes:
                self.report(
                    CERTAIN if certain else LIKELY,
                    "no input of a reentrant checkpoint requires a gradient, so what it runs is not in the "
                    f"graph: {len(missing)} of {len(parameters)} trainable parameters got no gradient",
                    where=line,
                    parameters=len(missing),
                )


def _modules_of(function: Any) -> list[Any]:
    """The modules that a function is, belongs to, or has in its closure."""
    from torch.nn import Module

    modules: list[Any] = []
    waiting, seen = [function], 0
    while waiting and seen < 50:
        value = waiting.pop()
        seen += 1
        if is_a(value, Module):
            modules.append(value)
        elif is_a(value, functools.partial):
            waiting += [value.func, *value.args]
        elif is_a(value, (list, tuple)):
            waiting += value[:50]
        elif is_a(value, MethodType):
            waiting += [value.__self__, value.__func__]
        elif is_a(value, FunctionType):
            waiting += [cell.cell_contents for cell in value.__closure__ or () if is_filled(cell)]
    return modules
