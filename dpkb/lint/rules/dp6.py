"""DP6: objects that cannot be sent to a spawned worker: lambdas, local functions, open files."""

import ast
from collections.abc import Iterator

from dpkb.lint.finding import Certainty, Finding
from dpkb.lint.loaders import SPAWNING_METHODS, Loader, default_start_method, loaders
from dpkb.lint.module import Module
from dpkb.lint.nodes import text_of

LOOKS_FOR = "Arguments and dataset attributes that do not pickle, where the workers are spawned."


def check(module: Module) -> Iterator[Finding]:
    for loader in loaders(module):
        if not loader.may_have_workers:
            continue
        method = loader.start_method or default_start_method(module)
        if method == "fork":
            continue
        spawned = method in SPAWNING_METHODS
        for name in ("collate_fn", "worker_init_fn"):
            node = loader.value(name)
            for origin in module.origins(node):
                if isinstance(origin, ast.Lambda) or _is_local_function(module, node):
                    yield _finding(module, origin, spawned, f"`{name}` is a lambda or a local function")
            if node is not None and not module.origins(node) and _is_local_function(module, node):
                yield _finding(module, node, spawned, f"`{name}` is a local function")
        yield from _find_in_dataset(module, loader, spawned)


def _find_in_dataset(module: Module, loader: Loader, spawned: bool) -> Iterator[Finding]:
    for info in loader.dataset_classes:
        if info.method("__getstate__") or info.method("__reduce__"):
            continue
        for name, values in info.attributes.items():
            for method, value in values:
                if method == "__init__" and any(
                    isinstance(origin, ast.Lambda) for origin in info.module.origins(value)):
                    yield _finding(info.module, value, spawned, f"`self.{name}` is a lambda")
                if (
                    method == "__init__"
                    and isinstance(value, ast.Call)
                    and (
                        text_of(value.func) == "open"
                        or info.module.callee(value) in ("h5py.File", "lmdb.open"))
                ):
                    yield _finding(info.module, value, spawned, f"`self.{name}` is an open file")
    dataset = loader.value("dataset")
    for origin in module.origins(dataset):
        for argument in origin.args if isinstance(origin, ast.Call) else []:
            if isinstance(argument, ast.Lambda):
                yield _finding(module, argument, spawned, "the dataset keeps a lambda")


def _is_local_function(module: Module, node: ast.expr | None) -> bool:
    function = module.function_named(node) if isinstance(node, ast.Name) else None
    return function is not None and module.function_of(function) is not None


def _finding(module: Module, node: ast.AST, spawned: bool, value: str) -> Finding:
    where = (
        "and the workers are spawned" if spawned
        else "as workers need it on macOS, on Windows, and on Linux from Python 3.14 on")
    return module.finding(
        "DP6", node, Certainty.CERTAIN if spawned else Certainty.HINT,
        f"{value}, which cannot be pickled, {where}",
        "use a function or class at the top level, functools.partial, or open the file on first use")
