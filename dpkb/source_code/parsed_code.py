"""Python files and notebooks, read and parsed."""

import ast
import contextlib
import hashlib
import io
import json
import re
import tokenize
import warnings
from bisect import bisect_right
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import BinaryIO

from dpkb.files import open_regular
from dpkb.text import count_of

# A larger file is probably generated, and nobody corrects it by hand.
MAX_BYTES = 4_000_000
# Where a shell passes a pipe that it has opened. Any other pipe may never end, or have no writer.
_SHELL_PIPES = ("/dev/fd/", "/dev/stdin", "/proc/self/fd/")
# In code for Python 3.6 and older, `async` may be the name of an argument.
_ASYNC_ARGUMENT = re.compile(r"\basync(?=\s*=[^=])")
# From 4,300 digits on, Python does not print a number, though it reads one in another base.
_HUGE_NUMBER = re.compile(r"0[xXoObB]\w{3000}")
# What only IPython understands: %cd .., !ls, ?name, name?, and files = !ls.
_MAGIC = re.compile(r"%%?\s*[a-zA-Z_]|!(?!=)|\?|[\w.,\s]+=\s*[%!]")
# Magics before a cell whose other lines are Python.
_PYTHON_CELLS = ("%%time", "%%capture", "%%prun")


class CannotRead(Exception):
    """The file is not linted; the message says why in one line."""


@dataclass(frozen=True)
class ParsedCode:
    """The code of one file, or of all cells of a notebook. cell_starts: the first line of each cell.

    unread: why a cell is left out; "" if all are read. digest: that of the bytes, if it is from a file.
    """

    name: str
    text: str
    tree: ast.Module
    cell_starts: tuple[int, ...] = ()
    unread: str = ""
    digest: bytes = b""

    def place(self, line: int) -> tuple[int, int | None]:
        """The line in the file and None; in a notebook, the line in its cell and the number of the cell."""
        number = bisect_right(self.cell_starts, line)
        return (line - self.cell_starts[number - 1] + 1, number) if number else (line, None)


def read_code(path: Path, mentions: tuple[bytes, ...] = (b"torch", b"lightning")) -> ParsedCode | None:
    """The parsed file; None for one that has none of these words. Raises CannotRead."""
    try:
        with _open(path) as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise CannotRead(f"cannot be read: {error.strerror}") from None
    if len(data) > MAX_BYTES:
        raise CannotRead(f"larger than {MAX_BYTES // 1_000_000} MB, so it is taken to be generated")
    if not any(word in data for word in mentions):
        return None
    if path.suffix == ".ipynb":
        text, starts, unread = _notebook_code(data)
        return ParsedCode(str(path), text, _parse(text), starts, unread)
    text = _decode(data)
    return ParsedCode(str(path), text, _parse(text), digest=digest_of(data))


def encoding_of(data: bytes) -> str:
    """The encoding that a file declares; UTF-8 if Python does not have it, as with future_fstrings."""
    try:
        return tokenize.detect_encoding(io.BytesIO(data).readline)[0]
    except SyntaxError:
        return "utf-8"


def digest_of(data: bytes) -> bytes:
    """What tells whether a file still has the bytes that were read."""
    return hashlib.blake2b(data, digest_size=16).digest()


def _open(path: Path) -> BinaryIO:
    """Open a file, or a pipe of the shell as in `dpkb lint <(git show HEAD:train.py)`. Raises OSError."""
    return open(path, "rb") if str(path).startswith(_SHELL_PIPES) else open_regular(path)


def _decode(data: bytes) -> str:
    try:
        return _with_line_feeds(data.decode(encoding_of(data)))
    except Exception as error:  # a codec may raise anything, for example UnicodeError
        raise CannotRead(f"is not text in its declared encoding: {error}") from None


def _with_line_feeds(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _parse(text: str) -> ast.Module:
    try:
        return _tree(text)
    except SyntaxError as error:
        raise CannotRead(f"line {error.lineno or 1}: does not parse: {error.msg}") from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise CannotRead(f"does not parse: {error or type(error).__name__}") from None


def _tree(text: str) -> ast.Module:
    """The parsed text. Of a number that Python may not print, only the first digits are kept."""
    tree = _tree_of_any_version(text)
    for node in ast.walk(tree) if _HUGE_NUMBER.search(text) else ():
        if isinstance(node, ast.Constant) and isinstance(node.value, int):
            node.value >>= max(node.value.bit_length() - 10_000, 0)
    return tree


def _tree_of_any_version(text: str) -> ast.Module:
    """The parsed text, also of code for Python 3.6 and older that passes `async=True`."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about invalid escapes in strings
        try:
            return ast.parse(text)
        except SyntaxError:
            # The other name is as long, so that every node keeps its place.
            older = _ASYNC_ARGUMENT.sub("asynC", text)
            if older == text:
                raise
            return ast.parse(older)


def _notebook_code(data: bytes) -> tuple[str, tuple[int, ...], str]:
    """The text of all cells, the first line of each, and why a cell is left out."""
    try:
        cells = json.loads(data)["cells"]
        codes = [_cell_text(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        reason = f"it has no {error}" if isinstance(error, KeyError) else str(error)
        raise CannotRead(f"is not a notebook: {reason}") from None
    lines: list[str] = []
    starts = []
    problems = []
    for number, code in enumerate(codes, 1):
        starts.append(len(lines) + 1)
        try:
            lines += _python_lines(code.split("\n"))
        except CannotRead as error:
            lines += ["#" + line for line in code.split("\n")]
            problems.append(f"cell {number}: {error}")
    others = f"; {count_of(len(problems) - 1, 'other cell')} left out" if len(problems) > 1 else ""
    return "\n".join(lines) + "\n", tuple(starts), problems[0] + others if problems else ""


def _cell_text(source: list[str] | str) -> str:
    """The text of a cell, with `?` for what JSON may have and no source may: it spoils its own cell only."""
    return _with_line_feeds("".join(source).replace("\0", "?").encode(errors="replace").decode())


def _python_lines(lines: list[str]) -> list[str]:
    """The lines of a cell; comments if it is in another language. Raises CannotRead if it does not parse."""
    comments = ["#" + line for line in lines]
    if lines[0].startswith("%%") and not lines[0].startswith(_PYTHON_CELLS):
        return comments
    with contextlib.suppress(CannotRead):
        _parse("\n".join(lines))
        return lines
    # Only now: in Python, a line that starts with % continues the line before.
    python_lines = _without_magics(lines)
    try:
        _parse("\n".join(python_lines))
    except CannotRead:
        if any(line.startswith("%%") for line in lines):
            return comments
        raise
    return python_lines


def _without_magics(lines: list[str]) -> list[str]:
    """The lines of a cell, with `pass` in place of each line that only IPython understands."""
    result = []
    is_magic = False
    for before, line in pairwise(["", *lines]):
        if is_magic and before.endswith("\\"):
            result.append("")
            continue
        stripped = line.strip()
        is_magic = bool(_MAGIC.match(stripped)) or (stripped.endswith("?") and "#" not in stripped)
        # `pass` in place of the line, so that a block that has only magics still parses.
        result.append(line[: len(line) - len(line.lstrip())] + "pass" if is_magic else line)
    return result
