"""Where the values of a file come from: the expressions that may have created each, and its classes."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain
from typing import Any, TypeVar

from dpkb.lint import library_names
from dpkb.lint.classes import ClassInfo, type_is_a
from dpkb.lint.definitions import Definitions
from dpkb.lint.nodes import Function, as_constant, find_argument, find_receiver, is_method_call, text_of
from dpkb.lint.scopes import Binding, Scopes
from dpkb.lint.syntax_tree import SyntaxTree

T = TypeVar("T")

# At most this many origins of a value are kept: a name with more may be anything.
_MAX_ORIGINS = 12
# Functions that return an object of their argument's class.
_SAME_CLASS = (
    "torch.compile",
    "torch.nn.utils.weight_norm",
    "torch.nn.utils.spectral_norm",
    "copy.deepcopy",
    "copy.copy",
    "torch.jit.script",
)


class _Answers:
    """Keeps what was found for each key. The search for a key may lead back to it, as in a = b; b = a.

    The empty list ends it there, and what the keys on the way find is incomplete. It is dropped when the
    search ends, and found again if it is asked for. So the first question does not decide later answers.
    """

    def __init__(self) -> None:
        self._found: dict[object, list[Any]] = {}
        # Each key that is searched for, or is incomplete -> its place in the order in which they were asked.
        self._places: dict[object, int] = {}
        # For each search, the first place that it has led back to.
        self._first_places: list[int] = []

    def find(self, key: object, search: Callable[[], list[T]]) -> list[T]:
        """What `search()` returns, or returned for an earlier question, each item once."""
        if key in self._places:
            self._first_places[-1] = min(self._first_places[-1], self._places[key])
        elif key not in self._found:
            place = self._places[key] = len(self._places)
            self._first_places.append(place)
            self._found[key] = []
            self._found[key] = list(dict.fromkeys(search()))
            first_place = self._first_places.pop()
            if first_place < place:
                self._first_places[-1] = min(self._first_places[-1], first_place)
            else:
                while (other := self._places.popitem()[0]) != key:
                    del self._found[other]
        return self._found[key]


class ValueOrigins:
    """The values that the expressions of a file may have."""

    def __init__(self, tree: SyntaxTree, scopes: Scopes, definitions: Definitions) -> None:
        self._tree = tree
        self._scopes = scopes
        self._definitions = definitions
        self._answers = _Answers()

    def release(self) -> None:
        """Drop the references to the classes of this file and of other files."""
        self._answers = _Answers()

    def origins(self, node: ast.expr | None) -> list[ast.expr]:
        """The expressions that may have created this value, through assignments and attributes of self.

        An expression that is not a name is its only origin. Empty if nothing is known.
        """
        if node is None:
            return []
        if not isinstance(node, (ast.Name, ast.Attribute, ast.IfExp, ast.NamedExpr, ast.Subscript)):
            return [node]
        return self._answers.find(self._identity(node), partial(self._find_origins, node))[:_MAX_ORIGINS]

    def constant(self, node: ast.expr | None) -> object:
        """The value of a literal, or of a name whose only origin is a literal; else None."""
        value = as_constant(node)
        if value is not None or not isinstance(node, (ast.Name, ast.Attribute)):
            return value
        origins = self.origins(node)
        return as_constant(origins[0]) if len(origins) == 1 else None

    def _identity(self, node: ast.expr) -> object:
        """The key under which origins are kept: the same for each use of a name in a scope."""
        return (node.id, self._scopes.scope_of(node)) if isinstance(node, ast.Name) else node

    def _find_origins(self, node: ast.expr) -> list[ast.expr]:
        if isinstance(node, ast.Name):
            # A comprehension would have its own frame, and a long chain of names reaches the limit sooner.
            return list(chain.from_iterable(map(self._bound_origins, self._scopes.bindings(node))))
        if isinstance(node, ast.IfExp):
            return [*self.origins(node.body), *self.origins(node.orelse)]
        if isinstance(node, ast.NamedExpr):
            return self.origins(node.value)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            owner = self._definitions.class_of_self(node.value)
            return [node] if owner is None else _attribute_origins(owner, node.attr)
        if isinstance(node, ast.Subscript):
            return self._element_origins(node) or [node]
        return [node]

    def _bound_origins(self, binding: Binding) -> list[ast.expr]:
        if binding.value is None or binding.is_item:
            return self._argument_origins(binding)
        if binding.index is None:
            return self.origins(binding.value)
        return self._item_origins(binding.value, binding.index)

    def _element_origins(self, node: ast.Subscript) -> list[ast.expr]:
        """The origins of x[0], loaders["train"] or loaders[phase], if the list or dict is a literal."""
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

    def _item_origins(self, value: ast.expr, index: int) -> list[ast.expr]:
        """The origins of the item at this index of a tuple or list."""
        origins = []
        for origin in self.origins(value):
            if isinstance(origin, ast.Call):
                origins += self._returned_item_origins(origin, index)
            elif isinstance(origin, (ast.Tuple, ast.List)) and index < len(origin.elts):
                origins += self.origins(origin.elts[index])
        return origins

    def _returned_item_origins(self, call: ast.Call, index: int) -> list[ast.expr]:
        """The origins of one item of the tuple that a call returns."""
        if is_method_call(call, "prepare") and index < len(call.args):
            return self.origins(call.args[index])  # Accelerator.prepare(a, b, c)
        if self._scopes.callee(call) == "torch.utils.data.random_split":
            return [call]  # each subset is of the dataset's class
        return [
            origin
            for returned in self._definitions.find_returns(call)
            if isinstance(returned, ast.Tuple) and index < len(returned.elts)
            for origin in self.origins(returned.elts[index])
        ]

    def _argument_origins(self, binding: Binding) -> list[ast.expr]:
        """The origins of a parameter: the arguments in the calls of its function in this file."""
        parameter = binding.node
        if not isinstance(parameter, ast.arg):
            return []
        function = self._tree.function_of(parameter)
        if function is None or parameter not in self._scopes.parameters(function):
            return []
        position = self._scopes.parameters(function).index(parameter)
        owner = self._definitions.class_of_method(function)
        if owner is not None and not any(text_of(item) == "staticmethod" for item in function.decorator_list):
            position -= 1  # a call does not pass self
        if position < 0:
            return []
        origins = []
        for call in self._calls_of_function(function, owner):
            if not self._tree.is_inside(call, function):
                origins += self.origins(find_argument(call, parameter.arg, position))
        return origins

    def _calls_of_function(self, function: Function, owner: ClassInfo | None) -> Iterator[ast.Call]:
        """The calls of a function, or of a method of this class, in this file."""
        if owner is not None and function.name == "__init__":
            yield from (
                call
                for call in self._scopes.calls_by_name.get(owner.name, ())
                if self._definitions.find_class(call.func) is owner
            )
            return
        for call in self._scopes.calls_by_name.get(function.name, ()):
            target = call.func.value if isinstance(call.func, ast.Attribute) else None
            if owner is None and target is None:
                yield call
            elif owner is not None and isinstance(target, (ast.Name, ast.Attribute)):
                around = self._definitions.class_of_self(target) if isinstance(target, ast.Name) else None
                if owner in (around.ancestors if around else self.types(target)):
                    yield call

    def is_a(self, node: ast.expr | None, base_class: str) -> bool:
        """Whether a value may be an instance of a library's class, or of a subclass."""
        return any(type_is_a(kind, base_class) for kind in self.types(node))

    def types(self, node: ast.expr | None) -> list[str | ClassInfo]:
        """The classes that this value may be an instance of: names of libraries, or classes of the files."""
        kinds: list[str | ClassInfo] = []
        for origin in self.origins(node):
            if isinstance(origin, ast.Call):
                kinds += self._answers.find(origin, partial(self._types_of_call, origin))
        return list(dict.fromkeys(kinds))

    def _types_of_call(self, call: ast.Call) -> list[str | ClassInfo]:
        own_class = self._definitions.find_class(call.func)
        if own_class is not None:
            return [own_class]
        name = self._scopes.callee(call)
        if name in _SAME_CLASS and call.args:
            return self.types(call.args[0])
        if name:
            return [name.removesuffix(".from_pretrained")]
        method = call.func.attr if isinstance(call.func, ast.Attribute) else ""
        if method in library_names.SAME_OBJECT_METHODS:
            return self.types(find_receiver(call))
        if method == "prepare" and len(call.args) == 1:
            return self.types(call.args[0])
        return [kind for returned in self._definitions.find_returns(call) for kind in self.types(returned)]


def _attribute_origins(owner: ClassInfo, name: str) -> list[ast.expr]:
    """The origins of an attribute of self, in any method of the class or of its base classes."""
    return [
        origin
        for info in owner.ancestors
        if isinstance(info, ClassInfo)
        for _, value in info.attributes.get(name, [])
        for origin in info.file.values.origins(value)
    ]
