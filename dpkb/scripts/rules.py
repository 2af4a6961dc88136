"""The rules for the scripts of an entry, checked without running them."""

from __future__ import annotations

import ast
from functools import lru_cache
from itertools import chain

from dpkb.model import Entry, Outcome, Problem, Script
from dpkb.scripts import docstring, syntax
from dpkb.scripts.diff import BUG, FIX, find_comments
from dpkb.scripts.error_rules import find_error_problems
from dpkb.scripts.fix_rules import find_fix_problems
from dpkb.scripts.pair_rules import find_pair_problems
from dpkb.scripts.result_rules import find_result_problems
from dpkb.scripts.syntax import Problems

MAX_LINES = 90
MAX_COLUMNS = 100
MAX_SCRIPT_BYTES = 20_000


def find_entry_problems(entry: Entry, sources: dict[str, str]) -> list[Problem]:
    """Every rule that these scripts of an entry break. sources: the text of each script, by name."""
    scripts = {script.name: script for script in entry.scripts if script.name in sources}
    problems = [
        Problem(script.path, message, line)
        for name, script in scripts.items()
        for line, message in find_script_problems(script, sources[name])
    ]
    if "broken" in scripts and "fixed" in scripts:
        problems += [
            Problem(scripts["fixed"].path, message, line)
            for line, message in chain(
                find_pair_problems(sources["broken"], sources["fixed"]),
                find_fix_problems(sources["broken"], sources["fixed"], entry),
            )
        ]
    return problems


@lru_cache(maxsize=64)
def find_script_problems(script: Script, source: str) -> tuple[tuple[int | None, str], ...]:
    """The rules that one script breaks, as lines and messages. Cached: `tools.mutate` asks many times."""
    try:
        return tuple(_find_each_problem(script, source))
    except RecursionError:
        return ((None, "nested too deeply: simplify the expression"),)


def _find_each_problem(script: Script, source: str) -> Problems:
    try:
        tree = syntax.parse_as_oldest_python(source)
    except SyntaxError as error:
        yield error.lineno, f"not Python 3.8: {error.msg}"
        return
    yield from find_length_problems(source)
    yield from _find_docstring_problems(script, source)
    yield from _find_import_problems(tree, script)
    yield from _find_ending_problems(tree)
    is_healthy = script.shows is Outcome.HEALTHY
    mark = FIX if is_healthy else BUG
    if not any(comment.startswith(mark) for comment in find_comments(source).values()):
        yield None, f"no `{mark}:` comment: mark the line that this script is about"
    if script.shows is Outcome.RAISED:
        for node in syntax.list_nodes(tree):
            if isinstance(node, ast.ExceptHandler) and syntax.find_dotted_name(node.type) != "ImportError":
                yield node.lineno, "remove this except: a script that `raises` must end with a traceback"
    yield from find_result_problems(tree, is_healthy)
    yield from find_error_problems(tree, script)


def find_length_problems(source: str) -> Problems:
    """The lines of a script that are too wide, and the last allowed line if there are too many."""
    lines = source.split("\n")
    if len(lines) - 1 > MAX_LINES:
        yield MAX_LINES, f"{len(lines) - 1} lines, at most {MAX_LINES}: shorten the script"
    for number, line in enumerate(lines, 1):
        if len(line) > MAX_COLUMNS:
            yield number, f"{len(line)} columns, at most {MAX_COLUMNS}: break the line"


def _find_docstring_problems(script: Script, source: str) -> Problems:
    try:
        text = docstring.read_docstring(source)
        docstring.parse_needs_line(text.labels["Needs"])
    except docstring.BadDocstring as error:
        yield 1, str(error)
        return
    if not text.title.startswith(f"{script.entry}: "):
        yield 1, f"the docstring does not start with `{script.entry}: `: write the id first"


def _find_import_problems(tree: ast.Module, script: Script) -> Problems:
    siblings = {"broken", "fixed", script.name}
    for node in syntax.list_nodes(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or "."]
        else:
            continue
        for name in names:
            top = name.split(".")[0]
            if top == "dpkb" or top in siblings or not top:
                yield node.lineno, f"imports {name!r}: a script imports neither dpkb nor another script"


def _find_ending_problems(tree: ast.Module) -> Problems:
    body = syntax.find_experiment(tree)
    if len(body) < 3:
        yield None, "the script must end with `healthy = …`, the OBSERVED line and `sys.exit(…)`"
        return
    healthy, observed, leave = body[-3:]
    targets = healthy.targets if isinstance(healthy, ast.Assign) else []
    if [_find_name(target) for target in targets] != ["healthy"]:
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
    if _find_name(call.func) != "print" or len(call.args) != 2:
        return False
    word, dumped = call.args
    return (
        isinstance(word, ast.Constant)
        and word.value == "OBSERVED"
        and isinstance(dumped, ast.Call)
        and ast.unparse(dumped.func) == "json.dumps"
        and len(dumped.args) == 1
        and isinstance(dumped.args[0], ast.Dict)
        and _find_first_item(dumped.args[0]) == ("healthy", "healthy")
    )


def _find_first_item(node: ast.Dict) -> tuple[object, str | None]:
    if not node.keys or not isinstance(node.keys[0], ast.Constant):
        return None, None
    return node.keys[0].value, _find_name(node.values[0])


def _find_name(node: ast.AST | None) -> str | None:
    return node.id if isinstance(node, ast.Name) else None
