"""S11: a loss whose input and target broadcast, so that each value is compared with those of all samples."""

from __future__ import annotations

from dpkb_audit.check import CERTAIN, Check

MYPY = False
if MYPY:
    from typing import Any

_LOSSES = ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss")


class S11(Check):
    watches = "the shapes of input and target of the regression losses"
    fix = "give both the same shape, for example by prediction.squeeze(1)"

    def on_loss(self, name: str, arguments: dict[str, Any], result: Any) -> None:
        if name not in _LOSSES:
            return
        first, second = arguments["input"], arguments["target"]
        # Both have the same sizes but for dimensions of size 1, and are not aligned. Pairs on purpose have as
        # many dimensions: (N, 1) and (1, N). A target for all samples, such as (1,), is expanded alone.
        if first.dim() == second.dim() or _sizes(first) != _sizes(second):
            return
        values = 1
        for size in _broadcast(tuple(first.shape), tuple(second.shape)):
            values *= size
        if values > first.numel():
            self.report(CERTAIN, f"{name} got an input of shape {tuple(first.shape)} and a target of shape "
                        f"{tuple(second.shape)}: it compares {values} pairs of values, not {first.numel()}",
                        input=list(first.shape), target=list(second.shape), pairs=values)


def _sizes(tensor: Any) -> list[int]:
    return [size for size in tensor.shape if size != 1]


def _broadcast(first: tuple[int, ...], second: tuple[int, ...]) -> list[int]:
    length = max(len(first), len(second))
    ones = (1,) * length
    return [max(pair) for pair in zip((ones + first)[-length:], (ones + second)[-length:])]
