"""S13: view() in place of transpose(), and the best class over the wrong axis."""

import ast

from dpkb.lint.final_layers import has_one_column
from dpkb.lint.models import class_may_be_nn_module, looks_like_model
from dpkb.lint.nodes import find_argument, find_receiver, is_method_call, text_of
from dpkb.lint.source_file import Certainty, Findings, SourceFile

LOOKS_FOR = (
    "b, t, c = x.shape; x.view(b, c, t), which has the shape of a transpose and moves no axis; "
    "model(x).argmax(0) for batches; argmax(1) of one output."
)

_OVER_AXIS = ("argmax", "softmax", "log_softmax", "max")


def check(file: SourceFile) -> Findings:
    yield from _find_wrong_axes(file)
    for call in file.scopes.method_calls("view", "reshape"):
        receiver = find_receiver(call)
        tensor = text_of(find_receiver(receiver) if is_method_call(receiver, "contiguous") else receiver)
        only = call.args[0] if len(call.args) == 1 else None
        sizes = only.elts if isinstance(only, (ast.Tuple, ast.List)) else call.args
        order = _order_of_axes(file, call, tensor, sizes)
        if order != sorted(order):
            yield file.finding(
                "S13",
                call,
                Certainty.LIKELY,
                "gives the shape of a transpose, but the values stay in the old order: the axes are mixed",
                f"use `{tensor}.permute({', '.join(map(str, order))})`",
            )


def _find_wrong_axes(file: SourceFile) -> Findings:
    """argmax(), max() and softmax() of what a model returns, over the batch or over its only output."""
    for call in [call for name in _OVER_AXIS for call in file.scopes.calls_by_name.get(name, ())]:
        library = file.scopes.callee(call)
        values = call.args[:1] if library else [find_receiver(call)]
        if not values or values[0] is None or not (library or is_method_call(call)):
            continue
        axis = file.values.constant(find_argument(call, "dim", len(call.args[:1]) if library else 0))
        is_output = _is_run_of_model(file, values[0])
        if axis == 0 and is_output and _is_in_loop_over_loader(file, call):
            message, fix = "goes over the samples of the batch, not over the classes", "use dim=1"
        elif axis in (1, -1) and is_output and has_one_column(file, values[0], call):
            message = "goes over the only output of the model: the result is the same for each sample"
            fix = "compare the output with a threshold, or give the model two outputs"
        else:
            continue
        yield file.finding("S13", call, Certainty.LIKELY, message, fix)


def _is_run_of_model(file: SourceFile, node: ast.expr) -> bool:
    """Whether a value is what a model returns, outside of models: a layer may return more axes."""
    value = file.values.value_at(node) or node
    if not (isinstance(value, ast.Call) and looks_like_model(file, value.func)):
        return False
    owner = file.definitions.class_of(node)
    return owner is None or not class_may_be_nn_module(owner)


def _is_in_loop_over_loader(file: SourceFile, call: ast.Call) -> bool:
    loop = next(iter(file.tree.loops_around(call)), None)
    return isinstance(loop, ast.For) and "loader" in text_of(loop.iter).lower()


def _order_of_axes(file: SourceFile, call: ast.Call, tensor: str, sizes: list[ast.expr]) -> list[int]:
    """For each size, its axis in the shape of the tensor; [] unless the sizes are all of a shape as it is now."""
    order: list[int] = []
    line = file.tree.statement_of(call).lineno
    for size in sizes:
        binding = file.scopes.only_binding(size) if isinstance(size, ast.Name) else None
        if (
            binding is None
            or binding.value is None
            or binding.index is None
            or text_of(binding.value) not in (f"{tensor}.shape", f"{tensor}.size()")
            or any(
                isinstance(name.ctx, ast.Store) and binding.value.lineno < name.lineno < line
                for name in file.tree.named(tensor, file.tree.block_of(call))
            )
        ):
            return []
        order.append(binding.index)
    return order if len(set(order)) == len(order) == 1 + max(order, default=-1) else []
