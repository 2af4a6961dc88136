"""The calls of modules. They are looked at only while that is cheap."""

from __future__ import annotations

MYPY = False
if MYPY:
    from collections.abc import Callable
    from typing import Any

    from dpkb_audit.audit import Audit

# After the start and after the start of an epoch, calls are looked at in this many batches or steps.
_WINDOW = 8
# The same after a model was loaded. It may be used without a loader.
_LOADED_WINDOW = 2
# At most this many loaded models are looked at.
_MAX_LOADED = 5
# While the inspections have cost less than this, they continue, so that a tiny program is seen completely.
_ALWAYS_SECONDS = 0.03


class ModuleCalls:
    """Decides when the calls of modules are looked at, and turns them into events."""

    def __init__(self, audit: Audit) -> None:
        self._audit = audit
        self.looking = False
        # Starts or stops the calls of `follow_start` and `follow_end` for each module.
        self.on_looking: Callable[[bool], None] = lambda _: None
        # The number of batches or steps until looking ends; whether a batch came since the last step.
        self._window, self._has_batch = _WINDOW, False
        # How many new models may still be loaded.
        self._loads = _MAX_LOADED
        # The modules that are being called, outermost first, by id.
        self._stack: list[int] = []

    def update(self) -> None:
        """Begin or stop looking, depending on the window and on the cost so far."""
        budget = self._audit.budget
        should_look = (self._window > 0 or budget.other_seconds < _ALWAYS_SECONDS) and budget.is_cheap()
        if should_look != self.looking:
            self.looking = should_look
            if should_look:
                self._audit.dispatcher.resume_at_module_calls()
            self.on_looking(should_look)

    def follow_epoch(self) -> None:
        """A new epoch has begun: look at its first batches."""
        self._window = _WINDOW
        self.update()

    def follow_batch(self, last: bool) -> None:
        """A batch came. The last batch of an epoch may be smaller, so it is always looked at."""
        if last:
            self._window = max(self._window, 2)
        self._has_batch = True
        self._window -= 1
        self.update()

    def follow_step(self, step: int) -> None:
        """The optimizer made this step. Late in a run, the steps after each power of two are looked at."""
        if step >= 32 and step & (step - 1) == 0:
            self._window = 2
        elif not self._has_batch:
            self._window -= 1
        self._has_batch = False
        self.update()

    def follow_loading(self, module: Any) -> None:
        """The state of a module was loaded: look at the first calls of a new model."""
        if self._loads and module not in self._audit.training.models:
            self._loads -= 1
            self._window = max(self._window, _LOADED_WINDOW)
            self.update()

    def forget_unfinished(self) -> None:
        """Clear the stack. No module is being called now, but a module that raised is still in the stack."""
        self._stack.clear()

    def _is_seen(self, module: Any) -> bool:
        """Whether a call is looked at. torch.jit.freeze() leaves a module without its attributes."""
        audit = self._audit
        return not audit.training.in_backward and audit.dispatcher.listens() and hasattr(module, "training")

    def follow_start(self, module: Any, inputs: Any) -> None:
        """Follow the start of the call of a module."""
        audit = self._audit
        if not self._is_seen(module):
            return
        audit.budget.add_hook()
        if not self._stack:
            audit.training.follow_forward()
            audit.emit("forward_started", module, inputs)
        self._stack.append(id(module))
        audit.emit("module_started", module, inputs)

    def follow_end(self, module: Any, inputs: Any, output: Any) -> None:
        """Follow the end of the call of a module."""
        audit = self._audit
        if not self._is_seen(module):
            return
        audit.budget.add_hook()
        while self._stack and self._stack.pop() != id(module):
            pass
        audit.emit("module_ended", module, inputs, output)
        if not self._stack:
            audit.emit("forward_ended", module, inputs, output)
