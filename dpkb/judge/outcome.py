"""The outcome of one run, from its exit code and its output. Uses little memory for any amount of output."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from dpkb.judge.final_error import TRACEBACK, read_final_error, summarize_error
from dpkb.judge.observed import parse_observed
from dpkb.model import Outcome
from dpkb.run_records import Missing, ProcessEnd

OBSERVED = b"OBSERVED "
SKIPPED = b"SKIPPED"
SKIP_CODE = 77
MAX_LINE = 64 * 1024
MAX_STDERR_TAIL = 256 * 1024
# faulthandler's own line, e.g. "Timeout (0:00:30)!"
_TIMEOUT = re.compile(rb"Timeout \(\d+:\d{2}:\d{2}(\.\d+)?\)!")
# Words of a SKIPPED line -> what the script needs.
_MISSING_BY_WORDS = (
    ("is not installed", Missing.PACKAGE),
    ("GPU|CUDA", Missing.GPU),
    ("Linux", Missing.LINUX),
    (r"torch\w*[ <>=]+\d|(this|newer) torch|torch.* version|version of torch", Missing.TORCH_VERSION),
)
# The line above a traceback that old versions of torch print at random when the interpreter shuts down.
_IGNORED = b"Exception ignored "


@dataclass
class ScriptOutput:
    """The lines of a script's two streams that decide its outcome. It reads the streams chunk by chunk."""

    observed_lines: list[bytes] = field(default_factory=list)
    skipped_line: bytes | None = None
    has_traceback: bool = False
    has_timeout: bool = False
    stderr_tail: bytes = b""
    _unfinished: dict[str, bytes] = field(default_factory=dict)
    _previous: bytes = b""

    def feed(self, stream: str, chunk: bytes) -> None:
        """Read the next bytes of "stdout" or "stderr"."""
        if stream == "stderr":
            self.stderr_tail = (self.stderr_tail + chunk)[-MAX_STDERR_TAIL:]
        *lines, unfinished = (self._unfinished.pop(stream, b"") + chunk).split(b"\n")
        for line in lines:
            self._read_line(stream, line)
        # One byte more than the limit, so that a line that is cut here still counts as too long.
        self._unfinished[stream] = unfinished[: MAX_LINE + 1]

    def close(self) -> None:
        """Read a last line that has no newline."""
        for stream, line in self._unfinished.items():
            if line:
                self._read_line(stream, line)
        self._unfinished.clear()

    def _read_line(self, stream: str, line: bytes) -> None:
        line = line.rstrip(b"\r")
        if stream == "stdout":
            if line.startswith(OBSERVED):
                # Only one line is valid, so the text of a second or third line is not kept.
                self.observed_lines.append(line[: MAX_LINE + 1] if len(self.observed_lines) < 2 else b"")
                del self.observed_lines[3:]
            elif line.startswith(SKIPPED):
                self.skipped_line = line[:MAX_LINE]
            return
        # Not `startswith`: the last line of a worker that was killed may have no newline.
        if line.rstrip().endswith(TRACEBACK.encode()) and not self._previous.startswith(_IGNORED):
            self.has_traceback = True
        elif _TIMEOUT.fullmatch(line):
            self.has_timeout = True
        self._previous = line[: len(_IGNORED)]

    @property
    def error_lines(self) -> list[str]:
        """The message of the exception that ended the script, line by line; empty if none did."""
        return read_final_error(self.stderr_tail.decode("utf-8", "backslashreplace"))

    def read_observed_or_none(self) -> dict[str, Any] | None:
        """The values of the OBSERVED line; None if there is not exactly one valid line."""
        try:
            return self.read_observed()
        except ValueError:
            return None

    def read_observed(self) -> dict[str, Any]:
        """The values of the one OBSERVED line. Raises ValueError, which says why it is not valid."""
        if len(self.observed_lines) != 1:
            raise ValueError("more than one OBSERVED line" if self.observed_lines else "no OBSERVED line")
        if len(self.observed_lines[0]) > MAX_LINE:
            raise ValueError(f"an OBSERVED line of more than {MAX_LINE} bytes")
        return parse_observed(self.observed_lines[0][len(OBSERVED) :])


def classify_skip_reason(reason: str) -> Missing:
    """What a script needs, from the words of its SKIPPED line. The first words that occur count."""
    return next((missing for words, missing in _MISSING_BY_WORDS if re.search(words, reason)), Missing.OTHER)


def classify(
    ended: ProcessEnd, output: ScriptOutput, skips: tuple[str, ...] | None = None
) -> tuple[Outcome, str]:
    """The outcome of one run, and the reason in a few words.

    skips: patterns of the SKIPPED lines that the guards of the script print; None if they are unknown.
    """
    if ended.error:
        return Outcome.INVALID, ended.error
    if ended.exceeded:
        return Outcome.TIMED_OUT, ended.exceeded.words
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
        return Outcome.INVALID, "exit code 1, but stderr has no traceback of the main program"
    return Outcome.INVALID, f"exit code {ended.code} without an OBSERVED line"


def _classify_skip(output: ScriptOutput, skips: tuple[str, ...] | None) -> tuple[Outcome, str]:
    if output.skipped_line is None:
        return Outcome.INVALID, "exit code 77 without a SKIPPED line"
    line = output.skipped_line.decode("utf-8", "backslashreplace").rstrip()
    if skips is not None and not any(re.fullmatch(pattern, line) for pattern in skips):
        return Outcome.INVALID, f"exit code 77, but no guard of the script prints {line!r}"
    return Outcome.SKIPPED, line[len(SKIPPED) :].strip() or "the script gave no reason"


def _classify_observed(ended: ProcessEnd, output: ScriptOutput) -> tuple[Outcome, str]:
    try:
        healthy = output.read_observed()["healthy"]
    except ValueError as error:
        return Outcome.INVALID, str(error)
    if ended.code != (0 if healthy else 1):
        return Outcome.INVALID, f"exit code {ended.code}, but OBSERVED says healthy: {str(healthy).lower()}"
    if healthy and output.has_traceback:
        return Outcome.INVALID, "healthy, but with a traceback on stderr: a thread or process failed"
    return (Outcome.HEALTHY, "healthy") if healthy else (Outcome.WRONG_RESULT, "not healthy")
