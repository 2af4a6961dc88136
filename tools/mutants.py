"""Changes scripts in every way that dpkb must notice. Pure; `tools.mutate` checks and runs the mutants.

If the text alone would show a change, it is hidden behind `if sys.argv:`, which is always true.
"""

from __future__ import annotations

import ast
import difflib
import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass

from dpkb.model import Entry, Outcome, Script
from dpkb.run_records import RunResult
from dpkb.scripts import syntax
from dpkb.scripts.diff import (
    BUG,
    FIX,
    Hunk,
    find_code_lines,
    find_hunks,
    find_marked_lines,
    render_unified_diff,
)

KINDS = (
    "swapped",
    "FIX removed",
    "FIX undone",
    "BUG restored",
    "work emptied",
    "never reached",
    "ends early",
    "false OBSERVED",
    "another error",
    "skips",
    "other seed",
)
_SEED = re.compile(r"seed|default_rng|RandomState|random\.Random$", re.IGNORECASE)
# Every later call of this function gets another seed, also one that is computed.
_SEEDING = (("random", "seed"), ("torch", "manual_seed"))
_OTHER_SEED = "setattr(__import__('{0}'), '{1}', lambda s=0, f=__import__('{0}').{1}: f(s + {2}))"
# A number is one word.
_WORD = re.compile(r"\d[\w.]*|\w+|\W")


@dataclass(frozen=True)
class Mutant:
    """One script with one change that dpkb must notice."""

    script: Script
    kind: str
    change: str
    source: str
    # The name of a script that shows the opposite, if the mutant becomes similar to it.
    opposite: str | None = None

    def changed_lines(self, original: str) -> list[str]:
        """The changed lines, as a diff without its head."""
        lines = render_unified_diff(original, self.source, context=0)[2:]
        return [line for line in lines if not line.startswith("@@")]


def make_mutants(
    entry: Entry, script: Script, sources: dict[str, str], results: dict[str, RunResult]
) -> list[Mutant]:
    """Every mutant of a script. sources, results: the text and the result of each script, by name."""
    source = sources[script.name]
    partner = find_opposite(entry, script)
    other = sources[partner.name]
    # Always tried: a pair may differ by its marks alone.
    swap = Mutant(script, "swapped", f"the text of {partner.name}.py", other, partner.name)
    candidates = [
        *_make_fix_mutants(entry, script, sources),
        _make_marked_swap(script, other, partner),
        *_make_work_mutants(script, source),
        *_make_early_end_mutants(script, source),
        *_make_observed_mutants(script, source, results, partner),
        *_make_error_mutants(script, source, results[script.name]),
        *_make_skip_mutants(script, source),
        *_make_seed_mutants(script, source),
    ]
    known = {_dump_code(source)}
    return [swap, *(mutant for mutant in candidates if _is_new(mutant, known))]


def find_opposite(entry: Entry, script: Script) -> Script:
    """The script of the pair that shows the opposite: the fix of a failure, the failure of a fix."""
    partner = entry.find_script("broken" if script.shows is Outcome.HEALTHY else "fixed")
    assert partner is not None  # no entry is loaded without its pair
    return partner


def _is_new(mutant: Mutant, known: set[str]) -> bool:
    """Whether a mutant is a program that is not known yet, and add it to those that are known."""
    try:
        program = _dump_code(mutant.source)
    except SyntaxError:
        return False
    if program in known:
        return False
    known.add(program)
    return True


def _dump_code(source: str) -> str:
    """The code of a script, without its docstring and its comments."""
    return "\n".join(ast.dump(statement) for statement in ast.parse(source).body[1:])


# -- the pair -----------------------------------------------------------------------------------


def _measure_similarity(one: str, other: str) -> float:
    """The share of equal lines in the code of two scripts, from 0 to 1."""
    first, second = ([text for _, text in find_code_lines(source)] for source in (one, other))
    return difflib.SequenceMatcher(None, first, second, autojunk=False).ratio()


