"""Rules against a fix that makes the result healthy and leaves the failure as it was.

Such a fix changes a seed, the data, a rate, the number of steps or the measurement. A setting may be the fix,
but then the claim of fixed.py says so. What only a run shows is found by `python -m tools.mutate`.
"""

from __future__ import annotations

import ast
import difflib
import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from dpkb.model import Entry, Outcome
from dpkb.scripts import syntax
from dpkb.scripts.diff import FIX, find_hunks, find_marked_lines
from dpkb.scripts.syntax import Problems

# Functions that create data from numbers.
_SOURCES = frozenset(
    """
    arange empty eye full linspace normal ones rand randint randn random randperm uniform zeros
""".split()
)
# Functions that pass their arguments on to what their result is used for, as in `for step in range(9)`.
_TRANSPARENT = frozenset(["float", "int", "list", "range", "tuple"])
# Words of a measurement: the other words of a statement say what is measured.
_MEASURES = frozenset(
    """
    * / // [-:-] [-:] [:-] [:] Counter Subset abs abs_tol all allclose any array_equal atol bfloat16 ceil equal
    floor for frozenset half in int isclose islice len list max mean median min nan_to_num nanmean nansum norm
    range round rtol set setdefault sorted std sum trunc tuple unique
""".split()
)
# Without the feature that fails, nothing fails.
_SWITCHES = frozenset("detach eval inference_mode no_grad remove requires_grad requires_grad_".split())
# What is run before it is timed is warm.
_CLOCK = re.compile(r"\b(monotonic|perf_counter|process_time|thread_time|time)\(\)")
# `errors = 0`, `errors = errors[1:]`, `errors[errors > 9] = 0`, `errors.clear()`
_SETS = re.compile(r" *(\w+)(?:\[.*\])?(?: = (.+)|\.(?:clear|fill_|pop|reset|zero_)\(.*\))")
# Claims say "fewer workers" without their number.
_COMPARED = "another|both|fewer|higher|larger|less|longer|lower|more|no|shorter|smaller|without"
# How similar a misspelt name is to the right one, as difflib measures it.
_SIMILAR = 0.75

# (line, column) -> the changed statement that begins there
_Statements = dict[tuple[int, int], str]


class _Literal(NamedTuple):
    """A number, a text, a list or data in a script."""

    # What it is the value of: a variable, a parameter or a function.
    place: str
    value: str
    # The function that gets it; empty if none does.
    function: str
    line: int


def find_fix_problems(broken: str, fixed: str, entry: Entry) -> list[tuple[int | None, str]]:
    """Every change of a pair that makes a result healthy without a fix, as lines of fixed.py and messages.

    Empty if a script is not Python, which `rules.find_script_problems` reports.
    """
    try:
        return [*dict.fromkeys(_find_each_problem(broken, fixed, entry))]
    except (SyntaxError, RecursionError):
        return []


def _find_each_problem(broken: str, fixed: str, entry: Entry) -> Problems:
    before, after = syntax.parse_script(broken), syntax.parse_script(fixed)
    hunks = find_hunks(broken, fixed)
    changed = {line for hunk in hunks for line in hunk.after}
    old = _list_statements(before, {line for hunk in hunks for line in hunk.before})
    new = _list_statements(after, changed)
    yield from _find_changed_settings(before, after, changed, entry)
    yield from _find_switches(old, new, find_marked_lines(fixed, FIX), _read_texts(entry))
    yield from _find_changed_measurements(before, after, old, new)
    failure = entry.find_script("broken")
    if failure and failure.shows is Outcome.RAISED:
        claim = getattr(entry.find_script("fixed"), "claim", "")
        yield from _find_corrected_names(before, after, old, new, claim)


def _list_statements(module: ast.Module, lines: set[int]) -> _Statements:
    """The statements that begin in these lines, with their indentation and without their bodies."""
    return {
        (node.lineno, node.col_offset): " " * node.col_offset + ast.unparse(node).partition("\n")[0]
        for node in syntax.list_nodes(module)
        if isinstance(node, ast.stmt) and node.lineno in lines and not isinstance(node, ast.ImportFrom)
    }


# -- settings -----------------------------------------------------------------------------------


