"""Scripts started as forks of one process that has imported torch already (see template.py).

Saves every script the seconds that importing torch takes. Linux only.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import socket
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

from dpkb import process
from dpkb.entry import Needs

# What importing brings in that scripts use; what is not installed is passed over.
MODULES = (
    "numpy", "torch", "torch.utils.data.distributed", "torch.nn.parallel", "torch.distributed",
    "torch._dynamo", "torchvision.transforms", "cv2", "PIL.Image", "psutil",
)
_PROGRAM = Path(__file__).with_name("template.py")


class Template:
    """The address of a process that has imported torch, and forks itself for each script."""

    def __init__(self, address: str) -> None:
        self._address = address

    def start(self, script: Path, env: dict[str, str], needs: Needs) -> process.Start:
        """Starts a script as a fork."""
        def start(work: Path, stdout: Path, stderr: Path) -> process.Running:
            return _Fork(self._address, {
                "script": str(script), "cwd": str(work), "env": {**env, "TMPDIR": str(work)},
                "stdout": str(stdout), "stderr": str(stderr), "open_files": needs.open_files,
                "shm_mb": needs.shm_mb,
            })

        return start


@contextlib.contextmanager
def template(python: str, env: dict[str, str], stop: threading.Event) -> Iterator[Template | None]:
    """A template under this interpreter while the block runs; None where there can be none."""
    if sys.platform != "linux":
        yield None
        return
    # Not below TMPDIR, which may be too long for the address of a socket.
    with tempfile.TemporaryDirectory(prefix="dpkb-", ignore_cleanup_errors=True) as folder:
        address = str(Path(folder, "template"))
        try:
            server = process.serve([python, "-u", str(_PROGRAM), address, *MODULES], env)
        except OSError:
            yield None
            return
        try:
            while not stop.is_set() and not select.select([server.stdout], [], [], 0.1)[0]:
                continue
            ready = not stop.is_set() and server.stdout.readline().strip() == b"ready"
            yield Template(address) if ready else None
        finally:
            server.kill()
            server.wait()
            server.stdin.close()
            server.stdout.close()


class _Fork:
    """One script as a fork of the template, with the supervisor that watches over it."""

    def __init__(self, address: str, request: dict) -> None:
        self._connection = socket.socket(socket.AF_UNIX)
        self._connection.connect(address)
        self._connection.sendall(json.dumps(request).encode() + b"\n")
        self._heard = b""
        self._code: int | None = None
        self.pid = int(self._next("started", None))

    def ended(self, seconds: float) -> int | None:
        if self._code is None:
            status = self._next("ended", seconds)
            if status is not None:
                self._code = os.waitstatus_to_exitcode(int(status))
        return self._code

    def end_all(self) -> None:
        with contextlib.suppress(OSError):
            self._connection.sendall(b"end\n")
            while self._next("gone", 10) is None:
                continue
        self._connection.close()

    def _next(self, word: str, seconds: float | None) -> str | None:
        """The rest of the next line that starts with this word; None where none came in time.

        Raises ConnectionError when the supervisor is gone.
        """
        while b"\n" not in self._heard:
            if not select.select([self._connection], [], [], seconds)[0]:
                return None
            more = self._connection.recv(4096)
            if not more:
                raise ConnectionError("the supervisor of a script ended early")
            self._heard += more
        line, _, self._heard = self._heard.partition(b"\n")
        name, _, rest = line.decode().partition(" ")
        return rest if name == word else self._next(word, seconds)
