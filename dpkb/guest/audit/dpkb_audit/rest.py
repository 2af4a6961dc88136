"""Long rows of training steps in which nothing else happens: most of them are only counted."""

from __future__ import annotations

MYPY = False
if MYPY:
    from typing import Any

    from dpkb_audit.audit import Audit
    from dpkb_audit.records import LoaderRecord

# The events of a plain training step; any other event ends the rest. At rest no check gets them, but for the first
# four: all ranks must be compared by each step, and all batches of a loader are counted.
STEP_EVENTS = {
    "ddp_forward",
    "indices",
    "batch_passed",
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
# The borders of an epoch, and calls of modules, which are looked at now and then: few steps after them are looked at.
SHORT_EVENTS = {
    "epoch_started",
    "epoch_ended",
    "forward_started",
    "forward_ended",
    "module_started",
    "module_ended",
}
# So many steps without another event come before a rest, and so many without one of these.
_QUIET_STEPS = 128
_SHORT_STEPS = 8
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

    def __init__(self, audit: Audit, quiet_steps: float = _QUIET_STEPS) -> None:
        """quiet_steps: inf if each step has to be looked at."""
        self._audit, self._quiet_steps = audit, quiet_steps
        self.resting = False
        # The step from which on it may rest. With a scheduler every step counts.
        self._earliest: float = quiet_steps

    def end(self, *_: Any) -> None:
        """Something else happens than a step."""
        self.resting = False
        self._earliest = max(self._earliest, self._audit.training.step + self._quiet_steps)

    def end_for_short(self, *_: Any) -> None:
        """An epoch of a loader begins or ends, or calls of modules are looked at."""
        self.resting = False
        self._earliest = max(self._earliest, self._audit.training.step + _SHORT_STEPS)

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

    def sees_plain_batch(self, record: LoaderRecord) -> bool:
        """Whether it rests, and goes on to rest at this batch: each loader's first epoch is looked at as a whole."""
        self.resting = self.resting and record.epochs > 1 and self._audit.world_size < 2
        return self.resting

    def restart(self) -> None:
        """Begin again, in a forked child."""
        self.resting, self._earliest = False, self._quiet_steps
