"""Events of optimizers, backward passes, schedulers and gradient scalers."""

from __future__ import annotations

import weakref

from dpkb_audit.attachment import emit_around, hide_from_warnings

MYPY = False
if MYPY:
    from collections.abc import Callable
    from typing import Any

    from dpkb_audit.attachment import Attachment


def watch_optimizers(attachment: Attachment) -> None:
    """Optimizers, and the clearing and clipping of gradients between their steps."""
    import torch
    from torch.optim import Optimizer

    audit = attachment.audit
    stepping: list[Any] = []
    seen_optimizers: weakref.WeakSet[Any] = weakref.WeakSet()

    def watch_step(real: Callable[..., Any]) -> Callable[..., Any]:
        def step(self: Any, *args: Any, **kwargs: Any) -> Any:
            if stepping:  # the step of a base class, or of an optimizer within an optimizer
                return real(self, *args, **kwargs)
            if self not in seen_optimizers:  # created before the audit began
                seen_optimizers.add(self)
                audit.emit("optimizer_created", self)
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

    def watch_init(real: Callable[..., Any]) -> Callable[..., Any]:
        def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
            real(self, *args, **kwargs)
            # The class that defines step(): one that inherits it would count each step twice.
            owner = next((kind for kind in type(self).__mro__ if "step" in kind.__dict__), None)
            if owner is not None and owner is not Optimizer:
                attachment.replace(owner, "step", watch_step)
            seen_optimizers.add(self)
            audit.emit("optimizer_created", self)

        return __init__

    attachment.replace(Optimizer, "__init__", watch_init)
    kinds = [Optimizer]
    for kind in kinds:
        kinds += kind.__subclasses__()
        if kind is not Optimizer and "step" in kind.__dict__:
            attachment.replace(kind, "step", watch_step)
    owner_only = emit_around(audit, None, "gradients_zeroed", lambda owner, *_, **__: (owner,))
    attachment.replace(Optimizer, "zero_grad", owner_only)
    attachment.replace(torch.nn.Module, "zero_grad", owner_only)
    if audit.watched("gradients_clipped"):
        for name in ("clip_grad_norm_", "clip_grad_value_"):
            clipping = emit_around(
                audit, "gradients_clipped", None, lambda parameters, *_, **__: (parameters,))
            attachment.replace(torch.nn.utils, name, clipping)
            attachment.replace(torch.nn.utils.clip_grad, name, clipping)


def watch_gradients(attachment: Attachment) -> None:
    """Backward passes, and hooks on the gradients of parameters."""
    import torch

    audit, training = attachment.audit, attachment.audit.training

    def watch_backward(real: Callable[..., Any]) -> Callable[..., Any]:
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

    def watch_registering(real: Callable[..., Any]) -> Callable[..., Any]:
        def register_hook(self: Any, hook: Any) -> Any:
            if not isinstance(self, torch.nn.Parameter):
                return real(self, hook)
            parameter = weakref.ref(self)

            def watching(gradient: Any) -> Any:
                audit.emit("gradient_hook_started", parameter(), gradient)
                result = hook(gradient)
                audit.emit("gradient_hook_ended", parameter(), gradient if result is None else result)
                return result

            return real(self, hide_from_warnings(watching))

        return register_hook

    if audit.watched("gradient_hook_started"):
        attachment.replace(torch.Tensor, "register_hook", watch_registering, traced=True)
    attachment.replace(torch.autograd, "backward", watch_backward)
    if audit.watched("gradients_taken"):
        attachment.replace(torch.autograd, "grad",
                           emit_around(audit, "gradients_taken", None, lambda outputs, *_, **__: (outputs,)))


def watch_schedulers(attachment: Attachment) -> None:
    """Learning rate schedulers, the outermost of those that call each other."""
    from torch.optim import lr_scheduler

    audit = attachment.audit
    if not audit.watched("scheduler_stepped"):
        return
    within: list[bool] = []

    def silenced(real: Callable[..., Any]) -> Callable[..., Any]:
        def silent(*args: Any, **kwargs: Any) -> Any:
            within.append(True)
            try:
                return real(*args, **kwargs)
            finally:
                within.pop()

        return silent

    def watch_step(real: Callable[..., Any]) -> Callable[..., Any]:
        silent_step = hide_from_warnings(silenced(real))

        def step(self: Any, *args: Any, **kwargs: Any) -> Any:
            if not within:
                audit.emit("scheduler_stepped", self, args[0] if args else kwargs.get("epoch"))
            return silent_step(self, *args, **kwargs)

        return step

    base: Any = getattr(lr_scheduler, "LRScheduler", None) or lr_scheduler._LRScheduler
    attachment.replace(base, "__init__", silenced)
    attachment.replace(base, "_initial_step", silenced)
    kinds = [base]
    for kind in kinds:
        kinds += kind.__subclasses__()
        if "step" in kind.__dict__ and kind.__name__ != "ReduceLROnPlateau":
            attachment.replace(kind, "step", watch_step)


def watch_scalers(attachment: Attachment) -> None:
    """The GradScaler of torch.cuda.amp, and that of torch.amp from torch 2.3 on."""
    import torch

    audit = attachment.audit
    if not audit.watched("scaler_called") and not audit.watched("scaler_failed"):
        return

    def watch(name: str) -> Callable[[Any], Any]:
        def watch_method(real: Callable[..., Any]) -> Callable[..., Any]:
            def method(self: Any, *args: Any, **kwargs: Any) -> Any:
                audit.emit("scaler_called", name, self, args)
                try:
                    return real(self, *args, **kwargs)
                except Exception as error:
                    audit.emit("scaler_failed", name, self, error)
                    raise

            return method

        return watch_method

    for owner in (getattr(torch, "amp", None), torch.cuda.amp):
        scaler = getattr(owner, "GradScaler", None)
        if isinstance(scaler, type):
            for name in ("scale", "unscale_", "step", "update"):
                attachment.replace(scaler, name, watch(name))
