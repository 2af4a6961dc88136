"""The logs below the paths that a user names, and whose logs they are."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from dpkb.diagnosis.failures import Rank

# torchrun --log-dir: <id>_<random>/attempt_<n>/<local rank>/stderr.log.
_TORCHRUN = re.compile(r"(?:(.*)/)?([^/]+)_\w+/attempt_\d+/(\d+)/[^/]+$")
_NAMED_RANK = re.compile(r"(?:^|[/_.-])(?:global_?)?rank[_.=-]?(\d+)(?!\d)")
# Files beside logs that are no logs.
_NO_LOGS = re.compile(
    r"\.(?:py|ipynb|pyc|ya?ml|toml|json|csv|tsv|md|html?|pt|pth|ckpt|bin|safetensors|onnx|npy|npz|pkl|pickle|h5|hdf5|"
    r"parquet|arrow|tar|zip|png|jpe?g|gif|svg|pdf|mp4|so|tfevents.*|lock|pid)$"
    r"|(?:^|/)events\.out\.tfevents",
    re.IGNORECASE,
)

_DUMP = re.compile(r"(?:spy|stack|dump|trace)[^/]*\.(?:json|pkl|pickle)$", re.IGNORECASE)
_TABLES = ("trainer_state.json", "metrics.csv")


@dataclass(frozen=True)
class LogFile:
    """A file, its name as it is shown, and its rank; None if the path does not say it."""

    path: Path
    name: str
    rank: Rank | None = None
    # When it was last written.
    written_at: float | None = None


def list_logs(paths: Iterable[str]) -> tuple[list[LogFile], list[str]]:
    """The logs that these files and folders hold, and notes on what was left out."""
    names: list[str] = []
    notes = []
    for path in paths:
        if not os.path.isdir(path):
            names.append(path)
            continue
        below = sorted(_list_folder(path), key=_natural_key)
        logs = [name for name in below if _DUMP.search(name) or not _NO_LOGS.search(name)]
        # A folder of a Trainer may have nothing but its numbers.
        logs = logs or [name for name in below if os.path.basename(name) in _TABLES][:1]
        if not logs:
            notes.append(f"{path} holds no log")
        names += logs
    kept, runs = _keep_newest_run(list(dict.fromkeys(names)))
    if runs > 1:
        notes.append(f"the logs are of {runs} runs of torchrun; only those of the last one are read")
    ranks = _find_ranks(kept)
    return [LogFile(Path(name), name, ranks.get(name), _find_time(name)) for name in kept], notes


def _list_folder(folder: str) -> Iterable[str]:
    for place, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        yield from (os.path.normpath(os.path.join(place, name)) for name in files if not name.startswith("."))


def _find_time(name: str) -> float | None:
    try:
        return os.stat(name).st_mtime
    except (OSError, ValueError):
        return None


def _keep_newest_run(names: list[str]) -> tuple[list[str], int]:
    """The names without those of older runs in the same --log-dir, and how many runs there are."""
    run_of = {name: match[2] for name in names if (match := _TORCHRUN.match(name))}
    times: defaultdict[str, float] = defaultdict(float)
    for name, run in run_of.items():
        times[run] = max(times[run], _find_time(name) or 0)
    newest = max(times, key=lambda run: times[run], default=None)
    return [name for name in names if run_of.get(name, newest) == newest], len(times)


def _find_ranks(names: Sequence[str]) -> dict[str, Rank]:
    """The rank of each file: from the tree of torchrun, from `rank3`, or from the only number that differs."""
    ranks: dict[str, Rank] = {}
    folders = {match[0].split("/attempt_")[0] for name in names if (match := _TORCHRUN.match(name))}
    groups: defaultdict[str, list[str]] = defaultdict(list)
    for name in names:
        if match := _TORCHRUN.match(name):
            node = match[0].split("/attempt_")[0]
            ranks[name] = int(match[3]) if len(folders) == 1 else f"{node}:{match[3]}"
        elif match := _NAMED_RANK.search(name):
            ranks[name] = int(match[1])
        else:
            groups[re.sub(r"\d+", "#", name)].append(name)
    for group in groups.values():
        numbers = [re.findall(r"\d+", name) for name in group]
        differ = [values for values in zip(*numbers, strict=True) if len(set(values)) > 1]
        if len(differ) == 1:
            ranks |= {name: int(value) for name, value in zip(group, differ[0], strict=True)}
    if not ranks and len(names) > 1:
        return {name: name for name in names}
    return ranks


def _natural_key(name: str) -> list[tuple[int, str]]:
    """So that rank 10 comes after rank 9."""
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"(\d+)", name)]
