"""What a script's exit code and output come to: one Outcome. Pure, and bounded in memory."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any

from dpkb.entry import Ended, Outcome

OBSERVED = b"OBSERVED "
SKIPPED = b"SKIPPED"
SKIP_CODE = 77
MAX_LINE = 64 * 1024
TAIL = 256 * 1024
_TRACEBACK = b"Traceback (most recent call last):"
# faulthandler's own line, e.g. "Timeout (0:00:30)!"
_TIMEOUT = re.compile(rb"Timeout \(\d+:\d{2}:\d{2}(\.\d+)?\)!")


@dataclass
class Output:
    """What matters of a script's two streams, read chunk by chunk as they are written."""

    observed_lines: list[bytes] = field(default_factory=list)
    skipped_line: bytes | None = None
    has_traceback: bool = False
    has_timeout: bool = False
    stderr_tail: bytes = b""
    _half: dict[str, bytes] = field(default_factory=dict)

    def feed(self, stream: str, chunk: bytes) -> None:
        """Take the next bytes of "stdout" or "stderr"."""
        if stream == "stderr":
            self.stderr_tail = (self.stderr_tail + chunk)[-TAIL:]
        *lines, half = (self._half.pop(stream, b"") + chunk).split(b"\n")
        for line in lines:
            self._line(stream, line)
        # One byte more than a line may have, so that a line cut here is still seen as too long.
        self._half[stream] = half[: MAX_LINE + 1]

    def close(self) -> None:
        """Take what is left of a last line without its newline."""
        for stream, half in list(self._half.items()):
            if half:
                self._line(stream, half)
        self._half.clear()

    def _line(self, stream: str, line: bytes) -> None:
        line = line.rstrip(b"\r")
        if stream == "stdout":
            if line.startswith(OBSERVED):
                # A third line says no more than a second: they are only counted.
                self.observed_lines.append(line[: MAX_LINE + 1] if len(self.observed_lines) < 2 else b"")
                del self.observed_lines[3:]
            elif line.startswith(SKIPPED):
                self.skipped_line = line[:MAX_LINE]
        elif line.rstrip().endswith(_TRACEBACK):
            # Not "starts with": a dying worker's last words need not end with a newline.
            self.has_traceback = True
        elif _TIMEOUT.fullmatch(line):
            self.has_timeout = True

    @property
    def skip_reason(self) -> str:
        """What the SKIPPED line says is missing."""
        text = (self.skipped_line or b"")[len(SKIPPED):].decode("utf-8", "backslashreplace")
        return text.strip() or "the script gave no reason"

    @property
    def stderr_lines(self) -> list[str]:
        """The last lines of stderr, without the source lines that tracebacks quote."""
        text = self.stderr_tail.decode("utf-8", "backslashreplace").replace("\0", "")
        return [line for line in text.splitlines() if line.strip() and not line.startswith("  ")]

    def observed(self) -> dict[str, Any] | None:
        """The numbers of the one OBSERVED line; None where there is not exactly one good line."""
        if len(self.observed_lines) != 1 or len(self.observed_lines[0]) > MAX_LINE:
            return None
        try:
            numbers = json.loads(self.observed_lines[0][len(OBSERVED):])
        except (ValueError, RecursionError):
            return None
        good = isinstance(numbers, dict) and isinstance(numbers.get("healthy"), bool)
        return numbers if good else None


def outcome(ended: Ended, output: Output, skips: tuple[str, ...] | None = None) -> tuple[Outcome, str]:
    """The outcome of one run, and why in a few words.

    skips: patterns of the SKIPPED lines that the script's own guards print; None where not known.
    """
    if ended.limit:
        return Outcome.TIMED_OUT, f"stopped by dpkb: {ended.limit}"
    if ended.signal:
        return Outcome.KILLED, f"ended by signal {ended.signal}"
    if ended.code == SKIP_CODE and not output.observed_lines:
        if output.skipped_line is None:
            return Outcome.INVALID, "exit code 77 without a SKIPPED line"
        said = output.skipped_line.decode("utf-8", "backslashreplace").rstrip()
        if skips is not None and not any(re.fullmatch(text, said) for text in skips):
            return Outcome.INVALID, f"exit code 77, but no guard of the script says {said!r}"
        return Outcome.SKIPPED, output.skip_reason
    if not output.observed_lines and ended.code == 1:
        if output.has_timeout:
            return Outcome.HUNG, "it stood still until faulthandler ended it"
        if output.has_traceback:
            return Outcome.RAISED, last_error(output.stderr_lines)
    if len(output.observed_lines) > 1:
        return Outcome.INVALID, "more than one OBSERVED line"
    if not output.observed_lines:
        return Outcome.INVALID, f"exit code {ended.code} without an OBSERVED line"
    numbers = output.observed()
    if numbers is None:
        return Outcome.INVALID, "an OBSERVED line that is not JSON with a true or false `healthy`"
    healthy = numbers["healthy"]
    if ended.code != (0 if healthy else 1):
        return Outcome.INVALID, f"exit code {ended.code}, but OBSERVED says healthy: {healthy}".lower()
    if healthy:
        return Outcome.HEALTHY, "healthy"
    return Outcome.WRONG_RESULT, "not healthy"


def last_error(lines: list[str]) -> str:
    """The last line of stderr that looks like an exception's own: `Name: text`."""
    for line in reversed(lines):
        if re.match(r"[A-Za-z_][\w.]*(Error|Exception|Warning|Interrupt|Exit)\b", line):
            return line.strip()
    return lines[-1].strip() if lines else "a traceback"
