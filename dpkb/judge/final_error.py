"""The exception that ended a script, read from its standard error."""

from __future__ import annotations

import re
from collections.abc import Iterator

TRACEBACK = "Traceback (most recent call last):"
# The first frame of an uncaught exception of the main program is its module level. Threads, DataLoader
# workers, spawned ranks and `python -c` have other first frames.
_MAIN_FRAME = re.compile(r'  File "[^<"][^"]*", line \d+, in <module>')
# In a process that has a process group, torch puts this before each line of the traceback.
_RANK = re.compile(r"^\[rank\d+\]: ?(?!\[)")
# torch raises the error of a rank or a worker again in the parent, with the traceback as text in the message.
_RAISED_AGAIN = re.compile(r"-- Process \d+ terminated with the following error:|Original Traceback \(.*\):")
# A DataLoader worker prints this when a signal kills it. The parent process then fails in one of many ways.
_KILLED_WORKER = re.compile(r"ERROR: Unexpected .+ encountered in worker\b")
# The parent's error says only that a child has ended. The cause is in the child's output, above.
_CHILD_DIED = re.compile(r"DataLoader worker \(pid.*\) exited|process \d+ terminated with (signal|exit code)")
_ABORT = re.compile(r"terminate called |  what\(\): ")
_CHAINED = frozenset(
    [
        "During handling of the above exception, another exception occurred:",
        "The above exception was the direct cause of the following exception:",
    ]
)
# Lines that may follow the traceback on stderr: warnings, C++ logs, tracebacks of threads and processes.
_OTHER_TEXT = re.compile(
    r"\S+:\d+: \w*Warning: |\[(rank\d+\]:\[)?[IWEF]\d* "
    r"|Exception in thread |Exception ignored |Process \S+:$"
)
_EXCEPTION = re.compile(r"[A-Za-z_][\w.]*(?:Error|Exception|Warning|Interrupt|Exit)\b")


def read_final_error(stderr: str) -> list[str]:
    """The lines of the message of the exception that ended the main program; empty if none did.

    Only the last exception of the main program's traceback counts, not an exception that it replaced, not a
    warning, and not a thread or child process. The message of a child process is included if torch raises it
    again in the parent, or if the parent fails because the child has ended.
    """
    lines = [_RANK.sub("", line) for line in stderr.replace("\0", "").splitlines()]
    heads = [n for n, line in enumerate(lines) if line.rstrip().endswith(TRACEBACK)]
    own = [n for n in heads if _MAIN_FRAME.match(next(filter(_is_frame, lines[n + 1 : n + 3]), ""))]
    if not own:
        return []
    error = list(_find_message(lines[own[-1] + 1 :]))
    before = lines[: own[-1]]
    from_children = [line for line in before if _KILLED_WORKER.match(line)]
    if any(_CHILD_DIED.search(line) for line in error):
        from_children += [line for line in before if _ABORT.match(line)]
        from_children += [line for n in heads if n < own[-1] for line in _find_message(before[n + 1 :])]
    return [*from_children, *error]


def summarize_error(error: list[str]) -> str:
    """One line for an exception: the last line that starts with a type, or else the first line."""
    typed = [line for line in error if _EXCEPTION.match(line)]
    if typed:
        return typed[-1].strip()
    return error[0].strip() if error else "a traceback"


def _find_message(lines: list[str]) -> Iterator[str]:
    """The lines of the message below the frames of a traceback. lines: everything after its first line."""
    texts = (n for n, line in enumerate(lines) if line.strip() and not line.startswith("  "))
    begin = next(texts, len(lines))
    raised_again = False
    for number, line in enumerate(lines[begin:], begin):
        if _RAISED_AGAIN.match(line):
            raised_again = True
        elif raised_again and _is_frame(line):
            yield from _find_last_of_chain(lines[number:])
            return
        elif not raised_again and (line.rstrip().endswith(TRACEBACK) or _OTHER_TEXT.match(line)):
            return
        if line.strip():
            yield line


def _is_frame(line: str) -> bool:
    return line.startswith('  File "')


def _find_last_of_chain(lines: list[str]) -> Iterator[str]:
    """The message of the last exception in a chain of tracebacks, which a message quotes."""
    links = [number for number, line in enumerate(lines) if line in _CHAINED]
    return _find_message(lines[links[-1] + 3 if links else 0 :])
