"""V7: BatchNorm over one or two samples."""

import ast

from dpkb.lint import library_names
from dpkb.lint.nodes import find_argument, text_of
from dpkb.lint.source_file import Certainty, Findings, SourceFile
from dpkb.lint.training_steps import find_training_steps

LOOKS_FOR = "A training loop with batches of 1 or 2, and BatchNorm in the same file; BatchNorm2d(n, 0.8)."


def check(file: SourceFile) -> Findings:
    norms = [call for call in file.tree.calls if file.scopes.callee(call) in library_names.BATCH_NORMS]
    for call in norms:
        if isinstance(eps := file.values.constant(find_argument(call, "eps", 1)), float) and eps >= 0.1:
            yield file.finding(
                "V7",
                call,
                Certainty.HINT,
                f"{eps} is eps here, which is added to the variance: momentum is the third argument",
                f"`momentum={eps}`, if that is meant",
            )
    for training in find_training_steps(file) if norms else ():
        loader = training.loader
        if loader is None:
            size = _slice_size(file, training.block)
        else:
            value = loader.value("batch_size")
            size = file.values.constant(value) if value is not None else 1
        if size in (1, 2) and not (loader and loader.has("batch_sampler")):
            yield file.finding(
                "V7",
                loader.call if loader else norms[0],
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
