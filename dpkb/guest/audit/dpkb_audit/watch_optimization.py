"""Events of optimizers, backward passes, schedulers and gradient scalers."""

from __future__ import annotations

import weakref
from functools import partial

from dpkb_audit.attachment import emit_around, hide_from_warnings

MYPY = False
if MYPY:
    from collections.abc import Callable
    from typing import Any

    from dpkb_audit.attachment import Attachment
    from dpkb_audit.audit import Audit


def watch_optimizers(attachment: Attachment) -> None:
    """Watch optimizers, and the clearing and clipping of gradients between their steps."""
    import torch
    from torch.optim import Optimizer

    audit = attachment.audit
    watcher = _OptimizerWatcher(attachment)
    attachment.replace(Optimizer, "__init__", watcher.wrap_init)
    kinds = [Optimizer]
    for kind in kinds:
        kinds += kind.__subclasses__()
        if kind is not Optimizer and "step" in kind.__dict__:
            attachment.replace(kind, "step", watcher.wrap_step)
    owner_only = emit_around(audit, None, "gradients_zeroed", lambda owner, *_, **__: (owner,))
    attachment.replace(Optimizer, "zero_grad", owner_only)
    attachment.replace(torch.nn.Module, "zero_grad", owner_only)
    if audit.has_watchers("gradients_clipped"):
        for name in ("clip_grad_norm_", "clip_grad_value_"):
            clipping = emit_around(
                audit, "gradients_clipped", None, lambda parameters, *_, **__: (parameters,)
            )
            attachment.replace(torch.nn.utils, name, clipping)
            attachment.replace(torch.nn.utils.clip_grad, name, clipping)


class _OptimizerWatcher:
    """Watches the creation and the steps of optimizers."""

    def __init__(self, attachment: Attachment) -> None:
        self._attachment = attachment
        # The optimizer whose step() is running.
        self._stepping: list[Any] = []
        self._known: weakref.WeakSet[Any] = weakref.WeakSet()

    def _add(self, optimizer: Any) -> None:
        self._known.add(optimizer)
        self._attachment.audit.emit("optimizer_created", optimizer)

    def wrap_init(self, real: Callable[..., Any]) -> Callable[..., Any]:
        """Wrap Optimizer.__init__, and then step() of the class of the new optimizer."""
        from torch.optim import Optimizer

        watcher = self

        def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
            real(self, *args, **kwargs)
            # Watch the class that defines step(). With a subclass, each step would be counted twice.
            owner = next((kind for kind in type(self).__mro__ if "step" in kind.__dict__), None)
            if owner is not None and owner is not Optimizer:
                watcher._attachment.replace(owner, "step", watcher.wrap_step)
            watcher._add(self)

        return __init__

    def wrap_step(self, real: Callable[..., Any]) -> Callable[..., Any]:
        """Wrap step() of a class of optimizers."""
        watcher, audit = self, self._attachment.audit
        stepping, known = self._stepping, self._known

        def step(self: Any, *args: Any, **kwargs: Any) -> Any:
            if stepping:  # the step of a base class, or of an inner optimizer
                return real(self, *args, **kwargs)
            if self not in known:  # created before the audit began
                watcher._add(self)
            audit.emit("step_started", self)
            stepping.append(self)
            try:
                result = real(self, *args, **kwargs)
            finally:
                stepping.clear()
            audit.emit("step_ended", self)
            audit.end_when_steps_reached()
            return result

        return step


def watch_gradients(attachment: Attachment) -> None:
    """Watch backward passes, and hooks on the gradients of parameters."""
    import torch

    audit = attachment.audit
    if audit.has_watchers("gradient_hook_started"):
        attachment.replace(torch.Tensor, "register_hook", partial(_wrap_register_hook, audit), traced=True)
    attachment.replace(torch.autograd, "backward", partial(_wrap_backward, audit))
    if audit.has_watchers("gradients_taken"):
        attachment.replace(
            torch.autograd,
            "grad",
            emit_around(audit, "gradients_taken", None, lambda outputs, *_, **__: (outputs,)),
        )


