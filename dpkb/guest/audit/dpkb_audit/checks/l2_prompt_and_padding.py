"""L2: labels of a language model that count padding, or that are all ignored."""

from __future__ import annotations

import math
from collections import deque
from typing import Any

from dpkb_audit.check import CERTAIN, LIKELY, Check
from dpkb_audit.object_contents import is_a
from dpkb_audit.records import LoaderRecord
from dpkb_audit.sample_digests import leaves_of
from dpkb_audit.tensors import is_readable, is_tensor

# The labels of at most this many batches are compared with the token ids.
_MAX_LOOKS = 20
# A batch is read if it has at most this many tokens.
_MAX_TOKENS = 200000
# accelerate, which the Trainer of transformers uses, reads this many batches ahead.
_BATCHES_AHEAD = 1
# Without a mask, at least this share of the rows must end with the padding.
_MIN_PADDED_SHARE = 0.25
# The mask must hide the ends of the texts in at least this many batches.
_HIDDEN_BATCHES = 3


class _Pass:
    """The forward passes before a backward pass: the token ids that an embedding got in the last of them."""

    ids: list[list[int]] | None = None
    # Whether labels were compared with them.
    are_compared = False

    def add_ids(self, ids: list[list[int]]) -> None:
        """An embedding got ids, which may also be positions or segments."""
        if self.ids is None or self.are_compared or _likeness(ids) >= _likeness(self.ids):
            self.ids, self.are_compared = ids, False