def _make_marked_swap(script: Script, other: str, partner: Script) -> Mutant:
    marks = (FIX, BUG) if partner.shows is Outcome.HEALTHY else (BUG, FIX)
    return Mutant(
        script,
        "swapped",
        f"the text of {partner.name}.py, marked as if it were its own",
        other.replace(*marks),
        partner.name,
    )


def _make_fix_mutants(entry: Entry, script: Script, sources: dict[str, str]) -> Iterator[Mutant]:
    """Yield a healthy script without its fix.

    If lines of the fix replace others, the mutant has those of the failure: without either, nothing might be
    left that could fail. Lines that the failure does not have are removed. An alternative fix may make a
    faulty line harmless, so only fixed.py gets its `# BUG:` lines back.
    """
    if script.shows is not Outcome.HEALTHY:
        return
    source = sources[script.name]
    failures = [s.name for s in entry.scripts if s.shows is not Outcome.HEALTHY]
    # The failure of fixed.py is broken.py, that of another fix is the failure that is most similar to it.
    opposite = (
        "broken"
        if script.name == "fixed"
        else max(failures, key=lambda name: _measure_similarity(sources[name], source))
    )
    failure = sources[opposite]
    fixes, bugs = find_marked_lines(source, FIX), find_marked_lines(failure, BUG)
    differing = find_hunks(failure, source)
    replaced = {line for hunk in differing if hunk.before for line in hunk.after}
    # A moved line stays: removing it would undo another change.
    old, new = (dict(find_code_lines(text)) for text in (failure, source))
    replaced_texts = {old[line] for hunk in differing for line in hunk.before}
    moved = {line for line, text in new.items() if text in replaced_texts}
    for line in sorted(fixes - replaced - moved):
        text = _add_mark(_remove_statement(source, line))
        yield Mutant(script, "FIX removed", f"line {line}", text, opposite)
    hunks_to_undo = []
    for hunk in differing:
        has_fix, has_bug = bool(fixes & {*hunk.after}), bool(bugs & {*hunk.before})
        if not hunk.before or not (has_fix or (has_bug and script.name == "fixed")):
            continue
        hunks_to_undo.append(hunk)
        kind = "FIX undone" if has_fix else "BUG restored"
        place = f"line {(hunk.after or (hunk.below,))[0]}"
        text = _add_mark(_undo_hunks(source, failure, [hunk]))
        yield Mutant(script, kind, place, text, opposite)
        for words, text in _undo_parts(source, failure, hunk, fixes):
            yield Mutant(script, kind, f"{place}, {words}", _add_mark(text), opposite)
    if len(hunks_to_undo) > 1:
        text = _add_mark(_undo_hunks(source, failure, hunks_to_undo))
        yield Mutant(script, "FIX undone", "all of it", text, opposite)


def _undo_hunks(
    source: str, failure: str, hunks_to_undo: list[Hunk], lines_to_keep: frozenset[int] = frozenset()
) -> str:
    """The script with these hunks as they are in the failure, and the lines to keep below them."""
    lines, old = source.split("\n"), failure.split("\n")
    for hunk in sorted(hunks_to_undo, key=_first_line_of_hunk, reverse=True):
        start = _first_line_of_hunk(hunk) - 1
        end = hunk.after[-1] if hunk.after else start
        kept = [lines[line - 1] for line in hunk.after if line in lines_to_keep]
        lines[start:end] = [*old[hunk.before[0] - 1 : hunk.before[-1]], *kept]
    return "\n".join(lines)


def _first_line_of_hunk(hunk: Hunk) -> int:
    return (hunk.after or (hunk.below or sys.maxsize,))[0]


