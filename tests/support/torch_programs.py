"""Runs programs that need torch, each as a fork of one process that has imported it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

_RUN = """
import json, os, runpy, sys, tempfile
import torch, torch.fx, torch.utils.data, torchvision

torch.set_num_threads(1)
torch.optim.SGD([torch.zeros(1)], 0.1)  # the first optimizer imports much, once for all programs
for program in json.load(sys.stdin):
    with tempfile.TemporaryFile() as output:
        child = os.fork()
        if child == 0:
            os.dup2(output.fileno(), 1)
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            os.chdir(os.path.dirname(program))
            sys.path.insert(0, os.getcwd())
            sys.argv, code = [program], 1
            try:
                runpy.run_path(program, run_name="__main__")
                code = 0
            except SystemExit as stop:
                code = stop.code or 0
            finally:
                sys.stdout.flush()
                os._exit(code)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        output.seek(0)
        print(json.dumps([code, output.read().decode()]), flush=True)
"""


def run_programs(programs: Iterable[Path]) -> list[tuple[int, str]]:
    """The exit code and the output of each program, run in its folder."""
    done = subprocess.run(
        [sys.executable, "-c", _RUN],
        input=json.dumps([str(program) for program in programs]),
        stdout=subprocess.PIPE,
        text=True,
        timeout=600,
        check=True,
    )
    return [(code, output) for code, output in map(json.loads, done.stdout.splitlines())]
