"""Compares the limits of a machine with the workers and batches of a loader, before anything has run."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dpkb.audit.machine import Machine
from dpkb.audit.result import AuditedLoader, read_report
from dpkb.text import count_of

# The default of Docker for a container.
_DOCKER_SHM = 64 << 20
# Linux's default number of open files.
_DEFAULT_FILES = 1024
_MB = 1 << 20


@dataclass(frozen=True)
class Plan:
    """The loaders of a program, as far as they are known. None: not known."""

    workers: int | None = None
    # A batch in shared memory, and the private memory of a worker.
    batch_bytes: int | None = None
    worker_bytes: int | None = None
    tensors: int | None = None
    # PyTorch's default: batches that each worker loads ahead.
    prefetch: int = 2


def read_plan(path: Path) -> Plan:
    """The plan of a program that was audited, from the report. Raises UsageError."""
    return read_report(path, _plan_from)


def _plan_from(report: Any) -> Plan:
    # For each rank, the loader with the most bytes in flight: others rarely load at the same time.
    largest: dict[int | None, AuditedLoader] = {}
    for fields in report["loaders"]:
        loader = AuditedLoader(**fields)
        numbers = (
            loader.workers,
            loader.prefetch,
            loader.batch_bytes,
            loader.batch_tensors,
            loader.worker_bytes or 0,
        )
        if not all(isinstance(number, int) for number in numbers):
            raise TypeError
        current = largest.get(loader.rank)
        if loader.workers and (current is None or _bytes_in_flight(loader) > _bytes_in_flight(current)):
            largest[loader.rank] = loader
    loaders = largest.values()
    if not loaders:
        return Plan(workers=0)
    return Plan(
        sum(loader.workers for loader in loaders),
        max(loader.batch_bytes for loader in loaders),
        max((loader.worker_bytes for loader in loaders if loader.worker_bytes), default=None),
        max(loader.batch_tensors for loader in loaders),
        max(loader.prefetch for loader in loaders),
    )


def _bytes_in_flight(loader: AuditedLoader) -> int:
    return loader.workers * loader.prefetch * loader.batch_bytes


@dataclass(frozen=True)
class Advice:
    """One line of the answer.

    likely: whether the entry's failure is to be expected with this plan; None: the program decides, or a
    number of the plan is unknown.
    """

    id: str
    likely: bool | None
    message: str


def advise(machine: Machine, plan: Plan) -> list[Advice]:
    """The failures that this machine makes likely for this plan, one line for each entry."""
    lines = [
        _shared_memory_advice(machine, plan),
        _open_files_advice(machine, plan),
        _memory_advice(machine, plan),
        _cores_advice(machine, plan),
        _start_method_advice(machine, plan),
    ]
    return [line for line in lines if line]


def _shared_memory_advice(machine: Machine, plan: Plan) -> Advice | None:
    if machine.shm_bytes is None or machine.shm_free_bytes is None:
        return None
    default = " (Docker's default)" if machine.shm_bytes == _DOCKER_SHM else ""
    size = (
        f"/dev/shm has {machine.shm_bytes // _MB} MB{default}, of which "
        f"{machine.shm_free_bytes // _MB} MB are free"
    )
    if plan.workers and plan.batch_bytes:
        # The formula of the page DP15, which its scripts have measured.
        batches = plan.workers * plan.prefetch + 2
        needed = batches * plan.batch_bytes
        return Advice(
            "DP15",
            needed > machine.shm_free_bytes,
            f"{size}; {batches} batches of {count_of(plan.workers, 'worker')} need {_megabytes(needed)}",
        )
    if plan.workers == 0:
        return Advice("DP15", None, size)  # other parts of a program also use shared memory
    if machine.shm_free_bytes <= _DOCKER_SHM:
        return Advice("DP15", True, f"{size}: too little for most loaders")
    return Advice("DP15", None, size + _missing_options(plan, {"--batch-mb": plan.batch_bytes}))


def _open_files_advice(machine: Machine, plan: Plan) -> Advice | None:
    if machine.open_files is None:
        return None
    limit = f"a process may have {machine.open_files} files open"
    if plan.workers and plan.tensors:
        # Under the file_descriptor strategy each tensor that waits in the main process is a descriptor.
        needed = plan.workers * plan.prefetch * plan.tensors + 100
        loaded = (
            f"{count_of(plan.workers, 'worker')} x {count_of(plan.prefetch, 'batch', 'batches')} of "
            f"{count_of(plan.tensors, 'tensor')}"
        )
        return Advice("DP20", needed > machine.open_files, f"{limit}; {loaded} need about {needed}")
    if plan.workers == 0:
        return Advice("DP20", False, limit)
    limit += "; a loop that keeps many batches needs one for each tensor"
    if machine.open_files < _DEFAULT_FILES:
        return Advice("DP20", True, limit)
    missing = _missing_options(plan, {"--tensors": plan.tensors})
    return Advice("DP20", None if missing else False, limit + missing)


def _memory_advice(machine: Machine, plan: Plan) -> Advice:
    memory = machine.memory_limit or machine.memory_bytes
    which = "this container or job may use" if machine.memory_limit else "this machine has"
    text = f"{which} {memory // _MB} MB of memory"
    if plan.workers and plan.worker_bytes:
        needed = plan.workers * plan.worker_bytes
        return Advice(
            "U9",
            needed > 0.8 * memory,
            f"{text}; {count_of(plan.workers, 'worker needs', 'workers need')} {_megabytes(needed)}",
        )
    if machine.memory_limit is not None:
        text += f" of the {machine.memory_bytes // _MB} MB that free(1) shows"
    missing = _missing_options(plan, {"--worker-mb": plan.worker_bytes})
    return Advice("U9", None if missing else False, text + missing)


def _cores_advice(machine: Machine, plan: Plan) -> Advice:
    text = f"{machine.usable_cores:g} of {machine.cores} cores may be used"
    if plan.workers is None:
        return Advice("T8", None, text + _missing_options(plan, {}))
    if plan.workers <= machine.usable_cores:
        return Advice("T8", False, text)
    return Advice(
        "T8",
        None,
        f"{text}: {count_of(plan.workers, 'worker')} must share them, which slows "
        "loading down unless they mostly wait for storage",
    )


def _start_method_advice(machine: Machine, plan: Plan) -> Advice | None:
    if plan.workers == 0:
        return None
    version = tuple(int(number) for number in machine.python.split(".")[:2] if number.isdigit())
    if machine.system != "linux":
        return Advice("DP6", None, f"{machine.system} starts workers by spawn: the dataset is pickled")
    if version >= (3, 14):
        return Advice(
            "DP6", None, f"Python {machine.python} starts workers by forkserver, which pickles the dataset"
        )
    return Advice(
        "DP30",
        None,
        f"Python {machine.python} forks workers: they may hang if the program "
        "already has threads, since a fork copies locks that are taken, but not their threads",
    )


def _missing_options(plan: Plan, numbers: dict[str, int | None]) -> str:
    """Words that name the options for unknown numbers; "" if all are known, or there are no workers.

    numbers: option -> number, besides the number of workers.
    """
    if plan.workers == 0:
        return ""
    unknown = [option for option, number in {"--workers": plan.workers, **numbers}.items() if number is None]
    return f"; give {' and '.join(unknown)} to learn whether that is enough" if unknown else ""


def _megabytes(size: int) -> str:
    return f"{size // _MB} MB" if size >= _MB else "less than 1 MB"
