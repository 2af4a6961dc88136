"""S6: a layer or a batch that stays on the CPU."""

import ast
from collections.abc import Iterator

from dpkb.lint import library_names
from dpkb.lint.finding import Certainty, Finding
from dpkb.lint.nodes import find_receiver, is_method_call, text_of
from dpkb.lint.source_file import SourceFile

LOOKS_FOR = "model.head = nn.Linear(...) after model.to(device), and no second move."

_MOVE_METHODS = ("to", "cuda")


def check(file: SourceFile) -> Iterator[Finding]:
    for call in file.scopes.method_calls(*_MOVE_METHODS):
        model = find_receiver(call)
        if not isinstance(model, (ast.Name, ast.Attribute)) or (
            not file.values.is_a(model, library_names.NN_MODULE)
        ):
            continue
        if call.func.attr == "to" and not call.args and not call.keywords:  # type: ignore[attr-defined]
            continue
        _, following = file.tree.statements_around(file.tree.statement_of(call))
        name, replaced = text_of(model), None
        for later in following:
            if replaced is not None and _moves_again(file, later, name):
                replaced = None
            if (
                isinstance(later, ast.Assign)
                and isinstance(later.targets[0], ast.Attribute)
                and text_of(later.targets[0].value) == name
                and isinstance(later.value, ast.Call)
                and file.scopes.callee(later.value).startswith("torch.nn.")
                and file.values.is_a(later.value, library_names.NN_MODULE)
            ):
                replaced = later
        if replaced is not None and not _is_moved_elsewhere(file, call, name):
            yield file.finding(
                "S6",
                replaced,
                Certainty.LIKELY,
                f"`{text_of(replaced.targets[0])}` is created on the CPU, after `{text_of(call)}`",
                f"call `{text_of(call)}` after the last change of `{name}`",
            )


def _moves_again(file: SourceFile, statement: ast.stmt, name: str) -> bool:
    return any(
        is_method_call(call, *_MOVE_METHODS) and text_of(find_receiver(call)).startswith(name)
        for call in file.tree.within(statement, ast.Call)
    ) or any(name in [text_of(item) for item in call.args] for call in file.tree.within(statement, ast.Call))


def _is_moved_elsewhere(file: SourceFile, call: ast.Call, name: str) -> bool:
    """Whether another function moves a model of this name, or the function returns the model."""
    function = file.tree.function_of(call)
    return (
        any(
            text_of(find_receiver(other)) == name and file.tree.function_of(other) is not function
            for other in file.scopes.method_calls(*_MOVE_METHODS)
        )
        or any(text_of(node.value) == name for node in file.tree.within(function, ast.Return))
        if function
        else False
    )
