"""Where the values of a file come from: the expressions that may have created each, and its classes."""

import ast
from collections.abc import Callable, Generator, Iterable
from functools import partial
from itertools import islice
from typing import Any, TypeAlias, TypeVar

from dpkb.lint import library_names
from dpkb.lint.classes import ClassInfo, type_is_a
from dpkb.lint.definitions import Definitions
from dpkb.lint.nodes import Function, as_constant, find_argument, find_receiver, is_method_call, text_of
from dpkb.lint.scopes import Binding, Scopes
from dpkb.lint.syntax_tree import SyntaxTree

T = TypeVar("T")
# What a search asks: the key of the question, and how to search for its answer.
Question: TypeAlias = "tuple[object, Callable[[], Search[Any]]]"
Search: TypeAlias = Generator[Question, Any, list[T]]

# The expressions whose values were created elsewhere.
_FOLLOWED = (ast.Name, ast.Attribute, ast.IfExp, ast.NamedExpr, ast.Subscript)

# At most this many origins of a value are kept: a name with more may be anything.
_MAX_ORIGINS = 12
# So many blocks around a read are searched for the assignment before it.
_MAX_DEPTH = 20
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

    def find(self, key: object, search: Callable[[], Search[T]]) -> list[T]:
        """What a search returns, or returned for an earlier question, each item once.

        A search is a generator. It yields its questions, each of which is a key and a search, and is sent the
        answers: a chain of them may be longer than Python's stack.
        """
        searches: list[tuple[object, Search[Any]]] = []
        answer = self._ask(searches, key, search)
        try:
            while searches:
                key, search_now = searches[-1]
                try:
                    question = search_now.send(answer)
                except StopIteration as end:
                    searches.pop()
                    answer = self._keep(key, end.value)
                else:
                    answer = self._ask(searches, *question)
        except BaseException:
            self.forget()  # what the searches have found is incomplete
            raise
        return answer or []

    def forget(self) -> None:
        """Drop all answers."""
        self._found.clear()
        self._places.clear()
        self._first_places.clear()

    def _ask(
        self, searches: list[tuple[object, Search[Any]]], key: object, search: Callable[[], Search[Any]]
    ) -> list[Any] | None:
        """The answer; None if it is searched for now."""
        if key in self._places:
            self._first_places[-1] = min(self._first_places[-1], self._places[key])
        elif key not in self._found:
            self._places[key] = len(self._places)
            self._first_places.append(self._places[key])
            self._found[key] = []
            searches.append((key, search()))
            return None
        return self._found[key]

    def _keep(self, key: object, found: list[Any]) -> list[Any]:
        """What the search for a key has found, which is incomplete if it led back to an earlier key."""
        self._found[key] = found = list(dict.fromkeys(found))
        first_place = self._first_places.pop()
        if first_place < self._places[key]:
            self._first_places[-1] = min(self._first_places[-1], first_place)
        else:
            while (other := self._places.popitem()[0]) != key:
                del self._found[other]
        return found


