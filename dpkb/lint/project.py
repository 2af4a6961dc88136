"""All linted files: a class may come from another file, which is then parsed on demand."""

from __future__ import annotations

import contextlib
import os
import re
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from dpkb.files import read_bytes
from dpkb.lint.classes import ClassInfo
from dpkb.lint.parsed_code import MAX_BYTES, read_code
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

# What may load or read a file whose name is put together, is in a list, or is stored in another file.
_LOADERS = re.compile(
    rb"(?<!\w)\.py\b|(\*\*/|\b(?:__import__|discover|exec|import_module|iter_modules|pytest\.main|run_module"
    rb"|run_path|(?<!ast\.)walk)\b)|\b(?:\w*subprocess\w*|executable|getsource|glob|imp|import(?:file|lib)|instantiate"
    rb"|iterdir|linecache|listdir|locate|pickle|pkgutil|[pP]open|read_bytes|read_text|resolve_name|rglob|runpy|scandir"
    rb"|system)\b"
)
# How a file uses another: it imports it, runs the module of this name as a program, or names "train.py".
_IMPORTS = re.compile(
    rb"""(?:^|[;:"'])[ \t\f]*(?:from|import)\b(?:[^\n(\\]|\\\r?\n|\((?:#[^\n]*\n|[^)#]){0,9999}\))*"""
    rb"""|['"](?:[^'"\n]*\s)?(?:-m|%run)\b[^\n]*""",
    re.MULTILINE,
)
_NAMES = re.compile(rb"""['"](?:[^'"\n]*?\.py\b|[\w-]+(?:[./][\w-]+)+['"])""")
_NAMES_OF_LOADER = re.compile(rb"""['"][\w./ -]+['"]|[\w./-]+\.py\b""")
_WORDS = re.compile(rb"[\w\x80-\xff-]+")
# The files that may use others, beside programs without an ending. Any word of a shell script may name a file.
_SUFFIXES = (".py", ".ipynb", ".sh")
# When more files than this are parsed, all are dropped before the next is linted: thousands do not fit into
# memory. Dropping some of them would leave references to these in the others.
_MAX_PARSED_FILES = 300


class Project:
    """All files of one run, each parsed when it is linted or when another imports a class from it."""

    def __init__(self, paths: Iterable[Path]) -> None:
        self._parsed: dict[Path, SourceFile | None] = {}
        # Last part of a module's name -> each file of that name: its path without the ending, and its path.
        self._files_by_name: dict[str, list[tuple[str, Path]]] = defaultdict(list)
        # Each name that the files in these folders import -> the files that do; and each that they only name.
        self._importers: dict[bytes, set[Path]] = defaultdict(set)
        self._users: dict[bytes, set[Path]] = defaultdict(set)
        # Folder -> the files in it that may load any other; folder/* -> those that may run files further below.
        self._loaders: dict[Path, set[Path]] = defaultdict(set)
        self._searched: set[tuple[Path, str]] = set()
        self._folders: set[Path] = set()
        for path in paths:
            stem = path.parent if path.name == "__init__.py" else path.with_suffix("")
            self._files_by_name[stem.name].append(("/" + stem.as_posix(), path))
            self._folders.add(path.absolute().parent)

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

    def is_used_elsewhere(self, name: str) -> bool:
        """Whether another file seems to use this one.

        Searched are its folder, the one above, those directly below these two, and some further above; also the
        folders of linted files.
        """
        path = Path(name).absolute()
        places = {
            *((folder, kind) for folder in (*path.parents[:2], *self._folders) for kind in ("*", "*/*")),
            *((folder, "*") for folder in path.parents[2:5]),
        } - self._searched
        self._searched |= places
        files = {
            file
            for folder, kind in places
            for file in folder.glob(kind)
            if (file.suffix in _SUFFIXES if file.suffix else os.access(file, os.X_OK))
        }
        for user in files:
            with contextlib.suppress(OSError):
                text = read_bytes(user, MAX_BYTES)
                loads = _LOADERS.findall(text)
                for place in [user.parent] * bool(loads) + [user.parent / "*"] * any(loads):
                    self._loaders[place].add(user)
                imports = _IMPORTS.findall(text) if user.suffix != ".sh" else [text]
                names = _NAMES.findall(text)
                names += _NAMES_OF_LOADER.findall(text) if loads else []
                for index, found in ((self._importers, imports), (self._users, imports + names)):
                    for word in _WORDS.findall(b"\n".join(found)):
                        index[word].add(user)
        folder = os.fsencode(path.parent.name)
        names = _WORDS.findall(os.fsencode(path.stem))
        stem = folder if path.name in ("__init__.py", "__main__.py") or not names else names[-1]
        # Elsewhere, "train.py" means this one only if something also names its folder, or the one above.
        around = self._users[folder] | self._users[os.fsencode(path.parent.parent.name)]
        near = {
            user
            for user in self._users[stem]
            if user.parent in path.parents[:2] or path.parent in user.parents
        }
        runners = {
            user
            for above, below in zip(path.parents[1:5], path.parents, strict=False)
            for user in self._loaders[above / "*"] & self._users[os.fsencode(below.name)]
        }
        return not (
            self._importers[stem] | near | self._users[stem] & around | self._loaders[path.parent] | runners
        ) <= {path}

    def _files_of(self, package: list[str], importer: str) -> list[Path]:
        """The files that a dotted module name may mean, nearest to the importing file first."""
        ending = "/" + "/".join(package)
        files = [path for name, path in self._files_by_name.get(package[-1], []) if name.endswith(ending)]
        return sorted(files, key=lambda path: -_shared_folders(path, importer))[:3]


def _shared_folders(path: Path, other: str) -> int:
    """How many folders two paths have in common, from the left."""
    pairs = zip(path.parts, Path(other).parts, strict=False)
    return next((number for number, (one, two) in enumerate(pairs) if one != two), len(path.parts))
