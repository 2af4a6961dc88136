"""N2: tensors that are no buffer of their module, and results of .to() that nothing uses."""

import ast
import re

from dpkb.lint import library_names
from dpkb.lint.classes import ClassInfo
from dpkb.lint.edits import replace
from dpkb.lint.loaders import loader_of
from dpkb.lint.models import find_methods_of_forward, find_nn_module_classes
from dpkb.lint.nodes import (
    Function,
    as_constant,
    find_receiver,
    is_method_call,
    root_name,
    self_attribute,
    text_of,
)
from dpkb.lint.scopes import Binding
from dpkb.lint.source_file import Certainty, Findings, SourceFile

LOOKS_FOR = "Plain tensor attributes that forward() uses, nn.Parameter(...).cuda(), unused results of .to()."

_CONVERSION_METHODS = ("to", "cuda", "cpu", "half", "float", "double", "bfloat16")

# Methods and attributes whose result is no tensor, or is on the device of another tensor.
_PLAIN_RESULTS = ("type_as", "tolist", "item", "shape", "size", "numel", "device", "dtype", "numpy", "dim")
_BUILTINS = ("len", "float", "int", "print", "list", "tuple", "range", "zip", "exists", "enumerate")

# Keyword arguments of torch's functions whose tensors must be on the same device.
_TENSOR_ARGUMENTS = ("weight", "pos_weight", "attn_mask", "mask", "bias", "input", "target", "other")


def check(file: SourceFile) -> Findings:
    for info in find_nn_module_classes(file):
        yield from _find_plain_tensors(file, info)
        yield from _find_moved_parameters(file, info)
    yield from _find_unused_results(file)


def _find_plain_tensors(file: SourceFile, info: ClassInfo) -> Findings:
    if any(name in info.methods for name in ("_apply", "to", "cuda")):
        return  # the class moves its tensors itself
    registered = _registered_names(file, info)
    setters = _setup_methods(file, info)
    for name, values in info.attributes.items():
        if name in registered or any(_is_parameter(file, value) for _, value in values):
            continue
        for method, value in values:
            if (
                method in setters
                and _creates_tensor(file, value)
                and not any(keyword.arg == "device" for keyword in file.tree.within(value, ast.keyword))
                and not _is_replaced_later(info, name, setters)
                and any(_computes_with(file, user, name) for user in _computing_methods(info))
            ):
                is_on_gpu = ".cuda(" in text_of(value)  # it works where it is used, and is only not saved
                yield file.finding(
                    "N2",
                    file.tree.statement_of(value),
                    Certainty.HINT if is_on_gpu else Certainty.LIKELY,
                    f"`self.{name}` is a plain tensor, which .to(device) and state_dict() leave out",
                    f'`self.register_buffer("{name}", ...)`, or nn.Parameter to train it',
                )


def _registered_names(file: SourceFile, info: ClassInfo) -> set[str]:
    """The names with which the class calls register_buffer() and register_parameter()."""
    return {
        text_of(call.args[0]).strip("'\"")
        for method in info.all_methods
        for call in file.tree.within(method, ast.Call)
        if is_method_call(call, "register_buffer", "register_parameter") and call.args
    }


def _is_parameter(file: SourceFile, value: ast.expr) -> bool:
    return isinstance(value, ast.Call) and file.scopes.callee(value) == library_names.PARAMETER


def _setup_methods(file: SourceFile, info: ClassInfo) -> set[str]:
    """__init__, and the methods that only __init__ calls, such as self._build_masks()."""
    calls = {
        method.name: {self_attribute(call.func, method) for call in file.tree.within(method, ast.Call)}
        for method in info.methods.values()
    }
    elsewhere = {name for caller, called in calls.items() if caller != "__init__" for name in called}
    return {"__init__"} | {
        name
        for name in calls.get("__init__", set()) & set(info.methods) - elsewhere
        if len(file.scopes.calls_by_name.get(name, ())) == 1
    }


