"""All linted files: a class may come from another file, which is then parsed on demand."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from dpkb.lint.classes import ClassInfo
from dpkb.lint.parsed_code import read_code
from dpkb.lint.source_file import SourceFile

_LIBRARIES = {
    "torch",
    "torchvision",
    "torchaudio",
    "numpy",
    "transformers",
    "lightning",
    "pytorch_lightning",
    "timm",
    "os",
    "sys",
    "typing",
    "collections",
    "math",
    "random",
}

# When more files than this are parsed, all are dropped before the next is linted: thousands do not fit into
# memory. Dropping some of them would leave references to these in the others.
_MAX_PARSED_FILES = 300


class Project:
    """All files of one run, each parsed when it is linted or when another imports a class from it."""

    def __init__(self, paths: Iterable[Path]) -> None:
        self._parsed: dict[Path, SourceFile | None] = {}
        # Last part of a module's name -> each file of that name: its path without the ending, and its path.
        self._files_by_name: dict[str, list[tuple[str, Path]]] = defaultdict(list)
        self.folders: set[Path] = set()
        for path in paths:
            stem = path.parent if path.name == "__init__.py" else path.with_suffix("")
            self._files_by_name[stem.name].append(("/" + stem.as_posix(), path))
            self.folders.add(path.absolute().parent)

    def parse(self, path: Path) -> SourceFile | None:
        """The parsed file; None for one that never mentions torch. Raises CannotRead."""
        if path not in self._parsed:
            source = read_code(path)
            self._parsed[path] = SourceFile(source, self) if source else None
        return self._parsed[path]

    def release_if_full(self) -> None:
        """Drop all parsed files if they are too many. None of them may be in use."""
        if len(self._parsed) > _MAX_PARSED_FILES:
            self.release()

    def release(self) -> None:
        """Drop all parsed files."""
        for file in self._parsed.values():
            if file is not None:
                file.release()
        self._parsed.clear()

    def imported_class(self, dotted: str, importer: str, max_depth: int = 3) -> ClassInfo | None:
        """The class of the linted files that the file `importer` calls `package.module.Class`.

        max_depth: how many files to follow that import the class from another file.
        """
        *package, name = dotted.split(".")
        if not package or package[0] in _LIBRARIES or max_depth == 0:
            return None
        for path in self._files_of(package, importer):
            try:
                file = self.parse(path)
            except Exception:  # the linting of that file reports why
                continue
            if file is None:
                continue
            if name in file.definitions.classes:
                return file.definitions.classes[name]
            if name in file.scopes.imports:  # imported to be exported again, as in __init__.py
                return self.imported_class(file.scopes.imports[name], str(path), max_depth - 1)
        return None

    def _files_of(self, package: list[str], importer: str) -> list[Path]:
        """The files that a dotted module name may mean, nearest to the importing file first."""
        ending = "/" + "/".join(package)
        files = [path for name, path in self._files_by_name.get(package[-1], []) if name.endswith(ending)]
        folders = {*Path(importer).parents}
        return sorted(files, key=lambda path: -len(folders.intersection(path.parents)))[:3]
