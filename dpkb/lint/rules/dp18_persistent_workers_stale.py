"""DP18: a dataset changed in the main process, while persistent workers keep their copies."""

import ast

from dpkb.lint.loaders import Loader, find_loaders
from dpkb.lint.nodes import find_receiver, self_attribute, text_of
from dpkb.lint.source_file import Certainty, Findings, SourceFile

LOOKS_FOR = "dataset.attribute = ... or dataset.set_epoch() in a loop, with persistent_workers=True."

# The methods of a dataset that a worker calls.
_WORKER_METHODS = ("__getitem__", "__getitems__", "__iter__")
# Words of code that creates a value in memory that the workers share.
_SHARED_MEMORY = (
    "share_memory_",
    "share_memory",
    "Value",
    "RawValue",
    "Array",
    "RawArray",
    "shared_memory",
    "SharedMemory",
)


def check(file: SourceFile) -> Findings:
    for loader in find_loaders(file):
        dataset, statement = loader.value("dataset"), file.tree.statement_of(loader.call)
        if (
            loader.flag("persistent_workers") is True
            and loader.may_have_workers
            and isinstance(dataset, (ast.Name, ast.Attribute))
        ):
            targets = statement.targets if isinstance(statement, ast.Assign) else []
            names = {text_of(dataset), *(f"{text_of(target)}.dataset" for target in targets)}
            yield from _find_assigned_attributes(file, loader, names)
            yield from _find_set_epoch(file, loader, names)


def _find_assigned_attributes(file: SourceFile, loader: Loader, names: set[str]) -> Findings:
    """dataset.epoch = epoch in a loop."""
    shared = {
        name
        for info in loader.dataset_classes
        for name, values in info.attributes.items()
        for _, value in values
        for origin in (value, *info.file.values.origins(value))
        if info.file.tree.mentions(origin, *_SHARED_MEMORY)
    }
    changes: list[tuple[ast.stmt, ast.expr]] = [
        *((node, target) for node in file.tree.nodes(ast.Assign) for target in node.targets),
        *((node, node.target) for node in file.tree.nodes(ast.AugAssign)),
    ]
    for assign, target in changes:
        if (
            isinstance(target, ast.Attribute)
            and text_of(target.value) in names
            and target.attr not in shared
            and _is_repeated_for_one_loader(file, loader, assign)
        ):
            yield file.finding(
                "DP18",
                assign,
                _certainty_of_change(loader, {target.attr}),
                f"`{text_of(target)}` changes only in this process: persistent workers keep the "
                "copy that they got when they started",
                "share the value (torch.tensor(...).share_memory_()), or create the loader again",
            )


def _is_repeated_for_one_loader(file: SourceFile, loader: Loader, node: ast.AST) -> bool:
    """Whether a node is in a loop that does not create the loader again: new workers get the new values."""
    loops = file.tree.loops_around(node)
    return bool(loops) and not file.tree.is_inside(loader.call, loops[0])


def _certainty_of_change(loader: Loader, names: set[str]) -> Certainty:
    """How sure it is that the workers read one of these attributes of the dataset."""
    for info in loader.dataset_classes:
        for method in (method for start in _WORKER_METHODS for method in info.find_reached_methods(start)):
            if any(
                self_attribute(node, method) in names and isinstance(node.ctx, ast.Load)
                for node in info.file.tree.within(method, ast.Attribute)
            ):
                return Certainty.CERTAIN
    return Certainty.LIKELY


def _find_set_epoch(file: SourceFile, loader: Loader, names: set[str]) -> Findings:
    """dataset.set_epoch(epoch) in a loop, if the method shares nothing with the workers."""
    methods = [
        method
        for info in loader.dataset_classes
        if (method := info.method("set_epoch"))
        and not file.tree.mentions(method, "value", "fill_", "share_memory_", "Value")
    ]
    changed = {
        self_attribute(node, method)
        for method in methods
        for node in file.tree.within(method, ast.Attribute)
        if isinstance(node.ctx, ast.Store)
    } - {""}
    if methods:
        for call in file.scopes.method_calls("set_epoch"):
            if text_of(find_receiver(call)) in names and _is_repeated_for_one_loader(file, loader, call):
                yield file.finding(
                    "DP18",
                    call,
                    _certainty_of_change(loader, changed),
                    f"`{text_of(call)}` sets the epoch only in this process: persistent workers keep "
                    "their copies",
                    "share the epoch (torch.tensor(0).share_memory_()), or create the loader again",
                )
