"""The syntax tree of a script, and small questions about it."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterable, Iterator
from functools import lru_cache

# A line of a script, and a message about it.
Problems = Iterator[tuple[int | None, str]]
# Scripts run on every Python from this one on (CONTRIBUTING.md).
_OLDEST = (3, 8)
# Functions whose result follows from their arguments alone.
BUILT_IN_FUNCTIONS = frozenset("""
    abs all any bool float int isinstance len list max min range round set sorted sum tuple
""".split())


def tree(source: str) -> ast.Module:
    """The tree of a script. It is cached: do not change it.

    Raises SyntaxError, also for a text that is nested too deeply.
    """
    try:
        return oldest(source)
    except SyntaxError:
        return _parsed(source, None)


def oldest(source: str) -> ast.Module:
    """The tree of a script that Python 3.8 can read. It is cached: do not change it. Raises SyntaxError."""
    return _parsed(source, _OLDEST)


@lru_cache(maxsize=64)
def _parsed(source: str, feature_version: tuple[int, int] | None) -> ast.Module:
    with warnings.catch_warnings():
        # `1if x` and the like are reported when the script runs, not when the catalogue is read.
        warnings.simplefilter("ignore")
        try:
            return ast.parse(source, feature_version=feature_version)
        except (MemoryError, RecursionError):
            raise SyntaxError("nested too deeply") from None
        except ValueError as error:  # a zero byte, on older Pythons
            raise SyntaxError(str(error)) from None


def work(module: ast.Module) -> list[ast.stmt]:
    """The statements of the experiment: under the main guard, or of the module if there is none."""
    last = module.body[-1] if module.body else None
    return last.body if isinstance(last, ast.If) else module.body


def healthy_expression(module: ast.Module) -> ast.expr | None:
    """The expression that `healthy` is, if the script ends as it should."""
    ending = work(module)[-3:]
    return ending[0].value if len(ending) == 3 and isinstance(ending[0], ast.Assign) else None


@lru_cache(maxsize=64)
def nodes(module: ast.Module) -> tuple[ast.AST, ...]:
    """Every node of a script's tree."""
    return tuple(ast.walk(module))


@lru_cache(maxsize=64)
def blocks(module: ast.Module) -> tuple[list[ast.stmt], ...]:
    """Every block of statements of a script."""
    return tuple(block for node in nodes(module) for name in ("body", "orelse", "finalbody")
                 if isinstance(block := getattr(node, name, None), list))


def dotted(node: ast.AST | None) -> str:
    """The text of a name such as torch.cuda; empty for anything else."""
    if isinstance(node, ast.Name):
        return node.id
    before = dotted(node.value) if isinstance(node, ast.Attribute) else ""
    return f"{before}.{node.attr}" if before and isinstance(node, ast.Attribute) else ""


def called(statement: ast.AST | None) -> str:
    """The name of the function that a statement calls and does nothing else; empty for other statements."""
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        return dotted(statement.value.func)
    return ""


def names(node: ast.AST) -> set[str]:
    """The names that occur in a tree."""
    return {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)}


def literals(statements: Iterable[ast.stmt]) -> dict[str, ast.Assign]:
    """The names that these statements assign a literal to, with the assignment."""
    return {target.id: statement for statement in statements if isinstance(statement, ast.Assign)
            for target in statement.targets if isinstance(target, ast.Name) and is_literal(statement.value)}


def is_literal(node: ast.expr) -> bool:
    """Whether an expression is written out: numbers, texts, and lists of them."""
    try:
        ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return False
    return True
