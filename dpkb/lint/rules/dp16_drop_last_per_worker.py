"""DP16: drop_last with an IterableDataset drops a partial batch in each worker."""

from dpkb.lint.loaders import find_loaders
from dpkb.lint.source_file import Certainty, Findings, SourceFile

LOOKS_FOR = "drop_last=True, several workers, and an IterableDataset."


def check(file: SourceFile) -> Findings:
    for loader in find_loaders(file):
        if (
            loader.flag("drop_last") is True
            and loader.is_iterable
            and loader.may_have_workers
            and loader.num_workers != 1
            and not any(file.tree.mentions(info.node, "batch_size") for info in loader.dataset_classes)
        ):
            value = loader.value("drop_last")
            yield file.finding(
                "DP16",
                value if value is not None else loader.call,
                Certainty.LIKELY,
                "drop_last drops one partial batch in every worker, not one in total",
                "batch in the dataset, or choose num_workers so that it divides the number of batches",
            )
