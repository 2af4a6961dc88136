"""N2: tensors that a module does not know, and results of .to() that are dropped."""

import ast
import re
from collections.abc import Iterator

from dpkb.lint import names
from dpkb.lint.edits import replace
from dpkb.lint.finding import Certainty, Finding
from dpkb.lint.module import ClassInfo, Module
from dpkb.lint.scopes import Binding
from dpkb.lint.source import as_constant
from dpkb.lint.syntax import Function, receiver, root_name, text_of
from dpkb.lint.training import loader_of, module_classes, self_attribute

_MOVES = ("to", "cuda", "cpu", "half", "float", "double", "bfloat16")

# What is no tensor, or a tensor on the device of another one.
_PLAIN = ("type_as", "tolist", "item", "shape", "size", "numel", "device", "dtype", "numpy", "dim")
_BUILTINS = ("len", "float", "int", "print", "list", "tuple", "range", "zip", "exists", "enumerate")

# Keyword arguments of torch's functions that take a tensor on the device of the others.
_TENSOR_ARGUMENTS = ("weight", "pos_weight", "attn_mask", "mask", "bias", "input", "target", "other")


def check(module: Module) -> Iterator[Finding]:
    """Plain tensor attributes that forward() uses, moved parameters, dropped results of .to()."""
    for info in module_classes(module):
        yield from _plain_tensors(module, info)
        yield from _moved_parameters(module, info)
    yield from _dropped_results(module)


def _plain_tensors(module: Module, info: ClassInfo) -> Iterator[Finding]:
    registered = {
        text_of(call.args[0]).strip("'\"") for method in info.all_methods
        for call in module.within(method, ast.Call) if isinstance(call.func, ast.Attribute)
        and call.func.attr in ("register_buffer", "register_parameter") and call.args}
    handles_moves = any(name in info.methods for name in ("_apply", "to", "cuda"))
    setters = _called_by_init(module, info)
    for name, values in info.attributes.items():
        if name in registered or handles_moves or any(
                isinstance(value, ast.Call) and module.called(value) == "torch.nn.Parameter"
                for _, value in values):
            continue
        for method, value in values:
            if (method not in setters or not _makes_tensor(module, value)
                    or _set_from_outside(info, name, setters)):
                continue
            if _names_device(value) or not any(
                    _computes_with(module, method, name) for method in _run_methods(module, info)):
                continue
            yield module.finding(
                "N2", module.statement_of(value), Certainty.LIKELY,
                f"`self.{name}` is a plain tensor: .to(device) and state_dict() leave it out",
                f'`self.register_buffer("{name}", ...)`, or nn.Parameter if it is to be trained')


def _called_by_init(module: Module, info: ClassInfo) -> set[str]:
    """__init__, and the methods that only it calls: self._build_masks()."""
    found = {"__init__"}
    calls = {method.name: {self_attribute(call.func, method) for call in module.within(method, ast.Call)}
             for method in info.methods.values()}
    for name in sorted(calls.get("__init__", set()) & set(info.methods)):
        if not any(name in called for caller, called in calls.items() if caller != "__init__") and len(
                module.calls_by_name.get(name, ())) == 1:
            found.add(name)
    return found


def _set_from_outside(info: ClassInfo, name: str, setters: set[str]) -> bool:
    """Replaced later, as a cache is: by another method, or in forward() by something new."""
    return any(
        method not in setters and (method != "forward" or f"self.{name}" not in text_of(value)
                                   or re.match(rf"self\.{name}\.(to|cuda|type_as|type)\(", text_of(value)))
        for method, value in info.attributes[name])


