"""The temporary folders of runs. They are always removed, also after dpkb was killed (by the next dpkb)."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from dpkb import files
from dpkb.errors import DpkbError
from dpkb.runner.processes import run_helper

# The names of all scratch folders begin with this.
PREFIX = "dpkb-scratch-"
# Younger folders may belong to a dpkb that has not locked them yet.
ABANDONED_SECONDS = 60.0


@dataclass(frozen=True)
class RunFolders:
    """The folders and files of one run.

    If possible, the script sees `hosts` as /etc/hosts, and `spool` as /var/tmp; if they are None, it sees the
    system's.
    """

    work: Path
    home: Path
    hosts: Path | None
    stdout: Path
    stderr: Path
    spool: Path | None

    @property
    def writable(self) -> list[Path]:
        """The folders that the script may fill."""
        return [folder for folder in (self.work, self.home, self.spool) if folder]


@contextlib.contextmanager
def run_folders() -> Iterator[RunFolders]:
    """Create the folders of one run, and remove them when the block ends."""
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(scratch_folder())
        spool = None
        if sys.platform == "linux" and os.access("/var/tmp", os.W_OK):
            spool = stack.enter_context(scratch_folder("/var/tmp"))
        work, home, hosts = folder / "w", folder / "home", folder / "hosts"
        stdout, stderr = folder / "stdout", folder / "stderr"
        for created in (work, home):
            created.mkdir()
        for created in (stdout, stderr):
            created.touch()
        hosts.write_text(f"127.0.0.1 localhost {socket.gethostname()}\n::1 localhost\n")
        yield RunFolders(work, home, hosts, stdout, stderr, spool)


@contextlib.contextmanager
def scratch_folder(parent: str | None = None) -> Iterator[Path]:
    """Create a temporary folder, locked while the block runs. Raises DpkbError if that fails."""
    try:
        path = Path(tempfile.mkdtemp(prefix=PREFIX, dir=parent))
    except OSError as error:
        raise DpkbError(
            f"no temporary folder can be created: {error.strerror}; "
            "name a folder that can be written to: TMPDIR=DIR"
        ) from None
    with files.try_lock(path):
        try:
            yield path
        finally:
            _remove(path)


def remove_abandoned() -> None:
    """Remove the scratch folders that a killed dpkb of this user left."""
    if os.name != "posix":
        return
    for parent in {tempfile.gettempdir(), "/tmp", "/var/tmp"}:
        for path in Path(parent).glob(f"{PREFIX}*"):
            with contextlib.suppress(OSError), files.try_lock(path) as locked:
                status = path.lstat()
                old = time.time() - status.st_ctime > ABANDONED_SECONDS
                if locked and old and status.st_uid == os.getuid() and path.is_dir():
                    _remove(path)


def _remove(path: Path) -> None:
    with contextlib.suppress(RecursionError):
        shutil.rmtree(path, ignore_errors=True)
    if path.exists() and os.name == "posix":  # too deep for Python, or without permissions
        run_helper(["chmod", "-R", "u+rwx", str(path)])
        run_helper(["rm", "-rf", str(path)], seconds=600)
