"""Runs programs under the audit, two at a time, each as a fork of one process that has imported torch.

    python -m tests.support.audited PROGRAM…

A JSON object per line: {"program", "code", "ids", "failures", "messages", "output"}.

How `dpkb audit` gets into a process that it starts is tested by itself, in tests/audit/test_command.py.
"""

import json
import os
import runpy
import shutil
import sys
import tempfile
from pathlib import Path

import torch
import torch.utils.data

from dpkb.audit.collect import collect
from dpkb.audit.guest import FOLDER, all_checks

SECONDS = 120
AT_ONCE = 2


def run_program(path, folder, output):
    """In a forked child: run the program as the main module, and end as Python does."""
    import faulthandler

    os.setsid()
    descriptor = os.open(output, os.O_WRONLY | os.O_CREAT, 0o600)
    for stream in (1, 2):
        os.dup2(descriptor, stream)
    faulthandler.dump_traceback_later(SECONDS, exit=True)
    os.environ.update(DPKB_AUDIT_FOLDER=folder, PYTHONPATH=str(FOLDER))
    os.chdir(folder)
    torch.set_num_threads(1)
    from dpkb_audit import start
    from dpkb_audit.session import Session

    sessions = []
    begin = Session.__init__
    Session.__init__ = lambda self, *args: (begin(self, *args), sessions.append(self))[0]
    start.begin()
    sys.argv = [path]
    code = 0
    try:
        runpy.run_path(path, run_name="__main__")
    except SystemExit as stop:
        code = stop.code if isinstance(stop.code, int) else 0 if stop.code is None else 1
    except BaseException:
        import traceback

        traceback.print_exc()
        code = 1
    for session in sessions:
        session.end()
    sys.stdout.flush()
    os._exit(code)


def report(path, folder, code):
    """What the audit says of one program that has ended."""
    output = Path(folder, "output")
    result = collect(Path(folder))
    return {
        "program": path, "code": code, "ids": sorted({finding.id for finding in result.findings}),
        "failures": [why for _, why in result.failures],
        "messages": [f"{f.id} {f.certainty} {f.file}:{f.line} {f.message}" for f in result.findings],
        "output": output.read_text("utf-8", "replace")[-3000:] if output.exists() else ""}


def reports(paths):
    """Run the programs, and yield the report of each as it ends."""
    running, waiting = {}, list(reversed(paths))
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as parent:
        while running or waiting:
            while waiting and len(running) < AT_ONCE:
                path, folder = waiting.pop(), tempfile.mkdtemp(dir=parent)
                pid = os.fork()
                if pid == 0:
                    run_program(str(Path(path).resolve()), folder, os.path.join(folder, "output"))
                running[pid] = path, folder
            pid, status = os.wait()
            path, folder = running.pop(pid)
            yield report(path, folder, os.waitstatus_to_exitcode(status))
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    all_checks()  # compiled once, before the first fork
    for row in reports(sys.argv[1:]):
        print(json.dumps(row), flush=True)
