"""The syntax tree of a file, indexed once: nodes by type, their parents, and the tree below each."""

from __future__ import annotations

import ast
import itertools
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import TypeAlias, TypeVar

from dpkb.lint.nodes import FUNCTIONS, LOOPS, SCOPES, Function, Loop, Part, Scope, group, text_of

N = TypeVar("N", bound=ast.AST)
# A part of the text: the positions of its nodes.
Region: TypeAlias = range
Outer: TypeAlias = "ast.AST | Region"
_MAX_GUARDS = 30
# The nodes that have words, each with the field of its word.
_WORDS = ((ast.Name, "id"), (ast.Attribute, "attr"), (ast.arg, "arg"), (ast.keyword, "arg"))
# The fields of each type of node, without those of operators and contexts: Python uses one object for all
# operators of a kind, so these nodes have no parent and no place.
_FIELDS_OF = {
    kind: tuple(name for name in kind._fields if name not in ("ctx", "op", "ops"))
    for kind in [*vars(ast).values(), Part]
    if isinstance(kind, type) and issubclass(kind, ast.AST)
}


class SyntaxTree:
    """The nodes of a file."""

    def __init__(self, root: ast.Module) -> None:
        self.root = root
        self.parents: dict[ast.AST, ast.AST] = {}
        # The loop or scope around each node: a branch of a long chain of elif has hundreds of parents.
        self._blocks: dict[ast.AST, Loop | Scope] = {}
        self._by_type: dict[type[ast.AST], list[ast.AST]] = defaultdict(list)
        # The index in _order of each of these nodes.
        self._positions_by_type: dict[type[ast.AST], list[int]] = defaultdict(list)
        # All nodes in the order of the text; the index of each in this list; how many nodes its tree has.
        self._order: list[ast.AST] = []
        self._position: dict[ast.AST, int] = {}
        self._size: list[int] = []
        self._index(root)

    def append(self, part: Part) -> None:
        """Add a part of another file behind the others, before anything else is asked."""
        self.parents[part] = self._blocks[part] = self.root
        self._index(part)
        self._size[0] = len(self._order)

    def part_of(self, node: ast.AST) -> Part | None:
        """The part of another file that a node is in; None for the code of the file itself."""
        places = self._positions_by_type[Part]
        if not places:
            return None
        # See adopt(). A node of none of these files, such as the value of an inherited attribute, is in no part.
        around = itertools.chain([node], self.parents_of(node))
        known = next((item for item in around if item in self._position), self.root)
        number = bisect_right(places, self._position[known])
        return self._by_type[Part][number - 1] if number else None  # type: ignore[return-value]

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

    def expressions_around(self, node: ast.AST) -> Iterator[ast.AST]:
        """The nodes around an expression in its statement, nearest first."""
        return itertools.takewhile(lambda parent: not isinstance(parent, ast.stmt), self.parents_of(node))

    def adopt(self, node: ast.AST, parent: ast.AST) -> None:
        """Give a parent to a node that is not in the text, so that its function and its scope can be found.

        nodes(), within() and is_inside() do not know it.
        """
        self.parents[node] = parent
        self._blocks[node] = self._blocks.get(parent, self.root)

    def statements_around(self, node: ast.AST) -> tuple[list[ast.stmt], list[ast.stmt]]:
        """The statements before and after a statement in its block; none for a node that is no statement."""
        block, place = self.place_of(node)
        return block[:place], block[place + 1 :]

    def place_of(self, node: ast.AST) -> tuple[list[ast.stmt], int]:
        """The block of a statement, and its place there; an empty block for a node that is no statement."""
        return self._places.get(node, ([], 0))

    def region(self, statements: list[ast.stmt]) -> Region:
        """The region of some statements in a row."""
        return range(self._position[statements[0]], self._end(statements[-1])) if statements else range(0)

    def rest_of_block(self, statement: ast.stmt, end: ast.AST | None = None) -> Region:
        """The region of the statements after a statement in its block. end: up to the statement that has it."""
        block, place = self._places[statement]
        stop = (
            len(block)
            if end is None
            else bisect_right(block, self._position[end], key=self._position.__getitem__) - 1
        )
        return range(self._end(statement), self._end(block[max(stop - 1, place)]))

    def rest_of(self, outer: ast.AST, node: ast.AST) -> Region:
        """The region behind a node in the tree of another that has it."""
        return range(self._end(node), self._end(outer))

    def statements_between(self, first: ast.stmt, second: ast.stmt) -> list[ast.stmt] | None:
        """The statements between two of one block; None if the second does not follow there."""
        (block, start), (other, end) = self._places[first], self._places[second]
        return block[start + 1 : end] if block is other and start < end else None

    @cached_property
    def _places(self) -> dict[ast.AST, tuple[list[ast.stmt], int]]:
        """Each statement -> its block, and its place there."""
        blocks = [
            getattr(node, field, None)
            for kind in self._by_type
            for field in ("body", "orelse", "finalbody")
            if field in kind._fields
            for node in self._by_type[kind]
        ]
        return {
            statement: (block, place)
            for block in blocks
            if isinstance(block, list)  # the body of a lambda is an expression
            for place, statement in enumerate(block)
        }

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
        return next((block for block in self._blocks_around(node) if isinstance(block, FUNCTIONS)), None)

    def scope_of(self, node: ast.AST) -> Scope:
        """The function, lambda, class or module around this node."""
        return next((block for block in self._blocks_around(node) if isinstance(block, SCOPES)), self.root)

    def _blocks_around(self, node: ast.AST) -> Iterator[Loop | Scope]:
        """The loops and scopes around this node, innermost first."""
        while (block := self._blocks.get(node)) is not None:
            yield block
            node = block

    def block_of(self, node: ast.AST) -> Function | ast.Module:
        """The function around this node, or the file if there is none."""
        return self.function_of(node) or self.root

    def loops_around(self, node: ast.AST) -> list[Loop]:
        """The loops around this node within its function, innermost first."""
        loops: list[Loop] = []
        for block in self._blocks_around(node):
            if not isinstance(block, LOOPS):
                break
            loops.append(block)
        return loops

    def guards(self, node: ast.AST) -> Iterator[tuple[ast.If, bool]]:
        """The if statements around a node within its function, and whether it is in the body of each."""
        child, number = node, 0
        for parent in self.parents_of(node):
            # In a long chain of elif, a branch is below hundreds of them: the nearest count.
            if isinstance(parent, (*FUNCTIONS, ast.Lambda, ast.ClassDef)) or number == _MAX_GUARDS:
                return
            if isinstance(parent, ast.If) and child is not parent.test:
                number += 1
                yield parent, child in parent.body
            child = parent

    def is_inside(self, node: ast.AST, outer: Outer) -> bool:
        """Whether a node is in the tree of a different node, or in a region."""
        span = self._span(outer)
        return span is not None and self._position.get(node, -1) in span

    def subtree(self, outer: ast.AST) -> list[ast.AST]:
        """A node and all nodes in its tree, in the order of the text."""
        span = self._span(outer)
        if span is None:  # a method that is inherited from a class of another file
            return list(ast.walk(outer))
        return self._order[span.start : span.stop]

    def within(self, outer: Outer, *types: type[N]) -> list[N]:
        """The nodes of these types in the tree of a node, or in a region, in the order of the text.

        types: those that nodes themselves have, not their base classes.
        """
        span = self._span(outer)
        if span is None:  # see subtree()
            return [node for node in ast.walk(outer) if isinstance(node, types)]  # type: ignore[arg-type]
        found: list[N] = []
        for kind in types:
            positions = self._positions_by_type[kind]
            found += self._by_type[kind][
                bisect_left(positions, span.start) : bisect_left(positions, span.stop)
            ]  # type: ignore[arg-type]
        return found if len(types) == 1 else sorted(found, key=self._position.__getitem__)

    def select(self, nodes: Sequence[N], outer: Outer) -> Sequence[N]:
        """Those of some nodes of this file, given in the order of the text, that are within."""
        span, position = self._span(outer) or range(0), self._position.__getitem__
        return nodes[
            bisect_left(nodes, span.start, key=position) : bisect_left(nodes, span.stop, key=position)
        ]

    def last_before(self, nodes: Sequence[N], node: ast.AST) -> N | None:
        """The last of some nodes of this file, given in the order of the text, that comes before a node."""
        place = bisect_left(nodes, self._position.get(node, 0), key=self._position.__getitem__)
        return nodes[place - 1] if place else None

    def first(self, nodes: Sequence[N], outer: Outer) -> N | None:
        """The first of those that select() would return."""
        return next(iter(self.select(nodes, outer)), None)

    def sort(self, nodes: Iterable[N]) -> list[N]:
        """Some nodes of this file in the order of the text."""
        return sorted(nodes, key=self._position.__getitem__)

    def named(self, text: str, outer: Outer | None = None) -> Sequence[ast.Name | ast.Attribute]:
        """The names and attributes with this text, such as self.model, in the order of the text."""
        return self.select(self._by_text.get(text, ()), outer or self.root)

    def assignments_to(self, text: str, outer: Outer | None = None) -> Sequence[ast.Assign]:
        """The statements `target = value`, where a target has this text, in the order of the text."""
        return self.select(self._by_target.get(text, ()), outer or self.root)

    def stores_of(self, name: str, outer: Outer | None = None) -> Sequence[ast.Name]:
        """The places where a name is assigned or deleted, in the order of the text."""
        return self.select(self._stores_by_name.get(name, ()), outer or self.root)

    @cached_property
    def _stores_by_name(self) -> dict[str, list[ast.Name]]:
        return group((node.id, node) for node in self.nodes(ast.Name) if not isinstance(node.ctx, ast.Load))

    @cached_property
    def _by_text(self) -> dict[str, list[ast.Name | ast.Attribute]]:
        nodes: list[ast.Name | ast.Attribute] = self.within(self.root, ast.Name, ast.Attribute)
        return group((text_of(node), node) for node in nodes)

    @cached_property
    def _by_target(self) -> dict[str, list[ast.Assign]]:
        return group(
            (text, statement)
            for statement in self.nodes(ast.Assign)
            for text in dict.fromkeys(map(text_of, statement.targets))
        )

    def _span(self, outer: Outer) -> range | None:
        """The positions of the nodes in a tree; None for that of a method of another file."""
        if isinstance(outer, range):
            return outer
        return range(self._position[outer], self._end(outer)) if outer in self._position else None

    def _end(self, node: ast.AST) -> int:
        return self._position[node] + self._size[self._position[node]]

    def statement_of(self, node: ast.AST) -> ast.stmt:
        """The statement that an expression is part of."""
        while not isinstance(node, ast.stmt):
            node = self.parents[node]
        return node

    def mentions(self, outer: Outer, *words: str) -> bool:
        """Whether a name, an attribute or a keyword in the tree of a node is one of these words."""
        span = self._span(outer)
        if span is None:
            return not self.words(outer).isdisjoint(words)
        found = (self._positions_by_word.get(word, []) for word in words)
        return any(bisect_left(places, span.start) < bisect_left(places, span.stop) for places in found)

    def words(self, outer: Outer) -> set[str]:
        """All names, attributes and keywords in the tree of a node."""
        return {
            word
            for kind, field in _WORDS
            for node in self.within(outer, kind)
            if (word := getattr(node, field))
        }

    @cached_property
    def _positions_by_word(self) -> dict[str, list[int]]:
        places = sorted(
            (self._position[node], getattr(node, field) or "")
            for kind, field in _WORDS
            for node in self._by_type[kind]
        )
        return group((word, place) for place, word in places)

    def _index(self, root: ast.Module) -> None:
        todo: list[ast.AST] = [root]
        start = len(self._order)
        parents, blocks, order = self.parents, self._blocks, self._order
        position, fields_of = self._position, _FIELDS_OF
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
            block = node if isinstance(node, (*LOOPS, *SCOPES)) else blocks[node]
            for child in children:
                parents[child] = node
                blocks[child] = block
            if isinstance(node, (ast.For, ast.AsyncFor)):  # the iterable is evaluated once, before the loop
                blocks[node.iter] = blocks[node]
            todo += children
        size = self._size
        size += [1] * (len(order) - start)
        for number in range(len(order) - 1, start, -1):
            size[position[parents[order[number]]]] += size[number]
