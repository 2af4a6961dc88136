"""Whether gradients are on for some code, and whether the code needs them or only reads a result."""

import ast
from dataclasses import dataclass, field

from dpkb.lint.nodes import (
    Function,
    as_constant,
    called_name,
    group,
    is_method_call,
    names_in,
    text_of,
)
from dpkb.lint.source_file import SourceFile, once_per_file
from dpkb.lint.syntax_tree import Outer

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
_STRICT_METHODS = ("argmax", "topk", "multinomial", "item", "tolist", "detach", "data")
_READING_METHODS = (*_STRICT_METHODS, "numpy", "softmax", "sigmoid", "max")


def is_without_gradients(file: SourceFile, node: ast.AST) -> bool:
    """Whether a node is under no_grad() or inference_mode(), or below set_grad_enabled(False) in a block."""
    answers = _answers_by_parent(file)
    without, parents = False, []
    for parent in file.tree.parents_of(node):
        parents.append(parent)
        if parent in answers or _switches_gradients_off(file, parent):
            without = answers.get(parent, True)
            break
    answers.update(dict.fromkeys(parents, without))
    return without


@once_per_file
def _answers_by_parent(file: SourceFile) -> dict[ast.AST, bool]:
    """What is_without_gradients() has found for the code in a node: each `elif` is inside all those before it."""
    return {}


def _switches_gradients_off(file: SourceFile, parent: ast.AST) -> bool:
    """Whether a node, or one before it in its block, switches gradients off for the code inside."""
    switches = _first_switches(file)
    block, place = file.tree.place_of(parent)
    contexts = [item.context_expr for item in getattr(parent, "items", [])]
    # A decorator of a class says nothing about the code in it.
    decorators = parent.decorator_list if isinstance(parent, (ast.FunctionDef, ast.AsyncFunctionDef)) else []
    texts = [text_of(context) for context in contexts + decorators]
    return switches.get(id(block), place) < place or any(
        "no_grad" in text or "inference_mode" in text for text in texts
    )


def block_switches_gradients(node: ast.With) -> bool:
    """Whether this is `with torch.no_grad():` or the like, also `with torch.set_grad_enabled(True):`."""
    return any(word in text_of(item.context_expr) for item in node.items for word in NO_GRAD)


def has_gradients(file: SourceFile, call: ast.Call) -> bool:
    """Whether gradients are on for a call: in its function, and in all functions of the file that call it."""
    return not is_without_gradients(file, call) and (
        file.tree.function_of(call) not in _functions_without_gradients(file)
    )


@once_per_file
def _functions_without_gradients(file: SourceFile) -> set[Function]:
    """The functions that are called without gradients somewhere, directly or by another such function."""
    # Decorators that is_without_gradients() does not know, such as the program's own @no_grad_if_eval.
    found = {
        function
        for function in file.tree.functions
        if any(word in text_of(item) for item in function.decorator_list for word in ("grad", "inference"))
    }
    by_name = group((function.name, function) for function in file.tree.functions)
    all_calls = [call for name in by_name for call in file.scopes.calls_by_name.get(name, ())]
    calls_in = group((file.tree.function_of(call), call) for call in all_calls)
    without = [
        call for call in all_calls if file.tree.function_of(call) in found or is_without_gradients(file, call)
    ]
    for call in without:
        name = called_name(call)
        around = [function for function in by_name[name] if file.tree.is_inside(call, function)]
        for function in set(by_name[name]) - found - set(around):
            found.add(function)
            without += calls_in[function]
        by_name[name] = around  # a function that calls itself without gradients may be called with them
    return found


def switches_gradients(file: SourceFile, function: Function) -> bool:
    """Whether no_grad() or the like, also set_grad_enabled(True), is in a function or is its decorator."""
    return any(
        word in text_of(decorator) for decorator in function.decorator_list for word in NO_GRAD
    ) or file.tree.mentions(function, *NO_GRAD)


