"""E1: calls that newer versions of torch have removed."""

import ast
import re

from dpkb.lint import library_names
from dpkb.lint.edits import replace, source_of
from dpkb.lint.loaders import loader_of
from dpkb.lint.missing_names import find_outdated_names
from dpkb.lint.nodes import as_constant, called_name, find_argument, find_receiver, text_of
from dpkb.lint.source_file import Certainty, Edit, Findings, SourceFile

LOOKS_FOR = "iterator.next() of a DataLoader, loss.data[0], removed functions, modules and arguments."

_REPLACEMENTS = {
    "torch.symeig": "torch.linalg.eigh",
    "torch.eig": "torch.linalg.eig",
    "torch.lstsq": "torch.linalg.lstsq",
    "torch.qr": "torch.linalg.qr",
    "torch.solve": "torch.linalg.solve",
    "torch.matrix_rank": "torch.linalg.matrix_rank",
    "torch.rfft": "torch.fft.rfft",
    "torch.irfft": "torch.fft.irfft",
    "torch.fft": "torch.fft.fft",
    "torch.ifft": "torch.fft.ifft",
}

# An item of a loss, by its name: losses are several numbers.
_SCALAR = re.compile(
    r"((?:\w+\.)*\w*(?:loss(?!es)|err(?!or)|cost)\w*)(?:\.(?:cpu|detach)\(\))*(?:\.data(?:\.cpu\(\))?(?:\.numpy\(\))?|\.numpy\(\))\[0\]"
)
# Modules that are gone -> what to use.
_MODULES = {
    "torch._six": "str, collections.abc and math.inf",
    "torch.tensor": "`from torch import Tensor`",
}
# Classes -> an argument that they no longer have, and what to do without it.
_ARGUMENTS = {
    "torch.distributed.fsdp.FullyShardedDataParallel": ("fsdp_auto_wrap_policy", "`auto_wrap_policy=`"),
    library_names.SCHEDULER: ("verbose", "leave it out, and print scheduler.get_last_lr()"),
}


def check(file: SourceFile) -> Findings:
    yield from _find_next_methods(file)
    yield from _find_scalar_indices(file)
    yield from _find_removed_functions(file)
    yield from _find_removed_modules(file)
    yield from _find_removed_arguments(file)
    yield from find_outdated_names(file, "E1")


def _find_next_methods(file: SourceFile) -> Findings:
    """iterator.next(), where the iterator is that of a DataLoader."""
    for call in file.scopes.method_calls("next"):
        iterator = find_receiver(call)
        if not call.args and _iterates_loader(file, iterator) and not _depends_on_version(file, call):
            is_from_torch = _is_from_torch(file, iterator)
            yield file.finding(
                "E1",
                call,
                Certainty.CERTAIN if is_from_torch else Certainty.LIKELY,
                "from torch 1.13 on, the iterator of a DataLoader has no method next()",
                f"`next({text_of(iterator)})`",
                [_call_builtin(file, call)],
                safe=is_from_torch,
            )


def _call_builtin(file: SourceFile, call: ast.Call) -> Edit | None:
    """The edit to next(iterator); None if the file has another `next`."""
    iterator = find_receiver(call)
    if iterator is None or call.keywords or file.scopes.is_bound("next"):
        return None
    return replace(file, call, f"next({source_of(file, iterator)})")


def _is_from_torch(file: SourceFile, iterator: ast.expr | None) -> bool:
    """Whether a value is iter() of a DataLoader. Other iterators may have a next() that does not raise."""
    calls = file.values.origins(iterator)
    loaders = [
        loader
        for call in calls
        if isinstance(call, ast.Call) and text_of(call.func) == "iter" and call.args
        for loader in file.values.origins(call.args[0])
    ]
    return len(loaders) == len(calls) and all(
        isinstance(loader, ast.Call) and file.scopes.callee(loader) == library_names.LOADER
        for loader in loaders
    )


def _find_scalar_indices(file: SourceFile) -> Findings:
    """loss.data[0], where the loss is one number."""
    for node in file.tree.nodes(ast.Subscript):
        found = _SCALAR.fullmatch(text_of(node)) if as_constant(node.slice) == 0 else None
        if found and not _depends_on_version(file, node):
            yield file.finding(
                "E1",
                node,
                Certainty.LIKELY,
                "a loss has no dimension: torch raises an IndexError here",
                f"`{found[1]}.item()`",
            )


def _depends_on_version(file: SourceFile, node: ast.AST) -> bool:
    return any("version" in text_of(test.test) for test, _ in file.tree.guards(node))


def _find_removed_functions(file: SourceFile) -> Findings:
    """torch.symeig(x) and the like."""
    for call in file.tree.calls:
        callee = file.scopes.callee(call)
        if callee in _REPLACEMENTS and not _has_alternative(file, call):
            yield file.finding(
                "E1",
                call,
                Certainty.LIKELY,
                f"newer versions of torch have no `{callee}`",
                f"`{_REPLACEMENTS[callee]}`, whose arguments and results differ",
            )


def _find_removed_modules(file: SourceFile) -> Findings:
    """from torch._six import inf."""
    for node in file.tree.nodes(ast.ImportFrom):
        module = node.module or ""
        if module in _MODULES and not node.level and not _has_alternative(file, node):
            message = f"torch 2.0 and newer have no {module}"
            yield file.finding("E1", node, Certainty.CERTAIN, message, f"use {_MODULES[module]}")


def _find_removed_arguments(file: SourceFile) -> Findings:
    """StepLR(optimizer, 1, verbose=True)."""
    for call in file.tree.calls:
        callee = file.scopes.callee(call)
        for name, (argument, fix) in _ARGUMENTS.items() if call.keywords and callee else ():
            if library_names.is_subclass(callee, name) and find_argument(call, argument) is not None:
                yield file.finding(
                    "E1",
                    call,
                    Certainty.LIKELY,
                    f"the newest versions of torch have no {argument}= here, and raise a TypeError",
                    fix,
                )


def _has_alternative(file: SourceFile, node: ast.AST) -> bool:
    """Whether it is in a try or an if, and so may be only for the versions that have it."""
    return any(isinstance(parent, (ast.Try, ast.If)) for parent in file.tree.parents_of(node))


def _iterates_loader(file: SourceFile, node: ast.expr | None) -> bool:
    """Whether a value is an iterator of a DataLoader: `iter(loader)` or `loader.__iter__()`."""
    values = [
        find_receiver(origin) if called_name(origin) == "__iter__" else next(iter(origin.args), None)
        for origin in file.values.origins(node)
        if isinstance(origin, ast.Call)
        and (text_of(origin.func) == "iter" or called_name(origin) == "__iter__")
    ]
    return any(loader_of(file, value) is not None or "loader" in text_of(value).lower() for value in values)
