"""One file as the rules see it: its nodes by type, what names stand for, its classes."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from dpkb.lint import names
from dpkb.lint.finding import Certainty, Edit, Finding, Rewrite
from dpkb.lint.source import Source, as_constant

if TYPE_CHECKING:
    from dpkb.lint.project import Project

Function = ast.FunctionDef | ast.AsyncFunctionDef
Loop = ast.For | ast.AsyncFor | ast.While
Scope = ast.Module | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda
N = TypeVar("N", bound=ast.AST)
_SCOPES = (ast.Module, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
# Python uses one object for all operators of a kind: these have no place in the text.
_SHARED = (ast.expr_context, ast.operator, ast.cmpop, ast.boolop, ast.unaryop)
# A name with more origins than this says nothing.
_MAX_ORIGINS = 12


@dataclass(frozen=True)
class Binding:
    """One place where a name gets a value. value: None where it is not known as an expression.

    index: the value is this item of what `value` gives (a, b = value). is_item: an item of an iteration.
    """

    node: ast.AST
    value: ast.expr | None = None
    index: int | None = None
    is_item: bool = False


@dataclass(eq=False)
class ClassInfo:
    """A class of the linted files."""

    name: str
    node: ast.ClassDef
    module: Module
    methods: dict[str, Function] = field(default_factory=dict)
    # Attributes of self -> the expressions assigned to them in any method, with the method's name.
    attributes: dict[str, list[tuple[str, ast.expr]]] = field(default_factory=lambda: defaultdict(list))

    @cached_property
    def bases(self) -> list[str | ClassInfo]:
        """The base classes: of the linted files where known, else their canonical names."""
        found: list[str | ClassInfo] = []
        for written in self.node.bases:
            base = written.value if isinstance(written, ast.Subscript) else written  # Model[T]
            known = self.module.class_named(base)
            name = self.module.qualified(base)
            if known is not None and known is not self:
                found.append(known)
            elif name:
                found.append(name)
        return found

    def is_a(self, wanted: str) -> bool:
        """Whether this class is a subclass of a library's class."""
        return any(
            names.is_library_class(base, wanted) if isinstance(base, str) else base.is_a(wanted)
            for base in self.ancestors if base is not self)

    @cached_property
    def ancestors(self) -> list[str | ClassInfo]:
        """This class and all its base classes, nearest first."""
        found: list[str | ClassInfo] = [self]
        for item in found:
            if isinstance(item, ClassInfo) and len(found) < 50:
                found += [base for base in item.bases if base not in found]
        return found

    def method(self, name: str) -> Function | None:
        """The method, own or inherited from a class of the linted files."""
        return next(
            (c.methods[name] for c in self.ancestors if isinstance(c, ClassInfo) and name in c.methods), None)

    @property
    def all_methods(self) -> Iterator[Function]:
        """Its methods and those that it inherits from classes of the linted files."""
        for item in self.ancestors:
            if isinstance(item, ClassInfo):
                yield from item.methods.values()


