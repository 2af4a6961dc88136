"""Which expressions of a file are models (objects of nn.Module), and which calls run them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from dpkb.lint import library_names
from dpkb.lint.classes import ClassInfo
from dpkb.lint.module import Module, once_per_file
from dpkb.lint.nodes import receiver, root, text_of

# The usual names of models: model, self.net, netG, model_b, net2.
_MODEL = re.compile(r"(self\.)?_?(model|net|network|cnn)(_?[A-Z]|_[a-z]|\d)?")
# Methods by which programs run a model other than model(x).
_RUN_METHODS = re.compile(r"(\w*_)?forward(_\w*)?|infer|inference")
# Methods of modules. An optimizer has load_state_dict() as well, but no program calls an optimizer.
_MODULE_METHODS = ("parameters", "named_parameters", "load_state_dict", "eval", "train")


def is_nn_module(module: Module, node: ast.expr | None) -> bool:
    """Whether a value is an nn.Module by its class, or because the file calls a method of modules on it."""
    return module.is_a(node, library_names.MODULE) or text_of(node) in _used_as_modules(module)


def looks_like_model(module: Module, node: ast.expr) -> bool:
    """Whether a value is an nn.Module, or has the name of one, and is no loss."""
    if isinstance(node, ast.Attribute) and node.attr == "forward":
        node = node.value
    if isinstance(node, ast.Subscript):
        models = text_of(node.value).rstrip("s")  # self.models["generator"]
        return not module.full_name(root(node)) and _MODEL.fullmatch(models) is not None
    return (
        isinstance(node, (ast.Name, ast.Attribute)) and not module.full_name(node)
        and (_MODEL.fullmatch(text_of(node)) is not None or is_nn_module(module, node))
        and not _is_criterion(module, node))


def class_may_be_nn_module(info: ClassInfo) -> bool:
    """Whether a class is an nn.Module, or has a forward() and so may be one whose base class is not known."""
    return info.is_a(library_names.MODULE) or any(name.startswith("forward") for name in info.methods)


def nn_module_classes(module: Module) -> Iterator[ClassInfo]:
    """The subclasses of nn.Module that a file defines."""
    for node in module.nodes(ast.ClassDef):
        info = module.classes[node.name]
        if info.node is node and info.is_a(library_names.MODULE):
            yield info


def runs_of(module: Module, tree: ast.AST, model: str) -> list[ast.Call]:
    """The calls in a tree that run the model of this name."""
    return [
        call for call in module.within(tree, ast.Call)
        if text_of(call.func) == model or text_of(_model_argument(module, call)) == model or (
            isinstance(call.func, ast.Attribute) and _RUN_METHODS.fullmatch(call.func.attr)
            and text_of(call.func.value) == model)]


def model_run_by(module: Module, tree: ast.AST, through: bool = True) -> ast.expr | None:
    """The model that a function or loop runs. through: also in the functions of this file that it calls."""
    call = first_model_call(module, tree, through)
    if call is None:
        return None
    if looks_like_model(module, call.func):
        is_forward = isinstance(call.func, ast.Attribute) and call.func.attr == "forward"
        return receiver(call) if is_forward else call.func
    helper = module.function_named(call.func)
    return _model_argument(module, call) or (model_run_by(module, helper, through=False) if helper else None)


def first_model_call(module: Module, tree: ast.AST, through: bool = True) -> ast.Call | None:
    """The first call in a tree that runs a model. through: or that calls a function of the file that does."""
    calls = module.within(tree, ast.Call)
    for call in calls:
        if looks_like_model(module, call.func) or _model_argument(module, call):
            return call
    return next((
        call for call in calls if through and (helper := module.function_named(call.func)) is not None
        and first_model_call(module, helper, through=False)), None)


def may_have_batch_norm(module: Module, model: ast.expr | None) -> bool:
    """Whether a model has BatchNorm layers: by the code of its class; torchvision and timm models have."""
    for kind in module.types(model):
        if isinstance(kind, str):
            if kind.startswith(("torchvision.models.", "timm.")):
                return True
        elif any(kind.module.callee(call) in library_names.BATCH_NORMS for call in ast.walk(kind.node)
                 if isinstance(call, ast.Call)):
            return True
    for origin in module.origins(model):
        for call in ast.walk(origin):
            if isinstance(call, ast.Call) and module.callee(call) in library_names.BATCH_NORMS:
                return True
    # model.backbone of a torchvision model
    return isinstance(model, ast.Attribute) and may_have_batch_norm(module, model.value)


def _model_argument(module: Module, call: ast.Call) -> ast.expr | None:
    """The model given to a function of another file, as in `forward_step(model, batch)`."""
    name = text_of(call.func).rpartition(".")[2] if isinstance(call.func, (ast.Name, ast.Attribute)) else ""
    if not _RUN_METHODS.fullmatch(name) or module.function_named(call.func) is not None:
        return None
    return next((item for item in call.args if looks_like_model(module, item)), None)


@once_per_file
def _used_as_modules(module: Module) -> set[str]:
    """The names on which parameters(), eval() or the like is called somewhere in the file."""
    return {text_of(model) for call in module.method_calls(*_MODULE_METHODS)
            if isinstance(model := receiver(call), (ast.Name, ast.Attribute))} - {"self"}


def _is_criterion(module: Module, node: ast.expr) -> bool:
    if re.search(r"loss|crit", text_of(node), re.IGNORECASE):
        return True
    return any(
        (kind if isinstance(kind, str) else kind.name).endswith(("Loss", "Loss2d"))
        for kind in module.types(node))
