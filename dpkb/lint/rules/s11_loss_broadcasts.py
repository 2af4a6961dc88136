"""S11: a prediction of shape (N, 1) and a target of shape (N,)."""

import ast

from dpkb.lint import library_names
from dpkb.lint.final_layers import certainty_of_loss, has_one_column
from dpkb.lint.loaders import loader_of
from dpkb.lint.nodes import as_constant, is_method_call, text_of
from dpkb.lint.source_file import Certainty, Findings, SourceFile

LOOKS_FOR = "mse_loss(model(x), y), where the model ends in Linear(n, 1) and y has one dimension."

_LOSSES = tuple(f"torch.nn.{name}" for name in ("MSELoss", "L1Loss", "SmoothL1Loss", "HuberLoss")) + tuple(
    f"torch.nn.functional.{name}" for name in ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss")
)
_FLATTENING = ("ravel", "flatten", "argmax")
_SAME_SHAPE = ("float", "to", "cuda", "cpu", "double", "long", "detach", "clone", "type", "astype")


def check(file: SourceFile) -> Findings:
    for call in file.tree.calls:
        certainty = certainty_of_loss(file, call, _LOSSES) if len(call.args) == 2 else None
        if certainty is None:
            continue
        columns = [_is_column(file, argument, call) for argument in call.args]
        if columns[0] != columns[1] and _is_flat(file, call.args[columns.index(False)]):
            yield file.finding(
                "S11",
                call,
                Certainty.LIKELY,
                "one argument has the shape (N, 1) and the other (N,): the loss compares each with all others",
                "squeeze(1) the prediction, or unsqueeze(1) the target",
            )


def _is_column(file: SourceFile, node: ast.expr, call: ast.Call) -> bool:
    """Whether a value has one column: the output of Linear(n, 1), q.gather(1, a.unsqueeze(1))."""
    value = file.values.value_at(node) or node
    if is_method_call(value, "gather") and len(value.args) == 2:
        return is_method_call(value.args[1], "unsqueeze")
    return has_one_column(file, node, call)


def _is_flat(file: SourceFile, node: ast.expr, max_depth: int = 6) -> bool:
    """Whether a value is seen to have one dimension."""
    value = file.values.value_at(node) or file.values.only_origin(node)
    if isinstance(value, ast.Name):
        return max_depth > 0 and _is_flat_in_batch(file, value, max_depth)
    if isinstance(value, ast.BinOp):
        return max_depth > 0 and any(
            _is_flat(file, side, max_depth - 1) for side in (value.left, value.right)
        )
    if isinstance(value, ast.Subscript):
        return (isinstance(value.slice, ast.Tuple) and isinstance(value.slice.elts[-1], ast.Constant)) or (
            is_method_call(value.value, "max", "min") and as_constant(value.slice) == 0
        )
    if isinstance(value, ast.Attribute):  # frame["price"].values
        return (
            value.attr in ("values", "array")
            and isinstance(value.value, ast.Subscript)
            and isinstance(as_constant(value.value.slice), str)
        )
    if not isinstance(value, ast.Call):
        return False
    if library_names.is_subclass(file.scopes.callee(value), library_names.TENSOR):
        return bool(value.args) and _is_flat(file, value.args[0], max_depth - 1)
    if is_method_call(value, *_SAME_SHAPE):
        return max_depth > 0 and _is_flat(file, value.func.value, max_depth - 1)
    return is_method_call(value, *_FLATTENING) or (
        is_method_call(value, "view", "reshape") and [text_of(item) for item in value.args] == ["-1"]
    )


def _is_flat_in_batch(file: SourceFile, name: ast.Name, max_depth: int) -> bool:
    """Whether `y` of each `for x, y in loader` has one dimension, by the tensors of a TensorDataset."""
    tensors = []
    for binding in file.scopes.bindings(name):
        targets = list(map(text_of, getattr(binding.node, "elts", [])))
        loader = loader_of(file, binding.value) if binding.is_item and name.id in targets else None
        for dataset in file.values.origins(loader.value("dataset")) if loader else [binding.node]:
            is_known = isinstance(dataset, ast.Call) and file.scopes.callee(dataset).endswith(
                ".TensorDataset"
            )
            tensors.append(dict(zip(targets, dataset.args, strict=False)).get(name.id) if is_known else None)  # type: ignore[attr-defined]
    return bool(tensors) and all(tensor and _is_flat(file, tensor, max_depth - 1) for tensor in tensors)
