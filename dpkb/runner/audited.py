"""Runs a command with the audit inside each of its Python processes."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

from dpkb.audit.collect import collect
from dpkb.audit.guest import variables
from dpkb.audit.result import AuditResult
from dpkb.runner.relay import CommandEnd, run_command


def audit_command(argv: list[str], steps: int | None = None, stalled: float | None = None,
                  on_stall: Callable[[int], None] | None = None, ignore: Collection[str] = (),
                  hints: bool = False) -> tuple[CommandEnd, AuditResult]:
    """Run a command as `dpkb run` does, watched, and return how it ended and what was seen.

    It is ended after so many optimizer steps, if any. Raises CannotStart.
    """
    with _journal_folder() as folder:
        end = run_command(argv, stalled, on_stall, variables(folder, steps),
                          (folder / "enough").exists if steps else None)
        return end, collect(folder, ignore, hints)


@contextmanager
def _journal_folder() -> Iterator[Path]:
    # Processes of the command that go on may still write: that must not fail here.
    with tempfile.TemporaryDirectory(prefix="dpkb-audit-", ignore_cleanup_errors=True) as name:
        yield Path(name)
