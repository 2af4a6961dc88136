"""Follows optimizers, backward passes, schedulers and gradient scalers."""

from __future__ import annotations

import sys
from types import GeneratorType

from dpkb_audit.object_contents import is_a

MYPY = False
if MYPY:
    from typing import Any

    from dpkb_audit.audit import Audit


class OptimizationWatcher:
    """Follows the functions that change weights, gradients and learning rates."""

    def __init__(self, audit: Audit) -> None:
        self._audit = audit
        # The optimizer whose step() is running.
        self._stepping: list[Any] = []
        # One item for each running step() of a scheduler.
        self._schedules: list[bool] = []

    def start_creation(self, optimizer: Any, params: Any = None, *_: Any, **__: Any) -> None:
        """An optimizer is going to be created, perhaps from model.parameters()."""
        from torch.nn import Module

        frame = params.gi_frame if type(params) is GeneratorType else None
        if frame is not None and frame.f_code is Module.parameters.__code__:
            self._audit.emit("parameters_passed", frame.f_locals["self"])

    def start_step(self, optimizer: Any, *_: Any) -> None:
        """The step() of an optimizer begins."""
        if self._stepping and len(_step_frames()) > 1:
            self._stepping.append(None)  # the step of a base class, or of an inner optimizer
            return
        if optimizer not in self._audit.training.optimizers:  # created before the audit began
            self._audit.emit("optimizer_created", optimizer)
        self._stepping[:] = [optimizer]  # without those of steps that raised
        self._audit.emit("step_started", optimizer)

    def end_step(self, optimizer: Any, *_: Any) -> None:
        """The step() of an optimizer has returned."""
        if self._audit.rest.resting:
            self._audit.training.count_step(optimizer)
        elif self._stepping and self._stepping.pop() is optimizer:
            self._audit.emit("step_ended", optimizer)
        else:
            return
        self._audit.end_when_steps_reached()

    def enter_range(self, profiled: Any) -> None:
        """A range of the profiler begins. Before torch 2.0, this is how a step() is seen."""
        if profiled.name.startswith("Optimizer.step#"):
            self.start_step(_stepping_optimizer())

    def leave_range(self, profiled: Any, kind: Any, *_: Any) -> None:
        """A range of the profiler ends."""
        if profiled.name.startswith("Optimizer.step#") and kind is None:
            self.end_step(_stepping_optimizer())

    def start_backward(self, tensors: Any, *_: Any, **__: Any) -> None:
        """backward() is called."""
        losses = tensors if is_a(tensors, (tuple, list)) else (tensors,)
        if self._audit.rest.sees_plain_loss(losses):
            self._audit.training.count_backward()
            self._audit.emit("backward_passed")
            return
        self._audit.emit("backward_started", losses)
        self._audit.emit("backward_passed")
        if not self._audit.training.is_loss_finite:
            self._audit.emit("loss_not_finite", losses)

    def end_backward(self, result: Any, tensors: Any, *_: Any, **__: Any) -> None:
        """backward() has returned."""
        self._audit.training.in_backward = False
        if not self._audit.rest.resting:
            self._audit.emit("backward_ended", tensors if is_a(tensors, (tuple, list)) else (tensors,))

    def fail_backward(self, *_: Any, **__: Any) -> None:
        """backward() has raised."""
        self._audit.training.in_backward = False

    def start_schedule(self, scheduler: Any, epoch: Any = None, *_: Any) -> None:
        """step() of a scheduler is called, by the program or by another scheduler, or when it is created."""
        if not self._schedules and getattr(scheduler, "_step_count", 1) > 0:
            self._audit.emit("scheduler_stepped", scheduler, epoch)
        self._schedules.append(True)

    def end_schedule(self, *_: Any, **__: Any) -> None:
        """step() of a scheduler has returned or raised."""
        if self._schedules:
            self._schedules.pop()


def _step_frames() -> list[Any]:
    """The frames in which torch runs the step() of an optimizer, the innermost first."""
    file, frames, frame = sys.modules["torch.optim.optimizer"].__file__, [], sys._getframe(1)
    while frame is not None:
        if frame.f_code.co_name == "wrapper" and frame.f_code.co_filename == file:
            frames.append(frame)
        frame = frame.f_back  # type: ignore[assignment]
    return frames


def _stepping_optimizer() -> Any:
    return _step_frames()[0].f_locals["args"][0]
