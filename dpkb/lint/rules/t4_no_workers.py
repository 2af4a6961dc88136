"""T4: a loader that reads the next batch only when the step is done."""

from dpkb.lint.loaders import find_loaders
from dpkb.lint.nodes import find_argument
from dpkb.lint.source_file import Certainty, Findings, SourceFile

LOOKS_FOR = "A loader without workers; prefetch_factor without workers."

_IN_MEMORY = {"torch.utils.data.TensorDataset"}


def check(file: SourceFile) -> Findings:
    for loader in find_loaders(file):
        if loader.num_workers != 0:
            continue
        factor = find_argument(loader.call, "prefetch_factor")
        batches = file.values.constant(factor)
        if factor is not None and batches is not None:
            # 2 was the default before torch 2.0, where it cannot be told from no value.
            since = " from torch 2.0 on" if batches == 2 else ""
            yield file.finding(
                "T4",
                factor,
                Certainty.LIKELY,
                f"prefetch_factor without workers raises ValueError{since}",
                "pass num_workers=2 or more",
            )
        elif loader.dataset_classes and not _IN_MEMORY & set(loader.dataset_types):
            yield file.finding(
                "T4",
                loader.call,
                Certainty.HINT,
                "num_workers is 0, so the model waits while the samples are read",
                "pass num_workers=2 or more, and compare the time of an epoch",
            )
