"""O31: the learning rate is wrong, because the scheduler counts epochs and its caller counts steps."""

from __future__ import annotations

from typing import Any

from dpkb_audit.check import CERTAIN, LIKELY, Check
from dpkb_audit.checks._optimizers import groups_of
from dpkb_audit.identity import IdentityMap
from dpkb_audit.object_contents import is_a
from dpkb_audit.user_code import find_user_line

# A rate is low if it is below this share of the highest rate.
_LOW_SHARE = 0.011
# Low rates are reported if they last this many times longer than the other rates.
_LOW_RATIO = 8
# At least this many steps are needed for a report, at low rates or in total.
_MIN_STEPS = 40
# After this many times the planned calls, a cosine schedule clearly rises again.
_BEYOND_RATIO = 1.25
# If both the rate and its factor never exceed this, the lambda probably returns a rate instead of a factor.
# Slightly above 0.1, because 0.1 * 0.1 / 0.1 is.
_MAX_FACTOR = 0.1001
# The factor must fall to this share of the highest factor. Before, a warm-up may not have ended.
_FALLEN_SHARE = 0.9


class _SchedulerRates:
    """The learning rates that the optimizer of a scheduler has used."""

    def __init__(self, kind: str, planned: Any) -> None:
        # The class of the scheduler, and the number of calls for which it is set up, if known.
        self.kind, self.planned = kind, planned
        # Calls of the scheduler, and steps of its optimizer.
        self.calls = self.steps = 0
        # The line of the last call.
        self.line: Any = None
        # The number that was passed to the last call.
        self.epoch: float | None = None
        # The highest rate, and the last step at which the rate was not low.
        self.peak = 0.0
        self.last_high = 0
        # The rate that the scheduler multiplies by a factor; the first factor, the highest, and the last.
        self.rate = 0.0
        self.first_factor = self.highest_factor = self.last_factor = 0.0

    def are_factors_rates(self) -> bool:
        """Whether the function of a LambdaLR probably returns rates instead of factors."""
        highest = self.highest_factor
        return (
            self.kind == "LambdaLR"
            and self.calls >= 2
            and self.rate <= _MAX_FACTOR
            and 0 < highest <= _MAX_FACTOR
            and (
                self.last_factor <= self.first_factor == highest or self.last_factor < _FALLEN_SHARE * highest
            )
        )