class Module:
    """A parsed file, indexed once for all rules."""

    def __init__(self, source: Source, project: Project | None = None) -> None:
        self.source = source
        self.project = project
        self.parents: dict[ast.AST, ast.AST] = {}
        self._by_type: dict[type[ast.AST], list[ast.AST]] = defaultdict(list)
        self.imports: dict[str, str] = {}
        self._bindings: dict[ast.AST, dict[str, list[Binding]]] = defaultdict(lambda: defaultdict(list))
        self.classes: dict[str, ClassInfo] = {}
        self._class_of_node: dict[ast.ClassDef, ClassInfo] = {}
        self._origins: dict[object, list[ast.expr]] = {}
        self._types: dict[ast.Call, list[str | ClassInfo]] = {}
        self._called: dict[ast.Call, str] = {}
        self._words: dict[ast.AST, set[str]] = {}
        self._classes_named: dict[str, ClassInfo | None] = {}
        # What several rules ask for: found once per file.
        self.cache: dict[str, list[Any]] = {}
        # All nodes in the order of the text; where each stands; how many nodes its tree has.
        self._order: list[ast.AST] = []
        self._position: dict[ast.AST, int] = {}
        self._size: list[int] = []
        self._index()
        self._read_imports()
        self._bind()
        self._read_classes()

    # -- nodes -----------------------------------------------------------------------------------------

    def nodes(self, *types: type[N]) -> list[N]:
        """All nodes of these types, in the order of the text for one type."""
        if len(types) == 1:
            return self._by_type[types[0]]  # type: ignore[return-value]
        return [node for kind in types for node in self._by_type[kind]]  # type: ignore[misc]

    @property
    def calls(self) -> list[ast.Call]:
        """All calls."""
        return self.nodes(ast.Call)

    @cached_property
    def functions(self) -> list[Function]:
        """All functions and methods."""
        return [*self.nodes(ast.FunctionDef), *self.nodes(ast.AsyncFunctionDef)]

    @cached_property
    def loops(self) -> list[Loop]:
        """All for and while loops."""
        return [*self.nodes(ast.For), *self.nodes(ast.AsyncFor), *self.nodes(ast.While)]

    @cached_property
    def iterations(self) -> list[ast.For | ast.AsyncFor | ast.comprehension]:
        """All for loops and the for parts of comprehensions."""
        return [*self.nodes(ast.For), *self.nodes(ast.AsyncFor), *self.nodes(ast.comprehension)]

    @cached_property
    def assignments(self) -> list[tuple[ast.stmt, list[ast.expr], ast.expr]]:
        """All assignments with a value: the statement, its targets, the value."""
        plain: list[tuple[ast.stmt, list[ast.expr], ast.expr]] = [
            (node, node.targets, node.value) for node in self.nodes(ast.Assign)]
        return plain + [
            (node, [node.target], node.value) for node in self.nodes(ast.AnnAssign) if node.value is not None]

    def parents_of(self, node: ast.AST) -> Iterator[ast.AST]:
        """The nodes around this one, nearest first."""
        while (parent := self.parents.get(node)) is not None:
            yield parent
            node = parent

    def enclosing(self, node: ast.AST, *types: type[N]) -> N | None:
        """The nearest node of these types around this one."""
        return next((parent for parent in self.parents_of(node) if isinstance(parent, types)), None)

    def function_of(self, node: ast.AST) -> Function | None:
        """The function around this node."""
        return next((parent for parent in self.parents_of(node) if isinstance(parent, _FUNCTIONS)), None)

    def class_of(self, node: ast.AST) -> ClassInfo | None:
        """The class whose method this node is in."""
        found = self.enclosing(node, ast.ClassDef)
        return self._class_of_node.get(found) if found else None

    def loops_around(self, node: ast.AST) -> list[Loop]:
        """The loops around this node within its function, innermost first."""
        loops: list[Loop] = []
        child = node
        for parent in self.parents_of(node):
            if isinstance(parent, (*_FUNCTIONS, ast.Lambda, ast.ClassDef)):
                break
            # What a loop iterates over is evaluated once, outside of it.
            if isinstance(parent, ast.While) or (
                    isinstance(parent, (ast.For, ast.AsyncFor)) and child is not parent.iter):
                loops.append(parent)
            child = parent
        return loops

    def inside(self, node: ast.AST, outer: ast.AST) -> bool:
        """Whether a node is in the tree of another one."""
        start = self._position.get(outer)
        return (
            start is not None and node in self._position
            and (start <= self._position[node] < start + self._size[start]))

    def tree(self, outer: ast.AST) -> list[ast.AST]:
        """A node and all nodes in its tree, in the order of the text."""
        start = self._position.get(outer)
        if start is None:  # a method that is inherited from a class of another file
            return list(ast.walk(outer))
        return self._order[start : start + self._size[start]]

    def within(self, outer: ast.AST, *types: type[N]) -> list[N]:
        """The nodes of these types in the tree of a node, in the order of the text."""
        return [node for node in self.tree(outer) if isinstance(node, types)]

    def statement_of(self, node: ast.AST) -> ast.stmt:
        """The statement that an expression is part of."""
        while not isinstance(node, ast.stmt):
            node = self.parents[node]
        return node

    def mentions(self, outer: ast.AST, *words: str) -> bool:
        """Whether a name, an attribute or a keyword in the tree of a node is one of these words."""
        return not self.words(outer).isdisjoint(words)

    def words(self, outer: ast.AST) -> set[str]:
        """All names, attributes and keywords in the tree of a node."""
        if outer not in self._words:
            self._words[outer] = {word for node in self.tree(outer) if (word := _word(node))}
        return self._words[outer]

    # -- names -----------------------------------------------------------------------------------------

    def qualified(self, node: ast.AST | None) -> str:
        """The canonical dotted name of a library's thing; "" for anything else."""
        parts = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name) or node.id not in self.imports:
            return ""
        return names.canonical(".".join([self.imports[node.id], *reversed(parts)]))

    def called(self, call: ast.Call) -> str:
        """The canonical name of the library's function or class that is called; "" for anything else."""
        if call not in self._called:
            self._called[call] = self.qualified(call.func)
        return self._called[call]

    def calls_of(self, *wanted: str) -> Iterator[ast.Call]:
        """The calls of these canonical names."""
        for name in wanted:
            yield from self._calls_by_library_name.get(name, ())

    @cached_property
    def _calls_by_library_name(self) -> dict[str, list[ast.Call]]:
        calls: dict[str, list[ast.Call]] = defaultdict(list)
        for call in self.calls:
            calls[self.called(call)].append(call)
        calls.pop("", None)
        return calls

    def method_calls(self, *wanted: str) -> Iterator[ast.Call]:
        """The calls of the form something.name()."""
        for name in wanted:
            for call in self._calls_by_name.get(name, ()):
                if isinstance(call.func, ast.Attribute):
                    yield call

    def bindings(self, name: ast.Name) -> list[Binding]:
        """The places where this name gets its value, in the nearest scope that has any."""
        scope: Scope | None = self.scope_of(name)
        first = True
        while scope is not None:
            # The names of a class body are not seen in its methods.
            if (first or not isinstance(scope, ast.ClassDef)) and name.id in self._bindings[scope]:
                return self._bindings[scope][name.id]
            first = False
            scope = self.scope_of(scope) if not isinstance(scope, ast.Module) else None
        return []

    def scope_of(self, node: ast.AST) -> Scope:
        """The function, lambda, class or module around this node."""
        return next(
            (parent for parent in self.parents_of(node) if isinstance(parent, _SCOPES)), self.source.tree)

    def origins(self, node: ast.expr | None) -> list[ast.expr]:
        """The expressions that may have created this value, through assignments and attributes of self.

        An expression that is no name is its own origin. Empty where nothing is known.
        """
        if node is None:
            return []
        if not isinstance(node, (ast.Name, ast.Attribute, ast.IfExp, ast.NamedExpr)):
            return [node]
        # A name whose origins are being looked up already (x = f(x)) adds none.
        key = self._identity(node)
        if key not in self._origins:
            self._origins[key] = []
            self._origins[key] = list(dict.fromkeys(self._find_origins(node)))[:_MAX_ORIGINS]
        return self._origins[key]

    def _identity(self, node: ast.expr) -> object:
        """Names that stand for the same binding are looked up once."""
        return (node.id, self.scope_of(node)) if isinstance(node, ast.Name) else node

    def _find_origins(self, node: ast.expr) -> list[ast.expr]:
        if isinstance(node, ast.Name):
            found: list[ast.expr] = []
            for binding in self.bindings(node):
                if binding.value is None or binding.is_item:
                    found += self._argument_origins(binding)
                elif binding.index is None:
                    found += self.origins(binding.value)
                else:
                    found += self._item_origins(binding.value, binding.index)
            return found
        if isinstance(node, ast.IfExp):
            return [*self.origins(node.body), *self.origins(node.orelse)]
        if isinstance(node, ast.NamedExpr):
            return self.origins(node.value)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            owner = self._self_class(node.value)
            if owner is not None:
                return [
                    origin for _, value in self._attribute_values(owner, node.attr)
                    for origin in owner.module.origins(value)]
        return [node]

    def _attribute_values(self, owner: ClassInfo, name: str) -> list[tuple[str, ast.expr]]:
        return [
            pair for item in owner.ancestors if isinstance(item, ClassInfo)
            for pair in item.attributes.get(name, [])]

    def _item_origins(self, value: ast.expr, index: int) -> list[ast.expr]:
        found = []
        for origin in self.origins(value):
            if isinstance(origin, (ast.Tuple, ast.List)) and index < len(origin.elts):
                found += self.origins(origin.elts[index])
            elif (
                isinstance(origin, ast.Call) and isinstance(origin.func, ast.Attribute)
                and origin.func.attr == "prepare" and index < len(origin.args)):
                found += self.origins(origin.args[index])  # Accelerator.prepare(a, b, c)
            elif isinstance(origin, ast.Call):
                for returned in self._returned_by(origin):
                    if isinstance(returned, ast.Tuple) and index < len(returned.elts):
                        found += self.origins(returned.elts[index])
        return found

    def _argument_origins(self, binding: Binding) -> list[ast.expr]:
        """What a parameter may be: the arguments of the calls of its function in this file."""
        parameter = binding.node
        if not isinstance(parameter, ast.arg):
            return []
        function = self.function_of(parameter)
        if function is None or parameter not in self.parameters(function):
            return []
        position = self.parameters(function).index(parameter)
        found = []
        for call in self._calls_by_name.get(function.name, []):
            if isinstance(call.func, ast.Attribute) or self.inside(call, function):
                continue
            value = argument(call, parameter.arg, position)
            if value is not None:
                found += self.origins(value)
        return found

    @cached_property
    def _calls_by_name(self) -> dict[str, list[ast.Call]]:
        calls: dict[str, list[ast.Call]] = defaultdict(list)
        for call in self.calls:
            if isinstance(call.func, (ast.Name, ast.Attribute)):
                calls[call.func.id if isinstance(call.func, ast.Name) else call.func.attr].append(call)
        return calls

    def parameters(self, function: Function | ast.Lambda) -> list[ast.arg]:
        """The positional and keyword parameters."""
        return [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]

    def constant(self, node: ast.expr | None) -> object:
        """The value of a literal, or of a name that is bound once, to a literal; else None."""
        value = as_constant(node)
        if value is not None or not isinstance(node, (ast.Name, ast.Attribute)):
            return value
        origins = self.origins(node)
        return as_constant(origins[0]) if len(origins) == 1 else None

    # -- functions and classes -------------------------------------------------------------------------

    def function_named(self, node: ast.expr) -> Function | None:
        """The function of this file that an expression names; self.name is looked up in the class."""
        if isinstance(node, ast.Name):
            for binding in self.bindings(node):
                if isinstance(binding.node, _FUNCTIONS):
                    return binding.node
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            owner = self._self_class(node.value)
            return owner.method(node.attr) if owner else None
        return None

    def class_named(self, node: ast.expr | None) -> ClassInfo | None:
        """The class of the linted files that an expression names."""
        if isinstance(node, ast.Name):
            if node.id in self.classes:
                return self.classes[node.id]
            dotted = self.imports.get(node.id, "")
        else:
            dotted = self.qualified(node) if isinstance(node, ast.Attribute) else ""
        if not dotted or self.project is None:
            return None
        if dotted not in self._classes_named:
            self._classes_named[dotted] = self.project.imported_class(dotted, self.source.name)
        return self._classes_named[dotted]

    def types(self, node: ast.expr | None) -> list[str | ClassInfo]:
        """The classes that this value may be an instance of: names of libraries, or classes of the files."""
        found: list[str | ClassInfo] = []
        for origin in self.origins(node):
            if isinstance(origin, ast.Call):
                if origin not in self._types:
                    self._types[origin] = []
                    self._types[origin] = self._types_of_call(origin)
                found += self._types[origin]
        return list(dict.fromkeys(found))

    def _types_of_call(self, origin: ast.Call) -> list[str | ClassInfo]:
        found: list[str | ClassInfo] = []
        known = self.class_named(origin.func)
        name = self.called(origin)
        if known is not None:
            found.append(known)
        elif (
            name
            in (
                "torch.compile", "torch.nn.utils.weight_norm", "torch.nn.utils.spectral_norm",
                "copy.deepcopy", "copy.copy", "torch.jit.script")
            and origin.args
        ):
            found += self.types(origin.args[0])
        elif name.endswith(".from_pretrained"):
            found.append(name.rpartition(".")[0])
        elif name:
            found.append(name)
        elif isinstance(origin.func, ast.Attribute) and origin.func.attr in names.SAME_OBJECT_METHODS:
            found += self.types(origin.func.value)
        elif (
            isinstance(origin.func, ast.Attribute) and origin.func.attr == "prepare"
            and len(origin.args) == 1):
            found += self.types(origin.args[0])
        else:
            for returned in self._returned_by(origin):
                found += self.types(returned)
        return found

    def is_a(self, node: ast.expr | None, wanted: str) -> bool:
        """Whether a value may be an instance of a library's class, or of a subclass."""
        return any(type_is_a(kind, wanted) for kind in self.types(node))

    def _returned_by(self, call: ast.Call) -> list[ast.expr]:
        function = self.function_named(call.func)
        if function is None:
            return []
        return [
            node.value for node in self.within(function, ast.Return)
            if node.value is not None and self.function_of(node) is function]

    def _self_class(self, name: ast.Name) -> ClassInfo | None:
        """The class of `self` where this name is the first parameter of a method."""
        function = self.function_of(name)
        while function is not None:
            parent = self.parents.get(function)
            if isinstance(parent, ast.ClassDef):
                first = self.parameters(function)[:1]
                return self._class_of_node.get(parent) if first and first[0].arg == name.id else None
            function = self.function_of(function)
        return None

    def release(self) -> None:
        """Let go of everything that refers back to this file, so that its memory is free at once."""
        for references in (self.classes, self._class_of_node, self._types, self._classes_named, self.cache):
            references.clear()

    # -- findings --------------------------------------------------------------------------------------

    def finding(
        self, rule: str, node: ast.AST, certainty: Certainty, message: str, fix: str,
        edits: Sequence[Edit | None] = (), unsafe: bool = False) -> Finding:
        """A finding at the place of a node, with the edits that correct it; None among them: it has none."""
        line: int = node.lineno  # type: ignore[attr-defined]
        lines = self.lines
        shown, cell = self.source.place(line)
        return Finding(
            rule,
            certainty,
            message,
            fix,
            self.source.name,
            shown,
            node.col_offset + 1,  # type: ignore[attr-defined]
            lines[line - 1] if line <= len(lines) else "",
            cell,
            Rewrite(tuple(edit for edit in edits if edit), unsafe) if edits and all(edits) else None,
        )

    @cached_property
    def lines(self) -> list[str]:
        """The lines of the text."""
        return self.source.text.split("\n")

    # -- the index -------------------------------------------------------------------------------------

    def _index(self) -> None:
        todo: list[ast.AST] = [self.source.tree]
        by_type, parents, order = self._by_type, self.parents, self._order
        while todo:
            node = todo.pop()
            by_type[node.__class__].append(node)
            order.append(node)
            children = []
            for name in node._fields:
                value = getattr(node, name, None)
                if value.__class__ is list:
                    children += [item for item in value
                                 if isinstance(item, ast.AST) and not isinstance(item, _SHARED)]
                elif isinstance(value, ast.AST) and not isinstance(value, _SHARED):
                    children.append(value)
            children.reverse()
            for child in children:
                parents[child] = node
            todo += children
        position = self._position = {node: number for number, node in enumerate(order)}
        size = self._size = [1] * len(order)
        for number in range(len(order) - 1, 0, -1):
            size[position[parents[order[number]]]] += size[number]

    def _read_imports(self) -> None:
        for node in self.nodes(ast.Import):
            for alias in node.names:
                name = alias.asname or alias.name.partition(".")[0]
                self.imports[name] = alias.name if alias.asname else name
        for origin in self.nodes(ast.ImportFrom):
            for alias in origin.names:
                self.imports[alias.asname or alias.name] = f"{origin.module or ''}.{alias.name}".lstrip(".")

    def _bind(self) -> None:
        for node in self.nodes(ast.Assign):
            for target in node.targets:
                self._bind_target(target, node, node.value)
        others: list[ast.AnnAssign | ast.AugAssign | ast.NamedExpr] = [
            *self.nodes(ast.AnnAssign), *self.nodes(ast.AugAssign), *self.nodes(ast.NamedExpr)]
        for assigned in others:
            if isinstance(assigned.target, ast.Name):
                value = None if isinstance(assigned, ast.AugAssign) else assigned.value
                self._add(assigned.target.id, Binding(assigned, value))
        for loop in self.iterations:
            for name in ast.walk(loop.target):
                if isinstance(name, ast.Name):
                    self._add(name.id, Binding(loop.target, loop.iter, is_item=True))
        for item in self.nodes(ast.withitem):
            if item.optional_vars is not None:
                self._bind_target(item.optional_vars, item.optional_vars, item.context_expr)
        for function in (*self.functions, *self.nodes(ast.Lambda)):
            defaults = function.args.defaults
            parameters = [*function.args.posonlyargs, *function.args.args]
            with_default = dict(zip(reversed(parameters), reversed(defaults), strict=False))
            for parameter in self.parameters(function):
                self._bindings[function][parameter.arg].append(Binding(parameter))
                if (default := with_default.get(parameter)) is not None and not isinstance(
                    default, ast.Constant):
                    self._bindings[function][parameter.arg].append(Binding(default, default))
        for definition in (*self.functions, *self.nodes(ast.ClassDef)):
            self._add(definition.name, Binding(definition))

    def _bind_target(self, target: ast.expr, node: ast.AST, value: ast.expr) -> None:
        if isinstance(target, ast.Name):
            self._add(target.id, Binding(node, value))
        elif isinstance(target, (ast.Tuple, ast.List)):
            for index, item in enumerate(target.elts):
                if isinstance(item, ast.Name):
                    self._add(item.id, Binding(node, value, index))

    def _add(self, name: str, binding: Binding) -> None:
        self._bindings[self.scope_of(binding.node)][name].append(binding)

    def _read_classes(self) -> None:
        for node in self.nodes(ast.ClassDef):
            info = ClassInfo(node.name, node, self)
            info.methods = {item.name: item for item in node.body if isinstance(item, _FUNCTIONS)}
            self.classes[node.name] = self._class_of_node[node] = info
        for assign, targets, assigned in self.assignments:
            for target in targets:
                pairs = [(target, assigned)]
                if isinstance(target, ast.Tuple) and isinstance(assigned, ast.Tuple):
                    pairs = list(zip(target.elts, assigned.elts, strict=False))
                for single, value in pairs:
                    if (
                        isinstance(single, ast.Attribute) and isinstance(single.value, ast.Name)
                        and (owner := self._self_class(single.value)) is not None):
                        function = self.function_of(assign)
                        owner.attributes[single.attr].append((function.name if function else "", value))


