"""Rules against a fix that makes the result healthy and leaves the failure as it was.

An entry must say what its pair does: its texts name what differs between the scripts, and what `healthy` measures.
Whoever writes such a fix has to write that down too, or notices it. A few changes are wrong whatever the texts say.
What only a run shows is found by `python -m tools.mutate`.
"""

from __future__ import annotations

import ast
import builtins
import difflib
import keyword
import re
from collections import Counter
from collections.abc import Iterator
from itertools import chain

from dpkb.model import Entry
from dpkb.scripts import syntax
from dpkb.scripts.diff import Hunk, find_code_lines, find_hunks
from dpkb.scripts.syntax import Problems

# Not with an escaped line break: such a text is a program.
_TEXT = r"[rfb]?\"[^\"\n\\]*\"|[rfb]?'[^'\n\\]*'"
# A name, which ends in "(" where it is called; a text.
_NAME = re.compile(rf"{_TEXT}|\b(?!True|False|\d)\w+\(?")
# A number or a text, and the setting or function that it is for: `lr=0.1`, `manual_seed(1)`.
_VALUE = re.compile(rf"(?:\b(\w+) ?[=(] ?-?)?((?<![\w.])\d[\w.]*|\b(?:True|False)\b|{_TEXT})")
# Python's own words, and the places and forms of tensors, say nothing about a fix.
_PLAIN = frozenset(
    [*dir(builtins), *keyword.kwlist, *(name for kind in (str, bytes, dict) for name in dir(kind))]
) - {"eval", "True", "False"} | {"device", "dim", "dtype", "shape", "cpu"}
_KEYWORDS = frozenset(keyword.kwlist) - {"None"}
_CLOCKS = frozenset(["monotonic(", "perf_counter(", "process_time(", "thread_time(", "time("])
# Claims say "fewer workers" without their number.
_COMPARED = "another|fewer|higher|larger|less|longer|lower|more|no|shorter|smaller|without"
# An API in a claim: `backward()`, `weight_decay`, `lr=`.
_API = re.compile(r"\b(\w+)(?:\(\)|=)|\b([a-z]+_\w+)")
# How similar a line is to the line that it replaces, as difflib measures it.
_SIMILAR = 0.7
_ENDINGS = re.compile(r"(es|s|ed|ing)$")


