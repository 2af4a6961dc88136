"""Rules against a script that reports something it did not measure.

The judge believes a script's OBSERVED line. These rules find the careless reasons why it should not;
whether a result depends on the work at all is tried by `python -m tools.mutate`, not read from the text.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from itertools import chain, pairwise

from dpkb.scripts import syntax
from dpkb.scripts.pair_rules import verdict
from dpkb.scripts.syntax import dotted

Problems = Iterator[tuple[int | None, str]]
_Guard = ast.If | ast.ExceptHandler

_LEAVING = frozenset(["sys.exit", "os._exit", "exit", "quit", "os.abort", "SystemExit"])
_COMPARING = frozenset(["equal", "allclose", "isclose", "array_equal", "eq", "ne", "assert_close"])
_BUILT_IN = frozenset("""
    abs all any bool float int isinstance len list max min range round set sorted sum tuple
""".split())
_ENVIRONMENTS = ("os.environ", "environ")
_NAME = re.compile(r"Name\(id='(\w+)', ctx=Load\(\)\)")
# A longer expression is not put in the place of a name, so that expressions cannot grow without bound.
_LONG = 2000


def result_problems(module: ast.Module, is_healthy: bool) -> Problems:
    """Every way in which this script could report more than it measured, as (line, message)."""
    yield from _exit_problems(module)
    yield from _skip_problems(module)
    yield from _written_results(module)
    yield from _self_comparisons(module)
    for node in syntax.nodes(module):
        if isinstance(node, (ast.expr, ast.ExceptHandler)):
            if _reads_environment(node):
                yield node.lineno, "reads a setting from the environment: the result depends on the shell"
            if is_healthy and _passes_over(node):
                yield node.lineno, "an error is passed over: nothing shows that it happened"


def skip_patterns(source: str) -> tuple[str, ...]:
    """A regular expression for each SKIPPED line that a guard of this script prints. Raises SyntaxError."""
    if "77" not in source:
        return ()
    return tuple(pattern for _, _, pattern in _skips(syntax.tree(source)) if pattern)


def _exit_problems(module: ast.Module) -> Problems:
    """Statements that are never reached, other exits than the last line, and a second OBSERVED line."""
    last = syntax.work(module)[-1:]
    for block in syntax.blocks(module):
        for statement in block:
            leaves = isinstance(statement, ast.Raise) or syntax.called(statement) in _LEAVING
            if leaves and statement is not block[-1]:
                yield statement.lineno, "the script always leaves here: the rest is never reached"
    for node in syntax.nodes(module):
        if isinstance(node, ast.Call) and dotted(node.func) in ("sys.exit", "exit", "quit", "SystemExit"):
            code = node.args[0] if node.args else ast.Constant(0)
            is_last = bool(last) and isinstance(last[0], ast.Expr) and last[0].value is node
            if not is_last and not (isinstance(code, ast.Constant) and code.value in (0, 77)):
                yield node.lineno, "exits with a code of its own; an error is raised, a result is OBSERVED"
    observed = [node for node in syntax.nodes(module) if isinstance(node, ast.Constant)
                and isinstance(node.value, str) and "OBSERVED" in node.value]
    for node in sorted(observed, key=lambda node: node.lineno)[:-1]:
        yield node.lineno, "OBSERVED is printed once, by the last but one statement"


def _skips(module: ast.Module) -> Iterator[tuple[ast.stmt, list[_Guard], str | None]]:
    """Each skip with the guards around it, and the pattern of the SKIPPED line above it, if there is one."""
    for block in syntax.blocks(module):
        for before, statement in zip([None, *block], block, strict=False):
            if syntax.called(statement) == "sys.exit" and ast.unparse(statement) == "sys.exit(77)":
                around = [node for node in syntax.nodes(module) if isinstance(node, _Guard)
                          and node.lineno <= statement.lineno <= (node.end_lineno or 0)]
                yield statement, around, _skipped_line(before)


def _skipped_line(statement: ast.stmt | None) -> str | None:
    if syntax.called(statement) != "print" or not isinstance(statement, ast.Expr):
        return None
    text = statement.value.args[0] if isinstance(statement.value, ast.Call) and statement.value.args else None
    parts = text.values if isinstance(text, ast.JoinedStr) else [text]
    pattern = "".join(re.escape(part.value) if isinstance(part, ast.Constant) and isinstance(part.value, str)
                      else ".*" for part in parts)
    return pattern if pattern.startswith("SKIPPED") else None


def _skip_problems(module: ast.Module) -> Problems:
    """Skips without a reason, and skips that depend on nothing of this machine."""
    for statement, around, pattern in _skips(module):
        if pattern is None:
            yield statement.lineno, 'a skip gives its reason: print("SKIPPED <what is missing>") above it'
        elif not any(_asks_the_machine(guard, module) for guard in around):
            yield statement.lineno, "skips without asking whether something is missing here"


def _asks_the_machine(guard: _Guard, module: ast.Module) -> bool:
    """Whether a guard is `except ImportError`, or an `if` about more than the script's own settings."""
    if isinstance(guard, ast.ExceptHandler):
        return dotted(guard.type) == "ImportError"
    read = {dotted(node) for node in ast.walk(guard.test) if isinstance(node, ast.Attribute)}
    own = {"__name__", "sys", *_BUILT_IN, *syntax.literals(chain(*syntax.blocks(module)))}
    return bool(read - {"sys.argv"} or syntax.names(guard.test) - own)


