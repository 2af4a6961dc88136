"""DP9: a cache in the dataset that no other process sees."""

import ast
from collections.abc import Iterator

from dpkb.lint.finding import Certainty, Finding
from dpkb.lint.module import ClassInfo, Module
from dpkb.lint.syntax import Function
from dpkb.lint.training import datasets, loaders_of_class, self_attribute


def check(module: Module) -> Iterator[Finding]:
    """A dict that __getitem__ fills, in a loader with workers."""
    for info in datasets(module):
        method = info.method("__getitem__")
        if method is None:
            continue
        for name in sorted(_filled(module, info, method)):
            used_by = loaders_of_class(module, info)
            with_workers = [loader for loader in used_by if loader.may_have_workers]
            if used_by and not with_workers:
                continue
            yield module.finding(
                "DP9",
                module.statement_of(info.attributes[name][0][1]),
                Certainty.LIKELY if with_workers else Certainty.HINT,
                f"each worker fills its own copy of `self.{name}`"
                + (
                    "" if any(loader.flag("persistent_workers") for loader in with_workers)
                    else ", and loses it when the epoch ends"),
                "fill it before the workers start, or keep it in shared memory (share_memory_(), np.memmap)",
            )


def _filled(module: Module, info: ClassInfo, method: Function, steps: int = 2) -> set[str]:
    """The empty dicts and lists of __init__ that a method stores items in."""
    found = set()
    for node in module.within(method, ast.Subscript):
        name = self_attribute(node.value, method)
        if isinstance(node.ctx, ast.Store) and _is_empty_container(info, name):
            found.add(name)
    if steps:
        for call in module.within(method, ast.Call):
            other = (
                info.method(self_attribute(call.func, method)) if self_attribute(call.func, method) else None)
            if other is not None and other is not method:
                found |= _filled(module, info, other, steps - 1)
    return found


def _is_empty_container(info: ClassInfo, name: str) -> bool:
    """{}, dict(), [None] * n in __init__."""
    for method, value in info.attributes.get(name, ()):
        if method == "__init__" and (
            (isinstance(value, ast.Dict) and not value.keys) or (isinstance(value, ast.Call)
            and isinstance(value.func, ast.Name) and value.func.id in ("dict", "OrderedDict", "defaultdict")
            and not value.keywords) or (isinstance(value, ast.BinOp) and isinstance(value.op, ast.Mult)
            and isinstance(value.left, ast.List) and len(value.left.elts) == 1
            and isinstance(value.left.elts[0], ast.Constant) and value.left.elts[0].value is None)):
            return True
    return False
