"""O14: cross-entropy of probabilities, where it expects logits."""

import ast
from collections.abc import Iterator

from dpkb.lint.final_layers import find_final_layer, find_final_layer_of_item
from dpkb.lint.finding import Certainty, Finding
from dpkb.lint.nodes import is_method_call
from dpkb.lint.source_file import SourceFile

LOOKS_FOR = "Softmax before cross-entropy."

_LOSSES = ("torch.nn.functional.cross_entropy",)


def check(file: SourceFile) -> Iterator[Finding]:
    for call in file.tree.calls:
        if not _is_cross_entropy(file, call) or not call.args:
            continue
        place = find_final_layer(file, call.args[0], "softmax") or find_final_layer_of_item(
            file, call.args[0], "softmax"
        )
        if place is not None:
            owner, node = place
            yield owner.finding(
                "O14",
                node,
                Certainty.CERTAIN,
                "cross-entropy applies log_softmax itself: with probabilities the loss cannot fall far, "
                "and learning is slow",
                "pass the logits, and use softmax only for prediction",
            )


def _is_cross_entropy(file: SourceFile, call: ast.Call) -> bool:
    if file.scopes.callee(call) in _LOSSES:
        return True
    if is_method_call(call, "forward"):
        return "torch.nn.CrossEntropyLoss" in file.values.types(call.func.value)
    if isinstance(call.func, ast.Call):
        return file.scopes.callee(call.func) == "torch.nn.CrossEntropyLoss"
    return isinstance(call.func, (ast.Name, ast.Attribute)) and (
        "torch.nn.CrossEntropyLoss" in file.values.types(call.func)
    )
