"""Where a model is evaluated: what switches its mode, and what its gradients."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from dpkb.lint.classes import ClassInfo
from dpkb.lint.module import Module
from dpkb.lint.source import as_constant
from dpkb.lint.syntax import FUNCTIONS, Function, argument, receiver, root, root_name, text_of
from dpkb.lint.training import is_training_name, module_classes, without_gradients

NO_GRAD = ("no_grad", "inference_mode", "set_grad_enabled")
# Code with one of these needs the graph, or switches gradients off in another way.
_GRADIENTS = (
    "backward", "grad", "requires_grad_", "enable_grad", "set_grad_enabled", "functional_call", "zero_grad",
    "GradScaler")
# What depends on training mode: the beginnings of such names in torch.nn and in torch.nn.functional.
_MODE_LAYERS = (
    "Dropout", "AlphaDropout", "BatchNorm", "SyncBatchNorm", "Transformer", "MultiheadAttention")
_MODE_FUNCTIONS = ("dropout", "alpha_dropout", "feature_dropout", "batch_norm")
# Functions that compute a metric, by their names.
_METRIC = re.compile(r"accuracy|metric|similarit|cosine|recall|precision|score")
# Methods and attributes that read a model's output: its graph is not needed any more.
_READS = (
    "argmax", "topk", "multinomial", "softmax", "sigmoid", "numpy", "item", "tolist", "detach", "max", "data")


def has_mode_layers(module: Module) -> bool:
    """Whether a file has layers that behave differently in training mode."""
    for call in module.calls:
        package, _, name = module.called(call).rpartition(".")
        if (package == "torch.nn" and name.startswith(_MODE_LAYERS)) or (
                package == "torch.nn.functional" and name.startswith(_MODE_FUNCTIONS)) or (
                package.startswith(("torchvision.models", "timm"))) or (
                package == "torch.nn" and name in ("LSTM", "GRU", "RNN") and argument(call, "dropout", 5)):
            return True
    return False


def mode_matters(module: Module, model: ast.expr) -> bool:
    """Whether a model has dropout or BatchNorm, or is one that the files do not show."""
    if has_mode_layers(module):
        return True
    kinds = module.types(model)
    known = [kind for kind in kinds if isinstance(kind, ClassInfo)]
    if known:
        return any(has_mode_layers(kind.module) for kind in known)
    return not any(
        kind.startswith("torch.nn.") and not kind.endswith("DataParallel")
        for kind in kinds if isinstance(kind, str)) and not any(True for _ in module_classes(module))


def mode_calls(module: Module, tree: ast.AST, switch: str) -> list[tuple[str, ast.Call]]:
    """Each model.eval() or model.train() in a tree, with the model's name."""
    calls = []
    for call in module.within(tree, ast.Call):
        model = receiver(call)
        if (isinstance(model, (ast.Name, ast.Attribute)) and isinstance(call.func, ast.Attribute)
                and call.func.attr == switch and not call.args and not module.qualified(call.func)):
            calls.append((text_of(model), call))
    return calls


def evaluates(module: Module, function: Function) -> bool:
    """By its name, or by a metric that it computes: without gradients, or to report it."""
    if is_test(module, function):
        return False
    known = is_training_name(function.name)
    if known is None and _METRIC.search(function.name):
        return module.mentions(function, *NO_GRAD) or not any(
            node.value is not None for node in module.within(function, ast.Return))
    return known is False


def wraps(module: Module, inner: str, outer: set[str]) -> bool:
    """Whether one of the models in `outer` is created from `inner`, or is the same object."""
    for _, targets, value in module.assignments:
        if any(text_of(target) in outer for target in targets) and any(
                isinstance(node, (ast.Name, ast.Attribute)) and text_of(node) == inner
                for node in ast.walk(value)):
            return True
    return any(name == inner.partition(".")[0] or inner.startswith(name + ".") for name in outer)


def switches_unknown(module: Module) -> bool:
    """Whether eval() is called on something whose name does not say which model it is."""
    for call in module.method_calls("eval"):
        model = receiver(call)
        if isinstance(model, ast.Name) and any(binding.is_item for binding in module.bindings(model)):
            return True
        if isinstance(model, (ast.Subscript, ast.Call)) and not module.qualified(root(model)):
            return True
        if isinstance(model, ast.Name) and model.id == "self":
            return True
    return any(
        "eval" in node.attr and node.attr != "eval" and "evaluat" not in node.attr
        for node in module.nodes(ast.Attribute)
        if "mode" in node.attr or node.attr.startswith(("set_", "switch_", "to_", "prep_")))


