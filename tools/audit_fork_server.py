"""Runs scripts under the audit, each as a fork of this process, which has imported torch once.

    python audit_fork_server.py JOBS.json

JOBS.json: {"guest": folder of dpkb_audit, "at_once": N, "seconds": N, "jobs": [{"script", "folder",
"open_files"}]}. A job may also have "arguments", "variables" of its environment, "place" (where it runs instead of
in its folder), and "after": the folder of an earlier job that has to end first. Prints a line of JSON for each script that has ended: {"folder", "code"}. Runs under any
Python from 3.8 on.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import resource
import runpy
import signal
import sys
import tempfile
import time
from typing import Any, NoReturn


def run_job(job: dict[str, Any], guest: str) -> NoReturn:
    """Run the script as the main module of this forked process, and exit as Python does."""
    os.setsid()
    descriptor = os.open(os.path.join(job["folder"], "output"), os.O_WRONLY | os.O_CREAT, 0o600)
    for stream in (1, 2):
        os.dup2(descriptor, stream)
    if job["open_files"]:
        resource.setrlimit(resource.RLIMIT_NOFILE, (job["open_files"],) * 2)
    # The temporary files of a script that is killed are deleted with this folder.
    os.environ.update(DPKB_AUDIT_FOLDER=job["folder"], PYTHONPATH=guest, TMPDIR=job["folder"])
    os.environ.update(job.get("variables", {}))
    tempfile.tempdir = None
    os.chdir(job.get("place", job["folder"]))
    from dpkb_audit import start

    audit = start.begin()
    sys.argv = [job["script"], *job.get("arguments", [])]
    code = 0
    main_module: object = None
    try:
        # As in Python, the main module with its optimizers and models lives until the audit ends.
        main_module = runpy.run_path(job["script"], run_name="__main__")
    except SystemExit as end:
        main_module = end.__traceback__
        code = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
    except BaseException:
        import traceback

        sys.last_type, sys.last_value, sys.last_traceback = sys.exc_info()
        traceback.print_exc()
        code = 1
    if audit is not None:
        audit.end()
    del main_module
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def end_group(pid: int) -> None:
    """End the processes that a script has left running."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)


def main() -> None:
    """Run all jobs, several at a time."""
    with open(sys.argv[1]) as file:
        plan = json.load(file)
    sys.path.insert(0, plan["guest"])
    import torch.utils.data  # noqa: F401
    from dpkb_audit.checks import all_checks

    with contextlib.suppress(ImportError):
        # The first optimizer imports it, which takes as long as importing torch.
        importlib.import_module("torch._dynamo")
    all_checks()  # imports them once, before the first fork
    gc.freeze()  # garbage collection in a child must not write to the shared memory, which would copy it
    # Process -> its job, and the time at which it is ended.
    running: dict[int, tuple[dict[str, Any], float]] = {}
    waiting = plan["jobs"]
    while running or waiting:
        while len(running) < plan["at_once"]:
            folders = [job["folder"] for job, _ in running.values()]
            job = next((job for job in waiting if job.get("after") not in folders), None)
            if job is None:
                break
            waiting.remove(job)
            pid = os.fork()
            if pid == 0:
                run_job(job, plan["guest"])
            running[pid] = job, time.monotonic() + plan["seconds"]
        pid, status = os.waitpid(-1, os.WNOHANG)
        if pid in running:
            job, _ = running.pop(pid)
            end_group(pid)
            code = -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
            print(json.dumps({"folder": job["folder"], "code": code}), flush=True)
            continue
        for late_pid in [pid for pid, (_, end) in running.items() if time.monotonic() > end]:
            end_group(late_pid)
        time.sleep(0.02)
    os._exit(0)  # a regular exit would take time to destroy torch


if __name__ == "__main__":
    main()
