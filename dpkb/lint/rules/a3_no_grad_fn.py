"""A3: a loss without a graph, on which requires_grad only hides the error."""

import ast

from dpkb.lint.gradients import is_without_gradients
from dpkb.lint.library_names import SAME_OBJECT_METHODS
from dpkb.lint.nodes import as_constant, find_argument, find_receiver, is_method_call, last_name, text_of
from dpkb.lint.source_file import Certainty, Findings, SourceFile
from dpkb.lint.training_steps import find_training_steps

LOOKS_FOR = "loss.requires_grad_(True) before loss.backward(); encode() of a SentenceTransformer in a step."

_COPY_FUNCTIONS = ("torch.tensor", "torch.autograd.Variable")
# Methods whose result has no graph.
_CUTS = ("detach", "item", "tolist", "numpy", "argmax")


def check(file: SourceFile) -> Findings:
    for training in find_training_steps(file):
        receiver = find_receiver(training.backward)
        loss = text_of(receiver)
        yield from _find_copied_losses(file, receiver)
        for node in ast.walk(training.block):
            is_call = (
                is_method_call(node, "requires_grad_")
                and text_of(node.func.value) == loss
                and not (node.args and as_constant(node.args[0]) is False)
            )
            is_assignment = (
                isinstance(node, ast.Assign)
                and as_constant(node.value) is True
                and any(text_of(target) == loss + ".requires_grad" for target in node.targets)
            )
            if (is_call or is_assignment) and loss:
                is_cut = _is_cut(file, receiver)
                yield file.finding(
                    "A3",
                    node,
                    Certainty.CERTAIN if is_cut else Certainty.LIKELY,
                    f"only hides the error, and trains nothing: no parameter is connected to `{loss}`"
                    if is_cut
                    else f"is needless if `{loss}` has a graph, and only hides the error if it has none",
                    "find where the graph is cut: no_grad, detach(), item(), argmax, numpy",
                )

    for call in file.scopes.method_calls("encode"):
        if "sentence_transformers.SentenceTransformer" in file.values.types(find_receiver(call)) and (
            getattr(file.tree.function_of(call), "name", "") in ("forward", "training_step")
            or any(file.tree.is_inside(call, training.block) for training in find_training_steps(file))
        ):
            yield file.finding(
                "A3",
                call,
                Certainty.HINT,
                "`encode()` runs without gradients: a loss of this result does not train the encoder",
                "to train it, tokenize the texts and call the model itself",
            )


def _is_cut(file: SourceFile, node: ast.expr | None, max_depth: int = 8) -> bool:
    """Whether a value is seen to have no graph: it is cut off here, or computed only from such values.

    A module or an unknown function may add parameters to any value. A number alone is no cut.
    """
    if isinstance(node, ast.Name):
        values = [
            binding.value if binding.index is None and not binding.is_item else None
            for binding in file.scopes.bindings(node)
        ]
        return (
            max_depth > 0
            and bool(values)
            and not _is_changed_in_place(file, node)
            and all(_is_cut(file, value, max_depth - 1) for value in values)
        )
    if isinstance(node, ast.BinOp):
        operands = [node.left, node.right]
    elif isinstance(node, ast.Call):
        callee = file.scopes.callee(node)
        if last_name(node.func) in _CUTS or callee == "torch.tensor":
            return True
        operands = [*node.args, *(keyword.value for keyword in node.keywords)]
        if not callee and isinstance(node.func, ast.Attribute):
            operands.append(node.func.value)
        elif not callee.startswith("torch."):
            operands.clear()
    else:
        return False
    if is_without_gradients(file, node):
        # Methods such as to() may return the tensor itself, with its graph.
        return not is_method_call(node, *SAME_OBJECT_METHODS)
    operands = [
        item for item in operands if not isinstance(item, ast.Constant) and not file.scopes.full_name(item)
    ]
    return bool(operands) and all(_is_cut(file, item, max_depth - 1) for item in operands)


def _is_changed_in_place(file: SourceFile, name: ast.Name) -> bool:
    """Whether a method such as add_() may write a value with a graph into this one."""
    return any(
        is_method_call(call)
        and call.func.attr.endswith("_")
        and call.func.attr != "requires_grad_"
        and text_of(call.func.value) == name.id
        for call in file.tree.within(file.tree.block_of(name), ast.Call)
    )


def _find_copied_losses(file: SourceFile, loss: ast.expr | None) -> Findings:
    """loss = torch.tensor(value, requires_grad=True), Variable(loss, requires_grad=True)."""
    origins = file.values.origins(loss)
    if origins and all(
        isinstance(origin, ast.Call)
        and file.scopes.callee(origin) in _COPY_FUNCTIONS
        and as_constant(find_argument(origin, "requires_grad")) is True
        for origin in origins
    ):
        yield file.finding(
            "A3",
            origins[0],
            Certainty.CERTAIN,
            "creates a tensor without a graph: backward() raises no error, and trains nothing",
            "compute the loss with torch operations from the output of the model",
        )