def graph_is_dropped(module: Module, block: ast.AST, call: ast.Call, strict: bool) -> bool:
    """Whether what a model returned is only read: detached, or turned into classes or numbers.

    strict: a plain .numpy() does not count, since it raises where there is a graph.
    """
    wanted = [word for word in _READS if not strict or word not in ("numpy", "softmax", "sigmoid", "max")]
    statement = module.statement_of(call)
    if any(isinstance(node, ast.Attribute) and node.attr in wanted and module.inside(call, node)
           for node in module.within(statement, ast.Attribute)):
        return True
    if not isinstance(statement, ast.Assign):
        return False
    targets = {node.id for target in statement.targets for node in ast.walk(target)
               if isinstance(node, ast.Name)}
    for later in module.within(block, ast.Assign):  # loss = criterion(output, target)
        if later.lineno > statement.lineno and isinstance(later.value, ast.Call) and any(
                isinstance(item, ast.Name) and item.id in targets for item in later.value.args):
            targets |= {target.id for target in later.targets if isinstance(target, ast.Name)}
    return any(
        node.attr in wanted and node.lineno >= statement.lineno and any(
            inner.id in targets for inner in module.within(node.value, ast.Name))
        for node in module.within(block, ast.Attribute)) or any(
        isinstance(inner.func, ast.Attribute) and inner.func.attr in wanted and inner.args
        and root_name(inner.args[0]) in targets for inner in module.within(block, ast.Call))


def wants_gradients(module: Module, tree: ast.AST) -> bool:
    """Whether the code of a tree does something with gradients, or switches them itself."""
    return module.mentions(tree, *_GRADIENTS) or requires_gradients(module, tree)


def requires_gradients(module: Module, tree: ast.AST) -> bool:
    """Whether requires_grad is read, set or passed; Variable(x, requires_grad=False) is no such wish."""
    return module.mentions(tree, "requires_grad") and (
        any(node.attr == "requires_grad" for node in module.within(tree, ast.Attribute))
        or any(keyword.arg == "requires_grad" and as_constant(keyword.value) is not False
               for keyword in module.within(tree, ast.keyword)))


def has_gradients(module: Module, call: ast.Call, below: frozenset[str] = frozenset()) -> bool:
    """Whether gradients are on for a call: in its function, and in all callers of it in this file.

    below: the functions that the search has come through, so that recursion ends it.
    """
    if without_gradients(module, call):
        return False
    function = module.function_of(call)
    if function is None or function.name in below:
        return True
    # A decorator of the program itself, such as @no_grad_if_eval, which without_gradients() does not know.
    if any(word in text_of(item) for item in function.decorator_list for word in ("grad", "inference")):
        return False
    return all(
        has_gradients(module, other, below | {function.name})
        for other in module.calls_by_name.get(function.name, []) if not module.inside(other, function))


def blocks(module: Module) -> Iterator[ast.AST]:
    """The functions of a file, and the file itself for the code outside functions."""
    yield from module.functions
    yield module.source.tree


def directly_in(module: Module, node: ast.AST, block: ast.AST) -> bool:
    """Whether a node is in this function, or in no function at all."""
    return module.function_of(node) is (block if isinstance(block, FUNCTIONS) else None)


def in_tests(module: Module) -> bool:
    """Whether a file is a test: it runs a model for one step, or in either mode, on purpose."""
    *folders, name = Path(module.source.name).parts
    return name.startswith(("test_", "conftest")) or name.endswith("_test.py") or any(
        folder in ("tests", "test", "testing", "unittests") for folder in folders[-2:])


def is_test(module: Module, function: Function) -> bool:
    """A test of pytest: elsewhere test_model() evaluates."""
    return function.name.startswith("test_") and (in_tests(module) or not module.parameters(function))


def switches_gradients_off(module: Module, function: Function) -> bool:
    """Whether a function names no_grad() or the like, also as its decorator."""
    return any(
        word in text_of(decorator) for decorator in function.decorator_list for word in NO_GRAD
    ) or module.mentions(function, *NO_GRAD)
