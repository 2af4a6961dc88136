"""Calls the handlers of the events of a process."""

from __future__ import annotations

from threading import get_ident

from dpkb_audit.events import EVENTS

MYPY = False
if MYPY:
    from collections.abc import Callable
    from typing import Any

    from dpkb_audit.budget import LookBudget
    from dpkb_audit.check import Check

    Handler = Callable[..., None]


class Dispatcher:
    """Passes each event to the followers, which keep track of the run, then to the checks.

    Events that a handler causes itself are ignored. An exception in a check ends the check, not the program;
    but an exception that the program raises from a signal is passed on to it.
    """

    def __init__(self, budget: LookBudget, report_failure: Callable[[str], None]) -> None:
        self._budget = budget
        self._report_failure = report_failure
        self._followers: dict[str, list[Handler]] = {}
        # Event -> the checks that have a handler for it, each with this handler.
        self._watchers: dict[str, list[tuple[Check, Handler]]] = {}
        # Event and id of a check: the check gets no such events until it resumes them.
        self._paused: set[tuple[str, int]] = set()
        # Event and id of a check: the check gets no such events until module calls are looked at.
        self._paused_until_calls: set[tuple[str, int]] = set()
        # Event -> the handlers that emit() calls: of followers, then of checks that are not paused.
        self._handlers: dict[str, tuple[Handler, ...]] = {}
        self._thread = get_ident()
        self._busy = False
        # Whether the audit has ended.
        self.closed = False

    def add_follower(self, follower: object) -> None:
        """Add an object that gets its events before the checks, so that the checks can use its state."""
        for event, handler in _handlers_of(follower).items():
            self._followers.setdefault(event, []).append(handler)
            self._update(event)

    def add_check(self, check: Check) -> None:
        """Add a check. It gets the events for which it has a method on_<event>."""
        for event, handler in _handlers_of(check).items():
            self._watchers.setdefault(event, []).append((check, handler))
            self._update(event)

    def pause(self, check: Check, event: str) -> None:
        """Pass no more of these events to a check until `resume`."""
        if (event, id(check)) not in self._paused:
            self._paused.add((event, id(check)))
            self._update(event)

    def resume(self, check: Check, event: str) -> None:
        """Pass these events to a check again, beginning with the next event."""
        if (event, id(check)) in self._paused:
            self._paused.remove((event, id(check)))
            self._update(event)

    def pause_until_module_calls(self, check: Check, event: str) -> None:
        """Pass no more of these events to a check until module calls are looked at."""
        self._paused_until_calls.add((event, id(check)))
        self._update(event)

    def resume_at_module_calls(self) -> None:
        """Pass the events to the checks that waited for module calls, which are looked at again."""
        events = {event for event, _ in self._paused_until_calls}
        self._paused_until_calls.clear()
        for event in events:
            self._update(event)

    def has_watchers(self, event: str) -> bool:
        """Whether any check has a handler for this event, paused or not."""
        return bool(self._watchers.get(event))

    def listens(self) -> bool:
        """Whether events are passed on at present. Only events of the training thread are."""
        return not (self._busy or self.closed) and get_ident() == self._thread

    def emit(self, event: str, *arguments: Any) -> None:
        """Pass an event to its handlers."""
        # This runs several times in each training step, so it repeats listens(): a call would cost more.
        handlers = self._handlers.get(event)
        if not handlers or self._busy or self.closed or get_ident() != self._thread:
            return
        self._busy = True
        self._budget.start_event(event)
        remaining = iter(handlers)
        try:
            while True:
                try:
                    for handler in remaining:
                        handler(*arguments)
                    break
                except Exception as error:
                    if came_from_signal(error):
                        raise
                    self._remove_failed(event, handler)
        finally:
            self._budget.end_event()
            self._busy = False

    def _remove_failed(self, event: str, failed: Handler) -> None:
        """Remove a handler that raised, or all handlers of the check that it belongs to."""
        followers = self._followers.get(event, [])
        if failed in followers:
            followers.remove(failed)
            self._update(event)
            self._report_failure("following " + event)
            return
        self.remove_failed_check(next(check for check, handler in self._watchers[event] if handler == failed))

    def remove_failed_check(self, check: Check) -> None:
        """Pass no more events to a check that has raised the present exception, and report that."""
        for other, watchers in self._watchers.items():
            self._watchers[other] = [pair for pair in watchers if pair[0] is not check]
            self._update(other)
        self._report_failure("the check of " + check.id)

    def _update(self, event: str) -> None:
        """Choose the handlers of an event again. emit() may be iterating over the old tuple, so it is new."""
        checks = [
            handler
            for check, handler in self._watchers.get(event, ())
            if (event, id(check)) not in self._paused and (event, id(check)) not in self._paused_until_calls
        ]
        self._handlers[event] = (*self._followers.get(event, ()), *checks)

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


def came_from_signal(error: BaseException) -> bool:
    """Whether a signal handler of the program raised it, which a signal has called while a check ran.

    DataLoader has such a handler, for workers that die, and programs limit their time with others.
    """
    import signal

    handlers = {getattr(signal.getsignal(number), "__code__", None) for number in signal.valid_signals()}
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code in handlers:
            return True
        trace = trace.tb_next
    return False


def _handlers_of(listener: object) -> dict[str, Handler]:
    handlers = {event: getattr(listener, "on_" + event, None) for event in EVENTS}
    return {event: handler for event, handler in handlers.items() if handler}