def _is_replaced_later(info: ClassInfo, name: str, setters: set[str]) -> bool:
    """Whether something replaces an attribute later, as with a cache: another method, or forward()."""
    return any(
        method not in setters
        and (
            method != "forward"
            or f"self.{name}" not in text_of(value)
            or re.match(rf"self\.{name}\.(to|cuda|type_as|type)\(", text_of(value))
        )
        for method, value in info.attributes[name]
    )


def _creates_tensor(
    file: SourceFile, value: ast.expr, max_depth: int = 3, seen: tuple[str, ...] = ()
) -> bool:
    """Whether an expression creates a tensor: torch.zeros(...), also with arithmetic or methods around it.

    max_depth: how many names and functions to follow. seen: the names that were followed.
    """
    if isinstance(value, ast.IfExp) and as_constant(value.orelse) is None:
        value = value.body  # torch.tensor(mean) if mean else None
    if isinstance(value, ast.Name):
        return max_depth > 0 and _is_new_tensor(file, value, max_depth, seen)
    if isinstance(value, ast.Call):
        return _call_creates_tensor(file, value, max_depth, seen)
    if isinstance(value, ast.BinOp):
        operand = value.left if not isinstance(value.left, ast.Constant) else value.right
        return _creates_tensor(file, operand, max_depth, seen)
    return (
        isinstance(value, ast.Subscript)
        and _is_view(value.slice)
        and _creates_tensor(file, value.value, max_depth, seen)
    )


def _is_new_tensor(file: SourceFile, name: ast.Name, max_depth: int, seen: tuple[str, ...]) -> bool:
    """Whether each assignment to a name creates a tensor. Assignments such as `x = x * 2` do not count."""
    if any(isinstance(binding.node, ast.arg) for binding in file.scopes.bindings(name)):
        return False  # the value may still be the argument
    seen = (*seen, name.id)
    origins = [
        origin
        for origin in file.values.origins(name)
        if root_name(origin) not in seen
        and not (isinstance(origin, ast.BinOp) and file.tree.mentions(origin, name.id))
    ]
    return bool(origins) and all(_creates_tensor(file, item, max_depth - 1, seen) for item in origins)


def _call_creates_tensor(file: SourceFile, call: ast.Call, max_depth: int, seen: tuple[str, ...]) -> bool:
    name = file.scopes.callee(call)
    if _fits_each_device(file, call):
        return False
    if library_names.is_subclass(name, library_names.TENSOR):
        return True
    if name == "torch.autograd.Variable" and call.args:
        return _creates_tensor(file, call.args[0], max_depth, seen)
    if max_depth and file.definitions.find_function(call.func) is not None:
        values = file.definitions.find_returns(call)
        return bool(values) and all(_creates_tensor(file, item, max_depth - 1, seen) for item in values)
    # A method: torch.arange(4).view(1, 4)
    return (
        isinstance(call.func, ast.Attribute)
        and not file.scopes.full_name(call.func)
        and call.func.attr not in ("item", "tolist", "numpy", "shape", "size", "to")
        and _creates_tensor(file, call.func.value, max_depth, seen)
    )


def _fits_each_device(file: SourceFile, call: ast.Call) -> bool:
    """Whether a tensor works with tensors of any device: one number, or torch.empty(0) as a placeholder."""
    name = file.scopes.callee(call)
    if name in ("torch.tensor", "torch.as_tensor") and call.args:
        return _is_number(file, call.args[0])
    return name == "torch.empty" and [text_of(item) for item in call.args] == ["0"]


def _is_view(index: ast.expr) -> bool:
    """Whether an index only adds axes and slices, as in `tensor[None, :, None]`."""
    items = index.elts if isinstance(index, ast.Tuple) else [index]
    return all(
        isinstance(item, ast.Slice) or (isinstance(item, ast.Constant) and item.value in (None, ...))
        for item in items
    )


