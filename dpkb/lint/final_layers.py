"""The softmax, sigmoid or linear layer that a value comes from, through assignments and forward()."""

import ast

from dpkb.lint.classes import ClassInfo
from dpkb.lint.conditions import find_possible_values, is_conditional
from dpkb.lint.finding import Certainty
from dpkb.lint.nodes import Function, called_name, find_argument, find_receiver, group, is_method_call
from dpkb.lint.scopes import Variable
from dpkb.lint.source_file import SourceFile, once_per_file

LayerSite = tuple[SourceFile, ast.AST]
_CALLS = {
    "softmax": ("torch.softmax", "torch.nn.functional.softmax"),
    "sigmoid": ("torch.sigmoid", "torch.nn.functional.sigmoid", "torch.special.expit"),
    "linear": ("torch.nn.functional.linear",),
    "column": (),
}
_LAYERS = {
    "softmax": "torch.nn.Softmax",
    "sigmoid": "torch.nn.Sigmoid",
    "linear": "torch.nn.Linear",
    "column": "torch.nn.Linear",
}
_LOG_SOFTMAX = ("torch.log_softmax", "torch.nn.functional.log_softmax")
_SAME_OBJECT = ("contiguous", "float", "to", "cuda", "cpu", "clone", "detach")
# Methods that change the shape, the device or the type of a tensor, but not its values.
_SAME_VALUES = (
    *_SAME_OBJECT,
    "view",
    "reshape",
    "resize",
    "squeeze",
    "unsqueeze",
    "flatten",
    "transpose",
    "permute",
    "t",
)


def find_final_layer(
    file: SourceFile, node: ast.expr, kind: str, max_depth: int = 4, place: ast.AST | None = None
) -> LayerSite | None:
    """The layer of this kind that each origin of an expression ends in; None if one of them does not.

    place: where the expression is used, if it is in this file.
    """
    if max_depth == 0:
        return None
    origins = find_possible_values(file, node, place, 0) if place else file.values.origins(node)
    return _first_of_all([_layer_of_call(file, origin, kind, max_depth) for origin in origins])


def has_one_column(file: SourceFile, node: ast.expr, place: ast.AST) -> bool:
    """Whether a value is the output of Linear(n, 1), also after a sigmoid."""
    found = find_final_layer(file, node, "column", place=place)
    if found is None:
        return False
    owner, layer = found
    assert isinstance(layer, ast.Call)
    layers = [layer] if owner.scopes.callee(layer) else owner.values.origins(layer.func)
    return bool(layers) and all(
        isinstance(item, ast.Call) and owner.values.constant(find_argument(item, "out_features", 1)) == 1
        for item in layers
    )


def certainty_of_loss(file: SourceFile, call: ast.Call, losses: tuple[str, ...]) -> Certainty | None:
    """How sure it is that a call computes one of these losses; None if it may be none, or another is meant."""
    name = file.scopes.callee(call)
    if name:
        return Certainty.CERTAIN if name in losses else None
    function = call.func.value if is_method_call(call, "forward") else call.func
    # Much cheaper, and nearly always the answer: no such class, and no function as in `loss_fn = F.cross_entropy`.
    if not any(kind in losses for kind in file.values.types(function)) and not any(
        file.scopes.full_name(origin) for origin in file.values.origins(function)
    ):
        return None
    kinds = [
        kind
        for value in find_possible_values(file, function, call)
        for kind in file.values.types(value) or [file.scopes.full_name(value)]
    ]
    found = [kind in losses for kind in kinds]
    if found and all(found):
        return Certainty.CERTAIN
    # Where a setting decides, this may be the branch of another loss.
    return Certainty.LIKELY if any(found) and not is_conditional(file, call) else None


def find_final_layer_of_item(file: SourceFile, node: ast.expr, kind: str) -> LayerSite | None:
    """The final layer of a name that gets one item of a tuple, as in `validity, label = model(x)`."""
    return _layer_of_variable(file, file.scopes.bindings(node), kind) if isinstance(node, ast.Name) else None


@once_per_file
def _layer_of_variable(file: SourceFile, variable: Variable, kind: str) -> LayerSite | None:
    for binding in variable:
        if isinstance(binding.value, ast.Call) and binding.index is not None:
            owner, function = _function_of(file, binding.value)
            if function is None:
                return None
            return _layer_returned_by(owner, function, kind, 3, binding.index)
    return None


def _first_of_all(places: list[LayerSite | None]) -> LayerSite | None:
    """The first place; None if one of them is not known."""
    return places[0] if places and all(places) else None


