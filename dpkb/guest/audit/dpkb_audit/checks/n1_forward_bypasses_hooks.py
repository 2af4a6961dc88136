"""N1: calls of forward() that bypass hooks, and of a model that bypass DistributedDataParallel."""

from __future__ import annotations

import sys
from typing import Any

from dpkb_audit.check import CERTAIN, Check
from dpkb_audit.checks._optimizers import parameter_ids
from dpkb_audit.identity import IdentityMap
from dpkb_audit.modules import parameters_in
from dpkb_audit.object_contents import is_a
from dpkb_audit.system import os
from dpkb_audit.user_code import find_user_line

# At least this many steps must bypass DDP.
_MIN_STEPS = 2
# At least this many calls must bypass the hooks.
_MIN_CALLS = 2
# At most this many callers of a forward() are looked at, for at most this many calls.
_MAX_CALLERS = 40
_MAX_LOOKS = 100


class N1(Check):
    description = "modules with hooks whose forward() is called, and models that are trained past DDP"
    fix = "call the module itself, not its forward(); under DDP call the wrapper, not .module"

    def prepare(self) -> None:
        # Module -> the first module that its forward() called, and how often that was when the hooks were bypassed.
        self._calls = IdentityMap()
        # How many suspicious calls may still be looked at.
        self._looks = _MAX_LOOKS
        # The model in a DDP wrapper -> the number of steps that have bypassed it; None as soon as one of them
        # did not.
        self._steps = IdentityMap()
        self._backward_line: Any = None
        self.pause("backward_started")
        self.pause("step_ended")

    def on_module_started(self, module: Any, inputs: Any) -> None:
        if self._looks > 0:
            bypassed = self._find_bypassed()
            if bypassed is not None:
                self._count(bypassed, module)

    def _find_bypassed(self) -> Any:
        """The module with hooks whose forward() is running although it was not called, or None.

        Its forward() is the caller of the module that is called now. Only the frame of a suspicious call is
        read, because reading a frame can keep its variables alive until it ends.
        """
        from torch.nn import Module
        from torch.nn.modules import module as calls

        frame: Any = sys._getframe(1)
        while frame is not None and _is_passed_over(frame.f_code.co_filename, calls.__file__):
            frame = frame.f_back
        if frame is None or frame.f_code.co_name != "forward":
            return None
        caller = frame.f_back
        while caller is not None and caller.f_code.co_filename.startswith(_FOLDER):
            caller = caller.f_back
        if caller is None or caller.f_code.co_filename == calls.__file__:
            return None
        self._looks -= 1
        module: Any = frame.f_locals.get(frame.f_code.co_varnames[0]) if frame.f_code.co_argcount else None
        if not is_a(module, Module) or not (
            module._forward_hooks or module._forward_pre_hooks or module._backward_hooks
        ):
            return None
        # A forward() may call the forward() of its base class: then a caller has called the module.
        for _ in range(_MAX_CALLERS):
            frame = frame.f_back
            if frame is None:
                break
            if frame.f_code.co_filename == calls.__file__ and frame.f_locals.get("self") is module:
                return None
        return module

    def _count(self, module: Any, called: Any) -> None:
        first, count = self._calls.get(module, (id(called), 0))
        if id(called) != first:
            return
        count += 1
        self._calls[module] = (first, count)
        if count == _MIN_CALLS:
            hooks = len(module._forward_hooks) + len(module._forward_pre_hooks) + len(module._backward_hooks)
            self.report(
                CERTAIN,
                f"forward() of {type(module).__name__} was called directly {count} times, which ran "
                f"none of its {hooks} hook{'s' if hooks > 1 else ''}",
                hooks=hooks,
            )

    def on_ddp_created(self, ddp: Any) -> None:
        self._steps[ddp.module] = 0
        self.resume("ddp_forward")
        self.resume("backward_started")
        self.resume("step_ended")

    def on_ddp_forward(self, ddp: Any) -> None:
        self._steps[ddp.module] = None
        if all(steps is None for steps in self._steps.values()):
            self.pause("ddp_forward")

    def on_collective(self, name: str, group: Any) -> None:
        if name != "destroy_process_group":  # the program may average the gradients itself
            for module in self._steps:
                self._steps[module] = None

    def on_backward_started(self, tensors: Any) -> None:
        self._backward_line = find_user_line()

    def on_step_ended(self, optimizer: Any) -> None:
        # What is compiled calls forward() unseen.
        if (
            self.audit.world_size < 2
            or self.training.is_compiled
            or all(steps is None for steps in self._steps.values())
        ):
            self.pause("backward_started")
            self.pause("step_ended")
            return
        parameters = parameter_ids([optimizer])
        for module, steps in self._steps.items():
            if steps is None or not any(
                p.grad is not None and id(p) in parameters for p in parameters_in(module)
            ):
                continue
            self._steps[module] = steps + 1
            if steps + 1 == _MIN_STEPS:
                self.report(
                    CERTAIN,
                    f"{_MIN_STEPS} steps changed {type(module).__name__} from gradients of this "
                    "rank alone: DistributedDataParallel was never called, so it averaged nothing",
                    where=self._backward_line,
                )


_FOLDER = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def _is_passed_over(filename: str, calls: str) -> bool:
    """Whether a frame belongs to dpkb, or to the code of torch that calls modules."""
    return filename == calls or filename.startswith(_FOLDER)
