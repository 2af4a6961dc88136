"""A1: a write into a tensor that backward() still needs."""

import ast
import itertools
from collections import Counter

from dpkb.lint import library_names
from dpkb.lint.edits import insert_after
from dpkb.lint.gradients import is_without_gradients
from dpkb.lint.models import find_nn_module_classes
from dpkb.lint.nodes import as_constant, find_argument, is_method_call, last_name, text_of
from dpkb.lint.source_file import Certainty, Edit, Findings, SourceFile, once_per_file

LOOKS_FOR = (
    "In a forward(): out = relu(x), then out += y; q, k = x.chunk(2), then q *= y. Also inplace=True on the "
    "layer after an activation."
)

# Operations that keep their result for backward().
_RESULT_KEEPING_FUNCTIONS = ("relu", "sigmoid", "tanh", "softmax", "exp", "sqrt", "log_softmax")
_RESULT_KEEPING_LAYERS = tuple(
    f"torch.nn.{name}" for name in ("ReLU", "Sigmoid", "Tanh", "Softmax", "LogSoftmax")
)
# Operations that return several views of one tensor. Autograd allows no write into such a view.
_SPLIT_METHODS = ("chunk", "split", "unbind", "tensor_split")
_OPERATORS: dict[type[ast.operator], str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}
_IN_PLACE_METHODS = ("add_", "mul_", "sub_", "div_", "clamp_", "masked_fill_", "relu_", "copy_", "fill_")


def check(file: SourceFile) -> Findings:
    for call in file.scopes.calls_of("torch.nn.Sequential"):
        yield from _find_in_sequential(file, call)
    for info in find_nn_module_classes(file):
        forward = info.methods.get("forward")
        for block in file.tree.branches_in(forward) if forward else ():
            if not block or is_without_gradients(file, block[0]):
                continue
            yield from _find_writes_to_views(file, block)
            yield from _find_writes_to_results(file, block)


def _find_in_sequential(file: SourceFile, sequential: ast.Call) -> Findings:
    """nn.ReLU(), nn.Dropout(inplace=True): the second writes into the output that the first keeps."""
    for first, second in itertools.pairwise(sequential.args):
        if not (isinstance(first, ast.Call) and isinstance(second, ast.Call)):
            continue
        callee = file.scopes.callee(second)
        in_place = find_argument(second, "inplace", 1 if "Leaky" in callee or "Dropout" in callee else 0)
        keeps_result = file.scopes.callee(first) in _RESULT_KEEPING_LAYERS and callee.startswith("torch.nn.")
        if keeps_result and as_constant(in_place) is True:
            yield file.finding(
                "A1",
                second,
                Certainty.CERTAIN,
                f"writes into the output of `{text_of(first)}`, which backward() still needs",
                "leave out inplace=True here",
            )


def _find_writes_to_views(file: SourceFile, block: list[ast.stmt]) -> Findings:
    """q, k = x.chunk(2), then q *= y."""
    views: dict[str, ast.expr] = {}
    for statement in block:
        target = _name_written_to(statement)
        if target in views:
            yield file.finding(
                "A1",
                statement,
                Certainty.CERTAIN,
                f"writes into `{target}`, one of the views that `{text_of(views[target])}` returned",
                _advice(statement, target),
            )
        assigned = file.tree.assigned_in(statement)
        views = {name: value for name, value in views.items() if name not in assigned}
        if (
            isinstance(statement, ast.Assign)
            and isinstance(statement.targets[0], ast.Tuple)
            and _is_split_output(file, statement.value)
        ):
            views |= {
                item.id: statement.value for item in statement.targets[0].elts if isinstance(item, ast.Name)
            }


def _find_writes_to_results(file: SourceFile, block: list[ast.stmt]) -> Findings:
    """out = relu(x), then out += y."""
    results: dict[str, ast.Call] = {}
    for number, statement in enumerate(block):
        target = _name_written_to(statement)
        if target in results:
            result = results[target]
            yield file.finding(
                "A1",
                statement,
                Certainty.CERTAIN if _is_computed_from_weights(file, result) else Certainty.LIKELY,
                f"writes into `{target}`, the result of `{text_of(result)}`, which backward() still needs",
                _advice(statement, target),
                [_copy_result(file, result)],
                # Nothing looks at the result before the write.
                safe=bool(file.scopes.callee(result) or _layer_of_torch(file, result.func))
                and getattr(block[number - 1], "value", None) is result
                and not file.tree.within(statement, ast.Call),
            )
        for name in file.tree.assigned_in(statement):
            results.pop(name, None)
        if (
            isinstance(statement, ast.Assign)
            and len(statement.targets) == 1
            and isinstance(statement.targets[0], ast.Name)
            and isinstance(statement.value, ast.Call)
            and _keeps_result(file, statement.value)
        ):
            results[statement.targets[0].id] = statement.value


