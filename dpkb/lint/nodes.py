"""Helpers for single syntax nodes. They do not need the file around a node."""

import ast
from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from typing import Any, TypeGuard, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")
Function = ast.FunctionDef | ast.AsyncFunctionDef
Loop = ast.For | ast.AsyncFor | ast.While
Definition = Function | ast.ClassDef
Scope = ast.Module | Function | ast.ClassDef | ast.Lambda
LOOPS = (ast.For, ast.AsyncFor, ast.While)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
SCOPES = (ast.Module, *FUNCTIONS, ast.ClassDef, ast.Lambda)


class Part(ast.Module):
    """The definitions of another file that a file uses, below the imports of that file.

    path: that of the other file. names: what a name or `module.name` in this part stands for.
    """

    def __init__(self, path: str, imports: dict[str, str], statements: Sequence[ast.stmt]) -> None:
        super().__init__([*statements], [])
        self.path = path
        self.imports = imports
        self.names: dict[str, Definition] = {}


def find_argument(call: ast.Call, name: str, position: int | None = None) -> ast.expr | None:
    """The argument of a call, by keyword or position; None if it is not given."""
    for keyword in call.keywords:
        if keyword.arg == name:
            return keyword.value
    if (
        position is not None
        and 0 <= position < len(call.args)
        and not any(isinstance(item, ast.Starred) for item in call.args[: position + 1])
    ):
        return call.args[position]
    return None


def has_unknown_arguments(call: ast.Call) -> bool:
    """Whether a call has *args or **kwargs."""
    return any(keyword.arg is None for keyword in call.keywords) or any(
        isinstance(a, ast.Starred) for a in call.args
    )


class MethodCall(ast.Call):
    """The type of the calls that is_method_call() accepts."""

    func: ast.Attribute


def is_method_call(node: ast.AST | None, *names: str) -> TypeGuard[MethodCall]:
    """Whether a node is a call of a method with one of these names; without names, of any method."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and (not names or node.func.attr in names)
    )


def find_receiver(call: ast.Call) -> ast.expr | None:
    """The object that a method is called on."""
    return call.func.value if isinstance(call.func, ast.Attribute) else None


def find_root(node: ast.AST | None) -> ast.AST | None:
    """The node that an expression begins with: a in `a.b[c].d()`."""
    while isinstance(node, (ast.Attribute, ast.Subscript, ast.Call, ast.Starred)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node


def root_name(node: ast.AST | None) -> str:
    """The name that an expression begins with: "a" in `a.b[c].d()`; "" if it begins with something else."""
    first = find_root(node)
    return first.id if isinstance(first, ast.Name) else ""


def text_of(node: ast.AST | None) -> str:
    """The expression as source text, for messages."""
    if isinstance(node, ast.Name):  # most questions are about names and self.name, and unparse() is slow
        return node.id
    if isinstance(node, ast.Attribute) and isinstance(node.value, (ast.Name, ast.Attribute)):
        return f"{text_of(node.value)}.{node.attr}"
    return ast.unparse(node) if node is not None else ""


def called_name(call: ast.Call) -> str:
    """The last name of what is called: "step" in `optimizer.step()`; "" if that is no name."""
    return last_name(call.func)


def last_name(node: ast.AST | None) -> str:
    """The name of a variable or attribute: "c" in `a.b.c`; "" for anything else."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def group(pairs: Iterable[tuple[K, V]]) -> dict[K, list[V]]:
    """Each key of some pairs -> its values in their order; no other key has any."""
    values: dict[K, list[V]] = defaultdict(list)
    for key, value in pairs:
        values[key].append(value)
    return values


def names_in(node: ast.AST) -> set[str]:
    """The names of all variables in a tree."""
    return {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)}


def is_none(node: ast.AST | None) -> bool:
    """Whether an expression is the literal None."""
    return isinstance(node, ast.Constant) and node.value is None


def as_constant(node: ast.AST | None) -> Any:
    """The value of a literal, -1 included; None for everything else."""
    if isinstance(node, ast.Constant):
        return node.value
    if (
        isinstance(node, ast.UnaryOp)
        and isinstance(node.op, ast.USub)
        and isinstance(node.operand, ast.Constant)
    ):
        value = node.operand.value
        return -value if isinstance(value, (int, float)) else None
    return None


def self_name(function: Function) -> str:
    """The name of a method's first parameter."""
    parameters = [*function.args.posonlyargs, *function.args.args]
    return parameters[0].arg if parameters else ""


def self_attribute(node: ast.AST, function: Function) -> str:
    """The name in self.name; "" for anything else."""
    is_own = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
    return node.attr if is_own and node.value.id == self_name(function) else ""  # type: ignore[attr-defined]
