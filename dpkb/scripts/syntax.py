"""The syntax tree of a script, and functions that look things up in it."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterable, Iterator
from functools import lru_cache

# Pairs of a line of a script (None: no certain line) and a message.
Problems = Iterator[tuple[int | None, str]]
# Scripts run on every Python from this one on (CONTRIBUTING.md).
_OLDEST = (3, 8)
# Functions whose result follows from their arguments alone.
BUILT_IN_FUNCTIONS = frozenset(
    """
    abs all any bool float int isinstance len list max min range round set sorted sum tuple
""".split()
)


def parse_script(source: str) -> ast.Module:
    """The tree of a script in the syntax of any Python. It is cached: do not change it.

    Raises SyntaxError, also for code that is nested too deeply.
    """
    try:
        return parse_as_oldest_python(source)
    except SyntaxError:
        return _parse(source, None)


def parse_as_oldest_python(source: str) -> ast.Module:
    """The tree of a script in Python 3.8 syntax. It is cached: do not change it. Raises SyntaxError."""
    return _parse(source, _OLDEST)


@lru_cache(maxsize=64)
def _parse(source: str, feature_version: tuple[int, int] | None) -> ast.Module:
    with warnings.catch_warnings():
        # Python warns about code such as `1if x` again when the script runs.
        warnings.simplefilter("ignore")
        try:
            return ast.parse(source, feature_version=feature_version)
        except (MemoryError, RecursionError):
            raise SyntaxError("nested too deeply") from None
        except ValueError as error:  # before Python 3.12, for a zero byte
            raise SyntaxError(str(error)) from None


def find_experiment(module: ast.Module) -> list[ast.stmt]:
    """The statements of the experiment: under the main guard, or of the module if there is none."""
    last = module.body[-1] if module.body else None
    return last.body if isinstance(last, ast.If) else module.body


def find_healthy_expression(module: ast.Module) -> ast.expr | None:
    """The value assigned by the third statement from the end, which sets `healthy`; None if it is none."""
    ending = find_experiment(module)[-3:]
    return ending[0].value if len(ending) == 3 and isinstance(ending[0], ast.Assign) else None


@lru_cache(maxsize=64)
def list_nodes(module: ast.Module) -> tuple[ast.AST, ...]:
    """Every node of a script's tree."""
    return tuple(ast.walk(module))


@lru_cache(maxsize=64)
def find_blocks(module: ast.Module) -> tuple[list[ast.stmt], ...]:
    """Every block of statements of a script."""
    return tuple(
        block
        for node in list_nodes(module)
        for name in ("body", "orelse", "finalbody")
        if isinstance(block := getattr(node, name, None), list)
    )


def find_dotted_name(node: ast.AST | None) -> str:
    """A name as text, such as "torch.cuda"; empty for other expressions."""
    if isinstance(node, ast.Name):
        return node.id
    before = find_dotted_name(node.value) if isinstance(node, ast.Attribute) else ""
    return f"{before}.{node.attr}" if before and isinstance(node, ast.Attribute) else ""


def find_called_function(statement: ast.AST | None) -> str:
    """The name of the function, if the whole statement is a call; otherwise empty."""
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        return find_dotted_name(statement.value.func)
    return ""


def find_names(node: ast.AST) -> set[str]:
    """All names in a tree."""
    return {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)}


@lru_cache(maxsize=64)
def find_defined_names(module: ast.Module) -> frozenset[str]:
    """The names that a script defines: its variables, parameters, functions, classes and imported modules."""
    defined = set[str]()
    for node in list_nodes(module):
        if isinstance(node, ast.Import):
            defined.update((alias.asname or alias.name).split(".")[0] for alias in node.names)
        elif not isinstance(getattr(node, "ctx", None), ast.Load) and not isinstance(
            node, (ast.alias, ast.keyword)
        ):
            defined.add(getattr(node, "id", getattr(node, "arg", getattr(node, "name", ""))) or "")
    return frozenset(defined)


def find_idle_lines(module: ast.Module, other: ast.Module) -> set[int]:
    """The lines of imports, of `print`, and of functions and classes that the other script of a pair has not.

    They have no effect until a line uses them that both scripts have.
    """
    old = find_defined_names(other)
    return {
        line
        for node in list_nodes(module)
        if isinstance(node, (ast.Import, ast.ImportFrom))
        or (isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node.name not in old)
        or find_called_function(node) == "print"
        for line in range(node.lineno, (node.end_lineno or 0) + 1)  # type: ignore[attr-defined]
    }


def find_literal_assignments(statements: Iterable[ast.stmt]) -> dict[str, ast.Assign]:
    """Name -> assignment, for each of these statements that assigns a literal to a name."""
    return {
        target.id: statement
        for statement in statements
        if isinstance(statement, ast.Assign)
        for target in statement.targets
        if isinstance(target, ast.Name) and is_literal(statement.value)
    }


def is_literal(node: ast.expr) -> bool:
    """Whether an expression is a literal: a number, a text, or a list of literals."""
    try:
        ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return False
    return True
