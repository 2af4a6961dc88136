"""One file as the rules see it: its syntax, names, definitions and values, and its findings."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from dpkb.lint.classes import ClassInfo
from dpkb.lint.definitions import Definitions
from dpkb.lint.finding import Certainty, Edit, Finding, Findings, Rewrite
from dpkb.lint.linking import Outline, link
from dpkb.lint.plain_programs import is_plain_program
from dpkb.lint.scopes import Scopes
from dpkb.lint.syntax_tree import SyntaxTree
from dpkb.lint.value_origins import ValueOrigins
from dpkb.source_code.parsed_code import ParsedCode

if TYPE_CHECKING:
    from dpkb.lint.project import Project

# What the rules import.
__all__ = ["Certainty", "Edit", "Finding", "Findings", "SourceFile", "once_per_file"]

T = TypeVar("T")
P = ParamSpec("P")


class SourceFile:
    """A parsed file, indexed once for all rules.

    tree: its syntax. scopes: what its names are bound to, and what it calls. definitions: its functions and
    classes. values: where each value comes from. Each uses those before it.
    """

    def __init__(self, source: ParsedCode, project: Project | None = None) -> None:
        self.source = source
        self.project = project
        self.tree = SyntaxTree(source.tree)
        names = link(self.tree, Outline(source), project.find_definition) if project else {}
        self.scopes = Scopes(self.tree, names)
        classes = {node: ClassInfo(node, self) for node in self.tree.nodes(ast.ClassDef)}
        self.definitions = Definitions(
            self.tree,
            self.scopes,
            classes,
            lambda dotted, path: project.imported_class(dotted, path or source.name) if project else None,
        )
        self.values = ValueOrigins(self.tree, self.scopes, self.definitions)
        # The results of functions under @once_per_file.
        self.results: dict[tuple[object, ...], Any] = {}

    @cached_property
    def lines(self) -> list[str]:
        """The lines of the text."""
        return self.source.text.split("\n")

    def owner_of(self, node: ast.AST) -> SourceFile:
        """The file that has a node: another, if the node is in a part of that."""
        part = self.tree.part_of(node)
        return (self.project.parse(Path(part.path)) if part and self.project else None) or self

    def line_of(self, node: ast.AST) -> str:
        """The text of the line where a node starts."""
        lines, line = self.owner_of(node).lines, node.lineno  # type: ignore[attr-defined]
        return lines[line - 1] if line <= len(lines) else ""

    @cached_property
    def is_plain_program(self) -> bool:
        """Whether nothing in the file can observe a rewrite, and no other file is seen to use it."""
        return is_plain_program(self)

    @cached_property
    def replaces_library(self) -> bool:
        """Whether the file puts functions of its own into torch, as in `torch.exp = exp`. Settings do not count."""
        changed = [
            self.scopes.full_name(target)
            for _, targets, value in self.tree.assignments
            for target in targets
            if isinstance(target, ast.Attribute) and not isinstance(value, ast.Constant)
        ]
        return any(re.match(r"torch\.(?!backends\.|.*\bconfig\.)", name) for name in changed)

    def finding(
        self,
        rule: str,
        node: ast.AST,
        certainty: Certainty,
        message: str,
        fix: str,
        edits: Sequence[Edit | None] = (),
        safe: bool = False,
    ) -> Finding:
        """A finding at the place of a node. edits: together they correct it; if one is None, none does.

        A certain finding is only likely in a file that replaces functions of torch.
        safe: in a plain program (plain_programs.py), nothing that works prints anything else after them.

        In an f-string, and in code of another file, there is no correction: up to Python 3.11 the nodes have wrong places, and its quotes
        cannot be used again.
        """
        owner = self.owner_of(node)
        if owner is not self:
            return owner.finding(rule, node, certainty, message, fix)
        line: int = node.lineno  # type: ignore[attr-defined]
        source_line = self.line_of(node)
        # col_offset counts bytes, the column of a finding counts characters.
        encoded, end = source_line.encode(), node.end_col_offset if node.end_lineno == line else None  # type: ignore[attr-defined]
        before, whole = (encoded[:place].decode(errors="ignore") for place in (node.col_offset, end))  # type: ignore[attr-defined]
        line_in_cell, cell = self.source.place(line)
        complete = tuple(self._with_utf16_columns(edit) for edit in edits if edit)
        is_complete = edits and len(complete) == len(edits)
        in_string = self.tree.enclosing(node, ast.JoinedStr) is not None
        rewrite = (
            Rewrite(complete, not (safe and self.is_plain_program), self.source.digest)
            if is_complete and not in_string
            else None
        )
        if certainty is Certainty.CERTAIN and self.replaces_library:
            certainty = Certainty.LIKELY
        return Finding(
            rule,
            certainty,
            message,
            fix,
            self.source.name,
            line_in_cell,
            len(before) + 1,
            source_line,
            cell,
            rewrite,
            len(whole) + 1,
        )

    def _with_utf16_columns(self, edit: Edit) -> Edit:
        columns = []
        for line, column in (edit.start, edit.end):
            before = self.lines[line - 1].encode()[:column].decode()
            columns.append(len(before.encode("utf-16-le")) // 2)
        return replace(edit, utf16_columns=(columns[0], columns[1]))

    def release(self) -> None:
        """Drop all references back to this object, so that its memory is free without garbage collection."""
        self.definitions.release()
        self.values.release()
        self.results.clear()


def once_per_file(
    function: Callable[Concatenate[SourceFile, P], T],
) -> Callable[Concatenate[SourceFile, P], T]:
    """A decorator for a function that is called often: it computes each result once for each file."""

    @wraps(function)
    def computed_once(file: SourceFile, /, *arguments: P.args, **options: P.kwargs) -> T:
        key = (function, *arguments, *options.items())
        if key not in file.results:
            file.results[key] = function(file, *arguments, **options)
        result: T = file.results[key]
        return result

    return computed_once
