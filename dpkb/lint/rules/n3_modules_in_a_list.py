"""N3: layers in a plain list or dict, which their module does not register."""

import ast
import re

from dpkb.lint import library_names
from dpkb.lint.classes import ClassInfo, type_is_a
from dpkb.lint.edits import replace, source_of
from dpkb.lint.models import find_nn_module_classes
from dpkb.lint.nodes import (
    Function,
    as_constant,
    called_name,
    group,
    is_method_call,
    names_in,
    self_attribute,
    text_of,
)
from dpkb.lint.source_file import Certainty, Edit, Findings, SourceFile, once_per_file

LOOKS_FOR = "self.layers = [nn.Linear(...), ...], or a list or dict to which layers are added."

_REGISTERING_METHODS = ("add_module", "register_module", "register_parameter")
_REGISTERING_WORDS = (*_REGISTERING_METHODS, "register_buffer", "Parameter", "Buffer", "setattr")
# The usual names of layers that other files define.
_LAYER_NAMES = re.compile(
    r"[A-Z]\w*(Block|Layer|Conv[123]d|Linear|Attention|MLP|Mlp|Cell|Head|Encoder|Decoder|FFN|FeedForward|Norm)\d?"
)
# What modules have already. A layer of such a name is refused, or hidden by it.
_MODULE_ATTRIBUTES = set(
    "T_destination add_module append apply bfloat16 buffers call_super_init children clear compile cpu cuda "
    "double dump_patches eval extend extra_repr float forward get_buffer get_extra_state get_parameter "
    "get_submodule half insert ipu items keys load_state_dict modules mtia named_buffers named_children "
    "named_modules named_parameters parameters pop requires_grad_ set_extra_state set_submodule share_memory "
    "state_dict to to_empty train training type update values xpu zero_grad".split()
)
_CONTAINERS = ("Sequential", "ModuleList", "ModuleDict", "ParameterList")


def check(file: SourceFile) -> Findings:
    for info in find_nn_module_classes(file):
        for name, values in info.attributes.items():
            for _, value in values:
                kind = _kind_of_container(file, info, name, value)
                if kind and not _is_registered_elsewhere(file, info, name):
                    registered = "nn.ModuleDict" if kind == "dict" else "nn.ModuleList"
                    is_early = _is_before_super_call(file, value)
                    yield file.finding(
                        "N3",
                        file.tree.statement_of(value),
                        # A list of one layer may be meant to hide it.
                        Certainty.LIKELY
                        if isinstance(value, ast.List) and len(value.elts) == 1
                        else Certainty.CERTAIN,
                        f"`self.{name}` is a {kind} of layers, which are not trained, moved or saved",
                        f"`self.{name} = {registered}(...)`" + ", after `super().__init__()`" * is_early,
                        [_wrap_in_container(file, value, kind) if not is_early else None],
                    )
                elif _has_plain_parameters(file, value) and not _is_registered_elsewhere(file, info, name):
                    yield file.finding(
                        "N3",
                        file.tree.statement_of(value),
                        Certainty.CERTAIN,
                        f"`self.{name}` is a list of parameters, which are not trained, moved or saved",
                        f"`self.{name} = nn.ParameterList(...)`",
                    )


def _has_plain_parameters(file: SourceFile, value: ast.expr) -> bool:
    """Whether a value is a literal list of parameters: [nn.Parameter(...), ...]."""
    return any(
        isinstance(item, ast.Call) and file.scopes.callee(item) == library_names.PARAMETER
        for origin in file.values.origins(value)
        for item in (
            origin.elts
            if isinstance(origin, (ast.List, ast.Tuple))
            else [origin.elt]
            if isinstance(origin, ast.ListComp)
            else []
        )
    )


def _is_before_super_call(file: SourceFile, value: ast.expr) -> bool:
    """Whether __init__() sets an attribute before it calls that of the base class."""
    statement, function = file.tree.statement_of(value), file.tree.function_of(value)
    return (
        function is not None
        and function.name == "__init__"
        and not any(
            isinstance(earlier, ast.Expr)
            and isinstance(earlier.value, ast.Call)
            and called_name(earlier.value) == "__init__"
            and earlier.lineno < statement.lineno
            for earlier in function.body
        )
    )


def _wrap_in_container(file: SourceFile, value: ast.expr, kind: str) -> Edit | None:
    """The edit from [...] to nn.ModuleList([...]); None for a dict with keys that ModuleDict refuses."""
    items = getattr(value, "elts", [getattr(value, "elt", None)])
    alias = _name_of_torch_nn(file, value)
    # `self.a, self.b = value` has no expression of its own for each target.
    if (
        not alias
        or isinstance(value, ast.Subscript)
        or any(isinstance(item, (ast.List, ast.Tuple)) for item in items)
    ):
        return None
    if kind == "dict":
        is_named = (
            isinstance(value, ast.Dict)
            and value.keys
            and all(
                isinstance(name := as_constant(key), str) and _may_be_attribute(name) for key in value.keys
            )
        )
        return replace(file, value, f"{alias}.ModuleDict({source_of(file, value)})") if is_named else None
    inner = "" if isinstance(value, ast.List) and not value.elts else source_of(file, value)
    return replace(file, value, f"{alias}.ModuleList({inner})")


