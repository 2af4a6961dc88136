"""Which names of libraries code uses, with the line of each. The code is parsed, never run."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from dpkb.versions.history import Question

Function = ast.FunctionDef | ast.AsyncFunctionDef
_Scope = ast.Module | Function | ast.ClassDef | ast.Lambda
# In a condition: the code asks for the version, or whether something is there.
_ASKS = re.compile(r"version|hasattr|available|TYPE_CHECKING|find_spec|_HAS_|HAS_|PY2|PY3", re.IGNORECASE)
_EXPECTED = {
    "ImportError",
    "ModuleNotFoundError",
    "AttributeError",
    "TypeError",
    "Exception",
    "BaseException",
}
_SYNTAX = [
    (tuple(filter(None, [getattr(ast, "TemplateStr", None)])), "3.14", "template strings"),
    (tuple(filter(None, [getattr(ast, "TypeAlias", None)])), "3.12", "a `type` statement"),
    (tuple(filter(None, [getattr(ast, "TryStar", None)])), "3.11", "`except*`"),
    ((ast.Match,), "3.10", "`match`"),
    ((ast.NamedExpr,), "3.8", "`:=`"),
]  # type: list[tuple[tuple[type, ...], str, str]]

# A file without any of these has no newer syntax, and is not searched for it.
_NEW_SYNTAX = re.compile(
    r":=|[(,]\s*/|^\s*(?:match|type)\b|except\s*\*|\bt[\"']|(?:def|class) \w+\[", re.MULTILINE
)


@dataclass(frozen=True)
class Use:
    """What code uses of a library, and on which lines. override: it defines this method in a derived class."""

    question: Question
    lines: tuple[int, ...]
    override: bool = False

    @property
    def line(self) -> int:
        """The first line that has it."""
        return self.lines[0]


class UseFinder:
    """The uses in one parsed file of the packages that are known."""

    def __init__(self, tree: ast.Module, packages: Iterable[str]):
        self._packages = set(packages)
        self._lines: dict[tuple[Question, bool], dict[int, None]] = {}
        # Class of the file -> the classes of libraries that it is derived from, and the names that are its own.
        self._classes: dict[str, tuple[list[str], set[str]]] = {}
        self.stars: list[tuple[str, int]] = []
        self.built: list[tuple[str, int]] = []
        self.imported: dict[str, int] = {}
        self.others: set[str] = set()
        self._visit_scope(tree, [], guarded=False, owner=None)

    @property
    def uses(self) -> list[Use]:
        """Each use once, in the order of their first lines."""
        uses = [Use(question, tuple(lines), override) for (question, override), lines in self._lines.items()]
        return sorted(uses, key=lambda use: use.line)

    def _add(self, question: Question, line: int, guarded: bool, override: bool = False) -> None:
        if not guarded:
            self._lines.setdefault((question, override), {})[line] = None

    def _visit_scope(
        self, scope: _Scope, outer: list[dict[str, str | None]], guarded: bool, owner: _Derived | None
    ) -> None:
        nodes = list(_own_nodes(scope))
        names = dict(_bound_names(scope, nodes, self._packages))
        if isinstance(scope, ast.ClassDef):
            # Methods do not see the names of their class.
            self._visit_body(scope.body, [*outer, names], guarded, owner, outer)
        else:
            scopes = [*outer, names]
            self._find_instances(nodes, scopes, names)
            body = [scope.body] if isinstance(scope, ast.Lambda) else scope.body
            self._visit_body(body, scopes, guarded, owner, scopes)

    def _visit_body(
        self,
        body: Iterable[ast.AST],
        scopes: list[dict[str, str | None]],
        guarded: bool,
        owner: _Derived | None,
        inner: list[dict[str, str | None]],
    ) -> None:
        for node in body:
            self._visit(node, scopes, guarded, owner, inner)

    def _visit(
        self,
        node: ast.AST,
        scopes: list[dict[str, str | None]],
        guarded: bool,
        owner: _Derived | None,
        inner: list[dict[str, str | None]],
    ) -> None:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            self._add_import(node, guarded)
            return
        if isinstance(node, Function | ast.Lambda):
            outside = [
                *getattr(node, "decorator_list", []),
                *node.args.defaults,
                *filter(None, node.args.kw_defaults),
            ]
            outside += [a.annotation for a in ast.walk(node.args) if isinstance(a, ast.arg) and a.annotation]
            self._visit_body(outside, scopes, guarded, owner, inner)
            self._visit_scope(node, inner, guarded, owner)
            return
        if isinstance(node, ast.ClassDef):
            self._visit_class(node, scopes, guarded, inner)
            return
        if isinstance(node, ast.Try):
            expects = any(_expects_absence(handler) for handler in node.handlers)
            self._visit_body(node.body, scopes, guarded or expects, owner, inner)
            rest = [*node.handlers, *node.orelse]
            self._visit_body(rest, scopes, guarded or expects, owner, inner)
            self._visit_body(node.finalbody, scopes, guarded, owner, inner)
            return
        if isinstance(node, (ast.If, ast.IfExp)):
            asks = guarded or bool(_ASKS.search(ast.unparse(node.test)))
            for child in ast.iter_child_nodes(node):
                self._visit(child, scopes, asks, owner, inner)
            return
        if isinstance(node, ast.Call):
            self._add_call(node, scopes, guarded, owner)
        elif (
            isinstance(node, ast.Attribute)
            and isinstance(node.ctx, ast.Load)
            and (question := self._resolve(node, scopes, owner))
        ):
            self._add(question, node.lineno, guarded)
            return
        for child in ast.iter_child_nodes(node):
            self._visit(child, scopes, guarded, owner, inner)

    def _add_import(self, node: ast.Import | ast.ImportFrom, guarded: bool) -> None:
        if isinstance(node, ast.Import):
            for alias in node.names:
                if (top := alias.name.split(".")[0]) in self._packages:
                    self.imported.setdefault(top, node.lineno)
                    self._add(Question(alias.name), node.lineno, guarded)
                else:
                    self.others.add(top)
        elif not node.level and node.module and (top := node.module.split(".")[0]) not in self._packages:
            self.others.add(top)
        elif not node.level and node.module:
            self.imported.setdefault(top, node.lineno)
            for alias in node.names:
                if alias.name == "*":
                    self.stars.append((node.module, node.lineno))
                    self._add(Question(node.module), node.lineno, guarded)
                else:
                    self._add(Question(f"{node.module}.{alias.name}"), alias.lineno, guarded)

    def _visit_class(
        self,
        node: ast.ClassDef,
        scopes: list[dict[str, str | None]],
        guarded: bool,
        inner: list[dict[str, str | None]],
    ) -> None:
        bases = [self._dotted(base, scopes) for base in node.bases]
        known = [base for base in bases if base and not base.endswith("()")]
        own: set[str] = set()
        for derived_from in node.bases:
            if isinstance(derived_from, ast.Name) and derived_from.id in self._classes:
                above, inherited = self._classes[derived_from.id]
                known += above
                own |= inherited
        for child in [*node.bases, *node.decorator_list, *(keyword.value for keyword in node.keywords)]:
            self._visit(child, scopes, guarded, None, inner)
        # What the class itself defines or sets, and which methods it calls itself.
        own |= {item.name for item in node.body if isinstance(item, Function)}
        self._classes[node.name] = (known, own)
        calls = set()
        for inside in ast.walk(node) if known else ():
            if isinstance(inside, ast.Attribute) and isinstance(inside.ctx, ast.Store):
                own.add(inside.attr)
            elif isinstance(inside, ast.Name) and isinstance(inside.ctx, ast.Store):
                own.add(inside.id)
            elif isinstance(inside, ast.Call) and isinstance(inside.func, ast.Attribute):
                calls.add(inside.func.attr)
        for item in (item for item in node.body if isinstance(item, Function)):
            # A private method may be a hook that newer releases call by a public name.
            public = item.name.removeprefix("_")
            if public[:1] != "_" and not {item.name, public} & (calls | own - {item.name}):
                for base in known:
                    self._add(Question(f"{base}.{item.name}"), item.lineno, guarded, override=True)
        # With more than one base, or a base that is not seen, a name may be from there.
        derived = _Derived(known[0], frozenset(own)) if len(known) == len(node.bases) == 1 else None
        self._visit_scope(node, inner, guarded, derived)

    def _add_call(
        self, node: ast.Call, scopes: list[dict[str, str | None]], guarded: bool, owner: _Derived | None
    ) -> None:
        question = self._resolve(node.func, scopes, owner)
        if question is None:
            self._note_built_name(node, scopes)
            return
        path, on_instance = question.path, question.on_instance
        line = node.func.end_lineno or node.lineno
        self._add(Question(path, called=True, on_instance=on_instance), line, guarded)
        for keyword in node.keywords:
            if keyword.arg:
                self._add(
                    Question(path, True, keyword.arg, on_instance=on_instance), keyword.value.lineno, guarded
                )
        if node.args and not any(isinstance(argument, ast.Starred) for argument in node.args):
            self._add(Question(path, True, positional=len(node.args), on_instance=on_instance), line, guarded)

    def _note_built_name(self, node: ast.Call, scopes: list[dict[str, str | None]]) -> None:
        """getattr(torch, name): which name this is, only a run tells."""
        if isinstance(node.func, ast.Name) and node.func.id == "getattr" and len(node.args) == 2:
            owner = self._dotted(node.args[0], scopes)
            if owner and not isinstance(node.args[1], ast.Constant):
                self.built.append((owner, node.lineno))

    def _resolve(
        self, node: ast.expr, scopes: list[dict[str, str | None]], owner: _Derived | None
    ) -> Question | None:
        """The name of a library that an expression is."""
        if (
            owner
            and isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and node.value.id == "self"
            and node.attr not in owner.own
            and not node.attr.startswith("_")
        ):
            return Question(f"{owner.base}.{node.attr}", on_instance=True)
        dotted = self._dotted(node, scopes)
        if dotted is None or dotted.endswith("()"):
            return None
        # A method of an object: nothing is known of what it returns.
        head, _, rest = dotted.partition("().")
        if "." in rest or rest[:1] == "_":
            return None
        return Question(f"{head}.{rest}" if rest else head, on_instance=bool(rest))

    def _dotted(self, node: ast.expr, scopes: list[dict[str, str | None]]) -> str | None:
        if isinstance(node, ast.Attribute):
            owner = self._dotted(node.value, scopes)
            return f"{owner}.{node.attr}" if owner else None
        if isinstance(node, ast.Call):
            callee = self._dotted(node.func, scopes)
            # Only a class makes an instance of itself; a capital letter tells it well enough.
            is_class = callee and "()" not in callee and callee.rpartition(".")[2][:1].isupper()
            return f"{callee}()" if is_class else None
        if isinstance(node, ast.Name):
            for names in reversed(scopes):
                if node.id in names:
                    return names[node.id]
        return None

    def _find_instances(
        self, nodes: Iterable[ast.AST], scopes: list[dict[str, str | None]], names: dict[str, str | None]
    ) -> None:
        """Give names that are assigned once, by a call of a library's class, the type of its instance."""
        assigned: dict[str, list[ast.expr | None]] = {}
        for node in nodes:
            if (
                isinstance(node, ast.Assign)
                and len(node.targets) == 1
                and isinstance(node.targets[0], ast.Name)
            ):
                assigned.setdefault(node.targets[0].id, []).append(node.value)
            elif isinstance(node, ast.Name) and isinstance(node.ctx, (ast.Store, ast.Del)):
                assigned.setdefault(node.id, []).append(None)
        for name, values in assigned.items():
            calls = [value for value in values if isinstance(value, ast.Call)]
            # Each assignment is seen twice: as a statement, and as its target.
            if len(values) == 2 and len(calls) == 1 and name in names and names[name] is None:
                names[name] = self._dotted(calls[0], scopes)


