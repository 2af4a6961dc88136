"""O15: the loss is a mean that includes padding, or a mean of means over unequal numbers of tokens."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dpkb_audit.check import LIKELY, Check
from dpkb_audit.tensors import is_readable, is_tensor
from dpkb_audit.user_code import find_user_line

# At most this many losses are read in a hundred steps.
_MAX_LOOKS = 40
# A tensor is read if it has at most this many values.
_MAX_VALUES = 100_000
# At most this many nodes of a graph are read.
_MAX_NODES = 30
# At least this many losses or steps must go wrong.
_MIN_TIMES = 3
# The numbers of tokens of the micro-batches of a step are unequal if they differ by this factor.
_UNEQUAL_RATIO = 4
# The nodes of a mean over all values, and of a mean over a dimension.
_MEANS = ("MeanBackward0", "MeanBackward1")
_REGRESSIONS = ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss")


class O15(Check):
    cpu_only = True
    description = "masks in the mean of a loss, and the numbers of tokens of micro-batches"
    fix = "divide the sum of the losses by the number of tokens that count"

    def prepare(self) -> None:
        self._looks = self._masked = 0
        # The number of labels in the last mean, and in each backward pass since the last step.
        self._counted = 0
        self._tokens: list[int] = []
        self._windows = self._unequal = 0
        self._line: Any = None

    def _allowed_looks(self) -> int:
        return _MAX_LOOKS * (1 + self.training.step // 100)

    def _can_look(self) -> bool:
        self._looks += 1
        return self._looks <= self._allowed_looks() and self.audit.can_look()

    def on_loss(self, name: str, arguments: dict[str, Any], result: Any) -> None:
        if self._looks >= self._allowed_looks():
            return
        target: Any = arguments.get("target")
        scores: Any = arguments.get("input")
        if (
            arguments.get("reduction", "mean") != "mean"
            or not result.requires_grad
            or not _readable(target)
            or not _readable(scores)
            or not self._can_look()
        ):
            return
        if name == "cross_entropy" and not target.is_floating_point():
            self._counted = int((target != arguments.get("ignore_index", -100)).sum())
        elif name in _REGRESSIONS and scores.shape == target.shape:
            self._follow_mask(~((scores.detach() == 0) & (target.detach() == 0)), find_user_line())

    def on_backward_started(self, tensors: Any) -> None:
        self._tokens.append(self._counted)
        self._counted = 0
        if len(tensors) == 1 and self._can_look():
            for mask in _masks_in_means(tensors[0]):
                self._follow_mask(mask != 0, find_user_line())

    def _follow_mask(self, mask: Any, line: Any) -> None:
        if not _is_padding(mask):
            return
        self._masked += 1
        if self._masked == _MIN_TIMES:
            left_out = int((~mask).sum())
            self.report(
                LIKELY,
                f"the loss is a mean over {mask.numel()} values, of which {left_out} are "
                "padding that a mask has set to 0",
                where=line,
                padding=left_out,
            )

    def on_step_ended(self, optimizer: Any) -> None:
        tokens, self._tokens = self._tokens, []
        if len(tokens) < 2 or 0 in tokens:
            return
        self._windows += 1
        self._unequal += max(tokens) >= _UNEQUAL_RATIO * min(tokens)
        if self._unequal >= _MIN_TIMES and self._unequal > self._windows / 2:
            self.report(
                LIKELY,
                f"all micro-batches of a step have the same weight, but one has "
                f"{min(tokens)} labels and another has {max(tokens)}",
                fix="sum the losses of all micro-batches, and divide once by all labels that count",
            )


def _readable(value: Any) -> bool:
    return is_tensor(value) and is_readable(value) and 0 < value.numel() <= _MAX_VALUES


def _is_padding(mask: Any) -> bool:
    """Whether the mask keeps the start of each row, of different lengths, and not always the whole row."""
    if mask.dim() > 2 and bool((mask == mask[..., :1]).all()):
        mask = mask[..., 0]
    if mask.dim() != 2 or mask.shape[0] < 2 or mask.shape[1] < 4:
        return False
    lengths = mask.sum(1)
    sorted_rows = bool((mask[:, 1:] <= mask[:, :-1]).all())
    return (
        sorted_rows
        and int(lengths.min()) > 0
        and int(lengths.min()) < mask.shape[1]
        and len(set(lengths.tolist())) > 1
    )


def _masks_of(node: Any) -> Iterator[Any]:
    """The masks of an operation that sets elements of its input to 0."""
    kind = type(node).__name__
    if kind == "MulBackward0":
        for name in ("_saved_self", "_saved_other"):
            value: Any = getattr(node, name, None)
            if _readable(value) and not value.requires_grad and bool(((value == 0) | (value == 1)).all()):
                yield value
    elif kind == "MaskedFillBackward0":
        value = getattr(node, "_saved_mask", None)
        if _readable(value):
            yield ~value
    elif kind in ("WhereBackward0", "SWhereBackward0") and node.next_functions[-1][0] is None:
        value = getattr(node, "_saved_condition", None)
        if _readable(value):
            yield value


def _masks_in_means(loss: Any) -> Iterator[Any]:
    """The constant masks of the values in a mean. Empty before torch 1.9."""
    waiting: list[Any] = [loss.grad_fn]
    for _ in range(_MAX_NODES):
        node = waiting.pop() if waiting else None
        if node is None:
            continue
        kind = type(node).__name__
        parents = [parent for parent, _ in node.next_functions]
        if kind in _MEANS and parents:
            yield from _masks_of(parents[0])
            waiting += [parent for parent in parents if type(parent).__name__ in _MEANS]
        elif kind in ("AddBackward0", "MulBackward0", "DivBackward0"):
            waiting += parents
