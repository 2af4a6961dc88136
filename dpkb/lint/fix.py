"""Applies the edits that the rules propose to the text of the files.

The edits are ranges of the source, so formatting and comments stay, and no package that rewrites syntax trees
is needed.
"""

from __future__ import annotations

import ast
import contextlib
import difflib
import io
import os
import re
import stat
import warnings
from bisect import bisect_right, insort
from collections.abc import Callable, Iterable
from itertools import combinations, pairwise
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from dpkb.errors import CannotWrite, DpkbError
from dpkb.files import read_bytes, replace_file, require_writable
from dpkb.lint.finding import Edit, Finding
from dpkb.lint.nodes import group
from dpkb.source_code.parsed_code import MAX_BYTES, digest_of, encoding_of
from dpkb.text import join_lines

if TYPE_CHECKING:
    from dpkb.lint.run import LintResult

# Only the first of several overlapping corrections is applied in a round, so more rounds may be needed.
_MAX_ROUNDS = 5
_NEWLINE = re.compile(r"\r\n|\r|\n")
_START = attrgetter("start")
_CHANGED = "has changed since it was read, so it is left as it is; run the command again"


class Correction(NamedTuple):
    """The text of a file before and after, how many findings that corrects, and the file as it was read."""

    before: str
    after: str
    number: int
    data: bytes
    encoding: str


def is_fixable(finding: Finding, unsafe: bool) -> bool:
    """Whether a finding can be corrected by rewriting the code."""
    return finding.rewrite is not None and (unsafe or not finding.rewrite.unsafe) and finding.cell is None


def fix_until_stable(
    find: Callable[[], LintResult], unsafe: bool, skipped: dict[str, DpkbError]
) -> tuple[LintResult, int]:
    """Rewrite files until nothing more can be fixed: what is found then, and how many findings were fixed.

    find: lints the files as they are now. skipped: gets each file that is left as it is, with the reason.
    """
    result, fixed = find(), 0
    for _ in range(_MAX_ROUNDS):
        before = fixed
        for file, correction in correct_files(result.findings, unsafe, skipped).items():
            try:
                _write(Path(file), correction)
                fixed += correction.number
            except DpkbError as error:
                skipped[file] = error
        if fixed == before:
            break
        result = find()
    return result, fixed


def correct_files(
    findings: Iterable[Finding], unsafe: bool, skipped: dict[str, DpkbError]
) -> dict[str, Correction]:
    """File -> its correction, without edits that overlap others.

    skipped: the files to leave as they are; gets those that cannot be corrected, with the reason.
    """
    fixable = (finding for finding in findings if is_fixable(finding, unsafe))
    by_file = group((finding.file, finding) for finding in fixable if finding.file not in skipped)
    changes = {}
    for file, file_findings in by_file.items():
        try:
            data, text, encoding = _read(
                Path(file), {finding.rewrite.digest for finding in file_findings if finding.rewrite}
            )
        except DpkbError as error:
            skipped[file] = error
            continue
        result, number = apply(text, file_findings)
        if not _parses(result):
            result, number = apply(text, _without_broken_edits(text, file_findings))
        if result != text:
            changes[file] = Correction(text, result, number, data, encoding)
    return changes


def _without_broken_edits(text: str, findings: list[Finding]) -> list[Finding]:
    """The findings whose edits, one after the other, leave a text that parses."""
    kept: list[Finding] = []
    for finding in findings:
        if _parses(apply(text, [*kept, finding])[0]):
            kept.append(finding)
    return kept


def apply(text: str, findings: Iterable[Finding]) -> tuple[str, int]:
    """The text with the edits of the findings, and how many findings that corrects."""
    edits: list[Edit] = []  # in the order of the text; none overlaps another
    number = 0
    for finding in findings:
        proposed_edits = finding.rewrite.edits if finding.rewrite else ()
        new_edits = [edit for edit in proposed_edits if edit not in _neighbours(edits, edit)]
        if any(_overlap(one, other) for one in new_edits for other in _neighbours(edits, one)) or any(
            _overlap(one, other) for one, other in combinations(new_edits, 2)
        ):
            continue
        for edit in new_edits:
            insort(edits, edit, key=_START)
        number += 1
    lines, newline = _split_lines(text), _NEWLINE.search(text)
    for edit in reversed(edits):
        (first, start), (last, end) = edit.start, edit.end
        inserted = edit.text.replace("\n", newline[0]) if newline else edit.text
        lines[first - 1 : last] = [lines[first - 1][:start] + inserted.encode() + lines[last - 1][end:]]
    return b"".join(lines).decode(), number


