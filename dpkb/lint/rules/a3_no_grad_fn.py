"""A3: a loss without a graph, on which requires_grad only hides the error."""

import ast
from collections.abc import Iterator

from dpkb.lint.finding import Certainty, Finding
from dpkb.lint.nodes import as_constant, find_argument, find_receiver, is_method_call, text_of
from dpkb.lint.source_file import SourceFile
from dpkb.lint.training_steps import find_training_steps

LOOKS_FOR = "loss.requires_grad_(True) or loss.requires_grad = True before loss.backward()."

_COPY_FUNCTIONS = ("torch.tensor", "torch.autograd.Variable")


def check(file: SourceFile) -> Iterator[Finding]:
    for training in find_training_steps(file):
        loss = text_of(find_receiver(training.backward))
        yield from _find_copied_losses(file, find_receiver(training.backward))
        for node in ast.walk(training.block):
            is_call = (
                is_method_call(node, "requires_grad_") and text_of(node.func.value) == loss
                and not (node.args and as_constant(node.args[0]) is False))
            is_assignment = (
                isinstance(node, ast.Assign) and as_constant(node.value) is True
                and any(text_of(target) == loss + ".requires_grad" for target in node.targets))
            if (is_call or is_assignment) and loss:
                yield file.finding(
                    "A3", node, Certainty.CERTAIN,
                    f"only hides the error, and trains nothing: no parameter is connected to `{loss}`",
                    "find where the graph is cut: no_grad, detach(), item(), argmax, numpy")


def _find_copied_losses(file: SourceFile, loss: ast.expr | None) -> Iterator[Finding]:
    """loss = torch.tensor(value, requires_grad=True), Variable(loss, requires_grad=True)."""
    origins = file.values.origins(loss)
    if origins and all(
            isinstance(origin, ast.Call) and file.scopes.callee(origin) in _COPY_FUNCTIONS
            and as_constant(find_argument(origin, "requires_grad")) is True for origin in origins):
        yield file.finding(
            "A3", origins[0], Certainty.CERTAIN,
            "creates a tensor without a graph: backward() raises no error, and trains nothing",
            "compute the loss with torch operations from the output of the model")