def _undo_parts(source: str, failure: str, hunk: Hunk, fixes: set[int]) -> Iterator[tuple[str, str]]:
    """Yield the script with only the marked lines of a hunk undone, and with only one word of them."""
    unmarked = {*hunk.after} - fixes
    if len(hunk.before) == len(hunk.after):
        pairs = [pair for pair in zip(hunk.before, hunk.after, strict=True) if pair[1] in fixes]
        marked = [Hunk((before,), (after,), hunk.below) for before, after in pairs]
        if unmarked:
            yield "the marked lines", _undo_hunks(source, failure, marked)
        for before, after in pairs:
            old, new = (
                _WORD.findall(text.split("\n")[line - 1].partition("  # ")[0])
                for text, line in ((failure, before), (source, after))
            )
            codes = difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
            changed = [code[1:] for code in codes if code[0] == "replace"]
            # What the fix adds beside may be good practice, such as `device=x.device`.
            for i1, i2, j1, j2 in changed if sum(code[0] != "equal" for code in codes) > 1 else ():
                line = "".join([*new[:j1], *old[i1:i2], *new[j2:]])
                words = f"{''.join(new[j1:j2])} for {''.join(old[i1:i2])}"
                yield words, _replace_lines(source, after, after, line)
    elif unmarked:
        yield "the marked lines", _undo_hunks(source, failure, [hunk], frozenset(unmarked))


def _add_mark(source: str) -> str:
    """The source with a mark at its end, so that `dpkb check` does not miss the mark of the fix."""
    return source.rstrip("\n") + f"\n{FIX}: as before\n"


def _remove_statement(source: str, line: int) -> str:
    """The script without the innermost statement that includes this line."""
    statements = [
        node
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.stmt) and _first_line(node) <= line <= _last_line(node)
    ]
    if not statements:
        return source
    node = min(statements, key=lambda node: (_last_line(node) - _first_line(node), -node.col_offset))
    return _replace_lines(source, _first_line(node), _last_line(node), " " * node.col_offset + "pass")


def _first_line(node: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])


def _last_line(node: ast.stmt | ast.expr) -> int:
    return node.end_lineno or node.lineno


# -- the work -----------------------------------------------------------------------------------


def _make_work_mutants(script: Script, source: str) -> Iterator[Mutant]:
    """Yield a healthy script that does nothing, and one that ends at each place of its work.

    The second kind is confirmed only if the script never reaches that place.
    """
    if script.shows is not Outcome.HEALTHY:
        return
    yield Mutant(script, "work emptied", "every loop", _empty_loops(source))
    for node in ast.walk(ast.parse(source)):
        for place in _find_places_inside(node):
            yield Mutant(script, "never reached", f"line {place.lineno}", _insert_exit(source, place))


def _empty_loops(source: str) -> str:
    """The script with no round in any loop, and nothing in any comprehension."""
    tree = ast.parse(source)
    ending = [node for statement in syntax.find_experiment(tree)[-2:] for node in ast.walk(statement)]
    rounds = [(node.iter, "()") for node in ast.walk(tree) if isinstance(node, (ast.For, ast.comprehension))]
    rounds += [(node.test, "False") for node in ast.walk(tree) if isinstance(node, ast.While)]
    inner = {id(node) for expression, _ in rounds for node in ast.walk(expression) if node is not expression}
    # From the last to the first, so that the places of the others stay the same.
    for expression, text in sorted(rounds, key=lambda pair: (-pair[0].lineno, -pair[0].col_offset)):
        if expression not in ending and id(expression) not in inner:
            source = _replace_expression(source, expression, text)
    return source


def _find_places_inside(node: ast.AST) -> list[ast.stmt] | list[ast.expr]:
    """The first and the last statement of a loop or a function, or the value of a comprehension."""
    if isinstance(node, (ast.For, ast.While, ast.FunctionDef, ast.AsyncFunctionDef)):
        has_docstring = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and ast.get_docstring(node)
        body = node.body[1:] if has_docstring else node.body
        return list(dict.fromkeys(body[:1] + body[-1:]))
    if isinstance(node, ast.DictComp):
        return [node.value]
    return [node.elt] if isinstance(node, (ast.ListComp, ast.SetComp, ast.GeneratorExp)) else []


