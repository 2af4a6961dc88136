"""A log as a stream of blocks of whole lines, of any size and encoding, in constant memory."""

from __future__ import annotations

import codecs
import json
import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from itertools import chain
from types import SimpleNamespace
from typing import BinaryIO, cast

from dpkb.errors import DpkbError

BLOCK_BYTES = 1 << 18
# A line that is longer than a block is split into blocks that overlap by this many bytes.
OVERLAP_BYTES = 4096
# Escape sequences of terminals: colours, movements of the cursor, window titles.
ESCAPES = re.compile(rb"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b\n]{0,4096}(?:\x07|\x1b\\)|[@-Z\\-_])")
# Launchers, loggers and schedulers write this before a line: ranks, hosts, times, levels.
PREFIX = re.compile(
    r"(?:\[(?:rank|default|Rank |local_rank )?\d+(?:,\d+)*\](?:<std(?:err|out)>)?:?"
    r"|\(\w+ pid=\d+(?:, ip=[\d.]+)?\)|\d{1,4}:|<stderr>:?|\[[a-z]\w*\d\]:|\[pod/[^/\]\s]+/[^\]\s]*\]"
    r"|(?:(?:[a-z0-9]+-)+\d+|(?:node|host|worker|gpu|rank)[\w.-]*\d)(?::| \|)(?= )"
    r"|\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?\]?|\[\d+\]"
    r"|(?:\[|- )?(?:ERROR|INFO|WARNING|CRITICAL|DEBUG|stderr|stdout)(?:\]|:| -)?|[-|>])\s*"
)
# How compressed files start: gzip, which can be read, and xz, Zstandard, bzip2 and zip.
_GZIP = b"\x1f\x8b"
_COMPRESSED = (b"\xfd7zXZ", b"\x28\xb5\x2f\xfd", b"BZh", b"PK\3\4")
# What loggers that write JSON call the message and a traceback, the rank and the time.
_JSON_MESSAGES = (
    "message",
    "msg",
    "log",
    "text",
    "event",
    "exc_info",
    "exception",
    "stack_trace",
    "traceback",
)
_JSON_RANKS = ("rank", "global_rank", "RANK", "process_index")
_JSON_TIMES = ("timestamp", "ts", "time", "asctime", "@timestamp")
# How a file is recognised that is no text: many control characters at its start.
_SAMPLE_BYTES, _MIN_TEXT_SHARE = 4096, 0.95
_CONTROLS = bytes(byte for byte in range(32) if byte not in b"\t\n\r\x08\x0b\x0c\x07\x1b")
# At most this many prefixes are removed from one line.
MAX_PREFIXES = 6


@dataclass(frozen=True)
class Block:
    """Consecutive lines of a log, in UTF-8 without escape sequences. first_line: its number, from 1."""

    text: bytes
    first_line: int
    # The last result of find_line_at: the start of the line, and the number of newlines before it.
    _counted: list[int] = field(default_factory=lambda: [0, 0], compare=False, repr=False)

    def count_newlines(self) -> int:
        """The number of newlines."""
        counted, count = self._counted
        self._counted[:] = len(self.text), count + self.text.count(b"\n", counted)
        return self._counted[1]

    def find_line_at(self, position: int) -> tuple[int, int, int]:
        """The number, the start and the end of the line that has this position.

        A carriage return also ends a line, as on a terminal, but only newlines are counted.
        """
        start = self.text.rfind(b"\n", 0, position) + 1
        end = self.text.find(b"\n", position)
        end = len(self.text) if end < 0 else end
        # Carriage returns are looked for in the line only: in the whole block it would take quadratic time.
        start = self.text.rfind(b"\r", start, position) + 1 or start
        carriage_return = self.text.find(b"\r", position, end)
        counted, count = self._counted if self._counted[0] <= start else (0, 0)
        count += self.text.count(b"\n", counted, start)
        self._counted[:] = start, count
        return self.first_line + count, start, end if carriage_return < 0 else carriage_return


class BlockSplitter:
    """Joins the chunks of a log into blocks of whole lines."""

    def __init__(self) -> None:
        self._line = 1
        self._rest = b""
        self._decoder: codecs.IncrementalDecoder | None = None
        # The first bytes, until there are enough to recognise the encoding; None from then on.
        self._start: bytes | None = b""

    def feed(self, chunk: bytes) -> Block | None:
        """Add a chunk. Returns the lines that are complete now; None if no line is."""
        data = self._rest + self._convert_to_utf8(chunk)
        end = data.rfind(b"\n") + 1
        if end == 0 and len(data) < BLOCK_BYTES:
            self._rest = data
            return None
        self._rest = data[end:] if end else data[-OVERLAP_BYTES:]
        return self._create_block(data[:end] if end else data)

    def close(self) -> Block | None:
        """End the log. Returns the last line if it has no newline, else None."""
        rest, self._rest = self._rest + (self._start or b""), b""
        return self._create_block(rest) if rest else None

    def _create_block(self, text: bytes) -> Block:
        if self._line == 1:
            text = text.removeprefix(codecs.BOM_UTF8)
        block = Block(_clean_text(text), self._line)
        self._line += block.count_newlines()
        return block

    def _convert_to_utf8(self, chunk: bytes) -> bytes:
        """The bytes as they are; UTF-16, which PowerShell writes into files, as UTF-8."""
        if self._start is not None:
            chunk = self._start + chunk
            self._start = chunk if len(chunk) < 2 else None
            if self._start is not None:
                return b""
            if chunk.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
                self._decoder = codecs.getincrementaldecoder("utf-16")("replace")
        return self._decoder.decode(chunk).encode() if self._decoder else chunk


