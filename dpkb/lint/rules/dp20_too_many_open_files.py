"""DP20: kept tensors of workers, each of which holds a file descriptor open."""

import ast
from collections.abc import Iterator

from dpkb.lint.finding import Certainty, Finding
from dpkb.lint.loaders import loader_of
from dpkb.lint.nodes import is_method_call, names_in, text_of
from dpkb.lint.source_file import SourceFile

LOOKS_FOR = "labels.append(label) in a loop over a loader with workers."

_SAME_MEMORY = ("detach", "cpu", "numpy", "view", "reshape", "squeeze", "flatten")


def check(file: SourceFile) -> Iterator[Finding]:
    for call in file.scopes.method_calls("append"):
        loops = file.tree.loops_around(call)
        if not loops or not isinstance(loops[0], ast.For) or len(call.args) != 1:
            continue
        loader = loader_of(file, loops[0].iter)
        if loader is None or not loader.may_have_workers:
            continue
        value = _owner_of_memory(call.args[0])
        if (
            isinstance(value, ast.Name)
            and value.id in names_in(loops[0].target)
            and not file.tree.assignments_to(value.id, loops[0])
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