def _name_of_torch_nn(file: SourceFile, value: ast.expr) -> str:
    """What the code of a value may write for torch.nn: "nn" or "torch.nn"; "" if nothing imports it."""
    scope = file.tree.scope_of(value)
    names = [
        item.asname or item.name.partition(".")[0]
        for node in file.tree.root.body
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for item in node.names
    ]
    names = [name for name in names if not file.scopes.bindings_in(scope, name)]
    return next((name for name in names if file.scopes.imports.get(name) == "torch.nn"), "") or next(
        (f"{name}.nn" for name in names if file.scopes.imports.get(name) == "torch"), ""
    )


def _may_be_attribute(name: str) -> bool:
    """Whether a module may have a layer of this name: "block1", but not "layer.1" and "train"."""
    return name.isidentifier() and not name.startswith(("_", "register_")) and name not in _MODULE_ATTRIBUTES


def _kind_of_container(file: SourceFile, info: ClassInfo, name: str, value: ast.expr) -> str:
    """ "list" or "dict" if a value is one that has layers, else ""."""
    if len(file.values.origins(value)) > 1 and file.values.is_a(value, library_names.NN_MODULE):
        return ""  # it was converted to an nn.Sequential or the like
    for origin in file.values.origins(value):
        is_empty = isinstance(origin, ast.List) and not origin.elts
        if _is_list_of_layers(file, origin) or (is_empty and _layers_are_added(file, info, name, value)):
            return "list"
        if _is_dict_of_layers(file, origin) or (
            _is_empty_dict(origin) and _layers_are_stored(file, info, name)
        ):
            return "dict"
    return ""


def _is_list_of_layers(file: SourceFile, node: ast.expr) -> bool:
    """Whether an expression is a list that has layers, such as [layer] * 3 or list(layer for _ in x)."""
    if isinstance(node, (ast.List, ast.Tuple)):
        return any(
            _is_layer(file, item)
            or (
                isinstance(item, (ast.List, ast.Tuple)) and any(_is_layer(file, inner) for inner in item.elts)
            )
            for item in node.elts
        )
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult) and isinstance(node.left, ast.List):
        return any(_is_layer(file, item) for item in node.left.elts)
    if isinstance(node, (ast.ListComp, ast.GeneratorExp)):
        return any(_is_layer(file, item) for item in getattr(node.elt, "elts", [node.elt]))
    if not isinstance(node, ast.Call):
        return False
    first = node.args[0] if node.args and text_of(node.func) in ("tuple", "list") else None
    return (isinstance(first, (ast.GeneratorExp, ast.ListComp)) and _is_layer(file, first.elt)) or (
        _returns_list(file, node)
    )


def _is_dict_of_layers(file: SourceFile, node: ast.expr) -> bool:
    return (
        any(_is_layer(file, item) for item in node.values)
        if isinstance(node, ast.Dict)
        else isinstance(node, ast.DictComp) and _is_layer(file, node.value)
    )


def _is_layer(file: SourceFile, node: ast.expr) -> bool:
    return isinstance(node, (ast.Call, ast.Name)) and (
        any(
            type_is_a(kind, library_names.NN_MODULE) and not _has_no_weights(kind) and not _is_empty(kind)
            for kind in file.values.types(node)
        )
        or _is_layer_by_name(file, node)
    )


def _is_layer_by_name(file: SourceFile, node: ast.expr) -> bool:
    """Whether a value is of a class from another file with the name of a layer, such as Block."""
    kinds = file.values.types(node)
    return bool(kinds) and all(
        isinstance(kind, str)
        and _LAYER_NAMES.fullmatch(kind.rpartition(".")[2])
        and not _has_no_weights(kind)
        and not kind.startswith(("torch.", "tensorflow.", "keras."))
        for kind in kinds
    )


def _is_empty(kind: str | ClassInfo, max_depth: int = 3) -> bool:
    """Whether a class of the linted files certainly has no parameters, buffers or layers."""
    if isinstance(kind, str):
        return _has_no_weights(kind)
    classes = [base for base in kind.ancestors if isinstance(base, ClassInfo)]
    values = [
        (info.file, value) for info in classes for pairs in info.attributes.values() for _, value in pairs
    ]
    return (
        max_depth > 0
        and all(base in (library_names.NN_MODULE, "object") for base in kind.ancestors if base not in classes)
        and not any(info.file.tree.mentions(info.node, *_REGISTERING_WORDS) for info in classes)
        and not any(
            isinstance(value, (ast.List, ast.ListComp)) and owner.tree.within(value, ast.Call)
            for owner, value in values
        )
        and all(
            _is_empty(layer, max_depth - 1)
            for owner, value in values
            for layer in owner.values.types(value)
            if type_is_a(layer, library_names.NN_MODULE)
        )
    )


