"""Two scripts compared: as a diff for a reader, and as changed lines of code for the rules."""

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
_POSITIONS = re.compile(r"@@ -(\d+)(,\d+)? \+(\d+)(,\d+)? @@")


@dataclass(frozen=True)
class Hunk:
    """Lines of code that differ: numbers from 1, of the script before and the script after."""

    before: tuple[int, ...]
    after: tuple[int, ...]
    # The line of code below it in the script after; None at its end.
    below: int | None


def difference(before: str, after: str, before_name: str = "broken.py",
               after_name: str = "fixed.py", context: int = 1) -> list[str]:
    """A unified diff without line ends. Module docstrings do not count: each script describes itself.

    context: how many unchanged lines to show around each change.
    """
    first, second = docstring_end(before), docstring_end(after)
    lines = difflib.unified_diff(before.splitlines()[first:], after.splitlines()[second:],
                                 before_name, after_name, n=context, lineterm="")
    return [_POSITIONS.sub(lambda match: _moved(match, first, second), line)
            if line.startswith("@@") else line for line in lines]


def _moved(match: re.Match[str], before: int, after: int) -> str:
    """The head of a hunk, counted from the first line of the file."""
    first, first_count, second, second_count = match.groups()
    return (f"@@ -{int(first) + before}{first_count or ''} "
            f"+{int(second) + after}{second_count or ''} @@")


def docstring_end(source: str) -> int:
    """The number of lines up to the end of the module docstring; 0 if there is none."""
    try:
        first = next(iter(syntax.tree(source).body), None)
    except SyntaxError:
        return 0
    value = first.value if isinstance(first, ast.Expr) else None
    return value.end_lineno or 0 if isinstance(value, ast.Constant) and isinstance(value.value, str) else 0


def hunks(before: str, after: str) -> list[Hunk]:
    """Where the code of two scripts differs. Comments, blank lines and docstrings do not count."""
    old, new = ([number for number, _ in code_lines(source)] for source in (before, after))
    return [Hunk(tuple(old[i1:i2]), tuple(new[j1:j2]), next(iter(new[j2:]), None))
            for tag, i1, i2, j1, j2 in _matcher(before, after).get_opcodes() if tag != "equal"]


def likeness(one: str, other: str) -> float:
    """How much of the code of two scripts is the same, from 0 to 1."""
    return _matcher(one, other).ratio()


def _matcher(one: str, other: str) -> difflib.SequenceMatcher[str]:
    first, second = ([text for _, text in code_lines(source)] for source in (one, other))
    return difflib.SequenceMatcher(None, first, second, autojunk=False)


@lru_cache(maxsize=64)
def code_lines(source: str) -> tuple[tuple[int, str], ...]:
    """The lines that hold code, with their numbers from 1, without comments and the docstring."""
    comment_at, begin = comments(source), docstring_end(source)
    lines = ((number, line[:len(line) - len(comment_at.get(number, ""))].rstrip())
             for number, line in enumerate(source.split("\n"), 1) if number > begin)
    return tuple((number, line) for number, line in lines if line)


@lru_cache(maxsize=64)
def comments(source: str) -> dict[int, str]:
    """The comment of each line that has one. Raises SyntaxError for a text that is not Python."""
    try:
        return {token.start[0]: token.string for token in _tokens(source) if token.type == tokenize.COMMENT}
    except tokenize.TokenError as error:
        raise SyntaxError(str(error)) from None


def _tokens(source: str) -> Iterator[tokenize.TokenInfo]:
    return tokenize.generate_tokens(io.StringIO(source).readline)


def marked_lines(source: str, mark: str) -> set[int]:
    """The lines of code that a mark is about: the line of the comment, or the next line of code below it."""
    code = [number for number, _ in code_lines(source)]
    return {next((number for number in code if number >= line), line)
            for line, comment in comments(source).items() if comment.startswith(mark)}
