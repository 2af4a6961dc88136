"""DP23: None as a sample."""

import ast

from dpkb.lint.loaders import find_datasets
from dpkb.lint.nodes import is_none
from dpkb.lint.source_file import Certainty, Findings, SourceFile

LOOKS_FOR = "__getitem__ that may return None, in a loader with the default collate."


def check(file: SourceFile) -> Findings:
    for info, used_by in find_datasets(file).items():
        method = info.methods.get("__getitem__")
        # batch_size=None passes each sample on as it is.
        is_collated = bool(used_by) and all(
            loader.has("collate_fn") or is_none(loader.value("batch_size")) for loader in used_by
        )
        if method is None or is_collated or any("collate" in name for name in info.methods):
            continue
        returns = [
            node for node in file.tree.within(method, ast.Return) if file.tree.function_of(node) is method
        ]
        for node in returns:
            items = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]  # None, None
            if len(returns) > 1 and items and all(item is None or is_none(item) for item in items):
                yield file.finding(
                    "DP23",
                    node,
                    Certainty.CERTAIN if used_by else Certainty.LIKELY,
                    "default_collate raises an error if a sample is None",
                    "return another sample, or drop None in a collate_fn",
                )
