"""Scripts changed in every way that dpkb must notice. Pure; `tools.mutate` checks and runs them.

Where the text alone would show a change, it is hidden behind `if sys.argv:`, which is always true.
"""

from __future__ import annotations

import ast
import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass

from dpkb.model import Entry, Outcome, Script
from dpkb.run_records import RunResult
from dpkb.scripts import syntax
from dpkb.scripts.diff import BUG, FIX, Hunk, code_lines, hunks, marked_lines, similarity, unified_diff

KINDS = ("swapped", "FIX removed", "FIX undone", "BUG restored", "work emptied", "never reached",
         "ends early", "false OBSERVED", "another error", "skips")
_WORD = re.compile(r"\w+|\W")


@dataclass(frozen=True)
class Mutant:
    """One script with one change that dpkb must notice."""

    script: Script
    kind: str
    change: str
    source: str
    # The script that shows the opposite, if the mutant comes close to it.
    near: str | None = None

    def changed_lines(self, original: str) -> list[str]:
        """The changed lines, as a diff without its head."""
        lines = unified_diff(original, self.source, context=0)[2:]
        return [line for line in lines if not line.startswith("@@")]


def make_mutants(entry: Entry, script: Script, sources: dict[str, str],
                 seen: dict[str, RunResult]) -> list[Mutant]:
    """Every mutant of a script. sources and seen: script name -> its text, and its result."""
    source = sources[script.name]
    partner = find_opposite(entry, script)
    candidates = [*_fix_mutants(entry, script, sources), *_swap_mutants(script, sources, partner),
                  *_work_mutants(script, source), *_early_end_mutants(script, source),
                  *_observed_mutants(script, source, seen, partner),
                  *_error_mutants(script, source, seen[script.name]), *_skip_mutants(script, source)]
    known = {_program(source)}
    return [mutant for mutant in candidates if _is_new(mutant, known)]


def find_opposite(entry: Entry, script: Script) -> Script:
    """The script of the pair that shows the opposite: the fix of a failure, the failure of a fix."""
    partner = entry.script("broken" if script.shows is Outcome.HEALTHY else "fixed")
    assert partner is not None  # no entry is loaded without its pair
    return partner


def _is_new(mutant: Mutant, known: set[str]) -> bool:
    """Whether a mutant is a program that is not known yet. A swap may differ by its marks alone."""
    try:
        program = _program(mutant.source)
    except SyntaxError:
        return False
    is_swap = mutant.change.endswith(".py")
    if program in known:
        return mutant.kind == "swapped" and is_swap
    if not is_swap:
        known.add(program)
    return True


def _program(source: str) -> str:
    """The code of a script, without its docstring and its comments."""
    return "\n".join(ast.dump(statement) for statement in ast.parse(source).body[1:])


# -- the pair -----------------------------------------------------------------------------------


def _swap_mutants(script: Script, sources: dict[str, str], partner: Script) -> Iterator[Mutant]:
    other = sources[partner.name]
    yield Mutant(script, "swapped", f"the text of {partner.name}.py", other, partner.name)
    marks = (FIX, BUG) if partner.shows is Outcome.HEALTHY else (BUG, FIX)
    yield Mutant(script, "swapped", f"the text of {partner.name}.py, marked as if it were its own",
                 other.replace(*marks), partner.name)