def _makes_tensor(module: Module, value: ast.expr, steps: int = 3, seen: tuple[str, ...] = ()) -> bool:
    """torch.zeros(...), possibly with arithmetic or view methods around it, or made by a function here."""
    while True:
        if isinstance(value, ast.IfExp) and as_constant(value.orelse) is None:
            value = value.body  # torch.tensor(mean) if mean else None
        if isinstance(value, ast.Name) and steps:
            if any(isinstance(binding.node, ast.arg) for binding in module.bindings(value)):
                return False  # at this line it may still be the argument
            seen = (*seen, value.id)  # table = table * scale makes nothing new of it
            origins = [origin for origin in module.origins(value) if root_name(origin) not in seen
                       and not (isinstance(origin, ast.BinOp) and module.mentions(origin, value.id))]
            return bool(origins) and all(_makes_tensor(module, item, steps - 1, seen) for item in origins)
        if isinstance(value, ast.BinOp):
            value = value.left if not isinstance(value.left, ast.Constant) else value.right
        elif isinstance(value, ast.Subscript) and _is_view(value.slice):
            value = value.value
        elif isinstance(value, ast.Call):
            name = module.called(value)
            if name in ("torch.tensor", "torch.as_tensor") and value.args and _is_number(
                    module, value.args[0]):
                return False  # works with tensors on each device
            if name == "torch.empty" and [text_of(item) for item in value.args] == ["0"]:
                return False  # stands for "none"
            if names.is_library_class(name, names.TENSOR):
                return True
            if name == "torch.autograd.Variable" and value.args:
                value = value.args[0]
                continue
            function = module.function_named(value.func)
            if function is not None and steps:
                returned = [node.value for node in module.within(function, ast.Return)
                            if node.value is not None and module.function_of(node) is function]
                return bool(returned) and all(
                    _makes_tensor(module, item, steps - 1, seen) for item in returned)
            if not isinstance(value.func, ast.Attribute) or module.qualified(value.func):
                return False
            if value.func.attr in ("item", "tolist", "numpy", "shape", "size", "to"):
                return False
            value = value.func.value
        else:
            return False


def _is_view(index: ast.expr) -> bool:
    """tensor[None, :, None]"""
    items = index.elts if isinstance(index, ast.Tuple) else [index]
    return all(isinstance(item, ast.Slice) or (isinstance(item, ast.Constant) and item.value in (None, ...))
               for item in items)


def _is_number(module: Module, value: ast.expr) -> bool:
    """A single number: written here, computed from such, or a parameter that says so."""
    if isinstance(value, ast.Constant):
        return isinstance(value.value, (int, float))
    if isinstance(value, ast.UnaryOp):
        return _is_number(module, value.operand)
    if isinstance(value, ast.BinOp):
        return _is_number(module, value.left) or _is_number(module, value.right)
    if isinstance(value, ast.Call):
        called = module.called(value) or text_of(value.func)
        if isinstance(value.func, ast.Attribute) and value.func.attr == "get" and len(value.args) == 2:
            return _is_number(module, value.args[1])
        return called.startswith("math.") or called in (
            "float", "int", "len", "numpy.log", "numpy.sqrt", "numpy.prod")
    if not isinstance(value, ast.Name):
        return False
    for binding in module.bindings(value):
        if isinstance(binding.node, ast.arg):
            return text_of(binding.node.annotation) in ("float", "int", "bool") or isinstance(
                _default(module, binding.node), (int, float))
    origins = module.origins(value)
    return bool(origins) and all(origin is not value and _is_number(module, origin) for origin in origins)


def _default(module: Module, parameter: ast.arg) -> object:
    """The literal that a parameter has if it is not given."""
    function = module.function_of(parameter)
    if function is None:
        return None
    plain = [*function.args.posonlyargs, *function.args.args]
    pairs = [*zip(reversed(plain), reversed(function.args.defaults), strict=False),
             *zip(function.args.kwonlyargs, function.args.kw_defaults, strict=False)]
    return next((default.value for item, default in pairs
                 if item is parameter and isinstance(default, ast.Constant)), None)


def _names_device(value: ast.expr) -> bool:
    return any(isinstance(node, ast.keyword) and node.arg == "device" for node in ast.walk(value))


def _run_methods(module: Module, info: ClassInfo) -> list[Function]:
    """forward() and the methods that it calls; all methods where forward() is in none of the files."""
    forward = info.method("forward")
    if forward is None:
        return [
            method for name, method in info.methods.items() if not name.startswith(("__", "reset", "init"))]
    found = [forward]
    for method in found:
        for call in module.within(method, ast.Call):
            name = self_attribute(call.func, method)
            called = info.method(name) if name else None
            if called is not None and called not in found and name != "__init__":
                found.append(called)
    return [method for method in found if info.methods.get(method.name) is method]


def _computes_with(module: Module, method: Function, name: str) -> bool:
    """Read in a method as it is: not moved there, and no index, no size, no single element."""
    for node in module.within(method, ast.Attribute):
        if self_attribute(node, method) == name and isinstance(node.ctx, ast.Load):
            parent = module.parents.get(node)
            compared = isinstance(parent, ast.Compare) and isinstance(parent.ops[0], (ast.Is, ast.IsNot))
            if not (compared or _is_moved(module, node) or _is_index(module, node)
                    or _is_given_away(module, node)):
                return True
    return False