def _is_number(file: SourceFile, value: ast.expr) -> bool:
    """Whether a value is one number: a literal, computed from numbers, or a parameter declared as one."""
    if isinstance(value, (ast.Constant, ast.UnaryOp)):
        return isinstance(as_constant(value), (int, float))
    if isinstance(value, ast.BinOp):
        return _is_number(file, value.left) or _is_number(file, value.right)
    if isinstance(value, ast.Call):
        callee = file.scopes.callee(value) or text_of(value.func)
        if is_method_call(value, "get") and len(value.args) == 2:
            return _is_number(file, value.args[1])
        return callee.startswith("math.") or callee in (
            "float",
            "int",
            "len",
            "numpy.log",
            "numpy.sqrt",
            "numpy.prod",
        )
    if not isinstance(value, ast.Name):
        return False
    for binding in file.scopes.bindings(value):
        if isinstance(binding.node, ast.arg):
            return text_of(binding.node.annotation) in ("float", "int", "bool") or isinstance(
                _default_value(file, binding.node), (int, float)
            )
    origins = file.values.origins(value)
    return bool(origins) and all(origin is not value and _is_number(file, origin) for origin in origins)


def _default_value(file: SourceFile, parameter: ast.arg) -> object:
    """The default of a parameter, if that is a literal; else None."""
    function = file.tree.function_of(parameter)
    return as_constant(file.scopes.defaults(function).get(parameter)) if function else None


def _computing_methods(info: ClassInfo) -> list[Function]:
    """The methods of the class that forward() reaches; nearly all if the files have no forward()."""
    if info.method("forward") is not None:
        return find_methods_of_forward(info)
    return [method for name, method in info.methods.items() if not name.startswith(("__", "reset", "init"))]


def _computes_with(file: SourceFile, method: Function, name: str) -> bool:
    """Whether a method computes with the tensor itself, and not with a moved copy or its size."""
    return any(
        self_attribute(node, method) == name
        and isinstance(node.ctx, ast.Load)
        and not (
            (
                isinstance(parent := file.tree.parents.get(node), ast.Compare)
                and isinstance(parent.ops[0], (ast.Is, ast.IsNot))
            )
            or _is_moved(file, node)
            or _is_index(file, node)
            or _is_argument_elsewhere(file, node)
        )
        for node in file.tree.within(method, ast.Attribute)
    )


def _is_moved(file: SourceFile, node: ast.AST) -> bool:
    """Whether a tensor is moved, as in self.mask.repeat(2, 1).to(x.device), or only its size is read."""
    while isinstance(parent := file.tree.parents.get(node), (ast.Attribute, ast.Call, ast.Subscript)):
        if isinstance(parent, ast.Attribute) and parent.attr in (*_CONVERSION_METHODS, *_PLAIN_RESULTS):
            return True
        if node is not (parent.func if isinstance(parent, ast.Call) else parent.value):
            return False
        node = parent
    return False


def _is_index(file: SourceFile, node: ast.expr) -> bool:
    """Whether a tensor is an index or is indexed: `x[self.order]` and `self.scales[i]` work on any device."""
    parent = file.tree.parents.get(node)
    if isinstance(parent, ast.Subscript) and parent.value is node:
        return _is_index(file, parent) or (
            isinstance(parent.slice, (ast.Name, ast.Constant)) and not _is_tensor_argument(file, parent.slice)
        )
    return isinstance(parent, ast.Subscript) or (
        isinstance(parent, ast.Tuple) and isinstance(file.tree.parents.get(parent), ast.Subscript)
    )


def _is_tensor_argument(file: SourceFile, index: ast.expr) -> bool:
    """Whether an index is an argument of which the method also calls a method of tensors: a batch of labels."""
    return (
        isinstance(index, ast.Name)
        and any(isinstance(binding.node, ast.arg) for binding in file.scopes.bindings(index))
        and any(
            isinstance(parent := file.tree.parents[use], ast.Attribute)
            and parent.attr in ("unsqueeze", "view", "long", "reshape", "size", "shape", "device", "to")
            for use in file.tree.named(index.id, file.tree.block_of(index))
        )
    )


