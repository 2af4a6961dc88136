"""Which expressions of a file are models (objects of nn.Module), and which calls run them."""

import ast
import re
from collections.abc import Sequence

from dpkb.lint import library_names
from dpkb.lint.classes import ClassInfo
from dpkb.lint.nodes import Function, MethodCall, find_receiver, find_root, group, is_method_call, text_of
from dpkb.lint.source_file import SourceFile, once_per_file

# The usual names of models: model, self.net, netG, model_b, net2.
_MODEL = re.compile(r"(self\.)?_?(model|net|network|cnn)(_?[A-Z]|_[a-z]|\d)?")
# Methods by which programs run a model other than model(x).
_RUN_METHODS = re.compile(r"(\w*_)?forward(_\w*)?|infer|inference")
# Methods of modules. An optimizer has load_state_dict() as well, but no program calls an optimizer.
_MODULE_METHODS = ("parameters", "named_parameters", "load_state_dict", "eval", "train")


def is_nn_module(file: SourceFile, node: ast.expr | None) -> bool:
    """Whether a value is an nn.Module by its class, or because the file calls a method of modules on it."""
    return file.values.is_a(node, library_names.NN_MODULE) or text_of(node) in _used_as_modules(file)


def looks_like_model(file: SourceFile, node: ast.expr) -> bool:
    """Whether a value is an nn.Module, or has the name of one, and is no loss."""
    if isinstance(node, ast.Attribute) and node.attr == "forward":
        node = node.value
        if isinstance(node, ast.Name) and node.id != "self" and not file.scopes.full_name(node):
            return True
    if isinstance(node, ast.Subscript):
        models = text_of(node.value).rstrip("s")  # self.models["generator"]
        return not file.scopes.full_name(find_root(node)) and _MODEL.fullmatch(models) is not None
    return (
        isinstance(node, (ast.Name, ast.Attribute))
        and not file.scopes.full_name(node)
        and (_MODEL.fullmatch(text_of(node)) is not None or is_nn_module(file, node))
        and not _is_criterion(file, node)
    )


def class_may_be_nn_module(info: ClassInfo) -> bool:
    """Whether a class is an nn.Module, or has a forward() and so may be one whose base class is not known."""
    return info.is_a(library_names.NN_MODULE) or any(name.startswith("forward") for name in info.methods)


def find_nn_module_classes(file: SourceFile) -> list[ClassInfo]:
    """The subclasses of nn.Module that a file defines."""
    return file.definitions.subclasses_of(library_names.NN_MODULE)


def find_methods_of_forward(info: ClassInfo) -> list[Function]:
    """The methods of a class that its forward() reaches, which itself may be inherited."""
    return [
        method for method in info.find_reached_methods("forward") if info.methods.get(method.name) is method
    ]


def model_of_parameters(node: ast.AST | None) -> ast.expr | None:
    """`model` in `model.parameters()`; None for anything else."""
    return node.func.value if is_method_call(node, "parameters") else None


def runs_of(file: SourceFile, tree: ast.AST, model: str) -> Sequence[ast.Call]:
    """The calls in a tree that run the model of this name."""
    return file.tree.select(_all_runs(file).get(model, ()), tree)


@once_per_file
def _all_runs(file: SourceFile) -> dict[str, list[ast.Call]]:
    """The text of each expression that may be a model -> the calls that run it, in the order of the text."""
    return group((model, call) for call in file.tree.calls for model in _models_run_by(file, call))


def _models_run_by(file: SourceFile, call: ast.Call) -> set[str]:
    """The texts of what may be a model that a call runs."""
    is_run = isinstance(call.func, ast.Attribute) and _RUN_METHODS.fullmatch(call.func.attr)
    receiver = find_receiver(call) if is_run else call.func
    return {text_of(node) for node in (call.func, receiver, _model_argument(file, call))}


def find_model_run_by(file: SourceFile, tree: ast.AST, into_helpers: bool = True) -> ast.expr | None:
    """The model that a function or loop runs. into_helpers: also in functions of the file that it calls."""
    call = find_first_model_call(file, tree, into_helpers)
    if call is None:
        return None
    if looks_like_model(file, call.func):
        return find_receiver(call) if is_method_call(call, "forward") else call.func
    helper = file.definitions.find_function(call.func)
    return _model_argument(file, call) or (
        find_model_run_by(file, helper, into_helpers=False) if helper else None
    )