def _insert_exit(source: str, place: ast.stmt | ast.expr) -> str:
    """A script that ends at this place with an exit code that is no result."""
    end = "__import__('os')._exit(3)"
    if isinstance(place, ast.expr):
        return _replace_expression(source, place, end)
    line = source.split("\n")[place.lineno - 1].encode()
    before, after = line[: place.col_offset].decode(), line[place.col_offset :].decode()
    if before.strip():  # `for x in xs: work(x)`
        return _replace_lines(source, place.lineno, place.lineno, f"{before}{end}; {after}")
    return _insert_lines(source, place, (end,))


# -- the run ------------------------------------------------------------------------------------


def _make_early_end_mutants(script: Script, source: str) -> Iterator[Mutant]:
    for code in (0, 1):
        text = _insert_before_work(source, f"sys.exit({code})")
        yield Mutant(script, "ends early", f"with code {code}", text)


def _make_observed_mutants(
    script: Script, source: str, results: dict[str, RunResult], partner: Script
) -> Iterator[Mutant]:
    """Yield scripts whose verdict or number is not measured, and one that prints the opposite line."""
    healthy = script.shows is Outcome.HEALTHY
    own = results[script.name].observed or {}
    assignment, _, _ = _find_ending(source)
    verdict = assignment.value  # type: ignore[attr-defined]
    text = _replace_expression(source, verdict, str(healthy))
    yield Mutant(script, "false OBSERVED", "healthy is written", text)
    yield Mutant(script, "false OBSERVED", "the work left out", _keep_only_the_ending(source, own, healthy))
    for name, value in _find_observed_values(source):
        other = _change_value(own.get(name, 12344))
        text = _replace_expression(source, value, repr(other))
        yield Mutant(script, "false OBSERVED", f"{name} is {other!r}", text)
    opposite_line = {**(results[partner.name].observed or {}), "healthy": not healthy}
    line = f'print("OBSERVED", {json.dumps(opposite_line)!r})'
    text = _insert_before_work(source, "if sys.argv:", f"    {line}", f"    sys.exit({int(healthy)})")
    yield Mutant(script, "false OBSERVED", f"the line of {partner.name}.py, hidden", text)


def _find_observed_values(source: str) -> Iterator[tuple[str, ast.expr]]:
    """Yield the names and values of the OBSERVED line, except the verdict."""
    line = _find_ending(source)[1]
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


def _make_error_mutants(script: Script, source: str, result: RunResult) -> Iterator[Mutant]:
    text = _insert_before_work(source, 'raise RuntimeError("another error")')
    yield Mutant(script, "another error", "RuntimeError", text)
    named = re.search(r"([A-Za-z_][\w.]*(?:Error|Exception|Exit|Interrupt))\b(?=:|$)", result.seen)
    if script.shows is Outcome.RAISED and named:
        module, _, name = named.group(1).rpartition(".")
        kind = f"type({name!r}, (Exception,), {{'__module__': {module or 'builtins'!r}}})"
        text = _insert_before_work(source, f'raise {kind}("another error")')
        yield Mutant(script, "another error", named.group(1), text)


def _make_skip_mutants(script: Script, source: str) -> Iterator[Mutant]:
    reason, end = 'print("SKIPPED numpy is not installed")', "sys.exit(77)"
    yield Mutant(script, "skips", "always", _insert_before_work(source, reason, end))
    yield Mutant(script, "skips", "without a reason", _insert_before_work(source, end))
    text = _insert_before_work(source, "if sys.argv:", f"    {reason}", f"    {end}")
    yield Mutant(script, "skips", "although nothing is missing", text)


