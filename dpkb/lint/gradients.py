"""Whether gradients are on for some code, and whether the code needs them or only reads a result."""

from __future__ import annotations

import ast

from dpkb.lint.nodes import Function, as_constant, is_method_call, names_in, root_name, text_of
from dpkb.lint.source_file import SourceFile

NO_GRAD = ("no_grad", "inference_mode", "set_grad_enabled")
# Code with one of these needs the graph, or switches gradients off in another way.
_GRADIENT_WORDS = (
    "backward",
    "grad",
    "requires_grad_",
    "enable_grad",
    "set_grad_enabled",
    "functional_call",
    "zero_grad",
    "GradScaler",
)
# Methods and attributes that read the output of a model and do not need its graph.
_READING_METHODS = (
    "argmax",
    "topk",
    "multinomial",
    "softmax",
    "sigmoid",
    "numpy",
    "item",
    "tolist",
    "detach",
    "max",
    "data",
)


def is_without_gradients(file: SourceFile, node: ast.AST) -> bool:
    """Whether a node is under no_grad() or inference_mode(), or below set_grad_enabled(False) in a block."""
    for parent in file.tree.parents_of(node):
        if any(map(_switches_off, file.tree.statements_around(parent)[0])):
            return True
        if isinstance(parent, (ast.With, ast.AsyncWith)):
            texts = [text_of(item.context_expr) for item in parent.items]
        elif isinstance(parent, (ast.FunctionDef, ast.AsyncFunctionDef)):
            texts = [text_of(decorator) for decorator in parent.decorator_list]
        else:
            continue
        if any("no_grad" in text or "inference_mode" in text for text in texts):
            return True
    return False


def block_switches_gradients(node: ast.With) -> bool:
    """Whether this is `with torch.no_grad():` or the like, also `with torch.set_grad_enabled(True):`."""
    return any(word in text_of(item.context_expr) for item in node.items for word in NO_GRAD)


def has_gradients(file: SourceFile, call: ast.Call, seen: frozenset[str] = frozenset()) -> bool:
    """Whether gradients are on for a call: in its function, and in all functions of the file that call it.

    seen: the names of the functions on the way to this call, so that recursive functions end the search.
    """
    if is_without_gradients(file, call):
        return False
    function = file.tree.function_of(call)
    if function is None or function.name in seen:
        return True
    # Decorators that is_without_gradients() does not know, such as the program's own @no_grad_if_eval.
    if any(word in text_of(item) for item in function.decorator_list for word in ("grad", "inference")):
        return False
    return all(
        has_gradients(file, other, seen | {function.name})
        for other in file.scopes.calls_by_name.get(function.name, [])
        if not file.tree.is_inside(other, function)
    )


def switches_gradients(file: SourceFile, function: Function) -> bool:
    """Whether no_grad() or the like, also set_grad_enabled(True), is in a function or is its decorator."""
    return any(
        word in text_of(decorator) for decorator in function.decorator_list for word in NO_GRAD
    ) or file.tree.mentions(function, *NO_GRAD)


def wants_gradients(file: SourceFile, tree: ast.AST) -> bool:
    """Whether code computes gradients, or switches them on or off itself."""
    return file.tree.mentions(tree, *_GRADIENT_WORDS) or requires_gradients(file, tree)


def requires_gradients(file: SourceFile, tree: ast.AST) -> bool:
    """Whether requires_grad is read, set or passed; requires_grad=False as an argument does not count."""
    return file.tree.mentions(tree, "requires_grad") and (
        any(node.attr == "requires_grad" for node in file.tree.within(tree, ast.Attribute))
        or any(
            keyword.arg == "requires_grad" and as_constant(keyword.value) is not False
            for keyword in file.tree.within(tree, ast.keyword)
        )
    )


def graph_is_dropped(file: SourceFile, block: ast.AST, call: ast.Call, strict: bool) -> bool:
    """Whether the output of a model is only read: detached, or turned into classes or numbers.

    strict: numpy(), softmax(), sigmoid() and max() do not count. numpy() raises if there is a graph, and
    training code uses the others as well.
    """
    words = [
        word for word in _READING_METHODS if not strict or word not in ("numpy", "softmax", "sigmoid", "max")
    ]
    statement = file.tree.statement_of(call)
    if any(
        isinstance(node, ast.Attribute) and node.attr in words and file.tree.is_inside(call, node)
        for node in file.tree.within(statement, ast.Attribute)
    ):
        return True
    if not isinstance(statement, ast.Assign):
        return False
    targets = {name for target in statement.targets for name in names_in(target)}
    for later in file.tree.within(block, ast.Assign):  # loss = criterion(output, target)
        if (
            later.lineno > statement.lineno
            and isinstance(later.value, ast.Call)
            and any(isinstance(item, ast.Name) and item.id in targets for item in later.value.args)
        ):
            targets |= {target.id for target in later.targets if isinstance(target, ast.Name)}
    return any(
        node.attr in words
        and node.lineno >= statement.lineno
        and any(inner.id in targets for inner in file.tree.within(node.value, ast.Name))
        for node in file.tree.within(block, ast.Attribute)
    ) or any(
        is_method_call(inner, *words) and inner.args and root_name(inner.args[0]) in targets
        for inner in file.tree.within(block, ast.Call)
    )


def _switches_off(statement: ast.stmt) -> bool:
    """Whether a statement is `torch.set_grad_enabled(False)`."""
    if not (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)):
        return False
    return text_of(statement.value).endswith("set_grad_enabled(False)")
