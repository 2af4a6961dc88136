"""N2: a tensor that a module holds as a plain attribute: it is not moved, not saved and not trained."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

from dpkb_audit.check import CERTAIN, LIKELY
from dpkb_audit.checks import _module_contents as module_contents
from dpkb_audit.checks._optimizers import parameter_ids
from dpkb_audit.checks._texts import format_shape
from dpkb_audit.checks._unsaved_state_check import UnsavedCheck
from dpkb_audit.modules import has_parameters, parameters_in

# In at least this many steps a tensor must have a gradient and stay unchanged.
_MIN_STEPS = 2


class N2(UnsavedCheck):
    cpu_only = True
    description = "tensors that a module holds without having registered them"
    fix = "register it: register_buffer() for state, nn.Parameter for what is trained"
    state_kind = "a plain attribute, not a buffer"

    def prepare(self) -> None:
        super().prepare()
        # id of a tensor -> the number of steps in which it had a gradient, and its version.
        self._gradient_steps: dict[int, tuple[int, int]] = {}
        # For models without parameters: path and line of a tensor that should be a parameter.
        self._empty: list[tuple[str, Any]] = []
        # Class and path -> shape of a tensor that was not all zeros when a model of this class was first
        # called.
        self._nonzero_shapes: dict[tuple[type, str], tuple[int, ...]] = {}

    def tensors_of(self, root: Any) -> Iterator[tuple[str, Any, Any]]:
        return module_contents.find_plain_tensors(root)

    def on_parameters_passed(self, module: Any) -> None:
        if not has_parameters(module) and len(self._empty) < 10:
            self._empty += [
                (path, module_contents.find_attribute_line(type(holder), path))
                for path, tensor, holder in module_contents.find_plain_tensors(module)
                if tensor.requires_grad
            ]

    def compare_with_others(self, root: Any, states: dict[str, Any]) -> None:
        # Look for tensors that are zero in a loaded model and were not in another model of its class.
        for path, tensor, holder in self.tensors_of(root):
            if path not in states or tensor.numel() < 2:
                continue
            key = type(root), path
            if bool((tensor.detach() != 0).any()):
                self._nonzero_shapes.setdefault(key, states[path].shape)
            elif root in self._loaded and self._nonzero_shapes.get(key) == states[path].shape:
                shape = format_shape(states[path].shape)
                self.report(
                    LIKELY,
                    f"{path} ({shape}) of {type(holder).__name__} is all zeros after a "
                    "state dict was loaded, and was not in the model that was called before: it is a plain "
                    "attribute, not a buffer",
                    where=module_contents.find_attribute_line(type(holder), path),
                )

    def on_step_ended(self, optimizer: Any) -> None:
        if self.training.step > 12:
            self.pause("step_ended")
            return
        if not self.audit.can_look():
            return
        parameters = None
        for root in self.training.models:
            for path, tensor, holder in module_contents.find_plain_tensors(root):
                leaf = _leaf_of(tensor) if tensor.requires_grad else None
                if leaf is None or leaf.grad is None:
                    continue
                if parameters is None:
                    parameters = parameter_ids(self.training.optimizer_records)
                    parameters.update(id(p) for model in self.training.models for p in parameters_in(model))
                if id(leaf) not in parameters:
                    self._count(path, tensor, leaf, holder)

    def _count(self, path: str, tensor: Any, leaf: Any, holder: Any) -> None:
        times, version = self._gradient_steps.get(id(leaf), (0, leaf._version))
        # If a tensor changes, the program itself updates it.
        self._gradient_steps[id(leaf)] = times + 1 if version == leaf._version else -1000, leaf._version
        if times >= _MIN_STEPS:
            how = "a plain tensor" if tensor is leaf else "the result of an operation on a parameter"
            self.report(
                CERTAIN,
                f"{path} of {type(holder).__name__} is {how}: it gets gradients, but no "
                f"optimizer has it, and it has not changed in {times + 1} steps",
                where=module_contents.find_attribute_line(type(holder), path),
                fix="make it a parameter last: self.x = nn.Parameter(tensor.to(...))",
            )

    def on_end(self) -> None:
        super().on_end()
        error = getattr(sys, "last_value", None)
        if isinstance(error, ValueError) and "empty parameter list" in str(error):
            for path, where in self._empty:
                self.report(
                    CERTAIN,
                    f"{path} requires gradients, but it is the result of an operation on a "
                    "parameter and not registered: the module has no parameters",
                    where=where,
                    fix="convert or move first, and make it an nn.Parameter last",
                )
        elif isinstance(error, RuntimeError) and (
            "device" in str(error) or "dtype" in str(error) or "scalar type" in str(error)
        ):
            self._look_at_error()

    def _look_at_error(self) -> None:
        """After an error about devices or dtypes, look for a tensor that to() did not move or cast."""
        for module in module_contents.find_modules_in_traceback():
            own = next(parameters_in(module), None)
            for path, tensor, holder in module_contents.find_plain_tensors(module):
                if (
                    holder is module
                    and own is not None
                    and tensor.is_floating_point()
                    and (tensor.device != own.device or tensor.dtype != own.dtype)
                ):
                    self.report(
                        CERTAIN,
                        f"the parameters of {type(module).__name__} are {own.dtype} on "
                        f"{own.device}, its attribute {path} is {tensor.dtype} on "
                        f"{tensor.device}: to() does not move it",
                        where=module_contents.find_attribute_line(type(holder), path),
                    )
                    return


def _leaf_of(tensor: Any) -> Any:
    """The leaf from which one or two operations computed this tensor; the tensor itself if it is a leaf."""
    if tensor.is_leaf:
        return tensor
    node = tensor.grad_fn
    for _ in range(3):
        if hasattr(node, "variable"):
            return node.variable
        following = [node for node, _ in getattr(node, "next_functions", ()) if node is not None]
        if len(following) != 1:
            return None
        node = following[0]
    return None
