"""What to collect next if a log does not say enough: the triage entries, Q1 to Q6."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class NextStep:
    """What to collect next, and the triage entry that says how."""

    id: str
    advice: str


# The first pattern that an error or a line matches decides.
STEPS = (
    (
        re.compile(
            r"device-side|(?:CUDA|HIP|XPU|NPU) error|(?:CUDA|HIP) kernel errors|(?:CU|HIP|ROC)BLAS_STATUS|CUDNN_STATUS|miopenStatus|"
            r"illegal memory access|Memory access fault by GPU|aicore (?:exception|error)|"
            r"Assertion .* failed",
            re.IGNORECASE,
        ),
        NextStep("Q5", "run one batch on the CPU, or with CUDA_LAUNCH_BLOCKING=1, and read that traceback"),
    ),
    (
        re.compile(r"DataLoader worker|_worker_loop|worker process \d", re.IGNORECASE),
        NextStep("Q4", "run once with num_workers=0, and read the first traceback of a worker"),
    ),
    (
        re.compile(
            r"segmentation fault|SIGSEGV|\bsignal 11\b|exit(?: code|code)?:? -?(?:11|139)\b|段错误|Speicherzugriffsfehler|"
            r"Erreur de segmentation|Violación de segmento|セグメンテーション違反|Ошибка сегментирования|Falha de segmentação",
            re.IGNORECASE,
        ),
        NextStep("Q4", "run once with PYTHONFAULTHANDLER=1: its stack names the function that crashed"),
    ),
    (
        re.compile(
            r"out of memory|OutOfMemory|MemoryError|cannot allocate|\bOOM\b|oom.kill|\bKilled\b|SIGKILL|"
            r"exit(?: code|code)?:? -?(?:9|137)\b|已杀死|无法分配内存|Getötet|Nicht genügend (?:Haupts|S)peicher|Processus arrêté|"
            r"Impossible d'allouer de la mémoire|No se pudo asignar (?:la )?memoria|強制終了|メモリを確保できません|Убито|"
            r"Не удалось выделить память|Невозможно выделить память|Não foi possível alocar memória",
            re.IGNORECASE,
        ),
        NextStep("Q3", "print the memory of the process and of the GPU after each step"),
    ),
    (
        re.compile(r"\b(?:nan|inf|infinite|diverged|overflow)\b", re.IGNORECASE),
        NextStep("Q2", "find the first step and the first tensor that is not finite"),
    ),
    (
        re.compile(
            r"[NRHX]CCL|gloo|rendezvous|timed? ?out|timeout|SIGTERM|KeyboardInterrupt|watchdog", re.IGNORECASE
        ),
        NextStep("Q1", "take the stack of every rank and worker, three times: py-spy dump --pid PID"),
    ),
)
# The lines of the launcher, torchrun; its last line may be missing.
_LAUNCHER = re.compile(r"ChildFailedError|elastic\.multiprocessing\.api.*\bfailed \(exitcode")
FAILED_RANK = NextStep(
    "Q6", "read the output of the rank that failed; torchrun --tee=3 --log_dir=logs keeps it"
)
NO_ERROR = NextStep("Q1", "if the job still runs, take the stack of every process: py-spy dump --pid PID")
# What the last lines say of a job that has not just stopped: an error in words, or its end.
_SAYS_WHY = re.compile(
    r"error|exception|denied|fail|cannot|can't|could not|unable|not found|no such|missing|invalid|unexpected|unrecognized|refused"
    r"|not supported|finished|completed?\b|done\b|错误|失败|完成",
    re.IGNORECASE,
)
# A name or an item that is not there, and the library whose file looks for it. torch is seldom the one that is wrong.
_LACKS = re.compile(
    r"(?s)(?:AttributeError|KeyError|UnboundLocalError|NameError|ImportError): .*\n(?:[^\n]*(?:site|dist)-packages[\\/]|\W*)"
    r"(?!torch[\\/])(\w+)[\\/][^\n]*$"
)
STALLED = NextStep(
    "Q1", "start it again and, while it hangs, take the stack of every process: py-spy dump --pid PID"
)


def choose_next_step(errors: Sequence[str], lines: Sequence[str]) -> NextStep | None:
    """What to collect, judged by the last errors of a log, or else by its last lines; None without a clue."""
    if not (step := _find_last_step(errors)) and any(_LAUNCHER.search(text) for text in (*errors, *lines)):
        # All other lines of the log may be the launcher's.
        return FAILED_RANK
    last = [line for line in lines if line.strip()][-3:]
    is_silent = bool(last) and not errors and not any(map(_SAYS_WHY.search, last))
    return step or _find_last_step(lines) or (NO_ERROR if is_silent else None)


def suspect_library(error: str, place: tuple[str, int] | None) -> NextStep | None:
    """The releases, if the file of a library looks for something in vain. place: its last line."""
    if place and (found := _LACKS.match(f"{error}\n{place[0]}")):
        return NextStep(
            "E2",
            f"the releases of the libraries (dpkb versions .). The last frame is in {found[1]} and not in your code "
            f"({place[0]}, line {place[1]}), so a release that the code was not written for is the first suspect",
        )
    return None


def _find_last_step(texts: Sequence[str]) -> NextStep | None:
    return next((step for text in reversed(texts) for pattern, step in STEPS if pattern.search(text)), None)