def _fix_mutants(entry: Entry, script: Script, sources: dict[str, str]) -> Iterator[Mutant]:
    """A healthy script without its fix.

    Lines that replace others are put back as the failure has them: without either there may be nothing left
    that could fail. Lines that the failure does not have are taken out. An alternative fix may leave a
    faulty line harmless, so only fixed.py gets its `# BUG:` lines back.
    """
    if script.shows is not Outcome.HEALTHY:
        return
    source = sources[script.name]
    failures = [s.name for s in entry.scripts if s.shows is not Outcome.HEALTHY]
    # fixed.py has a pair. The failure of another fix is the one that it is most like.
    near = "broken" if script.name == "fixed" else max(
        failures, key=lambda name: similarity(sources[name], source))
    failure = sources[near]
    fixes, bugs = marked_lines(source, FIX), marked_lines(failure, BUG)
    differing = hunks(failure, source)
    replaced = {line for hunk in differing if hunk.before for line in hunk.after}
    # A line that was moved belongs where it was: to take it out undoes something else.
    old, new = (dict(code_lines(text)) for text in (failure, source))
    taken_out = {old[line] for hunk in differing for line in hunk.before}
    moved = {line for line, text in new.items() if text in taken_out}
    for line in sorted(fixes - replaced - moved):
        yield Mutant(script, "FIX removed", f"line {line}", _add_mark(_remove_statement(source, line)), near)
    undoing = []
    for hunk in differing:
        has_fix, has_bug = bool(fixes & {*hunk.after}), bool(bugs & {*hunk.before})
        if not hunk.before or not (has_fix or (has_bug and script.name == "fixed")):
            continue
        undoing.append(hunk)
        kind = "FIX undone" if has_fix else "BUG restored"
        place = f"line {(hunk.after or (hunk.below,))[0]}"
        yield Mutant(script, kind, place, _add_mark(_undo_hunks(source, failure, [hunk])), near)
        for words, text in _undo_parts(source, failure, hunk, fixes):
            yield Mutant(script, kind, f"{place}, {words}", _add_mark(text), near)
    if len(undoing) > 1:
        text = _add_mark(_undo_hunks(source, failure, undoing))
        yield Mutant(script, "FIX undone", "all of it", text, near)


def _undo_hunks(source: str, failure: str, undoing: list[Hunk], keep: frozenset[int] = frozenset()) -> str:
    """The script with these hunks as they are in the failure, and the lines to keep below them."""
    lines, old = source.split("\n"), failure.split("\n")
    for hunk in sorted(undoing, key=_start, reverse=True):
        start = _start(hunk) - 1
        end = hunk.after[-1] if hunk.after else start
        kept = [lines[line - 1] for line in hunk.after if line in keep]
        lines[start:end] = [*old[hunk.before[0] - 1:hunk.before[-1]], *kept]
    return "\n".join(lines)


def _start(hunk: Hunk) -> int:
    return (hunk.after or (hunk.below or sys.maxsize,))[0]


def _undo_parts(source: str, failure: str, hunk: Hunk, fixes: set[int]) -> Iterator[tuple[str, str]]:
    """Only what is marked of a hunk, and only one of the words that a marked line changes."""
    unmarked = {*hunk.after} - fixes
    if len(hunk.before) == len(hunk.after):
        pairs = [pair for pair in zip(hunk.before, hunk.after, strict=True) if pair[1] in fixes]
        hunks = [Hunk((before,), (after,), hunk.below) for before, after in pairs]
        if unmarked:
            yield "the marked lines", _undo_hunks(source, failure, hunks)
        for before, after in pairs:
            old, new = (_WORD.findall(text.split("\n")[line - 1].partition("  # ")[0])
                        for text, line in ((failure, before), (source, after)))
            changed = [n for n, (a, b) in enumerate(zip(old, new, strict=False)) if a != b]
            for n in changed if len(old) == len(new) and len(changed) > 1 else ():
                line = "".join([*new[:n], old[n], *new[n + 1:]])
                yield f"{new[n]} for {old[n]}", _replace_lines(source, after, after, line)
    elif unmarked:
        yield "the marked lines", _undo_hunks(source, failure, [hunk], frozenset(unmarked))


def _add_mark(source: str) -> str:
    """With a mark at its end, so that the mutant is not recognised by a missing mark."""
    return source.rstrip("\n") + f"\n{FIX}: as before\n"


def _remove_statement(source: str, line: int) -> str:
    """The script without the innermost statement that includes this line."""
    around = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.stmt)
              and _first_line(node) <= line <= _last_line(node)]
    if not around:
        return source
    node = min(around, key=lambda node: (_last_line(node) - _first_line(node), -node.col_offset))
    return _replace_lines(source, _first_line(node), _last_line(node), " " * node.col_offset + "pass")


def _first_line(node: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])


def _last_line(node: ast.stmt | ast.expr) -> int:
    return node.end_lineno or node.lineno


# -- the work -----------------------------------------------------------------------------------


