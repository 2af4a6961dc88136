"""The conditions under which code runs: what a program does in one configuration is read together."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from dpkb.lint.nodes import as_constant, is_method_call, last_name, text_of
from dpkb.lint.source_file import SourceFile

# So many conditions around a node, and so many statements before each, are read: the nearest.
_MAX_CONDITIONS = 8
_EXITS = (ast.Return, ast.Raise, ast.Continue, ast.Break)


@dataclass(frozen=True)
class Condition:
    """That a setting has one of these values, or none of them. values: their source texts."""

    setting: str
    values: frozenset[str]
    holds: bool

    def contradicts(self, other: Condition) -> bool:
        """Whether both cannot be true in one run."""
        if self.setting != other.setting or not (self.holds or other.holds):
            return False
        if self.holds and other.holds:
            return self.values.isdisjoint(other.values)
        chosen, excluded = (self, other) if self.holds else (other, self)
        return chosen.values <= excluded.values


def exclude(file: SourceFile, one: ast.AST, other: ast.AST) -> bool:
    """Whether no configuration of the program reaches both nodes."""
    conditions = list(_conditions_of(file, one))
    return bool(conditions) and any(
        condition.contradicts(around) for around in _conditions_of(file, other) for condition in conditions
    )


def is_conditional(file: SourceFile, node: ast.AST) -> bool:
    """Whether a setting decides that a node runs."""
    return next(_conditions_of(file, node), None) is not None


def find_possible_values(
    file: SourceFile, node: ast.expr, place: ast.AST, max_depth: int = 3
) -> Iterator[ast.expr]:
    """The expressions that may have created a value where it is used, also those that a function returns.

    Those that only another configuration of the program reaches are left out.
    """
    for origin in file.values.origins(file.values.value_at(node) or node):
        if origin is not node and exclude(file, origin, place):
            continue
        returned = file.definitions.find_returns(origin) if max_depth and isinstance(origin, ast.Call) else []
        if not returned:
            yield origin
        for value in returned:
            if not exclude(file, value, place):
                yield from find_possible_values(file, value, place, max_depth - 1)


def _conditions_of(file: SourceFile, node: ast.AST) -> Iterator[Condition]:
    """The conditions around a node in its function, nearest first."""
    return islice(_all_conditions(file, node), _MAX_CONDITIONS)


def _all_conditions(file: SourceFile, node: ast.AST) -> Iterator[Condition]:
    child = node
    for parent in file.tree.parents_of(node):
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            return
        if isinstance(parent, ast.If) and child is not parent.test:
            yield from _read(parent.test, child in parent.body)
        elif isinstance(parent, ast.IfExp) and child is not parent.test:
            yield from _read(parent.test, child is parent.body)
        block, place = file.tree.place_of(child)
        for earlier in block[max(place - _MAX_CONDITIONS, 0) : place]:  # if x: return
            if isinstance(earlier, ast.If) and not earlier.orelse and isinstance(earlier.body[-1], _EXITS):
                yield from _read(earlier.test, False)
        child = parent


def _read(test: ast.expr, holds: bool) -> Iterator[Condition]:
    """What is known where a test holds, or does not."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        yield from _read(test.operand, not holds)
    elif isinstance(test, ast.BoolOp):
        for value in test.values if isinstance(test.op, ast.And) is holds else ():
            yield from _read(value, holds)
    elif isinstance(test, ast.Compare):
        operator, right = test.ops[0], test.comparators[0]
        if len(test.ops) == 1 and not isinstance(operator, (ast.Lt, ast.LtE, ast.Gt, ast.GtE)):
            is_in = isinstance(operator, (ast.In, ast.NotIn))
            values = frozenset(map(ast.unparse, getattr(right, "elts", [right]) if is_in else [right]))
            yield Condition(
                _setting(test.left), values, holds is isinstance(operator, (ast.Eq, ast.Is, ast.In))
            )
    else:
        yield Condition(_setting(test), frozenset(["True"]), holds)


def _setting(node: ast.expr) -> str:
    """What a test is about: "loss" in args.loss, self.loss, config["loss"] and config.get("loss")."""
    key: object = None
    if isinstance(node, ast.Subscript):
        key = as_constant(node.slice)
    elif is_method_call(node, "get") and node.args:
        key = as_constant(node.args[0])
    elif is_method_call(node, "lower", "upper", "strip"):
        return _setting(node.func.value)
    return key if isinstance(key, str) else last_name(node) or text_of(node)
