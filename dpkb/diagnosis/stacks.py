"""Stacks of processes that hang: read from dumps, grouped, and compared.

Dumps are those of py-spy (text and JSON, native frames too), of faulthandler and of torch's flight recorder.
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from math import prod
from typing import Any

from dpkb.diagnosis.evidence import Work, list_ranks
from dpkb.diagnosis.failures import Rank, find_rank
from dpkb.diagnosis.log import Block, remove_prefix

# What finds the start of a dump in a log.
HEADERS = r"\(most recent call first\):|Thread \w+ \((?:idle|active)[\w+]*\)"
_PROCESS = re.compile(r"Process (\d+): ")
_THREAD = re.compile(
    r'Thread \w+ \((?:idle|active)[\w+]*\)(?:: "(?P<name>.*)")?$|(?:Current thread|Thread|Stack)\b.*first\):'
)
# Frames as faulthandler and py-spy write them.
_FRAME = re.compile(
    r'File "(?P<file>[^"]+)", line (?P<line>\d+|\?\?\?),? in (?P<name>\S+)$'
    r"|(?P<spied>(?:(?!: ).)+) \((?P<spied_file>[^()]+?)(?::(?P<spied_line>\d+))?\)$"
)
# After this many lines without a frame a dump has ended.
_MAX_OTHER_LINES = 50
_MAX_STACKS, _MAX_FRAMES = 10_000, 200
_SITE_PACKAGES = re.compile(r".*[\\/](?:(?:site|dist)-packages|lib[\\/]python[\d.]+)[\\/]")
_LIBRARIES = sys.stdlib_module_names | set(
    "torch torchvision torchaudio numpy lightning pytorch_lightning lightning_fabric transformers accelerate deepspeed "
    "datasets cv2 PIL tqdm pandas scipy megatron ignite fairscale apex monai timm".split()
)
_PYTHON = re.compile(r"\.py$|ipykernel|^<ipython-input")
_WRAPPERS = re.compile(r"wrapper|wrapped|inner|decorate_context|_call_impl|_wrapped_call_impl|__call__|_fn")
_WAITS = re.compile(r"torch/distributed/|torch/nn/parallel/|torch/autograd/|c10d::|ncclKernel|gloo::")
# Processes that start others, and those that only serve them.
_HELPERS = re.compile(
    r"torch/distributed/(?:elastic|run|launch)|commands/launch|/launcher/|resource_tracker\.py|main \(multiprocessing/forkserver"
    r"|join \(torch/multiprocessing/spawn|compile_worker|subproc_pool"
)
# A process that is here has nothing left to do.
_END = re.compile(r"\b(?:destroy_process_group|_exit_function|_shutdown|_python_exit)$")
_LOADER = re.compile(r"\b(?:_try_get_data|_get_data|_next_data)$")


@dataclass(frozen=True)
class Frame:
    """One call. line: 0 if it is not known, as for native code."""

    name: str
    file: str
    line: int = 0

    @property
    def is_own(self) -> bool:
        """Whether it is a line of the user's code."""
        first = self.file.split("/")[0].removesuffix(".py")
        return self.line > 0 and first not in _LIBRARIES and bool(_PYTHON.search(self.file))

    def __str__(self) -> str:
        return f"{self.name} ({self.file}:{self.line})" if self.line else f"{self.name} ({self.file})"


