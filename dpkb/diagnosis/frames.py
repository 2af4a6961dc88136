"""Recognises a failure by the frames of its traceback, if the last line of the traceback is missing.

Logs are cut by terminals, by forms that limit the number of characters, and by the end of a process that is
killed while it writes. A few functions of torch are on the stack of only one failure, or of very few.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from dpkb.model import Entry

# The line that ends a traceback.
LAST_LINE = re.compile(r"(?:[A-Za-z_]\w*\.)*\w*(?:Error|Exception|Interrupt|Exit|Warning|Killed)\b(?::|\s*$)")
# Directly after a frame an exception may have any name.
LAST_LINE_AFTER_FRAME = re.compile(r"(?:\w+\.)*[A-Z]\w*(?:: |$)")
# A frame as Python, IPython and older IPython write it. In Markdown `<module>` may be lost after the `in`.
FRAME = re.compile(r'(?:", line \d+, in |\.py(?::\d+)?,? in )[\w<>]+|", line \d+, in$')
# The source of a frame that raises starts with this.
RAISE = "raise "


@dataclass(frozen=True)
class FrameRule:
    """A pattern for a frame, or for the source of the last frame, and the entries that it suggests."""

    pattern: str
    # The most likely entry first.
    ids: tuple[str, ...]
    # At most this many frames may follow the frame.
    max_inner: int = 2


def build_rules(entries: Iterable[Entry]) -> list[FrameRule]:
    """The rules of all entries; those that allow more frames below come first."""
    owners: defaultdict[tuple[int, str], list[tuple[bool, str, str]]] = defaultdict(list)
    for entry in entries:
        for frame in entry.frames:
            owners[-frame.inner, frame.match].append((frame.weak, entry.title, entry.id))
    return [
        FrameRule(pattern, tuple(entry_id for *_, entry_id in sorted(found)), -inner)
        for (inner, pattern), found in sorted(owners.items())
    ]


@dataclass(frozen=True)
class CutTraceback:
    """A traceback at the end of a log, without its last line."""

    # The index of the line with the innermost frame that a rule matches, and that rule.
    frame: int | None
    rule: FrameRule | None
    # The indices of the lines of `raise` statements.
    raise_lines: tuple[int, ...]


def find_cut_traceback(lines: Sequence[str], rules: Sequence[FrameRule]) -> CutTraceback | None:
    """The traceback at the end of these lines, if its last line is missing. lines: without prefixes."""
    frames = [i for i, line in enumerate(lines) if FRAME.search(line)]
    after_frame = {i + below for i in frames for below in (1, 2, 3)}
    last_line = max(
        (
            i
            for i, line in enumerate(lines)
            if LAST_LINE.match(line) or (i in after_frame and LAST_LINE_AFTER_FRAME.match(line))
        ),
        default=-1,
    )
    frames = [i for i in frames if i > last_line]
    if not frames:
        return None
    frame, rule = _find_innermost_match(lines, frames, rules)
    return CutTraceback(frame, rule, _raise_lines(lines, frames[0]))


def _find_innermost_match(
    lines: Sequence[str], frames: list[int], rules: Sequence[FrameRule]
) -> tuple[int | None, FrameRule | None]:
    """The innermost frame that a rule matches, and that rule. frames: the indices of lines."""
    for inner_count, frame in enumerate(reversed(frames)):
        # The source of a frame is below it.
        source = lines[frame + 1] if frame + 1 < len(lines) else ""
        for rule in rules:
            if inner_count <= rule.max_inner and (
                re.search(rule.pattern, lines[frame])
                or (inner_count == 0 and re.search(rule.pattern, source))
            ):
                return frame, rule
    return None, None


def _raise_lines(lines: Sequence[str], start: int) -> tuple[int, ...]:
    """The indices of the lines of `raise` statements, which may have several lines, from `start` on."""
    found: list[int] = []
    for i in range(start, len(lines)):
        if lines[i].startswith(RAISE) or (found and found[-1] == i - 1 and not FRAME.search(lines[i])):
            found.append(i)
    return tuple(found)