def _find_changed_settings(
    before: ast.Module, after: ast.Module, changed: set[int], entry: Entry
) -> Problems:
    """Numbers, texts and data that are not the same in both scripts, and that no claim names."""
    old, new = (list(_list_literals(tree)) for tree in (before, after))
    before_counts, after_counts = (Counter((each.place, each.value) for each in side) for side in (old, new))
    only_before, only_after = before_counts - after_counts, after_counts - before_counts
    # Classes such as Linear are told apart by their arguments alone.
    replaced = {place for place, _ in only_before} | {each.place for each in old if each.place[0].isupper()}
    # A call that both scripts make has an argument more in fixed.py.
    calls = [Counter(ast.unparse(call.func) for call in _list_calls(tree)) for tree in (before, after)]
    for place, value, function, line in new:
        is_added = calls[0][function] == calls[1][function] > 0
        is_new = line in changed and (place, value) in only_after and (place in replaced or is_added)
        if is_new and not _is_named(place, value, entry):
            yield (
                line,
                f"`{place}` differs from broken.py: keep data, seeds and settings; if it is the fix, "
                "name it and its value in the claim of fixed.py",
            )


def _list_calls(module: ast.Module) -> list[ast.Call]:
    return [node for node in syntax.list_nodes(module) if isinstance(node, ast.Call)]


def _list_literals(module: ast.Module) -> Iterator[_Literal]:
    nodes = syntax.list_nodes(module)
    parents = {child: node for node in nodes for child in ast.iter_child_nodes(node)}
    for node in nodes:
        if isinstance(node, ast.expr) and (syntax.is_literal(node) or _is_data(node)):
            place, function = _find_place(node, parents)
            text = ast.unparse(node)
            # Docstrings and what is printed are for the reader; a text of several lines is a program.
            if place not in ("", "print") and not isinstance(parents[node], ast.Expr) and "\\n" not in text:
                yield _Literal(place, text, function, node.lineno)


def _is_data(node: ast.AST) -> bool:
    """Whether a call creates data from nothing but literals and settings."""
    inner = [child for child in ast.walk(node) if isinstance(child, (ast.Call, ast.Subscript))]
    return inner == [node] and isinstance(node, ast.Call) and _find_last_name(node.func) in _SOURCES


def _find_last_name(node: ast.AST) -> str:
    return str(getattr(node, "attr", getattr(node, "id", "")))


def _find_place(node: ast.AST, parents: dict[ast.AST, ast.AST]) -> tuple[str, str]:
    """What a literal is the value of, and the function that gets it; empty if there is none."""
    inner = node
    while parent := parents.get(inner):
        match parent:
            case ast.keyword(arg=str(name)):
                call = parents[parent]
                return name, ast.unparse(call.func) if isinstance(call, ast.Call) else ""
            case ast.Call(func=function) if _find_last_name(function) not in _TRANSPARENT:
                return _find_last_name(function), ast.unparse(function)
            case ast.Assign(targets=[target, *_]):
                return ast.unparse(target), ""
            case ast.AugAssign(target=target) | ast.For(target=target) | ast.comprehension(target=target):
                return ast.unparse(target), ""
            case ast.arguments(posonlyargs=first, args=args, defaults=values) if inner in values:
                return [*first, *args][values.index(inner) - len(values)].arg, ""
            case ast.Compare():
                return ", ".join(sorted(syntax.find_names(parent))), ""
            case ast.FunctionDef(name=name):
                return name, ""
        inner = parent
    return "", ""


def _is_named(place: str, value: str, entry: Entry) -> bool:
    """Whether an entry says what a setting is: by its name in code, or in the claim of fixed.py by its value."""
    texts, fixed = _read_texts(entry), entry.find_script("fixed")
    words = "|".join(word.rstrip("s") for word in re.findall(r"[A-Za-z]+", place.replace("_", " ")))
    number = re.escape(value)
    said = rf"\b({_COMPARED}|{number})( \w+)? ({words})s?\b|\b({words})s? (of )?{number}\b"
    return bool(
        f"{place}=" in texts
        or ("_" in place and place in texts)
        or (value[0] in "'\"" and re.search(rf"\b{re.escape(value[1:-1])}\b", texts))
        or (fixed and re.search(said, fixed.claim))
    )


def _read_texts(entry: Entry) -> str:
    """What an entry says that it is about."""
    return " ".join(
        [entry.title, entry.summary, *entry.keywords, *(script.claim for script in entry.scripts)]
    )


