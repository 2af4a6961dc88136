"""Where a model is evaluated, and what switches it between training mode and evaluation mode."""

import ast
import re

from dpkb.lint.classes import ClassInfo
from dpkb.lint.gradients import NO_GRAD
from dpkb.lint.models import find_nn_module_classes
from dpkb.lint.nodes import Function, called_name, find_argument, find_receiver, find_root, group, text_of
from dpkb.lint.phase_names import is_test_function, is_training_name
from dpkb.lint.source_file import SourceFile, once_per_file
from dpkb.lint.syntax_tree import Outer

# Layers and functions that depend on the mode: how their names in torch.nn and torch.nn.functional begin.
_MODE_LAYERS = ("Dropout", "AlphaDropout", "BatchNorm", "SyncBatchNorm", "Transformer", "MultiheadAttention")
_MODE_FUNCTIONS = ("dropout", "alpha_dropout", "feature_dropout", "batch_norm")
# The names of functions that compute a metric.
_METRIC = re.compile(r"accuracy|metric|similarit|cosine|recall|precision|score")


@once_per_file
def has_mode_layers(file: SourceFile) -> bool:
    """Whether a file has layers that behave differently in training mode."""
    for call in file.tree.calls:
        package, _, name = file.scopes.callee(call).rpartition(".")
        if (
            (package == "torch.nn" and name.startswith(_MODE_LAYERS))
            or (package == "torch.nn.functional" and name.startswith(_MODE_FUNCTIONS))
            or (package.startswith(("torchvision.models", "timm")))
            or (
                package == "torch.nn" and name in ("LSTM", "GRU", "RNN") and find_argument(call, "dropout", 5)
            )
        ):
            return True
    return False


def may_depend_on_mode(file: SourceFile, model: ast.expr) -> bool:
    """Whether a model has dropout or BatchNorm, or may have them: its class is in none of the files."""
    if has_mode_layers(file):
        return True
    kinds = file.values.types(model)
    classes = [kind for kind in kinds if isinstance(kind, ClassInfo)]
    if classes:
        return any(has_mode_layers(kind.file) for kind in classes)
    is_single_layer = any(
        kind.startswith("torch.nn.") and not kind.endswith("DataParallel")
        for kind in kinds
        if isinstance(kind, str)
    )
    return not is_single_layer and not find_nn_module_classes(file)


def find_mode_calls(file: SourceFile, outer: Outer, switch: str) -> list[tuple[str, ast.Call]]:
    """Each model.eval() or model.train() in a tree, with the model's name."""
    calls = file.tree.select(_mode_calls(file).get((switch, ""), ()), outer)
    return [(text_of(find_receiver(call)), call) for call in calls]


def find_first_mode_call(file: SourceFile, outer: Outer, switch: str, name: str = "") -> ast.Call | None:
    """The first model.eval() or model.train() in a tree or region, of this model or of any."""
    return file.tree.first(_mode_calls(file).get((switch, name), ()), outer)


@once_per_file
def _mode_calls(file: SourceFile) -> dict[tuple[str, str], list[ast.Call]]:
    """The calls of each switch, of all models and of each model, in the order of the text."""
    return group(
        ((called_name(call), name), call)
        for call in file.scopes.method_calls("eval", "train")
        if isinstance(model := find_receiver(call), (ast.Name, ast.Attribute))
        and not call.args
        and not file.scopes.full_name(call.func)
        for name in ("", text_of(model))
    )


def evaluates(file: SourceFile, function: Function) -> bool:
    """Whether a function evaluates: by its name, or as a metric with no_grad() or without a result."""
    if is_test_function(file, function):
        return False
    is_training = is_training_name(function.name)
    if is_training is None and _METRIC.search(function.name):
        return file.tree.mentions(function, *NO_GRAD) or not any(
            node.value is not None for node in file.tree.within(function, ast.Return)
        )
    return is_training is False


def is_wrapped_by(file: SourceFile, inner: str, outer: set[str]) -> bool:
    """Whether one of the models named in `outer` is created from the model `inner`, or contains it."""
    for node in file.tree.named(inner):
        statement = file.tree.statement_of(node)
        if isinstance(statement, (ast.Assign, ast.AnnAssign)) and statement.value is not None:
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            if file.tree.is_inside(node, statement.value) and not outer.isdisjoint(map(text_of, targets)):
                return True
    return any(name == inner.partition(".")[0] or inner.startswith(name + ".") for name in outer)


@once_per_file
def may_switch_any_model(file: SourceFile) -> bool:
    """Whether eval() is called on an object that could be any model, such as an item of a list."""
    models = [find_receiver(call) for call in file.scopes.method_calls("eval")]
    return any(
        model.id == "self" or any(binding.is_item for binding in file.scopes.bindings(model))
        if isinstance(model, ast.Name)
        else isinstance(model, (ast.Subscript, ast.Call)) and not file.scopes.full_name(find_root(model))
        for model in models
    ) or any(
        "eval" in node.attr and node.attr != "eval" and "evaluat" not in node.attr
        for node in file.tree.nodes(ast.Attribute)
        if "mode" in node.attr or node.attr.startswith(("set_", "switch_", "to_", "prep_"))
    )
