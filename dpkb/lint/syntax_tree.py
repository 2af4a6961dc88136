"""The syntax tree of a file, indexed once: nodes by type, their parents, and the tree below each."""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property
from typing import TypeVar

from dpkb.lint.nodes import FUNCTIONS, Function, Loop

N = TypeVar("N", bound=ast.AST)
# The fields of each type of node, without those of operators and contexts: Python uses one object for all
# operators of a kind, so these nodes have no parent and no place.
_FIELDS_OF = {
    kind: tuple(name for name in kind._fields if name not in ("ctx", "op", "ops"))
    for kind in vars(ast).values()
    if isinstance(kind, type) and issubclass(kind, ast.AST)
}


class SyntaxTree:
    """The nodes of a file."""

    def __init__(self, root: ast.Module) -> None:
        self.root = root
        self.parents: dict[ast.AST, ast.AST] = {}
        self._by_type: dict[type[ast.AST], list[ast.AST]] = defaultdict(list)
        # The index in _order of each of these nodes.
        self._positions_by_type: dict[type[ast.AST], list[int]] = defaultdict(list)
        self._words: dict[ast.AST, set[str]] = {}
        # All nodes in the order of the text; the index of each in this list; how many nodes its tree has.
        self._order: list[ast.AST] = []
        self._position: dict[ast.AST, int] = {}
        self._size: list[int] = []
        self._index()

    def nodes(self, *types: type[N]) -> list[N]:
        """All nodes of these types: type by type, each in the order of the text."""
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

    @property
    def blocks(self) -> list[ast.AST]:
        """The functions of a file, and the file itself for the code outside functions."""
        return [*self.functions, self.root]

    @cached_property
    def loops(self) -> list[Loop]:
        """All for and while loops."""
        return [*self.nodes(ast.For), *self.nodes(ast.AsyncFor), *self.nodes(ast.While)]

    @cached_property
    def iterations(self) -> list[ast.For | ast.AsyncFor | ast.comprehension]:
        """All for loops, and the for clauses of comprehensions."""
        return [*self.nodes(ast.For), *self.nodes(ast.AsyncFor), *self.nodes(ast.comprehension)]

    @cached_property
    def assignments(self) -> list[tuple[ast.stmt, list[ast.expr], ast.expr]]:
        """All assignments with a value: the statement, its targets, the value."""
        plain: list[tuple[ast.stmt, list[ast.expr], ast.expr]] = [
            (node, node.targets, node.value) for node in self.nodes(ast.Assign)
        ]
        return plain + [
            (node, [node.target], node.value) for node in self.nodes(ast.AnnAssign) if node.value is not None
        ]

    def parents_of(self, node: ast.AST) -> Iterator[ast.AST]:
        """The nodes around this one, nearest first."""
        while (parent := self.parents.get(node)) is not None:
            yield parent
            node = parent

    def adopt(self, node: ast.AST, parent: ast.AST) -> None:
        """Give a parent to a node that is not in the text, so that its function and its scope can be found.

        nodes(), within() and is_inside() do not know it.
        """
        self.parents[node] = parent

    def statements_around(self, node: ast.AST) -> tuple[list[ast.stmt], list[ast.stmt]]:
        """The statements before and after a statement in its block; none for a node that is no statement."""
        parent = self.parents.get(node)
        for field in ("body", "orelse", "finalbody"):
            block = getattr(parent, field, None)
            if isinstance(block, list) and node in block:
                place = block.index(node)
                return block[:place], block[place + 1 :]
        return [], []

    def statements_between(self, first: ast.stmt, second: ast.stmt) -> list[ast.stmt] | None:
        """The statements between two of one block; None if the second does not follow there."""
        _, after = self.statements_around(first)
        return after[: after.index(second)] if second in after else None

    def assigned_in(self, *statements: ast.stmt) -> set[str]:
        """The names and attributes, such as self.model, that statements assign or delete."""
        nodes: list[ast.Name | ast.Attribute] = []
        for statement in statements:
            nodes += self.within(statement, ast.Name)
            nodes += self.within(statement, ast.Attribute)
        return {ast.unparse(node) for node in nodes if not isinstance(node.ctx, ast.Load)}

    def branches_in(self, outer: ast.AST) -> Iterator[list[ast.stmt]]:
        """The statements of each body and each else branch in the tree of a node."""
        for node in self.subtree(outer):
            for field in ("body", "orelse"):
                branch = getattr(node, field, None)
                if isinstance(branch, list):  # the body of a lambda is an expression
                    yield branch

    def enclosing(self, node: ast.AST, *types: type[N]) -> N | None:
        """The nearest node of these types around this one."""
        return next((parent for parent in self.parents_of(node) if isinstance(parent, types)), None)

    def function_of(self, node: ast.AST) -> Function | None:
        """The function around this node."""
        return next((parent for parent in self.parents_of(node) if isinstance(parent, FUNCTIONS)), None)

    def block_of(self, node: ast.AST) -> Function | ast.Module:
        """The function around this node, or the file if there is none."""
        return self.function_of(node) or self.root

    def is_directly_in(self, node: ast.AST, block: ast.AST) -> bool:
        """Whether a block is the nearest one around a node: a function, or the file if there is none."""
        return self.function_of(node) is (block if isinstance(block, FUNCTIONS) else None)

    def loops_around(self, node: ast.AST) -> list[Loop]:
        """The loops around this node within its function, innermost first."""
        loops: list[Loop] = []
        child = node
        for parent in self.parents_of(node):
            if isinstance(parent, (*FUNCTIONS, ast.Lambda, ast.ClassDef)):
                break
            # The iterable of a loop is evaluated once, before the loop.
            if isinstance(parent, ast.While) or (
                isinstance(parent, (ast.For, ast.AsyncFor)) and child is not parent.iter
            ):
                loops.append(parent)
            child = parent
        return loops

    def guards(self, node: ast.AST) -> Iterator[tuple[ast.If, bool]]:
        """The if statements around a node within its function, and whether it is in the body of each."""
        child = node
        for parent in self.parents_of(node):
            if isinstance(parent, (*FUNCTIONS, ast.Lambda, ast.ClassDef)):
                return
            if isinstance(parent, ast.If) and child is not parent.test:
                yield parent, child in parent.body
            child = parent

    def is_inside(self, node: ast.AST, outer: ast.AST) -> bool:
        """Whether a node is in the tree of a different node."""
        start = self._position.get(outer)
        return (
            start is not None
            and node in self._position
            and (start <= self._position[node] < start + self._size[start])
        )

    def subtree(self, outer: ast.AST) -> list[ast.AST]:
        """A node and all nodes in its tree, in the order of the text."""
        start = self._position.get(outer)
        if start is None:  # a method that is inherited from a class of another file
            return list(ast.walk(outer))
        return self._order[start : start + self._size[start]]

    def within(self, outer: ast.AST, *types: type[N]) -> list[N]:
        """The nodes of these types in the tree of a node, in the order of the text.

        types: those that nodes themselves have, not their base classes.
        """
        start = self._position.get(outer)
        if start is None:  # see subtree()
            return [node for node in ast.walk(outer) if isinstance(node, types)]
        end = start + self._size[start]
        found: list[N] = []
        for kind in types:
            positions = self._positions_by_type[kind]
            found += self._by_type[kind][bisect_left(positions, start) : bisect_left(positions, end)]  # type: ignore[arg-type]
        return found if len(types) == 1 else sorted(found, key=self._position.__getitem__)

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
            words = {name.id for name in self.within(outer, ast.Name)}
            words.update(attribute.attr for attribute in self.within(outer, ast.Attribute))
            words.update(parameter.arg for parameter in self.within(outer, ast.arg))
            words.update(keyword.arg for keyword in self.within(outer, ast.keyword) if keyword.arg)
            self._words[outer] = words
        return self._words[outer]

    def _index(self) -> None:
        todo: list[ast.AST] = [self.root]
        parents, order, position, fields_of = self.parents, self._order, self._position, _FIELDS_OF
        while todo:
            node = todo.pop()
            kind = node.__class__
            self._by_type[kind].append(node)
            self._positions_by_type[kind].append(len(order))
            position[node] = len(order)
            order.append(node)
            children = []
            for name in fields_of[kind]:
                value = getattr(node, name, None)
                if value.__class__ is list:
                    children += [item for item in value if isinstance(item, ast.AST)]
                elif isinstance(value, ast.AST):
                    children.append(value)
            children.reverse()
            for child in children:
                parents[child] = node
            todo += children
        size = self._size = [1] * len(order)
        for number in range(len(order) - 1, 0, -1):
            size[position[parents[order[number]]]] += size[number]
