"""A2: an optimizer step between a forward pass and its backward()."""

import ast
from collections.abc import Iterator

from dpkb.lint import library_names
from dpkb.lint.gradients import is_without_gradients
from dpkb.lint.models import model_of_parameters
from dpkb.lint.nodes import find_receiver, text_of
from dpkb.lint.source_file import Certainty, Findings, SourceFile
from dpkb.lint.training_steps import find_training_steps

LOOKS_FOR = "scores = netD(fake); optimizerD.step(); lossG = criterion(scores, ones); lossG.backward()."


def check(file: SourceFile) -> Findings:
    if len(file.scopes.method_calls("backward")) < 2 or len(file.scopes.method_calls("step")) < 2:
        return
    models_by_optimizer = _models_by_optimizer(file)
    for training in find_training_steps(file):
        yield from _StepOrder(file, models_by_optimizer).follow(training.block.body)


def _models_by_optimizer(file: SourceFile) -> dict[ast.expr, set[str]]:
    """Call that creates an optimizer -> the names of the models whose parameters it gets."""
    models: dict[ast.expr, set[str]] = {}
    for call in file.tree.calls:
        if library_names.is_subclass(file.scopes.callee(call), library_names.OPTIMIZER) and call.args:
            values = [call.args[0], *file.values.origins(call.args[0])]
            models[call] = {
                text_of(model)
                for value in values
                for inner in ast.walk(value)
                if (model := model_of_parameters(inner)) is not None
            }
    return models


class _StepOrder:
    """Follows a training step: which models computed each value, and when an optimizer updated each model."""

    def __init__(self, file: SourceFile, models_by_optimizer: dict[ast.expr, set[str]]) -> None:
        self.file = file
        self.models_by_optimizer = models_by_optimizer
        self.models = set[str]().union(*models_by_optimizer.values())
        # Name of a value -> the models that computed it, each with the line of its first call.
        self.models_by_name: dict[str, dict[str, int]] = {}
        # Model -> the line of the last step of its optimizer.
        self.last_steps: dict[str, int] = {}
        # Name of a value -> the statement that assigned it.
        self.assignments: dict[str, ast.stmt] = {}

    def follow(self, block: list[ast.stmt]) -> Findings:
        """The findings in the statements of a block, and of the blocks inside it."""
        for statement in block:
            if isinstance(statement, ast.Assign):
                self._note_assignment(statement)
            elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
                yield from self._follow_call(statement, statement.value)
            elif isinstance(statement, (ast.For, ast.While, ast.With)):
                yield from self.follow(statement.body)
            elif isinstance(statement, ast.If):
                yield from self._follow_branches(statement)

    def _follow_branches(self, statement: ast.If) -> Findings:
        before = dict(self.models_by_name), dict(self.last_steps)
        yield from self.follow(statement.body)
        after = self.models_by_name, self.last_steps
        self.models_by_name, self.last_steps = before
        yield from self.follow(statement.orelse)
        # Either branch may have run, so values that only one of them computed again are unknown.
        self.models_by_name = {
            name: lines for name, lines in self.models_by_name.items() if after[0].get(name) == lines
        }
        self.last_steps = {
            model: max(steps[model] for steps in (after[1], self.last_steps) if model in steps)
            for model in after[1] | self.last_steps
        }

    def _note_assignment(self, statement: ast.Assign) -> None:
        lines = dict.fromkeys(self._models_run_by(statement.value), statement.lineno)
        for node in _nodes_with_gradients(statement.value):
            name = text_of(node) if isinstance(node, (ast.Name, ast.Attribute)) else ""
            for model, line in self.models_by_name.get(name, {}).items():
                lines[model] = min(line, lines.get(model, line))
        for target in statement.targets:
            for item in target.elts if isinstance(target, ast.Tuple) else [target]:
                if isinstance(item, (ast.Name, ast.Attribute)):
                    self.models_by_name[text_of(item)] = lines
                    self.assignments[text_of(item)] = statement

    def _follow_call(self, statement: ast.stmt, call: ast.Call) -> Findings:
        owner = find_receiver(call)
        if not isinstance(call.func, ast.Attribute) or owner is None:
            return
        if call.func.attr == "step":
            for origin in self.file.values.origins(owner):
                models = self.models_by_optimizer.get(origin, ())
                self.last_steps.update(dict.fromkeys(models, statement.lineno))
        loss = text_of(owner)
        if call.func.attr == "backward" and loss in self.models_by_name:
            old = [
                model
                for model, line in sorted(self.models_by_name[loss].items())
                if self.last_steps.get(model, 0) > line
            ]
            if old:
                late = self.assignments[loss].lineno > self.last_steps[old[0]]
                yield self.file.finding(
                    "A2",
                    self.assignments[loss] if late else statement,
                    Certainty.LIKELY,
                    f"`{loss}.backward()` needs the weights of `{old[0]}` from before its optimizer step",
                    f"call `{old[0]}` again after the step, or call detach() on its earlier output",
                )

    def _models_run_by(self, value: ast.expr) -> set[str]:
        """The models that are called in an expression with gradients, unless the result is detached."""
        return {
            text
            for call in _nodes_with_gradients(value)
            if isinstance(call, ast.Call)
            and (text := text_of(call.func)) in self.models
            and not is_without_gradients(self.file, call)
        }


def _nodes_with_gradients(value: ast.expr) -> Iterator[ast.AST]:
    """The nodes of an expression, without the x of x.detach(), x.item() and x.data."""
    nodes: list[ast.AST] = [value]
    while nodes:
        node = nodes.pop()
        if not (isinstance(node, ast.Attribute) and node.attr in ("detach", "item", "data")):
            yield node
            nodes += ast.iter_child_nodes(node)
