"""Why a loss is not finite, as far as the graph and the weights say. Used by O30, O34, O35 and P2."""

from __future__ import annotations

import math

from dpkb_audit.check import Check
from dpkb_audit.checks._optimizers import parameters_of
from dpkb_audit.digest import is_readable, is_tensor
from dpkb_audit.records import LossCause

MYPY = False
if MYPY:
    from collections.abc import Iterator
    from typing import Any

    from dpkb_audit.audit import Audit

# The nodes of a graph that are read.
_MOST_NODES = 2000
# The weights that are looked at.
_MOST_PARAMETERS = 300
# A tensor with more elements is not read.
_MOST_ELEMENTS = 1 << 20
# A loss of more than so many times the first ones has grown.
_GROWN_RATIO = 100
# A weight above this has grown.
_GROWN_WEIGHT = 1e10


class CauseCheck(Check):
    """Reports one cause of losses that are not finite, as soon as the program has trained on one."""

    # The cause that it reports: "data", "formula", "growth" or "float16".
    cause = ""
    _found: LossCause | None = None
    _passes = 0

    def __init__(self, audit: Audit) -> None:
        super().__init__(audit)
        self.pause("step_ended")

    def on_loss_not_finite(self, tensors: Any) -> None:
        self._passes += 1
        if self._passes == 1:
            self._found = find_cause(self.audit, tensors[0])
            self.resume("step_ended")
        elif self._passes == 2:
            self._report_found()

    def on_step_ended(self, optimizer: Any) -> None:
        # A step that a program or a GradScaler leaves out does no harm.
        if self._passes == 1 and self._found and not all_finite(self.audit):
            self._report_found()

    def _report_found(self) -> None:
        if self._found and self._found.kind == self.cause:
            self.report_cause(self._found.seen)
        self._found = None

    def report_cause(self, seen: str) -> None:
        """Report it. seen: a clause that says what was seen."""
        raise NotImplementedError


def find_cause(audit: Audit, loss: Any) -> LossCause | None:
    """The cause, if it is found. Looked for once in a program."""
    training = audit.training
    if not training.is_loss_cause_sought:
        training.is_loss_cause_sought = True
        training.loss_cause = _find_cause(audit, loss)
    return training.loss_cause


def _find_cause(audit: Audit, loss: Any) -> LossCause | None:
    import torch

    with torch.no_grad():
        sound = all_finite(audit)
        grown = has_grown(audit)
        seen = [] if audit.training.is_checkpointed else list(_saved_tensors(loss))
        bad, dropped = _look_at_batch(audit)
        if bad and sound:
            return LossCause("data", bad)
        half = [tensor for _, _, tensor in seen if tensor.dtype == torch.float16]
        if any(not bool(torch.isfinite(tensor).all()) for tensor in half) and sound:
            return LossCause("float16", "the weights are finite, and a float16 tensor of the forward pass is "
                                        "not")
        if half or any(p.dtype == torch.float16 for p in _parameters(audit)):
            return None
        if grown:
            return LossCause("growth", grown)
        if not sound:
            before = audit.training.last_losses
            return LossCause(
                "formula", f"the loss was {before[-1]:.3g}, and the step after it made the weights nan: a "
                           "derivative was infinite") if before else None
        found = None
        for node, name, tensor in seen:
            if (not tensor.requires_grad and tensor.grad_fn is None and name in _GIVEN
                    and tensor.numel() in dropped and bool(torch.isnan(tensor).any())):
                return LossCause(
                    "data", f"{int(torch.isnan(tensor).sum())} values of a tensor of shape "
                            f"{tuple(tensor.shape)} that was made from the batch are nan")
            found = found or _undefined_input(node, name, tensor)
        return LossCause("formula", found) if found else None


# What operations keep of a tensor that they are given.
_GIVEN = ("_saved_self", "_saved_other", "_saved_mat1", "_saved_input", "_saved_target", "_saved_batch1",
          "_saved_tensor1", "_saved_tensor2")


_RESULTS = ("ExpBackward", "ReciprocalBackward", "RsqrtBackward", "SqrtBackward")


