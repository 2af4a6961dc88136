"""What looking at a run costs, and how much it may cost."""

from __future__ import annotations

import time

# What looking may cost: so many seconds, and this share of the time that has passed. Samples, of which there
# are many, have an account of their own.
_SECONDS, _SHARE = 0.1, 0.015
# An event costs at most this, if none of its checks asked whether it can look. The time that passed may be
# longer, because other processes had the core.
_MAX_CHEAP_EVENT_SECONDS = 0.0005
# What a module hook costs beside the time that is measured in it.
_HOOK_SECONDS = 2e-6


class LookBudget:
    """The seconds that the checks of one process have used, and whether they may use more."""

    def __init__(self) -> None:
        self.started_at = time.perf_counter()
        # Seconds that looking has cost: at samples, and at everything else.
        self.samples_seconds = self.other_seconds = 0.0
        # Seconds that passed while events were handled. They are not time spent waiting for data.
        self.event_seconds = 0.0
        # The event that is being handled: its start, whether it is about samples, and the CPU time when a
        # check first asked whether it can look.
        self._event_start = 0.0
        self._is_samples = False
        self._look_start: float | None = None

    def can_look(self) -> bool:
        """Whether a costly look (hashing samples, comparing parameters) is still cheap beside the run."""
        # Costly looks are counted by the time that they compute: on a machine with other work they take
        # longer. That clock is slower to read.
        if self._look_start is None:
            self._look_start = time.thread_time()
        return self.is_cheap()

    def is_cheap(self) -> bool:
        """Whether looking has cost little so far. For code outside of checks; a check asks `can_look`."""
        looked = self.samples_seconds if self._is_samples else self.other_seconds
        return looked < _SECONDS + _SHARE * self.seconds()

    def seconds(self) -> float:
        """Seconds since the audit of this process began."""
        return time.perf_counter() - self.started_at

    def start_event(self, about_samples: bool) -> None:
        """From now on the checks handle an event."""
        self._look_start, self._is_samples = None, about_samples
        self._event_start = time.perf_counter()

    def end_event(self) -> None:
        """The checks have handled the event."""
        event_seconds = time.perf_counter() - self._event_start
        self.event_seconds += event_seconds
        cost = (min(event_seconds, _MAX_CHEAP_EVENT_SECONDS) if self._look_start is None
                else time.thread_time() - self._look_start)
        if self._is_samples:
            self.samples_seconds += cost
        else:
            self.other_seconds += cost
        self._is_samples = False

    def add_hook(self) -> None:
        """A hook of a module was called."""
        self.other_seconds += _HOOK_SECONDS

    def restart(self) -> None:
        """Begin again, in a forked child."""
        self.started_at, self.other_seconds, self.samples_seconds = time.perf_counter(), 0.0, 0.0
