"""D22: a training step that only one rank skips."""

import ast

from dpkb.lint import library_names
from dpkb.lint.nodes import is_none, names_in, text_of
from dpkb.lint.source_file import Certainty, Findings, SourceFile, once_per_file
from dpkb.lint.training_steps import TrainingStep, find_training_steps

LOOKS_FOR = "continue before backward(), on a condition of the batch, in a loop that trains a DDP model."

_AGREEMENTS = (
    "all_reduce",
    "all_gather",
    "all_gather_object",
    "broadcast",
    "join",
    "no_sync",
    "all_reduce_coalesced",
)


def check(file: SourceFile) -> Findings:
    if not file.scopes.calls_of(library_names.DDP):
        return
    for training in find_training_steps(file):
        together = [training.block, *file.definitions.find_called_functions(training.block)]
        trains_ddp = any(
            library_names.DDP in file.values.types(call.func)
            for call in file.tree.within(training.block, ast.Call)
        )
        if not trains_ddp or any(file.tree.mentions(node, *_AGREEMENTS) for node in together):
            continue
        for node in file.tree.within(training.block, ast.Continue):
            test = file.tree.parents.get(node)
            if (
                isinstance(test, ast.If)
                and node.lineno <= training.backward.lineno
                and file.tree.loops_around(node)[:1] == [training.block]
                and not _names_of_data(file, training.block).isdisjoint(names_in(test.test))
                and ("is None" not in text_of(test.test) or _may_be_none(file, training))
            ):
                yield file.finding(
                    "D22",
                    node,
                    Certainty.LIKELY,
                    f"a rank that skips a batch (`if {text_of(test.test)}`) calls backward() once less "
                    "than the others, which then wait for it",
                    "decide together: all_reduce the flag, and skip on all ranks or on none",
                )


@once_per_file
def _may_be_none(file: SourceFile, training: TrainingStep) -> bool:
    """Whether the dataset of the loop may return None as a sample; true if its class is not known."""
    loader = training.loader
    methods = [info.method("__getitem__") for info in loader.dataset_classes] if loader else []
    return not methods or any(is_none(node) for method in methods if method for node in ast.walk(method))


@once_per_file
def _names_of_data(file: SourceFile, loop: ast.AST) -> set[str]:
    """The names of the batch and of what is computed from it, but not the counter of steps."""
    if not isinstance(loop, (ast.For, ast.AsyncFor)):
        return set()
    target = loop.target
    if (
        isinstance(target, ast.Tuple)
        and target.elts
        and isinstance(loop.iter, ast.Call)
        and text_of(loop.iter.func) == "enumerate"
    ):
        target = target.elts[-1]
    items = names_in(target)
    return items | {
        text_of(item)
        for node in file.tree.within(loop, ast.Assign)
        if items & names_in(node.value)
        for item in node.targets
    }