def _is_argument_elsewhere(file: SourceFile, node: ast.Attribute) -> bool:
    """Whether a tensor is an argument of len() or the like, or a keyword argument that is not torch's."""
    parent = file.tree.parents.get(node)
    if isinstance(parent, ast.keyword):
        return parent.arg not in _TENSOR_ARGUMENTS
    return (
        isinstance(parent, ast.Call)
        and node in parent.args
        and isinstance(parent.func, ast.Name)
        and (parent.func.id in _BUILTINS)
    )


def _find_moved_parameters(file: SourceFile, info: ClassInfo) -> Findings:
    for name, values in info.attributes.items():
        for _, value in values:
            if (
                is_method_call(value, *_CONVERSION_METHODS)
                and isinstance(value.func.value, (ast.Call, ast.Name))
                and any(_is_parameter(file, origin) for origin in file.values.origins(value.func.value))
            ):
                yield file.finding(
                    "N2",
                    value,
                    Certainty.LIKELY,
                    f"`.{value.func.attr}()` may return a plain tensor, so `self.{name}` is no parameter",
                    f"move the tensor first: `nn.Parameter(tensor.{value.func.attr}(...))`",
                )


def _find_unused_results(file: SourceFile) -> Findings:
    for statement in file.tree.nodes(ast.Expr):
        call = statement.value
        if not (
            is_method_call(call, *_CONVERSION_METHODS)
            and not call.keywords
            and (call.args or call.func.attr != "to")
        ):
            continue
        value = call.func.value
        if (
            isinstance(value, ast.Name)
            and _is_tensor(file, value)
            and not _is_moved_again(file, statement, value)
        ):
            # Otherwise the assignment would make it a local name, which has no value before.
            is_local = file.scopes.bindings_in(file.tree.scope_of(value), value.id)
            yield file.finding(
                "N2",
                call,
                Certainty.LIKELY if _may_move_itself(file, value) else Certainty.CERTAIN,
                f"`{text_of(call)}` returns a moved tensor, which nothing uses: `{value.id}` stays as it is",
                f"`{text_of(value)} = {text_of(call)}`",
                [replace(file, value, f"{value.id} = {value.id}") if is_local else None],
            )  # a program that works may compute with the tensor as it is


def _is_moved_again(file: SourceFile, statement: ast.Expr, value: ast.Name) -> bool:
    """Whether the scope moves the tensor elsewhere as well, so that this call may be a warm-up."""
    return any(
        text_of(find_receiver(call)) == value.id and call is not statement.value
        for call in file.tree.within(file.tree.scope_of(statement), ast.Call)
        if is_method_call(call, *_CONVERSION_METHODS)
    )


def _is_tensor(file: SourceFile, value: ast.Name) -> bool:
    origins = file.values.origins(value)
    if origins:
        return all(
            isinstance(origin, ast.Call)
            and library_names.is_subclass(file.scopes.callee(origin), library_names.TENSOR)
            for origin in origins
        )
    # A tensor from a batch: `for images, labels in loader`.
    return any(
        binding.is_item and _unpacks_batch(binding) and loader_of(file, binding.value) is not None
        for binding in file.scopes.bindings(value)
    )


def _may_move_itself(file: SourceFile, value: ast.Name) -> bool:
    """Whether a value may be an object whose to() moves it: a part of a batch that a collate_fn makes."""
    loaders = [loader_of(file, binding.value) for binding in file.scopes.bindings(value) if binding.is_item]
    return any(loader is not None and loader.has("collate_fn") for loader in loaders)


def _unpacks_batch(binding: Binding) -> bool:
    """Whether a loop unpacks the batch: `for x, y in loader`, not `for i, batch in enumerate(loader)`."""
    target = binding.node
    if "enumerate(" in text_of(binding.value) and isinstance(target, ast.Tuple):
        target = target.elts[-1]
    return isinstance(target, ast.Tuple)