def _wrap_backward(audit: Audit, real: Callable[..., Any]) -> Callable[..., Any]:
    training = audit.training

    def backward(tensors: Any, *args: Any, **kwargs: Any) -> Any:
        losses = tensors if isinstance(tensors, (tuple, list)) else (tensors,)
        audit.emit("backward_started", losses)
        if not training.is_loss_finite:
            audit.emit("loss_not_finite", losses)
        try:
            result = real(tensors, *args, **kwargs)
        finally:
            training.in_backward = False
        audit.emit("backward_ended", losses)
        return result

    return backward


def _wrap_register_hook(audit: Audit, real: Callable[..., Any]) -> Callable[..., Any]:
    from torch.nn import Parameter

    def register_hook(self: Any, hook: Any) -> Any:
        if not isinstance(self, Parameter):
            return real(self, hook)
        parameter = weakref.ref(self)

        def wrapper(gradient: Any) -> Any:
            audit.emit("gradient_hook_started", parameter(), gradient)
            result = hook(gradient)
            audit.emit("gradient_hook_ended", parameter(), gradient if result is None else result)
            return result

        return real(self, hide_from_warnings(wrapper))

    return register_hook


def watch_schedulers(attachment: Attachment) -> None:
    """Watch learning rate schedulers. If schedulers call each other, only the outermost is watched."""
    from torch.optim import lr_scheduler

    audit = attachment.audit
    if not audit.has_watchers("scheduler_stepped"):
        return
    # One item for each running call inside of which step() is not watched.
    silent_calls: list[bool] = []
    base: Any = getattr(lr_scheduler, "LRScheduler", None) or lr_scheduler._LRScheduler
    attachment.replace(base, "__init__", partial(_silence, silent_calls))
    attachment.replace(base, "_initial_step", partial(_silence, silent_calls))
    kinds = [base]
    for kind in kinds:
        kinds += kind.__subclasses__()
        if "step" in kind.__dict__ and kind.__name__ != "ReduceLROnPlateau":
            attachment.replace(kind, "step", partial(_wrap_scheduler_step, audit, silent_calls))


def _silence(silent_calls: list[bool], real: Callable[..., Any]) -> Callable[..., Any]:
    """A function that calls the real function without watching the steps of schedulers inside of it."""

    def silent(*args: Any, **kwargs: Any) -> Any:
        silent_calls.append(True)
        try:
            return real(*args, **kwargs)
        finally:
            silent_calls.pop()

    return silent


def _wrap_scheduler_step(
    audit: Audit, silent_calls: list[bool], real: Callable[..., Any]
) -> Callable[..., Any]:
    silent_step = hide_from_warnings(_silence(silent_calls, real))

    def step(self: Any, *args: Any, **kwargs: Any) -> Any:
        if not silent_calls:
            audit.emit("scheduler_stepped", self, args[0] if args else kwargs.get("epoch"))
        return silent_step(self, *args, **kwargs)

    return step


def watch_scalers(attachment: Attachment) -> None:
    """Watch the GradScaler of torch.cuda.amp, and from torch 2.3 on that of torch.amp."""
    import torch

    audit = attachment.audit
    if not audit.has_watchers("scaler_called") and not audit.has_watchers("scaler_failed"):
        return

    for owner in (getattr(torch, "amp", None), torch.cuda.amp):
        scaler = getattr(owner, "GradScaler", None)
        if isinstance(scaler, type):
            for name in ("scale", "unscale_", "step", "update"):
                attachment.replace(scaler, name, partial(_wrap_scaler_method, audit, name))


def _wrap_scaler_method(audit: Audit, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        audit.emit("scaler_called", name, self, args)
        try:
            return real(self, *args, **kwargs)
        except Exception as error:
            audit.emit("scaler_failed", name, self, error)
            raise

    return method
