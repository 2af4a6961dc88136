"""Which files another may run, import or read: a correction in them may show there.

A program that expects an error of another, or reads its text, can hardly be told from one that does not. So a file
has no users only if it stands for itself: no code is above it, and what is beside or below it neither names it nor
can run or list files.
"""

import ast
import contextlib
import os
import re
import sys
import tempfile
from collections.abc import Iterable, Iterator
from itertools import islice, pairwise
from pathlib import Path

from dpkb.files import read_bytes
from dpkb.source_code.parsed_code import CannotRead, read_code

# Of the standard library, all other modules may run or list files, or read their text.
_HARMLESS_MODULES = frozenset(
    """__future__ abc argparse bisect collections contextlib copy csv dataclasses datetime enum fractions functools
    heapq itertools json logging math numbers operator os queue random re statistics string sys tempfile time
    traceback types typing uuid warnings""".split()
)
# With one of these words, code runs or lists files. "py" is what f"{name}.py" and "*.py" end in.
_RUNNING = re.compile(
    r"\b(__(builtins|doc|globals|import|loader|self|spec|subclasses)__|(?<![.'])(compile|eval)(?=\()|coverage"
    r"|cpp_extension|datapipes|datasetfolder|dill|exec\w*|fire|f?walk|fsspec|hub|hydra|invoke|ipython|joblib|listdir"
    r"|make_dataset|nox|papermill|pexpect|plumbum|popen|posix_spawn\w*|psutil|py|pytest|ray|scandir|spawn\w+"
    r"|startfile|system|xdist)\b",
    re.IGNORECASE,
)
# Beside a program, Python and torch import a file of such a name in place of the library.
_LIBRARIES = sys.stdlib_module_names | frozenset(
    """conftest cv2 dill filelock fsspec jinja2 markupsafe mpmath networkx numpy optree packaging psutil scipy
    setuptools sitecustomize sympy torch torchvision tqdm triton typing_extensions usercustomize yaml""".split()
)
_OTHER_CODE = (".bash", ".bat", ".cmd", ".ipynb", ".ps1", ".pyw", ".sh", ".zsh")
_DOCUMENTS = (".md", ".rst")
# Such tests of a folder above may look at each file below it. Those that name this one count.
_TEST = re.compile(r"(test_.*|.*_test|conftest)\.py")
_IMPORT = re.compile(r"^ *(?:from|import) (.*)", re.MULTILINE)
_WORD = re.compile(r"\w+")
_MAX_FILES = 1000


def may_be_used(path: Path, linted_folders: Iterable[Path]) -> bool:
    """Whether another file may run, import or read this one, as far as the folders around it show."""
    path = path.absolute()
    folder = path.parent
    above = list(_folders_above(folder))
    below = list(islice(_files_below(folder), _MAX_FILES))
    return (
        path != Path(os.path.realpath(path))
        or path.stem in ("__init__", "__main__")
        or len(below) == _MAX_FILES
        or any(_may_use(file, path) for file in below if file != path)
        or any(
            (_is_code(file) and not _TEST.fullmatch(file.name))
            or _names(file, path.stem if _is_code(file) else path.name)
            for place in above
            for file in place.glob("*")
        )
        or any(
            _is_code(file) and _names(file, folder.name)
            for place in {*linted_folders, *folder.parent.glob("*/")} - {folder, *above}
            for file in place.glob("*")
        )
    )


def _folders_above(folder: Path) -> Iterator[Path]:
    """The folders above that may belong to the same project: up to the root of a repository, at most four."""
    for inner, outer in islice(pairwise([folder, *folder.parents]), 4):
        if (inner / ".git").exists() or outer == Path(tempfile.gettempdir()):
            return
        yield outer


def _files_below(folder: Path) -> Iterator[Path]:
    for place, folders, names in os.walk(folder, followlinks=True):
        folders[:] = [
            name
            for name in folders
            if name not in ("__pycache__", "node_modules", "site-packages")
            and not Path(place, name, "pyvenv.cfg").exists()
        ]
        yield from (Path(place, name) for name in names)


def _may_use(file: Path, path: Path) -> bool:
    """Whether a file beside another or below it may use that, or is another name of it."""
    if not _is_code(file):
        return _names(file, path.name)
    try:
        code = read_code(file, mentions=(b"",)) if file.suffix == ".py" else None
        statements = code.tree.body[bool(ast.get_docstring(code.tree)) :] if code else []
        # Without comments, each import in a line of its own, and "tr" + "ain" as one word.
        text = "\n".join(map(ast.unparse, statements)).replace("' + '", "")
    except (CannotRead, RecursionError):
        return True
    return (
        code is None
        or path == Path(os.path.realpath(file))
        or set(_WORD.findall(path.stem)) <= set(_WORD.findall(text))
        or not sys.stdlib_module_names.intersection(_WORD.findall("\n".join(_IMPORT.findall(text))))
        <= _HARMLESS_MODULES
        or bool(_RUNNING.search(text))
        or not _LIBRARIES.isdisjoint(_WORD.findall(os.path.relpath(file, path.parent)))
    )


def _is_code(file: Path) -> bool:
    """Whether a file is a program, a module or a notebook. Without an ending, only Makefile and LICENSE are none."""
    return file.suffix in (".py", *_OTHER_CODE) or (
        not file.suffix and file.is_file() and (file.name[0].islower() or os.access(file, os.X_OK))
    )


def _names(file: Path, name: str) -> bool:
    """Whether a file that is no document has all words of a name. Larger ones are data."""
    with contextlib.suppress(OSError):
        text = read_bytes(file, 1_000_000).decode(errors="replace")
        return file.suffix not in _DOCUMENTS and set(_WORD.findall(name)) <= set(_WORD.findall(text))
    return False
