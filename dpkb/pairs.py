"""The texts of one entry's scripts: the static rules that they keep, and the fix as a diff."""

from __future__ import annotations

import ast
import difflib
import io
import tokenize
from collections.abc import Iterator

from dpkb import syntax
from dpkb.entry import Outcome, Script

MAX_LINES = 90
MAX_COLUMNS = 100
MAX_CHANGED = 12
MAX_SCRIPT_BYTES = 20_000
_FORBIDDEN = ("dpkb", "argparse")


def difference(before: str, after: str, before_name: str = "broken.py",
               after_name: str = "fixed.py", context: int = 1) -> list[str]:
    """A unified diff without line ends, with `context` unchanged lines around each change."""
    return list(difflib.unified_diff(
        before.splitlines(), after.splitlines(), before_name, after_name, n=context, lineterm=""
    ))


def script_problems(script: Script, source: str) -> Iterator[tuple[int | None, str]]:
    """Every static rule that this script breaks, as (line, message)."""
    try:
        tree = syntax.oldest(source)
    except SyntaxError as error:
        yield error.lineno, f"not Python 3.8: {error.msg}"
        return
    lines = source.split("\n")
    if len(lines) - 1 > MAX_LINES:
        yield MAX_LINES, f"{len(lines) - 1} lines; at most {MAX_LINES}"
    for number, line in enumerate(lines, 1):
        if len(line) > MAX_COLUMNS:
            yield number, f"{len(line)} columns; at most {MAX_COLUMNS}"
    yield from _import_problems(tree, script)
    yield from _ending_problems(tree)
    yield from _mark_problems(script, source)
    if script.shows is Outcome.RAISED:
        for node in syntax.walk(tree):
            if isinstance(node, ast.ExceptHandler) and _name(node.type) != "ImportError":
                yield node.lineno, "a bug that raises, raises: no except, the reader sees the traceback"


def pair_problem(broken: str, fixed: str) -> str | None:
    """What is wrong with a pair's diff: nothing changed, or too much."""
    changes = [line[0] for line in difference(broken, fixed)[2:] if line[0] in "+-"]
    changed = max(changes.count("+"), changes.count("-"))
    if not changed:
        return "fixed.py is the same as broken.py"
    if changed > MAX_CHANGED:
        return f"fixed.py changes {changed} lines of broken.py; at most {MAX_CHANGED}"
    return None


def _import_problems(tree: ast.Module, script: Script) -> Iterator[tuple[int, str]]:
    siblings = {"broken", "fixed", script.name}
    for node in syntax.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or "."]
        else:
            continue
        for name in names:
            top = name.split(".")[0]
            if top in _FORBIDDEN or top in siblings or not top:
                yield node.lineno, f"imports {name!r}: a reproducer stands alone"


def _ending_problems(tree: ast.Module) -> Iterator[tuple[int | None, str]]:
    body = tree.body
    if body and isinstance(body[-1], ast.If):
        body = body[-1].body
    if len(body) < 3:
        yield None, "the script ends before its OBSERVED line"
        return
    healthy, observed, leave = body[-3:]
    targets = healthy.targets if isinstance(healthy, ast.Assign) else []
    if [_name(target) for target in targets] != ["healthy"]:
        yield healthy.lineno, "the third statement from the end must be `healthy = …`"
    if not _is_observed(observed):
        form = 'print("OBSERVED", json.dumps({"healthy": healthy, …}))'
        yield observed.lineno, f"the last but one statement must be `{form}`"
    if ast.unparse(leave) != "sys.exit(0 if healthy else 1)":
        yield leave.lineno, "the last statement must be `sys.exit(0 if healthy else 1)`"


def _is_observed(node: ast.stmt) -> bool:
    if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)):
        return False
    call = node.value
    if _name(call.func) != "print" or len(call.args) != 2:
        return False
    word, dumped = call.args
    return (
        isinstance(word, ast.Constant) and word.value == "OBSERVED"
        and isinstance(dumped, ast.Call) and ast.unparse(dumped.func) == "json.dumps"
        and len(dumped.args) == 1 and isinstance(dumped.args[0], ast.Dict)
        and _first_item(dumped.args[0]) == ("healthy", "healthy")
    )


def _first_item(node: ast.Dict) -> tuple[object, str | None]:
    if not node.keys or not isinstance(node.keys[0], ast.Constant):
        return None, None
    return node.keys[0].value, _name(node.values[0])


def _mark_problems(script: Script, source: str) -> Iterator[tuple[int | None, str]]:
    mark = "# FIX" if script.shows is Outcome.HEALTHY else "# BUG"
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    if not any(token.type == tokenize.COMMENT and token.string.startswith(mark) for token in tokens):
        yield None, f"no `{mark}:` comment marks the line that this script is about"


def _name(node: ast.AST | None) -> str | None:
    return node.id if isinstance(node, ast.Name) else None
