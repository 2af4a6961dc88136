"""Follows losses, checkpoints, compiled and checkpointed modules, and parameters that modules share."""

from __future__ import annotations

from dpkb_audit.calls import parameters_of
from dpkb_audit.identity import IdentityMap
from dpkb_audit.object_contents import is_a, plain
from dpkb_audit.tensors import is_tensor

MYPY = False
if MYPY:
    from typing import Any

    from dpkb_audit.attachment import Attachment

# The first module of at most this many parameters is remembered.
_MAX_OWNERS = 20_000


class ModelWatcher:
    """Follows what modules and functions of torch.nn do."""

    def __init__(self, attachment: Attachment) -> None:
        from torch import Tensor
        from torch.nn import Parameter

        self._attachment, self._audit = attachment, attachment.audit
        # Parameter -> a map that has the first module that it was given to.
        self._owners = IdentityMap()
        self._plain = (Tensor, Parameter)

    def follow_parameter(self, module: Any, name: str, parameter: Any) -> None:
        """A module gets a parameter."""
        owner = self._owners.get(parameter)
        if owner is not None and len(owner):
            if module not in owner:
                self._audit.emit("parameter_shared", module, name, parameter)
        elif parameter is not None and len(self._owners) < _MAX_OWNERS:
            self._owners[parameter] = owner = IdentityMap()
            owner.add(module)

    def follow_loss(self, name: str, result: Any, *args: Any, **kwargs: Any) -> None:
        """A loss was computed."""
        arguments = dict(zip(parameters_of("torch.nn.functional", name), args), **kwargs)
        # A tracer passes objects that are not tensors, and a program may have a function with other parameters.
        if type(result) in self._plain and all(is_tensor(arguments.get(key)) for key in ("input", "target")):
            self._audit.emit("loss", name, arguments, result)

    def follow_loss_error(self, name: str, error: BaseException, *args: Any, **kwargs: Any) -> None:
        """The function of a loss has raised."""
        if isinstance(error, (RuntimeError, IndexError, ValueError)):
            self._audit.emit(
                "loss_failed",
                name,
                dict(zip(parameters_of("torch.nn.functional", name), args), **kwargs),
                error,
            )

    def follow_checkpoint(self, function: Any, *args: Any, **kwargs: Any) -> None:
        """checkpoint(function, *args) is called."""
        self._audit.training.is_checkpointed = True
        # A reentrant checkpoint is the default of old versions.
        if kwargs.get("use_reentrant") is not False:
            self._audit.emit("checkpoint_started", function, args)

    def emit_state(self, event: str, module: Any, state: Any, *outcome: Any) -> None:
        """Emit an event of load_state_dict() of a module. A state that is not a dict is not looked at."""
        state = plain(state)
        if is_a(state, dict):
            self._audit.emit(event, module, state, *outcome)

    def follow_compiler(self, *args: Any, **kwargs: Any) -> None:
        """Something is going to be compiled."""
        self._attachment.leave_modules_to_compiler()
