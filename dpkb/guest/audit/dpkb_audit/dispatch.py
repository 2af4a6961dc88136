"""Calls the handlers of the events of a process."""

from __future__ import annotations

import sys
from threading import get_ident
from types import FrameType

from dpkb_audit.events import EVENTS
from dpkb_audit.rest import SHORT_EVENTS, STEP_EVENTS
from dpkb_audit.system import os

MYPY = False
if MYPY:
    from collections.abc import Callable
    from typing import Any

    from dpkb_audit.budget import LookBudget
    from dpkb_audit.check import Check
    from dpkb_audit.rest import Rest

    Handler = Callable[..., None]

_FOLDER = os.path.dirname(os.path.abspath(__file__))


class Dispatcher:
    """Passes each event to the followers, which keep track of the run, then to the checks.

    Events that a handler causes itself are ignored. An exception in a check ends the check, not the program;
    but an exception that the program raises from a signal is passed on to it.
    """

    def __init__(
        self,
        budget: LookBudget,
        rest: Rest,
        report_failure: Callable[[str], None],
        observers: tuple[Callable[[], bool], Callable[[], Any]],
    ) -> None:
        """observers: the result of find_observers()."""
        self._budget, self._rest = budget, rest
        self._report_failure = report_failure
        self._do_others_look, self._without_overrides = observers
        # Event -> the handlers for it, those of followers first; each with its check, or None for a follower.
        self._listeners: dict[str, list[tuple[Check | None, Handler]]] = {}
        # Event and id of a check: the check gets no such events until it resumes them.
        self._paused: set[tuple[str, int]] = set()
        # Event and id of a check: the check gets no such events until module calls are looked at.
        self._paused_until_calls: set[tuple[str, int]] = set()
        # Event -> the handlers that emit() calls: of followers, then of checks that are not paused.
        self._handlers: dict[str, tuple[Handler, ...]] = {}
        # The thread that trains: the first one that calls backward(), and the importing thread before that.
        self._thread = get_ident()
        self._has_trained = self._busy = False
        # The optimizer steps that were not passed on, because something else looked at them.
        self.missed_steps = 0
        # Whether the audit has ended.
        self.closed = False

    def add_follower(self, follower: object) -> None:
        """Add an object, before all checks. It gets its events first, so that the checks can use its state."""
        for event, handler in _handlers_of(follower).items():
            self._listeners.setdefault(event, []).append((None, handler))
            self._update(event)

    def add_check(self, check: Check) -> None:
        """Add a check. It gets the events for which it has a method on_<event>."""
        for event, handler in _handlers_of(check).items():
            self._listeners.setdefault(event, []).append((check, handler))
            self._update(event)

    def pause(self, check: Check, event: str, until_calls: bool = False) -> None:
        """Pass no more of these events to a check until `resume`, or until module calls are looked at."""
        paused = self._paused_until_calls if until_calls else self._paused
        if (event, id(check)) not in paused:
            paused.add((event, id(check)))
            self._update(event)

    def resume(self, check: Check, event: str) -> None:
        """Pass these events to a check again, beginning with the next event."""
        if (event, id(check)) in self._paused:
            self._paused.remove((event, id(check)))
            self._update(event)

    def resume_at_module_calls(self) -> None:
        """Pass the events to the checks that waited for module calls, which are looked at again."""
        events = {event for event, _ in self._paused_until_calls}
        self._paused_until_calls.clear()
        for event in events:
            self._update(event)

    def listens(self) -> bool:
        """Whether events are passed on at present.

        Only events of the training thread are, and none while something else watches or transforms the calls
        of torch: it would see those of the checks too.
        """
        return not (self._busy or self.closed or get_ident() != self._thread or self._do_others_look())

    def emit(self, event: str, *arguments: Any) -> None:
        """Pass an event to its handlers."""
        handlers = self._handlers.get(event)
        if not handlers:
            return
        if not self._has_trained and event == "backward_started":
            self._thread, self._has_trained = get_ident(), True
        # As in `listens`, but what others looked at is counted.
        if self._busy or self.closed or get_ident() != self._thread:
            return
        if self._do_others_look():
            self.missed_steps += event == "step_started"
            return
        self._busy = True
        self._budget.start_event(event)
        remaining = iter(handlers)
        try:
            # The checks call no method that a subclass of Tensor overrides.
            with self._without_overrides():
                while True:
                    try:
                        for handler in remaining:
                            handler(*arguments)
                        break
                    except Exception as error:
                        if came_from_program(error):
                            raise
                        self._remove_failed(event, handler)
        finally:
            self._budget.end_event()
            self._busy = False

    def end_look(self, error: Exception, function: Callable[..., Any]) -> None:
        """Handle the error of a function of the audit: report it, or raise it again if it is the program's."""
        if came_from_program(error):
            raise error
        # If the program passes wrong arguments, its own call is going to raise.
        if not (isinstance(error, TypeError) and error.__traceback__.tb_next is None):  # type: ignore
            self._report_failure(getattr(function, "__name__", str(function)))

    def _remove_failed(self, event: str, failed: Handler) -> None:
        """Remove a handler that has raised the present exception, and all handlers of its check; report that."""
        check = next(check for check, handler in self._listeners[event] if handler == failed)
        for other, listeners in self._listeners.items():
            self._listeners[other] = [
                (owner, handler)
                for owner, handler in listeners
                if handler != failed and (owner is None or owner is not check)
            ]
            self._update(other)
        self._report_failure("the check of " + check.id if check else "following " + event)

    def _update(self, event: str) -> None:
        """Choose the handlers of an event again. emit() may be iterating over the old tuple, so it is new."""
        first: tuple[Handler, ...] = ()
        if event not in STEP_EVENTS:
            first = (self._rest.end_for_short if event in SHORT_EVENTS else self._rest.end,)
        paused = self._paused | self._paused_until_calls
        handlers = [
            handler for check, handler in self._listeners.get(event, ()) if (event, id(check)) not in paused
        ]
        self._handlers[event] = (*first, *handlers)

    def restart(self) -> None:
        """Begin again, in a forked child.

        This thread is now the training thread, and the checks get the events that they had paused in the
        parent.
        """
        self._thread = get_ident()
        self._busy = self.closed = False
        self._paused.clear()
        self._paused_until_calls.clear()
        for event in self._handlers:
            self._update(event)


