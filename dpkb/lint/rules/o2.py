"""O2: layers that the optimizer does not have."""

import ast
from collections.abc import Iterator

from dpkb.lint import names
from dpkb.lint.finding import Certainty, Finding
from dpkb.lint.module import Module
from dpkb.lint.syntax import text_of


def check(module: Module) -> Iterator[Finding]:
    """model.fc = nn.Linear(...) after the optimizer was created from model.parameters()."""
    for call in module.calls:
        if not names.is_library_class(module.called(call), names.OPTIMIZER) or not call.args:
            continue
        statement = module.statement_of(call)
        block = _block_of(module, statement)
        if block is None or not isinstance(statement, ast.Assign):
            continue
        source = _model_of(module, call.args[0])
        optimizer = text_of(statement.targets[0])
        if not source:
            continue
        following = block[block.index(statement) + 1 :]
        if any(module.mentions(later, "add_param_group") for later in following):
            continue
        for later in following:
            if optimizer in _rebound(later):
                break
            for target in later.targets if isinstance(later, ast.Assign) else []:
                if (
                    isinstance(target, (ast.Attribute, ast.Subscript))
                    and text_of(target.value).split(".")[0].split("[")[0] == source.split(".")[0]
                    and text_of(target.value).startswith(source) and isinstance(later, ast.Assign)
                    and module.is_a(later.value, names.MODULE)):
                    yield module.finding(
                        "O2", later, Certainty.CERTAIN,
                        f"`{text_of(target)}` is replaced after `{optimizer}` was created: the optimizer "
                        "still has the old layer's parameters, and the new one is never trained",
                        "create the optimizer after the last change of the model")


def _model_of(module: Module, parameters: ast.expr) -> str:
    """ "model" in model.parameters()."""
    if (
        isinstance(parameters, ast.Call) and isinstance(parameters.func, ast.Attribute)
        and parameters.func.attr == "parameters"):
        return text_of(parameters.func.value)
    return ""


def _block_of(module: Module, statement: ast.stmt) -> list[ast.stmt] | None:
    parent = module.parents.get(statement)
    for name in ("body", "orelse", "finalbody"):
        block = getattr(parent, name, None)
        if isinstance(block, list) and statement in block:
            return block
    return None


def _rebound(statement: ast.stmt) -> set[str]:
    return {
        text_of(target) for node in ast.walk(statement) if isinstance(node, ast.Assign)
        for target in node.targets}
