"""Folders that the processes of one test run share."""

import fcntl
import os


def create_once(tmp_path_factory, name, create):
    """The folder of this name. The first process that asks for it fills it by create(folder); others wait."""
    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent  # each process has its own folder in that of the run
    folder = shared / f"shared-{name}"
    with open(shared / f"shared-{name}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            # Under another name until it is complete: if create fails, the next process tries again.
            started = tmp_path_factory.mktemp(name)
            create(started)
            started.rename(folder)
    return folder
