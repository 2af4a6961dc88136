"""Begins the audit of a process when the process imports torch."""

from __future__ import annotations

import sys

# It is imported first, before the program can replace what it has.
from dpkb_audit.system import open, os

MYPY = False
if MYPY:
    from collections.abc import Callable, Collection, Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType

    from dpkb_audit.attachment import Attachment
    from dpkb_audit.audit import Audit


class ImportWatcher:
    """Finds some modules in the same way as Python, and calls a function after the import of each.

    A program may look for the spec of torch, to know whether it is installed, and never import it. So the
    function is not called when a spec is found, but after the module of a spec has been executed.
    """

    def __init__(self, names: Collection[str], imported: Callable[[str], object]) -> None:
        self._names, self._imported = set(names), imported
        self._finding = False
        sys.meta_path.insert(0, self)

    def stop(self) -> None:
        """Find nothing any more."""
        self._names.clear()
        if self in sys.meta_path:
            sys.meta_path.remove(self)

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        # A program that only looks for a spec, as importlib.util.find_spec() does, gets the one of Python.
        is_import = sys._getframe(2).f_code.co_name == "_find_and_load_unlocked"
        if name not in self._names or self._finding or not is_import:
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

            def execute_and_tell(module: ModuleType) -> None:
                vars(loader).pop("exec_module", None)
                try:
                    execute(module)
                except BaseException as error:
                    from dpkb_audit.calls import FrameRemoval

                    FrameRemoval()(error)
                    raise
                if name in self._names:
                    self._names.remove(name)
                    if not self._names:
                        self.stop()
                    self._imported(name)

            loader.exec_module = execute_and_tell  # type: ignore[method-assign]
        return spec


def begin_at_import() -> None:
    """Begin now if torch is already imported, otherwise after its import."""
    if "torch" in sys.modules:
        begin()
    else:
        ImportWatcher(["torch"], lambda name: begin())


def begin() -> Audit | None:
    """Begin the audit. If that fails, the result is None, and the program continues without an audit."""
    if "torch._C" not in sys.modules:  # a module of the program with this name
        return None
    try:
        folder = os.environ["DPKB_AUDIT_FOLDER"]
        if os.environ.get("DPKB_AUDIT_FAILURES_ONLY"):
            from dpkb_audit.audit import Audit

            audit = Audit(folder, is_watching=False)
        else:
            audit, _ = attach(folder)
        audit.follow_process()
    except Exception:
        _report_failure()
        return None
    return audit


def attach(folder: str) -> tuple[Audit, Attachment]:
    """Begin to watch torch in this process, and write what is seen into a folder."""
    from dpkb_audit.attachment import Attachment
    from dpkb_audit.audit import Audit

    audit = Audit(folder)
    attachment = Attachment(audit)
    attachment.attach()
    return audit, attachment


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
