"""A script made wrong in every way that must not go unnoticed. Pure; mutate.py runs them.

What a check of the text cannot see is hidden behind `if sys.argv:`, which is always true, so that
the judge has to find it by what the run shows.
"""

from __future__ import annotations

import ast
import io
import json
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

from dpkb import measured, pairs
from dpkb.entry import Entry, Outcome, Result, Script

KINDS = ("swapped", "FIX removed", "FIX undone", "BUG restored", "ends early", "false OBSERVED",
         "another error", "skips")
_FIX, _BUG = "# FIX", "# BUG"


@dataclass(frozen=True)
class Mutant:
    """One script with one change that dpkb must notice."""

    script: Script
    kind: str
    what: str
    source: str
    # The script that shows the opposite, where the mutant comes close to it.
    near: str | None = None

    def changes(self, original: str) -> list[str]:
        """The changed lines, as a diff without its head."""
        return [line for line in pairs.difference(original, self.source, context=0)[2:]
                if not line.startswith("@@")]


def mutants(entry: Entry, script: Script, sources: dict[str, str], seen: dict[str, Result]) -> list[Mutant]:
    """Every mutant of a script. sources and seen: the texts of the entry's scripts, and what each showed."""
    source = sources[script.name]
    partner = opposite(entry, script)
    made = [*_without_its_fix(entry, script, sources), *_swapped(script, sources, partner),
            *_ends_early(script, source), *_lies(script, source, seen, partner),
            *_fails_otherwise(script, source, seen[script.name]), *_skips(script, source)]
    known = {_program(source)}
    return [mutant for mutant in made if _is_new(mutant, known)]


def opposite(entry: Entry, script: Script) -> Script:
    """The script of the pair that shows the opposite: the fix of a failure, the failure of a fix."""
    return entry.script("broken" if script.shows is Outcome.HEALTHY else "fixed")


def _is_new(mutant: Mutant, known: set[str]) -> bool:
    """Whether a mutant is a program, and another one than those before. A swap is one by its marks, too."""
    try:
        program = _program(mutant.source)
    except SyntaxError:
        return False
    if program in known:
        return mutant.kind == "swapped" and mutant.what.endswith(".py")
    if not mutant.what.endswith(".py"):
        known.add(program)
    return True


def _program(source: str) -> str:
    """What a script does, without its docstring and its comments."""
    tree = ast.parse(source)
    return "\n".join(ast.dump(statement) for statement in tree.body[1:])


# -- the pair -----------------------------------------------------------------------------------


def _swapped(script: Script, sources: dict[str, str], partner: Script) -> Iterator[Mutant]:
    other = sources[partner.name]
    yield Mutant(script, "swapped", f"the text of {partner.name}.py", other, partner.name)
    marks = (_FIX, _BUG) if partner.shows is Outcome.HEALTHY else (_BUG, _FIX)
    yield Mutant(script, "swapped", f"the text of {partner.name}.py, marked as if it were its own",
                 other.replace(*marks), partner.name)


def _without_its_fix(entry: Entry, script: Script, sources: dict[str, str]) -> Iterator[Mutant]:
    """A healthy script without what mends it.

    A line that stands in the place of another is put back as the failure has it: without either line
    there may be nothing left that could fail. What the failure has no line for is taken out. An
    alternative fix may leave a faulty line harmless, so only the pair gets its `# BUG:` lines back.
    """
    if script.shows is not Outcome.HEALTHY:
        return
    source = sources[script.name]
    failures = [s.name for s in entry.scripts if s.shows is not Outcome.HEALTHY]
    near = max(failures, key=lambda name: _likeness(sources[name], source))
    hunks = list(_hunks(sources[near], source))
    replaced = {line for hunk in hunks if hunk.before for line in range(hunk.start + 1, hunk.end + 1)}
    for line in sorted(set(_marks(source, _FIX)) - replaced):
        yield Mutant(script, "FIX removed", f"line {line}", _marked(_without_statement(source, line)), near)
    fixing = [hunk for hunk in hunks if hunk.before
              and (hunk.has_fix or (hunk.has_bug and script.name == "fixed"))]
    for hunk in fixing:
        kind = "FIX undone" if hunk.has_fix else "BUG restored"
        yield Mutant(script, kind, f"line {hunk.start + 1}", _marked(_undone(source, [hunk])), near)
    if len(fixing) > 1:
        yield Mutant(script, "FIX undone", "all of it", _marked(_undone(source, fixing)), near)


@dataclass(frozen=True)
class _Hunk:
    """Lines start to end (from 0) of a script, which read `before` in the failure."""

    start: int
    end: int
    before: tuple[str, ...]
    has_fix: bool
    has_bug: bool


