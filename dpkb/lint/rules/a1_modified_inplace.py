"""A1: a write into a tensor that backward() still needs."""

import ast
import itertools
from collections.abc import Iterator

from dpkb.lint import library_names
from dpkb.lint.edits import replace, source_of
from dpkb.lint.finding import Certainty, Edit, Finding
from dpkb.lint.gradients import is_without_gradients
from dpkb.lint.models import find_nn_module_classes
from dpkb.lint.nodes import as_constant, find_argument, last_name, text_of
from dpkb.lint.source_file import SourceFile

LOOKS_FOR = (
    "In a forward(): out = relu(x), then out += y; q, k = x.chunk(2), then q *= y. Also inplace=True on the "
    "layer after an activation.")

# Operations that keep their result for backward().
_RESULT_KEEPING_FUNCTIONS = (
    "relu", "sigmoid", "tanh", "softmax", "exp", "sqrt", "log_softmax", "elu", "selu")
_RESULT_KEEPING_LAYERS = tuple(
    f"torch.nn.{name}" for name in ("ReLU", "Sigmoid", "Tanh", "Softmax", "LogSoftmax", "ReLU6", "SELU"))
# Operations that return several views of one tensor. Autograd allows no write into such a view.
_SPLIT_METHODS = ("chunk", "split", "unbind", "tensor_split")
_OPERATORS: dict[type[ast.operator], str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}
_IN_PLACE_METHODS = ("add_", "mul_", "sub_", "div_", "clamp_", "masked_fill_", "relu_", "copy_", "fill_")


def check(file: SourceFile) -> Iterator[Finding]:
    for call in file.scopes.calls_of("torch.nn.Sequential"):
        yield from _find_in_sequential(file, call)
    for info in find_nn_module_classes(file):
        forward = info.methods.get("forward")
        if forward is None or is_without_gradients(file, forward.body[0]):
            continue
        for node in (forward, *file.tree.within(forward, ast.If, ast.For, ast.With)):
            for name in ("body", "orelse"):
                yield from _find_writes_to_views(file, getattr(node, name, []))
                yield from _find_writes_to_results(file, getattr(node, name, []))


def _find_in_sequential(file: SourceFile, sequential: ast.Call) -> Iterator[Finding]:
    """nn.ReLU(), nn.Dropout(inplace=True): the second writes into the output that the first keeps."""
    for first, second in itertools.pairwise(sequential.args):
        if not (isinstance(first, ast.Call) and isinstance(second, ast.Call)):
            continue
        callee = file.scopes.callee(second)
        in_place = find_argument(second, "inplace", 1 if "Leaky" in callee or "Dropout" in callee else 0)
        keeps_result = file.scopes.callee(first) in _RESULT_KEEPING_LAYERS and callee.startswith("torch.nn.")
        if keeps_result and as_constant(in_place) is True:
            yield file.finding(
                "A1", second, Certainty.CERTAIN,
                f"writes into the output of `{text_of(first)}`, which backward() still needs",
                "leave out inplace=True here")


def _find_writes_to_views(file: SourceFile, block: list[ast.stmt]) -> Iterator[Finding]:
    """q, k = x.chunk(2), then q *= y."""
    views: dict[str, ast.expr] = {}
    for statement in block:
        target = _name_written_to(statement)
        if target in views:
            yield file.finding(
                "A1", statement, Certainty.CERTAIN,
                f"writes into `{target}`, one of the views that `{text_of(views[target])}` returned",
                _advice(statement, target))
        assigned = _assigned_names(file, statement)
        views = {name: value for name, value in views.items() if name not in assigned}
        if (isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Tuple)
                and _is_split_output(file, statement.value)):
            views |= {
                item.id: statement.value for item in statement.targets[0].elts if isinstance(item, ast.Name)}


