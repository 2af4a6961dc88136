"""O32: the scheduler steps before its optimizer, or changes an optimizer that does not train."""

from __future__ import annotations

from typing import Any

from dpkb_audit.check import CERTAIN, LIKELY, Check
from dpkb_audit.checks._optimizers import groups_of, parameter_ids, parameters_of
from dpkb_audit.identity import IdentityMap
from dpkb_audit.user_code import find_user_line

# After this many calls of a scheduler, an optimizer without a step counts as unused.
_MIN_CALLS = 3
# After this many steps, another optimizer counts as the optimizer that trains.
_MIN_OTHER_STEPS = 6


class _SchedulerCalls:
    """The calls of a scheduler, and the steps of the optimizers at the same time."""

    def __init__(self, has_stepped: bool, was_seen_first: bool) -> None:
        # Whether the optimizer has stepped, or a GradScaler has skipped its step.
        self.has_stepped = has_stepped
        # Whether the first call was seen. Otherwise the scheduler is older than the audit.
        self.was_seen_first = was_seen_first
        self.calls = 0
        # The line that called it before the first step of its optimizer.
        self.line: Any = None
        # The number of calls from that line before that step.
        self.early = 0
        # The number of calls since its optimizer last stepped.
        self.idle = 0
        # How often its optimizer had stepped at the last call after a step.
        self.own_steps = 0
        # id of an optimizer -> how often it had stepped at that call.
        self.all_steps: dict[int, int] = {}

    @property
    def is_early(self) -> bool:
        """Whether the next call comes before the first step of its optimizer."""
        return self.was_seen_first and not self.has_stepped


class O32(Check):
    description = (
        "the order of scheduler.step() and optimizer.step(), and whose optimizer a scheduler changes"
    )
    fix = "call scheduler.step() after optimizer.step(), and create the scheduler after the optimizer"

    def prepare(self) -> None:
        self._records = IdentityMap()
        # Optimizer -> the number of its steps since the first one that found gradients.
        self._steps = IdentityMap()

    def on_step_ended(self, optimizer: Any) -> None:
        steps = self._steps.get(optimizer)
        if steps is None:
            # A step before the first backward pass only avoids torch's warning. It changes no weight.
            if not _has_gradients(optimizer):
                return
            steps = 0
        self._steps[optimizer] = steps + 1
        if self._records:
            self._mark_as_stepped(optimizer)

    def on_scaler_called(self, name: str, scaler: Any, arguments: Any) -> None:
        # A scaler may skip the first steps. That is normal.
        if name == "step" and arguments:
            self._steps.setdefault(arguments[0], 0)
            self._mark_as_stepped(arguments[0])

    def _mark_as_stepped(self, optimizer: Any) -> None:
        for scheduler, record in self._records.items():
            if not record.has_stepped and _same_groups(scheduler.optimizer, optimizer):
                record.has_stepped = True

    def on_scheduler_stepped(self, scheduler: Any, epoch: Any) -> None:
        optimizer = scheduler.optimizer
        record = self._records.get(scheduler)
        if record is None:
            first = getattr(scheduler, "_step_count", 1) <= 1
            tried = any(_same_groups(optimizer, known) for known in self._steps)
            record = self._records[scheduler] = _SchedulerCalls(tried, first)
        record.calls += 1
        # If an epoch number is passed, the first value is not skipped.
        # A program may skip a rate of 0 on purpose.
        if record.is_early and epoch is None and groups_of(optimizer)[0]["lr"]:
            line = find_user_line()
            record.early = record.early + 1 if line == record.line else 1
            record.line = line
        # The same line calls again, so it is not a resumed program that moves its scheduler to the epoch.
        elif not record.is_early and record.line is not None and record.line == find_user_line():
            times = "once" if record.early == 1 else f"{record.early} times"
            self.report(
                CERTAIN,
                f"scheduler.step() ran {times} before the first optimizer.step(): the "
                "schedule is ahead of the training",
                fix="call scheduler.step() after optimizer.step(), once per update or epoch",
                where=record.line,
                early=record.early,
            )
            record.line = None
        if record.is_early and record.calls in (_MIN_CALLS, 4 * _MIN_CALLS):
            self._look_for_another(scheduler)
        elif not record.is_early:
            self._look_for_successor(scheduler, record)

    def _look_for_successor(self, scheduler: Any, record: _SchedulerCalls) -> None:
        """Look for a new optimizer that trains the same parameters instead of the scheduler's optimizer."""
        own = sum(steps for known, steps in self._steps.items() if _same_groups(scheduler.optimizer, known))
        if own != record.own_steps or not record.all_steps:
            record.own_steps, record.idle = own, 0
            record.all_steps = {id(known): steps for known, steps in self._steps.items()}
            return
        record.idle += 1
        if record.idle == _MIN_CALLS:
            scheduled = [known.optimizer for known in self._records]
            for optimizer, steps in self._steps.items():
                later = steps - record.all_steps.get(id(optimizer), 0)
                has_scheduler = any(_same_groups(optimizer, other) for other in scheduled)
                if (
                    later >= _MIN_OTHER_STEPS
                    and not has_scheduler
                    and _share_parameters(scheduler.optimizer, optimizer)
                ):
                    self.report(
                        LIKELY,
                        "the optimizer of this scheduler has stopped: a different "
                        f"{type(optimizer).__name__} has trained the same parameters for "
                        f"{later} steps, at a rate that no scheduler changes",
                        steps=later,
                        fix="create a new scheduler together with the new optimizer",
                    )

    def _look_for_another(self, scheduler: Any) -> None:
        for optimizer, steps in self._steps.items():
            if steps >= _MIN_OTHER_STEPS and _share_parameters(scheduler.optimizer, optimizer):
                self.report(
                    CERTAIN,
                    f"this scheduler changes the learning rate of an optimizer that never "
                    f"steps: a different {type(optimizer).__name__} has trained the same "
                    f"parameters for {steps} steps",
                    steps=steps,
                    fix="create the scheduler from the optimizer whose step() you call",
                )


def _has_gradients(optimizer: Any) -> bool:
    return any(p.grad is not None for p in parameters_of(optimizer))


def _share_parameters(one: Any, other: Any) -> bool:
    return not parameter_ids([one]).isdisjoint(parameter_ids([other]))


def _same_groups(one: Any, other: Any) -> bool:
    """Whether two optimizers share parameter groups, such as a wrapper and the optimizer that it wraps."""
    return bool(one is other or groups_of(one)[0] is groups_of(other)[0])
