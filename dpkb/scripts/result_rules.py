"""Rules against a script that reports something it did not measure.

The judge believes a script's OBSERVED line. These rules find the careless reasons why it should not. What
a run shows is left to the judge: a second OBSERVED line, or a skip without a reason. Whether a result
depends on the work at all is tried by `python -m tools.mutate`.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from itertools import chain, pairwise

from dpkb.scripts import syntax
from dpkb.scripts.syntax import Problems, dotted

_Guard = ast.If | ast.ExceptHandler

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
    yield from _written_results(module)
    for block in syntax.blocks(module):
        yield from _self_comparisons(block)
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
    module = syntax.tree(source)
    guards = [node for node in syntax.nodes(module)
              if isinstance(node, _Guard) and _asks_the_machine(node, module)]
    return tuple(
        pattern for block in syntax.blocks(module) for before, statement in pairwise(block)
        if syntax.called(statement) == "sys.exit" and ast.unparse(statement) == "sys.exit(77)"
        and any(guard.lineno <= statement.lineno <= (guard.end_lineno or 0) for guard in guards)
        and (pattern := _skipped_line(before)))


def _exit_problems(module: ast.Module) -> Problems:
    """Other exits than the last line, with a code that a result or an error has."""
    last = syntax.work(module)[-1:]
    for node in syntax.nodes(module):
        if isinstance(node, ast.Call) and dotted(node.func) in ("sys.exit", "exit", "quit", "SystemExit"):
            code = node.args[0] if node.args else ast.Constant(0)
            is_last = bool(last) and isinstance(last[0], ast.Expr) and last[0].value is node
            if not is_last and not (isinstance(code, ast.Constant) and code.value in (0, 77)):
                yield node.lineno, "exits with a code of its own; an error is raised, a result is OBSERVED"


def _skipped_line(statement: ast.stmt | None) -> str | None:
    if syntax.called(statement) != "print" or not isinstance(statement, ast.Expr):
        return None
    text = statement.value.args[0] if isinstance(statement.value, ast.Call) and statement.value.args else None
    items = text.values if isinstance(text, ast.JoinedStr) else [text]
    pattern = "".join(re.escape(item.value) if isinstance(item, ast.Constant) and isinstance(item.value, str)
                      else ".*" for item in items)
    return pattern if pattern.startswith("SKIPPED") else None


def _asks_the_machine(guard: _Guard, module: ast.Module) -> bool:
    """Whether a guard is `except ImportError`, or an `if` about more than the script's own settings."""
    if isinstance(guard, ast.ExceptHandler):
        return dotted(guard.type) == "ImportError"
    read = {dotted(node) for node in ast.walk(guard.test) if isinstance(node, ast.Attribute)}
    own = {"__name__", "sys", *_BUILT_IN, *syntax.literals(chain(*syntax.blocks(module)))}
    return bool(read - {"sys.argv"} or syntax.names(guard.test) - own)


def _written_results(module: ast.Module) -> Problems:
    """`healthy`, or a value of the OBSERVED line, that is written out instead of measured."""
    expression = syntax.healthy_expression(module)
    if expression is None:
        return  # reported by the rule about the ending
    # Data that was prepared beside the experiment measures nothing.
    mentioned = syntax.names(expression) - _BUILT_IN
    set_here = {node.id for statement in syntax.work(module)[:-3] for node in ast.walk(statement)
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    calls = [node for node in ast.walk(expression) if isinstance(node, ast.Call)]
    runs = any(isinstance(node.func, ast.Attribute) or dotted(node.func) not in _BUILT_IN for node in calls)
    if not ((mentioned & set_here or mentioned) - _literal_names(module) or runs):
        yield expression.lineno, "`healthy` follows from literals alone, not from anything that ran"
    values = next((node for node in ast.walk(syntax.work(module)[-2]) if isinstance(node, ast.Dict)), None)
    for key, value in zip(values.keys, values.values, strict=True) if values else ():
        if not syntax.names(value):
            name = ast.unparse(key) if key else "**"
            yield value.lineno, f"{name} is written out, not measured; a setting has a name"


def _literal_names(module: ast.Module) -> set[str]:
    """The names that stand for one literal, whatever the run did."""
    literals, measured = Counter[str](), set[str]()
    ending = syntax.work(module)[-3:]
    waiting: list[ast.AST] = [*module.body]
    while waiting:
        node = waiting.pop()
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            # A name that a function assigns is its own, unless it says global.
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
    return {name for name, count in literals.items() if count == 1} - measured


# -- comparing a thing with itself --------------------------------------------------------------


def _self_comparisons(block: list[ast.stmt]) -> Problems:
    """Comparisons of an expression with itself, also after names are replaced by their values.

    Calling the same thing twice is a repeated measurement and is allowed. The same call written in two ways
    is not.
    """
    once: dict[str, str] = {}  # what was assigned to each name
    wholly: dict[str, str] = {}  # the same, with the names in it replaced as well
    for number, statement in enumerate(block):
        inside = [] if hasattr(statement, "body") else list(ast.walk(statement))
        for one, other in chain(*(pairwise(_sides(node)) for node in inside)):
            if ast.dump(one) == ast.dump(other):
                if not any(isinstance(node, ast.Call) for node in ast.walk(one)):
                    yield one.lineno, f"`{ast.unparse(one)}` is compared with itself: this can never differ"
            elif (_text(one, wholly) == _text(other, wholly)
                  and not {ast.dump(one), _text(one, once)} & {ast.dump(other), _text(other, once)}):
                yield other.lineno, (f"`{ast.unparse(other)}` is the same as `{ast.unparse(one)}`, written "
                                     "in another way: nothing is compared")
        stored = {node.id for node in inside or ast.walk(statement)
                  if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        # A name assigned in any other way gets a value of its own, equal to nothing else.
        new = {name: f"{name}, new in {number}" for name in stored}
        once.update(new)
        # Comparing a name with its alias is intended.
        value = statement.value if isinstance(statement, ast.Assign) and len(stored) == 1 else None
        if value and not isinstance(value, ast.Name) and len(text := _text(value, wholly)) < _LONG:
            once.update(dict.fromkeys(stored, ast.dump(value)))
            new = dict.fromkeys(stored, text)
        wholly.update(new)


def _sides(node: ast.AST) -> list[ast.expr]:
    """The two sides of a comparison."""
    if isinstance(node, ast.Compare):
        return [node.left, *node.comparators]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub):
        return [node.left, node.right]
    if isinstance(node, ast.Call) and dotted(node.func).split(".")[-1] in _COMPARING:
        return node.args[:2]
    return []


def _text(expression: ast.expr, texts: dict[str, str]) -> str:
    """An expression as text, with these texts in the place of its names."""
    return _NAME.sub(lambda name: texts.get(name[1], name[0]), ast.dump(expression))


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
