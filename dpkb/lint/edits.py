"""The edits that rules propose: each replaces a range of the source, and the rest does not change."""

import ast
from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from dpkb.lint.finding import Edit
from dpkb.lint.source_file import SourceFile

N = TypeVar("N", bound=ast.AST)
P = ParamSpec("P")


def _in_own_code(
    edit: Callable[Concatenate[SourceFile, N, P], Edit | None],
) -> Callable[Concatenate[SourceFile, N, P], Edit | None]:
    """A decorator: there is no edit of a node of another file."""

    @wraps(edit)
    def edit_own(file: SourceFile, node: N, /, *arguments: P.args, **options: P.kwargs) -> Edit | None:
        return None if file.tree.part_of(node) else edit(file, node, *arguments, **options)

    return edit_own


@_in_own_code
def replace(file: SourceFile, node: ast.AST, text: str) -> Edit | None:
    """The edit that writes a text in place of a node; None if that would remove a comment."""
    removed = _text_between(file, _start(node), _end(node))
    return None if removed.count("#") > text.count("#") else Edit(_start(node), _end(node), text)


def insert_after(node: ast.AST, text: str) -> Edit:
    """The edit that writes a text directly after a node."""
    return Edit(_end(node), _end(node), text)


@_in_own_code
def remove_attribute(file: SourceFile, node: ast.Attribute) -> Edit | None:
    """The edit from `model.forward` to `model`; None if the dot and the name are on two lines."""
    line, end = _end(node)
    start = end - len(f".{node.attr}".encode())
    # Counted from the end of the name: between the value and the dot a parenthesis may close.
    if file.lines[line - 1].encode()[max(start, 0) : end] != f".{node.attr}".encode():
        return None
    return Edit((line, start), (line, end), "")


@_in_own_code
def insert_lines(file: SourceFile, before: ast.stmt, lines: list[str]) -> Edit | None:
    """The edit that writes lines before a statement; None if another statement is on the same line."""
    decorators: list[ast.expr] = getattr(before, "decorator_list", [])
    number = min([before.lineno, *(item.lineno for item in decorators)])
    line = file.lines[number - 1]
    indent = line[: len(line) - len(line.lstrip())]
    # With a backslash at its end, the line before goes on here.
    continues = number > 1 and file.lines[number - 2].endswith("\\")
    if continues or len(indent.encode()) != before.col_offset:
        return None
    return Edit((number, 0), (number, 0), "".join(f"{indent}{text}\n" for text in lines))


@_in_own_code
def add_argument(file: SourceFile, call: ast.Call, text: str) -> Edit | None:
    """The edit that writes an argument after the others; None if there are none, or if a comment is there."""
    end_line, end_column = _end(call)
    line, column = max((_end(item) for item in [*call.args, *call.keywords]), default=_end(call))
    if (line, column) == _end(call):
        return None  # no arguments, or f(x for x in y)
    # Behind the last argument its own parentheses may close, and there may be a comma and comments.
    rest = _text_between(file, (line, column), (end_line, end_column - 1))
    if ")" in rest:
        if "#" in rest:
            return None
        before = rest[: rest.rindex(")") + 1]
        line += before.count("\n")
        column = len(before.rpartition("\n")[2].encode()) + (0 if "\n" in before else column)
    return Edit((line, column), (line, column), f", {text}")


@_in_own_code
def remove_argument(file: SourceFile, call: ast.Call, name: str) -> Edit | None:
    """The edit that removes a keyword argument and its comma; None if that would remove a comment."""
    keyword = next((item for item in call.keywords if item.arg == name), None)
    if keyword is None:
        return None
    others = sorted(
        (_start(item), _end(item)) for item in [*call.args, *call.keywords] if item is not keyword
    )
    before = [end for start, end in others if start < _start(keyword)]
    after = [start for start, _ in others if start > _start(keyword)]
    # Between two arguments there may be parentheses, a comma, blanks and comments.
    if before:
        return _without_comment(file, Edit(_comma_after(file, before[-1]), _end(keyword), ""))
    line, column = _end(call)
    return _without_comment(file, Edit(_start(keyword), after[0] if after else (line, column - 1), ""))


def source_of(file: SourceFile, node: ast.expr) -> str:
    """The text of a node as the file has it."""
    return ast.unparse(node) if file.tree.part_of(node) else _text_between(file, _start(node), _end(node))


def _text_between(file: SourceFile, start: tuple[int, int], end: tuple[int, int]) -> str:
    lines = [line.encode() for line in file.lines[start[0] - 1 : end[0]]]
    lines[-1] = lines[-1][: end[1]]
    lines[0] = lines[0][start[1] :]
    return b"\n".join(lines).decode(errors="replace")  # in an f-string, places are wrong


def _comma_after(file: SourceFile, place: tuple[int, int]) -> tuple[int, int]:
    line, column = place
    while (comma := file.lines[line - 1].encode().find(b",", column)) < 0:
        line, column = line + 1, 0
    return line, comma


def _without_comment(file: SourceFile, edit: Edit) -> Edit | None:
    """The edit; None if the text that it removes has a comment."""
    lines = file.lines[edit.start[0] - 1 : edit.end[0]]
    return None if any("#" in line for line in lines[:-1]) else edit


def _start(node: ast.AST) -> tuple[int, int]:
    return node.lineno, node.col_offset  # type: ignore[attr-defined]


def _end(node: ast.AST) -> tuple[int, int]:
    return node.end_lineno, node.end_col_offset  # type: ignore[attr-defined]
