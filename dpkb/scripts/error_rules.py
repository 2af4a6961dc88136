"""Rules against a script whose error is its own doing, and not that of the code it is about."""

from __future__ import annotations

import ast
import builtins
import re

from dpkb.model import Outcome, Script
from dpkb.patterns import matching
from dpkb.scripts import syntax
from dpkb.scripts.syntax import Problems

_GLOBAL_NAMES = frozenset([*dir(builtins), "__file__"])
_STATEMENTS = (ast.Raise, ast.Assert, ast.Assign, ast.Return, ast.Expr)


def find_error_problems(module: ast.Module, script: Script) -> Problems:
    """Every way in which this script could fail for a reason of its own, as (line, message)."""
    yield from _find_undefined_names(module)
    if script.shows is Outcome.RAISED:
        yield from _find_written_messages(module, script)


def _find_undefined_names(module: ast.Module) -> Problems:
    """Names that nothing in the script defines."""
    defined = _GLOBAL_NAMES | syntax.find_defined_names(module)
    read: dict[str, int] = {}
    for node in syntax.list_nodes(module):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            read.setdefault(node.id, node.lineno)
        elif isinstance(node, ast.ImportFrom):
            defined |= {alias.asname or alias.name for alias in node.names}
    for name, line in read.items():
        if name not in defined:
            yield line, f"`{name}` is defined nowhere: define it, or correct the name"


def _find_written_messages(module: ast.Module, script: Script) -> Problems:
    """Statements that have the message in them which the script is declared to end with."""
    for node in syntax.list_nodes(module):
        value = getattr(node, "value", node)
        is_docstring = isinstance(node, ast.Expr) and isinstance(value, ast.Constant)
        if not isinstance(node, _STATEMENTS) or is_docstring or syntax.find_called_function(node) == "print":
            continue
        # `raise KeyError("name")` is shown as `KeyError: name`; every value in a text is 0.
        text = re.sub(r"(\w)\(f?['\"]", r"\1: ", ast.unparse(value or node).removeprefix("raise "))
        text = re.sub(r"\{[^}]*\}|%\w", "0", text)
        if any(matching.has_match(pattern.match, text) for pattern in script.patterns):
            yield node.lineno, "writes the message of the error itself: call the code that raises it"
