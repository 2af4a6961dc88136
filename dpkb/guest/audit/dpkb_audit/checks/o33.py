"""O33: gradient accumulation that clips, clears or divides in the wrong place."""

from __future__ import annotations

import weakref

from dpkb_audit.check import CERTAIN, LIKELY, Check
from dpkb_audit.checks._optimizers import parameters_of_all
from dpkb_audit.user_code import user_line

MYPY = False
if MYPY:
    from typing import Any

    from dpkb_audit.audit import Audit
    from dpkb_audit.records import LoaderRecord

_MIN_STEPS = 2
# Event -> the number of backward passes in the step after which its line is looked up, for a report.
_FIRST_PASSES = {"zero": 1, "backward": 1, "clip": 2}


class O33(Check):
    description = "the order of backward passes, clipping, clearing and steps in gradient accumulation"
    fix = "divide each loss by the number of micro-batches; clip and clear once per step"

    def __init__(self, audit: Audit) -> None:
        super().__init__(audit)
        # The id of the optimizer that made the last step; whether a different one made the step before.
        self._optimizer = 0
        self._alternate = False
        # The events since the last step, in order: "batch", "input", "backward", "clip", "zero".
        self._events: list[str] = []
        self._lines: dict[str, Any] = {}
        self._counts: dict[str, int] = {}
        # A reference to the result of the last mean loss: a backward pass may begin at the result itself.
        self._mean_loss: Any = None
        self._undivided = 0
        self._micro_batches = 0
        # An epoch that ended without a step for its last passes: their number, the passes of a step, and
        # the line of its loader.
        self._rest: tuple[int, int, Any] | None = None
        # id of a model -> id of its last input.
        self._inputs: dict[int, int] = {}
        # A parameter and the address of its gradient after the last backward pass; whether the program has
        # replaced that gradient since.
        self._gradient: tuple[Any, int] | None = None
        self._is_replaced = False

    def _add(self, event: str) -> None:
        if len(self._events) < 200:
            # A step with one backward pass is no accumulation, so the line is looked up only after further
            # passes: that takes time.
            if event in _FIRST_PASSES and self._events.count("backward") >= _FIRST_PASSES[event]:
                self._lines[event] = user_line()
            self._events.append(event)

    def on_batch(self, record: LoaderRecord, batch: Any, waited: float) -> None:
        self._add("batch")

    def on_forward_started(self, module: Any, inputs: Any) -> None:
        # A loop over tensors has no loader: its micro-batches are different inputs of the same model.
        number = id(inputs[0]) if inputs else 0
        if self._inputs.get(id(module), number) != number and next(module.parameters(), None) is not None:
            self._add("input")
        self._inputs[id(module)] = number

    def on_loss(self, name: str, arguments: dict[str, Any], result: Any) -> None:
        mean = result.requires_grad and arguments.get("reduction", "mean") == "mean"
        self._mean_loss = weakref.ref(result) if mean else None

    def on_backward_started(self, tensors: Any) -> None:
        loss = self._mean_loss() if self._mean_loss is not None else None
        if loss is not None:
            for tensor in tensors:
                if tensor is loss:
                    self._undivided += 1
                    break
        self._add("backward")

    def on_backward_ended(self, tensors: Any) -> None:
        self._gradient = None
        if len(self._events) > 1 and self._events.count("backward") > 1:
            parameters = parameters_of_all(self.training.optimizers)
            parameter = next((p for p in parameters if p.grad is not None), None)
            if parameter is not None:
                self._gradient = weakref.ref(parameter), _address(parameter.grad)

    def on_step_started(self, optimizer: Any) -> None:
        self._is_replaced = False
        parameter = self._gradient[0]() if self._gradient else None
        if self._gradient and parameter is not None and parameter.grad is not None:
            self._is_replaced = _address(parameter.grad) != self._gradient[1]

    def on_gradients_clipped(self, parameters: Any) -> None:
        self._add("clip")

    def on_gradients_zeroed(self, owner: Any) -> None:
        self._add("zero")

    def on_step_ended(self, optimizer: Any) -> None:
        number, before = id(optimizer), self._optimizer
        self._optimizer, self._alternate = number, before not in (0, number)
        events, self._events = self._events, []
        undivided, self._undivided = self._undivided, 0
        rest, self._rest = self._rest, None
        if rest is not None:
            self._look_at_rest(rest, events)
        # With two optimizers, it is not known which optimizer an event belongs to.
        if self._alternate:
            return
        self._micro_batches = 0
        passes = events.count("backward")
        # Private training replaces the gradient by a sum of clipped gradients of single samples. In an
        # accumulation a new batch comes between two passes; otherwise they are several losses of one batch.
        if not self._is_replaced and passes >= 2 and _batches_between(events) >= passes - 1:
            self._look_at_accumulation(events, passes, undivided)

    def _look_at_accumulation(self, events: list[str], passes: int, undivided: int) -> None:
        """Look at a step after several micro-batches. undivided: passes that began at a mean loss."""
        zeros, clips = _before_each_pass(events, "zero"), _after_each_pass(events, "clip")
        if zeros == 0:
            self._micro_batches = passes
        # Without clearing before the first pass, that pass belongs to a different model.
        if zeros == passes - 1 and "zero" in events[:events.index("backward")]:
            self._count("zero", CERTAIN, f"the gradients were cleared between the {passes} backward passes "
                        "of a step: only the last micro-batch counts",
                        "call zero_grad() once per step, after step()")
        elif clips == passes:
            self._count("clip", CERTAIN, f"the gradients were clipped after each of the {passes} backward "
                        "passes of a step, so sums that are not complete were clipped",
                        "clip once, right before step()")
        elif undivided == passes:
            self._count("backward", LIKELY, f"the mean losses of {passes} micro-batches were added up "
                        f"without being divided: the gradient is {passes} times that of one large batch",
                        "(loss / accumulation_steps).backward()")

    def on_epoch_ended(self, record: LoaderRecord) -> None:
        passes = self._events.count("backward")
        if (record.trained and 0 < passes < self._micro_batches and not self._alternate
                and _batches_between(self._events) >= passes - 1):
            self._rest = passes, self._micro_batches, record.where

    def on_end(self) -> None:
        if self._rest is not None:
            self._report_rest(self._rest)

    def _look_at_rest(self, rest: tuple[int, int, Any], events: list[str]) -> None:
        """Look whether a step came too late for the last passes of the epoch before it."""
        positions = [i for i, event in enumerate(events) if event == "backward"]
        cleared = len(positions) >= rest[0] and "zero" in events[positions[rest[0] - 1]:positions[-1]]
        # A loader that reads ahead ends before its last batch is used. An endless loader continues counting.
        if cleared or len(positions) > rest[1]:
            self._report_rest(rest)

    def _report_rest(self, rest: tuple[int, int, Any]) -> None:
        self._count("last", LIKELY, f"the epoch ended after {rest[0]} of {rest[1]} micro-batches: no step "
                    "followed, so their gradients are lost, or go into the next",
                    "step also after the last micro-batch of an epoch", steps=1, where=rest[2])

    def _count(self, kind: str, certainty: str, message: str, fix: str, steps: int = _MIN_STEPS,
               where: Any = None) -> None:
        self._counts[kind] = self._counts.get(kind, 0) + 1
        if self._counts[kind] == steps:
            self.report(certainty, message, where=where or self._lines.get(kind), fix=fix)


def _address(gradient: Any) -> int:
    """A number that identifies a gradient: the address of its elements, or the id of the object."""
    import torch

    return int(gradient.data_ptr()) if type(gradient) is torch.Tensor else id(gradient)


def _batches_between(events: list[str]) -> int:
    """The number of pairs of neighbouring backward passes with a new batch between them."""
    intervals = _between_passes(events)
    # Two passes over two inputs may be two losses, as in a GAN.
    inputs = sum("input" in between for between in intervals) if len(intervals) > 1 else 0
    return max(sum("batch" in between for between in intervals), inputs)


def _before_each_pass(events: list[str], name: str) -> int:
    """The number of backward passes, except the first, with this event before them."""
    return sum(name in between for between in _between_passes(events))


def _after_each_pass(events: list[str], name: str) -> int:
    """The number of backward passes with this event between them and the next pass."""
    positions = [i for i, event in enumerate(events) if event == "backward"]
    ends = [*positions[1:], len(events)]
    return sum(name in events[position:end] for position, end in zip(positions, ends))


def _between_passes(events: list[str]) -> list[list[str]]:
    positions = [i for i, event in enumerate(events) if event == "backward"]
    return [events[first:second] for first, second in zip(positions, positions[1:])]