@once_per_file
def find_first_model_call(file: SourceFile, tree: ast.AST, into_helpers: bool = True) -> ast.Call | None:
    """The first call in a tree that runs a model. into_helpers: or a function of the file that runs one."""
    calls = file.tree.within(tree, ast.Call)
    for call in calls:
        if looks_like_model(file, call.func) or _model_argument(file, call):
            return call
    return next((call for call in calls if into_helpers and _runs_model_in_helper(file, call)), None)


def _runs_model_in_helper(file: SourceFile, call: ast.Call) -> bool:
    """Whether a call is of a function of the file that runs a model."""
    helper = file.definitions.find_function(call.func)
    return helper is not None and find_first_model_call(file, helper, False) is not None


def find_loads(file: SourceFile, node: ast.expr | None, max_depth: int = 4) -> list[ast.Call]:
    """The calls of torch.load() whose result, or an item of it, a value is: an object, and no state dict."""
    loads = []
    for origin in file.values.origins(node) if max_depth else ():
        if isinstance(origin, ast.Call) and file.scopes.callee(origin) == "torch.load":
            loads.append(origin)
        elif isinstance(origin, ast.Subscript):
            loads += find_loads(file, origin.value, max_depth - 1)
        elif is_method_call(origin, *library_names.SAME_OBJECT_METHODS):
            loads += find_loads(file, origin.func.value, max_depth - 1)
    return loads


def find_half_models(file: SourceFile) -> list[MethodCall]:
    """The calls of model.half(); none if the file converts a model back with float()."""
    is_back = any(
        text_of(call.func.value).endswith(".data")
        or file.values.is_a(call.func.value, library_names.NN_MODULE)
        for call in file.scopes.method_calls("float")
    )
    calls = [] if is_back else file.scopes.method_calls("half")
    return [
        call
        for call in calls
        if not call.args
        and is_nn_module(file, call.func.value)
        # A model that is only evaluated has no gradients.
        and not file.tree.select(
            file.scopes.calls_on(text_of(call.func.value), "eval"), file.tree.block_of(call)
        )
    ]


def may_have_batch_norm(file: SourceFile, model: ast.expr | None) -> bool:
    """Whether a model has BatchNorm layers: by the code of its class; torchvision and timm models have."""
    kinds = file.values.types(model)
    trees = [(kind.file, kind.node) for kind in kinds if isinstance(kind, ClassInfo)]
    return (
        any(isinstance(kind, str) and kind.startswith(("torchvision.models.", "timm.")) for kind in kinds)
        or any(
            owner.scopes.callee(call) in library_names.BATCH_NORMS
            for owner, tree in [*trees, *((file, origin) for origin in file.values.origins(model))]
            for call in owner.tree.within(tree, ast.Call)
        )
        # model.backbone of a torchvision model
        or (isinstance(model, ast.Attribute) and may_have_batch_norm(file, model.value))
    )


def _model_argument(file: SourceFile, call: ast.Call) -> ast.expr | None:
    """The model given to a function of another file, as in `forward_step(model, batch)`."""
    name = text_of(call.func).rpartition(".")[2] if isinstance(call.func, (ast.Name, ast.Attribute)) else ""
    if not _RUN_METHODS.fullmatch(name) or file.definitions.find_function(call.func) is not None:
        return None
    return next((item for item in call.args if looks_like_model(file, item)), None)


@once_per_file
def _used_as_modules(file: SourceFile) -> set[str]:
    """The names on which parameters(), eval() or the like is called somewhere in the file."""
    return {
        text_of(model)
        for call in file.scopes.method_calls(*_MODULE_METHODS)
        if isinstance(model := find_receiver(call), (ast.Name, ast.Attribute))
    } - {"self"}


def _is_criterion(file: SourceFile, node: ast.expr) -> bool:
    return bool(re.search(r"loss|crit", text_of(node), re.IGNORECASE)) or any(
        (kind if isinstance(kind, str) else kind.name).endswith(("Loss", "Loss2d"))
        for kind in file.values.types(node)
    )