@once_per_file
def _layer_of_call(file: SourceFile, node: ast.expr, kind: str, max_depth: int) -> LayerSite | None:
    if not isinstance(node, ast.Call):
        return None
    owner, defined = _function_of(file, node)
    if defined is not None:
        return _layer_returned_by(owner, defined, kind, max_depth)
    callee, function = file.scopes.callee(node), node.func
    is_method = isinstance(function, ast.Attribute) and not file.scopes.full_name(function)
    if (
        callee in _CALLS[kind]
        or _is_always(file, function, _LAYERS[kind])
        or (
            kind == "softmax"
            and callee == "torch.exp"
            and _is_log_softmax(file, find_argument(node, "input", 0))
        )
        or (is_method and called_name(node) == kind)
    ):
        return file, node
    if kind == "column" and callee in _CALLS["sigmoid"]:
        return find_final_layer(file, node.args[0], kind, max_depth - 1) if node.args else None
    if is_method and isinstance(function, ast.Attribute):
        # A column is one by its shape.
        if function.attr in (_SAME_OBJECT if kind == "column" else _SAME_VALUES):
            return find_final_layer(file, function.value, kind, max_depth - 1)
        if function.attr == "forward":
            function = function.value
    if _is_always(file, function, "torch.nn.Sequential"):
        return _layer_of_sequential(file, function, kind)
    return None


def _is_always(file: SourceFile, node: ast.expr, name: str) -> bool:
    """Whether each origin of a value is an instance of this class."""
    origins = file.values.origins(node)
    return bool(origins) and all(file.values.types(origin) == [name] for origin in origins)


def _function_of(file: SourceFile, call: ast.Call) -> tuple[SourceFile, Function | None]:
    """The function that a call runs: forward() of a model, a method, or a function of the file."""
    function = call.func
    for kind in file.values.types(function):
        if isinstance(kind, ClassInfo):
            return kind.file, kind.method("forward")
    if isinstance(function, ast.Attribute):
        for kind in file.values.types(function.value):
            if isinstance(kind, ClassInfo):
                return kind.file, kind.method(function.attr)
    return file, file.definitions.find_function(function)


def _is_log_softmax(file: SourceFile, node: ast.expr | None) -> bool:
    origins = file.values.origins(node)
    return bool(origins) and all(
        isinstance(origin, ast.Call)
        and (
            file.scopes.callee(origin) in _LOG_SOFTMAX or _is_always(file, origin.func, "torch.nn.LogSoftmax")
        )
        for origin in origins
    )


def _layer_returned_by(
    file: SourceFile, function: Function, kind: str, max_depth: int, index: int | None = None
) -> LayerSite | None:
    """The layer that computes what a function with one return statement returns, or one item of it."""
    returns = [
        item.value
        for item in file.tree.within(function, ast.Return)
        if item.value is not None and file.tree.function_of(item) is function
    ]
    if len(returns) != 1:
        return None
    value = returns[0]
    if index is not None:
        if not isinstance(value, ast.Tuple) or index >= len(value.elts):
            return None
        value = value.elts[index]
    return find_final_layer(file, value, kind, max_depth - 1, value)


def _layer_of_sequential(file: SourceFile, node: ast.expr, kind: str, max_depth: int = 4) -> LayerSite | None:
    if max_depth == 0:
        return None
    return _first_of_all([_last_layer(file, origin, kind, max_depth) for origin in file.values.origins(node)])


def _last_layer(file: SourceFile, sequential: ast.expr, kind: str, max_depth: int) -> LayerSite | None:
    """The last layer of a Sequential, or of those that a function returns, if it is of this kind."""
    if not isinstance(sequential, ast.Call):
        return None
    builder = file.definitions.find_function(sequential.func)
    if builder is not None:
        return _first_of_all(
            [
                _layer_of_sequential(file, returned.value, kind, max_depth - 1)
                for returned in file.tree.within(builder, ast.Return)
                if returned.value is not None
            ]
        )
    layers = _added_layers(file)[sequential] or [
        layer
        for layer in sequential.args
        if kind != "column"
        or not isinstance(layer, ast.Call)
        or file.scopes.callee(layer) != _LAYERS["sigmoid"]
    ]
    last = layers[-1] if layers else None
    return (file, last) if isinstance(last, ast.Call) and file.scopes.callee(last) == _LAYERS[kind] else None


@once_per_file
def _added_layers(file: SourceFile) -> dict[ast.expr, list[ast.expr]]:
    """What creates a Sequential -> the layers that add_module() and append() add to it."""
    return group(
        (sequential, call.args[-1])
        for call in file.scopes.method_calls("add_module", "append")
        if call.args
        for sequential in file.values.origins(find_receiver(call))
    )
