"""S11: a loss whose input and target broadcast, so that each value is compared with those of all samples."""

from __future__ import annotations

import math
from typing import Any

from dpkb_audit.check import CERTAIN, LIKELY, Check
from dpkb_audit.sample_digests import leaves_of
from dpkb_audit.tensors import is_tensor

# The graph is read in at most this many backward passes.
_MAX_PASSES = 4
# At most this many nodes of a graph are read.
_MAX_NODES = 60
# Names of nodes that have one operand and keep its number of dimensions.
_VALUE_BY_VALUE = ("Gather", "Sigmoid", "Tanh", "Softplus", "Exp", "Clamp", "Hardtanh", "Mul", "Div", "Add")
_LOSSES = ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss")


class S11(Check):
    description = (
        "the shapes of input and target of the regression losses, and of a prediction minus a target"
    )
    fix = "give both the same shape, for example by prediction.squeeze(1)"

    def prepare(self) -> None:
        self._passes = 0
        # Name of the node and shape of each output of a module since the last backward pass.
        self._outputs: set[tuple[str, tuple[int, ...]]] = set()
        # The shapes of each prediction and of its difference from a target, in this backward pass.
        self._differences: list[tuple[tuple[int, ...], tuple[int, ...]]] = []

    def on_forward_ended(self, module: Any, inputs: Any, output: Any) -> None:
        for _, value in leaves_of(output):
            node = value.grad_fn if is_tensor(value) else None
            if node is not None and len(self._outputs) < 20:
                self._outputs.add((node.name(), tuple(value.shape)))

    def on_backward_started(self, tensors: Any) -> None:
        """Find prediction - target with the shapes (N, 1) and (N,) in a loss that is computed by hand."""
        outputs, self._outputs = self._outputs, set()
        self.pause_until_module_calls("backward_started")
        root = getattr(tensors[0], "grad_fn", None) if tensors and outputs else None
        if root is None or self._passes >= _MAX_PASSES or not self.audit.can_look():
            return
        self._passes += 1
        nodes: list[Any] = [root]
        seen: set[Any] = set()
        while nodes and len(seen) < _MAX_NODES:
            node = nodes.pop(0)
            if node in seen:
                continue
            seen.add(node)
            operands = _operands(node)
            # Before exp(-(x - y) ** 2), a kernel, the distances between all pairs are intended.
            if not node.name().startswith("ExpBackward"):
                nodes += operands
            if node.name().startswith(("SubBackward", "RsubBackward")) and len(operands) == 1:
                self._follow_difference(node, operands[0], outputs)

    def _follow_difference(self, node: Any, operand: Any, outputs: set[tuple[str, tuple[int, ...]]]) -> None:
        """Keep the shapes of a prediction and of its difference from a target during the backward pass.

        In old versions of torch only the gradients have the shapes of a graph.
        """
        names, is_gathered = _sources(operand)
        shapes = [shape for name, shape in outputs if name in names]

        def keep_shapes(gradients: Any, of_result: Any) -> None:
            for shape in [tuple(gradient.shape) for gradient in gradients if gradient is not None]:
                is_output = shape in shapes or (
                    is_gathered
                    and any(len(shape) == len(other) and shape[:1] == other[:1] for other in shapes)
                )
                if is_output and of_result[0] is not None:
                    self._differences.append((shape, tuple(of_result[0].shape)))

        if shapes:
            node.register_hook(keep_shapes)

    def on_backward_ended(self, tensors: Any) -> None:
        differences, self._differences = self._differences, []
        self.pause_until_module_calls("backward_ended")
        for prediction, difference in differences:
            self._compare(prediction, difference)

    def _compare(self, prediction: tuple[int, ...], difference: tuple[int, ...]) -> None:
        # Pairs on purpose need a new dimension, which is a separate node between this node and the model.
        if (
            prediction
            and prediction[0] > 2
            and difference in [_broadcast(prediction, target) for target in _misaligned(prediction)]
        ):
            pairs, values = math.prod(difference), math.prod(prediction)
            self.report(
                LIKELY,
                f"the loss has a difference of shape {difference} from a prediction of shape "
                f"{prediction}: it compares {pairs} pairs of values, not {values}",
                input=list(prediction),
                pairs=pairs,
            )

    def on_loss(self, name: str, arguments: dict[str, Any], result: Any) -> None:
        if name not in _LOSSES:
            return
        first, second = arguments["input"], arguments["target"]
        # A report needs sizes that are equal (except for dimensions of size 1) but not aligned. Pairs on
        # purpose have equally many dimensions: (N, 1) and (1, N). With a single target for all samples, such
        # as (1,), only the target is expanded.
        if first.dim() == second.dim() or _sizes(first) != _sizes(second):
            return
        values = math.prod(_broadcast(tuple(first.shape), tuple(second.shape)))
        if values > first.numel():
            self.report(
                CERTAIN,
                f"{name} got an input of shape {tuple(first.shape)} and a target of shape "
                f"{tuple(second.shape)}: it compares {values} pairs of values, not {first.numel()}",
                input=list(first.shape),
                target=list(second.shape),
                pairs=values,
            )


def _operands(node: Any) -> list[Any]:
    return [operand for operand, _ in node.next_functions if operand is not None]


def _sources(node: Any) -> tuple[set[str], bool]:
    """The names of a node and of the nodes before it with the same dimensions; whether values were picked.

    Values are picked from these nodes as in q.gather(1, actions).
    """
    names = [node.name()]
    while len(names) < 4 and len(_operands(node)) == 1 and node.name().startswith(_VALUE_BY_VALUE):
        node = _operands(node)[0]
        names.append(node.name())
    return set(names), any(name.startswith("Gather") for name in names)


def _misaligned(shape: tuple[int, ...]) -> list[tuple[int, ...]]:
    """The shapes of targets that have one dimension of size 1 less than the predictions, or one more."""
    shapes = [shape[:i] + shape[i + 1 :] for i in range(1, len(shape)) if shape[i] == 1]
    # With (N, C) and (N, 1, C), pairs are often intended: the distances between all points.
    return shapes if len(shape) == 2 else [*shapes, (*shape[:1], 1, *shape[1:])]


def _sizes(tensor: Any) -> list[int]:
    return [size for size in tensor.shape if size != 1]


def _broadcast(first: tuple[int, ...], second: tuple[int, ...]) -> tuple[int, ...]:
    length = max(len(first), len(second))
    ones = (1,) * length
    return tuple(max(pair) for pair in zip((ones + first)[-length:], (ones + second)[-length:]))