def _work_mutants(script: Script, source: str) -> Iterator[Mutant]:
    """A healthy script that does nothing, or less; and one that would notice if it did nothing already."""
    if script.shows is not Outcome.HEALTHY:
        return
    yield Mutant(script, "work emptied", "every loop", _empty_loops(source))
    for node in ast.walk(ast.parse(source)):
        for place in _places_inside(node):
            yield Mutant(script, "never reached", f"line {place.lineno}", _insert_exit(source, place))


def _empty_loops(source: str) -> str:
    """The script with no round in any loop, and nothing in any comprehension."""
    tree = ast.parse(source)
    ending = [node for statement in syntax.experiment(tree)[-2:] for node in ast.walk(statement)]
    rounds = [(node.iter, "()") for node in ast.walk(tree) if isinstance(node, (ast.For, ast.comprehension))]
    rounds += [(node.test, "False") for node in ast.walk(tree) if isinstance(node, ast.While)]
    inner = {id(node) for expression, _ in rounds for node in ast.walk(expression) if node is not expression}
    for expression, text in sorted(rounds, key=lambda one: (-one[0].lineno, -one[0].col_offset)):
        if expression not in ending and id(expression) not in inner:
            source = _replace_expression(source, expression, text)
    return source


def _places_inside(node: ast.AST) -> list[ast.stmt] | list[ast.expr]:
    """What runs inside a loop or a function: its first and its last statement."""
    if isinstance(node, (ast.For, ast.While, ast.FunctionDef, ast.AsyncFunctionDef)):
        has_text = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and ast.get_docstring(node)
        body = node.body[1:] if has_text else node.body
        return list(dict.fromkeys(body[:1] + body[-1:]))
    if isinstance(node, ast.DictComp):
        return [node.value]
    return [node.elt] if isinstance(node, (ast.ListComp, ast.SetComp, ast.GeneratorExp)) else []


def _insert_exit(source: str, place: ast.stmt | ast.expr) -> str:
    """The script that ends at once when it comes to this place, with a code that is no result."""
    end = "__import__('os')._exit(3)"
    if isinstance(place, ast.expr):
        return _replace_expression(source, place, end)
    line = source.split("\n")[place.lineno - 1].encode()
    before, after = line[:place.col_offset].decode(), line[place.col_offset:].decode()
    if before.strip():  # `for x in xs: work(x)`
        return _replace_lines(source, place.lineno, place.lineno, f"{before}{end}; {after}")
    return _insert_lines(source, place, (end,))


# -- the run ------------------------------------------------------------------------------------


def _early_end_mutants(script: Script, source: str) -> Iterator[Mutant]:
    for code in (0, 1):
        text = _insert_before_work(source, f"sys.exit({code})")
        yield Mutant(script, "ends early", f"with code {code}", text)


def _observed_mutants(script: Script, source: str, seen: dict[str, RunResult],
                    partner: Script) -> Iterator[Mutant]:
    """A verdict or a number that did not come from the work, and a line that reports the opposite."""
    healthy = script.shows is Outcome.HEALTHY
    own = seen[script.name].observed or {}
    assignment, _, _ = _ending(source)
    verdict = assignment.value  # type: ignore[attr-defined]
    text = _replace_expression(source, verdict, str(healthy))
    yield Mutant(script, "false OBSERVED", "healthy is written", text)
    yield Mutant(script, "false OBSERVED", "the work left out", _keep_only_the_ending(source, own, healthy))
    for name, value in _observed_values(source):
        other = _change_value(own.get(name, 12344))
        text = _replace_expression(source, value, repr(other))
        yield Mutant(script, "false OBSERVED", f"{name} is {other!r}", text)
    opposite_line = {**(seen[partner.name].observed or {}), "healthy": not healthy}
    line = f'print("OBSERVED", {json.dumps(opposite_line)!r})'
    text = _insert_before_work(source, "if sys.argv:", f"    {line}", f"    sys.exit({int(healthy)})")
    yield Mutant(script, "false OBSERVED", f"the line of {partner.name}.py, hidden", text)


def _observed_values(source: str) -> Iterator[tuple[str, ast.expr]]:
    """The names and values of the OBSERVED line, except the verdict."""
    line = _ending(source)[1]
    values = next(node for node in ast.walk(line) if isinstance(node, ast.Dict))
    for key, value in zip(values.keys, values.values, strict=True):
        if isinstance(key, ast.Constant) and key.value != "healthy":
            yield str(key.value), value


