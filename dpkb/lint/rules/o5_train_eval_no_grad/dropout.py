"""Dropout that stays on when the model is evaluated. A part of O5."""

import ast
from collections.abc import Iterator

from dpkb.lint.edits import add_argument
from dpkb.lint.finding import Certainty, Edit, Finding
from dpkb.lint.models import find_nn_module_classes
from dpkb.lint.nodes import FUNCTIONS, find_argument, has_unknown_arguments, self_name, text_of
from dpkb.lint.phase_names import is_training_name
from dpkb.lint.source_file import SourceFile

_FUNCTIONAL = tuple(
    f"torch.nn.functional.{name}"
    for name in ("dropout", "dropout2d", "dropout3d", "alpha_dropout", "feature_dropout", "dropout1d")
)
_LAYERS = tuple(
    f"torch.nn.{name}" for name in ("Dropout", "Dropout2d", "Dropout3d", "AlphaDropout", "Dropout1d")
)


def find_dropout_in_evaluation(file: SourceFile) -> Iterator[Finding]:
    for info in find_nn_module_classes(file):
        methods = [
            method
            for name, method in info.methods.items()
            if not method.decorator_list and name != "__init__" and not is_training_name(name)
        ]
        for call in (call for method in methods for call in file.tree.within(method, ast.Call)):
            callee = file.scopes.callee(call)
            if any("training" in text_of(test.test) for test, _ in file.tree.guards(call)):
                continue
            if (
                callee in _FUNCTIONAL
                and find_argument(call, "training", 2) is None
                and "always" not in file.line_of(call)  # a comment: it is meant to stay on
                and (not has_unknown_arguments(call))
            ):
                yield file.finding(
                    "O5",
                    call,
                    Certainty.LIKELY,
                    f"`{text_of(call.func)}` drops values in eval mode as well: training=True is its default",
                    f"pass training=self.training to `{text_of(call.func)}`",
                    [_add_training(file, call)],
                )  # to estimate how sure a model is, some programs keep dropout on
            elif isinstance(call.func, ast.Call) and file.scopes.callee(call.func) in _LAYERS:
                yield file.finding(
                    "O5",
                    call,
                    Certainty.CERTAIN,
                    "a Dropout created here is always in training mode: eval() never reaches it",
                    "create the layer in __init__",
                )
            elif callee == "torch.nn.functional.scaled_dot_product_attention":
                probability = find_argument(call, "dropout_p", 4)
                if isinstance(probability, ast.Constant) and probability.value:
                    yield file.finding(
                        "O5",
                        call,
                        Certainty.CERTAIN,
                        "dropout_p also applies in eval mode",
                        "pass `dropout_p=self.dropout if self.training else 0.0`",
                    )


def _add_training(file: SourceFile, call: ast.Call) -> Edit | None:
    """The edit that adds training=self.training; None in a nested function, whose `self` may be another."""
    method = file.tree.scope_of(call)
    if not isinstance(method, FUNCTIONS) or file.definitions.class_of_method(method) is None:
        return None
    name = self_name(method)
    if len(file.scopes.bindings_in(method, name)) != 1:
        return None
    return add_argument(file, call, f"training={name}.training")
