"""Watches all functions of torch that the checks need.

The modules watch_*.py replace these functions. Each replacement calls the real function with the same
arguments, returns its result, and raises its errors.
"""

from __future__ import annotations

from dpkb_audit.attachment import Attachment
from dpkb_audit.watch_checkpoints import watch_checkpoints
from dpkb_audit.watch_loaders import watch_batches, watch_fetchers, watch_loaders, watch_workers
from dpkb_audit.watch_modules import watch_compilers, watch_losses, watch_modules, watch_recomputation
from dpkb_audit.watch_optimization import watch_gradients, watch_optimizers, watch_scalers, watch_schedulers
from dpkb_audit.watch_ranks import watch_ranks

MYPY = False
if MYPY:
    from collections.abc import Callable
    from typing import Any

    from dpkb_audit.audit import Audit


def attach(audit: Audit) -> Attachment:
    """Watch torch in this process. torch must be imported."""
    attachment = Attachment(audit)
    for watch in (
        watch_loaders,
        watch_batches,
        watch_workers,
        watch_fetchers,
        watch_optimizers,
        watch_gradients,
        watch_schedulers,
        watch_modules,
        watch_scalers,
        watch_losses,
        watch_ranks,
        watch_checkpoints,
        watch_recomputation,
        watch_compilers,
        watch_process_end,
    ):
        try:
            watch(attachment)
        except Exception:
            import traceback

            audit.journal.write("failure", message=watch.__name__, traceback=traceback.format_exc(limit=-4))
    audit.module_calls.on_looking = attachment.hook_modules
    audit.module_calls.update()
    return attachment


def watch_process_end(attachment: Attachment) -> None:
    """Watch the end of children of multiprocessing, which do not call the functions of atexit."""
    from multiprocessing import process, util

    audit = attachment.audit

    def wrap_bootstrap(real: Callable[..., Any]) -> Callable[..., Any]:
        def _bootstrap(*args: Any, **kwargs: Any) -> Any:
            try:
                audit.exit_code = real(*args, **kwargs)
                return audit.exit_code
            finally:
                audit.end()

        return _bootstrap

    attachment.replace(process.BaseProcess, "_bootstrap", wrap_bootstrap)
    if process.parent_process() is not None:  # a child that has just imported torch
        util.Finalize(None, audit.end, exitpriority=0)
