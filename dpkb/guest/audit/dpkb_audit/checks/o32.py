"""O32: the scheduler steps before its optimizer, or belongs to an optimizer that does not train."""

from __future__ import annotations

import weakref

from dpkb_audit.check import CERTAIN, LIKELY, Check
from dpkb_audit.where import user_line

MYPY = False
if MYPY:
    from typing import Any

    from dpkb_audit.audit import Audit

# Calls of a scheduler, and steps of another optimizer, before its own counts as one that does not train.
_CALLS, _STEPS = 3, 6


class _Seen:
    """What is known of a scheduler."""

    def __init__(self, early: bool) -> None:
        # The line that called it before the first step of its optimizer; their number.
        self.line: Any = None
        self.calls = self.early = 0
        # Calls since its optimizer last stepped, how often that had stepped, and all optimizers.
        self.idle = self.own_steps = 0
        self.all_steps: dict[Any, int] = {}
        # Whether the optimizer has tried to step, and whether the first calls were seen.
        self.stepped = not early


class O32(Check):
    watches = "the order of scheduler.step() and optimizer.step(), and whose optimizer a scheduler changes"
    fix = "call scheduler.step() after optimizer.step(), and create the scheduler after the optimizer"

    def __init__(self, audit: Audit) -> None:
        super().__init__(audit)
        self._seen: weakref.WeakKeyDictionary[Any, _Seen] = weakref.WeakKeyDictionary()
        # Optimizer -> its steps.
        self._steps: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()

    def on_step_ended(self, optimizer: Any) -> None:
        self._steps[optimizer] = self._steps.get(optimizer, 0) + 1
        self._tried(optimizer)

    def on_scaler_called(self, name: str, scaler: Any, arguments: Any) -> None:
        # A scaler may skip the first steps; that is its own business.
        if name == "step" and arguments:
            self._steps.setdefault(arguments[0], 0)
            self._tried(arguments[0])

    def _tried(self, optimizer: Any) -> None:
        for scheduler, seen in self._seen.items():
            if not seen.stepped and _same_groups(scheduler.optimizer, optimizer):
                seen.stepped = True

    def on_scheduler_stepped(self, scheduler: Any, epoch: Any) -> None:
        optimizer = scheduler.optimizer
        seen = self._seen.get(scheduler)
        if seen is None:
            first = getattr(scheduler, "_step_count", 1) <= 1
            tried = any(_same_groups(optimizer, known) for known in self._steps)
            seen = self._seen[scheduler] = _Seen(early=first and not tried)
        seen.calls += 1
        # With a number the first value is not left out. A rate of 0 may be passed over on purpose.
        if not seen.stepped and epoch is None and optimizer.param_groups[0]["lr"]:
            line = user_line()
            seen.early = seen.early + 1 if line == seen.line else 1
            seen.line = line
        # The same line again: not a resumed training that brings its scheduler to the epoch.
        elif seen.stepped and seen.line is not None and seen.line == user_line():
            times = "once" if seen.early == 1 else f"{seen.early} times"
            self.report(CERTAIN, f"scheduler.step() ran {times} before the first optimizer.step(): the "
                                 "schedule is ahead of the training",
                        fix="call scheduler.step() after optimizer.step(), once per update or epoch",
                        where=seen.line, early=seen.early)
            seen.line = None
        if not seen.stepped and seen.calls in (_CALLS, 4 * _CALLS):
            self._look_for_another(scheduler)
        elif seen.stepped:
            self._look_for_successor(scheduler, seen)

    def _look_for_successor(self, scheduler: Any, seen: _Seen) -> None:
        """An optimizer that trains the same parameters since the one of the scheduler has stopped."""
        own = sum(steps for known, steps in self._steps.items() if _same_groups(scheduler.optimizer, known))
        if own != seen.own_steps or not seen.all_steps:
            seen.own_steps, seen.idle = own, 0
            seen.all_steps = {id(known): steps for known, steps in self._steps.items()}
            return
        seen.idle += 1
        if seen.idle == _CALLS:
            scheduled = [known.optimizer for known in self._seen]
            for optimizer, steps in self._steps.items():
                later = steps - seen.all_steps.get(id(optimizer), 0)
                if later >= _STEPS and _share_parameters(scheduler.optimizer, optimizer) and not any(
                        _same_groups(optimizer, other) for other in scheduled):
                    self.report(LIKELY, "the optimizer of this scheduler has stopped: a different "
                                        f"{type(optimizer).__name__} has trained the same parameters for "
                                        f"{later} steps, at a rate that no scheduler changes", steps=later,
                                fix="create a new scheduler together with the new optimizer")

    def _look_for_another(self, scheduler: Any) -> None:
        for optimizer, steps in self._steps.items():
            if steps >= _STEPS and _share_parameters(scheduler.optimizer, optimizer):
                self.report(CERTAIN, f"this scheduler changes the learning rate of an optimizer that never "
                                     f"steps: a different {type(optimizer).__name__} has trained the same "
                                     f"parameters for {steps} steps", steps=steps,
                            fix="create the scheduler from the optimizer whose step() you call")


def _share_parameters(one: Any, other: Any) -> bool:
    theirs = {id(p) for group in one.param_groups for p in group["params"]}
    return any(id(p) in theirs for group in other.param_groups for p in group["params"])


def _same_groups(one: Any, other: Any) -> bool:
    """Whether two optimizers change the same parameter groups: a wrapper has those of what it wraps."""
    return bool(one is other or one.param_groups[0] is other.param_groups[0])
