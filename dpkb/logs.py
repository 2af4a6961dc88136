"""A log as a stream of blocks of whole lines: any size, any encoding, constant memory."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import BinaryIO

BLOCK = 1 << 20
# A line longer than a block is looked at in parts that overlap by this much.
OVERLAP = 4096
ESCAPES = re.compile(rb"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]{0,4096}(?:\x07|\x1b\\)|[@-Z\\-_])")
# What launchers, loggers and schedulers put before a line: ranks, hosts, times, levels.
PREFIX = re.compile(
    r"(?:\[(?:rank|default|Rank |local_rank )?\d+(?:,\d+)*\](?:<std(?:err|out)>)?:?"
    r"|\(\w+ pid=\d+(?:, ip=[\d.]+)?\)|\d{1,4}:|<stderr>:?"
    r"|\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?Z?\]?|\[\d+\]"
    r"|(?:\[|- )?(?:ERROR|INFO|WARNING|CRITICAL|DEBUG|stderr|stdout)(?:\]|:| -)?|[-|>])\s*"
)
# At most so many of them stand before one line.
PREFIXES = 6


@dataclass(frozen=True)
class Block:
    """A run of lines: their text in UTF-8 without escapes, and the number of the first (from 1)."""

    text: bytes
    first_line: int
    # A place up to which newlines were counted, and how many: many lines of one block are asked for.
    _counted: list[int] = field(default_factory=lambda: [0, 0], compare=False, repr=False)

    def line_at(self, position: int) -> tuple[int, int, int]:
        """The line around a position: its number, where it starts, and where it ends.

        A carriage return ends a line as on a terminal, but only newlines are counted.
        """
        start = self.text.rfind(b"\n", 0, position) + 1
        end = self.text.find(b"\n", position)
        end = len(self.text) if end < 0 else end
        # Looked for within the line alone: to the ends of the block it would be far, line after line.
        start = self.text.rfind(b"\r", start, position) + 1 or start
        stop = self.text.find(b"\r", position, end)
        place, count = self._counted if self._counted[0] <= start else (0, 0)
        count += self.text.count(b"\n", place, start)
        self._counted[:] = start, count
        return self.first_line + count, start, end if stop < 0 else stop


class Splitter:
    """Cuts what is read, chunk by chunk, into blocks of whole lines."""

    def __init__(self) -> None:
        self._line = 1
        self._rest = b""
        self._decoder: codecs.IncrementalDecoder | None = None
        self._begun = False

    def feed(self, chunk: bytes) -> Block | None:
        """The lines that are whole by now; None where there is none yet."""
        data = self._rest + self._as_utf8(chunk)
        end = data.rfind(b"\n") + 1
        if end == 0 and len(data) < BLOCK:
            self._rest = data
            return None
        # A line longer than a block is looked at in parts.
        self._rest = data[end:] if end else data[-OVERLAP:]
        return self._block(data[:end] if end else data)

    def close(self) -> Block | None:
        """The last line, where it has no newline."""
        rest, self._rest = self._rest, b""
        return self._block(rest) if rest else None

    def _block(self, text: bytes) -> Block:
        made = Block(_without_escapes(text), self._line)
        self._line += text.count(b"\n")
        return made

    def _as_utf8(self, chunk: bytes) -> bytes:
        """The bytes as they are, but for UTF-16, which PowerShell writes when it redirects."""
        if not self._begun:
            self._begun = True
            if chunk[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
                self._decoder = codecs.getincrementaldecoder("utf-16")("replace")
        return self._decoder.decode(chunk).encode() if self._decoder else chunk


def blocks(stream: BinaryIO) -> Iterator[Block]:
    """A log in blocks of whole lines."""
    splitter = Splitter()
    read = getattr(stream, "read1", stream.read)
    while chunk := read(BLOCK):
        if (block := splitter.feed(chunk)) is not None:
            yield block
    if (block := splitter.close()) is not None:
        yield block


def _without_escapes(text: bytes) -> bytes:
    if b"\x1b" in text:
        text = ESCAPES.sub(b"", text)
    if b"\0" in text:
        text = text.replace(b"\0", b"")
    if not text.isascii():
        # A log may hold anything; the patterns match characters.
        text = text.decode("utf-8", "replace").encode()
    # As the patterns know it: a line ends in a newline.
    return text.replace(b"\r\n", b"\n") if b"\r\n" in text else text


def without_prefix(line: str) -> str:
    """A line without what launchers and loggers put before it, and without indentation."""
    line = line.strip()
    for _ in range(PREFIXES):
        found = PREFIX.match(line)
        if not found or not found.end():
            break
        line = line[found.end():]
    return line