class ValueOrigins:
    """The values that the expressions of a file may have."""

    def __init__(self, tree: SyntaxTree, scopes: Scopes, definitions: Definitions) -> None:
        self._tree = tree
        self._scopes = scopes
        self._definitions = definitions
        self._answers = _Answers()

    def release(self) -> None:
        """Drop the references to the classes of this file and of other files."""
        self._answers.forget()

    def origins(self, node: ast.expr | None) -> list[ast.expr]:
        """The expressions that may have created this value, through assignments and attributes of self.

        An expression that is not a name is its only origin. Empty if nothing is known.
        """
        if node is None:
            return []
        if not isinstance(node, _FOLLOWED):
            return [node]
        return self._answers.find(*self._question(node))[:_MAX_ORIGINS]

    def value_at(self, node: ast.expr) -> ast.expr | None:
        """The value that a name certainly has where it is read: the assignment that always runs before is the last.

        None if that is not seen, as for the parameters of a function.
        """
        if not isinstance(node, ast.Name):
            return None
        stores = self._tree.stores_of(node.id, self._tree.scope_of(node))
        use = self._tree.statement_of(node)
        last = self._tree.last_before(stores, use)
        statement = self._tree.parents[last] if last else None
        if last is None or not isinstance(statement, ast.Assign):
            return None
        outer: ast.AST = statement
        while isinstance(self._tree.parents[outer], ast.With):  # its body always runs
            outer = self._tree.parents[outer]
        blocks = (self._tree.place_of(statement)[0], self._tree.place_of(outer)[0])
        # In a long chain of elif, a branch has hundreds of parents.
        around = (use, *islice(self._tree.parents_of(use), _MAX_DEPTH))
        runs_before = any(self._tree.place_of(item)[0] in blocks for item in around)
        may_change = any(
            self._tree.first(stores, loop) and not self._tree.is_inside(last, loop)
            for loop in self._tree.loops_around(node)
        )
        return statement.value if runs_before and not may_change else None

    def constant(self, node: ast.expr | None) -> object:
        """The value of a literal, or of a name whose only origin is a literal; else None."""
        value = as_constant(node)
        return (
            value
            if value is not None or not isinstance(node, (ast.Name, ast.Attribute))
            else as_constant(self.only_origin(node))
        )

    def only_origin(self, node: ast.expr | None) -> ast.expr | None:
        """The only origin of a value; the node itself if it has several or none."""
        origins = self.origins(node)
        return origins[0] if len(origins) == 1 else node

    def _question(self, node: ast.expr) -> Question:
        """The question for the origins of a node: one for all uses of a variable."""
        key = self._scopes.bindings(node) if isinstance(node, ast.Name) else node
        return key, partial(self._find_origins, node)

    def _origins(self, node: ast.expr | None) -> Search[ast.expr]:
        """As origins(), in a search."""
        if node is None:
            return []
        if not isinstance(node, _FOLLOWED):
            return [node]
        found: list[ast.expr] = yield self._question(node)
        return found[:_MAX_ORIGINS]

    def _origins_of_all(self, nodes: Iterable[ast.expr | None]) -> Search[ast.expr]:
        found: list[ast.expr] = []
        for node in nodes:
            found += yield from self._origins(node)
        return found

    def _find_origins(self, node: ast.expr) -> Search[ast.expr]:
        if isinstance(node, ast.Name):
            found: list[ast.expr] = []
            for binding in self._scopes.bindings(node):
                if binding.value is None or binding.is_item:
                    found += yield from self._argument_origins(binding)
                elif binding.index is None:
                    found += yield from self._origins(binding.value)
                else:
                    found += yield from self._item_origins(binding.value, binding.index)
            return found
        if isinstance(node, ast.IfExp):
            return (yield from self._origins_of_all([node.body, node.orelse]))
        if isinstance(node, ast.NamedExpr):
            return (yield from self._origins(node.value))
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            owner = self._definitions.class_of_self(node.value)
            return [node] if owner is None else (yield from self._attribute_origins(owner, node.attr))
        if isinstance(node, ast.Subscript):
            return (yield from self._element_origins(node)) or [node]
        return [node]

    def _attribute_origins(self, owner: ClassInfo, name: str) -> Search[ast.expr]:
        """The origins of an attribute of self, in any method of the class or of its base classes."""
        found: list[ast.expr] = []
        for info in owner.ancestors:
            if isinstance(info, ClassInfo):
                values = info.file.values
                for _, value in info.attributes.get(name, []):
                    found += (yield from self._origins(value)) if values is self else values.origins(value)
        return found

    def _element_origins(self, node: ast.Subscript) -> Search[ast.expr]:
        """The origins of x[0], loaders["train"] or loaders[phase], if the list or dict is a literal."""
        key = as_constant(node.slice)
        found = (yield from self._item_origins(node.value, key)) if isinstance(key, int) and key >= 0 else []
        if found or isinstance(node.slice, (ast.Slice, ast.Tuple)):
            return found
        for origin in (yield from self._origins(node.value)):
            if isinstance(origin, ast.Dict):
                found += yield from self._origins_of_all(
                    value
                    for name, value in zip(origin.keys, origin.values, strict=True)
                    if key is None or as_constant(name) == key
                )
            elif isinstance(origin, (ast.DictComp, ast.ListComp)):
                item = origin.value if isinstance(origin, ast.DictComp) else origin.elt
                found += yield from self._origins(item)
        return found

    def _item_origins(self, value: ast.expr, index: int) -> Search[ast.expr]:
        """The origins of the item at this index of a tuple or list."""
        found: list[ast.expr] = []
        for origin in (yield from self._origins(value)):
            if isinstance(origin, ast.Call):
                found += yield from self._returned_item_origins(origin, index)
            elif isinstance(origin, (ast.Tuple, ast.List)) and index < len(origin.elts):
                found += yield from self._origins(origin.elts[index])
        return found

    def _returned_item_origins(self, call: ast.Call, index: int) -> Search[ast.expr]:
        """The origins of one item of the tuple that a call returns."""
        if is_method_call(call, "prepare") and index < len(call.args):
            return (yield from self._origins(call.args[index]))  # Accelerator.prepare(a, b, c)
        if self._scopes.callee(call) == "torch.utils.data.random_split":
            return [call]  # each subset is of the dataset's class
        return (
            yield from self._origins_of_all(
                returned.elts[index]
                for returned in self._definitions.find_returns(call)
                if isinstance(returned, ast.Tuple) and index < len(returned.elts)
            )
        )

    def _argument_origins(self, binding: Binding) -> Search[ast.expr]:
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
        calls = yield from self._calls_of_function(function, owner)
        return (
            yield from self._origins_of_all(
                find_argument(call, parameter.arg, position)
                for call in calls
                if not self._tree.is_inside(call, function)
            )
        )

    def _calls_of_function(self, function: Function, owner: ClassInfo | None) -> Search[ast.Call]:
        """The calls of a function, or of a method of this class, in this file."""
        if owner is not None and function.name == "__init__":
            return [
                call
                for call in self._scopes.calls_by_name.get(owner.name, ())
                if self._definitions.find_class(call.func) is owner
            ]
        calls = []
        for call in self._scopes.calls_by_name.get(function.name, ()):
            target = call.func.value if isinstance(call.func, ast.Attribute) else None
            if owner is None and (target is None or self._definitions.find_function(call.func) is function):
                calls.append(call)
            elif owner is not None and isinstance(target, (ast.Name, ast.Attribute)):
                around = self._definitions.class_of_self(target) if isinstance(target, ast.Name) else None
                if owner in (around.ancestors if around else (yield from self._types(target))):
                    calls.append(call)
        return calls

    def is_a(self, node: ast.expr | None, base_class: str) -> bool:
        """Whether a value may be an instance of a library's class, or of a subclass."""
        return any(type_is_a(kind, base_class) for kind in self.types(node))

    def types(self, node: ast.expr | None) -> list[str | ClassInfo]:
        """The classes that this value may be an instance of: names of libraries, or classes of the files."""
        return self._answers.find(("types of", node), partial(self._types, node)) if node else []

    def _types(self, node: ast.expr | None) -> Search[str | ClassInfo]:
        """As types(), in a search."""
        kinds: list[str | ClassInfo] = []
        for origin in (yield from self._origins(node)):
            if isinstance(origin, ast.Call):
                kinds += yield origin, partial(self._types_of_call, origin)
        return list(dict.fromkeys(kinds))

    def _types_of_call(self, call: ast.Call) -> Search[str | ClassInfo]:
        own_class = self._definitions.find_class(call.func)
        if own_class is not None:
            return [own_class]
        name = self._scopes.callee(call)
        if name in _SAME_CLASS and call.args:
            return (yield from self._types(call.args[0]))
        if name:
            return [name.removesuffix(".from_pretrained")]
        method = call.func.attr if isinstance(call.func, ast.Attribute) else ""
        if method in library_names.SAME_OBJECT_METHODS:
            return (yield from self._types(find_receiver(call)))
        if method == "prepare" and len(call.args) == 1:
            return (yield from self._types(call.args[0]))
        kinds: list[str | ClassInfo] = []
        for returned in self._definitions.find_returns(call):
            kinds += yield from self._types(returned)
        return kinds
