"""A2: an optimizer step between a forward pass and its backward()."""

import ast
from collections.abc import Iterator

from dpkb.lint import names
from dpkb.lint.finding import Certainty, Finding
from dpkb.lint.module import Module
from dpkb.lint.syntax import receiver, text_of
from dpkb.lint.training import training_steps


def check(module: Module) -> Iterator[Finding]:
    """scores = netD(fake); optimizerD.step(); lossG = criterion(scores, ones); lossG.backward()."""
    for training in training_steps(module):
        yield from _check_block(module, training.block.body)


def _check_block(module: Module, block: list[ast.stmt]) -> Iterator[Finding]:
    # Name -> the models that computed it, with the earliest line of each. Model -> the line of its last step.
    computed: dict[str, dict[str, int]] = {}
    stepped: dict[str, int] = {}
    for statement in block:
        if isinstance(statement, ast.Assign):
            lines = dict.fromkeys(_models(module, statement.value), statement.lineno)
            for name in _read(statement.value):
                for model, line in computed.get(name, {}).items():
                    lines[model] = min(line, lines.get(model, line))
            for target in statement.targets:
                if isinstance(target, ast.Name):
                    computed[target.id] = lines
        call = statement.value if isinstance(statement, ast.Expr) else None
        if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)):
            continue
        owner = receiver(call)
        if call.func.attr == "step" and module.is_a(owner, names.OPTIMIZER):
            stepped.update(dict.fromkeys(_models_of(module, owner), statement.lineno))
        if call.func.attr == "backward" and isinstance(owner, ast.Name):
            old = [model for model, line in computed.get(owner.id, {}).items()
                   if stepped.get(model, 0) > line]
            if old:
                place = next((item for item in block if isinstance(item, ast.Assign)
                              and text_of(item.targets[0]) == owner.id
                              and item.lineno > stepped[old[0]]), statement)
                yield module.finding(
                    "A2", place, Certainty.LIKELY,
                    f"`{owner.id}.backward()` needs the weights of `{old[0]}` from before its optimizer step",
                    f"call `{old[0]}` again after the step, or detach what came before it")


def _read(value: ast.expr) -> list[str]:
    """The names that a value depends on, without those that are detached."""
    detached = {
        id(node) for call in ast.walk(value) if isinstance(call, ast.Call) and isinstance(
            call.func, ast.Attribute) and call.func.attr in ("detach", "item", "data")
        for node in ast.walk(call.func.value)}
    return [node.id for node in ast.walk(value) if isinstance(node, ast.Name) and id(node) not in detached]


def _models(module: Module, value: ast.expr) -> set[str]:
    """The models that are called in an expression."""
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr in (
        "detach", "item"):
        return set()
    return {
        text_of(call.func) for call in module.within(value, ast.Call)
        if isinstance(call.func, (ast.Name, ast.Attribute)) and module.is_a(call.func, names.MODULE)
        and module.types(call.func)[0] not in ("torch.nn.BCELoss", "torch.nn.MSELoss")}


def _models_of(module: Module, optimizer: ast.expr | None) -> Iterator[str]:
    """netD in Adam(netD.parameters())."""
    for origin in module.origins(optimizer):
        if isinstance(origin, ast.Call) and origin.args:
            for call in ast.walk(origin.args[0]):
                if (
                    isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)
                    and call.func.attr == "parameters"):
                    yield text_of(call.func.value)
