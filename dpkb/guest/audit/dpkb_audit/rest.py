"""Long rows of training steps in which nothing else happens: most of them are only counted."""

from __future__ import annotations

MYPY = False
if MYPY:
    from typing import Any

    from dpkb_audit.audit import Audit

# The events of a plain training step; any other event ends the rest. At rest no check gets them, but for the first
# two: all ranks must be compared by each step.
STEP_EVENTS = {
    "ddp_forward",
    "backward_passed",
    "loss",
    "dropout",
    "backward_started",
    "backward_ended",
    "gradients_taken",
    "gradients_zeroed",
    "gradients_clipped",
    "step_started",
    "step_ended",
}
# So many steps without another event come before a rest.
_QUIET_STEPS = 200
# Rest begins and ends at multiples of this number of steps, since checks compare steps that follow each other.
_BLOCK = 16
# The first block in so many steps is looked at in any case.
_ROW = 512
# What a step costs outside of the measured events: the calls of the audit, and the program's data in the cache.
_STEP_SECONDS = 1e-4
# A larger loss ends the rest: it may be about to explode.
_MAX_LOSS = 1e3


class Rest:
    """Whether the steps are only counted at present: if looking at each would cost too much."""

    def __init__(self, audit: Audit) -> None:
        self._audit = audit
        self.resting = False
        # The step from which on it may rest. With a scheduler every step counts.
        self._earliest: float = _QUIET_STEPS

    def end(self, *_: Any) -> None:
        """Something else happens than a step."""
        self.resting = False
        self._earliest = max(self._earliest, self._audit.training.step + _QUIET_STEPS)

    def on_scheduler_stepped(self, scheduler: Any, epoch: Any) -> None:
        self._earliest = float("inf")

    def follow_step(self, step: int) -> None:
        """The optimizer made this step."""
        if step % _BLOCK == 0:
            may_rest = step >= self._earliest and step % _ROW >= _BLOCK
            self.resting = may_rest and not self._audit.budget.is_cheap(step * _STEP_SECONDS)

    def sees_plain_loss(self, tensors: Any) -> bool:
        """Whether it rests, and goes on to rest at this backward pass."""
        if self.resting and self._audit.dispatcher.listens():
            loss = self._audit.training.read_loss(tensors)
            self.resting = loss is None or -_MAX_LOSS < loss < _MAX_LOSS
        return self.resting

    def restart(self) -> None:
        """Begin again, in a forked child."""
        self.resting, self._earliest = False, _QUIET_STEPS
