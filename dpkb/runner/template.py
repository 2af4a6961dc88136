"""A process that has imported torch and forks itself for each script (guest/template.py). Linux only.

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

# Modules that scripts import. Those that are not installed are skipped.
MODULES = (
    "numpy", "torch", "torch.utils.data.distributed", "torch.nn.parallel", "torch.distributed",
    "torch._dynamo", "torchvision.transforms", "cv2", "PIL.Image", "psutil",
)


@contextlib.contextmanager
def template(python: str, env: dict[str, str], stop: threading.Event,
             modules: tuple[str, ...] = MODULES) -> Iterator[str | None]:
    """The address of a template under this interpreter while the block runs; None if there can be none."""
    if sys.platform != "linux":
        yield None
        return
    # Not below TMPDIR, which may be too long for the address of a socket.
    with scratch_folder("/tmp") as folder:
        address = str(Path(folder, "template"))
        work = folder / "w"
        work.mkdir()
        processes.adopt_orphans()
        try:
            # Whatever importing leaves in the temporary folder (inductor's cache) goes with this one.
            server = processes.start_apart(
                [python, "-u", str(GUEST / "template.py"), address, *modules], cwd=work,
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
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
            # The first process of a namespace ends when all others are collected: also those that fall to
            # dpkb because their supervisor was killed.
            processes.end_tree(server, processes.orphans)
            server.stdin.close()
            server.stdout.close()