def _hunks(failure: str, source: str) -> Iterator[_Hunk]:
    """Where a script's code differs from that of the failure. Comments do not count."""
    old, new = _code(failure), _code(source)
    old_lines = failure.split("\n")
    bugs, fixes = _marks(failure, _BUG), _marks(source, _FIX)
    matcher = SequenceMatcher(None, [t for _, t in old], [t for _, t in new], autojunk=False)
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        if tag == "equal":
            continue
        start = new[j1][0] if j1 < len(new) else len(source.split("\n"))
        end = new[j2 - 1][0] + 1 if j2 > j1 else start
        before = old_lines[old[i1][0]:old[i2 - 1][0] + 1] if i2 > i1 else []
        yield _Hunk(start, end, tuple(before),
                    any(line - 1 in {n for n, _ in new[j1:j2]} for line in fixes),
                    any(line - 1 in {n for n, _ in old[i1:i2]} for line in bugs))


def _undone(source: str, hunks: list[_Hunk]) -> str:
    lines = source.split("\n")
    for hunk in sorted(hunks, key=lambda hunk: -hunk.start):
        lines[hunk.start:hunk.end] = hunk.before
    return "\n".join(lines)


def _likeness(one: str, other: str) -> float:
    return SequenceMatcher(None, [t for _, t in _code(one)], [t for _, t in _code(other)],
                           autojunk=False).ratio()


def _comments(source: str) -> dict[int, tokenize.TokenInfo]:
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    return {token.start[0]: token for token in tokens if token.type == tokenize.COMMENT}


def _code(source: str) -> list[tuple[int, str]]:
    """The lines that hold code, without their comments, each with its number from 0."""
    comments = _comments(source)
    lines = enumerate(source.split("\n"))
    code = [(n, line[:comments[n + 1].start[1]] if n + 1 in comments else line) for n, line in lines]
    return [(number, line.rstrip()) for number, line in code if line.strip()]


def _marks(source: str, mark: str) -> dict[int, str]:
    """The lines (from 1) that a mark is about: its own, or the next line of code below it."""
    code = [number + 1 for number, _ in _code(source)]
    marks = {line: token.string for line, token in _comments(source).items() if token.string.startswith(mark)}
    return {next((number for number in code if number >= line), line): text for line, text in marks.items()}


def _marked(source: str) -> str:
    """With a mark at its end, so that a lost mark is not what gives the mutant away."""
    return source.rstrip("\n") + f"\n{_FIX}: as before\n"


def _without_statement(source: str, line: int) -> str:
    """The script without the innermost statement that this line is a part of."""
    around = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.stmt)
              and _first_line(node) <= line <= node.end_lineno]
    if not around:
        return source
    node = min(around, key=lambda node: (node.end_lineno - _first_line(node), -node.col_offset))
    lines = source.split("\n")
    lines[_first_line(node) - 1:node.end_lineno] = [" " * node.col_offset + "pass"]
    return "\n".join(lines)


def _first_line(node: ast.stmt) -> int:
    return min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))])


# -- the run ------------------------------------------------------------------------------------


def _ends_early(script: Script, source: str) -> Iterator[Mutant]:
    yield Mutant(script, "ends early", "before the work", _before_work(source, "sys.exit(0)"))
    yield Mutant(script, "ends early", "before its OBSERVED line", _before_ending(source, "sys.exit(0)"))
    codes = (0, 1) if script.shows is not Outcome.HEALTHY else (0,)
    for code in codes:
        text = _before_work(source, "if sys.argv:", f"    sys.exit({code})")
        yield Mutant(script, "ends early", f"with code {code}, hidden", text)


def _lies(script: Script, source: str, seen: dict[str, Result], partner: Script) -> Iterator[Mutant]:
    """A verdict or a number that did not come from the work, and a line that says the opposite."""
    healthy = script.shows is Outcome.HEALTHY
    own = seen[script.name].observed or {}
    verdict = measured.work(ast.parse(source))[-3].value
    yield Mutant(script, "false OBSERVED", "healthy is written", _spliced(source, verdict, str(healthy)))
    yield Mutant(script, "false OBSERVED", "the work left out", _without_work(source, own, healthy))
    for name, value in _told(source):
        told = _changed(own.get(name, 12344))
        yield Mutant(script, "false OBSERVED", f"{name} is {told!r}", _spliced(source, value, repr(told)))
    other = {**(seen[partner.name].observed or {}), "healthy": not healthy}
    line = f'print("OBSER" + "VED", {json.dumps(other)!r})'
    yield Mutant(script, "false OBSERVED", "a second line", _before_ending(source, line.replace('" + "', "")))
    text = _before_work(source, "if sys.argv:", f"    {line}", f"    sys.exit({int(healthy)})")
    yield Mutant(script, "false OBSERVED", f"what {partner.name}.py says, hidden", text)