class O31(Check):
    description = "the rate of each optimizer step, and how often its scheduler was called"
    fix = "call scheduler.step() in the unit of its numbers: once per epoch, or once per optimizer step"

    def prepare(self) -> None:
        self._records = IdentityMap()
        # The records of all schedulers, also of those that have been deleted.
        self._all: list[_SchedulerRates] = []
        self.pause("step_started")

    def on_step_started(self, optimizer: Any) -> None:
        rate = groups_of(optimizer)[0].get("lr")
        if not is_a(rate, float):
            return
        for scheduler, record in self._records.items() if self._records else ():
            if scheduler.optimizer is optimizer:
                self._follow(record, rate)

    def _follow(self, record: _SchedulerRates, rate: float) -> None:
        record.steps += 1
        record.peak = max(record.peak, rate)
        if rate > _LOW_SHARE * record.peak:
            record.last_high = record.steps
        if record.rate:
            record.last_factor = rate / record.rate
            record.first_factor = record.first_factor or record.last_factor
            record.highest_factor = max(record.highest_factor, record.last_factor)

    def on_scheduler_stepped(self, scheduler: Any, epoch: Any) -> None:
        record = self._records.get(scheduler)
        group = groups_of(scheduler.optimizer)[0]
        if record is None:
            planned = getattr(scheduler, "total_steps", None) or getattr(scheduler, "T_max", None)
            record = self._records[scheduler] = _SchedulerRates(type(scheduler).__name__, planned)
            self._all.append(record)
            del self._all[:-50]
            rate, initial = group.get("lr"), group.get("initial_lr")
            if is_a(rate, float) and is_a(initial, float):
                record.rate = initial
                # The optimizer may have made steps before this first call of the scheduler.
                optimizer_record = self.training.optimizer_records.get(scheduler.optimizer)
                for _ in range(optimizer_record.steps if optimizer_record else 0):
                    self._follow(record, rate)
            self.resume("step_started")
        record.calls += 1
        record.line = find_user_line()
        self._look_at_argument(scheduler, record, epoch)
        planned = getattr(scheduler, "T_max", None)
        if (
            type(scheduler).__name__ == "CosineAnnealingLR"
            and isinstance(planned, int)
            and scheduler.last_epoch > _BEYOND_RATIO * planned + 1
        ):
            self.report(
                LIKELY,
                f"CosineAnnealingLR was set up for {planned} calls of step() (T_max) and got "
                f"{scheduler.last_epoch}: the learning rate rises again",
                fix="set T_max to the number of all step() calls",
                planned=planned,
            )

    def _look_at_argument(self, scheduler: Any, record: _SchedulerRates, epoch: Any) -> None:
        if epoch is None or is_a(epoch, int) or not hasattr(epoch, "__float__"):
            return
        owner: Any = next(kind for kind in type(scheduler).__mro__ if "step" in kind.__dict__)
        if getattr(epoch, "is_cuda", False) or "LRScheduler" not in owner.__name__:
            return
        number = float(epoch)
        # A program may also pass fractions of an epoch, which grow.
        if record.epoch is not None and number < record.epoch and number != int(number):
            self.report(
                CERTAIN,
                f"step() takes an epoch number, and got {record.epoch:.4g} and then "
                f"{number:.4g}, probably a loss: the schedule does not advance",
                fix="call scheduler.step() without an argument; only ReduceLROnPlateau takes a loss",
            )
        record.epoch = number

    def on_end(self) -> None:
        for optimizer in self.training.optimizers:
            own = vars(optimizer).get("lr")
            if (
                type(optimizer).__module__.startswith("torch.optim.")
                and is_a(own, float)
                and all(group.get("lr") != own for group in groups_of(optimizer))
            ):
                self.report(
                    CERTAIN,
                    f"optimizer.lr was set to {own:.4g}, but nothing reads it: the steps "
                    f"used {float(groups_of(optimizer)[0]['lr']):.4g}",
                    fix='for group in optimizer.param_groups: group["lr"] = ...',
                )
        for record in self._all:
            self._look_for_low_rates(record)
            self._look_for_too_few_calls(record)

    def _look_for_low_rates(self, record: _SchedulerRates) -> None:
        low = record.steps - record.last_high
        if record.peak and low >= _MIN_STEPS and low >= _LOW_RATIO * record.last_high:
            self.report(
                LIKELY,
                f"the learning rate fell below 1 % of {record.peak:.3g} within "
                f"{record.last_high} steps, and stayed there for the remaining {low}: "
                f"scheduler.step() was called {record.calls} times",
                where=record.line,
                low=low,
            )
        elif record.are_factors_rates():
            rate, factor = record.rate, record.highest_factor
            self.report(
                LIKELY,
                f"the steps used a learning rate of at most {rate * factor:.3g}: "
                f"LambdaLR multiplies the {rate:.3g} of the optimizer by what its "
                f"function returns, at most {factor:.3g}",
                fix="return a factor: 1 means the rate of the optimizer",
                where=record.line,
            )

    def _look_for_too_few_calls(self, record: _SchedulerRates) -> None:
        planned = record.planned
        if (
            is_a(planned, int)
            and not self.audit.steps_reached
            and self.audit.exit_code in (None, 0)
            and record.steps >= _MIN_STEPS
            and abs(record.steps - planned) <= 0.02 * planned
            and record.calls <= planned / 2
        ):
            self.report(
                LIKELY,
                f"{record.kind} is set up for {planned} calls of scheduler.step(), one per "
                f"optimizer step, and got {record.calls}: the learning rate has hardly moved",
                fix="call scheduler.step() after each optimizer.step()",
                where=record.line,
                planned=planned,
            )
