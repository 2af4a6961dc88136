"""DP20: kept tensors of workers, each of which holds a file descriptor open."""

import ast

from dpkb.lint.loaders import loader_of
from dpkb.lint.nodes import is_method_call, names_in, text_of
from dpkb.lint.source_file import Certainty, Findings, SourceFile

LOOKS_FOR = "labels.append(label) in a loop over a loader with workers."

_SAME_MEMORY = ("detach", "cpu", "numpy", "view", "reshape", "squeeze", "flatten")


def check(file: SourceFile) -> Findings:
    for call in file.scopes.method_calls("append"):
        loop = next(iter(file.tree.loops_around(call)), None)
        value = _owner_of_memory(call.args[0]) if len(call.args) == 1 else None
        if (
            isinstance(loop, ast.For)
            and isinstance(value, ast.Name)
            and value.id in names_in(loop.target)
            and not file.tree.assignments_to(value.id, loop)
            and (loader := loader_of(file, loop.iter)) is not None
            and loader.may_have_workers
        ):
            yield file.finding(
                "DP20",
                call,
                Certainty.HINT,
                f"`{text_of(call.args[0])}` keeps a worker's shared memory and a file descriptor open",
                f"append `{value.id}.clone()`, or plain numbers",
            )


def _owner_of_memory(value: ast.expr) -> ast.expr:
    """The value whose memory a view shares: label in `label.detach().numpy()[0]`."""
    while isinstance(value, (ast.Call, ast.Subscript)):
        if isinstance(value, ast.Subscript):
            value = value.value
        elif is_method_call(value, *_SAME_MEMORY):
            value = value.func.value
        else:
            break
    return value
