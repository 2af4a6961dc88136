"""One file as the rules see it: its syntax, names, definitions and values, and its findings."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from dpkb.lint.finding import Certainty, Edit, Finding, Rewrite
from dpkb.lint.source import Source
from dpkb.lint.values import Values

if TYPE_CHECKING:
    from dpkb.lint.project import Project


class Module(Values):
    """A parsed file, indexed once for all rules."""

    def __init__(self, source: Source, project: Project | None = None) -> None:
        super().__init__(source, project)
        # Results that several rules share, computed once per file.
        self.cache: dict[str, list[Any]] = {}

    def finding(
        self, rule: str, node: ast.AST, certainty: Certainty, message: str, fix: str,
        edits: Sequence[Edit | None] = (), unsafe: bool = False) -> Finding:
        """A finding at the place of a node, with the edits that correct it; None among them: it has none."""
        line: int = node.lineno  # type: ignore[attr-defined]
        source_line = self.lines[line - 1] if line <= len(self.lines) else ""
        # ast counts bytes.
        before = source_line.encode()[: node.col_offset].decode(errors="ignore")  # type: ignore[attr-defined]
        shown, cell = self.source.place(line)
        rewrite = Rewrite(tuple(edit for edit in edits if edit), unsafe) if edits and all(edits) else None
        return Finding(rule, certainty, message, fix, self.source.name, shown, len(before) + 1, source_line,
                       cell, rewrite)

    def release(self) -> None:
        """Let go of everything that refers back to this file, so that its memory is free at once."""
        super().release()
        self.cache.clear()