def decompress(read: Callable[[int], bytes], start: bytes) -> BinaryIO:
    """The log in a file that may be gzip'ed. Raises DpkbError, also when it is read, if that is impossible."""
    chunks: Iterator[bytes] = iter(lambda: read(BLOCK_BYTES), b"")
    if start.startswith(_COMPRESSED):
        raise DpkbError("the log is compressed: decompress it first")
    if _is_binary(start):
        raise DpkbError("is not text, so it is no log")
    chunks = chain([start], chunks)
    if start.startswith(_GZIP):
        chunks = filter(None, _decompress(chunks))
    return cast(BinaryIO, SimpleNamespace(read=lambda _: next(chunks, b"")))


def _is_binary(start: bytes) -> bool:
    """Whether a file starts like none that a person could read. A log may have zero bytes, or be UTF-16."""
    if start.startswith((_GZIP, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return False
    sample = start[:_SAMPLE_BYTES].translate(None, b"\0")
    return len(sample.translate(None, _CONTROLS)) < _MIN_TEXT_SHARE * len(sample)


def read_blocks(stream: BinaryIO) -> Iterator[Block]:
    """Read a log in blocks of whole lines."""
    splitter = BlockSplitter()
    read = getattr(stream, "read1", stream.read)
    while chunk := read(BLOCK_BYTES):
        if (block := splitter.feed(chunk)) is not None:
            yield block
    if (block := splitter.close()) is not None:
        yield block


def _decompress(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """The text of a gzip'ed log, up to where it is cut."""
    decompressor = zlib.decompressobj(zlib.MAX_WBITS | 16)
    try:
        for chunk in chunks:
            while chunk:
                yield decompressor.decompress(chunk, BLOCK_BYTES)
                chunk = decompressor.unconsumed_tail or decompressor.unused_data.lstrip(b"\0")
                if decompressor.eof:  # another log may follow: `cat old.gz new.gz`
                    decompressor = zlib.decompressobj(zlib.MAX_WBITS | 16)
        yield decompressor.flush()
    except zlib.error as error:
        raise DpkbError(f"the gzip'ed log is damaged: {error}") from None


def _clean_text(text: bytes) -> bytes:
    """Valid UTF-8 without escape sequences and zero bytes, with `\\n` as the end of each line."""
    if text.lstrip()[:2] == b'{"':
        text = b"".join(map(_unwrap_json, text.splitlines(keepends=True)))
    if b"\x1b" in text:
        text = ESCAPES.sub(b"", text)
    if b"\0" in text:
        text = text.replace(b"\0", b"")
    if not text.isascii():
        # The patterns match characters, so every byte has to belong to a character.
        text = text.decode("utf-8", "replace").encode()
    # For the patterns only a newline ends a line.
    # To look for one byte first is much faster.
    return text.replace(b"\r\n", b"\n") if b"\r" in text else text


def _unwrap_json(line: bytes) -> bytes:
    """The message of a logger that writes JSON, with its rank and time before it; another line as it is."""
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError):
        return line
    if not isinstance(fields, dict):
        return line
    texts = [str(fields[key]) for key in _JSON_MESSAGES if fields.get(key)]
    if not texts:
        return line
    rank = next((fields[key] for key in _JSON_RANKS if str(fields.get(key, "")).isdecimal()), None)
    time = next((fields[key] for key in _JSON_TIMES if key in fields), "")
    if isinstance(time, (int, float)) and 1e9 < time < 1e11:
        time = datetime.fromtimestamp(time).isoformat()
    start = (f"[rank{rank}]: " if rank is not None else "") + (
        f"{time} " if time and isinstance(time, str) and time.isprintable() else ""
    )
    # The lines of a traceback stay one line of the log: a carriage return ends a line, but is not counted.
    return (
        "\r".join(start + part for text in texts for part in text.splitlines()).encode("utf-8", "replace")
        + b"\n"
    )


def remove_prefix(line: str) -> str:
    """A line without the prefixes of launchers and loggers, and without indentation."""
    line = line.strip()
    for _ in range(MAX_PREFIXES):
        prefix = PREFIX.match(line)
        if not prefix or not prefix.end():
            break
        line = line[prefix.end() :]
    return line
