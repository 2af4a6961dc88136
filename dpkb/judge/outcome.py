"""The outcome of one run, from its exit code and what it printed. Pure, and bounded in memory."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from dpkb.judge.final_error import TRACEBACK, final_error, summarize_error
from dpkb.judge.observed import parse
from dpkb.model import Outcome
from dpkb.run_records import ProcessEnd

OBSERVED = b"OBSERVED "
SKIPPED = b"SKIPPED"
SKIP_CODE = 77
MAX_LINE = 64 * 1024
TAIL = 256 * 1024
# faulthandler's own line, e.g. "Timeout (0:00:30)!"
_TIMEOUT = re.compile(rb"Timeout \(\d+:\d{2}:\d{2}(\.\d+)?\)!")
# Printed while the interpreter shuts down, by old versions of torch at random.
_IGNORED = b"Exception ignored "


@dataclass
class Output:
    """Everything that counts of a script's two streams, read chunk by chunk as they are written."""

    observed_lines: list[bytes] = field(default_factory=list)
    skipped_line: bytes | None = None
    has_traceback: bool = False
    has_timeout: bool = False
    stderr_tail: bytes = b""
    _unfinished: dict[str, bytes] = field(default_factory=dict)
    _previous: bytes = b""

    def feed(self, stream: str, chunk: bytes) -> None:
        """Take the next bytes of "stdout" or "stderr"."""
        if stream == "stderr":
            self.stderr_tail = (self.stderr_tail + chunk)[-TAIL:]
        *lines, unfinished = (self._unfinished.pop(stream, b"") + chunk).split(b"\n")
        for line in lines:
            self._take_line(stream, line)
        # One byte more than a line may have, so that a line cut here is still seen as too long.
        self._unfinished[stream] = unfinished[: MAX_LINE + 1]

    def close(self) -> None:
        """Take a last line that has no newline."""
        for stream, line in self._unfinished.items():
            if line:
                self._take_line(stream, line)
        self._unfinished.clear()

    def _take_line(self, stream: str, line: bytes) -> None:
        line = line.rstrip(b"\r")
        if stream == "stdout":
            if line.startswith(OBSERVED):
                # A third line says no more than a second: they are only counted.
                self.observed_lines.append(line[: MAX_LINE + 1] if len(self.observed_lines) < 2 else b"")
                del self.observed_lines[3:]
            elif line.startswith(SKIPPED):
                self.skipped_line = line[:MAX_LINE]
            return
        # Not "starts with": the last words of a dying worker need not end with a newline.
        if line.rstrip().endswith(TRACEBACK.encode()) and not self._previous.startswith(_IGNORED):
            self.has_traceback = True
        elif _TIMEOUT.fullmatch(line):
            self.has_timeout = True
        self._previous = line[:len(_IGNORED)]

    @property
    def skip_reason(self) -> str:
        """The text of the SKIPPED line: the thing that is missing."""
        text = (self.skipped_line or b"")[len(SKIPPED):].decode("utf-8", "backslashreplace")
        return text.strip() or "the script gave no reason"

    @property
    def error_lines(self) -> list[str]:
        """The message of the exception that ended the script, line by line; empty if none did."""
        return final_error(self.stderr_tail.decode("utf-8", "backslashreplace"))

    def observed(self) -> dict[str, Any] | None:
        """The values of the OBSERVED line; None if there is not exactly one valid line."""
        try:
            return self.parse_observed()
        except ValueError:
            return None

    def parse_observed(self) -> dict[str, Any]:
        """The values of the one OBSERVED line. Raises ValueError, which says why there are none."""
        if len(self.observed_lines) != 1:
            raise ValueError("more than one OBSERVED line" if self.observed_lines else "no OBSERVED line")
        if len(self.observed_lines[0]) > MAX_LINE:
            raise ValueError(f"an OBSERVED line of more than {MAX_LINE} bytes")
        return parse(self.observed_lines[0][len(OBSERVED):])


def classify(ended: ProcessEnd, output: Output, skips: tuple[str, ...] | None = None) -> tuple[Outcome, str]:
    """The outcome of one run, and the reason in a few words.

    skips: patterns of the SKIPPED lines that the script's own guards print; None if they are not known.
    """
    if ended.limit:
        return Outcome.TIMED_OUT, f"stopped by dpkb: {ended.limit}"
    if ended.signal:
        return Outcome.KILLED, f"ended by signal {ended.signal}"
    if output.observed_lines:
        return _classify_observed(ended, output)
    if ended.code == SKIP_CODE:
        return _classify_skip(output, skips)
    if ended.code == 1 and output.has_timeout:
        return Outcome.HUNG, "it made no progress until faulthandler ended it"
    if ended.code == 1 and output.has_traceback:
        error = output.error_lines
        if error:
            return Outcome.RAISED, summarize_error(error)
        return Outcome.INVALID, "exit code 1, but no traceback on stderr is the script's own"
    return Outcome.INVALID, f"exit code {ended.code} without an OBSERVED line"


def _classify_skip(output: Output, skips: tuple[str, ...] | None) -> tuple[Outcome, str]:
    if output.skipped_line is None:
        return Outcome.INVALID, "exit code 77 without a SKIPPED line"
    line = output.skipped_line.decode("utf-8", "backslashreplace").rstrip()
    if skips is not None and not any(re.fullmatch(pattern, line) for pattern in skips):
        return Outcome.INVALID, f"exit code 77, but no guard of the script prints {line!r}"
    return Outcome.SKIPPED, output.skip_reason


def _classify_observed(ended: ProcessEnd, output: Output) -> tuple[Outcome, str]:
    try:
        healthy = output.parse_observed()["healthy"]
    except ValueError as error:
        return Outcome.INVALID, str(error)
    if ended.code != (0 if healthy else 1):
        return Outcome.INVALID, f"exit code {ended.code}, but OBSERVED says healthy: {healthy}".lower()
    if healthy and output.has_traceback:
        return Outcome.INVALID, "healthy, but with a traceback on stderr: something in it failed"
    return (Outcome.HEALTHY, "healthy") if healthy else (Outcome.WRONG_RESULT, "not healthy")
