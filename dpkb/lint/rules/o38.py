"""O38: gradients that nothing clears between two steps."""

import ast
from collections.abc import Iterator

from dpkb.lint import names
from dpkb.lint.evaluation import in_tests
from dpkb.lint.finding import Certainty, Finding
from dpkb.lint.module import Module
from dpkb.lint.syntax import FUNCTIONS, receiver, text_of
from dpkb.lint.training import TrainingStep, training_steps

# Names of what clears gradients, or trains without a call of zero_grad() in sight.
_CLEARS = ("set_to_none", "deepspeed", "LightningModule", "LBFGS")


def check(module: Module) -> Iterator[Finding]:
    """backward() and step() of an optimizer in a loop, and no zero_grad() for it in the file."""
    if (
        in_tests(module) or module.mentions(module.source.tree, *_CLEARS)
        or any(
            isinstance(target, ast.Attribute) and target.attr == "grad" for node in module.nodes(ast.Assign)
            for target in node.targets)
        or any(True for _ in module.method_calls("zero_", "zero_gradients"))
    ):
        return
    cleared = {text_of(receiver(call)) for call in module.method_calls("zero_grad")}
    if not cleared and module.mentions(module.source.tree, "zero_grad"):
        return
    for training in training_steps(module):
        if any(isinstance(parent, FUNCTIONS) and parent.name.startswith("test")
               for parent in module.parents_of(training.block)):
            continue  # a test trains for a step on purpose
        steps = [call for call in _steps(module, training) if not _is_cleared(module, call, cleared)]
        if training.backward.args or isinstance(training.block, FUNCTIONS) or not steps:
            continue
        optimizer = text_of(receiver(steps[0]))
        backward = max(
            (call for call in training.calls("backward") if call.lineno <= steps[0].lineno),
            key=lambda call: call.lineno, default=training.backward)
        yield module.finding(
            "O38", backward, Certainty.LIKELY,
            f"nothing clears the gradients of `{optimizer}`: each step adds those of all earlier batches",
            f"`{optimizer}.zero_grad()` before backward()")


def _steps(module: Module, training: TrainingStep) -> list[ast.Call]:
    """The steps of optimizers that are older than this loop."""
    return [
        call for call in training.calls("step")
        if (module.is_a(receiver(call), names.OPTIMIZER) or "optim" in text_of(receiver(call)).lower())
        and not any(module.inside(origin, training.block) for origin in module.origins(receiver(call)))]


def _is_cleared(module: Module, call: ast.Call, cleared: set[str]) -> bool:
    """By its name; unless all that is cleared are other optimizers, each one by its name."""
    owner = receiver(call)
    if not isinstance(owner, (ast.Name, ast.Attribute)):
        return bool(cleared)
    made = [origin for origin in module.origins(owner) if isinstance(origin, ast.Call)]
    others = [other for other in module.method_calls("zero_grad") if module.is_a(
        receiver(other), names.OPTIMIZER)]
    return text_of(owner) in cleared or (bool(cleared) and not (
        made and module.is_a(owner, names.OPTIMIZER)
        and len(others) == sum(1 for _ in module.method_calls("zero_grad"))
        and not any(set(made) & set(module.origins(receiver(other))) for other in others)))
