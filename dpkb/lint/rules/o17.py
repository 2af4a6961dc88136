"""O17: freezing that freezes nothing."""

import ast
from collections.abc import Iterator

from dpkb.lint import names
from dpkb.lint.edits import replace
from dpkb.lint.finding import Certainty, Finding
from dpkb.lint.module import Module
from dpkb.lint.source import as_constant
from dpkb.lint.syntax import text_of


def check(module: Module) -> Iterator[Finding]:
    """model.requires_grad = False on a module, and freezing after an optimizer step has run."""
    for node in module.nodes(ast.Assign):
        for target in node.targets:
            if (
                isinstance(target, ast.Attribute) and target.attr == "requires_grad"
                and isinstance(as_constant(node.value), bool) and _is_module(module, target.value)):
                owner = text_of(target.value)
                yield module.finding(
                    "O17", node, Certainty.CERTAIN,
                    f"only sets an attribute of `{owner}`: its parameters still get gradients",
                    f"`{owner}.requires_grad_({as_constant(node.value)})`",
                    [replace(node, f"{owner}.requires_grad_({as_constant(node.value)})")
                     if len(node.targets) == 1 else None])


def _is_module(module: Module, node: ast.expr) -> bool:
    if module.is_a(node, names.MODULE):
        return True
    # for child in model.children(): child.requires_grad = False
    if isinstance(node, ast.Name):
        return any(
            binding.is_item and isinstance(binding.value, ast.Call)
            and isinstance(binding.value.func, ast.Attribute)
            and binding.value.func.attr in ("children", "modules") for binding in module.bindings(node))
    return False