@dataclass(frozen=True)
class _Derived:
    """A class of the file that is derived from a library's class."""

    base: str
    own: frozenset[str]


def _own_nodes(scope: _Scope) -> Iterator[ast.AST]:
    """The nodes of a scope, without those of the functions and classes in it."""
    todo: list[ast.AST] = [scope.body] if isinstance(scope, ast.Lambda) else [*scope.body]
    while todo:
        node = todo.pop()
        yield node
        if not isinstance(node, Function | ast.Lambda | ast.ClassDef):
            todo += ast.iter_child_nodes(node)


def _bound_names(
    scope: _Scope, nodes: Iterable[ast.AST], packages: set[str]
) -> Iterator[tuple[str, str | None]]:
    """What each name of a scope is: the dotted name of a library, or None for anything else."""
    bound: dict[str, set[str | None]] = {}
    if isinstance(scope, Function | ast.Lambda):
        for argument in ast.walk(scope.args):
            if isinstance(argument, ast.arg):
                bound.setdefault(argument.arg, set()).add(None)
    for node in nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                target = alias.name if alias.asname else alias.name.split(".")[0]
                is_known = target.split(".")[0] in packages
                bound.setdefault(alias.asname or target, set()).add(target if is_known else None)
        elif isinstance(node, ast.ImportFrom):
            is_known = not node.level and (node.module or "").split(".")[0] in packages
            for alias in node.names:
                path = f"{node.module}.{alias.name}" if is_known else None
                bound.setdefault(alias.asname or alias.name, set()).add(path)
        elif isinstance(node, Function | ast.ClassDef):
            bound.setdefault(node.name, set()).add(None)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, (ast.Store, ast.Del)):
            bound.setdefault(node.id, set()).add(None)
        elif isinstance(node, (ast.ExceptHandler, ast.MatchAs)) and node.name:
            bound.setdefault(node.name, set()).add(None)
    for name, values in bound.items():
        yield name, values.pop() if len(values) == 1 else None


def _expects_absence(handler: ast.ExceptHandler) -> bool:
    if handler.type is None:
        return True
    names = {node.id for node in ast.walk(handler.type) if isinstance(node, ast.Name)}
    return bool(names & _EXPECTED)


def needed_python(tree: ast.Module, text: str) -> tuple[str, int, str] | None:
    """The oldest Python that has the syntax of a file: (version, line, what needs it). None: any Python 3."""
    best = None
    for node in ast.walk(tree) if _NEW_SYNTAX.search(text) else ():
        found = next(((v, why) for kinds, v, why in _SYNTAX if isinstance(node, kinds)), None)
        if isinstance(node, ast.arguments) and node.posonlyargs:
            found, node = ("3.8", "positional-only parameters"), node.posonlyargs[0]
        elif getattr(node, "type_params", None):
            found = ("3.12", "type parameters")
        if found and (best is None or minor_of(found[0]) > minor_of(best[0])):
            best = (found[0], getattr(node, "lineno", 1), found[1])
    return best


def minor_of(version: str) -> int:
    """12 of 3.12."""
    return int(version.partition(".")[2])
