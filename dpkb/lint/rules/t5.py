"""T5: workers that are started again for every epoch."""

import ast
from collections.abc import Iterator

from dpkb.lint.finding import Certainty, Finding
from dpkb.lint.module import Module
from dpkb.lint.syntax import text_of
from dpkb.lint.training import loader_of, loaders, training_steps


def check(module: Module) -> Iterator[Finding]:
    """A loader that is created in the loop over epochs; several epochs without persistent_workers."""
    for loader in loaders(module):
        if not loader.may_have_workers:
            continue
        loops = [
            loop for loop in module.loops_around(loader.call) if isinstance(loop, ast.For)
            and "epoch" in text_of(loop.target).lower()
            and not _changes_dataset(loop, text_of(loader.value("dataset")))]
        if loops:
            yield module.finding(
                "T5", loader.call, Certainty.LIKELY,
                "a new loader in each epoch starts its workers again, also with persistent_workers=True",
                "create the loader before the loop, with persistent_workers=True")
        elif loader.flag("persistent_workers") is False and _several_epochs(module, loader.call):
            yield module.finding(
                "T5", loader.call, Certainty.HINT, "starts its workers again in every epoch",
                "pass persistent_workers=True")


def _changes_dataset(loop: ast.For, dataset: str) -> bool:
    """A new loader is needed where the loop sets something of the dataset, or the dataset itself."""
    return any(
        text_of(target).split(".")[0] == dataset.split(".")[0].split("(")[0] for node in ast.walk(loop)
        if isinstance(node, ast.Assign) for target in node.targets)


def _several_epochs(module: Module, call: ast.Call) -> bool:
    for training in training_steps(module):
        if isinstance(training.block, ast.For) and module.loops_around(training.block):
            loader = loader_of(module, training.block.iter)
            if loader is not None and loader.call is call:
                return True
    return False
