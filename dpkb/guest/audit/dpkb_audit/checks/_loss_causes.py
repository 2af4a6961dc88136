"""Why a loss is not finite, as far as the graph and the weights show it; used by O30, O34, O35 and P2."""

from __future__ import annotations

import math

from dpkb_audit.check import Check, torch_release
from dpkb_audit.checks._optimizers import parameters_of
from dpkb_audit.tensors import is_readable, is_tensor

MYPY = False
if MYPY:
    from collections.abc import Iterator
    from typing import Any

    from dpkb_audit.audit import Audit

# At most this many nodes of a graph are read.
_MAX_NODES = 2000
# At most this many weights are read.
_MAX_PARAMETERS = 300
# A tensor is read if it has at most this many elements.
_MAX_ELEMENTS = 1 << 20
# A loss has grown if it is more than this many times the median of the first losses.
_GROWN_RATIO = 100
# A weight above this has grown.
_GROWN_WEIGHT = 1e10
_UNKNOWN = "", ""


class CauseCheck(Check):
    """Reports one cause of losses that are not finite, as soon as the program has trained on such a loss."""

    # The kind of cause that a subclass reports: "data", "formula", "growth" or "float16".
    cause_kind = ""
    _cause = _UNKNOWN
    _passes = 0

    def prepare(self) -> None:
        self.pause("step_ended")

    def on_loss_not_finite(self, tensors: Any) -> None:
        self._passes += 1
        if self._passes == 1:
            self._cause = find_cause(self.audit, tensors[0])
            self.resume("step_ended")
        elif self._passes == 2:
            self._report_known_cause()

    def on_step_ended(self, optimizer: Any) -> None:
        # If the program or a GradScaler skips the step, the weights stay finite.
        if self._passes == 1 and self._cause != _UNKNOWN and not are_weights_finite(self.audit):
            self._report_known_cause()

    def _report_known_cause(self) -> None:
        kind, clause = self._cause
        if kind == self.cause_kind:
            self.report_cause(clause)
        self._cause = _UNKNOWN

    def report_cause(self, clause: str) -> None:
        """Report the cause that a clause describes."""
        raise NotImplementedError


def find_cause(audit: Audit, loss: Any) -> tuple[str, str]:
    """Kind and clause of the cause. It is searched for once in a program."""
    if audit.training.loss_cause is None:
        audit.training.loss_cause = _find_cause(audit, loss) or _UNKNOWN
    return audit.training.loss_cause


def _find_cause(audit: Audit, loss: Any) -> tuple[str, str] | None:
    import torch

    with torch.no_grad():
        are_finite = are_weights_finite(audit)
        saved = [] if audit.training.is_checkpointed else list(_saved_tensors(loss))
        if torch_release() < (1, 9):
            audit.journal.write("left_out", area="O34: the operands of a loss, before torch 1.9")
        bad_batch, dropped_sizes = _look_at_batch(audit)
        if bad_batch and are_finite:
            return ("data", bad_batch)
        half = [tensor for _, _, tensor in saved if tensor.dtype == torch.float16]
        if are_finite and any(not bool(torch.isfinite(tensor).all()) for tensor in half):
            return ("float16", "the weights are finite, and a float16 tensor of the forward pass is not")
        if half or any(p.dtype == torch.float16 for p in _parameters(audit)):
            return None
        growth = describe_growth(audit)
        if growth:
            return ("growth", growth)
        return _cause_in_graph(saved, dropped_sizes) if are_finite else _cause_of_bad_weights(audit)


def _cause_of_bad_weights(audit: Audit) -> tuple[str, str] | None:
    losses = audit.training.last_losses
    return (
        (
            "formula",
            f"the loss was {losses[-1]:.3g}, and the step after it made the weights nan: a "
            "derivative was infinite",
        )
        if losses
        else None
    )


def _cause_in_graph(saved: list[tuple[str, str, Any]], dropped_sizes: set[int]) -> tuple[str, str] | None:
    """The first operation of a graph that has no finite value for one of its inputs.

    nan in a tensor without a graph comes from the data if the tensor has the size of a freed tensor of the
    batch.
    """
    import torch

    formula = None
    for node, name, tensor in saved:
        if (
            not tensor.requires_grad
            and tensor.grad_fn is None
            and name in _INPUT_ATTRIBUTES
            and tensor.numel() in dropped_sizes
            and bool(torch.isnan(tensor).any())
        ):
            return (
                "data",
                f"{int(torch.isnan(tensor).sum())} values of a tensor of shape "
                f"{tuple(tensor.shape)} that was made from the batch are nan",
            )
        formula = formula or _undefined_input(node, name, tensor)
    return ("formula", formula) if formula else None


