"""Events of modules and losses. They are switched off while a compiler reads the code."""

from __future__ import annotations

import functools
import inspect
import sys
import weakref
from functools import partial

from dpkb_audit.attachment import emit_around, hide_from_warnings

MYPY = False
if MYPY:
    from collections.abc import Callable
    from typing import Any

    from dpkb_audit.attachment import Attachment
    from dpkb_audit.audit import Audit

_LOSSES = (
    "cross_entropy",
    "nll_loss",
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "mse_loss",
    "l1_loss",
    "smooth_l1_loss",
    "kl_div",
    "huber_loss",
)
# At most this many callers of a forward() are looked at.
_MAX_CALLERS = 40
# The first module of at most this many parameters is remembered.
_MAX_OWNERS = 20_000


def watch_modules(attachment: Attachment) -> None:
    """Watch the registration of hooks, and calls of parameters()."""
    from torch.nn import Module

    audit = attachment.audit

    def wrap_registering(real: Callable[..., Any]) -> Callable[..., Any]:
        def register(self: Any, *args: Any, **kwargs: Any) -> Any:
            handle = real(self, *args, **kwargs)
            if real.__name__ != "register_full_backward_hook":
                audit.emit("hook_registered", self)
            if audit.has_watchers("hooks_bypassed"):
                _watch_forward(attachment, self)
            return handle

        return register

    for name in ("register_forward_hook", "register_forward_pre_hook", "register_full_backward_hook"):
        attachment.replace(Module, name, wrap_registering)
    if audit.has_watchers("parameters_listed"):
        listing = emit_around(audit, None, "parameters_listed", lambda module, *_, **__: (module,))
        attachment.replace(Module, "parameters", listing, traced=True)
    if audit.has_watchers("parameter_shared"):
        _watch_sharing(attachment)


def _watch_sharing(attachment: Attachment) -> None:
    """Watch parameters that are registered in a second module."""
    from torch.nn import Module

    audit = attachment.audit
    # The id of a parameter -> references to it and to its first module.
    owners: dict[int, tuple[Any, Any]] = {}

    def wrap_registering(real: Callable[..., Any]) -> Callable[..., Any]:
        def register_parameter(self: Any, name: str, param: Any) -> None:
            real(self, name, param)
            parameter, owner = owners.get(id(param), (None, None))
            if parameter is not None and parameter() is param and owner() is not None:
                if owner() is not self:
                    audit.emit("parameter_shared", param)
            elif param is not None and len(owners) < _MAX_OWNERS:
                owners[id(param)] = weakref.ref(param), weakref.ref(self)

        return register_parameter

    attachment.replace(Module, "register_parameter", wrap_registering, traced=True)


def _watch_forward(attachment: Attachment, module: Any) -> None:
    """Watch forward() of the class of a module with hooks. A direct call of forward() skips the hooks."""
    from torch.nn.modules import module as calls

    audit, file = attachment.audit, calls.__file__
    owner = next((kind for kind in type(module).__mro__ if "forward" in kind.__dict__), None)

    def wrap(real: Callable[..., Any]) -> Callable[..., Any]:
        def forward(self: Any, *args: Any, **kwargs: Any) -> Any:
            frame = sys._getframe(1)
            if frame.f_code.co_filename != file and (
                self._forward_hooks or self._forward_pre_hooks or self._backward_hooks
            ):
                # A forward() may call the forward() of its base class: then a caller has called the module.
                for _ in range(_MAX_CALLERS):
                    frame = frame.f_back  # type: ignore[assignment]
                    if frame is None or (
                        frame.f_code.co_filename == file and frame.f_locals.get("self") is self
                    ):
                        break
                if frame is None or frame.f_code.co_filename != file:
                    audit.emit("hooks_bypassed", self)
            return real(self, *args, **kwargs)

        return forward

    if owner is not None and owner is not calls.Module and attachment.may_hook_modules:
        attachment.replace(owner, "forward", wrap, traced=True)


def watch_losses(attachment: Attachment) -> None:
    """Watch losses and dropout of torch.nn.functional, which the layers also call."""
    from torch.nn import functional

    audit = attachment.audit

    if audit.has_watchers("dropout"):
        attachment.replace(functional, "dropout", partial(_wrap_dropout, audit), traced=True)
    if audit.has_watchers("loss"):
        for name in _LOSSES:
            if hasattr(functional, name):
                attachment.replace(functional, name, partial(_wrap_loss, audit, name), traced=True)