@dataclass(frozen=True)
class Stack:
    """Where one process is, the innermost call first."""

    # The rank, or "process 77".
    owner: Rank
    frames: tuple[Frame, ...]
    line: int
    file: str = ""
    # The collective that it waits in, as far as a flight recorder knows it.
    work: Work | None = None
    # The name of the thread; empty if the dump has none.
    thread: str = ""

    @property
    def is_worker(self) -> bool:
        """Whether it is a worker of a DataLoader."""
        return any(frame.name == "_worker_loop" for frame in self.frames)

    @property
    def is_busy(self) -> bool:
        """Whether it is a worker that loads a batch, and does not wait to be asked for one."""
        return any(frame.name.endswith("fetch") and frame.file.endswith("fetch.py") for frame in self.frames)

    @property
    def is_main(self) -> bool:
        """Whether it is the main thread of a rank or a worker, and not of a launcher or a helper."""
        outer = [frame.file for frame in self.frames if frame.line][-1:]
        if any(_HELPERS.search(str(frame)) for frame in self.frames):
            return False
        return bool(self.frames) and (
            self.thread == "MainThread" or (not self.thread and outer != ["threading.py"])
        )

    @property
    def calls(self) -> tuple[Frame, ...]:
        """The lines of the user's code, the innermost first."""
        # The stack of a forked worker goes on with what its parent did at the fork.
        inside = takewhile(lambda frame: frame.name != "_worker_loop", self.frames)
        return tuple(frame for frame in inside if frame.is_own)

    @property
    def place(self) -> str:
        """What the user's code has called, and where: "barrier, fit.py:73"."""
        if not self.calls:
            return str(self.frames[0])
        own = self.calls[0]
        names = [frame.name.split(".")[-1] for frame in self._inside_library if frame.line]
        name = [own.name, *(name for name in names if not _WRAPPERS.fullmatch(name))][-1]
        return f"{name}, {own.file}:{own.line}"

    @property
    def _inside_library(self) -> list[Frame]:
        """The frames below the user's code."""
        return list(takewhile(lambda frame: not frame.is_own, self.frames)) if self.calls else []

    def describe(self) -> str:
        """In one line: who, the innermost call, and the line of the user's code."""
        who = list_ranks([self.owner])
        who = f"a DataLoader worker ({who})" if self.is_worker else who
        own = next(iter(self.calls), self.frames[0])
        return f"{who} is in {self.frames[0]}" + (f", called in {own}" if own != self.frames[0] else "")

    @property
    def waits(self) -> bool:
        """Whether it waits for other ranks."""
        return any(_WAITS.search(f"{frame.file} {frame.name}") for frame in self._inside_library)

    @property
    def waits_for_loader(self) -> bool:
        """Whether it waits for a batch."""
        return any(_LOADER.search(frame.name) for frame in self.frames)

    def __str__(self) -> str:
        calls = " ".join(f"#{i} {frame}" for i, frame in enumerate(self.frames))
        return f"{'worker' if self.is_worker else 'process'} waits {calls}"


class StackReader:
    """Collects the stacks in the lines of one log. rank: whose log it is."""

    def __init__(self, file: str, rank: Rank | None) -> None:
        self.stacks: list[Stack] = []
        self._file, self._rank = file, rank
        # The stack of each rank that is read now; a log may mix the lines of several.
        self._open: dict[Rank | None, Stack] = {}
        self._processes: dict[Rank | None, str] = {}
        self._key: Rank | None = None
        self._others = _MAX_OTHER_LINES

    def read_block(self, block: Block, start: int, is_header: bool = False) -> int:
        """Read a dump that begins at a position in a block, or go on with that of the block before.

        Returns its end.
        """
        self._others = 0 if is_header else self._others
        number = block.first_line + block.text.count(b"\n", 0, start)
        while self._others < _MAX_OTHER_LINES and start < len(block.text):
            end = block.text.find(b"\n", start)
            end = len(block.text) if end < 0 else end
            self.read_line(block.text[start : min(end, start + 4000)].decode("utf-8", "replace"), number)
            start, number = end + 1, number + 1
        return start

    def read_line(self, raw: str, number: int) -> None:
        """Read one line."""
        bare, rank = remove_prefix(raw), find_rank(raw)
        process = _PROCESS.match(bare)
        self._key = key = self._key if rank is None and not process else rank
        self._others += 1
        if process:
            self._close(key)
            self._processes[key] = f"process {process[1]}"
        elif thread := _THREAD.match(bare):
            self._close(key)
            self._open[key] = Stack(self._find_owner(key), (), number, self._file, None, thread["name"] or "")
        elif (frame := _FRAME.match(bare)) and key in self._open:
            stack = self._open[key]
            if len(stack.frames) < _MAX_FRAMES:
                self._open[key] = replace(stack, frames=(*stack.frames, _read_frame(frame)))
        else:
            return
        self._others = 0

    def _find_owner(self, key: Rank | None) -> Rank:
        rank = self._rank if key is None else key
        return rank if rank is not None else self._processes.get(key, self._file or "the process")

    def _close(self, key: Rank | None) -> None:
        stack = self._open.pop(key, None)
        if stack and stack.frames and len(self.stacks) < _MAX_STACKS:
            self.stacks.append(stack)

    def finish(self) -> list[Stack]:
        """End the log. Returns the stacks of its main threads."""
        for key in list(self._open):
            self._close(key)
        return [stack for stack in self.stacks if stack.is_main or stack.work]


