"""All linted files: a class may come from another file, which is then parsed on demand."""

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from dpkb.lint.classes import ClassInfo
from dpkb.lint.linking import Outline, is_library
from dpkb.lint.source_file import SourceFile
from dpkb.source_code.parsed_code import read_code

# When more files than this are parsed, all are dropped before the next is linted: thousands do not fit into
# memory. Dropping some of them would leave references to these in the others.
_MAX_PARSED_FILES = 300


class Project:
    """All files of one run, each parsed when it is linted or when another imports a class from it."""

    def __init__(self, paths: Iterable[Path]) -> None:
        self._parsed: dict[Path, SourceFile | None] = {}
        self._outlines: dict[Path, Outline | None] = {}
        self._files: dict[tuple[str, str], list[Path]] = {}
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
            outline = self._outline(path)
            self._parsed[path] = SourceFile(outline.code, self) if outline else None
        return self._parsed[path]

    def _outline(self, path: Path) -> Outline | None:
        if path not in self._outlines:
            code = read_code(path)
            self._outlines[path] = Outline(code) if code else None
        return self._outlines[path]

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
        self._outlines.clear()

    def find_definition(self, dotted: str, importer: str, max_depth: int = 3) -> tuple[Outline, str] | None:
        """The file that defines what the file `importer` calls `package.module.name`, and the name there.

        max_depth: how many files to follow that import it from another file.
        """
        package, _, name = dotted.rpartition(".")
        if not package or is_library(package) or max_depth == 0:
            return None
        for path in self._files_of(package, importer):
            try:
                outline = self._outline(path)
            except Exception:  # the linting of that file reports why
                continue
            if outline and name in outline.definitions:
                return outline, name
            if outline and name in outline.imports:  # imported to be exported again, as in __init__.py
                return self.find_definition(outline.imports[name], str(path), max_depth - 1)
        return None

    def imported_class(self, dotted: str, importer: str) -> ClassInfo | None:
        """The class of the linted files that the file `importer` calls `package.module.Class`."""
        found = self.find_definition(dotted, importer)
        try:
            file = self.parse(Path(found[0].code.name)) if found else None
        except Exception:  # the linting of that file reports why
            return None
        return file.definitions.classes.get(found[1]) if found and file else None

    def _files_of(self, package: str, importer: str) -> list[Path]:
        """The files that a dotted module name may mean, nearest to the importing file first."""
        folder, parts = Path(importer).parent, package.split(".")
        key = package, str(folder)
        if key not in self._files:
            ending = "/" + "/".join(parts)
            files = [path for name, path in self._files_by_name.get(parts[-1], []) if name.endswith(ending)]
            around = {folder, *folder.parents}
            self._files[key] = sorted(files, key=lambda path: -len(around.intersection(path.parents)))[:3]
        return self._files[key]
