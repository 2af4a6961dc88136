"""DP2: an IterableDataset that gives every worker all samples."""

import ast

from dpkb.lint.classes import ClassInfo
from dpkb.lint.library_names import ITERABLE_DATASET
from dpkb.lint.loaders import find_datasets
from dpkb.lint.nodes import Function, called_name, names_in
from dpkb.lint.source_file import Certainty, Findings, SourceFile

LOOKS_FOR = "__iter__ of an IterableDataset without get_worker_info, in a loader with workers."

_SPLIT_WORDS = (
    "get_worker_info",
    "worker_info",
    "worker_id",
    "num_workers",
    "split_dataset_by_node",
    "split_by_worker",
    "islice",
    "rank",
    "world_size",
    "num_replicas",
    "worker_init_fn",
    "shard",
    "shards",
    "get_rank",
)
# Functions that return all items of their argument.
_SAME_ITEMS = ("iter", "list", "enumerate", "sorted", "reversed", "tqdm")


def check(file: SourceFile) -> Findings:
    for info, used_by in find_datasets(file).items():
        method = info.methods.get("__iter__") if info.is_a(ITERABLE_DATASET) else None
        with_workers = [
            loader
            for loader in used_by
            if loader.may_have_workers and loader.num_workers != 1 and not loader.has("worker_init_fn")
        ]
        if method is None or (used_by and not with_workers) or _is_split(info) or _is_random_stream(method):
            continue
        reads_files = any(_is_reader(file, call) for call in file.tree.within(method, ast.Call))
        unseen = Certainty.LIKELY if reads_files else Certainty.HINT
        certainty = (
            unseen
            if not with_workers
            else Certainty.CERTAIN
            if any((loader.num_workers or 0) > 1 for loader in with_workers)
            and _yields_own_values(file, method)
            else Certainty.LIKELY
        )
        yield file.finding(
            "DP2",
            method,
            certainty,
            f"each worker runs `{info.name}.__iter__` and yields all samples, so each sample comes "
            "num_workers times",
            "split the samples with torch.utils.data.get_worker_info()",
        )


def _is_split(info: ClassInfo) -> bool:
    """Whether a method of the class, or a function that it calls, reads which worker or rank it is."""
    return any(
        owner.file.tree.mentions(function, *_SPLIT_WORDS)
        for owner in info.ancestors
        if isinstance(owner, ClassInfo)
        for method in owner.methods.values()
        for function in (method, *owner.file.definitions.find_called_functions(method))
    )


def _yields_own_values(file: SourceFile, method: Function) -> bool:
    """Whether __iter__ yields what it reads from ranges, lists and files, which do not split themselves.

    An object of the program may split itself, as may a queue that all workers read.
    """
    loops = file.tree.within(method, ast.For)
    sources = [loop.iter for loop in loops]
    sources += [node.value for node in file.tree.within(method, ast.YieldFrom)]
    sources += [node.value for node in file.tree.within(method, ast.Return) if node.value is not None]
    return (
        bool(sources)
        and all(_is_own_source(file, source) for source in sources)
        and all(
            any(file.tree.mentions(statement, *names_in(loop.target)) for statement in loop.body)
            for loop in loops
        )
    )


def _is_own_source(file: SourceFile, source: ast.expr, max_depth: int = 4) -> bool:
    """Whether a value to iterate over is a range, a list or a file, whatever path leads to it."""
    origins = file.values.origins(source)
    return (
        max_depth > 0
        and bool(origins)
        and all(
            bool(origin.elts)
            if isinstance(origin, (ast.List, ast.Tuple))
            else isinstance(origin, ast.Call)
            and (
                called_name(origin) == "range"
                or _is_reader(file, origin)
                or (
                    called_name(origin) in _SAME_ITEMS
                    and len(origin.args) == 1
                    and _is_own_source(file, origin.args[0], max_depth - 1)
                )
            )
            for origin in origins
        )
    )


def _is_reader(file: SourceFile, call: ast.Call) -> bool:
    """Whether a call opens or reads a file."""
    return (isinstance(call.func, ast.Name) and call.func.id == "open") or file.scopes.callee(call) in (
        "gzip.open",
        "pandas.read_csv",
        "h5py.File",
        "csv.reader",
        "json.loads",
        "pyarrow.parquet.read_table",
    )


def _is_random_stream(method: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether a method has an endless loop: it draws random samples, so workers need not divide them."""
    loops = (node for node in ast.walk(method) if isinstance(node, ast.While))
    ends = (ast.Break, ast.Return)
    return any(not any(isinstance(node, ends) for node in ast.walk(loop)) for loop in loops)
