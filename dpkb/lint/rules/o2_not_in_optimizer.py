"""O2: layers whose parameters the optimizer does not have."""

import ast

from dpkb.lint import library_names
from dpkb.lint.classes import ClassInfo
from dpkb.lint.gradients import is_without_gradients
from dpkb.lint.models import find_loads, find_nn_module_classes, model_of_parameters
from dpkb.lint.nodes import FUNCTIONS, find_receiver, group, text_of
from dpkb.lint.source_file import Certainty, Findings, SourceFile, once_per_file
from dpkb.lint.training_steps import find_training_steps

LOOKS_FOR = (
    "model.fc = nn.Linear(...) after the optimizer was created, parameters that forward() creates, and a second "
    "model that no optimizer has."
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


def check(file: SourceFile) -> Findings:
    yield from _find_created_in_forward(file)
    yield from _find_loaded_optimizers(file)
    yield from _find_models_without_optimizer(file)
    for call in file.tree.calls:
        model = text_of(model_of_parameters(call.args[0])) if call.args else ""
        if model and library_names.is_subclass(file.scopes.callee(call), library_names.OPTIMIZER):
            statement = file.tree.statement_of(call)
            if isinstance(statement, ast.Assign):
                yield from _find_replaced_layers(file, statement, model)


def _find_loaded_optimizers(file: SourceFile) -> Findings:
    """self.optimizer = checkpoint["optimizer"]: the object has its own copies of the parameters."""
    if not file.scopes.calls_of("torch.load") or not file.scopes.method_calls("load_state_dict"):
        return
    for step in file.scopes.method_calls("step"):
        optimizer = find_receiver(step)
        for origin in file.values.origins(optimizer):
            if (
                "optim" in text_of(optimizer)
                and isinstance(origin, ast.Subscript)
                and find_loads(file, origin)
            ):
                yield file.finding(
                    "O2",
                    origin,
                    Certainty.LIKELY,
                    f"`{text_of(optimizer)}` comes from the file with copies of the parameters: it never updates "
                    "the model",
                    "save `optimizer.state_dict()`, and load it into a new optimizer of the model",
                )


def _find_models_without_optimizer(file: SourceFile) -> Findings:
    """decoder(encoder(x)) in a training step, where the only optimizer gets encoder.parameters()."""
    optimizers = [
        call
        for call in file.tree.calls
        if library_names.is_subclass(file.scopes.callee(call), library_names.OPTIMIZER)
    ]
    model = (
        model_of_parameters(optimizers[0].args[0]) if len(optimizers) == 1 and optimizers[0].args else None
    )
    if not isinstance(model, ast.Name):
        return
    given = file.values.types(model)
    uses = {
        text_of(node) for call in file.tree.calls for node in [model_of_parameters(call)] if node is not None
    }
    for training in find_training_steps(file):
        for call in file.tree.within(training.block, ast.Call):
            other = call.func
            kinds = file.values.types(other) if isinstance(other, ast.Name) else []
            if (
                not isinstance(other, ast.Name)
                or other.id == model.id
                or not any(
                    isinstance(kind, ClassInfo) and kind.is_a(library_names.NN_MODULE) for kind in kinds
                )
                or kinds == given
                or not file.tree.first(file.tree.named(model.id), training.block)
                or other.id in uses
                or is_without_gradients(file, call)
                or not _has_weights(kinds)
                or file.tree.mentions(file.tree.root, "requires_grad", "requires_grad_", "add_param_group")
                or any(
                    file.tree.is_inside(use, origin)
                    for origin in file.values.origins(model)
                    for use in file.tree.named(other.id)
                )
            ):
                continue
            yield file.finding(
                "O2",
                optimizers[0],
                Certainty.LIKELY,
                f"the optimizer has the parameters of `{model.id}` only: `{other.id}`, which the loss also needs, is "
                "never trained",
                f"give it those of both: `[*{model.id}.parameters(), *{other.id}.parameters()]`",
            )
            return


def _has_weights(kinds: list[str | ClassInfo]) -> bool:
    """Whether a class creates layers with weights itself; a loss has none."""
    return any(
        kind.file.scopes.callee(call) in library_names.LAYERS_WITH_WEIGHTS
        for kind in kinds
        if isinstance(kind, ClassInfo)
        for call in kind.file.tree.within(kind.node, ast.Call)
    )


def _find_replaced_layers(file: SourceFile, statement: ast.Assign, model: str) -> Findings:
    """model.fc = nn.Linear(...) in the block, after the statement that creates the optimizer."""
    optimizer = text_of(statement.targets[0])
    rest = file.tree.rest_of_block(statement)
    if file.tree.mentions(rest, "add_param_group"):
        return
    again = file.tree.first(file.tree.assignments_to(optimizer), rest)
    rest = file.tree.rest_of_block(statement, end=again)
    for later in file.tree.select(_assignments_of_parts(file)[model.split(".")[0]], rest):
        is_layer = (
            file.tree.parents[later] is file.tree.parents[statement]
            and file.values.is_a(later.value, library_names.NN_MODULE)
            and not _is_without_weights(file, later.value)
        )
        certainty = _find_certainty(file, statement, later) if is_layer else None
        for target in later.targets:
            if (
                certainty is not None
                and isinstance(target, (ast.Attribute, ast.Subscript))
                and _root_of_part(target) == model.split(".")[0]
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


@once_per_file
def _assignments_of_parts(file: SourceFile) -> dict[str, list[ast.Assign]]:
    """Name -> the assignments to its attributes and items, such as name.fc = value, in the order of the text."""
    return group(
        (_root_of_part(target), statement)
        for statement in file.tree.nodes(ast.Assign)
        for target in statement.targets
        if isinstance(target, (ast.Attribute, ast.Subscript))
    )


def _root_of_part(target: ast.Attribute | ast.Subscript) -> str:
    return text_of(target.value).split(".")[0].split("[")[0]


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


def _find_certainty(file: SourceFile, created: ast.Assign, replaced: ast.Assign) -> Certainty | None:
    """How certain it is that a new layer has weights, and that the old optimizer is used to train them.

    None if it is not used: the training is over, or gets another optimizer.
    """
    optimizer, block = text_of(created.targets[0]), file.tree.parents[created]
    use = file.tree.first(file.tree.named(optimizer), file.tree.rest_of_block(replaced))
    if use is None:
        is_local = isinstance(created.targets[0], ast.Name) and isinstance(
            block, (*FUNCTIONS, ast.For, ast.While)
        )
        return None if is_local else Certainty.LIKELY  # other code may use it
    statement: ast.AST = use
    while file.tree.parents[statement] is not block:
        statement = file.tree.parents[statement]
    contexts = {type(node.ctx) for node in file.tree.named(optimizer, statement)}
    if ast.Load not in contexts:
        return None
    has_weights = any(
        isinstance(node, ast.Call) and file.scopes.callee(node) in library_names.LAYERS_WITH_WEIGHTS
        for origin in file.values.origins(replaced.value)
        for node in ast.walk(origin)
    )
    return Certainty.CERTAIN if has_weights and contexts == {ast.Load} else Certainty.LIKELY


def _find_created_in_forward(file: SourceFile) -> Findings:
    """nn.Linear(...) or nn.Parameter(...) in a method that forward() runs: new weights in each call."""
    for info in find_nn_module_classes(file):
        forward = info.methods.get("forward")
        called = file.definitions.find_called_functions(forward) if forward else ()
        inner = {item: None for item in called if info.methods.get(item.name) is item}
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
    is_local = isinstance(statement, ast.Assign) and all(
        isinstance(target, ast.Name) and target.id not in _returned_by(file, function)
        for target in statement.targets
    )
    is_called = isinstance(parent, ast.Call) and parent.func is call
    return (is_local or is_called) and not (
        is_without_gradients(file, call)
        or _may_keep_layers(file, function)
        or any(keyword.arg == "requires_grad" for keyword in call.keywords)
    )


@once_per_file
def _returned_by(file: SourceFile, function: ast.AST) -> set[str]:
    """The texts of the values that a function returns."""
    return {
        text_of(item)
        for node in file.tree.within(function, ast.Return)
        for item in (node.value.elts if isinstance(node.value, ast.Tuple) else [node.value])
    }


@once_per_file
def _may_keep_layers(file: SourceFile, function: ast.AST) -> bool:
    return file.tree.mentions(function, "setattr") or any(
        node.attr in _KEEPING_WORDS for node in file.tree.within(function, ast.Attribute)
    )
