"""The difference of two scripts: as a unified diff for people, and as changed lines of code for the rules."""

from __future__ import annotations

import ast
import difflib
import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from dpkb.scripts import syntax

FIX, BUG = "# FIX", "# BUG"
_HUNK_HEAD = re.compile(r"@@ -(\d+)(,\d+)? \+(\d+)(,\d+)? @@")


@dataclass(frozen=True)
class Hunk:
    """Changed lines of code: their numbers, from 1, in the first script and in the second."""

    before: tuple[int, ...]
    after: tuple[int, ...]
    # The next line of code in the second script; None at its end.
    below: int | None


def render_unified_diff(
    before: str, after: str, before_name: str = "broken.py", after_name: str = "fixed.py", context: int = 1
) -> list[str]:
    """The lines of a unified diff. Module docstrings are left out: they always differ.

    context: how many unchanged lines to show around each change.
    """
    first, second = find_docstring_end(before), find_docstring_end(after)
    lines = difflib.unified_diff(
        before.splitlines()[first:],
        after.splitlines()[second:],
        before_name,
        after_name,
        n=context,
        lineterm="",
    )
    return [
        _HUNK_HEAD.sub(lambda match: _shift_head(match, first, second), line)
        if line.startswith("@@")
        else line
        for line in lines
    ]


def _shift_head(match: re.Match[str], before: int, after: int) -> str:
    """The head of a hunk with line numbers of the whole files. before, after: the lines of the docstrings."""
    first, first_count, second, second_count = match.groups()
    return f"@@ -{int(first) + before}{first_count or ''} +{int(second) + after}{second_count or ''} @@"


def find_docstring_end(source: str) -> int:
    """The number of lines up to the end of the module docstring; 0 if there is none."""
    try:
        first = next(iter(syntax.parse_script(source).body), None)
    except SyntaxError:
        return 0
    value = first.value if isinstance(first, ast.Expr) else None
    return value.end_lineno or 0 if isinstance(value, ast.Constant) and isinstance(value.value, str) else 0


def find_hunks(before: str, after: str) -> list[Hunk]:
    """The places where the code differs. Comments, blank lines and module docstrings do not count."""
    old, new = ([number for number, _ in find_code_lines(source)] for source in (before, after))
    return [
        Hunk(tuple(old[i1:i2]), tuple(new[j1:j2]), next(iter(new[j2:]), None))
        for tag, i1, i2, j1, j2 in _match_code(before, after).get_opcodes()
        if tag != "equal"
    ]


def _match_code(one: str, other: str) -> difflib.SequenceMatcher[str]:
    first, second = ([text for _, text in find_code_lines(source)] for source in (one, other))
    return difflib.SequenceMatcher(None, first, second, autojunk=False)


@lru_cache(maxsize=64)
def find_code_lines(source: str) -> tuple[tuple[int, str], ...]:
    """(number from 1, text without comment) of each line of code. The module docstring is left out."""
    comment_at, begin = find_comments(source), find_docstring_end(source)
    lines = (
        (number, line[: len(line) - len(comment_at.get(number, ""))].rstrip())
        for number, line in enumerate(source.split("\n"), 1)
        if number > begin
    )
    return tuple((number, line) for number, line in lines if line)


@lru_cache(maxsize=64)
def find_comments(source: str) -> dict[int, str]:
    """Line number -> comment. Raises SyntaxError for a text that is not Python."""
    try:
        return {
            token.start[0]: token.string for token in _read_tokens(source) if token.type == tokenize.COMMENT
        }
    except tokenize.TokenError as error:
        raise SyntaxError(str(error)) from None


def _read_tokens(source: str) -> Iterator[tokenize.TokenInfo]:
    return tokenize.generate_tokens(io.StringIO(source).readline)


def find_marked_lines(source: str, mark: str) -> set[int]:
    """The lines of code with this mark ("# BUG" or "# FIX") beside them or in the line above."""
    code = [number for number, _ in find_code_lines(source)]
    return {
        next((number for number in code if number >= line), line)
        for line, comment in find_comments(source).items()
        if comment.startswith(mark)
    }
