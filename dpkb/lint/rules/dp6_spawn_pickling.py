"""DP6: objects that cannot be sent to a spawned worker: lambdas, local functions, open files."""

import ast

from dpkb.lint.classes import ClassInfo
from dpkb.lint.loaders import Loader, find_loaders
from dpkb.lint.nodes import FUNCTIONS, self_attribute, text_of
from dpkb.lint.source_file import Certainty, Finding, Findings, SourceFile

LOOKS_FOR = "Arguments and dataset attributes that do not pickle, where the workers are spawned."


def check(file: SourceFile) -> Findings:
    for loader in find_loaders(file):
        if not loader.may_have_workers or loader.start_method == "fork":
            continue
        spawned = loader.spawns
        for name in ("collate_fn", "worker_init_fn"):
            node = loader.value(name)
            for origin in file.values.origins(node) or ([node] if node else []):
                if isinstance(origin, ast.Lambda) or _is_local_function(file, node):
                    yield _finding(file, origin, spawned, f"`{name}` is a lambda or a local function")
        yield from _find_in_dataset(file, loader, spawned)


def _find_in_dataset(file: SourceFile, loader: Loader, spawned: bool) -> Findings:
    for info in loader.dataset_classes:
        if info.method("__getstate__") or info.method("__reduce__"):
            continue
        for name in info.attributes:
            for value in _values_after_init(info, name):
                if any(isinstance(origin, ast.Lambda) for origin in info.file.values.origins(value)):
                    yield _finding(info.file, value, spawned, f"`self.{name}` is a lambda")
                if isinstance(value, ast.Call) and (
                    text_of(value.func) == "open"
                    or info.file.scopes.callee(value) in ("h5py.File", "lmdb.open")
                ):
                    yield _finding(info.file, value, spawned, f"`self.{name}` is an open file")
    for origin in file.values.origins(loader.value("dataset")):
        for argument in origin.args if isinstance(origin, ast.Call) else []:
            if isinstance(argument, ast.Lambda):
                yield _finding(file, argument, spawned, "the dataset keeps a lambda")


def _values_after_init(info: ClassInfo, name: str) -> list[ast.expr]:
    """The values that an attribute may have after __init__(), without those that a later line replaces."""
    tree, init = info.file.tree, info.methods.get("__init__")
    deleted = (
        [
            statement.lineno
            for statement in init.body
            if isinstance(statement, ast.Delete)
            and any(self_attribute(target, init) == name for target in statement.targets)
        ]
        if init
        else []
    )
    values = [
        value
        for method, value in info.attributes[name]
        if method == "__init__" and value.lineno > max(deleted, default=0)
    ]
    always = [
        index
        for index, value in enumerate(values)
        if isinstance(tree.parents.get(tree.statement_of(value)), FUNCTIONS)
    ]
    return values[always[-1] if always else 0 :]


def _is_local_function(file: SourceFile, node: ast.expr | None) -> bool:
    function = file.definitions.find_function(node) if isinstance(node, ast.Name) else None
    return function is not None and file.tree.function_of(function) is not None


def _finding(file: SourceFile, node: ast.AST, spawned: bool, value: str) -> Finding:
    where = (
        "and the workers are spawned"
        if spawned
        else "as workers need it on macOS, on Windows, and on Linux from Python 3.14 on"
    )
    return file.finding(
        "DP6",
        node,
        Certainty.CERTAIN if spawned else Certainty.HINT,
        f"{value}, which cannot be pickled, {where}",
        "use a function or class at the top level, functools.partial, or open the file on first use",
    )
