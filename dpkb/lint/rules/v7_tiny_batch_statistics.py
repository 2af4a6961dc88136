"""V7: BatchNorm over one or two samples."""

import ast
from collections.abc import Iterator

from dpkb.lint import library_names
from dpkb.lint.finding import Certainty, Finding
from dpkb.lint.nodes import text_of
from dpkb.lint.source_file import SourceFile
from dpkb.lint.training_steps import find_training_steps

LOOKS_FOR = "A training loop with batches of 1 or 2, and BatchNorm in the same file."


def check(file: SourceFile) -> Iterator[Finding]:
    norms = [call for call in file.tree.calls if file.scopes.callee(call) in library_names.BATCH_NORMS]
    if not norms:
        return
    for training in find_training_steps(file):
        loader = training.loader
        node: ast.AST = norms[0]
        if loader is not None:
            value = loader.value("batch_size")
            size = file.values.constant(value) if value is not None else 1
            node = loader.call
            if loader.has("batch_sampler"):
                continue
        else:
            size = _slice_size(file, training.block)
        if size in (1, 2):
            yield file.finding(
                "V7",
                node,
                Certainty.LIKELY,
                f"BatchNorm computes its statistics over batches of {size}",
                "use GroupNorm, or a larger batch",
            )


def _slice_size(file: SourceFile, block: ast.AST) -> object:
    """n in `for start in range(0, len(data), n)`, if the loop reads data[start:start + n]; else None."""
    if not (
        isinstance(block, ast.For)
        and isinstance(block.iter, ast.Call)
        and len(block.iter.args) == 3
        and text_of(block.iter.func) == "range"
        and isinstance(block.target, ast.Name)
    ):
        return None
    step = text_of(block.iter.args[2])
    slice_text = f"{block.target.id}:{block.target.id} + {step}"
    return file.values.constant(block.iter.args[2]) if slice_text in text_of(block) else None
