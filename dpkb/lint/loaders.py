"""The data loaders of a file, with their settings and their datasets."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from dpkb.lint import library_names
from dpkb.lint.classes import ClassInfo, type_is_a
from dpkb.lint.nodes import called_name, find_argument, group, has_unknown_arguments, is_none
from dpkb.lint.source_file import SourceFile, once_per_file

_POSITIONS = (
    "dataset",
    "batch_size",
    "shuffle",
    "sampler",
    "batch_sampler",
    "num_workers",
    "collate_fn",
    "pin_memory",
    "drop_last",
    "timeout",
    "worker_init_fn",
    "multiprocessing_context",
    "generator",
)


@dataclass(frozen=True)
class Loader:
    """A call of DataLoader. positions: the names of the positional arguments."""

    file: SourceFile
    call: ast.Call
    positions: tuple[str, ...] = _POSITIONS

    def argument(self, name: str) -> ast.expr | None:
        """The value of an argument that the call itself has, by keyword or position."""
        return find_argument(self.call, name, self.positions.index(name) if name in self.positions else None)

    def value(self, name: str) -> ast.expr | None:
        """The value of an argument, also from a dict that is passed as **kwargs; None if it is not given."""
        value = self.argument(name)
        if value is not None:
            return value
        dicts = (
            origin
            for keyword in self.call.keywords
            if keyword.arg is None
            for origin in self.file.values.origins(keyword.value)
        )
        return next((value for origin in dicts if (value := _value_in_dict(origin, name)) is not None), None)

    def has(self, name: str) -> bool:
        """Whether an argument is given, or may be in **kwargs that are not known."""
        return self.value(name) is not None or has_unknown_arguments(self.call)

    def flag(self, name: str) -> bool | None:
        """The truth value of an argument; None if only the running program knows it."""
        value = self.value(name)
        if value is None:
            return None if has_unknown_arguments(self.call) else False
        constant = self.file.values.constant(value)
        return None if constant is None and not is_none(value) else bool(constant)

    @property
    def num_workers(self) -> int | None:
        """The number of workers; None if only the running program knows it."""
        value = self.value("num_workers")
        if value is None:
            return None if has_unknown_arguments(self.call) else 0
        constant = self.file.values.constant(value)
        return constant if isinstance(constant, int) else None

    @property
    def may_have_workers(self) -> bool:
        """Whether it has workers, or takes their number from a variable."""
        return (self.num_workers is None and self.value("num_workers") is not None) or bool(self.num_workers)

    @property
    def start_method(self) -> str | None:
        """The start method that multiprocessing_context names, or that the file passes to set_start_method()."""
        value = self.value("multiprocessing_context")
        contexts = [
            origin
            for origin in self.file.values.origins(value)
            if isinstance(origin, ast.Call) and self.file.scopes.callee(origin).endswith("get_context")
        ]
        calls = [*contexts, *self.file.scopes.method_calls("set_start_method")]
        names = map(self.file.values.constant, [value, *(call.args[0] for call in calls if call.args)])
        return next((name for name in names if isinstance(name, str)), None)

    @property
    def spawns(self) -> bool:
        """Whether its workers pickle the dataset, and import the script again."""
        return self.start_method in ("spawn", "forkserver")

    @cached_property
    def dataset_types(self) -> list[str | ClassInfo]:
        """The classes that its dataset, or the dataset inside a Subset, may be an instance of."""
        return list(_find_dataset_types(self.file, self.value("dataset")))

    @property
    def dataset_classes(self) -> list[ClassInfo]:
        """The classes of the linted files that its dataset may be an instance of."""
        return [kind for kind in self.dataset_types if isinstance(kind, ClassInfo)]

    @property
    def is_iterable(self) -> bool:
        """Whether the dataset is an IterableDataset."""
        return any(type_is_a(kind, library_names.ITERABLE_DATASET) for kind in self.dataset_types)


@once_per_file
def find_loaders(file: SourceFile) -> list[Loader]:
    """All calls of DataLoader in a file, and of subclasses that the file defines."""
    loaders = [Loader(file, call) for call in file.scopes.calls_of(library_names.LOADER)]
    positions = {
        info.name: _positions_of(info)
        for info in file.definitions.classes.values()
        if info.is_a(library_names.LOADER)
    }
    if positions:
        loaders += [
            Loader(file, call, positions[call.func.id])
            for call in file.tree.calls
            if isinstance(call.func, ast.Name) and call.func.id in positions
        ]
    return loaders


def _positions_of(loader_class: ClassInfo) -> tuple[str, ...]:
    """The positional arguments of a subclass of DataLoader, by its own __init__() if it has one."""
    init = loader_class.method("__init__")
    return (
        _POSITIONS
        if init is None
        else tuple(parameter.arg for parameter in [*init.args.posonlyargs, *init.args.args][1:])
    )


@once_per_file
def loader_of(file: SourceFile, node: ast.expr | None) -> Loader | None:
    """The loader that an expression iterates over: loader, enumerate(loader), tqdm(loader) ..."""
    for _ in range(4):
        calls = [origin for origin in file.values.origins(node) if isinstance(origin, ast.Call)]
        for call in calls:
            if file.scopes.callee(call) == library_names.LOADER:
                return Loader(file, call)
        # range(len(loader)) reads no batch.
        node = next((call.args[0] for call in calls if call.args and called_name(call) != "len"), None)
    return None


@once_per_file
def find_loops_over_loaders(file: SourceFile) -> dict[ast.Call, list[ast.For]]:
    """Each call of DataLoader -> the for loops over what it creates, in the order of the text."""
    loops = [(loader_of(file, loop.iter), loop) for loop in file.tree.nodes(ast.For)]
    return group((loader.call, loop) for loader, loop in loops if loader is not None)


def find_datasets(file: SourceFile) -> dict[ClassInfo, list[Loader]]:
    """The map-style and iterable dataset classes of a file -> the loaders that may read each."""
    classes = file.definitions.subclasses_of(library_names.DATASET, library_names.ITERABLE_DATASET)
    loaders: dict[ClassInfo, list[Loader]] = {info: [] for info in classes}
    for loader in find_loaders(file):
        for info in loaders.keys() & loader.dataset_classes:
            loaders[info].append(loader)
    return loaders


def _find_dataset_types(
    file: SourceFile, node: ast.expr | None, max_depth: int = 4
) -> Iterator[str | ClassInfo]:
    yield from file.values.types(node)
    if max_depth:
        for origin in file.values.origins(node):
            if isinstance(origin, ast.Call) and file.scopes.callee(origin) in (
                "torch.utils.data.Subset",
                "torch.utils.data.random_split",
                "torch.utils.data.ConcatDataset",
            ):
                inner = origin.args[0] if origin.args else None
                items = inner.elts if isinstance(inner, (ast.List, ast.Tuple)) else [inner]
                for item in items:
                    yield from _find_dataset_types(file, item, max_depth - 1)


def _value_in_dict(node: ast.expr, name: str) -> ast.expr | None:
    """The value under a key of `{"key": value}` or `dict(key=value)`."""
    if isinstance(node, ast.Dict):
        return next(
            (
                value
                for key, value in zip(node.keys, node.values, strict=True)
                if isinstance(key, ast.Constant) and key.value == name
            ),
            None,
        )
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "dict":
        return find_argument(node, name)
    return None
