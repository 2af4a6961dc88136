"""DP2: an IterableDataset that gives every worker all samples."""

import ast
from collections.abc import Iterator

from dpkb.lint.classes import ClassInfo
from dpkb.lint.finding import Certainty, Finding
from dpkb.lint.library_names import ITERABLE_DATASET
from dpkb.lint.loaders import find_datasets, find_loaders_of_class
from dpkb.lint.source_file import SourceFile

LOOKS_FOR = "__iter__ of an IterableDataset without get_worker_info, in a loader with workers."

_SPLIT_WORDS = (
    "get_worker_info", "worker_info", "worker_id", "num_workers", "split_dataset_by_node", "split_by_worker",
    "islice", "rank", "world_size", "num_replicas", "worker_init_fn", "shard", "shards", "get_rank")


def check(file: SourceFile) -> Iterator[Finding]:
    for info in find_datasets(file):
        if not info.is_a(ITERABLE_DATASET) or _is_split(file, info):
            continue
        method = info.methods.get("__iter__")
        if method is None or _is_random_stream(method):
            continue
        used_by = find_loaders_of_class(file, info)
        with_workers = [
            loader for loader in used_by
            if loader.may_have_workers and loader.num_workers != 1 and not loader.has("worker_init_fn")]
        if used_by and not with_workers:
            continue
        unseen = Certainty.LIKELY if _reads_files(file, method) else Certainty.HINT
        certainty = (
            unseen if not with_workers else Certainty.CERTAIN
            if any((loader.num_workers or 0) > 1 for loader in with_workers) else Certainty.LIKELY)
        yield file.finding(
            "DP2", method, certainty,
            f"each worker runs `{info.name}.__iter__` and yields all samples, so each sample comes "
            "num_workers times",
            "split the samples with torch.utils.data.get_worker_info()")


def _is_split(file: SourceFile, info: ClassInfo) -> bool:
    return any(file.tree.mentions(method, *_SPLIT_WORDS) for method in info.all_methods)


def _reads_files(file: SourceFile, method: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether a method reads records from a file itself."""
    return any((isinstance(call.func, ast.Name) and call.func.id == "open") or file.scopes.callee(call) in (
        "gzip.open", "pandas.read_csv", "h5py.File", "csv.reader", "json.loads", "pyarrow.parquet.read_table")
        for call in file.tree.within(method, ast.Call))


def _is_random_stream(method: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether a method has an endless loop: it draws random samples, so workers need not divide them."""
    loops = (node for node in ast.walk(method) if isinstance(node, ast.While))
    ends = (ast.Break, ast.Return)
    return any(not any(isinstance(node, ends) for node in ast.walk(loop)) for loop in loops)
