"""V1: evaluation that prepares its inputs differently from training."""

from __future__ import annotations

import weakref
from typing import Any

from dpkb_audit.check import LIKELY, Check
from dpkb_audit.identity import IdentityMap
from dpkb_audit.modules import has_parameters
from dpkb_audit.records import LoaderRecord
from dpkb_audit.tensors import is_readable, is_tensor

# The inputs of at most this many calls of each kind are measured.
_MAX_CALLS = 12
# Inputs are compared if they have at least this many samples.
_MIN_SAMPLES = 24


class _Inputs:
    """Statistics of some inputs of a model.

    They are the number of dimensions and samples, mean and deviation of each channel or feature (16 at most),
    least and greatest value.
    """

    # The line of their loader, in evaluation.
    where: Any = None

    def __init__(
        self, dimensions: int, samples: int, mean: list[float], std: list[float], low: float, high: float
    ) -> None:
        self.dimensions, self.samples, self.mean, self.std = dimensions, samples, mean, std
        self.low, self.high = low, high

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of dimensions and channels. Only inputs of the same shape are compared."""
        return self.dimensions, len(self.mean)


class V1(Check):
    cpu_only = True
    description = "mean, deviation and range of a model's inputs in training and in evaluation"
    fix = "let both transforms end in the same ToTensor and Normalize"

    def prepare(self) -> None:
        # Model -> "train" or "evaluate" -> the inputs of its calls.
        self._calls = IdentityMap()
        # The inputs of models in calls with gradients, after which a backward pass may come.
        self._pending: list[tuple[Any, _Inputs]] = []

    def on_forward_started(self, module: Any, inputs: Any) -> None:
        import torch

        # A loss or a metric has no weights. Its inputs are not prepared by a transform.
        if not inputs or not is_tensor(inputs[0]) or not has_parameters(module):
            return
        value = inputs[0]
        if not value.is_floating_point() or value.dim() not in (2, 4) or not is_readable(value):
            return
        if len(value) < 2 or not value.numel() or (value.dim() == 4 and value.shape[1] not in (1, 3, 4)):
            return
        trains = torch.is_grad_enabled()
        calls = self._calls.setdefault(module, {"train": [], "evaluate": []})
        if trains and (not module.training or len(self._pending) >= 8):
            return  # it is not clear whether this is training or evaluation
        if len(calls["train" if trains else "evaluate"]) >= _MAX_CALLS or not self.audit.can_look():
            return
        measured = _measure(value)
        if trains:
            self._pending.append((weakref.ref(module), measured))
        else:
            measured.where = self.training.loader.where if self.training.loader else None
            calls["evaluate"].append(measured)

    def on_backward_ended(self, tensors: Any) -> None:
        for reference, measured in self._pending:
            module = reference()
            if module is not None:
                self._calls[module]["train"].append(measured)
        self._pending.clear()
        self.pause_until_module_calls("backward_ended")

    def on_step_ended(self, optimizer: Any) -> None:
        self._pending.clear()
        self.pause_until_module_calls("step_ended")

    def on_epoch_ended(self, record: LoaderRecord) -> None:
        self._compare()

    def on_end(self) -> None:
        self._compare()
        # If no backward pass follows a forward pass with gradients, it was an evaluation.
        for reference, measured in self._pending:
            module = reference()
            if module is not None:
                self._calls[module]["evaluate"] = [measured]
                self._compare()

    def _compare(self) -> None:
        for module, calls in list(self._calls.items()):
            train, evaluate = _join(calls["train"]), _join(calls["evaluate"])
            if train and evaluate and train.shape == evaluate.shape and _differ(train, evaluate):
                self.report(
                    LIKELY,
                    f"{type(module).__name__} got inputs with mean {train.mean[0]:.3g} and deviation "
                    f"{train.std[0]:.3g} ({train.low:.3g} to {train.high:.3g}) in training, and "
                    f"{evaluate.mean[0]:.3g} and {evaluate.std[0]:.3g} ({evaluate.low:.3g} to "
                    f"{evaluate.high:.3g}) in evaluation",
                    where=calls["evaluate"][0].where,
                    train=[train.mean[0], train.std[0]],
                    evaluation=[evaluate.mean[0], evaluate.std[0]],
                )


def _measure(value: Any) -> _Inputs:
    """The statistics of some inputs, from a part of them."""
    import torch

    sample = value.detach()[:64]
    if sample.dim() == 4:
        sample = sample[:, :, :: max(sample.shape[2] // 32, 1), :: max(sample.shape[3] // 32, 1)]
    else:
        sample = sample[:, :16]
    with torch.no_grad():
        rows = sample.float().transpose(0, 1).reshape(sample.shape[1], -1)
        return _Inputs(
            sample.dim(),
            len(sample),
            rows.mean(1).tolist(),
            rows.std(1).tolist(),
            float(rows.min()),
            float(rows.max()),
        )


def _join(measured: list[_Inputs]) -> _Inputs | None:
    """The inputs of all calls with the shape of the first call; None if they have too few samples."""
    calls = [inputs for inputs in measured if inputs.shape == measured[0].shape]
    samples, number = sum(call.samples for call in calls), len(calls)
    if samples < _MIN_SAMPLES:
        return None
    channels = range(len(calls[0].mean))
    return _Inputs(
        calls[0].dimensions,
        samples,
        [sum(call.mean[i] for call in calls) / number for i in channels],
        [sum(call.std[i] for call in calls) / number for i in channels],
        min(call.low for call in calls),
        max(call.high for call in calls),
    )


def _differ(a: _Inputs, b: _Inputs) -> bool:
    """Whether two sets of inputs are so different that their preparation must differ."""
    pairs = list(zip(a.mean, a.std, b.mean, b.std))
    if any(not (first > 0 and second > 0) for _, first, _, second in pairs):
        return False
    if a.dimensions == 4:
        ratios = [second / first for _, first, _, second in pairs]
        # Noise that is added on purpose changes the deviation, not the mean.
        shifts = [abs(other - mean) / min(first, second) for mean, first, other, second in pairs]
        if min(shifts) < 0.3:
            return False
        if max(ratios) < 0.4 or min(ratios) > 2.5:
            return True
        raw = (a.low >= 0) != (b.low >= 0) and min(a.low, b.low) < -0.3
        return bool(raw and (max(ratios) < 0.7 or min(ratios) > 1.4))
    if len(pairs) < 2:
        return False
    standard = [
        sum(abs(side.mean[i]) < 0.3 and 0.5 < side.std[i] < 2 for i in range(len(pairs))) >= 0.8 * len(pairs)
        for side in (a, b)
    ]
    if standard[0] == standard[1]:
        return False
    far = sum(
        not 1 / 3 < second / first < 3 and abs(other - mean) > 0.5 * min(first, second)
        for mean, first, other, second in pairs
    )
    return bool(far >= 0.5 * len(pairs))
