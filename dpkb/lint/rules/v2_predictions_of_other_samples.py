"""V2: predictions in the order of a loader that shuffles, and labels in another order."""

import ast
import re

from dpkb.lint.loaders import loader_of
from dpkb.lint.nodes import called_name, find_receiver, group, is_method_call, names_in, text_of
from dpkb.lint.source_file import Certainty, Findings, SourceFile

LOOKS_FOR = (
    "for x, _ in loader with shuffle=True, whose predictions are joined and compared with other labels; "
    "two passes over such a loader, one for predictions and one for labels; a column of a table from read_csv()."
)

_METRIC = re.compile(r"(accuracy|f1|roc_auc|precision|recall)_score|classification_report|confusion_matrix")
_Iteration = ast.For | ast.AsyncFor | ast.comprehension


def check(file: SourceFile) -> Findings:
    passes = group(
        ((file.tree.block_of(node.iter), loader.call), (node, thrown))
        for node in file.tree.iterations
        if (thrown := _find_thrown_item(node.target)) is not None
        and (loader := loader_of(file, node.iter)) is not None
        and loader.flag("shuffle")
    )
    for (block, call), found in passes.items():
        if {thrown for _, thrown in found} == {0, 1}:
            yield file.finding(
                "V2",
                found[-1][0].iter,
                Certainty.LIKELY,
                "the loader shuffles, so this pass has another order than the one before",
                "collect predictions and labels in one pass, or set shuffle=False",
            )
        elif any(thrown and _is_compared(file, block, node) for node, thrown in found):
            yield file.finding(
                "V2",
                call,
                Certainty.LIKELY,
                "the loader shuffles, and its predictions stand beside labels or rows that it did not return",
                "set shuffle=False, or collect the labels of each batch beside the predictions",
            )


def _find_thrown_item(target: ast.expr) -> int | None:
    """Which of two items a loop throws away: 1 in `for x, _ in loader`; None unless it is one of two."""
    items = target.elts if isinstance(target, ast.Tuple) else []
    thrown = [isinstance(item, ast.Name) and not item.id.strip("_") for item in items]
    return thrown.index(True) if len(thrown) == 2 and sum(thrown) == 1 else None


def _is_compared(file: SourceFile, block: ast.AST, node: _Iteration) -> bool:
    """Whether what an iteration collects is later joined, and compared with something else."""
    names: set[str]
    after: list[ast.stmt]
    if isinstance(node, ast.comprehension):
        names, after = set(), [file.tree.statement_of(node.iter)]
    else:
        if any(is_method_call(call, "backward") for call in file.tree.within(node, ast.Call)):
            return False
        names = {
            text_of(find_receiver(call))
            for call in file.tree.within(node, ast.Call)
            if is_method_call(call, "append", "extend")
        } | {text_of(added.target) for added in file.tree.within(node, ast.AugAssign)}
        after = []
    for statement in file.tree.within(block, ast.Assign):
        if statement in after or (names & names_in(statement.value) and statement.lineno > node.iter.lineno):
            names |= {text_of(target) for target in statement.targets}
    compared = [
        [inner.left, *inner.comparators]
        for inner in file.tree.within(block, ast.Compare)
        if isinstance(inner.ops[0], ast.Eq)
    ] + [call.args for call in file.tree.within(block, ast.Call) if _METRIC.fullmatch(called_name(call))]
    tables = [
        statement
        for statement in file.tree.within(block, ast.Assign)
        if isinstance(target := statement.targets[0], ast.Subscript)
        and any(
            isinstance(origin, ast.Call) and file.scopes.callee(origin) == "pandas.read_csv"
            for origin in file.values.origins(target.value)
        )
    ]
    return any(names & names_in(statement.value) for statement in tables) or any(
        len(sides) == 2
        and sorted(bool(names & names_in(side)) for side in sides) == [False, True]
        and all(names_in(side) for side in sides)
        and sides[0].lineno > node.iter.lineno
        and not file.tree.is_inside(sides[0], node)
        for sides in compared
    )
