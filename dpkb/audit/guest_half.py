"""The half of the audit that runs in the audited program, as seen from dpkb."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dpkb.paths import GUEST

FOLDER = GUEST / "audit"


def import_guest(name: str) -> Any:
    """A module of the guest half: "checks" for dpkb_audit.checks."""
    if str(FOLDER) not in sys.path:
        sys.path.append(str(FOLDER))
    return importlib.import_module("dpkb_audit." + name)


def all_checks() -> dict[str, Any]:
    """Entry id -> the class that watches for it."""
    checks: dict[str, Any] = import_guest("checks").all_checks()
    return checks


def environment_variables(
    folder: Path,
    steps: int | None,
    environment: Mapping[str, str] = os.environ,
    failures_only: bool = False,
    trace: Path | None = None,
) -> dict[str, str]:
    """The environment variables of a program whose processes are watched, and write to `folder`.

    failures_only: nothing is watched; a process that raises writes where, and the tensors there. trace: a file for
    what each optimizer step did.
    """
    path = os.pathsep.join(filter(None, [str(FOLDER), environment.get("PYTHONPATH")]))
    return {
        "PYTHONPATH": path,
        "DPKB_AUDIT_FOLDER": str(folder),
        **({"DPKB_AUDIT_STEPS": str(steps)} if steps else {}),
        **({"DPKB_AUDIT_FAILURES_ONLY": "1"} if failures_only else {}),
        **({"DPKB_AUDIT_TRACE": str(trace.absolute())} if trace else {}),
    }
