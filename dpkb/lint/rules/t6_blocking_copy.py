"""T6: non_blocking copies that block."""

import ast

from dpkb.lint.loaders import Loader, loader_of
from dpkb.lint.nodes import as_constant, find_argument, is_method_call, names_in, text_of
from dpkb.lint.source_file import Certainty, Findings, SourceFile

LOOKS_FOR = ".to(device, non_blocking=True) of a batch that is not pinned, or of a new tensor."


def check(file: SourceFile) -> Findings:
    if file.tree.mentions(file.tree.root, "accelerator", "Accelerator"):
        return  # prepare() returns a loader whose batches are on the device
    for call in file.scopes.method_calls("to", "cuda"):
        value = call.func.value
        copies = as_constant(find_argument(call, "non_blocking")) is True
        loader = _loader_of_value(file, call, value) if copies else None
        if loader is not None and loader.flag("pin_memory") is False and "pin_memory" not in text_of(value):
            yield file.finding(
                "T6",
                call,
                Certainty.LIKELY,
                "non_blocking=True has no effect: the loader does not pin its batches",
                "pass pin_memory=True to the DataLoader",
            )
        elif (
            loader is not None
            and isinstance(value, (ast.BinOp, ast.Call))
            and loader.flag("pin_memory") is True
            and not is_method_call(value, "pin_memory")
        ):
            yield file.finding(
                "T6",
                call,
                Certainty.LIKELY,
                f"`{text_of(value)}` is a new tensor, which is not pinned: the copy blocks",
                "move the batch first, and compute on the GPU",
            )


def _loader_of_value(file: SourceFile, call: ast.Call, value: ast.expr) -> Loader | None:
    """The loader of the loop in which a batch, or a part of it, is copied."""
    words = names_in(value)
    # {name: value.to(device) for name, value in batch.items()}, and for name in batch: ...
    generators = [part for parent in file.tree.parents_of(call) for part in getattr(parent, "generators", [])]
    for part in generators:
        if words & names_in(part.target):
            words |= names_in(part.iter)
    for loop in file.tree.loops_around(call):
        if isinstance(loop, ast.For) and words & names_in(loop.target):
            loader = loader_of(file, loop.iter)
            if loader is not None:
                return loader
            words |= names_in(loop.iter)
    return None
