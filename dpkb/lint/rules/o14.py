"""O14: what a loss gets and does not expect: probabilities for logits."""

import ast
from collections.abc import Iterator

from dpkb.lint.finding import Certainty, Finding
from dpkb.lint.module import ClassInfo, Module
from dpkb.lint.syntax import receiver

_LOSSES = ("torch.nn.functional.cross_entropy",)
_SOFTMAX = ("torch.softmax", "torch.nn.functional.softmax")
_LOG_SOFTMAX = ("torch.log_softmax", "torch.nn.functional.log_softmax")
# What changes the shape, the place or the type of a tensor, and not its values.
_SAME_VALUES = (
    "view", "reshape", "resize", "squeeze", "unsqueeze", "flatten", "contiguous", "transpose", "permute", "t",
    "float", "to", "cuda", "cpu", "clone")


def check(module: Module) -> Iterator[Finding]:
    """Softmax before cross-entropy."""
    for call in module.calls:
        if not _is_cross_entropy(module, call) or not call.args:
            continue
        place = _softmax_of(module, call.args[0]) or _softmax_of_item(module, call.args[0])
        if place is not None:
            owner, node = place
            yield owner.finding(
                "O14", node, Certainty.CERTAIN,
                "cross-entropy applies log_softmax itself: with probabilities the loss cannot fall far, "
                "and learning is slow", "give it the logits, and use softmax only for prediction")


def _is_cross_entropy(module: Module, call: ast.Call) -> bool:
    if module.called(call) in _LOSSES:
        return True
    if isinstance(call.func, ast.Attribute) and call.func.attr == "forward":
        return "torch.nn.CrossEntropyLoss" in module.types(call.func.value)
    if isinstance(call.func, ast.Call):
        return module.called(call.func) == "torch.nn.CrossEntropyLoss"
    return isinstance(call.func, (ast.Name, ast.Attribute)) and "torch.nn.CrossEntropyLoss" in module.types(
        call.func)


def _softmax_of(module: Module, node: ast.expr, steps: int = 4) -> tuple[Module, ast.AST] | None:
    """The softmax that an expression ends in, through assignments and the forward() of a model."""
    origins = module.origins(node)
    if not origins or steps == 0:
        return None
    found = [_softmax_call(module, origin, steps) for origin in origins]
    return found[0] if all(found) else None


def _softmax_of_item(module: Module, node: ast.expr) -> tuple[Module, ast.AST] | None:
    """validity, label = model(x), where forward() returns a tuple."""
    bindings = module.bindings(node) if isinstance(node, ast.Name) else []
    for binding in bindings:
        if isinstance(binding.value, ast.Call) and binding.index is not None:
            for kind in module.types(binding.value.func):
                if isinstance(kind, ClassInfo):
                    return _forward_ends_in_softmax(kind, 3, binding.index)
    return None


def _softmax_call(module: Module, node: ast.expr, steps: int) -> tuple[Module, ast.AST] | None:
    if not isinstance(node, ast.Call):
        return None
    if module.called(node) in _SOFTMAX or (
        isinstance(node.func, ast.Attribute) and node.func.attr == "softmax"
        and not module.qualified(node.func)):
        return module, node
    if any(kind == "torch.nn.Softmax" for kind in module.types(node.func)):
        return module, node
    if isinstance(node.func, ast.Attribute) and node.func.attr in _SAME_VALUES and not module.called(node):
        return _softmax_of(module, node.func.value, steps - 1)
    if module.called(node) == "torch.exp" and node.args and _is_log_softmax(module, node.args[0]):
        return module, node
    function = node.func
    if isinstance(function, ast.Attribute) and function.attr == "forward":
        function = function.value
    for kind in module.types(function):
        if isinstance(kind, ClassInfo):
            return _forward_ends_in_softmax(kind, steps)
        if kind == "torch.nn.Sequential":
            return _sequential_ends_in_softmax(module, function)
    return None


def _is_log_softmax(module: Module, node: ast.expr) -> bool:
    origins = module.origins(node)
    return bool(origins) and all(
        isinstance(origin, ast.Call) and (
            module.called(origin) in _LOG_SOFTMAX or module.types(origin.func) == ["torch.nn.LogSoftmax"])
        for origin in origins)


def _forward_ends_in_softmax(
        info: ClassInfo, steps: int, index: int | None = None) -> tuple[Module, ast.AST] | None:
    forward = info.method("forward")
    if forward is None:
        return None
    owner = info.module
    returns = [
        item.value for item in owner.within(forward, ast.Return)
        if item.value is not None and owner.function_of(item) is forward]
    if len(returns) != 1:
        return None
    returned = returns[0]
    if index is not None:
        if not isinstance(returned, ast.Tuple) or index >= len(returned.elts):
            return None
        returned = returned.elts[index]
    place = _last_assignment(owner, returned)
    return _softmax_of(owner, place, steps - 1)


def _last_assignment(module: Module, node: ast.expr) -> ast.expr:
    """x in `x = f(x); x = softmax(x); return x`: the value that was assigned last."""
    if isinstance(node, ast.Name):
        bindings = [
            binding for binding in module.bindings(node) if binding.value is not None and not binding.is_item
            and binding.index is None and module.enclosing(binding.node, ast.If) is None]
        bindings = [b for b in bindings if getattr(b.node, "lineno", 0) < node.lineno]
        if bindings:
            value = max(bindings, key=lambda binding: binding.node.lineno).value  # type: ignore[attr-defined]
            return value if value is not None else node
    return node


def _sequential_ends_in_softmax(module: Module, node: ast.expr) -> tuple[Module, ast.AST] | None:
    for origin in module.origins(node):
        if isinstance(origin, ast.Call):
            built = module.function_named(origin.func)
            for returned in module.within(built, ast.Return) if built is not None else []:
                if returned.value is not None and (
                        place := _sequential_ends_in_softmax(module, returned.value)) is not None:
                    return place
            added = _added(module, origin)
            last = added[-1] if added else origin.args[-1] if origin.args else None
            if isinstance(last, ast.Call) and module.called(last) == "torch.nn.Softmax":
                return module, last
    return None


def _added(module: Module, sequential: ast.Call) -> list[ast.expr]:
    """What add_module("softmax", nn.Softmax()) and append() add to a Sequential, in the order of the text."""
    return [call.args[-1] for call in module.method_calls("add_module", "append")
            if call.args and sequential in module.origins(receiver(call))]
