"""The functions and classes of a file, and which of them an expression names."""

import ast
from collections.abc import Callable, Iterator
from pathlib import PurePath

from dpkb.lint.classes import ClassInfo
from dpkb.lint.nodes import FUNCTIONS, Function
from dpkb.lint.scopes import Scopes, Variable
from dpkb.lint.syntax_tree import SyntaxTree


class Definitions:
    """The functions and classes that the names of a file stand for."""

    def __init__(
        self,
        tree: SyntaxTree,
        scopes: Scopes,
        classes: dict[ast.ClassDef, ClassInfo],
        import_class: Callable[[str, str], ClassInfo | None],
    ) -> None:
        """classes: those of the tree. import_class: returns the class of a dotted name that a file imports.

        That is the file whose path is given, or if that is empty, this file.
        """
        self._tree = tree
        self._scopes = scopes
        self._class_of_node = classes
        self._import_class = import_class
        # A class of the file itself hides one of the same name that is read with it.
        own_last = sorted(classes.values(), key=lambda info: tree.part_of(info.node) is None)
        self.classes = {info.name: info for info in own_last}
        self._imported_classes: dict[tuple[str, str], ClassInfo | None] = {}
        self._functions: dict[Variable, Function | None] = {}
        self._returns: dict[Function, list[ast.expr]] = {}

    def release(self) -> None:
        """Drop the classes, each of which refers to its file."""
        for info in self._class_of_node.values():
            info.release()
        self.classes.clear()
        self._class_of_node.clear()
        self._imported_classes.clear()

    def find_function(self, node: ast.expr) -> Function | None:
        """The function of this file that an expression names; self.name is looked up in the class."""
        if isinstance(node, ast.Name):
            variable = self._scopes.bindings(node)
            if variable not in self._functions:
                functions = (binding.node for binding in variable if isinstance(binding.node, FUNCTIONS))
                self._functions[variable] = next(functions, None)
            if variable:
                return self._functions[variable]
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            owner = self.class_of_self(node.value)
            if owner:
                return owner.method(node.attr)
        linked = self._scopes.linked_definition(node)
        return linked if isinstance(linked, FUNCTIONS) else None

    def find_returns(self, call: ast.Call) -> list[ast.expr]:
        """The expressions that a call of a function of this file may return."""
        function = self.find_function(call.func)
        if function is None:
            return []
        if function not in self._returns:
            self._returns[function] = [
                node.value
                for node in self._tree.within(function, ast.Return)
                if node.value is not None and self._tree.function_of(node) is function
            ]
        return self._returns[function]

    def find_calls_of(self, function: Function) -> list[ast.Call]:
        """The calls of a function in this file."""
        calls = self._scopes.calls_by_name.get(function.name, ())
        return [call for call in calls if self.find_function(call.func) is function]

    def find_called_functions(self, node: ast.AST) -> Iterator[Function]:
        """The functions of this file that are called in the tree of a node."""
        for call in self._tree.within(node, ast.Call):
            function = self.find_function(call.func)
            if function is not None:
                yield function

    def subclasses_of(self, *base_classes: str) -> list[ClassInfo]:
        """The classes of the file that are subclasses of one of these, in the order of the text."""
        return [
            info
            for info in self._class_of_node.values()
            if self.classes[info.name] is info and any(map(info.is_a, base_classes))
        ]

    def class_of(self, node: ast.AST) -> ClassInfo | None:
        """The class whose method this node is in."""
        definition = self._tree.enclosing(node, ast.ClassDef)
        return self._class_of_node.get(definition) if definition else None

    def class_of_method(self, function: Function) -> ClassInfo | None:
        """The class that a function is a method of."""
        parent = self._tree.parents.get(function)
        return self._class_of_node.get(parent) if isinstance(parent, ast.ClassDef) else None

    def class_of_self(self, name: ast.Name) -> ClassInfo | None:
        """The class of `self` where this name is the first parameter of a method."""
        method = self.method_of_self(name)
        return self.class_of_method(method) if method else None

    def method_of_self(self, name: ast.Name) -> Function | None:
        """The method around this name, where the name is its first parameter: `self`."""
        function = self._tree.function_of(name)
        while function is not None and not isinstance(self._tree.parents.get(function), ast.ClassDef):
            function = self._tree.function_of(function)
        first = self._scopes.parameters(function)[:1] if function else []
        return function if first and first[0].arg == name.id else None

    def find_class(self, node: ast.expr | None) -> ClassInfo | None:
        """The class of the linted files that an expression names."""
        linked = self._scopes.linked_definition(node)
        if linked is not None:
            return self._class_of_node.get(linked)  # type: ignore[arg-type]
        part = self._tree.part_of(node) if isinstance(node, (ast.Name, ast.Attribute)) else None
        if isinstance(node, ast.Name):
            if part is None and node.id in self.classes:
                return self.classes[node.id]
            imports = part.imports if part else self._scopes.imports
            dotted = imports.get(node.id, f"{PurePath(part.path).stem}.{node.id}" if part else "")
        else:
            dotted = self._scopes.full_name(node) if isinstance(node, ast.Attribute) else ""
        if not dotted:
            return None
        key = dotted, part.path if part else ""
        if key not in self._imported_classes:
            self._imported_classes[key] = self._import_class(*key)
        return self._imported_classes[key]
