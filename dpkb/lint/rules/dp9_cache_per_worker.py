"""DP9: a cache in the dataset that no other process sees."""

import ast

from dpkb.lint.classes import ClassInfo
from dpkb.lint.loaders import find_datasets
from dpkb.lint.nodes import Function, self_attribute
from dpkb.lint.source_file import Certainty, Findings, SourceFile

LOOKS_FOR = "A dict or list that __getitem__ fills, in a loader with workers."


def check(file: SourceFile) -> Findings:
    for info, used_by in find_datasets(file).items():
        method = info.method("__getitem__")
        with_workers = [loader for loader in used_by if loader.may_have_workers]
        if method is None or (used_by and not with_workers):
            continue
        for name in sorted(_containers_filled_by(file, info, method)):
            yield file.finding(
                "DP9",
                file.tree.statement_of(info.attributes[name][0][1]),
                Certainty.LIKELY if with_workers else Certainty.HINT,
                f"each worker fills its own copy of `self.{name}`"
                + (
                    ""
                    if any(loader.flag("persistent_workers") for loader in with_workers)
                    else ", and loses it when the epoch ends"
                ),
                "fill it before the workers start, or keep it in shared memory (share_memory_(), np.memmap)",
            )


def _containers_filled_by(
    file: SourceFile, info: ClassInfo, method: Function, max_depth: int = 2
) -> set[str]:
    """The dicts and lists that are empty in __init__, and in which a method stores items."""
    names = set()
    for node in file.tree.within(method, ast.Subscript):
        name = self_attribute(node.value, method)
        if isinstance(node.ctx, ast.Store) and _is_empty_container(info, name):
            names.add(name)
    if max_depth:
        for call in file.tree.within(method, ast.Call):
            other = (
                info.method(self_attribute(call.func, method)) if self_attribute(call.func, method) else None
            )
            if other is not None and other is not method:
                names |= _containers_filled_by(file, info, other, max_depth - 1)
    return names


def _is_empty_container(info: ClassInfo, name: str) -> bool:
    """Whether __init__ creates an attribute as {}, dict(), [None] * n or [None for _ in files]."""
    return any(
        method == "__init__"
        and any(
            _is_empty(option)
            for option in ([value.body, value.orelse] if isinstance(value, ast.IfExp) else [value])
        )
        for method, value in info.attributes.get(name, ())
    )


def _is_empty(value: ast.expr) -> bool:
    if isinstance(value, ast.Dict):
        return not value.keys
    if isinstance(value, ast.Call):
        return (
            isinstance(value.func, ast.Name)
            and not value.keywords
            and value.func.id in ("dict", "OrderedDict", "defaultdict")
        )
    items = (
        [value.elt]
        if isinstance(value, ast.ListComp)
        else (
            value.left.elts
            if isinstance(value, ast.BinOp)
            and isinstance(value.op, ast.Mult)
            and isinstance(value.left, ast.List)
            else []
        )
    )
    return len(items) == 1 and isinstance(items[0], ast.Constant) and items[0].value is None
