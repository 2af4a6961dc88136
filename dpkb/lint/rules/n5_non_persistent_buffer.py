"""N5: a buffer that changes in training and is not saved."""

import ast
from collections.abc import Iterator

from dpkb.lint.classes import ClassInfo
from dpkb.lint.edits import remove_argument
from dpkb.lint.models import find_methods_of_forward, find_nn_module_classes
from dpkb.lint.nodes import Function, as_constant, find_argument, is_method_call, self_attribute
from dpkb.lint.source_file import Certainty, Findings, SourceFile

LOOKS_FOR = "register_buffer(..., persistent=False) for a buffer that is random, or that forward() updates."

_RANDOM_FUNCTIONS = ("torch.randn", "torch.rand", "torch.randperm", "torch.randint", "torch.bernoulli")


def check(file: SourceFile) -> Findings:
    for info in find_nn_module_classes(file):
        if "cache" in info.name.lower():
            continue  # a cache is filled again for each prompt
        for name, call in _unsaved_buffers(file, info):
            if _is_random(file, find_argument(call, "tensor", 1)):
                certainty, message = (
                    Certainty.HINT,
                    (f'"{name}" is random and not saved: a loaded model has different values'),
                )
            elif any(_updates(file, method, name) for method in find_methods_of_forward(info)):
                certainty, message = (
                    Certainty.LIKELY,
                    (
                        f'"{name}" is updated in training and not saved: its values are lost when you '
                        "load the model"
                    ),
                )
            else:
                continue
            yield file.finding(
                "N5",
                call,
                certainty,
                message,
                "leave out persistent=False",
                [remove_argument(file, call, "persistent")],
            )


def _unsaved_buffers(file: SourceFile, info: ClassInfo) -> Iterator[tuple[str, ast.Call]]:
    """Name and call of each register_buffer(..., persistent=False); a cache is filled again by itself."""
    for method in info.methods.values():
        for call in file.tree.within(method, ast.Call):
            if is_method_call(call, "register_buffer") and call.args:
                name = as_constant(call.args[0])
                persistent = as_constant(find_argument(call, "persistent", 2))
                if isinstance(name, str) and persistent is False and "cache" not in name:
                    yield name, call


def _is_random(file: SourceFile, value: ast.expr | None) -> bool:
    return any(
        file.scopes.callee(call) in _RANDOM_FUNCTIONS and find_argument(call, "generator") is None
        for origin in file.values.origins(value)
        for call in file.tree.within(origin, ast.Call)
    )


def _reads_only_metadata(file: SourceFile, node: ast.AST) -> bool:
    """Whether only the shape, type or device of a buffer is read, and not its values."""
    parent = next(file.tree.parents_of(node))
    return isinstance(parent, ast.Attribute) and parent.attr in ("device", "dtype", "shape", "size", "ndim")


def _updates(file: SourceFile, method: Function, name: str) -> bool:
    """Whether a method changes a buffer: `self.name.mul_(...)`, `self.name[...] = ...`, `self.name += x`."""
    return any(
        (
            is_method_call(node)
            and node.func.attr.endswith("_")
            and not node.func.attr.startswith("_")
            and node.func.attr not in ("requires_grad_", "zero_", "fill_")
            and self_attribute(_without_data(node.func.value), method) == name
        )
        or (
            isinstance(node, ast.Assign)
            and any(self_attribute(target, method) == name for target in node.targets)
            and any(
                self_attribute(inner, method) == name and not _reads_only_metadata(file, inner)
                for inner in ast.walk(node.value)
            )
            and not _is_moved(node.value, method, name)
        )
        or (isinstance(node, ast.AugAssign) and self_attribute(_without_data(node.target), method) == name)
        for node in ast.walk(method)
    )


def _is_moved(value: ast.expr, method: Function, name: str) -> bool:
    """Whether a buffer is only moved or copied, as in `self.name.to(device)`."""
    return (
        is_method_call(value, "to", "cuda", "cpu", "type_as", "float", "half", "clone", "contiguous")
        and self_attribute(value.func.value, method) == name
    )


def _without_data(node: ast.expr) -> ast.expr:
    while isinstance(node, ast.Subscript) or (isinstance(node, ast.Attribute) and node.attr == "data"):
        node = node.value
    return node
