"""O1: gradients that are thrown away before the step."""

import ast
from collections.abc import Iterator

from dpkb.lint.finding import Certainty, Finding
from dpkb.lint.nodes import find_receiver, is_method_call, text_of
from dpkb.lint.source_file import SourceFile
from dpkb.lint.training_steps import find_training_steps

LOOKS_FOR = "backward(), then zero_grad(), then step() of the same optimizer in one block."


def check(file: SourceFile) -> Iterator[Finding]:
    for training in find_training_steps(file):
        for block in file.tree.branches_in(training.block):
            yield from _check_block(file, block)


def _check_block(file: SourceFile, block: list[ast.stmt]) -> Iterator[Finding]:
    backward_seen = False
    cleared: dict[str, ast.Call] = {}
    for statement in block:
        if file.tree.mentions(statement, "grad"):  # it may set the gradients again
            cleared = {}
        call = statement.value if isinstance(statement, ast.Expr) else None
        if not is_method_call(call):
            continue
        method, owner = call.func.attr, text_of(find_receiver(call))
        if method == "backward":
            backward_seen, cleared = True, {}
        elif method == "zero_grad" and backward_seen:
            cleared[owner] = call
        elif method == "step":
            stepped = text_of(call.args[0]) if call.args else owner
            if stepped in cleared or owner in cleared:
                yield file.finding(
                    "O1", cleared.get(stepped) or cleared[owner], Certainty.CERTAIN,
                    "throws the gradients away between backward() and step(), so nothing is learned",
                    "move zero_grad() before backward(), or after step()")
            backward_seen, cleared = False, {}
