"""Rules against a script that reports something it did not measure.

`dpkb verify` trusts a script's OBSERVED line. These rules find careless mistakes that make the line wrong,
such as a `healthy` that is always True. Mistakes that only a run shows, such as a second OBSERVED line, are
found by `dpkb.judge`. `python -m tools.mutate` tests whether a result depends on the rest of the script.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from itertools import chain, pairwise

from dpkb.scripts import syntax
from dpkb.scripts.syntax import Problems, find_dotted_name

_COMPARISON_FUNCTIONS = frozenset(["equal", "allclose", "isclose", "array_equal", "eq", "ne", "assert_close"])
_EXITS = ("sys.exit", "exit", "quit", "SystemExit")
_ENVIRONMENTS = ("os.environ", "environ")
_NAME = re.compile(r"Name\(id='(\w+)', ctx=Load\(\)\)")
# A name is not replaced by an expression longer than this, so that expressions cannot grow without bound.
_MAX_TEXT = 2000


def find_result_problems(module: ast.Module, is_healthy: bool) -> Problems:
    """Every way in which this script could report more than it measured, as (line, message)."""
    yield from _find_exit_problems(module)
    yield from _find_unmeasured_results(module)
    for block in syntax.find_blocks(module):
        yield from _find_self_comparisons(block)
    for node in syntax.list_nodes(module):
        if isinstance(node, (ast.expr, ast.ExceptHandler)):
            if _reads_environment(node):
                yield (
                    node.lineno,
                    (
                        "reads an environment variable or the command line, so the result depends on the shell: "
                        "write the setting in the script"
                    ),
                )
            if is_healthy and _ignores_error(node):
                yield (
                    node.lineno,
                    ("ignores an error: let it be raised, or set a value that `healthy` or OBSERVED uses"),
                )


def _find_exit_problems(module: ast.Module) -> Problems:
    """Exits before the last line, except with 0 (a child process) and 77 (a skip)."""
    last = syntax.find_experiment(module)[-1:]
    for node in syntax.list_nodes(module):
        if isinstance(node, ast.Call) and find_dotted_name(node.func) in _EXITS:
            code = node.args[0] if node.args else ast.Constant(0)
            is_last = bool(last) and isinstance(last[0], ast.Expr) and last[0].value is node
            if not is_last and not (isinstance(code, ast.Constant) and code.value in (0, 77)):
                yield (
                    node.lineno,
                    (
                        "exits here with a code other than 0 or 77: raise an exception for an "
                        "error, report a result in OBSERVED"
                    ),
                )


def _find_unmeasured_results(module: ast.Module) -> Problems:
    """`healthy`, or a value of the OBSERVED line, that is a literal instead of a measurement."""
    expression = syntax.find_healthy_expression(module)
    if expression is None:
        return  # `rules` reports a wrong ending
    used = syntax.find_names(expression) - syntax.BUILT_IN_FUNCTIONS
    set_by_experiment = {
        node.id
        for statement in syntax.find_experiment(module)[:-3]
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    calls = [node for node in ast.walk(expression) if isinstance(node, ast.Call)]
    runs_code = any(
        isinstance(node.func, ast.Attribute) or find_dotted_name(node.func) not in syntax.BUILT_IN_FUNCTIONS
        for node in calls
    )
    # Names from outside the experiment count only if `healthy` uses no name of the experiment.
    if not ((used & set_by_experiment or used) - _find_literal_names(module) or runs_code):
        yield (
            expression.lineno,
            ("`healthy` follows from literals alone: compute it from a value that the experiment measured"),
        )
    observed = syntax.find_experiment(module)[-2]
    values = next((node for node in ast.walk(observed) if isinstance(node, ast.Dict)), None)
    for key, value in zip(values.keys, values.values, strict=True) if values else ():
        if not syntax.find_names(value):
            name = ast.unparse(key) if key else "**"
            yield value.lineno, f"{name} is a literal: report a measured value, or a setting by its name"


def _find_literal_names(module: ast.Module) -> set[str]:
    """The names that have the same literal value in every run."""
    literals, measured = Counter[str](), set[str]()
    ending = syntax.find_experiment(module)[-3:]
    pending: list[ast.AST] = [*module.body]
    while pending:
        node = pending.pop()
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            # A function's assignments are local, unless it declares the name global.
            measured.update(*(n.names for n in ast.walk(node) if isinstance(n, ast.Global)))
            continue
        if isinstance(node, (ast.AugAssign, ast.AnnAssign, ast.For, ast.NamedExpr)):
            measured |= syntax.find_names(node.target)
        elif isinstance(node, ast.Call):
            measured |= syntax.find_names(node)  # a call may change its arguments
        elif isinstance(node, ast.Assign):
            if syntax.is_literal(node.value):
                literals.update(syntax.find_literal_assignments([node]).keys())
            else:
                measured.update(*map(syntax.find_names, node.targets))
        pending += (child for child in ast.iter_child_nodes(node) if child not in ending)
    # If a name is assigned two literals, the run decides which one it has.
    return {name for name, count in literals.items() if count == 1} - measured


def _find_self_comparisons(block: list[ast.stmt]) -> Problems:
    """Comparisons of an expression with itself, also after names are replaced by their values.

    Writing the same call twice is a repeated measurement and is allowed. Writing it in two forms is not.
    """
    # The value of each name as text: as it was assigned, and with the names in it replaced by their values.
    assigned: dict[str, str] = {}
    expanded: dict[str, str] = {}
    for number, statement in enumerate(block):
        # The statements inside a compound statement are checked as a separate block.
        own_nodes = [] if hasattr(statement, "body") else list(ast.walk(statement))
        for left, right in chain(*(pairwise(_list_sides(node)) for node in own_nodes)):
            if ast.dump(left) == ast.dump(right):
                if not any(isinstance(node, ast.Call) for node in ast.walk(left)):
                    yield (
                        left.lineno,
                        (
                            f"`{ast.unparse(left)}` is compared with itself: compare it with an "
                            "independent value"
                        ),
                    )
            elif _unparse(left, expanded) == _unparse(right, expanded) and not {
                ast.dump(left),
                _unparse(left, assigned),
            } & {ast.dump(right), _unparse(right, assigned)}:
                yield (
                    right.lineno,
                    (
                        f"`{ast.unparse(right)}` is the same as `{ast.unparse(left)}`, written "
                        "differently: compare it with an independent value"
                    ),
                )
        stored = {
            node.id
            for node in own_nodes or ast.walk(statement)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        }
        # A name that is assigned in any other way, such as by a loop, gets a unique value.
        new = {name: f"{name}, new in {number}" for name in stored}
        assigned.update(new)
        # Comparing a name with its alias is intended.
        value = statement.value if isinstance(statement, ast.Assign) and len(stored) == 1 else None
        if value and not isinstance(value, ast.Name) and len(text := _unparse(value, expanded)) < _MAX_TEXT:
            assigned.update(dict.fromkeys(stored, ast.dump(value)))
            new = dict.fromkeys(stored, text)
        expanded.update(new)


def _list_sides(node: ast.AST) -> list[ast.expr]:
    """The two sides of a comparison."""
    if isinstance(node, ast.Compare):
        return [node.left, *node.comparators]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub):
        return [node.left, node.right]
    if isinstance(node, ast.Call) and find_dotted_name(node.func).split(".")[-1] in _COMPARISON_FUNCTIONS:
        return node.args[:2]
    return []


def _unparse(expression: ast.expr, texts: dict[str, str]) -> str:
    """An expression as text, with each name replaced by its text in `texts`."""
    return _NAME.sub(lambda name: texts.get(name[1], name[0]), ast.dump(expression))


def _reads_environment(node: ast.AST) -> bool:
    """Whether a node reads the command line or one environment variable. Setting one or passing all on is allowed."""
    if isinstance(node, ast.Call):
        name = find_dotted_name(node.func)
        reads_command_line = name.endswith((".parse_args", ".parse_known_args")) and not node.args
        return reads_command_line or name in ("os.getenv", "os.environ.get", "getenv", "environ.get")
    if isinstance(node, ast.Subscript):
        return isinstance(node.ctx, ast.Load) and find_dotted_name(node.value) in _ENVIRONMENTS
    return isinstance(node, ast.Compare) and any(
        find_dotted_name(side) in _ENVIRONMENTS for side in node.comparators
    )


def _ignores_error(node: ast.AST) -> bool:
    """Whether a node catches an error and does nothing that the result could depend on."""
    if isinstance(node, ast.Call):
        return find_dotted_name(node.func) in ("suppress", "contextlib.suppress")
    if isinstance(node, ast.Attribute):
        return node.attr == "excepthook" and isinstance(node.ctx, ast.Store)
    return isinstance(node, ast.ExceptHandler) and all(
        isinstance(statement, (ast.Pass, ast.Continue, ast.Break))
        or syntax.find_called_function(statement) == "print"
        for statement in node.body
    )
