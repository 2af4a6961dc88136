"""All linted files: a class may come from another file, which is then parsed on demand."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from dpkb.lint.classes import ClassInfo
from dpkb.lint.module import Module
from dpkb.lint.source import CannotRead, read_source

_LIBRARIES = {
    "torch", "torchvision", "torchaudio", "numpy", "transformers", "lightning", "pytorch_lightning", "timm",
    "os", "sys", "typing", "collections", "math", "random"}

# More parsed files are dropped: thousands do not fit into memory.
_MAX_PARSED_FILES = 300


class Project:
    """All files of one run, each parsed when it is linted or when another imports a class from it."""

    def __init__(self, paths: Iterable[Path]) -> None:
        self._modules: dict[Path, Module | None] = {}
        # Last name of a module -> the path of each module of that name, without its ending, and its file.
        self._files_by_name: dict[str, list[tuple[str, Path]]] = defaultdict(list)
        for path in paths:
            stem = path.parent if path.name == "__init__.py" else path.with_suffix("")
            self._files_by_name[stem.name].append(("/" + stem.as_posix(), path))

    def module(self, path: Path) -> Module | None:
        """The parsed file; None for one that never mentions torch. Raises CannotRead."""
        if path in self._modules:
            module = self._modules.pop(path)  # put back below as the most recently used
        else:
            self._modules[path] = None  # a circular import finds nothing
            source = read_source(path)
            module = Module(source, self) if source else None
        self._modules[path] = module
        if len(self._modules) > _MAX_PARSED_FILES:
            self._release(next(iter(self._modules)))
        return module

    def release(self) -> None:
        """Drop all parsed files."""
        for path in list(self._modules):
            self._release(path)

    def _release(self, path: Path) -> None:
        module = self._modules.pop(path)
        if module is not None:
            module.release()

    def imported_class(self, dotted: str, importer: str, steps: int = 3) -> ClassInfo | None:
        """The class of the linted files that the file `importer` calls `package.module.Class`."""
        *package, name = dotted.split(".")
        if not package or package[0] in _LIBRARIES or steps == 0:
            return None
        for path in self._files_of(package, importer):
            try:
                module = self.module(path)
            except CannotRead:
                continue
            if module is None:
                continue
            if name in module.classes:
                return module.classes[name]
            if name in module.imports:  # imported there only to be imported from there, as in __init__.py
                return self.imported_class(module.imports[name], str(path), steps - 1)
        return None

    def _files_of(self, package: list[str], importer: str) -> list[Path]:
        """The files that a dotted module name may mean, nearest to the importing file first."""
        ending = "/" + "/".join(package)
        files = [path for name, path in self._files_by_name.get(package[-1], []) if name.endswith(ending)]
        return sorted(files, key=lambda path: -_shared_folders(path, importer))[:3]


def _shared_folders(path: Path, other: str) -> int:
    """How many folders two paths have in common, from the left."""
    pairs = zip(path.parts, Path(other).parts, strict=False)
    return next((number for number, (one, two) in enumerate(pairs) if one != two), len(path.parts))
