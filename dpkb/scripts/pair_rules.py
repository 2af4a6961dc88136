"""Rules about broken.py and fixed.py side by side: they differ in the fix alone, and marks say where."""

from __future__ import annotations

import ast
from functools import lru_cache

from dpkb.scripts import syntax
from dpkb.scripts.diff import BUG, FIX, Hunk, difference, hunks, marked_lines
from dpkb.scripts.syntax import Problems

MAX_CHANGED = 12
# Statements that need no mark: they decide nothing until a marked line uses them.
_NEED_NO_MARK = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef)


@lru_cache(maxsize=64)
def pair_problems(broken: str, fixed: str) -> tuple[tuple[int | None, str], ...]:
    """The rules that a pair breaks, as lines of fixed.py and messages.

    Empty if a script is not Python: `rules.script_problems` reports that. Cached like it.
    """
    try:
        return tuple(_each_problem(broken, fixed))
    except (SyntaxError, RecursionError):
        return ()


def _each_problem(broken: str, fixed: str) -> Problems:
    differing = hunks(broken, fixed)
    if not differing:
        yield None, "fixed.py is the same as broken.py"
        return
    changes = [line[0] for line in difference(broken, fixed, context=0)[2:]]
    changed = max(changes.count("+"), changes.count("-"))
    if changed > MAX_CHANGED:
        yield None, f"fixed.py changes {changed} lines of broken.py; at most {MAX_CHANGED}"
    yield from _mark_problems(broken, fixed, differing)
    yield from _setting_problems(broken, fixed)
    before, after = (syntax.healthy_expression(syntax.tree(source)) for source in (broken, fixed))
    if before and after and ast.dump(before) != ast.dump(after):
        yield after.lineno, "`healthy` differs from broken.py: one rule judges both"


def _mark_problems(broken: str, fixed: str, differing: list[Hunk]) -> Problems:
    """FIX marks on lines that broken.py has as well, and differences that no mark announces."""
    bugs, fixes = marked_lines(broken, BUG), marked_lines(fixed, FIX)
    # If lines are only removed, a comment in their place marks the line below.
    places = {hunk: {*hunk.after} if hunk.after else {hunk.below} for hunk in differing}
    for line in sorted(fixes.difference(*places.values())):
        yield line, f"a `{FIX}:` on a line that broken.py has as well"
    statements = [node for node in syntax.nodes(syntax.tree(fixed)) if isinstance(node, ast.stmt)]
    for hunk in differing:
        if not (bugs & {*hunk.before} or fixes & places[hunk] or _needs_no_mark(hunk, statements)):
            message = f"differs from broken.py without a `{FIX}:` here or a `{BUG}:` there"
            yield (hunk.after or (hunk.below,))[0], message


def _needs_no_mark(hunk: Hunk, statements: list[ast.stmt]) -> bool:
    """Whether the lines of a hunk are imports, new functions and classes, or words for the reader."""
    if not hunk.after:
        return False
    whole = [s for s in statements if s.lineno in hunk.after
             and (isinstance(s, _NEED_NO_MARK) or syntax.called(s) == "print")]
    return {line for s in whole for line in range(s.lineno, (s.end_lineno or 0) + 1)} >= {*hunk.after}


def _setting_problems(broken: str, fixed: str) -> Problems:
    """Settings of the module that are not the same in both, and not marked."""
    before, after = (syntax.literals(syntax.tree(source).body) for source in (broken, fixed))
    fixes = marked_lines(fixed, FIX)
    for name in before.keys() & after.keys():
        one, other = before[name], after[name]
        if name.islower() and ast.dump(one.value) != ast.dump(other.value) and other.lineno not in fixes:
            yield other.lineno, f"the setting `{name}` differs from broken.py and has no `{FIX}:`"
