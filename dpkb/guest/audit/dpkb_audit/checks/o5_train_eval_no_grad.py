"""O5: the model is in the wrong mode, or builds graphs in an evaluation."""

from __future__ import annotations

import sys
import weakref
from typing import Any

from dpkb_audit.check import CERTAIN, LIKELY, Check
from dpkb_audit.modules import has_parameters, named_modules_in
from dpkb_audit.object_contents import is_a, plain
from dpkb_audit.records import LoaderRecord
from dpkb_audit.user_code import find_user_line

# At least this many batches or losses in a row must be computed in the wrong mode.
_MIN_BATCHES = 2
# At least this many losses in a row must build an unused graph.
_MIN_GRAPHS = 4
# In an epoch, only the first calls of a model are looked at.
_OF_OTHER_LOADER = "(of those that were looked at) of a loader that is not trained on"


class O5(Check):
    description = "training and evaluation mode, dropout in evaluation, and graphs that no backward pass uses"
    fix = "use model.eval() and torch.no_grad() around validation, and model.train() after it"

    def prepare(self) -> None:
        # The outermost module that was called last, and whether it was in training mode.
        self._last: Any = None
        self._last_training = False
        # The modules that are being called now, each with whether it is in training mode.
        self._stack: list[Any] = []
        # Calls in the current epoch of a loader: without gradients in training mode, and with a graph in
        # evaluation mode. The line of the last call.
        self._without, self._graphs = 0, 0
        self._line: tuple[str, int] | None = None
        # Losses in a row: without a graph in training mode, and with a graph in evaluation mode.
        self._losses_without = self._losses_with_graph = 0
        self._trained_in_training_mode: set[int] = set()
        self._steps_in_evaluation = 0

    # -- dropout that evaluation mode does not reach -------------------------------------------------

    def on_forward_started(self, module: Any, inputs: Any) -> None:
        self._stack.clear()
        # A loss has no parameters. It may be computed inside of the model's forward().
        if has_parameters(module):
            self._last, self._last_training = weakref.ref(module), module.training

    def on_module_started(self, module: Any, inputs: Any) -> None:
        self._stack.append(module)

    def on_module_ended(self, module: Any, inputs: Any, output: Any) -> None:
        if self._stack:
            self._stack.pop()

    def on_dropout(self, p: float, training: bool) -> None:
        if not self.audit.module_calls.looking:
            self.pause_until_module_calls("dropout")
            return
        if not training or not p or not self._stack or self._stack[0].training:
            return
        innermost = self._stack[-1]
        # MC dropout sets registered layers to training mode. A layer made in forward() is not registered.
        if innermost.training and any(child is innermost for _, child in named_modules_in(self._stack[0])):
            return
        self.report(
            CERTAIN,
            f"dropout with p={p:g} was active in {type(self._stack[0]).__name__}, which was "
            "in evaluation mode",
            where=find_user_line(),
            fix="make nn.Dropout in __init__, or pass training=self.training to F.dropout",
        )

    # -- validation in the wrong mode ---------------------------------------------------------------

    def on_epoch_started(self, record: LoaderRecord) -> None:
        self._without = self._graphs = 0

    def on_forward_ended(self, module: Any, inputs: Any, output: Any) -> None:
        import torch

        if not has_parameters(module):  # a loss
            return
        if module.training and not torch.is_grad_enabled():
            if list_kinds_that_depend_on_mode(module) and not _updates_statistics():
                self._without += 1
                self._line = find_user_line()
        elif not module.training and _has_graph(output):
            self._graphs += 1
            self._line = find_user_line()

    def on_epoch_ended(self, record: LoaderRecord) -> None:
        model = self._last() if self._last else None
        trains = any(other.trained for other in self.training.loaders if other is not record)
        if record.trained or not trains or model is None:
            return
        if self._without >= _MIN_BATCHES:
            self._report_training_mode(model, f"on {self._without} batches {_OF_OTHER_LOADER}")
        elif self._graphs >= _MIN_BATCHES:
            self._report_graph(model, f"on {self._graphs} batches {_OF_OTHER_LOADER}")

    def on_loss(self, name: str, arguments: dict[str, Any], result: Any) -> None:
        if not self.audit.module_calls.looking:
            self.pause_until_module_calls("loss")
            return
        model = self._last() if self._last else None
        if model is None:
            return
        if not result.requires_grad and self._last_training and list_kinds_that_depend_on_mode(model):
            self._losses_without += 1
            if self._losses_without == _MIN_BATCHES:
                self._report_training_mode(model, f"for {_MIN_BATCHES} losses without gradients")
        elif result.requires_grad and not self._last_training and not model.training:
            self._losses_with_graph += 1
            if self._losses_with_graph == _MIN_GRAPHS:
                self._report_graph(model, f"for {_MIN_GRAPHS} losses in a row")

    def on_gradients_taken(self, outputs: Any) -> None:
        self._losses_with_graph = 0

    def _report_training_mode(self, model: Any, when: str) -> None:
        # The modes of some layers may have changed since.
        kinds = " and ".join(list_kinds_that_depend_on_mode(model)) or "Dropout or BatchNorm"
        self.report(
            CERTAIN,
            f"{_name(model)} was evaluated in training mode, {when}: its {kinds} layers were active",
            where=self._line,
            fix="call model.eval() before validation and model.train() after it",
        )

    def _report_graph(self, model: Any, when: str) -> None:
        self.report(
            LIKELY,
            f"{_name(model)} built a graph in evaluation mode {when}, and no "
            "backward pass followed: it uses as much memory as training",
            where=self._line,
            fix="put validation under torch.no_grad()",
        )

    # -- training in evaluation mode ----------------------------------------------------------------

    def on_backward_started(self, tensors: Any) -> None:
        self._losses_with_graph = self._losses_without = 0
        if self._last and self._last_training:
            self._trained_in_training_mode.add(id(self._last()))
        self.pause_until_module_calls("backward_started")

    def on_step_ended(self, optimizer: Any) -> None:
        model = self._last() if self._last else None
        if (
            model is None
            or self._last_training
            or model.training
            or id(model) not in self._trained_in_training_mode
        ):
            self._steps_in_evaluation = 0
            if self._last_training:
                self.pause_until_module_calls("step_ended")
            return
        self._steps_in_evaluation += 1
        if self._steps_in_evaluation == 3 and list_kinds_that_depend_on_mode(model):
            self.report(
                CERTAIN,
                f"{_name(model)} was trained in training mode at first, and is now trained "
                "in evaluation mode: dropout is off, and BatchNorm does not learn",
                fix="call model.train() at the start of each epoch, not once before the loop",
            )