def _written_results(module: ast.Module) -> Problems:
    """`healthy`, or a value of the OBSERVED line, that is written out instead of measured."""
    expression = verdict(module)
    if expression is None:
        return  # reported by the rule about the ending
    literals, measured = Counter[str](), set[str]()
    ending = syntax.work(module)[-3:]
    waiting: list[ast.AST] = [*module.body]
    while waiting:
        node = waiting.pop()
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            # What a function calls its own is another thing, unless it says global.
            measured.update(*(n.names for n in ast.walk(node) if isinstance(n, ast.Global)))
            continue
        if isinstance(node, (ast.AugAssign, ast.AnnAssign, ast.For, ast.NamedExpr)):
            measured |= syntax.names(node.target)
        elif isinstance(node, ast.Call):
            measured |= syntax.names(node)  # a call may fill the list that it is given
        elif isinstance(node, ast.Assign):
            if syntax.is_literal(node.value):
                literals.update(syntax.literals([node]).keys())
            else:
                measured.update(*map(syntax.names, node.targets))
        waiting += (child for child in ast.iter_child_nodes(node) if child not in ending)
    # A name with two literals has the one that the run decided on.
    written = {name for name, count in literals.items() if count == 1} - measured
    # Data that was prepared beside the experiment measures nothing.
    mentioned = syntax.names(expression) - _BUILT_IN
    set_here = {node.id for statement in syntax.work(module)[:-3] for node in ast.walk(statement)
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    calls = [node for node in ast.walk(expression) if isinstance(node, ast.Call)]
    runs = any(isinstance(node.func, ast.Attribute) or dotted(node.func) not in _BUILT_IN for node in calls)
    if not ((mentioned & set_here or mentioned) - written or runs):
        yield expression.lineno, "`healthy` follows from literals alone, not from anything that ran"
    values = next((node for node in ast.walk(syntax.work(module)[-2]) if isinstance(node, ast.Dict)), None)
    for key, value in zip(values.keys, values.values, strict=True) if values else ():
        if not syntax.names(value):
            name = ast.unparse(key) if key else "**"
            yield value.lineno, f"{name} is written out, not measured; a setting has a name"


# -- comparing a thing with itself --------------------------------------------------------------


def _self_comparisons(module: ast.Module) -> Problems:
    """Comparisons whose two sides are one expression, and calls that are written in two ways."""
    message = "is compared with itself: this can never differ"
    for node in syntax.nodes(module):
        sides: list[ast.expr] = []
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub):
            sides = [node.left, node.right]
        elif isinstance(node, ast.Call) and dotted(node.func).split(".")[-1] in _COMPARING:
            sides = node.args[:2]
        for one, other in pairwise(sides):
            if type(one) is type(other) and ast.dump(one) == ast.dump(other) and not _may_vary(one):
                yield one.lineno, f"`{ast.unparse(one)}` {message}"
    for block in syntax.blocks(module):
        for line, first, second in _same_calls(block):
            yield line, f"`{second}` is the same as `{first}`, written in another way: nothing is compared"


def _may_vary(node: ast.expr) -> bool:
    """Whether an expression calls something, which may give another result each time."""
    return any(isinstance(inner, ast.Call) for inner in ast.walk(node))


def _same_calls(block: list[ast.stmt]) -> Iterator[tuple[int, str, str]]:
    """Calls of a block that differ in their text alone, once names stand for what was assigned to them.

    The same text twice is meant: two measurements of one thing.
    """
    simple = [[] if hasattr(statement, "body") else list(ast.walk(statement)) for statement in block]
    calls = [[node for node in inside if isinstance(node, ast.Call) and node.args] for inside in simple]
    counts = Counter(dotted(call.func) for call in chain(*calls))
    if max(counts.values(), default=0) < 2:
        return
    values: dict[str, str] = {}
    seen: dict[str, ast.Call] = {}
    for number, statement in enumerate(block):
        for call in (call for call in calls[number] if counts[dotted(call.func)] > 1):
            first = seen.setdefault(_inlined(call, values), call)
            if ast.dump(first) != ast.dump(call):
                yield call.lineno, ast.unparse(first), ast.unparse(call)
        stored = {node.id for node in simple[number] or ast.walk(statement)
                  if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        # A name that gets its value in another way only differs from its namesakes above.
        named = {name: f"{name}, new in {number}" for name in stored}
        if isinstance(statement, ast.Assign) and len(stored) == 1:
            value = _inlined(statement.value, values)
            # A second name for the same thing is there for the reader: that it is used so is meant.
            if not isinstance(statement.value, ast.Name) and len(value) < _LONG:
                named = dict.fromkeys(stored, value)
        values.update(named)


def _inlined(expression: ast.expr, values: dict[str, str]) -> str:
    """An expression as text, with these values for its names."""
    return _NAME.sub(lambda name: values.get(name[1], name[0]), ast.dump(expression))


# -- words of a line ----------------------------------------------------------------------------


def _reads_environment(node: ast.AST) -> bool:
    """Whether a node reads one variable. To hand on or to set the environment is something else."""
    if isinstance(node, ast.Call):
        return dotted(node.func) in ("os.getenv", "os.environ.get", "getenv", "environ.get")
    if isinstance(node, ast.Subscript):
        return isinstance(node.ctx, ast.Load) and dotted(node.value) in _ENVIRONMENTS
    return isinstance(node, ast.Compare) and any(dotted(side) in _ENVIRONMENTS for side in node.comparators)


def _passes_over(node: ast.AST) -> bool:
    """Whether a node catches an error and leaves no trace that the result could depend on."""
    if isinstance(node, ast.Call):
        return dotted(node.func) in ("suppress", "contextlib.suppress")
    return isinstance(node, ast.ExceptHandler) and all(
        isinstance(statement, (ast.Pass, ast.Continue, ast.Break)) or syntax.called(statement) == "print"
        for statement in node.body)
