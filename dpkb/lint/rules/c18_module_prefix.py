"""C18: prefixes of parameter names, and strict=False, which hides that no name matches."""

import ast
import re
from collections.abc import Iterator

from dpkb.lint.edits import replace
from dpkb.lint.finding import Certainty, Edit, Finding
from dpkb.lint.nodes import as_constant, find_argument, find_receiver, text_of
from dpkb.lint.source_file import SourceFile

LOOKS_FOR = 'key.lstrip("module."), key.replace("module.", ""), strict=False whose result nothing reads.'

_PREFIXES = ("module.", "_orig_mod.", "model.")
_PREFIX = re.compile(r"_?[a-z]{3,}[a-z0-9_.]*\.")  # backbone., encoder.layers.


def check(file: SourceFile) -> Iterator[Finding]:
    yield from _find_removed_prefixes(file)
    yield from _find_ignored_results(file)


def _find_removed_prefixes(file: SourceFile) -> Iterator[Finding]:
    """key.lstrip("module.") and key.replace("module.", "")."""
    has_weights = file.tree.mentions(file.tree.root, "state_dict", "load_state_dict")
    for call in file.scopes.method_calls("lstrip", "strip", "replace"):
        text = file.values.constant(call.args[0]) if call.args else None
        if not isinstance(text, str) or not isinstance(call.func, ast.Attribute):
            continue
        is_strip = call.func.attr in ("lstrip", "strip")
        if text not in _PREFIXES and not (is_strip and _PREFIX.fullmatch(text) and has_weights):
            continue
        if is_strip:
            yield file.finding(
                "C18",
                call,
                Certainty.CERTAIN,
                f'`{call.func.attr}("{text}")` removes these letters in any order, not the prefix: '
                f"{_example_of_damage(text)}",
                f'`key[len("{text}"):] if key.startswith("{text}") else key`',
                [_cut_prefix(file, call, text) if call.func.attr == "lstrip" else None],
                # A name may have the prefix twice, and lstrip() removes both.
            )
        elif len(call.args) == 2 and as_constant(call.args[1]) == "":
            yield file.finding(
                "C18",
                call,
                Certainty.HINT,
                f'`replace("{text}", "")` removes the text anywhere in the name, not only at its start',
                f'`key[len("{text}"):] if key.startswith("{text}") else key`',
            )


def _find_ignored_results(file: SourceFile) -> Iterator[Finding]:
    """model.load_state_dict(state, strict=False) as a statement."""
    for call in file.scopes.method_calls("load_state_dict"):
        strict = find_argument(call, "strict", 1)
        if as_constant(strict) is False and isinstance(file.tree.parents.get(call), ast.Expr):
            yield file.finding(
                "C18",
                call,
                Certainty.HINT,
                f"nothing looks at the result of `{text_of(call.func)}(..., strict=False)`: it may load no "
                "weight at all",
                "check `missing_keys` of the result",
            )


def _example_of_damage(prefix: str) -> str:
    """A name from which lstrip() or strip() removes too much."""
    return '"model" becomes ""' if set("model") <= set(prefix) else f'"{prefix[0]}" is cut from other names'


def _cut_prefix(file: SourceFile, call: ast.Call, prefix: str) -> Edit | None:
    """The edit to `(key[7:] if key.startswith("module.") else key)`: Python 3.8 has no removeprefix()."""
    name = text_of(find_receiver(call))
    if not isinstance(find_receiver(call), ast.Name):
        return None
    return replace(file, call, f'({name}[{len(prefix)}:] if {name}.startswith("{prefix}") else {name})')
