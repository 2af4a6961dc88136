"""Conditions that are true on some ranks only."""

from __future__ import annotations

import ast

from dpkb.lint.nodes import as_constant, called_name, last_name

_RANKS = ("rank", "local_rank", "global_rank", "gpu", "process_index", "local_process_index", "get_rank")
_RANK_TESTS = (
    "is_main_process",
    "is_master",
    "is_main",
    "master_process",
    "is_global_zero",
    "is_rank_zero",
    "is_local_main_process",
)


def is_rank_test(test: ast.expr) -> bool:
    """Whether a condition is true on some ranks only: rank == 0, is_main_process() ..."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        return any(is_rank_test(value) for value in test.values)
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return is_rank_test(test.operand)
    if (
        isinstance(test, ast.Compare)
        and len(test.ops) == 1
        and isinstance(test.ops[0], (ast.Eq, ast.NotEq, ast.Gt))
    ):
        left, right = test.left, test.comparators[0]
        number = right if isinstance(right, ast.Constant) else left
        other = left if number is right else right
        return isinstance(number, ast.Constant) and number.value == 0 and _last_word(other) in _RANKS
    if (
        isinstance(test, ast.Compare)
        and isinstance(test.ops[0], (ast.In, ast.NotIn))
        and isinstance(test.comparators[0], (ast.List, ast.Tuple, ast.Set))
    ):
        values = [as_constant(item) for item in test.comparators[0].elts]
        return 0 in values and _last_word(test.left) in _RANKS
    return _last_word(test) in _RANK_TESTS


def _last_word(node: ast.expr) -> str:
    return called_name(node) if isinstance(node, ast.Call) else last_name(node)
