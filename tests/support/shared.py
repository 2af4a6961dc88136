"""Creates folders that the processes of a test run share."""

import fcntl
import os


def create_once(tmp_path_factory, name, create):
    """The folder of this name. The first process fills it by create(folder), and the others wait."""
    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent  # that of the whole run; each process has its own folder in it
    folder = shared / f"shared-{name}"
    with open(shared / f"shared-{name}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            # It gets its name when it is complete: if create fails, the next process tries again.
            incomplete = tmp_path_factory.mktemp(name)
            create(incomplete)
            incomplete.rename(folder)
    return folder