def _look_at_batch(audit: Audit) -> tuple[str, set[int]]:
    """What is bad in the batch that a loader gave last, and how large those of its tensors are that are gone.

    A program that moves or casts a batch drops the tensors in which a loader gave it.
    """
    import torch

    batch = audit.training.last_batch
    dropped: set[int] = set()
    if batch is None:
        return "", dropped
    for reference, size in batch.tensors:
        tensor = reference()
        if tensor is None:
            dropped.add(size)
        elif is_readable(tensor) and tensor.is_floating_point():
            values = tensor.detach()
            bad = ~torch.isfinite(values)
            # An attention mask is -inf in places, and 0 everywhere else.
            if not bool(values[~bad].any()):
                bad &= values != -math.inf
            if bool(bad.any()):
                rows = int(bad.reshape(len(bad), -1).any(1).sum()) if bad.dim() else 1
                return (f"{int(bad.sum())} values in {rows} of {len(bad) if bad.dim() else 1} samples of "
                        f"batch {batch.number} are nan or inf"), dropped
    return "", dropped


def _undefined_input(node: str, name: str, tensor: Any) -> str | None:
    """What an operation was given that it has no finite value for."""
    import torch

    kind = node.rstrip("0123456789")
    if kind in ("LogBackward", "Log2Backward", "Log10Backward", "Log1PBackward") and name == "_saved_self":
        bad = int((tensor <= (-1 if kind == "Log1PBackward" else 0)).sum())
        return f"a logarithm was taken of {bad} values that are not positive" if bad else None
    if kind == "DivBackward" and name == "_saved_other":
        bad = int((tensor == 0).sum())
        return f"{bad} values were divided by 0" if bad else None
    if kind in _RESULTS and name == "_saved_result":
        bad = int((~torch.isfinite(tensor)).sum())
        return f"{kind[:-8].lower()} returned {bad} values that are not finite" if bad else None
    if kind in ("AcosBackward", "AsinBackward", "AtanhBackward") and name == "_saved_self":
        bad = int((tensor.abs() >= 1).sum())
        return f"{kind[:-8].lower()} was given {bad} values outside of (-1, 1)" if bad else None
    return None


def _saved_tensors(loss: Any) -> Iterator[tuple[str, str, Any]]:
    """Operation, name and value of each tensor that the graph of a loss keeps, from torch 1.9 on."""
    waiting: list[Any] = [loss.grad_fn]
    known: set[Any] = set()
    while waiting and len(known) < _MOST_NODES:
        node = waiting.pop()
        if node is None or node in known:
            continue
        known.add(node)
        waiting += [parent for parent, _ in node.next_functions]
        for name in dir(node):
            if name.startswith("_saved_"):
                try:
                    tensor = getattr(node, name)
                except Exception:
                    continue
                if (is_tensor(tensor) and is_readable(tensor) and tensor.is_floating_point()
                        and 0 < tensor.numel() <= _MOST_ELEMENTS):
                    yield type(node).__name__, name, tensor


def _parameters(audit: Audit) -> list[Any]:
    parameters = [p for optimizer in audit.training.optimizers
                  for p in parameters_of(optimizer)[:_MOST_PARAMETERS]]
    return [p for p in parameters[:_MOST_PARAMETERS] if is_readable(p) and 0 < p.numel() <= _MOST_ELEMENTS]


def all_finite(audit: Audit) -> bool:
    """Whether the weights that optimizers have are finite."""
    import torch

    with torch.no_grad():
        return all(bool(torch.isfinite(p).all()) for p in _parameters(audit))


def has_grown(audit: Audit) -> str:
    """What has grown until the loss was not finite; "" if nothing has."""
    first, last = audit.training.first_losses, audit.training.last_losses
    if first and last and abs(last[-1]) > max(_GROWN_RATIO * sorted(map(abs, first))[len(first) // 2], 10):
        return f"the loss grew from {first[0]:.3g} to {last[-1]:.3g}"
    largest = max((float(p.detach().abs().max()) for p in _parameters(audit)), default=0.0)
    return f"a weight grew to {largest:.3g}" if _GROWN_WEIGHT < largest < math.inf else ""
