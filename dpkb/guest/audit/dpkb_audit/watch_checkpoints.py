"""Events of torch.save, torch.load and load_state_dict."""

from __future__ import annotations

from functools import partial

from dpkb_audit.attachment import emit_around

MYPY = False
if MYPY:
    from collections.abc import Callable
    from typing import Any

    from dpkb_audit.attachment import Attachment
    from dpkb_audit.audit import Audit


def watch_checkpoints(attachment: Attachment) -> None:
    """Watch torch.save, torch.load and load_state_dict."""
    import torch

    audit = attachment.audit
    attachment.replace(torch, "save", emit_around(audit, "saved", None, lambda obj, f, *_, **__: (obj, f)))
    attachment.replace(torch, "load", partial(_wrap_load, audit))
    for owner in (torch.optim.Optimizer, torch.nn.Module):
        attachment.replace(owner, "load_state_dict", partial(_wrap_load_state_dict, audit))


def _wrap_load(audit: Audit, real: Callable[..., Any]) -> Callable[..., Any]:
    def load(f: Any, *args: Any, **kwargs: Any) -> Any:
        obj = real(f, *args, **kwargs)
        audit.emit("loaded", obj, f)
        return obj

    return load


def _wrap_load_state_dict(audit: Audit, real: Callable[..., Any]) -> Callable[..., Any]:
    def load_state_dict(self: Any, state_dict: Any, *args: Any, **kwargs: Any) -> Any:
        audit.emit("state_loading", self, state_dict)
        try:
            result = real(self, state_dict, *args, **kwargs)
        except Exception as error:
            audit.emit("state_failed", self, state_dict, error)
            raise
        audit.emit("state_loaded", self, state_dict, result)
        return result

    return load_state_dict