def wants_gradients(file: SourceFile, outer: Outer) -> bool:
    """Whether code computes gradients, or switches them on or off itself."""
    return file.tree.mentions(outer, *_GRADIENT_WORDS) or requires_gradients(file, outer)


def requires_gradients(file: SourceFile, outer: Outer) -> bool:
    """Whether requires_grad is read, set or passed; requires_grad=False as an argument does not count."""
    return bool(file.tree.select(_required_gradients(file), outer))


@once_per_file
def _required_gradients(file: SourceFile) -> list[ast.Attribute | ast.keyword]:
    nodes: list[ast.Attribute | ast.keyword] = file.tree.within(file.tree.root, ast.Attribute, ast.keyword)
    return [
        node
        for node in nodes
        if (node.attr if isinstance(node, ast.Attribute) else node.arg) == "requires_grad"
        and not (isinstance(node, ast.keyword) and as_constant(node.value) is False)
    ]


def graph_is_dropped(file: SourceFile, block: ast.AST, call: ast.Call, strict: bool) -> bool:
    """Whether the output of a model is only read: detached, or turned into classes or numbers.

    strict: numpy(), softmax(), sigmoid() and max() do not count. numpy() raises if there is a graph, and
    training code uses the others as well.
    """
    words = _STRICT_METHODS if strict else _READING_METHODS
    statement = file.tree.statement_of(call)
    if any(
        (isinstance(node, ast.Attribute) and node.attr in words)
        or (isinstance(node, ast.Call) and called_name(node) == "float")
        for node in file.tree.expressions_around(call)
    ):
        return True
    if not isinstance(statement, ast.Assign):
        return False
    line = statement.lineno
    names = list({name for target in statement.targets for name in names_in(target)})
    for name in names:  # loss = criterion(output, target)
        later = _uses(file, block, name).computed.items()
        names += [target for target, last in later if last > line and target not in names]
    return any(
        uses.read.get(word, 0) >= line or word in uses.given
        for uses in (_uses(file, block, name) for name in names)
        for word in words
    )


@dataclass(frozen=True)
class _Uses:
    """How a block uses a name. read: each attribute of it, or of what has it as a part -> its last line.

    given: the methods that get it as an argument. computed: each name that gets the result of a call with it ->
    the last line of that.
    """

    read: dict[str, int] = field(default_factory=dict)
    given: set[str] = field(default_factory=set)
    computed: dict[str, int] = field(default_factory=dict)


@once_per_file
def _uses(file: SourceFile, block: ast.AST, name: str) -> _Uses:
    uses = _Uses()
    for use in file.tree.named(name, block):
        start: ast.AST = use  # what begins with the name: x[0] in f(x[0])
        for node in file.tree.expressions_around(use):
            if isinstance(node, ast.Attribute):
                uses.read[node.attr] = max(node.lineno, uses.read.get(node.attr, 0))
            if is_method_call(node) and node.args and node.args[0] is start:
                uses.given.add(node.func.attr)
            if start is getattr(node, "func" if isinstance(node, ast.Call) else "value", None):
                start = node
        call = file.tree.parents[use]
        statement = file.tree.parents[call]
        if isinstance(call, ast.Call) and use in call.args and isinstance(statement, ast.Assign):
            for target in statement.targets:
                if isinstance(target, ast.Name):
                    uses.computed[target.id] = max(statement.lineno, uses.computed.get(target.id, 0))
    return uses


@once_per_file
def _first_switches(file: SourceFile) -> dict[int, int]:
    """Each block, by its id, that has `torch.set_grad_enabled(False)` -> the place of the first."""
    places = [
        file.tree.place_of(statement)
        for statement in file.tree.nodes(ast.Expr)
        if isinstance(statement.value, ast.Call)
        and called_name(statement.value).endswith("set_grad_enabled")
        and text_of(statement.value).endswith("set_grad_enabled(False)")
    ]
    return {id(block): place for block, place in reversed(places)}
