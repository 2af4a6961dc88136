"""D36: every rank trains on the whole dataset."""

import ast
import re

from dpkb.lint import library_names
from dpkb.lint.classes import ClassInfo, type_is_a
from dpkb.lint.loaders import Loader, find_loaders
from dpkb.lint.nodes import find_argument, last_name, text_of
from dpkb.lint.phase_names import is_training_name
from dpkb.lint.source_file import Certainty, Finding, Findings, SourceFile
from dpkb.lint.training_steps import find_training_steps

LOOKS_FOR = "A loader without a sampler that trains a DDP model, and a DistributedSampler that no loader has."

_WRAPPERS = (library_names.DDP, "torch.distributed.fsdp.FullyShardedDataParallel")
# Libraries that divide the data themselves, or have another interface for it.
_LIBRARIES = (
    "accelerate",
    "lightning",
    "pytorch_lightning",
    "deepspeed",
    "horovod",
    "ignite",
    "webdataset",
    "ffcv",
    "torchdata",
    "colossalai",
    "composer",
    "streaming",
    "opacus",
    "byteps",
    "megatron",
    "petastorm",
    "nvidia",
)
# Words of code that gives each rank its share of the samples in another way.
_DIVISION_WORD = re.compile(
    r"distributed\w*sampler|sampler\w*distributed|num_replicas|shard|split_\w*by_(node|rank)|partition"
    r"|data_parallel_(rank|size)",
    re.IGNORECASE,
)
_RANK_WORD = re.compile(r"(\b|_)(rank|world_size|num_gpus|n_gpus|worldsize)(\b|_)")
_RANDOM_FUNCTIONS = ("rand", "randn", "randint", "zeros", "ones", "empty")


def check(file: SourceFile) -> Findings:
    if file.scopes.imports_from(*_LIBRARIES):
        return
    yield from _find_unused_sampler(file)
    # With a seed of its own, each rank draws its own batches.
    has_seeds = any(
        _RANK_WORD.search(text_of(call)) for call in file.scopes.method_calls("manual_seed", "seed")
    )
    if not file.scopes.calls_of(*_WRAPPERS) or _is_divided(file) or has_seeds:
        return
    trained = {training.loader.call for training in find_training_steps(file) if training.loader}
    for loader in find_loaders(file):
        if _reads_all_samples(file, loader) and (
            loader.call in trained if trained else _is_named_for_training(file, loader)
        ):
            yield _finding(file, loader, "DDP does not divide the data, and this loader has no sampler")


def _is_divided(file: SourceFile) -> bool:
    """Whether something in the file gives each rank its share: a sampler, dataset[rank::world_size]."""
    return any(_DIVISION_WORD.search(word) for word in file.tree.words(file.tree.root)) or any(
        node.step is not None and "rank" in text_of(node.lower) for node in file.tree.nodes(ast.Slice)
    )


def _find_unused_sampler(file: SourceFile) -> Findings:
    """sampler = DistributedSampler(dataset), and a loader of the same dataset without it."""
    for call in file.scopes.calls_of(library_names.DISTRIBUTED_SAMPLER):
        statement, scope = file.tree.statement_of(call), file.tree.scope_of(call)
        target = statement.targets[0] if isinstance(statement, ast.Assign) else None
        if not isinstance(target, ast.Name) or file.tree.parents[call] is not statement:
            continue
        sampler, dataset = target.id, text_of(find_argument(call, "dataset", 0))
        reads = [
            name
            for name in file.tree.named(sampler, scope)
            if isinstance(name.ctx, ast.Load) and last_name(file.tree.parents[name]) != "set_epoch"
        ]
        created = [
            other
            for assignment in file.tree.assignments_to(sampler)
            for other in file.tree.within(assignment, ast.Call)
            if file.scopes.callee(other) == library_names.DISTRIBUTED_SAMPLER
        ]
        if reads or len(created) > 1:
            continue
        for loader in find_loaders(file):
            if (
                text_of(loader.value("dataset")) == dataset
                and _reads_all_samples(file, loader)
                and file.tree.scope_of(loader.call) is scope
            ):
                yield _finding(file, loader, f"`{sampler}` divides the data, but this loader does not use it")


def _reads_all_samples(file: SourceFile, loader: Loader) -> bool:
    """Whether a loader reads all samples, and neither its arguments nor its dataset depend on the rank."""
    dataset = loader.value("dataset")
    created = [origin for origin in [dataset, *file.values.origins(dataset)] if origin is not None]
    if (
        loader.has("sampler")
        or loader.has("batch_sampler")
        or any(_RANK_WORD.search(text_of(item).lower()) or _is_random_data(file, item) for item in created)
        or any(_may_divide_itself(kind) for kind in loader.dataset_types)
    ):
        return False
    # shuffle=True excludes an IterableDataset. Without it, the class of the dataset must exclude it.
    return loader.flag("shuffle") is True or (
        loader.flag("shuffle") is False
        and any(type_is_a(kind, library_names.DATASET) for kind in loader.dataset_types)
    )


def _may_divide_itself(kind: str | ClassInfo) -> bool:
    """Whether a dataset is a stream, or reads the rank itself."""
    return type_is_a(kind, library_names.ITERABLE_DATASET) or (
        isinstance(kind, ClassInfo) and (kind.file.tree.mentions(kind.node, "rank", "get_rank", "world_size"))
    )


def _is_random_data(file: SourceFile, origin: ast.expr) -> bool:
    """Whether the data are random numbers, as in TensorDataset(torch.randn(...)): a demonstration."""
    callees = (file.scopes.callee(call) for call in ast.walk(origin) if isinstance(call, ast.Call))
    return any(
        callee.startswith("torch.") and callee.rpartition(".")[2] in _RANDOM_FUNCTIONS for callee in callees
    )


def _is_named_for_training(file: SourceFile, loader: Loader) -> bool:
    """Whether the name of a loader says that it is for training: train_loader = DataLoader(...)."""
    statement = file.tree.statement_of(loader.call)
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    return any(is_training_name(text_of(target).rpartition(".")[2]) is True for target in targets)


def _finding(file: SourceFile, loader: Loader, cause: str) -> Finding:
    return file.finding(
        "D36",
        loader.call,
        Certainty.LIKELY,
        f"{cause}: every rank goes through all samples",
        "pass sampler=DistributedSampler(dataset) in place of shuffle=True, and call set_epoch()",
    )
