"""Static rules against a script that says what it did not measure. Pure.

The judge takes a script's OBSERVED line at its word; these rules are why it may: `healthy` follows
from something that ran, numbers are not written by hand, nothing leaves before the end, and only
what asks this machine for something may skip.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from dpkb import syntax

Found = Iterator[tuple[int | None, str]]

# What these give is as measured as what they are given.
_PLAIN_CALLS = frozenset("""
    abs all any bool callable dict enumerate float getattr hasattr int isinstance issubclass len list max min
    print range repr reversed round set sorted
    str sum tuple type zip json.dumps json.loads copy.copy copy.deepcopy
""".split())
_LEAVES = frozenset(["sys.exit", "os._exit", "exit", "quit", "os.abort", "os.kill", "SystemExit"])
_SKIPS = ("sys.exit(77)", "raise SystemExit(77)")
_BRANCHES = (ast.For, ast.While, ast.If, ast.With, ast.Try)
_SCALARS = (int, float, str, bool, type(None))


def problems(source: str) -> Found:
    """Every way in which this script could say what it did not measure, as (line, message)."""
    try:
        tree = syntax.tree(source)
    except SyntaxError:
        return  # told where the syntax is checked
    yield from _dead_ends(tree.body)
    if source.count("OBSERVED") > 1:
        yield from _second_lines(tree)
    if "77" in source:
        yield from _baseless_skips(tree)
    yield from _written_results(tree)


def work(tree: ast.Module) -> list[ast.stmt]:
    """The statements of the experiment: those under the main guard, or of the module without one."""
    last = tree.body[-1] if tree.body else None
    return last.body if isinstance(last, ast.If) else tree.body


def skip_texts(source: str) -> tuple[str, ...]:
    """A regular expression for each SKIPPED line that a guard of this script prints."""
    tree = syntax.tree(source if "77" in source else "")
    return tuple(text for statements in _blocks(tree) for _, text in _skips(statements) if text)


def _dead_ends(statements: list[ast.stmt]) -> Found:
    """Statements after one that always leaves."""
    for block in (statements, *(s.body for s in statements if isinstance(s, (ast.If, ast.With, ast.For)))):
        for statement in block[:-1]:
            if isinstance(statement, ast.Raise) or _called(statement) in _LEAVES:
                yield statement.lineno, "the script always leaves here: what follows is never reached"


def _called(statement: ast.stmt) -> str:
    """The name of the function that a statement calls and nothing else; empty for other statements."""
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        return _dotted(statement.value.func)
    return ""


def _dotted(node: ast.AST | None) -> str:
    """The text of a name such as torch.cuda; empty for what is no plain name. Unparsing is slow."""
    if isinstance(node, ast.Name):
        return node.id
    before = _dotted(node.value) if isinstance(node, ast.Attribute) else ""
    return f"{before}.{node.attr}" if before else ""


def _second_lines(tree: ast.Module) -> Found:
    said = [node for node in syntax.walk(tree)
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and "OBSERVED" in node.value]
    for node in sorted(said, key=lambda node: node.lineno)[:-1]:
        yield node.lineno, "OBSERVED is said once, by the last but one statement"


def _baseless_skips(tree: ast.Module) -> Found:
    """Skips that do not say why, and skips that nothing about this machine leads to."""
    machine = _asks_the_machine(tree)
    guarded = set()
    for node in syntax.walk(tree):
        if isinstance(node, ast.ExceptHandler) and _dotted(node.type) == "ImportError":
            guarded |= {id(inner) for inner in syntax.walk(node)}
        elif isinstance(node, ast.If) and (_names(node.test) & machine or _reads_machine(node.test)):
            guarded |= {id(inner) for s in (*node.body, *node.orelse) for inner in syntax.walk(s)}
    for statements in _blocks(tree):
        for statement, text in _skips(statements):
            if text is None:
                yield statement.lineno, 'a skip says why: print("SKIPPED <what is missing>") before it'
            elif id(statement) not in guarded:
                yield statement.lineno, "skips without asking whether something is missing here"


def _blocks(tree: ast.AST) -> Iterator[list[ast.stmt]]:
    for node in syntax.walk(tree):
        for name in ("body", "orelse", "finalbody"):
            found = getattr(node, name, None)
            if isinstance(found, list):
                yield found


def _skips(statements: list[ast.stmt]) -> Iterator[tuple[ast.stmt, str | None]]:
    """Each skip in a block, with its SKIPPED line as a pattern; None where it has none before it."""
    before = None
    for statement in statements:
        if isinstance(statement, (ast.Expr, ast.Raise)) and "77" in ast.dump(statement) \
                and ast.unparse(statement) in _SKIPS:
            yield statement, _pattern(before)
        before = statement


def _pattern(statement: ast.stmt | None) -> str | None:
    if statement is None or _called(statement) != "print":
        return None
    parts = [ast.Constant("")]
    for argument in statement.value.args[:1]:
        parts = argument.values if isinstance(argument, ast.JoinedStr) else [argument]
    pattern = "".join(re.escape(p.value) if isinstance(p, ast.Constant) and isinstance(p.value, str) else ".*"
                      for p in parts)
    return pattern if pattern.startswith("SKIPPED") else None


def _asks_the_machine(tree: ast.Module) -> set[str]:
    """The names whose values come from something that an imported module knows."""
    names: set[str] = set()
    for _ in range(4):  # as long as one name follows from another
        for node in syntax.walk(tree):
            if isinstance(node, ast.Assign) and (_reads_machine(node.value) or _names(node.value) & names):
                names |= {n for target in node.targets for n in _names(target)}
    return names


def _reads_machine(expression: ast.expr) -> bool:
    """Whether an expression reads an attribute of something, or a file: its arguments do not count."""
    for node in syntax.walk(expression):
        if isinstance(node, ast.Attribute) and _dotted(node) not in ("sys.argv", "json.dumps"):
            return True
        if isinstance(node, ast.Call) and _dotted(node.func) in ("hasattr", "open"):
            return True
    return False


# -- what is measured ---------------------------------------------------------------------------


def _written_results(tree: ast.Module) -> Found:
    """`healthy`, or a number of the OBSERVED line, that is written instead of measured."""
    ending = work(tree)[-3:]
    if len(ending) < 3 or not isinstance(ending[0], ast.Assign):
        return  # told where the ending is checked
    verdict = ending[0].value
    flow = _Flow(tree)
    set_in_work = {node.id for s in work(tree) for node in syntax.walk(s)
                   if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)} - {"healthy"}
    found = _names(verdict) & set_in_work
    # What the experiment itself found must have run; data made beside it is no finding.
    ran = flow.is_measured(verdict) and (not found or found & flow.names or flow.runs_in(verdict))
    if not ran:
        yield ending[0].lineno, "`healthy` follows from what is written here, not from what ran"
    told = next((node for node in syntax.walk(ending[1]) if isinstance(node, ast.Dict)), None)
    for key, value in zip(told.keys, told.values, strict=True) if told else ():
        if not _names(value):
            name = ast.unparse(key) if key else "**"
            yield value.lineno, f"{name} is written, not measured; a setting has a name"


class _Flow:
    """Which names of a script hold what came from something that ran."""

    def __init__(self, tree: ast.Module) -> None:
        everything = syntax.walk(tree)
        self._imported = {alias.asname or alias.name.split(".")[0] for node in everything
                          if isinstance(node, (ast.Import, ast.ImportFrom)) for alias in node.names}
        own = [s for s in everything if isinstance(s, (ast.Assign, ast.AnnAssign)) and s.value]
        can_change = {n for s in own if not _is_scalar(s.value) for t in _targets(s) for n in _roots(t)}
        self._settings = {n for s in own for t in _targets(s) for n in _roots(t)} - can_change
        outer = {n for s in (*tree.body, *work(tree)) if isinstance(s, ast.Assign)
                 for t in s.targets for n in _roots(t)}
        self.names: set[str] = set()
        for node in _reached(tree):
            if isinstance(node, ast.FunctionDef):
                self.names |= _changed_by(node) & outer
        known = -1
        while known != len(self.names):
            known = len(self.names)
            self._follow(tree.body, False)

    def is_measured(self, expression: ast.expr) -> bool:
        """Whether the value of an expression depends on something that ran."""
        return any(node.id in self.names if isinstance(node, ast.Name)
                   else isinstance(node, ast.Call) and self._runs(node) for node in syntax.walk(expression))

    def runs_in(self, expression: ast.expr) -> bool:
        """Whether an expression itself runs something."""
        return any(isinstance(node, ast.Call) and self._runs(node) for node in syntax.walk(expression))

    def _runs(self, call: ast.Call) -> bool:
        """Whether a call by itself runs something: a function of the script, or of an imported module."""
        if _dotted(call.func) in _PLAIN_CALLS:
            return False
        # A method of what is written, "a b".split(), gives what is written.
        return isinstance(call.func, ast.Name) or bool(set(_roots(call.func)) & self._imported)

    def _follow(self, statements: list[ast.stmt], decided: bool) -> None:
        """Add the names that these statements measure. decided: something that ran leads to them."""
        for statement in statements:
            if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
                continue
            if isinstance(statement, _BRANCHES):
                self._branch(statement, decided)
                continue
            for node in syntax.walk(statement):
                if isinstance(node, ast.NamedExpr) and self.is_measured(node.value):
                    self.names |= _names(node.target)
                elif isinstance(node, ast.Call) and (decided or self.is_measured(node)):
                    self._handed_over(node)
            targets = _targets(statement)
            if targets and statement.value and (decided or self.is_measured(statement.value)):
                self.names |= {name for target in targets for name in _roots(target)}

    def _handed_over(self, call: ast.Call) -> None:
        """A call may change what it is given, and what it is a method of; not numbers and texts."""
        if _dotted(call.func) not in _PLAIN_CALLS:
            self.names |= _names(call) - self._imported - self._settings

    def _branch(self, statement: ast.stmt, decided: bool) -> None:
        leads = [getattr(statement, name) for name in ("iter", "test") if hasattr(statement, name)]
        leads += [item.context_expr for item in getattr(statement, "items", [])]
        is_guard = isinstance(statement, ast.If) and "__name__" in _names(statement.test)
        decided = decided or isinstance(statement, ast.Try) or any(map(self.is_measured, leads))
        if decided and not is_guard:
            given = [getattr(statement, "target", None)]
            given += [item.optional_vars for item in getattr(statement, "items", [])]
            self.names |= {name for target in given if target is not None for name in _roots(target)}
        blocks = [getattr(statement, name, []) for name in ("body", "orelse", "finalbody")]
        for block in (*blocks, *(handler.body for handler in getattr(statement, "handlers", []))):
            self._follow(block, decided)


def _reached(tree: ast.Module) -> Iterator[ast.AST]:
    """What of a script can run: its statements, and the definitions that these name."""
    definitions = {s.name: s for s in tree.body if isinstance(s, (ast.FunctionDef, ast.ClassDef))}
    waiting = [s for s in tree.body if not isinstance(s, (ast.FunctionDef, ast.ClassDef))]
    while waiting:
        for node in syntax.walk(waiting.pop()):
            yield node
            if isinstance(node, ast.Name) and node.id in definitions:
                waiting.append(definitions.pop(node.id))


def _changed_by(function: ast.FunctionDef) -> set[str]:
    """The names of things that a function changes where they are: its globals, lists it appends to."""
    changed: set[str] = set()
    for node in syntax.walk(function):
        if isinstance(node, (ast.Global, ast.Nonlocal)):
            changed |= set(node.names)
        elif isinstance(node, (ast.Assign, ast.AugAssign)):
            targets = [t for t in _targets(node) if isinstance(t, (ast.Subscript, ast.Attribute))]
            changed |= {name for target in targets for name in _roots(target)}
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            changed |= set(_roots(node.func))
    # What it changes of its arguments counts where it is called with them.
    arguments = function.args
    own = [*arguments.args, *arguments.kwonlyargs, *filter(None, [arguments.vararg, arguments.kwarg])]
    return changed - {argument.arg for argument in own}


def _targets(statement: ast.stmt) -> list[ast.expr]:
    if isinstance(statement, ast.Assign):
        return statement.targets
    return [statement.target] if isinstance(statement, (ast.AugAssign, ast.AnnAssign)) else []


def _roots(target: ast.expr) -> Iterator[str]:
    """The names that an assignment to this changes: a, b of `a[0].x, b`."""
    if isinstance(target, (ast.Tuple, ast.List)):
        for element in target.elts:
            yield from _roots(element)
    elif isinstance(target, (ast.Subscript, ast.Attribute, ast.Starred)):
        yield from _roots(target.value)
    elif isinstance(target, ast.Name):
        yield target.id


def _is_scalar(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and isinstance(value.value, _SCALARS)


def _names(node: ast.AST) -> set[str]:
    return {inner.id for inner in syntax.walk(node) if isinstance(inner, ast.Name)}
