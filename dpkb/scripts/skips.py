"""The SKIPPED lines that a script may print: those that a check of this machine guards."""

from __future__ import annotations

import ast
import re
from itertools import chain, pairwise

from dpkb.scripts import syntax
from dpkb.scripts.syntax import find_dotted_name

_Guard = ast.If | ast.ExceptHandler


def find_skip_patterns(source: str) -> tuple[str, ...]:
    """A regular expression for each SKIPPED line that a guard of this script prints. Raises SyntaxError."""
    if "77" not in source:
        return ()
    module = syntax.parse_script(source)
    guards = [
        node
        for node in syntax.list_nodes(module)
        if isinstance(node, _Guard) and _asks_the_machine(node, module)
    ]
    return tuple(
        pattern
        for block in syntax.find_blocks(module)
        for before, statement in pairwise(block)
        if syntax.find_called_function(statement) == "sys.exit"
        and ast.unparse(statement) == "sys.exit(77)"
        and any(guard.lineno <= statement.lineno <= (guard.end_lineno or 0) for guard in guards)
        and (pattern := _find_skipped_line(before))
    )


def _find_skipped_line(statement: ast.stmt) -> str | None:
    """A regular expression for the line that a `print("SKIPPED …")` prints; None for other statements."""
    if syntax.find_called_function(statement) != "print" or not isinstance(statement, ast.Expr):
        return None
    text = statement.value.args[0] if isinstance(statement.value, ast.Call) and statement.value.args else None
    items = text.values if isinstance(text, ast.JoinedStr) else [text]
    pattern = "".join(
        re.escape(item.value) if isinstance(item, ast.Constant) and isinstance(item.value, str) else ".*"
        for item in items
    )
    return pattern if pattern.startswith("SKIPPED") else None


def _asks_the_machine(guard: _Guard, module: ast.Module) -> bool:
    """Whether a guard is `except ImportError`, or an `if` about more than the script's own settings."""
    if isinstance(guard, ast.ExceptHandler):
        return find_dotted_name(guard.type) == "ImportError"
    read = {find_dotted_name(node) for node in ast.walk(guard.test) if isinstance(node, ast.Attribute)}
    settings = syntax.find_literal_assignments(chain(*syntax.find_blocks(module)))
    own = {"__name__", "sys", *syntax.BUILT_IN_FUNCTIONS, *settings}
    return bool(read - {"sys.argv"} or syntax.find_names(guard.test) - own)
