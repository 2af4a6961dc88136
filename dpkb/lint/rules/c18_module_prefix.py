"""C18: prefixes of parameter names, and strict=False, which hides that no name matches."""

import ast
import re

from dpkb.lint.edits import replace
from dpkb.lint.nodes import as_constant, find_argument, find_receiver, text_of
from dpkb.lint.source_file import Certainty, Edit, Findings, SourceFile

LOOKS_FOR = 'key.lstrip("module."), key.replace("module.", ""), strict=False whose result nothing reads.'

_PREFIXES = ("module.", "_orig_mod.", "model.")
_PREFIX = re.compile(r"_?[a-z]{3,}[a-z0-9_.]*\.")  # backbone., encoder.layers.


def check(file: SourceFile) -> Findings:
    yield from _find_removed_prefixes(file)
    yield from _find_ignored_results(file)


def _find_removed_prefixes(file: SourceFile) -> Findings:
    """key.lstrip("module.") and key.replace("module.", "")."""
    has_weights = file.tree.mentions(file.tree.root, "state_dict", "load_state_dict")
    for call in file.scopes.method_calls("lstrip", "strip", "replace"):
        text = file.values.constant(call.args[0]) if call.args else None
        if not isinstance(text, str):
            continue
        is_strip = call.func.attr in ("lstrip", "strip")
        if text in _PREFIXES or (is_strip and _PREFIX.fullmatch(text) and has_weights):
            damage = (
                '"model" becomes ""' if set("model") <= set(text) else f'"{text[0]}" is cut from other names'
            )
            message = f'`replace("{text}", "")` removes the text anywhere in the name, not only at its start'
            if is_strip:
                message = (
                    f'`{call.func.attr}("{text}")` removes these letters in any order, not the prefix: '
                    f"{damage}"
                )
            elif len(call.args) != 2 or as_constant(call.args[1]) != "":
                continue
            yield file.finding(
                "C18",
                call,
                Certainty.CERTAIN if is_strip else Certainty.HINT,
                message,
                f'`key[len("{text}"):] if key.startswith("{text}") else key`',
                # Unsafe: a name may have the prefix twice, and lstrip() removes both.
                [_cut_prefix(file, call, text) if call.func.attr == "lstrip" else None],
            )


def _find_ignored_results(file: SourceFile) -> Findings:
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


def _cut_prefix(file: SourceFile, call: ast.Call, prefix: str) -> Edit | None:
    """The edit to `(key[7:] if key.startswith("module.") else key)`: Python 3.8 has no removeprefix()."""
    name = text_of(find_receiver(call))
    if not isinstance(find_receiver(call), ast.Name):
        return None
    return replace(file, call, f'({name}[{len(prefix)}:] if {name}.startswith("{prefix}") else {name})')