def _make_seed_mutants(script: Script, source: str) -> Iterator[Mutant]:
    """Yield a script of the pair with other random numbers. It is no mistake: its claim must hold as before."""
    for shift in (1, 2, 3) if script.name in ("broken", "fixed") else ():
        text = source
        # From the last to the first, so that the places of the others stay the same.
        for number in sorted(_find_seeds(source), key=lambda node: (-node.lineno, -node.col_offset)):
            text = _replace_expression(text, number, str(number.value + shift))  # type: ignore[operator]
        lines = [_OTHER_SEED.format(*function, shift) for function in _SEEDING]
        # What the script does not seed is seeded here: the runs of one session start with the same numbers.
        lines += [] if _SEED.search(source) else [f"__import__({m!r}).{name}(0)" for m, name in _SEEDING]
        yield Mutant(script, "other seed", f"plus {shift}", _insert_before_work(text, *lines))


def _find_seeds(source: str) -> Iterator[ast.Constant]:
    """Every number that is a seed, by the name of its function, its keyword or its variable."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            named = [(ast.unparse(node.func), argument) for argument in node.args[:1]]
            named += [(keyword.arg or "", keyword.value) for keyword in node.keywords]
        elif isinstance(node, ast.Assign):
            named = [(ast.unparse(node.targets[0]), node.value)]
        else:
            continue
        for name, value in named:
            if _SEED.search(name) and isinstance(value, ast.Constant) and type(value.value) is int:
                yield value


# -- changing text ------------------------------------------------------------------------------


def _find_ending(source: str) -> list[ast.stmt]:
    """The last three statements: the verdict, the OBSERVED line, the exit."""
    return syntax.find_experiment(ast.parse(source))[-3:]


def _insert_before_work(source: str, *lines: str) -> str:
    """The source with these lines before the first statement that is no import and no definition.

    That statement may be above the main guard.
    """
    statements = ast.parse(source).body
    begin = next(
        (
            n
            for n, s in enumerate(statements, 1)
            if isinstance(s, ast.Import) and "sys" in [alias.name for alias in s.names]
        ),
        0,
    )
    passed_over = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef, ast.Try)
    return _insert_lines(source, next(s for s in statements[begin:] if not isinstance(s, passed_over)), lines)


def _insert_lines(source: str, before: ast.stmt, lines: tuple[str, ...]) -> str:
    first = _first_line(before)
    return _replace_lines(source, first, first - 1, *(" " * before.col_offset + line for line in lines))


def _replace_lines(source: str, first: int, last: int, *lines: str) -> str:
    """The source with these lines instead of the lines from first to last, counted from 1."""
    text = source.split("\n")
    text[first - 1 : last] = lines
    return "\n".join(text)


def _keep_only_the_ending(source: str, own: dict[str, object], healthy: bool) -> str:
    """A script of only the last three statements, with the names in them assigned by hand."""
    tree = ast.parse(source)
    statements = syntax.find_experiment(tree)
    read = set().union(*map(syntax.find_names, statements[-3:]))
    assigned = {
        node.id
        for s in statements[:-3]
        for node in ast.walk(s)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    first = (
        statements[0]
        if statements is not tree.body
        else next(s for s in statements if not isinstance(s, (ast.Import, ast.ImportFrom, ast.Expr)))
    )
    assignments = [
        " " * first.col_offset + f"{name} = {own.get(name, 1)!r}" for name in sorted(read & assigned)
    ]
    return _replace_lines(source, first.lineno, statements[-3].lineno - 1, *assignments)


def _replace_expression(source: str, node: ast.expr, text: str) -> str:
    """The source with another text instead of an expression. Offsets are in bytes of UTF-8."""
    lines = source.encode().split(b"\n")
    before = lines[node.lineno - 1][: node.col_offset]
    after = lines[_last_line(node) - 1][node.end_col_offset :]
    lines[node.lineno - 1 : node.end_lineno] = [before + text.encode() + after]
    return b"\n".join(lines).decode()
