"""DP19: workers started while the script is imported."""

import ast

from dpkb.lint.loaders import loader_of
from dpkb.lint.nodes import text_of
from dpkb.lint.source_file import Certainty, Findings, SourceFile, once_per_file

LOOKS_FOR = "A loop over a loader with workers at the top level of a script, outside of a main guard."


def check(file: SourceFile) -> Findings:
    if file.source.cell_starts:  # a notebook has no main guard
        return
    for iteration in file.tree.iterations:
        loader = loader_of(file, iteration.iter)
        if (
            loader is not None
            and loader.may_have_workers
            and loader.start_method != "fork"
            and _runs_on_import(file, iteration)
        ):
            yield file.finding(
                "DP19",
                iteration.iter,
                Certainty.CERTAIN if loader.spawns else Certainty.HINT,
                "a spawned worker imports this script and would run this loop again"
                + ("" if loader.spawns else " (macOS, Windows; Linux from Python 3.14 on)"),
                'put it under `if __name__ == "__main__":`',
            )


def _runs_on_import(file: SourceFile, node: ast.AST) -> bool:
    """Whether a node runs when the script is imported: outside of a main guard, or in a function called there."""
    function = file.tree.function_of(node)
    if function is None:
        return not _is_in_main_guard(file, node)
    return any(
        file.tree.function_of(call) is None and not _is_in_main_guard(file, call)
        for call in file.definitions.find_calls_of(function)
    )


def _is_in_main_guard(file: SourceFile, node: ast.AST) -> bool:
    return any(file.tree.is_inside(node, guard) for guard in _main_guards(file))


@once_per_file
def _main_guards(file: SourceFile) -> list[ast.If]:
    return [
        node for node in file.tree.root.body if isinstance(node, ast.If) and "__name__" in text_of(node.test)
    ]