def _is_moved(module: Module, node: ast.AST) -> bool:
    """self.mask.repeat(2, 1).to(x.device), or only a size or the like of it."""
    while isinstance(parent := module.parents.get(node), (ast.Attribute, ast.Call, ast.Subscript)):
        if isinstance(parent, ast.Attribute) and parent.attr in (*_MOVES, *_PLAIN):
            return True
        if node is not (parent.func if isinstance(parent, ast.Call) else parent.value):
            return False
        node = parent
    return False


def _is_index(module: Module, node: ast.Attribute) -> bool:
    """x[self.order] and self.scales[i] work with tensors on each device."""
    parent = module.parents.get(node)
    if isinstance(parent, ast.Subscript) and parent.value is node:
        return isinstance(parent.slice, (ast.Name, ast.Constant))
    return isinstance(parent, ast.Subscript) or (
        isinstance(parent, ast.Tuple) and isinstance(module.parents.get(parent), ast.Subscript))


def _is_given_away(module: Module, node: ast.Attribute) -> bool:
    """An argument of a function that is not torch's, or of len() and the like."""
    parent = module.parents.get(node)
    if isinstance(parent, ast.keyword):
        return parent.arg not in _TENSOR_ARGUMENTS
    return isinstance(parent, ast.Call) and node in parent.args and isinstance(parent.func, ast.Name) and (
        parent.func.id in _BUILTINS)


def _moved_parameters(module: Module, info: ClassInfo) -> Iterator[Finding]:
    for name, values in info.attributes.items():
        for _, value in values:
            if (
                isinstance(value, ast.Call)
                and isinstance(value.func, ast.Attribute)
                and value.func.attr in _MOVES
                and isinstance(value.func.value, (ast.Call, ast.Name))
                and any(
                    isinstance(origin, ast.Call) and module.called(origin) == "torch.nn.Parameter"
                    for origin in module.origins(value.func.value))
            ):
                yield module.finding(
                    "N2", value, Certainty.LIKELY,
                    f"`.{value.func.attr}()` may return a plain tensor, so `self.{name}` is no parameter",
                    f"move the tensor first: `nn.Parameter(tensor.{value.func.attr}(...))`")


def _dropped_results(module: Module) -> Iterator[Finding]:
    for statement in module.nodes(ast.Expr):
        call = statement.value
        if not (
            isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr in _MOVES
            and not call.keywords):
            continue
        if call.func.attr == "to" and not call.args:
            continue
        value = receiver(call)
        if (
            not isinstance(value, ast.Name) or not _is_tensor(module, value)
            or _moved_again(module, statement, value)):
            continue
        yield module.finding(
            "N2", call, Certainty.CERTAIN,
            f"`{text_of(call)}` returns the moved tensor, and the result is dropped",
            f"`{text_of(value)} = {text_of(call)}`", [replace(value, f"{value.id} = {value.id}")])


def _moved_again(module: Module, statement: ast.Expr, value: ast.Name) -> bool:
    """The result of another move is used: the dropped one is a warm-up."""
    scope = module.scope_of(statement)
    return any(
        text_of(receiver(call)) == value.id and call is not statement.value
        for call in module.within(scope, ast.Call)
        if isinstance(call.func, ast.Attribute) and call.func.attr in _MOVES
    )


def _is_tensor(module: Module, value: ast.Name) -> bool:
    origins = module.origins(value)
    if origins:
        return all(
            isinstance(origin, ast.Call) and names.is_library_class(module.called(origin), names.TENSOR)
            for origin in origins)
    # A batch that a loader of tensors gives: `for images, labels in loader`.
    return any(
        binding.is_item and _unpacks_batch(binding) and loader_of(module, binding.value) is not None
        for binding in module.bindings(value))


def _unpacks_batch(binding: Binding) -> bool:
    """`for x, y in loader`, `for i, (x, y) in enumerate(loader)`; not `for i, batch in enumerate(loader)`."""
    target = binding.node
    if "enumerate(" in text_of(binding.value) and isinstance(target, ast.Tuple):
        target = target.elts[-1]
    return isinstance(target, ast.Tuple)