def _word(node: ast.AST) -> str | None:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.arg if isinstance(node, (ast.keyword, ast.arg)) else None


def type_is_a(kind: str | ClassInfo, wanted: str) -> bool:
    """Whether a class is, or is a subclass of, a library's class."""
    return kind.is_a(wanted) if isinstance(kind, ClassInfo) else names.is_library_class(kind, wanted)


def argument(call: ast.Call, name: str, position: int | None = None) -> ast.expr | None:
    """The argument of a call, by keyword or position; None where it is not there."""
    for keyword in call.keywords:
        if keyword.arg == name:
            return keyword.value
    if (
        position is not None and position < len(call.args)
        and not any(isinstance(item, ast.Starred) for item in call.args[: position + 1])):
        return call.args[position]
    return None


def has_unknown_arguments(call: ast.Call) -> bool:
    """Whether a call passes on *args or **kwargs."""
    return any(keyword.arg is None for keyword in call.keywords) or any(
        isinstance(a, ast.Starred) for a in call.args)


def receiver(call: ast.Call) -> ast.expr | None:
    """What a method is called on."""
    return call.func.value if isinstance(call.func, ast.Attribute) else None


def root_name(node: ast.AST | None) -> str:
    """The first name of a.b[c].d(): "a"; "" where there is none."""
    while isinstance(node, (ast.Attribute, ast.Subscript, ast.Call, ast.Starred)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def text_of(node: ast.AST | None) -> str:
    """The expression as source text, for messages."""
    return ast.unparse(node) if node is not None else ""