class L2(Check):
    cpu_only = True
    description = "the targets of cross_entropy, compared with the token ids that go into the model"
    fix = "set labels[attention_mask == 0] = -100, by length and not by the pad id"

    def prepare(self) -> None:
        self._looks = 0
        # The number of batches in which the mask hides tokens that may be the ends of the texts; None as soon
        # as it does not in one batch.
        self._hidden_ends: int | None = 0
        # The pass since the last backward pass.
        self._pass = _Pass()
        # The tensors of the last batches that may be token ids, and their masks.
        self._batches: deque[tuple[list[Any], list[Any]]] = deque(maxlen=_BATCHES_AHEAD + 1)

    def on_batch(self, record: LoaderRecord, batch: Any, waited: float) -> None:
        if self._looks < _MAX_LOOKS and self.audit.can_look():
            tensors = [leaf for _, leaf in leaves_of(batch) if is_tensor(leaf) and leaf.dim() == 2]
            masks = [_to_lists(leaf) for leaf in tensors if _is_mask(leaf)]
            ids = [_to_lists(leaf) for leaf in tensors if masks and is_readable(leaf) and _are_integers(leaf)]
            self._batches.append((ids, masks))

    def on_module_started(self, module: Any, inputs: Any) -> None:
        from torch import nn

        if is_a(module, nn.Embedding) and inputs and self._looks < _MAX_LOOKS:
            value = inputs[0]
            if is_tensor(value) and _are_integers(value) and is_readable(value):
                self._look_at_ids(value.detach())

    def _look_at_ids(self, value: Any) -> None:
        if int(value.min()) == -100:
            self.report(
                CERTAIN,
                "the input of an embedding has the token id -100, which only labels may have",
                fix="pad the input with the pad id, and the labels with -100",
            )
        if _has_texts(value):
            self._pass.add_ids(_to_lists(value))

    def on_backward_ended(self, tensors: Any) -> None:
        self._pass = _Pass()
        self.pause_until_module_calls("backward_ended")

    def on_loss(self, name: str, arguments: dict[str, Any], result: Any) -> None:
        if self._looks >= _MAX_LOOKS:
            self._pass = _Pass()
            self._batches.clear()
            for event in ("batch", "module_started", "backward_ended", "loss"):
                self.pause(event)
            return
        reduction = arguments.get("reduction", "mean")
        if name != "cross_entropy" or reduction == "none" or arguments.get("weight") is not None:
            return
        target: Any = arguments.get("target")
        if (
            (self._pass.ids is not None or _is_nan_mean(reduction, result))
            and is_tensor(target)
            and _are_integers(target)
            and is_readable(target)
            and is_readable(result)
            and self.audit.can_look()
        ):
            ignored = arguments.get("ignore_index", -100)
            self._look_at_loss(reduction, ignored, target.detach(), result.detach())

    def _look_at_loss(self, reduction: str, ignored: int, target: Any, result: Any) -> None:
        flat = target.reshape(-1).tolist()
        if _is_nan_mean(reduction, result) and flat and all(label == ignored for label in flat):
            self.report(
                CERTAIN,
                f"all {len(flat)} labels of a batch are {ignored}, the ignore_index: the loss is nan",
                fix="leave out samples whose answer was cut off",
                labels=len(flat),
            )
        ids = self._pass.ids
        if ids is not None and len(ids) > 1:
            self._looks += 1
            self._pass.are_compared = True
            self._look_at_labels(flat, ids, ignored)

    def _look_at_labels(self, flat: list[int], ids: list[list[int]], ignored: int) -> None:
        """Compare the labels of a batch with the token ids that the embedding got."""
        tokens, rows, width = ids, len(ids), len(ids[0])
        length = len(flat) // rows
        if length * rows != len(flat) or length not in (width, width - 1):
            return
        labels = [flat[row * length : (row + 1) * length] for row in range(rows)]
        # transformers moves the labels by one place, and fills the last place.
        if length == width and _are_tokens([row[:-1] for row in labels], [row[1:] for row in ids], ignored):
            labels, length = [row[:-1] for row in labels], width - 1
        if length == width - 1:
            ids = [row[1:] for row in ids]
        mask = next(
            (
                mask
                for known, masks in self._batches
                if tokens in known
                for mask in masks
                if len(mask) == rows and len(mask[0]) == width
            ),
            None,
        )
        if mask is not None:
            mask = [row[width - length :] for row in mask]
        if _are_tokens(labels, ids, ignored) and self._never_learns_ends(labels, ids, mask, ignored):
            self.report(
                LIKELY,
                f"the end token is ignored in the labels of all {rows} texts of a batch, "
                "because it has the same id as the padding: the model does not learn to stop",
                fix="mask the labels by length (attention_mask == 0), not by the pad id",
            )
        self._look_for_padding(labels, ids, mask, ignored)

    def _look_for_padding(
        self, labels: list[list[int]], ids: list[list[int]], mask: Any, ignored: int
    ) -> None:
        """Report labels of padding that the loss counts."""
        padding = [_padding(row, mask[i] if mask else None, ids) for i, row in enumerate(ids)]
        # The label is either the token itself or the next token.
        copied = sum(label == token for row, tokens in zip(labels, ids) for label, token in zip(row, tokens))
        shifted = sum(
            label == token for row, tokens in zip(labels, ids) for label, token in zip(row, tokens[1:])
        )
        counted = sum(
            row[i] != ignored and (row[i] == tokens[i])
            for row, tokens, positions in zip(labels, ids, padding)
            for i in positions
        )
        total = sum(label != ignored for row in labels for label in row)
        if max(copied, shifted) < 0.5 * max(total, 1) or len({len(positions) for positions in padding}) < 2:
            return
        if counted >= 3 and counted >= 0.02 * total:
            self.report(
                CERTAIN if mask is not None else LIKELY,
                f"{counted} of the {total} labels that cross_entropy counted are padding",
                counted=counted,
                labels=total,
            )

    def _never_learns_ends(
        self, labels: list[list[int]], ids: list[list[int]], mask: Any, ignored: int
    ) -> bool:
        """Whether the labels ignore the ends of the texts.

        In this batch, or, if the mask hides the pad token at all places, in each of several batches.
        """
        if mask is None or not _is_by_value(mask, ids):
            self._hidden_ends = self._hidden_ends if mask is None else None
            return _ends_ignored(labels, ids, mask, ignored)
        # If the mask hides only padding, few batches are exactly one token wider than their longest text.
        if self._hidden_ends is not None:
            hidden = _ends_ignored(labels, ids, None, ignored)
            self._hidden_ends = self._hidden_ends + 1 if hidden else None
        return self._hidden_ends is not None and self._hidden_ends >= _HIDDEN_BATCHES