def _read_frame(match: re.Match[str]) -> Frame:
    line = match["line"] or match["spied_line"] or "0"
    return Frame(
        match["name"] or match["spied"],
        shorten_file(match["file"] or match["spied_file"]),
        int(line) if line.isdecimal() else 0,
    )


def shorten_file(file: str) -> str:
    """A path without the folder of the libraries."""
    return _SITE_PACKAGES.sub("", file).replace("\\", "/")


def count_elements(sizes: object) -> str:
    """The number of elements of a list of shapes; "?" if there is none."""
    shapes = re.findall(r"\[([\d, ]*\d[\d, ]*)\]", str(sizes))
    return str(sum(prod(map(int, re.findall(r"\d+", shape))) for shape in shapes) or "?")


def read_spied(threads: Sequence[dict[str, Any]], file: str, rank: Rank | None) -> list[Stack]:
    """The stacks of `py-spy dump --json`."""
    stacks = []
    for thread in threads:
        frames = tuple(
            Frame(
                str(f["name"]),
                shorten_file(str(f.get("short_filename") or f["filename"])),
                int(f["line"] or 0),
            )
            for f in thread["frames"][:_MAX_FRAMES]
        )
        owner = rank if rank is not None else f"process {thread.get('pid', '?')}"
        stacks.append(Stack(owner, frames, 1, file, None, str(thread.get("thread_name") or "")))
    return [stack for stack in stacks if stack.is_main]


# -- comparing --------------------------------------------------------------------------------------


def compare_stacks(stacks: Iterable[Stack]) -> Iterator[str]:
    """Sentences on where the processes of a job are, and which one is elsewhere."""
    by_owner: defaultdict[Rank, list[Stack]] = defaultdict(list)
    stacks = list(stacks)
    for stack in stacks:
        if stack.frames and not stack.is_worker:
            by_owner[stack.owner].append(stack)
    last = {owner: found[-1] for owner, found in by_owner.items()}
    moving = [owner for owner, found in by_owner.items() if len({stack.frames for stack in found}) > 1]
    if not last:
        return
    if len(moving) == len(last):
        yield "the stacks change from dump to dump, so the job is slow, and not stuck"
        return
    # The odd one comes first: the fewest processes, and of two as many those that wait for nobody.
    groups = sorted(
        group_stacks(last.values()),
        key=lambda group: (group[0].owner not in moving, len(group), group[0].waits, str(group[0].owner)),
    )
    if len(groups) == 1 and all(stack.frames for stack in stacks):
        yield f"{'all ranks wait' if len(last) > 1 else 'it waits'} in {groups[0][0].place}"
        return
    if len(groups) == 1:
        return
    odd, *rest = groups
    where = "; ".join(f"{_name(group)} in {group[0].place}" for group in rest)
    if odd[0].waits_for_loader:
        yield f"no batch comes from the DataLoader of {_name(odd)}, in {odd[0].place}; the others wait: {where}"
    elif odd[0].owner in moving or not odd[0].waits:
        yield f"outside of any collective: {_name(odd)} in {odd[0].place}; the others wait: {where}"
    else:
        ahead = _find_ahead(groups)
        past = f", {_name(ahead)} beyond the others" if ahead else ""
        yield f"the ranks wait in different calls{past}: {_name(odd)} in {odd[0].place}; {where}"


def group_stacks(stacks: Iterable[Stack]) -> list[list[Stack]]:
    """The stacks that are at the same line of the user's code, in the same call."""
    groups: defaultdict[object, list[Stack]] = defaultdict(list)
    for stack in stacks:
        groups[stack.calls, stack.place].append(stack)
    return list(groups.values())


def _find_ahead(groups: list[list[Stack]]) -> list[Stack] | None:
    """The group that has left a function in which the others still are."""
    for a, b in ((groups[0], groups[-1]), (groups[-1], groups[0])):
        for mine, other in zip(reversed(a[0].calls), reversed(b[0].calls), strict=False):
            if mine != other:
                if (mine.name, mine.file) == (other.name, other.file) and mine.line > other.line:
                    is_over = any(_END.search(frame.name) for frame in a[0].frames)
                    return a if is_over or len(a[0].calls) < len(b[0].calls) else None
                break
    return None


def _name(group: Sequence[Stack]) -> str:
    return list_ranks(sorted({stack.owner for stack in group}, key=str))
