"""N1: calls of forward() that bypass hooks, and of a model that bypass DistributedDataParallel."""

from __future__ import annotations

import weakref

from dpkb_audit.check import CERTAIN, Check
from dpkb_audit.checks._optimizers import parameter_ids
from dpkb_audit.user_code import find_user_line

MYPY = False
if MYPY:
    from typing import Any

    from dpkb_audit.audit import Audit

# At least this many steps must bypass DDP.
_MIN_STEPS = 2
# At least this many calls must bypass the hooks.
_MIN_CALLS = 2


class N1(Check):
    description = "modules with hooks whose forward() is called, and models that are trained past DDP"
    fix = "call the module itself, not its forward(); under DDP call the wrapper, not .module"

    def __init__(self, audit: Audit) -> None:
        super().__init__(audit)
        self._calls: dict[int, tuple[Any, int]] = {}
        # The DDP wrappers, the forward passes of each, and all collectives so far.
        self._wrappers: list[Any] = []
        self._forwards: dict[int, int] = {}
        self._steps: dict[Any, int] = {}
        self._collectives = 0
        self._backward_line: Any = None
        self.pause("backward_started")
        self.pause("step_ended")

    def on_hooks_bypassed(self, module: Any) -> None:
        known, count = self._calls.get(id(module), (None, 0))
        count = count + 1 if known is not None and known() is module else 1
        if len(self._calls) < 1000:
            self._calls[id(module)] = weakref.ref(module), count
        if count == _MIN_CALLS:
            hooks = len(module._forward_hooks) + len(module._forward_pre_hooks) + len(module._backward_hooks)
            self.report(
                CERTAIN,
                f"forward() of {type(module).__name__} was called directly {count} times, which ran "
                f"none of its {hooks} hook{'s' if hooks > 1 else ''}",
                hooks=hooks,
            )

    def on_ddp_created(self, ddp: Any) -> None:
        self._wrappers.append(weakref.ref(ddp))
        self.resume("backward_started")
        self.resume("step_ended")

    def on_ddp_forward(self, ddp: Any) -> None:
        self._forwards[id(ddp.module)] = self._forwards.get(id(ddp.module), 0) + 1

    def on_collective(self, name: str) -> None:
        self._collectives += 1

    def on_backward_started(self, tensors: Any) -> None:
        if self._wrappers:
            self._backward_line = find_user_line()

    def on_step_ended(self, optimizer: Any) -> None:
        if not self._wrappers or self.audit.world_size < 2:
            return
        for reference in self._wrappers:
            ddp = reference()
            # While a compiler reads the real forward(), its calls are not counted.
            if ddp is None or not getattr(type(ddp).forward, "_is_dpkb_wrapper", False):
                continue
            key = id(optimizer), id(ddp.module)
            parameters = parameter_ids([optimizer])
            trained = any(p.grad is not None and id(p) in parameters for p in ddp.parameters())
            if not trained or self._forwards.get(id(ddp.module)) or self._collectives:
                self._steps[key] = -1000
            else:
                self._steps[key] = self._steps.get(key, 0) + 1
            if self._steps[key] == _MIN_STEPS:
                self.report(
                    CERTAIN,
                    f"{_MIN_STEPS} steps changed {type(ddp.module).__name__} from gradients of this "
                    "rank alone: DistributedDataParallel was never called, so it averaged nothing",
                    where=self._backward_line,
                )