def _find_writes_to_results(file: SourceFile, block: list[ast.stmt]) -> Iterator[Finding]:
    """out = relu(x), then out += y."""
    results: dict[str, ast.expr] = {}
    for statement in block:
        target = _name_written_to(statement)
        if target in results:
            yield file.finding(
                "A1", statement, Certainty.CERTAIN,
                f"writes into `{target}`, the result of `{text_of(results[target])}`, which backward() still "
                "needs",
                _advice(statement, target), [_new_tensor(file, statement)])
        for name in _assigned_names(file, statement):
            results.pop(name, None)
        if (isinstance(statement, ast.Assign) and len(statement.targets) == 1
                and isinstance(statement.targets[0], ast.Name) and _keeps_result(file, statement.value)):
            results[statement.targets[0].id] = statement.value


def _assigned_names(file: SourceFile, statement: ast.stmt) -> set[str]:
    return {node.id for node in file.tree.within(statement, ast.Name) if isinstance(node.ctx, ast.Store)}


def _advice(statement: ast.stmt, name: str) -> str:
    """What to write in place of a statement that writes into this name."""
    if isinstance(statement, ast.AugAssign):
        return f"create a new tensor: `{name} = {name} {_OPERATORS[type(statement.op)]} ...`"
    method = last_name(statement.value.func) if isinstance(statement, ast.Expr) and isinstance(
        statement.value, ast.Call) else ""
    if method in ("", "copy_", "fill_"):  # nothing has the same name and returns a new tensor
        return f"write into a copy: `{name} = {name}.clone()` before this line"
    return f"create a new tensor: `{name} = {name}.{method.removesuffix('_')}(...)`"


def _new_tensor(file: SourceFile, statement: ast.stmt) -> Edit | None:
    """The edit that writes `out = out + x` in place of `out += x`."""
    if not isinstance(statement, ast.AugAssign) or not isinstance(statement.op, (ast.Add, ast.Sub)):
        return None
    value, operator = source_of(file, statement.value), "+" if isinstance(statement.op, ast.Add) else "-"
    if isinstance(statement.op, ast.Sub) and isinstance(statement.value, ast.BinOp):
        value = f"({value})"
    if isinstance(statement.value, (ast.IfExp, ast.Lambda, ast.BoolOp, ast.Compare)) or "\n" in value:
        value = f"({value})"
    name = text_of(statement.target)
    return replace(statement, f"{name} = {name} {operator} {value}")


def _is_split_output(file: SourceFile, value: ast.expr) -> bool:
    """Whether a value is the split output of a layer: x.chunk(3, -1), where x = self.layer(...)."""
    if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Attribute):
        return False
    callee = file.scopes.callee(value)
    if value.func.attr not in _SPLIT_METHODS or (callee and not callee.startswith("torch.")):
        return False
    whole = find_argument(value, "input", 0) if callee else value.func.value
    return any(
        isinstance(origin, ast.Call) and (
            file.values.is_a(origin.func, library_names.NN_MODULE)
            or text_of(origin.func).startswith("self."))
        for origin in file.values.origins(whole))


def _keeps_result(file: SourceFile, value: ast.expr) -> bool:
    if not isinstance(value, ast.Call):
        return False
    callee = file.scopes.callee(value)
    if callee:
        return callee.startswith("torch.") and callee.rpartition(".")[2] in _RESULT_KEEPING_FUNCTIONS
    kinds = file.values.types(value.func)
    if kinds:
        return all(kind in _RESULT_KEEPING_LAYERS for kind in kinds)
    # x.relu(), but not self.relu(x): a layer or a method whose class is not known.
    return isinstance(value.func, ast.Attribute) and value.func.attr in _RESULT_KEEPING_FUNCTIONS and not (
        isinstance(value.func.value, ast.Name) and value.func.value.id == "self")


def _name_written_to(statement: ast.stmt) -> str:
    """The name that a statement writes into: x += y, x[...] = y, x.add_(y)."""
    if isinstance(statement, ast.AugAssign) and type(statement.op) in _OPERATORS:
        target = statement.target
        return target.id if isinstance(target, ast.Name) else ""
    if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Subscript):
        value = statement.targets[0].value
        return value.id if isinstance(value, ast.Name) else ""
    if (
        isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)
        and isinstance(statement.value.func, ast.Attribute)
        and statement.value.func.attr in _IN_PLACE_METHODS):
        owner = statement.value.func.value
        return owner.id if isinstance(owner, ast.Name) else ""
    return ""
