"""T4: a loader that reads the next batch only when the step is done."""

from collections.abc import Iterator

from dpkb.lint.finding import Certainty, Finding
from dpkb.lint.loaders import loaders
from dpkb.lint.module import Module
from dpkb.lint.nodes import argument

LOOKS_FOR = "A loader without workers; prefetch_factor without workers."

_IN_MEMORY = {"torch.utils.data.TensorDataset"}


def check(module: Module) -> Iterator[Finding]:
    for loader in loaders(module):
        if loader.num_workers != 0:
            continue
        factor = argument(loader.call, "prefetch_factor")
        if factor is not None and module.constant(factor) is not None:
            yield module.finding(
                "T4", factor, Certainty.LIKELY, "prefetch_factor does nothing without workers",
                "pass num_workers=2 or more")
        elif loader.dataset_classes and not _IN_MEMORY & set(loader.dataset_types):
            yield module.finding(
                "T4", loader.call, Certainty.HINT,
                "num_workers is 0, so the model waits while the samples are read",
                "pass num_workers=2 or more, and compare the time of an epoch")