def _find_switches(old: _Statements, new: _Statements, marked: set[int], texts: str) -> Problems:
    """Words that switch something off, which the fix adds and no text of the entry names."""
    known = {word for text in old.values() for word in re.findall(r"\w+", text)}
    for (line, _), text in new.items():
        added = _SWITCHES.intersection(re.findall(r"\w+", text)) - known if line in marked else ()
        for word in sorted(added):
            if word not in texts:
                yield (
                    line,
                    f"`{word}` switches something off: if it is the fix, name it in the claim of fixed.py",
                )


# -- the measurement ----------------------------------------------------------------------------


def _find_changed_measurements(
    before: ast.Module, after: ast.Module, old: _Statements, new: _Statements
) -> Problems:
    """Statements of fixed.py that measure what broken.py does in another way, elsewhere or again."""
    measured = _find_measured_names(after)
    known = dict(map(_split_words, old.values()))
    calls = {ast.unparse(call) for call in _list_calls(before)}
    timed = calls if any(map(_CLOCK.search, calls)) else set[str]()
    loops = [node.target for node in syntax.list_nodes(after) if isinstance(node, ast.For)]
    counters = set[str]().union(*map(syntax.find_names, loops))
    skipped = re.compile(rf" *if .*\b({'|'.join(counters) or '$'}) [=!<>]+ \d")
    for (line, _), text in new.items():
        value, measures = _split_words(text)
        if text in old.values():
            # A statement that is only moved. Moving what is not measured may be the fix.
            if text.lstrip().partition(" = ")[0] in measured:
                yield line, "measures at another moment than broken.py: measure at the same one"
        elif measures - known.get(value, measures):
            yield line, "measures the same value in another way: measure it as broken.py does"
        elif _sets_result(text, value, measured):
            yield line, "sets what is measured: let the program compute it"
        elif text.strip() == "break" or skipped.match(text):
            yield line, "leaves out a part of the work: do the same as broken.py"
        elif text.strip() in timed:
            yield line, "runs once more what is timed: run it as often in broken.py"


def _find_measured_names(module: ast.Module) -> set[str]:
    """The names in the last three statements of the experiment, and in what is assigned to them."""
    measured = set[str]().union(*map(syntax.find_names, syntax.find_experiment(module)[-3:]))
    assigned = [node for node in syntax.list_nodes(module) if isinstance(node, ast.Assign)]
    return measured.union(
        *(syntax.find_names(node) for node in assigned if syntax.find_names(node.targets[0]) & measured)
    )


def _sets_result(text: str, words: frozenset[str], measured: set[str]) -> bool:
    """Whether a statement clears a measured name, or assigns it a literal or a part of itself."""
    found = _SETS.fullmatch(text)
    return bool(
        found
        and found[1] in measured
        and (not found[2] or words <= {found[1]} or not re.search("[A-Za-z]", found[2]))
    )


def _split_words(statement: str) -> tuple[frozenset[str], Counter[str]]:
    """The words of a statement that say what is measured, and the words, slices and factors that say how."""
    # The value of a number is a setting, and is compared as one.
    words = re.findall(
        r"[A-Za-z_]\w*|\[-?:-?\]|//|[*/]", re.sub(r"\b(\d[\w.]*|(torch|np|math)\.)", "", statement)
    )
    items = re.findall(r"\bfor (\w+) in ", statement)
    what = frozenset(word for word in words if word[0].isidentifier() and word not in {*_MEASURES, *items})
    return what, Counter(word for word in words if word in _MEASURES)


# -- the error ----------------------------------------------------------------------------------


def _find_corrected_names(
    before: ast.Module, after: ast.Module, old: _Statements, new: _Statements, claim: str
) -> Problems:
    """Names of broken.py that fixed.py only spells differently, if its claim has no `np.name`."""
    # Without the docstrings.
    source, target = ("\n".join(map(ast.unparse, module.body[1:])) for module in (before, after))
    gone = _find_identifiers(" ".join(old.values())) - _find_identifiers(target)
    added = _find_identifiers(" ".join(new.values())) - _find_identifiers(source)
    for name in sorted(gone):
        for right in difflib.get_close_matches(name, sorted(added), 1, _SIMILAR):
            if f".{right}" not in claim:
                yield (
                    min(new)[0],
                    f"`{right}` is `{name}` in broken.py: a misspelt name is no failure of torch",
                )


def _find_identifiers(code: str) -> set[str]:
    """The names, attributes, keywords and keys in code."""
    return set(re.findall(r"[A-Za-z]\w{3,}", code))
