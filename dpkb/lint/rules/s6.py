"""S6: a layer or a batch that stays on the CPU."""

import ast
from collections.abc import Iterator

from dpkb.lint import library_names
from dpkb.lint.finding import Certainty, Finding
from dpkb.lint.module import Module
from dpkb.lint.nodes import receiver, text_of

LOOKS_FOR = "model.head = nn.Linear(...) after model.to(device), and no second move."

_MOVE_METHODS = ("to", "cuda")


def check(module: Module) -> Iterator[Finding]:
    for call in module.method_calls(*_MOVE_METHODS):
        model = receiver(call)
        if not isinstance(model, (ast.Name, ast.Attribute)) or not module.is_a(model, library_names.MODULE):
            continue
        if call.func.attr == "to" and not call.args and not call.keywords:  # type: ignore[attr-defined]
            continue
        _, following = module.around(module.statement_of(call))
        name, replaced = text_of(model), None
        for later in following:
            if replaced is not None and _moves_again(module, later, name):
                replaced = None
            if (
                isinstance(later, ast.Assign) and isinstance(later.targets[0], ast.Attribute)
                and text_of(later.targets[0].value) == name and isinstance(later.value, ast.Call)
                and module.callee(later.value).startswith("torch.nn.")
                and module.is_a(later.value, library_names.MODULE)):
                replaced = later
        if replaced is not None and not _is_moved_elsewhere(module, call, name):
            yield module.finding(
                "S6", replaced, Certainty.LIKELY,
                f"`{text_of(replaced.targets[0])}` is created on the CPU, after `{text_of(call)}`",
                f"call `{text_of(call)}` after the last change of `{name}`")


def _moves_again(module: Module, statement: ast.stmt, name: str) -> bool:
    return any(
        isinstance(call.func, ast.Attribute) and call.func.attr in _MOVE_METHODS
        and text_of(receiver(call)).startswith(name) for call in module.within(statement, ast.Call)) or any(
        name in [text_of(item) for item in call.args] for call in module.within(statement, ast.Call))


def _is_moved_elsewhere(module: Module, call: ast.Call, name: str) -> bool:
    """Whether another function moves a model of this name, or the function returns the model."""
    function = module.function_of(call)
    return any(
        text_of(receiver(other)) == name and module.function_of(other) is not function
        for other in module.method_calls(*_MOVE_METHODS)) or any(
        text_of(node.value) == name for node in module.within(function, ast.Return)) if function else False
