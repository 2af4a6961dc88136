"""S13: view() in place of transpose()."""

import ast
from collections.abc import Iterator

from dpkb.lint.finding import Certainty, Finding
from dpkb.lint.nodes import find_receiver, is_method_call, text_of
from dpkb.lint.source_file import SourceFile

LOOKS_FOR = "b, t, c = x.shape; x.view(b, c, t), which has the shape of a transpose and moves no axis."


def check(file: SourceFile) -> Iterator[Finding]:
    for call in file.scopes.method_calls("view", "reshape"):
        receiver = find_receiver(call)
        tensor = text_of(find_receiver(receiver) if is_method_call(receiver, "contiguous") else receiver)
        only = call.args[0] if len(call.args) == 1 else None
        sizes = only.elts if isinstance(only, (ast.Tuple, ast.List)) else call.args
        order = _order_of_axes(file, call, tensor, sizes)
        if order != sorted(order):
            yield file.finding(
                "S13",
                call,
                Certainty.LIKELY,
                "gives the shape of a transpose, but the values stay in the old order: the axes are mixed",
                f"use `{tensor}.permute({', '.join(map(str, order))})`",
            )


def _order_of_axes(file: SourceFile, call: ast.Call, tensor: str, sizes: list[ast.expr]) -> list[int]:
    """For each size, its axis in the shape of the tensor; [] unless the sizes are all of a shape as it is now."""
    order: list[int] = []
    line = file.tree.statement_of(call).lineno
    for size in sizes:
        binding = file.scopes.only_binding(size) if isinstance(size, ast.Name) else None
        if (
            binding is None
            or binding.value is None
            or binding.index is None
            or text_of(binding.value) not in (f"{tensor}.shape", f"{tensor}.size()")
            or any(
                isinstance(name.ctx, ast.Store) and binding.value.lineno < name.lineno < line
                for name in file.tree.named(tensor, file.tree.block_of(call))
            )
        ):
            return []
        order.append(binding.index)
    return order if len(set(order)) == len(order) == 1 + max(order, default=-1) else []