def _told(source: str) -> Iterator[tuple[str, ast.expr]]:
    """The names and values of the OBSERVED line, but for the verdict."""
    line = measured.work(ast.parse(source))[-2]
    told = next(node for node in ast.walk(line) if isinstance(node, ast.Dict))
    for key, value in zip(told.keys, told.values, strict=True):
        if isinstance(key, ast.Constant) and key.value != "healthy":
            yield key.value, value


def _changed(value: Any) -> Any:
    """Another value of the same shape."""
    if isinstance(value, bool) or value is None:
        return not value
    if isinstance(value, (int, float)):
        return value + 1
    if isinstance(value, str):
        return value + " not"
    if isinstance(value, list):
        return [_changed(item) for item in value] or [1]
    return {key: _changed(item) for key, item in value.items()} if isinstance(value, dict) else 1


def _fails_otherwise(script: Script, source: str, seen: Result) -> Iterator[Mutant]:
    error = 'raise RuntimeError("another error")'
    yield Mutant(script, "another error", "before the work", _before_work(source, error))
    yield Mutant(script, "another error", "RuntimeError, hidden",
                 _before_work(source, "if sys.argv:", f"    {error}"))
    named = re.search(r"([A-Za-z_][\w.]*(?:Error|Exception|Exit|Interrupt))\b(?=:|$)", seen.seen)
    if script.shows is Outcome.RAISED and named:
        module, _, name = named.group(1).rpartition(".")
        kind = f"type({name!r}, (Exception,), {{'__module__': {module or 'builtins'!r}}})"
        text = _before_work(source, "if sys.argv:", f'    raise {kind}("another error")')
        yield Mutant(script, "another error", f"{named.group(1)}, hidden", text)


def _skips(script: Script, source: str) -> Iterator[Mutant]:
    said = 'print("SKIPPED numpy is not installed")'
    yield Mutant(script, "skips", "always", _before_work(source, said, "sys.exit(77)"))
    text = _before_work(source, "if sys.argv:", "    sys.exit(77)")
    yield Mutant(script, "skips", "without a reason", text)
    yield Mutant(script, "skips", "where nothing is missing",
                 _before_work(source, "if sys.argv:", f"    {said}", "    sys.exit(77)"))
    text = _before_work(source, "if sys.argv:", f"    {said}", "    sys.exit(70 + 7)")
    yield Mutant(script, "skips", "where nothing is missing, hidden", text)


# -- changing text ------------------------------------------------------------------------------


def _before_work(source: str, *lines: str) -> str:
    """With these lines before the first statement that does anything, be it above the main guard."""
    statements = ast.parse(source).body
    begin = next((n for n, s in enumerate(statements, 1) if isinstance(s, ast.Import)
                  and "sys" in [alias.name for alias in s.names]), 0)
    passed_over = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef, ast.Try)
    return _inserted(source, next(s for s in statements[begin:] if not isinstance(s, passed_over)), lines)


def _before_ending(source: str, *lines: str) -> str:
    return _inserted(source, measured.work(ast.parse(source))[-3], lines)


def _inserted(source: str, before: ast.stmt, lines: tuple[str, ...]) -> str:
    text = source.split("\n")
    text[before.lineno - 1:before.lineno - 1] = [" " * before.col_offset + line for line in lines]
    return "\n".join(text)


def _without_work(source: str, own: dict[str, Any], healthy: bool) -> str:
    """Only the last three statements, and the names in them set by hand."""
    tree = ast.parse(source)
    statements = measured.work(tree)
    named = {node.id for s in statements[-3:] for node in ast.walk(s) if isinstance(node, ast.Name)}
    set_here = {node.id for s in statements[:-3] for node in ast.walk(s)
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    first = statements[0] if statements is not tree.body else next(
        s for s in statements if not isinstance(s, (ast.Import, ast.ImportFrom, ast.Expr)))
    lines = source.split("\n")
    made = [" " * first.col_offset + f"{name} = {own.get(name, 1)!r}" for name in sorted(named & set_here)]
    lines[first.lineno - 1:statements[-3].lineno - 1] = made
    return "\n".join(lines)


def _spliced(source: str, node: ast.expr, text: str) -> str:
    """With another text in the place of an expression. Offsets are in bytes of UTF-8."""
    lines = source.encode().split(b"\n")
    before = lines[node.lineno - 1][:node.col_offset]
    after = lines[node.end_lineno - 1][node.end_col_offset:]
    lines[node.lineno - 1:node.end_lineno] = [before + text.encode() + after]
    return b"\n".join(lines).decode()
