"""N4: graphs of earlier steps that are still alive, and hooks that are added again and again."""

from __future__ import annotations

import functools
import weakref
from collections import deque
from types import FunctionType, MethodType
from typing import Any

from dpkb_audit.check import CERTAIN, LIKELY, Check
from dpkb_audit.identity import IdentityMap
from dpkb_audit.object_contents import is_a, plain
from dpkb_audit.tensors import is_tensor

# The graphs of at least this many steps in a row must be alive.
_MIN_ALIVE_STEPS = 7
# One line must add at least this many hooks to a module, between its calls.
_MIN_HOOKS = 3


class _Mark:
    """An object in the metadata of a node of a graph. Python deletes it together with the node."""


class N4(Check):
    description = "whether the graphs of earlier steps are freed, and how many hooks a line adds to a module"
    fix = "keep loss.item() or loss.detach(), run validation under torch.no_grad(), remove hooks"

    def prepare(self) -> None:
        # The marks of each step with a backward pass; the marks since the last step; the marks of forward
        # passes in eval mode.
        self._steps: deque[list[Any]] = deque(maxlen=_MIN_ALIVE_STEPS + 4)
        self._current_marks: list[Any] = []
        self._evaluated: deque[Any] = deque(maxlen=_MIN_ALIVE_STEPS + 4)
        self._passes = 0
        # Whether no module of the present forward pass has returned a tensor with a graph yet.
        self._is_first_output = False
        # Module -> the most hooks of it that come from one line, and how often they have become more.
        self._hooks = IdentityMap()

    def on_forward_started(self, module: Any, inputs: Any) -> None:
        self._is_first_output = True

    def on_module_ended(self, module: Any, inputs: Any, output: Any) -> None:
        # If anything of a forward pass stays alive, its first node stays alive.
        if self._is_first_output and module.training and len(self._current_marks) < 50:
            mark = _mark(_first_tensor(output))
            if mark is not None:
                self._is_first_output = False
                self._current_marks.append(mark)

    def on_forward_ended(self, module: Any, inputs: Any, output: Any) -> None:
        mark = _mark(_first_tensor(output))
        if mark is None:
            return
        if module.training:
            if len(self._current_marks) < 50:
                self._current_marks.append(mark)
            return
        self._evaluated.append(mark)
        alive = _count_alive_steps([[one] for one in self._evaluated])
        if alive > _MIN_ALIVE_STEPS:
            self.report(
                LIKELY,
                f"the graphs of the last {alive} forward passes in eval mode are all still in "
                "memory, and their activations with them",
                alive=alive,
            )

    def on_backward_started(self, tensors: Any) -> None:
        self._evaluated.clear()
        # The first steps are marked, and later a row of steps from time to time.
        self._passes += 1
        if self._passes % 512 < 40:
            for tensor in tensors[:4]:
                node = getattr(tensor, "grad_fn", None)
                marks = (_mark_node(node), _mark_node(_scaled_node(node)))
                self._current_marks += [mark for mark in marks if mark is not None]

    def on_backward_ended(self, tensors: Any) -> None:
        if not self._current_marks:
            self._steps.clear()
            return
        self._steps.append(self._current_marks)
        self._current_marks = []
        earlier = list(self._steps)[:-1]
        if len(earlier) >= _MIN_ALIVE_STEPS:
            alive = _count_alive_steps(earlier)
            if alive >= _MIN_ALIVE_STEPS:
                self.report(
                    CERTAIN,
                    f"the graphs of the last {alive} steps are all still in memory after their "
                    "backward passes: a loss or an output of each step is kept with its graph",
                    alive=alive,
                )

    def on_module_started(self, module: Any, inputs: Any) -> None:
        hooks = [*module._forward_hooks.values(), *module._forward_pre_hooks.values()]
        if not hooks:
            return
        # The hooks that come from the same lines, such as a lambda in a function that adds it again and again.
        lines = [(code.co_filename, code.co_firstlineno) for code in map(_code_of, hooks) if code is not None]
        if not lines:
            return
        line = max(lines, key=lines.count)
        passes = self.training.counts.get("forward passes", 0)
        before, growths = self._hooks.get(module, (0, 0))
        count = lines.count(line)
        growths = growths + 1 if passes > 1 and count > before else growths if count == before else 0
        self._hooks[module] = count, growths
        if growths >= _MIN_HOOKS - 1:
            self.report(
                CERTAIN,
                f"{type(module).__name__} has {count} hooks of this line, added between its calls: each call "
                f"runs all of its {len(hooks)} hooks",
                where=line,
                fix="remove the handle, or add it once",
            )


def _code_of(hook: Any) -> Any:
    """The code of a hook: a function, a method, or a partial function."""
    hook = hook.func if is_a(hook, functools.partial) else hook
    hook = hook.__func__ if is_a(hook, MethodType) else hook
    return hook.__code__ if is_a(hook, FunctionType) else None


def _count_alive_steps(steps: list[list[Any]]) -> int:
    """How many steps in a row, up to the last step, have a graph that is alive."""
    count = 0
    for marks in reversed(steps):
        if not any(mark() is not None for mark in marks):
            break
        count += 1
    return count


def _first_tensor(output: Any) -> Any:
    """The first tensor in the output of a module, or None."""
    for _ in range(3):
        output = plain(output)
        if is_a(output, dict):
            output = next(iter(output.values()), None)
        elif is_a(output, (list, tuple)):
            output = output[0] if output else None
    return output


def _mark(tensor: Any) -> Any:
    """A reference that is dead when the graph of this tensor is freed; None if it has no graph."""
    return _mark_node(tensor.grad_fn if is_tensor(tensor) else None)


def _mark_node(node: Any) -> Any:
    metadata: Any = getattr(node, "metadata", None)
    if not is_a(metadata, dict):
        return None
    mark = metadata.get("dpkb")
    if mark is None:
        mark = metadata["dpkb"] = _Mark()
    return weakref.ref(mark)


def _scaled_node(node: Any) -> Any:
    """The node of the loss that GradScaler multiplied or accelerate divided, or None.

    The program keeps that loss, and not the scaled one.
    """
    if type(node).__name__ not in ("MulBackward0", "DivBackward0"):
        return None
    parent = node.next_functions[0][0] if node.next_functions else None
    return None if type(parent).__name__ == "AccumulateGrad" else parent