def diff(file: str, before: str, after: str) -> str:
    """The change as a patch for `git apply` and `patch -p1`."""
    name = Path(file).relative_to(Path(file).anchor).as_posix()
    # StringIO ends lines at a line feed only, as patches do; splitlines() also does at a form feed.
    lines = difflib.unified_diff(
        list(io.StringIO(before)),
        list(io.StringIO(after)),
        _quote_name(f"a/{name}"),
        _quote_name(f"b/{name}"),
    )
    return "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines
    )


def _quote_name(name: str) -> str:
    """A name as git writes it in a patch: with quotes and octal numbers if a terminal cannot show it."""
    if join_lines(name) == name:
        return f"{name}\t" if " " in name else name  # without the tab, `patch` ends the name at the space
    plain = set(range(ord(" "), 127)) - set(b'"\\')
    return '"' + "".join(chr(byte) if byte in plain else f"\\{byte:03o}" for byte in os.fsencode(name)) + '"'


def _write(path: Path, correction: Correction) -> None:
    """Replace the text of a file in one step. Its encoding, owner and mode stay.

    Raises CannotWrite, or DpkbError if it is no longer the file that was read.
    """
    target = Path(os.path.realpath(path))  # a link stays a link

    def require_same() -> None:
        if read_bytes(target, MAX_BYTES) != correction.data:
            raise DpkbError(f"{path}: {_CHANGED}")

    try:
        require_writable(target)
        with replace_file(target, last_check=require_same) as temporary:
            temporary.write_bytes(correction.after.encode(correction.encoding))
            _copy_owner_and_mode(target, temporary)
    except OSError as error:
        raise CannotWrite(f"{path}: cannot be written: {error.strerror or error}") from None


def _copy_owner_and_mode(source: Path, target: Path) -> None:
    status = source.stat()
    if hasattr(os, "chown"):
        with contextlib.suppress(OSError):  # only root may give a file to another user
            os.chown(target, status.st_uid, status.st_gid)
    target.chmod(stat.S_IMODE(status.st_mode))


def _read(path: Path, digests: set[bytes]) -> tuple[bytes, str, str]:
    """The bytes of a file, its text with unchanged line ends, and its encoding.

    digests: those of the bytes that its findings are for. Raises DpkbError if it cannot be corrected.
    """
    try:
        data = read_bytes(path, MAX_BYTES)
    except OSError as error:
        raise DpkbError(f"{path}: cannot be read: {error.strerror or error}") from None
    if digests != {digest_of(data)}:
        raise DpkbError(f"{path}: {_CHANGED}")
    encoding = encoding_of(data)
    text = data.decode(encoding)
    with contextlib.suppress(Exception):  # a codec may raise anything
        # In UTF-7 and unicode_escape, ASCII is not written as itself.
        if text.encode(encoding) == data and "+\\~\n".encode(encoding).endswith(b"+\\~\n"):
            return data, text, encoding
    raise DpkbError(
        f"{path}: is left as it is: writing it in {encoding} would change more than the corrections"
    )


def _split_lines(text: str) -> list[bytes]:
    """The lines of a file as Python counts them, each with its line end."""
    ends = [0, *(newline.end() for newline in _NEWLINE.finditer(text)), len(text)]
    return [text[start:end].encode() for start, end in pairwise(ends)]


def _neighbours(edits: list[Edit], edit: Edit) -> list[Edit]:
    """The edits before and after the place of another: if any overlaps it, one of these does."""
    place = bisect_right(edits, edit.start, key=_START)
    return edits[max(place - 1, 0) : place + 1]


def _overlap(one: Edit, other: Edit) -> bool:
    return (one.start < other.end and other.start < one.end) or one.start == other.start


def _parses(text: str) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            ast.parse(text)
        except SyntaxError:
            return False
    return True