def list_kinds_that_depend_on_mode(model: Any) -> list[str]:
    """The kinds of a model's layers that behave differently in its two modes: Dropout, BatchNorm, or both."""
    from torch import nn

    layers = [child for _, child in named_modules_in(model) if child.training == model.training]
    return [
        kind
        for kind, is_there in (
            (
                "Dropout",
                any(is_a(layer, nn.modules.dropout._DropoutNd) and layer.p for layer in layers),
            ),
            (
                "BatchNorm",
                any(
                    is_a(layer, nn.modules.batchnorm._BatchNorm) and layer.track_running_stats
                    for layer in layers
                ),
            ),
        )
        if is_there
    ]


def _name(model: Any) -> str:
    """The class of a model; of the model inside if this is a wrapper for several devices or ranks."""
    from torch.nn.parallel import DataParallel, DistributedDataParallel

    is_wrapper = is_a(model, (DataParallel, DistributedDataParallel))
    return type(model.module if is_wrapper else model).__name__


def _has_graph(output: Any) -> bool:
    from torch import Tensor

    output = plain(output)
    values = output.values() if is_a(output, dict) else output if is_a(output, (tuple, list)) else [output]
    return any(is_a(value, Tensor) and value.grad_fn is not None for value in values)


def _updates_statistics() -> bool:
    """Whether update_bn() of torch runs the model, which needs the training mode."""
    frame = sys._getframe(1)
    while frame is not None:
        if frame.f_code.co_name == "update_bn":
            return True
        frame = frame.f_back  # type: ignore[assignment]
    return False
