"""A process that has imported torch and forks itself for each script (guest/fork_server.py). Linux only.

It saves every script the seconds that importing torch takes.
"""

from __future__ import annotations

import contextlib
import select
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

from dpkb.paths import GUEST
from dpkb.runner import processes
from dpkb.runner.scratch import scratch_folder

# Modules that many scripts import. A module that is not installed is skipped.
PRELOADED_MODULES = (
    "numpy",
    "torch",
    "torch.utils.data.distributed",
    "torch.nn.parallel",
    "torch.distributed",
    "torch._dynamo",
    "torchvision.transforms",
    "cv2",
    "PIL.Image",
    "psutil",
)


@contextlib.contextmanager
def run_fork_server(
    python: str, env: dict[str, str], stop: threading.Event, modules: tuple[str, ...] = PRELOADED_MODULES
) -> Iterator[str | None]:
    """Run a fork server under this interpreter while the block runs.

    Yields its address, or None if it cannot run.
    """
    if sys.platform != "linux":
        yield None
        return
    # Not below TMPDIR: its path may be too long for the address of a socket.
    with scratch_folder("/tmp") as folder:
        address = str(Path(folder, "fork_server"))
        work = folder / "w"
        work.mkdir()
        try:
            processes.adopt_orphans()
            # TMPDIR: files that imports leave there, such as inductor's cache, are removed with this folder.
            server = processes.start_in_new_session(
                [python, "-u", str(GUEST / "fork_server.py"), address, *modules],
                cwd=work,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={**env, "TMPDIR": str(folder)},
            )
        except OSError:
            yield None
            return
        assert server.stdin and server.stdout
        try:
            while not stop.is_set() and not select.select([server.stdout], [], [], 0.1)[0]:
                continue
            ready = not stop.is_set() and server.stdout.readline().strip() == b"ready"
            yield address if ready else None
        finally:
            # dpkb has to collect the processes that it adopted from killed supervisors: the first process of
            # a namespace ends only after all others of the namespace have been collected.
            processes.end_tree(server, processes.find_orphans)
            server.stdin.close()
            server.stdout.close()