def _change_value(value: object) -> object:
    """Another value of the same shape."""
    if isinstance(value, bool) or value is None:
        return not value
    if isinstance(value, (int, float)):
        return value + 1
    if isinstance(value, str):
        return value + " not"
    if isinstance(value, list):
        return [_change_value(item) for item in value] or [1]
    return {key: _change_value(item) for key, item in value.items()} if isinstance(value, dict) else 1


def _error_mutants(script: Script, source: str, seen: RunResult) -> Iterator[Mutant]:
    text = _insert_before_work(source, 'raise RuntimeError("another error")')
    yield Mutant(script, "another error", "RuntimeError", text)
    named = re.search(r"([A-Za-z_][\w.]*(?:Error|Exception|Exit|Interrupt))\b(?=:|$)", seen.seen)
    if script.shows is Outcome.RAISED and named:
        module, _, name = named.group(1).rpartition(".")
        kind = f"type({name!r}, (Exception,), {{'__module__': {module or 'builtins'!r}}})"
        text = _insert_before_work(source, f'raise {kind}("another error")')
        yield Mutant(script, "another error", named.group(1), text)


def _skip_mutants(script: Script, source: str) -> Iterator[Mutant]:
    reason, leave = 'print("SKIPPED numpy is not installed")', "sys.exit(77)"
    yield Mutant(script, "skips", "always", _insert_before_work(source, reason, leave))
    yield Mutant(script, "skips", "without a reason", _insert_before_work(source, leave))
    text = _insert_before_work(source, "if sys.argv:", f"    {reason}", f"    {leave}")
    yield Mutant(script, "skips", "although nothing is missing", text)


# -- changing text ------------------------------------------------------------------------------


def _ending(source: str) -> list[ast.stmt]:
    """The last three statements: the verdict, the OBSERVED line, the exit."""
    return syntax.experiment(ast.parse(source))[-3:]


def _insert_before_work(source: str, *lines: str) -> str:
    """With these lines before the first statement that does anything, also if it is above the main guard."""
    statements = ast.parse(source).body
    begin = next((n for n, s in enumerate(statements, 1) if isinstance(s, ast.Import)
                  and "sys" in [alias.name for alias in s.names]), 0)
    passed_over = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef, ast.Try)
    return _insert_lines(source, next(s for s in statements[begin:] if not isinstance(s, passed_over)), lines)


def _insert_lines(source: str, before: ast.stmt, lines: tuple[str, ...]) -> str:
    first = _first_line(before)
    return _replace_lines(source, first, first - 1, *(" " * before.col_offset + line for line in lines))


def _replace_lines(source: str, first: int, last: int, *lines: str) -> str:
    """With these lines in the place of those from first to last, counted from 1."""
    text = source.split("\n")
    text[first - 1:last] = lines
    return "\n".join(text)


def _keep_only_the_ending(source: str, own: dict[str, object], healthy: bool) -> str:
    """Only the last three statements, with the names in them assigned by hand."""
    tree = ast.parse(source)
    statements = syntax.experiment(tree)
    read = set().union(*map(syntax.names_in, statements[-3:]))
    assigned = {node.id for s in statements[:-3] for node in ast.walk(s)
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    first = statements[0] if statements is not tree.body else next(
        s for s in statements if not isinstance(s, (ast.Import, ast.ImportFrom, ast.Expr)))
    by_hand = [" " * first.col_offset + f"{name} = {own.get(name, 1)!r}" for name in sorted(read & assigned)]
    return _replace_lines(source, first.lineno, statements[-3].lineno - 1, *by_hand)


def _replace_expression(source: str, node: ast.expr, text: str) -> str:
    """With another text in the place of an expression. Offsets are in bytes of UTF-8."""
    lines = source.encode().split(b"\n")
    before = lines[node.lineno - 1][:node.col_offset]
    after = lines[_last_line(node) - 1][node.end_col_offset:]
    lines[node.lineno - 1:node.end_lineno] = [before + text.encode() + after]
    return b"\n".join(lines).decode()
