"""The errors in a log: of which rank, when, in which line of the user's code, and what they follow from."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from dpkb.diagnosis.frames import LAST_LINE
from dpkb.diagnosis.log import remove_prefix
from dpkb.patterns import matching

# A number, or what a launcher calls the process: a host, a pod, a process id.
Rank = int | str

# The order of causes: an error of its own, a wait that took too long, a peer that is gone, an end that
# somebody else caused. Each may follow from those before it.
CAUSE, WAIT, LOST_PEER, ENDED = range(4)
_NAMES = r"(?:Error|Exception|Interrupt|Exit)(?::|\s*$)"
# What a shell says of a process that a signal ended: in English, Chinese, German, French, Spanish, Japanese, Russian
# and Portuguese.
_SIGNALS = (
    r"(?:Killed|Segmentation fault|Bus error|Aborted|已杀死|段错误|总线错误|已中止|Getötet|Speicherzugriffsfehler|Bus-Zugriffsfehler"
    r"|Processus arrêté|Tué|Erreur de segmentation|Erreur du bus|Terminado \(killed\)|Matado|Violación de segmento"
    r"|Error en el bus|強制終了|セグメンテーション違反です|バスエラー|Убито|Ошибка сегментирования|Ошибка шины|Morto|Falha de segmentação"
    r"|Erro de barramento)(?:\W|$)"
)
_CRASHES = rf"^(?:{_SIGNALS}|Fatal Python error:)"
_SHELL = rf"[:：] ?(?:line|第|行|Zeile|ligne|línea|строка|linha) ?\d+ ?行? ?[:：] *\d+ {_SIGNALS}"
_ERROR = rf"^[A-Za-z_][\w.]*{_NAMES}|{_CRASHES}|{_SHELL}"
_CONSEQUENCES = (
    (
        WAIT,
        r"Watchdog caught collective operation timeout|Timed out waiting \d+ms for|Timeout at NCCL work: \d"
        r"|watchdog got stuck for|ran for \d+ milliseconds before timing out|Work\wCCL::checkTimeout"
        r"|Notify register times out|detected by watchdog at work|received errors while waiting|failed to pass monitoredBarrier"
        r"|Timed out after \d+ seconds waiting for clients|wait timeout after \d+ ?ms|Socket Timeout",
    ),
    (
        LOST_PEER,
        r"Connection (?:closed|reset) by (?:remote )?peer|gloo/.* (?:Read|Write|read|write)v? ?(?:error)? ?\["
        r"|Application timeout caused pair closure|Broken pipe|communicator was aborted|ncclRemoteError"
        r"|remote process exited|recvValue failed|Failed to (?:recv|send), got 0 bytes",
    ),
    (
        ENDED,
        r"\bSIGTERM\b|ChildFailedError|ProcessRaisedException|SignalException|KeyboardInterrupt"
        r"|DataLoader worker \(pid.*\) exited unexpectedly|DataLoader worker .* killed by signal: Terminated",
    ),
)
# An error of a worker that the main process raises again; the error itself stands below it.
_WRAPPER = re.compile(r"\w+: Caught \w+ in (?:DataLoader worker|replica)")
EXIT_CODE = "ended with exit code"
# torchrun's report, and Slurm's: the exit of a rank that may have written nothing itself.
_EXIT = re.compile(
    r"failed \(exitcode: (?P<code>-?\d+)\) local_rank: (?P<rank>\d+)"
    r"|^srun: error: .*: tasks? (?P<task>\d+): (?P<how>Exited with exit code [1-9]\d*|Segmentation fault|Killed|"
    r"Aborted|Bus error|Out Of Memory)"
)
# What finds the places of errors in a long text. A name is not part of it: it may be as long as a line.
PATTERNS = [
    f"{_NAMES}|{_CRASHES}|{_SHELL}",
    *(pattern for _, pattern in _CONSEQUENCES),
    r"failed \(exitcode: |srun: error: ",
]
# A metric may be called an error: `MeanAbsoluteError: 0.31`.
_METRIC = re.compile(r"\w+Error: -?\d+\.\d+\s*$")

_RANK = re.compile(r"\[(?:rank|Rank |RANK |local_rank )(\d+)\]")
# What a launcher writes before each line: torchrun --tee, mpirun, srun -l, kubectl, Ray, pdsh.
_LAUNCHER = re.compile(
    r"\s*(?:\[[a-z]\w*?(\d+)\]:|\[(?:\d+,)?(\d+)\](?:<\w+>:?|:)(?= *\S)|(\d{1,5}):\s|\[pod/([^/\]\s]+)/[^\]\s]*\]"
    r"|\((\w+ pid=\d+(?:, ip=[\d.]+)?)\)"
    r"|((?:[a-z0-9]+-)+\d+|(?:node|host|worker|gpu|rank)[\w.-]*\d)(?::\s|\s\|\s))"
)
_TIME = re.compile(
    r"(?:\d{4}-(\d\d)-(\d\d)[T _]|\b[IWEF](\d\d)(\d\d) )(\d\d):(\d\d):(\d\d)(?:[.,](\d{1,6}))?"
)
_FRAME = re.compile(r'File "([^"]+)", line (\d+)')
# Python's own files, and the frames of its import system. Paths may be cut.
_PYTHON = re.compile(
    r"[\\/]lib[\\/]python[\d.]+[\\/](?!(?:site|dist)-packages)|[\\/](?:Python\d+|\w*conda\d?|envs[\\/][\w.-]+)[\\/][Ll]ib[\\/](?!site-packages|python)"
    r"|^<|[\\/]bin[\\/]\w+$|^(?:(?:concurrent|importlib|json|multiprocessing|asyncio|unittest|ctypes|logging)[\\/]|(?:runpy|dataclasses"
    r"|threading|subprocess|pickle|copy|functools|contextlib|inspect|typing|enum|socket|tempfile|shutil|pathlib|abc|queue|random|zipfile)\.py$)"
)
# The files of libraries: by their place, or by the first folder of a cut path.
_LIBRARY = re.compile(
    rf"(?:site|dist)-packages|{_PYTHON.pattern}|^(?:\.\.\.[\\/]|…[\\/])?(?:torch\w*|functorch|transformers|accelerate|peft|trl|datasets"
    r"|diffusers|evaluate|tokenizers|huggingface_hub|safetensors|bitsandbytes|deepspeed|lightning\w*|pytorch_lightning|timm|monai"
    r"|ultralytics|sentence_transformers|gym|gymnasium|stable_baselines3|numpy|scipy|sklearn|pandas|PIL|cv2|albumentations|librosa"
    r"|mmcv|mmengine|detectron2|unsloth\w*|wandb|hydra|omegaconf|fire|click|typer|tqdm|ray|xformers|flash_attn|triton|einops|kornia"
    r"|fastai)[\\/]"
)
_CHAIN = ("During handling of the above exception", "The above exception was the direct cause")
# How many lines before an error are searched for its traceback and its time.
_MAX_LINES_BEFORE = 400
# An error this many lines after the error before it, in the log of one rank, belongs to another failure.
_SAME_FAILURE_LINES, _SAME_FAILURE_LINES_OF_ALL = 200, 5000
_MAX_FAILURES_OF_RANK = 20
_SHOWN_CHARACTERS = 500


@dataclass(frozen=True)
class Failure:
    """An error in a log. order: its place in the order of causes."""

    rank: Rank | None
    line: int
    text: str
    order: int
    # Seconds, to compare; None if the log has no times.
    time: float | None = None
    # The innermost line of code that belongs to no library.
    code: tuple[str, int] | None = None
    # The last line, if it belongs to a library.
    library: tuple[str, int] | None = None
    # Raised while an earlier error was handled.
    is_chained: bool = False
    # Only the launcher reports it.
    is_exit: bool = False
    file: str = ""
    # When its log was last written.
    written_at: float | None = None


def read_ranks(line: str) -> tuple[Rank | None, Rank | None]:
    """Who wrote a line: the rank that the program itself writes, and what the launcher writes before it."""
    own, launched = _RANK.search(line, 0, 200), _LAUNCHER.match(line)
    name = launched[launched.lastindex or 0] if launched else None
    return int(own[1]) if own else None, int(name) if name and name.isdecimal() else name


def find_rank(line: str) -> Rank | None:
    """The rank that wrote a line, as far as the line tells."""
    own, launched = read_ranks(line)
    return launched if own is None else own


def order_of_cause(bare: str) -> int | None:
    """The place of an error in the order of causes; None if the line is no error. bare: without prefixes."""
    is_error = matching.has_match(_ERROR, bare) and not _METRIC.match(bare) and not _WRAPPER.match(bare)
    orders = (order for order, pattern in _CONSEQUENCES if matching.has_match(pattern, bare))
    return next(orders, CAUSE if is_error else None)


def read_failure(raw: str, bare: str, number: int, before: str) -> Failure | None:
    """The error that a line reports; None if it reports none. before: the text before the line."""
    ranks = {*read_ranks(raw)} - {None}
    rank = find_rank(raw)
    text = bare[:_SHOWN_CHARACTERS]
    if exit_ := _EXIT.search(bare):
        rank = int(exit_["rank"] or exit_["task"])
        text = (exit_["how"] or f"{EXIT_CODE} {exit_['code']}").replace("Exited with exit code", EXIT_CODE)
        is_ended = exit_["code"] in ("-15", "-6")
        return Failure(rank, number, text, ENDED if is_ended else CAUSE, _read_time(raw), is_exit=True)
    order = order_of_cause(bare)
    if order is None:
        return None
    time, is_chained, in_traceback = _read_time(raw), False, True
    frames: list[tuple[str, int]] = []
    lines = _lines_before(before, ranks)
    for line in lines:
        time = _read_time(line) if time is None else time
        if in_traceback and "Traceback (most recent call last)" in line:
            raw_above = list(islice(lines, 3))
            time = next((t for t in (time, *map(_read_time, raw_above)) if t is not None), None)
            above = [remove_prefix(text) for text in raw_above]
            is_chained = any(text.startswith(_CHAIN) for text in above)
            if any(text.startswith("Exception ignored in") for text in above):
                order = ENDED
            in_traceback = False
        elif in_traceback and (frame := _FRAME.search(line)):
            frames.append((frame[1], int(frame[2])))
        elif in_traceback and LAST_LINE.match(remove_prefix(line)):
            in_traceback = False
        if time is not None and not in_traceback:
            break
    code, last = (next((f for f in frames if not other.search(f[0])), None) for other in (_LIBRARY, _PYTHON))
    return Failure(rank, number, text, order, time, code, last if last != code else None, is_chained)


def _lines_before(before: str, ranks: set[Rank | None]) -> Iterator[str]:
    """The lines before an error that its rank wrote, the last one first."""
    end = len(before)
    for _ in range(_MAX_LINES_BEFORE):
        start = before.rfind("\n", 0, max(0, end - 1)) + 1
        for line in reversed(before[start:end].rstrip("\n").split("\r")):
            if not ranks or ranks.intersection(read_ranks(line)) or read_ranks(line) == (None, None):
                yield line
        end = start
        if not end:
            break


def _read_time(line: str) -> float | None:
    match = _TIME.search(line, 0, 200)
    if not match:
        return None
    month, day = match[1] or match[3], match[2] or match[4]
    days = int(month) * 31 + int(day)
    seconds = int(match[5]) * 3600 + int(match[6]) * 60 + int(match[7])
    return days * 86400 + seconds + float(f"0.{match[8] or 0}")


class FailureList:
    """The last failure of each rank in one log: its errors, in their order."""

    def __init__(self) -> None:
        self.by_rank: dict[Rank | None, list[Failure]] = {}
        self.exits: list[Failure] = []
        self._last_lines: dict[Rank | None, int] = {}

    def has_room(self, rank: Rank | None, line: int) -> bool:
        """Whether a rank's error in this line would be kept; to read it takes time."""
        is_same = line - self._last_lines.get(rank, line) <= _SAME_FAILURE_LINES
        self._last_lines[rank] = line
        return not is_same or len(self.by_rank.get(rank, ())) < _MAX_FAILURES_OF_RANK

    def add(self, failure: Failure) -> None:
        """Add an error. Errors far before it were handled by the program, and are forgotten."""
        if failure.is_exit:
            self.exits = [*self.exits, failure][-_MAX_FAILURES_OF_RANK:]
            return
        failures = self.by_rank.setdefault(failure.rank, [])
        limit = _SAME_FAILURE_LINES if failure.order == CAUSE else _SAME_FAILURE_LINES_OF_ALL
        if failures and failure.line - failures[-1].line > limit:
            failures.clear()
        if len(failures) < _MAX_FAILURES_OF_RANK:
            failures.append(failure)


def map_ranks(lines: Iterable[str]) -> dict[Rank, Rank]:
    """What stands before these lines -> the rank that it means; empty if they may be of one process."""
    own: set[Rank] = set()
    launched: Counter[Rank] = Counter()
    ranks_of: defaultdict[Rank, set[Rank]] = defaultdict(set)
    for line in lines:
        rank, name = read_ranks(line)
        if rank is not None:
            own.add(rank)
        if name is not None:
            launched[name] += 1
            ranks_of[name] |= {rank} if rank is not None else set()
    # A launcher marks every line. A number that a program writes before few of its lines is no rank.
    names = list(launched)
    if (
        len(names) < 2
        or launched.total() < 2 * len(names)
        or any(len(ranks) > 1 for ranks in ranks_of.values())
    ):
        return {rank: rank for rank in own}
    numbers = {name: int(match[0]) if (match := re.search(r"\d+$", str(name))) else name for name in names}
    if own and all(ranks <= {numbers[name]} for name, ranks in ranks_of.items()):
        return {rank: rank for rank in own} | numbers
    return {rank: rank for rank in own} | {name: next(iter(ranks_of[name]), name) for name in names}
