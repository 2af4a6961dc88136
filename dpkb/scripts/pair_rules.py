"""Rules for broken.py and fixed.py as a pair: they differ only in the fix, and comments mark where."""

from __future__ import annotations

import ast
from functools import lru_cache

from dpkb.scripts import syntax
from dpkb.scripts.diff import BUG, FIX, Hunk, find_hunks, find_marked_lines, render_unified_diff
from dpkb.scripts.syntax import Problems

MAX_CHANGED = 12


@lru_cache(maxsize=64)
def find_pair_problems(broken: str, fixed: str) -> tuple[tuple[int | None, str], ...]:
    """The rules that a pair breaks, as lines of fixed.py and messages.

    Empty if a script is not Python, which `rules.find_script_problems` reports. Cached: `tools.mutate`
    asks many times.
    """
    try:
        return tuple(_find_each_problem(broken, fixed))
    except (SyntaxError, RecursionError):
        return ()


def _find_each_problem(broken: str, fixed: str) -> Problems:
    differing = find_hunks(broken, fixed)
    if not differing:
        yield None, "fixed.py is the same as broken.py: write the fix"
        return
    changes = [line[0] for line in render_unified_diff(broken, fixed, context=0)[2:]]
    changed = max(changes.count("+"), changes.count("-"))
    if changed > MAX_CHANGED:
        yield None, f"fixed.py changes {changed} lines of broken.py, at most {MAX_CHANGED}: shorten the fix"
    yield from _find_mark_problems(broken, fixed, differing)
    before, after = (
        syntax.find_healthy_expression(syntax.parse_script(source)) for source in (broken, fixed)
    )
    if before and after and ast.dump(before) != ast.dump(after):
        yield after.lineno, "`healthy` differs from broken.py: write the same expression in both"


def _find_mark_problems(broken: str, fixed: str, differing: list[Hunk]) -> Problems:
    """FIX marks on lines that are the same in broken.py, and differences without a mark."""
    bugs, fixes = find_marked_lines(broken, BUG), find_marked_lines(fixed, FIX)
    # If the fix only removes lines, its mark is on the next line.
    places = {hunk: {*hunk.after} if hunk.after else {hunk.below} for hunk in differing}
    for line in sorted(fixes.difference(*places.values())):
        yield line, f"a `{FIX}:` on a line that is the same in broken.py: move it to a line that differs"
    idle = syntax.find_idle_lines(syntax.parse_script(fixed), syntax.parse_script(broken))
    for hunk in differing:
        if not (bugs & {*hunk.before} or fixes & places[hunk] or idle.issuperset(hunk.after or [0])):
            message = f"differs from broken.py: add a `{FIX}:` here or a `{BUG}:` there"
            yield (hunk.after or (hunk.below,))[0], message
