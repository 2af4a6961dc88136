"""The classes of the linted files: their methods, their attributes and what they inherit from."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from dpkb.lint import library_names
from dpkb.lint.nodes import FUNCTIONS, Function, self_attribute

if TYPE_CHECKING:
    from dpkb.lint.source_file import SourceFile


class ClassInfo:
    """A class of the linted files."""

    def __init__(self, node: ast.ClassDef, file: SourceFile) -> None:
        self.name = node.name
        self.node = node
        self.file = file
        self.methods = {item.name: item for item in node.body if isinstance(item, FUNCTIONS)}

    def release(self) -> None:
        """Drop the list of ancestors, in which the class itself is."""
        vars(self).pop("ancestors", None)

    @cached_property
    def attributes(self) -> dict[str, list[tuple[str, ast.expr]]]:
        """Attribute of self -> each method that assigns it, with the assigned expression."""
        file = self.file
        attributes: dict[str, list[tuple[str, ast.expr]]] = {}
        statements: list[ast.Assign | ast.AnnAssign] = file.tree.within(self.node, ast.Assign, ast.AnnAssign)
        for statement in statements:
            for target, value in _targets_and_values(file, statement):
                if (
                    isinstance(target, ast.Attribute)
                    and isinstance(target.value, ast.Name)
                    and file.definitions.method_of_self(target.value) in self.node.body
                ):
                    function = file.tree.function_of(statement)
                    attributes.setdefault(target.attr, []).append((function.name if function else "", value))
        return attributes

    @cached_property
    def bases(self) -> list[str | ClassInfo]:
        """The base classes: a ClassInfo of the linted files where known, else a canonical name."""
        bases: list[str | ClassInfo] = []
        for expression in self.node.bases:
            base = expression.value if isinstance(expression, ast.Subscript) else expression  # Model[T]
            class_info = self.file.definitions.find_class(base)
            name = self.file.scopes.full_name(base)
            if class_info is not None and class_info is not self:
                bases.append(class_info)
            elif name:
                bases.append(name)
        return bases

    def is_a(self, base_class: str) -> bool:
        """Whether this class is a subclass of a library's class."""
        return any(
            library_names.is_subclass(base, base_class)
            if isinstance(base, str)
            else base_class == library_names.NN_MODULE and base._behaves_like_a_module
            for base in self.ancestors
        )

    @cached_property
    def _behaves_like_a_module(self) -> bool:
        """Whether a class whose base is in none of the files has a forward() and layers, as modules do."""
        forward = self.methods.get("forward")
        return (
            forward is not None
            and not forward.decorator_list
            and self.has_unknown_base
            and any(
                library_names.is_subclass(self.file.scopes.callee(value), library_names.NN_MODULE)
                or self.file.scopes.callee(value) == library_names.PARAMETER
                for values in self.attributes.values()
                for _, value in values
                if isinstance(value, ast.Call)
            )
        )

    @cached_property
    def has_unknown_base(self) -> bool:
        """Whether a base class is in none of the files, and in no library that the rules know."""
        known_bases = sum(
            isinstance(base, ClassInfo) or base.startswith(library_names.KNOWN) for base in self.bases
        )
        all_bases = sum(not (isinstance(base, ast.Name) and base.id == "object") for base in self.node.bases)
        return known_bases < all_bases

    @cached_property
    def ancestors(self) -> list[str | ClassInfo]:
        """This class and all its base classes, nearest first."""
        chain: list[str | ClassInfo] = [self]
        for item in chain:
            if isinstance(item, ClassInfo) and len(chain) < 50:
                chain += [base for base in item.bases if base not in chain]
        return chain

    def method(self, name: str) -> Function | None:
        """The method of this name, which may be inherited from a class of the linted files."""
        return next(
            (c.methods[name] for c in self.ancestors if isinstance(c, ClassInfo) and name in c.methods), None
        )

    def find_reached_methods(self, start: str) -> list[Function]:
        """A method and those that it calls, directly or through others; each may be inherited."""
        first = self.method(start)
        methods = [first] if first else []
        for method in methods:
            for call in self.file.tree.within(method, ast.Call):
                name = self_attribute(call.func, method)
                helper = self.method(name) if name else None
                if helper is not None and helper not in methods and name != "__init__":
                    methods.append(helper)
        return methods

    @property
    def all_methods(self) -> Iterator[Function]:
        """Its methods and those that it inherits from classes of the linted files."""
        for item in self.ancestors:
            if isinstance(item, ClassInfo):
                yield from item.methods.values()


def _targets_and_values(
    file: SourceFile, statement: ast.Assign | ast.AnnAssign
) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Each single target of an assignment, with the value that it gets."""
    value = statement.value
    if value is None:
        return
    for target in statement.targets if isinstance(statement, ast.Assign) else [statement.target]:
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            yield from zip(target.elts, value.elts, strict=False)
        elif isinstance(target, ast.Tuple) and isinstance(value, ast.Call):
            for index, item in enumerate(target.elts):
                if isinstance(item, ast.Attribute):
                    yield item, _item_of(file, value, index, statement)
        else:
            yield target, value


def _item_of(file: SourceFile, value: ast.expr, index: int, statement: ast.stmt) -> ast.expr:
    """The value of one target of `self.a, self.b = value`, as the expression `value[index]`."""
    item = ast.Subscript(value, ast.Constant(index), ast.Load())
    ast.fix_missing_locations(ast.copy_location(item, value))
    file.tree.adopt(item, statement)
    return item


def type_is_a(kind: str | ClassInfo, base_class: str) -> bool:
    """Whether a class is, or is a subclass of, a library's class."""
    if isinstance(kind, ClassInfo):
        return kind.is_a(base_class)
    return library_names.is_subclass(kind, base_class)
