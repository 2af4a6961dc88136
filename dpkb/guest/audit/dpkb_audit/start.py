"""Begins the audit of a process when the process imports torch."""

from __future__ import annotations

import os
import sys

MYPY = False
if MYPY:
    from collections.abc import Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType

    from dpkb_audit.audit import Audit


class _TorchFinder:
    """Finds torch in the same way as Python, and calls `begin` after its import.

    A program may look for the spec of torch, to know whether it is installed, and never import it. So the
    audit does not begin when a spec is found, but after the module of a spec has been executed.
    """

    _finding = False

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name != "torch" or self._finding:
            return None
        from importlib.util import find_spec

        self._finding = True
        try:
            spec = find_spec(name)
        finally:
            self._finding = False
        if spec is not None and spec.loader is not None:
            loader = spec.loader
            execute = loader.exec_module

            def execute_and_begin(module: ModuleType) -> None:
                del loader.exec_module
                execute(module)
                if self in sys.meta_path:
                    sys.meta_path.remove(self)
                    begin()

            loader.exec_module = execute_and_begin  # type: ignore[method-assign]
        return spec


def begin_at_import() -> None:
    """Begin now if torch is already imported, otherwise after its import."""
    if "torch" in sys.modules:
        begin()
    else:
        sys.meta_path.insert(0, _TorchFinder())


def begin() -> Audit | None:
    """Begin the audit. If that fails, the result is None, and the program continues without an audit."""
    try:
        from dpkb_audit.attach import attach
        from dpkb_audit.audit import Audit

        audit = Audit(os.environ["DPKB_AUDIT_FOLDER"])
        audit.follow_process()
        attach(audit)
    except Exception:
        _report_failure()
        return None
    return audit


def _report_failure() -> None:
    import json
    import traceback

    line = json.dumps(
        {"kind": "failure", "message": "the audit could not begin", "traceback": traceback.format_exc()}
    )
    path = os.path.join(os.environ["DPKB_AUDIT_FOLDER"], f"{os.getpid()}-failed.jsonl")
    try:
        with open(path, "a") as file:
            file.write(line + "\n")
    except OSError:
        pass
