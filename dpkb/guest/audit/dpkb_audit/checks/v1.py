"""V1: evaluation that prepares its inputs in another way than training."""

from __future__ import annotations

import weakref

from dpkb_audit.check import LIKELY, Check
from dpkb_audit.digest import is_readable, is_tensor

MYPY = False
if MYPY:
    from typing import Any

    from dpkb_audit.audit import Audit
    from dpkb_audit.records import LoaderRecord

# Calls of each kind whose inputs are measured, and the samples that they need.
_CALLS, _SAMPLES = 12, 24


class V1(Check):
    watches = "mean, deviation and range of a model's inputs in training and in evaluation"
    fix = "let both transforms end in the same ToTensor and Normalize"

    def __init__(self, audit: Audit) -> None:
        super().__init__(audit)
        # Model -> kind of call -> what its inputs were like.
        self._calls: weakref.WeakKeyDictionary[Any, dict[str, list[Any]]] = weakref.WeakKeyDictionary()
        self._pending: list[tuple[Any, Any]] = []

    def on_forward_started(self, module: Any, inputs: Any) -> None:
        import torch

        # A loss or a metric has no weights: what it gets is no prepared input.
        if not inputs or not is_tensor(inputs[0]) or next(module.parameters(), None) is None:
            return
        value = inputs[0]
        if not value.is_floating_point() or not is_readable(value) or value.dim() not in (2, 4):
            return
        if len(value) < 2 or not value.numel() or (value.dim() == 4 and value.shape[1] not in (1, 3, 4)):
            return
        trains = torch.is_grad_enabled()
        known = self._calls.setdefault(module, {"train": [], "evaluate": []})
        if trains and (not module.training or len(self._pending) >= 8):
            return  # neither clearly training nor evaluation
        if len(known["train" if trains else "evaluate"]) >= _CALLS or not self.audit.can_look():
            return
        call = _measure(value)
        if trains:
            self._pending.append((weakref.ref(module), call))
        else:
            known["evaluate"].append((*call, self.training.loader.where if self.training.loader else None))

    def on_backward_ended(self, tensors: Any) -> None:
        for ref, call in self._pending:
            module = ref()
            if module is not None:
                self._calls[module]["train"].append((*call, None))
        self._pending.clear()

    def on_step_ended(self, optimizer: Any) -> None:
        self._pending.clear()

    def on_epoch_ended(self, record: LoaderRecord) -> None:
        self._judge()

    def on_end(self) -> None:
        self._judge()
        # A last forward pass with gradients that no backward pass followed was an evaluation.
        for ref, call in self._pending:
            module = ref()
            if module is not None:
                self._calls[module]["evaluate"] = [(*call, None)]
                self._judge()

    def _judge(self) -> None:
        for module, calls in list(self._calls.items()):
            train, evaluate = _joined(calls["train"]), _joined(calls["evaluate"])
            if not train or not evaluate or train["shape"] != evaluate["shape"]:
                continue
            differ = _differ(train, evaluate)
            if differ:
                self.report(
                    LIKELY, f"{type(module).__name__} got inputs with mean {train['mean'][0]:.3g} and "
                            "deviation "
                    f"{train['std'][0]:.3g} ({train['low']:.3g} to {train['high']:.3g}) in training, and "
                    f"{evaluate['mean'][0]:.3g} and {evaluate['std'][0]:.3g} ({evaluate['low']:.3g} to "
                    f"{evaluate['high']:.3g}) in evaluation", where=calls["evaluate"][0][-1],
                    train=[train["mean"][0], train["std"][0]],
                    evaluation=[evaluate["mean"][0], evaluate["std"][0]])


def _measure(value: Any) -> tuple[Any, ...]:
    """Samples, mean and deviation of each channel or feature (16 at most), least and largest value."""
    import torch

    with torch.no_grad():
        some = value.detach()[:64]
        if some.dim() == 4:
            some = some[:, :, ::max(some.shape[2] // 32, 1), ::max(some.shape[3] // 32, 1)]
        else:
            some = some[:, :16]
        rows = some.float().transpose(0, 1).reshape(some.shape[1], -1)
        deviation = rows.std(1)
        return (value.dim(), len(some), rows.mean(1).tolist(), deviation.tolist(), float(rows.min()),
                float(rows.max()))


def _joined(calls: list[Any]) -> dict[str, Any] | None:
    calls = [call for call in calls if len(call[2]) == len(calls[0][2]) and call[0] == calls[0][0]]
    number = len(calls)
    if not calls or sum(call[1] for call in calls) < _SAMPLES:
        return None
    channels = range(len(calls[0][2]))
    return {"shape": (calls[0][0], len(calls[0][2])),
            "mean": [sum(call[2][i] for call in calls) / number for i in channels],
            "std": [sum(call[3][i] for call in calls) / number for i in channels],
            "low": min(call[4] for call in calls), "high": max(call[5] for call in calls)}


def _differ(a: dict[str, Any], b: dict[str, Any]) -> bool:
    """Whether two sets of inputs cannot have been prepared in the same way."""
    pairs = list(zip(a["mean"], a["std"], b["mean"], b["std"]))
    if any(not (first > 0 and second > 0) for _, first, _, second in pairs):
        return False
    if a["shape"][0] == 4:
        ratios = [second / first for _, first, _, second in pairs]
        # Noise that is added on purpose changes the deviation, and not the mean.
        shifts = [abs(other - mean) / min(first, second) for mean, first, other, second in pairs]
        if min(shifts) < 0.3:
            return False
        if max(ratios) < 0.4 or min(ratios) > 2.5:
            return True
        raw = (a["low"] >= 0) != (b["low"] >= 0) and min(a["low"], b["low"]) < -0.3
        return bool(raw and (max(ratios) < 0.7 or min(ratios) > 1.4))
    if len(pairs) < 2:
        return False
    standard = [sum(abs(side["mean"][i]) < 0.3 and 0.5 < side["std"][i] < 2 for i in range(len(pairs)))
                >= 0.8 * len(pairs) for side in (a, b)]
    if standard[0] == standard[1]:
        return False
    far = sum(not 1 / 3 < second / first < 3 and abs(other - mean) > 0.5 * min(first, second)
              for mean, first, other, second in pairs)
    return bool(far >= 0.5 * len(pairs))