def came_from_program(error: BaseException) -> bool:
    """Whether the program has raised it while a check ran: by a signal, or from another thread.

    A handler of a signal has the frame that it interrupts as an argument. Exceptions that are raised in
    another thread (as time limits do) come without arguments, or have a class that is not Python's or torch's.
    """
    trace = error.__traceback__
    while trace is not None:
        if not trace.tb_frame.f_code.co_filename.startswith(_FOLDER):
            for value in trace.tb_frame.f_locals.values():
                if any(type(item) is FrameType for item in (value if type(value) is tuple else (value,))):
                    return True
        trace = trace.tb_next
    if type(error).__module__.partition(".")[0] not in ("builtins", "torch", "numpy", "dpkb_audit"):
        return True
    return not error.args and not isinstance(error, (AssertionError, StopIteration, MemoryError))


def find_observers() -> tuple[Callable[[], bool], Callable[[], Any]]:
    """Whether something looks at the calls of torch at present, and a context in which nothing is overridden.

    Both are functions. Versions of torch differ in what can look: a tracer, an exporter, a profiler, a transform
    of functorch, a dispatch mode such as FakeTensorMode, a function mode. The mode for a default device looks at
    nothing.
    """
    torch: Any = sys.modules["torch"]
    core = torch._C
    is_tracing, is_profiling, nothing = core._get_tracing_state, torch.autograd._profiler_enabled, int
    dispatch_modes = getattr(core, "_len_torch_dispatch_stack", nothing)
    function_modes = getattr(core, "_len_torch_function_stack", nothing)
    transform = getattr(getattr(core, "_functorch", None), "peek_interpreter_stack", nothing)
    fx: Any = None

    def do_others_look() -> bool:
        nonlocal fx
        if is_tracing() or is_profiling() or dispatch_modes() or transform():
            return True
        if function_modes() and _has_function_mode(core, function_modes()):
            return True
        # torch.fx's own function, is_fx_tracing(), prints a warning.
        if fx is None:
            fx = sys.modules.get("torch.fx._symbolic_trace")
            if fx is None:
                return False
            fx = getattr(fx, "_is_fx_tracing_tls", fx)
        return getattr(fx, "flag", False) or getattr(fx, "_is_fx_tracing_flag", False)

    return do_others_look, core.DisableTorchFunction


def _has_function_mode(core: Any, number: int) -> bool:
    """Whether there is a function mode other than that of torch.set_default_device()."""
    kinds = [type(core._get_function_stack_at(index)).__name__ for index in range(number)]
    return kinds != ["DeviceContext"] * number


def _handlers_of(listener: object) -> dict[str, Handler]:
    handlers = {event: getattr(listener, "on_" + event, None) for event in EVENTS}
    return {event: handler for event, handler in handlers.items() if handler}
