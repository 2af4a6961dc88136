"""A process that has imported torch and forks itself for each script (guest/fork_server.py). Linux only.

It saves every script the seconds that importing torch takes.
"""

from __future__ import annotations

import contextlib
import select
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator

from dpkb.paths import GUEST
from dpkb.runner.processes import end_tree
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
) -> Iterator[socket.socket | None]:
    """Run a fork server under this interpreter while the block runs.

    Yields the socket to which requests are sent, or None if it cannot run.
    """
    if sys.platform != "linux":
        yield None
        return
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with ours, scratch_folder() as folder:
        # TMPDIR: files that imports leave there, such as inductor's cache, are removed with this folder.
        with theirs:
            try:
                server = subprocess.Popen(
                    [python, "-u", str(GUEST / "fork_server.py"), *modules],
                    cwd=folder,
                    stdin=theirs.fileno(),
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    env={**env, "TMPDIR": str(folder)},
                    start_new_session=True,
                )
            except OSError:
                yield None
                return
        try:
            while not stop.is_set() and not select.select([ours], [], [], 0.1)[0]:
                continue
            yield ours if not stop.is_set() and ours.recv(64) == b"ready" else None
        finally:
            end_tree(server)
