"""DP36: training on data in the order of its folders."""

from dpkb.lint.source_file import Certainty, Findings, SourceFile
from dpkb.lint.training_steps import find_training_steps

LOOKS_FOR = "A training loop over DataLoader(ImageFolder(root)) without shuffle=True or a sampler."

_SORTED = {"torchvision.datasets.ImageFolder", "torchvision.datasets.DatasetFolder"}


def check(file: SourceFile) -> Findings:
    seen = set()
    for training in find_training_steps(file):
        loader = training.loader
        if (
            loader is None
            or loader.call in seen
            or loader.flag("shuffle") is not False
            or loader.has("sampler")
            or loader.has("batch_sampler")
            or loader.is_iterable
        ):
            continue
        seen.add(loader.call)
        is_sorted = bool(_SORTED & {str(kind) for kind in loader.dataset_types})
        yield file.finding(
            "DP36",
            loader.call,
            Certainty.LIKELY if is_sorted else Certainty.HINT,
            "the images of a folder come class by class, and training does not shuffle them"
            if is_sorted
            else "training does not shuffle: if the dataset is sorted, each batch has one class",
            "pass shuffle=True",
        )