def _wrap_loss(audit: Audit, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
    from torch import Tensor
    from torch.nn import Parameter

    parameters = list(inspect.signature(real).parameters)

    def loss(*args: Any, **kwargs: Any) -> Any:
        try:
            result = real(*args, **kwargs)
        except (RuntimeError, IndexError, ValueError) as error:
            audit.emit("loss_failed", name, dict(zip(parameters, args), **kwargs), error)
            raise
        # A tracer passes objects that are not tensors.
        if type(result) in (Tensor, Parameter):
            audit.emit("loss", name, dict(zip(parameters, args), **kwargs), result)
        return result

    return loss


def _wrap_dropout(audit: Audit, real: Callable[..., Any]) -> Callable[..., Any]:
    def dropout(input: Any, p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:
        audit.emit("dropout", p, training)
        return real(input, p, training, inplace)

    return dropout


def watch_recomputation(attachment: Attachment) -> None:
    """Watch gradient checkpointing.

    Programs import checkpoint() by name, so the functions that it calls are watched.
    """
    from torch.utils import checkpoint

    audit = attachment.audit

    def wrap_non_reentrant(real: Callable[..., Any]) -> Callable[..., Any]:
        def started(*args: Any, **kwargs: Any) -> Any:
            audit.training.is_checkpointed = True
            return real(*args, **kwargs)

        return started

    def wrap_reentrant(real: Callable[..., Any]) -> Callable[..., Any]:
        def apply(*args: Any, **kwargs: Any) -> Any:
            audit.training.is_checkpointed = True
            audit.emit("checkpoint_started", args[0] if args else None, args[2:])
            return real(*args, **kwargs)

        return apply

    function: Any = checkpoint.CheckpointFunction
    function.apply = function.apply  # it is inherited, and must be replaced in this class only
    attachment.replace(function, "apply", wrap_reentrant, traced=True)
    for name in (
        "_checkpoint_without_reentrant_generator_impl",
        "_checkpoint_without_reentrant_generator",
        "_checkpoint_without_reentrant",
    ):
        attachment.replace(checkpoint, name, wrap_non_reentrant, traced=True)


def watch_compilers(attachment: Attachment) -> None:
    """Watch compilers. They must read the real functions of torch, not the replacements."""
    import torch

    attachment.replace(torch, "compile", partial(_wrap_compile, attachment))
    for name in ("script", "trace"):
        attachment.replace(torch.jit, name, partial(_call_with_real_functions, attachment))


def _wrap_compile(attachment: Attachment, real: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap torch.compile() and each call of its result, because it reads the code in these calls."""
    audit = attachment.audit

    def compile(*args: Any, **kwargs: Any) -> Any:
        compiled = real(*args, **kwargs)
        model = args[0] if args else kwargs.get("model")
        if model is None or kwargs.get("disable"):  # a decorator, which calls torch.compile()
            return compiled
        kind: Any = sys.modules["torch._dynamo.eval_frame"].OptimizedModule
        left_out = "modules in what torch.compile has compiled"
        if isinstance(compiled, kind) and "__call__" in vars(kind):
            attachment.replace(kind, "__call__", partial(_wrap_compiled_call, attachment))
        elif inspect.isfunction(compiled):
            calling = hide_from_warnings(_call_with_real_functions(attachment, compiled))
            compiled = functools.wraps(compiled)(calling)
        else:
            left_out = "modules and losses, after torch.compile"
            attachment.detach(only_traced=True)
        if not audit.training.is_compiled:
            audit.training.is_compiled = True
            audit.journal.write("left_out", area=left_out)
        return compiled

    return compile


def _wrap_compiled_call(attachment: Attachment, real: Callable[..., Any]) -> Callable[..., Any]:
    import torch

    calls = attachment.audit.module_calls

    def __call__(self: Any, *args: Any, **kwargs: Any) -> Any:
        if torch.compiler.is_compiling():
            return real(self, *args, **kwargs)
        looks, module = calls.looking, self._orig_mod
        if looks:
            calls.follow_start(module, args)
        with attachment.real_functions():
            output = real(self, *args, **kwargs)
        if looks:
            calls.follow_end(module, args, output)
        return output

    return __call__


def _call_with_real_functions(attachment: Attachment, real: Callable[..., Any]) -> Callable[..., Any]:
    """A function that puts the real functions of torch back while it calls another function."""

    def calling(*args: Any, **kwargs: Any) -> Any:
        with attachment.real_functions():
            return real(*args, **kwargs)

    return calling
