"""One file as the rules see it: what created its values, its functions and classes, and its findings."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from dpkb.lint import names
from dpkb.lint.finding import Certainty, Edit, Finding, Rewrite
from dpkb.lint.scopes import Binding, Scopes
from dpkb.lint.source import Source, as_constant
from dpkb.lint.syntax import FUNCTIONS, Function, argument, text_of

if TYPE_CHECKING:
    from dpkb.lint.project import Project

# A name with more origins than this says nothing.
_MAX_ORIGINS = 12


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
        bases: list[str | ClassInfo] = []
        for written in self.node.bases:
            base = written.value if isinstance(written, ast.Subscript) else written  # Model[T]
            known = self.module.class_named(base)
            name = self.module.qualified(base)
            if known is not None and known is not self:
                bases.append(known)
            elif name:
                bases.append(name)
        return bases

    def is_a(self, wanted: str) -> bool:
        """Whether this class is a subclass of a library's class."""
        return any(
            names.is_library_class(base, wanted) if isinstance(base, str) else base.is_a(wanted)
            for base in self.ancestors if base is not self) or (
                wanted == names.MODULE and self._behaves_like_a_module)

    @cached_property
    def _behaves_like_a_module(self) -> bool:
        """A base class that is in none of the files, forward(), and layers as attributes."""
        forward = self.methods.get("forward")
        known = sum(isinstance(base, ClassInfo) or base.startswith(names.KNOWN) for base in self.bases)
        return (
            forward is not None and not forward.decorator_list and known < len(self.node.bases)
            and any(
                names.is_library_class(self.module.called(value), names.MODULE)
                or self.module.called(value) == "torch.nn.Parameter"
                for values in self.attributes.values() for _, value in values if isinstance(value, ast.Call)))

    @cached_property
    def ancestors(self) -> list[str | ClassInfo]:
        """This class and all its base classes, nearest first."""
        chain: list[str | ClassInfo] = [self]
        for item in chain:
            if isinstance(item, ClassInfo) and len(chain) < 50:
                chain += [base for base in item.bases if base not in chain]
        return chain

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