def _is_computed_from_weights(file: SourceFile, value: ast.expr) -> bool:
    """Whether a value comes from a layer with weights, and so has a gradient; data may have none."""
    waiting, seen = [value], {value}
    while waiting:
        for node in ast.walk(waiting.pop()):
            if not isinstance(node, (ast.Name, ast.Attribute)) or node not in file.tree.parents:
                continue
            if isinstance(node, ast.Attribute) and node.attr in ("detach", "data"):
                return False
            if any(kind in library_names.LAYERS_WITH_WEIGHTS for kind in file.values.types(node)):
                return True
            new = [origin for origin in file.values.origins(node) if origin not in seen]
            waiting += new
            seen.update(new)
    return False


def _advice(statement: ast.stmt, name: str) -> str:
    """What to write in place of a statement that writes into this name."""
    if isinstance(statement, ast.AugAssign):
        return f"create a new tensor: `{name} = {name} {_OPERATORS[type(statement.op)]} ...`"
    method = (
        last_name(statement.value.func)
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)
        else ""
    )
    if method in ("", "copy_", "fill_"):  # nothing has the same name and returns a new tensor
        return f"write into a copy: `{name} = {name}.clone()` before this line"
    return f"create a new tensor: `{name} = {name}.{method.removesuffix('_')}(...)`"


def _copy_result(file: SourceFile, result: ast.Call) -> Edit | None:
    """The edit to `relu(x).clone()`, into which the program may write; None if the result may be x itself.

    Not `out = out + y`: that may have another type than `out`, and other names keep the old tensor.
    """
    layers = [origin for origin in file.values.origins(result.func) if isinstance(origin, ast.Call)]
    is_new = _has_no_output_argument(result, 1) and (
        all(_has_no_output_argument(call, 0) for call in layers)
        # No other name has what a Linear or Conv layer returns.
        or (
            len(result.args) == 1
            and isinstance(inner := result.args[0], ast.Call)
            and _layer_of_torch(file, inner.func).startswith(("torch.nn.Linear", "torch.nn.Conv"))
        )
    )
    return insert_after(result, ".clone()") if is_new else None


def _has_no_output_argument(call: ast.Call, start: int) -> bool:
    """Whether a call, or the creation of a layer, can have neither inplace=True nor out=tensor."""
    options = [
        *([] if "softmax" in text_of(call.func).lower() else call.args[start:]),  # its dim
        *(item.value for item in call.keywords if item.arg not in ("input", "dim", "dtype")),
    ]
    return all(as_constant(option) is False for option in options)


def _layer_of_torch(file: SourceFile, node: ast.expr) -> str:
    """The class of the layer in an attribute that the file sets once; "" if it may be anything else."""
    origins = file.values.origins(node)
    # Not `nn.ReLU() if act is None else act`.
    is_known = _attribute_stores(file)[last_name(node)] == len(origins) == 1 and isinstance(
        file.tree.parents.get(origins[0]), (ast.Assign, ast.Tuple)
    )
    return file.scopes.callee(origins[0]) if is_known and isinstance(origins[0], ast.Call) else ""


@once_per_file
def _attribute_stores(file: SourceFile) -> Counter[str]:
    return Counter(node.attr for node in file.tree.nodes(ast.Attribute) if isinstance(node.ctx, ast.Store))


def _is_split_output(file: SourceFile, value: ast.expr) -> bool:
    """Whether a value is the split output of a layer: x.chunk(3, -1), where x = self.layer(...)."""
    if not is_method_call(value):
        return False
    callee = file.scopes.callee(value)
    if value.func.attr not in _SPLIT_METHODS or (callee and not callee.startswith("torch.")):
        return False
    whole = find_argument(value, "input", 0) if callee else value.func.value
    return any(
        isinstance(origin, ast.Call)
        and (
            file.values.is_a(origin.func, library_names.NN_MODULE) or text_of(origin.func).startswith("self.")
        )
        for origin in file.values.origins(whole)
    )


def _keeps_result(file: SourceFile, value: ast.Call) -> bool:
    callee = file.scopes.callee(value)
    if callee:
        return callee.startswith("torch.") and callee.rpartition(".")[2] in _RESULT_KEEPING_FUNCTIONS
    kinds = file.values.types(value.func)
    if kinds:
        return all(kind in _RESULT_KEEPING_LAYERS for kind in kinds)
    # x.relu(), but not self.relu(x): a layer or a method whose class is not known.
    return is_method_call(value, *_RESULT_KEEPING_FUNCTIONS) and not (
        isinstance(value.func.value, ast.Name) and value.func.value.id == "self"
    )


def _name_written_to(statement: ast.stmt) -> str:
    """The name that a statement writes into: x += y, x[...] = y, x.add_(y)."""
    target: ast.expr
    if isinstance(statement, ast.AugAssign) and type(statement.op) in _OPERATORS:
        target = statement.target
    elif isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Subscript):
        target = statement.targets[0].value
    elif isinstance(statement, ast.Expr) and is_method_call(statement.value, *_IN_PLACE_METHODS):
        target = statement.value.func.value
    else:
        return ""
    return target.id if isinstance(target, ast.Name) else ""
