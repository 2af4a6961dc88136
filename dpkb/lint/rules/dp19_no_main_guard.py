"""DP19: workers started while the script is imported."""

import ast
from collections.abc import Iterator

from dpkb.lint.finding import Certainty, Finding
from dpkb.lint.loaders import SPAWNING_METHODS, find_default_start_method, loader_of
from dpkb.lint.nodes import text_of
from dpkb.lint.source_file import SourceFile, once_per_file

LOOKS_FOR = "A loop over a loader with workers at the top level of a script, outside of a main guard."


def check(file: SourceFile) -> Iterator[Finding]:
    if file.source.cell_starts:  # a notebook has no main guard
        return
    default = find_default_start_method(file)
    for iteration in file.tree.iterations:
        loader = loader_of(file, iteration.iter)
        if loader is None or not loader.may_have_workers:
            continue
        if not _runs_on_import(file, iteration):
            continue
        method = loader.start_method or default
        if method == "fork":
            continue
        certain = method in SPAWNING_METHODS
        yield file.finding(
            "DP19",
            iteration.iter,
            Certainty.CERTAIN if certain else Certainty.HINT,
            "a spawned worker imports this script and would run this loop again"
            + ("" if certain else " (macOS, Windows; Linux from Python 3.14 on)"),
            'put it under `if __name__ == "__main__":`',
        )


def _runs_on_import(file: SourceFile, node: ast.AST) -> bool:
    """Whether a node runs when the script is imported: outside of a main guard, or in a function called there."""
    function = file.tree.function_of(node)
    if function is None:
        return not _is_in_main_guard(file, node)
    return any(
        file.tree.function_of(call) is None
        and not _is_in_main_guard(file, call)
        and file.definitions.find_function(call.func) is function
        for call in file.scopes.calls_by_name.get(function.name, ())
    )


def _is_in_main_guard(file: SourceFile, node: ast.AST) -> bool:
    return any(file.tree.is_inside(node, guard) for guard in _main_guards(file))


@once_per_file
def _main_guards(file: SourceFile) -> list[ast.If]:
    return [
        node for node in file.tree.root.body if isinstance(node, ast.If) and "__name__" in text_of(node.test)
    ]
