"""A script's text as a syntax tree, whatever stands in it."""

from __future__ import annotations

import ast
import warnings
from functools import lru_cache

# One object stands for every `+` of every tree: these have no place in one, and say nothing by themselves.
_SHARED = (ast.expr_context, ast.operator, ast.unaryop, ast.cmpop, ast.boolop)


# Scripts are held to it (CONTRIBUTING.md).
_OLDEST = (3, 8)


def tree(source: str) -> ast.Module:
    """The tree of a script, not to be changed: who asks for the same text gets the same tree.

    Raises SyntaxError, also where it nests too deeply to be read.
    """
    try:
        return oldest(source)
    except SyntaxError:
        return _parsed(source, None)


def oldest(source: str) -> ast.Module:
    """The same tree, of a script that Python 3.8 could read. Raises SyntaxError."""
    return _parsed(source, _OLDEST)


@lru_cache(maxsize=8)
def _parsed(source: str, feature_version: tuple[int, int] | None) -> ast.Module:
    with warnings.catch_warnings():
        # `1if x` and the like: told when the script runs, and to no reader of the catalogue.
        warnings.simplefilter("ignore", SyntaxWarning)
        try:
            return ast.parse(source, feature_version=feature_version)
        except (MemoryError, RecursionError):
            raise SyntaxError("nested too deeply") from None
        except ValueError as error:  # a zero byte, on older Pythons
            raise SyntaxError(str(error)) from None


def walk(node: ast.AST) -> list[ast.AST]:
    """A node and all below it, parents first, without contexts and operators.

    A tree is laid out once, and what is below each of its nodes is then a part of one list: rules
    that ask of every expression what stands in it would else walk the same nodes dozens of times.
    """
    if not hasattr(node, "_place"):
        _lay_out(node)
    nodes, start, end = node._place
    return nodes[start:end]


def _lay_out(root: ast.AST) -> None:
    nodes: list[ast.AST] = []
    starts: list[tuple[ast.AST, int]] = []
    waiting: list[ast.AST | None] = [root]
    while waiting:
        node = waiting.pop()
        if node is None:  # all below the node that was begun last is laid out
            begun, start = starts.pop()
            begun._place = nodes, start, len(nodes)
            continue
        starts.append((node, len(nodes)))
        nodes.append(node)
        waiting.append(None)
        waiting += reversed(_children(node))
    # A place keeps the list, which keeps the nodes: the collector of cycles frees them together.


def _children(node: ast.AST) -> list[ast.AST]:
    found = []
    for name in node._fields:
        value = getattr(node, name, None)
        for child in value if isinstance(value, list) else (value,):
            if isinstance(child, ast.AST) and not isinstance(child, _SHARED):
                found.append(child)
    return found
