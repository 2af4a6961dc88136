"""What `dpkb.traceback` adds below the tracebacks of failing programs: a table, and how often it names the cause.

python -m bench.explained [NUMBER]

The programs are scripts of the catalogue that raise, each of another entry, spread over the families. Each runs plain
and with the hook of `dpkb.traceback`, in a fork that has imported torch already. The traceback has to be there whole and
first, and the exit code has to stay: a program for which this does not hold is named, and the code is 1.
"""

from __future__ import annotations

import argparse
import atexit
import importlib
import multiprocessing
import os
import re
import runpy
import signal
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import islice, zip_longest
from typing import NamedTuple

from dpkb.catalogue.load import load, read_reproducer
from dpkb.model import Entry, Outcome, Reproducer
from dpkb.paths import find_catalogue_folders
from dpkb.text import count_of, join_lines
from dpkb.traceback import install

_SKIPPED = 77
_ENTRY = re.compile(r"^(\w+) +(perhaps: )?.*(?:\n {6}.*)*\n {6}more: dpkb show \1$", re.M)
# Numbers of processes, addresses, times and names of temporary folders differ from run to run.
_VARYING = re.compile(r"0x[0-9a-f]+|/tmp\w+|\d+")
# Ranks race: one of this many pairs of runs has to be alike.
_PAIRS = 4


class ProgramEnd(NamedTuple):
    """How a program ended, and what it wrote on standard error."""

    code: int
    errors: str


class Explanation(NamedTuple):
    """What was added below a traceback. named: the id of the entry; "" if there is none."""

    script: Reproducer
    error: str
    named: str
    is_guess: bool
    values: int
    is_unchanged: bool

    @property
    def verdict(self) -> str:
        """What was named, judged by the entry that the script belongs to."""
        if not self.named:
            return "no entry"
        kind = "its entry" if self.named == self.script.entry else "another entry"
        return f"{kind}, perhaps" if self.is_guess else kind


def choose_scripts(entries: Sequence[Entry]) -> list[Reproducer]:
    """A script that raises of each entry, if it needs nothing but torch and a CPU; the first ones from all families."""
    chosen: dict[str, list[Reproducer]] = {}
    for entry in entries:
        for script in map(read_reproducer, entry.scripts):
            needs = script.needs
            if script.shows is Outcome.RAISED and needs.devices == ("cpu",) and not needs.distributions:
                chosen.setdefault(entry.family, []).append(script)
                break
    return [script for row in zip_longest(*chosen.values()) for script in row if script]


def explain(script: Reproducer) -> Explanation | None:
    """Run a script plain and explained. None if it cannot run here."""
    for _ in range(_PAIRS):
        # In one line: anomaly detection prints the stack.
        plain, explained = (_run(script, is_explained) for is_explained in (False, True))
        if plain.code == _SKIPPED:
            return None
        explanation = judge(script, plain, explained)
        if explanation.is_unchanged:
            break
    return explanation


def _run(script: Reproducer, explained: bool) -> ProgramEnd:
    """Run a script in a fork, with what it prints in a file."""
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile() as output:
        pid = os.fork()
        if not pid:
            code = 1
            try:
                signal.alarm(300)  # a script that hangs
                os.chdir(folder)
                nothing = os.open(os.devnull, os.O_RDWR)
                for number, file in enumerate((nothing, nothing, output.fileno())):
                    os.dup2(file, number)
                code = _run_as_main(str(script.path), explained)
            finally:
                os._exit(code)
        _, status = os.waitpid(pid, 0)
        output.seek(0)
        return ProgramEnd(os.waitstatus_to_exitcode(status), output.read().decode("utf-8", "replace"))


def _run_as_main(path: str, explained: bool) -> int:
    """Run a script as Python does, and return its exit code."""
    sys.argv[:] = [path]
    sys.path[0] = os.path.dirname(path)
    if explained:
        install()
    code: object = 0
    try:
        runpy.run_path(path, run_name="__main__")
    except SystemExit as error:
        code = error.code
    except BaseException as error:
        trace = error.__traceback__
        while trace and trace.tb_frame.f_code.co_filename != path:
            trace = trace.tb_next
        error.__traceback__ = trace
        sys.excepthook(type(error), error, trace)
        code = 1
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    return code if isinstance(code, int) else int(code is not None)


def judge(script: Reproducer, plain: ProgramEnd, explained: ProgramEnd) -> Explanation:
    """Compare the two runs of a script."""
    before, after = plain.errors.splitlines(), explained.errors.splitlines()
    added = "\n".join(after[len(before) :])
    same = [_VARYING.sub("0", line) for line in before] == [
        _VARYING.sub("0", line) for line in after[: len(before)]
    ]
    entry = _ENTRY.search(added)
    return Explanation(
        script,
        next((line for line in reversed(before) if line.strip()), ""),
        entry[1] if entry else "",
        bool(entry and entry[2]),
        len(re.findall(r"^    \S", added.partition("\nmore: ")[0], re.M))
        if "Where it failed:" in added
        else 0,
        same and plain.code == explained.code,
    )


def render_row(each: Explanation) -> str:
    """A row of the table."""
    shown = count_of(each.values, "value")
    return f"{each.script.key:<28} {each.verdict:<22} {each.named:<5} {shown:<9} {join_lines(each.error, 60)}"


def render_sum(explanations: Sequence[Explanation]) -> str:
    """What the table adds up to."""
    counts = Counter(each.verdict for each in explanations)
    total = len(explanations)
    lines = [
        f"{total} programs: " + ", ".join(f"{kind} {count}" for kind, count in counts.most_common()),
        f"tensors or layers are shown for {sum(each.values > 0 for each in explanations)} of them",
        f"the traceback is whole and first, and the exit code stays, in {sum(each.is_unchanged for each in explanations)}",
    ]
    return "\n".join(lines)


def main() -> int:
    """Run the scripts, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("number", nargs="?", type=int, default=40)
    number = parser.parse_args().number
    found: list[Explanation] = []
    scripts = iter(choose_scripts(list(load(find_catalogue_folders(None)))))
    for name in ("torch", "dpkb.output.failure"):  # before the forks
        importlib.import_module(name)
    with ProcessPoolExecutor(4, multiprocessing.get_context("fork")) as pool:
        while len(found) < number and (some := list(islice(scripts, number - len(found)))):
            for explanation in filter(None, pool.map(explain, some)):
                print(render_row(explanation), flush=True)
                found.append(explanation)
    print(render_sum(found))
    changed = [each.script.key for each in found if not each.is_unchanged]
    if changed:
        print("changed:", *changed)
    return 1 if changed or len(found) < number else 0


if __name__ == "__main__":
    sys.exit(main())
