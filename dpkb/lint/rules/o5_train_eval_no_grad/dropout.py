"""Dropout that stays on when the model is evaluated. A part of O5."""

import ast
from collections.abc import Iterator

from dpkb.lint.edits import insert_after
from dpkb.lint.finding import Certainty, Edit, Finding
from dpkb.lint.models import find_nn_module_classes
from dpkb.lint.nodes import find_argument, text_of
from dpkb.lint.phase_names import is_training_name
from dpkb.lint.source_file import SourceFile

_FUNCTIONAL = tuple(
    f"torch.nn.functional.{name}"
    for name in ("dropout", "dropout2d", "dropout3d", "alpha_dropout", "feature_dropout", "dropout1d"))
_LAYERS = tuple(
    f"torch.nn.{name}" for name in ("Dropout", "Dropout2d", "Dropout3d", "AlphaDropout", "Dropout1d"))


def find_dropout_in_evaluation(file: SourceFile) -> Iterator[Finding]:
    for info in find_nn_module_classes(file):
        methods = [
            method for name, method in info.methods.items()
            if not method.decorator_list and name != "__init__" and not is_training_name(name)]
        for call in (call for method in methods for call in file.tree.within(method, ast.Call)):
            callee = file.scopes.callee(call)
            if any("training" in text_of(test.test) for test, _ in file.tree.guards(call)):
                continue
            if callee in _FUNCTIONAL and find_argument(call, "training", 2) is None:
                yield file.finding(
                    "O5", call, Certainty.LIKELY,
                    f"`{text_of(call.func)}` drops values in eval mode as well: training=True is its default",
                    f"pass training=self.training to `{text_of(call.func)}`",
                    [_add_training(call)])
            elif isinstance(call.func, ast.Call) and file.scopes.callee(call.func) in _LAYERS:
                yield file.finding(
                    "O5", call, Certainty.CERTAIN,
                    "a Dropout created here is always in training mode: eval() never reaches it",
                    "create the layer in __init__")
            elif callee == "torch.nn.functional.scaled_dot_product_attention":
                probability = find_argument(call, "dropout_p", 4)
                if isinstance(probability, ast.Constant) and probability.value:
                    yield file.finding(
                        "O5", call, Certainty.CERTAIN, "dropout_p also applies in eval mode",
                        "pass `dropout_p=self.dropout if self.training else 0.0`")


def _add_training(call: ast.Call) -> Edit | None:
    """The edit that adds training=self.training as the last argument."""
    last = [*call.args, *(keyword.value for keyword in call.keywords)]
    return insert_after(max(last, key=lambda node: (node.end_lineno, node.end_col_offset)),
                        ", training=self.training") if last else None
