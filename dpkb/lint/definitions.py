"""The functions and classes of a file, and which of them an expression names."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, cast

from dpkb.lint.classes import ClassInfo
from dpkb.lint.scopes import Scopes
from dpkb.lint.source import Source
from dpkb.lint.syntax import FUNCTIONS, Function

if TYPE_CHECKING:
    from dpkb.lint.module import Module
    from dpkb.lint.project import Project


class Definitions(Scopes):
    """The names of a file, with the functions and classes that they stand for."""

    def __init__(self, source: Source, project: Project | None) -> None:
        super().__init__(source)
        self.project = project
        self.classes: dict[str, ClassInfo] = {}
        self._class_of_node: dict[ast.ClassDef, ClassInfo] = {}
        self._classes_named: dict[str, ClassInfo | None] = {}
        self._read_classes()

    def function_named(self, node: ast.expr) -> Function | None:
        """The function of this file that an expression names; self.name is looked up in the class."""
        if isinstance(node, ast.Name):
            for binding in self.bindings(node):
                if isinstance(binding.node, FUNCTIONS):
                    return binding.node
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            owner = self.class_of_self(node.value)
            return owner.method(node.attr) if owner else None
        return None

    def returned_by(self, call: ast.Call) -> list[ast.expr]:
        """The expressions that the called function of this file returns."""
        function = self.function_named(call.func)
        if function is None:
            return []
        return [
            node.value for node in self.within(function, ast.Return)
            if node.value is not None and self.function_of(node) is function]

    def class_of(self, node: ast.AST) -> ClassInfo | None:
        """The class whose method this node is in."""
        definition = self.enclosing(node, ast.ClassDef)
        return self._class_of_node.get(definition) if definition else None

    def class_of_method(self, function: Function) -> ClassInfo | None:
        """The class that a function is a method of."""
        parent = self.parents.get(function)
        return self._class_of_node.get(parent) if isinstance(parent, ast.ClassDef) else None

    def class_of_self(self, name: ast.Name) -> ClassInfo | None:
        """The class of `self` where this name is the first parameter of a method."""
        function = self.function_of(name)
        while function is not None:
            if isinstance(self.parents.get(function), ast.ClassDef):
                first = self.parameters(function)[:1]
                return self.class_of_method(function) if first and first[0].arg == name.id else None
            function = self.function_of(function)
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

    def release(self) -> None:
        """Let go of everything that refers back to this file, so that its memory is free at once."""
        for references in (self.classes, self._class_of_node, self._classes_named):
            references.clear()

    def _read_classes(self) -> None:
        for node in self.nodes(ast.ClassDef):
            # Rules ask the file of a class, as they ask their own.
            info = ClassInfo(node.name, node, cast("Module", self))
            info.methods = {item.name: item for item in node.body if isinstance(item, FUNCTIONS)}
            self.classes[node.name] = self._class_of_node[node] = info
        for assign, targets, assigned in self.assignments:
            for target in targets:
                for single, value in self._pairs(target, assigned, assign):
                    if (
                        isinstance(single, ast.Attribute) and isinstance(single.value, ast.Name)
                        and (owner := self.class_of_self(single.value)) is not None):
                        function = self.function_of(assign)
                        owner.attributes[single.attr].append((function.name if function else "", value))

    def _pairs(self, target: ast.expr, value: ast.expr,
               statement: ast.stmt) -> list[tuple[ast.expr, ast.expr]]:
        """Each single target of an assignment with the value that it gets."""
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            return list(zip(target.elts, value.elts, strict=False))
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Call):
            return [(item, self._item_of(value, number, statement))
                    for number, item in enumerate(target.elts) if isinstance(item, ast.Attribute)]
        return [(target, value)]

    def _item_of(self, value: ast.expr, index: int, statement: ast.stmt) -> ast.expr:
        """What one target of `self.a, self.b = value` gets, as the expression `value[index]`."""
        item = ast.Subscript(value, ast.Constant(index), ast.Load())
        ast.fix_missing_locations(ast.copy_location(item, value))
        self.parents[item] = statement
        return item
