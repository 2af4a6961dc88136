"""O33: gradient accumulation that clips, clears or divides in the wrong place."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

from dpkb_audit.check import CERTAIN, LIKELY, Check
from dpkb_audit.checks._optimizers import parameters_of_all
from dpkb_audit.modules import has_parameters
from dpkb_audit.records import LoaderRecord
from dpkb_audit.tensors import is_tensor
from dpkb_audit.user_code import find_user_line

# At least this many steps must go wrong.
_MIN_STEPS = 2
# At most this many backward passes of a step are followed.
_MAX_PASSES = 100
# Event -> the number of backward passes in the step after which its line is looked up, for a report.
_FIRST_PASSES = {"zero": 1, "backward": 1, "clip": 2}


class _StepEvents:
    """The events since the last step: "batch", "input", "clip", "zero", and backward passes between them."""

    def __init__(self) -> None:
        # The events before the first backward pass, those between each two passes, and those after the last.
        self.parts: list[set[str]] = [set()]
        # Event -> its last line.
        self.lines: dict[str, Any] = {}

    @property
    def passes(self) -> int:
        """The number of backward passes."""
        return len(self.parts) - 1

    def add(self, name: str) -> None:
        """Add an event that happens now."""
        if self.passes == _MAX_PASSES:
            return
        # A step with one backward pass is no accumulation, so the line is looked up only after further passes:
        # that takes time.
        if self.passes >= _FIRST_PASSES.get(name, _MAX_PASSES):
            self.lines[name] = find_user_line()
        if name == "backward":
            self.parts.append(set())
        else:
            self.parts[-1].add(name)

    def batches_between_passes(self) -> int:
        """The number of pairs of neighbouring backward passes with a new batch between them."""
        # Two passes over two inputs may be two losses, as in a GAN.
        inputs = self.before_later_passes("input") if self.passes > 2 else 0
        return max(self.before_later_passes("batch"), inputs)

    def before_later_passes(self, name: str) -> int:
        """The number of backward passes, except the first, with this event before them."""
        return sum(name in part for part in self.parts[1:-1])


class _UnfinishedEpoch:
    """An epoch that ended without a step for its last backward passes."""

    def __init__(self, passes: int, micro_batches: int, where: Any) -> None:
        # The number of these passes, the number of passes of a step, and the line of the loader.
        self.passes, self.micro_batches, self.where = passes, micro_batches, where


class O33(Check):
    description = "the order of backward passes, clipping, clearing and steps in gradient accumulation"
    fix = "divide each loss by the number of micro-batches; clip and clear once per step"

    def prepare(self) -> None:
        self._events = _StepEvents()
        # A reference to the result of the last mean loss, and the number of backward passes of the step that
        # began at such a result itself.
        self._mean_loss: Any = None
        self._undivided = 0
        # The address of a gradient after the last of several backward passes, and whether the program has
        # replaced that gradient before the step.
        self._address: int | None = None
        self._is_replaced = False
        # id of a model -> a reference to its last input. (The id of an input that is gone may be used again.)
        self._inputs: dict[int, Callable[[], Any]] = {}
        # The id of the optimizer that made the last step; whether a different one made the step before.
        self._optimizer = 0
        self._alternate = False
        # The number of micro-batches of the last step; 0 if there was no accumulation.
        self._micro_batches = 0
        self._unfinished: _UnfinishedEpoch | None = None
        # Event -> the number of steps in which it was wrong.
        self._wrong_steps: dict[str, int] = {}

    def on_batch(self, record: LoaderRecord, batch: Any, waited: float) -> None:
        self._events.add("batch")

    def on_forward_started(self, module: Any, inputs: Any) -> None:
        # A loop over tensors has no loader: its micro-batches are different inputs of the same model.
        if not (inputs and is_tensor(inputs[0])):
            return
        last_input = self._inputs.get(id(module))
        if last_input is not None and last_input() is inputs[0]:
            return
        if last_input is not None and has_parameters(module):
            self._events.add("input")
        self._inputs[id(module)] = weakref.ref(inputs[0])

    def on_loss(self, name: str, arguments: dict[str, Any], result: Any) -> None:
        is_mean = result.requires_grad and arguments.get("reduction", "mean") == "mean"
        self._mean_loss = weakref.ref(result) if is_mean else None

    def on_backward_started(self, tensors: Any) -> None:
        loss = self._mean_loss() if self._mean_loss is not None else None
        self._undivided += loss is not None and any(tensor is loss for tensor in tensors)
        self._events.add("backward")

    def on_backward_ended(self, tensors: Any) -> None:
        self._address = self._find_address() if self._events.passes > 1 else None

    def _find_address(self) -> int | None:
        """The address of the first gradient."""
        parameters = parameters_of_all(self.training.optimizers)
        return next((_address(p.grad) for p in parameters if p.grad is not None), None)

    def on_gradients_clipped(self, parameters: Any) -> None:
        self._events.add("clip")

    def on_gradients_zeroed(self, owner: Any) -> None:
        self._events.add("zero")

    def on_step_started(self, optimizer: Any) -> None:
        self._is_replaced = self._address is not None and self._find_address() not in (None, self._address)

    def on_step_ended(self, optimizer: Any) -> None:
        number, before = id(optimizer), self._optimizer
        self._optimizer, self._alternate = number, before not in (0, number)
        events, self._events = self._events, _StepEvents()
        undivided, self._undivided = self._undivided, 0
        unfinished, self._unfinished = self._unfinished, None
        if unfinished is not None:
            self._look_at_late_step(unfinished, events)
        # With two optimizers, it is not known which optimizer an event belongs to.
        if self._alternate:
            return
        self._micro_batches = 0
        passes = events.passes
        # Private training replaces the gradient by a sum of clipped gradients of single samples. In an
        # accumulation a new batch comes between two passes; otherwise they are several losses of one batch.
        if not self._is_replaced and passes >= 2 and events.batches_between_passes() >= passes - 1:
            self._look_at_accumulation(events, passes, undivided)

    def on_epoch_ended(self, record: LoaderRecord) -> None:
        passes = self._events.passes
        if (
            record.trained
            and 0 < passes < self._micro_batches
            and not self._alternate
            and self._events.batches_between_passes() >= passes - 1
        ):
            self._unfinished = _UnfinishedEpoch(passes, self._micro_batches, record.where)

    def on_end(self) -> None:
        if self._unfinished is not None:
            self._report_unfinished(self._unfinished)

    def _look_at_accumulation(self, events: _StepEvents, passes: int, undivided: int) -> None:
        """Look at a step after several micro-batches. undivided: passes that began at a mean loss."""
        zeros = events.before_later_passes("zero")
        if zeros == 0:
            self._micro_batches = passes
        # Without clearing before the first pass, that pass belongs to a different model.
        if zeros == passes - 1 and "zero" in events.parts[0]:
            self._count(
                events,
                "zero",
                CERTAIN,
                f"the gradients were cleared between the {passes} backward "
                "passes of a step: only the last micro-batch counts",
                "call zero_grad() once per step, after step()",
            )
        elif all("clip" in part for part in events.parts[1:]):
            self._count(
                events,
                "clip",
                CERTAIN,
                f"the gradients were clipped after each of the {passes} "
                "backward passes of a step, so sums that are not complete were clipped",
                "clip once, right before step()",
            )
        elif undivided == passes:
            self._count(
                events,
                "backward",
                LIKELY,
                f"the mean losses of {passes} micro-batches were added "
                f"up without being divided: the gradient is {passes} times that of one large batch",
                "(loss / accumulation_steps).backward()",
            )

    def _count(self, events: _StepEvents, name: str, certainty: str, message: str, fix: str) -> None:
        """Count a step in which this event was wrong, and report the second one."""
        self._wrong_steps[name] = self._wrong_steps.get(name, 0) + 1
        if self._wrong_steps[name] == _MIN_STEPS:
            self.report(certainty, message, where=events.lines.get(name), fix=fix)

    def _look_at_late_step(self, unfinished: _UnfinishedEpoch, events: _StepEvents) -> None:
        """Look whether a step came too late for the last passes of the epoch before it."""
        # A loader that reads ahead ends before its last batch is used. An endless loader continues counting.
        is_cleared = any("zero" in part for part in events.parts[unfinished.passes : -1])
        if is_cleared or events.passes > unfinished.micro_batches:
            self._report_unfinished(unfinished)

    def _report_unfinished(self, unfinished: _UnfinishedEpoch) -> None:
        """Report an epoch without a last step."""
        self.report(
            LIKELY,
            f"the epoch ended after {unfinished.passes} of {unfinished.micro_batches} "
            "micro-batches: no step followed, so their gradients are lost, or go into the next",
            where=unfinished.where,
            fix="step also after the last micro-batch of an epoch",
        )


def _address(gradient: Any) -> int:
    """A number that identifies a gradient: the address of its elements, or the id of the object."""
    import torch

    return int(gradient.data_ptr()) if type(gradient) is torch.Tensor else id(gradient)