def _likeness(ids: list[list[int]]) -> tuple[int, bool, bool, bool]:
    """How likely these are token ids: the largest tuple wins.

    Positions are one row, equal rows or in order. Segments have two values.
    """
    return (
        len(ids),
        any(row != ids[0] for row in ids),
        any(row != sorted(row) for row in ids),
        len({token for row in ids for token in row}) > 2,
    )


def _is_by_value(mask: list[list[int]], ids: list[list[int]]) -> bool:
    """Whether a mask hides one token at all places, and each row ends with this token."""
    pads = {row[-1] for row in ids}
    return len(pads) == 1 and all(
        bool(kept) == (token not in pads)
        for row, tokens in zip(mask, ids)
        for kept, token in zip(row, tokens)
    )


def _are_tokens(labels: list[list[int]], ids: list[list[int]], ignored: int) -> bool:
    """Whether each label that is not ignored is the token at its place."""
    return all(
        label in (token, ignored) for row, tokens in zip(labels, ids) for label, token in zip(row, tokens)
    )


def _ends_ignored(labels: list[list[int]], ids: list[list[int]], mask: Any, ignored: int) -> bool:
    """Whether every text ends with the pad token, whose label is ignored, and the label before it counts."""
    if mask is not None:
        ends = [max((i for i, kept in enumerate(row) if kept), default=0) for row in mask]
        pads = {token for row, tokens in zip(mask, ids) for kept, token in zip(row, tokens) if not kept}
    else:
        # A batch is as wide as its longest text. If that text ends with the pad token, all texts do.
        pads = {row[-1] for row in ids}
        ends = [len(row) - _run(row) for row in ids]
        if max(ends) != len(ids[0]) - 1 or min(ends) == max(ends):
            return False
        # If more than three rows all end with the same other token, that token is the end, and the model
        # learns it.
        if len(ids) > 3 and len({row[end - 1] for row, end in zip(ids, ends)}) == 1:
            return False
    learned = [
        (row, tokens, end) for row, tokens, end in zip(labels, ids, ends) if end and row[end - 1] != ignored
    ]
    return (
        len(pads) == 1
        and len(learned) > 1
        and all(tokens[end] in pads and row[end] == ignored for row, tokens, end in learned)
    )


def _run(row: list[int]) -> int:
    """How often the last token is repeated at the end of a row."""
    count = 1
    while count < len(row) and row[-count - 1] == row[-1]:
        count += 1
    return count


def _is_nan_mean(reduction: str, loss: Any) -> bool:
    """Whether a loss is the mean over no label, which is 0 up to torch 1.10. False if it cannot be read."""
    return reduction == "mean" and is_readable(loss) and math.isnan(loss.item())


def _has_texts(ids: Any) -> bool:
    """Whether ids may be those of several texts with more than two tokens."""
    return bool(ids.dim() == 2 and ids.shape[1] > 2)


def _are_integers(value: Any) -> bool:
    return not value.is_floating_point() and not value.is_complex() and 0 < value.numel() <= _MAX_TOKENS


def _to_lists(value: Any) -> list[list[int]]:
    return [[int(item) for item in row] for row in value.detach().tolist()]


def _is_mask(value: Any) -> bool:
    """Whether each row consists of ones and then zeros, or of zeros and then ones."""
    if not is_readable(value) or not 4 < value.numel() <= _MAX_TOKENS:
        return False
    rows = value.detach().tolist()
    return (
        all(set(row) <= {0, 1} and sum(a != b for a, b in zip(row, row[1:])) <= 1 for row in rows)
        and any(0 in row for row in rows)
        and all(1 in row for row in rows)
    )


def _padding(row: list[int], mask: list[int] | None, rows: list[list[int]]) -> list[int]:
    """The places of a row that are padding: by the mask, or without a mask a repeated token at the end."""
    if mask is not None:
        return [i for i, kept in enumerate(mask) if not kept]
    token = row[-1]
    start = len(row) - _run(row)
    # Padding is one token in many rows, and is only at their ends. Sequences of events also repeat their last
    # event, but it differs from row to row.
    ends = [other for other in rows if other[-2:] == [token, token]]
    if len(row) - start < 2 or len(ends) < max(2, _MIN_PADDED_SHARE * len(rows)) or token in row[:start]:
        return []
    # The first of these tokens may be the end of the text, which the model learns.
    return list(range(start + 1, len(row)))
