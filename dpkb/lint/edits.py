"""Edits of the text that rules propose: ranges of the source, so that everything else stays as it is."""

from __future__ import annotations

import ast

from dpkb.lint.finding import Edit
from dpkb.lint.module import Module


def replace(node: ast.AST, text: str) -> Edit:
    """Another text in place of a node."""
    return Edit(_start(node), _end(node), text)


def insert_after(node: ast.AST, text: str) -> Edit:
    """A text right after a node."""
    return Edit(_end(node), _end(node), text)


def remove_attribute(module: Module, node: ast.Attribute) -> Edit | None:
    """`model` in place of `model.forward`; None where dot and name are on two lines."""
    line, end = _end(node)
    start = end - len(f".{node.attr}".encode())
    # Not from the end of the value on: a parenthesis may close after it.
    if module.lines[line - 1].encode()[max(start, 0) : end] != f".{node.attr}".encode():
        return None
    return Edit((line, start), (line, end), "")


def insert_lines(module: Module, before: ast.stmt, lines: list[str]) -> Edit | None:
    """Statements on lines of their own before a statement; None where it shares its line."""
    line = module.lines[before.lineno - 1]
    indent = line[: len(line) - len(line.lstrip())]
    if len(indent.encode()) != before.col_offset:
        return None
    return Edit((before.lineno, 0), (before.lineno, 0), "".join(f"{indent}{text}\n" for text in lines))


def remove_argument(module: Module, call: ast.Call, name: str) -> Edit | None:
    """The call without a keyword argument and its comma."""
    keyword = next((item for item in call.keywords if item.arg == name), None)
    if keyword is None:
        return None
    others = sorted(
        (_start(item), _end(item)) for item in [*call.args, *call.keywords] if item is not keyword)
    before = [end for start, end in others if start < _start(keyword)]
    after = [start for start, _ in others if start > _start(keyword)]
    # Between two arguments stand parentheses, a comma, blanks and comments: a comment stays with its line.
    if before:
        return _without_comment(module, Edit(_comma_after(module, before[-1]), _end(keyword), ""))
    line, column = _end(call)
    return _without_comment(module, Edit(_start(keyword), after[0] if after else (line, column - 1), ""))


def source_of(module: Module, node: ast.expr) -> str:
    """The text of a node as it is written."""
    return ast.get_source_segment(module.source.text, node) or ast.unparse(node)


def _comma_after(module: Module, place: tuple[int, int]) -> tuple[int, int]:
    line, column = place
    while (found := module.lines[line - 1].encode().find(b",", column)) < 0:
        line, column = line + 1, 0
    return line, found


def _without_comment(module: Module, edit: Edit) -> Edit | None:
    """None where the removed text has a comment."""
    lines = module.lines[edit.start[0] - 1 : edit.end[0]]
    return None if any("#" in line for line in lines[:-1]) else edit


def _start(node: ast.AST) -> tuple[int, int]:
    return node.lineno, node.col_offset  # type: ignore[attr-defined]


def _end(node: ast.AST) -> tuple[int, int]:
    return node.end_lineno, node.end_col_offset  # type: ignore[attr-defined]
