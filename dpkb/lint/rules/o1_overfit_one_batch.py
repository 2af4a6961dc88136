"""O1: gradients that are thrown away before the step."""

import ast

from dpkb.lint.nodes import find_receiver, is_method_call, text_of
from dpkb.lint.source_file import Certainty, Findings, SourceFile
from dpkb.lint.training_steps import find_training_steps

LOOKS_FOR = "backward(), then zero_grad(), then step() of the same optimizer in one block."

# Methods that a step calls between zero_grad() and step(), and that compute no gradient.
_OTHER_METHODS = (
    "zero_grad",
    "step",
    "item",
    "detach",
    "append",
    "update",
    "write",
    "set_postfix",
    "add_scalar",
    "info",
)


def check(file: SourceFile) -> Findings:
    for training in find_training_steps(file):
        for block in file.tree.branches_in(training.block):
            yield from _check_block(file, block)


def _check_block(file: SourceFile, block: list[ast.stmt]) -> Findings:
    backward_seen = False
    cleared: dict[str, ast.Call] = {}
    calls: list[ast.Call] = []  # since the first zero_grad() in `cleared`
    for statement in block:
        if _may_set_gradients(file, statement):
            cleared = {}
        calls = [*calls, *file.tree.within(statement, ast.Call)] if cleared else []
        call = statement.value if isinstance(statement, ast.Expr) else None
        if not is_method_call(call):
            continue
        method, owner = call.func.attr, text_of(find_receiver(call))
        if method == "backward":
            backward_seen, cleared = True, {}
        elif method == "zero_grad" and backward_seen:
            cleared[owner] = call
        elif method == "step":
            # scaler.step(optimizer); the closure of optimizer.step(closure) computes the gradients again
            given = [*call.args, *(keyword.value for keyword in call.keywords)]
            stepped = text_of(given[0]) if given else owner
            if stepped in cleared:
                is_certain = all(
                    file.scopes.is_builtin_or_torch(other) or is_method_call(other, *_OTHER_METHODS)
                    for other in calls
                )
                yield file.finding(
                    "O1",
                    cleared[stepped],
                    Certainty.CERTAIN if is_certain else Certainty.LIKELY,
                    "throws the gradients away between backward() and step(), so nothing is learned",
                    "move zero_grad() before backward(), or after step()",
                )
            backward_seen, cleared = False, {}


def _may_set_gradients(file: SourceFile, statement: ast.stmt) -> bool:
    """Whether a statement, or a function of this file that it calls, has a backward() or uses `.grad`."""
    return any(
        file.tree.mentions(node, "backward", "manual_backward", "grad")
        for node in [statement, *file.definitions.find_called_functions(statement)]
    )
