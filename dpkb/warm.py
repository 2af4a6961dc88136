"""Scripts started as forks of one process that has imported torch already (see template.py).

Saves every script the seconds that importing torch takes. Linux only.
"""

from __future__ import annotations

import contextlib
import select
import socket
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import psutil

from dpkb import process
from dpkb.entry import Needs
from dpkb.supervised import Refused, Supervised
from dpkb.usage import Limits

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

    def start(self, script: Path, env: dict[str, str], needs: Needs, held: process.Confinement,
              limits: Limits) -> process.Start:
        """Starts a script as a fork."""
        def start(place: process.Place) -> process.Running:
            connection = socket.socket(socket.AF_UNIX)
            try:
                connection.connect(self._address)
            except OSError as error:
                connection.close()
                raise Refused(f"the process that forks for each script is gone: {error.strerror}") from None
            return Supervised(connection, process.request([str(script)], env, needs, held, limits, place))

        return start


@contextlib.contextmanager
def template(python: str, env: dict[str, str], stop: threading.Event) -> Iterator[Template | None]:
    """A template under this interpreter while the block runs; None where there can be none."""
    if sys.platform != "linux":
        yield None
        return
    # Not below TMPDIR, which may be too long for the address of a socket.
    with tempfile.TemporaryDirectory(prefix="dpkb-", dir="/tmp", ignore_cleanup_errors=True) as folder:
        address = str(Path(folder, "template"))
        try:
            # What importing leaves in the temporary folder (inductor's cache) goes with this one.
            server = process.serve([python, "-u", str(_PROGRAM), address, *MODULES],
                                   {**env, "TMPDIR": folder})
        except OSError:
            yield None
            return
        try:
            while not stop.is_set() and not select.select([server.stdout], [], [], 0.1)[0]:
                continue
            ready = not stop.is_set() and server.stdout.readline().strip() == b"ready"
            yield Template(address) if ready else None
        finally:
            _kill_tree(server.pid)
            server.wait()
            server.stdin.close()
            server.stdout.close()


def _kill_tree(pid: int) -> None:
    """Kill a process and all below it: orphans of a supervisor that a script has killed are there."""
    with contextlib.suppress(psutil.Error):
        leader = psutil.Process(pid)
        leader.suspend()  # it forks no more
        for process_left in (*leader.children(recursive=True), leader):
            with contextlib.suppress(psutil.Error):
                process_left.kill()