# Attributes of a node that have one of its inputs.
_INPUT_ATTRIBUTES = (
    "_saved_self",
    "_saved_other",
    "_saved_mat1",
    "_saved_input",
    "_saved_target",
    "_saved_batch1",
    "_saved_tensor1",
    "_saved_tensor2",
)


# Operations whose result is infinite, or has an infinite derivative, for some inputs.
_SINGULAR_OPERATIONS = ("ExpBackward", "ReciprocalBackward", "RsqrtBackward", "SqrtBackward")


def _look_at_batch(audit: Audit) -> tuple[str, set[int]]:
    """A clause about nan and inf in the last batch, and the sizes of those of its tensors that were freed.

    A program that moves or casts a batch drops the tensors that the loader returned.
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
            # An attention mask has -inf and 0 only.
            if not bool(values[~bad].any()):
                bad &= values != -math.inf
            if bool(bad.any()):
                rows = int(bad.reshape(len(bad), -1).any(1).sum()) if bad.dim() else 1
                return (
                    f"{int(bad.sum())} values in {rows} of {len(bad) if bad.dim() else 1} samples of "
                    f"batch {batch.number} are nan or inf"
                ), dropped
    return "", dropped


def _undefined_input(node: str, name: str, tensor: Any) -> str | None:
    """A clause about the inputs of an operation for which it has no finite value; None if there are none."""
    import torch

    kind = node.rstrip("0123456789")
    if kind in ("LogBackward", "Log2Backward", "Log10Backward", "Log1PBackward") and name == "_saved_self":
        count = int((tensor <= (-1 if kind == "Log1PBackward" else 0)).sum())
        return f"a logarithm was taken of {count} values that are not positive" if count else None
    if kind == "DivBackward" and name == "_saved_other":
        count = int((tensor == 0).sum())
        return f"{count} values were divided by 0" if count else None
    if kind in _SINGULAR_OPERATIONS and name == "_saved_result":
        count = int((~torch.isfinite(tensor)).sum())
        return f"{kind[:-8].lower()} returned {count} values that are not finite" if count else None
    if kind in ("AcosBackward", "AsinBackward", "AtanhBackward") and name == "_saved_self":
        count = int((tensor.abs() >= 1).sum())
        return f"{kind[:-8].lower()} was given {count} values outside of (-1, 1)" if count else None
    return None


def _saved_tensors(loss: Any) -> Iterator[tuple[str, str, Any]]:
    """Operation, name and value of each tensor that the graph of a loss keeps. Empty before torch 1.9."""
    waiting: list[Any] = [loss.grad_fn]
    visited: set[Any] = set()
    while waiting and len(visited) < _MAX_NODES:
        node = waiting.pop()
        if node is None or node in visited:
            continue
        visited.add(node)
        waiting += [parent for parent, _ in node.next_functions]
        for name in dir(node):
            if name.startswith("_saved_"):
                try:
                    tensor = getattr(node, name)
                except Exception:
                    continue
                if (
                    is_tensor(tensor)
                    and is_readable(tensor)
                    and tensor.is_floating_point()
                    and 0 < tensor.numel() <= _MAX_ELEMENTS
                ):
                    yield type(node).__name__, name, tensor


def _parameters(audit: Audit) -> list[Any]:
    parameters = [
        p for optimizer in audit.training.optimizers for p in parameters_of(optimizer)[:_MAX_PARAMETERS]
    ]
    return [p for p in parameters[:_MAX_PARAMETERS] if is_readable(p) and 0 < p.numel() <= _MAX_ELEMENTS]


def are_weights_finite(audit: Audit) -> bool:
    """Whether the weights of all optimizers are finite."""
    import torch

    with torch.no_grad():
        return all(bool(torch.isfinite(p).all()) for p in _parameters(audit))


def describe_growth(audit: Audit) -> str:
    """A clause that says what grew before the loss was not finite; "" if nothing did."""
    first, last = audit.training.first_losses, audit.training.last_losses
    if first and last and abs(last[-1]) > max(_GROWN_RATIO * sorted(map(abs, first))[len(first) // 2], 10):
        return f"the loss grew from {first[0]:.3g} to {last[-1]:.3g}"
    largest = max((float(p.detach().abs().max()) for p in _parameters(audit)), default=0.0)
    return f"a weight grew to {largest:.3g}" if _GROWN_WEIGHT < largest < math.inf else ""
