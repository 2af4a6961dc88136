"""Hands the events of a process to those that handle them."""

from __future__ import annotations

import threading

from dpkb_audit.events import EVENTS

MYPY = False
if MYPY:
    from collections.abc import Callable
    from typing import Any

    from dpkb_audit.budget import LookBudget
    from dpkb_audit.check import Check


class Dispatcher:
    """Hands each event to what follows the run, then to the checks.

    What handling an event causes is no event. An exception in a check ends the check, not the program.
    """

    def __init__(self, budget: LookBudget, report_failure: Callable[[str], None]) -> None:
        self._budget = budget
        self._report_failure = report_failure
        self._followers: dict[str, Callable[..., None]] = {}
        self._handlers: dict[str, list[tuple[Check, Callable[..., None]]]] = {}
        self._thread = threading.get_ident()
        self._busy = False
        # Whether the audit has ended.
        self.closed = False

    def add_follower(self, follower: object) -> None:
        """It gets its events before any check, which can then ask it. An event has one follower."""
        self._followers.update(_handlers_of(follower))

    def add_check(self, check: Check) -> None:
        """It gets the events for which it has a method on_<event>."""
        for event, handler in _handlers_of(check).items():
            self._handlers.setdefault(event, []).append((check, handler))

    def watched(self, event: str) -> bool:
        """Whether any check watches this event."""
        return bool(self._handlers.get(event))

    def listens(self) -> bool:
        """Whether an event that occurs now is handed on: only those of the thread that trains are."""
        return not (self._busy or self.closed) and threading.get_ident() == self._thread

    def emit(self, event: str, *arguments: Any) -> None:
        """Hand on an event."""
        if not self.listens():
            return
        self._busy = True
        self._budget.start_event(about_samples=event == "samples")
        try:
            follow = self._followers.get(event)
            if follow:
                try:
                    follow(*arguments)
                except Exception:
                    del self._followers[event]
                    self._report_failure("following " + event)
            for check, handler in self._handlers.get(event, ()):
                try:
                    handler(*arguments)
                except Exception:
                    self._remove(check)
                    self._report_failure("the check of " + check.id)
        finally:
            self._budget.end_event()
            self._busy = False

    def _remove(self, check: Check) -> None:
        for event, handlers in self._handlers.items():
            # A new list: emit() is going through the old one.
            self._handlers[event] = [pair for pair in handlers if pair[0] is not check]

    def restart(self) -> None:
        """Begin again, in a forked child: the present thread is the one that trains."""
        self._thread = threading.get_ident()
        self._busy = self.closed = False


def _handlers_of(listener: object) -> dict[str, Callable[..., None]]:
    handlers = {event: getattr(listener, "on_" + event, None) for event in EVENTS}
    return {event: handler for event, handler in handlers.items() if handler}