def _has_no_weights(kind: str | ClassInfo) -> bool:
    """Whether a class has no parameters, by its name: a loss, an activation, a pooling layer ..."""
    name = kind.name if isinstance(kind, ClassInfo) else kind
    return name.endswith(
        (
            "Loss",
            "ReLU",
            "Dropout",
            "Identity",
            "Sigmoid",
            "Tanh",
            "Softmax",
            "Pool2d",
            "Pool1d",
            "GELU",
            "SiLU",
            "Flatten",
            "Upsample",
        )
    )


def _layers_are_added(file: SourceFile, info: ClassInfo, name: str, value: ast.expr) -> bool:
    """Whether layers are appended to an attribute, or to the local list that it is set to."""
    names = ["self." + name, *([value.id] if isinstance(value, ast.Name) else [])]
    return any(
        _is_layer(file, layer)
        for method in info.methods.values()
        for target in names
        for layer in _added_values(file, method)[target]
    )


@once_per_file
def _added_values(file: SourceFile, method: Function) -> dict[str, list[ast.expr]]:
    """The list that a method fills, `self.layers` or `layers` -> one value of each call that adds some."""
    return group(
        (text_of(call.func.value), value)
        for call in file.tree.within(method, ast.Call)
        if is_method_call(call, "append", "insert", "extend") and call.args
        for value in _values_added_by(call)
    )


def _values_added_by(call: ast.Call) -> list[ast.expr]:
    last = call.args[-1]
    if called_name(call) != "extend":
        return [last]
    return [last.elt] if isinstance(last, ast.ListComp) else getattr(last, "elts", [])[:1]


def _returns_list(file: SourceFile, call: ast.Call) -> bool:
    """Whether a call is of a function of the file that returns a list to which it appends layers."""
    function = file.definitions.find_function(call.func)
    if function is None:
        return False
    filled = {
        text_of(other.func.value)
        for other in file.tree.within(function, ast.Call)
        if is_method_call(other, "append") and other.args and _is_layer(file, other.args[0])
    }
    return any(
        text_of(node.value) in filled
        and {type(origin) for origin in file.values.origins(node.value)} == {ast.List}
        for node in file.tree.within(function, ast.Return)
    )


def _is_empty_dict(node: ast.expr) -> bool:
    if isinstance(node, ast.Dict):
        return not node.keys
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and not node.args
        and not node.keywords
        and node.func.id in ("dict", "OrderedDict")
    )


def _layers_are_stored(file: SourceFile, info: ClassInfo, name: str) -> bool:
    """Whether a layer is stored under a key, as in `self.layers[key] = nn.Linear(...)`."""
    return any(
        isinstance(target, ast.Subscript)
        and self_attribute(target.value, method) == name
        and _is_layer(file, assign.value)
        and not _is_argument_of_call(file, method, assign.value)
        for method in info.methods.values()
        for assign in file.tree.within(method, ast.Assign)
        for target in assign.targets
    )


def _is_argument_of_call(file: SourceFile, method: ast.AST, layer: ast.expr) -> bool:
    """Whether a layer is also an argument of a call, as in set_submodule(net, path, layer)."""
    return isinstance(layer, ast.Name) and any(
        isinstance(item, ast.Name) and item.id == layer.id
        for call in file.tree.within(method, ast.Call)
        for item in call.args
    )


@once_per_file
def _registered_attributes(file: SourceFile, method: Function) -> set[str] | None:
    """The attributes that a method passes to a container of layers; None if it may register any."""
    if file.tree.mentions(method, "_modules", "_parameters"):
        return None
    names = set()
    for call in file.tree.within(method, ast.Call) if method.name != "forward" else []:
        callee = called_name(call)
        if callee in _REGISTERING_METHODS or (callee == "setattr" and isinstance(call.func, ast.Name)):
            return None
        if callee in _CONTAINERS:
            names |= {self_attribute(node, method) for node in ast.walk(call)}
    return names


def _is_registered_elsewhere(file: SourceFile, info: ClassInfo, name: str) -> bool:
    """Whether the layers are registered in another way: nn.Sequential(*self.layers), add_module() ..."""
    values = [value for _, value in info.attributes.get(name, [])]
    others = [value for other, pairs in info.attributes.items() if other != name for _, value in pairs]
    items = [
        item
        for value in values
        for item in (value.values if isinstance(value, ast.Dict) else getattr(value, "elts", []))
    ]
    assigned = {value.id for value in others if isinstance(value, ast.Name)}
    variables = {value.id for value in values if isinstance(value, ast.Name)}
    registered = (_registered_attributes(file, method) for method in info.all_methods)
    return (
        any(names is None or name in names for names in registered)
        or any(isinstance(item, ast.Name) and item.id in assigned for item in items)
        or any(isinstance(value, ast.Call) and not variables.isdisjoint(names_in(value)) for value in others)
        or any(f"self.{name}" in map(text_of, getattr(value, "args", ())) for value in values)
    )