class _Code:
    """The lines of code of one script of a pair."""

    def __init__(self, source: str, other: str) -> None:
        self.module = syntax.parse_script(source)
        self.lines = dict(find_code_lines(source))
        self.names = set(_NAME.findall("\n".join(self.lines.values())))
        statements = (node for node in syntax.list_nodes(self.module) if isinstance(node, ast.stmt))
        self.starts = {node.lineno for node in statements}
        self.bare_names = {name.rstrip("(") for name in self.names}
        attributes = [node for node in syntax.list_nodes(self.module) if isinstance(node, ast.Attribute)]
        self.own = syntax.find_defined_names(self.module).union(
            node.attr for node in attributes if isinstance(node.ctx, ast.Store)
        )
        # Texts for the reader, and programs in a text.
        texts = {
            line
            for node in syntax.list_nodes(self.module)
            if (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
            or (isinstance(node, ast.Constant) and "\n" in str(node.value))
            for line in range(node.lineno, (node.end_lineno or 0) + 1)
        }
        self.idle = texts | syntax.find_idle_lines(self.module, syntax.parse_script(other))

    def join(self, lines: tuple[int, ...]) -> str:
        """The code in these lines."""
        return "\n".join(self.lines[line] for line in lines if line not in self.idle)


def find_fix_problems(broken: str, fixed: str, entry: Entry) -> list[tuple[int | None, str]]:
    """Every change of a pair that makes a result healthy without a fix, as lines of fixed.py and messages.

    Empty if a script is not Python, which `rules.find_script_problems` reports.
    """
    try:
        return [*dict.fromkeys(_find_each_problem(broken, fixed, entry))]
    except (SyntaxError, RecursionError):
        return []


def _find_each_problem(broken: str, fixed: str, entry: Entry) -> Problems:
    before, after = _Code(broken, fixed), _Code(fixed, broken)
    claims = [script.claim for script in entry.scripts]
    texts = " ".join([entry.title, entry.summary, *entry.keywords, *claims]).lower().replace("_", " ")
    hunks = find_hunks(broken, fixed)
    for hunk in chain(*(_split_by_line(before, after, hunk) for hunk in hunks)):
        line = (hunk.after or (hunk.below,))[0]
        yield from ((line, message) for message in _find_unnamed_changes(before, after, hunk, texts))
    yield from _find_changed_work(before, after, hunks)
    yield from _find_unnamed_results(after.module, texts)
    yield from _find_absent_names(before, after, entry)


# -- what the texts say -------------------------------------------------------------------------


def _find_unnamed_changes(before: _Code, after: _Code, hunk: Hunk, texts: str) -> Iterator[str]:
    """What differs in one place of the pair, and is not named."""
    old, new = before.join(hunk.before), after.join(hunk.after)
    old_names, new_names = (Counter(_NAME.findall(text)) for text in (old, new))
    old_values, new_values = (Counter(_VALUE.findall(text)) for text in (old, new))
    values = new_values - old_values
    names = {*(new_names - old_names)} - _KEYWORDS or {*(old_names - new_names)} - _KEYWORDS
    numbers = values or old_values - new_values
    if (names or numbers) and not (
        any(_is_named(name, texts) for name in names)
        or any(_is_value_named(place, value, texts) for place, value in numbers)
    ):
        yield "no text of the entry names this change: say in the claim of fixed.py what the fix is"
    if any(new_names[word] > old_names[word] for word in ("break", "return")):
        yield "leaves out a part of the work: do the same as broken.py"
    # A longer fix uses more than its claim can name.
    if len(hunk.after) != max(1, len(hunk.before)):
        return
    added = {name.rstrip("(") for name in new_names - old_names} - before.bare_names - after.own
    gone = {name for name in old_names - new_names if name[-1] == "(" or name not in before.own} - after.names
    for name in sorted(added | gone):
        bare = name.rstrip("(")
        if len(bare) > 1 and bare[-1] not in "\"'" and bare not in _PLAIN and not _is_named(bare, texts):
            one, other = ("fixed.py", "broken.py") if name in added else ("broken.py", "fixed.py")
            yield f"`{bare}` is in {one} and not in {other}: keep it, or name it in the claim of fixed.py"
    for place, value in sorted(values):
        if not _is_value_named(place, value, texts):
            yield (
                f"`{place or value}` differs from broken.py: keep data, seeds and settings; if it is the fix, "
                "name it and its value in the claim of fixed.py"
            )


def _split_by_line(before: _Code, after: _Code, hunk: Hunk) -> Iterator[Hunk]:
    """A change for each line that clearly replaces another, and one for the rest."""
    # Lines of a longer statement belong together.
    has_lines = {*hunk.before} <= before.starts and {*hunk.after} <= after.starts
    for old, new in zip(hunk.before, hunk.after, strict=False) if has_lines else ():
        ratio = difflib.SequenceMatcher(None, before.lines[old], after.lines[new]).ratio()
        if len(hunk.before) != len(hunk.after) and ratio < _SIMILAR:
            break
        yield Hunk((old,), (new,), hunk.below)
        hunk = Hunk(hunk.before[1:], hunk.after[1:], hunk.below)
    yield hunk


def _is_named(name: str, texts: str) -> bool:
    """Whether a word of the texts begins with a name."""
    word = name.split(name[-1])[1] if name[-1] in "\"'" else name.strip("_(")
    word = word.lower().replace("_", " ")
    return len(word) > 1 and bool(re.search(rf"(?<![a-z0-9.]){re.escape(word)}", texts))


def _is_value_named(place: str, value: str, texts: str) -> bool:
    """Whether the texts name a setting together with its value, or by its name in code."""
    setting = place.strip("_").lower().replace("_", " ").rstrip("s")
    number = re.search(rf"(?<![\w.]){re.escape(value.lower())}(?![\w.]*\d)", texts)
    has_value = bool(number) or (value[-1] in "\"'" and _is_named(value, texts))
    if value.strip("\"'") in _PLAIN:
        return True
    if not setting or place in _PLAIN:
        return has_value or place in ("device", "dim", "dtype")
    if not _is_named(setting, texts):
        return value[-1] in "\"'" and has_value
    said = rf"\b({_COMPARED})( \w+)? {setting}|\b{setting}s?="
    return has_value or " " in setting or bool(re.search(said, texts))


def _find_unnamed_results(module: ast.Module, texts: str) -> Problems:
    """A result of which no text says what it is."""
    ending = syntax.find_experiment(module)[-3:-1]
    words = {
        word
        for statement in ending
        for name in _NAME.findall(ast.unparse(statement))
        for word in name.strip("\"'(").split("_")
        if name.strip("(") not in _PLAIN
    } - {"OBSERVED", "healthy", "json", "dumps", "math", "torch"}
    if not any(_ENDINGS.sub("", word.lower())[:6] in texts for word in words if len(word) > 2):
        yield (
            ending[0].lineno if ending else None,
            "no text of the entry names what `healthy` measures: name it in a claim as in OBSERVED",
        )


def _find_absent_names(before: _Code, after: _Code, entry: Entry) -> Problems:
    """An API in the claim of fixed.py that no code uses."""
    code = "\n".join([*before.lines.values(), *after.lines.values()]).lower()
    for names in _API.findall(getattr(entry.find_script("fixed"), "claim", "")):
        for name in filter(None, names):
            if name.lower() not in code:
                yield None, f"the claim names `{name}`, which neither script uses"


# -- what is wrong whatever the texts say -------------------------------------------------------


def _find_changed_work(before: _Code, after: _Code, hunks: list[Hunk]) -> Problems:
    """Statements of fixed.py that measure at another moment, set what is measured, or leave out or repeat work."""
    measured = _find_measured_names(after.module)
    old = [before.lines[line] for hunk in hunks for line in hunk.before]
    all_old = "\n".join(before.lines.values())
    for line in (line for hunk in hunks for line in hunk.after):
        text = after.lines[line].strip()
        names = {name.rstrip("(") for name in _NAME.findall(text)} - _PLAIN
        if after.lines[line] in old:
            # Moving what is not measured may be the fix.
            if text.partition(" = ")[0] in measured:
                yield line, "measures at another moment than broken.py: measure at the same one"
        elif len(names) == 1 and names <= measured and text.startswith(*names) and " += " not in text:
            yield line, "sets what is measured: let the program compute it"
        elif text.endswith(")") and " = " not in text and text in all_old and _CLOCKS & before.names:
            yield line, "runs once more what is timed: run it as often in broken.py"


def _find_measured_names(module: ast.Module) -> set[str]:
    """The names in the last three statements of the experiment, and in what is assigned to them."""
    measured = set[str]().union(*map(syntax.find_names, syntax.find_experiment(module)[-3:]))
    assigned = [node for node in syntax.list_nodes(module) if isinstance(node, ast.Assign)]
    return measured.union(
        *(syntax.find_names(node) for node in assigned if syntax.find_names(node.targets[0]) & measured)
    )
