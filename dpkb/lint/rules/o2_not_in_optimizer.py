"""O2: layers whose parameters the optimizer does not have."""

import ast
from collections.abc import Iterator

from dpkb.lint import library_names
from dpkb.lint.finding import Certainty, Finding
from dpkb.lint.gradients import is_without_gradients
from dpkb.lint.models import find_nn_module_classes, model_of_parameters
from dpkb.lint.nodes import FUNCTIONS, text_of
from dpkb.lint.source_file import SourceFile

LOOKS_FOR = (
    "model.fc = nn.Linear(...) after the optimizer was created, and parameters that forward() creates."
)

_LAYERS_WITHOUT_WEIGHTS = tuple(
    f"torch.nn.{name}" for name in ("Identity", "Flatten", "Dropout", "ReLU", "Sigmoid", "Softmax")
)
# A function that mentions one of these may keep a layer that it creates.
_KEEPING_WORDS = (
    "register_parameter",
    "add_module",
    "register_module",
    "append",
    "weight",
    "load_state_dict",
)


def check(file: SourceFile) -> Iterator[Finding]:
    yield from _find_created_in_forward(file)
    for call in file.tree.calls:
        model = text_of(model_of_parameters(call.args[0])) if call.args else ""
        if model and library_names.is_subclass(file.scopes.callee(call), library_names.OPTIMIZER):
            statement = file.tree.statement_of(call)
            if isinstance(statement, ast.Assign):
                yield from _find_replaced_layers(file, statement, model)


def _find_replaced_layers(file: SourceFile, statement: ast.Assign, model: str) -> Iterator[Finding]:
    """model.fc = nn.Linear(...) in the block, after the statement that creates the optimizer."""
    optimizer = text_of(statement.targets[0])
    _, following = file.tree.statements_around(statement)
    if any(file.tree.mentions(later, "add_param_group") for later in following):
        return
    for index, later in enumerate(following):
        if optimizer in _targets_in(later):
            return
        if (
            not isinstance(later, ast.Assign)
            or not file.values.is_a(later.value, library_names.NN_MODULE)
            or _is_without_weights(file, later.value)
        ):
            continue
        certainty = _find_certainty(file, statement, later, following[index + 1 :])
        if certainty is None:
            continue
        for target in later.targets:
            if (
                isinstance(target, (ast.Attribute, ast.Subscript))
                and text_of(target.value).split(".")[0].split("[")[0] == model.split(".")[0]
                and text_of(target.value).startswith(model)
            ):
                yield file.finding(
                    "O2",
                    later,
                    certainty,
                    f"`{text_of(target)}` is replaced after `{optimizer}` was created: the optimizer "
                    "still has the parameters of the old layer, and the new layer is never trained",
                    "create the optimizer after the last change of the model",
                )


def _is_without_weights(file: SourceFile, value: ast.expr) -> bool:
    """Whether a value is certainly a layer that has nothing to train: nn.Identity(), nn.Sequential()."""
    origins = file.values.origins(value)
    return bool(origins) and all(
        isinstance(origin, ast.Call)
        and (
            file.scopes.callee(origin) in _LAYERS_WITHOUT_WEIGHTS
            or (file.scopes.callee(origin) == "torch.nn.Sequential" and not origin.args)
        )
        for origin in origins
    )


def _find_certainty(
    file: SourceFile,
    created: ast.Assign,
    replaced: ast.Assign,
    following: list[ast.stmt],
) -> Certainty | None:
    """How certain it is that a new layer has weights, and that the old optimizer is used to train them.

    None if it is not used: the training is over, or gets another optimizer.
    """
    optimizer = text_of(created.targets[0])
    has_weights = any(
        isinstance(node, ast.Call) and file.scopes.callee(node) in library_names.LAYERS_WITH_WEIGHTS
        for origin in file.values.origins(replaced.value)
        for node in ast.walk(origin)
    )
    for later in following:
        is_replaced = optimizer in file.tree.assigned_in(later)
        nodes: list[ast.Name | ast.Attribute] = file.tree.within(later, ast.Name, ast.Attribute)
        if any(isinstance(node.ctx, ast.Load) and text_of(node) == optimizer for node in nodes):
            return Certainty.CERTAIN if has_weights and not is_replaced else Certainty.LIKELY
        if is_replaced:
            return None
    is_local = isinstance(created.targets[0], ast.Name) and isinstance(
        file.tree.parents[created], (*FUNCTIONS, ast.For, ast.While)
    )
    return None if is_local else Certainty.LIKELY  # other code may use it


def _find_created_in_forward(file: SourceFile) -> Iterator[Finding]:
    """nn.Linear(...) or nn.Parameter(...) in a method that forward() runs: new weights in each call."""
    for info in find_nn_module_classes(file):
        forward = info.methods.get("forward")
        methods = list(info.methods.values())
        called = file.definitions.find_called_functions(forward) if forward else ()
        inner = [item for item in called if item in methods]
        for method in [forward, *inner] if forward else []:
            for call in file.tree.within(method, ast.Call):
                layer = file.scopes.callee(call)
                if layer in library_names.LAYERS_WITH_WEIGHTS and _is_temporary(file, call):
                    yield file.finding(
                        "O2",
                        call,
                        Certainty.LIKELY,
                        f"creates new weights in each call of `{method.name}`, which no optimizer trains",
                        "create it in __init__",
                    )


def _is_temporary(file: SourceFile, call: ast.Call) -> bool:
    """Whether nothing keeps a new layer: layer = nn.Linear(...) without a return, or nn.Linear(...)(x)."""
    statement, parent = file.tree.statement_of(call), file.tree.parents[call]
    function = file.tree.block_of(call)
    results = [
        text_of(item)
        for node in file.tree.within(function, ast.Return)
        for item in (node.value.elts if isinstance(node.value, ast.Tuple) else [node.value])
    ]
    is_local = isinstance(statement, ast.Assign) and all(
        isinstance(target, ast.Name) and target.id not in results for target in statement.targets
    )
    is_called = isinstance(parent, ast.Call) and parent.func is call
    return (is_local or is_called) and not (
        is_without_gradients(file, call)
        or file.tree.mentions(function, "setattr")
        or any(node.attr in _KEEPING_WORDS for node in file.tree.within(function, ast.Attribute))
        or any(keyword.arg == "requires_grad" for keyword in call.keywords)
    )


def _targets_in(statement: ast.stmt) -> set[str]:
    return {
        text_of(target)
        for node in ast.walk(statement)
        if isinstance(node, ast.Assign)
        for target in node.targets
    }
