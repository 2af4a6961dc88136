"""D9: samples divided by a slice, so that one rank may have more batches than another."""

import ast

from dpkb.lint import library_names
from dpkb.lint.loaders import find_loaders
from dpkb.lint.nodes import text_of
from dpkb.lint.source_file import Certainty, Findings, SourceFile
from dpkb.lint.training_steps import find_training_steps

LOOKS_FOR = "DataLoader(dataset[rank::world_size]) under DDP."


def check(file: SourceFile) -> Findings:
    if not file.scopes.calls_of(library_names.DDP) or file.tree.mentions(file.tree.root, "join", "Join"):
        return
    for loader in find_loaders(file):
        dataset = loader.value("dataset")
        slices = [origin for origin in file.values.origins(dataset) if _is_slice_by_rank(origin)]
        if not slices or loader.flag("drop_last") is True:
            continue
        loop = next(
            (
                training.block
                for training in find_training_steps(file)
                if isinstance(training.block, ast.For)
                and training.loader == loader
                and not file.tree.mentions(training.block, "islice")
                and "islice" not in text_of(training.block.iter)
            ),
            None,
        )
        if loop is not None:
            yield file.finding(
                "D9",
                loop,
                Certainty.LIKELY,
                f"`{text_of(slices[0])}` may give one rank more batches than another, and each backward() "
                "waits for all ranks",
                "use DistributedSampler, or loop over the smallest number of batches",
            )


def _is_slice_by_rank(node: ast.expr) -> bool:
    """Whether an expression takes every n-th item, starting at the rank: `data[rank::world_size]`."""
    return (
        isinstance(node, ast.Subscript)
        and isinstance(node.slice, ast.Slice)
        and node.slice.lower is not None
        and node.slice.step is not None
        and "rank" in text_of(node.slice.lower).lower()
    )
