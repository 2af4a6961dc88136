"""O34: a formula that computes log(0) or overflows, though a stable form exists."""

import ast

from dpkb.lint.final_layers import certainty_of_loss, find_final_layer
from dpkb.lint.gradients import is_without_gradients
from dpkb.lint.nodes import as_constant, is_method_call, text_of
from dpkb.lint.source_file import Certainty, Findings, SourceFile

LOOKS_FOR = (
    "log(softmax(x)) and log(1 - sigmoid(x)), also with the output of a model; log(1 + exp(x)) and "
    "log(sum(exp(x)))."
)

_SQUARES = ("torch.nn.MSELoss", "torch.nn.functional.mse_loss")
_STABLE_FORMS = {
    "softmax": "`torch.log_softmax(x, dim)`",
    "sigmoid": "`torch.nn.functional.logsigmoid(x)`, or logsigmoid(-x) for log(1 - sigmoid(x))",
    "exp": "`torch.nn.functional.softplus(x)`",
    "sum": "`torch.logsumexp(x, dim)`",
}


def check(file: SourceFile) -> Findings:
    yield from _find_roots_of_losses(file)
    for call in file.tree.calls:
        value = _argument_of(file, call, "log")
        if value is None or any(_is_bounded(origin) for origin in file.values.origins(value)):
            continue
        for origin in file.values.origins(value):
            kind = _unstable_kind(file, origin) or _probability_kind(file, origin)
            if kind:
                yield file.finding(
                    "O34",
                    call,
                    Certainty.LIKELY,
                    f"`{text_of(call)}` is inf or nan where the {kind} is 0 or overflows"
                    if kind != "exp"
                    else f"`{text_of(call)}` overflows for large values",
                    f"use the stable form: {_STABLE_FORMS[kind]}",
                )
                break


def _find_roots_of_losses(file: SourceFile) -> Findings:
    """torch.sqrt(mse_loss(x, y)): the gradient of a root is infinite at 0."""
    for call in file.tree.calls:
        value = _argument_of(file, call, "sqrt")
        value = (file.values.value_at(value) or value) if value is not None else None
        if (
            isinstance(value, ast.Call)
            and certainty_of_loss(file, value, _SQUARES)
            and not is_without_gradients(file, call)
        ):
            yield file.finding(
                "O34",
                call,
                Certainty.LIKELY,
                f"the gradient of `{text_of(call)}` is infinite, and then nan, where the loss is 0",
                "add a small number below the root: `torch.sqrt(loss + 1e-8)`",
            )


def _argument_of(file: SourceFile, node: ast.expr, name: str) -> ast.expr | None:
    """The argument of a call of the function of this name: x in `torch.log(x)` or `x.log()`."""
    if not isinstance(node, ast.Call):
        return None
    callee = file.scopes.callee(node)
    if callee in (f"torch.{name}", f"torch.nn.functional.{name}", f"torch.special.{name}"):
        return node.args[0] if node.args else None
    if (
        not callee
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == name
        and (not isinstance(node.func.value, ast.Name) or node.func.value.id not in file.scopes.imports)
    ):
        return node.func.value
    return None


def _is_bounded(node: ast.expr) -> bool:
    """Whether a value has a limit, as in `x.clamp(min=eps)`."""
    return is_method_call(node) and any(word in node.func.attr for word in ("clamp", "clip", "maximum"))


def _unstable_kind(file: SourceFile, node: ast.expr) -> str:
    for name in ("softmax", "sigmoid"):
        if _argument_of(file, node, name) is not None and not _is_plain_self(node):
            return name
    if isinstance(node, ast.Call) and any(
        kind in ("torch.nn.Softmax", "torch.nn.Sigmoid") for kind in file.values.types(node.func)
    ):
        return "softmax" if "torch.nn.Softmax" in file.values.types(node.func) else "sigmoid"
    inner = _argument_of(file, node, "sum")
    if (
        inner is not None
        and _is_exponential(file, inner)
        and not any(isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub) for node in ast.walk(inner))
    ):
        return "sum"
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        for one, other in ((node.left, node.right), (node.right, node.left)):
            if as_constant(one) in (1, 1.0) and _is_exponential(file, other):
                return "exp"
    return ""


def _probability_kind(file: SourceFile, node: ast.expr, max_depth: int = 3) -> str:
    """The kind of a probability that a function or model returns, of its items, of 1 - p and of products."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub) and as_constant(node.left) in (1, 1.0):
        return _probability_kind(file, node.right, max_depth)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        left = _probability_kind(file, node.left, max_depth)
        return left and _probability_kind(file, node.right, max_depth)
    for kind in ("softmax", "sigmoid"):
        if not _is_plain_self(node, kind) and find_final_layer(file, node, kind) is not None:
            return kind
    for origin in file.values.origins(node) if max_depth else []:
        if is_method_call(origin, "gather", "index_select") and not file.scopes.callee(origin):
            return _probability_kind(file, origin.func.value, max_depth - 1)
        if isinstance(origin, ast.Subscript) and isinstance(origin.value, ast.Name):
            return _probability_kind(file, origin.value, max_depth - 1)
        if isinstance(origin, ast.BinOp) and origin is not node:
            return _probability_kind(file, origin, max_depth - 1)
    return ""


def _is_exponential(file: SourceFile, node: ast.expr) -> bool:
    """Whether a value is exp(x), but not exp(x - max) or exp(-x.abs())."""
    value = _argument_of(file, node, "exp")
    return value is not None and not any(
        word in text_of(item).lower()
        for item in [value, *file.values.origins(value)]
        for word in ("max", "abs", "clamp", "stable")
    )


def _is_plain_self(node: ast.expr, name: str = "") -> bool:
    """Whether a value is `self.softmax(x)`, a call of a method or layer whose name ends like this."""
    return (
        is_method_call(node)
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id == "self"
        and node.func.attr.endswith(name)
    )