class Module(Scopes):
    """A parsed file, indexed once for all rules."""

    def __init__(self, source: Source, project: Project | None = None) -> None:
        super().__init__(source)
        self.project = project
        self.classes: dict[str, ClassInfo] = {}
        self._class_of_node: dict[ast.ClassDef, ClassInfo] = {}
        self._origins: dict[object, list[ast.expr]] = {}
        self._types: dict[ast.Call, list[str | ClassInfo]] = {}
        self._classes_named: dict[str, ClassInfo | None] = {}
        # What several rules ask for: found once per file.
        self.cache: dict[str, list[Any]] = {}
        self._read_classes()

    # -- values ----------------------------------------------------------------------------------------

    def origins(self, node: ast.expr | None) -> list[ast.expr]:
        """The expressions that may have created this value, through assignments and attributes of self.

        An expression that is no name is its own origin. Empty where nothing is known.
        """
        if node is None:
            return []
        if not isinstance(node, (ast.Name, ast.Attribute, ast.IfExp, ast.NamedExpr, ast.Subscript)):
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
            origins: list[ast.expr] = []
            for binding in self.bindings(node):
                if binding.value is None or binding.is_item:
                    origins += self._argument_origins(binding)
                elif binding.index is None:
                    origins += self.origins(binding.value)
                else:
                    origins += self._item_origins(binding.value, binding.index)
            return origins
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
        if isinstance(node, ast.Subscript):
            return self._element_origins(node) or [node]
        return [node]

    def _element_origins(self, node: ast.Subscript) -> list[ast.expr]:
        """What x[0], loaders["train"] or loaders[phase] may be, where the list or dict is written out."""
        key = as_constant(node.slice)
        origins = self._item_origins(node.value, key) if isinstance(key, int) and key >= 0 else []
        if origins or isinstance(node.slice, (ast.Slice, ast.Tuple)):
            return origins
        for origin in self.origins(node.value):
            if isinstance(origin, ast.Dict):
                for name, value in zip(origin.keys, origin.values, strict=True):
                    if key is None or as_constant(name) == key:
                        origins += self.origins(value)
            elif isinstance(origin, (ast.DictComp, ast.ListComp)):
                origins += self.origins(origin.value if isinstance(origin, ast.DictComp) else origin.elt)
        return origins

    def _attribute_values(self, owner: ClassInfo, name: str) -> list[tuple[str, ast.expr]]:
        return [
            pair for item in owner.ancestors if isinstance(item, ClassInfo)
            for pair in item.attributes.get(name, [])]

    def _item_origins(self, value: ast.expr, index: int) -> list[ast.expr]:
        origins = []
        for origin in self.origins(value):
            if isinstance(origin, (ast.Tuple, ast.List)) and index < len(origin.elts):
                origins += self.origins(origin.elts[index])
            elif (
                isinstance(origin, ast.Call) and isinstance(origin.func, ast.Attribute)
                and origin.func.attr == "prepare" and index < len(origin.args)):
                origins += self.origins(origin.args[index])  # Accelerator.prepare(a, b, c)
            elif isinstance(origin, ast.Call) and self.called(origin) == "torch.utils.data.random_split":
                origins.append(origin)  # each part is of the dataset's class
            elif isinstance(origin, ast.Call):
                for returned in self._returned_by(origin):
                    if isinstance(returned, ast.Tuple) and index < len(returned.elts):
                        origins += self.origins(returned.elts[index])
        return origins

    def _argument_origins(self, binding: Binding) -> list[ast.expr]:
        """What a parameter may be: the arguments of the calls of its function in this file."""
        parameter = binding.node
        if not isinstance(parameter, ast.arg):
            return []
        function = self.function_of(parameter)
        if function is None or parameter not in self.parameters(function):
            return []
        position = self.parameters(function).index(parameter)
        parent = self.parents.get(function)
        owner = self._class_of_node.get(parent) if isinstance(parent, ast.ClassDef) else None
        if owner is not None and not any(text_of(item) == "staticmethod" for item in function.decorator_list):
            position -= 1  # self is not written in a call
        if position < 0:
            return []
        origins = []
        for call in self._calls_of_function(function, owner):
            value = argument(call, parameter.arg, position) if not self.inside(call, function) else None
            if value is not None:
                origins += self.origins(value)
        return origins

    def _calls_of_function(self, function: Function, owner: ClassInfo | None) -> Iterator[ast.Call]:
        """The calls of a function, or of a method of this class, in this file."""
        if owner is not None and function.name == "__init__":
            yield from (call for call in self.calls_by_name.get(owner.name, ())
                        if self.class_named(call.func) is owner)
            return
        for call in self.calls_by_name.get(function.name, ()):
            target = call.func.value if isinstance(call.func, ast.Attribute) else None
            if owner is None and target is None:
                yield call
            elif owner is not None and isinstance(target, (ast.Name, ast.Attribute)):
                around = self._self_class(target) if isinstance(target, ast.Name) else None
                if owner in (around.ancestors if around else self.types(target)):
                    yield call

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
                if isinstance(binding.node, FUNCTIONS):
                    return binding.node
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            owner = self._self_class(node.value)
            return owner.method(node.attr) if owner else None
        return None

    def class_of(self, node: ast.AST) -> ClassInfo | None:
        """The class whose method this node is in."""
        definition = self.enclosing(node, ast.ClassDef)
        return self._class_of_node.get(definition) if definition else None

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
        kinds: list[str | ClassInfo] = []
        for origin in self.origins(node):
            if isinstance(origin, ast.Call):
                if origin not in self._types:
                    self._types[origin] = []
                    self._types[origin] = self._types_of_call(origin)
                kinds += self._types[origin]
        return list(dict.fromkeys(kinds))

    def _types_of_call(self, origin: ast.Call) -> list[str | ClassInfo]:
        kinds: list[str | ClassInfo] = []
        known = self.class_named(origin.func)
        name = self.called(origin)
        if known is not None:
            kinds.append(known)
        elif (
            name
            in (
                "torch.compile", "torch.nn.utils.weight_norm", "torch.nn.utils.spectral_norm",
                "copy.deepcopy", "copy.copy", "torch.jit.script")
            and origin.args
        ):
            kinds += self.types(origin.args[0])
        elif name.endswith(".from_pretrained"):
            kinds.append(name.rpartition(".")[0])
        elif name:
            kinds.append(name)
        elif isinstance(origin.func, ast.Attribute) and origin.func.attr in names.SAME_OBJECT_METHODS:
            kinds += self.types(origin.func.value)
        elif (
            isinstance(origin.func, ast.Attribute) and origin.func.attr == "prepare"
            and len(origin.args) == 1):
            kinds += self.types(origin.args[0])
        else:
            for returned in self._returned_by(origin):
                kinds += self.types(returned)
        return kinds

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

    # -- the index -------------------------------------------------------------------------------------

    def _read_classes(self) -> None:
        for node in self.nodes(ast.ClassDef):
            info = ClassInfo(node.name, node, self)
            info.methods = {item.name: item for item in node.body if isinstance(item, FUNCTIONS)}
            self.classes[node.name] = self._class_of_node[node] = info
        for assign, targets, assigned in self.assignments:
            for target in targets:
                pairs = [(target, assigned)]
                if isinstance(target, ast.Tuple) and isinstance(assigned, ast.Tuple):
                    pairs = list(zip(target.elts, assigned.elts, strict=False))
                elif isinstance(target, ast.Tuple) and isinstance(assigned, ast.Call):
                    pairs = [(item, self._item_of(assigned, number, assign))
                             for number, item in enumerate(target.elts) if isinstance(item, ast.Attribute)]
                for single, value in pairs:
                    if (
                        isinstance(single, ast.Attribute) and isinstance(single.value, ast.Name)
                        and (owner := self._self_class(single.value)) is not None):
                        function = self.function_of(assign)
                        owner.attributes[single.attr].append((function.name if function else "", value))

    def _item_of(self, value: ast.expr, index: int, statement: ast.stmt) -> ast.expr:
        """value[index]: what one target of self.a, self.b = value gets."""
        item = ast.Subscript(value, ast.Constant(index), ast.Load())
        ast.fix_missing_locations(ast.copy_location(item, value))
        self.parents[item] = statement
        return item


def type_is_a(kind: str | ClassInfo, wanted: str) -> bool:
    """Whether a class is, or is a subclass of, a library's class."""
    return kind.is_a(wanted) if isinstance(kind, ClassInfo) else names.is_library_class(kind, wanted)
